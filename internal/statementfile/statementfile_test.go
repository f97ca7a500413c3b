package statementfile_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"florin/internal/openbanking"
	"florin/internal/statementfile"
	"florin/internal/textfile"
)

// Accounts with right check digits.
const (
	german = "DE89370400440532013000"
	finn   = "FI2112345600000785"
	dutch  = "NL91ABNA0417164300"
)

// short is a finding without the names of its package.
func short(f statementfile.Finding) string {
	text := strings.NewReplacer("fact:textfile.Fact{}, ", "", "fact:textfile.Fact{}", "", "Fact:textfile.Fact{}, ", "", "Fact:textfile.Fact{}", "",
		"statementfile.", "", "textfile.", "").Replace(fmt.Sprintf("%#v", f))
	return strings.TrimSuffix(text, "{}")
}

// refused is why a file cannot be read.
func refused(err error) string {
	var e *textfile.Error
	if !errors.As(err, &e) {
		return fmt.Sprint(err)
	}
	return short(e.Reason)
}

// say is what p points to, "" for nil.
func say[T ~string](p *T) string {
	if p == nil {
		return ""
	}
	return string(*p)
}

// told is a row on one line: line, dates, amount, name, account, text, kind, references.
func told(r statementfile.Row) string {
	t := r.Transaction
	party, account := t.Debtor, t.DebtorAccount
	if t.CreditDebitIndicator == openbanking.CreditDebitIndicatorDBIT {
		party, account = t.Creditor, t.CreditorAccount
	}
	name, number, kind := "", "", ""
	if party != nil {
		name = say(party.Name)
	}
	if account != nil && account.Other != nil {
		number = "#" + account.Other.Identification
	} else if account != nil {
		number = say(account.IBAN)
	}
	if c := t.BankTransactionCode; c != nil {
		kind = strings.Join(strings.Fields(say(c.Description)+" "+say(c.Code)+" "+say(c.SubCode)), " ")
	}
	parts := []string{fmt.Sprint(r.Line), say(t.BookingDate), say(t.ValueDate), say(t.TransactionDate), r.Amount.String() + " " + r.Amount.Currency(), name,
		number,
		strings.Join(t.RemittanceInformation, "/"), kind, say(t.EntryReference), say(t.ReferenceNumber)}
	return strings.TrimRight(strings.Join(parts, "|"), "|")
}

// shown is a file: a line for each statement, row and row that cannot be read.
func shown(f statementfile.File) string {
	var all []string
	balance := func(b *statementfile.Balance) string {
		if b == nil {
			return ""
		}
		return b.Amount.String() + " " + string(b.Date)
	}
	for _, s := range f.Statements {
		a := s.Account
		parts := []string{a.Name, a.Bank, a.Holder, a.IBAN + a.Number, a.Currency, string(a.Type), balance(s.Opening), balance(s.Closing)}
		all = append(all, "= "+strings.TrimRight(strings.Join(parts, "|"), "|"))
		for _, r := range s.Rows {
			all = append(all, told(r))
		}
	}
	for _, u := range f.Unread {
		all = append(all, fmt.Sprintf("! %d %s", u.Line, short(u.Reason)))
	}
	return strings.Join(all, "\n")
}

// lines are the lines of a text that is indented for reading.
func lines(text string) string {
	var all []string
	for line := range strings.Lines(strings.TrimSpace(text)) {
		all = append(all, strings.TrimSpace(line))
	}
	return strings.Join(all, "\n")
}

// check reads a file and compares what is in it.
func check(t *testing.T, name, file string, o statementfile.Options, want string) statementfile.File {
	t.Helper()
	f, err := statementfile.Read([]byte(file), o)
	if err != nil {
		t.Errorf("%s: %s", name, refused(err))
		return f
	}
	if got := shown(f); got != lines(want) {
		t.Errorf("%s:\n%s\nwant\n%s", name, got, lines(want))
	}
	return f
}
