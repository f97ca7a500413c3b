-- +goose Up

-- What the person calls a connection: several logins at one bank are told apart by it.
ALTER TABLE connection ADD COLUMN nickname TEXT NOT NULL DEFAULT '';
