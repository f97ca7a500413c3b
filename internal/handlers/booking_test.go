package handlers_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/payments"
	"florin/internal/search"
)

// books adds rows to the bank's list of the account in EUR, syncs, and matches bookings with payments, as a sync does.
func (s *site) books(rows ...openbanking.Transaction) {
	s.t.Helper()
	s.service.Lock()
	s.service.rows["uid-1"] = append(rows, s.service.rows["uid-1"]...)
	s.service.Unlock()
	s.resync()
}

func (s *site) resync() {
	s.t.Helper()
	s.exec(`UPDATE sync_task SET next_attempt_at = '2020-01-01T00:00:00.000Z' WHERE state = 'waiting'`)
	s.syncAll()
	_, err := s.payments.Match(s.t.Context())
	must(s.t, err)
}

// debit is money out that was booked some days from today.
func debit(reference, amount, name, number string, days int) openbanking.Transaction {
	date := openbanking.DateOf(time.Now().UTC().AddDate(0, 0, days))
	r := openbanking.Transaction{EntryReference: &reference, TransactionAmount: openbanking.AmountType{Currency: "EUR", Amount: amount},
		CreditDebitIndicator: openbanking.CreditDebitIndicatorDBIT,
		Status:               openbanking.TransactionStatusBOOK, BookingDate: &date}
	if name != "" {
		r.Creditor = &openbanking.PartyIdentification{Name: &name}
	}
	if number != "" {
		r.CreditorAccount = &openbanking.AccountIdentification{IBAN: &number}
	}
	return r
}

const frenchACME = "FR1420041010050500013M02606"

// rowOf is the address of the newest transaction of an account with this amount.
func (s *site) rowOf(user finance.User, account, amount string) string {
	s.t.Helper()
	rows, _, err := s.store.Find(s.t.Context(), user.ID, search.InAccount(account), 1<<62, 50)
	must(s.t, err)
	for _, r := range rows {
		if r.Amount.String() == amount {
			return "/accounts/" + account + "/transactions/" + strconv.FormatInt(r.ID, 10)
		}
	}
	s.t.Fatalf("no row of %s", amount)
	return ""
}

// A payment and its booking link to each other, and never to those of another user. When the bank removes the booking, the links disappear.
func TestPaymentAndBookingLeadToEachOther(t *testing.T) {
	t.Parallel()
	s, b, mira, account := paySite(t)
	eve := s.user("eve@example.org")
	foreign := s.sendPayment(eve, "p-foreign")
	path := b.pay(transfer(account))
	s.service.becomes(1, "ACSC", true, "")
	b.get(s.returns(1)).to(path)
	b.get(path).has("Sent from your account", `http-equiv="refresh" content="60"`).lacks(`id="booked"`)
	s.books(debit("acme", "12.30", "ACME", frenchACME, 0))
	row := s.rowOf(mira, account, "-12.30")
	b.get(row).status(http.StatusOK).has("Your payment", "This is your payment to", `href="`+path+`"`, "You confirmed it at", path+"/receipt")
	b.get(path).status(http.StatusOK).has(`id="booked"`, "This is what your bank booked for it.", row,
		"Booking found on the account").lacks(`http-equiv="refresh"`)
	b.get(path + "/receipt").has("Booked")
	s.signedIn("eve@example.org").get("/payments/"+foreign.ID).status(http.StatusOK).lacks(row, "Shop")

	s.service.Lock()
	s.service.rows["uid-1"] = s.service.rows["uid-1"][1:]
	s.service.Unlock()
	s.resync()
	b.get(path).lacks(`id="booked"`).has("The booking is gone or belongs to another payment")
	b.get(row).status(http.StatusOK).lacks("Your payment")
}

// The bank books a bulk payment singly or as one total. Both are shown on the payment, at its items and on the transaction.
func TestBookingsOfABulk(t *testing.T) {
	t.Parallel()
	s, b, mira, account := paySite(t)
	singly := s.sendOrder(t, mira, account, bulkOrder("ACME GmbH", frenchACME, "12.30", "Bob", numberACME, "7.70"))
	total := s.sendOrder(t, mira, account, bulkOrder("Cleo", frenchACME, "100.00", "Dora", numberACME, "11.00"))
	s.books(debit("one", "7.70", "Bob", "", 0), debit("all", "111.00", "", "", 0))
	b.get("/payments/"+singly.ID).has("Payments in this order", `href="`+s.rowOf(mira, account, "-7.70")+`"`, "Booked on").lacks(`id="booked"`)
	b.get(s.rowOf(mira, account, "-7.70")).has("This is one of the payments in", "2 payments", `href="/payments/`+singly.ID+`"`)
	b.get("/payments/"+total.ID).has(`id="booked"`, "Your bank booked all payments as one total.", s.rowOf(mira, account, "-111.00"), "Booked in the total on")
	b.get(s.rowOf(mira, account, "-111.00")).has("Your bank booked one total for", "2 payments", `href="/payments/`+total.ID+`"`)
	b.get("/payments/"+total.ID+"/receipt").has("Booked in the total on", "Booked")
}

