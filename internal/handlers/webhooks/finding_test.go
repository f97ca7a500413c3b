package webhooks

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"
	"time"

	"florin/internal/finance"
	"florin/internal/handlers/show"
	"florin/web/templates/words"
)

// Every code of a finding has words in both languages, with all that the finding holds. A finding that was stored as text is shown unchanged.
func TestFindingsAreWorded(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "../../finance/delivery.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	languages := words.Languages(words.App)
	english, german := show.Clock{Now: time.Now(), Language: languages[0]}, show.Clock{Now: time.Now(), Language: languages[1]}
	codes := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if of, ok := spec.Type.(*ast.Ident); !ok || of.Name != "FindingCode" {
			return true
		}
		codes++
		code, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		check := finance.DeliveryCheck{Finding: finance.DeliveryFinding{Code: finance.FindingCode(code), Of: "sub", Number: 404, Until: "2027-01-31"}}
		en, de := findingWords(english, check), findingWords(german, check)
		if en == "" || strings.ContainsAny(en+de, "%!_") || en == check.Finding.String() || en == de && check.Finding.Code != finance.FindingValue {
			t.Errorf("%s: %q, %q", code, en, de)
		}
		return true
	})
	if codes < 60 {
		t.Errorf("only %d codes were found", codes)
	}
	var old finance.DeliveryCheck
	if err := json.Unmarshal([]byte(`{"name":"header","passed":false,"detail":"alg is not RS256"}`), &old); err != nil {
		t.Fatal(err)
	}
	for want, check := range map[string]finance.DeliveryCheck{
		"alg is not RS256":                     old,
		"":                                     {Passed: true},
		"exp ist keine Zeit":                   {Finding: finance.DeliveryFinding{Code: finance.FindingNotTime, Of: "exp"}},
		"Der Inhalt brach nach 1 Byte ab":      {Finding: finance.DeliveryFinding{Code: finance.FindingBodyBrokeOff, Number: 1}},
		"Der Inhalt hat mehr als 65.536 Bytes": {Finding: finance.DeliveryFinding{Code: finance.FindingBodyLarge, Number: 65536}},
		"a_later_code sub":                     {Finding: finance.DeliveryFinding{Code: "a_later_code", Of: "sub"}},
		"https://service.example/key.pem":      {Finding: finance.DeliveryFinding{Code: finance.FindingValue, Of: "https://service.example/key.pem"}},
	} {
		if got := findingWords(german, check); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
