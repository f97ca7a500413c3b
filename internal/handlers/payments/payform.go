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
	"florin/internal/paymentfile"
	"florin/internal/paymentform"
	"florin/internal/paymentrules"
	"florin/web/templates/pages"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// formWriter words the form for a payment.
type formWriter struct {
	paymentform.Form
	show.Clock

	entry    payEntry
	problems map[paymentform.Field]string
	sent     bool // it was sent and is shown again
}

// formView shows the form as it is filled in, with what is wrong.
func formView(c show.Clock, e payEntry, form paymentform.Form, faults []paymentform.Fault, user finance.User) pages.PayView {
	w := formWriter{Form: form, Clock: c, entry: e, problems: map[paymentform.Field]string{}, sent: len(faults) > 0}
	v := pages.PayView{Draft: e.draft != "", AtBank: form.AtBank()}
	for _, f := range faults {
		w.problems[f.Field] = c.Message(formFaultWords(c, f))
	}
	hidden := func(name, value string) {
		if value != "" {
			v.Hidden = append(v.Hidden, pages.Hidden{Name: name, Value: value})
		}
	}
	hidden(fieldForm, e.key)
	hidden(fieldDraft, e.draft)
	hidden(fieldRetry, e.retry)
	hidden(fieldRequest, e.request)
	hidden(fieldIn, form.Currency())
	hidden(string(paymentform.Type), string(form.Kind.PaymentType))
	if len(form.Schemes()) == 1 {
		hidden(string(paymentform.Scheme), string(form.Scheme()))
	}
	for _, f := range form.Carried() {
		hidden(string(f), e.Get(f))
	}
	for _, k := range form.Kinds {
		kind, current := kindWordsOf(k.PaymentType), k.PaymentType == form.Kind.PaymentType
		if k.PaymentType == finance.ByOwnApp && slices.Contains(k.Currencies, paymentfile.Francs) {
			kind.note = "In francs or euros. Florin prepares it, and you send it in the app of your bank."
		}
		v.Types = append(v.Types, pages.PayType{Value: string(k.PaymentType), Title: c.Say(kind.title), Note: c.Say(kind.note), Current: current,
			Focus: e.chose && current})
	}
	v.Saved = savedOptions(c, form.Facts, e.saved)
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
		v.Problem = &ui.Notice{Tone: ui.Bad, Title: c.Say("Your bank does not accept this payment as it is."), Text: e.refused}
	case len(faults) > 0:
		v.Problem = &ui.Notice{Tone: ui.Bad, Title: c.Say("Please correct what is marked below"), Text: c.Say("What you typed is still there. Nothing was sent.")}
	}
	return v
}

// payerWords name an account to pay from, in one line.
func payerWords(c show.Clock, p paymentform.Payer) string {
	title, bank := c.AccountName(p.Account), show.BankName(p.Connection.ASPSP.Name)
	if !p.Account.Linked() {
		bank = p.Account.Currency
	}
	if last := p.Account.Last4(); last != "" {
		return c.Say("%s, %s, ending in %s", title, bank, last)
	}
	return title + ", " + bank
}

// savedOptions are the payees and the other accounts of the user, to be filled in.
func savedOptions(c show.Clock, f paymentform.Facts, chosen string) []ui.Option {
	options := []ui.Option{{Text: c.Say("Saved payee, or type below")}}
	for _, payee := range f.Payees {
		text := payee.Name + ", " + payee.Account.Format()
		if payee.Favourite {
			text = "★ " + text
		}
		options = append(options, ui.Option{Value: "payee:" + payee.ID, Text: text})
	}
	for _, p := range f.Payers {
		number := finance.AccountNumber(p.Account)
		if p.Account.ID != f.Account.ID && number.Number != "" && p.Account.Type != openbanking.CashAccountTypeCARD &&
			p.Account.Type != openbanking.CashAccountTypeLOAN {
			options = append(options, ui.Option{Value: "account:" + p.Account.ID, Text: c.Say("My account %s, %s", c.AccountChoice(p.Account), number.Format())})
		}
	}
	for i := range options {
		options[i].Selected = options[i].Value != "" && options[i].Value == chosen
	}
	return options
}

