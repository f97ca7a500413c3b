package accounts

import (
	"slices"

	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/openbanking"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

// fillBalances shows all balances in words with their code, and the one that counts on top.
func fillBalances(c show.Clock, view *pages.AccountView, account finance.Account, balances []finance.Balance) {
	view.NoBalance = c.Say(show.NoBalance(account))
	chosen := finance.ChooseBalances(account, balances)
	if main := chosen.Main; main != nil {
		figure := pages.Figure(main.Amount)
		view.Hero = &figure
		name, _ := pages.BalanceWords(main.Type)
		view.HeroName, view.AsOf, view.Stale = c.Message(name), show.AsOf(c, *main), c.Stale(main.Fetched)
	}
	counted := finance.Counted(account, balances)
	for i, b := range balances {
		name, meaning := pages.BalanceWords(b.Type)
		view.Balances = append(view.Balances, pages.Balance{Name: c.Message(name), Code: string(b.Type), Meaning: c.Message(meaning),
			Amount: pages.Figure(b.Amount), AsOf: show.AsOf(c, b), Counts: counted != nil && len(balances) > 1 && *counted == balances[i]})
	}
	fillCounts(c, view, account, balances)
	if chosen.Lost {
		wanted, _ := pages.BalanceWords(account.Counts)
		now, _ := pages.BalanceWords(chosen.Main.Type)
		view.Lost = &ui.Notice{Tone: ui.Warning, Title: c.Say("The bank no longer gives the balance that you chose"),
			Text: c.Say("You chose “%s”. Until the bank gives it again, “%s” counts.", wanted, now)}
	}
}

// fillCounts asks which balance counts, where there is something to choose.
func fillCounts(c show.Clock, view *pages.AccountView, account finance.Account, balances []finance.Balance) {
	list := finance.Countable(account, balances)
	if !account.Linked() || len(list) < 2 && account.Counts == "" {
		return
	}
	wants := account.Counts
	account.Counts = ""
	itself := c.Say("Florin’s choice")
	if b := finance.Counted(account, balances); b != nil {
		name, _ := pages.BalanceWords(b.Type)
		itself = c.Say("Florin’s choice: %s", name)
	}
	view.Counts = []ui.Option{{Text: itself, Selected: wants == ""}}
	for _, b := range list {
		name, _ := pages.BalanceWords(b.Type)
		view.Counts = append(view.Counts, ui.Option{Value: string(b.Type), Text: c.Say("%s (%s)", name, b.Amount), Selected: b.Type == wants})
	}
	if wants != "" && !has(list, wants) {
		name, _ := pages.BalanceWords(wants)
		view.Counts = append(view.Counts, ui.Option{Value: string(wants), Text: c.Say("%s (the bank gives none now)", name), Selected: true})
	}
}

func has(list []finance.Balance, t openbanking.BalanceStatus) bool {
	return slices.ContainsFunc(list, func(b finance.Balance) bool { return b.Type == t })
}

// counts sets which balance of an account is used in sums: one that the bank sends, or the default.
func (a *Area) counts(v *shell.Visitor) error {
	o, err := a.Store.Overview(v.Ctx(), v.User.ID, v.Request.PathValue("account"))
	if err == nil && !o.Account.Linked() {
		err = finance.ErrNotFound
	}
	if err != nil {
		return err
	}
	balances, err := a.Store.AccountBalances(v.Ctx(), v.User.ID, o.Account.ID)
	if err != nil {
		return err
	}
	wants := openbanking.BalanceStatus(v.Field("counts"))
	if wants == o.Account.Counts { // also one that the bank does not give now
		v.SeeOther(paths.Account(o.Account.ID))
		return nil
	}
	if wants != "" && !has(finance.Countable(o.Account, balances), wants) {
		a.Flash(v, ui.Warning, v.Say("The bank does not give this balance now. Choose another one."))
		v.SeeOther(paths.Account(o.Account.ID))
		return nil
	}
	if err := a.Store.SetCounts(v.Ctx(), v.User.ID, o.Account.ID, wants); err != nil {
		return err
	}
	if wants == "" {
		a.Flash(v, ui.Good, v.Say("Florin chooses the balance again."))
	} else {
		name, _ := pages.BalanceWords(wants)
		a.Flash(v, ui.Good, v.Say("“%s” counts for this account from now on.", name))
	}
	v.SeeOther(paths.Account(o.Account.ID))
	return nil
}
