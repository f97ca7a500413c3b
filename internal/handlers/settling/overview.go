package settling

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/money"
	core "florin/internal/settling"
	"florin/web/templates/layout"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// pageRows is the number of rows on a page of a list.
const pageRows = 50

// reader words the content of a book for the visitor.
type reader struct {
	show.Clock

	book   core.Book
	member bool // the visitor may change something
}

func (a *Area) reader(v *shell.Visitor) (reader, error) {
	b, err := a.Store.SettlingBook(v.Ctx(), v.User.ID)
	return reader{a.At(v.Ctx(), time.Now()), b, v.User.Role != finance.RoleViewer}, err
}

// name returns how a person is called. The sentences themselves say "you".
func (r reader) name(id string) string { return r.Person(r.book, id) }

// names lists people in a sentence, with "you" for the visitor.
func (r reader) names(ids []string) string {
	var all []string
	for _, id := range ids {
		if id == r.book.Me {
			all = append(all, r.Say("you"))
		} else {
			all = append(all, r.name(id))
		}
	}
	return r.List(all)
}

// page returns the rows that the address asks for, in a list of rows rows, and links to the other pages.
func page(v *shell.Visitor, address string, rows int) (from, to int, p ui.Pager) {
	at, err := strconv.Atoi(v.Request.URL.Query().Get("page"))
	last := max(1, (rows+pageRows-1)/pageRows)
	if err != nil || at < 1 {
		at = 1
	}
	at = min(at, last)
	href := func(n int) string {
		if n == 1 {
			return address
		}
		return address + "?" + url.Values{"page": {strconv.Itoa(n)}}.Encode()
	}
	if at > 1 {
		p.Newer = href(at - 1)
	}
	if at < last {
		p.Older = href(at + 1)
	}
	return (at - 1) * pageRows, min(at*pageRows, rows), p
}

// overview shows who owes whom.
func (a *Area) overview(v *shell.Visitor) error {
	r, err := a.reader(v)
	if err != nil {
		return err
	}
	view := pages.SettlingView{Frame: a.Frame(v), None: len(r.book.Expenses) == 0 && len(r.book.Settlements) == 0, Owner: v.User.Role == finance.RoleOwner,
		Alone: !slices.ContainsFunc(r.book.People, func(p core.Person) bool { return p.ID != v.User.ID && !p.Gone })}
	view.Frame.Live = livePath(r.book)
	if r.member && !view.Alone {
		view.New = paths.NewExpense
	}
	if !view.None {
		view.Export = paths.SettlingExport
	}
	view.Currencies = r.currencies()
	if view.Chains, err = r.chains(); err != nil {
		return err
	}
	for _, s := range r.book.Settlements {
		if s.State == core.UnderWay && !s.Undone || s.State == core.Prepared && s.PaymentID != "" {
			view.UnderWay = append(view.UnderWay, r.settlement(s, ""))
		}
	}
	from, to, pager := page(v, paths.Settling, len(r.book.Expenses))
	view.Pages = pager
	for _, e := range r.book.Expenses[from:to] {
		view.Expenses = append(view.Expenses, r.expense(e))
	}
	if r.member && (!view.Alone || !view.None) {
		if err := a.account(v, &view); err != nil {
			return err
		}
	}
	return v.Page(http.StatusOK, pages.Settling(view))
}

// account shows the account on which the visitor wants to be paid.
func (a *Area) account(v *shell.Visitor, view *pages.SettlingView) error {
	view.AccountAt = paths.SettlingAccount
	to, err := a.Store.ReceivingAccount(v.Ctx(), v.User.ID)
	if errors.Is(err, finance.ErrNotFound) {
		view.Account = ui.Fact{Name: v.Say("Choose an account"), Value: v.Say("You have chosen no account yet."), Note: v.Say("Without one, others can settle with you in cash only.")}
		return nil
	}
	view.Account = ui.Fact{Name: v.Say("Change the account"), Value: to.Name + ", " + show.Groups(to.IBAN), Note: v.Say("Others see it when they pay you.")}
	return err
}

