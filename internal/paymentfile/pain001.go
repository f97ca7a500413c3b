package paymentfile

import (
	"encoding/xml"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/textfile"
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

// painRead lists the elements of a file that are read, and those that do not affect who is paid, why and when. All others are reported as left out.
var painRead = strings.Fields(`Document CstmrCdtTrfInitn GrpHdr MsgId CreDtTm NbOfTxs CtrlSum InitgPty PmtInf PmtInfId PmtMtd BtchBookg PmtTpInf InstrPrty SvcLvl LclInstrm CtgyPurp ReqdExctnDt Dt DtTm
	Dbtr DbtrAcct DbtrAgt ChrgBr CdtTrfTxInf PmtId InstrId EndToEndId UETR Amt InstdAmt EqvtAmt CdtrAgt Cdtr CdtrAcct RmtInf Ustrd Strd CdtrRefInf AddtlRmtInf`)

// painWhole are elements that are taken or left with all that is in them.
var painWhole = strings.Fields(`InitgPty Dbtr DbtrAcct DbtrAgt SvcLvl LclInstrm CtgyPurp CdtrAgt Cdtr CdtrAcct CdtrRefInf EqvtAmt`)

// painNames are the namespaces of pain.001: of the standard, of the German banks (002 and 003) and of the Swiss ones. Versions before 3 have another form.
var painNames = regexp.MustCompile(`^(?:urn:iso:std:iso:20022:tech:xsd:pain\.001\.00[1-9]\.(?:0[3-9]|[1-9][0-9])(?:[._].*)?|https?://www\.six-interbank-clearing\.com/de/pain\.001\.001\.(?:0[3-9]|[1-9][0-9])\.ch\.[0-9]{2}\.xsd)$`)

// painOthers are files that are taken for a pain.001, by a part of their namespace.
var painOthers = []struct {
	name string
	kind MessageKind
}{{"pain.008", DirectDebit}, {"pain.002", BankAnswer}, {"camt.", Statement}, {"pain.001.001.02", OldPain001}}

// parsePain001 reads a pain.001 file.
func parsePain001(text string) (File, error) {
	left, err := scan(text)
	if err != nil {
		return File{}, err
	}
	var document pain001
	err = textfile.XML(text).Decode(&document)
	if err != nil || !painNames.MatchString(document.XMLName.Space) && (document.XMLName.Space != "" || document.Initiation == nil) {
		for _, other := range painOthers {
			if strings.Contains(document.XMLName.Space, other.name) {
				return File{}, refuse(OtherMessage{Kind: other.kind})
			}
		}
		return File{}, refuse(OtherMessage{Kind: OtherXML})
	}
	if document.Initiation == nil {
		return File{}, refuse(NoPayment{})
	}
	var b File
	p := painReader{file: &b}
	for i, payment := range document.Initiation.Payments {
		if err := p.payment(i, payment); err != nil {
			return File{}, err
		}
	}
	if len(b.Rows) == 0 {
		return File{}, refuse(NoPayment{})
	}
	b.controls(Group{}, document.Initiation.Header.Count, document.Initiation.Header.Sum, b.Rows)
	p.note(len(document.Initiation.Payments), left)
	return b, nil
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
		p.file.problemOnce(NoTransfer{Method: finance.Excerpt(method)})
	}
	if number, scheme := payment.Debtor.number(); number != "" {
		account := finance.PayeeAccountOf(openbanking.GenericIdentification{Identification: number, SchemeName: scheme})
		if p.file.Debtor.Number != "" && p.file.Debtor != account {
			p.file.problemOnce(SeveralDebtors{})
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
			return refuse(TooManyPayments{Most: MaxRows})
		}
		p.charges = distinct(p.charges, t.Charges, payment.Charges)
		p.priority = distinct(p.priority, t.Type.Priority, payment.Type.Priority)
		p.instant = p.instant || strings.HasPrefix(strings.TrimSpace(t.Type.Instrument+payment.Type.Instrument), "INST")
		p.file.Rows = append(p.file.Rows, t.row(len(p.file.Rows)+1, date))
	}
	p.file.controls(Group{Number: i + 1, ID: finance.Excerpt(payment.ID)}, payment.Count, payment.Sum, p.file.Rows[first:])
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
	r := raw{line: line, name: t.Name, bic: strings.TrimSpace(t.BIC + t.BICFI), amount: strings.TrimSpace(t.Amount.Text), currency: t.Amount.Currency,
		date:     date,
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
		row.Faults = append(row.Faults, SeveralReferences{Count: len(t.Refs)})
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
	w := openbanking.PostalAddress{StreetName: text(a.Street), BuildingNumber: text(a.Building), PostCode: text(a.PostCode), TownName: text(a.Town),
		Country: text(strings.ToUpper(a.Country))}
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
func (f *File) controls(group Group, count, sum string, rows []Row) {
	if count = strings.TrimSpace(count); count != "" {
		if n, err := strconv.Atoi(count); err != nil || n != len(rows) {
			f.Problems = append(f.Problems, WrongCount{Group: group, Stated: finance.Excerpt(count), Count: len(rows)})
		}
	}
	if sum = strings.TrimSpace(sum); sum == "" || slices.ContainsFunc(rows, func(r Row) bool { return r.Amount.IsZero() }) {
		return // an amount that cannot be read is reported already
	}
	totals, err := (&File{Rows: rows}).Totals()
	if err != nil || len(totals) != 1 {
		return // the sum of a file in several currencies is one of numbers
	}
	if stated, err := money.Parse(sum, totals[0].Currency()); err != nil || stated != totals[0] {
		f.Problems = append(f.Problems, WrongSum{Group: group, Stated: finance.Excerpt(sum), Sum: totals[0]})
	}
}

// note adds findings about instructions of the file that Florin does not follow as given.
func (p *painReader) note(groups int, left LeftOut) {
	b := p.file
	if groups > 1 {
		b.Notes = append(b.Notes, SeveralGroups{Count: groups})
	}
	if slices.ContainsFunc(p.batch, func(s string) bool { return s != "" }) {
		b.Notes = append(b.Notes, BatchBooking{})
	}
	if p.instant {
		b.problemOnce(Instant{})
	}
	p.charged()
	if i := slices.IndexFunc(p.priority, func(s string) bool { return s != "" }); i >= 0 {
		if priority := openbanking.PriorityCode(p.priority[i]); len(p.priority) > 1 {
			b.problemOnce(SeveralPriority{})
		} else if openbanking.Known(priority) {
			b.Priority = priority
		} else {
			b.problemOnce(UnknownPriority{Code: finance.Excerpt(string(priority))})
		}
	}
	if len(left.Elements) > 0 {
		b.Notes = append(b.Notes, left)
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
		p.file.problemOnce(SeveralCharges{})
	case !openbanking.Known(bearer):
		p.file.problemOnce(UnknownCharges{Code: finance.Excerpt(string(bearer))})
	default:
		p.file.Charges = bearer
	}
}

func (f *File) problemOnce(problem Finding) {
	if !slices.Contains(f.Problems, problem) {
		f.Problems = append(f.Problems, problem)
	}
}

// scan checks the whole file before any of it is used. left lists the elements that are not read.
func scan(text string) (left LeftOut, err error) {
	found := map[string]bool{}
	err = textfile.ScanXML(text, maxXMLDepth, func(open []string, name string) {
		if !slices.Contains(painRead, name) && !slices.ContainsFunc(open, func(s string) bool { return slices.Contains(painWhole, s) || found[s] }) {
			found[name] = true
		}
	})
	const most = 8
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if len(left.Elements) == most {
			left.More = true
			break
		}
		left.Elements = append(left.Elements, finance.Excerpt(name))
	}
	return left, err
}
