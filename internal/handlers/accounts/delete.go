package accounts

import (
	"net/http"
	"slices"
	"time"

	"florin/internal/finance"
	"florin/internal/handlers/connections"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

// deleteAccountPage asks before an account is deleted with all that is in it.
func (a *Area) deleteAccountPage(v *shell.Visitor) error {
	return a.askDelete(v, http.StatusOK, "", "")
}

func (a *Area) askDelete(v *shell.Visitor, status int, typed, problem string) error {
	h, err := a.Store.Holdings(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(h.Accounts, func(own finance.Account) bool { return own.ID == v.Request.PathValue("account") })
	if i < 0 {
		return finance.ErrNotFound
	}
	account, c := h.Accounts[i], a.At(v.Ctx(), time.Now())
	view := pages.DeleteDataView{Frame: a.Frame(v), Name: c.AccountName(account), Action: paths.AccountDelete(account.ID),
		Back: ui.Link{Text: c.AccountName(account), Href: paths.Account(account.ID)}, Instead: v.Say("To keep its history, close the account instead: it then no longer counts in your totals.")}
	view.Frame.Simulated = account.Simulated
	if account.Linked() {
		view.Instead = v.Say("To keep its history, stop the syncing of its connection instead.")
		own := append(show.OfConnection(h.Accounts, account.ConnectionID), show.SharedBy(account.ConnectionID, h.Accounts, h.Shared)...)
		active := slices.ContainsFunc(h.Connections, func(of finance.Connection) bool {
			return of.ID == account.ConnectionID && of.State(c.Now) == finance.ConnectionActive
		})
		switch {
		case !active: // the consent has ended
		case slices.ContainsFunc(own, func(other finance.Account) bool { return other.ID != account.ID && other.Linked() }):
			view.Consent = v.Say("The consent continues for the other accounts of this connection. The account does not come back with the next sync. If you renew the consent and share it again, it comes back as a new account.")
		default:
			view.Consent = v.Say("The consent ends at once, at the bank too.")
		}
	}
	if err := a.Connections.FillDelete(v, &view, []finance.Account{account}, c.AccountName(account), typed, problem); err != nil {
		return err
	}
	return v.Page(status, pages.DeleteData(view))
}

func (a *Area) deleteAccount(v *shell.Visitor) error {
	account, err := a.Store.Account(v.Ctx(), v.User.ID, v.Request.PathValue("account"))
	if err != nil {
		return err
	}
	name := a.At(v.Ctx(), time.Now()).AccountName(account)
	if typed, problem, ok := connections.Confirmed(v, name); !ok {
		return a.askDelete(v, http.StatusUnprocessableEntity, typed, problem)
	}
	done, err := a.Linking.DeleteAccount(v.Ctx(), v.User.ID, account.ID)
	if err != nil {
		return err
	}
	a.Connections.TellDeleted(v, name, done)
	v.SeeOther(paths.Accounts)
	return nil
}
