package accounts

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/store"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

// knownRows is how many rows of a past day a page shows.
const knownRows = 50

// looked is the account that the address names, with its owner. Rows of another owner are read with the owner's id, after the store has confirmed that the
// visitor may see them.
type looked struct {
	finance.Account
	owner    string
	sharedBy string // the owner's address; "" for an own account
}

// lookAt finds the account of the address: an own one, or one of somebody else that is shared with all its transactions; else finance.ErrNotFound.
func (a *Area) lookAt(v *shell.Visitor) (looked, error) {
	id := v.Request.PathValue("account")
	account, err := a.Store.Account(v.Ctx(), v.User.ID, id)
	if !errors.Is(err, finance.ErrNotFound) {
		return looked{Account: account, owner: v.User.ID}, err
	}
	shared, err := a.Store.SharedAccount(v.Ctx(), v.User.ID, id)
	if err == nil && shared.Level != finance.ShareEverything {
		err = finance.ErrNotFound
	}
	return looked{shared.Account, shared.Owner.ID, shared.Owner.Email}, err
}

// known shows an account as it was known at the end of a day.
func (a *Area) known(v *shell.Visitor) error {
	account, err := a.lookAt(v)
	if err != nil {
		return err
	}
	c := a.At(v.Ctx(), time.Now())
	asked := v.Request.URL.Query()
	view := pages.KnownView{Frame: a.Frame(v), AccountID: account.ID, Name: c.AccountName(account.Account), SharedBy: account.sharedBy,
		On: ui.Input{Name: "on", Label: c.Say("As it was known on"), Type: "date", Value: asked.Get("on"), Required: true, Autocomplete: "off", Max: string(c.Today())}}
	view.Frame.Simulated = account.Simulated
	if view.On.Value == "" {
		return v.Page(http.StatusOK, pages.Known(view))
	}
	var day openbanking.Date
	day, view.On.Problem = readDay(c, view.On.Value)
	if first := openbanking.Date(account.Created.In(c.Now.Location()).Format(time.DateOnly)); view.On.Problem == "" && day < first {
		view.On.Problem = c.Say("Florin has known this account since %s. Enter this day or a later one.", c.FullDay(first))
	}
	if view.On.Problem != "" {
		return v.Page(http.StatusUnprocessableEntity, pages.Known(view))
	}
	behind, err := behindOf(asked.Get("behind"))
	if err != nil {
		return err
	}
	view.On.Value = string(day)
	end := endOf(day, c.Now.Location())
	month := openbanking.Date(string(day)[:len("2006-01")] + "-01")
	known, err := a.Store.Known(v.Ctx(), account.owner, account.ID, end, month, behind, knownRows)
	if err != nil {
		return err
	}
	view.Notice = &ui.Notice{Tone: ui.Info, Title: c.Say("You are looking at the end of %s", c.FullDay(day)),
		Text:   c.Say("This is what Florin knew then. Nothing can be changed here."),
		Action: ui.Link{Text: c.Say("Back to today"), Href: paths.Account(account.ID)}}
	if began := openbanking.Date(known.Began.In(c.Now.Location()).Format(time.DateOnly)); day < began {
		view.Older = c.Say("Florin has recorded changes since %s. For an earlier day, it knows only which transactions were already there, and shows them as they were when recording began.", c.FullDay(began))
	}
	a.fillKnown(c, &view, account, known, behind)
	return v.Page(http.StatusOK, pages.Known(view))
}

// fillKnown shows what was known.
func (a *Area) fillKnown(c show.Clock, view *pages.KnownView, account looked, known finance.KnownAccount, behind store.KnownPlace) {
	var rows []finance.FoundRow
	since := map[int64]finance.RowSince{}
	for _, r := range known.Rows {
		row := r.TransactionRow
		row.Reviewed = true
		rows, since[r.ID] = append(rows, finance.FoundRow{TransactionRow: row, AccountID: account.ID}), r.Since
	}
	at := func(finance.FoundRow) show.ListedIn { return show.ListedIn{Base: paths.Transaction(account.ID, "")} }
	view.List.Days, view.List.Range = c.Days(rows, at), c.Span(rows)
	for _, day := range view.List.Days {
		for i := range day.Rows {
			id, _ := strconv.ParseInt(day.Rows[i].ID, 10, 64)
			switch since[id] {
			case finance.RowChanged:
				day.Rows[i].Note = c.Say("Changed since")
			case finance.RowGone:
				day.Rows[i].Note, day.Rows[i].Href = c.Say("Gone since"), ""
			}
		}
	}
	view.List.Empty = c.Say("No transaction was known.")
	address := url.Values{"on": {view.On.Value}}
	if behind != store.NewestKnown {
		view.List.Pager.Newer = paths.AccountKnown(account.ID) + "?" + address.Encode()
	}
	if last := len(known.Rows) - 1; known.More {
		address.Set("behind", strconv.FormatInt(known.Rows[last].SortKey, 10)+"."+strconv.FormatInt(known.Rows[last].ID, 10))
		view.List.Pager.Older = paths.AccountKnown(account.ID) + "?" + address.Encode()
	}
	if behind == store.NewestKnown {
		view.List.Pending, view.List.PendingCount, view.List.PendingTotal = c.Pending(known.Pending, func(string) string { return "" })
	}
	view.NoBalance = c.Say("No balance was known.")
	for _, b := range known.Balances {
		name, _ := pages.BalanceWords(b.Type)
		view.Balances = append(view.Balances, pages.Balance{Name: c.Message(name), Code: string(b.Type), Amount: pages.Figure(b.Amount), AsOf: show.AsOf(c, b)})
	}
	if day, err := openbanking.Date(view.On.Value).Time(); err == nil {
		view.Month = c.Language.Month(day)
	}
	for _, f := range known.Flows {
		net, err := f.In.Add(f.Out)
		if f.TooLarge || err != nil {
			continue // better no sum than a wrong one
		}
		view.Sums = append(view.Sums, pages.SearchTotal{Count: c.Say("%d transactions", f.Rows), In: pages.Flow(f.In), Out: pages.Flow(f.Out), Net: pages.Flow(net)})
	}
}

