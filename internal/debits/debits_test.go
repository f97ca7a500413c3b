package debits

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"florin/internal/money"
	"florin/internal/openbanking"
)

// row is a debit of a creditor.
func row(id int64, day, amount, creditor, mandate string) Debit {
	a, err := money.Parse(amount, "EUR")
	if err != nil {
		panic(err)
	}
	return Debit{ID: id, Day: openbanking.Date(day), Amount: a, Creditor: Key(creditor, "party "+creditor), Mandate: MandateKey(mandate), Party: "party " + creditor,
		Text: "invoice " + day}
}

const energy, gym = "DE98ZZZ09999999999", "DE02ZZZ01234567890"

// monthly are monthly debits of the energy company, from January 2026 on.
func monthly(months int, amounts ...string) (all []Debit) {
	for m := range months {
		day := time.Date(2026, time.January, 5, 0, 0, 0, 0, time.UTC).AddDate(0, m, 0)
		all = append(all, row(int64(m+1), string(openbanking.DateOf(day)), amounts[m%len(amounts)], energy, "M-001"))
	}
	return all
}

func told(found []Finding) (list []string) {
	for _, f := range found {
		line := fmt.Sprintf("%s %d", f.Kind, f.Debit.ID)
		if f.Other != 0 {
			line += fmt.Sprintf(" of %d", f.Other)
		}
		if f.Was.Currency() != "" {
			line += " was " + f.Was.String()
		}
		list = append(list, line)
	}
	return list
}

