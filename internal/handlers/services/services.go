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
	"florin/web/templates/words"
)

// presetService is the value of the field "service" for the service that is known by name.
const presetService = "preset"

// services lists what brings banks.
func (a *Area) services(v *shell.Visitor) error {
	entries, err := a.Providers.List(v.Ctx())
	if err != nil {
		return err
	}
	view := pages.ServicesView{First: true, Preset: providers.EnableBanking.Name}
	for _, e := range entries {
		row := pages.ServiceRow{Name: show.ServiceName(v.Say, e.ID, e.Name()), Href: paths.Service(e.ID), State: a.serviceState(e).badge(words.In(v.Ctx()))}
		if e.Provider != nil {
			view.First = false
			row.Detail, row.Simulated = e.Provider.BaseURL, e.Provider.Simulated()
			if e.Use.Connections > 0 {
				row.Note = v.Say("%d connections", e.Use.Connections)
			}
		} else {
			row.Detail = e.Setup.BaseURL
		}
		view.Rows = append(view.Rows, row)
	}
	view.Frame = a.Frame(v)
	return v.Page(http.StatusOK, pages.Services(view))
}

func (a *Area) serviceState(e providers.Entry) state {
	switch {
	case e.Provider == nil && e.Setup.Examination.Done():
		return state{ui.Warning, "Not connected yet"}
	case e.Provider == nil:
		return state{text: "Being set up"}
	case e.ID == finance.EmbeddedProvider && !a.Providers.Embedded:
		return state{ui.Warning, "Switched off"}
	case e.ID == finance.EmbeddedProvider && !e.Provider.Examination.Done(), e.Provider.Examination.Healthy():
		return state{ui.Good, "Ready"}
	case !e.Provider.Examination.Done():
		return notChecked
	case !e.Provider.Examination.Proved():
		return state{ui.Bad, "Does not work"}
	}
	return state{ui.Warning, "Something to do"}
}

func (a *Area) newService(v *shell.Visitor) error {
	return a.newServicePage(v, http.StatusOK, providers.Form{}, nil)
}

func (a *Area) newServicePage(v *shell.Visitor, status int, form providers.Form, problems providers.Problems) error {
	fields := addressFields(words.In(v.Ctx()), form, problems)
	return v.Page(status, pages.NewService(pages.NewServiceView{Frame: a.Frame(v), BaseURL: fields[0], Name: fields[1], Issuer: fields[2],
		Audience: fields[3]}))
}

// addressFields are the fields for the address of a service, its name, its issuer and its audience.
func addressFields(l *words.Language, form providers.Form, problems providers.Problems) []ui.Input {
	return []ui.Input{
		{Name: "base_url", Label: l.Say("Address of the API"), Type: "url", Value: form.BaseURL, Problem: l.Message(problemWords(problems["base_url"])),
			Required: true, MaxLength: 500, Autocomplete: "off",
			Hint: l.Say("It begins with https. Only a banking service on this machine can use http, such as http://localhost:9000.")},
		{Name: "name", Label: l.Say("Name (optional)"), Type: "text", Value: form.Name, Problem: l.Message(problemWords(problems["name"])), MaxLength: 60,
			Autocomplete: "off", Hint: l.Say("The name that Florin shows.")},
		{Name: "issuer", Label: l.Say("Issuer (optional)"), Type: "text", Value: form.Issuer, Problem: l.Message(problemWords(problems["issuer"])), MaxLength: 200,
			Autocomplete: "off",
			Hint:         l.Say("The value of iss when Florin proves its identity. If empty, the host of the address.")},
		{Name: "audience", Label: l.Say("Audience (optional)"), Type: "text", Value: form.Audience, Problem: l.Message(problemWords(problems["audience"])),
			MaxLength: 200, Autocomplete: "off",
			Hint: l.Say("The value of aud when Florin proves its identity. If empty, the host of the address.")},
	}
}

// beginService starts to set up a service, with a key of its own, which another one may replace.
func (a *Area) beginService(v *shell.Visitor) error {
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
		return &shell.Problem{Status: http.StatusConflict, Title: v.Say("Too many banking services are being set up"), What: v.Say("Nothing was saved."),
			Todo:   v.Say("Finish or cancel one in the list first."),
			Action: ui.Link{Text: v.Say("Banking services"), Href: paths.Services}, Cause: err}
	case err != nil:
		return err
	}
	v.SeeOther(paths.Service(setup.ID))
	return nil
}

