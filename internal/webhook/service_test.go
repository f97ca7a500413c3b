package webhook

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"golang.org/x/time/rate"

	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/sqlite/sqlitetest"
	"florin/internal/store"
	"florin/migrations"
)

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

var (
	keyOnce            sync.Once
	goodKey, otherKey  *rsa.PrivateKey
	smallKey           *rsa.PrivateKey
	ellipticKey        *ecdsa.PrivateKey
	authorityKey       *rsa.PrivateKey
	strangeAuthorityKy *rsa.PrivateKey
)

func keys(t testing.TB) {
	t.Helper()
	keyOnce.Do(func() {
		var err error
		for _, k := range []**rsa.PrivateKey{&goodKey, &otherKey, &authorityKey, &strangeAuthorityKy} {
			*k, err = rsa.GenerateKey(rand.Reader, 2048)
			check(t, err)
		}
		smallKey, err = rsa.GenerateKey(rand.Reader, 1024)
		check(t, err)
		ellipticKey, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		check(t, err)
	})
}

// certify makes a certificate; change alters the template. Without a parent it is self-signed.
func certify(t testing.TB, key crypto.Signer, parent *x509.Certificate, parentKey crypto.Signer, change func(c *x509.Certificate)) *x509.Certificate {
	t.Helper()
	c := &x509.Certificate{SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: "webhooks"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(365 * 24 * time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature}
	if change != nil {
		change(c)
	}
	if parent == nil {
		parent, parentKey = c, key
	}
	der, err := x509.CreateCertificate(rand.Reader, c, parent, key.Public(), parentKey)
	check(t, err)
	parsed, err := x509.ParseCertificate(der)
	check(t, err)
	return parsed
}

func encodePEM(all ...*x509.Certificate) []byte {
	var b bytes.Buffer
	for _, c := range all {
		_ = pem.Encode(&b, &pem.Block{Type: "CERTIFICATE", Bytes: c.Raw})
	}
	return b.Bytes()
}

// rig is a receiver over a real store behind a real server, and a service that signs webhooks and serves certificates over TLS.
type rig struct {
	t        testing.TB
	store    *store.Store
	receiver *Receiver
	server   *httptest.Server
	service  *httptest.Server // certificates
	roots    *x509.CertPool
	sender   Sender
	wakes    int
	mu       sync.Mutex
	files    map[string]func(w http.ResponseWriter, r *http.Request) // by path
	fetched  int
	user     finance.User
	payment  finance.Payment
}

const (
	applicationID = "1f8b6d3c-6f0e-4f2b-9d63-2a52ad9c0a11"
	paymentID     = "7c1bc2c5-58b6-4d0e-9a07-0f3f6f1ef001"
)

func newRig(t testing.TB) *rig {
	t.Helper()
	keys(t)
	r := &rig{t: t, files: map[string]func(http.ResponseWriter, *http.Request){}}
	r.service = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.mu.Lock()
		serve := r.files[req.URL.Path]
		r.fetched++
		r.mu.Unlock()
		if serve == nil {
			http.NotFound(w, req)
			return
		}
		serve(w, req)
	}))
	t.Cleanup(r.service.Close)
	r.service.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	key, err := store.LoadKey(filepath.Join(t.TempDir(), "secrets"))
	check(t, err)
	path := filepath.Join(t.TempDir(), "app.db")
	sqlitetest.Make(t, path, migrations.App)
	r.store, err = store.Open(context.Background(), path, key)
	check(t, err)
	t.Cleanup(func() { _ = r.store.Close() })

	tls := x509.NewCertPool()
	tls.AddCert(r.service.Certificate())
	authority := certify(t, authorityKey, nil, nil, func(c *x509.Certificate) {
		c.IsCA, c.BasicConstraintsValid, c.KeyUsage, c.Subject.CommonName = true, true, x509.KeyUsageCertSign, "authority"
	})
	r.roots = x509.NewCertPool()
	r.roots.AddCert(authority)
	u, err := url.Parse(r.service.URL)
	check(t, err)
	r.sender = Sender{ApplicationID: applicationID, Environment: openbanking.EnvironmentSandbox, Keys: KeyHost{Exact: u.Host},
		Client: NewPinnedClient(u.Host, tls), Roots: r.roots}
	r.certificate("/good.pem", encodePEM(certify(t, goodKey, authority, authorityKey, nil)))
	r.certificate("/expired.pem", encodePEM(certify(t, goodKey, authority, authorityKey, func(c *x509.Certificate) {
		c.NotBefore, c.NotAfter = time.Now().Add(-48*time.Hour), time.Now().Add(-time.Hour)
	})))
	r.certificate("/early.pem", encodePEM(certify(t, goodKey, authority, authorityKey, func(c *x509.Certificate) { c.NotBefore = time.Now().Add(time.Hour) })))
	r.certificate("/small.pem", encodePEM(certify(t, smallKey, authority, authorityKey, nil)))
	r.certificate("/elliptic.pem", encodePEM(certify(t, ellipticKey, authority, authorityKey, nil)))
	r.certificate("/encipher.pem", encodePEM(certify(t, goodKey, authority, authorityKey,
		func(c *x509.Certificate) { c.KeyUsage = x509.KeyUsageKeyEncipherment })))
	r.certificate("/self.pem", encodePEM(certify(t, goodKey, nil, nil, nil)))
	strange := certify(t, strangeAuthorityKy, nil, nil, func(c *x509.Certificate) {
		c.IsCA, c.BasicConstraintsValid, c.KeyUsage, c.Subject.CommonName = true, true, x509.KeyUsageCertSign, "authority"
	})
	r.certificate("/strange.pem", encodePEM(certify(t, goodKey, strange, strangeAuthorityKy, nil), strange))
	r.certificate("/text.pem", []byte("no certificate"))
	private, err := x509.MarshalPKCS8PrivateKey(goodKey)
	check(t, err)
	r.certificate("/private.pem", pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}))
	r.certificate("/large.pem", bytes.Repeat([]byte("-----BEGIN"), 100_000))
	r.file("/redirect.pem", func(w http.ResponseWriter, req *http.Request) { http.Redirect(w, req, "/good.pem", http.StatusFound) })

	ctx := context.Background()
	r.user, err = r.store.CreateUser(ctx, "a@example.org", finance.RoleOwner, "h")
	check(t, err)
	for _, id := range []string{"embedded", "other"} {
		check(t, r.store.SaveProvider(ctx, finance.Provider{ID: id, Name: "S", BaseURL: "http://localhost:1", ApplicationID: applicationID,
			Environment: openbanking.EnvironmentSandbox, PrivateKey: "k"}))
	}
	r.payment = r.create("embedded", paymentID)
	r.receiver = New(r.store, func(_ context.Context, id string) (Sender, error) {
		if id != "embedded" && id != "other" {
			return Sender{}, ErrNoSender
		}
		return r.sender, nil
	}, func() { r.mu.Lock(); r.wakes++; r.mu.Unlock() }, slog.New(slog.DiscardHandler))
	mux := http.NewServeMux()
	mux.Handle("/webhooks/{provider}", r.receiver)
	r.server = httptest.NewServer(mux)
	t.Cleanup(r.server.Close)
	return r
}

