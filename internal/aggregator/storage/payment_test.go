package storage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
)

// ordered stores a payment that nobody has opened and returns it as it is stored.
func ordered(t *testing.T, s *Store, id string) aggregator.Payment {
	t.Helper()
	row := aggregator.Payment{
		Authorization: aggregator.Authorization{
			AuthorizationID: id, ApplicationID: "app",
			ASPSP: openbanking.ASPSP{Name: "Northlight", Country: "FI"}, PSUType: openbanking.PSUTypePersonal, AuthMethod: "web",
			PSUIDHash: strings.Repeat("a", 64), State: "s\x00\u20ac", RedirectURL: "https://a.example/1", Language: "fi",
			Created: epoch, PageExpires: epoch.Add(30 * time.Minute),
		},
		Type: openbanking.PaymentTypeSEPA,
		Request: openbanking.PaymentRequestResource{CreditTransferTransaction: openbanking.List[openbanking.CreditTransferTransaction]{{
			InstructedAmount: openbanking.AmountType{Currency: "EUR", Amount: "12.30"},
			Beneficiary: openbanking.Beneficiary{
				CreditorAccount: openbanking.GenericIdentification{Identification: "FI2112345600000785", SchemeName: openbanking.SchemeNameIBAN},
			},
		}}},
		WebhookURL: "https://A.example:8443/hook?x=1",
		Status:     openbanking.PaymentStatusPDNG,
		Transfers:  []aggregator.Transfer{{ID: "t", Status: openbanking.PaymentStatusPDNG}},
		Changed:    epoch, Due: epoch.Add(30 * time.Minute),
	}
	if err := s.CreatePayment(t.Context(), row, hash("state of "+id), aggregator.SuppliedCredentials{Sealed: "sealed", Autosubmit: true}); err != nil {
		t.Fatal(err)
	}
	return row
}

// approve makes a payment approved with a status.
func approve(status openbanking.PaymentStatus, final bool) func(*aggregator.Payment) error {
	return func(p *aggregator.Payment) error {
		p.AuthStatus, p.Approved, p.Opened = openbanking.PaymentAuthStatusFinalised, epoch.Add(time.Minute), epoch
		p.Status, p.Final = status, final
		return nil
	}
}

