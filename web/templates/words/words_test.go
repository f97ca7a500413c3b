package words

import (
	"florin/internal/countries"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// folders hold the code that speaks.
var folders = []string{"../hosted", "../../../internal/aggregator/site", "../../../internal/aggregator/pages", "../../../internal/aggregator/banksites"}

// spoken finds the texts in the code, each with the place where it stands.
func spoken(t *testing.T) map[Text]string {
	t.Helper()
	found := map[Text]string{}
	files := token.NewFileSet()
	note := func(e ast.Expr) {
		literal, ok := e.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			return
		}
		text, err := strconv.Unquote(literal.Value)
		if err != nil {
			t.Fatal(err)
		}
		found[Text(text)] = files.Position(literal.Pos()).String()
	}
	isText := func(e ast.Expr) bool {
		s, ok := e.(*ast.SelectorExpr)
		return ok && s.Sel.Name == "Text" && named(s.X) == "words"
	}
	visit := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if slices.Contains([]string{"say", "Say", "Parts", "phrase", "titled"}, named(n.Fun)) {
				if i := slices.IndexFunc(n.Args, func(e ast.Expr) bool { _, ok := e.(*ast.BasicLit); return ok }); i >= 0 {
					note(n.Args[i])
				}
			}
		case *ast.ValueSpec:
			if n.Type != nil && isText(n.Type) {
				for _, value := range n.Values {
					note(value)
				}
			}
		case *ast.CompositeLit:
			var of bool
			switch typ := n.Type.(type) {
			case *ast.MapType:
				of = isText(typ.Value)
			case *ast.ArrayType:
				of = isText(typ.Elt)
			case *ast.Ident:
				of = typ.Name == "Refusal"
			}
			for _, element := range n.Elts {
				if pair, ok := element.(*ast.KeyValueExpr); ok {
					element = pair.Value
				}
				if of {
					note(element)
				}
			}
		}
		return true
	}
	for _, folder := range folders {
		names, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil || len(names) == 0 {
			t.Fatalf("no code in %s: %v", folder, err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(files, name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, visit)
		}
	}
	return found
}

// named is the last name of an expression: Say of l.Say.
func named(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

var verb = regexp.MustCompile(`%(\[\d+\])?[sd]`)

// verbs are the places for arguments in a text, in the order of the arguments.
func verbs(text string) []string {
	found := verb.FindAllString(text, -1)
	if strings.Contains(text, "[") {
		slices.Sort(found)
	}
	for i, v := range found {
		found[i] = v[len(v)-1:]
	}
	return found
}

// Every text that the pages show exists in every language, takes the same arguments there, and no translation is left over.
func TestEveryTextExistsInEveryLanguage(t *testing.T) {
	used := spoken(t)
	for _, code := range countries.Codes() {
		used[Text(countries.Name(code))] = "internal/countries"
	}
	if len(used) < 100 {
		t.Fatalf("found %d texts in the code", len(used))
	}
	for text, place := range used {
		translations, single := texts[text]
		forms, many := counted[text]
		switch {
		case single == many:
			t.Errorf("%s: %q has no translation, or two", place, text)
		case single:
			for i, translation := range translations {
				if strings.TrimSpace(translation) == "" || translation != strings.TrimSpace(translation) {
					t.Errorf("%q in %s is %q", text, codes[i+1], translation)
				}
				if !slices.Equal(verbs(translation), verbs(string(text))) {
					t.Errorf("%q in %s takes other arguments: %q", text, codes[i+1], translation)
				}
			}
		case many:
			for i, form := range forms {
				if form.one == "" || !slices.Equal(verbs(form.other), []string{"d"}) {
					t.Errorf("%q in %s is %q", text, codes[i], form)
				}
			}
		}
	}
	for text := range maps.Keys(texts) {
		if used[text] == "" {
			t.Errorf("no page shows %q", text)
		}
	}
	for text := range maps.Keys(counted) {
		if used[text] == "" {
			t.Errorf("no page shows %q", text)
		}
	}
}

func TestLanguageIsTheOneThatWasAskedFor(t *testing.T) {
	tests := []struct {
		name, accept, asked string
		want                string
	}{
		{"nothing", "", "", "en"},
		{"asked for", "", "de", "de"},
		{"asked for, against the browser", "fr-FR,fr;q=0.9", "fi", "fi"},
		{"asked for and not spoken", "fr-FR,fr;q=0.9", "sv", "en"},
		{"asked for and no language", "", "xx", "en"},
		{"browser", "fr-CA,fr;q=0.9,en;q=0.1", "", "fr"},
		{"second choice of the browser", "pt,fi;q=0.5", "", "fi"},
		{"browser whose language is not spoken", "ja", "", "en"},
		{"no header of this kind", "§$%", "", "en"},
		{"anything", "*", "", "en"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			ctx := Listen(t.Context(), test.accept)
			Speak(ctx, test.asked)
			if got := In(ctx).Code(); got != test.want {
				t.Errorf("In = %s, want %s", got, test.want)
			}
		})
	}
	Speak(t.Context(), "de") // nobody listens
	if got := In(t.Context()).Code(); got != "en" {
		t.Errorf("without Listen: %s, want en", got)
	}
}

