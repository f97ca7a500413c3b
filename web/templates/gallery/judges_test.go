package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"florin/internal/testkit"
)

// judge returns a file of html-validate or axe-core, which scripts/judges installs.
func judge(t *testing.T, name string) string {
	t.Helper()
	folder := os.Getenv("FLORIN_JUDGES")
	if folder == "" {
		script := exec.CommandContext(t.Context(), "../../../scripts/judges")
		script.Stderr = os.Stderr
		printed, err := script.Output()
		if err != nil {
			t.Fatalf("scripts/judges, which says above what is missing: %v", err)
		}
		folder = strings.TrimSpace(string(printed))
	}
	return filepath.Join(folder, name)
}

// validate returns what html-validate finds in pages, which are given by name, with the rules of tools/pages.
func validate(t *testing.T, pages map[string][]byte) []string {
	t.Helper()
	folder := t.TempDir()
	rules, err := os.ReadFile("../../../tools/pages/html-validate.mjs")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, ".htmlvalidate.mjs"), rules, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, page := range pages {
		if err := os.WriteFile(filepath.Join(folder, name+".html"), page, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	report := filepath.Join(folder, "report.json") // a pipe would be cut where html-validate ends before it is read
	command := exec.CommandContext(t.Context(), "node", judge(t, "html-validate/bin/html-validate.mjs"), "--formatter", "json="+report, folder)
	said, failed := command.CombinedOutput()
	var judged []struct {
		FilePath string `json:"filePath"`
		Messages []struct {
			RuleID   string `json:"ruleId"`
			Message  string `json:"message"`
			Selector string `json:"selector"`
		} `json:"messages"`
	}
	if written, err := os.ReadFile(report); err != nil || json.Unmarshal(written, &judged) != nil {
		t.Fatalf("html-validate did not judge: %v\n%s", failed, said)
	}
	var found []string
	for _, page := range judged {
		for _, m := range page.Messages {
			found = append(found, fmt.Sprintf("%s: %s: %s (%s)", strings.TrimSuffix(filepath.Base(page.FilePath), ".html"), m.RuleID, m.Message, m.Selector))
		}
	}
	if failed != nil && len(found) == 0 {
		t.Fatalf("html-validate did not judge: %v\n%s", failed, said)
	}
	return found
}

// Every page is valid HTML, in both languages.
func TestPagesAreValid(t *testing.T) {
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Node)
	pages := map[string][]byte{}
	for _, s := range screens() {
		for _, lang := range []string{"en", "de"} {
			var page bytes.Buffer
			if err := s.render(t.Context(), lang, &page); err != nil {
				t.Fatal(err)
			}
			pages[s.name+"."+lang] = page.Bytes()
		}
	}
	for _, problem := range validate(t, pages) {
		t.Error(problem)
	}
}

// The rules must be able to fail.
func TestInvalidPagesAreFound(t *testing.T) {
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Node)
	wrong := map[string]string{
		"no-dup-id":                 `<p id="a">A</p><p id="a">A</p>`,
		"input-missing-label":       `<input type="text" id="a" name="a">`,
		"no-redundant-for":          `<label for="a">A <input type="text" id="a" name="a"></label>`,
		"no-missing-references":     `<p aria-labelledby="b">A</p>`,
		"no-inline-style":           `<p style="color: red">A</p>`,
		"wcag/h32":                  `<form method="post" action="/a"><p>A</p></form>`,
		"wcag/h37":                  `<img src="/a">`,
		"element-permitted-content": `<p><strong><div>A</div></strong></p>`,
	}
	pages, want := map[string][]byte{}, map[string]string{}
	for rule, body := range wrong {
		name := strings.ReplaceAll(rule, "/", "-")
		pages[name], want[name] = []byte(`<!DOCTYPE html><html lang="en"><head><title>A</title></head><body>`+body+`</body></html>`), rule
	}
	for _, problem := range validate(t, pages) {
		name, rest, _ := strings.Cut(problem, ": ")
		if rule, _, _ := strings.Cut(rest, ": "); rule != want[name] {
			t.Errorf("found %s", problem)
		}
		delete(pages, name)
	}
	for name := range pages {
		t.Errorf("%s: found nothing in %s", name, wrong[want[name]])
	}
}

// judgeAccess opens a window of its own for axe-core, at the first page of a site, which has no policy. In it axe-core judges what another window shows, by its
// rules for WCAG and its best practices. It is loaded once for all pages, and warm: it takes half as long as in the window of each page. It does not read the
// style sheets and media a second time (preload): that is for pages that play by themselves or lock the orientation. It does not judge contrast: audit does
// that in every look.
func judgeAccess(t *testing.T, ctx context.Context, site string, l look) func(shows context.Context) []string {
	t.Helper()
	script, err := os.ReadFile(judge(t, "axe-core/axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	own, end := chromedp.NewContext(ctx)
	t.Cleanup(end)
	start(t, own)
	do(t, own, emulate(l), chromedp.Navigate(site))
	evaluate[bool](t, own, string(script)+`; true`)
	return func(shows context.Context) []string {
		t.Helper()
		page, err := json.Marshal(evaluate[string](t, shows, `document.documentElement.outerHTML`))
		if err != nil {
			t.Fatal(err)
		}
		return evaluate[[]string](t, own, `(async (html) => {
			const page = new DOMParser().parseFromString(html, "text/html");
			for (const e of page.querySelectorAll("script, noscript")) e.remove(); // scripts have run
			const sheets = [...page.querySelectorAll("link[rel=stylesheet]")].map((link) => new Promise((done, fail) => { link.onload = done; link.onerror = fail; }));
			document.replaceChild(document.adoptNode(page.documentElement), document.documentElement);
			await Promise.all(sheets);
			const judged = await axe.run({resultTypes: ["violations"], preload: false, rules: {"color-contrast": {enabled: false}}});
			return judged.violations.flatMap((v) => v.nodes.map((n) => v.id + ": " + n.failureSummary.replace(/\s+/g, " ") + " (" + n.target + ")"));
		})(`+string(page)+`)`, chromedp.EvalAwaitPromise)
	}
}
