package notify

import (
	"context"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"florin/internal/aggregator"
	"florin/internal/apptoken"
	"florin/internal/buildinfo"
)

// received is a request as a receiver saw it.
type received struct {
	method, path string
	header       http.Header
	body         string
}

// recorder is a receiver that keeps what it is sent.
type recorder struct {
	*httptest.Server
	mu   sync.Mutex
	list []received
}

func newRecorder(t *testing.T) *recorder {
	t.Helper()
	r := &recorder{}
	r.Server = receiver(t, func(_ http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.list = append(r.list, received{q.Method, q.URL.RequestURI(), q.Header.Clone(), string(body)})
	})
	return r
}

func (r *recorder) all() []received {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.list)
}

// serve mounts the certificates behind TLS as the program does, and returns their address.
func serve(t *testing.T, n *Notifier, certificateFile, keyFile string) string {
	t.Helper()
	config, err := n.TLSConfig(certificateFile, keyFile)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(n.Handler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Listener = tls.NewListener(server.Listener, config)
	server.Start()
	t.Cleanup(server.Close)
	return "https://" + server.Listener.Addr().String()
}

// fetch gets a document with a client that trusts roots, or, where that is nil, everything.
func fetch(t *testing.T, roots *x509.CertPool, address string) (int, http.Header, []byte) {
	t.Helper()
	client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, InsecureSkipVerify: roots == nil}}}
	defer client.CloseIdleConnections()
	answer, err := client.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, answer.Header, text
}

// root fetches the certificate of the authority, as somebody who installs it.
func root(t *testing.T, address string) *x509.CertPool {
	t.Helper()
	status, header, text := fetch(t, nil, address+RootPath)
	pool := x509.NewCertPool()
	if status != http.StatusOK || !pool.AppendCertsFromPEM(text) || !strings.Contains(header.Get("Content-Disposition"), "florin-ca.pem") {
		t.Fatalf("root certificate: %d %v\n%s", status, header, text)
	}
	return pool
}

