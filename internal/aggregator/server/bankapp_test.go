package server_test

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"florin/internal/aggregator/sandbox"
	"florin/internal/contract/walk"
	"florin/internal/openbanking"
)

const seebrueckeApp = "/banks/de/seebruecke-bank/app"

// theApp opens the page that stands for the app of Seebrücke Bank, and signs a person in where the browser is not yet.
func (s *service) theApp(b *walk.Browser, who walk.Person) *walk.Page {
	s.t.Helper()
	page := open(s.t, b, s.url+seebrueckeApp)
	if _, in := page.Form("/app/check"); in {
		return page
	}
	return submit(s.t, b, page, "/app/sign-in", url.Values{"username": {who.Username}, "password": {who.Password}, "code": {who.Code}})
}

// onFriday is a service whose clock stands on a Friday, with a customer of Seebrücke Bank and a current account of hers.
func onFriday(t *testing.T) (s *service, lena walk.Person, account openAccount) {
	t.Helper()
	s = run(t, "Ledger", "")
	s.clock.Stop()
	s.at(friday)
	lena = s.anybody(redirectBank, "")
	return s, lena, s.opened(redirectBank, lena, openbanking.CashAccountTypeCACC)
}

// shows complains about texts that are not on a page.
func shows(t *testing.T, page *walk.Page, status int, texts ...string) {
	t.Helper()
	if page.Status != status {
		t.Fatalf("%s is answered %d %q, want %d", page.URL.Path, page.Status, page.Title, status)
	}
	for _, text := range texts {
		if !strings.Contains(page.Body, text) {
			t.Errorf("the page %q does not say %q", page.Title, text)
		}
	}
}

// A customer pastes a code or a link at the bank, looks at it and approves: it is in the ledger once, however often the form comes, and no other
// customer sees it.
func TestPayInTheBanksApp(t *testing.T) {
	s, lena, account := onFriday(t)
	b := walk.New(nil)
	for name, paste := range map[string]string{
		"the code": "BCD\r\n002\r\n1\r\nSCT\r\n\r\nMueller + Soehne\r\nDE02120300000000202051\r\nEUR12.30\r\n\r\n\r\nthe code",
		"the link": "payto://iban/DE02120300000000202051?amount=EUR:12.30&receiver-name=Mueller%20%2B%20Soehne&message=the%20link",
	} {
		t.Run(name, func(t *testing.T) {
			defer s.during(t)()
			form := s.theApp(b, lena)
			shows(t, form, 200, "Lena Albrecht")
			check := submit(t, b, form, "/app/check", url.Values{"text": {paste}})
			shows(t, check, 200, "12.30", "Mueller + Soehne", "DE02 1203 0000 0000 2020 51", name, "Simulated")
			standing := account.watch(name)
			approve, _ := check.Form("/app/approve")
			done := must[*walk.Page](t)(b.Submit(t.Context(), approve, nil))
			shows(t, done, 200, "The bank has your order", "The bank carries out 1 payment.")
			again := must[*walk.Page](t)(b.Submit(t.Context(), approve, nil))
			if again.URL.String() != done.URL.String() {
				t.Errorf("the form leads to %s, sent again to %s", done.URL, again.URL)
			}
			s.clock.Advance(12 * time.Second)
			if now := standing(); now.rows != "BOOK" || now.booked != -12_30 {
				t.Errorf("the ledger has %+v", now)
			}
			rows := account.mentions(name)
			if to := rows[0].CreditorAccount; to == nil || to.IBAN == nil || *to.IBAN != "DE02120300000000202051" {
				t.Errorf("the payee's account is %+v", to)
			}
			other := walk.New(nil)
			s.theApp(other, walk.Person{Username: "tom", Password: "anker-31", Code: "314159"})
			if page := open(t, other, done.URL.String()); page.Status != 404 {
				t.Errorf("another customer sees %d %q", page.Status, page.Title)
			}
		})
	}
}

// pain is a pain.001 of an account with transfers of amounts to accounts, in turns.
func pain(id, debtor string, pairs ...string) string {
	var transfers strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		fmt.Fprintf(&transfers, `<CdtTrfTxInf><PmtId><EndToEndId>%s-%d</EndToEndId></PmtId><Amt><InstdAmt Ccy="EUR">%s</InstdAmt></Amt><Cdtr><Nm>Payee %d</Nm></Cdtr>`+
			`<CdtrAcct><Id><IBAN>%s</IBAN></Id></CdtrAcct><RmtInf><Ustrd>%s</Ustrd></RmtInf></CdtTrfTxInf>`, id, i/2+1, pairs[i], i/2+1, pairs[i+1], id)
	}
	return fmt.Sprintf(`<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09"><CstmrCdtTrfInitn><GrpHdr><MsgId>%s</MsgId><NbOfTxs>%d</NbOfTxs></GrpHdr><PmtInf><DbtrAcct><Id><IBAN>%s</IBAN></Id></DbtrAcct>%s</PmtInf></CstmrCdtTrfInitn></Document>`,
		id, len(pairs)/2, debtor, &transfers)
}

