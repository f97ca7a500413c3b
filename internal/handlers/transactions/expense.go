package transactions

import (
	"errors"
	"strconv"

	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

// expenseLink leads to the shared expense that a transaction is, or to the form that makes it one.
func (a *Area) expenseLink(v *shell.Visitor, c show.Clock, t finance.TransactionRecord, view *pages.TransactionView) error {
	if t.Amount.IsZero() || v.User.Role == finance.RoleViewer {
		return nil
	}
	if some, err := a.Store.SharesExpenses(v.Ctx(), v.User.ID); err != nil || !some {
		return err
	}
	e, err := a.Store.ExpenseOf(v.Ctx(), v.User.ID, t.ID)
	if errors.Is(err, finance.ErrNotFound) {
		view.Expense = &ui.Link{Text: c.Say("Share this expense with others"), Href: paths.NewExpenseFrom(t.AccountID, strconv.FormatInt(t.ID, 10))}
		if t.Amount.Sign() > 0 {
			view.Expense.Text = c.Say("Share what came back with others")
		}
		return nil
	}
	if err != nil {
		return err
	}
	view.Expense = &ui.Link{Text: c.Say("This is a shared expense"), Href: paths.Expense(e.ID)}
	view.ExpenseNote = c.Say("Your share: %s", e.Part(v.User.ID).Abs())
	if e.Rule != "" {
		view.ExpenseNote += ". " + c.Say("Your rule shared it.")
	}
	if e.Amount != t.Amount.Neg() {
		view.ExpenseNote = c.Say("It was shared with the amount %s. The bank now reports another amount: please check it.", e.Amount.Abs())
	}
	return nil
}
