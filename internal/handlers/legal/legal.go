// Package legal has the two public pages that say who runs this Florin: the privacy notice and the terms of use. Control panels of banking services ask
// for their addresses.
package legal

import (
	"net/http"
	"net/mail"

	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/store"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
)

// Deps are what the area needs.
type Deps struct {
	*shell.Shell

	Store    *store.Store
	Operator Operator
}

// Operator is who runs this Florin; what is not set is "".
type Operator struct {
	Name    string
	Contact string // an e-mail address, a web address, or something else that reaches the operator
}

// Known reports whether both are set.
func (o Operator) Known() bool { return o.Name != "" && o.Contact != "" }

// Area is this part of the web app.
type Area struct{ Deps }

// New returns the area.
func New(d Deps) *Area { return &Area{d} }

// Routes are the pages of the area, with who may use them.
func (a *Area) Routes() []shell.Route {
	return []shell.Route{
		shell.Get(shell.Public, paths.Privacy, a.privacy),
		shell.Get(shell.Public, paths.Terms, a.terms),
	}
}

func (a *Area) privacy(v *shell.Visitor) error {
	view, err := a.view(v)
	if err != nil {
		return err
	}
	return v.Page(http.StatusOK, pages.Privacy(view))
}

func (a *Area) terms(v *shell.Visitor) error {
	view, err := a.view(v)
	if err != nil {
		return err
	}
	return v.Page(http.StatusOK, pages.Terms(view))
}

func (a *Area) view(v *shell.Visitor) (pages.LegalView, error) {
	view := pages.LegalView{Operator: a.Operator.Name, Contact: a.Operator.Contact}
	if address, err := mail.ParseAddress(view.Contact); err == nil && address.Address == view.Contact {
		view.ContactHref = "mailto:" + view.Contact
	}
	providers, err := a.Store.Providers(v.Ctx())
	if err != nil {
		return pages.LegalView{}, err
	}
	for _, p := range providers {
		view.Services = append(view.Services, show.ServiceName(v.Say, p.ID, p.Name))
	}
	view.Frame = a.Frame(v)
	return view, nil
}
