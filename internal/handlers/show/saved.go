package show

import (
	"context"
	"unicode/utf8"

	"florin/internal/finance"
	"florin/web/templates/words"
)

// SavedNameProblem says what is wrong with the name under which a search or a report is to be saved; "" when nothing is.
func SavedNameProblem(ctx context.Context, name string) string {
	switch length := utf8.RuneCountInString(name); {
	case length == 0:
		return words.Say(ctx, "Enter a name.")
	case length > finance.MaxSavedSearchName:
		return words.Say(ctx, "The name is too long. Use at most %d characters.", finance.MaxSavedSearchName)
	}
	return ""
}
