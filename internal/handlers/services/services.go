package services

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/providers"
	"florin/internal/store"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

// presetService is the value of the field "service" for the service that is known by name.
const presetService = "preset"

// services lists what brings banks.
func (a *Area) services(v *shell.Visit) error {
	entries, err := a.Providers.List(v.Ctx())
	if err != nil {
		return err
	}
	view := pages.ServicesView{First: true, Preset: providers.EnableBanking.Name}
	for _, e := range entries {
		row := pages.ServiceRow{Name: e.Name(), Href: paths.Service(e.ID), State: a.serviceState(e)}
		if e.Provider != nil {
			view.First = false
			row.Detail, row.Simulated = e.Provider.BaseURL, e.Provider.Simulated()
			if e.Use.Connections > 0 {
				row.Note = show.Plural(e.Use.Connections, "connection")
			}
		} else {
			row.Detail = e.Setup.BaseURL
		}
		view.Rows = append(view.Rows, row)
	}
	view.Frame = a.Frame(v)
	return v.Page(http.StatusOK, pages.Services(view))
}

func (a *Area) serviceState(e providers.Entry) ui.Badge {
	switch {
	case e.Provider == nil && e.Setup.Examination.Done():
		return ui.Badge{Tone: ui.Warning, Text: "Not connected yet"}
	case e.Provider == nil:
		return ui.Badge{Text: "Being set up"}
	case e.ID == finance.EmbeddedProvider && !a.Providers.Embedded:
		return ui.Badge{Tone: ui.Warning, Text: "Switched off"}
	case e.ID == finance.EmbeddedProvider && !e.Provider.Examination.Done(), e.Provider.Examination.Healthy():
		return ui.Badge{Tone: ui.Good, Text: "Ready"}
	case !e.Provider.Examination.Done():
		return ui.Badge{Text: "Not checked"}
	case !e.Provider.Examination.Proved():
		return ui.Badge{Tone: ui.Bad, Text: "Does not work"}
	}
	return ui.Badge{Tone: ui.Warning, Text: "Something to do"}
}

func (a *Area) newService(v *shell.Visit) error {
	return a.newServicePage(v, http.StatusOK, providers.Form{}, nil)
}

func (a *Area) newServicePage(v *shell.Visit, status int, form providers.Form, problems providers.Problems) error {
	fields := addressFields(form, problems)
	return v.Page(status, pages.NewService(pages.NewServiceView{Frame: a.Frame(v), BaseURL: fields[0], Name: fields[1], Issuer: fields[2], Audience: fields[3]}))
}

// addressFields are the fields for the address of a service, its name, its issuer and its audience.
func addressFields(form providers.Form, problems providers.Problems) []ui.Input {
	return []ui.Input{
		{Name: "base_url", Label: "Address of the interface", Type: "url", Value: form.BaseURL, Problem: problems["base_url"], Required: true, MaxLength: 500, Autocomplete: "off",
			Hint: "It begins with https. Only a service on this machine may do with http, such as http://localhost:9000."},
		{Name: "name", Label: "Name (may be left out)", Type: "text", Value: form.Name, Problem: problems["name"], MaxLength: 60, Autocomplete: "off", Hint: "What it is called in Florin."},
		{Name: "issuer", Label: "Issuer (may be left out)", Type: "text", Value: form.Issuer, Problem: problems["issuer"], MaxLength: 200, Autocomplete: "off",
			Hint: "What Florin names as iss when it proves who it is. Without it, the host of the address."},
		{Name: "audience", Label: "Audience (may be left out)", Type: "text", Value: form.Audience, Problem: problems["audience"], MaxLength: 200, Autocomplete: "off",
			Hint: "What Florin names as aud. Without it, the host of the address."},
	}
}