// input is one field as it is filled in.
func (w *formWriter) input(field paymentform.Field, label words.Message, hint string) pages.PayField {
	return pages.PayField{Input: ui.Input{Name: string(field), Label: w.Message(label), Type: "text", Value: w.Entries[field],
		Hint:    strings.TrimSpace(w.entry.hints[field] + " " + hint),
		Problem: w.problems[field], Autocomplete: "off"}}
}

// choice is one field with a list to choose from; its first option may be empty.
func (w *formWriter) choice(field paymentform.Field, label words.Message, hint, chosen string, options []ui.Option) pages.PayField {
	f := w.input(field, label, hint)
	for i := range options {
		options[i].Selected = options[i].Value == chosen
	}
	f.Options = options
	return f
}

func (w *formWriter) asks(field paymentform.Field) bool { return slices.Contains(w.Fields(), field) }

// optional marks the label of a field that the bank does not need.
func optional(label words.Message, required *bool) words.Message {
	if required != nil && *required {
		return label
	}
	return words.Msg("%s (optional)", label)
}

func (w *formWriter) payee(v *pages.PayView) {
	v.To = append(v.To, w.input(paymentform.Name, optional(words.Msg("Name"), w.Kind.CreditorNameRequired), w.Say("Your bank may check the name.")))
	number := w.input(paymentform.Number, words.Msg(schemeWords(w.Scheme())), "")
	if w.asks(paymentform.Scheme) {
		var options []ui.Option
		for _, s := range w.Schemes() {
			options = append(options, ui.Option{Value: string(s), Text: w.Say(schemeWords(s))})
		}
		v.To = append(v.To, w.choice(paymentform.Scheme, words.Msg("Kind of account number"), "", string(w.Scheme()), options))
		number.Label = w.Say("Account number")
	}
	v.To = append(v.To, number)
	for _, f := range []struct {
		field       paymentform.Field
		label, hint words.Text
	}{
		{paymentform.BIC, "BIC of the payee’s bank", "8 or 11 letters and digits. It is on the invoice."},
		{paymentform.Member, "Bank code of the payee’s bank", "For example a sort code, routing number or BSB."},
		{paymentform.Street, "Street and number", ""}, {paymentform.PostCode, "Postcode", ""}, {paymentform.Town, "Town", ""},
	} {
		if label := words.Msg(f.label); w.asks(f.field) {
			if f.field == paymentform.Street && w.Bill() {
				label = optional(label, nil)
			}
			v.To = append(v.To, w.input(f.field, label, w.Message(words.Msg(f.hint))))
		}
	}
	if w.asks(paymentform.Country) {
		options := []ui.Option{{Text: w.Say("Choose")}}
		for _, code := range countries.World() {
			options = append(options, ui.Option{Value: code, Text: w.Say(words.Text(countries.Name(code)))})
		}
		show.SortOptions(options[1:])
		v.To = append(v.To, w.choice(paymentform.Country, optional(words.Msg("Country of the payee"), w.Kind.CreditorCountryRequired), "",
			w.Entries.Get(paymentform.Country), options))
	}
}

func (w *formWriter) amount(v *pages.PayView) {
	chosen := w.Currency()
	var options []ui.Option
	for _, c := range w.Currencies() {
		options = append(options, ui.Option{Value: c, Text: c})
	}
	v.Currency = w.choice(paymentform.Currency, words.Msg("Currency"), "", chosen, options)
	v.Currency.Value = chosen
	var hints []string
	if exponent, known := money.Exponent(chosen); known && exponent == 0 {
		hints = append(hints, w.Say("%s has no decimals.", chosen))
	}
	if meant := w.Entries.Get(paymentform.Currency); meant != "" && meant != chosen && w.problems[paymentform.Amount] == "" {
		hints = append(hints, w.Message(otherCurrency(meant, chosen)))
	}
	v.Amount = w.input(paymentform.Amount, words.Msg("Amount"), strings.Join(hints, " "))
	v.Amount.Mode = "decimal"
}