// currencies returns what the visitor owes and is owed, by currency and person.
func (r reader) currencies() []pages.SettlingCurrency {
	var all []pages.SettlingCurrency
	of := map[string][]core.Debt{}
	var codes []string
	for _, d := range r.book.Ledger.Pairs() {
		if d.From != r.book.Me && d.To != r.book.Me {
			continue
		}
		code := d.Amount.Currency()
		if of[code] == nil {
			codes = append(codes, code)
		}
		of[code] = append(of[code], d)
	}
	slices.Sort(codes)
	for _, code := range codes {
		c := pages.SettlingCurrency{Code: code}
		var most int64 = 1
		net := money.FromMinor(0, code)
		for _, d := range of[code] {
			most = max(most, d.Amount.Minor())
			amount := d.Amount
			if d.From == r.book.Me {
				amount = amount.Neg()
			}
			net, _ = net.Add(amount) // the ledger has added the same amounts without an overflow
		}
		for _, d := range of[code] {
			p := pages.SettlingPerson{Name: r.name(d.From), Text: r.Say("owes you"), Amount: pages.Figure(d.Amount), Href: paths.SettlingWith(d.From),
				Bar: pages.SettlingBar{Length: int(max(1, 100*(d.Amount.Minor()/10)/max(1, most/10)))}}
			if most < 1000 {
				p.Bar.Length = int(max(1, 100*d.Amount.Minor()/most))
			}
			if d.From == r.book.Me {
				p.Name, p.Text, p.Href, p.Bar.Gives = r.name(d.To), r.Say("you owe"), paths.SettlingWith(d.To), true
			}
			p.Bar.Length = min(p.Bar.Length, 100)
			c.People = append(c.People, p)
		}
		switch net.Sign() {
		case 1:
			c.Text = r.Say("In all, you get %s.", net)
		case -1:
			c.Text = r.Say("In all, you owe %s.", net.Abs())
		default:
			c.Text = r.Say("In all, you get as much as you owe.")
		}
		all = append(all, c)
	}
	return all
}

// chains returns the simplified debts of the visitor; none when they equal the debts themselves.
func (r reader) chains() ([]pages.SettlingChain, error) {
	all, err := r.book.Chains()
	if err != nil || !slices.ContainsFunc(all, func(c core.Chain) bool { return !c.Direct() }) {
		return nil, err
	}
	var list []pages.SettlingChain
	for _, c := range all {
		var between []string
		for _, p := range c.Paths {
			between = append(between, p.People[1:len(p.People)-1]...)
		}
		slices.Sort(between)
		row := pages.SettlingChain{Text: r.Say("You pay %s", r.name(c.To)), Amount: pages.Figure(c.Amount)}
		if c.To == r.book.Me {
			row.Text = r.Say("%s pays you", r.name(c.From))
		} else if r.member && !r.book.Person(c.To).Gone {
			row.Action, row.Value = paths.SettlingPay(c.To), c.Amount.Currency()
		}
		if row.Note = r.Say("as before"); len(between) > 0 {
			row.Note = r.Say("%s is left out.", r.names(slices.Compact(between)))
			if between = slices.Compact(between); len(between) > 1 {
				row.Note = r.Say("%s are left out.", r.names(between))
			}
		}
		list = append(list, row)
	}
	return list, nil
}

// expense returns the row of an expense.
func (r reader) expense(e core.Expense) pages.SettlingRow {
	part := e.Part(r.book.Me)
	row := pages.SettlingRow{Title: e.Text, Href: paths.Expense(e.ID), Amount: pages.Figure(e.Amount.Abs()), Struck: e.Deleted,
		Notes: []string{r.FullDay(e.Date), r.Say("%s paid", r.name(e.Payer))}}
	if e.Payer == r.book.Me {
		row.Notes[1] = r.Say("you paid")
	}
	if e.Amount.Sign() < 0 {
		row.Notes[1] = r.Say("%s got it back", r.name(e.Payer))
		if e.Payer == r.book.Me {
			row.Notes[1] = r.Say("you got it back")
		}
	}
	row.Side = r.Say("your share: %s", part.Abs())
	if e.Deleted {
		row.Mark, row.Side = &ui.Badge{Tone: ui.Info, Text: r.Say("Deleted")}, r.Say("no longer counts")
	}
	return row
}

// settlement returns the row of a settlement. with is the person whose page shows it; "" on the overview.
func (r reader) settlement(s core.Settlement, with string) pages.SettlingRow {
	row := pages.SettlingRow{Title: r.Say("%s pays you", r.name(s.From)), Amount: pages.Figure(s.Amount), Notes: []string{r.Brief(s.Created)}, Href: ""}
	switch {
	case s.From == r.book.Me:
		row.Title = r.Say("You pay %s", r.name(s.To))
	case s.To != r.book.Me:
		row.Title = r.Say("%s pays %s", r.name(s.From), r.name(s.To))
		row.Notes = append(row.Notes, r.Say("instead of debts with you"))
	}
	if s.State == core.Settled {
		row.Amount = pages.Figure(s.Paid)
	}
	row.Mark = r.state(s)
	if s.Means == core.InCash {
		row.Notes = append(row.Notes, r.Say("in cash"), r.Say("entered by %s", r.names([]string{s.By})))
	} else {
		row.Notes = append(row.Notes, r.Say("by a payment"))
	}
	row.Struck = s.Undone || s.State == core.Void || s.State == core.Other
	if s.State == core.Other {
		row.Notes = append(row.Notes, r.Say("The payment went to another account, or in another currency, than was asked for. It settles nothing by itself."))
	}
	if s.PaymentID != "" {
		row.Pay = &ui.Link{Text: r.Say("Open the payment"), Href: paths.Payment(s.PaymentID)}
		if s.State == core.Prepared {
			row.Pay = &ui.Link{Text: r.Say("Review and confirm"), Href: paths.PaymentReview(s.PaymentID)}
		}
	}
	if s.Undone {
		row.Notes = append(row.Notes, r.Say("undone by %s", r.names([]string{s.UndoneBy})))
	}
	if with != "" && r.member && s.State == core.Settled && (s.From == r.book.Me || s.To == r.book.Me) {
		row.Undo = &pages.SettlingUndo{Action: paths.SettlementUndo(s.ID), Value: "yes", Text: r.Say("Undo"), With: with}
		if s.Undone {
			row.Undo.Value, row.Undo.Text = "no", r.Say("Count it again")
		}
	}
	return row
}

