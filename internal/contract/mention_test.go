package contract_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"net/http"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"florin/internal/specification"
	"florin/internal/testkit"
)

// said is what a piece of a test says: names, words of its texts, numbers, and what it goes through from end to end.
type said struct {
	names        map[string]bool // identifiers, such as EntryReference
	folded       map[string]bool // the same in small letters
	texts        map[string]bool // string literals
	words        map[string]bool // of the texts
	numbers      map[string]bool
	structures   map[string]bool // of the specification, whose fields all have to occur: unseen(found, "Transaction")
	enumerations map[string]bool // whose values are gone through: openbanking.RateType("").Values()
}

func newSaid() said {
	return said{map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}}
}

func (s said) add(more said) {
	for _, pair := range [][2]map[string]bool{
		{s.names, more.names}, {s.folded, more.folded}, {s.texts, more.texts}, {s.words, more.words}, {s.numbers, more.numbers},
		{s.structures, more.structures}, {s.enumerations, more.enumerations},
	} {
		maps.Copy(pair[0], pair[1])
	}
}

// Words of a text: names of fields and headers, codes, values.
var wordForm = regexp.MustCompile(`[A-Za-z0-9_]+(-[A-Za-z0-9_]+)*`)

// listen notes what a piece of Go says.
func (s said) listen(node ast.Node) {
	ast.Inspect(node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			s.names[n.Name], s.folded[strings.ToLower(n.Name)] = true, true
		case *ast.BasicLit:
			text, err := strconv.Unquote(n.Value)
			if n.Kind != token.STRING || err != nil {
				s.numbers[strings.ReplaceAll(n.Value, "_", "")] = true
				break
			}
			s.texts[text] = true
			for _, word := range wordForm.FindAllString(text, -1) {
				s.words[strings.ToLower(word)] = true
			}
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.Ident); ok && f.Name == "unseen" {
				for _, argument := range n.Args {
					if name, ok := argument.(*ast.BasicLit); ok {
						s.structures[strings.Trim(name.Value, `"`)] = true
					}
				}
			}
			if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Values" {
				if of, ok := f.X.(*ast.CallExpr); ok {
					if kind, ok := of.Fun.(*ast.SelectorExpr); ok {
						s.enumerations[kind.Sel.Name] = true
					}
				}
			}
		}
		return true
	})
}

// declaration is a function, variable or constant of a package.
type declaration struct {
	file  string
	table bool // no function
	said  said
}

// testPackage has the declarations of the tests of a package by name; methods of several types may share one. The package
// contract is a test itself, so all of it counts.
type testPackage map[string][]declaration

func readTests(t *testing.T, folder string) testPackage {
	t.Helper()
	pattern := "*_test.go"
	if folder == "internal/contract" {
		pattern = "*.go"
	}
	files, err := filepath.Glob(filepath.Join("../..", folder, pattern))
	if err != nil {
		t.Fatal(err)
	}
	p := testPackage{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				heard := newSaid()
				heard.listen(d)
				p[d.Name.Name] = append(p[d.Name.Name], declaration{name, false, heard})
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if v, ok := spec.(*ast.ValueSpec); ok {
						heard := newSaid()
						heard.listen(v)
						for _, n := range v.Names {
							p[n.Name] = append(p[n.Name], declaration{name, true, heard})
						}
					}
				}
			}
		}
	}
	return p
}

// has reports whether there is a test of that name.
func (p testPackage) has(test string) bool {
	return strings.HasPrefix(test, "Test") && len(p[test]) == 1 && !p[test][0].table
}

// of is what a test says: itself, the tables of its package that it names, and the functions of its own file. Helpers of other
// files are shared by many tests, so what they say proves nothing.
func (p testPackage) of(test string, everywhere bool) said {
	whole := newSaid()
	file := p[test][0].file
	known, names := map[string]bool{test: true}, []string{test}
	for len(names) > 0 {
		name := names[0]
		names = names[1:]
		for _, d := range p[name] {
			if !d.table && d.file != file && !everywhere {
				continue
			}
			whole.add(d.said)
			for next := range d.said.names {
				if len(p[next]) > 0 && !known[next] && !strings.HasPrefix(next, "Test") {
					known[next] = true
					names = append(names, next)
				}
			}
		}
	}
	return whole
}

// goNames are the names in Go of fields ("Structure.field", "field") and of values ("Enumeration VALUE").
func goNames(t *testing.T) map[string][]string {
	t.Helper()
	files, err := filepath.Glob("../openbanking/*.go")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string][]string{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.StructType:
				for _, f := range n.Fields.List {
					if f.Tag == nil || len(f.Names) == 0 {
						continue
					}
					field, _, _ := strings.Cut(reflect.StructTag(strings.Trim(f.Tag.Value, "`")).Get("json"), ",")
					names[field] = append(names[field], f.Names[0].Name)
				}
			case *ast.ValueSpec:
				if kind, ok := n.Type.(*ast.Ident); ok && len(n.Values) == 1 {
					if value, ok := n.Values[0].(*ast.BasicLit); ok {
						key := kind.Name + " " + strings.Trim(value.Value, `"`)
						names[key] = append(names[key], n.Names[0].Name)
					}
				}
			}
			return true
		})
	}
	return names
}

