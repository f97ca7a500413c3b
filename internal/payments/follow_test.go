package payments

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"florin/internal/bank/apitest"
	"florin/internal/finance"
	"florin/internal/jobs"
	"florin/internal/live"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
	"florin/internal/store"
)

// paths are what banks do with a payment, to the end (api-notes 8).
var paths = [][]openbanking.PaymentStatus{
	{"PDNG", "RCVD", "ACTC", "ACCP", "ACSP", "ACSC"},
	{"PDNG", "ACTC", "ACSP", "ACCC"},
	{"PDNG", "ACTC", "ACWC", "ACSP", "ACSC"},
	{"PDNG", "ACTC", "PART", "ACSC"},
	{"PDNG", "ACTC", "RJCT"},
	{"PDNG", "RJCT"},
	{"PDNG", "CNCL"},
	{"PDNG", "ACTC", "ACSP", "PDCR", "RJCR", "NULL", "ACSC"},
}

// Security T7: webhooks that are shuffled, doubled and dropped, between checks and returns in any order, always end in the bank's true state, and no
// status is ever seen that lies before one seen earlier.
func TestAnyOrderOfWebhooksEndsInTheTruth(t *testing.T) {
	r := newRig(t)
	r.service.pause = func() { // some answers are old when they arrive
		if rand.IntN(3) == 0 {
			time.Sleep(10 * time.Millisecond)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		path := rapid.SampledFrom(paths).Draw(rt, "path")
		auth := openbanking.PaymentAuthStatusFinalised
		switch path[1] {
		case "RJCT":
			auth = openbanking.PaymentAuthStatusFailed
		case "CNCL":
			auth = openbanking.PaymentAuthStatusCancelled
		}
		p := r.pay(t)
		// The events of the bank in their order; those that are sent come in any order, some twice.
		started := time.Now()
		var hooks []finance.Delivery
		for i, status := range path {
			d := finance.Delivery{WebhookID: uuid.NewString(), PaymentID: p.PaymentID, Status: status, Expected: i < len(path)-1, Auth: auth,
				Triggered: started.Add(time.Duration(i) * time.Millisecond)}
			if i == 0 {
				d.Auth = openbanking.PaymentAuthStatusPending
			}
			for range rapid.SampledFrom([]int{0, 1, 1, 2, 3}).Draw(rt, fmt.Sprintf("times %d", i)) {
				hooks = append(hooks, d)
			}
		}
		hooks = rapid.Permutation(hooks).Draw(rt, "order")
		steps := rapid.SliceOfN(rapid.SampledFrom([]string{"bank", "hook", "hook", "run", "check", "two at once"}), 5, 25).Draw(rt, "steps")

		at := 0
		advance := func() {
			if at < len(path)-1 {
				at++
				r.service.set(p.PaymentID, path[at], at == len(path)-1, "")
			}
		}
		send := func() {
			if len(hooks) > 0 {
				r.hook(t, hooks[0])
				hooks = hooks[1:]
			}
		}
		run := func() {
			if _, err := r.Run(context.Background()); err != nil {
				t.Error(err)
			}
		}
		look := func() {
			if _, err := r.Check(context.Background(), r.user.ID, p.ID); err != nil {
				t.Error(err)
			}
		}
		for _, step := range steps {
			switch step {
			case "bank":
				advance()
			case "hook":
				send()
			case "run":
				run()
			case "check":
				look()
			case "two at once":
				var group sync.WaitGroup
				group.Go(look)
				time.Sleep(time.Duration(rand.IntN(3)) * time.Millisecond)
				advance()
				send()
				group.Go(run)
				group.Go(look)
				group.Wait()
			}
		}
		for at < len(path)-1 {
			advance()
		}
		for len(hooks) > 0 {
			send()
		}
		r.settle(t)
		look() // what the poll does when its time has come, if no webhook made it due

		got := r.payment(t, p.ID)
		want := path[len(path)-1]
		if got.Progress.Status != want || !got.Progress.Final || got.Progress.Ended.IsZero() || !got.Check.Next.IsZero() || got.Progress.Cancellation != "" {
			rt.Fatalf("%s, final %v, side %q, next check %v; the bank says %s", got.Progress.Status, got.Progress.Final, got.Progress.Cancellation, got.Check.Next, want)
		}
		events, err := r.Store.PaymentEvents(context.Background(), r.user.ID, p.ID)
		check(t, err)
		last := 0
		for _, e := range events {
			if e.Kind != finance.EventStatus {
				continue
			}
			i := slices.Index(path, e.Status)
			if i < last {
				rt.Fatalf("%s was seen after %s", e.Status, path[last])
			}
			last = i
		}
		inbox, _, err := r.Store.Deliveries(context.Background(), false, "", 30)
		check(t, err)
		seen := map[string]bool{}
		for _, d := range inbox {
			if d.LocalID != p.ID {
				continue
			}
			if seen[d.WebhookID] || d.Applied.IsZero() || d.Result.Kind == "" {
				rt.Fatalf("a delivery is twice in the inbox, or not settled: %+v", d)
			}
			seen[d.WebhookID] = true
			if d.Auth == auth && got.Approval.Status != auth {
				rt.Fatalf("the authorisation is %q; a webhook said %s", got.Approval.Status, auth)
			}
		}
	})
}

