package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"florin/internal/categories"
	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
)

// Page is one page of a bank's answer, read.
type Page struct {
	Entries []finance.Entry // in the order of the answer
	Refused int             // rows that could not be read
	Next    finance.Secret  // "" when it is the last

	rows []readRow // the entries, once Read has been called
}

// Read does what the rows of the page cost before anything is written. ApplyPage does it when it was not done: who stores one page after the other does it
// while the one before is stored.
func (p *Page) Read(a finance.Account) {
	p.rows = make([]readRow, len(p.Entries))
	for i, e := range p.Entries {
		p.rows[i] = readEntry(a.ID, a.IBAN, e)
	}
}

// readRow is an entry with the facts that decide its category.
type readRow struct {
	finance.Entry
	facts categories.Facts
	payee categories.Payee
}

// readEntry reads an entry of an account; iban is "" when the account has none.
func readEntry(account, iban string, e finance.Entry) readRow {
	t := e.Transaction
	t.AccountID = account
	facts := categories.FactsOf(t, e.Signs, iban)
	return readRow{e, facts, categories.PayeeOf(facts)}
}

// LastMissed is the earliest date of the rows that the last run of a claimed transactions task marked as gone, "" when it marked none.
func (s *Store) LastMissed(ctx context.Context, c Claim) (_ openbanking.Date, err error) {
	defer doing("read missed rows", &err)
	var date openbanking.Date
	err = s.db.Read().QueryRowContext(ctx, `SELECT COALESCE(MIN(t.display_date), '') FROM booked_transaction t
		JOIN account a ON a.id = t.account_id WHERE a.id = $1 AND a.user_id = $2 AND t.missing_since = $3`,
		c.Task.AccountID, c.Task.UserID, sqlite.AtOrNull(c.Task.LastSuccess)).Scan(&date)
	return date, err
}

