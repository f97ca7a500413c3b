-- +goose Up

-- When access ended: known where the service told it, where it is the day of the consent, or where the person ended it here. Else `ended` is when Florin noticed.
ALTER TABLE connection ADD COLUMN end_known INTEGER NOT NULL DEFAULT 0 CHECK (end_known IN (0, 1));
UPDATE connection SET ended = valid_until, end_known = 1 WHERE status = 'expired' AND ended >= valid_until;
UPDATE connection SET end_known = 1 WHERE status = 'disconnected';

-- When the service was last asked whether the session is still good, though nothing was read.
ALTER TABLE connection ADD COLUMN looked TEXT;

-- Up to when an account had been read before a link, and from which day on its first sync after the link has read: '' is as far back as the bank goes.
ALTER TABLE link_account ADD COLUMN read_until TEXT;
ALTER TABLE link_account ADD COLUMN read_from TEXT;
