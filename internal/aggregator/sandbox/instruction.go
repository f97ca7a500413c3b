package sandbox

import (
	"cmp"
	"encoding/xml"
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"florin/internal/iban"
	"florin/internal/money"
	"florin/internal/openbanking"
	payrefs "florin/internal/reference"
)

// Limits of a bank's app.
const (
	MaxInstruction = 1_000_000 // bytes of a text or a file
	MaxTransfers   = 1000      // of a file: as many as an order of the API may have
	maxCodeBytes   = 331       // of a payment code (EPC069-12)
	codeLines      = 12
)

// Reasons why a bank's app cannot read an instruction.
var (
	ErrNoInstruction      = errors.New("sandbox: there is no code, link or file")
	ErrLongInstruction    = errors.New("sandbox: the text or the file is too long")
	ErrUnknownInstruction = errors.New("sandbox: this is no payment code, payto link or pain.001 file")
	ErrBrokenCode         = errors.New("sandbox: the payment code breaks the rules of EPC069-12")
	ErrBrokenLink         = errors.New("sandbox: the payto link breaks the rules of RFC 8905")
	ErrBrokenFile         = errors.New("sandbox: the pain.001 file cannot be read")
	ErrManyTransfers      = errors.New("sandbox: the pain.001 file holds too many payments")
	ErrWrongTotals        = errors.New("sandbox: the pain.001 file holds other payments than it says")
	ErrSeveralDebtors     = errors.New("sandbox: the pain.001 file pays from several accounts")
)

// TransferFault is why a bank's app refuses a transfer; empty when it accepts it.
type TransferFault string

// Values of TransferFault.
const (
	FaultAccount  TransferFault = "account"  // the IBAN fails its check
	FaultAmount   TransferFault = "amount"   // none, or not above zero
	FaultCurrency TransferFault = "currency" // not euros
	FaultPayee    TransferFault = "payee"    // no name
)

// AppTransfer is one transfer of an instruction.
type AppTransfer struct {
	openbanking.CreditTransferTransaction // as given when Fault is set

	Number int    // in the file, from 1
	Total  string // id of its group in the file (PmtInfId), when the group is booked as one sum
	Fault  TransferFault
}

// instruction is a code, a link or a file for the app of a bank.
type instruction struct {
	message   string // of a file: its message id, by which the bank recognises a repeated file
	debtor    string // of a file: the IBAN of the paying account
	transfers []AppTransfer
}

// readInstruction parses a payment code (EPC069-12), a payto link (RFC 8905) or a pain.001 file (ISO 20022, versions 3 to 12). The errors are those above.
func readInstruction(text string) (instruction, error) {
	text = strings.TrimSpace(strings.TrimPrefix(strings.ReplaceAll(text, "\r\n", "\n"), "\ufeff")) // forms end lines with CR and LF
	switch {
	case text == "":
		return instruction{}, ErrNoInstruction
	case len(text) > MaxInstruction:
		return instruction{}, ErrLongInstruction
	case !utf8.ValidString(text):
		return instruction{}, ErrUnknownInstruction
	case strings.HasPrefix(text, "BCD"):
		return readCode(text)
	case strings.HasPrefix(strings.ToLower(text), "payto:"):
		return readLink(text)
	case strings.HasPrefix(text, "<"):
		return readFile(text)
	}
	return instruction{}, ErrUnknownInstruction
}

// asked are the parts of a transfer, as given.
type asked struct{ name, account, bic, amount, currency, endToEnd, reference, text, date string }

