// Package layout holds the frames of the app's pages: the document around them, header, navigation and notices.
package layout

import (
	"florin/web/static"
	"florin/web/templates/ui"
)

// Frame holds what every page has around its content.
type Frame struct {
	User      *User       // nil when nobody is signed in; the page then has no navigation
	Notices   []ui.Notice // shown above the content, for example after a form
	Printed   string      // the line on printed pages: "mira@example.org, 3 October 2026 at 14:02"; "" for none
	Simulated bool        // some of what is shown comes from simulated banks; a ribbon says so
	Live      string      // address of a stream of server-sent events for this page; empty: none
	Settling  bool        // there are people to share expenses with: the navigation has an entry for it
	Payments  bool        // payments can be made, or were made: the navigation has them
	Refresh   int         // seconds after which a page loads itself again without JavaScript; 0: three when Busy, else never
	Hides     bool        // the device hides amounts
	Shows     bool        // this page shows them all the same
	Again     bool        // the page was asked for with GET, and can be loaded again
	Keys      bool        // keys alone do something on this device
	Busy      bool        // work is in progress: without JavaScript the page loads itself again every three seconds
}

// refresh is after how many seconds the page loads itself again without JavaScript, 0 for never.
func (f Frame) refresh() int {
	if f.Refresh == 0 && f.Busy {
		return 3
	}
	return f.Refresh
}

// Viewer reports whether the person only looks at what others share.
func (f Frame) Viewer() bool { return f.User != nil && f.User.Viewer }

// User is the person who is signed in.
type User struct {
	Name   string // shown in the header; the e-mail address when there is no name
	Email  string
	Viewer bool // the person only looks: the navigation has no pages to plan with one's own money
}

// Section is the entry of the navigation that a page belongs to.
type Section string

// The sections. NoSection marks no entry.
const (
	NoSection           Section = ""
	AccountsSection     Section = "accounts" // the first page, and pages about an account or a new one
	TransactionsSection Section = "transactions"
	ReportsSection      Section = "reports"
	PaymentsSection     Section = "payments"
	BudgetsSection      Section = "budgets"
	RecurringSection    Section = "recurring"
	ForecastSection     Section = "forecast"
	SettlingSection     Section = "settling"
)

// planning reports whether the entry is in the menu of plans.
func (s Section) planning() bool {
	return s == BudgetsSection || s == RecurringSection || s == ForecastSection || s == SettlingSection
}

// Width says how wide the content of a page may become.
type Width string

// The widths: Wide for lists and tables, Narrow for reading and forms, Focus for one thing in the middle.
const (
	Wide   Width = ""
	Narrow Width = "main-narrow"
	Focus  Width = "main-focus"
)

// Head describes a page to its frame.
type Head struct {
	Title   string // "Accounts"; the document is called "Accounts · Florin"
	Section Section
	Width   Width
	Script  string // name of a script for this page only; "" for none
}

// Colours are one colour in both schemes, as browsers and manifests know it.
type Colours struct{ Light, Dark string }

// Those of app.css that are used outside of it.
var (
	Bar   = Colours{"#fffefd", "#151e1a"} // --surface: of the bar above the pages
	Paper = Colours{"#f9f8f3", "#0d1512"} // --paper: behind the pages
)

// kept returns the address of a file that the browser stores for the page of Kept. Other pages use another address, which the worker does not store.
func kept(name string) string { return static.URL(name) + "?kept" }

// Files returns the addresses of all files that a page of Kept needs.
func Files() []string { return []string{kept("app.css"), kept("favicon.svg")} }