// beginService starts to set up a service, with a key of its own, which another one may replace.
func (a *Area) beginService(v *shell.Visit) error {
	form := providers.Form{Preset: v.Field("service") == presetService, Make: true,
		Name: v.Field("name"), BaseURL: v.Field("base_url"), Issuer: v.Field("issuer"), Audience: v.Field("audience")}
	if form.Preset {
		if id, err := a.presetSetup(v); err != nil || id != "" {
			if err == nil {
				v.SeeOther(paths.Service(id))
			}
			return err
		}
	}
	setup, err := a.Providers.Begin(v.Ctx(), "", form)
	var problems providers.Problems
	switch {
	case errors.As(err, &problems):
		return a.newServicePage(v, http.StatusUnprocessableEntity, form, problems)
	case errors.Is(err, providers.ErrTooMany):
		return &shell.Problem{Status: http.StatusConflict, Title: "Too many at once", What: show.Sentence(err.Error()), Todo: "Open one of the list and give it up.",
			Action: ui.Link{Text: "Banking services", Href: paths.Services}, Cause: err}
	case err != nil:
		return err
	}
	v.SeeOther(paths.Service(setup.ID))
	return nil
}

// presetSetup is the setup of the known service that was begun already, "" when there is none: pressing the button twice makes no second one.
func (a *Area) presetSetup(v *shell.Visit) (string, error) {
	entries, err := a.Providers.List(v.Ctx())
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		if e.Provider == nil && e.Setup.BaseURL == providers.EnableBanking.BaseURL {
			return e.ID, nil
		}
	}
	return "", nil
}

func (a *Area) service(v *shell.Visit) error {
	e, err := a.Providers.Find(v.Ctx(), v.Request.PathValue("service"))
	if err != nil {
		return err
	}
	return a.servicePage(v, http.StatusOK, e, nil, nil)
}

func patientOf(baseURL, applicationID string) patient {
	return patient{baseURL: baseURL, applicationID: applicationID, public: baseURL == providers.EnableBanking.BaseURL}
}

// servicePage shows a service; with a form, as it was typed and what is wrong with it.
func (a *Area) servicePage(v *shell.Visit, status int, e providers.Entry, form *providers.Form, problems providers.Problems) error {
	c := a.At(v.Ctx(), time.Now())
	view := pages.ServiceView{ID: e.ID, Name: e.Name(), State: a.serviceState(e)}
	if p := e.Provider; p != nil {
		view.Connected, view.Simulated = true, p.Simulated()
		view.Found = findings(c, p.Examination, patientOf(p.BaseURL, p.ApplicationID))
		view.Facts = []ui.Fact{
			{Name: "Address", Value: p.BaseURL}, {Name: "Application id", Value: p.ApplicationID}, {Name: "Redirect URL", Value: p.RedirectURL},
			{Name: "Issuer", Value: p.Issuer}, {Name: "Audience", Value: p.Audience}, {Name: "This key since", Value: c.Full(p.Updated)},
		}
		if e.Use.Connections > 0 {
			view.Facts = append(view.Facts, ui.Fact{Name: "Used by", Value: show.Plural(e.Use.Connections, "connection")})
		}
		if e.ID == finance.EmbeddedProvider {
			view.Offline = "This service is a part of Florin itself. It registers with it at each start by itself, and runs until it is switched off with --service=off."
		}
		if e.ID != finance.EmbeddedProvider || !a.Providers.Embedded {
			view.Remove = serviceRemoval(e)
		}
	}
	if e.Setup != nil {
		view.Setup = a.serviceSetup(c, e, form, problems)
	}
	view.Frame = a.Frame(v)
	return v.Page(status, pages.Service(view))
}

