package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"florin/internal/budgets"
	"florin/internal/categories"
	"florin/internal/finance"
	"florin/internal/forecast"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/recurring"
	"florin/internal/search"
	"florin/internal/sqlite"
)

// Coming lists by day what is known to come to the accounts of a user from today, which is the day of now in its time zone, until so many days after: what
// series of transactions bring, payments that Florin sent, and those that it handed to the person, which are expected today. A series of which the bank booked
// such a payment last is that payment.
func (s *Store) Coming(ctx context.Context, userID string, now time.Time, days int) (items []forecast.Item, err error) {
	defer doing("read what comes", &err)
	today := openbanking.Date(now.Format(time.DateOnly))
	until := shifted(today, 0, days)
	accounts, err := s.Accounts(ctx, userID)
	if err != nil {
		return nil, err
	}
	payments, err := s.ComingPayments(ctx, userID, today)
	if err != nil {
		return nil, err
	}
	handed, err := s.handedPayments(ctx, userID)
	if err != nil {
		return nil, err
	}
	dated := len(payments)
	sent := map[int64]bool{} // rows that are bookings of such payments
	for i, p := range append(slices.Clip(payments), handed...) {
		bookings, err := s.PaymentBookings(ctx, userID, p.ID)
		if err != nil {
			return nil, err
		}
		var held []finance.BookingMatch
		for _, b := range bookings {
			held = append(held, b.BookingMatch)
			sent[b.BookingID] = true
		}
		planned := p.Planned(held, until, now)
		if i >= dated {
			planned = p.Owing(held, now)
		}
		for _, e := range planned {
			own := slices.ContainsFunc(accounts, func(a finance.Account) bool {
				return a.IBAN != "" && e.To == finance.PayeeAccount{Scheme: openbanking.SchemeNameIBAN, Number: a.IBAN}
			})
			due := e.Date
			if i >= dated && e.Asked != "" {
				due = e.Asked // which has passed
			}
			items = append(items, forecast.Item{Day: e.Date, Due: due, Amount: e.Amount.Neg(), Account: p.Order.AccountID, Transfer: own,
				Name:    cmp.Or(e.Payee, p.Title),
				Payment: p.ID, Standing: p.Order.Standing(), Handed: p.Order.OwnApp(), Undated: i >= dated && e.Asked == ""})
		}
	}
	series, err := s.RecurringSeries(ctx, userID)
	if err != nil {
		return nil, err
	}
	for _, k := range series {
		if k.Choice != recurring.Dismissed && !sent[k.LastRow] {
			items = append(items, forecast.OfSeries(today,
				forecast.Item{Account: k.Account, Transfer: k.Transfer, Category: k.Category, Name: k.Title, Series: k.ID}, k.Facts, until)...)
		}
	}
	slices.SortStableFunc(items, func(a, b forecast.Item) int { return cmp.Compare(a.Day, b.Day) })
	return items, nil
}

// handedPayments are those that were handed to the person, to be sent in the app of the bank, and are not over.
func (s *Store) handedPayments(ctx context.Context, userID string) ([]finance.SentPayment, error) {
	return sqlite.Remember(ctx, s.db, sqlite.Key{"payment", userID, "handed"}, func() ([]finance.SentPayment, error) {
		return s.sentPayments(ctx, s.db.Read(), userID, isOpen+` AND payment.hidden = 0 AND payment.type = $2`, finance.ByOwnApp)
	})
}

// PastMonth is what came and went on an account in a month of the past, in its currency, transfers between own accounts aside.
type PastMonth struct {
	Month   openbanking.Date // its first day
	In, Out money.Amount     // Out is not above zero
	Known   money.Amount     // the part of both together that series are; below zero is money out
	Rest    money.Amount     // what is left of both without that and without what has a budget: everyday spending
}

// Forecast is what a user will have, and what it was made of.
type Forecast struct {
	forecast.Outlook
	Past    map[string][]PastMonth // of accounts, in the order of time: the months that tell everyday spending
	Without []finance.Account      // accounts in use whose balance nobody knows
}

