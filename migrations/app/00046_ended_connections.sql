-- +goose Up

-- The connection that brought an account which the person keeps now: it is recognised by it when the bank is linked again.
ALTER TABLE account ADD COLUMN former_connection TEXT REFERENCES connection (id) ON DELETE SET NULL;
CREATE INDEX account_former ON account (former_connection) WHERE former_connection IS NOT NULL;

-- Sessions that were ended here and are to be ended at their service: it is asked until it says so, or the consent has run out.
CREATE TABLE session_end (
    id            TEXT NOT NULL PRIMARY KEY,
    connection_id TEXT NOT NULL REFERENCES connection (id) ON DELETE CASCADE,
    session_id    TEXT NOT NULL, -- sealed
    until         TEXT NOT NULL, -- when the consent runs out
    due           TEXT NOT NULL, -- when the service is asked next; whoever asks moves it on first
    attempts      INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX session_end_connection ON session_end (connection_id);
