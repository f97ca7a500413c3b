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
	Core     Scheme = "core" // or not told: a direct debit as consumers have it
	Business Scheme = "b2b"  // SEPA Direct Debit Business-to-Business, without a refund of an authorised debit
)

// Signs are what a record of a bank says of a direct debit, as the bank writes it.
type Signs struct {
	Scheme   Scheme
	OneOff   bool   // its mandate is for this debit alone (OODD, sequence type OOFF)
	Creditor string // creditor identifier (EPC rulebook: AT-02), in capitals without spaces; "" when not given
	Mandate  string // unique mandate reference (AT-01); "" when not given
	Returned bool   // the bank calls it the return, the refund or the reversal of one
}

// creditorText is a creditor identifier in a text: country, check digits, business code, national part (EPC262-08). Without a label it needs the business code
// that nearly all have.
var (
	creditorText  = regexp.MustCompile(`(?i)\b([A-Z]{2}[0-9]{2} ?ZZZ ?[0-9A-Z]{1,28})\b`)
	creditorShape = regexp.MustCompile(`^[A-Z]{2}[0-9]{2}[0-9A-Z]{4,31}$`)
)

// Labels that banks write in front of what they tell, in the languages of those that are reached. The one of the mandate is looked for first where it holds
// the word for the creditor, too.
var (
	creditorLabel = regexp.MustCompile(`(?i)(?:\bCRED\s*[+:]|\bCI\s*[:/]|\b(?:creditor[ -]?id\w*|gläubiger[ -]?id\w*|glaeubiger[ -]?id\w*|incassant(?:[ -]?id)?|id\s+emetteur|ics|creditore|id\.?\s*acreedor|identificativo creditore)\b\s*[:./]?)\s*`) //nolint:misspell // Italian
	mandateLabel  = regexp.MustCompile(`(?i)(?:\bMREF\s*[+:]|\b(?:mandatsreferenz\w*|mandatsref\w*|mandatsnummer|mandatreferentie|mandate\s+(?:reference|ref|id)|mandate|mandat|mandato|machtigingskenmerk|machtiging|kenmerk\s+machtiging|mdt|rum|mndtid)\b\s*[:./]?)\s*`)
	kenmerk       = regexp.MustCompile(`(?i)\bkenmerk\b\s*:\s*`) // also of other payments: it is a mandate beside an Incassant
	nextLabel     = regexp.MustCompile(`(?i)\b[a-zäöüé]{2,16}\s?[+:]|\b(?:REF|ID|MDT|ICS|RUM)/|\bcreditore\b|\bcrediteur\b|\bomschrijving\b`)
)

// schemes and kinds are words and codes of banks for what is more than a direct debit.
var (
	businessWords = regexp.MustCompile(`(?i)\b(?:BBDD|B2B|firmenlastschrift|firmen-lastschrift|interentreprises|bedrijfsincasso|bedrijven)\b`)
	oneOffWords   = regexp.MustCompile(`(?i)\b(?:OODD|OOFF|einmallastschrift|einmal-lastschrift)\b`)
	returnWords   = regexp.MustCompile(`(?i)(?:\b(?:UPDD|PRDD|RRTN|ARET|RTRN|storno|retour|rückgabe|rueckgabe|returned|refund|reversal|impayé|remboursement|devolución|devolucion|insoluto|storno\s+addebito|teruggave|stornering)\b|rücklastschrift|ruecklastschrift|lastschriftrückgabe)`)
)

// Read returns what a record says of a direct debit. ok is false for one that is none: money out by a mandate, or what comes back of it.
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

// codes are the codes and the words of a bank for the kind of a transaction.
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

// creditorOf finds the creditor identifier: the one that the bank gives as that of the organisation, else in the text.
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

// labelledCreditor is the creditor identifier at the beginning of a text, in groups or not.
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

// lengths are how many characters creditor identifiers have, in countries where all have as many (EPC262-08).
var lengths = map[string]int{"AT": 18, "DE": 18, "ES": 16, "FI": 15, "FR": 13, "IE": 13, "IT": 23, "LU": 26, "NL": 19, "PT": 13}

// group is how many characters stand together at most where an identifier is written in groups.
const group = 8

// wholeLength is how many characters a creditor identifier has that begins so; in other countries as many as the shortest.
func wholeLength(id string) int {
	if len(id) >= 2 && lengths[id[:2]] > 0 {
		return lengths[id[:2]]
	}
	return 13
}

// mandateOf finds the reference of the mandate: the reference number of its scheme, else behind a label of the text, else what stands behind the creditor
// identifier.
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
				exact := strings.HasSuffix(strings.TrimSpace(line[at[0]:at[1]]), "+") // SEPA's fields in MT940: what follows is the field and nothing else
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
		if strings.TrimSpace(rest) == "" && i+1 < len(lines) { // a line of its own, and nothing else in it
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

// longest is how many characters a mandate reference has at most.
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

// compact is a text in capitals, with its letters and digits alone.
func compact(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToUpper(r)
		}
		return -1
	}, text)
}

// CreditorKey is by which two creditor identifiers are of one creditor: without the business code, which a creditor gives to its departments and which its
// check digits leave out (EPC262-08).
func CreditorKey(id string) string {
	id = compact(id)
	if !creditorShape.MatchString(id) {
		return id
	}
	return id[:4] + id[7:]
}

// prefixes are what banks write in front of a mandate reference as part of it.
var prefixes = []string{"MANDATSREFERENZ", "MANDATSREF", "MANDATREF", "MANDATE", "MANDAT", "MANDATO", "MREF", "MNDTID", "RUM"}

// MandateKey is by which two references are of one mandate: banks write one with spaces and without, in any case, with zeros in front and with a label.
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

// sameMandate reports whether two keys are of one mandate. One that is not known may be any.
func sameMandate(a, b string) bool {
	if a == "" || b == "" || a == b {
		return true
	}
	if len(a) > len(b) {
		a, b = b, a
	}
	return len(a) >= cut && (strings.HasPrefix(b, a) || strings.HasSuffix(b, a))
}
