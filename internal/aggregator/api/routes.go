package api

import "florin/internal/openbanking"

// Access is what a route asks of its caller.
type Access int

// Kinds of access.
const (
	Active     Access = iota // the token of an active application
	Registered               // the token of an application, active or not
	Operator                 // an operator token
)

// A Route is one endpoint. Path is a pattern of http.ServeMux.
type Route struct {
	Method string
	Path   string
	Access Access
	do     func(*api, *request) (any, error)
}

// Routes returns every endpoint, in the order of the specification.
func Routes() []Route { return append([]Route(nil), routes...) }

var routes = []Route{
	{"POST", "/auth", Active, (*api).startAuthorization},
	{"POST", "/sessions", Active, (*api).redeem},
	{"GET", "/sessions/{session_id}", Active, (*api).session},
	{"DELETE", "/sessions/{session_id}", Active, (*api).closeSession},

	{"GET", "/accounts/{account_id}/details", Active, (*api).details},
	{"GET", "/accounts/{account_id}/balances", Active, (*api).balances},
	{"GET", "/accounts/{account_id}/transactions", Active, (*api).transactions},
	{"GET", "/accounts/{account_id}/transactions/{transaction_id}", Active, (*api).transaction},

	{"POST", "/payments", Active, (*api).noPayments},
	{"GET", "/payments/{payment_id}", Active, (*api).noPayments},
	{"DELETE", "/payments/{payment_id}", Active, (*api).noPayments},
	{"GET", "/payments/{payment_id}/transactions/{transaction_id}", Active, (*api).noPayments},

	{"GET", "/aspsps", Active, (*api).aspsps},
	{"GET", "/application", Registered, (*api).application},

	{"POST", "/api/applications", Operator, (*api).register},
}

// noPayments answers the endpoints of payments: no application has the service PIS yet, and without it every one of
// them is ACCESS_DENIED (spec: Environments and activation).
func (a *api) noPayments(*request) (any, error) { return nil, openbanking.AccessDenied }
