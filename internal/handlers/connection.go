package handlers

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"florin/internal/finance"
	"florin/internal/live"
	"florin/internal/openbanking"
	"florin/internal/store"
	"florin/internal/syncer"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

// holdings is what somebody has linked and how its syncs stand, as it was at one moment: a connection and its tasks change together, and one
// read before the change beside the other read after it would show a state that never was.
type holdings struct {
	connections []finance.Connection
	accounts    []finance.Account
	tasks       []finance.SyncTask
	reaches     []finance.Reach
}

func (a *App) holdings(ctx context.Context, userID string) (h holdings, err error) {
	err = a.Store.Snapshot(ctx, func(r store.Reader) (err error) {
		if h.connections, err = r.Connections(ctx, userID); err != nil {
			return err
		}
		if h.accounts, err = r.Accounts(ctx, userID); err != nil {
			return err
		}
		if h.tasks, err = r.Tasks(ctx, userID, ""); err != nil {
			return err
		}
		h.reaches, err = r.Reaches(ctx, userID)
		return err
	})
	return h, err
}

// connected is a connection of the visitor with what belongs to it.
type connected struct {
	finance.Connection
	accounts []finance.Account
	reached  []finance.Account // kept by other connections
	sync     syncState
}

// connected is one of the connections with what belongs to it.
func (h holdings) connected(c clock, connection finance.Connection) connected {
	return connected{connection, ofConnection(h.accounts, connection.ID), reachedBy(connection.ID, h.accounts, h.reaches), newSyncState(c, connection, h.tasks)}
}

// find returns the connection that the id names, else finance.ErrNotFound.
func (h holdings) find(c clock, id string) (connected, error) {
	i := slices.IndexFunc(h.connections, func(c finance.Connection) bool { return c.ID == id })
	if i < 0 {
		return connected{}, finance.ErrNotFound
	}
	return h.connected(c, h.connections[i]), nil
}

// loadConnection returns the connection of the visitor that the id names, else finance.ErrNotFound.
func (a *App) loadConnection(v *visit, id string) (connected, error) {
	h, err := a.holdings(v.ctx(), v.user.ID)
	if err != nil {
		return connected{}, err
	}
	return h.find(a.at(time.Now()), id)
}

func (a *App) connection(v *visit) error {
	c, err := a.loadConnection(v, v.r.PathValue("connection"))
	if err != nil {
		return err
	}
	view := pages.ConnectionView{
		Frame: a.frame(v), ID: c.ID, Bank: bankOf(c.Connection), Consent: c.sync.consent(), Facts: connectionFacts(c), Failure: c.sync.failure(),
		Ended: !c.sync.active(), Again: againPath(c.Connection), Sync: syncView(c),
	}
	view.Frame.Simulated, view.Frame.Busy = c.Simulated, c.sync.busy
	view.Frame.Live = connectionLive(liveConnection, c.ID, c.sync.busy)
	return v.page(http.StatusOK, pages.Connection(view))
}

// syncView is the part of the connection's page that changes during a sync.
func syncView(c connected) pages.ConnectionSyncView {
	view := pages.ConnectionSyncView{
		ID: c.ID, State: c.sync.badge(), Note: c.sync.note(), Progress: c.sync.progress(liveProgressID, c.accounts),
		RefreshBlocked: c.sync.blocked(), Hidden: !c.sync.active(),
	}
	for _, account := range c.accounts {
		view.Accounts = append(view.Accounts, pages.AccountSync{
			ID: account.ID, Name: account.Title(), Detail: detail(account) + ", " + account.Currency, Scopes: c.sync.scopes(account.ID),
		})
	}
	return view
}