// transfer returns a transfer, with the reason when the bank refuses it.
func (a asked) transfer(number int) AppTransfer {
	t := AppTransfer{Number: number}
	t.Beneficiary.Creditor = &openbanking.PartyIdentification{Name: &a.name}
	t.Beneficiary.CreditorAccount = openbanking.GenericIdentification{Identification: a.account, SchemeName: openbanking.SchemeNameIBAN}
	t.InstructedAmount = openbanking.AmountType{Amount: a.amount, Currency: a.currency}
	if a.bic != "" {
		t.Beneficiary.CreditorAgent = &openbanking.FinancialInstitutionIdentification{BICFI: &a.bic}
	}
	if a.text != "" {
		t.RemittanceInformation = []string{a.text}
	}
	t.ReferenceNumber = textOrNil(a.reference)
	if a.endToEnd != "" && a.endToEnd != "NOTPROVIDED" {
		t.PaymentID = &openbanking.PaymentIdentification{EndToEndID: &a.endToEnd}
	}
	if _, ok := parseDay(openbanking.Date(a.date)); ok {
		day := openbanking.Date(a.date)
		t.RequestedExecutionDate = &day
	}
	payee, wrongAccount := iban.Parse(a.account)
	amount, wrongAmount := money.Parse(a.amount, "EUR")
	switch {
	case a.name == "":
		t.Fault = FaultPayee
	case wrongAccount != nil:
		t.Fault = FaultAccount
	case a.currency != "EUR" && a.amount != "":
		t.Fault = FaultCurrency
	case wrongAmount != nil || amount.Sign() <= 0:
		t.Fault = FaultAmount
	default:
		t.Beneficiary.CreditorAccount.Identification, t.InstructedAmount.Amount = payee.String(), amount.String()
	}
	return t
}

// readCode parses a payment code. Empty lines at its end may be missing.
func readCode(text string) (instruction, error) {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	lines := strings.Split(text, "\n")
	if len(text) > maxCodeBytes || len(lines) > codeLines {
		return instruction{}, ErrBrokenCode
	}
	lines = append(lines, make([]string, codeLines-len(lines))...)
	first := lines[1] == "001"
	switch {
	case lines[0] != "BCD", !first && lines[1] != "002", len(lines[2]) != 1 || lines[2] < "1" || lines[2] > "8", lines[3] != "SCT" && lines[3] != "INST",
		first && lines[4] == "", lines[9] != "" && lines[10] != "":
		return instruction{}, ErrBrokenCode
	}
	a := asked{name: lines[5], account: lines[6], bic: lines[4], reference: lines[9], text: lines[10]}
	if amount := lines[7]; amount != "" {
		if len(amount) < 4 {
			return instruction{}, ErrBrokenCode
		}
		a.currency, a.amount = amount[:3], amount[3:]
	}
	return instruction{transfers: []AppTransfer{a.transfer(1)}}, nil
}

// linkOptions are the options of a payto link that RFC 8905 knows. Each of them may be given once: a reader that took the first of two amounts would pay
// another one than a reader that takes the last.
var linkOptions = []string{"amount", "receiver-name", "sender-name", "message", "instruction"}

// readLink reads a link of the form payto://iban/[BIC/]IBAN?amount=EUR:12.30&receiver-name=…&message=…. A plus sign in it is a plus sign.
func readLink(text string) (instruction, error) {
	link, err := url.Parse(text)
	if err != nil || !strings.EqualFold(link.Host, "iban") {
		return instruction{}, ErrBrokenLink
	}
	query, err := url.ParseQuery(strings.ReplaceAll(link.RawQuery, "+", "%2B"))
	path := strings.Split(strings.Trim(link.Path, "/"), "/")
	currency, amount, named := strings.Cut(query.Get("amount"), ":")
	twice := slices.ContainsFunc(linkOptions, func(option string) bool { return len(query[option]) > 1 })
	if err != nil || twice || len(path) > 2 || query.Has("amount") && !named {
		return instruction{}, ErrBrokenLink
	}
	a := asked{name: query.Get("receiver-name"), account: path[len(path)-1], amount: amount, currency: currency, text: query.Get("message")}
	if len(path) == 2 {
		a.bic = path[0]
	}
	if id := query.Get("instruction"); payrefs.Check(openbanking.ReferenceNumberSchemeINTL, id) == nil {
		a.reference = id
	} else {
		a.endToEnd = id
	}
	return instruction{transfers: []AppTransfer{a.transfer(1)}}, nil
}

