package contract_test

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"florin/internal/openbanking"
	"florin/internal/specification"
)

var update = flag.Bool("update", false, "write docs/conformance.md anew")

// folders are where the tests are that prove something, by the name of their package.
var folders = map[string]string{
	"api":          "internal/aggregator/api",
	"apptoken":     "internal/apptoken",
	"contract":     "internal/contract",
	"engine":       "internal/aggregator/engine",
	"registry":     "internal/aggregator/registry",
	"notify":       "internal/aggregator/notify",
	"openapi":      "internal/openapi",
	"openbanking":  "internal/openbanking",
	"panel":        "internal/aggregator/panel",
	"paymentrules": "internal/paymentrules",
	"perlregexp":   "internal/perlregexp",
	"reference":    "internal/reference",
	"sandbox":      "internal/aggregator/sandbox",
	"server":       "internal/aggregator/server",
	"site":         "internal/aggregator/site",
}

// proof says which tests prove the rows of the specification that a pattern names; * stands for any text.
type proof struct{ rows, tests string }

// kept proves the fields of a payment: each is accepted, kept and read back.
const kept = "server.TestEveryFieldOfAPaymentIsKept"

// proofs has the first fitting pattern count, so exceptions stand before the rule.
var proofs = []proof{
	{"endpoint POST /payments", "contract.TestEmbeddedService, api.TestPaymentRules"},
	{"endpoint DELETE /payments/*", "contract.TestEmbeddedService, api.TestDeletePayment"},
	{"endpoint * /payments/*", "contract.TestEmbeddedService, api.TestGetPayment"},
	{"endpoint POST /api/applications", "contract.TestEmbeddedService, panel.TestRegistrationAPI"},
	{"endpoint *", "contract.TestEmbeddedService"},

	{"parameter DELETE /payments/*", "server.TestIDsInPaths, api.TestDeletePayment, contract.TestEmbeddedService"},
	{"parameter * /payments/*", "server.TestIDsInPaths, api.TestGetPayment, contract.TestEmbeddedService"},
	{"parameter GET /aspsps *", "api.TestASPSPFilters, contract.TestEmbeddedService"},
	{"parameter GET /accounts/{account_id}/transactions date_*", "api.TestTransactionRules, contract.TestEmbeddedService"},
	{"parameter GET /accounts/{account_id}/transactions continuation_key", "api.TestContinuationKeyRules, contract.TestEmbeddedService"},
	{"parameter GET /accounts/{account_id}/transactions transaction_status", "server.TestScenarios, contract.TestEmbeddedService"},
	{"parameter GET /accounts/{account_id}/transactions strategy", "api.TestTransactionRules, contract.TestEmbeddedService"},
	{"parameter redirect *", "api.TestRedirectToApplication, contract.TestEmbeddedService"},
	{"parameter *", "server.TestIDsInPaths, contract.TestEmbeddedService"},
	{"header *", "api.TestPSUHeaderRules"},

	{"token webhook * environment", "server.TestWebhooksOfProduction, contract.TestEmbeddedService"},
	{"token webhook *", "notify.TestADeliveryIsProvenAsSpecified, contract.TestEmbeddedService"},
	{"token application * iss", "apptoken.TestForgedTokensAreRefused, apptoken.TestGoodTokensAreAccepted, api.TestForgedTokens"},
	{"token application *", "apptoken.TestForgedTokensAreRefused, api.TestForgedTokens"},

	{"field RegisterApplicationRequest.certificate", "server.TestCertificateOrPublicKey, api.TestRegistrationRules"},
	{"field RegisterApplicationRequest.*_email", "api.TestRegistrationRules, openapi.TestRegistrationForProduction"},
	{"field RegisterApplicationRequest.*_url", "api.TestRegistrationRules, openapi.TestRegistrationForProduction"},
	{"field RegisterApplicationRequest.description", "api.TestRegistrationRules, openapi.TestRegistrationForProduction"},
	{"field RegisterApplication*", "api.TestRegistrationRules, contract.TestEmbeddedService"},
	{"field StartAuthorizationRequest.access", "api.TestStartAuthorizationRules, api.TestScopes"},
	{"field StartAuthorizationRequest.state", "api.TestStartAuthorizationRules, api.TestRedirectToApplication"},
	{"field StartAuthorizationRequest.psu_type", "api.TestStartAuthorizationRules, api.TestConsentRequest"},
	{"field StartAuthorizationRequest.auth_method", "api.TestStartAuthorizationRules, server.TestHiddenMethodIsReachedByNameAlone"},
	{"field StartAuthorizationRequest.credentials*", "api.TestStartAuthorizationRules, server.TestCredentialsOfTheStart"},
	{"field StartAuthorizationRequest.language", "api.TestStartAuthorizationRules, server.TestPagesSpeakTheLanguageOfTheRequest"},
	{"field StartAuthorizationRequest.psu_id", "api.TestStartAuthorizationRules, api.TestPSUIDHash"},
	{"field StartAuthorizationRequest.*", "api.TestStartAuthorizationRules, contract.TestEmbeddedService"},
	{"field AuthorizeSessionRequest.*", "api.TestRedeemRules, contract.TestEmbeddedService"},
	{"field CreatePaymentResponse.*", "server.TestEveryFieldOfAPaymentOccurs, contract.TestEmbeddedService"},
	{"field CreatePaymentRequest.auth_method", "api.TestPaymentRules, engine.TestMethodsAndCredentialsOfPayments"},
	{"field CreatePaymentRequest.credentials", "api.TestPaymentRules, engine.TestMethodsAndCredentialsOfPayments"},
	{"field CreatePaymentRequest.language", "api.TestPaymentRules, server.TestPagesOfAPaymentSpeakTheLanguageOfTheRequest"},
	{"field CreatePaymentRequest.redirect_url", "api.TestPaymentRules, server.TestRedirectOfAPayment"},
	{"field CreatePaymentRequest.state", "api.TestPaymentRules, server.TestRedirectOfAPayment"},
	{"field CreatePaymentRequest.webhook_url", "api.TestWebhookURLs, server.TestWebhooksComeUnasked"},
	{"field CreatePaymentRequest.psu_id", "api.TestPaymentRules, server.TestPSUIDIsStoredHashed"},
	{"field CreatePayment*", "api.TestPaymentRules, contract.TestEmbeddedService"},
	{"field GetPayment*", "server.TestEveryFieldOfAPaymentOccurs, api.TestGetPayment"},
	{"field PaymentRequestResource*.debtor", kept + ", server.TestDebtorReadsBackAsItWasSent"},
	{"field PaymentRequestResource*.debtor_account", kept + ", server.TestDebtorReadsBackAsItWasSent"},
	{"field PaymentRequestResource*", kept},
	{"field CreditTransferTransactionDetails.transaction_*", "server.TestEveryFieldOfAPaymentOccurs, server.TestTransactionsOfABulk"},
	{"field CreditTransferTransaction*.requested_execution_date", kept + ", server.TestBulkWithADateAtEachInstruction"},
	{"field CreditTransferTransaction*.reference_number", kept + ", server.TestEveryPaymentType"},
	{"field CreditTransferTransaction*", kept},
	{"field Beneficiary.*", kept},
	{"field PaymentIdentification.*", kept},
	{"field PaymentTypeInformation.*", kept},
	{"field RegulatoryAuthority.*", kept},
	{"field RegulatoryReporting.*", kept},
	{"field RegulatoryReportingDetails.*", kept},
	{"field StatusReasonInformation.*", "server.TestEveryPaymentStatus, server.TestEveryFieldOfAPaymentOccurs"},
	{"field PaymentStatusWebhook.webhook_triggered", "contract.TestEmbeddedService"},
	{"field PaymentStatusWebhook.payment_auth_status", "server.TestEveryPaymentAuthStatus, contract.TestEmbeddedService"},
	{"field PaymentStatusWebhook.*", "server.TestEveryPaymentStatus, contract.TestEmbeddedService"},
	{"field ResponsePaymentType.psu_type", "server.TestEveryFieldOccurs, server.TestEveryPaymentType"},
	{"field ResponsePaymentType.allowed_auth_methods", "server.TestEveryFieldOccurs, engine.TestMethodsAndCredentialsOfPayments"},
	{"field ResponsePaymentType.final_successful_statuses", "server.TestEveryFieldOccurs, server.TestFinalSuccessfulStatuses"},
	{"field ResponsePaymentType.*", "server.TestEveryFieldOccurs, paymentrules.TestEveryPropertyOfAPaymentTypeHasARule"},
	{"field *", "server.TestEveryFieldOccurs"},

	{"value Environment *", "api.TestRegistrationRules, server.TestApplicationsStayInTheirEnvironment"},
	{"value Service *", "api.TestASPSPFilters, api.TestGetApplication"},
	{"value PSUType *", "api.TestStartAuthorizationRules, server.TestEveryFieldOccurs"},
	{"value AuthenticationApproach *", "server.TestEveryMethodOfEveryBankComesBackWithACode, server.TestEveryFieldOccurs"},
	{"value SessionStatus *", "api.TestStateMachine"},
	{"value TransactionsFetchStrategy *", "api.TestTransactionRules"},
	{"value TransactionStatus *", "server.TestScenarios, server.TestEveryFieldOccurs"},
	{"value Usage *", "server.TestEveryFieldOccurs"},
	{"value CashAccountType *", "server.TestEveryFieldOccurs"},
	{"value CreditDebitIndicator *", "server.TestEveryFieldOccurs"},
	{"value BalanceStatus *", "server.TestEveryFieldOccurs"},
	{"value PaymentType *", "server.TestEveryPaymentType"},
	{"value ChargeBearerCode *", "server.TestEveryPaymentType"},
	{"value PriorityCode *", "server.TestEveryPaymentType"},
	{"value ReferenceNumberScheme SDDM", "server.TestEveryFieldOccurs, reference.TestEverySchemeIsChecked"},
	{"value ReferenceNumberScheme *", "server.TestEveryPaymentType, reference.TestKnownReferences"},
	{"value ExecutionRule *", "server.TestEveryCodeOfAPayment, sandbox.TestStandingOrders"},
	{"value FrequencyCode *", "server.TestEveryCodeOfAPayment, sandbox.TestStandingOrders"},
	{"value PurposeCode *", "server.TestEveryCodeOfAPayment"},
	{"value ServiceLevelCode *", "server.TestEveryCodeOfAPayment"},
	{"value CategoryPurposeCode *", "server.TestEveryCodeOfAPayment"},
	{"value PaymentStatus *", "server.TestEveryPaymentStatus"},
	{"value PaymentAuthStatus *", "server.TestEveryPaymentAuthStatus"},
	{"value AddressType *", "server.TestEveryFieldOccurs, server.TestEveryCodeOfAPayment"},
	{"value SchemeName *", "server.TestEveryFieldOccurs, server.TestEveryCodeOfAPayment"},
	{"value RateType SPOT", "server.TestEveryFieldOccurs, server.TestScenarios"},
	{"value RateType *", "server.TestEveryFieldOccurs"},

	{"code INVALID_PAYMENT", "server.TestErrorCodes, server.TestInvalidPayment"},
	{"code *", "server.TestErrorCodes"},

	{"status 500", "api.TestInternalFailure"},
	{"status 429", "api.TestRateLimitOfTheService, server.TestErrorCodes"},
	{"status *", "server.TestErrorCodes"},

	{"limit JWT time to live", "apptoken.TestForgedTokensAreRefused"},
	{"limit maximum_consent_validity", "api.TestValidUntilRules, api.TestValidUntilBeyondTheMaximum"},
	{"limit max_transactions", "api.TestPaymentRules, paymentrules.TestFaults, contract.TestEmbeddedService"},
	{"limit remittance_information_lines", "api.TestAllFaultsOfAPayment, paymentrules.TestFaults, contract.TestEmbeddedService"},
	{"limit requested_execution_date_max_period", "api.TestPaymentRules, paymentrules.TestFaults, contract.TestEmbeddedService"},
	{"limit amount limit of payments", "api.TestPaymentRules, paymentrules.TestFaults"},
	{"limit webhook acknowledgement time", "notify.TestAnswersAreAwaitedForTenSeconds"},
	{"limit webhook retry", "notify.TestEventsAreRetriedForTwentyFourHours"},

	{"rule Account information flow: POST /auth *", "contract.TestEmbeddedService"},
	{"rule Account information flow: the PSU comes back *", "api.TestRedirectKeepsQuery"},
	{"rule Account information flow: after success *", "contract.TestEmbeddedService"},
	{"rule Account information flow: some of the information *", "api.TestSessionShapes"},
	{"rule Account information flow: the PSU cancels *", "server.TestRefusals"},
	{"rule Account information flow: other descriptions *", "api.TestRedirectToApplication"},
	{"rule Account information flow: an ASPSP selection widget *", "server.TestWidgetOnADeclaredSite, server.TestWidgetListIsFiltered"},
	{"rule Account information flow: the interaction *", "server.TestEveryMethodOfEveryBankComesBackWithACode"},
	{"rule Payment initiation flow: the PSU comes back *", "server.TestRedirectOfAPayment"},
	{"rule Payment initiation flow: descriptions *", "server.TestFiveWrongCodesFailAPayment"},
	{"rule Payment initiation flow: POST /payments *", "contract.TestEmbeddedService, api.TestPaymentRules"},
	{"rule Payment initiation flow: the PSU reviews *", "server.TestEveryPageOfAPaymentShowsAmountAndPayee, site.TestThePageShowsEveryFieldOfAPayment"},
	{"rule Payment initiation flow: a callback *", "server.TestPaymentIsMade, server.TestAnApprovalIsNeverTakenBackWithoutTheBank, contract.TestEmbeddedService"},
	{"rule Payment initiation flow: the PSU cancels *", "server.TestPaymentIsCancelledOnEachPage, contract.TestEmbeddedService"},
	{"rule Payment initiation flow: when a webhook_url *", "server.TestWebhooksComeUnasked, server.TestEveryStatusComesAsAWebhookAtAnyPace"},
	{"rule What the service does: an application *", "server.TestApplicationsStayInTheirEnvironment"},
	{"rule What the service does: *", "api.TestAccountIdentity, panel.TestOwnAccounts"},
	{"rule ASPSP data: suffixes *", "server.TestLogoTransformations"},
	{"rule ASPSP data: the same suffixes *", "server.TestLogoTransformations"},
	{"rule ASPSP data: auth_methods *", "sandbox.TestBuiltInCatalogueHasEveryApproachSeveralTimes"},
	{"rule ASPSP data: sandbox *", "server.TestSandboxIsOfTheSandboxAlone"},
	{"rule ASPSP data: for an ASPSP that lists *", "api.TestPSUHeaderRules"},
	{"rule AuthMethod: *", "server.TestHiddenMethodIsReachedByNameAlone"},
	{"rule Credential: *", "perlregexp.TestMatch, server.TestWrongCredentialsOfTheStartAreRefused, server.TestFaultsOfCredentialFields"},
	{"rule Payment types: when debtor_account *", "server.TestDebtorAccountIsChosenAtTheBank, paymentrules.TestEveryPropertyOfAPaymentTypeHasARule"},
	{"rule Payment types: when remittance_information_lines *", "paymentrules.TestFaults"},
	{"rule Payment types: remittance_reference_supported *", "paymentrules.TestEveryPropertyOfAPaymentTypeHasARule, paymentrules.TestRightPayments"},
	{"rule Payment types: reaching *", "server.TestFinalSuccessfulStatuses"},
	{"rule Access: balances *", "api.TestScopes"},
	{"rule Access: an account *", "api.TestStartAuthorizationRules"},
	{"rule Amounts: *", "paymentrules.TestFaults, paymentrules.TestRightPayments"},
	{"rule Access: when accounts is absent *", "server.TestAccessDependsOnTheBank"},
	{"rule Access: valid_until *", "api.TestValidUntilRules, api.TestValidUntilBeyondTheMaximum, engine.TestValidUntilBounds"},
	{"rule Access: the consent validity *", "api.TestConsentRequest, sandbox.TestConsentIsRaisedToTheMinimum"},
	{"rule Access: the session expires *", "server.TestValidUntilOfTheSessionStays, engine.TestSessionEndsOnTime, api.TestExpiryWithoutRequest"},
	{"rule Account: uid is valid *", "api.TestStateMachine"},
	{"rule Account: uid is absent *", "api.TestAccountIdentity"},
	{"rule Account: identification_hash matches *", "api.TestAccountIdentity, contract.TestJointHoldersShareHashes"},
	{"rule Account: identification_hashes *", "api.TestAccountIdentity, engine.TestIdentificationHash"},
	{"rule Account: legal_age *", "server.TestLegalAge"},
	{"rule Account: all_account_ids *", "server.TestAllAccountIDs"},
	{"rule Shared structures: *", "server.TestEveryFieldOccurs"},
	{"rule Balance: *", "server.TestLastCommittedTransaction"},
	{"rule Transaction: instructed_amount *", "server.TestScenarios"},
	{"rule Transaction: entry_reference *", "server.TestEntryReferencesStayAcrossSessions"},
	{"rule Transaction: transaction_id *", "server.TestScenarios"},
	{"rule Session: psu_id_hash *", "api.TestPSUIDHash"},
	{"rule Session: access *", "api.TestSessionShapes, api.TestScopes"},
	{"rule Session status: *", "api.TestStateMachine"},
	{"rule Payment status: PDNG *", "contract.TestEmbeddedService, api.TestPaymentRules"},
	{"rule Payment status: final_status *", "contract.TestEmbeddedService, engine.TestPaymentTakesItsCourse"},
	{"rule Payment status: a payment may be deleted *", "contract.TestEmbeddedService, api.TestDeletePayment"},
	{"rule Payment request: requested_execution_date *", "server.TestBulkWithADateAtEachInstruction, paymentrules.TestRightPayments"},
	{"rule Payment request: reference_number *", "paymentrules.TestRightPayments, server.TestEveryPaymentType"},
	{"rule Payment request: for a standing order *", "sandbox.TestStandingOrders"},
	{"rule Payment request: execution_rule *", "sandbox.TestStandingOrders"},
	{"rule Payment request: the ASPSP may shift *", "sandbox.TestPathsOfPayments"},
	{"rule Endpoints: *", "contract.TestEmbeddedService, server.TestErrorCodes"},
	{"rule Sessions: state *", "api.TestRedirectToApplication"},
	{"rule Sessions: redirect_url *", "api.TestStartAuthorizationRules"},
	{"rule Sessions: auth_method *", "server.TestEveryMethodOfEveryBankComesBackWithACode"},
	{"rule Sessions: credentials are allowed *", "server.TestWrongCredentialsOfTheStartAreRefused"},
	{"rule Sessions: when credentials are absent *", "server.TestChoiceOfTheMethod"},
	{"rule Sessions: when credentials_autosubmit *", "server.TestCredentialsOfTheStart"},
	{"rule Sessions: language *", "server.TestPagesSpeakTheLanguageOfTheRequest, api.TestStartAuthorizationRules"},
	{"rule Sessions: psu_id *", "server.TestPSUIDIsStoredHashed, api.TestPSUIDHash"},
	{"rule Sessions: authorization_id *", "api.TestStateMachine"},
	{"rule Sessions: DELETE answers *", "server.TestIDsInPaths"},
	{"rule Sessions: DELETE *", "api.TestStateMachine"},
	{"rule Accounts: details *", "api.TestBankErrors"},
	{"rule Accounts: without date_from *", "sandbox.TestListingsFilterAndPage"},
	{"rule Accounts: date_from and date_to *", "contract.TestEmbeddedService, sandbox.TestListingsFilterAndPage"},
	{"rule Accounts: date_*", "api.TestTransactionRules"},
	{"rule Accounts: an invalid continuation_key *", "api.TestContinuationKeyRules"},
	{"rule Accounts: an unacceptable period *", "server.TestScenarios"},
	{"rule Accounts: continuation_key *", "api.TestTransactionPages, api.TestContinuationKeyRules"},
	{"rule Accounts: longest *", "api.TestTransactionRules"},
	{"rule Accounts: transaction_status *", "server.TestScenarios, contract.TestEmbeddedService"},
	{"rule Payments: credentials *", "api.TestPaymentRules, engine.TestMethodsAndCredentialsOfPayments"},
	{"rule Payments: webhook_url *", "server.TestEveryPaymentStatus, contract.TestEmbeddedService"},
	{"rule Payments: status_reason_information *", "server.TestEveryPaymentStatus, server.TestInsufficientFunds"},
	{"rule Authentication: payment initiation is enabled *", "api.TestGetApplication, contract.TestEmbeddedService"},
	{"rule Authentication: payment initiation in PRODUCTION *", "api.TestAccessDeniedWithoutPIS, panel.TestOperatorGrantsPayments"},
	{"rule Authentication: webhook origins *", "registry.TestWebhookOrigins, panel.TestSettings"},
	{"rule Authentication: RS256 *", "apptoken.TestForgedTokensAreRefused, api.TestForgedTokens"},
	{"rule Authentication: an expiry *", "apptoken.TestForgedTokensAreRefused"},
	{"rule Authentication: SANDBOX *", "api.TestRegistrationRules"},
	{"rule Authentication: PRODUCTION *", "api.TestInactiveApplication, panel.TestOwnAccounts, panel.TestApproval"},
	{"rule Authentication: the developer signs in *", "panel.TestSignInLink"},
	{"rule Authentication: a key generated *", "panel.TestJourneyFromTheMailToAToken"},
	{"rule Authentication: the certificate *", "panel.TestUploadedKey, server.TestCertificateOrPublicKey"},
	{"rule Auxiliary: GET /application *", "api.TestRegistrationRules, server.TestCertificateOrPublicKey"},
	{"rule Auxiliary: *", "api.TestASPSPFilters"},
	{"rule Registration: the certificate *", "server.TestCertificateOrPublicKey"},
	{"rule Registration: the request carries *", "contract.TestEmbeddedService, panel.TestRegistrationAPI"},
	{"rule Registration: *", "api.TestRegistrationRules"},
	{"rule Events: a webhook is sent *", "server.TestEveryPaymentStatus, server.TestWebhooksComeUnasked"},
	{"rule Events: the origin *", "api.TestWebhookURLs, server.TestErrorCodes"},
	{"rule Events: webhook_id *", "notify.TestEveryEventArrivesInOrder, contract.TestEmbeddedService"},
	{"rule Events: payment_auth_status *", "server.TestEveryPaymentAuthStatus"},
	{"rule Events: the request *", "notify.TestADeliveryIsProvenAsSpecified, contract.TestEmbeddedService"},
	{"rule Events: the handler *", "notify.TestADeliveryIsProvenAsSpecified, contract.TestReceiverNoticesForgeries, contract.TestEmbeddedService"},
	{"rule Events: an answer *", "notify.TestOnlyTheListedStatusesAcknowledge, notify.TestAnswersThatAreNotUsableAreFailures"},
	{"rule Events: an unacknowledged *", "notify.TestEventsAreRetriedForTwentyFourHours, contract.TestEmbeddedService"},
	{"rule Errors: code *", "server.TestErrorCodes"},
	{"rule Errors: redirect *", "server.TestRefusals"},
	{"rule Versioning: paths *", "contract.TestEmbeddedService"},
	{"rule Versioning: an older audience *", "apptoken.TestGoodTokensAreAccepted"},
}

