package server_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"florin/internal/aggregator/sandbox"
	"florin/internal/contract"
	"florin/internal/contract/walk"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
	"florin/internal/testkit"
)

const (
	accc = openbanking.PaymentStatusACCC
	accp = openbanking.PaymentStatusACCP
	accr = openbanking.PaymentStatusACCR
	acpt = openbanking.PaymentStatusACPT
	acsc = openbanking.PaymentStatusACSC
	acsp = openbanking.PaymentStatusACSP
	actc = openbanking.PaymentStatusACTC
	acwc = openbanking.PaymentStatusACWC
	acwp = openbanking.PaymentStatusACWP
	cncl = openbanking.PaymentStatusCNCL
	null = openbanking.PaymentStatusNULL
	pacr = openbanking.PaymentStatusPACR
	part = openbanking.PaymentStatusPART
	pdcr = openbanking.PaymentStatusPDCR
	pdng = openbanking.PaymentStatusPDNG
	rcvd = openbanking.PaymentStatusRCVD
	rjcr = openbanking.PaymentStatusRJCR
	rjct = openbanking.PaymentStatusRJCT
)

// paymentBank has the scenarios of payments.
var paymentBank = openbanking.ASPSP{Name: "Scenario Payments", Country: "IE"}

// payingAnyway is a user of paymentBank, who pays whatever the bank says of the payee's name.
func payingAnyway(username string) walk.Person {
	return walk.Person{Username: username, Password: "scenario", Despite: true}
}

// receive lets the payments of the test be those of an application whose webhooks come to the receiver that it returns, at
// the address.
func (s *service) receive() (r *contract.Receiver, address string) {
	s.t.Helper()
	r = &contract.Receiver{Domain: "localhost", Client: &http.Client{Transport: aside{s.url}}, Now: s.clock.Now}
	web := httptest.NewServer(r)
	s.t.Cleanup(web.Close)
	r.Application = openbanking.Application{Kid: s.become(web.URL), Environment: openbanking.EnvironmentSandbox}
	return r, web.URL + "/webhooks"
}

// become makes the test one of another application, with an origin for webhooks, and returns its id.
func (s *service) become(origin string) (id string) {
	s.t.Helper()
	app, err := s.server.Register(s.t.Context(), openbanking.RegisterApplicationRequest{
		Certificate: key().pem, Environment: openbanking.EnvironmentSandbox, Name: "Ledger", RedirectURLs: []string{callback},
	}, []string{origin})
	if err != nil {
		s.t.Fatal(err)
	}
	if s.token, err = key().signer(app.ID).Token(time.Now()); err != nil {
		s.t.Fatal(err)
	}
	return app.ID
}

// aside fetches the certificates of webhooks where a reverse proxy would.
type aside struct{ url string }

func (a aside) RoundTrip(r *http.Request) (*http.Response, error) {
	target, err := url.Parse(a.url)
	if err != nil {
		return nil, err
	}
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host = target.Scheme, target.Host
	return http.DefaultTransport.RoundTrip(r)
}

// events waits for the events of a payment until its last one has come, and returns them in the order in which they came.
func (s *service) events(r *contract.Receiver, payment string) (list []openbanking.PaymentStatusWebhook) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	arrived, err := r.Await(ctx, func(arrived []contract.Delivery) bool {
		return slices.ContainsFunc(arrived, func(d contract.Delivery) bool {
			return d.Event.PaymentID == payment && !d.Event.PaymentUpdatesExpected
		})
	})
	if err != nil {
		s.t.Errorf("the last event of the payment: %v", err)
	}
	ids := map[string]bool{}
	for _, d := range arrived {
		if d.Event.PaymentID != payment {
			continue
		}
		if d.Problem != nil || ids[d.Event.WebhookID] {
			s.t.Errorf("%v, or it came twice: %s", d.Problem, d.Body)
		}
		ids[d.Event.WebhookID] = true
		list = append(list, d.Event)
	}
	return list
}

