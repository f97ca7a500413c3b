-- +goose Up

-- What a person wants done with all transactions of a kind (package categories).
CREATE TABLE transaction_rule (
    id           TEXT PRIMARY KEY,
    user_id      TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    position     INTEGER NOT NULL, -- the smallest is tried first
    switched_off INTEGER NOT NULL DEFAULT 0 CHECK (switched_off IN (0, 1)),
    conditions   TEXT NOT NULL, -- JSON of categories.Conditions
    actions      TEXT NOT NULL  -- JSON of categories.Actions
) STRICT;
CREATE INDEX transaction_rule_order ON transaction_rule (user_id, position);

-- What rules did to rows once: gave a tag, wrote a note, marked them as reviewed. It is never done again, so that what a person takes away stays away.
CREATE TABLE rule_deed (
    transaction_id INTEGER NOT NULL REFERENCES booked_transaction (id) ON DELETE CASCADE,
    rule_id        TEXT NOT NULL REFERENCES transaction_rule (id) ON DELETE CASCADE,
    kind           TEXT NOT NULL CHECK (kind IN ('tag', 'note', 'reviewed')),
    value          TEXT NOT NULL, -- the tag or the note
    PRIMARY KEY (transaction_id, rule_id, kind, value)
) STRICT, WITHOUT ROWID;
CREATE INDEX rule_deed_rule ON rule_deed (rule_id);

-- The names that a person gave to the other sides of transactions. Two with one name are one.
CREATE TABLE counterparty_name (
    user_id  TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    name_key TEXT NOT NULL, -- of the name in whose place it stands (categories.NameKey)
    was      TEXT NOT NULL, -- that name
    name     TEXT NOT NULL CHECK (name <> ''),
    PRIMARY KEY (user_id, name_key)
) STRICT, WITHOUT ROWID;

-- Accounts whose rows are decided anew in the background, newest first, and how far that has come.
CREATE TABLE decision_backlog (
    account_id TEXT PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
    before_key INTEGER NOT NULL -- the rows with smaller sort keys still wait
) STRICT;
INSERT INTO decision_backlog (account_id, before_key) SELECT id, 9223372036854775807 FROM account WHERE EXISTS (SELECT 1 FROM category_backlog);
DROP TABLE category_backlog;

ALTER TABLE pending_transaction ADD COLUMN payee TEXT NOT NULL DEFAULT ''; -- as in booked_transaction
