-- +goose Up

-- The currency into which sums are converted: a code of ISO 4217, or '' for that of most accounts.
ALTER TABLE user ADD COLUMN currency TEXT NOT NULL DEFAULT '' CHECK (currency = '' OR length(currency) = 3);

-- The reference rates of the European Central Bank, as people read them in from its files. There are some thousand days with some thirty currencies each: one row is a day.
CREATE TABLE reference_rate (
    user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    day     TEXT NOT NULL, -- 2026-11-20
    rates   TEXT NOT NULL, -- of one euro: codes, each with its value (rates.Day)
    PRIMARY KEY (user_id, day)
) STRICT, WITHOUT ROWID;

-- Rates that people typed: on a day, one unit of base is value units of quote.
CREATE TABLE own_rate (
    id      TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    base    TEXT NOT NULL CHECK (length(base) = 3),
    quote   TEXT NOT NULL CHECK (length(quote) = 3 AND quote <> base),
    day     TEXT NOT NULL,
    value   TEXT NOT NULL,
    UNIQUE (user_id, day, base, quote)
) STRICT, WITHOUT ROWID;