// course reads a payment until it is final, every half a second at first, then on the mornings of the days that follow, and
// returns all statuses that it had.
func (s *service) course(id string) (read openbanking.Payment, had []openbanking.PaymentStatus) {
	s.t.Helper()
	look := func(times int, step time.Duration) bool {
		for range times {
			read = s.payment(id)
			if len(had) == 0 || had[len(had)-1] != read.Status {
				had = append(had, read.Status)
			}
			if read.FinalStatus {
				return true
			}
			s.clock.Advance(step)
		}
		return false
	}
	if look(44, 500*time.Millisecond) {
		return read, had
	}
	for range 5 {
		s.at(s.clock.Now().UTC().Truncate(24 * time.Hour).Add(30*time.Hour + time.Second))
		if look(6, time.Second) {
			break
		}
	}
	return read, had
}

// fate is a payment, and what becomes of it.
type fate struct {
	name   string // of the scenario and its user, or what it shows
	bank   openbanking.ASPSP
	person walk.Person
	change func(*openbanking.CreatePaymentRequest)
	want   []openbanking.PaymentStatus
	reason string
	shifts bool // to another date
}

// bulkOf makes a payment a bulk of a business.
func bulkOf(amounts ...string) func(*openbanking.CreatePaymentRequest) {
	return func(r *openbanking.CreatePaymentRequest) {
		r.PaymentType, r.PSUType = openbanking.PaymentTypeBulkSEPA, openbanking.PSUTypeBusiness
		r.PaymentRequest.CreditTransferTransaction = nil
		for _, amount := range amounts {
			t := transfer(amount, "Verein Lindenhof", payee)
			r.PaymentRequest.CreditTransferTransaction = append(r.PaymentRequest.CreditTransferTransaction, t)
		}
	}
}

// to pays to an account of paymentBank.
func to(number string) func(*openbanking.CreatePaymentRequest) {
	return func(r *openbanking.CreatePaymentRequest) {
		r.PaymentRequest.CreditTransferTransaction[0].Beneficiary.CreditorAccount.Identification = number
	}
}

// fates are payments by every path and every scenario (docs/sandbox.md).
var fates = []fate{
	{name: "instant", bank: redirectBank, person: lena,
		change: func(r *openbanking.CreatePaymentRequest) { r.PaymentType = openbanking.PaymentTypeInstSEPA },
		want:   []openbanking.PaymentStatus{pdng, actc, acsp, accc}},
	{name: "standard", bank: redirectBank, person: lena, want: []openbanking.PaymentStatus{pdng, rcvd, actc, accp, acsp, acsc}},
	{name: "terse", bank: openbanking.ASPSP{Name: "Emajõe Pank", Country: "EE"}, want: []openbanking.PaymentStatus{pdng, actc, acsp}},
	{name: "payment-invalid", want: []openbanking.PaymentStatus{pdng, rcvd, actc, rjct}, reason: "FF01"},
	{name: "payment-too-late", want: []openbanking.PaymentStatus{pdng, rcvd, actc, rjct}, reason: "TM01"},
	{name: "payment-refused", want: []openbanking.PaymentStatus{pdng, rcvd, actc, rjct}, reason: "MS03"},
	{name: "payment-returned", want: []openbanking.PaymentStatus{pdng, rcvd, actc, accp, acsp, rjct}, reason: "MS03"},
	{name: "payment-pending", want: []openbanking.PaymentStatus{pdng}},
	{name: "payment-cancelled", want: []openbanking.PaymentStatus{pdng, rcvd, actc, accp, acsp, pdcr, accr, cncl}},
	{name: "payment-cancellation-refused", want: []openbanking.PaymentStatus{pdng, rcvd, actc, accp, acsp, pdcr, rjcr, null, acsp, acsc}},
	{name: "bulk-partly-cancelled", change: bulkOf("10.00", "20.00"), want: []openbanking.PaymentStatus{pdng, actc, accp, acsp, pdcr, pacr, part, acsc}},
	{name: "bulk-partly-rejected", change: bulkOf("10.00", "20.00"), want: []openbanking.PaymentStatus{pdng, actc, part, acsc}},
	{name: "payment-accepted", want: []openbanking.PaymentStatus{pdng, rcvd, acpt, acsp, acsc}},
	{name: "payment-shifted", want: []openbanking.PaymentStatus{pdng, actc, acwc, acsp, acsc}, shifts: true},
	{name: "payment-next-day", want: []openbanking.PaymentStatus{pdng, rcvd, actc, accp, acsp, acsc}},
	{name: "payment-unposted", want: []openbanking.PaymentStatus{pdng, actc, acsp, acwp, accc}},
	{name: "no such account", person: payingAnyway("payment-causes"), change: to("IE14SCNM99031012345678"),
		want: []openbanking.PaymentStatus{pdng, rcvd, actc, rjct}, reason: "AC01"},
	{name: "closed account", person: payingAnyway("payment-causes"), change: to("IE07SCNM99031016317469"),
		want: []openbanking.PaymentStatus{pdng, rcvd, actc, rjct}, reason: "AC04"},
	{name: "blocked account", person: payingAnyway("payment-causes"), change: to("IE41SCNM99031016581861"),
		want: []openbanking.PaymentStatus{pdng, rcvd, actc, rjct}, reason: "AC06"},
	{name: "too little money", person: payingAnyway("payment-causes"), change: func(r *openbanking.CreatePaymentRequest) {
		r.PaymentRequest.DebtorAccount = &openbanking.GenericIdentification{Identification: "IE95SCNM99031012162927", SchemeName: openbanking.SchemeNameIBAN}
		r.PaymentRequest.CreditTransferTransaction[0].InstructedAmount.Amount = "100.01"
	}, want: []openbanking.PaymentStatus{pdng, rcvd, actc, rjct}, reason: "AM04"},
	{name: "too large", person: payingAnyway("payment-causes"), change: func(r *openbanking.CreatePaymentRequest) {
		r.PaymentRequest.CreditTransferTransaction[0].InstructedAmount.Amount = "1000000000.01"
	}, want: []openbanking.PaymentStatus{pdng, rcvd, actc, rjct}, reason: "AM02"},
}

