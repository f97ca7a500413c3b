-- +goose Up

-- Series of transactions that come again and again (package recurring), with what their rows tell and what a person says of them. What was found is found anew when rows
-- change; what a person chose stays, also while no row is left.
CREATE TABLE recurring_series (
    id          TEXT PRIMARY KEY,
    user_id     TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    payee_key   TEXT NOT NULL,
    choice      TEXT NOT NULL DEFAULT '' CHECK (choice IN ('', 'confirmed', 'dismissed')),
    name        TEXT NOT NULL DEFAULT '', -- '' is as the payee is called
    merged_into TEXT NOT NULL DEFAULT '' CHECK (merged_into <> id), -- the series as part of which a person sees it; '' when it stands alone
    last_row    INTEGER NOT NULL, -- the id of its last transaction
    rhythm      TEXT NOT NULL, -- FrequencyCode
    anchor      TEXT NOT NULL, -- the facts of recurring.Facts from here on
    month_day   INTEGER NOT NULL,
    shift       INTEGER NOT NULL,
    first_day   TEXT NOT NULL,
    last_day    TEXT NOT NULL,
    row_count   INTEGER NOT NULL,
    currency    TEXT NOT NULL,
    usual       INTEGER NOT NULL,
    low         INTEGER NOT NULL,
    high        INTEGER NOT NULL,
    steady      INTEGER NOT NULL CHECK (steady IN (0, 1)),
    was         INTEGER NOT NULL,
    since       TEXT NOT NULL
) STRICT;
CREATE INDEX recurring_series_payee ON recurring_series (user_id, payee_key);
CREATE INDEX recurring_series_merged ON recurring_series (merged_into) WHERE merged_into <> '';
CREATE TABLE recurring_row (
    transaction_id INTEGER PRIMARY KEY REFERENCES booked_transaction (id) ON DELETE CASCADE,
    series_id      TEXT NOT NULL REFERENCES recurring_series (id) ON DELETE CASCADE
) STRICT;
CREATE INDEX recurring_row_series ON recurring_row (series_id);

-- The payees whose rows are still to be looked at: those of all rows from an id on, and those of rows that changed.
CREATE TABLE recurring_backlog (
    from_id INTEGER NOT NULL
) STRICT;
INSERT INTO recurring_backlog (from_id) VALUES (0);
CREATE TABLE recurring_waiting (
    user_id   TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    payee_key TEXT NOT NULL,
    PRIMARY KEY (user_id, payee_key)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER recurring_changed AFTER UPDATE OF account_id, minor, currency, display_date, payee_key, missing_since ON booked_transaction
WHEN OLD.account_id <> NEW.account_id OR OLD.minor <> NEW.minor OR OLD.currency <> NEW.currency OR OLD.display_date <> NEW.display_date
    OR OLD.payee_key <> NEW.payee_key OR (OLD.missing_since IS NULL) <> (NEW.missing_since IS NULL) BEGIN
    INSERT OR IGNORE INTO recurring_waiting (user_id, payee_key) SELECT a.user_id, OLD.payee_key FROM account a WHERE a.id = OLD.account_id;
    INSERT OR IGNORE INTO recurring_waiting (user_id, payee_key) SELECT a.user_id, NEW.payee_key FROM account a WHERE a.id = NEW.account_id;
END;
-- Rows go with their account and its user, by the cascades of the schema.
CREATE TRIGGER recurring_gone BEFORE DELETE ON booked_transaction BEGIN
    INSERT OR IGNORE INTO recurring_waiting (user_id, payee_key) SELECT s.user_id, s.payee_key FROM recurring_row held JOIN recurring_series s ON s.id = held.series_id
        JOIN user u ON u.id = s.user_id WHERE held.transaction_id = OLD.id;
END;

-- The rows of a payee by day.
DROP INDEX booked_transaction_payee;
CREATE INDEX booked_transaction_payee ON booked_transaction (account_id, payee_key, sort_key);
