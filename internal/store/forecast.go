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
func (s *Store) Coming(ctx context.Context, userID string, now time.Time, days int) ([]forecast.Item, error) {
	return s.Mine(userID).Coming(ctx, now, days)
}

// Coming is Store.Coming. The household has what comes to accounts of others that are shared with everything, too.
func (w Seen) Coming(ctx context.Context, now time.Time, days int) (items []forecast.Item, err error) {
	defer doing("read what comes", &err)
	today := openbanking.Date(now.Format(time.DateOnly))
	until := shifted(today, 0, days)
	accounts, err := w.accounts(ctx)
	if err != nil {
		return nil, err
	}
	items, bookings, err := w.store.ordered(ctx, w.userID, accounts, now, until)
	if err != nil {
		return nil, err
	}
	sent := map[int64]bool{} // rows that are bookings of such payments
	for _, b := range bookings {
		sent[b.BookingID] = true
	}
	sentElsewhere := map[copied]bool{}
	if w.household {
		h, err := w.home(ctx)
		if err != nil {
			return nil, err
		}
		for _, payer := range h.payers {
			theirs, bookings, err := w.store.ordered(ctx, payer.ID, accounts, now, until)
			if err != nil {
				return nil, err
			}
			for _, b := range bookings {
				sent[b.BookingID] = true
				sentElsewhere[copied{h.counts[b.AccountID], b.Transaction.Date, b.Transaction.Amount}] = true
			}
			for _, i := range theirs {
				if counts := h.counts[i.Account]; counts != "" {
					i.Account, i.Owner = counts, payer.Email
					items = append(items, i)
				}
			}
		}
	}
	series, err := w.RecurringSeries(ctx)
	if err != nil {
		return nil, err
	}
	for _, k := range series {
		if k.Choice != recurring.Dismissed && !sent[k.LastRow] && !sentElsewhere[copied{k.Account, k.Last, k.Usual}] {
			items = append(items, forecast.OfSeries(today,
				forecast.Item{Account: k.Account, Owner: k.Owner, Transfer: k.Transfer, Category: k.Category, Name: k.Title, Series: k.ID}, k.Facts, until)...)
		}
	}
	slices.SortStableFunc(items, func(a, b forecast.Item) int { return cmp.Compare(a.Day, b.Day) })
	return items, nil
}

// copied identifies a row across the copies of a joint account: by the account that counts, the day and the amount.
type copied struct {
	account string
	day     openbanking.Date
	amount  money.Amount
}

// accounts are those whose rows are seen, the own ones first.
func (w Seen) accounts(ctx context.Context) ([]finance.Account, error) {
	all, err := w.store.Accounts(ctx, w.userID)
	if err != nil || !w.household {
		return all, err
	}
	h, err := w.home(ctx)
	if err != nil {
		return nil, err
	}
	all = slices.Clip(all)
	for _, a := range h.rows {
		all = append(all, a.Account)
	}
	return all, nil
}

