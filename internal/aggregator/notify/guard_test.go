package notify

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"florin/internal/aggregator"
	"florin/internal/publicnet"
)

// counting is a listener on the loopback interface that counts who connects.
func counting(t *testing.T) (address string, connected *atomic.Int64) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	connected = new(atomic.Int64)
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			connected.Add(1)
			c.Close()
		}
	}()
	return listener.Addr().String(), connected
}

func TestTheDialerRefusesWhatItWouldReallyDial(t *testing.T) {
	address, connected := counting(t)
	_, port, _ := net.SplitHostPort(address)
	for _, host := range []string{"127.0.0.1", "localhost", "2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "127.1", "0", "::ffff:127.0.0.1", "::1",
		"::", "fe80::1%lo"} {
		c, err := guardedDialer(net.DefaultResolver).DialContext(t.Context(), "tcp", net.JoinHostPort(host, port))
		if err == nil {
			c.Close()
			t.Errorf("%s was dialled", host)
			continue
		}
		if name := (*net.DNSError)(nil); !errors.Is(err, publicnet.ErrNotPublic) && !errors.As(err, &name) {
			t.Errorf("%s: %v", host, err)
		}
	}
	if connected.Load() != 0 {
		t.Errorf("%d connections", connected.Load())
	}
}

// A name server that says one address to whoever checks a name and another to whoever dials it.
func TestANameThatChangesItsMindGainsNothing(t *testing.T) {
	address, connected := counting(t)
	_, port, _ := net.SplitHostPort(address)
	var asked atomic.Int64
	resolver := nameServer(t, func() [4]byte {
		if asked.Add(1) == 1 {
			return [4]byte{93, 184, 215, 14}
		}
		return [4]byte{127, 0, 0, 1}
	})
	first, err := resolver.LookupNetIP(t.Context(), "ip4", "rebind.example.")
	if err != nil || len(first) != 1 || !publicnet.Is(first[0]) {
		t.Fatalf("the first look says %v (%v)", first, err)
	}
	_, err = guardedDialer(resolver).DialContext(t.Context(), "tcp4", "rebind.example.:"+port)
	if !errors.Is(err, publicnet.ErrNotPublic) || connected.Load() != 0 || asked.Load() < 2 {
		t.Errorf("error %v, %d connections, %d questions", err, connected.Load(), asked.Load())
	}
}

// nameServer resolves every name to what say says.
func nameServer(t *testing.T, say func() [4]byte) *net.Resolver {
	t.Helper()
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	go func() {
		question := make([]byte, 512)
		for {
			n, from, err := server.ReadFrom(question)
			if err != nil {
				return
			}
			end := 12 + bytes.IndexByte(question[12:n], 0) + 5 // name, type and class
			answer := append([]byte(nil), question[:end]...)
			binary.BigEndian.PutUint16(answer[2:], 0x8180)
			copy(answer[4:], []byte{0, 1, 0, 0, 0, 0, 0, 0})
			if binary.BigEndian.Uint16(question[end-4:]) == 1 { // A
				ip := say()
				answer[7] = 1
				answer = append(answer, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ip[0], ip[1], ip[2], ip[3])
			}
			_, _ = server.WriteTo(answer, from)
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", server.LocalAddr().String())
	}}
}

func TestPrivateTargetsNeedThePermissionOfTheOperator(t *testing.T) {
	var received atomic.Int64
	server := receiver(t, func(http.ResponseWriter, *http.Request) { received.Add(1) })
	secure := strings.Replace(server.URL, "http://", "https://", 1)
	for _, test := range []struct {
		name, owner, origin string
		listed, allowed     bool
		outcome             string
	}{
		{"operator", "", server.URL, true, false, "acknowledged"},
		{"operator, origin not listed", "", server.URL, false, false, "refused: the application does not list this origin any more"},
		{"developer over http", "d@a.example", server.URL, true, false, "refused: the address has to begin with https"},
		{"developer over https", "d@a.example", secure, true, false, "refused: the address is not public"},
		{"developer, allowed", "d@a.example", server.URL, true, true, "acknowledged"},
		{"developer, allowed, not listed", "d@a.example", server.URL, false, true, "refused: the application does not list this origin any more"},
	} {
		t.Run(test.name, func(t *testing.T) {
			store := newStore(t)
			received.Store(0)
			var listed, allow []string
			if test.listed {
				listed = []string{test.origin}
			}
			if test.allowed {
				allow = []string{test.origin}
			}
			app := register(t, store, test.owner, listed...)
			w := one(t, store, app, test.origin+"/hook")
			n := newNotifier(t, Options{Store: store, Allow: allow})
			work(t, n)
			got := attempts(t, store, w.ID)
			want := int64(0)
			if test.outcome == "acknowledged" {
				want = 1
			}
			if len(got) != 1 || got[0].Outcome != test.outcome || received.Load() != want {
				t.Errorf("attempts %+v, %d received; want %q and %d", got, received.Load(), test.outcome, want)
			}
		})
	}
}

