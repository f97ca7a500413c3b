package server_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"florin/internal/contract/walk"
	"florin/internal/openbanking"
)

// Banks of the catalogue, by how payments are approved there.
var (
	redirectBank = openbanking.ASPSP{Name: "Seebrücke Bank", Country: "DE"}
	noorsBank    = openbanking.ASPSP{Name: "Molenwiek Sparen", Country: "NL"} // decoupled
	lindwurm     = openbanking.ASPSP{Name: "Lindwurm Direkt", Country: "DE"}  // all three approaches
	mockBank     = openbanking.ASPSP{Name: "Mock ASPSP", Country: "DE"}
)

var (
	lena  = walk.Person{Username: "lena", Password: "moewe-27"}
	noor  = walk.Person{Username: "noor", Password: "wiek-4"}
	felix = walk.Person{Username: "felix", Password: "drache-5"}
)

// payee is an account at no simulated bank.
const payee = "DE89370400440532013000"

// order calls POST /payments for a bank: 12.50 EUR to Verein Lindenhof, changed by change. It returns the id of the payment
// and the address for the person's browser.
func (s *service) order(bank openbanking.ASPSP, change func(*openbanking.CreatePaymentRequest)) (id, start string) {
	s.t.Helper()
	request := openbanking.CreatePaymentRequest{
		PaymentType: openbanking.PaymentTypeSEPA,
		PaymentRequest: openbanking.PaymentRequestResource{CreditTransferTransaction: []openbanking.CreditTransferTransaction{transfer("12.50",
			"Verein Lindenhof", payee)}},
		ASPSP:       bank,
		State:       "the state",
		RedirectURL: callback,
		PSUType:     openbanking.PSUTypePersonal,
	}
	if change != nil {
		change(&request)
	}
	var answer struct {
		PaymentID string `json:"payment_id"`
		URL       string `json:"url"`
		Message   string `json:"message"` // of an error
	}
	if status := s.call("POST", "/payments", request, &answer); status != 200 {
		s.t.Fatalf("POST /payments: status %d, %s", status, answer.Message)
	}
	return answer.PaymentID, answer.URL
}

func transfer(amount, name, number string) openbanking.CreditTransferTransaction {
	return openbanking.CreditTransferTransaction{
		InstructedAmount: openbanking.AmountType{Currency: "EUR", Amount: amount},
		Beneficiary: openbanking.Beneficiary{
			Creditor:        &openbanking.PartyIdentification{Name: &name},
			CreditorAccount: openbanking.GenericIdentification{Identification: number, SchemeName: openbanking.SchemeNameIBAN},
		},
		RemittanceInformation: []string{"Invoice 4711"},
	}
}

// by lets a payment go by a method.
func by(method string) func(*openbanking.CreatePaymentRequest) {
	return func(r *openbanking.CreatePaymentRequest) { r.AuthMethod = &method }
}

// payment reads a payment.
func (s *service) payment(id string) openbanking.Payment {
	s.t.Helper()
	var answer openbanking.Payment
	if status := s.call("GET", "/payments/"+id, nil, &answer); status != 200 {
		s.t.Fatalf("GET /payments/{id}: status %d", status)
	}
	return answer
}

// settled lets time go by until a payment is final, and returns all statuses that it had.
func (s *service) settled(id string) (openbanking.Payment, []openbanking.PaymentStatus) {
	s.t.Helper()
	var had []openbanking.PaymentStatus
	for range 60 {
		p := s.payment(id)
		if len(had) == 0 || had[len(had)-1] != p.Status {
			had = append(had, p.Status)
		}
		if p.FinalStatus {
			return p, had
		}
		s.clock.Advance(time.Second)
	}
	s.t.Fatalf("not final after a minute: %v", had)
	return openbanking.Payment{}, nil
}

// accepted wants the parameters of a payment that was approved: the state alone (spec: Payment initiation flow).
func accepted(t *testing.T, page *walk.Page) {
	t.Helper()
	if q := returned(t, page); q.Has("error") || q.Has("code") || len(q) != 2 {
		t.Errorf("back with %v, want the state alone", q)
	}
}

