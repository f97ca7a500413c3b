-- when: SELECT 1 WHERE EXISTS (SELECT 1 FROM pragma_table_info('payment')) AND NOT EXISTS (SELECT 1 FROM pragma_table_info('payment') WHERE name = 'read_back')

-- Step 3 once had no column for what the service last answered.
ALTER TABLE payment ADD COLUMN read_back TEXT NOT NULL DEFAULT '';
