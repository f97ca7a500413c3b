package rules

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"florin/internal/categories"
	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/openbanking"
	"florin/internal/search"
	"florin/internal/settling"
	"florin/internal/store"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// Limits of a rule.
const (
	maxValues = 50  // of one condition
	maxValue  = 100 // characters of one of them
	maxName   = 70  // characters
)

// form is a rule as it is typed, with what is wrong with it.
type form struct {
	categories.Rule
	typed    map[string]string // the fields that could not be read, as they were typed
	problems map[string]words.Message
	problem  words.Message // of the whole
}

func (f *form) wrong() bool { return len(f.problems) > 0 || f.problem.Text != "" }

// refuse notes what is wrong with a field.
func (f *form) refuse(v *shell.Visitor, name string, problem words.Message) {
	if f.problems == nil {
		f.typed, f.problems = map[string]string{}, map[string]words.Message{}
	}
	f.typed[name], f.problems[name] = v.Field(name), problem
}

var (
	// accountNumber is an IBAN or another number of an account, compact.
	accountNumber = regexp.MustCompile(`^[0-9A-Z]{4,34}$`)
	merchantCode  = regexp.MustCompile(`^[0-9]{4}$`)
)

// read takes over what was typed.
func (f *form) read(v *shell.Visitor, k known) {
	wordless := words.Msg("“%s” has no letters and no digits.", "")
	f.Payees = f.values(v, "payees", "\n", finance.Clean, func(s string) bool { return len(search.Words(s)) > 0 }, wordless.Text)
	f.Texts = f.values(v, "texts", "\n", finance.Clean, func(s string) bool { return len(search.Words(s)) > 0 }, wordless.Text)
	compact := func(s string) string { return strings.ToUpper(strings.Join(strings.Fields(finance.Clean(s)), "")) }
	f.Numbers = f.values(v, "numbers", ",;\n", compact, accountNumber.MatchString, "“%s” is no account number.")
	f.MerchantCodes = f.values(v, "codes", ",;\n ", finance.Clean, merchantCode.MatchString, "“%s” is no merchant category code: these have four digits.")
	f.Low, f.High = f.amount(v, "low"), f.amount(v, "high")
	low, _ := search.Bound(f.Low)
	high, _ := search.Bound(f.High)
	if low != "" && high != "" && low > high {
		f.refuse(v, "high", words.Msg("This is less than the least amount."))
	}
	f.From, f.To = f.day(v, "from"), f.day(v, "to")
	if f.From != "" && f.To != "" && f.From > f.To {
		f.refuse(v, "to", words.Msg("This is before the first day."))
	}
	switch flow := categories.Flow(v.Field("flow")); flow {
	case categories.FlowIn, categories.FlowOut:
		f.Flow = flow
	default:
		f.Flow = categories.BothWays
	}
	gone := f.AccountID != "" && v.Field("account") == f.AccountID // the rule names an account that is no longer there, and may go on doing so
	if f.AccountID = v.Field("account"); f.AccountID != "" && !gone && k.account(f.AccountID) == "" {
		f.AccountID = ""
		f.problem = words.Msg("Choose one of your accounts.")
	}
	if f.Category = v.Field("category"); f.Category != "" {
		if _, ok := k.categories.Of(f.Category); !ok {
			f.Category = ""
			f.problem = words.Msg("Choose one of your categories.")
		}
	}
	f.Name = finance.Clean(v.Field("name"))
	switch n := utf8.RuneCountInString(f.Name); {
	case n > maxName:
		f.refuse(v, "name", words.Msg("The name is too long. Use at most %d characters.", maxName))
	case n > 0 && categories.NameKey(f.Name) == "":
		f.refuse(v, "name", words.Msg("“%s” has no letters and no digits.", f.Name))
	}
	var err error
	if f.Tags, err = finance.ReadTags(v.Field("tags")); err != nil {
		problem := words.Msg("A transaction may have %d tags at most.", finance.MaxTags)
		if errors.Is(err, finance.ErrTagTooLong) {
			problem = words.Msg("A tag may have %d characters at most. Write a comma between two tags.", finance.MaxTag)
		}
		f.refuse(v, "tags", problem)
	}
	if f.Note, err = finance.ReadNote(v.Field("note")); err != nil {
		f.refuse(v, "note", words.Msg("A note may have %d characters at most. This one has %d.", finance.MaxNote, utf8.RuneCountInString(v.Field("note"))))
	}
	f.Reviewed = v.Field("reviewed") == "yes"
	f.readShare(v, k)
	if !f.wrong() && f.None() {
		f.problem = words.Msg("Choose at least one thing that the rule does: a category, a name, a tag, a note, that transactions are marked as reviewed, or with whom they are shared.")
	}
}

