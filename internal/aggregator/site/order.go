package site

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"florin/internal/aggregator"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/web/templates/hosted"
	"florin/web/templates/words"
)

// OrderOf is how pages show a payment: everything that it says, and nothing else. checks are those of the payees, in the
// order of the transfers, or none. from says whether to show which account it goes from; else the page has it elsewhere.
func OrderOf(l *words.Language, kind openbanking.PaymentType, payment openbanking.PaymentRequestResource, checks []aggregator.PayeeCheck,
	from bool) *hosted.Order {
	order := &hosted.Order{Kind: l.Say(paymentKinds[kind])}
	var amounts []openbanking.AmountType
	for i, transaction := range payment.CreditTransferTransaction {
		amounts = append(amounts, transaction.InstructedAmount)
		transfer := hosted.Transfer{
			Sum:     sumOf(l, transaction.InstructedAmount),
			Account: accountNumber(l, transaction.Beneficiary.CreditorAccount),
			Details: transferDetails(l, kind, transaction),
		}
		if creditor := transaction.Beneficiary.Creditor; creditor != nil {
			transfer.Payee = text(creditor.Name)
		}
		if i < len(checks) {
			transfer.Check = payeeCheck(checks[i])
		}
		order.Transfers = append(order.Transfers, transfer)
	}
	order.Totals = totals(l, amounts)
	var details detailList
	if from {
		details.add(l.Say("From"), debtorLines(l, payment)...)
	} else {
		details.add(l.Say("Payer"), partyLines(l, payment.Debtor)...)
	}
	switch len(order.Transfers) {
	case 0:
	case 1:
		details = append(details, order.Transfers[0].Details...)
		order.Transfers[0].Details = nil
	default:
		order.Count = l.Say("%d payments", len(order.Transfers))
		details = append(details, shareDetails(order.Transfers)...)
	}
	details = append(details, paymentDetails(l, payment)...)
	if reference := text(payment.PaymentInformationID); !hasDetail(details, hosted.Detail{Label: l.Say("End-to-end reference"), Lines: []string{reference}}) {
		details.add(l.Say("Order reference"), reference) // many applications give a payment and its only transfer one reference
	}
	order.Details = details
	return order
}

// shareDetails takes the details that all transfers have alike away from them, and returns them.
func shareDetails(transfers []hosted.Transfer) []hosted.Detail {
	var shared []hosted.Detail
	for _, d := range transfers[0].Details {
		if !slices.ContainsFunc(transfers, func(t hosted.Transfer) bool { return !hasDetail(t.Details, d) }) {
			shared = append(shared, d)
		}
	}
	for i, t := range transfers {
		transfers[i].Details = slices.DeleteFunc(t.Details, func(d hosted.Detail) bool { return hasDetail(shared, d) })
	}
	return shared
}

// detailList collects details, without those that say nothing.
type detailList []hosted.Detail

func (d *detailList) add(label string, lines ...string) {
	var said []string
	for _, line := range lines {
		if strings.TrimSpace(line) != "" {
			said = append(said, line)
		}
	}
	if len(said) > 0 {
		*d = append(*d, hosted.Detail{Label: label, Lines: said})
	}
}

// hasDetail reports whether there is a detail with that label and those lines.
func hasDetail(details []hosted.Detail, detail hosted.Detail) bool {
	return slices.ContainsFunc(details, func(other hosted.Detail) bool {
		return other.Label == detail.Label && slices.Equal(other.Lines, detail.Lines)
	})
}

// debtorLines say which account a payment goes from, and whose it is.
func debtorLines(l *words.Language, payment openbanking.PaymentRequestResource) []string {
	if payment.DebtorAccount == nil {
		return append([]string{l.Say("You choose the account at your bank.")}, partyLines(l, payment.Debtor)...)
	}
	return append([]string{labelled(l, *payment.DebtorAccount)}, partyLines(l, payment.Debtor)...)
}

