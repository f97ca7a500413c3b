package store

import (
	"context"
	"database/sql"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"time"

	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
)

// keptDraft is how long a chosen file waits to be imported.
const keptDraft = 24 * time.Hour

// SaveImportDraft keeps a file that the user has chosen, in place of the one before.
func (s *Store) SaveImportDraft(ctx context.Context, userID string, d finance.ImportDraft) (err error) {
	defer doing("keep file to import", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO import_draft (user_id, file_name, content, settings, created) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (user_id) DO UPDATE SET file_name = excluded.file_name, content = excluded.content, settings = excluded.settings, created = excluded.created`,
			userID, d.File, d.Content, d.Settings, sqlite.At(tx.Now))
		return err
	})
}

// ImportDraft returns the file that the user has chosen, else finance.ErrNotFound.
func (s *Store) ImportDraft(ctx context.Context, userID string) (d finance.ImportDraft, err error) {
	defer doing("read file to import", &err)
	var created sqlite.Time
	err = s.db.Read().QueryRowContext(ctx, `SELECT file_name, content, settings, created FROM import_draft WHERE user_id = $1`, userID).
		Scan(&d.File, &d.Content, &d.Settings, &created)
	d.Created = created.Time
	return d, notFound(err)
}

// ChangeImportDraft keeps what the user says of the chosen file. finance.ErrNotFound when there is none.
func (s *Store) ChangeImportDraft(ctx context.Context, userID, settings string) (err error) {
	defer doing("change file to import", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		return changed(tx.ExecContext(ctx, `UPDATE import_draft SET settings = $1 WHERE user_id = $2`, settings, userID))
	})
}

// DropImportDraft forgets the chosen file.
func (s *Store) DropImportDraft(ctx context.Context, userID string) (err error) {
	defer doing("forget file to import", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error { return dropDraft(ctx, tx, userID) })
}

func dropDraft(ctx context.Context, tx *sqlite.Tx, userID string) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM import_draft WHERE user_id = $1`, userID)
	return err
}

// ImportMapping returns what the user said of the last file of a shape, "" for nothing.
func (s *Store) ImportMapping(ctx context.Context, userID, shape string) (settings string, err error) {
	defer doing("read columns of an import", &err)
	err = s.db.Read().QueryRowContext(ctx, `SELECT settings FROM import_mapping WHERE user_id = $1 AND shape = $2`, userID, shape).Scan(&settings)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return settings, err
}

