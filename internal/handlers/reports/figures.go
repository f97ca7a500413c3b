package reports

import (
	"cmp"
	"maps"
	"slices"

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
	v     *shell.Visitor
	c     show.Clock
	book  categories.Book
	roots map[string]string // the category under which rows of a category are shown
	large bool              // something is too large to be added up
	cut   bool              // only the newest rows are added up
}

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
	list, err := r.area.Store.MonthSums(r.v.Ctx(), r.v.User.ID, p)
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

// root is the category under which rows of a category are shown.
func (r *report) root(category string) string { return cmp.Or(r.roots[category], category) }

// counts reports whether a sum is of an account and a category that the report is about.
func (r *report) counts(s store.Sum) bool {
	return (len(r.accounts) == 0 || slices.Contains(r.accounts, s.AccountID)) && (len(r.categories) == 0 || slices.Contains(r.categories, r.root(s.Category)))
}

// months are the figures of each month of a period, in their order.
func (r *report) months(months []search.Period) ([]flows, error) {
	list := make([]flows, len(months))
	if r.tag != "" || len(months) == 0 {
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

// whole is the figure of a period.
func (r *report) whole(p search.Period) (flows, error) {
	if r.tag != "" {
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
	if r.tag == "" {
		sums, err := r.sums(p)
		for key, f := range sums {
			if all[key.category] == nil {
				all[key.category] = flows{}
			}
			r.addAll(all[key.category], f)
		}
		return all, err
	}
	for _, own := range append(categories.Book{{}}, r.book...) {
		if own.Into != "" || own.ID == categories.Transfer || len(r.categories) > 0 && !slices.Contains(r.categories, own.ID) {
			continue
		}
		f, err := r.totals(r.category(own.ID, p))
		if err != nil {
			return nil, err
		}
		if len(f) > 0 {
			all[own.ID] = f
		}
	}
	return all, nil
}

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

// query is what the link to the rows of facts asks for; false when the search field does not understand it.
func (r *report) query(f search.Facts) (search.Query, bool) {
	parsed, fault := search.Parse(f.Query(r.Value), search.Context{Today: r.c.Today(), Named: r.Named})
	return parsed.Query, fault == nil
}

// totals are those of the list of the rows of facts, added up row by row.
func (r *report) totals(f search.Facts) (flows, error) {
	query, ok := r.query(f)
	if !ok {
		return flows{}, nil
	}
	list, cut, _, err := r.area.Store.Totals(r.v.Ctx(), r.v.User.ID, query)
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

// worthAt is what is on the accounts of the report at the end of days, currency by currency. An account counts from the first day of which its balance is known.
func (r *report) worthAt(days []openbanking.Date) ([]map[string]money.Amount, error) {
	list := make([]map[string]money.Amount, len(days))
	for i := range list {
		list[i] = map[string]money.Amount{}
	}
	for _, a := range r.Accounts {
		if len(r.accounts) > 0 && !slices.Contains(r.accounts, a.ID) {
			continue
		}
		balances, err := r.area.Store.DayBalances(r.v.Ctx(), r.v.User.ID, a.ID, search.Period{From: days[0], To: days[len(days)-1]})
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
	own, known := r.book.ByID(category)
	if !known {
		return r.c.Say("No category")
	}
	return r.c.Category(own)
}

// keepOwn keeps the accounts and categories of an address that the person has.
func (r *report) keepOwn() {
	r.accounts = slices.DeleteFunc(r.accounts, func(id string) bool {
		return !slices.ContainsFunc(r.Accounts, func(a finance.Account) bool { return a.ID == id })
	})
	r.categories = slices.DeleteFunc(r.categories, func(id string) bool { return r.roots[id] != id })
}
