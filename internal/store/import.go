package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"time"

	"florin/internal/categories"
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
	return importsOf(ctx, s.db.Read(), importQuery+importOrder, userID)
}

// Import returns an import of the user.
func (s *Store) Import(ctx context.Context, userID, id string) (_ finance.Import, err error) {
	defer doing("read import", &err)
	return importOf(ctx, s.db.Read(), importQuery+` AND i.file_id = $2`+importOrder, userID, id)
}

// importQuery reads what files have brought into accounts of a user, with the rows that would go: those that no bank has brought since.
const importQuery = `SELECT i.file_id, i.account_id, i.file_name, i.format, i.brought, i.created, i.undone, i.made_account = 1 AND a.source = 'manual', a.transactions,
		(SELECT COUNT(*) FROM transaction_import ti JOIN booked_transaction t ON t.id = ti.transaction_id WHERE ti.import_id = i.id AND t.seen_run = 0),
		(SELECT COUNT(*) FROM transaction_import ti JOIN booked_transaction t ON t.id = ti.transaction_id WHERE ti.import_id = i.id AND t.seen_run = 0 AND (
			t.category_by = 'hand' OR EXISTS (SELECT 1 FROM transaction_note note WHERE note.transaction_id = t.id)
			OR EXISTS (SELECT 1 FROM transaction_tag tag WHERE tag.transaction_id = t.id) OR EXISTS (SELECT 1 FROM transaction_part part WHERE part.transaction_id = t.id)
			OR EXISTS (SELECT 1 FROM transaction_attachment attachment WHERE attachment.transaction_id = t.id)
			OR EXISTS (SELECT 1 FROM own_transfer held WHERE held.out_id = t.id AND held.state <> 'found')
			OR EXISTS (SELECT 1 FROM own_transfer held WHERE held.in_id = t.id AND held.state <> 'found')))
	FROM statement_import i JOIN account a ON a.id = i.account_id WHERE a.user_id = $1`

const importOrder = ` ORDER BY i.created DESC, i.file_id, i.rowid`

// importsOf reads imports. What one file brought into several accounts is one.
func importsOf(ctx context.Context, q querier, query string, args ...any) ([]finance.Import, error) {
	parts, err := collect(ctx, q, scanImport, query, args...)
	var all []finance.Import
	for _, i := range parts {
		if n := len(all); n > 0 && all[n-1].ID == i.ID {
			all[n-1].Parts = append(all[n-1].Parts, i.Parts...)
		} else {
			all = append(all, i)
		}
	}
	return all, err
}

// importOf reads one import, else finance.ErrNotFound.
func importOf(ctx context.Context, q querier, query string, args ...any) (finance.Import, error) {
	all, err := importsOf(ctx, q, query, args...)
	if err == nil && len(all) == 0 {
		err = finance.ErrNotFound
	}
	if err != nil {
		return finance.Import{}, err
	}
	return all[0], nil
}

// scanImport reads an import with one part.
func scanImport(row scanner) (i finance.Import, err error) {
	var created sqlite.Time
	var undone sqlite.NullTime
	var p finance.ImportPart
	var made bool
	var rows int
	err = row.Scan(&i.ID, &p.AccountID, &i.File, &i.Format, &p.Brought, &created, &undone, &made, &rows, &p.Left, &p.Edited)
	p.Goes = made && rows == p.Left
	i.Created, i.Undone, i.Parts = created.Time, undone.Time, []finance.ImportPart{p}
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
	low, high := daysAround(first, last, 2*finance.AgainDays)
	there, err := collect(ctx, q, aSeen, `SELECT `+seenColumns+` FROM booked_transaction t JOIN account a ON a.id = t.account_id WHERE a.id = $1 AND a.user_id = $2
			AND (t.sort_key BETWEEN $3 AND $4 OR t.sort_key BETWEEN -$4 AND -$3) ORDER BY ABS(t.sort_key)`,
		accountID, userID, low, high)
	if err != nil {
		return nil, err
	}
	held := make([]finance.SeenRow, len(there))
	for k, t := range there {
		held[k] = t.SeenRow
	}
	for i, r := range rows { // a row of an export has the identity of the very row
		if identity, _, ok := exportedIdentity(r); ok {
			seen[i].Key, seen[i].Reference = identity, ""
		}
	}
	return finance.MatchAgain(held, seen), nil
}

