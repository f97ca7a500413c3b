package handlers_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"florin/internal/sqlite"
)

// TestResetByLink: with the one-time link a person sets a new password. All sign-ins end, and so does the wait after wrong passwords. The link signs nobody in.
func TestResetByLink(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	mira := s.user("mira@example.org")
	s.user("otto@example.org")
	signedIn, otto := s.signedIn("mira@example.org"), s.signedIn("otto@example.org")
	for range 6 { // the account has to wait
		s.browser().post("/sign-in", credentials("mira@example.org", "wrong secret phrase"))
	}
	older, err := s.auth.ResetLink(t.Context(), mira)
	must(t, err)
	token, err := s.auth.ResetLink(t.Context(), mira)
	must(t, err)

	b := s.browser()
	for _, bad := range []string{"", "guess", older.Reveal()} {
		b.get("/reset?token="+url.QueryEscape(bad)).status(http.StatusNotFound).has("This link does not work", "florin user link").lacks("mira@")
		b.post("/reset", url.Values{"token": {bad}, "password": {"another long phrase"}}).status(http.StatusNotFound)
	}
	b.get("/reset?token="+token.Reveal()).status(http.StatusOK).has("Set a new password", "mira@example.org").hasHeaders()
	b.post("/reset", url.Values{"token": {token.Reveal()}, "password": {"short"}}).status(http.StatusUnprocessableEntity).has("at least 10 characters",
		"mira@example.org")
	signedIn.get("/settings").status(http.StatusOK) // nothing has changed so far

	b.post("/reset", url.Values{"token": {token.Reveal()}, "password": {"another long phrase"}}).to("/sign-in?reset=done")
	b.get("/sign-in?reset=done").status(http.StatusOK).has("Your new password is set")
	b.get("/settings").to("/sign-in?next=%2Fsettings")
	signedIn.get("/settings").to("/sign-in?next=%2Fsettings")
	otto.get("/settings").status(http.StatusOK)
	b.post("/reset", url.Values{"token": {token.Reveal()}, "password": {"a third long phrase"}}).status(http.StatusNotFound) // the link works once
	s.browser().post("/sign-in", credentials("mira@example.org", password)).status(http.StatusUnprocessableEntity)
	s.browser().post("/sign-in", credentials("mira@example.org", "another long phrase")).to("/")
	if strings.Contains(s.log.String(), token.Reveal()) {
		t.Error("the log holds the token")
	}

	old, err := s.auth.ResetLink(t.Context(), mira)
	must(t, err)
	s.exec(`UPDATE reset_link SET expires = $1`, sqlite.At(time.Now().Add(-time.Second)))
	b.get("/reset?token=" + old.Reveal()).status(http.StatusNotFound)

	// The browser of the reset becomes a known one: wrong passwords of strangers do not block it.
	again, err := s.auth.ResetLink(t.Context(), mira)
	must(t, err)
	b.post("/reset", url.Values{"token": {again.Reveal()}, "password": {"a fourth long phrase"}}).to("/sign-in?reset=done")
	for range 6 {
		s.browser().post("/sign-in", credentials("mira@example.org", "wrong secret phrase"))
	}
	b.post("/sign-in", credentials("mira@example.org", "a fourth long phrase")).to("/")

	// A person who has to wait after wrong passwords in a known browser sets a new one, and signs in there at once.
	for range 6 {
		b.post("/sign-in", credentials("mira@example.org", "wrong secret phrase"))
	}
	b.post("/sign-in", credentials("mira@example.org", "a fourth long phrase")).status(http.StatusTooManyRequests)
	fifth, err := s.auth.ResetLink(t.Context(), mira)
	must(t, err)
	b.post("/reset", url.Values{"token": {fifth.Reveal()}, "password": {"a fifth long phrase"}}).to("/sign-in?reset=done")
	b.post("/sign-in", credentials("mira@example.org", "a fifth long phrase")).to("/")

	// Changing the password makes an older link invalid, which somebody else may have.
	stray, err := s.auth.ResetLink(t.Context(), mira)
	must(t, err)
	b.post("/settings/password", url.Values{"password": {"a fifth long phrase"}, "new_password": {"a sixth long phrase"}})
	s.browser().get("/reset?token=" + stray.Reveal()).status(http.StatusNotFound)
}
