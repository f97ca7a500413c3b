-- +goose Up

-- A payment, one row through its whole life (api-notes 8). due is when the service has to look after it: at the end of its
-- page, or when the bank is asked again; it is empty once the status is final. Whoever works on it holds the lease.
CREATE TABLE payment (
    payment_id      TEXT NOT NULL PRIMARY KEY,
    application_id  TEXT NOT NULL REFERENCES application (id),
    payment_type    TEXT NOT NULL,
    aspsp_name      TEXT NOT NULL,
    aspsp_country   TEXT NOT NULL,
    psu_type        TEXT NOT NULL CHECK (psu_type IN ('personal', 'business')),
    auth_method     TEXT NOT NULL,
    psu_id_hash     TEXT NOT NULL CHECK (length(psu_id_hash) = 64),
    request         TEXT NOT NULL, -- JSON: openbanking.PaymentRequestResource
    transfers       TEXT NOT NULL, -- JSON: id and status of each transaction
    state           TEXT NOT NULL,
    redirect_url    TEXT NOT NULL,
    webhook_url     TEXT NOT NULL,
    language        TEXT NOT NULL,
    bank_state_hash TEXT NOT NULL UNIQUE CHECK (length(bank_state_hash) = 64),
    status          TEXT NOT NULL CHECK (status IN ('ACCC', 'ACCP', 'ACCR', 'ACPT', 'ACSC', 'ACSP', 'ACTC', 'ACWC', 'ACWP', 'CNCL', 'NULL', 'PACR',
                                                    'PART', 'PDCR', 'PDNG', 'RCVD', 'RJCR', 'RJCT')),
    final           INTEGER NOT NULL CHECK (final IN (0, 1)),
    auth_status     TEXT NOT NULL CHECK (auth_status IN ('', 'PENDING', 'FINALISED', 'FAILED', 'CANCELLED')),
    reason          TEXT NOT NULL, -- JSON: openbanking.StatusReasonInformation, or null
    created         TEXT NOT NULL,
    page_expires    TEXT NOT NULL,
    opened          TEXT,
    approved        TEXT,
    changed         TEXT NOT NULL,
    checked         TEXT,
    events          INTEGER NOT NULL DEFAULT 0 CHECK (events >= 0), -- that webhook rows were written for
    due             TEXT,
    lease_until     TEXT,
    deleted         TEXT, -- by the application: it cannot be read any more
    CHECK ((due IS NULL) = (final = 1)),
    CHECK (final = 1 OR status NOT IN ('RJCT', 'CNCL')),
    CHECK (deleted IS NULL OR final = 1),
    CHECK ((approved IS NOT NULL) = (auth_status = 'FINALISED')),
    CHECK (auth_status = 'FINALISED' OR status IN ('PDNG', 'RJCT', 'CNCL')),
    CHECK (auth_status <> 'CANCELLED' OR status IN ('PDNG', 'CNCL')),
    CHECK (auth_status <> 'FAILED' OR status IN ('PDNG', 'RJCT'))
) STRICT;

CREATE INDEX payment_due ON payment (due, lease_until, aspsp_name, aspsp_country) WHERE due IS NOT NULL;
CREATE INDEX payment_final ON payment (changed) WHERE final = 1;
CREATE INDEX payment_application ON payment (application_id);

-- Visits and supplied credentials are of sessions and of payments now.
CREATE TABLE visit_of_any (
    id               TEXT NOT NULL PRIMARY KEY,
    authorization_id TEXT NOT NULL UNIQUE, -- of a session, or the id of a payment
    method           TEXT NOT NULL,
    reference        TEXT NOT NULL,
    CHECK (method = '' OR reference <> '')
) STRICT;

INSERT INTO visit_of_any (id, authorization_id, method, reference) SELECT id, authorization_id, method, reference FROM visit;
DROP TABLE visit;
ALTER TABLE visit_of_any RENAME TO visit;

CREATE TABLE supplied_credentials_of_any (
    authorization_id TEXT NOT NULL PRIMARY KEY, -- of a session, or the id of a payment
    sealed           TEXT NOT NULL CHECK (sealed <> ''),
    autosubmit       INTEGER NOT NULL CHECK (autosubmit IN (0, 1))
) STRICT;

INSERT INTO supplied_credentials_of_any (authorization_id, sealed, autosubmit) SELECT authorization_id, sealed, autosubmit FROM supplied_credentials;
DROP TABLE supplied_credentials;
ALTER TABLE supplied_credentials_of_any RENAME TO supplied_credentials;

-- Events of payments on their way to applications: written together with the change that they tell of. Each is due until it
-- was delivered or given up. It outlives its payment.
CREATE TABLE webhook (
    webhook_id     TEXT NOT NULL PRIMARY KEY,
    payment_id     TEXT NOT NULL,
    application_id TEXT NOT NULL REFERENCES application (id),
    environment    TEXT NOT NULL CHECK (environment IN ('PRODUCTION', 'SANDBOX')),
    sequence       INTEGER NOT NULL CHECK (sequence > 0),
    url            TEXT NOT NULL CHECK (url <> ''),
    origin         TEXT NOT NULL CHECK (origin <> ''),
    body           TEXT NOT NULL CHECK (body <> ''),
    status         TEXT NOT NULL,
    created        TEXT NOT NULL,
    due            TEXT,
    lease_until    TEXT,
    attempts       INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    delivered      TEXT,
    given_up       TEXT,
    UNIQUE (payment_id, sequence),
    CHECK ((due IS NULL) = (delivered IS NOT NULL OR given_up IS NOT NULL)),
    CHECK (delivered IS NULL OR given_up IS NULL)
) STRICT;

CREATE INDEX webhook_due ON webhook (due) WHERE due IS NOT NULL;
CREATE INDEX webhook_application ON webhook (application_id, created);

CREATE TABLE webhook_attempt (
    webhook_id TEXT NOT NULL REFERENCES webhook (webhook_id),
    number     INTEGER NOT NULL CHECK (number > 0),
    at         TEXT NOT NULL,
    latency    INTEGER NOT NULL CHECK (latency >= 0), -- microseconds
    status     INTEGER NOT NULL,                       -- of HTTP; 0: no answer
    outcome    TEXT NOT NULL,
    PRIMARY KEY (webhook_id, number)
) STRICT;

-- Payment initiation is on for every application in the SANDBOX (spec: Environments and activation).
UPDATE application SET services = '["AIS","PIS"]' WHERE environment = 'SANDBOX' AND services = '["AIS"]';
