-- +goose Up

-- What a link is meant to be: the renewal of a connection, or another person's login; neither when the user was not asked.
ALTER TABLE link_attempt ADD COLUMN renews TEXT REFERENCES connection (id) ON DELETE SET NULL;
ALTER TABLE link_attempt ADD COLUMN another INTEGER NOT NULL DEFAULT 0 CHECK (another IN (0, 1));

-- Connections that reach an account which another connection keeps: a joint account is there once, whoever brings it.
CREATE TABLE account_reach (
    account_id    TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    connection_id TEXT NOT NULL REFERENCES connection (id) ON DELETE CASCADE,
    uid           TEXT NOT NULL, -- of the connection's present session
    PRIMARY KEY (account_id, connection_id)
) STRICT;
CREATE INDEX account_reach_connection ON account_reach (connection_id);

-- An account in the result of a link can be one that another connection keeps.
CREATE TABLE link_account_new (
    attempt_id TEXT NOT NULL REFERENCES link_attempt (id) ON DELETE CASCADE,
    account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    position   INTEGER NOT NULL,
    outcome    TEXT NOT NULL CHECK (outcome IN ('new', 'recognised', 'shared', 'not_accessible', 'left_out')),
    PRIMARY KEY (attempt_id, account_id)
) STRICT;
INSERT INTO link_account_new (attempt_id, account_id, position, outcome)
SELECT attempt_id, account_id, position, outcome FROM link_account;
DROP TABLE link_account;
ALTER TABLE link_account_new RENAME TO link_account;
