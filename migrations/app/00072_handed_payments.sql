-- +goose Up

-- Payments that were handed to the person to be sent, for the forecast: after each commit all payments were read for them. What follows WHERE is isOpen in internal/store.
CREATE INDEX payment_handed ON payment (user_id, type) WHERE (phase IN ('sending', 'unknown') OR phase = 'created' AND final = 0) AND hidden = 0;
