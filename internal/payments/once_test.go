package payments

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"florin/internal/bank/apitest"
	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
	"florin/internal/store"
)

// confirmUntil confirms and ends the program at the n-th step. It reports whether it came so far.
func (r *rig) confirmUntil(t *testing.T, c Confirmation, n int) (crashed bool) {
	t.Helper()
	seen := 0
	r.step = func(string) {
		if seen++; seen == n {
			panic(errCrash)
		}
	}
	defer func() {
		if e := recover(); e != nil {
			err, ok := e.(error)
			if !ok || !errors.Is(err, errCrash) {
				panic(e)
			}
			crashed = true
		}
		r.step = func(string) {}
	}()
	if _, err := r.Confirm(context.Background(), r.user.ID, c); err != nil {
		t.Errorf("confirm: %v", err)
	}
	return false
}

// Security T26: wherever the program ends, and whatever the service does wrong, at most one POST reaches the service, and what it has is known here in the end.
func TestNeverTwice(t *testing.T) {
	for _, f := range []apitest.Fault{apitest.Works, apitest.Refuses, apitest.BankFails, apitest.Fails, apitest.Forgets, apitest.HangsUp,
		apitest.HangsUpLate, apitest.Half, apitest.Empty} {
		t.Run(string(f), func(t *testing.T) {
			for n := 1; ; n++ {
				r := newRig(t)
				r.answer = 300 * time.Millisecond
				r.service.fault = f
				draft := r.draft(t)
				c := r.confirmation(t, draft.ID)
				crashed := r.confirmUntil(t, c, n)
				r.restart(t)
				after := r.payment(t, draft.ID)
				if after.Phase == finance.PhaseSending { // nobody knows yet that its sender died
					if p, err := r.Confirm(t.Context(), r.user.ID, c); !errors.Is(err, ErrSent) || p.Phase != finance.PhaseSending {
						t.Errorf("step %d: %v, %s", n, err, p.Phase)
					}
					time.Sleep(350 * time.Millisecond)
				}
				r.settle(t)
				r.service.Lock()
				r.service.fault = apitest.Works
				r.service.Unlock()
				var group sync.WaitGroup
				for range 10 { // the person clicks again, in many windows
					group.Go(func() { _, _ = r.Confirm(context.Background(), r.user.ID, c) })
					group.Go(func() {
						_, _ = r.Save(context.Background(), r.user.ID, draft.FormKey, draft.Order, "")
					})
				}
				group.Wait()
				for _, id := range r.service.order { // a webhook comes for whatever the service has
					r.hook(t, finance.Delivery{WebhookID: uuid.NewString(), PaymentID: id, Status: "PDNG"})
				}
				r.settle(t)
				if posts := r.service.Count(creates); posts > 1 {
					t.Fatalf("step %d: %d posts", n, posts)
				}
				p := r.payment(t, draft.ID)
				switch {
				case len(r.service.order) == 1:
					if p.Phase != finance.PhaseCreated || p.PaymentID != r.service.order[0] {
						t.Errorf("step %d: the service has the payment; here it is %s", n, p.Phase)
					}
				case r.service.Count(creates) == 1:
					if p.Phase != finance.PhaseFailed && p.Phase != finance.PhaseUnknown {
						t.Errorf("step %d: the service has nothing; here it is %s", n, p.Phase)
					}
				default: // it ended before the call
					if p.Phase != finance.PhaseUnknown {
						t.Errorf("step %d: nothing was sent; here it is %s", n, p.Phase)
					}
				}
				all, _, err := r.Store.Payments(t.Context(), r.user.ID, store.PaymentFilter{}, 10)
				check(t, err)
				if len(all) != 1 {
					t.Errorf("step %d: %d payments", n, len(all))
				}
				if !crashed {
					if n < 4 {
						t.Errorf("only %d steps were tried", n-1)
					}
					return
				}
			}
		})
	}
}

