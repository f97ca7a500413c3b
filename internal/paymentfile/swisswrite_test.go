package paymentfile

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/makiuchi-d/gozxing"
	zxing "github.com/makiuchi-d/gozxing/qrcode"
	"pgregory.net/rapid"

	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/qrcode"
	"florin/internal/reference"
)

// Made up numbers of Swiss accounts: an ordinary one, a QR-IBAN (that of the guidelines' examples) and one of Liechtenstein.
const (
	swiss        = "CH9300762011623852957"
	swissQR      = "CH4431999123000889012"
	liechtenHere = "LI21088100002324013AA"
	qrNumber     = "210000000003139471430009017"
)

// toAddress is a transfer in francs to an address: street, post code, town and country, with | between.
func toAddress(name, account, amount, address, number string, lines ...string) openbanking.CreditTransferTransaction {
	t := transfer(name, account, amount, Francs, number, lines...)
	if parts := strings.Split(address, "|"); len(parts) == 4 {
		a := &openbanking.PostalAddress{}
		for i, field := range []**string{&a.StreetName, &a.PostCode, &a.TownName, &a.Country} {
			if parts[i] != "" {
				*field = &parts[i]
			}
		}
		t.Beneficiary.Creditor.PostalAddress = a
	}
	return t
}

// Bills as the Swiss Implementation Guidelines QR-bill, version 2.3, lay them out: each element in its line, and what keeps a transfer from being one.
func TestSwissBillIsWritten(t *testing.T) {
	const biel = "Rue du Lac 1268|2501|Biel|CH"
	x := strings.Repeat
	for _, c := range []struct {
		name  string
		order openbanking.CreditTransferTransaction
		bill  string // account|name|street||post code|town|country … amount|kind|reference|text
		err   error
	}{
		{"plain", toAddress("Müller & Söhne AG", swiss, "1949.75", biel, "", "Rechnung März"),
			swiss + "|S|Müller & Söhne AG|Rue du Lac 1268||2501|Biel|CH", nil},
		{"without a street", toAddress("ACME", swiss, "1", "|2501|Biel|CH", ""), swiss + "|S|ACME|||2501|Biel|CH", nil},
		{"to Liechtenstein", toAddress("ACME", liechtenHere, "1", "|9490|Vaduz|LI", ""), liechtenHere + "|S|ACME|||9490|Vaduz|LI", nil},
		{"a payee abroad", toAddress("ACME", swiss, "1", "Allee 7|10115|Berlin|DE", ""), swiss + "|S|ACME|Allee 7||10115|Berlin|DE", nil},
		{"the least", toAddress("ACME", swiss, "0.01", biel, ""), "0.01|CHF", nil},
		{"the most", toAddress("ACME", swiss, "999999999.99", biel, ""), "999999999.99|CHF", nil},
		{"no reference", toAddress("ACME", swiss, "1", biel, "", "Order"), "NON||Order|EPD", nil},
		{"no text", toAddress("ACME", swiss, "1", biel, ""), "NON|||EPD", nil},
		{"a reference of ISO 11649", toAddress("ACME", swiss, "1", biel, "rf18 5390 0754 7034"), "SCOR|RF18539007547034||EPD", nil},
		{"such a reference and a text", toAddress("ACME", swiss, "1", biel, "RF18539007547034", "Order"), "SCOR|RF18539007547034|Order|EPD", nil},
		{"a QR reference", toAddress("ACME", swissQR, "1", biel, "21 00000 00003 13947 14300 09017", "Order"), "QRR|" + qrNumber + "|Order|EPD", nil},
		{"another reference is text", toAddress("ACME", swiss, "1", biel, "KD-77", "Order"), "NON||KD-77 Order|EPD", nil},
		{"two lines", toAddress("ACME", swiss, "1", biel, "", "one", "two"), "NON||one two|EPD", nil},
		{"a name of 70", toAddress(x("ü", 70), swiss, "1", biel, ""), x("ü", 70) + "|", nil},
		{"a street of 70", toAddress("ACME", swiss, "1", x("s", 70)+"|1|B|CH", ""), x("s", 70) + "||1|B", nil},
		{"a post code of 16", toAddress("ACME", swiss, "1", "|"+x("1", 16)+"|B|CH", ""), "||" + x("1", 16) + "|B", nil},
		{"a town of 35", toAddress("ACME", swiss, "1", "|1|"+x("t", 35)+"|CH", ""), "|1|" + x("t", 35) + "|CH", nil},
		{"a text of 140", toAddress("ACME", swiss, "1", biel, "", x("é", 140)), x("é", 140) + "|EPD", nil},
		{"letters that are left out", toAddress("Škoda Ødegård", swiss, "1", "Łódzka 1|1|Ćuprija|RS", "", "20 € ^ ☺"),
			"S|Skoda Odegard|Lódzka 1||1|Cuprija|RS", nil},
		{"letters that become two", toAddress("Æsir Œuvre", swiss, "1", biel, ""), "S|AEsir OEuvre|", nil},
		{"letters in parts", toAddress("Mu\u0308ller", swiss, "1", biel, ""), "S|Müller|", nil},
		{"line breaks", toAddress("AC\nME", swiss, "1", biel, "", "a\r\nb"), "NON||a b|EPD", nil},

		{"no post code", toAddress("ACME", swiss, "1", "A 1||Biel|CH", ""), "", ErrNoAddress},
		{"no town", toAddress("ACME", swiss, "1", "A 1|2501||CH", ""), "", ErrNoAddress},
		{"no country", toAddress("ACME", swiss, "1", "A 1|2501|Biel|", ""), "", ErrNoAddress},
		{"no such country", toAddress("ACME", swiss, "1", "A 1|2501|Biel|XX", ""), "", ErrNoAddress},
		{"no address", toAddress("ACME", swiss, "1", "", ""), "", ErrNoAddress},
		{"no name", toAddress("", swiss, "1", biel, ""), "", ErrNoName},
		{"a name of pictures", toAddress("☺☺", swiss, "1", biel, ""), "", ErrNoName},
		{"a German account", toAddress("ACME", german, "1", biel, ""), "", ErrNotSwiss},
		{"a wrong IBAN", toAddress("ACME", "CH9300762011623852958", "1", biel, ""), "", ErrNotIBAN},
		{"nothing", toAddress("ACME", swiss, "0", biel, ""), "", ErrAmount},
		{"a billion", toAddress("ACME", swiss, "1000000000.00", biel, ""), "", ErrAmount},
		{"a thousandth", toAddress("ACME", swiss, "1.001", biel, ""), "", ErrAmount},
		{"a name of 71", toAddress(x("n", 71), swiss, "1", biel, ""), "", ErrTooLong},
		{"a street of 71", toAddress("ACME", swiss, "1", x("s", 71)+"|1|B|CH", ""), "", ErrTooLong},
		{"a post code of 17", toAddress("ACME", swiss, "1", "|"+x("1", 17)+"|B|CH", ""), "", ErrTooLong},
		{"a town of 36", toAddress("ACME", swiss, "1", "|1|"+x("t", 36)+"|CH", ""), "", ErrTooLong},
		{"a text of 141", toAddress("ACME", swiss, "1", biel, "", x("t", 141)), "", ErrTooLong},
		{"a text that is too long with a reference", toAddress("ACME", swiss, "1", biel, "KD-77", x("t", 140)), "", ErrTooLong},
		{"a QR-IBAN without a reference", toAddress("ACME", swissQR, "1", biel, ""), "", ErrQRReference},
		{"a QR-IBAN with another reference", toAddress("ACME", swissQR, "1", biel, "RF18539007547034"), "", ErrQRReference},
		{"a QR-IBAN with a wrong reference", toAddress("ACME", swissQR, "1", biel, "210000000003139471430009018"), "", ErrQRReference},
		{"a QR reference with an ordinary IBAN", toAddress("ACME", swiss, "1", biel, qrNumber), "", ErrQRReference},
	} {
		invoice, err := InvoiceOf(c.order)
		if !errors.Is(err, c.err) {
			t.Errorf("%s: %v, want %v", c.name, err, c.err)
			continue
		}
		if err != nil {
			continue
		}
		code, err := invoice.Code()
		lines := strings.ReplaceAll(code, "\n", "|")
		if err != nil || !strings.Contains(lines, c.bill) || strings.Count(code, "\n") != 30 || !strings.HasPrefix(lines, "SPC|0200|1|") ||
			!strings.HasSuffix(lines, "|EPD") {
			t.Errorf("%s: %q, %v, want %q", c.name, lines, err, c.bill)
		}
		if read, err := ParseInvoice(code); err != nil || read != invoice {
			t.Errorf("%s: read as %+v, %v, want %+v", c.name, read, err, invoice)
		}
		if link, err := invoice.Payto(); !errors.Is(err, ErrNotEuro) {
			t.Errorf("%s: the link %q, %v", c.name, link, err)
		}
	}
	whole := toAddress("Müller & Söhne AG", swissQR, "1949.75", biel, qrNumber, "Order of 3 March")
	invoice, err := InvoiceOf(whole)
	if err != nil {
		t.Fatal(err)
	}
	want := "SPC\n0200\n1\n" + swissQR + "\nS\nMüller & Söhne AG\nRue du Lac 1268\n\n2501\nBiel\nCH\n\n\n\n\n\n\n\n1949.75\nCHF\n\n\n\n\n\n\n\nQRR\n" + qrNumber +
		"\nOrder of 3 March\nEPD"
	if code, err := invoice.Code(); err != nil || code != want {
		t.Errorf("%q, %v, want %q", code, err, want)
	}
	good := invoice
	for want, change := range map[error]func(*Invoice){
		ErrLetters:   func(v *Invoice) { v.Name = "Škoda" },
		ErrReference: func(v *Invoice) { v.Reference = "7" },
		ErrAmount:    func(v *Invoice) { v.Amount = money.FromMinor(1, "EUR") },
		ErrNotIBAN:   func(v *Invoice) { v.IBAN = Invoice{}.IBAN },
	} {
		v := good
		change(&v)
		if _, err := v.Code(); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
	}
	lines := good
	lines.Text = "a\nb"
	if _, err := lines.Code(); !errors.Is(err, ErrLetters) {
		t.Errorf("a text of two lines: %v", err)
	}
}

