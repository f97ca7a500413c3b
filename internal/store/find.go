package store

import (
	"context"
	"math"
	"strings"

	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/search"
	"florin/internal/sqlite"
)

// Find returns one page of the booked rows of a user that a query is true of, in all accounts, newest first: at most limit rows whose sort key is below before (Newest for
// the first page), and whether there are more. The next page starts before the last row's sort key.
func (s *Store) Find(ctx context.Context, userID string, query search.Query, before int64, limit int) (page []finance.FoundRow, more bool, err error) {
	defer doing("find transactions", &err)
	err = s.db.Snapshot(ctx, func(at sqlite.Snapshot) error {
		m, err := matchOf(ctx, at, userID, query)
		if err != nil || m.nothing() {
			return err
		}
		page, err = collect(ctx, at, scanFound, findQuery, m.text, m.low, min(m.high, before), userID, limit)
		return err
	})
	if len(page) > limit {
		return page[:limit], true, err
	}
	return page, false, err
}

const findQuery = `SELECT ` + rowColumns + `, t.account_id FROM transaction_search found CROSS JOIN booked_transaction t ON t.sort_key = found.rowid
	WHERE transaction_search MATCH $1 AND found.rowid >= $2 AND found.rowid < $3 AND EXISTS (SELECT 1 FROM account a WHERE a.id = t.account_id AND a.user_id = $4)
	ORDER BY found.rowid DESC LIMIT $5 + 1`

func scanFound(row scanner) (f finance.FoundRow, err error) {
	err = scanRow(row, &f.TransactionRow, &f.AccountID)
	return f, err
}

// FindNewer returns where the page starts that comes before the one starting at before, as NewerPage does for one account.
func (s *Store) FindNewer(ctx context.Context, userID string, query search.Query, before int64, limit int) (start int64, err error) {
	defer doing("find newer page", &err)
	start = Newest
	err = s.db.Snapshot(ctx, func(at sqlite.Snapshot) error {
		m, err := matchOf(ctx, at, userID, query)
		if err != nil || m.nothing() {
			return err
		}
		keys, err := collect(ctx, at, func(row scanner) (key int64, err error) { return key, row.Scan(&key) },
			`SELECT found.rowid FROM transaction_search found WHERE transaction_search MATCH $1 AND found.rowid >= $2 AND found.rowid < $3
			ORDER BY found.rowid LIMIT $4 + 1`, m.text, max(m.low, before), m.high, limit)
		if len(keys) > limit {
			start = keys[limit]
		}
		return err
	})
	return start, err
}

// MaxTotalled is how many rows Totals adds up at most.
const MaxTotalled = 10_000

// Totals is what rows in one currency come to.
type Totals struct {
	Rows    int
	In, Out money.Amount // Out is not above zero
}

// Totals adds up the rows of a user that a query is true of, the newest MaxTotalled of them, currency by currency in the order of their codes. capped tells that there are
// more. A currency whose amounts are too large to be added up is left out.
func (s *Store) Totals(ctx context.Context, userID string, query search.Query) (totals []Totals, capped bool, err error) {
	defer doing("add up transactions", &err)
	all := 0
	err = s.db.Snapshot(ctx, func(at sqlite.Snapshot) error {
		m, err := matchOf(ctx, at, userID, query)
		if err != nil || m.nothing() {
			return err
		}
		rows, err := at.QueryContext(ctx, totalsQuery, m.text, m.low, m.high, userID, MaxTotalled)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var t Totals
			var currency string
			var in, out [2]int64
			if err := rows.Scan(&currency, &t.Rows, &in[0], &in[1], &out[0], &out[1]); err != nil {
				return err
			}
			all += t.Rows
			var fits bool
			if t.In, fits = joinedAmount(in, currency); !fits {
				continue
			}
			if t.Out, fits = joinedAmount(out, currency); fits {
				totals = append(totals, t)
			}
		}
		return rows.Err()
	})
	return totals, all > MaxTotalled, err
}

// totalsQuery adds up millions and the rest apart: no sum is out of range.
const totalsQuery = `SELECT t.currency, COUNT(*),
		SUM(CASE WHEN t.minor > 0 THEN t.minor / 1000000 ELSE 0 END), SUM(CASE WHEN t.minor > 0 THEN t.minor % 1000000 ELSE 0 END),
		SUM(CASE WHEN t.minor < 0 THEN t.minor / 1000000 ELSE 0 END), SUM(CASE WHEN t.minor < 0 THEN t.minor % 1000000 ELSE 0 END)
	FROM (SELECT newest.rowid AS sort_key FROM transaction_search newest WHERE transaction_search MATCH $1 AND newest.rowid >= $2 AND newest.rowid < $3
		ORDER BY newest.rowid DESC LIMIT $5 + 1) found
	CROSS JOIN booked_transaction t ON t.sort_key = found.sort_key
	WHERE EXISTS (SELECT 1 FROM account a WHERE a.id = t.account_id AND a.user_id = $4)
	GROUP BY t.currency ORDER BY t.currency`

