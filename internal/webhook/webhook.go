// Package webhook receives the payment status webhooks of a service: it checks each one over its raw bytes before a word of it is believed, stores it once, and
// answers. What a webhook says is a hint: its effect is that the service is asked.
package webhook

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/strictjson"
)

const (
	maxBody    = 64 << 10
	answerIn   = 8 * time.Second // the service waits for ten (spec: Events)
	maxAge     = 25 * time.Hour  // an event is retried for 24 hours with the same body (security F18)
	maxAhead   = 5 * time.Minute // clocks differ
	tokenAhead = time.Minute     // allowance for the times of a token

	glanceIn = 500 * time.Millisecond // for the body of one that is refused without it
	glanced  = 8 << 10
	maxBusy  = 128 // webhooks that are looked at together

	refusedPerSecond, refusedAtOnce = 2, 60 // of each kind of refused ones that are stored; the rest is counted
)

// Sender is the service from which the webhooks of a provider come.
type Sender struct {
	ApplicationID string // sub
	Environment   openbanking.Environment
	Keys          KeyHost        // where its certificates are
	Client        *http.Client   // which fetches them; see NewClient
	Roots         *x509.CertPool // what its certificates chain to; nil: they are pinned
}

// ErrNoSender says that there is no provider of this name, or that it sends no webhooks.
var ErrNoSender = errors.New("no service sends webhooks to this address")

// Inbox keeps webhooks; store.Store is one.
type Inbox interface {
	KeepDelivery(ctx context.Context, d finance.Delivery) (finance.DeliveryOutcome, error)
	KeepRefused(ctx context.Context, d finance.Delivery) error
	// CountRefused counts refused webhooks of a provider by the check that refused them: one row stands for all, and shows the last.
	CountRefused(ctx context.Context, d finance.Delivery, n int) error
	// KeyFits reports whether a key that no authority has signed is one that is known, or may be the next one. KeepDelivery decides again, and pins it.
	KeyFits(ctx context.Context, providerID, fingerprint string) (bool, error)
}

// Receiver is the handler of POST /webhooks/{provider}. Mount it outside the protection against cross-site requests: no browser sends these.
type Receiver struct {
	inbox   Inbox
	senders func(ctx context.Context, providerID string) (Sender, error)
	wake    func()
	log     *slog.Logger

	mu    sync.Mutex
	gates map[string]*gate // by provider

	busy chan struct{} // has a place for each webhook that is looked at
}

// gate is what is remembered of the webhooks of one provider: what strangers do there holds up no other's.
type gate struct {
	keys *keyring

	// What may be stored of refused ones, by how far they came: who has the service's key, who names its address, and all others.
	signed, forged, counted *rate.Limiter

	mu     sync.Mutex
	missed map[string]int // refused ones that were neither stored nor counted in the inbox yet, by check
}

func newGate() *gate {
	limiter := func() *rate.Limiter { return rate.NewLimiter(refusedPerSecond, refusedAtOnce) }
	return &gate{keys: newKeyring(), signed: limiter(), forged: limiter(), counted: limiter(), missed: map[string]int{}}
}

// count counts one that is not stored, and returns how many are to be written down now.
func (g *gate) count(check string) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.missed[check]++
	if !g.counted.Allow() {
		return 0
	}
	n := g.missed[check]
	g.missed[check] = 0
	return n
}

// gateOf finds or makes the gate of a provider, of which there are few.
func (rc *Receiver) gateOf(providerID string) *gate {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	g := rc.gates[providerID]
	if g == nil {
		g = newGate()
		rc.gates[providerID] = g
	}
	return g
}

// New returns a Receiver. senders returns the sender of a provider, or ErrNoSender. wake is called when a new webhook was stored: its payment is due.
func New(inbox Inbox, senders func(ctx context.Context, providerID string) (Sender, error), wake func(), log *slog.Logger) *Receiver {
	return &Receiver{inbox: inbox, senders: senders, wake: wake, log: log, gates: map[string]*gate{}, busy: make(chan struct{}, maxBusy)}
}