// Each execution of a standing order has its booking; the page lists them, and the transaction says which one it is.
func TestExecutionsOfAStandingOrder(t *testing.T) {
	t.Parallel()
	s, b, mira, account := paySite(t)
	eve := s.user("eve@example.org")
	p := s.sendOrder(t, mira, account, everyWeek("Landlord", frenchACME, "500.00", -15))
	path := "/payments/" + p.ID
	s.exec(`UPDATE payment SET sent = $1, at_created = $1, status = 'ACSC', final = 1, ended = $1, next_check_at = NULL, auth = 'FINALISED', auth_source = 'webhook', seen = $1 WHERE id = $2`,
		time.Now().UTC().AddDate(0, 0, -16).Format("2006-01-02T15:04:05.000Z"), p.ID)
	s.books(debit("three", "500.00", "Landlord", frenchACME, -1), debit("one", "500.00", "", frenchACME, -14))
	day := func(days int) string { return withYear(days, "2 January") }
	page := b.get(path).has("Executions", day(6), "Next", day(-1), "Booked", day(-8), "No booking found", day(-15), "on "+day(-14),
		"I stopped it at my bank").lacks(`id="booked"`)
	if n := strings.Count(page.body, `/transactions/`); n != 2 {
		t.Errorf("%d bookings are linked", n)
	}
	b.get(s.rowOf(mira, account, "-500.00")).has("This is the payment of "+day(-1)+" from your standing order to", "Landlord", `href="`+path+`"`)
	b.get(path).has("Booking found on the account, for " + day(-15))

	s.signedIn(eve.Email).post(path+"/stopped", nil).status(http.StatusNotFound)
	b.post(path+"/stopped", nil).to(path)
	b.get(path).has("Nothing was changed at your bank.", "that you stopped it at your bank", "It is still active", "You noted that you stopped it at your bank",
		day(-15)).lacks(">Next<", "I stopped it at my bank")
	b.post(path+"/stopped", url.Values{"goes": {"on"}}).to(path)
	b.get(path).has("I stopped it at my bank", "Next")
}

// The first page lists what is carried out within two weeks, the nearest first, with what Florin knows about the day.
func TestReminders(t *testing.T) {
	t.Parallel()
	s, b, mira, account := paySite(t)
	approved := func(p finance.Payment) string {
		s.exec(`UPDATE payment SET status = 'ACCP', auth = 'FINALISED', auth_source = 'webhook' WHERE id = $1`, p.ID)
		return "/payments/" + p.ID
	}
	rent := approved(s.sendOrder(t, mira, account, everyWeek("Landlord", frenchACME, "500.00", 1)))
	dated := approved(s.sendOrder(t, mira, account, onDay("ACME GmbH", numberACME, "12.30", 1)))
	approved(s.sendOrder(t, mira, account, onDay("Bob", numberACME, "9.00", 3)))
	approved(s.sendOrder(t, mira, account, onDay("Dora", numberACME, "7.00", 16)))
	waiting := s.sendOrder(t, mira, account, onDay("Cleo", numberACME, "8.00", 1))
	b.get("/").has("Tomorrow: 500.00 EUR to Landlord, standing order", `href="`+rent+`"`, "Tomorrow: 12.30 EUR to ACME GmbH", `href="`+dated+`"`,
		"Tomorrow: 8.00 EUR to Cleo", "Waiting for your approval", "/payments/"+waiting.ID,
		time.Now().UTC().AddDate(0, 0, 3).Format("Monday 2 January")+": 9.00 EUR to Bob").
		lacks("7.00 EUR to Dora")
	s.signedIn(s.user("eve@example.org").Email).get("/").lacks("Landlord")
	b.get("/").has("Florin knows weekends only.")
	if day := time.Now().UTC().AddDate(0, 0, 1).Weekday(); day == time.Saturday || day == time.Sunday {
		b.get("/").has("That is a " + day.String() + ": Elbe Sparbank may pay it on a working day before or after.")
	}
	stream := b.listen("/events?view=dashboard")
	stream.until("Landlord")
	b.post(rent+"/stopped", nil).to(rent)
	b.get("/").lacks("Tomorrow: 500.00 EUR to Landlord")
	for { // the open page is updated, too
		if _, data, ok := stream.next(); !ok {
			t.Fatal("the stream ended")
		} else if strings.Contains(data, "ACME GmbH") && !strings.Contains(data, "Tomorrow: 500.00 EUR to Landlord") {
			break
		}
	}
}

