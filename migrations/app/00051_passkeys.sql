-- +goose Up

-- Passkeys with which people sign in. The secret half of each never leaves the person's device.
CREATE TABLE passkey (
    id              TEXT PRIMARY KEY,
    user_id         TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    site            TEXT NOT NULL,    -- host name for which it was made: it works nowhere else
    credential_id   BLOB NOT NULL UNIQUE,
    public_key      BLOB NOT NULL,
    transports      TEXT NOT NULL,    -- words, by which a browser finds the device again
    counter         INTEGER NOT NULL, -- signatures so far, as the device counts them; 0 where it does not
    backup_eligible INTEGER NOT NULL CHECK (backup_eligible IN (0, 1)),
    backed_up       INTEGER NOT NULL CHECK (backed_up IN (0, 1)),
    name            TEXT NOT NULL,    -- given by the person
    created         TEXT NOT NULL,
    last_used       TEXT,
    copied          TEXT              -- when its counter showed that there is a copy; it is refused since
) STRICT;
CREATE INDEX passkey_user ON passkey (user_id);
