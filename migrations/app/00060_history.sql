-- +goose Up

-- Since when former states are kept (ADR 0063): one row.
CREATE TABLE history_start (
    began TEXT NOT NULL
) STRICT;
INSERT INTO history_start (began) VALUES (replace(CURRENT_TIMESTAMP, ' ', 'T') || '.000Z');

-- What a booked row said before it was changed, or before it went: from since until just before until. A row that is gone has no row in booked_transaction; its id
-- names no other one later. It goes with its account alone.
CREATE TABLE transaction_version (
    transaction_id       INTEGER NOT NULL,
    until                TEXT    NOT NULL,
    since                TEXT    NOT NULL,
    account_id           TEXT    NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    sort_key             INTEGER NOT NULL, -- below zero while it was merged into another row
    unlisted             INTEGER NOT NULL CHECK (unlisted IN (0, 1)), -- as the lists said it
    by_hand              INTEGER NOT NULL CHECK (by_hand IN (0, 1)), -- no bank had brought it
    minor                INTEGER NOT NULL,
    currency             TEXT    NOT NULL,
    display_date         TEXT    NOT NULL,
    booking_date         TEXT    NOT NULL,
    value_date           TEXT    NOT NULL,
    counterparty         TEXT    NOT NULL,
    payee                TEXT    NOT NULL,
    counterparty_account TEXT    NOT NULL,
    remittance           TEXT    NOT NULL,
    kind                 TEXT    NOT NULL,
    PRIMARY KEY (transaction_id, until)
) STRICT, WITHOUT ROWID;
CREATE INDEX transaction_version_account ON transaction_version (account_id, until);

-- Rows that are not booked: when Florin first showed them as they are now, and those that went.
ALTER TABLE pending_transaction ADD COLUMN since TEXT NOT NULL DEFAULT '';
UPDATE pending_transaction SET since = (SELECT began FROM history_start);
CREATE TABLE pending_version (
    account_id           TEXT    NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    until                TEXT    NOT NULL,
    identity             TEXT    NOT NULL,
    ordinal              INTEGER NOT NULL,
    since                TEXT    NOT NULL,
    status               TEXT    NOT NULL,
    minor                INTEGER NOT NULL,
    currency             TEXT    NOT NULL,
    amount               TEXT    NOT NULL,
    display_date         TEXT    NOT NULL,
    counterparty         TEXT    NOT NULL,
    counterparty_account TEXT    NOT NULL,
    remittance           TEXT    NOT NULL,
    kind                 TEXT    NOT NULL,
    PRIMARY KEY (account_id, until, identity, ordinal)
) STRICT, WITHOUT ROWID;

-- Balances as they were at the end of a day, until others came.
CREATE TABLE balance_version (
    account_id     TEXT    NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    until          TEXT    NOT NULL,
    position       INTEGER NOT NULL,
    type           TEXT    NOT NULL,
    name           TEXT    NOT NULL,
    minor          INTEGER NOT NULL,
    currency       TEXT    NOT NULL,
    amount         TEXT    NOT NULL,
    reference_date TEXT    NOT NULL,
    last_change    TEXT,
    fetched        TEXT    NOT NULL,
    PRIMARY KEY (account_id, until, position)
) STRICT, WITHOUT ROWID;

-- Which rows came when: those of the account with these ids. The first sync of an account and files are not among them.
CREATE TABLE transaction_arrival (
    account_id TEXT    NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    arrived    TEXT    NOT NULL,
    first_id   INTEGER NOT NULL,
    last_id    INTEGER NOT NULL,
    by_hand    INTEGER NOT NULL CHECK (by_hand IN (0, 1)), -- the person typed it
    PRIMARY KEY (account_id, arrived, first_id)
) STRICT, WITHOUT ROWID;

-- Up to when a person has looked at what is new on an account.
CREATE TABLE account_look (
    account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    user_id    TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    looked     TEXT NOT NULL,
    PRIMARY KEY (account_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX account_look_user ON account_look (user_id);
