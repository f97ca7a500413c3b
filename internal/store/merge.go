package store

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
)

// inList says that a row t is in the lists. One that was merged into another row is not: it has the negative of the sort key that it had (migration 00035), so
// that a range of sort keys never finds it. The plus keeps the index of the keys out of it: what asks for more than keys finds its rows by that.
const inList = `+t.sort_key >= 0`

// unlisted says that the bank lists a row t no more, nor one that was merged into it.
const unlisted = `t.missing_since IS NOT NULL AND NOT EXISTS (SELECT 1 FROM transaction_merge twin JOIN booked_transaction hidden ON hidden.id = twin.hidden_id
	WHERE twin.into_id = t.id AND hidden.missing_since IS NULL)`

// gift is what a row got from one that was merged into it, with what else it takes to give it back.
type gift struct {
	finance.MergeGift
	ChosenAt string        `json:"chosen_at,omitempty"` // when the person chose the category of the other row
	Payment  *giftPayment  `json:"payment,omitempty"`   // of which the other row was the booking
	Transfer *giftTransfer `json:"transfer,omitempty"`  // of which the other row was a side
	Expense  string        `json:"expense,omitempty"`   // id of the shared expense that the other row was
}

type giftPayment struct {
	ID        string           `json:"id"`
	Position  int              `json:"position"`
	Execution openbanking.Date `json:"execution,omitempty"`
}

type giftTransfer struct {
	Other int64                 `json:"other"` // id of its other side
	State finance.TransferState `json:"state"`
}

// MergeSide returns the facts about a booked row of the user that decide a merge. The error is finance.ErrNotFound for the row of somebody else, and for
// one that is already merged into another row.
func (s *Store) MergeSide(ctx context.Context, userID string, id int64) (side finance.MergeSide, err error) {
	defer doing("read row to merge", &err)
	err = s.db.Snapshot(ctx, func(at sqlite.Snapshot) error {
		side, err = mergeSide(ctx, at, userID, id)
		return err
	})
	return side, err
}

func mergeSide(ctx context.Context, q querier, userID string, id int64) (m finance.MergeSide, err error) {
	var r editable
	var minor int64
	var currency string
	err = q.QueryRowContext(ctx, `SELECT t.id, t.account_id, t.minor, t.currency, `+unlisted+`, (SELECT COUNT(*) FROM transaction_merge twin WHERE twin.into_id = t.id),
			EXISTS (SELECT 1 FROM payment_booking booking WHERE booking.booked_id = t.id), COALESCE(t.category_id, ''), t.category_by, `+annotationColumns+`
		FROM booked_transaction t JOIN account a ON a.id = t.account_id LEFT JOIN transaction_note note ON note.transaction_id = t.id
		WHERE t.id = $1 AND a.user_id = $2 AND `+inList, id, userID).
		Scan(&m.ID, &m.AccountID, &minor, &currency, &m.Unlisted, &m.Merged, &m.Payment, &r.category, &r.by, &r.reviewed, &r.note, &r.tags, &r.split)
	if err != nil {
		return m, notFound(err)
	}
	m.Amount, m.RowEdits = money.FromMinor(minor, currency), r.edits()
	m.Files, err = collect(ctx, q, func(row scanner) (file string, err error) { return file, row.Scan(&file) }, `SELECT attachment.file FROM transaction_attachment attachment
		JOIN booked_transaction t ON t.id = attachment.transaction_id JOIN account a ON a.id = t.account_id
		WHERE t.id = $1 AND a.user_id = $2 ORDER BY attachment.added, attachment.file`, id, userID)
	return m, err
}

