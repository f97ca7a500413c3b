package handlers_test

import (
	"html"
	"image/png"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/makiuchi-d/gozxing"
	zxing "github.com/makiuchi-d/gozxing/qrcode"

	"florin/internal/finance"
	"florin/internal/paymentfile"
)

// Made up numbers of Swiss accounts; the QR-IBAN and its reference are those of the guidelines' examples.
const (
	bielIBAN = "CH9300762011623852957"
	bielQR   = "CH4431999123000889012"
	bielQRR  = "210000000003139471430009017"
)

// inFrancs is a form for a payment in francs that the person sends in the app of the bank.
func inFrancs(account string, changes ...string) url.Values {
	return ownApp(account, append([]string{"name", "Müller & Söhne AG", "number", bielIBAN, "amount", "49,75", "currency", "CHF", "street", "Rue du Lac 12",
		"post_code", "2501", "town", "Biel", "payee_country", "CH", "text0", "Rechnung März 7"}, changes...)...)
}

// francSite is a site whose user has an account in francs that no bank syncs.
func francSite(t *testing.T) (s *site, b *browser, mira finance.User, account string) {
	t.Helper()
	s, b, mira, _ = paySite(t)
	kept := b.created(url.Values{"source": {"manual"}, "name": {"Kantonalkonto"}, "type": {"CACC"}, "currency": {"chf"}, "amount": {"900,00"}, "day": {"2026-01-01"}})
	return s, b, mira, strings.TrimPrefix(kept, "/accounts/")
}

// A payment in francs: the form asks for the address, and the review says what is passed on. The page has a Swiss QR-bill with its cross, and no file and no
// link. An independent reader reads the code from the picture. The booking closes the payment, and a second payment like it gets a warning.
func TestPayInFrancs(t *testing.T) {
	t.Parallel()
	s, b, mira, account := francSite(t)
	b.get("/pay?account="+account).has("In francs or euros.", "Street and number (optional)", "Postcode", "Town", "Country of the payee", `value="CHF" selected`, "Kantonalkonto, CHF<")
	path := b.draft(inFrancs(account))
	b.get(path+"/review").status(http.StatusOK).has("Florin shows a Swiss QR-bill", "New payee", "49.75").lacks("plain letters only", "In the code, the address")
	b.post(path+"/confirm", b.get(path+"/review").confirmation()).to(path)
	b.get(path).status(http.StatusOK).has("Florin has sent nothing.", `class="qr"`, `class="qr-mark"`, "choose to scan a QR-bill", "Payable to", "Müller &amp; Söhne AG", "Rue du Lac 12",
		"2501 Biel", "Switzerland", "Additional information", "Rechnung März 7", "There is no file for payments in francs yet.").
		lacks("payto:", "GiroCode", "Download the file")
	b.get(path + "/file").status(http.StatusNotFound)

	picture, err := png.Decode(strings.NewReader(b.get(path + "/code.png").status(http.StatusOK).body))
	must(t, err)
	bitmap, err := gozxing.NewBinaryBitmapFromImage(picture)
	must(t, err)
	read, err := zxing.NewQRCodeReader().Decode(bitmap, nil)
	must(t, err)
	want := "SPC\n0200\n1\n" + bielIBAN + "\nS\nMüller & Söhne AG\nRue du Lac 12\n\n2501\nBiel\nCH\n\n\n\n\n\n\n\n49.75\nCHF\n\n\n\n\n\n\n\nNON\n\nRechnung März 7\nEPD"
	if read.GetText() != want {
		t.Fatalf("the picture holds %q, want %q", read.GetText(), want)
	}

	again := b.draft(inFrancs(account))
	b.get(again+"/review").has("You prepared a payment of", "If you send both, you pay twice.")
	b.post(again+"/discard", nil).to("/payments")
	items, err := s.store.Coming(t.Context(), mira.ID, time.Now(), 30)
	must(t, err)
	expected := 0
	for _, i := range items {
		if i.Payment == strings.TrimPrefix(path, "/payments/") && i.Amount.String() == "-49.75" && i.Amount.Currency() == "CHF" && i.Account == account {
			expected++
		}
	}
	if expected != 1 {
		t.Errorf("the forecast expects it %d times: %+v", expected, items)
	}
	b.get("/payments/together").has("1 payment in francs is not listed here: there is no file for it yet.", "There is no payment in euros to send").lacks("Müller", "Download the file")
	b.post("/payments/together", inFile(account, []string{path})).status(http.StatusNotFound)

	typed := url.Values{"direction": {"out"}, "amount": {"49.75"}, "day": {time.Now().UTC().Format(time.DateOnly)}, "payee": {"Müller & Söhne AG"}, "text": {"Rechnung März 7"}}
	b.post("/accounts/"+account+"/add", typed).to("/accounts/" + account)
	match := func() *answer {
		t.Helper()
		_, err := s.payments.Match(t.Context())
		must(t, err)
		return b.get(path)
	}
	match().has("Booked", `id="booked"`, "49.75").lacks(`class="qr"`)
	row := rowAddress.FindString(b.get("/accounts/" + account).body)
	typed.Set("amount", "49.57")
	b.post(row+"/edit", typed).to(row)
	match().lacks(`id="booked"`) // the changed amount does not fit
	typed.Set("amount", "49.75")
	b.post(row+"/edit", typed).to(row)
	match().has(`id="booked"`)
	b.post(row+"/delete", nil).to("/accounts/" + account)
	match().lacks(`id="booked"`)
	b.post("/accounts/"+account+"/add", typed).to("/accounts/" + account)
	match().has(`id="booked"`)

	b.post(path+"/payee", nil).status(http.StatusSeeOther)
	payees, err := s.store.Payees(t.Context(), mira.ID, "")
	must(t, err)
	if len(payees) == 0 {
		t.Fatal("the payee is not saved")
	}
	b.get("/pay?account="+account+"&payee="+payees[0].ID).has(`value="Rue du Lac 12"`, `value="2501"`, `value="Biel"`, `value="CH" selected`)
}

