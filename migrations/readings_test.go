package migrations_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"florin/internal/completeness"
	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/search"
	"florin/internal/sqlite"
	"florin/internal/store"
	"florin/migrations"
)

// The update that begins to prove accounts complete keeps all that was there. It takes a booked balance of before as the first reading where the rows were read
// with it, so the next sync proves the account, and for no other: that would be a false alarm.
func TestBalancesOfBeforeAreReadings(t *testing.T) {
	ctx := t.Context()
	db := appBefore(t, "00043")
	yesterday := time.Now().UTC().AddDate(0, 0, -1)
	day := func(days int) openbanking.Date { return openbanking.DateOf(yesterday.AddDate(0, 0, -days)) }
	at := func(ago time.Duration) string {
		return "'" + yesterday.Add(-ago).Format("2006-01-02T15:04:05.000Z") + "'"
	}
	statements := []string{
		`INSERT INTO user (id, email, password_hash, role, created) VALUES ('u', 'a@example.org', 'h', 'owner', ` + at(0) + `)`,
		`INSERT INTO provider (id, name, base_url, registration_url, issuer, audience, application_id, redirect_url, environment, private_key, created, updated)
			VALUES ('p', 'P', 'b', 'r', 'i', 'a', 'app', 'r', 'SANDBOX', 'k', ` + at(0) + `, ` + at(0) + `)`,
		`INSERT INTO connection (id, user_id, provider_id, aspsp_name, country, psu_type, status, session_id, valid_until, created, authorized)
			VALUES ('c', 'u', 'p', 'B', 'DE', 'personal', 'active', 's', ` + at(-1000*time.Hour) + `, ` + at(0) + `, ` + at(0) + `)`,
	}
	accounts := map[string]struct {
		balance, currency string
		day               openbanking.Date
		read              time.Duration // how long before the balance the rows were read
		run               int           // a run is under way
		reading           bool
	}{
		"together":       {"CLBD", "EUR", day(0), time.Minute, 0, true},
		"interim":        {"ITBD", "EUR", day(0), 0, 0, true},
		"hours apart":    {"CLBD", "EUR", day(0), 3 * time.Hour, 0, false},
		"under way":      {"CLBD", "EUR", day(0), 0, 1, false},
		"available":      {"ITAV", "EUR", day(0), 0, 0, false},
		"other currency": {"CLBD", "SEK", day(0), 0, 0, false},
		"long ago":       {"CLBD", "EUR", day(40), 0, 0, false},
	}
	id := 0
	for name, a := range accounts {
		statements = append(statements, fmt.Sprintf(`INSERT INTO account (id, user_id, connection_id, hash, bank_currency, currency, uid, holder, details, product, type, usage, iban, number, scheme,
				credit_limit, original, created, pending_run) VALUES ('%s', 'u', 'c', '%[1]s', 'EUR', 'EUR', 'uid', '', '', '', '', '', '', '', '', '', '{}', %s, 1)`, name, at(0)),
			fmt.Sprintf(`INSERT INTO balance (account_id, position, type, name, minor, currency, amount, reference_date, fetched) VALUES ('%s', 0, '%s', '', 10000, '%s', '100.00', '%s', %s)`,
				name, a.balance, a.currency, a.day, at(0)),
			fmt.Sprintf(`INSERT INTO pending_transaction (account_id, run, identity, ordinal, reference, status, minor, currency, amount, display_date, counterparty, counterparty_account, remittance, kind,
				original) VALUES ('%s', 1, 'x', 0, '', 'PDNG', -300, 'EUR', '3.00', '', '', '', '', '', '{}')`, name),
			fmt.Sprintf(`INSERT INTO sync_task (id, user_id, connection_id, account_id, scope, state, run, in_run, next_attempt_at, last_started_at, last_success_at, first_success_at)
				VALUES ('%s t', 'u', 'c', '%[1]s', 'transactions', 'waiting', 1, %d, '2999-01-01T00:00:00.000Z', %s, %[3]s, %[3]s)`, name, a.run, at(a.read)),
			fmt.Sprintf(`INSERT INTO sync_task (id, user_id, connection_id, account_id, scope, state, next_attempt_at) VALUES ('%s b', 'u', 'c', '%[1]s', 'balances', 'waiting', '2999-01-01T00:00:00.000Z')`,
				name))
		for _, days := range []int{0, 10, 400} {
			id++
			_, key, _ := finance.SortRange(day(days))
			statements = append(statements, fmt.Sprintf(`INSERT INTO booked_transaction (id, account_id, sort_key, identity, ordinal, reference, content, minor, currency, amount, display_date, booking_date,
					value_date, transaction_date, counterparty, counterparty_account, remittance, kind, first_run, seen_run, first_seen)
				VALUES (%d, '%s', %d, 'row %[1]d', 0, '', '', -500, 'EUR', '5.00', '%s', '%[4]s', '', '', 'Shop', '', 'text', '', 1, 1, %[5]s)`, id, name, key+int64(id), day(days), at(time.Hour)),
				fmt.Sprintf(`INSERT INTO transaction_record (transaction_id, original) VALUES (%d, '{}')`, id),
				fmt.Sprintf(`INSERT INTO transaction_note (transaction_id, text) VALUES (%d, 'mine')`, id))
		}
	}
	if err := db.Write(ctx, func(tx *sqlite.Tx) error {
		for _, statement := range statements {
			if _, err := tx.ExecContext(ctx, statement); err != nil {
				return fmt.Errorf("%s: %w", statement, err)
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := sqlite.Migrate(ctx, db, migrations.App); err != nil {
		t.Fatal(err)
	}
	path := ""
	if err := db.Read().QueryRowContext(ctx, `SELECT file FROM pragma_database_list WHERE name = 'main'`).Scan(&path); err != nil {
		t.Fatal(err)
	}
	key, err := store.NewKey(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(ctx, path, key)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	rows, _, err := s.Find(ctx, "u", search.InAccount("together"), store.Newest, 100)
	if err != nil || len(rows) != 3 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for _, row := range rows {
		if note, err := s.Annotation(ctx, "u", row.ID); err != nil || note.Note != "mine" || row.Counterparty != "Shop" || row.Missing {
			t.Errorf("%+v with %+v, %v", row, note, err)
		}
	}
	complete := func(account string) store.Completeness {
		c, err := s.Completeness(ctx, "u", account)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	for name, a := range accounts {
		if c := complete(name); c.Until != "" || c.Open != nil || len(c.Breaks) > 0 {
			t.Errorf("%s is said to be %+v after the update", name, c)
		}
		balances, err := s.AccountBalances(ctx, "u", name)
		if err != nil || len(balances) != 1 || balances[0].Amount != money.FromMinor(10000, a.currency) {
			t.Errorf("%s has the balances %+v, %v", name, balances, err)
		}
	}

	// The next sync, a day later: the bank has booked 5.00 more.
	today := openbanking.DateOf(yesterday.AddDate(0, 0, 1))
	if err := db.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE sync_task SET next_attempt_at = $1, in_run = 0`, sqlite.At(time.Now()))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	wire := openbanking.Transaction{TransactionAmount: openbanking.AmountType{Currency: "EUR", Amount: "5.00"}, CreditDebitIndicator: openbanking.CreditDebitIndicatorDBIT,
		Status: openbanking.TransactionStatusBOOK, BookingDate: &today}
	original, err := json.Marshal(wire)
	if err != nil {
		t.Fatal(err)
	}
	entry, err := finance.Reader{Currency: "EUR", Today: today}.Read(wire, original)
	if err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(time.Hour)
	for range 2 * len(accounts) {
		c, ok, _, err := s.ClaimTask(ctx, time.Minute)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		if c.Task.Scope == finance.ScopeBalances {
			err = s.FinishBalances(ctx, c, []finance.Balance{{AccountID: c.Account.ID, Type: openbanking.BalanceStatusCLBD,
				Amount: money.FromMinor(9500, "EUR"), Reference: today, Fetched: time.Now()}}, later)
		} else if err = s.BeginRun(ctx, &c, "default", today, time.Minute); err == nil {
			err = s.ApplyPage(ctx, &c, store.Page{Entries: []finance.Entry{entry}}, time.Minute, later)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, a := range accounts {
		var want completeness.Verdict
		if a.reading {
			want = completeness.Verdict{Since: day(0), Until: today}
		}
		if c := complete(name); c.Since != want.Since || c.Until != want.Until || c.Open != nil || len(c.Breaks) > 0 || !c.Provable {
			t.Errorf("%s is %+v after a sync, want %+v", name, c.Verdict, want)
		}
	}
}