// Merge makes two rows of an account of the user one, in the order of finance.MergeOrder, and returns the one that stays. The error says what is in the way
// (finance.CheckMerge).
func (s *Store) Merge(ctx context.Context, userID string, first, second int64) (kept int64, err error) {
	defer doing("merge transactions", &err)
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		a, err := mergeSide(ctx, tx, userID, first)
		if err != nil {
			return err
		}
		b, err := mergeSide(ctx, tx, userID, second)
		if err != nil {
			return err
		}
		into, other := finance.MergeOrder(a, b)
		if err := finance.CheckMerge(into, other); err != nil {
			return err
		}
		kept = into.ID
		if err := hide(ctx, tx, userID, into, other); err != nil {
			return err
		}
		return rebalanceOf(ctx, tx, userID, into.AccountID)
	})
	if err == nil {
		s.rowsChanged()
	}
	return kept, err
}

// Separate undoes that a row was merged into one of the user: both are what they were, and what was done to the one that stays since stays with it. Of several,
// the one that was merged last is separated first: finance.ErrNotFound when that is another one.
func (s *Store) Separate(ctx context.Context, userID, accountID string, id, hidden int64) (err error) {
	defer doing("separate transactions", &err)
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		merged, err := mergesInto(ctx, tx, id)
		if err != nil {
			return err
		}
		side, err := mergeSide(ctx, tx, userID, id)
		if err == nil && (side.AccountID != accountID || len(merged) == 0 || merged[0] != hidden) {
			err = finance.ErrNotFound
		}
		if err != nil {
			return err
		}
		if err := separate(ctx, tx, userID, side, hidden); err != nil {
			return err
		}
		return rebalanceOf(ctx, tx, userID, accountID)
	})
	if err == nil {
		s.rowsChanged()
	}
	return err
}

// MergedRow is a row that was merged into another one.
type MergedRow struct {
	finance.FoundRow
	Merged sqlite.Time
}

// MergedRows lists the rows that were merged into a row of the user, the last one first.
func (s *Store) MergedRows(ctx context.Context, userID string, id int64) (_ []MergedRow, err error) {
	defer doing("read merged rows", &err)
	return collect(ctx, s.db.Read(), func(row scanner) (m MergedRow, err error) {
		err = scanRow(row, &m.TransactionRow, &m.AccountID, &m.Merged)
		return m, err
	}, `SELECT `+rowColumns+`, t.account_id, twin.merged FROM transaction_merge twin JOIN booked_transaction t ON t.id = twin.hidden_id JOIN account a ON a.id = t.account_id
		WHERE twin.into_id = $1 AND a.user_id = $2 ORDER BY twin.merged DESC, twin.hidden_id DESC`, id, userID)
}

// MergedInto returns the row into which a row of the user was merged, finance.ErrNotFound when it was not.
func (s *Store) MergedInto(ctx context.Context, userID, accountID string, id int64) (into int64, err error) {
	defer doing("look for merged row", &err)
	err = s.db.Read().QueryRowContext(ctx, `SELECT twin.into_id FROM transaction_merge twin JOIN booked_transaction t ON t.id = twin.hidden_id JOIN account a ON a.id = t.account_id
		WHERE twin.hidden_id = $1 AND a.id = $2 AND a.user_id = $3`, id, accountID, userID).Scan(&into)
	return into, notFound(err)
}

// mergedIntoAny lists the ids of the rows that stay when some rows go that were merged into them.
func mergedIntoAny(ctx context.Context, q querier, going ...any) (into []any, err error) {
	for some := range slices.Chunk(going, lookupRows) {
		more, err := collect(ctx, q, scanID, mergedIntoQuery, padded(some)...)
		if err != nil {
			return nil, err
		}
		into = append(into, more...)
	}
	return slices.DeleteFunc(into, func(id any) bool { return slices.Contains(going, id) }), nil
}

var mergedIntoQuery = `SELECT twin.into_id FROM transaction_merge twin WHERE twin.hidden_id IN ` + tuples(1, lookupRows)

// mergesInto lists the ids of the rows that were merged into a row, the last one first.
func mergesInto(ctx context.Context, q querier, id int64) ([]int64, error) {
	return collect(ctx, q, func(row scanner) (id int64, err error) { return id, row.Scan(&id) },
		`SELECT twin.hidden_id FROM transaction_merge twin WHERE twin.into_id = $1 ORDER BY twin.merged DESC, twin.hidden_id DESC`, id)
}

