package connections

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/live"
	"florin/internal/openbanking"
	"florin/internal/store"
	"florin/internal/syncer"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

// holdings is what somebody has linked.
type holdings struct{ store.Holdings }

// Holdings returns what the user has linked. Callers change nothing in it.
func (a *Area) Holdings(ctx context.Context, userID string) (holdings, error) {
	h, err := a.Store.Holdings(ctx, userID)
	return holdings{h}, err
}

// Connected is a connection of the visitor with what belongs to it.
type Connected struct {
	finance.Connection
	Accounts []finance.Account
	Shared   []finance.Account // kept up to date by other connections
	Sync     Sync
}

// Connected is one of the connections with what belongs to it.
func (h holdings) Connected(c show.Clock, connection finance.Connection) Connected {
	return Connected{connection, show.OfConnection(h.Accounts, connection.ID), show.SharedBy(connection.ID, h.Accounts, h.Shared), NewSync(c, connection, h.Tasks)}
}

// Find returns the connection that the id names, else finance.ErrNotFound.
func (h holdings) Find(c show.Clock, id string) (Connected, error) {
	i := slices.IndexFunc(h.Connections, func(c finance.Connection) bool { return c.ID == id })
	if i < 0 {
		return Connected{}, finance.ErrNotFound
	}
	return h.Connected(c, h.Connections[i]), nil
}

// Load returns the connection of the visitor that the id names, else finance.ErrNotFound.
func (a *Area) Load(v *shell.Visit, id string) (Connected, error) {
	h, err := a.Holdings(v.Ctx(), v.User.ID)
	if err != nil {
		return Connected{}, err
	}
	return h.Find(a.At(v.Ctx(), time.Now()), id)
}

func (a *Area) connection(v *shell.Visit) error {
	c, err := a.Load(v, v.Request.PathValue("connection"))
	if err != nil {
		return err
	}
	view := pages.ConnectionView{
		Frame: a.Frame(v), ID: c.ID, Bank: show.BankOf(c.Connection), Consent: c.Sync.Consent(), Facts: connectionFacts(c), Failure: c.Sync.failure(),
		Ended: !c.Sync.Active(), Again: show.AgainPath(c.Connection), Sync: syncView(c),
	}
	view.Frame.Simulated, view.Frame.Busy = c.Simulated, c.Sync.Busy
	view.Frame.Live = Live(liveConnection, c.ID, c.Sync.Busy)
	return v.Page(http.StatusOK, pages.Connection(view))
}

// syncView is the part of the connection's page that changes during a sync.
func syncView(c Connected) pages.ConnectionSyncView {
	view := pages.ConnectionSyncView{
		ID: c.ID, State: c.Sync.Badge(), Note: c.Sync.Note(), Progress: c.Sync.Progress(ProgressID, c.Accounts),
		RefreshBlocked: c.Sync.blocked(), Hidden: !c.Sync.Active(),
	}
	for _, account := range c.Accounts {
		view.Accounts = append(view.Accounts, pages.AccountSync{
			ID: account.ID, Name: account.Title(), Detail: show.Detail(account) + ", " + account.Currency, Scopes: c.Sync.scopes(account.ID),
		})
	}
	return view
}

func connectionFacts(c Connected) []ui.Fact {
	clock := c.Sync.Clock
	status, code := "Connected", openbanking.SessionStatusAuthorized
	switch c.Sync.State {
	case finance.ConnectionActive:
	case finance.ConnectionExpired:
		status, code = "The consent has ended", openbanking.SessionStatusExpired
	case finance.ConnectionRevoked:
		status, code = "The consent was withdrawn", openbanking.SessionStatusRevoked
	case finance.ConnectionClosed:
		status, code = "Closed at the service", openbanking.SessionStatusClosed
	case finance.ConnectionDisconnected:
		status, code = "Disconnected "+clock.When(c.Ended), openbanking.SessionStatusClosed
	}
	days := int(c.ValidUntil.Sub(c.Authorized).Round(24*time.Hour) / (24 * time.Hour))
	facts := []ui.Fact{
		{Name: "Status", Value: status, Code: string(code)},
		{Name: "You gave access until", Value: clock.Until(c.ValidUntil).Text, Note: show.Plural(days, "day") + ", from " + clock.Until(c.Authorized).Text},
		{Name: "Kind", Value: show.PsuTypeWords(c.PSUType)},
		{Name: "Linked on", Value: clock.Full(c.Created)},
		{Name: "Through", Value: c.ProviderName},
	}
	if also := Titles(c.Shared); also != "" {
		facts = append(facts, ui.Fact{Name: "Also reaches", Value: also, Note: "Kept up to date by your other connection, and counted once"})
	}
	if oldest := oldestHistory(c.Accounts); oldest != "" {
		facts = append(facts, ui.Fact{Name: "History reaches back to", Value: clock.Day(oldest).Text})
	}
	return facts
}

