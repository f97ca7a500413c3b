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

// Rule says what to do with all rows that match its conditions.
type Rule struct {
	ID  string
	Off bool // kept, but not applied
	Conditions
	Actions
}

// Conditions say which rows a rule matches: those that meet all conditions. An unset condition is met by every row; of several texts in a condition, one must
// match.
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

// Actions say what a rule does. Category and Name apply as long as the rule does. The others are done once to each row, when the rule first matches it.
type Actions struct {
	Category string   `json:"category,omitempty"` // id
	Name     string   `json:"name,omitempty"`     // of the other side
	Tags     []string `json:"tags,omitempty"`
	Note     string   `json:"note,omitempty"` // only for rows without one
	Reviewed bool     `json:"reviewed,omitempty"`

	Share     []Part           `json:"share,omitempty"`      // how rows are shared, including the person's own part; nil: they are not shared
	ShareFrom openbanking.Date `json:"share_from,omitempty"` // the first day from which rows are shared
}

// Part is the proportion that a person bears of each row that a rule shares.
type Part struct {
	Person string `json:"person"` // as package settling names people
	Weight int64  `json:"weight"` // from 1
}

// Any reports whether there are no conditions, so that the rule matches every row.
func (c Conditions) Any() bool { return c.covers(Conditions{}) }

// None reports whether there are no actions.
func (a Actions) None() bool {
	return a.Category == "" && a.Name == "" && len(a.Tags) == 0 && a.Note == "" && !a.Reviewed && len(a.Share) == 0
}

// once returns the actions that are done once to a row.
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

// Query returns the search for the rows that a rule may match. It finds all of them, and also rows that differ only in details that the index lacks: the
// merchant category code, and which of the numbers is the account of the counterparty.
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

// covers reports whether every row that meets other also meets c, as far as the conditions alone can show.
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
		(c.From == "" && c.To == "" || other.From != "" || other.To != "") // a row without a date is never in a period
}

// Hides reports whether r makes a rule after it useless: it matches every row that the other matches, and decides everything that the other would.
func (r Rule) Hides(behind Rule) bool {
	return !r.Off && !behind.Off && r.covers(behind.Conditions) && len(behind.once()) == 0 &&
		(behind.Category == "" || r.Category != "") && (behind.Name == "" || r.Name != "")
}

// DeedKind is the kind of an action that is done once.
type DeedKind string

// Values of DeedKind.
const (
	DeedTag      DeedKind = "tag"
	DeedNote     DeedKind = "note"
	DeedReviewed DeedKind = "reviewed"
	DeedShare    DeedKind = "share"
)

// Deed is an action of a rule that is done once to a row.
type Deed struct {
	Rule  string // id
	Kind  DeedKind
	Value string // the tag or the note
	Share []Part // how the row is shared
	From  openbanking.Date
}

// holds reports whether the deed applies to a row: rows are shared only from a certain day on.
func (d Deed) holds(row Facts) bool {
	return d.Kind != DeedShare || row.Date != "" && row.Date >= d.From
}

// Ruled is the result of the rules for a row. Category, name and sharing come from the first matching rule that sets them; other deeds come from all matching
// rules.
type Ruled struct {
	Category, By string // By is the id of the rule
	Name         string
	Deeds        []Deed
}

// Rules are the active rules of a person in their order, prepared for comparison with rows.
type Rules []ready

type ready struct {
	Rule
	payees, texts []string // in the form of joined
	amounts       search.AmountRange
	deeds         []Deed
}

// RulesOf prepares rules.
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

// joined returns the words of a text, each preceded by a space.
func joined(text string) string {
	words := search.Words(text)
	if len(words) == 0 {
		return ""
	}
	return " " + strings.Join(words, " ")
}

// contains reports whether a joined text contains one of the phrases. The last word of a phrase may be the beginning of a word there.
func contains(phrases []string, text string) bool {
	return slices.ContainsFunc(phrases, func(p string) bool { return strings.Contains(text, joined(p)) })
}

// Of returns what the rules do with a row. names are the names of its counterparty, as the bank and as Florin write it.
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

// Fit reports whether at least one of the rules matches a row. payee is PayeeOf the facts.
func (m Memory) Fit(rules Rules, f Facts, payee Payee) bool {
	name, _, _ := m.Names.Of(payee.Name, payee.Key)
	row := rowOf(f, f.Name, payee.Name, name)
	return slices.ContainsFunc(rules, func(r ready) bool { return r.fits(row) })
}

// row is a row with its words in the form of joined.
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

// RuleFor returns the conditions of a rule for rows similar to one: with the same direction, and the same name, else the same account of the counterparty,
// else the same text.
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

// Widen returns conditions that match all rows matched before, and this row as well. ok is false when that is impossible, because the rule requires something
// that the row lacks.
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

// phrased is how many words of the text RuleFor uses for a row that has neither name nor account.
const phrased = 4

// phrase returns the first words of the text or the kind of a row; nil when it has neither.
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
