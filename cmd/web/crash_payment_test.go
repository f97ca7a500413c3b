package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"florin/internal/aggregator"
	"florin/internal/contract"
	"florin/internal/contract/walk"
	"florin/internal/openbanking"
	"florin/internal/testkit"
)

// shop is an application that takes payments from a Florin that is killed again and again. Its own receiver of webhooks fails now and then.
type shop struct {
	t     *testing.T
	app   *application
	inbox *contract.Receiver
	hook  string        // the address of the receiver
	happy chan struct{} // once closed, the receiver accepts everything at once
	pokes chan struct{} // receives an element when something happens while somebody waits for it

	mu        sync.Mutex
	dice      *rand.Rand
	purchases []*purchase
	shown     map[string][]openbanking.PaymentStatus // by payment: the statuses that GET has shown
}

// purchase is a payment that somebody makes.
type purchase struct {
	number int
	bank   openbanking.ASPSP
	psu    openbanking.PSUType
	kind   openbanking.PaymentType
	method string
	person walk.Person
	from   string   // IBAN; empty: chosen at the bank
	to     []string // IBAN of the payee of each transaction
	amount string   // of each transaction

	id, start string
}

// text is the unique text of the payment's transaction.
func (p *purchase) text(item int) string { return fmt.Sprintf("Purchase %d item %d", p.number, item) }

// draw returns a random number below n.
func (s *shop) draw(n int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dice.IntN(n)
}

// poke wakes a goroutine that waits for an event.
func (s *shop) poke() {
	select {
	case s.pokes <- struct{}{}:
	default:
	}
}

// moment waits until the time to kill Florin: a random time, or right after something happens.
func (s *shop) moment() {
	if s.draw(3) == 0 {
		time.Sleep(time.Duration(s.draw(500)) * time.Millisecond)
		return
	}
	for range 1 + s.draw(40) {
		select {
		case <-s.pokes:
		case <-time.After(time.Second):
		}
	}
	time.Sleep(time.Duration(s.draw(4000)) * time.Microsecond)
}

// receive accepts webhooks, or fails: before it has stored one, or after that.
func (s *shop) receive(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return // the sender was killed meanwhile
	}
	s.poke()
	deed := s.draw(10)
	select {
	case <-s.happy:
		deed = -1
	default:
	}
	if deed == 0 {
		panic(http.ErrAbortHandler) // the receiver has stored nothing
	}
	r = r.WithContext(context.WithoutCancel(r.Context()))
	r.Body = io.NopCloser(bytes.NewReader(text))
	s.inbox.ServeHTTP(httptest.NewRecorder(), r)
	s.poke()
	switch deed {
	case 1:
		panic(http.ErrAbortHandler) // the receiver has stored the event, but the sender gets no answer
	case 2:
		w.WriteHeader(http.StatusInternalServerError)
	case 3:
		time.Sleep(time.Duration(s.draw(1500)) * time.Millisecond)
	}
}

// certificates is a receiver's cache of the certificates that it has fetched.
type certificates struct {
	next http.RoundTripper
	mu   sync.Mutex
	kept map[string][]byte
}

func (c *certificates) RoundTrip(r *http.Request) (*http.Response, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	text, known := c.kept[r.URL.String()]
	if !known {
		answer, err := c.next.RoundTrip(r)
		if err != nil {
			return nil, err
		}
		defer answer.Body.Close()
		if text, err = io.ReadAll(answer.Body); err != nil {
			return nil, err
		}
		if answer.StatusCode == http.StatusOK {
			c.kept[r.URL.String()] = text
		}
	}
	recorded := httptest.NewRecorder()
	_, _ = recorded.Write(text)
	return recorded.Result(), nil
}

// soon is the time between two tries of somebody who waits.
const soon = 30 * time.Millisecond

