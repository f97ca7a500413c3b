// Package judge measures how far forecasts are from what was booked, on made-up ledgers of households (package household). It compares them with a forecast
// that knows everything about the household except chance.
package judge

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"florin/internal/categories"
	"florin/internal/categories/household"
	"florin/internal/finance"
	"florin/internal/forecast"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/recurring"
)

// Goal is the median error after 30 days that a forecast should reach, as a share of the spending of a month.
const Goal = 0.05

// Errors are the differences between forecast and balance after 30 days, each as a share of the spending of a month.
type Errors struct {
	Forecast []float64 // of Florin
	Oracle   []float64 // of a forecast that knows the household: the mean of other ledgers of the same household
	Bills    []float64 // of the forecast of bills, salaries and similar series alone
	Everyday []float64 // of the forecast for everything else
}

// lifetime holds the rows of a ledger, and which of them are bills.
type lifetime struct {
	rows []recurring.Row // oldest first
	bill map[int64]bool
}

// Household adds the errors of forecasts for a household. They are made on the given number of days, about two months apart. lives is the number of other
// ledgers of the household whose mean is the oracle's forecast.
func (e *Errors) Household(code string, style, home, days, lives int) error {
	l, err := live(household.Lived(code, style, home, 0), true)
	if err != nil {
		return err
	}
	others := make([]lifetime, lives)
	for n := range others {
		if others[n], err = live(household.Lived(code, style, home, n+1), false); err != nil {
			return err
		}
	}
	for n := range days {
		e.add(l, others, openbanking.DateOf(time.Date(2024, time.June, 30, 0, 0, 0, 0, time.UTC).AddDate(0, 0, 61*n)))
	}
	return nil
}

// live reads a ledger as Florin does. It leaves out transfers between own accounts, which do not change the total. Names of payees are worked out only when
// payees is true.
func live(ledger household.Ledger, payees bool) (lifetime, error) {
	reader := finance.Reader{Currency: "EUR", Number: ledger.Account, Today: "2030-01-01"}
	l := lifetime{bill: map[int64]bool{}}
	for _, w := range ledger.Rows {
		if w.Category == categories.Transfer {
			continue
		}
		r := recurring.Row{ID: int64(len(l.rows) + 1), Day: *w.BookingDate}
		l.bill[r.ID] = w.Every > 0
		if payees {
			entry, err := reader.Read(w.Transaction, nil)
			if err != nil {
				return l, fmt.Errorf("made-up row: %w", err)
			}
			r.Amount, r.Known = entry.Amount, entry.CounterpartyAccount != ""
			r.Payee = categories.PayeeOf(categories.FactsOf(entry.Transaction, entry.Signs, ledger.Account)).Key
		} else {
			amount, err := money.Parse(w.TransactionAmount.Amount, "EUR")
			if err != nil {
				return l, fmt.Errorf("made-up row: %w", err)
			}
			if r.Amount = amount; w.CreditDebitIndicator == openbanking.CreditDebitIndicatorDBIT {
				r.Amount = amount.Neg()
			}
		}
		l.rows = append(l.rows, r)
	}
	return l, nil
}

// after returns the rows after day, up to and including until.
func (l lifetime) after(day, until openbanking.Date) []recurring.Row {
	at := func(d openbanking.Date) int {
		n, _ := slices.BinarySearchFunc(l.rows, d, func(r recurring.Row, d openbanking.Date) int {
			if r.Day <= d {
				return -1
			}
			return 1
		})
		return n
	}
	return l.rows[at(day):at(until)]
}

func sum(rows []recurring.Row, counts func(recurring.Row) bool) (minor int64) {
	for _, r := range rows {
		if counts(r) {
			minor += r.Amount.Minor()
		}
	}
	return minor
}

// add compares the forecast made on a day with what was booked.
func (e *Errors) add(l lifetime, others []lifetime, today openbanking.Date) {
	all := func(recurring.Row) bool { return true }
	bill := func(r recurring.Row) bool { return l.bill[r.ID] }
	past, until := l.after("", today), shifted(today, 0, 30)
	spent := -float64(sum(l.after(shifted(today, -12, 0), today), func(r recurring.Row) bool { return r.Amount.Sign() < 0 })) / 12
	share := func(off int64) float64 { return float64(max(off, -off)) / spent }

	var items []forecast.Item
	known := map[int64]bool{}
	found, _ := recurring.Find(context.Background(), past) // there is enough time
	for _, s := range found {
		for _, r := range s.Rows {
			known[r.ID] = true
		}
		items = append(items, forecast.OfSeries(today, forecast.Item{Account: "a"}, s.Facts, until)...)
	}
	account := forecast.Account{ID: "a", Balance: money.FromMinor(0, "EUR")}
	first := today[:len("2006-01-")] + "01"
	for n := range forecast.Months {
		month := l.after(shifted(first, n-forecast.Months, -1), shifted(first, n-forecast.Months+1, -1))
		account.Past = append(account.Past, sum(month, func(r recurring.Row) bool { return !known[r.ID] }))
	}
	outlook := forecast.New(today, []forecast.Account{account}, items)
	told, toldBills := outlook.Totals[0].Points[30].Balance.Minor(), int64(0)
	for _, i := range outlook.Items {
		toldBills += i.Amount.Minor()
	}
	came := l.after(today, until)
	e.Forecast = append(e.Forecast, share(sum(came, all)-told))
	e.Bills = append(e.Bills, share(sum(came, bill)-toldBills))
	e.Everyday = append(e.Everyday, share(sum(came, all)-sum(came, bill)-told+toldBills))
	mean := int64(0)
	for _, o := range others {
		mean += sum(o.after(today, until), all)
	}
	if len(others) > 0 {
		e.Oracle = append(e.Oracle, share(sum(came, all)-mean/int64(len(others))))
	}
}

// Median returns the middle element of the sorted list.
func Median(all []float64) float64 {
	sorted := slices.SortedFunc(slices.Values(all), cmp.Compare[float64])
	return sorted[len(sorted)/2]
}

func shifted(day openbanking.Date, months, days int) openbanking.Date {
	t, err := day.Time()
	if err != nil {
		return ""
	}
	return openbanking.DateOf(t.AddDate(0, months, days))
}
