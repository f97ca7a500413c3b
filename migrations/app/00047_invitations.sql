-- +goose Up

-- A third role: a viewer sees what others share, and changes nothing. SQLite cannot change the check of a column, so another column takes its place; the
-- table stays, and with it all rows that refer to it.
ALTER TABLE user RENAME COLUMN role TO former_role;
ALTER TABLE user ADD COLUMN role TEXT NOT NULL DEFAULT 'viewer' CHECK (role IN ('owner', 'member', 'viewer'));
UPDATE user SET role = former_role;
ALTER TABLE user DROP COLUMN former_role;

-- One-time links with which people join. user_id is who invites; name is whom it is for, in the words of who invites.
CREATE TABLE invitation (
    id         TEXT PRIMARY KEY,
    token_hash TEXT NOT NULL UNIQUE,
    user_id    TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    name       TEXT NOT NULL,
    role       TEXT NOT NULL CHECK (role IN ('owner', 'member', 'viewer')),
    created    TEXT NOT NULL,
    expires    TEXT NOT NULL,
    used       TEXT,
    withdrawn  TEXT
) STRICT;
CREATE INDEX invitation_user ON invitation (user_id);