// state returns the status of a settlement as a mark.
func (r reader) state(s core.Settlement) *ui.Badge {
	mark := func(tone ui.Tone, text words.Text) *ui.Badge { return &ui.Badge{Tone: tone, Text: r.Say(text)} }
	switch {
	case s.Undone:
		return mark(ui.Info, "Does not count")
	case s.State == core.Prepared:
		return mark(ui.Info, "Not confirmed yet")
	case s.State == core.UnderWay:
		return mark(ui.Busy, "On its way")
	case s.State == core.Settled:
		return mark(ui.Good, "Settled")
	case s.State == core.Void:
		return mark(ui.Warning, "Not paid")
	}
	return mark(ui.Warning, "Settles nothing")
}

// export answers with a CSV file of all that the visitor may see.
func (a *Area) export(v *shell.Visitor) error {
	c := a.At(v.Ctx(), time.Now())
	sections, err := a.Tables(v)
	if err != nil {
		return err
	}
	return c.DownloadTables(v.Writer, "florin-"+strings.ToLower(string(layout.SettlingSection))+"-"+string(c.Today()), sections)
}

// Tables returns all that the visitor may see: a line for each debt, share and settlement.
func (a *Area) Tables(v *shell.Visitor) ([]pages.ReportSection, error) {
	r, err := a.reader(v)
	if err != nil {
		return nil, err
	}
	person := func(id string) string { return r.name(id) }
	cell := func(amount money.Amount) pages.ReportCell {
		f := pages.Figure(amount)
		return pages.ReportCell{Amount: &f}
	}
	text := func(s string) pages.ReportCell { return pages.ReportCell{Text: s} }
	shares := pages.ReportSection{Title: v.Say("Shared expenses"), Table: pages.ReportTable{Head: []string{v.Say("Date"), v.Say("Text"), v.Say("Currency"), v.Say("Amount"), v.Say("Who paid"),
		v.Say("Person"), v.Say("Share")}}}
	for _, e := range r.book.Expenses {
		if e.Deleted {
			continue
		}
		for _, s := range e.Shares {
			shares.Table.Rows = append(shares.Table.Rows, []pages.ReportCell{text(string(e.Date)), text(e.Text), text(e.Amount.Currency()), cell(e.Amount),
				text(person(e.Payer)),
				text(person(s.Person)), cell(s.Amount)})
		}
	}
	settled := pages.ReportSection{Title: v.Say("Settled"), Table: pages.ReportTable{Head: []string{v.Say("Date"), v.Say("How"), v.Say("Currency"), v.Say("Amount"), v.Say("From"), v.Say("To"),
		v.Say("State")}}}
	for _, s := range r.book.Settlements {
		if s.State == core.Prepared {
			continue
		}
		amount, how := s.Amount, v.Say("by a payment")
		if s.State == core.Settled {
			amount = s.Paid
		}
		if s.Means == core.InCash {
			how = v.Say("in cash")
		}
		settled.Table.Rows = append(settled.Table.Rows, []pages.ReportCell{text(s.Created.In(r.Now.Location()).Format(time.DateOnly)), text(how),
			text(amount.Currency()), cell(amount),
			text(person(s.From)), text(person(s.To)), text(r.state(s).Text)})
	}
	owed := pages.ReportSection{Title: v.Say("Who owes whom"), Table: pages.ReportTable{Head: []string{v.Say("Who owes"), v.Say("Who gets"), v.Say("Currency"), v.Say("Amount")}}}
	for _, d := range r.book.Ledger.Pairs() {
		if d.From == r.book.Me || d.To == r.book.Me {
			owed.Table.Rows = append(owed.Table.Rows, []pages.ReportCell{text(person(d.From)), text(person(d.To)), text(d.Amount.Currency()), cell(d.Amount)})
		}
	}
	return []pages.ReportSection{owed, shares, settled}, nil
}
