package store

import (
	"context"
	"maps"
	"slices"
	"time"

	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/search"
	"florin/internal/sqlite"
)

// movedColumns are those of a row t that finance.TransferRow holds, but for its record.
const movedColumns = `t.id, t.account_id, t.minor, t.currency, t.display_date, t.counterparty, t.counterparty_account, t.remittance, t.kind`

func scanTransferRow(row scanner, more ...any) (r finance.TransferRow, err error) {
	var minor int64
	var currency string
	err = row.Scan(append([]any{&r.ID, &r.AccountID, &minor, &currency, &r.Date, &r.Counterparty, &r.CounterpartyAccount, &r.Remittance, &r.Kind}, more...)...)
	if err == nil {
		r.Amount = money.FromMinor(minor, currency)
	}
	return r, err
}

// transferRows are looked at together.
const transferRows = 500

// waitingRow is a row that is to be looked at for a transfer.
type waitingRow struct {
	finance.TransferRow
	userID string
	known  bool // it was looked at before, and has changed
}

func scanWaiting(row scanner) (w waitingRow, err error) {
	w.TransferRow, err = scanTransferRow(row, &w.userID)
	return w, err
}

// FindTransfers pairs rows that are the two sides of a transfer between accounts of one person: it looks at rows that are new or changed, and at all that they
// may belong to, some at a time. It is the work of a background loop: it returns when to be called again, never when nothing is left.
func (s *Store) FindTransfers(ctx context.Context) (next time.Time, err error) {
	defer doing("find transfers", &err)
	var rows []waitingRow
	var from, newest int64
	var searches []*transferSearch // of users
	err = s.db.Snapshot(ctx, func(at sqlite.Snapshot) error {
		err := at.QueryRowContext(ctx, `SELECT from_id, (SELECT COALESCE(MAX(t.id), 0) FROM booked_transaction t) FROM transfer_backlog`).Scan(&from, &newest)
		if err != nil {
			return err
		}
		rows, err = collect(ctx, at, scanWaiting, `SELECT `+movedColumns+`, a.user_id FROM transfer_waiting waiting
			JOIN booked_transaction t ON t.id = waiting.transaction_id JOIN account a ON a.id = t.account_id ORDER BY t.id LIMIT $1`, transferRows)
		for i := range rows {
			rows[i].known = true
		}
		if err == nil && from <= newest {
			var fresh []waitingRow // one account alone has no transfers
			fresh, err = collect(ctx, at, scanWaiting, `SELECT `+movedColumns+`, a.user_id FROM booked_transaction t CROSS JOIN account a ON a.id = t.account_id
				WHERE t.id >= $1 AND `+inList+` AND EXISTS (SELECT 1 FROM account other WHERE other.user_id = a.user_id AND other.id <> a.id) ORDER BY t.id LIMIT $2`,
				from, transferRows)
			if len(fresh) == transferRows {
				newest = fresh[len(fresh)-1].ID
			}
			rows = append(rows, fresh...)
		}
		if err != nil {
			return err
		}
		byUser := map[string][]waitingRow{}
		for _, r := range rows {
			byUser[r.userID] = append(byUser[r.userID], r)
		}
		for userID, rows := range byUser {
			w, err := searchTransfers(ctx, at, userID, rows)
			if err != nil {
				return err
			}
			searches = append(searches, w)
		}
		return nil
	})
	if err != nil || len(rows) == 0 && from > newest {
		return time.Time{}, err
	}
	more := len(rows) >= transferRows
	for _, w := range searches {
		stored, err := s.pairFound(ctx, w)
		if err != nil {
			return time.Time{}, err
		}
		if !stored {
			more, newest = true, from-1
		}
	}
	if newest >= from {
		err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
			_, err := tx.ExecContext(ctx, `UPDATE transfer_backlog SET from_id = $1`, newest+1)
			return err
		})
	}
	if err != nil || !more {
		return time.Time{}, err
	}
	return time.Now(), nil
}

