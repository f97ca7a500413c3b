package ledgerfile

import (
	"bufio"
	"cmp"
	"strings"

	"florin/internal/openbanking"
)

// qifCategory is the name of a category, without the signs that make another thing of it: an account, a category within another, a class.
func qifCategory(c Category) string {
	return strings.NewReplacer("[", "(", "]", ")", ":", " ", "/", " ").Replace(c.Name)
}

// writeQIF writes the Quicken Interchange Format: an !Account block and a list for each account and currency. Dates are written month/day/year, as
// Quicken does; the format itself knows neither currencies nor encodings, and this is UTF-8.
func writeQIF(w *bufio.Writer, l Ledger, _ Options) error {
	all, err := statements(l)
	if err != nil {
		return err
	}
	for _, s := range all {
		kind := "Bank"
		switch s.Type {
		case openbanking.CashAccountTypeCARD:
			kind = "CCard"
		case openbanking.CashAccountTypeLOAN:
			kind = "Oth L"
		}
		name := line(s.Name)
		if s.currency != s.Currency {
			name += " " + s.currency
		}
		printf(w, "!Account\nN%s\nT%s\nD%s\n^\n!Type:%s\n", name, kind, line(s.Bank+" "+s.number()+" "+s.currency), kind)
		err := s.each(l, func(r Row) {
			if date, err := r.day().Time(); err == nil {
				printf(w, "D%s\n", date.Format("01/02/2006"))
			}
			printf(w, "T%s\n", r.Amount)
			field := func(code, text string) {
				if text = line(text); text != "" {
					printf(w, "%s%s\n", code, text)
				}
			}
			field("N", r.Reference)
			field("P", r.title())
			field("M", r.Text)
			field("L", qifCategory(r.Category))
			for _, p := range r.Parts {
				field("S", cmp.Or(qifCategory(p.Category), "Uncategorised"))
				field("E", p.Note)
				printf(w, "$%s\n", p.Amount)
			}
			_, _ = w.WriteString("^\n")
		})
		if err != nil {
			return err
		}
	}
	return nil
}
