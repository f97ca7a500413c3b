-- +goose Up

-- The parts of a transaction that was for several things. They add up to its amount when a person splits it; its own category stays beside them, and is shown
-- again when the split is taken back.
CREATE TABLE transaction_part (
    transaction_id INTEGER NOT NULL REFERENCES booked_transaction (id) ON DELETE CASCADE,
    position       INTEGER NOT NULL CHECK (position > 0),
    minor          INTEGER NOT NULL CHECK (minor <> 0), -- in the currency of the transaction; below zero is money out
    category_id    TEXT NOT NULL, -- '' for none
    note           TEXT NOT NULL,
    PRIMARY KEY (transaction_id, position)
) STRICT, WITHOUT ROWID;