func (w *formWriter) texts(v *pages.PayView) {
	either := w.TakesReference() && (w.Kind.RemittanceReferenceSupported == nil || !*w.Kind.RemittanceReferenceSupported)
	lines := w.Kind.RemittanceInformationLines
	for i := range w.Lines() {
		label := optional(words.Msg("Text for the payee"), w.Kind.RemittanceInformationRequired)
		if len(lines) > 1 {
			label = words.Msg("Text for the payee, line %s", w.Number(int64(i+1)))
		}
		var hints []string
		if i < len(lines) && lines[i].MaxLength != nil && *lines[i].MaxLength < paymentrules.MaxText {
			hints = append(hints, w.Say("At most %d characters.", *lines[i].MaxLength))
		}
		if either && i == 0 {
			hints = append(hints, w.Say("Your bank accepts a text or a reference, not both."))
		}
		v.Text = append(v.Text, w.input(paymentform.Text(i), label, strings.Join(hints, " ")))
	}
	if w.asks(paymentform.Reference) {
		hint := w.Say("The number by which the payee recognises the payment.")
		if schemes := w.Kind.ReferenceNumberSchemas; len(schemes) > 0 {
			hint = w.Say("If the invoice has one. Your bank accepts: %s.", referenceNames(w.Clock, schemes))
		}
		reference := w.input(paymentform.Reference, optional(words.Msg("Reference"), nil), hint)
		if len(v.Text) > 0 {
			v.Reference = []pages.PayField{reference}
		} else {
			v.Text = []pages.PayField{reference}
		}
	}
}

func (w *formWriter) when(v *pages.PayView) {
	if !w.Dated() {
		return
	}
	v.When = []pages.PayWhen{{Value: paymentform.Now, Title: w.Say("Now")}, {Value: paymentform.OnDate, Title: w.Say("On a day")},
		{Value: paymentform.Repeat, Title: w.Say("Standing order")}}
	if !w.Repeats() {
		v.When = v.When[:2]
	}
	for i := range v.When {
		v.When[i].Checked = v.When[i].Value == w.Form.When()
	}
	hint := w.Say("Your bank may move it to its next working day.")
	if last := w.LastDay(); last != "" {
		hint = w.Say("Until %s. Your bank may move it to its next working day.", dayWords(w.Clock, last))
	}
	if day, err := finance.ParseDay(w.Entries[paymentform.Date]); err == nil && weekend(day) {
		hint = movedNote(w.Clock, day)
	}
	v.Date = w.day(paymentform.Date, words.Msg("Day"), hint, w.LastDay())
	if !w.Repeats() {
		return
	}
	v.First = w.day(paymentform.First, words.Msg("First day"), "", w.LastDay())
	v.Frequency = w.choice(paymentform.Frequency, words.Msg("How often"), "", w.Entries.Get(paymentform.Frequency),
		[]ui.Option{{Text: w.Say("Choose")}, {Value: "WEEK", Text: w.Say("Every week")}, {Value: "TOWK", Text: w.Say("Every two weeks")},
			{Value: "MNTH", Text: w.Say("Every month")}, {Value: "TOMN", Text: w.Say("Every two months")}, {Value: "QUTR", Text: w.Say("Every three months")},
			{Value: "SEMI", Text: w.Say("Every six months")}, {Value: "YEAR", Text: w.Say("Every year")},
			{Value: "DAIL", Text: w.Say("Every day")}})
	rule := w.choice(paymentform.Rule, words.Msg("If the bank is closed"), "", w.Entries.Get(paymentform.Rule),
		[]ui.Option{{Value: "FWNG", Text: w.Say("On the next working day")}, {Value: "PREC", Text: w.Say("On the working day before")},
			{Value: "bank", Text: w.Say("Leave it to the bank")}})
	v.Seldom = []pages.PayField{w.day(paymentform.Last, optional(words.Msg("Last day"), nil), "", ""), rule}
	v.Dates = datesHint(w.Clock, w.Form)
}