func TestDates(t *testing.T) {
	first := time.Date(2027, 1, 1, 23, 30, 0, 0, time.FixedZone("", -3600))
	second := time.Date(2026, 3, 31, 9, 5, 0, 0, time.UTC)
	tests := []struct{ code, first, second, firstTime string }{
		{"en", "2 January 2027", "31 March 2026", "2 January 2027, 00:30 UTC"},
		{"de", "2. Januar 2027", "31. März 2026", "2. Januar 2027, 00:30 UTC"},
		{"fr", "2 janvier 2027", "31 mars 2026", "2 janvier 2027 à 00:30 UTC"},
		{"fi", "2. tammikuuta 2027", "31. maaliskuuta 2026", "2. tammikuuta 2027 klo 00.30 UTC"},
	}
	for _, test := range tests {
		l := find(test.code)
		if l.Date(first) != test.first || l.Date(second) != test.second || l.DateTime(first) != test.firstTime {
			t.Errorf("%s: %q, %q, %q", test.code, l.Date(first), l.Date(second), l.DateTime(first))
		}
	}
	if got := find("fr").Date(time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)); got != "1er mai 2026" {
		t.Errorf("the first in French: %q", got)
	}
}

func TestPlurals(t *testing.T) {
	for code, want := range map[string][3]string{
		"en": {"in 0 days", "in 1 day", "in 180 days"},
		"de": {"in 0 Tagen", "in 1 Tag", "in 180 Tagen"},
		"fr": {"dans 0 jour", "dans 1 jour", "dans 180 jours"},
		"fi": {"0 päivän kuluttua", "1 päivän kuluttua", "180 päivän kuluttua"},
	} {
		for i, n := range []int{0, 1, 180} {
			if got := find(code).Say("in %d days", n); got != want[i] {
				t.Errorf("%s, %d: %q, want %q", code, n, got, want[i])
			}
		}
	}
}

// A name is kept apart whatever it holds, in the order of the language.
func TestParts(t *testing.T) {
	got := english.Parts("Share your data from %s with %s?", "50% \uE000Bank", "<b>%s")
	want := []Part{{"Share your data from ", false}, {"50% \uFFFDBank", true}, {" with ", false}, {"<b>%s", true}, {"?", false}}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := english.Parts("%s will see", ""); !slices.Equal(got, []Part{{"", true}, {" will see", false}}) {
		t.Errorf("no name: %+v", got)
	}
}

// inEnglish are the files of pages that speak English alone: they are for developers.
var inEnglish = []string{"api_templ.go", "home_templ.go", "scenarios_templ.go", "widget_templ.go"}

var (
	markup    = regexp.MustCompile(`<[^>]*>|&[a-z]+;`)
	letter    = regexp.MustCompile(`\p{L}{2,}`)
	attribute = regexp.MustCompile(`(?:aria-label|alt|title|placeholder)="([^"]*\p{L}[^"]*)"`)
)

// No template writes words of its own: all of them go through this package.
func TestTemplatesWriteNoWords(t *testing.T) {
	names, err := filepath.Glob("../hosted/*_templ.go")
	if err != nil || len(names) < 5 {
		t.Fatalf("no templates: %v", err)
	}
	for _, name := range names {
		if slices.Contains(inEnglish, filepath.Base(name)) {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		var html strings.Builder
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || named(call.Fun) != "WriteString" {
				return true
			}
			for _, arg := range call.Args {
				if literal, ok := arg.(*ast.BasicLit); ok && literal.Kind == token.STRING {
					text, err := strconv.Unquote(literal.Value)
					if err != nil {
						t.Fatal(err)
					}
					html.WriteString(text)
				}
			}
			return true
		})
		for _, found := range attribute.FindAllStringSubmatch(html.String(), -1) {
			t.Errorf("%s: an attribute says %q", name, found[1])
		}
		for _, text := range markup.Split(html.String(), -1) {
			if text = strings.TrimSpace(text); letter.MatchString(text) && text != "Florin" {
				t.Errorf("%s writes %q", name, text)
			}
		}
	}
}