// Names of the checks, in the order in which they are made. The first that fails is the last that is made.
const (
	CheckRequest     = "request"     // a POST of plain JSON
	CheckToken       = "token"       // one bearer token in the right form
	CheckHeader      = "header"      // RS256 and nothing that changes how the token is read
	CheckAddress     = "address"     // x5u is an https address of the service
	CheckFetch       = "fetch"       // there is a certificate
	CheckCertificate = "certificate" // it is good, or a good bare key
	CheckSignature   = "signature"
	CheckClaims      = "claims" // can be read
	CheckTimes       = "times"  // of the token, where it has any
	CheckApplication = "application"
	CheckEnvironment = "environment"
	CheckSize        = "size"   // the body is whole, and has at most 64 KiB
	CheckDigest      = "digest" // msgi is that of the body
	CheckKnown       = "known"  // the key is that of the service, as far as it is known
	CheckBody        = "body"   // one JSON object
	CheckFields      = "fields" // of the types and values that the specification names
	CheckAge         = "age"
	CheckPayment     = "payment" // is ours
	CheckOnce        = "once"    // the event is not known with another body
)

// flaw is what is wrong with a webhook.
type flaw finance.DeliveryFinding

func (f flaw) Error() string { return finance.DeliveryFinding(f).String() }

// readObject reads one JSON object strictly; its error is a flaw.
func readObject(text []byte, names ...string) (strictjson.Fields, error) {
	fields, err := strictjson.Object(text, names...)
	switch {
	case err == nil:
		return fields, nil
	case errors.Is(err, strictjson.ErrDuplicate):
		return nil, flaw{Code: finance.FindingDuplicate}
	case errors.Is(err, strictjson.ErrSpelling):
		return nil, flaw{Code: finance.FindingSpelling}
	}
	return nil, flaw{Code: finance.FindingNotObject}
}

// refusal is why a webhook is not taken.
type refusal struct {
	check  string
	status int
	reason error // a flaw
}

func (r *refusal) Error() string { return r.check + ": " + r.reason.Error() }

// finding returns the reason as the inbox keeps it.
func (r *refusal) finding() finance.DeliveryFinding {
	var f flaw
	errors.As(r.reason, &f)
	return finance.DeliveryFinding(f)
}

func refuse(check string, status int, reason error) *refusal {
	return &refusal{check, status, reason}
}

// incoming is one webhook while it is checked.
type incoming struct {
	*Receiver
	*gate
	request  *http.Request
	provider string
	sender   Sender
	body     []byte
	delivery finance.Delivery

	token    token
	digest   string // msgi
	hook     openbanking.PaymentStatusWebhook
	received time.Time
}

// ServeHTTP checks a webhook, stores it, and answers: 200 when it was stored now or before; 400, 401, 403, 404, 405, 413 or 415 when it is refused, 503
// when the service's certificate could not be fetched, 500 when storing failed: then the service sends it again.
func (rc *Receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), answerIn)
	defer cancel()
	in := &incoming{Receiver: rc, request: r.WithContext(ctx), provider: r.PathValue("provider"), received: time.Now()}
	sender, err := rc.senders(ctx, in.provider)
	switch {
	case errors.Is(err, ErrNoSender):
		http.Error(w, http.StatusText(http.StatusNotFound), http.StatusNotFound)
		return
	case err != nil:
		rc.log.Error("webhook: sender not known", "provider", in.provider, "error", err)
		http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
		return
	}
	in.sender, in.gate = sender, rc.gateOf(in.provider)
	select {
	case rc.busy <- struct{}{}:
	default:
		rc.log.Warn("webhook not looked at: too many come together", "provider", in.provider)
		w.Header().Set("Connection", "close")
		w.Header().Set("Retry-After", "1")
		http.Error(w, http.StatusText(http.StatusServiceUnavailable), http.StatusServiceUnavailable)
		return
	}
	status, no := in.inPlace(ctx, w)
	if no != nil {
		in.keepRefused(context.WithoutCancel(ctx), w, no)
	}
	if status == http.StatusOK {
		w.WriteHeader(status)
		return
	}
	if status == http.StatusMethodNotAllowed {
		w.Header().Set("Allow", http.MethodPost)
	}
	http.Error(w, http.StatusText(status), status)
}

// inPlace handles the webhook and then gives its place back. Reading the body of a refused webhook, which a stranger could prolong, happens after that.
func (in *incoming) inPlace(ctx context.Context, w http.ResponseWriter) (int, *refusal) {
	defer func() { <-in.busy }()
	return in.take(ctx, w)
}

