-- +goose Up

-- The private address at which the calendar program of a person reads what is to come. Each person has one at most. Nothing else signs the program in.
CREATE TABLE calendar_address (
    user_id    TEXT PRIMARY KEY REFERENCES user (id) ON DELETE CASCADE,
    token_hash TEXT NOT NULL UNIQUE, -- the token itself is kept nowhere
    amounts    INTEGER NOT NULL CHECK (amounts IN (0, 1)), -- the person wants amounts in it
    names      INTEGER NOT NULL CHECK (names IN (0, 1)),   -- the person wants names of payees and banks in it
    created    TEXT NOT NULL,
    asked      TEXT -- when a program last read it, to a quarter of an hour; none until it was
) STRICT;

-- What calendar programs were last told of each event, so that an event keeps its id while it moves, and says when it changed.
CREATE TABLE calendar_event (
    user_id  TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    uid      TEXT NOT NULL,
    source   TEXT NOT NULL, -- what it comes from: a series, a payment, a connection
    day      TEXT NOT NULL,
    print    TEXT NOT NULL, -- a hash of what it said
    sequence INTEGER NOT NULL,
    changed  TEXT NOT NULL,
    PRIMARY KEY (user_id, uid)
) STRICT, WITHOUT ROWID;