// section is a part of the table.
type section struct {
	title string
	rows  []row
}

// row is a row of the specification: its kind and name, and what it says.
type row struct{ id, name, text string }

// specificationRows are all rows of the specification's tables.
func specificationRows() []section {
	s := specification.Read()
	var endpoints, parameters, tokens, fields, values, codes, statuses, limits, rules []row
	for _, e := range s.Endpoints {
		endpoints = append(endpoints, row{"endpoint " + e.Name(), "`" + e.Name() + "`", e.Text})
		for _, p := range e.Parameters {
			parameters = append(parameters, row{"parameter " + e.Name() + " " + p.Name, "`" + e.Name() + "` `" + p.Name + "`", describe(p)})
		}
	}
	for _, table := range s.Parameters {
		for _, p := range table.Fields {
			parameters = append(parameters, row{"parameter " + table.Name + " " + p.Name, "`" + table.Name + "` `" + p.Name + "`", describe(p)})
		}
	}
	for _, h := range s.PSUHeaders {
		parameters = append(parameters, row{"header " + h.Name, "`" + h.Name + "`", describe(h)})
	}
	for _, table := range s.Tokens {
		for _, f := range table.Fields {
			tokens = append(tokens, row{"token " + table.Name + " " + f.Name, table.Name + " `" + f.Name + "`", f.Notes})
		}
	}
	for _, table := range s.Structures {
		for _, f := range table.Fields {
			fields = append(fields, row{"field " + table.Name + "." + f.Name, "`" + table.Name + "." + f.Name + "`", describe(f)})
		}
	}
	for _, e := range s.Enumerations {
		for _, v := range e.Values {
			text := s.Meanings[e.Name][v]
			if text == "" {
				text = e.Remarks[v]
			}
			values = append(values, row{"value " + e.Name + " " + v, e.Name + " `" + v + "`", text})
		}
	}
	for _, code := range openbanking.ErrorCode("").Values() {
		codes = append(codes, row{"code " + string(code), "`" + string(code) + "`", s.ErrorCodes[string(code)]})
	}
	for _, status := range slices.Sorted(maps.Keys(s.Statuses)) {
		statuses = append(statuses, row{fmt.Sprint("status ", status), fmt.Sprint(status), s.Statuses[status]})
	}
	for _, l := range s.Limits {
		limits = append(limits, row{"limit " + l.Name, l.Name, l.Value + "; " + l.AppliesTo})
	}
	for _, r := range s.Rules {
		rules = append(rules, row{"rule " + r.Section + ": " + r.Text, r.Section, r.Text})
	}
	return []section{
		{"Endpoints", endpoints},
		{"Parameters and PSU headers", parameters},
		{"Tokens", tokens},
		{"Fields", fields},
		{"Values of enumerations", values},
		{"Error codes", codes},
		{"Statuses", statuses},
		{"Limits", limits},
		{"Rules", rules},
	}
}

