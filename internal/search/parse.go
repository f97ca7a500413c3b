package search

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"florin/internal/iban"
	"florin/internal/openbanking"
)

// Limits of a search text.
const (
	MaxLength   = 2000 // runes
	maxTerms    = 60
	maxBrackets = 10
)

// Context holds what Parse needs to know about the person's data.
type Context struct {
	Today openbanking.Date
	// Named returns the marks of the accounts, banks, categories or groups (of) whose name contains the words. When whole is true, because the words were in
	// quotation marks, and names equal them exactly, it returns only those. Named may be nil.
	Named func(of Operator, words []string, whole bool) []Mark
	// PayeeKey returns the key that all spellings of a payee's name share; "" when the text is not a name.
	PayeeKey func(name string) string
}

// Operator is the word before the colon.
type Operator string

// Values of Operator.
const (
	OfAmount   Operator = "amount"
	OfPayee    Operator = "payee"
	OfText     Operator = "text"
	OfNote     Operator = "note"
	OfTag      Operator = "tag"
	OfIBAN     Operator = "iban"
	OfCategory Operator = "category"
	OfGroup    Operator = "group"
	OfAccount  Operator = "account"
	OfBank     Operator = "bank"
	OfAfter    Operator = "after"
	OfBefore   Operator = "before"
	OfOn       Operator = "on"
	OfLast     Operator = "last"
	OfIs       Operator = "is"
	OfHas      Operator = "has"
)

// Operators are all operators, in the order in which the page explains them.
var Operators = []Operator{OfAmount, OfPayee, OfText, OfNote, OfTag, OfIBAN, OfCategory, OfGroup, OfAccount, OfBank, OfAfter, OfBefore, OfOn, OfLast, OfIs,
	OfHas}

// exact are the operators whose value may be a whole name after an equals sign.
var exact = []Operator{OfPayee, OfTag}

var fieldOf = map[Operator]Field{OfPayee: Payee, OfText: Text, OfNote: Note, OfTag: Tags, OfIBAN: Numbers}

// states are the values of is:, belongings those of has:.
var (
	states = map[string]Query{
		"in": Marked{MarkIn}, "out": Marked{MarkOut}, "pending": Marked{MarkPending}, "booked": Not{Marked{MarkPending}}, "transfer": Marked{MarkTransfer},
		"uncategorised": Not{Marked{MarkCategorised}}, "uncategorized": Not{Marked{MarkCategorised}}, "to-review": Marked{MarkToReview},
		"reviewed": Not{Marked{MarkToReview}}, "split": Marked{MarkSplit}, "payment": Marked{MarkPayment},
	}
	belongings = map[string]Query{"note": Marked{MarkNote}, "attachment": Marked{MarkAttachment}, "category": Marked{MarkCategorised}}
)

// Part is an independent piece of a text: rows match all pieces. A text with OR outside of brackets is one piece.
type Part struct{ From, To int } // in runes

// Fits reports whether a text is within the limits, whatever it names.
func Fits(text string) bool {
	if len(text) <= 2*maxTerms && ascii(text) {
		return true // a term has at least one character and a separator
	}
	_, fault := Parse(text, Context{Named: func(Operator, []string, bool) []Mark { return []Mark{""} }})
	return fault == nil || fault.Kind != FaultLong && fault.Kind != FaultMany
}

// Parsed is the result of Parse.
type Parsed struct {
	Query Query
	Parts []Part
}

// FaultKind is the kind of a fault in a text.
type FaultKind string

// Values of FaultKind, with the meaning of Text and Meant in Fault.
const (
	FaultLong         FaultKind = "long"          // the text has more than MaxLength characters
	FaultMany         FaultKind = "many"          // more words and conditions than are allowed
	FaultDeep         FaultKind = "deep"          // brackets are nested too deeply
	FaultOperator     FaultKind = "operator"      // the operator does not exist; Meant is the nearest one, if any
	FaultNoValue      FaultKind = "no value"      // nothing follows the colon
	FaultAmount       FaultKind = "amount"        // the value is not an amount or a range of amounts
	FaultDate         FaultKind = "date"          // the value is not a day, month or year
	FaultLast         FaultKind = "last"          // the value is not a span of time
	FaultState        FaultKind = "state"         // is: and has: have no such value; Meant is the nearest one, if any
	FaultName         FaultKind = "name"          // no account, bank, category or group of categories has this name
	FaultQuote        FaultKind = "quote"         // a quotation mark is not closed
	FaultOpen         FaultKind = "open"          // a bracket is not closed
	FaultClose        FaultKind = "close"         // a bracket was not opened
	FaultEmptyBracket FaultKind = "empty bracket" // brackets are empty
	FaultOr           FaultKind = "or"            // OR lacks something on one side
	FaultMinus        FaultKind = "minus"         // nothing follows a minus
)

