-- when: SELECT 1 FROM sqlite_master WHERE name = 'payment_due' AND sql = 'CREATE INDEX payment_due ON payment (due) WHERE due IS NOT NULL'

-- Step 6 once made other indexes.
DROP INDEX payment_due;
CREATE INDEX payment_due ON payment (due, lease_until, aspsp_name, aspsp_country) WHERE due IS NOT NULL;
CREATE INDEX payment_final ON payment (changed) WHERE final = 1;