// BeginRun begins a run of a claimed transactions task: pages and counters start at zero, rows that are stored stay.
func (s *Store) BeginRun(ctx context.Context, c *Claim, strategy openbanking.TransactionsFetchStrategy, from openbanking.Date,
	lease time.Duration) (err error) {
	defer doing("begin run", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		if err := hold(ctx, tx, *c, lease); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM sync_page WHERE task_id = $1`, c.Task.ID); err != nil {
			return err
		}
		t := c.Task
		t.Run, t.InRun, t.Strategy, t.DateFrom, t.OldestSeen = t.Run+1, true, strategy, from, ""
		t.Pages, t.RowsSeen, t.RowsNew, t.RowsRefused = 0, 0, 0, 0
		_, err := tx.ExecContext(ctx, `UPDATE sync_task SET run = $1, in_run = 1, strategy = $2, date_from = $3, continuation_key = '', oldest_seen = '',
			pages = 0, rows_seen = 0, rows_new = 0, rows_refused = 0 WHERE id = $4`, t.Run, t.Strategy, t.DateFrom, t.ID)
		if err != nil {
			return err
		}
		c.Task, c.ContinuationKey = t, ""
		return nil
	})
}

// ApplyPage stores one page of a run in one transaction: its rows, the continuation key of the next page and the counters. After a crash the run goes
// on behind the last page stored, and the rows are the same as without the crash. The claim is brought up to date. With the last page the run is
// finished (Task.InRun turns false): rows the bank no longer lists are marked, pending rows are swapped, and the task is given back until next.
//
// A page whose next key came before in this run is the last one: the service would go in circles (api-notes 10).
func (s *Store) ApplyPage(ctx context.Context, c *Claim, page Page, lease time.Duration, next time.Time) (err error) {
	defer doing("store page", &err)
	last := page.Next == ""
	task := c.Task
	currency := c.Account.Currency
	if len(page.rows) != len(page.Entries) {
		page.Read(c.Account)
	}
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		last, task, currency = page.Next == "", c.Task, c.Account.Currency
		if err := hold(ctx, tx, *c, lease); err != nil {
			return err
		}
		if !last {
			r, err := tx.ExecContext(ctx, `INSERT INTO sync_page (task_id, key_hash) VALUES ($1, $2) ON CONFLICT DO NOTHING`, task.ID, hashOf(page.Next))
			if err != nil {
				return err
			}
			n, err := r.RowsAffected()
			if err != nil {
				return err
			}
			last = n == 0
		}
		m, err := newMerge(ctx, tx, c.Account, task.Run, task.First())
		if err != nil {
			return err
		}
		if !task.First() {
			m.arrival = byBank
		}
		if err := m.apply(ctx, page.rows); err != nil {
			return err
		}
		task.Pages++
		task.RowsSeen += int64(len(page.Entries))
		task.RowsNew += m.inserted
		task.RowsRefused += int64(page.Refused)
		task.OldestSeen = earlier(task.OldestSeen, m.oldest)
		if currency == finance.NoCurrency && m.currency != "" {
			currency = m.currency
		}
		if err := m.count(ctx, c.Account.UserID, currency); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE sync_task SET continuation_key = $1, oldest_seen = $2, pages = $3, rows_seen = $4, rows_new = $5, rows_refused = $6,
				attempts = 0, last_error_code = '', last_error_message = '', last_error_request = '', last_error_at = NULL
			WHERE id = $7`,
			s.key.seal(page.Next.Reveal(), "sync_task", "continuation_key", task.ID), task.OldestSeen, task.Pages, task.RowsSeen, task.RowsNew, task.RowsRefused,
			task.ID)
		if err != nil || !last {
			return err
		}
		if err := m.finish(ctx, task); err != nil {
			return err
		}
		if m.united > 0 {
			task.RowsNew -= m.united
			if _, err := tx.ExecContext(ctx, `UPDATE sync_task SET rows_new = $1 WHERE id = $2`, task.RowsNew, task.ID); err != nil {
				return err
			}
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM sync_page WHERE task_id = $1`, task.ID); err != nil {
			return err
		}
		// The first run since a link: the page of that link says what it has read.
		_, err = tx.ExecContext(ctx, `UPDATE link_account SET read_from = $1 WHERE account_id = $2 AND read_from IS NULL
			AND attempt_id IN (SELECT l.id FROM link_attempt l WHERE l.connection_id = $3)`, task.DateFrom, task.AccountID, task.ConnectionID)
		if err != nil {
			return err
		}
		if err := succeed(ctx, tx, *c, next); err != nil {
			return err
		}
		return takeReading(ctx, tx, c.Account.UserID, c.Account.ID)
	})
	if err != nil {
		return err
	}
	task.InRun, task.Attempts, task.LastError = !last, 0, finance.Failure{}
	c.Task, c.ContinuationKey, c.Account.Currency = task, page.Next, currency
	return nil
}

// merge puts the rows of one page where they belong, within one transaction.
type merge struct {
	*into

	tx      *sqlite.Tx
	run     int64
	days    map[openbanking.Date]*day
	rows    []any   // new rows not stored yet: values of newRows
	records []any   // and of newRecords
	memory  *memory // what rows are for is decided by it
	words   []document
	deeds   []deedsOf    // what rules do to new rows, whose words are known when it is done
	sums    sums         // what new rows come to
	left    []accountDay // days from which held rows went to another day
	changed []any        // ids of held rows of which the bank says something else now
	same    []any        // ids of held rows that came again as they are
	back    []any        // ids of held rows that were gone
	nextID  int64
	arrival arrival     // how new rows are told of
	since   sqlite.Time // keptSince, once it is known
}

// into is the account into which rows go.
type into struct {
	account  string
	iban     string          // "" when it has none
	first    bool            // the account's first sync: rows arrive newest first over all pages
	held     map[place]*held // the rows that the entries of the page may be
	ordinals map[string]int  // by identity: how many equal rows this run has brought so far
	inserted int64
	united   int64 // of the rows that this run has stored, those that were held under another name and are no new ones
	oldest   openbanking.Date
	currency string
}

func newInto(a finance.Account, first bool) *into {
	return &into{account: a.ID, iban: a.IBAN, first: first, held: map[place]*held{}, ordinals: map[string]int{}}
}

// newMerge begins to store rows of an account. first says that it has none yet.
func newMerge(ctx context.Context, tx *sqlite.Tx, a finance.Account, run int64, first bool) (*merge, error) {
	m := &merge{into: newInto(a, first), tx: tx, run: run, days: map[openbanking.Date]*day{}, sums: sums{}}
	var err error
	if m.memory, err = memoryOf(ctx, tx, a.UserID); err != nil {
		return nil, err
	}
	return m, m.begin(ctx)
}

// begin finds out which id the next new row gets.
func (m *merge) begin(ctx context.Context) error {
	return m.tx.QueryRowContext(ctx, `SELECT CASE WHEN newest.id > sequence.last THEN newest.id ELSE sequence.last END + 1
		FROM transaction_sequence sequence CROSS JOIN (SELECT COALESCE(MAX(t.id), 0) AS id FROM booked_transaction t) newest`).Scan(&m.nextID)
}

// count updates the account: how many rows it has received, the date of its oldest row, and its currency.
func (m *merge) count(ctx context.Context, userID, currency string) error {
	_, err := m.tx.ExecContext(ctx, `UPDATE account SET transactions = transactions + $1, currency = $2,
			history_from = CASE WHEN $3 <> '' AND (history_from = '' OR history_from > $3) THEN $3 ELSE history_from END
		WHERE id = $4 AND user_id = $5`, m.inserted, currency, m.oldest, m.account, userID)
	return err
}

// day is the range of sort keys that the rows of a date take up.
type day struct{ low, high, min, max int64 }

// How many rows one statement reads, stores or touches: most of the cost of a small one is not SQLite's work.
const (
	lookupRows = 100
	insertRows = 25
)

var (
	heldQuery = `SELECT id, identity, ordinal, sort_key, seen_run, display_date, booking_date, value_date, transaction_date, counterparty, counterparty_account,
			remittance, kind, missing_since IS NOT NULL
		FROM booked_transaction WHERE account_id = ? AND identity IN ` + tuples(1, lookupRows)
	sameQuery   = `UPDATE booked_transaction SET seen_run = ?, missing_since = NULL WHERE +account_id = ? AND id IN ` + tuples(1, lookupRows) // +: by id, never by the index of the account
	missedQuery = `UPDATE booked_transaction SET missing_since = ? WHERE +account_id = ? AND id IN ` + tuples(1, lookupRows)
	newRows     = newInsert(28, `INSERT INTO booked_transaction
		(id, account_id, sort_key, identity, ordinal, reference, content, minor, currency, amount, display_date, booking_date, value_date, transaction_date,
			counterparty, counterparty_account, remittance, kind, first_run, seen_run, first_seen, reviewed,
			category_id, category_by, category_why, suggestion_id, payee, payee_key) VALUES `, "")
	newRecords = newInsert(2, `INSERT INTO transaction_record (transaction_id, original) VALUES `, "")
)

// insert is a statement that stores rows: insertRows of them at once, or one.
type insert struct {
	columns   int
	many, one string
}

// newInsert makes a statement of what stands before the values, and what behind them.
func newInsert(columns int, before, behind string) insert {
	return insert{columns, before + tuples(insertRows, columns) + behind, before + tuples(1, columns) + behind}
}

// store inserts rows, whose values stand one after the other.
func (i insert) store(ctx context.Context, tx *sqlite.Tx, values []any) error {
	for len(values) > 0 {
		query, n := i.one, i.columns
		if all := insertRows * i.columns; len(values) >= all {
			query, n = i.many, all
		}
		if _, err := tx.ExecContext(ctx, query, values[:n]...); err != nil {
			return err
		}
		values = values[n:]
	}
	return nil
}

// tuples are parameters for so many rows. They have no numbers: SQLite looks for numbered ones one by one.
func tuples(rows, columns int) string {
	tuple := "(" + strings.Repeat("?, ", columns-1) + "?)"
	return strings.Repeat(tuple+", ", rows-1) + tuple
}

// apply stores the entries of a page.
func (m *merge) apply(ctx context.Context, entries []readRow) error {
	// New rows go above those of the same day that are held, in order of time. In a first sync that comes newest first, each goes below
	// the ones before, so that the order of the bank is kept across pages.
	newestFirst := descending(entries, func(r readRow) openbanking.Date { return r.Date })
	below := m.first && newestFirst
	if newestFirst && !below {
		entries = slices.Clone(entries)
		slices.Reverse(entries)
	}
	if err := m.load(ctx, entries); err != nil {
		return err
	}
	if err := m.recall(ctx, entries); err != nil {
		return err
	}
	for _, e := range entries {
		if m.currency == "" && e.Amount.Currency() != finance.NoCurrency {
			m.currency = e.Amount.Currency()
		}
		var err error
		switch e.State {
		case finance.RowBooked:
			m.oldest = earlier(m.oldest, e.Date)
			err = m.booked(ctx, e, below)
		case finance.RowPending:
			err = m.pending(ctx, e)
		}
		if err != nil {
			return err
		}
	}
	return m.flush(ctx)
}

// place is where a row stands among the rows of an account that are never confused.
type place struct {
	identity string
	ordinal  int
}

// held is a stored row, as far as the comparison with incoming rows needs it.
type held struct {
	id, sortKey, seenRun int64
	finance.Transaction
	missing bool
}

// load reads the held rows that the booked entries may be.
func (m *merge) load(ctx context.Context, entries []readRow) error {
	var identities []any
	for _, e := range entries {
		if e.State == finance.RowBooked {
			identities = append(identities, e.Identity.Key)
		}
	}
	for some := range slices.Chunk(identities, lookupRows) {
		if err := m.loadSome(ctx, some); err != nil {
			return err
		}
	}
	for at, h := range m.held {
		if h.seenRun == m.run {
			m.ordinals[at.identity]++ // on an earlier page
		}
	}
	return nil
}

func (m *merge) loadSome(ctx context.Context, identities []any) error {
	rows, err := m.tx.QueryContext(ctx, heldQuery, append([]any{m.account}, padded(identities)...)...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var at place
		var h held
		err := rows.Scan(&h.id, &at.identity, &at.ordinal, &h.sortKey, &h.seenRun, &h.Date, &h.BookingDate, &h.ValueDate, &h.TransactionDate, &h.Counterparty,
			&h.CounterpartyAccount,
			&h.Remittance, &h.Kind, &h.missing)
		if err != nil {
			return err
		}
		m.held[at] = &h
	}
	return rows.Err()
}

// padded repeats the last value until there are lookupRows of them, so that a statement has one text.
func padded(values []any) []any {
	return append(slices.Clip(values), slices.Repeat(values[len(values)-1:], lookupRows-len(values))...)
}

func (m *merge) booked(ctx context.Context, e readRow, below bool) error {
	at := place{e.Identity.Key, m.ordinal(e.Identity)}
	h := m.held[at]
	switch {
	case h == nil:
		return m.insert(ctx, e, at, below)
	case h.seenRun == m.run && !h.missing:
		return nil // the same row once more in this run
	case h.missing:
		into, err := collect(ctx, m.tx, scanID, `SELECT twin.into_id FROM transaction_merge twin WHERE twin.hidden_id = $1`, h.id)
		if err != nil {
			return err
		}
		again := append([]any{h.id}, into...) // the one row that they are is listed again
		m.back = append(m.back, again...)
		if err := m.keepRows(ctx, again...); err != nil {
			return err
		}
	}
	return m.update(ctx, h, e)
}

// ordinal numbers equal rows. A reference identifies a single row, so its ordinal is always 0. Rows with equal content are counted over all pages of the
// run.
func (m *merge) ordinal(id finance.Identity) int {
	if id.Reference != "" {
		return 0
	}
	n := m.ordinals[id.Key]
	m.ordinals[id.Key]++
	return n
}

func (m *merge) insert(ctx context.Context, e readRow, at place, below bool) error {
	j, err := m.memory.judge(ctx, m.tx, e.facts, e.payee)
	if err != nil {
		return err
	}
	return m.put(ctx, e, at, below, j, m.first) // nobody looks at years of transactions at once
}

// put stores a new row, of which something was decided.
func (m *merge) put(ctx context.Context, e readRow, at place, below bool, j judged, reviewed bool) error {
	key, err := m.sortKey(ctx, e.Date, below)
	if err != nil {
		return err
	}
	m.held[at] = &held{seenRun: m.run}
	m.rows = append(m.rows, m.nextID, m.account, key, e.Identity.Key, at.ordinal, e.Identity.Reference, e.Identity.Content, e.Amount.Minor(),
		e.Amount.Currency(), e.Text,
		e.Date, e.BookingDate, e.ValueDate, e.TransactionDate, e.Counterparty, e.CounterpartyAccount, e.Remittance, e.Kind, m.run, m.run, sqlite.At(m.tx.Now),
		flag(reviewed), j.categoryID(), j.By, j.Why, j.suggestionID(), j.payeeName(e.Counterparty), j.Key)
	m.records = append(m.records, m.nextID, string(e.Record))
	m.sums.add(accountDay{m.account, e.Date}, j.Key, e.Amount, finance.Shares(e.Amount, j.Category, nil))
	if len(j.Deeds) > 0 {
		m.deeds = append(m.deeds, deedsOf{m.nextID, j.Deeds})
	} else {
		m.words = append(m.words, document{sortKey: key, row: searchRow(m.account, e.Transaction, e.payee.Name, e.References,
			kept{payee: j.payeeName(e.Counterparty), payeeKey: j.Key, category: j.Category, reviewed: reviewed})})
	}
	m.nextID++
	m.inserted++
	return nil
}

// flush stores the new rows of the page and everything that follows from them.
func (m *merge) flush(ctx context.Context) error {
	if err := newRows.store(ctx, m.tx, m.rows); err != nil {
		return err
	}
	if err := newRecords.store(ctx, m.tx, m.records); err != nil {
		return err
	}
	if len(m.rows) > 0 { // an id is given once, though its row may be deleted
		if _, err := m.tx.ExecContext(ctx, `UPDATE transaction_sequence SET last = $1`, m.nextID-1); err != nil {
			return err
		}
		if err := m.arrived(ctx, int64(len(m.rows)/newRows.columns)); err != nil {
			return err
		}
	}
	if err := m.sums.write(ctx, m.tx); err != nil {
		return err
	}
	if err := writeDocuments(ctx, m.tx, m.words); err != nil {
		return err
	}
	for some := range slices.Chunk(m.same, lookupRows) {
		if _, err := m.tx.ExecContext(ctx, sameQuery, append([]any{m.run, m.account}, padded(some)...)...); err != nil {
			return err
		}
	}
	var ruled []any
	for _, d := range m.deeds {
		if _, err := do(ctx, m.tx, m.memory.user, d.row, d.deeds); err != nil {
			return err
		}
		ruled = append(ruled, d.row)
	}
	again := slices.Concat(m.back, m.changed)
	if err := reindex(ctx, m.tx, append(ruled, again...)); err != nil {
		return err
	}
	if err := recount(ctx, m.tx, m.left...); err != nil {
		return err
	}
	return lookAgain(ctx, m.tx, again)
}

// update notes that a row is still there, and takes over what the bank has changed about it. Amount and currency are part of the identity.
func (m *merge) update(ctx context.Context, h *held, e readRow) error {
	same := h.BookingDate == e.BookingDate && h.ValueDate == e.ValueDate && h.TransactionDate == e.TransactionDate && h.Counterparty == e.Counterparty &&
		h.CounterpartyAccount == e.CounterpartyAccount && h.Remittance == e.Remittance && h.Kind == e.Kind
	h.seenRun, h.missing = m.run, false
	if same {
		m.same = append(m.same, h.id)
		return nil
	}
	key := h.sortKey
	if h.Date != e.Date {
		var err error
		if key, err = m.sortKey(ctx, e.Date, false); err != nil {
			return err
		}
		if h.sortKey < 0 {
			key = -key // it was merged into another row
		}
		if err := unindex(ctx, m.tx, h.sortKey); err != nil {
			return err
		}
		m.left = append(m.left, accountDay{m.account, h.Date})
	}
	m.changed = append(m.changed, h.id)
	if err := m.keepRows(ctx, h.id); err != nil {
		return err
	}
	if h.Date != e.Date || h.BookingDate != e.BookingDate || h.ValueDate != e.ValueDate || h.Counterparty != e.Counterparty ||
		h.CounterpartyAccount != e.CounterpartyAccount || h.Remittance != e.Remittance {
		if err := keepBefore(ctx, m.tx, h.id); err != nil {
			return err
		}
	}
	j, err := m.memory.judge(ctx, m.tx, e.facts, e.payee)
	if err != nil {
		return err
	}
	_, err = m.tx.ExecContext(ctx, `UPDATE booked_transaction SET sort_key = $1, content = $2, display_date = $3, booking_date = $4, value_date = $5,
			transaction_date = $6, counterparty = $7, counterparty_account = $8, remittance = $9, kind = $10, seen_run = $11, missing_since = NULL,
			payee = $12, payee_key = $13,
			category_id = CASE category_by WHEN 'hand' THEN category_id ELSE $14 END, category_why = CASE category_by WHEN 'hand' THEN category_why ELSE $15 END,
			category_by = CASE category_by WHEN 'hand' THEN category_by ELSE $16 END, suggestion_id = CASE category_by WHEN 'hand' THEN NULL ELSE $17 END
		WHERE id = $18 AND account_id = $19`,
		key, e.Identity.Content, e.Date, e.BookingDate, e.ValueDate, e.TransactionDate, e.Counterparty, e.CounterpartyAccount, e.Remittance, e.Kind, m.run,
		j.payeeName(e.Counterparty), j.Key, j.categoryID(), j.Why, j.By, j.suggestionID(), h.id, m.account)
	if err != nil {
		return err
	}
	if _, err := do(ctx, m.tx, m.memory.user, h.id, j.Deeds); err != nil {
		return err
	}
	_, err = m.tx.ExecContext(ctx, `UPDATE transaction_record SET original = $1 WHERE transaction_id = $2`, string(e.Record), h.id)
	return err
}

// recall reads what naive Bayes has counted of the new rows, all at once.
func (m *merge) recall(ctx context.Context, entries []readRow) error {
	if len(m.memory.Counts) == 0 {
		return nil
	}
	var features []string
	for _, e := range entries {
		if e.State == finance.RowBooked && m.held[place{e.Identity.Key, 0}] == nil {
			features = append(features, m.memory.features(e.facts, e.payee)...)
		}
	}
	return m.memory.recall(ctx, m.tx, features)
}

// sortKey takes the next free key of a date, below or above those taken. The keys of all accounts are one order.
func (m *merge) sortKey(ctx context.Context, date openbanking.Date, below bool) (int64, error) {
	d := m.days[date]
	if d == nil {
		low, middle, high := finance.SortRange(date)
		d = &day{low: low, high: high}
		var hidden day // the places of rows that were merged into others stay free for them
		err := m.tx.QueryRowContext(ctx, `SELECT
				COALESCE((SELECT MIN(t.sort_key) FROM booked_transaction t WHERE t.sort_key BETWEEN $1 AND $2), $3),
				COALESCE((SELECT MAX(t.sort_key) FROM booked_transaction t WHERE t.sort_key BETWEEN $1 AND $2), $4),
				COALESCE((SELECT -MAX(t.sort_key) FROM booked_transaction t WHERE t.sort_key BETWEEN -$2 AND -$1), $3),
				COALESCE((SELECT -MIN(t.sort_key) FROM booked_transaction t WHERE t.sort_key BETWEEN -$2 AND -$1), $4)`,
			low, high, middle, middle-1).Scan(&d.min, &d.max, &hidden.min, &hidden.max)
		if err != nil {
			return 0, err
		}
		d.min, d.max = min(d.min, hidden.min), max(d.max, hidden.max)
		m.days[date] = d
	}
	if below && d.min > d.low || d.max >= d.high {
		d.min--
		return d.min, nil
	}
	d.max++
	return d.max, nil
}

func (m *merge) pending(ctx context.Context, e readRow) error {
	ordinal := 0
	if e.Identity.Reference == "" {
		key := "pending " + e.Identity.Key
		n, ok := m.ordinals[key]
		if !ok {
			err := m.tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM pending_transaction WHERE account_id = $1 AND run = $2 AND identity = $3`,
				m.account, m.run, e.Identity.Key).Scan(&n)
			if err != nil {
				return err
			}
		}
		m.ordinals[key] = n + 1
		ordinal = n
	}
	j, err := m.memory.judge(ctx, m.tx, e.facts, e.payee)
	if err != nil {
		return err
	}
	_, err = m.tx.ExecContext(ctx, `INSERT INTO pending_transaction
		(account_id, run, identity, ordinal, reference, status, minor, currency, amount, display_date, counterparty, counterparty_account, remittance, kind, original, payee)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) ON CONFLICT DO NOTHING`,
		m.account, m.run, e.Identity.Key, ordinal, e.Identity.Reference, e.Status, e.Amount.Minor(), e.Amount.Currency(), e.Text, e.Date, e.Counterparty,
		e.CounterpartyAccount,
		e.Remittance, e.Kind, string(e.Record), j.payeeName(e.Counterparty))
	return err
}

