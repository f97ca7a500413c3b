-- +goose Up

-- What rows come to is kept by payee, too (store/sums.go, ADR 0046): by day beside the category, and by month in a table of its own, since most months are read without.
DROP TABLE day_sum;
CREATE TABLE day_sum (
    account_id   TEXT    NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    day          TEXT    NOT NULL, -- '' for rows without a date
    category_id  TEXT    NOT NULL, -- '' for none; 'transfer' for both sides of a transfer between two accounts of the person
    payee_key    TEXT    NOT NULL, -- categories.NameKey; '' for rows that name nobody
    currency     TEXT    NOT NULL,
    in_rows      INTEGER NOT NULL,
    in_millions  INTEGER NOT NULL,
    in_rest      INTEGER NOT NULL,
    out_rows     INTEGER NOT NULL,
    out_millions INTEGER NOT NULL, -- below zero, as out_rest
    out_rest     INTEGER NOT NULL,
    PRIMARY KEY (account_id, day, category_id, payee_key, currency)
) STRICT, WITHOUT ROWID;
CREATE TABLE payee_sum (
    account_id   TEXT    NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    month        TEXT    NOT NULL, -- its first day; '' for rows without a date
    category_id  TEXT    NOT NULL,
    payee_key    TEXT    NOT NULL CHECK (payee_key <> ''),
    currency     TEXT    NOT NULL,
    in_rows      INTEGER NOT NULL,
    in_millions  INTEGER NOT NULL,
    in_rest      INTEGER NOT NULL,
    out_rows     INTEGER NOT NULL,
    out_millions INTEGER NOT NULL,
    out_rest     INTEGER NOT NULL,
    PRIMARY KEY (account_id, month, category_id, payee_key, currency)
) STRICT, WITHOUT ROWID;

-- The rows that are there, as 00030 added them up. One that was merged into another does not count, nor one that its bank no longer lists, but where a bank still lists a row
-- that was merged into it.
DELETE FROM month_sum;
WITH paired (id) AS (
    SELECT out_id FROM own_transfer WHERE state <> 'refused' UNION SELECT in_id FROM own_transfer WHERE state <> 'refused'
), divided (id) AS (
    SELECT transaction_id FROM transaction_part EXCEPT SELECT id FROM paired
), piece (id, category_id, minor) AS (
    SELECT part.transaction_id, part.category_id, part.minor FROM transaction_part part WHERE part.transaction_id IN (SELECT id FROM divided)
    UNION ALL
    SELECT t.id, '', t.minor - (SELECT SUM(part.minor) FROM transaction_part part WHERE part.transaction_id = t.id) FROM booked_transaction t
    WHERE t.id IN (SELECT id FROM divided) AND t.minor <> (SELECT SUM(part.minor) FROM transaction_part part WHERE part.transaction_id = t.id)
), counted (id) AS (
    SELECT t.id FROM booked_transaction t WHERE t.sort_key >= 0 AND (t.missing_since IS NULL OR EXISTS (SELECT 1 FROM transaction_merge twin
        JOIN booked_transaction hidden ON hidden.id = twin.hidden_id WHERE twin.into_id = t.id AND hidden.missing_since IS NULL))
), share (account_id, day, category_id, payee_key, currency, incoming, minor) AS (
    SELECT account_id, display_date, CASE WHEN id IN (SELECT id FROM paired) THEN 'transfer' ELSE COALESCE(category_id, '') END, payee_key, currency, minor >= 0, minor
    FROM booked_transaction WHERE id IN (SELECT id FROM counted) AND id NOT IN (SELECT id FROM divided)
    UNION ALL
    SELECT t.account_id, t.display_date, piece.category_id, t.payee_key, t.currency, t.minor >= 0, SUM(piece.minor)
    FROM piece JOIN booked_transaction t ON t.id = piece.id WHERE t.id IN (SELECT id FROM counted) GROUP BY t.id, piece.category_id
)
INSERT INTO day_sum (account_id, day, category_id, payee_key, currency, in_rows, in_millions, in_rest, out_rows, out_millions, out_rest)
SELECT account_id, day, category_id, payee_key, currency,
    SUM(incoming), SUM(CASE WHEN incoming THEN minor / 1000000 ELSE 0 END), SUM(CASE WHEN incoming THEN minor % 1000000 ELSE 0 END),
    SUM(NOT incoming), SUM(CASE WHEN incoming THEN 0 ELSE minor / 1000000 END), SUM(CASE WHEN incoming THEN 0 ELSE minor % 1000000 END)
FROM share GROUP BY account_id, day, category_id, payee_key, currency;
INSERT INTO month_sum (account_id, month, category_id, currency, in_rows, in_millions, in_rest, out_rows, out_millions, out_rest)
SELECT account_id, CASE day WHEN '' THEN '' ELSE substr(day, 1, 8) || '01' END, category_id, currency,
    SUM(in_rows), SUM(in_millions), SUM(in_rest), SUM(out_rows), SUM(out_millions), SUM(out_rest)
FROM day_sum GROUP BY account_id, CASE day WHEN '' THEN '' ELSE substr(day, 1, 8) || '01' END, category_id, currency;
INSERT INTO payee_sum (account_id, month, category_id, payee_key, currency, in_rows, in_millions, in_rest, out_rows, out_millions, out_rest)
SELECT account_id, CASE day WHEN '' THEN '' ELSE substr(day, 1, 8) || '01' END, category_id, payee_key, currency,
    SUM(in_rows), SUM(in_millions), SUM(in_rest), SUM(out_rows), SUM(out_millions), SUM(out_rest)
FROM day_sum WHERE payee_key <> '' GROUP BY account_id, CASE day WHEN '' THEN '' ELSE substr(day, 1, 8) || '01' END, category_id, payee_key, currency;

-- A row is found by its exact payee and tags from now on: the marks for them are written when the program starts. Rows stay findable by everything else meanwhile.
INSERT OR IGNORE INTO transaction_unindexed (transaction_id) SELECT id FROM booked_transaction WHERE payee_key <> '' OR id IN (SELECT transaction_id FROM transaction_tag);
