-- +goose Up
-- Payments that a bank carries out, whose bookings may come any moment.
CREATE INDEX payment_carried_out ON payment (user_id, news) WHERE status IN ('ACSP', 'ACSC', 'ACCC');