// Who deletes an application wants to hear of it no more: what waits is given up, unsent.
func TestNothingIsSentForADeletedApplication(t *testing.T) {
	var received atomic.Int64
	server := receiver(t, func(http.ResponseWriter, *http.Request) { received.Add(1) })
	store := newStore(t)
	app := register(t, store, "d@a.example", server.URL)
	w := one(t, store, app, server.URL+"/hook")
	if err := store.DeleteApplication(t.Context(), app.OwnerID, app.ID); err != nil {
		t.Fatal(err)
	}
	if next := work(t, newNotifier(t, Options{Store: store, Allow: []string{server.URL}})); !next.IsZero() {
		t.Errorf("something is due at %v", next)
	}
	got := attempts(t, store, w.ID)
	if state := reread(t, store, w.ID).State(); state != aggregator.WebhookGivenUp || len(got) != 1 ||
		got[0].Outcome != "refused: the application was deleted" || received.Load() != 0 {
		t.Errorf("%s, attempts %+v, %d received", state, got, received.Load())
	}
}

// A connection that the operator's application opened is not used for somebody else's.
func TestConnectionsAreNotSharedWithThoseWhoMayNotDial(t *testing.T) {
	server := receiver(t, func(http.ResponseWriter, *http.Request) {})
	store := newStore(t)
	n := newNotifier(t, Options{Store: store})
	mine, theirs := register(t, store, "", server.URL), register(t, store, "d@a.example", server.URL)
	w := aggregator.Webhook{URL: server.URL + "/", Origin: server.URL}
	if transport, refusal := n.transport(mine, w); transport != n.trusted || refusal != "" {
		t.Errorf("the operator's application: %q", refusal)
	}
	secure := aggregator.Webhook{URL: "https://a.example/x", Origin: "https://a.example"}
	theirs.WebhookOrigins = append(theirs.WebhookOrigins, secure.Origin)
	if transport, refusal := n.transport(theirs, secure); transport != n.guarded || refusal != "" {
		t.Errorf("a developer's application: %q", refusal)
	}
	for _, address := range []string{"https://user:pw@a.example/x", "https://a.example:1/x", "http://a.example/x", "https://b.example/x", ":"} {
		if _, refusal := n.transport(theirs, aggregator.Webhook{URL: address, Origin: secure.Origin}); refusal == "" {
			t.Errorf("%s is taken for %s", address, secure.Origin)
		}
	}
}

// An address that POST /payments takes for one of a listed origin is one to which events go, whatever its spelling.
func TestEverySpellingOfAnOriginIsTheOrigin(t *testing.T) {
	store := newStore(t)
	n := newNotifier(t, Options{Store: store, Allow: []string{"http://10.0.0.1:80"}})
	for i, test := range []struct {
		owner, listed, address, refusal string
		trusted                         bool
	}{
		{"d@a.example", "https://shop.example", "https://shop.example:443/hook", "", false},
		{"d@a.example", "https://shop.example", "https://SHOP.Example/hook", "", false},
		{"d@a.example", "https://Shop.example:443", "https://shop.example/hook", "", false},
		{"d@a.example", "http://10.0.0.1", "http://10.0.0.1/hook", "", true},
		{"", "http://LOCALHOST:80", "http://localhost/hook", "", true},
		{"d@a.example", "https://shop.example", "https://shop.example:8443/hook", "refused: the application does not list this origin any more", false},
		{"d@a.example", "https://shop.example", "https://shop.example./hook", "refused: the application does not list this origin any more", false},
		{"d@a.example", "https://shop.example:80", "https://shop.example/hook", "refused: the application does not list this origin any more", false},
		{"d@a.example", "http://10.0.0.1:443", "http://10.0.0.1/hook", "refused: the application does not list this origin any more", false},
	} {
		if test.owner != "" {
			test.owner = strconv.Itoa(i) + test.owner
		}
		app := register(t, store, test.owner, test.listed)
		w := one(t, store, app, test.address)
		transport, refusal := n.transport(app, w)
		if refusal != test.refusal || (transport == n.trusted) != test.trusted || (transport == n.guarded) == (test.trusted || test.refusal != "") {
			t.Errorf("%s where %s is listed: refusal %q, trusted %v", test.address, test.listed, refusal, transport == n.trusted)
		}
	}
}

func TestARedirectToLoopbackIsNotFollowed(t *testing.T) {
	address, connected := counting(t)
	server := receiver(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "http://"+address+"/")
		w.WriteHeader(http.StatusTemporaryRedirect)
	})
	store := newStore(t)
	app := register(t, store, "", server.URL)
	w := one(t, store, app, server.URL)
	work(t, newNotifier(t, Options{Store: store}))
	if got := attempts(t, store, w.ID); len(got) != 1 || got[0].Status != http.StatusTemporaryRedirect || got[0].Outcome != "a redirect is not followed" ||
		connected.Load() != 0 {
		t.Errorf("attempts %+v, %d connections", got, connected.Load())
	}
}
