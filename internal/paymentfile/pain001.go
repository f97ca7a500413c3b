package paymentfile

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/openbanking"
)

// pain001 is the part of pain.001 (ISO 20022, customer credit transfer initiation) that is read. Versions differ in it only by the names of the date and of the
// BIC, which are read both ways.
type pain001 struct {
	XMLName    xml.Name `xml:"Document"`
	Initiation *struct {
		Header struct {
			Count string `xml:"NbOfTxs"`
			Sum   string `xml:"CtrlSum"`
		} `xml:"GrpHdr"`
		Payments []painPayment `xml:"PmtInf"`
	} `xml:"CstmrCdtTrfInitn"`
}

// painPayment is a group of transfers from one account on one day.
type painPayment struct {
	ID     string   `xml:"PmtInfId"`
	Method string   `xml:"PmtMtd"`
	Batch  string   `xml:"BtchBookg"`
	Count  string   `xml:"NbOfTxs"`
	Sum    string   `xml:"CtrlSum"`
	Type   painType `xml:"PmtTpInf"`
	Date   struct {
		Text string `xml:",chardata"`
		Date string `xml:"Dt"`
		Time string `xml:"DtTm"`
	} `xml:"ReqdExctnDt"`
	Debtor    painAccount    `xml:"DbtrAcct"`
	Charges   string         `xml:"ChrgBr"`
	Transfers []painTransfer `xml:"CdtTrfTxInf"`
}

type painType struct {
	Priority   string `xml:"InstrPrty"`
	Instrument string `xml:"LclInstrm>Cd"`
}

type painAccount struct {
	IBAN   string `xml:"Id>IBAN"`
	Other  string `xml:"Id>Othr>Id"`
	Code   string `xml:"Id>Othr>SchmeNm>Cd"`
	Scheme string `xml:"Id>Othr>SchmeNm>Prtry"`
}

type painTransfer struct {
	EndToEnd string   `xml:"PmtId>EndToEndId"`
	Type     painType `xml:"PmtTpInf"`
	Charges  string   `xml:"ChrgBr"`
	Amount   struct {
		Text     string `xml:",chardata"`
		Currency string `xml:"Ccy,attr"`
	} `xml:"Amt>InstdAmt"`
	BIC     string      `xml:"CdtrAgt>FinInstnId>BIC"`
	BICFI   string      `xml:"CdtrAgt>FinInstnId>BICFI"`
	Name    string      `xml:"Cdtr>Nm"`
	Address painAddress `xml:"Cdtr>PstlAdr"`
	Account painAccount `xml:"CdtrAcct"`
	Text    []string    `xml:"RmtInf>Ustrd"`
	Refs    []string    `xml:"RmtInf>Strd>CdtrRefInf>Ref"`
	More    []string    `xml:"RmtInf>Strd>AddtlRmtInf"`
}

type painAddress struct {
	Street   string   `xml:"StrtNm"`
	Building string   `xml:"BldgNb"`
	PostCode string   `xml:"PstCd"`
	Town     string   `xml:"TwnNm"`
	Country  string   `xml:"Ctry"`
	Lines    []string `xml:"AdrLine"`
}

// painRead are the elements of a file that are read, or that say nothing about where money goes, why and when. Anything else in a file is reported as left out.
var painRead = strings.Fields(`Document CstmrCdtTrfInitn GrpHdr MsgId CreDtTm NbOfTxs CtrlSum InitgPty PmtInf PmtInfId PmtMtd BtchBookg PmtTpInf InstrPrty SvcLvl LclInstrm CtgyPurp ReqdExctnDt Dt DtTm
	Dbtr DbtrAcct DbtrAgt ChrgBr CdtTrfTxInf PmtId InstrId EndToEndId UETR Amt InstdAmt EqvtAmt CdtrAgt Cdtr CdtrAcct RmtInf Ustrd Strd CdtrRefInf AddtlRmtInf`)

// painWhole are elements that are taken or left with all that is in them.
var painWhole = strings.Fields(`InitgPty Dbtr DbtrAcct DbtrAgt SvcLvl LclInstrm CtgyPurp CdtrAgt Cdtr CdtrAcct CdtrRefInf EqvtAmt`)

