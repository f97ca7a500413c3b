package storage

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
)

// event stores an event of a payment and returns it. Its id is "payment/sequence".
func event(t *testing.T, s *Store, payment string, sequence int, origin string, created time.Time) aggregator.Webhook {
	t.Helper()
	return eventOfApp(t, s, "app", payment, sequence, origin, created)
}

func eventOfApp(t *testing.T, s *Store, app, payment string, sequence int, origin string, created time.Time) aggregator.Webhook {
	t.Helper()
	w := aggregator.Webhook{
		ID: fmt.Sprintf("%s/%d", payment, sequence), PaymentID: payment, ApplicationID: app, Environment: openbanking.EnvironmentSandbox,
		Sequence: sequence, URL: origin + "/hook", Origin: origin, Body: fmt.Sprintf(`{"n":%d}`, sequence), Status: openbanking.PaymentStatusRCVD,
		Created: created, Due: created,
	}
	err := s.db.Write(t.Context(), func(tx *sqlite.Tx) error { return insertEvent(t.Context(), tx, w) })
	if err != nil {
		t.Fatal(err)
	}
	return w
}

const lease = time.Minute

// claim claims at now and returns the ids.
func claim(t *testing.T, s *Store, now time.Time, perOrigin, limit int) []string {
	t.Helper()
	list, err := s.ClaimWebhooks(t.Context(), now, now.Add(lease), WebhookShares{PerOrigin: perOrigin, PerOwner: 1000}, limit)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, w := range list {
		ids = append(ids, w.ID)
	}
	slices.Sort(ids)
	return ids
}

func finish(t *testing.T, s *Store, now time.Time, id string, acknowledged bool, next time.Time) {
	t.Helper()
	result := aggregator.WebhookResult{WebhookAttempt: aggregator.WebhookAttempt{WebhookID: id, At: now, Latency: 1500 * time.Microsecond, Status: 200,
		Outcome: "o"}, Acknowledged: acknowledged, Next: next}
	if err := s.FinishWebhooks(t.Context(), now, []aggregator.WebhookResult{result}); err != nil {
		t.Fatal(err)
	}
}

func expect(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func due(t *testing.T, s *Store, now, want time.Time) {
	t.Helper()
	got, err := s.WebhooksDue(t.Context(), now)
	if err != nil {
		t.Fatal(err)
	}
	if !got.Equal(want) {
		t.Errorf("more to claim at %v, want %v", got, want)
	}
}

func TestAnEventIsReadAsItWasStored(t *testing.T) {
	s := open(t)
	application(t, s)
	want := event(t, s, "p", 1, "https://a.example", epoch)
	got, err := s.Webhook(t.Context(), "p/1")
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v (%v), want %+v", got, err, want)
	}
	claimed, err := s.ClaimWebhooks(t.Context(), epoch, epoch.Add(lease), WebhookShares{PerOrigin: 4, PerOwner: 4}, 4)
	if err != nil || !reflect.DeepEqual(claimed, []aggregator.Webhook{want}) {
		t.Errorf("claimed %+v (%v)", claimed, err)
	}
	if _, err := s.Webhook(t.Context(), "none"); !errors.Is(err, aggregator.ErrNotFound) {
		t.Errorf("error %v", err)
	}
	if err := s.ResendWebhook(t.Context(), "none", epoch); !errors.Is(err, aggregator.ErrNotFound) {
		t.Errorf("error %v", err)
	}
}

