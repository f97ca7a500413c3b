-- +goose Up

-- Which type of balance of an account counts, where the person chose one (ISO 20022: CLBD, ITAV ...); '' for the one that counts by itself.
ALTER TABLE account ADD COLUMN counts TEXT NOT NULL DEFAULT '';
