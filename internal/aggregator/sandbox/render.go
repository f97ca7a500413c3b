package sandbox

import (
	"slices"
	"strings"
	"time"

	"florin/internal/money"
	"florin/internal/openbanking"
)

// byCard are the kinds of rows that have a merchant.
var byCard = []string{"card", "abroad", "refund"}

// transaction returns a row in the form of the bank. balance is nil for a pending row. A terse bank gives agents, addresses and conversions only in the
// details.
func (a *account) transaction(i int, e *entry, balance *int64, terse bool) openbanking.Transaction {
	h := &a.bank.data.Habits
	t := openbanking.Transaction{
		TransactionAmount:     a.amount(max(e.amount, -e.amount)),
		CreditDebitIndicator:  openbanking.CreditDebitIndicatorCRDT,
		Status:                openbanking.TransactionStatusPDNG,
		TransactionDate:       ptr(e.transacted.date()),
		RemittanceInformation: slices.Clone(e.text),
		BankTransactionCode:   a.code(e),
	}
	if e.amount < 0 {
		t.CreditDebitIndicator = openbanking.CreditDebitIndicatorDBIT
	}
	if balance != nil {
		t.Status = openbanking.TransactionStatusBOOK
		t.BookingDate = ptr(e.booked.date())
		t.ValueDate = ptr(e.valued.date())
		if h.BalanceAfter {
			t.BalanceAfterTransaction = ptr(a.amount(*balance))
		}
	}
	if balance != nil || !h.PendingWithoutReference {
		t.EntryReference = textOrNil(a.entryReference(i, e))
	}
	if h.TransactionDetails {
		t.TransactionID = ptr(a.transactionID(i))
	}
	if e.reference.number != "" {
		t.ReferenceNumber = ptr(e.reference.number)
		if e.reference.scheme != "" {
			t.ReferenceNumberSchema = ptr(e.reference.scheme)
		}
	}
	if e.party != nil && slices.Contains(byCard, e.kind) && !h.NoMerchantCategory {
		t.MerchantCategoryCode = textOrNil(e.party.mcc)
	}
	if x := e.exchange; x != nil {
		t.ExchangeRate = &openbanking.ExchangeRate{
			UnitCurrency: ptr(x.unit), ExchangeRate: ptr(x.factor), RateType: ptr(x.kind), ContractIdentification: textOrNil(x.contract),
			InstructedAmount: &openbanking.AmountType{Currency: x.currency, Amount: money.FromMinor(x.original, x.currency).String()},
		}
		if terse {
			t.ExchangeRate.ContractIdentification = nil
		}
	}
	a.sides(&t, e, terse)
	return t
}

// sides fills in creditor and debtor: the counterparty, and the account's own side when the bank names it.
func (a *account) sides(t *openbanking.Transaction, e *entry, terse bool) {
	h := &a.bank.data.Habits
	party, number, agent := a.counterparty(e, terse)
	more := a.giroNumbers(e)
	var own *openbanking.PartyIdentification
	var ownNumber *openbanking.AccountIdentification
	if h.OwnParty && len(a.holders) > 0 {
		own, ownNumber = &openbanking.PartyIdentification{Name: ptr(a.holderNames())}, ptr(a.primary())
	}
	if terse {
		agent = nil
	}
	if e.amount < 0 {
		t.Creditor, t.CreditorAccount, t.CreditorAgent, t.CreditorAccountAdditionalIdentification = party, number, agent, more
		t.Debtor, t.DebtorAccount = own, ownNumber
	} else {
		t.Debtor, t.DebtorAccount, t.DebtorAgent, t.DebtorAccountAdditionalIdentification = party, number, agent, more
		t.Creditor, t.CreditorAccount = own, ownNumber
	}
}

