package payments

import (
	"time"

	"florin/internal/countries"
	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/iban"
	"florin/internal/openbanking"
	"florin/internal/paymentform"
	"florin/web/templates/pages"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// fundsWords says how much the account had, when, and whether that may include a credit limit. Banks do not say whether an available balance includes it.
func fundsWords(c show.Clock, f finance.PaymentFunds) string {
	of, amount := show.AsOf(c, f.Balance).Text, f.Balance.Amount
	switch {
	case f.Available && f.Limit != "":
		return c.Say("%s were available (as of %s), perhaps including the credit limit of %s.", amount, of, f.Limit)
	case f.Available:
		return c.Say("%s were available (as of %s), perhaps including a credit limit.", amount, of)
	case f.Limit != "":
		return c.Say("The booked balance was %s (as of %s), without the credit limit of %s.", amount, of, f.Limit)
	}
	return c.Say("The booked balance was %s (as of %s), without any credit limit.", amount, of)
}

// exchangeWords says that the bank converts the amount; the result is false when account and payment have the same currency.
func exchangeWords(currency string, account finance.Account) (words.Message, bool) {
	return words.Msg("The account is in %s. Your bank converts the amount, at a rate that Florin does not know.", account.Currency),
		paymentform.Converts(account, currency)
}

// amountHint warns while the amount is typed when it exceeds the balance, and says when the bank converts it. Errors in the amount itself are shown when
// the form is sent.
func amountHint(c show.Clock, form paymentform.Form) pages.PayHint {
	if funds, lacks := form.LacksFunds(); lacks {
		return pages.PayHint{Tone: ui.Warning, Lines: []string{c.Say("This is more than the account has."), fundsWords(c, funds)}}
	}
	hint := pages.PayHint{Tone: ui.Info}
	if exchange, needed := exchangeWords(form.Currency(), form.Account); needed {
		hint.Lines = append(hint.Lines, c.Message(exchange))
	}
	return hint
}

// payeeHint explains the account number: what it is, whose, and what was paid there before. What is wrong with it is said too.
func (a *Area) payeeHint(v *shell.Visitor, form paymentform.Form) (pages.PayHint, error) {
	c := a.At(v.Ctx(), form.Now)
	typed := form.Entries.Get(paymentform.Number)
	if problem := form.NumberNote(); problem != nil {
		fault := formFaultWords(c, paymentform.Fault{Field: paymentform.Number, Problem: problem})
		return pages.PayHint{Tone: ui.Warning, Lines: []string{c.Message(fault)}}, nil
	}
	if typed == "" {
		return pages.PayHint{}, nil
	}
	account, name := form.Payee(), form.PayeeName()
	hint := pages.PayHint{Tone: ui.Good}
	if parsed, err := iban.Parse(account.Number); err == nil && account.Scheme == openbanking.SchemeNameIBAN {
		if typed != parsed.Groups() {
			hint.Lines = append(hint.Lines, parsed.Groups())
		}
		hint.Lines = append(hint.Lines, c.Say("Country: %s. The check digits are correct.", words.Text(countries.Name(parsed.Country()))))
	}
	note, err := a.payeeNote(v, name, account, form.Own())
	if err != nil {
		return hint, err
	}
	if note.Own != nil && note.Own.ID == form.Account.ID {
		hint.Lines = append(hint.Lines, c.Say("This is the account you pay from."))
		return hint, nil
	}
	if w := note.Warning; w != nil {
		switch w.Code {
		case finance.WarnChanged:
			warning := []string{c.Say("Careful, this may be fraud: %s had another account until now.", name), changedAccount(c, *w)}
			hint.Tone, hint.Lines = ui.Bad, append(warning, hint.Lines...)
		case finance.WarnOtherName:
			title, text := otherName(c, *w)
			hint.Tone, hint.Lines = ui.Warning, append(hint.Lines, title+".", text)
		case finance.WarnNewPayee:
			hint.Tone = ui.Info
		}
	}
	hint.Lines = append(hint.Lines, noteWords(c, note))
	return hint, nil
}

// payeeNote is what the user has to do with an account: it is the user's own, was paid before, or is new. The rule is that of the warnings in the review.
func (a *Area) payeeNote(v *shell.Visitor, name string, account finance.PayeeAccount, own []finance.Account) (note paymentform.PayeeNote, err error) {
	var known paymentform.Known
	if known.Past, known.Payees, err = a.Store.KnownBefore(v.Ctx(), v.User.ID, account, name); err != nil {
		return note, err
	}
	if known.History, err = a.Store.History(v.Ctx(), v.User.ID, account); err != nil {
		return note, err
	}
	return paymentform.NotePayee(name, account, own, known), nil
}

// noteWords say whose an account is, or how often it was paid.
func noteWords(c show.Clock, note paymentform.PayeeNote) string {
	h := note.History
	switch {
	case note.Own != nil:
		return c.Say("This is your own account %s.", c.AccountName(*note.Own))
	case h.Times == 0 && note.Saved:
		return c.Say("Saved, but not yet paid from Florin.")
	case h.Times == 0:
		return c.Say("New payee: your first payment from Florin.")
	case h.Times == 1 && len(h.Names) > 0:
		return c.Say("Paid once, as %s, %s.", h.Names[0], c.When(h.LastPaid))
	case h.Times == 1:
		return c.Say("Paid once, %s.", c.When(h.LastPaid))
	case len(h.Names) > 0:
		return c.Say("Paid %d times, last as %s, %s.", h.Times, h.Names[0], c.When(h.LastPaid))
	}
	return c.Say("Paid %d times, last %s.", h.Times, c.When(h.LastPaid))
}

// datesHint shows the next dates of the standing order in the form.
func datesHint(c show.Clock, form paymentform.Form) pages.PayDates {
	if o, ok := form.StandingOrder(); ok {
		return datesOf(c, o)
	}
	return pages.PayDates{}
}

func datesOf(c show.Clock, o finance.StandingOrder) pages.PayDates {
	if o.Last != "" && o.Last < o.First {
		return pages.PayDates{Sentence: c.Say("The last day is before the first one."), Note: c.Say("Choose a later last day, or leave it out.")}
	}
	d := pages.PayDates{Sentence: c.Standing(o), Note: c.Say(show.HolidaysNote)}
	for _, e := range o.Next(finance.PaymentDay(c.Now), 3) {
		d.Dates = append(d.Dates, executionWords(c, e))
	}
	return d
}

func executionWords(c show.Clock, e finance.Execution) string {
	day, err := e.Date.Time()
	if err != nil {
		return string(e.Date)
	}
	if asked, err := e.Asked.Time(); err == nil && e.Asked != e.Date {
		return c.Say("%s, instead of %s", c.WeekdayOf(day, true), c.WeekdayOf(asked, false))
	}
	return c.WeekdayOf(day, true)
}

func weekend(d openbanking.Date) bool {
	t, err := d.Time()
	return err == nil && (t.Weekday() == time.Saturday || t.Weekday() == time.Sunday)
}

// dayWords is a day with its year: "1 December 2026". What is no day is shown as it came.
func dayWords(c show.Clock, d openbanking.Date) string {
	t, err := d.Time()
	if err != nil {
		return string(d)
	}
	return c.Language.Day(t, true)
}
