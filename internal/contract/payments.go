package contract

import (
	"context"
	"net/url"
	"slices"
	"testing"
	"time"

	"florin/internal/openbanking"
)

// kind is a payment type that the bank offers to persons: one for which they choose the account at the bank, if there is one.
func (s *suite) kind() openbanking.ResponsePaymentType {
	s.Helper()
	var kinds []openbanking.ResponsePaymentType
	for _, kind := range s.bank().Payments {
		if kind.PSUType == openbanking.PSUTypePersonal {
			kinds = append(kinds, kind)
		}
	}
	if len(kinds) == 0 {
		s.Skip("not covered here: the bank takes no payments of persons")
	}
	free := slices.IndexFunc(kinds, func(k openbanking.ResponsePaymentType) bool { return !asks(k.DebtorAccountRequired) })
	return kinds[max(0, free)]
}

// debtor is an account that a payment of the type can go from; nil where the person chooses it at the bank.
func (s *suite) debtor(kind openbanking.ResponsePaymentType) *openbanking.GenericIdentification {
	s.Helper()
	if !asks(kind.DebtorAccountRequired) {
		return nil
	}
	if s.target.Approve == nil {
		s.Skip("not covered here: the bank wants to be told the account, and the target has no Approve to find one")
	}
	for _, account := range s.link(nil).Accounts {
		ids := account.AllAccountIDs
		if id := account.AccountID; id != nil && id.IBAN != nil {
			ids = append(ids, openbanking.GenericIdentification{SchemeName: openbanking.SchemeNameIBAN, Identification: *id.IBAN})
		}
		for _, id := range ids {
			if account.CashAccountType == openbanking.CashAccountTypeCACC &&
				(len(kind.DebtorAccountSchemas) == 0 || slices.Contains(kind.DebtorAccountSchemas, id.SchemeName)) {
				return &id
			}
		}
	}
	s.Skip("not covered here: the person has no account that payments of this type go from")
	return nil
}

// paymentRequest is a right POST /payments for the bank, with changes: a nil value leaves a member out.
func (s *suite) paymentRequest(payment openbanking.PaymentRequestResource, kind openbanking.ResponsePaymentType, change map[string]any) string {
	request := map[string]any{
		"payment_type": kind.PaymentType, "payment_request": payment, "aspsp": s.target.Bank, "state": "contract suite",
		"redirect_url": s.target.RedirectURL, "psu_type": kind.PSUType,
	}
	for name, value := range change {
		if request[name] = value; value == nil {
			delete(request, name)
		}
	}
	return body(request)
}

// create sends a right POST /payments with changes.
func (s *suite) create(change map[string]any) openbanking.CreatePaymentResponse {
	s.Helper()
	kind := s.kind()
	return s.createOf(kind, FillIn(kind, s.debtor(kind)), change)
}

// createOf is create for a payment. It is deleted at the end of the test, if it is over by then.
func (s *suite) createOf(kind openbanking.ResponsePaymentType, payment openbanking.PaymentRequestResource,
	change map[string]any) openbanking.CreatePaymentResponse {
	s.Helper()
	created := get[openbanking.CreatePaymentResponse](s, "POST", "/payments", s.paymentRequest(payment, kind, change))
	s.Cleanup(func() { // the context of the test is over by then
		ctx, cancel := context.WithTimeout(context.WithoutCancel(s.Context()), time.Minute)
		defer cancel()
		if _, err := s.send(ctx, "DELETE", "/payments/"+created.PaymentID, ""); err != nil {
			s.Logf("the payment %s stays: %v", created.PaymentID, err)
		}
	})
	return created
}

func (s *suite) payment(id string) openbanking.Payment {
	s.Helper()
	return get[openbanking.Payment](s, "GET", "/payments/"+id, "")
}

