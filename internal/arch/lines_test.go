package arch

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"florin/internal/testkit"
)

// lineWidth is how many columns a line may have, a tab counted as four. A text in quotes, a directive and an address count nothing: breaking them helps nobody.
const lineWidth = 160

// TestLinesFitAScreen: code and comments are read beside something else, so no line is so long that it has to be scrolled.
func TestLinesFitAScreen(t *testing.T) {
	testkit.Unwatched(t)
	files := 0
	for _, folder := range []string{"cmd", "internal", "migrations", "tools", "web"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.PackageClauseOnly|parser.ParseComments)
			if err != nil || ast.IsGenerated(file) {
				return err
			}
			files++
			for number, line := range strings.Split(withoutTexts(text), "\n") {
				if width := utf8.RuneCountInString(line) + 3*strings.Count(line, "\t"); width > lineWidth {
					t.Errorf("%s:%d has %d columns, at most %d are allowed: break it", strings.TrimPrefix(path, root+"/"), number+1, width, lineWidth)
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	if files < 500 {
		t.Errorf("only %d files were read", files)
	}
	long := "\tf(" + strings.Repeat("x, ", 60) + "x)"
	for source, want := range map[string]bool{
		long: true, "// " + strings.Repeat("word ", 40): true, "\tf(\"" + strings.Repeat("word ", 40) + "\")": false, "\tf() //nolint:x // " + strings.Repeat("word ", 40): false,
	} {
		if got := utf8.RuneCountInString(withoutTexts([]byte(source))) > lineWidth; got != want {
			t.Errorf("%q is too long: %v", source, got)
		}
	}
}

// padding is what gofmt puts between the columns of a table.
var padding = regexp.MustCompile(` {2,}`)

// withoutTexts returns the source of a file with its lines, but without texts in quotes, directives and comments with an address.
func withoutTexts(source []byte) string {
	files := token.NewFileSet()
	file := files.AddFile("", -1, len(source))
	var s scanner.Scanner
	s.Init(file, source, nil, scanner.ScanComments)
	var rest strings.Builder
	from := 0
	for {
		at, kind, text := s.Scan()
		if kind == token.EOF {
			rest.Write(source[from:])
			return padding.ReplaceAllString(rest.String(), " ")
		}
		directive := kind == token.COMMENT && (strings.HasPrefix(text, "//nolint") || strings.HasPrefix(text, "//go:") || strings.Contains(text, "://"))
		if kind == token.STRING || directive {
			rest.Write(source[from:file.Offset(at)])
			rest.WriteString(strings.Repeat("\n", strings.Count(text, "\n")))
			from = file.Offset(at) + len(text)
		}
	}
}
