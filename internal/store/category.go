package store

import (
	"context"
	"encoding/json"
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
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO category (user_id, id, section, name, archived, merged_into) VALUES ($1, $2, $3, $4, $5, $6)
			ON CONFLICT (user_id, id) DO UPDATE SET section = excluded.section, name = excluded.name, archived = excluded.archived,
				merged_into = excluded.merged_into`, userID, c.ID, c.Group, c.Name, c.Archived, c.Into)
		return err
	})
}

// judged is what was decided about a row.
type judged struct {
	categories.Decision
	payee categories.Payee
}

// categoryID is the category as it is stored: NULL for none.
func (j judged) categoryID() any {
	if j.Category == "" {
		return nil
	}
	return j.Category
}

// payeeName is the clean name as it is stored: "" when it is as the bank wrote it.
func (j judged) payeeName(counterparty string) string {
	if j.payee.Name == counterparty {
		return ""
	}
	return j.payee.Name
}

// judge runs a row through the chain.
func judge(m categories.Memory, f categories.Facts) judged {
	payee := categories.PayeeOf(f)
	return judged{m.Decide(f, payee), payee}
}

// factsOf are the facts of a row of an account with this IBAN.
func factsOf(t finance.Transaction, signs finance.Signs, accountIBAN string) categories.Facts {
	f := categories.Facts{Out: t.Amount.Sign() < 0, Name: t.Counterparty, Account: t.CounterpartyAccount, Text: t.Remittance, Kind: t.Kind, Signs: signs}
	if len(accountIBAN) > 2 {
		f.Country = accountIBAN[:2]
	}
	return f
}

// memoryOf reads what the chain knows of a user.
func memoryOf(ctx context.Context, q querier, userID string) (categories.Memory, error) {
	m := categories.Memory{Own: map[string]bool{}, Lessons: map[categories.Lesson]string{}}
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
	return m, lessons.Err()
}

// labelled is a stored row with what the chain looks at.
type labelled struct {
	id           int64
	category, by string
	counterparty string
	why, payee   string
	payeeKey     string
	categories.Facts
}

// labelledColumns are those of a row t of an account a with its record.
const labelledColumns = `t.id, COALESCE(t.category_id, ''), t.category_by, t.category_why, t.payee, t.payee_key, t.minor, t.currency, t.counterparty,
	t.counterparty_account, t.remittance, t.kind, a.iban, record.original`

// scanLabelled reads labelledColumns, and what follows them into more.
func scanLabelled(row scanner, more ...any) (l labelled, err error) {
	var t finance.Transaction
	var minor int64
	var currency, iban, original string
	err = row.Scan(append([]any{&l.id, &l.category, &l.by, &l.why, &l.payee, &l.payeeKey, &minor, &currency, &t.Counterparty, &t.CounterpartyAccount,
		&t.Remittance, &t.Kind, &iban, &original}, more...)...)
	if err != nil {
		return l, err
	}
	var wire openbanking.Transaction
	if err := json.Unmarshal([]byte(original), &wire); err != nil {
		return l, fmt.Errorf("record of transaction %d: %w", l.id, err)
	}
	t.Amount = money.FromMinor(minor, currency)
	l.counterparty, l.Facts = t.Counterparty, factsOf(t, finance.SignsOf(wire), iban)
	return l, nil
}

func aLabelled(row scanner) (labelled, error) { return scanLabelled(row) }

// decideAnew runs rows through the chain again and stores what changes. Rows that a hand decided keep their category. It returns how many got another one.
func decideAnew(ctx context.Context, tx *sqlite.Tx, m categories.Memory, rows []labelled) (changed int, err error) {
	var ids []any
	for _, l := range rows {
		j := judge(m, l.Facts)
		byHand := l.by == string(categories.ByHand)
		if byHand {
			j.Decision = categories.Decision{Category: l.category, By: categories.ByHand, Why: l.why}
		}
		payee := j.payeeName(l.counterparty)
		if j.Category == l.category && string(j.By) == l.by && j.Why == l.why && payee == l.payee && j.payee.Key == l.payeeKey {
			continue
		}
		if j.Category != l.category {
			changed++
		}
		_, err := tx.ExecContext(ctx, `UPDATE booked_transaction SET category_id = $1, category_by = $2, category_why = $3, payee = $4, payee_key = $5 WHERE id = $6`,
			j.categoryID(), j.By, j.Why, payee, j.payee.Key, l.id)
		if err != nil {
			return 0, err
		}
		ids = append(ids, l.id)
	}
	return changed, reindex(ctx, tx, ids)
}

// SetCategory sets the category of a row by hand, and decides the other rows of its payee anew which no hand has set. With "" the choice is taken back,
// and Florin decides. It returns how many other rows got another category. An id that is no category of the user's, or somebody else's row, is
// finance.ErrNotFound.
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
			JOIN transaction_record record ON record.transaction_id = t.id WHERE t.id = $1 AND a.id = $2 AND a.user_id = $3`, id, accountID, userID))
		if err != nil {
			return notFound(err)
		}
		if err := teach(ctx, tx, userID, row, category); err != nil {
			return err
		}
		m, err := memoryOf(ctx, tx, userID)
		if err != nil {
			return err
		}
		var rows []labelled
		if key := categories.PayeeOf(row.Facts).Key; key != "" {
			rows, err = collect(ctx, tx, aLabelled, `SELECT `+labelledColumns+` FROM account a JOIN booked_transaction t ON t.account_id = a.id AND t.payee_key = $1
				JOIN transaction_record record ON record.transaction_id = t.id WHERE a.user_id = $2 AND t.id <> $3`, key, userID, id)
			if err != nil {
				return err
			}
		}
		if others, err = decideAnew(ctx, tx, m, rows); err != nil || category != "" {
			return err
		}
		row.by = ""
		_, err = decideAnew(ctx, tx, m, []labelled{row})
		return err
	})
	return others, err
}

