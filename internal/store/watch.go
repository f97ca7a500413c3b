package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"florin/internal/budgets"
	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/search"
	"florin/internal/sqlite"
)

const (
	// freshFor is how old the day of a booking may be, when it comes, to be news: banks deliver days later, and what is older fills a gap.
	freshFor = 5 * 24 * time.Hour
	// failsFor is how long a connection gets no data before that is told.
	failsFor = 3 * 24 * time.Hour
	// digestFor is how long after the end of its period a digest may be sent to a person who did not get the one before.
	digestFor = 3 * 24 * time.Hour
	// mostSeparate is up to how many bookings of one look get a message each. More of them share one message.
	mostSeparate = 3
	// comingDays is how far a digest looks ahead.
	comingDays = 7
)

// ParseSaved reads the text of a saved search of a user; ok is false where it means nothing any more.
type ParseSaved func(ctx context.Context, userID, text string) (query search.Query, ok bool, err error)

// Watch looks for what people want to be told: new bookings, balances, budgets, syncs that fail, digests. Whatever it finds is raised once, however often and
// in how many processes it is called. now is in the time zone of the server. It is the work of a background loop.
func (s *Store) Watch(ctx context.Context, now time.Time, parse ParseSaved) (err error) {
	defer doing("look for what is to be told", &err)
	users, err := collect(ctx, s.db.Read(), func(row scanner) (id string, err error) { return id, row.Scan(&id) },
		`SELECT DISTINCT user_id FROM alert_switch WHERE chosen = 1 ORDER BY user_id`)
	if err != nil {
		return err
	}
	for _, u := range users {
		on, err := s.AlertSwitches(ctx, u)
		if err != nil {
			return err
		}
		settings, err := s.AlertSettings(ctx, u)
		if err != nil {
			return err
		}
		own := now.In(settings.Location(now.Location()))
		for _, look := range []struct {
			on bool
			do func() error
		}{
			{on.Any(finance.AlertBookingAbove) || on.Any(finance.AlertBookingFound), func() error { return s.watchBookings(ctx, u, on, settings, parse) }},
			{!on.Any(finance.AlertBookingAbove) && !on.Any(finance.AlertBookingFound), func() error { return s.forgetSeen(ctx, u) }},
			{on.Any(finance.AlertBalanceBelow), func() error { return s.watchBalances(ctx, u) }},
			{on.Any(finance.AlertBudgetPassed), func() error { return s.watchBudgets(ctx, u, own) }},
			{on.Any(finance.AlertSyncFails), func() error { return s.watchSyncs(ctx, u) }},
			{on.Any(finance.AlertDigest), func() error { return s.watchDigest(ctx, u, own, settings.Digest) }},
		} {
			if look.on {
				if err := look.do(); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// forgetSeen makes the next look at the bookings of a user the first.
func (s *Store) forgetSeen(ctx context.Context, userID string) error {
	if some, err := s.some(ctx, "alert_seen", `SELECT 1 FROM alert_seen WHERE user_id = $1`, userID); err != nil || !some {
		return err
	}
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM alert_seen WHERE user_id = $1`, userID)
		return err
	})
}

// newBooking is a row that a sync has brought since the last look.
type newBooking struct {
	id            int64
	account, name string
	amount        money.Amount
	day           openbanking.Date
}

// watchBookings tells the bookings that came since the last look and are above the limit, or match a saved search. The first look tells nothing, nor does the
// first sync of an account. What is told and that it was looked at are stored in one transaction.
func (s *Store) watchBookings(ctx context.Context, userID string, on Switches, settings finance.AlertSettings, parse ParseSaved) error {
	if waiting, err := s.Unindexed(ctx, userID); err != nil || waiting {
		return err // a search does not find them yet: the next look does
	}
	var seen, last int64
	err := s.db.Read().QueryRowContext(ctx, `SELECT COALESCE((SELECT transaction_id FROM alert_seen WHERE user_id = $1), -1),
		(SELECT COALESCE(MAX(t.id), 0) FROM booked_transaction t)`, userID).Scan(&seen, &last)
	if err != nil || seen == last {
		return err
	}
	var fresh []newBooking
	if seen >= 0 {
		fresh, err = collect(ctx, s.db.Read(), func(row scanner) (b newBooking, err error) {
			var minor int64
			var currency string
			err = row.Scan(&b.id, &b.account, &b.name, &minor, &currency, &b.day)
			b.amount = money.FromMinor(minor, currency)
			return b, err
		}, `SELECT t.id, t.account_id, COALESCE(NULLIF(t.payee, ''), t.counterparty), t.minor, t.currency, t.display_date
			FROM booked_transaction t CROSS JOIN account a ON a.id = t.account_id JOIN sync_task k ON k.account_id = a.id AND k.scope = 'transactions'
			WHERE t.id > $2 AND t.id <= $3 AND a.user_id = $1 AND a.source = '' AND t.first_run > 0 AND `+inList+` AND NOT (`+unlisted+`)
				AND k.first_success_at IS NOT NULL AND t.first_seen > k.first_success_at AND t.display_date >= $4 ORDER BY t.id`,
			userID, seen, last, openbanking.DateOf(time.Now().Add(-freshFor)))
		if err != nil {
			return err
		}
	}
	var alerts []finance.Alert
	if above, ok := settings.Above.Money(); ok && on.Any(finance.AlertBookingAbove) {
		large := slices.DeleteFunc(slices.Clone(fresh), func(b newBooking) bool {
			order, err := b.amount.Abs().Cmp(above)
			return err != nil || order < 0
		})
		alerts = append(alerts, bookingAlerts(finance.AlertBookingAbove, "", large, finance.AlertFacts{Limit: settings.Above})...)
	}
	if on.Any(finance.AlertBookingFound) && len(fresh) > 0 {
		found, err := s.watchSearches(ctx, userID, fresh, parse)
		if err != nil {
			return err
		}
		alerts = append(alerts, found...)
	}
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO alert_seen (user_id, transaction_id) VALUES ($1, $2) ON CONFLICT (user_id) DO UPDATE SET transaction_id = excluded.transaction_id`,
			userID, last)
		if err != nil {
			return err
		}
		for _, a := range alerts {
			if err := s.raise(ctx, tx, userID, a); err != nil {
				return err
			}
		}
		return nil
	})
}

// bookingAlerts makes alerts of bookings: of a few one each, of many one together.
func bookingAlerts(kind finance.AlertKind, key string, all []newBooking, facts finance.AlertFacts) (alerts []finance.Alert) {
	if len(all) > mostSeparate {
		facts.Count = len(all)
		return []finance.Alert{{Kind: kind, Key: fmt.Sprintf("%s%d-%d", key, all[0].id, all[len(all)-1].id), Facts: facts}}
	}
	for _, b := range all {
		f := facts
		f.Account, f.Transaction, f.Name, f.Amount, f.Day = b.account, b.id, b.name, finance.AlertAmountOf(b.amount), b.day
		alerts = append(alerts, finance.Alert{Kind: kind, Key: fmt.Sprintf("%s%d", key, b.id), Facts: f})
	}
	return alerts
}

// watchSearches tells those of new bookings that the chosen searches of a user find.
func (s *Store) watchSearches(ctx context.Context, userID string, fresh []newBooking, parse ParseSaved) (alerts []finance.Alert, err error) {
	saved, err := collect(ctx, s.db.Read(), scanSavedSearch, `SELECT saved.id, saved.kind, saved.name, saved.text, saved.household FROM alert_search chosen
		JOIN saved_search saved ON saved.id = chosen.search_id AND saved.user_id = chosen.user_id WHERE chosen.user_id = $1 ORDER BY saved.id`, userID)
	if err != nil {
		return nil, err
	}
	first := slices.MinFunc(fresh, func(a, b newBooking) int { return cmp.Compare(a.day, b.day) }).day
	low, _, _ := finance.SortRange(first)
	for _, search := range saved {
		query, ok, err := parse(ctx, userID, search.Text)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		m, err := s.matchOf(ctx, userID, query)
		m.low = max(m.low, low)
		if err != nil {
			return nil, err
		}
		if m.nothing() {
			continue
		}
		found := map[int64]bool{}
		_, err = collect(ctx, s.db.Read(), func(row scanner) (any, error) {
			var id int64
			err := row.Scan(&id)
			found[id] = true
			return nil, err
		}, m.in.newest(`t.id`), m.what, m.low, m.high, userID, MaxTotalled)
		if err != nil {
			return nil, err
		}
		matching := slices.DeleteFunc(slices.Clone(fresh), func(b newBooking) bool { return !found[b.id] })
		facts := finance.AlertFacts{Search: search.ID, SearchName: search.Name}
		alerts = append(alerts, bookingAlerts(finance.AlertBookingFound, search.ID+":", matching, facts)...)
	}
	return alerts, nil
}

// watchBalances tells once that the balance of an account has fallen below its line, and again only after it was above.
func (s *Store) watchBalances(ctx context.Context, userID string) error {
	lines, err := s.alertLines(ctx, userID)
	if err != nil || len(lines) == 0 {
		return err
	}
	today := openbanking.DateOf(time.Now())
	for _, l := range lines {
		balances, err := s.DayBalances(ctx, userID, l.account, search.Period{From: today, To: today})
		if err != nil || len(balances) == 0 {
			if errors.Is(err, finance.ErrNotFound) || err == nil {
				continue
			}
			return err
		}
		limit, _ := l.limit.Money()
		order, err := balances[0].Balance.Cmp(limit)
		below := order < 0
		if err != nil || below == l.below {
			continue // another currency than when the line was set
		}
		err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
			err := changed(tx.ExecContext(ctx, `UPDATE alert_line SET below = $1 WHERE user_id = $2 AND account_id = $3 AND below <> $1`, flag(below), userID, l.account))
			if err != nil || !below {
				return err
			}
			return s.raise(ctx, tx, userID, finance.Alert{Kind: finance.AlertBalanceBelow, Key: l.account + " " + tx.Now.UTC().Format(time.RFC3339Nano),
				Facts: finance.AlertFacts{Account: l.account, Amount: finance.AlertAmountOf(balances[0].Balance), Limit: l.limit}})
		})
		if err != nil && !errors.Is(err, finance.ErrNotFound) { // changed meanwhile
			return err
		}
	}
	return nil
}

