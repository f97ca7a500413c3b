-- +goose Up

-- Each developer has a share of the tries at a time, and each application one at an origin: events are looked for application by
-- application, and of each origin by origin.
DROP INDEX webhook_origin;
CREATE INDEX webhook_target ON webhook (application_id, origin, due) WHERE due IS NOT NULL;
CREATE INDEX webhook_waiting ON webhook (application_id, due) WHERE due IS NOT NULL;
