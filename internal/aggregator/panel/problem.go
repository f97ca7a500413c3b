package panel

import (
	"errors"
	"net/http"

	"florin/internal/aggregator"
	"florin/internal/aggregator/registry"
	"florin/internal/aggregator/site"
	"florin/internal/middleware"
	"florin/web/templates/panel"
)

// refusal is an error that a person can do something about. It is shown as it is.
type refusal struct {
	status int
	title  string
	text   []string
}

func (e *refusal) Error() string { return "panel: " + e.title }

var (
	errNoPage = &refusal{http.StatusNotFound, "There is no page at this address",
		[]string{"The address may be mistyped, or what it belonged to is deleted."}}
	errLink = &refusal{http.StatusGone, "This link does not work any more",
		[]string{"A link signs in once, for 15 minutes. Ask for a new one."}}
	errNotOperator = &refusal{http.StatusForbidden, "This page is the operator's",
		[]string{"It opens with a link that the command “florin operator” prints on the machine of the service."}}
	errOldOperatorLink = &refusal{http.StatusGone, "This link does not work any more",
		[]string{"A link opens the operator's page once, within 15 minutes. The command “florin operator” prints a new one."}}
	errTooSoon = &refusal{http.StatusTooManyRequests, "Too many links were asked for",
		[]string{"Please wait 15 minutes and try again."}}
	errOtherSite = &refusal{http.StatusForbidden, "This form came from another site",
		[]string{"Forms are accepted from our own pages only. Nothing was changed."}}
	errBrokenForm = &refusal{http.StatusBadRequest, "The form could not be read",
		[]string{"Go back one page and send it again. Nothing was changed."}}
	errLargeForm = &refusal{http.StatusRequestEntityTooLarge, "The form is too large",
		[]string{"Go back one page and send less text. Nothing was changed."}}
	errOldForm = &refusal{http.StatusForbidden, "This form was made for somebody else",
		[]string{"Open the page again and fill in the new form. Nothing was changed."}}
	errTooMany = &refusal{http.StatusUnprocessableEntity, "You have as many applications as you may have",
		[]string{"Delete one that you do not need any more."}}
	errBusy = &refusal{http.StatusTooManyRequests, "The server makes many keys just now",
		[]string{"Make the key in your browser, upload one of your own, or try again in a minute. Nothing was changed."}}
	errNoKey = &refusal{http.StatusGone, "The private key cannot be shown any more",
		[]string{"The server keeps a key that it made for ten minutes, and forgets it when you say that you have saved it.",
			"If you do not have it, add a new key to the application and end this one."}}
	errLastKey = &refusal{http.StatusConflict, "This is the only key",
		[]string{"Without a key the application could not call the API. Add a new key first. To stop the application, pause it."}}
	errChanged = &refusal{http.StatusConflict, "The application has changed meanwhile",
		[]string{"Nothing was done. Look at the application as it is now."}}
	errLinking = &refusal{http.StatusConflict, "No account was linked",
		[]string{"The bank or you refused, the visit took too long, or it was finished before.", "You can begin again on the page of the own accounts."}}
)

// explain turns the errors of the registry into refusals. Anything else stays what it is: a fault.
func explain(err error) error {
	switch {
	case errors.Is(err, aggregator.ErrNotFound): // also what belongs to somebody else (security T14)
		return errNoPage
	case errors.Is(err, registry.ErrLink):
		return errLink
	case errors.Is(err, registry.ErrTooSoon):
		return errTooSoon
	case errors.Is(err, registry.ErrForm):
		return errOldForm
	case errors.Is(err, registry.ErrTooMany):
		return errTooMany
	case errors.Is(err, registry.ErrLastKey):
		return errLastKey
	case errors.Is(err, registry.ErrTwoKeys):
		return errChanged
	case errors.Is(err, aggregator.ErrLinking):
		return errLinking
	}
	return err
}

// fail turns every error into a page. A fault is logged with the request ID that the page shows.
func (p *Panel) fail(w http.ResponseWriter, r *http.Request, err error) {
	if middleware.Gone(r.Context(), err) {
		return
	}
	err = explain(err)
	var refused *refusal
	if errors.As(err, &refused) {
		page := panel.MessagePage{Frame: panel.Frame{Title: refused.title}, Text: refused.text, LinkURL: Path, LinkText: "To your applications"}
		if refused == errLink {
			page.LinkURL, page.LinkText = registry.SignInPath, "Ask for a link"
		}
		if err := site.Write(w, r, refused.status, panel.Message(page)); err == nil {
			return
		}
	}
	id := middleware.RequestIDFrom(r.Context())
	p.log.ErrorContext(r.Context(), "page of the control panel failed", "route", r.Pattern, "error", err, "request_id", id)
	page := panel.MessagePage{
		Frame: panel.Frame{Title: "Something went wrong here"}, Text: []string{"The fault is ours, and it has been noted. Please try again in a moment."},
		RequestID: id,
	}
	if site.Write(w, r, http.StatusInternalServerError, panel.Message(page)) != nil {
		http.Error(w, "The page could not be made. Please try again.", http.StatusInternalServerError)
	}
}
