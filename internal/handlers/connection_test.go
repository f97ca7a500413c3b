package handlers_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
)

// A page shows a connection and its tasks as they were at one moment, even while a sync ends the connection. A page that mixes before and after would stay
// wrong, because it is not loaded again.
func TestPagesShowOneMoment(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	mira := s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	b.link()
	accounts, err := s.store.Accounts(t.Context(), mira.ID)
	must(t, err)
	db, err := sqlite.Open(t.Context(), s.path)
	must(t, err)
	defer db.Close()
	stop, stopped := make(chan struct{}), make(chan error, 1)
	go func() { // the connection ends and is renewed, again and again
		for {
			for _, now := range []struct{ connection, tasks string }{{"revoked", "stopped"}, {"active", "waiting"}} {
				err := db.Write(t.Context(), func(tx *sqlite.Tx) error {
					if _, err := tx.ExecContext(t.Context(), `UPDATE connection SET status = $1, ended = CASE WHEN $1 = 'active' THEN NULL ELSE $2 END`,
						now.connection, sqlite.At(tx.Now)); err != nil {
						return err
					}
					_, err := tx.ExecContext(t.Context(), `UPDATE sync_task SET state = $1, lease = '', lease_until = NULL`, now.tasks)
					return err
				})
				if err != nil {
					stopped <- err
					return
				}
			}
			select {
			case <-stop:
				stopped <- nil
				return
			default:
			}
		}
	}()
	seen := map[bool]int{}
	for i := 0; len(stopped) == 0 && i < 10_000 && (i < 200 || seen[true] == 0 || seen[false] == 0); i++ {
		for _, path := range []string{"/", "/connections/" + accounts[0].ConnectionID} {
			body := b.get(path).status(http.StatusOK).body
			ended, fresh, idle := strings.Contains(body, "Consent withdrawn"), strings.Contains(body, "Up to date"), strings.Contains(body, "No longer updated")
			seen[ended]++
			if ended == fresh || ended != idle || strings.Contains(body, "No access") {
				close(stop)
				must(t, <-stopped)
				t.Fatalf("%s mixes two states: ended %t, up to date %t, not updated %t\n%s", path, ended, fresh, idle, body)
			}
		}
	}
	close(stop)
	must(t, <-stopped)
	if seen[true] == 0 || seen[false] == 0 {
		t.Errorf("the connection did not change: %v", seen)
	}
}

// When the bank gives no data, no sync notices the end of the consent; asking the service does.
func TestRefreshFindsTheEndOfTheConsent(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	blocked := accountOf("3", "DE75512108001245126199", "EUR", "Sperrkonto")
	blocked.UID = nil
	s.service.accounts = []openbanking.AccountResource{blocked}
	mira := s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	b.link()
	accounts, err := s.store.Accounts(t.Context(), mira.ID)
	must(t, err)
	page := "/connections/" + accounts[0].ConnectionID
	b.get(page).status(http.StatusOK).has("No access", "Connected", "Refresh").lacks("disabled")

	b.post(page+"/refresh", nil).to(page)
	b.get(page).status(http.StatusOK).has("The bank gives no data for these accounts.", "Connected", "Refresh")
	s.service.Refuse("GET /sessions/{id}", openbanking.Error{Code: openbanking.ASPSPError})
	b.post(page+"/refresh", nil).to(page)
	b.get(page).status(http.StatusOK).has("The bank gives no data for these accounts.", "Connected", "Refresh")

	s.service.Refuse("GET /sessions/{id}", openbanking.Error{Code: openbanking.RevokedSession})
	b.post(page+"/refresh", nil).to(page)
	b.get(page).status(http.StatusOK).has("The connection has ended. Link the bank again.", "The consent was withdrawn", "Florin noticed at ", "that you have withdrawn your consent, at the bank or with the banking service.",
		"Neither the bank nor the banking service said when access ended.", "Reconnect</a>").lacks("Refresh", "Who has to act",
		"No access")
}

// While one scope of a connection is being read, a refresh of this connection or of all connections makes the other scopes due at once.
func TestRefreshBesideABusySync(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	mira := s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	b.link()
	s.syncAll()
	accounts, err := s.store.Accounts(t.Context(), mira.ID)
	must(t, err)
	page := "/connections/" + accounts[0].ConnectionID
	due := func() (n int) {
		tasks, err := s.store.Tasks(t.Context(), mira.ID, "")
		must(t, err)
		for _, task := range tasks {
			if task.Scope == finance.ScopeTransactions && !task.NextAttempt.After(time.Now()) {
				n++
			}
		}
		return n
	}
	later := sqlite.At(time.Now().Add(time.Hour))
	for _, path := range []string{page + "/refresh", "/refresh"} {
		s.exec(`UPDATE sync_task SET state = 'waiting', next_attempt_at = $1, lease = '', lease_until = NULL`, later)
		s.exec(`UPDATE sync_task SET state = 'running', lease = 'x', lease_until = $1 WHERE scope = 'balances'`, later)
		if n := due(); n != 0 {
			t.Fatalf("%d are due before", n)
		}
		b.get(page).status(http.StatusOK).has("Refresh").lacks("A sync is running already.")
		b.post(path, nil).status(http.StatusSeeOther)
		if n := due(); n == 0 {
			t.Errorf("%s: the transactions wait, because the balances are being read", path)
		}
		b.get(page).status(http.StatusOK).has("A sync is running already.", "disabled")
	}
}