// presetSetup is the setup of the known service that was begun already, "" when there is none: pressing the button twice makes no second one.
func (a *Area) presetSetup(v *shell.Visitor) (string, error) {
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

func (a *Area) service(v *shell.Visitor) error {
	e, err := a.Providers.Find(v.Ctx(), v.Request.PathValue("service"))
	if err != nil {
		return err
	}
	return a.servicePage(v, http.StatusOK, e, nil, nil)
}

func (a *Area) examined(baseURL, applicationID string) examined {
	return examined{baseURL: baseURL, applicationID: applicationID, public: baseURL == providers.EnableBanking.BaseURL, legalPages: a.legalPages(),
		signed: a.Signed}
}

// legalPages are the addresses of the privacy notice and of the terms of use.
func (a *Area) legalPages() []string {
	return []string{a.PublicURL.String() + paths.Privacy, a.PublicURL.String() + paths.Terms}
}

// servicePage shows a service; with a form, as it was typed and what is wrong with it.
func (a *Area) servicePage(v *shell.Visitor, status int, e providers.Entry, form *providers.Form, problems providers.Problems) error {
	c := a.At(v.Ctx(), time.Now())
	view := pages.ServiceView{ID: e.ID, Name: show.ServiceName(v.Say, e.ID, e.Name()), State: a.serviceState(e).badge(words.In(v.Ctx()))}
	if p := e.Provider; p != nil {
		view.Connected, view.Simulated = true, p.Simulated()
		view.Found = findings(c, p.Examination, a.examined(p.BaseURL, p.ApplicationID))
		view.Facts = []ui.Fact{
			{Name: c.Say("Address#service"), Value: p.BaseURL}, {Name: c.Say("Application ID"), Value: p.ApplicationID}, {Name: c.Say("Redirect URL"), Value: p.RedirectURL},
			{Name: c.Say("Issuer"), Value: p.Issuer}, {Name: c.Say("Audience"), Value: p.Audience}, {Name: c.Say("Key in use since"), Value: c.Full(p.Updated)},
		}
		if e.Use.Connections > 0 {
			view.Facts = append(view.Facts, ui.Fact{Name: c.Say("Used by"), Value: c.Say("%d connections", e.Use.Connections)})
		}
		if e.ID == finance.EmbeddedProvider {
			view.Offline = c.Say("This banking service is part of Florin. Florin registers with it at each start; the setting --service=off switches it off.")
		}
		if e.ID != finance.EmbeddedProvider || !a.Providers.Embedded {
			view.Remove = serviceRemoval(c, e)
		}
	}
	if e.Setup != nil {
		view.Setup = a.serviceSetup(c, e, form, problems)
	}
	view.Frame = a.Frame(v)
	return v.Page(status, pages.Service(view))
}

func serviceRemoval(c show.Clock, e providers.Entry) *pages.ServiceRemoval {
	if e.Use.Open() {
		var parts []string
		if n := e.Use.Connections; n > 0 {
			parts = append(parts, c.Say("%d connections", n))
		}
		if n := e.Use.Payments; n > 0 {
			parts = append(parts, c.Say("%d payments in progress", n))
		}
		return &pages.ServiceRemoval{Problem: c.Say("The banking service is in use by the people on this server: %s. You can remove it once all its banks are disconnected and its payments are finished.", c.List(parts))}
	}
	return &pages.ServiceRemoval{Kept: c.Say("Florin deletes its key for good and no longer lists its banks. Past accounts and payments stay. If you connect it again later, its accounts continue where they stopped.")}
}

func (a *Area) serviceSetup(c show.Clock, e providers.Entry, form *providers.Form, problems providers.Problems) *pages.ServiceSetup {
	s := e.Setup
	preset := s.BaseURL == providers.EnableBanking.BaseURL
	view := &pages.ServiceSetup{
		Again: e.Provider != nil, Preset: preset, RedirectURL: a.Providers.RedirectURL(e.ID), Certificate: s.Certificate,
		Found: findings(c, s.Examination, a.examined(s.BaseURL, s.ApplicationID)), KeyProblem: c.Message(problemWords(problems["key"])),
		KeyOpen: problems["key"].Fault != "",
		Application: ui.Input{Name: "application_id", Label: c.Say("Application ID"), Type: "text", Value: s.ApplicationID,
			Problem: c.Message(problemWords(problems["application_id"])), MaxLength: 150, Autocomplete: "off",
			Hint: c.Say("The control panel shows it once the application is registered. It looks like 4d1e1b0c-6a3a-4cf4-9b7e-2b9d3f5f0a11.")},
	}
	if preset {
		view.Panel = providers.EnableBanking.Panel
		view.LegalPages = a.legalPages()
		if !a.Signed {
			view.Unsigned = c.Say(unsigned)
		}
		if a.PublicURL.Scheme != "https" {
			view.Insecure = c.Say("For production, Enable Banking only accepts redirect URLs that begin with https. This Florin is at %s. Put TLS in front of it and set --public-url before you register. The sandbox also accepts http://localhost.", a.PublicURL.String())
		}
	}
	if !preset && !view.Again {
		typed := providers.Form{Name: s.Name, BaseURL: s.BaseURL, Issuer: s.Issuer, Audience: s.Audience}
		if form != nil {
			typed = *form
		}
		view.Addresses = addressFields(c.Language, typed, problems)
	}
	if form != nil && form.ApplicationID != "" && !strings.Contains(form.ApplicationID, "-----") { // a key in the wrong field is not shown either
		view.Application.Value = form.ApplicationID
	}
	return view
}

// changeService takes what was typed into a setup, and asks the service: when it knows the key, it is connected.
func (a *Area) changeService(v *shell.Visitor) error {
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
		problems = providers.Problems{"application_id": {Fault: providers.NoApplicationID}}
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

func (a *Area) examineService(v *shell.Visitor) error {
	return a.examine(v, v.Request.PathValue("service"))
}

func (a *Area) examine(v *shell.Visitor, id string) error {
	found, connected, err := a.Providers.Examine(v.Ctx(), id)
	switch {
	case errors.Is(err, providers.ErrNothingToExamine):
		a.Flash(v, ui.Warning, v.Say("Enter the application ID first; Florin needs it to ask the banking service."))
	case err != nil:
		return err
	case connected && found.Healthy():
		a.Flash(v, ui.Good, v.Say("The banking service is connected. Everybody on this server can now link banks through it."))
	case connected:
		a.Flash(v, ui.Warning, v.Say("The banking service accepts Florin’s key and is connected. Something is left to do before banks can be linked; see below."))
	case !found.Proved():
		a.Flash(v, ui.Bad, v.Say("It does not work yet. What you typed is saved; see below what to do."))
	}
	a.Offers.Forget()
	v.SeeOther(paths.Service(id))
	return nil
}

// serviceCertificate hands out the certificate of a key that was made here, to be registered.
func (a *Area) serviceCertificate(v *shell.Visitor) error {
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
func (a *Area) newServiceKey(v *shell.Visitor) error {
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

func (a *Area) discardService(v *shell.Visitor) error {
	id := v.Request.PathValue("service")
	if err := a.Providers.Discard(v.Ctx(), id); err != nil {
		return err
	}
	if e, err := a.Providers.Find(v.Ctx(), id); err == nil && e.Provider != nil {
		a.Flash(v, ui.Info, v.Say("The current key stays in use."))
		v.SeeOther(paths.Service(id))
		return nil
	}
	a.Flash(v, ui.Info, v.Say("The setup is cancelled, and its key is deleted."))
	v.SeeOther(paths.Services)
	return nil
}

func (a *Area) removeService(v *shell.Visitor) error {
	id := v.Request.PathValue("service")
	err := a.Providers.Remove(v.Ctx(), id)
	if errors.Is(err, store.ErrProviderInUse) {
		a.Flash(v, ui.Bad, v.Say("The banking service is in use and was not removed."))
		v.SeeOther(paths.Service(id))
		return nil
	}
	if err != nil {
		return err
	}
	a.Offers.Forget()
	a.Flash(v, ui.Good, v.Say("The banking service is removed, and its key is deleted."))
	v.SeeOther(paths.Services)
	return nil
}

// problemWords says what is wrong with a field of the form, and what to do; a message that says nothing where nothing is wrong.
func problemWords(p providers.Problem) words.Message {
	switch p.Fault {
	case "":
		return words.Message{}
	case providers.NoAddress:
		return words.Msg("Enter the address of the banking service.")
	case providers.AddressCharacters:
		return words.Msg("The address is too long or has characters that are not allowed.")
	case providers.NoWebAddress:
		return words.Msg("This is not a web address. It looks like https://api.example.com.")
	case providers.AddressUser:
		return words.Msg("The address must not contain a user name or password.")
	case providers.AddressQuery:
		return words.Msg("The address must not contain a question mark or #. Remove it and what follows.")
	case providers.AddressHTTP:
		return words.Msg("The address must begin with https://, so that nobody on the way can read what is sent. Only a banking service on this machine can use http://, such as http://localhost:8081.")
	case providers.AddressHost, providers.AddressPath, providers.AddressPort:
		return words.Msg("The host, port or path of the address is not correct. It looks like https://api.example.com.")
	case providers.PrivateAddress:
		return words.Msg("This is an address in a private network. Florin only calls banking services on the internet and on this machine.")
	case providers.LongName:
		return words.Msg("The name is too long; %d characters are allowed.", providers.MaxName)
	case providers.WrongIdentity:
		return words.Msg("This is too long or has characters that are not allowed. Usually it is the name of a host, such as api.example.com.")
	case providers.NoKey:
		return words.Msg("Choose the file with the private key, or paste its content.")
	case providers.WrongKey:
		return words.Msg("Florin cannot use this key. It must be a private RSA key of at least 2048 bits in PEM form, without a password.")
	case providers.NoApplicationID:
		return words.Msg("Enter the application ID that the control panel shows. It is also the name of the key file.")
	case providers.WrongApplication:
		return words.Msg("This is not an application ID. It looks like 4d1e1b0c-6a3a-4cf4-9b7e-2b9d3f5f0a11.")
	}
	return words.Msg("This application is already connected, as %s.", p.Name)
}