// endOf is the moment at which a day ends.
func endOf(day openbanking.Date, zone *time.Location) time.Time {
	t, err := day.Time()
	if err != nil {
		return time.Time{}
	}
	y, m, d := t.Date()
	return time.Date(y, m, d+1, 0, 0, 0, 0, zone)
}

// behindOf reads the place behind which a page begins, "sort key.id"; NewestKnown for "". One that is none is not found.
func behindOf(text string) (store.KnownPlace, error) {
	if text == "" {
		return store.NewestKnown, nil
	}
	key, id, _ := strings.Cut(text, ".")
	k, err := strconv.ParseInt(key, 10, 64)
	n, err2 := strconv.ParseInt(id, 10, 64)
	if err != nil || err2 != nil {
		return store.KnownPlace{}, finance.ErrNotFound
	}
	return store.KnownPlace{SortKey: k, ID: n}, nil
}

// newsStrip says what is new on an account; nil when nothing is.
func (a *Area) newsStrip(v *shell.Visitor, c show.Clock, accountID string) (*pages.NewsStrip, error) {
	all, err := a.Store.AllNews(v.Ctx(), v.User.ID)
	news, is := all[accountID]
	if err != nil || !is {
		return nil, err
	}
	return &pages.NewsStrip{AccountID: accountID, Text: c.News(news), Until: news.Until.UTC().Format(momentLayout)}, nil
}

// momentLayout is how a moment is written in an address or a form.
const momentLayout = "2006-01-02T15:04:05.000Z"

// sharedNewsStrip is newsStrip for an account of somebody else. Until the visitor has asked for news of it, the strip offers to begin.
func (a *Area) sharedNewsStrip(v *shell.Visitor, c show.Clock, accountID string) (*pages.NewsStrip, error) {
	strip, err := a.newsStrip(v, c, accountID)
	if err != nil || strip != nil {
		return strip, err
	}
	news, err := a.Store.News(v.Ctx(), v.User.ID, accountID, time.Time{})
	if err != nil || news.First || !news.Since.IsZero() {
		return nil, err
	}
	return &pages.NewsStrip{AccountID: accountID, Begin: true, Until: c.Now.UTC().Format(momentLayout)}, nil
}

// news lists what is new on an account. Opening the page does not mark anything as seen: it shows the same until the visitor confirms it. After that it
// stays available under an address with the moment since when the news count.
func (a *Area) news(v *shell.Visitor) error {
	account, err := a.lookAt(v)
	if err != nil {
		return err
	}
	c := a.At(v.Ctx(), time.Now())
	var since time.Time
	if text := v.Request.URL.Query().Get("since"); text != "" {
		if since, err = time.Parse(momentLayout, text); err != nil {
			return &shell.Problem{Status: http.StatusBadRequest, What: v.Say("This address does not contain a time."), Todo: v.Say("Open what is new from the page of the account."),
				Action: ui.Link{Text: v.Say("Open the account"), Href: paths.Account(account.ID)}}
		}
	}
	marked, err := a.Store.News(v.Ctx(), v.User.ID, account.ID, time.Time{})
	if err != nil {
		return err
	}
	news := marked
	if !since.IsZero() {
		if news, err = a.Store.News(v.Ctx(), v.User.ID, account.ID, since); err != nil {
			return err
		}
	}
	view := pages.NewsView{Frame: a.Frame(v), AccountID: account.ID, Name: c.AccountName(account.Account), SharedBy: account.sharedBy}
	view.Frame.Simulated = account.Simulated
	switch {
	case news.First:
		view.Empty = c.Say("Florin is fetching this account for the first time. These transactions are not listed here.")
	case news.Since.IsZero():
		view.Empty = c.Say("Florin can show you which transactions of this account are new, changed or gone.")
		view.Begin, view.Until = true, c.Now.UTC().Format(momentLayout)
	default:
		view.Since = c.Say("Since %s", c.Full(news.Since))
		switch {
		case marked.Count() > 0:
			view.Until = marked.Until.UTC().Format(momentLayout)
		case news.Count() > 0:
			view.Seen = c.Say("You have marked this as seen.")
		}
		if news.Count() == 0 {
			view.Empty = c.Say("Nothing is new. The %d transactions that were there before are not listed.", account.Transactions)
		}
	}
	fillNews(c, &view, account, news)
	return v.Page(http.StatusOK, pages.News(view))
}

