package main

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"florin/internal/finance"
)

// measurePayments requests the first page and the list of payments for a person with few payments, and for the same person after many payments.
func measurePayments(b *testing.B) []quantity {
	b.Helper()
	const few, many, waiting = 45, 10_000, 5
	first := quantity{name: "first page, with 10,000 payments", unit: "µs CPU", against: "the same with 45", goal: 1.3}
	fresh := quantity{name: "first page after a commit, with 10,000 payments", unit: "µs CPU", against: "the same with 45", goal: 1.3}
	flat := quantity{name: "list of payments, a page of 50 out of 10,000", unit: "µs CPU", withoutYardstick: true, goal: 800}
	changed := quantity{name: "list of payments after a commit, a page of 50 out of 10,000", unit: "µs CPU", withoutYardstick: true, goal: 800,
		reason: "what was remembered is forgotten with each commit, and the list, the counts of its filters and the strip above it are read again"}
	list := quantity{name: "list of payments, a page of 50 out of 10,000", unit: "µs CPU",
		against: "bare handler: sign-in row, page query, the same template", goal: 2}
	tail := quantity{name: "first page, 16 at a time: 99 of 100 within", unit: "ms", against: "half of the same", goal: 3, reason: queueing + "; the bare handler's own is in the row beside it"}
	machine := quantity{name: "bare handler, 16 at a time: 99 of 100 within", unit: "ms", against: "half of the same", goal: 3,
		reason: "this is how much of it is the machine's"}
	slow := quantity{name: "first page, 16 at a time: 99 of 100 within", unit: "ms", against: "the bare handler, 16 at a time", goal: 1.5, reason: queueing}
	folder := b.TempDir()
	f := launchWith(b, oneCore, folder, anywhere...)
	p := newPayer(b, f)
	paid := p.approved(0)
	p.settled(paid.ID)
	for i := range waiting {
		p.confirm(mockOrder(1 + i))
	}
	copyPayments(b, f, paid, few-waiting-1)
	asking := newReader(b, f)
	page := f.web + "/"
	bare := startBare(b, folder)
	const requests = 400
	var littles, freshes []float64
	asking.rested()
	for range rounds {
		littles = append(littles, asking.cpu(f.process.Process.Pid, page, requests))
		freshes = append(freshes, asking.afterCommits(page))
	}
	copyPayments(b, f, paid, many-few)
	asking.rested()
	for i := range rounds {
		first.florin, first.yardstick = append(first.florin, asking.cpu(f.process.Process.Pid, page, requests)), append(first.yardstick, littles[i])
		list.florin = append(list.florin, asking.cpu(f.process.Process.Pid, f.web+"/payments", requests))
		list.yardstick = append(list.yardstick, asking.cpu(bare.process.Pid, bare.address, requests))
		fresh.florin, fresh.yardstick = append(fresh.florin, asking.afterCommits(page)), append(fresh.yardstick, freshes[i])
		changed.florin = append(changed.florin, asking.afterCommits(f.web+"/payments"))
		half, slowest := asking.crowded(page, 2*requests)
		tail.florin, tail.yardstick = append(tail.florin, slowest), append(tail.yardstick, half)
		bareHalf, bareSlowest := asking.crowded(bare.address, 2*requests)
		machine.florin, machine.yardstick = append(machine.florin, bareSlowest), append(machine.yardstick, bareHalf)
		slow.florin, slow.yardstick = append(slow.florin, slowest), append(slow.yardstick, bareSlowest)
	}
	flat.florin = list.florin
	if err := f.end(); err != nil {
		b.Fatal(err)
	}
	return []quantity{first, fresh, list, flat, changed, tail, machine, slow}
}

