// Package paths holds the addresses of the app's own pages: templates link to them, internal/handlers answers them.
// All of them are paths below the public URL; none carries a host.
package paths

import "net/url"

// Pages and forms without a parameter.
const (
	Accounts  = "/"                  // GET: every account, grouped by bank
	Setup     = "/setup"             // GET, POST: create the owner; the one-time token is the form value and query value "token"
	SignIn    = "/sign-in"           // GET, POST
	SignOut   = "/sign-out"          // POST
	Link      = "/link"              // GET: choose a bank; POST: start a link
	LinkBank  = "/link/bank"         // GET: confirm the chosen bank
	Simulated = "/simulated"         // GET: what simulated banks are
	Settings  = "/settings"          // GET: who is signed in and where
	Password  = "/settings/password" // POST: change the own password
	Events    = "/events"            // GET: stream of server-sent events for the page that names it
)

// Account is the page of an account.
func Account(id string) string { return "/accounts/" + url.PathEscape(id) }

// AccountNickname takes the form that names an account.
func AccountNickname(id string) string { return Account(id) + "/nickname" }

// Transaction is the page of one transaction of an account.
func Transaction(account, id string) string {
	return Account(account) + "/transactions/" + url.PathEscape(id)
}

// Connection is the page of a connection to a bank.
func Connection(id string) string { return "/connections/" + url.PathEscape(id) }

// ConnectionRefresh takes the form that asks for a sync now.
func ConnectionRefresh(id string) string { return Connection(id) + "/refresh" }

// ConnectionDisconnect is the question (GET) and the form (POST) that ends a connection.
func ConnectionDisconnect(id string) string { return Connection(id) + "/disconnect" }

// LinkAttempt is the page that leads to the bank and, after the return, shows the result of the attempt.
func LinkAttempt(id string) string { return Link + "/" + url.PathEscape(id) }

// SignInEnd takes the form that ends one sign-in of the user.
func SignInEnd(id string) string { return Settings + "/sign-ins/" + url.PathEscape(id) + "/end" }