// RoundTrip acts like people and programs that use a service that is sometimes unavailable: they wait, send the same request again, or begin again elsewhere.
// Sometimes they press a button twice.
func (s *shop) RoundTrip(r *http.Request) (*http.Response, error) {
	send := func() (*http.Response, error) {
		again := r.Clone(r.Context())
		if r.GetBody != nil {
			body, err := r.GetBody()
			if err != nil {
				return nil, err
			}
			again.Body = body
		}
		s.poke()
		defer s.poke()
		return http.DefaultTransport.RoundTrip(again)
	}
	if r.Method == http.MethodPost && s.draw(8) == 0 {
		var both sync.WaitGroup
		defer both.Wait()
		both.Go(func() {
			if answer, err := send(); err == nil {
				_ = answer.Body.Close()
			}
		})
	}
	for {
		answer, err := send()
		if err == nil || r.Context().Err() != nil || s.draw(3) == 0 {
			return answer, err
		}
		time.Sleep(soon)
	}
}

// ask sends a request to the API until it is answered, which must be with status 200.
func (s *shop) ask(method, path string, body, into any) error {
	content, err := json.Marshal(body)
	if err != nil {
		return err
	}
	token, err := s.app.token()
	if err != nil {
		return err
	}
	client := http.Client{Transport: s}
	for end := time.Now().Add(patience); ; time.Sleep(soon) {
		request, err := http.NewRequest(method, s.app.base+path, bytes.NewReader(content))
		if err != nil {
			return err
		}
		request.Header.Set("Authorization", "Bearer "+token)
		request.Header.Set("Content-Type", "application/json")
		status, text, err := answerOf(client.Do(request))
		switch {
		case err == nil && status != http.StatusOK:
			return fmt.Errorf("%s %s answered %d: %s", method, path, status, text)
		case err == nil:
			return json.Unmarshal(text, into)
		case time.Now().After(end):
			return fmt.Errorf("%s %s is not answered: %w", method, path, err)
		}
	}
}

func answerOf(answer *http.Response, err error) (status int, text []byte, _ error) {
	if err != nil {
		return 0, nil, err
	}
	defer answer.Body.Close()
	text, err = io.ReadAll(answer.Body)
	return answer.StatusCode, text, err
}

// order creates a payment.
func (s *shop) order(p *purchase) error {
	request := openbanking.CreatePaymentRequest{
		PaymentType: p.kind, ASPSP: p.bank, State: "our-state", RedirectURL: redirectURL, PSUType: p.psu, WebhookURL: &s.hook,
	}
	if p.method != "" {
		request.AuthMethod = &p.method
	}
	if p.from != "" {
		request.PaymentRequest.DebtorAccount = &openbanking.GenericIdentification{Identification: p.from, SchemeName: openbanking.SchemeNameIBAN}
	}
	name := "Verein Lindenhof"
	for item, number := range p.to {
		request.PaymentRequest.CreditTransferTransaction = append(request.PaymentRequest.CreditTransferTransaction, openbanking.CreditTransferTransaction{
			InstructedAmount: openbanking.AmountType{Currency: "EUR", Amount: p.amount},
			Beneficiary: openbanking.Beneficiary{
				Creditor:        &openbanking.PartyIdentification{Name: &name},
				CreditorAccount: openbanking.GenericIdentification{Identification: number, SchemeName: openbanking.SchemeNameIBAN},
			},
			RemittanceInformation: []string{p.text(item)},
		})
	}
	var created openbanking.CreatePaymentResponse
	if err := s.ask("POST", "/payments", request, &created); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p.id, p.start = created.PaymentID, created.URL
	s.purchases = append(s.purchases, p)
	return nil
}

// look reads a payment, and notes the status that it shows.
func (s *shop) look(id string) (openbanking.Payment, error) {
	var read openbanking.Payment
	err := s.ask("GET", "/payments/"+id, nil, &read)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil && !slices.Contains(s.shown[id], read.Status) {
		s.shown[id] = append(s.shown[id], read.Status)
	}
	return read, err
}

