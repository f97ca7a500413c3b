package connections

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"time"
	"unicode/utf8"

	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/linking"
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
	Stamp    uint64                  // of the store, before they were read
	News     map[string]finance.News // what is new, by account; only the first page reads it
}

// Holdings returns what the user has linked. Callers change nothing in it.
func (a *Area) Holdings(ctx context.Context, userID string) (Holdings, error) {
	stamp := a.Store.Stamp(ctx)
	unbooked, err := a.Store.Unbooked(ctx, userID)
	if err != nil {
		return Holdings{}, err
	}
	h, err := a.Store.Holdings(ctx, userID)
	return Holdings{Holdings: h, Unbooked: unbooked, Stamp: stamp}, err
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
	return Connected{connection, show.OfConnection(h.Accounts, connection.ID), show.SharedBy(connection.ID, h.Accounts, h.Shared),
		NewSync(c, connection, h.Tasks).Lack(h.Unbooked)}
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

// Arrive is called when the visitor opens a page with figures of a connection. It has stale figures read again in the background, and returns the state
// that says so.
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
	return a.connectionPage(v, http.StatusOK, c, ui.Input{Value: c.Nickname})
}

// connectionPage shows a connection. nickname is what is typed of its name, and what is wrong with it.
func (a *Area) connectionPage(v *shell.Visitor, status int, c Connected, nickname ui.Input) error {
	c.Sync = a.Arrive(v, c.Sync)
	nickname.Name, nickname.Label, nickname.Type, nickname.Autocomplete, nickname.MaxLength = "nickname", v.Say("Nickname"), "text", "off", linking.MaxNickname
	nickname.Hint = v.Say("Only you see it. It tells this connection from others at the bank: “Anna”, for example, or “Household”.")
	view := pages.ConnectionView{
		Frame: a.Frame(v), ID: c.ID, Bank: show.BankOf(c.Connection), Login: show.Login(c.Connection), Nickname: nickname, Consent: c.Sync.Consent(),
		Facts:  connectionFacts(c),
		Notice: c.Sync.ConsentNotice(), Ended: !c.Sync.Active(), Stop: c.Status != finance.ConnectionDisconnected, Sync: syncView(c),
	}
	view.Frame.Simulated, view.Frame.Busy = c.Simulated, c.Sync.Busy
	view.Frame.Live = Live(liveConnection, c.ID, c.Sync.Busy, 0)
	return v.Page(status, pages.Connection(view))
}

// nickname names a connection. What was typed stays in the form when it is refused.
func (a *Area) nickname(v *shell.Visitor) error {
	c, err := a.Load(v, v.Request.PathValue("connection"))
	if err != nil {
		return err
	}
	typed := v.Field("nickname")
	name := finance.Clean(typed)
	if n := utf8.RuneCountInString(name); n > linking.MaxNickname {
		return a.connectionPage(v, http.StatusUnprocessableEntity, c,
			ui.Input{Value: typed, Problem: v.Say("A nickname may have %d characters at most. This one has %d.", linking.MaxNickname, n)})
	}
	if err := a.Store.NameConnection(v.Ctx(), v.User.ID, c.ID, name); err != nil {
		return err
	}
	if name == "" {
		a.Flash(v, ui.Good, v.Say("The connection has no nickname any more."))
	} else {
		a.Flash(v, ui.Good, v.Say("The nickname is saved."))
	}
	v.SeeOther(paths.Connection(c.ID))
	return nil
}

// syncView is the part of the connection's page that changes during a sync.
func syncView(c Connected) pages.ConnectionSyncView {
	view := pages.ConnectionSyncView{
		ID: c.ID, State: c.Sync.Badge(), Note: c.Sync.Note(), Progress: c.Sync.Progress(ProgressID, c.Accounts),
		RefreshBlocked: c.Sync.blocked(), Hidden: !c.Sync.Active(),
	}
	clock := c.Sync.Clock
	for _, pockets := range finance.Wallets(c.Accounts, func(a finance.Account) finance.Account { return a }) {
		if len(pockets) == 1 {
			view.Accounts = append(view.Accounts, accountSync(c.Sync, pockets[0]))
			continue
		}
		wallet := pages.AccountSync{Detail: clock.Detail(pockets[0])}
		wallet.Name, _ = clock.Wallet(pockets)
		for _, account := range pockets {
			pocket := accountSync(c.Sync, account)
			pocket.Name, pocket.Detail = clock.Pocket(account, wallet.Name), ""
			wallet.Pockets = append(wallet.Pockets, pocket)
		}
		view.Accounts = append(view.Accounts, wallet)
	}
	return view
}

func accountSync(s Sync, account finance.Account) pages.AccountSync {
	return pages.AccountSync{ID: account.ID, Name: s.Clock.AccountName(account), Detail: s.Clock.DetailIn(account), Scopes: s.scopes(account.ID),
		Reads: s.reads(account.ID)}
}