// day is a field of a day; one of text when it holds what a field of a day cannot show.
func (w *formWriter) day(field paymentform.Field, label words.Message, hint string, last openbanking.Date) pages.PayField {
	f := w.input(field, label, hint)
	f.Type, f.Min, f.Max = "date", string(w.FirstDay()), string(last)
	if _, err := openbanking.Date(f.Value).Time(); err != nil && f.Value != "" {
		f.Type = "text"
	}
	return f
}

// more shows the optional fields of the bank, such as charges and priority, when there is a choice or something to fill in.
func (w *formWriter) more(v *pages.PayView, user finance.User) {
	choice := func(field paymentform.Field, label words.Message, hint string, options []ui.Option) {
		v.More = append(v.More, w.choice(field, label, hint, w.Entries.Get(field), options))
	}
	if w.asks(paymentform.Charges) {
		var options []ui.Option
		for _, c := range w.Kind.ChargeBearerValues {
			options = append(options, ui.Option{Value: string(c), Text: w.Say(chargeWords(c))})
		}
		choice(paymentform.Charges, words.Msg("Charges"), w.Say("Who pays what the banks charge for the payment."), options)
	}
	if w.asks(paymentform.Priority) {
		var options []ui.Option
		for _, c := range w.Kind.PriorityCodes {
			options = append(options, ui.Option{Value: string(c), Text: w.Say(priorityWords(c))})
		}
		choice(paymentform.Priority, words.Msg("Priority"), w.Say("A faster payment may cost more."), options)
	}
	if w.asks(paymentform.Report) {
		options := []ui.Option{{Text: w.Say("Choose")}}
		for _, c := range w.Kind.RegulatoryReportingCodes {
			options = append(options, ui.Option{Value: c.Value, Text: c.Description + " (" + c.Value + ")"})
		}
		choice(paymentform.Report, optional(words.Msg("What it is for"), w.Kind.RegulatoryReportingCodeRequired),
			w.Say("Banks report payments abroad to the authorities."), options)
	}
	if w.asks(paymentform.Email) {
		field := w.input(paymentform.Email, words.Msg("Your e-mail address"), w.Say("Your bank asks for it."))
		field.Type = "email"
		if !w.sent && field.Value == "" {
			field.Value = user.Email
		}
		v.More = append(v.More, field)
	}
	if w.asks(paymentform.Phone) {
		v.More = append(v.More, w.input(paymentform.Phone, words.Msg("Your phone number"),
			w.Say("With the country code, such as +358 40 123 4567. Your bank asks for it.")))
	}
	if w.asks(paymentform.Method) {
		options := []ui.Option{{Text: w.Say("Choose at the bank")}}
		for _, m := range w.ApprovalMethods() {
			options = append(options, ui.Option{Value: *m.Name, Text: finance.Clean(cmp.Or(show.Text(m.Title), *m.Name))})
		}
		choice(paymentform.Method, words.Msg("How you approve"), "", options)
	}
}

func chargeWords(c openbanking.ChargeBearerCode) words.Text {
	switch c {
	case openbanking.ChargeBearerCodeSHAR:
		return "Shared: you and the payee each pay your own bank"
	case openbanking.ChargeBearerCodeDEBT:
		return "You pay all charges"
	case openbanking.ChargeBearerCodeCRED:
		return "The payee pays all charges"
	case openbanking.ChargeBearerCodeSLEV:
		return "By the payment rules: you and the payee each pay your own bank"
	}
	return words.Text(c)
}

func priorityWords(c openbanking.PriorityCode) words.Text {
	switch c {
	case openbanking.PriorityCodeNORM:
		return "Normal"
	case openbanking.PriorityCodeHIGH:
		return "High"
	case openbanking.PriorityCodeEXPR:
		return "Express"
	}
	return words.Text(c)
}

func schemeWords(s openbanking.SchemeName) words.Text {
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
	return "Account number"
}
