package textfile

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// reason is the finding of an error in short, "" without an error.
func reason(err error) string {
	var e *Error
	if !errors.As(err, &e) {
		return fmt.Sprint(err)
	}
	return strings.NewReplacer("Fact:textfile.Fact{}, ", "", "Fact:textfile.Fact{}", "", "textfile.", "").Replace(fmt.Sprintf("%#v", e.Reason))
}

func TestTable(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"commas", "a,b\n1,2\n", "1:a|b 2:1|2 ,"},
		{"semicolons beside decimal commas", "a;b\n1,5;2,5\n", "1:a|b 2:1,5|2,5 ;"},
		{"two columns with commas in the second", "day;amount\n1.1.;5,00\n2.1.;6,00\n", "1:day|amount 2:1.1.|5,00 3:2.1.|6,00 ;"},
		{"tabs", "a\tb, c\n1\t2\n", "1:a|b, c 2:1|2 \t"},
		{"bars", "a|b|c\n1|2|3\n", "1:a|b|c 2:1|2|3 |"},
		{"lines before the table", "Account;DE89\n\nday;amount;text\n1;2;x, y, z\n", "1:Account|DE89 3:day|amount|text 4:1|2|x, y, z ;"},
		{"the separator told", "sep=;\r\na,b,c;d\r\n1;2\r\n", "2:a,b,c|d 3:1|2 ;"},
		{"empty lines and lines of separators", "\n\n;;\na;b\n\n1;2\n", "4:a|b 6:1|2 ;"},
		{"a cell with several lines", "a;b\n\"1\n2\";3\n4;5\n", "1:a|b 2:1\n2|3 4:4|5 ;"},
		{"separators inside quotes", "a;b\n\"1,2,3,4,5\";\"x,y,z\"\n", "1:a|b 2:1,2,3,4,5|x,y,z ;"},
		{"a bare quotation mark", "a;b\nthe \"best\" shop;3\n", "1:a|b 2:the \"best\" shop|3 ;"},
		{"nothing", "", ","},
	} {
		lines, separator, err := Table(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		var all []string
		for _, line := range lines {
			all = append(all, fmt.Sprintf("%d:%s", line.Number, strings.Join(line.Cells, "|")))
		}
		if got := strings.Join(append(all, string(separator)), " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	for _, c := range []struct{ name, text, want string }{
		{"a quotation that never ends", "a;b\n\"1;2\n3;4\n", "WrongQuotes{Line:2}"},
		{"and one behind a bare mark", "a;b\nx \"y\" z;1\n\"1;2\n3;4\n", "WrongQuotes{Line:3}"},
		{"text behind a quotation", "sep=;\na;b\n\"1\"2;3\n", "WrongQuotes{Line:3}"},
	} {
		if _, _, err := Table(c.text); reason(err) != c.want {
			t.Errorf("%s: %s, want %s", c.name, reason(err), c.want)
		}
	}
}

func TestDecodeAs(t *testing.T) {
	if text, err := DecodeAs("windows-1250", []byte("Tytu\xb3")); err != nil || text != "Tytuł" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := DecodeAs("shift_jis", nil); reason(err) != `UnknownEncoding{Name:"shift_jis"}` {
		t.Error(reason(err))
	}
	if _, err := DecodeAs("windows-1252", []byte("a\n\x81")); reason(err) != `WrongEncoding{Name:"windows-1252", Line:2}` {
		t.Error(reason(err))
	}
}

func TestScanXML(t *testing.T) {
	var seen []string
	err := ScanXML("<a><b/><c><d>x</d></c></a>", 3, func(open []string, name string) { seen = append(seen, strings.Join(append(open, name), "/")) })
	if got := strings.Join(seen, " "); err != nil || got != "a a/b a/c a/c/d" {
		t.Errorf("%s, %v", got, err)
	}
	for text, want := range map[string]string{
		"<a><b><c><d/></c></b></a>":                "TooDeep{}",
		`<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>`: "DocumentType{}",
		"<a>\n&x;</a>":                             "Malformed{Line:2}",
		"<a>\n<b></a></b>":                         "Malformed{Line:2}",
		"<a>":                                      "Malformed{Line:1}",
		"<a><![CDATA[" + strings.Repeat("<b>", 5) + "]]>": "Malformed{Line:1}",
	} {
		if err := ScanXML(text, 3, nil); reason(err) != want {
			t.Errorf("%q: %s, want %s", text, reason(err), want)
		}
	}
}

// Whatever a file holds, it becomes text or is refused, and a table of it has cells in rising lines.
func FuzzTable(f *testing.F) {
	f.Add([]byte("a;b\n\"1\n2\";3\n"))
	f.Add([]byte("sep=,\nx \"y\",\xfc\n"))
	f.Add([]byte("\xff\xfea\x00;\x00b\x00"))
	f.Fuzz(func(t *testing.T, file []byte) {
		text, _, err := Decode(file, 1<<20)
		if err != nil {
			return
		}
		if !utf8.ValidString(text) {
			t.Fatalf("%q is no text", text)
		}
		lines, _, err := Table(text)
		if err != nil {
			return
		}
		last := 0
		for _, line := range lines {
			if line.Number <= last || strings.TrimSpace(strings.Join(line.Cells, "")) == "" {
				t.Fatalf("%+v behind line %d", line, last)
			}
			last = line.Number
		}
	})
}
