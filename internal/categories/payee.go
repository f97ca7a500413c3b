package categories

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Payee is the counterparty of a row, as a person would call it.
type Payee struct {
	Name      string // clean; "" when nobody is named
	Key       string // the Key of Name without legal forms: equal for all spellings of one payee
	Processor bool   // paid through a service that many merchants share, such as PayPal
}

// PayeeOf returns the counterparty of a row without the prefix of a payment service, terminal numbers and the city. When the bank names nobody, it returns
// the merchant at the beginning of the text.
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

// namedIn returns the name in a text that a bank has composed: the part between the bank's words before a name and those after it. Any other text is returned
// unchanged.
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

// labelled returns the text after a label that only precedes names; "" when there is none.
func labelled(text string) string {
	if !strings.Contains(text, ":") { // most texts have none, and the expression is slow
		return ""
	}
	if m := label.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

var (
	// prefixes matches payment services before the name of the merchant, as terminals and card networks write them.
	prefixes = regexp.MustCompile(`(?i)^(?:(?:sum ?up|paypal|pp|zettle|izettle|iz|sq|square|tst|cko|wpy|klarna|mollie|adyen|stripe|payu|dotpay|p24|paytrail|nexi|worldline|lsp|sp|ppro)\s*[*_]+\s*\*?\s*|(?:sumup|zettle|izettle)\s+)`)
	// service matches payment services that collect the money themselves.
	service = regexp.MustCompile(`(?i)^(paypal|klarna|mollie|adyen|stripe|payu|paytrail|sumup|unzer|ratepay)\b`)
	// boughtAt matches how these services name the merchant in the text.
	boughtAt = regexp.MustCompile(`(?i)(?:ihr einkauf bei|your purchase at|votre achat chez|su compra en|il tuo acquisto (?:su|presso)|uw aankoop bij|pp\.\d+\.pp\s*[./]?)\s*,?\s*([^,/]+)`)
	// label matches a word that only precedes names.
	label = regexp.MustCompile(`(?i)\b(?:naam|nom|nome|nombre|name|saaja|mottagare|odbiorca):\s+(.+)$`)
	// leadingWords matches what banks write before the name in the text of a card payment, a direct debit or a transfer.
	leadingWords = regexp.MustCompile(`(?i)^(?:(?:kartenzahlung|kartenumsatz|debitkarte|kreditkarte|girocard|lastschrift|sepa|visa|mastercard|maestro|achat|paiement|par|carte|cb|x\d{4}|prlv|` +
		`prélèvement|prelevement|vir|virement|reçu|recu|inst|card|purchase|payment|pos|debit|compra|pago|con|tarjeta|recibo|transferencia (?:a favor )?de|a favor de|` +
		`pagamento|tramite|carta|\*?\d{4}|presso|addebito|diretto|sdd|bonifico (?:da|a favore di)|a favore di|betaling|betaalautomaat|betaalpas|pin|bea|incasso|` +
		`apple pay|google pay|korttiosto|kortköp|kortkop|kortti|platnosc|płatność|karta|kartą|zakup|to|at|in|en|chez|bei|\d{1,2}[./-]\d{1,2}(?:[./-]\d{2,4})?\.?|\d{1,2}:\d{2})[\s:,]+)+`)
	// transferred matches the beginnings of texts of transfers.
	transferred = regexp.MustCompile(`(?i)^(?:sepa\s)?(?:vir|virement|transferencia|bonifico|overboeking|überweisung|gutschrift|transfer|przelew|tilisiirto|överföring)\b`)
	// trailing matches what banks write after the name.
	trailing = regexp.MustCompile(`(?i),|\s(?:karte|carte|carta|tarjeta|kaart|kort|cb\*|nr:|causale\b|concepto\b|omschrijving\b|motif\b|machtiging\b|mandato\b|creditore\b|ref\.|` +
		`id emetteur|mdt/|[emc]ref:|cred:|\d{1,2}[./]\d{1,2}[./]\d{2,4}|\d{1,2}/\d{4}).*$`)
	// thanks matches a polite phrase and everything after it.
	thanks = regexp.MustCompile(`(?i)\s+(sagt danke|dankt|thank you|merci)\b.*$`)
	// terminal matches the number of a terminal, a branch or an order.
	terminal = regexp.MustCompile(`^(?:[#*]?\d{2,}[\d/.-]*|[#*]\w+|(?:\pL*\d){3,}\w*|nr\.?|no\.?|fil\.?)$`)
	// address matches a web address that contains the name.
	address = regexp.MustCompile(`(?i)^(?:https?://)?(?:www\.)?([\pL\d-]+)\.(?:com|de|fr|es|it|nl|fi|se|pl|co\.uk|eu|net|org|at|ch|be|io)(?:/\S*)?$`)
)

// countryCodes are the country codes with which card networks end the name of a merchant.
var countryCodes = map[string]bool{"AT": true, "BE": true, "CH": true, "CZ": true, "DE": true, "DK": true, "EE": true, "ES": true, "FI": true, "FR": true,
	"GB": true, "HU": true, "IE": true, "IT": true, "LT": true, "LU": true, "LV": true, "NL": true, "NO": true, "PL": true, "PT": true, "SE": true,
	"SK": true, "US": true, "DEU": true, "FRA": true, "ESP": true, "ITA": true, "NLD": true, "FIN": true, "SWE": true, "POL": true, "AUT": true, "GBR": true,
	"IRL": true, "LUX": true}

// CleanName returns the name of a payee without the prefix of a payment service, terminal numbers, the city after it and polite phrases. processor says
// whether there was a payment service. A name of which nothing would be left is not changed.
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

// readable returns a name in capitals as people would write it. Words of up to three letters stay, as they may be abbreviations.
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

// legalForms are ignored when names are compared.
var legalForms = map[string]bool{"gmbh": true, "mbh": true, "ag": true, "kg": true, "kgaa": true, "ohg": true, "ug": true, "ev": true, "eg": true, "gbr": true, "co": true,
	"ltd": true, "limited": true, "plc": true, "llc": true, "llp": true, "inc": true, "sa": true, "sas": true, "sarl": true, "sca": true, "cie": true,
	"spa": true, "srl": true, "sl": true, "slu": true, "bv": true, "nv": true, "oy": true, "oyj": true, "ab": true, "publ": true, "as": true, "asa": true,
	"aps": true, "spzoo": true, "sp": true, "zoo": true, "eu": true, "se": true}

// nameKey returns the Key of a name without legal forms at its end.
func nameKey(name string) string {
	words := strings.Fields(Key(name))
	for len(words) > 1 && (legalForms[words[len(words)-1]] || utf8.RuneCountInString(words[len(words)-1]) == 1 && len(words) > 2) {
		words = words[:len(words)-1]
	}
	return strings.Join(words, " ")
}

// plainLetters are letters that Unicode does not split into a letter and an accent.
var plainLetters = map[rune]string{'ß': "ss", 'ø': "o", 'æ': "ae", 'œ': "oe", 'ł': "l", 'đ': "d", 'ð': "d", 'þ': "th", 'ı': "i"}

// Key normalises a text so that spellings of one name are equal: small letters without accents, one space between words, no punctuation.
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