func oldestHistory(accounts []finance.Account) openbanking.Date {
	var oldest openbanking.Date
	for _, account := range accounts {
		if d := account.HistoryFrom; d != "" && (oldest == "" || d < oldest) {
			oldest = d
		}
	}
	return oldest
}

// refresh asks for a sync now. Where there is nothing to fetch, the syncer looks whether the consent is still good.
func (a *Area) refresh(v *shell.Visit) error {
	c, err := a.Load(v, v.Request.PathValue("connection"))
	if err != nil {
		return err
	}
	if c.Sync.Active() && c.Sync.blocked() == "" {
		due, err := a.Syncer.Refresh(v.Ctx(), v.User.ID, c.ID)
		if err != nil {
			return err
		}
		if due == 0 {
			if c, err = a.Load(v, c.ID); err != nil {
				return err
			}
		}
	}
	if !c.Sync.Active() {
		a.Tell(v, ui.Warning, "The connection has ended: link the bank again.")
	} else if words := cmp.Or(c.Sync.blocked(), c.Sync.nothing()); words != "" {
		a.Tell(v, ui.Info, words)
	}
	v.SeeOther(paths.Connection(c.ID))
	return nil
}

// disconnectPage asks before a connection ends: its history stays, which the page says.
func (a *Area) disconnectPage(v *shell.Visit) error {
	h, err := a.Holdings(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	c, err := h.Find(a.At(v.Ctx(), time.Now()), v.Request.PathValue("connection"))
	if err != nil {
		return err
	}
	if c.Status == finance.ConnectionDisconnected {
		v.SeeOther(paths.Connection(c.ID))
		return nil
	}
	view := pages.DisconnectView{Frame: a.Frame(v), ID: c.ID, Bank: show.BankOf(c.Connection)}
	view.Frame.Simulated = c.Simulated
	goesOn := func(account finance.Account) bool {
		return slices.ContainsFunc(h.Connections, func(other finance.Connection) bool {
			return other.State(c.Sync.Clock.Now) == finance.ConnectionActive && slices.Contains(h.Shared, finance.SharedAccess{AccountID: account.ID, ConnectionID: other.ID})
		})
	}
	var rows int64
	for _, account := range c.Accounts {
		rows += account.Transactions
		if goesOn(account) {
			view.GoOn = append(view.GoOn, account.Title())
		} else {
			view.Accounts = append(view.Accounts, account.Title())
		}
	}
	view.Kept = show.Plural(len(c.Accounts), "account") + " and " + show.Plural(rows, "transaction")
	return v.Page(http.StatusOK, pages.Disconnect(view))
}

func (a *Area) disconnect(v *shell.Visit) error {
	id := v.Request.PathValue("connection")
	c, err := a.Store.Connection(v.Ctx(), v.User.ID, id)
	if err != nil {
		return err
	}
	done, err := a.Linking.Disconnect(v.Ctx(), v.User.ID, id)
	if err != nil {
		return err
	}
	a.Hub.Publish(v.User.ID, live.Event{Topic: syncer.Topic, ID: id})
	if done.AtBank {
		a.Tell(v, ui.Good, show.BankName(c.ASPSP.Name)+" is disconnected. The consent has ended, and the history stays.")
	} else {
		a.Tell(v, ui.Warning, show.BankName(c.ASPSP.Name)+" is disconnected here, and the history stays. The service did not confirm the end of the consent: it may go on there until its date, unused.")
	}
	v.SeeOther(paths.Connection(id))
	return nil
}

// Titles lists the names of accounts in a line.
func Titles(accounts []finance.Account) string {
	var names []string
	for _, account := range accounts {
		names = append(names, account.Title())
	}
	return strings.Join(names, ", ")
}
