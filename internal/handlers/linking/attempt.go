package linking

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"florin/internal/finance"
	"florin/internal/handlers/connections"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/linking"
	"florin/internal/payments"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// callback takes the browser back from the service: with code and state, or with error, error_description and state. The state says whether it is the
// way back of a payment or of a link. It is the one GET that changes something: the state is good once, and only in the browser that began (security
// T10). The code is exchanged at once, even when the sign-in has run out (security F19); the result is a page that asks for it.
func (a *Area) callback(v *shell.Visitor) error {
	if v.Request.Method != http.MethodGet {
		v.Writer.Header().Set("Allow", http.MethodGet)
		return &shell.Problem{Status: http.StatusMethodNotAllowed} // a look-ahead with HEAD must not use the state up
	}
	query := v.Request.URL.Query()
	for _, name := range []string{"state", "code", "error"} {
		if len(query[name]) > 1 {
			return strayCallback(v, errors.New("a value came twice"))
		}
	}
	browser := a.Flow(v)
	if browser == "" || query.Get("state") == "" {
		return strayCallback(v, linking.ErrAttempt)
	}
	payment, err := a.Payments.Returned(v.Ctx(), v.Request.PathValue("provider"), browser,
		payments.Return{State: finance.Secret(query.Get("state")), Error: query.Get("error")})
	if err == nil {
		v.SeeOther(paths.Payment(payment.ID)) // a page that says how it stands, whatever the address claims
		return nil
	}
	if !errors.Is(err, payments.ErrReturn) {
		return err
	}
	attempt, err := a.Linking.Complete(v.Ctx(), v.Request.PathValue("provider"), browser, linking.Callback{
		State: finance.Secret(query.Get("state")), Code: finance.Secret(query.Get("code")),
		Error: query.Get("error"), ErrorDescription: query.Get("error_description"),
	})
	switch {
	case errors.Is(err, linking.ErrAttempt):
		return strayCallback(v, err)
	case err != nil && attempt.ID == "":
		return err
	}
	v.SeeOther(paths.LinkAttempt(attempt.ID))
	return nil
}

// strayCallback answers a callback that fits no pending link of this browser. Nothing was asked of the service.
func strayCallback(v *shell.Visitor, cause error) error {
	return &shell.Problem{
		Status: http.StatusBadRequest, Title: v.Say("This return from a bank is not valid"), Cause: cause,
		What:   v.Say("You can return from a bank only once, within a short time, and in the browser in which you started. This return was used before, is too old, or started elsewhere. Nothing was changed."),
		Todo:   v.Say("Look at your accounts and payments: it may be done already. Florin follows a payment in any case. If a bank is not linked, start again in one browser and finish within 15 minutes."),
		Action: ui.Link{Text: v.Say("Go to your accounts"), Href: paths.Accounts},
	}
}

// attempt is the page of a link: while it is open it leads to the bank, afterwards it shows the result.
func (a *Area) attempt(v *shell.Visitor) error {
	attempt, err := a.Linking.Attempt(v.Ctx(), v.User.ID, v.Request.PathValue("attempt"))
	if err != nil {
		return err
	}
	provider, err := a.Store.Provider(v.Ctx(), attempt.ProviderID)
	if err != nil {
		return err
	}
	bank := show.Bank(provider.ID, attempt.ASPSP, provider.Simulated())
	now := time.Now()
	switch {
	case attempt.Status == finance.AttemptDone && attempt.ConnectionID != "":
		return a.linked(v, attempt, bank)
	case attempt.Status == finance.AttemptFailed:
		return a.linkStopped(v, attempt, bank)
	case attempt.Status == finance.AttemptOpen && now.Before(attempt.Expires):
		return a.leaving(v, attempt, bank)
	case attempt.Status == finance.AttemptUsed && now.Before(attempt.Expires):
		return &shell.Problem{Status: http.StatusConflict, Title: v.Say("%s has not answered yet", bank.Name),
			What:   v.Say("You approved the access. Florin waits for the list of accounts for up to a minute. You can leave this page."),
			Todo:   v.Say("Load this page again in a few seconds. If the bank does not answer at all, you can start again here."),
			Action: ui.Link{Text: v.Say("Load the page again"), Href: paths.LinkAttempt(attempt.ID)}}
	}
	attempt.Failure.Code = finance.FailureTooOld
	return a.linkStopped(v, attempt, bank)
}

