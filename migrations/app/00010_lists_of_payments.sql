-- +goose Up

-- The lists of payments in their order, each by an index of its own, so that none of them reads the payments that are not in it. The queries that they serve are in
-- internal/store (isDraft, isOpen, isUnseen, isComing): what follows WHERE has to be what is asked for there.
DROP INDEX payment_user;
CREATE INDEX payment_user ON payment (user_id, created, id);
DROP INDEX payment_account;
CREATE INDEX payment_account ON payment (account_id, created, id);
CREATE INDEX payment_retry ON payment (retry_of) WHERE retry_of IS NOT NULL;
CREATE INDEX payment_draft ON payment (user_id, created, id) WHERE phase = 'draft' AND hidden = 0;
CREATE INDEX payment_open ON payment (user_id, created, id) WHERE (phase IN ('sending', 'unknown') OR phase = 'created' AND final = 0) AND hidden = 0;
DROP INDEX payment_news;
CREATE INDEX payment_news ON payment (user_id, news, id) WHERE seen IS NULL AND (final = 1 OR phase = 'failed') AND hidden = 0;
CREATE INDEX payment_coming ON payment (user_id, last_day) WHERE phase = 'created' AND hidden = 0 AND stopped IS NULL AND (final = 0 OR last_day > substr(ended, 1, 10))
    AND (instr(request, '"requested_execution_date":"') > 0 OR instr(request, '"frequency":"') > 0);

-- Those whose bookings are looked for, and those whose outcome is not known.
CREATE INDEX payment_match ON payment (user_id, last_day) WHERE phase IN ('created', 'unknown');
CREATE INDEX payment_unknown ON payment (sent) WHERE phase = 'unknown';
