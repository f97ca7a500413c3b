package handlers_test

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/store"
)

// bulkSite is a site whose bank takes many payments at once from an account of mira's, in EUR.
func bulkSite(t *testing.T) (s *site, b *browser, mira finance.User, account string) {
	t.Helper()
	s = newSite(t)
	yes := true
	s.service.banks[2].Payments = []openbanking.ResponsePaymentType{{PaymentType: openbanking.PaymentTypeBulkSEPA, PSUType: openbanking.PSUTypePersonal, Currencies: []string{"EUR"}, MaxTransactions: ptr(3),
		DebtorAccountRequired: &yes, CreditorNameRequired: &yes, FinalSuccessfulStatuses: []openbanking.PaymentStatus{"ACSC"}, RequestedExecutionDateSupported: &yes, RequestedExecutionDateMaxPeriod: ptr(365)}}
	mira = s.user("mira@example.org")
	b = s.signedIn("mira@example.org")
	b.link()
	accounts, err := s.store.Accounts(t.Context(), mira.ID)
	must(t, err)
	for _, a := range accounts {
		if a.Currency == "EUR" {
			account = a.ID
		}
	}
	return s, b, mira, account
}

// bulk sends the form with a pasted text, and a file unless it is "".
func (b *browser) bulk(account, key, text, file string) *answer {
	b.site.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for name, value := range map[string]string{"form": key, "account": account, "retry": "", "text": text} {
		must(b.site.t, form.WriteField(name, value))
	}
	part, err := form.CreateFormFile("file", "payments.csv")
	must(b.site.t, err)
	_, err = part.Write([]byte(file))
	must(b.site.t, err)
	must(b.site.t, form.Close())
	r := b.request(http.MethodPost, "/pay/bulk", &body)
	r.Header.Set("Content-Type", form.FormDataContentType())
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return b.do(r)
}

var formKeyField = regexp.MustCompile(`name="form" value="([^"]+)"`)

func (a *answer) formKey() string {
	a.t.Helper()
	m := formKeyField.FindStringSubmatch(a.body)
	if m == nil {
		a.t.Fatalf("the page has no form key\n%s", a.words())
	}
	return m[1]
}

const goodCSV = "name;iban;amount;text\nACME GmbH;DE89 3704 0044 0532 0130 00;12,50;Invoice 1\nChaussures Martin;FR1420041010050500013M02606;80,00;Invoice 2\n"

// A good file becomes one draft, pasted or uploaded, and the same form sent twice is the same draft.
func TestBulkBecomesADraft(t *testing.T) {
	t.Parallel()
	s, b, mira, account := bulkSite(t)
	for _, way := range []struct{ name, text, file string }{{"pasted", goodCSV, ""}, {"uploaded", "", "\ufeff" + goodCSV}} {
		page := b.get("/pay/bulk?account="+account).status(http.StatusOK).has("Pay many at once", "no money moves", "at most 3 payments")
		key := page.formKey()
		to := b.bulk(account, key, way.text, way.file).status(http.StatusSeeOther).Header.Get("Location")
		b.bulk(account, key, way.text, way.file).to(to)
		id, ok := strings.CutSuffix(strings.TrimPrefix(to, "/payments/"), "/review")
		if !ok {
			t.Fatalf("%s: leads to %s", way.name, to)
		}
		draft, err := s.store.Payment(t.Context(), mira.ID, id)
		must(t, err)
		transfers, err := s.store.PaymentTransfers(t.Context(), mira.ID, id)
		must(t, err)
		if draft.Phase != finance.PhaseDraft || draft.Total.String() != "92.50" || draft.Order.Type != openbanking.PaymentTypeBulkSEPA || draft.Order.Request.DebtorAccount == nil ||
			len(transfers) != 2 || transfers[1].Payee != "Chaussures Martin" || transfers[0].Account.Number != numberACME {
			t.Errorf("%s: draft %+v with %+v", way.name, draft, transfers)
		}
		b.get("/pay/bulk?draft="+id).status(http.StatusOK).has("ACME GmbH,DE89370400440532013000,12.50,EUR,Invoice 1", key)
	}
}

