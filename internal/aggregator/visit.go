package aggregator

// Visit is one run of an authorisation through the hosted pages, from the PSU's agreement on. It belongs to the browser in
// which the PSU agreed; another run replaces it.
type Visit struct {
	ID              string // random, unguessable
	AuthorizationID string
	Method          string // name of the method; empty before the choice, and at a bank whose methods have no names
	Reference       string // the bank's handle of the authorisation there; empty before the choice of the method
}

// SuppliedCredentials came with POST /auth. They are kept sealed, and only until they are handed to the bank or the
// authorisation ends.
type SuppliedCredentials struct {
	Sealed     string
	Autosubmit bool // else the form is shown filled in
}
