-- +goose Up

-- A payment that one person of the household asks another to make. What was prepared and paid for it follows from the payments of payer_id that name it; state is what the two said.
CREATE TABLE payment_request (
    id       TEXT    PRIMARY KEY,
    form_key TEXT    NOT NULL UNIQUE, -- of the form of asker_id: sent twice it is one
    asker_id TEXT    NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    payer_id TEXT    NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    payee    TEXT    NOT NULL CHECK (payee <> ''),
    iban     TEXT    NOT NULL CHECK (iban <> ''),
    minor    INTEGER NOT NULL CHECK (minor > 0),
    currency TEXT    NOT NULL,
    text     TEXT    NOT NULL, -- for the payee
    day      TEXT    NOT NULL, -- '' for as soon as possible
    note     TEXT    NOT NULL, -- for payer_id alone
    state    TEXT    NOT NULL DEFAULT 'asked' CHECK (state IN ('asked', 'declined', 'withdrawn')),
    answer   TEXT    NOT NULL DEFAULT '', -- why it was declined
    created  TEXT    NOT NULL,
    changed  TEXT    NOT NULL,
    CHECK (asker_id <> payer_id)
) STRICT;
CREATE INDEX payment_request_asker ON payment_request (asker_id, created);
CREATE INDEX payment_request_payer ON payment_request (payer_id, created);

ALTER TABLE payment ADD COLUMN request_id TEXT REFERENCES payment_request (id) ON DELETE SET NULL;
CREATE INDEX payment_of_request ON payment (request_id) WHERE request_id IS NOT NULL;
