// Package layout holds the frames of the app's pages: the document around them, header, navigation and notices.
package layout

import "florin/web/templates/ui"

// Frame is what every page has around its content.
type Frame struct {
	User      *User       // nil: nobody is signed in, and there is no navigation
	Notices   []ui.Notice // shown above the content, for example after a form
	Simulated bool        // some of what is shown comes from simulated banks; a ribbon says so
	Live      string      // address of a stream of server-sent events for this page; empty: none
	Busy      bool        // work is in progress: without JavaScript the page loads itself again every three seconds
}

// User is the person who is signed in.
type User struct {
	Name  string // shown in the header; the e-mail address when there is no name
	Email string
}

// Section is the entry of the navigation that a page belongs to.
type Section string

// The sections. NoSection marks no entry.
const (
	NoSection       Section = ""
	AccountsSection Section = "accounts"
	LinkSection     Section = "link"
)

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
}
