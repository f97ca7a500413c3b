package panel

import (
	"errors"
	"net/http"
	"net/netip"
	"strings"

	"florin/internal/aggregator"
	"florin/internal/aggregator/registry"
	"florin/internal/aggregator/site"
	"florin/internal/openbanking"
	"florin/web/templates/panel"
)

// accountsPage lists the own accounts of an application and the banks at which more can be linked.
func (p *Panel) accountsPage(w http.ResponseWriter, r *developerRequest) error {
	app, err := p.own(r)
	if err != nil {
		return err
	}
	return p.showAccounts(w, r, http.StatusOK, app, "", "")
}

func (p *Panel) showAccounts(w http.ResponseWriter, r *developerRequest, status int, app aggregator.Application, bank, problem string) error {
	accounts, err := p.registry.OwnAccounts(r.Context(), r.developer.ID, app.ID)
	if err != nil {
		return err
	}
	page := panel.AccountsPage{
		Frame: r.frame("Own accounts of "+app.Name, "applications"), Head: headOf(app, "/accounts"),
		Restricted: app.Restricted, Pending: app.Status == aggregator.ApplicationPending,
		UnlinkURL: applicationPath(app.ID, "/accounts/unlink"), LinkURL: applicationPath(app.ID, "/accounts/link"), Problem: problem,
	}
	for _, a := range accounts {
		page.Accounts = append(page.Accounts, panel.OwnAccount{Bank: a.ASPSP.Name + ", " + a.ASPSP.Country, Label: a.Label, Linked: day(a.Linked), Hash: a.Hash})
	}
	for _, b := range p.registry.Banks() {
		if last := len(page.Groups) - 1; last < 0 || page.Groups[last].Country != b.Country { // they come by country
			page.Groups = append(page.Groups, panel.Group{Country: b.Country})
		}
		group := &page.Groups[len(page.Groups)-1]
		value := b.Country + "|" + b.Name
		group.Banks = append(group.Banks, panel.Option{Value: value, Text: b.Name, Selected: value == bank})
	}
	return site.Write(w, r.Request, status, panel.Accounts(page))
}

// link sends the developer to the hosted pages.
func (p *Panel) link(w http.ResponseWriter, r *developerRequest) error {
	app, err := p.own(r)
	if err != nil {
		return err
	}
	fields, err := form(r.Request)
	if err != nil {
		return err
	}
	country, name, _ := strings.Cut(fields.Get("bank"), "|")
	psuType := openbanking.PSUType(fields.Get("psu_type"))
	if !openbanking.Known(psuType) {
		return errBrokenForm
	}
	started, err := p.registry.StartLinking(r.Context(), r.developer.ID, app.ID,
		registry.LinkingRequest{ASPSP: openbanking.ASPSP{Name: name, Country: country}, PSUType: psuType})
	var refused *openbanking.Error
	var code openbanking.ErrorCode
	switch {
	case errors.Is(err, openbanking.WrongASPSPProvided):
		return p.showAccounts(w, r, http.StatusUnprocessableEntity, app, "", "Choose a bank from the list.")
	case errors.As(err, &refused) || errors.As(err, &code):
		return p.showAccounts(w, r, http.StatusUnprocessableEntity, app, fields.Get("bank"), "This bank has no accounts for customers of this kind.")
	case err != nil:
		return err
	}
	return site.Redirect(w, r.Request, started.URL)
}

// linked takes the developer back from the hosted pages.
func (p *Panel) linked(w http.ResponseWriter, r *developerRequest) error {
	query := r.URL.Query()
	id, err := p.registry.FinishLinking(r.Context(), r.developer.ID, query.Get("state"), query.Get("code"))
	var refused *openbanking.Error
	if errors.As(err, &refused) {
		err = errLinking
	}
	if err != nil {
		return err
	}
	return site.Redirect(w, r.Request, applicationPath(id, "/accounts?done=linked"))
}

func (p *Panel) unlink(w http.ResponseWriter, r *developerRequest) error {
	fields, err := form(r.Request)
	if err != nil {
		return err
	}
	id := r.PathValue("id")
	if err := p.registry.Unlink(r.Context(), r.developer.ID, id, fields.Get("hash")); err != nil {
		return err
	}
	return site.Redirect(w, r.Request, applicationPath(id, "/accounts?done=unlinked"))
}

// networkText is a network as people write it: an address alone where it holds only that.
func networkText(prefix netip.Prefix) string {
	if prefix.IsSingleIP() {
		return prefix.Addr().String()
	}
	return prefix.String()
}
