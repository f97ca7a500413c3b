package main

import (
	"database/sql"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"florin/internal/contract/walk"
	"florin/internal/openbanking"
	"florin/internal/testkit"
)

// held is what app.db holds of the transactions of the one account.
type held struct {
	rows, pages, run int
	done             bool
}

// held reads app.db while Florin writes it.
func (f *florin) held() held {
	f.t.Helper()
	db := f.database()
	defer db.Close()
	var h held
	var done sql.NullString
	err := db.QueryRow(`SELECT (SELECT count(*) FROM booked_transaction) + (SELECT count(*) FROM pending_transaction), pages, run, first_success_at
		FROM sync_task WHERE scope = 'transactions'`).Scan(&h.rows, &h.pages, &h.run, &done)
	if err != nil {
		f.t.Fatal(err)
	}
	h.done = done.Valid
	return h
}

func (f *florin) database() *sql.DB {
	f.t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(f.folder, "app.db")+"?_pragma=query_only(1)&_pragma=busy_timeout(10000)")
	if err != nil {
		f.t.Fatal(err)
	}
	return db
}

// synced waits until the first sync of everything that is linked has succeeded.
func (f *florin) synced() {
	f.t.Helper()
	db := f.database()
	defer db.Close()
	end := time.Now().Add(3 * time.Minute)
	for {
		var tasks, open int
		if err := db.QueryRow(`SELECT count(*), count(*) FILTER (WHERE first_success_at IS NULL) FROM sync_task`).Scan(&tasks, &open); err != nil {
			f.t.Fatal(err)
		}
		if tasks > 0 && open == 0 {
			return
		}
		if time.Now().After(end) {
			f.t.Fatalf("%d of %d parts of the first sync do not end\n%s", open, tasks, f.err.tail())
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// originals counts the records of the bank that app.db holds, each in the form that canonical gives it.
func (f *florin) originals() map[string]int {
	f.t.Helper()
	db := f.database()
	defer db.Close()
	rows, err := db.Query(`SELECT original FROM transaction_record UNION ALL SELECT original FROM pending_transaction`)
	if err != nil {
		f.t.Fatal(err)
	}
	defer rows.Close()
	found := map[string]int{}
	for rows.Next() {
		var original string
		if err := rows.Scan(&original); err != nil {
			f.t.Fatal(err)
		}
		var transaction openbanking.Transaction
		if err := json.Unmarshal([]byte(original), &transaction); err != nil {
			f.t.Fatal(err)
		}
		found[canonical(f.t, transaction)]++
	}
	if err := rows.Err(); err != nil {
		f.t.Fatal(err)
	}
	return found
}

// canonical writes a transaction without the id that may change with each fetch (spec: Transaction, transaction_id).
func canonical(t testing.TB, transaction openbanking.Transaction) string {
	t.Helper()
	transaction.TransactionID = nil
	text, err := json.Marshal(transaction)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A Florin that is repeatedly killed during the first sync continues where it was, and ends with the rows that the bank lists: none is doubled and none is
// missing.
func TestKilledDuringFirstSync(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Crashes)
	const all, kills = 10_000, 4
	folder := t.TempDir()
	catalogue := filepath.Join(folder, "catalogue.json") // small pages, so that the sync takes long enough to be killed
	if err := os.WriteFile(catalogue, []byte(`{"banks": [{"name": "Slow Bank", "country": "LU", "page_size": 100,
		"users": [{"username": "u", "password": "p", "name": "Una", "accounts": ["a"]}], "accounts": [{"id": "a", "type": "CACC", "transactions": 10000}]}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	bank, una := openbanking.ASPSP{Name: "Slow Bank", Country: "LU"}, walk.Person{Username: "u", Password: "p"}
	// The addresses stay the same over restarts, as on a machine that restarts Florin.
	settings := []string{"--listen", freeAddress(t), "--service-listen", freeAddress(t), "--service-tls-listen", "127.0.0.1:0", "--sandbox-catalogue", catalogue}
	f := launch(t, folder, settings...)
	a := addApplication(t, f)
	p := newPerson(t)
	p.setUp(f)
	p.link(f, bank.Name, bank.Country, una)

	var before held
	for kill := range kills {
		mark := all * (2*kill + 1) / (2*kills + 2)
		for before = f.held(); before.rows < mark && !before.done; before = f.held() {
			time.Sleep(5 * time.Millisecond)
		}
		if before.done {
			t.Fatalf("the sync was over before kill %d", kill+1)
		}
		f.kill()
		f = launch(t, folder, settings...)
		after := f.held()
		if after.rows < before.rows || after.pages < before.pages || after.run != before.run {
			t.Fatalf("after kill %d there are %d rows of %d pages in run %d, but there were %d of %d in run %d before",
				kill+1, after.rows, after.pages, after.run, before.rows, before.pages, before.run)
		}
	}
	end := time.Now().Add(3 * time.Minute)
	now := f.held()
	for ; !now.done; now = f.held() {
		if time.Now().After(end) {
			t.Fatalf("the sync does not end: %+v\n%s", now, f.err.tail())
		}
		time.Sleep(20 * time.Millisecond)
	}
	if now.run != before.run {
		t.Errorf("the sync ended in run %d, but began in run %d: it started again", now.run, before.run)
	}

	session := a.link(bank, una)
	want := map[string]int{}
	for _, transaction := range a.transactions(*session.Accounts[0].UID) {
		want[canonical(t, transaction)]++
	}
	got := f.originals()
	if !maps.Equal(got, want) {
		t.Errorf("Florin holds %d different rows, the bank lists %d", len(got), len(want))
		shown := 0
		for row, count := range want {
			if got[row] != count && shown < 5 {
				t.Logf("%d times instead of %d: %s", got[row], count, row)
				shown++
			}
		}
	}
	if now.rows != all {
		t.Errorf("Florin holds %d rows, want %d", now.rows, all)
	}
	f.noErrors()
}