// What each answer to POST /payments proves.
func TestOutcomes(t *testing.T) {
	cases := map[apitest.Fault]finance.Phase{apitest.Works: finance.PhaseCreated, apitest.Refuses: finance.PhaseFailed, apitest.BankFails: finance.PhaseUnknown,
		apitest.Fails: finance.PhaseUnknown, apitest.Forgets: finance.PhaseUnknown, apitest.HangsUp: finance.PhaseUnknown,
		apitest.HangsUpLate: finance.PhaseUnknown, apitest.Half: finance.PhaseUnknown, apitest.Empty: finance.PhaseUnknown}
	for f, want := range cases {
		t.Run(string(f), func(t *testing.T) {
			r := newRig(t)
			r.service.fault = f
			if p := r.pay(t); p.Phase != want {
				t.Errorf("%s, want %s", p.Phase, want)
			}
		})
	}
	t.Run("not reached at all", func(t *testing.T) {
		r := newRig(t)
		c := r.confirmation(t, r.draft(t).ID)
		r.service.Close()
		p, err := r.Confirm(t.Context(), r.user.ID, c)
		check(t, err)
		if p.Phase != finance.PhaseFailed || p.Failure.Code != finance.FailureUnreachable {
			t.Errorf("%s, %+v", p.Phase, p.Failure)
		}
	})
	for _, c := range []struct {
		err  error
		want bool
	}{
		{&openbanking.Error{Code: openbanking.InvalidPayment}, true},
		{&openbanking.Error{Status: 403, Message: "Application is not active"}, true},
		{&openbanking.Error{Code: openbanking.PaymentLimitExceeded}, true},
		{&openbanking.Error{Code: openbanking.WrongASPSPProvided}, true},
		{&openbanking.Error{Status: 429}, true},
		{&openbanking.Error{Code: openbanking.ASPSPError}, false}, // between the service and the bank
		{&openbanking.Error{Code: openbanking.ASPSPRateLimitExceeded}, false},
		{&openbanking.Error{Code: openbanking.ASPSPAccountNotAccessible}, false},
		{&openbanking.Error{Code: openbanking.ASPSPPaymentNotAccessible}, false},
		{&openbanking.Error{Code: openbanking.ASPSPPSUActionRequired}, false},
		{&openbanking.Error{Code: openbanking.ASPSPTimeout}, false},
		{&openbanking.Error{Code: openbanking.ASPSPTimeout, Status: 400}, false},
		{&openbanking.Error{Status: 408}, false},
		{&openbanking.Error{Status: 500}, false},
		{&openbanking.Error{Status: 502}, false},
		{context.DeadlineExceeded, false},
		{errors.New("anything"), false},
	} {
		if got := refused(c.err); got != c.want {
			t.Errorf("%v: %v", c.err, got)
		}
	}
}

// What a service says of a payment is bounded, whatever it says: it is kept, and read for each row of a list.
func TestAnswersAreBounded(t *testing.T) {
	r := newRig(t)
	p := r.pay(t)
	long := strings.Repeat("A", 100<<10)
	r.service.Lock()
	wire := r.service.payments[p.PaymentID]
	wire.Status = openbanking.PaymentStatus("X " + long)
	wire.StatusReasonInformation = &openbanking.StatusReasonInformation{StatusReasonCode: long, StatusReasonDescription: long}
	wire.PaymentDetails.CreditTransferTransaction[0].TransactionID, wire.PaymentDetails.CreditTransferTransaction[0].TransactionStatus = &long,
		new(openbanking.PaymentStatus(long))
	r.service.Unlock()
	got, err := r.Check(t.Context(), r.user.ID, p.ID)
	check(t, err)
	if n := len(got.Progress.ReadBack.CreditTransferTransaction); n != 0 {
		t.Errorf("%d transfers are kept of an answer that is too long", n)
	}
	if len(got.Progress.Status) != 35 || len(got.Progress.Reason.Code) != 35 || len(got.Progress.Reason.Text) > 500 {
		t.Errorf("status of %d, reason of %d and %d bytes", len(got.Progress.Status), len(got.Progress.Reason.Code), len(got.Progress.Reason.Text))
	}
	transfers, err := r.Store.PaymentTransfers(t.Context(), r.user.ID, p.ID)
	check(t, err)
	if len(transfers[0].TransactionID) > 200 || len(transfers[0].Status) > 35 {
		t.Errorf("a transfer with an id of %d and a status of %d bytes", len(transfers[0].TransactionID), len(transfers[0].Status))
	}
	r.service.Lock()
	wire.Status, wire.StatusReasonInformation.StatusReasonDescription = "ACSC", strings.Repeat(long, 50)
	r.service.Unlock()
	if got, err = r.Check(t.Context(), r.user.ID, p.ID); err != nil || got.Progress.Status == "ACSC" || got.Check.Failures != 1 {
		t.Errorf("an answer of five megabytes was read: %s, %v", got.Progress.Status, err)
	}
	answer := openbanking.CreatePaymentResponse{PaymentID: long, Status: "PDNG"}
	draft := r.draft(t)
	draft, err = r.Store.StartSending(t.Context(), r.user.ID, draft.ID, store.Sending{State: "s", Browser: "b", Lifetime: time.Minute, Answer: time.Minute},
		func(finance.Payment, []finance.PastTransfer, []finance.Payee) error { return nil })
	check(t, err)
	if got, err = r.Payments.settle(t.Context(), draft, answer, nil); err != nil || got.Phase != finance.PhaseUnknown {
		t.Errorf("%s, %v", got.Phase, err)
	}
}