// watchBudgets tells once for a budget and month that more is spent than there is.
func (s *Store) watchBudgets(ctx context.Context, userID string, now time.Time) error {
	plan, err := s.Plan(ctx, userID)
	if err != nil || len(plan.Budgets) == 0 {
		return err
	}
	month, known := plan.Calendar.Month(openbanking.Date(now.Format(time.DateOnly)))
	if !known {
		return nil
	}
	book, err := s.Categories(ctx, userID)
	if err != nil {
		return err
	}
	first := month.Plus(-budgets.Span)
	for _, b := range plan.Budgets {
		first = min(first, b.From)
	}
	sums, err := s.BudgetSums(ctx, userID, plan.Calendar, first, month)
	if err != nil {
		return err
	}
	all := budgets.Statements(budgets.Facts{Book: book, Budgets: plan.Budgets, Moves: plan.Moves, Sums: sums}, month)
	if len(all) == 0 {
		return nil
	}
	from, _ := plan.Calendar.Days(month)
	for _, l := range all[len(all)-1].Lines {
		if l.TooLarge || l.Left >= 0 || l.Spent <= 0 {
			continue
		}
		key := fmt.Sprintf("%s %s %s %s", month, l.Category, l.Group, l.Currency)
		if known, err := s.raisedBefore(ctx, userID, finance.AlertBudgetPassed, key); err != nil || known {
			if err != nil {
				return err
			}
			continue
		}
		name := ""
		if own, known := book.ByID(l.Category); known {
			name = own.Name
		}
		err := s.raiseNow(ctx, userID, finance.Alert{Kind: finance.AlertBudgetPassed, Key: key, Facts: finance.AlertFacts{
			Code: l.Category, Name: name, Day: from, Amount: finance.AlertAmount{Minor: l.Spent, Currency: l.Currency},
			Limit: finance.AlertAmount{Minor: l.Available(), Currency: l.Currency}}})
		if err != nil {
			return err
		}
	}
	return nil
}

