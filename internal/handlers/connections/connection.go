package connections

import (
	"cmp"
	"context"
	"net/http"
	"slices"
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
	"florin/web/templates/words"
)

// Holdings is what somebody has linked.
type Holdings struct {
	store.Holdings
	Unbooked []finance.Unbooked
}

// Holdings returns what the user has linked. Callers change nothing in it.
func (a *Area) Holdings(ctx context.Context, userID string) (Holdings, error) {
	unbooked, err := a.Store.Unbooked(ctx, userID)
	if err != nil {
		return Holdings{}, err
	}
	h, err := a.Store.Holdings(ctx, userID)
	return Holdings{h, unbooked}, err
}

// Connected is a connection of the visitor with what belongs to it.
type Connected struct {
	finance.Connection
	Accounts []finance.Account
	Shared   []finance.Account // kept up to date by other connections
	Sync     Sync
}

// Connected is one of the connections with what belongs to it.
func (h Holdings) Connected(c show.Clock, connection finance.Connection) Connected {
	return Connected{connection, show.OfConnection(h.Accounts, connection.ID), show.SharedBy(connection.ID, h.Accounts, h.Shared), NewSync(c, connection, h.Tasks).Lack(h.Unbooked)}
}

// Find returns the connection that the id names, else finance.ErrNotFound.
func (h Holdings) Find(c show.Clock, id string) (Connected, error) {
	i := slices.IndexFunc(h.Connections, func(c finance.Connection) bool { return c.ID == id })
	if i < 0 {
		return Connected{}, finance.ErrNotFound
	}
	return h.Connected(c, h.Connections[i]), nil
}

// Load returns the connection of the visitor that the id names, else finance.ErrNotFound.
func (a *Area) Load(v *shell.Visitor, id string) (Connected, error) {
	h, err := a.Holdings(v.Ctx(), v.User.ID)
	if err != nil {
		return Connected{}, err
	}
	return h.Find(a.At(v.Ctx(), time.Now()), id)
}

// Attended reports whether a bank will know, by a request of the visitor, that the person is there.
func Attended(v *shell.Visitor, c finance.Connection) bool {
	return syncer.Attend(c, v.Present()) != nil
}

// Arrive is for a page with figures of a connection, which the visitor opens: what is stale is read again, soon, and the state that it returns says so.
func (a *Area) Arrive(v *shell.Visitor, s Sync) Sync {
	is := s.Await(Attended(v, s.Connection), a.Syncer.StaleAfter)
	if is.Busy && !s.Busy {
		a.Syncer.Arrive(v.User.ID, s.Connection.ID, v.Present())
	}
	return is
}

func (a *Area) connection(v *shell.Visitor) error {
	c, err := a.Load(v, v.Request.PathValue("connection"))
	if err != nil {
		return err
	}
	c.Sync = a.Arrive(v, c.Sync)
	view := pages.ConnectionView{
		Frame: a.Frame(v), ID: c.ID, Bank: show.BankOf(c.Connection), Consent: c.Sync.Consent(), Facts: connectionFacts(c), Notice: c.Sync.ConsentNotice(),
		Ended: !c.Sync.Active(), Sync: syncView(c),
	}
	view.Frame.Simulated, view.Frame.Busy = c.Simulated, c.Sync.Busy
	view.Frame.Live = Live(liveConnection, c.ID, c.Sync.Busy, 0)
	return v.Page(http.StatusOK, pages.Connection(view))
}

// syncView is the part of the connection's page that changes during a sync.
func syncView(c Connected) pages.ConnectionSyncView {
	view := pages.ConnectionSyncView{
		ID: c.ID, State: c.Sync.Badge(), Note: c.Sync.Note(), Progress: c.Sync.Progress(ProgressID, c.Accounts),
		RefreshBlocked: c.Sync.blocked(), Hidden: !c.Sync.Active(),
	}
	clock := c.Sync.Clock
	for _, account := range c.Accounts {
		view.Accounts = append(view.Accounts, pages.AccountSync{ID: account.ID, Name: clock.AccountName(account), Detail: clock.DetailIn(account),
			Scopes: c.Sync.scopes(account.ID), Reads: c.Sync.reads(account.ID)})
	}
	return view
}

