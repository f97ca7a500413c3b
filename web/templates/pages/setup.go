package pages

import (
	"context"

	"florin/web/templates/layout"
)

// SetupView is the page that creates the owner, reached by the one-time link.
type SetupView struct {
	layout.Frame
	Token           string // of the one-time link; sent back with the form
	Email           string
	EmailProblem    string
	PasswordProblem string
	MinPassword     int // characters
}

func passwordHint(ctx context.Context, characters int) string {
	return say(ctx, "At least %d characters. A few words in a row are easy to remember and hard to guess.", characters)
}

// SetupLinkView is shown at first start to those who come without the one-time link.
type SetupLinkView struct {
	layout.Frame
	Problem string // why the link that was used does not work; empty when none was used
}