// take checks and stores, and returns the status to answer with, and why it is not taken.
func (in *incoming) take(ctx context.Context, w http.ResponseWriter) (int, *refusal) {
	err := in.check(ctx, w)
	if err == nil {
		in.delivery.Answer = http.StatusOK
		in.pass(CheckPayment)
		in.pass(CheckOnce)
		var outcome finance.DeliveryOutcome
		outcome, err = in.inbox.KeepDelivery(ctx, in.delivery)
		if err == nil {
			switch outcome {
			case finance.DeliveryNew:
				in.log.Info("webhook stored", "provider", in.provider, "webhook", in.hook.WebhookID, "status", in.hook.PaymentStatus)
				in.wake()
				return http.StatusOK, nil
			case finance.DeliveryRepeated:
				return http.StatusOK, nil
			case finance.DeliveryConflict:
				in.unpass(CheckOnce)
				err = refuse(CheckOnce, http.StatusBadRequest, flaw{Code: finance.FindingOtherBody})
			case finance.DeliveryUntrusted: // another key was pinned at the same moment
				in.unpass(CheckKnown)
				err = in.unknownKey()
			case finance.DeliveryForeign:
				in.unpass(CheckPayment)
				err = refuse(CheckPayment, http.StatusNotFound, flaw{Code: finance.FindingPaymentUnknown})
			}
		}
	}
	var no *refusal
	if !errors.As(err, &no) {
		in.log.Error("webhook not stored", "provider", in.provider, "error", err)
		return http.StatusInternalServerError, nil
	}
	return no.status, no
}

// keepRefused stores a refused webhook for the inbox. Webhooks with a valid signature and those with an invalid one have separate limits, so that a flood
// of one kind hides nothing of the other. Everything else is only counted.
func (in *incoming) keepRefused(ctx context.Context, w http.ResponseWriter, no *refusal) {
	in.log.Warn("webhook refused", "provider", in.provider, "check", no.check, "reason", no.reason, "answer", no.status)
	in.glance(w)
	in.delivery.Checks = append(in.delivery.Checks, finance.DeliveryCheck{Name: no.check, Finding: no.finding()})
	in.delivery.Answer = no.status
	proved := in.delivery.KeyFingerprint != ""
	var err error
	if proved && in.signed.Allow() || !proved && no.check == CheckSignature && in.forged.Allow() {
		err = in.inbox.KeepRefused(ctx, in.delivery)
	} else if n := in.count(no.check); n > 0 {
		err = in.inbox.CountRefused(ctx, in.delivery, n)
	}
	if err != nil {
		in.log.Error("refused webhook not stored", "provider", in.provider, "error", err)
	}
}

func (in *incoming) pass(name string) {
	in.saw(name, finance.DeliveryFinding{})
}

// saw passes a check that has something to show.
func (in *incoming) saw(name string, finding finance.DeliveryFinding) {
	in.delivery.Checks = append(in.delivery.Checks, finance.DeliveryCheck{Name: name, Passed: true, Finding: finding})
}

// unpass takes a check back, and all after it.
func (in *incoming) unpass(name string) {
	i := slices.IndexFunc(in.delivery.Checks, func(c finance.DeliveryCheck) bool { return c.Name == name })
	in.delivery.Checks = in.delivery.Checks[:i]
}

// check makes the checks that need no database but the pins, one after the other.
func (in *incoming) check(ctx context.Context, w http.ResponseWriter) error {
	for _, step := range []func(context.Context, http.ResponseWriter) error{in.checkRequest, in.checkToken, in.checkSignature, in.checkClaims, in.readBody,
		in.checkDigest, in.checkKnown, in.checkBody} {
		if err := step(ctx, w); err != nil {
			return err
		}
	}
	return nil
}

// checkRequest looks at what surrounds the body.
func (in *incoming) checkRequest(_ context.Context, _ http.ResponseWriter) error {
	in.delivery.ProviderID = in.provider
	if in.request.Method != http.MethodPost {
		return refuse(CheckRequest, http.StatusMethodNotAllowed, flaw{Code: finance.FindingMethod})
	}
	if kind, _, e := mime.ParseMediaType(in.request.Header.Get("Content-Type")); e != nil || kind != "application/json" {
		return refuse(CheckRequest, http.StatusUnsupportedMediaType, flaw{Code: finance.FindingContentType})
	}
	if encoding := in.request.Header.Values("Content-Encoding"); len(encoding) > 0 {
		return refuse(CheckRequest, http.StatusUnsupportedMediaType, flaw{Code: finance.FindingContentEncoding})
	}
	in.pass(CheckRequest)
	return nil
}