// spec: Payment initiation flow, steps 4 to 6, by each approach.
func TestPaymentIsMade(t *testing.T) {
	s := run(t, "Ledger", "")
	tests := []struct {
		name   string
		bank   openbanking.ASPSP
		change func(*openbanking.CreatePaymentRequest)
		person walk.Person
		debtor string // name of the holder
	}{
		{"redirect", redirectBank, nil, lena, "Lena Albrecht"},
		{"decoupled", noorsBank, nil, noor, ""},
		{"embedded", lindwurm, by("direct"), felix, ""},
		{"of several approaches", lindwurm, nil, walk.Person{Method: "app", Username: "felix", Password: "drache-5"}, ""},
		{"without credentials", mockBank, nil, walk.Person{}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			id, start := s.order(test.bank, test.change)
			back := must[*url.URL](t)(walk.New(nil).Pay(t.Context(), start, test.person))
			accepted(t, &walk.Page{Left: back})
			p, had := s.settled(id)
			if p.Status != openbanking.PaymentStatusACSC && p.Status != openbanking.PaymentStatusACCC || slices.Contains(had, openbanking.PaymentStatusRJCT) {
				t.Errorf("statuses %v", had)
			}
			d := p.PaymentDetails
			if d.DebtorAccount == nil || d.Debtor == nil || d.DebtorCurrency == nil || *d.DebtorCurrency != "EUR" || test.debtor != "" &&
				*d.Debtor.Name != test.debtor {
				t.Errorf("debtor %+v, account %+v", d.Debtor, d.DebtorAccount)
			}
		})
	}
}

// givenUp is a way in which a person gives up on a payment, from the page that asks for acceptance.
type givenUp struct {
	name   string
	bank   openbanking.ASPSP
	method string
	refuse func(t *testing.T, b *walk.Browser, start string) *walk.Page
}

// waysToGiveUp are those on every page.
func waysToGiveUp() []givenUp {
	decline := func(t *testing.T, b *walk.Browser, page *walk.Page) *walk.Page {
		t.Helper()
		return &walk.Page{Left: must[*url.URL](t)(b.Decline(t.Context(), page))}
	}
	sign := func(t *testing.T, b *walk.Browser, start string, person walk.Person) *walk.Page {
		t.Helper()
		return must[*walk.Page](t)(b.ToOrder(t.Context(), start, person))
	}
	return []givenUp{
		{"the service's first page", redirectBank, "", func(t *testing.T, b *walk.Browser, start string) *walk.Page {
			return &walk.Page{Left: must[*url.URL](t)(b.Cancel(t.Context(), start))}
		}},
		{"the bank's sign-in", redirectBank, "", func(t *testing.T, b *walk.Browser, start string) *walk.Page {
			return decline(t, b, accept(t, b, start))
		}},
		{"the bank's order", redirectBank, "", func(t *testing.T, b *walk.Browser, start string) *walk.Page {
			return decline(t, b, sign(t, b, start, lena))
		}},
		{"the bank's code", redirectBank, "", func(t *testing.T, b *walk.Browser, start string) *walk.Page {
			return decline(t, b, must[*walk.Page](t)(b.Order(t.Context(), sign(t, b, start, lena), lena)))
		}},
		{"the choice of the method", lindwurm, "", func(t *testing.T, b *walk.Browser, start string) *walk.Page {
			return decline(t, b, accept(t, b, start))
		}},
		{"the credentials", lindwurm, "direct", func(t *testing.T, b *walk.Browser, start string) *walk.Page {
			return decline(t, b, accept(t, b, start))
		}},
		{"the order", lindwurm, "direct", func(t *testing.T, b *walk.Browser, start string) *walk.Page {
			return decline(t, b, sign(t, b, start, felix))
		}},
		{"the code", lindwurm, "direct", func(t *testing.T, b *walk.Browser, start string) *walk.Page {
			return decline(t, b, must[*walk.Page](t)(b.Order(t.Context(), sign(t, b, start, felix), felix)))
		}},
		{"the page that waits", noorsBank, "", func(t *testing.T, b *walk.Browser, start string) *walk.Page {
			return decline(t, b, sign(t, b, start, noor))
		}},
		{"the phone", noorsBank, "", func(t *testing.T, b *walk.Browser, start string) *walk.Page {
			waits := sign(t, b, start, noor)
			phone, _ := waits.Phone()
			mobile := walk.New(nil)
			approval := must[*walk.Page](t)(mobile.SignIn(t.Context(), open(t, mobile, phone), noor))
			if end := submit(t, mobile, approval, "/decline", nil); end.Title != "This request is over" {
				t.Errorf("on the phone: %q", end.Title)
			}
			return open(t, b, waits.URL.String())
		}},
	}
}

// spec: Payment initiation flow, known error_description. Whoever gives up on a page comes back with it, and the payment
// is cancelled (api-notes 8).
func TestPaymentIsCancelledOnEachPage(t *testing.T) {
	s := run(t, "Ledger", "")
	for _, test := range waysToGiveUp() {
		t.Run(test.name, func(t *testing.T) {
			id, start := s.order(test.bank, func(r *openbanking.CreatePaymentRequest) {
				if test.method != "" {
					r.AuthMethod = &test.method
				}
			})
			b := walk.New(nil)
			refused(t, test.refuse(t, b, start), "access_denied", "Cancelled by user")
			if p := s.payment(id); p.Status != openbanking.PaymentStatusCNCL || !p.FinalStatus {
				t.Errorf("status %s, final %v", p.Status, p.FinalStatus)
			}
			if again := open(t, b, start); again.Status != http.StatusGone || again.Title != "This payment is already closed here" {
				t.Errorf("opened again: %d %q", again.Status, again.Title)
			}
		})
	}
}

