package panel

import (
	"cmp"
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"florin/internal/aggregator"
	"florin/internal/aggregator/registry"
	"florin/internal/aggregator/site"
	"florin/internal/middleware"
	"florin/internal/openbanking"
	"florin/web/templates/panel"
)

// applications lists the applications of the developer.
func (p *Panel) applications(w http.ResponseWriter, r *developerRequest) error {
	apps, err := p.registry.OwnApplications(r.Context(), r.developer.ID)
	if err != nil {
		return err
	}
	page := panel.ApplicationsPage{Frame: r.frame("Applications", "applications"), NewURL: Path + "applications/new"}
	for _, app := range apps {
		page.Rows = append(page.Rows, rowOf(app))
	}
	return site.Write(w, r.Request, http.StatusOK, panel.Applications(page))
}

func rowOf(app aggregator.Application) panel.Row {
	return panel.Row{
		Name: app.Name, URL: applicationPath(app.ID, ""), ID: app.ID, Environment: string(app.Environment), State: stateOf(app), Created: day(app.CreatedAt),
	}
}

func stateOf(app aggregator.Application) panel.State {
	switch app.Status {
	case aggregator.ApplicationPending:
		return panel.State{Kind: "pending", Text: "Pending", Note: "Its calls are refused until you link an account of your own or the operator approves it."}
	case aggregator.ApplicationPaused:
		return panel.State{Kind: "paused", Text: "Paused", Note: "Its calls are refused until you resume it."}
	}
	if app.Restricted {
		return panel.State{Kind: "active", Text: "Active", Note: "For linked accounts alone."}
	}
	return panel.State{Kind: "active", Text: "Active"}
}

// headOf is the top of a page of an application; current is the end of the address of the page.
func headOf(app aggregator.Application, current string) panel.Head {
	head := panel.Head{Up: panel.Tab{Text: "Applications", URL: Path}, Name: app.Name, ID: app.ID, Environment: string(app.Environment), State: stateOf(app)}
	for _, tab := range []struct{ text, rest string }{
		{"Overview", ""}, {"Keys", "/keys"}, {"Settings", "/settings"}, {"Own accounts", "/accounts"}, {"Requests", "/requests"}, {"Webhooks", "/webhooks"},
	} {
		head.Tabs = append(head.Tabs, panel.Tab{Text: tab.text, URL: applicationPath(app.ID, tab.rest), Current: tab.rest == current})
	}
	return head
}

// own returns the application that the address names, if it is the developer's.
func (p *Panel) own(r *developerRequest) (aggregator.Application, error) {
	return p.registry.OwnApplication(r.Context(), r.developer.ID, r.PathValue("id"))
}

// registration is the form of a new application, as it was sent.
type registration struct {
	id, ticket string
	values     url.Values
	problems   registry.Problems
	problem    string // that belongs to no field
	fresh      bool
}

func (p *Panel) newPage(w http.ResponseWriter, r *developerRequest) error {
	id, ticket := p.registry.NewApplicationID(r.developer.ID)
	return p.showNew(w, r, http.StatusOK, registration{id: id, ticket: ticket, values: url.Values{"way": {wayServer}}, fresh: true})
}

func (p *Panel) showNew(w http.ResponseWriter, r *developerRequest, status int, typed registration) error {
	frame := r.frame("Register an application", "applications")
	if status != http.StatusOK {
		frame.Title = "Please check: " + frame.Title
	}
	fields := typed.fields()
	return site.Write(w, r.Request, status, panel.New(panel.NewPage{
		Frame:      frame,
		ID:         typed.id,
		Ticket:     typed.ticket,
		Production: typed.values.Get("environment") == string(openbanking.EnvironmentProduction),
		Fields:     []panel.Field{fields("name"), fields("redirect_urls"), fields("webhook_origins")},
		More:       []panel.Field{fields("description"), fields("gdpr_email"), fields("privacy_url"), fields("terms_url")},
		Key:        panel.KeyChoice{Way: typed.values.Get("way"), Fresh: typed.fresh, Certificate: fields("certificate")},
		Problem:    typed.problem,
	}))
}

// webhookOrigins are the rules of webhook origins, for those who fill in the field.
const webhookOrigins = "One in a line, such as https://example.org. A payment may name a webhook_url of one of them alone. Events go out over https, and to " +
	"public addresses: at a private address or this machine's (192.168.1.5, localhost, a name that leads there) every delivery fails, unless the " +
	"operator of the service has allowed the origin with --service-webhook-allow."

