package categories

import (
	"slices"
	"strings"

	"florin/internal/openbanking"
	"florin/internal/search"
)

// Flow is a direction of money.
type Flow string

// Values of Flow.
const (
	BothWays Flow = ""
	FlowIn   Flow = "in"
	FlowOut  Flow = "out"
)

// Rule is what a person wants done with all rows of a kind.
type Rule struct {
	ID  string
	Off bool // kept, and not applied
	Conditions
	Actions
}

// Conditions say which rows a rule fits: those for which all conditions hold. One that is not set holds for every row; of several texts, one has to be there.
type Conditions struct {
	Payees        []string         `json:"payees,omitempty"`         // in the name of the other side, as the bank or as Florin writes it; compared like words of a search
	Texts         []string         `json:"texts,omitempty"`          // in the text, or in the bank's word for the kind of transaction; in the same way
	Numbers       []string         `json:"numbers,omitempty"`        // of the account on the other side, compact
	MerchantCodes []string         `json:"merchant_codes,omitempty"` // ISO 18245
	Low           string           `json:"low,omitempty"`            // least amount, without sign, as search.Bound reads it; "" for none, as the next
	High          string           `json:"high,omitempty"`
	Flow          Flow             `json:"flow,omitempty"`
	AccountID     string           `json:"account_id,omitempty"` // of the person's own account
	From          openbanking.Date `json:"from,omitempty"`       // first day; "" for none, as the next
	To            openbanking.Date `json:"to,omitempty"`         // last day
}

// Actions are what a rule does. Category and Name hold as long as the rule does. The others are done once to a row, when the rule first meets it.
type Actions struct {
	Category string   `json:"category,omitempty"` // id
	Name     string   `json:"name,omitempty"`     // of the other side
	Tags     []string `json:"tags,omitempty"`
	Note     string   `json:"note,omitempty"` // for rows without one
	Reviewed bool     `json:"reviewed,omitempty"`

	Share     []Part           `json:"share,omitempty"`      // who bears what of a row, the person among them where they bear a part; nil: it is not shared
	ShareFrom openbanking.Date `json:"share_from,omitempty"` // the first day of rows that are shared
}

// Part is what somebody bears of each row that a rule shares, in proportion to the others.
type Part struct {
	Person string `json:"person"` // as package settling names people
	Weight int64  `json:"weight"` // from 1
}

// Any reports whether there is no condition: the rule fits every row.
func (c Conditions) Any() bool { return c.covers(Conditions{}) }

// None reports whether nothing would be done.
func (a Actions) None() bool {
	return a.Category == "" && a.Name == "" && len(a.Tags) == 0 && a.Note == "" && !a.Reviewed && len(a.Share) == 0
}

// once are the actions that are done once.
func (a Actions) once() []Deed {
	var all []Deed
	for _, tag := range a.Tags {
		all = append(all, Deed{Kind: DeedTag, Value: tag})
	}
	if a.Note != "" {
		all = append(all, Deed{Kind: DeedNote, Value: a.Note})
	}
	if a.Reviewed {
		all = append(all, Deed{Kind: DeedReviewed})
	}
	if len(a.Share) > 0 {
		all = append(all, Deed{Kind: DeedShare, Share: a.Share, From: a.ShareFrom})
	}
	return all
}

// Query is the search for the rows that a rule may fit. It finds all of them, and those that differ only in what the index does not know: the merchant category
// code, and which number is that of the account on the other side.
func (c Conditions) Query() search.Query {
	all := search.And{}
	either := func(texts []string, phrase func(words []string) search.Phrase) {
		var one search.Or
		for _, text := range texts {
			one = append(one, phrase(search.Words(text)))
		}
		if one != nil {
			all = append(all, one)
		}
	}
	either(c.Payees, func(words []string) search.Phrase { return search.Phrase{In: search.Payee, Words: words} })
	either(c.Texts, func(words []string) search.Phrase { return search.Phrase{In: search.Text, Words: words} })
	either(c.Numbers, func(words []string) search.Phrase {
		return search.Phrase{In: search.Numbers, Words: words, Whole: true}
	})
	if c.Low != "" || c.High != "" {
		all = append(all, c.amounts())
	}
	switch c.Flow {
	case FlowIn:
		all = append(all, search.Marked{search.MarkIn})
	case FlowOut:
		all = append(all, search.Marked{search.MarkOut})
	}
	if c.AccountID != "" {
		all = append(all, search.Marked{search.AccountMark(c.AccountID)})
	}
	if c.From != "" || c.To != "" {
		all = append(all, search.Period{From: c.From, To: c.To})
	}
	return all
}

func (c Conditions) amounts() search.AmountRange {
	low, _ := search.Bound(c.Low)
	high, _ := search.Bound(c.High)
	return search.AmountRange{Low: low, High: high}
}

