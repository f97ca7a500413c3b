package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"florin/internal/categories"
	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/sqlite"
)

// MaxRules is how many rules a user has at most.
const MaxRules = 200

// ErrTooManyRules is the error of SaveRule for one more than MaxRules.
var ErrTooManyRules = errors.New("there are MaxRules rules already")

// Rules returns the rules of a user in the order in which they are tried.
func (s *Store) Rules(ctx context.Context, userID string) (_ []categories.Rule, err error) {
	defer doing("read rules", &err)
	return rulesOf(ctx, s.db.Read(), userID)
}

func rulesOf(ctx context.Context, q querier, userID string) ([]categories.Rule, error) {
	return collect(ctx, q, func(row scanner) (r categories.Rule, err error) {
		var conditions, actions string
		if err = row.Scan(&r.ID, &r.Off, &conditions, &actions); err != nil {
			return r, err
		}
		if err = json.Unmarshal([]byte(conditions), &r.Conditions); err == nil {
			err = json.Unmarshal([]byte(actions), &r.Actions)
		}
		if err != nil {
			err = fmt.Errorf("rule %s: %w", r.ID, err)
		}
		return r, err
	}, `SELECT rule.id, rule.switched_off, rule.conditions, rule.actions FROM transaction_rule rule WHERE rule.user_id = $1 ORDER BY rule.position, rule.id`, userID)
}

// Rule returns one rule of a user, else finance.ErrNotFound.
func (s *Store) Rule(ctx context.Context, userID, id string) (_ categories.Rule, err error) {
	defer doing("read rule", &err)
	all, err := rulesOf(ctx, s.db.Read(), userID)
	if err != nil {
		return categories.Rule{}, err
	}
	i := slices.IndexFunc(all, func(r categories.Rule) bool { return r.ID == id })
	if i < 0 {
		return categories.Rule{}, finance.ErrNotFound
	}
	return all[i], nil
}

// SaveRule keeps a rule of a user: a new one, without an id, is tried first. The rows that are there follow: the newest at once, the others in the background.
// It returns the id of the rule, finance.ErrNotFound for the rule of somebody else, or ErrTooManyRules.
func (s *Store) SaveRule(ctx context.Context, userID string, r categories.Rule) (_ string, err error) {
	defer doing("save rule", &err)
	err = s.changeRules(ctx, userID, func(tx *sqlite.Tx) error {
		known, err := tagsOf(ctx, tx, userID)
		if err != nil {
			return err
		}
		r.Tags = slices.Clone(r.Tags)
		for i, tag := range r.Tags {
			r.Tags[i] = asKnown(known, tag)
		}
		conditions, err := json.Marshal(r.Conditions)
		if err != nil {
			return err
		}
		actions, err := json.Marshal(r.Actions)
		if err != nil {
			return err
		}
		if r.ID != "" {
			return changed(tx.ExecContext(ctx, `UPDATE transaction_rule SET switched_off = $1, conditions = $2, actions = $3 WHERE id = $4 AND user_id = $5`,
				flag(r.Off), string(conditions), string(actions), r.ID, userID))
		}
		var all, first int
		err = tx.QueryRowContext(ctx, `SELECT COUNT(*), COALESCE(MIN(rule.position), 0) FROM transaction_rule rule WHERE rule.user_id = $1`, userID).Scan(&all, &first)
		if err != nil {
			return err
		}
		if all >= MaxRules {
			return ErrTooManyRules
		}
		r.ID = finance.NewID()
		_, err = tx.ExecContext(ctx, `INSERT INTO transaction_rule (id, user_id, position, switched_off, conditions, actions) VALUES ($1, $2, $3, $4, $5, $6)`,
			r.ID, userID, first-1, flag(r.Off), string(conditions), string(actions))
		return err
	})
	return r.ID, err
}

// DeleteRule forgets a rule of a user. Rows that it decided are decided anew; tags and notes that it gave stay. finance.ErrNotFound for the rule of somebody
// else.
func (s *Store) DeleteRule(ctx context.Context, userID, id string) (err error) {
	defer doing("delete rule", &err)
	return s.changeRules(ctx, userID, func(tx *sqlite.Tx) error {
		return changed(tx.ExecContext(ctx, `DELETE FROM transaction_rule WHERE id = $1 AND user_id = $2`, id, userID))
	})
}

