package show

import (
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"strings"
	"testing"

	"florin/internal/textfile"
	"florin/web/templates/words"
)

// unworded lists the findings that a file of a package declares and that are not in told.
func unworded(t *testing.T, source string, told map[string]bool) (left []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), source, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(node ast.Node) bool {
		spec, ok := node.(*ast.TypeSpec)
		if !ok {
			return true
		}
		fields, ok := spec.Type.(*ast.StructType)
		if ok && len(fields.Fields.List) > 0 && len(fields.Fields.List[0].Names) == 0 && !told[spec.Name.Name] {
			left = append(left, spec.Name.Name)
		}
		return true
	})
	return left
}

// Every finding of package textfile has words in both languages.
func TestFileProblem(t *testing.T) {
	told := map[string]bool{}
	german := words.Languages(words.App)[1]
	for finding, want := range map[textfile.Finding][2]string{
		textfile.TooLarge{Most: 1 << 20}:                {"larger than 1,024 KiB. Split it", "größer als 1.024 KiB"},
		textfile.TooLarge{Most: 20 << 20}:               {"larger than 20 MiB. Split it", "größer als 20 MiB"},
		textfile.OtherFile{Kind: textfile.PDF}:          {"Export the same data as CSV or XML", "als CSV oder XML"},
		textfile.NotUTF8{Line: 2}:                       {"not written in UTF-8: see line 2", "siehe Zeile 2"},
		textfile.UnknownEncoding{Name: "shift_jis"}:     {"written in shift_jis", "in shift_jis geschrieben"},
		textfile.WrongEncoding{Name: "UTF-16", Line: 3}: {"as UTF-16: line 3", "Zeile 3"},
		textfile.WrongQuotes{Line: 4}:                   {"Line 4 cannot be read: a quotation mark", "Zeile 4"},
		textfile.Malformed{Line: 7}:                     {"see line 7", "siehe Zeile 7"},
		textfile.DocumentType{}:                         {"Remove that line", "Entfernen Sie diese Zeile"},
		textfile.TooDeep{}:                              {"more levels", "mehr Ebenen"},
	} {
		told[reflect.TypeOf(finding).Name()] = true
		for i, l := range []*words.Language{words.English, german} {
			if got := FileProblem(l, finding); !strings.Contains(got, want[i]) || !strings.HasSuffix(got, ".") {
				t.Errorf("%T: %q, want %q", finding, got, want[i])
			}
		}
	}
	for _, name := range unworded(t, "../../textfile/textfile.go", told) {
		t.Errorf("textfile.%s is not tested here: give it words, and a line", name)
	}
	for kind := range textfile.UTF32 + 1 {
		if otherFiles[kind] == "" {
			t.Errorf("the kind of file %d has no words", kind)
		}
	}
}
