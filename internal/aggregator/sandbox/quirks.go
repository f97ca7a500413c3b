package sandbox

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"florin/internal/aggregator"
	"florin/internal/iban"
	"florin/internal/openbanking"
)

// Headings of scenarios.
const (
	aboutReferences = "References"
	aboutPages      = "Pages"
	aboutDates      = "Dates and periods"
	aboutAmounts    = "Amounts"
	aboutTexts      = "Texts and parties"
	aboutBalances   = "Accounts and balances"
	aboutLimits     = "Limits and failures"
	aboutErrors     = "Shapes of errors"
	aboutConsents   = "Consents"
)

// scenarios are all scenarios, in the order of lists.
var scenarios = slices.Concat(quirks, mishaps)

// quirks are the scenarios about data (api-notes 10).
var quirks = []scenario{
	{
		name: "references-missing", group: aboutReferences,
		bank:   "No row has an entry_reference or a transaction_id.",
		client: "Recognises a row by its content, and counts rows that are equal.",
		lines:  each(func(_ view, l *line) { l.EntryReference, l.TransactionID = nil, nil }),
	},
	{
		name: "references-positional", group: aboutReferences,
		bank:   "entry_reference is the position in the list: 1, 2, 3. The same row has another one tomorrow.",
		client: "Does not take a small number for an identity.",
		lines: func(_ view, list []line) []line {
			for i := range list {
				list[i].EntryReference = ptr(strconv.Itoa(i + 1))
			}
			return list
		},
	},
	{
		name: "references-change", group: aboutReferences,
		bank:   "A row has one entry_reference while it is pending and another when it is booked.",
		client: "Replaces all pending rows at each fetch, and matches none of them with a booked one.",
		lines: each(pending(func(v view, l *line) {
			s := v.account.rowSeed(l.index)
			l.EntryReference = ptr("P" + s.letters(15))
		})),
	},
	{
		name: "references-per-session", group: aboutReferences,
		bank:   "entry_reference is made up anew in each session.",
		client: "Recognises the rows it has when their references change, and keeps what it knows of them.",
		lines: each(func(v view, l *line) {
			s := seedOf("session", v.flow.ID, strconv.Itoa(l.index))
			l.EntryReference = ptr(s.letters(16))
		}),
	},
	{
		name: "references-per-fetch", group: aboutReferences,
		bank:   "entry_reference is made up anew at each call.",
		client: "Does the same, at each fetch.",
		lines: each(func(v view, l *line) {
			s := seedOf("fetch", v.flow.ID, v.now.Format(time.RFC3339Nano), strconv.Itoa(l.index))
			l.EntryReference = ptr(s.letters(16))
		}),
	},
	{
		name: "references-shared", group: aboutReferences,
		bank:   "Two rows with different amounts share one entry_reference, as a fee does with the payment that it is for.",
		client: "Takes amount, direction and currency into the identity.",
		lines: func(v view, list []line) []line {
			ledger := v.account.bank.sandbox.ledgers.view(v.account, v.asOf)
			for i := range list {
				if n := list[i].index; n%2 == 1 && n < firstMoved && ledger.entries[n-1].amount != ledger.entries[n].amount {
					list[i].EntryReference = ptr(v.account.entryReference(n-1, &ledger.entries[n-1]))
				}
			}
			return list
		},
	},
	{
		name: "references-twice", group: aboutReferences,
		bank:   "Every third booked row comes twice in one answer, the second time under a reference of its own.",
		client: "Cannot tell such a row from two equal payments; shows both, and not more with each fetch.",
		lines: func(_ view, list []line) []line {
			var more []line
			for _, l := range list {
				more = append(more, l)
				if l.Status == openbanking.TransactionStatusBOOK && l.index%3 == 0 && l.EntryReference != nil {
					l.EntryReference = ptr(*l.EntryReference + "X")
					more = append(more, l)
				}
			}
			return more
		},
	},
	{
		name: "references-zero", group: aboutReferences,
		bank:   "Every pending row has the entry_reference \"0\".",
		client: "Does not take a placeholder for an identity.",
		lines:  each(pending(func(_ view, l *line) { l.EntryReference = ptr("0") })),
	},
	{
		name: "booking-resent", group: aboutReferences,
		bank:   "A row goes on coming as pending for three days after it was booked, beside the booked one.",
		client: "Leaves out a pending row whose booked one it has.",
		lines: func(v view, list []line) []line {
			var again []line
			for _, l := range list {
				if l.Status == openbanking.TransactionStatusBOOK && l.entry.booked > v.today()-3 {
					l.Status, l.BookingDate, l.ValueDate, l.BalanceAfterTransaction = openbanking.TransactionStatusPDNG, nil, nil, nil
					again = append(again, l)
				}
			}
			return append(again, list...)
		},
	},

	{
		name: "pages-overlap", group: aboutPages,
		bank:   "The last three rows of a page come again at the head of the next one.",
		client: "Knows the rows again by their references.",
		turn: func(v view, q aggregator.TransactionQuery, next turner) (aggregator.TransactionPage, error) {
			page, err := next(q)
			if position, ok := parseCursor(page.Next); err == nil && ok && v.account.bank.data.PageSize > 3 {
				position.offset -= 3
				page.Next = position.String()
			}
			return page, err
		},
	},
	{
		name: "pages-circle", group: aboutPages,
		bank:   "The second page comes again and again, with the same continuation_key. What lies behind it cannot be reached.",
		client: "Stops at a key that it has seen.",
		turn: func(_ view, q aggregator.TransactionQuery, next turner) (aggregator.TransactionPage, error) {
			page, err := next(q)
			if q.Cursor != "" {
				page.Next = q.Cursor
			}
			return page, err
		},
	},
	{
		name: "pages-empty", group: aboutPages,
		bank:   "While the bank prepares, pages are empty and have a continuation_key: two at the beginning, and one behind each page.",
		client: "Goes on until continuation_key is null, whatever a page holds.",
		turn:   prepare,
	},

	{
		name: "dates-pending-none", group: aboutDates,
		bank:   "Pending rows have no date at all.",
		client: "Shows them without one; today's date would change at each fetch.",
		lines:  each(pending(func(_ view, l *line) { l.BookingDate, l.ValueDate, l.TransactionDate = nil, nil, nil })),
	},
	{
		name: "dates-transaction-only", group: aboutDates,
		bank:   "Booked rows have a transaction_date and no other.",
		client: "Sorts by whatever date there is.",
		lines: each(func(_ view, l *line) {
			l.BookingDate, l.ValueDate = nil, nil
		}),
	},
	{
		name: "dates-ignored", group: aboutDates,
		bank:   "date_from and date_to are ignored: the whole history comes each time.",
		client: "Filters again what it gets.",
		query: func(_ view, q *aggregator.TransactionQuery) error {
			q.DateFrom, q.DateTo, q.Strategy = "", "", openbanking.TransactionsFetchStrategyLongest
			return nil
		},
	},
	{
		name: "status-refused", group: aboutDates,
		bank:   "transaction_status=PDNG is refused with ASPSP_ERROR.",
		client: "Asks again without the filter.",
		query: func(_ view, q *aggregator.TransactionQuery) error {
			if q.Status == openbanking.TransactionStatusPDNG {
				return bankAnswer("Filter bookingStatus=pending is not supported", nil)
			}
			return nil
		},
	},
	{
		name: "statuses-all", group: aboutDates,
		bank:   "Besides booked and pending rows there is one of each other status: HOLD, SCHD, OTHR, CNCL and RJCT. transaction_status finds each of them.",
		client: "Counts booked rows alone as money that moved, and shows no cancelled or rejected row as a payment.",
		lines:  otherStatuses,
	},
	{
		name: "period-90-days", group: aboutDates,
		bank:   "The last 90 days are served. An older date_from is WRONG_TRANSACTIONS_PERIOD, whose detail names the first day.",
		client: "Asks again from that day.",
		query:  wall,
	},
	{
		name: "period-one-hour", group: aboutDates,
		bank:   "The whole history is served within an hour after the visit to the bank began, then the last 90 days.",
		client: "Fetches the history at once, and keeps it.",
		query: func(v view, q *aggregator.TransactionQuery) error {
			if v.now.Before(v.flow.Created.Add(time.Hour)) {
				return nil
			}
			return wall(v, q)
		},
	},
	{
		name: "period-unnamed", group: aboutDates,
		bank:   "More than 90 days in one call are WRONG_TRANSACTIONS_PERIOD, without a word on what would be allowed; strategy=longest too.",
		client: "Tries shorter periods one after another.",
		query: func(v view, q *aggregator.TransactionQuery) error {
			if v.days(*q) > 90 {
				return &openbanking.Error{Code: openbanking.WrongTransactionsPeriod, Detail: document(map[string]string{"message": "Requested time period out of bound."})}
			}
			return nil
		},
	},
	{
		name: "period-breaks", group: aboutDates,
		bank:   "More than 90 days in one call are an ASPSP_ERROR that looks like any other.",
		client: "Tries a shorter period before it gives up.",
		query: func(v view, q *aggregator.TransactionQuery) error {
			if v.days(*q) > 90 {
				return bankAnswer("Internal server error", nil)
			}
			return nil
		},
	},

	{
		name: "amounts-signed", group: aboutAmounts,
		bank:   "Amounts of debits carry a minus.",
		client: "Takes the sign from credit_debit_indicator alone.",
		lines: each(func(_ view, l *line) {
			if l.CreditDebitIndicator == openbanking.CreditDebitIndicatorDBIT {
				l.TransactionAmount.Amount = "-" + l.TransactionAmount.Amount
			}
		}),
	},
	{
		name: "amounts-short", group: aboutAmounts,
		bank:   "Amounts have no zeros at their end: 23 and 23.5.",
		client: "Reads any number of decimals that the currency allows.",
		lines: each(func(_ view, l *line) {
			l.TransactionAmount.Amount = strings.TrimSuffix(strings.TrimRight(l.TransactionAmount.Amount, "0"), ".")
		}),
		balances: func(_ view, list []openbanking.BalanceResource) ([]openbanking.BalanceResource, error) {
			for i := range list {
				list[i].BalanceAmount.Amount = strings.TrimSuffix(strings.TrimRight(list[i].BalanceAmount.Amount, "0"), ".")
			}
			return list, nil
		},
	},
	{
		name: "amounts-change", group: aboutAmounts,
		bank:   "A pending card payment reserves more than is booked in the end, as at a petrol pump.",
		client: "Replaces all pending rows at each fetch.",
		lines: each(pending(func(v view, l *line) {
			if l.entry.amount < 0 {
				l.TransactionAmount = v.account.amount((-l.entry.amount*115/100/100 + 1) * 100)
			}
		})),
	},

	{
		name: "rates-spot", group: aboutAmounts,
		bank:   "Card payments abroad are converted at the rate of the moment: rate_type SPOT, with a contract_identification.",
		client: "Shows the original amount and the rate beside the booked amount.",
		lines: each(func(v view, l *line) {
			if l.ExchangeRate != nil {
				s := v.account.rowSeed(l.index)
				l.ExchangeRate.RateType, l.ExchangeRate.ContractIdentification = ptr(openbanking.RateTypeSPOT), ptr("FX"+s.digits(8))
			}
		}),
	},

	{
		name: "merchant-in-address", group: aboutTexts,
		bank:   "The creditor has no name: the merchant stands in postal_address.address_line.",
		client: "Looks there when there is no name.",
		lines: each(func(_ view, l *line) {
			if p := counterparty(l); p != nil && p.Name != nil {
				*counterpartyOf(l) = &openbanking.PartyIdentification{PostalAddress: &openbanking.PostalAddress{AddressLine: []string{*p.Name, "GALWAY IE"}}}
			}
		}),
	},
	{
		name: "own-side", group: aboutTexts,
		bank:   "The holder stands where the counterparty belongs, with the last four digits of the account.",
		client: "Never takes the holder for the payee.",
		lines: each(func(v view, l *line) {
			number := v.account.number()
			*counterpartyOf(l) = &openbanking.PartyIdentification{Name: ptr(v.account.holderNames())}
			account := &openbanking.AccountIdentification{Other: &openbanking.GenericIdentification{Identification: number[len(number)-4:],
				SchemeName: openbanking.SchemeNameCPAN}}
			if l.CreditDebitIndicator == openbanking.CreditDebitIndicatorDBIT {
				l.CreditorAccount = account
			} else {
				l.DebtorAccount = account
			}
		}),
	},
	{
		name: "creditor-empty", group: aboutTexts,
		bank:   "creditor is {\"name\": \"\"}, debtor is null.",
		client: "Does not show an empty name.",
		lines: each(func(_ view, l *line) {
			l.Creditor, l.Debtor = &openbanking.PartyIdentification{Name: ptr("")}, nil
			l.CreditorAccount, l.DebtorAccount = nil, nil
		}),
	},
	{
		name: "remittance-null", group: aboutTexts,
		bank:   "remittance_information is null.",
		client: "Finds another name for the row.",
		lines:  each(func(_ view, l *line) { l.RemittanceInformation = nil }),
	},
	{
		name: "remittance-empty", group: aboutTexts,
		bank:   "remittance_information is an empty list.",
		client: "Finds another name for the row.",
		lines:  each(func(_ view, l *line) { l.RemittanceInformation = []string{} }),
	},
	{
		name: "remittance-lines", group: aboutTexts,
		bank:   "remittance_information has several elements, some of them of several lines, some empty.",
		client: "Makes one readable text of them.",
		lines: each(func(_ view, l *line) {
			first := strings.Join(l.RemittanceInformation, " ")
			l.RemittanceInformation = []string{first + "\r\nGALWAY\tIRELAND", "", "  Card   ending 0042 "}
		}),
	},
	{
		name: "remittance-labels", group: aboutTexts,
		bank:   "remittance_information carries the bank's labels: \"Omschrijving:\", \"Kenmerk:\".",
		client: "Shows the text without them.",
		lines: each(func(v view, l *line) {
			s := v.account.rowSeed(l.index)
			l.RemittanceInformation = []string{"Omschrijving: " + strings.Join(l.RemittanceInformation, " "), "Kenmerk: " + s.digits(16)}
		}),
	},
	{
		name: "remittance-enriched", group: aboutTexts,
		bank:   "Three days after the booking the bank adds to remittance_information.",
		client: "Takes the new text, and does not take the row for a new one.",
		lines: each(func(v view, l *line) {
			if l.Status == openbanking.TransactionStatusBOOK && l.entry.booked <= v.today()-3 {
				s := v.account.rowSeed(l.index)
				l.RemittanceInformation = append(slices.Clone(l.RemittanceInformation), "Terminal "+s.digits(6))
			}
		}),
	},
	{
		name: "notes", group: aboutTexts,
		bank:   "Customers write notes in the bank's app: every third row has one in note.",
		client: "Shows the note, and does not take it for the text of the payer.",
		lines: each(func(_ view, l *line) {
			if l.index%3 == 0 {
				l.Note = ptr("Shared with Maeve")
			}
		}),
	},
	{
		name: "parties-complete", group: aboutTexts,
		bank:   "Every counterparty comes with all that the data model knows of a party: each kind of address and each scheme of identification in turn, contact details, and its bank with a number of the clearing system.",
		client: "Shows name and address, and stumbles over nothing else.",
		lines:  each(complete),
	},

	{
		name: "balances-fail", group: aboutBalances,
		bank:   "Balances are an ASPSP_ERROR. Transactions work.",
		client: "Keeps the results of each kind of data apart.",
		balances: func(view, []openbanking.BalanceResource) ([]openbanking.BalanceResource, error) {
			return nil, bankAnswer("Balances are not available for this account", nil)
		},
	},
	{
		name: "balances-expected", group: aboutBalances,
		bank:     "The only balance is XPCD.",
		client:   "Shows it, and says what it is.",
		balances: only(openbanking.BalanceStatusXPCD),
	},
	{
		name: "balances-other", group: aboutBalances,
		bank:     "The only balance is OTHR.",
		client:   "Shows it, and says that the bank does not say what it is.",
		balances: only(openbanking.BalanceStatusOTHR),
	},
	{
		name: "balances-none", group: aboutBalances,
		bank:     "The list of balances is empty.",
		client:   "Shows that there is none: not zero.",
		balances: only(),
	},
	{
		name: "currency-unknown", group: aboutBalances,
		bank:    "The currency of the account is XXX, while balances and transactions have a real one.",
		client:  "Takes the currency from them.",
		details: func(_ view, a *aggregator.BankAccount) { a.Account.Currency = "XXX" },
	},
	{
		name: "pockets", group: aboutBalances,
		bank:   "Five accounts in five currencies; four of them share one IBAN, which each of them lists twice.",
		client: "Tells accounts apart by identification_hash, not by IBAN.",
		details: func(_ view, a *aggregator.BankAccount) {
			for _, id := range a.Account.AllAccountIDs {
				if id.SchemeName == openbanking.SchemeNameIBAN {
					a.Account.AllAccountIDs = append(slices.Clone(a.Account.AllAccountIDs), id)
					return
				}
			}
		},
	},
	{
		name: "account-not-accessible", group: aboutBalances,
		bank:   "The account is listed, and every call for it is ASPSP_ACCOUNT_NOT_ACCESSIBLE.",
		client: "Says so at this account, and goes on with the others.",
		gate: func(context.Context, view) error {
			return &openbanking.Error{Code: openbanking.ASPSPAccountNotAccessible, Detail: bankDetail("AccountNotAccessibleException", "Account not found", nil)}
		},
	},

	{
		name: "four-a-day", group: aboutLimits,
		bank:   "Four calls for each account and kind of data without PSU headers; one comes back every six hours. Later pages and calls with all PSU headers are free. Else ASPSP_RATE_LIMIT_EXCEEDED.",
		client: "Spreads its calls over the day, and waits when it is told to.",
		gate:   limit(4, 6*time.Hour),
	},
	{
		name: "one-an-hour", group: aboutLimits,
		bank:   "The same, but one call an hour.",
		client: "The same.",
		gate:   limit(1, time.Hour),
	},
	{
		name: "slow", group: aboutLimits,
		bank:   "Every answer takes two seconds.",
		client: "Waits, and shows that it does.",
		gate:   func(ctx context.Context, _ view) error { return dawdle(ctx) },
	},
	{
		name: "timeout", group: aboutLimits,
		bank:   "The bank does not answer: ASPSP_TIMEOUT after two seconds.",
		client: "Tries again later, less and less often.",
		gate: func(ctx context.Context, _ view) error {
			if err := dawdle(ctx); err != nil {
				return err
			}
			return &openbanking.Error{Code: openbanking.ASPSPTimeout}
		},
	},
	{
		name: "down", group: aboutLimits,
		bank:   "The bank is down: every call for data is ASPSP_ERROR, \"Service unavailable\".",
		client: "Keeps what it has, and tries again after a minute, then after hours.",
		gate:   func(context.Context, view) error { return unavailable() },
	},
	{
		name: "down-half-the-hour", group: aboutLimits,
		bank:   "The same in the first thirty minutes of each hour. Then all is well.",
		client: "Recovers by itself.",
		gate: func(_ context.Context, v view) error {
			if v.now.Minute() < 30 {
				return unavailable()
			}
			return nil
		},
	},
	{
		name: "action-required", group: aboutLimits,
		bank:   "Calls without PSU headers are ASPSP_PSU_ACTION_REQUIRED. With all of them they work.",
		client: "Tells the person, who comes back and refreshes.",
		gate: func(_ context.Context, v view) error {
			if v.attended {
				return nil
			}
			return &openbanking.Error{Code: openbanking.ASPSPPSUActionRequired, Detail: document("Accept the new terms at the bank")}
		},
	},

	{
		name: "error-null", group: aboutErrors,
		bank:   "Calls for data are an ASPSP_ERROR whose detail is null.",
		client: "Does without.",
		gate:   func(context.Context, view) error { return openbanking.ASPSPError },
	},
	{
		name: "error-text", group: aboutErrors,
		bank:   "Calls for data are an ASPSP_ERROR whose detail is a text.",
		client: "Keeps detail as it came.",
		gate: func(context.Context, view) error {
			return &openbanking.Error{Code: openbanking.ASPSPError, Detail: document("Unknown error")}
		},
	},
	{
		name: "error-nested", group: aboutErrors,
		bank:   "The bank's own 401 comes as an ASPSP_ERROR with status 400, with its answer in error_data.",
		client: "Does not take it for the end of the session.",
		gate: func(context.Context, view) error {
			return bankAnswer("Unauthorized", map[string]any{
				"status": 401, "tppMessages": []map[string]any{{"category": "ERROR", "code": "CONSENT_UNKNOWN", "text": nil}},
			})
		},
	},
	{
		name: "error-foreign", group: aboutErrors,
		bank:   "The bank's own answer comes through with status 400: code is a text, message and error are missing.",
		client: "Reads what it can, and fails on none of it.",
		gate: func(context.Context, view) error {
			return &openbanking.Error{Status: 400, Body: document(map[string]any{
				"title": "Invalid request", "code": "ERR-4711", "detail": []any{"see", map[string]any{"help": "https://bank.example/errors/4711"}}, "retryable": false,
			})}
		},
	},

	{
		name: "consent-shortened", group: aboutConsents,
		bank:     "Whatever is asked for, the consent ends ten minutes after the visit to the bank began.",
		client:   "Learns of the end from EXPIRED_SESSION, and offers to link again.",
		validity: 10 * time.Minute,
	},
	{
		name: "one-consent", group: aboutConsents,
		bank:       "A new consent ends the older ones of the same user: their sessions are EXPIRED.",
		client:     "Uses the newer session, and does not take the end of the older one for a failure.",
		oneConsent: true,
	},
}

