package reports

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"florin/internal/categories"
	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/search"
	"florin/internal/store"
)

// report is a choice with the accounts and categories that it is made of.
type report struct {
	choice
	conversion
	store.Holdings
	show.Names

	area  *Area
	whose shell.Whose
	owned map[string]finance.User // the owners of accounts that are not the person's own
	v     *shell.Visitor
	c     show.Clock
	book  categories.Book
	roots map[string]categories.Own // those under which rows of categories are shown
	keys  map[string]bool           // of the payees that are chosen
	asked []store.NamedPayee        // the payees that are chosen
	whole bool                      // all lines are wanted, as in a file; a page has the largest ones
	large bool                      // something is too large to be added up
	cut   bool                      // only the newest rows are added up
	lacks bool                      // figures of tags lack rows: the search is still being prepared after an update
	few   bool                      // only maxAsked categories are looked at

	// What was chosen and is not there.
	noCategory, noPayee, noTag []string
}

// byRows reports whether figures are added up row by row: no sums are kept by tag.
func (r *report) byRows() bool { return len(r.tags) > 0 }

// flow is what came in and went out in one currency. out is below zero.
type flow struct{ in, out money.Amount }

// flows are those of several currencies.
type flows map[string]flow

// add adds to a currency; false when no amount is so large, and nothing is added.
func (f flows) add(in, out money.Amount) bool {
	was, ok := f[in.Currency()]
	if !ok {
		f[in.Currency()] = flow{in, out}
		return true
	}
	sumIn, errIn := was.in.Add(in)
	sumOut, errOut := was.out.Add(out)
	if errIn != nil || errOut != nil {
		return false
	}
	f[in.Currency()] = flow{sumIn, sumOut}
	return true
}

func (f flow) net() (money.Amount, bool) {
	net, err := f.in.Add(f.out)
	return net, err == nil
}

// figureKey names a figure: a month by its first day, and a category, "" for none.
type figureKey struct {
	month    openbanking.Date
	category string
}

// sums are the figures of a period by month and category, whatever the tag.
func (r *report) sums(p search.Period) (map[figureKey]flows, error) {
	all := map[figureKey]flows{}
	read := r.whose.MonthSums
	if len(r.keys) > 0 {
		read = r.whose.PayeeMonthSums
	}
	list, err := read(r.v.Ctx(), p)
	if err != nil {
		return nil, err
	}
	for _, s := range list {
		if !r.counts(s) {
			continue
		}
		key := figureKey{s.Day, r.root(s.Category)}
		if all[key] == nil {
			all[key] = flows{}
		}
		r.large = !all[key].add(s.In, s.Out) || r.large
	}
	return all, nil
}

// root returns the category under which rows of a category are shown, after merges.
func (r *report) root(category string) string { return cmp.Or(r.roots[category].ID, category) }

// counts reports whether a sum is of an account, a category and a payee that the report is about.
func (r *report) counts(s store.Sum) bool {
	return (len(r.keys) == 0 || r.keys[s.Payee]) && (len(r.accounts) == 0 || slices.Contains(r.accounts, s.AccountID)) &&
		(len(r.categories) == 0 || slices.Contains(r.categories, r.root(s.Category)))
}

// months are the figures of each month of a period, in their order.
func (r *report) months(months []search.Period) ([]flows, error) {
	list := make([]flows, len(months))
	if r.byRows() || len(months) == 0 {
		for i, m := range months {
			var err error
			if list[i], err = r.totals(r.facts(m)); err != nil {
				return nil, err
			}
		}
		return list, nil
	}
	sums, err := r.sums(search.Period{From: months[0].From, To: months[len(months)-1].To})
	if err != nil {
		return nil, err
	}
	for i, m := range months {
		list[i] = flows{}
		for key, f := range sums {
			if key.month[:len("2006-01")] == m.From[:len("2006-01")] {
				r.addAll(list[i], f)
			}
		}
	}
	return list, nil
}

// total is the figure of a period.
func (r *report) total(p search.Period) (flows, error) {
	if r.byRows() {
		return r.totals(r.facts(p))
	}
	sums, err := r.sums(p)
	if err != nil {
		return nil, err
	}
	all := flows{}
	for _, f := range sums {
		r.addAll(all, f)
	}
	return all, nil
}