// daysAround is the range of sort keys of days, with some more around them.
func daysAround(first, last openbanking.Date, around int) (low, high int64) {
	shift := func(date openbanking.Date, days int) openbanking.Date {
		t, err := date.Time()
		if err != nil {
			return date
		}
		return openbanking.DateOf(t.AddDate(0, 0, days))
	}
	low, _, _ = finance.SortRange(shift(first, -around))
	_, _, high = finance.SortRange(shift(last, around))
	return low, high
}

// seenRow is a stored row with what tells whether another one is the same.
type seenRow struct {
	finance.SeenRow
	twin
}

const seenColumns = `t.id, t.sort_key, t.identity, t.reference, t.content, t.minor, t.currency, t.display_date, t.booking_date, t.value_date, t.transaction_date,
		t.counterparty, t.counterparty_account, t.remittance`

// scanSeen reads seenColumns, and what follows them into more.
func scanSeen(row scanner, more ...any) (r seenRow, err error) {
	var minor int64
	var currency string
	r.Dates = make([]openbanking.Date, 4)
	err = row.Scan(append([]any{&r.id, &r.sortKey, &r.Key, &r.SeenRow.Reference, &r.SeenRow.Content, &minor, &currency, &r.Dates[0], &r.Dates[1], &r.Dates[2],
		&r.Dates[3],
		&r.Name, &r.Account, &r.Text}, more...)...)
	r.Amount, r.reference, r.content = money.FromMinor(minor, currency), r.SeenRow.Reference, r.SeenRow.Content
	return r, err
}

func aSeen(row scanner) (seenRow, error) { return scanSeen(row) }

// exportedName is the name that an export gives a row: identity and number.
var exportedName = regexp.MustCompile(`^([A-Za-z0-9_-]{8,30})-([0-9]{1,5})$`)

func exportedIdentity(r finance.ImportRow) (identity string, ordinal int, ok bool) {
	if r.Exported == nil {
		return "", 0, false
	}
	m := exportedName.FindStringSubmatch(r.Exported.ID)
	if m == nil {
		return "", 0, false
	}
	ordinal, err := strconv.Atoi(m[2])
	return m[1], ordinal, err == nil
}

// importing stores the rows of a file.
type importing struct {
	*merge

	userID string
	parts  []importPart
	hands  []labelled // rows whose category a person had chosen, which teaches
}

// importPart is an account into which rows of the file go.
type importPart struct {
	into     *into
	account  finance.Account
	made     bool
	importID string
	fresh    []finance.ImportRow
}

// importedRow is a row that is stored, with its id.
type importedRow struct {
	finance.ImportRow
	part *importPart
	read readRow
	id   int64
}

// SaveImport stores the rows of a file that accounts of the user do not have yet, and of the unsure ones those whose places are chosen, with the accounts and
// the categories that are made for them, all in one transaction. The draft of the user is over. Nothing is kept of a file that brings no row. It returns the
// import with its parts, without any then. finance.ErrNotFound for an account that takes no rows, or is somebody else's.
func (s *Store) SaveImport(ctx context.Context, userID string, i finance.Import, targets []finance.ImportTarget, made []categories.Own,
	chosen map[int]bool) (_ finance.Import, err error) {
	defer doing("import", &err)
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		i.ID, i.Parts = finance.NewID(), nil
		in, err := newImporting(ctx, tx, userID, targets, chosen)
		if err != nil {
			return err
		}
		if err := dropDraft(ctx, tx, userID); err != nil || in.fresh() == 0 {
			return err
		}
		for _, c := range made {
			if err := saveCategory(ctx, tx, userID, c); err != nil {
				return err
			}
		}
		for n := range in.parts {
			p := &in.parts[n]
			if p.account.ID == "" {
				if p.account.ID, err = createAccount(ctx, tx, p.account, targets[n].Opening); err != nil {
					return err
				}
			} else if len(p.fresh) == 0 {
				continue
			}
			p.importID = finance.NewID()
			i.Parts = append(i.Parts, finance.ImportPart{AccountID: p.account.ID, Brought: len(p.fresh)})
			_, err = tx.ExecContext(ctx, `INSERT INTO statement_import (id, file_id, account_id, file_name, format, brought, created, made_account)
				SELECT $1, $2, a.id, $3, $4, $5, $6, $7 FROM account a WHERE a.id = $8 AND a.user_id = $9`,
				p.importID, i.ID, i.File, i.Format, len(p.fresh), sqlite.At(tx.Now), flag(p.made), p.account.ID, userID)
			if err != nil {
				return err
			}
		}
		return in.store(ctx)
	})
	if err == nil {
		s.rowsChanged()
	}
	return i, err
}

