-- +goose Up

-- What forecasts told of a day to come: the balance of an account at its end, made on another day before. When the day has come, both are compared.
CREATE TABLE told_balance (
    account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    made       TEXT NOT NULL, -- 2026-11-22
    day        TEXT NOT NULL,
    minor      INTEGER NOT NULL,
    currency   TEXT NOT NULL,
    PRIMARY KEY (account_id, made)
) STRICT, WITHOUT ROWID;
