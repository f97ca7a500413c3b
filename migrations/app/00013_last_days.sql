-- +goose Up

-- Payments with a day or a rhythm from before there was last_day were given 9999-12-31, and their bookings would be looked for for ever. Florin works their last day out
-- again when it starts (store.fillLastDays): a standing order without an end alone has none.
UPDATE payment SET last_day = '' WHERE last_day = '9999-12-31' AND sent IS NOT NULL;
