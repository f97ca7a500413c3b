-- when: SELECT 1 WHERE (SELECT max(version_id) FROM goose_db_version) = 8 AND NOT EXISTS (SELECT 1 FROM sqlite_master WHERE name = 'webhook_origin')

-- Step 8 once made one index less, and step 9 drops it.
CREATE INDEX webhook_origin ON webhook (origin, due) WHERE due IS NOT NULL;