// covers reports whether conditions hold wherever others do, as far as can be told from the conditions alone.
func (c Conditions) covers(other Conditions) bool {
	phrases := func(own, others []string) bool {
		return len(own) == 0 || len(others) > 0 && !slices.ContainsFunc(others, func(o string) bool { return !contains(own, joined(o)) })
	}
	among := func(own, others []string) bool {
		return len(own) == 0 || len(others) > 0 && !slices.ContainsFunc(others, func(o string) bool { return !slices.Contains(own, o) })
	}
	mine, theirs := c.amounts(), other.amounts()
	return phrases(c.Payees, other.Payees) && phrases(c.Texts, other.Texts) && among(c.Numbers, other.Numbers) && among(c.MerchantCodes, other.MerchantCodes) &&
		(c.Flow == BothWays || c.Flow == other.Flow) && (c.AccountID == "" || c.AccountID == other.AccountID) &&
		(mine.Low == "" || theirs.Low != "" && theirs.Low >= mine.Low) && (mine.High == "" || theirs.High != "" && theirs.High <= mine.High) &&
		(c.From == "" || other.From >= c.From) && (c.To == "" || other.To != "" && other.To <= c.To) &&
		(c.From == "" && c.To == "" || other.From != "" || other.To != "") // a row without a date is in no period
}

// Hides reports whether a rule leaves nothing to do for one that stands behind it: it fits whatever the other fits, and decides all that the other would.
func (r Rule) Hides(behind Rule) bool {
	return !r.Off && !behind.Off && r.covers(behind.Conditions) && len(behind.once()) == 0 &&
		(behind.Category == "" || r.Category != "") && (behind.Name == "" || r.Name != "")
}

// DeedKind is what is done to a row once.
type DeedKind string

// Values of DeedKind.
const (
	DeedTag      DeedKind = "tag"
	DeedNote     DeedKind = "note"
	DeedReviewed DeedKind = "reviewed"
	DeedShare    DeedKind = "share"
)

// Deed is something that a rule does to a row once.
type Deed struct {
	Rule  string // id
	Kind  DeedKind
	Value string // the tag or the note
	Share []Part // who bears what of a row that is shared
	From  openbanking.Date
}

// holds reports whether the deed is for a row at all: one is shared from a day on.
func (d Deed) holds(row Facts) bool {
	return d.Kind != DeedShare || row.Date != "" && row.Date >= d.From
}

// Ruled is what the rules say of a row. For the category, for the name and for sharing it is the first rule that fits and has an answer; the other deeds are
// those of all that fit.
type Ruled struct {
	Category, By string // By is the id of the rule
	Name         string
	Deeds        []Deed
}

// Rules are the rules of a person in their order, ready to be compared with rows. Those that are switched off are left out.
type Rules []ready

type ready struct {
	Rule
	payees, texts []string // as joined gives them
	amounts       search.AmountRange
	deeds         []Deed
}

// RulesOf makes rules ready.
func RulesOf(rules []Rule) Rules {
	var all Rules
	for _, r := range rules {
		if r.Off {
			continue
		}
		one := ready{Rule: r, amounts: r.Conditions.amounts(), deeds: r.once()}
		for i := range one.deeds {
			one.deeds[i].Rule = r.ID
		}
		for _, p := range r.Payees {
			one.payees = append(one.payees, joined(p))
		}
		for _, t := range r.Texts {
			one.texts = append(one.texts, joined(t))
		}
		all = append(all, one)
	}
	return all
}

// joined are the words of a text, each with a space before it.
func joined(text string) string {
	words := search.Words(text)
	if len(words) == 0 {
		return ""
	}
	return " " + strings.Join(words, " ")
}

// contains reports whether one of the phrases is in a text that is joined; the last word of the phrase may go on there.
func contains(phrases []string, text string) bool {
	return slices.ContainsFunc(phrases, func(p string) bool { return strings.Contains(text, joined(p)) })
}

// Of says what the rules do with a row. names are those of the other side: as the bank and as Florin writes it.
func (rules Rules) Of(f Facts, names ...string) Ruled {
	var ruled Ruled
	if len(rules) == 0 {
		return ruled
	}
	row, shared := rowOf(f, names...), false
	for _, r := range rules {
		if !r.fits(row) {
			continue
		}
		if ruled.Category == "" && r.Category != "" {
			ruled.Category, ruled.By = r.Category, r.ID
		}
		if ruled.Name == "" {
			ruled.Name = r.Name
		}
		for _, d := range r.deeds {
			if !d.holds(f) || d.Kind == DeedShare && shared {
				continue
			}
			shared = shared || d.Kind == DeedShare
			ruled.Deeds = append(ruled.Deeds, d)
		}
	}
	return ruled
}