// Whatever a form takes, its bill reads back as the order: by our reader, and drawn with the cross in its middle by one that is not ours.
func TestSwissBillsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := func(most int, name string) string { return rapid.StringN(1, most, -1).Draw(t, name) }
		account, number := swiss, ""
		switch rapid.IntRange(0, 2).Draw(t, "reference") {
		case 1:
			number = "RF18539007547034"
		case 2:
			made, err := reference.MakeQR(rapid.StringMatching(`[1-9][0-9]{0,25}`).Draw(t, "number"))
			if err != nil {
				t.Fatal(err)
			}
			account, number = swissQR, made
		}
		street, code, town := text(MaxStreet, "street"), text(MaxPostCode, "post code"), text(MaxTown, "town")
		order := toAddress(text(70, "name"), account, money.FromMinor(rapid.Int64Range(1, mostCents).Draw(t, "rappen"), Francs).String(), "", number, text(140, "text"))
		order.Beneficiary.Creditor.PostalAddress = &openbanking.PostalAddress{StreetName: &street, PostCode: &code, TownName: &town, Country: new("CH")}
		invoice, err := InvoiceOf(order)
		if err != nil {
			return // said before
		}
		bill, err := invoice.Code()
		if err != nil || utf8.RuneCountInString(bill) > maxSwissBill {
			t.Fatalf("%d characters, %v", utf8.RuneCountInString(bill), err)
		}
		if read, err := ParseInvoice(bill); err != nil || read != invoice {
			t.Fatalf("%+v, %v, want %+v", read, err, invoice)
		}
		drawn, err := qrcode.Encode(bill, qrcode.M)
		if err != nil {
			t.Fatal(err)
		}
		bitmap, err := gozxing.NewBinaryBitmapFromImage(drawn.WithSwissCross().Picture(4))
		if err != nil {
			t.Fatal(err)
		}
		read, err := zxing.NewQRCodeReader().Decode(bitmap, map[gozxing.DecodeHintType]any{gozxing.DecodeHintType_PURE_BARCODE: true})
		if err != nil || read.GetText() != bill {
			t.Fatalf("the reader has %v, %v, want %q", read, err, bill)
		}
	})
}
