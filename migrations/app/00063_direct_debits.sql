-- +goose Up

-- Direct debits, and what came back of them, with what the bank says of them (package debits). Facts follow from the row and are read anew when it changes.
CREATE TABLE direct_debit (
    transaction_id INTEGER PRIMARY KEY REFERENCES booked_transaction (id) ON DELETE CASCADE,
    account_id     TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    day            TEXT NOT NULL,
    creditor       TEXT NOT NULL, -- debits.Key, by which those of one creditor are found; '' for nobody known
    creditor_id    TEXT NOT NULL, -- as the bank writes it; '' when it does not, as the next
    mandate        TEXT NOT NULL,
    mandate_key    TEXT NOT NULL,
    party          TEXT NOT NULL, -- the key of the payee
    scheme         TEXT NOT NULL CHECK (scheme IN ('core', 'b2b')),
    one_off        INTEGER NOT NULL CHECK (one_off IN (0, 1)),
    looked         INTEGER NOT NULL DEFAULT 0 CHECK (looked IN (0, 1)), -- whether anything about it is to be told is decided
    back_id        INTEGER REFERENCES booked_transaction (id) ON DELETE SET NULL -- the row with which it came back
) STRICT;
CREATE INDEX direct_debit_creditor ON direct_debit (account_id, creditor, day);
CREATE INDEX direct_debit_party ON direct_debit (account_id, party, creditor);
CREATE INDEX direct_debit_day ON direct_debit (account_id, day);
CREATE INDEX direct_debit_waiting ON direct_debit (account_id, day, transaction_id) WHERE looked = 0;
CREATE INDEX direct_debit_back ON direct_debit (back_id) WHERE back_id IS NOT NULL;

-- The accounts that are watched: debits from a day on are looked at that came after the first sync.
CREATE TABLE debit_watch (
    account_id TEXT PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
    since      TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- What is told of a direct debit: each once for ever, by its key.
CREATE TABLE debit_finding (
    id             TEXT PRIMARY KEY,
    account_id     TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    transaction_id INTEGER NOT NULL REFERENCES booked_transaction (id) ON DELETE CASCADE,
    kind           TEXT NOT NULL CHECK (kind IN ('new-creditor', 'new-id', 'new-mandate', 'twice', 'unusual', 'dearer')),
    key            TEXT NOT NULL,
    run            INTEGER NOT NULL, -- of the sync that brought the row; 0 where a file or a person did
    other_id       INTEGER REFERENCES booked_transaction (id) ON DELETE SET NULL, -- twice: the debit before
    was            INTEGER NOT NULL, -- the price before, or the highest amount before; 0 for other kinds
    found          TEXT NOT NULL,
    closed         TEXT, -- by a person, who says that it is right
    UNIQUE (account_id, kind, key)
) STRICT;
CREATE INDEX debit_finding_transaction ON debit_finding (transaction_id);
CREATE INDEX debit_finding_other ON debit_finding (other_id) WHERE other_id IS NOT NULL;

-- The rows that are still to be read: all from an id on, and those that changed.
CREATE TABLE debit_backlog (
    from_id INTEGER NOT NULL
) STRICT;
INSERT INTO debit_backlog (from_id) VALUES (0);
CREATE TABLE debit_waiting (
    transaction_id INTEGER PRIMARY KEY REFERENCES booked_transaction (id) ON DELETE CASCADE
) STRICT;
CREATE TRIGGER direct_debit_changed AFTER UPDATE OF account_id, minor, currency, display_date, booking_date, payee_key, remittance ON booked_transaction
WHEN OLD.account_id <> NEW.account_id OR OLD.minor <> NEW.minor OR OLD.currency <> NEW.currency OR OLD.display_date <> NEW.display_date
    OR OLD.booking_date <> NEW.booking_date OR OLD.payee_key <> NEW.payee_key OR OLD.remittance <> NEW.remittance BEGIN
    INSERT OR IGNORE INTO debit_waiting (transaction_id) VALUES (NEW.id);
END;
