package finance

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"florin/internal/money"
	"florin/internal/openbanking"
)

// PastTransfer is a transfer that a user sent off before, or that may have been. Of what was paid before, the payee and the account are enough.
type PastTransfer struct {
	LocalID   string // the payment it belongs to
	Payee     string
	Account   PayeeAccount
	Amount    money.Amount
	Sent      time.Time
	Reference string // what the payee read with it, see ReferenceKey
	Paid      bool   // a bank carried it out, or is doing so: only that makes a payee known
	Void      bool   // it was refused, rejected or cancelled: no money moved
	Uncertain bool   // not known whether it exists
	// Unapproved: it was begun, and as far as known the person has not approved it at the bank. Nothing was paid.
	Unapproved bool
	// Waiting: the person came back from the bank or approved it there, and the bank has not said yet whether it carries it out. It may have.
	Waiting bool
}

// WarningCode is the kind of a warning before a payment is confirmed.
type WarningCode string

// Values of WarningCode.
const (
	WarnDuplicate     WarningCode = "duplicate"       // same payee and amount within 24 hours, or while the outcome of the earlier one is not known
	WarnSameReference WarningCode = "same_reference"  // same payee and reference, ever
	WarnNewPayee      WarningCode = "new_payee"       // never paid before
	WarnChanged       WarningCode = "changed_account" // a known name, never paid at this account: the classic fraud with invoices
	WarnOtherName     WarningCode = "other_name"      // a known account under another name
	WarnWithdrawn     WarningCode = "withdrawn"       // somebody of the household asked for it, and wants it no more
)

// Warning is something to think about before a payment is confirmed. The confirmation has to bring the keys of all of them.
type Warning struct {
	Code     WarningCode
	Position int          // of the transfer
	Transfer string       // its payee
	Past     PastTransfer // the payment that looks the same, for the first two
	Known    []string     // the known names of the account, or the other known accounts of the name, formatted
	Saved    bool         // the account is among the saved payees
	Funds    PaymentFunds // of WarnFunds
}

// Key names the warning as the person saw it: agreeing to one is not agreeing to the next.
func (w Warning) Key() string {
	return digest("warning", string(w.Code), w.Transfer, w.Past.LocalID, strings.Join(w.Known, "\n"))
}

// DuplicateWithin is how long after a payment an equal one is asked about. One whose outcome is not known is asked about for as long as that lasts.
const DuplicateWithin = 24 * time.Hour

// Warnings compares an order with what its user paid and saved before, and returns what to ask about, the loudest first.
//
// past are the transfers to the same accounts or names, payees the saved payees with the same accounts or names, own the accounts that count as the
// user's own (OwnAccounts): a transfer to one of these can only be a duplicate. A payee is known once it is saved, or once a bank executed a payment to
// it; an attempt that was given up does not count. The first payment to a saved payee is a warning too. A known name with another account is a warning
// until a bank has executed a payment to it at this account, whether it is saved or not. A duplicate is a warning whatever the status of the first
// payment, unless that failed for good; while the first one's outcome is unknown, it stays one without a time limit.
func Warnings(o PaymentOrder, past []PastTransfer, payees []Payee, own []Account, now time.Time) []Warning {
	var all []Warning
	known := knownPayees(past, payees)
	earlier := map[PayeeAccount][]PastTransfer{}
	for _, p := range past {
		if !p.Void {
			earlier[p.Account] = append(earlier[p.Account], p)
		}
	}
	for i, t := range o.Transfers() {
		add := func(w *Warning) {
			if w != nil {
				w.Position, w.Transfer = i, t.Payee+" "+t.Account.Format()
				all = append(all, *w)
			}
		}
		duplicate, same := repeated(t, ReferenceKey(o.Request.CreditTransferTransaction[i]), earlier[t.Account], now)
		add(cmp.Or(duplicate, same))
		if slices.ContainsFunc(own, func(a Account) bool { return t.Account == AccountNumber(a) }) {
			continue
		}
		add(known.warning(t.Payee, t.Account))
	}
	order := []WarningCode{WarnDuplicate, WarnChanged, WarnOtherName, WarnSameReference, WarnNewPayee}
	slices.SortStableFunc(all, func(a, b Warning) int { return slices.Index(order, a.Code) - slices.Index(order, b.Code) })
	return all
}

