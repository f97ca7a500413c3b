package reports

import (
	"maps"
	"slices"
	"strings"

	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/rates"
	"florin/internal/search"
	"florin/web/templates/pages"
)

// converted is the key of figures that are the sum of all currencies, in the currency of the person. It stands beside the codes of the currencies.
const converted = "converted"

// conversion is how the figures of a report were converted.
type conversion struct {
	main   string // the currency of the person
	rates  []rates.Rate
	beside []string // currencies that have no rate
	none   bool     // there is more than one currency, and no rate at all
}

// codeOf is the currency of the figures with a key.
func (r *report) codeOf(key string) string {
	if key == converted {
		return r.main
	}
	return key
}

// moneyName is how the figures with a key are called: by their currency.
func (r *report) moneyName(key string) string {
	if key == converted {
		return r.c.Say("%s, all currencies", r.main)
	}
	return key
}

// at returns the figures with a key, zero when there are none.
func (r *report) at(f flows, key string) flow {
	if one, known := f[key]; known {
		return one
	}
	return flow{money.FromMinor(0, r.codeOf(key)), money.FromMinor(0, r.codeOf(key))}
}

// ratesOf are the rates of some currencies against the one of the person in a period. false when there is no other currency than that.
func (r *report) ratesOf(codes map[string]bool, in search.Period) (*rates.Book, bool, error) {
	r.main = finance.MainCurrency(r.v.User, r.Accounts)
	codes = maps.Clone(codes)
	if codes[r.main] = true; len(codes) == 1 {
		return nil, false, nil
	}
	book, err := r.area.Store.Rates(r.v.Ctx(), r.v.User.ID, slices.Sorted(maps.Keys(codes)), in)
	return book, true, err
}

// convert adds to each figure what it comes to in the currency of the person, by the rates of the last day of the report: all of them by the same, so that they
// can be compared.
func (r *report) convert(lists ...flows) error {
	codes := map[string]bool{}
	for _, f := range lists {
		for code := range f {
			codes[code] = true
		}
	}
	book, several, err := r.ratesOf(codes, search.Period{From: r.To, To: r.To})
	if err != nil || !several {
		return err
	}
	beside := map[string]bool{}
	for _, f := range lists {
		var in, out []money.Amount
		for _, one := range f {
			in, out = append(in, one.in), append(out, one.out)
		}
		totalIn, fitsIn := book.Total(r.main, r.To, in...)
		totalOut, fitsOut := book.Total(r.main, r.To, out...)
		r.rates = rates.Join(r.rates, totalIn.Rates)
		for _, a := range totalIn.Beside {
			beside[a.Currency()] = true
		}
		if r.large = r.large || !fitsIn || !fitsOut; fitsIn && fitsOut && len(totalIn.Beside) < len(f) {
			f[converted] = flow{totalIn.Amount, totalOut.Amount}
		}
	}
	r.beside = slices.Sorted(maps.Keys(beside))
	if len(r.rates) == 0 {
		r.none = true
		for _, f := range lists {
			delete(f, converted)
		}
	}
	slices.SortFunc(r.rates, rates.Compare)
	return nil
}

// explained is a section with what its figures were converted by, where they were.
func (r *report) explained(key string, s pages.ReportSection) pages.ReportSection {
	if key == converted {
		if len(r.beside) > 0 {
			s.Notes = append(s.Notes, r.c.Say("Not included, because there is no exchange rate: %s", r.c.List(r.beside)))
		}
		s.Notes = append(s.Notes, r.c.Rates(r.rates, r.To)...)
	}
	return s
}

// worthIn adds to what was on the accounts at the end of days what it came to in the currency of the person, by the rates of each day. notes name them, day by
// day.
func (r *report) worthIn(days []openbanking.Date, list []map[string]money.Amount) (notes []string, err error) {
	notes = make([]string, len(days))
	codes := map[string]bool{}
	for _, held := range list {
		for code := range held {
			codes[code] = true
		}
	}
	book, several, err := r.ratesOf(codes, search.Period{From: slices.Min(days), To: slices.Max(days)})
	if err != nil || !several {
		return notes, err
	}
	r.none = true
	for i, held := range list {
		total, fits := book.Total(r.main, days[i], slices.Collect(maps.Values(held))...)
		r.large = r.large || !fits
		if !fits || len(total.Beside) == len(held) {
			continue
		}
		held[converted] = total.Amount
		r.none = r.none && len(total.Rates) == 0
		r.rates = rates.Join(r.rates, total.Rates)
		slices.SortFunc(total.Rates, rates.Compare)
		lines := r.c.Rates(total.Rates, days[i])
		if len(total.Beside) > 0 {
			lines = append([]string{r.c.Unconverted(total.Beside)}, lines...)
		}
		notes[i] = strings.Join(lines, "; ")
	}
	if r.none {
		for _, held := range list {
			delete(held, converted)
		}
	}
	return notes, nil
}