// hide merges the row other into another row of the same account. What the person did to it is kept with it, for Separate, and copied to the other row
// where that lacks it.
func hide(ctx context.Context, tx *sqlite.Tx, userID string, into, other finance.MergeSide) error {
	g := gift{MergeGift: finance.GiftOf(into, other)}
	touched := map[int64]bool{into.ID: true}
	for _, give := range []func() error{
		func() error { return giveAnnotation(ctx, tx, into, other, g.MergeGift) },
		func() error { return giveCategory(ctx, tx, userID, into.ID, other, &g) },
		func() error { return givePayment(ctx, tx, into, other.ID, &g) },
		func() error { return giveTransfer(ctx, tx, userID, into.ID, other.ID, &g, touched) },
		func() (err error) { g.Expense, err = giveExpense(ctx, tx, into.ID, other.ID); return err },
	} {
		if err := give(); err != nil {
			return err
		}
	}
	text, err := json.Marshal(g)
	if err != nil {
		return err
	}
	days, err := daysOf(ctx, tx, other.ID)
	if err != nil {
		return err
	}
	if err := keepRows(ctx, tx, into.AccountID, into.ID, other.ID); err != nil {
		return err
	}
	key, err := turnOver(ctx, tx, into.AccountID, other.ID)
	if err != nil {
		return err
	}
	if err := unindex(ctx, tx, -key); err != nil {
		return err
	}
	for _, step := range []struct {
		query string
		args  []any
	}{
		{`UPDATE transaction_merge SET into_id = $1 WHERE into_id = $2`, []any{into.ID, other.ID}},
		{`INSERT INTO transaction_merge (hidden_id, into_id, gift, merged) VALUES ($1, $2, $3, $4)`, []any{other.ID, into.ID, string(text), sqlite.At(tx.Now)}},
		{`UPDATE account SET transactions = transactions - 1 WHERE id = $1 AND user_id = $2`, []any{into.AccountID, userID}},
		// What a bulk edit is still to do to it, it does to the one that stays.
		{`UPDATE bulk_edit_row SET transaction_id = $1 WHERE transaction_id = $2 AND before IS NULL AND NOT EXISTS (
			SELECT 1 FROM bulk_edit_row held WHERE held.edit_id = bulk_edit_row.edit_id AND held.transaction_id = $1)`, []any{into.ID, other.ID}},
		{`DELETE FROM bulk_edit_row WHERE transaction_id = $1 AND before IS NULL`, []any{other.ID}},
	} {
		if _, err := tx.ExecContext(ctx, step.query, step.args...); err != nil {
			return err
		}
	}
	if err := recount(ctx, tx, days...); err != nil {
		return err
	}
	if err := lookAgain(ctx, tx, []any{into.ID}); err != nil {
		return err
	}
	return settle(ctx, tx, userID, touched)
}

// turnOver takes a row out of the lists, or back into them, and returns its sort key then.
func turnOver(ctx context.Context, tx *sqlite.Tx, accountID string, id int64) (key int64, err error) {
	if err := findSeriesLater(ctx, tx, id); err != nil {
		return 0, err
	}
	err = tx.QueryRowContext(ctx, `UPDATE booked_transaction SET sort_key = -sort_key WHERE id = $1 AND account_id = $2 RETURNING sort_key`, id, accountID).Scan(&key)
	return key, err
}

