package handlers_test

import (
	"net/http"
	"net/url"
	"testing"
)

// TestLanguage: pages are in the language that the person chose, else in one that the browser asks for and Florin has, else in English. The service is asked
// for its pages in the same language.
func TestLanguage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("mira@example.org")
	b := s.browser()
	b.get("/sign-in").has(`<html lang="en">`, "Stay signed in on this device")
	b.languages = "de-AT,de;q=0.9,en;q=0.5"
	b.get("/sign-in").has(`<html lang="de">`, "Auf diesem Gerät angemeldet bleiben").lacks("Stay signed in")
	b.get("/nothing").has("Seite nicht gefunden")
	b.languages = "fr-FR,fr;q=0.9"
	b.get("/sign-in").has(`<html lang="en">`)

	b = s.signedIn("mira@example.org")
	choose := func(language string) {
		b.post("/settings/language", url.Values{"language": {language}}).status(http.StatusSeeOther)
	}
	for _, test := range []struct{ chosen, browser, want string }{
		{"", "", "en"},
		{"", "de", "de"},
		{"de", "", "de"},
		{"en", "de", "en"},
		{"de", "fr", "de"},
	} {
		b.languages = test.browser
		choose(test.chosen)
		b.get("/settings").has(`<html lang="` + test.want + `">`)
		b.start(elbe)
		if start, _ := s.service.last(); start.Language == nil || *start.Language != test.want {
			t.Errorf("chosen %q, browser %q: the service was asked for %v, want %s", test.chosen, test.browser, start.Language, test.want)
		}
	}
	choose("de")
	b.get("/settings").has("Die Sprache ist gespeichert.", `<option value="de" selected>Deutsch</option>`, `<option value="en">English</option>`)
	for _, wrong := range []string{"fr", "xx", "deutsch", "<b>"} {
		b.post("/settings/language", url.Values{"language": {wrong}}).status(http.StatusBadRequest).has("Florin gibt es nicht in dieser Sprache.").lacks("<b>")
	}
	b.get("/settings").has(`<html lang="de">`)
}
