-- +goose Up

-- The accounts whose rows a person sees in the view "household": the own ones, and those of others that are shared with everything. A joint account is there
-- once: the own one, else the first of those that others share. It rests on shared_account, which alone decides what is shared (ADR 0054, ADR 0058).
CREATE VIEW household_account AS
SELECT a.user_id AS user_id, a.id AS account_id, a.user_id AS owner_id FROM account a
UNION ALL
SELECT shared.user_id, shared.account_id, shared.owner_id FROM shared_account shared JOIN account a ON a.id = shared.account_id
WHERE shared.level = 'everything' AND (a.hash = ''
    OR NOT EXISTS (SELECT 1 FROM account own WHERE own.user_id = shared.user_id AND own.hash = a.hash AND own.currency = a.currency)
    AND NOT EXISTS (SELECT 1 FROM account twin JOIN shared_account other ON other.account_id = twin.id AND other.user_id = shared.user_id
        WHERE twin.hash = a.hash AND twin.currency = a.currency AND twin.id < a.id AND other.level = 'everything'));

-- Who looks at the household where a page leaves the choice; without a row it is the own accounts.
CREATE TABLE household_choice (
    user_id TEXT NOT NULL PRIMARY KEY REFERENCES user (id) ON DELETE CASCADE
) STRICT;