// spec: Payment status. Every status occurs, as the scenarios of payments say, in GET /payments and in the webhooks alike: each
// change has its event, in their order, and the last one says that no more is expected.
func TestEveryPaymentStatus(t *testing.T) {
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Each)
	s := run(t, "Ledger", "")
	s.clock.Stop()
	r, address := s.receive()
	occurred := map[openbanking.PaymentStatus]bool{}
	for _, f := range fates {
		t.Run(f.name, func(t *testing.T) {
			s.at(friday)
			defer s.during(t)()
			bank, person := f.bank, f.person
			if bank.Name == "" {
				bank = paymentBank
			}
			if person.Username == "" {
				person = s.anybody(bank, f.name)
			}
			id, start := s.order(bank, func(request *openbanking.CreatePaymentRequest) {
				if request.WebhookURL = &address; f.change != nil {
					f.change(request)
				}
			})
			accepted(t, &walk.Page{Left: must[*url.URL](t)(walk.New(nil).Pay(t.Context(), start, person))})
			read, had := s.course(id)
			for _, status := range had {
				occurred[status] = true
			}
			if !slices.Equal(had, f.want) {
				t.Errorf("statuses %v, want %v", had, f.want)
			}
			if reason := read.StatusReasonInformation; (reason != nil) != (f.reason != "") ||
				reason != nil && (reason.StatusReasonCode != f.reason || reason.StatusReasonDescription == "") {
				t.Errorf("reason %+v, want %q", reason, f.reason)
			}
			if date := read.PaymentDetails.CreditTransferTransaction[0].RequestedExecutionDate; (date != nil) != f.shifts || date != nil && *date != "2027-01-18" {
				t.Errorf("executed on %v", date)
			}
			if !read.FinalStatus {
				if f.name != "payment-pending" {
					t.Error("the payment is not final")
				}
				return
			}
			var told []openbanking.PaymentStatus
			for _, e := range s.events(r, id) {
				told = append(told, e.PaymentStatus)
				if e.PaymentUpdatesExpected != (len(told) < len(f.want)-1) || e.PaymentAuthStatus == nil ||
					*e.PaymentAuthStatus != openbanking.PaymentAuthStatusFinalised {
					t.Errorf("event %d is %+v", len(told), e)
				}
			}
			if !slices.Equal(told, f.want[1:]) {
				t.Errorf("webhooks told of %v", told)
			}
		})
	}
	for _, status := range openbanking.PaymentStatus("").Values() {
		if !occurred[status] {
			t.Errorf("no payment was %s", status)
		}
	}
}