// startOfPayments: the rules of POST /payments that every bank shares (spec: Payments).
func (s *suite) startOfPayments() {
	kind := s.kind()
	from := s.debtor(kind)
	payment := FillIn(kind, from)
	transaction := func(change func(*openbanking.CreditTransferTransaction)) openbanking.PaymentRequestResource {
		changed := FillIn(kind, from)
		change(&changed.CreditTransferTransaction[0])
		return changed
	}
	amount := func(text string) openbanking.PaymentRequestResource {
		return transaction(func(t *openbanking.CreditTransferTransaction) { t.InstructedAmount.Amount = text })
	}
	ahead := func(days int) openbanking.PaymentRequestResource {
		return transaction(func(t *openbanking.CreditTransferTransaction) {
			date := openbanking.DateOf(time.Now().AddDate(0, 0, days))
			t.RequestedExecutionDate = &date
		})
	}
	const wrong = openbanking.WrongRequestParameters
	type m = map[string]any
	type test struct {
		name   string
		change m
		status int // 200: it is legal
		code   openbanking.ErrorCode
	}
	tests := []test{
		{"unknown bank", m{"aspsp": m{"name": "No such bank", "country": s.target.Bank.Country}}, 422, openbanking.WrongASPSPProvided},
		{"redirect URL that is not registered", m{"redirect_url": "https://not-registered.example/"}, 400, openbanking.RedirectURINotAllowed},
		{"webhook at another origin", m{"webhook_url": "https://not-registered.example/"}, 400, openbanking.WebhookURINotAllowed},
		{"no payment type", m{"payment_type": nil}, 422, wrong},
		{"unknown payment type", m{"payment_type": "CHEQUE"}, 422, wrong},
		{"no payment", m{"payment_request": nil}, 422, wrong},
		{"no transaction", m{"payment_request": m{"credit_transfer_transaction": []m{}}}, 422, wrong},
		{"no bank", m{"aspsp": nil}, 422, wrong},
		{"no state", m{"state": nil}, 422, wrong},
		{"no redirect URL", m{"redirect_url": nil}, 422, wrong},
		{"no PSU type", m{"psu_type": nil}, 422, wrong},
		{"unknown PSU type", m{"psu_type": "corporate"}, 422, wrong},
		{"unknown method", m{"auth_method": "no such method"}, 422, wrong},
		{"credentials without a method", m{"credentials": m{"a": "b"}}, 422, wrong},
		{"language in capitals", m{"language": "FI"}, 422, wrong},
		{"language", m{"language": "fi"}, 200, ""},
		{"unknown fields", m{"no_such_field": 1}, 200, ""},
		{"amount of nothing", m{"payment_request": amount("0")}, 422, wrong},
		{"negative amount", m{"payment_request": amount("-1")}, 422, wrong},
		{"amount that is no number", m{"payment_request": amount("1,00")}, 422, wrong},
		{"account without a number",
			m{"payment_request": transaction(func(t *openbanking.CreditTransferTransaction) { t.Beneficiary.CreditorAccount.Identification = "" })}, 422, wrong},
	}
	if most := kind.MaxTransactions; most != nil {
		many := FillIn(kind, from)
		for len(many.CreditTransferTransaction) <= *most {
			many.CreditTransferTransaction = append(many.CreditTransferTransaction, many.CreditTransferTransaction[0])
		}
		tests = append(tests, test{"more than max_transactions", m{"payment_request": many}, 422, openbanking.PaymentLimitExceeded})
	}
	if lines := kind.RemittanceInformationLines; len(lines) > 0 {
		more := transaction(func(t *openbanking.CreditTransferTransaction) {
			t.RemittanceInformation = append(t.RemittanceInformation, "one more")
		})
		tests = append(tests, test{"a line more than remittance_information_lines", m{"payment_request": more}, 422, wrong})
	}
	if most := kind.RequestedExecutionDateMaxPeriod; most != nil && asks(kind.RequestedExecutionDateSupported) {
		tests = append(tests,
			test{"date within requested_execution_date_max_period", m{"payment_request": ahead(*most - 1)}, 200, ""},
			test{"date beyond requested_execution_date_max_period", m{"payment_request": ahead(*most + 2)}, 422, wrong})
	}
	if asks(kind.CreditorNameRequired) {
		tests = append(tests, test{"no name of the payee",
			m{"payment_request": transaction(func(t *openbanking.CreditTransferTransaction) { t.Beneficiary.Creditor = nil })}, 422, wrong})
	}
	for _, tt := range tests {
		s.Run(tt.name, func(t *testing.T) {
			in := s.with(t)
			if tt.status == 200 {
				in.createOf(kind, payment, tt.change)
				return
			}
			in.refused(in.call("POST", "/payments", in.paymentRequest(payment, kind, tt.change)), tt.status, tt.code)
		})
	}
	a, b, c := s.createOf(kind, payment, m{"psu_id": "anna"}), s.createOf(kind, payment, m{"psu_id": "anna"}), s.createOf(kind, payment, m{"psu_id": "bert"})
	if a.PSUIDHash != b.PSUIDHash || a.PSUIDHash == c.PSUIDHash || !hex64.MatchString(a.PSUIDHash) {
		s.Error("psu_id_hash does not follow psu_id (spec: Session)")
	}
}

