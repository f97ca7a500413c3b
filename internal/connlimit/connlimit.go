// Package connlimit bounds how many connections a server has at once (security T35). A client is let in while there is a connection on which
// nobody is being served: the one that has waited longest makes room.
//
// Somebody is being served while a handler is at work. Time in which the server waits for the client does not count: for the rest of a request, whether
// a handler reads it or the server passes over what no handler has read, or for the client to take a part of the answer. When a handler has returned,
// the end of its answer may still have to be written: such a connection makes room at once, but is closed only after that.
package connlimit

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// Limits are how many connections there may be at once.
type Limits struct {
	Total      int            // of the listener
	PerAddress int            // of an IPv4 address or an IPv6 network of /64; loopback addresses have no limit of their own
	Proxies    []netip.Prefix // whose addresses stand for many people, and have no limit of their own
}

// patience is how long a client may take for a part of an answer before the server counts as waiting for it.
const patience = 2 * time.Second

// Listener accepts connections within limits. The server that serves it is given to Attach before: it tells on which connections somebody is being served.
type Listener struct {
	net.Listener
	limits   Limits
	patience time.Duration

	mu     sync.Mutex
	freed  *sync.Cond // a connection has ended or has nobody to serve, or the listener is closed
	closed bool
	conns  map[*conn]struct{}
	of     map[netip.Addr]int // connections by address
}

// conn is an accepted connection. The lock of the listener guards what changes.
type conn struct {
	net.Conn
	listener *Listener
	address  netip.Addr // not valid where it has no limit of its own

	phase   phase
	leaves  bool      // it has made room and ends with the answer that is being written
	unread  bool      // the request has a body, and its end has not been read
	reads   int       // calls of Read under way
	writing time.Time // when the call of Write under way began; zero: there is none
	since   time.Time // when it was accepted, or last changed from serving to waiting
}

// phase is what a server does on a connection.
type phase int

const (
	idle      phase = iota // it waits for a request
	handling               // a handler is at work
	finishing              // the handler has returned, and the server writes what is left of the answer
)

// New puts limits on a listener.
func New(inner net.Listener, limits Limits) *Listener {
	l := &Listener{Listener: inner, limits: limits, patience: patience, conns: map[*conn]struct{}{}, of: map[netip.Addr]int{}}
	l.freed = sync.NewCond(&l.mu)
	return l
}

// Accept returns the next connection once there is room for it. Connections of an address beyond its limit are closed.
func (l *Listener) Accept() (net.Conn, error) {
	for {
		accepted, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if c := l.admit(accepted); c != nil {
			return c, nil
		}
		_ = accepted.Close() // nobody is told: the other side sees it
	}
}

// Close closes the listener; connections that were accepted go on.
func (l *Listener) Close() error {
	l.mu.Lock()
	l.closed = true
	l.freed.Broadcast()
	l.mu.Unlock()
	return l.Listener.Close()
}

// admit makes room for a connection and returns it, nil when there is none for its address.
func (l *Listener) admit(accepted net.Conn) *conn {
	c := &conn{Conn: accepted, listener: l, address: l.subject(accepted.RemoteAddr()), since: time.Now()}
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.address.IsValid() && l.of[c.address] >= l.limits.PerAddress && !l.evict(func(other *conn) bool { return other.address == c.address }) {
		return nil
	}
	for len(l.conns) >= l.limits.Total && !l.evict(func(*conn) bool { return true }) {
		if l.closed {
			return nil
		}
		l.wait()
	}
	l.conns[c] = struct{}{}
	if c.address.IsValid() {
		l.of[c.address]++
	}
	return c
}

// evict closes one of these connections, among those on which nobody is being served: of the address that has most of them, the one that has waited longest.
func (l *Listener) evict(among func(*conn) bool) bool {
	var victim *conn
	for c := range l.conns {
		switch {
		case c.serving() || !among(c):
		case victim == nil, l.of[c.address] > l.of[victim.address], l.of[c.address] == l.of[victim.address] && c.since.Before(victim.since):
			victim = c
		}
	}
	if victim == nil {
		return false
	}
	l.remove(victim)
	if victim.leaves = victim.busy(); victim.leaves {
		time.AfterFunc(l.patience, func() { _ = victim.Conn.Close() }) // at the latest
	} else {
		go victim.Conn.Close() // it may wait for what is still to be sent
	}
	return true
}

