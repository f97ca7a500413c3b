package transactions

import (
	"slices"
	"strconv"

	"florin/internal/categories"
	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

// ruleCards fills in what rules and names have to do with a transaction.
func (a *Area) ruleCards(v *shell.Visitor, c show.Clock, t finance.TransactionRecord, view *pages.TransactionView) error {
	id := strconv.FormatInt(t.ID, 10)
	view.Rules = pages.RuleCard{Make: paths.RuleFrom(t.AccountID, id), Account: t.AccountID, ID: id}
	rules, err := a.Store.Rules(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	named, err := a.Store.NamedAs(v.Ctx(), v.User.ID, t.AccountID, t.ID)
	if err != nil {
		return err
	}
	view.Name = nameCard(t, named)
	if len(rules) == 0 {
		return nil
	}
	accounts, err := a.Store.Accounts(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	account := func(id string) string {
		if i := slices.IndexFunc(accounts, func(a finance.Account) bool { return a.ID == id }); i >= 0 {
			return c.AccountName(accounts[i])
		}
		return ""
	}
	decided := categories.Step(t.CategoryBy) == categories.ByRule
	for _, r := range rules {
		text, is := c.RuleConditions(r.Conditions, account), decided && r.ID == t.CategoryWhy
		view.Rules.Rules = append(view.Rules.Rules, ui.Option{Value: r.ID, Text: text, Selected: is})
		if is {
			view.Category.Rule = &ui.Link{Text: text, Href: paths.Rule(r.ID)}
		}
		if view.Name.Rule == nil && named.Shown != named.Name && r.Name == named.Shown && !r.Off {
			view.Name.Rule = &ui.Link{Text: text, Href: paths.Rule(r.ID)}
		}
	}
	return nil
}