// MoveRule moves a rule of a user one place up or down, where there is one. finance.ErrNotFound for the rule of somebody else.
func (s *Store) MoveRule(ctx context.Context, userID, id string, up bool) (err error) {
	defer doing("move rule", &err)
	return s.changeRules(ctx, userID, func(tx *sqlite.Tx) error {
		rules, err := rulesOf(ctx, tx, userID)
		if err != nil {
			return err
		}
		from := slices.IndexFunc(rules, func(r categories.Rule) bool { return r.ID == id })
		if from < 0 {
			return finance.ErrNotFound
		}
		to := from + 1
		if up {
			to = from - 1
		}
		if to < 0 || to == len(rules) {
			return nil
		}
		rules[from], rules[to] = rules[to], rules[from]
		for i, r := range rules {
			if _, err := tx.ExecContext(ctx, `UPDATE transaction_rule SET position = $1 WHERE id = $2 AND user_id = $3`, i, r.ID, userID); err != nil {
				return err
			}
		}
		return nil
	})
}

// soon is how many steps of the backlog are done at once when the rules change; the others are for the background.
const soon = 4

// changeRules changes the rules of a user and has the rows follow.
func (s *Store) changeRules(ctx context.Context, userID string, change func(tx *sqlite.Tx) error) error {
	err := s.db.Write(ctx, func(tx *sqlite.Tx) error {
		if err := change(tx); err != nil {
			return err
		}
		return decideLater(ctx, tx, userID)
	})
	if err != nil {
		return err
	}
	defer s.undecided()
	for more, steps := true, 0; more && steps < soon; steps++ {
		if more, err = s.decideSome(ctx, userID); err != nil {
			return err
		}
	}
	return nil
}

// deedsOf are what rules do to a row.
type deedsOf struct {
	row   int64
	deeds []categories.Deed
}

