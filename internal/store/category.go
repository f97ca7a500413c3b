package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"florin/internal/categories"
	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
)

// Categories returns the categories of a user.
func (s *Store) Categories(ctx context.Context, userID string) (_ categories.Book, err error) {
	defer doing("read categories", &err)
	return sqlite.Remember(ctx, s.db, sqlite.Key{"category", userID, ""}, func() (categories.Book, error) {
		changes, err := collect(ctx, s.db.Read(), func(row scanner) (c categories.Own, err error) {
			return c, row.Scan(&c.ID, &c.Group, &c.Name, &c.Archived, &c.Into)
		}, `SELECT id, section, name, archived, merged_into FROM category WHERE user_id = $1 ORDER BY name, id`, userID)
		return categories.BookOf(changes), err
	})
}

// SaveCategory keeps what a user has changed about a category, or a new one.
func (s *Store) SaveCategory(ctx context.Context, userID string, c categories.Own) (err error) {
	defer doing("save category", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error { return saveCategory(ctx, tx, userID, c) })
}

func saveCategory(ctx context.Context, tx *sqlite.Tx, userID string, c categories.Own) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO category (user_id, id, section, name, archived, merged_into) VALUES ($1, $2, $3, $4, $5, $6)
			ON CONFLICT (user_id, id) DO UPDATE SET section = excluded.section, name = excluded.name, archived = excluded.archived,
				merged_into = excluded.merged_into`, userID, c.ID, c.Group, c.Name, c.Archived, c.Into)
	return err
}

// judged is what was decided about a row.
type judged struct {
	categories.Judgement
}

// categoryID is the category as it is stored: NULL for none.
func (j judged) categoryID() any {
	if j.Category == "" {
		return nil
	}
	return j.Category
}

// payeeName is the name of a row as it is stored: "" when it is as the bank wrote it.
func (j judged) payeeName(counterparty string) string {
	if j.Name == counterparty {
		return ""
	}
	return j.Name
}

// suggestionID is the suggestion as it is stored: NULL for none.
func (j judged) suggestionID() any {
	if j.Suggestion == "" {
		return nil
	}
	return j.Suggestion
}

// memory is what the categorisation of a user's rows is based on. The counts for naive Bayes are read when a row first needs them.
type memory struct {
	categories.Memory
	user  string
	asked map[string]bool // features
}

// judge runs a row through the chain. payee is categories.PayeeOf the facts.
func (m *memory) judge(ctx context.Context, q querier, f categories.Facts, payee categories.Payee) (judged, error) {
	if err := m.recall(ctx, q, m.features(f, payee)); err != nil {
		return judged{}, err
	}
	return judged{m.Judge(f, payee)}, nil
}

// features are those of a row that matter: none where the person has never chosen a category for money of this direction.
func (m *memory) features(f categories.Facts, payee categories.Payee) []string {
	if len(m.Counts) == 0 {
		return nil
	}
	if features := categories.Features(f, payee); m.Counts[features[0]] != nil {
		return features
	}
	return nil
}

// recall reads the counts of features, those that it has not read before.
func (m *memory) recall(ctx context.Context, q querier, features []string) error {
	var missing []any
	for _, feature := range features {
		if !m.asked[feature] {
			m.asked[feature] = true
			missing = append(missing, feature)
		}
	}
	for some := range slices.Chunk(missing, lookupRows) {
		rows, err := q.QueryContext(ctx, countsQuery, append([]any{m.user}, padded(some)...)...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var feature, category string
			var n int
			if err := rows.Scan(&feature, &category, &n); err != nil {
				return err
			}
			m.Counts.Add([]string{feature}, category, n)
		}
		if err := rows.Err(); err != nil {
			return err
		}
	}
	return nil
}

var countsQuery = `SELECT feature, category_id, row_count FROM category_count WHERE user_id = ? AND feature IN ` + tuples(1, lookupRows)

// memoryOf reads what the chain knows of a user.
func memoryOf(ctx context.Context, q querier, userID string) (*memory, error) {
	m := &memory{categories.Memory{Own: map[string]bool{}, Lessons: map[categories.Lesson]string{}, Counts: categories.Counts{}}, userID, map[string]bool{}}
	rows, err := q.QueryContext(ctx, `SELECT iban, number FROM account WHERE user_id = $1`, userID)
	if err != nil {
		return m, err
	}
	defer rows.Close()
	for rows.Next() {
		var iban, number string
		if err := rows.Scan(&iban, &number); err != nil {
			return m, err
		}
		m.Own[iban], m.Own[number] = true, true
	}
	if err := rows.Err(); err != nil {
		return m, err
	}
	delete(m.Own, "")
	lessons, err := q.QueryContext(ctx, `SELECT kind, outgoing, lesson_key, category_id FROM category_lesson WHERE user_id = $1`, userID)
	if err != nil {
		return m, err
	}
	defer lessons.Close()
	for lessons.Next() {
		var l categories.Lesson
		var category string
		if err := lessons.Scan(&l.By, &l.Out, &l.Key, &category); err != nil {
			return m, err
		}
		m.Lessons[l] = category
	}
	if err := lessons.Err(); err != nil {
		return m, err
	}
	rules, err := rulesOf(ctx, q, userID)
	if err != nil {
		return m, err
	}
	m.Rules = categories.RulesOf(rules)
	if m.Names, err = personalNames(ctx, q, userID); err != nil {
		return m, err
	}
	return m, m.recall(ctx, q, categories.Directions)
}

// labelled is a stored row with what the chain looks at.
type labelled struct {
	id           int64
	category, by string
	counterparty string
	why, payee   string
	payeeKey     string
	suggestion   string
	categories.Facts
}

// labelledColumns are those of a row t of an account a with its record.
const labelledColumns = `t.id, COALESCE(t.category_id, ''), t.category_by, t.category_why, COALESCE(t.suggestion_id, ''), t.payee, t.payee_key,
	t.account_id, t.minor, t.currency, t.display_date, t.counterparty, t.counterparty_account, t.remittance, t.kind, a.iban, record.original,
	COALESCE((SELECT held.state FROM own_transfer held WHERE held.out_id = t.id), (SELECT held.state FROM own_transfer held WHERE held.in_id = t.id), '')`

// scanLabelled reads labelledColumns, and what follows them into more.
func scanLabelled(row scanner, more ...any) (l labelled, err error) {
	var t finance.Transaction
	var minor int64
	var currency, iban, original string
	var transfer finance.TransferState
	err = row.Scan(append([]any{&l.id, &l.category, &l.by, &l.why, &l.suggestion, &l.payee, &l.payeeKey, &t.AccountID, &minor, &currency, &t.Date,
		&t.Counterparty, &t.CounterpartyAccount,
		&t.Remittance, &t.Kind, &iban, &original, &transfer}, more...)...)
	if err != nil {
		return l, err
	}
	var wire openbanking.Transaction
	if err := json.Unmarshal([]byte(original), &wire); err != nil {
		return l, fmt.Errorf("record of transaction %d: %w", l.id, err)
	}
	t.Amount = money.FromMinor(minor, currency)
	l.counterparty, l.Facts = t.Counterparty, categories.FactsOf(t, finance.SignsOf(wire), iban)
	l.Transfer = transfer
	return l, nil
}

func aLabelled(row scanner) (labelled, error) { return scanLabelled(row) }

// decideAnew runs rows through the chain again and stores what changes. Rows that a hand decided keep their category. It returns how many got another one.
func decideAnew(ctx context.Context, tx *sqlite.Tx, m *memory, rows []labelled) (changed int, err error) {
	var ids []any
	for _, l := range rows {
		j, err := m.judge(ctx, tx, l.Facts, categories.PayeeOf(l.Facts))
		if err != nil {
			return 0, err
		}
		if l.by == string(categories.ByHand) {
			j.Decision = categories.Decision{Category: l.category, By: categories.ByHand, Why: l.why}
		}
		payee := j.payeeName(l.counterparty)
		same := j.Category == l.category && string(j.By) == l.by && j.Why == l.why && j.Suggestion == l.suggestion && payee == l.payee && j.Key == l.payeeKey
		if !same {
			_, err = tx.ExecContext(ctx, `UPDATE booked_transaction SET category_id = $1, category_by = $2, category_why = $3, suggestion_id = $4, payee = $5, payee_key = $6
				WHERE id = $7`, j.categoryID(), j.By, j.Why, j.suggestionID(), payee, j.Key, l.id)
			if err != nil {
				return 0, err
			}
		}
		done, err := do(ctx, tx, m.user, l.id, j.Deeds)
		if err != nil {
			return 0, err
		}
		if same && !done {
			continue
		}
		if j.Category != l.category {
			changed++
		}
		ids = append(ids, l.id)
	}
	return changed, reindex(ctx, tx, ids)
}

// rowsOfPayee reads the rows of a user that are shown with one of the names, by their keys.
func rowsOfPayee(ctx context.Context, tx *sqlite.Tx, userID string, keys ...string) (all []labelled, err error) {
	for _, key := range slices.Compact(slices.Sorted(slices.Values(keys))) {
		if key == "" {
			continue
		}
		rows, err := collect(ctx, tx, aLabelled, `SELECT `+labelledColumns+` FROM account a JOIN booked_transaction t ON t.account_id = a.id AND t.payee_key = $1
			JOIN transaction_record record ON record.transaction_id = t.id WHERE a.user_id = $2 AND `+inList, key, userID)
		if err != nil {
			return nil, err
		}
		all = append(all, rows...)
	}
	return all, nil
}

// anewAtOnce is how many rows without a category are decided anew after a choice, in each account.
const anewAtOnce = 100

// SetCategory sets the category of a row by hand, and decides anew the other rows of its payee which no hand has set, and the newest rows without a category.
// With "" the choice is taken back, and Florin decides. It returns how many other rows of the payee got another category. An id that is no category of the
// user's, or somebody else's row, is finance.ErrNotFound.
func (s *Store) SetCategory(ctx context.Context, userID, accountID string, id int64, category string) (others int, err error) {
	defer doing("set category", &err)
	book, err := s.Categories(ctx, userID)
	if err != nil {
		return 0, err
	}
	if _, ok := book.Of(category); category != "" && !ok {
		return 0, finance.ErrNotFound
	}
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		row, err := scanLabelled(tx.QueryRowContext(ctx, `SELECT `+labelledColumns+` FROM booked_transaction t JOIN account a ON a.id = t.account_id
			JOIN transaction_record record ON record.transaction_id = t.id WHERE t.id = $1 AND a.id = $2 AND a.user_id = $3 AND `+inList, id, accountID, userID))
		if err != nil {
			return notFound(err)
		}
		names, err := personalNames(ctx, tx, userID)
		if err != nil {
			return err
		}
		if err := teach(ctx, tx, userID, names, row, category); err != nil {
			return err
		}
		if err := reindex(ctx, tx, []any{id}); err != nil {
			return err
		}
		m, err := memoryOf(ctx, tx, userID)
		if err != nil {
			return err
		}
		payee := categories.PayeeOf(row.Facts)
		_, key, _ := names.Of(payee.Name, payee.Key)
		rows, err := rowsOfPayee(ctx, tx, userID, key)
		if err != nil {
			return err
		}
		rows = slices.DeleteFunc(rows, func(l labelled) bool { return l.id == id })
		if others, err = decideAnew(ctx, tx, m, rows); err != nil {
			return err
		}
		unknown, err := unknownRows(ctx, tx, userID)
		if err != nil {
			return err
		}
		if category == "" {
			row.by = ""
			unknown = append(unknown, row)
		}
		_, err = decideAnew(ctx, tx, m, unknown)
		return err
	})
	return others, err
}

// unknownRows are the newest rows of each account without a category.
func unknownRows(ctx context.Context, tx *sqlite.Tx, userID string) (all []labelled, err error) {
	accounts, err := collect(ctx, tx, func(row scanner) (id string, err error) { return id, row.Scan(&id) }, `SELECT a.id FROM account a WHERE a.user_id = $1`, userID)
	if err != nil {
		return nil, err
	}
	for _, account := range accounts {
		rows, err := collect(ctx, tx, aLabelled, withoutCategoryQuery, account, userID, anewAtOnce)
		if err != nil {
			return nil, err
		}
		all = append(all, rows...)
	}
	return all, nil
}

const withoutCategoryQuery = `SELECT ` + labelledColumns + ` FROM booked_transaction t JOIN account a ON a.id = t.account_id JOIN transaction_record record ON record.transaction_id = t.id
	WHERE t.account_id = $1 AND a.user_id = $2 AND t.category_id IS NULL AND t.sort_key >= 0 ORDER BY t.sort_key DESC LIMIT $3`

// count replaces the features of a row that naive Bayes counts, under the category that the person chose for it; with "" it only removes them.
func count(ctx context.Context, tx *sqlite.Tx, userID string, row labelled, category string) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM category_feature WHERE transaction_id = $1 AND user_id = $2`, row.id, userID)
	if err != nil || category == "" {
		return err
	}
	var values []any
	for _, feature := range categories.Features(row.Facts, categories.PayeeOf(row.Facts)) {
		values = append(values, row.id, feature, userID, category)
	}
	return newFeatures.store(ctx, tx, values)
}

