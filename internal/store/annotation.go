package store

import (
	"context"
	"errors"

	"florin/internal/finance"
	"florin/internal/sqlite"
)

// Annotation returns what the user keeps with a booked row, its tags in the order of the alphabet; nothing for the row of somebody else.
func (s *Store) Annotation(ctx context.Context, userID string, id int64) (a finance.Annotation, err error) {
	defer doing("read annotation", &err)
	err = s.db.Snapshot(ctx, func(at sqlite.Snapshot) error {
		err := at.QueryRowContext(ctx, `SELECT note.text FROM transaction_note note JOIN booked_transaction t ON t.id = note.transaction_id
			JOIN account a ON a.id = t.account_id WHERE t.id = $1 AND a.user_id = $2`, id, userID).Scan(&a.Note)
		if err = notFound(err); err != nil && !errors.Is(err, finance.ErrNotFound) {
			return err
		}
		a.Tags, err = collect(ctx, at, scanTag, `SELECT tag.tag FROM transaction_tag tag JOIN booked_transaction t ON t.id = tag.transaction_id
			JOIN account a ON a.id = t.account_id WHERE t.id = $1 AND a.user_id = $2 ORDER BY tag.tag`, id, userID)
		return err
	})
	return a, err
}

// Tags lists the tags that the user has given, in the order of the alphabet.
func (s *Store) Tags(ctx context.Context, userID string) (_ []string, err error) {
	defer doing("read tags", &err)
	return sqlite.Remember(ctx, s.db, sqlite.Key{"transaction_tag", userID}, func() ([]string, error) { return tagsOf(ctx, s.db.Read(), userID) })
}

// tagsOf begins with the tags: few rows have any.
func tagsOf(ctx context.Context, q querier, userID string) ([]string, error) {
	return collect(ctx, q, scanTag, `SELECT DISTINCT tag.tag FROM transaction_tag tag CROSS JOIN booked_transaction t ON t.id = tag.transaction_id
		CROSS JOIN account a ON a.id = t.account_id WHERE a.user_id = $1 AND `+inList+` ORDER BY tag.tag`, userID)
}

func scanTag(row scanner) (tag string, err error) { return tag, row.Scan(&tag) }

// Annotate replaces what the user keeps with a booked row. A tag that the user has given before keeps the capitals that it had then.
// finance.ErrNotFound for the row of somebody else.
func (s *Store) Annotate(ctx context.Context, userID, accountID string, id int64, a finance.Annotation) (err error) {
	defer doing("annotate transaction", &err)
	return s.edit(ctx, userID, accountID, id, func(tx *sqlite.Tx) error {
		known, err := tagsOf(ctx, tx, userID)
		if err != nil {
			return err
		}
		if err := setNote(ctx, tx, id, a.Note); err != nil {
			return err
		}
		tags := make([]string, 0, len(a.Tags))
		for _, tag := range a.Tags {
			tags = append(tags, asKnown(known, tag))
		}
		return setTags(ctx, tx, id, tags)
	})
}

// setNote replaces the note of a row; "" takes it away.
func setNote(ctx context.Context, tx *sqlite.Tx, id int64, note string) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM transaction_note WHERE transaction_id = $1`, id); err != nil || note == "" {
		return err
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO transaction_note (transaction_id, text) VALUES ($1, $2)`, id, note)
	return err
}

// setTags replaces the tags of a row.
func setTags(ctx context.Context, tx *sqlite.Tx, id int64, tags []string) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM transaction_tag WHERE transaction_id = $1`, id); err != nil {
		return err
	}
	for _, tag := range tags {
		if _, err := tx.ExecContext(ctx, `INSERT INTO transaction_tag (transaction_id, tag) VALUES ($1, $2)`, id, tag); err != nil {
			return err
		}
	}
	return nil
}

// Review records that the user has looked at a booked row, or wants to look at it again. finance.ErrNotFound for the row of somebody else.
func (s *Store) Review(ctx context.Context, userID, accountID string, id int64, reviewed bool) (err error) {
	defer doing("review transaction", &err)
	return s.edit(ctx, userID, accountID, id, func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE booked_transaction SET reviewed = $1 WHERE id = $2 AND account_id = $3`, flag(reviewed), id, accountID)
		return err
	})
}

