package store

import (
	"errors"
	"testing"
	"time"

	"florin/internal/finance"
	"florin/internal/openbanking"
)

// Tasks of a killed process are due at once for the next process, whatever their leases.
func TestLeasesOfADeadProcessEnd(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user := b.user(t, "a@example.org")
	b.link(t, user, "s", resource("h", "EUR", "uid"))
	dead := map[string]Claim{}
	for range perProvider {
		c, ok, _, err := b.ClaimTask(ctx, time.Hour)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		dead[c.Task.ID] = c
	}
	asked := b.sent(t, user, "p1", order(transfer("A", ibanDE, "5")))
	claim, ok, err := b.ClaimPaymentOf(ctx, user.ID, asked.ID, time.Hour)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	unsent := must(b.SaveDraft(ctx, user.ID, finance.NewID(), order(transfer("B", ibanDE, "6")), ""))(t)
	must(b.StartSending(ctx, user.ID, unsent.ID, Sending{State: "state", Browser: "b", Lifetime: time.Hour, Answer: time.Hour}, agree))(t)
	must(b.KeepDelivery(ctx, finance.Delivery{ProviderID: "embedded", WebhookID: "w", PaymentID: "stray", Status: "ACSC", BodyHash: "h", Body: "{}", Size: 2,
		Answer: 200, Triggered: time.Now()}))(t)
	if _, _, ok, _, err := b.ClaimStray(ctx, strayLease); err != nil || !ok {
		t.Fatal(ok, err)
	}
	attempt := must(b.CreateAttempt(ctx, finance.LinkAttempt{UserID: user.ID, ProviderID: "embedded", ASPSP: bank, PSUType: "personal",
		ValidUntil: time.Now().Add(time.Hour)}, "used", "b", time.Hour))(t)
	check(t, b.OpenAttempt(ctx, user.ID, attempt.ID, "u", "p"))
	must(b.UseAttempt(ctx, "embedded", "used", "b"))(t)

	b.reopen(t)
	if _, ok, _, err := b.ClaimTask(ctx, time.Hour); ok || err != nil {
		t.Fatal("the leases are over without a start", err)
	}
	check(t, b.TakeOver(ctx))
	for range finance.Scopes() {
		c, ok, _, err := b.ClaimTask(ctx, time.Hour)
		if err != nil || !ok {
			t.Fatal("a task is not taken over", err)
		}
		if err := b.KeepTask(ctx, dead[c.Task.ID], time.Hour); !errors.Is(err, ErrLeaseLost) {
			t.Errorf("the killed process still has the lease of %s: %v", c.Task.Scope, err)
		}
		check(t, b.FailTask(ctx, c, finance.Failure{}, time.Now().Add(time.Hour), false))
	}
	if _, ok, err := b.ClaimPaymentOf(ctx, user.ID, asked.ID, time.Hour); err != nil || !ok {
		t.Error("a payment is not taken over", err)
	}
	if err := b.ReleasePayment(ctx, claim); !errors.Is(err, ErrLeaseLost) {
		t.Errorf("the killed process still has the lease of a payment: %v", err)
	}
	lost, _, err := b.SweepSending(ctx)
	if err != nil || len(lost) != 1 || lost[0].ID != unsent.ID || lost[0].Phase != finance.PhaseUnknown {
		t.Errorf("%+v %v", lost, err)
	}
	if _, _, ok, _, err := b.ClaimStray(ctx, strayLease); err != nil || !ok {
		t.Error("a webhook is not taken over", err)
	}
	if a := must(b.Attempt(ctx, user.ID, attempt.ID))(t); a.Status != finance.AttemptFailed || a.Failure.Code != finance.FailureStopped {
		t.Errorf("%+v", a)
	}
}

// When a clock that was ahead is corrected, everything that it postponed too far becomes due. What a schedule could have set stays unchanged.
func TestWhatAWrongClockMadeDueIsDueNow(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user := b.user(t, "a@example.org")
	done, _ := b.link(t, user, "s", resource("h", "EUR", "uid"))
	p := b.sent(t, user, "p1", order(transfer("A", ibanDE, "5")))
	unsent := must(b.SaveDraft(ctx, user.ID, finance.NewID(), order(transfer("B", ibanDE, "6")), ""))(t)
	must(b.StartSending(ctx, user.ID, unsent.ID, Sending{State: "state", Browser: "b", Lifetime: time.Hour, Answer: time.Hour}, agree))(t)
	must(b.KeepDelivery(ctx, finance.Delivery{ProviderID: "embedded", WebhookID: "w", PaymentID: "stray", Status: "ACSC", BodyHash: "h", Body: "{}", Size: 2,
		Answer: 200, Triggered: time.Now()}))(t)
	const ahead = `'9999-12-31T23:59:59.000Z'`
	b.exec(t, `UPDATE sync_task SET next_attempt_at = `+ahead+`, last_success_at = `+ahead+`, first_success_at = `+ahead)
	b.exec(t, `UPDATE sync_task SET state = 'running', lease = 'l', lease_until = `+ahead+` WHERE scope = 'details'`)
	b.exec(t, `UPDATE payment SET next_check_at = `+ahead+`, lease = 'l', lease_until = `+ahead+` WHERE id = $1`, p.ID)
	b.exec(t, `UPDATE payment SET sending_until = `+ahead+` WHERE id = $1`, unsent.ID)
	b.exec(t, `UPDATE webhook_delivery SET next_try_at = `+ahead)
	if _, ok, _, err := b.ClaimTask(ctx, lease); ok || err != nil {
		t.Fatal(ok, err)
	}
	n, err := b.ClampDue(ctx)
	if err != nil || n != 7 {
		t.Errorf("%d rows, %v", n, err)
	}
	for range finance.Scopes() {
		c, ok, _, err := b.ClaimTask(ctx, lease)
		if !ok || err != nil {
			t.Fatal("a task is not due", err)
		}
		check(t, b.FailTask(ctx, c, finance.Failure{}, time.Now().Add(time.Hour), false))
	}
	if _, ok, _, err := b.ClaimPayment(ctx, lease); !ok || err != nil {
		t.Error("a payment is not due", err)
	}
	if _, _, ok, _, err := b.ClaimStray(ctx, lease); !ok || err != nil {
		t.Error("a webhook is not due", err)
	}
	if lost, _, err := b.SweepSending(ctx); len(lost) != 1 || err != nil {
		t.Error(lost, err)
	}
	b.exec(t, `UPDATE sync_task SET next_attempt_at = $1 WHERE connection_id = $2`, time.Now().Add(25*time.Hour).UTC().Format("2006-01-02T15:04:05.000Z"),
		done.ConnectionID)
	if n, err := b.ClampDue(ctx); n != 0 || err != nil {
		t.Errorf("%d rows that a schedule gave, %v", n, err)
	}
}

