package store

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"florin/internal/categories"
	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/search"
	"florin/internal/sqlite"
)

// What booked rows come to is kept by account, day, category, payee and currency in day_sum, by month in payee_sum, and by month without the payee in
// month_sum: it is changed in the transaction that changes a row (ADR 0046).
//
// A row counts under its date and its category, or with its shares when it is split (finance.Shares); in or out is the direction of the row. Both sides of a
// transfer between two accounts of the person count under categories.Transfer. A row that its bank no longer lists does not count, nor does one that was merged
// into another.

// tally is what rows come to, in and out. Millions of minor units and the rest are added up apart, so that no sum is out of range.
type tally struct{ in, out flow }

type flow struct{ rows, millions, rest int64 }

// of is the flow to which a row counts, by its direction.
func (t *tally) of(total money.Amount) *flow {
	if total.Sign() < 0 {
		return &t.out
	}
	return &t.in
}

func (f *flow) put(a money.Amount) {
	f.millions += a.Minor() / 1_000_000
	f.rest += a.Minor() % 1_000_000
}

func (f *flow) add(by flow, times int64) {
	f.rows += times * by.rows
	f.millions += times * by.millions
	f.rest += times * by.rest
}

// amount is what a flow comes to; false when no amount is so large.
func (f *flow) amount(currency string) (money.Amount, bool) {
	return joinedAmount([2]int64{f.millions, f.rest}, currency)
}

// accountDay names the rows of a day of an account; "" are those without a date.
type accountDay struct {
	account string
	day     openbanking.Date
}

// sumKey names what is added up together.
type sumKey struct {
	accountDay
	category, payee, currency string
}

// sums are additions to what is kept.
type sums map[sumKey]tally

// add counts a row of a payee, by its key, with its shares.
func (s sums) add(of accountDay, payee string, total money.Amount, shares []finance.SplitPart) {
	for _, share := range shares {
		key := sumKey{of, share.Category, payee, total.Currency()}
		t := s[key]
		side := t.of(total)
		side.rows++
		side.put(share.Amount)
		s[key] = t
	}
}

// sumTable is a table of sums.
type sumTable struct {
	months, payees bool // it is by month, else by day; it is by payee, too
	upsert         insert
	empty          string // removes what has no rows, of the account $1 and the day or month $2
}

func newSumTable(name string, months, payees bool) sumTable {
	when, columns := "day", 10
	if months {
		when = "month"
	}
	key := "account_id, " + when + ", category_id, "
	if payees {
		key, columns = key+"payee_key, ", 11
	}
	key += "currency"
	return sumTable{months, payees,
		newInsert(columns, `INSERT INTO `+name+` (`+key+`, in_rows, in_millions, in_rest, out_rows, out_millions, out_rest) VALUES `,
			` ON CONFLICT (`+key+`) DO UPDATE SET in_rows = in_rows + excluded.in_rows, in_millions = in_millions + excluded.in_millions,
			in_rest = in_rest + excluded.in_rest, out_rows = out_rows + excluded.out_rows, out_millions = out_millions + excluded.out_millions, out_rest = out_rest + excluded.out_rest`),
		`DELETE FROM ` + name + ` WHERE account_id = $1 AND ` + when + ` = $2 AND in_rows = 0 AND out_rows = 0`}
}

var sumTables = []sumTable{newSumTable("day_sum", false, true), newSumTable("month_sum", true, false), newSumTable("payee_sum", true, true)}

// write adds to what is kept, and removes what then has no rows.
func (s sums) write(ctx context.Context, tx *sqlite.Tx) error {
	maps.DeleteFunc(s, func(_ sumKey, t tally) bool { return t == (tally{}) })
	for _, table := range sumTables {
		kept, less := table.of(s)
		if err := table.upsert.store(ctx, tx, kept.values(table)); err != nil {
			return err
		}
		for at := range less {
			if _, err := tx.ExecContext(ctx, table.empty, at.account, at.day); err != nil {
				return err
			}
		}
	}
	return nil
}

