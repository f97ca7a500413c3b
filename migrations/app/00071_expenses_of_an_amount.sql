-- +goose Up

-- A rule looks for expenses of one amount within some days: the amount comes first.
DROP INDEX expense_payer;
CREATE INDEX expense_payer ON expense (payer_id, minor, day);
