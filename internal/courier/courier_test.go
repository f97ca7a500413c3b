package courier_test

import (
	"bufio"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"florin/internal/courier"
	"florin/internal/finance"
)

var letter = courier.Letter{Title: "Ein Kontostand …", Text: "Zeile 1\nZeile 2", Link: "https://florin.example/accounts/1", Off: "https://florin.example/off?token=t", OffText: "Abschalten"}

func message(c finance.Channel, address string) finance.Message {
	m := finance.Message{ID: "msg-1", Channel: c, Target: finance.Target{Address: address, Topic: "florin-1"},
		Alert: finance.Alert{Kind: finance.AlertBalanceBelow, Created: time.Date(2026, 11, 23, 8, 0, 0, 0, time.UTC)}}
	if c == finance.ChannelWebhook {
		m.Target.Secret = courier.NewSecret()
	}
	return m
}

func stepOf(t *testing.T, err error) (step courier.Step, again bool) {
	t.Helper()
	if err == nil {
		return "", false
	}
	f, is := errors.AsType[*courier.Failure](err)
	if !is {
		t.Fatalf("%v is no failure", err)
	}
	if strings.Contains(f.Error(), "127.0.0.1") {
		t.Errorf("the error names an address: %v", f)
	}
	return f.Step, f.Again
}

// A webhook is signed as Standard Webhooks has it: the library of its authors takes it, and nothing that was altered.
func TestWebhooksAreSigned(t *testing.T) {
	m := message(finance.ChannelWebhook, "")
	verifier, err := standardwebhooks.NewWebhook(m.Target.Secret.Reveal())
	if err != nil {
		t.Fatal(err)
	}
	came := 0
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		came++
		body, _ := io.ReadAll(r.Body)
		if err := verifier.Verify(body, r.Header); err != nil {
			t.Errorf("not verified: %v", err)
		}
		if err := verifier.Verify(append(body, ' '), r.Header); err == nil {
			t.Error("an altered body is verified")
		}
		r.Header.Set("webhook-id", "other")
		if err := verifier.Verify(body, r.Header); err == nil {
			t.Error("an altered id is verified")
		}
		var got struct {
			Type      string            `json:"type"`
			Timestamp time.Time         `json:"timestamp"`
			Data      map[string]string `json:"data"`
		}
		if err := json.Unmarshal(body, &got); err != nil || got.Type != "florin.balance-below" || !got.Timestamp.Equal(m.Alert.Created) ||
			got.Data["title"] != letter.Title || got.Data["text"] != letter.Text || got.Data["link"] != letter.Link || got.Data["off"] != letter.Off {
			t.Errorf("%s, %v", body, err)
		}
	}))
	t.Cleanup(server.Close)
	m.Target.Address = server.URL + "/hook?key=1"
	if err := courier.New(true, nil).Deliver(t.Context(), m, letter); err != nil || came != 1 {
		t.Errorf("%v, came %d times", err, came)
	}
}

// A message to ntfy is what its documentation says of publishing as JSON: a POST to the root, the token as a bearer.
func TestNtfy(t *testing.T) {
	var got map[string]any
	var header http.Header
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.URL.Path != "/" || json.NewDecoder(r.Body).Decode(&got) != nil {
			http.Error(w, "bad request", http.StatusBadRequest)
			return
		}
		header = r.Header
		_, _ = io.WriteString(w, `{"id":"x","event":"message"}`)
	}))
	t.Cleanup(server.Close)
	m := message(finance.ChannelNtfy, server.URL)
	for _, token := range []finance.Secret{"", "tk_1"} {
		m.Target.Secret = token
		if err := courier.New(true, nil).Deliver(t.Context(), m, letter); err != nil {
			t.Fatal(err)
		}
		want := ""
		if token != "" {
			want = "Bearer tk_1"
		}
		if header.Get("Authorization") != want {
			t.Errorf("signed in with %q", header.Get("Authorization"))
		}
	}
	action := got["actions"].([]any)[0].(map[string]any)
	if got["topic"] != "florin-1" || got["title"] != letter.Title || got["message"] != letter.Text || got["click"] != letter.Link || action["action"] != "view" ||
		action["url"] != letter.Off || action["label"] != letter.OffText {
		t.Errorf("published %v", got)
	}
}

