-- +goose Up

-- Which accounts their owners share, with whom, and how much of them. Without a reader_id it is everybody who uses this Florin, also those who join later.
CREATE TABLE account_share (
    account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    reader_id  TEXT REFERENCES user (id) ON DELETE CASCADE,
    level      TEXT NOT NULL CHECK (level IN ('balances', 'everything'))
) STRICT;
CREATE UNIQUE INDEX account_share_account ON account_share (account_id, COALESCE(reader_id, ''));
CREATE INDEX account_share_reader ON account_share (reader_id);

-- What user_id sees of accounts of others: the one place that decides it (ADR 0054). Of two shares the one with more counts, which is also the one that comes
-- later in the alphabet.
CREATE VIEW shared_account AS
SELECT reader.id AS user_id, a.id AS account_id, a.user_id AS owner_id, MAX(share.level) AS level
FROM account_share share
JOIN account a ON a.id = share.account_id
JOIN user reader ON reader.id <> a.user_id AND (share.reader_id IS NULL OR share.reader_id = reader.id)
GROUP BY reader.id, a.id;