// describe says what a table says of a field.
func describe(f specification.Field) string {
	text := f.Type
	switch f.Required {
	case "yes":
		text += ", required"
	case "in PRODUCTION":
		text += ", required when environment is PRODUCTION"
	}
	if f.Notes != "" {
		text += "; " + f.Notes
	}
	return text
}

// pattern makes a regular expression of the rows of a proof.
func (p proof) pattern() *regexp.Regexp {
	return regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(p.rows), `\*`, ".*") + "$")
}

// list returns the tests of a proof.
func (p proof) list() []string { return strings.Split(p.tests, ", ") }

// proofOf returns the first proof whose pattern fits a row.
func proofOf(r row) (proof, bool) {
	i := slices.IndexFunc(proofs, func(p proof) bool { return p.pattern().MatchString(r.id) })
	if i < 0 {
		return proof{}, false
	}
	return proofs[i], true
}

// TestConformanceDocumentation: docs/conformance.md lists every row of the specification with the tests that prove it, and each
// of these tests exists.
// After a change: go test ./internal/contract -run Documentation -update
func TestConformanceDocumentation(t *testing.T) {
	tests := map[string]testPackage{}
	for name, folder := range folders {
		tests[name] = readTests(t, folder)
	}
	for _, p := range proofs {
		for _, test := range p.list() {
			folder, name, _ := strings.Cut(test, ".")
			if !tests[folder].has(name) {
				t.Errorf("%s: there is no test %s", p.rows, test)
			}
		}
	}
	used := make([]bool, len(proofs))
	patterns := make([]*regexp.Regexp, len(proofs))
	for i, p := range proofs {
		patterns[i] = p.pattern()
	}
	var b bytes.Buffer
	proved := 0
	for _, section := range specificationRows() {
		fmt.Fprintf(&b, "\n## %s\n\n| Specification | Says | Proved by |\n|---|---|---|\n", section.title)
		for _, r := range section.rows {
			i := slices.IndexFunc(patterns, func(p *regexp.Regexp) bool { return p.MatchString(r.id) })
			if i < 0 {
				t.Errorf("%s is not listed: add the test that proves it", r.id)
				continue
			}
			used[i] = true
			proved++
			fmt.Fprintf(&b, "| %s | %s | `%s` |\n", cell(r.name), cell(r.text), strings.Join(proofs[i].list(), "`, `"))
		}
	}
	for i, p := range proofs {
		if !used[i] {
			t.Errorf("no row of the specification is %q, or a pattern before it takes them all", p.rows)
		}
	}
	want := []byte(fmt.Sprintf("# Conformance\n\n"+
		"Every endpoint, parameter, field, value, error code, status, limit and rule of the specification, with the tests that prove it. Written from\n"+
		"`internal/specification` and the table in `internal/contract/conformance_test.go`. The gate fails when a row is not listed, when a test does not exist, and when\n"+
		"a test does not say the field, value, code, header, parameter, path or status of its row.\n"+
		"A test is named by its package: `server` is `internal/aggregator/server`. `make test` runs all of them.\n\n"+
		"%d rows. Types and OpenAPI description as a whole are compared with the specification by\n"+
		"`openbanking.TestStructuresAreThoseOfTheSpecification` and `openapi.TestSchemasAreTheTypes`.\n", proved))
	want = append(want, b.Bytes()...)
	const file = "../../docs/conformance.md"
	if *update && !t.Failed() {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("docs/conformance.md is not up to date: run make generate")
	}
}

// cell makes a text fit for a table.
func cell(text string) string { return strings.NewReplacer("|", `\|`, "\n", " ").Replace(text) }
