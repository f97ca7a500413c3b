-- +goose Up

-- Rows of which a person says that they are one transaction (ADR 0048). One of them stays; the other is kept for the next sync, which knows it by it, but is in no list: its
-- sort key is the negative of what it was. Whoever deletes a row into which another was merged decides first what becomes of that one: into_id has no cascade.
CREATE TABLE transaction_merge (
    hidden_id INTEGER PRIMARY KEY REFERENCES booked_transaction (id) ON DELETE CASCADE,
    into_id   INTEGER NOT NULL REFERENCES booked_transaction (id),
    gift      TEXT NOT NULL, -- JSON: what the row that stays got, to be taken back when the two are separated
    merged    TEXT NOT NULL,
    CHECK (hidden_id <> into_id)
) STRICT;
CREATE INDEX transaction_merge_into ON transaction_merge (into_id);
