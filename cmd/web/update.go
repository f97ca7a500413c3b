package main

import (
	"log/slog"
	"net"
	"time"

	"florin/internal/config"
	"florin/internal/handlers"
)

// update shows in the log and to visitors how far the update of the databases has come. Its page is served at the address of the web app from the first step
// until done is called.
type update struct {
	settings config.Settings
	listener net.Listener
	log      *slog.Logger
	fail     func(error)
	page     handlers.Updating
	stop     func() error // nil while the page does not answer
}

// tell reports a step. It is called before each one.
func (u *update) tell(step, of int, what string) {
	u.log.Info("updating the database", "step", step, "of", of, "what", what)
	u.page.Step(step, of)
	if u.stop == nil {
		u.stop = start(u.page.Handler(), limited(u.settings, lent{u.listener}, webShare), nil, u.log, u.fail)
	}
}

// done stops the page, so that the web app can use its address.
func (u *update) done() error {
	if u.stop == nil {
		return nil
	}
	err := u.stop()
	if l, ok := u.listener.(*net.TCPListener); ok {
		_ = l.SetDeadline(time.Time{}) // it fails on a closed listener, which the next user will notice
	}
	return err
}

// lent is a listener that stays open when it is closed: only Accept calls on it end.
type lent struct{ net.Listener }

func (l lent) Close() error {
	if tcp, ok := l.Listener.(*net.TCPListener); ok {
		return tcp.SetDeadline(time.Unix(1, 0))
	}
	return l.Listener.Close()
}