// watchSyncs tells once that a connection gets no data, from three days after its last success on. A clock that jumped ahead is no failure: the bank has to
// have refused or failed more than once.
func (s *Store) watchSyncs(ctx context.Context, userID string) error {
	type failing struct {
		connection string
		since      sqlite.Time
	}
	all, err := collect(ctx, s.db.Read(), func(row scanner) (f failing, err error) { return f, row.Scan(&f.connection, &f.since) },
		`SELECT c.id, COALESCE(MAX(k.last_success_at), c.authorized) FROM connection c JOIN sync_task k ON k.connection_id = c.id AND k.user_id = c.user_id
			WHERE c.user_id = $1 AND c.status = 'active' AND k.state <> 'stopped' AND k.scope <> 'details' GROUP BY c.id
			HAVING MIN(k.attempts) >= 2 AND COALESCE(MAX(k.last_success_at), c.authorized) <= $2 AND MAX(k.last_error_at) > $2`, userID, sqlite.At(time.Now().Add(-failsFor)))
	if err != nil {
		return err
	}
	for _, f := range all {
		key := f.connection + " " + f.since.UTC().Format(time.RFC3339)
		if known, err := s.raisedBefore(ctx, userID, finance.AlertSyncFails, key); err != nil || known {
			if err != nil {
				return err
			}
			continue
		}
		if err := s.raiseNow(ctx, userID, finance.Alert{Kind: finance.AlertSyncFails, Key: key,
			Facts: finance.AlertFacts{Connection: f.connection, Since: f.since.Time}}); err != nil {
			return err
		}
	}
	return nil
}

