package words

import (
	"bytes"
	"context"
	"encoding/json"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a-h/templ"
	"pgregory.net/rapid"

	"florin/internal/countries"
	"florin/internal/money"
	"florin/internal/testkit"
)

// spoken finds the texts in the code of a half, each with the place where it stands: every constant of type Text.
func spoken(t *testing.T, half Half) map[Text]string {
	t.Helper()
	found := map[Text]string{}
	for _, p := range speakers(t) {
		service := strings.Contains(p.ImportPath, "/aggregator/") || strings.HasSuffix(p.ImportPath, "/hosted")
		if service != (half == Service) {
			continue
		}
		files, parsed, info := checked(t, p)
		for _, file := range parsed {
			ast.Inspect(file, func(n ast.Node) bool {
				e, ok := n.(ast.Expr)
				if !ok {
					return true
				}
				is, ok := info.Types[e]
				if !ok || is.Value == nil || is.Type.String() != "florin/web/templates/words.Text" {
					return true
				}
				if text := Text(constant.StringVal(is.Value)); text != "" {
					found[text] = files.Position(e.Pos()).String()
				}
				return false // what it is made of
			})
		}
	}
	return found
}

// checked reads the code of a package and finds the types of its expressions.
func checked(t *testing.T, p listed) (*token.FileSet, []*ast.File, types.Info) {
	t.Helper()
	files := token.NewFileSet()
	var parsed []*ast.File
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, file)
	}
	info := types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	settings := types.Config{Importer: importer.ForCompiler(files, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports(t)[path].Export) })}
	if _, err := settings.Check(p.ImportPath, files, parsed, &info); err != nil {
		t.Fatal(err)
	}
	return files, parsed, info
}

// listed is what "go list" says of a package.
type listed struct {
	ImportPath string   `json:"ImportPath"`
	Dir        string   `json:"Dir"`
	Export     string   `json:"Export"`
	GoFiles    []string `json:"GoFiles"`
	Imports    []string `json:"Imports"`
}

var exported struct {
	once     sync.Once
	packages map[string]listed
}

// exports are all packages of Florin and what they import, compiled.
func exports(t *testing.T) map[string]listed {
	t.Helper()
	exported.once.Do(func() {
		command := exec.CommandContext(t.Context(), "go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,Imports", "./...")
		command.Dir = "../../.."
		output, err := command.Output()
		if err != nil {
			t.Fatal(err)
		}
		exported.packages = map[string]listed{}
		for decoder := json.NewDecoder(bytes.NewReader(output)); decoder.More(); {
			var p listed
			if err := decoder.Decode(&p); err != nil {
				t.Fatal(err)
			}
			exported.packages[p.ImportPath] = p
		}
	})
	return exported.packages
}