// painWords are elements that are left out, in words.
var painWords = map[string]string{
	"UltmtCdtr": "another final payee (UltmtCdtr)", "UltmtDbtr": "another payer (UltmtDbtr)", "Purp": "a purpose (Purp)", "RgltryRptg": "reports to authorities (RgltryRptg)",
	"IntrmyAgt1": "a bank between (IntrmyAgt1)", "InstrForCdtrAgt": "instructions for the payee’s bank (InstrForCdtrAgt)", "InstrForDbtrAgt": "instructions for your bank (InstrForDbtrAgt)",
	"RfrdDocInf": "documents referred to (RfrdDocInf)", "RfrdDocAmt": "amounts of documents (RfrdDocAmt)", "XchgRateInf": "an exchange rate (XchgRateInf)", "ChrgsAcct": "an account for charges (ChrgsAcct)", "PoolgAdjstmntDt": "a pooling date (PoolgAdjstmntDt)",
	"Tax": "taxes (Tax)", "RltdRmtInf": "where the remittance is found (RltdRmtInf)", "ChqInstr": "a cheque (ChqInstr)", "TaxRmt": "taxes (TaxRmt)", "GrnshmtRmt": "garnishments (GrnshmtRmt)",
}

// painNames are the namespaces of pain.001: of the standard, of the German banks (002 and 003) and of the Swiss ones. Versions before 3 have another form.
var painNames = regexp.MustCompile(`^(?:urn:iso:std:iso:20022:tech:xsd:pain\.001\.00[1-9]\.(?:0[3-9]|[1-9][0-9])(?:[._].*)?|https?://www\.six-interbank-clearing\.com/de/pain\.001\.001\.(?:0[3-9]|[1-9][0-9])\.ch\.[0-9]{2}\.xsd)$`)

// painOthers are files that are taken for a pain.001, with what they are.
var painOthers = []struct{ name, problem string }{
	{"pain.008", "the file is a direct debit (pain.008): it takes money from others and pays nobody. Choose a credit transfer, pain.001"},
	{"pain.002", "the file is the answer of a bank (pain.002), which pays nobody. Choose the pain.001 that it answers"},
	{"camt.", "the file is a statement of an account (camt), which pays nobody. Choose a credit transfer, pain.001"},
	{"pain.001.001.02", "the file is a pain.001 of a version that is too old. Export it as version 3 or later, such as pain.001.001.09"},
}

// parsePain001 reads a pain.001 file. Document types are refused, so there are no entities but those of XML itself (ASVS 1.5.1).
func parsePain001(text string) (File, error) {
	left, err := scanXML(text)
	if err != nil {
		return File{}, err
	}
	var document pain001
	err = reading(text).Decode(&document)
	if err != nil || !painNames.MatchString(document.XMLName.Space) && (document.XMLName.Space != "" || document.Initiation == nil) {
		for _, other := range painOthers {
			if strings.Contains(document.XMLName.Space, other.name) {
				return File{}, errors.New(other.problem)
			}
		}
		return File{}, errors.New("the file is XML but no pain.001: save it as “pain.001” or “SEPA credit transfer” in the program it comes from")
	}
	if document.Initiation == nil {
		return File{}, ErrEmpty
	}
	var b File
	p := painReader{file: &b}
	for i, payment := range document.Initiation.Payments {
		if err := p.payment(i, payment); err != nil {
			return File{}, err
		}
	}
	if len(b.Rows) == 0 {
		return File{}, ErrEmpty
	}
	b.controls("The file", document.Initiation.Header.Count, document.Initiation.Header.Sum, b.Rows)
	p.note(len(document.Initiation.Payments), left)
	return b, nil
}

// reading reads a text whatever alphabet it declares: it is UTF-8 already.
func reading(text string) *xml.Decoder {
	d := xml.NewDecoder(strings.NewReader(text))
	d.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil }
	return d
}

// painReader gathers what the groups of a file say.
type painReader struct {
	file     *File
	batch    []string
	charges  []string
	priority []string
	instant  bool
}

