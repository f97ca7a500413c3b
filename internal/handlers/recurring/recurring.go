package recurring

import (
	"net/http"
	"slices"
	"time"

	"florin/internal/categories"
	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/money"
	"florin/internal/recurring"
	"florin/internal/store"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// ahead is how many days the list of what comes covers.
const ahead = 30

// maxName is the longest name of a series, in characters.
const maxName = 70

func (a *Area) list(v *shell.Visitor) error {
	c := a.At(v.Ctx(), time.Now())
	whose, err := a.Whose(v, v.Request.URL.Query().Get("whose"))
	if err != nil {
		return err
	}
	all, err := whose.RecurringSeries(v.Ctx())
	if err != nil {
		return err
	}
	h, err := whose.Holdings(v.Ctx())
	if err != nil {
		return err
	}
	places := c.Places(h.Accounts)
	view := pages.RecurringView{Frame: a.Frame(v), Whose: whose.Choice, Asked: whose.Asked, Groups: groups(c, all, places, whose.OfHousehold())}
	view.Frame.Live = whose.Live()
	var bills []money.Amount
	for _, k := range all {
		if k.Choice == recurring.Dismissed {
			view.Dismissed = append(view.Dismissed, c.SeriesRow(k, places))
		} else if kind(c, k) == bill {
			if sum, ok := k.PerYear(); ok {
				bills = append(bills, sum.Neg())
			} else {
				view.Missing = v.Say("Amounts that are too large to add up are not part of this.")
			}
		}
	}
	sums, err := money.Sum(bills...)
	if err != nil {
		sums, view.Missing = nil, v.Say("Subscriptions and bills are too large to add up.")
	}
	for _, sum := range sums {
		month := money.FromMinor(sum.Minor()/12, sum.Currency())
		view.Sums = append(view.Sums, v.Say("Subscriptions and bills add up to %s a month, %s a year.", month, sum))
	}
	coming, err := whose.Coming(v.Ctx(), c.Now, ahead)
	if err != nil {
		return err
	}
	view.Coming = c.Coming(coming, places)
	return v.Page(http.StatusOK, pages.Recurring(view))
}

// kinds of series, in the order of the page.
const (
	bill = iota
	income
	transfer
	ended
	hidden // dismissed
)

func kind(c show.Clock, k recurring.Kept) int {
	switch {
	case k.Choice == recurring.Dismissed:
		return hidden
	case k.On(c.Today()).State == recurring.Ended:
		return ended
	case k.Category == categories.Transfer:
		return transfer
	case k.Usual.Sign() > 0:
		return income
	}
	return bill
}

// groups are the series that are not dismissed, by their kinds.
func groups(c show.Clock, all []recurring.Kept, places show.Places, household bool) []pages.RecurringGroup {
	list := []pages.RecurringGroup{{ID: "bills", Title: c.Say("Subscriptions and bills")}, {ID: "income", Title: c.Say("Income")},
		{ID: "transfers", Title: c.Say("Between your accounts")}, {ID: "ended", Title: c.Say("Ended")}}
	if household {
		list[transfer].Title = c.Say("Between accounts of one person")
	}
	for _, k := range all {
		if kind := kind(c, k); kind != hidden {
			list[kind].Rows = append(list[kind].Rows, c.SeriesRow(k, places))
		}
	}
	return slices.DeleteFunc(list, func(g pages.RecurringGroup) bool { return len(g.Rows) == 0 })
}

func (a *Area) series(v *shell.Visitor) error { return a.page(v, http.StatusOK, nil) }

// page shows a series: one's own to change, that of somebody else to look at. wrong is what the person typed as its name and what is wrong with it, nil for
// nothing.
func (a *Area) page(v *shell.Visitor, status int, wrong *ui.Input) error {
	id := v.Request.PathValue("series")
	household := a.Store.Household(v.User.ID)
	k, rows, merged, err := household.Recurring(v.Ctx(), id)
	if err != nil {
		return err
	}
	c := a.At(v.Ctx(), time.Now())
	view := pages.RecurringSeriesView{Frame: a.Frame(v), ID: id, Title: c.TransactionName(k.Title), Amount: pages.Flow(k.Usual), Marks: c.SeriesMarks(k),
		Facts: facts(c, k), Owner: k.Owner,
		Confirmed: k.Choice == recurring.Confirmed, Dismissed: k.Choice == recurring.Dismissed,
		Name: ui.Input{Name: "name", Label: v.Say("Name"), Type: "text", Value: k.Name, Autocomplete: "off", MaxLength: maxName, Hint: v.Say("Leave it empty to use the name of the last transaction.")}}
	if wrong != nil {
		view.Name.Value, view.Name.Problem = wrong.Value, wrong.Problem
	}
	if merged > 0 {
		view.Merged = v.Say("%d other series are part of it.", merged)
	}
	if err := a.places(v, c, household, &view, rows); err != nil {
		return err
	}
	if k.Owner != "" {
		whose, err := a.Whose(v, shell.WhoseHousehold)
		if err != nil {
			return err
		}
		view.Frame.Live, view.Asked = whose.Live(), whose.Asked
		return v.Page(status, pages.RecurringSeries(view))
	}
	all, err := a.Store.RecurringSeries(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	for _, other := range all {
		if other.ID != id && other.Choice != recurring.Dismissed && other.Usual.Currency() == k.Usual.Currency() && other.Usual.Sign() == k.Usual.Sign() {
			view.Others = append(view.Others, ui.Option{Value: other.ID, Text: c.TransactionName(other.Title) + " · " + c.Money(other.Usual.Abs())})
		}
	}
	return v.Page(status, pages.RecurringSeries(view))
}

// places fills in the transactions of a series, each with its category and its account.
func (a *Area) places(v *shell.Visitor, c show.Clock, household store.Seen, view *pages.RecurringSeriesView, rows []finance.FoundRow) error {
	h, err := household.Holdings(v.Ctx())
	if err != nil {
		return err
	}
	book, err := household.Categories(v.Ctx())
	if err != nil {
		return err
	}
	accounts := h.Accounts
	view.Days = c.Days(rows, func(r finance.FoundRow) show.ListedIn {
		in := show.ListedIn{Base: paths.Transaction(r.AccountID, ""), Name: c.RowCategory(book, r.TransactionRow)}
		if i := slices.IndexFunc(accounts, func(account finance.Account) bool { return account.ID == r.AccountID }); i >= 0 && len(accounts) > 1 {
			name := c.AccountName(accounts[i])
			if in.Name != "" {
				name = in.Name + " · " + name
			}
			in.Name = name
		}
		return in
	})
	return nil
}

func facts(c show.Clock, k recurring.Kept) []ui.Fact {
	s := k.On(c.Today())
	var f show.Facts
	f.Add(c.Say("How often"), c.Often(k.Every), "")
	if s.Next != "" {
		f.Add(c.Say("Next one"), c.DayInFull(s.Next), "")
	}
	f.Add(c.Say("Last"), c.DayInFull(k.Last), "")
	f.Add(c.Say("First"), c.DayInFull(k.First), "")
	if k.Low != k.High {
		f.Add(c.Say("Range of the last amounts"), c.SeriesRange(k), "")
	}
	if k.Since != "" {
		f.Add(c.Say("Amount before"), c.Say("%s until %s", k.Was.Abs(), c.Day(k.Since).Text), "")
	}
	if sum, ok := k.PerYear(); ok {
		f.Add(c.Say("In a year"), c.Money(sum.Abs()), "")
	}
	f.Add(c.Say("Status"), c.Say(stateWords[s.State]), "")
	return f
}

var stateWords = map[recurring.State]words.Text{
	recurring.Early: "Early: two transactions so far", recurring.Mature: "Established: at least three transactions", recurring.Ended: "Ended: the next ones did not come",
}

func (a *Area) choose(v *shell.Visitor) error {
	id, choice := v.Request.PathValue("series"), recurring.Choice(v.Field("choice"))
	told, known := map[recurring.Choice]words.Text{recurring.Confirmed: "Noted. Florin keeps this series until you say otherwise.",
		recurring.Dismissed: "Dismissed. Florin does not find this series again.", recurring.Undecided: "Undone. Florin decides again by the transactions."}[choice]
	if !known {
		return &shell.Problem{Status: http.StatusBadRequest}
	}
	if err := a.Store.ChooseRecurring(v.Ctx(), v.User.ID, id, choice); err != nil {
		return err
	}
	a.Flash(v, ui.Good, v.Say(told))
	v.SeeOther(paths.Recurring)
	return nil
}

func (a *Area) name(v *shell.Visitor) error {
	id, name := v.Request.PathValue("series"), finance.Clean(v.Field("name"))
	if n := len([]rune(name)); n > maxName {
		return a.page(v, http.StatusUnprocessableEntity, &ui.Input{Value: name, Problem: v.Say("The name has %d characters; at most %d are possible.", n, maxName)})
	}
	if err := a.Store.NameRecurring(v.Ctx(), v.User.ID, id, name); err != nil {
		return err
	}
	a.Flash(v, ui.Good, v.Say("The name is saved."))
	v.SeeOther(paths.RecurringSeries(id))
	return nil
}

func (a *Area) merge(v *shell.Visitor) error {
	id, into := v.Request.PathValue("series"), v.Field("into")
	if _, _, _, err := a.Store.Recurring(v.Ctx(), v.User.ID, id); err != nil {
		return err
	}
	if into == "" {
		return &shell.Problem{Status: http.StatusUnprocessableEntity, What: v.Say("Choose the series that continues it.")}
	}
	if err := a.Store.MergeRecurring(v.Ctx(), v.User.ID, id, into); err != nil {
		return err
	}
	a.Flash(v, ui.Good, v.Say("The two are one now."))
	v.SeeOther(paths.RecurringSeries(into))
	return nil
}

func (a *Area) separate(v *shell.Visitor) error {
	id := v.Request.PathValue("series")
	if err := a.Store.SeparateRecurring(v.Ctx(), v.User.ID, id); err != nil {
		return err
	}
	a.Flash(v, ui.Good, v.Say("They are separate again."))
	v.SeeOther(paths.Recurring)
	return nil
}