var newFeatures = newInsert(4, `INSERT INTO category_feature (transaction_id, feature, user_id, category_id) VALUES `, "")

// teach stores a choice by hand, with what follows from it for rows to come; "" takes it back. The caller indexes the row anew.
func teach(ctx context.Context, tx *sqlite.Tx, userID string, names categories.Names, row labelled, category string) error {
	for _, l := range (categories.Memory{Names: names}).LessonsOf(row.Facts) {
		query, args := `DELETE FROM category_lesson WHERE user_id = $1 AND kind = $2 AND outgoing = $3 AND lesson_key = $4`, []any{userID, l.By, l.Out, l.Key}
		if category != "" {
			query = `INSERT INTO category_lesson (user_id, kind, outgoing, lesson_key, category_id) VALUES ($1, $2, $3, $4, $5)
				ON CONFLICT (user_id, kind, outgoing, lesson_key) DO UPDATE SET category_id = excluded.category_id`
			args = append(args, category)
		}
		if _, err := tx.ExecContext(ctx, query, args...); err != nil {
			return err
		}
	}
	if category == "" {
		_, err := tx.ExecContext(ctx, `DELETE FROM category_edit WHERE transaction_id = $1 AND user_id = $2`, row.id, userID)
		return err
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO category_edit (transaction_id, user_id, edited) VALUES ($1, $2, $3)
		ON CONFLICT (transaction_id) DO UPDATE SET edited = excluded.edited`, row.id, userID, sqlite.At(tx.Now))
	if err != nil {
		return err
	}
	if err := count(ctx, tx, userID, row, category); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE booked_transaction SET category_id = $1, category_by = 'hand', category_why = '', suggestion_id = NULL WHERE id = $2`, category, row.id)
	return err
}

