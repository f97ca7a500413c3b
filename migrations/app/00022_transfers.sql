-- +goose Up

-- Transfers between two accounts of one person: the row that went out, and the row that came in. A row belongs to one at most. Those that were found are taken back when they
-- no longer hold; those that a person paired, or refused, stay.
CREATE TABLE own_transfer (
    out_id INTEGER PRIMARY KEY REFERENCES booked_transaction (id) ON DELETE CASCADE,
    in_id  INTEGER NOT NULL UNIQUE REFERENCES booked_transaction (id) ON DELETE CASCADE,
    state  TEXT NOT NULL CHECK (state IN ('found', 'hand', 'refused')),
    CHECK (out_id <> in_id)
) STRICT;

-- Rows that are still to be looked at for transfers: all from an id on, and some more that changed.
CREATE TABLE transfer_backlog (
    from_id INTEGER NOT NULL
) STRICT;
INSERT INTO transfer_backlog (from_id) VALUES (0);
CREATE TABLE transfer_waiting (
    transaction_id INTEGER PRIMARY KEY REFERENCES booked_transaction (id) ON DELETE CASCADE
) STRICT;

-- When one side goes, by the cascades of the schema, the other one is looked at again.
CREATE TRIGGER own_transfer_over AFTER DELETE ON own_transfer BEGIN
    INSERT OR IGNORE INTO transfer_waiting (transaction_id) SELECT t.id FROM booked_transaction t WHERE t.id IN (OLD.out_id, OLD.in_id);
END;