// of are additions as the table has them, and the times of which rows go.
func (t sumTable) of(s sums) (kept sums, less map[accountDay]bool) {
	kept, less = sums{}, map[accountDay]bool{}
	for key, add := range s {
		if t.months {
			key.day = monthOf(key.day)
		}
		switch {
		case !t.payees:
			key.payee = ""
		case key.payee == "" && t.months:
			continue // nobody is named
		}
		if add.in.rows < 0 || add.out.rows < 0 {
			less[key.accountDay] = true
		}
		sum := kept[key]
		sum.in.add(add.in, 1)
		sum.out.add(add.out, 1)
		kept[key] = sum
	}
	return kept, less
}

// values are those of the upsert of a table, in the order of their keys.
func (s sums) values(table sumTable) []any {
	keys := slices.Collect(maps.Keys(s))
	slices.SortFunc(keys, func(a, b sumKey) int {
		return cmp.Or(cmp.Compare(a.account, b.account), cmp.Compare(a.day, b.day), cmp.Compare(a.category, b.category), cmp.Compare(a.payee, b.payee),
			cmp.Compare(a.currency, b.currency))
	})
	values := make([]any, 0, table.upsert.columns*len(keys))
	for _, key := range keys {
		values = append(values, key.account, key.day, key.category)
		if table.payees {
			values = append(values, key.payee)
		}
		t := s[key]
		values = append(values, key.currency, t.in.rows, t.in.millions, t.in.rest, t.out.rows, t.out.millions, t.out.rest)
	}
	return values
}

// monthOf is the first day of the month of a day; "" of none.
func monthOf(day openbanking.Date) openbanking.Date {
	if len(day) < len("2006-01") {
		return ""
	}
	return day[:len("2006-01")] + "-01"
}

// recount adds up the rows of days anew: something about them has changed, or rows have come or gone.
func recount(ctx context.Context, tx *sqlite.Tx, days ...accountDay) error {
	changes, done := sums{}, map[accountDay]bool{}
	for _, of := range days {
		if done[of] {
			continue
		}
		done[of] = true
		if err := changes.difference(ctx, tx, of); err != nil {
			return err
		}
	}
	return changes.write(ctx, tx)
}

// daysOf lists the days of rows.
func daysOf(ctx context.Context, q querier, ids ...any) (days []accountDay, err error) {
	for some := range slices.Chunk(ids, lookupRows) {
		more, err := collect(ctx, q, scanAccountDay, daysQuery, padded(some)...)
		if err != nil {
			return nil, err
		}
		days = append(days, more...)
	}
	return days, nil
}

var daysQuery = `SELECT t.account_id, t.display_date FROM booked_transaction t WHERE t.id IN ` + tuples(1, lookupRows)

func scanAccountDay(row scanner) (of accountDay, err error) {
	return of, row.Scan(&of.account, &of.day)
}

// removeRows deletes rows of an account, with what is kept of them in sums and in the index.
func removeRows(ctx context.Context, tx *sqlite.Tx, accountID string, ids ...any) error {
	days, err := daysOf(ctx, tx, ids...)
	if err != nil {
		return err
	}
	partners, err := partnersOf(ctx, tx, ids...)
	if err != nil {
		return err
	}
	into, err := mergedIntoAny(ctx, tx, ids...) // of which the bank may list none any more
	if err != nil {
		return err
	}
	if err := keepRows(ctx, tx, accountID, slices.Concat(ids, into)...); err != nil {
		return err
	}
	for _, id := range ids {
		if err := changed(tx.ExecContext(ctx, `DELETE FROM booked_transaction WHERE id = $1 AND account_id = $2`, id, accountID)); err != nil {
			return err
		}
	}
	if err := recount(ctx, tx, days...); err != nil {
		return err
	}
	if err := lookAgain(ctx, tx, into); err != nil {
		return err
	}
	if err := findSeriesLater(ctx, tx, into...); err != nil {
		return err
	}
	return reindex(ctx, tx, append(partners, into...))
}

