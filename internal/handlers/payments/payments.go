package payments

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"time"

	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/store"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

const (
	paymentRows = 50 // on a page
	openRows    = 5  // on the page of the accounts
)

// Values of the view of the list.
const (
	viewAll    = ""
	viewOpen   = "open"
	viewDrafts = "drafts"
	viewHidden = "all"
)

// listedPayments is what an address of the list asks for.
type listedPayments struct{ view, search, account, before string }

func listed(query url.Values) listedPayments {
	l := listedPayments{view: query.Get("view"), search: finance.Clean(query.Get("q")), account: query.Get("account"), before: query.Get("before")}
	switch l.view {
	case viewOpen, viewDrafts, viewHidden:
	default:
		l.view = viewAll
	}
	return l
}

func (l listedPayments) filter() store.PaymentFilter {
	return store.PaymentFilter{Open: l.view == viewOpen, Drafts: l.view == viewDrafts, Hidden: l.view == viewHidden, AccountID: l.account, Search: l.search,
		Before: l.before}
}

func (l listedPayments) query() url.Values {
	q := url.Values{}
	for name, value := range map[string]string{"view": l.view, "q": l.search, "account": l.account, "before": l.before} {
		if value != "" {
			q.Set(name, value)
		}
	}
	return q
}

func (l listedPayments) path() string {
	if q := l.query(); len(q) > 0 {
		return paths.Payments + "?" + q.Encode()
	}
	return paths.Payments
}