// edit changes what the user has done to a booked row, and the words by which the row is found. finance.ErrNotFound for the row of somebody else.
func (s *Store) edit(ctx context.Context, userID, accountID string, id int64, change func(tx *sqlite.Tx) error) error {
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		var own bool
		err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM booked_transaction t JOIN account a ON a.id = t.account_id
			WHERE t.id = $1 AND a.id = $2 AND a.user_id = $3 AND `+inList+`)`, id, accountID, userID).Scan(&own)
		if err == nil && !own {
			err = finance.ErrNotFound
		}
		if err != nil {
			return err
		}
		if err := change(tx); err != nil {
			return err
		}
		return reindex(ctx, tx, []any{id})
	})
}

// doneToBoth is the first part of a condition: a rule did the same to row $1 and to row $2. If $1 no longer has the result, the person has removed it
// there.
const doneToBoth = `EXISTS (SELECT 1 FROM rule_deed deed JOIN rule_deed same ON same.rule_id = deed.rule_id AND same.kind = deed.kind AND same.value = deed.value
	WHERE deed.transaction_id = $1 AND same.transaction_id = $2 AND deed.kind = `

// giveParts and giveFiles copy the parts of row $2 to row $1, unless that is split, and its files.
const (
	giveParts = `INSERT INTO transaction_part (transaction_id, position, minor, category_id, note) SELECT $1, part.position, part.minor, part.category_id, part.note
		FROM transaction_part part WHERE part.transaction_id = $2 AND NOT EXISTS (SELECT 1 FROM transaction_part held WHERE held.transaction_id = $1)`
	giveFiles = `INSERT INTO transaction_attachment (transaction_id, file, name, type, size, added) SELECT $1, attachment.file, attachment.name, attachment.type,
		attachment.size, attachment.added FROM transaction_attachment attachment WHERE attachment.transaction_id = $2 ON CONFLICT DO NOTHING`
)

// inherit gives a row what the user has done to another one that is the same and will go. Both notes are kept, and the parts of the
// first when both are split.
func inherit(ctx context.Context, tx *sqlite.Tx, row, from int64) error {
	for _, query := range []string{
		`INSERT INTO transaction_note (transaction_id, text) SELECT $1, note.text FROM transaction_note note
			WHERE note.transaction_id = $2 AND NOT ` + doneToBoth + `'note' AND deed.value = note.text)
			ON CONFLICT (transaction_id) DO UPDATE SET text = transaction_note.text || char(10) || excluded.text`,
		`INSERT INTO transaction_tag (transaction_id, tag) SELECT $1, tag.tag FROM transaction_tag tag
			WHERE tag.transaction_id = $2 AND NOT ` + doneToBoth + `'tag' AND deed.value = tag.tag) ON CONFLICT DO NOTHING`,
		giveParts,
		`UPDATE booked_transaction SET reviewed = 1 WHERE id = $1 AND EXISTS (SELECT 1 FROM booked_transaction n WHERE n.id = $2 AND n.reviewed = 1)
			AND NOT ` + doneToBoth + `'reviewed')`,
		`INSERT INTO rule_deed (transaction_id, rule_id, kind, value) SELECT $1, deed.rule_id, deed.kind, deed.value FROM rule_deed deed WHERE deed.transaction_id = $2
			ON CONFLICT DO NOTHING`,
		`UPDATE bulk_edit_row SET transaction_id = $1 WHERE transaction_id = $2 AND NOT EXISTS (
			SELECT 1 FROM bulk_edit_row held WHERE held.edit_id = bulk_edit_row.edit_id AND held.transaction_id = $1)`,
		giveFiles,
	} {
		if _, err := tx.ExecContext(ctx, query, row, from); err != nil {
			return err
		}
	}
	if _, err := giveExpense(ctx, tx, row, from); err != nil {
		return err
	}
	return inheritTransfer(ctx, tx, row, from)
}