// newImporting finds out which rows are new.
func newImporting(ctx context.Context, tx *sqlite.Tx, userID string, targets []finance.ImportTarget, chosen map[int]bool) (*importing, error) {
	in := &importing{userID: userID}
	for _, target := range targets {
		p := importPart{account: target.Account, made: target.Account.ID == ""}
		if !p.made {
			var err error
			p.account, err = scanAccount(tx.QueryRowContext(ctx, `SELECT `+accountColumns+` FROM account a WHERE a.id = $1 AND a.user_id = $2 AND a.source <> 'value' AND a.closed IS NULL`,
				target.Account.ID, userID))
			if err != nil {
				return nil, notFound(err)
			}
		}
		found, err := compare(ctx, tx, userID, p.account.ID, target.Rows)
		if err != nil {
			return nil, err
		}
		for n, r := range target.Rows {
			if c := found[n].Certainty; c == finance.IsNew || c == finance.Unsure && chosen[r.Place] {
				p.fresh = append(p.fresh, r)
			}
		}
		in.parts = append(in.parts, p)
	}
	var err error
	in.merge, err = newMerge(ctx, tx, finance.Account{UserID: userID}, 0, false)
	return in, err
}

func (in *importing) fresh() (rows int) {
	for _, p := range in.parts {
		rows += len(p.fresh)
	}
	return rows
}

// store stores the rows, the oldest first.
func (in *importing) store(ctx context.Context) error {
	var rows []importedRow
	exported := false
	for n := range in.parts {
		p := &in.parts[n]
		p.into = newInto(p.account, p.account.Transactions == 0)
		if descending(p.fresh, func(r finance.ImportRow) openbanking.Date { return r.Date }) {
			slices.Reverse(p.fresh)
		}
		for _, r := range p.fresh {
			rows, exported = append(rows, importedRow{ImportRow: r, part: p, read: readEntry(p.account.ID, p.account.IBAN, r.Entry)}),
				exported || r.Exported != nil
		}
	}
	if exported { // an export has the rows of all its accounts in one order, newest first
		slices.SortStableFunc(rows, func(a, b importedRow) int { return cmp.Compare(b.Place, a.Place) })
	}
	if err := in.remember(ctx, rows); err != nil {
		return err
	}
	sides := transfersAmong(rows)
	for n := range rows {
		r := &rows[n]
		in.into, r.id = r.part.into, in.nextID
		if err := in.add(ctx, *r, sides[r.Place]); err != nil {
			return err
		}
	}
	if err := in.flush(ctx); err != nil {
		return err
	}
	if err := in.keep(ctx, rows); err != nil {
		return err
	}
	for _, p := range in.parts {
		if p.importID == "" {
			continue
		}
		in.into = p.into
		if err := in.count(ctx, in.userID, p.account.Currency); err != nil {
			return err
		}
		if p.account.Linked() {
			continue
		}
		if err := rebalance(ctx, in.tx, p.account); err != nil {
			return err
		}
	}
	return nil
}

// remember reads what decides about rows, now that all accounts are there, and gives the names that rows had in the Florin that exported them, where the person
// has given none.
func (in *importing) remember(ctx context.Context, rows []importedRow) (err error) {
	if in.memory, err = memoryOf(ctx, in.tx, in.userID); err != nil {
		return err
	}
	given, err := givenNames(ctx, in.tx, in.userID)
	if err != nil {
		return err
	}
	names := map[string]string{}
	for _, n := range given {
		names[n.Key] = n.Name
	}
	for _, r := range rows {
		if r.Exported == nil || categories.NameKey(r.Exported.Payee) == "" {
			continue
		}
		payee := r.read.payee
		if _, known := names[payee.Key]; known || payee.Key == "" || payee.Name == r.Exported.Payee {
			continue
		}
		names[payee.Key] = r.Exported.Payee
		if err := giveName(ctx, in.tx, in.userID, finance.GivenName{Key: payee.Key, Was: payee.Name, Name: r.Exported.Payee}); err != nil {
			return err
		}
	}
	in.memory.Names = categories.NamesOf(names)
	return nil
}