// spec: Payment initiation flow, step 4; PSD2 RTS, article 5: every page of a payment names amount and payee, and the code
// is bound to them. "Simulated" stands on each of them.
func TestEveryPageOfAPaymentShowsAmountAndPayee(t *testing.T) {
	s := run(t, "Ledger", "")
	shows := func(page *walk.Page, title string) {
		t.Helper()
		if !strings.HasPrefix(page.Title, title) {
			t.Errorf("page %q, want %q", page.Title, title)
		}
		for _, want := range []string{"<b>12.50</b> EUR", "<bdi>Verein Lindenhof</bdi>", "DE89 3704 0044 0532 0130 00", "Simulated: no money moves"} {
			if !strings.Contains(page.Body, want) {
				t.Errorf("%q does not show %q", page.Title, want)
			}
		}
	}
	for name, bank := range map[string]openbanking.ASPSP{"the bank": redirectBank, "the service": lindwurm} {
		b := walk.New(nil)
		_, start := s.order(bank, nil)
		page := open(t, b, start)
		shows(page, "Do you want to make this payment?")
		if !strings.Contains(page.Body, "You choose the account at your bank.") || !strings.Contains(page.Body, "Invoice 4711") ||
			!strings.Contains(page.Body, "As soon as possible") || !strings.Contains(page.Body, "What you agree to") {
			t.Errorf("%s: the review leaves something out", name)
		}
		page = submit(t, b, page, "/accept", nil)
		who, title := lena, "Sign in"
		if bank == lindwurm {
			shows(page, "How do you want to sign in?")
			page, who = submit(t, b, page, "/method", url.Values{"method": {"direct"}}), felix
			title = "Sign in at"
		}
		shows(page, title)
		page = must[*walk.Page](t)(b.SignIn(t.Context(), page, who))
		shows(page, "Check your payment")
		page = must[*walk.Page](t)(b.Order(t.Context(), page, who))
		shows(page, "Enter your one-time code")
		if page.Code() == "" || !strings.Contains(page.Message, "12.50 EUR") || !strings.Contains(page.Message, "Verein Lindenhof") ||
			!strings.Contains(page.Body, "At a real bank this comes to your phone") {
			t.Errorf("%s: the message is %q", name, page.Message)
		}
		accepted(t, must[*walk.Page](t)(b.Confirm(t.Context(), page)))
	}
	b, mobile := walk.New(nil), walk.New(nil)
	_, start := s.order(noorsBank, nil)
	page := must[*walk.Page](t)(b.ToOrder(t.Context(), start, noor))
	shows(page, "Approve on your phone")
	phone, _ := page.Phone()
	page = open(t, mobile, phone)
	shows(page, "Sign in")
	shows(must[*walk.Page](t)(mobile.SignIn(t.Context(), page, noor)), "Check your payment")
}

// PSD2 RTS, articles 4 and 5: five wrong codes block, and that of another payment is wrong.
func TestFiveWrongCodesFailAPayment(t *testing.T) {
	s := run(t, "Ledger", "")
	tests := []struct {
		name    string
		bank    openbanking.ASPSP
		change  func(*openbanking.CreatePaymentRequest)
		person  walk.Person
		blocked int // status of the page
	}{
		{"the bank", redirectBank, nil, lena, http.StatusForbidden},
		{"the service", lindwurm, by("direct"), felix, http.StatusGone},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			toCode := func(b *walk.Browser) (string, *walk.Page) {
				id, start := s.order(test.bank, test.change)
				page := must[*walk.Page](t)(b.ToOrder(t.Context(), start, test.person))
				return id, must[*walk.Page](t)(b.Order(t.Context(), page, test.person))
			}
			_, other := toCode(walk.New(nil))
			b := walk.New(nil)
			id, page := toCode(b)
			for left := 4; left > 0; left-- {
				page = submit(t, b, page, "/code", url.Values{"code": {other.Code()}})
				want := "This code is wrong. You have " + string(rune('0'+left)) + " attempt"
				if page.Status != http.StatusUnprocessableEntity || !strings.Contains(page.Body, want) || page.Code() == "" {
					t.Fatalf("status %d, page %q, want %q", page.Status, page.Title, want)
				}
			}
			right := page.Code()
			over := submit(t, b, page, "/code", url.Values{"code": {"no code"}})
			if over.Status != test.blocked || over.Title != "Access is blocked" || !strings.Contains(over.Body, "The payment is not made.") {
				t.Fatalf("status %d, page %q", over.Status, over.Title)
			}
			if late := submit(t, b, page, "/code", url.Values{"code": {right}}); late.Title != "Access is blocked" {
				t.Errorf("the right code afterwards: %q", late.Title)
			}
			var back *walk.Page
			if len(over.Links) == 1 {
				back = open(t, b, over.Links[0])
			} else {
				back = submit(t, b, over, "/back", nil)
			}
			refused(t, back, "access_denied", "Too many wrong attempts at the bank")
			if p := s.payment(id); p.Status != openbanking.PaymentStatusRJCT || !p.FinalStatus || p.StatusReasonInformation == nil {
				t.Errorf("status %s, final %v, reason %v", p.Status, p.FinalStatus, p.StatusReasonInformation)
			}
		})
	}
}

