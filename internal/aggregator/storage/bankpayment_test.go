package storage

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
)

func newOrderFlow(id, orderID string) aggregator.BankFlow {
	flow := newBankFlow(id)
	request := flow.Request.BankRequest
	flow.Request = aggregator.ConsentRequest{BankRequest: request}
	flow.Secret = "secret"
	flow.Order = &aggregator.PaymentOrder{BankRequest: request, ID: orderID, Type: openbanking.PaymentTypeSEPA}
	flow.Order.Payment.CreditTransferTransaction = []openbanking.CreditTransferTransaction{{
		InstructedAmount: openbanking.AmountType{Currency: "EUR", Amount: "5.00"},
		Beneficiary: openbanking.Beneficiary{CreditorAccount: openbanking.GenericIdentification{Identification: "DE02120300000000202051",
			SchemeName: openbanking.SchemeNameIBAN}},
	}}
	return flow
}

func newBankOrder(flow aggregator.BankFlow) *aggregator.BankOrder {
	at := flow.Created
	return &aggregator.BankOrder{
		ASPSP: flow.ASPSP, Order: *flow.Order, Username: "lena", Account: "A", Approved: at,
		Plan: aggregator.BankPlan{
			Steps: []aggregator.BankPlanStep{{At: at.Add(time.Second), Status: openbanking.PaymentStatusACSP},
				{At: at.Add(2 * time.Second), Status: openbanking.PaymentStatusACSC}},
			Transfers: []aggregator.BankTransfer{{
				Steps: []aggregator.BankPlanStep{{At: at.Add(time.Second), Status: openbanking.PaymentStatusACSP},
					{At: at.Add(2 * time.Second), Status: openbanking.PaymentStatusACSC}},
				Debit: 500, Credit: 500, Creditor: &aggregator.BankAccountKey{ASPSP: openbanking.ASPSP{Name: "Other", Country: "FI"}, Reference: "B"},
				Shown: at.Add(time.Second), Booked: at.Add(2 * time.Second), Credited: at.Add(2 * time.Second),
			}},
		},
	}
}

// rejectedOrder is an order of which no ledger shows anything.
func rejectedOrder(flow aggregator.BankFlow) *aggregator.BankOrder {
	o := newBankOrder(flow)
	step := aggregator.BankPlanStep{At: flow.Created.Add(time.Second), Status: openbanking.PaymentStatusRJCT,
		Reason: &openbanking.StatusReasonInformation{StatusReasonCode: "AM04", StatusReasonDescription: "Insufficient funds"}}
	o.Plan = aggregator.BankPlan{Steps: []aggregator.BankPlanStep{step}, Transfers: []aggregator.BankTransfer{{Steps: []aggregator.BankPlanStep{step}}}}
	return o
}