// newPayments: a payment that waits for its PSU, in every endpoint (spec: Payments, Payment status).
func (s *suite) newPayments() {
	kind := s.kind()
	payment := FillIn(kind, s.debtor(kind))
	created := s.createOf(kind, payment, nil)
	if address, err := url.Parse(created.URL); err != nil || !address.IsAbs() || !uuid.MatchString(created.PaymentID) {
		s.Errorf("url %q, payment_id %q", created.URL, created.PaymentID)
	}
	if created.Status != openbanking.PaymentStatusPDNG {
		s.Errorf("a new payment is %s", created.Status)
	}
	read := s.payment(created.PaymentID)
	if read.PaymentID != created.PaymentID || read.Status != created.Status || read.FinalStatus || read.PaymentType != kind.PaymentType ||
		read.ASPSP != s.target.Bank || read.PSUIDHash != created.PSUIDHash {
		s.Errorf("GET shows %+v", read)
	}
	list := read.PaymentDetails.CreditTransferTransaction
	if len(list) != len(payment.CreditTransferTransaction) {
		s.Fatalf("%d transactions, want %d", len(list), len(payment.CreditTransferTransaction))
	}
	for i, got := range list {
		want := payment.CreditTransferTransaction[i]
		if got.InstructedAmount != want.InstructedAmount || got.Beneficiary.CreditorAccount != want.Beneficiary.CreditorAccount ||
			!slices.Equal(got.RemittanceInformation, want.RemittanceInformation) {
			s.Errorf("transaction %d reads %+v", i, got)
		}
		if got.TransactionID == nil {
			s.Log("not covered here: the transactions of the payment have no transaction_id")
			continue
		}
		path := "/payments/" + created.PaymentID + "/transactions/" + url.PathEscape(*got.TransactionID)
		one := get[openbanking.PaymentTransaction](s, "GET", path, "")
		if one.PaymentID != created.PaymentID || one.TransactionDetails.InstructedAmount != got.InstructedAmount ||
			one.TransactionDetails.TransactionID == nil || *one.TransactionDetails.TransactionID != *got.TransactionID {
			s.Errorf("GET transaction %d shows %+v", i, one)
		}
	}
	s.refused(s.call("GET", "/payments/"+created.PaymentID+"/transactions/"+nobody, ""), 422, openbanking.TransactionDoesNotExist)
	s.refused(s.call("DELETE", "/payments/"+created.PaymentID, ""), 422, openbanking.PaymentNotFinalized)
}

// paymentsOfOthers: a payment of one application does not exist for another one.
func (s *suite) paymentsOfOthers() {
	token, err := s.target.OtherToken()
	if err != nil {
		s.Fatal(err)
	}
	created := s.create(nil)
	other := s.with(s.T)
	other.token = token
	for _, call := range [][2]string{{"GET", ""}, {"DELETE", ""}, {"GET", "/transactions/" + nobody}} {
		other.refused(other.call(call[0], "/payments/"+created.PaymentID+call[1], ""), 404, openbanking.PaymentNotFound)
	}
	if got := s.payment(created.PaymentID); got.Status != openbanking.PaymentStatusPDNG {
		s.Errorf("another application made the payment %s", got.Status)
	}
}

