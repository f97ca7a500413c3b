package paymentfile

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// latinSigns are the signs beside letters and digits that all banks of SEPA pass on (EPC217-08, chapter 1).
const latinSigns = "/-?:().,'+ "

// wide are letters that banks write as two (German banks: DFÜ agreement, annex 3; the others as in EPC217-08).
var wide = map[rune]string{'ä': "ae", 'ö': "oe", 'ü': "ue", 'ß': "ss", 'ẞ': "SS", 'æ': "ae", 'œ': "oe", 'þ': "th", 'ŋ': "ng"}

// narrow are letters that lose no sign by decomposition (EPC217-08, chapter 6: the Latin, Greek and Cyrillic tables), and signs that another stands for.
var narrow = map[rune]string{
	'ß': "s", 'ẞ': "S", 'æ': "a", 'œ': "o", 'þ': "t", 'ŋ': "n", 'ø': "o", 'ł': "l", 'đ': "d", 'ð': "d", 'ħ': "h", 'ı': "i", 'ĸ': "k", 'ŧ': "t", 'ŀ': "l",
	'α': "a", 'β': "v", 'γ': "g", 'δ': "d", 'ε': "e", 'ζ': "z", 'η': "i", 'θ': "th", 'ι': "i", 'κ': "k", 'λ': "l", 'μ': "m", 'ν': "n", 'ξ': "x", 'ο': "o",
	'π': "p", 'ρ': "r", 'σ': "s", 'ς': "s", 'τ': "t", 'υ': "y", 'φ': "f", 'χ': "ch", 'ψ': "ps", 'ω': "o",
	'а': "a", 'б': "b", 'в': "v", 'г': "g", 'д': "d", 'е': "e", 'ж': "zh", 'з': "z", 'и': "i", 'й': "y", 'к': "k", 'л': "l", 'м': "m", 'н': "n", 'о': "o",
	'п': "p", 'р': "r", 'с': "s", 'т': "t", 'у': "u", 'ф': "f", 'х': "h", 'ц': "ts", 'ч': "ch", 'ш': "sh", 'щ': "sht", 'ъ': "a", 'ы': "y", 'ь': "y", 'э': "e",
	'ю': "yu", 'я': "ya",
	'&': "+", ';': ",", '_': "-", '€': "EUR", '£': "GBP", '’': "'", '‘': "'", '`': "'", '´': "'", '–': "-", '—': "-", '‐': "-", '‑': "-", '…': "...", '№': "No",
}

// Latin writes a text with the characters that all banks of SEPA pass on: letters without accents, digits, space, and / - ? : ( ) . , ' +. "Müller & Söhne" is
// "Mueller + Soehne"; what has nothing to stand for it is a full stop. Where the text gets longer than most characters, a letter stands for a letter: "Muller".
// Spaces at the ends go, and several are one.
func Latin(text string, most int) string {
	text = norm.NFC.String(text)
	long := latin(text, wide)
	if utf8.RuneCountInString(long) > most {
		return latin(text, nil)
	}
	return long
}

func latin(text string, letters map[rune]string) string {
	var b strings.Builder
	all := []rune(text)
	for i, r := range all {
		low, written := unicode.ToLower(r), false
		for _, table := range []map[rune]string{letters, narrow} {
			if s, found := table[r]; found {
				b.WriteString(s)
				written = true
				break
			}
			if s, found := table[low]; found && low != r {
				if next := i + 1; len(s) > 1 && next < len(all) && unicode.IsLower(all[next]) {
					b.WriteString(strings.ToUpper(s[:1]) + s[1:])
				} else {
					b.WriteString(strings.ToUpper(s))
				}
				written = true
				break
			}
		}
		if !written {
			b.WriteString(base(r))
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// base is a character without its accents, a space, or a full stop for what is neither letter nor digit nor one of latinSigns.
func base(r rune) string {
	if unicode.IsSpace(r) {
		return " "
	}
	var b strings.Builder
	for _, part := range norm.NFD.String(string(r)) {
		switch {
		case unicode.Is(unicode.Mn, part), unicode.Is(unicode.Cf, part):
		case part < utf8.RuneSelf && (unicode.IsLetter(part) || unicode.IsDigit(part) || strings.ContainsRune(latinSigns, part)):
			b.WriteRune(part)
		default:
			lone := []rune{unicode.ToLower(part)}
			if s, found := narrow[lone[0]]; found && lone[0] != r {
				b.WriteString(s)
				continue
			}
			b.WriteByte('.')
		}
	}
	return b.String()
}
