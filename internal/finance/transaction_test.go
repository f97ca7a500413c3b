package finance

import (
	"testing"
	"time"

	"florin/internal/openbanking"
)

const today = openbanking.Date("2026-03-10")

var reader = Reader{Currency: "EUR", Holder: "Anna Example", Number: "DE89370400440532013000", Today: today}

func wire(change func(*openbanking.Transaction)) openbanking.Transaction {
	t := openbanking.Transaction{
		EntryReference:        new("REF-1"),
		TransactionAmount:     openbanking.AmountType{Currency: "EUR", Amount: "12.30"},
		Creditor:              &openbanking.PartyIdentification{Name: new("Shop")},
		Debtor:                &openbanking.PartyIdentification{Name: new("Anna Example")},
		CreditDebitIndicator:  "DBIT",
		Status:                "BOOK",
		BookingDate:           new(openbanking.Date("2026-03-02")),
		TransactionDate:       new(openbanking.Date("2026-03-01")),
		RemittanceInformation: []string{"Invoice 7"},
	}
	if change != nil {
		change(&t)
	}
	return t
}

func read(t *testing.T, change func(*openbanking.Transaction)) Entry {
	t.Helper()
	e, err := reader.Read(wire(change), nil)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Architecture 5, rule 2.
func TestTransactionIdentity(t *testing.T) {
	type tx = openbanking.Transaction
	base := func(*tx) {}
	noRef := func(w *tx) { w.EntryReference = nil }
	for name, c := range map[string]struct {
		a, b func(*tx)
		same bool
	}{
		"the same row":                        {base, base, true},
		"another reference":                   {base, func(w *tx) { w.EntryReference = new("REF-2") }, false},
		"text enriched later":                 {base, func(w *tx) { w.RemittanceInformation = []string{"Invoice 7", "card 1234"} }, true},
		"one reference for all of an order":   {base, func(w *tx) { w.BookingDate = new(openbanking.Date("2026-04-02")) }, false},
		"fee with its parent's reference":     {base, func(w *tx) { w.TransactionAmount.Amount = "0.30" }, false},
		"other leg of an exchange":            {base, func(w *tx) { w.TransactionAmount.Currency = "USD" }, false},
		"refund with the payment's reference": {base, func(w *tx) { w.CreditDebitIndicator = "CRDT" }, false},
		"23 and 23.00":                        {func(w *tx) { w.TransactionAmount.Amount = "23" }, func(w *tx) { w.TransactionAmount.Amount = "23.00" }, true},
		"minus sign in the amount":            {base, func(w *tx) { w.TransactionAmount.Amount = "-12.30" }, true},
		"transaction_id is never identity":    {func(w *tx) { noRef(w); w.TransactionID = new("1") }, func(w *tx) { noRef(w); w.TransactionID = new("2") }, true},
		"status is never identity":            {noRef, func(w *tx) { noRef(w); w.Status = "PDNG" }, true},
		"white space is never identity":       {noRef, func(w *tx) { noRef(w); w.RemittanceInformation = []string{" Invoice", "7\n"} }, true},
		"no reference, other text":            {noRef, func(w *tx) { noRef(w); w.RemittanceInformation = []string{"Invoice 8"} }, false},
		"no reference, other date":            {noRef, func(w *tx) { noRef(w); w.BookingDate = new(openbanking.Date("2026-03-04")) }, false},
		"no reference, other counterparty":    {noRef, func(w *tx) { noRef(w); w.Creditor = &openbanking.PartyIdentification{Name: new("Other")} }, false},
		"placeholder counts as no reference":  {noRef, func(w *tx) { w.EntryReference = new("NOTPROVIDED") }, true},
		"position counts as no reference":     {func(w *tx) { w.EntryReference = new("2026-03-02-1") }, func(w *tx) { w.EntryReference = new("2026-03-02-2") }, true},
	} {
		a, b := read(t, c.a), read(t, c.b)
		if got := a.Identity.Key == b.Identity.Key; got != c.same {
			t.Errorf("%s: same = %v, want %v", name, got, c.same)
		}
		if a.Identity.Key == "" || a.Identity.Content == "" {
			t.Errorf("%s: empty identity %+v", name, a.Identity)
		}
	}
	a, moved, renamed := read(t, base).Identity, read(t, func(w *tx) { w.BookingDate = new(openbanking.Date("2026-03-03")) }).Identity,
		read(t, func(w *tx) { w.EntryReference = new("R2") }).Identity
	if a.Reference == "" || a.Reference != moved.Reference || a.Reference == renamed.Reference || a.Content != renamed.Content || a.Content == moved.Content {
		t.Errorf("%+v, moved %+v, renamed %+v", a, moved, renamed)
	}
	if id := read(t, noRef).Identity; id.Reference != "" || id.Content != a.Content {
		t.Errorf("without a reference: %+v", id)
	}
}

// What is learnt about the account later changes no identity.
func TestIdentityIsOfTheRowAlone(t *testing.T) {
	own := func(w *openbanking.Transaction) {
		w.EntryReference = nil
		w.Creditor = &openbanking.PartyIdentification{Name: new("Anna Example")}
		w.TransactionAmount.Currency = "XXX"
	}
	one, err := Reader{Currency: "XXX", Today: today}.Read(wire(own), nil)
	if err != nil {
		t.Fatal(err)
	}
	two, err := Reader{Currency: "JPY", Holder: "Anna Example", Number: "1", Today: today}.Read(wire(func(w *openbanking.Transaction) {
		own(w)
		w.TransactionAmount.Amount = "12.30"
	}), nil)
	if err == nil {
		t.Fatalf("12.30 yen were read as %s", two.Amount)
	}
	two, err = Reader{Currency: "EUR", Holder: "Anna Example", Number: "1", Today: today}.Read(wire(own), nil)
	if err != nil || one.Identity != two.Identity {
		t.Errorf("%+v %+v %v", one.Identity, two.Identity, err)
	}
}

func TestUsableReference(t *testing.T) {
	for reference, want := range map[string]bool{
		"": false, "0": false, "000000": false, "1": false, "0042": false, "NOTPROVIDED": false, "not provided": false, "N/A": false, "-": false,
		"2026-03-01-1": false, "20260301/0001": false, "1-20260301": false, "2026-03-01": false, "31122025-3": false,
		"A1": true, "REF-1": true, "2026030112345678": true, "98765432": true, "5f2b0c9e-0000": true, "20261399-1": true,
	} {
		if got := UsableReference(reference); got != want {
			t.Errorf("%q: %v, want %v", reference, got, want)
		}
	}
}

// api-notes 10: never today's date for an undated row.
func TestDisplayDate(t *testing.T) {
	for name, c := range map[string]struct{ transaction, booking, value, want openbanking.Date }{
		"transaction date first":     {"2026-03-01", "2026-03-02", "2026-03-03", "2026-03-01"},
		"transaction date ahead":     {"2026-03-12", "2026-03-02", "2026-03-03", "2026-03-02"},
		"booking date":               {"", "2026-03-02", "2026-03-03", "2026-03-02"},
		"value date":                 {"", "", "2026-03-03", "2026-03-03"},
		"today is not in the future": {"2026-03-10", "2026-03-09", "", "2026-03-10"},
		"all ahead: the earliest":    {"2026-04-03", "2026-04-01", "2026-04-02", "2026-04-01"},
		"undated stays undated":      {"", "", "", ""},
	} {
		if got := DisplayDate(c.transaction, c.booking, c.value, today); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestTodayHasBegunSomewhereInEurope(t *testing.T) {
	if got := Today(time.Date(2026, 3, 9, 22, 30, 0, 0, time.UTC)); got != "2026-03-10" {
		t.Error(got)
	}
	if got := Today(time.Date(2026, 3, 9, 20, 30, 0, 0, time.UTC)); got != "2026-03-09" {
		t.Error(got)
	}
}

// The counterparty is chosen by direction, never the holder.
func TestCounterparty(t *testing.T) {
	type tx = openbanking.Transaction
	party := func(name string) *openbanking.PartyIdentification {
		return &openbanking.PartyIdentification{Name: &name}
	}
	number := func(s string) *openbanking.AccountIdentification { return &openbanking.AccountIdentification{IBAN: &s} }
	for name, c := range map[string]struct {
		change      func(*tx)
		party, iban string
	}{
		"money out: the creditor": {func(w *tx) { w.CreditorAccount = number("DE02 1203 0000 0000 2020 51") }, "Shop", "DE02120300000000202051"},
		"money in: the debtor":    {func(w *tx) { w.CreditDebitIndicator = "CRDT"; w.Debtor = party("Employer") }, "Employer", ""},
		"empty name":              {func(w *tx) { w.Creditor = party(" ") }, "", ""},
		"null":                    {func(w *tx) { w.Creditor = nil }, "", ""},
		"placeholder":             {func(w *tx) { w.Creditor = party("NOTPROVIDED") }, "", ""},
		"own name":                {func(w *tx) { w.Creditor = party("EXAMPLE, ANNA") }, "", ""},
		"own side filled in":      {func(w *tx) { w.Creditor = party("Anna Example"); w.CreditorAccount = number("DE89370400440532013000") }, "", ""},
		"own last four digits": {func(w *tx) {
			w.CreditorAccount = &openbanking.AccountIdentification{Other: &openbanking.GenericIdentification{Identification: "3000", SchemeName: "CPAN"}}
		}, "Shop", ""},
		"transfer to the own savings": {func(w *tx) { w.Creditor = party("Anna Example"); w.CreditorAccount = number("DE02120300000000202051") },
			"Anna Example", "DE02120300000000202051"},
	} {
		e := read(t, c.change)
		if e.Counterparty != c.party || e.CounterpartyAccount != c.iban {
			t.Errorf("%s: %q %q, want %q %q", name, e.Counterparty, e.CounterpartyAccount, c.party, c.iban)
		}
	}
}

// api-notes 10: the sign comes from credit_debit_indicator on the absolute value; XXX is the currency of the account.
func TestAmount(t *testing.T) {
	for name, c := range map[string]struct {
		indicator        openbanking.CreditDebitIndicator
		amount, currency string
		want, in         string
	}{
		"debit":                 {"DBIT", "12.30", "EUR", "-12.30", "EUR"},
		"credit":                {"CRDT", "12.30", "EUR", "12.30", "EUR"},
		"debit with a minus":    {"DBIT", "-12.30", "EUR", "-12.30", "EUR"},
		"credit with a minus":   {"CRDT", "-12.30", "EUR", "12.30", "EUR"},
		"no decimals":           {"CRDT", "23", "EUR", "23.00", "EUR"},
		"no currency":           {"CRDT", "1.50", "XXX", "1.50", "EUR"},
		"currency of its own":   {"CRDT", "150", "JPY", "150", "JPY"},
		"trailing zeros beyond": {"CRDT", "1.5000", "EUR", "1.50", "EUR"},
	} {
		e := read(t, func(w *openbanking.Transaction) {
			w.CreditDebitIndicator, w.TransactionAmount = c.indicator, openbanking.AmountType{Amount: c.amount, Currency: c.currency}
		})
		if e.Amount.String() != c.want || e.Amount.Currency() != c.in || e.Text != c.amount {
			t.Errorf("%s: %s %s %q", name, e.Amount, e.Amount.Currency(), e.Text)
		}
	}
	for name, change := range map[string]func(*openbanking.Transaction){
		"no number":     func(w *openbanking.Transaction) { w.TransactionAmount.Amount = "NaN" },
		"third decimal": func(w *openbanking.Transaction) { w.TransactionAmount.Amount = "1.234" },
		"no direction":  func(w *openbanking.Transaction) { w.CreditDebitIndicator = "" },
		"comma":         func(w *openbanking.Transaction) { w.TransactionAmount.Amount = "1,20" },
		"dates of no calendar": func(w *openbanking.Transaction) {
			w.BookingDate, w.ValueDate, w.TransactionDate = new(openbanking.Date("9999-12-31")), new(openbanking.Date("0000-00-00")), nil
		},
		"beyond 64 bits": func(w *openbanking.Transaction) { w.TransactionAmount.Amount = "99999999999999999999" },
	} {
		if e, err := reader.Read(wire(change), nil); err == nil {
			t.Errorf("%s was read as %s", name, e.Amount)
		}
	}
}

func TestRowStateOf(t *testing.T) {
	for status, want := range map[openbanking.TransactionStatus]RowState{"BOOK": RowBooked, "PDNG": RowPending, "HOLD": RowPending, "SCHD": RowPending,
		"OTHR": RowPending, "": RowBooked, "CNCL": RowVoid, "RJCT": RowVoid, "NEWS": RowPending} {
		if got := RowStateOf(wire(func(w *openbanking.Transaction) { w.Status = status })); got != want {
			t.Errorf("%q: %v, want %v", status, got, want)
		}
	}
	if got := RowStateOf(wire(func(w *openbanking.Transaction) { w.Status, w.BookingDate = "", nil })); got != RowPending {
		t.Errorf("no status, no booking date: %v", got)
	}
}

func TestDatesThatAreNone(t *testing.T) {
	e := read(t, func(w *openbanking.Transaction) {
		w.BookingDate, w.TransactionDate, w.ValueDate = new(openbanking.Date("2026-02-30")), new(openbanking.Date("")), new(openbanking.Date("2026-03-05T00:00:00Z"))
	})
	if e.BookingDate != "" || e.TransactionDate != "" || e.ValueDate != "2026-03-05" || e.Date != "2026-03-05" {
		t.Errorf("%+v", e.Transaction)
	}
}

func TestCleanRemittance(t *testing.T) {
	for name, c := range map[string]struct {
		lines []string
		want  string
	}{
		"none":                 {nil, ""},
		"several":              {[]string{"Invoice 7", "Thank you"}, "Invoice 7 Thank you"},
		"several lines in one": {[]string{"Invoice 7\n  Thank   you\r\n"}, "Invoice 7 Thank you"},
		"labelled":             {[]string{"Omschrijving: Huur maart", "Kenmerk: 123", "IBAN: NL00"}, "Huur maart"},
		"only technical":       {[]string{"EREF+ABC"}, "EREF+ABC"},
		"placeholder":          {[]string{"NOTPROVIDED"}, ""},
		"repeated":             {[]string{"Rent", "Rent"}, "Rent"},
		"direction marks":      {[]string{"a\u202eb\u200bc"}, "abc"},
	} {
		if got := CleanRemittance(c.lines); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestSortRangesFollowDates(t *testing.T) {
	dates := []openbanking.Date{"", "1999-12-31", "2025-12-31", "2026-01-01", "2026-01-02", "2100-01-01"}
	var last int64 = -1
	for _, d := range dates {
		low, middle, high := SortRange(d)
		if low <= last || middle <= low || high <= middle {
			t.Errorf("%q: %d %d %d after %d", d, low, middle, high, last)
		}
		last = high
	}
}

// api-notes 10: some banks leave the name out and write the merchant into the address.
func TestMerchantInTheAddress(t *testing.T) {
	for _, c := range []struct {
		party *openbanking.PartyIdentification
		want  string
	}{
		{&openbanking.PartyIdentification{PostalAddress: &openbanking.PostalAddress{AddressLine: []string{" Corner\tBasket ", "GALWAY IE"}}}, "Corner Basket"},
		{&openbanking.PartyIdentification{Name: new(""), PostalAddress: &openbanking.PostalAddress{AddressLine: []string{"Corner Basket"}}}, "Corner Basket"},
		{&openbanking.PartyIdentification{Name: new("Bakery"), PostalAddress: &openbanking.PostalAddress{AddressLine: []string{"Main Street 1"}}}, "Bakery"},
		{&openbanking.PartyIdentification{PostalAddress: &openbanking.PostalAddress{}}, ""},
		{&openbanking.PartyIdentification{PostalAddress: &openbanking.PostalAddress{AddressLine: []string{"Anna Example"}}}, ""},
	} {
		if got := read(t, func(w *openbanking.Transaction) { w.Creditor, w.CreditorAccount = c.party, nil }); got.Counterparty != c.want {
			t.Errorf("%+v: %q, want %q", *c.party, got.Counterparty, c.want)
		}
	}
}
