-- +goose Up

-- What the last examination of a provider found, as finance.Examination in JSON; '' before the first.
ALTER TABLE provider ADD COLUMN examination TEXT NOT NULL DEFAULT '';
-- When it was removed: its key is gone, and the row stays for the history of what came through it.
ALTER TABLE provider ADD COLUMN removed TEXT;

-- A provider that is being set up, or another registration for one that exists: what was typed, until its key was proved at the service.
CREATE TABLE provider_setup (
    id             TEXT PRIMARY KEY, -- of the provider that it becomes
    name           TEXT NOT NULL,
    base_url       TEXT NOT NULL,
    issuer         TEXT NOT NULL,
    audience       TEXT NOT NULL,
    application_id TEXT NOT NULL,
    private_key    TEXT NOT NULL, -- sealed
    certificate    TEXT NOT NULL, -- of a key that was made here; '' for one that was brought along
    examination    TEXT NOT NULL,
    created        TEXT NOT NULL,
    updated        TEXT NOT NULL
) STRICT;
