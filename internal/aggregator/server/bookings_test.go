package server_test

import (
	"net/url"
	"slices"
	"testing"
	"time"

	"florin/internal/contract/walk"
	"florin/internal/money"
	"florin/internal/openbanking"
)

// openAccount is an account as its owner sees it.
type openAccount struct {
	*service
	uid    string
	number string // IBAN
}

// opened links a bank and returns the first current account, or the first of the type.
func (s *service) opened(bank openbanking.ASPSP, person walk.Person, kind openbanking.CashAccountType) openAccount {
	s.t.Helper()
	for _, a := range s.linkAs(bank, person).Accounts {
		if a.UID != nil && a.CashAccountType == kind && a.AccountID != nil && a.AccountID.IBAN != nil {
			return openAccount{s, *a.UID, *a.AccountID.IBAN}
		}
	}
	s.t.Fatalf("%s has no account %s", person.Username, kind)
	return openAccount{}
}

// mentions are the rows with a text, newest first.
func (b openAccount) mentions(text string) (rows []openbanking.Transaction) {
	b.t.Helper()
	for _, row := range b.rows(b.uid, "") {
		if slices.Contains(row.RemittanceInformation, text) {
			rows = append(rows, row)
		}
	}
	return rows
}

// balance is one of the balances, in cents.
func (b openAccount) balance(kind openbanking.BalanceStatus) int64 {
	b.t.Helper()
	for _, balance := range into[openbanking.HalBalances](b.t, b.get("/accounts/"+b.uid+"/balances", nil)).Balances {
		if balance.BalanceType == kind {
			return must[money.Amount](b.t)(money.Parse(balance.BalanceAmount.Amount, balance.BalanceAmount.Currency)).Minor()
		}
	}
	b.t.Fatalf("there is no balance %s", kind)
	return 0
}

// standing is what an account shows of payments: rows with a text, and what they did to its balances since the beginning.
type standing struct {
	rows              string // the status of each
	booked, available int64  // differences, in cents
}

// watch returns what tells how an account stands compared with now.
func (b openAccount) watch(text string) func() standing {
	b.t.Helper()
	booked, available := b.balance(openbanking.BalanceStatusCLBD), b.balance(openbanking.BalanceStatusITAV)
	return func() standing {
		b.t.Helper()
		var now standing
		for _, row := range b.mentions(text) {
			now.rows += string(row.Status)
		}
		now.booked, now.available = b.balance(openbanking.BalanceStatusCLBD)-booked, b.balance(openbanking.BalanceStatusITAV)-available
		return now
	}
}

// until lets time go by until a payment has a status.
func (s *service) until(id string, status openbanking.PaymentStatus) {
	s.t.Helper()
	for range 60 {
		if s.payment(id).Status == status {
			return
		}
		s.clock.Advance(500 * time.Millisecond)
	}
	s.t.Fatalf("the payment is not %s after half a minute", status)
}

// A payment that is executed stands in the ledger of the debtor, and of the creditor whose bank is a simulated one: pending
// first, then booked under the same reference; its amount moves the balances. One that is rejected never stands there, and
// one that is sent back vanishes.
func TestPaymentsAreBooked(t *testing.T) {
	s := run(t, "Ledger", "")
	s.clock.Stop()
	s.at(friday)
	lena := s.anybody(redirectBank, "") // with the code that a consent takes
	debtor, creditor := s.opened(redirectBank, lena, openbanking.CashAccountTypeCACC),
		s.opened(paymentBank, payingAnyway("payment-accepted"), openbanking.CashAccountTypeCACC)
	sender := s.opened(paymentBank, payingAnyway("payment-returned"), openbanking.CashAccountTypeCACC)
	pay := func(from openAccount, bank openbanking.ASPSP, who walk.Person, text, number string) string {
		id, start := s.order(bank, func(r *openbanking.CreatePaymentRequest) {
			r.PaymentRequest.DebtorAccount = &openbanking.GenericIdentification{Identification: from.number, SchemeName: openbanking.SchemeNameIBAN}
			first := &r.PaymentRequest.CreditTransferTransaction[0]
			first.Beneficiary.CreditorAccount.Identification, first.RemittanceInformation = number, []string{text}
		})
		who.Despite = true
		accepted(t, &walk.Page{Left: must[*url.URL](t)(walk.New(nil).Pay(t.Context(), start, who))})
		return id
	}
	want := func(what string, got, want standing) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %+v, want %+v", what, got, want)
		}
	}

	out, in := debtor.watch("Rent of the boat"), creditor.watch("Rent of the boat")
	id := pay(debtor, redirectBank, lena, "Rent of the boat", creditor.number)
	s.until(id, accp)
	want("accepted, at the debtor", out(), standing{})
	want("accepted, at the creditor", in(), standing{})
	s.until(id, acsp)
	want("on its way, at the debtor", out(), standing{"PDNG", 0, -1250})
	want("on its way, at the creditor", in(), standing{"PDNG", 0, 0})
	pending := slices.Concat(references(debtor.mentions("Rent of the boat")), references(creditor.mentions("Rent of the boat")))
	s.until(id, acsc)
	want("settled, at the debtor", out(), standing{"BOOK", -1250, -1250})
	want("settled, at the creditor", in(), standing{"BOOK", 1250, 1250})
	if booked := slices.Concat(references(debtor.mentions("Rent of the boat")), references(creditor.mentions("Rent of the boat"))); !slices.Equal(booked,
		pending) || booked[0] == "" {
		t.Errorf("references %v, pending %v", booked, pending)
	}
	row, other := debtor.mentions("Rent of the boat")[0], creditor.mentions("Rent of the boat")[0]
	if row.CreditDebitIndicator != openbanking.CreditDebitIndicatorDBIT || other.CreditDebitIndicator != openbanking.CreditDebitIndicatorCRDT ||
		row.TransactionAmount.Amount != "12.50" ||
		name(row.Creditor) != "Verein Lindenhof" || name(other.Debtor) != "Lena Albrecht" {
		t.Errorf("debtor's row %+v, creditor's %+v", row, other)
	}

	out, in = debtor.watch("Rejected"), creditor.watch("Rejected")
	id = pay(debtor, redirectBank, lena, "Rejected", "IE41SCNM99031016581861") // a blocked account
	for _, status := range []openbanking.PaymentStatus{rcvd, rjct} {
		s.until(id, status)
		want("rejected, at "+string(status), out(), standing{})
	}
	want("rejected, at somebody else", in(), standing{})

	out, in = sender.watch("Sent back"), creditor.watch("Sent back")
	id = pay(sender, paymentBank, payingAnyway("payment-returned"), "Sent back", creditor.number)
	s.until(id, acsp)
	want("before it is sent back, at the debtor", out(), standing{"PDNG", 0, -1250})
	want("before it is sent back, at the creditor", in(), standing{"PDNG", 0, 0})
	s.until(id, rjct)
	want("sent back, at the debtor", out(), standing{})
	want("sent back, at the creditor", in(), standing{})
}

