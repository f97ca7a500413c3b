package handlers_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"florin/internal/finance"
	"florin/internal/linking"
	"florin/internal/openbanking"
	"florin/internal/search"
	"florin/internal/store"
)

// Several logins at one bank are distinguished wherever one of them is named: by the holder or the nickname, and the last digits of the account numbers (the
// pain: accounts cannot be told apart).
func TestLoginsAreToldApart(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	mira := s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	b.link()
	connections, err := s.store.Connections(t.Context(), mira.ID)
	must(t, err)
	first := "/connections/" + connections[0].ID
	b.get("/").has("Elbe Sparbank").lacks("Mira Kowalczyk, …")
	b.get(first).status(http.StatusOK).has("Mira Kowalczyk, …3000, …2051") // the page of a connection names the holder even when there is one login

	tom := accountOf("3", "DE75512108001245126199", "EUR", "Girokonto")
	tom.Name = new("Tom Kowalczyk")
	s.service.accounts = []openbanking.AccountResource{tom}
	another := url.Values{"again": {"another"}}
	for field, values := range elbe {
		another[field] = values
	}
	attempt := b.start(another)
	b.get(s.back()).to(attempt)
	s.syncAll()
	b.get("/").has("Mira Kowalczyk, …3000, …2051", "Tom Kowalczyk, …6199")
	b.get("/link/bank?"+elbe.Encode()).status(http.StatusOK).has("Mira Kowalczyk, …3000, …2051", "Tom Kowalczyk, …6199", "Girokonto …3000", "Girokonto …6199")
	b.get(first + "/disconnect").status(http.StatusOK).has("Mira Kowalczyk, …3000, …2051").lacks("…6199")

	b.post(first+"/nickname", url.Values{"nickname": {strings.Repeat("x", linking.MaxNickname+1)}}).status(http.StatusUnprocessableEntity).
		has("A nickname may have 60 characters at most. This one has 61.")
	b.post(first+"/nickname", url.Values{"nickname": {"Household"}}).to(first)
	b.get(first).has("The nickname is saved.", "Household, …3000, …2051", `value="Household"`)
	b.get("/").has("Household, …3000, …2051").lacks("Mira Kowalczyk, …3000")
	s.exec(`UPDATE connection SET valid_until = strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '+3 days') WHERE nickname = 'Household'`)
	b.get("/").has("Your consent at Elbe Sparbank (Household, …3000, …2051) ends")
	s.service.Refuse("GET /accounts/{uid}/balances", openbanking.Error{Code: openbanking.ASPSPPSUActionRequired})
	s.exec(`UPDATE sync_task SET next_attempt_at = '2020-01-01T00:00:00.000Z'`)
	s.syncAll()
	b.get("/").has("Elbe Sparbank (Tom Kowalczyk, …6199)")
	b.post(first+"/nickname", url.Values{"nickname": {" "}}).to(first)
	b.get(first).has("The connection has no nickname any more.", "Mira Kowalczyk, …3000")

	// An account in a choice has everything that distinguishes it.
	for _, page := range []string{"/reports", "/rules/new", "/transactions/export"} {
		b.get(page).status(http.StatusOK).has("Girokonto, Current account, …3000, EUR", "Girokonto, Current account, …6199, EUR", "Reisekasse, Current account, …2051, SEK")
	}
	b.get("/pay").status(http.StatusOK).has("<span>…3000</span>", "<span>…6199</span>", "Tom Kowalczyk, …6199")
	s.user("eve@example.org")
	s.signedIn("eve@example.org").post(first+"/nickname", url.Values{"nickname": {"mine"}}).status(http.StatusNotFound)
}

