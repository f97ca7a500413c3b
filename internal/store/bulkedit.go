package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"florin/internal/categories"
	"florin/internal/finance"
	"florin/internal/search"
	"florin/internal/sqlite"
)

// What is in the way of a bulk edit.
var (
	ErrNothingChosen = errors.New("no transaction of the user is chosen")
	ErrTooManyChosen = errors.New("more than finance.MaxBulkRows transactions are chosen")
	ErrOthersChosen  = errors.New("all transactions that are chosen are in accounts of others")
	ErrBulkState     = errors.New("the bulk edit is in a state in which this cannot be done")
	ErrBulkReplanned = errors.New("the bulk edit has another change than the one that was seen")
)

// How much of a bulk edit is done at a time: after each piece the writer is free for others.
const (
	chosenRows = 2000
	editRows   = 200
	editPayees = 50
	droppedOff = 5000 // rows forgotten
)

// How long bulk edits are kept, and how many of them.
const (
	draftsKept   = 4 // of a user; the oldest go
	draftLife    = 24 * time.Hour
	undoLife     = 30 * 24 * time.Hour
	listedEdits  = 20
	expiredEvery = time.Hour
)

// dropped is the state of a bulk edit that is being forgotten.
const dropped finance.BulkState = "dropped"

// BeginEdit begins a bulk edit of the rows of a user with these ids, or with nil of all that a query is true of. Which rows it is for is settled now.
// text is the query as it was typed. ErrNothingChosen and ErrTooManyChosen are the errors to expect; ids of others are left out.
func (s *Store) BeginEdit(ctx context.Context, userID, text string, query search.Query, ids []int64) (id string, err error) {
	return s.Mine(userID).BeginEdit(ctx, text, query, ids)
}

// BeginEdit is Store.BeginEdit. Rows of others that the person sees are counted, and left alone: ErrOthersChosen when there is no other.
func (w Seen) BeginEdit(ctx context.Context, text string, query search.Query, ids []int64) (id string, err error) {
	defer doing("begin bulk edit", &err)
	if ids == nil {
		if ids, err = w.foundIDs(ctx, query); err != nil {
			return "", err
		}
	}
	switch ids = slices.Compact(slices.Sorted(slices.Values(ids))); {
	case len(ids) == 0:
		return "", ErrNothingChosen
	case len(ids) > finance.MaxBulkRows:
		return "", ErrTooManyChosen
	}
	id = finance.NewID()
	for begun := 0; begun < len(ids); begun += chosenRows {
		some := ids[begun:min(begun+chosenRows, len(ids))]
		err := w.store.db.Write(ctx, func(tx *sqlite.Tx) error {
			if begun == 0 {
				if err := w.insertEdit(ctx, tx, id, text); err != nil {
					return err
				}
			}
			if err := w.choose(ctx, tx, id, some); err != nil || begun+len(some) < len(ids) {
				return err
			}
			return endChoice(ctx, tx, w.userID, id)
		})
		if err != nil {
			return "", err
		}
	}
	return id, nil
}

// foundIDs are the ids of the rows that a query is true of, at most one more than a bulk edit takes.
func (w Seen) foundIDs(ctx context.Context, query search.Query) ([]int64, error) {
	m, err := w.matchOf(ctx, query)
	if err != nil || m.nothing() {
		return nil, err
	}
	return collect(ctx, w.store.db.Read(), func(row scanner) (id int64, err error) { return id, row.Scan(&id) }, m.in.newest(`t.id`),
		m.what, m.low, m.high, w.userID, finance.MaxBulkRows)
}

