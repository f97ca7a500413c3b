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

// Counts says of the rows that a person chose a category for by hand how many have a feature, by category. Naive Bayes needs nothing else.
type Counts map[string]map[string]int

// Add counts a row with these features, or with -1 takes it out again.
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

// maxWords is how many words of a row count, shortestWord how many letters a word has at least.
const (
	maxWords     = 12
	shortestWord = 3
)

// Features are by what a row is compared with others: the words of the payee and of the text, the size of the amount, and the account. All begin with
// the sign of the amount, so that money in and money out are never compared. The first is the sign alone, which every row has.
func Features(f Facts, p Payee) []string {
	sign := signOf(f)
	all := append(make([]string, 0, maxWords+3), sign)
	if n := f.Amount.Minor(); n != 0 {
		all = append(all, sign+"#"+strconv.Itoa(bits.Len64(uint64(max(n, -n))))) // twice as much is the next size
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

// bankWords are words of banks, not of payees, as Key writes them: they are on all rows of a kind.
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

// Directions are the features that all rows of a direction have.
var Directions = []string{"-", "+"}

func signOf(f Facts) string {
	if f.Out {
		return Directions[0]
	}
	return Directions[1]
}

// From so much on naive Bayes decides, and from so much on it suggests.
const (
	sureToSet     = 0.9
	sureToSuggest = 0.5
)

// enough is how many choices there have to be before it says anything.
const enough = 5

// likeness is what naive Bayes says of a row.
type likeness struct {
	category string
	sure     float64 // probability of the category
	rows     int     // of the category that have the first of the words
	words    []string
}

// why is the evidence as it is stored: the rows, and the words that speak for the category.
func (l likeness) why() string { return strconv.Itoa(l.rows) + " " + strings.Join(l.words, " ") }

// Likeness reads the evidence of ByLikeness and of a suggestion: how many rows of the category have the first of the words.
func Likeness(why string) (rows int, words []string) {
	number, rest, _ := strings.Cut(why, " ")
	rows, _ = strconv.Atoi(number)
	return rows, strings.Fields(rest)
}

// likest compares a row with those that the person chose a category for.
func (c Counts) likest(f Facts, p Payee) likeness {
	if c[signOf(f)] == nil {
		return likeness{}
	}
	return c.like(Features(f, p))
}

// like compares a row with those that the person chose a category for. Beside their categories there is always another one, in which features are as frequent
// as in all rows: what is like none of the categories is of none of them. Features that no row has are left out. Without a word that speaks for it, the
// category is "".
func (c Counts) like(features []string) (l likeness) {
	all := c[features[0]]
	total := 0
	for _, rows := range all {
		total += rows
	}
	if total < enough {
		return likeness{}
	}
	// What naive Bayes multiplies for a category, divided by what it multiplies for the other one, as a logarithm. A feature that no row of the category has is
	// counted as if a row had so much of it as is usual: only the others change the quotient.
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
	best, sum := 0.0, 1.0 // the other one
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

// byChance is how likely it may be that all rows with a word are of one category by chance.
const byChance = 0.1

// maxEvidence is how many words a reason names.
const maxEvidence = 3

// evidence fills in the words that speak for the category, the most frequent first: most rows with the word are of the category, and by chance they would not
// be.
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
