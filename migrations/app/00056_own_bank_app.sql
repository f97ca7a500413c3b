-- +goose Up
-- A payment that the person sends in the app of the bank (type OWN_APP) needs no banking service, and so can go from an account without a bank.
ALTER TABLE payment ALTER COLUMN provider_id DROP NOT NULL;
-- The person said that this booking is that of the payment: it stays, whatever else fits.
ALTER TABLE payment_booking ADD COLUMN chosen INTEGER NOT NULL DEFAULT 0 CHECK (chosen IN (0, 1));