// untoldAs is the answer to GET /payments/{payment_id} where the bank does not say what became of an approved payment.
type untoldAs struct {
	status int
	code   openbanking.ErrorCode
}

// untold are the scenarios of such banks; the slow one says it in the end.
var untold = map[string]untoldAs{
	"payment-not-accessible": {400, openbanking.ASPSPPaymentNotAccessible},
	"payment-timeout":        {408, openbanking.ASPSPTimeout},
	"payment-unavailable":    {400, openbanking.ASPSPError},
	"payment-slow":           {200, ""},
}

// approveUntold pays as a user of paymentBank, comes back to the application as after every approval, and returns the payment.
func (s *service) approveUntold(username string) (id string) {
	s.t.Helper()
	id, start := s.order(paymentBank, nil)
	accepted(s.t, &walk.Page{Left: must[*url.URL](s.t)(walk.New(nil).Pay(s.t.Context(), start, payingAnyway(username)))})
	return id
}

// Who has approved a payment at the bank is never told that nothing was approved, or that the payment was not made, unless the bank has said
// so: whoever believes that pays twice. The way back leads to the application, each time, and no page after it says otherwise.
func TestAnApprovalIsNeverTakenBackWithoutTheBank(t *testing.T) {
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Waits)
	s := run(t, "Ledger", "")
	for username, want := range untold {
		if want.status == 200 {
			continue
		}
		t.Run(username, func(t *testing.T) {
			defer s.during(t)()
			id, start := s.order(paymentBank, nil)
			b, who := walk.New(nil), payingAnyway(username)
			page := must[*walk.Page](t)(b.ToOrder(t.Context(), start, who))
			at := page.URL.String()
			page = must[*walk.Page](t)(b.Order(t.Context(), page, who))
			form, _ := page.Form("/code")
			form.Fields.Set("code", page.Code())
			location := post(t, b, form)
			accepted(t, open(t, b, location))
			accepted(t, open(t, b, location)) // reloaded
			unsure := func(what string, page *walk.Page) {
				t.Helper()
				if page.Status != http.StatusBadGateway || !strings.Contains(page.Body, "Whether the payment was approved is not known yet.") ||
					strings.Contains(page.Body, openbanking.InvalidPayment.Message()) {
					t.Errorf("%s: %d %q", what, page.Status, page.Title)
				}
				for _, lie := range []string{"Nothing was approved", "not made", "Nothing was shared"} {
					if strings.Contains(page.Body, lie) {
						t.Errorf("%s: the page says %q", what, lie)
					}
				}
			}
			review := open(t, b, start)
			for what, again := range map[string]*walk.Page{"accepted anew": submit(t, b, review, "/accept", nil), "cancelled": submit(t, b, review, "/cancel", nil)} {
				unsure(what, again)
				if back := slices.IndexFunc(again.Links, func(l string) bool { return strings.HasPrefix(l, callback) }); back < 0 {
					t.Errorf("%s: no way back among %v", what, again.Links)
				}
			}
			if over := open(t, b, at); over.Left != nil && over.Left.Query().Has("error") {
				t.Errorf("the page of the bank leads back with %v", over.Left.Query())
			}
			s.clock.Advance(time.Hour) // the page is over, too
			unsure("opened late", open(t, b, start))
			stranger := open(t, walk.New(nil), start)
			unsure("opened late in another browser", stranger)
			if strings.Contains(stranger.Body, callback) {
				t.Error("another browser is shown the way back")
			}
			accepted(t, open(t, b, location))
			refusal(t, s.get("/payments/"+id, nil), want.status, want.code, "")
		})
	}
}

