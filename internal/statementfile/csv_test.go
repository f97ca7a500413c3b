package statementfile_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"

	"florin/internal/statementfile"

	"florin/internal/testkit"
)

// Shapes of the tables that banks and programs of nine languages write.
func TestCSVShapes(t *testing.T) {
	euro := statementfile.Options{Currency: "EUR"}
	for _, c := range []struct{ name, file, want string }{
		{"English, paid out and paid in, with a balance", "Date,Type,Description,Paid out,Paid in,Balance\n01 Mar 2026,DEB,\"SHOP, LONDON\",£12.30,,\"1,087.70\"\n28 Feb 2026,FPI,ANNA,,\"£1,000.00\",\"1,100.00\"\n", `
			= ||||GBP|||1087.70 2026-03-01
			2|2026-03-01|||-12.30 GBP|||SHOP, LONDON|DEB
			3|2026-02-28|||1000.00 GBP|||ANNA|FPI`},
		{"a bank of the United States", "Posted Date,Reference Number,Payee,Address,Amount\n03/15/2026,24,COFFEE,SEATTLE,-4.50\n12/31/2025,25,\"PAYMENT - THANK YOU\",,100.00\n", `
			= ||||EUR
			2|2026-03-15|||-4.50 EUR|COFFEE||SEATTLE
			3|2025-12-31|||100.00 EUR`},
		{"German, with lines before the table", "\"Girokonto\";\"" + german + "\"\n\"Kontostand vom 03.03.2026:\";\"1.234,56 €\"\n\"\"\n\"Buchungsdatum\";\"Wertstellung\";\"Status\";\"Zahlungspflichtige*r\";\"Zahlungsempfänger*in\";\"Verwendungszweck\";\"Umsatztyp\";\"IBAN\";\"Betrag (€)\";\"Gläubiger-ID\";\"Mandatsreferenz\";\"Kundenreferenz\"\n" +
			"\"02.03.26\";\"02.03.26\";\"Gebucht\";\"Anna\";\"Stadtwerke\";\"Strom\";\"Ausgang\";\"" + finn + "\";\"-1.012,30\";\"DE98ZZZ09999999999\";\"M-1\";\"E-1\"\n\"01.03.26\";\"01.03.26\";\"Gebucht\";\"Arbeit AG\";\"Anna\";\"Gehalt\";\"Eingang\";\"" + dutch + "\";\"2.000\";\"\";\"\";\"\"\n", `
			= |||` + german + `|EUR
			5|2026-03-02|2026-03-02||-1012.30 EUR|Stadtwerke|` + finn + `|Strom/EREF+E-1/MREF+M-1/CRED+DE98ZZZ09999999999|Ausgang
			6|2026-03-01|2026-03-01||2000.00 EUR|Arbeit AG|` + dutch + `|Gehalt|Eingang`},
		{"German, of a savings bank", "\"Auftragskonto\";\"Buchungstag\";\"Valutadatum\";\"Buchungstext\";\"Verwendungszweck\";\"Beguenstigter/Zahlungspflichtiger\";\"Kontonummer/IBAN\";\"BIC (SWIFT-Code)\";\"Betrag\";\"Waehrung\";\"Info\"\n" +
			"\"" + german + "\";\"31.12.25\";\"31.12.25\";\"FOLGELASTSCHRIFT\";\"Miete\";\"Vermieter\";\"" + finn + "\";\"X\";\"-800,00\";\"EUR\";\"Umsatz gebucht\"\n\"" + german + "\";\"30.12.25\";\"30.12.25\";\"GUTSCHRIFT\";\"\";\"Anna\";\"\";\"\";\"5,00\";\"EUR\";\"Umsatz gebucht\"\n", `
			= |||` + german + `|EUR
			2|2025-12-31|2025-12-31||-800.00 EUR|Vermieter|` + finn + `|Miete|FOLGELASTSCHRIFT
			3|2025-12-30|2025-12-30||5.00 EUR|Anna|||GUTSCHRIFT`},
		{"German, with a column for the side", "Datum;Text;Betrag;Soll/Haben;Saldo\n13.01.2026;Bäcker;2,50;S;7,50\n14.01.2026;Anna;1,00;H;8,50\n", `
			= ||||EUR|||8.50 2026-01-14
			2|2026-01-13|||-2.50 EUR|||Bäcker
			3|2026-01-14|||1.00 EUR|||Anna`},
		{"French", "Date;Date de valeur;Libellé;Débit;Crédit\n13/02/2026;14/02/2026;CARTE BOULANGERIE;3,20;\n14/02/2026;14/02/2026;VIREMENT ANNA;;1 200,00\n", `
			= ||||EUR
			2|2026-02-13|2026-02-14||-3.20 EUR|||CARTE BOULANGERIE
			3|2026-02-14|2026-02-14||1200.00 EUR|||VIREMENT ANNA`},
		{"Spanish", "Fecha;Fecha valor;Concepto;Importe;Divisa;Saldo\n31/01/2026;01/02/2026;Panadería;-3,20;EUR;96,80\n", `
			= ||||EUR|||96.80 2026-01-31
			2|2026-01-31|2026-02-01||-3.20 EUR|||Panadería`},
		{"Italian", "Data contabile;Data valuta;Descrizione;Dare;Avere\n31/01/2026;30/01/2026;Bar;3,20;\n31/01/2026;30/01/2026;Anna;;5,00\n", `
			= ||||EUR
			2|2026-01-31|2026-01-30||-3.20 EUR|||Bar
			3|2026-01-31|2026-01-30||5.00 EUR|||Anna`},
		{"Dutch, with Af and Bij", "\"Datum\",\"Naam / Omschrijving\",\"Rekening\",\"Tegenrekening\",\"Code\",\"Af Bij\",\"Bedrag (EUR)\",\"Mutatiesoort\",\"Mededelingen\"\n\"20260302\",\"Bakker\",\"" + dutch + "\",\"\",\"BA\",\"Af\",\"3,20\",\"Betaalautomaat\",\"Pas 1\"\n\"20260301\",\"Anna\",\"" + dutch + "\",\"" + german + "\",\"OV\",\"Bij\",\"10,00\",\"Overschrijving\",\"Dank\"\n", `
			= |||` + dutch + `|EUR
			2|2026-03-02|||-3.20 EUR|Bakker||Pas 1|BA
			3|2026-03-01|||10.00 EUR|Anna|` + german + `|Dank|OV`},
		{"Finnish", "Kirjauspäivä;Arvopäivä;Määrä EUROA;Laji;Selitys;Saaja/Maksaja;Saajan tilinumero;Viite;Viesti;Arkistointitunnus\n02.03.2026;02.03.2026;-3,20;162;PKORTTIMAKSU;KAHVILA;;;Kahvi;20260302/1\n", `
			= ||||EUR
			2|2026-03-02|2026-03-02||-3.20 EUR|KAHVILA||PKORTTIMAKSU/Kahvi|162|20260302/1`},
		{"Swedish", "Bokföringsdag;Belopp;Avsändare;Mottagare;Namn;Rubrik;Saldo;Valuta\n2026-03-02;-31,50;1;;;Kafé;968,50;SEK\n2026-03-01;1000,00;;1;;Lön;1000,00;SEK\n", `
			= ||||SEK|||968.50 2026-03-02
			2|2026-03-02|||-31.50 SEK|||Kafé
			3|2026-03-01|||1000.00 SEK|||Lön`},
		{"Polish", "Data operacji;Data księgowania;Opis operacji;Tytuł;Nadawca/Odbiorca;Numer konta;Kwota;Saldo po operacji\n2026-03-02;2026-03-03;PŁATNOŚĆ KARTĄ;Kawa;KAWIARNIA;'1234;-12,30;1 234,50\n", `
			= ||||EUR|||1234.50 2026-03-02
			2|2026-03-02|||-12.30 EUR|KAWIARNIA|#'1234|PŁATNOŚĆ KARTĄ/Kawa`},
		{"a program with two dates and its own currency", "Type,Product,Started Date,Completed Date,Description,Amount,Fee,Currency,State,Balance\nCARD_PAYMENT,Current,2026-03-01 10:00:00,2026-03-02 11:00:00,Café,-3.20,0.00,EUR,COMPLETED,96.80\n", `
			= ||||EUR|||96.80 2026-03-02
			2|2026-03-02||2026-03-01|-3.20 EUR|||Café|CARD_PAYMENT`},
		{"no line with names", "2026-03-02;Bakery;-3,20\n2026-03-03;Anna;5,00\n", `
			= ||||EUR
			1|2026-03-02|||-3.20 EUR|||Bakery
			2|2026-03-03|||5.00 EUR|||Anna`},
		{"names that nobody knows", "Quando,Quanto,Coisa\n13/02/2026,-3.20,Pão\n14/02/2026,5.00,Anna e os outros\n", `
			= ||||EUR
			2|2026-02-13|||-3.20 EUR|||Pão
			3|2026-02-14|||5.00 EUR|||Anna e os outros`},
		{"amounts as people write them", "date,amount,text\n2026-01-01,(12.30),brackets\n2026-01-01,12.30-,behind\n2026-01-01,12.30 DR,debit\n2026-01-01,\"USD 1,234.50\",currency\n2026-01-01,−5.00,sign\n2026-01-01,+.50,none before\n2026-01-01,1'000.00,swiss\n", `
			= ||||EUR
			2|2026-01-01|||-12.30 EUR|||brackets
			3|2026-01-01|||-12.30 EUR|||behind
			4|2026-01-01|||-12.30 EUR|||debit
			5|2026-01-01|||1234.50 USD|||currency
			6|2026-01-01|||-5.00 EUR|||sign
			7|2026-01-01|||0.50 EUR|||none before
			8|2026-01-01|||1000.00 EUR|||swiss`},
	} {
		check(t, c.name, c.file, euro, c.want)
	}
}