// Attempts are counted of a payment, not of a visit: who begins anew has no more of them, and no more at all once it is blocked.
func TestAFreshStartGivesNoMoreAttempts(t *testing.T) {
	s := run(t, "Ledger", "")
	for name, test := range map[string]struct {
		bank   openbanking.ASPSP
		change func(*openbanking.CreatePaymentRequest)
		person walk.Person
	}{
		"at the bank":            {redirectBank, nil, lena},
		"on the service's pages": {lindwurm, by("direct"), felix},
	} {
		t.Run(name, func(t *testing.T) {
			b := walk.New(nil)
			id, start := s.order(test.bank, test.change)
			review := open(t, b, start)
			toCode := func() *walk.Page {
				page := must[*walk.Page](t)(b.SignIn(t.Context(), submit(t, b, review, "/accept", nil), test.person))
				return must[*walk.Page](t)(b.Order(t.Context(), page, test.person))
			}
			for _, left := range []string{"4 attempts", "3 attempts", "2 attempts", "1 attempt"} {
				page := submit(t, b, toCode(), "/code", url.Values{"code": {"no code"}})
				if !strings.Contains(page.Body, "You have "+left+" left") {
					t.Fatalf("status %d, page %q, want %s", page.Status, page.Title, left)
				}
			}
			over := submit(t, b, toCode(), "/code", url.Values{"code": {"no code"}})
			if over.Title != "Access is blocked" {
				t.Fatalf("status %d, page %q", over.Status, over.Title)
			}
			if again := submit(t, b, review, "/accept", nil); again.Title != "Access is blocked" {
				t.Errorf("begun anew: %d %q", again.Status, again.Title)
			}
			s.clock.Advance(time.Hour)
			if p, _ := s.settled(id); p.Status != openbanking.PaymentStatusRJCT {
				t.Errorf("status %s", p.Status)
			}
		})
	}
}

// An account without enough money: the PSU approves, and the bank rejects with the reason.
func TestInsufficientFunds(t *testing.T) {
	s := run(t, "Ledger", "")
	id, start := s.order(redirectBank, func(r *openbanking.CreatePaymentRequest) {
		r.PaymentRequest.CreditTransferTransaction[0].InstructedAmount.Amount = "900000"
	})
	accepted(t, &walk.Page{Left: must[*url.URL](t)(walk.New(nil).Pay(t.Context(), start, lena))})
	p, _ := s.settled(id)
	if p.Status != openbanking.PaymentStatusRJCT || p.StatusReasonInformation == nil || p.StatusReasonInformation.StatusReasonCode != "AM04" {
		t.Errorf("status %s, reason %+v", p.Status, p.StatusReasonInformation)
	}
}

// accounts returns the numbers of the accounts of a person at a bank.
func (s *service) accounts(bank openbanking.ASPSP, psu openbanking.PSUType, person walk.Person) []string {
	s.t.Helper()
	start := s.authorize(bank, func(r *openbanking.StartAuthorizationRequest) { r.PSUType = &psu })
	back := must[*url.URL](s.t)(walk.New(nil).Approve(s.t.Context(), start, person))
	_, session := s.redeem(back.Query().Get("code"))
	var numbers []string
	for _, a := range session.Accounts {
		if a.CashAccountType == openbanking.CashAccountTypeCACC && a.AccountID != nil && a.AccountID.IBAN != nil {
			numbers = append(numbers, *a.AccountID.IBAN)
		}
	}
	if len(numbers) == 0 {
		s.t.Fatalf("%s has no account at %s", person.Username, bank.Name)
	}
	return numbers
}

var officina = walk.Person{Username: "officina", Password: "bullone", Code: "161616"}

// bulk is a payment of officina's of three transactions, the second of which goes to a number that there is not.
func (s *service) bulk() (bank openbanking.ASPSP, change func(*openbanking.CreatePaymentRequest)) {
	s.t.Helper()
	bank = openbanking.ASPSP{Name: "Cassa Appennina", Country: "IT"}
	from := s.accounts(bank, openbanking.PSUTypeBusiness, officina)[0]
	return bank, func(r *openbanking.CreatePaymentRequest) {
		r.PaymentType, r.PSUType = openbanking.PaymentTypeBulkSEPA, openbanking.PSUTypeBusiness
		r.PaymentRequest.DebtorAccount = &openbanking.GenericIdentification{Identification: from, SchemeName: openbanking.SchemeNameIBAN}
		r.PaymentRequest.CreditTransferTransaction = []openbanking.CreditTransferTransaction{
			transfer("10.00", "Verein Lindenhof", payee), transfer("20.50", "Nobody", "DE42990100100000000001"), transfer("30.00", "Verein Lindenhof", payee),
		}
	}
}

