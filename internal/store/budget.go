package store

import (
	"context"
	"errors"
	"maps"
	"slices"

	"florin/internal/budgets"
	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/search"
	"florin/internal/sqlite"
)

// MaxBudgets is how many budgets a user has at most, those that have ended included.
const MaxBudgets = 1000

// ErrTooManyBudgets says that there is no room for another budget.
var ErrTooManyBudgets = errors.New("the user has MaxBudgets budgets already")

// Plan is what a user has set about budgets.
type Plan struct {
	Calendar budgets.Calendar
	Budgets  []budgets.Budget
	Moves    []budgets.Move
}

// Plan returns the budgets of a user.
func (s *Store) Plan(ctx context.Context, userID string) (_ Plan, err error) {
	defer doing("read budgets", &err)
	return sqlite.Remember(ctx, s.db, sqlite.Key{"budget", userID}, func() (p Plan, err error) {
		err = s.db.Snapshot(ctx, func(at sqlite.Snapshot) error {
			p, err = planOf(ctx, at, userID)
			return err
		})
		return p, err
	})
}

func planOf(ctx context.Context, q querier, userID string) (p Plan, err error) {
	p.Calendar, err = collect(ctx, q, func(row scanner) (c budgets.Change, err error) { return c, row.Scan(&c.From, &c.First) },
		`SELECT from_month, first_day FROM budget_first_day WHERE user_id = $1 ORDER BY from_month`, userID)
	if err != nil {
		return p, err
	}
	p.Budgets, err = collect(ctx, q, func(row scanner) (b budgets.Budget, err error) {
		b.Assigned, b.Carry = map[budgets.Month]int64{}, map[budgets.Month]budgets.Carry{}
		return b, row.Scan(&b.ID, &b.Category, &b.Group, &b.Currency, &b.From, &b.Until, &b.Goal.Minor, &b.Goal.By)
	}, `SELECT id, category_id, section, currency, from_month, until_month, goal_minor, goal_month FROM budget WHERE user_id = $1 ORDER BY from_month, id`, userID)
	if err != nil {
		return p, err
	}
	at := map[string]*budgets.Budget{}
	for i := range p.Budgets {
		at[p.Budgets[i].ID] = &p.Budgets[i]
	}
	_, err = collect(ctx, q, func(row scanner) (struct{}, error) {
		var id string
		var m budgets.Month
		var minor int64
		err := row.Scan(&id, &m, &minor)
		if err == nil {
			at[id].Assigned[m] = minor
		}
		return struct{}{}, err
	}, `SELECT set_to.budget_id, set_to.month, set_to.minor FROM budget b JOIN budget_amount set_to ON set_to.budget_id = b.id WHERE b.user_id = $1`, userID)
	if err != nil {
		return p, err
	}
	_, err = collect(ctx, q, func(row scanner) (struct{}, error) {
		var id string
		var m budgets.Month
		var c budgets.Carry
		err := row.Scan(&id, &m, &c.Left, &c.Overspent)
		if err == nil {
			at[id].Carry[m] = c
		}
		return struct{}{}, err
	}, `SELECT carry.budget_id, carry.month, carry.remaining, carry.overspent FROM budget b JOIN budget_carry carry ON carry.budget_id = b.id WHERE b.user_id = $1`, userID)
	if err != nil {
		return p, err
	}
	p.Moves, err = collect(ctx, q, func(row scanner) (m budgets.Move, err error) {
		return m, row.Scan(&m.ID, &m.Month, &m.From, &m.To, &m.Minor)
	}, `SELECT id, month, from_id, to_id, minor FROM budget_move WHERE user_id = $1 ORDER BY month, id`, userID)
	return p, err
}

