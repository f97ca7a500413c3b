-- +goose Up

-- Two names that said nothing. How far the cancellation of a payment is was called its side, and the accounts that a second connection can read its reach.
ALTER TABLE payment RENAME COLUMN side TO cancellation;

ALTER TABLE account_reach RENAME TO shared_access;
DROP INDEX account_reach_connection;
CREATE INDEX shared_access_connection ON shared_access (connection_id);