// afterCommits returns how much CPU time, in microseconds, Florin spends on a page when something was committed since the previous request.
func (r *reader) afterCommits(address string) float64 {
	r.b.Helper()
	path := "file:" + filepath.Join(r.f.folder, "app.db") + "?_txlock=immediate&_pragma=busy_timeout(10000)"
	db, err := sql.Open("sqlite", path)
	if err != nil {
		r.b.Fatal(err)
	}
	defer db.Close()
	watching, err := sql.Open("sqlite", path) // as Florin does (sqlite.DB.Stamp)
	if err != nil {
		r.b.Fatal(err)
	}
	defer watching.Close()
	watching.SetMaxOpenConns(1)
	version := func() (n int) {
		if err := watching.QueryRow(`PRAGMA data_version`).Scan(&n); err != nil {
			r.b.Fatal(err)
		}
		return n
	}
	const commits = 40
	spent := 0.0
	for range commits {
		seen := version()
		// SQLite does not commit a write that changes no row. Florin does not use this number.
		if _, err := db.Exec(fmt.Sprintf(`PRAGMA user_version = %d`, time.Now().UnixMicro()%1_000_000_000)); err != nil {
			r.b.Fatal(err)
		}
		if version() == seen {
			r.b.Fatal("nothing was committed")
		}
		time.Sleep(10 * time.Millisecond) // until Florin may have noticed
		before := exactTime(r.b, r.f.process.Process.Pid)
		r.get(address)
		spent += exactTime(r.b, r.f.process.Process.Pid) - before
	}
	return 1000 * spent / commits
}

// copyPayments copies a payment that has ended and was seen, n times, each an hour older. The copies are too old for Florin to look for their bookings. That
// matters because their texts are encrypted for the original payment, and cannot be decrypted.
func copyPayments(b *testing.B, f *florin, of finance.Payment, n int) {
	b.Helper()
	const longOver = 100 * 24
	db, err := sql.Open("sqlite", "file:"+filepath.Join(f.folder, "app.db")+"?_txlock=immediate&_pragma=busy_timeout(10000)")
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	tx, err := db.Begin()
	if err != nil {
		b.Fatal(err)
	}
	defer tx.Rollback()
	if _, err := tx.Exec(`UPDATE payment SET seen = created WHERE id = $1 AND final = 1`, of.ID); err != nil {
		b.Fatal(err)
	}
	var before int
	if err := tx.QueryRow(`SELECT COUNT(*) FROM payment`).Scan(&before); err != nil {
		b.Fatal(err)
	}
	for _, table := range []struct{ name, key string }{{"payment", "id"}, {"payment_transfer", "payment_id"}} {
		var columns, values []string
		for _, column := range columnsOf(b, tx, table.name) {
			value := column
			switch {
			case column == table.key:
				value = `$2`
			case table.name == "payment" && slices.Contains([]string{"form_key", "payment_id", "reference"}, column):
				value = column + ` || $2`
			case column == "state_hash":
				value = `NULL`
			case slices.Contains([]string{"created", "sent", "ended", "news", "seen"}, column):
				value = `strftime('%Y-%m-%dT%H:%M:%fZ', ` + column + `, $3)`
			case column == "last_day":
				value = `date(last_day, $3)`
			}
			columns, values = append(columns, column), append(values, value)
		}
		copied, err := tx.Prepare(`INSERT INTO ` + table.name + ` (` + strings.Join(columns, ", ") + `) SELECT ` + strings.Join(values, ", ") + ` FROM ` +
			table.name + ` WHERE ` + table.key + ` = $1 AND $3 = $3`)
		if err != nil {
			b.Fatal(err)
		}
		defer copied.Close()
		for i := range n {
			if _, err := copied.Exec(of.ID, fmt.Sprintf("copy-%06d", before+i), fmt.Sprintf("-%d hours", longOver+before+i)); err != nil {
				b.Fatal(err)
			}
		}
	}
	if err := tx.Commit(); err != nil {
		b.Fatal(err)
	}
	if _, err := db.Exec(`PRAGMA wal_checkpoint(TRUNCATE)`); err != nil { // otherwise Florin's next commit would have to do it
		b.Fatal(err)
	}
	time.Sleep(100 * time.Millisecond) // until Florin has noticed
}

// columnsOf are the names of the columns of a table.
func columnsOf(b *testing.B, tx *sql.Tx, table string) (names []string) {
	b.Helper()
	rows, err := tx.Query(`SELECT name FROM pragma_table_info($1)`, table)
	if err != nil {
		b.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			b.Fatal(err)
		}
		names = append(names, name)
	}
	if err := rows.Err(); err != nil {
		b.Fatal(err)
	}
	return names
}
