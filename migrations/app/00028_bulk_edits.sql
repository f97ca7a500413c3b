-- +goose Up

-- Changes of many transactions at once, which can be undone.
CREATE TABLE bulk_edit (
    id       TEXT NOT NULL PRIMARY KEY,
    user_id  TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    state    TEXT NOT NULL CHECK (state IN ('draft', 'running', 'done', 'undoing', 'undone', 'dropped')),
    change   TEXT NOT NULL, -- finance.BulkChange as JSON
    search   TEXT NOT NULL, -- the search whose rows were chosen
    chosen   INTEGER NOT NULL DEFAULT 0, -- rows; 0 until all of them are in bulk_edit_row
    changed  INTEGER NOT NULL DEFAULT 0,
    no_room  INTEGER NOT NULL DEFAULT 0,
    restored INTEGER NOT NULL DEFAULT 0,
    edited   INTEGER NOT NULL DEFAULT 0,
    begun    TEXT NOT NULL,
    ended    TEXT
) STRICT;
CREATE INDEX bulk_edit_user ON bulk_edit (user_id, begun);
CREATE INDEX bulk_edit_open ON bulk_edit (begun) WHERE state IN ('running', 'undoing', 'dropped');

-- The rows of a bulk edit: those still to be changed, and those changed with what was before. A row that did not change is not kept.
CREATE TABLE bulk_edit_row (
    edit_id        TEXT    NOT NULL REFERENCES bulk_edit (id) ON DELETE CASCADE,
    transaction_id INTEGER NOT NULL REFERENCES booked_transaction (id) ON DELETE CASCADE,
    before         TEXT, -- JSON of what the bulk edit changed about the row; NULL: still to be changed
    PRIMARY KEY (edit_id, transaction_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX bulk_edit_row_transaction ON bulk_edit_row (transaction_id);
CREATE INDEX bulk_edit_row_waiting ON bulk_edit_row (edit_id, transaction_id) WHERE before IS NULL;

-- What was remembered for a creditor, an account or a name before a bulk edit taught another category; '' for nothing.
CREATE TABLE bulk_edit_lesson (
    edit_id     TEXT    NOT NULL REFERENCES bulk_edit (id) ON DELETE CASCADE,
    kind        TEXT    NOT NULL,
    outgoing    INTEGER NOT NULL CHECK (outgoing IN (0, 1)),
    lesson_key  TEXT    NOT NULL,
    category_id TEXT    NOT NULL,
    PRIMARY KEY (edit_id, kind, outgoing, lesson_key)
) STRICT, WITHOUT ROWID;

-- Payees whose other rows are still to be decided anew.
CREATE TABLE bulk_edit_payee (
    edit_id   TEXT    NOT NULL REFERENCES bulk_edit (id) ON DELETE CASCADE,
    payee_key TEXT    NOT NULL,
    after_id  INTEGER NOT NULL DEFAULT 0, -- the last row that was decided
    PRIMARY KEY (edit_id, payee_key)
) STRICT, WITHOUT ROWID;
