package payments

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/a-h/templ"

	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/live"
	"florin/internal/payments"
	"florin/internal/syncer"
	"florin/web/templates/pages"
	"florin/web/templates/words"
)

// What a page about payments follows.
const (
	livePayment  = "payment"  // how a payment stands
	livePayments = "payments" // a list of payments
)

// paymentLive is the address of the stream of the page of a payment.
func paymentLive(id string) string { return shell.LivePath(livePayment, url.Values{"payment": {id}}) }

// paymentView follows how a payment stands.
type paymentView struct {
	app             *Area
	userID, payment string
	hides           bool        // the device hides amounts
	over            bool        // the page shows that the payment has ended
	present         http.Header // of the open stream: the person is there
}

func (a *Area) openPaymentView(v *shell.Visitor, query url.Values) (shell.View, error) {
	s := &paymentView{app: a, userID: v.User.ID, payment: query.Get("payment"), hides: v.Device.HidesAmounts, over: query.Get("over") == "true", present: v.Present()}
	_, err := a.Store.Payment(v.Ctx(), s.userID, s.payment)
	return s, err
}

// await asks the syncer to read the accounts that lack the booking of a payment which the bank executes: the person is watching it.
func (a *Area) await(payment finance.Payment, present http.Header) {
	if slices.Contains(finance.CarriedOutStatuses(), payment.Progress.Status) {
		a.Syncer.Await(payment.UserID, present)
	}
}

// Render sends the state of the payment. When the payment has reached its final state, the whole page is loaded again, because more of it changes. After a
// sync it looks for bookings that may belong to a payment with an unknown outcome.
func (s *paymentView) Render(ctx context.Context, e live.Event) (string, []byte, error) {
	synced := e.Topic == syncer.Topic
	if e.Topic != shell.TopicOpened && !synced && (e.Topic != payments.Topic || e.ID != s.payment) {
		return "", nil, nil
	}
	payment, err := s.app.Store.Payment(ctx, s.userID, s.payment)
	if err != nil {
		return "", nil, err
	}
	if !synced {
		s.app.await(payment, s.present)
	}
	words.Hide(ctx, s.hides && !handedOver(payment)) // as on the page
	c := s.app.At(ctx, time.Now())
	switch {
	case payment.Progress.Final && !s.over:
		return shell.EventReload, nil, nil
	case synced && !payment.Story(c.Now).Doubt:
		return "", nil, nil
	}
	b, err := s.app.booked(ctx, payment)
	if err != nil {
		return "", nil, err
	}
	status, err := s.app.statusView(ctx, c, b)
	if err != nil {
		return "", nil, err
	}
	events, err := s.app.paymentHistory(ctx, c, payment)
	if err != nil {
		return "", nil, err
	}
	return shell.Fragment(ctx, templ.Join(pages.PaymentState(status), pages.PaymentHistory(events)))
}

// paymentsView follows a list of payments.
type paymentsView struct {
	app    *Area
	userID string
	list   listedPayments
	shown  []shownRow // as the page has them

	requests []byte // the open requests, as the page has them
}

// shownRow is a row of a list of payments as it was last sent.
type shownRow struct {
	id   string
	html []byte
}

func (a *Area) openPaymentsView(v *shell.Visitor, query url.Values) (shell.View, error) {
	query.Set("view", query.Get("list"))
	return &paymentsView{app: a, userID: v.User.ID, list: listed(query)}, nil
}

// Render sends the rows that are no longer as the page has them, and the whole list when it has other rows.
func (s *paymentsView) Render(ctx context.Context, e live.Event) (string, []byte, error) {
	if e.Topic != payments.Topic && e.Topic != shell.TopicOpened {
		return "", nil, nil
	}
	list, _, _, err := s.app.paymentList(ctx, s.userID, s.list)
	if err != nil {
		return "", nil, err
	}
	card, err := s.app.requestsCard(ctx, s.userID)
	if err != nil {
		return "", nil, err
	}
	_, requests, err := shell.Fragment(ctx, pages.OpenRequests(card))
	if err != nil {
		return "", nil, err
	}
	var changed []byte
	if !bytes.Equal(requests, s.requests) && (len(card.Rows) > 0 || s.requests != nil) {
		changed = slices.Clone(requests)
	}
	s.requests = requests
	rows := make([]shownRow, 0, len(list.Rows))
	same := len(list.Rows) > 0 && len(list.Rows) == len(s.shown)
	for i, row := range list.Rows {
		_, html, err := shell.Fragment(ctx, pages.PaymentListRow(row))
		if err != nil {
			return "", nil, err
		}
		rows = append(rows, shownRow{row.ID, html})
		same = same && s.shown[i].id == row.ID
		if same && !bytes.Equal(s.shown[i].html, html) {
			changed = append(changed, html...)
		}
	}
	s.shown = rows
	switch {
	case !same:
		name, html, err := shell.Fragment(ctx, pages.PaymentRows(list))
		return name, append(changed, html...), err
	case len(changed) == 0:
		return "", nil, nil
	}
	return shell.EventFragment, changed, nil
}
