package pages

import (
	"florin/web/templates/layout"
	"florin/web/templates/ui"
)

// LeaveView asks before a person is removed with all data. Form field: name, which has to be typed.
type LeaveView struct {
	layout.Frame
	Email    string // of the person
	Own      bool   // the visitor leaves; else an owner removes somebody else
	Alone    bool   // nobody else uses this Florin
	Blocked  bool   // it is the last owner, and there are others
	Consents int    // that end at the banks
	UnderWay int    // payments that were sent and have not come to their end
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
	Alone    bool // nobody uses this Florin any more
}