// A final status stays whatever comes (security T7), and the inbox says so.
func TestFinalStays(t *testing.T) {
	r := newRig(t)
	p := r.pay(t)
	r.service.set(p.PaymentID, "RJCT", true, "AM04")
	got, err := r.Check(t.Context(), r.user.ID, p.ID)
	check(t, err)
	if got.Progress.Status != "RJCT" || !got.Progress.Final || got.Progress.Reason.Code != "AM04" {
		t.Fatalf("%+v", got)
	}
	r.service.set(p.PaymentID, "ACSC", true, "")
	if outcome := r.hook(t, finance.Delivery{WebhookID: "late", PaymentID: p.PaymentID, Status: "ACSC", Auth: "FAILED"}); outcome != finance.DeliveryNew {
		t.Errorf("%v", outcome)
	}
	r.settle(t)
	got = r.payment(t, p.ID)
	if got.Progress.Status != "RJCT" || got.Approval.Status != "FAILED" || got.Progress.Source != finance.NewsWebhook {
		t.Errorf("%s %s", got.Progress.Status, got.Approval.Status)
	}
	if outcome := r.hook(t, finance.Delivery{WebhookID: "later", PaymentID: p.PaymentID, Status: "ACSC", Auth: "FAILED"}); outcome != finance.DeliveryNew {
		t.Errorf("%v", outcome)
	}
	inbox, _, err := r.Store.Deliveries(t.Context(), false, "", 1)
	check(t, err)
	if d := inbox[0]; d.Result != (finance.DeliveryEffect{Kind: finance.EffectFinal, After: finance.ReportedStatus{Status: "RJCT"}, Final: true}) ||
		d.Applied.IsZero() {
		t.Errorf("%+v", d)
	}
	events, err := r.Store.PaymentEvents(t.Context(), r.user.ID, p.ID)
	check(t, err)
	if e := events[len(events)-1]; e.Kind != finance.EventIgnored || e.Status != "ACSC" || e.DeliveryID != inbox[0].ID {
		t.Errorf("%+v", e)
	}
	asked := r.service.Count(asks)
	check(t, r.Store.ReplayDelivery(t.Context(), inbox[0].ID))
	r.settle(t)
	if r.payment(t, p.ID).Progress.Status != "RJCT" || r.service.Count(asks) != asked {
		t.Error("a replay asked for a payment that is final")
	}
}