// partly is the status of each transaction of a payment.
func partly(p openbanking.Payment) string {
	var each []string
	for _, item := range p.PaymentDetails.CreditTransferTransaction {
		each = append(each, string(*item.TransactionStatus))
	}
	return strings.Join(each, " ")
}

// A payment of several transactions, one of which the bank rejects: PART on the way, and each has its status.
func TestBulkWithAPartialResult(t *testing.T) {
	s := run(t, "Ledger", "")
	bank, change := s.bulk()
	id, start := s.order(bank, change)
	b := walk.New(nil)
	review := open(t, b, start)
	for _, want := range []string{"3 payments", "<b>60.50</b> EUR", "<b>20.50</b> EUR", "Nobody", "DE42 9901 0010 0000 0000 01"} {
		if !strings.Contains(review.Body, want) {
			t.Errorf("the review does not show %q", want)
		}
	}
	accepted(t, &walk.Page{Left: must[*url.URL](t)(b.Pay(t.Context(), start, officina))})
	p, had := s.settled(id)
	if !slices.Contains(had, openbanking.PaymentStatusPART) {
		t.Errorf("statuses %v, want PART among them", had)
	}
	if got := partly(p); got != "ACSC RJCT ACSC" {
		t.Errorf("of the transactions %s, of the payment %s", got, p.Status)
	}
}

// spec: debtor_account_required. The PSU chooses at the bank, and the choice is read back.
func TestDebtorAccountIsChosenAtTheBank(t *testing.T) {
	s := run(t, "Ledger", "")
	for name, test := range map[string]struct {
		bank   openbanking.ASPSP
		person walk.Person
		change func(*openbanking.CreatePaymentRequest)
	}{
		"at the bank":           {redirectBank, lena, nil},
		"on the service's page": {lindwurm, felix, by("direct")},
	} {
		t.Run(name, func(t *testing.T) {
			b := walk.New(nil)
			id, start := s.order(test.bank, test.change)
			page := must[*walk.Page](t)(b.ToOrder(t.Context(), start, test.person))
			form, _ := page.Form("/order")
			offers := form.Offers["account"]
			if len(offers) < 2 {
				t.Fatalf("%d accounts to choose from", len(offers))
			}
			for wrong, want := range map[string]string{"": "Choose the account", "no-such-account": "cannot go from this account"} {
				if again := submit(t, b, page, "/order", url.Values{"account": {wrong}}); again.Status != http.StatusUnprocessableEntity ||
					!strings.Contains(again.Body, want) {
					t.Errorf("account %q: %d %q", wrong, again.Status, again.Title)
				}
			}
			who := test.person
			who.Accounts = offers[1:2]
			code := must[*walk.Page](t)(b.Order(t.Context(), page, who))
			accepted(t, must[*walk.Page](t)(b.Confirm(t.Context(), code)))
			d := s.payment(id).PaymentDetails
			if d.DebtorAccount == nil || !strings.Contains(page.Body, grouped(d.DebtorAccount.Identification)) {
				t.Fatalf("debtor account %+v", d.DebtorAccount)
			}
			label := page.Body[strings.Index(page.Body, `value="`+offers[1]+`"`):]
			if i := strings.Index(label, grouped(d.DebtorAccount.Identification)); i < 0 || strings.Contains(label[:i], `type="radio"`) {
				t.Errorf("it went from %s, which is not the account that was chosen", d.DebtorAccount.Identification)
			}
		})
	}
}

func grouped(number string) string {
	var groups []string
	for group := range slices.Chunk([]byte(number), 4) {
		groups = append(groups, string(group))
	}
	return strings.Join(groups, " ")
}