func (p *painReader) payment(i int, payment painPayment) error {
	if method := strings.TrimSpace(payment.Method); method != "" && method != "TRF" && method != "TRA" {
		p.file.problemOnce("The file pays by “" + finance.Excerpt(method) + "” (PmtMtd) and not by transfer (TRF). Only transfers are possible.")
	}
	if number, scheme := payment.Debtor.number(); number != "" {
		account := finance.PayeeAccountOf(openbanking.GenericIdentification{Identification: number, SchemeName: scheme})
		if p.file.Debtor.Number != "" && p.file.Debtor != account {
			p.file.problemOnce("The file pays from more than one account. Make one file for each.")
		}
		p.file.Debtor = account
	}
	date := strings.TrimSpace(payment.Date.Date)
	if moment := strings.TrimSpace(payment.Date.Time); date == "" && len(moment) >= len("2026-12-31") {
		date = moment[:len("2026-12-31")]
	}
	if date == "" {
		date = strings.TrimSpace(payment.Date.Text)
	}
	p.batch = distinct(p.batch, payment.Batch)
	first := len(p.file.Rows)
	for _, t := range payment.Transfers {
		if len(p.file.Rows) == MaxRows {
			return ErrRows
		}
		p.charges = distinct(p.charges, t.Charges, payment.Charges)
		p.priority = distinct(p.priority, t.Type.Priority, payment.Type.Priority)
		p.instant = p.instant || strings.HasPrefix(strings.TrimSpace(t.Type.Instrument+payment.Type.Instrument), "INST")
		p.file.Rows = append(p.file.Rows, t.row(len(p.file.Rows)+1, date))
	}
	where := "The group " + strconv.Itoa(i+1)
	if id := finance.Excerpt(payment.ID); id != "" {
		where += " (" + id + ")"
	}
	p.file.controls(where, payment.Count, payment.Sum, p.file.Rows[first:])
	return nil
}

// distinct adds the first text that is not empty to a list of different ones; "" when all are.
func distinct(list []string, texts ...string) []string {
	said := ""
	for _, text := range texts {
		if said == "" {
			said = strings.TrimSpace(text)
		}
	}
	if slices.Contains(list, said) {
		return list
	}
	return append(list, said)
}

func (a painAccount) number() (string, openbanking.SchemeName) {
	if number := strings.TrimSpace(a.IBAN); number != "" {
		return number, openbanking.SchemeNameIBAN
	}
	scheme := openbanking.SchemeName(strings.ToUpper(strings.TrimSpace(a.Code + a.Scheme)))
	if !openbanking.Known(scheme) {
		scheme = openbanking.SchemeNameBBAN
	}
	return strings.TrimSpace(a.Other), scheme
}

func (t painTransfer) row(line int, date string) Row {
	r := raw{line: line, name: t.Name, bic: strings.TrimSpace(t.BIC + t.BICFI), amount: strings.TrimSpace(t.Amount.Text), currency: t.Amount.Currency, date: date,
		endToEnd: t.EndToEnd, text: append(slices.Clone(t.Text), t.More...), address: t.Address.wire(), plain: true}
	r.account, r.scheme = t.Account.number()
	if r.account == "" {
		r.scheme = openbanking.SchemeNameIBAN
	}
	if len(t.Refs) > 0 {
		r.reference = t.Refs[0]
	}
	row := r.row()
	if len(t.Refs) > 1 {
		row.Faults = append(row.Faults, RowFault{"reference", fmt.Sprintf("The payment has %d references; one is possible. Make a payment for each.", len(t.Refs))})
	}
	return row
}

// wire is the address as it is sent, nil when there is none.
func (a painAddress) wire() *openbanking.PostalAddress {
	text := func(s string) *string {
		if s = finance.Typed(s); s == "" {
			return nil
		}
		return &s
	}
	w := openbanking.PostalAddress{StreetName: text(a.Street), BuildingNumber: text(a.Building), PostCode: text(a.PostCode), TownName: text(a.Town), Country: text(strings.ToUpper(a.Country))}
	for _, line := range a.Lines {
		if line = finance.Typed(line); line != "" {
			w.AddressLine = append(w.AddressLine, line)
		}
	}
	if w.StreetName == nil && w.BuildingNumber == nil && w.PostCode == nil && w.TownName == nil && w.Country == nil && w.AddressLine == nil {
		return nil
	}
	return &w
}

// controls compares what a file or a group of it says about itself with what it holds.
func (b *File) controls(what, count, sum string, rows []Row) {
	if count = strings.TrimSpace(count); count != "" {
		if n, err := strconv.Atoi(count); err != nil || n != len(rows) {
			b.Problems = append(b.Problems, fmt.Sprintf("%s says that it holds %s payments (NbOfTxs); it holds %d. It may be damaged or cut off: export it anew.", what, finance.Excerpt(count), len(rows)))
		}
	}
	if sum = strings.TrimSpace(sum); sum == "" || slices.ContainsFunc(rows, func(r Row) bool { return r.Amount.IsZero() }) {
		return // an amount that cannot be read is reported already
	}
	group := File{Rows: rows}
	totals, err := group.Totals()
	if err != nil || len(totals) != 1 {
		return // the sum of a file in several currencies is one of numbers
	}
	if stated, err := money.Parse(sum, totals[0].Currency()); err != nil || stated != totals[0] {
		b.Problems = append(b.Problems, fmt.Sprintf("%s says that its payments make %s (CtrlSum); they make %s. It may be damaged or changed by hand: export it anew.", what, finance.Excerpt(sum), totals[0]))
	}
}

