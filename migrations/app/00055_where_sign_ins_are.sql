-- +goose Up

-- How the person proved who they are at a sign-in ('password', 'passkey', 'openid'), with which passkey, and the network from which the sign-in was last used:
-- the first 24 bits of an IPv4 address, the first 48 of an IPv6 one. '' where it is not known, as of the sign-ins of before.
ALTER TABLE user_session ADD COLUMN method TEXT NOT NULL DEFAULT '';
ALTER TABLE user_session ADD COLUMN passkey_id TEXT NOT NULL DEFAULT ''; -- of a passkey that may have been removed since
ALTER TABLE user_session ADD COLUMN network TEXT NOT NULL DEFAULT '';

-- People join through the provider, too. A visit lasts ten minutes: whoever is on the way during the upgrade begins again.
DROP TABLE openid_visit;
CREATE TABLE openid_visit (
    state_hash   TEXT PRIMARY KEY,
    browser_hash TEXT NOT NULL,
    nonce        TEXT NOT NULL,
    verifier     TEXT NOT NULL, -- sealed
    fresh        INTEGER NOT NULL CHECK (fresh IN (0, 1)), -- the person signs in anew there
    errand       TEXT NOT NULL CHECK (errand IN ('sign-in', 'join', 'link', 'step-up')),
    user_id      TEXT REFERENCES user (id) ON DELETE CASCADE, -- who was signed in; none at a sign-in and of who joins
    detail       TEXT NOT NULL, -- the page to go to after a sign-in; the id of the invitation of who joins; what a step-up is for
    remember     INTEGER NOT NULL CHECK (remember IN (0, 1)),
    created      TEXT NOT NULL,
    expires      TEXT NOT NULL
) STRICT;
CREATE INDEX openid_visit_expires ON openid_visit (expires);
CREATE INDEX openid_visit_user ON openid_visit (user_id) WHERE user_id IS NOT NULL;