func serviceRemoval(e providers.Entry) *pages.ServiceRemoval {
	if e.Use.Open() {
		var parts []string
		if n := e.Use.Connections; n > 0 {
			parts = append(parts, show.Plural(n, "connection"))
		}
		if n := e.Use.Payments; n > 0 {
			parts = append(parts, show.Plural(n, "payment")+" under way")
		}
		return &pages.ServiceRemoval{Problem: "The service is in use: " + strings.Join(parts, ", ") + ", of all people here together. It can be removed when everybody has disconnected these banks, and the payments are at their end."}
	}
	return &pages.ServiceRemoval{Kept: "Its key is deleted for good, and its banks are no longer in the list. Accounts and payments of the past stay. It can be connected again later: then its accounts go on where they stopped."}
}

func (a *Area) serviceSetup(c show.Clock, e providers.Entry, form *providers.Form, problems providers.Problems) *pages.ServiceSetup {
	s := e.Setup
	preset := s.BaseURL == providers.EnableBanking.BaseURL
	view := &pages.ServiceSetup{
		Again: e.Provider != nil, Preset: preset, RedirectURL: a.Providers.RedirectURL(e.ID), Certificate: s.Certificate,
		Found: findings(c, s.Examination, patientOf(s.BaseURL, s.ApplicationID)), KeyProblem: problems["key"], KeyOpen: problems["key"] != "",
		Application: ui.Input{Name: "application_id", Label: "Application id", Type: "text", Value: s.ApplicationID, Problem: problems["application_id"], MaxLength: 150, Autocomplete: "off",
			Hint: "The control panel shows it when the application is registered. It looks like 4d1e1b0c-6a3a-4cf4-9b7e-2b9d3f5f0a11."},
	}
	if preset {
		view.Panel = providers.EnableBanking.Panel
		if a.PublicURL.Scheme != "https" {
			view.Insecure = "For Production, Enable Banking takes redirect URLs that begin with https. This Florin is at " + a.PublicURL.String() +
				". Put TLS in front of it and set --public-url before you register; the sandbox also takes http://localhost."
		}
	}
	if !preset && !view.Again {
		typed := providers.Form{Name: s.Name, BaseURL: s.BaseURL, Issuer: s.Issuer, Audience: s.Audience}
		if form != nil {
			typed = *form
		}
		view.Addresses = addressFields(typed, problems)
	}
	if form != nil && form.ApplicationID != "" && !strings.Contains(form.ApplicationID, "-----") { // a key in the wrong field is not shown either
		view.Application.Value = form.ApplicationID
	}
	return view
}

// changeService takes what was typed into a setup, and asks the service: when it knows the key, it is connected.
func (a *Area) changeService(v *shell.Visit) error {
	id := v.Request.PathValue("service")
	e, err := a.Providers.Find(v.Ctx(), id)
	if err != nil {
		return err
	}
	if e.Setup == nil {
		return finance.ErrNotFound
	}
	form := providers.Form{
		Preset: e.Setup.BaseURL == providers.EnableBanking.BaseURL,
		Name:   v.Field("name"), BaseURL: v.Field("base_url"), Issuer: v.Field("issuer"), Audience: v.Field("audience"),
		ApplicationID: v.Field("application_id"), Key: v.Secret("key"),
	}
	if err := keyUpload(v.Request, &form); err != nil {
		return err
	}
	setup, err := a.Providers.Change(v.Ctx(), id, form)
	var problems providers.Problems
	if err == nil && setup.ApplicationID == "" {
		problems = providers.Problems{"application_id": "Type the id that the control panel shows for the application."}
	}
	if errors.As(err, &problems) || problems != nil {
		return a.servicePage(v, http.StatusUnprocessableEntity, e, &form, problems)
	}
	if err != nil {
		return err
	}
	return a.examine(v, id)
}

// keyUpload takes the private key from a file, when one was chosen; of one that the shell sent again as text, its name.
func keyUpload(r *http.Request, form *providers.Form) error {
	if r.MultipartForm == nil || len(r.MultipartForm.File["key_file"]) == 0 {
		form.KeyFile = r.PostFormValue("key_file")
		return nil
	}
	header := r.MultipartForm.File["key_file"][0]
	file, err := header.Open()
	if err != nil {
		return err
	}
	defer file.Close()
	text, err := io.ReadAll(file)
	if err != nil {
		return err
	}
	if len(text) > 0 {
		form.Key, form.KeyFile = finance.Secret(text), header.Filename
	}
	return nil
}

