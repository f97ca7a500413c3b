package rules

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"florin/internal/categories"
	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/settling"
	"florin/internal/store"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

// known is what rules name, as the user calls it.
type known struct {
	show.Clock
	categories categories.Book
	accounts   []finance.Account
	banks      []finance.Connection
	people     settling.Book // with whom rules share; only its people where there was never anybody else
}

func (a *Area) known(v *shell.Visitor) (k known, err error) {
	k.Clock = a.At(v.Ctx(), time.Now())
	if k.accounts, err = a.Store.Accounts(v.Ctx(), v.User.ID); err != nil {
		return k, err
	}
	if k.banks, err = a.Store.Connections(v.Ctx(), v.User.ID); err != nil {
		return k, err
	}
	if k.categories, err = a.Store.Categories(v.Ctx(), v.User.ID); err != nil {
		return k, err
	}
	k.people.Me = v.User.ID
	if some, err := a.Store.SharesExpenses(v.Ctx(), v.User.ID); err != nil || !some {
		return k, err
	}
	k.people, err = a.Store.SettlingBook(v.Ctx(), v.User.ID)
	return k, err
}

// gone are those with whom a rule shares who have left, in words; "" for nobody.
func (k known) gone(r categories.Rule) string {
	var names []string
	for _, part := range r.Share {
		if k.people.Person(part.Person).Gone {
			names = append(names, k.Person(k.people, part.Person))
		}
	}
	return k.List(names)
}

// account is the name of an account, "" for one that the user does not have.
func (k known) account(id string) string {
	i := slices.IndexFunc(k.accounts, func(a finance.Account) bool { return a.ID == id })
	if i < 0 {
		return ""
	}
	return k.AccountName(k.accounts[i])
}

func (k known) conditions(r categories.Rule) string { return k.RuleConditions(r.Conditions, k.account) }

