-- +goose Up

-- Who ended a consent before its time; expires is now the end of a consent, so that old rows can go.
ALTER TABLE bank_flow ADD COLUMN ended_by TEXT NOT NULL DEFAULT '' CHECK (ended_by IN ('', 'service', 'bank', 'user'));

UPDATE bank_flow SET expires = (SELECT MAX(session.consent_valid_until) FROM session WHERE session.consent_reference = bank_flow.id)
WHERE step = 'finished' AND EXISTS (SELECT 1 FROM session WHERE session.consent_reference = bank_flow.id);

UPDATE bank_flow SET ended_by = 'service' WHERE step = 'ended';

CREATE INDEX bank_flow_user ON bank_flow (aspsp_country, aspsp_name, username);
CREATE INDEX bank_flow_expires ON bank_flow (expires);
CREATE INDEX session_consent ON session (consent_reference) WHERE consent_reference IS NOT NULL;

-- How far the limit of unattended calls of a simulated bank is used up (api-notes 6): one unit comes back at a time,
-- and at full_at all of them are there.
CREATE TABLE bank_fetch (
    aspsp_name    TEXT NOT NULL,
    aspsp_country TEXT NOT NULL,
    reference     TEXT NOT NULL, -- the bank's own id of the account
    kind          TEXT NOT NULL CHECK (kind IN ('details', 'balances', 'transactions')),
    full_at       TEXT NOT NULL,
    PRIMARY KEY (aspsp_country, aspsp_name, reference, kind)
) STRICT;

CREATE INDEX bank_fetch_full_at ON bank_fetch (full_at);
