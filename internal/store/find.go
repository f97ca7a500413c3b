package store

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/search"
	"florin/internal/sqlite"
)

// Newest is the sort key from which the first page starts.
const Newest = math.MaxInt64

// listing is where the rows of a match stand in the order of their keys: t is a row, and a its account.
type listing struct {
	from, key string
	household bool // of the household of the user, not of the user alone
}

var (
	// ofAccount lists the rows of account $1 with a sort key from $2 up to, but not including, $3. Every page of it takes the same time.
	ofAccount = listing{`account a CROSS JOIN booked_transaction t ON t.account_id = a.id WHERE a.id = $1 AND t.sort_key >= $2 AND t.sort_key < $3`, "t.sort_key", false}
	// ofAll lists all rows of the database. It is for a user who is the only one with accounts; $1 has no meaning.
	ofAll = listing{`booked_transaction t CROSS JOIN account a ON a.id = t.account_id WHERE $1 <> '' AND t.sort_key >= $2 AND t.sort_key < $3`, "t.sort_key", false}
	// ofIndex lists the rows that condition $1 finds in the index.
	ofIndex = listing{`transaction_search found CROSS JOIN booked_transaction t ON t.sort_key = found.rowid CROSS JOIN account a ON a.id = t.account_id
		WHERE transaction_search MATCH $1 AND found.rowid >= $2 AND found.rowid < $3`, "found.rowid", false}
)

// seen returns the condition for the accounts that the user sees. The plus keeps SQLite from searching the rows of each account of a household in turn.
func (l listing) seen() string {
	if l.household {
		return `+` + seenBy(true, "a", "$4")
	}
	return seenBy(false, "a", "$4")
}

// newest reads columns of the newest rows of the user $4: $5 of them and one more, which tells that there are more.
func (l listing) newest(columns string) string {
	return `SELECT ` + columns + ` FROM ` + l.from + ` AND ` + l.seen() + ` ORDER BY ` + l.key + ` DESC LIMIT $5 + 1` // a bare LIMIT $5 is planned anew each time
}

// oldest is newest from the other end.
func (l listing) oldest(columns string) string {
	return `SELECT ` + columns + ` FROM ` + l.from + ` AND ` + l.seen() + ` ORDER BY ` + l.key + ` LIMIT $5 + 1`
}

// Find returns one page of the booked rows of a user that a query is true of, newest first: at most limit rows whose sort key is below before (Newest for the
// first page), and whether there are more. The next page starts before the last row's sort key. The rows of a single account are read without the index of
// words.
func (s *Store) Find(ctx context.Context, userID string, query search.Query, before int64, limit int) ([]finance.FoundRow, bool, error) {
	return s.Mine(userID).Find(ctx, query, before, limit)
}

// Find is Store.Find. Rows of others have the categories that the person sees, and nothing that their owners alone are told (Seen).
func (w Seen) Find(ctx context.Context, query search.Query, before int64, limit int) (page []finance.FoundRow, more bool, err error) {
	defer doing("find transactions", &err)
	m, err := w.matchOf(ctx, query)
	if err != nil || m.nothing() {
		return nil, false, err
	}
	split := m.home != nil
	if !split {
		if split, err = w.store.some(ctx, "transaction_part", partsQuery, w.userID); err != nil {
			return nil, false, err
		}
	}
	columns := wholeColumns
	if split {
		columns = rowColumns
	}
	rows, err := w.store.db.Read().QueryContext(ctx, m.in.newest(columns+`, t.account_id`), m.what, m.low, min(m.high, before), w.userID, limit)
	if err != nil {
		return nil, false, err
	}
	defer rows.Close()
	page = make([]finance.FoundRow, 0, min(limit, 100)+1)
	var r transactionRow
	var account string
	fields := append(r.fields(), &account)
	for rows.Next() {
		if err := rows.Scan(fields...); err != nil {
			return nil, false, err
		}
		page = append(page, finance.FoundRow{TransactionRow: m.home.row(account, r.row()), AccountID: account})
	}
	if err := rows.Err(); err != nil {
		return nil, false, err
	}
	if len(page) > limit {
		return page[:limit], true, nil
	}
	return page, false, nil
}