// note says what becomes of what the file asks for, beside its transfers.
func (p *painReader) note(groups int, left []string) {
	b := p.file
	if groups > 1 {
		b.Notes = append(b.Notes, fmt.Sprintf("The file has %d groups of payments (PmtInf). They become one bulk with one approval.", groups))
	}
	if slices.ContainsFunc(p.batch, func(s string) bool { return s != "" }) {
		b.Notes = append(b.Notes, "The file says how the payments are to be booked, in one sum or each by itself (BtchBookg). There is no such wish here: your bank books them as it always does.")
	}
	if p.instant {
		b.problemOnce("The file asks for instant payments (LclInstrm INST), and a bulk is none. Export it as standard transfers, or pay one after the other.")
	}
	p.charged()
	if i := slices.IndexFunc(p.priority, func(s string) bool { return s != "" }); i >= 0 {
		if priority := openbanking.PriorityCode(p.priority[i]); len(p.priority) > 1 {
			b.problemOnce("The file has payments of different priority (InstrPrty), and a bulk has one. Make one file for each.")
		} else if openbanking.Known(priority) {
			b.Priority = priority
		} else {
			b.problemOnce("The file has the priority “" + finance.Excerpt(string(priority)) + "” (InstrPrty), which does not exist. It is NORM or HIGH, or is left out.")
		}
	}
	if len(left) > 0 {
		b.Notes = append(b.Notes, "The file also says what cannot be sent here, and is left out: "+strings.Join(left, ", ")+".")
	}
}

// charged reads who bears the charges, which is one for all.
func (p *painReader) charged() {
	i := slices.IndexFunc(p.charges, func(s string) bool { return s != "" })
	if i < 0 {
		return
	}
	bearer := openbanking.ChargeBearerCode(p.charges[i])
	switch {
	case len(p.charges) > 1:
		p.file.problemOnce("The payments of the file differ in who bears the charges (ChrgBr), and a bulk has one rule. Make one file for each.")
	case !openbanking.Known(bearer):
		p.file.problemOnce("The file says “" + finance.Excerpt(string(bearer)) + "” of who bears the charges (ChrgBr). It is SLEV, SHAR, DEBT or CRED, or is left out.")
	default:
		p.file.Charges = bearer
	}
}

func (b *File) problemOnce(text string) {
	if !slices.Contains(b.Problems, text) {
		b.Problems = append(b.Problems, text)
	}
}

// scanXML looks at the whole file before any of it is believed: it is well-formed, not deep, and has no document type. left is what is in it beside
// what is read, in words.
func scanXML(text string) (left []string, err error) {
	decoder := reading(text)
	var open []string
	found := map[string]bool{}
	for {
		token, err := decoder.RawToken()
		if errors.Is(err, io.EOF) && len(open) == 0 {
			break
		}
		if end, ok := token.(xml.EndElement); ok && (len(open) == 0 || open[len(open)-1] != end.Name.Local) {
			err = errors.New("an end without its beginning")
		}
		if err != nil {
			line, _ := decoder.InputPos()
			return nil, fmt.Errorf("the file is no well-formed XML: look at line %d. It may be cut off or changed by hand: export it anew", line)
		}
		switch t := token.(type) {
		case xml.Directive:
			return nil, errors.New("the file has a document type (DOCTYPE), which no pain.001 needs and which can do harm. Take that line out, or export the file anew")
		case xml.StartElement:
			if len(open) == maxXMLDepth {
				return nil, errors.New("the file is nested too deeply for a pain.001. Export it anew")
			}
			name := t.Name.Local
			if !slices.Contains(painRead, name) && !slices.ContainsFunc(open, func(s string) bool { return slices.Contains(painWhole, s) || found[s] }) {
				found[name] = true
			}
			open = append(open, name)
		case xml.EndElement:
			open = open[:len(open)-1]
		}
	}
	const most = 8
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if len(left) == most {
			return append(left, "and more"), nil
		}
		if words := painWords[name]; words != "" {
			left = append(left, words)
		} else {
			left = append(left, finance.Excerpt(name))
		}
	}
	return left, nil
}
