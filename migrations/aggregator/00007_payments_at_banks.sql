-- +goose Up

-- A visit to a simulated bank is of access to accounts, or of a payment. The one-time code of a payment is made with the secret.
ALTER TABLE bank_flow ADD COLUMN payment_order TEXT; -- JSON; NULL: access to accounts
ALTER TABLE bank_flow ADD COLUMN secret TEXT NOT NULL DEFAULT '';

-- A payment that a PSU has approved at a simulated bank: the bank's row, written once, at the approval. What becomes of it is in
-- the plan, with its times. An order is taken once, however often it is approved.
CREATE TABLE bank_payment (
    aspsp_name    TEXT NOT NULL,
    aspsp_country TEXT NOT NULL,
    order_id      TEXT NOT NULL,
    number        INTEGER NOT NULL UNIQUE CHECK (number > 0), -- in the order of the approvals at all banks
    payment_order TEXT NOT NULL, -- JSON: what the service asked for
    username      TEXT NOT NULL,
    account       TEXT NOT NULL, -- the bank's own id of the account that it goes from
    approved      TEXT NOT NULL,
    plan          TEXT NOT NULL, -- JSON
    over          TEXT, -- when it was over without a trace in a ledger; NULL: it is kept
    PRIMARY KEY (aspsp_country, aspsp_name, order_id)
) STRICT;

CREATE INDEX bank_payment_over ON bank_payment (over) WHERE over IS NOT NULL;

-- The accounts on which a payment moves money: of the debtor, and of creditors at simulated banks.
CREATE TABLE bank_payment_account (
    account_country TEXT NOT NULL,
    account_name    TEXT NOT NULL, -- of the account's bank
    account         TEXT NOT NULL, -- the bank's own id of it
    number          INTEGER NOT NULL REFERENCES bank_payment (number),
    PRIMARY KEY (account_country, account_name, account, number)
) STRICT;

CREATE INDEX bank_payment_account_number ON bank_payment_account (number);
