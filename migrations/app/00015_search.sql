-- +goose Up

-- One list of all booked rows. A sort key is a place in it, unique in the whole database; it was unique in its account only. The rows of a day get new keys around the
-- middle of the day's range (finance.SortRange), in the order that they have within their accounts.
DROP INDEX booked_transaction_page;
UPDATE booked_transaction SET sort_key = placed.sort_key
FROM (
    SELECT id, ((sort_key >> 24) << 24) + 8388608 - COUNT(*) OVER (PARTITION BY sort_key >> 24) / 2
        + ROW_NUMBER() OVER (PARTITION BY sort_key >> 24 ORDER BY account_id, sort_key) - 1 AS sort_key
    FROM booked_transaction
) placed WHERE placed.id = booked_transaction.id;
CREATE UNIQUE INDEX booked_transaction_page ON booked_transaction (account_id, sort_key);
CREATE UNIQUE INDEX booked_transaction_order ON booked_transaction (sort_key);

-- What is known of a row beside what the bank says.
ALTER TABLE booked_transaction ADD COLUMN category_id TEXT;
ALTER TABLE booked_transaction ADD COLUMN category_by TEXT NOT NULL DEFAULT ''; -- what decided: hand, rule, transfer, creditor, account, name, words, merchant, mcc, code
ALTER TABLE booked_transaction ADD COLUMN category_why TEXT NOT NULL DEFAULT ''; -- its evidence: the id of a rule, an IBAN, a merchant, a word
ALTER TABLE booked_transaction ADD COLUMN suggestion_id TEXT; -- a category that is not sure enough to be set
ALTER TABLE booked_transaction ADD COLUMN reviewed INTEGER NOT NULL DEFAULT 0 CHECK (reviewed IN (0, 1));
ALTER TABLE booked_transaction ADD COLUMN payee TEXT NOT NULL DEFAULT ''; -- the clean name of the counterparty; '' is as the bank wrote it
UPDATE booked_transaction SET reviewed = 1; -- only what comes from now on is to be looked at

CREATE TABLE transaction_note (
    transaction_id INTEGER PRIMARY KEY REFERENCES booked_transaction (id) ON DELETE CASCADE,
    text           TEXT NOT NULL CHECK (text <> '')
) STRICT;

CREATE TABLE transaction_tag (
    transaction_id INTEGER NOT NULL REFERENCES booked_transaction (id) ON DELETE CASCADE,
    tag            TEXT NOT NULL CHECK (tag <> ''),
    PRIMARY KEY (transaction_id, tag)
) STRICT, WITHOUT ROWID;

-- The words by which rows are found (package search): one document for each booked row, under its sort key. The program makes the words; the tokenizer only splits them at
-- spaces. Rows that are there already wait in transaction_unindexed until the program starts.
CREATE VIRTUAL TABLE transaction_search USING fts5 (
    payee, text, note, tags, numbers, amount, day, marks,
    content = '', contentless_delete = 1, prefix = '2 3 4', tokenize = 'ascii'
);
CREATE TABLE transaction_unindexed (
    transaction_id INTEGER PRIMARY KEY REFERENCES booked_transaction (id) ON DELETE CASCADE
) STRICT;
INSERT INTO transaction_unindexed (transaction_id) SELECT id FROM booked_transaction;

-- Rows go with their account and its user, by the cascades of the schema; their documents go with them.
CREATE TRIGGER booked_transaction_unsearchable AFTER DELETE ON booked_transaction BEGIN
    DELETE FROM transaction_search WHERE rowid = OLD.sort_key;
END;
