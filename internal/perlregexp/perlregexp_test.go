package perlregexp

import (
	"strings"
	"testing"
)

func TestMatch(t *testing.T) {
	for _, tt := range []struct {
		expression, value string
		want              bool
	}{
		{`^[a-z]{2,20}$`, "ada", true},
		{`^[a-z]{2,20}$`, "Ada", false},
		{`da`, "ada", true}, // it matches somewhere
		{`^(?=.*\d)(?=.*[a-z]).{8,}$`, "abcdefg1", true},
		{`^(?=.*\d)(?=.*[a-z]).{8,}$`, "abcdefgh", false},
		{`^(?!0000)\d{4}$`, "0001", true},
		{`^(?!0000)\d{4}$`, "0000", false},
		{`(?<=id-)\d+$`, "id-7", true},
		{`(?<!id-)\b\d+$`, "id-7", false},
		{`^(\d)\1$`, "77", true},
		{`^(\d)\1$`, "78", false},
		{`^(?<a>x)\k<a>$`, "xx", true},
		{`^(?>a+)b$`, "aab", true},
		{`(?i)^ada$`, "ADA", true},
		{`^\p{Lu}\w+$`, "Äda", true},
		{`^(a+)+$`, strings.Repeat("a", 200) + "!", false}, // within Timeout
	} {
		e, err := Compile(tt.expression)
		if err != nil {
			t.Errorf("%s: %v", tt.expression, err)
			continue
		}
		if got := e.Match(tt.value); got != tt.want {
			t.Errorf("%s matches %q: %v, want %v", tt.expression, tt.value, got, tt.want)
		}
	}
}

// What cannot be read is an error that shows the place, not an expression that means something else.
func TestWhatIsNotSupported(t *testing.T) {
	for _, expression := range []string{`(`, `[a`, `a**`, `(?R)`, `a++`, `(*SKIP)`, `\K`, `\Q.\E`, `\h`} {
		if _, err := Compile(expression); err == nil || !strings.Contains(err.Error(), strings.Trim(expression, "\\")[:1]) {
			t.Errorf("%s: %v", expression, err)
		}
	}
}
