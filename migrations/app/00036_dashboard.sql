-- +goose Up

-- How people have put the cards of their first page. A card without a row stands where it is at first.
CREATE TABLE dashboard_card (
    user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    card    TEXT NOT NULL, -- finance.DashboardCard
    place   INTEGER NOT NULL, -- from 0
    hidden  INTEGER NOT NULL CHECK (hidden IN (0, 1)),
    PRIMARY KEY (user_id, card)
) STRICT, WITHOUT ROWID;
