package arch

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"florin/internal/testkit"
)

// Two files that each describe their package drift apart, so one does.
func TestEveryPackageHasOneCommentThatSaysWhatItHolds(t *testing.T) {
	for _, p := range packages(t) {
		comments := make(map[string]string) // by file
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.PackageClauseOnly|parser.ParseComments)
			if err != nil {
				t.Error(err)
				continue
			}
			if file.Doc.Text() != "" && !ast.IsGenerated(file) {
				comments[name] = file.Doc.Text()
			}
		}
		if len(comments) != 1 && len(p.GoFiles) > 0 {
			t.Errorf("%s has %d comments that describe it, want one: %v", p.path(), len(comments), comments)
		}
		for name, comment := range comments {
			if !strings.HasPrefix(comment, "Package "+p.Name+" ") && (p.Name != "main" || !strings.HasPrefix(comment, "Program ")) {
				t.Errorf("%s/%s: the comment has to begin with \"Package %s\", or \"Program\" for a main package", p.path(), name, p.Name)
			}
		}
	}
}

// TestContributingNamesEveryPackage: the map for newcomers has each package, and no path that is gone.
func TestContributingNamesEveryPackage(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	named := make(map[string]bool)
	for _, m := range regexp.MustCompile("`((?:cmd|internal|web|migrations)(?:/[a-z]+)*)`").FindAllStringSubmatch(string(text), -1) {
		named[m[1]] = true
		if _, err := os.Stat(filepath.Join(root, m[1])); err != nil {
			t.Errorf("CONTRIBUTING.md names %s, which does not exist", m[1])
		}
	}
	for _, p := range packages(t) {
		if !named[p.path()] {
			t.Errorf("CONTRIBUTING.md does not name %s", p.path())
		}
	}
}

// TestDecisionsAreListed: the list of decisions has each file and no other, and says of each number that is missing that it is.
func TestDecisionsAreListed(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs/adr/README.md"))
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(filepath.Join(root, "docs/adr"))
	if err != nil {
		t.Fatal(err)
	}
	said := make(map[int]bool)
	for _, m := range regexp.MustCompile(`(\d{4})(?: to (\d{4}))?`).FindAllStringSubmatch(strings.SplitN(string(text), "| No. |", 2)[0], -1) {
		first, _ := strconv.Atoi(m[1])
		last, _ := strconv.Atoi(cmp.Or(m[2], m[1]))
		for n := first; n <= last; n++ {
			said[n] = true
		}
	}
	next := 1
	for _, e := range entries {
		n, err := strconv.Atoi(e.Name()[:4])
		if err != nil {
			continue // the list itself
		}
		if !strings.Contains(string(text), "("+e.Name()+")") {
			t.Errorf("docs/adr/README.md does not list %s", e.Name())
		}
		if said[n] {
			t.Errorf("docs/adr/README.md says that number %04d was not used", n)
		}
		for ; next < n; next++ {
			if !said[next] {
				t.Errorf("docs/adr/README.md does not say why number %04d is missing", next)
			}
		}
		next = n + 1
	}
}

func TestNoPackageIsNamedAfterNothing(t *testing.T) {
	for _, p := range packages(t) {
		if slices.Contains([]string{"util", "utils", "common", "models", "helpers", "misc", "base"}, p.Name) {
			t.Errorf("%s: name it after what it holds", p.path())
		}
	}
}

// Cheap hashes are for tests: no file of the program says it (security T23).
func TestNoPasswordIsHashedCheaply(t *testing.T) {
	testkit.Unwatched(t)
	for _, p := range packages(t) {
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Error(err)
				continue
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "Cheap" {
					t.Errorf("%s/%s uses %s", p.path(), name, s.Sel.Name)
				}
				return true
			})
		}
	}
}
