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

// fundsWords says what an account had, and when, and what that may leave out: whether a credit limit is part of what is available, banks do not tell.
func fundsWords(c show.Clock, f finance.PaymentFunds) string {
	what, limit := "was booked on it", "A credit limit is not part of it."
	if f.Available {
		what, limit = "was available", "That may include a credit limit."
	}
	if f.Limit != "" {
		limit = "The credit limit of " + f.Limit + " is not part of it."
		if f.Available {
			limit = "That may include the credit limit of " + f.Limit + "."
		}
	}
	return "As of " + show.AsOf(c, f.Balance).Text + ", " + f.Balance.Amount.Format() + " " + f.Balance.Amount.Currency() + " " + what + ". " + limit
}

// exchangeWords says who makes money of one currency into that of another; "" when nobody has to.
func exchangeWords(currency string, account finance.Account) string {
	if !paymentform.Converts(account, currency) {
		return ""
	}
	return "The account is in " + account.Currency + ": your bank converts, at a rate that is not known here."
}

// amountHint says what is to be known about the amount: that it is more than the account has, and that it has to be converted. What is wrong with it is said when the form is sent.
func amountHint(c show.Clock, form paymentform.Form) pages.PayHint {
	if funds, lacks := form.LacksFunds(); lacks {
		return pages.PayHint{Tone: ui.Warning, Lines: []string{"This is more than the account has.", fundsWords(c, funds)}}
	}
	hint := pages.PayHint{Tone: ui.Info}
	if words := exchangeWords(form.Currency(), form.Account); words != "" {
		hint.Lines = append(hint.Lines, words)
	}
	return hint
}

// payeeHint explains the account number: what it is, whose, and what was paid there before. What is wrong with it is said too.
func (a *Area) payeeHint(v *shell.Visit, form paymentform.Form) (pages.PayHint, error) {
	switch problem := form.NumberNote().(type) {
	case nil:
	case paymentform.WrongNumber:
		return pages.PayHint{Tone: ui.Warning, Lines: []string{words.In(v.Ctx()).Tell(show.NumberProblem(problem.Err))}}, nil
	case paymentform.Broken:
		return pages.PayHint{Tone: ui.Warning, Lines: []string{faultWords(subjects[problem.Name], problem.Rule)}}, nil
	}
	if form.Entries.Get(paymentform.Number) == "" {
		return pages.PayHint{}, nil
	}
	account, name := form.Payee(), form.PayeeName()
	hint := pages.PayHint{Tone: ui.Good}
	if parsed, err := iban.Parse(account.Number); err == nil && account.Scheme == openbanking.SchemeNameIBAN {
		hint.Lines = append(hint.Lines, parsed.Groups(), "An account in "+countries.Within(parsed.Country())+". Length and check digits are right.")
	}
	note, err := a.payeeNote(v, name, account, form.Own())
	if err != nil {
		return hint, err
	}
	if note.Own != nil && note.Own.ID == form.Account.ID {
		hint.Lines = append(hint.Lines, "This is the account that you pay from.")
		return hint, nil
	}
	if w := note.Warning; w != nil {
		switch w.Code {
		case finance.WarnChanged:
			hint.Tone, hint.Lines = ui.Bad, append(hint.Lines, name+" has had another account until now. "+changedAccount(*w))
		case finance.WarnOtherName:
			title, text := otherName(*w)
			hint.Tone, hint.Lines = ui.Warning, append(hint.Lines, title+". "+text)
		case finance.WarnNewPayee:
			hint.Tone = ui.Info
		}
	}
	hint.Lines = append(hint.Lines, noteWords(a.At(v.Ctx(), form.Now), note))
	return hint, nil
}

// payeeNote is what the user has to do with an account: it is the user's own, was paid before, or is new. The rule is that of the warnings in the review.
func (a *Area) payeeNote(v *shell.Visit, name string, account finance.PayeeAccount, own []finance.Account) (note paymentform.PayeeNote, err error) {
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
	switch {
	case note.Own != nil:
		return "Your own account " + c.AccountName(*note.Own) + ": a transfer between your accounts."
	case note.History.Times == 0 && note.Saved:
		return "Saved, and not paid before."
	case note.History.Times == 0:
		return "New payee: first payment from Florin."
	}
	text := "Paid " + times(note.History.Times)
	if len(note.History.Names) > 0 {
		text += " as " + note.History.Names[0]
	}
	if note.History.Times > 1 {
		text += ", last"
	}
	return text + " " + c.When(note.History.LastPaid) + "."
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return show.Count(int64(n)) + " times"
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
		return pages.PayDates{Sentence: "The last day is before the first one.", Note: "Choose a later last day, or leave it out."}
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

func dayWords(d openbanking.Date) string {
	t, err := d.Time()
	if err != nil {
		return string(d)
	}
	return t.Format("2 January 2006")
}