// Forecast tells what comes to the accounts of a user after today, which is the day of now in its time zone. Accounts that have only a value, and closed ones,
// have no part in it.
//
// It comes from memory while nothing was written, for up to an hour. Callers change nothing in it.
func (s *Store) Forecast(ctx context.Context, userID string, now time.Time) (_ Forecast, err error) {
	defer doing("forecast", &err)
	return Remembered(ctx, s, userID, "forecast", now, s.Stamp(ctx), func() (Forecast, error) { return s.forecast(ctx, userID, now) })
}

func (s *Store) forecast(ctx context.Context, userID string, now time.Time) (f Forecast, err error) {
	today := openbanking.Date(now.Format(time.DateOnly))
	items, err := s.Coming(ctx, userID, now, forecast.Days)
	if err != nil {
		return f, err
	}
	held, err := s.Accounts(ctx, userID)
	if err != nil {
		return f, err
	}
	var accounts []forecast.Account
	for _, a := range held {
		if a.Source == finance.SourceValue || !a.Closed.IsZero() {
			continue
		}
		balances, err := s.DayBalances(ctx, userID, a.ID, search.Period{From: today, To: today})
		if err != nil {
			return f, err
		}
		if len(balances) == 0 {
			f.Without = append(f.Without, a)
			continue
		}
		accounts = append(accounts, forecast.Account{ID: a.ID, Balance: balances[0].Balance})
	}
	set, err := s.budgeted(ctx, userID, today)
	if err != nil {
		return f, err
	}
	if f.Past, err = s.pastMonths(ctx, userID, monthOf(today), accounts, set); err != nil {
		return f, err
	}
	for i := range accounts {
		for _, m := range f.Past[accounts[i].ID] {
			accounts[i].Past = append(accounts[i].Past, m.Rest.Minor())
		}
	}
	set.plan(accounts, f.Past, items)
	f.Outlook = forecast.New(today, accounts, items)
	return f, nil
}

// pastMonths are the months of accounts before one, which is given by its first day: those from the first on that the account has as a whole, forecast.Months
// at most. Months whose figures no amount can hold are left out.
func (s *Store) pastMonths(ctx context.Context, userID string, before openbanking.Date, accounts []forecast.Account, set budgeted) (map[string][]PastMonth,
	error) {
	first := shifted(before, -forecast.Months, 0)
	in := search.Period{From: shifted(first, -1, 0), To: dayBefore(before)}
	sums, err := s.MonthSums(ctx, userID, in) // in the order of months
	if err != nil {
		return nil, err
	}
	series, err := s.seriesMonths(ctx, userID, in)
	if err != nil {
		return nil, err
	}
	type key struct {
		account, currency string
		month             openbanking.Date
	}
	type month struct{ in, out, known, rest flow }
	months, since := map[key]*month{}, map[key]openbanking.Date{}
	add := func(sums []Sum, put func(m *month, sum Sum, set bool)) {
		for _, sum := range sums {
			k := key{account: sum.AccountID, currency: sum.In.Currency()}
			if since[k] == "" {
				since[k] = sum.Day
			}
			k.month = sum.Day
			if months[k] == nil {
				months[k] = new(month)
			}
			put(months[k], sum, set.of(sum.Category, k.currency) >= 0)
		}
	}
	add(sums, func(m *month, sum Sum, set bool) {
		m.in.put(sum.In)
		m.out.put(sum.Out)
		if !set {
			m.rest.put(sum.In)
			m.rest.put(sum.Out)
		}
	})
	add(series, func(m *month, sum Sum, set bool) {
		m.known.put(sum.In)
		if !set {
			m.rest.put(sum.In.Neg())
		}
	})
	past := map[string][]PastMonth{}
	for _, a := range accounts {
		k := key{account: a.ID, currency: a.Balance.Currency()}
		if since[k] == "" {
			continue
		}
		for k.month = shifted(since[k], 1, 0); k.month < before; k.month = shifted(k.month, 1, 0) {
			m := months[key{a.ID, k.currency, k.month}]
			if m == nil {
				m = new(month)
			}
			p, fits := PastMonth{Month: k.month}, true
			for to, from := range map[*money.Amount]*flow{&p.In: &m.in, &p.Out: &m.out, &p.Known: &m.known, &p.Rest: &m.rest} {
				amount, ok := from.amount(k.currency)
				*to, fits = amount, fits && ok
			}
			if fits {
				past[a.ID] = append(past[a.ID], p)
			}
		}
	}
	return past, nil
}