// joinedAmount is a sum of millions and of the rest; false when an amount cannot be so large.
func joinedAmount(sum [2]int64, currency string) (money.Amount, bool) {
	const largest = math.MaxInt64/1_000_000 - 1
	millions, rest := sum[0]+sum[1]/1_000_000, sum[1]%1_000_000
	if millions > largest || millions < -largest {
		return money.Amount{}, false
	}
	return money.FromMinor(millions*1_000_000+rest, currency), true
}

// match is a query in the language of the index, within a range of sort keys: low is in it, high is not.
type match struct {
	text      string
	low, high int64
}

// nothing reports whether no row can match.
func (m *match) nothing() bool { return m.text == "" || m.low >= m.high }

// matchOf puts a query into the language of the index. What it finds bears the mark of an account of the user, whatever else was asked for.
func matchOf(ctx context.Context, q querier, userID string, query search.Query) (match, error) {
	accounts, err := collect(ctx, q, func(row scanner) (search.Mark, error) {
		var id string
		err := row.Scan(&id)
		return search.AccountMark(id), err
	}, `SELECT a.id FROM account a WHERE a.user_id = $1 ORDER BY a.id`, userID)
	m := match{high: Newest}
	if err != nil || len(accounts) == 0 {
		return m, err
	}
	query = m.within(query)
	all := marked(accounts)
	m.text = all
	if and, ok := query.(search.And); !ok || len(and) > 0 {
		m.text = "(" + all + ") AND (" + translate(query, all) + ")"
	}
	return m, nil
}

// within takes the periods that bound a whole query out of it, and narrows the range of sort keys instead: the quickest way to leave out most of the list.
func (m *match) within(query search.Query) search.Query {
	switch q := query.(type) {
	case search.Period:
		from := q.From
		if from == "" {
			from = "1900-01-01" // rows without a date stand before all others, and are in no period
		}
		low, _, _ := finance.SortRange(from)
		m.low = max(m.low, low)
		if q.To != "" {
			_, _, high := finance.SortRange(q.To)
			m.high = min(m.high, high+1)
		}
		return search.And{}
	case search.And:
		var rest search.And
		for _, part := range q {
			part = m.within(part)
			if and, ok := part.(search.And); !ok || len(and) > 0 {
				rest = append(rest, part)
			}
		}
		return rest
	}
	return query
}

// none is a query of the index without an answer.
const none = `marks : "none"`

// translate puts a condition into the language of the index; all is the condition for all rows of the user. Words stand in quotes, and hold letters and digits alone.
func translate(query search.Query, all string) string {
	switch q := query.(type) {
	case search.And:
		with, without := []string{}, []string{}
		for _, part := range q {
			if not, ok := part.(search.Not); ok {
				without = append(without, translate(not.Query, all))
			} else {
				with = append(with, translate(part, all))
			}
		}
		text := joined(with, " AND ", all)
		if len(without) > 0 {
			text = "(" + text + ") NOT (" + joined(without, " OR ", none) + ")"
		}
		return text
	case search.Or:
		parts := make([]string, 0, len(q))
		for _, part := range q {
			parts = append(parts, translate(part, all))
		}
		return joined(parts, " OR ", none)
	case search.Not:
		return translate(search.And{q}, all)
	case search.Phrase:
		fields := search.Fields
		if q.In != search.Anywhere {
			fields = []search.Field{q.In}
		}
		columns := make([]string, 0, len(fields))
		for _, f := range fields {
			columns = append(columns, string(f))
		}
		return "{" + strings.Join(columns, " ") + "} : " + word(strings.Join(q.Words, " "), !q.Whole)
	case search.AmountRange:
		terms, outside := q.Terms()
		text := among("amount", terms)
		if outside {
			return "(" + all + ") NOT (" + text + ")"
		}
		return text
	case search.Period:
		return among("day", q.Terms())
	case search.Marked:
		return marked(q)
	}
	return none
}

// joined puts parts in brackets, with an operator between two; without any parts it is the text for none.
func joined(parts []string, operator, none string) string {
	if len(parts) == 0 {
		return none
	}
	return "(" + strings.Join(parts, ")"+operator+"(") + ")"
}

// word is a phrase in quotes; with open its last word may go on.
func word(phrase string, open bool) string {
	text := `"` + strings.ReplaceAll(phrase, `"`, `""`) + `"`
	if open {
		text += "*"
	}
	return text
}

func among(column string, terms []search.Term) string {
	parts := make([]string, 0, len(terms))
	for _, t := range terms {
		parts = append(parts, word(t.Text, t.Prefix))
	}
	return column + " : (" + joined(parts, " OR ", `"none"`) + ")"
}

func marked(marks []search.Mark) string {
	parts := make([]string, 0, len(marks))
	for _, m := range marks {
		parts = append(parts, word(string(m), false))
	}
	return "marks : (" + joined(parts, " OR ", `"none"`) + ")"
}