// fieldTable are the fields of the forms, by the names that the API gives them.
var fieldTable = map[string]panel.Field{
	"name": {Label: "Name", Hint: "People see it when they are asked to share data."},
	"redirect_urls": {Label: "Redirect URLs", Hint: "One in a line. People are sent back to one of them, which has to match to the letter.", Rows: 3,
		Code: true},
	"webhook_origins": {Label: "Webhook origins", Hint: webhookOrigins, Rows: 2, Code: true, Optional: true},
	"allowed_ips": {Label: "Allowed addresses",
		Hint: "One address or network in a line, such as 192.0.2.7 or 2001:db8::/32. Calls from elsewhere are refused. Empty: from everywhere.", Rows: 3,
		Code: true, Optional: true},
	"description": {Label: "Description", Hint: "What the application does for people.", Rows: 3},
	"gdpr_email":  {Label: "E-mail for data protection", Type: "email"},
	"privacy_url": {Label: "Privacy policy", Hint: "The address of a page.", Type: "url", Code: true},
	"terms_url":   {Label: "Terms of service", Hint: "The address of a page.", Type: "url", Code: true},
	"certificate": {Label: "Certificate or public key", Hint: "In PEM, from BEGIN to END. Only for a key of your own.", Rows: 6, Code: true},
}

// fields returns a function that gives a field with what was sent and what is wrong with it.
func (r registration) fields() func(name string) panel.Field {
	problems := byField(r.problems)
	return func(name string) panel.Field {
		f := fieldTable[name]
		f.Name, f.Value, f.Problem = name, r.values.Get(name), problems[name]
		return f
	}
}

var element = regexp.MustCompile(`^(\w+)\[(\d+)\]$`)

// byField joins the problems of each field to one text; the elements of a list are the lines of its field.
func byField(problems registry.Problems) map[string]string {
	texts := map[string]string{}
	for _, problem := range problems {
		name, text := problem.Field, sentence("It "+problem.Text)
		if m := element.FindStringSubmatch(name); m != nil {
			line, err := strconv.Atoi(m[2])
			if err != nil {
				continue
			}
			name, text = m[1], sentence("Line "+strconv.Itoa(line+1)+" "+problem.Text)
		}
		texts[name] = strings.TrimSpace(texts[name] + " " + text)
	}
	return texts
}

func sentence(text string) string {
	text = strings.ReplaceAll(text, "is required when environment is PRODUCTION", "is needed in production")
	return strings.TrimRight(text, ".") + "."
}

// lines are the lines of a text area that are not empty.
func lines(text string) []string {
	var list []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, line)
		}
	}
	return list
}

// register registers an application. The ticket in the form makes it safe to send it twice.
func (p *Panel) register(w http.ResponseWriter, r *developerRequest) error {
	fields, err := form(r.Request)
	if err != nil {
		return err
	}
	id, _, _ := strings.Cut(fields.Get("ticket"), ".")
	sent := registration{id: id, ticket: fields.Get("ticket"), values: fields}
	if sent.ticket == "" {
		return errBrokenForm
	}
	if _, err := p.registry.OwnApplication(r.Context(), r.developer.ID, id); err == nil { // sent again
		return site.Redirect(w, r.Request, applicationPath(id, ""))
	}
	request := openbanking.RegisterApplicationRequest{
		Environment:  openbanking.Environment(fields.Get("environment")),
		Name:         fields.Get("name"),
		RedirectURLs: lines(fields.Get("redirect_urls")),
		Description:  pointer(fields.Get("description")),
		GDPREmail:    pointer(fields.Get("gdpr_email")),
		PrivacyURL:   pointer(fields.Get("privacy_url")),
		TermsURL:     pointer(fields.Get("terms_url")),
	}
	origins := lines(fields.Get("webhook_origins"))
	certificate, made, err := p.keyFor(fields, id, func() error { return p.registry.CheckRegistration(request, origins) })
	if request.Certificate = certificate; err == nil {
		_, err = p.registry.RegisterOwn(r.Context(), r.developer.ID, sent.ticket, request, origins)
	}
	if errors.As(err, &sent.problems) {
		return p.showNew(w, r, http.StatusUnprocessableEntity, sent)
	}
	if err != nil {
		return err
	}
	if made != nil {
		p.made.keep(r.developer.ID, id, *made, p.now())
		return site.Redirect(w, r.Request, applicationPath(id, "/key"))
	}
	return site.Redirect(w, r.Request, applicationPath(id, "?done=registered"))
}

func pointer(text string) *string {
	if text = strings.TrimSpace(text); text == "" {
		return nil
	}
	return &text
}

