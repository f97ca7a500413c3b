-- +goose Up

-- The rows that the last run missed are looked for once more by the next one.
CREATE INDEX booked_transaction_missing ON booked_transaction (account_id, missing_since) WHERE missing_since IS NOT NULL;

-- One row dated 1970 made a run judge rows of years which it had not asked for. A later run asks from ten days before the newest row, as it was then: what was marked
-- although it is older than that was never looked for.
UPDATE booked_transaction SET missing_since = NULL
WHERE missing_since IS NOT NULL AND display_date < (
    SELECT date(min(n.display_date, substr(booked_transaction.missing_since, 1, 10)), '-10 days') FROM booked_transaction n
    WHERE n.account_id = booked_transaction.account_id AND n.first_seen < booked_transaction.missing_since ORDER BY n.sort_key DESC LIMIT 1);
