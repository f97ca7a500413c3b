package finance

import (
	"slices"
	"strings"
	"time"

	"florin/internal/money"
	"florin/internal/openbanking"
)

// PastTransfer is a transfer that a user sent off before, or that may have been.
type PastTransfer struct {
	LocalID   string // the payment it belongs to
	Payee     string
	Account   PayeeAccount
	Amount    money.Amount
	Sent      time.Time
	Text      string // reference number and remittance, see ReferenceText
	Paid      bool   // a bank carried it out, or is doing so: only that makes a payee known
	Void      bool   // it was refused, rejected or cancelled: no money moved
	Uncertain bool   // not known whether it exists
}

// WarningCode is the kind of a warning before a payment is confirmed.
type WarningCode string

// Values of WarningCode.
const (
	WarnDuplicate     WarningCode = "duplicate"       // same payee and amount within 24 hours
	WarnSameReference WarningCode = "same_reference"  // same payee and reference, ever
	WarnNewPayee      WarningCode = "new_payee"       // never paid before, not saved
	WarnChanged       WarningCode = "changed_account" // a known name with another account: the classic fraud with invoices
	WarnOtherName     WarningCode = "other_name"      // a known account under another name
)

// Warning is something to think about before a payment is confirmed. The confirmation has to bring the keys of all of them.
type Warning struct {
	Code     WarningCode
	Position int          // of the transfer
	Transfer string       // its payee
	Past     PastTransfer // the payment that looks the same, for the first two
	Known    []string     // the known names of the account, or the known accounts of the name, formatted
}

// Key names the warning as the person saw it: agreeing to one is not agreeing to the next.
func (w Warning) Key() string {
	return digest("warning", string(w.Code), w.Transfer, w.Past.LocalID, strings.Join(w.Known, "\n"))
}

// duplicateWithin is how long after a payment an equal one is asked about.
const duplicateWithin = 24 * time.Hour

// Warnings compares an order with what its user paid and saved before. past are the transfers to the same accounts or names, payees the saved ones
// with the same accounts or names, own the accounts of the user, between which nothing is warned about but a duplicate. A payee is known once a bank carried out a payment to it: an
// attempt that was given up vouches for nobody. A duplicate is asked about whatever became of the first, unless that came to nothing, and without an end while its outcome is unknown. Loudest first.
func Warnings(o PaymentOrder, past []PastTransfer, payees []Payee, own []Account, now time.Time) []Warning {
	var all []Warning
	texts := o.referenceTexts()
	for i, t := range o.Transfers() {
		var paid, saved, otherNames, otherAccounts []string
		note := func(list *[]string, text string) {
			if text != "" && !slices.Contains(*list, text) {
				*list = append(*list, text)
			}
		}
		look := func(name string, account PayeeAccount, times *[]string) {
			switch {
			case account == t.Account && (name == "" || NameKey(name) == NameKey(t.Payee)):
				note(times, "known")
			case account == t.Account:
				note(times, "known")
				note(&otherNames, name)
			case t.Payee != "" && NameKey(name) == NameKey(t.Payee):
				note(&otherAccounts, account.Format())
			}
		}
		asBefore := false // this account was paid under this very name
		var duplicate, reference *Warning
		for _, p := range past {
			if p.Void {
				continue
			}
			if p.Paid {
				look(p.Payee, p.Account, &paid)
			}
			if p.Account != t.Account {
				continue
			}
			asBefore = asBefore || p.Paid && NameKey(p.Payee) == NameKey(t.Payee)
			if p.Amount == t.Amount && (p.Uncertain || now.Sub(p.Sent) < duplicateWithin) && (duplicate == nil || p.Sent.After(duplicate.Past.Sent)) {
				duplicate = &Warning{Code: WarnDuplicate, Past: p}
			}
			if texts[i] != "" && squeeze(p.Text) == squeeze(texts[i]) && (reference == nil || p.Sent.After(reference.Past.Sent)) {
				reference = &Warning{Code: WarnSameReference, Past: p}
			}
		}
		for _, p := range payees {
			look(p.Name, p.Account, &saved)
			asBefore = asBefore || p.Account == t.Account && NameKey(p.Name) == NameKey(t.Payee)
		}
		add := func(w *Warning) {
			if w != nil {
				w.Position, w.Transfer = i, t.Payee+" "+t.Account.Format()
				all = append(all, *w)
			}
		}
		add(duplicate)
		if reference != nil && duplicate == nil {
			add(reference)
		}
		mine := slices.ContainsFunc(own, func(a Account) bool { return t.Account == AccountNumber(a) })
		known := len(paid)+len(saved) > 0
		switch {
		case mine:
		case !known && len(otherAccounts) > 0:
			add(&Warning{Code: WarnChanged, Known: otherAccounts})
		case !known:
			add(&Warning{Code: WarnNewPayee})
		case len(otherNames) > 0 && !asBefore && t.Payee != "":
			add(&Warning{Code: WarnOtherName, Known: otherNames})
		}
	}
	order := []WarningCode{WarnDuplicate, WarnChanged, WarnOtherName, WarnSameReference, WarnNewPayee}
	slices.SortStableFunc(all, func(a, b Warning) int { return slices.Index(order, a.Code) - slices.Index(order, b.Code) })
	return all
}

// AccountNumber is the number of an account of the user as payees have theirs.
func AccountNumber(a Account) PayeeAccount {
	if a.IBAN != "" {
		return PayeeAccount{Scheme: openbanking.SchemeNameIBAN, Number: a.IBAN}
	}
	return PayeeAccount{Scheme: a.Scheme, Number: compactNumber(a.Number)}
}

// referenceTexts are what the payee reads with each transfer.
func (o PaymentOrder) referenceTexts() []string {
	all := make([]string, 0, len(o.Request.CreditTransferTransaction))
	for _, t := range o.Request.CreditTransferTransaction {
		all = append(all, ReferenceText(t))
	}
	return all
}

// ReferenceText is what the payee reads with a transfer: the reference number and the remittance, in one line.
func ReferenceText(t openbanking.CreditTransferTransaction) string {
	return Clean(strings.Join(append([]string{value(t.ReferenceNumber)}, t.RemittanceInformation...), " "))
}