// Fault is the first fault in a text.
type Fault struct {
	Kind     FaultKind
	Operator Operator // the operator with the faulty value; "" for none
	From, To int      // the position in runes
	Text     string   // the faulty piece of the text
	Meant    string
}

// Error returns the kind of the fault for logs and tests. Pages word the fault themselves.
func (f *Fault) Error() string { return "search: " + string(f.Kind) }

// Parse parses a search text. An empty text finds all rows.
func Parse(text string, in Context) (Parsed, *Fault) {
	runes := []rune(strings.ToValidUTF8(text, " "))
	if len(runes) > MaxLength {
		return Parsed{}, &Fault{Kind: FaultLong, From: MaxLength, To: len(runes)}
	}
	tokens, fault := scan(runes)
	if fault != nil {
		return Parsed{}, fault
	}
	p := parser{in: in, tokens: tokens}
	query, parts, fault := p.or(0)
	if fault == nil && p.at < len(p.tokens) {
		fault = p.fault(FaultClose, p.tokens[p.at])
	}
	if fault != nil {
		return Parsed{}, fault
	}
	return Parsed{query, parts}, nil
}

// tokenKind is the kind of a piece of the text.
type tokenKind int

const (
	tokenWord tokenKind = iota
	tokenOpen
	tokenClose
	tokenMinus
	tokenOr
)

// token is a piece of the text. A word may have an operator and be in quotation marks.
type token struct {
	kind     tokenKind
	operator string
	colon    bool
	exactly  bool // an equals sign follows the colon of an operator that accepts one
	text     string
	quoted   bool
	from, to int
}

// begins reports whether the value of the word begins at a position.
func (t *token) begins(at int) bool {
	begin := t.from
	if t.colon {
		begin += utf8.RuneCountInString(t.operator) + 1
	}
	if t.exactly {
		begin++
	}
	return at == begin
}

// is returns the operator of the word.
func (t *token) is() Operator { return Operator(strings.ToLower(t.operator)) }

func scan(runes []rune) ([]token, *Fault) {
	var tokens []token
	for i := 0; i < len(runes); {
		switch r := runes[i]; {
		case unicode.IsSpace(r):
			i++
		case r == '(':
			tokens = append(tokens, token{kind: tokenOpen, text: "(", from: i, to: i + 1})
			i++
		case r == ')':
			tokens = append(tokens, token{kind: tokenClose, text: ")", from: i, to: i + 1})
			i++
		case r == '-' && i+1 < len(runes) && !unicode.IsSpace(runes[i+1]) && runes[i+1] != '-':
			tokens = append(tokens, token{kind: tokenMinus, text: "-", from: i, to: i + 1})
			i++
		default:
			t, end, fault := scanWord(runes, i)
			if fault != nil {
				return nil, fault
			}
			if t.text == "OR" && !t.quoted && !t.colon {
				t.kind = tokenOr
			}
			tokens = append(tokens, t)
			i = end
		}
	}
	return tokens, nil
}

// quotes maps opening quotation marks to those that close them. Phones type curly ones by themselves.
var quotes = map[rune]string{'"': `"“”`, '“': `"“”`, '„': `"“”`, '«': "»", '»': "«"}

