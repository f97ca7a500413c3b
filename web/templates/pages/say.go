package pages

import (
	"context"
	"strconv"
	"strings"

	"florin/web/templates/words"
)

// say returns a text in the language of the page of ctx.
func say(ctx context.Context, text words.Text, args ...any) string {
	return words.Say(ctx, text, args...)
}

// form is the form that a text has for a number, with %d in its place: app.js counts with it.
func form(ctx context.Context, text words.Text, n int) string {
	return strings.Replace(say(ctx, text, n), strconv.Itoa(n), "%d", 1)
}
