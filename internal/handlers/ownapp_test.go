package handlers_test

import (
	"bytes"
	"image/png"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/paymentfile"
)

// ownApp is a form for a payment that the person sends in the app of the bank.
func ownApp(account string, changes ...string) url.Values {
	return transfer(account, append([]string{"type", string(finance.ByOwnApp)}, changes...)...)
}

// hand goes from a form to a payment that waits to be sent in the app of the bank, and returns its path.
func (b *browser) hand(form url.Values) string {
	b.site.t.Helper()
	path := b.draft(form)
	b.post(path+"/confirm", b.get(path+"/review").confirmation()).to(path)
	return path
}

// withText is a booking with a text.
func withText(t openbanking.Transaction, text string) openbanking.Transaction {
	t.RemittanceInformation = []string{text}
	return t
}

// A payment that the person sends in the bank's app is entered, reviewed and confirmed like any other, and Florin sends nothing. Its code and its file are
// available until the booking has come, and an open page shows the booking.
func TestPayInTheBanksApp(t *testing.T) {
	t.Parallel()
	s, b, mira, account := paySite(t)
	b.get("/pay?account="+account).has("Standard", "In your bank’s app")
	path := b.draft(ownApp(account, "name", "Müller & Söhne", "text0", "Rechnung für März 7"))
	b.get(path+"/review").status(http.StatusOK).has("In your bank’s app", "Florin sends nothing to your bank", "When you send it in your bank’s app",
		"In the code, the payee is “Mueller + Soehne”", "New payee")
	b.post(path+"/confirm", url.Values{"password": {"wrong"}, "hash": b.get(path + "/review").confirmation()["hash"]}).status(http.StatusUnprocessableEntity)
	b.post(path+"/confirm", b.get(path+"/review").confirmation()).to(path)
	if n := len(s.service.sent()); n != 0 {
		t.Fatalf("%d payments were sent to the service", n)
	}
	b.get(path).status(http.StatusOK).has("Florin has sent nothing. Your bank sends it when you approve it there.", `class="qr"`, "payto://iban/"+frenchACME,
		"Mueller + Soehne", "Rechnung fuer Maerz 7", "12.30", "I have sent it", "I did not send it", "Prepared", "Handed to you",
		"Seen in the booking", "not reported").
		lacks("Approve at the bank", "Check again")
	b.get("/payments").has("Send it in your bank’s app")

	picture := b.get(path + "/code.png").status(http.StatusOK)
	if image, err := png.Decode(strings.NewReader(picture.body)); err != nil || image.Bounds().Dx() < 300 || picture.Header.Get("Content-Type") != "image/png" {
		t.Errorf("the picture: %v", err)
	}
	for _, version := range []string{"", string(paymentfile.Pain00103), string(paymentfile.Pain00109)} {
		file := b.get(path + "/file?version=" + version).status(http.StatusOK)
		read, err := paymentfile.Parse(file.body, "EUR")
		if err != nil || !read.Good() || len(read.Rows) != 1 || read.Rows[0].Amount.String() != "12.30" || read.Debtor.Number != "DE89370400440532013000" ||
			!strings.HasPrefix(file.Header.Get("Content-Disposition"), "attachment; filename=florin-") || !strings.Contains(file.body, version) {
			t.Errorf("version %q: %+v, %v", version, read, err)
		}
	}
	b.get(path + "/file?version=pain.001.001.02").status(http.StatusBadRequest).has("Choose a version from the list.")

	again := b.draft(ownApp(account, "name", "Müller & Söhne"))
	b.get(again+"/review").has("You prepared a payment of", "If you send both, you pay twice.")
	b.post(again+"/discard", nil).to("/payments")

	stream := b.listen("/events?view=payment&payment=" + strings.TrimPrefix(path, "/payments/"))
	stream.until("Send it in your bank’s app")
	s.books(withText(debit("other", "12.30", "Mueller Soehne", frenchACME, 0), "another invoice"))
	stream.until("Is it one of these?")
	s.books(withText(debit("right", "12.30", "Mueller Soehne", frenchACME, 0), "SVWZ+Rechnung fuer Maerz 7"))
	stream.until("reload")
	b.get(path).status(http.StatusOK).has("Booked", "Whether it arrived is not reported", "All of it is booked", s.rowOf(mira, account, "-12.30")).
		lacks("I have sent it", `class="qr"`, "Is it one of these?")
	b.get(path + "/code.png").status(http.StatusNotFound)
	b.get(path + "/file").status(http.StatusNotFound)
	b.post(path+"/sent", url.Values{"sent": {""}}).to(path)
	b.get(path).has("This payment has already ended. Nothing was changed.")
	b.get(path+"/receipt").status(http.StatusOK).has("Prepared", "Seen in the booking").lacks("Accepted by the bank")

	s.service.Lock()
	s.service.rows["uid-1"] = s.service.rows["uid-1"][1:]
	s.service.Unlock()
	s.resync()
	b.get(path).has("You sent it", "The booking is gone or belongs to another payment", "I did not send it")
}

