package budgets

import (
	"cmp"
	"slices"

	"florin/internal/categories"
)

// Span is the number of months before a month from which averages are calculated.
const Span = 3

// History holds what a person spent and earned, to calculate averages.
type History struct{ x *index }

// NewHistory returns the history of the sums. They must begin at least Span months before the month that is asked for.
func NewHistory(book categories.Book, sums []Sum) History {
	return History{newIndex(Facts{Book: book, Sums: sums})}
}

// months returns the last months before m, at most Span, from the first one on in which there is any row.
func (h History) months(m Month) []Month {
	first := m
	for _, s := range h.x.Sums {
		first = min(first, s.Month)
	}
	var all []Month
	for back := Span; back > 0; back-- {
		if month := m.Plus(-back); month >= first {
			all = append(all, month)
		}
	}
	return all
}

// Usual says how much was spent on something before a month.
type Usual struct {
	Last    int64 // in the month before
	Average int64 // of the last months, at most Span, rounded to the nearest minor unit
	Months  int   // number of months in Average; 0 without earlier rows
}

// Usual returns how much was spent before m on the categories in covers, in a currency. Rows of merged categories count for the category under which they are
// shown.
func (h History) Usual(m Month, covers []string, currency string) Usual {
	t := new(total)
	months := h.months(m)
	u := Usual{Months: len(months)}
	var sum int64
	for _, s := range h.x.Sums {
		if s.Currency == currency && slices.Contains(months, s.Month) && slices.Contains(covers, h.x.shown[s.Category].ID) {
			sum = t.add(sum, s.Out)
			if s.Month == m.Plus(-1) {
				u.Last = t.add(u.Last, s.Out)
			}
		}
	}
	if t.over || len(months) == 0 {
		return Usual{}
	}
	u.Average = divide(sum, int64(len(months)))
	return u
}

// Income returns the monthly income: the average of the last months, or the income of m so far when that is higher. Only categories of income count. ok is
// false without any income.
func (h History) Income(m Month, currency string) (int64, bool) {
	t := new(total)
	months := h.months(m)
	var before, now int64
	for _, s := range h.x.Sums {
		if s.Currency != currency || h.x.shown[s.Category].Group != categories.GroupIncome {
			continue
		}
		if s.Month == m {
			now = t.add(now, -s.Out)
		} else if slices.Contains(months, s.Month) {
			before = t.add(before, -s.Out)
		}
	}
	if len(months) > 0 {
		now = max(now, divide(before, int64(len(months))))
	}
	return now, now > 0 && !t.over
}

// Currencies returns the currencies of all sums, the one with the most sums first.
func (h History) Currencies() []string {
	count := map[string]int{}
	for _, s := range h.x.Sums {
		count[s.Currency]++
	}
	return byCount(count)
}

// Proposed is the proposed amount of a new budget.
type Proposed struct {
	Category string
	Currency string
	Minor    int64
}

// Propose returns a budget for each category with spending in the last months: the average, rounded up to whole units, in the order of the book. It leaves
// out rows without a category, and categories in which more money came back than was spent. unit returns the number of minor units in a unit of a currency.
func (h History) Propose(m Month, unit func(currency string) int64) []Proposed {
	type of struct{ category, currency string }
	months := h.months(m)
	sums, t := map[of]int64{}, new(total)
	for _, s := range h.x.Sums {
		if own := h.x.shown[s.Category]; own.ID != "" && Spending(own) && slices.Contains(months, s.Month) {
			k := of{own.ID, s.Currency}
			sums[k] = t.add(sums[k], s.Out)
		}
	}
	var all []Proposed
	for k, sum := range sums {
		whole := unit(k.currency) * int64(len(months))
		if sum > 0 && !t.over {
			all = append(all, Proposed{k.category, k.currency, ((sum-1)/whole + 1) * unit(k.currency)})
		}
	}
	slices.SortFunc(all, func(a, b Proposed) int {
		return cmp.Or(h.x.order(Target{Category: a.Category}, Target{Category: b.Category}), cmp.Compare(a.Currency, b.Currency))
	})
	return all
}

// divide divides and rounds to the nearest integer, halves away from zero.
func divide(sum, by int64) int64 {
	half := by / 2
	if sum < 0 {
		half = -half
	}
	if sum%by == 0 {
		return sum / by
	}
	return sum/by + (sum%by+half)/by
}