// An answer that comes when the payment counts as lost already is no fault: the payment comes as it is.
func TestAnswerAfterTheSweep(t *testing.T) {
	for _, f := range []apitest.Fault{apitest.Refuses, apitest.Fails, apitest.Works} {
		t.Run(string(f), func(t *testing.T) {
			r := newRig(t)
			r.service.fault = f
			r.answer = time.Second
			r.step = func(name string) {
				if name == "after the call" {
					time.Sleep(1100 * time.Millisecond)
					_, err := r.Sweep(t.Context())
					check(t, err)
				}
			}
			want := finance.PhaseUnknown
			if f == apitest.Works { // the answer settles it all the same
				want = finance.PhaseCreated
			}
			p, err := r.Confirm(t.Context(), r.user.ID, r.confirmation(t, r.draft(t).ID))
			if err != nil || p.Phase != want || r.payment(t, p.ID).Phase != want {
				t.Errorf("%s, %v", p.Phase, err)
			}
		})
	}
	if p := New(Options{}); p.grace < settleIn || p.answer != AnswerWithin {
		t.Errorf("an answer is written down within %v, and counts as lost after %v", settleIn, p.grace)
	}
}

// Security T26: fifty posts at the same time make one payment, and one draft before.
func TestFiftyAtOnce(t *testing.T) {
	r := newRig(t)
	form := finance.NewID()
	ids := make([]string, 50)
	var group sync.WaitGroup
	for i := range ids {
		group.Go(func() {
			p, err := r.Save(context.Background(), r.user.ID, form, order("12.30", "ACME GmbH", ibanACME), "")
			if err == nil {
				ids[i] = p.ID
			}
		})
	}
	group.Wait()
	for i, id := range ids {
		if id == "" || id != ids[0] {
			t.Fatalf("form %d made draft %q, not %q", i, id, ids[0])
		}
	}
	c := r.confirmation(t, ids[0])
	results := make([]string, 50)
	for i := range results {
		group.Go(func() {
			p, err := r.Confirm(context.Background(), r.user.ID, c)
			results[i] = fmt.Sprint(err == nil, errors.Is(err, ErrSent), p.ID == ids[0])
		})
	}
	group.Wait()
	won := 0
	for _, result := range results {
		switch result {
		case "true false true":
			won++
		case "false true true":
		default:
			t.Errorf("a confirmation ended with %s", result)
		}
	}
	if won != 1 || r.service.Count(creates) != 1 {
		t.Errorf("%d won, %d posts", won, r.service.Count(creates))
	}
}

// The same key with another body is an error once the payment is sent.
func TestFormKey(t *testing.T) {
	r := newRig(t)
	form := finance.NewID()
	first, err := r.Save(t.Context(), r.user.ID, form, order("12.30", "ACME GmbH", ibanACME), "")
	check(t, err)
	changed, err := r.Save(t.Context(), r.user.ID, form, order("45.60", "ACME GmbH", ibanACME), "")
	check(t, err)
	if changed.ID != first.ID || changed.Total.String() != "45.60" || changed.Revision != first.Revision+1 {
		t.Errorf("%s %s %d", changed.ID, changed.Total, changed.Revision)
	}
	_, err = r.Confirm(t.Context(), r.user.ID, r.confirmation(t, first.ID))
	check(t, err)
	same, err := r.Save(t.Context(), r.user.ID, form, order("45.60", "ACME GmbH", ibanACME), "")
	if err != nil || same.ID != first.ID || same.Phase != finance.PhaseCreated {
		t.Errorf("%v: %s", err, same.Phase)
	}
	other, err := r.Save(t.Context(), r.user.ID, form, order("1.00", "ACME GmbH", ibanACME), "")
	if !errors.Is(err, ErrSent) || other.ID != first.ID || other.Total.String() != "45.60" {
		t.Errorf("%v: %s", err, other.Total)
	}
}

