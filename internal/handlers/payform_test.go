package handlers_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"florin/internal/openbanking"
)

// faults are the fields that have a problem on the page, with its text.
func (a *answer) faults() map[string]string {
	all := map[string]string{}
	for _, m := range regexp.MustCompile(`(?s)class="problem" id="([a-z_0-9]+)-problem".*?<span>(.*?)</span>`).FindAllStringSubmatch(a.body, -1) {
		all[m[1]] = html.UnescapeString(m[2])
	}
	return all
}

// element is the tag of a field.
func (a *answer) element(name string) string {
	return regexp.MustCompile(`<(?:input|select|textarea)\s[^>]*id="` + name + `"[^>]*>`).FindString(a.body)
}

// People type in a hurry, or with bad intent. Each problem is reported at its field with what to do, what was typed stays, and the list at the top and the
// focus lead to the field.
func TestPayFormReadsWhatPeopleType(t *testing.T) {
	t.Parallel()
	kind := sepa
	kind.RemittanceInformationLines = []openbanking.RemittanceInformationLineInfo{{MaxLength: new(140), Pattern: new(`^[A-Za-z0-9 .,/+?:()'-]*$`)}}
	_, b, _, account := paySiteOf(t, kind)
	leap := "2027-02-29"
	far := time.Now().UTC().AddDate(0, 0, 366).Format(time.DateOnly)
	for _, c := range []struct{ name, field, value, says string }{
		{"a zero-width space in the IBAN", "number", "FR14\u200b20041010050500013M02606",
			"Character 5 is an invisible character (U+200B). Only the letters A to Z and digits are allowed. Empty the field and type the number on the keyboard."},
		{"full-width digits in the IBAN", "number", "FR１４20041010050500013M02606", "the full-width character “１” (U+FF11)"},
		{"a mark of direction", "number", "\u202eFR1420041010050500013M02606", "an invisible character (U+202E)"},
		{"negative", "amount", "-12,30", "Leave out the minus sign"},
		{"negative with the sign of print", "amount", "−12,30", "Leave out the minus sign"},
		{"nothing", "amount", "0", "must be more than zero"},
		{"full-width digits", "amount", "１２", "Empty the field and type the amount on the keyboard, with the digits 0 to 9."},
		{"invisible", "amount", "12\u200b.30", "an invisible character (U+200B)"},
		{"thousands or decimals", "amount", "1.234", "Write 1234 or 1.23."},
		{"an exponent", "amount", "1e3", "Enter the amount with digits and decimals"},
		{"a sum", "amount", "12+5", "Enter the amount with digits and decimals"},
		{"another currency", "amount", "12.30 USD", "Enter the amount with digits and decimals"},
		{"too much", "amount", "99999999999999999999", "too large"},
		{"emoji in the name", "name", "Jo 💶", "Character 4 is the character “💶” (U+1F4B6). Leave it out."},
		{"turned around", "name", "ACME\u202eHbmG", "Character 5 is an invisible character (U+202E). Leave it out."},
		{"a zero-width character in the name", "name", "AC\u200bME", "Character 3 is an invisible character"},
		{"a long name", "name", strings.Repeat("ü", 71), "has 71 characters. At most 70 are possible"},
		{"a letter that the bank refuses", "text0", "Rechnung für Öl",
			"Your bank does not accept these characters in a text: the character “ü” (U+00FC) and the character “Ö” (U+00D6). Write it differently, or leave them out."},
		{"a long text", "text0", strings.Repeat("y", 141), "has 141 characters. Your bank accepts at most 140"},
		{"no leap year", "date", leap, "2027 is not a leap year: February has 28 days."},
		{"no day", "date", "2026-02-30", "The date 2026-02-30 does not exist."},
		{"month or day first", "date", "12/31/2026", "Enter the date like 2026-12-31 or 31.12.2026."},
		{"the past", "date", "2020-01-01", "The day is in the past. Today is "},
		{"too far", "date", far, "Your bank accepts days until "},
	} {
		t.Run(c.name, func(t *testing.T) {
			form := transfer(account, c.field, c.value)
			if c.field == "date" {
				form.Set("when", "date")
			}
			a := b.post("/pay", form)
			a.t = t
			a.status(http.StatusUnprocessableEntity)
			got := a.faults()
			if len(got) != 1 || !strings.Contains(got[c.field], c.says) {
				t.Errorf("%q", got)
			}
			field := a.element(c.field)
			for _, want := range []string{`aria-invalid="true"`, c.field + "-problem", " autofocus", `value="` + html.EscapeString(c.value) + `"`} {
				if !strings.Contains(html.UnescapeString(field), html.UnescapeString(want)) {
					t.Errorf("%s lacks %s", field, want)
				}
			}
			if _, err := time.Parse(time.DateOnly, c.value); c.field == "date" && err != nil && !strings.Contains(field, `type="text"`) {
				t.Errorf("a field of a day does not show %q: %s", c.value, field)
			}
			a.has(`<a href="#` + c.field + `">`)
		})
	}
	for _, c := range []struct{ name, field, value, sees string }{
		{"groups and spaces that do not break", "number", "\u00a0FR14\u00a02004 1010.0505-0001\u202f3M02 606 ", "FR14 2004 1010 0505 0001 3M02 606"},
		{"small letters", "number", "iban: fr14 2004 1010 0505 0001 3m02 606", "FR14 2004 1010 0505 0001 3M02 606"},
		{"thousands with dots", "amount", "1.234,56", "1,234.56 EUR"}, {"thousands with commas", "amount", "1,234.56", "1,234.56 EUR"},
		{"thousands with spaces", "amount", "1\u202f234,56 €", "1,234.56 EUR"},
		{"one decimal", "amount", "12,5", "12.50 EUR"},
		{"spaces in the name", "name", " ACME\u00a0GmbH\t&  Co ", "ACME GmbH &amp; Co"},
		{"a letter of two characters", "name", "Mu\u0308ller", "Müller"},
		{"a day as Germans write it", "date", time.Now().UTC().AddDate(0, 0, 20).Format("2.1.2006"),
			"On " + time.Now().UTC().AddDate(0, 0, 20).Format("Monday, 2 January 2006")},
	} {
		form := transfer(account, c.field, c.value)
		if c.field == "date" {
			form.Set("when", "date")
		}
		b.get(b.draft(form) + "/review").has(c.sees)
	}
}