// transferDetails are the details of one transfer, apart from its amount, the name of the payee and the account.
func transferDetails(l *words.Language, kind openbanking.PaymentType, t openbanking.CreditTransferTransaction) []hosted.Detail {
	var d detailList
	if t.Frequency != nil {
		d.add(l.Say("Standing order"), standingOrder(l, t)...)
	} else {
		d.add(l.Say("When"), executionText(l, kind, t.RequestedExecutionDate))
	}
	d.add(l.Say("Reference number"), text(t.ReferenceNumber))
	d.add(l.Say("Message to the payee"), t.RemittanceInformation...)
	if creditor := t.Beneficiary.Creditor; creditor != nil {
		rest := *creditor
		rest.Name = nil
		d.add(l.Say("More about the payee"), partyLines(l, &rest)...)
	}
	d.add(l.Say("Payee’s bank"), institutionLines(t.Beneficiary.CreditorAgent)...)
	d.add(l.Say("Currency of the payee’s account"), text(t.Beneficiary.CreditorCurrency))
	d.add(l.Say("Paid on behalf of"), partyLines(l, t.UltimateDebtor)...)
	d.add(l.Say("Final payee"), partyLines(l, t.UltimateCreditor)...)
	for _, report := range t.RegulatoryReporting {
		var lines []string
		if report.Authority != nil {
			lines = append(lines, joined(", ", report.Authority.Name, CountryName(l, report.Authority.Country)))
		}
		if report.Details.Amount != nil {
			sum := sumOf(l, *report.Details.Amount)
			lines = append(lines, sum.Amount+" "+sum.Currency)
		}
		d.add(l.Say("Report to an authority"), append(lines, joined(" · ", text(report.Details.Code), report.Details.Information))...)
	}
	if t.PaymentID != nil {
		d.add(l.Say("End-to-end reference"), text(t.PaymentID.EndToEndID))
		if instruction := text(t.PaymentID.InstructionID); instruction != text(t.PaymentID.EndToEndID) {
			d.add(l.Say("Instruction reference"), instruction)
		}
	}
	return d
}

// paymentDetails are the details that all transfers of a payment share, apart from its reference.
func paymentDetails(l *words.Language, payment openbanking.PaymentRequestResource) []hosted.Detail {
	var d detailList
	if payment.ChargeBearer != nil {
		d.add(l.Say("Charges"), l.Say(chargeBearers[*payment.ChargeBearer]))
	}
	d.add(l.Say("Currency of your account"), text(payment.DebtorCurrency))
	d.add(l.Say("Your bank"), institutionLines(payment.DebtorAgent)...)
	if payment.Purpose != nil {
		d.add(l.Say("Purpose"), string(*payment.Purpose))
	}
	if information := payment.PaymentTypeInformation; information != nil {
		if information.InstructionPriority != nil {
			d.add(l.Say("Priority"), l.Say(priorities[*information.InstructionPriority]))
		}
		if information.ServiceLevel != nil {
			d.add(l.Say("Service level"), string(*information.ServiceLevel))
		}
		if information.CategoryPurpose != nil {
			d.add(l.Say("Category"), string(*information.CategoryPurpose))
		}
		d.add(l.Say("Local procedure"), text(information.LocalInstrument))
	}
	return d
}

// executionText says when a payment is carried out.
func executionText(l *words.Language, kind openbanking.PaymentType, date *openbanking.Date) string {
	switch {
	case date != nil:
		return dateText(l, *date)
	case kind == openbanking.PaymentTypeInstSEPA:
		return l.Say("At once: an instant payment arrives within seconds, or is rejected.")
	}
	return l.Say("As soon as possible")
}

// standingOrder says in a sentence when a standing order is carried out, and in another what happens on holidays.
func standingOrder(l *words.Language, t openbanking.CreditTransferTransaction) []string {
	rhythm := l.Say(frequencies[*t.Frequency])
	var sentence string
	switch {
	case t.RequestedExecutionDate != nil && t.EndDate != nil:
		sentence = l.Say("%s, for the first time on %s and for the last time on %s at the latest.", rhythm, dateText(l, *t.RequestedExecutionDate),
			dateText(l, *t.EndDate))
	case t.RequestedExecutionDate != nil:
		sentence = l.Say("%s, for the first time on %s, until you stop it.", rhythm, dateText(l, *t.RequestedExecutionDate))
	case t.EndDate != nil:
		sentence = l.Say("%s from now on, for the last time on %s at the latest.", rhythm, dateText(l, *t.EndDate))
	default:
		sentence = l.Say("%s from now on, until you stop it.", rhythm)
	}
	lines := []string{sentence}
	if t.ExecutionRule != nil {
		lines = append(lines, l.Say(executionRules[*t.ExecutionRule]))
	}
	return lines
}

// dateText writes a date in words; one that is none stays as it is.
func dateText(l *words.Language, date openbanking.Date) string {
	day, err := time.Parse(time.DateOnly, string(date))
	if err != nil {
		return string(date)
	}
	return l.Date(day)
}

