package handlers_test

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/paymentfile"
)

// inFile is a form that asks for one file with these payments, given by their paths.
func inFile(account string, payments []string, changes ...string) url.Values {
	form := url.Values{"account": {account}, "version": {string(paymentfile.Pain00109)}, "total": {""}}
	for _, path := range payments {
		form.Add("payment", strings.TrimPrefix(path, "/payments/"))
	}
	for i := 0; i < len(changes); i += 2 {
		form.Set(changes[i], changes[i+1])
	}
	return form
}

// Several prepared payments go to the bank in one file: a group for each day, with the payments' own ids. Then each counts as handed over.
func TestSeveralPaymentsInOneFile(t *testing.T) {
	t.Parallel()
	s, b, mira, account := paySite(t)
	b.get("/payments/together").status(http.StatusOK).has("There is no payment to send").lacks("Download the file")
	b.get("/payments").lacks("Several in one file")
	later := time.Now().UTC().AddDate(0, 0, 30).Format(time.DateOnly)
	paths := []string{b.hand(ownApp(account, "text0", "first")), b.hand(ownApp(account, "amount", "0.70", "text0", "second", "when", "date", "date", later)),
		b.hand(ownApp(account, "amount", "7", "text0", "third"))}
	b.get("/payments").has("Several in one file")
	page := b.get("/payments/together").status(http.StatusOK).has("ACME GmbH", "Each payment separately", "pain.001.001.03 (older)", "Florin keeps no copy").
		lacks("Already in a file", " checked")
	if n := strings.Count(page.body, `name="payment"`); n != 3 {
		t.Fatalf("%d payments are offered", n)
	}

	ids := map[string]string{} // text by end-to-end id
	for _, path := range paths {
		p, err := s.store.Payment(t.Context(), mira.ID, strings.TrimPrefix(path, "/payments/"))
		must(t, err)
		if !p.Progress.Reached[finance.StepApproved].IsZero() {
			t.Fatal("the payment is handed over before the file was made")
		}
		transfer := p.Order.Request.CreditTransferTransaction[0]
		ids[*transfer.PaymentID.EndToEndID] = transfer.RemittanceInformation[0]
	}
	stream := b.listen("/events?view=payment&payment=" + strings.TrimPrefix(paths[0], "/payments/"))
	stream.until("Send it in your bank’s app")
	file := b.post("/payments/together", inFile(account, paths)).status(http.StatusOK)
	stream.until("Handed to you")
	read, err := paymentfile.Parse(file.body, "EUR")
	if err != nil || !read.Good() || len(read.Rows) != 3 || read.Debtor.Number != "DE89370400440532013000" ||
		!strings.HasPrefix(file.Header.Get("Content-Disposition"), "attachment; filename=florin-") || file.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("%+v, %v, %v:\n%s", read, err, file.Header, file.body)
	}
	for _, row := range read.Rows {
		id, day := *row.Transfer.PaymentID.EndToEndID, finance.PaymentDay(time.Now())
		if row.Transfer.RemittanceInformation[0] == "second" {
			day = openbanking.Date(later)
		}
		if ids[id] != row.Transfer.RemittanceInformation[0] || *row.Transfer.RequestedExecutionDate != day {
			t.Errorf("%q of %v has the id %q and the day %s", row.Transfer.RemittanceInformation, ids, id, *row.Transfer.RequestedExecutionDate)
		}
		delete(ids, id)
	}
	facts := func(file string) (list []string) {
		for _, found := range regexp.MustCompile(`<(NbOfTxs|CtrlSum|BtchBookg)>([^<]*)<`).FindAllStringSubmatch(file, -1) {
			list = append(list, found[2])
		}
		return list
	}
	if got, want := facts(file.body), []string{"3", "20.00", "false", "2", "19.30", "false", "1", "0.70"}; !slices.Equal(got, want) {
		t.Errorf("counts, sums and bookings are %q, want %q", got, want)
	}
	b.get("/payments/together").has("Already in a file")
	for _, path := range paths {
		p, err := s.store.Payment(t.Context(), mira.ID, strings.TrimPrefix(path, "/payments/"))
		must(t, err)
		if p.Progress.Reached[finance.StepApproved].IsZero() || p.Filed.IsZero() {
			t.Errorf("%s is not handed over: %+v", path, p.Progress)
		}
	}

	message := func(file string) string { return regexp.MustCompile(`<MsgId>([^<]*)<`).FindStringSubmatch(file)[1] }
	again := b.post("/payments/together", inFile(account, []string{paths[2], paths[0], paths[1], paths[0]})).body
	other := b.post("/payments/together", inFile(account, paths[:2], "total", "on", "version", string(paymentfile.Pain00103))).body
	if again != file.body {
		t.Error("the same payments make another file, and a bank would take both")
	}
	if message(other) == message(file.body) || !strings.Contains(other, "pain.001.001.03") || !slices.Equal(facts(other)[2:3], []string{"true"}) {
		t.Errorf("another choice makes\n%s", other)
	}
}

