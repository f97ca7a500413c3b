// Package iban checks account numbers (IBAN, ISO 13616) and bank identifiers (BIC,
// ISO 9362), and says what is wrong with one.
package iban

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
)

// IBAN is a valid account number. The zero value is none. It is comparable: two are
// equal exactly when they name the same account number.
type IBAN struct{ text string }

// Kind says which rule a refused text breaks.
type Kind string

// The kinds of problems, in the order in which the rules are applied.
const (
	Empty            Kind = "empty"
	IllegalCharacter Kind = "illegal character" // anything but A to Z, digits and separators
	UnknownCountry   Kind = "unknown country"
	WrongLength      Kind = "wrong length"
	WrongStructure   Kind = "wrong structure" // a letter in place of a digit, or the reverse
	WrongCheckDigits Kind = "wrong check digits"
)

// Number is a kind of number that this package reads.
type Number string

// The kinds of numbers.
const (
	OfIBAN Number = "IBAN"
	OfBIC  Number = "BIC"
	OfBBAN Number = "BBAN" // the national number of an account
)

// Problem is the error of this package: a fact for whoever words it. It names at most one character of the input, never the whole, so it may be logged.
type Problem struct {
	Kind      Kind
	Of        Number
	Country   string // the code of a country, of UnknownCountry, WrongLength and WrongStructure; "" where the input has none
	Length    int    // in characters, of WrongLength
	Want      int    // the length that is right for the country; 0 for a BIC, which has 8 or 11 characters
	Position  int    // of the wrong character, from 1
	Character rune   // the wrong one; 0 without
	Meant     rune   // the one that is often mistaken for it; 0 without
}

// Error returns a sentence or two in English that say what is wrong and what to do.
func (p *Problem) Error() string {
	switch {
	case p.Kind == Empty && p.Of == OfBIC:
		return "Enter the BIC of the bank."
	case p.Kind == Empty:
		return "Enter the IBAN of the account, such as the one on a bank statement."
	case p.Kind == IllegalCharacter:
		todo := "type that one again on the keyboard"
		if Hidden(p.Character) {
			todo = "empty the field and type it on the keyboard"
		}
		article := "a"
		if p.Of == OfIBAN {
			article = "an"
		}
		return fmt.Sprintf("Character %d is %s. The letters A to Z and digits are all that can be in %s %s; %s.", p.Position, Describe(p.Character), article,
			p.Of, todo)
	case p.Kind == WrongCheckDigits:
		return "The check digits do not fit the rest of the IBAN. Probably a character is mistyped or two are swapped; compare it with the original."
	case p.Of == OfBIC:
		return p.ofBIC()
	case p.Kind == UnknownCountry && p.Country == "":
		return "An IBAN starts with two letters for the country, such as DE for Germany. This may be an account number of another kind."
	case p.Kind == UnknownCountry:
		return fmt.Sprintf("No country with the code %s uses IBANs. Check the first two letters.", p.Country)
	case p.Kind == WrongLength:
		return fmt.Sprintf("%s has %d characters; this one has %d.", countries[p.Country].article(), p.Want, p.Length)
	}
	wanted, found := "digit", "letter"
	if p.Character < 'A' {
		wanted, found = found, wanted
	}
	text := fmt.Sprintf("Character %d of %s is a %s; this one has the %s %c there.", p.Position, lowerFirst(countries[p.Country].article()), wanted, found,
		p.Character)
	if p.Meant != 0 {
		text += fmt.Sprintf(" Perhaps %c is meant.", p.Meant)
	}
	return text
}

func (p *Problem) ofBIC() string {
	switch p.Kind {
	case WrongLength:
		return fmt.Sprintf("A BIC has 8 or 11 characters; this one has %d.", p.Length)
	case UnknownCountry:
		return fmt.Sprintf("Characters 5 and 6 of a BIC name the country; there is none with the code %s.", p.Country)
	}
	return "Characters 5 and 6 of a BIC are the letters of a country, such as DE for Germany."
}

// Parse reads an IBAN from whatever people paste: spaces of every kind, dots and dashes
// are ignored, so is the word IBAN before it, and small letters count as capitals. The
// rest must be ASCII: letters of other scripts and invisible characters are refused and
// named, never converted (security T28). The error is always a *Problem.
func Parse(text string) (IBAN, error) {
	compact, p := compact(text, OfIBAN)
	if p != nil {
		return IBAN{}, p
	}
	compact = strings.TrimPrefix(compact, "IBAN")
	if compact == "" {
		return IBAN{}, &Problem{Kind: Empty, Of: OfIBAN}
	}

	code := compact[:min(2, len(compact))]
	c, ok := countries[code]
	switch {
	case len(code) < 2 || !isLetter(code[0]) || !isLetter(code[1]):
		return IBAN{}, &Problem{Kind: UnknownCountry, Of: OfIBAN}
	case !ok:
		return IBAN{}, &Problem{Kind: UnknownCountry, Of: OfIBAN, Country: code}
	}

	classes := c.classes()
	if want := 4 + len(classes); len(compact) != want {
		return IBAN{}, &Problem{Kind: WrongLength, Of: OfIBAN, Country: code, Length: len(compact), Want: want}
	}
	for i, class := range "nn" + classes {
		if ch := compact[2+i]; !fits(byte(class), ch) {
			return IBAN{}, &Problem{Kind: WrongStructure, Of: OfIBAN, Country: code, Position: 3 + i, Character: rune(ch), Meant: meant(ch)}
		}
	}
	if compact[2:4] != checkDigits(code, compact[4:]) {
		return IBAN{}, &Problem{Kind: WrongCheckDigits, Of: OfIBAN}
	}
	return IBAN{compact}, nil
}