// finish ends a run: it finds out which rows are gone, and shows the pending rows of this run in place of those before.
func (m *merge) finish(ctx context.Context, task finance.SyncTask) error {
	if task.OldestSeen != "" { // an empty answer says nothing about the rows that are held
		low, _, _ := finance.SortRange(task.OldestSeen)
		if err := m.rename(ctx, low-1, task.DateFrom); err != nil {
			return err
		}
		if err := m.adopt(ctx, low-1); err != nil {
			return err
		}
		if err := m.miss(ctx, low-1, task.DateFrom); err != nil {
			return err
		}
	}
	// Some banks send a row as pending once more after they have booked it, lately.
	lately, _, _ := finance.SortRange(openbanking.DateOf(m.tx.Now.AddDate(0, 0, -60)))
	_, err := m.tx.ExecContext(ctx, `DELETE FROM pending_transaction WHERE account_id = $1 AND run = $2 AND reference <> '' AND reference IN (
		SELECT t.reference FROM booked_transaction t WHERE `+above(`t.account_id = $1`, `t.sort_key`, `$3 - 1`)+` AND t.missing_since IS NULL)`,
		m.account, m.run, lately)
	if err != nil {
		return err
	}
	if err := keepPending(ctx, m.tx, m.account, m.run); err != nil {
		return err
	}
	if _, err := m.tx.ExecContext(ctx, `DELETE FROM pending_transaction WHERE account_id = $1 AND run <> $2`, m.account, m.run); err != nil {
		return err
	}
	_, err = m.tx.ExecContext(ctx, `UPDATE account SET pending_run = $1 WHERE id = $2 AND user_id = $3`, m.run, m.account, task.UserID)
	return err
}

