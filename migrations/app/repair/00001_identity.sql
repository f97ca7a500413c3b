-- when: SELECT 1 FROM pragma_table_info('booked_transaction') WHERE name = 'fingerprint'

-- Step 1 once recognised rows by a fingerprint. The program fills in the two new columns from the records of the bank.
ALTER TABLE booked_transaction DROP COLUMN fingerprint;
ALTER TABLE booked_transaction ADD COLUMN reference TEXT NOT NULL DEFAULT '';
ALTER TABLE booked_transaction ADD COLUMN content TEXT NOT NULL DEFAULT '';
ALTER TABLE pending_transaction ADD COLUMN reference TEXT NOT NULL DEFAULT '';
