package payments

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/iban"
	"florin/internal/live"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/paymentform"
	"florin/internal/paymentrules"
	"florin/internal/payments"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// longestPayee is how many characters the name of a payee has at most, as banks take it.
const longestPayee = 70

// mostAskedNotices is how many requests stand on the first page one by one.
const mostAskedNotices = 3

// commonCurrencies can be asked for beside those of the person's accounts.
var commonCurrencies = []string{"EUR", "CHF", "GBP", "USD", "CZK", "DKK", "HUF", "NOK", "PLN", "RON", "SEK"}

// requestRoutes are the pages and forms with which people of a household ask each other for payments.
func (a *Area) requestRoutes() []shell.Route {
	return []shell.Route{
		shell.GetQueued(shell.Member, paths.Requests, a.requests),
		shell.Get(shell.Member, paths.NewRequest, a.newRequest),
		shell.Post(shell.Member, paths.NewRequest, a.ask),
		shell.Get(shell.Member, paths.Requests+"/{request}", a.request),
		shell.Post(shell.Member, paths.Requests+"/{request}/decline", a.decline),
		shell.Post(shell.Member, paths.Requests+"/{request}/withdraw", a.withdraw),
	}
}

// askForm is the form with which a person asks somebody for a payment.
type askForm struct {
	key   string // one-time
	draft string // the person's own, which it takes the place of; ""

	person, payee, iban, amount, currency, text, day, note string

	problems map[string]string // by field
	notice   *ui.Notice
	stored   bool // the amount was not typed just now
}

func readAsk(v *shell.Visitor) askForm {
	return askForm{key: v.Field(fieldForm), draft: v.Field(fieldDraft), person: v.Field("person"), payee: v.Field("payee"), iban: v.Field("iban"),
		amount: v.Field("amount"), currency: v.Field("currency"), text: v.Field("text"), day: v.Field("day"), note: v.Field("note"), problems: map[string]string{}}
}

// newRequest shows the empty form.
func (a *Area) newRequest(v *shell.Visitor) error {
	return a.askPage(v, http.StatusOK, askForm{key: finance.NewID(), currency: v.User.Currency})
}

// askInstead shows the form with what stands in the form for a payment.
func (a *Area) askInstead(v *shell.Visitor, e payEntry, form paymentform.Form) error {
	f := askForm{key: finance.NewID(), draft: e.draft, payee: e.Get(paymentform.Name), iban: e.Get(paymentform.Number), amount: e.Get(paymentform.Amount),
		currency: form.Currency(), text: e.Get(paymentform.Text(0)), stored: e.draft != ""}
	if form.When() == paymentform.OnDate {
		f.day = e.Get(paymentform.Date)
	}
	if f.text == "" {
		f.text = e.Get(paymentform.Reference)
	}
	return a.askPage(v, http.StatusOK, f)
}

