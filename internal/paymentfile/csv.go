package paymentfile

import (
	"encoding/csv"
	"slices"
	"strings"
	"unicode"

	"florin/internal/finance"
	"florin/internal/iban"
	"florin/internal/openbanking"
	"florin/internal/textfile"
)

// columns are the names by which a column of a CSV file is known, in small letters and without signs. A text may have several lines: text, text2, text3.
var columns = map[string][]string{
	"name": {"name", "payee", "payeename", "creditor", "creditorname", "recipient", "recipientname", "beneficiary", "beneficiaryname", "accountholder",
		"empfänger", "empfaenger", "empfängername", "namedesempfängers", "zahlungsempfänger", "zahlungsempfaenger", "begünstigter", "beguenstigter", "kontoinhaber"},
	"account": {"iban", "account", "accountnumber", "accountno", "payeeiban", "creditoriban", "recipientiban", "beneficiaryiban", "creditoraccount",
		"ibandesempfängers",
		"konto", "kontonummer", "ibanempfänger", "empfängeriban", "ibanzahlungsempfänger", "zahlungsempfängeriban"},
	"scheme":   {"scheme", "accountscheme", "kontoart"},
	"bic":      {"bic", "swift", "bicswift", "swiftbic", "bicorswift", "biccode", "swiftcode"},
	"amount":   {"amount", "sum", "value", "betrag", "summe"},
	"currency": {"currency", "currencycode", "ccy", "währung", "waehrung", "währungscode"},
	"text": {"text", "text1", "remittance", "remittanceinformation", "message", "description", "purpose", "paymentdetails", "referencetext", "subject",
		"verwendungszweck", "verwendungszweck1", "zweck", "mitteilung", "betreff"},
	"text2": {"text2", "verwendungszweck2"},
	"text3": {"text3", "verwendungszweck3"},
	"text4": {"text4", "verwendungszweck4"},
	"reference": {"reference", "referencenumber", "ref", "creditorreference", "paymentreference", "structuredreference", "referenz", "referenznummer",
		"zahlungsreferenz", "strukturiertereferenz"},
	"date": {"date", "executiondate", "requestedexecutiondate", "paymentdate", "datum", "ausführungsdatum", "ausfuehrungsdatum", "ausführung",
		"ausführungstermin"},
	"street":   {"street", "streetname", "straße", "strasse"},
	"building": {"building", "buildingnumber", "housenumber", "hausnummer"},
	"postCode": {"postcode", "postalcode", "zip", "zipcode", "plz", "postleitzahl"},
	"town":     {"town", "townname", "city", "ort", "stadt"},
	"country":  {"country", "countrycode", "land", "ländercode"},
	"address":  {"address", "address1", "addressline", "addressline1", "adresse", "anschrift"},
	"address2": {"address2", "addressline2", "adresse2"},
	"endToEnd": {"endtoendid", "endtoend", "endtoendreference", "e2e", "e2eid", "endtoendreferenz", "endezuendereferenz"},
}

// maxColumns bounds how many columns a file has.
const maxColumns = 200

// columnOf is the column with a name, "" for none that is known.
func columnOf(name string) string {
	key := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, finance.Typed(name))
	for column, names := range columns {
		if slices.Contains(names, key) {
			return column
		}
	}
	return ""
}

// sheet is a CSV file that is being read.
type sheet struct {
	comma    rune
	width    int // columns of the first line
	at       map[string]int
	unknown  []string
	currency string // of rows without one
}

// parseCSV reads a CSV file with a first line that names the columns. currency is that of rows without one.
func parseCSV(text, currency string) (File, error) {
	lines, comma, err := textfile.Table(text)
	if err != nil {
		return File{}, err
	}
	if len(lines) == 0 {
		return File{}, refuse(NoPayment{})
	}
	s := sheet{comma: comma, currency: currency, at: map[string]int{}}
	if err := s.header(lines[0].Cells); err != nil {
		return File{}, err
	}
	var b File
	for _, line := range lines[1:] {
		if len(b.Rows) == MaxRows {
			return File{}, refuse(TooManyPayments{Most: MaxRows})
		}
		b.Rows = append(b.Rows, s.row(line))
	}
	if len(b.Rows) == 0 {
		return File{}, refuse(NoPayment{Header: true})
	}
	for _, name := range s.unknown {
		b.Notes = append(b.Notes, UnknownColumn{Name: finance.Excerpt(name)})
	}
	return b, nil
}

