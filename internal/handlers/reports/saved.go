package reports

import (
	"errors"
	"net/http"
	"net/url"

	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/store"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

// kept shows the saved reports above the report, with the form that saves the one that is shown.
func (r *report) kept(view *pages.ReportView) error {
	saved, err := r.area.Store.SavedSearches(r.v.Ctx(), r.v.User.ID, finance.SavedReport)
	if err != nil {
		return err
	}
	address := r.values(r.view).Encode()
	view.Save = &pages.SavedReportForm{Action: paths.SavedReports, Address: address, Name: nameInput(r.v, "", "")}
	for _, s := range saved {
		view.Saved = append(view.Saved, pages.Filter{Text: s.Name, Href: paths.Report(s.Text), Current: s.Text == address})
		if s.Text == address {
			view.Save, view.Change = nil, paths.SavedReport(s.ID)
		}
	}
	return nil
}

func nameInput(v *shell.Visitor, name, problem string) ui.Input {
	return ui.Input{Name: "name", Label: v.Say("Name of the report"), Type: "text", Value: name, Problem: problem, Required: true, Autocomplete: "off", MaxLength: finance.MaxSavedSearchName}
}

// savedReport is the page of a saved report.
func (a *Area) savedReport(v *shell.Visitor) error {
	saved, err := a.Store.SavedSearch(v.Ctx(), v.User.ID, finance.SavedReport, v.Request.PathValue("report"))
	if err != nil {
		return err
	}
	return a.savedPage(v, http.StatusOK, saved, saved.Name, "")
}

// savedPage shows the form that names a report; saved has no id when the report is new.
func (a *Area) savedPage(v *shell.Visitor, status int, saved finance.SavedSearch, typed, problem string) error {
	view := pages.SavedReportView{Frame: a.Frame(v), Title: v.Say("Save this report"), Open: paths.Report(saved.Text),
		Form: pages.SavedReportForm{Action: paths.SavedReports, Address: saved.Text, Name: nameInput(v, typed, problem)}}
	if saved.ID != "" {
		view.Title, view.Form.Action, view.Delete = saved.Name, paths.SavedReport(saved.ID), paths.SavedReportDelete(saved.ID)
	}
	return v.Page(status, pages.SavedReport(view))
}

// saveReport keeps a report under a name. What its address says that reports do not know is left out.
func (a *Area) saveReport(v *shell.Visitor) error {
	asked, err := url.ParseQuery(v.Field("report"))
	if err != nil {
		asked = url.Values{}
	}
	r, err := a.open(v, asked)
	if err != nil {
		return err
	}
	if r.badPeriod { // the page says what is wrong
		v.SeeOther(r.path(r.view))
		return nil
	}
	return a.keep(v, finance.SavedSearch{Kind: finance.SavedReport, Text: r.values(r.view).Encode()})
}

// renameReport gives a saved report another name.
func (a *Area) renameReport(v *shell.Visitor) error {
	saved, err := a.Store.SavedSearch(v.Ctx(), v.User.ID, finance.SavedReport, v.Request.PathValue("report"))
	if err != nil {
		return err
	}
	return a.keep(v, saved)
}

// keep stores a report under the name that was typed.
func (a *Area) keep(v *shell.Visitor, saved finance.SavedSearch) error {
	named := saved
	named.Name = finance.Clean(v.Field("name"))
	problem := show.SavedNameProblem(v.Ctx(), named.Name)
	if problem == "" {
		switch err := a.Store.SaveSearch(v.Ctx(), v.User.ID, named); {
		case errors.Is(err, store.ErrSearchExists):
			problem = v.Say("You already have a report called %s. Choose another name.", named.Name)
		case errors.Is(err, store.ErrTooManySearches):
			problem = v.Say("You have saved %d reports, which is the most there can be. Delete one first.", finance.MaxSavedSearches)
		case err != nil:
			return err
		default:
			a.Flash(v, ui.Good, v.Say("The report %s is saved.", named.Name))
			v.SeeOther(paths.Report(named.Text))
			return nil
		}
	}
	return a.savedPage(v, http.StatusUnprocessableEntity, saved, named.Name, problem)
}

// deleteReport forgets a saved report.
func (a *Area) deleteReport(v *shell.Visitor) error {
	saved, err := a.Store.SavedSearch(v.Ctx(), v.User.ID, finance.SavedReport, v.Request.PathValue("report"))
	if err != nil {
		return err
	}
	if err := a.Store.DeleteSearch(v.Ctx(), v.User.ID, finance.SavedReport, saved.ID); err != nil {
		return err
	}
	a.Flash(v, ui.Good, v.Say("The report %s is deleted.", saved.Name))
	v.SeeOther(paths.Reports)
	return nil
}