// fillNews shows what is new.
func fillNews(c show.Clock, view *pages.NewsView, account looked, news finance.News) {
	counts := c.NewsCounts(news)
	view.NewTitle, view.ChangedTitle, view.GoneTitle = counts[0], counts[1], counts[2]
	row := func(t finance.TransactionRow, linked bool) pages.TransactionRow {
		row := c.Days([]finance.FoundRow{{TransactionRow: t, AccountID: account.ID}}, func(finance.FoundRow) show.ListedIn {
			return show.ListedIn{Base: paths.Transaction(account.ID, "")}
		})[0].Rows[0]
		row.New, row.Account = false, c.FullDay(t.Date)
		if !linked {
			row.Href = ""
		}
		return row
	}
	for _, t := range news.New {
		view.New = append(view.New, row(t, true))
	}
	for _, change := range news.Changed {
		view.Changed = append(view.Changed, pages.NewsChange{Row: row(change.Is.TransactionRow, true), Facts: changedFacts(c, change)})
	}
	for _, gone := range news.Gone {
		shown := row(gone.Was.TransactionRow, !gone.Gone)
		shown.Note = c.Say("No longer listed by the bank")
		if gone.Gone {
			shown.Note = c.Say("Deleted")
		}
		view.Gone = append(view.Gone, shown)
	}
}

// changedFacts says field by field what was before and what is now.
func changedFacts(c show.Clock, change finance.RowChange) (facts []ui.Fact) {
	was, is := change.Was, change.Is
	add := func(name, before, after string) {
		if before != after {
			facts = append(facts, ui.Fact{Name: name, Value: c.Say("%s → %s", orNothing(c, before), orNothing(c, after))})
		}
	}
	amount := func(m money.Amount) string { return c.Money(m) }
	add(c.Say("Amount"), amount(was.Amount), amount(is.Amount))
	add(c.Say("Date"), c.FullDay(was.Date), c.FullDay(is.Date))
	add(c.Say("Booked on"), c.FullDay(was.BookingDate), c.FullDay(is.BookingDate))
	add(c.Say("Value date"), c.FullDay(was.ValueDate), c.FullDay(is.ValueDate))
	add(c.Say("Name"), was.Counterparty, is.Counterparty)
	add(c.Say("Account"), show.Groups(was.CounterpartyAccount), show.Groups(is.CounterpartyAccount))
	add(c.Say("Text"), was.Remittance, is.Remittance)
	if was.Missing {
		facts = append(facts, ui.Fact{Name: c.Say("State"), Value: c.Say("Listed by the bank again")})
	}
	return facts
}

func orNothing(c show.Clock, text string) string {
	if text == "" {
		return c.Say("Nothing#before")
	}
	return text
}

// newsSeen notes that the visitor has seen what was new on an account, up to the moment that the page had told of.
func (a *Area) newsSeen(v *shell.Visitor) error {
	account, err := a.lookAt(v)
	if err != nil {
		return err
	}
	until, err := time.Parse(momentLayout, v.Field("until"))
	if err != nil {
		return &shell.Problem{Status: http.StatusUnprocessableEntity, What: v.Say("This form does not contain a time."), Todo: v.Say("Open what is new from the page of the account."),
			Action: ui.Link{Text: v.Say("Open the account"), Href: paths.Account(account.ID)}}
	}
	since, err := a.Store.Look(v.Ctx(), v.User.ID, account.ID, until)
	if err != nil {
		return err
	}
	switch {
	case since.IsZero():
		a.Flash(v, ui.Good, v.Say("From now on Florin shows you what is new on this account."))
	default:
		a.Flash(v, ui.Good, v.Say("Marked as seen."))
	}
	if v.Field("list") != "" && !since.IsZero() {
		v.SeeOther(paths.AccountNewsSince(account.ID, since)) // the list stays to be read
		return nil
	}
	v.SeeOther(paths.Account(account.ID))
	return nil
}
