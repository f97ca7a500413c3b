package store

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"florin/internal/budgets"
	"florin/internal/finance"
	"florin/internal/forecast"
	"florin/internal/openbanking"
)

// forecasting returns a bed with an account of 1,000 euros: five months with a subscription, and shopping in four of them.
func forecasting(t *testing.T) (b *bed, user, account string) {
	t.Helper()
	b = newBed(t)
	user, account = b.linked(t)
	rows := monthly(t, "Films", "9.99", 1, 2, 3, 4, 5)
	for n, name := range []string{"Anna", "Brot", "Cafe", "Dorf"} {
		rows = append(rows, entry(t, name, fmt.Sprintf("%d.00", 30+10*n), fmt.Sprintf("2025-%02d-%02d", n+2, 20+n), name))
	}
	slices.SortFunc(rows, func(a, b finance.Entry) int {
		return -slices.Compare([]openbanking.Date{a.Date}, []openbanking.Date{b.Date})
	})
	b.run(t, rows)
	b.exec(t, `INSERT INTO balance (account_id, position, type, name, minor, currency, amount, reference_date, fetched)
		VALUES ($1, 0, 'CLBD', '', 100000, 'EUR', '1000.00', '2025-05-31', '2025-06-10T09:00:00.000Z')`, account)
	b.findRecurring(t)
	return b, user, account
}

var inJune = time.Date(2025, time.June, 10, 12, 0, 0, 0, time.UTC)

// The forecast is made from the balance, the recurring series, and the mean of the whole months before.
func TestForecast(t *testing.T) {
	b, user, account := forecasting(t)
	ctx := t.Context()
	f := must(b.Forecast(ctx, user, inJune))(t)
	var days []string
	for _, i := range f.Items {
		days = append(days, fmt.Sprintf("%s %s %s %s", i.Day, i.Due, i.Name, i.Amount))
	}
	equal(t, days, "2025-06-10 2025-06-05 Films -9.99", "2025-07-05 2025-07-05 Films -9.99", "2025-08-05 2025-08-05 Films -9.99", "2025-09-05 2025-09-05 Films -9.99")
	var past []string
	for _, m := range f.Past[account] {
		past = append(past, fmt.Sprintf("%s %s %s %s %s", m.Month, m.In, m.Out, m.Known, m.Rest))
	}
	equal(t, past, "2025-02-01 0.00 -39.99 -9.99 -30.00", "2025-03-01 0.00 -49.99 -9.99 -40.00", "2025-04-01 0.00 -59.99 -9.99 -50.00", "2025-05-01 0.00 -69.99 -9.99 -60.00")
	l, ok := f.Line(account)
	if !ok || l.Everyday.Month.String() != "-45.00" || l.Points[0].Balance.String() != "990.01" || l.Points[30].Balance.String() != "935.64" {
		t.Errorf("everyday spending is %s, the line begins with %s and has %s after 30 days", l.Everyday.Month, l.Points[0].Balance, l.Points[30].Balance)
	}

	// A dismissed series counts as everyday spending. A budget replaces the mean of the spending that it covers.
	check(t, b.ChooseRecurring(ctx, user, b.called(t, user, "Films").ID, "dismissed"))
	if l, _ := must(b.Forecast(ctx, user, inJune))(t).Line(account); l.Everyday.Month.String() != "-54.99" || len(l.Items) != 0 {
		t.Errorf("with a dismissed series everyday spending is %s", l.Everyday.Month)
	}
	for _, name := range []string{"Anna", "Brot", "Cafe", "Dorf"} {
		must(b.SetCategory(ctx, user, account, b.id(t, user, name), "books"))(t)
	}
	check(t, b.AddBudgets(ctx, user, budgets.Budget{ID: "books", Target: budgets.Target{Category: "books"}, Currency: "EUR", From: "2025-06", Assigned: map[budgets.Month]int64{"2025-06": 2000}}))
	if l, _ := must(b.Forecast(ctx, user, inJune))(t).Line(account); l.Everyday.Month.String() != "-29.99" || l.Everyday.Budget.String() != "-20.00" {
		t.Errorf("with a budget everyday spending is %s, %s of it from the budget", l.Everyday.Month, l.Everyday.Budget)
	}

	// An account without a balance is named. Nobody sees the forecast of another person.
	b.exec(t, `DELETE FROM balance WHERE account_id = $1`, account)
	check(t, b.SetNickname(ctx, user, account, "x")) // any write clears the cache
	if f := must(b.Forecast(ctx, user, inJune))(t); len(f.Accounts) != 0 || len(f.Without) != 1 {
		t.Errorf("without a balance: %d lines, %d accounts without one", len(f.Accounts), len(f.Without))
	}
	if f := must(b.Forecast(ctx, b.user(t, "b@example.org").ID, inJune))(t); len(f.Accounts)+len(f.Items)+len(f.Past)+len(f.Without) != 0 {
		t.Errorf("somebody else sees %+v", f)
	}
}