// Regulation (EU) 2024/886: the four outcomes of the verification of payee. Paying to a name that does not fit takes a tick.
func TestVerificationOfPayee(t *testing.T) {
	s := run(t, "Ledger", "")
	tests := []struct {
		name, payee string
		want        string
		tick        bool
	}{
		{"match", "Verein Lindenhof", "The name fits the account", false},
		{"close match", "Verein Lindenhof CLOSE", "The account belongs to <bdi>Verein Lindenhof</bdi>.", false},
		{"no match", "Verein Lindenhof WRONG", "The name does not fit the account", true},
		{"not possible", "Verein Lindenhof UNREACHABLE", "The name could not be checked", false},
	}
	for _, way := range []struct {
		name   string
		bank   openbanking.ASPSP
		method string
		person walk.Person
	}{{"bank", redirectBank, "", lena}, {"service", lindwurm, "direct", felix}} {
		for _, test := range tests {
			t.Run(way.name+" "+test.name, func(t *testing.T) {
				b := walk.New(nil)
				id, start := s.order(way.bank, func(r *openbanking.CreatePaymentRequest) {
					if r.PaymentRequest.CreditTransferTransaction[0].Beneficiary.Creditor.Name = &test.payee; way.method != "" {
						r.AuthMethod = &way.method
					}
				})
				if review := open(t, b, start); strings.Contains(review.Body, test.want) {
					t.Error("the service says so before anybody has asked the bank")
				}
				page := must[*walk.Page](t)(b.ToOrder(t.Context(), start, way.person))
				if !strings.Contains(page.Body, test.want) {
					t.Errorf("the page does not say %q", test.want)
				}
				if form, _ := page.Form("/order"); (len(form.Offers["despite"]) == 1) != test.tick {
					t.Errorf("boxes to tick: %v", form.Offers["despite"])
				}
				who := way.person
				next := must[*walk.Page](t)(b.Order(t.Context(), page, who))
				if test.tick {
					if next.Status != http.StatusUnprocessableEntity || !strings.Contains(next.Body, "Tick the box below") ||
						!strings.Contains(next.Body, "<title>Please check:") {
						t.Fatalf("without the tick: %d %q", next.Status, next.Title)
					}
					who.Despite = true
					next = must[*walk.Page](t)(b.Order(t.Context(), next, who))
				}
				accepted(t, must[*walk.Page](t)(b.Confirm(t.Context(), next)))
				if p, _ := s.settled(id); p.Status == openbanking.PaymentStatusRJCT {
					t.Errorf("status %s", p.Status)
				}
			})
		}
	}
}

// security, ASVS 2.3.1: a form that is sent again, late, from a second tab or after a step back pays nothing twice, and says
// that the payment is settled.
func TestReplaysOfAPayment(t *testing.T) {
	s := run(t, "Ledger", "")
	for name, test := range map[string]struct {
		bank   openbanking.ASPSP
		person walk.Person
		change func(*openbanking.CreatePaymentRequest)
	}{
		"at the bank":            {redirectBank, lena, nil},
		"on the service's pages": {lindwurm, felix, by("direct")},
	} {
		t.Run(name, func(t *testing.T) {
			b := walk.New(nil)
			id, start := s.order(test.bank, test.change)
			review := open(t, b, start)
			open(t, b, start) // a second tab
			first := submit(t, b, review, "/accept", nil)
			second := submit(t, b, review, "/accept", nil) // the second tab agrees, too: it goes on there
			if first.URL.String() == second.URL.String() || second.Status != http.StatusOK {
				t.Errorf("accepted twice: %s, status %d", second.URL, second.Status)
			}
			page := must[*walk.Page](t)(b.SignIn(t.Context(), second, test.person))
			order, _ := page.Form("/order")
			code := must[*walk.Page](t)(b.Order(t.Context(), page, test.person))
			if again := must[*walk.Page](t)(b.Order(t.Context(), page, test.person)); again.Title != code.Title || again.Status != http.StatusOK {
				t.Errorf("the order sent again: %d %q", again.Status, again.Title)
			}
			if reload := open(t, b, order.Action.String()); reload.Title != code.Title {
				t.Errorf("reloaded: %q", reload.Title)
			}
			form, _ := code.Form("/code")
			form.Fields.Set("code", code.Code())
			location := post(t, b, form)
			twice := must[*walk.Page](t)(b.Submit(t.Context(), form, nil)) // a second click, before the first answer was followed
			if twice.Left == nil {
				t.Errorf("a second click: %d %q", twice.Status, twice.Title)
			} else {
				accepted(t, twice)
			}
			_ = open(t, b, location)
			for what, again := range map[string]*walk.Page{
				"review":        open(t, b, start),
				"accept":        submit(t, b, review, "/accept", nil),
				"cancel":        submit(t, b, review, "/cancel", nil),
				"page of order": open(t, b, page.URL.String()),
				"order":         must[*walk.Page](t)(b.Order(t.Context(), page, test.person)),
				"code":          must[*walk.Page](t)(b.Submit(t.Context(), form, nil)),
				"decline":       submit(t, b, code, "/decline", nil),
			} {
				if again.Left != nil || again.Status != http.StatusGone || again.Title != "This payment is already closed here" {
					t.Errorf("%s again: %d %q, left to %v", what, again.Status, again.Title, again.Left)
				}
			}
			if gone := open(t, b, first.URL.String()); gone.Left != nil || gone.Status < 400 || gone.Status >= 500 {
				t.Errorf("the first tab: %d %q", gone.Status, gone.Title)
			}
			if p, had := s.settled(id); p.Status == openbanking.PaymentStatusRJCT || p.Status == openbanking.PaymentStatusCNCL {
				t.Errorf("statuses %v", had)
			}
		})
	}
}

