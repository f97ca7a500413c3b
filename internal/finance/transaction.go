package finance

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"florin/internal/money"
	"florin/internal/openbanking"
)

// TransactionRow is what lists show of a booked row.
type TransactionRow struct {
	ID           int64
	SortKey      int64        // the place in the list of all rows; newer ones have larger keys
	Amount       money.Amount // signed: below zero is money out
	Date         openbanking.Date
	Counterparty string // as the bank writes it; never the holder; "" when the bank names nobody
	Payee        string // the counterparty as Florin and the person call it; "" when it is as the bank wrote it
	Remittance   string // cleaned for display
	Kind         string // the bank's word for the kind of transaction
	Missing      bool   // the bank no longer lists it; kept all the same
	Reviewed     bool   // the person has looked at it, or it came with the first sync of its account
	Category     string // id; "" when not known
	CategoryBy   string // the step that decided, see package categories
	Suggestion   string // id of a category that is likely but not sure enough; "" for none

	Split []string // the categories of its parts, which count instead, "" for a part without one; nil when it is not split
}

// FoundRow is a row in a list of transactions.
type FoundRow struct {
	TransactionRow
	AccountID string
}

// Title is what a row is called: the counterparty by its clean name, else the remittance text, else the bank's word for its kind; "" when the bank tells none
// of them.
func (t TransactionRow) Title() string { return cmp.Or(t.Payee, t.Counterparty, t.Remittance, t.Kind) }

// Transaction is a booked row of an account. What the bank sent is stored separately, see TransactionRecord.
type Transaction struct {
	TransactionRow
	AccountID           string
	Text                string           // the amount as the bank wrote it, without our sign
	BookingDate         openbanking.Date // "" when not given, as the next two
	ValueDate           openbanking.Date
	TransactionDate     openbanking.Date
	CounterpartyAccount string // IBAN or another number; "" when not given
	CategoryWhy         string // the evidence for the category or the suggestion, see package categories
}

// ExportedRow is a booked row with all that an export writes of it. Text is not filled.
type ExportedRow struct {
	Transaction
	FirstSeen time.Time
	StableID  string // names the row within its account, also after the bank was linked again; at most 35 characters
	Reference string // entry_reference of the bank; "" when not given
	Kept      Annotation
	Parts     []SplitPart // nil when it is not split
}

// PendingTransaction is a row that is not booked. It has no id, since each sync rebuilds all of them.
type PendingTransaction struct {
	AccountID           string
	Status              openbanking.TransactionStatus
	Amount              money.Amount
	Text                string
	Date                openbanking.Date // "" when the bank gives none: never today's by default
	Counterparty        string
	Payee               string // as of a booked one
	CounterpartyAccount string
	Remittance          string
	Kind                string
}

// Title is what a row is called, as for a booked one.
func (t PendingTransaction) Title() string {
	return cmp.Or(t.Payee, t.Counterparty, t.Remittance, t.Kind)
}

// TransactionRecord is a booked transaction with what the bank sent.
type TransactionRecord struct {
	Transaction
	Record    openbanking.Transaction
	Original  json.RawMessage // as received
	FirstSeen time.Time
}

// BankChange is a booked row as the bank sent it before a change. Only the fields that lists show are filled.
type BankChange struct {
	Transaction
	Changed time.Time
}

// RowState says where an incoming row goes: among the booked rows, among the pending ones, or nowhere.
type RowState int

// Values of RowState.
const (
	RowBooked  RowState = iota
	RowPending          // anything that may still change: pending, on hold, scheduled, other
	RowVoid             // cancelled or rejected: no money moved
)

// RowStateOf returns the state of a row by its status. A row without a status is booked when it has a booking date.
func RowStateOf(t openbanking.Transaction) RowState {
	switch t.Status {
	case openbanking.TransactionStatusBOOK:
		return RowBooked
	case openbanking.TransactionStatusCNCL, openbanking.TransactionStatusRJCT:
		return RowVoid
	case "":
		if realDate(t.BookingDate) != "" {
			return RowBooked
		}
	}
	return RowPending
}

// Entry is an incoming row read by our rules.
type Entry struct {
	State       RowState
	Status      openbanking.TransactionStatus
	Identity    Identity
	Transaction                 // without ID, AccountID and SortKey
	References  []string        // by which people know it, see References
	Signs       Signs           // of what it is for
	Record      json.RawMessage // as received
}

// References are the references that people find on invoices and statements.
func References(wire openbanking.Transaction) []string {
	var list []string
	for _, text := range []string{value(wire.ReferenceNumber), value(wire.EntryReference)} {
		if UsableReference(text) {
			list = append(list, text)
		}
	}
	return list
}

// Reader reads the rows of one account.
type Reader struct {
	Currency string           // of the account; for amounts whose currency is missing or XXX
	Holder   string           // who is never the counterparty
	Number   string           // IBAN or other number of the account itself
	Today    openbanking.Date // see Today
}

// Today returns the current date three hours east of UTC, where a European day begins first. A later date is in the future for every bank.
func Today(now time.Time) openbanking.Date { return openbanking.DateOf(now.UTC().Add(3 * time.Hour)) }