// The return from the bank is a hint: once, in the same browser, and the service is asked whatever the query says.
func TestReturn(t *testing.T) {
	cases := []struct {
		name, err string
		status    openbanking.PaymentStatus // at the service
		auth      openbanking.PaymentAuthStatus
		kind      finance.StoryKind
	}{
		{"approved", "", "PDNG", "FINALISED", finance.StoryChecking},
		{"cancelled", "access_denied", "CNCL", "CANCELLED", finance.StoryApprovalCancelled},
		{"cancelled, says the address; the bank knows better", "access_denied", "ACSC", "CANCELLED", finance.StorySent},
		{"cancelled, says the address; the bank has checked it", "access_denied", "ACTC", "CANCELLED", finance.StoryFormatChecked},
		{"failed", "server_error", "PDNG", "FAILED", finance.StoryApprovalFailed},
		{"approved, says the address; the bank rejected it", "", "RJCT", "FINALISED", finance.StoryRejected},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			subscription := r.Hub.Subscribe(r.user.ID)
			p := r.pay(t)
			final := c.status == "CNCL" || c.status == "RJCT" || c.status == "ACSC"
			r.service.set(p.PaymentID, c.status, final, "")
			state := finance.Secret(r.service.made[0].State)
			for name, bad := range map[string]func() error{
				"another browser":  func() error { _, err := r.Returned(t.Context(), "embedded", "other", Return{State: state}); return err },
				"another provider": func() error { _, err := r.Returned(t.Context(), "other", "browser", Return{State: state}); return err },
				"another state":    func() error { _, err := r.Returned(t.Context(), "embedded", "browser", Return{State: "x"}); return err },
				"no state":         func() error { _, err := r.Returned(t.Context(), "embedded", "browser", Return{}); return err },
			} {
				if err := bad(); !errors.Is(err, ErrReturn) {
					t.Errorf("%s: %v", name, err)
				}
			}
			got, err := r.Returned(t.Context(), "embedded", "browser", Return{State: state, Error: c.err})
			check(t, err)
			if got.Progress.Status != c.status || got.Approval.Status != c.auth || got.Approval.Source != finance.NewsReturn ||
				got.Approval.Returned.IsZero() ||
				got.Check.Answered.IsZero() {
				t.Errorf("%+v", got)
			}
			if story := got.Story(time.Now()); story.Kind != c.kind {
				t.Errorf("%s", story.Kind)
			}
			again, err := r.Returned(t.Context(), "embedded", "browser", Return{State: state, Error: "x"}) // as when a page is loaded again
			if err != nil || again.ID != p.ID || again.Approval.Status != got.Approval.Status || !again.Approval.Returned.Equal(got.Approval.Returned) {
				t.Errorf("a second time: %+v, %v", again, err)
			}
			if _, err := r.Returned(t.Context(), "embedded", "other", Return{State: state}); !errors.Is(err, ErrReturn) {
				t.Errorf("a second time, elsewhere: %v", err)
			}
			if e := <-subscription.C(); e != (live.Event{Topic: Topic, ID: p.ID}) {
				t.Errorf("%+v", e)
			}
		})
	}
}