// speakers are the packages whose code speaks: an area may do so by show.Clock alone.
func speakers(t *testing.T) []listed {
	t.Helper()
	var list []listed
	for _, p := range exports(t) {
		if slices.Contains(p.Imports, "florin/web/templates/words") || slices.Contains(p.Imports, "florin/internal/handlers/show") {
			list = append(list, p)
		}
	}
	return list
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

// Every text that pages show exists in every language of their half, takes the same arguments there, and no translation is left over or there twice.
func TestEveryTextExistsInEveryLanguage(t *testing.T) {
	testkit.Unwatched(t)
	used := map[Half]map[Text]string{App: spoken(t, App), Service: spoken(t, Service)}
	for _, code := range countries.Codes() {
		used[Service][Text(countries.Name(code))] = "internal/countries"
	}
	for _, code := range countries.World() {
		used[App][Text(countries.Name(code))] = "internal/countries"
	}
	used[App]["%s and %s"] = "List"
	for _, unit := range axisUnits {
		used[App][unit.text] = "Axis"
	}
	if len(used[App]) < 10 || len(used[Service]) < 100 {
		t.Fatalf("found %d and %d texts in the code", len(used[App]), len(used[Service]))
	}
	tables := map[Text]int{} // how many tables have a text
	german := map[Text]bool{}
	for text, translations := range texts {
		tables[text]++
		for i, translation := range translations {
			checkTranslation(t, text, codes[i+1], translation)
		}
	}
	for text, forms := range counted {
		tables[text]++
		for i, form := range forms {
			checkForms(t, text, codes[i], form)
		}
	}
	for _, area := range app {
		for text, translation := range area.texts {
			tables[text]++
			german[text] = true
			checkTranslation(t, text, "de", translation)
		}
		for text, forms := range area.counts {
			tables[text]++
			german[text] = true
			for i, form := range forms {
				checkForms(t, text, codes[i], form)
			}
		}
	}
	for half, spoken := range used {
		for text, place := range spoken {
			if tables[text] == 0 || half == Service && german[text] {
				t.Errorf("%s: %q has no translation", place, text)
			}
		}
	}
	for text, n := range tables {
		if n > 1 {
			t.Errorf("%q is translated %d times", text, n)
		}
		if used[Service][text] == "" && used[App][text] == "" {
			t.Errorf("no page shows %q", text)
		}
	}
}

func checkTranslation(t *testing.T, text Text, code, translation string) {
	t.Helper()
	if strings.TrimSpace(translation) == "" || translation != strings.TrimSpace(translation) {
		t.Errorf("%q in %s is %q", text, code, translation)
	}
	if !slices.Equal(verbs(translation), verbs(string(text))) {
		t.Errorf("%q in %s takes other arguments: %q", text, code, translation)
	}
}

// checkForms holds a text with a number against its forms: the one for many has all arguments, the one for one may leave out the number.
func checkForms(t *testing.T, text Text, code string, form forms) {
	t.Helper()
	withoutNumber := func(verbs []string) []string {
		return slices.DeleteFunc(verbs, func(v string) bool { return v == "d" })
	}
	if form.one == "" || !slices.Equal(verbs(form.other), verbs(string(text))) ||
		!slices.Equal(withoutNumber(verbs(form.one)), withoutNumber(verbs(string(text)))) {
		t.Errorf("%q in %s is %q", text, code, form)
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
			ctx := Listen(t.Context(), Service, test.accept)
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

// What an argument is decides how it is written, and a number chooses the form wherever it stands.
func TestSay(t *testing.T) {
	amount := money.FromMinor(-123456, "EUR")
	for _, test := range []struct {
		name    string
		message Message
		en, de  string
	}{
		{"no argument", Msg("Settings"), "Settings", "Einstellungen"},
		{"nothing", Message{}, "", ""},
		{"a text, a message and an amount", Msg("%s and %s", Text("Settings"), Msg("%s and %s", amount, "100%")), "Settings and −1,234.56 EUR and 100%", "Einstellungen und −1.234,56 EUR und 100%"},
		{"one", Msg("%d hours ago", 1), "1 hour ago", "vor 1 Stunde"},
		{"many", Msg("%d hours ago", 1240), "1,240 hours ago", "vor 1.240 Stunden"},
	} {
		if en, de := find("en").Message(test.message), find("de").Message(test.message); en != test.en || de != test.de {
			t.Errorf("%s: %q and %q, want %q and %q", test.name, en, de, test.en, test.de)
		}
	}
	for text, want := range map[Text]int{"%d of %d": 1, "%s: %d": 2, "%[2]s %[1]d": 1, "%s %[3]d %[2]s": 3, "nothing": 1} {
		if got := text.number(); got != want {
			t.Errorf("the number in %q is argument %d, want %d", text, got, want)
		}
	}
	if got := Text("Open#verb").english(); got != "Open" {
		t.Errorf("english = %q", got)
	}
}

// Every translation is of the form of its English text: it panics otherwise, when it is said for the first time.
func TestEveryTextCanBeSaid(t *testing.T) {
	for key, e := range load() {
		e.list(key)
	}
}

// Components stand where the language has them; what is text cannot become markup, whatever it holds.
func TestRich(t *testing.T) {
	var b strings.Builder
	link := templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		_, err := io.WriteString(w, "<a>b</a>")
		return err
	})
	ctx := Listen(t.Context(), App, "de")
	if err := Rich("%s and %s", link, "<i>\uE0000\uE001&").Render(ctx, &b); err != nil {
		t.Fatal(err)
	}
	if got, want := b.String(), "<a>b</a> und &lt;i&gt;0&amp;"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestList(t *testing.T) {
	for n, want := range map[int]string{0: "", 1: "Anna", 2: "Anna und Ben", 3: "Anna, Ben und Cleo"} {
		if got := find("de").List([]string{"Anna", "Ben", "Cleo"}[:n]); got != want {
			t.Errorf("%d names: %q, want %q", n, got, want)
		}
	}
}

// notForPeople are texts of two words or more that nobody reads as a sentence: types of content, policies, keys, classes, what is typed into a terminal, an
// example of a file.
var notForPeople = regexp.MustCompile(`charset=|filename=|max-age=|trusted-types|^.not ready\\n|docker logs florin|name;iban;amount|^"cal-day cal-"$`)

// No handler and no page of the web app writes words of its own: what a person reads is a Text. A literal of two words or more is taken for one, unless it is
// of small letters alone, as a class or a command is, or for the log or an error.
func TestHandlersWriteNoWords(t *testing.T) {
	testkit.Unwatched(t)
	sentence, small := regexp.MustCompile(`\pL{2,}[,;:]? \pL{2,}`), regexp.MustCompile(`^"[a-z]+(?:[ -][a-z]+)*"$`)
	silent := []string{"New", "Errorf", "panic", "MustCompile", "Debug", "DebugContext", "Info", "InfoContext", "Warn", "WarnContext", "Error", "ErrorContext", "String", "LogRefused", "HasPrefix", "HasSuffix", "Contains", "Cut"}
	looked := 0
	for _, p := range exports(t) {
		if !strings.HasPrefix(p.ImportPath, "florin/internal/handlers") && !slices.Contains([]string{"florin/web/templates/pages", "florin/web/templates/layout", "florin/web/templates/ui", "florin/web/templates/charts"}, p.ImportPath) {
			continue
		}
		files, parsed, info := checked(t, p)
		for _, file := range parsed {
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.ImportSpec, *ast.Field:
					return false
				case *ast.CallExpr: // what a template writes itself is looked at by TestTemplatesWriteNoWords
					return !slices.Contains(silent, named(n.Fun)) && (named(n.Fun) != "WriteString" || !strings.HasSuffix(files.Position(n.Pos()).Filename, "_templ.go"))
				case *ast.BasicLit:
					looked++
					if n.Kind == token.STRING && info.Types[n].Type.String() != "florin/web/templates/words.Text" && sentence.MatchString(n.Value) &&
						!small.MatchString(n.Value) && !notForPeople.MatchString(n.Value) {
						t.Errorf("%s writes %s", files.Position(n.Pos()), n.Value)
					}
				}
				return true
			})
		}
	}
	if looked < 1000 {
		t.Errorf("looked at %d literals", looked)
	}
}

