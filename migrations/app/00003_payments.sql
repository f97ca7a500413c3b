-- +goose Up

-- Whom a user pays: one row for an account, with the name by which the user knows it.
CREATE TABLE payee (
    id          TEXT PRIMARY KEY,
    user_id     TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    name        TEXT NOT NULL CHECK (name <> ''),
    name_key    TEXT NOT NULL, -- finance.NameKey
    scheme      TEXT NOT NULL,
    number      TEXT NOT NULL CHECK (number <> ''),
    beneficiary TEXT NOT NULL, -- openbanking.Beneficiary, as it would be sent
    favourite   INTEGER NOT NULL DEFAULT 0 CHECK (favourite IN (0, 1)),
    created     TEXT NOT NULL,
    updated     TEXT NOT NULL,
    UNIQUE (user_id, scheme, number)
) STRICT;
CREATE INDEX payee_name ON payee (user_id, name_key);

-- A payment from the draft to the end of its story. phase says how far it has come on its way to the service, status what the bank does with it.
CREATE TABLE payment (
    id              TEXT PRIMARY KEY,
    user_id         TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    provider_id     TEXT NOT NULL REFERENCES provider (id),
    account_id      TEXT REFERENCES account (id) ON DELETE SET NULL,
    form_key        TEXT NOT NULL CHECK (form_key <> ''),
    retry_of        TEXT REFERENCES payment (id) ON DELETE SET NULL,
    revision        INTEGER NOT NULL DEFAULT 1,
    phase           TEXT NOT NULL CHECK (phase IN ('draft', 'sending', 'unknown', 'created', 'failed', 'discarded')),
    hidden          INTEGER NOT NULL DEFAULT 0 CHECK (hidden IN (0, 1)),

    aspsp_name      TEXT NOT NULL,
    country         TEXT NOT NULL,
    psu_type        TEXT NOT NULL,
    type            TEXT NOT NULL,
    auth_method     TEXT NOT NULL,
    request         TEXT NOT NULL, -- openbanking.PaymentRequestResource, as it is sent
    read_back       TEXT NOT NULL DEFAULT '', -- openbanking.PaymentRequestResourceDetails, as the service last answered
    reference       TEXT NOT NULL UNIQUE, -- its payment_information_id: by it an unknown outcome is found again
    successful      TEXT NOT NULL, -- the bank's final_successful_statuses, with spaces between
    title           TEXT NOT NULL,
    minor           INTEGER NOT NULL CHECK (minor >= 0), -- the sum, 0 when currencies are mixed
    currency        TEXT NOT NULL,                       -- '' when they are

    payment_id      TEXT, -- of the service
    url             TEXT NOT NULL DEFAULT '', -- sealed: where the person approves it
    psu_id_hash     TEXT NOT NULL DEFAULT '',
    state_hash      TEXT UNIQUE, -- of the way back from the bank
    browser_hash    TEXT NOT NULL DEFAULT '',
    state_expires   TEXT,
    returned        TEXT,

    status          TEXT NOT NULL DEFAULT '',
    side            TEXT NOT NULL DEFAULT '' CHECK (side IN ('', 'PDCR', 'ACCR', 'PACR', 'RJCR')),
    final           INTEGER NOT NULL DEFAULT 0 CHECK (final IN (0, 1)),
    auth            TEXT NOT NULL DEFAULT '',
    auth_source     TEXT NOT NULL DEFAULT '' CHECK (auth_source IN ('', 'webhook', 'return')),
    auth_at         TEXT,
    reason_code     TEXT NOT NULL DEFAULT '',
    reason_text     TEXT NOT NULL DEFAULT '',
    source          TEXT NOT NULL DEFAULT '' CHECK (source IN ('', 'answer', 'webhook', 'check', 'return')),
    failure_code    TEXT NOT NULL DEFAULT '',
    failure_text    TEXT NOT NULL DEFAULT '',
    failure_request TEXT NOT NULL DEFAULT '',

    created         TEXT NOT NULL,
    sent            TEXT, -- when POST /payments began
    sending_until   TEXT, -- afterwards no answer can come any more
    at_created      TEXT, -- the five stops
    at_approved     TEXT,
    at_accepted     TEXT,
    at_sent         TEXT,
    at_arrived      TEXT,
    ended           TEXT,
    news            TEXT,

    -- Asking the service: one row of work for each payment that is not final (architecture 5, rule 8).
    next_check_at   TEXT,
    lease           TEXT NOT NULL DEFAULT '',
    lease_until     TEXT,
    checked         TEXT,
    check_errors    INTEGER NOT NULL DEFAULT 0,
    error_code      TEXT NOT NULL DEFAULT '',
    error_message   TEXT NOT NULL DEFAULT '',
    error_request   TEXT NOT NULL DEFAULT '',
    error_at        TEXT,

    UNIQUE (user_id, form_key),
    UNIQUE (provider_id, payment_id),
    CHECK ((phase IN ('draft', 'discarded')) = (sent IS NULL)),
    CHECK ((phase = 'created') = (payment_id IS NOT NULL)),
    CHECK ((phase = 'created') = (at_created IS NOT NULL)),
    CHECK ((phase = 'created') = (status <> '')),
    CHECK ((phase = 'sending') = (sending_until IS NOT NULL)),
    CHECK (phase <> 'failed' OR failure_code <> ''),
    CHECK (final = 0 OR phase = 'created' AND ended IS NOT NULL),
    CHECK (next_check_at IS NULL OR phase = 'created' AND final = 0),
    CHECK (lease_until IS NULL OR lease <> '')
) STRICT;
CREATE INDEX payment_user ON payment (user_id, created);
CREATE INDEX payment_account ON payment (account_id);
CREATE INDEX payment_due ON payment (next_check_at) WHERE next_check_at IS NOT NULL;
CREATE INDEX payment_sending ON payment (sending_until) WHERE sending_until IS NOT NULL;