func TestWhatIsTold(t *testing.T) {
	known := monthly(8, "-80.00")
	varied := monthly(8, "-80.00", "-95.00", "-70.00")
	for _, c := range []struct {
		name  string
		known []Debit
		syncs [][]Debit
		want  []string
	}{
		{"the usual one", known, [][]Debit{{row(20, "2026-09-05", "-80.00", energy, "M-001")}}, nil},
		{"what was there before", nil, nil, nil},
		{"a creditor that is new, once", known, [][]Debit{{row(20, "2026-09-07", "-29.90", gym, "G1")}, {row(21, "2026-10-07", "-29.90", gym, "G1")}},
			[]string{"new-creditor 20"}},
		{"a mandate that is new, once", known, [][]Debit{{row(20, "2026-09-07", "-80.00", energy, "M-777")}, {row(21, "2026-10-07", "-80.00", energy, "M-777")}},
			[]string{"new-mandate 20"}},
		{"a mandate that the bank writes in three ways", known, [][]Debit{{row(20, "2026-09-05", "-80.00", energy, "m 001")}, {row(21, "2026-10-05", "-80.00", energy, "0000M001")},
			{row(22, "2026-11-05", "-80.00", energy, "MREF+M-001")}}, nil},
		{"another department of the creditor", known, [][]Debit{{row(20, "2026-09-05", "-80.00", "DE98ABC09999999999", "M-001")}}, nil},
		{"no mandate this time", known, [][]Debit{{row(20, "2026-09-05", "-80.00", energy, "")}}, nil},
		{"another creditor identifier of the same payee", known, [][]Debit{{func() Debit {
			d := row(20, "2026-09-05", "-80.00", gym, "M-001")
			d.Party = "party " + energy
			return d
		}()}}, []string{"new-id 20"}},
		{"twice on one day", known, [][]Debit{{row(20, "2026-09-05", "-80.00", energy, "M-001"), row(21, "2026-09-05", "-80.00", energy, "M-001")}},
			[]string{"twice 21 of 20"}},
		{"three times", known, [][]Debit{{row(20, "2026-09-05", "-80.00", energy, "M-001"), row(21, "2026-09-06", "-80.00", energy, "M-001")},
			{row(22, "2026-09-08", "-80.00", energy, "M-001")}}, []string{"twice 21 of 20", "twice 22 of 21"}},
		{"in the next sync again", known, [][]Debit{{row(20, "2026-09-05", "-80.00", energy, "M-001")}, {row(21, "2026-09-09", "-80.00", energy, "M-001")}},
			[]string{"twice 21 of 20"}},
		{"a debit and its return on one day", known, [][]Debit{{row(20, "2026-09-05", "-980.00", energy, "M-001"), row(21, "2026-09-05", "980.00", energy, "M-001")}}, nil},
		{"collected again after it came back", known, [][]Debit{{row(20, "2026-09-05", "-80.00", energy, "M-001")}, {row(21, "2026-09-06", "80.00", energy, "M-001")},
			{row(22, "2026-09-09", "-80.00", energy, "M-001")}}, nil},
		{"two contracts of one price, always on one day", slices.Concat(monthly(4, "-12.00"), []Debit{row(11, "2026-01-06", "-12.00", energy, "M-001"),
			row(12, "2026-02-06", "-12.00", energy, "M-001"), row(13, "2026-03-06", "-12.00", energy, "M-001")}),
			[][]Debit{{row(20, "2026-05-05", "-12.00", energy, "M-001"), row(21, "2026-05-06", "-12.00", energy, "M-001")}}, nil},
		{"a higher price", known, [][]Debit{{row(20, "2026-09-05", "-84.00", energy, "M-001")}, {row(21, "2026-10-05", "-84.00", energy, "M-001")}},
			[]string{"dearer 20 was -80.00"}},
		{"a lower price", known, [][]Debit{{row(20, "2026-09-05", "-70.00", energy, "M-001")}}, nil},
		{"an amount that varies", varied, [][]Debit{{row(20, "2026-09-05", "-99.00", energy, "M-001")}}, nil},
		{"an amount far above", varied, [][]Debit{{row(20, "2026-09-05", "-450.00", energy, "M-001")}}, []string{"unusual 20 was -95.00"}},
		{"little, though many times as much", monthly(8, "-0.50"), [][]Debit{{row(20, "2026-09-05", "-4.00", energy, "M-001")}}, []string{"dearer 20 was -0.50"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var g Guard
			g.Know(c.known...)
			var got []string
			for _, s := range c.syncs {
				got = append(got, told(g.Look(s...))...)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}

// A shop that uses a new mandate for each purchase is reported as a new creditor, and its second mandate as a new one. Later mandates are not reported.
func TestMandatesOfPurchases(t *testing.T) {
	var g Guard
	g.Know(monthly(8, "-80.00")...)
	var got []string
	for i := range int64(8) {
		day := openbanking.DateOf(time.Date(2026, time.September, 1+int(i)*6, 0, 0, 0, 0, time.UTC))
		got = append(got, told(g.Look(row(20+i, string(day), fmt.Sprintf("-%d.10", 20+7*i%11), gym, fmt.Sprintf("ELV%d%d", i, 7000+13*i))))...)
	}
	if want := []string{"new-creditor 20", "new-mandate 21"}; !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}

func TestUntilWhenTheBankRefunds(t *testing.T) {
	for _, c := range []struct {
		day          string
		scheme       Scheme
		authorised   string
		unauthorised string
	}{
		{"2026-11-23", Core, "2027-01-18", "2027-12-23"},
		{"2026-11-23", Business, "", "2027-12-23"},
		{"2026-01-31", Core, "2026-03-28", "2027-02-28"},
		{"2027-01-31", Core, "2027-03-28", "2028-02-29"},
		{"", Core, "", ""},
	} {
		u := UntilOf(openbanking.Date(c.day), c.scheme)
		if string(u.Authorised) != c.authorised || string(u.Unauthorised) != c.unauthorised {
			t.Errorf("%s %s: %v", c.day, c.scheme, u)
		}
	}
}

// wire is a row of a bank.
func wire(code, kind string, text ...string) openbanking.Transaction {
	day := openbanking.Date("2026-11-23")
	return openbanking.Transaction{CreditDebitIndicator: "DBIT", Status: "BOOK", BookingDate: &day, RemittanceInformation: text,
		TransactionAmount: openbanking.AmountType{Currency: "EUR", Amount: "80.00"}, BankTransactionCode: &openbanking.BankTransactionCode{Code: &code, Description: &kind}}
}

func TestWhatBanksWrite(t *testing.T) {
	scheme, number := openbanking.ReferenceNumberSchemeSDDM, "MD-AB12CD34EF"
	named := wire("RDDT", "", "Energie")
	named.ReferenceNumber, named.ReferenceNumberSchema = &number, &scheme
	organisation := wire("RDDT", "", "MREF: 4711-0815")
	organisation.Creditor = &openbanking.PartyIdentification{OrganisationID: &openbanking.GenericIdentification{Identification: "NL04ZZZ332471860000", SchemeName: "OTHI"}}
	returned := wire("PMNT-RDDT-UPDD", "Rücklastschrift", "MREF+M-001")
	returned.CreditDebitIndicator = "CRDT"
	for _, c := range []struct {
		name string
		t    openbanking.Transaction
		want Signs
		ok   bool
	}{
		{"MT940", wire("PMNT-RDDT-ESDD", "Lastschrift", "Abschlag 11/2026", "EREF+12", "MREF+M 001/23", "CRED+DE98ZZZ09999999999"),
			Signs{Scheme: Core, Creditor: "DE98ZZZ09999999999", Mandate: "M 001/23"}, true},
		{"one line", wire("", "", "Abschlag EREF: 12 MREF: M 001 23 CRED: DE98 ZZZ 0999 9999 999"), Signs{Scheme: Core, Creditor: "DE98ZZZ09999999999", Mandate: "M 001 23"}, true},
		{"French", wire("", "", "PRLV SEPA EDF ID EMETTEUR/FR46ZZZ005002 MDT/00012345678 REF/987"), Signs{Scheme: Core, Creditor: "FR46ZZZ005002", Mandate: "00012345678"}, true},
		{"Dutch", wire("", "", "SEPA Incasso algemeen doorlopend Incassant: NL04ZZZ332471860000 Naam: KPN Machtiging: A-77 88 Omschrijving: nov 2026"),
			Signs{Scheme: Core, Creditor: "NL04ZZZ332471860000", Mandate: "A-77 88"}, true},
		{"Italian, a number behind it", wire("", "", "Addebito diretto SDD Enel Mandato M50824668894 Creditore IT85ZZZ0000006655971007 654321"),
			Signs{Scheme: Core, Creditor: "IT85ZZZ0000006655971007", Mandate: "M50824668894"}, true},
		{"Spanish, without a label", wire("PMNT-RDDT-ESDD", "RECIBO", "Luz noviembre", "ES12ZZZ12345678901 M00123"),
			Signs{Scheme: Core, Creditor: "ES12ZZZ12345678901", Mandate: "M00123"}, true},
		{"lines of their own", wire("PMNT-RDDT-ESDD", "PRELEVEMENT", "Facture 9", "FR46ZZZ005002", "M001 2345 67"),
			Signs{Scheme: Core, Creditor: "FR46ZZZ005002", Mandate: "M001 2345 67"}, true},
		{"a business code", wire("RDDT", "", "CRED+DE98ABC09999999999", "MREF+1"), Signs{Scheme: Core, Creditor: "DE98ABC09999999999", Mandate: "1"}, true},
		{"the scheme of the reference", named, Signs{Scheme: Core, Mandate: "MD-AB12CD34EF"}, true},
		{"the organisation", organisation, Signs{Scheme: Core, Creditor: "NL04ZZZ332471860000", Mandate: "4711-0815"}, true},
		{"between companies", wire("PMNT-RDDT-BBDD", "", "MREF+B1"), Signs{Scheme: Business, Mandate: "B1"}, true},
		{"between companies, in words", wire("", "Firmenlastschrift B2B", "Lastschrift MREF+B1"), Signs{Scheme: Business, Mandate: "B1"}, true},
		{"once", wire("PMNT-RDDT-OODD", "", "MREF+E77"), Signs{Scheme: Core, Mandate: "E77", OneOff: true}, true},
		{"what came back", returned, Signs{Scheme: Core, Mandate: "M-001", Returned: true}, true},
		{"a transfer", wire("PMNT-ICDT-ESCT", "Überweisung", "Miete November"), Signs{}, false},
		{"a card", wire("PMNT-CCRD-POSD", "Kartenzahlung", "REWE 1234"), Signs{}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, ok := Read(c.t); got != c.want || ok != c.ok {
				t.Errorf("read %+v %v, want %+v %v", got, ok, c.want, c.ok)
			}
		})
	}
}
