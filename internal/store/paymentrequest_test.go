package store

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/openbanking"
)

// asks makes a request for a payment from one person to another.
func (b *bed) asks(t testing.TB, asker, payer string) finance.PaymentRequest {
	t.Helper()
	id := must(b.AskForPayment(t.Context(), asker, requestTo(payer)))(t)
	return must(b.PaymentRequest(t.Context(), asker, id))(t)
}

func requestTo(payer string) finance.PaymentRequest {
	return finance.PaymentRequest{FormKey: finance.NewID(), Payer: finance.Person{ID: payer}, Payee: "Plumber", IBAN: ibanDE,
		Amount: money.FromMinor(5000, "EUR"), Text: "Invoice 7", Day: "2026-12-01", Note: "the tap"}
}

// TestWhoSeesAPaymentRequest: only people who have accounts, or could have, ask each other. Only the two people of a request see it, and each can do only their
// own part.
func TestWhoSeesAPaymentRequest(t *testing.T) {
	b, ctx := newBed(t), t.Context()
	people := map[string]finance.Role{"owner": finance.RoleOwner, "member": finance.RoleMember, "other": finance.RoleMember, "viewer": finance.RoleViewer}
	ids := map[string]string{"nobody": "NOBODY"}
	for name, role := range people {
		ids[name] = must(b.CreateUser(ctx, name+"@example.org", role, "hash"))(t).ID
	}
	for asker := range ids {
		var askable []string
		for _, p := range must(b.Askable(ctx, ids[asker]))(t) {
			askable = append(askable, p.Email)
		}
		for payer := range ids {
			t.Run(asker+" asks "+payer, func(t *testing.T) {
				may := asker != payer && asker != "viewer" && payer != "viewer" && asker != "nobody" && payer != "nobody"
				if got := slices.Contains(askable, payer+"@example.org"); got != may {
					t.Errorf("is offered: %t, want %t", got, may)
				}
				form := requestTo(ids[payer])
				id, err := b.AskForPayment(ctx, ids[asker], form)
				if !may {
					if !errors.Is(err, finance.ErrNotFound) {
						t.Fatal(err)
					}
					return
				}
				check(t, err)
				if again := must(b.AskForPayment(ctx, ids[asker], form))(t); again != id {
					t.Error("the form, sent twice, is two requests")
				}
				for who, user := range ids {
					r, err := b.PaymentRequest(ctx, user, id)
					_, declined := b.DeclineRequest(ctx, user, id, "")
					if who != payer && !errors.Is(declined, finance.ErrNotFound) {
						t.Errorf("%s declines: %v", who, declined)
					}
					if who == payer {
						check(t, declined)
						b.exec(t, `UPDATE payment_request SET state = 'asked' WHERE id = $1`, id)
					}
					_, withdrawn := b.WithdrawRequest(ctx, user, id)
					if who != asker && !errors.Is(withdrawn, finance.ErrNotFound) {
						t.Errorf("%s withdraws: %v", who, withdrawn)
					}
					if who == asker {
						check(t, withdrawn)
						b.exec(t, `UPDATE payment_request SET state = 'asked' WHERE id = $1`, id)
					}
					if who != asker && who != payer {
						if !errors.Is(err, finance.ErrNotFound) {
							t.Errorf("%s reads it: %v", who, err)
						}
						continue
					}
					check(t, err)
					if r.Payee != form.Payee || r.IBAN != form.IBAN || r.Amount != form.Amount || r.Text != form.Text || r.Day != form.Day ||
						r.Note != form.Note || r.Asker.Email != asker+"@example.org" || r.Payer.Email != payer+"@example.org" || r.State != finance.RequestAsked {
						t.Errorf("%s sees %+v", who, r)
					}
				}
				check(t, must0(b.WithdrawRequest(ctx, ids[asker], id)))
			})
		}
	}
	for who, user := range ids {
		for _, r := range must(b.PaymentRequests(ctx, user))(t) {
			if r.Asker.ID != user && r.Payer.ID != user {
				t.Errorf("%s lists %+v", who, r)
			}
		}
	}
}

// must0 returns only the error.
func must0[T any](_ T, err error) error { return err }

