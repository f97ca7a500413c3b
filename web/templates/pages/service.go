package pages

import (
	"florin/web/templates/layout"
	"florin/web/templates/ui"
)

// ServicesView lists the banking services, for the owner.
type ServicesView struct {
	layout.Frame
	Rows   []ServiceRow
	First  bool   // none is connected: the first thing to do
	Preset string // name of the service that is known: "Enable Banking"
}

// ServiceRow is one service.
type ServiceRow struct {
	Name      string
	Href      string
	Detail    string // its address
	Note      string // "3 connections"; may be empty
	State     ui.Badge
	Simulated bool
}

// NewServiceView is the form for a service that is not known by name. Form fields: name, base_url, issuer, audience.
type NewServiceView struct {
	layout.Frame
	Name, BaseURL, Issuer, Audience ui.Input
}

// ServiceView is one service: connected, being set up, or both.
type ServiceView struct {
	layout.Frame
	ID        string
	Name      string
	State     ui.Badge
	Simulated bool
	Connected bool

	Found   *Findings // of the connected one; nil before the first examination
	Facts   []ui.Fact
	Offline string // why it cannot be examined or changed here: it is the program's own
	Setup   *ServiceSetup
	Remove  *ServiceRemoval
}

// Findings are the results of an examination.
type Findings struct {
	When  string // "at 14:02"
	Rows  []Finding
	Title string // "All is well", "2 things to do"
}

// Finding is one line of an examination.
type Finding struct {
	State ui.Badge // "Passed", "To do", "Note"
	Title string
	Text  string   // what it means and what to do
	Copy  []string // to be copied exactly
	Said  string   // by the service, as it came; may be empty
	Code  string   // error code; may be empty
}

// ServiceSetup lists what must be done before a service, or another key for it, can be used. Form fields: application_id, key_file, key, and for a service
// that is not known by name: name, base_url, issuer, audience.
type ServiceSetup struct {
	Again       bool   // the service is connected, and works until this is done
	Preset      bool   // it is the public service
	Panel       string // where applications are registered; "" when not known
	RedirectURL string
	LegalPages  []string // addresses of the privacy notice and of the terms of use
	Unsigned    string   // how to make these pages name who runs Florin; "" when they do
	Insecure    string   // what to know when the public address does not begin with https; may be empty
	Certificate string   // PEM; "" when the key was brought along
	Addresses   []ui.Input
	Application ui.Input
	KeyProblem  string
	KeyOpen     bool // the part for a key of one's own is open
	Found       *Findings
}

// ServiceRemoval is the removal of a service.
type ServiceRemoval struct {
	Problem string // why it cannot be removed now; "" when it can
	Kept    string // what stays
}