// A state has its time, which is longer than the page of the service lives. Who comes later is taken to the payment, and nothing is noted.
func TestOldReturn(t *testing.T) {
	r := newRig(t)
	p := r.pay(t)
	db, err := sqlite.Open(t.Context(), r.path)
	check(t, err)
	defer db.Close()
	var expires sqlite.Time
	check(t, db.Read().QueryRowContext(t.Context(), `SELECT state_expires FROM payment WHERE id = $1`, p.ID).Scan(&expires))
	if left := time.Until(expires.Time); left < 35*time.Minute {
		t.Errorf("the way back is good for %v", left)
	}
	check(t, r.Store.RenewState(t.Context(), r.user.ID, p.ID, "browser", -time.Second))
	state := finance.Secret(r.service.made[0].State)
	got, err := r.Returned(t.Context(), "embedded", "browser", Return{State: state})
	if err != nil || got.ID != p.ID || got.Approval.Status != "" || !got.Approval.Returned.IsZero() {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := r.Returned(t.Context(), "embedded", "other", Return{State: state}); !errors.Is(err, ErrReturn) {
		t.Error(err)
	}
	check(t, r.Leave(t.Context(), r.user.ID, p.ID, "new browser")) // whoever opens the bank again, may come back
	if got, err = r.Returned(t.Context(), "embedded", "new browser", Return{State: state}); err != nil || got.Approval.Status != "FINALISED" {
		t.Errorf("%+v, %v", got, err)
	}
}

// Without webhooks (security T8): the loops alone bring a payment to its end, over a restart, too.
func TestChecksAlone(t *testing.T) {
	r := newRig(t)
	p := r.pay(t)
	r.service.set(p.PaymentID, "ACSP", false, "")
	r.settle(t)
	got := r.payment(t, p.ID)
	if got.Progress.Status != "ACSP" || got.Progress.Source != finance.NewsCheck || got.Check.Next.Before(time.Now()) ||
		time.Until(got.Check.Next) > 5*time.Second {
		t.Fatalf("%s by %s, next check %v", got.Progress.Status, got.Progress.Source, got.Check.Next)
	}
	if got.Progress.Reached[finance.StepApproved].IsZero() || got.Progress.Reached[finance.StepAccepted].IsZero() ||
		!got.Progress.Reached[finance.StepSent].IsZero() {
		t.Errorf("%+v", got.Progress.Reached)
	}
	r.restart(t)
	r.service.set(p.PaymentID, "ACSC", true, "")
	runner := jobs.NewRunner(r.Log)
	r.Register(runner)
	subscription := r.Hub.Subscribe(r.user.ID)
	runner.Start(context.Background())
	<-subscription.C()
	check(t, runner.Stop(t.Context()))
	if got = r.payment(t, p.ID); got.Progress.Status != "ACSC" || !got.Progress.Final || !got.Check.Next.IsZero() {
		t.Errorf("%s, next check %v", got.Progress.Status, got.Check.Next)
	}
}

// A service that fails is asked again later, and nothing of the payment is lost; the reason is kept.
func TestFailingChecks(t *testing.T) {
	r := newRig(t)
	p := r.pay(t)
	r.service.Refuse(asks, openbanking.Error{Code: openbanking.ASPSPError})
	for n, want := range append(slices.Clone(waits[:3]), waitWebhook, waitWebhook) {
		before := time.Now()
		var err error
		if n == 3 { // something has happened: the webhook asks by itself
			r.hook(t, finance.Delivery{WebhookID: "w", PaymentID: p.PaymentID, Status: "ACSC", Auth: "FINALISED"})
			_, err = r.Run(t.Context())
		} else {
			_, err = r.Check(t.Context(), r.user.ID, p.ID)
		}
		check(t, err)
		got := r.payment(t, p.ID)
		if got.Check.Failures != n+1 || got.Check.Error.Code != "ASPSP_ERROR" || got.Check.Error.RequestID != apitest.RequestID || got.Progress.Status != "PDNG" ||
			!got.Check.Answered.IsZero() {
			t.Errorf("%+v", got)
		}
		if wait := got.Check.Next.Sub(before); wait < want-time.Second || wait > want+5*time.Second {
			t.Errorf("after %d failures it waits %v, want %v", n+1, wait, want)
		}
	}
	r.service.Allow(asks)
	r.service.set(p.PaymentID, "ACSC", true, "")
	got, err := r.Check(t.Context(), r.user.ID, p.ID)
	check(t, err)
	if got.Progress.Status != "ACSC" || got.Approval.Status != "FINALISED" || got.Progress.Source != finance.NewsWebhook || got.Check.Failures != 0 ||
		got.Check.Error.Code != "" {
		t.Errorf("%+v", got)
	}
}

// An impatient person does not make the bank be asked again and again; one who comes back from it is not kept waiting.
func TestImpatience(t *testing.T) {
	r := newRig(t)
	r.every = time.Hour
	p := r.pay(t)
	for range 5 {
		_, err := r.Check(t.Context(), r.user.ID, p.ID)
		check(t, err)
	}
	if r.service.Count(asks) != 1 {
		t.Errorf("asked %d times", r.service.Count(asks))
	}
	r.service.set(p.PaymentID, "ACSC", true, "")
	got, err := r.Returned(t.Context(), "embedded", "browser", Return{State: finance.Secret(r.service.made[0].State)})
	check(t, err)
	if got.Progress.Status != "ACSC" || r.service.Count(asks) != 2 {
		t.Errorf("%s, asked %d times", got.Progress.Status, r.service.Count(asks))
	}
}

// Whoever holds a payment asks alone, and what a holder that lost it brings is not taken.
func TestOneAsksAtATime(t *testing.T) {
	r := newRig(t)
	p := r.pay(t)
	first, ok, err := r.Store.ClaimPaymentOf(t.Context(), r.user.ID, p.ID, 50*time.Millisecond)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if _, ok, err := r.Store.ClaimPaymentOf(t.Context(), r.user.ID, p.ID, time.Minute); ok || err != nil {
		t.Fatal(ok, err)
	}
	asked := r.service.Count(asks)
	if got, err := r.Check(t.Context(), r.user.ID, p.ID); err != nil || got.ID != p.ID || r.service.Count(asks) != asked {
		t.Errorf("%v: it was asked", err)
	}
	time.Sleep(60 * time.Millisecond)
	r.service.set(p.PaymentID, "ACSP", false, "")
	if _, err := r.Check(t.Context(), r.user.ID, p.ID); err != nil {
		t.Fatal(err)
	}
	_, _, err = r.Store.ApplyNews(t.Context(), first, finance.PaymentNews{Source: finance.NewsCheck, Status: "RCVD"},
		func(finance.Payment) time.Time { return time.Now() })
	if !errors.Is(err, store.ErrLeaseLost) || r.payment(t, p.ID).Progress.Status != "ACSP" {
		t.Errorf("%v, %s", err, r.payment(t, p.ID).Progress.Status)
	}
}

// A webhook that comes while the service is being asked is not lost: the service is asked once more.
func TestWebhookDuringACheck(t *testing.T) {
	r := newRig(t)
	p := r.pay(t)
	r.settle(t)
	claim, ok, err := r.Store.ClaimPaymentOf(t.Context(), r.user.ID, p.ID, time.Minute)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	r.service.set(p.PaymentID, "ACSC", true, "")
	r.hook(t, finance.Delivery{WebhookID: "w", PaymentID: p.PaymentID, Status: "ACSC", Auth: "FINALISED"})
	_, _, err = r.Store.ApplyNews(t.Context(), claim, finance.PaymentNews{Source: finance.NewsCheck, Status: "RCVD"},
		func(finance.Payment) time.Time { return time.Now().Add(time.Hour) })
	check(t, err)
	if r.payment(t, p.ID).Progress.Status != "RCVD" {
		t.Fatal(r.payment(t, p.ID).Progress.Status)
	}
	r.settle(t)
	if got := r.payment(t, p.ID); got.Progress.Status != "ACSC" || got.Progress.Source != finance.NewsWebhook {
		t.Errorf("%s by %s", got.Progress.Status, got.Progress.Source)
	}
}

// A webhook makes its payment due at once, however far off the next check is.
func TestWebhookMakesItsPaymentDue(t *testing.T) {
	r := newRig(t)
	p := r.pay(t)
	r.settle(t)
	if next := r.payment(t, p.ID).Check.Next; !next.After(time.Now()) {
		t.Fatalf("it is due anyway: %v", next)
	}
	r.service.set(p.PaymentID, "ACSC", true, "")
	r.hook(t, finance.Delivery{WebhookID: "w", PaymentID: p.PaymentID, Status: "ACSC", Auth: "FINALISED"})
	_, err := r.Run(t.Context())
	check(t, err)
	if got := r.payment(t, p.ID); got.Progress.Status != "ACSC" || got.Progress.Source != finance.NewsWebhook {
		t.Errorf("%s by %s", got.Progress.Status, got.Progress.Source)
	}
}

// An outcome that is unknown is found by a webhook; a payment that is none of ours is not.
func TestUnknownIsFound(t *testing.T) {
	r := newRig(t)
	r.service.fault = apitest.HangsUpLate
	p := r.pay(t)
	if p.Phase != finance.PhaseUnknown {
		t.Fatal(p.Phase)
	}
	again, err := r.Check(t.Context(), r.user.ID, p.ID)
	check(t, err)
	if again.Phase != finance.PhaseUnknown || r.service.Count(asks) != 0 {
		t.Errorf("%s: there is no call that looks for it", again.Phase)
	}
	check(t, r.Discard(t.Context(), r.user.ID, p.ID)) // the person does not want to wait
	stranger := uuid.NewString()
	r.service.Lock()
	r.service.payments[stranger] = &openbanking.Payment{PaymentID: stranger, Status: "ACSC"}
	id := r.service.order[0]
	r.service.Unlock()
	r.hook(t, finance.Delivery{WebhookID: "w1", PaymentID: stranger, Status: "ACSC"})
	r.hook(t, finance.Delivery{WebhookID: "w2", PaymentID: id, Status: "PDNG", Auth: "PENDING"})
	r.settle(t)
	got := r.payment(t, p.ID)
	if got.Phase != finance.PhaseCreated || got.PaymentID != id || got.Approval.Status != "PENDING" || got.Hidden || got.Approval.URL != "" {
		t.Errorf("%+v", got)
	}
	inbox, _, err := r.Store.Deliveries(t.Context(), false, "", 5)
	check(t, err)
	for _, d := range inbox {
		switch d.WebhookID {
		case "w1":
			if d.Result.Kind != finance.EffectNotOurs || d.LocalID != "" {
				t.Errorf("%+v", d)
			}
		case "w2":
			if d.LocalID != p.ID || d.Applied.IsZero() {
				t.Errorf("%+v", d)
			}
		}
	}
	if outcome := r.hook(t, finance.Delivery{WebhookID: "w3", PaymentID: uuid.NewString(), Status: "PDNG"}); outcome != finance.DeliveryForeign {
		t.Errorf("nothing is unknown any more: %v", outcome)
	}
}

// What was put away stays away while nothing moves, and comes back when it does.
func TestDiscarding(t *testing.T) {
	r := newRig(t)
	draft := r.draft(t)
	check(t, r.Discard(t.Context(), r.user.ID, draft.ID))
	if p := r.payment(t, draft.ID); p.Phase != finance.PhaseDiscarded {
		t.Error(p.Phase)
	}
	if _, err := r.Confirm(t.Context(), r.user.ID, Confirmation{ID: draft.ID, ReviewHash: draft.Order.ReviewHash(), Browser: "b"}); !errors.Is(err,
		ErrSent) || r.service.Count(creates) != 0 {
		t.Errorf("%v, %d posts", err, r.service.Count(creates))
	}
	p := r.pay(t)
	check(t, r.Discard(t.Context(), r.user.ID, p.ID))
	if list, _, err := r.Store.Payments(t.Context(), r.user.ID, store.PaymentFilter{}, 10); err != nil || len(list) != 0 {
		t.Errorf("%v: %d in the list", err, len(list))
	}
	r.settle(t)
	if !r.payment(t, p.ID).Hidden {
		t.Error("it came back though nothing moved")
	}
	r.service.set(p.PaymentID, "ACSP", false, "")
	_, err := r.Check(t.Context(), r.user.ID, p.ID)
	check(t, err)
	if r.payment(t, p.ID).Hidden {
		t.Error("money moves and nobody sees it")
	}
}

// What the bank says the payment is stays with it: the account that was chosen there, and the status of each transfer.
func TestReadBack(t *testing.T) {
	r := newRig(t)
	p := r.pay(t)
	r.service.Lock()
	wire := r.service.payments[p.PaymentID]
	wire.Status = "ACSP"
	wire.PaymentDetails.DebtorAccount = &openbanking.GenericIdentification{Identification: "FI2112345600000785", SchemeName: "IBAN"}
	wire.PaymentDetails.CreditTransferTransaction[0].TransactionStatus = new(openbanking.PaymentStatusACSP)
	r.service.Unlock()
	got, err := r.Check(t.Context(), r.user.ID, p.ID)
	check(t, err)
	if d := got.Progress.ReadBack.DebtorAccount; d == nil || d.Identification != "FI2112345600000785" || len(got.Changes()) != 0 {
		t.Errorf("%+v", got.Progress.ReadBack)
	}
	transfers, err := r.Store.PaymentTransfers(t.Context(), r.user.ID, p.ID)
	check(t, err)
	if len(transfers) != 1 || transfers[0].Status != "ACSP" || transfers[0].TransactionID != "t1" {
		t.Errorf("%+v", transfers)
	}
}

// A webhook that overtakes the answer of POST /payments is looked for, and the answer is stored meanwhile: what the webhook alone knows is not lost.
func TestWebhookBeforeTheAnswer(t *testing.T) {
	for name, known := range map[string]bool{"the service names the payment": true, "the service does not": false} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			draft := r.draft(t)
			_, err := r.Store.StartSending(t.Context(), r.user.ID, draft.ID, store.Sending{State: "s", Browser: "b", Lifetime: time.Minute, Answer: time.Minute},
				func(finance.Payment, []finance.PastTransfer, []finance.Payee) error { return nil })
			check(t, err)
			id := uuid.NewString()
			wire := &openbanking.Payment{PaymentID: id, Status: "PDNG"}
			if known {
				wire.PaymentDetails.PaymentInformationID = draft.Order.Request.PaymentInformationID
			}
			r.service.Lock()
			r.service.payments[id] = wire
			var once sync.Once
			r.service.pause = func() {
				once.Do(func() {
					_, err := r.Store.PaymentCreated(context.Background(), r.user.ID, draft.ID, store.CreatedPayment{PaymentID: id, Status: "PDNG"})
					if err != nil {
						t.Error(err)
					}
				})
			}
			r.service.Unlock()
			if outcome := r.hook(t, finance.Delivery{WebhookID: "w", PaymentID: id, Status: "PDNG", Auth: "FINALISED"}); outcome != finance.DeliveryNew {
				t.Fatal(outcome)
			}
			_, err = r.Find(t.Context())
			check(t, err)
			r.settle(t)
			if p := r.payment(t, draft.ID); p.Approval.Status != "FINALISED" || p.Approval.Source != finance.NewsWebhook {
				t.Errorf("auth %q by %q", p.Approval.Status, p.Approval.Source)
			}
			all, _, err := r.Store.Deliveries(t.Context(), false, "", 10)
			check(t, err)
			if len(all) != 1 || all[0].LocalID != draft.ID || all[0].Applied.IsZero() ||
				slices.Contains([]finance.EffectKind{finance.EffectNone, finance.EffectFinal, finance.EffectNotOurs, finance.EffectStillSending},
					all[0].Result.Kind) {
				t.Errorf("%+v", all)
			}
		})
	}
}