// each returns a change that applies change to every row.
func each(change func(view, *line)) func(view, []line) []line {
	return func(v view, list []line) []line {
		for i := range list {
			change(v, &list[i])
		}
		return list
	}
}

// pending returns a change that applies only to pending rows.
func pending(change func(view, *line)) func(view, *line) {
	return func(v view, l *line) {
		if l.Status == openbanking.TransactionStatusPDNG {
			change(v, l)
		}
	}
}

// otherStatuses adds a row with each status other than booked and pending. They are dated today and copy the newest booked rows.
func otherStatuses(v view, list []line) []line {
	if v.today() < v.from || v.today() > v.to {
		return list
	}
	ledger := v.account.bank.sandbox.ledgers.view(v.account, v.asOf)
	first, end := ledger.booked(0, v.today())
	var more []line
	for n, status := range []openbanking.TransactionStatus{
		openbanking.TransactionStatusSCHD, openbanking.TransactionStatusHOLD, openbanking.TransactionStatusOTHR, openbanking.TransactionStatusCNCL,
		openbanking.TransactionStatusRJCT,
	} {
		i := end - 1 - n
		if i < first {
			break
		}
		index := int(ledger.order[i])
		l := line{ledger.at(i), ledger.number(index), ledger.entry(index)}
		s := v.account.rowSeed(l.index)
		l.Status, l.EntryReference, l.TransactionID = status, ptr(string(status)+s.letters(12)), nil
		l.TransactionDate, l.BookingDate, l.ValueDate, l.BalanceAfterTransaction = ptr(v.today().date()), nil, nil, nil
		if status == openbanking.TransactionStatusSCHD {
			l.ValueDate = ptr((v.today() + 3).booking().date())
		}
		more = append(more, l)
	}
	return append(more, list...)
}

