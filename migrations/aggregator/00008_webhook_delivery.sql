-- +goose Up

-- When its owner asked for one more delivery of an event that was delivered or given up; open ones become due instead.
ALTER TABLE webhook ADD COLUMN resend TEXT;

CREATE INDEX webhook_resend ON webhook (resend) WHERE resend IS NOT NULL;
CREATE INDEX webhook_origin ON webhook (origin, due) WHERE due IS NOT NULL;
CREATE INDEX webhook_lease ON webhook (lease_until) WHERE lease_until IS NOT NULL;

-- Keys that prove webhooks: the authority that issues certificates, and the keys that sign. A key that was replaced loses
-- its private half; its certificate stays until it runs out.
CREATE TABLE webhook_key (
    kid         TEXT NOT NULL PRIMARY KEY,
    purpose     TEXT NOT NULL CHECK (purpose IN ('authority', 'signing')),
    sealed      TEXT NOT NULL, -- the private key, encrypted; empty once it was replaced
    certificate TEXT NOT NULL CHECK (certificate <> ''), -- PEM
    created     TEXT NOT NULL,
    expires     TEXT NOT NULL -- of the certificate
) STRICT;

CREATE UNIQUE INDEX webhook_key_used ON webhook_key (purpose) WHERE sealed <> '';