// transfersAmong are the places of rows that were transfers between own accounts where they come from, and whose other side is among the rows: Florin finds the
// two again.
func transfersAmong(rows []importedRow) map[int]bool {
	type when struct {
		amount money.Amount
		day    int64
	}
	at := map[when][]*importPart{} // two of the accounts are enough
	each := func(do func(r importedRow, day int64)) {
		for _, r := range rows {
			if r.Exported == nil || r.Exported.Category != categories.Transfer {
				continue
			}
			if date, err := r.Date.Time(); err == nil {
				do(r, date.Unix()/(24*60*60))
			}
		}
	}
	each(func(r importedRow, day int64) {
		if key := (when{r.Amount, day}); len(at[key]) < 2 && !slices.Contains(at[key], r.part) {
			at[key] = append(at[key], r.part)
		}
	})
	found := map[int]bool{}
	each(func(r importedRow, day int64) {
		for other := day - finance.TransferDays; other <= day+finance.TransferDays; other++ {
			if slices.ContainsFunc(at[when{r.Amount.Neg(), other}], func(p *importPart) bool { return p != r.part }) {
				found[r.Place] = true
			}
		}
	})
	return found
}

// add stores a row as one of its own. One that a Florin exported has the identity that it had there, and what the person had decided about it. side says that
// it is one of the two of a transfer between accounts of the file.
func (in *importing) add(ctx context.Context, r importedRow, side bool) error {
	x := r.Exported
	if x == nil {
		return in.merge.add(ctx, r.Entry)
	}
	at, err := in.placeOf(ctx, r.ImportRow)
	if err != nil {
		return err
	}
	j, err := in.memory.judge(ctx, in.tx, r.read.facts, r.read.payee)
	if err != nil {
		return err
	}
	j.Deeds = nil
	switch {
	case x.Parts != nil || x.Category == j.Category:
	case x.Category == "":
		j.Decision = categories.Decision{}
	case side:
		j.Decision = categories.Decision{Category: categories.Transfer, By: categories.ByTransfer}
	default:
		j.Decision = categories.Decision{Category: x.Category, By: categories.ByHand}
		in.memory.Learn(r.read.facts, r.read.payee, x.Category)
		in.hands = append(in.hands, labelled{id: r.id, category: x.Category, Facts: r.read.facts})
	}
	in.oldest = earlier(in.oldest, r.Date)
	r.read.Identity.Key = at.identity
	return in.put(ctx, r.read, at, false, j, x.Reviewed)
}