// pairFound stores what a search finds, unless its rows have changed since they were read: then they wait on, and it is false. It computes without the writer,
// for which others wait.
func (s *Store) pairFound(ctx context.Context, w *transferSearch) (stored bool, err error) {
	found := w.matcher.Match(w.sides)
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		now, err := w.standing(ctx, tx)
		if stored = err == nil && slices.Equal(now, w.stood); !stored {
			return err
		}
		return w.store(ctx, tx, found)
	})
	return stored, err
}

// transferSearch finds what belongs together among the rows of one user.
type transferSearch struct {
	userID  string
	asked   []waitingRow // the rows that were to be looked at
	matcher *finance.TransferMatcher
	records bool // accounts have several currencies, so that records tell something
	weeks   map[int][]finance.TransferSide
	sides   []finance.TransferSide // all that have to be decided together
	ids     map[int64]bool         // of these, of the rows asked for, and of those with which they are paired
	stood   []standing             // the rows with these ids, when they were read
}

// searchTransfers reads what is decided together with some rows of a user.
func searchTransfers(ctx context.Context, q sqlite.Snapshot, userID string, rows []waitingRow) (*transferSearch, error) {
	accounts, err := Reader{q}.Accounts(ctx, userID)
	if err != nil {
		return nil, err
	}
	w := &transferSearch{userID: userID, asked: rows, matcher: finance.NewTransferMatcher(accounts), weeks: map[int][]finance.TransferSide{},
		ids: map[int64]bool{}}
	w.records = slices.ContainsFunc(accounts, func(a finance.Account) bool { return a.Currency != accounts[0].Currency })
	var begin []finance.TransferRow
	for _, r := range rows {
		w.ids[r.ID], begin = true, append(begin, r.TransferRow)
	}
	_, partners, err := heldPairs(ctx, q, userID, w.ids)
	if err != nil {
		return nil, err
	}
	begin = append(begin, partners...)
	if w.sides, err = w.group(ctx, q, begin); err != nil {
		return nil, err
	}
	for _, r := range begin {
		w.ids[r.ID] = true
	}
	for _, side := range w.sides {
		w.ids[side.ID] = true
	}
	w.stood, err = w.standing(ctx, q)
	return w, err
}

// standing is a row as it counts for transfers.
type standing struct {
	finance.TransferRow
	out bool // the bank lists it no more, or a person has paired or refused it
}

// standing reads the rows of the search, in the order of their ids.
func (w *transferSearch) standing(ctx context.Context, q querier) (all []standing, err error) {
	var ids []any
	for _, id := range slices.Sorted(maps.Keys(w.ids)) {
		ids = append(ids, id)
	}
	for some := range slices.Chunk(ids, lookupRows) {
		rows, err := collect(ctx, q, func(row scanner) (s standing, err error) {
			var record string
			s.TransferRow, err = scanTransferRow(row, &s.out, &record)
			s.Record = record
			return s, err
		}, standingQuery, append([]any{w.records, w.userID}, padded(some)...)...)
		if err != nil {
			return nil, err
		}
		all = append(all, rows...)
	}
	return all, nil
}

var standingQuery = `SELECT ` + movedColumns + `, ` + unlisted + ` OR ` + byPerson + `,
		CASE WHEN ? THEN (SELECT record.original FROM transaction_record record WHERE record.transaction_id = t.id) ELSE '' END
	FROM booked_transaction t CROSS JOIN account a ON a.id = t.account_id WHERE a.user_id = ? AND t.id IN ` + tuples(1, lookupRows) + ` ORDER BY t.id`

// byPerson says that a person has paired a row t, or refused to.
const byPerson = `(EXISTS (SELECT 1 FROM own_transfer held WHERE held.out_id = t.id AND held.state <> 'found')
	OR EXISTS (SELECT 1 FROM own_transfer held WHERE held.in_id = t.id AND held.state <> 'found'))`

