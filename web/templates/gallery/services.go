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
	id := ui.Input{Name: "application_id", Label: "Application id", Type: "text", Hint: "The control panel shows it when the application is registered. It looks like 4d1e1b0c-6a3a-4cf4-9b7e-2b9d3f5f0a11."}
	addresses := []ui.Input{{Name: "base_url", Label: "Address of the interface", Type: "url", Value: "http://192.168.1.5", Problem: "The address has to begin with https://, so that nobody on the way can read what is sent."},
		{Name: "name", Label: "Name (may be left out)", Type: "text"}, {Name: "issuer", Label: "Issuer (may be left out)", Type: "text"}, {Name: "audience", Label: "Audience (may be left out)", Type: "text"}}
	setup := pages.ServiceSetup{Preset: true, Panel: "https://enablebanking.com/cp/applications", RedirectURL: "https://money.example/callback/enablebanking", Certificate: certificate, Application: id}
	refused := setup
	refused.Insecure = "For Production, Enable Banking takes redirect URLs that begin with https. This Florin is at http://localhost:8080."
	refused.Application.Value = "4d1e1b0c-6a3a-4cf4-9b7e-2b9d3f5f0a11"
	refused.KeyOpen, refused.KeyProblem = true, "The private key cannot be read; it may be cut off or damaged."
	refused.Found = &pages.Findings{When: "at 14:02", Title: "The service does not know Florin by this key", Rows: []pages.Finding{
		{State: good, Title: "The service answers", Text: "api.enablebanking.com answered."},
		{State: bad, Title: "The key belongs to the application", Text: "The service refused Florin’s proof of identity, and the clock of this server is 7 minutes ahead of the one of the service.", Said: oddText, Code: "UNAUTHORIZED_ACCESS"},
		{State: ui.Badge{Text: "Not checked"}, Title: "The clocks agree"},
	}}
	other := pages.ServiceSetup{RedirectURL: "https://money.example/callback/" + longWord, Addresses: addresses, Application: id, Certificate: certificate}
	again := setup
	again.Again, again.Certificate = true, ""
	found := &pages.Findings{When: "at 14:02", Title: "1 thing to do", Rows: []pages.Finding{
		{State: good, Title: "The key belongs to the application", Text: "The service knows the application 4d1e1b0c-6a3a-4cf4-9b7e-2b9d3f5f0a11 by Florin’s key."},
		{State: info, Title: "Environment: production", Text: "Its banks are real, and so is the money. The application is called " + longName + "."},
		{State: bad, Title: "The redirect URL is registered", Text: "Add this address to the application in the control panel, exactly as it stands here.", Copy: "https://money.example/callback/" + longWord},
		{State: info, Title: "Countries", Text: "Austria, Belgium, Denmark, Estonia, Finland, France, Germany, Italy, Latvia, Lithuania, Spain, Sweden."},
		{State: good, Title: "2,431 banks", Text: "They are in the list from which people choose."},
	}}
	facts := []ui.Fact{{Name: "Address", Value: "https://api.enablebanking.com"}, {Name: "Application id", Value: "4d1e1b0c-6a3a-4cf4-9b7e-2b9d3f5f0a11"}, {Name: "Redirect URL", Value: "https://money.example/callback/enablebanking"}}
	f := func() layout.Frame { return frame() }
	return []screen{
		{"services-first", pages.Services(pages.ServicesView{Frame: f(), First: true, Preset: "Enable Banking"})},
		{"services", pages.Services(pages.ServicesView{Frame: f(), Preset: "Enable Banking", Rows: []pages.ServiceRow{
			{Name: "Simulated banks", Href: "/x", Detail: "http://localhost:8081", State: ui.Badge{Tone: ui.Good, Text: "Ready"}, Simulated: true, Note: "2 connections"},
			{Name: longName, Href: "/x", Detail: "https://" + longWord + ".example", State: attention},
			{Name: "Enable Banking", Href: "/x", Detail: "https://api.enablebanking.com", State: ui.Badge{Text: "Being set up"}},
		}})},
		{"service-new", pages.NewService(pages.NewServiceView{Frame: f(), BaseURL: addresses[0], Name: addresses[1], Issuer: addresses[2], Audience: addresses[3]})},
		{"service-setup", pages.Service(pages.ServiceView{Frame: f(), ID: "enablebanking", Name: "Enable Banking", State: ui.Badge{Text: "Being set up"}, Setup: &setup})},
		{"service-setup-refused", pages.Service(pages.ServiceView{Frame: f(), ID: "enablebanking", Name: "Enable Banking", State: ui.Badge{Tone: ui.Warning, Text: "Not connected yet"}, Setup: &refused})},
		{"service-setup-other", pages.Service(pages.ServiceView{Frame: f(), ID: "x", Name: rtlName, State: ui.Badge{Text: "Being set up"}, Setup: &other})},
		{"service", pages.Service(pages.ServiceView{Frame: f(), ID: "enablebanking", Name: "Enable Banking", State: attention, Connected: true, Found: found, Facts: facts,
			Remove: &pages.ServiceRemoval{Problem: "The service is in use: 3 connections, of all people here together."}})},
		{"service-again", pages.Service(pages.ServiceView{Frame: f(), ID: "enablebanking", Name: "Enable Banking", State: attention, Connected: true, Found: found, Facts: facts, Setup: &again,
			Remove: &pages.ServiceRemoval{Kept: "Its key is deleted for good."}})},
		{"service-embedded", pages.Service(pages.ServiceView{Frame: simulated(), ID: "embedded", Name: "Simulated banks", State: ui.Badge{Tone: ui.Good, Text: "Ready"}, Simulated: true, Connected: true, Facts: facts,
			Offline: "This service is a part of Florin itself."})},
	}
}