func (a *Area) leaving(v *shell.Visitor, attempt finance.LinkAttempt, bank pages.Bank) error {
	href, host, ok := shell.LeadsTo(attempt.URL, bank.Simulated)
	if !ok {
		attempt.Failure.Code = finance.FailureInternal
		a.Log.ErrorContext(v.Ctx(), "the service sent no web address to go to", "attempt", attempt.ID)
		return a.linkStopped(v, attempt, bank)
	}
	view := pages.LeavingView{Frame: a.Frame(v), Bank: bank, Href: href, Host: host, Cancel: paths.Link}
	if attempt.Renews != "" {
		view.Cancel = paths.Connection(attempt.Renews)
	}
	view.Frame.Simulated = bank.Simulated
	return v.Page(http.StatusOK, pages.Leaving(view))
}

func (a *Area) linkStopped(v *shell.Visitor, attempt finance.LinkAttempt, bank pages.Bank) error {
	view := pages.LinkStoppedView{
		Frame: a.Frame(v), Bank: bank, Failure: pages.Explain(words.In(v.Ctx()), attempt.Failure, bank.Name),
		Cancelled: attempt.Failure.Code == finance.FailureDenied,
		Again:     bankAgainPath(attempt),
	}
	view.Frame.Simulated = bank.Simulated
	if attempt.Renews != "" {
		old, err := a.Connections.Load(v, attempt.Renews)
		if err != nil {
			return err
		}
		view.Unchanged = v.Say("Nothing was renewed.") + " " + standing(old.Sync)
	}
	return v.Page(http.StatusOK, pages.LinkStopped(view))
}

// standing says how the consent of a connection stands that was not renewed.
func standing(s connections.Sync) string {
	if !s.Active() {
		return s.Ended()
	}
	return s.Clock.Say("Your old consent still works. It ends %s.", s.Clock.When(s.Connection.ValidUntil))
}