func (a *Area) examineService(v *shell.Visit) error {
	return a.examine(v, v.Request.PathValue("service"))
}

func (a *Area) examine(v *shell.Visit, id string) error {
	found, connected, err := a.Providers.Examine(v.Ctx(), id)
	switch {
	case errors.Is(err, providers.ErrNothingToExamine):
		a.Tell(v, ui.Warning, "Type the application id first: without it there is nothing to ask for.")
	case err != nil:
		return err
	case connected && found.Healthy():
		a.Tell(v, ui.Good, "The service is connected. Everybody here can link banks through it now.")
	case connected:
		a.Tell(v, ui.Warning, "The service knows Florin’s key and is connected. There is something left to do before banks can be linked: see below.")
	case !found.Proved():
		a.Tell(v, ui.Bad, "It does not work yet. What you typed is kept; what to do is said below.")
	}
	a.Offers.Forget()
	v.SeeOther(paths.Service(id))
	return nil
}

// serviceCertificate hands out the certificate of a key that was made here, to be registered.
func (a *Area) serviceCertificate(v *shell.Visit) error {
	e, err := a.Providers.Find(v.Ctx(), v.Request.PathValue("service"))
	if err != nil {
		return err
	}
	if e.Setup == nil || e.Setup.Certificate == "" {
		return finance.ErrNotFound
	}
	v.Writer.Header().Set("Content-Type", "application/x-pem-file")
	v.Writer.Header().Set("Content-Disposition", `attachment; filename="florin-`+e.ID+`.crt"`)
	_, _ = io.WriteString(v.Writer, e.Setup.Certificate)
	return nil
}

// newServiceKey makes another key: in the setup that there is, else in a new one beside the provider.
func (a *Area) newServiceKey(v *shell.Visit) error {
	id := v.Request.PathValue("service")
	e, err := a.Providers.Find(v.Ctx(), id)
	if err != nil {
		return err
	}
	if e.Setup == nil {
		_, err = a.Providers.Begin(v.Ctx(), id, providers.Form{Make: true})
	} else {
		_, err = a.Providers.Change(v.Ctx(), id, providers.Form{Make: true, Preset: e.Setup.BaseURL == providers.EnableBanking.BaseURL,
			Name: e.Setup.Name, BaseURL: e.Setup.BaseURL, Issuer: e.Setup.Issuer, Audience: e.Setup.Audience})
	}
	if err != nil && !errors.Is(err, store.ErrSetupExists) {
		return err
	}
	v.SeeOther(paths.Service(id))
	return nil
}

func (a *Area) discardService(v *shell.Visit) error {
	id := v.Request.PathValue("service")
	if err := a.Providers.Discard(v.Ctx(), id); err != nil {
		return err
	}
	if e, err := a.Providers.Find(v.Ctx(), id); err == nil && e.Provider != nil {
		a.Tell(v, ui.Info, "The present key stays.")
		v.SeeOther(paths.Service(id))
		return nil
	}
	a.Tell(v, ui.Info, "What was begun is thrown away, with its key.")
	v.SeeOther(paths.Services)
	return nil
}

func (a *Area) removeService(v *shell.Visit) error {
	id := v.Request.PathValue("service")
	err := a.Providers.Remove(v.Ctx(), id)
	if errors.Is(err, store.ErrProviderInUse) {
		a.Tell(v, ui.Bad, "The service is in use and was not removed.")
		v.SeeOther(paths.Service(id))
		return nil
	}
	if err != nil {
		return err
	}
	a.Offers.Forget()
	a.Tell(v, ui.Good, "The service is removed, and its key is deleted.")
	v.SeeOther(paths.Services)
	return nil
}
