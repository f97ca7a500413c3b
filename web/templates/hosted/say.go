package hosted

import (
	"context"
	"strings"

	"florin/web/templates/words"
)

// say translates a text for the page of ctx.
func say(ctx context.Context, text words.Text, args ...any) string {
	return words.In(ctx).Say(text, args...)
}

// titled returns the title of a page. It begins with the fact that something is wrong, because a screen reader reads the title first.
func titled(ctx context.Context, title words.Text, problem string) string {
	if problem != "" {
		return say(ctx, "Please check: %s", say(ctx, title))
	}
	return say(ctx, title)
}

// describedBy names the elements that describe a field.
func describedBy(field CredentialField) string {
	var ids []string
	if field.Hint != "" {
		ids = append(ids, field.ID+"-hint")
	}
	if field.Problem != "" {
		ids = append(ids, field.ID+"-problem")
	}
	return strings.Join(ids, " ")
}
