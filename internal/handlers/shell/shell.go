// Package shell is what all areas of the web app stand in: one request with its user (Visitor), sign-in sessions, who may use a route (Access), the one
// way out for errors (Problem), the proof of who somebody is before money moves and before settings of security (StepUp), the ways to a bank and back, and
// the stream that keeps open pages up to date (View).
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

// Options are what a shell needs. All are required unless it says otherwise.
type Options struct {
	Store      *store.Store
	Auth       *auth.Auth
	Hub        *live.Hub
	Log        *slog.Logger
	HTTPS      bool                   // cookies are Secure and have a __Host- name (ADR 0004)
	CookieKeys [][]byte               // secrets of 32 bytes or more: the first is used, the others are still accepted
	Location   *time.Location         // in which times are shown
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
	owned       atomic.Bool // there is an owner; never taken back
	queue       queue
}

// New builds a shell. The error says what is wrong with the keys.
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