func TestEventsOfAPaymentAreClaimedInTheirOrder(t *testing.T) {
	s := open(t)
	application(t, s)
	event(t, s, "p", 2, "https://a.example", epoch)
	event(t, s, "p", 1, "https://a.example", epoch.Add(time.Second))
	event(t, s, "q", 1, "https://b.example", epoch)

	expect(t, "before the first one is due", claim(t, s, epoch, 4, 10), []string{"q/1"})
	due(t, s, epoch, epoch.Add(time.Second))
	now := epoch.Add(time.Second)
	expect(t, "then", claim(t, s, now, 4, 10), []string{"p/1"})
	expect(t, "while it is tried", claim(t, s, now, 4, 10), []string(nil))

	finish(t, s, now, "p/1", false, now.Add(time.Hour))
	expect(t, "after a failure", claim(t, s, now, 4, 10), []string(nil))
	due(t, s, now.Add(2*lease), now.Add(time.Hour))
	now = now.Add(time.Hour)
	expect(t, "an hour later", claim(t, s, now, 4, 10), []string{"p/1", "q/1"})
	finish(t, s, now, "p/1", false, time.Time{})
	expect(t, "after it is given up", claim(t, s, now, 4, 10), []string{"p/2"})
	finish(t, s, now, "p/2", true, time.Time{})
	finish(t, s, now, "q/1", true, time.Time{})
	due(t, s, now, time.Time{})

	for id, want := range map[string]aggregator.WebhookState{"p/1": aggregator.WebhookGivenUp, "p/2": aggregator.WebhookDelivered,
		"q/1": aggregator.WebhookDelivered} {
		w, err := s.Webhook(t.Context(), id)
		if err != nil || w.State() != want {
			t.Errorf("%s is %s (%v), want %s", id, w.State(), err, want)
		}
	}
}

func TestALeaseRunsOut(t *testing.T) {
	s := open(t)
	application(t, s)
	event(t, s, "p", 1, "https://a.example", epoch)
	expect(t, "first", claim(t, s, epoch, 4, 10), []string{"p/1"})
	expect(t, "during the lease", claim(t, s, epoch.Add(lease-time.Millisecond), 4, 10), []string(nil))
	due(t, s, epoch, epoch.Add(lease))
	expect(t, "after it", claim(t, s, epoch.Add(lease), 4, 10), []string{"p/1"})
	if err := s.ReleaseWebhooks(t.Context(), []string{"p/1"}); err != nil {
		t.Fatal(err)
	}
	expect(t, "after a release", claim(t, s, epoch.Add(lease), 4, 10), []string{"p/1"})
}

func TestAnOriginIsNotGivenMoreThanItsShare(t *testing.T) {
	s := open(t)
	application(t, s)
	for i := range 40 {
		event(t, s, fmt.Sprintf("a%02d", i), 1, "https://a.example", epoch)
	}
	event(t, s, "b", 1, "https://b.example", epoch.Add(time.Millisecond))
	now := epoch.Add(time.Second)
	var all []string
	for range 2 { // one call gives all there is
		all = append(all, claim(t, s, now, 3, 8)...)
	}
	expect(t, "claimed", all, []string{"a00/1", "a01/1", "a02/1", "b/1"})
	finish(t, s, now, "a01/1", true, time.Time{})
	expect(t, "a place is free", claim(t, s, now, 3, 8), []string{"a03/1"})
	expect(t, "limit", len(claim(t, s, now.Add(lease), 100, 5)), 5)
}