// What cannot be read is told with its line, and nothing of it is taken.
func TestCSVRowsThatCannotBeRead(t *testing.T) {
	file := "date;amount;currency;side;text\n2026-01-01;1,00;EUR;C;=HYPERLINK(\"http://x.example\")\n9999-12-31;1,00;EUR;C;x\n0000-01-01;1,00;EUR;C;x\n2026-02-30;1,00;EUR;C;x\n2026-01-01;" + strings.Repeat("9", 40) +
		",00;EUR;C;x\n2026-01-01;1.23,4;EUR;C;x\n2026-01-01;;EUR;C;x\n2026-01-01;1,00;EURO;C;x\n2026-01-01;1,00;EUR;?;x\n;1,00;EUR;C;x\n2026-01-01\n2026-01-01;1,001;EUR;C;x\n2026-01-01;1,00;EUR;C;" + strings.Repeat("x", 5000) + "\n2026-01-01;1,00;EUR;C;x\n"
	check(t, "rows", file, statementfile.Options{}, `
		= ||||EUR
		2|2026-01-01|||1.00 EUR|||=HYPERLINK("http://x.example")
		15|2026-01-01|||1.00 EUR|||x
		! 3 WrongDay{Text:"9999-12-31"}
		! 4 WrongDay{Text:"0000-01-01"}
		! 5 WrongDay{Text:"2026-02-30"}
		! 6 WrongAmount{Text:"`+strings.Repeat("9", 40)+`,00"}
		! 7 WrongAmount{Text:"1.23,4"}
		! 8 NoAmount
		! 9 WrongCurrency{Text:"EURO"}
		! 10 WrongSide{Text:"?"}
		! 11 NoDay
		! 12 ShortLine{Columns:1, Header:5}
		! 13 WrongAmount{Text:"1,001"}
		! 14 LongText{Most:4000}`)
	for name, c := range map[string]struct{ file, want string }{
		"too large":          {strings.Repeat("x", statementfile.MaxBytes+1), "TooLarge{Most:20971520}"},
		"too many rows":      {"date,amount\n" + strings.Repeat("2026-01-01,1\n", statementfile.MaxRows+1), "TooManyRows{Most:100000}"},
		"too many columns":   {strings.Repeat("x,", 1000) + "\n", "TooManyColumns{Count:1001, Most:200}"},
		"a quotation mark":   {"date,amount\n\"2026-01-01,1\n", "WrongQuotes{Line:2}"},
		"mixed encodings":    {"date,amount\n2026-01-01,1\nü\x81,1\n", `WrongEncoding{Name:"windows-1252", Line:3}`},
		"NUL":                {"date,amount\n2026-01-01,\x001\n", "OtherFile{Kind:5}"},
		"a workbook":         {"PK\x03\x04", "OtherFile{Kind:0}"},
		"nothing":            {"", "NoRow"},
		"no currency at all": {"date,amount\n2026-01-01,1\n", "NoCurrency"},
		"JSON of others":     {`{"a":1}`, "OtherMessage{Kind:1}"},
	} {
		if _, err := statementfile.Read([]byte(c.file), statementfile.Options{}); refused(err) != c.want {
			t.Errorf("%s: %s, want %s", name, refused(err), c.want)
		}
	}
}