// When two bookings fit equally well, both are offered and the person chooses. The choice is kept.
func TestTheBookingOfAHandedPaymentIsChosen(t *testing.T) {
	t.Parallel()
	s, b, mira, account := paySite(t)
	path := b.hand(ownApp(account))
	for _, cents := range []string{"12.29", "12.31"} { // an amount that differs by a cent does not fit
		s.books(debit("near"+cents, cents, "ACME GmbH", frenchACME, 0))
	}
	b.get(path).lacks("Is it one of these?", `id="booked"`)
	s.books(debit("one", "12.30", "ACME GmbH", frenchACME, 0), debit("two", "12.30", "ACME GmbH", frenchACME, 0))
	page := b.get(path).has("Is it one of these?", "This is it")
	if n := strings.Count(page.body, `name="booking"`); n != 2 {
		t.Fatalf("%d bookings are offered", n)
	}
	for _, wrong := range []string{"", "x", "-1", "999999", strconv.Itoa(1 << 60)} {
		b.post(path+"/booking", url.Values{"booking": {wrong}})
		b.get(path).has("Is it one of these?").lacks(`id="booked"`)
	}
	near := s.rowOf(mira, account, "-12.29")
	b.post(path+"/booking", url.Values{"booking": {near[strings.LastIndexByte(near, '/')+1:]}}).to(path)
	b.get(path).has("belongs to another payment, or is gone", "Is it one of these?")
	row := s.rowOf(mira, account, "-12.30")
	b.post(path+"/booking", url.Values{"booking": {row[strings.LastIndexByte(row, '/')+1:]}}).to(path)
	_, err := s.payments.Match(t.Context())
	must(t, err)
	b.get(path).has("Noted: this booking is the payment.", "Booked", `id="booked"`, row).lacks("Is it one of these?")
	s.resync()
	b.get(path).has(`id="booked"`, row)

	eve := s.user("eve@example.org")
	foreign := s.sendPayment(eve, "p-foreign")
	b.post("/payments/"+foreign.ID+"/booking", url.Values{"booking": {"1"}}).status(http.StatusNotFound)
	b.post("/payments/"+foreign.ID+"/sent", url.Values{"sent": {"on"}}).status(http.StatusNotFound)
}

// The person says whether the payment was sent. Florin asks after six working days.
func TestThePersonSaysWhatBecameOfIt(t *testing.T) {
	t.Parallel()
	s, b, _, account := paySite(t)
	path := b.hand(ownApp(account))
	b.post(path+"/sent", url.Values{"sent": {"on"}}).to(path)
	b.get(path).has("Noted. Florin looks for the booking.", "You sent it", "Florin has not seen the booking yet.", "I did not send it").lacks("I have sent it")
	id := strings.TrimPrefix(path, "/payments/")
	s.exec(`UPDATE payment SET at_created = $1, at_accepted = $1 WHERE id = $2`, time.Now().UTC().AddDate(0, 0, -11).Format("2006-01-02T15:04:05.000Z"), id)
	b.get(path).has("Did you send it?", "Florin found no booking of it in 6 working days.")
	b.post(path+"/sent", url.Values{"sent": {""}}).to(path)
	b.get(path).has("Not sent", "You said that you did not send it.", "Try again").lacks(`class="qr"`, "Is it one of these?")
	s.books(debit("late", "12.30", "ACME GmbH", frenchACME, 0))
	b.get(path).has("Not sent").lacks(`id="booked"`)

	dated := b.hand(ownApp(account, "amount", "5", "when", "date", "date", time.Now().UTC().AddDate(0, 0, 30).Format(time.DateOnly)))
	b.get(dated).has("Choose the day:", "It is not in the code.")
	if file := b.get(dated + "/file").body; !strings.Contains(file, "<Dt>"+time.Now().UTC().AddDate(0, 0, 30).Format(time.DateOnly)+"</Dt>") {
		t.Errorf("the file has another day:\n%s", file)
	}
	if again := b.get(dated + "/file").body; !bytes.Equal([]byte(again), []byte(b.get(dated+"/file").body)) {
		t.Error("two downloads differ, and a bank would carry out both")
	}
}

