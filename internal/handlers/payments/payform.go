package payments

import (
	"cmp"
	"slices"
	"strings"

	"florin/internal/countries"
	"florin/internal/finance"
	"florin/internal/handlers/show"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/paymentform"
	"florin/internal/reference"
	"florin/web/templates/pages"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// formWriter words the form for a payment.
type formWriter struct {
	paymentform.Form

	entry    payEntry
	problems map[paymentform.Field]string
	sent     bool // it was sent and is shown again
}

// formView shows the form as it is filled in, with what is wrong.
func formView(e payEntry, form paymentform.Form, faults []paymentform.Fault, user finance.User) pages.PayView {
	w := formWriter{Form: form, entry: e, problems: map[paymentform.Field]string{}, sent: len(faults) > 0}
	v := pages.PayView{Draft: e.draft != "", AtBank: form.AtBank()}
	for _, f := range faults {
		w.problems[f.Field] = formFaultWords(f)
	}
	hidden := func(name, value string) {
		if value != "" {
			v.Hidden = append(v.Hidden, pages.Hidden{Name: name, Value: value})
		}
	}
	hidden(fieldForm, e.key)
	hidden(fieldDraft, e.draft)
	hidden(fieldRetry, e.retry)
	hidden(string(paymentform.Type), string(form.Kind.PaymentType))
	if len(form.Schemes()) == 1 {
		hidden(string(paymentform.Scheme), string(form.Scheme()))
	}
	for _, f := range form.Carried() {
		hidden(string(f), e.Get(f))
	}
	for _, k := range form.Kinds {
		words, current := kindWordsOf(k.PaymentType), k.PaymentType == form.Kind.PaymentType
		v.Types = append(v.Types, pages.PayType{Value: string(k.PaymentType), Title: words.title, Note: words.note, Current: current, Focus: e.chose && current})
	}
	v.Saved = savedOptions(form.Facts, e.saved)
	w.payee(&v)
	w.amount(&v)
	w.texts(&v)
	w.when(&v)
	w.more(&v, user)
	v.Focus(string(e.ask))
	if text := w.problems[""]; text != "" {
		v.Faults = append(v.Faults, pages.PayFault{Text: text})
	}
	switch {
	case e.refused != "":
		v.Problem = &ui.Notice{Tone: ui.Bad, Title: "This cannot be paid as it is", Text: e.refused}
	case len(faults) > 0:
		v.Problem = &ui.Notice{Tone: ui.Bad, Title: "Please correct what is marked below", Text: "Nothing of what you typed is lost, and nothing was sent."}
	}
	return v
}

// payerWords name an account to pay from, in one line.
func payerWords(p paymentform.Payer) string {
	text := show.Clock{Language: words.English}.AccountName(p.Account) + ", " + show.BankName(p.Connection.ASPSP.Name)
	if last := p.Account.Last4(); last != "" {
		text += ", ending in " + last
	}
	return text
}

// savedOptions are the payees and the other accounts of the user, to be filled in.
func savedOptions(f paymentform.Facts, chosen string) []ui.Option {
	options := []ui.Option{{Text: "Choose, or type below"}}
	for _, payee := range f.Payees {
		text := payee.Name + ", " + payee.Account.Format()
		if payee.Favourite {
			text = "★ " + text
		}
		options = append(options, ui.Option{Value: "payee:" + payee.ID, Text: text})
	}
	for _, p := range f.Payers {
		number := finance.AccountNumber(p.Account)
		if p.Account.ID != f.Account.ID && number.Number != "" && p.Account.Type != openbanking.CashAccountTypeCARD && p.Account.Type != openbanking.CashAccountTypeLOAN {
			options = append(options, ui.Option{Value: "account:" + p.Account.ID, Text: "My " + show.Clock{Language: words.English}.AccountName(p.Account) + ", " + number.Format()})
		}
	}
	for i := range options {
		options[i].Selected = options[i].Value != "" && options[i].Value == chosen
	}
	return options
}

// input is one field as it is filled in.
func (w *formWriter) input(field paymentform.Field, label, hint string) pages.PayField {
	return pages.PayField{Input: ui.Input{Name: string(field), Label: label, Type: "text", Value: w.Entries[field], Hint: strings.TrimSpace(w.entry.hints[field] + " " + hint),
		Problem: w.problems[field], Autocomplete: "off"}}
}

// choice is one field with a list to choose from; its first option may be empty.
func (w *formWriter) choice(field paymentform.Field, label, hint, chosen string, options []ui.Option) pages.PayField {
	f := w.input(field, label, hint)
	for i := range options {
		options[i].Selected = options[i].Value == chosen
	}
	f.Options = options
	return f
}

func (w *formWriter) asks(field paymentform.Field) bool { return slices.Contains(w.Fields(), field) }

func unlessRequired(label string, required *bool) string {
	if required != nil && *required {
		return label
	}
	return label + " (may be left out)"
}

func (w *formWriter) payee(v *pages.PayView) {
	v.To = append(v.To, w.input(paymentform.Name, unlessRequired("Name", w.Kind.CreditorNameRequired), "Exactly as on the invoice: the bank may compare it with the account."))
	number := w.input(paymentform.Number, schemeWords(w.Scheme()), "")
	if w.asks(paymentform.Scheme) {
		var options []ui.Option
		for _, s := range w.Schemes() {
			options = append(options, ui.Option{Value: string(s), Text: schemeWords(s)})
		}
		v.To = append(v.To, w.choice(paymentform.Scheme, "Kind of account number", "", string(w.Scheme()), options))
		number.Label = "Account number"
	}
	if w.Scheme() == openbanking.SchemeNameIBAN {
		number.Hint = "Spaces and small letters do no harm."
	}
	v.To = append(v.To, number)
	for _, f := range []struct {
		field       paymentform.Field
		label, hint string
	}{
		{paymentform.BIC, "BIC of the payee’s bank", "8 or 11 letters and digits, beside the account number on the invoice."},
		{paymentform.Member, "Number of the payee’s bank", "Such as a sort code, a routing number or a BSB."},
		{paymentform.Street, "Street and number", ""}, {paymentform.PostCode, "Post code", ""}, {paymentform.Town, "Town", ""},
	} {
		if w.asks(f.field) {
			v.To = append(v.To, w.input(f.field, f.label, f.hint))
		}
	}
	if w.asks(paymentform.Country) {
		options := []ui.Option{{Text: "Choose"}}
		for _, code := range countries.World() {
			options = append(options, ui.Option{Value: code, Text: countries.Name(code)})
		}
		slices.SortStableFunc(options[1:], func(a, b ui.Option) int { return strings.Compare(a.Text, b.Text) })
		v.To = append(v.To, w.choice(paymentform.Country, unlessRequired("Country of the payee", w.Kind.CreditorCountryRequired), "", w.Entries.Get(paymentform.Country), options))
	}
}

func (w *formWriter) amount(v *pages.PayView) {
	chosen := w.Currency()
	var options []ui.Option
	for _, c := range w.Currencies() {
		options = append(options, ui.Option{Value: c, Text: c})
	}
	v.Currency = w.choice(paymentform.Currency, "Currency", "", chosen, options)
	v.Currency.Value = chosen
	var hints []string
	if exponent, known := money.Exponent(chosen); known && exponent == 0 {
		hints = append(hints, chosen+" has no decimals.")
	}
	if meant := w.Entries.Get(paymentform.Currency); meant != "" && meant != chosen {
		hints = append(hints, "It was in "+finance.Clean(meant)+"; this kind of payment goes out in "+chosen+". Type the amount in "+chosen+".")
	}
	v.Amount = w.input(paymentform.Amount, "Amount", strings.Join(hints, " "))
	v.Amount.Mode = "decimal"
}

func (w *formWriter) texts(v *pages.PayView) {
	either := w.TakesReference() && (w.Kind.RemittanceReferenceSupported == nil || !*w.Kind.RemittanceReferenceSupported)
	lines := w.Kind.RemittanceInformationLines
	for i := range w.Lines() {
		label := unlessRequired("Text for the payee", w.Kind.RemittanceInformationRequired)
		if len(lines) > 1 {
			label = "Text for the payee, line " + show.Count(int64(i+1))
		}
		var hints []string
		if i < len(lines) && lines[i].MaxLength != nil {
			hints = append(hints, "At most "+show.Plural(*lines[i].MaxLength, "character")+".")
		}
		if either && i == 0 {
			hints = append(hints, "This bank takes a text or a reference, not both.")
		}
		v.Text = append(v.Text, w.input(paymentform.Text(i), label, strings.Join(hints, " ")))
	}
	if w.asks(paymentform.Reference) {
		var names []string
		for _, s := range w.Kind.ReferenceNumberSchemas {
			names = append(names, reference.Name(s))
		}
		hint := "The reference on the invoice that the payee’s machine reads."
		if len(names) > 0 {
			hint = show.UpperFirst(strings.Join(names, " or ")) + ", when the invoice has one."
		}
		v.Text = append(v.Text, w.input(paymentform.Reference, "Reference (may be left out)", hint))
	}
}

func (w *formWriter) when(v *pages.PayView) {
	if !w.Dated() {
		return
	}
	v.When = []pages.PayWhen{{Value: paymentform.Now, Title: "As soon as possible", Note: "The bank begins when you have approved."},
		{Value: paymentform.OnDate, Title: "On a day", Note: "The bank keeps the order until then."}, {Value: paymentform.Repeat, Title: "Again and again", Note: "A standing order."}}
	for i := range v.When {
		v.When[i].Checked = v.When[i].Value == w.When()
	}
	hint := "The bank may move it to its next working day."
	if last := w.LastDay(); last != "" {
		hint = "Until " + dayWords(last) + " at this bank. It may move the day to its next working day."
	}
	if day, err := finance.ParseDay(w.Entries[paymentform.Date]); err == nil && weekend(day) {
		hint = movedNote(day)
	}
	v.Date = w.day(paymentform.Date, "Day", hint, w.LastDay())
	v.First = w.day(paymentform.First, "First day", "", w.LastDay())
	v.Last = w.day(paymentform.Last, "Last day (may be left out)", "Left out: until you stop it at your bank.", "")
	v.Frequency = w.choice(paymentform.Frequency, "How often", "", w.Entries.Get(paymentform.Frequency), []ui.Option{{Text: "Choose"}, {Value: "WEEK", Text: "Every week"}, {Value: "TOWK", Text: "Every two weeks"},
		{Value: "MNTH", Text: "Every month"}, {Value: "TOMN", Text: "Every two months"}, {Value: "QUTR", Text: "Every three months"}, {Value: "SEMI", Text: "Every six months"}, {Value: "YEAR", Text: "Every year"},
		{Value: "DAIL", Text: "Every day"}})
	v.Rule = w.choice(paymentform.Rule, "When the bank is closed that day", "Changing or stopping a standing order happens at your bank.", w.Entries.Get(paymentform.Rule),
		[]ui.Option{{Value: "FWNG", Text: "On the next working day"}, {Value: "PREC", Text: "On the working day before"}, {Value: "bank", Text: "Leave it to the bank"}})
}

// day is a field of a day; one of text when it holds what a field of a day cannot show.
func (w *formWriter) day(field paymentform.Field, label, hint string, last openbanking.Date) pages.PayField {
	f := w.input(field, label, hint)
	f.Type, f.Min, f.Max = "date", string(w.FirstDay()), string(last)
	if _, err := openbanking.Date(f.Value).Time(); err != nil && f.Value != "" {
		f.Type = "text"
	}
	return f
}

// more shows what this bank asks for besides, where there is something to choose or to fill in.
func (w *formWriter) more(v *pages.PayView, user finance.User) {
	choice := func(field paymentform.Field, label, hint string, options []ui.Option) {
		v.More = append(v.More, w.choice(field, label, hint, w.Entries.Get(field), options))
	}
	if w.asks(paymentform.Charges) {
		var options []ui.Option
		for _, c := range w.Kind.ChargeBearerValues {
			options = append(options, ui.Option{Value: string(c), Text: chargeWords(c)})
		}
		choice(paymentform.Charges, "Charges", "What the banks take for the payment.", options)
	}
	if w.asks(paymentform.Priority) {
		var options []ui.Option
		for _, c := range w.Kind.PriorityCodes {
			options = append(options, ui.Option{Value: string(c), Text: priorityWords(c)})
		}
		choice(paymentform.Priority, "Priority", "A faster way may cost more.", options)
	}
	if w.asks(paymentform.Report) {
		options := []ui.Option{{Text: "Choose"}}
		for _, c := range w.Kind.RegulatoryReportingCodes {
			options = append(options, ui.Option{Value: c.Value, Text: c.Description + " (" + c.Value + ")"})
		}
		choice(paymentform.Report, unlessRequired("What it is for", w.Kind.RegulatoryReportingCodeRequired), "Authorities want to know this of payments abroad.", options)
	}
	if w.asks(paymentform.Email) {
		field := w.input(paymentform.Email, "Your e-mail address", "The bank asks for it.")
		field.Type = "email"
		if !w.sent && field.Value == "" {
			field.Value = user.Email
		}
		v.More = append(v.More, field)
	}
	if w.asks(paymentform.Phone) {
		v.More = append(v.More, w.input(paymentform.Phone, "Your phone number", "With the code of the country, such as +358 40 123 4567. The bank asks for it."))
	}
	if w.asks(paymentform.Method) {
		options := []ui.Option{{Text: "Choose at the bank"}}
		for _, m := range w.ApprovalMethods() {
			options = append(options, ui.Option{Value: *m.Name, Text: finance.Clean(cmp.Or(show.Text(m.Title), *m.Name))})
		}
		choice(paymentform.Method, "How you approve", "", options)
	}
}

func chargeWords(c openbanking.ChargeBearerCode) string {
	switch c {
	case openbanking.ChargeBearerCodeSHAR:
		return "Shared: each side pays its own bank"
	case openbanking.ChargeBearerCodeDEBT:
		return "You bear all of them"
	case openbanking.ChargeBearerCodeCRED:
		return "The payee bears all of them"
	case openbanking.ChargeBearerCodeSLEV:
		return "By the rules of the payment scheme: each side pays its own bank"
	}
	return string(c)
}

func priorityWords(c openbanking.PriorityCode) string {
	switch c {
	case openbanking.PriorityCodeNORM:
		return "Normal"
	case openbanking.PriorityCodeHIGH:
		return "High"
	case openbanking.PriorityCodeEXPR:
		return "Express"
	}
	return string(c)
}

func schemeWords(s openbanking.SchemeName) string {
	switch s {
	case openbanking.SchemeNameIBAN:
		return "IBAN"
	case openbanking.SchemeNameBBAN:
		return "National account number"
	case openbanking.SchemeNameBGNR:
		return "Bankgiro number"
	case openbanking.SchemeNamePGNR:
		return "Plusgiro number"
	case openbanking.SchemeNameBANK:
		return "Number at the bank"
	case openbanking.SchemeNameCPAN:
		return "Card number"
	}
	return "Account number (" + string(s) + ")"
}
