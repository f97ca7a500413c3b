-- +goose Up

-- Whether the rows of a bulk edit were chosen in the household, and how many of those that were chosen are in accounts of others: they are left alone.
ALTER TABLE bulk_edit ADD COLUMN household INTEGER NOT NULL DEFAULT 0 CHECK (household IN (0, 1));
ALTER TABLE bulk_edit ADD COLUMN others INTEGER NOT NULL DEFAULT 0 CHECK (others >= 0);