func (a *Area) list(v *shell.Visitor) error {
	k, err := a.known(v)
	if err != nil {
		return err
	}
	rules, err := a.Store.Rules(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	view := pages.RulesView{Frame: a.Frame(v)}
	for i, r := range rules {
		row := pages.RuleRow{ID: r.ID, Conditions: k.conditions(r), Actions: k.RuleActions(r.Actions, k.categories, k.people), Off: r.Off, First: i == 0,
			Last: i == len(rules)-1}
		hidden := slices.IndexFunc(rules[:i], func(before categories.Rule) bool { return before.Hides(r) })
		switch {
		case r.Off:
			row.Note = v.Say("Switched off")
		case k.gone(r) != "":
			row.Note = v.Say("This rule shares nothing any more, since somebody has left: %s. Open it to choose again.", k.gone(r))
		case hidden >= 0:
			row.Note = v.Say("This rule never decides anything: the rule “%s” comes before it and does the same or more.", k.conditions(rules[hidden]))
		case r.Any():
			row.Note = v.Say("Fits every transaction")
		}
		view.Rows = append(view.Rows, row)
	}
	return v.Page(http.StatusOK, pages.Rules(view))
}

// newRule is the form for a new rule. The address may name a transaction, which the rule then fits, and a rule that is widened to it in place of a new one.
func (a *Area) newRule(v *shell.Visitor) error {
	query := v.Request.URL.Query()
	if !query.Has("transaction") {
		return a.page(v, http.StatusOK, form{}, nil)
	}
	t, facts, err := a.asked(v)
	if err != nil {
		return err
	}
	if !query.Has("rule") {
		return a.page(v, http.StatusOK, form{Rule: categories.Rule{Conditions: categories.RuleFor(facts), Actions: categories.Actions{Category: t.Category}}},
			nil)
	}
	r, err := a.Store.Rule(v.Ctx(), v.User.ID, query.Get("rule"))
	if err != nil {
		return err
	}
	wide, ok := r.Widen(facts)
	if !ok {
		return a.page(v, http.StatusOK, form{Rule: r}, &ui.Notice{Tone: ui.Warning, Title: v.Say("The rule does not fit this transaction"),
			Text: v.Say("The rule looks for something that this transaction does not have. Change the rule below, or make another one.")})
	}
	r.Conditions = wide
	return a.page(v, http.StatusOK, form{Rule: r}, nil)
}

// asked reads the transaction that the query names.
func (a *Area) asked(v *shell.Visitor) (t finance.TransactionRecord, facts categories.Facts, err error) {
	query := v.Request.URL.Query()
	id, err := strconv.ParseInt(query.Get("transaction"), 10, 64)
	if err != nil {
		return t, facts, finance.ErrNotFound
	}
	if t, err = a.Store.Transaction(v.Ctx(), v.User.ID, query.Get("account"), id); err != nil {
		return t, facts, err
	}
	return t, categories.FactsOf(t.Transaction, finance.SignsOf(t.Record), ""), nil
}

func (a *Area) rule(v *shell.Visitor) error {
	r, err := a.Store.Rule(v.Ctx(), v.User.ID, v.Request.PathValue("rule"))
	if err != nil {
		return err
	}
	k, err := a.known(v)
	if err != nil {
		return err
	}
	var notice *ui.Notice
	if gone := k.gone(r); gone != "" {
		notice = &ui.Notice{Tone: ui.Info, Title: v.Say("This rule shares nothing any more"),
			Text: v.Say("Somebody with whom it shared has left: %s. What it shared before stays. Choose below who pays what from now on, and save it.", gone)}
	}
	return a.page(v, http.StatusOK, form{Rule: r}, notice)
}

// save keeps a rule as it was typed, when the person has seen what it does: else it shows that first.
func (a *Area) save(v *shell.Visitor) error {
	k, err := a.known(v)
	if err != nil {
		return err
	}
	f := form{}
	if id := v.Request.PathValue("rule"); id != "" {
		if f.Rule, err = a.Store.Rule(v.Ctx(), v.User.ID, id); err != nil {
			return err
		}
	}
	f.read(v, k)
	switch {
	case f.wrong():
		return a.page(v, http.StatusUnprocessableEntity, f, nil)
	case v.Field("do") != "save":
		return a.page(v, http.StatusOK, f, nil)
	case v.Field("seen") != f.digest():
		return a.page(v, http.StatusOK, f, &ui.Notice{Tone: ui.Info, Title: v.Say("Look at what the rule does"),
			Text: v.Say("You have changed the rule. Below is what it would do now. Save it when that is right.")})
	}
	_, err = a.Store.SaveRule(v.Ctx(), v.User.ID, f.Rule)
	if errors.Is(err, store.ErrTooManyRules) {
		return a.page(v, http.StatusUnprocessableEntity, f, &ui.Notice{Tone: ui.Warning, Title: v.Say("This cannot be saved"),
			Text: v.Say("You have %d rules already. Delete one that you no longer need.", store.MaxRules)})
	}
	if err != nil {
		return err
	}
	saved := v.Say("The rule is saved. It applies to all your transactions, old and new.")
	if len(f.Share) > 0 {
		saved = v.Say("The rule is saved. It shares transactions from %s on; the rest of it applies to all, old and new.", k.FullDay(f.ShareFrom))
	}
	a.Flash(v, ui.Good, saved)
	v.SeeOther(paths.Rules)
	return nil
}

func (a *Area) move(v *shell.Visitor) error {
	if err := a.Store.MoveRule(v.Ctx(), v.User.ID, v.Request.PathValue("rule"), v.Field("to") == "up"); err != nil {
		return err
	}
	v.SeeOther(paths.Rules)
	return nil
}

func (a *Area) switchOff(v *shell.Visitor) error {
	if err := a.Store.SwitchRule(v.Ctx(), v.User.ID, v.Request.PathValue("rule"), v.Field("off") == "yes"); err != nil {
		return err
	}
	v.SeeOther(paths.Rules)
	return nil
}

func (a *Area) delete(v *shell.Visitor) error {
	if err := a.Store.DeleteRule(v.Ctx(), v.User.ID, v.Request.PathValue("rule")); err != nil {
		return err
	}
	a.Flash(v, ui.Good, v.Say("The rule is deleted. Tags and notes that it gave stay, and so does what it shared."))
	v.SeeOther(paths.Rules)
	return nil
}