// painFile holds the elements that the bank reads from a pain.001. Of namespaces it only checks the name of the message.
type painFile struct {
	XMLName xml.Name `xml:"Document"`
	Header  struct {
		ID    string `xml:"MsgId"`
		Count string `xml:"NbOfTxs"`
		Sum   string `xml:"CtrlSum"`
	} `xml:"CstmrCdtTrfInitn>GrpHdr"`
	Groups []struct {
		ID    string `xml:"PmtInfId"`
		Batch string `xml:"BtchBookg"`
		Day   struct {
			Text string `xml:",chardata"`
			Date string `xml:"Dt"`
		} `xml:"ReqdExctnDt"`
		Debtor    string `xml:"DbtrAcct>Id>IBAN"`
		Transfers []struct {
			EndToEnd string `xml:"PmtId>EndToEndId"`
			Amount   struct {
				Currency string `xml:"Ccy,attr"`
				Text     string `xml:",chardata"`
			} `xml:"Amt>InstdAmt"`
			BIC       string   `xml:"CdtrAgt>FinInstnId>BIC"`
			BICFI     string   `xml:"CdtrAgt>FinInstnId>BICFI"`
			Name      string   `xml:"Cdtr>Nm"`
			Account   string   `xml:"CdtrAcct>Id>IBAN"`
			Text      []string `xml:"RmtInf>Ustrd"`
			Reference string   `xml:"RmtInf>Strd>CdtrRefInf>Ref"`
		} `xml:"CdtTrfTxInf"`
	} `xml:"CstmrCdtTrfInitn>PmtInf"`
}

var painName = regexp.MustCompile(`^urn:iso:std:iso:20022:tech:xsd:pain\.001\.001\.(0[3-9]|1[0-2])$`)

// readFile reads a pain.001.
func readFile(text string) (instruction, error) {
	if strings.Count(text, "CdtTrfTxInf") > 2*MaxTransfers { // each has two tags; refusing before parsing saves memory
		return instruction{}, ErrManyTransfers
	}
	var file painFile
	if err := xml.Unmarshal([]byte(text), &file); err != nil || !painName.MatchString(file.XMLName.Space) || file.Header.ID == "" {
		return instruction{}, ErrBrokenFile
	}
	in := instruction{message: strings.TrimSpace(file.Header.ID)}
	var sum money.Amount
	summed := true
	for _, group := range file.Groups {
		debtor := strings.TrimSpace(group.Debtor)
		if in.debtor != "" && debtor != in.debtor {
			return instruction{}, ErrSeveralDebtors
		}
		in.debtor = debtor
		total := ""
		if batch := strings.TrimSpace(group.Batch); batch == "true" || batch == "1" {
			total = cmp.Or(strings.TrimSpace(group.ID), in.message)
		}
		for _, t := range group.Transfers {
			transfer := asked{
				name: strings.TrimSpace(t.Name), account: strings.TrimSpace(t.Account), bic: strings.TrimSpace(t.BIC + t.BICFI),
				amount: strings.TrimSpace(t.Amount.Text), currency: t.Amount.Currency, endToEnd: strings.TrimSpace(t.EndToEnd),
				reference: strings.TrimSpace(t.Reference), text: strings.TrimSpace(strings.Join(t.Text, " ")),
				date: strings.TrimSpace(group.Day.Text) + strings.TrimSpace(group.Day.Date),
			}.transfer(len(in.transfers) + 1)
			transfer.Total = total
			in.transfers = append(in.transfers, transfer)
			amount, err := money.Parse(strings.TrimSpace(t.Amount.Text), "EUR")
			if err == nil {
				if sum.Currency() == "" {
					sum = amount
				} else {
					sum, err = sum.Add(amount)
				}
			}
			summed = summed && err == nil && t.Amount.Currency == "EUR"
		}
	}
	if len(in.transfers) == 0 || in.debtor == "" {
		return instruction{}, ErrBrokenFile
	}
	if len(in.transfers) > MaxTransfers { // in tags without an end
		return instruction{}, ErrManyTransfers
	}
	if n, err := strconv.Atoi(strings.TrimSpace(file.Header.Count)); err != nil || n != len(in.transfers) {
		return instruction{}, ErrWrongTotals
	}
	if said := strings.TrimSpace(file.Header.Sum); said != "" && summed {
		if stated, err := money.Parse(said, "EUR"); err != nil || stated != sum {
			return instruction{}, ErrWrongTotals
		}
	}
	return in, nil
}