// Security T25: what is sent is what was reviewed.
func TestOnlyWhatWasReviewedIsSent(t *testing.T) {
	base := order("12.30", "ACME GmbH", ibanACME)
	changes := map[string]func(o *finance.PaymentOrder){
		"amount": func(o *finance.PaymentOrder) {
			o.Request.CreditTransferTransaction[0].InstructedAmount.Amount = "12.31"
		},
		"currency": func(o *finance.PaymentOrder) {
			o.Request.CreditTransferTransaction[0].InstructedAmount.Currency = "USD"
		},
		"account": func(o *finance.PaymentOrder) {
			o.Request.CreditTransferTransaction[0].Beneficiary.CreditorAccount.Identification = ibanOther
		},
		"name": func(o *finance.PaymentOrder) {
			o.Request.CreditTransferTransaction[0].Beneficiary.Creditor.Name = new("ACME")
		},
		"date": func(o *finance.PaymentOrder) {
			o.Request.CreditTransferTransaction[0].RequestedExecutionDate = new(openbanking.Date("2030-01-01"))
		},
		"text": func(o *finance.PaymentOrder) {
			o.Request.CreditTransferTransaction[0].RemittanceInformation = []string{"x"}
		},
		"type":   func(o *finance.PaymentOrder) { o.Type = openbanking.PaymentTypeInstSEPA },
		"method": func(o *finance.PaymentOrder) { o.AuthMethod = "app" },
		"frequency": func(o *finance.PaymentOrder) {
			o.Request.CreditTransferTransaction[0].Frequency = new(openbanking.FrequencyCodeMNTH)
		},
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			form := finance.NewID()
			draft, err := r.Save(t.Context(), r.user.ID, form, base, "")
			check(t, err)
			c := r.confirmation(t, draft.ID)
			other := order("12.30", "ACME GmbH", ibanACME)
			change(&other)
			_, err = r.Save(t.Context(), r.user.ID, form, other, "")
			check(t, err)
			now := r.confirmation(t, draft.ID)
			c.Agreed = append(c.Agreed, now.Agreed...)
			if _, err := r.Confirm(t.Context(), r.user.ID, c); !errors.Is(err, ErrChanged) {
				t.Errorf("%v", err)
			}
			c.ReviewHash = ""
			if _, err := r.Confirm(t.Context(), r.user.ID, c); !errors.Is(err, ErrChanged) {
				t.Errorf("without a hash: %v", err)
			}
			if r.service.Count(creates) != 0 {
				t.Error("it was sent")
			}
			if _, err := r.Confirm(t.Context(), r.user.ID, now); err != nil || r.service.Count(creates) != 1 {
				t.Errorf("%v, %d posts", err, r.service.Count(creates))
			}
		})
	}
}

// An equal payment within a day is asked about, and agreeing to one is not agreeing to the next.
func TestDuplicatesAreAskedAbout(t *testing.T) {
	r := newRig(t)
	first := r.pay(t)
	r.service.set(first.PaymentID, openbanking.PaymentStatusACSP, false, "")
	_, err := r.Check(t.Context(), r.user.ID, first.ID)
	check(t, err)
	second := r.draft(t)
	review, err := r.Review(t.Context(), r.user.ID, second.ID)
	check(t, err)
	if len(review.Warnings) != 1 || review.Warnings[0].Code != finance.WarnDuplicate || review.Warnings[0].Past.LocalID != first.ID {
		t.Fatalf("%+v", review.Warnings)
	}
	var unagreed *Unagreed
	if _, err := r.Confirm(t.Context(), r.user.ID, Confirmation{ID: second.ID, ReviewHash: review.Hash, Browser: "b"}); !errors.As(err, &unagreed) ||
		len(unagreed.Warnings) != 1 {
		t.Fatalf("%v", err)
	}
	third := r.draft(t)
	agreed := r.confirmation(t, third.ID) // to the first payment alone
	_, err = r.Confirm(t.Context(), r.user.ID, r.confirmation(t, second.ID))
	check(t, err)
	if _, err := r.Confirm(t.Context(), r.user.ID, agreed); !errors.As(err, &unagreed) || unagreed.Warnings[0].Past.LocalID != second.ID {
		t.Errorf("%v", err)
	}
	if r.service.Count(creates) != 2 {
		t.Errorf("%d posts", r.service.Count(creates))
	}
}

