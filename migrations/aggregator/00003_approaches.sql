-- +goose Up

-- One run of an authorisation through the hosted pages, from the PSU's agreement on; another run replaces it.
CREATE TABLE visit (
    id               TEXT NOT NULL PRIMARY KEY,
    authorization_id TEXT NOT NULL UNIQUE REFERENCES session (authorization_id),
    method           TEXT NOT NULL, -- name of the bank's method
    reference        TEXT NOT NULL, -- the bank's handle of the authorisation; empty before the choice of the method
    CHECK (method = '' OR reference <> '')
) STRICT;

-- Credentials that came with POST /auth, sealed, until they are handed to the bank or the authorisation ends.
CREATE TABLE supplied_credentials (
    authorization_id TEXT NOT NULL PRIMARY KEY REFERENCES session (authorization_id),
    sealed           TEXT NOT NULL CHECK (sealed <> ''),
    autosubmit       INTEGER NOT NULL CHECK (autosubmit IN (0, 1))
) STRICT;

-- A visit to a bank can begin with the service naming the user.
CREATE TABLE bank_flow_with_identify (
    id            TEXT NOT NULL PRIMARY KEY,
    aspsp_name    TEXT NOT NULL,
    aspsp_country TEXT NOT NULL,
    request       TEXT NOT NULL, -- JSON: what the service asked for
    step          TEXT NOT NULL CHECK (step IN ('identify', 'sign_in', 'otp', 'approval', 'approved', 'finished', 'declined', 'blocked', 'ended')),
    username      TEXT NOT NULL,
    failures      INTEGER NOT NULL CHECK (failures >= 0),
    accounts      TEXT NOT NULL, -- JSON: references of the accounts that were approved
    code_hash     TEXT UNIQUE CHECK (length(code_hash) = 64),
    created       TEXT NOT NULL,
    expires       TEXT NOT NULL,
    CHECK ((code_hash IS NOT NULL) = (step IN ('approved', 'finished', 'ended')))
) STRICT;

INSERT INTO bank_flow_with_identify (id, aspsp_name, aspsp_country, request, step, username, failures, accounts, code_hash, created, expires)
SELECT id, aspsp_name, aspsp_country, request, step, username, failures, accounts, code_hash, created, expires FROM bank_flow;

DROP TABLE bank_flow;

ALTER TABLE bank_flow_with_identify RENAME TO bank_flow;