// A person deletes the data of one account by typing its name. The page first counts what is deleted, and offers a copy. The other account of the connection
// continues to sync, and budgets, rules and reports that name the account still work. Deleting the connection with the last account ends the consent at the
// bank (the pain: closing an account orphans data).
func TestDeleteData(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	mira := s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	attempt := b.start(elbe)
	b.get(s.back()).to(attempt)
	s.syncAll()
	own := s.thingsOf(mira, attempt)
	rows, _, err := s.store.Find(t.Context(), mira.ID, search.InAccount(own.account), store.Newest, 1)
	must(t, err)
	must(t, s.store.Annotate(t.Context(), mira.ID, own.account, rows[0].ID, finance.Annotation{Note: "with Lena"}))

	page := "/accounts/" + own.account + "/delete"
	b.get("/accounts/" + own.account).has(`href="` + page + `"`)
	b.get(page).status(http.StatusOK).has("Girokonto, Current account, …3000, EUR", "7 transactions", "1 note", "1 attachment", "/transactions/export?account="+own.account,
		"The consent continues for the other accounts of this connection.", "To confirm, type “Girokonto”")
	b.languages = "de"
	b.get(page).has("7 Umsätze", "1 Notiz", "1 Anhang", "Vorher eine Kopie sichern")
	b.languages = ""
	b.proves().post(page, url.Values{"name": {"Reisekasse"}}).status(http.StatusUnprocessableEntity).has("The name does not match. Nothing is deleted yet.")
	b.get("/accounts/" + own.account).status(http.StatusOK)
	b.post(page, url.Values{"name": {"girokonto"}}).to("/")
	b.get("/").has("Girokonto is deleted.", "Reisekasse")
	b.get("/accounts/" + own.account).status(http.StatusNotFound)
	if n := s.service.Count("DELETE /sessions/{id}"); n != 0 {
		t.Errorf("the consent was ended %d times while an account was left", n)
	}
	for _, path := range []string{"/", "/transactions", "/reports", "/budgets", "/recurring", "/forecast", "/rules", "/payments", "/payments/" + own.payment, "/connections/" + own.connection} {
		b.get(path).status(http.StatusOK).lacks("Shop 0")
	}
	s.exec(`UPDATE sync_task SET next_attempt_at = '2020-01-01T00:00:00.000Z'`)
	s.syncAll()
	b.get("/").lacks("Girokonto")

	b.get("/connections/"+own.connection+"/delete").status(http.StatusOK).has("Reisekasse, Current account, …2051, SEK", "The consent ends at once, at the bank too.",
		"To confirm, type “Elbe Sparbank”")
	b.post("/connections/"+own.connection+"/delete", url.Values{"name": {"Elbe"}}).status(http.StatusUnprocessableEntity)
	s.service.Refuse("DELETE /sessions/{id}", openbanking.Error{Code: openbanking.ASPSPError})
	b.post("/connections/"+own.connection+"/delete", url.Values{"name": {"Elbe Sparbank"}}).to("/")
	b.get("/").has("Elbe Sparbank is deleted. The banking service has not confirmed yet that the consent has ended.", "being ended").lacks("Reisekasse")
	s.service.Allow("DELETE /sessions/{id}")
	s.exec(`UPDATE session_end SET due = '2020-01-01T00:00:00.000Z'`)
	_, err = s.linking.EndSessions(t.Context())
	must(t, err)
	b.get("/connections/" + own.connection).status(http.StatusNotFound)
	if n := s.service.Count("DELETE /sessions/{id}"); n != 2 {
		t.Errorf("DELETE /sessions was sent %d times", n)
	}
}

// When a consent has already ended, or syncing was already stopped, the pages that ask before a disconnect or a deletion do not announce that end again.
func TestEndOfWhatHasEnded(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	mira, b, connection := s.linked("mira@example.org")
	h, err := s.store.Holdings(t.Context(), mira.ID)
	must(t, err)
	page := "/connections/" + connection.ID
	const ends, goesOn, instead = "The consent ends at once", "The consent continues", "stop the syncing instead"
	b.get(page+"/disconnect").status(http.StatusOK).has("What happens", ends)
	b.get(page+"/delete").status(http.StatusOK).has(ends, instead)
	b.get("/accounts/" + h.Accounts[0].ID + "/delete").status(http.StatusOK).has(goesOn)

	s.exec(`UPDATE connection SET valid_until = '2020-01-01T00:00:00.000Z'`)
	b.get(page + "/disconnect").status(http.StatusOK).has("What happens").lacks(ends)
	b.get(page+"/delete").status(http.StatusOK).has("What Florin deletes", instead).lacks(ends)
	b.get("/accounts/"+h.Accounts[0].ID+"/delete").status(http.StatusOK).has("What Florin deletes").lacks(goesOn, ends)

	b.post(page+"/disconnect", nil).to("/")
	b.get(page+"/delete").status(http.StatusOK).has("What Florin deletes").lacks(ends, instead)
}
