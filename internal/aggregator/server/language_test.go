package server_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"florin/internal/contract/walk"
	"florin/internal/openbanking"
)

// preferring is a browser that prefers languages.
type preferring string

func (p preferring) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Accept-Language", string(p))
	return http.DefaultTransport.RoundTrip(r)
}

// spec: language. Every page of a visit speaks it, the bank's too; one that is not spoken gives English, and none at all
// what the browser prefers.
func TestPagesSpeakTheLanguageOfTheRequest(t *testing.T) {
	s := run(t, "Ledger", "")
	tests := []struct {
		name, language, browser string
		want                    string
		titles                  []string // consent, credentials, code, accounts; bank's sign-in; wait, phone; unknown page
		until                   string   // the end, 10 days from now, in part
	}{
		{"English", "en", "de", "en", []string{"Share your data from", "Sign in at", "Enter your one-time code", "Which accounts may Ledger see?", "Sign in",
			"Approve on your phone", "You have approved"}, "in 10 days"},
		{"German", "de", "", "de", []string{"Ihre Daten von", "Anmelden bei", "Geben Sie Ihren Einmalcode ein", "Welche Konten darf Ledger sehen?", "Anmelden",
			"Auf dem Telefon freigeben", "Sie haben freigegeben"}, "in 10 Tagen"},
		{"French", "fr", "", "fr", []string{"Partager vos données de", "Connexion à", "Saisissez votre code à usage unique",
			"Quels comptes Ledger peut-elle voir ?", "Se connecter", "Approuver sur votre téléphone", "Vous avez approuvé"}, "dans 10 jours"},
		{"Finnish", "fi", "", "fi", []string{"Jaetaanko pankin", "Kirjaudu pankkiin", "Anna kertakoodisi", "Mitkä tilit Ledger saa nähdä?", "Kirjaudu",
			"Hyväksy puhelimella", "Olet hyväksynyt"}, "10 päivän kuluttua"},
		{"one that is not spoken", "sv", "de", "en",
			[]string{"Share your data from", "Sign in at", "Enter your one-time code", "Which accounts may Ledger see?", "Sign in", "Approve on your phone",
				"You have approved"}, "in 10 days"},
		{"that of the browser", "", "fi-FI,fi;q=0.9,en;q=0.5", "fi",
			[]string{"Jaetaanko pankin", "Kirjaudu pankkiin", "Anna kertakoodisi", "Mitkä tilit Ledger saa nähdä?", "Kirjaudu", "Hyväksy puhelimella",
				"Olet hyväksynyt"}, "10 päivän kuluttua"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			wanted := func(change func(*openbanking.StartAuthorizationRequest)) func(*openbanking.StartAuthorizationRequest) {
				return func(r *openbanking.StartAuthorizationRequest) {
					r.Access.ValidUntil = openbanking.DateTime{Time: s.clock.Now().Add(10*24*time.Hour + time.Hour)}
					if test.language != "" {
						r.Language = &test.language
					}
					if change != nil {
						change(r)
					}
				}
			}
			b := walk.New(preferring(test.browser))
			says := func(page *walk.Page, title string) {
				t.Helper()
				if page.Lang != test.want || !strings.HasPrefix(page.Title, title) {
					t.Errorf("language %s, title %q; want %s, %q", page.Lang, page.Title, test.want, title)
				}
			}
			codes := "codes"
			consent := open(t, b, s.authorize(mixedBank, wanted(func(r *openbanking.StartAuthorizationRequest) { r.AuthMethod = &codes })))
			says(consent, test.titles[0])
			if !strings.Contains(consent.Body, test.until) {
				t.Errorf("the consent does not say %q", test.until)
			}
			credentials := submit(t, b, consent, "/accept", nil)
			says(credentials, test.titles[1])
			code := submit(t, b, credentials, "/credentials", url.Values{"credential.userId": {"helmi"}, "credential.password": {"kivi-77"}})
			says(code, test.titles[2])
			accounts := submit(t, b, code, "/code", url.Values{"code": {"777777"}})
			says(accounts, test.titles[3])

			says(accept(t, b, s.authorize(hiddenBank, wanted(nil))), test.titles[4])

			waits := must[*walk.Page](t)(b.SignIn(t.Context(), accept(t, b, s.authorize(decoupledBank, wanted(nil))), yann))
			says(waits, test.titles[5])
			phone, _ := waits.Phone()
			mobile := walk.New(preferring(test.browser))
			approval := must[*walk.Page](t)(mobile.SignIn(t.Context(), open(t, mobile, phone), yann))
			says(submit(t, mobile, approval, "/approve", nil), test.titles[6])
		})
	}
}

// Errors speak too: the language of the request where it is known, else that of the browser. Pages for developers speak English.
func TestErrorsSpeak(t *testing.T) {
	s := run(t, "Ledger", "")
	finnish := walk.New(preferring("fi"))
	page := open(t, finnish, s.url+"/ais/start?sessionid=unknown")
	if page.Lang != "fi" || page.Title != "Tämä linkki ei johda mihinkään" {
		t.Errorf("%s %q", page.Lang, page.Title)
	}
	german := "de"
	b := walk.New(preferring("fi"))
	visit := accept(t, b, s.authorize(decoupledBank, func(r *openbanking.StartAuthorizationRequest) { r.Language = &german }))
	wrong := submit(t, b, visit, "/credentials", url.Values{"credential.userId": {"nobody"}})
	if wrong.Lang != "de" || !strings.Contains(wrong.Body, "Die Bank nimmt das nicht an. Bitte prüfen Sie es. Sie haben noch 4 Versuche.") ||
		!strings.Contains(wrong.Body, "<title>Bitte prüfen:") {
		t.Errorf("%s %q", wrong.Lang, wrong.Title)
	}
	if home := open(t, finnish, s.url+"/"); home.Lang != "en" || home.Title != "Banks to practise with" || !strings.Contains(home.Body, "Skip to the content") {
		t.Errorf("the front page: %s %q", home.Lang, home.Title)
	}
	for _, address := range []string{"/consents", "/banks/fi/sumupankki/consents"} {
		if page := open(t, finnish, s.url+address); page.Lang != "fi" || page.Title != "Suostumuksesi" {
			t.Errorf("%s: %s %q", address, page.Lang, page.Title)
		}
	}
	if front := open(t, finnish, s.url+"/banks/fi/sumupankki/"); front.Lang != "fi" || front.Title != "Tervetuloa pankkiin Sumupankki" {
		t.Errorf("a bank's front page: %s %q", front.Lang, front.Title)
	}
}