func TestAPaymentIsReadAsItWasStored(t *testing.T) {
	s, ctx := open(t), t.Context()
	application(t, s)
	row := ordered(t, s, "p")
	for name, read := range map[string]func() (aggregator.Payment, error){
		"by application": func() (aggregator.Payment, error) { return s.Payment(ctx, "app", "p") },
		"by id":          func() (aggregator.Payment, error) { return s.PaymentByID(ctx, "p") },
		"by bank state":  func() (aggregator.Payment, error) { return s.PaymentByBankState(ctx, hash("state of p")) },
	} {
		if got, err := read(); err != nil || !reflect.DeepEqual(got, row) {
			t.Errorf("%s: %+v, %v\nwant %+v", name, got, err, row)
		}
	}
	for name, read := range map[string]func() (aggregator.Payment, error){
		"of another application": func() (aggregator.Payment, error) { return s.Payment(ctx, "other", "p") },
		"unknown":                func() (aggregator.Payment, error) { return s.PaymentByID(ctx, "q") },
		"of an unknown state":    func() (aggregator.Payment, error) { return s.PaymentByBankState(ctx, hash("x")) },
	} {
		if _, err := read(); !errors.Is(err, aggregator.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	name := "Aino Virtanen"
	changed, err := s.UpdatePayment(ctx, "p", epoch.Add(time.Hour), func(p *aggregator.Payment) error {
		p.Request.Debtor = &openbanking.PartyIdentification{Name: &name}
		p.Reason = &openbanking.StatusReasonInformation{StatusReasonCode: "AM04", StatusReasonDescription: "Insufficient funds"}
		p.Transfers[0].Status, p.Transfers[0].ExecutionDate = openbanking.PaymentStatusACWC, "2026-02-02"
		p.Checked, p.Due = epoch.Add(time.Hour), epoch.Add(2*time.Hour)
		return approve(openbanking.PaymentStatusACWC, false)(p)
	})
	if err != nil || !changed.Changed.Equal(epoch.Add(time.Hour)) {
		t.Fatalf("%+v, %v", changed, err)
	}
	if got, err := s.PaymentByID(ctx, "p"); err != nil || !reflect.DeepEqual(got, changed) {
		t.Errorf("%+v, %v\nwant %+v", got, err, changed)
	}
}

// TestPaymentMovesAreGuarded: of every pair of statuses exactly those of the state machine can follow one another, and nothing
// changes a final payment (api-notes 8). Each change of the status writes one event, and nothing else does.
func TestPaymentMovesAreGuarded(t *testing.T) {
	s, ctx := open(t), t.Context()
	application(t, s)
	all := openbanking.PaymentStatus("").Values()
	n := 0
	at := func(status openbanking.PaymentStatus) (id string, row aggregator.Payment, events int) {
		n++
		id = fmt.Sprint("payment ", n)
		ordered(t, s, id)
		for _, step := range append(ways[status], status) {
			var err error
			if row, err = s.UpdatePayment(ctx, id, epoch.Add(time.Minute), approve(step, aggregator.FinalStatus(step, nil))); err != nil {
				t.Fatalf("on the way to %s, %s: %v", status, step, err)
			}
		}
		return id, row, len(told(t, s, id))
	}
	for _, from := range all {
		id, before, events := at(from)
		for _, to := range all {
			legal := !before.Final && (from == to || aggregator.PaymentMove(from, to))
			after, err := s.UpdatePayment(ctx, id, epoch.Add(time.Hour), approve(to, aggregator.FinalStatus(to, nil)))
			stored, readErr := s.PaymentByID(ctx, id)
			if readErr != nil || !reflect.DeepEqual(after, stored) {
				t.Fatalf("%s to %s: %+v is returned, %+v stored, %v", from, to, after, stored, readErr)
			}
			switch {
			case !legal:
				if !errors.Is(err, aggregator.ErrIllegalMove) || !reflect.DeepEqual(before, after) {
					t.Errorf("%s to %s: %v, and the row became %+v", from, to, err, after)
				}
			case err != nil || after.Status != to || !after.Changed.Equal(map[bool]time.Time{true: before.Changed, false: epoch.Add(time.Hour)}[from == to]):
				t.Errorf("%s to %s: %v, %+v", from, to, err, after)
			case from != to:
				events++
			}
			if got := len(told(t, s, id)); got != events {
				t.Errorf("%s to %s: %d events, want %d", from, to, got, events)
			}
			if legal && from != to {
				id, before, events = at(from)
			}
		}
	}
}

// ways lead to the statuses that no payment reaches at once.
var ways = map[openbanking.PaymentStatus][]openbanking.PaymentStatus{
	openbanking.PaymentStatusACCR: {openbanking.PaymentStatusPDCR},
	openbanking.PaymentStatusPACR: {openbanking.PaymentStatusPDCR},
	openbanking.PaymentStatusRJCR: {openbanking.PaymentStatusPDCR},
	openbanking.PaymentStatusNULL: {openbanking.PaymentStatusPDCR, openbanking.PaymentStatusRJCR},
}

func TestAuthorisationMovesAreGuarded(t *testing.T) {
	s, ctx := open(t), t.Context()
	application(t, s)
	ordered(t, s, "p")
	to := func(status openbanking.PaymentAuthStatus) error {
		_, err := s.UpdatePayment(ctx, "p", epoch, func(p *aggregator.Payment) error {
			p.AuthStatus = status
			if status == openbanking.PaymentAuthStatusFinalised {
				p.Approved = epoch
			}
			return nil
		})
		return err
	}
	for _, step := range []struct {
		to    openbanking.PaymentAuthStatus
		legal bool
	}{
		{openbanking.PaymentAuthStatusPending, true},
		{"", false},
		{openbanking.PaymentAuthStatusFinalised, true},
		{openbanking.PaymentAuthStatusPending, false},
		{openbanking.PaymentAuthStatusCancelled, false},
		{openbanking.PaymentAuthStatusFailed, false},
	} {
		if err := to(step.to); (err == nil) != step.legal || err != nil && !errors.Is(err, aggregator.ErrIllegalMove) {
			t.Errorf("to %q: %v, want legal %v", step.to, err, step.legal)
		}
	}
	refused := errors.New("no")
	if _, err := s.UpdatePayment(ctx, "p", epoch, func(*aggregator.Payment) error { return refused }); !errors.Is(err, refused) {
		t.Errorf("an error of the change: %v", err)
	}
	if _, err := s.UpdatePayment(ctx, "q", epoch, func(*aggregator.Payment) error { return nil }); !errors.Is(err, aggregator.ErrNotFound) {
		t.Errorf("an unknown payment: %v", err)
	}
}

// TestChecksOfPayments: the database itself keeps the rules of a payment, whoever writes.
func TestChecksOfPayments(t *testing.T) {
	s, ctx := open(t), t.Context()
	application(t, s)
	for i, assignment := range []string{
		`status = 'DONE'`,
		`final = 2`,
		`auth_status = 'OPEN'`,
		`psu_type = 'other'`,
		`psu_id_hash = 'short'`,
		`bank_state_hash = 'short'`,
		`events = -1`,
		`due = NULL`,                 // not final, and nobody looks after it
		`final = 1, status = 'CNCL'`, // final, and somebody looks after it
		`status = 'CNCL'`,            // over, and not final
		`status = 'RJCT'`,            // over, and not final
		`deleted = created`,          // not final
		`auth_status = 'FINALISED'`,  // approved, at no time
		`approved = created`,         // not approved
		`status = 'ACSC'`,            // not approved
		`status = 'RCVD'`,            // not approved
		`status = 'RJCT', final = 1, due = NULL, auth_status = 'CANCELLED'`,
		`status = 'CNCL', final = 1, due = NULL, auth_status = 'FAILED'`,
		`status = 'ACSC', auth_status = 'PENDING'`,
		`application_id = 'nobody'`,
	} {
		id := fmt.Sprint("payment ", i)
		ordered(t, s, id)
		write := func(assignment string) error {
			return s.db.Write(ctx, func(tx *sqlite.Tx) error {
				_, err := tx.ExecContext(ctx, `UPDATE payment SET `+assignment+` WHERE payment_id = $1`, id)
				return err
			})
		}
		if err := write(assignment); err == nil || !strings.Contains(err.Error(), "constraint") {
			t.Errorf("%s: %v", assignment, err)
		}
		if err := write(`status = 'CNCL', final = 1, due = NULL`); err != nil {
			t.Errorf("an abandoned payment: %v", err)
		}
	}
	row := ordered(t, s, "twice")
	if err := s.CreatePayment(ctx, row, hash("another state"), aggregator.SuppliedCredentials{}); err == nil {
		t.Error("an id is taken twice")
	}
	row.AuthorizationID = "other"
	if err := s.CreatePayment(ctx, row, hash("state of twice"), aggregator.SuppliedCredentials{}); err == nil {
		t.Error("a bank state is taken twice")
	}
}

// told returns the events of a payment, in their order.
func told(t *testing.T, s *Store, id string) []aggregator.Webhook {
	t.Helper()
	records, err := s.Webhooks(t.Context(), aggregator.WebhookFilter{ApplicationID: "app", PaymentID: id, Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	list := make([]aggregator.Webhook, len(records))
	for i, r := range records {
		list[i] = r.Webhook
	}
	slices.SortFunc(list, func(a, b aggregator.Webhook) int { return a.Sequence - b.Sequence })
	return list
}

// TestConcurrentChangesWriteOneEventEach: whoever comes second meets the row as the first one left it, and the events are
// numbered without a gap (spec: Payment status webhook).
func TestConcurrentChangesWriteOneEventEach(t *testing.T) {
	s, ctx := open(t), t.Context()
	application(t, s)
	ordered(t, s, "p")
	path := []openbanking.PaymentStatus{openbanking.PaymentStatusRCVD, openbanking.PaymentStatusACTC, openbanking.PaymentStatusACCP,
		openbanking.PaymentStatusACSP, openbanking.PaymentStatusACSC}
	var all sync.WaitGroup
	for range 8 {
		for _, status := range path {
			all.Go(func() {
				_, err := s.UpdatePayment(context.Background(), "p", epoch, func(p *aggregator.Payment) error {
					if p.Status == status {
						return nil
					}
					return approve(status, status == openbanking.PaymentStatusACSC)(p)
				})
				if err != nil && !errors.Is(err, aggregator.ErrIllegalMove) {
					t.Error(err)
				}
			})
		}
	}
	all.Wait()
	row, err := s.PaymentByID(ctx, "p")
	if err != nil || row.Status != openbanking.PaymentStatusACSC || !row.Final || !row.Due.IsZero() {
		t.Fatalf("%+v, %v", row, err)
	}
	last := openbanking.PaymentStatusPDNG
	events := told(t, s, "p")
	for i, w := range events {
		if w.Sequence != i+1 || !aggregator.PaymentMove(last, w.Status) {
			t.Errorf("event %d is number %d: %s after %s", i, w.Sequence, w.Status, last)
		}
		last = w.Status
	}
	if last != openbanking.PaymentStatusACSC {
		t.Errorf("the last event tells of %s", last)
	}
}

// TestEventsOfPayments: spec: Payment status webhook, the body fields.
func TestEventsOfPayments(t *testing.T) {
	s, ctx := open(t), t.Context()
	application(t, s)
	ordered(t, s, "p")
	at := epoch.Add(90*time.Second + 7*time.Millisecond)
	if _, err := s.UpdatePayment(ctx, "p", at, approve(openbanking.PaymentStatusACSP, false)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.UpdatePayment(ctx, "p", at, approve(openbanking.PaymentStatusACSC, true)); err != nil {
		t.Fatal(err)
	}
	ordered(t, s, "abandoned")
	_, err := s.UpdatePayment(ctx, "abandoned", at, func(p *aggregator.Payment) error {
		p.Status, p.Final = openbanking.PaymentStatusCNCL, true
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct {
		payment string
		status  openbanking.PaymentStatus
		more    bool
		auth    openbanking.PaymentAuthStatus
	}{
		{"p", openbanking.PaymentStatusACSP, true, openbanking.PaymentAuthStatusFinalised},
		{"p", openbanking.PaymentStatusACSC, false, openbanking.PaymentAuthStatusFinalised},
		{"abandoned", openbanking.PaymentStatusCNCL, false, ""},
	} {
		var w aggregator.Webhook
		for _, each := range told(t, s, want.payment) {
			if each.Status == want.status {
				w = each
			}
		}
		var body openbanking.PaymentStatusWebhook
		if err := json.Unmarshal([]byte(w.Body), &body); err != nil {
			t.Fatal(err)
		}
		var auth openbanking.PaymentAuthStatus
		if body.PaymentAuthStatus != nil {
			auth = *body.PaymentAuthStatus
		}
		if body.PaymentID != want.payment || body.PaymentStatus != want.status || body.PaymentUpdatesExpected != want.more || auth != want.auth ||
			body.WebhookID != w.ID || body.WebhookTriggered != "2026-01-31T12:01:30.007Z" {
			t.Errorf("%s %s: %s", want.payment, want.status, w.Body)
		}
		if w.URL != "https://A.example:8443/hook?x=1" || w.Origin != "https://a.example:8443" || w.Environment != openbanking.EnvironmentSandbox ||
			w.ApplicationID != "app" || !w.Created.Equal(at) || !w.Due.Equal(at) || !w.Open() {
			t.Errorf("%s %s: %+v", want.payment, want.status, w)
		}
	}
	quiet := ordered(t, s, "quiet")
	quiet.AuthorizationID, quiet.WebhookURL = "without", ""
	if err := s.CreatePayment(ctx, quiet, hash("state of without"), aggregator.SuppliedCredentials{}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.UpdatePayment(ctx, "without", at, approve(openbanking.PaymentStatusACSC, true)); err != nil || len(told(t, s, "without")) != 0 {
		t.Errorf("without webhook_url: %v, %v", err, told(t, s, "without"))
	}
	ordered(t, s, "orphan")
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE application SET status = $1", aggregator.ApplicationDeleted)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.UpdatePayment(ctx, "orphan", at, approve(openbanking.PaymentStatusACSC, true)); err != nil || len(told(t, s, "orphan")) != 0 {
		t.Errorf("of a deleted application: %v, %v", err, told(t, s, "orphan"))
	}
}

// TestClaimsOfPayments: a payment that is due is given to one at a time; a lease that has ended, or was given back, gives it
// to the next.
func TestClaimsOfPayments(t *testing.T) {
	s, ctx := open(t), t.Context()
	application(t, s)
	northlight := openbanking.ASPSP{Name: "Northlight", Country: "FI"}
	for i := range 5 {
		ordered(t, s, fmt.Sprint(i))
	}
	late := epoch.Add(30 * time.Minute)
	claim := func(now time.Time, bank openbanking.ASPSP, limit int) []string {
		t.Helper()
		rows, err := s.ClaimPayments(ctx, bank, now, now.Add(time.Minute), limit)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, row := range rows {
			ids = append(ids, row.AuthorizationID)
		}
		slices.Sort(ids)
		return ids
	}
	banks := func(now time.Time) []openbanking.ASPSP {
		t.Helper()
		list, err := s.BanksWithDuePayments(ctx, now)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	next := func() time.Time {
		t.Helper()
		at, err := s.NextPaymentDue(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	if got := claim(late.Add(-time.Millisecond), northlight, 9); got != nil || banks(late.Add(-time.Millisecond)) != nil || !next().Equal(late) {
		t.Errorf("too soon: %v, %v, next %v", got, banks(late.Add(-time.Millisecond)), next())
	}
	if got := claim(late, openbanking.ASPSP{Name: "Northlight", Country: "SE"}, 9); got != nil {
		t.Errorf("of another bank: %v", got)
	}
	if got := banks(late); len(got) != 1 || got[0] != northlight {
		t.Errorf("banks %v", got)
	}
	var mu sync.Mutex
	var given []string
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			got := claim(late, northlight, 2)
			mu.Lock()
			defer mu.Unlock()
			given = append(given, got...)
		})
	}
	all.Wait()
	slices.Sort(given)
	if !slices.Equal(given, []string{"0", "1", "2", "3", "4"}) {
		t.Errorf("given %v", given)
	}
	if banks(late) != nil || !next().Equal(late.Add(time.Minute)) {
		t.Errorf("while they are worked on: %v, next %v", banks(late), next())
	}
	if _, err := s.UpdatePayment(ctx, "3", late, func(*aggregator.Payment) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if got := claim(late, northlight, 9); !slices.Equal(got, []string{"3"}) {
		t.Errorf("given back: %v", got)
	}
	if _, err := s.UpdatePayment(ctx, "4", late, approve(openbanking.PaymentStatusACSC, true)); err != nil {
		t.Fatal(err)
	}
	if got := claim(late.Add(time.Minute), northlight, 9); !slices.Equal(got, []string{"0", "1", "2", "3"}) {
		t.Errorf("after the leases: %v", got)
	}
}

// A visit begins for a payment that waits for the PSU, and for no other; with the end of the authorisation the credentials
// are forgotten.
func TestVisitsAndCredentialsOfPayments(t *testing.T) {
	s, ctx := open(t), t.Context()
	application(t, s)
	row := ordered(t, s, "p")
	first, second := aggregator.Visit{ID: "v1", AuthorizationID: "p", Reference: "r"}, aggregator.Visit{ID: "v2", AuthorizationID: "p"}
	if _, err := s.BeginVisit(ctx, first, row.PageExpires); !errors.Is(err, aggregator.ErrNotFound) {
		t.Errorf("late: %v", err)
	}
	if previous, err := s.BeginVisit(ctx, first, epoch); err != nil || previous != (aggregator.Visit{}) {
		t.Errorf("%+v, %v", previous, err)
	}
	pend := func(p *aggregator.Payment) error { p.AuthStatus = openbanking.PaymentAuthStatusPending; return nil }
	if _, err := s.UpdatePayment(ctx, "p", epoch, pend); err != nil {
		t.Fatal(err)
	}
	if previous, err := s.BeginVisit(ctx, second, epoch); err != nil || previous != first {
		t.Errorf("%+v, %v", previous, err)
	}
	if c, err := s.SuppliedCredentials(ctx, "p"); err != nil || c.Sealed != "sealed" || !c.Autosubmit {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := s.UpdatePayment(ctx, "p", epoch, approve(openbanking.PaymentStatusACTC, false)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.SuppliedCredentials(ctx, "p"); !errors.Is(err, aggregator.ErrNotFound) {
		t.Errorf("credentials after the approval: %v", err)
	}
	if _, err := s.BeginVisit(ctx, first, epoch); !errors.Is(err, aggregator.ErrNotFound) {
		t.Errorf("after the approval: %v", err)
	}
	if got, err := s.VisitOf(ctx, "p"); err != nil || got != second {
		t.Errorf("%+v, %v", got, err)
	}
	ordered(t, s, "over")
	_, err := s.UpdatePayment(ctx, "over", epoch, func(p *aggregator.Payment) error {
		p.Status, p.Final, p.AuthStatus = openbanking.PaymentStatusCNCL, true, openbanking.PaymentAuthStatusCancelled
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.SuppliedCredentials(ctx, "over"); !errors.Is(err, aggregator.ErrNotFound) {
		t.Errorf("credentials of a payment that is over: %v", err)
	}
	if _, err := s.BeginVisit(ctx, aggregator.Visit{ID: "v3", AuthorizationID: "over"}, epoch); !errors.Is(err, aggregator.ErrNotFound) {
		t.Errorf("of a payment that is over: %v", err)
	}
}

// A payment is deleted when it is final, for its application, and once. Its events outlive it (spec: DELETE /payments).
func TestDeletePayment(t *testing.T) {
	s, ctx := open(t), t.Context()
	application(t, s)
	ordered(t, s, "p")
	if err := s.DeletePayment(ctx, "app", "p", epoch); !errors.Is(err, aggregator.ErrNotFound) {
		t.Errorf("not final: %v", err)
	}
	if _, err := s.UpdatePayment(ctx, "p", epoch, approve(openbanking.PaymentStatusACSC, true)); err != nil {
		t.Fatal(err)
	}
	if err := s.DeletePayment(ctx, "other", "p", epoch); !errors.Is(err, aggregator.ErrNotFound) {
		t.Errorf("of another application: %v", err)
	}
	if err := s.DeletePayment(ctx, "app", "p", epoch); err != nil {
		t.Fatal(err)
	}
	if err := s.DeletePayment(ctx, "app", "p", epoch); !errors.Is(err, aggregator.ErrNotFound) {
		t.Errorf("twice: %v", err)
	}
	if _, err := s.Payment(ctx, "app", "p"); !errors.Is(err, aggregator.ErrNotFound) {
		t.Errorf("read: %v", err)
	}
	if _, err := s.PaymentByID(ctx, "p"); err != nil {
		t.Errorf("read by the service: %v", err)
	}
	if got := told(t, s, "p"); len(got) != 1 || !got[0].Open() {
		t.Errorf("events %+v", got)
	}
}

// Payments and events that have been over for thirty days are forgotten, each by its own end.
func TestPurgeOfPayments(t *testing.T) {
	s, ctx := open(t), t.Context()
	application(t, s)
	for _, id := range []string{"open", "final", "told"} {
		ordered(t, s, id)
		if _, err := s.BeginVisit(ctx, aggregator.Visit{ID: "visit of " + id, AuthorizationID: id}, epoch); err != nil {
			t.Fatal(err)
		}
		if _, err := s.UpdatePayment(ctx, id, epoch, approve(openbanking.PaymentStatusACSC, id != "open")); err != nil {
			t.Fatal(err)
		}
	}
	delivered := epoch.Add(time.Hour)
	err := s.FinishWebhooks(ctx, delivered, []aggregator.WebhookResult{{
		WebhookAttempt: aggregator.WebhookAttempt{WebhookID: told(t, s, "told")[0].ID, Number: 1, At: delivered, Status: 200, Outcome: "acknowledged"},
		Acknowledged:   true,
	}})
	if err != nil {
		t.Fatal(err)
	}
	remain := func() string {
		t.Helper()
		var ids []string
		for _, id := range []string{"open", "final", "told"} {
			if _, err := s.PaymentByID(ctx, id); err == nil {
				ids = append(ids, id)
			}
			if _, err := s.VisitOf(ctx, id); err == nil {
				ids = append(ids, "visit")
			}
			if len(told(t, s, id)) > 0 {
				ids = append(ids, "event")
			}
		}
		return strings.Join(ids, " ")
	}
	for _, step := range []struct {
		after time.Duration
		want  string
	}{
		{keepPayments, "open visit event final visit event told visit event"},
		{keepPayments + time.Millisecond, "open visit event event event"},
		{keepPayments + time.Hour + time.Millisecond, "open visit event event"},
	} {
		if err := s.Purge(ctx, epoch.Add(step.after)); err != nil {
			t.Fatal(err)
		}
		if got := remain(); got != step.want {
			t.Errorf("after %v: %s, want %s", step.after, got, step.want)
		}
	}
}

// An authorisation that came to nothing is forgotten with its visit and with the linking that it was for.
func TestPurgeOfAnAuthorizationWithAVisit(t *testing.T) {
	s, ctx := open(t), t.Context()
	application(t, s)
	pending(t, s, "one")
	if _, err := s.BeginVisit(ctx, aggregator.Visit{ID: "v", AuthorizationID: "one"}, epoch); err != nil {
		t.Fatal(err)
	}
	if err := s.End(ctx, "one", aggregator.EventCancelled, epoch); err != nil {
		t.Fatal(err)
	}
	if err := s.Purge(ctx, epoch.Add(keepAuthorizations+time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Visit(ctx, "v"); !errors.Is(err, aggregator.ErrNotFound) {
		t.Errorf("the visit: %v", err)
	}
}
