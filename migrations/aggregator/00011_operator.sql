-- +goose Up

-- What opens the operator's pages of the control panel: links that a terminal printed, each good once, and the browsers that used one.
CREATE TABLE operator_access (
    token_hash TEXT NOT NULL PRIMARY KEY CHECK (length(token_hash) = 64),
    kind       TEXT NOT NULL CHECK (kind IN ('link', 'browser')),
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    ended_at   TEXT
) STRICT;