// One application has the events of many receivers that are dead, and another one an event.
func TestADeveloperIsNotGivenMoreThanItsShare(t *testing.T) {
	s := open(t)
	mine := application(t, s)
	var theirs []aggregator.Application
	owner := developer(t, s, "theirs").ID
	for i := range 3 {
		app := mine
		app.ID, app.OwnerID = fmt.Sprintf("theirs-%d", i), owner
		if err := s.CreateApplication(t.Context(), app, aggregator.ApplicationKey{ID: app.ID, PEM: "key", Created: epoch}, 0); err != nil {
			t.Fatal(err)
		}
		theirs = append(theirs, app)
	}
	for i := range 60 {
		eventOfApp(t, s, theirs[i%3].ID, fmt.Sprintf("t%02d", i), 1, fmt.Sprintf("https://%d.dead.example", i%20), epoch)
	}
	eventOfApp(t, s, "app", "m", 1, "https://1.dead.example", epoch.Add(time.Second)) // the target is the same, the share is not
	shares := WebhookShares{PerOrigin: 1, PerOwner: 8}
	now := epoch.Add(time.Minute)
	of := map[string]int{}
	var ours string
	for range 3 { // the first call gives all there is
		list, err := s.ClaimWebhooks(t.Context(), now, now.Add(lease), shares, 100)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range list {
			if of[w.ApplicationID]++; w.ApplicationID == "app" {
				ours = w.ID
			}
		}
	}
	if ours != "m/1" || of["app"] != 1 || of["theirs-0"]+of["theirs-1"]+of["theirs-2"] != 8 {
		t.Errorf("claimed %v", of)
	}
	// Those that are sent again count, too.
	finish(t, s, now, "m/1", true, time.Time{})
	for i := range 20 {
		id := fmt.Sprintf("t%02d/1", i)
		finish(t, s, now, id, false, time.Time{})
		if err := s.ResendWebhook(t.Context(), id, now); err != nil {
			t.Fatal(err)
		}
	}
	list, err := s.ClaimWebhooks(t.Context(), now, now.Add(lease), shares, 100)
	if err != nil {
		t.Fatal(err)
	}
	again := 0
	for _, w := range list {
		if !w.Again.IsZero() {
			again++
		}
	}
	if len(list) > 8 || again != len(list) || again == 0 {
		t.Errorf("%d are sent again, of %d", again, len(list))
	}
}

func TestClosedEventsAreSentAgainBesideTheOthers(t *testing.T) {
	s := open(t)
	application(t, s)
	for i := range 3 {
		event(t, s, "p", i+1, "https://a.example", epoch)
	}
	now := epoch
	claim(t, s, now, 4, 10)
	finish(t, s, now, "p/1", true, time.Time{})
	claim(t, s, now, 4, 10)
	finish(t, s, now, "p/2", false, now.Add(time.Hour))
	resend := func(id string) {
		t.Helper()
		if err := s.ResendWebhook(t.Context(), id, now); err != nil {
			t.Fatal(err)
		}
	}

	resend("p/1")
	w, err := s.Webhook(t.Context(), "p/1")
	if err != nil || !w.Again.Equal(now) || w.State() != aggregator.WebhookDelivered {
		t.Errorf("asked for again: %+v (%v)", w, err)
	}
	expect(t, "delivered before", claim(t, s, now, 4, 10), []string{"p/1"})
	finish(t, s, now.Add(time.Second), "p/1", false, time.Time{})
	w, err = s.Webhook(t.Context(), "p/1")
	if err != nil || !w.Delivered.Equal(now) || w.Attempts != 2 || !w.Again.IsZero() {
		t.Errorf("after one more try: %+v (%v)", w, err)
	}
	expect(t, "the others wait", claim(t, s, now.Add(time.Second), 4, 10), []string(nil))

	resend("p/3") // takes those before it along
	expect(t, "open", claim(t, s, now, 4, 10), []string{"p/2"})
	finish(t, s, now, "p/2", false, time.Time{})
	expect(t, "next", claim(t, s, now, 4, 10), []string{"p/3"})

	resend("p/2")
	expect(t, "given up before", claim(t, s, now, 4, 10), []string{"p/2"})
	finish(t, s, now, "p/2", true, time.Time{})
	if w, err := s.Webhook(t.Context(), "p/2"); err != nil || w.State() != aggregator.WebhookDelivered {
		t.Errorf("delivered late: %+v (%v)", w, err)
	}
}

// An event can be sent again as often as its owner likes; the log of that is bounded.
func TestOldAttemptsMakeRoom(t *testing.T) {
	s := open(t)
	application(t, s)
	event(t, s, "p", 1, "https://a.example", epoch)
	for range keepAttempts + 3 {
		finish(t, s, epoch, "p/1", true, time.Time{})
	}
	attempts, err := s.WebhookAttempts(t.Context(), "p/1")
	if err != nil || len(attempts) != keepAttempts || attempts[0].Number != 4 || attempts[keepAttempts-1].Number != keepAttempts+3 {
		t.Errorf("%d attempts (%v)", len(attempts), err)
	}
	list, err := s.Webhooks(t.Context(), aggregator.WebhookFilter{ApplicationID: "app", Limit: 1})
	if err != nil || list[0].Last.Number != keepAttempts+3 || list[0].Attempts != keepAttempts+3 {
		t.Errorf("last %+v (%v)", list[0].Last, err)
	}
}