// Payments from an account without a bank work in the same way: the person enters or imports its rows, and Florin matches them.
func TestPayFromAnAccountWithoutABank(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("ada@example.org")
	b := s.signedIn("ada@example.org")
	b.get("/pay").has("You have no account to pay from")
	kept := b.created(url.Values{"source": {"manual"}, "name": {"Savings bank"}, "type": {"CACC"}, "currency": {"eur"}, "amount": {"100,00"},
		"day": {"2026-01-01"}})
	account := strings.TrimPrefix(kept, "/accounts/")
	b.get("/pay").has("Savings bank")
	b.get("/pay?account="+account).status(http.StatusOK).has("In your bank’s app", "Savings bank")
	path := b.hand(ownApp(account))
	b.get(path).status(http.StatusOK).has("Open the app of your bank", "A file needs the IBAN and the holder of your account").lacks("Simulated")
	b.get(path + "/file").status(http.StatusNotFound)
	b.post(kept+"/add", url.Values{"direction": {"out"}, "amount": {"12.30"}, "day": {time.Now().UTC().Format(time.DateOnly)}, "payee": {"ACME GmbH"},
		"text": {"Invoice 4711"}}).to(kept)
	_, err := s.payments.Match(t.Context())
	must(t, err)
	b.get(path).has("Booked", `id="booked"`)
}

// What does not fit into a code is reported at its field.
func TestFormForTheBanksApp(t *testing.T) {
	t.Parallel()
	_, b, _, account := paySite(t)
	for _, c := range []struct{ field, value, want string }{
		{"name", "", "The name is missing"}, {"name", strings.Repeat("n", 71), "70"},
		{"number", "DE88370400440532013000", "check digits"}, {"amount", "1000000000", "999"},
		{"text0", strings.Repeat("t", 141), "140"}, {"amount", "0", "more than zero"},
	} {
		b.post("/pay", ownApp(account, c.field, c.value)).status(http.StatusUnprocessableEntity).has(c.want)
	}
	for _, mistyped := range []string{"RF19539007547034", "rf19 5390 0754 7034", "+++090/9337/55494+++"} {
		b.post("/pay", ownApp(account, "reference", mistyped, "text0", "")).status(http.StatusUnprocessableEntity).
			has("This reference has a typing error: its check digits do not fit. Compare it with the invoice.").lacks("Your bank accepts: ")
	}
	for _, right := range []string{"RF18539007547034", "+++090/9337/55493+++", "KD-77"} {
		b.draft(ownApp(account, "reference", right, "text0", ""))
	}
	b.draft(ownApp(account, "name", strings.Repeat("n", 70)))
	b.draft(ownApp(account, "name", strings.Repeat("ü", 70)))
	b.post("/pay", ownApp(account, "text0", strings.Repeat("t", 139), "reference", "1232")).status(http.StatusUnprocessableEntity)
}

// A prepared payment without a booking is in the forecast once, today or on its day, until it is booked or until Florin asks whether it was sent.
func TestHandedPaymentsAreExpected(t *testing.T) {
	t.Parallel()
	s, b, mira, account := paySite(t)
	expected := func(path string) (days []openbanking.Date) {
		t.Helper()
		items, err := s.store.Coming(t.Context(), mira.ID, time.Now(), 30)
		must(t, err)
		for _, i := range items {
			if i.Payment == strings.TrimPrefix(path, "/payments/") {
				if i.Amount.String() != "-12.30" || i.Account != account || i.Name != "ACME GmbH" {
					t.Errorf("%+v", i)
				}
				days = append(days, i.Day)
			}
		}
		return days
	}
	today, later := finance.PaymentDay(time.Now()), openbanking.Date(time.Now().AddDate(0, 0, 9).Format(time.DateOnly))
	now, dated := b.hand(ownApp(account, "text0", "first")), b.hand(ownApp(account, "text0", "second", "when", "date", "date", string(later)))
	if days := expected(now); len(days) != 1 || days[0] > today {
		t.Errorf("without a day: %v", days)
	}
	if days := expected(dated); len(days) != 1 || days[0] != later {
		t.Errorf("for %s: %v", later, days)
	}
	b.post(dated+"/sent", url.Values{"sent": {"yes"}}).to(dated)
	if days := expected(dated); len(days) != 1 || days[0] != later {
		t.Errorf("sent for %s: %v", later, days)
	}
	s.books(withText(debit("first", "12.30", "ACME GmbH", frenchACME, 0), "first"))
	if days := expected(now); len(days) != 0 {
		t.Errorf("booked: %v", days)
	}
	asked := b.hand(ownApp(account, "text0", "third"))
	if days := expected(asked); len(days) != 1 {
		t.Errorf("a third: %v", days)
	}
	s.exec(`UPDATE payment SET at_created = '2026-01-05T08:00:00.000Z' WHERE id = $1`, strings.TrimPrefix(asked, "/payments/"))
	if days := expected(asked); len(days) != 0 {
		t.Errorf("asked about: %v", days)
	}
}
