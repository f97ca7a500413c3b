package pages

import "florin/web/templates/layout"

// StepUpField marks the form of StepUp, which sends another form again with the password.
const StepUpField = "step_up"

// StepUpView asks for the password before a setting of security is changed.
type StepUpView struct {
	layout.Frame
	Action  string        // where the form goes that is sent again
	Fields  []StepUpValue // what it holds
	Problem string        // of the password
}

// StepUpValue is a field of a form.
type StepUpValue struct{ Name, Value string }