// SaveImportMapping keeps what the user said of a file for the next one of the same shape.
func (s *Store) SaveImportMapping(ctx context.Context, userID, shape, settings string) (err error) {
	defer doing("keep columns of an import", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO import_mapping (user_id, shape, settings) VALUES ($1, $2, $3)
			ON CONFLICT (user_id, shape) DO UPDATE SET settings = excluded.settings`, userID, shape, settings)
		return err
	})
}

// Imports lists the files that the user has imported, the latest first.
func (s *Store) Imports(ctx context.Context, userID string) (_ []finance.Import, err error) {
	defer doing("read imports", &err)
	return collect(ctx, s.db.Read(), scanImport, importQuery+` ORDER BY i.created DESC, i.id`, userID)
}

// Import returns an import of the user.
func (s *Store) Import(ctx context.Context, userID, id string) (_ finance.Import, err error) {
	defer doing("read import", &err)
	i, err := scanImport(s.db.Read().QueryRowContext(ctx, importQuery+` AND i.id = $2`, userID, id))
	return i, notFound(err)
}

// importQuery reads imports of a user with the rows that would go: those that no bank has brought since.
const importQuery = `SELECT i.id, i.account_id, i.file_name, i.format, i.brought, i.created, i.undone,
		(SELECT COUNT(*) FROM transaction_import ti JOIN booked_transaction t ON t.id = ti.transaction_id WHERE ti.import_id = i.id AND t.seen_run = 0),
		(SELECT COUNT(*) FROM transaction_import ti JOIN booked_transaction t ON t.id = ti.transaction_id WHERE ti.import_id = i.id AND t.seen_run = 0 AND (
			t.category_by = 'hand' OR EXISTS (SELECT 1 FROM transaction_note note WHERE note.transaction_id = t.id)
			OR EXISTS (SELECT 1 FROM transaction_tag tag WHERE tag.transaction_id = t.id) OR EXISTS (SELECT 1 FROM transaction_part part WHERE part.transaction_id = t.id)))
	FROM statement_import i JOIN account a ON a.id = i.account_id WHERE a.user_id = $1`

func scanImport(row scanner) (i finance.Import, err error) {
	var created sqlite.Time
	var undone sqlite.NullTime
	err = row.Scan(&i.ID, &i.AccountID, &i.File, &i.Format, &i.Brought, &created, &undone, &i.Left, &i.Edited)
	i.Created, i.Undone = created.Time, undone.Time
	return i, err
}

// PreviewImport tells which rows of a file an account of the user has already.
func (s *Store) PreviewImport(ctx context.Context, userID, accountID string, rows []finance.ImportRow) (found []finance.Again, err error) {
	defer doing("compare file with account", &err)
	err = s.db.Snapshot(ctx, func(at sqlite.Snapshot) error {
		found, err = compare(ctx, at, userID, accountID, rows)
		return err
	})
	return found, err
}

// compare finds rows among those of an account of the user.
func compare(ctx context.Context, q querier, userID, accountID string, rows []finance.ImportRow) ([]finance.Again, error) {
	var first, last openbanking.Date
	seen := make([]finance.SeenRow, len(rows))
	for i, r := range rows {
		seen[i] = r.Seen()
		for _, date := range seen[i].Dates {
			first, last = earlier(first, date), max(last, date)
		}
	}
	low, high := daysAround(first, last)
	there, err := collect(ctx, q, scanSeen, `SELECT `+seenColumns+` FROM booked_transaction t JOIN account a ON a.id = t.account_id WHERE a.id = $1 AND a.user_id = $2 AND t.sort_key BETWEEN $3 AND $4 ORDER BY t.sort_key`,
		accountID, userID, low, high)
	if err != nil {
		return nil, err
	}
	held := make([]finance.SeenRow, len(there))
	for k, t := range there {
		held[k] = t.SeenRow
	}
	for i, r := range rows { // a row of an export has the identity of the very row
		if identity, _, ok := exportedIdentity(r.Exported); ok {
			seen[i].Key, seen[i].Reference = identity, ""
		}
	}
	return finance.MatchAgain(held, seen), nil
}

// daysAround is the range of sort keys of days, with as many around them as two sources may differ.
func daysAround(first, last openbanking.Date) (low, high int64) {
	shift := func(date openbanking.Date, days int) openbanking.Date {
		t, err := date.Time()
		if err != nil {
			return date
		}
		return openbanking.DateOf(t.AddDate(0, 0, days))
	}
	low, _, _ = finance.SortRange(shift(first, -2*finance.AgainDays))
	_, _, high = finance.SortRange(shift(last, 2*finance.AgainDays))
	return low, high
}

// seenRow is a stored row with what tells whether another one is the same.
type seenRow struct {
	finance.SeenRow
	twin
}

const seenColumns = `t.id, t.sort_key, t.identity, t.reference, t.content, t.minor, t.currency, t.display_date, t.booking_date, t.value_date, t.transaction_date,
		t.counterparty, t.counterparty_account, t.remittance`

func scanSeen(row scanner) (r seenRow, err error) {
	var minor int64
	var currency string
	r.Dates = make([]openbanking.Date, 4)
	err = row.Scan(&r.id, &r.sortKey, &r.Key, &r.SeenRow.Reference, &r.SeenRow.Content, &minor, &currency, &r.Dates[0], &r.Dates[1], &r.Dates[2], &r.Dates[3],
		&r.Name, &r.Account, &r.Text)
	r.Amount, r.reference, r.content = money.FromMinor(minor, currency), r.SeenRow.Reference, r.SeenRow.Content
	return r, err
}

// exportedName is the name that an export gives a row: identity and number.
var exportedName = regexp.MustCompile(`^([A-Za-z0-9_-]{8,30})-([0-9]{1,5})$`)

func exportedIdentity(name string) (identity string, ordinal int, ok bool) {
	m := exportedName.FindStringSubmatch(name)
	if m == nil {
		return "", 0, false
	}
	ordinal, err := strconv.Atoi(m[2])
	return m[1], ordinal, err == nil
}

// SaveImport stores the rows of a file that an account of the user does not have yet, and of the unsure ones those whose lines are chosen, in one transaction. create is
// the account that is made for them, with its opening balance, nil when i names one. The draft of the user is over. Nothing is kept of a file that brings no row.
func (s *Store) SaveImport(ctx context.Context, userID string, i finance.Import, create *finance.Account, opening finance.Value, rows []finance.ImportRow,
	chosen map[int]bool) (_ finance.Import, err error) {
	defer doing("import", &err)
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		i.ID, i.Brought = finance.NewID(), 0
		if create != nil {
			if i.AccountID, err = createAccount(ctx, tx, *create, opening); err != nil {
				return err
			}
		}
		a, err := scanAccount(tx.QueryRowContext(ctx, `SELECT `+accountColumns+` FROM account a WHERE a.id = $1 AND a.user_id = $2 AND a.source <> 'value' AND a.closed IS NULL`,
			i.AccountID, userID))
		if err != nil {
			return notFound(err)
		}
		found, err := compare(ctx, tx, userID, a.ID, rows)
		if err != nil {
			return err
		}
		var fresh []finance.ImportRow
		for n, r := range rows {
			if c := found[n].Certainty; c == finance.IsNew || c == finance.Unsure && chosen[r.Line] {
				fresh = append(fresh, r)
			}
		}
		if err := dropDraft(ctx, tx, userID); err != nil || len(fresh) == 0 {
			return err
		}
		i.Brought = len(fresh)
		_, err = tx.ExecContext(ctx, `INSERT INTO statement_import (id, account_id, file_name, format, brought, created)
			SELECT $1, a.id, $2, $3, $4, $5 FROM account a WHERE a.id = $6 AND a.user_id = $7`, i.ID, i.File, i.Format, i.Brought, sqlite.At(tx.Now), a.ID, userID)
		if err != nil {
			return err
		}
		m, err := newMerge(ctx, tx, a, 0, a.Transactions == 0)
		if err != nil {
			return err
		}
		if descending(fresh, func(r finance.ImportRow) openbanking.Date { return r.Date }) {
			slices.Reverse(fresh)
		}
		ids := make([]int64, 0, len(fresh))
		for _, r := range fresh {
			ids = append(ids, m.nextID)
			if err := m.addExported(ctx, r); err != nil {
				return err
			}
		}
		if err := m.flush(ctx); err != nil {
			return err
		}
		if err := keepImported(ctx, tx, i.ID, ids, fresh); err != nil {
			return err
		}
		if err := m.count(ctx, userID, a.Currency); err != nil {
			return err
		}
		if a.Linked() {
			return nil
		}
		return rebalance(ctx, tx, a)
	})
	return i, err
}

// keepImported notes which rows an import brought, and stores what the person had kept with them.
func keepImported(ctx context.Context, tx *sqlite.Tx, importID string, ids []int64, rows []finance.ImportRow) error {
	var again []any
	for n, id := range ids {
		if _, err := tx.ExecContext(ctx, `INSERT INTO transaction_import (transaction_id, import_id) VALUES ($1, $2)`, id, importID); err != nil {
			return err
		}
		r := rows[n]
		if r.Note == "" && len(r.Tags) == 0 && r.Category == "" {
			continue
		}
		again = append(again, id)
		if r.Note != "" {
			if _, err := tx.ExecContext(ctx, `INSERT INTO transaction_note (transaction_id, text) VALUES ($1, $2)`, id, r.Note); err != nil {
				return err
			}
		}
		for _, tag := range r.Tags {
			if _, err := tx.ExecContext(ctx, `INSERT INTO transaction_tag (transaction_id, tag) VALUES ($1, $2) ON CONFLICT DO NOTHING`, id, tag); err != nil {
				return err
			}
		}
		if r.Category == "" {
			continue
		}
		_, err := tx.ExecContext(ctx, `UPDATE booked_transaction SET category_id = $1, category_by = 'hand', category_why = '', suggestion_id = NULL
			WHERE id = $2 AND COALESCE(category_id, '') <> $1`, r.Category, id)
		if err != nil {
			return err
		}
	}
	return reindex(ctx, tx, again)
}

// addExported stores a row as one of its own. One that a Florin exported has the identity that it had there.
func (m *merge) addExported(ctx context.Context, r finance.ImportRow) error {
	identity, ordinal, ok := exportedIdentity(r.Exported)
	if !ok {
		return m.add(ctx, r.Entry)
	}
	r.Identity.Key = identity
	at := place{identity, ordinal}
	next, err := m.free(ctx, identity)
	if err != nil {
		return err
	}
	if ordinal >= next {
		m.ordinals[identity] = ordinal + 1
	} else {
		at.ordinal = next
	}
	m.oldest = earlier(m.oldest, r.Date)
	return m.insert(ctx, m.read(r.Entry), at, false)
}

// UndoImport removes the rows that an import of the user brought, but for those that a bank has brought since. It returns how many went.
// finance.ErrNotFound when it was undone already.
func (s *Store) UndoImport(ctx context.Context, userID, id string) (gone int, err error) {
	defer doing("undo import", &err)
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		i, err := scanImport(tx.QueryRowContext(ctx, importQuery+` AND i.id = $2 AND i.undone IS NULL`, userID, id))
		if err != nil {
			return notFound(err)
		}
		a, err := scanAccount(tx.QueryRowContext(ctx, `SELECT `+accountColumns+` FROM account a WHERE a.id = $1 AND a.user_id = $2`, i.AccountID, userID))
		if err != nil {
			return err
		}
		brought, err := collect(ctx, tx, scanID, `SELECT t.id FROM transaction_import ti
			JOIN booked_transaction t ON t.id = ti.transaction_id JOIN account own ON own.id = t.account_id
			WHERE ti.import_id = $1 AND t.seen_run = 0 AND own.id = $2 AND own.user_id = $3`, i.ID, a.ID, userID)
		if err != nil {
			return err
		}
		if err := removeRows(ctx, tx, a.ID, brought...); err != nil {
			return err
		}
		gone = len(brought)
		for _, step := range []struct {
			query string
			args  []any
		}{
			{`UPDATE account SET transactions = transactions - $1 WHERE id = $2 AND user_id = $3`, []any{gone, a.ID, userID}},
			{`UPDATE statement_import SET undone = $1 WHERE id = $2 AND account_id IN (SELECT own.id FROM account own WHERE own.user_id = $3)`,
				[]any{sqlite.At(tx.Now), i.ID, userID}},
		} {
			if _, err := tx.ExecContext(ctx, step.query, step.args...); err != nil {
				return err
			}
		}
		if a.Linked() {
			return nil
		}
		return rebalance(ctx, tx, a)
	})
	return gone, err
}

// adopt recognises imported rows among those that this run of the bank brought for the first time, and makes the two one. The bank's list is whole for its time, so what fits in
// amount and day is the imported row, though a file words it otherwise.
func (m *merge) adopt(ctx context.Context, above int64) error {
	imported, err := collect(ctx, m.tx, scanSeen, `SELECT `+seenColumns+` FROM booked_transaction t JOIN transaction_import ti ON ti.transaction_id = t.id
		WHERE t.account_id = $1 AND t.sort_key > $2 AND t.seen_run = 0 ORDER BY t.sort_key`, m.account, above)
	if err != nil || len(imported) == 0 {
		return err
	}
	came, err := collect(ctx, m.tx, scanSeen, `SELECT `+seenColumns+` FROM booked_transaction t WHERE t.account_id = $1 AND t.sort_key > $2 AND t.first_run = $3 ORDER BY t.sort_key`, m.account, above, m.run)
	if err != nil {
		return err
	}
	there, rows := make([]finance.SeenRow, len(imported)), make([]finance.SeenRow, len(came))
	for i, r := range imported {
		there[i] = r.SeenRow
	}
	for i, r := range came {
		rows[i] = r.SeenRow
	}
	for i, again := range finance.MatchAgain(there, rows) {
		if again.With < 0 {
			continue
		}
		if err := m.unite(ctx, imported[again.With].twin, came[i].twin); err != nil {
			return err
		}
	}
	return nil
}
