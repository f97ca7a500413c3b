package pages

import "context"

// PayFault is one thing that is wrong with the form for a payment.
type PayFault struct {
	Field string // id of the field; empty for a fault of no field
	Text  string // "The amount must be above zero."
}

// fields returns all fields of the form in the order of the page.
func (v *PayView) fields() []*PayField {
	var all []*PayField
	list := func(fields []PayField) {
		for i := range fields {
			all = append(all, &fields[i])
		}
	}
	list(v.To)
	all = append(all, &v.Amount, &v.Currency)
	list(v.Text)
	list(v.Reference)
	if len(v.When) > 1 {
		all = append(all, &v.Date, &v.Frequency, &v.First)
		list(v.Seldom)
	}
	list(v.More)
	return all
}

// checkTitle returns the title of a page. When something must be corrected it says so first, because a screen reader reads the title first.
func checkTitle(ctx context.Context, title string, wrong bool) string {
	if wrong {
		return say(ctx, "Please check: %s", title)
	}
	return title
}

// Focus lists the faults, and focuses the first wrong field; without faults the field with the name, unless that is empty.
func (v *PayView) Focus(name string) {
	for _, f := range v.fields() {
		if f.Problem == "" {
			continue
		}
		f.Autofocus = len(v.Faults) == 0
		v.Faults = append(v.Faults, PayFault{Field: f.Name, Text: f.Problem})
	}
	for _, f := range v.fields() {
		if len(v.Faults) == 0 && f.Name == name {
			f.Autofocus = true
		}
	}
}

// describedBy names the hint and the problem of a choice, for assistive technology.
func (f PayField) describedBy() string {
	switch {
	case f.Hint != "" && f.Problem != "":
		return f.Name + "-problem " + f.Name + "-hint"
	case f.Problem != "":
		return f.Name + "-problem"
	case f.Hint != "":
		return f.Name + "-hint"
	}
	return ""
}