// insertEdit stores a draft without rows. Of the drafts of before only the newest stay.
func (w Seen) insertEdit(ctx context.Context, tx *sqlite.Tx, id, text string) error {
	_, err := tx.ExecContext(ctx, `UPDATE bulk_edit SET state = 'dropped' WHERE user_id = $1 AND state = 'draft' AND id NOT IN (
		SELECT newest.id FROM bulk_edit newest WHERE newest.user_id = $1 AND newest.state = 'draft' ORDER BY newest.begun DESC, newest.id LIMIT $2)`, w.userID, draftsKept-1)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO bulk_edit (id, user_id, state, change, search, household, begun) VALUES ($1, $2, 'draft', '{}', $3, $4, $5)`,
		id, w.userID, text, flag(w.household), sqlite.At(tx.Now))
	return err
}

var chooseQuery = `INSERT INTO bulk_edit_row (edit_id, transaction_id) SELECT ?, t.id
	FROM booked_transaction t CROSS JOIN account a ON a.id = t.account_id AND a.user_id = ? WHERE ` + inList + ` AND t.id IN ` + tuples(1, lookupRows)

// othersQuery counts the rows of others among some that the user sees in the household.
var othersQuery = `SELECT COUNT(*) FROM booked_transaction t JOIN account a ON a.id = t.account_id AND a.user_id <> ?
	JOIN household_account seen ON seen.account_id = a.id AND seen.user_id = ? WHERE ` + inList + ` AND t.id IN ` + tuples(1, lookupRows)

// choose adds those of some rows to a draft that are the user's, and counts those of others that the user sees.
func (w Seen) choose(ctx context.Context, tx *sqlite.Tx, id string, rows []int64) error {
	for some := range slices.Chunk(rows, lookupRows) {
		args := make([]any, 0, lookupRows)
		for _, row := range some {
			args = append(args, row)
		}
		if _, err := tx.ExecContext(ctx, chooseQuery, append([]any{id, w.userID}, padded(args)...)...); err != nil {
			return err
		}
		if !w.household {
			continue
		}
		var others int
		if err := tx.QueryRowContext(ctx, othersQuery, append([]any{w.userID, w.userID}, padded(args)...)...).Scan(&others); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE bulk_edit SET others = others + $1 WHERE id = $2 AND user_id = $3`, others, id, w.userID); err != nil {
			return err
		}
	}
	return nil
}

