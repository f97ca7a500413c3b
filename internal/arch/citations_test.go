package arch

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"florin/internal/testkit"
)

const root = "../.."

var (
	// cited are the forms in which a comment cites a document by number: "api-notes 5 and 6", "security T19, F2", "architecture 5, rule 8", "ADR 0004".
	cited = []struct {
		document string
		form     *regexp.Regexp
		number   *regexp.Regexp
	}{
		{"api-notes", regexp.MustCompile(`(?i)\bapi-notes,? (\d\d?(?:(?:, | and | to )\d\d?\b)*)`), regexp.MustCompile(`\d+`)},
		{"security", regexp.MustCompile(`(?i)\bsecurity,? ([TF]\d+(?:(?:, | and |, and )[TF]\d+)*)`), regexp.MustCompile(`[TF]\d+`)},
		{"architecture", regexp.MustCompile(`(?i)\barchitecture,? (\d+(?:, rule \d+)?)`), regexp.MustCompile(`.+`)},
		{"ADR", regexp.MustCompile(`\bADRs? (\d{4}(?:(?:, | and |, and )\d{4})*)`), regexp.MustCompile(`\d{4}`)},
		{"ADR", regexp.MustCompile(`\bdocs/adr/(\d{4})`), regexp.MustCompile(`\d{4}`)},
	}
	page = regexp.MustCompile(`\bdocs/[a-z0-9/-]+\.(?:md|yaml)\b`)

	// foreign are documents that are not in the repository: a comment says the rule itself, or cites one that is.
	foreign = regexp.MustCompile(`(?i)\b(?:experience|performance),? \d[\d.]*|\bhouse-style\b|\bpains? \d+|\bissue #?\d+`)

	link = regexp.MustCompile(`\]\(([^)#:\s]+)(?:#[^)]*)?\)`)
)

// unwrapped returns a text as one line: a comment goes on in the next.
func unwrapped(text string) string {
	var line strings.Builder
	for part := range strings.SplitSeq(text, "\n") {
		part = strings.Trim(part, " \t")
		for _, mark := range []string{"//", "--", "*"} {
			if rest, ok := strings.CutPrefix(part, mark); ok {
				part = strings.TrimLeft(rest, " \t")
				break
			}
		}
		line.WriteString(part)
		line.WriteByte(' ')
	}
	return line.String()
}

// citations returns what a text cites, each as "security T19", "docs/config.md" or, when nobody can look it up here, as it stands.
func citations(text string) (all []string) {
	text = unwrapped(text)
	for _, c := range cited {
		for _, m := range c.form.FindAllStringSubmatch(text, -1) {
			for _, n := range c.number.FindAllString(m[1], -1) {
				all = append(all, c.document+" "+n)
			}
		}
	}
	return slices.Concat(all, page.FindAllString(text, -1), foreign.FindAllString(text, -1))
}

// targets returns what can be cited, in the spelling of citations.
func targets(t *testing.T) map[string]bool {
	all := make(map[string]bool)
	add := func(file, form, as string) {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		found := regexp.MustCompile(form).FindAllStringSubmatch(string(text), -1)
		if len(found) == 0 {
			t.Errorf("%s has nothing that can be cited as %s…", file, as)
		}
		for _, m := range found {
			all[as+m[1]] = true
		}
	}
	add("docs/api-notes.md", `(?m)^## (\d+)\. `, "api-notes ")
	add("docs/security.md", `(?m)^\| ([TF]\d+) \|`, "security ")
	add("docs/architecture.md", `(?m)^## (\d+)\. `, "architecture ")
	add("docs/architecture.md", `(?m)^(\d+)\. `, "architecture 5, rule ") // chapter 5 alone has a numbered list
	add("docs/adr/README.md", `(?m)^\| \[(\d{4})\]`, "ADR ")
	return all
}

// files calls visit with the text of every file of the repository that people write and that ends in one of these.
func files(t *testing.T, visit func(path, text string), ends ...string) {
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() && path != root && (strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules") {
			return fs.SkipDir
		}
		if entry.IsDir() || !slices.Contains(ends, filepath.Ext(name)) || strings.HasSuffix(name, "_templ.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err == nil {
			visit(path, string(text))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestCitationsLeadSomewhere(t *testing.T) {
	testkit.Unwatched(t)
	known := targets(t)
	count := 0
	files(t, func(path, text string) {
		if filepath.Base(path) == "citations_test.go" { // its examples
			return
		}
		for _, c := range citations(text) {
			count++
			if strings.HasPrefix(c, "docs/") {
				if _, err := os.Stat(filepath.Join(root, c)); err == nil {
					continue
				}
			}
			if !known[c] {
				t.Errorf("%s cites %q, which leads nowhere: say the rule itself, or bring what is cited into docs", path, c)
			}
		}
	}, ".go", ".templ", ".css", ".js", ".sql", ".yaml")
	if count < 300 {
		t.Errorf("only %d citations were found", count)
	}
}

func TestLinksInDocumentsLeadSomewhere(t *testing.T) {
	files(t, func(path, text string) {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), m[1])); err != nil {
				t.Errorf("%s links to %s, which does not exist", path, m[1])
			}
		}
	}, ".md")
}

func TestCitationsAreFound(t *testing.T) {
	for text, want := range map[string][]string{
		"// x is y (api-notes 5).":                           {"api-notes 5"},
		"// api-notes 2, 403 without an error key":           {"api-notes 2"},
		"// spec: POST /payments; api-notes 1 and 8: which":  {"api-notes 1", "api-notes 8"},
		"// (spec: Errors, api-notes\n\t// 10)":              {"api-notes 10"},
		"// Security T11, F16: what comes":                   {"security T11", "security F16"},
		"// security, ASVS 7.4.2":                            nil,
		"-- one row (architecture 5, rule 8).":               {"architecture 5, rule 8"},
		"// (ADR 0004, security T16)":                        {"security T16", "ADR 0004"},
		"// see docs/config.md.":                             {"docs/config.md"},
		"// (experience 3.5)":                                {"experience 3.5"},
		"// house-style 3: Pain 24; issue 10, 1.2; pain.001": {"house-style", "Pain 24", "issue 10"},
		"// is kept (pains 1, 4 and 25)":                     {"pains 1"},
		"// or the whole browser (docs/adr/0046)":            {"ADR 0046"},
	} {
		if got := citations(text); !slices.Equal(got, want) {
			t.Errorf("%q cites %q, want %q", text, got, want)
		}
	}
}