// unlimited takes away the limits that strangers run into, for tests that send much of what strangers send.
func (r *rig) unlimited() {
	g := r.receiver.gateOf("embedded")
	g.keys.fetches.SetLimit(rate.Inf)
	for _, l := range []*rate.Limiter{g.signed, g.forged, g.counted} {
		l.SetLimit(rate.Inf)
	}
}

// age makes all certificates that are known older.
func (r *rig) age(by time.Duration) {
	k := r.receiver.gateOf("embedded").keys
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, e := range k.kept {
		e.tried = e.tried.Add(-by)
		if e.known != nil {
			e.known.fetched = e.known.fetched.Add(-by)
		}
	}
}

func (r *rig) file(path string, serve func(http.ResponseWriter, *http.Request)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.files[path] = serve
}

func (r *rig) certificate(path string, content []byte) {
	r.file(path, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(content) })
}

// draft saves a payment of 12.30 EUR.
func (r *rig) draft(provider string) finance.Payment {
	r.t.Helper()
	p, err := r.store.SaveDraft(context.Background(), r.user.ID, finance.NewID(),
		finance.PaymentOrder{ProviderID: provider, ASPSP: openbanking.ASPSP{Name: "B", Country: "FI"}, PSUType: "personal",
			Type: openbanking.PaymentTypeSEPA, Request: openbanking.PaymentRequestResource{CreditTransferTransaction: []openbanking.CreditTransferTransaction{{
				InstructedAmount: openbanking.AmountType{Currency: "EUR", Amount: "12.30"},
				Beneficiary: openbanking.Beneficiary{CreditorAccount: openbanking.GenericIdentification{Identification: "FI2112345600000785",
					SchemeName: "IBAN"}}}}}}, "")
	check(r.t, err)
	return p
}