// readShare reads who bears what of the transactions that the rule shares. Those who have left are in no form.
func (f *form) readShare(v *shell.Visitor, k known) {
	f.Share, f.ShareFrom = nil, ""
	others := false
	for _, p := range k.people.People {
		name := "share-" + p.ID
		typed := finance.Clean(v.Field(name))
		if p.Gone || typed == "" || typed == "0" {
			continue
		}
		weight, err := strconv.ParseInt(typed, 10, 64)
		if err != nil || weight < 1 || weight > settling.MaxWeight {
			f.refuse(v, name, words.Msg("Enter a whole number up to %d, or nothing.", settling.MaxWeight))
			continue
		}
		others = others || p.ID != k.people.Me
		f.Share = append(f.Share, categories.Part{Person: p.ID, Weight: weight})
	}
	switch {
	case len(f.Share) == 0:
		return
	case !others && !f.wrong():
		f.problem = words.Msg("Nobody but you has a share. Choose with whom the rule shares, or leave all numbers out.")
	case len(f.Share) > settling.MaxPeople:
		f.problem = words.Msg("An expense has %d people at most.", settling.MaxPeople)
	}
	if f.ShareFrom = f.day(v, "share-from"); v.Field("share-from") == "" {
		f.ShareFrom = k.Today()
	}
}

// values reads a list with one value between two of the separators.
func (f *form) values(v *shell.Visitor, name, separators string, clean func(string) string, good func(string) bool, problem words.Text) []string {
	var all []string
	for value := range strings.FieldsFuncSeq(v.Field(name), func(r rune) bool { return strings.ContainsRune(separators, r) }) {
		value = clean(value)
		switch {
		case value == "" || slices.Contains(all, value):
			continue
		case utf8.RuneCountInString(value) > maxValue:
			f.refuse(v, name, words.Msg("A value may have %d characters at most.", maxValue))
			return nil
		case !good(value):
			f.refuse(v, name, words.Msg(problem, value))
			return nil
		case len(all) == maxValues:
			f.refuse(v, name, words.Msg("Enter %d values at most.", maxValues))
			return nil
		}
		all = append(all, value)
	}
	return all
}

func (f *form) amount(v *shell.Visitor, name string) string {
	size, ok := search.Bound(v.Field(name))
	if !ok {
		f.refuse(v, name, words.Msg("Enter an amount without a sign, like 20 or 12.50."))
		return ""
	}
	return size.Decimal()
}

func (f *form) day(v *shell.Visitor, name string) openbanking.Date {
	if v.Field(name) == "" {
		return ""
	}
	day, err := finance.ParseDay(v.Field(name))
	if err != nil {
		f.refuse(v, name, show.DayProblem(err))
	}
	return day
}

