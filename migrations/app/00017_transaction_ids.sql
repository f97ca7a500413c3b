-- +goose Up

-- The highest id that a booked row ever had. A row that turns out to be one that was there already is deleted, and its id must not name another row later: a page that is
-- still open would change the wrong one.
CREATE TABLE transaction_sequence (
    last INTEGER NOT NULL
) STRICT;
INSERT INTO transaction_sequence (last) SELECT COALESCE(MAX(id), 0) FROM booked_transaction;
