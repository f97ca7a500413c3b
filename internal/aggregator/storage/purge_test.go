package storage

import (
	"errors"
	"strings"
	"testing"
	"time"

	"florin/internal/aggregator"
)

func TestPurgeDeletesVisitsThatCameToNothing(t *testing.T) {
	store, ctx := open(t), t.Context()
	late := newBankFlow("x").Expires.Add(keepVisits + time.Second)
	for step, kept := range map[aggregator.BankFlowStep]bool{
		aggregator.BankFlowSignIn: false, aggregator.BankFlowOTP: false, aggregator.BankFlowApproval: false, aggregator.BankFlowApproved: false,
		aggregator.BankFlowDeclined: false, aggregator.BankFlowBlocked: false, aggregator.BankFlowFinished: true, aggregator.BankFlowEnded: true,
	} {
		flow := newBankFlow(string(step))
		if flow.Step = step; kept || step == aggregator.BankFlowApproved {
			flow.CodeHash = hash(flow.ID)
		}
		if err := store.AddBankFlow(ctx, flow); err != nil {
			t.Fatal(err)
		}
		if err := store.Purge(ctx, late.Add(-time.Minute)); err != nil {
			t.Fatal(err)
		}
		if _, err := store.BankFlow(ctx, flow.ID); err != nil {
			t.Errorf("%s: gone too soon: %v", step, err)
		}
		if err := store.Purge(ctx, late); err != nil {
			t.Fatal(err)
		}
		if _, err := store.BankFlow(ctx, flow.ID); errors.Is(err, aggregator.ErrNotFound) == kept {
			t.Errorf("%s: %v", step, err)
		}
	}
}

func TestPurgeDeletesAuthorizationsThatCameToNothing(t *testing.T) {
	store, ctx := open(t), t.Context()
	application(t, store)
	pending(t, store, "open")
	for id, event := range map[string]aggregator.Event{"cancelled": aggregator.EventCancelled, "late": aggregator.EventFailed} {
		pending(t, store, id)
		if err := store.End(ctx, id, event, epoch); err != nil {
			t.Fatal(err)
		}
	}
	remain := func() string {
		var ids []string
		for _, id := range []string{"open", "cancelled", "late"} {
			if _, err := store.SessionByAuthorization(ctx, id); err == nil {
				ids = append(ids, id)
			} else if !errors.Is(err, aggregator.ErrNotFound) {
				t.Fatal(err)
			}
		}
		return strings.Join(ids, " ")
	}
	if err := store.Purge(ctx, epoch.Add(keepAuthorizations)); err != nil {
		t.Fatal(err)
	}
	if got := remain(); got != "open cancelled late" {
		t.Errorf("too soon: %s remain", got)
	}
	if err := store.Purge(ctx, epoch.Add(keepAuthorizations+time.Second)); err != nil {
		t.Fatal(err)
	}
	if got := remain(); got != "open" {
		t.Errorf("%s remain", got)
	}
}
