package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"florin/internal/categories"
	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/search"
	"florin/internal/sqlite"
)

// document is a row as it stands in the index transaction_search (ADR 0043).
type document struct {
	id      int64 // of the row; not filled for new ones
	sortKey int64
	account string // as id
	row     search.Row
	shares  []finance.SplitPart              // how the row counts in sums; one is the whole row
	part    func(category string) search.Row // the row as if it had this category alone
}

// newDocument replaces what was stored under the same sort key. It is one row at a time: a statement with several makes FTS5 write its memory out before it.
var newDocument = `INSERT OR REPLACE INTO transaction_search (rowid, payee, text, note, tags, numbers, amount, day, marks) VALUES ` + tuples(1, 9)

// writeDocuments writes documents in the order of their keys: FTS5 keeps them in memory only while keys rise.
func writeDocuments(ctx context.Context, tx *sqlite.Tx, documents []document) error {
	slices.SortFunc(documents, func(a, b document) int { return cmp.Compare(a.sortKey, b.sortKey) })
	for _, d := range documents {
		values := []any{d.sortKey}
		for _, f := range search.Fields {
			values = append(values, d.row.Words(f))
		}
		marks := make([]string, 0, len(d.row.Marks))
		for _, m := range d.row.Marks {
			marks = append(marks, string(m))
		}
		values = append(values, string(search.SizeOf(d.row.Amount)), search.DayWord(d.row.Date), strings.Join(marks, " "))
		if _, err := tx.ExecContext(ctx, newDocument, values...); err != nil {
			return err
		}
	}
	return nil
}

// unindex removes the document under a key that a row no longer has.
func unindex(ctx context.Context, tx *sqlite.Tx, sortKey int64) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM transaction_search WHERE rowid = $1`, sortKey)
	return err
}

// kept is what Florin and the person know about a row in addition to the bank's data.
type kept struct {
	payee             string   // the name that lists show; "" when it is as the bank wrote it
	payeeKey          string   // its key (categories.NameKey); "" when nobody is named
	category          string   // "" for none
	split             []string // the categories of its shares instead, "" for one without (finance.Shares); nil when it is not split
	note              string   // with those of the parts
	tags              []string
	noted, attached   bool
	reviewed, payment bool
	transfer          bool // paired with the other side
}

// searchRow is what can be found of a row of an account. clean is the name that Florin gives to its payee.
func searchRow(accountID string, t finance.Transaction, clean string, references []string, k kept) search.Row {
	names := []string{t.Counterparty}
	if k.payee != "" { // a person or a rule may have named it: it is found by its own clean name all the same
		names = slices.Compact([]string{k.payee, clean, t.Counterparty})
	}
	r := search.Row{
		Payee: strings.Join(names, " "), Text: t.Remittance + " " + t.Kind, Note: k.note, Tags: k.tags,
		Numbers: append(slices.Clip(references), t.CounterpartyAccount), Amount: t.Amount, Date: t.Date,
		Marks: []search.Mark{search.AccountMark(accountID), search.FlowMark(t.Amount)},
	}
	if k.payeeKey != "" {
		r.Marks = append(r.Marks, search.PayeeMark(k.payeeKey))
	}
	for _, tag := range k.tags {
		r.Marks = append(r.Marks, search.TagMark(tag))
	}
	parts := k.split
	if parts == nil {
		parts = []string{k.category}
	}
	for _, category := range parts {
		if mark := search.CategoryMark(category); category != "" && !slices.Contains(r.Marks, mark) {
			r.Marks = append(r.Marks, mark)
		}
	}
	for mark, is := range map[search.Mark]bool{search.MarkToReview: !k.reviewed, search.MarkNote: k.noted, search.MarkPayment: k.payment,
		search.MarkCategorised: !slices.Contains(parts, ""), search.MarkSplit: k.split != nil, search.MarkAttachment: k.attached,
		search.MarkTransfer: k.transfer || !slices.ContainsFunc(parts, func(c string) bool { return c != categories.Transfer })} {
		if is {
			r.Marks = append(r.Marks, mark)
		}
	}
	return r
}

// reindex writes the documents of rows anew, and the sums of their days, by the ids of the rows: what the bank or the person says of them has changed. Those
// that were merged into others have none.
func reindex(ctx context.Context, tx *sqlite.Tx, ids []any) error {
	var days []accountDay
	for some := range slices.Chunk(ids, lookupRows) {
		documents, err := collect(ctx, tx, scanDocument, documentsQuery, padded(some)...)
		if err != nil {
			return err
		}
		if err := writeDocuments(ctx, tx, documents); err != nil {
			return err
		}
		for _, d := range documents {
			days = append(days, accountDay{d.account, d.row.Date})
		}
	}
	return recount(ctx, tx, days...)
}

var documentsQuery = `SELECT t.id, t.sort_key, t.account_id, t.minor, t.currency, t.display_date, t.counterparty, t.counterparty_account, t.remittance, t.kind, t.payee, t.payee_key,
		COALESCE(t.category_id, ''), t.reviewed, record.original, COALESCE(note.text, ''), COALESCE(` + partsColumn + `, ''),
		COALESCE((SELECT GROUP_CONCAT(part.note, ' ') FROM transaction_part part WHERE part.transaction_id = t.id), ''),
		COALESCE((SELECT GROUP_CONCAT(tag.tag, char(10)) FROM transaction_tag tag WHERE tag.transaction_id = t.id), ''),
		EXISTS (SELECT 1 FROM payment_booking booking WHERE booking.booked_id = t.id),
		` + pairedColumn + `,
		EXISTS (SELECT 1 FROM transaction_attachment attachment WHERE attachment.transaction_id = t.id)
	FROM booked_transaction t JOIN transaction_record record ON record.transaction_id = t.id LEFT JOIN transaction_note note ON note.transaction_id = t.id
	WHERE ` + inList + ` AND t.id IN ` + tuples(1, lookupRows)

func scanDocument(row scanner) (document, error) {
	var d document
	var t finance.Transaction
	var minor int64
	var currency, original string
	var k kept
	var parts, partNotes, tags string
	err := row.Scan(&d.id, &d.sortKey, &t.AccountID, &minor, &currency, &t.Date, &t.Counterparty, &t.CounterpartyAccount, &t.Remittance, &t.Kind, &k.payee,
		&k.payeeKey, &k.category, &k.reviewed, &original, &k.note, &parts, &partNotes, &tags, &k.payment, &k.transfer, &k.attached)
	if err != nil {
		return d, err
	}
	var wire openbanking.Transaction
	if err := json.Unmarshal([]byte(original), &wire); err != nil {
		return d, fmt.Errorf("record of the row at %d: %w", d.sortKey, err)
	}
	t.Amount = money.FromMinor(minor, currency)
	if d.shares, err = sharesOf(t.Amount, k.category, parts); err != nil {
		return d, err
	}
	if parts != "" {
		for _, share := range d.shares {
			k.split = append(k.split, share.Category)
		}
	}
	k.noted, k.note = k.note != "", k.note+" "+partNotes
	if tags != "" {
		k.tags = strings.Split(tags, "\n")
	}
	clean := ""
	if k.payee != "" {
		clean = categories.PayeeOf(categories.Facts{Name: t.Counterparty, Text: t.Remittance}).Name
	}
	references := finance.References(wire)
	d.account, d.row = t.AccountID, searchRow(t.AccountID, t, clean, references, k)
	d.part = func(category string) search.Row {
		one := k
		one.split = []string{category}
		return searchRow(t.AccountID, t, clean, references, one)
	}
	return d, nil
}

// How much one step of TendIndex does: another writer waits so long.
const (
	indexedRows = 500
	mergedPages = 100 // of 4 kB
)

// TendIndex writes the documents of rows that wait for theirs (transaction_unindexed), and then puts pieces of the index together: each page of a sync leaves
// one, and a search looks into all of them. It does some at a time. It is the work of a background loop: it returns when to be called again, never when there
// is nothing left.
func (s *Store) TendIndex(ctx context.Context) (next time.Time, err error) {
	defer doing("tend the search index", &err)
	ids, err := collect(ctx, s.db.Read(), scanID,
		`SELECT waiting.transaction_id FROM transaction_unindexed waiting ORDER BY waiting.transaction_id LIMIT $1`, indexedRows)
	if err != nil {
		return next, err
	}
	more := len(ids) > 0
	err = s.db.Write(ctx, func(tx *sqlite.Tx) (err error) {
		if !more {
			more, err = mergePieces(ctx, tx)
			return err
		}
		if err := reindex(ctx, tx, ids); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM transaction_unindexed WHERE transaction_id <= $1`, ids[len(ids)-1])
		return err
	})
	if err == nil && more {
		next = time.Now()
	}
	return next, err
}