// cancelPayment: a PSU who cancels comes back with access_denied and the state, the payment is cancelled, and can be deleted
// (spec: Payment initiation flow, Payment status).
func (s *suite) cancelPayment() {
	const state = "a b&c=d#e\u20ac"
	created := s.create(map[string]any{"state": state})
	back, err := s.target.Cancel(s.Context(), created.URL)
	if err != nil {
		s.Fatal(err)
	}
	query := s.isRedirect(back)
	if query.Get("error") != "access_denied" || query.Get("state") != state || query.Get("error_description") == "" {
		s.Errorf("back with %v", query)
	}
	if read := s.payment(created.PaymentID); read.Status != openbanking.PaymentStatusCNCL || !read.FinalStatus {
		s.Errorf("the payment is %s, final %v", read.Status, read.FinalStatus)
	}
	if got := get[openbanking.SuccessResponse](s, "DELETE", "/payments/"+created.PaymentID, ""); got.Message != "OK" {
		s.Errorf("DELETE answers %q", got.Message)
	}
	for _, call := range [][2]string{{"GET", ""}, {"DELETE", ""}, {"GET", "/transactions/" + nobody}} {
		s.refused(s.call(call[0], "/payments/"+created.PaymentID+call[1], ""), 404, openbanking.PaymentNotFound)
	}
}

// payments: a payment that its PSU approves, by each of the bank's methods that the payment type allows and as the pages lead
// (spec: Payment initiation flow, Payment status).
func (s *suite) payments() {
	kind := s.kind()
	from := s.debtor(kind)
	methods := map[string]map[string]any{"as the pages lead": nil}
	for _, method := range s.bank().AuthMethods {
		if method.Name == nil || method.PSUType != kind.PSUType || len(kind.AllowedAuthMethods) > 0 && !slices.Contains(kind.AllowedAuthMethods, *method.Name) {
			continue
		}
		methods[*method.Name] = map[string]any{"auth_method": *method.Name}
	}
	for name, change := range methods {
		s.Run(name, func(t *testing.T) {
			in := s.with(t)
			created := in.createOf(kind, FillIn(kind, from), change)
			in.pay(created)
			in.isMade(kind, in.final(created.PaymentID, func(openbanking.Payment) {}))
			get[openbanking.SuccessResponse](in, "DELETE", "/payments/"+created.PaymentID, "")
		})
	}
}

// pay walks through the approval of a payment. A PSU who approved it comes back with the state and no error.
func (s *suite) pay(created openbanking.CreatePaymentResponse) {
	s.Helper()
	back, err := s.target.Pay(s.Context(), created.URL)
	if err != nil {
		s.Fatal(err)
	}
	if query := s.isRedirect(back); query.Get("state") != "contract suite" || query.Has("error") || query.Has("code") {
		s.Fatalf("back with %v", query)
	}
}

// maxPolls bounds how often a payment is read until it is final, a second after the other.
const maxPolls = 600

// final reads a payment until its status is final, and shows each reading.
func (s *suite) final(id string, reading func(openbanking.Payment)) openbanking.Payment {
	s.Helper()
	for range maxPolls {
		read := s.payment(id)
		reading(read)
		if read.FinalStatus {
			return read
		}
		s.pass(time.Second)
	}
	s.Fatalf("the payment is not final after %d seconds", maxPolls)
	return openbanking.Payment{}
}

// pass lets time go by.
func (s *suite) pass(d time.Duration) {
	if s.target.Pass != nil {
		s.target.Pass(d)
		return
	}
	select {
	case <-s.Context().Done():
	case <-time.After(d):
	}
}

// isMade checks a payment that was approved and is final: it was executed, and names its debtor.
func (s *suite) isMade(kind openbanking.ResponsePaymentType, read openbanking.Payment) {
	s.Helper()
	successful := kind.FinalSuccessfulStatuses
	if len(successful) == 0 {
		successful = []openbanking.PaymentStatus{openbanking.PaymentStatusACSC, openbanking.PaymentStatusACCC}
	}
	if !slices.Contains(successful, read.Status) {
		s.Errorf("the payment is %s in the end (%+v), want one of %v", read.Status, read.StatusReasonInformation, successful)
	}
	if d := read.PaymentDetails; d.DebtorAccount == nil || d.DebtorAccount.Identification == "" {
		s.Errorf("the debtor's account is not told after the approval: %+v", d)
	}
	for i, t := range read.PaymentDetails.CreditTransferTransaction {
		if t.TransactionStatus != nil && !slices.Contains(successful, *t.TransactionStatus) {
			s.Errorf("transaction %d is %s", i, *t.TransactionStatus)
		}
	}
	if again := s.payment(read.PaymentID); again.Status != read.Status || !again.FinalStatus {
		s.Errorf("the final status changed from %s to %s", read.Status, again.Status)
	}
}