// What is wrong is said line by line, by the rules of all payments and of the bank, and nothing is lost.
func TestBulkSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	s, b, mira, account := bulkSite(t)
	const head = "name,iban,amount\n"
	good := "ACME,DE89370400440532013000,1.00\n"
	for _, c := range []struct {
		name, text string
		says       []string
	}{
		{"nothing", "", []string{"The file holds no payment."}},
		{"no columns", "ACME\n1\n", []string{"The first line must name the columns"}},
		{"quotes", "name,iban,amount\n\"ACME,DE,1\n", []string{"quotation marks"}},
		{"not UTF-8", "name,iban,amount\n\xff\xfe,DE,1\n", []string{"not written in UTF-8"}},
		{"an entity bomb", `<!DOCTYPE x [<!ENTITY a "b">]><Document>&a;</Document>`, []string{"document type"}},
		{"one row of two", head + good + "Jo,DE8937040044053201300,2\n", []string{"1 of 2 payments has to be mended", "22 characters; this one has 21", "Line 3", "In order"}},
		{"an amount of nothing", head + "Jo,DE89370400440532013000,0\n", []string{"above zero"}},
		{"three decimals", head + "Jo,DE89370400440532013000,1.234\n", []string{"Line 2"}},
		{"a currency that the bank does not take", "name,iban,amount,currency\nJo,DE89370400440532013000,1,USD\n", []string{"The currency"}},
		{"too many", head + good + good + good + good, []string{"has 4 payments; the bank takes at most 3"}},
		{"two dates", "name,iban,amount,date\nJo,DE89370400440532013000,1,2030-01-02\nJo,DE89370400440532013000,1,2030-01-03\n", []string{"The date"}},
		{"markup", head + "<b>Jo</b>,x,1\n", []string{"&lt;b&gt;Jo&lt;/b&gt;"}},
		{"pain.001 that pays from elsewhere", fmt.Sprintf(painFile, "FR1420041010050500013M02606"), []string{"The file pays from FR14 2004"}},
	} {
		key := b.get("/pay/bulk?account=" + account).formKey()
		b.bulk(account, key, c.text, "").status(http.StatusUnprocessableEntity).has(c.says...).has(key)
	}
	page, _, err := s.store.Payments(t.Context(), mira.ID, store.PaymentFilter{Drafts: true}, 10)
	must(t, err)
	if len(page) != 0 {
		t.Errorf("%d drafts were made", len(page))
	}
	key := b.get("/pay/bulk?account=" + account).formKey()
	b.bulk(account, key, "", fmt.Sprintf(painFile, "DE89370400440532013000")).status(http.StatusSeeOther)
	b.bulk(account, "no key", goodCSV, "").status(http.StatusBadRequest)
	b.bulk(account, key, strings.Repeat("x", 2<<20), strings.Repeat("x", 2<<20)).status(http.StatusRequestEntityTooLarge)
	b.post("/pay/bulk", url.Values{"form": {finance.NewID()}, "account": {account}, "text": {strings.Repeat("x", 1<<20+1)}}).status(http.StatusUnprocessableEntity).has("1024 KiB")
}

const painFile = `<?xml version="1.0" encoding="UTF-8"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09"><CstmrCdtTrfInitn><GrpHdr><NbOfTxs>1</NbOfTxs><CtrlSum>7.00</CtrlSum></GrpHdr>
<PmtInf><DbtrAcct><Id><IBAN>%s</IBAN></Id></DbtrAcct><CdtTrfTxInf><PmtId><EndToEndId>E1</EndToEndId></PmtId><Amt><InstdAmt Ccy="EUR">7.00</InstdAmt></Amt>
<Cdtr><Nm>ACME</Nm></Cdtr><CdtrAcct><Id><IBAN>FR1420041010050500013M02606</IBAN></Id></CdtrAcct></CdtTrfTxInf></PmtInf></CstmrCdtTrfInitn></Document>`

// Accounts whose bank takes no bulk are listed with the reason, and those of others are not found.
func TestBulkIsForAccountsThatCan(t *testing.T) {
	t.Parallel()
	s, b, _, account := bulkSite(t)
	s.user("eve@example.org")
	b.get("/pay/bulk").status(http.StatusOK).has("Pay many at once", "Girokonto")
	eve := s.signedIn("eve@example.org")
	eve.get("/pay/bulk").status(http.StatusOK).has("No account can pay many at once").lacks("Girokonto")
	eve.get("/pay/bulk?account=" + account).status(http.StatusNotFound)
	eve.bulk(account, finance.NewID(), goodCSV, "").status(http.StatusNotFound)
}
