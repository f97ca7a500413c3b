package paymentfile

import (
	"strings"
	"testing"

	"florin/internal/money"
)

// Swiss QR-bills as the Swiss Implementation Guidelines QR-bill (version 2.3) lay them out; names and addresses are made up.
func TestSwissQRBill(t *testing.T) {
	full := []string{"SPC", "0200", "1", "CH9300762011623852957", "S", "Müller & Söhne AG", "Rue du Lac", "1268", "2501", "Biel", "CH", "", "", "", "", "", "", "",
		"1949.75", "EUR", "S", "Pia Rutschmann", "Marktgasse", "28", "9400", "Rorschach", "CH", "SCOR", "RF18539007547034", "Order of 3 March", "EPD", "//S1/10/10201409"}
	with := func(changes ...any) string {
		lines := append([]string{}, full...)
		for i := 0; i < len(changes); i += 2 {
			lines[changes[i].(int)] = changes[i+1].(string)
		}
		return strings.Join(lines, "\r\n")
	}
	v, err := ParseInvoice(with())
	if err != nil || v.Name != "Müller & Söhne AG" || v.IBAN.String() != "CH9300762011623852957" || v.Amount != money.FromMinor(194975, "EUR") || v.Currency != "EUR" ||
		v.Reference != "RF18539007547034" || v.Text != "Order of 3 March" || v.Instant || v.Address != (Address{"Rue du Lac 1268", "2501", "Biel", "CH"}) {
		t.Errorf("%+v, %v", v, err)
	}
	open, err := ParseInvoice("\ufeff" + strings.ReplaceAll(with(18, "", 19, "CHF", 27, "NON", 28, ""), "\r\n", "\n") + "\n\n")
	if err != nil || !open.Amount.IsZero() || open.Currency != "CHF" || open.Reference != "" || open.Text != "Order of 3 March" {
		t.Errorf("open: %+v, %v", open, err)
	}
	number, err := ParseInvoice(with(3, "CH4431999123000889012", 19, "CHF", 27, "QRR", 28, "210000000003139471430009017"))
	if err != nil || number.Reference != "210000000003139471430009017" || !number.IBAN.QR() || number.Text != "Order of 3 March" {
		t.Errorf("a QR reference: %+v, %v", number, err)
	}
	for address, want := range map[[7]string]Address{
		{"K", "M", "Rue du Lac 1268", "2501 Biel", "", "", "CH"}:    {"Rue du Lac 1268", "2501", "Biel", "CH"},
		{"K", "M", "", "FL-9490 Vaduz Nord", "", "", "LI"}:          {"", "FL-9490", "Vaduz Nord", "LI"},
		{"K", "M", "Postfach", "Bad Ragaz", "", "", "CH"}:           {"Postfach", "", "Bad Ragaz", "CH"},
		{"S", "M", "", "", "8000", "Zürich", "ch"}:                  {"", "8000", "Zürich", "CH"},
		{"S", "M", "Allee  im Park", "7b", "10115", "Berlin", "DE"}: {"Allee im Park 7b", "10115", "Berlin", "DE"},
		{"", "M", strings.Repeat("x", 71), "", "", "", "Schweiz"}:   {Street: strings.Repeat("x", 71)},
	} {
		changes := []any{}
		for i, line := range address {
			changes = append(changes, 4+i, line)
		}
		if v, err := ParseInvoice(with(changes...)); err != nil || v.Address != want {
			t.Errorf("%q is read as %+v, %v", address, v.Address, err)
		}
	}
	for name, text := range map[string]string{
		"Liechtenstein":             with(3, "LI21088100002324013AA"),
		"an address in two lines":   with(4, "K", 6, "Rue du Lac 1268", 7, "2501 Biel", 8, "", 9, ""),
		"without what follows":      strings.Join(full[:31], "\n"),
		"two schemes behind":        strings.Join(append(append([]string{}, full...), "eBill/B/41010560425610173", "other"), "\n"),
		"a later version":           with(1, "0230"),
		"letters read byte by byte": with(5, "MÃ¼ller"),
		"a text of 140":             with(29, strings.Repeat("x", 140)),
		"the largest amount":        with(18, "999999999.99"),
	} {
		if _, err := ParseInvoice(text); err != nil || !LooksLikeInvoice(text) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, c := range map[string]struct{ text, finding string }{
		"an old version":                       {with(1, "0100"), "SwissVersion"},
		"a version of words":                   {with(1, "02xyz"), "SwissVersion"},
		"another coding":                       {with(2, "2"), "SwissVersion"},
		"an IBAN with a wrong digit":           {with(3, "CH9300762011623852958"), "WrongCodeIBAN"},
		"a German account":                     {with(3, "DE89370400440532013000"), "SwissAccount"},
		"no name":                              {with(5, ""), "SwissNoName"},
		"a name of 71":                         {with(5, strings.Repeat("ü", 71)), "SwissLong{Name:true, Length:71, Most:70}"},
		"dollars":                              {with(19, "USD"), "SwissCurrency"},
		"no currency":                          {with(19, ""), "SwissCurrency"},
		"a comma":                              {with(18, "1949,75"), "SwissSum"},
		"no cents":                             {with(18, "1949"), "SwissSum"},
		"nothing":                              {with(18, "0.00"), "SwissSum"},
		"a billion":                            {with(18, "1000000000.00"), "SwissSum"},
		"a reference with a wrong digit":       {with(28, "RF19539007547034"), "SwissWrongReference"},
		"no reference where one is said":       {with(28, ""), "SwissWrongReference"},
		"a reference where none is said":       {with(27, "NON"), "SwissWrongReference"},
		"an unknown kind":                      {with(27, "XXX"), "SwissWrongReference"},
		"a QR reference with a wrong digit":    {with(3, "CH4431999123000889012", 27, "QRR", 28, "210000000003139471430009018"), "SwissWrongReference"},
		"a QR reference with an ordinary IBAN": {with(27, "QRR", 28, "210000000003139471430009017"), "SwissWrongReference"},
		"a QR-IBAN without a reference":        {with(3, "CH4431999123000889012", 27, "NON", 28, ""), "SwissWrongReference"},
		"a QR-IBAN with another reference":     {with(3, "CH4431999123000889012"), "SwissWrongReference"},
		"a text of 141":                        {with(29, strings.Repeat("x", 141)), "SwissLong{Name:false, Length:141, Most:140}"},
		"no end":                               {with(30, ""), "SwissIncomplete"},
		"without its empty lines":              {strings.ReplaceAll(with(), "\r\n\r\n", "\r\n"), "SwissIncomplete"},
		"the head alone":                       {"SPC\r\n0200\r\n1", "SwissIncomplete"},
		"five lines more":                      {with() + strings.Repeat("\r\nx", 5), "TooManyLines{Count:37, Most:34}"},
		"998 characters":                       {with(31, strings.Repeat("x", 998)), "LongCode{Most:997}"},
		"damaged":                              {with(5, "M\ufffdller"), "DamagedCode"},
	} {
		if _, err := ParseInvoice(c.text); err == nil || !says(err, c.finding) || !LooksLikeInvoice(c.text) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
