-- +goose Up

-- Rows from before the first release whose identity the program works out when it starts: it looks for them without reading all rows.
CREATE INDEX booked_transaction_unidentified ON booked_transaction (id) WHERE content = '';

-- Each page of a sync leaves a piece of the index. Those of a size are put together when there are eight, which costs a sync little, and any two of a size in the background
-- (store.TendIndex), for a search looks into each piece.
INSERT INTO transaction_search (transaction_search, rank) VALUES ('automerge', 8);
INSERT INTO transaction_search (transaction_search, rank) VALUES ('usermerge', 2);
