package pages

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"florin/internal/aggregator/engine"
	"florin/internal/aggregator/site"
	"florin/internal/openbanking"
	"florin/web/templates/hosted"
	"florin/web/widget"
)

// Banks is what the element for the choice of a bank shows; *engine.Engine is one.
type Banks interface {
	// PublicBanks lists the banks as anybody may see them.
	PublicBanks(ctx context.Context, filter engine.ASPSPFilter) openbanking.ASPSPsResponse
	// BanksForSite is PublicBanks for a page of another site, or engine.ErrUndeclaredOrigin.
	BanksForSite(ctx context.Context, applicationID, origin string, filter engine.ASPSPFilter) (openbanking.ASPSPsResponse, error)
}

// widgetPolicy lets a page run the element: its script and the list of banks come from here.
var widgetPolicy = strings.Replace(site.ContentSecurityPolicy, "style-src", "script-src 'self'; connect-src 'self'; style-src", 1)

// widgetPage shows how to use the element, and the element itself.
func (p *Pages) widgetPage(w http.ResponseWriter, r *http.Request) error {
	language := r.URL.Query().Get("language")
	page := hosted.WidgetPage{
		ServiceURL: p.addresses.AuthURL,
		ScriptURL:  "/widget/aspsp-list.js",
		Language:   "en",
		Attributes: widgetAttributes,
	}
	for _, option := range []hosted.Option{{Value: "en", Text: "English"}, {Value: "de", Text: "Deutsch"}, {Value: "fr", Text: "Français"},
		{Value: "fi", Text: "Suomi"}} {
		if option.Value == language {
			page.Language = language
		}
		page.Languages = append(page.Languages, option)
	}
	for i := range page.Languages {
		page.Languages[i].Selected = page.Languages[i].Value == page.Language
	}
	w.Header().Set("Content-Security-Policy", widgetPolicy)
	p.site.Render(w, r, http.StatusOK, hosted.Widget(page))
	return nil
}

var widgetAttributes = []hosted.Fact{
	{Label: "application", Text: "The id of your application. Needed on every site but this one.",
		Note: "Your site has to be the origin of one of its redirect URLs, or one of its webhook origins."},
	{Label: "country", Text: "Two capital letters. Without it the person can choose a country."},
	{Label: "psu-type", Text: "personal or business. Without it the person chooses."},
	{Label: "service", Text: "AIS or PIS: only banks that offer it."},
	{Label: "payment-type", Text: "Only banks that offer payments of this type, such as SEPA."},
	{Label: "sandbox", Text: "Banks with their sample users, for an application in the SANDBOX environment; what is chosen has them as sandbox. It has no value."},
	{Label: "no-beta", Text: "No banks that are marked as beta. It has no value."},
	{Label: "locale", Text: "The language: en, de, fr or fi, also as DE or de-AT. Without it: the language of the page, else of the browser, else English."},
	{Label: "language", Text: "The same as locale, which wins."},
}

// widgetScript serves the element, to any site.
func (p *Pages) widgetScript(w http.ResponseWriter, r *http.Request) error {
	header := w.Header()
	header.Set("Content-Type", "text/javascript; charset=utf-8")
	header.Set("Cache-Control", "public, max-age=3600")
	header.Set("Access-Control-Allow-Origin", "*")
	header.Set("Cross-Origin-Resource-Policy", "cross-origin")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(p.script()))
	return nil
}

// widgetBanks serves the list of banks to the element: on this site to anybody, on another one when an application
// declared that site as its own. It takes no token, since a token has no place in a browser.
func (p *Pages) widgetBanks(w http.ResponseWriter, r *http.Request) error {
	header := w.Header()
	header.Add("Vary", "Origin")
	query := r.URL.Query()
	filter, problem := widgetFilter(query)
	if problem != "" {
		http.Error(w, problem, http.StatusUnprocessableEntity)
		return nil
	}
	var list openbanking.ASPSPsResponse
	if origin := r.Header.Get("Origin"); origin == "" || origin == p.addresses.AuthURL {
		list = p.choice.PublicBanks(r.Context(), filter)
	} else {
		var err error
		list, err = p.choice.BanksForSite(r.Context(), query.Get("application"), origin, filter)
		if errors.Is(err, engine.ErrUndeclaredOrigin) {
			http.Error(w, "This site is not an origin of the application: register a redirect URL or a webhook origin there, and name the application in the attribute application.", http.StatusForbidden)
			return nil
		}
		if err != nil {
			return err
		}
		header.Set("Access-Control-Allow-Origin", origin)
	}
	header.Set("Content-Type", "application/json")
	header.Set("Cache-Control", "public, max-age=300")
	header.Set("Cross-Origin-Resource-Policy", "cross-origin") // whom it is for is said above
	return json.NewEncoder(w).Encode(widgetList(list))
}

var countryCode = regexp.MustCompile(`^[A-Z]{2}$`)

// widgetFilter reads the parameters, which have the names and values of GET /aspsps.
func widgetFilter(query url.Values) (filter engine.ASPSPFilter, problem string) {
	filter = engine.ASPSPFilter{
		Country:     query.Get("country"),
		PSUType:     openbanking.PSUType(query.Get("psu_type")),
		Service:     openbanking.Service(query.Get("service")),
		PaymentType: openbanking.PaymentType(query.Get("payment_type")),
		NoBeta:      query.Get("no_beta") == "true",
		Sandbox:     query.Get("sandbox") == "true",
	}
	for _, name := range []string{"no_beta", "sandbox"} {
		if value := query.Get(name); value != "" && value != "true" && value != "false" {
			return filter, name + " must be true or false"
		}
	}
	switch {
	case filter.Country != "" && !countryCode.MatchString(filter.Country):
		problem = "country must be two capital letters"
	case filter.PSUType != "" && !openbanking.Known(filter.PSUType):
		problem = "psu_type must be personal or business"
	case filter.Service != "" && !openbanking.Known(filter.Service):
		problem = "service must be AIS or PIS"
	case filter.PaymentType != "" && !openbanking.Known(filter.PaymentType):
		problem = "payment_type must be one of the payment types of the API, such as SEPA"
	}
	return filter, problem
}

// widgetBank is what the element knows of a bank, with the names of the API.
type widgetBank struct {
	Name     string                   `json:"name"`
	Country  string                   `json:"country"`
	BIC      *string                  `json:"bic"`
	Logo     string                   `json:"logo"`
	PSUTypes []openbanking.PSUType    `json:"psu_types"`
	Group    *openbanking.ASPSPGroup  `json:"group"`
	Beta     bool                     `json:"beta"`
	Sandbox  *openbanking.SandboxInfo `json:"sandbox,omitempty"` // sample users, as in GET /aspsps
}

func widgetList(list openbanking.ASPSPsResponse) any {
	banks := make([]widgetBank, len(list.ASPSPs))
	for i, bank := range list.ASPSPs {
		banks[i] = widgetBank{Name: bank.Name, Country: bank.Country, BIC: bank.BIC, Logo: bank.Logo, PSUTypes: bank.PSUTypes, Group: bank.Group,
			Beta: bank.Beta, Sandbox: bank.Sandbox}
	}
	return map[string]any{"aspsps": banks}
}

// newScript is the element for this service.
func newScript(a Addresses) []byte { return widget.Script(a.AuthURL) }