// pay orders a payment and pays it on the hosted pages. Whenever something interrupts it, it checks whether the payment was approved, and begins again if it
// was not.
func (s *shop) pay(p *purchase) error {
	if err := s.order(p); err != nil {
		return err
	}
	browser := walk.New(s)
	for end := time.Now().Add(patience); ; {
		back, stopped := browser.Pay(context.Background(), p.start, p.person)
		read, err := s.look(p.id)
		approved := read.PaymentDetails.Debtor != nil // the order named no debtor, so it is known only after an approval
		switch {
		case err != nil:
			return err
		case read.Status == openbanking.PaymentStatusCNCL:
			return errors.New("nobody has cancelled it, but it is CNCL")
		case stopped == nil && (back.Query().Get("state") != "our-state" || back.Query().Has("error")):
			return fmt.Errorf("the browser came back with %s", back.RawQuery)
		case stopped == nil && !approved:
			return errors.New("the browser came back, but the payment is not approved")
		case approved:
			return nil
		case time.Now().After(end):
			return fmt.Errorf("it cannot be paid: %w", stopped)
		}
	}
}

// watch reads payments, several at the same time, until over is closed.
func (s *shop) watch(over <-chan struct{}) {
	for {
		select {
		case <-over:
			return
		case <-time.After(soon):
		}
		s.mu.Lock()
		purchases := slices.Clone(s.purchases)
		s.mu.Unlock()
		if len(purchases) == 0 {
			continue
		}
		id := purchases[s.draw(len(purchases))].id
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				if _, err := s.look(id); err != nil {
					s.t.Error(err)
				}
			})
		}
		all.Wait()
	}
}

// ledger opens the database of the service.
func (f *florin) ledger() *sql.DB {
	f.t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(f.folder, "aggregator.db")+"?_pragma=busy_timeout(10000)")
	if err != nil {
		f.t.Fatal(err)
	}
	return db
}

// rest makes a database look as if some time had passed since its process was killed: retries are due.
func (f *florin) rest() {
	f.t.Helper()
	db := f.ledger()
	defer db.Close()
	for _, statement := range []string{
		`UPDATE payment SET due = '2001-01-01T00:00:00.000Z' WHERE due IS NOT NULL`,
		`UPDATE webhook SET due = '2001-01-01T00:00:00.000Z' WHERE due IS NOT NULL`,
	} {
		if _, err := db.Exec(statement); err != nil {
			f.t.Fatal(err)
		}
	}
}

// event is a row of the table webhook.
type event struct {
	id, body  string
	status    openbanking.PaymentStatus
	sequence  int
	delivered bool
}

// stored is what the database of the service contains about a payment.
type stored struct {
	id             string
	status         openbanking.PaymentStatus
	auth           openbanking.PaymentAuthStatus
	final          bool
	orders, events int // orders: those that the bank has accepted
	told           []event
}

// payments reads all payments, and fails when a bank has an order that belongs to none of them.
func (f *florin) payments() map[string]stored {
	f.t.Helper()
	db := f.ledger()
	defer db.Close()
	found := map[string]stored{}
	read := func(query string, row func(scan func(...any) error) error) {
		f.t.Helper()
		rows, err := db.Query(query)
		if err != nil {
			f.t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			if err := row(rows.Scan); err != nil {
				f.t.Fatal(err)
			}
		}
		if err := rows.Err(); err != nil {
			f.t.Fatal(err)
		}
	}
	read(`SELECT payment_id, status, auth_status, final, events FROM payment`, func(scan func(...any) error) error {
		var p stored
		err := scan(&p.id, &p.status, &p.auth, &p.final, &p.events)
		found[p.id] = p
		return err
	})
	read(`SELECT order_id FROM bank_payment`, func(scan func(...any) error) error {
		var id string
		err := scan(&id)
		p, known := found[id]
		if !known {
			f.t.Errorf("a bank has the order %s, and the service no such payment", id)
		}
		p.orders++
		found[id] = p
		return err
	})
	read(`SELECT payment_id, webhook_id, body, status, sequence, delivered IS NOT NULL FROM webhook ORDER BY payment_id, sequence`,
		func(scan func(...any) error) error {
			var id string
			var e event
			err := scan(&id, &e.id, &e.body, &e.status, &e.sequence, &e.delivered)
			p := found[id]
			p.told = append(p.told, e)
			found[id] = p
			return err
		})
	return found
}