func (a *account) counterparty(e *entry, terse bool) (*openbanking.PartyIdentification, *openbanking.AccountIdentification,
	*openbanking.FinancialInstitutionIdentification) {
	self := &openbanking.FinancialInstitutionIdentification{BICFI: textOrNil(a.bank.data.BIC), Name: ptr(a.bank.data.Name)}
	switch {
	case e.other != nil:
		return &openbanking.PartyIdentification{Name: ptr(e.other.holderNames())}, ptr(e.other.primary()), self
	case e.party == nil && e.kind == "fee", e.party == nil && e.kind == "interest":
		return &openbanking.PartyIdentification{Name: ptr(a.bank.data.Name)}, nil, self
	case e.party == nil:
		return nil, nil, nil
	}
	p := e.party
	party := &openbanking.PartyIdentification{Name: ptr(p.name)}
	if a.bank.data.Habits.Addresses && !terse && p.country != "" {
		party.PostalAddress = &openbanking.PostalAddress{Country: ptr(p.country)}
		if p.street != "" {
			party.PostalAddress = postalAddress(p.street, p.post, p.town, p.country)
		}
	}
	if p.account != nil { // it comes from a payment
		if p.name == "" {
			party = nil
		}
		var agent *openbanking.FinancialInstitutionIdentification
		if p.agent != (agentData{}) {
			agent = &openbanking.FinancialInstitutionIdentification{BICFI: textOrNil(p.agent.BIC), Name: textOrNil(p.agent.Name)}
		}
		return party, p.account, agent
	}
	if p.iban == "" || slices.Contains(byCard, e.kind) {
		return party, nil, nil
	}
	return party, &openbanking.AccountIdentification{IBAN: ptr(p.iban)},
		&openbanking.FinancialInstitutionIdentification{BICFI: ptr(p.agent.BIC), Name: ptr(p.agent.Name)}
}

// giroNumbers returns the Bankgiro number of a Swedish company.
func (a *account) giroNumbers(e *entry) []openbanking.GenericIdentification {
	if e.party == nil || e.party.account != nil || e.party.country != "SE" || slices.Contains(byCard, e.kind) || e.kind == "payroll" {
		return nil
	}
	six := "5" + seedOf("bankgiro", e.party.name).digits(5)
	return []openbanking.GenericIdentification{{Identification: six[:3] + "-" + six[3:] + luhn(six), SchemeName: openbanking.SchemeNameBGNR}}
}

func (a *account) holderNames() string {
	names := make([]string, len(a.holders))
	for i, h := range a.holders {
		names[i] = h.Name
	}
	return strings.Join(names, " & ")
}

// isoCodes are family and sub-family (ISO 20022 bank transaction codes) by kind of row, for debits and credits.
var isoCodes = map[string][2]string{
	"opening": {"MCOP/OTHR", "MCOP/OTHR"}, "salary": {"ICDT/SALA", "RCDT/SALA"}, "rent": {"ICDT/STDO", "RCDT/STDO"},
	"energy": {"RDDT/ESDD", "IDDT/ESDD"}, "telecom": {"RDDT/ESDD", "IDDT/ESDD"}, "insurance": {"RDDT/ESDD", "IDDT/ESDD"},
	"media": {"RDDT/ESDD", "IDDT/ESDD"}, "gym": {"RDDT/ESDD", "IDDT/ESDD"},
	"card": {"CCRD/POSD", "CCRD/RIMB"}, "abroad": {"CCRD/XBCP", "CCRD/RIMB"}, "refund": {"CCRD/POSD", "CCRD/RIMB"}, "cash": {"CCRD/CWDL", "CCRD/CDPT"},
	"fee": {"MDOP/CHRG", "MCOP/CHRG"}, "interest": {"MDOP/INTR", "MCOP/INTR"}, "savings": {"ICDT/BOOK", "RCDT/BOOK"}, "household": {"ICDT/BOOK", "RCDT/BOOK"},
	"exchange": {"ICDT/BOOK", "RCDT/BOOK"}, "loan": {"ICDT/BOOK", "RCDT/BOOK"}, "settlement": {"ICDT/BOOK", "RCDT/BOOK"}, "invoice": {"ICDT/ESCT", "RCDT/ESCT"},
	"transfer": {"ICDT/ESCT", "RCDT/ESCT"}, "instant": {"IRCT/ESCT", "RRCT/ESCT"}, "standing": {"ICDT/STDO", "RCDT/STDO"},
	"crossborder": {"ICDT/XBCT", "RCDT/XBCT"},
	"internal":    {"ICDT/BOOK", "RCDT/BOOK"}, "domestic": {"ICDT/DMCT", "RCDT/DMCT"},
	"supplier": {"ICDT/ESCT", "RCDT/ESCT"}, "payroll": {"ICDT/SALA", "RCDT/SALA"}, "tax": {"ICDT/TTLS", "RCDT/TTLS"}, "invest": {"SETT/BUYI", "SETT/SELL"},
	"dividend": {"CORP/DVCA", "CORP/DVCA"},
}