func connectionFacts(c connected) []ui.Fact {
	clock := c.sync.clock
	status, code := "Connected", openbanking.SessionStatusAuthorized
	switch c.sync.state {
	case finance.ConnectionActive:
	case finance.ConnectionExpired:
		status, code = "The consent has ended", openbanking.SessionStatusExpired
	case finance.ConnectionRevoked:
		status, code = "The consent was withdrawn", openbanking.SessionStatusRevoked
	case finance.ConnectionClosed:
		status, code = "Closed at the service", openbanking.SessionStatusClosed
	case finance.ConnectionDisconnected:
		status, code = "Disconnected "+clock.when(c.Ended), openbanking.SessionStatusClosed
	}
	days := int(c.ValidUntil.Sub(c.Authorized).Round(24*time.Hour) / (24 * time.Hour))
	facts := []ui.Fact{
		{Name: "Status", Value: status, Code: string(code)},
		{Name: "You gave access until", Value: clock.until(c.ValidUntil).Text, Note: plural(days, "day") + ", from " + clock.until(c.Authorized).Text},
		{Name: "Kind", Value: psuTypeWords(c.PSUType)},
		{Name: "Linked on", Value: clock.full(c.Created)},
		{Name: "Through", Value: c.ProviderName},
	}
	if also := titles(c.reached); also != "" {
		facts = append(facts, ui.Fact{Name: "Also reaches", Value: also, Note: "Kept up to date by your other connection, and counted once"})
	}
	if oldest := oldestHistory(c.accounts); oldest != "" {
		facts = append(facts, ui.Fact{Name: "History reaches back to", Value: clock.day(oldest).Text})
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
func (a *App) refresh(v *visit) error {
	c, err := a.loadConnection(v, v.r.PathValue("connection"))
	if err != nil {
		return err
	}
	if c.sync.active() && c.sync.blocked() == "" {
		due, err := a.Syncer.Refresh(v.ctx(), v.user.ID, c.ID)
		if err != nil {
			return err
		}
		if due == 0 {
			if c, err = a.loadConnection(v, c.ID); err != nil {
				return err
			}
		}
	}
	if !c.sync.active() {
		a.tell(v, ui.Warning, "The connection has ended: link the bank again.")
	} else if words := cmp.Or(c.sync.blocked(), c.sync.nothing()); words != "" {
		a.tell(v, ui.Info, words)
	}
	v.seeOther(paths.Connection(c.ID))
	return nil
}

// disconnectPage asks before a connection ends: its history stays, which the page says (pain 25).
func (a *App) disconnectPage(v *visit) error {
	h, err := a.holdings(v.ctx(), v.user.ID)
	if err != nil {
		return err
	}
	c, err := h.find(a.at(time.Now()), v.r.PathValue("connection"))
	if err != nil {
		return err
	}
	if c.Status == finance.ConnectionDisconnected {
		v.seeOther(paths.Connection(c.ID))
		return nil
	}
	view := pages.DisconnectView{Frame: a.frame(v), ID: c.ID, Bank: bankOf(c.Connection)}
	view.Frame.Simulated = c.Simulated
	goesOn := func(account finance.Account) bool {
		return slices.ContainsFunc(h.connections, func(other finance.Connection) bool {
			return other.State(c.sync.clock.now) == finance.ConnectionActive && slices.Contains(h.reaches, finance.Reach{AccountID: account.ID, ConnectionID: other.ID})
		})
	}
	var rows int64
	for _, account := range c.accounts {
		rows += account.Transactions
		if goesOn(account) {
			view.GoOn = append(view.GoOn, account.Title())
		} else {
			view.Accounts = append(view.Accounts, account.Title())
		}
	}
	view.Kept = plural(len(c.accounts), "account") + " and " + plural(rows, "transaction")
	return v.page(http.StatusOK, pages.Disconnect(view))
}

func (a *App) disconnect(v *visit) error {
	id := v.r.PathValue("connection")
	c, err := a.Store.Connection(v.ctx(), v.user.ID, id)
	if err != nil {
		return err
	}
	done, err := a.Linking.Disconnect(v.ctx(), v.user.ID, id)
	if err != nil {
		return err
	}
	a.Hub.Publish(v.user.ID, live.Event{Topic: syncer.Topic, ID: id})
	if done.AtBank {
		a.tell(v, ui.Good, bankName(c.ASPSP.Name)+" is disconnected. The consent has ended, and the history stays.")
	} else {
		a.tell(v, ui.Warning, bankName(c.ASPSP.Name)+" is disconnected here, and the history stays. The service did not confirm the end of the consent: it may go on there until its date, unused.")
	}
	v.seeOther(paths.Connection(id))
	return nil
}

// titles lists the names of accounts in a line.
func titles(accounts []finance.Account) string {
	var names []string
	for _, account := range accounts {
		names = append(names, account.Title())
	}
	return strings.Join(names, ", ")
}

// againPath leads to renewing a connection.
func againPath(c finance.Connection) string { return bankPath(c.ProviderID, c.ASPSP, c.PSUType, c.ID) }

func connectionPath(c finance.Connection) string { return paths.Connection(c.ID) }

// bankPath is the page that confirms the choice of a bank; kind and again, a connection to renew or anotherLogin, may be "".
func bankPath(provider string, aspsp openbanking.ASPSP, kind openbanking.PSUType, again string) string {
	q := url.Values{fieldProvider: {provider}, fieldBank: {aspsp.Name}, fieldCountry: {aspsp.Country}}
	if kind != "" {
		q.Set(fieldKind, string(kind))
	}
	if again != "" {
		q.Set(fieldAgain, again)
	}
	return paths.LinkBank + "?" + q.Encode()
}

func psuTypeWords(t openbanking.PSUType) string {
	switch t {
	case openbanking.PSUTypePersonal:
		return "Personal"
	case openbanking.PSUTypeBusiness:
		return "Business"
	}
	return string(t)
}
