-- +goose Up

-- How long access was to last, as the person typed it when the link began; '' for as long as the bank allows.
ALTER TABLE link_attempt ADD COLUMN typed_until TEXT NOT NULL DEFAULT '';

-- When the person stopped the syncing of a connection; NULL while it goes on, and where only the end of access is known.
ALTER TABLE connection ADD COLUMN stopped TEXT;
