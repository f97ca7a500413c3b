package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"florin/internal/contract/walk"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
	"florin/internal/testkit"
)

// The traffic of the soak: so many clients at once.
const (
	soakClients = 6
	soakSeed    = 20261120
)

// TestSoak: twenty-five thousand requests of mixed right and fuzzed traffic, payments with webhooks among them, leave no 500
// and no fault in the log, no more goroutines than before, and a database that passes its checks. Webhooks arrive in the order
// of their payment, whatever the receiver answers. The traffic follows from a seed.
func TestSoak(t *testing.T) {
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Soak)
	soak(t, 25_000)
}

// The same with fewer requests, under the eyes of the race detector.
func TestTrafficOfManyClients(t *testing.T) { soak(t, 2_500) }

func soak(t *testing.T, requests int64) {
	t.Helper()
	s := run(t, "Soak", "")
	hooks := &soakReceiver{t: t, told: map[string][]string{}}
	web := httptest.NewServer(hooks)
	defer web.Close()
	s.become(web.URL)
	before := 0
	var sent, served, refused atomic.Int64
	statuses := make([]atomic.Int64, 600)
	var clients sync.WaitGroup
	var warm sync.Once
	settled := func() int {
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
		n := runtime.NumGoroutine()
		for range 100 { // connections take a moment to end
			time.Sleep(10 * time.Millisecond)
			now := runtime.NumGoroutine()
			if now >= n {
				return now
			}
			n = now
		}
		return n
	}
	for number := range soakClients {
		clients.Go(func() {
			c := newSoakClient(t, s, uint64(number))
			c.webhookURL = web.URL + "/webhooks"
			defer c.client.CloseIdleConnections()
			for sent.Add(1) <= requests {
				method, path, body, header := c.next()
				status, text := c.send(method, path, body, header)
				statuses[status].Add(1)
				switch {
				case status >= 500:
					t.Errorf("%s %s with %.300q: %d %.300s", method, path, body, status, text)
				case status < 400:
					served.Add(1)
				default:
					refused.Add(1)
				}
				c.learn(method, path, status, text)
				if sent.Load() > requests/10 {
					warm.Do(func() { before = runtime.NumGoroutine() })
				}
			}
		})
	}
	clients.Wait()
	hooks.mu.Lock()
	t.Logf("%d webhooks arrived, of %d payments", hooks.arrived, len(hooks.told))
	if len(hooks.told) < int(requests/500) {
		t.Errorf("webhooks came of %d payments", len(hooks.told))
	}
	hooks.mu.Unlock()
	if served.Load() < requests/4 || refused.Load() < requests/4 {
		t.Errorf("%d requests were served and %d refused: that is no mixture", served.Load(), refused.Load())
	}
	var seen []string
	for status := range statuses {
		if n := statuses[status].Load(); n > 0 {
			seen = append(seen, fmt.Sprintf("%d of %d", n, status))
		}
	}
	t.Log(strings.Join(seen, ", "))
	if after := settled(); after > before+5 {
		t.Errorf("%d goroutines at the end, %d soon after the start", after, before)
	}
	for _, line := range strings.Split(s.log.String(), "\n") {
		if strings.Contains(line, "level=ERROR") || strings.Contains(line, "panic") {
			t.Errorf("in the log: %.500s", line)
		}
	}
	if err := s.server.Ready(t.Context()); err != nil {
		t.Errorf("the service is not ready any more: %v", err)
	}
	checkDatabase(t, filepath.Join(s.folder, "aggregator.db"))
}

// checkDatabase runs SQLite's own checks.
func checkDatabase(t *testing.T, path string) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var verdict string
	if err := db.Read().QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
		t.Errorf("integrity_check: %s, %v", verdict, err)
	}
	rows, err := db.Read().QueryContext(t.Context(), "PRAGMA foreign_key_check")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	if rows.Next() {
		t.Error("foreign_key_check finds a row without its parent")
	}
	if err := rows.Err(); err != nil {
		t.Error(err)
	}
}

// soakReceiver takes webhooks, and refuses one out of eight.
type soakReceiver struct {
	t       *testing.T
	mu      sync.Mutex
	arrived int
	told    map[string][]string // by payment: the webhooks that came, each once
}

