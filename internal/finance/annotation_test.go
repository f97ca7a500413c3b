package finance

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestReadNote(t *testing.T) {
	for typed, want := range map[string]string{
		"":                                    "",
		" \r\n\t\r\n":                         "",
		"for Lena":                            "for Lena",
		"\r\n  for   Lena \r\n\r\nsecond\r\n": "for Lena\n\nsecond",
		"a\u202Eb\x00c":                       "abc",
		strings.Repeat("ä", MaxNote):          strings.Repeat("ä", MaxNote),
	} {
		if got, err := ReadNote(typed); got != want || err != nil {
			t.Errorf("%q is kept as %q, %v; want %q", typed, got, err, want)
		}
	}
	if _, err := ReadNote(strings.Repeat("ä", MaxNote+1)); !errors.Is(err, ErrNoteTooLong) {
		t.Errorf("too long: %v", err)
	}
}

func TestReadTags(t *testing.T) {
	list := func(n int) string {
		var tags []string
		for i := range n {
			tags = append(tags, strings.Repeat("x", i+1))
		}
		return strings.Join(tags, ",")
	}
	for typed, want := range map[string][]string{
		"":                            nil,
		" , ;\n#":                     nil,
		"Italy 2026, #tax":            {"Italy 2026", "tax"},
		"Tax;TAX\ntax , tax  return ": {"Tax", "tax return"},
		"#c#, c#":                     {"c#"},
		strings.Repeat("é", MaxTag):   {strings.Repeat("é", MaxTag)},
	} {
		if got, err := ReadTags(typed); !slices.Equal(got, want) || err != nil {
			t.Errorf("%q are the tags %q, %v; want %q", typed, got, err, want)
		}
	}
	if got, err := ReadTags(list(MaxTags)); len(got) != MaxTags || err != nil {
		t.Errorf("%d tags: %v", len(got), err)
	}
	for typed, want := range map[string]error{list(MaxTags + 1): ErrTooManyTags, strings.Repeat("é", MaxTag+1): ErrTagTooLong} {
		if _, err := ReadTags(typed); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", typed, err, want)
		}
	}
}