// placeOf is where a row stands that a Florin exported: where it stood there, unless another one is there.
func (in *importing) placeOf(ctx context.Context, r finance.ImportRow) (place, error) {
	identity, ordinal, ok := exportedIdentity(r)
	if !ok {
		identity = r.Identity.Key
	}
	next, err := in.free(ctx, identity)
	if err != nil || !ok {
		return place{identity, next}, err
	}
	at := place{identity, ordinal}
	if ordinal < next {
		taken := in.held[at] != nil
		if !taken {
			err = in.tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM booked_transaction t WHERE t.account_id = $1 AND t.identity = $2 AND t.ordinal = $3)`,
				in.account, identity, ordinal).Scan(&taken)
		}
		if err != nil || taken {
			return place{identity, next}, err
		}
	}
	in.ordinals[identity] = max(next, ordinal+1)
	return at, nil
}

// keep notes which rows an import brought, stores what the person had kept with them, and learns from what the person had chosen.
func (in *importing) keep(ctx context.Context, rows []importedRow) error {
	var again []any
	for _, r := range rows {
		if _, err := in.tx.ExecContext(ctx, `INSERT INTO transaction_import (transaction_id, import_id) VALUES ($1, $2)`, r.id, r.part.importID); err != nil {
			return err
		}
		x := r.Exported
		if x == nil || x.Note == "" && len(x.Tags) == 0 && x.Parts == nil {
			continue
		}
		again = append(again, r.id)
		if x.Note != "" {
			if _, err := in.tx.ExecContext(ctx, `INSERT INTO transaction_note (transaction_id, text) VALUES ($1, $2)`, r.id, x.Note); err != nil {
				return err
			}
		}
		for _, tag := range x.Tags {
			if _, err := in.tx.ExecContext(ctx, `INSERT INTO transaction_tag (transaction_id, tag) VALUES ($1, $2) ON CONFLICT DO NOTHING`, r.id, tag); err != nil {
				return err
			}
		}
		if err := putParts(ctx, in.tx, r.id, x.Parts); err != nil {
			return err
		}
	}
	for _, hand := range in.hands {
		if err := teach(ctx, in.tx, in.userID, in.memory.Names, hand, hand.category); err != nil {
			return err
		}
	}
	return reindex(ctx, in.tx, again)
}

// UndoImport removes the rows that an import of the user brought, but for those that a bank has brought since, and the accounts that were made for it and hold
// nothing else. It returns how many rows went. finance.ErrNotFound when it was undone already.
func (s *Store) UndoImport(ctx context.Context, userID, id string) (gone int, err error) {
	defer doing("undo import", &err)
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		i, err := importOf(ctx, tx, importQuery+` AND i.file_id = $2 AND i.undone IS NULL`+importOrder, userID, id)
		if err != nil {
			return err
		}
		gone = i.Total().Left
		for _, p := range i.Parts {
			if err := undoPart(ctx, tx, userID, i.ID, p); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		s.rowsChanged()
	}
	return gone, err
}

func undoPart(ctx context.Context, tx *sqlite.Tx, userID, fileID string, p finance.ImportPart) error {
	if p.Goes {
		return deleteAccount(ctx, tx, userID, p.AccountID)
	}
	brought, err := collect(ctx, tx, scanID, `SELECT t.id FROM transaction_import ti JOIN statement_import i ON i.id = ti.import_id
		JOIN booked_transaction t ON t.id = ti.transaction_id JOIN account own ON own.id = t.account_id
		WHERE i.file_id = $1 AND t.seen_run = 0 AND own.id = $2 AND own.user_id = $3`, fileID, p.AccountID, userID)
	if err != nil {
		return err
	}
	brought, listed, err := partFrom(ctx, tx, userID, p.AccountID, brought)
	if err != nil {
		return err
	}
	if err := removeRows(ctx, tx, p.AccountID, brought...); err != nil {
		return err
	}
	for _, step := range []struct {
		query string
		args  []any
	}{
		{`UPDATE account SET transactions = transactions - $1 WHERE id = $2 AND user_id = $3`, []any{listed, p.AccountID, userID}},
		{`UPDATE statement_import SET undone = $1 WHERE file_id = $2 AND account_id = $3 AND account_id IN (SELECT own.id FROM account own WHERE own.user_id = $4)`,
			[]any{sqlite.At(tx.Now), fileID, p.AccountID, userID}},
	} {
		if _, err := tx.ExecContext(ctx, step.query, step.args...); err != nil {
			return err
		}
	}
	a, err := scanAccount(tx.QueryRowContext(ctx, `SELECT `+accountColumns+` FROM account a WHERE a.id = $1 AND a.user_id = $2`, p.AccountID, userID))
	if err != nil || a.Linked() {
		return err
	}
	return rebalance(ctx, tx, a)
}

// adopt recognises imported rows among those that this run of the bank brought for the first time, and makes the two one. The bank's list is whole for its
// time, so what fits in amount and day is the imported row, though a file words it otherwise.
func (m *merge) adopt(ctx context.Context, key int64) error {
	imported, err := collect(ctx, m.tx, aSeen, `SELECT `+seenColumns+` FROM booked_transaction t JOIN transaction_import ti ON ti.transaction_id = t.id
		WHERE `+above(`t.account_id = $1`, `t.sort_key`, `$2`)+` AND t.seen_run = 0 ORDER BY ABS(t.sort_key)`, m.account, key)
	if err != nil || len(imported) == 0 {
		return err
	}
	came, err := collect(ctx, m.tx, aSeen, `SELECT `+seenColumns+` FROM booked_transaction t
		WHERE `+above(`t.account_id = $1`, `t.sort_key`, `$2`)+` AND t.first_run = $3 ORDER BY ABS(t.sort_key)`, m.account, key, m.run)
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
