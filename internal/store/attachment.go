package store

import (
	"context"

	"florin/internal/finance"
	"florin/internal/sqlite"
)

const attachmentColumns = `attachment.file, attachment.name, attachment.type, attachment.size, attachment.added`

func scanAttachment(row scanner) (a finance.Attachment, err error) {
	var added sqlite.Time
	err = row.Scan(&a.ID, &a.Name, &a.Type, &a.Size, &added)
	a.Added = added.Time
	return a, err
}

// Attachments lists the files that the user keeps with a booked row, the oldest first; none for the row of somebody else.
func (s *Store) Attachments(ctx context.Context, userID string, id int64) (_ []finance.Attachment, err error) {
	defer doing("read attachments", &err)
	return collect(ctx, s.db.Read(), scanAttachment, `SELECT `+attachmentColumns+` FROM transaction_attachment attachment
		JOIN booked_transaction t ON t.id = attachment.transaction_id JOIN account a ON a.id = t.account_id
		WHERE t.id = $1 AND a.user_id = $2 ORDER BY attachment.added, attachment.file`, id, userID)
}

// Attachment returns one of the files that the user keeps with a booked row.
func (s *Store) Attachment(ctx context.Context, userID, accountID string, id int64, attachmentID string) (_ finance.Attachment, err error) {
	defer doing("read attachment", &err)
	a, err := scanAttachment(s.db.Read().QueryRowContext(ctx, `SELECT `+attachmentColumns+` FROM transaction_attachment attachment
		JOIN booked_transaction t ON t.id = attachment.transaction_id JOIN account a ON a.id = t.account_id
		WHERE attachment.file = $1 AND t.id = $2 AND a.id = $3 AND a.user_id = $4`, attachmentID, id, accountID, userID))
	return a, notFound(err)
}

// Attach keeps a file with a booked row. finance.ErrTooManyAttachments when the row, and finance.ErrAttachmentSpace when the user has no room for it.
func (s *Store) Attach(ctx context.Context, userID, accountID string, id int64, a finance.Attachment) (err error) {
	defer doing("attach file", &err)
	return s.edit(ctx, userID, accountID, id, func(tx *sqlite.Tx) error {
		var files, space int64
		err := tx.QueryRowContext(ctx, `SELECT (SELECT COUNT(*) FROM transaction_attachment own WHERE own.transaction_id = $1), (SELECT COALESCE(SUM(kept.size), 0)
			FROM (SELECT DISTINCT attachment.file, attachment.size FROM transaction_attachment attachment CROSS JOIN booked_transaction t
				ON t.id = attachment.transaction_id CROSS JOIN account a ON a.id = t.account_id WHERE a.user_id = $2) kept)`, id, userID).Scan(&files, &space)
		switch {
		case err != nil:
			return err
		case files >= finance.MaxAttachments:
			return finance.ErrTooManyAttachments
		case space+a.Size > finance.MaxAttachmentSpace:
			return finance.ErrAttachmentSpace
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO transaction_attachment (transaction_id, file, name, type, size, added) VALUES ($1, $2, $3, $4, $5, $6)`,
			id, a.ID, a.Name, a.Type, a.Size, sqlite.At(tx.Now))
		return err
	})
}

// Detach takes a file off a booked row, and off those that were merged into it. Its content is among UnusedAttachments then, unless another row has it.
func (s *Store) Detach(ctx context.Context, userID, accountID string, id int64, attachmentID string) (err error) {
	defer doing("detach file", &err)
	return s.edit(ctx, userID, accountID, id, func(tx *sqlite.Tx) error {
		return changed(tx.ExecContext(ctx, `DELETE FROM transaction_attachment WHERE file = $2 AND (transaction_id = $1
			OR transaction_id IN (SELECT twin.hidden_id FROM transaction_merge twin WHERE twin.into_id = $1))`, id, attachmentID))
	})
}

// HasAttachment reports whether a booked row, whosever it is, has the file with an id.
func (s *Store) HasAttachment(ctx context.Context, id string) (has bool, err error) {
	defer doing("look for attachment", &err)
	err = s.db.Read().QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM transaction_attachment attachment WHERE attachment.file = $1)`, id).Scan(&has)
	return has, err
}

// UnusedAttachments returns ids of files that no booked row has any more, at most 100.
func (s *Store) UnusedAttachments(ctx context.Context) (_ []string, err error) {
	defer doing("read unused attachments", &err)
	return collect(ctx, s.db.Read(), func(row scanner) (id string, err error) { return id, row.Scan(&id) },
		`SELECT unused.file FROM attachment_unused unused ORDER BY unused.file LIMIT 100`)
}

// ForgetAttachments forgets files that no booked row has: their content is gone.
func (s *Store) ForgetAttachments(ctx context.Context, ids []string) (err error) {
	defer doing("forget attachments", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		for _, id := range ids {
			if _, err := tx.ExecContext(ctx, `DELETE FROM attachment_unused WHERE file = $1`, id); err != nil {
				return err
			}
		}
		return nil
	})
}
