-- +goose Up

-- Whether a search was saved over the household, and not over the own accounts.
ALTER TABLE saved_search ADD COLUMN household INTEGER NOT NULL DEFAULT 0 CHECK (household IN (0, 1));
