package show

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"florin/web/templates/ui"
)

// Fold returns a text without upper case and accents, for searching and sorting. app.js does the same.
func Fold(s string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.M, r) {
			return -1
		}
		return r
	}, norm.NFD.String(s)))
}

// SortOptions sorts options by their texts: Åland is next to Albania, Österreich next to Oman.
func SortOptions(options []ui.Option) {
	slices.SortStableFunc(options, func(a, b ui.Option) int { return strings.Compare(Fold(a.Text), Fold(b.Text)) })
}