// verify checks a delivery as the specification tells receivers to, with nothing of this package: signature by the certificate
// at x5u, fetched over TLS from the authority's host, and that it was issued by that authority. at is where the listener is.
func verify(t *testing.T, roots *x509.CertPool, domain, at string, r received) (claims jwt.MapClaims, kid string) {
	t.Helper()
	text, ok := strings.CutPrefix(r.header.Get("Authorization"), "Bearer ")
	if !ok {
		t.Fatalf("Authorization: %q", r.header.Get("Authorization"))
	}
	token, err := jwt.NewParser(jwt.WithValidMethods([]string{"RS256"}), jwt.WithStrictDecoding()).Parse(text, func(token *jwt.Token) (any, error) {
		x5u, _ := token.Header["x5u"].(string)
		path, ok := strings.CutPrefix(x5u, domain)
		if !ok || !strings.HasPrefix(domain, "https://") {
			t.Fatalf("x5u is %q, which is not below %s", x5u, domain)
		}
		kid = path
		status, header, document := fetch(t, roots, at+path)
		block, rest := pem.Decode(document)
		if status != http.StatusOK || block == nil || len(rest) > 0 || header.Get("Cache-Control") != "public, max-age=31536000, immutable" {
			t.Fatalf("certificate: %d %v\n%s", status, header, document)
		}
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := certificate.Verify(x509.VerifyOptions{Roots: roots}); err != nil {
			t.Fatal(err)
		}
		key, ok := certificate.PublicKey.(*rsa.PublicKey)
		if !ok || key.N.BitLen() != 3072 || certificate.KeyUsage != x509.KeyUsageDigitalSignature || certificate.IsCA {
			t.Errorf("key %T, usage %v, authority %v", certificate.PublicKey, certificate.KeyUsage, certificate.IsCA)
		}
		return key, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if typ, alg := token.Header["typ"], token.Header["alg"]; typ != "JWT" || alg != "RS256" || len(token.Header) != 3 {
		t.Errorf("header %v", token.Header)
	}
	return token.Claims.(jwt.MapClaims), kid
}

// Spec: Events, "Authorisation of webhook requests".
func TestADeliveryIsProvenAsSpecified(t *testing.T) {
	target := newRecorder(t)
	store := newStore(t)
	app := register(t, store, "", target.URL)
	w := one(t, store, app, target.URL+"/hook?secret=1")
	const domain = "https://keys.bank.example:8443"
	n := newNotifier(t, Options{Store: store, URL: domain})
	n.keys.makeKey = apptoken.NewKey // a real one, once
	work(t, n)
	all := target.all()
	if len(all) != 1 {
		t.Fatalf("%d requests", len(all))
	}
	r := all[0]
	address := serve(t, n, "", "")
	claims, _ := verify(t, root(t, address), domain, address, r)

	sum := sha256.Sum256([]byte(r.body))
	for name, pair := range map[string][2]string{
		"method":       {r.method, "POST"},
		"path":         {r.path, "/hook?secret=1"},
		"body":         {r.body, w.Body},
		"Content-Type": {r.header.Get("Content-Type"), "application/json"},
		"User-Agent":   {r.header.Get("User-Agent"), buildinfo.UserAgent()},
		"sub":          {claims["sub"].(string), app.ID},
		"environment":  {claims["environment"].(string), "SANDBOX"},
		"msgi":         {claims["msgi"].(string), "sha256-" + base64.StdEncoding.EncodeToString(sum[:])},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s is %q, want %q", name, pair[0], pair[1])
		}
	}
	if len(claims) != 3 {
		t.Errorf("claims %v", claims)
	}
	if len(r.header.Get("X-Request-Id")) != 36 {
		t.Errorf("X-Request-Id: %q", r.header.Get("X-Request-Id"))
	}
	for _, name := range []string{"Cookie", "Accept-Encoding", "Idempotency-Key", "Referer"} {
		if got, ok := r.header[name]; ok {
			t.Errorf("%s: %q was sent", name, got)
		}
	}
	if token, err := n.Token(t.Context(), w); err != nil || "Bearer "+token != r.header.Get("Authorization") {
		t.Errorf("the token that people are shown is another one (%v)", err)
	}
}

// The keys survive a restart, and replace each other with an overlap.
func TestSigningKeysAreReplacedAndTheirCertificatesStay(t *testing.T) {
	store := newStore(t)
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	secret := [32]byte{1}
	var made int
	start := func(secret [32]byte) *Notifier {
		n := newNotifier(t, Options{Store: store, Secret: secret, Now: func() time.Time { return now }})
		key := n.keys.makeKey
		n.keys.makeKey = func() (*rsa.PrivateKey, error) { made++; return key() }
		return n
	}
	signer := func(n *Notifier) string {
		t.Helper()
		n.keys.mu.Lock()
		defer n.keys.mu.Unlock()
		signing, err := n.keys.signer(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return signing.id
	}
	good := func(n *Notifier, kid string) bool {
		t.Helper()
		w := httptest.NewRecorder()
		n.Handler().ServeHTTP(w, httptest.NewRequest("GET", Path+kid+".pem", nil))
		if w.Code != http.StatusOK && w.Code != http.StatusNotFound {
			t.Fatalf("status %d", w.Code)
		}
		return w.Code == http.StatusOK
	}
	n := start(secret)
	if made != 0 {
		t.Fatal("a key was made at the start")
	}
	first := signer(n)
	authority, err := n.keys.root(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	now = now.Add(signFor - time.Second)
	if n = start(secret); signer(n) != first || made != 1 {
		t.Errorf("another key after a restart; %d made", made)
	}
	if again, err := n.keys.root(t.Context()); err != nil || !again.Equal(authority) {
		t.Errorf("another authority after a restart (%v)", err)
	}
	now = now.Add(time.Second)
	second := signer(n)
	if second == first || made != 2 {
		t.Fatalf("after %v the key is the same; %d made", signFor, made)
	}
	if row, err := store.WebhookCertificate(t.Context(), first, now); err != nil || row.Sealed != "" {
		t.Errorf("the private half of the old key stays (%v)", err)
	}
	now = now.Add(48 * time.Hour)
	if !good(n, first) || !good(n, second) {
		t.Error("two days later one of both certificates is gone")
	}
	now = now.Add(signingLives - signFor)
	if good(n, first) || !good(n, second) {
		t.Error("a certificate that ran out is served, or one that is good is not")
	}
	if third := signer(start([32]byte{2})); third == second {
		t.Error("a key was opened with a wrong secret")
	}
	row, err := store.WebhookKey(t.Context(), aggregator.WebhookSigning)
	if err != nil || strings.Contains(row.Sealed, "PRIVATE") || len(row.Sealed) < 1000 {
		t.Errorf("the private key is not sealed (%v)", err)
	}
}

func TestNothingElseIsServed(t *testing.T) {
	n := newNotifier(t, Options{Store: newStore(t)})
	for _, path := range []string{"/", "/webhook-keys/", "/webhook-keys/nothing.pem", "/webhook-keys/00000000-0000-4000-8000-000000000000.pem",
		"/webhook-keys/00000000-0000-4000-8000-000000000000", "/webhook-keys/a/b.pem"} {
		w := httptest.NewRecorder()
		n.Handler().ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if w.Code != http.StatusNotFound || w.Header().Get("Cache-Control") != "no-store" || !strings.Contains(w.Body.String(), RootPath) {
			t.Errorf("%s: %d %v %s", path, w.Code, w.Header(), w.Body)
		}
	}
	w := httptest.NewRecorder()
	n.Handler().ServeHTTP(w, httptest.NewRequest("POST", RootPath, nil))
	if w.Code != http.StatusMethodNotAllowed && w.Code != http.StatusNotFound {
		t.Errorf("POST: %d", w.Code)
	}
}

func TestTheOperatorsCertificateIsUsedAndReadAgain(t *testing.T) {
	folder := t.TempDir()
	certificateFile, keyFile := filepath.Join(folder, "c.pem"), filepath.Join(folder, "k.pem")
	key, err := sharedKey()
	if err != nil {
		t.Fatal(err)
	}
	install := func(name string, at time.Time) {
		t.Helper()
		certificate, err := apptoken.SelfSigned(key, name, time.Now(), time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		private, err := apptoken.MarshalKey(key)
		if err != nil {
			t.Fatal(err)
		}
		for file, text := range map[string][]byte{certificateFile: certificate, keyFile: private} {
			if err := os.WriteFile(file, text, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(file, at, at); err != nil {
				t.Fatal(err)
			}
		}
	}
	n := newNotifier(t, Options{Store: newStore(t)})
	if _, err := n.TLSConfig(certificateFile, keyFile); err == nil {
		t.Fatal("files that are not there are taken")
	}
	install("first", time.Unix(1000, 0))
	address := serve(t, n, certificateFile, keyFile)
	name := func() string {
		t.Helper()
		c, err := tls.Dial("tcp", strings.TrimPrefix(address, "https://"), &tls.Config{InsecureSkipVerify: true})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		return c.ConnectionState().PeerCertificates[0].Subject.CommonName
	}
	if got := name(); got != "first" {
		t.Errorf("the listener is %q", got)
	}
	install("second", time.Unix(2000, 0))
	if got := name(); got != "second" {
		t.Errorf("after it was renewed the listener is %q", got)
	}
	if err := os.Remove(keyFile); err != nil {
		t.Fatal(err)
	}
	if got := name(); got != "second" {
		t.Errorf("without its file the listener is %q", got)
	}
	if _, err := tls.Dial("tcp", strings.TrimPrefix(address, "https://"), &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS11}); err == nil {
		t.Error("TLS 1.1 is spoken")
	}
}

func TestTheAddressOfCertificatesHasToBeHTTPS(t *testing.T) {
	for address, want := range map[string]bool{"https://a.example": true, "https://[::1]:8443": true, "http://a.example": false, "https://a.example/": false,
		"https://": false, "a.example": false, "https://u@a.example": false} {
		if _, err := New(Options{URL: address}); (err == nil) != want {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// ASVS 12.1.2: the listener talks to clients that authenticate what they encrypt, and to no others.
func TestNoCBC(t *testing.T) {
	address := strings.TrimPrefix(serve(t, newNotifier(t, Options{Store: newStore(t)}), "", ""), "https://")
	for _, suite := range append(tls.CipherSuites(), tls.InsecureCipherSuites()...) {
		if slices.Contains(suite.SupportedVersions, tls.VersionTLS13) {
			continue
		}
		c, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS12, CipherSuites: []uint16{suite.ID}})
		strong := strings.HasPrefix(suite.Name, "TLS_ECDHE_") && (strings.Contains(suite.Name, "_GCM_") || strings.Contains(suite.Name, "CHACHA20"))
		if err == nil {
			c.Close()
		}
		if err == nil && !strong {
			t.Errorf("%s is agreed on", suite.Name)
		}
		if err != nil && strong && strings.Contains(suite.Name, "_ECDSA_") { // as the key is
			t.Errorf("%s is refused: %v", suite.Name, err)
		}
	}
	c, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true})
	if err != nil || c.ConnectionState().Version != tls.VersionTLS13 {
		t.Fatalf("TLS 1.3: %v", err)
	}
	c.Close()
}
