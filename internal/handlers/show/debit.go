package show

import (
	"strings"

	"florin/internal/debits"
	"florin/internal/finance"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// debitWords are the words for a finding about a direct debit: a mark, and a sentence with the payee and the amount.
var debitWords = map[debits.Kind][2]words.Text{
	debits.NewCreditor: {"New creditor", "New creditor: %s collected %s"},
	debits.NewID:       {"Another creditor ID", "Another creditor ID: %s collected %s"},
	debits.NewMandate:  {"New mandate", "New mandate: %s collected %s"},
	debits.Twice:       {"Collected twice", "Twice: %s collected %s again"},
	debits.Unusual:     {"Unusually high", "Unusually high: %s collected %s"},
	debits.Dearer:      {"Higher price", "Higher price: %s collected %s"},
}

// DebitBadge returns the mark for a kind of finding about a direct debit.
func DebitBadge(k debits.Kind) words.Text { return debitWords[k][0] }

// DebitWhy returns the reason for a finding about a direct debit.
func (c Clock) DebitWhy(f debits.Kept) string {
	switch f.Kind {
	case debits.NewCreditor:
		return c.Say("As far back as Florin knows, nobody with this creditor ID or this name has collected money from the account before.")
	case debits.NewID:
		return c.Say("The name is known, but the creditor ID is new.")
	case debits.NewMandate:
		return c.Say("The creditor is known. It has not used this mandate before.")
	case debits.Twice:
		if f.Other == "" {
			return c.Say("The same amount was collected under the same mandate a few days before.")
		}
		return c.Say("The same amount was collected under the same mandate on %s.", c.Day(f.Other).Text)
	case debits.Unusual:
		return c.Say("The highest amount before was %s.", f.Was.Abs())
	case debits.Dearer:
		return c.Say("Until now it was always %s.", f.Was.Abs())
	}
	return ""
}

// DebitUntil returns until which day the bank refunds a direct debit; "" when that is over.
func (c Clock) DebitUntil(h debits.Held) string {
	u, today := h.Until(), c.Today()
	switch {
	case h.Back != "" || !u.Open(today):
		return ""
	case h.Scheme == debits.Business:
		return c.Say("Your bank does not refund a debit between companies (B2B) that you agreed to. If you never agreed, tell your bank by %s.", c.DayInFull(u.Unauthorised))
	case u.Authorised < today:
		return c.Say("The eight weeks are over. If you never agreed to it, tell your bank by %s.", c.DayInFull(u.Unauthorised))
	case h.Amount.Currency() != "EUR":
		return c.Say("Ask your bank by %s. In this currency, it refunds a debit that you agreed to only if it is higher than you could expect.", c.DayInFull(u.Authorised))
	}
	return c.Say("Your bank refunds it if you ask by %s. You do not have to give a reason.", c.DayInFull(u.Authorised))
}

// DebitBack returns when a direct debit was returned; "" when it was not.
func (c Clock) DebitBack(h debits.Held) string {
	if h.Back == "" {
		return ""
	}
	return c.Say("It was returned on %s.", c.DayInFull(h.Back))
}

// DebitRow returns a direct debit as a row of a list, with its account when there are several, and marks for its findings.
func (c Clock) DebitRow(h debits.Held, places Places) pages.RecurringRow {
	notes := []string{c.Day(h.Day).Text}
	for _, note := range []string{h.Creditor, h.Mandate, h.Owner} {
		if note != "" {
			notes = append(notes, note)
		}
	}
	row := pages.RecurringRow{Href: paths.DirectDebit(h.ID), Name: c.TransactionName(h.Title()), Note: places.after(strings.Join(notes, " · "), h.AccountID),
		Amount: pages.Flow(h.Amount)}
	for _, f := range h.Findings {
		mark := ui.Badge{Tone: ui.Warning, Text: c.Say(DebitBadge(f.Kind))}
		if !f.Closed.IsZero() || h.Back != "" {
			mark.Tone = ui.Plain
		}
		row.Marks = append(row.Marks, mark)
		if !f.Closed.IsZero() {
			row.Marks = append(row.Marks, ui.Badge{Tone: ui.Good, Text: c.Say("Confirmed by you")})
		}
	}
	if h.Back != "" {
		row.Marks = append(row.Marks, ui.Badge{Tone: ui.Good, Text: c.Say("Returned")})
	}
	return row
}

// mostDebits is the largest number of direct debits named on the first page.
const mostDebits = 3

// DebitNotices returns notices for direct debits with open findings. back is the page that shows them and closes those of the person's own accounts.
func (c Clock) DebitNotices(all []debits.Held, back string) (notices []ui.Notice) {
	rest := 0
	for _, h := range all {
		if !h.Open(c.Today()) {
			continue
		}
		if len(notices) == mostDebits {
			rest++
			continue
		}
		f := h.Findings[0]
		n := ui.Notice{Tone: ui.Warning, Title: c.Say(debitWords[f.Kind][1], c.TransactionName(h.Title()), h.Amount.Abs()),
			Text: strings.TrimSpace(c.DebitWhy(f) + " " + c.DebitUntil(h)), Action: ui.Link{Text: c.Say("Look at it"), Href: paths.DirectDebit(h.ID)}}
		if h.Owner == "" {
			n.Dismiss = ui.Dismiss{Action: paths.DirectDebitRight(h.ID), Back: back, Text: c.Say("This is right")}
		}
		notices = append(notices, n)
	}
	if rest > 0 {
		notices = append(notices, ui.Notice{Tone: ui.Info, Title: c.Say("%d more direct debits to check", rest),
			Action: ui.Link{Text: c.Say("All direct debits"), Href: paths.DirectDebits}})
	}
	return notices
}

// DebitCard returns the card about a direct debit on the page of its transaction.
func (c Clock) DebitCard(h debits.Held) pages.DebitCard {
	card := pages.DebitCard{Href: paths.DirectDebit(h.ID), Until: c.DebitUntil(h), Back: c.DebitBack(h)}
	for _, f := range h.Findings {
		mark := ui.Badge{Tone: ui.Warning, Text: c.Say(DebitBadge(f.Kind))}
		if !f.Closed.IsZero() || h.Back != "" {
			mark.Tone = ui.Plain
		}
		card.Marks = append(card.Marks, mark)
	}
	return card
}

// DebitLetters returns texts to send about a direct debit: to the bank while it has to refund, and to the creditor.
func (c Clock) DebitLetters(h debits.Held, account finance.Account) (letters []pages.DebitLetter) {
	u, today := h.Until(), c.Today()
	facts := func(lines ...string) []string {
		add := func(name, value string) {
			if value != "" {
				lines = append(lines, name+": "+value)
			}
		}
		add(c.Say("Account"), Groups(finance.AccountNumber(account).Number))
		add(c.Say("Debited on"), c.FullDay(h.Day))
		add(c.Say("Amount"), c.Money(h.Amount.Abs()))
		add(c.Say("Creditor"), c.TransactionName(h.Title()))
		add(c.Say("Creditor ID"), h.Creditor)
		add(c.Say("Mandate"), h.Mandate)
		return lines
	}
	letter := func(id, title, hint string, begin string, end ...string) {
		lines := append([]string{c.Say("Dear Sir or Madam,"), "", begin, ""}, facts()...)
		lines = append(append(lines, ""), end...)
		letters = append(letters, pages.DebitLetter{ID: id, Title: title, Hint: hint, Text: strings.Join(append(lines, "", c.Say("Kind regards,")), "\n")})
	}
	if h.Back == "" && u.Authorised >= today {
		hint := c.Say("To your bank, by %s. Many banks also have a button for this next to the booking.", c.DayInFull(u.Authorised))
		letter("refund", c.Say("Ask for the money back"), hint, c.Say("please refund this direct debit:"),
			c.Say("I ask for the refund within eight weeks, which end on %s (Directive (EU) 2015/2366, Articles 76 and 77).", c.FullDay(u.Authorised)))
	}
	if h.Back == "" && u.Unauthorised >= today {
		hint := c.Say("To your bank, at once and no later than %s: only if you gave no mandate, or have revoked it.", c.DayInFull(u.Unauthorised))
		letter("unauthorised", c.Say("Say that you never agreed"), hint, c.Say("I did not authorise this direct debit:"),
			c.Say("There is no mandate of mine for it. Please refund the amount at once (Directive (EU) 2015/2366, Articles 71 and 73)."),
			c.Say("Please execute no more direct debits from this creditor."))
	}
	letter("revoke", c.Say("Revoke the mandate"), c.Say("To the creditor. You still have to pay what you owe: agree on another way to pay."),
		c.Say("I revoke the mandate under which you debited my account:"),
		c.Say("Please collect nothing more under it, and confirm this in writing."))
	return letters
}