// What a Swiss QR-bill cannot hold is reported at its field. Payments in euros from the same account use the European code, without an address.
func TestFormForFrancs(t *testing.T) {
	t.Parallel()
	_, b, _, account := francSite(t)
	for _, c := range []struct{ field, value, want string }{
		{"name", "", "The name is missing"}, {"name", strings.Repeat("n", 71), "The name has 71 characters. At most 70 are possible."},
		{"number", frenchACME, "You can pay francs to accounts in Switzerland and Liechtenstein only."},
		{"number", bielQR, "A QR-IBAN goes with the reference of 27 digits"}, {"reference", bielQRR, "A QR-IBAN goes with the reference of 27 digits"},
		{"amount", "1000000000", "A payment code holds at most"}, {"amount", "0", "more than zero"},
		{"post_code", "", "The postcode is missing."}, {"post_code", strings.Repeat("1", 17), "The postcode has 17 characters. At most 16 are possible."},
		{"town", "", "The town is missing."}, {"town", strings.Repeat("t", 36), "The town has 36 characters. At most 35 are possible."},
		{"payee_country", "", "The country is missing."}, {"payee_country", "XX", "Choose a country from the list."},
		{"street", strings.Repeat("s", 71), "The street has 71 characters. At most 70 are possible."},
		{"text0", strings.Repeat("t", 141), "140"}, {"name", "...", "The name is missing"},
	} {
		b.post("/pay", inFrancs(account, c.field, c.value)).status(http.StatusUnprocessableEntity).has(c.want)
	}
	b.post("/pay", inFrancs(account, "reference", "KD-77", "text0", strings.Repeat("t", 139))).status(http.StatusUnprocessableEntity).has("Text and reference have more than 140")
	b.post("/pay", inFrancs(account, "name", strings.Repeat("щ", 70))).status(http.StatusUnprocessableEntity).has("In the letters of a payment code this has 210 characters.")
	b.draft(inFrancs(account, "street", ""))
	b.draft(inFrancs(account, "number", bielQR, "reference", "21 00000 00003 13947 14300 09017"))
	other := b.draft(inFrancs(account, "name", "Škoda", "town", "Ćuprija", "text0", "Größe 7 €"))
	b.get(other+"/review").has("In the code, the payee is “Skoda” and the text is “Größe 7 EUR”.", "In the code, the address is “Rue du Lac 12, 2501 Cuprija, CH”.")

	euros := b.hand(inFrancs(account, "currency", "EUR", "street", "", "post_code", "", "town", "", "payee_country", ""))
	b.get(euros).has("payto://iban/"+bielIBAN, "Payment code (EPC QR code, GiroCode)", "Mueller + Soehne AG").lacks("qr-mark", "QR-bill")
	b.post("/pay", inFrancs(account, "currency", "EUR", "number", bielQR)).status(http.StatusUnprocessableEntity).has("This account (QR-IBAN) takes payments by a Swiss QR-bill only.")
}

