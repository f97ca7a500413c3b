package finance

import "time"

// Errand is what somebody visits the provider of OpenID Connect for.
type Errand string

// Values of Errand.
const (
	ErrandSignIn Errand = "sign-in" // nobody is signed in
	ErrandJoin   Errand = "join"    // nobody is signed in: who was invited makes an account with the one there
	ErrandLink   Errand = "link"    // the user links the account there with the one here
	ErrandStepUp Errand = "step-up" // the user proves once more who they are
)

// OpenIDVisit is a way to the provider of OpenID Connect that has not come back. It is good once.
type OpenIDVisit struct {
	State    Secret // comes back with the answer
	Browser  Secret // of the browser that may bring the answer
	Nonce    string
	Verifier Secret
	Fresh    bool // the person signs in anew there
	Errand   Errand
	UserID   string // who is signed in; "" at a sign-in and of who joins
	Detail   string // of a sign-in the page to go to afterwards, "" for the first one; of who joins the id of the invitation; of a step-up what it is for
	Remember bool   // of a sign-in: stay signed in on this device
	Begun    time.Time
}

// OpenIDIdentity is a user's account at a provider of OpenID Connect.
type OpenIDIdentity struct {
	Issuer, Subject string
	Created         time.Time
	Used            time.Time // the last sign-in with it; zero for none
}