// What the server does decides whether a message is sent again: ntfy shows one twice that comes twice.
func TestAnswers(t *testing.T) {
	for _, tt := range []struct {
		answer       int // 0: hangs up after it got the message
		step         courier.Step
		ntfy, hooked bool // sent again
	}{
		{200, "", false, false}, {204, "", false, false},
		{301, courier.StepRedirect, false, false},
		{401, courier.StepSignIn, true, true}, {403, courier.StepSignIn, true, true},
		{404, courier.StepGone, true, true}, {410, courier.StepGone, false, false},
		{400, courier.StepRefused, false, false}, {413, courier.StepRefused, false, false},
		{429, courier.StepServer, true, true}, {500, courier.StepServer, true, true}, {503, courier.StepServer, true, true},
		{502, courier.StepAnswer, false, true}, {504, courier.StepAnswer, false, true},
		{0, courier.StepAnswer, false, true},
	} {
		var requests atomic.Int32
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			requests.Add(1)
			_, _ = io.Copy(io.Discard, r.Body)
			if tt.answer == 0 {
				panic(http.ErrAbortHandler)
			}
			w.Header().Set("Location", "http://127.0.0.1:1/")
			w.WriteHeader(tt.answer)
		}))
		for c, again := range map[finance.Channel]bool{finance.ChannelNtfy: tt.ntfy, finance.ChannelWebhook: tt.hooked} {
			requests.Store(0)
			step, got := stepOf(t, courier.New(true, nil).Deliver(t.Context(), message(c, server.URL), letter))
			if step != tt.step || got != again || requests.Load() != 1 {
				t.Errorf("%d by %s: %s, again %v, %d requests", tt.answer, c, step, got, requests.Load())
			}
		}
		server.Close()
	}
}

// A server that has no end of an answer, no TLS, no certificate, or is not there.
func TestServersThatFail(t *testing.T) {
	endless := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := w.Write(make([]byte, 1<<16)); err != nil {
				return
			}
		}
	}))
	t.Cleanup(endless.Close)
	stranger := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(stranger.Close)
	stranger.Config.ErrorLog = nil
	plain, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { plain.Close() })
	go func() {
		for {
			c, err := plain.Accept()
			if err != nil {
				return
			}
			_, _ = bufio.NewReader(c).ReadByte()
			_, _ = io.WriteString(c, "HTTP/1.1 400 Bad Request\r\n\r\n")
			_ = c.Close()
		}
	}()
	for _, tt := range []struct {
		address string
		step    courier.Step
		again   bool
	}{
		{endless.URL, "", false},
		{stranger.URL, courier.StepTLS, true},
		{"https://" + plain.Addr().String(), courier.StepTLS, true},
		{"http://127.0.0.1:1", courier.StepConnect, true},
		{"http://nowhere.invalid", courier.StepConnect, true},
	} {
		step, again := stepOf(t, courier.New(true, nil).Deliver(t.Context(), message(finance.ChannelNtfy, tt.address), letter))
		if step != tt.step || again != tt.again {
			t.Errorf("%s: %s, again %v", tt.address, step, again)
		}
	}
	trusting := &tls.Config{RootCAs: stranger.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs}
	if step, _ := stepOf(t, courier.New(true, trusting).Deliver(t.Context(), message(finance.ChannelNtfy, stranger.URL), letter)); step != courier.StepGone {
		t.Errorf("with its certificate trusted: %s", step)
	}
}

// Security T77: without the operator's leave messages go to https addresses of the internet alone, whatever the name service says.
func TestPrivateAddresses(t *testing.T) {
	came := false
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { came = true }))
	t.Cleanup(server.Close)
	guarded := courier.New(false, nil)
	for address, want := range map[string]courier.Step{
		server.URL: courier.StepPrivate, "https://localhost/x": courier.StepPrivate, "https://10.0.0.1": courier.StepPrivate, "https://[::1]": courier.StepPrivate,
		"https://169.254.169.254/latest": courier.StepPrivate, "http://ntfy.example": courier.StepAddress, "ftp://ntfy.example": courier.StepAddress, "": courier.StepAddress,
		"https://a:b@ntfy.example": courier.StepAddress, "https://": courier.StepAddress, "nonsense": courier.StepAddress, "https://ntfy.example": "",
	} {
		if step, again := stepOf(t, guarded.CheckAddress(address)); step != want || again {
			t.Errorf("%q: %q, again %v", address, step, again)
		}
	}
	if err := guarded.Deliver(t.Context(), message(finance.ChannelWebhook, server.URL), letter); err == nil || came {
		t.Error("a private address was called")
	}
	if step, _ := stepOf(t, courier.New(true, nil).CheckAddress("http://192.168.1.5:8080")); step != "" {
		t.Errorf("refused with leave: %s", step)
	}
}

// A name that leads to this machine is refused when it is called: what the name service says is not known before.
func TestNamesOfThisMachine(t *testing.T) {
	name := "localhost.localdomain"
	if found, err := net.DefaultResolver.LookupNetIP(t.Context(), "ip", name); err != nil || len(found) == 0 {
		t.Skip("no name of this machine beside localhost")
	}
	step, again := stepOf(t, courier.New(false, nil).Deliver(t.Context(), message(finance.ChannelWebhook, "https://"+name), letter))
	if step != courier.StepPrivate || again {
		t.Errorf("%s, again %v", step, again)
	}
}

func TestTopics(t *testing.T) {
	for topic, want := range map[string]bool{"florin-4711_x": true, "": false, "a b": false, "a/b": false, strings.Repeat("a", 64): true, strings.Repeat("a", 65): false} {
		if courier.CheckTopic(topic) != want {
			t.Errorf("%q: %v", topic, !want)
		}
	}
}
