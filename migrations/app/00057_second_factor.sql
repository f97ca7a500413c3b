-- +goose Up

-- Apps that make one-time codes (TOTP, RFC 6238), as the second thing by which a person signs in.
CREATE TABLE authenticator (
    id        TEXT PRIMARY KEY,
    user_id   TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    secret    TEXT NOT NULL,    -- sealed
    name      TEXT NOT NULL,    -- given by the person
    step      INTEGER NOT NULL, -- of the last code that was accepted, in periods of 30 seconds since 1970: no code counts twice
    created   TEXT NOT NULL,
    last_used TEXT
) STRICT;
CREATE INDEX authenticator_user ON authenticator (user_id);

-- Secrets that were shown to a person and not confirmed yet. Each belongs to the sign-in that began it, and to no other of the same person.
CREATE TABLE authenticator_setup (
    session_id TEXT PRIMARY KEY REFERENCES user_session (id) ON DELETE CASCADE,
    user_id    TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    secret     TEXT NOT NULL, -- sealed
    expires    TEXT NOT NULL
) STRICT;
CREATE INDEX authenticator_setup_user ON authenticator_setup (user_id);

-- Codes for who has lost everything else. Each is good once.
CREATE TABLE recovery_code (
    user_id   TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    code_hash TEXT NOT NULL,
    used      TEXT,
    PRIMARY KEY (user_id, code_hash)
) STRICT;

-- Since when everybody needs a second factor; without a row nobody does.
CREATE TABLE second_factor_rule (
    one   INTEGER PRIMARY KEY CHECK (one = 1),
    since TEXT NOT NULL
) STRICT;

-- The provider of OpenID Connect said that the person proved two things there, and its word counts here.
ALTER TABLE user_session ADD COLUMN provider_factor INTEGER NOT NULL DEFAULT 0 CHECK (provider_factor IN (0, 1));
