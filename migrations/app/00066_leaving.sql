-- +goose Up

-- A session that is to be ended at its service outlives its connection, when the person whose it was leaves.
CREATE TABLE session_end_new (
    id            TEXT NOT NULL PRIMARY KEY,
    connection_id TEXT REFERENCES connection (id) ON DELETE SET NULL,
    provider_id   TEXT NOT NULL REFERENCES provider (id) ON DELETE CASCADE,
    session_id    TEXT NOT NULL, -- sealed
    until         TEXT NOT NULL, -- when the consent runs out
    due           TEXT NOT NULL, -- when the service is asked next; whoever asks moves it on first
    attempts      INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO session_end_new (id, connection_id, provider_id, session_id, until, due, attempts)
SELECT e.id, e.connection_id, c.provider_id, e.session_id, e.until, e.due, e.attempts FROM session_end e JOIN connection c ON c.id = e.connection_id;
DROP TABLE session_end;
ALTER TABLE session_end_new RENAME TO session_end;
CREATE INDEX session_end_connection ON session_end (connection_id);
CREATE INDEX session_end_provider ON session_end (provider_id);
