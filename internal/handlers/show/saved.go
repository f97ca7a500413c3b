package show

import (
	"context"
	"unicode/utf8"

	"florin/internal/finance"
	"florin/web/templates/words"
)

// SavedNameProblem returns what is wrong with the name for a saved search or report; "" when nothing is.
func SavedNameProblem(ctx context.Context, name string) string {
	switch length := utf8.RuneCountInString(name); {
	case length == 0:
		return words.Say(ctx, "Enter a name.")
	case length > finance.MaxSavedSearchName:
		return words.Say(ctx, "The name is too long. Use at most %d characters.", finance.MaxSavedSearchName)
	}
	return ""
}
