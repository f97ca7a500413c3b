-- +goose Up

-- The rule of the payer that shared an expense; '' where a person did. The rule may be gone: its expenses stay.
ALTER TABLE expense ADD COLUMN rule_id TEXT NOT NULL DEFAULT '';

-- A rule looks for an expense that a person entered for the same money.
DROP INDEX expense_payer;
CREATE INDEX expense_payer ON expense (payer_id, day, minor);