func TestALateResultDoesNotOpenAnEventAgain(t *testing.T) {
	s := open(t)
	application(t, s)
	event(t, s, "p", 1, "https://a.example", epoch)
	claim(t, s, epoch, 4, 10)
	claim(t, s, epoch.Add(lease), 4, 10) // by somebody else
	finish(t, s, epoch.Add(lease), "p/1", true, time.Time{})
	finish(t, s, epoch.Add(lease), "p/1", false, epoch.Add(time.Hour))
	w, err := s.Webhook(t.Context(), "p/1")
	if err != nil || w.State() != aggregator.WebhookDelivered || w.Attempts != 2 || !w.Due.IsZero() {
		t.Errorf("%+v (%v)", w, err)
	}
}

func TestTheDeliveryLogIsFiltered(t *testing.T) {
	s := open(t)
	application(t, s)
	event(t, s, "p", 1, "https://a.example", epoch)
	event(t, s, "p", 2, "https://a.example", epoch.Add(time.Second))
	event(t, s, "q", 1, "https://a.example", epoch.Add(time.Second))
	now := epoch.Add(time.Second)
	claim(t, s, now, 4, 10)
	finish(t, s, now, "p/1", true, time.Time{})
	finish(t, s, now, "q/1", false, time.Time{})
	for _, test := range []struct {
		name   string
		filter aggregator.WebhookFilter
		want   string
	}{
		{"all", aggregator.WebhookFilter{ApplicationID: "app", Limit: 9}, "q/1 p/2 p/1"},
		{"limit", aggregator.WebhookFilter{ApplicationID: "app", Limit: 1}, "q/1"},
		{"further", aggregator.WebhookFilter{ApplicationID: "app", Limit: 9, Before: aggregator.RequestCursor{At: now, ID: "q/1"}}, "p/2 p/1"},
		{"payment", aggregator.WebhookFilter{ApplicationID: "app", PaymentID: "q", Limit: 9}, "q/1"},
		{"open", aggregator.WebhookFilter{ApplicationID: "app", State: aggregator.WebhookOpen, Limit: 9}, "p/2"},
		{"delivered", aggregator.WebhookFilter{ApplicationID: "app", State: aggregator.WebhookDelivered, Limit: 9}, "p/1"},
		{"given up", aggregator.WebhookFilter{ApplicationID: "app", State: aggregator.WebhookGivenUp, PaymentID: "q", Limit: 9}, "q/1"},
		{"unknown state", aggregator.WebhookFilter{ApplicationID: "app", State: "lost", Limit: 9}, ""},
		{"another application", aggregator.WebhookFilter{ApplicationID: "other", Limit: 9}, ""},
	} {
		list, err := s.Webhooks(t.Context(), test.filter)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, w := range list {
			ids = append(ids, w.ID)
		}
		expect(t, test.name, strings.Join(ids, " "), test.want)
	}
	list, err := s.Webhooks(t.Context(), aggregator.WebhookFilter{ApplicationID: "app", PaymentID: "p", Limit: 9})
	if err != nil {
		t.Fatal(err)
	}
	expect(t, "last attempt of none", list[0].Last, aggregator.WebhookAttempt{})
	want := aggregator.WebhookAttempt{WebhookID: "p/1", Number: 1, At: now, Latency: 1500 * time.Microsecond, Status: 200, Outcome: "o"}
	expect(t, "last attempt", list[1].Last, want)
	attempts, err := s.WebhookAttempts(t.Context(), "p/1")
	if err != nil {
		t.Fatal(err)
	}
	expect(t, "attempts", attempts, []aggregator.WebhookAttempt{want})
}