// Of the payments of a file the bank books those that it takes, says of the others why not, and takes no file twice.
func TestFileInTheBanksApp(t *testing.T) {
	s, lena, account := onFriday(t)
	standing := account.watch("M-1")
	b := walk.New(nil)
	upload := func(file string) *walk.Page {
		t.Helper()
		form, ok := s.theApp(b, lena).Form("/app/check")
		if !ok {
			t.Fatal("there is no form")
		}
		return must[*walk.Page](t)(b.Upload(t.Context(), form, nil, "file", "payments.xml", []byte(file)))
	}
	file := pain("M-1", account.number, "10.00", "DE02120300000000202051", "20.00", "DE02120300000000202052", "900000.00", "DE02120300000000202051",
		"3.50", "DE02120300000000202051")
	check := upload(file)
	shows(t, check, 200, "3 payments", "Payment 2: The IBAN is wrong.", "DE02120300000000202052")
	shows(t, submit(t, b, check, "/app/approve", nil), 200, "The bank carries out 2 payments.", "The payment to Payee 3 was refused: There is too little money in the account.")
	s.clock.Advance(12 * time.Second)
	if now := standing(); now.rows != "BOOKBOOK" || now.booked != -13_50 {
		t.Errorf("the ledger has %+v", now)
	}
	shows(t, upload(file), 422, "The bank has had this file before")

	refused := upload(pain("M-2", account.number, "1.00", "DE02120300000000202052"))
	shows(t, refused, 200, "Nothing is left that the bank could send.")
	if _, ok := refused.Form("/app/approve"); ok {
		t.Error("nothing can be approved")
	}
	foreign := upload(pain("M-3", "DE02120300000000202051", "1.00", "DE02120300000000202051"))
	shows(t, foreign, 200, "You have no account that this payment could go from.")
	form, _ := check.Form("/app/approve")
	forged := url.Values{"text": {pain("M-3", "DE02120300000000202051", "1.00", "DE02120300000000202051")}}
	shows(t, must[*walk.Page](t)(b.Submit(t.Context(), form, forged)), 422, "You have no account that this payment could go from.")
	if len(account.mentions("M-3")) != 0 {
		t.Error("it pays from another's account")
	}
}

// Where a file asks for it, the bank books one total for a group of payments, which names nobody: what it refuses is left out, and the only one that is left of
// a group is booked as itself. The other groups are booked payment by payment.
func TestTotalInTheBanksApp(t *testing.T) {
	s, lena, account := onFriday(t)
	const outside, wrong = "DE02120300000000202051", "DE02120300000000202052"
	group := func(id, batch string, pairs ...string) string {
		file := pain(id, account.number, pairs...)
		file = file[strings.Index(file, "<PmtInf>"):strings.Index(file, "</CstmrCdtTrfInitn>")]
		return strings.Replace(file, "<PmtInf>", "<PmtInf><PmtInfId>"+id+"</PmtInfId><BtchBookg>"+batch+"</BtchBookg>", 1)
	}
	groups := group("SUM-1", "true", "10.00", outside, "20.00", wrong, "900000.00", outside, "3.50", outside) + group("SUM-2", "true", "900000.00", outside, "4.00", outside) +
		group("SINGLE", "false", "1.00", outside, "2.00", outside)
	file := `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.03"><CstmrCdtTrfInitn><GrpHdr><MsgId>T-1</MsgId><NbOfTxs>8</NbOfTxs></GrpHdr>` + groups +
		"</CstmrCdtTrfInitn></Document>"
	before := account.balance(openbanking.BalanceStatusCLBD)
	b := walk.New(nil)
	form, _ := s.theApp(b, lena).Form("/app/check")
	check := must[*walk.Page](t)(b.Upload(t.Context(), form, nil, "file", "payments.xml", []byte(file)))
	shows(t, check, 200, "7 payments", "One total for each group of payments in the file")
	shows(t, submit(t, b, check, "/app/approve", nil), 200, "The bank carries out 5 payments.")
	s.clock.Advance(12 * time.Second)
	for text, want := range map[string]string{"SUM-1": "13.50 DBIT BOOK to nobody", "SUM-2": "4.00 DBIT BOOK to Payee 2",
		"SINGLE": "2.00 DBIT BOOK to Payee 2, 1.00 DBIT BOOK to Payee 1"} {
		var got []string
		for _, row := range account.mentions(text) {
			to := "nobody"
			if row.Creditor != nil {
				to = *row.Creditor.Name
			}
			if (to == "nobody") != (row.CreditorAccount == nil) {
				t.Errorf("%s: a name without an account, or the other way round", text)
			}
			got = append(got, fmt.Sprintf("%s %s %s to %s", row.TransactionAmount.Amount, row.CreditDebitIndicator, row.Status, to))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s is booked as %q, want %q", text, got, want)
		}
	}
	if rows := account.mentions("SUM-1"); len(rows) == 1 && rows[0].RemittanceInformation[0] != "2 transfers" {
		t.Errorf("the total says %q", rows[0].RemittanceInformation)
	}
	if moved := account.balance(openbanking.BalanceStatusCLBD) - before; moved != -20_50 {
		t.Errorf("the balance moved by %d", moved)
	}
}