// settled reports whether every payment is final and all its webhooks were delivered.
func (s *shop) settled(f *florin) bool {
	rows := f.payments()
	for _, p := range s.purchases {
		if row := rows[p.id]; !row.final || slices.ContainsFunc(row.told, func(e event) bool { return !e.delivered }) {
			return false
		}
	}
	return true
}

// checkEvents compares the events of a payment with the webhooks that arrived and with the statuses that GET has shown.
func (s *shop) checkEvents(p *purchase, row stored, arrived []contract.Delivery) {
	s.t.Helper()
	var first []string // webhook_ids, in the order in which they arrived for the first time
	came := map[string]string{}
	for _, d := range arrived {
		if d.Event.PaymentID != p.id {
			continue
		}
		if _, again := came[d.Event.WebhookID]; !again {
			came[d.Event.WebhookID] = d.Body
			first = append(first, d.Event.WebhookID)
		}
		if came[d.Event.WebhookID] != d.Body {
			s.t.Errorf("%d: %s came as %s, and as %s", p.number, d.Event.WebhookID, came[d.Event.WebhookID], d.Body)
		}
	}
	var written []string
	had := []openbanking.PaymentStatus{openbanking.PaymentStatusPDNG}
	for i, e := range row.told {
		written = append(written, e.id)
		switch {
		case e.sequence != i+1 || !e.delivered || came[e.id] != e.body:
			s.t.Errorf("%d: event %d is number %d, delivered %v, written %s, arrived %s", p.number, i+1, e.sequence, e.delivered, e.body, came[e.id])
		case !aggregator.PaymentMove(had[i], e.status):
			s.t.Errorf("%d: %s follows %s", p.number, e.status, had[i])
		}
		had = append(had, e.status)
	}
	if !slices.Equal(first, written) {
		s.t.Errorf("%d: webhooks arrived first in the order %v, want %v", p.number, first, written)
	}
	if last := had[len(had)-1]; last != row.status || row.events != len(row.told) || len(written) == 0 {
		s.t.Errorf("%d: it is %s after %d changes, but the webhooks reported %v", p.number, row.status, row.events, had)
	}
	for _, status := range s.shown[p.id] {
		if !slices.Contains(had, status) {
			s.t.Errorf("%d: GET has shown %s, but the webhooks reported %v", p.number, status, had)
		}
	}
}