// byCategory are the figures of a period by category.
func (r *report) byCategory(p search.Period) (map[string]flows, error) {
	all := map[string]flows{}
	if !r.byRows() {
		sums, err := r.sums(p)
		for key, f := range sums {
			if all[key.category] == nil {
				all[key.category] = flows{}
			}
			r.addAll(all[key.category], f)
		}
		return all, err
	}
	used, err := r.sums(p) // only these categories can have rows with the tags
	if err != nil {
		return nil, err
	}
	rows := map[string]bool{}
	for key := range used {
		rows[key.category] = true
	}
	ids := slices.Sorted(maps.Keys(rows))
	r.few = r.few || len(ids) > maxAsked
	for _, id := range ids[:min(len(ids), maxAsked)] {
		f, err := r.totals(r.category(id, p))
		if err != nil {
			return nil, err
		}
		if len(f) > 0 {
			all[id] = f
		}
	}
	return all, nil
}

// maxAsked is of how many categories the rows are added up, when they are.
const maxAsked = 200

func (r *report) addAll(to, from flows) {
	for _, f := range from {
		r.large = !to.add(f.in, f.out) || r.large
	}
}

// category are the facts of a category in a period; "" is none.
func (r *report) category(id string, p search.Period) search.Facts {
	f := r.facts(p)
	f.Categories = []string{id}
	if id == "" {
		f.Categories, f.Uncategorised = nil, true
	}
	return f
}

// How many lines a table and a chart of categories have at most on a page, and one of payees or tags.
const (
	mostLines = 100
	mostNamed = 50
)

// categoryLine is a line of a table or a chart: a category, or all those that have no line of their own.
type categoryLine []string

// lines are those of categories, which are in their order. What the rest comes to is the last line.
func (r *report) lines(ids []string) (all []categoryLine) {
	end := len(ids)
	if !r.whole && end > mostLines {
		end = mostLines
	}
	rest := slices.DeleteFunc(slices.Clone(ids[end:]), func(id string) bool { return id == "" })
	if len(rest) < len(ids)-end { // what has no category keeps its line: no search finds it together with categories
		ids = slices.Concat(ids[:end], []string{""})
		end++
	}
	for _, id := range ids[:end] {
		all = append(all, categoryLine{id})
	}
	if len(rest) > 0 {
		all = append(all, rest)
	}
	return all
}

// called is what a line is called.
func (r *report) called(l categoryLine) string {
	if len(l) == 1 {
		return r.name(l[0])
	}
	return r.c.Say("%d other categories", len(l))
}

// behind returns the conditions that find the rows behind a line in a period.
func (r *report) behind(l categoryLine, p search.Period) search.Facts {
	if len(l) == 1 {
		return r.category(l[0], p)
	}
	f := r.facts(p)
	f.Categories = l
	return f
}

// sum adds up the figures of the categories of a line.
func (r *report) sum(l categoryLine, currency string, of func(id string) flow) flow {
	all := flows{}
	for _, id := range l {
		f := of(id)
		r.large = !all.add(f.in, f.out) || r.large
	}
	return r.at(all, r.codeOf(currency))
}

// query is what the link to the rows of facts asks for; false when the search field does not understand it.
func (r *report) query(f search.Facts) (search.Query, bool) {
	parsed, fault := search.Parse(f.Query(r.Value), r.Context())
	return parsed.Query, fault == nil
}

// totals are those of the list of the rows of facts, added up row by row.
func (r *report) totals(f search.Facts) (flows, error) {
	query, ok := r.query(f)
	if !ok {
		return flows{}, nil
	}
	list, cut, _, err := r.whose.Totals(r.v.Ctx(), query)
	all := flows{}
	for _, t := range list {
		r.large = !all.add(t.In, t.Out) || r.large
	}
	r.cut = r.cut || cut
	return all, err
}

// currencies are those of figures: all of them together first, where they were converted, then that of the most accounts, then by their codes.
func (r *report) currencies(lists ...flows) []string {
	seen := map[string]bool{}
	for _, f := range lists {
		for currency := range f {
			seen[currency] = true
		}
	}
	held := map[string]int{}
	for _, a := range r.Accounts {
		held[a.Currency]++
	}
	held[converted] = len(r.Accounts) + 1
	return slices.SortedFunc(maps.Keys(seen), func(a, b string) int { return cmp.Or(held[b]-held[a], cmp.Compare(a, b)) })
}

