package store

import (
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"florin/internal/finance"
)

// A long body is cut between characters, not within one.
func TestLongBodyIsCutBetweenCharacters(t *testing.T) {
	b := newBed(t)
	b.provider(t)
	body := strings.Repeat("x", keptBody-1) + "äöü"
	check(t, b.KeepRefused(t.Context(), finance.Delivery{ProviderID: "embedded", Body: body, Size: len(body), BodyHash: "h", Answer: http.StatusUnauthorized,
		Checks: []finance.DeliveryCheck{{Name: "signature"}}}))
	all, _, err := b.Deliveries(t.Context(), true, "", 1)
	check(t, err)
	if got := all[0].Body; !utf8.ValidString(got) || got != body[:keptBody-1] || all[0].Size != len(body) {
		t.Errorf("%d bytes of %d are kept, valid %t", len(got), all[0].Size, utf8.ValidString(got))
	}
}

// A webhook claims its payment for a check in the transaction that stores it, except when the payment is already claimed or is final.
func TestKeepAndClaim(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user := b.user(t, "a@example.org")
	p := b.sent(t, user, "p1", order(transfer("A", ibanDE, "5")))
	keep := func(id string) (finance.DeliveryOutcome, *PaymentClaim) {
		t.Helper()
		outcome, claimed, err := b.KeepAndClaim(ctx, finance.Delivery{ProviderID: "embedded", WebhookID: id, PaymentID: "p1", Status: "ACSC", BodyHash: id,
			Body: "{}", Size: 2, Answer: http.StatusOK, Triggered: time.Now(), Checks: []finance.DeliveryCheck{{Name: "request", Passed: true}}}, time.Minute)
		check(t, err)
		return outcome, claimed
	}
	outcome, claim := keep("w1")
	if outcome != finance.DeliveryNew || claim == nil || claim.Payment.ID != p.ID || len(claim.Deliveries) != 1 || claim.Source() != finance.NewsWebhook {
		t.Fatal(outcome, claim)
	}
	if outcome, again := keep("w1"); outcome != finance.DeliveryRepeated || again != nil {
		t.Error(outcome, again)
	}
	if outcome, second := keep("w2"); outcome != finance.DeliveryNew || second != nil {
		t.Errorf("%v: somebody else asks already, and it is given out again: %v", outcome, second)
	}
	if _, ok, _, err := b.ClaimPayment(ctx, time.Minute); err != nil || ok {
		t.Errorf("%v: a payment is given out twice", err)
	}
	news := finance.PaymentNews{Source: finance.NewsWebhook, Status: "ACSP"}
	_, _, err := b.ApplyNews(ctx, *claim, news, func(finance.Payment) time.Time { return time.Now().Add(time.Hour) })
	check(t, err)
	next, ok, _, err := b.ClaimPayment(ctx, time.Minute)
	if err != nil || !ok || len(next.Deliveries) != 1 || next.Deliveries[0].WebhookID != "w2" {
		t.Fatalf("%v %t: the webhook that came meanwhile does not make the payment due: %+v", err, ok, next.Deliveries)
	}
	news.Status, news.Final = "ACSC", true
	_, _, err = b.ApplyNews(ctx, next, news, func(finance.Payment) time.Time { return time.Now() })
	check(t, err)
	if outcome, final := keep("w3"); outcome != finance.DeliveryNew || final != nil {
		t.Error(outcome, final)
	}
}

// The first result of a webhook stays readable, whatever its replays do.
func TestReplaysStandBesideTheFirstResult(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user := b.user(t, "a@example.org")
	b.sent(t, user, "p1", order(transfer("A", ibanDE, "5")))
	if outcome := must(b.KeepDelivery(ctx, finance.Delivery{ProviderID: "embedded", WebhookID: "w1", PaymentID: "p1", Status: "ACSC", BodyHash: "h",
		Body: "{}", Size: 2, Answer: http.StatusOK, Triggered: time.Now(),
		Checks: []finance.DeliveryCheck{{Name: "request", Passed: true}}}))(t); outcome != finance.DeliveryNew {
		t.Fatal(outcome)
	}
	all, _, err := b.Deliveries(ctx, false, "", 1)
	check(t, err)
	id := all[0].ID
	claim, ok, _, err := b.ClaimPayment(ctx, time.Minute)
	if err != nil || !ok || len(claim.Deliveries) != 1 {
		t.Fatal(ok, err, claim.Deliveries)
	}
	_, _, err = b.ApplyNews(ctx, claim, finance.PaymentNews{Source: finance.NewsWebhook, Status: "ACSC", Final: true},
		func(finance.Payment) time.Time { return time.Now() })
	check(t, err)
	first := must(b.Delivery(ctx, id))(t)
	if first.Result.Kind != finance.EffectStatus || first.Result.After.Status != "ACSC" {
		t.Fatalf("%+v", first)
	}
	for range 2 {
		check(t, b.ReplayDelivery(ctx, id))
	}
	if d := must(b.Delivery(ctx, id))(t); d.Result != first.Result {
		t.Errorf("the first result was %v and is %v", first.Result, d.Result)
	}
	results := must(b.DeliveryResults(ctx, id))(t)
	if len(results) != 3 || results[0].Effect != first.Result || !results[0].At.Equal(first.Applied) ||
		results[1].Effect != (finance.DeliveryEffect{Kind: finance.EffectFinal, After: finance.ReportedStatus{Status: "ACSC"}, Final: true}) ||
		results[2].Effect != results[1].Effect {
		t.Errorf("%+v", results)
	}
}

