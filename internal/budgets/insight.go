package budgets

import (
	"cmp"
	"slices"

	"florin/internal/categories"
)

// Span is how many months before a month the averages look at.
const Span = 3

// History is what a person spent and earned, for averages.
type History struct{ x *index }

// NewHistory returns the history in sums of rows, which begin Span months before the month that is asked about, or earlier.
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

// Usual is what was spent on something before a month.
type Usual struct {
	Last    int64 // in the month before
	Average int64 // of the last months, at most Span, rounded to the nearest minor unit
	Months  int   // over which Average is; 0: there are no rows before
}

// Usual returns what was spent before a month on categories, in a currency. Rows of categories that were merged count where they are shown.
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

// Income returns what comes in by month: the average of the last months, or what has come in during m already when that is more. It counts the categories of
// income. False when nothing has come in.
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

// Currencies returns the currencies of all sums, the one of most sums first.
func (h History) Currencies() []string {
	count := map[string]int{}
	for _, s := range h.x.Sums {
		count[s.Currency]++
	}
	return byCount(count)
}

// Proposed is an amount for a budget that is not there yet.
type Proposed struct {
	Category string
	Currency string
	Minor    int64
}

// Propose returns a budget for each category on which money was spent in the last months, in the order of the book, none where more came back: the average,
// rounded up to whole units. unit returns how many minor units a unit of a currency has. What is not in a category is not proposed.
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

// divide rounds to the nearest, halves away from zero.
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