// week reads the rows of a week, counted from 1970, that can be sides of transfers and that no person has paired or refused.
func (w *transferSearch) week(ctx context.Context, q querier, week int) ([]finance.TransferSide, error) {
	if sides, known := w.weeks[week]; known {
		return sides, nil
	}
	first := time.Unix(int64(week)*7*24*60*60, 0).UTC()
	low, _, _ := finance.SortRange(openbanking.DateOf(first))
	_, _, high := finance.SortRange(openbanking.DateOf(first.AddDate(0, 0, 6)))
	rows, err := collect(ctx, q, func(row scanner) (finance.TransferRow, error) { return scanTransferRow(row) }, `SELECT `+movedColumns+`
		FROM account a CROSS JOIN booked_transaction t ON t.account_id = a.id AND t.sort_key BETWEEN $2 AND $3
		WHERE a.user_id = $1 AND NOT (`+unlisted+`) AND NOT `+byPerson, w.userID, low, high)
	if err != nil {
		return nil, err
	}
	sides := []finance.TransferSide{}
	for _, r := range rows {
		side, ok := w.matcher.Side(r)
		if !ok {
			continue
		}
		if w.records {
			err := q.QueryRowContext(ctx, `SELECT record.original FROM transaction_record record WHERE record.transaction_id = $1`, r.ID).Scan(&side.Record)
			if err != nil {
				return nil, err
			}
		}
		sides = append(sides, side)
	}
	w.weeks[week] = sides
	return sides, nil
}

// group lists all sides that have to be decided together with some rows.
func (w *transferSearch) group(ctx context.Context, q querier, rows []finance.TransferRow) ([]finance.TransferSide, error) {
	var open, all []finance.TransferSide
	known := map[int64]bool{}
	for _, r := range rows {
		if side, ok := w.matcher.Side(r); ok {
			open = append(open, side)
		}
	}
	for len(open) > 0 {
		side := open[0]
		open = open[1:]
		at, err := side.Date.Time()
		if err != nil {
			return nil, err
		}
		day := int(at.Unix() / (24 * 60 * 60))
		for week := (day - finance.TransferDays) / 7; week <= (day+finance.TransferDays)/7; week++ {
			sides, err := w.week(ctx, q, week)
			if err != nil {
				return nil, err
			}
			for _, other := range sides {
				if !known[other.ID] && (other.ID == side.ID || w.matcher.Linked(side, other)) {
					known[other.ID] = true
					all, open = append(all, other), append(open, other)
				}
			}
		}
	}
	return all, nil
}

