package handlers_test

import (
	"bytes"
	"encoding/json"
	"image/png"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"florin/internal/handlers"
	"florin/internal/handlers/install"
	"florin/internal/handlers/shell"
	"florin/web/templates/layout"
)

// TestManifest: a browser can install Florin. The manifest is for everybody, in both languages, and its icons are what it says.
func TestManifest(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.browser()
	for lang, says := range map[string]string{"en": "Your accounts, on your own server.", "de": "Ihre Konten auf Ihrem eigenen Server.", "xx": "Your accounts, on your own server."} {
		a := b.get("/manifest.webmanifest?lang=" + lang).status(http.StatusOK)
		a.hasHeaders()
		if got := a.Header.Get("Content-Type"); got != "application/manifest+json" {
			t.Errorf("the media type is %q", got)
		}
		var m struct {
			ID          string `json:"id"`
			Name        string `json:"name"`
			ShortName   string `json:"short_name"`
			Description string `json:"description"`
			Lang        string `json:"lang"`
			StartURL    string `json:"start_url"`
			Scope       string `json:"scope"`
			Display     string `json:"display"`
			Theme       string `json:"theme_color"`
			Background  string `json:"background_color"`
			Icons       []struct {
				Src     string `json:"src"`
				Sizes   string `json:"sizes"`
				Type    string `json:"type"`
				Purpose string `json:"purpose"`
			} `json:"icons"`
		}
		must(t, json.Unmarshal([]byte(a.body), &m))
		spoken := strings.Replace(lang, "xx", "en", 1)
		if m.ID != "/" || m.StartURL != "/" || m.Scope != "/" || m.Name != "Florin" || m.ShortName != "Florin" || m.Display != "standalone" ||
			m.Theme != layout.Bar.Light || m.Background != layout.Paper.Light || m.Description != says || m.Lang != spoken {
			t.Errorf("%s: the manifest is %s", lang, a.body)
		}
		var kinds []string
		for _, i := range m.Icons {
			icon := b.get(i.Src).status(http.StatusOK)
			if got := icon.Header.Get("Content-Type"); got != i.Type {
				t.Errorf("%s is %q, the manifest says %q", i.Src, got, i.Type)
			}
			size := "any"
			if i.Type == "image/png" {
				picture, err := png.DecodeConfig(bytes.NewReader([]byte(icon.body)))
				must(t, err)
				size = strconv.Itoa(picture.Width) + "x" + strconv.Itoa(picture.Height)
			}
			if size != i.Sizes {
				t.Errorf("%s is %s, the manifest says %s", i.Src, size, i.Sizes)
			}
			kinds = append(kinds, i.Purpose+" "+i.Sizes)
		}
		if want := []string{"any 192x192", "any 512x512", "maskable 512x512", "any any"}; !slices.Equal(kinds, want) {
			t.Errorf("the icons are %q, want %q", kinds, want)
		}
	}
	s.user("mira@example.org")
	page := s.signedIn("mira@example.org").get("/settings")
	page.has(`<link rel="manifest" href="/manifest.webmanifest?lang=en" crossorigin="use-credentials">`)
	apple := regexp.MustCompile(`<link rel="apple-touch-icon" href="([^"]*)">`).FindStringSubmatch(page.body)
	if apple == nil {
		t.Fatal("the page names no icon for Apple's devices")
	}
	picture, err := png.DecodeConfig(strings.NewReader(b.get(apple[1]).status(http.StatusOK).body))
	must(t, err)
	if picture.Width != 180 || picture.Height != 180 {
		t.Errorf("the icon for Apple's devices has %d by %d", picture.Width, picture.Height)
	}
}

