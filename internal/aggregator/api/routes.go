package api

// Access is what a route asks of its caller.
type Access int

// Kinds of access.
const (
	Active     Access = iota // the token of an active application
	Registered               // the token of an application, active or not
	Registrar                // an operator token, or the id token of a developer
	Developer                // the id token of a developer
	Public                   // nothing
)

// Panel reports whether the route belongs to the API of registration and control panel, which has errors of a form of
// its own (api-notes 3).
func (a Access) Panel() bool { return a >= Registrar }

// A Route is one endpoint. Path is a pattern of http.ServeMux.
type Route struct {
	Method string
	Path   string
	Access Access
	do     func(*api, *request) (any, error)
}

// Routes returns every endpoint: those of the specification in its order, then those of api-notes 3.
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

	{"POST", "/payments", Active, (*api).createPayment},
	{"GET", "/payments/{payment_id}", Active, (*api).payment},
	{"DELETE", "/payments/{payment_id}", Active, (*api).deletePayment},
	{"GET", "/payments/{payment_id}/transactions/{transaction_id}", Active, (*api).paymentTransaction},

	{"GET", "/aspsps", Active, (*api).aspsps},
	{"GET", "/application", Registered, (*api).application},

	{"POST", "/api/applications", Registrar, (*api).register},
	{"GET", "/api/applications", Developer, (*api).ownApplications},
	{"GET", "/api/application/{id}", Developer, (*api).ownApplication},
	{"DELETE", "/api/applications/{$}", Developer, (*api).deleteApplication},
	{"POST", "/api/link_accounts", Developer, (*api).linkAccounts},
	{"POST", "/api/unlink_accounts", Developer, (*api).unlinkAccounts},

	{"POST", "/api/relyingparty/getOobConfirmationCode", Public, (*api).askForLink},
	{"POST", "/api/relyingparty/emailLinkSignin", Public, (*api).exchangeLink},
	{"POST", "/api/token", Public, (*api).refresh},
	{"GET", "/api/requests", Developer, (*api).requests},
	{"GET", "/api/requestLogs", Developer, (*api).requestLogs},
	{"GET", "/api/get_today_stats", Developer, (*api).todayStats},
}
