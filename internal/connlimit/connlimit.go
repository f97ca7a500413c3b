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

// Listener accepts connections within limits. Its Handler and ConnContext belong to the server that serves it: they tell on which connections somebody is
// being served.
type Listener struct {
	net.Listener
	limits Limits

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

	serving bool      // a handler is at work, and does not wait for the client
	since   time.Time // when it last was not
}

// New puts limits on a listener.
func New(inner net.Listener, limits Limits) *Listener {
	l := &Listener{Listener: inner, limits: limits, conns: map[*conn]struct{}{}, of: map[netip.Addr]int{}}
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
		case c.serving || !among(c):
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

// serve notes whether somebody is being served on the connection.
func (c *conn) serve(serving bool) {
	l := c.listener
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.serving = serving; !serving {
		c.since = time.Now()
		l.freed.Broadcast()
	}
}

type connKey struct{}

// ConnContext is http.Server.ConnContext.
func (l *Listener) ConnContext(ctx context.Context, c net.Conn) context.Context {
	if secure, ok := c.(interface{ NetConn() net.Conn }); ok { // of TLS
		c = secure.NetConn()
	}
	return context.WithValue(ctx, connKey{}, c)
}

// Handler notes for how long next serves a connection. While it waits for the rest of a request, it serves nobody.
func (l *Listener) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, ok := r.Context().Value(connKey{}).(*conn)
		if !ok {
			next.ServeHTTP(w, r)
			return
		}
		c.serve(true)
		defer c.serve(false)
		if r.Body != nil && r.Body != http.NoBody {
			r.Body = &body{r.Body, c}
		}
		next.ServeHTTP(w, r)
	})
}

// body is the rest of a request.
type body struct {
	io.ReadCloser
	conn *conn
}

// Read waits for the client.
func (b *body) Read(p []byte) (int, error) {
	b.conn.serve(false)
	defer b.conn.serve(true)
	return b.ReadCloser.Read(p)
}
