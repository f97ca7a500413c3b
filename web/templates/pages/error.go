package pages

import (
	"context"
	"net/http"

	"florin/web/templates/layout"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// ErrorView explains what happened, what to do, and the id of the error in the log.
type ErrorView struct {
	layout.Frame
	Status    int // HTTP status; 0 for what is no error
	Title     string
	What      string
	Todo      string
	RequestID string
	Action    ui.Link
}

// ErrorFor returns the page for an HTTP status. What and Todo can be made more precise by the caller.
func ErrorFor(ctx context.Context, frame layout.Frame, status int, requestID string) ErrorView {
	t, known := errorTexts[status]
	if !known {
		t = errorTexts[http.StatusInternalServerError]
		if status < http.StatusInternalServerError {
			t = errorTexts[http.StatusBadRequest]
		}
	}
	action := ui.Link{Text: say(ctx, "Go to your accounts"), Href: paths.Accounts}
	if frame.User == nil {
		action = ui.Link{Text: say(ctx, "Go to the home page"), Href: paths.Accounts}
	}
	return ErrorView{Frame: frame, Status: status, Title: say(ctx, t.title), What: say(ctx, t.what), Todo: say(ctx, t.todo), RequestID: requestID,
		Action: action}
}

var errorTexts = map[int]struct{ title, what, todo words.Text }{
	http.StatusBadRequest: {
		"Florin could not read this",
		"Something in the address or in the form is missing or wrong.",
		"Go back, check what you entered, and send it again.",
	},
	http.StatusForbidden: {
		"This request was refused",
		"It did not come from a page of Florin. Nothing was changed.",
		"Open Florin by its own address and try again there.",
	},
	http.StatusNotFound: {
		"Page not found",
		"The address may be wrong, or the page may have been deleted or belong to somebody else.",
		"Go to your accounts and look for it from there.",
	},
	http.StatusMethodNotAllowed: {
		"This request is not possible here",
		"The page exists, but it cannot be used in this way.",
		"Go to your accounts and start from there.",
	},
	http.StatusRequestEntityTooLarge: {
		"This is too large",
		"You sent more than this page accepts. Nothing was changed.",
		"Go back and send less at once.",
	},
	http.StatusTooManyRequests: {
		"Too many attempts",
		"To protect the account, Florin waits longer after each failed attempt.",
		"Wait a minute, then try again.",
	},
	http.StatusInternalServerError: {
		"Something went wrong",
		"This is an error in Florin, not yours. The details are in the log.",
		"Try again. If it happens again, give the request ID to whoever runs this server.",
	},
	http.StatusServiceUnavailable: {
		"Florin is not ready",
		"It is starting or stopping, or it cannot write to its database.",
		"Try again in a minute.",
	},
}
