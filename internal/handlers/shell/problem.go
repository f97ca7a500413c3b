package shell

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"florin/internal/auth"
	"florin/internal/finance"
	"florin/internal/handlers/show"
	"florin/internal/middleware"
	"florin/internal/store"
	"florin/web/templates/layout"
	"florin/web/templates/pages"
	"florin/web/templates/ui"
)

// Problem is an error with its own page in the language of the visitor. Empty texts are filled in by pages.ErrorFor.
type Problem struct {
	Status            int
	Title, What, Todo string
	Action            ui.Link
	Cause             error // for the log
}

func (p *Problem) Error() string {
	if p.Cause != nil {
		return p.Cause.Error()
	}
	return http.StatusText(p.Status)
}

func (p *Problem) Unwrap() error { return p.Cause }

// fail answers a failed request. An error without its own page is a fault of Florin: status 500, with its text only in the log.
func (s *Shell) fail(v *Visitor, err error) {
	if middleware.Gone(v.Ctx(), err) {
		return
	}
	p := s.problemOf(v, err)
	requestID := middleware.RequestIDFrom(v.Ctx())
	if p.Status >= http.StatusInternalServerError {
		s.log.ErrorContext(v.Ctx(), "request failed", "error", err, "request_id", requestID)
	} else {
		middleware.Annotate(v.Ctx(), slog.String("refused", err.Error()))
	}
	view := p.view(v, s.Frame(v), requestID)
	if err := v.Page(p.Status, pages.Error(view)); err != nil {
		s.log.ErrorContext(v.Ctx(), "the error page failed", "error", err, "request_id", requestID)
		PlainText(v.Writer, p.Status, v.Say("Something went wrong. Request ID: %s", requestID)+"\n")
	}
}

func (s *Shell) problemOf(v *Visitor, err error) *Problem {
	var own *Problem
	var tooLarge *http.MaxBytesError
	var wait *auth.WaitError
	switch {
	case errors.As(err, &own):
		return own
	case errors.Is(err, finance.ErrNotFound):
		return &Problem{Status: http.StatusNotFound}
	case errors.As(err, &tooLarge):
		return &Problem{Status: http.StatusRequestEntityTooLarge}
	case errors.As(err, &wait):
		return s.waitProblem(v, wait)
	}
	if store.IsDiskFull(err) {
		return diskFull(v, err)
	}
	return &Problem{Status: http.StatusInternalServerError}
}

// diskFull returns the page for a full disk, which is not a fault of Florin and can be solved.
func diskFull(v *Visitor, cause error) *Problem {
	return &Problem{
		Status: http.StatusInsufficientStorage, Title: v.Say("The disk of this server is full"),
		What:  v.Say("Florin could not save your change."),
		Todo:  v.Say("Ask whoever runs this server to free some space on its disk. Then try again."),
		Cause: cause,
	}
}

// viewerProblem returns the answer to a viewer at a page for members and owners.
func viewerProblem(v *Visitor) *Problem {
	return &Problem{
		Status: http.StatusForbidden, Title: v.Say("You cannot change anything here"),
		What: v.Say("You are a viewer of this Florin: you can see what others share with you, but not change anything."),
		Todo: v.Say("Ask the owner of this Florin to make you a member, if you want to link your own banks."),
	}
}

// waitProblem says when to try again, and on the sign-in page what ends the wait earlier.
func (s *Shell) waitProblem(v *Visitor, wait *auth.WaitError) *Problem {
	c := s.At(v.Ctx(), time.Now())
	seconds := max(1, int(wait.Until.Sub(c.Now)/time.Second)+1)
	v.Writer.Header().Set("Retry-After", strconv.Itoa(seconds))
	todo := c.Say("Try again in %s, %s.", show.Duration(time.Duration(seconds)*time.Second), c.When(wait.Until))
	if _, second := s.Pending(v); !v.SignedIn() && !second { // a new password does not end the wait for the second step
		todo += " " + c.Say("Whoever runs this server can let you in sooner, with a link that florin user link makes.")
	}
	return &Problem{Status: http.StatusTooManyRequests, Todo: todo, Cause: errors.New("too many tries")}
}

func (p *Problem) view(v *Visitor, f layout.Frame, requestID string) pages.ErrorView {
	view := pages.ErrorFor(v.Ctx(), f, p.Status, requestID)
	for _, text := range []struct {
		to *string
		is string
	}{{&view.Title, p.Title}, {&view.What, p.What}, {&view.Todo, p.Todo}} {
		if text.is != "" {
			*text.to = text.is
		}
	}
	if p.Action.Href != "" {
		view.Action = p.Action
	}
	return view
}

// ForeignHost answers a request under a host name that is not ours. It does not mention the right name: the page may be read by a hostile site that has
// pointed its own name at this server (DNS rebinding).
func ForeignHost(v *Visitor) *Problem {
	return &Problem{
		Status: http.StatusMisdirectedRequest, Title: v.Say("Florin does not use this address"),
		What: v.Say("This server knows Florin under another name, so it refused the request. Otherwise another site could pretend to be Florin."),
		Todo: v.Say("Open Florin by its own address. If this is the right one, whoever runs this server has to set it with --public-url and let the proxy pass on the Host header."),
	}
}

// Plain answers with the page of a problem, without loading a session.
func (s *Shell) Plain(problem func(*Visitor) *Problem) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := &Visitor{Writer: w, Request: listen(r)}
		p := problem(v)
		_ = v.Page(p.Status, pages.Error(p.view(v, layout.Frame{}, middleware.RequestIDFrom(r.Context()))))
	})
}

func PlainText(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text) // the client is gone: nobody would read an error
}
