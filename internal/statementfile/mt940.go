package statementfile

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"florin/internal/openbanking"
)

// mt940Start matches the first lines of MT940, whatever blocks and bank names precede them.
var mt940Start = regexp.MustCompile(`(?m)^(?:\{.*)?:20:.*\n(?s:.{0,200})^:25P?:`)

var (
	mt940Tag = regexp.MustCompile(`^:([0-9]{2}[A-Z]?):`)
	// Statement line (SWIFT, Standards MT, field 61): value date, entry date, side, funds code, amount, type, references.
	mt940Line    = regexp.MustCompile(`^([0-9]{6})([0-9]{4})?(R?[CD]|E[CD])([A-Z])?([0-9]+,[0-9]*)([NSF][A-Z0-9]{3})?(.*)$`)
	mt940Balance = regexp.MustCompile(`^([CD])([0-9]{6})([A-Z]{3})([0-9]+,[0-9]*)$`)
	// Information of field 86 in numbered parts, as German and Polish banks write it: a code of the transaction, then a sign and a number before each part.
	mt940Numbered = regexp.MustCompile(`^([0-9]{3})([^0-9A-Za-z\s])[0-9]{2}`)
	// Information of field 86 in named parts, as Dutch banks write it.
	mt940Named = regexp.MustCompile(`/(TRTP|IBAN|BIC|NAME|REMI|EREF|CNTP|MARF|CSID|BENM|ORDP|ISDT|PREF|RTRN|ADDR|ID|PURP|ULTD|ULTC|TRCD|SVCL|ULTB)/`)
	sepaMark   = regexp.MustCompile(`^(?:EREF|KREF|MREF|BREF|RREF|CRED|DEBT|COAM|OAMT|SVWZ|ABWA|ABWE|IBAN|BIC|PURP|DDAT|TAN1?)\+`)
)

// mt940Field is a field of a message with its lines.
type mt940Field struct {
	line int
	tag  string
	text []string
}

// mt940Fields splits a file into the fields of its messages. It removes the headers and trailers of pages.
func mt940Fields(text string) (fields []mt940Field) {
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimRight(strings.TrimLeft(line, "\f"), "\n\f")
		if i := strings.Index(line, "{4:"); i >= 0 || strings.HasPrefix(line, "{") {
			line = line[max(0, i)+min(3, max(0, i+1)*3):]
			if strings.HasPrefix(line, "{") {
				continue
			}
		}
		trimmed := strings.TrimSpace(line)
		switch m := mt940Tag.FindStringSubmatch(line); {
		case m != nil:
			fields = append(fields, mt940Field{line: number, tag: m[1], text: []string{line[len(m[0]):]}})
		case trimmed == "", trimmed == "-", strings.HasPrefix(trimmed, "-}"), len(fields) == 0:
		default:
			last := &fields[len(fields)-1]
			last.text = append(last.text, line)
		}
	}
	return fields
}

// readMT940 reads MT940 (SWIFT, Standards MT, category 9). A statement may be split into several messages, one per page.
func readMT940(text string) (File, error) {
	r := mt940Reader{file: File{Format: MT940}}
	for _, field := range mt940Fields(text) {
		r.field(field)
	}
	r.end()
	return r.file, nil
}

type mt940Reader struct {
	file    File
	account Account
	at      *Statement // nil before the first opening balance
	row     *draft     // the row that waits for its information (field 86)
}

// end adds the pending row to its statement.
func (r *mt940Reader) end() {
	if r.row != nil {
		r.file.add(r.at, r.row)
		r.row = nil
	}
}

func (r *mt940Reader) field(f mt940Field) {
	if f.tag != "86" {
		r.end()
	}
	first := strings.TrimSpace(f.text[0])
	switch f.tag {
	case "20":
		r.at = nil
	case "25", "25P":
		r.account = Account{}
		r.account.setNumber(first)
	case "60F", "60M":
		balance, ok := mt940BalanceOf(first)
		if !ok {
			r.file.unread(f.line, WrongLine{})
			return
		}
		r.account.Currency = balance.Amount.Currency()
		n := len(r.file.Statements)
		if f.tag == "60M" && n > 0 && r.file.Statements[n-1].Account == r.account {
			r.at = &r.file.Statements[n-1] // this message is its next page
			return
		}
		r.file.Statements = append(r.file.Statements, Statement{Account: r.account, Opening: &balance})
		r.at = &r.file.Statements[n]
	case "61":
		d, reason := r.line(f)
		if reason != nil {
			r.file.unread(f.line, reason)
			return
		}
		r.row = &d
	case "86":
		if r.row != nil {
			mt940Information(r.row, f.text)
		}
	case "62F", "62M":
		if balance, ok := mt940BalanceOf(first); ok && r.at != nil {
			r.at.Closing = &balance
		}
		r.row = nil
	}
}

