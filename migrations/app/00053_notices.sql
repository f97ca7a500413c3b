-- +goose Up

-- The language of the browser at the last sign-in, for mails to people who have chosen none; NULL before the first sign-in.
ALTER TABLE user ADD COLUMN heard TEXT;
UPDATE user SET heard = '';

-- What people are told on their pages until they close it.
CREATE TABLE notice (
    id            TEXT PRIMARY KEY,
    user_id       TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    kind          TEXT NOT NULL,
    name          TEXT NOT NULL, -- of a device or a passkey; '' for none
    connection_id TEXT REFERENCES connection (id) ON DELETE CASCADE, -- whose consent ends
    ends          TEXT,
    days          INTEGER, -- before the end, from which on it is told
    created       TEXT NOT NULL,
    closed        TEXT
) STRICT;
CREATE INDEX notice_user ON notice (user_id, closed);
CREATE UNIQUE INDEX notice_consent ON notice (connection_id, ends, days) WHERE connection_id IS NOT NULL;

-- Mails to people: "sending" is stored before the mail server is asked, so that none is sent twice (ADR 0056).
CREATE TABLE mail (
    id       TEXT PRIMARY KEY,
    user_id  TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    kind     TEXT NOT NULL, -- of a notice, or 'reset-link' or 'test'
    key      TEXT NOT NULL, -- what it is about: the id of the notice, of the reset request, of the mail itself
    state    TEXT NOT NULL CHECK (state IN ('waiting', 'sending', 'sent', 'failed')),
    reason   TEXT NOT NULL DEFAULT '',
    attempts INTEGER NOT NULL DEFAULT 0,
    due      TEXT NOT NULL,
    until    TEXT NOT NULL, -- later it is of no use
    created  TEXT NOT NULL,
    tried    TEXT, -- when the mail server was last asked
    UNIQUE (user_id, kind, key)
) STRICT;
CREATE INDEX mail_due ON mail (due) WHERE state = 'waiting';

-- Addresses for which somebody asked for a link to set a new password: known ones and others, until the background work has looked at them.
CREATE TABLE reset_request (
    id      TEXT PRIMARY KEY,
    email   TEXT NOT NULL,
    created TEXT NOT NULL
) STRICT;
