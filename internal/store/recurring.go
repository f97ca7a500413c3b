package store

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/recurring"
	"florin/internal/sqlite"
)

const (
	// recurringRows is how many of the newest rows of a payee are looked at for series: as many in each account that has some, and at least fewestRows of them.
	recurringRows = 1000
	fewestRows    = 60
	// recurringPayees is how many payees are looked at together: another writer waits so long.
	recurringPayees = 5
	// recurringBacklog is how many new rows are asked for their payees together.
	recurringBacklog = 5000
)

// payeeOf is a payee of a user.
type payeeOf struct{ user, key string }

// FindRecurring looks for series of transactions among the rows of payees that are new or changed, some payees at a time. It is the work of a background loop:
// it returns when to be called again, never when nothing is left.
func (s *Store) FindRecurring(ctx context.Context) (next time.Time, err error) {
	defer doing("find recurring transactions", &err)
	var from, newest int64
	var waiting []payeeOf
	searches := map[string]*seriesSearch{} // of users
	err = s.db.Snapshot(ctx, func(at sqlite.Snapshot) error {
		err := at.QueryRowContext(ctx, `SELECT from_id, (SELECT COALESCE(MAX(t.id), 0) FROM booked_transaction t) FROM recurring_backlog`).Scan(&from, &newest)
		if err != nil || from <= newest {
			return err
		}
		waiting, err = collect(ctx, at, func(row scanner) (p payeeOf, err error) { return p, row.Scan(&p.user, &p.key) },
			`SELECT user_id, payee_key FROM recurring_waiting ORDER BY user_id, payee_key LIMIT $1`, recurringPayees)
		if err != nil {
			return err
		}
		payees := map[string][]string{}
		for _, p := range waiting {
			payees[p.user] = append(payees[p.user], p.key)
		}
		for user, keys := range payees {
			if searches[user], err = readPayees(ctx, at, user, keys); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || len(waiting) == 0 && from > newest {
		return time.Time{}, err
	}
	if from <= newest { // all of them first, so that a payee is looked at once
		until := min(newest, from+recurringBacklog-1)
		err := s.db.Write(ctx, func(tx *sqlite.Tx) error {
			_, err := tx.ExecContext(ctx, `INSERT INTO recurring_waiting (user_id, payee_key)
				SELECT DISTINCT a.user_id, t.payee_key FROM booked_transaction t JOIN account a ON a.id = t.account_id WHERE t.id BETWEEN $1 AND $2 AND t.payee_key <> ''
				ON CONFLICT DO NOTHING`, from, until)
			if err != nil {
				return err
			}
			_, err = tx.ExecContext(ctx, `UPDATE recurring_backlog SET from_id = $1`, until+1)
			return err
		})
		return time.Now(), err
	}
	more := len(waiting) == recurringPayees
	for _, seen := range searches { // without the writer, which others wait for
		found, err := recurring.Find(ctx, seen.rows)
		if err != nil {
			return time.Time{}, err
		}
		stored, err := s.storeFound(ctx, seen, found)
		if err != nil {
			return time.Time{}, err
		}
		more = more || !stored
	}
	if !more {
		return time.Time{}, nil
	}
	return time.Now(), nil
}

// storeFound stores the series that were found among rows. It reports whether it did: where the rows have changed meanwhile, their payees wait on.
func (s *Store) storeFound(ctx context.Context, seen *seriesSearch, found []recurring.Series) (stored bool, err error) {
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		stored = false
		now, err := readPayees(ctx, tx, seen.userID, seen.asked)
		if err != nil || !slices.Equal(now.rows, seen.rows) {
			return err
		}
		stored = true
		return now.store(ctx, tx, now.match(found))
	})
	return stored, err
}

// keptSeries is a stored series.
type keptSeries struct {
	recurring.Kept
	payee  string
	into   string  // the series as part of which it is shown
	rows   []int64 // their ids, in no order
	parent bool    // others are part of it
}

// chosen reports whether a person has said anything of it.
func (k *keptSeries) chosen() bool {
	return k.Choice != recurring.Undecided || k.Name != "" || k.into != "" || k.parent
}

// keptColumns are those of a series s.
const keptColumns = `s.id, s.choice, s.name, s.last_row, s.rhythm, s.anchor, s.month_day, s.shift, s.first_day, s.last_day, s.row_count, s.currency, s.usual, s.low, s.high,
	s.steady, s.was, s.since`

// scanKept reads keptColumns, and what follows them into more.
func scanKept(row scanner, more ...any) (k recurring.Kept, err error) {
	var currency string
	var usual, low, high, was int64
	f := &k.Facts
	err = row.Scan(append([]any{&k.ID, &k.Choice, &k.Name, &k.LastRow, &f.Every, &f.Anchor, &f.MonthDay, &f.Shift, &f.First, &f.Last, &f.Count, &currency,
		&usual, &low, &high,
		&f.Steady, &was, &f.Since}, more...)...)
	if err != nil {
		return k, err
	}
	f.Usual, f.Low, f.High, f.Was = money.FromMinor(usual, currency), money.FromMinor(low, currency), money.FromMinor(high, currency),
		money.FromMinor(was, currency)
	return k, nil
}

func scanKeptSeries(row scanner) (*keptSeries, error) {
	k := new(keptSeries)
	var err error
	k.Kept, err = scanKept(row, &k.payee, &k.into, &k.parent)
	return k, err
}

const keptQuery = `SELECT ` + keptColumns + `, s.payee_key, s.merged_into, EXISTS (SELECT 1 FROM recurring_series part WHERE part.merged_into = s.id AND part.merged_into <> '')
	FROM recurring_series s WHERE s.user_id = $1 AND `

// findSeriesLater queues the payees of rows for another search for series.
func findSeriesLater(ctx context.Context, tx *sqlite.Tx, ids ...any) error {
	for _, id := range ids {
		_, err := tx.ExecContext(ctx, `INSERT INTO recurring_waiting (user_id, payee_key) SELECT a.user_id, t.payee_key
			FROM booked_transaction t JOIN account a ON a.id = t.account_id WHERE t.id = $1 AND t.payee_key <> '' ON CONFLICT DO NOTHING`, id)
		if err != nil {
			return err
		}
	}
	return nil
}

// seriesSearch is what is stored of some payees of a user, to find their series anew.
type seriesSearch struct {
	userID string
	asked  []string               // the payees
	rows   []recurring.Row        // in the order of their ids
	payees map[string]bool        // that were read
	of     map[int64]string       // the stored series of rows
	kept   map[string]*keptSeries // stored series
}

// findAnew looks for series among the rows of a payee, and stores what changes.
func findAnew(ctx context.Context, tx *sqlite.Tx, userID, payee string) error {
	w, err := readPayees(ctx, tx, userID, []string{payee})
	if err != nil {
		return err
	}
	found, err := recurring.Find(ctx, w.rows)
	if err != nil {
		return err
	}
	return w.store(ctx, tx, w.match(found))
}

// readPayees reads the rows of payees, and the series that they are of.
func readPayees(ctx context.Context, q querier, userID string, payees []string) (*seriesSearch, error) {
	w := &seriesSearch{userID: userID, asked: payees, payees: map[string]bool{}, of: map[int64]string{}, kept: map[string]*keptSeries{}}
	for _, payee := range payees {
		if err := w.read(ctx, q, payee); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(w.rows, func(a, b recurring.Row) int { return cmp.Compare(a.ID, b.ID) })
	return w, nil
}

// read reads the rows of a payee, the series that they are of, and the other payees of these.
func (w *seriesSearch) read(ctx context.Context, q querier, payee string) error {
	if w.payees[payee] || payee == "" {
		return nil
	}
	w.payees[payee] = true
	others := map[string]bool{}
	accounts, err := collect(ctx, q, func(row scanner) (id string, err error) { return id, row.Scan(&id) }, `SELECT a.id FROM account a WHERE a.user_id = $1
		AND EXISTS (SELECT 1 FROM booked_transaction t WHERE t.account_id = a.id AND t.payee_key = $2)`, w.userID, payee) // most have none of them
	if err != nil {
		return err
	}
	for _, account := range accounts {
		_, err := collect(ctx, q, func(row scanner) (struct{}, error) {
			r := recurring.Row{Payee: payee}
			var minor int64
			var currency, series string
			err := row.Scan(&r.ID, &r.Day, &minor, &currency, &r.Known, &series)
			if err == nil {
				r.Amount = money.FromMinor(minor, currency)
				w.rows = append(w.rows, r)
			}
			if series != "" {
				w.of[r.ID] = series
			}
			return struct{}{}, err
		}, `SELECT t.id, t.display_date, t.minor, t.currency, t.counterparty_account <> '', COALESCE(held.series_id, '')
			FROM account a CROSS JOIN booked_transaction t ON t.account_id = a.id AND t.payee_key = $3 LEFT JOIN recurring_row held ON held.transaction_id = t.id
			WHERE a.user_id = $1 AND a.id = $2 AND t.sort_key >= 0 AND NOT (`+unlisted+`) ORDER BY t.sort_key DESC LIMIT $4`,
			w.userID, account, payee, max(recurringRows/len(accounts), fewestRows))
		if err != nil {
			return err
		}
	}
	series, err := collect(ctx, q, scanKeptSeries, keptQuery+`s.payee_key = $2`, w.userID, payee)
	if err != nil {
		return err
	}
	for _, r := range w.rows {
		if id := w.of[r.ID]; id != "" && w.kept[id] == nil && !slices.ContainsFunc(series, func(k *keptSeries) bool { return k.ID == id }) {
			more, err := collect(ctx, q, scanKeptSeries, keptQuery+`s.id = $2`, w.userID, id)
			if err != nil {
				return err
			}
			series = append(series, more...)
		}
	}
	for _, k := range series {
		if w.kept[k.ID] != nil {
			continue
		}
		w.kept[k.ID] = k
		k.rows, err = collect(ctx, q, func(row scanner) (id int64, err error) {
			var payee string
			err = row.Scan(&id, &payee)
			others[payee] = true
			return id, err
		}, `SELECT t.id, t.payee_key FROM recurring_row held JOIN booked_transaction t ON t.id = held.transaction_id JOIN account a ON a.id = t.account_id
			WHERE held.series_id = $2 AND a.user_id = $1`, w.userID, k.ID)
		if err != nil {
			return err
		}
	}
	for other := range others { // the rows of a series have another payee since they were named, or since its rows changed
		if err := w.read(ctx, q, other); err != nil {
			return err
		}
	}
	return nil
}

// match gives found series the ids of stored ones: a found series is the stored one that has most of its rows, else one of the same payee that is like it.
// Those without an id are new. What a person has dismissed is not among them again.
func (w *seriesSearch) match(found []recurring.Series) []*keptSeries {
	type pair struct {
		found, rows int
		id          string
	}
	var pairs []pair
	for i, f := range found {
		counts := map[string]int{}
		for _, r := range f.Rows {
			if id := w.of[r.ID]; id != "" {
				counts[id]++
			}
		}
		for id, rows := range counts {
			pairs = append(pairs, pair{i, rows, id})
		}
	}
	slices.SortFunc(pairs, func(a, b pair) int {
		return cmp.Or(cmp.Compare(b.rows, a.rows), cmp.Compare(a.found, b.found), cmp.Compare(a.id, b.id))
	})
	is, taken := make([]*keptSeries, len(found)), map[string]bool{}
	take := func(i int, k *keptSeries) {
		if is[i] == nil && !taken[k.ID] {
			is[i], taken[k.ID] = k, true
		}
	}
	for _, p := range pairs {
		if k := w.kept[p.id]; k != nil {
			take(p.found, k)
		}
	}
	ids := make([]string, 0, len(w.kept))
	for id := range w.kept {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	var matched []*keptSeries
	for i, f := range found {
		payee := f.Rows[0].Payee
		dismissed := false
		for _, id := range ids {
			if k := w.kept[id]; k.payee == payee && k.Like(f.Facts) {
				if k.Every == f.Every {
					take(i, k)
				}
				dismissed = dismissed || k.Choice == recurring.Dismissed
			}
		}
		k := is[i]
		if k == nil {
			if dismissed {
				continue
			}
			k = &keptSeries{}
		}
		matched = append(matched, w.changed(k, f))
	}
	return append(matched, w.left(taken, matched)...)
}

// changed is a stored series as it is found now.
func (w *seriesSearch) changed(k *keptSeries, f recurring.Series) *keptSeries {
	now := *k
	now.Facts, now.payee, now.LastRow, now.rows = f.Facts, f.Rows[0].Payee, f.Rows[len(f.Rows)-1].ID, nil
	for _, r := range f.Rows {
		now.rows = append(now.rows, r.ID)
	}
	return &now
}

// left returns the stored series about which a person has said something and that were not found again, with the rows that no other series has taken.
func (w *seriesSearch) left(taken map[string]bool, matched []*keptSeries) []*keptSeries {
	claimed := map[int64]bool{}
	for _, k := range matched {
		for _, id := range k.rows {
			claimed[id] = true
		}
	}
	byID := map[int64]recurring.Row{}
	for _, r := range w.rows {
		byID[r.ID] = r
	}
	var all []*keptSeries
	for id, k := range w.kept {
		if taken[id] || !k.chosen() {
			continue
		}
		now := *k
		var rows []recurring.Row
		now.rows = nil
		for _, id := range k.rows {
			if r, ok := byID[id]; ok && !claimed[id] {
				rows, now.rows = append(rows, r), append(now.rows, id)
			}
		}
		if s, ok := recurring.Of(rows); ok {
			now.Facts, now.LastRow = s.Facts, s.Rows[len(s.Rows)-1].ID
		} else {
			now.Count = len(rows)
		}
		all = append(all, &now)
	}
	return all
}

// store writes what has changed about series. Those that are not among them any more go, and the payees wait no longer.
func (w *seriesSearch) store(ctx context.Context, tx *sqlite.Tx, series []*keptSeries) error {
	now := map[string]bool{}
	var moved []*keptSeries
	for _, k := range series {
		now[k.ID] = true
		if k.ID == "" {
			k.ID = finance.NewID()
			moved = append(moved, k)
			if err := insertSeries(ctx, tx, w.userID, k); err != nil {
				return err
			}
			continue
		}
		was := w.kept[k.ID]
		slices.Sort(k.rows)
		slices.Sort(was.rows)
		if !slices.Equal(k.rows, was.rows) {
			moved = append(moved, k)
			if _, err := tx.ExecContext(ctx, `DELETE FROM recurring_row WHERE series_id = $1`, k.ID); err != nil {
				return err
			}
		}
		if k.parent || k.Facts != was.Facts || k.payee != was.payee || k.LastRow != was.LastRow {
			if err := writeFacts(ctx, tx, w.userID, k); err != nil {
				return err
			}
		}
	}
	for id := range w.kept {
		if now[id] {
			continue
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM recurring_series WHERE id = $1 AND user_id = $2`, id, w.userID); err != nil {
			return err
		}
	}
	for _, k := range moved {
		for _, id := range k.rows {
			if _, err := tx.ExecContext(ctx, `INSERT INTO recurring_row (transaction_id, series_id) VALUES ($1, $2)`, id, k.ID); err != nil {
				return err
			}
		}
	}
	for _, k := range series {
		if k.into != "" || k.parent {
			if err := describeWhole(ctx, tx, w.userID, cmp.Or(k.into, k.ID)); err != nil {
				return err
			}
		}
	}
	for _, payee := range w.asked {
		if _, err := tx.ExecContext(ctx, `DELETE FROM recurring_waiting WHERE user_id = $1 AND payee_key = $2`, w.userID, payee); err != nil {
			return err
		}
	}
	return nil
}

// factsOf are the values of the columns from last_row on.
func factsOf(k *keptSeries) []any {
	f := k.Facts
	return []any{k.LastRow, f.Every, f.Anchor, f.MonthDay, f.Shift, f.First, f.Last, f.Count, f.Usual.Currency(), f.Usual.Minor(), f.Low.Minor(),
		f.High.Minor(), f.Steady,
		f.Was.Minor(), f.Since}
}

func insertSeries(ctx context.Context, tx *sqlite.Tx, userID string, k *keptSeries) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO recurring_series (id, user_id, payee_key, last_row, rhythm, anchor, month_day, shift, first_day, last_day, row_count, currency,
			usual, low, high, steady, was, since) VALUES `+tuples(1, 18), append([]any{k.ID, userID, k.payee}, factsOf(k)...)...)
	return err
}

func writeFacts(ctx context.Context, tx *sqlite.Tx, userID string, k *keptSeries) error {
	return changed(tx.ExecContext(ctx, `UPDATE recurring_series SET last_row = ?, rhythm = ?, anchor = ?, month_day = ?, shift = ?, first_day = ?, last_day = ?, row_count = ?,
		currency = ?, usual = ?, low = ?, high = ?, steady = ?, was = ?, since = ?, payee_key = ? WHERE id = ? AND user_id = ?`, append(factsOf(k), k.payee, k.ID, userID)...))
}

// describeWhole writes the facts of a series with all that a person has merged into it.
func describeWhole(ctx context.Context, tx *sqlite.Tx, userID, id string) error {
	k, err := scanKeptSeries(tx.QueryRowContext(ctx, keptQuery+`s.id = $2`, userID, id))
	if err != nil {
		return notFound(err)
	}
	rows, err := seriesRows(ctx, tx, `s.user_id = $1 AND `+wholeSeries, userID, id)
	if err != nil {
		return err
	}
	whole, ok := recurring.Of(rows)
	if !ok {
		return nil
	}
	k.Facts, k.LastRow = whole.Facts, whole.Rows[len(whole.Rows)-1].ID
	return writeFacts(ctx, tx, userID, k)
}

// seriesRows are the rows of series under a condition on the series s and the rows t, in which $1 is a user and $2 a series.
func seriesRows(ctx context.Context, q querier, condition, userID, id string) ([]recurring.Row, error) {
	return collect(ctx, q, func(row scanner) (r recurring.Row, err error) {
		var minor int64
		var currency string
		err = row.Scan(&r.ID, &r.Day, &minor, &currency)
		if err == nil {
			r.Amount = money.FromMinor(minor, currency)
		}
		return r, err
	}, `SELECT t.id, t.display_date, t.minor, t.currency FROM recurring_series s CROSS JOIN recurring_row held ON held.series_id = s.id
		CROSS JOIN booked_transaction t ON t.id = held.transaction_id WHERE `+condition, userID, id)
}

// shownColumns are keptColumns with what is shown of the last row t of a series: paired says whether that is a side of a transfer.
func shownColumns(paired string) string {
	return keptColumns + `, COALESCE(t.account_id, ''), COALESCE(t.category_id, ''), ` + paired +
		`, COALESCE(NULLIF(t.payee, ''), NULLIF(t.counterparty, ''), NULLIF(t.remittance, ''), t.kind, '')`
}

// scanShown reads shownColumns, and what follows them into more. The series is called as its last row is.
func scanShown(row scanner, more ...any) (k recurring.Kept, err error) {
	var account, category, title string
	var transfer bool
	k, err = scanKept(row, append([]any{&account, &category, &transfer, &title}, more...)...)
	k.Account, k.Category, k.Transfer, k.Title = account, category, transfer, title
	return k, err
}

// scanOwn is scanShown for the owner, whose name for it counts.
func scanOwn(row scanner) (recurring.Kept, error) {
	k, err := scanShown(row)
	k.Title = cmp.Or(k.Name, k.Title)
	return k, err
}

// wholeSeries are the series s that are shown as the one with the id $2.
const wholeSeries = `(s.id = $2 OR s.merged_into = $2 AND s.merged_into <> '')`

// shown are the series that stand alone and have rows.
const shown = `s.merged_into = '' AND s.row_count > 1`

// RecurringSeries lists the series of a user in the order of the alphabet, dismissed ones too, those merged into others not.
func (s *Store) RecurringSeries(ctx context.Context, userID string) ([]recurring.Kept, error) {
	return s.Mine(userID).RecurringSeries(ctx)
}

// RecurringSeries is Store.RecurringSeries. The household has those of others, too, as far as their rows are seen: a series with fewer than two such rows is
// left out, and so is what its owner dismissed. The names that owners gave, and what they said of a series, are not told.
func (w Seen) RecurringSeries(ctx context.Context) (_ []recurring.Kept, err error) {
	defer doing("read recurring transactions", &err)
	return sqlite.Remember(ctx, w.store.db, sqlite.Key{"recurring_series", w.key(), ""}, func() ([]recurring.Kept, error) {
		list, err := collect(ctx, w.store.db.Read(), scanOwn, `SELECT `+shownColumns(pairedColumn)+` FROM recurring_series s
			LEFT JOIN booked_transaction t ON t.id = s.last_row WHERE s.user_id = $1 AND `+shown, w.userID)
		if err == nil && w.household {
			var others []recurring.Kept
			others, err = w.seriesOfOthers(ctx)
			list = append(list, others...)
		}
		slices.SortFunc(list, func(a, b recurring.Kept) int { return cmp.Or(cmp.Compare(a.Title, b.Title), cmp.Compare(a.ID, b.ID)) })
		return list, err
	})
}

const (
	// sharers are those who share rows with the user $1.
	sharers = `(SELECT seen.owner_id FROM household_account seen WHERE seen.user_id = $1 AND seen.owner_id <> $1)`
	// rowInSight is the condition that user $1 sees row t.
	rowInSight = `t.account_id IN (SELECT seen.account_id FROM household_account seen WHERE seen.user_id = $1)`
	// pairedInSight is the condition that row t is a side of a transfer of which user $1 sees both sides.
	pairedInSight = `(EXISTS (SELECT 1 FROM own_transfer held JOIN booked_transaction other ON other.id = held.in_id
			WHERE held.out_id = t.id AND held.state <> 'refused' AND other.account_id IN (SELECT seen.account_id FROM household_account seen WHERE seen.user_id = $1))
		OR EXISTS (SELECT 1 FROM own_transfer held JOIN booked_transaction other ON other.id = held.out_id
			WHERE held.in_id = t.id AND held.state <> 'refused' AND other.account_id IN (SELECT seen.account_id FROM household_account seen WHERE seen.user_id = $1)))`
)

// seriesOfOthers are those of which the user sees at least two rows. Where some rows are out of sight, the facts are those of the others: nothing tells of an
// account that is not shared.
func (w Seen) seriesOfOthers(ctx context.Context) (list []recurring.Kept, err error) {
	h, err := w.home(ctx)
	if err != nil || len(h.rows) == 0 {
		return nil, err
	}
	err = w.store.db.Snapshot(ctx, func(at sqlite.Snapshot) error {
		rows := map[string][2]int{} // by series: how many it has, and how many of them are seen
		_, err := collect(ctx, at, func(row scanner) (struct{}, error) {
			var id string
			var all, seen int
			err := row.Scan(&id, &all, &seen)
			rows[id] = [2]int{all, seen}
			return struct{}{}, err
		}, `SELECT COALESCE(NULLIF(s.merged_into, ''), s.id), COUNT(*), SUM(`+rowInSight+`) FROM recurring_series s CROSS JOIN recurring_row held ON held.series_id = s.id
			CROSS JOIN booked_transaction t ON t.id = held.transaction_id WHERE s.user_id IN `+sharers+` GROUP BY 1`, w.userID)
		if err != nil {
			return err
		}
		list, err = collect(ctx, at, func(row scanner) (k recurring.Kept, err error) {
			var owner string
			k, err = scanShown(row, &owner)
			k.Owner, k.Name, k.Choice = owner, "", recurring.Undecided
			return k, err
		}, `SELECT `+shownColumns(pairedInSight)+`, owner.email FROM recurring_series s JOIN user owner ON owner.id = s.user_id
			LEFT JOIN booked_transaction t ON t.id = s.last_row WHERE s.user_id IN `+sharers+` AND s.choice <> 'dismissed' AND `+shown, w.userID)
		if err != nil {
			return err
		}
		list = slices.DeleteFunc(list, func(k recurring.Kept) bool { return rows[k.ID][1] < 2 })
		for i, k := range list {
			if rows[k.ID][0] == rows[k.ID][1] {
				continue
			}
			if list[i], err = w.seriesInSight(ctx, at, k); err != nil {
				return err
			}
		}
		return nil
	})
	for i, k := range list {
		list[i].Category = h.category(k.Account, k.Category)
	}
	return list, err
}

// seriesInSight is a series of another as those of its rows tell it that the user sees.
func (w Seen) seriesInSight(ctx context.Context, q querier, k recurring.Kept) (recurring.Kept, error) {
	rows, err := seriesRows(ctx, q, `s.user_id IN `+sharers+` AND `+wholeSeries+` AND `+rowInSight, w.userID, k.ID)
	if err != nil {
		return k, err
	}
	s, ok := recurring.Of(rows)
	if !ok {
		return k, finance.ErrNotFound
	}
	last, err := scanShown(q.QueryRowContext(ctx, `SELECT `+shownColumns(pairedInSight)+` FROM recurring_series s JOIN booked_transaction t ON t.id = $3
		WHERE s.user_id IN `+sharers+` AND s.id = $2 AND `+rowInSight, w.userID, k.ID, s.Rows[len(s.Rows)-1].ID))
	k.Facts, k.LastRow, k.Account, k.Category, k.Transfer, k.Title = s.Facts, s.Rows[len(s.Rows)-1].ID, last.Account, last.Category, last.Transfer, last.Title
	return k, err
}

// Recurring returns a series of the user with its rows, newest first, those of the series merged into it too, and how many these are. finance.ErrNotFound for
// the series of somebody else, and for one that is part of another.
func (s *Store) Recurring(ctx context.Context, userID, id string) (k recurring.Kept, rows []finance.FoundRow, merged int, err error) {
	return s.Mine(userID).Recurring(ctx, id)
}

// Recurring is Store.Recurring. In the household a series of another is found, too, with the rows that are seen; how many others are part of it is not told.
func (w Seen) Recurring(ctx context.Context, id string) (k recurring.Kept, rows []finance.FoundRow, merged int, err error) {
	defer doing("read recurring transaction", &err)
	if k, err = w.series(ctx, id); err != nil {
		return k, nil, 0, err
	}
	err = w.store.db.Snapshot(ctx, func(at sqlite.Snapshot) error {
		err := at.QueryRowContext(ctx, `SELECT COUNT(*) FROM recurring_series s WHERE s.user_id = $1 AND s.merged_into = $2`, w.userID, id).Scan(&merged)
		if err != nil {
			return err
		}
		rows, err = collect(ctx, at, scanFound, `SELECT `+rowColumns+`, t.account_id FROM recurring_series s CROSS JOIN recurring_row held ON held.series_id = s.id
			CROSS JOIN booked_transaction t ON t.id = held.transaction_id CROSS JOIN account a ON a.id = t.account_id
			WHERE s.user_id = a.user_id AND `+wholeSeries+` AND `+seenBy(w.household, "a", "$1")+` ORDER BY t.sort_key DESC`, w.userID, id)
		return err
	})
	if err != nil || k.Owner == "" {
		return k, rows, merged, err
	}
	h, err := w.home(ctx)
	if err != nil {
		return k, nil, 0, err
	}
	for i, r := range rows {
		rows[i].TransactionRow = h.row(r.AccountID, r.TransactionRow)
	}
	if len(rows) == 0 { // no longer shared
		err = finance.ErrNotFound
	}
	return k, rows, merged, err
}

// RecurringOf returns the series of which a row of the user is. finance.ErrNotFound when it is of none, or of one that was dismissed.
func (s *Store) RecurringOf(ctx context.Context, userID string, transaction int64) (k recurring.Kept, err error) {
	defer doing("read recurring transaction", &err)
	k, err = scanOwn(s.db.Read().QueryRowContext(ctx, `SELECT `+shownColumns(pairedColumn)+` FROM recurring_row held JOIN recurring_series part ON part.id = held.series_id
		JOIN recurring_series s ON s.id = COALESCE(NULLIF(part.merged_into, ''), part.id) LEFT JOIN booked_transaction t ON t.id = s.last_row
		WHERE held.transaction_id = $2 AND s.user_id = $1 AND s.choice <> 'dismissed' AND `+shown, userID, transaction))
	return k, notFound(err)
}

// RecurringOf is Store.RecurringOf. In the household a row of another that is seen has a series, too, where Seen.RecurringSeries has it.
func (w Seen) RecurringOf(ctx context.Context, transaction int64) (k recurring.Kept, err error) {
	defer doing("read recurring transaction of the household", &err)
	k, err = w.store.RecurringOf(ctx, w.userID, transaction)
	if !w.household || !errors.Is(err, finance.ErrNotFound) {
		return k, err
	}
	var id string
	err = w.store.db.Read().QueryRowContext(ctx, `SELECT COALESCE(NULLIF(s.merged_into, ''), s.id) FROM recurring_row held JOIN recurring_series s ON s.id = held.series_id
		JOIN booked_transaction t ON t.id = held.transaction_id WHERE held.transaction_id = $2 AND s.user_id IN `+sharers+` AND `+rowInSight, w.userID, transaction).Scan(&id)
	if err != nil {
		return k, notFound(err)
	}
	k, err = w.series(ctx, id)
	return k, err
}

// series is one of RecurringSeries, else finance.ErrNotFound.
func (w Seen) series(ctx context.Context, id string) (recurring.Kept, error) {
	all, err := w.RecurringSeries(ctx)
	if err != nil {
		return recurring.Kept{}, err
	}
	i := slices.IndexFunc(all, func(k recurring.Kept) bool { return k.ID == id })
	if i < 0 {
		return recurring.Kept{}, finance.ErrNotFound
	}
	return all[i], nil
}

// ChooseRecurring keeps what a user says of a series. finance.ErrNotFound for the series of somebody else.
func (s *Store) ChooseRecurring(ctx context.Context, userID, id string, c recurring.Choice) (err error) {
	defer doing("choose recurring transaction", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		if err := changed(tx.ExecContext(ctx, `UPDATE recurring_series SET choice = $1 WHERE id = $2 AND user_id = $3 AND merged_into = ''`, c, id, userID)); err != nil {
			return err
		}
		return findAgain(ctx, tx, userID, id)
	})
}

// NameRecurring gives a series a name; with "" it is called as its payee. finance.ErrNotFound for the series of somebody else.
func (s *Store) NameRecurring(ctx context.Context, userID, id, name string) (err error) {
	defer doing("name recurring transaction", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		return changed(tx.ExecContext(ctx, `UPDATE recurring_series SET name = $1 WHERE id = $2 AND user_id = $3 AND merged_into = ''`, name, id, userID))
	})
}

// MergeRecurring makes a series, with all that was merged into it, a part of another one. finance.ErrNotFound when they are not two series of the user, in one
// direction and one currency.
func (s *Store) MergeRecurring(ctx context.Context, userID, id, into string) (err error) {
	defer doing("merge recurring transactions", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		var fit bool
		err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM recurring_series s, recurring_series other WHERE s.id = $2 AND other.id = $3 AND s.id <> other.id
			AND s.user_id = $1 AND other.user_id = $1 AND s.merged_into = '' AND other.merged_into = '' AND s.currency = other.currency AND (s.usual < 0) = (other.usual < 0)
			AND s.choice <> 'dismissed' AND other.choice <> 'dismissed')`, userID, id, into).Scan(&fit)
		if err == nil && !fit {
			err = finance.ErrNotFound
		}
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE recurring_series SET merged_into = $3 WHERE user_id = $1 AND (id = $2 OR merged_into = $2)`, userID, id, into); err != nil {
			return err
		}
		return describeWhole(ctx, tx, userID, into)
	})
}

// SeparateRecurring takes out of a series what was merged into it, if there is anything. finance.ErrNotFound for the series of somebody else.
func (s *Store) SeparateRecurring(ctx context.Context, userID, id string) (err error) {
	defer doing("separate recurring transactions", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		if _, err := tx.ExecContext(ctx, `UPDATE recurring_series SET merged_into = '' WHERE user_id = $1 AND merged_into = $2`, userID, id); err != nil {
			return err
		}
		return findAgain(ctx, tx, userID, id)
	})
}

// findAgain looks at the rows of the payee of a series once more: its facts are of its own rows then.
func findAgain(ctx context.Context, tx *sqlite.Tx, userID, id string) error {
	var payee string
	if err := tx.QueryRowContext(ctx, `SELECT s.payee_key FROM recurring_series s WHERE s.id = $1 AND s.user_id = $2`, id, userID).Scan(&payee); err != nil {
		return notFound(err)
	}
	return findAnew(ctx, tx, userID, payee)
}
