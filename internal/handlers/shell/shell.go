// Package shell is the common base of all areas of the web app: a request with its user (Visitor), sign-in sessions, access to routes (Access), the single
// way out for errors (Problem), the proof of identity before money moves and before security settings change (StepUp), the ways to a bank and back, and the
// stream that keeps open pages up to date (View).
package shell

import (
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/gorilla/sessions"

	"florin/internal/auth"
	"florin/internal/live"
	"florin/internal/store"
	"florin/web/templates/words"
)

// Options are the dependencies of a shell. All are required unless stated otherwise.
type Options struct {
	Store      *store.Store
	Auth       *auth.Auth
	Hub        *live.Hub
	Log        *slog.Logger
	HTTPS      bool                   // cookies are Secure and have a __Host- name (ADR 0004)
	CookieKeys [][]byte               // secrets of 32 bytes or more: the first is used, the others are still accepted
	Location   *time.Location         // the time zone of all times shown
	Trouble    func() []words.Message // messages for the owner about the state of this server; nil: none
}

// Shell is shared by all areas.
type Shell struct {
	store       *store.Store
	auth        *auth.Auth
	hub         *live.Hub
	log         *slog.Logger
	location    *time.Location
	trouble     func() []words.Message
	sessions    *scs.SessionManager
	flows       *sessions.CookieStore
	flowName    string
	browsers    *sessions.CookieStore
	browserName string
	visitName   string
	passkeyName string // of the cookie
	https       bool
	owned       atomic.Bool // there is an owner; only Left resets it
	queue       queue
}

// New returns a shell. The error is about the cookie keys.
func New(o Options) (*Shell, error) {
	keys, err := cookieKeys(o.CookieKeys)
	if err != nil {
		return nil, err
	}
	s := &Shell{store: o.Store, auth: o.Auth, hub: o.Hub, log: o.Log, location: o.Location, trouble: o.Trouble, queue: newQueue()}
	s.sessions = s.newSessions(o.HTTPS)
	s.flows, s.flowName = newFlows(o.HTTPS, keys), cookieName(flowCookie, o.HTTPS)
	s.browsers, s.browserName = newBrowsers(o.HTTPS, keys), cookieName(browserCookie, o.HTTPS)
	s.visitName, s.https = cookieName(visitCookie, o.HTTPS), o.HTTPS
	s.passkeyName = cookieName(passkeyCookie, o.HTTPS)
	return s, nil
}