// wait waits until there may be a connection that makes room: one has ended or changed to waiting, or has been writing for too long.
func (l *Listener) wait() {
	next := time.Now().Add(l.patience) // of those that begin to write from now on
	for c := range l.conns {
		if late := c.writing.Add(l.patience); !c.writing.IsZero() && late.Before(next) {
			next = late
		}
	}
	defer time.AfterFunc(time.Until(next), func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.freed.Broadcast()
	}).Stop()
	l.freed.Wait()
}

// remove forgets a connection.
func (l *Listener) remove(c *conn) {
	if _, ok := l.conns[c]; !ok {
		return
	}
	delete(l.conns, c)
	if c.address.IsValid() {
		if l.of[c.address]--; l.of[c.address] == 0 {
			delete(l.of, c.address)
		}
	}
	l.freed.Broadcast()
}

// subject is for whom the connections of an address are counted, not valid where nobody is.
func (l *Listener) subject(remote net.Addr) netip.Addr {
	from, err := netip.ParseAddrPort(remote.String())
	if err != nil {
		return netip.Addr{}
	}
	address := from.Addr().Unmap().WithZone("")
	if address.IsLoopback() || slices.ContainsFunc(l.limits.Proxies, func(p netip.Prefix) bool { return p.Contains(address) }) {
		return netip.Addr{}
	}
	if address.Is6() {
		if network, err := address.Prefix(64); err == nil {
			return network.Addr()
		}
	}
	return address
}

// Close ends the connection and makes room for another.
func (c *conn) Close() error {
	c.listener.mu.Lock()
	c.listener.remove(c)
	c.listener.mu.Unlock()
	return c.Conn.Close()
}

// serving reports whether somebody is being served on the connection.
func (c *conn) serving() bool { return c.phase == handling && c.busy() }

// busy reports whether a request is being answered, and the server does not wait for the client.
func (c *conn) busy() bool {
	switch {
	case c.phase == idle:
		return false
	case !c.writing.IsZero():
		return time.Since(c.writing) < c.listener.patience
	}
	return !c.unread || c.reads == 0 // a read beyond the end of the body only notices that the client has gone
}

// change changes what serving goes by.
func (c *conn) change(how func()) {
	l := c.listener
	l.mu.Lock()
	defer l.mu.Unlock()
	before := c.serving()
	if how(); before && !c.serving() {
		c.since = time.Now()
		l.freed.Broadcast()
	}
}

// Read reads from the client, and notes for how long.
func (c *conn) Read(p []byte) (int, error) {
	c.change(func() { c.reads++ })
	defer c.change(func() { c.reads-- })
	return c.Conn.Read(p)
}

// Write writes to the client, and notes since when.
func (c *conn) Write(p []byte) (int, error) {
	c.change(func() { c.writing = time.Now() })
	defer c.change(func() { c.writing = time.Time{} })
	return c.Conn.Write(p)
}

type connKey struct{}

// underneath returns the connection of a listener that a server was given, beneath TLS where there is one; nil when it is of another listener.
func underneath(c net.Conn) *conn {
	if secure, ok := c.(interface{ NetConn() net.Conn }); ok {
		c = secure.NetConn()
	}
	own, _ := c.(*conn)
	return own
}

// Attach has a server tell on which connections somebody is being served. It sets the server's ConnContext and ConnState and wraps its Handler.
func (l *Listener) Attach(server *http.Server) {
	next := server.Handler
	server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, ok := r.Context().Value(connKey{}).(*conn); ok {
			unread := r.Body != nil && r.Body != http.NoBody
			c.change(func() { c.phase, c.unread = handling, unread })
			defer c.change(func() { c.phase = finishing })
			if unread {
				own := *r // the server goes by the body that it made
				own.Body = &body{r.Body, c}
				r = &own
			}
		}
		next.ServeHTTP(w, r)
	})
	server.ConnContext = func(ctx context.Context, accepted net.Conn) context.Context {
		if c := underneath(accepted); c != nil {
			return context.WithValue(ctx, connKey{}, c)
		}
		return ctx
	}
	server.ConnState = func(accepted net.Conn, state http.ConnState) {
		if c := underneath(accepted); c != nil && state == http.StateIdle { // all of the answer has been written
			leaves := false
			c.change(func() { c.phase, leaves = idle, c.leaves })
			if leaves {
				_ = c.Conn.Close()
			}
		}
	}
}

// body is the body of a request.
type body struct {
	io.ReadCloser
	conn *conn
}

// Read notes when the end was read.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil { // also one that stays: nobody waits any longer
		b.conn.change(func() { b.conn.unread = false })
	}
	return n, err
}