// replayed are the edits that CategoryQuality counts, and those before them that it learns from.
const (
	replayed = 100
	replays  = 1000
)

// CategoryQuality says in how many of the user's last choices by hand, at most 100, Florin would have chosen the same, knowing only the choices before.
func (s *Store) CategoryQuality(ctx context.Context, userID string) (right, of int, err error) {
	defer doing("count right categories", &err)
	type quality struct{ right, of int }
	q, err := sqlite.Remember(ctx, s.db, sqlite.Key{"category_edit", userID, ""}, func() (q quality, err error) {
		q.right, q.of, err = s.replay(ctx, userID)
		return q, err
	})
	return q.right, q.of, err
}

// replay takes the last choices of a user one by one, and counts how often Florin would have chosen the same category from the choices before.
func (s *Store) replay(ctx context.Context, userID string) (right, of int, err error) {
	m, err := memoryOf(ctx, s.db.Read(), userID)
	if err != nil {
		return 0, 0, err
	}
	edits, err := collect(ctx, s.db.Read(), aLabelled, `SELECT `+labelledColumns+` FROM category_edit e JOIN booked_transaction t ON t.id = e.transaction_id
		JOIN account a ON a.id = t.account_id JOIN transaction_record record ON record.transaction_id = t.id
		WHERE e.user_id = $1 AND a.user_id = $1 AND t.category_by = 'hand' ORDER BY e.edited DESC, e.transaction_id DESC LIMIT $2`, userID, replays)
	if err != nil {
		return 0, 0, err
	}
	slices.Reverse(edits)
	all := make([]categories.Labelled, 0, len(edits))
	for _, e := range edits {
		all = append(all, categories.Labelled{Facts: e.Facts, Category: e.category})
	}
	right, of = categories.Replay(m.Own, all, replayed)
	return right, of, nil
}

