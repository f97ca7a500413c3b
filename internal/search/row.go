// Package search is the language of the search field: what a person types, read as a condition on rows, and the words by which rows are found. It does no I/O:
// the store keeps the words of rows in an index and asks it, and the few pending rows are compared directly. Both give the same answer, which a test of the
// store holds.
package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"florin/internal/money"
	"florin/internal/openbanking"
)

// Row is what can be found of a transaction.
type Row struct {
	Payee   string   // the counterparty, as the bank and as the person calls it
	Text    string   // what the bank says it is for, and its word for the kind
	Note    string   // of the person
	Tags    []string // of the person
	Numbers []string // the account on the other side, and references
	Amount  money.Amount
	Date    openbanking.Date // "" when it has none
	Marks   []Mark
}

// Mark is a fact about a row that is there or not.
type Mark string

// Facts of rows. In the index none of them begins as the id of something does.
const (
	MarkIn          Mark = "sin" // money in
	MarkOut         Mark = "sout"
	MarkPending     Mark = "spending" // not booked; never in the index
	MarkToReview    Mark = "sreview"
	MarkTransfer    Mark = "stransfer" // between two accounts of the person
	MarkSplit       Mark = "ssplit"
	MarkPayment     Mark = "spayment" // made with Florin
	MarkNote        Mark = "snote"
	MarkAttachment  Mark = "sattachment"
	MarkCategorised Mark = "scategorised"
)

// AccountMark is on the rows of an account, by its id.
func AccountMark(id string) Mark { return Mark("a" + id) }

// Account is the id of the account on whose rows the mark is; false when it is another mark.
func (m Mark) Account() (id string, ok bool) { return strings.CutPrefix(string(m), "a") }

// Category is the id of the category on whose rows the mark is.
func (m Mark) Category() (id string, ok bool) { return strings.CutPrefix(string(m), "c") }

// Public reports whether the mark says something that others may be told of a row whose account is shared with them. What a person does with a row is private:
// tags, notes, files, what is to be reviewed, and payments.
func (m Mark) Public() bool {
	return !strings.HasPrefix(string(m), "t") && m != MarkNote && m != MarkAttachment && m != MarkToReview && m != MarkPayment
}

// FlowMark says whether an amount is money in or money out.
func FlowMark(amount money.Amount) Mark {
	if amount.Sign() < 0 {
		return MarkOut
	}
	return MarkIn
}

// CategoryMark is on the rows of a category, by its id.
func CategoryMark(id string) Mark { return Mark("c" + id) }

// PayeeMark is on the rows of a payee, by the key that all spellings of its name have.
func PayeeMark(key string) Mark { return Mark("p" + oneWord(key)) }

// TagMark is on the rows with a tag, whatever its capitals.
func TagMark(tag string) Mark { return Mark("t" + oneWord(strings.ToLower(tag))) }

// oneWord writes a text as a single word of the index, another one for each text: signs of ASCII, which separate words there, become characters that no text
// has.
func oneWord(text string) string {
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return r + '\uE000' // for private use: https://www.unicode.org/charts/PDF/UE000.pdf
		}
		return r
	}, text)
}

// Field is a part of rows in which words are looked for; "" is all of them.
type Field string

// Values of Field, which are columns of the index.
const (
	Anywhere Field = ""
	Payee    Field = "payee"
	Text     Field = "text"
	Note     Field = "note"
	Tags     Field = "tags"
	Numbers  Field = "numbers"
)

// Fields are those that Anywhere stands for.
var Fields = []Field{Payee, Text, Note, Tags, Numbers}

// Words returns the words of one of the Fields of a row, with a space between two.
func (r Row) Words(f Field) string {
	text := ""
	switch f {
	case Payee:
		text = r.Payee
	case Text:
		text = r.Text
	case Note:
		text = r.Note
	case Tags:
		text = strings.Join(r.Tags, " ")
	case Numbers:
		text = strings.Join(r.Numbers, " ")
	}
	return plain(text)
}

// longest is how much of a word counts, in bytes.
const longest = 64

// Words are the words of a text in the form in which they are compared: small letters and digits without accents. Everything else separates words.
func Words(text string) []string { return strings.Fields(plain(text)) }

// plain returns the words of a text with a space between two.
func plain(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	if !ascii(text) {
		text = norm.NFKD.String(text)
	}
	word, gap := 0, false // bytes of the word; another one begins with the next letter
	for _, r := range text {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
		case 'A' <= r && r <= 'Z':
			r += 'a' - 'A'
		case r < utf8.RuneSelf:
			gap = true
			continue
		case unicode.Is(unicode.M, r): // an accent, after its letter
			continue
		case !unicode.IsLetter(r) && !unicode.IsNumber(r):
			gap = true
			continue
		default:
			r = unicode.ToLower(r)
		}
		if gap && b.Len() > 0 {
			b.WriteByte(' ')
			word = 0
		}
		gap = false
		if r < utf8.RuneSelf {
			if word < longest {
				b.WriteByte(byte(r))
				word++
			}
			continue
		}
		letters, special := plainLetters[r]
		if !special {
			letters = string(r)
		}
		if word+len(letters) <= longest {
			b.WriteString(letters)
			word += len(letters)
		}
	}
	return b.String()
}

// plainLetters are letters that Unicode does not take apart, as people type them on another keyboard.
var plainLetters = map[rune]string{'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'ł': "l", 'đ': "d", 'ð': "d", 'þ': "th", 'ı': "i", 'ħ': "h", 'ŧ': "t"}

func ascii(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
