-- The language that pages speak to a user: two letters, or '' for that of the browser.
-- +goose Up
ALTER TABLE user ADD COLUMN language TEXT NOT NULL DEFAULT '' CHECK (language = '' OR length(language) = 2);