// The service lists the transfers of a bulk in the order it likes. A transfer that arrived is never taken for the one that came to nothing: it would
// be paid again.
func TestStatusesOfABulkInAnyOrder(t *testing.T) {
	r := newRig(t)
	o := order("12.30", "Anna", ibanACME)
	o.Type = openbanking.PaymentTypeBulkSEPA
	o.Request.CreditTransferTransaction = append(o.Request.CreditTransferTransaction, order("7.00", "Bert", ibanOther).Request.CreditTransferTransaction...)
	draft, err := r.Save(t.Context(), r.user.ID, finance.NewID(), o, "")
	check(t, err)
	p, err := r.Confirm(t.Context(), r.user.ID, r.confirmation(t, draft.ID))
	check(t, err)
	r.service.Lock()
	wire := r.service.payments[p.PaymentID]
	wire.Status, wire.FinalStatus = "PART", true
	all := wire.PaymentDetails.CreditTransferTransaction
	all[0].TransactionStatus, all[1].TransactionStatus = new(openbanking.PaymentStatusACSC), new(openbanking.PaymentStatusRJCT)
	slices.Reverse(all)
	r.service.Unlock()
	p, err = r.Check(t.Context(), r.user.ID, p.ID)
	check(t, err)
	transfers, err := r.Store.PaymentTransfers(t.Context(), r.user.ID, p.ID)
	check(t, err)
	if len(transfers) != 2 || transfers[0].Payee != "Anna" || transfers[0].Status != "ACSC" || transfers[1].Status != "RJCT" {
		t.Errorf("%+v", transfers)
	}
	if changes := p.Changes(); changes != nil {
		t.Errorf("%+v", changes)
	}
}