func (h *soakReceiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var event openbanking.PaymentStatusWebhook
	text, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(text, &event)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.arrived++
	known := h.told[event.PaymentID]
	switch i := slices.Index(known, event.WebhookID); {
	case err != nil || event.WebhookID == "":
		h.t.Errorf("a webhook that is none: %s, %v", text, err)
	case i < 0:
		h.told[event.PaymentID] = append(known, event.WebhookID)
	case i != len(known)-1:
		h.t.Errorf("payment %s: the webhook %d came again after %d", event.PaymentID, i+1, len(known))
	}
	if h.arrived%8 == 0 {
		w.WriteHeader(http.StatusInternalServerError)
	}
}

// soakClient makes requests. It has sessions of its own, and learns ids from answers.
type soakClient struct {
	*rand.Rand
	t        *testing.T
	s        *service
	client   *http.Client
	sessions []string
	accounts []string
	keys     []string // continuation keys
	pages    []string // addresses of hosted pages
	banks    []openbanking.ASPSP

	webhookURL string
	payments   []string // ids
}

func newSoakClient(t *testing.T, s *service, number uint64) *soakClient {
	c := &soakClient{
		Rand: rand.New(rand.NewPCG(soakSeed, number)), t: t, s: s,
		client: &http.Client{Transport: &http.Transport{DisableCompression: true},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
		banks: []openbanking.ASPSP{{Name: "Mock ASPSP", Country: "FI"}, {Name: "Mock ASPSP", Country: "DE"}, embeddedBank, decoupledBank, mixedBank, hiddenBank},
	}
	c.link()
	return c
}

// link walks to a session at the bank that asks for nothing.
func (c *soakClient) link() {
	_, text := c.send("POST", "/auth", c.auth(c.banks[0]), nil)
	var started openbanking.StartAuthorizationResponse
	if err := json.Unmarshal([]byte(text), &started); err != nil {
		c.t.Errorf("POST /auth: %s", text)
		return
	}
	back, err := walk.New(nil).Approve(c.t.Context(), started.URL, walk.Person{})
	if err != nil {
		c.t.Error(err)
		return
	}
	status, text := c.send("POST", "/sessions", body("code", back.Query().Get("code")), nil)
	c.learn("POST", "/sessions", status, text)
}

// auth is a right body of POST /auth.
func (c *soakClient) auth(bank openbanking.ASPSP) string {
	data, err := json.Marshal(map[string]any{
		"access":       map[string]any{"balances": true, "transactions": true, "valid_until": time.Now().Add(24 * time.Hour).UTC().Format(time.RFC3339)},
		"aspsp":        bank,
		"state":        fmt.Sprint(c.Uint64()),
		"redirect_url": callback,
		"language":     pick(c, "en", "de", "fr", "fi", "xx"),
		"psu_id":       fmt.Sprint(c.IntN(50)),
	})
	if err != nil {
		panic(err) // texts
	}
	return string(data)
}

// payment is a right body of POST /payments, for most of the banks.
func (c *soakClient) payment(bank openbanking.ASPSP) string {
	data, err := json.Marshal(map[string]any{
		"payment_type": pick(c, "SEPA", "SEPA", "INST_SEPA", "DOMESTIC"),
		"payment_request": map[string]any{"credit_transfer_transaction": []any{transfer(fmt.Sprintf("%d.%02d", 1+c.IntN(500), c.IntN(100)), "Verein Lindenhof",
			payee)}},
		"aspsp":        bank,
		"psu_type":     "personal",
		"state":        fmt.Sprint(c.Uint64()),
		"redirect_url": callback,
		"webhook_url":  c.webhookURL,
		"language":     pick(c, "en", "de", "fr", "fi", "xx"),
	})
	if err != nil {
		panic(err) // texts
	}
	return string(data)
}

// settle pays, cancels, or leaves a payment for others. Banks that ask somebody who they are get no answer.
func (c *soakClient) settle(start string) {
	b := walk.New(nil)
	switch c.IntN(4) {
	case 0:
		_, _ = b.Pay(c.t.Context(), start, walk.Person{})
	case 1:
		if _, err := b.Cancel(c.t.Context(), start); err != nil {
			c.t.Error(err)
		}
	}
}

func pick[T any](c *soakClient, values ...T) T { return values[c.IntN(len(values))] }

// some is one of the values that were learnt, or another one.
func (c *soakClient) some(known []string, other string) string {
	if len(known) == 0 || c.IntN(12) == 0 {
		return other
	}
	return known[c.IntN(len(known))]
}

// next makes a request: a right one, or half of the time one that is broken somewhere.
func (c *soakClient) next() (method, path, body string, header http.Header) {
	method, path, body = c.right()
	header = http.Header{}
	if c.IntN(3) == 0 {
		header.Set("Psu-Ip-Address", "192.0.2.7")
		header.Set("Psu-User-Agent", "Soak")
	}
	if c.IntN(2) == 0 {
		return method, path, body, header
	}
	switch c.IntN(7) {
	case 0, 1, 2:
		if body == "" {
			body = c.junk(0)
		}
		body = c.broken(body)
	case 3:
		path = c.broken(path)
		if !strings.HasPrefix(path, "/") {
			path = "/" + path
		}
	case 4:
		method = pick(c, "GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "NONSENSE")
	case 5:
		header.Set("Authorization", printable(pick(c, "", "Bearer", "Basic YTpi", "Bearer "+c.broken(c.s.token), "Bearer "+c.s.token+" x")))
	case 6:
		name := pick(c, "Psu-Ip-Address", "Psu-Geo-Location", "Content-Type", "Content-Encoding", "Accept", "Origin", "Cookie", "X-Forwarded-For",
			"Accept-Language", "Sec-Fetch-Site")
		header.Set(name, printable(c.junk(0)))
	}
	return method, path, body, header
}

// right is a request that a client might make.
func (c *soakClient) right() (method, path, body string) {
	const none = "00000000-0000-4000-8000-000000000000"
	account := "/accounts/" + c.some(c.accounts, none)
	day := func(n int) string { return time.Now().AddDate(0, 0, n).UTC().Format(time.DateOnly) }
	switch c.IntN(32) {
	case 0:
		return "GET", "/aspsps?country=" + pick(c, "FI", "DE", "IE", "ZZ") + "&psu_type=" + pick(c, "personal", "business"), ""
	case 1, 2:
		return "GET", "/application", ""
	case 3, 4:
		return "POST", "/auth", c.auth(pick(c, c.banks...))
	case 5:
		return "POST", "/sessions", fmt.Sprintf(`{"code":"%d"}`, c.Uint64())
	case 6, 7, 8:
		return "GET", "/sessions/" + c.some(c.sessions, none), ""
	case 9:
		if len(c.sessions) > 0 && c.IntN(8) == 0 {
			return "DELETE", "/sessions/" + pick(c, c.sessions...), ""
		}
		return "DELETE", "/sessions/" + none, ""
	case 10, 11, 12:
		return "GET", account + "/details", ""
	case 13, 14, 15, 16:
		return "GET", account + "/balances", ""
	case 17, 18, 19:
		return "GET", account + "/transactions?date_from=" + day(-c.IntN(90)) + pick(c, "", "&date_to="+day(0), "&transaction_status=BOOK", "&strategy=longest"), ""
	case 20:
		return "GET", account + "/transactions?continuation_key=" + url.QueryEscape(c.some(c.keys, "none")), ""
	case 21:
		return "GET", account + "/transactions/none", ""
	case 22:
		return pick(c, "GET", "GET", "GET", "DELETE"), "/payments/" + c.some(c.payments, none), ""
	case 23, 29:
		return "POST", "/payments", c.payment(pick(c, c.banks...))
	case 24:
		return "POST", "/api/applications", `{"name":"Soak","environment":"SANDBOX","certificate":"none","redirect_urls":["` + callback + `"]}`
	case 25:
		return "GET", c.some(c.pages, "/ais/start?sessionid="+none), ""
	case 30:
		return "GET", "/payments/" + c.some(c.payments, none) + "/transactions/" + none, ""
	case 26:
		return "GET", pick(c, "/", "/?q=see&country=DE", "/docs", "/scenarios", "/widget", "/consents", "/nothing", "/healthz", "/readyz"), ""
	case 27:
		return "GET", "/banks/fi/mock-aspsp/" + pick(c, "", "brand.css", "logo/", "logo/-/resize/40x/-/format/png/", "logo/-/resize/9999x/", "authorize?flow=x"), ""
	case 28:
		return "GET", "/widget/aspsps?country=" + pick(c, "FI", "DE", "x"), ""
	}
	return "POST", pick(c, "/ais/accept", "/ais/cancel", "/banks/fi/mock-aspsp/approve?flow=x", "/api/token", "/api/relyingparty/emailLinkSignin"),
		"sessionid=" + none
}

// broken changes a text somewhere: a JSON body in its values, any text in its bytes.
func (c *soakClient) broken(text string) string {
	var object map[string]any
	if json.Unmarshal([]byte(text), &object) == nil && len(object) > 0 && c.IntN(3) > 0 {
		names := make([]string, 0, len(object))
		for name := range object {
			names = append(names, name)
		}
		slices.Sort(names)
		name := pick(c, names...)
		switch c.IntN(4) {
		case 0:
			delete(object, name)
		case 1:
			quoted, _ := json.Marshal(name)                                            // a text
			return strings.Replace(text, "{", "{"+string(quoted)+":"+c.junk(0)+",", 1) // given twice
		default:
			rest, _ := json.Marshal(object)        // of texts and numbers
			value, _ := json.Marshal(object[name]) // the same
			return strings.Replace(string(rest), string(value), c.junk(0), 1)
		}
		changed, _ := json.Marshal(object) // the same
		return string(changed)
	}
	b := []byte(text)
	for range 1 + c.IntN(4) {
		if len(b) == 0 {
			return c.junk(0)
		}
		i := c.IntN(len(b))
		switch c.IntN(4) {
		case 0:
			b[i] = byte(c.IntN(256))
		case 1:
			b = b[:i]
		case 2:
			b = append(b[:i:i], append([]byte(c.junk(0)), b[i:]...)...)
		case 3:
			b = append(b[:i:i], b[i+1:]...)
		}
	}
	return string(b)
}

// junk is a value that belongs nowhere.
func (c *soakClient) junk(depth int) string {
	if depth < 3 && c.IntN(4) == 0 {
		return "[" + c.junk(depth+1) + "," + c.junk(depth+1) + "]"
	}
	return pick(c, "null", "true", "-1", "1e400", "0.1", "99999999999999999999", `""`, `"\u0000"`, `"\ud800"`, "\"\xff\"", `"../../etc/passwd"`,
		`"'; DROP TABLE session;--"`,
		`"`+strings.Repeat("x", c.IntN(3000))+`"`, strings.Repeat("[", 60)+strings.Repeat("]", 60), strings.Repeat(`{"a":`, 40)+"1"+strings.Repeat("}", 40),
		"{}", "[]", `{"iban":null}`,
		`"2026-02-30"`, `"personal"`, "%00", "%", "\r\n", "<script>", "€", "\u202e")
}

// printable is what can stand in a header.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, text)
}

func (c *soakClient) send(method, path, body string, header http.Header) (int, string) {
	target, err := url.Parse(c.s.url)
	if err != nil {
		c.t.Error(err)
		return 0, ""
	}
	target.Opaque = "//" + target.Host + strings.Map(func(r rune) rune { // a path as it is, as far as HTTP can carry it
		if r <= ' ' || r == 0x7f {
			return '_'
		}
		return r
	}, path)
	request, err := http.NewRequestWithContext(c.t.Context(), method, c.s.url, bytes.NewReader([]byte(body)))
	if err != nil {
		c.t.Error(err)
		return 0, ""
	}
	request.URL = target
	request.Header.Set("Authorization", "Bearer "+c.s.token)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	for name, values := range header {
		request.Header[name] = values
	}
	response, err := c.client.Do(request)
	if err != nil {
		c.t.Errorf("%s %s: %v", method, path, err)
		return 0, ""
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		c.t.Errorf("%s %s: %v", method, path, err)
	}
	return response.StatusCode, string(text)
}

// learn takes the ids of an answer for the requests to come. A session that was closed makes room for a new one.
func (c *soakClient) learn(method, path string, status int, text string) {
	switch {
	case status != 200:
		return
	case method == "DELETE" && strings.HasPrefix(path, "/sessions/"):
		c.sessions, c.accounts, c.keys = nil, nil, nil
		c.link()
		return
	case method != "POST" && !strings.Contains(path, "/transactions"):
		return
	}
	var answer struct {
		SessionID       string `json:"session_id"`
		URL             string `json:"url"`
		PaymentID       string `json:"payment_id"`
		ContinuationKey string `json:"continuation_key"`
		Accounts        []struct {
			UID string `json:"uid"`
		} `json:"accounts"`
	}
	if json.Unmarshal([]byte(text), &answer) != nil {
		return
	}
	keep := func(list []string, value string) []string {
		if value == "" {
			return list
		}
		return append(list[max(0, len(list)-20):], value)
	}
	c.sessions = keep(c.sessions, answer.SessionID)
	c.keys = keep(c.keys, answer.ContinuationKey)
	if method == "POST" && answer.PaymentID != "" {
		c.payments = keep(c.payments, answer.PaymentID)
		c.settle(answer.URL)
	}
	c.pages = keep(c.pages, strings.TrimPrefix(answer.URL, c.s.url))
	for _, account := range answer.Accounts {
		c.accounts = keep(c.accounts, account.UID)
	}
}
