package engine_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"florin/internal/aggregator"
	"florin/internal/aggregator/banktest"
	"florin/internal/openbanking"
)

// A bank is asked often right after the approval and less and less often later: after a fifth of the time that has passed, between
// a second and an hour, and a little later by chance.
func TestABankIsAskedLessAndLessOften(t *testing.T) {
	bank := sellingBank()
	s := openTill(t, bank)
	id := s.create(t)
	s.lead(t, id)
	bank.ApprovePayment(id)
	if _, err := s.Payment(t.Context(), s.app, id); err != nil {
		t.Fatal(err)
	}
	bank.Move(id, openbanking.PaymentStatusACSP)
	approved := s.now()
	for s.now().Sub(approved) < 48*time.Hour {
		asked := bank.Asked(id)
		age := s.now().Sub(approved)
		gap := s.row(t, id).Due.Sub(s.now())
		if least := min(max(age/5, time.Second), time.Hour); gap < least || gap > least+least/5 {
			t.Fatalf("%v after the approval the next time is after %v", age, gap)
		}
		s.pass(gap - time.Millisecond)
		next, err := s.AdvancePayments(t.Context())
		if err != nil || bank.Asked(id) != asked || next.After(s.now().Add(time.Minute)) || next.Before(s.now()) {
			t.Fatalf("too soon: %v, asked %d times, next after %v", err, bank.Asked(id)-asked, next.Sub(s.now()))
		}
		s.pass(time.Millisecond)
		if _, err := s.AdvancePayments(t.Context()); err != nil || bank.Asked(id) != asked+1 {
			t.Fatalf("when it is due: %v, asked %d times", err, bank.Asked(id)-asked)
		}
	}
	if asked := bank.Asked(id); asked > 120 {
		t.Errorf("asked %d times in two days", asked)
	}
}

// An approval whose browser never comes back is found all the same.
func TestApprovalIsFoundWithoutTheBrowser(t *testing.T) {
	bank := sellingBank()
	s := openTill(t, bank)
	id := s.create(t)
	s.lead(t, id)
	bank.ApprovePayment(id)
	s.pass(2 * time.Second)
	if _, err := s.AdvancePayments(t.Context()); err != nil {
		t.Fatal(err)
	}
	if row := s.row(t, id); row.AuthStatus != openbanking.PaymentAuthStatusFinalised || row.Status != openbanking.PaymentStatusRCVD {
		t.Errorf("%+v", row)
	}
}

// eventually waits for what other goroutines bring about.
func eventually(t *testing.T, what string, happened func() bool) {
	t.Helper()
	for range 3000 {
		if happened() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("it does not come about: %s", what)
}

// A bank that does not answer holds up no payment of another bank, neither one that is due already nor one that becomes so.
func TestASlowBankHoldsUpNoOther(t *testing.T) {
	slow, quick := banktest.New("Tarn", "FI").Sells(), sellingBank()
	s := openTill(t, quick, slow)
	approvedAt := func(bank *banktest.Bank) string {
		r := order()
		r.ASPSP = bank.Data.Reference()
		answer, err := s.CreatePayment(t.Context(), s.app, r)
		if err != nil {
			t.Fatal(err)
		}
		s.lead(t, answer.PaymentID)
		bank.ApprovePayment(answer.PaymentID)
		return answer.PaymentID
	}
	stuck, first := approvedAt(slow), approvedAt(quick)
	slow.Hang("Payment", true)
	s.pass(2 * time.Second)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error)
	go func() { _, err := s.AdvancePayments(ctx); done <- err }()
	eventually(t, "the quick bank is asked", func() bool { return s.row(t, first).Status == openbanking.PaymentStatusRCVD })
	eventually(t, "the slow bank is asked", func() bool { return slow.Asked(stuck) == 1 })
	second := approvedAt(quick)
	s.pass(2 * time.Second)
	eventually(t, "the quick bank is asked again", func() bool { return s.row(t, second).Status == openbanking.PaymentStatusRCVD })
	cancel()
	if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if row := s.row(t, stuck); row.Status != openbanking.PaymentStatusPDNG || slow.Asked(stuck) != 1 {
		t.Errorf("%+v, asked %d times", row, slow.Asked(stuck))
	}

	// Whoever worked on it has gone. Its lease keeps others away for a while, and no longer.
	slow.Hang("Payment", false)
	if _, err := s.AdvancePayments(t.Context()); err != nil || slow.Asked(stuck) != 1 {
		t.Errorf("during the lease: %v, asked %d times", err, slow.Asked(stuck))
	}
	s.pass(4 * time.Minute)
	if _, err := s.AdvancePayments(t.Context()); err != nil || s.row(t, stuck).Status != openbanking.PaymentStatusRCVD {
		t.Errorf("after the lease: %v, %+v", err, s.row(t, stuck))
	}
}