func connectionFacts(c Connected) []ui.Fact {
	clock := c.Sync.Clock
	status, code, note := clock.Say("Connected"), openbanking.SessionStatusAuthorized, ""
	switch c.Sync.State {
	case finance.ConnectionActive:
	case finance.ConnectionExpired:
		status, code = clock.Say("The consent has ended"), openbanking.SessionStatusExpired
	case finance.ConnectionRevoked:
		status, code = clock.Say("The consent was withdrawn"), openbanking.SessionStatusRevoked
	case finance.ConnectionClosed:
		status, code = clock.Say("The banking service ended the consent"), openbanking.SessionStatusClosed
	case finance.ConnectionDisconnected:
		status, code = clock.Say("Disconnected"), openbanking.SessionStatusClosed
		if !c.EndDue.IsZero() {
			note = clock.Say("The banking service has not confirmed yet that the consent has ended. Florin asks again %s.", clock.When(c.EndDue))
		}
	}
	days := int(c.ValidUntil.Sub(c.Authorized).Round(24*time.Hour) / (24 * time.Hour))
	facts := []ui.Fact{
		{Name: clock.Say("Status"), Value: status, Code: string(code), Note: note},
	}
	if at, known := c.End(clock.Now); !at.IsZero() {
		ended := ui.Fact{Name: clock.Say("Access ended"), Value: clock.Full(at)}
		if !known {
			ended.Name, ended.Note = clock.Say("Florin noticed the end"), clock.Say("Neither the bank nor the banking service said when access ended.")
		}
		facts = append(facts, ended)
	}
	if c.EndedBefore() {
		facts = append(facts, ui.Fact{Name: clock.Say("Syncing stopped"), Value: clock.Full(c.Stopped)})
	}
	facts = append(facts, []ui.Fact{
		{Name: clock.Say("You gave access until"), Value: clock.Until(c.ValidUntil).Text, Note: clock.Say("%d days, from %s", days, clock.Until(c.Authorized).Text)},
		{Name: clock.Say("Kind of accounts"), Value: clock.Say(show.PSUType(c.PSUType))},
		{Name: clock.Say("First linked"), Value: clock.Full(c.Created)},
		{Name: clock.Say("Service"), Value: show.ServiceName(clock.Say, c.ProviderID, c.ProviderName)},
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

// refresh reads the accounts of a connection now. When there is nothing to read, the syncer checks whether the consent is still valid. Then the visitor
// returns to the page of the account, or of the connection, where the button was pressed.
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
		if c := h.Connected(clock, connection); c.Sync.Active() && (c.Sync.rests() || !c.Sync.Busy && len(c.Sync.tasks) > 0) {
			if err := a.refreshOne(v, c); err != nil {
				return err
			}
		}
	}
	v.SeeOther(paths.Accounts)
	return nil
}

// refreshOne reads the accounts of a connection now, and tells the visitor when that is not possible.
func (a *Area) refreshOne(v *shell.Visitor, c Connected) error {
	if c.Sync.Active() && (c.Sync.rests() || !c.Sync.Busy) {
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
		a.Flash(v, ui.Warning, v.Say("The connection has ended. Link the bank again."))
	} else if why := cmp.Or(c.Sync.blocked(), c.Sync.nothing()); why != "" {
		a.Flash(v, ui.Info, why)
	}
	return nil
}

// goingOn splits the accounts of a connection into those that end with it and those that another connection of the visitor keeps up to date.
func goingOn(h Holdings, c Connected) (ending, goOn []finance.Account) {
	for _, account := range c.Accounts {
		if account.Linked() && slices.ContainsFunc(h.Connections, func(other finance.Connection) bool {
			return other.State(c.Sync.Clock.Now) == finance.ConnectionActive &&
				slices.Contains(h.Shared, finance.SharedAccess{AccountID: account.ID, ConnectionID: other.ID})
		}) {
			goOn = append(goOn, account)
		} else {
			ending = append(ending, account)
		}
	}
	return ending, goOn
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
	ending, goOn := goingOn(h, c)
	view := pages.DisconnectView{Frame: a.Frame(v), ID: c.ID, Bank: show.BankOf(c.Connection), Login: show.Login(c.Connection), Ends: c.Sync.Active(),
		Accounts: c.Sync.Clock.AccountNames(ending), GoOn: c.Sync.Clock.AccountNames(goOn)}
	view.Frame.Simulated = c.Simulated
	var rows int64
	for _, account := range c.Accounts {
		rows += account.Transactions
	}
	view.Kept = v.Say("%s and %s", words.Msg("%d accounts", len(c.Accounts)), words.Msg("%d transactions", int(rows)))
	return v.Page(http.StatusOK, pages.Disconnect(view))
}

func (a *Area) disconnect(v *shell.Visitor) error {
	c, err := a.Store.Connection(v.Ctx(), v.User.ID, v.Request.PathValue("connection"))
	if err != nil {
		return err
	}
	done, err := a.Linking.Disconnect(v.Ctx(), v.User.ID, c.ID)
	if err != nil {
		return err
	}
	a.Hub.Publish(v.User.ID, live.Event{Topic: syncer.Topic, ID: c.ID})
	if done.AtBank {
		a.Flash(v, ui.Good, v.Say("%s is no longer synced, and the consent has ended. You keep its accounts yourself from now on.", show.ConnectionName(c)))
	} else {
		a.Flash(v, ui.Warning, v.Say("%s is no longer synced. The banking service has not confirmed yet that the consent has ended. Florin asks again until it does.", show.ConnectionName(c)))
	}
	v.SeeOther(paths.Accounts)
	return nil
}

// deletePage asks before what a connection brought is deleted.
func (a *Area) deletePage(v *shell.Visitor) error { return a.askDelete(v, http.StatusOK, "", "") }

func (a *Area) askDelete(v *shell.Visitor, status int, typed, problem string) error {
	h, err := a.Holdings(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	c, err := h.Find(a.At(v.Ctx(), time.Now()), v.Request.PathValue("connection"))
	if err != nil {
		return err
	}
	ending, goOn := goingOn(h, c)
	view := pages.DeleteDataView{Frame: a.Frame(v), Name: show.ConnectionName(c.Connection), GoOn: c.Sync.Clock.AccountNames(goOn),
		Action: paths.ConnectionDelete(c.ID),
		Back:   ui.Link{Text: show.BankName(c.ASPSP.Name), Href: paths.Connection(c.ID)}}
	view.Frame.Simulated = c.Simulated
	if c.Status != finance.ConnectionDisconnected {
		view.Instead = v.Say("To keep the history, stop the syncing instead.")
	}
	if c.Sync.Active() {
		view.Consent = v.Say("The consent ends at once, at the bank too.")
	}
	if err := a.FillDelete(v, &view, ending, show.BankName(c.ASPSP.Name), typed, problem); err != nil {
		return err
	}
	return v.Page(status, pages.DeleteData(view))
}

// FillDelete fills in which accounts are deleted and what they hold, and asks to type a name.
func (a *Area) FillDelete(v *shell.Visitor, view *pages.DeleteDataView, accounts []finance.Account, name, typed, problem string) error {
	c := a.At(v.Ctx(), time.Now())
	var ids []string
	for _, account := range accounts {
		ids = append(ids, account.ID)
		view.Accounts = append(view.Accounts, c.AccountChoice(account))
	}
	held, err := a.Store.Contents(v.Ctx(), v.User.ID, ids)
	for _, count := range []struct {
		text words.Text
		n    int
	}{{"%d transactions", held.Transactions}, {"%d notes", held.Notes}, {"%d attachments", held.Attachments}} {
		if count.n > 0 {
			view.Counts = append(view.Counts, v.Say(count.text, count.n))
		}
	}
	if held.Transactions > 0 {
		view.Export = paths.Export
		if len(ids) == 1 {
			view.Export = paths.ExportList(ids[0], "")
		}
	}
	view.Typed = ui.Input{Name: "name", Label: v.Say("To confirm, type “%s”", name), Type: "text", Value: typed, Problem: problem, Required: true, Autocomplete: "off"}
	return err
}

// Confirmed reports whether what was typed is the name of what is to be deleted; else it says so.
func Confirmed(v *shell.Visitor, name string) (typed, problem string, ok bool) {
	typed = v.Field("name")
	if show.SameName(typed, name) {
		return typed, "", true
	}
	return typed, v.Say("The name does not match. Nothing is deleted yet. Type “%s”.", name), false
}

// TellDeleted says that data is deleted, and how its consent ended.
func (a *Area) TellDeleted(v *shell.Visitor, name string, done linking.Disconnected) {
	if done.AtBank {
		a.Flash(v, ui.Good, v.Say("%s is deleted.", name))
	} else {
		a.Flash(v, ui.Warning, v.Say("%s is deleted. The banking service has not confirmed yet that the consent has ended. Florin asks again until it does.", name))
	}
}

func (a *Area) delete(v *shell.Visitor) error {
	c, err := a.Store.Connection(v.Ctx(), v.User.ID, v.Request.PathValue("connection"))
	if err != nil {
		return err
	}
	if typed, problem, ok := Confirmed(v, show.BankName(c.ASPSP.Name)); !ok {
		return a.askDelete(v, http.StatusUnprocessableEntity, typed, problem)
	}
	done, err := a.Linking.Delete(v.Ctx(), v.User.ID, c.ID)
	if err != nil {
		return err
	}
	a.Hub.Publish(v.User.ID, live.Event{Topic: syncer.Topic, ID: c.ID})
	a.TellDeleted(v, show.ConnectionName(c), done)
	v.SeeOther(paths.Accounts)
	return nil
}