// An attempt that nobody approved makes no payee known: the warning about a known name with another account comes again (security T25).
func TestAbandonedPaymentVouchesForNobody(t *testing.T) {
	r := newRig(t)
	paid := r.pay(t)
	r.service.set(paid.PaymentID, openbanking.PaymentStatusACSC, true, "")
	_, err := r.Check(t.Context(), r.user.ID, paid.ID)
	check(t, err)
	codes := func(amount string) string {
		t.Helper()
		draft, err := r.Save(t.Context(), r.user.ID, finance.NewID(), order(amount, "ACME GmbH", ibanOther), "")
		check(t, err)
		review, err := r.Review(t.Context(), r.user.ID, draft.ID)
		check(t, err)
		all := ""
		for _, w := range review.Warnings {
			all += string(w.Code) + " "
		}
		_, err = r.Confirm(t.Context(), r.user.ID, r.confirmation(t, draft.ID))
		check(t, err)
		return all
	}
	for _, amount := range []string{"20", "30"} { // none of them is approved
		if got := codes(amount); got != "changed_account " {
			t.Errorf("%s EUR: %q", amount, got)
		}
	}
	r.service.Lock()
	r.service.payments[r.service.order[2]].Status = openbanking.PaymentStatusACSP
	r.service.Unlock()
	r.settle(t)
	if got := codes("40"); got != "" {
		t.Errorf("after one was carried out: %q", got)
	}
}

// The account that pays is the user's own, and its number is taken from there.
func TestPayingAccount(t *testing.T) {
	r := newRig(t)
	o := order("1.00", "ACME GmbH", ibanACME)
	o.AccountID = r.accountID
	o.Request.DebtorAccount = &openbanking.GenericIdentification{Identification: ibanOther, SchemeName: "IBAN"}
	p, err := r.Save(t.Context(), r.user.ID, finance.NewID(), o, "")
	check(t, err)
	if d := p.Order.Request.DebtorAccount; d.Identification != "FI2112345600000785" || d.SchemeName != "IBAN" {
		t.Errorf("%+v", d)
	}
	stranger, err := r.Store.CreateUser(t.Context(), "b@example.org", finance.RoleMember, "h")
	check(t, err)
	if _, err := r.Save(t.Context(), stranger.ID, finance.NewID(), o, ""); !errors.Is(err, finance.ErrNotFound) {
		t.Errorf("a stranger's account: %v", err)
	}
	o.ASPSP.Name = "Another Bank"
	if _, err := r.Save(t.Context(), r.user.ID, finance.NewID(), o, ""); !errors.Is(err, ErrAccount) {
		t.Errorf("an account at another bank: %v", err)
	}
}

// What reaches the service, field by field.
func TestRequest(t *testing.T) {
	r := newRig(t)
	p := r.pay(t)
	sent := r.service.made[0]
	if sent.PaymentType != "SEPA" || sent.ASPSP != aspsp || sent.RedirectURL != redirectURL || sent.PSUType != "personal" || len(sent.State) != 26 ||
		*sent.Language != "en" ||
		*sent.WebhookURL != "https://florin.example/webhooks/embedded" || sent.AuthMethod != nil || sent.Credentials != nil || sent.PSUID != nil {
		t.Errorf("%+v", sent)
	}
	id := *sent.PaymentRequest.PaymentInformationID
	if len(id) != 28 || *sent.PaymentRequest.CreditTransferTransaction[0].PaymentID.EndToEndID != id {
		t.Errorf("reference %q", id)
	}
	if p.Approval.URL != r.service.URL+"/pis/start?payment_id="+p.PaymentID || p.Progress.Status != "PDNG" ||
		p.Progress.Reached[finance.StepCreated].IsZero() || p.Progress.Source != finance.NewsAnswer {
		t.Errorf("%+v", p)
	}
}

