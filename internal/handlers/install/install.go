// Package install makes Florin an app that a browser can install: the manifest, and the worker with the one page that it keeps (ADR 0066). Nothing here
// is about a person, or differs by who asks.
package install

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"

	"florin/internal/handlers/shell"
	"florin/web/static"
	"florin/web/templates/layout"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/words"
)

//go:embed service-worker.js
var script []byte

// Alone matches the paths that the worker leaves alone: returns from elsewhere, which are good once; streams; and what is no page.
var Alone = regexp.MustCompile(`^/(callback|calendar|static|webhooks)/|^/(events|healthz|readyz|link/logo|sign-in/openid/back)$|` +
	`^/(manifest\.webmanifest|service-worker\.js)$|/(export|file|leave/data|certificate|code\.png)$|/attachments/`)

// Area is this part of the web app.
type Area struct{ *shell.Shell }

// New returns the area.
func New(s *shell.Shell) *Area { return &Area{s} }

// Routes are what browsers ask for to install Florin, with who may use them.
func (a *Area) Routes() []shell.Route {
	return []shell.Route{
		shell.Get(shell.Public, paths.Manifest, a.manifest),
		shell.Get(shell.Public, paths.Worker, a.worker),
		shell.Get(shell.Public, paths.Offline, a.offline),
	}
}

// language is the one that is asked for: English where Florin does not speak it.
func language(v *shell.Visitor) *words.Language {
	return words.Speaking(words.App, v.Request.URL.Query().Get("lang"))
}

// icon is a picture in the manifest.
type icon struct {
	Src     string `json:"src"`
	Sizes   string `json:"sizes"`
	Type    string `json:"type"`
	Purpose string `json:"purpose"`
}

// manifest is read by browsers: https://www.w3.org/TR/appmanifest/.
func (a *Area) manifest(v *shell.Visitor) error {
	lang := language(v)
	encoded, err := json.Marshal(struct {
		ID          string   `json:"id"`
		Name        string   `json:"name"`
		ShortName   string   `json:"short_name"`
		Description string   `json:"description"`
		Lang        string   `json:"lang"`
		Dir         string   `json:"dir"`
		StartURL    string   `json:"start_url"`
		Scope       string   `json:"scope"`
		Display     string   `json:"display"`
		Theme       string   `json:"theme_color"`
		Background  string   `json:"background_color"`
		Categories  []string `json:"categories"`
		Icons       []icon   `json:"icons"`
	}{
		ID: paths.Accounts, Name: "Florin", ShortName: "Florin", Description: lang.Say("Your accounts, on your own server."), Lang: lang.Code(), Dir: "ltr",
		StartURL: paths.Accounts, Scope: paths.Accounts, Display: "standalone", Theme: layout.Bar.Light, Background: layout.Paper.Light,
		Categories: []string{"finance"},
		Icons: []icon{
			{static.URL("icon-192.png"), "192x192", "image/png", "any"},
			{static.URL("icon-512.png"), "512x512", "image/png", "any"},
			{static.URL("icon-maskable.png"), "512x512", "image/png", "maskable"},
			{static.URL("favicon.svg"), "any", "image/svg+xml", "any"},
		},
	})
	if err != nil {
		return fmt.Errorf("encode the manifest: %w", err)
	}
	return send(v, "application/manifest+json", encoded)
}

// worker answers with the script, and in it with what it keeps. The name of the cache says by a hash what is in it, so that another release,
// or another language, has another one.
func (a *Area) worker(v *shell.Visitor) error {
	lang := language(v).Code()
	var page bytes.Buffer
	if err := pages.Offline().Render(words.Listen(v.Ctx(), words.App, lang), &page); err != nil {
		return fmt.Errorf("render the kept page: %w", err)
	}
	kept := struct {
		Name  string   `json:"name"`
		Files []string `json:"files"` // the page first
		Alone string   `json:"alone"`
	}{Files: slices.Concat([]string{paths.Speaking(paths.Offline, lang)}, layout.Files()), Alone: Alone.String()}
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %q", page.Bytes(), kept.Files)
	kept.Name = Caches + hex.EncodeToString(sum.Sum(nil)[:6])
	encoded, err := json.Marshal(kept)
	if err != nil {
		return fmt.Errorf("encode what is kept: %w", err)
	}
	return send(v, "text/javascript; charset=utf-8", bytes.Replace(script, []byte("KEPT"), encoded, 1))
}

// Caches is how the names of all caches of the worker begin.
const Caches = "florin-"

func (a *Area) offline(v *shell.Visitor) error {
	v.Request = v.Request.WithContext(words.Listen(v.Ctx(), words.App, language(v).Code()))
	return v.Page(http.StatusOK, pages.Offline())
}

func send(v *shell.Visitor, kind string, body []byte) error {
	v.Writer.Header().Set("Content-Type", kind)
	_, _ = io.Copy(v.Writer, bytes.NewReader(body)) // the browser went away: nothing left to tell it
	return nil
}
