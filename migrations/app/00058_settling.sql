-- +goose Up

-- People who share expenses, or who did. The id is that of the user; the row outlives the user, since what others shared with them goes on.
CREATE TABLE sharer (
    id    TEXT PRIMARY KEY,
    email TEXT NOT NULL DEFAULT '' -- of somebody whose user was removed; '' before
) STRICT;

-- What one person paid and several share (package settling). minor is above zero for what was spent, below for what came back.
CREATE TABLE expense (
    id             TEXT PRIMARY KEY,
    revision       INTEGER NOT NULL DEFAULT 1,
    payer_id       TEXT    NOT NULL REFERENCES sharer (id),
    day            TEXT    NOT NULL,
    text           TEXT    NOT NULL CHECK (text <> ''),
    minor          INTEGER NOT NULL CHECK (minor <> 0),
    currency       TEXT    NOT NULL,
    method         TEXT    NOT NULL CHECK (method IN ('equal', 'shares', 'amounts')),
    transaction_id INTEGER REFERENCES booked_transaction (id) ON DELETE SET NULL, -- of the payer
    created        TEXT    NOT NULL,
    changed        TEXT    NOT NULL,
    changed_by     TEXT    NOT NULL REFERENCES sharer (id),
    deleted        INTEGER NOT NULL DEFAULT 0 CHECK (deleted IN (0, 1)) -- by a person, who can take it back
) STRICT;
CREATE INDEX expense_payer ON expense (payer_id);
CREATE INDEX expense_changer ON expense (changed_by);
CREATE UNIQUE INDEX expense_transaction ON expense (transaction_id) WHERE transaction_id IS NOT NULL;

CREATE TABLE expense_share (
    person_id  TEXT    NOT NULL REFERENCES sharer (id),
    expense_id TEXT    NOT NULL REFERENCES expense (id) ON DELETE CASCADE,
    weight     INTEGER NOT NULL CHECK (weight >= 0),
    minor      INTEGER NOT NULL,
    PRIMARY KEY (person_id, expense_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX expense_share_expense ON expense_share (expense_id);

-- Money that from_id gives to to_id for what is owed. One by a payment follows the payment of from_id with the same form_key: state is '' until the payment goes with its user.
CREATE TABLE settlement (
    id         TEXT PRIMARY KEY,
    means      TEXT    NOT NULL CHECK (means IN ('payment', 'cash')),
    from_id    TEXT    NOT NULL REFERENCES sharer (id),
    to_id      TEXT    NOT NULL REFERENCES sharer (id),
    minor      INTEGER NOT NULL CHECK (minor > 0),
    currency   TEXT    NOT NULL,
    name       TEXT    NOT NULL DEFAULT '', -- of whom the account is that to_id wants to be paid on, and its IBAN; '' in cash
    iban       TEXT    NOT NULL DEFAULT '',
    form_key   TEXT    NOT NULL UNIQUE,
    state      TEXT    NOT NULL DEFAULT '' CHECK (state IN ('', 'settled', 'void', 'other')),
    paid       INTEGER NOT NULL DEFAULT 0 CHECK (paid >= 0),
    created    TEXT    NOT NULL,
    created_by TEXT    NOT NULL REFERENCES sharer (id),
    undone_by  TEXT    REFERENCES sharer (id), -- NULL: it counts
    changed    TEXT    NOT NULL,
    CHECK (from_id <> to_id),
    CHECK ((means = 'payment') = (iban <> '')),
    CHECK ((state = 'settled') = (paid > 0)),
    CHECK (means = 'payment' OR state = 'settled')
) STRICT;
CREATE INDEX settlement_from ON settlement (from_id);
CREATE INDEX settlement_to ON settlement (to_id);
CREATE INDEX settlement_creator ON settlement (created_by);
CREATE INDEX settlement_undone ON settlement (undone_by) WHERE undone_by IS NOT NULL;

-- The people of each way along debts that become smaller, in order, where others stand between from_id and to_id.
CREATE TABLE settlement_path (
    settlement_id TEXT    NOT NULL REFERENCES settlement (id) ON DELETE CASCADE,
    path          INTEGER NOT NULL,
    step          INTEGER NOT NULL,
    person_id     TEXT    NOT NULL REFERENCES sharer (id),
    minor         INTEGER NOT NULL CHECK (minor > 0), -- the same for all steps of a path
    PRIMARY KEY (settlement_id, path, step)
) STRICT, WITHOUT ROWID;
CREATE INDEX settlement_path_person ON settlement_path (person_id);

-- The account on which a person wants to be paid by the others.
CREATE TABLE receiving_account (
    user_id TEXT PRIMARY KEY REFERENCES user (id) ON DELETE CASCADE,
    name    TEXT NOT NULL CHECK (name <> ''),
    iban    TEXT NOT NULL CHECK (iban <> '')
) STRICT;