// readBody reads the raw bytes, of a sender that has proved to be the service: nobody else is waited for.
func (in *incoming) readBody(_ context.Context, w http.ResponseWriter) error {
	err := in.keepBody(http.MaxBytesReader(w, in.request.Body, maxBody))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return refuse(CheckSize, http.StatusRequestEntityTooLarge, flaw{Code: finance.FindingBodyLarge, Number: maxBody})
	case err != nil:
		return refuse(CheckSize, http.StatusBadRequest, flaw{Code: finance.FindingBodyBrokeOff, Number: len(in.body)})
	case len(in.body) == 0:
		return refuse(CheckSize, http.StatusBadRequest, flaw{Code: finance.FindingBodyEmpty})
	}
	in.saw(CheckSize, finance.DeliveryFinding{Code: finance.FindingBytes, Number: len(in.body)})
	return nil
}

// keepBody reads a body for the inbox, as far as it goes.
func (in *incoming) keepBody(r io.Reader) error {
	body, err := io.ReadAll(r)
	in.body = body
	hash := sha256.Sum256(body)
	in.delivery.Body, in.delivery.Size = strings.ToValidUTF8(string(body), "\ufffd"), len(body)
	in.delivery.BodyHash = base64.StdEncoding.EncodeToString(hash[:])
	return err
}

// glance reads what has arrived of the body of a refused webhook, so that the inbox can show it. It does not wait for a slow sender.
func (in *incoming) glance(w http.ResponseWriter) {
	if in.body != nil {
		return
	}
	if err := http.NewResponseController(w).SetReadDeadline(time.Now().Add(glanceIn)); err != nil {
		in.log.Warn("webhook refused without a look at its body", "provider", in.provider, "error", err)
		return
	}
	if err := in.keepBody(io.LimitReader(in.request.Body, glanced)); err != nil || len(in.body) == glanced {
		w.Header().Set("Connection", "close")
	}
}