// code returns the bank_transaction_code in the style of the bank.
func (a *account) code(e *entry) *openbanking.BankTransactionCode {
	word := countryOf(a.bank.data.Country).word(e.kind)
	switch a.bank.data.Habits.Codes {
	case "none":
		return nil
	case "words":
		return &openbanking.BankTransactionCode{Description: textOrNil(word), Code: ptr(strings.ToUpper(e.kind))}
	}
	pair := isoCodes[e.kind][0]
	if e.amount > 0 {
		pair = isoCodes[e.kind][1]
	}
	family, sub, _ := strings.Cut(pair, "/")
	return &openbanking.BankTransactionCode{Description: textOrNil(word), Code: textOrNil(family), SubCode: textOrNil(sub)}
}

// balanceNames are the labels of balances.
var balanceNames = map[openbanking.BalanceStatus]string{
	openbanking.BalanceStatusCLAV: "Closing available", openbanking.BalanceStatusCLBD: "Closing booked", openbanking.BalanceStatusFWAV: "Forward available",
	openbanking.BalanceStatusINFO: "Reserved",
	openbanking.BalanceStatusITAV: "Available", openbanking.BalanceStatusITBD: "Booked", openbanking.BalanceStatusOPAV: "Opening available",
	openbanking.BalanceStatusOPBD: "Opening booked",
	openbanking.BalanceStatusOTHR: "Balance", openbanking.BalanceStatusPRCD: "Previous closing booked", openbanking.BalanceStatusVALU: "Value-date balance",
	openbanking.BalanceStatusXPCD: "Expected",
}

// available reports whether a type of balance is what can be spent.
func available(kind openbanking.BalanceStatus) bool {
	switch kind {
	case openbanking.BalanceStatusCLAV, openbanking.BalanceStatusFWAV, openbanking.BalanceStatusITAV, openbanking.BalanceStatusOPAV:
		return true
	}
	return false
}

// balances returns the balances of the bank's habits at a moment. Booked ones (CLBD, ITBD, OTHR) are the sum of all booked rows; opening and previous ones
// (OPBD, PRCD) the sum of those before the day; expected is booked plus pending; available is booked less reserved, plus the credit limit when the bank
// counts it, and always on a card. A loan has no available balance.
func (a *account) balances(now moment) []openbanking.BalanceResource {
	h := &a.bank.data.Habits
	today := now.day()
	s := a.rows(now).sums()
	limit := int64(0)
	if h.AvailableIncludesLimit || a.data.Type == openbanking.CashAccountTypeCARD {
		limit = a.limit
	}
	kinds := h.Balances
	if a.data.Type == openbanking.CashAccountTypeLOAN {
		if kinds = slices.DeleteFunc(slices.Clone(kinds), available); len(kinds) == 0 {
			kinds = []openbanking.BalanceStatus{openbanking.BalanceStatusITBD}
		}
	}
	list := make([]openbanking.BalanceResource, 0, len(kinds))
	for _, kind := range kinds {
		b := openbanking.BalanceResource{Name: balanceNames[kind], BalanceType: kind, ReferenceDate: ptr(today.date())}
		var minor int64
		switch kind {
		case openbanking.BalanceStatusCLBD, openbanking.BalanceStatusITBD, openbanking.BalanceStatusOTHR:
			minor = s.booked
			b.LastCommittedTransaction = textOrNil(s.lastRow)
			if !h.NoHolderDetails {
				b.LastChangeDateTime = &openbanking.DateTime{Time: s.last.time().Add(4*time.Hour + 30*time.Minute)}
			}
		case openbanking.BalanceStatusOPBD:
			minor = s.yesterday
		case openbanking.BalanceStatusPRCD:
			minor = s.yesterday
			b.ReferenceDate = ptr((today - 1).date())
		case openbanking.BalanceStatusOPAV:
			minor = s.yesterday + limit
		case openbanking.BalanceStatusITAV, openbanking.BalanceStatusCLAV:
			minor = s.booked + s.reserved + limit
		case openbanking.BalanceStatusFWAV:
			minor = s.booked + s.pending + limit
		case openbanking.BalanceStatusXPCD:
			minor = s.booked + s.pending
		case openbanking.BalanceStatusVALU:
			minor = s.value
		case openbanking.BalanceStatusINFO:
			minor = s.reserved
		}
		b.BalanceAmount = a.amount(minor)
		list = append(list, b)
	}
	return list
}
