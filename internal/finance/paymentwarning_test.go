package finance

import (
	"strings"
	"testing"
	"time"

	"florin/internal/money"
	"florin/internal/openbanking"
)

const (
	german = "DE89370400440532013000"
	finn   = "FI2112345600000785"
	briton = "GB29NWBK60161331926819"
)

func ibanAccount(number string) PayeeAccount { return PayeeAccount{Scheme: "IBAN", Number: number} }

func orderTo(payee, number, amount, text string) PaymentOrder {
	t := openbanking.CreditTransferTransaction{InstructedAmount: openbanking.AmountType{Currency: "EUR", Amount: amount},
		Beneficiary: openbanking.Beneficiary{Creditor: &openbanking.PartyIdentification{Name: &payee},
			CreditorAccount: openbanking.GenericIdentification{Identification: number, SchemeName: "IBAN"}}}
	if text != "" {
		t.RemittanceInformation = []string{text}
	}
	return PaymentOrder{Request: openbanking.PaymentRequestResource{CreditTransferTransaction: []openbanking.CreditTransferTransaction{t}}}
}

// The first payment to an account, a known name with another account, and an equal payment within a day are asked about.
func TestWarnings(t *testing.T) {
	past := func(payee, number string, minor int64, ago time.Duration, text string) PastTransfer {
		return PastTransfer{LocalID: "old", Payee: payee, Account: ibanAccount(number), Amount: money.FromMinor(minor, "EUR"), Sent: noon.Add(-ago),
			Reference: squeeze(text), Paid: true}
	}
	void := func(p PastTransfer) PastTransfer { p.Paid, p.Void = false, true; return p }
	open := func(p PastTransfer) PastTransfer { p.Paid = false; return p }
	uncertain := func(p PastTransfer) PastTransfer { p.Paid, p.Uncertain = false, true; return p }
	waiting := func(p PastTransfer) PastTransfer { p.Paid, p.Waiting = false, true; return p }
	saved := func(name, number string) []Payee { return []Payee{{Name: name, Account: ibanAccount(number)}} }
	cases := []struct {
		name   string
		order  PaymentOrder
		past   []PastTransfer
		payees []Payee
		own    []Account
		want   string // code and what is known of it
	}{
		{"a first payment", orderTo("ACME GmbH", german, "5", ""), nil, nil, nil, "new_payee"},
		{"saved before, and never paid", orderTo("ACME GmbH", german, "5", ""), nil, saved("ACME GmbH", german), nil, "new_payee saved"},
		{"saved and paid before", orderTo("ACME GmbH", german, "5", ""), []PastTransfer{past("ACME GmbH", german, 100, 48*time.Hour, "")},
			saved("ACME GmbH", german), nil, ""},
		{"paid before", orderTo("ACME GmbH", german, "5", ""), []PastTransfer{past("Acme GMBH.", german, 100, 48*time.Hour, "")}, nil, nil, ""},
		{"paid before, with the IBAN in groups", orderTo("ACME GmbH", "DE89 3704 0044 0532 0130 00", "5", ""),
			[]PastTransfer{past("ACME GmbH", german, 100, 48*time.Hour, "")}, nil, nil, ""},
		{"tried before, and rejected", orderTo("ACME GmbH", german, "5", ""), []PastTransfer{void(past("ACME GmbH", german, 500, time.Hour, ""))}, nil, nil,
			"new_payee"},
		{"tried before, and never approved", orderTo("ACME GmbH", german, "6", ""), []PastTransfer{open(past("ACME GmbH", german, 500, 48*time.Hour, ""))}, nil,
			nil, "new_payee"},
		{"tried before, and not known whether it exists", orderTo("ACME GmbH", german, "6", ""),
			[]PastTransfer{uncertain(past("ACME GmbH", german, 500, 48*time.Hour, ""))}, nil, nil, "new_payee"},
		{"a saved name with another account, tried before", orderTo("ACME GmbH", briton, "6", ""),
			[]PastTransfer{open(past("ACME GmbH", briton, 500, 48*time.Hour, ""))}, saved("ACME GmbH", german), nil, "changed_account DE89 3704 0044 0532 0130 00"},
		{"a saved account under another name, tried before", orderTo("ACNE GmbH", german, "6", ""),
			[]PastTransfer{open(past("ACNE GmbH", german, 500, 48*time.Hour, ""))}, saved("ACME GmbH", german), nil, "other_name ACME GmbH saved"},
		{"a name that was tried with another account", orderTo("ACME GmbH", briton, "6", ""),
			[]PastTransfer{open(past("ACME GmbH", german, 500, 48*time.Hour, ""))}, nil, nil, "new_payee"},
		{"a known name with another account", orderTo("ACME GmbH", briton, "5", ""), nil, saved("acme gmbh", german), nil,
			"changed_account DE89 3704 0044 0532 0130 00"},
		{"a paid name with another account", orderTo("ACME GmbH", briton, "5", ""), []PastTransfer{past("GmbH ACME", german, 100, 48*time.Hour, "")}, nil, nil,
			"changed_account DE89 3704 0044 0532 0130 00"},
		{"a known name with two known accounts", orderTo("ACME GmbH", briton, "5", ""), []PastTransfer{past("ACME GmbH", briton, 100, 48*time.Hour, "")},
			saved("ACME GmbH", german), nil, ""},
		{"a paid name that was saved with another account", orderTo("ACME GmbH", briton, "5", ""),
			[]PastTransfer{past("ACME GmbH", german, 100, 48*time.Hour, "")}, saved("ACME GmbH", briton), nil, "changed_account DE89 3704 0044 0532 0130 00 saved"},
		{"a name that was saved with two accounts, and paid at none", orderTo("ACME GmbH", briton, "5", ""), nil,
			append(saved("ACME GmbH", briton), saved("ACME GmbH", german)...), nil, "changed_account DE89 3704 0044 0532 0130 00 saved"},
		{"a paid name with an account that was paid under another", orderTo("ACME GmbH", briton, "5", ""),
			[]PastTransfer{past("ACME GmbH", german, 100, 48*time.Hour, ""), past("Bob", briton, 100, 48*time.Hour, "")}, saved("ACME GmbH", briton), nil,
			"changed_account DE89 3704 0044 0532 0130 00 saved"},
		{"a name that was paid at both accounts", orderTo("ACME GmbH", briton, "5", ""),
			[]PastTransfer{past("ACME GmbH", german, 100, 48*time.Hour, ""), past("GmbH Acme", briton, 100, 48*time.Hour, "")}, nil, nil, ""},
		{"a paid account without a name", orderTo("", briton, "5", ""),
			[]PastTransfer{past("", german, 100, 48*time.Hour, ""), past("", briton, 100, 48*time.Hour, "")}, nil, nil, ""},
		{"a known account under another name", orderTo("ACNE GmbH", german, "5", ""), nil, saved("ACME GmbH", german), nil, "other_name ACME GmbH saved"},
		{"an account known under both names", orderTo("ACNE GmbH", german, "5", ""), []PastTransfer{past("ACNE GmbH", german, 100, 48*time.Hour, "")},
			saved("ACME GmbH", german), nil, ""},
		{"own account", orderTo("Me", finn, "5", ""), nil, nil, []Account{{IBAN: finn}}, ""},
		{"own account, twice", orderTo("Me", finn, "5", ""), []PastTransfer{past("Me", finn, 500, time.Hour, "")}, nil, []Account{{IBAN: finn}}, "duplicate old"},
		{"twice within a day", orderTo("ACME GmbH", german, "5.00", ""), []PastTransfer{past("ACME GmbH", german, 500, 24*time.Hour-time.Second, "")}, nil, nil,
			"duplicate old"},
		{"twice within a day, under another name", orderTo("Other", german, "5.00", ""), []PastTransfer{past("ACME GmbH", german, 500, time.Hour, "")}, nil,
			nil, "duplicate old, other_name ACME GmbH"},
		{"again after a day", orderTo("ACME GmbH", german, "5.00", ""), []PastTransfer{past("ACME GmbH", german, 500, 24*time.Hour, "")}, nil, nil, ""},
		{"another amount", orderTo("ACME GmbH", german, "5.01", ""), []PastTransfer{past("ACME GmbH", german, 500, time.Hour, "")}, nil, nil, ""},
		{"the same reference, ever", orderTo("ACME GmbH", german, "5", "Invoice 7"),
			[]PastTransfer{past("ACME GmbH", german, 100, 1000*time.Hour, "INVOICE  7")}, nil, nil, "same_reference old"},
		{"another reference", orderTo("ACME GmbH", german, "5", "Invoice 8"), []PastTransfer{past("ACME GmbH", german, 100, 1000*time.Hour, "Invoice 7")}, nil,
			nil, ""},
		{"twice within a day, the first not approved", orderTo("ACME GmbH", german, "5.00", ""),
			[]PastTransfer{open(past("ACME GmbH", german, 500, time.Hour, ""))}, nil, nil, "duplicate old, new_payee"},
		{"again after a day, the first unknown", orderTo("ACME GmbH", german, "5.00", ""),
			[]PastTransfer{uncertain(past("ACME GmbH", german, 500, 1000*time.Hour, ""))}, saved("ACME GmbH", german), nil, "duplicate old, new_payee saved"},
		{"again after a day, the bank silent about the first", orderTo("ACME GmbH", german, "5.00", ""),
			[]PastTransfer{waiting(past("ACME GmbH", german, 500, 1000*time.Hour, ""))}, saved("ACME GmbH", german), nil, "duplicate old, new_payee saved"},
		{"the same reference, not approved", orderTo("ACME GmbH", german, "5", "Invoice 7"),
			[]PastTransfer{open(past("ACME GmbH", german, 100, 48*time.Hour, "Invoice 7"))}, saved("ACME GmbH", german), nil, "same_reference old, new_payee saved"},
		{"a rejected one is no duplicate", orderTo("ACME GmbH", german, "5.00", ""), []PastTransfer{void(past("ACME GmbH", german, 500, time.Hour, ""))},
			saved("ACME GmbH", german), nil, "new_payee saved"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, w := range Warnings(c.order, c.past, c.payees, c.own, noon) {
				words := string(w.Code) + " " + w.Past.LocalID + strings.Join(w.Known, "+")
				if w.Saved {
					words = strings.TrimSpace(words) + " saved"
				}
				got = append(got, strings.TrimSpace(words))
			}
			if all := strings.Join(got, ", "); all != c.want {
				t.Errorf("%q, want %q", all, c.want)
			}
		})
	}
}

func TestWarningKeys(t *testing.T) {
	a := Warning{Code: WarnDuplicate, Transfer: "x", Past: PastTransfer{LocalID: "1"}}
	b, c := a, a
	b.Past.LocalID, c.Code = "2", WarnSameReference
	if a.Key() == b.Key() || a.Key() == c.Key() || a.Key() == "" {
		t.Error("agreeing to one warning is agreeing to another")
	}
}