// Schemes by what they identify (ISO 20022 external codes).
var (
	ofAccounts = []openbanking.SchemeName{openbanking.SchemeNameIBAN, openbanking.SchemeNameBBAN, openbanking.SchemeNameMIBN,
		openbanking.SchemeNameCPAN, openbanking.SchemeNameBANK, openbanking.SchemeNameBGNR, openbanking.SchemeNamePGNR}
	ofOrganisations = []openbanking.SchemeName{openbanking.SchemeNameCHID, openbanking.SchemeNameCOID, openbanking.SchemeNameCUSI,
		openbanking.SchemeNameDUNS, openbanking.SchemeNameGS1G, openbanking.SchemeNameOAUT, openbanking.SchemeNameOTHC, openbanking.SchemeNameSREN,
		openbanking.SchemeNameSRET}
	ofPersons = []openbanking.SchemeName{openbanking.SchemeNameARNU, openbanking.SchemeNameCCPT, openbanking.SchemeNameCUST,
		openbanking.SchemeNameDRLC, openbanking.SchemeNameEMPL, openbanking.SchemeNameNIDN, openbanking.SchemeNameOTHI, openbanking.SchemeNameSOSE,
		openbanking.SchemeNameTXID}
)

// identified makes up an identification of a scheme.
func identified(scheme openbanking.SchemeName, s *seed) openbanking.GenericIdentification {
	id := openbanking.GenericIdentification{Identification: s.digits(10), SchemeName: scheme, Issuer: ptr("IE")}
	switch scheme {
	case openbanking.SchemeNameIBAN, openbanking.SchemeNameMIBN:
		number, err := iban.Compute("IE", "SCNP990220"+s.digits(8))
		if err != nil {
			panic(err) // a bank code of the catalogue and eight digits
		}
		if id.Identification = number.String(); scheme == openbanking.SchemeNameMIBN {
			id.Identification = id.Identification[:4] + strings.Repeat("*", 14) + number.Last4()
		}
	case openbanking.SchemeNameCPAN:
		first := "400000" + s.digits(9)
		id.Identification = first + luhn(first)
	case openbanking.SchemeNameBGNR, openbanking.SchemeNamePGNR:
		first := "5" + s.digits(5)
		id.Identification = first + luhn(first)
	}
	return id
}

