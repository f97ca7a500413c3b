package webhook

import (
	"bufio"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// In these tests all limits are those of the program.

// Strangers choose addresses at the service until no more are fetched. Webhooks of another provider do not notice, nor do those whose certificate is known.
func TestStrangersCannotUseUpTheFetches(t *testing.T) {
	r := newRig(t)
	r.create("other", "7c1bc2c5-58b6-4d0e-9a07-0f3f6f1ef002")
	if status := r.send(r.good()); status != http.StatusOK {
		t.Fatalf("%d: %+v", status, r.newest().Failed())
	}
	flood := func(n int) (refused int) {
		for i := range n {
			w := r.good()
			w.key, w.header["x5u"] = otherKey, fmt.Sprintf("%s/good.pem?%d", r.service.URL, i)
			if r.send(w); r.newest().Failed().Name == CheckFetch {
				refused++
			}
		}
		return refused
	}
	if flood(fetchesAtOnce+10) == 0 {
		t.Fatal("fetches have no limit")
	}
	if status := r.send(r.good()); status != http.StatusOK {
		t.Errorf("the known certificate is not used: %d: %+v", status, r.newest().Failed())
	}
	w := r.good()
	w.path, w.body = "/webhooks/other", r.body(map[string]any{"payment_id": "7c1bc2c5-58b6-4d0e-9a07-0f3f6f1ef002"})
	w.header["x5u"] = r.service.URL + "/good.pem?never-seen"
	if status := r.send(w); status != http.StatusOK {
		t.Errorf("webhooks of another provider are refused: %d: %+v", status, r.newest().Failed())
	}
	r.age(keptFor) // it is time to fetch it anew
	if status := r.send(r.good()); status != http.StatusOK {
		t.Errorf("the certificate that is known is not fetched anew: %d: %+v", status, r.newest().Failed())
	}
}

// A certificate that has verified a signature is not pushed out by addresses that strangers choose.
func TestStrangersCannotPushCertificatesOut(t *testing.T) {
	r := newRig(t)
	r.unlimited()
	if status := r.send(r.good()); status != http.StatusOK {
		t.Fatalf("%d: %+v", status, r.newest().Failed())
	}
	for i := range maxKept + 10 {
		w := r.good()
		w.key, w.header["x5u"] = otherKey, fmt.Sprintf("%s/good.pem?%d", r.service.URL, i)
		if status := r.send(w); status != http.StatusUnauthorized {
			t.Fatalf("%d: %+v", status, r.newest().Failed())
		}
	}
	before := r.fetched
	if status := r.send(r.good()); status != http.StatusOK || r.fetched != before {
		t.Errorf("%d, fetched %d times: %+v", status, r.fetched-before, r.newest().Failed())
	}
	if n := len(r.receiver.gateOf("embedded").keys.kept); n > maxKept {
		t.Errorf("%d addresses are kept", n)
	}
}

// While the service's certificates cannot be fetched, one that has verified a signature is used for a day more; one that has not is not.
func TestKnownCertificateOutlivesFailures(t *testing.T) {
	r := newRig(t)
	if status := r.send(r.good()); status != http.StatusOK {
		t.Fatalf("%d: %+v", status, r.newest().Failed())
	}
	r.certificate("/unproven.pem", encodePEM(certify(t, goodKey, nil, nil, func(c *x509.Certificate) { c.Subject.CommonName = "x" })))
	unproven := r.good()
	unproven.header["x5u"] = r.service.URL + "/unproven.pem"
	if status := r.send(unproven); status != http.StatusUnauthorized {
		t.Fatalf("%d: %+v", status, r.newest().Failed())
	}
	for _, path := range []string{"/good.pem", "/unproven.pem"} {
		r.file(path, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	}
	r.age(keptFor)
	before := r.fetched
	for range 3 { // one tries to fetch it
		if status := r.send(r.good()); status != http.StatusOK {
			t.Fatalf("%d: %+v", status, r.newest().Failed())
		}
	}
	if r.fetched != before+1 {
		t.Errorf("tried %d times", r.fetched-before)
	}
	if status := r.send(unproven); status != http.StatusServiceUnavailable {
		t.Errorf("%d: %+v", status, r.newest().Failed())
	}
	r.age(outlives)
	if status := r.send(r.good()); status != http.StatusServiceUnavailable {
		t.Errorf("after a day: %d: %+v", status, r.newest().Failed())
	}
}

// A flood of requests without a good token leaves room in the inbox for what is signed badly, and a flood of that for what the service's own key signed.
func TestFloodHidesNothing(t *testing.T) {
	r := newRig(t)
	junk := func() {
		w := r.good()
		w.request = func(r *http.Request) { r.Header.Del("Authorization") }
		if status := r.send(w); status != http.StatusUnauthorized {
			t.Fatal(status)
		}
	}
	for range 3 * refusedAtOnce {
		junk()
	}
	forged := r.good()
	forged.key = otherKey
	if r.send(forged); r.newest().Failed().Name != CheckSignature {
		t.Fatalf("the forged one is not there: %+v", r.newest())
	}
	for range 3 * refusedAtOnce {
		r.send(forged)
	}
	signed := r.good()
	signed.payload["environment"] = "PRODUCTION"
	if r.send(signed); r.newest().Failed().Name != CheckEnvironment || r.newest().KeyFingerprint == "" {
		t.Fatalf("what the service signed is not there: %+v", r.newest())
	}
	all, more, err := r.store.Deliveries(t.Context(), true, "", 1000)
	check(t, err)
	rows := map[string]int{}
	posts := 0
	for _, d := range all {
		rows[d.Failed().Name]++
		posts += 1 + d.Repeats
		if !d.Counted && (d.Failed().Name == CheckToken || d.Repeats > 0) {
			t.Errorf("%+v", d)
		}
	}
	if rows[CheckToken] != 1 || rows[CheckEnvironment] != 1 || rows[CheckSignature] < refusedAtOnce || more {
		t.Errorf("%v", rows)
	}
	for _, missed := range r.receiver.gateOf("embedded").missed {
		posts += missed
	}
	if sent := 6*refusedAtOnce + 2; posts != sent {
		t.Errorf("%d of %d are accounted for", posts, sent)
	}
}

// Security T35: whoever does not prove to be the service is not waited for: neither its body nor a place is held, and what has come of the body is in the
// inbox.
func TestNobodyWaitsForTheBodyOfStrangers(t *testing.T) {
	r := newRig(t)
	w := r.good()
	w.key = otherKey
	address := strings.TrimPrefix(r.server.URL, "http://")
	var held []net.Conn
	for range maxBusy + 1 {
		c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
		check(t, err)
		defer c.Close()
		_, err = fmt.Fprintf(c, "POST /webhooks/embedded HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 5000\r\nAuthorization: Bearer %s\r\n\r\n{\"a beginning", w.sign(t))
		check(t, err)
		held = append(held, c)
	}
	if status := r.send(r.good()); status != http.StatusOK {
		t.Errorf("a good webhook was answered with %d", status)
	}
	for _, c := range held { // this server has no time-out of its own
		check(t, c.SetReadDeadline(time.Now().Add(time.Minute)))
		response, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatalf("no answer: %v", err)
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusUnauthorized || !response.Close {
			t.Errorf("%d, closed %t", response.StatusCode, response.Close)
		}
	}
	all, _, err := r.store.Deliveries(t.Context(), true, "", 1)
	check(t, err)
	if len(all) == 0 || all[0].Body != `{"a beginning` {
		t.Errorf("%+v", all)
	}
}

// What strangers send is refused by its token, whatever else is wrong; the body of one that is refused is in the inbox.
func TestBodyOfRefusedIsKept(t *testing.T) {
	r := newRig(t)
	w := r.good()
	w.body = strings.Repeat("x", 2*maxBody)
	w.request = func(r *http.Request) { r.Header.Del("Authorization") }
	r.send(w)
	if d := r.newest(); d.Failed().Name != CheckToken || d.Size != glanced || !strings.HasPrefix(d.Body, "xxx") {
		t.Errorf("%s, %d bytes: %s", d.Failed().Name, d.Size, d.Body[:min(len(d.Body), 10)])
	}
}

// Security T35: only so many webhooks are looked at together. The service is asked to send the others again.
func TestWebhooksAtOnceAreBounded(t *testing.T) {
	r := newRig(t)
	for range maxBusy {
		r.receiver.busy <- struct{}{}
	}
	if status := r.send(r.good()); status != http.StatusServiceUnavailable || r.newest().ID != "" {
		t.Errorf("%d, %+v", status, r.newest())
	}
	<-r.receiver.busy
	for range 2 { // the place comes back
		if status := r.send(r.good()); status != http.StatusOK {
			t.Error(status)
		}
	}
	forged := r.good()
	forged.key = otherKey
	r.send(forged)
	if status := r.send(r.good()); status != http.StatusOK {
		t.Error(status)
	}
}
