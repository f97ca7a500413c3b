package transactions

import (
	"errors"
	"slices"
	"strconv"

	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

// transferCard shows the other side of a transfer between two accounts of the user, or what may be the other side.
func (a *Area) transferCard(v *shell.Visitor, c show.Clock, t finance.TransactionRecord) (pages.TransferCard, error) {
	view := pages.TransferCard{Action: paths.TransactionTransfer(t.AccountID, strconv.FormatInt(t.ID, 10))}
	h, err := a.Store.Holdings(v.Ctx(), v.User.ID)
	if err != nil || len(h.Accounts) < 2 {
		return view, err
	}
	name := func(id string) string {
		i := slices.IndexFunc(h.Accounts, func(account finance.Account) bool { return account.ID == id })
		if i < 0 {
			return ""
		}
		return c.AccountName(h.Accounts[i])
	}
	transfer, other, err := a.Store.TransferOf(v.Ctx(), v.User.ID, t.ID)
	switch {
	case err == nil:
		view.Other = &ui.Link{Href: paths.Transaction(other.AccountID, strconv.FormatInt(other.ID, 10)),
			Text: c.Say("%s on %s, %s", c.Money(other.Amount), name(other.AccountID), c.Day(other.Date).Text)}
		from, to := t.AccountID, other.AccountID
		if transfer.InID == t.ID {
			from, to = to, from
		}
		switch transfer.State {
		case finance.TransferRefused:
			view.Is, view.OtherID = c.Say("You said that these two are not a transfer. Florin does not pair them again."), strconv.FormatInt(other.ID, 10)
		case finance.TransferByHand:
			view.Is = c.Say("It went from %s to %s, as you said. It counts as neither income nor spending.", name(from), name(to))
		default:
			view.Is = c.Say("It went from %s to %s. It counts as neither income nor spending.", name(from), name(to))
		}
		return view, nil
	case !errors.Is(err, finance.ErrNotFound):
		return view, err
	}
	offered, err := a.Store.TransferCandidates(v.Ctx(), v.User.ID, t.Transaction)
	for _, o := range offered {
		view.Offered = append(view.Offered, ui.Option{Value: strconv.FormatInt(o.ID, 10),
			Text: c.Say("%s on %s, %s: %s", c.Money(o.Amount), name(o.AccountID), c.Day(o.Date).Text, c.TransactionName(o.Title()))})
	}
	return view, err
}

// setTransfer records that two transactions are a transfer between accounts of the user, or that they are none.
func (a *Area) setTransfer(v *shell.Visitor) error {
	account, t, err := a.asked(v)
	if err != nil {
		return err
	}
	pair, done := finance.Transfer{State: finance.TransferByHand}, v.Say("These two are a transfer between your accounts now.")
	if v.Field("do") == "refuse" {
		if pair, _, err = a.Store.TransferOf(v.Ctx(), v.User.ID, t.ID); err != nil {
			return err
		}
		pair.State, done = finance.TransferRefused, v.Say("These two are no longer a transfer. Florin does not pair them again.")
	} else {
		other, err := strconv.ParseInt(v.Field("other"), 10, 64)
		if err != nil {
			return finance.ErrNotFound
		}
		pair.OutID, pair.InID = t.ID, other
		if t.Amount.Sign() > 0 {
			pair.OutID, pair.InID = other, t.ID
		}
	}
	if err := a.Store.SetTransfer(v.Ctx(), v.User.ID, pair); err != nil {
		return err
	}
	a.Flash(v, ui.Good, done)
	v.SeeOther(paths.Transaction(account.ID, strconv.FormatInt(t.ID, 10)))
	return nil
}