// A backlog is stepped over by an index: a claim looks at what it may give, and not at what waits or is over.
func TestClaimsUseAnIndex(t *testing.T) {
	s := open(t)
	for query, index := range map[string]string{
		`SELECT min(application_id) FROM webhook WHERE due IS NOT NULL AND application_id > 'app'`:                                                                                               "webhook_",
		`SELECT min(due) FROM webhook WHERE due IS NOT NULL AND application_id = 'app'`:                                                                                                          "webhook_waiting",
		`SELECT min(origin) FROM webhook WHERE due IS NOT NULL AND application_id = 'app' AND origin > 'https://a.example'`:                                                                      "webhook_target",
		`SELECT min(due) FROM webhook WHERE due IS NOT NULL AND application_id = 'app' AND origin = 'https://a.example'`:                                                                         "webhook_target",
		`SELECT webhook_id FROM webhook WHERE due <= '2026' AND application_id = 'app' AND origin = 'https://a.example' AND (lease_until IS NULL OR lease_until <= '2026') ORDER BY due LIMIT 5`: "webhook_target",
		`SELECT origin FROM webhook WHERE lease_until > '2026'`:                                                                                                                                  "webhook_lease",
		`SELECT min(due) FROM webhook WHERE due > '2026'`:                                                                                                                                        "webhook_due",
	} {
		var a, b, c int
		var detail string
		if err := s.db.Read().QueryRowContext(t.Context(), `EXPLAIN QUERY PLAN `+query).Scan(&a, &b, &c, &detail); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(detail, "SEARCH") || !strings.Contains(detail, index) {
			t.Errorf("%s\n%s", query, detail)
		}
	}
}

func TestKeysOfWebhooksAreReplaced(t *testing.T) {
	s := open(t)
	ctx := context.Background()
	key := func(id string, created time.Time) aggregator.WebhookKey {
		return aggregator.WebhookKey{ID: id, Purpose: aggregator.WebhookSigning, Sealed: "sealed " + id, Certificate: "certificate " + id, Created: created,
			Expires: created.Add(100 * time.Hour)}
	}
	first, second := key("1", epoch), key("2", epoch.Add(90*time.Hour))
	if _, err := s.WebhookKey(ctx, aggregator.WebhookSigning); !errors.Is(err, aggregator.ErrNotFound) {
		t.Errorf("before: %v", err)
	}
	if err := s.ReplaceWebhookKey(ctx, "", first); err != nil {
		t.Fatal(err)
	}
	if err := s.ReplaceWebhookKey(ctx, "", second); !errors.Is(err, aggregator.ErrConflict) {
		t.Errorf("a second first key: %v", err)
	}
	authority := first
	authority.ID, authority.Purpose = "a", aggregator.WebhookAuthority
	if err := s.ReplaceWebhookKey(ctx, "", authority); err != nil {
		t.Fatal(err)
	}
	if err := s.ReplaceWebhookKey(ctx, "1", second); err != nil {
		t.Fatal(err)
	}
	if err := s.ReplaceWebhookKey(ctx, "1", key("3", epoch)); !errors.Is(err, aggregator.ErrConflict) {
		t.Errorf("replaced twice: %v", err)
	}
	got, err := s.WebhookKey(ctx, aggregator.WebhookSigning)
	if err != nil || got != second {
		t.Errorf("%+v (%v)", got, err)
	}
	first.Sealed = ""
	got, err = s.WebhookCertificate(ctx, "1", epoch.Add(99*time.Hour))
	if err != nil || got != first {
		t.Errorf("%+v (%v)", got, err)
	}
	if _, err := s.WebhookCertificate(ctx, "1", epoch.Add(100*time.Hour)); !errors.Is(err, aggregator.ErrNotFound) {
		t.Errorf("a certificate that ran out: %v", err)
	}
	if err := s.ReplaceWebhookKey(ctx, "2", key("4", epoch.Add(180*time.Hour))); err != nil {
		t.Fatal(err)
	}
	if _, err := s.WebhookCertificate(ctx, "1", epoch); !errors.Is(err, aggregator.ErrNotFound) {
		t.Errorf("it stays for ever: %v", err)
	}
}
