-- +goose Up

-- A registered API client (spec: Application). Lists are JSON arrays, read and written as a whole.
CREATE TABLE application (
    id              TEXT NOT NULL PRIMARY KEY,
    name            TEXT NOT NULL CHECK (name <> ''),
    description     TEXT NOT NULL,
    environment     TEXT NOT NULL CHECK (environment IN ('PRODUCTION', 'SANDBOX')),
    redirect_urls   TEXT NOT NULL,
    webhook_origins TEXT NOT NULL,
    services        TEXT NOT NULL,
    gdpr_email      TEXT NOT NULL,
    privacy_url     TEXT NOT NULL,
    terms_url       TEXT NOT NULL,
    active          INTEGER NOT NULL CHECK (active IN (0, 1)),
    public_key      TEXT NOT NULL CHECK (public_key <> ''),
    created_at      TEXT NOT NULL
) STRICT;

-- An authorisation and the session that came of it: one row through its whole life (api-notes 5).
-- due is when time alone ends the present state; it is empty in the final ones.
CREATE TABLE session (
    authorization_id    TEXT NOT NULL PRIMARY KEY,
    session_id          TEXT UNIQUE,
    application_id      TEXT NOT NULL REFERENCES application (id),
    status              TEXT NOT NULL CHECK (status IN ('PENDING_AUTHORIZATION', 'RETURNED_FROM_BANK', 'AUTHORIZED',
                                                        'CANCELLED', 'INVALID', 'CLOSED', 'EXPIRED', 'REVOKED')),
    aspsp_name          TEXT NOT NULL,
    aspsp_country       TEXT NOT NULL,
    psu_type            TEXT NOT NULL CHECK (psu_type IN ('personal', 'business')),
    auth_method         TEXT NOT NULL,
    psu_id_hash         TEXT NOT NULL CHECK (length(psu_id_hash) = 64),
    accounts            TEXT NOT NULL, -- JSON: the accounts that were asked for
    balances            INTEGER NOT NULL CHECK (balances IN (0, 1)),
    transactions        INTEGER NOT NULL CHECK (transactions IN (0, 1)),
    valid_until         TEXT NOT NULL,
    state               TEXT NOT NULL,
    redirect_url        TEXT NOT NULL,
    language            TEXT NOT NULL,
    created             TEXT NOT NULL,
    page_expires        TEXT NOT NULL,
    bank_state_hash     TEXT NOT NULL UNIQUE CHECK (length(bank_state_hash) = 64),
    returned            TEXT, -- when the browser came back from the bank; it counts once
    code_hash           TEXT UNIQUE CHECK (length(code_hash) = 64),
    code_expires        TEXT,
    authorized          TEXT,
    closed              TEXT,
    consent_reference   TEXT,
    consent_valid_until TEXT,
    due                 TEXT,
    CHECK ((session_id IS NOT NULL) = (status IN ('AUTHORIZED', 'CLOSED', 'EXPIRED', 'REVOKED'))),
    CHECK ((authorized IS NOT NULL) = (status IN ('AUTHORIZED', 'CLOSED', 'EXPIRED', 'REVOKED'))),
    CHECK ((closed IS NOT NULL) = (status IN ('CLOSED', 'EXPIRED', 'REVOKED'))),
    CHECK ((due IS NOT NULL) = (status IN ('PENDING_AUTHORIZATION', 'RETURNED_FROM_BANK', 'AUTHORIZED'))),
    CHECK (status <> 'RETURNED_FROM_BANK' OR (code_hash IS NOT NULL AND code_expires IS NOT NULL)),
    CHECK (status NOT IN ('RETURNED_FROM_BANK', 'AUTHORIZED') OR (returned IS NOT NULL AND consent_reference IS NOT NULL AND consent_valid_until IS NOT NULL))
) STRICT;

CREATE INDEX session_due ON session (due) WHERE due IS NOT NULL;
CREATE INDEX session_application ON session (application_id);

-- An account of a session. Its uid is new in each session, and missing when nothing can be fetched.
CREATE TABLE session_account (
    authorization_id TEXT NOT NULL REFERENCES session (authorization_id),
    position         INTEGER NOT NULL,
    uid              TEXT UNIQUE,
    reference        TEXT NOT NULL,
    hash             TEXT NOT NULL,
    hashes           TEXT NOT NULL, -- JSON array, the main one first
    PRIMARY KEY (authorization_id, position)
) STRICT;
