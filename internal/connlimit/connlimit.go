// Package connlimit bounds how many connections a server has at once (security T35). A client is let in while there is a connection on which
// nobody is being served: the one that has waited longest makes room.
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

// Listener accepts connections within limits. The server that serves it is given to Attach before.
type Listener struct {
	net.Listener
	limits Limits
	takes  time.Duration // how long a client may take for a part of an answer before it counts as waited for

	mu     sync.Mutex
	freed  *sync.Cond // a connection has ended or has nobody to serve, or the listener is closed
	closed bool
	conns  map[*conn]struct{}
	of     map[netip.Addr]int // connections by address
}

// conn is an accepted connection.
type conn struct {
	net.Conn
	listener *Listener
	address  netip.Addr // not valid where it has no limit of its own

	handled bool      // a handler is at work
	waits   int       // how often it waits for the client now: for the rest of a request, or to take the answer
	since   time.Time // when serving last ended
}

// New puts limits on a listener.
func New(inner net.Listener, limits Limits) *Listener {
	l := &Listener{Listener: inner, limits: limits, takes: 2 * time.Second, conns: map[*conn]struct{}{}, of: map[netip.Addr]int{}}
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
		l.freed.Wait()
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
	go victim.Conn.Close() // it may wait for what is still to be sent
	return true
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

// serving reports whether somebody is being served: a handler is at work, and does not wait for the client.
func (c *conn) serving() bool { return c.handled && c.waits == 0 }

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

// wait calls what waits for the client.
func (c *conn) wait(call func(p []byte) (int, error), p []byte) (int, error) {
	c.change(func() { c.waits++ })
	defer c.change(func() { c.waits-- })
	return call(p)
}

// Write counts as waiting for the client once it has lasted longer than takes: whoever asks for pages and does not read them makes room, and nobody is sent
// away while an answer is on its way.
func (c *conn) Write(p []byte) (int, error) {
	var waits, done bool
	slow := time.AfterFunc(c.listener.takes, func() {
		c.change(func() {
			if !done {
				waits = true
				c.waits++
			}
		})
	})
	n, err := c.Conn.Write(p)
	if !slow.Stop() {
		c.change(func() {
			done = true
			if waits {
				c.waits--
			}
		})
	}
	return n, err
}

type connKey struct{}

// of returns the connection that a server was given, beneath TLS where there is one.
func of(c net.Conn) *conn {
	if secure, ok := c.(interface{ NetConn() net.Conn }); ok {
		c = secure.NetConn()
	}
	own, _ := c.(*conn)
	return own
}

// Attach has a server tell on which connections somebody is being served: from the beginning of a handler until the answer has been written. While it waits
// for the client, it serves nobody.
func (l *Listener) Attach(server *http.Server) {
	next := server.Handler
	server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, ok := r.Context().Value(connKey{}).(*conn); ok {
			c.change(func() { c.handled = true })
			if r.Body != nil && r.Body != http.NoBody {
				r.Body = &body{r.Body, c}
			}
		}
		next.ServeHTTP(w, r)
	})
	server.ConnContext = func(ctx context.Context, accepted net.Conn) context.Context {
		if c := of(accepted); c != nil {
			return context.WithValue(ctx, connKey{}, c)
		}
		return ctx
	}
	server.ConnState = func(accepted net.Conn, state http.ConnState) {
		if c := of(accepted); c != nil && state == http.StateIdle { // the end of an answer may be written after its handler
			c.change(func() { c.handled = false })
		}
	}
}

// body is the rest of a request.
type body struct {
	io.ReadCloser
	conn *conn
}

// Read waits for the client.
func (b *body) Read(p []byte) (int, error) { return b.conn.wait(b.ReadCloser.Read, p) }
