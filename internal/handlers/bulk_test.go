package handlers_test

import (
	"bytes"
	"fmt"
	"html"
	"mime/multipart"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/encoding/charmap"

	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/paymentfile"
	"florin/internal/store"
)

// bulkSite is a site whose bank takes many payments at once from an account of mira's, in EUR.
func bulkSite(t *testing.T) (s *site, b *browser, mira finance.User, account string) {
	t.Helper()
	s = newSite(t)
	yes := true
	s.service.banks[2].Payments = []openbanking.ResponsePaymentType{{PaymentType: openbanking.PaymentTypeBulkSEPA, PSUType: openbanking.PSUTypePersonal,
		Currencies: []string{"EUR"}, MaxTransactions: new(3),
		DebtorAccountRequired: &yes, CreditorNameRequired: &yes, FinalSuccessfulStatuses: []openbanking.PaymentStatus{"ACSC"},
		RequestedExecutionDateSupported: &yes, RequestedExecutionDateMaxPeriod: new(365)}}
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

// bulk sends the form with a pasted text, and a file unless it is "", and more fields by pairs of name and value.
func (b *browser) bulk(account, key, text, file string, more ...string) *answer {
	b.site.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for name, value := range map[string]string{"form": key, "account": account, "retry": "", "text": text} {
		must(b.site.t, form.WriteField(name, value))
	}
	for i := 0; i < len(more); i += 2 {
		must(b.site.t, form.WriteField(more[i], more[i+1]))
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

// shown are the fields of the form that the page carries along, as pairs, and agreement to everything.
func (a *answer) shown() (pairs []string) {
	for _, name := range []string{"shown", "alphabet", "charges", "priority"} {
		if m := regexp.MustCompile(`name="` + name + `" value="([^"]*)"`).FindStringSubmatch(a.body); m != nil {
			pairs = append(pairs, name, m[1])
		}
	}
	return pairs
}

func (a *answer) agreed() (pairs []string) {
	for _, m := range regexp.MustCompile(`name="agree" value="([^"]+)"`).FindAllStringSubmatch(a.body, -1) {
		pairs = append(pairs, "agree", m[1])
	}
	return pairs
}

// area is the text in the form.
func (a *answer) area() string {
	m := regexp.MustCompile(`(?s)<textarea[^>]*>(.*?)</textarea>`).FindStringSubmatch(a.body)
	if m == nil {
		a.t.Fatal("the page has no text")
	}
	return html.UnescapeString(m[1])
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

const numberACMEGrouped = "DE89 3704 0044 0532 0130 00"

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
		if draft.Phase != finance.PhaseDraft || draft.Total.String() != "92.50" || draft.Order.Type != openbanking.PaymentTypeBulkSEPA ||
			draft.Order.Request.DebtorAccount == nil ||
			len(transfers) != 2 || transfers[1].Payee != "Chaussures Martin" || transfers[0].Account.Number != numberACME {
			t.Errorf("%s: draft %+v with %+v", way.name, draft, transfers)
		}
		b.get("/pay/bulk?draft="+id).status(http.StatusOK).has("ACME GmbH,DE89370400440532013000,12.50,EUR,Invoice 1", key)
	}
}

// Only failed payments are offered again: none of a bulk that was carried out in full, all of one that was rejected, and the failed ones of a mixed one.
func TestBulkRetry(t *testing.T) {
	t.Parallel()
	s, b, _, account := bulkSite(t)
	pay := func() (path, retry string) {
		to := b.bulk(account, finance.NewID(), goodCSV, "").status(http.StatusSeeOther).Header.Get("Location")
		path = strings.TrimSuffix(to, "/review")
		b.post(path+"/confirm", b.get(to).confirmation()).to(path + "/leave")
		return path, "/pay/bulk?retry=" + strings.TrimPrefix(path, "/payments/")
	}
	becomes := func(n int, status openbanking.PaymentStatus, final bool, single ...openbanking.PaymentStatus) {
		s.service.becomes(n, status, final, "")
		s.service.Lock()
		defer s.service.Unlock()
		p := s.service.payments["pay-"+strconv.Itoa(n)]
		for i, one := range single {
			p.PaymentDetails.CreditTransferTransaction[i].TransactionStatus = &one
		}
	}
	const nothing = "There is nothing to pay again"
	path, retry := pay()
	b.get(retry).status(http.StatusNotFound).has(nothing) // under way
	becomes(1, "ACSC", true, "ACSC", "ACSC")
	b.check(path)
	b.get(retry).status(http.StatusNotFound).has(nothing, `href="`+path+`"`)
	b.get(strings.Replace(retry, "/pay/bulk", "/pay", 1)).to(retry)
	b.get(path).lacks("Try again", retry)

	path, retry = pay()
	becomes(2, "RJCT", true)
	b.check(path)
	b.get(retry).status(http.StatusOK).has("that were not made.", "ACME GmbH", "Chaussures Martin")

	path, retry = pay()
	becomes(3, "PART", false, "ACSC", "RJCT")
	b.check(path)
	b.get(retry).status(http.StatusNotFound).has(nothing) // the others may still fail
	becomes(3, "PART", true)
	b.check(path)
	b.get(path).has(retry)
	b.get(retry).status(http.StatusOK).has("Chaussures Martin").lacks("ACME GmbH")
}

// A file can name a day for each payment: they go as one payment, and the review, the button and the page say so.
func TestBulkWithADayForEach(t *testing.T) {
	t.Parallel()
	_, b, _, account := bulkSite(t)
	first, last := time.Now().UTC().AddDate(0, 0, 30), time.Now().UTC().AddDate(0, 0, 40)
	text := fmt.Sprintf("name,iban,amount,date\nACME,DE89370400440532013000,1,%s\nChaussures Martin,FR1420041010050500013M02606,2,%s\n",
		first.Format(time.DateOnly), last.Format(time.DateOnly))
	page := b.get("/pay/bulk?account=" + account)
	saved := b.bulk(account, page.formKey(), text, "").status(http.StatusSeeOther)
	b.get(saved.Header.Get("Location")).status(http.StatusOK).has("On 2 different days, the last on "+last.Format("Monday, 2 January 2006"),
		"On "+first.Format("2 January 2006"), "On "+last.Format("2 January 2006"),
		"Confirm 2 payments, 3.00 EUR, on 2 different days, the last on "+last.Format("Monday, 2 January 2006"))
}

// Problems are listed line by line, by the rules of all payments and by those of the bank. Nothing that was sent is lost.
func TestBulkSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	s, b, mira, account := bulkSite(t)
	const head = "name,iban,amount\n"
	good := "ACME,DE89370400440532013000,1.00\n"
	for _, c := range []struct {
		name, text string
		says       []string
	}{
		{"nothing", "", []string{"The file has no payment in it."}},
		{"no columns", "ACME\n1\n", []string{"The first line must name the columns"}},
		{"quotes", "name,iban,amount\n\"ACME,DE,1\n", []string{"quotation marks"}},
		{"not UTF-8", "name,iban,amount\n\xff\xfe,DE,1\n", []string{"not written in UTF-8: see line 2"}},
		{"an entity bomb", `<!DOCTYPE x [<!ENTITY a "b">]><Document>&a;</Document>`, []string{"document type"}},
		{"one row of two", head + good + "Jo,DE8937040044053201300,2\n",
			[]string{"1 of 2 payments needs to be corrected", "22 characters; this one has 21", "Line 3", "Payments without problems"}},
		{"an amount of nothing", head + "Jo,DE89370400440532013000,0\n", []string{"more than zero"}},
		{"three decimals", head + "Jo,DE89370400440532013000,1.234\n", []string{"Line 2"}},
		{"a currency that the bank does not take", "name,iban,amount,currency\nJo,DE89370400440532013000,1,USD\n", []string{"The currency"}},
		{"too many", head + good + good + good + good,
			[]string{"The file contains 4 payments. Your bank accepts at most 3 at once. Split the file into smaller ones."}},
		{"a day that is over", "name,iban,amount,date\nJo,DE89370400440532013000,1,2020-01-02\nJo,DE89370400440532013000,1,\n",
			[]string{"Line 2", "The day is in the past"}},
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
	b.bulk(account, key, strings.Repeat("x", 2<<20),
		strings.Repeat("x", 2<<20)).status(http.StatusRequestEntityTooLarge).has("A file with payments may have 1,024 KiB at most.",
		"Split it into smaller files", "Pay many at once")
	b.post("/pay/bulk", url.Values{"form": {finance.NewID()}, "account": {account},
		"text": {strings.Repeat("x", 1<<20+1)}}).status(http.StatusUnprocessableEntity).has("1,024 KiB")
	b.languages = "de"
	b.post("/pay/bulk", url.Values{"form": {finance.NewID()}, "account": {account},
		"text": {head + good + "Jo,DE8937040044053201300,2\n"}}).status(http.StatusUnprocessableEntity).
		has("Diese Zahlungen sind noch nicht möglich", "1 von 2 Zahlungen muss korrigiert werden", "Zeile 3",
			"Eine IBAN, die mit DE beginnt (Deutschland), hat 22 Zeichen; diese hat 21.")
}

const painFile = `<?xml version="1.0" encoding="UTF-8"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09"><CstmrCdtTrfInitn><GrpHdr><NbOfTxs>1</NbOfTxs><CtrlSum>7.00</CtrlSum></GrpHdr>
<PmtInf><DbtrAcct><Id><IBAN>%s</IBAN></Id></DbtrAcct><CdtTrfTxInf><PmtId><EndToEndId>E1</EndToEndId></PmtId><Amt><InstdAmt Ccy="EUR">7.00</InstdAmt></Amt>
<Cdtr><Nm>ACME</Nm></Cdtr><CdtrAcct><Id><IBAN>FR1420041010050500013M02606</IBAN></Id></CdtrAcct></CdtTrfTxInf></PmtInf></CstmrCdtTrfInitn></Document>`

// Only accounts whose bank takes bulk payments are offered. An account of somebody else is not found.
func TestBulkIsForAccountsThatCan(t *testing.T) {
	t.Parallel()
	s, b, _, account := bulkSite(t)
	s.user("eve@example.org")
	b.get("/pay/bulk").status(http.StatusOK).has("Pay many at once", "Girokonto")
	eve := s.signedIn("eve@example.org")
	eve.get("/pay/bulk").status(http.StatusOK).has("None of your accounts takes bulk payments").lacks("Girokonto")
	eve.get("/pay/bulk?account=" + account).status(http.StatusNotFound)
	eve.bulk(account, finance.NewID(), goodCSV, "").status(http.StatusNotFound)
}

// Florin asks first about rows that are in a file twice. The answer applies only to these rows.
func TestBulkAsksAboutEqualRows(t *testing.T) {
	t.Parallel()
	_, b, _, account := bulkSite(t)
	const row = "ACME GmbH;DE89 3704 0044 0532 0130 00;12,50;Invoice 1\n"
	file := "name;iban;amount;text\n" + row + "Chaussures Martin;FR1420041010050500013M02606;80,00;Invoice 2\n" + row
	key := b.get("/pay/bulk?account=" + account).formKey()
	asked := b.bulk(account, key, "", file).status(http.StatusUnprocessableEntity).
		has("Check this before you continue", "12.50 EUR to ACME GmbH, 2 times", "Lines 2 and 4 are the same: name, account, amount and text.",
			"Yes, pay 2 times", `name="agree"`, `105<span class="cents">.00`, `form="bulk"`).lacks("checked", "To correct")
	b.bulk(account, key, asked.area(), "", asked.shown()...).status(http.StatusUnprocessableEntity).has("Check this before you continue")
	other := strings.Replace(asked.area(), "12,50", "12,51", 2)
	again := b.bulk(account, key, other, "", append(asked.shown(),
		asked.agreed()...)...).status(http.StatusUnprocessableEntity).has("12.51 EUR to ACME GmbH, 2 times").lacks("checked")
	again = b.bulk(account, key, strings.Replace(again.area(), "FR1420041010050500013M02606", "FR14", 1), "",
		append(again.shown(), again.agreed()...)...).status(http.StatusUnprocessableEntity).has("checked", "To correct")
	b.bulk(account, key, strings.Replace(again.area(), "FR14;", "FR1420041010050500013M02606;", 1), "",
		append(again.shown(), again.agreed()...)...).status(http.StatusSeeOther)

	texts := strings.Replace(file, "Invoice 1\n", "Invoice 9\n", 1)
	b.bulk(account, finance.NewID(), texts, "").status(http.StatusUnprocessableEntity).has("12.50 EUR to DE89 3704 0044 0532 0130 00, 2 times",
		"Lines 2 and 4 have the same account and amount", "name or text differ")
}

// Florin asks about each payment of a bulk that equals a payment made within a day.
func TestBulkAsksAboutEarlierPayments(t *testing.T) {
	t.Parallel()
	_, b, _, account := bulkSite(t)
	page := b.get("/pay/bulk?account=" + account)
	first := strings.TrimSuffix(b.bulk(account, page.formKey(), goodCSV, "").status(http.StatusSeeOther).Header.Get("Location"), "/review")
	b.post(first+"/confirm", b.get(first+"/review").confirmation()).to(first + "/leave")
	more := strings.Replace(goodCSV, "80,00", "81,00", 1)
	second := b.bulk(account, finance.NewID(), more, "").status(http.StatusSeeOther).Header.Get("Location")
	b.get(second).has("You started a payment of 12.50 EUR to ACME GmbH ", "Start another one?", `href="`+first+`"`,
		"Yes, send it again").lacks("You began to pay 81")
	form := b.get(second).confirmation()
	form.Del("agree")
	b.post(strings.TrimSuffix(second, "/review")+"/confirm", form).status(http.StatusUnprocessableEntity).has("Please read the warnings below")
}

// New payees of a bulk share one checkbox, and agreeing applies only to these payees.
func TestBulkAsksAboutNewPayeesTogether(t *testing.T) {
	t.Parallel()
	s, b, _, account := bulkSite(t)
	path := strings.TrimSuffix(b.bulk(account, finance.NewID(), strings.Replace(goodCSV, numberACMEGrouped, "AT61 1904 3002 3457 3201", 1),
		"").status(http.StatusSeeOther).Header.Get("Location"), "/review")
	review := b.get(path+"/review").has("2 payments go to new payees",
		"You have not paid these accounts from Florin before: ACME GmbH and Chaussures Martin.", "I have compared these accounts")
	form := review.confirmation()
	if len(form["agree"]) != 1 {
		t.Fatalf("%d boxes", len(form["agree"]))
	}
	box := form["agree"]
	form.Set("agree", box[0]+"x")
	b.post(path+"/confirm", form).status(http.StatusUnprocessableEntity).has("Please read the warnings below")
	form["agree"], form["password"] = box, []string{"wrong"}
	b.post(path+"/confirm", form).status(http.StatusUnprocessableEntity).has("checked")
	form.Set("password", password)
	b.post(path+"/confirm", form).to(path + "/leave")
	if n := len(s.service.sent()); n != 1 {
		t.Errorf("%d payments were sent", n)
	}
}

// A file in another encoding is read. Florin asks whether guessed letters are right, and never decodes the text of the page again.
func TestBulkAlphabets(t *testing.T) {
	t.Parallel()
	s, b, mira, account := bulkSite(t)
	csv, err := charmap.Windows1252.NewEncoder().String("Empfänger;IBAN;Betrag\nMüller GmbH;DE89 3704 0044 0532 0130 00;12,50\n")
	must(t, err)
	key := b.get("/pay/bulk?account=" + account).formKey()
	asked := b.bulk(account, key, "", csv).status(http.StatusUnprocessableEntity).has("Do the letters look right?", "read it as Western European",
		"Yes, every letter is right", "Müller GmbH")
	if !strings.Contains(asked.area(), "Müller GmbH") {
		t.Errorf("the text of the page is %q", asked.area())
	}
	b.bulk(account, key, asked.area(), "", asked.shown()...).status(http.StatusUnprocessableEntity).has("Do the letters look right?")
	b.bulk(account, key, asked.area(), "", append(asked.shown(), asked.agreed()...)...).status(http.StatusSeeOther)
	b.bulk(account, key, asked.area(), "name;iban;amount\nA;FR1420041010050500013M02606;1\n", asked.shown()...).status(http.StatusSeeOther)

	latin, err := charmap.ISO8859_1.NewEncoder().String(strings.NewReplacer("UTF-8", "ISO-8859-1", "ACME", "Bäcker", "FR1420041010050500013M02606",
		"FR14").Replace(fmt.Sprintf(painFile, numberACME)))
	must(t, err)
	key = finance.NewID()
	wrong := b.bulk(account, key, "", latin).status(http.StatusUnprocessableEntity).has("An IBAN that begins with FR (France) has 27 characters", "Bäcker")
	to := b.bulk(account, key, strings.Replace(wrong.area(), "FR14", "FR1420041010050500013M02606", 1), "",
		wrong.shown()...).status(http.StatusSeeOther).Header.Get("Location")
	transfers, err := s.store.PaymentTransfers(t.Context(), mira.ID, strings.Split(to, "/")[2])
	must(t, err)
	if transfers[0].Payee != "Bäcker" {
		t.Errorf("paid to %q", transfers[0].Payee)
	}
}

// When a file is refused, the typed text stays and the page says what to do.
func TestBulkLosesNothing(t *testing.T) {
	t.Parallel()
	_, b, _, account := bulkSite(t)
	for _, c := range []struct{ name, file, says string }{
		{"another file", goodCSV, "You chose a file and also changed the text below."},
		{"a workbook", "PK\x03\x04\x14", "Save as"},
		{"a large file", strings.Repeat("x", 1<<20+1), "larger than 1,024 KiB. Split it into smaller files."},
	} {
		typed := "name;iban;amount\nMy own work;DE89370400440532013000;1\n"
		a := b.bulk(account, finance.NewID(), typed, c.file, "shown", "").status(http.StatusUnprocessableEntity)
		if c.name != "another file" { // sent again with the text that the page showed
			a = b.bulk(account, finance.NewID(), typed, c.file, a.shown()...).status(http.StatusUnprocessableEntity)
		}
		a.has(`id="file-problem"`, c.says, `aria-describedby="file-problem file-hint"`, "what you typed is still there")
		if a.area() != typed {
			t.Errorf("%s: %q is left", c.name, a.area())
		}
	}
}

// A pain.001 is accepted with its charge bearer and its priority, as far as the bank takes them. The page names what the bank does not take.
func TestBulkTakesWhatThePain001Says(t *testing.T) {
	t.Parallel()
	s, b, mira, account := bulkSite(t)
	head := func(elements string) string {
		return strings.Replace(fmt.Sprintf(painFile, numberACME), "<PmtInf>", "<PmtInf>"+elements, 1)
	}
	to := b.bulk(account, finance.NewID(), "",
		head("<BtchBookg>true</BtchBookg><PmtTpInf><InstrPrty>HIGH</InstrPrty></PmtTpInf><ChrgBr>SLEV</ChrgBr>")).status(http.StatusSeeOther).Header.Get("Location")
	b.get(to).has("your bank books them as usual", "asks for the priority HIGH, which your bank does not offer here", "By the payment rules")
	id := strings.Split(to, "/")[2]
	draft, err := s.store.Payment(t.Context(), mira.ID, id)
	must(t, err)
	if c := draft.Order.Request.ChargeBearer; c == nil || *c != "SLEV" || draft.Order.Request.PaymentTypeInformation != nil {
		t.Errorf("%+v", draft.Order.Request.PaymentInformation)
	}
	changed := b.get("/pay/bulk?draft="+id).status(http.StatusOK).has("end_to_end_id", "E1")
	b.bulk(account, changed.formKey(), changed.area(), "", changed.shown()...).to(to)
	if again, err := s.store.Payment(t.Context(), mira.ID, id); err != nil || again.Order.ReviewHash() != draft.Order.ReviewHash() {
		t.Errorf("the draft changed by being looked at: %+v, %v", again.Order.Request, err)
	}
	b.bulk(account, finance.NewID(), "",
		head("<ChrgBr>DEBT</ChrgBr>")).status(http.StatusUnprocessableEntity).has("The choice of who pays the charges is not possible for this kind of payment. Your bank accepts: SLEV. Change it in the file (ChrgBr), or take it out.")
	b.bulk(account, finance.NewID(), "", strings.Replace(head(""), ">1<", ">2<",
		1)).status(http.StatusUnprocessableEntity).has("The file states 2 payments (NbOfTxs), but contains 1.")
}

// The example beside the form is in the reader's language, and Florin can read it as a file.
func TestBulkExampleIsReadInEachLanguage(t *testing.T) {
	t.Parallel()
	_, b, _, account := bulkSite(t)
	for language, columns := range map[string]string{"en": "name;iban;amount;text", "de": "Name;IBAN;Betrag;Verwendungszweck"} {
		b.languages = language
		form := b.get("/pay/bulk?account=" + account)
		found := regexp.MustCompile(`(?s)<pre class="terminal"[^>]*>(.*?)</pre>`).FindStringSubmatch(form.body)
		if found == nil || !strings.HasPrefix(found[1], columns+"\n") {
			t.Fatalf("%s: the example is %q", language, found)
		}
		file, err := paymentfile.Parse(html.UnescapeString(found[1]), "EUR")
		if err != nil || len(file.Rows) != 2 || len(file.Rows[0].Faults)+len(file.Rows[1].Faults) > 0 {
			t.Errorf("%s: read as %+v, %v", language, file, err)
			continue
		}
		if got := file.Rows[0].Transfer.InstructedAmount.Amount + " " + file.Rows[1].Transfer.InstructedAmount.Amount; got != "12.50 80.00" {
			t.Errorf("%s: the amounts are %s", language, got)
		}
	}
}