// Several problems are listed in the order of the page, and the first field has the focus. No problem is reported at a field that is not on the page.
func TestPayFormListsItsFaults(t *testing.T) {
	t.Parallel()
	_, b, _, account := paySite(t)
	a := b.post("/pay", transfer(account, "amount", "0", "name", "", "number", "DE89", "when", "repeat", "first",
		"2027-02-29")).status(http.StatusUnprocessableEntity)
	var order []string
	for _, m := range regexp.MustCompile(`<li><a href="#([a-z_0-9]+)">`).FindAllStringSubmatch(a.body, -1) {
		order = append(order, m[1])
	}
	if got := strings.Join(order, " "); got != "name number amount frequency first" {
		t.Errorf("the list leads to %s", got)
	}
	if n := strings.Count(a.body, " autofocus"); n != 1 || !strings.Contains(a.element("name"), " autofocus") {
		t.Errorf("%d fields have the focus, and the first fault %s", n, a.element("name"))
	}
	if !strings.Contains(a.element("frequency"), `aria-describedby="frequency-problem"`) {
		t.Error(a.element("frequency"))
	}
}

// Values that one kind of payment does not ask for are kept for another kind, and not sent.
func TestPayFormKeepsWhatAnotherKindAsks(t *testing.T) {
	t.Parallel()
	_, b, _, account := paySite(t)
	form := transfer(account, "type", "CROSSBORDER", "currency", "USD", "bic", "CHASUS33", "street", "5th Avenue 1", "text1", "Second line", "show", "SEPA")
	a := b.post("/pay", form).status(http.StatusOK).has("It was in USD. This kind of payment is made in EUR: enter the amount in EUR.")
	for name, value := range map[string]string{"currency": "USD", "bic": "CHASUS33", "street": "5th Avenue 1", "text1": "Second line"} {
		a.has(`<input type="hidden" name="` + name + `" value="` + value + `">`)
	}
}