// sumOf writes an amount with all digits that its currency has.
func sumOf(l *words.Language, amount openbanking.AmountType) hosted.Sum {
	parsed, err := money.Parse(amount.Amount, amount.Currency)
	if err != nil {
		return hosted.Sum{Amount: amount.Amount, Currency: amount.Currency}
	}
	return hosted.Sum{Amount: l.Decimal(parsed.String()), Currency: amount.Currency}
}

// totals are the sums of amounts, one for each currency. Amounts that cannot be added up are shown one by one.
func totals(l *words.Language, amounts []openbanking.AmountType) []hosted.Sum {
	var each []hosted.Sum
	var parsed []money.Amount
	for _, amount := range amounts {
		each = append(each, sumOf(l, amount))
		if a, err := money.Parse(amount.Amount, amount.Currency); err == nil {
			parsed = append(parsed, a)
		}
	}
	added, err := money.Sum(parsed...)
	if err != nil || len(parsed) < len(amounts) {
		return each
	}
	var sums []hosted.Sum
	for _, sum := range added {
		sums = append(sums, hosted.Sum{Amount: l.Decimal(sum.String()), Currency: sum.Currency()})
	}
	return sums
}

func accountNumber(l *words.Language, account openbanking.GenericIdentification) hosted.Account {
	number := account.Identification
	if account.SchemeName == openbanking.SchemeNameIBAN {
		number = Readable(number)
	}
	return hosted.Account{Label: schemeText(l, account.SchemeName), Number: joined(" · ", number, text(account.Issuer))}
}

func labelled(l *words.Language, id openbanking.GenericIdentification) string {
	number := accountNumber(l, id)
	return number.Label + " " + number.Number
}

// schemeText is the name of a scheme for people, or else its code.
func schemeText(l *words.Language, scheme openbanking.SchemeName) string {
	if name, ok := schemes[scheme]; ok {
		return l.Say(name)
	}
	return string(scheme)
}

// partyLines are a person or an organisation, with all that is said of them.
func partyLines(l *words.Language, party *openbanking.PartyIdentification) []string {
	if party == nil {
		return nil
	}
	lines := []string{text(party.Name)}
	if a := party.PostalAddress; a != nil {
		lines = append(lines, text(a.Department), text(a.SubDepartment), joined(" ", text(a.StreetName), text(a.BuildingNumber)))
		lines = append(lines, a.AddressLine...)
		lines = append(lines, joined(" ", text(a.PostCode), text(a.TownName)), text(a.CountrySubDivision))
		if a.Country != nil {
			lines = append(lines, CountryName(l, *a.Country))
		}
	}
	for _, id := range []*openbanking.GenericIdentification{party.OrganisationID, party.PrivateID} {
		if id != nil {
			lines = append(lines, labelled(l, *id))
		}
	}
	if c := party.ContactDetails; c != nil {
		lines = append(lines, text(c.EmailAddress), text(c.PhoneNumber))
	}
	return lines
}

func institutionLines(bank *openbanking.FinancialInstitutionIdentification) []string {
	if bank == nil {
		return nil
	}
	lines := []string{text(bank.Name), text(bank.BICFI)}
	if member := bank.ClearingSystemMemberID; member != nil {
		lines = append(lines, joined(" ", text(member.ClearingSystemID), text(member.MemberID)))
	}
	return lines
}

func payeeCheck(check aggregator.PayeeCheck) *hosted.PayeeCheck {
	return &hosted.PayeeCheck{
		Tone:  payeeTones[check.Outcome],
		Title: payeeTitles[check.Outcome],
		Text:  payeeTexts[check.Outcome],
		Name:  check.Name,
	}
}

// Mismatched reports whether the name of a payee does not fit its account.
func Mismatched(checks []aggregator.PayeeCheck) bool {
	for _, check := range checks {
		if check.Outcome == aggregator.PayeeNoMatch {
			return true
		}
	}
	return false
}

// DebtorAccounts are the accounts that a payment can go from. One is chosen from the start when the bank says so, or when
// there is no other.
func DebtorAccounts(l *words.Language, choices []aggregator.AccountChoice, failed Attempt) []hosted.ApprovalAccount {
	accounts := AccountsOf(l, choices, failed)
	open := 0
	for _, c := range choices {
		if !c.Blocked {
			open++
		}
	}
	for i, c := range choices {
		accounts[i].Checked = !c.Blocked && (len(failed.Accounts) == 0 && (c.PreSelected || open == 1) ||
			len(failed.Accounts) > 0 && failed.Accounts[0] == c.Reference)
		accounts[i].ID = "debtor-" + strconv.Itoa(i+1)
		if c.Available != nil {
			available := sumOf(l, *c.Available)
			accounts[i].Available = &available
		}
	}
	return accounts
}