// When a bank is linked again, a limit that the service set for a very long time is cleared.
func TestLinkingAgainClearsALimit(t *testing.T) {
	b := newBed(t)
	user := b.user(t, "a@example.org")
	done, _ := b.link(t, user, "s", resource("h", "EUR", "uid"))
	b.exec(t, `UPDATE sync_task SET next_attempt_at = '9999-12-31T23:59:59.000Z', attempts = 9, last_error_code = 'ASPSP_RATE_LIMIT_EXCEEDED'`)
	again, _ := b.link(t, user, "s2", resource("h", "EUR", "uid2"))
	if again.ConnectionID != done.ConnectionID {
		t.Fatal("it is another connection")
	}
	for range finance.Scopes() {
		c, ok, _, err := b.ClaimTask(t.Context(), lease)
		if !ok || err != nil || c.Task.Attempts != 0 || c.Task.LastError.Code != "" {
			t.Fatalf("%+v %v", c.Task, err)
		}
		check(t, b.FailTask(t.Context(), c, finance.Failure{}, time.Now().Add(time.Hour), false))
	}
}

// At most two tasks of each provider run at a time, so that a provider that does not answer delays no other. When a bank does not answer, its tasks wait.
func TestAProviderGetsTwoTasksAtATime(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user := b.user(t, "a@example.org")
	hanging, _ := b.link(t, user, "s", resource("h1", "EUR", "u1"), resource("h2", "EUR", "u2"), resource("h3", "EUR", "u3"))
	var held []Claim
	for range perProvider {
		c, ok, _, err := b.ClaimTask(ctx, lease)
		if !ok || err != nil {
			t.Fatal(ok, err)
		}
		held = append(held, c)
	}
	if c, ok, next, err := b.ClaimTask(ctx, lease); ok || err != nil || !next.After(time.Now()) {
		t.Fatalf("a third of %d tasks was given out: %+v, next %s, %v", 9, c.Task, next, err)
	}
	check(t, b.SaveProvider(ctx, finance.Provider{ID: "other", Name: "Other", BaseURL: "http://localhost:2", ApplicationID: "app2",
		Environment: openbanking.EnvironmentSandbox, PrivateKey: canaryKey}))
	b.exec(t, `INSERT INTO connection (id, user_id, provider_id, aspsp_name, country, psu_type, status, session_id, valid_until, created, authorized)
		SELECT 'healthy', user_id, 'other', 'Healthy', country, psu_type, status, '', valid_until, created, authorized FROM connection WHERE id = $1`, hanging.ConnectionID)
	b.exec(t, `INSERT INTO account (id, user_id, connection_id, hash, bank_currency, currency, uid, holder, details, product, type, usage, iban, number, scheme, credit_limit, original, created)
		SELECT 'sound', user_id, 'healthy', 'x', bank_currency, currency, 'u', holder, details, product, type, usage, iban, number, scheme, credit_limit, original, created FROM account LIMIT 1`)
	b.exec(t, `INSERT INTO sync_task (id, user_id, connection_id, account_id, scope, state, next_attempt_at) SELECT 'sound', user_id, 'healthy', 'sound', 'balances', 'waiting', next_attempt_at FROM sync_task LIMIT 1`)
	sound, ok, _, err := b.ClaimTask(ctx, lease)
	if !ok || err != nil || sound.ProviderID != "other" || sound.ASPSP.Name != "Healthy" {
		t.Fatalf("%v %v %+v", ok, err, sound)
	}

	until := time.Now().Add(time.Minute)
	check(t, b.PauseBank(ctx, held[0], until))
	for _, k := range must(b.Tasks(ctx, user.ID, hanging.ConnectionID))(t) {
		if k.State == finance.TaskWaiting && k.NextAttempt.Before(until.Truncate(time.Millisecond)) {
			t.Errorf("%s is not paused", k.Scope)
		}
	}
	check(t, b.ReleaseTask(ctx, sound))
	if again, ok, _, err := b.ClaimTask(ctx, lease); !ok || err != nil || again.ProviderID != "other" {
		t.Errorf("the pause of one bank is that of another: %v %v", ok, err)
	}
}
