package main

import (
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/store"
	"florin/internal/testkit"
	"florin/web/templates/paths"
)

// largestFile is how many payments Florin puts into one file.
const largestFile = 500

// The largest file that Florin writes goes to the bank as people send it: it is downloaded, uploaded at the bank, checked and approved. The bank books each
// payment. Florin finds each booking by its text, although many have the same amount and the same payee.
func TestLargestFileInTheBanksApp(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	f, p := linked(t, "--sandbox-pace", "10ms")
	p.prepare(f, largestFile)
	p.visit(f.web + paths.PaymentsFile)
	form, ok := p.page.Form(paths.PaymentsFile)
	if !ok || len(form.Offers["payment"]) != largestFile {
		t.Fatalf("%d payments are offered", len(form.Offers["payment"]))
	}
	file := p.send(paths.PaymentsFile, url.Values{"payment": form.Offers["payment"]}).Body
	if n := strings.Count(file, "<CdtTrfTxInf>"); n != largestFile {
		t.Fatalf("%d payments are in the file:\n%.2000s", n, file)
	}

	p.visit(f.service + "/banks/de/seebruecke-bank/app")
	p.send("/app/sign-in", url.Values{"username": {exampleCustomer.Username}, "password": {exampleCustomer.Password}, "code": {exampleCustomer.Code}})
	form, _ = p.page.Form("/app/check")
	before := time.Now()
	p.at(p.browser.Upload(t.Context(), form, nil, "file", "payments.xml", []byte(file)))
	p.sees(http.StatusOK, "500 payments", "And 490 more")
	checked, page := time.Since(before), len(p.page.Body)
	p.send("/app/approve", nil)
	p.sees(http.StatusOK, "The bank carries out 500 payments.")
	t.Logf("%d bytes: looked at after %v, with a page of %d bytes; approved after %v", len(file), checked, page, time.Since(before))

	p.visit(f.web + "/")
	p.send(paths.Refresh, nil)
	db := f.database()
	defer db.Close()
	booked := 0
	for end := time.Now().Add(lasts); booked < largestFile && time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if err := db.QueryRow(`SELECT count(*) FROM payment WHERE final = 1 AND status = 'ACSC'`).Scan(&booked); err != nil {
			t.Fatal(err)
		}
	}
	if booked != largestFile {
		t.Errorf("Florin found the bookings of %d of %d payments", booked, largestFile)
	}
}

// prepare makes payments that wait to be sent in the app of the bank. Many have the same amount; each has a text of its own. It writes to the database what a
// person would do on the pages one payment at a time.
func (p *person) prepare(f *florin, n int) {
	p.t.Helper()
	ctx := p.t.Context()
	key := must(store.LoadKey(filepath.Join(f.folder, "secrets")))
	s := must(store.Open(ctx, filepath.Join(f.folder, "app.db"), key))
	defer s.Close()
	user, _, err := s.UserByEmail(ctx, p.email)
	if err != nil {
		p.t.Fatal(err)
	}
	var from finance.Account
	for _, a := range must(s.Accounts(ctx, user.ID)) {
		if a.Details == "Hauptkonto" {
			from = a
		}
	}
	connection := must(s.Connection(ctx, user.ID, from.ConnectionID))
	wire := finance.AccountNumber(from).Wire()
	for i := range n {
		name := fmt.Sprintf("Payee %d", i)
		o := finance.PaymentOrder{ProviderID: connection.ProviderID, ASPSP: connection.ASPSP, PSUType: connection.PSUType, Type: finance.ByOwnApp,
			AccountID: from.ID}
		o.Request.DebtorAccount = &wire
		o.Request.CreditTransferTransaction = []openbanking.CreditTransferTransaction{{
			InstructedAmount: openbanking.AmountType{Amount: fmt.Sprintf("0.%d", 10+i%7), Currency: "EUR"},
			Beneficiary: openbanking.Beneficiary{
				Creditor: &openbanking.PartyIdentification{Name: &name},
				CreditorAccount: openbanking.GenericIdentification{Identification: strings.ReplaceAll(outside(i%40), " ", ""),
					SchemeName: openbanking.SchemeNameIBAN},
			},
			RemittanceInformation: []string{fmt.Sprintf("Invoice %04d of the year", i)},
		}}
		draft := must(s.SaveDraft(ctx, user.ID, fmt.Sprint("form", i), o, ""))
		must(s.HandOver(ctx, user.ID, draft.ID, func(finance.Payment, []finance.PastTransfer, []finance.Payee) error { return nil }))
	}
}