// text is what an optional field holds.
func text[S ~string](s *S) string {
	if s == nil {
		return ""
	}
	return string(*s)
}

// joined joins the parts that say something.
func joined(separator string, parts ...string) string {
	var said []string
	for _, part := range parts {
		if part != "" {
			said = append(said, part)
		}
	}
	return strings.Join(said, separator)
}

var paymentKinds = map[openbanking.PaymentType]words.Text{
	openbanking.PaymentTypeSEPA:               "SEPA credit transfer",
	openbanking.PaymentTypeInstSEPA:           "Instant SEPA credit transfer",
	openbanking.PaymentTypeDomestic:           "Domestic transfer",
	openbanking.PaymentTypeDomesticSEGiro:     "Giro payment",
	openbanking.PaymentTypeCrossborder:        "Payment abroad",
	openbanking.PaymentTypeInternal:           "Transfer within the bank",
	openbanking.PaymentTypeBulkSEPA:           "SEPA credit transfers in bulk",
	openbanking.PaymentTypeBulkDomestic:       "Domestic transfers in bulk",
	openbanking.PaymentTypeBulkDomesticSEGiro: "Giro payments in bulk",
}

var chargeBearers = map[openbanking.ChargeBearerCode]words.Text{
	openbanking.ChargeBearerCodeCRED: "The payee bears all charges.",
	openbanking.ChargeBearerCodeDEBT: "You bear all charges.",
	openbanking.ChargeBearerCodeSHAR: "You bear those of your bank, the payee the others.",
	openbanking.ChargeBearerCodeSLEV: "They follow the rules of this kind of payment.",
}

var priorities = map[openbanking.PriorityCode]words.Text{
	openbanking.PriorityCodeEXPR: "Express",
	openbanking.PriorityCodeHIGH: "Urgent",
	openbanking.PriorityCodeNORM: "Normal",
}

var frequencies = map[openbanking.FrequencyCode]words.Text{
	openbanking.FrequencyCodeDAIL: "Every day",
	openbanking.FrequencyCodeWEEK: "Every week",
	openbanking.FrequencyCodeTOWK: "Every two weeks",
	openbanking.FrequencyCodeMNTH: "Every month",
	openbanking.FrequencyCodeTOMN: "Every two months",
	openbanking.FrequencyCodeQUTR: "Every three months",
	openbanking.FrequencyCodeSEMI: "Every six months",
	openbanking.FrequencyCodeYEAR: "Every year",
}

var executionRules = map[openbanking.ExecutionRule]words.Text{
	openbanking.ExecutionRuleFWNG: "If banks are closed on that day, on the next day of business.",
	openbanking.ExecutionRulePREC: "If banks are closed on that day, on the day of business before.",
}

var schemes = map[openbanking.SchemeName]words.Text{
	openbanking.SchemeNameIBAN: "IBAN",
	openbanking.SchemeNameMIBN: "IBAN",
	openbanking.SchemeNameBBAN: "Account number",
	openbanking.SchemeNameBGNR: "Bankgiro",
	openbanking.SchemeNamePGNR: "PlusGiro",
	openbanking.SchemeNameCPAN: "Card number",
}

var payeeTones = map[aggregator.PayeeOutcome]hosted.CheckTone{
	aggregator.PayeeMatch:       hosted.CheckGood,
	aggregator.PayeeCloseMatch:  hosted.CheckCare,
	aggregator.PayeeNoMatch:     hosted.CheckBad,
	aggregator.PayeeNotPossible: hosted.CheckUnknown,
}

var payeeTitles = map[aggregator.PayeeOutcome]words.Text{
	aggregator.PayeeMatch:       "The name fits the account",
	aggregator.PayeeCloseMatch:  "The name is a close match",
	aggregator.PayeeNoMatch:     "The name does not fit the account",
	aggregator.PayeeNotPossible: "The name could not be checked",
}

var payeeTexts = map[aggregator.PayeeOutcome]words.Text{
	aggregator.PayeeMatch:       "The payee’s bank confirms it.",
	aggregator.PayeeCloseMatch:  "The account belongs to %s. Go on only if that is whom you want to pay.",
	aggregator.PayeeNoMatch:     "The payee’s bank says that the account belongs to somebody else. If you go on, the money may reach the wrong person, and you may not get it back.",
	aggregator.PayeeNotPossible: "The payee’s bank gives no answer, or there is no name to compare. Make sure that the account number is right.",
}
