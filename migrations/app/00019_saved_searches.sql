-- +goose Up

-- Searches that a person keeps under a name.
CREATE TABLE saved_search (
    id       TEXT NOT NULL PRIMARY KEY,
    user_id  TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    name     TEXT NOT NULL CHECK (name <> ''),
    name_key TEXT NOT NULL, -- the name in small letters: two names that differ in capitals alone are one
    text     TEXT NOT NULL CHECK (text <> ''), -- as it stands in the search field
    created  TEXT NOT NULL,
    UNIQUE (user_id, name_key)
) STRICT;