func (a *Area) linked(v *shell.Visitor, attempt finance.LinkAttempt, bank pages.Bank) error {
	h, err := a.Connections.Holdings(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	c, err := h.Find(a.At(v.Ctx(), time.Now()), attempt.ConnectionID)
	if err != nil {
		return err
	}
	view := pages.LinkedView{
		Frame: a.Frame(v), Bank: bank, ConnectionID: c.ID, Until: c.Sync.Clock.Until(c.ValidUntil), Summary: linkSummary(c.Sync.Clock, attempt.Accounts),
		Progress: c.Sync.Progress(connections.ProgressID, c.Accounts), Outcome: c.Sync.Outcome(c.Accounts), Renewed: attempt.Renewed,
	}
	if attempt.Renews != "" && attempt.Renews != attempt.ConnectionID {
		if view.NotRenewed, err = a.notRenewed(v, attempt); err != nil {
			return err
		}
	}
	if c.ValidUntil.Before(attempt.ValidUntil.Add(-time.Hour)) {
		view.Shorter = v.Say("Florin asked for access until %s. The bank gave less.", c.Sync.Clock.LongDate(attempt.ValidUntil))
	}
	view.Accounts = linkedAccounts(c.Sync.Clock, attempt.Accounts, h.Balances)
	view.Frame.Simulated, view.Frame.Busy = bank.Simulated, c.Sync.Busy
	if c.Sync.Busy {
		view.Frame.Live = connections.Live(connections.ViewProgress, c.ID, true, 0)
	}
	return v.Page(http.StatusOK, pages.Linked(view))
}

// notRenewed says that the connection was not renewed for which the person went to the bank, and what was done instead.
func (a *Area) notRenewed(v *shell.Visitor, attempt finance.LinkAttempt) (*ui.Notice, error) {
	old, err := a.Connections.Load(v, attempt.Renews)
	if err != nil {
		return nil, err
	}
	done := v.Say("The bank gave access to none of the accounts of the connection that you wanted to renew. You signed in with another login there, or chose other accounts. Florin has made a new connection.")
	if attempt.Renewed {
		done = v.Say("The accounts to which the bank gave access belong to another connection of yours. Florin has renewed that one instead.")
	}
	return &ui.Notice{Tone: ui.Warning, Title: v.Say("The connection that you wanted to renew is not renewed"), Text: done + " " + standing(old.Sync),
		Action: ui.Link{Text: v.Say("Renew it with its own login"), Href: show.AgainPath(old.Connection)}}, nil
}

// bankAgainPath leads to the bank of an attempt, with what was chosen there.
func bankAgainPath(attempt finance.LinkAttempt) string {
	again := attempt.Renews
	if attempt.Another {
		again = show.AnotherLogin
	}
	path := show.BankPath(attempt.ProviderID, attempt.ASPSP, attempt.PSUType, again)
	if attempt.TypedUntil != "" {
		path += "&" + url.Values{show.FieldUntil: {attempt.TypedUntil}}.Encode()
	}
	return path
}

// linkedAccounts are the accounts that a link brought: pockets of one are one row with a row for each.
func linkedAccounts(c show.Clock, accounts []finance.LinkedAccount, balances map[string][]finance.Balance) (rows []pages.LinkedAccount) {
	for _, pockets := range finance.Wallets(accounts, func(l finance.LinkedAccount) finance.Account { return l.Account }) {
		if len(pockets) == 1 {
			rows = append(rows, linkedAccount(c, pockets[0], balances[pockets[0].Account.ID]))
			continue
		}
		var of []finance.Account
		for _, l := range pockets {
			of = append(of, l.Account)
		}
		wallet := pages.LinkedAccount{Detail: c.Detail(of[0])}
		wallet.Name, _ = c.Wallet(of)
		for _, l := range pockets {
			row := linkedAccount(c, l, balances[l.Account.ID])
			row.Name, row.Detail = c.Pocket(l.Account, wallet.Name), ""
			wallet.Pockets = append(wallet.Pockets, row)
		}
		rows = append(rows, wallet)
	}
	return rows
}

// linkedAccount is an account that a link brought, with its balance as soon as there is one.
func linkedAccount(c show.Clock, l finance.LinkedAccount, balances []finance.Balance) pages.LinkedAccount {
	row := pages.LinkedAccount{
		Name: c.AccountName(l.Account), Detail: c.DetailIn(l.Account), Currency: l.Account.Currency,
		Href: paths.Account(l.Account.ID),
	}
	if main := finance.ChooseBalances(l.Account, balances).Main; main != nil {
		figure := pages.Figure(main.Amount)
		row.Balance = &figure
	}
	switch l.Outcome {
	case finance.OutcomeNew:
		row.State = ui.Badge{Tone: ui.Good, Text: c.Say("New#account")}
	case finance.OutcomeRecognised:
		row.State, row.Note = ui.Badge{Tone: ui.Info, Text: c.Say("Recognised")}, c.Say("Its history continues where it stopped.")
		if after, until, gap := l.Gap(); gap {
			row.Note = c.Say("The bank gives its transactions only from %s on. Those between %s and then are missing. You can import them from a file of the bank.",
				c.FullDay(until), c.FullDay(after))
		} else if l.Read && !l.ReadUntil.IsZero() {
			row.Note = c.Say("Its history continues without a gap. Florin had read it until %s.", c.LongDate(l.ReadUntil))
		}
	case finance.OutcomeShared:
		row.State, row.Note = ui.Badge{Tone: ui.Info, Text: c.Say("Recognised")}, c.Say("It is counted once. Your other connection to this bank keeps it up to date.")
	case finance.OutcomeNotAccessible:
		row.State = ui.Badge{Tone: ui.Warning, Text: c.Say("No access")}
		row.Note = c.Say("The bank lists this account but gives no data for it, for example because it is blocked or closed.")
	case finance.OutcomeLeftOut:
		row.State, row.Note = ui.Badge{Text: c.Say("Not shared")}, c.Say("You did not share it this time. Its history stays, but it is no longer updated.")
	}
	return row
}

// linkSummary counts what a link brought: "3 new accounts, 1 recognised".
func linkSummary(c show.Clock, accounts []finance.LinkedAccount) string {
	number := map[finance.LinkOutcome]int{}
	for _, l := range accounts {
		if l.Outcome == finance.OutcomeShared {
			l.Outcome = finance.OutcomeRecognised
		}
		number[l.Outcome]++
	}
	var parts []string
	for _, part := range []struct {
		outcome finance.LinkOutcome
		text    words.Text
	}{
		{finance.OutcomeNew, "%d new accounts"}, {finance.OutcomeRecognised, "%d recognised"}, {finance.OutcomeNotAccessible, "%d without access"},
		{finance.OutcomeLeftOut, "%d not shared"},
	} {
		if n := number[part.outcome]; n > 0 {
			parts = append(parts, c.Say(part.text, n))
		}
	}
	return cmp.Or(strings.Join(parts, ", "), c.Say("No accounts"))
}