// complete fills in every field of a row's counterparty and of its bank.
func complete(v view, l *line) {
	p := counterparty(l)
	if p == nil {
		return
	}
	s, n := v.account.rowSeed(l.index), l.index
	kinds := openbanking.AddressType("").Values()
	*counterpartyOf(l) = &openbanking.PartyIdentification{
		Name: p.Name,
		PostalAddress: &openbanking.PostalAddress{
			AddressType: ptr(kinds[n%len(kinds)]), Department: ptr("Accounts"), SubDepartment: ptr("Receivables"), StreetName: ptr("Dock Road"),
			BuildingNumber: ptr("12"),
			PostCode:       ptr("H91 A2X4"), TownName: ptr("Galway"), CountrySubDivision: ptr("Connacht"), Country: ptr("IE"),
			AddressLine: []string{"Dock Road 12", "H91 A2X4 Galway"},
		},
		OrganisationID: ptr(identified(ofOrganisations[n%len(ofOrganisations)], &s)),
		PrivateID:      ptr(identified(ofPersons[n%len(ofPersons)], &s)),
		ContactDetails: &openbanking.ContactDetails{EmailAddress: ptr("accounts@payee.example"), PhoneNumber: ptr("+353915550" + s.digits(3))},
	}
	agent := &openbanking.FinancialInstitutionIdentification{
		BICFI: ptr("SCNPIE2DXXX"), Name: ptr("Payee's bank"),
		ClearingSystemMemberID: &openbanking.ClearingSystemMemberIdentification{ClearingSystemID: ptr("IENCC"), MemberID: ptr("990220")},
	}
	more := []openbanking.GenericIdentification{identified(ofAccounts[n%len(ofAccounts)], &s)}
	if l.CreditDebitIndicator == openbanking.CreditDebitIndicatorDBIT {
		l.CreditorAgent, l.CreditorAccountAdditionalIdentification = agent, more
	} else {
		l.DebtorAgent, l.DebtorAccountAdditionalIdentification = agent, more
	}
}

