package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
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

// TestContributingNamesEveryPackage: the map for newcomers has each package, and none that is gone. A name that ends in /* stands for all below it.
func TestContributingNamesEveryPackage(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	unmet := make(map[string]bool)
	for _, m := range regexp.MustCompile("`((?:cmd|internal|web|migrations)(?:/[a-z*]+)*)`").FindAllStringSubmatch(string(text), -1) {
		unmet[m[1]] = true
	}
	names := maps.Clone(unmet)
	for _, p := range packages(t) {
		whole, area := p.path(), path.Dir(p.path())+"/*"
		if !names[whole] && !names[area] {
			t.Errorf("CONTRIBUTING.md does not name %s", whole)
		}
		delete(unmet, whole)
	}
	for name := range unmet {
		if _, err := os.Stat(filepath.Join(root, strings.TrimSuffix(name, "/*"))); err != nil {
			t.Errorf("CONTRIBUTING.md names %s, which does not exist", name)
		}
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
