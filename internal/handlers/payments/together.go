package payments

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/openbanking"
	"florin/internal/paymentfile"
	"florin/internal/store"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// maxTogether bounds the payments of one file, and of one page to choose them from.
const maxTogether = 500

// errElsewhere: a payment of a file goes from another account than the file.
var errElsewhere = errors.New("payments: a file pays from one account")

// togetherForm is a choice of payments for one file.
type togetherForm struct {
	account string
	ids     []string
	version paymentfile.PainVersion
	total   bool
	problem *ui.Notice
}

// filePage lets the person choose, of the payments that wait to be sent in the app of the bank, those of one file.
func (a *Area) filePage(v *shell.Visitor) error {
	return a.fileForm(v, http.StatusOK, togetherForm{account: v.Request.URL.Query().Get("account")})
}

func (a *Area) fileForm(v *shell.Visitor, status int, f togetherForm) error {
	accounts, err := a.Store.AccountsToSend(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	h, err := a.Store.Holdings(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	c := a.At(v.Ctx(), time.Now())
	names := accountNames(c, h.Accounts)
	if !slices.Contains(accounts, f.account) && len(accounts) > 0 {
		f.account = accounts[0]
	}
	view := pages.PaymentsFileView{Frame: a.Frame(v), Problem: f.problem, Account: f.account, Name: names[f.account], Versions: painVersions(c, f.version),
		Bookings: []ui.Option{{Text: c.Say("Each payment separately")}, {Value: "on", Text: c.Say("One total for each day"), Selected: f.total}}}
	if len(accounts) > 1 {
		for _, id := range accounts {
			view.Accounts = append(view.Accounts, pages.Filter{Text: names[id], Href: paths.PaymentsFileOf(id), Current: id == f.account})
		}
	}
	list, more, err := a.Store.PaymentsToSend(v.Ctx(), v.User.ID, f.account, maxTogether)
	if err != nil {
		return err
	}
	if more {
		view.More = c.Say("These are the oldest %d. The others come up when these are sent.", maxTogether)
	}
	view.Simulated = len(list) > 0
	for _, p := range list {
		view.Simulated = view.Simulated && p.Simulated
		row := pages.FilePayment{ID: p.ID, Payee: c.PaidTo(p), Detail: c.Moment(p.Sent).Text, Ticked: slices.Contains(f.ids, p.ID)}
		if day := p.Order.ExecutionDate(); day != "" {
			row.Detail = c.Say("%s, for %s", row.Detail, longDay(c, day))
		}
		if !p.Filed.IsZero() {
			row.Filed = c.Say("Already in a file: %s", c.Moment(p.Filed).Text)
		}
		row.Amount, _, _ = paidAmount(c, p, p.Story(c.Now))
		view.Rows = append(view.Rows, row)
	}
	view.Frame.Simulated = view.Simulated
	others, err := a.Store.CountNoFile(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	if others > 0 {
		view.Others = c.Say("%d payments in francs are not listed here: there is no file for them yet. Open each of them and scan its code.", others)
	}
	if len(list) > 0 {
		if _, err := a.painPayer(v, f.account); errors.Is(err, paymentfile.ErrNoPayer) {
			view.NoFile = c.Say(noPayer)
		} else if err != nil {
			return err
		}
	}
	return v.Page(status, pages.PaymentsFile(view))
}

// fileTogether gives payments that were chosen as one file. Each of them was confirmed by itself before; the file is made here and kept nowhere.
func (a *Area) fileTogether(v *shell.Visitor) error {
	f := togetherForm{account: v.Field("account"), ids: slices.Clone(v.Request.PostForm["payment"]), version: paymentfile.PainVersion(v.Field("version")),
		total: v.Field("total") != ""}
	slices.Sort(f.ids)
	f.ids = slices.Compact(f.ids)
	switch {
	case len(f.ids) == 0:
		return a.noFile(v, f, v.Say("Tick at least one payment."))
	case len(f.ids) > maxTogether:
		return a.noFile(v, f, v.Say("A file takes at most %d payments. Make a second file of the others.", maxTogether))
	}
	o, err := a.painPayer(v, f.account)
	if errors.Is(err, paymentfile.ErrNoPayer) {
		return finance.ErrNotFound
	}
	if err != nil {
		return err
	}
	o.ID, o.OneTotal = finance.FileReference(f.ids), f.total
	if f.version != "" {
		o.Version = f.version
	}
	var file []byte
	err = a.Payments.PutInFile(v.Ctx(), v.User.ID, f.ids, func(list []finance.Payment) ([]finance.FiledTotal, error) {
		if err := fillFile(&o, f.account, list); err != nil {
			return nil, err
		}
		file, err = o.Write()
		return totals(o, list), err
	})
	var over *store.Over
	switch {
	case errors.As(err, &over):
		return a.noFile(v, f, v.Say("%d payments are no longer waiting: they are booked, or you said what became of them.", over.Payments))
	case errors.Is(err, errElsewhere):
		return a.noFile(v, f, v.Say("One file pays from one account. Tick payments of one account only."))
	case errors.Is(err, paymentfile.ErrNotEuro):
		return a.noFile(v, f, v.Say("One of the payments is not in euros. These files are for euros only."))
	case errors.Is(err, paymentfile.ErrNoVersion):
		return &shell.Problem{Status: http.StatusBadRequest, What: v.Say(noVersion), Todo: v.Say("Choose a version from the list."),
			Action: ui.Link{Text: v.Say("Several in one file"), Href: paths.PaymentsFileOf(f.account)}}
	case err != nil:
		return err
	}
	give(v, "application/xml; charset=utf-8", "attachment", o.Name(), file)
	return nil
}

// totals returns, for each day with several payments, which payments the bank is asked to book as one. It is nil unless the person chose one booking.
func totals(o paymentfile.PainOrder, list []finance.Payment) (all []finance.FiledTotal) {
	if !o.OneTotal {
		return nil
	}
	for i, day := range o.Days {
		total := finance.FiledTotal{ID: o.GroupID(i)}
		for _, p := range list {
			if fileDay(p) == day.Day {
				total.Payments = append(total.Payments, p.ID)
			}
		}
		if len(total.Payments) > 1 {
			all = append(all, total)
		}
	}
	return all
}

// noFile shows the choice again with what is wrong.
func (a *Area) noFile(v *shell.Visitor, f togetherForm, why string) error {
	f.problem = &ui.Notice{Tone: ui.Bad, Title: v.Say("No file was made"), Text: why}
	return a.fileForm(v, http.StatusUnprocessableEntity, f)
}

// noVersion says that a file of another version was asked for.
const noVersion words.Text = "Florin does not write files of this version."

// fillFile adds payments to a file, grouped by day. All of them have to leave the account of the file, else the error is errElsewhere.
func fillFile(o *paymentfile.PainOrder, account string, list []finance.Payment) error {
	o.Days = nil // a transaction that is tried again fills the file again
	days := map[openbanking.Date][]paymentfile.PainCredit{}
	for _, p := range list {
		if p.Order.AccountID != account {
			return errElsewhere
		}
		credits, err := paymentfile.PainCredits(p.Order)
		if err != nil {
			return err
		}
		if p.Sent.After(o.Created) {
			o.Created = p.Sent
		}
		days[fileDay(p)] = append(days[fileDay(p)], credits...)
	}
	for day, credits := range days {
		o.Days = append(o.Days, paymentfile.PainDay{Day: day, Credits: credits})
	}
	slices.SortFunc(o.Days, func(a, b paymentfile.PainDay) int { return strings.Compare(string(a.Day), string(b.Day)) })
	return nil
}