// Nobody who comes back without an approval is told that the payment is on its way: the bank says that it has none, and the person can go on.
func TestComingBackWithoutAnApproval(t *testing.T) {
	s := run(t, "Ledger", "")
	b := walk.New(nil)
	id, start := s.order(redirectBank, nil)
	page := must[*walk.Page](t)(b.ToOrder(t.Context(), start, lena))
	form, _ := page.Form("/decline")
	back := must[*url.URL](t)(url.Parse(post(t, b, form)))
	back.RawQuery = url.Values{"state": {back.Query().Get("state")}}.Encode() // without the error
	early := open(t, b, back.String())
	if early.Status != http.StatusConflict || early.Title != "The payment is not approved" || !slices.Contains(early.Links, start) {
		t.Errorf("%d %q, links %v", early.Status, early.Title, early.Links)
	}
	accepted(t, &walk.Page{Left: must[*url.URL](t)(b.Pay(t.Context(), start, lena))})
	if p := s.payment(id); p.Status == cncl {
		t.Errorf("status %s", p.Status)
	}
}

// A payment that was approved stays as it is while the bank does not say what became of it, and the answers say why. A bank
// that is asked again and answers is believed.
func TestBankThatDoesNotTell(t *testing.T) {
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Waits)
	s := run(t, "Ledger", "")
	for username, want := range untold {
		t.Run(username, func(t *testing.T) {
			defer s.during(t)()
			id := s.approveUntold(username)
			s.clock.Advance(5 * time.Second)
			got := s.get("/payments/"+id, nil)
			if want.status != 200 {
				refusal(t, got, want.status, want.code, "")
				var answer openbanking.ErrorResponse
				if status := s.call("DELETE", "/payments/"+id, nil, &answer); status != 422 || *answer.Error != openbanking.PaymentNotFinalized {
					t.Errorf("DELETE: %d %+v", status, answer)
				}
				return
			}
			if read := into[openbanking.Payment](t, got); got.status != 200 || read.Status == pdng || read.PaymentDetails.DebtorAccount == nil {
				t.Errorf("%d %s", got.status, got.text)
			}
		})
	}
}

// anybody is the user of a bank with this name, or the first.
func (s *service) anybody(bank openbanking.ASPSP, username string) walk.Person {
	s.t.Helper()
	if bank == paymentBank {
		return payingAnyway(username)
	}
	for _, b := range s.everyBank() {
		if b.ASPSP().Reference() == bank {
			return person(b.SampleUsers(openbanking.PSUTypePersonal)[0])
		}
	}
	s.t.Fatalf("there is no bank %v", bank)
	return walk.Person{}
}

// everyBank are the simulated banks.
func (s *service) everyBank() []*sandbox.Bank {
	s.t.Helper()
	banks, err := sandbox.New(sandbox.Options{BaseURL: s.url, Flows: struct{ sandbox.FlowStore }{}})
	if err != nil {
		s.t.Fatal(err)
	}
	return banks.Banks()
}

// Every transaction of a bulk has a status of its own, in GET /payments/{payment_id}/transactions/{transaction_id} too.
func TestTransactionsOfABulk(t *testing.T) {
	s := run(t, "Ledger", "")
	s.clock.Stop()
	s.at(friday)
	tests := map[string][]openbanking.PaymentStatus{
		"bulk":                  {acsc, acsc, acsc},
		"bulk-partly-rejected":  {acsc, rjct, acsc},
		"bulk-partly-cancelled": {cncl, acsc, acsc},
	}
	for username, want := range tests {
		id, start := s.order(paymentBank, bulkOf("10.00", "20.00", "30.00"))
		accepted(t, &walk.Page{Left: must[*url.URL](t)(walk.New(nil).Pay(t.Context(), start, payingAnyway(username)))})
		read, _ := s.course(id)
		var got []openbanking.PaymentStatus
		for _, d := range read.PaymentDetails.CreditTransferTransaction {
			one := into[openbanking.PaymentTransaction](t, s.get("/payments/"+id+"/transactions/"+*d.TransactionID, nil))
			if one.PaymentID != id || *one.TransactionDetails.TransactionStatus != *d.TransactionStatus ||
				one.TransactionDetails.InstructedAmount != d.InstructedAmount {
				t.Errorf("%s: the transaction alone reads %+v", username, one)
			}
			got = append(got, *d.TransactionStatus)
		}
		if read.Status != acsc || !slices.Equal(got, want) {
			t.Errorf("%s: the payment is %s, its transactions %v, want %v", username, read.Status, got, want)
		}
	}
}

