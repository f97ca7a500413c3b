package handlers

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"florin/internal/auth"
	"florin/internal/finance"
	"florin/internal/middleware"
	"florin/internal/store"
	"florin/web/templates/layout"
	"florin/web/templates/pages"
	"florin/web/templates/ui"
)

// problem is an error with a page of its own. Empty texts are those of pages.ErrorFor.
type problem struct {
	status            int
	title, what, todo string
	action            ui.Link
	cause             error // for the log
}

func (p *problem) Error() string {
	if p.cause != nil {
		return p.cause.Error()
	}
	return http.StatusText(p.status)
}

func (p *problem) Unwrap() error { return p.cause }

// fail is the one way out for errors. Those that say nothing about themselves are ours: status 500, and their text is in the log only.
func (a *App) fail(v *visit, err error) {
	if errors.Is(err, context.Canceled) && v.ctx().Err() != nil {
		return // the client went away
	}
	p := a.problemOf(v, err)
	requestID := middleware.RequestIDFrom(v.ctx())
	if p.status >= http.StatusInternalServerError {
		a.Log.ErrorContext(v.ctx(), "request failed", "error", err, "request_id", requestID)
	} else {
		middleware.Annotate(v.ctx(), slog.String("refused", err.Error()))
	}
	view := p.view(a.frame(v), requestID)
	if err := v.page(p.status, pages.Error(view)); err != nil {
		a.Log.ErrorContext(v.ctx(), "the error page failed", "error", err, "request_id", requestID)
		plainText(v.w, p.status, "Something broke here. Request id: "+requestID+"\n")
	}
}

func (a *App) problemOf(v *visit, err error) *problem {
	var own *problem
	var tooLarge *http.MaxBytesError
	var wait *auth.WaitError
	switch {
	case errors.As(err, &own):
		return own
	case errors.Is(err, finance.ErrNotFound):
		return &problem{status: http.StatusNotFound}
	case errors.As(err, &tooLarge):
		return &problem{status: http.StatusRequestEntityTooLarge}
	case errors.As(err, &wait):
		return a.waitProblem(v, wait)
	}
	if store.IsDiskFull(err) {
		return diskFull(err)
	}
	return &problem{status: http.StatusInternalServerError}
}

// diskFull is not Florin's fault, and there is something to do about it.
func diskFull(cause error) *problem {
	return &problem{
		status: http.StatusInsufficientStorage, title: "The disk of this server is full",
		what:  "Florin could not save what you did.",
		todo:  "Whoever looks after this server has to make some space on its disk. Then do it again.",
		cause: cause,
	}
}

// waitProblem tells when to try again.
func (a *App) waitProblem(v *visit, wait *auth.WaitError) *problem {
	now := time.Now()
	seconds := max(1, int(wait.Until.Sub(now)/time.Second)+1)
	v.w.Header().Set("Retry-After", strconv.Itoa(seconds))
	return &problem{
		status: http.StatusTooManyRequests,
		todo:   "Try again in " + duration(time.Duration(seconds)*time.Second) + ", " + a.at(now).when(wait.Until) + ".",
		cause:  errors.New("too many tries"),
	}
}

func (p *problem) view(f layout.Frame, requestID string) pages.ErrorView {
	view := pages.ErrorFor(f, p.status, requestID)
	for _, text := range []struct {
		to *string
		is string
	}{{&view.Title, p.title}, {&view.What, p.what}, {&view.Todo, p.todo}} {
		if text.is != "" {
			*text.to = text.is
		}
	}
	if p.action.Href != "" {
		view.Action = p.action
	}
	return view
}

// foreignHost answers a request for a name that is not ours. It does not tell the right one: the page may be read by a hostile site that has
// pointed its own name at this server (DNS rebinding).
var foreignHost = problem{
	status: http.StatusMisdirectedRequest, title: "Florin is not at home under this name",
	what: "The name in the address is not the one that Florin was given, so it was refused. Other sites could pretend to be Florin that way.",
	todo: "Open Florin by its own address. If this should be it: who looks after this server sets it with --public-url, and lets a proxy pass on the Host header.",
}

// plain answers with the page of a problem where no session is loaded.
func (a *App) plain(p *problem) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := &visit{w: w, r: r}
		_ = v.page(p.status, pages.Error(p.view(layout.Frame{}, middleware.RequestIDFrom(r.Context()))))
	})
}