// A booking that the sync brings is offered while an outcome is unknown, and matched with its payment, which its page hears of after it is there.
func TestMatch(t *testing.T) {
	r := newRig(t)
	p := r.pay(t)
	if next, err := r.Match(t.Context()); err != nil || !next.IsZero() {
		t.Errorf("%v: it looks again at %v, though a sync wakes it", err, next)
	}
	date := openbanking.DateOf(time.Now())
	r.book(t, openbanking.Transaction{EntryReference: new("R-1"), TransactionAmount: openbanking.AmountType{Currency: "EUR", Amount: "12.30"},
		CreditDebitIndicator: "DBIT", Status: "BOOK", BookingDate: &date,
		Creditor: &openbanking.PartyIdentification{Name: new("ACME GmbH")}, CreditorAccount: &openbanking.AccountIdentification{IBAN: new(ibanACME)}})
	candidates, err := r.Candidates(t.Context(), r.user.ID, p.ID)
	check(t, err)
	if len(candidates) != 1 || candidates[0].Amount.String() != "-12.30" {
		t.Fatalf("%+v", candidates)
	}
	if others, err := r.Candidates(t.Context(), "somebody else", p.ID); err != nil || len(others) != 0 {
		t.Errorf("%v, %+v", err, others)
	}
	subscription := r.Hub.Subscribe(r.user.ID)
	defer subscription.Close()
	_, err = r.Match(t.Context())
	check(t, err)
	if e := <-subscription.C(); e != (live.Event{Topic: Topic, ID: p.ID}) {
		t.Errorf("%+v", e)
	}
	got, place, err := r.Store.PaymentsOfBooking(t.Context(), r.user.ID, candidates[0].ID)
	check(t, err)
	events, err := r.Store.PaymentEvents(t.Context(), r.user.ID, p.ID)
	check(t, err)
	if len(got) != 1 || got[0].ID != p.ID || place != (finance.BookingPlace{PaymentID: p.ID}) || events[len(events)-1].Kind != finance.EventBooked {
		t.Errorf("%+v, %+v, %+v", got, place, events[len(events)-1])
	}
	if candidates, err = r.Candidates(t.Context(), r.user.ID, p.ID); err != nil || len(candidates) != 0 {
		t.Errorf("%v: what was found is still offered: %+v", err, candidates)
	}
	_, err = r.Match(t.Context())
	check(t, err)
	select {
	case e := <-subscription.C():
		t.Errorf("nothing changed, and it tells %+v", e)
	default:
	}
}