func scanWord(runes []rune, from int) (token, int, *Fault) {
	t := token{from: from}
	i := from
	for ; i < len(runes) && !unicode.IsSpace(runes[i]) && runes[i] != '(' && runes[i] != ')'; i++ {
		closing, opens := quotes[runes[i]]
		switch {
		case opens && t.begins(i):
			end := i + 1
			for end < len(runes) && !strings.ContainsRune(closing, runes[end]) {
				end++
			}
			if end == len(runes) {
				return t, i, &Fault{Kind: FaultQuote, From: i, To: i + 1, Text: string(runes[i])}
			}
			t.text, t.quoted, t.to = string(runes[i+1:end]), true, end+1
			return t, end + 1, nil
		case runes[i] == ':' && !t.colon && i > from && isName(t.text):
			t.operator, t.colon, t.text = t.text, true, ""
		case runes[i] == '=' && t.begins(i) && !t.exactly && slices.Contains(exact, t.is()):
			t.exactly = true
		default:
			t.text += string(runes[i])
		}
	}
	t.to = i
	return t, i, nil
}

func isName(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' })
}

// parser reads tokens by the grammar
//
//	or   = and { "OR" and }
//	and  = not { not }
//	not  = [ "-" ] ( "(" or ")" | word )
type parser struct {
	in     Context
	tokens []token
	at     int
	terms  int
}

func (p *parser) fault(kind FaultKind, t token) *Fault {
	return &Fault{Kind: kind, Operator: t.is(), From: t.from, To: t.to, Text: t.text}
}

func (p *parser) next() (token, bool) {
	if p.at == len(p.tokens) {
		return token{}, false
	}
	return p.tokens[p.at], true
}

func (p *parser) or(depth int) (Query, []Part, *Fault) {
	var sides Or
	var parts []Part
	begin := p.at
	for {
		side, some, fault := p.and(depth)
		if fault != nil {
			return nil, nil, fault
		}
		t, more := p.next()
		isOr := more && t.kind == tokenOr
		if len(some) == 0 && (isOr || len(sides) > 0) {
			if !isOr {
				t = p.tokens[p.at-1]
			}
			return nil, nil, p.fault(FaultOr, t)
		}
		sides, parts = append(sides, side), append(parts, some...)
		if !isOr {
			break
		}
		p.at++
	}
	if len(sides) == 1 {
		return sides[0], parts, nil
	}
	return sides, []Part{{p.tokens[begin].from, p.tokens[p.at-1].to}}, nil
}

func (p *parser) and(depth int) (Query, []Part, *Fault) {
	all := And{}
	var parts []Part
	for {
		t, ok := p.next()
		if !ok || t.kind == tokenClose || t.kind == tokenOr {
			if len(all) == 1 {
				return all[0], parts, nil
			}
			return all, parts, nil
		}
		query, fault := p.not(depth)
		if fault != nil {
			return nil, nil, fault
		}
		parts = append(parts, Part{t.from, p.tokens[p.at-1].to})
		if and, ok := query.(And); !ok || len(and) > 0 { // a sign alone is not a condition
			all = append(all, query)
		}
	}
}

func (p *parser) not(depth int) (Query, *Fault) {
	t := p.tokens[p.at]
	p.at++
	switch t.kind {
	case tokenMinus:
		if next, ok := p.next(); !ok || next.kind != tokenWord && next.kind != tokenOpen {
			return nil, p.fault(FaultMinus, t)
		}
		query, fault := p.not(depth)
		return Not{query}, fault
	case tokenOpen:
		if depth == maxBrackets {
			return nil, p.fault(FaultDeep, t)
		}
		query, parts, fault := p.or(depth + 1)
		if fault != nil {
			return nil, fault
		}
		end, ok := p.next()
		if !ok || end.kind != tokenClose {
			return nil, p.fault(FaultOpen, t)
		}
		p.at++
		if len(parts) == 0 {
			return nil, p.fault(FaultEmptyBracket, t)
		}
		return query, nil
	}
	if p.terms++; p.terms > maxTerms {
		return nil, p.fault(FaultMany, t)
	}
	if t.colon {
		return p.condition(t)
	}
	return p.free(t), nil
}

// free returns the query for a word without an operator: it searches all parts of the row, amounts, days, and names of categories.
func (p *parser) free(t token) Query {
	if t.quoted {
		return p.phrase(Anywhere, t)
	}
	if number, ok := p.grouped(t); ok {
		return Phrase{In: Numbers, Words: Words(number), Whole: true}
	}
	either := Or{}
	found := Words(t.text)
	if len(found) > 0 {
		either = append(either, Phrase{In: Anywhere, Words: found})
	}
	for _, size := range sizes(strings.TrimFunc(t.text, isCurrency)) {
		either = append(either, AmountRange{Low: size, High: size})
	}
	if from, to, ok := days(t.text); ok && from == to {
		either = append(either, Period{from, to})
	}
	if p.in.Named != nil && len(found) > 0 {
		if marks := p.in.Named(OfCategory, found, false); len(marks) > 0 {
			either = append(either, Marked(marks))
		}
	}
	switch len(either) {
	case 0:
		return And{}
	case 1:
		return either[0]
	}
	return either
}

