package pages

import (
	"florin/web/templates/layout"
	"florin/web/templates/ui"
)

// LeaveView asks before a person is removed with all data. Form field: name, which has to be typed.
type LeaveView struct {
	layout.Frame
	Email    string // of the person
	Own      bool   // the visitor leaves; else an owner removes another person
	Alone    bool   // there are no other users
	Blocked  bool   // the visitor is the last owner, and there are other users
	Consents int    // that end at the banks
	UnderWay int    // number of payments that were sent and are not final
	Shown    int    // accounts that others see now
	Counts   []string
	Stays    []string
	Action   string
	Back     ui.Link
	Typed    ui.Input
}

// FarewellView says that the visitor was removed.
type FarewellView struct {
	layout.Frame
	Consents bool // Florin is ending them
	Alone    bool // there are no users any more
}