// payments lists the payments of the user.
func (a *Area) payments(v *shell.Visitor) error {
	l := listed(v.Request.URL.Query())
	list, more, simulated, err := a.paymentList(v.Ctx(), v.User.ID, l)
	if err != nil {
		return err
	}
	h, err := a.Store.Holdings(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	view := pages.PaymentsView{Frame: a.Frame(v), Query: l.search, View: l.view, List: list, CanPay: true,
		CanBulk: a.Offers.CanPay(v.Ctx(), ""), Simulated: simulated}
	view.Frame.Simulated = simulated
	view.Frame.Payments = true
	toSend, err := a.Store.CountToSend(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	view.ToSend = toSend > 1
	view.Accounts = []ui.Option{{Text: v.Say("All accounts")}}
	names := accountNames(a.At(v.Ctx(), time.Now()), h.Accounts)
	for _, account := range h.Accounts {
		view.Accounts = append(view.Accounts, ui.Option{Value: account.ID, Text: names[account.ID], Selected: account.ID == l.account})
	}
	people, err := a.Store.Askable(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	view.CanAsk = len(people) > 0
	if view.Requests, err = a.requestsCard(v.Ctx(), v.User.ID); err != nil {
		return err
	}
	drafts, err := a.Store.Drafts(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	for _, f := range []struct {
		view string
		text words.Text
	}{{viewAll, "All"}, {viewOpen, "Open"}, {viewDrafts, "Drafts"}, {viewHidden, "With discarded ones"}} {
		other := l
		other.view, other.before = f.view, ""
		text := v.Say(f.text)
		if f.view == viewDrafts && drafts > 0 {
			text = v.Say("Drafts (%d)", drafts)
		}
		view.Filters = append(view.Filters, pages.Filter{Text: text, Href: other.path(), Current: f.view == l.view})
	}
	if l.before != "" {
		first := l
		first.before = ""
		view.Pager.Newer = first.path()
	}
	if more != "" {
		next := l
		next.before = more
		view.Pager.Older = next.path()
	}
	q := l.query()
	if len(q) > 0 {
		q.Set("list", l.view)
		q.Del("view")
	}
	view.Frame.Live = shell.LivePath(livePayments, q)
	return v.Page(http.StatusOK, pages.Payments(view))
}

// paymentList reads a page of the list; more is the last payment of it when there are others behind.
func (a *Area) paymentList(ctx context.Context, userID string, l listedPayments) (list pages.PaymentList, more string, simulated bool, err error) {
	found, behind, err := a.Store.Payments(ctx, userID, l.filter(), paymentRows)
	if err != nil {
		return list, "", false, err
	}
	if list.Rows, err = a.paymentRows(ctx, userID, found); err != nil {
		return list, "", false, err
	}
	for _, p := range found {
		simulated = simulated || p.Simulated
	}
	if behind {
		more = found[len(found)-1].ID
	}
	switch {
	case l.search != "" || l.account != "" || l.view == viewHidden:
		list.Empty = words.Say(ctx, "No payment found.")
	case l.view == viewOpen:
		list.Empty = words.Say(ctx, "No open payments.")
	case l.view == viewDrafts:
		list.Empty = words.Say(ctx, "There are no drafts.")
	default:
		list.Empty = words.Say(ctx, "You have not paid anything here yet.")
		if len(found) == 0 {
			if list.Drafts, err = a.drafts(ctx, userID); err != nil {
				return list, "", false, err
			}
		}
	}
	return list, more, simulated, err
}

// drafts says how many payments were begun and not confirmed; "" for none.
func (a *Area) drafts(ctx context.Context, userID string) (string, error) {
	n, err := a.Store.Drafts(ctx, userID)
	if err != nil || n == 0 {
		return "", err
	}
	return words.Say(ctx, "%d drafts", n), nil
}

func (a *Area) paymentRows(ctx context.Context, userID string, found []finance.Payment) ([]pages.PaymentRow, error) {
	h, err := a.Store.Holdings(ctx, userID)
	if err != nil {
		return nil, err
	}
	c := a.At(ctx, time.Now())
	names := accountNames(c, h.Accounts)
	mixed := slices.ContainsFunc(found, func(p finance.Payment) bool { return !p.Simulated }) // else the mark of the page is enough
	rows := make([]pages.PaymentRow, 0, len(found))
	for _, p := range found {
		story := p.Story(c.Now)
		told := c.Payment(p, story)
		at := p.Created
		if !p.Sent.IsZero() {
			at = p.Sent
		}
		row := pages.PaymentRow{ID: p.ID, Href: paths.Payment(p.ID), Payee: c.PaidTo(p), Detail: c.Moment(at).Text,
			Status: ui.Badge{Tone: toneOf(story), Text: told.Headline}, Simulated: p.Simulated && mixed}
		if p.Waiting() && story.Tone == finance.ToneNeutral { // the one kind where the person has to act
			row.Status.Tone = ui.Warning
		}
		if _, _, safe := shell.LeadsTo(p.Approval.URL, p.Simulated); p.Waiting() && safe {
			row.Approve = paths.PaymentLeave(p.ID)
		}
		if p.Phase == finance.PhaseDraft {
			row.Href = paths.PaymentReview(p.ID)
		}
		if name := names[p.Order.AccountID]; name != "" {
			row.Detail = c.Say("%s, from %s#account", row.Detail, name)
		}
		if day := p.Day(); day != "" && !p.Order.Standing() {
			if day == p.Order.ExecutionDate() {
				row.Detail = c.Say("%s, for %s", row.Detail, longDay(c, day))
			} else {
				row.Detail = c.Say("%s, moved to %s by the bank", row.Detail, longDay(c, day))
			}
		}
		if p.Order.Standing() {
			row.Detail = c.Say("%s, standing order", row.Detail)
		}
		row.Amount, row.Of, _ = paidAmount(c, p, story)
		rows = append(rows, row)
	}
	return rows, nil
}

// OpenPayments returns the strip of the first page: payments that ended unseen, and open payments.
func (a *Area) OpenPayments(ctx context.Context, userID string) (o pages.OpenPayments, err error) {
	ended, more, err := a.Store.UnseenPayments(ctx, userID, openRows)
	if err != nil {
		return o, err
	}
	o.EndedMore = more
	if o.Ended, err = a.paymentRows(ctx, userID, ended); err != nil {
		return o, err
	}
	c := a.At(ctx, time.Now())
	for i, p := range ended {
		o.EndedIDs = append(o.EndedIDs, p.ID)
		o.Ended[i].Reason = endedBecause(c, p)
	}
	if o.Drafts, err = a.drafts(ctx, userID); err != nil {
		return o, err
	}
	found, more, err := a.Store.Payments(ctx, userID, store.PaymentFilter{Open: true}, openRows)
	if err != nil {
		return o, err
	}
	o.More = more
	o.Rows, err = a.paymentRows(ctx, userID, found)
	return o, err
}

// endedBecause is why a payment came to nothing; "" when it did not, or nobody says.
func endedBecause(c show.Clock, p finance.Payment) string {
	if p.Phase == finance.PhaseFailed {
		return failureReason(c, p.Failure, show.BankName(p.Order.ASPSP.Name)).Text
	}
	if reason := p.Story(c.Now).Reason; reason != (finance.StatusReason{}) {
		return c.Reason(reason).Text
	}
	return ""
}

// accountNames returns the title of each account by its id, and the end of its number with it where several accounts have the same title.
func accountNames(c show.Clock, accounts []finance.Account) map[string]string {
	titles := map[string]int{}
	for _, account := range accounts {
		titles[c.AccountName(account)]++
	}
	names := make(map[string]string, len(accounts))
	for _, account := range accounts {
		name := c.AccountName(account)
		if last := account.Last4(); titles[name] > 1 && last != "" {
			name = c.Say("%s, ending in %s", name, last)
		}
		names[account.ID] = name
	}
	return names
}