// FindNewer returns where the page starts that comes before the one starting at before: with it as before, Find returns the limit rows just above. It is Newest
// when there are no more than limit such rows.
func (s *Store) FindNewer(ctx context.Context, userID string, query search.Query, before int64, limit int) (int64, error) {
	return s.Mine(userID).FindNewer(ctx, query, before, limit)
}

// FindNewer is Store.FindNewer.
func (w Seen) FindNewer(ctx context.Context, query search.Query, before int64, limit int) (_ int64, err error) {
	defer doing("find newer page", &err)
	m, err := w.matchOf(ctx, query)
	if err != nil || m.nothing() {
		return Newest, err
	}
	keys, err := collect(ctx, w.store.db.Read(), func(row scanner) (key int64, err error) { return key, row.Scan(&key) }, m.in.oldest(m.in.key),
		m.what, max(m.low, before), m.high, w.userID, limit)
	if err != nil || len(keys) <= limit {
		return Newest, err
	}
	return keys[limit], nil
}

// MaxTotalled is how many rows Totals adds up at most.
const MaxTotalled = 10_000

// Totals is what rows in one currency come to.
type Totals struct {
	Rows    int
	In, Out money.Amount // Out is not above zero
}

// Totals adds up the rows of a user that a query is true of, the newest MaxTotalled of them, currency by currency in the order of their codes. capped tells
// that there are more. Of a row that is split those shares count of which the query would be true if they were the whole row (finance.Shares); in or out is the
// direction of the row. A row that its bank no longer lists does not count, nor does a transfer between own accounts, which is neither income nor spending;
// transfers tells that there are any. A currency whose amounts are too large to be added up is left out. While nothing is written, what was added up is
// remembered: each page of a list shows it.
func (s *Store) Totals(ctx context.Context, userID string, query search.Query) (totals []Totals, capped, transfers bool, err error) {
	return s.Mine(userID).Totals(ctx, query)
}

// Totals is Store.Totals.
func (w Seen) Totals(ctx context.Context, query search.Query) (totals []Totals, capped, transfers bool, err error) {
	defer doing("add up transactions", &err)
	moved := search.Marked{search.MarkTransfer}
	counted := search.And{query, search.Not{Query: moved}}
	m, err := w.matchOf(ctx, counted)
	if err != nil || m.nothing() {
		return nil, false, false, err
	}
	type found struct {
		totals            []Totals
		capped, transfers bool
	}
	f, err := sqlite.Remember(ctx, w.store.db, m.key("totals", w.key()), func() (f found, err error) {
		err = w.store.db.Snapshot(ctx, func(at sqlite.Snapshot) error {
			f.totals, f.capped, err = totalsOf(ctx, at, w.userID, counted, m)
			return err
		})
		if err != nil {
			return f, err
		}
		left, _, err := w.Find(ctx, search.And{query, moved}, Newest, 1)
		f.transfers = len(left) > 0
		return f, err
	})
	return f.totals, f.capped, f.transfers, err
}

func totalsOf(ctx context.Context, q querier, userID string, query search.Query, m match) (totals []Totals, capped bool, err error) {
	by, all, split, err := wholeTotals(ctx, q, userID, m)
	if err != nil {
		return nil, false, err
	}
	if split {
		if err := addSplit(ctx, q, userID, query, m, by); err != nil {
			return nil, false, err
		}
	}
	for _, currency := range slices.Sorted(maps.Keys(by)) {
		t := by[currency]
		in, inFits := t.in.amount(currency)
		out, outFits := t.out.amount(currency)
		if rows := t.in.rows + t.out.rows; rows > 0 && inFits && outFits {
			totals = append(totals, Totals{int(rows), in, out})
		}
	}
	if all >= MaxTotalled {
		err = q.QueryRowContext(ctx, `SELECT COUNT(*) FROM (`+m.in.newest(`t.id`)+`) some`, m.what, m.low, m.high, userID, MaxTotalled).Scan(&all)
	}
	return totals, all > MaxTotalled, err
}