// above returns the condition that a row of an account lies above a key. A row that was merged into another one has the negative of its key. Both halves
// name the account, so that SQLite uses the index for each.
func above(account, column, key string) string {
	return `(` + account + ` AND ` + column + ` > ` + key + ` OR ` + account + ` AND ` + column + ` < -(` + key + `))`
}

// inPeriod is the condition that a row lies in the period that a run asked for. Parameter 4 is its first day, "" for as far back as the bank goes. A bank
// may also send a row from before it, dated 1970 for example, which proves nothing about other rows of that time.
const inPeriod = ` AND CASE WHEN booking_date > display_date THEN booking_date ELSE display_date END >= $4`

// miss marks the rows that are gone: those of the period that the run asked for and covered which it did not bring. A row of a file that the bank never
// brought is not gone.
func (m *merge) miss(ctx context.Context, key int64, from openbanking.Date) error {
	until, err := m.covered(ctx, key, from)
	if err != nil || until == "" {
		return err
	}
	_, _, key = finance.SortRange(until) // rows of the oldest day may have been cut off by the bank
	gone, err := collect(ctx, m.tx, scanID, `SELECT id FROM booked_transaction
		WHERE `+above(`account_id = $1`, `sort_key`, `$2`)+` AND (booking_date = '' OR booking_date > $3) AND seen_run <> $4 AND seen_run > 0 AND missing_since IS NULL`,
		m.account, key, until, m.run)
	if err != nil || len(gone) == 0 {
		return err
	}
	into, err := mergedIntoAny(ctx, m.tx, gone...)
	if err != nil {
		return err
	}
	if err := m.keepRows(ctx, slices.Concat(gone, into)...); err != nil {
		return err
	}
	now := sqlite.At(m.tx.Now)
	for some := range slices.Chunk(gone, lookupRows) {
		if _, err := m.tx.ExecContext(ctx, missedQuery, append([]any{now, m.account}, padded(some)...)...); err != nil {
			return err
		}
	}
	days, err := collect(ctx, m.tx, scanAccountDay, `SELECT DISTINCT shown.account_id, shown.display_date FROM booked_transaction t
		JOIN booked_transaction shown ON shown.id = COALESCE((SELECT twin.into_id FROM transaction_merge twin WHERE twin.hidden_id = t.id), t.id)
		WHERE `+above(`t.account_id = $1`, `t.sort_key`, `$2`)+` AND t.missing_since = $3`, m.account, key, now)
	if err != nil {
		return err
	}
	if err := recount(ctx, m.tx, days...); err != nil {
		return err
	}
	_, err = m.tx.ExecContext(ctx, `INSERT INTO transfer_waiting (transaction_id)
		SELECT COALESCE((SELECT twin.into_id FROM transaction_merge twin WHERE twin.hidden_id = t.id), t.id) FROM booked_transaction t
		WHERE `+above(`t.account_id = $1`, `t.sort_key`, `$2`)+` AND t.missing_since = $3 ON CONFLICT DO NOTHING`, m.account, key, now)
	return err
}