// do applies the deeds of rules to a row, except those that were applied to it before. It reports whether the words by which the row is found have changed.
func do(ctx context.Context, tx *sqlite.Tx, userID string, row int64, deeds []categories.Deed) (did bool, err error) {
	for _, d := range deeds {
		if d.Kind == categories.DeedShare {
			if err := shareByRule(ctx, tx, userID, row, d); err != nil {
				return did, err
			}
			continue
		}
		result, err := tx.ExecContext(ctx, `INSERT INTO rule_deed (transaction_id, rule_id, kind, value) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
			row, d.Rule, d.Kind, d.Value)
		if err != nil {
			return did, err
		}
		if n, err := result.RowsAffected(); err != nil || n == 0 {
			if err != nil {
				return did, err
			}
			continue
		}
		did = true
		switch d.Kind {
		case categories.DeedTag:
			_, err = tx.ExecContext(ctx, `INSERT INTO transaction_tag (transaction_id, tag) SELECT $1, $2
				WHERE (SELECT COUNT(*) FROM transaction_tag held WHERE held.transaction_id = $1) < $3 ON CONFLICT DO NOTHING`, row, d.Value, finance.MaxTags)
		case categories.DeedNote:
			_, err = tx.ExecContext(ctx, `INSERT INTO transaction_note (transaction_id, text) VALUES ($1, $2) ON CONFLICT DO NOTHING`, row, d.Value)
		case categories.DeedReviewed:
			_, err = tx.ExecContext(ctx, `UPDATE booked_transaction SET reviewed = 1 WHERE id = $1`, row)
		}
		if err != nil {
			return did, err
		}
	}
	return did, nil
}

// MaxPreviewed is how many rows PreviewRule looks at: the newest of those that may fit.
const MaxPreviewed = 10_000

// sampled is how many rows a preview shows.
const sampled = 10

// RulePreview is what a rule would do with the rows that are there. A row counts once among Changed, ByHand and Earlier at most.
type RulePreview struct {
	Fits    int
	Changed int            // get another category
	ByHand  int            // keep the category that was chosen by hand, or those of their parts, though the rule has another
	Earlier int            // have their category from a rule that is tried before
	Shared  int            // become shared expenses
	Left    int            // would, were they not expenses already, or deleted ones
	Theirs  int            // are for a rule that is tried before to share
	Sums    []money.Amount // of what is shared, by currency; money out is above zero
	Capped  bool           // there are more rows that may fit; only MaxPreviewed were looked at
	Sample  []PreviewedRow
}

// PreviewedRow is a row that a rule fits. The row is as it is now.
type PreviewedRow struct {
	finance.FoundRow
	Category string // what it would have; "" for none
	Name     string // likewise; "" when nobody is named
}

// PreviewRule says what a rule of a user would do, were it saved now: one with an id in the place of that one, else before all others.
func (s *Store) PreviewRule(ctx context.Context, userID string, r categories.Rule) (p RulePreview, err error) {
	defer doing("preview rule", &err)
	r.Off = false
	m, err := s.matchOf(ctx, userID, r.Query())
	if err != nil || m.nothing() {
		return p, err
	}
	rules, err := rulesOf(ctx, s.db.Read(), userID)
	if err != nil {
		return p, err
	}
	if i := slices.IndexFunc(rules, func(other categories.Rule) bool { return other.ID == r.ID }); i >= 0 {
		rules[i] = r
	} else {
		rules = append([]categories.Rule{r}, rules...)
	}
	memory, err := memoryOf(ctx, s.db.Read(), userID)
	if err != nil {
		return p, err
	}
	memory.Rules = categories.RulesOf(rules)
	rows, err := collect(ctx, s.db.Read(), func(row scanner) (l previewed, err error) {
		l.labelled, err = scanLabelled(row, &l.split)
		return l, err
	}, `SELECT `+labelledColumns+`, `+splitColumn+` IS NOT NULL FROM (`+m.in.newest(`t.id AS id`)+`) found CROSS JOIN booked_transaction t ON t.id = found.id
		CROSS JOIN account a ON a.id = t.account_id AND a.user_id = $4 CROSS JOIN transaction_record record ON record.transaction_id = t.id ORDER BY t.sort_key DESC`,
		m.what, m.low, m.high, userID, MaxPreviewed)
	if len(rows) > MaxPreviewed {
		rows, p.Capped = rows[:MaxPreviewed], true
	}
	alone := categories.RulesOf([]categories.Rule{r})
	for _, l := range rows {
		payee := categories.PayeeOf(l.Facts)
		if !memory.Fit(alone, l.Facts, payee) {
			continue
		}
		j, err := memory.judge(ctx, s.db.Read(), l.Facts, payee)
		if err != nil {
			return p, err
		}
		p.add(r, l, j)
		if err := p.share(ctx, s.db.Read(), userID, r, l, j.Deeds); err != nil {
			return p, err
		}
	}
	return p, err
}

// share counts what the rule would share.
func (p *RulePreview) share(ctx context.Context, q querier, userID string, r categories.Rule, l previewed, deeds []categories.Deed) error {
	i := slices.IndexFunc(deeds, func(d categories.Deed) bool { return d.Kind == categories.DeedShare })
	if i < 0 || len(r.Share) == 0 || l.Date < r.ShareFrom {
		return nil
	}
	if deeds[i].Rule != r.ID {
		p.Theirs++
		return nil
	}
	e, why, err := ruledExpense(ctx, q, userID, l.id, deeds[i])
	switch {
	case err != nil:
		return err
	case why == keptAsIs:
		p.Left++
	case why == sharedByRule:
		p.Shared++
		p.Sums, err = money.Sum(append(p.Sums, e.Amount)...)
	}
	return err
}

// previewed is a row that a rule may fit.
type previewed struct {
	labelled
	split bool // into parts, each with a category of its own
}

func (p *RulePreview) add(r categories.Rule, l previewed, j judged) {
	p.Fits++
	category := j.Category
	switch {
	case l.by == string(categories.ByHand) || l.split:
		category = l.category
		if r.Category != "" && r.Category != l.category {
			p.ByHand++
		}
	case j.By == categories.ByRule && j.Why != r.ID && r.Category != "":
		p.Earlier++
	case category != l.category:
		p.Changed++
	}
	if len(p.Sample) < sampled {
		row := finance.TransactionRow{ID: l.id, Amount: l.Amount, Date: l.Date, Counterparty: l.counterparty, Payee: l.payee, Remittance: l.Text, Kind: l.Kind,
			Reviewed: true, Category: l.category, CategoryBy: l.by}
		p.Sample = append(p.Sample, PreviewedRow{finance.FoundRow{TransactionRow: row, AccountID: l.In}, category, j.Name})
	}
}

// asKnown is a tag with the capitals that it has among those that are known.
func asKnown(known []string, tag string) string {
	if i := slices.IndexFunc(known, func(k string) bool { return strings.EqualFold(k, tag) }); i >= 0 {
		return known[i]
	}
	return tag
}