// wholeTotals adds up the rows of a match that are not split, by currency. all is how many rows there are, those that do not count with them, and split whether
// some are split.
func wholeTotals(ctx context.Context, q querier, userID string, m match) (by map[string]tally, all int, split bool, err error) {
	rows, err := q.QueryContext(ctx, `SELECT currency, COUNT(*), SUM(divided),
			SUM(whole AND minor >= 0), SUM(CASE WHEN whole AND minor >= 0 THEN minor / 1000000 ELSE 0 END), SUM(CASE WHEN whole AND minor >= 0 THEN minor % 1000000 ELSE 0 END),
			SUM(whole AND minor < 0), SUM(CASE WHEN whole AND minor < 0 THEN minor / 1000000 ELSE 0 END), SUM(CASE WHEN whole AND minor < 0 THEN minor % 1000000 ELSE 0 END)
		FROM (SELECT currency, minor, divided, listed AND NOT divided AS whole
			FROM (`+m.in.newest(`t.currency, t.minor, NOT (`+unlisted+`) AS listed, `+dividedColumn+` AS divided`)+`) some) found
		GROUP BY currency`, m.what, m.low, m.high, userID, MaxTotalled-1)
	if err != nil {
		return nil, 0, false, err
	}
	defer rows.Close()
	by = map[string]tally{}
	for rows.Next() {
		var currency string
		var n, divided int
		var t tally
		if err := rows.Scan(&currency, &n, &divided, &t.in.rows, &t.in.millions, &t.in.rest, &t.out.rows, &t.out.millions, &t.out.rest); err != nil {
			return nil, 0, false, err
		}
		by[currency], all, split = t, all+n, split || divided > 0
	}
	return by, all, split, rows.Err()
}

// dividedColumn says whether a row t is split.
const dividedColumn = `EXISTS (SELECT 1 FROM transaction_part part WHERE part.transaction_id = t.id)`

// addSplit adds the shares of the rows of a match that are split, as far as the query is true of them.
func addSplit(ctx context.Context, q querier, userID string, query search.Query, m match, by map[string]tally) error {
	ids, err := collect(ctx, q, scanID, `SELECT id FROM (`+m.in.newest(`t.id, NOT (`+unlisted+`) AS listed, `+dividedColumn+` AS divided`)+`) found
		WHERE listed AND divided`, m.what, m.low, m.high, userID, MaxTotalled-1)
	if err != nil {
		return err
	}
	count := func(total money.Amount, shares []finance.SplitPart) {
		t := by[total.Currency()]
		side := t.of(total)
		side.rows++
		for _, share := range shares {
			side.put(share.Amount)
		}
		by[total.Currency()] = t
	}
	for some := range slices.Chunk(ids, lookupRows) {
		documents, err := collect(ctx, q, scanDocument, documentsQuery, padded(some)...)
		if err != nil {
			return err
		}
		for _, d := range documents {
			asked := m.home.asked(d.account, query)
			if shares := slices.DeleteFunc(d.shares, func(s finance.SplitPart) bool { return !asked.Matches(d.part(s.Category)) }); len(shares) > 0 {
				count(d.row.Amount, shares)
			}
		}
	}
	return nil
}

// TopPayees are the other sides of the rows of a user that a query is true of, those with the largest sums first, whatever the currency: at most limit of them,
// from the newest MaxTotalled rows. capped tells that there are more rows. Rows that name nobody are left out.
func (s *Store) TopPayees(ctx context.Context, userID string, query search.Query, limit int) ([]NamedPayee, bool, error) {
	return s.Mine(userID).TopPayees(ctx, query, limit)
}

