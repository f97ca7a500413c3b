-- +goose Up

-- The words of transaction_search, in the order of the alphabet. It holds nothing itself.
CREATE VIRTUAL TABLE transaction_word USING fts5vocab (transaction_search, instance);
