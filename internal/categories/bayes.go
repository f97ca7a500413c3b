package categories

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Counts holds, by feature and category, how many rows with that feature a person has put into that category by hand. Naive Bayes needs nothing else.
type Counts map[string]map[string]int

// Add counts a row with these features; with rows -1 it removes one.
func (c Counts) Add(features []string, category string, rows int) {
	for _, feature := range features {
		of := c[feature]
		if of == nil {
			of = map[string]int{}
			c[feature] = of
		}
		if of[category] += rows; of[category] == 0 {
			delete(of, category)
		}
		if len(of) == 0 {
			delete(c, feature)
		}
	}
}

// maxWords is the largest number of words of a row that count. shortestWord is the smallest number of letters of such a word.
const (
	maxWords     = 12
	shortestWord = 3
)

// Features returns the features by which a row is compared with others: the words of payee and text, the size of the amount, and the account. All begin with
// the sign of the amount, so that money in and money out are never compared. The first is the sign alone, which every row has.
func Features(f Facts, p Payee) []string {
	sign := signOf(f)
	all := append(make([]string, 0, maxWords+3), sign)
	if n := f.Amount.Minor(); n != 0 {
		all = append(all, sign+"#"+strconv.Itoa(bits.Len64(uint64(max(n, -n))))) // doubling the amount gives the next size
	}
	if f.In != "" {
		all = append(all, sign+"@"+f.In)
	}
	words := 0
	for _, text := range []string{p.Key, Key(leadingWords.ReplaceAllString(f.Text, ""))} {
		for w := range strings.FieldsSeq(text) {
			if bankWords[w] || utf8.RuneCountInString(w) < shortestWord || strings.ContainsFunc(w, func(r rune) bool { return !unicode.IsLetter(r) }) ||
				slices.Contains(all, sign+w) {
				continue
			}
			if all, words = append(all, sign+w), words+1; words == maxWords {
				return all
			}
		}
	}
	return all
}

// bankWords are words of banks in the form of Key. They are on all rows of a kind, so they say nothing about the payee.
var bankWords = func() map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsSeq(`
		iban bic sepa ref eref mref cred mdt visa mastercard maestro debit credit end date card payment purchase transfer reference mandate creditor visa pos
		karte kartenzahlung debitkarte debitk girocard lastschrift uberweisung gutschrift verwendungszweck mandatsreferenz glaubiger kundenreferenz
		carte paiement achat prlv prelevement vir virement recu emetteur motif mandat
		compra tarj tarjeta comision recibo mandato transferencia favor concepto pago
		pagamento tramite carta presso addebito diretto sdd creditore bonifico causale favore
		bea gea betaalpas pas incasso algemeen doorlopend incassant naam machtiging omschrijving overboeking kenmerk
		kortti korttiosto viite saaja viesti tilisiirto kort kortkop meddelande mottagare karta platnosc przelew tytul odbiorca`) {
		all[w] = true
	}
	return all
}()

// Directions are the features shared by all rows of one direction.
var Directions = []string{"-", "+"}

func signOf(f Facts) string {
	if f.Out {
		return Directions[0]
	}
	return Directions[1]
}

// The probabilities from which on naive Bayes sets a category, and from which on it suggests one.
const (
	sureToSet     = 0.9
	sureToSuggest = 0.5
)

// enough is how many choices of the person naive Bayes needs.
const enough = 5

// likeness is the result of naive Bayes for a row.
type likeness struct {
	category string
	sure     float64 // probability of the category
	rows     int     // number of rows of the category that have the first of the words
	words    []string
}

// why returns the evidence in the form in which it is stored: the number of rows, and the words that point to the category.
func (l likeness) why() string { return strconv.Itoa(l.rows) + " " + strings.Join(l.words, " ") }

// Likeness parses the evidence of ByLikeness or of a suggestion. rows is the number of rows of the category that have the first word.
func Likeness(why string) (rows int, words []string) {
	number, rest, _ := strings.Cut(why, " ")
	rows, _ = strconv.Atoi(number)
	return rows, strings.Fields(rest)
}

// likest compares a row with the rows that the person has categorised by hand.
func (c Counts) likest(f Facts, p Payee) likeness {
	if c[signOf(f)] == nil {
		return likeness{}
	}
	return c.like(Features(f, p))
}

// like compares features with the rows that the person has categorised by hand. In addition to their categories there is an "other" one, in which every
// feature is as frequent as in all rows: it wins when a row resembles none of the categories. Features that no row has are ignored. The category is ""
// without a word that points to it.
func (c Counts) like(features []string) (l likeness) {
	all := c[features[0]]
	total := 0
	for _, rows := range all {
		total += rows
	}
	if total < enough {
		return likeness{}
	}
	// The logarithm of what naive Bayes multiplies for a category, divided by what it multiplies for the "other" one. A feature that no row of the category
	// has is counted at its usual frequency, so it does not change the quotient.
	known, scores := 0, make(map[string]float64, len(all))
	for _, feature := range features[1:] {
		of, rows := c[feature], 0
		for _, n := range of {
			rows += n
		}
		if rows == 0 {
			continue
		}
		known++
		usual := (float64(rows) + 0.5) / float64(total+1)
		for category, n := range of {
			scores[category] += math.Log1p(float64(n) / usual)
		}
	}
	best, sum := 0.0, 1.0 // the "other" category
	for category, score := range scores {
		score += float64(1-known) * math.Log(float64(all[category]+1))
		sum += math.Exp(score)
		if l.category == "" || score > best || score == best && category < l.category {
			l.category, best = category, score
		}
	}
	l.sure = math.Exp(best) / sum
	c.evidence(&l, features)
	if len(l.words) == 0 {
		return likeness{}
	}
	return l
}

// byChance is the largest probability that all rows with a word are of one category by chance.
const byChance = 0.1

// maxEvidence is the largest number of words in a reason.
const maxEvidence = 3

// evidence adds the words that point to the category, the most frequent first: most rows with the word are in the category, and not by chance.
func (c Counts) evidence(l *likeness, features []string) {
	rows := func(feature string) int { return c[feature][l.category] }
	total := 0
	for _, n := range c[features[0]] {
		total += n
	}
	share := float64(rows(features[0])+1) / float64(total+2)
	var speaking []string
	for _, feature := range features[1:] {
		others := -rows(feature)
		for _, n := range c[feature] {
			others += n
		}
		if word := feature[1:]; !strings.HasPrefix(word, "#") && !strings.HasPrefix(word, "@") && rows(feature) > others &&
			math.Pow(share, float64(rows(feature))) < byChance {
			speaking = append(speaking, feature)
		}
	}
	slices.SortStableFunc(speaking, func(a, b string) int { return cmp.Compare(rows(b), rows(a)) })
	for _, feature := range speaking[:min(len(speaking), maxEvidence)] {
		l.words = append(l.words, feature[1:])
	}
	if len(speaking) > 0 {
		l.rows = rows(speaking[0])
	}
}
