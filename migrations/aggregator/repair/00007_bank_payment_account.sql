-- when: SELECT 1 FROM sqlite_master WHERE name = 'bank_payment_account' AND sql LIKE '%WITHOUT ROWID%'

-- Step 7 once made the table in a form that only SQLite has.
CREATE TABLE bank_payment_account_new (
    account_country TEXT NOT NULL,
    account_name    TEXT NOT NULL, -- of the account's bank
    account         TEXT NOT NULL, -- the bank's own id of it
    number          INTEGER NOT NULL REFERENCES bank_payment (number),
    PRIMARY KEY (account_country, account_name, account, number)
) STRICT;
INSERT INTO bank_payment_account_new (account_country, account_name, account, number)
SELECT account_country, account_name, account, number FROM bank_payment_account;
DROP TABLE bank_payment_account;
ALTER TABLE bank_payment_account_new RENAME TO bank_payment_account;
CREATE INDEX bank_payment_account_number ON bank_payment_account (number);