// watchDigest sends the digest of the last complete week or month once, soon after its end, as soon as all transactions until then were read. When Florin
// was off at the end, only people who got the digest of the period before still get it; others may have switched it on since, and wait for the next one.
func (s *Store) watchDigest(ctx context.Context, userID string, now time.Time, every finance.Digest) error {
	from, until, key := every.Period(now)
	first, err := from.Time()
	if err != nil {
		return err
	}
	last, err := until.Time()
	if err != nil {
		return err
	}
	end := time.Date(last.Year(), last.Month(), last.Day()+1, 0, 0, 0, 0, now.Location())
	if known, err := s.raisedBefore(ctx, userID, finance.AlertDigest, key); err != nil || known {
		return err
	}
	if now.Sub(end) > digestFor {
		_, _, before := every.Period(first)
		if waits, err := s.raisedBefore(ctx, userID, finance.AlertDigest, before); err != nil || !waits {
			return err
		}
	}
	if read, err := s.readSince(ctx, userID, end); err != nil || !read {
		return err
	}
	sums, err := s.DaySums(ctx, userID, search.Period{From: from, To: until})
	if err != nil {
		return err
	}
	facts := finance.AlertFacts{Day: from, Until: until, Code: string(every)}
	for _, sum := range sums {
		facts.Count += sum.InRows + sum.OutRows
		facts.In, facts.Out = addAmount(facts.In, sum.In), addAmount(facts.Out, sum.Out)
	}
	coming, err := s.Coming(ctx, userID, now, comingDays)
	if err != nil {
		return err
	}
	for _, i := range coming {
		facts.Coming = append(facts.Coming, finance.AlertComing{Day: i.Day, Name: i.Name, Amount: finance.AlertAmountOf(i.Amount)})
	}
	return s.raiseNow(ctx, userID, finance.Alert{Kind: finance.AlertDigest, Key: key, Facts: facts})
}

// readSince reports whether the transactions of all accounts of a user were read after a time. Accounts whose last two or more attempts failed are left
// out.
func (s *Store) readSince(ctx context.Context, userID string, at time.Time) (read bool, err error) {
	err = s.db.Read().QueryRowContext(ctx, `SELECT NOT EXISTS (SELECT 1 FROM connection c JOIN sync_task k ON k.connection_id = c.id AND k.user_id = c.user_id
		WHERE c.user_id = $1 AND c.status = 'active' AND k.state <> 'stopped' AND k.scope = 'transactions' AND k.attempts < 2
			AND COALESCE(k.last_success_at, c.authorized) < $2)`, userID, sqlite.At(at)).Scan(&read)
	return read, err
}

// addAmount adds an amount to sums by currency. One that no sum can hold is left out.
func addAmount(sums []finance.AlertAmount, a money.Amount) []finance.AlertAmount {
	if a.IsZero() {
		return sums
	}
	i := slices.IndexFunc(sums, func(s finance.AlertAmount) bool { return s.Currency == a.Currency() })
	if i < 0 {
		return append(sums, finance.AlertAmountOf(a))
	}
	before, _ := sums[i].Money()
	if sum, err := before.Add(a); err == nil {
		sums[i] = finance.AlertAmountOf(sum)
	}
	return sums
}

