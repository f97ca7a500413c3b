package handlers_test

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
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

// Several payments that were prepared go to the bank in one file: a group for each day, with the payments' own ids. From then on each is handed over.
func TestSeveralPaymentsInOneFile(t *testing.T) {
	t.Parallel()
	s, b, mira, account := paySite(t)
	b.get("/payments/together").status(http.StatusOK).has("No payment waits to be sent").lacks("Download the file")
	b.get("/payments").lacks("Several in one file")
	later := time.Now().UTC().AddDate(0, 0, 30).Format(time.DateOnly)
	paths := []string{b.hand(ownApp(account, "text0", "first")), b.hand(ownApp(account, "amount", "0.70", "text0", "second", "when", "date", "date", later)),
		b.hand(ownApp(account, "amount", "7", "text0", "third"))}
	b.get("/payments").has("Several in one file")
	page := b.get("/payments/together").status(http.StatusOK).has("ACME GmbH", "Each payment by itself", "pain.001.001.03 (older)", "Florin keeps no copy").
		lacks("In a file already", " checked")
	if n := strings.Count(page.body, `name="payment"`); n != 3 {
		t.Fatalf("%d payments are offered", n)
	}

	ids := map[string]string{} // text by end-to-end id
	for _, path := range paths {
		p, err := s.store.Payment(t.Context(), mira.ID, strings.TrimPrefix(path, "/payments/"))
		must(t, err)
		if !p.Progress.Reached[finance.StepApproved].IsZero() {
			t.Fatal("it is handed over before")
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
	b.get("/payments/together").has("In a file already")
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

// What cannot be one file is refused with words, and none of its payments is touched.
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
	refused(inFile(account, append(slices.Clone(paths), sent.ID)), "1 payment does not wait any more")

	b.post(paths[1]+"/sent", url.Values{"sent": {""}}).to(paths[1])
	refused(inFile(account, paths), "1 payment does not wait any more")
	b.post("/payments/together", inFile(account, paths[:1])).status(http.StatusOK)

	s.exec(`UPDATE account SET holder = '' WHERE id = $1`, account)
	b.get("/payments/together").has("A file needs the IBAN and the holder of your account").lacks("Download the file")
	b.post("/payments/together", inFile(account, paths[:1])).status(http.StatusNotFound)
}