// TestKilledWhilePaying repeatedly kills Florin while people pay and a receiver of webhooks sometimes fails. At whatever moment it is killed: every payment
// becomes final and is executed once, and every change of its status arrives with the same webhook_id and body each time, and first in the order of the
// payment (spec: Events).
func TestKilledWhilePaying(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Crashes)
	const kills, people = 14, 4
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	folder := t.TempDir()
	settings := []string{
		"--listen", freeAddress(t), "--service-listen", freeAddress(t), "--service-tls-listen", freeAddress(t), "--service-rate-limit", "0", "--sandbox-pace",
		"400ms",
	}
	f := launch(t, folder, settings...)
	s := &shop{
		t: t, happy: make(chan struct{}), pokes: make(chan struct{}),
		dice: rand.New(rand.NewPCG(seed, 0)), shown: map[string][]openbanking.PaymentStatus{},
	}
	web := httptest.NewServer(http.HandlerFunc(s.receive))
	defer web.Close()
	s.app, s.hook = addApplicationNamed(t, f, "Shop", "--webhook-origin", web.URL), web.URL+"/hook"
	s.inbox = &contract.Receiver{Domain: "localhost", Client: &http.Client{Transport: &certificates{next: trusting(t, f), kept: map[string][]byte{}}}}
	s.app.ask("GET", "/application", nil, &s.inbox.Application)

	// The banks at which payments are made, and whose accounts show the result at the end.
	const outside = "DE89370400440532013000" // at no simulated bank
	type teller struct {
		bank openbanking.ASPSP
		psu  openbanking.PSUType
		user string
	}
	personal, business := openbanking.PSUTypePersonal, openbanking.PSUTypeBusiness
	tellers := []teller{
		{openbanking.ASPSP{Name: "Seebrücke Bank", Country: "DE"}, personal, "lena"},
		{openbanking.ASPSP{Name: "Molenwiek Sparen", Country: "NL"}, personal, "noor"},
		{openbanking.ASPSP{Name: "Lindwurm Direkt", Country: "DE"}, personal, "felix"},
		{openbanking.ASPSP{Name: "Mock ASPSP", Country: "DE"}, personal, ""},
		{openbanking.ASPSP{Name: "Cassa Appennina", Country: "IT"}, business, "officina"},
	}
	var books []openbanking.AccountResource
	var customers []walk.Person
	var numbers []string // of a current account of each
	for _, at := range tellers {
		var person walk.Person
		if at.user != "" {
			person = s.app.sample(at.bank, at.user)
		}
		number := ""
		for _, account := range s.app.linkAs(at.bank, at.psu, person).Accounts {
			if account.UID == nil {
				continue
			}
			books = append(books, account)
			if number == "" && account.CashAccountType == openbanking.CashAccountTypeCACC && account.AccountID != nil && account.AccountID.IBAN != nil {
				number = *account.AccountID.IBAN
			}
		}
		person.Despite = true
		customers, numbers = append(customers, person), append(numbers, number)
	}
	var todo []*purchase
	buy := func(times, where int, change func(*purchase)) {
		for range times {
			p := &purchase{
				number: len(todo), bank: tellers[where].bank, psu: tellers[where].psu, person: customers[where], kind: openbanking.PaymentTypeSEPA,
				to: []string{outside}, amount: "1.23",
			}
			if change != nil {
				change(p)
			}
			todo = append(todo, p)
		}
	}
	buy(4, 3, nil)                                               // no credentials
	buy(4, 0, func(p *purchase) { p.to = []string{numbers[2]} }) // redirect, to another simulated bank
	buy(3, 0, func(p *purchase) { p.kind = openbanking.PaymentTypeInstSEPA })
	buy(1, 0, func(p *purchase) { p.amount = "900000.00" })  // more than there is
	buy(4, 1, nil)                                           // decoupled
	buy(4, 2, func(p *purchase) { p.method = "direct" })     // embedded
	buy(1, 2, func(p *purchase) { p.person.Method = "app" }) // a choice of methods
	buy(3, 4, func(p *purchase) {                            // several at once, one of which is rejected
		p.kind, p.from, p.to = openbanking.PaymentTypeBulkSEPA, numbers[4], []string{outside, "DE42990100100000000001", outside}
	})

	// The first payment makes Florin create the certificate of the webhooks, which takes a while. The kills begin after it.
	if err := s.pay(todo[0]); err != nil {
		t.Fatal(err)
	}
	within, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, err := s.inbox.Await(within, func(arrived []contract.Delivery) bool { return len(arrived) > 0 }); err != nil {
		t.Fatalf("no webhook arrives: %v\n%s", err, f.err.tail())
	}
	queue := make(chan *purchase, len(todo))
	over := make(chan struct{})
	var payers, watchers sync.WaitGroup
	var unpaid atomic.Int32
	for range people {
		payers.Go(func() {
			for p := range queue {
				if err := s.pay(p); err != nil {
					t.Errorf("purchase %d at %s (%s): %v", p.number, p.bank.Name, p.id, err)
				}
				unpaid.Add(-1)
			}
		})
	}
	for range 2 {
		watchers.Go(func() { s.watch(over) })
	}
	busy, next := 0, 1 // busy: kills while somebody paid
	for kill := range kills {
		for ; next < len(todo) && next <= (kill+1)*len(todo)/kills; next++ {
			unpaid.Add(1)
			queue <- todo[next]
		}
		s.moment()
		if unpaid.Load() > 0 {
			busy++
		}
		f.kill()
		f.noErrors()
		if kill%2 == 1 {
			f.rest()
		}
		f = launch(t, folder, settings...)
	}
	close(queue)
	payers.Wait()
	close(s.happy)
	f.kill()
	f.rest()
	f = launch(t, folder, settings...)
	for end := time.Now().Add(patience); !s.settled(f); time.Sleep(soon) {
		if time.Now().After(end) {
			t.Fatalf("the payments do not end\n%s", f.err.tail())
		}
	}
	close(over)
	watchers.Wait()

	// What the accounts show.
	amounts := map[string][]string{} // by text: debits and credits
	for _, account := range books {
		for _, row := range s.app.transactions(*account.UID) {
			for _, text := range row.RemittanceInformation {
				amounts[text] = append(amounts[text], string(row.CreditDebitIndicator)+" "+string(row.Status)+" "+row.TransactionAmount.Amount)
			}
		}
	}
	for _, p := range todo {
		read, err := s.look(p.id)
		if err != nil {
			t.Fatal(err)
		}
		rejected := 0
		for item, transaction := range read.PaymentDetails.CreditTransferTransaction {
			want := []string{"DBIT BOOK " + p.amount}
			if p.to[item] == numbers[2] {
				want = []string{"CRDT BOOK " + p.amount, "DBIT BOOK " + p.amount}
			}
			if *transaction.TransactionStatus == openbanking.PaymentStatusRJCT {
				want = nil
				rejected++
			}
			got := amounts[p.text(item)]
			if slices.Sort(got); !slices.Equal(got, want) {
				t.Errorf("%s at %s is %s, and on the accounts %q, want %q", p.text(item), p.bank.Name, *transaction.TransactionStatus, got, want)
			}
		}
		if expected := map[bool]int{true: 1}[p.amount != "1.23" || len(p.to) > 1]; !read.FinalStatus || rejected != expected {
			t.Errorf("%d at %s: %s, final %v, %d transactions rejected, want %d", p.number, p.bank.Name, read.Status, read.FinalStatus, rejected, expected)
		}
	}

	// Check what the webhooks reported.
	if err := f.end(); err != nil {
		t.Error("Florin ended with:", err)
	}
	f.noErrors()
	arrived, rows, events := s.inbox.Arrived(), f.payments(), 0
	for _, d := range arrived {
		if d.Problem != nil {
			t.Errorf("%s: %v", d.Body, d.Problem)
		}
	}
	for _, p := range todo {
		row := rows[p.id]
		if !row.final || row.auth != openbanking.PaymentAuthStatusFinalised || row.orders != 1 {
			t.Errorf("%d: %+v", p.number, row)
		}
		s.checkEvents(p, row, arrived)
		events += len(row.told)
		delete(rows, p.id)
	}
	for id, row := range rows { // the answer to POST was lost, so no application knows these payments
		if row.orders > 0 || len(row.told) > 0 {
			t.Errorf("%s, which no application knows: %+v", id, row)
		}
	}
	t.Logf("%d kills while people paid; %d events arrived in %d deliveries; %d payments that no application knows", busy, events, len(arrived), len(rows))
	if busy < 3 || len(arrived) <= events {
		t.Error("hardly anything was killed or repeated: that is no test")
	}
}

// trusting returns a transport that trusts the TLS listener of a Florin.
func trusting(t *testing.T, f *florin) http.RoundTripper {
	t.Helper()
	status, root, err := answerOf(http.Get(f.service + "/webhook-keys/ca.pem"))
	roots := x509.NewCertPool()
	if err != nil || status != http.StatusOK || !roots.AppendCertsFromPEM(root) {
		t.Fatalf("no certificate of the authority: %d %s, %v", status, root, err)
	}
	return &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, DisableKeepAlives: true}
}