// application shows an application and how to call the API with it.
func (p *Panel) application(w http.ResponseWriter, r *developerRequest) error {
	app, err := p.own(r)
	if err != nil {
		return err
	}
	keys, err := p.registry.Keys(r.Context(), r.developer.ID, app.ID)
	if err != nil {
		return err
	}
	good := slices.DeleteFunc(keys, func(k aggregator.ApplicationKey) bool { return !k.Ended.IsZero() })
	addresses := make([]string, len(app.AllowedIPs))
	for i, prefix := range app.AllowedIPs {
		addresses[i] = networkText(prefix)
	}
	page := panel.ApplicationPage{
		Frame: r.frame(app.Name, "applications"),
		Head:  headOf(app, ""),
		Facts: []panel.Fact{
			{Label: "Application ID", Text: app.ID, Code: true},
			{Label: "Services", Text: services(app)},
			{Label: "Redirect URLs", Text: strings.Join(app.RedirectURLs, "\n"), Code: true},
			{Label: "Webhook origins", Text: cmp.Or(strings.Join(originTexts(app.WebhookOrigins), "\n"), "none"), Code: len(app.WebhookOrigins) > 0},
			{Label: "Allowed addresses", Text: cmp.Or(strings.Join(addresses, ", "), "all")},
			{Label: "Keys", Text: strconv.Itoa(len(good))},
			{Label: "Registered", Text: moment(app.CreatedAt)},
		},
		Issuer: p.issuer, Audience: p.audience, BaseURL: p.baseURL,
		Script: script(app.ID, p.issuer, p.audience, p.baseURL),
	}
	switch app.Status {
	case aggregator.ApplicationActive:
		page.PauseURL = applicationPath(app.ID, "/pause")
	case aggregator.ApplicationPaused:
		page.ResumeURL = applicationPath(app.ID, "/resume")
	}
	if _, ok := p.made.find(r.developer.ID, app.ID, p.now()); ok {
		page.KeyURL = applicationPath(app.ID, "/key")
	}
	return site.Write(w, r.Request, http.StatusOK, panel.Application(page))
}

// originTexts are webhook origins with what is to be known of them.
func originTexts(origins []string) []string {
	texts := make([]string, len(origins))
	for i, origin := range origins {
		texts[i] = origin
		if problem := originProblem(origin); problem != "" {
			texts[i] += " (" + problem + ": every delivery fails, unless the operator of the service has allowed the origin with --service-webhook-allow)"
		}
	}
	return texts
}