// TestStatesOfAPaymentRequest: the state of a request follows from the actions of both people and from its payments. The asker sees only the state. After the
// payment was sent, the request can be neither declined nor withdrawn.
func TestStatesOfAPaymentRequest(t *testing.T) {
	b, ctx := newBed(t), t.Context()
	ann, bo, _, _ := b.threePeople(t)
	b.provider(t)
	for i, c := range []struct {
		name, change string // applied to the payment row after it was sent; "" for a draft
		said         string // the stored state of the request
		want         finance.RequestState
		other, open  bool // other: paid with another amount; open: it can still be declined and withdrawn
	}{
		{"draft", "", "asked", finance.RequestPrepared, false, true},
		{"draft to another account", `UPDATE payment_transfer SET number = 'FI2112345600000785' WHERE payment_id = $1`, "asked", finance.RequestAsked, false, true},
		{"on its way", `UPDATE payment SET status = 'RCVD' WHERE id = $1`, "asked", finance.RequestPrepared, false, false},
		{"rejected", `UPDATE payment SET status = 'RJCT', final = 1 WHERE id = $1`, "asked", finance.RequestAsked, false, true},
		{"cancelled", `UPDATE payment SET status = 'CNCL', final = 1 WHERE id = $1`, "asked", finance.RequestAsked, false, true},
		{"carried out", `UPDATE payment SET status = 'ACSC', final = 1 WHERE id = $1`, "asked", finance.RequestPaid, false, false},
		{"carried out with another amount", `UPDATE payment SET status = 'ACSC', final = 1, minor = 4000 WHERE id = $1`, "asked", finance.RequestPaid, true, false},
		{"carried out in another currency", `UPDATE payment SET status = 'ACSC', final = 1, currency = 'CHF' WHERE id = $1`, "asked", finance.RequestAsked, false, true},
		{"withdrawn, on its way", `UPDATE payment SET status = 'RCVD' WHERE id = $1`, "withdrawn", finance.RequestWithdrawn, false, false},
		{"withdrawn, and paid all the same", `UPDATE payment SET status = 'ACSC', final = 1 WHERE id = $1`, "withdrawn", finance.RequestPaid, false, false},
		{"declined, on its way", `UPDATE payment SET status = 'RCVD' WHERE id = $1`, "declined", finance.RequestDeclined, false, false},
		{"withdrawn, rejected", `UPDATE payment SET status = 'RJCT', final = 1 WHERE id = $1`, "withdrawn", finance.RequestWithdrawn, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := b.asks(t, ann, bo)
			draft := must(b.SaveAskedDraft(ctx, bo, finance.NewID(), order(transfer("Plumber", ibanDE, "50")), r.ID))(t)
			if draft.RequestID != r.ID || draft.Withdrawn {
				t.Errorf("%+v", draft)
			}
			if c.change != "" && c.name != "draft to another account" {
				must(b.StartSending(ctx, bo, draft.ID, Sending{State: finance.Secret(finance.NewID()), Browser: "b", Lifetime: 1, Answer: 1}, agree))(t)
				must(b.PaymentCreated(ctx, bo, draft.ID, CreatedPayment{PaymentID: fmt.Sprint("p", i), Status: "PDNG"}))(t)
				b.exec(t, `UPDATE payment SET next_check_at = NULL, ended = '2026-11-20T10:00:00.000Z' WHERE id = $1`, draft.ID)
			}
			if c.change != "" {
				b.exec(t, c.change, draft.ID)
			}
			b.exec(t, `UPDATE payment_request SET state = $1 WHERE id = $2`, c.said, r.ID)
			for _, user := range []string{ann, bo} {
				got := must(b.PaymentRequest(ctx, user, r.ID))(t)
				if got.State != c.want || got.Other != c.other {
					t.Errorf("%s, other amount %t; want %s, %t", got.State, got.Other, c.want, c.other)
				}
				if user == ann && (got.PaymentID != "" || got.Sent) {
					t.Errorf("the asker sees the payment: %+v", got)
				}
				if paid := c.want == finance.RequestPrepared || c.want == finance.RequestPaid; user == bo && paid != (got.PaymentID == draft.ID) {
					t.Errorf("the payer is led to %q", got.PaymentID)
				}
			}
			if who := must(b.AskedBy(ctx, bo, draft.ID))(t); len(who) != 1 || who[0] != ann {
				t.Error("asked by", who)
			}
			_, err := b.WithdrawRequest(ctx, ann, r.ID)
			if open := err == nil; open != c.open || err != nil && !errors.Is(err, finance.ErrRequestOver) {
				t.Errorf("withdrawn: %v", err)
			}
			if c.open {
				if p := must(b.Payment(ctx, bo, draft.ID))(t); !p.Withdrawn {
					t.Error("the payment does not know that the request was withdrawn")
				}
				b.exec(t, `UPDATE payment_request SET state = 'asked' WHERE id = $1`, r.ID)
			}
			_, err = b.DeclineRequest(ctx, bo, r.ID, "no")
			if open := err == nil; open != c.open || err != nil && !errors.Is(err, finance.ErrRequestOver) {
				t.Errorf("declined: %v", err)
			}
			if p := must(b.Payment(ctx, bo, draft.ID))(t); c.open && c.change == "" && p.Phase != finance.PhaseDiscarded {
				t.Errorf("the draft is still there: %s", p.Phase)
			}
		})
	}
}

