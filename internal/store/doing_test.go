package store

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"slices"
	"strings"
	"testing"

	"florin/internal/finance"
)

// plain are methods whose errors need no further description: they say what failed, or come from a function of the caller.
var plain = []string{"Close", "Ping", "Snapshot", "Checks", "StartSending", "HandOver", "PutInFile", "Find", "Commit", "Delete"}

func TestEveryMethodSaysWhatItWasDoing(t *testing.T) {
	files, err := os.ReadDir(".")
	check(t, err)
	said := make(map[string]bool)
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), f.Name(), nil, parser.SkipObjectResolution)
		check(t, err)
		for _, d := range parsed.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv == nil || !fn.Name.IsExported() || !fails(fn) || ofMine(fn) || slices.Contains(plain, fn.Name.Name) {
				continue
			}
			words := doingWords(fn)
			if words == "" {
				t.Errorf("%s: %s does not begin with defer doing(…)", f.Name(), fn.Name.Name)
			}
			said[words] = true
		}
	}
	if len(said) < 100 {
		t.Errorf("only %d methods were found: the scan is broken", len(said))
	}
}

// ofMine reports whether a method of Store only calls that of Seen with the same name, which says what it is doing: return s.Mine(userID).Find(…).
func ofMine(fn *ast.FuncDecl) bool {
	if len(fn.Body.List) != 1 {
		return false
	}
	returned, ok := fn.Body.List[0].(*ast.ReturnStmt)
	if !ok || len(returned.Results) != 1 {
		return false
	}
	call, ok := returned.Results[0].(*ast.CallExpr)
	if !ok {
		return false
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || method.Sel.Name != fn.Name.Name {
		return false
	}
	mine, ok := method.X.(*ast.CallExpr)
	if !ok {
		return false
	}
	seen, ok := mine.Fun.(*ast.SelectorExpr)
	return ok && seen.Sel.Name == "Mine"
}

// fails reports whether the last result of a function is an error.
func fails(fn *ast.FuncDecl) bool {
	if fn.Type.Results == nil {
		return false
	}
	last, ok := fn.Type.Results.List[len(fn.Type.Results.List)-1].Type.(*ast.Ident)
	return ok && last.Name == "error"
}

// doingWords returns the words of defer doing("…", &err) at the beginning of a function, else "".
func doingWords(fn *ast.FuncDecl) string {
	if len(fn.Body.List) == 0 {
		return ""
	}
	d, ok := fn.Body.List[0].(*ast.DeferStmt)
	if !ok || len(d.Call.Args) != 2 {
		return ""
	}
	name, ok := d.Call.Fun.(*ast.Ident)
	text, isText := d.Call.Args[0].(*ast.BasicLit)
	if !ok || !isText || name.Name != "doing" {
		return ""
	}
	return strings.Trim(text.Value, `"`)
}

// Every error variable of this package, and every one of the domain that the store uses, is in outcomes, except those about an altered database, which describe
// where it was altered.
func TestErrorsWithANameAreOutcomes(t *testing.T) {
	files, err := os.ReadDir(".")
	check(t, err)
	named, listed := map[string]bool{}, map[string]bool{"ErrWrongKey": true, "ErrSealed": true}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), f.Name(), nil, parser.SkipObjectResolution)
		check(t, err)
		ast.Inspect(parsed, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				if n.Names[0].Name == "outcomes" {
					for _, outcome := range n.Values[0].(*ast.CompositeLit).Elts {
						listed[types.ExprString(outcome)] = true
					}
				}
				for _, name := range n.Names {
					if strings.HasPrefix(name.Name, "Err") {
						named[name.Name] = true
					}
				}
			case *ast.SelectorExpr:
				if name := types.ExprString(n); strings.HasPrefix(name, "finance.Err") {
					named[name] = true
				}
			}
			return true
		})
	}
	for name := range named {
		if !listed[name] {
			t.Errorf("outcomes lacks %s", name)
		}
	}
	if len(named) < 50 || len(listed) < len(outcomes) {
		t.Errorf("only %d names and %d outcomes were found: the scan is broken", len(named), len(listed))
	}
}

// The error of a failure names the operation and can be unwrapped. Errors that a caller compares are returned unchanged.
func TestErrorsSayWhatWasTried(t *testing.T) {
	b := newBed(t)
	if _, err := b.Payee(t.Context(), "nobody", "none"); err != finance.ErrNotFound { //nolint:errorlint // the very value
		t.Errorf("a payee that is not there: %v", err)
	}
	check(t, b.Close())
	_, err := b.Payee(t.Context(), "nobody", "none")
	if err == nil || !strings.HasPrefix(err.Error(), "read payee: ") || errors.Unwrap(err) == nil {
		t.Errorf("a closed database: %v", err)
	}
}
