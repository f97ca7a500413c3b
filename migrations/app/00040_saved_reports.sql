-- +goose Up

-- Reports are saved like searches. A name is there once among the searches of a person, and once among the reports.
CREATE TABLE saved_search_of_kinds (
    id       TEXT NOT NULL PRIMARY KEY,
    user_id  TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    kind     TEXT NOT NULL CHECK (kind IN ('transactions', 'report')),
    name     TEXT NOT NULL CHECK (name <> ''),
    name_key TEXT NOT NULL, -- the name in small letters: two names that differ in capitals alone are one
    text     TEXT NOT NULL CHECK (text <> ''), -- as it stands in the search field, or in the address of the report
    created  TEXT NOT NULL,
    UNIQUE (user_id, kind, name_key)
) STRICT;
INSERT INTO saved_search_of_kinds (id, user_id, kind, name, name_key, text, created)
    SELECT id, user_id, 'transactions', name, name_key, text, created FROM saved_search;
DROP TABLE saved_search;
ALTER TABLE saved_search_of_kinds RENAME TO saved_search;
