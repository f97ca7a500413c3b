-- +goose Up

-- Proves that the key in the data directory is the one that sealed the secrets below.
CREATE TABLE master_key (
    key_id  TEXT PRIMARY KEY,
    proof   TEXT NOT NULL,
    created TEXT NOT NULL
) STRICT;

-- People, and how they sign in.

CREATE TABLE user (
    id            TEXT PRIMARY KEY,
    email         TEXT NOT NULL UNIQUE,
    password_hash TEXT NOT NULL,
    role          TEXT NOT NULL CHECK (role IN ('owner', 'member')),
    created       TEXT NOT NULL
) STRICT;

CREATE TABLE setup_token (
    token_hash TEXT PRIMARY KEY,
    created    TEXT NOT NULL,
    expires    TEXT NOT NULL,
    used       TEXT
) STRICT;

-- One row per sign-in. It ends when revoked is set, whatever cookie still exists.
CREATE TABLE user_session (
    id        TEXT PRIMARY KEY,
    user_id   TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    device    TEXT NOT NULL,
    created   TEXT NOT NULL,
    last_seen TEXT NOT NULL,
    revoked   TEXT
) STRICT;
CREATE INDEX user_session_user ON user_session (user_id, last_seen);

-- The rows of scs. ended = 1 is a tombstone: a commit that comes late changes nothing.
CREATE TABLE session_data (
    token_hash TEXT PRIMARY KEY,
    data       BLOB NOT NULL,
    expires    TEXT NOT NULL,
    ended      INTEGER NOT NULL DEFAULT 0 CHECK (ended IN (0, 1))
) STRICT;
CREATE INDEX session_data_expires ON session_data (expires);

-- Failed sign-ins in a row. subject is a hash of the account's address or of the network address.
CREATE TABLE sign_in_failure (
    subject       TEXT PRIMARY KEY,
    failures      INTEGER NOT NULL CHECK (failures > 0),
    last_failure  TEXT NOT NULL,
    blocked_until TEXT NOT NULL
) STRICT;
CREATE INDEX sign_in_failure_last ON sign_in_failure (last_failure);

-- Aggregation services, and the consents of the users there.

CREATE TABLE provider (
    id               TEXT PRIMARY KEY,
    name             TEXT NOT NULL,
    base_url         TEXT NOT NULL,
    registration_url TEXT NOT NULL,
    issuer           TEXT NOT NULL,
    audience         TEXT NOT NULL,
    application_id   TEXT NOT NULL,
    redirect_url     TEXT NOT NULL,
    environment      TEXT NOT NULL CHECK (environment IN ('SANDBOX', 'PRODUCTION')),
    private_key      TEXT NOT NULL, -- sealed
    created          TEXT NOT NULL,
    updated          TEXT NOT NULL
) STRICT;

CREATE TABLE connection (
    id          TEXT PRIMARY KEY,
    user_id     TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    provider_id TEXT NOT NULL REFERENCES provider (id),
    aspsp_name  TEXT NOT NULL,
    country     TEXT NOT NULL,
    psu_type    TEXT NOT NULL,
    status      TEXT NOT NULL CHECK (status IN ('active', 'expired', 'revoked', 'closed', 'disconnected')),
    session_id  TEXT NOT NULL, -- sealed
    valid_until TEXT NOT NULL,
    created     TEXT NOT NULL,
    authorized  TEXT NOT NULL,
    ended       TEXT,
    CHECK ((status = 'active') = (ended IS NULL))
) STRICT;
CREATE INDEX connection_user ON connection (user_id, aspsp_name);