// Read reads one row. record is what was received. The error says which part cannot be read; such a row is left out, never guessed.
func (r Reader) Read(wire openbanking.Transaction, record json.RawMessage) (Entry, error) {
	amount, err := money.Parse(wire.TransactionAmount.Amount, realCurrency(wire.TransactionAmount.Currency, r.Currency))
	if err != nil {
		return Entry{}, fmt.Errorf("amount: %w", err)
	}
	amount = amount.Abs() // the sign comes from the indicator alone (api-notes 10)
	switch wire.CreditDebitIndicator {
	case openbanking.CreditDebitIndicatorCRDT:
	case openbanking.CreditDebitIndicatorDBIT:
		amount = amount.Neg()
	default:
		return Entry{}, fmt.Errorf("credit_debit_indicator: neither CRDT nor DBIT")
	}
	e := Entry{
		State:  RowStateOf(wire),
		Status: wire.Status,
		Transaction: Transaction{
			TransactionRow: TransactionRow{
				Amount:     amount,
				Remittance: CleanRemittance(wire.RemittanceInformation),
				Kind:       kind(wire.BankTransactionCode),
			},
			Text:            wire.TransactionAmount.Amount,
			BookingDate:     realDate(wire.BookingDate),
			ValueDate:       realDate(wire.ValueDate),
			TransactionDate: realDate(wire.TransactionDate),
		},
		Record: record,
	}
	e.Date = DisplayDate(e.TransactionDate, e.BookingDate, e.ValueDate, r.Today)
	if e.Date == "" && e.State == RowBooked && (dated(wire.TransactionDate) || dated(wire.BookingDate) || dated(wire.ValueDate)) {
		return Entry{}, errors.New("dates: none of them can be")
	}
	e.Counterparty, e.CounterpartyAccount = r.counterparty(wire)
	e.Identity, e.References, e.Signs = Identify(wire), References(wire), SignsOf(wire)
	return e, nil
}

// DisplayDate is the date a row is shown and sorted under: the transaction date unless it lies in the future, else the booking date,
// else the value date. When all that are given lie in the future it is the earliest of them. A row without dates has none.
func DisplayDate(transaction, booking, valueDate, today openbanking.Date) openbanking.Date {
	var earliest openbanking.Date
	for _, d := range []openbanking.Date{transaction, booking, valueDate} {
		if d == "" {
			continue
		}
		if d <= today {
			return d
		}
		if earliest == "" || d < earliest {
			earliest = d
		}
	}
	return earliest
}

// counterparty is the other side by direction: the creditor of money out, the debtor of money in. Where the bank filled in the
// holder's own side there, nobody is named; a transfer to another account of the holder's keeps the name.
func (r Reader) counterparty(wire openbanking.Transaction) (name, number string) {
	party, account := otherSide(wire)
	if party != nil {
		name = partyName(*party)
	}
	number = numberOf(account)
	if placeholder(name) {
		name = ""
	}
	own := number != "" && ownNumber(number, compactNumber(r.Number))
	if own {
		number = ""
	}
	if name != "" && sameName(name, r.Holder) && number == "" {
		name = ""
	}
	return name, number
}

// partyName is what a party is called. Some banks leave the name out and write the merchant into the first line of the address.
func partyName(party openbanking.PartyIdentification) string {
	name := Clean(value(party.Name))
	if address := party.PostalAddress; name == "" && address != nil && len(address.AddressLine) > 0 {
		return Clean(address.AddressLine[0])
	}
	return name
}

// otherSide is the creditor of money out, the debtor of money in.
func otherSide(wire openbanking.Transaction) (*openbanking.PartyIdentification, *openbanking.AccountIdentification) {
	if wire.CreditDebitIndicator == openbanking.CreditDebitIndicatorCRDT {
		return wire.Debtor, wire.DebtorAccount
	}
	return wire.Creditor, wire.CreditorAccount
}

// numberOf is the number of an account without spaces, "" when there is none.
func numberOf(account *openbanking.AccountIdentification) string {
	switch {
	case account == nil:
		return ""
	case account.IBAN != nil:
		return compactNumber(*account.IBAN)
	case account.Other != nil:
		return compactNumber(account.Other.Identification)
	}
	return ""
}

// ownNumber reports whether number is the account itself, be it written as its last digits only (Wise cards, api-notes 10).
func ownNumber(number, own string) bool {
	if number == own {
		return true
	}
	return len(number) == 4 && len(own) > 4 && own[len(own)-4:] == number
}

// realDate is the date on the wire when it is one, else "".
func realDate(d *openbanking.Date) openbanking.Date {
	if d == nil {
		return ""
	}
	if len(*d) > 10 && ((*d)[10] == 'T' || (*d)[10] == ' ') { // a date-time in place of a date
		short := (*d)[:10]
		return realDate(&short)
	}
	t, err := d.Time()
	if err != nil || t.Year() < 1900 || t.Year() > 2999 {
		return ""
	}
	return *d
}

// dated reports whether the bank sent a text for a date.
func dated(d *openbanking.Date) bool { return d != nil && strings.TrimSpace(string(*d)) != "" }

func kind(code *openbanking.BankTransactionCode) string {
	if code == nil {
		return ""
	}
	for _, text := range []string{value(code.Description), value(code.Code), value(code.SubCode)} {
		if text = Clean(text); text != "" && !placeholder(text) {
			return text
		}
	}
	return ""
}