// difference adds what the rows of a day come to, less what is kept of it.
func (s sums) difference(ctx context.Context, tx *sqlite.Tx, of accountDay) error {
	low, _, high := finance.SortRange(of.day)
	_, err := collect(ctx, tx, func(row scanner) (struct{}, error) {
		var minor int64
		var currency, category, payee, parts string
		if err := row.Scan(&minor, &currency, &category, &payee, &parts); err != nil {
			return struct{}{}, err
		}
		total := money.FromMinor(minor, currency)
		shares, err := sharesOf(total, category, parts)
		if err == nil {
			s.add(of, payee, total, shares)
		}
		return struct{}{}, err
	}, countedQuery, of.account, low, high)
	if err != nil {
		return err
	}
	_, err = collect(ctx, tx, func(row scanner) (struct{}, error) {
		key := sumKey{accountDay: of}
		var t tally
		err := row.Scan(&key.category, &key.payee, &key.currency, &t.in.rows, &t.in.millions, &t.in.rest, &t.out.rows, &t.out.millions, &t.out.rest)
		now := s[key]
		now.in.add(t.in, -1)
		now.out.add(t.out, -1)
		s[key] = now
		return struct{}{}, err
	}, `SELECT category_id, payee_key, currency, in_rows, in_millions, in_rest, out_rows, out_millions, out_rest FROM day_sum WHERE account_id = $1 AND day = $2`, of.account, of.day)
	return err
}

// countedQuery reads the rows of an account that count, within sort keys, each with its category and its parts; a side of a transfer has no parts.
const countedQuery = `SELECT t.minor, t.currency, CASE WHEN ` + pairedColumn + ` THEN '` + categories.Transfer + `' ELSE COALESCE(t.category_id, '') END,
		t.payee_key, CASE WHEN ` + pairedColumn + ` THEN '' ELSE COALESCE(` + partsColumn + `, '') END
	FROM booked_transaction t WHERE t.account_id = $1 AND t.sort_key BETWEEN $2 AND $3 AND NOT (` + unlisted + `)`

// pairedColumn says whether a row t is a side of a transfer.
const pairedColumn = `(EXISTS (SELECT 1 FROM own_transfer held WHERE held.out_id = t.id AND held.state <> 'refused')
	OR EXISTS (SELECT 1 FROM own_transfer held WHERE held.in_id = t.id AND held.state <> 'refused'))`

// Sum is what the rows of an account of one category and currency come to, on a day or in a month.
type Sum struct {
	AccountID string
	Day       openbanking.Date // of a month: its first day
	Category  string           // id as rows have it, of which some may be merged (categories.Book.Of); "" for rows without one
	Payee     string           // key (categories.NameKey), in sums by payee; "" for rows that name nobody, and in other sums
	In, Out   money.Amount     // Out is below zero, but for a part that came back (finance.SplitPart)
	InRows    int              // a row that is split counts once for each of its categories
	OutRows   int
}

// DaySums adds up the booked rows of a user in a period by account, day, category and currency, in the order of days. Transfers between own accounts are left
// out, as in the totals of a list, and so is what is too large for an amount. Rows without a date are in no period.
func (s *Store) DaySums(ctx context.Context, userID string, in search.Period) ([]Sum, error) {
	return s.Mine(userID).DaySums(ctx, in)
}

// DaySums is Store.DaySums. Sums of accounts of others have the categories that the person sees.
func (w Seen) DaySums(ctx context.Context, in search.Period) (_ []Sum, err error) {
	defer doing("read sums of days", &err)
	return w.daySums(ctx, in, "day_sum", w.sumQuery(dayTable, "kept.day", "''"))
}

// PayeeDaySums is DaySums by payee, too.
func (s *Store) PayeeDaySums(ctx context.Context, userID string, in search.Period) ([]Sum, error) {
	return s.Mine(userID).PayeeDaySums(ctx, in)
}

// PayeeDaySums is Store.PayeeDaySums. Sums of accounts of others have the categories that the person sees.
func (w Seen) PayeeDaySums(ctx context.Context, in search.Period) (_ []Sum, err error) {
	defer doing("read sums of payees by day", &err)
	return w.daySums(ctx, in, "payee day_sum", w.sumQuery(dayTable, "kept.day", "kept.payee_key"))
}

