-- +goose Up

-- Whether the person chose to stay signed in on the device: such a sign-in lasts longer (settings sign-in-lifetime and remembered-lifetime). NULL until the
-- program has looked at a sign-in of before, when there was no choice (store.keepSignIns).
ALTER TABLE user_session ADD COLUMN remembered INTEGER CHECK (remembered IN (0, 1));

-- One-time links with which a person who is locked out sets a new password.
CREATE TABLE reset_link (
    token_hash TEXT PRIMARY KEY,
    user_id    TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    created    TEXT NOT NULL,
    expires    TEXT NOT NULL,
    used       TEXT
) STRICT;
CREATE INDEX reset_link_user ON reset_link (user_id);
