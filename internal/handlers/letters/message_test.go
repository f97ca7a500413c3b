package letters

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/store"
)

// secrets are what a message holds only for a person who wants amounts and names in it.
var secrets = []string{"Elbe", "Haushalt", "Fitness", "Miete", "Wohnung", "4.321", "4,321", "77", "EUR", "DE02", "mira@"}

func messageOf(kind finance.AlertKind, language string, details bool) finance.Message {
	amount := finance.AlertAmount{Minor: -432177, Currency: "EUR"}
	m := finance.Message{ID: "1", User: finance.User{ID: "u", Email: "mira@example.org"}, Language: language, Channel: finance.ChannelMail, Details: details,
		Alert: finance.Alert{Kind: kind, Facts: finance.AlertFacts{Connection: "c", Account: "a", Payment: "p", Transaction: 4, SearchName: "Wohnung", Name: "Fitness Miete",
			Day: "2026-11-16", Until: "2026-11-22", Since: time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC), Ends: time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC),
			Amount: amount, Limit: amount,
			In: []finance.AlertAmount{amount}, Out: []finance.AlertAmount{amount}, Coming: []finance.AlertComing{{Day: "2026-11-24", Name: "Fitness", Amount: amount}}}},
		Bank:    finance.Connection{ID: "c", ASPSP: openbanking.ASPSP{Name: "Elbe Sparbank", Country: "DE"}, Nickname: "Haushalt"},
		Account: finance.Account{ID: "a", Nickname: "Haushalt", IBAN: "DE02120300000000202051", Currency: "EUR"}, Count: 3}
	if kind == finance.AlertMore || kind == finance.AlertTest || kind == finance.AlertDigest {
		m.Account = finance.Account{}
	}
	return m
}

// Security T79: a message has no amounts and no names for a person who has not asked for them, in any language, for one row or for many. It has them for a
// person who has. No message has an account number.
func TestWhatAMessageMayNotContain(t *testing.T) {
	public := &url.URL{Scheme: "https", Host: "florin.example"}
	off := func(o store.Off) finance.Secret {
		return finance.Secret(o.UserID + "." + string(o.Kind) + "." + string(o.Channel))
	}
	write := Writer{PublicURL: public, Location: time.UTC}.Message(off)
	links := regexp.MustCompile(`https://\S+`)
	for _, kind := range append([]finance.AlertKind{finance.AlertMore, finance.AlertTest}, finance.AlertKinds...) {
		for _, language := range []string{"en", "de"} {
			for _, count := range []int{0, 5} {
				m := messageOf(kind, language, false)
				m.Alert.Facts.Count = count
				l := write(t.Context(), m)
				for _, text := range []string{l.Title, l.Text, l.OffText, l.Mail} {
					if text == "" || !utf8.ValidString(text) || strings.Contains(text, "%!") {
						t.Errorf("%s in %s: %q", kind, language, text)
					}
					for _, secret := range secrets {
						if strings.Contains(links.ReplaceAllString(text, ""), secret) {
							t.Errorf("%s in %s holds %q: %s", kind, language, secret, text)
						}
					}
				}
				switched := kind
				if !kind.Known() {
					switched = finance.AlertMore
				}
				if want := "https://florin.example/off?token=u." + string(switched) + ".mail"; l.Off != want || !strings.Contains(l.Mail, l.Off) || !strings.Contains(l.Mail, l.Link) ||
					!strings.HasPrefix(l.Link, "https://florin.example/") {
					t.Errorf("%s: off %s, link %s", kind, l.Off, l.Link)
				}
				m.Details = true
				told := write(t.Context(), m)
				if strings.Contains(told.Mail, "DE02") || strings.Contains(told.Mail, "mira@") {
					t.Errorf("%s in %s names the number of an account: %s", kind, language, told.Mail)
				}
				if kind.Known() && count == 0 && told.Title+told.Text == l.Title+l.Text {
					t.Errorf("%s in %s says no more to somebody who wants it: %s", kind, language, told.Title+told.Text)
				}
			}
		}
	}
	for _, k := range finance.AlertKinds {
		if KindName(k) == "" {
			t.Errorf("%s has no name", k)
		}
	}
}