// only returns a change that keeps only the balances of these types.
func only(types ...openbanking.BalanceStatus) func(view, []openbanking.BalanceResource) ([]openbanking.BalanceResource, error) {
	return func(_ view, list []openbanking.BalanceResource) ([]openbanking.BalanceResource, error) {
		return slices.DeleteFunc(list, func(b openbanking.BalanceResource) bool { return !slices.Contains(types, b.BalanceType) }), nil
	}
}

// prepare inserts empty pages between the pages. Their cursors begin with a tilde, unlike all others.
func prepare(_ view, q aggregator.TransactionQuery, next turner) (aggregator.TransactionPage, error) {
	empty := aggregator.TransactionPage{Transactions: []openbanking.Transaction{}}
	switch {
	case q.Cursor == "":
		empty.Next = "~1"
		return empty, nil
	case q.Cursor == "~1":
		empty.Next = "~2"
		return empty, nil
	case q.Cursor == "~2":
		q.Cursor = ""
	case strings.HasPrefix(q.Cursor, "~3"):
		empty.Next = q.Cursor[2:]
		return empty, nil
	}
	page, err := next(q)
	if page.Next != "" {
		page.Next = "~3" + page.Next
	}
	return page, err
}

// wall serves the last 90 days (api-notes 7).
func wall(v view, q *aggregator.TransactionQuery) error {
	earliest := (v.today() - 90).date()
	switch {
	case q.DateFrom >= earliest:
	case q.DateFrom != "":
		return &openbanking.Error{Code: openbanking.WrongTransactionsPeriod, Detail: document(map[string]string{
			"message": "Maximum days in the past allowed for transaction list is 90", "date_from": string(earliest),
		})}
	case q.Strategy == openbanking.TransactionsFetchStrategyLongest:
		q.DateFrom = earliest
	}
	return nil
}