// TopPayees is Store.TopPayees.
func (w Seen) TopPayees(ctx context.Context, query search.Query, limit int) (payees []NamedPayee, capped bool, err error) {
	defer doing("read payees of transactions", &err)
	m, err := w.matchOf(ctx, query)
	if err != nil || m.nothing() {
		return nil, false, err
	}
	type found struct {
		payees []NamedPayee
		rows   int
	}
	f, err := sqlite.Remember(ctx, w.store.db, m.key(fmt.Sprint("payees ", limit), w.key()), func() (f found, err error) {
		f.payees, err = collect(ctx, w.store.db.Read(), func(row scanner) (NamedPayee, error) {
			var key, name string
			err := row.Scan(&key, &name, &f.rows)
			return namedPayee(key, name), err
		}, `WITH found AS (
			SELECT name, payee_key, minor FROM (`+m.in.newest(`CASE t.payee WHEN '' THEN t.counterparty ELSE t.payee END AS name, t.payee_key, t.minor`)+`) some)
		SELECT payee_key, MAX(name), (SELECT COUNT(*) FROM found) FROM found WHERE name <> '' AND payee_key <> '' GROUP BY payee_key ORDER BY ABS(TOTAL(minor)) DESC, payee_key LIMIT $6`,
			m.what, m.low, m.high, w.userID, MaxTotalled, limit)
		return f, err
	})
	return f.payees, f.rows > MaxTotalled, err
}

// joinedAmount is a sum of millions and of the rest; false when an amount cannot be so large.
func joinedAmount(sum [2]int64, currency string) (money.Amount, bool) {
	const largest = math.MaxInt64/1_000_000 - 1
	millions, rest := sum[0]+sum[1]/1_000_000, sum[1]%1_000_000
	if millions > largest || millions < -largest {
		return money.Amount{}, false
	}
	return money.FromMinor(millions*1_000_000+rest, currency), true
}

// match says where to look for the rows of a query: in which listing, and from sort key low up to, but not including, high.
type match struct {
	in        listing
	what      string // the id of an account, a condition in the language of the index, or "all"
	low, high int64
	home      *household // nil where the rows are those of the person alone
}

// nothing reports whether no row can match.
func (m *match) nothing() bool { return m.what == "" || m.low >= m.high }

// key is by what something about the rows of a user is remembered. It is as short for a long text as for a short one.
func (m *match) key(what, userID string) sqlite.Key {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %d %s", userID, m.low, m.high, m.what))
	return sqlite.Key{what, string(sum[:])}
}

// matchOf is the match for a query of a user.
func (s *Store) matchOf(ctx context.Context, userID string, query search.Query) (match, error) {
	return s.Mine(userID).matchOf(ctx, query)
}

func (w Seen) matchOf(ctx context.Context, query search.Query) (m match, err error) {
	m = match{high: Newest}
	if w.household {
		if m.home, err = w.home(ctx); err != nil {
			return m, err
		}
	}
	query = m.within(query)
	if marks, ok := query.(search.Marked); ok && len(marks) == 1 {
		if id, ok := marks[0].Account(); ok {
			m.in, m.what = ofAccount, id
			m.in.household = w.household
			return m, nil
		}
	}
	if query, err = w.store.spelled(ctx, query); err != nil {
		return m, err
	}
	seen, err := w.store.accountsSeen(ctx, w.userID)
	if w.household && err == nil {
		m.in, m.what = ofIndex, m.home.condition(seen, query)
		m.in.household = true
		return m, nil
	}
	query = seen.without(query)
	switch {
	case err != nil || len(seen.marks) == 0:
	case seen.all && isAll(query):
		m.in, m.what = ofAll, "all"
	default:
		m.in, m.what = ofIndex, seen.condition(query)
	}
	return m, err
}

// seenAccounts are the accounts whose rows a person sees.
type seenAccounts struct {
	marks search.Marked
	all   bool // there are no others
}

func (s *Store) accountsSeen(ctx context.Context, userID string) (seenAccounts, error) {
	return sqlite.Remember(ctx, s.db, sqlite.Key{"account marks", userID}, func() (seen seenAccounts, err error) {
		seen.marks, err = collect(ctx, s.db.Read(), func(row scanner) (search.Mark, error) {
			var id string
			err := row.Scan(&id, &seen.all)
			return search.AccountMark(id), err
		}, `SELECT a.id, NOT EXISTS (SELECT 1 FROM account other WHERE other.user_id <> $1) FROM account a WHERE a.user_id = $1 ORDER BY a.id`, userID)
		return seen, err
	})
}

// without removes the conditions that every visible row fulfils: those that name all visible accounts.
func (seen seenAccounts) without(query search.Query) search.Query {
	and, ok := query.(search.And)
	if !ok {
		and = search.And{query}
	}
	rest := slices.DeleteFunc(slices.Clone(and), func(part search.Query) bool {
		marks, ok := part.(search.Marked)
		return ok && !slices.ContainsFunc(seen.marks, func(m search.Mark) bool { return !slices.Contains(marks, m) })
	})
	if len(rest) == 1 {
		return rest[0]
	}
	return rest
}