// A bank that does not say what it should is asked again later, and the payment is not lost.
func TestABankThatFailsIsAskedAgain(t *testing.T) {
	bank := sellingBank()
	s := openTill(t, bank)
	id := s.create(t)
	s.lead(t, id)
	bank.ApprovePayment(id)
	bank.Fail("Payment", openbanking.ASPSPPaymentNotAccessible)
	s.pass(2 * time.Second)
	for i := range 3 {
		asked := bank.Asked(id)
		if _, err := s.AdvancePayments(t.Context()); err != nil || bank.Asked(id) != asked+1 {
			t.Fatalf("time %d: %v, asked %d times", i, err, bank.Asked(id)-asked)
		}
		due := s.row(t, id).Due.Sub(s.now())
		if due < 10*time.Second {
			t.Errorf("time %d: the next one is after %v", i, due)
		}
		s.pass(due)
	}
	bank.Fail("Payment", nil)
	if _, err := s.AdvancePayments(t.Context()); err != nil || s.row(t, id).Status != openbanking.PaymentStatusRCVD {
		t.Errorf("%v, %+v", err, s.row(t, id))
	}
}

// Many payments of one bank that are due together are looked after in one go, each once, and their events are there.
func TestManyPaymentsAreLookedAfter(t *testing.T) {
	bank := sellingBank()
	s := openTill(t, bank)
	var ids []string
	for range 40 {
		id := s.create(t)
		s.lead(t, id)
		bank.ApprovePayment(id)
		bank.Move(id, openbanking.PaymentStatusACSC)
		ids = append(ids, id)
	}
	s.pass(2 * time.Second)
	var all sync.WaitGroup
	for range 3 { // as if the service ran several times
		all.Go(func() {
			if _, err := s.AdvancePayments(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, id := range ids {
		if row := s.row(t, id); !row.Final || bank.Asked(id) != 1 || !slices.Equal(s.told(t, id), []openbanking.PaymentStatus{"ACSC"}) {
			t.Errorf("%+v, asked %d times, told %v", row.Status, bank.Asked(id), s.told(t, id))
		}
	}
}

// Whoever delivers events and whoever looks after payments hears of new work.
func TestWakeUps(t *testing.T) {
	bank := sellingBank()
	s := openTill(t, bank)
	var payments, webhooks atomic.Int32
	s.OnPayments(func() { payments.Add(1) })
	s.OnWebhooks(func() { webhooks.Add(1) })
	expect := func(what string, wantPayments, wantWebhooks bool) {
		t.Helper()
		if p, w := payments.Swap(0) > 0, webhooks.Swap(0) > 0; p != wantPayments || w != wantWebhooks {
			t.Errorf("%s: payments %v, webhooks %v", what, p, w)
		}
	}
	id := s.create(t)
	expect("created", true, false)
	if err := s.MarkOpened(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	expect("opened", false, false)
	s.lead(t, id)
	expect("led to the bank", true, false)
	bank.ApprovePayment(id)
	if _, err := s.ReturnFromBank(t.Context(), bank.Order(id).State, "", "", ""); err != nil {
		t.Fatal(err)
	}
	expect("approved", true, true)
	s.pass(time.Minute)
	bank.Move(id, openbanking.PaymentStatusACSC)
	if _, err := s.AdvancePayments(t.Context()); err != nil {
		t.Fatal(err)
	}
	expect("settled", false, true)
}

// TestEveryHistoryOfAPaymentIsLegal lets PSU, bank, application and service do what they can in any order and at the same
// time, with a bank that fails now and then. Whatever happens: statuses follow one another as the state machine says, each
// is told once and in its order, a final payment never changes, the bank executes an order once at most, and never one that
// the service takes for cancelled or failed; and none is cancelled but by the PSU.
func TestEveryHistoryOfAPaymentIsLegal(t *testing.T) {
	bank := two(sellingBank())
	bank.Pause = func() { time.Sleep(rand.N(500 * time.Microsecond)) }
	s := openTill(t, bank)
	paths := map[openbanking.PaymentStatus][]openbanking.PaymentStatus{
		"RCVD": {"ACTC", "ACSP", "RJCT"}, "ACTC": {"ACCP", "ACWC", "PART", "ACSP", "RJCT"}, "ACCP": {"ACSP", "ACSC"}, "ACWC": {"ACSP"},
		"PART": {"ACSP", "ACSC", "RJCT"}, "ACSP": {"PART", "ACSC", "ACCC", "RJCT"},
	}
	ctx := context.Background()
	check := func(rt *rapid.T) {
		for _, method := range []string{"StartPayment", "Step", "Answer", "Cancel", "Payment"} {
			bank.Fail(method, nil)
		}
		ids := []string{s.create(t), s.create(t)}
		var mu sync.Mutex
		visits := map[string][]string{}
		kept := map[string]aggregator.Payment{}
		var given sync.Map // the payments that the PSU has given up somewhere
		visit := func(id string, pick int) string {
			mu.Lock()
			defer mu.Unlock()
			if len(visits[id]) == 0 {
				return "none"
			}
			return visits[id][pick%len(visits[id])]
		}
		// What others do, by name. An error is an answer like any other.
		actions := map[string]func(id string, pick int){
			"open the page": func(id string, _ int) { _ = s.MarkOpened(ctx, id) },
			"accept": func(id string, _ int) {
				if v, err := s.AcceptPayment(ctx, id); err == nil {
					mu.Lock()
					defer mu.Unlock()
					visits[id] = append(visits[id], v)
				}
			},
			"choose":  func(id string, pick int) { _ = s.ChooseMethod(ctx, visit(id, pick), []string{"web", "app"}[pick%2]) },
			"again":   func(id string, pick int) { _ = s.StartAgain(ctx, visit(id, pick)) },
			"approve": func(id string, _ int) { bank.ApprovePayment(id) },
			"go on": func(id string, pick int) {
				if known := bank.Known(id); known.Authorised && len(paths[known.Status]) > 0 {
					bank.Move(id, paths[known.Status][pick%len(paths[known.Status])])
				}
			},
			"decline": func(id string, pick int) {
				given.Store(id, true)
				bank.Bring(id, []aggregator.StepKind{aggregator.StepDeclined, aggregator.StepBlocked, aggregator.StepExpired}[pick%3])
			},
			"cancel": func(id string, pick int) {
				given.Store(id, true)
				_, _ = s.Cancel(ctx, visit(id, pick))
			},
			"deny": func(id string, _ int) {
				given.Store(id, true)
				_, _ = s.DenyPayment(ctx, id)
			},
			"conclude": func(id string, pick int) { _, _ = s.Conclude(ctx, visit(id, pick)) },
			"come back": func(id string, pick int) {
				if pick%4 == 2 {
					given.Store(id, true)
				}
				_, _ = s.ReturnFromBank(ctx, bank.Order(id).State, "", []string{"", "", "access_denied", "server_error"}[pick%4], "no")
			},
			"read": func(id string, _ int) { _, _ = s.Payment(ctx, s.app, id) },
			"poll": func(string, int) { _, _ = s.AdvancePayments(ctx) },
			"wait": func(_ string, pick int) { s.pass(time.Duration(pick) * time.Second) },
			"fail": func(_ string, pick int) {
				method := []string{"StartPayment", "Step", "Cancel", "Payment"}[pick%4]
				bank.Fail(method, map[bool]error{true: openbanking.ASPSPError}[pick%3 > 0])
			},
		}
		names := make([]string, 0, len(actions))
		for name := range actions {
			names = append(names, name)
		}
		slices.Sort(names)
		examine := func() {
			for _, id := range ids {
				row, executed := s.row(t, id), bank.Executions(id)
				if before, over := kept[id]; over &&
					(row.Status != before.Status || row.AuthStatus != before.AuthStatus || !row.Changed.Equal(before.Changed) ||
						!row.Final) {
					rt.Fatalf("a final payment has changed from %+v to %+v", before, row)
				}
				if row.Final {
					kept[id] = row
				}
				last := openbanking.PaymentStatusPDNG
				for _, status := range s.told(t, id) {
					if !aggregator.PaymentMove(last, status) {
						rt.Fatalf("%s is told after %s", status, last)
					}
					last = status
				}
				approved := row.AuthStatus == openbanking.PaymentAuthStatusFinalised
				_, gave := given.Load(id)
				switch {
				case row.AuthStatus == openbanking.PaymentAuthStatusCancelled && !gave:
					rt.Fatalf("nobody has cancelled it: %+v", row)
				case last != row.Status:
					rt.Fatalf("%s is told of a payment that is %s", last, row.Status)
				case executed > 1:
					rt.Fatalf("the bank has executed it %d times", executed)
				case approved && executed == 0:
					rt.Fatalf("approved without the bank: %+v", row)
				case row.Final && !approved && executed > 0:
					rt.Fatalf("the bank executes what is %s and %s here", row.Status, row.AuthStatus)
				}
			}
		}
		for range rapid.IntRange(1, 24).Draw(rt, "steps") {
			var together sync.WaitGroup
			for range rapid.SampledFrom([]int{1, 1, 1, 2, 4}).Draw(rt, "at the same time") {
				name, id, pick := rapid.SampledFrom(names).Draw(rt, "action"), rapid.SampledFrom(ids).Draw(rt, "payment"), rapid.IntRange(0, 600).Draw(rt, "pick")
				together.Go(func() { actions[name](id, pick) })
			}
			together.Wait()
			examine()
		}
		// In the end the bank works, and everything comes to an end.
		for _, method := range []string{"StartPayment", "Step", "Cancel", "Payment"} {
			bank.Fail(method, nil)
		}
		for _, id := range ids {
			if known := bank.Known(id); known.Authorised && known.Status != "ACSC" && known.Status != "ACCC" && known.Status != "RJCT" {
				bank.Move(id, "ACSC")
			}
		}
		s.pass(2 * time.Hour)
		if _, err := s.AdvancePayments(ctx); err != nil {
			rt.Fatal(err)
		}
		examine()
		for _, id := range ids {
			row, known := s.row(t, id), bank.Known(id)
			if !row.Final || known.Authorised && row.Status != known.Status || !known.Authorised && row.Status != "CNCL" && row.Status != "RJCT" {
				rt.Fatalf("in the end: %+v, at the bank %+v", row, known)
			}
		}
	}
	rapid.Check(t, check)
}

// A service that died after it had ended an authorisation at the bank, to begin another one, does not take that for the word of the PSU:
// whoever comes back begins anew.
func TestBeginningAnewCancelsNothing(t *testing.T) {
	bank := two(sellingBank())
	s := openTill(t, bank)
	id := s.create(t)
	visit := s.lead(t, id)
	if err := s.ChooseMethod(t.Context(), visit, "app"); err != nil {
		t.Fatal(err)
	}
	row, err := s.store.Visit(t.Context(), visit)
	if err != nil {
		t.Fatal(err)
	}
	if err := bank.Cancel(t.Context(), row.Reference); err != nil { // and here it died
		t.Fatal(err)
	}
	if now, err := s.Visit(t.Context(), visit); err != nil || now.Step.Kind != aggregator.StepExpired {
		t.Errorf("at step %q, %v; want the page that lets the PSU begin anew", now.Step.Kind, err)
	}
	if err := s.StartAgain(t.Context(), visit); err != nil {
		t.Fatal(err)
	}
	if err := s.ChooseMethod(t.Context(), visit, "app"); err != nil {
		t.Fatal(err)
	}
	if !bank.ApprovePayment(id) {
		t.Fatal("there is nothing to approve at the bank")
	}
	if back, err := s.Conclude(t.Context(), visit); err != nil || returned(t, back) != "" {
		t.Errorf("the browser goes to %q, %v", back, err)
	}
}

// What is opened at the bank while the payment is ended is ended too: nothing is left that could be approved.
func TestNothingIsOpenedWhileAPaymentEnds(t *testing.T) {
	bank := two(sellingBank())
	bank.Pause = func() { time.Sleep(rand.N(300 * time.Microsecond)) }
	s := openTill(t, bank)
	for range 25 {
		id := s.create(t)
		visit := s.lead(t, id)
		if err := s.ChooseMethod(t.Context(), visit, "web"); err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		all.Go(func() { _, _ = s.Cancel(context.Background(), visit) })
		all.Go(func() { _ = s.ChooseMethod(context.Background(), visit, "app") })
		all.Go(func() {
			if v, err := s.AcceptPayment(context.Background(), id); err == nil {
				_ = s.ChooseMethod(context.Background(), v, "app")
			}
		})
		all.Wait()
		approved := bank.ApprovePayment(id)
		if row := s.row(t, id); row.Final && approved {
			t.Fatalf("a payment that is %s was approved at the bank", row.Status)
		}
	}
}

// Every status that the bank says a payment has had since the last look is told, once and in its order, however fast they came and whoever looked.
func TestEveryStatusOfTheBankIsTold(t *testing.T) {
	bank := sellingBank()
	s := openTill(t, bank)
	id := s.create(t)
	s.lead(t, id)
	bank.ApprovePayment(id)
	approved := s.now().Add(-time.Hour) // the clock of the bank is another one
	var course []aggregator.BankPlanStep
	reach := func(statuses ...openbanking.PaymentStatus) {
		for _, status := range statuses {
			course = append(course, aggregator.BankPlanStep{At: approved.Add(time.Duration(len(course)) * 87500 * time.Microsecond), Status: status})
		}
		bank.Become(id, func(known *aggregator.BankPayment) {
			known.Status, known.Course = course[len(course)-1].Status, slices.Clone(course)
		})
	}
	var want []openbanking.PaymentStatus
	for _, news := range [][]openbanking.PaymentStatus{{"RCVD", "ACTC", "ACCP"}, {}, {"ACSP"}, {"PDCR", "RJCR", "NULL", "ACSP"}, {"PDCR", "RJCR"},
		{"NULL", "ACSP", "ACSC"}} {
		reach(news...)
		want = append(want, news...)
		for range 2 { // the second look finds nothing new
			if got, err := s.Payment(t.Context(), s.app, id); err != nil || got.Status != want[len(want)-1] || got.FinalStatus != (got.Status == "ACSC") {
				t.Errorf("%+v, %v", got, err)
			}
		}
		if told := s.told(t, id); !slices.Equal(told, want) {
			t.Errorf("told %v, want %v", told, want)
		}
	}
}

// A bank that tells the present status alone, as most do, is told of as often as it is asked: nobody knows what lay between.
func TestABankWithoutACourseIsToldAsItStands(t *testing.T) {
	bank := sellingBank()
	s := openTill(t, bank)
	id := s.create(t)
	s.lead(t, id)
	bank.ApprovePayment(id)
	for _, status := range []openbanking.PaymentStatus{"RCVD", "ACSC"} {
		bank.Move(id, status)
		if _, err := s.Payment(t.Context(), s.app, id); err != nil {
			t.Fatal(err)
		}
	}
	if told := s.told(t, id); !slices.Equal(told, []openbanking.PaymentStatus{"RCVD", "ACSC"}) {
		t.Errorf("told %v", told)
	}
}

// Answers of the bank are stored in the order in which it gave them, whoever asked: a payment never goes back to an older one.
func TestAnswersOfTheBankAreStoredInTheirOrder(t *testing.T) {
	bank := sellingBank()
	bank.Pause = func() { time.Sleep(rand.N(300 * time.Microsecond)) }
	s := openTill(t, bank)
	id := s.create(t)
	s.lead(t, id)
	bank.ApprovePayment(id)
	say := func(version int) {
		name := strconv.Itoa(version)
		bank.Become(id, func(known *aggregator.BankPayment) {
			known.Reason = &openbanking.StatusReasonInformation{StatusReasonCode: name}
		})
	}
	say(0)
	if _, err := s.Payment(t.Context(), s.app, id); err != nil {
		t.Fatal(err)
	}
	var reading atomic.Int32
	for range 4 {
		reading.Add(1)
		go func() {
			defer reading.Add(-1)
			for range 15 {
				if _, err := s.Payment(context.Background(), s.app, id); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	last := 0
	for version := 1; reading.Load() > 0; version++ {
		say(version)
		stored, err := strconv.Atoi(s.row(t, id).Reason.StatusReasonCode)
		if err != nil || stored < last {
			t.Errorf("answer %d is stored after %d, %v", stored, last, err)
		}
		last = stored
	}
}
