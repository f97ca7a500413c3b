package iban

import (
	"fmt"
	"unicode"
	"unicode/utf8"
)

// isSeparator reports whether a character is what people and documents put between groups:
// visible white space, dots and dashes. Zero-width characters are none.
func isSeparator(r rune) bool {
	switch r {
	case '.', '·', '-', '\u2010', '\u2011', '\u2012', '\u2013', '\u2014', '\u2212':
		return true
	}
	return unicode.IsSpace(r)
}

var invisible = map[rune]string{
	'\u00ad': "soft hyphen", '\u061c': "direction mark", '\u180e': "vowel separator",
	'\u200b': "zero-width space", '\u200c': "zero-width non-joiner", '\u200d': "zero-width joiner",
	'\u200e': "direction mark", '\u200f': "direction mark",
	'\u202a': "direction mark", '\u202b': "direction mark", '\u202c': "direction mark", '\u202d': "direction mark", '\u202e': "direction mark",
	'\u2060': "word joiner",
	'\u2066': "direction mark", '\u2067': "direction mark", '\u2068': "direction mark", '\u2069': "direction mark",
	'\ufeff': "byte order mark",
}

var scripts = []struct {
	name  string
	table *unicode.RangeTable
}{
	{"Cyrillic", unicode.Cyrillic}, {"Greek", unicode.Greek}, {"Armenian", unicode.Armenian}, {"Cherokee", unicode.Cherokee},
}

// Script returns the script of a letter that may only look like one of A to Z: Cyrillic, Greek, Armenian or Cherokee; "" for another character.
func Script(r rune) string {
	for _, s := range scripts {
		if unicode.Is(s.table, r) {
			return s.name
		}
	}
	return ""
}

// Describe names a character that does not belong, so that people can find and replace it
// even when it looks right or cannot be seen.
func Describe(r rune) string {
	if name, ok := invisible[r]; ok {
		return fmt.Sprintf("an invisible character (%s, U+%04X)", name, r)
	}
	if script := Script(r); script != "" {
		return fmt.Sprintf("the %s letter \"%c\" (U+%04X), which only looks like one of A to Z", script, r, r)
	}
	switch {
	case r == utf8.RuneError:
		return "damaged and cannot be read"
	case r >= '\uff01' && r <= '\uff5e':
		return fmt.Sprintf("the full-width character \"%c\" (U+%04X)", r, r)
	case unicode.IsDigit(r):
		return fmt.Sprintf("the digit \"%c\" of another script (U+%04X)", r, r)
	case Hidden(r):
		return fmt.Sprintf("an invisible or combining character (U+%04X)", r)
	case r < utf8.RuneSelf:
		return fmt.Sprintf("\"%c\"", r)
	}
	return fmt.Sprintf("\"%c\" (U+%04X)", r, r)
}

// Hidden reports whether a character cannot be seen by itself, and so cannot be found to be replaced.
func Hidden(r rune) bool { return !unicode.IsGraphic(r) || unicode.IsMark(r) }
