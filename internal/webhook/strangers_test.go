package webhook

import (
	"crypto/x509"
	"fmt"
	"net/http"
	"testing"
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