// mostPeriods is for how many periods the sums or balances of a person are kept in memory. All pages together use fewer; the bound keeps a person who asks
// for many others from filling the memory (security T35).
const mostPeriods = 64

func (w Seen) daySums(ctx context.Context, in search.Period, what, query string) ([]Sum, error) {
	return sqlite.RememberFew(ctx, w.store.db, sqlite.Key{what, w.key(), string(in.From + " " + in.To)}, mostPeriods, func() ([]Sum, error) {
		from, to := ends(in)
		all, err := sumsOf(ctx, w.store.db.Read(), query, w.userID, from, to)
		if err != nil {
			return nil, err
		}
		return w.categorised(ctx, all)
	})
}

// MonthSums is DaySums by month. Of a month that is only partly in the period, the days in the period count.
func (s *Store) MonthSums(ctx context.Context, userID string, in search.Period) ([]Sum, error) {
	return s.Mine(userID).MonthSums(ctx, in)
}

// MonthSums is Store.MonthSums. Sums of accounts of others have the categories that the person sees.
func (w Seen) MonthSums(ctx context.Context, in search.Period) (_ []Sum, err error) {
	defer doing("read sums of months", &err)
	return w.monthSums(ctx, in, "month_sum", w.sumQuery(monthTable, "kept.month", "''"), w.sumQuery(dayTable, monthColumn, "''"))
}

// PayeeMonthSums is MonthSums by payee, too, without the rows that name nobody.
func (s *Store) PayeeMonthSums(ctx context.Context, userID string, in search.Period) ([]Sum, error) {
	return s.Mine(userID).PayeeMonthSums(ctx, in)
}

// PayeeMonthSums is Store.PayeeMonthSums. Sums of accounts of others have the categories that the person sees.
func (w Seen) PayeeMonthSums(ctx context.Context, in search.Period) (_ []Sum, err error) {
	defer doing("read sums of payees by month", &err)
	return w.monthSums(ctx, in, "payee_sum", w.sumQuery(payeeTable, "kept.month", "kept.payee_key"), w.sumQuery(dayTable+` AND kept.payee_key <> ''`, monthColumn, "kept.payee_key"))
}