func approveOrder(t *testing.T, store *Store, flow aggregator.BankFlow, order *aggregator.BankOrder) {
	t.Helper()
	if err := store.AddBankFlow(t.Context(), flow); err != nil {
		t.Fatal(err)
	}
	err := store.ApproveBankOrder(t.Context(), flow.ID, func(f *aggregator.BankFlow, _ aggregator.BankOrders) (*aggregator.BankOrder, error) {
		f.Step, f.CodeHash = aggregator.BankFlowApproved, hash(f.ID)
		return order, nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestBankOrderIsReadBackAsItWasWritten(t *testing.T) {
	store, ctx := bankFlowStore(t), t.Context()
	flow := newOrderFlow("flow", "order")
	want := newBankOrder(flow)
	if _, err := store.BankOrder(ctx, flow.ASPSP, "order"); !errors.Is(err, aggregator.ErrNotFound) {
		t.Error(err)
	}
	approveOrder(t, store, flow, want)
	want.Number = 1
	flow.Step, flow.CodeHash = aggregator.BankFlowApproved, hash(flow.ID)
	if got, err := store.BankFlow(ctx, "flow"); err != nil || !reflect.DeepEqual(got, flow) {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := store.BankOrder(ctx, flow.ASPSP, "order"); err != nil || !reflect.DeepEqual(got, *want) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, a := range want.Accounts() {
		if got, err := store.BankOrders(ctx, a, 0); err != nil || len(got) != 1 || !reflect.DeepEqual(got[0], *want) {
			t.Errorf("%v: %+v, %v", a, got, err)
		}
		if got, err := store.BankOrders(ctx, a, 1); err != nil || len(got) != 0 {
			t.Errorf("%v: %+v, %v", a, got, err)
		}
	}
	if got, err := store.BankOrders(ctx, aggregator.BankAccountKey{ASPSP: flow.ASPSP, Reference: "B"}, 0); err != nil || len(got) != 0 {
		t.Errorf("an account of the other bank: %+v, %v", got, err)
	}
	if flows, err := store.BankConsents(ctx, flow.ASPSP, ""); err != nil || len(flows) != 0 {
		t.Errorf("a payment is listed as a consent: %+v, %v", flows, err)
	}
}

// A bank takes an order once: a second approval changes nothing of it, and is none the less one.
func TestBankOrderIsTakenOnce(t *testing.T) {
	store, ctx := bankFlowStore(t), t.Context()
	first := newOrderFlow("first", "order")
	approveOrder(t, store, first, newBankOrder(first))
	second := newOrderFlow("second", "order")
	again := newBankOrder(second)
	again.Account = "C"
	approveOrder(t, store, second, again)
	if got, err := store.BankOrder(ctx, first.ASPSP, "order"); err != nil || got.Account != "A" {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := store.BankOrders(ctx, aggregator.BankAccountKey{ASPSP: first.ASPSP, Reference: "C"}, 0); err != nil || len(got) != 0 {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := store.BankFlow(ctx, "second"); err != nil || got.Step != aggregator.BankFlowApproved {
		t.Errorf("%+v, %v", got, err)
	}
	elsewhere := newOrderFlow("third", "order") // ids are those of the service, and count for each bank
	elsewhere.ASPSP.Country = "AT"
	approveOrder(t, store, elsewhere, newBankOrder(elsewhere))
	if got, err := store.BankOrder(ctx, elsewhere.ASPSP, "order"); err != nil || got.Number != 2 {
		t.Errorf("%+v, %v", got, err)
	}
}

// Approvals at once are one after the other: each sees the orders before it.
func TestBankOrdersAreApprovedOneAfterTheOther(t *testing.T) {
	store := bankFlowStore(t)
	const n = 20
	done := make(chan error)
	for i := range n {
		flow := newOrderFlow(fmt.Sprint("flow ", i), fmt.Sprint("order ", i))
		if err := store.AddBankFlow(t.Context(), flow); err != nil {
			t.Fatal(err)
		}
		go func() {
			done <- store.ApproveBankOrder(context.Background(), flow.ID,
				func(f *aggregator.BankFlow, orders aggregator.BankOrders) (*aggregator.BankOrder, error) {
					before, err := orders(aggregator.BankAccountKey{ASPSP: f.ASPSP, Reference: "A"}, 0)
					if err != nil {
						return nil, err
					}
					order := newBankOrder(flow)
					order.Plan.Transfers[0].Debit = int64(len(before))
					f.Step, f.CodeHash = aggregator.BankFlowApproved, hash(f.ID)
					return order, nil
				})
		}()
	}
	for range n {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	orders, err := store.BankOrders(t.Context(), aggregator.BankAccountKey{ASPSP: newBankFlow("").ASPSP, Reference: "A"}, 0)
	if err != nil || len(orders) != n {
		t.Fatalf("%d, %v", len(orders), err)
	}
	for i, o := range orders {
		if o.Number != int64(i+1) || o.Plan.Transfers[0].Debit != int64(i) {
			t.Errorf("order %d: number %d, saw %d before it", i, o.Number, o.Plan.Transfers[0].Debit)
		}
	}
}

// What fails writes neither the flow nor the order; what approves nothing writes the flow.
func TestApprovalThatFailsWritesNothing(t *testing.T) {
	store, ctx := bankFlowStore(t), t.Context()
	flow := newOrderFlow("flow", "order")
	if err := store.AddBankFlow(ctx, flow); err != nil {
		t.Fatal(err)
	}
	refused := errors.New("refused")
	err := store.ApproveBankOrder(ctx, "flow", func(f *aggregator.BankFlow, _ aggregator.BankOrders) (*aggregator.BankOrder, error) {
		f.Failures++
		return newBankOrder(flow), refused
	})
	if !errors.Is(err, refused) {
		t.Error(err)
	}
	if got, err := store.BankFlow(ctx, "flow"); err != nil || got.Failures != 0 {
		t.Errorf("%+v, %v", got, err)
	}
	err = store.ApproveBankOrder(ctx, "flow", func(f *aggregator.BankFlow, _ aggregator.BankOrders) (*aggregator.BankOrder, error) {
		f.Failures++
		return nil, nil
	})
	if err != nil {
		t.Error(err)
	}
	if got, err := store.BankFlow(ctx, "flow"); err != nil || got.Failures != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := store.BankOrder(ctx, flow.ASPSP, "order"); !errors.Is(err, aggregator.ErrNotFound) {
		t.Error(err)
	}
	if err := store.ApproveBankOrder(ctx, "none", nil); !errors.Is(err, aggregator.ErrNotFound) {
		t.Error(err)
	}
}

// PURGE takes orders that left nothing in a ledger; what a ledger shows stays.
func TestPurgeKeepsPaymentsThatALedgerShows(t *testing.T) {
	store, ctx := bankFlowStore(t), t.Context()
	for id, order := range map[string]func(aggregator.BankFlow) *aggregator.BankOrder{"rejected": rejectedOrder, "other rejected": rejectedOrder} {
		flow := newOrderFlow("flow of "+id, id)
		approveOrder(t, store, flow, order(flow))
	}
	flow := newOrderFlow("flow", "paid")
	approveOrder(t, store, flow, newBankOrder(flow))
	for _, test := range []struct {
		before time.Time
		kept   bool
	}{{flow.Created.Add(time.Second), true}, {flow.Created.AddDate(10, 0, 0), false}} {
		if err := store.PurgeBankFlows(ctx, test.before); err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{"rejected", "other rejected"} {
			if _, err := store.BankOrder(ctx, flow.ASPSP, id); errors.Is(err, aggregator.ErrNotFound) == test.kept {
				t.Errorf("%s: %v", id, err)
			}
		}
		if orders, err := store.BankOrders(ctx, aggregator.BankAccountKey{ASPSP: flow.ASPSP, Reference: "A"}, 0); err != nil || len(orders) != 1 {
			t.Errorf("%+v, %v", orders, err)
		}
	}
	// A number is not given again, even when the last order was purged.
	last := newOrderFlow("last", "last")
	approveOrder(t, store, last, rejectedOrder(last))
	if err := store.PurgeBankFlows(ctx, flow.Created.AddDate(10, 0, 0)); err != nil {
		t.Fatal(err)
	}
	next := newOrderFlow("next", "next")
	approveOrder(t, store, next, newBankOrder(next))
	if got, err := store.BankOrder(ctx, next.ASPSP, "next"); err != nil || got.Number != 5 {
		t.Errorf("%+v, %v", got, err)
	}
}