// covered returns the day after which the run received every row that the bank has; "" when it received none of its period. A bank cuts a listing by the
// booking date or by another date, so a row just after the cut may show a date before it. The oldest of the later dates of all received rows is safe for
// either.
func (m *merge) covered(ctx context.Context, key int64, from openbanking.Date) (openbanking.Date, error) {
	var day openbanking.Date
	err := m.tx.QueryRowContext(ctx, `SELECT COALESCE(MIN(CASE WHEN booking_date > display_date THEN booking_date ELSE display_date END), '') FROM booked_transaction
		WHERE `+above(`account_id = $1`, `sort_key`, `$2`)+` AND seen_run = $3`+inPeriod, m.account, key, m.run, from).Scan(&day)
	return day, err
}

// rename recognises rows that the bank gave another booking date or entry_reference since the last sync: one that is gone and one that this run
// brought, with the same reference or the same content, are the same row, and so are two that differ in their amount alone (reprice). The older row stays, and
// with it what the user did to it.
func (m *merge) rename(ctx context.Context, key int64, from openbanking.Date) error {
	scan := func(s scanner) (twin, error) {
		var r twin
		err := s.Scan(&r.id, &r.sortKey, &r.reference, &r.content, &r.dates)
		return r, err
	}
	gone, err := collect(ctx, m.tx, scan, `SELECT id, sort_key, reference, content, booking_date || value_date || transaction_date FROM booked_transaction
		WHERE `+above(`account_id = $1`, `sort_key`, `$2`)+` AND seen_run <> $3`+inPeriod+` ORDER BY ABS(sort_key)`, m.account, key, m.run, from)
	if err != nil || len(gone) == 0 {
		return err
	}
	came, err := collect(ctx, m.tx, scan, `SELECT id, sort_key, reference, content, booking_date || value_date || transaction_date FROM booked_transaction
		WHERE `+above(`account_id = $1`, `sort_key`, `$2`)+` AND first_run = $3 ORDER BY ABS(sort_key)`, m.account, key, m.run)
	if err != nil {
		return err
	}
	taken := map[int64]bool{} // of both: a row has one twin
	for _, key := range []func(twin) string{func(r twin) string { return r.reference }, func(r twin) string { return r.content }} {
		by := map[string][]twin{}
		for _, n := range came {
			if k := key(n); k != "" && !taken[n.id] {
				by[k] = append(by[k], n)
			}
		}
		for _, g := range gone {
			k := key(g)
			if taken[g.id] || len(by[k]) == 0 {
				continue
			}
			n := by[k][0]
			by[k] = by[k][1:]
			taken[g.id], taken[n.id] = true, true
			if err := m.unite(ctx, g, n); err != nil {
				return err
			}
		}
	}
	gone = slices.DeleteFunc(gone, func(r twin) bool { return taken[r.id] })
	came = slices.DeleteFunc(came, func(r twin) bool { return taken[r.id] })
	return m.reprice(ctx, gone, came)
}

