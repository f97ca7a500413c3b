package paymentrules_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
)

// Each half of Florin has words for each rule: a new one cannot be forgotten in either.
func TestEveryRuleHasWords(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "rule.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var rules []string
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.TypeSpec); ok && isRule(spec) {
			rules = append(rules, spec.Name.Name)
		}
		return true
	})
	if len(rules) < 40 {
		t.Fatalf("only %d rules were found", len(rules))
	}
	for _, path := range []string{"../aggregator/engine/paymentfaults.go", "../handlers/payments/faultwords.go"} {
		words, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, rule := range rules {
			if name := "paymentrules." + rule; !strings.Contains(string(words), name+":") && !strings.Contains(string(words), name+",") {
				t.Errorf("%s has no words for %s", path, rule)
			}
		}
	}
}

// isRule reports whether a type embeds the code of a rule, which makes it one.
func isRule(spec *ast.TypeSpec) bool {
	fields, ok := spec.Type.(*ast.StructType)
	if !ok || len(fields.Fields.List) == 0 || len(fields.Fields.List[0].Names) > 0 {
		return false
	}
	code, ok := fields.Fields.List[0].Type.(*ast.Ident)
	return ok && (code.Name == "wrongParameter" || code.Name == "limitExceeded")
}
