-- +goose Up

-- What the payee reads with a transfer, as it is compared: finance.ReferenceKey. It was read out of the request, which of many payments at once is long. NULL for a transfer from
-- before this column: the program fills it in when it starts.
ALTER TABLE payment_transfer ADD COLUMN reference_key TEXT;

-- How the payments of a user stand, without their long columns: what was paid before is looked up in it.
CREATE INDEX payment_standing ON payment (user_id, id, phase, status, final, sent);
