package main

import (
	"fmt"
	"net/url"
	"testing"
	"time"
)

// pairs waits until Florin has found transfers between own accounts.
func (f *florin) pairs() {
	f.t.Helper()
	db := f.database()
	defer db.Close()
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		var waiting, found int
		err := db.QueryRow(`SELECT (SELECT COALESCE(MAX(id), 0) FROM booked_transaction) - (SELECT from_id FROM transfer_backlog) + 1
			+ (SELECT count(*) FROM transfer_waiting), (SELECT count(*) FROM own_transfer)`).Scan(&waiting, &found)
		switch {
		case err != nil:
			f.t.Fatal(err)
		case waiting == 0 && found > 0:
			return
		case time.Now().After(end):
			f.t.Fatalf("%d transfers are found, and %d rows wait", found, waiting)
		}
	}
}

// undoesTransfer lets a person declare that a transfer is not one, and undo that: one line in the list becomes two, and then one again.
func (w *window) undoesTransfer(t *testing.T, f *florin) {
	t.Helper()
	db := f.database()
	defer db.Close()
	var out, in, outAccount, inAccount, left, came string
	err := db.QueryRow(`SELECT held.out_id, held.in_id, o.account_id, i.account_id, o.display_date, i.display_date FROM own_transfer held JOIN booked_transaction o ON o.id = held.out_id
		JOIN booked_transaction i ON i.id = held.in_id WHERE held.state = 'found' ORDER BY o.sort_key DESC LIMIT 1`).Scan(&out, &in, &outAccount, &inAccount, &left, &came)
	if err != nil {
		t.Fatal(err)
	}
	out, in = "/accounts/"+outAccount+"/transactions/"+out, "/accounts/"+inAccount+"/transactions/"+in
	lines := func(want string) {
		t.Helper()
		w.visit(f.web + "/transactions?q=" + url.QueryEscape("on:"+left+" OR on:"+came))
		got := w.evaluate(fmt.Sprintf(`[%q, %q].map((href) => document.querySelectorAll('a[href="' + href + '"]').length).join(" ")`, out, in))
		if got != want {
			t.Errorf("the list has %s lines for the two sides, want %s", got, want)
		}
	}
	lines("1 0")
	w.see("→")
	w.visit(f.web + out)
	w.see("Transfer between own accounts", "It counts as neither income nor spending.")
	w.checkPage()
	w.click("This is not a transfer")
	w.see("These two are no longer a transfer.")
	lines("1 1")
	w.visit(f.web + in)
	w.click("It is a transfer after all")
	w.see("as you said. It counts as neither income nor spending.")
	lines("1 0")
}