// isAll reports whether a query is true of all rows.
func isAll(query search.Query) bool {
	and, ok := query.(search.And)
	return ok && len(and) == 0
}

// condition puts a query into the language of the index. What it finds bears the mark of one of the accounts, whatever else is asked for: all rows do where
// there are no others.
func (seen seenAccounts) condition(query search.Query) string {
	all := marked(seen.marks)
	switch {
	case isAll(query):
		return all
	case seen.all:
		return translate(query, all)
	}
	return "(" + all + ") AND (" + translate(query, all) + ")"
}

// longestPrefix is how many letters a beginning of a word has at most that the index knows (migration 00015).
const longestPrefix = 4

// maxSpelled is how many words are looked for in place of their beginning.
const maxSpelled = 30

// spelled puts the words of all rows in place of a beginning that is longer than those that the index knows: it would merge the rows of these words in memory
// first. A beginning of more words than maxSpelled stays.
func (s *Store) spelled(ctx context.Context, query search.Query) (search.Query, error) {
	all := func(parts []search.Query) ([]search.Query, error) {
		changed := make([]search.Query, len(parts))
		for i, part := range parts {
			var err error
			if changed[i], err = s.spelled(ctx, part); err != nil {
				return nil, err
			}
		}
		return changed, nil
	}
	switch q := query.(type) {
	case search.And:
		parts, err := all(q)
		return search.And(parts), err
	case search.Or:
		parts, err := all(q)
		return search.Or(parts), err
	case search.Not:
		part, err := s.spelled(ctx, q.Query)
		return search.Not{Query: part}, err
	case search.Phrase:
		last := len(q.Words) - 1
		if q.Whole || utf8.RuneCountInString(q.Words[last]) <= longestPrefix {
			return q, nil
		}
		words, err := s.wordsFrom(ctx, q.Words[last])
		if err != nil || len(words) > maxSpelled {
			return q, err
		}
		either := search.Or{}
		for _, word := range words {
			either = append(either, search.Phrase{In: q.In, Words: append(slices.Clone(q.Words[:last]), word), Whole: true})
		}
		return either, nil
	}
	return query, nil
}

// wordsFrom lists the first words with a beginning, one more than maxSpelled at most. It is asked for by each part of a page.
func (s *Store) wordsFrom(ctx context.Context, beginning string) ([]string, error) {
	return sqlite.Remember(ctx, s.db, sqlite.Key{"transaction_word", beginning}, func() ([]string, error) {
		return collect(ctx, s.db.Read(), func(row scanner) (word string, err error) { return word, row.Scan(&word) }, wordsQuery,
			beginning, beginning+string(utf8.MaxRune), maxSpelled)
	})
}

// wordsQuery lists the first $3 + 1 words from $1 to $2. It goes from one word to the next, not through their rows: the first word after "rent" is not before
// "rent0".
const wordsQuery = `WITH RECURSIVE word (term) AS (
		SELECT (SELECT w.term FROM transaction_word w WHERE w.term >= $1 AND w.term <= $2 LIMIT 1)
		UNION ALL SELECT (SELECT w.term FROM transaction_word w WHERE w.term >= word.term || '0' AND w.term <= $2 LIMIT 1) FROM word WHERE word.term IS NOT NULL)
	SELECT word.term FROM word WHERE word.term IS NOT NULL LIMIT $3 + 1`

// within removes from a query the periods that bound all of it, and conditions that say nothing. It narrows the range of sort keys instead, which is the
// quickest way to skip most of the list.
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
		if len(rest) == 1 {
			return rest[0]
		}
		return rest
	}
	return query
}

// none is a query of the index that finds nothing.
const none = `marks : "none"`

// translate puts a condition into the language of the index; all is the condition for all rows of the user. Words stand in quotes, and hold letters and digits
// alone.
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

// joined joins parts with an operator, each part in brackets. Without parts it returns none.
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