// reprice recognises rows whose amount the bank corrected: one that is gone and one that came say the same but for it, the reference with them, and no other
// row does.
func (m *merge) reprice(ctx context.Context, gone, came []twin) error {
	if len(gone) == 0 || len(came) == 0 {
		return nil
	}
	dates := map[string]bool{}
	for _, r := range gone {
		dates[r.dates] = true
	}
	// a bank may bring many rows at once, and each record that is read holds up the writer
	came = slices.DeleteFunc(came, func(r twin) bool { return !dates[r.dates] })
	was, err := m.withoutAmount(ctx, gone)
	if err != nil {
		return err
	}
	is, err := m.withoutAmount(ctx, came)
	if err != nil {
		return err
	}
	for key, old := range was {
		if n := is[key]; len(old) == 1 && len(n) == 1 {
			if err := m.unite(ctx, old[0], n[0]); err != nil {
				return err
			}
		}
	}
	return nil
}

// withoutAmount groups rows by finance.WithoutAmount; those that it does not identify are left out.
func (m *merge) withoutAmount(ctx context.Context, rows []twin) (map[string][]twin, error) {
	by := map[string][]twin{}
	for _, r := range rows {
		var original string
		if err := m.tx.QueryRowContext(ctx, `SELECT record.original FROM transaction_record record WHERE record.transaction_id = $1`, r.id).Scan(&original); err != nil {
			return nil, err
		}
		var wire openbanking.Transaction
		if err := json.Unmarshal([]byte(original), &wire); err != nil {
			return nil, fmt.Errorf("record of transaction %d: %w", r.id, err)
		}
		if key := finance.WithoutAmount(wire); key != "" {
			by[key] = append(by[key], r)
		}
	}
	return by, nil
}

