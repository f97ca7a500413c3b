package finance_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"florin/internal/finance"
	"florin/internal/finance/transfertest"
	"florin/internal/money"
	"florin/internal/openbanking"
)

// On generated households at least 995 of 1,000 pairs are right, and at least 970 of 1,000 transfers are found, whatever the order of the rows.
func TestTransfersOfGeneratedHouseholds(t *testing.T) {
	s := transfertest.Score{}
	for seed := range uint64(40) {
		h := transfertest.Make(seed)
		found := h.Match()
		s.Add(h, found)
		rand.Shuffle(len(h.Rows), func(i, j int) { h.Rows[i], h.Rows[j] = h.Rows[j], h.Rows[i] })
		if again := h.Match(); !slices.Equal(found, again) {
			t.Errorf("seed %d: %d pairs, and %d others when the rows come in another order", seed, len(found), len(again))
		}
	}
	t.Logf("%d transfers, %d found, %d of them wrong: precision %.2f %%, recall %.2f %%", s.There, s.Found, s.Found-s.Right, 100*s.Precision(), 100*s.Recall())
	if s.There < 1000 || s.Precision() < 0.995 || s.Recall() < 0.97 {
		t.Errorf("precision %.4f of %d pairs, recall %.4f of %d transfers", s.Precision(), s.Found, s.Recall(), s.There)
	}
}