// grouped parses an IBAN that is written in groups of several words.
func (p *parser) grouped(t token) (string, bool) {
	number := t.text
	for next := p.at; len(number) <= 34; next++ {
		if found, err := iban.Parse(number); err == nil {
			p.at = next
			return found.String(), true
		}
		if next == len(p.tokens) || p.tokens[next].kind != tokenWord || p.tokens[next].colon || p.tokens[next].quoted {
			break
		}
		number += p.tokens[next].text
	}
	return "", false
}

func (p *parser) phrase(field Field, t token) Query {
	found := Words(t.text)
	if len(found) == 0 {
		return And{}
	}
	return Phrase{In: field, Words: found, Whole: t.quoted}
}

// condition returns the query for a word with an operator.
func (p *parser) condition(t token) (Query, *Fault) {
	operator := t.is()
	if !slices.Contains(Operators, operator) {
		fault := &Fault{Kind: FaultOperator, From: t.from, To: t.from + utf8.RuneCountInString(t.operator) + 1, Text: t.operator}
		fault.Meant = nearest(strings.ToLower(t.operator), Operators)
		return nil, fault
	}
	value := strings.TrimSpace(t.text)
	if value == "" {
		return nil, p.fault(FaultNoValue, t)
	}
	if t.exactly {
		return p.named(operator, value), nil
	}
	if field, ok := fieldOf[operator]; ok {
		if operator == OfIBAN {
			t.text = strings.Join(strings.Fields(t.text), "")
		}
		return p.phrase(field, t), nil
	}
	switch operator {
	case OfAmount:
		if query := amounts(value); query != nil {
			return query, nil
		}
		return nil, p.fault(FaultAmount, t)
	case OfAfter, OfBefore, OfOn:
		from, to, ok := days(value)
		if !ok {
			return nil, p.fault(FaultDate, t)
		}
		return map[Operator]Period{OfAfter: {From: from}, OfBefore: {To: dayBefore(from)}, OfOn: {from, to}}[operator], nil
	case OfLast:
		from, ok := back(p.in.Today, value)
		if !ok {
			return nil, p.fault(FaultLast, t)
		}
		return Period{From: from}, nil
	case OfIs, OfHas:
		known := states
		if operator == OfHas {
			known = belongings
		}
		if query, ok := known[strings.ToLower(value)]; ok {
			return query, nil
		}
		fault := p.fault(FaultState, t)
		fault.Meant = nearest(strings.ToLower(value), slices.Sorted(maps.Keys(known)))
		return nil, fault
	}
	// OfAccount, OfBank, OfCategory, OfGroup
	found := Words(value)
	if p.in.Named != nil && len(found) > 0 {
		if marks := p.in.Named(operator, found, t.quoted); len(marks) > 0 {
			return Marked(marks), nil
		}
	}
	return nil, p.fault(FaultName, t)
}

// named returns the query for rows with this payee or tag. It matches no rows when the text is not a name.
func (p *parser) named(operator Operator, name string) Query {
	name = strings.Join(strings.Fields(name), " ")
	if operator == OfTag {
		return Marked{TagMark(name)}
	}
	if p.in.PayeeKey != nil {
		if key := p.in.PayeeKey(name); key != "" {
			return Marked{PayeeMark(key)}
		}
	}
	return Or{}
}

// nearest returns the text that differs least from what was typed; "" when none is similar.
func nearest[T ~string](typed string, texts []T) string {
	if len(typed) > 30 {
		return ""
	}
	best, least := "", 3
	for _, t := range texts {
		if d := distance([]rune(typed), []rune(string(t))); d < least && d < len(t) {
			best, least = string(t), d
		}
	}
	return best
}

// distance returns how many letters must be changed, added or removed (Levenshtein).
func distance(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, y := range b {
			change := diagonal
			if x != y {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
