package main

import (
	"florin/web/templates/layout"
	"florin/web/templates/pages"
	"florin/web/templates/ui"
)

const certificate = `-----BEGIN CERTIFICATE-----
MIIDNzCCAh+gAwIBAgIQYV9Wq0y0b7kqv5mNqHnq1zANBgkqhkiG9w0BAQsFADAR
MQ8wDQYDVQQDEwZGbG9yaW4wHhcNMjYxMTIwMDAwMDAwWhcNMzYxMTE3MDAwMDAw
WjARMQ8wDQYDVQQDEwZGbG9yaW4wggEiMA0GCSqGSIb3DQEBAQUAA4IBDwAwggEK
-----END CERTIFICATE-----
`

// serviceScreens are the pages with which the owner connects services that bring banks.
func serviceScreens() []screen {
	good, bad, info := ui.Badge{Tone: ui.Good, Text: "Passed"}, ui.Badge{Tone: ui.Bad, Text: "To do"}, ui.Badge{Tone: ui.Info, Text: "Good to know"}
	attention := ui.Badge{Tone: ui.Warning, Text: "Something to do"}
	id := ui.Input{Name: "application_id", Label: "Application ID", Type: "text",
		Hint: "The control panel shows it once the application is registered. It looks like 4d1e1b0c-6a3a-4cf4-9b7e-2b9d3f5f0a11."}
	addresses := []ui.Input{{Name: "base_url", Label: "Address of the API", Type: "url", Value: "http://192.168.1.5",
		Problem: "The address must begin with https://, so that nobody on the way can read what is sent. Only a banking service on this machine can use http://, such as http://localhost:8081."},
		{Name: "name", Label: "Name (optional)", Type: "text"}, {Name: "issuer", Label: "Issuer (optional)", Type: "text"},
		{Name: "audience", Label: "Audience (optional)", Type: "text"}}
	setup := pages.ServiceSetup{Preset: true, Panel: "https://enablebanking.com/cp/applications",
		RedirectURL: "https://money.example/callback/enablebanking", Certificate: certificate, Application: id,
		LegalPages: []string{"https://money.example/privacy", "https://money.example/terms"}, Unsigned: "They do not say yet who runs this Florin: set --operator-name and --operator-contact, and start Florin again."}
	refused := setup
	refused.Insecure = "For production, Enable Banking only accepts redirect URLs that begin with https. This Florin is at http://localhost:8080. Put TLS in front of it and set --public-url before you register. The sandbox also accepts http://localhost."
	refused.Application.Value = "4d1e1b0c-6a3a-4cf4-9b7e-2b9d3f5f0a11"
	refused.KeyOpen, refused.KeyProblem = true, "Florin cannot use this key. It must be a private RSA key of at least 2048 bits in PEM form, without a password."
	refused.Found = &pages.Findings{When: "at 14:02", Title: "The banking service does not accept Florin’s key", Rows: []pages.Finding{
		{State: good, Title: "The banking service answers", Text: "api.enablebanking.com answered."},
		{State: bad, Title: "The key belongs to the application",
			Text: "The banking service refused Florin’s proof of identity. The clock of this server is 7 minutes ahead of that of the banking service. A proof is valid for a short time only. Set the clock, ideally with a time server (NTP), then check again.", Said: oddText, Code: "UNAUTHORIZED_ACCESS"},
		{State: ui.Badge{Text: "Not checked"}, Title: "The clocks agree"},
	}}
	other := pages.ServiceSetup{RedirectURL: "https://money.example/callback/" + longWord, Addresses: addresses, Application: id, Certificate: certificate}
	again := setup
	again.Again, again.Certificate = true, ""
	found := &pages.Findings{When: "at 14:02", Title: "1 thing to do", Rows: []pages.Finding{
		{State: good, Title: "The key belongs to the application",
			Text: "The banking service recognises the application 4d1e1b0c-6a3a-4cf4-9b7e-2b9d3f5f0a11 by Florin’s key."},
		{State: info, Title: "Environment: production",
			Text: "Its banks are real, and so is the money. The application is called " + longName + ". People see this name when they give their consent."},
		{State: bad, Title: "The redirect URL is registered",
			Text: "Add this address to the application in the control panel, exactly as it is here. Without it no bank can be linked.",
			Copy: []string{"https://money.example/callback/" + longWord}},
		{State: info, Title: "Countries", Text: "Austria, Belgium, Denmark, Estonia, Finland, France, Germany, Italy, Latvia, Lithuania, Spain, Sweden."},
		{State: good, Title: "2,431 banks", Text: "People can choose them when they link a bank."},
	}}
	facts := []ui.Fact{{Name: "Address", Value: "https://api.enablebanking.com"}, {Name: "Application ID", Value: "4d1e1b0c-6a3a-4cf4-9b7e-2b9d3f5f0a11"},
		{Name: "Redirect URL", Value: "https://money.example/callback/enablebanking"}}
	f := func() layout.Frame { return frame() }
	return []screen{
		{"services-first", pages.Services(pages.ServicesView{Frame: f(), First: true, Preset: "Enable Banking"})},
		{"services", pages.Services(pages.ServicesView{Frame: f(), Preset: "Enable Banking", Rows: []pages.ServiceRow{
			{Name: "Simulated banks", Href: "/x", Detail: "http://localhost:8081", State: ui.Badge{Tone: ui.Good, Text: "Ready"}, Simulated: true,
				Note: "2 connections"},
			{Name: longName, Href: "/x", Detail: "https://" + longWord + ".example", State: attention},
			{Name: "Enable Banking", Href: "/x", Detail: "https://api.enablebanking.com", State: ui.Badge{Text: "Being set up"}},
		}})},
		{"service-new", pages.NewService(pages.NewServiceView{Frame: f(), BaseURL: addresses[0], Name: addresses[1], Issuer: addresses[2], Audience: addresses[3]})},
		{"service-setup", pages.Service(pages.ServiceView{Frame: f(), ID: "enablebanking", Name: "Enable Banking", State: ui.Badge{Text: "Being set up"},
			Setup: &setup})},
		{"service-setup-refused", pages.Service(pages.ServiceView{Frame: f(), ID: "enablebanking", Name: "Enable Banking",
			State: ui.Badge{Tone: ui.Warning, Text: "Not connected yet"}, Setup: &refused})},
		{"service-setup-other", pages.Service(pages.ServiceView{Frame: f(), ID: "x", Name: rtlName, State: ui.Badge{Text: "Being set up"}, Setup: &other})},
		{"service", pages.Service(pages.ServiceView{Frame: f(), ID: "enablebanking", Name: "Enable Banking", State: attention, Connected: true, Found: found,
			Facts:  facts,
			Remove: &pages.ServiceRemoval{Problem: "The banking service is in use by the people on this server: 3 connections and 1 payment in progress. You can remove it once all its banks are disconnected and its payments are finished."}})},
		{"service-again", pages.Service(pages.ServiceView{Frame: f(), ID: "enablebanking", Name: "Enable Banking", State: attention, Connected: true,
			Found: found, Facts: facts, Setup: &again,
			Remove: &pages.ServiceRemoval{Kept: "Florin deletes its key for good and no longer lists its banks. Past accounts and payments stay. If you connect it again later, its accounts continue where they stopped."}})},
		{"service-embedded", pages.Service(pages.ServiceView{Frame: simulated(), ID: "embedded", Name: "Simulated banks",
			State: ui.Badge{Tone: ui.Good, Text: "Ready"}, Simulated: true, Connected: true, Facts: facts,
			Offline: "This banking service is part of Florin. Florin registers with it at each start; the setting --service=off switches it off."})},
	}
}