CREATE TABLE link_attempt (
    id                  TEXT PRIMARY KEY,
    user_id             TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    provider_id         TEXT NOT NULL REFERENCES provider (id),
    aspsp_name          TEXT NOT NULL,
    country             TEXT NOT NULL,
    psu_type            TEXT NOT NULL,
    status              TEXT NOT NULL CHECK (status IN ('starting', 'open', 'used', 'done', 'failed')),
    state_hash          TEXT NOT NULL UNIQUE,
    browser_hash        TEXT NOT NULL,
    psu_id_hash         TEXT NOT NULL DEFAULT '',
    url                 TEXT NOT NULL DEFAULT '',
    valid_until         TEXT NOT NULL,
    created             TEXT NOT NULL,
    expires             TEXT NOT NULL,
    connection_id       TEXT REFERENCES connection (id) ON DELETE SET NULL,
    renewed             INTEGER NOT NULL DEFAULT 0 CHECK (renewed IN (0, 1)),
    failure_code        TEXT NOT NULL DEFAULT '',
    failure_text        TEXT NOT NULL DEFAULT '',
    failure_request_id  TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX link_attempt_user ON link_attempt (user_id, created);

-- Accounts and what they hold.

CREATE TABLE account (
    id             TEXT PRIMARY KEY,
    user_id        TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    connection_id  TEXT NOT NULL REFERENCES connection (id),
    hash           TEXT NOT NULL, -- identification_hash
    bank_currency  TEXT NOT NULL,
    currency       TEXT NOT NULL,
    uid            TEXT NOT NULL, -- of the present session; '' when data cannot be fetched
    nickname       TEXT NOT NULL DEFAULT '',
    holder         TEXT NOT NULL,
    details        TEXT NOT NULL,
    product        TEXT NOT NULL,
    type           TEXT NOT NULL,
    usage          TEXT NOT NULL,
    iban           TEXT NOT NULL,
    number         TEXT NOT NULL,
    scheme         TEXT NOT NULL,
    credit_limit   TEXT NOT NULL,
    original       TEXT NOT NULL, -- the AccountResource as received
    transactions   INTEGER NOT NULL DEFAULT 0, -- booked rows held
    history_from   TEXT NOT NULL DEFAULT '',
    pending_run    INTEGER NOT NULL DEFAULT 0, -- the run whose pending rows are shown
    created        TEXT NOT NULL,
    UNIQUE (connection_id, hash, bank_currency)
) STRICT;
CREATE INDEX account_user ON account (user_id, connection_id);

-- Every identification_hash of an account: to recognise it where the main one has changed.
CREATE TABLE account_hash (
    account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    position   INTEGER NOT NULL,
    hash       TEXT NOT NULL,
    PRIMARY KEY (account_id, position)
) STRICT;
CREATE INDEX account_hash_hash ON account_hash (hash);

CREATE TABLE link_account (
    attempt_id TEXT NOT NULL REFERENCES link_attempt (id) ON DELETE CASCADE,
    account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    position   INTEGER NOT NULL,
    outcome    TEXT NOT NULL CHECK (outcome IN ('new', 'recognised', 'not_accessible', 'left_out')),
    PRIMARY KEY (attempt_id, account_id)
) STRICT;

CREATE TABLE balance (
    account_id     TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    position       INTEGER NOT NULL,
    type           TEXT NOT NULL,
    name           TEXT NOT NULL,
    minor          INTEGER NOT NULL,
    currency       TEXT NOT NULL,
    amount         TEXT NOT NULL, -- as received
    reference_date TEXT NOT NULL,
    last_change    TEXT,
    fetched        TEXT NOT NULL,
    PRIMARY KEY (account_id, position)
) STRICT;

-- Booked rows, lean enough for lists. sort_key is one integer in order of date (finance.SortRange): pages are ranges of it.
CREATE TABLE booked_transaction (
    id                   INTEGER PRIMARY KEY,
    account_id           TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    sort_key             INTEGER NOT NULL,
    identity             TEXT NOT NULL,    -- finance.Identity, as the next but one
    ordinal              INTEGER NOT NULL, -- 0, 1, ... among rows that are equal
    reference            TEXT NOT NULL,
    content              TEXT NOT NULL,
    minor                INTEGER NOT NULL,
    currency             TEXT NOT NULL,
    amount               TEXT NOT NULL,    -- as received
    display_date         TEXT NOT NULL,
    booking_date         TEXT NOT NULL,
    value_date           TEXT NOT NULL,
    transaction_date     TEXT NOT NULL,
    counterparty         TEXT NOT NULL,
    counterparty_account TEXT NOT NULL,
    remittance           TEXT NOT NULL,
    kind                 TEXT NOT NULL,
    first_run            INTEGER NOT NULL, -- the sync run that brought the row
    seen_run             INTEGER NOT NULL, -- the last sync run that saw it
    first_seen           TEXT NOT NULL,
    missing_since        TEXT
) STRICT;
CREATE UNIQUE INDEX booked_transaction_page ON booked_transaction (account_id, sort_key);
CREATE UNIQUE INDEX booked_transaction_identity ON booked_transaction (account_id, identity, ordinal);

-- The row as received, apart so that lists stay lean.
CREATE TABLE transaction_record (
    transaction_id INTEGER PRIMARY KEY REFERENCES booked_transaction (id) ON DELETE CASCADE,
    original       TEXT NOT NULL
) STRICT;

-- Rows that are not booked: built anew by each sync run, shown once the run is complete.
CREATE TABLE pending_transaction (
    account_id           TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    run                  INTEGER NOT NULL,
    identity             TEXT NOT NULL,
    ordinal              INTEGER NOT NULL,
    reference            TEXT NOT NULL,
    status               TEXT NOT NULL,
    minor                INTEGER NOT NULL,
    currency             TEXT NOT NULL,
    amount               TEXT NOT NULL,
    display_date         TEXT NOT NULL,
    counterparty         TEXT NOT NULL,
    counterparty_account TEXT NOT NULL,
    remittance           TEXT NOT NULL,
    kind                 TEXT NOT NULL,
    original             TEXT NOT NULL,
    PRIMARY KEY (account_id, run, identity, ordinal)
) STRICT;

-- Background work: one row per account and kind of data (architecture 5, rule 8).
CREATE TABLE sync_task (
    id                 TEXT PRIMARY KEY,
    user_id            TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    connection_id      TEXT NOT NULL REFERENCES connection (id),
    account_id         TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    scope              TEXT NOT NULL CHECK (scope IN ('details', 'balances', 'transactions')),
    state              TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'stopped')),
    lease              TEXT NOT NULL DEFAULT '', -- of whoever runs it; every write of a run names it
    lease_until        TEXT,
    run                INTEGER NOT NULL DEFAULT 0,
    in_run             INTEGER NOT NULL DEFAULT 0 CHECK (in_run IN (0, 1)),
    strategy           TEXT NOT NULL DEFAULT 'longest' CHECK (strategy IN ('default', 'longest')),
    date_from          TEXT NOT NULL DEFAULT '',
    continuation_key   TEXT NOT NULL DEFAULT '', -- sealed
    oldest_seen        TEXT NOT NULL DEFAULT '',
    pages              INTEGER NOT NULL DEFAULT 0,
    rows_seen          INTEGER NOT NULL DEFAULT 0,
    rows_new           INTEGER NOT NULL DEFAULT 0,
    rows_refused       INTEGER NOT NULL DEFAULT 0,
    next_attempt_at    TEXT NOT NULL,
    attempts           INTEGER NOT NULL DEFAULT 0,
    last_error_code    TEXT NOT NULL DEFAULT '',
    last_error_message TEXT NOT NULL DEFAULT '',
    last_error_request TEXT NOT NULL DEFAULT '',
    last_error_at      TEXT,
    last_started_at    TEXT,
    last_success_at    TEXT,
    first_success_at   TEXT,
    UNIQUE (account_id, scope),
    CHECK ((state = 'running') = (lease_until IS NOT NULL))
) STRICT;
CREATE INDEX sync_task_due ON sync_task (state, next_attempt_at);
CREATE INDEX sync_task_connection ON sync_task (connection_id);

-- Continuation keys (hashed) that the present run has followed: one that comes again would go in circles.
CREATE TABLE sync_page (
    task_id  TEXT NOT NULL REFERENCES sync_task (id) ON DELETE CASCADE,
    key_hash TEXT NOT NULL,
    PRIMARY KEY (task_id, key_hash)
) STRICT;
