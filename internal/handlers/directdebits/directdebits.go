package directdebits

import (
	"cmp"
	"net/http"
	"strconv"
	"time"

	"florin/internal/debits"
	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

func (a *Area) list(v *shell.Visitor) error {
	c := a.At(v.Ctx(), time.Now())
	whose, err := a.Whose(v, v.Request.URL.Query().Get("whose"))
	if err != nil {
		return err
	}
	found, err := whose.DebitFindings(v.Ctx())
	if err != nil {
		return err
	}
	mandates, err := whose.Mandates(v.Ctx(), c.Today())
	if err != nil {
		return err
	}
	h, err := whose.Holdings(v.Ctx())
	if err != nil {
		return err
	}
	places := c.Places(h.Accounts)
	view := pages.DirectDebitsView{Frame: a.Frame(v), Whose: whose.Choice}
	view.Frame.Live = whose.Live()
	for _, h := range found {
		row := c.DebitRow(h, places)
		if h.Open(c.Today()) {
			row.Range = c.DebitUntil(h)
			view.Open = append(view.Open, row)
		} else {
			view.Done = append(view.Done, row)
		}
	}
	for _, m := range mandates {
		m.Last.Findings = nil
		row := c.DebitRow(m.Last, places)
		row.Range = c.Say("%d direct debits in the last 400 days", m.Count)
		view.Mandates = append(view.Mandates, row)
	}
	return v.Page(http.StatusOK, pages.DirectDebits(view))
}

// asked reads the direct debit that the address names, as the visitor sees it.
func (a *Area) asked(v *shell.Visitor) (debits.Held, error) {
	id, err := strconv.ParseInt(v.Request.PathValue("debit"), 10, 64)
	if err != nil {
		return debits.Held{}, finance.ErrNotFound
	}
	return a.Store.Household(v.User.ID).DebitOf(v.Ctx(), id)
}

func (a *Area) debit(v *shell.Visitor) error {
	h, err := a.asked(v)
	if err != nil {
		return err
	}
	c := a.At(v.Ctx(), time.Now())
	view := pages.DirectDebitView{Frame: a.Frame(v), ID: h.ID, Title: c.TransactionName(h.Title()), Amount: pages.Flow(h.Amount), Owner: h.Owner,
		Transaction: paths.Transaction(h.AccountID, strconv.FormatInt(h.ID, 10)), Back: c.DebitBack(h), Until: c.DebitUntil(h)}
	for _, f := range h.Findings {
		tone := ui.Warning
		if !f.Closed.IsZero() {
			tone, view.Closed = ui.Info, true
		} else {
			view.Open = true
		}
		view.Findings = append(view.Findings, ui.Notice{Tone: tone, Title: c.Say(show.DebitBadge(f.Kind)), Text: c.DebitWhy(f)})
	}
	if h.Owner != "" { // what is written to a bank is the owner's to write
		view.Facts = facts(c, h, "")
		whose, err := a.Whose(v, shell.WhoseHousehold)
		if err != nil {
			return err
		}
		view.Frame.Live = whose.Live()
		return v.Page(http.StatusOK, pages.DirectDebit(view))
	}
	account, err := a.Store.Account(v.Ctx(), v.User.ID, h.AccountID)
	if err != nil {
		return err
	}
	view.Frame.Simulated = account.Simulated
	view.Facts, view.Letters = facts(c, h, c.AccountName(account)), c.DebitLetters(h, account)
	return v.Page(http.StatusOK, pages.DirectDebit(view))
}

func facts(c show.Clock, h debits.Held, account string) []ui.Fact {
	var f show.Facts
	f.Add(c.Say("Debited on"), c.DayInFull(h.Day), "")
	f.Add(c.Say("Creditor ID"), h.Creditor, "")
	f.Add(c.Say("Mandate"), h.Mandate, "")
	scheme := c.Say("SEPA direct debit")
	if h.Scheme == debits.Business {
		scheme = c.Say("SEPA direct debit between companies (B2B)")
	} else if h.Amount.Currency() != "EUR" {
		scheme = c.Say("Direct debit")
	}
	f.Add(c.Say("Scheme"), scheme, "")
	f.Add(c.Say("Account"), account, "")
	return f
}

// right takes that a direct debit is right, or takes that back, and goes to the page from which the form came.
func (a *Area) right(v *shell.Visitor) error {
	h, err := a.asked(v)
	if err != nil {
		return err
	}
	right := v.Field("right") != "no"
	if err := a.Store.CloseDebit(v.Ctx(), v.User.ID, h.ID, right); err != nil {
		return err
	}
	told := v.Say("Noted: this direct debit is right. Florin does not mention it again.")
	if !right {
		told = v.Say("Undone. The direct debit is under “To check” again.")
	}
	a.Flash(v, ui.Good, told)
	v.SeeOther(cmp.Or(shell.OwnPage(a.IsPage, v.Request.PostFormValue("back")), paths.DirectDebit(h.ID)))
	return nil
}
