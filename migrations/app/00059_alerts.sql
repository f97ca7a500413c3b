-- +goose Up

-- Where a person gets messages besides the pages and the mails (ADR 0061). The columns after kind are sealed.
CREATE TABLE alert_channel (
    user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    kind    TEXT NOT NULL CHECK (kind IN ('ntfy', 'webhook')),
    address TEXT NOT NULL,
    topic   TEXT NOT NULL,
    secret  TEXT NOT NULL,
    created TEXT NOT NULL,
    PRIMARY KEY (user_id, kind)
) STRICT;

-- What a person chose; without a row a kind is as finance.AlertKind.OnByDefault says.
CREATE TABLE alert_switch (
    user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    kind    TEXT NOT NULL,
    channel TEXT NOT NULL CHECK (channel IN ('mail', 'ntfy', 'webhook')),
    chosen  INTEGER NOT NULL CHECK (chosen IN (0, 1)),
    PRIMARY KEY (user_id, kind, channel)
) STRICT;

CREATE TABLE alert_setting (
    user_id        TEXT PRIMARY KEY REFERENCES user (id) ON DELETE CASCADE,
    details        INTEGER NOT NULL CHECK (details IN (0, 1)),
    zone           TEXT NOT NULL,
    quiet_from     INTEGER NOT NULL CHECK (quiet_from BETWEEN 0 AND 1439),
    quiet_until    INTEGER NOT NULL CHECK (quiet_until BETWEEN 0 AND 1439),
    cap            INTEGER NOT NULL CHECK (cap BETWEEN 1 AND 100),
    digest         TEXT NOT NULL CHECK (digest IN ('weekly', 'monthly')),
    above_minor    INTEGER NOT NULL,
    above_currency TEXT NOT NULL
) STRICT;

-- What has happened, once for each key.
CREATE TABLE alert (
    id      TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    kind    TEXT NOT NULL,
    key     TEXT NOT NULL,
    facts   TEXT NOT NULL, -- JSON: finance.AlertFacts
    created TEXT NOT NULL,
    UNIQUE (user_id, kind, key)
) STRICT;

-- An alert on its way on a channel: "sending" is stored before anybody is asked.
CREATE TABLE message (
    id       TEXT PRIMARY KEY,
    user_id  TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    alert_id TEXT NOT NULL REFERENCES alert (id) ON DELETE CASCADE,
    kind     TEXT NOT NULL, -- of the alert
    channel  TEXT NOT NULL CHECK (channel IN ('mail', 'ntfy', 'webhook')),
    state    TEXT NOT NULL CHECK (state IN ('waiting', 'sending', 'sent', 'failed', 'held')),
    reason   TEXT NOT NULL DEFAULT '',
    attempts INTEGER NOT NULL DEFAULT 0,
    due      TEXT NOT NULL,
    until    TEXT NOT NULL, -- later it is of no use
    created  TEXT NOT NULL,
    tried    TEXT, -- when it was last tried, or kept back because of the cap
    UNIQUE (alert_id, channel)
) STRICT;
CREATE INDEX message_due ON message (channel, due) WHERE state = 'waiting';
CREATE INDEX message_tried ON message (user_id, channel, tried);