// mt940BalanceOf parses a balance: side, day, currency, amount.
func mt940BalanceOf(text string) (Balance, bool) {
	m := mt940Balance.FindStringSubmatch(text)
	if m == nil {
		return Balance{}, false
	}
	day, known := parseDay(m[2][:2]+"-"+m[2][2:4]+"-"+m[2][4:], YearMonthDay)
	amount, reason := parseAmount(m[4], Comma, m[3])
	if m[1] == "D" {
		amount = amount.Neg()
	}
	return Balance{Amount: amount, Date: day}, known && reason == nil
}

// line reads a statement line.
func (r *mt940Reader) line(f mt940Field) (draft, Finding) {
	m := mt940Line.FindStringSubmatch(strings.TrimSpace(f.text[0]))
	if m == nil || r.at == nil {
		return draft{}, WrongLine{}
	}
	d := draft{line: f.line}
	var known bool
	if d.value, known = parseDay(m[1][:2]+"-"+m[1][2:4]+"-"+m[1][4:], YearMonthDay); !known {
		return d, WrongDay{Text: m[1]}
	}
	if d.booking = d.value; m[2] != "" {
		if d.booking, known = nearest(d.value, m[2]); !known {
			return d, WrongDay{Text: m[2]}
		}
	}
	var reason Finding
	if d.amount, reason = parseAmount(m[5], Comma, r.at.Account.Currency); reason != nil {
		return d, reason
	}
	if m[3] == "D" || m[3] == "RC" || m[3] == "ED" { // a reversed credit is money out
		d.amount = d.amount.Neg()
	}
	customer, bank, _ := strings.Cut(m[7], "//")
	customer = strings.TrimSuffix(strings.TrimSpace(customer), "+")
	if !slices.Contains([]string{"NONREF", "EREF", "KREF"}, customer) { // the latter two: see field 86
		d.endToEnd = customer
	}
	d.entryReference = strings.TrimSpace(bank)
	if len(f.text) > 1 && !strings.HasPrefix(f.text[1], "/") {
		d.text = append(d.text, strings.TrimSpace(strings.Join(f.text[1:], " ")))
	}
	return d, nil
}

// nearest returns the date with the given day of the month (MMDD) that is nearest to another date: the entry date has no year.
func nearest(to openbanking.Date, monthDay string) (best openbanking.Date, ok bool) {
	at, err := to.Time()
	if err != nil {
		return "", false
	}
	distance := 0.0
	for year := at.Year() - 1; year <= at.Year()+1; year++ {
		day, known := parseDay(strconv.Itoa(year)+monthDay, YearMonthDay)
		if !known {
			continue
		}
		t, err := day.Time()
		if away := max(t.Sub(at), at.Sub(t)).Hours(); err == nil && (!ok || away < distance) {
			best, distance, ok = day, away, true
		}
	}
	return best, ok
}

// mt940Information reads the information to the account owner.
func mt940Information(d *draft, lines []string) {
	whole := strings.Join(lines, "")
	if m := mt940Numbered.FindStringSubmatch(whole); m != nil {
		mt940Parts(d, whole[3:], m[2])
		return
	}
	if flat := strings.Join(lines, ""); mt940Named.MatchString(flat) {
		mt940Keys(d, flat)
		return
	}
	text := ""
	for i, line := range lines {
		switch {
		case i == 0:
			text = line
		case len(lines[i-1]) >= 65: // a full line may end in the middle of a word
			text += line
		default:
			text += " " + strings.TrimSpace(line)
		}
	}
	d.text = append(d.text, strings.Join(strings.Fields(text), " "))
}

