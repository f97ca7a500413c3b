-- +goose Up
-- When a scope of an account was read while the person was not there, as a JSON list of times: banks allow a few such reads a day.
ALTER TABLE sync_task ADD COLUMN reads TEXT NOT NULL DEFAULT '';

-- The headers by which the bank of a connection knows that the person is there (required_psu_headers of GET /aspsps), with blanks between them.
ALTER TABLE connection ADD COLUMN psu_headers TEXT NOT NULL DEFAULT '';