func (s *sheet) header(names []string) error {
	if s.width = len(names); s.width > maxColumns {
		return refuse(TooManyColumns{Count: s.width, Most: maxColumns})
	}
	for i, name := range names {
		column := columnOf(name)
		if _, twice := s.at[column]; twice && column != "" {
			return refuse(SameColumn{Column: columns[column][0], First: finance.Excerpt(names[s.at[column]]), Second: finance.Excerpt(name)})
		}
		switch {
		case column != "":
			s.at[column] = i
		case finance.Typed(name) != "":
			s.unknown = append(s.unknown, name)
		}
	}
	if len(s.at) == 0 && slices.ContainsFunc(names, isIBAN) {
		return refuse(NoHeader{})
	}
	for _, column := range []string{"name", "account", "amount"} {
		if _, ok := s.at[column]; !ok {
			return refuse(NoColumn{Column: columns[column][0]})
		}
	}
	return nil
}

func isIBAN(text string) bool {
	_, err := iban.Parse(text)
	return err == nil
}

func (s *sheet) row(line textfile.Line) Row {
	record := line.Cells
	cell := func(column string) string {
		if i, ok := s.at[column]; ok && i < len(record) {
			return strings.TrimSpace(record[i])
		}
		return ""
	}
	r := raw{line: line.Number, name: cell("name"), account: cell("account"), bic: cell("bic"), amount: cell("amount"), currency: cell("currency"),
		date:     cell("date"),
		endToEnd: cell("endToEnd"), reference: cell("reference"), text: []string{cell("text"), cell("text2"), cell("text3"), cell("text4")},
		scheme: openbanking.SchemeName(strings.ToUpper(cell("scheme")))}
	if r.currency == "" {
		r.currency = s.currency
	}
	r.address = painAddress{Street: cell("street"), Building: cell("building"), PostCode: cell("postCode"), Town: cell("town"), Country: cell("country"),
		Lines: []string{cell("address"), cell("address2")}}.wire()
	row := r.row()
	if len(record) > s.width {
		row.Faults = append(row.Faults, LongLine{Columns: len(record), Header: s.width, Separator: s.comma})
	} else if len(record) < s.width {
		row.Faults = append(row.Faults, ShortLine{Columns: len(record), Header: s.width})
	}
	return row
}

// CSV writes transfers as a CSV file that is read as the same transfers again, with the columns that are needed.
func CSV(transfers []openbanking.CreditTransferTransaction) string {
	head := []string{"name", "iban", "amount", "currency", "text", "reference", "date", "bic", "text2", "text3", "text4", "scheme", "end_to_end_id",
		"street", "building", "post_code", "town", "country", "address", "address2"}
	const always = 8 // columns
	rows := make([][]string, 0, len(transfers))
	used := make([]bool, len(head))
	for _, t := range transfers {
		row := csvRow(t)
		for i := range row {
			used[i] = used[i] || i < always || row[i] != ""
		}
		rows = append(rows, row)
	}
	var b strings.Builder
	w := csv.NewWriter(&b)
	for _, row := range append([][]string{head}, rows...) {
		var some []string
		for i, cell := range row {
			if used[i] || i < always {
				some = append(some, cell)
			}
		}
		_ = w.Write(some) // a strings.Builder takes everything
	}
	w.Flush()
	return b.String()
}

func csvRow(t openbanking.CreditTransferTransaction) []string {
	var creditor openbanking.PartyIdentification
	var address openbanking.PostalAddress
	var agent openbanking.FinancialInstitutionIdentification
	var id openbanking.PaymentIdentification
	if t.Beneficiary.Creditor != nil {
		creditor = *t.Beneficiary.Creditor
	}
	if creditor.PostalAddress != nil {
		address = *creditor.PostalAddress
	}
	if t.Beneficiary.CreditorAgent != nil {
		agent = *t.Beneficiary.CreditorAgent
	}
	if t.PaymentID != nil {
		id = *t.PaymentID
	}
	account, scheme := t.Beneficiary.CreditorAccount, ""
	if account.SchemeName != openbanking.SchemeNameIBAN {
		scheme = string(account.SchemeName)
	}
	texts, lines := several(t.RemittanceInformation, 4), several(address.AddressLine, 2)
	return []string{deref(creditor.Name), account.Identification, t.InstructedAmount.Amount, t.InstructedAmount.Currency, texts[0], deref(t.ReferenceNumber),
		string(deref(t.RequestedExecutionDate)), deref(agent.BICFI),
		texts[1], texts[2], texts[3], scheme, deref(id.EndToEndID), deref(address.StreetName), deref(address.BuildingNumber), deref(address.PostCode),
		deref(address.TownName), deref(address.Country), lines[0], lines[1]}
}

// several are n texts: those that are too many stand in the last one.
func several(texts []string, n int) []string {
	texts = slices.DeleteFunc(slices.Clone(texts), func(s string) bool { return s == "" })
	if len(texts) > n {
		texts[n-1] = strings.Join(texts[n-1:], " ")
		texts = texts[:n]
	}
	return append(texts, make([]string, n-len(texts))...)
}