// digest tells two rules apart: the person saves the one whose preview was shown.
func (f *form) digest() string {
	text, _ := json.Marshal(struct {
		categories.Conditions
		categories.Actions
	}{f.Conditions, f.Actions}) // of texts and lists of texts
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// page shows the form of a rule with what it would do, and a notice above it.
func (a *Area) page(v *shell.Visitor, status int, f form, notice *ui.Notice) error {
	k, err := a.known(v)
	if err != nil {
		return err
	}
	view := pages.RuleView{ID: f.ID, Action: paths.Rules, Notice: notice, Form: f.view(k)}
	if f.ID != "" {
		view.Action = paths.Rule(f.ID)
	}
	if f.problem.Text != "" {
		view.Notice = &ui.Notice{Tone: ui.Warning, Title: v.Say("This cannot be saved"), Text: k.Message(f.problem)}
	}
	if !f.wrong() && !f.None() {
		if view.Preview, err = a.preview(v, k, f.Rule); err != nil {
			return err
		}
		view.Seen = f.digest()
	}
	view.Frame = a.Frame(v)
	return v.Page(status, pages.Rule(view))
}

// view is the form with its fields.
func (f *form) view(k known) pages.RuleForm {
	field := func(name string, value string, i ui.Input) ui.Input {
		i.Name, i.Type, i.Autocomplete, i.Value = name, cmp.Or(i.Type, "text"), "off", value
		if problem, ok := f.problems[name]; ok {
			i.Value, i.Problem = f.typed[name], k.Message(problem)
		}
		return i
	}
	lines := func(values []string) string { return strings.Join(values, "\n") }
	view := pages.RuleForm{
		Payees: field("payees", lines(f.Payees), ui.Input{Label: k.Say("Name of the payee or payer"),
			Hint: k.Say("One per line. The rule fits when one of them is in the name; the beginnings of words are enough.")}),
		Texts: field("texts", lines(f.Texts), ui.Input{Label: k.Say("Words in the text"), Hint: k.Say("One per line, in the same way.")}),
		Numbers: field("numbers", lines(f.Numbers), ui.Input{Label: k.Say("Account number of the payee or payer"),
			Hint: k.Say("IBAN or another number, one per line.")}),
		Codes: field("codes", strings.Join(f.MerchantCodes, ", "), ui.Input{Label: k.Say("Merchant category code"), Mode: "numeric",
			Hint: k.Say("Four digits, as the page of a card payment shows them. Write a comma between two.")}),
		Low:  field("low", typedAmount(k, f.Low), ui.Input{Label: k.Say("Amount from"), Mode: "decimal"}),
		High: field("high", typedAmount(k, f.High), ui.Input{Label: k.Say("Amount up to"), Mode: "decimal"}),
		From: field("from", string(f.From), ui.Input{Label: k.Say("First day"), Type: "date"}),
		To:   field("to", string(f.To), ui.Input{Label: k.Say("Last day"), Type: "date"}),
		Flow: []ui.Option{
			{Value: "", Text: k.Say("Money in and out"), Selected: f.Flow == categories.BothWays},
			{Value: string(categories.FlowOut), Text: k.Say("Money out"), Selected: f.Flow == categories.FlowOut},
			{Value: string(categories.FlowIn), Text: k.Say("Money in"), Selected: f.Flow == categories.FlowIn},
		},
		Accounts:   []ui.Option{{Value: "", Text: k.Say("All accounts"), Selected: f.AccountID == ""}},
		Categories: k.CategoryChoice(k.categories, f.Category),
		Name: field("name", f.Name, ui.Input{Label: k.Say("Name to show"), MaxLength: 2 * maxName,
			Hint: k.Say("Shown instead of the name that the bank gives. Payments still use the bank’s.")}),
		Tags:     field("tags", strings.Join(f.Tags, ", "), ui.Input{Label: k.Say("Tags"), Hint: k.Say("Write a comma between two tags.")}),
		Note:     field("note", f.Note, ui.Input{Label: k.Say("Your note"), Hint: k.Say("Added to transactions that have no note.")}),
		Reviewed: f.Reviewed,
	}
	shown := f.Conditions
	shown.Payees, shown.Flow = nil, categories.BothWays
	view.More = !shown.Any()
	view.MoreDone = !categories.Actions{Name: f.Name, Tags: f.Tags, Note: f.Note, Reviewed: f.Reviewed}.None()
	for name := range f.problems {
		does := slices.Contains([]string{"name", "tags", "note"}, name)
		view.More, view.MoreDone = view.More || !does && name != "payees" && !strings.HasPrefix(name, "share-"), view.MoreDone || does
	}
	f.viewShare(k, &view, field)
	view.Accounts = append(view.Accounts, k.AccountOptions(k.accounts, k.banks, f.AccountID)...)
	if f.AccountID != "" && k.account(f.AccountID) == "" {
		view.Accounts = append(view.Accounts, ui.Option{Value: f.AccountID, Text: k.Say("An account that is no longer here"), Selected: true})
	}
	return view
}

// viewShare are the fields that say who bears what; none where there is nobody else.
func (f *form) viewShare(k known, view *pages.RuleForm, field func(name, value string, i ui.Input) ui.Input) {
	for _, p := range k.people.People {
		if p.Gone {
			continue
		}
		label, weight := k.Say("Shares of %s", p.Email), ""
		if p.ID == k.people.Me {
			label = k.Say("Your shares")
		}
		if i := slices.IndexFunc(f.Share, func(part categories.Part) bool { return part.Person == p.ID }); i >= 0 {
			weight = strconv.FormatInt(f.Share[i].Weight, 10)
		}
		view.Share = append(view.Share, field("share-"+p.ID, weight, ui.Input{Label: label, Mode: "numeric"}))
	}
	if len(view.Share) < 2 {
		view.Share = nil
		return
	}
	view.ShareFrom = field("share-from", string(cmp.Or(f.ShareFrom, k.Today())), ui.Input{Label: k.Say("Share transactions from this day on"), Type: "date",
		Hint: k.Say("With an earlier day, transactions that are there already are shared, too. “Show what it does” counts them before.")})
	view.MoreShared = len(f.Share) > 0
	for name := range f.problems {
		view.MoreShared = view.MoreShared || strings.HasPrefix(name, "share-")
	}
}

// typedAmount is an amount as the reader would type it.
func typedAmount(k known, amount string) string {
	return strings.Replace(amount, ".", k.Point(), 1)
}

// preview says what a rule would do with the rows that are there, and warns of rules that do nothing.
func (a *Area) preview(v *shell.Visitor, k known, r categories.Rule) (*pages.RulePreview, error) {
	p, err := a.Store.PreviewRule(v.Ctx(), v.User.ID, r)
	if err != nil {
		return nil, err
	}
	rules, err := a.Store.Rules(v.Ctx(), v.User.ID)
	if err != nil {
		return nil, err
	}
	view := &pages.RulePreview{}
	if p.Fits > 0 {
		view.Lines = append(view.Lines, v.Say("It fits %d of your transactions.", p.Fits))
	}
	if p.Changed > 0 {
		view.Lines = append(view.Lines, v.Say("%d of them get another category.", p.Changed))
	}
	if p.ByHand > 0 {
		view.Lines = append(view.Lines, v.Say("%d of them keep the category that you chose yourself.", p.ByHand))
	}
	if p.Earlier > 0 {
		view.Lines = append(view.Lines, v.Say("%d of them have their category from an earlier rule.", p.Earlier))
	}
	view.Lines = append(view.Lines, shareLines(v, k, r, p)...)
	if p.Capped {
		view.Lines = append(view.Lines, v.Say("Florin looked at the newest %d that may fit. There are more: the rule applies to them, too.", store.MaxPreviewed))
	}
	view.Warnings = warnings(v, k, rules, r, p)
	rows, changes := make([]finance.FoundRow, len(p.Sample)), map[int64]string{}
	for i, row := range p.Sample {
		rows[i] = row.FoundRow
		rows[i].Payee = row.Name
		was, is := k.named(row.FoundRow.Category), k.named(row.Category)
		if was != is {
			is = was + " → " + is
		}
		changes[row.ID] = is
	}
	view.Days = k.Days(rows, func(row finance.FoundRow) show.ListedIn {
		return show.ListedIn{Base: paths.Transaction(row.AccountID, ""), Name: changes[row.ID]}
	})
	return view, nil
}

// shareLines say what a rule would share of the rows that are there.
func shareLines(v *shell.Visitor, k known, r categories.Rule, p store.RulePreview) (lines []string) {
	if len(r.Share) == 0 {
		return nil
	}
	if p.Shared > 0 {
		var sums []string
		for _, sum := range p.Sums {
			sums = append(sums, k.Money(sum))
		}
		lines = append(lines, v.Say("%d of them become shared expenses, %s in all. Everybody with a share sees them at once.", p.Shared, k.List(sums)))
	} else {
		lines = append(lines, v.Say("None of them becomes a shared expense now. The rule shares those from %s on.", k.FullDay(r.ShareFrom)))
	}
	if p.Theirs > 0 {
		lines = append(lines, v.Say("%d of them are shared by an earlier rule.", p.Theirs))
	}
	if p.Left > 0 {
		lines = append(lines, v.Say("%d of them are left alone: they are shared expenses already, or you deleted them there.", p.Left))
	}
	return lines
}

// named is the name of a category by its id.
func (k known) named(id string) string {
	own, ok := k.categories.Of(id)
	if !ok {
		return k.Say("No category")
	}
	return k.Category(own)
}

// warnings are what is odd about a rule among the others, of which it takes the place of the one with its id, or comes first.
func warnings(v *shell.Visitor, k known, rules []categories.Rule, r categories.Rule, p store.RulePreview) []string {
	var all []string
	if r.Any() {
		all = append(all, v.Say("This rule fits every transaction. Add a condition unless you want that."))
	}
	if p.Fits == 0 && !p.Capped {
		all = append(all, v.Say("No transaction fits so far. The rule waits for new ones; check the conditions if you expected some."))
	}
	at := slices.IndexFunc(rules, func(other categories.Rule) bool { return other.ID == r.ID })
	r.Off = false
	for i, other := range rules {
		switch {
		case i < at && other.Hides(r):
			all = append(all, v.Say("This rule never decides anything: the rule “%s” comes before it and does the same or more.", k.conditions(other)))
		case i > at && r.Hides(other):
			all = append(all, v.Say("The rule “%s” then never decides anything: this one comes before it and does the same or more.", k.conditions(other)))
		}
	}
	return all
}
