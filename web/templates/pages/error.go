package pages

import (
	"net/http"
	"strconv"

	"florin/web/templates/layout"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

// ErrorView tells what happened, what to do, and under which id to find it in the log.
type ErrorView struct {
	layout.Frame
	Status    int // HTTP status
	Title     string
	What      string
	Todo      string
	RequestID string
	Action    ui.Link
}

// ErrorFor returns the page for an HTTP status. What and Todo can be made more precise by the caller.
func ErrorFor(frame layout.Frame, status int, requestID string) ErrorView {
	t, known := errorTexts[status]
	if !known {
		t = errorTexts[http.StatusInternalServerError]
		if status < http.StatusInternalServerError {
			t = errorTexts[http.StatusBadRequest]
		}
	}
	action := ui.Link{Text: "Go to your accounts", Href: paths.Accounts}
	if frame.User == nil {
		action = ui.Link{Text: "Go to the first page", Href: paths.Accounts}
	}
	return ErrorView{Frame: frame, Status: status, Title: t.title, What: t.what, Todo: t.todo, RequestID: requestID, Action: action}
}

var errorTexts = map[int]struct{ title, what, todo string }{
	http.StatusBadRequest: {
		"This could not be read",
		"Something in the address or in the form is missing or is not what it should be.",
		"Go back, check what you entered, and send it again.",
	},
	http.StatusForbidden: {
		"This is not allowed from here",
		"The request did not come from a page of this server, so it was refused and nothing was changed.",
		"Open Florin by its own address and do it again there.",
	},
	http.StatusNotFound: {
		"There is nothing here",
		"The address may be mistyped, or what it led to is not yours or is gone.",
		"Go to your accounts and look for it from there.",
	},
	http.StatusMethodNotAllowed: {
		"This cannot be done here",
		"The address exists, but not for this kind of request.",
		"Go to your accounts and start from there.",
	},
	http.StatusRequestEntityTooLarge: {
		"This is too much at once",
		"What was sent is larger than this page accepts. Nothing was changed.",
		"Go back and send less.",
	},
	http.StatusTooManyRequests: {
		"Too many tries",
		"For the safety of the account, Florin waits longer after each failed try.",
		"Wait a minute, then try again.",
	},
	http.StatusInternalServerError: {
		"Something broke here",
		"This is a fault of Florin, not yours. It has been written to the log.",
		"Try again. If it happens again, report the request id to whoever runs this server.",
	},
	http.StatusServiceUnavailable: {
		"Florin is not ready",
		"It is starting or stopping, or it cannot write to its database.",
		"Try again in a minute.",
	},
}

func (v ErrorView) code() string { return "Error " + strconv.Itoa(v.Status) }
