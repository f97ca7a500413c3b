package accounts

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"time"

	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/live"
	"florin/internal/middleware"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// everybody is the name of the field for all people together; that of one person is the person's id.
const everybody = "everybody"

// levels are the names of how much is shared.
var levels = map[finance.ShareLevel]words.Text{finance.ShareNothing: "Nothing", finance.ShareBalances: "Balances only", finance.ShareEverything: "Balances and all transactions"}

// shareLink says with how many an account is shared, and leads to the form; it has no address where there is nobody to share with.
func (a *Area) shareLink(v *shell.Visitor, account finance.Account) (ui.Link, error) {
	with, err := a.Store.Shares(v.Ctx(), v.User.ID, account.ID)
	link := ui.Link{Text: v.Say("Share this account"), Href: paths.AccountShare(account.ID)}
	switch {
	case len(with) > 0 && with[0].ReaderID == "":
		link.Text = v.Say("Shared with everybody here")
	case len(with) > 0:
		link.Text = v.Say("Shared with %d people", len(with))
	}
	return link, err
}

// sharing is the form that says with whom the visitor shares an account.
func (a *Area) sharing(v *shell.Visitor) error {
	account, err := a.Store.Account(v.Ctx(), v.User.ID, v.Request.PathValue("account"))
	if err != nil {
		return err
	}
	with, err := a.Store.Shares(v.Ctx(), v.User.ID, account.ID)
	if err != nil {
		return err
	}
	present := map[string]finance.ShareLevel{}
	for _, share := range with {
		present[cmp.Or(share.ReaderID, everybody)] = share.Level
	}
	view := pages.ShareView{AccountID: account.ID, AccountName: a.At(v.Ctx(), time.Now()).AccountName(account)}
	choice := func(name, label string) pages.ShareChoice {
		c := pages.ShareChoice{Name: name, Label: label}
		for _, level := range finance.ShareLevels {
			c.Levels = append(c.Levels, ui.Option{Value: string(level), Text: v.Say(levels[level]), Selected: level == present[name]})
		}
		return c
	}
	people, err := a.Store.Users(v.Ctx())
	if err != nil {
		return err
	}
	joint, err := a.Store.AlsoLinkedBy(v.Ctx(), v.User.ID, account.ID)
	if err != nil {
		return err
	}
	for _, u := range joint {
		view.Joint = append(view.Joint, u.Email)
	}
	view.Everybody = choice(everybody, v.Say("Everybody here, including those who join later"))
	for _, u := range people {
		if u.ID != v.User.ID {
			view.People = append(view.People, choice(u.ID, u.Email))
		}
	}
	view.Frame = a.Frame(v)
	return v.Page(http.StatusOK, pages.Share(view))
}

// share stores with whom the visitor shares an account. It holds at once: the open pages of those who see more or less now load themselves again.
func (a *Area) share(v *shell.Visitor) error {
	account, err := a.Store.Account(v.Ctx(), v.User.ID, v.Request.PathValue("account"))
	if err != nil {
		return err
	}
	people, err := a.Store.Users(v.Ctx())
	if err != nil {
		return err
	}
	names := []string{everybody}
	for _, u := range people {
		names = append(names, u.ID)
	}
	var with []finance.Share
	for _, name := range names {
		level := finance.ShareLevel(v.Field(name))
		if !slices.Contains(finance.ShareLevels, level) {
			return &shell.Problem{Status: http.StatusUnprocessableEntity, What: v.Say("Florin does not know this choice."), Todo: v.Say("Choose one from the list.")}
		}
		share := finance.Share{Level: level}
		if name != everybody {
			share.ReaderID = name
		}
		with = append(with, share)
	}
	concerned, err := a.Store.Share(v.Ctx(), v.User.ID, account.ID, with)
	if err != nil {
		return err
	}
	for _, id := range concerned {
		a.Hub.Publish(id, live.Event{Topic: shell.TopicShares, ID: account.ID})
	}
	a.Log.InfoContext(v.Ctx(), "shares of an account changed", "user", v.User.ID, "readers", len(concerned), "request_id", middleware.RequestIDFrom(v.Ctx()))
	a.Flash(v, ui.Good, v.Say("Your choice is saved, and applies at once."))
	v.SeeOther(paths.Account(account.ID))
	return nil
}

// sharedPage is the page of an account of somebody else: its balances, and its transactions where they are shared.
func (a *Area) sharedPage(v *shell.Visitor) error {
	shared, err := a.Store.SharedAccount(v.Ctx(), v.User.ID, v.Request.PathValue("account"))
	if err != nil {
		return err
	}
	c := a.At(v.Ctx(), time.Now())
	view := pages.AccountView{Frame: a.Frame(v), ID: shared.ID, Name: c.AccountName(shared.Account), Bank: show.BankOf(shared.Connection),
		Subtitle: c.Detail(shared.Account),
		SharedBy: shared.Owner.Email}
	if !shared.Linked() {
		view.Bank = pages.Bank{Name: shared.Institution}
	}
	view.Frame.Simulated = shared.Connection.Simulated || shared.Account.Simulated
	view.Frame.Live = shell.LivePath(liveShared, url.Values{"account": {shared.ID}, "level": {string(shared.Level)}})
	fillBalances(c, &view, shared.Account, shared.Balances)
	view.Counts = nil // the owner chooses
	if !shared.Linked() {
		view.Balances, view.HeroName, view.Stale, view.AsOf = nil, c.Say("Balance"), "", ui.Time{}
	}
	if shared.Level == finance.ShareEverything {
		view.Facts = accountFacts(c, shared.Account)
		if view.News, err = a.sharedNewsStrip(v, c, shared.ID); err != nil {
			return err
		}
		if view.List, err = a.Transactions.SharedList(v, c, shared); err != nil {
			return err
		}
	} else {
		view.BalancesAlone = true
	}
	return v.Page(http.StatusOK, pages.SharedAccount(view))
}

// liveShared is the view of an account of somebody else.
const liveShared = "shared"

// sharedView follows whether the account is still shared as the page shows it.
type sharedView struct {
	app             *Area
	userID, account string
	level           finance.ShareLevel // that the page shows
}

func (a *Area) openSharedView(v *shell.Visitor, query url.Values) (shell.View, error) {
	return &sharedView{a, v.User.ID, query.Get("account"), finance.ShareLevel(query.Get("level"))}, nil
}

// Render loads the page again when the level of sharing has changed. When nothing is shared any more, the page is then not found.
func (s *sharedView) Render(ctx context.Context, e live.Event) (string, []byte, error) {
	if e.Topic != shell.TopicOpened && e.Topic != shell.TopicShares {
		return "", nil, nil
	}
	shared, err := s.app.Store.SharedAccount(ctx, s.userID, s.account)
	if err != nil && !errors.Is(err, finance.ErrNotFound) || err == nil && shared.Level == s.level {
		return "", nil, err
	}
	return shell.EventReload, nil, nil
}