// fieldsWithin are the fields of a structure and of those within it, as "Structure.field".
func fieldsWithin(structures map[string]bool) map[string]bool {
	fields, known := map[string]bool{}, map[string]bool{}
	var note func(structure string)
	note = func(structure string) {
		table := specification.Find(specification.Read().Structures, structure)
		if table == nil || known[structure] {
			return
		}
		known[structure] = true
		for _, f := range table.Fields {
			fields[structure+"."+f.Name] = true
			note(strings.Trim(f.Type, "[]"))
		}
	}
	for structure := range structures {
		note(structure)
	}
	return fields
}

// Terms of sentences: names of fields and parameters, codes and values, and numbers of three digits and more.
var termForm = regexp.MustCompile(`\b([a-z0-9]+(_[a-z0-9]+)+|[A-Z]+(_[A-Z]+)+|[A-Z]{4,}|[0-9]{3,})\b`)

// Paths, whose parts in braces are no terms.
var pathForm = regexp.MustCompile(`/[a-z_/{}]+`)

// common are words in capitals that are no codes.
var common = []string{"ASPSP", "JSON", "HTTP", "HTTPS", "POST", "DELETE", "PSUS"}

// terms are what a row is about. A test that proves a row of a field, value or code says each of them; tests of a rule or limit
// say one of them at least, and all of them together.
func (r row) terms() (list []string, together bool) {
	kind, rest, _ := strings.Cut(r.id, " ")
	switch kind {
	case "field", "value", "code", "status":
		return []string{rest}, false
	case "header":
		return []string{rest}, false
	case "token":
		return []string{rest[strings.LastIndex(rest, " ")+1:]}, false
	case "endpoint":
		return strings.Fields(rest), false
	case "parameter":
		words := strings.Fields(rest)
		name := words[len(words)-1]
		if strings.Contains(rest, "{"+name+"}") {
			return words[:len(words)-1], false // what is told of a part of a path is told of the path
		}
		return []string{name}, false
	}
	for _, term := range termForm.FindAllString(pathForm.ReplaceAllString(r.name+" "+r.text, ""), -1) {
		if !slices.Contains(common, term) && !slices.Contains(list, term) {
			list = append(list, term)
		}
	}
	return list, true
}

// says reports whether a test says a term of a row.
func (s said) says(r row, term string, names map[string][]string) bool {
	kind, rest, _ := strings.Cut(r.id, " ")
	spoken := func(keys ...string) bool {
		return slices.ContainsFunc(keys, func(key string) bool {
			return slices.ContainsFunc(names[key], func(name string) bool { return s.folded[strings.ToLower(name)] })
		})
	}
	switch {
	case kind == "field":
		_, field, _ := strings.Cut(term, ".")
		return !s.texts[term] && (fieldsWithin(s.structures)[term] || s.words[field] || spoken(field))
	case kind == "value":
		enumeration, value, _ := strings.Cut(rest, " ")
		return !s.texts[enumeration+"="+value] && (s.enumerations[enumeration] || s.words[strings.ToLower(value)] || spoken(rest))
	case kind == "code":
		return s.enumerations["ErrorCode"] || s.words[strings.ToLower(term)] || spoken("ErrorCode "+term)
	case kind == "status":
		status, _ := strconv.Atoi(term)
		return s.numbers[term] || s.names["Status"+strings.ReplaceAll(http.StatusText(status), " ", "")]
	case strings.HasPrefix(term, "/"):
		return s.addresses(term)
	case slices.Contains([]string{http.MethodGet, http.MethodPost, http.MethodDelete}, term):
		return s.words[strings.ToLower(term)] || s.names["Method"+term[:1]+strings.ToLower(term[1:])]
	}
	for key := range names {
		if enumeration, value, _ := strings.Cut(key, " "); value == term && (s.enumerations[enumeration] || spoken(key)) {
			return true
		}
	}
	return s.words[strings.ToLower(term)] || s.numbers[term] || spoken(term) || s.folded[strings.ToLower(strings.ReplaceAll(term, "_", ""))]
}

// addresses reports whether a text ends or goes on as a path does after its last name: "/accounts/" + uid + "/details".
func (s said) addresses(path string) bool {
	parts := strings.Split(path, "/")
	last := len(parts) - 1
	within := strings.HasPrefix(parts[last], "{")
	if within {
		last--
	}
	form := regexp.MustCompile("(^|/)" + parts[last] + "($|[? ])")
	if within {
		form = regexp.MustCompile("(^|/)" + parts[last] + "/")
	}
	for text := range s.texts {
		if form.MatchString(text) {
			return true
		}
	}
	return false
}

