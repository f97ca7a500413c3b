package finance

import (
	"encoding/json"
	"errors"
	"strings"

	"florin/internal/iban"
	"florin/internal/money"
	"florin/internal/openbanking"
)

// Source says where the figures of an account come from.
type Source string

// Values of Source.
const (
	SourceBank   Source = ""       // a connection brings its balances and rows
	SourceManual Source = "manual" // the person writes or imports its rows, and its balance follows from them
	SourceValue  Source = "value"  // the person says from time to time what it is worth, and it has no rows
)

// Linked reports whether a bank brings the account. It may have stopped to do so.
func (a Account) Linked() bool { return a.Source == SourceBank }

// Open reports whether rows and values can be added to an account that the person keeps.
func (a Account) Open() bool { return !a.Linked() && a.Closed.IsZero() }

// Value is what was on an account, or what it was worth, at the beginning of a day.
type Value struct {
	Day    openbanking.Date
	Amount money.Amount
}

// MaxAccountName is how many characters the name of an account and of where it is have at most.
const MaxAccountName = 60

// ParseBalance reads what a person types as the balance of an account: as ParseAmount, but it may be zero or, with a minus sign, below.
func ParseBalance(text, currency string) (money.Amount, error) {
	text = strings.TrimSpace(text)
	digits := strings.TrimLeft(text, "-\u2212")
	amount, err := ParseAmount(digits, currency)
	var facts *AmountError
	if errors.Is(err, ErrZero) && errors.As(err, &facts) && !facts.Minus {
		return money.FromMinor(0, currency), nil
	}
	if digits != text {
		amount = amount.Neg()
	}
	return amount, err
}

// WrittenRow is a booked row that no bank sent: a person wrote it, or a file has it.
type WrittenRow struct {
	BookingDate         openbanking.Date
	ValueDate           openbanking.Date // "" when not known, as all that follows
	TransactionDate     openbanking.Date
	Amount              money.Amount // signed: below zero is money out
	Counterparty        string
	CounterpartyAccount string // IBAN or another number
	Lines               []string
	Kind                string // of transaction, in the words of a bank
	Reference           string // of the bank
}

// Entry returns the row as Reader returns a row of a bank, with a record as a bank would have sent it.
func (w WrittenRow) Entry(today openbanking.Date) (Entry, error) {
	wire := openbanking.Transaction{
		EntryReference: given(w.Reference), Status: openbanking.TransactionStatusBOOK, CreditDebitIndicator: openbanking.CreditDebitIndicatorCRDT,
		TransactionAmount: openbanking.AmountType{Amount: w.Amount.Abs().String(), Currency: w.Amount.Currency()},
		BookingDate:       given(w.BookingDate), ValueDate: given(w.ValueDate), TransactionDate: given(w.TransactionDate), RemittanceInformation: w.Lines,
	}
	if w.Kind != "" {
		wire.BankTransactionCode = &openbanking.BankTransactionCode{Description: &w.Kind}
	}
	party, account := (*openbanking.PartyIdentification)(nil), (*openbanking.AccountIdentification)(nil)
	if w.Counterparty != "" {
		party = &openbanking.PartyIdentification{Name: &w.Counterparty}
	}
	if number, err := iban.Parse(w.CounterpartyAccount); err == nil {
		text := number.String()
		account = &openbanking.AccountIdentification{IBAN: &text}
	} else if w.CounterpartyAccount != "" {
		account = &openbanking.AccountIdentification{Other: &openbanking.GenericIdentification{Identification: w.CounterpartyAccount,
			SchemeName: openbanking.SchemeNameBBAN}}
	}
	if w.Amount.Sign() < 0 {
		wire.CreditDebitIndicator, wire.Creditor, wire.CreditorAccount = openbanking.CreditDebitIndicatorDBIT, party, account
	} else {
		wire.Debtor, wire.DebtorAccount = party, account
	}
	record, err := json.Marshal(wire)
	if err != nil {
		return Entry{}, err
	}
	return Reader{Currency: w.Amount.Currency(), Today: today}.Read(wire, record)
}

// given points to a text, or is nil for "".
func given[T ~string](text T) *T {
	if text == "" {
		return nil
	}
	return &text
}