// giveAnnotation gives a row the note, tags, mark, parts and files of another one that it lacks.
func giveAnnotation(ctx context.Context, tx *sqlite.Tx, into, other finance.MergeSide, g finance.MergeGift) error {
	if g.Note != "" {
		if err := setNote(ctx, tx, into.ID, finance.JoinNotes(into.Note, g.Note)); err != nil {
			return err
		}
	}
	if len(g.Tags) > 0 {
		if err := setTags(ctx, tx, into.ID, append(slices.Clone(into.Tags), g.Tags...)); err != nil {
			return err
		}
	}
	for _, step := range []struct {
		query string
		does  bool
	}{
		{`UPDATE booked_transaction SET reviewed = 1 WHERE id = $1 AND $2 <> $1`, g.Reviewed},
		{giveParts, g.Parts},
		{giveFiles, len(g.Files) > 0},
	} {
		if !step.does {
			continue
		}
		if _, err := tx.ExecContext(ctx, step.query, into.ID, other.ID); err != nil {
			return err
		}
	}
	return nil
}

// giveCategory gives a row the choice of a category by hand that another one has, and counts the choice once.
func giveCategory(ctx context.Context, tx *sqlite.Tx, userID string, into int64, other finance.MergeSide, g *gift) error {
	if !other.ByHand {
		return nil
	}
	err := tx.QueryRowContext(ctx, `DELETE FROM category_edit WHERE transaction_id = $1 AND user_id = $2 RETURNING edited`, other.ID, userID).Scan(&g.ChosenAt)
	if err = notFound(err); err != nil && !errors.Is(err, finance.ErrNotFound) {
		return err
	}
	if g.Category == "" {
		return nil
	}
	return chosen(ctx, tx, userID, into, g.Category, g.ChosenAt)
}

// chosen records that the person chose the category of a row at some time; "" for a choice that came with a file.
func chosen(ctx context.Context, tx *sqlite.Tx, userID string, id int64, category, at string) error {
	_, err := tx.ExecContext(ctx, `UPDATE booked_transaction SET category_id = $1, category_by = 'hand', category_why = '', suggestion_id = NULL WHERE id = $2`, category, id)
	if err != nil || at == "" {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO category_edit (transaction_id, user_id, edited) VALUES ($1, $2, $3)
		ON CONFLICT (transaction_id) DO UPDATE SET edited = excluded.edited`, id, userID, at)
	if err != nil {
		return err
	}
	rows, err := collect(ctx, tx, aLabelled, labelledQuery, append([]any{userID}, padded([]any{id})...)...)
	for _, row := range rows {
		err = errors.Join(err, count(ctx, tx, userID, row, category))
	}
	return err
}

// givePayment moves the link to a payment from the row other to the row that stays, unless that is itself the booking of a payment.
func givePayment(ctx context.Context, tx *sqlite.Tx, into finance.MergeSide, other int64, g *gift) error {
	if into.Payment {
		return nil
	}
	var p giftPayment
	err := tx.QueryRowContext(ctx, `UPDATE payment_booking SET booked_id = $1 WHERE booked_id = $2 RETURNING payment_id, position, execution`, into.ID, other).
		Scan(&p.ID, &p.Position, &p.Execution)
	if err = notFound(err); errors.Is(err, finance.ErrNotFound) {
		return nil
	}
	g.Payment = &p
	return err
}

// giveTransfer moves the transfer of the row other to the row that stays. When both are sides of transfers, the one that a person confirmed or refused
// wins, else the one of the row that stays. touched collects the rows whose pairs change.
func giveTransfer(ctx context.Context, tx *sqlite.Tx, userID string, into, other int64, g *gift, touched map[int64]bool) error {
	pairs, _, err := heldPairs(ctx, tx, userID, map[int64]bool{into: true, other: true})
	if err != nil {
		return err
	}
	for _, pair := range pairs {
		partner := pair.OutID + pair.InID - other
		if pair.OutID == other || pair.InID == other {
			g.Transfer = &giftTransfer{partner, pair.State}
		}
		touched[pair.OutID], touched[pair.InID] = true, true
	}
	delete(touched, other)
	if g.Transfer == nil {
		return nil
	}
	if err := inheritTransfer(ctx, tx, into, other); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `DELETE FROM own_transfer WHERE out_id = $1 OR in_id = $1`, other)
	return err
}

// separate takes back out of a row what it got from one that was merged into it, and shows that one again. It is what it was.
func separate(ctx context.Context, tx *sqlite.Tx, userID string, from finance.MergeSide, hidden int64) error {
	var text string
	var g gift
	if err := keepRows(ctx, tx, from.AccountID, from.ID, hidden); err != nil {
		return err
	}
	err := tx.QueryRowContext(ctx, `DELETE FROM transaction_merge WHERE hidden_id = $1 AND into_id = $2 RETURNING gift`, hidden, from.ID).Scan(&text)
	if err != nil {
		return notFound(err)
	}
	if err := json.Unmarshal([]byte(text), &g); err != nil {
		return err
	}
	if _, err := turnOver(ctx, tx, from.AccountID, hidden); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE account SET transactions = transactions + 1 WHERE id = $1 AND user_id = $2`, from.AccountID, userID); err != nil {
		return err
	}
	touched := map[int64]bool{from.ID: true, hidden: true}
	for _, take := range []func() error{
		func() error { return takeAnnotation(ctx, tx, from, hidden, g.MergeGift) },
		func() error { return takeCategory(ctx, tx, userID, from.ID, hidden, g) },
		func() error { return takeLinks(ctx, tx, from.ID, hidden, g, touched) },
		func() error {
			_, err := tx.ExecContext(ctx, `UPDATE expense SET transaction_id = $1 WHERE id = $2 AND transaction_id = $3`, hidden, g.Expense, from.ID)
			return err
		},
	} {
		if err := take(); err != nil {
			return err
		}
	}
	if err := lookAgain(ctx, tx, []any{from.ID, hidden}); err != nil {
		return err
	}
	return settle(ctx, tx, userID, touched)
}

