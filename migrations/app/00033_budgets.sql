-- +goose Up

-- What a person means to spend, as facts by month; what is left follows from them and the sums of rows (package budgets). Months are those of the person's first day.
CREATE TABLE budget (
    id          TEXT PRIMARY KEY,
    user_id     TEXT    NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    category_id TEXT    NOT NULL, -- '' for a group
    section     TEXT    NOT NULL, -- categories.Group; '' for a category
    currency    TEXT    NOT NULL,
    from_month  TEXT    NOT NULL,
    until_month TEXT    NOT NULL DEFAULT '', -- the last month; '' while it goes on
    goal_minor  INTEGER NOT NULL DEFAULT 0 CHECK (goal_minor >= 0), -- of a bill to save up for; 0 for none
    goal_month  TEXT    NOT NULL DEFAULT '',
    CHECK ((category_id = '') <> (section = '')),
    CHECK ((goal_minor = 0) = (goal_month = ''))
) STRICT;
CREATE INDEX budget_user ON budget (user_id);

-- What a budget has from a month on, until the next row.
CREATE TABLE budget_amount (
    budget_id TEXT    NOT NULL REFERENCES budget (id) ON DELETE CASCADE,
    month     TEXT    NOT NULL,
    minor     INTEGER NOT NULL CHECK (minor >= 0),
    PRIMARY KEY (budget_id, month)
) STRICT, WITHOUT ROWID;

-- What goes on into the next month, from a month on, until the next row.
CREATE TABLE budget_carry (
    budget_id TEXT    NOT NULL REFERENCES budget (id) ON DELETE CASCADE,
    month     TEXT    NOT NULL,
    remaining INTEGER NOT NULL CHECK (remaining IN (0, 1)), -- what is left
    overspent INTEGER NOT NULL CHECK (overspent IN (0, 1)), -- what was spent beyond the budget
    PRIMARY KEY (budget_id, month)
) STRICT, WITHOUT ROWID;

-- Money that a person took from one budget to another in a month. The id comes with the form: one that is sent twice moves money once.
CREATE TABLE budget_move (
    user_id TEXT    NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    id      TEXT    NOT NULL,
    month   TEXT    NOT NULL,
    from_id TEXT    NOT NULL REFERENCES budget (id) ON DELETE CASCADE,
    to_id   TEXT    NOT NULL REFERENCES budget (id) ON DELETE CASCADE,
    minor   INTEGER NOT NULL CHECK (minor > 0),
    PRIMARY KEY (user_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX budget_move_from ON budget_move (from_id);
CREATE INDEX budget_move_to ON budget_move (to_id);

-- The day on which months begin, from a month on; 0 is the last working day.
CREATE TABLE budget_first_day (
    user_id    TEXT    NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    from_month TEXT    NOT NULL,
    first_day  INTEGER NOT NULL CHECK (first_day BETWEEN 0 AND 28),
    PRIMARY KEY (user_id, from_month)
) STRICT, WITHOUT ROWID;