// The first page shows the result of a payment until its page was seen or it was dismissed. Only its user sees it, whether or not a page is open.
func TestTheEndIsToldOnce(t *testing.T) {
	t.Parallel()
	s, b, _, account := paySite(t)
	eve := s.signedIn(s.user("eve@example.org").Email)
	path, second := b.pay(transfer(account)), b.pay(transfer(account, "name", "De Winkel", "number", "NL91ABNA0417164300", "amount", "8"))
	b.get(path).has("Waiting for your approval") // the page was seen before the payment ended
	home := b.listen("/events?view=dashboard")
	s.service.becomes(1, "RJCT", true, "AM04")
	s.exec(`UPDATE payment SET next_check_at = '2020-01-01T00:00:00.000Z' WHERE next_check_at IS NOT NULL`)
	run(t, s)
	home.until("Since you last looked")
	s.service.becomes(2, "ACCC", true, "")
	s.exec(`UPDATE payment SET next_check_at = '2020-01-01T00:00:00.000Z' WHERE next_check_at IS NOT NULL`)
	run(t, s)
	home.shows("A payment of 8.00 EUR is not in the balance yet.") // without loading the page again
	page := b.get("/").has("Since you last looked", "Rejected by your bank", "There is not enough money on the account.", "De Winkel", "Arrived",
		"Got it").lacks("Open payments</h2>")
	eve.get("/").lacks("Since you last looked", "De Winkel")
	b.do(b.request(http.MethodHead, path, nil)).status(http.StatusOK)
	b.get("/").has("Rejected by your bank")
	b.get(path).has("Rejected by your bank")
	b.get("/").has("De Winkel", "Arrived").lacks("Rejected by your bank")
	ids := url.Values{"payment": idsOf(page.body)}
	if len(ids["payment"]) != 2 {
		t.Fatalf("%v", ids)
	}
	eve.post("/payments/seen", ids).to("/")
	b.get("/").has("De Winkel")
	b.post("/payments/seen", ids).to("/")
	b.get("/").lacks("Since you last looked", "De Winkel")
	b.get(second).has("Arrived")
	b.post("/payments/seen", nil).to("/")
}

func idsOf(body string) (ids []string) {
	for _, part := range strings.Split(body, `name="payment" value="`)[1:] {
		id, _, _ := strings.Cut(part, `"`)
		ids = append(ids, id)
	}
	return ids
}

// An open page shows a booking that comes after the payment has ended, and a possible booking while the outcome is unknown.
func TestBookingsShowOnAnOpenPage(t *testing.T) {
	t.Parallel()
	s, b, mira, account := paySite(t)
	path := b.pay(transfer(account))
	s.service.becomes(1, "ACSC", true, "")
	b.get(s.returns(1)).to(path)
	b.get(path).has("/events?view=payment&amp;payment=" + strings.TrimPrefix(path, "/payments/") + "&amp;over=true")
	stream := b.listen("/events?view=payment&payment=" + strings.TrimPrefix(path, "/payments/") + "&over=true")
	stream.until("Sent from your account") // a fragment, and no repeated request to load the page again
	s.books(debit("acme", "12.30", "", frenchACME, 0))
	stream.until(`id="booked"`)

	silent := b.pay(transfer(account, "amount", "99"))
	id := strings.TrimPrefix(silent, "/payments/")
	s.exec(`UPDATE payment SET sent = $1, at_created = $1, news = $1 WHERE id = $2`, time.Now().UTC().AddDate(0, 0, -7).Format("2006-01-02T15:04:05.000Z"), id)
	b.get(silent).has("Outcome unknown").lacks("Is it one of these?")
	stream = b.listen("/events?view=payment&payment=" + id)
	stream.until("Outcome unknown")
	s.books(debit("other", "99.00", "Somebody", "", 0))
	stream.until("Is it one of these?")
	b.get(silent).has("Is it one of these?", s.rowOf(mira, account, "-99.00"))
}

// Orders for tests, of the account in EUR.

func orderOf(kind openbanking.PaymentType, transfers ...openbanking.CreditTransferTransaction) finance.PaymentOrder {
	return finance.PaymentOrder{ProviderID: "embedded", ASPSP: openbanking.ASPSP{Name: "Elbe Sparbank", Country: "DE"}, PSUType: openbanking.PSUTypePersonal,
		Type:    kind,
		Request: openbanking.PaymentRequestResource{CreditTransferTransaction: transfers}}
}

func transferOf(payee, number, amount string) openbanking.CreditTransferTransaction {
	return openbanking.CreditTransferTransaction{InstructedAmount: openbanking.AmountType{Currency: "EUR", Amount: amount},
		Beneficiary: openbanking.Beneficiary{Creditor: &openbanking.PartyIdentification{Name: &payee},
			CreditorAccount: openbanking.GenericIdentification{Identification: number, SchemeName: openbanking.SchemeNameIBAN}}}
}