// A pasted Swiss QR-bill fills in the form with its address and its reference, for an account in francs. A bill in euros for a QR-IBAN is refused.
func TestPayASwissBill(t *testing.T) {
	t.Parallel()
	_, b, _, account := francSite(t)
	bill := strings.NewReplacer("EUR", "CHF", bielIBAN, bielQR, "NON\r\n", "QRR\r\n"+bielQRR).Replace(swissBill)
	page := b.post("/pay", url.Values{"paste": {bill}, "account": {account}}).status(http.StatusOK).has(`value="Biel AG"`, `value="49.75"`, `value="`+bielQRR+`"`,
		`value="Order 7"`, `value="Rue du Lac 1"`, `value="2501"`, `value="Biel"`, `value="CH" selected`, "In your bank’s app")
	if strings.Contains(page.body, "For you only") {
		t.Error("the text of the bill is left out")
	}
	path := b.hand(inFrancs(account, "number", bielQR, "reference", bielQRR, "text0", "Order 7"))
	b.get(path).has("21 00000 00003 13947 14300 09017", "CH44 3199 9123 0008 8901 2", "Order 7")
	euros := strings.Replace(bill, "CHF", "EUR", 1)
	b.post("/pay", url.Values{"paste": {euros}, "account": {account}}).status(http.StatusUnprocessableEntity).has("can only be paid within Switzerland (QR-IBAN)")
	text := strings.NewReplacer("EUR", "CHF", "NON\r\n", "SCOR\r\nRF18539007547034").Replace(swissBill)
	b.post("/pay", url.Values{"paste": {text}, "account": {account}}).status(http.StatusOK).has(`value="RF18539007547034"`, `value="Order 7"`)
	if v, err := paymentfile.ParseInvoice(text); err != nil || v.Text == "" {
		t.Errorf("%+v, %v", v, err)
	}
}

// The account is chosen in the same form. When an amount in francs is sent with an account in euros, it does not silently become an amount in euros: the form
// asks for the amount in euros, and then accepts it.
func TestFrancsNeverBecomeEuros(t *testing.T) {
	t.Parallel()
	s, b, mira, account := francSite(t)
	accounts, err := s.store.Accounts(t.Context(), mira.ID)
	must(t, err)
	var euros string
	for _, a := range accounts {
		if a.Currency == "EUR" {
			euros = a.ID
		}
	}
	bill := strings.Replace(swissBill, "EUR", "CHF", 1)
	page := b.post("/pay", url.Values{"paste": {bill}, "account": {account}}).status(http.StatusOK).has(`name="amount_in" value="CHF"`, `value="49.75"`)
	filled := func() url.Values {
		form := url.Values{"account": {euros}}
		for _, field := range regexp.MustCompile(`<input [^>]*name="([^"]+)"[^>]* value="([^"]*)"`).FindAllStringSubmatch(page.body, -1) {
			if !form.Has(field[1]) {
				form.Set(field[1], html.UnescapeString(field[2]))
			}
		}
		if strings.Contains(page.body, `value="CHF" selected`) {
			form.Set("currency", "CHF")
		}
		return form
	}
	page = b.post("/pay", filled()).status(http.StatusUnprocessableEntity).
		has("It was in CHF. This kind of payment is made in EUR: enter the amount in EUR.", `name="amount_in" value="EUR"`)
	form := filled()
	form.Set("amount", "50.00")
	if to := b.post("/pay", form).status(http.StatusSeeOther).Header.Get("Location"); !strings.HasSuffix(to, "/review") {
		t.Errorf("the form leads to %s", to)
	}
}