// endChoice ends the choice of rows for a draft.
func endChoice(ctx context.Context, tx *sqlite.Tx, userID, id string) error {
	var count, others int
	err := tx.QueryRowContext(ctx, `SELECT (SELECT COUNT(*) FROM bulk_edit_row chosen WHERE chosen.edit_id = $1), edit.others FROM bulk_edit edit
		WHERE edit.id = $1 AND edit.user_id = $2`, id, userID).Scan(&count, &others)
	switch {
	case err == nil && count == 0 && others > 0:
		err = ErrOthersChosen
	case err == nil && count == 0:
		err = ErrNothingChosen
	}
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE bulk_edit SET chosen = $1 WHERE id = $2 AND user_id = $3`, count, id, userID)
	return err
}

const bulkColumns = `edit.id, edit.user_id, edit.state, edit.change, edit.search, edit.chosen, edit.changed, edit.no_room, edit.restored, edit.edited,
	edit.household, edit.others, edit.begun, edit.ended`

func scanBulkEdit(row scanner) (e finance.BulkEdit, err error) {
	var change string
	var begun sqlite.Time
	var ended sqlite.NullTime
	err = row.Scan(&e.ID, &e.UserID, &e.State, &change, &e.Search, &e.Rows, &e.Changed, &e.NoRoom, &e.Restored, &e.Edited, &e.Household, &e.Others,
		&begun, &ended)
	if err != nil {
		return e, err
	}
	e.Begun, e.Ended = begun.Time, ended.Time
	return e, json.Unmarshal([]byte(change), &e.Change)
}

// BulkEdit returns a bulk edit of the user.
func (s *Store) BulkEdit(ctx context.Context, userID, id string) (_ finance.BulkEdit, err error) {
	defer doing("read bulk edit", &err)
	e, err := scanBulkEdit(s.db.Read().QueryRowContext(ctx, `SELECT `+bulkColumns+` FROM bulk_edit edit
		WHERE edit.id = $1 AND edit.user_id = $2 AND edit.chosen > 0 AND edit.state <> 'dropped'`, id, userID))
	return e, notFound(err)
}

// BulkEdits lists the last bulk edits of the user that were confirmed, newest first.
func (s *Store) BulkEdits(ctx context.Context, userID string) (_ []finance.BulkEdit, err error) {
	defer doing("read bulk edits", &err)
	return collect(ctx, s.db.Read(), scanBulkEdit, `SELECT `+bulkColumns+` FROM bulk_edit edit
		WHERE edit.user_id = $1 AND edit.state NOT IN ('draft', 'dropped') ORDER BY edit.begun DESC, edit.id LIMIT $2 + 0`, userID, listedEdits)
}

// PlanEdit settles what a draft is to change. A tag that the user has given before keeps the capitals that it had then. finance.ErrNotFound when there is
// no such draft, or no such category.
func (s *Store) PlanEdit(ctx context.Context, userID, id string, change finance.BulkChange) (err error) {
	defer doing("plan bulk edit", &err)
	book, err := s.Categories(ctx, userID)
	if err != nil {
		return err
	}
	if _, ok := book.Of(change.Category); change.Category != "" && !ok {
		return finance.ErrNotFound
	}
	known, err := s.Tags(ctx, userID)
	if err != nil {
		return err
	}
	change.Tags = slices.Clone(change.Tags)
	for i, tag := range change.Tags {
		change.Tags[i] = asKnown(known, tag)
	}
	text, err := json.Marshal(change)
	if err != nil {
		return err
	}
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		return changed(tx.ExecContext(ctx, `UPDATE bulk_edit SET change = $1 WHERE id = $2 AND user_id = $3 AND state = 'draft'`, string(text), id, userID))
	})
}

// EditPreview is what a draft would do.
type EditPreview struct {
	Changes int                // rows that would be another way
	NoRoom  int                // rows without room for it
	Sample  []finance.FoundRow // the newest that would be another way; of a draft without a change the newest of all
}

// PreviewEdit says what a draft of the user would do, with a sample of so many rows.
func (s *Store) PreviewEdit(ctx context.Context, e finance.BulkEdit, sample int) (p EditPreview, err error) {
	defer doing("preview bulk edit", &err)
	err = s.db.Snapshot(ctx, func(at sqlite.Snapshot) error {
		type place struct{ id, sortKey int64 }
		rows, err := at.QueryContext(ctx, `SELECT t.id, t.sort_key, COALESCE(t.category_id, ''), t.category_by, `+annotationColumns+`
			FROM bulk_edit_row chosen CROSS JOIN booked_transaction t ON t.id = chosen.transaction_id
			JOIN account a ON a.id = t.account_id LEFT JOIN transaction_note note ON note.transaction_id = t.id
			WHERE chosen.edit_id = $1 AND a.user_id = $2`, e.ID, e.UserID)
		if err != nil {
			return err
		}
		defer rows.Close()
		var newest []place
		for rows.Next() {
			var r editable
			var at place
			if err := rows.Scan(&at.id, &at.sortKey, &r.category, &r.by, &r.reviewed, &r.note, &r.tags, &r.split); err != nil {
				return err
			}
			before := r.edits()
			switch after, err := e.Change.Apply(before); {
			case err != nil:
				p.NoRoom++
				continue
			case after.Equal(before) && !e.Change.Empty():
				continue
			}
			p.Changes++
			newest = append(newest, at)
			if len(newest) >= 2*sample { // the sample and as many candidates
				slices.SortFunc(newest, func(a, b place) int { return cmp.Compare(b.sortKey, a.sortKey) })
				newest = newest[:sample]
			}
		}
		if err := rows.Err(); err != nil {
			return err
		}
		slices.SortFunc(newest, func(a, b place) int { return cmp.Compare(b.sortKey, a.sortKey) })
		for _, n := range newest[:min(sample, len(newest))] {
			var row finance.FoundRow
			err := scanRow(at.QueryRowContext(ctx, `SELECT `+rowColumns+`, t.account_id FROM booked_transaction t JOIN account a ON a.id = t.account_id
				WHERE t.id = $1 AND a.user_id = $2`, n.id, e.UserID), &row.TransactionRow, &row.AccountID)
			if err != nil {
				return err
			}
			p.Sample = append(p.Sample, row)
		}
		return nil
	})
	if e.Change.Empty() {
		p.Changes = 0
	}
	return p, err
}

// StartEdit begins to carry out a draft: AdvanceEdit and AdvanceEdits do it. seen is the digest of the change that the person saw. ErrBulkReplanned when the
// draft has another change, as from another window; ErrBulkState when it is no draft with a change, finance.ErrNotFound when there is none.
func (s *Store) StartEdit(ctx context.Context, userID, id, seen string) (err error) {
	defer doing("start bulk edit", &err)
	return s.turn(ctx, userID, id, finance.BulkDraft, finance.BulkRunning, func(_ *sqlite.Tx, e finance.BulkEdit) error {
		if e.Change.Digest() != seen {
			return ErrBulkReplanned
		}
		return nil
	})
}

// UndoEdit begins to undo a bulk edit that is done. ErrBulkState when it is not, finance.ErrNotFound when there is none. What was remembered for payees is
// as before at once, where nothing else was learned since.
func (s *Store) UndoEdit(ctx context.Context, userID, id string) (err error) {
	defer doing("undo bulk edit", &err)
	return s.turn(ctx, userID, id, finance.BulkDone, finance.BulkUndoing, func(tx *sqlite.Tx, e finance.BulkEdit) error {
		const same = ` FROM bulk_edit_lesson was WHERE was.edit_id = $1 AND was.kind = category_lesson.kind AND was.outgoing = category_lesson.outgoing
			AND was.lesson_key = category_lesson.lesson_key`
		for _, query := range []string{
			`DELETE FROM category_lesson WHERE user_id = $2 AND category_id = $3 AND EXISTS (SELECT 1` + same + ` AND was.category_id = '')`,
			`UPDATE category_lesson SET category_id = (SELECT was.category_id` + same + `) WHERE user_id = $2 AND category_id = $3 AND EXISTS (SELECT 1` + same + `)`,
			`DELETE FROM bulk_edit_lesson WHERE edit_id = $1 AND $2 <> $3`,
		} {
			if _, err := tx.ExecContext(ctx, query, e.ID, userID, e.Change.Category); err != nil {
				return err
			}
		}
		return nil
	})
}

// turn takes a bulk edit from one state to another.
func (s *Store) turn(ctx context.Context, userID, id string, from, to finance.BulkState, also func(tx *sqlite.Tx, e finance.BulkEdit) error) error {
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		e, err := scanBulkEdit(tx.QueryRowContext(ctx, `SELECT `+bulkColumns+` FROM bulk_edit edit WHERE edit.id = $1 AND edit.user_id = $2 AND edit.chosen > 0`, id, userID))
		if err != nil {
			return notFound(err)
		}
		if e.State != from || e.Change.Empty() {
			return ErrBulkState
		}
		if _, err := tx.ExecContext(ctx, `UPDATE bulk_edit SET state = $1, ended = NULL WHERE id = $2 AND user_id = $3`, to, id, userID); err != nil {
			return err
		}
		return also(tx, e)
	})
}

// AdvanceEdits does the next piece of a bulk edit that was confirmed or is to be undone, whosever it is, and says whose it was. It is the work of a
// background loop: a bulk edit goes on when Florin starts again. Those that are too old are forgotten.
func (s *Store) AdvanceEdits(ctx context.Context) (userID string, next time.Time, err error) {
	defer doing("advance bulk edits", &err)
	var id string
	err = notFound(s.db.Read().QueryRowContext(ctx, `SELECT edit.id, edit.user_id FROM bulk_edit edit WHERE edit.state IN ('running', 'undoing', 'dropped')
		ORDER BY edit.begun LIMIT 1`).Scan(&id, &userID))
	if errors.Is(err, finance.ErrNotFound) {
		return "", time.Now().Add(expiredEvery), s.expireEdits(ctx)
	}
	if err != nil {
		return "", time.Time{}, err
	}
	_, err = s.AdvanceEdit(ctx, userID, id)
	return userID, time.Now(), err
}

// expireEdits forgets drafts that nobody confirmed, and bulk edits that can be undone no longer.
func (s *Store) expireEdits(ctx context.Context) error {
	now := time.Now()
	var old bool
	const expired = ` (state = 'draft' AND begun < $1 OR state IN ('done', 'undone') AND begun < $2)`
	err := s.db.Read().QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM bulk_edit WHERE`+expired+`)`, sqlite.At(now.Add(-draftLife)), sqlite.At(now.Add(-undoLife))).Scan(&old)
	if err != nil || !old {
		return err
	}
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE bulk_edit SET state = 'dropped' WHERE`+expired, sqlite.At(now.Add(-draftLife)), sqlite.At(now.Add(-undoLife)))
		return err
	})
}

// AdvanceEdit does the next piece of a bulk edit of the user. more tells that there is another one.
func (s *Store) AdvanceEdit(ctx context.Context, userID, id string) (more bool, err error) {
	defer doing("advance bulk edit", &err)
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		e, err := scanBulkEdit(tx.QueryRowContext(ctx, `SELECT `+bulkColumns+` FROM bulk_edit edit WHERE edit.id = $1 AND edit.user_id = $2`, id, userID))
		if err != nil {
			return notFound(err)
		}
		more, err = (&bulkWork{tx, e}).step(ctx)
		return err
	})
	return more, err
}

// bulkWork is a piece of a bulk edit.
type bulkWork struct {
	tx *sqlite.Tx
	finance.BulkEdit
}

// step does a piece: some rows, then the other rows of their payees, then the end.
func (w *bulkWork) step(ctx context.Context) (more bool, err error) {
	end := finance.BulkDone
	switch w.State {
	case finance.BulkRunning:
		more, err = w.apply(ctx)
	case finance.BulkUndoing:
		end = finance.BulkUndone
		more, err = w.restore(ctx)
	case dropped:
		return w.drop(ctx)
	default:
		return false, nil
	}
	if more || err != nil {
		return more, err
	}
	if more, err = w.decideOthers(ctx); more || err != nil {
		return more, err
	}
	_, err = w.tx.ExecContext(ctx, `UPDATE bulk_edit SET state = $1, ended = $2 WHERE id = $3 AND user_id = $4`, end, sqlite.At(w.tx.Now), w.ID, w.UserID)
	return false, err
}

// annotationColumns are what a person can change about a row t but for its category, of which note is the note.
const annotationColumns = `t.reviewed, COALESCE(note.text, ''),
	COALESCE((SELECT GROUP_CONCAT(tag.tag, ',') FROM transaction_tag tag WHERE tag.transaction_id = t.id), ''),
	EXISTS (SELECT 1 FROM transaction_part part WHERE part.transaction_id = t.id)`

// editable is a row with what a person can change about it.
type editable struct {
	labelled
	reviewed bool
	split    bool
	note     string
	tags     string // with commas between, which no tag has
	chosenAt string // when the person chose the category
	before   string // of bulk_edit_row
	merged   bool   // into another row
}

func (r editable) edits() finance.RowEdits {
	e := finance.RowEdits{Category: r.category, ByHand: r.by == string(categories.ByHand), Split: r.split, Reviewed: r.reviewed,
		Annotation: finance.Annotation{Note: r.note}}
	if r.tags != "" {
		e.Tags = strings.Split(r.tags, ",")
		slices.Sort(e.Tags)
	}
	return e
}

const editableQuery = `SELECT ` + labelledColumns + `, ` + annotationColumns + `, COALESCE(byhand.edited, ''), COALESCE(chosen.before, ''), t.sort_key < 0
	FROM bulk_edit_row chosen CROSS JOIN booked_transaction t ON t.id = chosen.transaction_id JOIN account a ON a.id = t.account_id
	JOIN transaction_record record ON record.transaction_id = t.id LEFT JOIN transaction_note note ON note.transaction_id = t.id
	LEFT JOIN category_edit byhand ON byhand.transaction_id = t.id
	WHERE chosen.edit_id = $1 AND a.user_id = $2 AND chosen.before `

// rows are the next rows of the bulk edit: those to be changed, or those that were.
func (w *bulkWork) rows(ctx context.Context, which string) ([]editable, error) {
	return collect(ctx, w.tx, func(row scanner) (r editable, err error) {
		r.labelled, err = scanLabelled(row, &r.reviewed, &r.note, &r.tags, &r.split, &r.chosenAt, &r.before, &r.merged)
		return r, err
	}, editableQuery+which+` ORDER BY chosen.transaction_id LIMIT $3 + 0`, w.ID, w.UserID, editRows)
}

// changedRow is what a bulk edit has changed about a row, as it was before.
type changedRow struct {
	Category *changedCategory `json:"category,omitempty"`
	Reviewed *bool            `json:"reviewed,omitempty"`
	Note     *string          `json:"note,omitempty"`
	Tags     *[]string        `json:"tags,omitempty"`
}

type changedCategory struct {
	ID       string `json:"id,omitempty"`
	By       string `json:"by,omitempty"`
	Why      string `json:"why,omitempty"`
	ChosenAt string `json:"chosen_at,omitempty"` // for a choice by hand
}

// changeOf returns the previous values of everything that differs between before and after.
func changeOf(r editable, before, after finance.RowEdits) changedRow {
	var c changedRow
	if before.Category != after.Category || before.ByHand != after.ByHand {
		c.Category = &changedCategory{r.category, r.by, r.why, r.chosenAt}
	}
	if before.Reviewed != after.Reviewed {
		c.Reviewed = &before.Reviewed
	}
	if before.Note != after.Note {
		c.Note = &before.Note
	}
	if !slices.Equal(before.Tags, after.Tags) {
		tags := append([]string{}, before.Tags...) // not nil, which would be left out
		c.Tags = &tags
	}
	return c
}

// before returns the previous values of the row. Fields that the bulk edit did not change are zero.
func (c changedRow) before() (e finance.RowEdits) {
	if c.Category != nil {
		e.Category, e.ByHand = c.Category.ID, c.Category.By == string(categories.ByHand)
	}
	if c.Reviewed != nil {
		e.Reviewed = *c.Reviewed
	}
	if c.Note != nil {
		e.Note = *c.Note
	}
	if c.Tags != nil {
		e.Tags = *c.Tags
	}
	return e
}

// with returns row with the values of the other row in all fields that the bulk edit changed.
func (c changedRow) with(row, of finance.RowEdits) finance.RowEdits {
	if c.Category != nil {
		row.Category, row.ByHand = of.Category, of.ByHand
	}
	if c.Reviewed != nil {
		row.Reviewed = of.Reviewed
	}
	if c.Note != nil {
		row.Note = of.Note
	}
	if c.Tags != nil {
		row.Tags = of.Tags
	}
	return row
}

// apply changes some rows that wait for it.
func (w *bulkWork) apply(ctx context.Context) (more bool, err error) {
	rows, err := w.rows(ctx, `IS NULL`)
	if err != nil {
		return false, err
	}
	names, err := personalNames(ctx, w.tx, w.UserID)
	if err != nil {
		return false, err
	}
	var ids []any
	noRoom := 0
	for _, r := range rows {
		before := r.edits()
		after, full := w.Change.Apply(before)
		if full != nil {
			noRoom++
		}
		if full != nil || after.Equal(before) {
			if err := w.forget(ctx, r.id); err != nil {
				return false, err
			}
			continue
		}
		c := changeOf(r, before, after)
		if c.Category != nil {
			if err := w.teach(ctx, names, r); err != nil {
				return false, err
			}
		}
		if err := w.write(ctx, r.id, c, after); err != nil {
			return false, err
		}
		text, err := json.Marshal(c)
		if err != nil {
			return false, err
		}
		if _, err := w.tx.ExecContext(ctx, `UPDATE bulk_edit_row SET before = $1 WHERE edit_id = $2 AND transaction_id = $3`, string(text), w.ID, r.id); err != nil {
			return false, err
		}
		ids = append(ids, r.id)
	}
	if err := w.count(ctx, len(ids), noRoom, 0, 0); err != nil {
		return false, err
	}
	return len(rows) > 0, reindex(ctx, w.tx, ids)
}

// teach sets the category of a row as if the person had chosen it by hand, and saves what was remembered for its payee before, for the undo.
func (w *bulkWork) teach(ctx context.Context, names categories.Names, r editable) error {
	for _, l := range (categories.Memory{Names: names}).LessonsOf(r.Facts) {
		_, err := w.tx.ExecContext(ctx, `INSERT INTO bulk_edit_lesson (edit_id, kind, outgoing, lesson_key, category_id) VALUES ($1, $2, $3, $4,
			COALESCE((SELECT held.category_id FROM category_lesson held WHERE held.user_id = $5 AND held.kind = $2 AND held.outgoing = $3 AND held.lesson_key = $4), ''))
			ON CONFLICT DO NOTHING`, w.ID, l.By, l.Out, l.Key, w.UserID)
		if err != nil {
			return err
		}
	}
	if err := w.othersOf(ctx, r); err != nil {
		return err
	}
	return teach(ctx, w.tx, w.UserID, names, r.labelled, w.Change.Category)
}

// othersOf notes that the other rows of the payee are to be decided anew.
func (w *bulkWork) othersOf(ctx context.Context, r editable) error {
	if r.payeeKey == "" {
		return nil
	}
	_, err := w.tx.ExecContext(ctx, `INSERT INTO bulk_edit_payee (edit_id, payee_key) VALUES ($1, $2) ON CONFLICT DO NOTHING`, w.ID, r.payeeKey)
	return err
}

// write stores the new values of a row, except its category.
func (w *bulkWork) write(ctx context.Context, id int64, c changedRow, to finance.RowEdits) error {
	if c.Reviewed != nil {
		if _, err := w.tx.ExecContext(ctx, `UPDATE booked_transaction SET reviewed = $1 WHERE id = $2`, flag(to.Reviewed), id); err != nil {
			return err
		}
	}
	if c.Note != nil {
		if err := setNote(ctx, w.tx, id, to.Note); err != nil {
			return err
		}
	}
	if c.Tags != nil {
		return setTags(ctx, w.tx, id, to.Tags)
	}
	return nil
}

// restore puts back some rows that were changed, and leaves those that are no longer as the bulk edit made them, or were merged into others.
func (w *bulkWork) restore(ctx context.Context) (more bool, err error) {
	rows, err := w.rows(ctx, `IS NOT NULL`)
	if err != nil {
		return false, err
	}
	var ids []any
	for _, r := range rows {
		var c changedRow
		if err := json.Unmarshal([]byte(r.before), &c); err != nil {
			return false, err
		}
		now := r.edits()
		was := c.with(now, c.before())
		if made, full := w.Change.Apply(was); full == nil && now.Equal(c.with(now, made)) && !r.merged {
			if err := w.putBack(ctx, r, c, was); err != nil {
				return false, err
			}
			ids = append(ids, r.id)
		}
		if err := w.forget(ctx, r.id); err != nil {
			return false, err
		}
	}
	if err := w.count(ctx, 0, 0, len(ids), len(rows)-len(ids)); err != nil {
		return false, err
	}
	return len(rows) > 0, reindex(ctx, w.tx, ids)
}

// putBack makes a row what it was.
func (w *bulkWork) putBack(ctx context.Context, r editable, c changedRow, was finance.RowEdits) error {
	if c.Category != nil {
		if err := w.othersOf(ctx, r); err != nil {
			return err
		}
		if _, err := w.tx.ExecContext(ctx, `DELETE FROM category_edit WHERE transaction_id = $1 AND user_id = $2`, r.id, w.UserID); err != nil {
			return err
		}
		_, err := w.tx.ExecContext(ctx, `UPDATE booked_transaction SET category_id = NULLIF($1, ''), category_by = $2, category_why = $3 WHERE id = $4`,
			c.Category.ID, c.Category.By, c.Category.Why, r.id)
		if err != nil {
			return err
		}
		if c.Category.ChosenAt != "" {
			_, err := w.tx.ExecContext(ctx, `INSERT INTO category_edit (transaction_id, user_id, edited) VALUES ($1, $2, $3)`, r.id, w.UserID, c.Category.ChosenAt)
			if err != nil {
				return err
			}
			if err := count(ctx, w.tx, w.UserID, r.labelled, c.Category.ID); err != nil {
				return err
			}
		}
	}
	return w.write(ctx, r.id, c, was)
}

// forget removes a row from the bulk edit.
func (w *bulkWork) forget(ctx context.Context, row int64) error {
	_, err := w.tx.ExecContext(ctx, `DELETE FROM bulk_edit_row WHERE edit_id = $1 AND transaction_id = $2`, w.ID, row)
	return err
}

// count adds to what the bulk edit tells of itself.
func (w *bulkWork) count(ctx context.Context, changed, noRoom, restored, edited int) error {
	_, err := w.tx.ExecContext(ctx, `UPDATE bulk_edit SET changed = changed + $1, no_room = no_room + $2, restored = restored + $3, edited = edited + $4
		WHERE id = $5 AND user_id = $6`, changed, noRoom, restored, edited, w.ID, w.UserID)
	return err
}

// decideOthers chooses the categories again for some rows of the payees whose remembered category has changed. Categories that the person chose stay. After
// an undo only rows whose category had come from what was remembered are decided.
func (w *bulkWork) decideOthers(ctx context.Context) (more bool, err error) {
	type payee struct {
		key   string
		after int64
	}
	payees, err := collect(ctx, w.tx, func(row scanner) (p payee, err error) { return p, row.Scan(&p.key, &p.after) },
		`SELECT waiting.payee_key, waiting.after_id FROM bulk_edit_payee waiting WHERE waiting.edit_id = $1 ORDER BY waiting.payee_key LIMIT $2 + 0`, w.ID, editPayees)
	if err != nil || len(payees) == 0 {
		return false, err
	}
	m, err := memoryOf(ctx, w.tx, w.UserID)
	if err != nil {
		return false, err
	}
	which := ` <> 'hand'`
	if w.State == finance.BulkUndoing {
		which = ` IN ('creditor', 'account', 'name')`
	}
	room := editRows
	for _, p := range payees {
		rows, err := collect(ctx, w.tx, aLabelled, `SELECT `+labelledColumns+` FROM account a CROSS JOIN booked_transaction t ON t.account_id = a.id AND t.payee_key = $1
			JOIN transaction_record record ON record.transaction_id = t.id
			WHERE a.user_id = $2 AND t.id > $3 AND `+inList+` AND t.category_by`+which+` ORDER BY t.id LIMIT $4 + 0`, p.key, w.UserID, p.after, room)
		if err != nil {
			return false, err
		}
		if _, err := decideAnew(ctx, w.tx, m, rows); err != nil {
			return false, err
		}
		if len(rows) == room {
			_, err := w.tx.ExecContext(ctx, `UPDATE bulk_edit_payee SET after_id = $1 WHERE edit_id = $2 AND payee_key = $3`, rows[len(rows)-1].id, w.ID, p.key)
			return true, err
		}
		room -= len(rows)
		if _, err := w.tx.ExecContext(ctx, `DELETE FROM bulk_edit_payee WHERE edit_id = $1 AND payee_key = $2`, w.ID, p.key); err != nil {
			return false, err
		}
	}
	return true, nil
}

// drop forgets a bulk edit, some rows at a time.
func (w *bulkWork) drop(ctx context.Context) (more bool, err error) {
	err = changed(w.tx.ExecContext(ctx, `DELETE FROM bulk_edit_row WHERE edit_id = $1 AND transaction_id IN (
		SELECT some.transaction_id FROM bulk_edit_row some WHERE some.edit_id = $1 LIMIT $2)`, w.ID, droppedOff))
	if !errors.Is(err, finance.ErrNotFound) {
		return err == nil, err
	}
	_, err = w.tx.ExecContext(ctx, `DELETE FROM bulk_edit WHERE id = $1 AND user_id = $2`, w.ID, w.UserID)
	return false, err
}