// A standing order is booked on its days: at first on that of its first execution, then as often as it says, moved to a
// business day by its rule, until its end.
func TestStandingOrderIsBookedOnItsDays(t *testing.T) {
	s := run(t, "Ledger", "")
	s.clock.Stop()
	s.at(friday)
	const saver = openbanking.CashAccountTypeSVGS
	from := s.opened(paymentBank, payingAnyway("payment-causes"), saver)
	to := s.opened(paymentBank, payingAnyway("payment-accepted"), openbanking.CashAccountTypeCACC)
	before, received := from.balance(openbanking.BalanceStatusCLBD), to.balance(openbanking.BalanceStatusCLBD)
	first, last := openbanking.Date("2027-01-18"), openbanking.Date("2027-04-30")
	id, start := s.order(paymentBank, func(r *openbanking.CreatePaymentRequest) {
		r.PaymentRequest.DebtorAccount = &openbanking.GenericIdentification{Identification: from.number, SchemeName: openbanking.SchemeNameIBAN}
		order := &r.PaymentRequest.CreditTransferTransaction[0]
		order.Beneficiary.CreditorAccount.Identification = to.number
		order.Frequency, order.ExecutionRule, order.RequestedExecutionDate, order.EndDate = new(openbanking.FrequencyCodeMNTH),
			new(openbanking.ExecutionRuleFWNG), &first, &last
	})
	accepted(t, &walk.Page{Left: must[*url.URL](t)(walk.New(nil).Pay(t.Context(), start, payingAnyway("payment-causes")))})
	if read, had := s.course(id); read.Status != acsc || read.PaymentDetails.CreditTransferTransaction[0].Frequency == nil {
		t.Errorf("statuses %v", had)
	}
	days := []openbanking.Date{"2027-01-18", "2027-02-18", "2027-03-18", "2027-04-19"} // the 18th of April is a Sunday
	for n := range len(days) + 1 {
		at := time.Date(2027, 6, 1, 12, 0, 0, 0, time.UTC) // long after its end
		if n < len(days) {
			at = must[time.Time](t)(days[n].Time()).Add(12 * time.Hour)
		}
		s.at(at)
		n = min(n+1, len(days))
		from := s.opened(paymentBank, payingAnyway("payment-causes"), saver)
		to := s.opened(paymentBank, payingAnyway("payment-accepted"), openbanking.CashAccountTypeCACC)
		for who, b := range map[string]openAccount{"debtor": from, "creditor": to} {
			var booked []openbanking.Date
			for _, row := range b.rows(b.uid, whole) {
				if slices.Contains(row.RemittanceInformation, "Invoice 4711") && row.Status == openbanking.TransactionStatusBOOK {
					booked = append(booked, *row.BookingDate)
				}
			}
			slices.Sort(booked)
			if !slices.Equal(booked, days[:n]) {
				t.Errorf("at %s the %s has the bookings %v, want %v", at.Format(time.DateOnly), who, booked, days[:n])
			}
		}
		if out, in := from.balance(openbanking.BalanceStatusCLBD)-before,
			to.balance(openbanking.BalanceStatusCLBD)-received; out != int64(-1250*n) || in != -out {
			t.Errorf("at %s: %d went out, %d came in", at.Format(time.DateOnly), out, in)
		}
	}
}