// backlogRows is how many rows one step of the backlog decides.
const backlogRows = 500

// decideLater puts all rows of a user into the backlog: what decides about them has changed.
func decideLater(ctx context.Context, tx *sqlite.Tx, userID string) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO decision_backlog (account_id, before_key) SELECT a.id, $1 FROM account a WHERE a.user_id = $2
		ON CONFLICT (account_id) DO UPDATE SET before_key = excluded.before_key`, int64(Newest), userID)
	return err
}

// WhenUndecided sets what is called when rows may be left for Categorise. It is set before the store is used.
func (s *Store) WhenUndecided(wake func()) { s.undecided = wake }

// Categorise decides rows of the backlog anew, some at a time: those of which something has changed, and those that were there before an update of Florin
// which decides better. It is the work of a background loop: it returns when to be called again, never when there is nothing left.
func (s *Store) Categorise(ctx context.Context) (next time.Time, err error) {
	defer doing("categorise transactions", &err)
	more, err := s.decideSome(ctx, "")
	if more {
		next = time.Now()
	}
	return next, err
}

// decideSome decides the newest rows of the backlog anew, of one user or with "" of all. It reports whether there was something to do.
func (s *Store) decideSome(ctx context.Context, userID string) (did bool, err error) {
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		var account, user string
		var before int64
		err := tx.QueryRowContext(ctx, `SELECT waiting.account_id, waiting.before_key, a.user_id FROM decision_backlog waiting
			JOIN account a ON a.id = waiting.account_id WHERE $1 = '' OR a.user_id = $1
			ORDER BY waiting.before_key DESC, waiting.account_id LIMIT 1`, userID).Scan(&account, &before, &user)
		if did = err == nil; errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		last := before
		rows, err := collect(ctx, tx, func(row scanner) (labelled, error) { return scanLabelled(row, &last) }, `SELECT `+labelledColumns+`, t.sort_key
			FROM booked_transaction t JOIN account a ON a.id = t.account_id JOIN transaction_record record ON record.transaction_id = t.id
			WHERE t.account_id = $1 AND t.sort_key < $2 AND t.sort_key >= 0 AND a.user_id = $3 ORDER BY t.sort_key DESC LIMIT $4 + 0`, account, before, user, backlogRows)
		if err != nil {
			return err
		}
		m, err := memoryOf(ctx, tx, user)
		if err != nil {
			return err
		}
		if _, err := decideAnew(ctx, tx, m, rows); err != nil {
			return err
		}
		for _, l := range rows { // choices that were made before Florin counted them; a category that came with a file was none once
			if l.by != string(categories.ByHand) {
				continue
			}
			var chosen bool
			err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM category_edit e WHERE e.transaction_id = $1 AND e.user_id = $2)`, l.id, user).Scan(&chosen)
			if err == nil && chosen {
				err = count(ctx, tx, user, l, l.category)
			}
			if err != nil {
				return err
			}
		}
		if len(rows) < backlogRows {
			_, err = tx.ExecContext(ctx, `DELETE FROM decision_backlog WHERE account_id = $1`, account)
		} else {
			_, err = tx.ExecContext(ctx, `UPDATE decision_backlog SET before_key = $1 WHERE account_id = $2`, last, account)
		}
		return err
	})
	return did, err
}