// create makes a payment that the service knows as id; it waits for nothing else.
func (r *rig) create(provider, id string) finance.Payment {
	r.t.Helper()
	ctx := context.Background()
	p := r.draft(provider)
	_, err := r.store.StartSending(ctx, r.user.ID, p.ID,
		store.Sending{State: finance.Secret(finance.NewID()), Browser: "b", Lifetime: time.Minute, Answer: time.Minute},
		func(finance.Payment, []finance.PastTransfer, []finance.Payee) error { return nil })
	check(r.t, err)
	p, err = r.store.PaymentCreated(ctx, r.user.ID, p.ID, store.CreatedPayment{PaymentID: id, Status: openbanking.PaymentStatusPDNG, URL: "https://bank.example"})
	check(r.t, err)
	return p
}

// webhook is one to be sent, with everything that can be wrong about it.
type webhook struct {
	method     string
	path       string
	body       string
	key        crypto.Signer
	header     map[string]any // of the token
	payload    map[string]any
	rawHeader  string // in place of header
	rawPayload string
	token      func(token string) string // the last word on the token
	request    func(r *http.Request)
	sentBody   string // in place of body, which was signed
}

func (r *rig) good() *webhook {
	return &webhook{method: http.MethodPost, path: "/webhooks/embedded", key: goodKey, body: r.body(nil),
		header:  map[string]any{"alg": "RS256", "typ": "JWT", "x5u": r.service.URL + "/good.pem"},
		payload: map[string]any{"sub": applicationID, "environment": "SANDBOX"}}
}

// body is that of a good event, changed.
func (r *rig) body(change map[string]any) string {
	fields := map[string]any{"payment_id": paymentID, "payment_status": "ACSC", "payment_updates_expected": false, "webhook_id": finance.NewID(),
		"webhook_triggered": time.Now().UTC().Format(time.RFC3339Nano), "payment_auth_status": "FINALISED"}
	for name, value := range change {
		if value == nil {
			delete(fields, name)
			continue
		}
		fields[name] = value
	}
	text, err := json.Marshal(fields)
	check(r.t, err)
	return string(text)
}

func b64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func digestOf(body string) string {
	sum := sha256.Sum256([]byte(body))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

func (w *webhook) sign(t testing.TB) string {
	t.Helper()
	header, payload := []byte(w.rawHeader), []byte(w.rawPayload)
	if w.rawHeader == "" {
		header, _ = json.Marshal(w.header)
	}
	if w.rawPayload == "" {
		if _, ok := w.payload["msgi"]; !ok {
			w.payload["msgi"] = digestOf(w.body)
		}
		payload, _ = json.Marshal(w.payload)
	}
	input := b64(header) + "." + b64(payload)
	hash := sha256.Sum256([]byte(input))
	signature, err := w.key.Sign(rand.Reader, hash[:], crypto.SHA256)
	check(t, err)
	token := input + "." + b64(signature)
	if w.token != nil {
		token = w.token(token)
	}
	return token
}

// send sends it and returns the status of the answer.
func (r *rig) send(w *webhook) int {
	r.t.Helper()
	body := w.body
	if w.sentBody != "" {
		body = w.sentBody
	}
	request, err := http.NewRequestWithContext(context.Background(), w.method, r.server.URL+w.path, bytes.NewReader([]byte(body)))
	check(r.t, err)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+w.sign(r.t))
	if w.request != nil {
		w.request(request)
	}
	response, err := http.DefaultClient.Do(request)
	check(r.t, err)
	_ = response.Body.Close()
	return response.StatusCode
}

// newest is the newest of the inbox.
func (r *rig) newest() finance.Delivery {
	r.t.Helper()
	all, _, err := r.store.Deliveries(context.Background(), false, "", 1)
	check(r.t, err)
	if len(all) == 0 {
		return finance.Delivery{}
	}
	return all[0]
}

func storeSending() store.Sending {
	return store.Sending{State: finance.Secret(finance.NewID()), Browser: "b", Lifetime: time.Minute, Answer: time.Minute}
}
