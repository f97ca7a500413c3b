package finance

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Clean makes a text of a bank fit for one line on a page: white space is one space, control characters, invisible characters and those
// that turn the direction of writing are gone.
func Clean(text string) string {
	var b strings.Builder
	space := false
	for _, r := range text {
		switch {
		case unicode.IsSpace(r):
			space = true
		case !unicode.IsGraphic(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar:
		default:
			if space && b.Len() > 0 {
				b.WriteByte(' ')
			}
			space = false
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Typed returns a text that a person typed or pasted as it is sent: white space of every kind becomes one space, and a letter with its accent becomes
// one character. Nothing else changes: a character that the bank does not accept is reported, not removed.
func Typed(text string) string { return strings.Join(strings.Fields(norm.NFC.String(text)), " ") }

// Excerpt is Clean, cut to the 500 characters that Florin keeps of a message from outside.
func Excerpt(text string) string {
	r := []rune(Clean(text))
	return string(r[:min(len(r), 500)])
}

// labels are words that banks put before the text itself; the text behind them is what people know it by (api-notes 10).
var labels = []string{
	"omschrijving:", "remittance information:", "remittance:", "verwendungszweck:", "description:", "beskrivelse:", "meddelande:",
	"viesti:", "communication:", "mededeling:", "causale:", "concepto:", "motif:", "tytuł:", "svwz+",
}

// technical are the beginnings of lines that only machines read.
var technical = []string{
	"kenmerk:", "eref+", "mref+", "cred+", "kref+", "eref:", "mref:", "cred:", "kref:", "end-to-end:", "end to end id:", "e2e:",
	"machtiging id:", "incassant id:", "iban:", "bic:", "trtp:", "valuta:", "uci:",
}

// CleanRemittance makes one readable line of the remittance information: labels of the bank and technical lines are left out,
// unless nothing else is there. The original stays in the record.
func CleanRemittance(lines []string) string {
	var kept, all []string
	for _, element := range lines {
		for line := range strings.Lines(element) {
			line = Clean(line)
			if line == "" || placeholder(line) {
				continue
			}
			if !slices.Contains(all, line) {
				all = append(all, line)
			}
			lower := strings.ToLower(line)
			if slices.ContainsFunc(technical, func(t string) bool { return strings.HasPrefix(lower, t) }) {
				continue
			}
			for _, label := range labels {
				if strings.HasPrefix(lower, label) && len(lower) == len(line) {
					line = strings.TrimSpace(line[len(label):])
					break
				}
			}
			if line != "" && !placeholder(line) && !slices.Contains(kept, line) {
				kept = append(kept, line)
			}
		}
	}
	if len(kept) == 0 {
		kept = all
	}
	return strings.Join(kept, " ")
}

// sameName compares two names as people would: without case, punctuation and order of words.
func sameName(a, b string) bool {
	x, y := words(a), words(b)
	return len(x) > 0 && slices.Equal(x, y)
}

func words(name string) []string {
	w := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	slices.Sort(w)
	return w
}

// compactNumber writes an account number without spaces and in capitals.
func compactNumber(number string) string { return squeeze(number) }
