-- +goose Up

-- One kind of failure code for links, syncs and payments: those of the API are written as the API writes them, those of Florin in small letters.
UPDATE sync_task SET last_error_code = lower(last_error_code) WHERE last_error_code IN ('UNREACHABLE', 'INTERNAL', 'ENDLESS');