// Nothing of one user is another's.
func TestStrangersSeeNothing(t *testing.T) {
	r := newRig(t)
	p := r.pay(t)
	ctx := t.Context()
	stranger, err := r.Store.CreateUser(ctx, "b@example.org", finance.RoleOwner, "h")
	check(t, err)
	for name, call := range map[string]func() error{
		"payment": func() error { _, err := r.Store.Payment(ctx, stranger.ID, p.ID); return err },
		"review":  func() error { _, err := r.Review(ctx, stranger.ID, p.ID); return err },
		"check":   func() error { _, err := r.Check(ctx, stranger.ID, p.ID); return err },
		"discard": func() error { return r.Discard(ctx, stranger.ID, p.ID) },
		"show":    func() error { return r.Show(ctx, stranger.ID, p.ID) },
		"confirm": func() error {
			_, err := r.Confirm(ctx, stranger.ID, Confirmation{ID: p.ID, ReviewHash: "x", Browser: "b"})
			return err
		},
		"repeat": func() error {
			_, err := r.Save(ctx, stranger.ID, finance.NewID(), order("1.00", "A", ibanACME), p.ID)
			return err
		},
	} {
		if err := call(); !errors.Is(err, finance.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	events, err := r.Store.PaymentEvents(ctx, stranger.ID, p.ID)
	check(t, err)
	transfers, err := r.Store.PaymentTransfers(ctx, stranger.ID, p.ID)
	check(t, err)
	list, _, err := r.Store.Payments(ctx, stranger.ID, store.PaymentFilter{}, 10)
	check(t, err)
	if len(events)+len(transfers)+len(list) != 0 {
		t.Error("a stranger sees something")
	}
}

// A draft is not sent when its bank was disconnected meanwhile, when its consent has ended, or when the bank does not share the account any more. It
// stays, and goes once the bank is linked again.
func TestDraftOfAnAccountThatCannotPayAnyMore(t *testing.T) {
	r := newRig(t)
	open := func(query string) func(*testing.T) { return func(t *testing.T) { r.exec(t, query) } }
	connection := func() finance.Connection {
		all, err := r.Store.Connections(t.Context(), r.user.ID)
		check(t, err)
		return all[0]
	}
	for _, c := range []struct {
		why finance.PayObstacle
		end func(t *testing.T)
	}{
		{finance.PayDisconnected, func(t *testing.T) {
			check(t, r.Store.EndConnection(t.Context(), r.user.ID, connection().ID, finance.ConnectionDisconnected))
		}},
		{finance.PayConsentEnded, func(t *testing.T) {
			check(t, r.Store.EndConnection(t.Context(), r.user.ID, connection().ID, finance.ConnectionRevoked))
		}},
		{finance.PayConsentEnded, open(`UPDATE connection SET valid_until = '2020-01-01T00:00:00.000Z'`)},
		{finance.PayNotAccessible, open(`UPDATE account SET uid = ''`)},
	} {
		for _, account := range []string{r.accountID, ""} {
			posted := r.service.Count(creates)
			o := order("12.30", "ACME GmbH", ibanACME)
			o.AccountID = account
			draft, err := r.Save(t.Context(), r.user.ID, finance.NewID(), o, "")
			check(t, err)
			confirmation := r.confirmation(t, draft.ID)
			c.end(t)
			review, err := r.Review(t.Context(), r.user.ID, draft.ID)
			check(t, err)
			if review.Unpayable == nil || review.Unpayable.Obstacle != c.why || review.Unpayable.ConnectionID != connection().ID {
				t.Errorf("%s: the review says %+v", c.why, review.Unpayable)
			}
			var unpayable *Unpayable
			if _, err := r.Confirm(t.Context(), r.user.ID, confirmation); !errors.As(err, &unpayable) || unpayable.Obstacle != c.why {
				t.Errorf("%s: confirmed with %v", c.why, err)
			}
			if p := r.payment(t, draft.ID); p.Phase != finance.PhaseDraft || r.service.Count(creates) != posted {
				t.Errorf("%s: it is %s, and the service was asked %d times", c.why, p.Phase, r.service.Count(creates)-posted)
			}
			if again := r.link(t, r.user); again != r.accountID {
				t.Fatalf("another account: %s", again)
			}
			if p, err := r.Confirm(t.Context(), r.user.ID, r.confirmation(t, draft.ID)); err != nil || p.Phase != finance.PhaseCreated {
				t.Errorf("%s: linked again it is %s, %v", c.why, p.Phase, err)
			}
		}
	}
}

// exec changes the database behind the back of the payments.
func (r *rig) exec(t testing.TB, query string) {
	t.Helper()
	ctx := context.Background()
	db, err := sqlite.Open(ctx, r.path)
	check(t, err)
	defer db.Close()
	check(t, db.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(ctx, query)
		return err
	}))
}