-- The transfers of a payment: most have one.
CREATE TABLE payment_transfer (
    payment_id     TEXT NOT NULL REFERENCES payment (id) ON DELETE CASCADE,
    position       INTEGER NOT NULL,
    payee          TEXT NOT NULL,
    payee_key      TEXT NOT NULL, -- finance.NameKey
    scheme         TEXT NOT NULL,
    number         TEXT NOT NULL,
    minor          INTEGER NOT NULL CHECK (minor > 0),
    currency       TEXT NOT NULL,
    end_to_end_id  TEXT NOT NULL,
    transaction_id TEXT NOT NULL DEFAULT '', -- of the service
    status         TEXT NOT NULL DEFAULT '',
    booked_id      INTEGER REFERENCES booked_transaction (id) ON DELETE SET NULL,
    PRIMARY KEY (payment_id, position)
) STRICT;
CREATE INDEX payment_transfer_payee ON payment_transfer (scheme, number);
CREATE INDEX payment_transfer_name ON payment_transfer (payee_key);
CREATE UNIQUE INDEX payment_transfer_booked ON payment_transfer (booked_id) WHERE booked_id IS NOT NULL;

-- What was learnt and done, line by line.
CREATE TABLE payment_event (
    payment_id  TEXT NOT NULL REFERENCES payment (id) ON DELETE CASCADE,
    sequence    INTEGER NOT NULL,
    at          TEXT NOT NULL,
    kind        TEXT NOT NULL CHECK (kind IN ('drafted', 'confirmed', 'created', 'failed', 'unknown', 'found', 'returned', 'status', 'ignored', 'discarded', 'hidden', 'booked')),
    source      TEXT NOT NULL CHECK (source IN ('', 'answer', 'webhook', 'check', 'return')),
    status      TEXT NOT NULL,
    final       INTEGER NOT NULL CHECK (final IN (0, 1)),
    auth        TEXT NOT NULL,
    reason_code TEXT NOT NULL,
    detail      TEXT NOT NULL,
    delivery_id TEXT NOT NULL,
    PRIMARY KEY (payment_id, sequence)
) STRICT;

-- The inbox of webhooks: what came, what was checked, what it changed. An event is in it once when it is good; refused ones are kept for a while.
CREATE TABLE webhook_delivery (
    id          TEXT PRIMARY KEY,
    provider_id TEXT NOT NULL REFERENCES provider (id) ON DELETE CASCADE,
    received    TEXT NOT NULL,
    body        TEXT NOT NULL, -- cut to a bound
    body_hash   TEXT NOT NULL,
    size        INTEGER NOT NULL,
    checks      TEXT NOT NULL, -- JSON of []finance.DeliveryCheck
    verified    INTEGER NOT NULL CHECK (verified IN (0, 1)),
    answer      INTEGER NOT NULL CHECK (answer BETWEEN 200 AND 599),
    webhook_id  TEXT NOT NULL,
    payment_id  TEXT NOT NULL, -- of the service
    status      TEXT NOT NULL,
    expected    INTEGER NOT NULL CHECK (expected IN (0, 1)),
    auth        TEXT NOT NULL,
    triggered   TEXT,
    local_id    TEXT REFERENCES payment (id) ON DELETE SET NULL,
    repeats     INTEGER NOT NULL DEFAULT 0,
    applied     TEXT,
    result      TEXT NOT NULL DEFAULT '',
    next_try_at TEXT, -- of one whose payment has to be found first
    tries       INTEGER NOT NULL DEFAULT 0,
    CHECK (verified = 0 OR webhook_id <> '' AND payment_id <> '' AND triggered IS NOT NULL),
    CHECK (verified = 1 OR applied IS NULL AND local_id IS NULL)
) STRICT;
CREATE UNIQUE INDEX webhook_delivery_event ON webhook_delivery (provider_id, webhook_id) WHERE verified = 1;
CREATE INDEX webhook_delivery_received ON webhook_delivery (received, id);
CREATE INDEX webhook_delivery_waiting ON webhook_delivery (local_id) WHERE verified = 1 AND applied IS NULL;

-- The certificates with which a service signs its webhooks, where no authority vouches for them.
CREATE TABLE webhook_pin (
    provider_id TEXT NOT NULL REFERENCES provider (id) ON DELETE CASCADE,
    fingerprint TEXT NOT NULL,
    first_seen  TEXT NOT NULL,
    not_after   TEXT NOT NULL,
    PRIMARY KEY (provider_id, fingerprint)
) STRICT;
