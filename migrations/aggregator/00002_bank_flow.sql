-- +goose Up

-- One visit of a PSU to a simulated bank's own site and, once it is finished, the consent at that bank:
-- the state of the banks, not of the service.
CREATE TABLE bank_flow (
    id            TEXT NOT NULL PRIMARY KEY,
    aspsp_name    TEXT NOT NULL,
    aspsp_country TEXT NOT NULL,
    request       TEXT NOT NULL, -- JSON: what the service asked for
    step          TEXT NOT NULL CHECK (step IN ('sign_in', 'otp', 'approval', 'approved', 'finished', 'declined', 'blocked', 'ended')),
    username      TEXT NOT NULL,
    failures      INTEGER NOT NULL CHECK (failures >= 0),
    accounts      TEXT NOT NULL, -- JSON: references of the accounts that were approved
    code_hash     TEXT UNIQUE CHECK (length(code_hash) = 64),
    created       TEXT NOT NULL,
    expires       TEXT NOT NULL,
    CHECK ((code_hash IS NOT NULL) = (step IN ('approved', 'finished', 'ended')))
) STRICT;
