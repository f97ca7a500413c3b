package store

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"florin/internal/debits"
	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
)

const (
	// debitRows is how many new rows are read for direct debits in one transaction, and how many direct debits are judged in one. Other writers wait that long.
	debitRows = 50
	// lateDebits is how many days before the first sync of an account a new direct debit may be dated. Banks book late.
	lateDebits = 10
)

// debitFacts holds the details of a direct debit that were read from a row.
type debitFacts struct {
	id      int64
	account string
	day     openbanking.Date
	party   string
	debits.Signs
	ok bool // the row is a direct debit or the return of one
}

// WatchDebits reads the details of new direct debits from their rows, and stores each finding about them once (package debits). Debits that exist when the
// first sync of an account is done count as known. A background loop calls it: it returns when to call it again (the zero time when nothing is left), and the
// users for whom something was found.
func (s *Store) WatchDebits(ctx context.Context) (next time.Time, users []string, err error) {
	defer doing("watch direct debits", &err)
	more, err := s.readDebits(ctx)
	if err == nil && !more { // read all rows first: a row that is read late may be earlier than the others
		more, users, err = s.lookAtDebits(ctx)
	}
	if err != nil || !more {
		return time.Time{}, users, err
	}
	return time.Now(), users, nil
}

// readDebits reads some new or changed rows for direct debits. more is false when it has read all.
func (s *Store) readDebits(ctx context.Context) (more bool, err error) {
	var from, newest int64
	var rows []debitFacts
	err = s.db.Snapshot(ctx, func(at sqlite.Snapshot) error {
		err := at.QueryRowContext(ctx, `SELECT from_id, (SELECT COALESCE(MAX(t.id), 0) FROM booked_transaction t) FROM debit_backlog`).Scan(&from, &newest)
		if err != nil {
			return err
		}
		rows, err = collect(ctx, at, scanDebitFacts, debitFactsQuery+`debit_waiting waiting CROSS JOIN booked_transaction t ON t.id = waiting.transaction_id
			CROSS JOIN transaction_record record ON record.transaction_id = t.id ORDER BY t.id LIMIT $1 + 0`, debitRows)
		if err != nil || len(rows) > 0 || from > newest {
			return err
		}
		rows, err = collect(ctx, at, scanDebitFacts, debitFactsQuery+`booked_transaction t CROSS JOIN transaction_record record ON record.transaction_id = t.id
			WHERE t.id >= $2 ORDER BY t.id LIMIT $1 + 0`, debitRows, from)
		if len(rows) == debitRows {
			newest = rows[len(rows)-1].id
		}
		return err
	})
	if err != nil || len(rows) == 0 && from > newest {
		return false, err
	}
	return true, s.db.Write(ctx, func(tx *sqlite.Tx) error {
		for _, r := range rows {
			if err := r.store(ctx, tx); err != nil {
				return err
			}
		}
		if len(rows) > 0 && rows[0].id < from { // the rows came from debit_waiting
			return nil
		}
		_, err := tx.ExecContext(ctx, `UPDATE debit_backlog SET from_id = $1`, newest+1)
		return err
	})
}

const debitFactsQuery = `SELECT t.id, t.account_id, ` + bookedOn + `, t.payee_key, record.original FROM `

func scanDebitFacts(row scanner) (r debitFacts, err error) {
	var original string
	if err := row.Scan(&r.id, &r.account, &r.day, &r.party, &original); err != nil {
		return r, err
	}
	var wire openbanking.Transaction
	if err := json.Unmarshal([]byte(original), &wire); err != nil {
		return r, err
	}
	r.Signs, r.ok = debits.Read(wire)
	return r, nil
}