// security T10: a payment that one browser has begun goes on in no other, and tells the other nothing.
func TestAnotherBrowserOnAPayment(t *testing.T) {
	s := run(t, "Ledger", "")
	for name, test := range map[string]struct {
		bank   openbanking.ASPSP
		person walk.Person
		change func(*openbanking.CreatePaymentRequest)
	}{
		"at the bank":            {redirectBank, lena, nil},
		"on the service's pages": {lindwurm, felix, by("direct")},
	} {
		t.Run(name, func(t *testing.T) {
			owner, other := walk.New(nil), walk.New(nil)
			turnedAway := func(page *walk.Page, at string) {
				t.Helper()
				if page.Status != http.StatusForbidden || page.Title != "Go on in the browser in which you began" {
					t.Errorf("%s: %d %q", at, page.Status, page.Title)
				}
				for _, secret := range []string{test.bank.Name, "Ledger", "Lindenhof", "12.50", "state="} {
					if strings.Contains(page.Body, secret) {
						t.Errorf("%s: the page names %q", at, secret)
					}
				}
			}
			id, start := s.order(test.bank, test.change)
			review := open(t, owner, start)
			turnedAway(submit(t, other, review, "/accept", nil), "accept")
			turnedAway(submit(t, other, review, "/cancel", nil), "cancel")
			page := must[*walk.Page](t)(owner.SignIn(t.Context(), submit(t, owner, review, "/accept", nil), test.person))
			turnedAway(open(t, other, page.URL.String()), "page of the order")
			turnedAway(must[*walk.Page](t)(other.Order(t.Context(), page, test.person)), "order")
			code := must[*walk.Page](t)(owner.Order(t.Context(), page, test.person))
			turnedAway(open(t, other, code.URL.String()), "page of the code")
			turnedAway(must[*walk.Page](t)(other.Confirm(t.Context(), code)), "code")
			turnedAway(submit(t, other, code, "/decline", nil), "decline")
			form, _ := code.Form("/code")
			form.Fields.Set("code", code.Code())
			location := post(t, owner, form)
			if caught := open(t, other, location); caught.Left != nil || caught.Status < 400 || caught.Status >= 500 {
				t.Errorf("the way back, caught: %d %q", caught.Status, caught.Title)
			}
			accepted(t, open(t, owner, location))
			if p := s.payment(id); p.Status == openbanking.PaymentStatusCNCL {
				t.Errorf("status %s", p.Status)
			}
			sessionPage := strings.Replace(page.URL.String(), "/pis/", "/ais/", 1)
			if crossed := open(t, owner, sessionPage); crossed.Status < 400 {
				t.Errorf("a payment among the accounts: %d %q", crossed.Status, crossed.Title)
			}
		})
	}
}

func TestExpiryOfAPayment(t *testing.T) {
	s := run(t, "Ledger", "")
	t.Run("the review", func(t *testing.T) {
		b := walk.New(nil)
		id, start := s.order(redirectBank, nil)
		review := open(t, b, start)
		s.clock.Advance(31 * time.Minute)
		for name, page := range map[string]*walk.Page{
			"opened":    open(t, b, start),
			"accepted":  submit(t, b, review, "/accept", nil),
			"cancelled": submit(t, b, review, "/cancel", nil),
		} {
			if page.Status != http.StatusGone || page.Title != "This payment has expired" {
				t.Errorf("%s late: %d %q", name, page.Status, page.Title)
			}
		}
		if p := s.payment(id); p.Status != openbanking.PaymentStatusCNCL || !p.FinalStatus {
			t.Errorf("status %s", p.Status)
		}
	})
	for _, wait := range []time.Duration{6 * time.Minute, 31 * time.Minute} { // PSD2 RTS, article 4: five minutes; and the page itself
		t.Run("at the bank, "+wait.String(), func(t *testing.T) {
			b := walk.New(nil)
			_, start := s.order(redirectBank, nil)
			page := must[*walk.Page](t)(b.ToOrder(t.Context(), start, lena))
			s.clock.Advance(wait)
			late := must[*walk.Page](t)(b.Order(t.Context(), page, lena))
			if late.Status != http.StatusGone || late.Title != "Your visit took too long" || !strings.Contains(late.Body, "Nothing was approved.") ||
				len(late.Links) != 1 {
				t.Fatalf("late: %d %q, links %v", late.Status, late.Title, late.Links)
			}
			if q := returned(t, open(t, b, late.Links[0])); q.Get("error") != "server_error" {
				t.Errorf("back with %v", q)
			}
		})
	}
	t.Run("on the service's pages", func(t *testing.T) {
		b := walk.New(nil)
		_, start := s.order(lindwurm, by("direct"))
		page := must[*walk.Page](t)(b.ToOrder(t.Context(), start, felix))
		s.clock.Advance(6 * time.Minute)
		late := must[*walk.Page](t)(b.Order(t.Context(), page, felix))
		if late.Status != http.StatusGone || late.Title != "The time is up" || !strings.Contains(late.Body, "Nothing was approved.") {
			t.Fatalf("late: %d %q", late.Status, late.Title)
		}
		again := submit(t, b, late, "/again", nil)
		page = must[*walk.Page](t)(b.SignIn(t.Context(), again, felix))
		code := must[*walk.Page](t)(b.Order(t.Context(), page, felix))
		accepted(t, must[*walk.Page](t)(b.Confirm(t.Context(), code)))
	})
	t.Run("while the phone is waited for", func(t *testing.T) {
		b := walk.New(nil)
		_, start := s.order(noorsBank, nil)
		page := must[*walk.Page](t)(b.ToOrder(t.Context(), start, noor))
		s.clock.Advance(6 * time.Minute)
		late := open(t, b, page.URL.String())
		if late.Title != "The time is up" {
			t.Fatalf("late: %d %q", late.Status, late.Title)
		}
		if q := returned(t, submit(t, b, late, "/back", nil)); q.Get("error") != "server_error" {
			t.Errorf("back with %v", q)
		}
	})
	t.Run("unknown", func(t *testing.T) {
		if page := open(t, walk.New(nil), s.url+"/pis/start?payment_id=x"); page.Status != http.StatusNotFound || page.Title != "This link leads nowhere" {
			t.Errorf("%d %q", page.Status, page.Title)
		}
	})
}