// takeAnnotation takes the note, tags, mark, parts and files out of a row that it got from another one, as far as they are still there.
func takeAnnotation(ctx context.Context, tx *sqlite.Tx, from finance.MergeSide, hidden int64, g finance.MergeGift) error {
	if note := finance.TakeLines(from.Note, g.Note); note != from.Note {
		if err := setNote(ctx, tx, from.ID, note); err != nil {
			return err
		}
	}
	if err := setTags(ctx, tx, from.ID, slices.DeleteFunc(slices.Clone(from.Tags), func(tag string) bool { return slices.Contains(g.Tags, tag) })); err != nil {
		return err
	}
	for _, file := range g.Files {
		if _, err := tx.ExecContext(ctx, `DELETE FROM transaction_attachment WHERE transaction_id = $1 AND file = $2`, from.ID, file); err != nil {
			return err
		}
	}
	if g.Reviewed {
		if _, err := tx.ExecContext(ctx, `UPDATE booked_transaction SET reviewed = 0 WHERE id = $1`, from.ID); err != nil {
			return err
		}
	}
	if !g.Parts {
		return nil
	}
	const parts = `SELECT part.position, part.minor, part.category_id, part.note FROM transaction_part part WHERE part.transaction_id = `
	_, err := tx.ExecContext(ctx, `DELETE FROM transaction_part WHERE transaction_id = $1 AND NOT EXISTS (`+parts+`$1 EXCEPT `+parts+`$2)
		AND NOT EXISTS (`+parts+`$2 EXCEPT `+parts+`$1)`, from.ID, hidden)
	return err
}