// When the bank allows only one value for a field, the form does not ask for it. The review shows the value with its meaning, and the service gets it.
func TestPayFormAsksNothingWithoutAChoice(t *testing.T) {
	t.Parallel()
	kind := sepa
	kind.ChargeBearerValues = []openbanking.ChargeBearerCode{openbanking.ChargeBearerCodeSLEV}
	kind.PriorityCodes = []openbanking.PriorityCode{openbanking.PriorityCodeNORM}
	kind.RegulatoryReportingCodes = []openbanking.RegulatoryReportingCode{{Value: "GDS", Description: "Goods"}}
	kind.RegulatoryReportingCodeRequired = new(true)
	s, b, _, account := paySiteOf(t, kind)
	b.get("/pay?account="+account).status(http.StatusOK).lacks("charges", "priority", `name="report`, "What your bank asks for besides")
	path := b.draft(transfer(account))
	review := b.get(path+"/review").has("By the payment rules: you and the payee each pay your own bank", "Goods")
	b.post(path+"/confirm", review.confirmation()).to(path + "/leave")
	r := s.service.sent()[0].PaymentRequest
	if *r.ChargeBearer != "SLEV" || *r.PaymentTypeInformation.InstructionPriority != "NORM" ||
		*r.CreditTransferTransaction[0].RegulatoryReporting[0].Details.Code != "GDS" {
		t.Errorf("sent %+v", r)
	}
	kind.RegulatoryReportingCodeRequired = nil
	_, b, _, account = paySiteOf(t, kind)
	b.get("/pay?account=" + account).has(`name="report"`) // it can be left out
}

// When a payment code has no amount, the form asks for it. A reference in a code is kept whatever the bank takes. Other codes are refused with what to do.
func TestPayReadsPaymentCodes(t *testing.T) {
	t.Parallel()
	_, b, _, account := paySite(t)
	code := func(lines ...string) url.Values {
		return url.Values{"account": {account}, "paste": {strings.Join(append([]string{"BCD", "002", "1", "SCT", "", "Rotes Kreuz", numberOther}, lines...), "\r\n")}}
	}
	a := b.post("/pay", code()).status(http.StatusOK).has("The payment code contains no amount. Enter the one on the invoice.")
	if !strings.Contains(a.element("amount"), " autofocus") {
		t.Errorf("the focus is not at the amount: %s", a.element("amount"))
	}
	b.post("/pay", code("EUR5", "", "RF18539007547034")).status(http.StatusOK).has(`name="reference" type="text" value="RF18539007547034"`)
	b.post("/pay", code("EUR5", "", "", "Donation", "For you")).status(http.StatusOK).has("For you only, from the payment code: “For you”.")
	var other *browser
	_, other, _, account = paySiteOf(t, instant) // this kind of payment takes no reference
	other.post("/pay", code("EUR5", "", "RF18539007547034")).status(http.StatusOK).has(`name="text0" type="text" value="RF18539007547034"`,
		"Your bank accepts it as text.")
	domestic := openbanking.ResponsePaymentType{PaymentType: openbanking.PaymentTypeDomestic, PSUType: openbanking.PSUTypePersonal, Currencies: []string{"CZK"}}
	for _, at := range []struct {
		bank []openbanking.ResponsePaymentType
		kind string
	}{
		{[]openbanking.ResponsePaymentType{sepa, instant}, "INST_SEPA"}, {[]openbanking.ResponsePaymentType{sepa}, "SEPA"},
		{[]openbanking.ResponsePaymentType{domestic}, "OWN_APP"},
	} {
		_, other, _, account = paySiteOf(t, at.bank...)
		for _, wish := range []string{ // codes for an instant payment
			"BCD\n002\n1\nINST\n\nRotes Kreuz\n" + numberOther + "\nEUR5",
			"SPD*1.0*ACC:SK3112000000198742637541*AM:5*CC:EUR*RN:Rotes Kreuz*PT:IP",
		} {
			other.post("/pay", url.Values{"account": {account}, "paste": {wish}}).status(http.StatusOK).
				has(`name="type" value="`+at.kind+`"`, `value="Rotes Kreuz"`, `name="amount" type="text" value="5.00"`)
		}
	}
	for _, c := range []struct{ paste, says string }{
		{"SPC\r\n0200\r\n1\r\nCH4431999123000889012", "This Swiss QR-bill is not complete."},
		{"UPNQR\n\n\n",
			"This is a Slovenian payment slip (UPN QR). Florin reads the European payment code, which begins with BCD, the Swiss QR-bill, and the Czech and the Slovak code. Copy the IBAN from it and paste that"},
		{"BCD 002 1 SCT", "The line breaks of the code are missing"},
		{"FR14\u200b2004", "invisible character"},
	} {
		a := b.post("/pay", url.Values{"paste": {c.paste}}).status(http.StatusUnprocessableEntity).has(c.says, `aria-describedby="paste-problem paste-hint"`)
		if !strings.Contains(a.element("paste"), "autofocus") {
			t.Errorf("the focus is not at what was pasted: %s", a.element("paste"))
		}
	}
}
