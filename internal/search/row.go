// Package search implements the language of the search field: it parses what a person types into a condition on rows, and defines the words by which rows are
// found. It does no I/O: the store keeps the words of booked rows in an index and searches that; the few pending rows are compared directly. Both give the
// same answer, which a test of the store checks.
package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"florin/internal/money"
	"florin/internal/openbanking"
)

// Row holds the searchable parts of a transaction.
type Row struct {
	Payee   string   // the counterparty, as the bank and as the person call it
	Text    string   // the text from the bank, and its word for the kind
	Note    string   // written by the person
	Tags    []string // given by the person
	Numbers []string // the account of the counterparty, and references
	Amount  money.Amount
	Date    openbanking.Date // "" when it has none
	Marks   []Mark
}

// Mark is a fact that applies to a row or not.
type Mark string

// Marks of all kinds. In the index they differ in their beginnings from ids.
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

// AccountMark returns the mark of all rows of an account, by its id.
func AccountMark(id string) Mark { return Mark("a" + id) }

// Account returns the id of the account that the mark stands for; ok is false for another mark.
func (m Mark) Account() (id string, ok bool) { return strings.CutPrefix(string(m), "a") }

// Category returns the id of the category that the mark stands for; ok is false for another mark.
func (m Mark) Category() (id string, ok bool) { return strings.CutPrefix(string(m), "c") }

// Public reports whether people with whom the account is shared may know the mark. What a person does with a row is private: tags, notes, files, what is to
// be reviewed, and payments.
func (m Mark) Public() bool {
	return !strings.HasPrefix(string(m), "t") && m != MarkNote && m != MarkAttachment && m != MarkToReview && m != MarkPayment
}

// FlowMark returns MarkIn or MarkOut for an amount.
func FlowMark(amount money.Amount) Mark {
	if amount.Sign() < 0 {
		return MarkOut
	}
	return MarkIn
}

// CategoryMark returns the mark of all rows of a category, by its id.
func CategoryMark(id string) Mark { return Mark("c" + id) }

// PayeeMark returns the mark of all rows of a payee, by the key that all spellings of its name share.
func PayeeMark(key string) Mark { return Mark("p" + oneWord(key)) }

// TagMark returns the mark of all rows with a tag, in capitals or not.
func TagMark(tag string) Mark { return Mark("t" + oneWord(strings.ToLower(tag))) }

// oneWord turns a text into a single word of the index, different for each text. ASCII signs, which would separate words, become characters that no text
// contains.
func oneWord(text string) string {
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return r + '\uE000' // for private use: https://www.unicode.org/charts/PDF/UE000.pdf
		}
		return r
	}, text)
}

// Field is a part of a row to search; "" stands for all parts.
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

// Fields are the fields that Anywhere searches.
var Fields = []Field{Payee, Text, Note, Tags, Numbers}

// Words returns the words of one field of a row, separated by spaces.
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

// longest is the number of bytes of a word that are compared.
const longest = 64

// Words returns the words of a text in the form in which they are compared: small letters and digits without accents. Everything else separates words.
func Words(text string) []string { return strings.Fields(plain(text)) }

// plain returns the words of a text, separated by spaces.
func plain(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	if !ascii(text) {
		text = norm.NFKD.String(text)
	}
	word, gap := 0, false // length of the word in bytes; gap: the next letter begins another word
	for _, r := range text {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
		case 'A' <= r && r <= 'Z':
			r += 'a' - 'A'
		case r < utf8.RuneSelf:
			gap = true
			continue
		case unicode.Is(unicode.M, r): // an accent follows its letter
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

// plainLetters maps letters that Unicode does not decompose to what people type on other keyboards.
var plainLetters = map[rune]string{'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'ł': "l", 'đ': "d", 'ð': "d", 'þ': "th", 'ı': "i", 'ħ': "h", 'ŧ': "t"}

func ascii(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