// raiseNow raises an alert in a transaction of its own.
func (s *Store) raiseNow(ctx context.Context, userID string, a finance.Alert) error {
	return s.db.Write(ctx, func(tx *sqlite.Tx) error { return s.raise(ctx, tx, userID, a) })
}

// raisedBefore reports whether something was raised, without a write.
func (s *Store) raisedBefore(ctx context.Context, userID string, kind finance.AlertKind, key string) (known bool, err error) {
	err = s.db.Read().QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM alert WHERE user_id = $1 AND kind = $2 AND key = $3)`, userID, kind, key).Scan(&known)
	return known, err
}

type alertLine struct {
	account string
	limit   finance.AlertAmount
	below   bool
}

func (s *Store) alertLines(ctx context.Context, userID string) ([]alertLine, error) {
	return collect(ctx, s.db.Read(), func(row scanner) (l alertLine, err error) {
		return l, row.Scan(&l.account, &l.limit.Minor, &l.limit.Currency, &l.below)
	}, `SELECT account_id, minor, currency, below FROM alert_line WHERE user_id = $1 ORDER BY account_id`, userID)
}

// AlertLines returns the lines below which the balances of a user's accounts are told, by account.
func (s *Store) AlertLines(ctx context.Context, userID string) (_ map[string]finance.AlertAmount, err error) {
	defer doing("read lines of balances", &err)
	all, err := s.alertLines(ctx, userID)
	lines := map[string]finance.AlertAmount{}
	for _, l := range all {
		lines[l.account] = l.limit
	}
	return lines, err
}

// setAlertLines replaces the lines below which the balances of a user's accounts are told. A line that is not changed keeps whether it was told. Accounts that
// are not the user's are left out.
func setAlertLines(ctx context.Context, tx *sqlite.Tx, userID string, lines map[string]finance.AlertAmount) error {
	known, err := collect(ctx, tx, func(row scanner) (id string, err error) { return id, row.Scan(&id) }, `SELECT account_id FROM alert_line WHERE user_id = $1`, userID)
	if err != nil {
		return err
	}
	for _, id := range known {
		if lines[id].Currency == "" {
			if _, err := tx.ExecContext(ctx, `DELETE FROM alert_line WHERE user_id = $1 AND account_id = $2`, userID, id); err != nil {
				return err
			}
		}
	}
	for id, l := range lines {
		if l.Currency == "" {
			continue
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO alert_line (user_id, account_id, minor, currency) SELECT a.user_id, a.id, $3, $4 FROM account a WHERE a.user_id = $1 AND a.id = $2
				ON CONFLICT (user_id, account_id) DO UPDATE SET minor = excluded.minor, currency = excluded.currency, below = 0
				WHERE minor <> excluded.minor OR currency <> excluded.currency`, userID, id, l.Minor, l.Currency)
		if err != nil {
			return err
		}
	}
	return nil
}

// AlertSearches returns the ids of the saved searches whose new bookings are told.
func (s *Store) AlertSearches(ctx context.Context, userID string) (_ []string, err error) {
	defer doing("read searches that are told", &err)
	return collect(ctx, s.db.Read(), func(row scanner) (id string, err error) { return id, row.Scan(&id) },
		`SELECT search_id FROM alert_search WHERE user_id = $1 ORDER BY search_id`, userID)
}

// setAlertSearches replaces the saved searches whose new bookings are told. Those that are not the user's are left out.
func setAlertSearches(ctx context.Context, tx *sqlite.Tx, userID string, ids ...string) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM alert_search WHERE user_id = $1`, userID); err != nil {
		return err
	}
	for _, id := range ids {
		_, err := tx.ExecContext(ctx, `INSERT INTO alert_search (user_id, search_id) SELECT saved.user_id, saved.id FROM saved_search saved
				WHERE saved.user_id = $1 AND saved.id = $2 AND saved.kind = $3 ON CONFLICT DO NOTHING`, userID, id, finance.SavedTransactions)
		if err != nil {
			return err
		}
	}
	return nil
}
