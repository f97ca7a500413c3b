package rates

import (
	"cmp"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/money"
	core "florin/internal/rates"
	"florin/internal/search"
	"florin/internal/store"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// typed is the form for a rate as it was filled in, with what is wrong.
type typed struct {
	base, quote, value, day                             string
	baseProblem, quoteProblem, valueProblem, dayProblem words.Message
}

// list shows the rates that there are.
func (a *Area) list(v *shell.Visitor) error {
	return a.page(v, http.StatusOK, nil, "")
}

// page shows the rates that there are; form is what was typed, nil for nothing, and fileProblem why a file was refused.
func (a *Area) page(v *shell.Visitor, status int, form *typed, fileProblem string) error {
	c := a.At(v.Ctx(), time.Now())
	accounts, err := a.Store.Accounts(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	held, err := a.Store.ReferenceRates(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	own, err := a.Store.OwnRates(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	main := finance.MainCurrency(v.User, accounts)
	codes := codesOf(accounts)
	for _, r := range held.Newest.All() {
		codes[r.Quote] = true
	}
	today := c.Today()
	book, err := a.Store.Rates(v.Ctx(), v.User.ID, slices.Sorted(maps.Keys(codes)), search.Period{From: today, To: today})
	if err != nil {
		return err
	}
	view := pages.RatesView{Frame: a.Frame(v), FileProblem: fileProblem, FileHint: v.Say("CSV or zip, up to %d MiB.", core.MaxFile>>20)}
	if held.Days > 0 {
		view.Read = v.Say("%d days, from %s to %s", held.Days, c.FullDay(held.First), c.FullDay(held.Last))
	}
	for _, r := range book.Newest(today) {
		row := pages.RateRow{Pair: v.Say("1 %s in %s", r.Base, r.Quote), Value: c.Decimal(string(r.Value)),
			Day: ui.Time{ISO: string(r.Day), Text: c.FullDay(r.Day)}, Source: v.Say("by hand"), Old: r.Old(today)}
		if r.Source == core.ECB {
			row.Source = v.Say("European Central Bank")
		}
		view.Rows = append(view.Rows, row)
	}
	for _, r := range own {
		view.Own = append(view.Own, pages.OwnRate{ID: r.ID, Text: c.Rate(r.Rate)})
		codes[r.Base], codes[r.Quote] = true, true
	}
	codes["EUR"], codes[main] = true, true
	usual := finance.MainCurrency(finance.User{}, accounts)
	view.Currencies = []ui.Option{{Text: v.Say("That of most accounts (%s)", usual), Selected: v.User.Currency == ""}}
	for _, code := range slices.Sorted(maps.Keys(codes)) {
		view.Currencies = append(view.Currencies, ui.Option{Value: code, Text: code, Selected: v.User.Currency == code})
	}
	if form == nil {
		form = &typed{base: main, day: string(today)}
	}
	code := func(name string, label words.Text, value string, problem words.Message) ui.Input {
		return ui.Input{Name: name, Label: v.Say(label), Type: "text", Value: value, Problem: c.Message(problem), Required: true, Autocomplete: "off", MaxLength: 3}
	}
	view.Base = code("base", "One unit of", form.base, form.baseProblem)
	view.Quote = code("quote", "In the currency", form.quote, form.quoteProblem)
	view.Value = ui.Input{Name: "value", Label: v.Say("Costs"), Type: "text", Mode: "decimal", Value: form.value, Problem: c.Message(form.valueProblem), Required: true, Autocomplete: "off",
		MaxLength: 40}
	view.Day = ui.Input{Name: "day", Label: v.Say("On the day"), Type: "text", Value: form.day, Problem: c.Message(form.dayProblem), Autocomplete: "off", MaxLength: 20}
	return v.Page(status, pages.Rates(view))
}

// codesOf are the currencies of accounts.
func codesOf(accounts []finance.Account) map[string]bool {
	codes := map[string]bool{}
	for _, account := range accounts {
		if core.IsCode(account.Currency) && account.Currency != finance.NoCurrency {
			codes[account.Currency] = true
		}
	}
	return codes
}

// add keeps a rate that was typed.
func (a *Area) add(v *shell.Visitor) error {
	c := a.At(v.Ctx(), time.Now())
	accounts, err := a.Store.Accounts(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	codes := codesOf(accounts)
	form := typed{base: strings.ToUpper(v.Field("base")), quote: strings.ToUpper(v.Field("quote")), value: v.Field("value"), day: v.Field("day")}
	unknown := func(code string) words.Message {
		if _, known := money.Exponent(code); known || codes[code] {
			return words.Message{}
		}
		return words.Msg("The currency must be a code of three letters, such as EUR.")
	}
	r := core.Rate{Base: form.base, Quote: form.quote, Source: core.Hand}
	form.baseProblem, form.quoteProblem = unknown(r.Base), unknown(r.Quote)
	if r.Base == r.Quote {
		form.quoteProblem = words.Msg("Choose a currency other than the first one.")
	}
	if r.Value, err = core.ParseValue(form.value); err != nil {
		form.valueProblem = show.RateProblem(err)
	}
	if r.Day, err = finance.ParseDay(cmp.Or(form.day, string(c.Today()))); err != nil {
		form.dayProblem = show.DayProblem(err)
	} else if r.Day > c.Today() {
		form.dayProblem = words.Msg("This day is in the future. Enter today or a day before.")
	}
	wrong := slices.ContainsFunc([]words.Message{form.baseProblem, form.quoteProblem, form.valueProblem, form.dayProblem},
		func(m words.Message) bool { return m.Text != "" })
	if !wrong {
		err := a.Store.SaveRate(v.Ctx(), v.User.ID, r)
		if err == nil {
			a.Flash(v, ui.Good, v.Say("The rate is saved: %s.", c.Rate(r)))
			v.SeeOther(paths.Rates)
			return nil
		}
		if !errors.Is(err, store.ErrTooManyRates) {
			return err
		}
		form.valueProblem = words.Msg("You have typed %d rates, which is the most there can be. Delete one first.", store.MaxOwnRates)
	}
	return a.page(v, http.StatusUnprocessableEntity, &form, "")
}

// delete forgets a rate that was typed.
func (a *Area) delete(v *shell.Visitor) error {
	if err := a.Store.DeleteRate(v.Ctx(), v.User.ID, v.Request.PathValue("rate")); err != nil {
		return err
	}
	a.Flash(v, ui.Good, v.Say("The rate is deleted."))
	v.SeeOther(paths.Rates)
	return nil
}

// errNoFile says that no file was chosen.
var errNoFile = errors.New("no file was chosen")

// readFile keeps the rates of a file of the European Central Bank: all of them, or none.
func (a *Area) readFile(v *shell.Visitor) error {
	var days []core.Day
	err := v.Upload("file", func(_ string, file io.Reader) (err error) {
		if file == nil {
			return errNoFile
		}
		days, err = core.Read(file)
		return err
	})
	if errors.Is(err, errNoFile) {
		return a.page(v, http.StatusUnprocessableEntity, nil, v.Say("Choose a file."))
	}
	if refused, known := errors.AsType[*core.FileError](err); known {
		return a.page(v, http.StatusUnprocessableEntity, nil, words.In(v.Ctx()).Message(fault(refused)))
	}
	if err != nil {
		return err
	}
	if err := a.Store.SaveReferenceRates(v.Ctx(), v.User.ID, days); err != nil {
		return err
	}
	a.Flash(v, ui.Good, v.Say("The rates of %d days are saved.", len(days)))
	v.SeeOther(paths.Rates)
	return nil
}

// fault says why a file is refused.
func fault(e *core.FileError) words.Message {
	switch e.Fault {
	case core.FaultEmpty:
		return words.Msg("The file has no rates. Your exchange rates are unchanged.")
	case core.FaultLarge:
		return words.Msg("The file is larger than %d MiB. Your exchange rates are unchanged.", core.MaxFile>>20)
	case core.FaultPacked:
		return words.Msg("The zip file is damaged. Download it again.")
	case core.FaultNoFile:
		return words.Msg("The zip file must have one CSV file in it. Your exchange rates are unchanged.")
	case core.FaultCells:
		return words.Msg("Line %d does not have as many cells as the first line. Nothing of the file was saved.", e.Line)
	case core.FaultDay:
		return words.Msg("Line %d begins with “%s”, which is not a day that can have a rate. Nothing of the file was saved.", e.Line, e.Cell)
	case core.FaultTwice:
		return words.Msg("Line %d has the day %s, which was in an earlier line already. Nothing of the file was saved.", e.Line, e.Cell)
	case core.FaultValue:
		return words.Msg("Line %d has “%s”, which is no rate. Nothing of the file was saved.", e.Line, e.Cell)
	case core.FaultCurrency:
		return words.Msg("Line %d has a column called “%s”, which is not a currency or is there twice. Nothing of the file was saved.", e.Line, e.Cell)
	}
	return words.Msg("This is not a file of the European Central Bank. Choose eurofxref.csv or eurofxref-hist.csv, or the zip file with one of them.")
}

// deleteFile forgets all rates of the European Central Bank.
func (a *Area) deleteFile(v *shell.Visitor) error {
	if err := a.Store.DeleteReferenceRates(v.Ctx(), v.User.ID); err != nil {
		return err
	}
	a.Flash(v, ui.Good, v.Say("The rates of the European Central Bank are deleted."))
	v.SeeOther(paths.Rates)
	return nil
}

// choose sets the currency into which sums are converted.
func (a *Area) choose(v *shell.Visitor) error {
	code := v.Field("currency")
	if _, known := money.Exponent(code); code != "" && !known {
		return &shell.Problem{Status: http.StatusBadRequest, What: v.Say("Florin does not know this currency."), Todo: v.Say("Choose a currency from the list.")}
	}
	if err := a.Store.SetCurrency(v.Ctx(), v.User.ID, code); err != nil {
		return err
	}
	a.Flash(v, ui.Good, v.Say("The currency is saved."))
	v.SeeOther(paths.Rates)
	return nil
}
