package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/a-h/templ"

	"florin/web/templates/pages"
)

func render(t testing.TB, page templ.Component) string {
	t.Helper()
	var buffer bytes.Buffer
	if err := page.Render(t.Context(), &buffer); err != nil {
		t.Fatal(err)
	}
	return buffer.String()
}

var (
	tagPattern       = regexp.MustCompile(`<([a-z][a-z0-9]*)((?:\s+[^\s=>"]+(?:="[^"]*")?)*)\s*/?>`)
	attributePattern = regexp.MustCompile(`([^\s=>"]+)(?:="([^"]*)")?`)
)

type tag struct {
	name       string
	attributes map[string]string
}

// tags returns every opening tag. templ escapes <, > and quotes in all values, so a pattern is enough.
func tags(html string) []tag {
	var list []tag
	for _, match := range tagPattern.FindAllStringSubmatch(html, -1) {
		attributes := map[string]string{}
		for _, pair := range attributePattern.FindAllStringSubmatch(match[2], -1) {
			attributes[pair[1]] = pair[2]
		}
		list = append(list, tag{match[1], attributes})
	}
	return list
}

// problems returns what breaks the policy (security T19) or the structure that assistive technology needs.
func problems(html string) []string {
	var found []string
	count := map[string]int{}
	ids := map[string]int{}
	all := tags(html)
	if opening := strings.Count(html, "<") - strings.Count(html, "</") - strings.Count(html, "<!"); opening != len(all) {
		found = append(found, "not every tag was understood")
	}
	for i, t := range all {
		if t.name != "title" || i == 0 || !slices.Contains([]string{"rect", "path"}, all[i-1].name) { // else it is of a part of a drawing
			count[t.name]++
		}
		if id, given := t.attributes["id"]; given {
			ids[id]++
		}
	}
	for id, n := range ids {
		if n > 1 || id == "" {
			found = append(found, "id "+id+" is used more than once or empty")
		}
	}
	for _, t := range all {
		for name, value := range t.attributes {
			switch {
			case name == "style":
				found = append(found, "inline style on "+t.name)
			case strings.HasPrefix(name, "on"):
				found = append(found, "inline handler "+name+" on "+t.name)
			case name == "href" && strings.HasPrefix(value, "about:invalid"):
				found = append(found, "an address was refused on "+t.name)
			case name == "aria-labelledby" || name == "aria-describedby":
				for id := range strings.FieldsSeq(value) {
					if ids[id] == 0 {
						found = append(found, name+" points to "+id+", which is not there")
					}
				}
			}
		}
		switch t.name {
		case "style":
			found = append(found, "inline style sheet")
		case "script":
			if t.attributes["src"] == "" {
				found = append(found, "inline script")
			}
		case "img":
			if _, given := t.attributes["alt"]; !given {
				found = append(found, "image without alt")
			}
		case "form":
			if t.attributes["action"] == "" || t.attributes["method"] == "" {
				found = append(found, "a form leaves its action or method open")
			}
		}
	}
	if strings.Contains(html, "@ui.") {
		found = append(found, "a component was written as text")
	}
	for _, once := range []string{"h1", "main", "title", "header"} {
		if count[once] != 1 {
			found = append(found, "not exactly one "+once)
		}
	}
	return found
}

func TestEveryPageIsSound(t *testing.T) {
	for _, s := range screens() {
		t.Run(s.name, func(t *testing.T) {
			for _, problem := range problems(render(t, s.page)) {
				t.Error(problem)
			}
		})
	}
}

// The check itself must be able to fail.
func TestProblemsAreFound(t *testing.T) {
	const sound = `<title>T</title><header></header><main><h1>T</h1></main>`
	tests := []struct{ name, html, want string }{
		{"inline style", sound + `<p style="color:red"></p>`, "inline style on p"},
		{"style sheet", sound + `<style></style>`, "inline style sheet"},
		{"inline script", sound + `<script></script>`, "inline script"},
		{"handler", sound + `<p onclick="x"></p>`, "inline handler onclick on p"},
		{"second h1", sound + `<h1>U</h1>`, "not exactly one h1"},
		{"double id", sound + `<p id="a"></p><p id="a"></p>`, "id a is used more than once or empty"},
		{"dangling reference", sound + `<p aria-labelledby="b"></p>`, "aria-labelledby points to b, which is not there"},
		{"refused address", sound + `<a href="about:invalid#TemplFailedSanitizationURL"></a>`, "an address was refused on a"},
		{"text", sound + `<p>@ui.When(x)</p>`, "a component was written as text"},
		{"open form", sound + `<form></form>`, "a form leaves its action or method open"},
	}
	if found := problems(sound); len(found) != 0 {
		t.Errorf("a sound page has problems: %q", found)
	}
	for _, test := range tests {
		if found := problems(test.html); len(found) != 1 || found[0] != test.want {
			t.Errorf("%s: found %q, want %q", test.name, found, test.want)
		}
	}
}

// Every page with a form or a list works without JavaScript; one with work in progress loads itself again.
func TestBusyPagesReloadWithoutScript(t *testing.T) {
	const reload = `<noscript><meta http-equiv="refresh" content="3"></noscript>`
	for _, s := range screens() {
		html := render(t, s.page)
		if busy := strings.Contains(html, `aria-busy="true"`); busy != strings.Contains(html, reload) {
			t.Errorf("%s: work in progress is %v, and the reload is not alike", s.name, busy)
		}
	}
}

func fifty() pages.AccountView {
	v := account()
	v.List.Pending, v.List.Days = nil, []pages.Day{{Date: v.List.Days[0].Date, Rows: rows(25)}, {Date: v.List.Days[1].Date, Rows: rows(25)}}
	return v
}

// Performance line 14: a document of 50 transactions has at most 6 KB compressed.
func TestTransactionsPageBudget(t *testing.T) {
	var buffer bytes.Buffer
	writer, err := gzip.NewWriterLevel(&buffer, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	html := render(t, pages.Account(fifty()))
	if _, err := io.WriteString(writer, html); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes, %d compressed at level 1", len(html), buffer.Len())
	if buffer.Len() > 6*1024 {
		t.Errorf("the page has %d bytes compressed, want at most %d", buffer.Len(), 6*1024)
	}
}

func BenchmarkAccountPageOf50Rows(b *testing.B) {
	page := pages.Account(fifty())
	ctx := b.Context()
	var buffer bytes.Buffer
	b.ReportAllocs()
	for b.Loop() {
		buffer.Reset()
		if err := page.Render(ctx, &buffer); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(buffer.Len()))
}

// In German, what people read is German: text and attributes, but no code and no value of a field.
func TestInGerman(t *testing.T) {
	page := bytes.NewBufferString(`<p title="Settings">Sign out</p><code>Settings</code><noscript><meta content="3"></noscript><input value="Settings" required>`)
	if err := inGerman(page); err != nil {
		t.Fatal(err)
	}
	if got, want := page.String(),
		`<p title="Einstellungen">Abmelden</p><code>Settings</code><noscript><meta content="3"></noscript><input value="Settings" required="">`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
