-- +goose Up

-- Looking for the payment of a webhook begins with the one that is due, not with all that came.
CREATE INDEX webhook_delivery_next_try ON webhook_delivery (next_try_at) WHERE next_try_at IS NOT NULL;

-- What came of a webhook when it was applied, and when it was replayed: the first result stays.
CREATE TABLE webhook_result (
    delivery_id TEXT NOT NULL REFERENCES webhook_delivery (id) ON DELETE CASCADE,
    sequence    INTEGER NOT NULL,
    at          TEXT NOT NULL,
    result      TEXT NOT NULL,
    PRIMARY KEY (delivery_id, sequence)
) STRICT;
INSERT INTO webhook_result (delivery_id, sequence, at, result)
SELECT id, 1, applied, result FROM webhook_delivery WHERE applied IS NOT NULL;
ALTER TABLE webhook_delivery DROP COLUMN result;

-- The certificate or key whose owner made the signature; empty before that is proved.
ALTER TABLE webhook_delivery ADD COLUMN key_fingerprint TEXT NOT NULL DEFAULT '';
ALTER TABLE webhook_delivery ADD COLUMN key_ends TEXT;

-- The check by which it was refused, in a row that stands for all that are not kept one by one; else empty.
ALTER TABLE webhook_delivery ADD COLUMN counted TEXT NOT NULL DEFAULT '';
CREATE UNIQUE INDEX webhook_delivery_counted ON webhook_delivery (provider_id, counted) WHERE counted <> '';