// askPage shows the form as it is filled in.
func (a *Area) askPage(v *shell.Visitor, status int, f askForm) error {
	people, err := a.Store.Askable(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	view := pages.AskView{Frame: a.Frame(v), Notice: f.notice, Stored: f.stored && f.amount != "", Nobody: len(people) == 0,
		Owner: v.User.Role == finance.RoleOwner,
		Most:  v.Say("You can ask for %d payments at a time.", finance.MaxOpenRequests)}
	for _, h := range []pages.Hidden{{Name: fieldForm, Value: f.key}, {Name: fieldDraft, Value: f.draft}} {
		if h.Value != "" {
			view.Hidden = append(view.Hidden, h)
		}
	}
	if len(people) > 1 {
		view.People = []ui.Option{{Text: v.Say("Choose")}}
	}
	for _, p := range people {
		view.People = append(view.People, ui.Option{Value: p.ID, Text: p.Email, Selected: p.ID == f.person})
	}
	view.PersonProblem = f.problems["person"]
	input := func(name string, label words.Text, value string, most int) ui.Input {
		return ui.Input{Name: name, Label: v.Say(label), Type: "text", Value: value, Problem: f.problems[name], Autocomplete: "off", MaxLength: most}
	}
	view.Payee = input("payee", "Name of the payee", f.payee, longestPayee)
	view.IBAN = input("iban", "IBAN", f.iban, 60)
	view.Amount = input("amount", "Amount", f.amount, 0)
	view.Amount.Mode = "decimal"
	view.Text = input("text", "", f.text, paymentrules.MaxText)
	view.Text.Label = words.In(v.Ctx()).Message(optional(words.Msg("Text for the payee"), nil))
	view.Day = input("day", "Day (optional)", f.day, 0)
	view.Day.Type, view.Day.Min = "date", string(finance.PaymentDay(time.Now()))
	if _, err := openbanking.Date(f.day).Time(); err != nil && f.day != "" {
		view.Day.Type = "text" // a field of a day would not show it
	}
	view.Note = input("note", "Note for the person you ask (optional)", f.note, finance.MaxRequestNote)
	view.Note.Hint = v.Say("For example what it is for, or where the invoice is.")
	codes, err := a.askCurrencies(v, f.currency)
	if err != nil {
		return err
	}
	for _, code := range codes {
		view.Currencies = append(view.Currencies, ui.Option{Value: code, Text: code, Selected: code == f.currency || f.currency == "" && code == "EUR"})
	}
	return v.Page(status, pages.Ask(view))
}

// askCurrencies are those to choose from.
func (a *Area) askCurrencies(v *shell.Visitor, chosen string) ([]string, error) {
	accounts, err := a.Store.Accounts(v.Ctx(), v.User.ID)
	codes := append(slices.Clone(commonCurrencies), chosen)
	for _, account := range accounts {
		codes = append(codes, account.Currency)
	}
	slices.Sort(codes)
	return slices.DeleteFunc(slices.Compact(codes), func(code string) bool {
		_, known := money.Exponent(code)
		return !known
	}), err
}

// check understands the form. What is wrong stands by its field.
func (f *askForm) check(c show.Clock, people []finance.Person) finance.PaymentRequest {
	r := finance.PaymentRequest{FormKey: f.key, Payee: finance.Clean(finance.Typed(f.payee)), Text: finance.Clean(finance.Typed(f.text)),
		Note: finance.Clean(f.note)}
	if i := slices.IndexFunc(people, func(p finance.Person) bool { return p.ID == f.person }); i >= 0 {
		r.Payer = people[i]
	} else {
		f.problems["person"] = c.Say("Choose whom you ask.")
	}
	switch n := len([]rune(r.Payee)); {
	case n == 0:
		f.problems["payee"] = c.Say("Enter the name of the payee.")
	case n > longestPayee:
		f.problems["payee"] = c.Say("A name may have %d characters at most.", longestPayee)
	}
	number, err := iban.Parse(f.iban)
	if err != nil {
		f.problems["iban"] = c.Message(show.NumberProblem(err))
	}
	r.IBAN = number.String()
	if r.Amount, err = finance.ParseAmount(f.amount, f.currency); err != nil {
		f.problems["amount"] = c.Message(show.AmountProblem(err))
	}
	if len([]rune(r.Text)) > paymentrules.MaxText {
		f.problems["text"] = c.Say("The text may have %d characters at most.", paymentrules.MaxText)
	}
	if len([]rune(r.Note)) > finance.MaxRequestNote {
		f.problems["note"] = c.Say("The note may have %d characters at most.", finance.MaxRequestNote)
	}
	if f.day != "" {
		if r.Day, err = finance.ParseDay(f.day); err != nil {
			f.problems["day"] = c.Message(show.DayProblem(err))
		} else if r.Day < finance.PaymentDay(c.Now) {
			f.problems["day"] = c.Say("This day is in the past. Choose a later one, or leave it out.")
		}
	}
	return r
}

// ask takes the form.
func (a *Area) ask(v *shell.Visitor) error {
	f := readAsk(v)
	if !formKey.MatchString(f.key) {
		return &shell.Problem{Status: http.StatusUnprocessableEntity, What: v.Say("The form is not complete, so nothing was saved."),
			Todo: v.Say("Open the form again."), Action: ui.Link{Text: v.Say("Ask somebody else to pay"), Href: paths.NewRequest}}
	}
	people, err := a.Store.Askable(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	r := f.check(a.At(v.Ctx(), time.Now()), people)
	if len(f.problems) > 0 {
		f.notice = &ui.Notice{Tone: ui.Bad, Title: v.Say("Please correct what is marked below"), Text: v.Say("What you typed is still there. Nobody was asked.")}
		return a.askPage(v, http.StatusUnprocessableEntity, f)
	}
	id, err := a.Store.AskForPayment(v.Ctx(), v.User.ID, r)
	if errors.Is(err, finance.ErrManyRequests) {
		f.notice = &ui.Notice{Tone: ui.Warning, Title: v.Say("You have already asked for %d payments", finance.MaxOpenRequests),
			Text:   v.Say("Wait until some of them are paid, or withdraw some. Nobody was asked."),
			Action: ui.Link{Text: v.Say("All requests"), Href: paths.Requests}}
		return a.askPage(v, http.StatusUnprocessableEntity, f)
	}
	if err != nil {
		return err
	}
	if f.draft != "" { // else it would be paid twice
		if err := a.Payments.Discard(v.Ctx(), v.User.ID, f.draft); err != nil && !errors.Is(err, finance.ErrNotFound) && !errors.Is(err, payments.ErrSent) {
			return err
		}
	}
	a.moved(v, r.Payer.ID)
	a.Flash(v, ui.Good, v.Say("%s is asked to pay this. You can follow it here.", r.Payer.Email))
	v.SeeOther(paths.Request(id))
	return nil
}

// moved makes the open pages of both people of a request load its state again.
func (a *Area) moved(v *shell.Visitor, other string) {
	for _, id := range []string{v.User.ID, other} {
		a.Hub.Publish(id, live.Event{Topic: payments.Topic})
	}
}

// askedFor reads the request in the address.
func (a *Area) askedFor(v *shell.Visitor) (finance.PaymentRequest, error) {
	return a.Store.PaymentRequest(v.Ctx(), v.User.ID, v.Request.PathValue("request"))
}

// request shows what somebody asked for, to one of the two.
func (a *Area) request(v *shell.Visitor) error {
	r, err := a.askedFor(v)
	if err != nil {
		return err
	}
	return a.requestPage(v, http.StatusOK, r, "", "")
}

func (a *Area) requestPage(v *shell.Visitor, status int, r finance.PaymentRequest, answer, problem string) error {
	c := a.At(v.Ctx(), time.Now())
	row := requestRow(c, r, v.User.ID)
	view := pages.RequestView{Frame: a.Frame(v), Title: row.Detail, Status: row.Status, Text: requestText(c, r, v.User.ID), Amount: row.Amount}
	var facts show.Facts
	facts.Add(c.Say("Payee"), r.Payee, "")
	facts.Add(c.Say("IBAN"), show.Groups(r.IBAN), "")
	facts.Add(c.Say("Text"), r.Text, "")
	if r.Day != "" {
		facts.Add(c.Say("Day"), c.FullDay(r.Day), "")
	}
	facts.Add(c.Say("Note#person"), r.Note, "")
	facts.Add(c.Say("Asked#when"), c.Moment(r.Created).Text, "")
	view.Facts = facts
	if r.Asker.ID == v.User.ID {
		if r.State.Open() {
			view.Withdraw = paths.RequestWithdraw(r.ID)
		}
	} else {
		switch {
		case r.State == finance.RequestAsked:
			view.Pay = ui.Link{Text: c.Say("Pay"), Href: paths.PayRequest(r.ID)}
		case r.PaymentID != "" && !r.Sent:
			view.Pay = ui.Link{Text: c.Say("Review the payment"), Href: paths.PaymentReview(r.PaymentID)}
		case r.PaymentID != "":
			view.Pay = ui.Link{Text: c.Say("See the payment"), Href: paths.Payment(r.PaymentID)}
		}
		if r.State.Open() && !r.Sent {
			view.Decline = paths.RequestDecline(r.ID)
			view.Answer = ui.Input{Name: "answer", Label: c.Say("Why not (optional)"), Type: "text", Value: answer, Problem: problem, Autocomplete: "off",
				MaxLength: finance.MaxRequestNote, Hint: c.Say("%s can read this.", r.Asker.Email)}
		}
	}
	all, err := a.Store.PaymentRequests(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	view.Frame.Live = requestsLive(all)
	return v.Page(status, pages.Request(view))
}

// requestRow is a request in a list of one of its two people.
func requestRow(c show.Clock, r finance.PaymentRequest, userID string) pages.RequestRow {
	row := pages.RequestRow{Href: paths.Request(r.ID), Payee: r.Payee, Detail: c.Say("Asked by %s", r.Asker.Email), Amount: pages.Figure(r.Amount)}
	own := r.Asker.ID == userID
	if own {
		row.Detail = c.Say("You asked %s", r.Payer.Email)
	}
	if r.Day != "" {
		row.Day = c.Say("for %s", c.FullDay(r.Day))
	}
	switch r.State {
	case finance.RequestAsked:
		row.Status = ui.Badge{Tone: ui.Warning, Text: c.Say("To be paid")}
		if own {
			row.Status = ui.Badge{Tone: ui.Busy, Text: c.Say("Asked")}
		}
	case finance.RequestPrepared:
		row.Status = ui.Badge{Tone: ui.Busy, Text: c.Say("Prepared")}
	case finance.RequestPaid:
		row.Status = ui.Badge{Tone: ui.Good, Text: c.Say("Paid")}
	case finance.RequestDeclined:
		row.Status = ui.Badge{Tone: ui.Plain, Text: c.Say("Declined")}
		if own {
			row.Status.Tone = ui.Warning
		}
	case finance.RequestWithdrawn:
		row.Status = ui.Badge{Tone: ui.Plain, Text: c.Say("Withdrawn")}
	}
	return row
}

// requestText says how a request stands. The asker sees only the state.
func requestText(c show.Clock, r finance.PaymentRequest, userID string) string {
	if r.Asker.ID == userID {
		switch {
		case r.State == finance.RequestAsked:
			return c.Say("%s has neither paid nor declined yet.", r.Payer.Email)
		case r.State == finance.RequestPrepared:
			return c.Say("%s has prepared the payment.", r.Payer.Email)
		case r.State == finance.RequestPaid && r.Other:
			return c.Say("%s has paid it, with another amount.", r.Payer.Email)
		case r.State == finance.RequestPaid:
			return c.Say("%s has paid it.", r.Payer.Email)
		case r.State == finance.RequestDeclined && r.Answer != "":
			return c.Say("%s has declined it: “%s”", r.Payer.Email, r.Answer)
		case r.State == finance.RequestDeclined:
			return c.Say("%s has declined it.", r.Payer.Email)
		}
		return c.Say("You have withdrawn it.")
	}
	switch {
	case r.State == finance.RequestAsked:
		return c.Say("Compare it with the invoice before you pay. Florin has not checked it.")
	case r.State == finance.RequestPrepared && !r.Sent:
		return c.Say("You have prepared the payment and not confirmed it yet.")
	case r.State == finance.RequestPrepared:
		return c.Say("Your payment is on its way.")
	case r.State == finance.RequestPaid:
		return c.Say("You have paid it.")
	case r.State == finance.RequestDeclined:
		return c.Say("You have declined it.")
	}
	return c.Say("%s has withdrawn it. There is nothing to pay.", r.Asker.Email)
}

// requests lists all of them.
func (a *Area) requests(v *shell.Visitor) error {
	all, err := a.Store.PaymentRequests(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	people, err := a.Store.Askable(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	c := a.At(v.Ctx(), time.Now())
	view := pages.RequestsView{Frame: a.Frame(v), CanAsk: len(people) > 0, Open: openRequests(c, all, v.User.ID)}
	for _, r := range all {
		if !r.State.Open() {
			view.Over = append(view.Over, requestRow(c, r, v.User.ID))
		}
	}
	view.Frame.Live = requestsLive(all)
	return v.Page(http.StatusOK, pages.Requests(view))
}

// openRequests are those of which something is still to happen: first what the user is asked to pay.
func openRequests(c show.Clock, all []finance.PaymentRequest, userID string) (rows []pages.RequestRow) {
	for _, asked := range []bool{true, false} {
		for _, r := range all {
			if r.State.Open() && (r.Payer.ID == userID) == asked {
				rows = append(rows, requestRow(c, r, userID))
			}
		}
	}
	return rows
}

// decline says that the visitor does not pay.
func (a *Area) decline(v *shell.Visitor) error {
	r, err := a.askedFor(v)
	if err != nil {
		return err
	}
	answer := finance.Clean(v.Field("answer"))
	if len([]rune(answer)) > finance.MaxRequestNote && r.Payer.ID == v.User.ID {
		return a.requestPage(v, http.StatusUnprocessableEntity, r, v.Field("answer"), v.Say("The note may have %d characters at most.", finance.MaxRequestNote))
	}
	_, err = a.Store.DeclineRequest(v.Ctx(), v.User.ID, r.ID, answer)
	return a.ended(v, r, err, r.Asker.ID, v.Say("%s sees that you have declined it.", r.Asker.Email))
}

// withdraw takes back what the visitor asked for.
func (a *Area) withdraw(v *shell.Visitor) error {
	r, err := a.askedFor(v)
	if err != nil {
		return err
	}
	_, err = a.Store.WithdrawRequest(v.Ctx(), v.User.ID, r.ID)
	return a.ended(v, r, err, r.Payer.ID, v.Say("You have withdrawn it."))
}

// ended goes on after a request was declined or withdrawn, or could not be.
func (a *Area) ended(v *shell.Visitor, r finance.PaymentRequest, err error, other, said string) error {
	switch {
	case errors.Is(err, finance.ErrRequestOver):
		a.Flash(v, ui.Warning, v.Say("Nothing was changed: the payment is on its way or made, or the request is over."))
	case err != nil:
		return err
	default:
		a.moved(v, other)
		a.Flash(v, ui.Good, said)
	}
	v.SeeOther(paths.Request(r.ID))
	return nil
}

// Asked is what the user is asked to pay, for the first page.
func (a *Area) Asked(ctx context.Context, c show.Clock, userID string) (todos []ui.Notice, err error) {
	all, err := a.Store.PaymentRequests(ctx, userID)
	for _, r := range all {
		if r.State == finance.RequestAsked && r.Payer.ID == userID {
			todos = append(todos, ui.Notice{Tone: ui.Info, Title: c.Say("%s asks you to pay %s to %s", r.Asker.Email, r.Amount, r.Payee), Text: r.Note,
				Action: ui.Link{Text: c.Say("See the request"), Href: paths.Request(r.ID)}})
		}
	}
	if len(todos) > mostAskedNotices {
		todos = []ui.Notice{{Tone: ui.Info, Title: c.Say("You are asked to make %d payments", len(todos)), Action: ui.Link{Text: c.Say("See the requests"), Href: paths.Requests}}}
	}
	return todos, err
}

// setRequest fills in what somebody asks the visitor to pay, as if it had been typed.
func (e *payEntry) setRequest(r finance.PaymentRequest, now time.Time) {
	e.request = r.ID
	e.Set(paymentform.Name, r.Payee)
	e.SetAccount(finance.PayeeAccount{Scheme: openbanking.SchemeNameIBAN, Number: r.IBAN})
	e.Set(paymentform.Amount, r.Amount.String())
	e.Set(paymentform.Currency, r.Amount.Currency())
	e.Set(paymentform.Text(0), r.Text)
	if r.Day >= finance.PaymentDay(now) {
		e.Set(paymentform.When, paymentform.OnDate)
		e.Set(paymentform.Date, string(r.Day))
	}
}

// requested returns where to go instead of the form when a request can no longer be paid there: to its draft, its payment, or its page. It returns "" while
// the form is right.
func (a *Area) requested(v *shell.Visitor, id string) (to string, err error) {
	if id == "" {
		return "", nil
	}
	r, err := a.Store.PaymentRequest(v.Ctx(), v.User.ID, id)
	switch {
	case err != nil:
		return "", err
	case r.Payer.ID == v.User.ID && r.State == finance.RequestAsked:
		return "", nil
	case r.PaymentID != "" && !r.Sent:
		return paths.PaymentReview(r.PaymentID), nil
	case r.PaymentID != "":
		return paths.Payment(r.PaymentID), nil
	}
	return paths.Request(id), nil
}

// askedNotice says on the form who asks for the payment, and that Florin has not checked the request.
func (a *Area) askedNotice(v *shell.Visitor, id string) (*ui.Notice, error) {
	r, err := a.Store.PaymentRequest(v.Ctx(), v.User.ID, id)
	if err == nil && r.Payer.ID != v.User.ID {
		err = finance.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	n := &ui.Notice{Tone: ui.Info, Title: v.Say("%s asks you to pay this", r.Asker.Email), Text: v.Say("Compare it with the invoice before you pay. Florin has not checked it.")}
	if r.Note != "" {
		n.Text = v.Say("“%s”", r.Note) + " " + n.Text
	}
	return n, nil
}

// liveRequests is the view of the pages that show requests.
const liveRequests = "requests"

// requestsLive is the address of the stream of a page that shows requests.
func requestsLive(all []finance.PaymentRequest) string {
	return shell.LivePath(liveRequests, url.Values{"seen": {digestOfRequests(all)}})
}

func digestOfRequests(all []finance.PaymentRequest) string {
	h := sha256.New()
	for _, r := range all {
		fmt.Fprintln(h, r.ID, r.State, r.Other, r.PaymentID, r.Sent)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// requestsView follows whether requests stand as a page shows them.
type requestsView struct {
	app    *Area
	userID string
	seen   string // digest of what the page shows
}

func (a *Area) openRequestsView(v *shell.Visitor, query url.Values) (shell.View, error) {
	return &requestsView{a, v.User.ID, query.Get("seen")}, nil
}

// Render loads the page again when requests are others or stand otherwise.
func (w *requestsView) Render(ctx context.Context, e live.Event) (string, []byte, error) {
	if e.Topic != payments.Topic && e.Topic != shell.TopicOpened {
		return "", nil, nil
	}
	all, err := w.app.Store.PaymentRequests(ctx, w.userID)
	if err != nil || digestOfRequests(all) == w.seen {
		return "", nil, err
	}
	return shell.EventReload, nil, nil
}

// requestsCard is the part of the list of payments that shows open requests.
func (a *Area) requestsCard(ctx context.Context, userID string) (pages.RequestsCard, error) {
	all, err := a.Store.PaymentRequests(ctx, userID)
	return pages.RequestsCard{Rows: openRequests(a.At(ctx, time.Now()), all, userID)}, err
}