// seriesMonths adds up the rows that are of series as MonthSums does, in and out together. Series that the user dismissed do not count.
func (s *Store) seriesMonths(ctx context.Context, userID string, in search.Period) ([]Sum, error) {
	return sqlite.Remember(ctx, s.db, sqlite.Key{"recurring_row", userID, string(in.From + " " + in.To)}, func() ([]Sum, error) {
		return collect(ctx, s.db.Read(), func(row scanner) (sum Sum, err error) {
			var net flow
			var currency string
			err = row.Scan(&sum.AccountID, &sum.Day, &sum.Category, &currency, &net.millions, &net.rest)
			amount, ok := net.amount(currency)
			if sum.In, sum.Out = amount, money.FromMinor(0, currency); !ok {
				sum.In = sum.Out
			}
			return sum, err
		}, `SELECT t.account_id, SUBSTR(t.display_date, 1, 8) || '01', COALESCE(t.category_id, ''), t.currency, SUM(t.minor / 1000000), SUM(t.minor % 1000000)
			FROM recurring_series part JOIN recurring_row held ON held.series_id = part.id JOIN booked_transaction t ON t.id = held.transaction_id
			LEFT JOIN recurring_series whole ON whole.id = part.merged_into
			WHERE part.user_id = $1 AND COALESCE(whole.choice, part.choice) <> 'dismissed' AND t.display_date BETWEEN $2 AND $3 AND NOT (`+unlisted+`) AND NOT `+pairedColumn+`
			GROUP BY 1, 2, 3, 4`, userID, in.From, in.To)
	})
}

// budgeted are the budgets of a user in the present month that are for everyday spending: those for bills to save up for are not.
type budgeted struct {
	book  categories.Book
	lines []budgets.Line
}

func (s *Store) budgeted(ctx context.Context, userID string, today openbanking.Date) (b budgeted, err error) {
	if b.book, err = s.Categories(ctx, userID); err != nil {
		return b, err
	}
	plan, err := s.Plan(ctx, userID)
	if err != nil {
		return b, err
	}
	month, known := plan.Calendar.Month(today)
	all := budgets.Statements(budgets.Facts{Book: b.book, Budgets: plan.Budgets, Moves: plan.Moves}, month)
	if !known || len(all) == 0 {
		return b, nil
	}
	b.lines = slices.DeleteFunc(slices.Clone(all[len(all)-1].Lines), func(l budgets.Line) bool { return l.TooLarge || l.Goal.Minor > 0 })
	return b, nil
}

// of is the line that a category counts for; -1 for none.
func (b budgeted) of(category, currency string) int {
	own, known := b.book.Of(category)
	if !known {
		return -1
	}
	return slices.IndexFunc(b.lines, func(l budgets.Line) bool { return l.Currency == currency && slices.Contains(l.Covers, own.ID) })
}

// plan gives each budget to an account: that on which most is spent in its currency. What series will take of it is known to come already, and is no everyday
// spending.
func (b budgeted) plan(accounts []forecast.Account, past map[string][]PastMonth, items []forecast.Item) {
	for n, l := range b.lines {
		most, spent := -1, int64(0)
		for i, a := range accounts {
			if a.Balance.Currency() != l.Currency {
				continue
			}
			sum := int64(0)
			for _, m := range past[a.ID] {
				sum -= m.Out.Minor() / forecast.Months
			}
			if most < 0 || sum > spent {
				most, spent = i, sum
			}
		}
		if most < 0 {
			continue
		}
		month := money.FromMinor(-l.Assigned-l.Moved, l.Currency)
		for _, i := range items {
			if b.of(i.Category, i.Amount.Currency()) != n {
				continue
			}
			less, err := month.Sub(money.FromMinor(i.Amount.Minor()/12/forecast.Days*365, l.Currency))
			if err != nil {
				break
			}
			month = less
		}
		accounts[most].Planned += min(month.Minor(), 0)
	}
}