// TestWorkerKeepsNothingOfAnybody (security T85): what the worker keeps in a browser is the same for everybody, signed in or not, and the worker never keeps
// its own script. Each language has its own cache.
func TestWorkerKeepsNothingOfAnybody(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	mira := s.user("mira@example.org")
	signedIn, stranger := s.signedIn("mira@example.org"), s.browser()
	must(t, s.store.SetLanguage(t.Context(), mira.ID, "de"))
	names := map[string]bool{}
	for lang, says := range map[string]string{"en": "Florin cannot be reached", "de": "Florin ist nicht erreichbar"} {
		worker := stranger.get("/service-worker.js?lang=" + lang).status(http.StatusOK)
		worker.hasHeaders()
		if got := worker.Header.Get("Content-Type"); got != "text/javascript; charset=utf-8" {
			t.Errorf("the media type of the worker is %q", got)
		}
		if got := signedIn.get("/service-worker.js?lang=" + lang); got.body != worker.body {
			t.Error("the worker is another one for a person who is signed in")
		}
		line := regexp.MustCompile(`(?m)^const kept = (.+);$`).FindStringSubmatch(worker.body)
		if line == nil {
			t.Fatalf("the worker does not say what it keeps:\n%s", worker.body)
		}
		var kept struct {
			Name  string   `json:"name"`
			Files []string `json:"files"`
			Alone string   `json:"alone"`
		}
		must(t, json.Unmarshal([]byte(line[1]), &kept))
		if !strings.HasPrefix(kept.Name, install.Caches) || names[kept.Name] || kept.Alone != install.Alone.String() {
			t.Errorf("it keeps %s", line[1])
		}
		names[kept.Name] = true
		page := stranger.get(kept.Files[0]).status(http.StatusOK).has(says, `<html lang="`+lang+`">`, `href=""`).lacks("<script", "<form", "mira", "Request ID")
		page.hasHeaders()
		if got := signedIn.get(kept.Files[0]); got.body != page.body {
			t.Error("the kept page is another one for a person who is signed in")
		}
		// All files that the page needs are kept, and no others.
		var parts []string
		for _, part := range regexp.MustCompile(`(?:href|src)="([^"]+)"`).FindAllStringSubmatch(page.body, -1) {
			parts = append(parts, part[1])
			stranger.get(part[1]).status(http.StatusOK)
		}
		if !slices.Equal(parts, kept.Files[1:]) {
			t.Errorf("the page is drawn with %q, kept are %q", parts, kept.Files[1:])
		}
	}
}

// TestWorkerLeavesAlone (security T85): the worker handles only pages. Returns from other sites work once, and files and streams may be long: it leaves them to
// the browser.
func TestWorkerLeavesAlone(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	mira := s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	attempt := b.start(elbe)
	b.get(s.back())
	s.syncAll()
	own := s.thingsOf(mira, attempt).keeping(s, mira)
	// These addresses answer with a page when their parameters are missing, or when there is nothing of their kind.
	returns := []string{"/callback/{provider}", "/sign-in/openid/back", "/transactions/export", "/link/logo", "/payments/{payment}/code.png",
		"/payments/{payment}/file", "/settings/services/{service}/certificate"}
	pages := 0
	for _, route := range handlers.Routes() {
		if route.Method != http.MethodGet {
			continue
		}
		path := own.fill(route.Pattern)
		got := install.Alone.MatchString(path)
		if route.Access == shell.Stream || route.Access == shell.ByAddress || slices.Contains(returns, route.Pattern) {
			if !got {
				t.Errorf("%s is not left alone", path)
			}
			continue
		}
		a := b.get(path)
		page := a.StatusCode >= 300 || strings.HasPrefix(a.Header.Get("Content-Type"), "text/html")
		if got == page {
			t.Errorf("%s: %d %s, left alone: %t", path, a.StatusCode, a.Header.Get("Content-Type"), got)
		}
		if page {
			pages++
		}
	}
	if pages < 50 {
		t.Errorf("only %d pages", pages)
	}
	for path, want := range map[string]bool{"/healthz": true, "/static/app.css": true, "/webhooks/embedded": true, "/": false, "/nothing": false, "/callbacks": false} {
		if got := install.Alone.MatchString(path); got != want {
			t.Errorf("%s is left alone: %t, want %t", path, got, want)
		}
	}
}