func bulkOrder(parts ...string) finance.PaymentOrder {
	var all []openbanking.CreditTransferTransaction
	for i := 0; i < len(parts); i += 3 {
		all = append(all, transferOf(parts[i], parts[i+1], parts[i+2]))
	}
	return orderOf(openbanking.PaymentTypeBulkSEPA, all...)
}

func onDay(payee, number, amount string, days int) finance.PaymentOrder {
	t, day := transferOf(payee, number, amount), openbanking.DateOf(time.Now().UTC().AddDate(0, 0, days))
	t.RequestedExecutionDate = &day
	return orderOf(openbanking.PaymentTypeSEPA, t)
}

func everyWeek(payee, number, amount string, days int) finance.PaymentOrder {
	o, f := onDay(payee, number, amount, days), openbanking.FrequencyCodeWEEK
	o.Request.CreditTransferTransaction[0].Frequency = &f
	return o
}

// sendOrder makes a payment from the user's account that the service has accepted.
func (s *site) sendOrder(t *testing.T, user finance.User, account string, o finance.PaymentOrder) finance.Payment {
	t.Helper()
	ctx := t.Context()
	o.AccountID = account
	draft, err := s.payments.Save(ctx, user.ID, finance.NewID(), o, "")
	must(t, err)
	review, err := s.payments.Review(ctx, user.ID, draft.ID)
	must(t, err)
	c := payments.Confirmation{ID: draft.ID, ReviewHash: review.Hash, Browser: "browser"}
	for _, w := range review.Warnings {
		c.Agreed = append(c.Agreed, w.Key())
	}
	p, err := s.payments.Confirm(ctx, user.ID, c)
	must(t, err)
	if p.Phase != finance.PhaseCreated {
		t.Fatalf("%+v", p)
	}
	return p
}

// When the bank moves the day of a payment, the new day is shown everywhere: in the story, the details, the list, and the reminder on the first page.
func TestTheBankMovesTheDay(t *testing.T) {
	t.Parallel()
	s, b, mira, account := paySite(t)
	p := s.sendOrder(t, mira, account, onDay("ACME GmbH", frenchACME, "12.30", -2))
	day := func(days int, layout string) string { return time.Now().UTC().AddDate(0, 0, days).Format(layout) }
	s.exec(`UPDATE payment SET status = 'ACWC', auth = 'FINALISED', auth_source = 'webhook', read_back = replace(request, '`+day(-2,
		time.DateOnly)+`', '`+day(1, time.DateOnly)+`') WHERE id = $1`, p.ID)
	const full = "Monday, 2 January 2006"
	b.get("/payments/"+p.ID).has("Your bank moved it from "+day(-2, full)+" to "+day(1, full)+".", "Your bank carries it out on "+day(1, full)+".",
		"On "+day(1, full), "You asked for "+day(-2, full)+", and your bank moved it.")
	b.get("/payments").has("moved to " + day(1, "2 January 2006") + " by the bank").lacks(day(-2, "2 January 2006"))
	b.get("/").has("Tomorrow: 12.30 EUR to ACME GmbH")
}

// Until the booking of a payment has come, the pages say that the balance does not include the payment, and never that all is up to date. After that they say
// that all is up to date. The first page changes without being loaded again.
func TestBalanceWithoutAPaymentSaysSo(t *testing.T) {
	t.Parallel()
	s, b, mira, account := paySite(t)
	b.get("/").status(http.StatusOK).has("Up to date")
	path := b.pay(transfer(account))
	home := b.listen("/events?view=dashboard")
	home.until(`id="open-payments"`)
	s.service.becomes(1, "ACSC", true, "")
	b.get(s.returns(1)).to(path)
	home.shows("A payment is on its way", "A payment of 12.30 EUR is not in the balance yet.")
	const lacks = "A payment of 12.30 EUR is not in this balance yet."
	b.get("/accounts/"+account).status(http.StatusOK).has(lacks, `href="`+path+`"`, "lacks=1", `http-equiv="refresh" content="10"`)
	b.get("/").status(http.StatusOK).has("A payment is on its way", "A payment of 12.30 EUR is not in the balance yet.").lacks("Up to date")
	own, err := s.store.Account(t.Context(), mira.ID, account)
	must(t, err)
	b.get("/connections/" + own.ConnectionID).status(http.StatusOK).has("A payment is on its way").lacks("Up to date")
	s.books(debit("acme", "12.30", "ACME", frenchACME, 0))
	home.shows(`id="totals"`, `id="newest"`, `id="month"`, "−12.30")
	b.listen("/events?view=dashboard&lacks=1").shows("Up to date", `id="totals"`) // its stream was opened after the booking had come
	b.get("/accounts/"+account).status(http.StatusOK).lacks(lacks, "lacks=1")
	b.get("/").status(http.StatusOK).has("Up to date").lacks("on its way")
}