// spec: CreditTransferTransaction.requested_execution_date, set at each instruction. Each transaction of a bulk is executed on its own day, and is read
// back with it; the page shows each day.
func TestBulkWithADateAtEachInstruction(t *testing.T) {
	s := run(t, "Ledger", "")
	s.clock.Stop()
	s.at(friday)
	days := []*openbanking.Date{nil, new(openbanking.Date("2027-01-18")), new(openbanking.Date("2027-01-20"))}
	id, start := s.order(paymentBank, func(r *openbanking.CreatePaymentRequest) {
		bulkOf("10.00", "20.00", "30.00")(r)
		for i, day := range days {
			r.PaymentRequest.CreditTransferTransaction[i].RequestedExecutionDate = day
		}
	})
	if page := open(t, walk.New(nil), start); !strings.Contains(page.Body, "18 January 2027") || !strings.Contains(page.Body, "20 January 2027") ||
		!strings.Contains(page.Body, "As soon as possible") {
		t.Errorf("the page does not show the days: %s", page.Body)
	}
	read := s.payment(id)
	as := func(status openbanking.PaymentStatus, each ...openbanking.PaymentStatus) {
		t.Helper()
		read = s.payment(id)
		var got []openbanking.PaymentStatus
		for i, d := range read.PaymentDetails.CreditTransferTransaction {
			if got = append(got, *d.TransactionStatus); (d.RequestedExecutionDate == nil) != (days[i] == nil) ||
				days[i] != nil && *d.RequestedExecutionDate != *days[i] {
				t.Errorf("transaction %d: read back with %v", i, d.RequestedExecutionDate)
			}
		}
		if read.Status != status || !slices.Equal(got, each) {
			t.Errorf("%s, %v, want %s, %v", read.Status, got, status, each)
		}
	}
	as(pdng, pdng, pdng, pdng)
	accepted(t, &walk.Page{Left: must[*url.URL](t)(walk.New(nil).Pay(t.Context(), start, payingAnyway("bulk")))})
	s.clock.Advance(time.Minute)
	as(part, acsc, accp, accp)
	s.at(time.Date(2027, 1, 18, 8, 0, 0, 0, time.UTC))
	as(part, acsc, acsc, accp)
	s.at(time.Date(2027, 1, 20, 8, 0, 0, 0, time.UTC))
	if as(acsc, acsc, acsc, acsc); !read.FinalStatus {
		t.Error("not final")
	}
}

// spec: Payment status webhook. payment_auth_status has every value in some body, and is absent when the PSU has not begun
// (api-notes 8).
func TestEveryPaymentAuthStatus(t *testing.T) {
	s := run(t, "Ledger", "")
	r, address := s.receive()
	status := func(a openbanking.PaymentAuthStatus) *openbanking.PaymentAuthStatus { return &a }
	late := func() { s.clock.Advance(time.Hour) }
	tests := []struct {
		name   string
		walk   func(b *walk.Browser, start string)
		status openbanking.PaymentStatus // in the end
		auth   *openbanking.PaymentAuthStatus
	}{
		{"nobody came", func(*walk.Browser, string) { late() }, cncl, nil},
		{"only looked at", func(b *walk.Browser, start string) { open(t, b, start); late() }, cncl, status(openbanking.PaymentAuthStatusPending)},
		{"left at the bank", func(b *walk.Browser, start string) {
			must[*walk.Page](t)(b.ToOrder(t.Context(), start, lena))
			late()
		}, cncl, status(openbanking.PaymentAuthStatusPending)},
		{"cancelled", func(b *walk.Browser, start string) { must[*url.URL](t)(b.Cancel(t.Context(), start)) }, cncl, status(openbanking.PaymentAuthStatusCancelled)},
		{"five wrong codes", func(b *walk.Browser, start string) {
			page := must[*walk.Page](t)(b.ToOrder(t.Context(), start, lena))
			page = must[*walk.Page](t)(b.Order(t.Context(), page, lena))
			for range 5 {
				page = submit(t, b, page, "/code", url.Values{"code": {"no code"}})
			}
			open(t, b, page.Links[0])
		}, rjct, status(openbanking.PaymentAuthStatusFailed)},
		{"approved", func(b *walk.Browser, start string) { must[*url.URL](t)(b.Pay(t.Context(), start, lena)) }, acsc,
			status(openbanking.PaymentAuthStatusFinalised)},
	}
	occurred := map[openbanking.PaymentAuthStatus]bool{}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			defer s.during(t)()
			id, start := s.order(redirectBank, func(request *openbanking.CreatePaymentRequest) { request.WebhookURL = &address })
			test.walk(walk.New(nil), start)
			s.course(id)
			events := s.events(r, id)
			last := events[len(events)-1]
			if last.PaymentStatus != test.status || (last.PaymentAuthStatus == nil) != (test.auth == nil) || test.auth != nil &&
				*last.PaymentAuthStatus != *test.auth {
				t.Errorf("the last event is %+v", last)
			}
			if test.auth != nil {
				occurred[*test.auth] = true
			}
		})
	}
	for _, status := range openbanking.PaymentAuthStatus("").Values() {
		if !occurred[status] {
			t.Errorf("payment_auth_status was never %s", status)
		}
	}
}