// Fit reports whether one of some rules fits a row. payee is PayeeOf the facts.
func (m Memory) Fit(rules Rules, f Facts, payee Payee) bool {
	name, _, _ := m.Names.Of(payee.Name, payee.Key)
	row := rowOf(f, f.Name, payee.Name, name)
	return slices.ContainsFunc(rules, func(r ready) bool { return r.fits(row) })
}

// row is a row with its words, as joined gives them.
type row struct {
	Facts
	names []string
	text  string
}

func rowOf(f Facts, names ...string) row {
	r := row{Facts: f, text: joined(f.Text + " " + f.Kind)}
	for _, name := range names {
		r.names = append(r.names, joined(name))
	}
	return r
}

func (r ready) fits(row row) bool {
	in := func(phrases []string, texts ...string) bool {
		return len(phrases) == 0 || slices.ContainsFunc(phrases, func(p string) bool {
			return p != "" && slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(t, p) })
		})
	}
	among := func(values []string, value string) bool { return len(values) == 0 || slices.Contains(values, value) }
	return (r.Flow == BothWays || r.Flow == row.flow()) && (r.AccountID == "" || r.AccountID == row.In) && among(r.MerchantCodes, row.MerchantCode) &&
		among(r.Numbers, row.Account) && in(r.payees, row.names...) && in(r.texts, row.text) &&
		(r.From == "" && r.To == "" || search.Period{From: r.From, To: r.To}.Matches(search.Row{Date: row.Date})) &&
		(r.Low == "" && r.High == "" || r.amounts.Matches(search.Row{Amount: row.Amount}))
}

// RuleFor returns the conditions of a rule for rows like one: with the same name, else with the same account on the other side, else with the same text, and in
// the same direction.
func RuleFor(f Facts) Conditions {
	c := Conditions{Flow: f.flow()}
	switch name := PayeeOf(f).Name; {
	case joined(name) != "":
		c.Payees = []string{name}
	case f.Account != "":
		c.Numbers = []string{f.Account}
	default:
		c.Texts = phrase(f)
	}
	return c
}

// Widen returns the conditions of a rule so that it fits a row too, and whatever it fitted before. ok is false when that cannot be: the rule looks for
// something that the row does not have.
func (c Conditions) Widen(f Facts) (wide Conditions, ok bool) {
	fits := func(c Conditions) bool {
		return RulesOf([]Rule{{Conditions: c}})[0].fits(rowOf(f, f.Name, PayeeOf(f).Name))
	}
	add := func(values, more []string, alone func(values []string) Conditions) []string {
		if len(values) == 0 || fits(alone(values)) {
			return values
		}
		return append(slices.Clip(values), more...)
	}
	var name, number, code []string
	if payee := PayeeOf(f).Name; joined(payee) != "" {
		name = []string{payee}
	}
	if f.Account != "" {
		number = []string{f.Account}
	}
	if f.MerchantCode != "" {
		code = []string{f.MerchantCode}
	}
	c.Payees = add(c.Payees, name, func(v []string) Conditions { return Conditions{Payees: v} })
	c.Texts = add(c.Texts, phrase(f), func(v []string) Conditions { return Conditions{Texts: v} })
	c.Numbers = add(c.Numbers, number, func(v []string) Conditions { return Conditions{Numbers: v} })
	c.MerchantCodes = add(c.MerchantCodes, code, func(v []string) Conditions { return Conditions{MerchantCodes: v} })
	if c.Flow != f.flow() {
		c.Flow = BothWays
	}
	if c.AccountID != f.In {
		c.AccountID = ""
	}
	amount, size := strings.TrimPrefix(f.Amount.String(), "-"), search.SizeOf(f.Amount)
	if low := c.amounts().Low; low != "" && size < low {
		c.Low = amount
	}
	if high := c.amounts().High; high != "" && size > high {
		c.High = amount
	}
	switch {
	case f.Date == "":
		c.From, c.To = "", ""
	case c.From != "" && f.Date < c.From:
		c.From = f.Date
	case c.To != "" && f.Date > c.To:
		c.To = f.Date
	}
	return c, fits(c)
}

// phrased is how many words of the text of a row a rule looks for, where the row has nothing better.
const phrased = 4

// phrase are the first words of the text of a row, or of its kind; nil when it has neither.
func phrase(f Facts) []string {
	words := search.Words(f.Text + " " + f.Kind)
	if len(words) == 0 {
		return nil
	}
	return []string{strings.Join(words[:min(len(words), phrased)], " ")}
}

func (f Facts) flow() Flow {
	if f.Out {
		return FlowOut
	}
	return FlowIn
}