// twin is a row that may be another stored row with a changed identity.
type twin struct {
	id, sortKey        int64
	reference, content string
	dates              string // all of them
}

// unite puts what the bank says of the new row into the old one, and removes the new one, which this very run had stored. What was merged with the new one is
// merged with the old one then.
func (m *merge) unite(ctx context.Context, old, n twin) error {
	merged, err := parted(ctx, m.tx, m.memory.user, n.id)
	if err != nil {
		return err
	}
	if err := m.replace(ctx, old.id, n.id); err != nil || len(merged) == 0 {
		return err
	}
	if i := slices.Index(merged, n.id); i >= 0 {
		merged[i] = old.id
	}
	return mergeAll(ctx, m.tx, m.memory.user, merged)
}

// replace is unite for a new row that is not merged with others. When the old one is, the row into which it was merged gets what the person did to the new one.
func (m *merge) replace(ctx context.Context, old, n int64) error {
	var key, newKey int64
	heir := old
	err := m.tx.QueryRowContext(ctx, `SELECT t.sort_key, n.sort_key, COALESCE((SELECT twin.into_id FROM transaction_merge twin WHERE twin.hidden_id = t.id), t.id)
		FROM booked_transaction t, booked_transaction n WHERE t.id = $1 AND n.id = $2 AND t.account_id = $3`, old, n, m.account).Scan(&key, &newKey, &heir)
	if err != nil {
		return err
	}
	place := newKey
	if key < 0 {
		place = -newKey
	}
	partners, err := partnersOf(ctx, m.tx, heir, n)
	if err != nil {
		return err
	}
	before, err := daysOf(ctx, m.tx, old, n)
	if err != nil {
		return err
	}
	if err := inherit(ctx, m.tx, heir, n); err != nil {
		return err
	}
	var same, listed bool
	err = m.tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM booked_transaction t JOIN booked_transaction n ON n.minor = t.minor AND n.currency = t.currency
			AND n.display_date = t.display_date AND n.booking_date = t.booking_date AND n.value_date = t.value_date AND n.counterparty = t.counterparty
			AND n.counterparty_account = t.counterparty_account AND n.remittance = t.remittance
		WHERE t.id = $1 AND n.id = $2 AND t.account_id = $3), (SELECT t.missing_since IS NULL AND t.kind = n.kind AND t.id = $4
			FROM booked_transaction t, booked_transaction n WHERE t.id = $1 AND n.id = $2)`, old, n, m.account, heir).Scan(&same, &listed)
	if err != nil {
		return err
	}
	// Many banks give new references at each fetch: where nothing is shown otherwise, nothing is kept.
	changes := []any{n}
	if !same || !listed {
		changes = append(changes, old, heir)
	}
	if err := m.keepRows(ctx, changes...); err != nil {
		return err
	}
	if !same {
		if err := keepBefore(ctx, m.tx, old); err != nil {
			return err
		}
	}
	const spare = -1 // while both exist the new row's place in the order and its identity are out of the way
	m.united++
	for _, step := range []struct {
		query string
		args  []any
	}{
		{`UPDATE transaction_record SET original = (SELECT r.original FROM transaction_record r WHERE r.transaction_id = $1) WHERE transaction_id = $2`,
			[]any{n, old}},
		{`UPDATE booked_transaction SET sort_key = $1, ordinal = ordinal + 1000000 WHERE id = $2 AND account_id = $3`, []any{spare, n, m.account}},
		{`UPDATE booked_transaction SET (identity, ordinal, reference, content, minor, currency, amount, display_date, booking_date, value_date, transaction_date, counterparty,
				counterparty_account, remittance, kind, payee, payee_key, seen_run, missing_since, sort_key) =
			(SELECT n.identity, n.ordinal - 1000000, n.reference, n.content, n.minor, n.currency, n.amount, n.display_date, n.booking_date, n.value_date, n.transaction_date, n.counterparty,
				n.counterparty_account, n.remittance, n.kind, n.payee, n.payee_key, n.seen_run, NULL, $1
				FROM booked_transaction n WHERE n.id = $2)
			WHERE id = $3 AND account_id = $4`, []any{place, n, old, m.account}},
		// A choice by hand stays, whichever of the two it was made for; of both the older row's counts.
		{`UPDATE booked_transaction SET (category_id, category_by, category_why, suggestion_id) =
			(SELECT n.category_id, n.category_by, n.category_why, n.suggestion_id FROM booked_transaction n WHERE n.id = $1)
			WHERE id = $2 AND account_id = $3 AND category_by <> 'hand' AND ($2 = $4
				OR EXISTS (SELECT 1 FROM booked_transaction n WHERE n.id = $1 AND n.category_by = 'hand'))`, []any{n, heir, m.account, old}},
		{`UPDATE category_edit SET transaction_id = $1 WHERE transaction_id = $2 AND NOT EXISTS (SELECT 1 FROM category_edit held WHERE held.transaction_id = $1)`, []any{heir, n}},
		{`DELETE FROM booked_transaction WHERE id = $1 AND account_id = $2`, []any{n, m.account}},
		{`UPDATE account SET transactions = transactions - 1 WHERE id = $1`, []any{m.account}},
	} {
		if _, err := m.tx.ExecContext(ctx, step.query, step.args...); err != nil {
			return err
		}
	}
	if key < 0 {
		key = newKey // at its place it is in no list
	}
	if err := unindex(ctx, m.tx, key); err != nil {
		return err
	}
	if err := lookAgain(ctx, m.tx, []any{heir}); err != nil {
		return err
	}
	if err := recount(ctx, m.tx, before...); err != nil {
		return err
	}
	return reindex(ctx, m.tx, append(partners, old, heir))
}

// descending reports whether the dates of rows fall, as most banks send them.
func descending[R any](rows []R, dateOf func(R) openbanking.Date) bool {
	for i := 1; i < len(rows); i++ {
		if a, b := dateOf(rows[i-1]), dateOf(rows[i]); a != b && a != "" && b != "" {
			return a > b
		}
	}
	return true
}

// earlier is the earlier of two dates, of which either may be missing.
func earlier(a, b openbanking.Date) openbanking.Date {
	if a == "" || b != "" && b < a {
		return b
	}
	return a
}
