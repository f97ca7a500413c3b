-- +goose Up

-- What a person has changed about the starting set of categories (package categories), and the person's own ones.
CREATE TABLE category (
    user_id     TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    id          TEXT NOT NULL, -- of the starting set, or made up
    section     TEXT NOT NULL, -- categories.Group
    name        TEXT NOT NULL, -- '' is as the starting set has it
    archived    INTEGER NOT NULL DEFAULT 0 CHECK (archived IN (0, 1)),
    merged_into TEXT NOT NULL DEFAULT '' CHECK (merged_into <> id), -- the category under which its rows are shown; '' when not merged
    PRIMARY KEY (user_id, id)
) STRICT, WITHOUT ROWID;

-- What a person chose for a creditor, an account or a name: the last choice by hand. New rows of the same get it.
CREATE TABLE category_lesson (
    user_id     TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    kind        TEXT NOT NULL CHECK (kind IN ('creditor', 'account', 'name')),
    outgoing    INTEGER NOT NULL CHECK (outgoing IN (0, 1)),
    lesson_key  TEXT NOT NULL,
    category_id TEXT NOT NULL,
    PRIMARY KEY (user_id, kind, outgoing, lesson_key)
) STRICT, WITHOUT ROWID;

-- Choices by hand in the order of time, one for a row: the last. From them the page counts how often Florin would have been right.
CREATE TABLE category_edit (
    transaction_id INTEGER PRIMARY KEY REFERENCES booked_transaction (id) ON DELETE CASCADE,
    user_id        TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    edited         TEXT NOT NULL
) STRICT;
CREATE INDEX category_edit_user ON category_edit (user_id, edited);

-- The name of the payee by which rows of one payee are equal (categories.Key); '' when nobody is named.
ALTER TABLE booked_transaction ADD COLUMN payee_key TEXT NOT NULL DEFAULT '';
CREATE INDEX booked_transaction_payee ON booked_transaction (account_id, payee_key);

-- The rows that were there before Florin knew categories, from the id on; they are decided in the background.
CREATE TABLE category_backlog (
    from_id INTEGER NOT NULL
) STRICT;
INSERT INTO category_backlog (from_id) SELECT 0 WHERE EXISTS (SELECT 1 FROM booked_transaction);
