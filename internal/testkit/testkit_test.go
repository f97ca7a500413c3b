package testkit_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"strings"
	"testing"
)

// A test that is skipped with the race detector is one that the Makefile finds for its second part: the call is a statement of its own of the test, not of
// a helper or a subtest.
func TestUnwatchedTestsAreFound(t *testing.T) {
	marked := 0
	err := fs.WalkDir(os.DirFS("../.."), ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), "../../"+path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		right, all := 0, 0
		for _, declaration := range file.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			if !ok || function.Body == nil {
				continue
			}
			if function.Recv == nil && strings.HasPrefix(function.Name.Name, "Test") {
				for _, statement := range function.Body.List {
					if expression, ok := statement.(*ast.ExprStmt); ok && unwatched(expression.X) {
						right++
					}
				}
			}
			ast.Inspect(function, func(n ast.Node) bool {
				if unwatched(n) {
					all++
				}
				return true
			})
		}
		if all != right {
			t.Errorf("%s: %d of %d calls of testkit.Unwatched are no statement testkit.Unwatched(t) of a test: the gate would leave out what they are in", path,
				all-right, all)
		}
		marked += right
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if marked == 0 {
		t.Error("no test calls testkit.Unwatched")
	}
}

// unwatched reports whether n is a call of testkit.Unwatched.
func unwatched(n ast.Node) bool {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return false
	}
	selector, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || selector.Sel.Name != "Unwatched" {
		return false
	}
	kit, ok := selector.X.(*ast.Ident)
	return ok && kit.Name == "testkit"
}