// Large files are read in time that grows with their size: this one has as many rows as a file may have, and the next as many accounts as rows.
func TestLargeFiles(t *testing.T) {
	testkit.Unwatched(t)
	var rows, accounts, named strings.Builder
	rows.WriteString("date,amount,text\n")
	accounts.WriteString("date,amount,text,own\n")
	for i := range statementfile.MaxRows {
		rows.WriteString("2026-01-01,-1.00,Coffee and a long text that says what it was for\n")
		fmt.Fprintf(&accounts, "2026-01-01,-1.00,x,%d\n", i)
		fmt.Fprintf(&named, "!Account\nN%d\n^\n!Type:Bank\nD2026-01-01\nT1\n^\n", i)
	}
	f, err := statementfile.Read([]byte(rows.String()), statementfile.Options{Currency: "EUR"})
	if err != nil || len(f.Statements[0].Rows) != statementfile.MaxRows {
		t.Error(err)
	}
	columns := []statementfile.Column{statementfile.BookingDate, statementfile.Amount, statementfile.Text, statementfile.AccountNumber}
	if _, err := statementfile.Read([]byte(accounts.String()), statementfile.Options{Currency: "EUR", Columns: columns}); refused(err) != "TooManyAccounts{Most:1000}" {
		t.Error(refused(err))
	}
	if _, err := statementfile.Read([]byte(named.String()), statementfile.Options{Currency: "EUR"}); refused(err) != "TooManyAccounts{Most:1000}" {
		t.Error(refused(err))
	}
}

