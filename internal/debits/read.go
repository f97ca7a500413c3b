package debits

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"florin/internal/finance"
	"florin/internal/openbanking"
)

// Scheme is the SEPA scheme by which a debit was collected.
type Scheme string

// Values of Scheme.
const (
	Core     Scheme = "core" // also when the bank does not name the scheme: it is the one for consumers
	Business Scheme = "b2b"  // SEPA Direct Debit Business-to-Business, without a refund of an authorised debit
)

// Signs are the details of a direct debit in a record of a bank, as the bank writes them.
type Signs struct {
	Scheme   Scheme
	OneOff   bool   // its mandate is for this debit alone (OODD, sequence type OOFF)
	Creditor string // creditor identifier (EPC rulebook: AT-02), in capitals without spaces; "" when not given
	Mandate  string // unique mandate reference (AT-01); "" when not given
	Returned bool   // the bank calls it a return, refund or reversal
}

// creditorText matches a creditor identifier in a text: country, check digits, business code, national part (EPC262-08). Without a label it requires the
// business code ZZZ, which almost all identifiers have.
var (
	creditorText  = regexp.MustCompile(`(?i)\b([A-Z]{2}[0-9]{2} ?ZZZ ?[0-9A-Z]{1,28})\b`)
	creditorShape = regexp.MustCompile(`^[A-Z]{2}[0-9]{2}[0-9A-Z]{4,31}$`)
)

// Labels that banks write before the values, in the languages of the supported banks. Where the label of the mandate contains the word for the creditor, the
// mandate is looked for first.
var (
	creditorLabel = regexp.MustCompile(`(?i)(?:\bCRED\s*[+:]|\bCI\s*[:/]|\b(?:creditor[ -]?id\w*|gläubiger[ -]?id\w*|glaeubiger[ -]?id\w*|incassant(?:[ -]?id)?|id\s+emetteur|ics|creditore|id\.?\s*acreedor|identificativo creditore)\b\s*[:./]?)\s*`) //nolint:misspell // Italian
	mandateLabel  = regexp.MustCompile(`(?i)(?:\bMREF\s*[+:]|\b(?:mandatsreferenz\w*|mandatsref\w*|mandatsnummer|mandatreferentie|mandate\s+(?:reference|ref|id)|mandate|mandat|mandato|machtigingskenmerk|machtiging|kenmerk\s+machtiging|mdt|rum|mndtid)\b\s*[:./]?)\s*`)
	kenmerk       = regexp.MustCompile(`(?i)\bkenmerk\b\s*:\s*`) // it is also used in other payments, and is a mandate only next to an Incassant
	nextLabel     = regexp.MustCompile(`(?i)\b[a-zäöüé]{2,16}\s?[+:]|\b(?:REF|ID|MDT|ICS|RUM)/|\bcreditore\b|\bcrediteur\b|\bomschrijving\b`)
)

// These words and codes of banks describe a direct debit more precisely than its kind.
var (
	businessWords = regexp.MustCompile(`(?i)\b(?:BBDD|B2B|firmenlastschrift|firmen-lastschrift|interentreprises|bedrijfsincasso|bedrijven)\b`)
	oneOffWords   = regexp.MustCompile(`(?i)\b(?:OODD|OOFF|einmallastschrift|einmal-lastschrift)\b`)
	returnWords   = regexp.MustCompile(`(?i)(?:\b(?:UPDD|PRDD|RRTN|ARET|RTRN|storno|retour|rückgabe|rueckgabe|returned|refund|reversal|impayé|remboursement|devolución|devolucion|insoluto|storno\s+addebito|teruggave|stornering)\b|rücklastschrift|ruecklastschrift|lastschriftrückgabe)`)
)

// Read returns what a record says about a direct debit. ok is false when it is neither a direct debit nor the return of one.
func Read(t openbanking.Transaction) (s Signs, ok bool) {
	s.Scheme = Core
	kind := codes(t)
	text := strings.Join(t.RemittanceInformation, "\n")
	s.Creditor, s.Mandate = creditorOf(t, text), mandateOf(t, text)
	direct := finance.MeansOf(t) == finance.MeansDirectDebit
	s.Returned = returnWords.MatchString(kind) || returnWords.MatchString(text)
	if !direct && s.Creditor == "" && (!s.Returned || t.CreditDebitIndicator != openbanking.CreditDebitIndicatorCRDT) {
		return Signs{}, false
	}
	if businessWords.MatchString(kind) {
		s.Scheme = Business
	}
	s.OneOff = oneOffWords.MatchString(kind)
	return s, true
}

// codes returns the codes and words of the bank for the kind of the transaction.
func codes(t openbanking.Transaction) string {
	c := t.BankTransactionCode
	if c == nil {
		return ""
	}
	var all []string
	for _, p := range []*string{c.Code, c.SubCode, c.Description} {
		if p != nil {
			all = append(all, strings.NewReplacer("-", " ", "_", " ", "/", " ").Replace(*p))
		}
	}
	return strings.Join(all, " ")
}

// creditorOf returns the creditor identifier: the one in the fields of the creditor, else the one in the text.
func creditorOf(t openbanking.Transaction, text string) string {
	if c := t.Creditor; c != nil {
		for _, id := range []*openbanking.GenericIdentification{c.OrganisationID, c.PrivateID} {
			if id != nil && creditorText.MatchString(id.Identification) {
				return compact(id.Identification)
			}
		}
	}
	for line := range strings.Lines(text) {
		if at := creditorLabel.FindStringIndex(line); at != nil {
			if id := labelledCreditor(line[at[1]:]); id != "" {
				return id
			}
		}
	}
	if found := creditorText.FindStringSubmatch(text); found != nil {
		return compact(found[1])
	}
	return ""
}

