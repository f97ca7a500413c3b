package categories

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Payee is who a row is with, as a person would say it.
type Payee struct {
	Name      string // clean; "" when nobody is named
	Key       string // Key of Name without legal forms: equal for two spellings of one payee
	Processor bool   // paid through a service that many merchants share, such as PayPal
}

// PayeeOf returns who a row is with: the counterparty without the prefix of a payment service, numbers of terminals and the city; where the bank names
// nobody, the merchant that its text begins with.
func PayeeOf(f Facts) Payee {
	name, processor := f.Name, false
	if name == "" {
		name = namedIn(f.Text)
	} else if service.MatchString(name) {
		processor = true
		if m := boughtAt.FindStringSubmatch(f.Text); m != nil {
			name = m[1]
		}
	}
	name, shared := CleanName(name)
	return Payee{name, nameKey(name), processor || shared}
}

// namedIn is whom a text names that a bank made up: what stands between the words that banks write before a name and those behind it. Another text is
// what it is.
func namedIn(text string) string {
	if m := labelled(text); m != "" {
		text = m
	} else if name := leadingWords.ReplaceAllString(text, ""); name != text {
		text = name
	} else {
		return text
	}
	if at := trailing.FindStringIndex(text); at != nil && at[0] > 0 {
		text = text[:at[0]]
	}
	return text
}

