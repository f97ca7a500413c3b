-- +goose Up

-- Somebody with an account in the control panel. The address is kept in lower case.
CREATE TABLE developer (
    id         TEXT NOT NULL PRIMARY KEY,
    email      TEXT NOT NULL UNIQUE CHECK (email <> '' AND email = lower(email)),
    created_at TEXT NOT NULL
) STRICT;

-- A one-time link by e-mail, and every request for one, since they are counted. One that was refused expires at once.
CREATE TABLE sign_in_link (
    token_hash TEXT NOT NULL PRIMARY KEY CHECK (length(token_hash) = 64),
    email      TEXT NOT NULL,
    client     TEXT NOT NULL, -- network that asked
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    used_at    TEXT
) STRICT;

CREATE INDEX sign_in_link_created ON sign_in_link (created_at);

-- A browser that is signed in to the control panel.
CREATE TABLE developer_session (
    token_hash   TEXT NOT NULL PRIMARY KEY CHECK (length(token_hash) = 64),
    id           TEXT NOT NULL UNIQUE,
    developer_id TEXT NOT NULL REFERENCES developer (id),
    device       TEXT NOT NULL,
    created_at   TEXT NOT NULL,
    last_seen_at TEXT NOT NULL,
    expires_at   TEXT NOT NULL,
    revoked_at   TEXT
) STRICT;

CREATE INDEX developer_session_developer ON developer_session (developer_id);

-- A refresh token of the registration API. Each is used once; the second use of one ends its whole family.
CREATE TABLE refresh_token (
    token_hash   TEXT NOT NULL PRIMARY KEY CHECK (length(token_hash) = 64),
    family       TEXT NOT NULL,
    developer_id TEXT NOT NULL REFERENCES developer (id),
    created_at   TEXT NOT NULL,
    expires_at   TEXT NOT NULL,
    used_at      TEXT,
    revoked_at   TEXT
) STRICT;

CREATE INDEX refresh_token_family ON refresh_token (family);

-- Applications have owners, states and an address list. owner_id is empty for those of the operator.
ALTER TABLE application ADD COLUMN owner_id TEXT REFERENCES developer (id);
ALTER TABLE application ADD COLUMN status TEXT NOT NULL DEFAULT 'ACTIVE' CHECK (status IN ('PENDING', 'ACTIVE', 'PAUSED', 'DELETED'));
ALTER TABLE application ADD COLUMN restricted INTEGER NOT NULL DEFAULT 0 CHECK (restricted IN (0, 1));
ALTER TABLE application ADD COLUMN allowed_ips TEXT NOT NULL DEFAULT '[]';
UPDATE application SET status = 'PENDING' WHERE active = 0;
ALTER TABLE application DROP COLUMN active;

CREATE INDEX application_owner ON application (owner_id);

-- The keys that verify the tokens of an application: one, or two while one replaces the other.
CREATE TABLE application_key (
    id             TEXT NOT NULL PRIMARY KEY,
    application_id TEXT NOT NULL REFERENCES application (id),
    public_key     TEXT NOT NULL CHECK (public_key <> ''),
    created_at     TEXT NOT NULL,
    ended_at       TEXT
) STRICT;

CREATE INDEX application_key_application ON application_key (application_id);

INSERT INTO application_key (id, application_id, public_key, created_at)
SELECT id, id, public_key, created_at FROM application;
ALTER TABLE application DROP COLUMN public_key;

-- An account that the owner linked to the application.
CREATE TABLE own_account (
    application_id TEXT NOT NULL REFERENCES application (id),
    hash           TEXT NOT NULL,
    aspsp_name     TEXT NOT NULL,
    aspsp_country  TEXT NOT NULL,
    label          TEXT NOT NULL,
    linked_at      TEXT NOT NULL,
    PRIMARY KEY (application_id, hash)
) STRICT;

-- An authorisation that links own accounts: its way back leads to the control panel.
CREATE TABLE linking (
    authorization_id TEXT NOT NULL PRIMARY KEY REFERENCES session (authorization_id),
    developer_id     TEXT NOT NULL REFERENCES developer (id),
    state_hash       TEXT NOT NULL UNIQUE CHECK (length(state_hash) = 64)
) STRICT;

-- Calls of applications: never a body, a query string or a token.
CREATE TABLE request_log (
    application_id TEXT NOT NULL REFERENCES application (id),
    at             TEXT NOT NULL,
    request_id     TEXT NOT NULL,
    endpoint       TEXT NOT NULL,
    resource       TEXT NOT NULL,
    status         INTEGER NOT NULL,
    error          TEXT NOT NULL,
    aspsp_name     TEXT NOT NULL,
    aspsp_country  TEXT NOT NULL,
    latency        INTEGER NOT NULL CHECK (latency >= 0), -- microseconds
    PRIMARY KEY (application_id, at, request_id)
) STRICT;