// A payment that turns out to be rejected gives up a booking that only looked like its own.
func TestNewsOfAPaymentMatchAnew(t *testing.T) {
	r := newRig(t)
	p := r.pay(t)
	date := openbanking.DateOf(time.Now())
	r.book(t, openbanking.Transaction{EntryReference: new("R-1"), TransactionAmount: openbanking.AmountType{Currency: "EUR", Amount: "12.30"},
		CreditDebitIndicator: "DBIT", Status: "BOOK", BookingDate: &date,
		CreditorAccount: &openbanking.AccountIdentification{IBAN: new(ibanACME)}})
	runner := jobs.NewRunner(r.Log)
	r.Register(runner)
	runner.Start(context.Background())
	defer func() { check(t, runner.Stop(context.Background())) }()
	subscription := r.Hub.Subscribe(r.user.ID)
	defer subscription.Close()
	until := func(want int) {
		t.Helper()
		for {
			rows, err := r.Store.PaymentBookings(t.Context(), r.user.ID, p.ID)
			check(t, err)
			if len(rows) == want {
				return
			}
			select {
			case <-subscription.C():
			case <-t.Context().Done():
				t.Fatal(t.Context().Err())
			}
		}
	}
	until(1)
	r.service.set(p.PaymentID, "RJCT", true, "AM04")
	_, err := r.Check(t.Context(), r.user.ID, p.ID)
	check(t, err)
	until(0)
}

// A provider without PIS offers no payments, and one that does not answer is not known.
func TestOffers(t *testing.T) {
	r := newRig(t)
	offers, err := r.Offers(t.Context())
	check(t, err)
	if len(offers) != 1 || !offers[0].Allowed || !offers[0].Simulated || offers[0].Problem != nil {
		t.Errorf("%+v", offers)
	}
	r.restart(t)
	r.service.services = []openbanking.Service{openbanking.ServiceAIS}
	if offers, err = r.Offers(t.Context()); err != nil || offers[0].Allowed || offers[0].Problem != nil {
		t.Errorf("%v %+v", err, offers)
	}
	r.restart(t)
	r.service.Close()
	if offers, err = r.Offers(t.Context()); err != nil || offers[0].Allowed || offers[0].Problem == nil {
		t.Errorf("%v %+v", err, offers)
	}
}
