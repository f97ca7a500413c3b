-- +goose Up

-- What a bank said of a booked row before it changed it, the newest with the highest number. Only the last ones are kept.
CREATE TABLE transaction_change (
    transaction_id       INTEGER NOT NULL REFERENCES booked_transaction (id) ON DELETE CASCADE,
    number               INTEGER NOT NULL,
    changed              TEXT NOT NULL,
    minor                INTEGER NOT NULL,
    currency             TEXT NOT NULL,
    display_date         TEXT NOT NULL,
    booking_date         TEXT NOT NULL,
    value_date           TEXT NOT NULL,
    counterparty         TEXT NOT NULL,
    counterparty_account TEXT NOT NULL,
    remittance           TEXT NOT NULL,
    PRIMARY KEY (transaction_id, number)
) STRICT, WITHOUT ROWID;
