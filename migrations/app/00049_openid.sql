-- +goose Up

-- Whom a provider of OpenID Connect calls by a subject. One person has one subject at a provider.
CREATE TABLE openid_identity (
    issuer  TEXT NOT NULL,
    subject TEXT NOT NULL,
    user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    created TEXT NOT NULL,
    used    TEXT, -- when somebody last signed in with it
    PRIMARY KEY (issuer, subject),
    UNIQUE (user_id, issuer)
) STRICT, WITHOUT ROWID;

-- Ways to the provider that have not come back. Each is good once, for one browser.
CREATE TABLE openid_visit (
    state_hash   TEXT PRIMARY KEY,
    browser_hash TEXT NOT NULL,
    nonce        TEXT NOT NULL,
    verifier     TEXT NOT NULL, -- sealed
    fresh        INTEGER NOT NULL CHECK (fresh IN (0, 1)), -- the person signs in anew there
    errand       TEXT NOT NULL CHECK (errand IN ('sign-in', 'link', 'step-up')),
    user_id      TEXT REFERENCES user (id) ON DELETE CASCADE, -- who was signed in; none at a sign-in
    detail       TEXT NOT NULL, -- the page to go to after a sign-in; what a step-up is for
    remember     INTEGER NOT NULL CHECK (remember IN (0, 1)),
    created      TEXT NOT NULL,
    expires      TEXT NOT NULL
) STRICT;
CREATE INDEX openid_visit_expires ON openid_visit (expires);
CREATE INDEX openid_visit_user ON openid_visit (user_id) WHERE user_id IS NOT NULL;