// unproved says what is wrong with the tests that are named beside a row, as one line each. heard has what each of them says.
func unproved(r row, tests []string, heard map[string]said, names map[string][]string) (lines []string) {
	terms, together := r.terms()
	unsaid := terms
	for _, test := range tests {
		missing := slices.DeleteFunc(slices.Clone(terms), func(term string) bool { return heard[test].says(r, term, names) })
		if !together && len(missing) > 0 || together && len(terms) > 0 && len(missing) == len(terms) {
			lines = append(lines, r.id+": "+test+" says nothing of "+strings.Join(missing, ", "))
		}
		unsaid = slices.DeleteFunc(slices.Clone(unsaid), func(term string) bool { return !slices.Contains(missing, term) })
	}
	if together && len(unsaid) > 0 && len(unsaid) < len(terms) {
		lines = append(lines, r.id+": no test says anything of "+strings.Join(unsaid, ", "))
	}
	return lines
}

// hear listens to the tests of all proofs.
func hear(t *testing.T) map[string]said {
	t.Helper()
	heard := map[string]said{}
	for folder, path := range folders {
		tests := readTests(t, path)
		for _, p := range proofs {
			for _, test := range p.list() {
				if of, name, _ := strings.Cut(test, "."); of == folder && tests.has(name) {
					heard[test] = tests.of(name, folder == "contract")
				}
			}
		}
	}
	return heard
}

// Each test that is named beside a row of the specification says what the row is about: its field, value, code, header, parameter,
// path or status, and of rules and limits the names in their sentence. One that leaves a field or a value out by its name, as
// "Structure.field" or "Enumeration=VALUE", proves nothing of it.
func TestNamedTestsSayWhatTheyProve(t *testing.T) {
	testkit.Unwatched(t)
	names, heard := goNames(t), hear(t)
	for _, section := range specificationRows() {
		for _, r := range section.rows {
			if p, ok := proofOf(r); ok { // else TestConformanceDocumentation says so
				for _, line := range unproved(r, p.list(), heard, names) {
					t.Error(line)
				}
			}
		}
	}
}

// The check notices a test that has nothing to do with its row, of each kind of rows.
func TestUnprovedRowsAreNoticed(t *testing.T) {
	testkit.Unwatched(t)
	names, heard := goNames(t), hear(t)
	text := func(words string) row { return row{"rule Test: " + words, "Test", words} }
	for _, test := range []struct {
		row   row
		tests string
		want  string // empty: nothing is wrong
	}{
		{row{id: "field Transaction.note"}, "server.TestEveryFieldOccurs", ""},
		{row{id: "field Transaction.note"}, "api.TestPSUHeaderRules", "says nothing of Transaction.note"},
		{row{id: "field PaymentRequestResource.debtor_agent"}, "server.TestEveryFieldOfAPaymentIsKept", ""},
		{row{id: "field PaymentRequestResource.debtor_agent"}, "server.TestEveryFieldOccurs", "says nothing of PaymentRequestResource.debtor_agent"},
		{row{id: "value TransactionStatus SCHD"}, "server.TestScenarios", ""},
		{row{id: "value TransactionStatus SCHD"}, "api.TestTransactionRules", "says nothing of TransactionStatus SCHD"},
		{row{id: "value ReferenceNumberScheme SDDM"}, "server.TestEveryPaymentType", "says nothing of ReferenceNumberScheme SDDM"}, // it leaves the value out
		{row{id: "code WRONG_DATE_INTERVAL"}, "api.TestTransactionRules", ""},
		{row{id: "code INVALID_HOST"}, "api.TestTransactionRules", "says nothing of INVALID_HOST"},
		{row{id: "header Psu-Referer"}, "api.TestPSUHeaderRules", ""},
		{row{id: "header Psu-Referer"}, "server.TestErrorCodes", "says nothing of Psu-Referer"},
		{row{id: "parameter GET /accounts/{account_id}/details account_id"}, "server.TestIDsInPaths", ""},
		{row{id: "parameter GET /accounts/{account_id}/details account_id"}, "api.TestTransactionRules", "/details"},
		{row{id: "status 408"}, "server.TestErrorCodes", ""},
		{row{id: "status 408"}, "api.TestTransactionRules", "says nothing of 408"},
		{text("date_from in the future gives DATE_FROM_IN_FUTURE"), "api.TestTransactionRules", ""},
		{text("date_from in the future gives WRONG_SESSION_STATUS"), "api.TestTransactionRules", "no test says anything of WRONG_SESSION_STATUS"},
		{text("at most 86400 seconds"), "apptoken.TestForgedTokensAreRefused", ""},
		{text("at most 86409 seconds"), "apptoken.TestForgedTokensAreRefused", "says nothing of 86409"},
	} {
		got := strings.Join(unproved(test.row, strings.Split(test.tests, ", "), heard, names), "\n")
		if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s by %s: %q, want %q", test.row.id, test.tests, got, test.want)
		}
	}
}