// AddBudgets stores new budgets of a user, each with an id. One for what has a budget in the same currency already, which has not ended before, is left out: a
// form that is sent twice adds them once. ErrTooManyBudgets when there is no room for all of them; then none is stored.
func (s *Store) AddBudgets(ctx context.Context, userID string, all ...budgets.Budget) (err error) {
	defer doing("add budgets", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		for _, b := range all {
			err := changed(tx.ExecContext(ctx, `INSERT INTO budget (id, user_id, category_id, section, currency, from_month, goal_minor, goal_month)
				SELECT $1, $2, $3, $4, $5, $6, $7, $8 WHERE NOT EXISTS (SELECT 1 FROM budget b WHERE b.user_id = $2 AND b.category_id = $3 AND b.section = $4 AND b.currency = $5
					AND (b.until_month = '' OR b.until_month >= $6))`, b.ID, userID, b.Category, b.Group, b.Currency, b.From, b.Goal.Minor, b.Goal.By))
			if errors.Is(err, finance.ErrNotFound) {
				continue
			}
			if err == nil {
				err = keepBudget(ctx, tx, userID, b)
			}
			if err != nil {
				return err
			}
		}
		var count int
		err := tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM budget WHERE user_id = $1`, userID).Scan(&count)
		if err == nil && count > MaxBudgets {
			return ErrTooManyBudgets
		}
		return err
	})
}

// SaveBudgets stores changes of budgets of a user: the last month, the goal, and those amounts and carries that are given; others stay. A budget that ends
// before it begins is deleted. finance.ErrNotFound when one of them is not there.
func (s *Store) SaveBudgets(ctx context.Context, userID string, all ...budgets.Budget) (err error) {
	defer doing("save budgets", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		for _, b := range all {
			err := changed(tx.ExecContext(ctx, `UPDATE budget SET until_month = $1, goal_minor = $2, goal_month = $3 WHERE id = $4 AND user_id = $5`,
				b.Until, b.Goal.Minor, b.Goal.By, b.ID, userID))
			if err == nil {
				err = keepBudget(ctx, tx, userID, b)
			}
			if err == nil && b.Until != "" {
				_, err = tx.ExecContext(ctx, `DELETE FROM budget WHERE id = $1 AND user_id = $2 AND from_month > until_month`, b.ID, userID)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// keepBudget stores the amounts and carries of a budget of the user.
func keepBudget(ctx context.Context, tx *sqlite.Tx, userID string, b budgets.Budget) error {
	for _, m := range slices.Sorted(maps.Keys(b.Assigned)) {
		_, err := tx.ExecContext(ctx, `INSERT INTO budget_amount (budget_id, month, minor) SELECT id, $1, $2 FROM budget WHERE id = $3 AND user_id = $4
			ON CONFLICT (budget_id, month) DO UPDATE SET minor = excluded.minor`, m, b.Assigned[m], b.ID, userID)
		if err != nil {
			return err
		}
	}
	for _, m := range slices.Sorted(maps.Keys(b.Carry)) {
		_, err := tx.ExecContext(ctx, `INSERT INTO budget_carry (budget_id, month, remaining, overspent) SELECT id, $1, $2, $3 FROM budget WHERE id = $4 AND user_id = $5
			ON CONFLICT (budget_id, month) DO UPDATE SET remaining = excluded.remaining, overspent = excluded.overspent`, m, b.Carry[m].Left, b.Carry[m].Overspent, b.ID, userID)
		if err != nil {
			return err
		}
	}
	return nil
}

// MoveBudget stores that money went from one budget of a user to another one in the same currency; once for each id. finance.ErrNotFound when there are no two
// such budgets.
func (s *Store) MoveBudget(ctx context.Context, userID string, m budgets.Move) (err error) {
	defer doing("move money between budgets", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		return changed(tx.ExecContext(ctx, `INSERT INTO budget_move (user_id, id, month, from_id, to_id, minor) SELECT $1, $2, $3, a.id, b.id, $4 FROM budget a JOIN budget b ON b.currency = a.currency
			WHERE a.id = $5 AND a.user_id = $1 AND b.id = $6 AND b.user_id = $1 AND a.id <> b.id ON CONFLICT (user_id, id) DO UPDATE SET minor = budget_move.minor`,
			userID, m.ID, m.Month, m.Minor, m.From, m.To))
	})
}

// SetFirstDay sets on which day the months of a user's budgets begin, from a month on. Earlier months stay as they are.
func (s *Store) SetFirstDay(ctx context.Context, userID string, c budgets.Change) (err error) {
	defer doing("set the first day of months", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM budget_first_day WHERE user_id = $1 AND from_month >= $2`, userID, c.From)
		if err == nil {
			_, err = tx.ExecContext(ctx, `INSERT INTO budget_first_day (user_id, from_month, first_day) VALUES ($1, $2, $3)`, userID, c.From, c.First)
		}
		return err
	})
}

// BudgetSums returns what the booked rows of a user come to in the months of budgets from one to another, by category and currency, in one or more sums each.
// Of rows without a category only money out counts: what came in without one is no spending that came back.
func (s *Store) BudgetSums(ctx context.Context, userID string, calendar budgets.Calendar, from, to budgets.Month) ([]budgets.Sum, error) {
	return s.Mine(userID).BudgetSums(ctx, calendar, from, to)
}

// BudgetSums is Store.BudgetSums.
func (w Seen) BudgetSums(ctx context.Context, calendar budgets.Calendar, from, to budgets.Month) (list []budgets.Sum, err error) {
	defer doing("read sums of budgets", &err)
	for m := from; m <= to; {
		first, last := calendar.Days(m)
		end := m
		for whole := isMonth(m, first, last); whole && end < to; { // months as in the calendar are read at once
			nextFirst, nextLast := calendar.Days(end.Plus(1))
			if whole = isMonth(end.Plus(1), nextFirst, nextLast); whole {
				end, last = end.Plus(1), nextLast
			}
		}
		all, err := w.MonthSums(ctx, search.Period{From: first, To: last})
		if err != nil {
			return nil, err
		}
		for _, sum := range all {
			month := m
			if end > m {
				month = budgets.Month(sum.Day[:len(m)])
			}
			if sum.OutRows > 0 {
				list = append(list, budgets.Sum{Month: month, Category: sum.Category, Currency: sum.Out.Currency(), Out: -sum.Out.Minor()})
			}
			if sum.InRows > 0 && sum.Category != "" {
				list = append(list, budgets.Sum{Month: month, Category: sum.Category, Currency: sum.In.Currency(), Out: -sum.In.Minor()})
			}
		}
		m = end.Plus(1)
	}
	return list, nil
}

// isMonth reports whether days are those of the calendar month with the name.
func isMonth(m budgets.Month, first, last openbanking.Date) bool {
	from, until := budgets.Calendar(nil).Days(m)
	return first == from && last == until
}