// labelled is what stands behind a word that stands before the name alone, "" when there is none.
func labelled(text string) string {
	if !strings.Contains(text, ":") { // as in most texts, and the expression is slow
		return ""
	}
	if m := label.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

var (
	// prefixes of payment services before the name of the merchant, as terminals and card networks write them.
	prefixes = regexp.MustCompile(`(?i)^(?:(?:sum ?up|paypal|pp|zettle|izettle|iz|sq|square|tst|cko|wpy|klarna|mollie|adyen|stripe|payu|dotpay|p24|paytrail|nexi|worldline|lsp|sp|ppro)\s*[*_]+\s*\*?\s*|(?:sumup|zettle|izettle)\s+)`)
	// service are payment services that take the money themselves.
	service = regexp.MustCompile(`(?i)^(paypal|klarna|mollie|adyen|stripe|payu|paytrail|sumup|unzer|ratepay)\b`)
	// boughtAt is how they write in the text at whom it was bought.
	boughtAt = regexp.MustCompile(`(?i)(?:ihr einkauf bei|your purchase at|votre achat chez|su compra en|il tuo acquisto (?:su|presso)|uw aankoop bij|pp\.\d+\.pp\s*[./]?)\s*,?\s*([^,/]+)`)
	// label is a word that stands before the name alone.
	label = regexp.MustCompile(`(?i)\b(?:naam|nom|nome|nombre|name|saaja|mottagare|odbiorca):\s+(.+)$`)
	// leadingWords are what banks write before the name in the text of a card payment, a direct debit or a transfer.
	leadingWords = regexp.MustCompile(`(?i)^(?:(?:kartenzahlung|kartenumsatz|debitkarte|kreditkarte|girocard|lastschrift|sepa|visa|mastercard|maestro|achat|paiement|par|carte|cb|x\d{4}|prlv|` +
		`prélèvement|prelevement|vir|virement|reçu|recu|inst|card|purchase|payment|pos|debit|compra|pago|con|tarjeta|recibo|transferencia (?:a favor )?de|a favor de|` +
		`pagamento|tramite|carta|\*?\d{4}|presso|addebito|diretto|sdd|bonifico (?:da|a favore di)|a favore di|betaling|betaalautomaat|betaalpas|pin|bea|incasso|` +
		`apple pay|google pay|korttiosto|kortköp|kortkop|kortti|platnosc|płatność|karta|kartą|zakup|to|at|in|en|chez|bei|\d{1,2}[./-]\d{1,2}(?:[./-]\d{2,4})?\.?|\d{1,2}:\d{2})[\s:,]+)+`)
	// transferred is how texts of transfers begin.
	transferred = regexp.MustCompile(`(?i)^(?:sepa\s)?(?:vir|virement|transferencia|bonifico|overboeking|überweisung|gutschrift|transfer|przelew|tilisiirto|överföring)\b`)
	// trailing is where what banks write behind the name begins.
	trailing = regexp.MustCompile(`(?i),|\s(?:karte|carte|carta|tarjeta|kaart|kort|cb\*|nr:|causale\b|concepto\b|omschrijving\b|motif\b|machtiging\b|mandato\b|creditore\b|ref\.|` +
		`id emetteur|mdt/|[emc]ref:|cred:|\d{1,2}[./]\d{1,2}[./]\d{2,4}|\d{1,2}/\d{4}).*$`)
	// thanks and everything behind it is politeness.
	thanks = regexp.MustCompile(`(?i)\s+(sagt danke|dankt|thank you|merci)\b.*$`)
	// terminal is the number of a terminal, a branch or an order.
	terminal = regexp.MustCompile(`^(?:[#*]?\d{2,}[\d/.-]*|[#*]\w+|(?:\pL*\d){3,}\w*|nr\.?|no\.?|fil\.?)$`)
	// address is a web address around a name.
	address = regexp.MustCompile(`(?i)^(?:https?://)?(?:www\.)?([\pL\d-]+)\.(?:com|de|fr|es|it|nl|fi|se|pl|co\.uk|eu|net|org|at|ch|be|io)(?:/\S*)?$`)
)

// countryCodes are those with which card networks end the name of a merchant.
var countryCodes = map[string]bool{"AT": true, "BE": true, "CH": true, "CZ": true, "DE": true, "DK": true, "EE": true, "ES": true, "FI": true, "FR": true,
	"GB": true, "HU": true, "IE": true, "IT": true, "LT": true, "LU": true, "LV": true, "NL": true, "NO": true, "PL": true, "PT": true, "SE": true,
	"SK": true, "US": true, "DEU": true, "FRA": true, "ESP": true, "ITA": true, "NLD": true, "FIN": true, "SWE": true, "POL": true, "AUT": true, "GBR": true,
	"IRL": true, "LUX": true}

// CleanName returns the name of a payee without the prefix of a payment service, numbers of terminals, the city behind it and politeness, and whether
// there was a payment service. A name of which nothing would be left stays as it is.
func CleanName(name string) (clean string, processor bool) {
	name = strings.TrimSpace(name)
	original := name
	if at := prefixes.FindStringIndex(name); at != nil && at[1] < len(name) {
		name, processor = name[at[1]:], true
	}
	if before, _, ok := strings.Cut(name, "//"); ok {
		name = before
	}
	if before, _, ok := strings.Cut(name, `\`); ok {
		name = before
	}
	if before, after, ok := strings.Cut(name, "*"); ok && utf8.RuneCountInString(before) >= 4 && strings.ContainsAny(after, "0123456789") {
		name = before // AMZN Mktp DE*2K4AB
	}
	name = thanks.ReplaceAllString(name, "")
	words := strings.Fields(name)
	if n := len(words); n > 1 && countryCodes[words[n-1]] {
		words = words[:n-1]
		if n > 3 && !legalForms[Key(words[n-2])] {
			words = words[:n-2] // the city
		}
	}
	kept := words[:0:0]
	for i, w := range words {
		w = strings.Trim(w, ",;:")
		if m := address.FindStringSubmatch(w); m != nil {
			w = m[1]
		}
		if i > 0 && terminal.MatchString(strings.ToLower(w)) || w == "" {
			continue
		}
		kept = append(kept, w)
	}
	clean = strings.TrimRight(strings.Join(kept, " "), " .,-/*&")
	if clean == "" {
		return original, processor
	}
	return readable(clean), processor
}

// readable writes a name in capitals as people write it; words of up to three letters may be abbreviations and stay.
func readable(name string) string {
	if strings.ContainsFunc(name, unicode.IsLower) || utf8.RuneCountInString(name) <= 4 {
		return name
	}
	words := strings.Fields(name)
	for i, w := range words {
		if r := []rune(w); len(r) > 3 && !strings.ContainsFunc(w, unicode.IsDigit) {
			words[i] = string(r[0]) + strings.ToLower(string(r[1:]))
		}
	}
	return strings.Join(words, " ")
}

// legalForms are left out where names are compared.
var legalForms = map[string]bool{"gmbh": true, "mbh": true, "ag": true, "kg": true, "kgaa": true, "ohg": true, "ug": true, "ev": true, "eg": true, "gbr": true, "co": true,
	"ltd": true, "limited": true, "plc": true, "llc": true, "llp": true, "inc": true, "sa": true, "sas": true, "sarl": true, "sca": true, "cie": true,
	"spa": true, "srl": true, "sl": true, "slu": true, "bv": true, "nv": true, "oy": true, "oyj": true, "ab": true, "publ": true, "as": true, "asa": true,
	"aps": true, "spzoo": true, "sp": true, "zoo": true, "eu": true, "se": true}

// nameKey is the Key of a name without legal forms at its end.
func nameKey(name string) string {
	words := strings.Fields(Key(name))
	for len(words) > 1 && (legalForms[words[len(words)-1]] || utf8.RuneCountInString(words[len(words)-1]) == 1 && len(words) > 2) {
		words = words[:len(words)-1]
	}
	return strings.Join(words, " ")
}

// plainLetters are letters that have no accent to take away.
var plainLetters = map[rune]string{'ß': "ss", 'ø': "o", 'æ': "ae", 'œ': "oe", 'ł': "l", 'đ': "d", 'ð': "d", 'þ': "th", 'ı': "i"}

// Key writes a text so that spellings of one name are equal: small letters without accents, one space between words, no punctuation.
func Key(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	if strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) {
		text = norm.NFKD.String(text)
	}
	text = strings.ToLower(text)
	gap := false
	for _, r := range text {
		switch {
		case unicode.Is(unicode.Mn, r) || r == '\'' || r == '’' || r == '‘' || r == '`':
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if gap && b.Len() > 0 {
				b.WriteByte(' ')
			}
			gap = false
			if plain, ok := plainLetters[r]; ok {
				b.WriteString(plain)
			} else {
				b.WriteRune(r)
			}
		default:
			gap = true
		}
	}
	return b.String()
}