// mt940Parts reads numbered parts (Deutsche Kreditwirtschaft: Anlage 3 der DFÜ-Abkommen, Geschäftsvorfallcodes): 00 is the kind, 20 to 29 and 60 to 63 the
// text, 30 the bank, 31 the account, 32 and 33 the name of the counterparty.
func mt940Parts(d *draft, text, sign string) {
	const width = 27 // characters of a part; a full one continues in the next
	var lines []string
	previous := ""
	var name []string
	for _, part := range strings.Split(text, sign)[1:] {
		if len(part) < 2 {
			continue
		}
		number, err := strconv.Atoi(part[:2])
		content := part[2:]
		if err != nil { // the sign is part of the text
			if len(lines) > 0 {
				lines[len(lines)-1] += sign + part
			}
			continue
		}
		trimmed := strings.TrimSpace(content)
		switch {
		case number == 0:
			d.kind = trimmed
		case number >= 20 && number <= 29 || number >= 60 && number <= 63:
			switch {
			case len(lines) == 0 || sepaMark.MatchString(trimmed):
				lines = append(lines, content)
			case len([]rune(previous)) >= width:
				lines[len(lines)-1] += content
			default:
				lines[len(lines)-1] = strings.TrimRight(lines[len(lines)-1], " ") + " " + trimmed
			}
			previous = content
		case number == 30:
			d.bic = trimmed
		case number == 31, number == 38:
			if trimmed != "" {
				d.account = trimmed
			}
		case number == 32 || number == 33:
			name = append(name, content)
		}
	}
	if len(name) == 2 && len([]rune(name[0])) < width {
		name[0] += " "
	}
	d.name = strings.TrimSpace(strings.Join(name, ""))
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	d.marked(lines)
}

// marked reads the references from lines that begin with a SEPA mark. Other lines are text.
func (d *draft) marked(lines []string) {
	for _, line := range lines {
		mark, rest, _ := strings.Cut(line, "+")
		switch rest = strings.TrimSpace(rest); {
		case !sepaMark.MatchString(line):
			d.text = append(d.text, line)
		case mark == "EREF":
			d.endToEnd = rest
		case mark == "MREF":
			d.mandate = rest
		case mark == "CRED":
			d.creditor = rest
		case mark == "SVWZ":
			d.text = append(d.text, rest)
		case mark == "IBAN":
			d.account = strings.Fields(rest + " ")[0]
		case mark == "BIC":
			d.bic = rest
		case mark == "ABWA" || mark == "ABWE": // on behalf of somebody else
			d.text = append(d.text, rest)
		case mark == "PURP":
			d.text = append(d.text, line)
		}
	}
}

// mt940Keys reads named parts: /NAME/J JANSEN/REMI/text. The parts of CNTP are account, BIC, name and town; those of REMI begin with a word for their form.
func mt940Keys(d *draft, text string) {
	places := mt940Named.FindAllStringSubmatchIndex(text, -1)
	if before := strings.TrimSpace(text[:places[0][0]]); before != "" {
		d.text = append(d.text, before)
	}
	for i, place := range places {
		end := len(text)
		if i+1 < len(places) {
			end = places[i+1][0]
		}
		value := strings.TrimSpace(strings.Trim(text[place[1]:end], "/"))
		if value == "" {
			continue
		}
		switch text[place[2]:place[3]] {
		case "IBAN":
			d.account = value
		case "BIC":
			d.bic = value
		case "NAME":
			d.name = value
		case "TRTP":
			d.kind = value
		case "EREF":
			d.endToEnd = value
		case "MARF":
			d.mandate = value
		case "CSID":
			d.creditor = value
		case "CNTP":
			parts := append(strings.Split(value, "/"), "", "", "")
			d.account, d.bic, d.name = parts[0], parts[1], parts[2]
		case "REMI":
			parts := strings.Split(value, "/")
			if len(parts) > 1 && (parts[0] == "USTD" || parts[0] == "STRD") {
				parts = slices.DeleteFunc(parts[1:], func(s string) bool { return s == "" })
			}
			d.text = append(d.text, strings.Join(parts, "/"))
		case "PURP":
			d.text = append(d.text, "PURP+"+value)
		}
	}
}
