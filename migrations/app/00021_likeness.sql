-- +goose Up

-- What naive Bayes has counted of a choice of a category by hand: the features of its row (categories.Features), as they were then.
CREATE TABLE category_feature (
    transaction_id INTEGER NOT NULL REFERENCES category_edit (transaction_id) ON DELETE CASCADE ON UPDATE CASCADE,
    feature        TEXT NOT NULL,
    user_id        TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    category_id    TEXT NOT NULL,
    PRIMARY KEY (transaction_id, feature)
) STRICT, WITHOUT ROWID;

-- How many of the rows that a person chose a category for have a feature, by category. The counts follow category_feature by the triggers below, so nothing that changes or
-- removes a choice leaves them behind.
CREATE TABLE category_count (
    user_id     TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    feature     TEXT NOT NULL,
    category_id TEXT NOT NULL,
    row_count   INTEGER NOT NULL,
    PRIMARY KEY (user_id, feature, category_id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER category_feature_counted AFTER INSERT ON category_feature BEGIN
    INSERT INTO category_count (user_id, feature, category_id, row_count) VALUES (NEW.user_id, NEW.feature, NEW.category_id, 1)
    ON CONFLICT (user_id, feature, category_id) DO UPDATE SET row_count = row_count + 1;
END;
CREATE TRIGGER category_feature_uncounted AFTER DELETE ON category_feature BEGIN
    UPDATE category_count SET row_count = row_count - 1 WHERE user_id = OLD.user_id AND feature = OLD.feature AND category_id = OLD.category_id;
    DELETE FROM category_count WHERE user_id = OLD.user_id AND feature = OLD.feature AND category_id = OLD.category_id AND row_count = 0;
END;

-- The rows without a category, newest first: after a choice they are decided anew.
CREATE INDEX booked_transaction_unknown ON booked_transaction (account_id, sort_key) WHERE category_id IS NULL;

-- The chain knows more than before, so all rows that no hand has decided are decided anew in the background, and the choices that were made before are counted.
DELETE FROM category_backlog;
INSERT INTO category_backlog (from_id) SELECT 0 WHERE EXISTS (SELECT 1 FROM booked_transaction);
