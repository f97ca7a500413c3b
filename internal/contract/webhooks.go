package contract

import (
	"context"
	"net/url"
	"slices"
	"time"

	"florin/internal/openbanking"
)

// arrivesWithin bounds the wait for a delivery: a retry comes after 600 seconds at the latest (spec: Events).
const arrivesWithin = 11 * time.Minute

// receive makes a receiver for the webhooks of the application, at an address that lasts as long as the test.
func (s *suite) receive() (*Receiver, string) {
	s.Helper()
	r := &Receiver{Application: get[openbanking.Application](s, "GET", "/application", ""), Domain: s.target.Domain, Client: s.target.Certificates,
		Schema: s.webhookSchema()}
	if r.Domain == "" {
		base, err := url.Parse(s.target.BaseURL)
		if err != nil {
			s.Fatal(err)
		}
		r.Domain = base.Hostname()
	}
	if r.Client == nil {
		r.Client = s.target.Client
	}
	address, stop, err := s.target.Receive(r)
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(stop)
	return r, address
}

// await waits for deliveries. Where the target can let time go by, it goes by meanwhile: a second with each look.
func (s *suite) await(r *Receiver, what string, enough func([]Delivery) bool) []Delivery {
	s.Helper()
	whole, cancel := context.WithTimeout(s.Context(), arrivesWithin)
	defer cancel()
	for {
		look, done := whole, context.CancelFunc(func() {})
		if s.target.Pass != nil {
			look, done = context.WithTimeout(whole, 20*time.Millisecond)
		}
		arrived, err := r.Await(look, enough)
		done()
		if err == nil {
			return arrived
		}
		if whole.Err() != nil {
			s.Fatalf("%s: %v, after %d deliveries", what, err, len(arrived))
		}
		s.pass(time.Second)
	}
}

// over reports whether a payment's last event has arrived and was acknowledged.
func over(arrived []Delivery) bool {
	return slices.ContainsFunc(arrived, func(d Delivery) bool { return !d.Event.PaymentUpdatesExpected && d.Status < 300 })
}

// webhooks: the events of a payment that is approved, whose first delivery fails (spec: Events).
func (s *suite) webhooks() {
	r, address := s.receive()
	r.Answer(500)
	created := s.create(map[string]any{"webhook_url": address})
	s.pay(created)
	told := func(read openbanking.Payment) bool { return read.Status != openbanking.PaymentStatusPDNG }
	for range maxPolls {
		if told(s.payment(created.PaymentID)) {
			break
		}
		s.pass(time.Second)
	}
	s.await(r, "the first event", func(arrived []Delivery) bool { return len(arrived) > 0 })
	final := s.final(created.PaymentID, func(openbanking.Payment) {})
	arrived := s.await(r, "the last event", over)

	first := arrived[0]
	retries := 0
	var events []openbanking.PaymentStatusWebhook // each once, as it arrived first
	for i, d := range arrived {
		s.genuine(d, created.PaymentID)
		known := slices.ContainsFunc(events, func(e openbanking.PaymentStatusWebhook) bool { return e.WebhookID == d.Event.WebhookID })
		if !known {
			events = append(events, d.Event)
		}
		if i > 0 && d.Event.WebhookID == first.Event.WebhookID {
			retries++
			if d.Body != first.Body {
				s.Errorf("the retry has the body %s after %s", d.Body, first.Body)
			}
		}
	}
	if retries == 0 || arrived[1].Event.WebhookID != first.Event.WebhookID {
		s.Errorf("the event that was not acknowledged did not come again, or not before the next one (spec: Events): %d retries", retries)
	}
	for i, e := range events {
		last := i == len(events)-1
		switch {
		case e.PaymentUpdatesExpected == last:
			s.Errorf("event %d of %d, %s: updates_expected is %v", i+1, len(events), e.PaymentStatus, e.PaymentUpdatesExpected)
		case last && e.PaymentStatus != final.Status:
			s.Errorf("the last event says %s, the payment is %s", e.PaymentStatus, final.Status)
		case i > 0 && (e.PaymentStatus == events[i-1].PaymentStatus || e.WebhookTriggered < events[i-1].WebhookTriggered):
			s.Errorf("event %d says %s of %s after %s of %s", i+1, e.PaymentStatus, e.WebhookTriggered, events[i-1].PaymentStatus, events[i-1].WebhookTriggered)
		case e.PaymentAuthStatus == nil || *e.PaymentAuthStatus != openbanking.PaymentAuthStatusFinalised:
			s.Errorf("event %d, %s: payment_auth_status is %v, want FINALISED", i+1, e.PaymentStatus, e.PaymentAuthStatus)
		}
	}
}

// genuine checks what holds for every delivery of a payment.
func (s *suite) genuine(d Delivery, paymentID string) {
	s.Helper()
	if d.Problem != nil {
		s.Errorf("a webhook that is not good: %v\n%s", d.Problem, d.Body)
	}
	if d.Event.PaymentID != paymentID || d.Event.WebhookID == "" {
		s.Errorf("payment_id %q, webhook_id %q", d.Event.PaymentID, d.Event.WebhookID)
	}
	if _, err := time.Parse(time.RFC3339, d.Event.WebhookTriggered); err != nil {
		s.Errorf("webhook_triggered: %v", err)
	}
}

// webhookOfCancellation: a payment that its PSU cancels has one event, and it is the last.
func (s *suite) webhookOfCancellation() {
	r, address := s.receive()
	created := s.create(map[string]any{"webhook_url": address})
	if _, err := s.target.Cancel(s.Context(), created.URL); err != nil {
		s.Fatal(err)
	}
	arrived := s.await(r, "the event", over)
	if len(arrived) != 1 {
		s.Errorf("%d deliveries", len(arrived))
	}
	e := arrived[0].Event
	s.genuine(arrived[0], created.PaymentID)
	if e.PaymentStatus != openbanking.PaymentStatusCNCL || e.PaymentAuthStatus == nil || *e.PaymentAuthStatus != openbanking.PaymentAuthStatusCancelled {
		s.Errorf("the event says %s", arrived[0].Body)
	}
}