// Today is the person's local day: at one moment two places can have different days, also at the end of daylight saving time.
func TestForecastsBeginToday(t *testing.T) {
	b, user, account := forecasting(t)
	for _, c := range []struct {
		moment, zone string
		today        openbanking.Date
	}{
		{"2025-06-10T10:30:00Z", "Pacific/Kiritimati", "2025-06-11"},
		{"2025-06-10T10:30:00Z", "Pacific/Pago_Pago", "2025-06-09"},
		{"2025-06-09T21:59:59Z", "Europe/Berlin", "2025-06-09"},
		{"2025-06-09T22:00:00Z", "Europe/Berlin", "2025-06-10"},
		{"2025-10-26T00:30:00Z", "Europe/Berlin", "2025-10-26"}, // the hour that comes twice
		{"2025-10-26T01:30:00Z", "Europe/Berlin", "2025-10-26"},
		{"2025-10-26T22:59:59Z", "Europe/Berlin", "2025-10-26"}, // a day of 25 hours
		{"2025-11-02T06:30:00Z", "America/New_York", "2025-11-02"},
		{"2025-11-03T04:59:59Z", "America/New_York", "2025-11-02"},
	} {
		moment, zone := must(time.Parse(time.RFC3339, c.moment))(t), must(time.LoadLocation(c.zone))(t)
		l, ok := must(b.Forecast(t.Context(), user, moment.In(zone)))(t).Line(account)
		if !ok || l.Points[0].Day != c.today || l.Points[forecast.Days].Day != shifted(c.today, 0, forecast.Days) {
			t.Errorf("at %s in %s: %+v, want to begin on %s", c.moment, c.zone, l.Low, c.today)
		}
	}
}

// One forecast is stored each day, and compared with the bookings when its period is over.
func TestKeptForecasts(t *testing.T) {
	b, user, account := forecasting(t)
	ctx := t.Context()
	for range 2 {
		check(t, b.KeepForecasts(ctx, inJune))
	}
	check(t, b.KeepForecasts(ctx, inJune.AddDate(0, 0, 1)))
	read := func(user string, today openbanking.Date) (list []string) {
		t.Helper()
		for _, past := range must(b.PastForecasts(ctx, user, today))(t)[account] {
			list = append(list, fmt.Sprintf("%s %s %s %s", past.Made, past.Day, past.Forecast, past.Actual))
		}
		return list
	}
	equal(t, read(user, "2025-07-10"))
	equal(t, read(user, "2025-07-11"), "2025-06-10 2025-07-10 935.64 1000.00")
	equal(t, read(user, "2025-07-12"), "2025-06-10 2025-07-10 935.64 1000.00", "2025-06-11 2025-07-11 935.64 1000.00")
	equal(t, read("somebody else", "2025-07-12"))
	check(t, b.KeepForecasts(ctx, inJune.AddDate(0, 0, forecastsKept+1)))
	if list := read(user, "2027-01-01"); len(list) != 2 || list[0][:10] != "2025-06-11" {
		t.Errorf("after %d days: %v", forecastsKept+1, list)
	}
}