// What the service answered while nothing could be written, since the disk was full, is written down as soon as it can be, whatever it was.
func TestAnswerThatCannotBeWrittenDown(t *testing.T) {
	for f, want := range map[apitest.Fault]finance.Phase{apitest.Works: finance.PhaseCreated, apitest.Refuses: finance.PhaseFailed,
		apitest.Fails: finance.PhaseUnknown} {
		r := newRig(t)
		draft := r.draft(t)
		c := r.confirmation(t, draft.ID)
		r.exec(t, `CREATE TRIGGER full BEFORE UPDATE OF phase ON payment WHEN OLD.phase <> 'draft' BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END`)
		r.service.fault = f
		if p, err := r.Confirm(t.Context(), r.user.ID, c); err != nil || p.Phase != finance.PhaseSending {
			t.Errorf("%s: confirmed as %s, %v", f, p.Phase, err)
		}
		if next, err := r.Sweep(t.Context()); err != nil || !next.After(time.Now()) {
			t.Errorf("%s: still full, and next is %v, %v", f, next, err)
		}
		if p := r.payment(t, draft.ID); p.Phase != finance.PhaseSending {
			t.Errorf("%s: still full, and it is %s", f, p.Phase)
		}
		r.exec(t, `DROP TRIGGER full`)
		_, err := r.Sweep(t.Context())
		check(t, err)
		p := r.payment(t, draft.ID)
		if p.Phase != want || want == finance.PhaseCreated && (p.PaymentID != r.service.order[0] || p.Approval.URL == "") || r.service.Count(creates) != 1 {
			t.Errorf("%s: it is %s %q %q after %d posts", f, p.Phase, p.PaymentID, p.Approval.URL, r.service.Count(creates))
		}
	}
}

// A payment whose outcome stays unknown is settled when nobody can approve it any more; a service that names it after all is believed. What the bank
// was asked about stays unknown, and so does everything while a webhook is looked up.
func TestUnknownOutcomeIsSettled(t *testing.T) {
	r := newRig(t)
	r.service.fault = apitest.Forgets // it has the payment, and says 500
	draft := r.draft(t)
	p, err := r.Confirm(t.Context(), r.user.ID, r.confirmation(t, draft.ID))
	check(t, err)
	if p.Phase != finance.PhaseUnknown {
		t.Fatalf("it is %s", p.Phase)
	}
	next, err := r.Sweep(t.Context())
	check(t, err)
	if left := time.Until(next); left < 55*time.Minute || left > time.Hour {
		t.Errorf("it is looked at again in %v", left)
	}
	r.exec(t, `UPDATE payment SET sent = strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-61 minutes')`)

	r.exec(t, `UPDATE payment SET failure_code = 'ASPSP_ERROR'`)
	next, err = r.Sweep(t.Context())
	check(t, err)
	if p := r.payment(t, draft.ID); p.Phase != finance.PhaseUnknown || !next.IsZero() {
		t.Errorf("the bank was asked, and it is %s, looked at again at %v", p.Phase, next)
	}
	r.exec(t, `UPDATE payment SET failure_code = 'HTTP_500'`)
	_, err = r.Sweep(t.Context())
	check(t, err)
	p = r.payment(t, draft.ID)
	if story := p.Story(time.Now()); !p.Lapsed() || !story.Over || !story.NoMoney || !story.Retry {
		t.Errorf("an hour later it is %s %s", p.Phase, p.Failure.Code)
	}
	if c := r.confirmation(t, r.draft(t).ID); len(c.Agreed) != 1 { // a new payee, and no duplicate
		t.Errorf("%d warnings about what came to nothing", len(c.Agreed))
	}

	r.service.fault = apitest.Works
	r.hook(t, finance.Delivery{WebhookID: uuid.NewString(), PaymentID: r.service.order[0], Status: "PDNG"})
	r.settle(t)
	if p = r.payment(t, draft.ID); p.Phase != finance.PhaseCreated || p.PaymentID != r.service.order[0] {
		t.Errorf("the service names it, and it is %s", p.Phase)
	}
	if r.service.Count(creates) != 1 {
		t.Errorf("%d posts", r.service.Count(creates))
	}
}