// store stores what a row now contains about a direct debit.
func (r debitFacts) store(ctx context.Context, tx *sqlite.Tx) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM debit_waiting WHERE transaction_id = $1`, r.id); err != nil {
		return err
	}
	if !r.ok {
		_, err := tx.ExecContext(ctx, `DELETE FROM direct_debit WHERE transaction_id = $1`, r.id)
		return err
	}
	// The row may have been deleted since it was read.
	_, err := tx.ExecContext(ctx, `INSERT INTO direct_debit (transaction_id, account_id, day, creditor, creditor_id, mandate, mandate_key, party, scheme, one_off)
		SELECT t.id, t.account_id, $2, $3, $4, $5, $6, $7, $8, $9 FROM booked_transaction t WHERE t.id = $1
		ON CONFLICT (transaction_id) DO UPDATE SET account_id = excluded.account_id, day = excluded.day, creditor = excluded.creditor, creditor_id = excluded.creditor_id,
			mandate = excluded.mandate, mandate_key = excluded.mandate_key, party = excluded.party, scheme = excluded.scheme, one_off = excluded.one_off`,
		r.id, r.day, debits.Key(r.Creditor, r.party), r.Creditor, r.Mandate, debits.MandateKey(r.Mandate), r.party, r.Scheme, flag(r.OneOff))
	return err
}

// begun is the condition that account a has completed its first sync or, when no bank is linked to it, has transactions.
const begun = `CASE WHEN EXISTS (SELECT 1 FROM sync_task k WHERE k.account_id = a.id AND k.scope = 'transactions')
	THEN EXISTS (SELECT 1 FROM sync_task k WHERE k.account_id = a.id AND k.scope = 'transactions' AND k.last_success_at IS NOT NULL) ELSE a.transactions > 0 END`

// lookAtDebits decides what to report about some direct debits. more is false when no debit that can be judged is left.
func (s *Store) lookAtDebits(ctx context.Context) (more bool, users []string, err error) {
	type account struct {
		id, user string
		since    openbanking.Date // "" for one that is not watched yet
	}
	accounts, err := collect(ctx, s.db.Read(), func(row scanner) (a account, err error) { return a, row.Scan(&a.id, &a.user, &a.since) },
		`SELECT a.id, a.user_id, COALESCE(watch.since, '') FROM account a LEFT JOIN debit_watch watch ON watch.account_id = a.id
			WHERE CASE WHEN watch.since IS NULL THEN `+begun+` ELSE EXISTS (SELECT 1 FROM direct_debit d WHERE d.account_id = a.id AND d.looked = 0) END`)
	if err != nil {
		return false, nil, err
	}
	for _, a := range accounts {
		found := false
		err := s.db.Write(ctx, func(tx *sqlite.Tx) error {
			if a.since == "" {
				return beginWatch(ctx, tx, a.user, a.id)
			}
			var left bool
			found, left, err = s.judgeDebits(ctx, tx, a.user, a.id, a.since)
			more = more || left
			return err
		})
		if err != nil {
			return false, users, err
		}
		if found && !slices.Contains(users, a.user) {
			users = append(users, a.user)
		}
	}
	return more, users, nil
}

// beginWatch watches an account of the user from now on: its present debits count as known.
func beginWatch(ctx context.Context, tx *sqlite.Tx, userID, accountID string) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO debit_watch (account_id, since) SELECT a.id, $3 FROM account a WHERE a.id = $1 AND a.user_id = $2 ON CONFLICT DO NOTHING`,
		accountID, userID, openbanking.DateOf(tx.Now.AddDate(0, 0, -lateDebits)))
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE direct_debit SET looked = 1 WHERE looked = 0 AND account_id IN (SELECT a.id FROM account a WHERE a.id = $1 AND a.user_id = $2)`,
		accountID, userID)
	return err
}

// debitColumns are the columns of a direct debit d and its row t that package debits compares.
const debitColumns = `d.transaction_id, d.day, t.minor, t.currency, d.creditor, d.mandate_key, d.party, t.remittance, d.one_off`

func scanDebit(row scanner, more ...any) (d debits.Debit, err error) {
	var minor int64
	var currency string
	err = row.Scan(append([]any{&d.ID, &d.Day, &minor, &currency, &d.Creditor, &d.Mandate, &d.Party, &d.Text, &d.OneOff}, more...)...)
	if err == nil {
		d.Amount = money.FromMinor(minor, currency)
	}
	return d, err
}

func aDebit(row scanner) (debits.Debit, error) { return scanDebit(row) }

// ofDebits selects the direct debits of the account $1 of the user $2 with their rows.
const ofDebits = ` FROM account a CROSS JOIN direct_debit d ON d.account_id = a.id CROSS JOIN booked_transaction t ON t.id = d.transaction_id
	WHERE a.id = $1 AND a.user_id = $2 AND `

// stays is the condition that the bank still lists the row of a debit and that the row was not merged into another one.
const stays = inList + ` AND NOT (` + unlisted + `)`

// judgeDebits looks at some new direct debits of an account: first at all returned ones, so that a debit that was returned in the same sync raises no
// finding, then at the others by date.
func (s *Store) judgeDebits(ctx context.Context, tx *sqlite.Tx, userID, accountID string, since openbanking.Date) (found, more bool, err error) {
	waiting, err := collect(ctx, tx, aDebit, `SELECT `+debitColumns+ofDebits+`d.looked = 0 ORDER BY t.minor < 0, d.day, d.transaction_id LIMIT $3 + 0`, accountID, userID, debitRows)
	if err != nil {
		return false, false, err
	}
	for _, d := range waiting {
		if d.Amount.Sign() > 0 {
			if err := takeBack(ctx, tx, userID, accountID, d); err != nil {
				return false, false, err
			}
		}
	}
	for _, d := range waiting {
		if d.Amount.Sign() < 0 && d.Day >= since {
			raised, err := s.raiseDebit(ctx, tx, userID, accountID, d)
			if err != nil {
				return false, false, err
			}
			found = found || raised
		}
		if _, err := tx.ExecContext(ctx, `UPDATE direct_debit SET looked = 1 WHERE transaction_id = $1 AND account_id = $2`, d.ID, accountID); err != nil {
			return false, false, err
		}
	}
	return found, len(waiting) == debitRows, nil
}

// takeBack marks the direct debit that a row returned. When several fit, it marks the latest.
func takeBack(ctx context.Context, tx *sqlite.Tx, userID, accountID string, back debits.Debit) error {
	candidates, err := collect(ctx, tx, aDebit, `SELECT `+debitColumns+ofDebits+`d.day BETWEEN $3 AND $4 AND t.minor = $5 AND t.currency = $6 AND d.back_id IS NULL AND `+stays+`
		ORDER BY d.day DESC, d.transaction_id DESC LIMIT $7 + 0`, accountID, userID, shifted(back.Day, 0, -debits.ReturnDays), back.Day, -back.Amount.Minor(),
		back.Amount.Currency(), debits.Remembered)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(candidates, func(d debits.Debit) bool { return debits.Returns(back, d) })
	if at < 0 {
		return nil
	}
	_, err = tx.ExecContext(ctx, `UPDATE direct_debit SET back_id = $1 WHERE transaction_id = $2 AND account_id = $3`, back.ID, candidates[at].ID, accountID)
	return err
}

// raiseDebit stores the findings about a direct debit. found is false when none of them is new.
func (s *Store) raiseDebit(ctx context.Context, tx *sqlite.Tx, userID, accountID string, d debits.Debit) (found bool, err error) {
	var listed bool
	var run int64
	var row finance.TransactionRow
	var scheme debits.Scheme
	err = tx.QueryRowContext(ctx, `SELECT t.first_run, t.payee, t.counterparty, t.remittance, t.kind, d.scheme, d.back_id IS NULL AND `+stays+
		ofDebits+`d.transaction_id = $3`, accountID, userID, d.ID).Scan(&run, &row.Payee, &row.Counterparty, &row.Remittance, &row.Kind, &scheme, &listed)
	if err != nil || !listed {
		return false, err
	}
	past, err := debitPast(ctx, tx, userID, accountID, d)
	if err != nil {
		return false, err
	}
	for _, f := range debits.Judge(d, past) {
		r, err := tx.ExecContext(ctx, `INSERT INTO debit_finding (id, account_id, transaction_id, kind, key, run, other_id, was, found)
			VALUES ($1, $2, $3, $4, $5, $6, NULLIF($7, 0), $8, $9) ON CONFLICT DO NOTHING`,
			finance.NewID(), accountID, d.ID, f.Kind, f.Key, run, f.Other, f.Was.Minor(), sqlite.At(tx.Now))
		if err != nil {
			return false, err
		}
		n, err := r.RowsAffected()
		if err != nil {
			return false, err
		}
		if n == 0 {
			continue // it was reported before
		}
		found = true
		until := debits.UntilOf(d.Day, scheme)
		err = s.raise(ctx, tx, userID, finance.Alert{Kind: finance.AlertDebit, Key: string(f.Kind) + " " + accountID + " " + f.Key,
			Facts: finance.AlertFacts{Code: string(f.Kind), Account: accountID, Transaction: d.ID, Name: row.Title(),
				Amount: finance.AlertAmountOf(d.Amount), Day: d.Day, Until: cmp.Or(until.Authorised, until.Unauthorised)}})
		if err != nil {
			return found, err
		}
	}
	return found, nil
}

// debitPast reads what is known before a direct debit of an account of the user.
func debitPast(ctx context.Context, tx *sqlite.Tx, userID, accountID string, d debits.Debit) (p debits.Past, err error) {
	const before = `(d.day < $3 OR d.day = $3 AND d.transaction_id < $4) AND t.minor < 0 AND `
	p.Creditor, err = collect(ctx, tx, aDebit, `SELECT `+debitColumns+ofDebits+before+`d.creditor = $5 AND d.back_id IS NULL AND `+stays+`
		ORDER BY d.day DESC, d.transaction_id DESC LIMIT $6 + 0`, accountID, userID, d.Day, d.ID, d.Creditor, debits.Remembered)
	if err != nil {
		return p, err
	}
	if p.Known = len(p.Creditor) > 0; p.Known {
		err = tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM account a CROSS JOIN debit_finding f ON f.account_id = a.id AND f.kind = 'twice'
			CROSS JOIN direct_debit d ON d.transaction_id = f.transaction_id
			WHERE a.id = $1 AND a.user_id = $2 AND f.closed IS NOT NULL AND d.creditor = $3 AND d.mandate_key = $4)`,
			accountID, userID, d.Creditor, d.Mandate).Scan(&p.Right)
		return p, err
	}
	err = tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1`+ofDebits+before+`d.creditor = $5)`, accountID, userID, d.Day, d.ID, d.Creditor).Scan(&p.Known)
	if err != nil || p.Known || d.Party == "" {
		return p, err
	}
	p.Others, err = collect(ctx, tx, func(row scanner) (key string, err error) { return key, row.Scan(&key) },
		`SELECT DISTINCT d.creditor`+ofDebits+before+`d.party = $5 AND d.creditor <> $6`, accountID, userID, d.Day, d.ID, d.Party, d.Creditor)
	return p, err
}

// heldColumns are the columns of a direct debit d with its row t, in an account a whose user is owner.
const heldColumns = rowColumns + `, t.account_id, a.user_id, owner.email, d.day, d.creditor_id, d.mandate, d.scheme,
	COALESCE((SELECT CASE back.booking_date WHEN '' THEN back.display_date ELSE back.booking_date END FROM booked_transaction back WHERE back.id = d.back_id), '')`

func (w Seen) scanHeld(row scanner, more ...any) (h debits.Held, err error) {
	var owner string
	err = scanRow(row, &h.TransactionRow, append([]any{&h.AccountID, &owner, &h.Owner, &h.Day, &h.Creditor, &h.Mandate, &h.Scheme, &h.Back}, more...)...)
	if owner == w.userID {
		h.Owner = ""
	}
	return h, err
}

// findingColumns are the columns of a finding f.
const findingColumns = `f.kind, f.found, f.closed, f.was,
	COALESCE((SELECT CASE other.booking_date WHEN '' THEN other.display_date ELSE other.booking_date END FROM booked_transaction other WHERE other.id = f.other_id), '')`

// mostFound is the largest number of findings on a page.
const mostFound = 200

// DebitFindings lists the direct debits with findings, newest first: at most the last 200 findings.
func (w Seen) DebitFindings(ctx context.Context) (_ []debits.Held, err error) {
	defer doing("read findings of direct debits", &err)
	return sqlite.Remember(ctx, w.store.db, sqlite.Key{"debit_finding", w.key()}, func() ([]debits.Held, error) {
		return w.debitsWith(ctx, w.store.db.Read(), `$2 = 0`, 0)
	})
}

// DebitOf returns a direct debit with its findings. The error is finance.ErrNotFound for a row that is not a direct debit, and for one that the person does not
// see.
func (w Seen) DebitOf(ctx context.Context, id int64) (h debits.Held, err error) {
	defer doing("read direct debit", &err)
	h, err = w.scanHeld(w.store.db.Read().QueryRowContext(ctx, `SELECT `+heldColumns+` FROM direct_debit d JOIN booked_transaction t ON t.id = d.transaction_id
		JOIN account a ON a.id = d.account_id JOIN user owner ON owner.id = a.user_id
		WHERE d.transaction_id = $2 AND t.minor < 0 AND `+inList+` AND `+seenBy(w.household, "a", "$1"), w.userID, id))
	if err != nil {
		return h, notFound(err)
	}
	with, err := w.debitsWith(ctx, w.store.db.Read(), `d.transaction_id = $2`, id)
	if len(with) > 0 {
		h.Findings = with[0].Findings
	}
	return h, err
}

// debitsWith lists the direct debits with findings that meet a condition on $2.
func (w Seen) debitsWith(ctx context.Context, q querier, condition string, arg any) (list []debits.Held, err error) {
	_, err = collect(ctx, q, func(row scanner) (struct{}, error) {
		var f debits.Kept
		var found, closed sqlite.NullTime
		var was int64
		h, err := w.scanHeld(row, &f.Kind, &found, &closed, &was, &f.Other)
		if err != nil {
			return struct{}{}, err
		}
		f.Found, f.Closed = found.Time, closed.Time
		if was != 0 {
			f.Was = money.FromMinor(was, h.Amount.Currency())
		}
		if n := len(list); n > 0 && list[n-1].ID == h.ID {
			list[n-1].Findings = append(list[n-1].Findings, f)
			return struct{}{}, nil
		}
		h.Findings = []debits.Kept{f}
		list = append(list, h)
		return struct{}{}, nil
	}, `SELECT `+heldColumns+`, `+findingColumns+` FROM debit_finding f JOIN direct_debit d ON d.transaction_id = f.transaction_id
		JOIN booked_transaction t ON t.id = d.transaction_id JOIN account a ON a.id = d.account_id JOIN user owner ON owner.id = a.user_id
		WHERE `+condition+` AND `+inList+` AND `+seenBy(w.household, "a", "$1")+` ORDER BY d.day DESC, t.id DESC, f.kind LIMIT $3 + 0`, w.userID, arg, mostFound)
	return list, err
}

// mandateDays is the number of days after its last debit for which a mandate is listed.
const mandateDays = 400

// Mandates lists the mandates under which money was collected in the last 400 days, the one with the latest debit first.
func (w Seen) Mandates(ctx context.Context, today openbanking.Date) (_ []debits.Mandate, err error) {
	defer doing("read mandates", &err)
	return sqlite.Remember(ctx, w.store.db, sqlite.Key{"direct_debit", w.key(), string(today)}, func() ([]debits.Mandate, error) {
		return collect(ctx, w.store.db.Read(), func(row scanner) (m debits.Mandate, err error) {
			m.Last, err = w.scanHeld(row, &m.Count)
			return m, err
		}, `SELECT `+heldColumns+`, last.count FROM (SELECT placed.id, placed.count, placed.place FROM (SELECT d.transaction_id AS id,
				COUNT(*) OVER (PARTITION BY d.account_id, d.creditor, d.mandate_key) AS count,
				ROW_NUMBER() OVER (PARTITION BY d.account_id, d.creditor, d.mandate_key ORDER BY d.day DESC, d.transaction_id DESC) AS place
				FROM account a CROSS JOIN direct_debit d ON d.account_id = a.id CROSS JOIN booked_transaction t ON t.id = d.transaction_id
				WHERE d.day >= $2 AND t.minor < 0 AND `+stays+` AND `+seenBy(w.household, "a", "$1")+`) placed WHERE placed.place = 1) last
			CROSS JOIN direct_debit d ON d.transaction_id = last.id CROSS JOIN booked_transaction t ON t.id = last.id CROSS JOIN account a ON a.id = d.account_id
			CROSS JOIN user owner ON owner.id = a.user_id WHERE `+seenBy(w.household, "a", "$1")+` ORDER BY d.day DESC, d.transaction_id DESC LIMIT $3 + 0`,
			w.userID, shifted(today, 0, -mandateDays), mostFound)
	})
}

// CloseDebit closes the findings about a direct debit when the user says that it is right, and opens them again when right is false. The error is
// finance.ErrNotFound when there are no findings, and when the account is not the user's own.
func (s *Store) CloseDebit(ctx context.Context, userID string, id int64, right bool) (err error) {
	defer doing("close findings of direct debit", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		var closed any
		if right {
			closed = sqlite.At(tx.Now)
		}
		return changed(tx.ExecContext(ctx, `UPDATE debit_finding SET closed = CASE WHEN $1 IS NULL THEN NULL ELSE COALESCE(closed, $1) END
			WHERE transaction_id = $2 AND account_id IN (SELECT a.id FROM account a WHERE a.user_id = $3)`, closed, id, userID))
	})
}
