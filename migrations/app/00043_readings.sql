-- +goose Up

-- Booked balances by day, with the moment at which they and the rows were read: what an account is proven complete by (package completeness). Of a day the first and the last
-- reading are kept, for some weeks.
CREATE TABLE balance_reading (
    account_id TEXT    NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    day        TEXT    NOT NULL, -- at whose end the balance is true, or as far as the bank had come
    taken      TEXT    NOT NULL,
    type       TEXT    NOT NULL,
    minor      INTEGER NOT NULL,
    currency   TEXT    NOT NULL,
    pending    INTEGER NOT NULL, -- what the rows came to that were not booked
    PRIMARY KEY (account_id, day, taken)
) STRICT, WITHOUT ROWID;

-- Rows by the day on which they were booked, for the sums beside the balances.
CREATE INDEX booked_transaction_booked ON booked_transaction (account_id, CASE booking_date WHEN '' THEN display_date ELSE booking_date END);

-- The balances that are there, where the rows were read with them.
INSERT OR IGNORE INTO balance_reading (account_id, day, taken, type, minor, currency, pending)
SELECT b.account_id, min(b.reference_date, substr(b.fetched, 1, 10)), max(b.fetched, k.last_success_at), b.type, b.minor, b.currency,
    COALESCE((SELECT SUM(p.minor) FROM pending_transaction p WHERE p.account_id = a.id AND p.run = a.pending_run AND p.currency = b.currency), 0)
FROM balance b JOIN account a ON a.id = b.account_id JOIN sync_task k ON k.account_id = a.id AND k.scope = 'transactions'
WHERE b.type IN ('CLBD', 'ITBD', 'PRCD') AND b.currency = a.currency AND b.reference_date > date(b.fetched, '-35 days') AND k.in_run = 0
    AND abs(julianday(k.last_success_at) - julianday(b.fetched)) < 15 / 1440.0;