// teach stores a choice by hand, with what follows from it for rows to come; "" takes it back.
func teach(ctx context.Context, tx *sqlite.Tx, userID string, row labelled, category string) error {
	for _, l := range categories.Lessons(row.Facts) {
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
	_, err = tx.ExecContext(ctx, `UPDATE booked_transaction SET category_id = $1, category_by = 'hand', category_why = '' WHERE id = $2`, category, row.id)
	if err != nil {
		return err
	}
	return reindex(ctx, tx, []any{row.id})
}

// replayed are the edits that CategoryQuality counts, and those before them that it learns from.
const (
	replayed = 100
	replays  = 1000
)

// CategoryQuality says in how many of the user's last choices by hand, at most 100, Florin would have chosen the same, knowing only the choices before.
func (s *Store) CategoryQuality(ctx context.Context, userID string) (right, of int, err error) {
	defer doing("count right categories", &err)
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

// backlogRows are decided at once.
const backlogRows = 500

// Categorise decides rows that were there before Florin knew categories, some at a time. It is the work of a background loop: it returns when to be called
// again, never when there is nothing left.
func (s *Store) Categorise(ctx context.Context) (next time.Time, err error) {
	defer doing("categorise old transactions", &err)
	type waiting struct {
		labelled
		user string
	}
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		next = time.Time{}
		rows, err := collect(ctx, tx, func(row scanner) (w waiting, err error) {
			w.labelled, err = scanLabelled(row, &w.user)
			return w, err
		}, `SELECT `+labelledColumns+`, a.user_id FROM category_backlog waiting JOIN booked_transaction t ON t.id >= waiting.from_id
			JOIN account a ON a.id = t.account_id JOIN transaction_record record ON record.transaction_id = t.id ORDER BY t.id LIMIT $1`, backlogRows)
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			_, err = tx.ExecContext(ctx, `DELETE FROM category_backlog`)
			return err
		}
		byUser := map[string][]labelled{}
		for _, w := range rows {
			byUser[w.user] = append(byUser[w.user], w.labelled)
		}
		for user, rows := range byUser {
			m, err := memoryOf(ctx, tx, user)
			if err != nil {
				return err
			}
			if _, err := decideAnew(ctx, tx, m, rows); err != nil {
				return err
			}
		}
		next = tx.Now
		_, err = tx.ExecContext(ctx, `UPDATE category_backlog SET from_id = $1`, rows[len(rows)-1].id+1)
		return err
	})
	return next, err
}