// takeCategory gives a choice by hand back to the row for which it was made, unless the person has made another one since.
func takeCategory(ctx context.Context, tx *sqlite.Tx, userID string, from, hidden int64, g gift) error {
	if g.Category != "" {
		_, err := tx.ExecContext(ctx, `UPDATE booked_transaction SET category_by = '' WHERE id = $1 AND category_by = 'hand' AND category_id = $2
			AND COALESCE((SELECT byhand.edited FROM category_edit byhand WHERE byhand.transaction_id = $1), '') = $3`, from, g.Category, g.ChosenAt)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM category_edit WHERE transaction_id = $1 AND user_id = $2
			AND EXISTS (SELECT 1 FROM booked_transaction t WHERE t.id = $1 AND t.category_by = '')`, from, userID)
		if err != nil {
			return err
		}
	}
	if g.ChosenAt == "" {
		return nil
	}
	var category string
	err := tx.QueryRowContext(ctx, `SELECT COALESCE(t.category_id, '') FROM booked_transaction t JOIN account a ON a.id = t.account_id
		WHERE t.id = $1 AND a.user_id = $2 AND t.category_by = 'hand'`, hidden, userID).Scan(&category)
	if err = notFound(err); errors.Is(err, finance.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return chosen(ctx, tx, userID, hidden, category, g.ChosenAt)
}

// takeLinks gives a payment and a transfer back to the row of which they were, as far as they are still with the other one. touched are the rows whose pairs
// change.
func takeLinks(ctx context.Context, tx *sqlite.Tx, from, hidden int64, g gift, touched map[int64]bool) error {
	if p := g.Payment; p != nil {
		_, err := tx.ExecContext(ctx, `UPDATE payment_booking SET booked_id = $1
			WHERE booked_id = $2 AND EXISTS (SELECT 1 FROM payment_booking given WHERE given.booked_id = $2 AND given.payment_id = $3 AND given.position = $4 AND given.execution = $5)`,
			hidden, from, p.ID, p.Position, p.Execution)
		if err != nil {
			return err
		}
	}
	t := g.Transfer
	if t == nil {
		return nil
	}
	touched[t.Other] = true
	for _, query := range []string{
		`UPDATE own_transfer SET out_id = $1 WHERE out_id = $2 AND in_id = $3 AND state = $4`,
		`UPDATE own_transfer SET in_id = $1 WHERE in_id = $2 AND out_id = $3 AND state = $4`,
	} {
		if _, err := tx.ExecContext(ctx, query, hidden, from, t.Other, t.State); err != nil {
			return err
		}
	}
	if t.State == finance.TransferFound {
		return nil
	}
	// What a person said of it, and what gave way to what a person said of the other row.
	_, err := tx.ExecContext(ctx, `INSERT INTO own_transfer (out_id, in_id, state)
		SELECT CASE WHEN own.minor < 0 THEN own.id ELSE partner.id END, CASE WHEN own.minor < 0 THEN partner.id ELSE own.id END, $1
		FROM booked_transaction own, booked_transaction partner WHERE own.id = $2 AND partner.id = $3 AND partner.sort_key >= 0
			AND NOT EXISTS (SELECT 1 FROM own_transfer held WHERE held.out_id IN ($2, $3) OR held.in_id IN ($2, $3))`, t.State, hidden, t.Other)
	return err
}

// rebalanceOf writes the balance of an account of the user anew when the user keeps it.
func rebalanceOf(ctx context.Context, tx *sqlite.Tx, userID, accountID string) error {
	a, err := keptAccount(ctx, tx, userID, accountID)
	if errors.Is(err, finance.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return rebalance(ctx, tx, a)
}

// parted undoes all merges of a row, because the row is about to be recognised as another one. It returns the rows that were merged, including the row
// itself, for mergeAll; none when it was not merged.
func parted(ctx context.Context, tx *sqlite.Tx, userID string, id int64) (rows []int64, err error) {
	into := id
	err = tx.QueryRowContext(ctx, `SELECT twin.into_id FROM transaction_merge twin WHERE twin.hidden_id = $1`, id).Scan(&into)
	if err = notFound(err); err != nil && !errors.Is(err, finance.ErrNotFound) {
		return nil, err
	}
	merged, err := mergesInto(ctx, tx, into)
	if err != nil || len(merged) == 0 {
		return nil, err
	}
	for _, hidden := range merged {
		from, err := mergeSide(ctx, tx, userID, into)
		if err != nil {
			return nil, err
		}
		if err := separate(ctx, tx, userID, from, hidden); err != nil {
			return nil, err
		}
	}
	slices.Reverse(merged)
	return append([]int64{into}, merged...), nil
}

// mergeAll merges rows into the first of them, or the one into which that is merged.
func mergeAll(ctx context.Context, tx *sqlite.Tx, userID string, rows []int64) error {
	for i, id := range rows {
		err := tx.QueryRowContext(ctx, `SELECT COALESCE((SELECT twin.into_id FROM transaction_merge twin WHERE twin.hidden_id = $1), $1)`, id).Scan(&rows[i])
		if err != nil {
			return err
		}
		if rows[i] == rows[0] {
			continue
		}
		into, err := mergeSide(ctx, tx, userID, rows[0])
		if err != nil {
			return err
		}
		other, err := mergeSide(ctx, tx, userID, rows[i])
		if err != nil {
			return err
		}
		if err := hide(ctx, tx, userID, into, other); err != nil {
			return err
		}
	}
	return nil
}

// partFrom prepares the removal of rows of an account. A row that was merged into one of them and stays takes its place. It returns the rows in an order in
// which they can be deleted, and how many of them are shown in lists.
func partFrom(ctx context.Context, tx *sqlite.Tx, userID, accountID string, going []any) (ordered []any, listed int, err error) {
	type pair struct{ hidden, into int64 }
	pairs, err := collect(ctx, tx, func(row scanner) (p pair, err error) { return p, row.Scan(&p.hidden, &p.into) }, `SELECT twin.hidden_id, twin.into_id
		FROM transaction_merge twin JOIN booked_transaction t ON t.id = twin.into_id JOIN account a ON a.id = t.account_id
		WHERE a.id = $1 AND a.user_id = $2 ORDER BY twin.merged, twin.hidden_id`, accountID, userID)
	if err != nil {
		return nil, 0, err
	}
	goes, hasHeir := map[int64]bool{}, map[int64]bool{}
	for _, id := range going {
		goes[id.(int64)] = true
	}
	for _, p := range pairs {
		switch {
		case goes[p.hidden]:
			ordered = append(ordered, p.hidden)
			delete(goes, p.hidden)
		case goes[p.into] && !hasHeir[p.into]:
			hasHeir[p.into] = true
			if err := promote(ctx, tx, userID, accountID, p.into, p.hidden); err != nil {
				return nil, 0, err
			}
		}
	}
	for _, id := range going {
		if goes[id.(int64)] {
			ordered = append(ordered, id)
		}
	}
	return ordered, len(goes), nil
}

// promote puts a row that was merged into another one in the place of that one, which is about to go: with all that the person did to the one row that they
// were.
func promote(ctx context.Context, tx *sqlite.Tx, userID, accountID string, from, to int64) error {
	if err := keepRows(ctx, tx, accountID, from, to); err != nil {
		return err
	}
	if _, err := turnOver(ctx, tx, accountID, to); err != nil {
		return err
	}
	for _, query := range []string{
		`DELETE FROM transaction_merge WHERE hidden_id = $1 AND into_id = $2`,
		`UPDATE transaction_merge SET into_id = $1 WHERE into_id = $2`,
		`INSERT INTO rule_deed (transaction_id, rule_id, kind, value) SELECT $2, deed.rule_id, deed.kind, deed.value FROM rule_deed deed WHERE deed.transaction_id = $1
			ON CONFLICT DO NOTHING`,
		`DELETE FROM rule_deed WHERE transaction_id = $1 AND $2 <> $1`,
		`DELETE FROM transaction_note WHERE transaction_id = $1 AND $2 <> $1`,
		`DELETE FROM transaction_tag WHERE transaction_id = $1 AND $2 <> $1`,
		`DELETE FROM transaction_part WHERE transaction_id = $1 AND $2 <> $1`,
		`DELETE FROM category_edit WHERE transaction_id = $1 AND $2 <> $1`,
		`UPDATE category_edit SET transaction_id = $1 WHERE transaction_id = $2`,
		`UPDATE booked_transaction SET (reviewed, category_id, category_by, category_why, suggestion_id) = (SELECT t.reviewed, t.category_id, t.category_by, t.category_why, t.suggestion_id
			FROM booked_transaction t WHERE t.id = $2) WHERE id = $1`,
		`UPDATE payment_booking SET booked_id = $1 WHERE booked_id = $2`,
	} {
		if _, err := tx.ExecContext(ctx, query, to, from); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, `UPDATE account SET transactions = transactions + 1 WHERE id = $1 AND user_id = $2`, accountID, userID); err != nil {
		return err
	}
	touched := map[int64]bool{to: true}
	partners, err := partnersOf(ctx, tx, from)
	if err != nil {
		return err
	}
	for _, p := range partners {
		touched[p.(int64)] = true
	}
	if err := inherit(ctx, tx, to, from); err != nil {
		return err
	}
	if err := lookAgain(ctx, tx, []any{to}); err != nil {
		return err
	}
	return settle(ctx, tx, userID, touched)
}

// How far away in days a row lies at most that may be another one once more, how many are looked at, and how many are offered.
const (
	doubleDays    = 10
	readDoubles   = 200
	listedDoubles = 8
)

// Double is a row that may be the same transaction as another one.
type Double struct {
	finance.FoundRow
	Likely bool // finance.Double, and there is a reason: the rows come from different sources, or the bank lists one of them no longer
}

// Doubles lists rows in the account of a row of the user that may be the same transaction, the likeliest first: those near in time with its amount, and where
// the bank lists one of the two no longer, those with the same party and another amount.
func (s *Store) Doubles(ctx context.Context, userID string, id int64) (list []Double, err error) {
	defer doing("look for doubles", &err)
	type candidate struct {
		seenRow
		origin   string // id of the import that brought it; "bank", and "" for a hand
		unlisted bool
	}
	const columns = seenColumns + `, CASE WHEN t.seen_run > 0 THEN 'bank' ELSE COALESCE((SELECT ti.import_id FROM transaction_import ti WHERE ti.transaction_id = t.id), '') END, ` + unlisted
	scan := func(row scanner) (c candidate, err error) {
		c.seenRow, err = scanSeen(row, &c.origin, &c.unlisted)
		return c, err
	}
	err = s.db.Snapshot(ctx, func(at sqlite.Snapshot) error {
		row, err := scan(at.QueryRowContext(ctx, `SELECT `+columns+` FROM booked_transaction t JOIN account a ON a.id = t.account_id
			WHERE t.id = $1 AND a.user_id = $2 AND `+inList, id, userID))
		if err != nil {
			return notFound(err)
		}
		low, high := daysAround(row.Dates[0], row.Dates[0], doubleDays)
		near, err := collect(ctx, at, scan, `SELECT `+columns+` FROM account a JOIN booked_transaction own ON own.account_id = a.id AND own.id = $1
			CROSS JOIN booked_transaction t ON t.account_id = a.id AND t.sort_key BETWEEN $2 AND $3
			WHERE a.user_id = $4 AND t.id <> $1 AND t.currency = own.currency AND (t.minor = own.minor
				OR (t.minor < 0) = (own.minor < 0) AND (t.missing_since IS NULL) <> (own.missing_since IS NULL))
			ORDER BY ABS(t.sort_key - own.sort_key) LIMIT $5 + 0`, id, low, high, userID, readDoubles)
		if err != nil {
			return err
		}
		seen := make([]finance.SeenRow, len(near))
		for i, c := range near {
			seen[i] = c.SeenRow
		}
		for _, d := range finance.Doubles(row.SeenRow, seen) {
			if len(list) == listedDoubles {
				break
			}
			c := near[d.Index]
			found, err := scanFound(at.QueryRowContext(ctx, `SELECT `+rowColumns+`, t.account_id FROM booked_transaction t JOIN account a ON a.id = t.account_id
				WHERE t.id = $1 AND a.user_id = $2`, c.id, userID))
			if err != nil {
				return err
			}
			list = append(list, Double{found, d.Likely && (c.origin != row.origin || c.unlisted != row.unlisted)})
		}
		return nil
	})
	return list, err
}
