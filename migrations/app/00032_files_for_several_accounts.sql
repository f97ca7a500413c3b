-- +goose Up

-- A file can bring rows into several accounts: one import for each of them, with the same file. It can have made the account.
ALTER TABLE statement_import ADD COLUMN file_id TEXT NOT NULL DEFAULT '';
ALTER TABLE statement_import ADD COLUMN made_account INTEGER NOT NULL DEFAULT 0;
UPDATE statement_import SET file_id = id;
CREATE INDEX statement_import_file ON statement_import (file_id);

-- An account that the person keeps can come from the export of a simulated bank: its money is not real.
ALTER TABLE account ADD COLUMN simulated INTEGER NOT NULL DEFAULT 0;