// spec: Payment initiation flow, step 7. The service asks the bank by itself: nobody reads the payment, and its events come.
func TestWebhooksComeUnasked(t *testing.T) {
	s := run(t, "Ledger", "")
	r, address := s.receive()
	id, start := s.order(redirectBank, func(request *openbanking.CreatePaymentRequest) {
		request.WebhookURL, request.PaymentType = &address, openbanking.PaymentTypeInstSEPA
	})
	accepted(t, &walk.Page{Left: must[*url.URL](t)(walk.New(nil).Pay(t.Context(), start, lena))})
	events := s.events(r, id)
	if last := events[len(events)-1]; last.PaymentStatus != accc || last.PaymentUpdatesExpected {
		t.Errorf("the last event is %+v", last)
	}
}

// Every status that a payment has had comes as an event, in its order, though all of them were reached before anybody looked.
func TestEveryStatusComesAsAWebhookAtAnyPace(t *testing.T) {
	s := run(t, "Ledger", "")
	s.clock.Stop()
	s.at(friday)
	r, address := s.receive()
	for _, f := range fates {
		if f.bank == redirectBank || f.name == "payment-cancellation-refused" {
			if f.bank.Name == "" {
				f.bank, f.person = paymentBank, payingAnyway(f.name)
			}
			t.Run(f.name, func(t *testing.T) {
				defer s.during(t)()
				s.at(friday)
				id, start := s.order(f.bank, func(request *openbanking.CreatePaymentRequest) {
					if f.change != nil {
						f.change(request)
					}
					request.WebhookURL = &address
				})
				accepted(t, &walk.Page{Left: must[*url.URL](t)(walk.New(nil).Pay(t.Context(), start, f.person))})
				s.clock.Advance(10 * 24 * time.Hour)
				s.payment(id)
				var told []openbanking.PaymentStatus
				for _, e := range s.events(r, id) {
					told = append(told, e.PaymentStatus)
				}
				if !slices.Equal(told, f.want[1:]) {
					t.Errorf("webhooks told of %v, want %v", told, f.want[1:])
				}
			})
		}
	}
}

// spec: Payment status webhook. The token names the environment of the application. Since webhooks of production go to https alone,
// which the receiver of the test does not have, the application is moved there as no developer can.
func TestWebhooksOfProduction(t *testing.T) {
	s := run(t, "Ledger", "")
	r, address := s.receive()
	s.write(`UPDATE application SET environment = 'PRODUCTION'`)
	r.Application.Environment = openbanking.EnvironmentProduction
	id, start := s.order(redirectBank, func(request *openbanking.CreatePaymentRequest) { request.WebhookURL = &address })
	must[*url.URL](t)(walk.New(nil).Cancel(t.Context(), start))
	if events := s.events(r, id); len(events) != 1 {
		t.Errorf("%d events", len(events))
	}
}

// write changes the database of the service.
func (s *service) write(statement string) {
	s.t.Helper()
	db := must[*sqlite.DB](s.t)(sqlite.Open(s.t.Context(), filepath.Join(s.folder, "aggregator.db")))
	if err := db.Write(s.t.Context(), func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(s.t.Context(), statement)
		return err
	}); err != nil {
		s.t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		s.t.Error(err)
	}
	time.Sleep(5 * time.Millisecond) // the service notices changes of another process within one
}