// days returns the number of days that a query asks for, the first and the last included.
func (v view) days(q aggregator.TransactionQuery) int {
	from, to, err := period(q, v.today())
	if err != nil {
		return 0 // the query is refused later
	}
	if q.DateFrom == "" && q.Strategy != openbanking.TransactionsFetchStrategyLongest {
		return 0 // the bank's own default
	}
	return int(to-from) + 1
}

// counterpartyOf returns the field that holds the counterparty of a row.
func counterpartyOf(l *line) **openbanking.PartyIdentification {
	if l.CreditDebitIndicator == openbanking.CreditDebitIndicatorDBIT {
		return &l.Creditor
	}
	return &l.Debtor
}

func counterparty(l *line) *openbanking.PartyIdentification { return *counterpartyOf(l) }

// limit allows a number of unattended calls for each account and kind of data; one more is allowed after each period every (api-notes 6).
func limit(capacity int, every time.Duration) func(context.Context, view) error {
	return func(ctx context.Context, v view) error {
		if v.attended || v.later || v.kind == aggregator.FetchTransaction {
			return nil
		}
		b := v.account.bank
		bucket := aggregator.FetchBucket{ASPSP: openbanking.ASPSP{Name: b.data.Name, Country: b.data.Country}, Reference: v.account.reference, Kind: v.kind}
		ok, err := b.sandbox.flows.TakeFetch(ctx, bucket, v.now, capacity, every)
		if err == nil && !ok {
			err = &openbanking.Error{Code: openbanking.ASPSPRateLimitExceeded,
				Detail: bankDetail("RateLimitException", openbanking.ASPSPRateLimitExceeded.Message(), nil)}
		}
		return err
	}
}

// dawdle waits for two seconds, or until ctx ends.
func dawdle(ctx context.Context) error {
	timer := time.NewTimer(2 * time.Second)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

func unavailable() error { return bankAnswer("Service unavailable", nil) }

// bankAnswer returns an ASPSP_ERROR with the detail of an error of the bank.
func bankAnswer(message string, data map[string]any) error {
	return &openbanking.Error{Code: openbanking.ASPSPError, Detail: bankDetail("HttpException", message, data)}
}

// bankDetail returns the detail of an error of a bank (api-notes 1).
func bankDetail(name, message string, data map[string]any) json.RawMessage {
	if data == nil {
		data = map[string]any{}
	}
	return document(map[string]any{"message": message, "error_name": name, "error_data": data})
}

// document returns the JSON of plain texts, numbers, maps and lists, which cannot fail.
func document(v any) json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}