// Payments that cannot be in one file are refused with an explanation, and none of them is changed.
func TestWhatIsNoFile(t *testing.T) {
	t.Parallel()
	s, b, mira, account := paySite(t)
	paths := []string{b.hand(ownApp(account, "text0", "first")), b.hand(ownApp(account, "amount", "7", "text0", "second"))}
	id := func(path string) string { return strings.TrimPrefix(path, "/payments/") }
	refused := func(form url.Values, want string) {
		t.Helper()
		b.post("/payments/together", form).status(http.StatusUnprocessableEntity).has("No file was made", want)
		for _, path := range paths {
			p, err := s.store.Payment(t.Context(), mira.ID, id(path))
			must(t, err)
			if !p.Filed.IsZero() {
				t.Errorf("%q: a payment counts as put into a file", want)
			}
		}
	}
	refused(inFile(account, nil), "Tick at least one payment.")
	many := slices.Clone(paths)
	for range 499 {
		many = append(many, "/payments/"+finance.NewID())
	}
	refused(inFile(account, many), "A file takes at most 500 payments.")
	for range 1500 {
		many = append(many, "/payments/"+finance.NewID())
	}
	b.post("/payments/together", inFile(account, many)).status(http.StatusRequestEntityTooLarge)
	b.post("/payments/together", inFile(account, paths, "version", "pain.001.001.02")).status(http.StatusBadRequest).has("Choose a version from the list.")

	s.exec(`UPDATE payment SET request = replace(request, '"EUR"', '"CHF"') WHERE id = $1`, id(paths[1]))
	refused(inFile(account, paths), "One of the payments is not in euros.")
	s.exec(`UPDATE payment SET request = replace(request, '"CHF"', '"EUR"') WHERE id = $1`, id(paths[1]))
	s.exec(`UPDATE payment SET account_id = (SELECT id FROM account WHERE id <> $1 AND user_id = $2) WHERE id = $3`, account, mira.ID, id(paths[1]))
	refused(inFile(account, paths), "One file pays from one account.")
	b.get("/payments/together").has(`aria-current="page"`, "/payments/together?account="+account)
	s.exec(`UPDATE payment SET account_id = $1 WHERE id = $2`, account, id(paths[1]))

	eve := s.user("eve@example.org")
	foreign := s.sendPayment(eve, "p-foreign")
	b.post("/payments/together", inFile(account, append(slices.Clone(paths), foreign.ID))).status(http.StatusNotFound)
	b.post("/payments/together", inFile("nobody", paths)).status(http.StatusNotFound)
	sent := s.sendPayment(mira, "p-sent")
	refused(inFile(account, append(slices.Clone(paths), sent.ID)), "1 payment is no longer waiting")

	b.post(paths[1]+"/sent", url.Values{"sent": {""}}).to(paths[1])
	refused(inFile(account, paths), "1 payment is no longer waiting")
	b.post("/payments/together", inFile(account, paths[:1])).status(http.StatusOK)

	s.exec(`UPDATE account SET holder = '' WHERE id = $1`, account)
	b.get("/payments/together").has("A file needs the IBAN and the holder of your account").lacks("Download the file")
	b.post("/payments/together", inFile(account, paths[:1])).status(http.StatusNotFound)
}

// When the bank books the payments of a file as one total, the booking closes all of them. Their open pages say so, and the booking names them. When two
// bookings fit, Florin takes neither: the person chooses one for all of the payments.
func TestOneTotalOfAFile(t *testing.T) {
	t.Parallel()
	s, b, mira, account := paySite(t)
	later := time.Now().UTC().AddDate(0, 0, 30).Format(time.DateOnly)
	paths := []string{b.hand(ownApp(account, "text0", "first")), b.hand(ownApp(account, "amount", "7", "text0", "second")),
		b.hand(ownApp(account, "amount", "0.70", "text0", "of another day", "when", "date", "date", later))}
	b.get("/payments/together").has("Florin recognises a total by its amount")
	nobody := func(reference, amount string) openbanking.Transaction {
		d := debit(reference, amount, "", "", 0)
		d.Creditor, d.CreditorAccount = nil, nil
		return withText(d, reference)
	}
	s.books(nobody("before the file", "19.30"))
	b.post("/payments/together", inFile(account, paths, "total", "on")).status(http.StatusOK)
	stream := b.listen("/events?view=payment&payment=" + strings.TrimPrefix(paths[1], "/payments/"))
	stream.until("Handed to you")
	s.books(nobody("cent off", "19.31"), nobody("with what is for another day", "20.00"), nobody("right", "19.30"))
	stream.until("reload")
	for _, path := range paths[:2] {
		b.get(path).has("Your bank booked this payment and the others of its file as one total.", "−19.30", "Seen in the booking").lacks("I have sent it")
	}
	b.get(paths[2]).has("I have sent it").lacks("as one total.")
	rows, err := s.store.PaymentBookings(t.Context(), mira.ID, strings.TrimPrefix(paths[0], "/payments/"))
	must(t, err)
	if len(rows) != 1 || rows[0].Transaction.Remittance != "right" {
		t.Fatalf("%+v", rows)
	}
	b.get("/accounts/"+account+"/transactions/"+strconv.FormatInt(rows[0].BookingID, 10)).has("Your bank booked one total for 2 payments that you sent in one file:", paths[0], paths[1]).lacks(paths[2])

	paths = []string{b.hand(ownApp(account, "amount", "2", "text0", "fourth")), b.hand(ownApp(account, "amount", "3", "text0", "fifth"))}
	b.post("/payments/together", inFile(account, paths, "total", "on")).status(http.StatusOK)
	s.books(nobody("one", "5.00"), nobody("other", "5.00"))
	page := b.get(paths[0]).has("Is it one of these?", "as the total of 2 payments in one file", "I have sent it").lacks("as one total.")
	choices := regexp.MustCompile(`name="booking" value="([0-9]+)"`).FindAllStringSubmatch(page.body, -1)
	if len(choices) != 2 {
		t.Fatalf("%d bookings are offered", len(choices))
	}
	b.post(paths[0]+"/booking", url.Values{"booking": {choices[1][1]}}).status(http.StatusSeeOther)
	for range 2 { // the choice is kept
		s.resync()
		for _, path := range paths {
			b.get(path).has("Your bank booked this payment and the others of its file as one total.", "/transactions/"+choices[1][1]+`"`).lacks("Is it one of these?")
		}
	}
}