// A file of as many payments as the bank takes is shown, approved and booked: the page shows some of them and keeps the rest together. One payment more, and
// the bank says how many it takes.
func TestLargeFileInTheBanksApp(t *testing.T) {
	s, lena, account := onFriday(t)
	b := walk.New(nil)
	upload := func(n int) *walk.Page {
		t.Helper()
		var pairs []string
		for range n {
			pairs = append(pairs, "0.02", "DE02120300000000202051")
		}
		form, ok := s.theApp(b, lena).Form("/app/check")
		if !ok {
			t.Fatal("there is no form")
		}
		return must[*walk.Page](t)(b.Upload(t.Context(), form, nil, "file", "payments.xml", []byte(pain("L-"+strconv.Itoa(n), account.number, pairs...))))
	}
	for _, n := range []int{sandbox.MaxTransfers + 1, 2000} {
		shows(t, upload(n), 422, "The file contains more than 1,000 payments.")
	}
	standing := account.watch("L-1000")
	check := upload(sandbox.MaxTransfers)
	shows(t, check, 200, "1,000 payments", "20.00", "And 990 more", "Payee 1000")
	shows(t, submit(t, b, check, "/app/approve", nil), 200, "The bank carries out 1,000 payments.")
	s.clock.Advance(12 * time.Second)
	if now := standing(); now.rows != strings.Repeat("BOOK", 1000) || now.booked != -20_00 {
		t.Errorf("the ledger has %d rows, %d", len(now.rows)/4, now.booked)
	}

	refused := upload(sandbox.MaxTransfers - 1)
	form, _ := refused.Form("/app/approve")
	text := strings.ReplaceAll(form.Fields.Get("text"), ">0.02<", ">900000<")
	shows(t, must[*walk.Page](t)(b.Submit(t.Context(), form, url.Values{"text": {text}})), 200, "The bank refused your order", "And 989 more", "Payee 999")
}

// What the bank cannot read it says, and keeps what was typed. Without a sign-in it takes nothing.
func TestBadInputInTheBanksApp(t *testing.T) {
	s := run(t, "Ledger", "")
	b := walk.New(nil)
	lena := s.anybody(redirectBank, "")
	form := s.theApp(b, lena)
	for text, want := range map[string]string{
		"":                             "Paste the text of a code or a link",
		"<b>Hello</b>":                 "The file cannot be read.",
		"Hello":                        "This is not a payment.",
		"BCD 002 1 SCT":                "The payment code is damaged.",
		"payto://x/y":                  "The payment link is damaged.",
		strings.Repeat("a", 70_000):    "This is not a payment.",
		strings.Repeat("a", 1_000_001): "larger than 1 MB",
		strings.Repeat("€", 1_000_000): "larger than 1 MB",
	} {
		page := submit(t, b, form, "/app/check", url.Values{"text": {text}})
		if !strings.Contains(page.Body, want) || page.Status != 422 && page.Status != 413 {
			t.Errorf("%.20q is answered %d %q", text, page.Status, page.Title)
		}
		if again, ok := page.Form("/app/check"); page.Status == 422 && (!ok || again.Fields.Get("text") != text) {
			t.Errorf("%.20q is lost", text)
		}
	}
	german := walk.New(preferring("de"))
	shows(t, submit(t, german, s.theApp(german, lena), "/app/check", url.Values{"text": {"Hallo"}}), 422, "Das ist keine Zahlung.")

	shows(t, submit(t, walk.New(nil), form, "/app/check", url.Values{"text": {"x"}}), 200, "Sign in to pay")
	shows(t, submit(t, walk.New(nil), form, "/app/check", url.Values{"text": {strings.Repeat("a", 200_000)}}), 200, "Sign in to pay")
	s.clock.Advance(16 * time.Minute)
	shows(t, submit(t, b, form, "/app/check", url.Values{"text": {"x"}}), 200, "Sign in to pay")
	shows(t, open(t, b, s.url+seebrueckeApp+"/approve"), 200, "Sign in to pay")
	if page := open(t, b, s.url+"/banks/de/seebruecke-bank/"); !strings.Contains(strings.Join(page.Links, " "), s.url+seebrueckeApp) {
		t.Error("the front page of the bank does not lead to its app")
	}
}
