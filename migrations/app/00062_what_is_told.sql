-- +goose Up

-- The last row of a person that was looked at for messages.
CREATE TABLE alert_seen (
    user_id        TEXT PRIMARY KEY REFERENCES user (id) ON DELETE CASCADE,
    transaction_id INTEGER NOT NULL
) STRICT;

-- The line under which the balance of an account is told, and whether it is under it.
CREATE TABLE alert_line (
    user_id    TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    minor      INTEGER NOT NULL,
    currency   TEXT NOT NULL,
    below      INTEGER NOT NULL DEFAULT 0 CHECK (below IN (0, 1)),
    PRIMARY KEY (user_id, account_id)
) STRICT;

-- Saved searches whose new rows are told.
CREATE TABLE alert_search (
    user_id   TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    search_id TEXT NOT NULL REFERENCES saved_search (id) ON DELETE CASCADE,
    PRIMARY KEY (user_id, search_id)
) STRICT;

-- Mails about consents are messages from now on: those that wait become some.
INSERT INTO alert (id, user_id, kind, key, facts, created)
SELECT m.id, m.user_id, 'consent-ends', n.id, '{"connection":"' || n.connection_id || '","ends":"' || n.ends || '"}', m.created
FROM mail m JOIN notice n ON n.id = m.key AND n.user_id = m.user_id WHERE m.kind = 'consent-ends' AND m.state = 'waiting';
INSERT INTO message (id, user_id, alert_id, kind, channel, state, due, until, created)
SELECT m.id, m.user_id, m.id, 'consent-ends', 'mail', 'waiting', m.due, m.until, m.created
FROM mail m JOIN notice n ON n.id = m.key AND n.user_id = m.user_id WHERE m.kind = 'consent-ends' AND m.state = 'waiting';
DELETE FROM mail WHERE kind = 'consent-ends' AND state = 'waiting';