// ordered returns what the payments of a user will move until a day, and the bookings of these payments. A payment to one of the accounts is a transfer.
func (s *Store) ordered(ctx context.Context, userID string, accounts []finance.Account, now time.Time, until openbanking.Date) (items []forecast.Item,
	booked []PaymentBooking, err error) {
	payments, err := s.ComingPayments(ctx, userID, openbanking.Date(now.Format(time.DateOnly)))
	if err != nil {
		return nil, nil, err
	}
	handed, err := s.handedPayments(ctx, userID)
	if err != nil {
		return nil, nil, err
	}
	dated := len(payments)
	for i, p := range append(slices.Clip(payments), handed...) {
		bookings, err := s.PaymentBookings(ctx, userID, p.ID)
		if err != nil {
			return nil, nil, err
		}
		var held []finance.BookingMatch
		for _, b := range bookings {
			held = append(held, b.BookingMatch)
		}
		booked = append(booked, bookings...)
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
	return items, booked, nil
}

// isHanded is the condition of handedPayments.
const isHanded = isOpen + ` AND payment.hidden = 0 AND payment.type = $2`

// handedPayments are those that were handed to the person, to be sent in the app of the bank, and are not over.
func (s *Store) handedPayments(ctx context.Context, userID string) ([]finance.SentPayment, error) {
	return sqlite.Remember(ctx, s.db, sqlite.Key{"payment", userID, "handed"}, func() ([]finance.SentPayment, error) {
		return s.sentPayments(ctx, s.db.Read(), userID, isHanded, finance.ByOwnApp)
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
	Flat    []finance.Account      // accounts of others of which only the balances are seen: their lines stay as they are today
}

// Forecast tells what comes to the accounts of a user after today, which is the day of now in its time zone. Accounts that have only a value, and closed ones,
// have no part in it.
//
// It comes from memory while nothing was written, for up to an hour. Callers change nothing in it.
func (s *Store) Forecast(ctx context.Context, userID string, now time.Time) (Forecast, error) {
	return s.Mine(userID).Forecast(ctx, now)
}

// Forecast is Store.Forecast. The household has accounts of others, too. Budgets are those of the person, and take the place of what all these accounts spent.
func (w Seen) Forecast(ctx context.Context, now time.Time) (_ Forecast, err error) {
	defer doing("forecast", &err)
	return Remembered(ctx, w.store, w.key(), "forecast", now, w.store.Stamp(ctx), func() (Forecast, error) { return w.forecast(ctx, now) })
}

func (w Seen) forecast(ctx context.Context, now time.Time) (f Forecast, err error) {
	today := openbanking.Date(now.Format(time.DateOnly))
	items, err := w.Coming(ctx, now, forecast.Days)
	if err != nil {
		return f, err
	}
	held, err := w.accounts(ctx)
	if err != nil {
		return f, err
	}
	accounts, without, err := w.balancesOn(ctx, today, held)
	if err != nil {
		return f, err
	}
	set, err := w.budgeted(ctx, today)
	if err != nil {
		return f, err
	}
	if f.Past, err = w.pastMonths(ctx, monthOf(today), accounts, set); err != nil {
		return f, err
	}
	for i := range accounts {
		for _, m := range f.Past[accounts[i].ID] {
			accounts[i].Past = append(accounts[i].Past, m.Rest.Minor())
		}
	}
	set.plan(accounts, f.Past, items)
	if w.household {
		h, err := w.home(ctx)
		if err != nil {
			return f, err
		}
		for _, a := range h.worth {
			counted := finance.Counted(a.Account, a.Balances)
			switch {
			case a.Source == finance.SourceValue || !a.Closed.IsZero():
			case counted == nil:
				without = append(without, a.Account)
			default:
				f.Flat, accounts = append(f.Flat, a.Account), append(accounts, forecast.Account{ID: a.ID, Balance: counted.Amount})
			}
		}
	}
	f.Without, f.Outlook = without, forecast.New(today, accounts, items)
	return f, nil
}

// balancesOn are accounts in use with what is on them on a day, and those of which nobody knows it.
func (w Seen) balancesOn(ctx context.Context, day openbanking.Date, held []finance.Account) (known []forecast.Account, without []finance.Account, err error) {
	for _, a := range held {
		if a.Source == finance.SourceValue || !a.Closed.IsZero() {
			continue
		}
		balances, err := w.DayBalances(ctx, a.ID, search.Period{From: day, To: day})
		if err != nil {
			return nil, nil, err
		}
		if len(balances) == 0 {
			without = append(without, a)
			continue
		}
		known = append(known, forecast.Account{ID: a.ID, Balance: balances[0].Balance})
	}
	return known, without, nil
}

// pastMonths are the months of accounts before one, which is given by its first day: those from the first on that the account has as a whole, forecast.Months
// at most. Months whose figures no amount can hold are left out.
func (w Seen) pastMonths(ctx context.Context, before openbanking.Date, accounts []forecast.Account, set budgeted) (map[string][]PastMonth, error) {
	first := shifted(before, -forecast.Months, 0)
	in := search.Period{From: shifted(first, -1, 0), To: dayBefore(before)}
	sums, err := w.MonthSums(ctx, in) // in the order of months
	if err != nil {
		return nil, err
	}
	series, err := w.seriesMonths(ctx, in)
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

// seriesMonths adds up the rows that are of series as MonthSums does, in and out together. Series that their owners dismissed do not count, and those of others
// only when the person sees them.
func (w Seen) seriesMonths(ctx context.Context, in search.Period) ([]Sum, error) {
	known := map[string]bool{} // series of others
	if w.household {
		series, err := w.RecurringSeries(ctx)
		if err != nil {
			return nil, err
		}
		for _, k := range series {
			known[k.ID] = k.Owner != ""
		}
	}
	type ofSeries struct {
		Sum
		series, owner string
	}
	return sqlite.Remember(ctx, w.store.db, sqlite.Key{"recurring_row", w.key(), string(in.From + " " + in.To)}, func() ([]Sum, error) {
		all, err := collect(ctx, w.store.db.Read(), func(row scanner) (sum ofSeries, err error) {
			var net flow
			var currency string
			err = row.Scan(&sum.AccountID, &sum.Day, &sum.Category, &currency, &sum.series, &sum.owner, &net.millions, &net.rest)
			amount, ok := net.amount(currency)
			if sum.In, sum.Out = amount, money.FromMinor(0, currency); !ok {
				sum.In = sum.Out
			}
			return sum, err
		}, w.seriesMonthsQuery(), w.userID, in.From, in.To)
		if err != nil {
			return nil, err
		}
		sums := make([]Sum, 0, len(all))
		for _, sum := range all {
			if sum.owner == w.userID || known[sum.series] {
				sums = append(sums, sum.Sum)
			}
		}
		return w.categorised(ctx, sums)
	})
}

// seriesMonthsQuery adds up the rows of series of $1 from the day $2 until $3, each series of the household for itself.
func (w Seen) seriesMonthsQuery() string {
	series, which := `''`, `part.user_id = $1`
	if w.household {
		series, which = `COALESCE(whole.id, part.id)`, `part.user_id IN (SELECT seen.owner_id FROM household_account seen WHERE seen.user_id = $1) AND `+rowInSight
	}
	return `SELECT t.account_id, SUBSTR(t.display_date, 1, 8) || '01', COALESCE(t.category_id, ''), t.currency, ` + series + `, part.user_id,
			SUM(t.minor / 1000000), SUM(t.minor % 1000000)
		FROM recurring_series part CROSS JOIN recurring_row held ON held.series_id = part.id CROSS JOIN booked_transaction t ON t.id = held.transaction_id
		LEFT JOIN recurring_series whole ON whole.id = part.merged_into
		WHERE ` + which + ` AND COALESCE(whole.choice, part.choice) <> 'dismissed' AND t.display_date BETWEEN $2 AND $3 AND NOT (` + unlisted + `)
			AND NOT ` + pairedColumn + ` GROUP BY 1, 2, 3, 4, 5, 6`
}

// budgeted holds the budgets of a user for everyday spending in the current month. Budgets that save up for a bill are left out.
type budgeted struct {
	book  categories.Book
	lines []budgets.Line
}

func (w Seen) budgeted(ctx context.Context, today openbanking.Date) (b budgeted, err error) {
	if b.book, err = w.Categories(ctx); err != nil {
		return b, err
	}
	plan, err := w.store.Plan(ctx, w.userID)
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
