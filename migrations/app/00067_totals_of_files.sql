-- +goose Up

-- What the bank was asked to book as one total: the payments that one file holds for one day. The id is that of the group in the file (PmtInfId). A payment can
-- be in several files, and so in several totals.
CREATE TABLE payment_total (
    id         TEXT NOT NULL,
    payment_id TEXT NOT NULL REFERENCES payment (id) ON DELETE CASCADE,
    filed      TEXT NOT NULL, -- when it was first put into such a file
    PRIMARY KEY (id, payment_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX payment_total_payment ON payment_total (payment_id);

-- A booking belongs to one payment at most, whatever happens, unless it is the total of a file.
CREATE TABLE payment_booking_new (
    booked_id  INTEGER NOT NULL REFERENCES booked_transaction (id) ON DELETE CASCADE,
    payment_id TEXT NOT NULL,
    position   INTEGER NOT NULL,         -- of the transfer; of a total, the first of those in it
    execution  TEXT NOT NULL DEFAULT '', -- of a standing order: the date by its rhythm
    total      INTEGER NOT NULL DEFAULT 0 CHECK (total IN (0, 1)), -- one booking of all transfers in its currency on its day
    file       TEXT NOT NULL DEFAULT '', -- of a total that holds other payments, too: payment_total.id
    chosen     INTEGER NOT NULL DEFAULT 0 CHECK (chosen IN (0, 1)), -- the person said that this booking is that of the payment: it stays, whatever else fits
    PRIMARY KEY (booked_id, payment_id),
    UNIQUE (payment_id, position, execution),
    CHECK (total = 0 OR execution = ''),
    CHECK (total = 1 OR file = ''),
    FOREIGN KEY (payment_id, position) REFERENCES payment_transfer (payment_id, position) ON DELETE CASCADE
) STRICT;
INSERT INTO payment_booking_new (booked_id, payment_id, position, execution, total, chosen)
SELECT booked_id, payment_id, position, execution, total, chosen FROM payment_booking;
DROP TABLE payment_booking;
ALTER TABLE payment_booking_new RENAME TO payment_booking;
CREATE UNIQUE INDEX payment_booking_alone ON payment_booking (booked_id) WHERE file = '';