// The query for webhooks whose payment is still unknown reads no other webhooks.
func TestStrayWebhooksAreFoundByAnIndex(t *testing.T) {
	b := newBed(t)
	for _, query := range []string{
		`SELECT MIN(next_try_at) FROM webhook_delivery WHERE next_try_at IS NOT NULL`,
		`SELECT id FROM webhook_delivery WHERE next_try_at <= $1 ORDER BY next_try_at, id LIMIT 1`,
	} {
		var in bool
		for _, text := range statements(t) {
			in = in || strings.Contains(text, query) || strings.Contains(text, strings.ReplaceAll(query, "$1", "$2"))
		}
		if !in {
			t.Errorf("%q is no statement of the store any more", query)
		}
		plan, err := collect(t.Context(), b.db.Read(), func(row scanner) (string, error) {
			var id, parent, x int
			var detail string
			err := row.Scan(&id, &parent, &x, &detail)
			return detail, err
		}, `EXPLAIN QUERY PLAN `+query, "x")
		check(t, err)
		if text := strings.Join(plan, "\n"); !strings.Contains(text, "INDEX webhook_delivery_next_try") || strings.Contains(text, "TEMP B-TREE FOR ORDER BY") {
			t.Errorf("%s: %s", query, text)
		}
	}
}

// The query for what a webhook changed reads one payment, not all payments of the user.
func TestChangesOfAPaymentReadNoOther(t *testing.T) {
	b := newBed(t)
	looked := 0
	for _, query := range statements(t) {
		if !strings.HasPrefix(query, "UPDATE payment_transfer SET transaction_id") && !strings.HasPrefix(query, "DELETE FROM payment_booking WHERE booked_id") {
			continue
		}
		looked++
		plan, err := collect(t.Context(), b.db.Read(), func(row scanner) (string, error) {
			var id, parent, x int
			var detail string
			err := row.Scan(&id, &parent, &x, &detail)
			return detail, err
		}, `EXPLAIN QUERY PLAN `+query, "1", "2", "3", "4", "5", "6", "7")
		check(t, err)
		if text := strings.Join(plan, "\n"); strings.Contains(text, "LIST SUBQUERY") || strings.Contains(text, "(user_id=?)") {
			t.Errorf("%s: %s", query, text)
		}
	}
	if looked != 2 {
		t.Errorf("%d statements were found, want 2", looked)
	}
}

// Refused webhooks that are only counted have one row for each check, which shows the last one. They do not take the room of those whose signature was
// verified.
func TestRefusedWebhooksOfEachKind(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	b.provider(t)
	refused := func(check, body, fingerprint string) finance.Delivery {
		return finance.Delivery{ProviderID: "embedded", Body: body, Size: len(body), BodyHash: "h", Answer: http.StatusUnauthorized,
			KeyFingerprint: fingerprint, Checks: []finance.DeliveryCheck{{Name: check}}}
	}
	check(t, b.KeepRefused(ctx, refused("application", "signed", "f")))
	check(t, b.CountRefused(ctx, refused("token", "first", ""), 1))
	counted := func() (found []finance.Delivery, all int) {
		page, more, err := b.Deliveries(ctx, true, "", 1000)
		check(t, err)
		if more {
			t.Error("there are more")
		}
		for _, d := range page {
			if d.Counted {
				found = append(found, d)
			}
		}
		return found, len(page)
	}
	before, _ := counted()
	check(t, b.CountRefused(ctx, refused("token", "second", ""), 7))
	check(t, b.CountRefused(ctx, refused("header", "third", ""), 1))
	for range keptRefused + 5 {
		check(t, b.KeepRefused(ctx, refused("signature", "forged", "")))
	}
	after, all := counted()
	if len(before) != 1 || before[0].Repeats != 0 || len(after) != 2 || all != keptRefused+3 {
		t.Fatalf("%d rows, counted %+v, then %+v", all, before, after)
	}
	for _, d := range after {
		switch d.Failed().Name {
		case "token":
			if d.ID != before[0].ID || d.Repeats != 7 || d.Body != "second" || d.Received.Before(before[0].Received) {
				t.Errorf("%+v", d)
			}
		default:
			if d.Repeats != 0 || d.Body != "third" {
				t.Errorf("%+v", d)
			}
		}
	}
}

// A key is pinned in the transaction that stores its webhook: when two arrive together, one of them is the first.
func TestOneKeyIsPinned(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user := b.user(t, "a@example.org")
	b.sent(t, user, "p1", order(transfer("A", ibanDE, "5")))
	keep := func(event, key string, ends time.Time) finance.DeliveryOutcome {
		return must(b.KeepDelivery(ctx, finance.Delivery{ProviderID: "embedded", WebhookID: event, PaymentID: "p1", Status: "ACSC", BodyHash: "h",
			Answer: http.StatusOK, Triggered: time.Now(),
			KeyFingerprint: key, KeyEnds: ends, Pin: true, Checks: []finance.DeliveryCheck{{Name: "request", Passed: true}}}))(t)
	}
	for _, key := range []string{"one", "two"} {
		if !must(b.KeyFits(ctx, "embedded", key))(t) {
			t.Errorf("%s does not fit where none is known", key)
		}
	}
	if outcome := keep("w1", "one", time.Time{}); outcome != finance.DeliveryNew {
		t.Fatal(outcome)
	}
	if outcome := keep("w2", "two", time.Now().AddDate(1, 0, 0)); outcome != finance.DeliveryUntrusted {
		t.Errorf("%v", outcome)
	}
	if !must(b.KeyFits(ctx, "embedded", "one"))(t) || must(b.KeyFits(ctx, "embedded", "two"))(t) {
		t.Error("not the first one is known")
	}
	if all, _, err := b.Deliveries(ctx, false, "", 10); err != nil || len(all) != 1 {
		t.Errorf("%d stored, %v", len(all), err)
	}
}