// spec: language. The pages of a payment speak it, the bank's too, with dates and amounts as it writes them.
func TestPagesOfAPaymentSpeakTheLanguageOfTheRequest(t *testing.T) {
	s := run(t, "Ledger", "")
	day := s.clock.Now().UTC().AddDate(0, 1, 0)
	date := openbanking.DateOf(time.Date(day.Year(), day.Month(), 15, 0, 0, 0, 0, time.UTC))
	tests := []struct {
		language string
		titles   []string // review; credentials, order, code; sign-in at the bank
		says     []string // on the review
	}{
		{"en", []string{"Do you want to make this payment?", "Sign in at", "Check your payment", "Enter your one-time code", "Sign in"},
			[]string{"1,234.50</b> EUR", "Simulated: no money moves", "15 "}},
		{"de", []string{"Möchten Sie diese Zahlung ausführen?", "Anmelden bei", "Zahlung prüfen", "Geben Sie Ihren Einmalcode ein", "Anmelden"},
			[]string{"1.234,50</b> EUR", "Simuliert: Es fließt kein Geld", "15. "}},
		{"fr", []string{"Voulez-vous effectuer ce paiement ?", "Connexion à", "Vérifier votre paiement", "Saisissez votre code à usage unique", "Se connecter"},
			[]string{"1\u202F234,50</b> EUR", "Simulation : aucun argent ne bouge", "15 "}},
		{"fi", []string{"Haluatko tehdä tämän maksun?", "Kirjaudu pankkiin", "Tarkista maksu", "Anna kertakoodisi", "Kirjaudu"},
			[]string{"1\u00A0234,50</b> EUR", "Simuloitu: rahaa ei liiku", "15. "}},
	}
	for _, test := range tests {
		t.Run(test.language, func(t *testing.T) {
			change := func(method string) func(*openbanking.CreatePaymentRequest) {
				return func(r *openbanking.CreatePaymentRequest) {
					r.Language = &test.language
					if method != "" {
						r.AuthMethod = &method
					}
					t := &r.PaymentRequest.CreditTransferTransaction[0]
					t.InstructedAmount.Amount, t.RequestedExecutionDate = "1234.5", &date
				}
			}
			b := walk.New(preferring("sv"))
			says := func(page *walk.Page, title string) {
				t.Helper()
				if page.Lang != test.language || !strings.HasPrefix(page.Title, title) {
					t.Errorf("language %s, title %q; want %q", page.Lang, page.Title, title)
				}
			}
			_, start := s.order(lindwurm, change("direct"))
			page := open(t, b, start)
			says(page, test.titles[0])
			for _, want := range test.says {
				if !strings.Contains(page.Body, want) {
					t.Errorf("the review does not say %q", want)
				}
			}
			page = submit(t, b, page, "/accept", nil)
			says(page, test.titles[1])
			page = must[*walk.Page](t)(b.SignIn(t.Context(), page, felix))
			says(page, test.titles[2])
			page = must[*walk.Page](t)(b.Order(t.Context(), page, felix))
			says(page, test.titles[3])
			_, start = s.order(redirectBank, change(""))
			says(accept(t, b, start), test.titles[4])
		})
	}
}