// mergePieces does a step of putting pieces of the index together. It reports whether there was something to do: that changes more rows than the command
// itself. https://sqlite.org/fts5.html#the_merge_command
func mergePieces(ctx context.Context, tx *sqlite.Tx) (did bool, err error) {
	var before, after int64
	if err := tx.QueryRowContext(ctx, `SELECT total_changes()`).Scan(&before); err != nil {
		return false, err
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO transaction_search (transaction_search, rank) VALUES ('merge', $1)`, mergedPages); err != nil {
		return false, err
	}
	err = tx.QueryRowContext(ctx, `SELECT total_changes()`).Scan(&after)
	return after-before > 1, err
}

// Unindexed reports whether rows of a user wait for their place in the index: searches do not find them yet.
func (s *Store) Unindexed(ctx context.Context, userID string) (bool, error) {
	return s.Mine(userID).Unindexed(ctx)
}

// Unindexed is Store.Unindexed.
func (w Seen) Unindexed(ctx context.Context) (_ bool, err error) {
	defer doing("read what the index lacks", &err)
	if w.household {
		return w.store.some(ctx, "transaction_unindexed in household", unindexedRows+seenBy(true, "a", "$1"), w.userID)
	}
	return w.store.some(ctx, "transaction_unindexed", unindexedQuery, w.userID)
}

const (
	unindexedRows = `SELECT 1 FROM transaction_unindexed waiting CROSS JOIN booked_transaction t ON t.id = waiting.transaction_id
	CROSS JOIN account a ON a.id = t.account_id WHERE `
	unindexedQuery = unindexedRows + `a.user_id = $1`
)
