package main

import (
	"log/slog"
	"net"
	"time"

	"florin/internal/config"
	"florin/internal/handlers"
)

// update tells the log and people how far the databases are brought up to date. From the first step on until done, its page answers at the address of the web
// app.
type update struct {
	settings config.Settings
	listener net.Listener
	log      *slog.Logger
	fail     func(error)
	page     handlers.Updating
	stop     func() error // nil while the page does not answer
}

// tell is called before each step.
func (u *update) tell(step, of int, what string) {
	u.log.Info("updating the database", "step", step, "of", of, "what", what)
	u.page.Tell(step, of)
	if u.stop == nil {
		u.stop = start(u.page.Handler(), limited(u.settings, lent{u.listener}, webShare), nil, u.log, u.fail)
	}
}

// done gives the address back.
func (u *update) done() error {
	if u.stop == nil {
		return nil
	}
	err := u.stop()
	if l, ok := u.listener.(*net.TCPListener); ok {
		_ = l.SetDeadline(time.Time{}) // fails when it is closed, as whoever takes it next will see
	}
	return err
}

// lent is a listener that goes on when it is closed: only what waits for a connection of it ends.
type lent struct{ net.Listener }

func (l lent) Close() error {
	if tcp, ok := l.Listener.(*net.TCPListener); ok {
		return tcp.SetDeadline(time.Unix(1, 0))
	}
	return l.Listener.Close()
}