// Compute returns the IBAN of a country's own account number, in the country's national
// format without separators, such as "370400440532013000" for DE. The error is a *Problem.
func Compute(country, bban string) (IBAN, error) {
	compact, p := compact(country+bban, OfIBAN)
	if p != nil {
		return IBAN{}, p
	}
	if len(compact) < 2 {
		return Parse(compact)
	}
	return Parse(compact[:2] + checkDigits(compact[:2], compact[2:]) + compact[2:])
}

// String returns the IBAN without spaces, "" for none: how it is stored, sent and compared.
func (i IBAN) String() string { return i.text }

// Groups returns the IBAN in groups of four: how it is shown.
func (i IBAN) Groups() string {
	var b strings.Builder
	for n := 0; n < len(i.text); n += 4 {
		if n > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(i.text[n:min(n+4, len(i.text))])
	}
	return b.String()
}

// Country returns the two letters of the country, "" for none.
func (i IBAN) Country() string { return i.text[:min(2, len(i.text))] }

// Last4 returns the last four characters, by which people tell accounts apart, "" for none.
func (i IBAN) Last4() string { return i.text[max(0, len(i.text)-4):] }

// QR reports whether the account takes payments with a Swiss QR reference only: a QR-IBAN, whose institution (IID) is one of 30000 to 31999 (Swiss
// Implementation Guidelines QR-bill, chapter "QR-IBAN").
func (i IBAN) QR() bool {
	if c := i.Country(); c != "CH" && c != "LI" {
		return false
	}
	institution := i.text[4:9]
	return institution >= "30000" && institution <= "31999"
}

// SEPA reports whether the country of the account lies in the SEPA area.
func (i IBAN) SEPA() bool { return countries[i.Country()].sepa }

// LogValue keeps account numbers out of structured logs: it gives the country only.
func (i IBAN) LogValue() slog.Value { return slog.StringValue(i.Country() + "…") }

// article returns "A German IBAN".
func (c country) article() string {
	if strings.IndexByte("AEIO", c.adjective[0]) >= 0 {
		return "An " + c.adjective + " IBAN"
	}
	return "A " + c.adjective + " IBAN"
}

// classes spells the structure out, one letter for each character of the national part:
// n a digit, a a capital letter, c either.
func (c country) classes() string {
	var b strings.Builder
	length := 0
	for i := range len(c.structure) {
		switch ch := c.structure[i]; ch {
		case '!':
		case 'n', 'a', 'c':
			for range length {
				b.WriteByte(ch)
			}
			length = 0
		default:
			length = length*10 + int(ch-'0')
		}
	}
	return b.String()
}

// fits reports whether a character is of a class of the structure.
func fits(class, ch byte) bool {
	return class == 'c' || isLetter(ch) == (class == 'a')
}

// meant returns the character that is often mistaken for another one, 0 without.
func meant(ch byte) rune {
	for _, pair := range []string{"O0", "I1", "S5", "B8", "Z2"} {
		if i := strings.IndexByte(pair, ch); i >= 0 {
			return rune(pair[1-i])
		}
	}
	return 0
}

func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }

// checkDigits computes the two check digits (ISO 7064, mod 97-10) of capitals and digits.
func checkDigits(country, bban string) string {
	return fmt.Sprintf("%02d", 98-mod97(bban+country+"00"))
}

func mod97(s string) int {
	rest := 0
	for i := range len(s) {
		if isLetter(s[i]) {
			rest = (rest*100 + int(s[i]-'A') + 10) % 97
		} else {
			rest = (rest*10 + int(s[i]-'0')) % 97
		}
	}
	return rest
}

// Compact returns the national number of an account (BBAN) without spaces, dots and dashes, in capitals. ok is false where
// it has other characters than A to Z and digits.
func Compact(bban string) (number string, ok bool) {
	number, p := compact(bban, OfBBAN)
	return number, p == nil
}

// compact drops separators and raises small letters, byte by byte: case rules of Unicode
// would turn other letters (ı, ſ) into ASCII. The rest must be A to Z and digits.
func compact(text string, of Number) (string, *Problem) {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r >= '0' && r <= '9', r >= 'A' && r <= 'Z':
			b.WriteByte(byte(r))
		case r >= 'a' && r <= 'z':
			b.WriteByte(byte(r - 'a' + 'A'))
		case isSeparator(r):
		case r == ':' && b.String() == string(of):
		default:
			return "", &Problem{Kind: IllegalCharacter, Of: of, Position: b.Len() + 1, Character: r}
		}
	}
	return b.String(), nil
}

func isLetter(ch byte) bool { return ch >= 'A' && ch <= 'Z' }

// Countries returns the country codes of the IBAN registry, in order.
func Countries() []string { return slices.Sorted(maps.Keys(countries)) }
