-- +goose Up

-- An account that no bank brings has no connection: the person keeps it.
ALTER TABLE account ALTER COLUMN connection_id DROP NOT NULL;
ALTER TABLE account ADD COLUMN source TEXT NOT NULL DEFAULT '' CHECK (source IN ('', 'manual', 'value') AND (source = '') = (connection_id IS NOT NULL)); -- finance.Source
ALTER TABLE account ADD COLUMN institution TEXT NOT NULL DEFAULT ''; -- where the person says that it is
ALTER TABLE account ADD COLUMN closed TEXT;

-- What a person says was on an account, or what it was worth: at the beginning of a day.
CREATE TABLE account_value (
    account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    day        TEXT NOT NULL,
    minor      INTEGER NOT NULL, -- in the currency of the account
    PRIMARY KEY (account_id, day)
) STRICT, WITHOUT ROWID;
