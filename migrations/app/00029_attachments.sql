-- +goose Up

-- The files that people keep with transactions. Their content lies in the folder attachments of the data directory, under the name file. Two rows name one file while
-- two transactions that are the same become one.
CREATE TABLE transaction_attachment (
    transaction_id INTEGER NOT NULL REFERENCES booked_transaction (id) ON DELETE CASCADE,
    file           TEXT NOT NULL,
    name           TEXT NOT NULL CHECK (name <> ''), -- as the person's computer called it
    type           TEXT NOT NULL, -- media type, by the content
    size           INTEGER NOT NULL CHECK (size > 0), -- bytes
    added          TEXT NOT NULL,
    PRIMARY KEY (transaction_id, file)
) STRICT, WITHOUT ROWID;
CREATE INDEX transaction_attachment_file ON transaction_attachment (file);

-- Files that no transaction has any more, in whatever way it went. The program removes them, and then the row here.
CREATE TABLE attachment_unused (
    file TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
CREATE TRIGGER transaction_attachment_gone AFTER DELETE ON transaction_attachment
WHEN NOT EXISTS (SELECT 1 FROM transaction_attachment other WHERE other.file = OLD.file) BEGIN
    INSERT INTO attachment_unused (file) VALUES (OLD.file) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER transaction_attachment_back AFTER INSERT ON transaction_attachment BEGIN
    DELETE FROM attachment_unused WHERE file = NEW.file;
END;