// checkToken reads the header of the token, and nothing else of it.
func (in *incoming) checkToken(_ context.Context, _ http.ResponseWriter) error {
	values := in.request.Header.Values("Authorization")
	if len(values) != 1 {
		return refuse(CheckToken, http.StatusUnauthorized, flaw{Code: finance.FindingAuthorization})
	}
	scheme, text, _ := strings.Cut(values[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return refuse(CheckToken, http.StatusUnauthorized, flaw{Code: finance.FindingNoBearer})
	}
	t, err := splitToken(text)
	if err != nil {
		return refuse(CheckToken, http.StatusUnauthorized, err)
	}
	in.pass(CheckToken)
	if err := t.readHeader(); err != nil {
		return refuse(CheckHeader, http.StatusUnauthorized, err)
	}
	in.pass(CheckHeader)
	if err := in.sender.Keys.check(t.x5u); err != nil {
		return refuse(CheckAddress, http.StatusUnauthorized, err)
	}
	in.saw(CheckAddress, finance.DeliveryFinding{Code: finance.FindingValue, Of: t.x5u})
	in.token = t
	return nil
}

// checkSignature finds the certificate and verifies the signature. A certificate that was kept for a while is fetched once more when it does not fit:
// the service may have another one by now.
func (in *incoming) checkSignature(ctx context.Context, _ http.ResponseWriter) error {
	steps := len(in.delivery.Checks)
	for _, fresh := range []bool{false, true} {
		in.delivery.Checks = in.delivery.Checks[:steps]
		c, more, err := in.keys.get(ctx, in.sender.Client, in.token.x5u, fresh)
		if err != nil {
			return refuse(CheckFetch, http.StatusServiceUnavailable, err)
		}
		in.saw(CheckFetch, c.origin())
		key, err := c.check(in.received, in.sender.Roots)
		if err != nil {
			if more {
				continue
			}
			return refuse(CheckCertificate, http.StatusUnauthorized, err)
		}
		in.saw(CheckCertificate, c.describe())
		if err := in.token.verify(key); err != nil {
			if more {
				continue
			}
			return refuse(CheckSignature, http.StatusUnauthorized, err)
		}
		in.keys.prove(in.token.x5u)
		in.pass(CheckSignature)
		in.delivery.KeyFingerprint, in.delivery.KeyEnds = c.fingerprint(), c.ends()
		return nil
	}
	return refuse(CheckFetch, http.StatusServiceUnavailable, flaw{Code: finance.FindingFetchChanges})
}

// checkKnown comes after everything that proves whose the webhook is: a key is not known just because somebody pointed to it.
func (in *incoming) checkKnown(ctx context.Context, _ http.ResponseWriter) error {
	if in.sender.Roots != nil {
		in.saw(CheckKnown, finance.DeliveryFinding{Code: finance.FindingAuthority})
		return nil
	}
	in.delivery.Pin = true
	good, err := in.inbox.KeyFits(ctx, in.provider, in.delivery.KeyFingerprint)
	if err != nil {
		return err
	}
	if !good {
		return in.unknownKey()
	}
	in.pass(CheckKnown)
	return nil
}

func (in *incoming) unknownKey() error {
	return refuse(CheckKnown, http.StatusUnauthorized, flaw{Code: finance.FindingKeyUnknown})
}

// checkClaims compares what the token says with the provider.
func (in *incoming) checkClaims(_ context.Context, _ http.ResponseWriter) error {
	c, err := in.token.claims()
	if err != nil {
		return refuse(CheckClaims, http.StatusUnauthorized, err)
	}
	in.pass(CheckClaims)
	now := in.received
	switch {
	case c.expires != nil && !now.Before(c.expires.Add(tokenAhead)):
		return refuse(CheckTimes, http.StatusUnauthorized, flaw{Code: finance.FindingTokenExpired})
	case c.notBefore != nil && c.notBefore.After(now.Add(tokenAhead)):
		return refuse(CheckTimes, http.StatusUnauthorized, flaw{Code: finance.FindingTokenEarly})
	case c.issued != nil && c.issued.After(now.Add(tokenAhead)):
		return refuse(CheckTimes, http.StatusUnauthorized, flaw{Code: finance.FindingTokenFuture})
	}
	in.pass(CheckTimes)
	if subtle.ConstantTimeCompare([]byte(c.subject), []byte(in.sender.ApplicationID)) != 1 || c.subject == "" {
		return refuse(CheckApplication, http.StatusForbidden, flaw{Code: finance.FindingApplication})
	}
	in.pass(CheckApplication)
	if c.environment != string(in.sender.Environment) {
		return refuse(CheckEnvironment, http.StatusForbidden, flaw{Code: finance.FindingEnvironment})
	}
	in.saw(CheckEnvironment, finance.DeliveryFinding{Code: finance.FindingValue, Of: string(in.sender.Environment)})
	in.digest = c.digest
	return nil
}

// checkDigest compares what the token says of the body with the body.
func (in *incoming) checkDigest(_ context.Context, _ http.ResponseWriter) error {
	if subtle.ConstantTimeCompare([]byte(in.digest), []byte("sha256-"+in.delivery.BodyHash)) != 1 {
		return refuse(CheckDigest, http.StatusUnauthorized, flaw{Code: finance.FindingDigest})
	}
	in.pass(CheckDigest)
	return nil
}

// checkBody reads the body, which is known to be the service's now.
func (in *incoming) checkBody(_ context.Context, _ http.ResponseWriter) error {
	hook, triggered, err := readBody(in.body)
	if err != nil {
		return err
	}
	in.hook = hook
	d := &in.delivery
	d.WebhookID, d.PaymentID, d.Status, d.Expected, d.Triggered = hook.WebhookID, hook.PaymentID, hook.PaymentStatus, hook.PaymentUpdatesExpected, triggered
	if hook.PaymentAuthStatus != nil {
		d.Auth = *hook.PaymentAuthStatus
	}
	in.pass(CheckBody)
	in.pass(CheckFields)
	switch age := in.received.Sub(triggered); {
	case age > maxAge:
		return refuse(CheckAge, http.StatusBadRequest, flaw{Code: finance.FindingEventOld})
	case age < -maxAhead:
		return refuse(CheckAge, http.StatusBadRequest, flaw{Code: finance.FindingEventFuture})
	}
	in.pass(CheckAge)
	return nil
}
