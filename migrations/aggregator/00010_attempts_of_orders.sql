-- +goose Up

-- Wrong attempts to approve a payment are counted over all its visits to the bank.
ALTER TABLE bank_flow ADD COLUMN order_id TEXT; -- of payment_order; NULL: access to accounts
CREATE INDEX bank_flow_order ON bank_flow (order_id) WHERE order_id IS NOT NULL;