// repeated returns the warnings about earlier transfers to the same account that look like this one: duplicate for the latest with the same amount, same
// for the latest with the same reference. Each is nil when there is none.
func repeated(t PaymentTransfer, reference string, earlier []PastTransfer, now time.Time) (duplicate, same *Warning) {
	for _, p := range earlier {
		if p.Amount == t.Amount && (p.Uncertain || p.Waiting || now.Sub(p.Sent) < DuplicateWithin) && (duplicate == nil || p.Sent.After(duplicate.Past.Sent)) {
			duplicate = &Warning{Code: WarnDuplicate, Past: p}
		}
		if reference != "" && p.Reference == reference && (same == nil || p.Sent.After(same.Past.Sent)) {
			same = &Warning{Code: WarnSameReference, Past: p}
		}
	}
	return duplicate, same
}

// PayeeWarning returns the warning about paying an account, or saving it, under a name; nil when there is none. past are the transfers to the same
// account or name, payees the saved payees with the same account or name.
func PayeeWarning(name string, account PayeeAccount, past []PastTransfer, payees []Payee) *Warning {
	return knownPayees(past, payees).warning(name, account)
}

// knownOnes holds the payees that a user knows: the names under which each account is known, and the accounts of each name (NameKey).
type knownOnes struct {
	saved    map[PayeeAccount]bool
	paid     map[PayeeAccount][]string // the keys of the names under which an account was paid
	names    map[PayeeAccount][]string
	accounts map[string][]PayeeAccount
}

// warning judges one name with one account. That the pair was saved vouches for nothing while the name is known with another account: whoever saves a
// forged account would else switch the warning off. Only a payment that a bank carried out does.
func (k knownOnes) warning(name string, account PayeeAccount) *Warning {
	key, names, saved := NameKey(name), k.names[account], k.saved[account]
	var elsewhere []string
	for _, other := range k.accounts[key] {
		if other != account {
			elsewhere = append(elsewhere, other.Format())
		}
	}
	switch {
	case key != "" && len(elsewhere) > 0 && !slices.Contains(k.paid[account], key):
		return &Warning{Code: WarnChanged, Known: elsewhere, Saved: saved}
	case len(names) == 0:
		return &Warning{Code: WarnNewPayee}
	case name != "" && !slices.ContainsFunc(names, func(known string) bool { return NameKey(known) == key }):
		if others := slices.DeleteFunc(slices.Clone(names), func(known string) bool { return known == "" }); len(others) > 0 {
			return &Warning{Code: WarnOtherName, Known: others, Saved: saved}
		}
	case saved && len(k.paid[account]) == 0:
		return &Warning{Code: WarnNewPayee, Saved: true}
	}
	return nil
}

func knownPayees(past []PastTransfer, payees []Payee) knownOnes {
	k := knownOnes{saved: map[PayeeAccount]bool{}, paid: map[PayeeAccount][]string{}, names: map[PayeeAccount][]string{}, accounts: map[string][]PayeeAccount{}}
	add := func(name string, account PayeeAccount) {
		if slices.Contains(k.names[account], name) {
			return
		}
		k.names[account] = append(k.names[account], name)
		if key := NameKey(name); !slices.Contains(k.accounts[key], account) {
			k.accounts[key] = append(k.accounts[key], account)
		}
	}
	for _, p := range past {
		if p.Paid {
			k.paid[p.Account] = append(k.paid[p.Account], NameKey(p.Payee))
			add(p.Payee, p.Account)
		}
	}
	for _, p := range payees {
		k.saved[p.Account] = true
		add(p.Name, p.Account)
	}
	return k
}

// AccountNumber is the number of an account of the user as payees have theirs.
func AccountNumber(a Account) PayeeAccount {
	if a.IBAN != "" {
		return PayeeAccount{Scheme: openbanking.SchemeNameIBAN, Number: a.IBAN}
	}
	return PayeeAccount{Scheme: a.Scheme, Number: compactNumber(a.Number)}
}

// ReferenceText is what the payee reads with a transfer: the reference number and the remittance, in one line.
func ReferenceText(t openbanking.CreditTransferTransaction) string {
	return Clean(strings.Join(append([]string{value(t.ReferenceNumber)}, t.RemittanceInformation...), " "))
}

// ReferenceKey is the text that the payee sees with a transfer, without case and spaces, "" when there is none. Two transfers with the same key are
// probably for the same invoice.
func ReferenceKey(t openbanking.CreditTransferTransaction) string { return squeeze(ReferenceText(t)) }