// A person can say what the columns hold and how they are read; it counts for the next file of the same shape.
func TestCSVAsThePersonSays(t *testing.T) {
	file := "A,B,C,D\n01/02/2026,1.000,x,y\n03/02/2026,2.000,z,\n"
	f := check(t, "as it is proposed", file, statementfile.Options{Currency: "EUR"}, `
		= ||||EUR
		2|2026-02-01|||1.00 EUR|||x
		3|2026-02-03|||2.00 EUR|||z`)
	if !f.Reading.Unsure {
		t.Error("1.000 can be one or a thousand")
	}
	again, err := statementfile.Read([]byte(file),
		statementfile.Options{Currency: "EUR", Columns: []statementfile.Column{statementfile.TransactionDate, statementfile.Amount,
			statementfile.Counterparty, statementfile.Nothing},
			Reading: statementfile.Reading{Days: statementfile.MonthDayYear, Decimal: statementfile.Comma, Turned: true}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := shown(again), lines(`
		= ||||EUR
		2|||2026-01-02|-1000.00 EUR|x
		3|||2026-03-02|-2000.00 EUR|z`); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if f.Table.Shape() != again.Table.Shape() || f.Table.Shape() == (statementfile.Table{Header: []string{"A", "B,C", "D"}, Columns: f.Table.Columns}).Shape() {
		t.Error("the shape of a table is that of its columns")
	}
	lacking, err := statementfile.Read([]byte("name,town\nAnna,Bonn\n"), statementfile.Options{})
	if err != nil || !slices.Equal(lacking.Table.Lacks, []statementfile.Column{statementfile.BookingDate, statementfile.Amount}) ||
		len(lacking.Statements) != 0 {
		t.Errorf("%+v, %v", lacking, err)
	}
}

// A file that does not tell its encoding is read in the one in which its columns have names.
func TestCSVEncodings(t *testing.T) {
	polish := "Data operacji;Tytuł;Kwota;Obciążenia\n2026-03-02;Źródło;-1,00;\n"
	file, err := charmap.Windows1250.NewEncoder().String(polish)
	if err != nil {
		t.Fatal(err)
	}
	f := check(t, "windows-1250", file, statementfile.Options{Currency: "PLN"}, `
		= ||||PLN
		2|2026-03-02|||-1.00 PLN|||Źródło`)
	if f.Encoding != "windows-1250" {
		t.Errorf("%q", f.Encoding)
	}
	f = check(t, "windows-1252", "Datum;Betrag;Text\n2026-03-02;-1,00;M\xfcsli\n", statementfile.Options{Currency: "EUR"}, `
		= ||||EUR
		2|2026-03-02|||-1.00 EUR|||Müsli`)
	if f.Encoding != "windows-1252" {
		t.Errorf("%q", f.Encoding)
	}
	check(t, "as the person says", "Datum;Betrag;Text\n2026-03-02;-1,00;\xa4\n", statementfile.Options{Currency: "EUR", Reading: statementfile.Reading{Encoding: "iso-8859-15"}}, `
		= ||||EUR
		2|2026-03-02|||-1.00 EUR|||€`)
}