// TestAskedDrafts: a request is open for one payment at a time, of the person who was asked. After a failed payment it can be paid again.
func TestAskedDrafts(t *testing.T) {
	b, ctx := newBed(t), t.Context()
	ann, bo, cy, _ := b.threePeople(t)
	b.provider(t)
	r := b.asks(t, ann, bo)
	o := order(transfer("Plumber", ibanDE, "50"))
	for who, want := range map[string]error{ann: finance.ErrNotFound, cy: finance.ErrNotFound} {
		if _, err := b.SaveAskedDraft(ctx, who, finance.NewID(), o, r.ID); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
	}
	key := finance.NewID()
	first := must(b.SaveAskedDraft(ctx, bo, key, o, r.ID))(t)
	if again := must(b.SaveAskedDraft(ctx, bo, key, order(transfer("Plumber", ibanDE, "51")), r.ID))(t); again.ID != first.ID {
		t.Error("the changed form is another draft")
	}
	if _, err := b.SaveAskedDraft(ctx, bo, finance.NewID(), o, r.ID); !errors.Is(err, finance.ErrRequestOver) {
		t.Error("two drafts for one request:", err)
	}
	check(t, b.DiscardDraft(ctx, bo, first.ID))
	if got := must(b.PaymentRequest(ctx, bo, r.ID))(t); got.State != finance.RequestAsked {
		t.Error("after the draft was thrown away:", got.State)
	}
	second := must(b.SaveAskedDraft(ctx, bo, finance.NewID(), o, r.ID))(t)
	must(b.StartSending(ctx, bo, second.ID, Sending{State: "s", Browser: "b", Lifetime: 1, Answer: 1}, agree))(t)
	must(b.PaymentFailed(ctx, bo, second.ID, finance.Failure{Code: "X"}))(t)
	retry := must(b.SaveDraft(ctx, bo, finance.NewID(), o, second.ID))(t)
	if retry.RequestID != r.ID || must(b.PaymentRequest(ctx, ann, r.ID))(t).State != finance.RequestPrepared {
		t.Errorf("a payment that failed and is made again is not for the request: %+v", retry)
	}
	must(b.DeclineRequest(ctx, bo, r.ID, "no"))(t)
	if later := must(b.SaveDraft(ctx, bo, finance.NewID(), o, second.ID))(t); later.RequestID != "" {
		t.Error("it is for a request that was declined")
	}
}

// TestRequestsAreBounded: a person has at most MaxOpenRequests open at a time, and can send another one as soon as one is closed.
func TestRequestsAreBounded(t *testing.T) {
	b, ctx := newBed(t), t.Context()
	ann, bo, cy, _ := b.threePeople(t)
	var last finance.PaymentRequest
	for i := range finance.MaxOpenRequests {
		last = b.asks(t, ann, []string{bo, cy}[i%2])
	}
	if _, err := b.AskForPayment(ctx, ann, requestTo(bo)); !errors.Is(err, finance.ErrManyRequests) {
		t.Error(err)
	}
	b.asks(t, bo, ann)
	must(b.DeclineRequest(ctx, last.Payer.ID, last.ID, ""))(t)
	b.asks(t, ann, cy)
}

// TestRequestsEndWithTheirPeople: when a person is removed or becomes a viewer, the requests from them and to them end.
func TestRequestsEndWithTheirPeople(t *testing.T) {
	b, ctx := newBed(t), t.Context()
	ann, bo, cy, _ := b.threePeople(t)
	b.provider(t)
	states := func(user string) (all []finance.RequestState) {
		for _, r := range must(b.PaymentRequests(ctx, user))(t) {
			all = append(all, r.State)
		}
		return all
	}
	toBo, fromBo, others := b.asks(t, ann, bo), b.asks(t, bo, ann), b.asks(t, ann, cy)
	draft := must(b.SaveAskedDraft(ctx, ann, finance.NewID(), order(transfer("Plumber", ibanDE, "50")), fromBo.ID))(t)
	check(t, b.SetRole(ctx, bo, finance.RoleViewer))
	if got := must(b.PaymentRequest(ctx, ann, toBo.ID))(t).State; got != finance.RequestDeclined {
		t.Error("to a viewer:", got)
	}
	if got := must(b.PaymentRequest(ctx, ann, fromBo.ID))(t).State; got != finance.RequestWithdrawn {
		t.Error("of a viewer:", got)
	}
	if !must(b.Payment(ctx, ann, draft.ID))(t).Withdrawn {
		t.Error("the draft is not marked as withdrawn")
	}
	check(t, b.RemoveUser(ctx, bo))
	if got := states(ann); !slices.Equal(got, []finance.RequestState{finance.RequestAsked}) {
		t.Error("with a removed person:", got)
	}
	if p := must(b.Payment(ctx, ann, draft.ID))(t); p.RequestID != "" || p.Phase != finance.PhaseDraft || p.Order.Type != openbanking.PaymentTypeSEPA {
		t.Errorf("the payer's own draft: %+v", p)
	}
	check(t, b.RemoveUser(ctx, cy))
	if _, err := b.PaymentRequest(ctx, ann, others.ID); !errors.Is(err, finance.ErrNotFound) {
		t.Error(err)
	}
	if got := states(ann); len(got) != 0 {
		t.Error(got)
	}
}
