package main

import (
	"fmt"
	"maps"
	"net/url"
	"strings"
	"testing"
	"time"

	"florin/internal/contract/walk"
	"florin/internal/testkit"
)

// A couple has one Florin and two logins at the same bank, where they share an account. Both connections are listed, the shared account once. When the
// connection that brought the account ends, the account stays with all its rows.
func TestHouseholdSharesAnAccount(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Process)
	f := spawn(t)
	p := newPerson(t)
	p.setUp(f)
	lena, tom := exampleCustomer, walk.Person{Username: "tom", Password: "anker-31", Code: "314159"}

	p.link(f, exampleBank, exampleCountryCode, lena)
	p.sees(200, "5 new accounts")
	f.synced()
	p.link(f, exampleBank, exampleCountryCode, tom)
	p.sees(200, "2 new accounts, 1 recognised", "Your other connection to this bank keeps it up to date")
	f.synced()

	both := f.household()
	if len(both) != 7 {
		t.Fatalf("%d accounts, want 7: %+v", len(both), both)
	}
	first, second := both["Hauptkonto"].connection, both["Depotkonto"].connection
	if first == second {
		t.Fatal("the second person took the place of the first")
	}
	joint := both["Haushalt"]
	if joint.connection != first || joint.rows == 0 {
		t.Errorf("the shared account is %+v, want it at the first connection %s, with rows", joint, first)
	}
	for name, a := range both {
		if !a.live {
			t.Errorf("%s is left out", name)
		}
	}
	p.visit(f.web)
	p.sees(200, "7 accounts", "Also gives access to <bdi>Haushalt</bdi>")
	if n := strings.Count(p.page.Body, "<bdi>Haushalt</bdi></a>"); n != 1 {
		t.Errorf("the shared account is listed %d times", n)
	}
	total := p.total()

	// A renewal by the second person changes only that person's consent.
	p.visit(p.renewal(f, exampleBank, exampleCountryCode, second))
	p.sees(200, "Renew this connection", "Hauptkonto", "Depotkonto")
	p.approve(f, nil, tom)
	p.sees(200, "3 recognised")
	f.synced()
	if again := f.household(); !maps.Equal(again, both) {
		t.Errorf("after the renewal %+v, want %+v", again, both)
	}

	p.visit(f.web + "/connections/" + first + "/disconnect")
	p.sees(200, "Your other connection to this bank keeps these up to date", "Haushalt")
	p.send("/disconnect", url.Values{})
	p.sees(200, "is no longer synced, and the consent has ended")
	f.fetched(joint.id)
	for name, a := range f.household() {
		want := both[name]
		if want.connection == first {
			want.live = name == "Haushalt"
		}
		if name == "Haushalt" {
			want.connection = second
		}
		if a != want {
			t.Errorf("%s is %+v after the first connection ended, want %+v", name, a, want)
		}
	}
	p.visit(f.web)
	p.sees(200, "7 accounts")
	if now := p.total(); now != total {
		t.Errorf("the total is %s, and was %s", now, total)
	}

	// The first person renews: syncing continues, and the shared account stays with the second connection.
	p.visit(p.renewal(f, exampleBank, exampleCountryCode, first))
	p.approve(f, nil, lena)
	p.sees(200, "5 recognised")
	f.synced()
	want := maps.Clone(both)
	joint.connection = second
	want["Haushalt"] = joint
	if back := f.household(); !maps.Equal(back, want) {
		t.Errorf("back again %+v, want %+v", back, want)
	}
}

// renewal returns the address of the page that confirms the renewal of a connection.
func (p *person) renewal(f *florin, bank, country, connection string) string {
	return f.web + "/link/bank?" + url.Values{"provider": {"embedded"}, "bank": {bank}, "country": {country}, "again": {connection}}.Encode()
}

// total returns the first of the sums on the accounts page.
func (p *person) total() string {
	p.t.Helper()
	_, rest, found := strings.Cut(p.page.Body, `class="totals"`)
	sum, _, ended := strings.Cut(rest, "</ul>")
	if !found || !ended {
		p.fatalf("there is no total")
	}
	return sum
}

// keptAccount is an account as the database has it.
type keptAccount struct {
	id, connection string
	rows           int
	live           bool // it can be fetched, and its tasks are not stopped
}

// household returns all accounts by their description or product.
func (f *florin) household() map[string]keptAccount {
	f.t.Helper()
	db := f.database()
	defer db.Close()
	rows, err := db.Query(`SELECT CASE WHEN a.details <> '' THEN a.details ELSE a.product || CASE WHEN a.product = 'Seebrücke Giro' THEN ' ' || a.holder ELSE '' END END,
		a.id, COALESCE(a.connection_id, a.former_connection), (SELECT count(*) FROM booked_transaction t WHERE t.account_id = a.id),
		a.uid <> '' AND NOT EXISTS (SELECT 1 FROM sync_task k WHERE k.account_id = a.id AND (k.state = 'stopped' OR k.connection_id <> a.connection_id)) FROM account a`)
	if err != nil {
		f.t.Fatal(err)
	}
	defer rows.Close()
	all := map[string]keptAccount{}
	for rows.Next() {
		var name string
		var a keptAccount
		if err := rows.Scan(&name, &a.id, &a.connection, &a.rows, &a.live); err != nil {
			f.t.Fatal(err)
		}
		if _, twice := all[name]; twice {
			name = fmt.Sprintf("%s (%s)", name, a.id)
		}
		all[name] = a
	}
	if err := rows.Err(); err != nil {
		f.t.Fatal(err)
	}
	return all
}

// fetched waits until no task of an account is due, and fails when a task has failed.
func (f *florin) fetched(account string) {
	f.t.Helper()
	db := f.database()
	defer db.Close()
	for end := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		var open, failed int
		err := db.QueryRow(`SELECT count(*) FILTER (WHERE state <> 'waiting' OR next_attempt_at <= $2), count(*) FILTER (WHERE last_error_code <> '')
			FROM sync_task WHERE account_id = $1`, account, time.Now().UTC().Format("2006-01-02T15:04:05.000Z")).Scan(&open, &failed)
		if err != nil {
			f.t.Fatal(err)
		}
		if failed > 0 || time.Now().After(end) {
			f.t.Fatalf("%d tasks of the account failed, %d are open\n%s", failed, open, f.err.tail())
		}
		if open == 0 {
			return
		}
	}
}