// store pairs what was found, takes back the pairs that were not found again, and the rows that were asked for wait no longer.
func (w *transferSearch) store(ctx context.Context, tx *sqlite.Tx, found []finance.Transfer) error {
	held, _, err := heldPairs(ctx, tx, w.userID, w.ids)
	if err != nil {
		return err
	}
	touched := map[int64]bool{}
	for _, r := range w.asked {
		if r.known { // the category of a changed row was decided without what it is paired with
			touched[r.ID] = false
		}
	}
	for _, pair := range held {
		if pair.State == finance.TransferFound && !slices.Contains(found, pair) {
			if _, err := tx.ExecContext(ctx, `DELETE FROM own_transfer WHERE out_id = $1`, pair.OutID); err != nil {
				return err
			}
			touched[pair.OutID], touched[pair.InID] = true, true
		}
	}
	for _, pair := range found {
		if slices.Contains(held, pair) {
			continue
		}
		if err := pairRows(ctx, tx, pair); err != nil {
			return err
		}
		touched[pair.OutID], touched[pair.InID] = true, true
	}
	for _, r := range w.asked {
		if !r.known {
			continue
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM transfer_waiting WHERE transaction_id = $1`, r.ID); err != nil {
			return err
		}
	}
	return settle(ctx, tx, w.userID, touched)
}

func pairRows(ctx context.Context, tx *sqlite.Tx, t finance.Transfer) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO own_transfer (out_id, in_id, state) VALUES ($1, $2, $3)`, t.OutID, t.InID, t.State)
	return err
}

// settle chooses the categories of rows again. Rows whose pairs have changed (true) are indexed and summed up again, too.
func settle(ctx context.Context, tx *sqlite.Tx, userID string, touched map[int64]bool) error {
	if len(touched) == 0 {
		return nil
	}
	m, err := memoryOf(ctx, tx, userID)
	if err != nil {
		return err
	}
	var ids, paired []any
	for id, changed := range touched {
		ids = append(ids, id)
		if changed {
			paired = append(paired, id)
		}
	}
	for some := range slices.Chunk(ids, lookupRows) {
		rows, err := collect(ctx, tx, aLabelled, labelledQuery, append([]any{userID}, padded(some)...)...)
		if err != nil {
			return err
		}
		if _, err := decideAnew(ctx, tx, m, rows); err != nil {
			return err
		}
	}
	return reindex(ctx, tx, paired)
}

var labelledQuery = `SELECT ` + labelledColumns + ` FROM booked_transaction t JOIN account a ON a.id = t.account_id
	JOIN transaction_record record ON record.transaction_id = t.id WHERE a.user_id = ? AND t.id IN ` + tuples(1, lookupRows)

// heldPairs lists the pairs of a user of which rows are a side, and the other sides that are not among the rows.
func heldPairs(ctx context.Context, q querier, userID string, rows map[int64]bool) (pairs []finance.Transfer, others []finance.TransferRow, err error) {
	var ids []any
	for id := range rows {
		ids = append(ids, id)
	}
	for some := range slices.Chunk(ids, lookupRows) {
		for _, query := range heldPairQueries {
			_, err := collect(ctx, q, func(row scanner) (struct{}, error) {
				var t finance.Transfer
				other, err := scanTransferRow(row, &t.OutID, &t.InID, &t.State)
				if err == nil && !slices.Contains(pairs, t) {
					pairs = append(pairs, t)
				}
				if !rows[other.ID] {
					others = append(others, other)
				}
				return struct{}{}, err
			}, query, append([]any{userID}, padded(some)...)...)
			if err != nil {
				return nil, nil, err
			}
		}
	}
	return pairs, others, nil
}

// heldPairQueries read the pairs with the side that is not asked for: of rows that went out, and of rows that came in.
var heldPairQueries = [2]string{
	`SELECT ` + movedColumns + `, held.out_id, held.in_id, held.state FROM own_transfer held CROSS JOIN booked_transaction t ON t.id = held.in_id
		CROSS JOIN account a ON a.id = t.account_id AND a.user_id = ? WHERE held.out_id IN ` + tuples(1, lookupRows),
	`SELECT ` + movedColumns + `, held.out_id, held.in_id, held.state FROM own_transfer held CROSS JOIN booked_transaction t ON t.id = held.out_id
		CROSS JOIN account a ON a.id = t.account_id AND a.user_id = ? WHERE held.in_id IN ` + tuples(1, lookupRows),
}

// lookAgain has rows looked at for transfers once more; in place of one that was merged into another row, that one.
func lookAgain(ctx context.Context, tx *sqlite.Tx, ids []any) error {
	for _, id := range ids {
		if _, err := tx.ExecContext(ctx, `INSERT INTO transfer_waiting (transaction_id)
			VALUES (COALESCE((SELECT twin.into_id FROM transaction_merge twin WHERE twin.hidden_id = $1), $1)) ON CONFLICT DO NOTHING`, id); err != nil {
			return err
		}
	}
	return nil
}

// TransferOf returns the transfer that a row of the user is a side of, be it a refused one, with its other side. finance.ErrNotFound when it is of none.
func (s *Store) TransferOf(ctx context.Context, userID string, id int64) (t finance.Transfer, other finance.FoundRow, err error) {
	defer doing("read transfer", &err)
	row := s.db.Read().QueryRowContext(ctx, `SELECT `+rowColumns+`, t.account_id, held.out_id, held.in_id, held.state
		FROM own_transfer held JOIN booked_transaction t ON t.id = held.out_id + held.in_id - $1 JOIN account a ON a.id = t.account_id
		WHERE (held.out_id = $1 OR held.in_id = $1) AND a.user_id = $2`, id, userID)
	err = scanRow(row, &other.TransactionRow, &other.AccountID, &t.OutID, &t.InID, &t.State)
	return t, other, notFound(err)
}

// SetTransfer pairs two rows of the user by hand, or refuses them as a transfer. Rows that one of them was paired with until now are free again.
// finance.ErrNotFound when they are not one row that went out of an account of the user and one that came into another.
func (s *Store) SetTransfer(ctx context.Context, userID string, t finance.Transfer) (err error) {
	defer doing("set transfer", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		var fits bool
		err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM booked_transaction o JOIN account oa ON oa.id = o.account_id, booked_transaction i JOIN account ia ON ia.id = i.account_id
			WHERE o.id = $1 AND i.id = $2 AND oa.user_id = $3 AND ia.user_id = $3 AND oa.id <> ia.id AND o.minor < 0 AND i.minor > 0
				AND o.sort_key >= 0 AND i.sort_key >= 0)`,
			t.OutID, t.InID, userID).Scan(&fits)
		if err == nil && !fits {
			err = finance.ErrNotFound
		}
		if err != nil {
			return err
		}
		touched := map[int64]bool{t.OutID: true, t.InID: true}
		held, _, err := heldPairs(ctx, tx, userID, touched)
		if err != nil {
			return err
		}
		for _, pair := range held {
			if _, err := tx.ExecContext(ctx, `DELETE FROM own_transfer WHERE out_id = $1`, pair.OutID); err != nil {
				return err
			}
			touched[pair.OutID], touched[pair.InID] = true, true
		}
		if err := pairRows(ctx, tx, t); err != nil {
			return err
		}
		return settle(ctx, tx, userID, touched)
	})
}

// candidateDays is how many days the other side of a transfer lies away at most when a person looks for it.
const candidateDays = 10

// maxCandidates is how many rows are offered as the other side of a transfer.
const maxCandidates = 8

// TransferCandidates lists rows of the user that may be the other side of a row: in another account, in the other direction, of the same amount or in another
// currency, and within ten days. The nearest in time come first.
func (s *Store) TransferCandidates(ctx context.Context, userID string, row finance.Transaction) (list []finance.FoundRow, err error) {
	defer doing("read candidates of a transfer", &err)
	at, err := row.Date.Time()
	if err != nil {
		return nil, nil // a row without a date
	}
	low, _, _ := finance.SortRange(openbanking.DateOf(at.AddDate(0, 0, -candidateDays)))
	_, _, high := finance.SortRange(openbanking.DateOf(at.AddDate(0, 0, candidateDays)))
	return collect(ctx, s.db.Read(), scanFound, `SELECT `+rowColumns+`, t.account_id FROM account a CROSS JOIN booked_transaction t ON t.account_id = a.id AND t.sort_key BETWEEN $2 AND $3
		WHERE a.user_id = $1 AND a.id <> $4 AND (t.minor = -$5 AND t.currency = $6 OR t.currency <> $6 AND (t.minor < 0) <> ($5 < 0)) AND NOT (`+unlisted+`)
			AND NOT EXISTS (SELECT 1 FROM own_transfer held WHERE held.out_id = t.id AND held.state <> 'refused')
			AND NOT EXISTS (SELECT 1 FROM own_transfer held WHERE held.in_id = t.id AND held.state <> 'refused')
		ORDER BY t.currency = $6 DESC, ABS(t.sort_key - $7), t.id LIMIT $8`,
		userID, low, high, row.AccountID, row.Amount.Minor(), row.Amount.Currency(), row.SortKey, maxCandidates)
}

func scanFound(row scanner) (f finance.FoundRow, err error) {
	err = scanRow(row, &f.TransactionRow, &f.AccountID)
	return f, err
}

// transfersQuery begins with the transfers, as partsQuery does with the parts: few rows have any.
const transfersQuery = `SELECT 1 FROM own_transfer held CROSS JOIN booked_transaction t ON t.id = held.out_id CROSS JOIN account a ON a.id = t.account_id WHERE a.user_id = $1`

// PairedRow says of which transfer a row is a side.
type PairedRow struct {
	finance.Transfer
	OutAccount, InAccount string // their ids
}

// Fold leaves out rows of a list that stand in the line of another one: the side of a transfer that came in, where the query is true of the side that went
// out, too. It returns the rows that are left, and the transfers of which they are sides, by the ids of the rows.
func (s *Store) Fold(ctx context.Context, userID string, query search.Query, rows []finance.FoundRow) (left []finance.FoundRow, paired map[int64]PairedRow,
	err error) {
	defer doing("fold transfers", &err)
	some, err := s.some(ctx, "own_transfer", transfersQuery, userID)
	if err != nil || !some || len(rows) == 0 {
		return rows, nil, err
	}
	ids, at := map[int64]bool{}, map[int64]string{}
	for _, r := range rows {
		ids[r.ID], at[r.ID] = true, r.AccountID
	}
	paired = map[int64]PairedRow{}
	err = s.db.Snapshot(ctx, func(snapshot sqlite.Snapshot) error {
		pairs, others, err := heldPairs(ctx, snapshot, userID, ids)
		if err != nil {
			return err
		}
		for _, o := range others {
			at[o.ID] = o.AccountID
		}
		var outs []any
		for _, t := range pairs {
			if t.State != finance.TransferRefused {
				p := PairedRow{t, at[t.OutID], at[t.InID]}
				paired[t.OutID], paired[t.InID] = p, p
				if ids[t.InID] {
					outs = append(outs, t.OutID)
				}
			}
		}
		elsewhere := map[int64]bool{} // sides that went out and are in the list
		for some := range slices.Chunk(outs, lookupRows) {
			documents, err := collect(ctx, snapshot, scanDocument, documentsQuery, padded(some)...)
			if err != nil {
				return err
			}
			for _, d := range documents {
				if query.Matches(d.row) {
					elsewhere[d.id] = true
				}
			}
		}
		left = slices.DeleteFunc(slices.Clone(rows), func(r finance.FoundRow) bool {
			p, is := paired[r.ID]
			return is && p.InID == r.ID && elsewhere[p.OutID]
		})
		return nil
	})
	return left, paired, err
}

// partnersOf lists the ids of the rows with which rows are paired, or were refused to be.
func partnersOf(ctx context.Context, q querier, ids ...any) (partners []any, err error) {
	for some := range slices.Chunk(ids, lookupRows) {
		for _, query := range partnerQueries {
			others, err := collect(ctx, q, scanID, query, padded(some)...)
			if err != nil {
				return nil, err
			}
			partners = append(partners, others...)
		}
	}
	return partners, nil
}

var partnerQueries = [2]string{
	`SELECT held.in_id FROM own_transfer held WHERE held.out_id IN ` + tuples(1, lookupRows),
	`SELECT held.out_id FROM own_transfer held WHERE held.in_id IN ` + tuples(1, lookupRows),
}

// inheritTransfer gives a row the transfer of another one that is the same and will go. What a person has said of one of them stays.
func inheritTransfer(ctx context.Context, tx *sqlite.Tx, row, from int64) error {
	for _, query := range []string{
		`DELETE FROM own_transfer WHERE (out_id = $1 OR in_id = $1) AND state = 'found'
			AND EXISTS (SELECT 1 FROM own_transfer other WHERE (other.out_id = $2 OR other.in_id = $2) AND other.state <> 'found')`,
		`UPDATE own_transfer SET out_id = $1 WHERE out_id = $2 AND NOT EXISTS (SELECT 1 FROM own_transfer held WHERE held.out_id = $1)`,
		`UPDATE own_transfer SET in_id = $1 WHERE in_id = $2 AND NOT EXISTS (SELECT 1 FROM own_transfer held WHERE held.in_id = $1)`,
	} {
		if _, err := tx.ExecContext(ctx, query, row, from); err != nil {
			return err
		}
	}
	return nil
}