// labelledCreditor returns the creditor identifier at the beginning of a text, written in groups or not.
func labelledCreditor(text string) string {
	if at := nextLabel.FindStringIndex(text); at != nil {
		text = text[:at[0]]
	}
	id := ""
	for word := range strings.FieldsSeq(text) {
		longer := compact(id + word)
		if id != "" && len(longer) > wholeLength(longer) {
			break
		}
		if id = longer; len(compact(word)) > group || len(id) >= wholeLength(id) {
			break
		}
	}
	if !creditorShape.MatchString(id) {
		return ""
	}
	return id
}

// lengths are the numbers of characters of creditor identifiers, for countries in which all are of one length (EPC262-08).
var lengths = map[string]int{"AT": 18, "DE": 18, "ES": 16, "FI": 15, "FR": 13, "IE": 13, "IT": 23, "LU": 26, "NL": 19, "PT": 13}

// group is the largest number of characters in a group of an identifier.
const group = 8

// wholeLength returns how many characters a creditor identifier with this beginning has. For countries that are not in lengths it returns the shortest
// length.
func wholeLength(id string) int {
	if len(id) >= 2 && lengths[id[:2]] > 0 {
		return lengths[id[:2]]
	}
	return 13
}

// mandateOf returns the mandate reference: the reference number of scheme SDDM, else the text after a label, else the text after the creditor identifier.
func mandateOf(t openbanking.Transaction, text string) string {
	if s := t.ReferenceNumberSchema; s != nil && *s == openbanking.ReferenceNumberSchemeSDDM && t.ReferenceNumber != nil {
		return finance.Clean(*t.ReferenceNumber)
	}
	lines := slices.Collect(strings.Lines(text))
	for _, label := range []*regexp.Regexp{mandateLabel, kenmerk} {
		if label == kenmerk && !creditorLabel.MatchString(text) && !creditorText.MatchString(text) {
			continue
		}
		for _, line := range lines {
			for _, at := range label.FindAllStringIndex(line, -1) {
				exact := strings.HasSuffix(strings.TrimSpace(line[at[0]:at[1]]), "+") // a SEPA field in MT940: only the reference follows
				if value := mandateAt(line[at[1]:], exact); value != "" {
					return value
				}
			}
		}
	}
	for i, line := range lines {
		at := creditorText.FindStringIndex(line)
		if at == nil {
			continue
		}
		rest := line[at[1]:]
		if strings.TrimSpace(rest) == "" && i+1 < len(lines) { // the label is a line of its own
			rest = lines[i+1]
			if value := mandateAt(rest, false); value == finance.Clean(rest) {
				return value
			}
			continue
		}
		if nextLabel.FindStringIndex(rest) == nil {
			return mandateAt(rest, false)
		}
	}
	return ""
}

// longest is the largest number of characters in a mandate reference.
const longest = 35

// mandateAt returns the mandate reference at the beginning of a text. Banks also write references in groups; groups of letters and digits are joined.
func mandateAt(text string, exact bool) string {
	if at := creditorText.FindStringIndex(text); at != nil {
		text = text[:at[0]]
	}
	if at := nextLabel.FindStringIndex(text); at != nil {
		text = text[:at[0]]
	}
	if exact {
		if text = finance.Clean(text); len(text) <= longest && hasDigit(text) {
			return text
		}
	}
	var groups []string
	length := 0
	for word := range strings.FieldsSeq(text) {
		word = strings.Trim(word, ",;:")
		plain := strings.IndexFunc(word, func(r rune) bool { return !unicode.IsDigit(r) && !unicode.IsUpper(r) }) < 0
		begun := slices.ContainsFunc(groups, hasDigit)
		if length+len(word) > longest || begun && (!plain || !hasDigit(word)) || !begun && len(groups) > 0 && !hasDigit(word) {
			break
		}
		groups, length = append(groups, word), length+len(word)+1
	}
	value := strings.Join(groups, " ")
	if !hasDigit(value) {
		return ""
	}
	return value
}

func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }

// compact returns the letters and digits of a text, in capitals.
func compact(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToUpper(r)
		}
		return -1
	}, text)
}

// CreditorKey returns the same key for all identifiers of one creditor. It leaves out the business code, which a creditor chooses for its departments and
// which the check digits do not cover (EPC262-08).
func CreditorKey(id string) string {
	id = compact(id)
	if !creditorShape.MatchString(id) {
		return id
	}
	return id[:4] + id[7:]
}

// prefixes are labels that banks join to a mandate reference.
var prefixes = []string{"MANDATSREFERENZ", "MANDATSREF", "MANDATREF", "MANDATE", "MANDAT", "MANDATO", "MREF", "MNDTID", "RUM"}

// MandateKey returns the same key for all spellings of one mandate reference: with and without spaces, in any case, with leading zeros, and with a label.
func MandateKey(reference string) string {
	key := compact(reference)
	for _, p := range prefixes {
		if rest, ok := strings.CutPrefix(key, p); ok && hasDigit(rest) {
			key = rest
			break
		}
	}
	if rest := strings.TrimLeft(key, "0"); rest != "" {
		return rest
	}
	return key
}

// cut is how many characters two references of one mandate share at least when one bank shortens the reference.
const cut = 8

// sameMandate reports whether two keys may belong to one mandate. An unknown one ("") matches every mandate.
func sameMandate(a, b string) bool {
	if a == "" || b == "" || a == b {
		return true
	}
	if len(a) > len(b) {
		a, b = b, a
	}
	return len(a) >= cut && (strings.HasPrefix(b, a) || strings.HasSuffix(b, a))
}
