-- +goose Up

-- When a payment that the person sends in the app of the bank was last put into a file together with others.
ALTER TABLE payment ADD COLUMN filed TEXT;
