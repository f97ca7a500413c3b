package words

import (
	"strings"
	"testing"
)

func TestPlainShowsWhatIsHidden(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"a name", "Zoë Müller-Łukasz & Söhne (O'Hara)", "Zoë Müller-Łukasz & Söhne (O'Hara)"},
		{"another script", "מסעדת השף 12", "מסעדת השף 12"},
		{"right-to-left override", "gnp.\u202Egniram", "gnp.\uFFFDgniram"},
		{"isolates", "\u2066a\u2069", "\uFFFDa\uFFFD"},
		{"zero width", "Le\u200Ba\u200D\uFEFF", "Le\uFFFDa\uFFFD\uFFFD"},
		{"soft hyphen", "Le\u00ADa", "Le\uFFFDa"},
		{"controls", "a\x00b\x1bc\x7f", "a\uFFFDb\uFFFDc\uFFFD"},
		{"lines and blanks", "a\nb\tc\u00A0d\u3000e\u202Ff", "a b c d e f"},
		{"line separators", "a\u2028b\u2029", "a\uFFFDb\uFFFD"},
		{"fillers", "\u3164\u115F\uFFA0\u034F\u2800", "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD"},
		{"private use and no character", "\uE000\uE001\U000F0000\uFFFF", "\uFFFD\uFFFD\uFFFD\uFFFD"},
		{"a pile of marks", "e" + strings.Repeat("\u0301", 5) + "e\u0301", "e" + strings.Repeat("\u0301", 3) + "\uFFFD\uFFFDe\u0301"},
		{"no text", "\xff\xfe", "\uFFFD\uFFFD"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := Plain(test.text); got != test.want {
				t.Errorf("Plain(%+q) = %+q, want %+q", test.text, got, test.want)
			}
		})
	}
}

func TestDecimal(t *testing.T) {
	for _, test := range []struct{ text, en, de, fr, fi string }{
		{"0.05", "0.05", "0,05", "0,05", "0,05"},
		{"100", "100", "100", "100", "100"},
		{"1234.50", "1,234.50", "1.234,50", "1\u202F234,50", "1\u00A0234,50"},
		{"-1234567.891", "−1,234,567.891", "−1.234.567,891", "−1\u202F234\u202F567,891", "−1\u00A0234\u00A0567,891"},
	} {
		for i, want := range []string{test.en, test.de, test.fr, test.fi} {
			if got := languages[i].Decimal(test.text); got != want {
				t.Errorf("%s in %s: %q, want %q", test.text, codes[i], got, want)
			}
		}
	}
}
