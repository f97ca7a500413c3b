-- +goose Up

-- What a call of the log was about, as it stood after the call, and what the bank was asked for it. Empty where there is none, and in rows from before.
ALTER TABLE request_log ADD COLUMN authorization_id TEXT NOT NULL DEFAULT '';
ALTER TABLE request_log ADD COLUMN session_id TEXT NOT NULL DEFAULT '';
ALTER TABLE request_log ADD COLUMN session_status TEXT NOT NULL DEFAULT '';
ALTER TABLE request_log ADD COLUMN psu_type TEXT NOT NULL DEFAULT '';
ALTER TABLE request_log ADD COLUMN auth_approach TEXT NOT NULL DEFAULT '';
ALTER TABLE request_log ADD COLUMN auth_method TEXT NOT NULL DEFAULT '';
ALTER TABLE request_log ADD COLUMN bank_calls INTEGER NOT NULL DEFAULT 0 CHECK (bank_calls >= 0);
ALTER TABLE request_log ADD COLUMN bank_failures INTEGER NOT NULL DEFAULT 0 CHECK (bank_failures BETWEEN 0 AND bank_calls);
ALTER TABLE request_log ADD COLUMN bank_log TEXT NOT NULL DEFAULT ''; -- JSON: the calls to the bank

CREATE INDEX request_log_bank ON request_log (at) WHERE bank_calls > 0;
