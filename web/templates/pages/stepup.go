package pages

import "florin/web/templates/layout"

// Proof are the fields of a form in which somebody who is signed in proves once more who they are. Its form fields are those of Fields.
type Proof struct {
	Email   string   // whose, for password managers
	Fields  []string // kinds of proof that the person types: "password", "one_time_code"; none when they proved it for the same a moment ago
	All     bool     // each of Fields is needed; else one will do
	Passkey string   // address that says what a passkey of the person needs, which is enough alone; "" for none
	OpenID  string   // name of the provider of OpenID Connect where the person proves it, who has no such kind; else ""
	Purpose string   // what for, then
	Why     string   // what it is good for
	Field   string   // whose Problem it is
	Problem string
}

// problem is what is wrong with a field.
func (p Proof) problem(field string) string {
	if p.Field == field {
		return p.Problem
	}
	return ""
}

// typed reports whether the form has a button of its own: there is nothing to prove, or something to type, or it is proved elsewhere.
func (p Proof) typed() bool { return len(p.Fields) > 0 || p.Passkey == "" || p.OpenID != "" }

// choice reports whether there are several ways to prove it.
func (p Proof) choice() bool {
	return len(p.Fields) > 1 && !p.All || p.Passkey != "" && len(p.Fields) > 0
}

// CodeField is the form field of a code of an authenticator app, or a recovery code in its place.
const CodeField = "one_time_code"

// PurposeField names what somebody goes to the provider of OpenID Connect to prove themselves for.
const PurposeField = "purpose"

// StepUpField marks the form of StepUp, which sends another form again with the proof.
const StepUpField = "step_up"

// StepUpView asks for a proof before something that matters is done.
type StepUpView struct {
	layout.Frame
	Action string        // where the form goes that is sent again
	Fields []StepUpValue // what it holds
	Proof  Proof
}

// StepUpValue is a field of a form.
type StepUpValue struct{ Name, Value string }