// worthAt is what is on the accounts of the report at the end of days, currency by currency. An account counts from the first day of which its balance is
// known.
func (r *report) worthAt(days []openbanking.Date) ([]map[string]money.Amount, error) {
	list := make([]map[string]money.Amount, len(days))
	for i := range list {
		list[i] = map[string]money.Amount{}
	}
	for _, a := range r.Accounts {
		if len(r.accounts) > 0 && !slices.Contains(r.accounts, a.ID) {
			continue
		}
		balances, err := r.whose.DayBalances(r.v.Ctx(), a.ID, search.Period{From: days[0], To: days[len(days)-1]})
		if err != nil {
			return nil, err
		}
		for i, day := range days {
			at, known := slices.BinarySearchFunc(balances, day, func(b store.DayBalance, day openbanking.Date) int { return cmp.Compare(b.Day, day) })
			if !known {
				continue
			}
			one := balances[at].Balance
			if was, ok := list[i][one.Currency()]; ok {
				if one, err = was.Add(one); err != nil {
					r.large = true
					continue
				}
			}
			list[i][one.Currency()] = one
		}
	}
	return list, nil
}

// name is what a category is called.
func (r *report) name(category string) string {
	own, known := r.roots[category]
	if !known {
		return r.c.Say("No category")
	}
	return r.c.Category(own)
}

// keepOwn keeps what the person has of the accounts, categories, payees and tags of an address. A category may be called by its name.
func (r *report) keepOwn() error {
	r.accounts = slices.DeleteFunc(r.accounts, func(id string) bool {
		return !slices.ContainsFunc(r.Accounts, func(a finance.Account) bool { return a.ID == id })
	})
	var ids []string
	for _, asked := range r.categories {
		id := asked
		if r.roots[id].ID != id {
			id = r.categoryCalled(asked)
		}
		if id == "" {
			r.noCategory = append(r.noCategory, asked)
		} else {
			ids = append(ids, id)
		}
	}
	r.categories = unique(ids)
	tags, err := r.area.Store.Tags(r.v.Ctx(), r.v.User.ID)
	if err != nil {
		return err
	}
	var kept []string
	for _, asked := range r.tags {
		if i := slices.IndexFunc(tags, func(tag string) bool { return strings.EqualFold(tag, asked) }); i >= 0 {
			kept = append(kept, tags[i])
		} else {
			r.noTag = append(r.noTag, asked)
		}
	}
	r.tags = unique(kept)
	return r.keepPayees()
}

// categoryCalled is the category with a name, whatever its capitals; "" when there is none.
func (r *report) categoryCalled(name string) string {
	marks := r.Named(search.OfCategory, search.Words(name), true)
	for _, own := range r.book {
		if own.Into == "" && own.ID != categories.Transfer && slices.Contains(marks, search.CategoryMark(own.ID)) &&
			slices.Equal(search.Words(r.c.Category(own)), search.Words(name)) {
			return own.ID
		}
	}
	return ""
}

// keepPayees keeps the payees of an address, each by what finds exactly it. One that nobody has is the name that a rule gave, perhaps to several.
func (r *report) keepPayees() error {
	ctx := r.v.Ctx()
	byKey := map[string]string{}
	for _, asked := range r.payees {
		byKey[categories.NameKey(asked)] = asked
	}
	known, err := r.whose.PayeeNames(ctx, slices.Sorted(maps.Keys(byKey))...)
	if err != nil {
		return err
	}
	maps.DeleteFunc(byKey, func(key, _ string) bool { return key != "" && known[key].Name != "" })
	if unknown := slices.Sorted(maps.Values(byKey)); len(unknown) > 0 {
		named, err := r.whose.PayeesCalled(ctx, unknown...)
		if err != nil {
			return err
		}
		for _, p := range named {
			known[categories.NameKey(p.Exact)] = p
			unknown = slices.DeleteFunc(unknown, func(asked string) bool { return strings.EqualFold(asked, p.Name) })
		}
		r.noPayee = unknown
	}
	r.keys = map[string]bool{}
	for _, key := range slices.Sorted(maps.Keys(known)) {
		r.keys[key], r.asked = true, append(r.asked, known[key])
	}
	r.payees = exacts(r.asked)
	return nil
}