// originProblem says why webhooks to an origin of a developer are refused, as far as its text tells.
func originProblem(origin string) string {
	u, err := url.Parse(origin)
	if err != nil {
		return ""
	}
	if middleware.ThisMachine(u.Host) {
		return "an address of the service's own machine"
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil && (ip.IsPrivate() || ip.IsLinkLocalUnicast() || ip.IsUnspecified()) {
		return "a private address"
	}
	if u.Scheme != "https" {
		return "no https"
	}
	return ""
}

// services are the services of an application in words.
func services(app aggregator.Application) string {
	words := map[openbanking.Service]string{
		openbanking.ServiceAIS: "Account information (AIS)",
		openbanking.ServicePIS: "Payment initiation (PIS)",
	}
	texts := make([]string, len(app.Services))
	for i, s := range app.Services {
		texts[i] = words[s]
	}
	return strings.Join(texts, ", ")
}

func (p *Panel) pause(w http.ResponseWriter, r *developerRequest) error {
	return p.move(w, r, p.registry.Pause(r.Context(), r.developer.ID, r.PathValue("id")), "paused")
}

func (p *Panel) resume(w http.ResponseWriter, r *developerRequest) error {
	return p.move(w, r, p.registry.Resume(r.Context(), r.developer.ID, r.PathValue("id")), "resumed")
}

// move ends a change of state. One that the state does not allow is reported differently from an application that is not there.
func (p *Panel) move(w http.ResponseWriter, r *developerRequest, err error, word string) error {
	if errors.Is(err, aggregator.ErrNotFound) {
		if _, err := p.own(r); err != nil {
			return err
		}
		return errChanged
	}
	if err != nil {
		return err
	}
	return site.Redirect(w, r.Request, applicationPath(r.PathValue("id"), "?done="+word))
}

func (p *Panel) settingsPage(w http.ResponseWriter, r *developerRequest) error {
	app, err := p.own(r)
	if err != nil {
		return err
	}
	addresses := make([]string, len(app.AllowedIPs))
	for i, prefix := range app.AllowedIPs {
		addresses[i] = networkText(prefix)
	}
	values := url.Values{
		"name": {app.Name}, "description": {app.Description}, "gdpr_email": {app.GDPREmail}, "privacy_url": {app.PrivacyURL}, "terms_url": {app.TermsURL},
		"redirect_urls": {strings.Join(app.RedirectURLs, "\n")}, "webhook_origins": {strings.Join(app.WebhookOrigins, "\n")},
		"allowed_ips": {strings.Join(addresses, "\n")},
	}
	if app.Restricted {
		values.Set("restricted", "yes")
	}
	return p.showSettings(w, r, http.StatusOK, app, registration{values: values})
}

func (p *Panel) showSettings(w http.ResponseWriter, r *developerRequest, status int, app aggregator.Application, typed registration) error {
	frame := r.frame("Settings of "+app.Name, "applications")
	if status != http.StatusOK {
		frame.Title = "Please check: " + frame.Title
	}
	fields := typed.fields()
	page := panel.SettingsPage{
		Frame: frame, Head: headOf(app, "/settings"), Action: applicationPath(app.ID, "/settings"), DeleteURL: applicationPath(app.ID, "/delete"),
		Restricted:       typed.values.Get("restricted") != "",
		RestrictedLocked: app.Restricted && app.Environment == openbanking.EnvironmentProduction,
		Problem:          byField(typed.problems)["restricted"],
	}
	for _, name := range []string{"name", "redirect_urls", "webhook_origins", "allowed_ips", "description", "gdpr_email", "privacy_url", "terms_url"} {
		f := fields(name)
		f.Optional = f.Optional || app.Environment != openbanking.EnvironmentProduction && f.Name != "name" && f.Name != "redirect_urls"
		page.Fields = append(page.Fields, f)
	}
	return site.Write(w, r.Request, status, panel.Settings(page))
}

func (p *Panel) saveSettings(w http.ResponseWriter, r *developerRequest) error {
	app, err := p.own(r)
	if err != nil {
		return err
	}
	fields, err := form(r.Request)
	if err != nil {
		return err
	}
	err = p.registry.Change(r.Context(), r.developer.ID, app.ID, registry.Settings{
		Name:           fields.Get("name"),
		Description:    fields.Get("description"),
		RedirectURLs:   lines(fields.Get("redirect_urls")),
		WebhookOrigins: lines(fields.Get("webhook_origins")),
		AllowedIPs:     lines(fields.Get("allowed_ips")),
		Restricted:     fields.Get("restricted") != "",
		GDPREmail:      fields.Get("gdpr_email"),
		PrivacyURL:     fields.Get("privacy_url"),
		TermsURL:       fields.Get("terms_url"),
	})
	sent := registration{values: fields}
	if errors.As(err, &sent.problems) {
		return p.showSettings(w, r, http.StatusUnprocessableEntity, app, sent)
	}
	if err != nil {
		return err
	}
	return site.Redirect(w, r.Request, applicationPath(app.ID, "?done=saved"))
}

func (p *Panel) deletePage(w http.ResponseWriter, r *developerRequest) error {
	app, err := p.own(r)
	if err != nil {
		return err
	}
	return p.showDelete(w, r, http.StatusOK, app, "", "")
}

func (p *Panel) showDelete(w http.ResponseWriter, r *developerRequest, status int, app aggregator.Application, typed, problem string) error {
	return site.Write(w, r.Request, status, panel.Delete(panel.DeletePage{
		Frame: r.frame("Delete "+app.Name, "applications"), Head: headOf(app, "/settings"), Action: applicationPath(app.ID, "/delete"),
		Typed: panel.Field{Name: "typed", Label: "To confirm, type the first eight characters of the application ID", Hint: app.ID, Value: typed,
			Problem: problem, Code: true},
	}))
}

// deleteApplication deletes an application for good, once a part of its id is typed.
func (p *Panel) deleteApplication(w http.ResponseWriter, r *developerRequest) error {
	app, err := p.own(r)
	if err != nil {
		return err
	}
	fields, err := form(r.Request)
	if err != nil {
		return err
	}
	typed := strings.ToLower(strings.TrimSpace(fields.Get("typed")))
	if typed != app.ID && typed != app.ID[:8] {
		return p.showDelete(w, r, http.StatusUnprocessableEntity, app, fields.Get("typed"), "This is not "+app.ID[:8]+".")
	}
	if err := p.registry.Delete(r.Context(), r.developer.ID, app.ID); err != nil {
		return err
	}
	p.made.forget(r.developer.ID, app.ID)
	return site.Redirect(w, r.Request, Path+"?done=deleted")
}
