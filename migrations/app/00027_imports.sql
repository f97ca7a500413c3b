-- +goose Up

-- Files whose rows went into accounts, and the rows that each of them brought.
CREATE TABLE statement_import (
    id         TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    file_name  TEXT NOT NULL,
    format     TEXT NOT NULL,
    brought    INTEGER NOT NULL,
    created    TEXT NOT NULL,
    undone     TEXT
) STRICT;
CREATE INDEX statement_import_account ON statement_import (account_id);

CREATE TABLE transaction_import (
    transaction_id INTEGER PRIMARY KEY REFERENCES booked_transaction (id) ON DELETE CASCADE,
    import_id      TEXT NOT NULL REFERENCES statement_import (id) ON DELETE CASCADE
) STRICT;
CREATE INDEX transaction_import_import ON transaction_import (import_id);

-- The file that a person has chosen and not imported yet: one at a time.
CREATE TABLE import_draft (
    user_id   TEXT PRIMARY KEY REFERENCES user (id) ON DELETE CASCADE,
    file_name TEXT NOT NULL,
    content   BLOB NOT NULL,
    settings  TEXT NOT NULL,
    created   TEXT NOT NULL
) STRICT;

-- What a person said of the columns of a table. It counts for the next file with the same columns.
CREATE TABLE import_mapping (
    user_id  TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    shape    TEXT NOT NULL, -- statementfile.Table.Shape
    settings TEXT NOT NULL,
    PRIMARY KEY (user_id, shape)
) STRICT, WITHOUT ROWID;