func TestMatchTransfers(t *testing.T) {
	const (
		giro, savings, third = "DE89370400440532013000", "DE02120300000000202051", "FI2112345600000785"
		stranger             = "FR1420041010050500013M02606"
	)
	accounts := []finance.Account{
		{ID: "giro", IBAN: giro, Currency: "EUR", Holder: "Dr. Anna Meier"}, {ID: "savings", IBAN: savings, Currency: "EUR", Product: "Instant access"},
		{ID: "third", IBAN: third, Currency: "EUR"}, {ID: "dollars", Number: "40012345678", Currency: "USD"},
	}
	type row struct {
		account, amount, date, name, number, text string
	}
	amount := func(r row) money.Amount {
		currency := "EUR"
		if r.account == "dollars" {
			currency = "USD"
		}
		a, err := money.Parse(r.amount, currency)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	for name, c := range map[string]struct {
		rows []row
		want [][2]int64 // by place, from 1
	}{
		"both tell the number": {[]row{{"giro", "-100.00", "2026-03-02", "", savings, ""}, {"savings", "100.00", "2026-03-03", "", giro, ""}}, [][2]int64{{1, 2}}},
		"one tells it":         {[]row{{"giro", "-100.00", "2026-03-02", "", savings, ""}, {"savings", "100.00", "2026-03-05", "", "", ""}}, [][2]int64{{1, 2}}},
		"the national number":  {[]row{{"giro", "-100.00", "2026-03-02", "", "", ""}, {"savings", "100.00", "2026-03-02", "", "532013000", ""}}, [][2]int64{{1, 2}}},
		"the BBAN":             {[]row{{"giro", "-100.00", "2026-03-02", "", "120300000000202051", ""}, {"savings", "100.00", "2026-03-02", "", "", ""}}, [][2]int64{{1, 2}}},
		"the number in the text": {[]row{{"giro", "-100.00", "2026-03-02", "", "", "to " + savings}, {"savings", "100.00", "2026-03-02", "", "", ""}},
			[][2]int64{{1, 2}}},
		"too late":        {[]row{{"giro", "-100.00", "2026-03-02", "", savings, ""}, {"savings", "100.00", "2026-03-07", "", giro, ""}}, nil},
		"another account": {[]row{{"giro", "-100.00", "2026-03-02", "", third, ""}, {"savings", "100.00", "2026-03-02", "Anna Meier", "", ""}}, nil},
		"a stranger":      {[]row{{"giro", "-100.00", "2026-03-02", "", stranger, ""}, {"savings", "100.00", "2026-03-02", "", giro, ""}}, nil},
		"an employer":     {[]row{{"giro", "-100.00", "2026-03-02", "Anna Meier", "", ""}, {"savings", "100.00", "2026-03-02", "Nordwerk", "", ""}}, nil},
		"the holder's name": {[]row{{"giro", "-100.00", "2026-03-02", "MEIER ANNA", "", ""}, {"savings", "100.00", "2026-03-02", "", "", "credit"}},
			[][2]int64{{1, 2}}},
		"the same amount alone": {[]row{{"giro", "-100.00", "2026-03-02", "", "", "a"}, {"savings", "100.00", "2026-03-02", "", "", "b"}}, nil},
		"the same words":        {[]row{{"giro", "-100.00", "2026-03-02", "", "", "new bicycle"}, {"savings", "100.00", "2026-03-02", "", "", "New bicycle"}}, [][2]int64{{1, 2}}},
		"two accounts come into question": {[]row{{"giro", "-100.00", "2026-03-02", "Anna Meier", "", ""}, {"savings", "100.00", "2026-03-02", "", "", ""},
			{"third", "100.00", "2026-03-02", "", "", ""}}, nil},
		"one of two went": {[]row{{"giro", "-100.00", "2026-03-02", "", savings, ""}, {"giro", "-100.00", "2026-03-02", "", savings, ""},
			{"savings", "100.00", "2026-03-02", "", giro, ""}}, nil},
		"twice on one day": {[]row{{"giro", "-100.00", "2026-03-02", "", savings, ""}, {"giro", "-100.00", "2026-03-02", "", savings, ""},
			{"savings", "100.00", "2026-03-02", "", giro, ""}, {"savings", "100.00", "2026-03-02", "", giro, ""}}, [][2]int64{{1, 3}, {2, 4}}},
		"day by day": {[]row{{"giro", "-100.00", "2026-03-02", "", savings, ""}, {"giro", "-100.00", "2026-03-03", "", savings, ""},
			{"savings", "100.00", "2026-03-03", "", giro, ""}, {"savings", "100.00", "2026-03-04", "", giro, ""}}, [][2]int64{{1, 3}, {2, 4}}},
		"less a fee":             {[]row{{"giro", "-100.00", "2026-03-02", "", savings, ""}, {"savings", "98.50", "2026-03-03", "", giro, ""}}, [][2]int64{{1, 2}}},
		"dollars":                {[]row{{"giro", "-100.00", "2026-03-02", "", "40012345678", ""}, {"dollars", "107.30", "2026-03-03", "", giro, ""}}, [][2]int64{{1, 2}}},
		"dollars by text":        {[]row{{"giro", "-100.00", "2026-03-02", "Anna Meier", "", ""}, {"dollars", "107.30", "2026-03-03", "", "", "from Anna Meier"}}, [][2]int64{{1, 2}}},
		"dollars without a word": {[]row{{"giro", "-100.00", "2026-03-02", "", "40012345678", ""}, {"dollars", "107.30", "2026-03-03", "", "", "credit"}}, nil},
		"too many dollars": {[]row{{"giro", "-100.00", "2026-03-02", "Anna Meier", "", ""}, {"dollars", "117.30", "2026-03-03", "", "", "from Anna Meier"}},
			nil},
		"without a date": {[]row{{"giro", "-100.00", "", "", savings, ""}, {"savings", "100.00", "", "", giro, ""}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			m := finance.NewTransferMatcher(accounts)
			var sides []finance.TransferSide
			for i, r := range c.rows {
				side, ok := m.Side(finance.TransferRow{ID: int64(i + 1), AccountID: r.account, Amount: amount(r), Date: openbanking.Date(r.date),
					Counterparty:        r.name,
					CounterpartyAccount: r.number, Remittance: r.text})
				if ok {
					sides = append(sides, side)
				}
			}
			var got [][2]int64
			for _, f := range m.Match(sides) {
				got = append(got, [2]int64{f.OutID, f.InID})
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

// What a row says is read once, however many accounts the person has.
func TestARowIsReadOnce(t *testing.T) {
	amount, err := money.Parse("-100.00", "EUR")
	if err != nil {
		t.Fatal(err)
	}
	read := func(accounts int) float64 {
		var all []finance.Account
		for i := range accounts {
			all = append(all, finance.Account{ID: fmt.Sprint(i), IBAN: fmt.Sprintf("DE%020d", i), Currency: "EUR", Holder: fmt.Sprintf("Anna Meier %d", i%2)})
		}
		m := finance.NewTransferMatcher(all)
		row := finance.TransferRow{AccountID: "0", Amount: amount, Date: "2026-03-02"}
		named, unnamed := row, row
		named.Counterparty, named.CounterpartyAccount, unnamed.Remittance = "Anna Nobody", "***9999", "to an account that nobody knows"
		return testing.AllocsPerRun(100, func() {
			m.Side(named)
			m.Side(unnamed)
		})
	}
	if few, many := read(2), read(100); many > few {
		t.Errorf("a row takes %v allocations with 100 accounts, %v with two", many, few)
	}
}