func connectionFacts(c Connected) []ui.Fact {
	clock := c.Sync.Clock
	status, code := clock.Say("Connected"), openbanking.SessionStatusAuthorized
	switch c.Sync.State {
	case finance.ConnectionActive:
	case finance.ConnectionExpired:
		status, code = clock.Say("The consent has ended"), openbanking.SessionStatusExpired
	case finance.ConnectionRevoked:
		status, code = clock.Say("The consent was withdrawn"), openbanking.SessionStatusRevoked
	case finance.ConnectionClosed:
		status, code = clock.Say("The service ended the consent"), openbanking.SessionStatusClosed
	case finance.ConnectionDisconnected:
		status, code = clock.Say("Disconnected"), openbanking.SessionStatusClosed
	}
	days := int(c.ValidUntil.Sub(c.Authorized).Round(24*time.Hour) / (24 * time.Hour))
	facts := []ui.Fact{
		{Name: clock.Say("Status"), Value: status, Code: string(code)},
	}
	if at, known := c.End(clock.Now); !at.IsZero() {
		ended := ui.Fact{Name: clock.Say("Access ended"), Value: clock.Full(at)}
		if !known {
			ended.Name, ended.Note = clock.Say("Florin noticed the end"), clock.Say("Neither the bank nor the service said when access ended.")
		}
		facts = append(facts, ended)
	}
	facts = append(facts, []ui.Fact{
		{Name: clock.Say("You gave access until"), Value: clock.Until(c.ValidUntil).Text, Note: clock.Say("%d days, from %s", days, clock.Until(c.Authorized).Text)},
		{Name: clock.Say("Kind of accounts"), Value: clock.Say(show.PSUType(c.PSUType))},
		{Name: clock.Say("First linked"), Value: clock.Full(c.Created)},
		{Name: clock.Say("Service"), Value: c.ProviderName},
	}...)
	if len(c.Shared) > 0 {
		facts = append(facts, ui.Fact{Name: clock.Say("Also gives access to"), Value: clock.List(clock.AccountNames(c.Shared)),
			Note: clock.Say("Your other connection keeps them up to date. They are counted once.")})
	}
	if oldest := oldestHistory(c.Accounts); oldest != "" {
		facts = append(facts, ui.Fact{Name: clock.Say("History goes back to"), Value: clock.Day(oldest).Text})
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

// refresh reads now what a connection brings. Where there is nothing to fetch, the syncer looks whether the consent is still good. The visitor goes back to the page
// of the account where it was asked for, else to that of the connection.
func (a *Area) refresh(v *shell.Visitor) error {
	c, err := a.Load(v, v.Request.PathValue("connection"))
	if err != nil {
		return err
	}
	if err := a.refreshOne(v, c); err != nil {
		return err
	}
	to := paths.Connection(c.ID)
	if account := v.Field("account"); slices.ContainsFunc(c.Accounts, func(own finance.Account) bool { return own.ID == account }) {
		to = paths.Account(account)
	}
	v.SeeOther(to)
	return nil
}

// refreshAll reads now what all connections of the visitor bring.
func (a *Area) refreshAll(v *shell.Visitor) error {
	h, err := a.Holdings(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	clock := a.At(v.Ctx(), time.Now())
	for _, connection := range h.Connections {
		if c := h.Connected(clock, connection); c.Sync.Active() && !c.Sync.Busy && len(c.Sync.tasks) > 0 {
			if err := a.refreshOne(v, c); err != nil {
				return err
			}
		}
	}
	v.SeeOther(paths.Accounts)
	return nil
}

// refreshOne reads now what a connection brings, and tells the visitor when that cannot help.
func (a *Area) refreshOne(v *shell.Visitor, c Connected) error {
	if c.Sync.Active() && !c.Sync.Busy {
		due, err := a.Syncer.Refresh(v.Ctx(), v.User.ID, c.ID, v.Present())
		if err != nil || due > 0 {
			return err
		}
		if c, err = a.Load(v, c.ID); err != nil {
			return err
		}
		c.Sync = c.Sync.Await(Attended(v, c.Connection), 0)
	}
	if !c.Sync.Active() {
		a.Tell(v, ui.Warning, v.Say("The connection has ended. Link the bank again."))
	} else if why := cmp.Or(c.Sync.blocked(), c.Sync.nothing()); why != "" {
		a.Tell(v, ui.Info, why)
	}
	return nil
}

// disconnectPage asks before a connection ends: its history stays, which the page says.
func (a *Area) disconnectPage(v *shell.Visitor) error {
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
			return other.State(c.Sync.Clock.Now) == finance.ConnectionActive &&
				slices.Contains(h.Shared, finance.SharedAccess{AccountID: account.ID, ConnectionID: other.ID})
		})
	}
	var rows int64
	for _, account := range c.Accounts {
		rows += account.Transactions
		if goesOn(account) {
			view.GoOn = append(view.GoOn, c.Sync.Clock.AccountName(account))
		} else {
			view.Accounts = append(view.Accounts, c.Sync.Clock.AccountName(account))
		}
	}
	view.Kept = v.Say("%s and %s", words.Msg("%d accounts", len(c.Accounts)), words.Msg("%d transactions", int(rows)))
	return v.Page(http.StatusOK, pages.Disconnect(view))
}

func (a *Area) disconnect(v *shell.Visitor) error {
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
		a.Tell(v, ui.Good, v.Say("%s is disconnected. The consent has ended. Your history stays in Florin.", show.BankName(c.ASPSP.Name)))
	} else {
		a.Tell(v, ui.Warning, v.Say("%s is disconnected in Florin, and your history stays. The service did not confirm that the consent has ended. It may go on until its date, but nobody uses it.", show.BankName(c.ASPSP.Name)))
	}
	v.SeeOther(paths.Connection(id))
	return nil
}