// inEnglish are the files of pages that speak English alone: they are for developers.
var inEnglish = []string{"api_templ.go", "home_templ.go", "scenarios_templ.go", "widget_templ.go"}

var (
	markup    = regexp.MustCompile(`<[^>]*>|&[a-z]+;`)
	letter    = regexp.MustCompile(`\p{L}{2,}`)
	attribute = regexp.MustCompile(`(?:aria-label|alt|title|placeholder)="([^"]*\p{L}[^"]*)"`)
)

// typed is what is no word for people: the name of the program, and what stands in a terminal.
var typed = regexp.MustCompile(`^(?:· )?Florin$|^florin user |^Open this link to create your account:$`)

// No template writes words of its own: all of them go through this package.
func TestTemplatesWriteNoWords(t *testing.T) {
	var names []string
	for _, folder := range []string{"hosted", "layout", "pages", "ui", "charts"} {
		found, err := filepath.Glob("../" + folder + "/*_templ.go")
		if err != nil || len(found) == 0 {
			t.Fatalf("no templates in %s: %v", folder, err)
		}
		names = append(names, found...)
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
			if text = strings.TrimSpace(text); letter.MatchString(text) && !typed.MatchString(text) {
				t.Errorf("%s writes %q", name, text)
			}
		}
	}
}

// Where amounts are hidden none is written, by whatever way, in any language; what a person types into a field stays.
func TestHiddenAmounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := money.FromMinor(rapid.Int64Range(-1e15, 1e15).Draw(t, "minor"), rapid.SampledFrom([]string{"EUR", "JPY", "KWD"}).Draw(t, "currency"))
		ctx := Listen(context.Background(), App, rapid.SampledFrom([]string{"en", "de"}).Draw(t, "language"))
		open := In(ctx)
		Hide(ctx, true)
		hiding := In(ctx)
		if !hiding.Hides() || open.Hides() || hiding.Code() != open.Code() {
			t.Fatalf("%s hides: %v", hiding.Code(), hiding.Hides())
		}
		written := []string{hiding.Figure(a), hiding.Money(a), hiding.Brief(a), Say(ctx, "Available: %s", a), hiding.Message(Msg("Available: %s", a)),
			strings.Join(hiding.Axis([]int64{0, a.Minor()}, a.Currency()), "")}
		var rich strings.Builder
		if err := Rich("Available: %s", a).Render(ctx, &rich); err != nil {
			t.Fatal(err)
		}
		for _, text := range append(written, rich.String()) {
			if strings.ContainsAny(text, "0123456789−") {
				t.Fatalf("%v is written %q", a, text)
			}
		}
		Speak(ctx, "de")
		if !In(ctx).Hides() || In(ctx).Code() != "de" {
			t.Fatal("another language shows amounts")
		}
		Hide(ctx, false)
		if got := In(ctx).Money(a); !strings.ContainsAny(got, "0123456789") {
			t.Fatalf("%v is written %q where nothing is hidden", a, got)
		}
	})
}
