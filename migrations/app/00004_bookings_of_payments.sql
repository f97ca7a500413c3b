-- +goose Up

-- The last day on which a payment is carried out, as far as its confirmation tells; without an end that of a standing order is 9999-12-31.
ALTER TABLE payment ADD COLUMN last_day TEXT NOT NULL DEFAULT '9999-12-31';
UPDATE payment SET last_day = substr(sent, 1, 10)
WHERE sent IS NOT NULL AND request NOT LIKE '%"frequency"%' AND request NOT LIKE '%"requested_execution_date"%';

-- When the person saw how it ended, or did not want to hear of it.
ALTER TABLE payment ADD COLUMN seen TEXT;
UPDATE payment SET seen = COALESCE(ended, news, created) WHERE final = 1 OR phase = 'failed';
CREATE INDEX payment_news ON payment (user_id) WHERE seen IS NULL AND (final = 1 OR phase = 'failed');

-- When the person said that a standing order was stopped at the bank.
ALTER TABLE payment ADD COLUMN stopped TEXT;

-- A transfer can have many bookings and a booking be that of many transfers: they get a table of their own.
CREATE TABLE payment_transfer_new (
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
    PRIMARY KEY (payment_id, position)
) STRICT;
INSERT INTO payment_transfer_new (payment_id, position, payee, payee_key, scheme, number, minor, currency, end_to_end_id, transaction_id, status)
SELECT payment_id, position, payee, payee_key, scheme, number, minor, currency, end_to_end_id, transaction_id, status FROM payment_transfer;

-- What banks booked for payments: a booking belongs to one payment at most, whatever happens.
CREATE TABLE payment_booking_new (
    booked_id  INTEGER PRIMARY KEY REFERENCES booked_transaction (id) ON DELETE CASCADE,
    payment_id TEXT NOT NULL,
    position   INTEGER NOT NULL,         -- of the transfer; of a total, the first of those in it
    execution  TEXT NOT NULL DEFAULT '', -- of a standing order: the date by its rhythm
    total      INTEGER NOT NULL DEFAULT 0 CHECK (total IN (0, 1)), -- one booking of all transfers in its currency on its day
    UNIQUE (payment_id, position, execution),
    CHECK (total = 0 OR execution = ''),
    FOREIGN KEY (payment_id, position) REFERENCES payment_transfer_new (payment_id, position) ON DELETE CASCADE
) STRICT;
INSERT INTO payment_booking_new (booked_id, payment_id, position)
SELECT booked_id, payment_id, position FROM payment_transfer WHERE booked_id IS NOT NULL;

DROP TABLE payment_transfer;
ALTER TABLE payment_transfer_new RENAME TO payment_transfer;
ALTER TABLE payment_booking_new RENAME TO payment_booking;
CREATE INDEX payment_transfer_payee ON payment_transfer (scheme, number);
CREATE INDEX payment_transfer_name ON payment_transfer (payee_key);

-- The history can tell of a booking that the bank took back.
CREATE TABLE payment_event_new (
    payment_id  TEXT NOT NULL REFERENCES payment (id) ON DELETE CASCADE,
    sequence    INTEGER NOT NULL,
    at          TEXT NOT NULL,
    kind        TEXT NOT NULL CHECK (kind IN ('drafted', 'confirmed', 'created', 'failed', 'unknown', 'found', 'returned', 'status', 'ignored', 'discarded', 'hidden', 'booked', 'unbooked', 'stopped')),
    source      TEXT NOT NULL CHECK (source IN ('', 'answer', 'webhook', 'check', 'return')),
    status      TEXT NOT NULL,
    final       INTEGER NOT NULL CHECK (final IN (0, 1)),
    auth        TEXT NOT NULL,
    reason_code TEXT NOT NULL,
    detail      TEXT NOT NULL,
    delivery_id TEXT NOT NULL,
    PRIMARY KEY (payment_id, sequence)
) STRICT;
INSERT INTO payment_event_new (payment_id, sequence, at, kind, source, status, final, auth, reason_code, detail, delivery_id)
SELECT payment_id, sequence, at, kind, source, status, final, auth, reason_code, detail, delivery_id FROM payment_event;
DROP TABLE payment_event;
ALTER TABLE payment_event_new RENAME TO payment_event;