// monthSums reads whole months with one query, and days of one month with another.
func (w Seen) monthSums(ctx context.Context, in search.Period, what, wholeMonths, partOfMonth string) ([]Sum, error) {
	return sqlite.RememberFew(ctx, w.store.db, sqlite.Key{what, w.key(), string(in.From + " " + in.To)}, mostPeriods, func() (all []Sum, err error) {
		from, to := ends(in)
		err = w.store.db.Snapshot(ctx, func(at sqlite.Snapshot) error {
			for from <= to {
				query, end := wholeMonths, monthOf(dayAfter(to)) // the months before the one that is not whole
				if from != monthOf(from) || end <= from {
					query, end = partOfMonth, min(dayAfter(lastOfMonth(from)), dayAfter(to))
				}
				some, err := sumsOf(ctx, at, query, w.userID, from, dayBefore(end))
				if err != nil {
					return err
				}
				all, from = append(all, some...), end
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		return w.categorised(ctx, all)
	})
}

// The sums of a user a from a day or month to another one.
const (
	dayTable    = `day_sum kept ON kept.account_id = a.id AND kept.day BETWEEN $2 AND $3`
	monthTable  = `month_sum kept ON kept.account_id = a.id AND kept.month BETWEEN $2 AND $3`
	payeeTable  = `payee_sum kept ON kept.account_id = a.id AND kept.month BETWEEN $2 AND $3`
	monthColumn = `SUBSTR(kept.day, 1, 8) || '01'` // of a day
)

// sumQuery reads a table of sums by time and payee.
func (w Seen) sumQuery(table, when, payee string) string {
	return `SELECT a.id, ` + when + ` AS time, kept.category_id, ` + payee + ` AS payee, kept.currency, SUM(kept.in_rows), SUM(kept.in_millions), SUM(kept.in_rest),
			SUM(kept.out_rows), SUM(kept.out_millions), SUM(kept.out_rest)
		FROM account a CROSS JOIN ` + table + ` WHERE ` + seenBy(w.household, "a", "$1") + ` AND kept.category_id <> '` + categories.Transfer + `'
		GROUP BY time, a.id, kept.category_id, payee, kept.currency ORDER BY time, a.id, kept.category_id, payee, kept.currency`
}

// NamedPayee is a payee of rows.
type NamedPayee struct {
	Name  string // as lists show it: it may be that of a rule, which several payees have
	Exact string // what finds its rows and no others (search: payee:=): its name, or its key where a rule gave it another one
}

func namedPayee(key, name string) NamedPayee {
	if categories.NameKey(name) != key {
		return NamedPayee{name, key}
	}
	return NamedPayee{name, name}
}

func scanNamedPayee(row scanner) (NamedPayee, error) {
	var key, name string
	err := row.Scan(&key, &name)
	return namedPayee(key, name), err
}

// PayeeNames returns payees of a user by their keys (categories.NameKey). A key that no row has is left out.
func (s *Store) PayeeNames(ctx context.Context, userID string, keys ...string) (map[string]NamedPayee, error) {
	return s.Mine(userID).PayeeNames(ctx, keys...)
}

// PayeeNames is Store.PayeeNames.
func (w Seen) PayeeNames(ctx context.Context, keys ...string) (_ map[string]NamedPayee, err error) {
	defer doing("read names of payees", &err)
	payees := make(map[string]NamedPayee, len(keys))
	for _, key := range keys {
		name, err := sqlite.Remember(ctx, w.store.db, sqlite.Key{"payee name", w.key(), key}, func() (name string, err error) {
			if err = w.store.db.Read().QueryRowContext(ctx, `SELECT `+w.payeeName(`$2`), w.userID, key).Scan(&name); err == nil && name == "" {
				err = finance.ErrNotFound // what somebody made up is not remembered
			}
			return name, err
		})
		switch {
		case err == nil:
			payees[key] = namedPayee(key, name)
		case !errors.Is(err, finance.ErrNotFound):
			return nil, err
		}
	}
	return payees, nil
}

// PayeesCalled returns the payees of a user to whose rows rules gave one of some names, in the order of their keys. Capitals of the English alphabet make no
// difference.
func (s *Store) PayeesCalled(ctx context.Context, userID string, names ...string) ([]NamedPayee, error) {
	return s.Mine(userID).PayeesCalled(ctx, names...)
}

// PayeesCalled is Store.PayeesCalled.
func (w Seen) PayeesCalled(ctx context.Context, names ...string) (_ []NamedPayee, err error) {
	defer doing("read payees with a name", &err)
	if len(names) == 0 {
		return nil, nil
	}
	args, places := []any{w.userID}, make([]string, 0, len(names))
	for _, name := range names {
		args = append(args, name)
		places = append(places, "$"+strconv.Itoa(len(args)))
	}
	return collect(ctx, w.store.db.Read(), scanNamedPayee, `SELECT t.payee_key, t.payee FROM account a CROSS JOIN booked_transaction t ON t.account_id = a.id
		WHERE `+seenBy(w.household, "a", "$1")+` AND t.payee_key <> '' AND t.payee COLLATE NOCASE IN (`+strings.Join(places, ", ")+`)
		GROUP BY t.payee_key, t.payee COLLATE NOCASE ORDER BY t.payee_key`, args...)
}

// payeeName is the name of the payee of the user $1 with a key: that of the newest transaction in each of the accounts, and of these the last in the alphabet.
// "" when there is none.
func (w Seen) payeeName(key string) string {
	return `COALESCE((SELECT MAX((SELECT CASE t.payee WHEN '' THEN t.counterparty ELSE t.payee END FROM booked_transaction t
		WHERE t.account_id = b.id AND t.payee_key = ` + key + ` AND t.sort_key >= 0 ORDER BY t.sort_key DESC LIMIT 1)) FROM account b WHERE ` + seenBy(w.household, "b", "$1") + `), '')`
}

// FrequentPayees are the payees with the most transactions of a user in the months of a period, in the order of the alphabet: at most limit of them.
func (s *Store) FrequentPayees(ctx context.Context, userID string, in search.Period, limit int) ([]NamedPayee, error) {
	return s.Mine(userID).FrequentPayees(ctx, in, limit)
}

// FrequentPayees is Store.FrequentPayees.
func (w Seen) FrequentPayees(ctx context.Context, in search.Period, limit int) (_ []NamedPayee, err error) {
	defer doing("read frequent payees", &err)
	from, to := ends(in)
	return sqlite.Remember(ctx, w.store.db, sqlite.Key{"frequent payees", w.key(), string(monthOf(from) + " " + monthOf(to))}, func() ([]NamedPayee, error) {
		return collect(ctx, w.store.db.Read(), scanNamedPayee, `SELECT top.payee_key, `+w.payeeName(`top.payee_key`)+` AS name
			FROM (SELECT kept.payee_key FROM account a CROSS JOIN `+payeeTable+` WHERE `+seenBy(w.household, "a", "$1")+`
				GROUP BY kept.payee_key ORDER BY SUM(kept.in_rows + kept.out_rows) DESC, kept.payee_key LIMIT $4) top WHERE name <> '' ORDER BY name`, w.userID, monthOf(from), monthOf(to), limit)
	})
}

// sumsOf reads sums; what is too large for an amount is left out.
func sumsOf(ctx context.Context, q querier, query, userID string, from, to openbanking.Date) ([]Sum, error) {
	rows, err := q.QueryContext(ctx, query, userID, from, to)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []Sum
	for rows.Next() {
		var one Sum
		var currency string
		var t tally
		if err := rows.Scan(&one.AccountID, &one.Day, &one.Category, &one.Payee, &currency, &t.in.rows, &t.in.millions, &t.in.rest, &t.out.rows,
			&t.out.millions, &t.out.rest); err != nil {
			return nil, err
		}
		in, inFits := t.in.amount(currency)
		out, outFits := t.out.amount(currency)
		if one.In, one.Out, one.InRows, one.OutRows = in, out, int(t.in.rows), int(t.out.rows); inFits && outFits {
			all = append(all, one)
		}
	}
	return all, rows.Err()
}

// ends are the first and the last day of a period that may be without an end.
func ends(in search.Period) (from, to openbanking.Date) {
	return cmp.Or(in.From, "1900-01-01"), cmp.Or(in.To, "2999-12-31")
}

// lastOfMonth is the last day of the month of a day, as dayAfter and dayBefore are the days beside it. Days that are none stay as they are.
func lastOfMonth(d openbanking.Date) openbanking.Date {
	return shifted(monthOf(d), 1, -1)
}

func dayAfter(d openbanking.Date) openbanking.Date  { return shifted(d, 0, 1) }
func dayBefore(d openbanking.Date) openbanking.Date { return shifted(d, 0, -1) }

func shifted(d openbanking.Date, months, days int) openbanking.Date {
	t, err := d.Time()
	if err != nil {
		return d
	}
	return openbanking.DateOf(t.AddDate(0, months, days))
}

// DayBalance is what was on an account at the end of a day.
type DayBalance struct {
	Day     openbanking.Date
	Balance money.Amount
}

// DayBalances returns what was on an account of the user at the end of each day of a period which has both ends, oldest first, as far as it is known.
//
// Of an account at a bank: the balance that its page shows, true at the end of the day that the bank names with it, and from there the rows back and forth;
// nothing before its first row. Of one whose rows the user writes: the opening balance and the rows since. Of one that has only a value: the last value until
// then. None when there is no balance, and of days on which no amount is so large. An account of somebody else is finance.ErrNotFound.
func (s *Store) DayBalances(ctx context.Context, userID, accountID string, in search.Period) (list []DayBalance, err error) {
	defer doing("read balances of days", &err)
	return sqlite.RememberFew(ctx, s.db, sqlite.Key{"balances of days", userID + " " + accountID, string(in.From + " " + in.To)}, mostPeriods, func() (list []DayBalance, err error) {
		err = s.Snapshot(ctx, func(r Reader) error {
			list, err = r.dayBalances(ctx, userID, accountID, in)
			return err
		})
		return list, err
	})
}

func (r Reader) dayBalances(ctx context.Context, userID, accountID string, in search.Period) ([]DayBalance, error) {
	account, err := r.Account(ctx, userID, accountID)
	if err != nil {
		return nil, err
	}
	if account.Source == finance.SourceValue {
		return r.valuesByDay(ctx, userID, accountID, in)
	}
	known, first, err := r.knownBalance(ctx, userID, account)
	if err != nil || known.Balance == (money.Amount{}) {
		return nil, err
	}
	from := max(in.From, first)
	nets, err := r.nets(ctx, userID, accountID, known.Balance.Currency(), search.Period{From: min(from, known.Day), To: max(in.To, known.Day)})
	if err != nil {
		return nil, err
	}
	var sum flow // the balance at the end of the day before from
	sum.put(known.Balance)
	for day, net := range nets {
		switch {
		case day <= known.Day && day >= from:
			sum.add(net, -1)
		case day > known.Day && day < from:
			sum.add(net, 1)
		}
	}
	var list []DayBalance
	for day := from; day != "" && day <= in.To; day = dayAfter(day) {
		sum.add(nets[day], 1)
		if balance, fits := sum.amount(known.Balance.Currency()); fits {
			list = append(list, DayBalance{day, balance})
		}
	}
	return list, nil
}

// knownBalance is a balance of an account with rows, and the first day of which one can be told. A zero one is none.
func (r Reader) knownBalance(ctx context.Context, userID string, account finance.Account) (known DayBalance, first openbanking.Date, err error) {
	if account.Source == finance.SourceManual {
		values, err := r.values(ctx, userID, account.ID)
		if err != nil || len(values) == 0 {
			return known, "", err
		}
		return DayBalance{dayBefore(values[0].Day), values[0].Amount}, values[0].Day, nil // a value is that of the beginning of its day
	}
	balances, err := r.balancesOf(ctx, userID, account.ID)
	if err != nil {
		return known, "", err
	}
	main := finance.Counted(account, balances)
	if main == nil {
		return known, "", nil
	}
	day := cmp.Or(main.Reference, finance.Today(main.Fetched))
	if main.Type == openbanking.BalanceStatusOPBD || main.Type == openbanking.BalanceStatusOPAV {
		day = dayBefore(day)
	}
	return DayBalance{day, main.Amount}, cmp.Or(account.HistoryFrom, day), nil
}

// nets are what the rows of an account in a currency come to, day by day, in and out together.
func (r Reader) nets(ctx context.Context, userID, accountID, currency string, in search.Period) (map[openbanking.Date]flow, error) {
	nets := map[openbanking.Date]flow{}
	_, err := collect(ctx, r.from, func(row scanner) (struct{}, error) {
		var day openbanking.Date
		var net flow
		err := row.Scan(&day, &net.millions, &net.rest)
		nets[day] = net
		return struct{}{}, err
	}, `SELECT kept.day, SUM(kept.in_millions + kept.out_millions), SUM(kept.in_rest + kept.out_rest) FROM account a CROSS JOIN day_sum kept ON kept.account_id = a.id AND kept.day BETWEEN $2 AND $3
		WHERE a.user_id = $1 AND a.id = $4 AND kept.currency = $5 GROUP BY kept.day`, userID, in.From, in.To, accountID, currency)
	return nets, err
}

// valuesByDay is DayBalances of an account that has only a value.
func (r Reader) valuesByDay(ctx context.Context, userID, accountID string, in search.Period) (list []DayBalance, err error) {
	values, err := r.values(ctx, userID, accountID) // the latest first
	if err != nil || len(values) == 0 {
		return nil, err
	}
	for day := max(in.From, values[len(values)-1].Day); day != "" && day <= in.To; day = dayAfter(day) {
		last := values[slices.IndexFunc(values, func(v finance.Value) bool { return v.Day <= day })]
		list = append(list, DayBalance{day, last.Amount})
	}
	return list, nil
}
