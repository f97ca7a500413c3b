-- +goose Up

-- What booked rows come to, by account, day, category and currency, and by month: written together with the rows (store/sums.go, ADR 0046). In or out is the direction of a
-- row. Minor units are millions and the rest, which are added up apart: no sum is out of range. A split row counts once for each category of its parts.
CREATE TABLE day_sum (
    account_id   TEXT    NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    day          TEXT    NOT NULL, -- '' for rows without a date
    category_id  TEXT    NOT NULL, -- '' for none; 'transfer' for both sides of a transfer between two accounts of the person
    currency     TEXT    NOT NULL,
    in_rows      INTEGER NOT NULL,
    in_millions  INTEGER NOT NULL,
    in_rest      INTEGER NOT NULL,
    out_rows     INTEGER NOT NULL,
    out_millions INTEGER NOT NULL, -- below zero, as out_rest
    out_rest     INTEGER NOT NULL,
    PRIMARY KEY (account_id, day, category_id, currency)
) STRICT, WITHOUT ROWID;
CREATE TABLE month_sum (
    account_id   TEXT    NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    month        TEXT    NOT NULL, -- its first day; '' for rows without a date
    category_id  TEXT    NOT NULL,
    currency     TEXT    NOT NULL,
    in_rows      INTEGER NOT NULL,
    in_millions  INTEGER NOT NULL,
    in_rest      INTEGER NOT NULL,
    out_rows     INTEGER NOT NULL,
    out_millions INTEGER NOT NULL,
    out_rest     INTEGER NOT NULL,
    PRIMARY KEY (account_id, month, category_id, currency)
) STRICT, WITHOUT ROWID;

-- The rows that are there. What the parts of a row lack, or have too much, has no category.
WITH paired (id) AS (
    SELECT out_id FROM own_transfer WHERE state <> 'refused' UNION SELECT in_id FROM own_transfer WHERE state <> 'refused'
), divided (id) AS (
    SELECT transaction_id FROM transaction_part EXCEPT SELECT id FROM paired
), piece (id, category_id, minor) AS (
    SELECT part.transaction_id, part.category_id, part.minor FROM transaction_part part WHERE part.transaction_id IN (SELECT id FROM divided)
    UNION ALL
    SELECT t.id, '', t.minor - (SELECT SUM(part.minor) FROM transaction_part part WHERE part.transaction_id = t.id) FROM booked_transaction t
    WHERE t.id IN (SELECT id FROM divided) AND t.minor <> (SELECT SUM(part.minor) FROM transaction_part part WHERE part.transaction_id = t.id)
), share (account_id, day, category_id, currency, incoming, minor) AS (
    SELECT account_id, display_date, CASE WHEN id IN (SELECT id FROM paired) THEN 'transfer' ELSE COALESCE(category_id, '') END, currency, minor >= 0, minor
    FROM booked_transaction WHERE missing_since IS NULL AND id NOT IN (SELECT id FROM divided)
    UNION ALL
    SELECT t.account_id, t.display_date, piece.category_id, t.currency, t.minor >= 0, SUM(piece.minor)
    FROM piece JOIN booked_transaction t ON t.id = piece.id WHERE t.missing_since IS NULL GROUP BY t.id, piece.category_id
)
INSERT INTO day_sum (account_id, day, category_id, currency, in_rows, in_millions, in_rest, out_rows, out_millions, out_rest)
SELECT account_id, day, category_id, currency,
    SUM(incoming), SUM(CASE WHEN incoming THEN minor / 1000000 ELSE 0 END), SUM(CASE WHEN incoming THEN minor % 1000000 ELSE 0 END),
    SUM(NOT incoming), SUM(CASE WHEN incoming THEN 0 ELSE minor / 1000000 END), SUM(CASE WHEN incoming THEN 0 ELSE minor % 1000000 END)
FROM share GROUP BY account_id, day, category_id, currency;
INSERT INTO month_sum (account_id, month, category_id, currency, in_rows, in_millions, in_rest, out_rows, out_millions, out_rest)
SELECT account_id, CASE day WHEN '' THEN '' ELSE substr(day, 1, 8) || '01' END, category_id, currency,
    SUM(in_rows), SUM(in_millions), SUM(in_rest), SUM(out_rows), SUM(out_millions), SUM(out_rest)
FROM day_sum GROUP BY account_id, CASE day WHEN '' THEN '' ELSE substr(day, 1, 8) || '01' END, category_id, currency;

-- A row whose parts do not add up to it is found as one without a category from now on: its words are written anew when the program starts.
INSERT OR IGNORE INTO transaction_unindexed (transaction_id) SELECT t.id FROM booked_transaction t
WHERE t.id IN (SELECT transaction_id FROM transaction_part) AND t.minor <> (SELECT SUM(part.minor) FROM transaction_part part WHERE part.transaction_id = t.id);
