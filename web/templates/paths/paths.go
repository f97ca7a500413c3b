// Package paths holds the addresses of the app's own pages: templates link to them, internal/handlers answers them.
// All of them are paths below the public URL; none carries a host.
package paths

import (
	"net/url"
	"strconv"
	"strings"
	"time"
)

// What people are told outside of the pages.
const (
	Notifications = "/settings/notifications" // GET, POST: what, where and how
	Off           = "/off"                    // GET, POST: turns off messages of a kind; the query value "token" comes with a message
)

// What makes Florin an app that a browser installs. All three speak the language of the query value "lang", and are the same for everybody.
const (
	Manifest = "/manifest.webmanifest" // GET: what a browser has to know to install Florin
	Worker   = "/service-worker.js"    // GET: the script that shows the kept page
	Offline  = "/offline"              // GET: the page that a browser keeps, for when it does not reach Florin
)

// Speaking is one of these three addresses in the language with this code.
func Speaking(path, code string) string { return path + "?" + url.Values{"lang": {code}}.Encode() }

// Pages and forms without a parameter.
const (
	Refresh      = "/refresh"                     // POST: reads all accounts now
	Accounts     = "/"                            // GET: the dashboard: what needs the person, every account, and other cards
	Cards        = "/cards"                       // GET: the form for the order of its cards; POST: change it
	NewAccount   = "/accounts/new"                // GET: the form for an account that no bank brings; POST: save it
	Setup        = "/setup"                       // GET, POST: create the owner; the one-time token is the form value and query value "token"
	SignIn       = "/sign-in"                     // GET, POST
	SignOut      = "/sign-out"                    // POST
	OpenID       = "/sign-in/openid"              // POST: leave for the provider of OpenID Connect to sign in
	OpenIDProve  = "/sign-in/openid/prove"        // POST: leave for it to prove who one is; the purpose is the form value "purpose"
	OpenIDBack   = "/sign-in/openid/back"         // GET: back from there, with the query values of its answer
	Forgot       = "/forgot"                      // GET: how to get back in without the password; POST: ask for a link by mail
	Reset        = "/reset"                       // GET, POST: set a new password; the one-time token is the form value and query value "token"
	Link         = "/link"                        // GET: choose a bank; POST: start a link
	LinkBank     = "/link/bank"                   // GET: confirm the chosen bank
	LinkLogo     = "/link/logo"                   // GET: the logo of a bank, a picture
	Simulated    = "/simulated"                   // GET: what simulated banks are
	Privacy      = "/privacy"                     // GET: the privacy notice
	Terms        = "/terms"                       // GET: the terms of use
	Settings     = "/settings"                    // GET: who is signed in and where
	Password     = "/settings/password"           // POST: change the own password
	OpenIDLink   = "/settings/openid"             // POST: leave for the provider of OpenID Connect to link the own account there
	OpenIDUnlink = "/settings/openid/remove"      // POST: take that link away
	Language     = "/settings/language"           // POST: choose the language of the pages
	People       = "/settings/people"             // GET: who can sign in, and who is invited
	Leave        = "/settings/leave"              // GET: what is deleted with one's account; POST: leave
	Takeout      = "/settings/leave/data"         // GET: all that is one's own, as a ZIP file
	Invite       = "/settings/people/invitations" // POST: make an invitation
	Join         = "/join"                        // GET, POST: create a user by an invitation; its one-time token is the form value and query value "token"
	JoinOpenID   = "/join/openid"                 // POST: leave for the provider of OpenID Connect to join with the account there
	SignInsEnd   = "/settings/sign-ins/end"       // POST: end all sign-ins of the user but this one
	TestMail     = "/settings/mail"               // POST: send a test message
	Amounts      = "/amounts"                     // POST: hide amounts on this device, or show them; form value "hide", "yes" or ""
	Keyboard     = "/keyboard"                    // GET: what keys do
	Device       = "/settings/device"             // POST: what holds for this device alone; form values "hide" and "keys"
	Whose        = "/whose"                       // POST: choose whose accounts pages are about: "mine" or "household" in the form value "whose"
	Events       = "/events"                      // GET: stream of server-sent events for the page that names it

	SignInPasskey        = "/sign-in/passkey"         // POST: sign in with a passkey
	SignInPasskeyOptions = "/sign-in/passkey/options" // POST: what a browser has to know to find one

	SignInSecond      = "/sign-in/second"                // GET, POST: the second step of a sign-in
	SecondFactorFirst = "/second-factor"                 // GET: what to choose from for who needs a second factor before anything else
	Authenticators    = "/settings/authenticators"       // POST: add the authenticator app that was set up
	NewAuthenticator  = "/settings/authenticators/new"   // GET: the page with its secret; POST: make one
	RecoveryCodes     = "/settings/recovery-codes"       // POST: make new ones, and show them
	RecoveryFile      = "/settings/recovery-codes/file"  // POST: the codes of the form as a text file; nothing of it is kept
	RequireSecond     = "/settings/people/second-factor" // POST: whether everybody needs a second factor
	PasskeyQuestion   = "/settings/passkeys/prove"       // POST: what a browser has to know so that a passkey proves who one is; the purpose is the query value "purpose"

	Passkeys       = "/settings/passkeys"         // POST: add the passkey that the browser has made
	NewPasskey     = "/settings/passkeys/new"     // GET: the page on which one is made; POST: the proof that it takes
	PasskeyOptions = "/settings/passkeys/options" // POST: what a browser has to know to make one

	Transactions  = "/transactions"        // GET: the rows of all accounts that a search finds
	SearchHelp    = "/transactions/help"   // GET: how to search, with examples
	Import        = "/import"              // GET: choose a file with transactions; POST: keep it
	ImportPreview = "/import/preview"      // GET: what the chosen file would bring; POST: how it is read
	ImportSave    = "/import/save"         // POST: import the chosen file
	ImportDiscard = "/import/discard"      // POST: forget the chosen file
	Export        = "/transactions/export" // GET: the form for a file with transactions; with the query value "format", the file

	SelectTransactions = "/transactions/select" // GET: what a search finds, to choose from for a bulk edit
	BulkEdits          = "/transactions/edits"  // GET: the last bulk edits; POST: begin one

	Reports       = "/reports"        // GET: what came in and went out, as the query values choose
	ReportsExport = "/reports/export" // GET: the same as a file
	SavedReports  = "/reports/saved"  // POST: keep a report under a name
	Recurring     = "/recurring"      // GET: what comes again and again, and what comes next
	DirectDebits  = "/direct-debits"  // GET: who takes money by a mandate, and what is odd about it
	Forecast      = "/forecast"       // GET: what will be on the accounts, on one with the query value "account"

	ForecastExport = "/forecast/export" // GET: the tables of the forecast as a file, with the values of its address

	SavedSearches = "/transactions/searches" // GET: the searches that are kept under a name; POST: keep another one

	Pay          = "/pay"               // GET: start, and the form; POST: check the form
	PayExplain   = "/pay/explain"       // POST: explain what is typed, as a part of the form
	PayCode      = "/pay/code"          // POST: a picture with a payment code
	PayBulk      = "/pay/bulk"          // GET: the form for many payments at once; POST: check what it holds
	Payments     = "/payments"          // GET: every payment
	PaymentsSeen = "/payments/seen"     // POST: how the payments of the form values "payment" ended was seen
	PaymentsFile = "/payments/together" // GET: choose payments to send, of the query value "account"; POST: those of the form values "payment" as one file
	Requests     = "/requests"          // GET: what people of the household ask each other to pay
	NewRequest   = "/requests/new"      // GET: the form with which somebody is asked to pay; POST: ask
	Payees       = "/payees"            // GET: every payee; POST: save a new one
	NewPayee     = "/payees/new"        // GET: the form for a new payee
	Categories   = "/categories"        // GET: every category, and the form for a new one; POST: save a new one

	Budgets        = "/budgets"           // GET: a month of budgets, the present one without the query value "month"
	NewBudget      = "/budgets/new"       // GET: the form for a budget; POST: save it
	BudgetStart    = "/budgets/start"     // POST: save the budgets that Florin proposes
	BudgetFirstDay = "/budgets/first-day" // POST: choose on which day months begin

	Rules   = "/rules"     // GET: every rule; POST: check a new one, or save it
	NewRule = "/rules/new" // GET: the form for a new rule, or of one to be changed; filled from a transaction when one is named
	Names   = "/names"     // GET: the names that the user gave to the other sides of transactions; POST: take one back

	Settling        = "/settling"         // GET: who owes whom
	NewExpense      = "/settling/new"     // GET: the form for a shared expense, filled from a transaction when one is named; POST: save it
	SettlingAccount = "/settling/account" // GET: the form for the account on which others pay the user; POST: save it
	SettlingExport  = "/settling/export"  // GET: all shared expenses and settlements as a file

	Calendar       = "/settings/calendar"        // GET: the address for calendar programs; POST: make one, in place of the one before
	CalendarChoice = "/settings/calendar/choice" // POST: what the calendar holds
	CalendarEnd    = "/settings/calendar/end"    // POST: end the address

	Rates           = "/settings/rates"            // GET: every exchange rate; POST: save one that was typed
	RatesFile       = "/settings/rates/ecb"        // POST: read in a file of the European Central Bank
	RatesFileDelete = "/settings/rates/ecb/delete" // POST: delete what was read in
	Currency        = "/settings/rates/currency"   // POST: choose the currency into which sums are converted

	Services   = "/settings/services"     // GET: the services that bring banks, for the owner; POST: set one up
	NewService = "/settings/services/new" // GET: the form for a service that is not known by name
	Webhooks   = "/settings/webhooks"     // GET: every webhook that came, for the owner
)

// CalendarFile is the file that a calendar program reads; whoever knows the token may.
func CalendarFile(token string) string { return "/calendar/" + url.PathEscape(token) + ".ics" }

// Month is the dashboard with another month on it: "2026-10".
func Month(month string) string {
	return Accounts + "?" + url.Values{"month": {month}}.Encode() + "#month"
}

// Account is the page of an account.
func Account(id string) string { return "/accounts/" + url.PathEscape(id) }

// AccountNickname takes the form that names an account.
func AccountNickname(id string) string { return Account(id) + "/nickname" }

// AccountKnown shows an account as it was known on the day in its parameter "on".
func AccountKnown(id string) string { return Account(id) + "/known" }

// AccountNews lists what came to an account, changed in it and went from it since the person looked last.
func AccountNews(id string) string { return Account(id) + "/news" }

// AccountNewsSince is AccountNews since a moment: what was marked as seen is still there.
func AccountNewsSince(id string, since time.Time) string {
	return AccountNews(id) + "?" + url.Values{"since": {since.UTC().Format("2006-01-02T15:04:05.000Z")}}.Encode()
}

// AccountNewsSeen takes the form that says that the person has seen what is new on an account.
func AccountNewsSeen(id string) string { return AccountNews(id) + "/seen" }

// AccountCounts takes the form that says which balance of an account counts.
func AccountCounts(id string) string { return Account(id) + "/counts" }

// AccountEdit is the form of an account that the person keeps (GET, POST).
func AccountEdit(id string) string { return Account(id) + "/edit" }

// ImportInto is the form for a file with transactions of an account.
func ImportInto(account string) string {
	return Import + "?" + url.Values{"account": {account}}.Encode()
}

// ImportUndo is the question (GET) and the form (POST) that undoes an import.
func ImportUndo(id string) string { return Import + "/" + url.PathEscape(id) + "/undo" }

// AccountDelete is the question (GET) and the form (POST) that deletes an account that the person keeps.
func AccountDelete(id string) string { return Account(id) + "/delete" }

// AccountShare is the form that says with whom the owner shares an account (GET, POST).
func AccountShare(id string) string { return Account(id) + "/share" }

// AccountClose takes the form that closes an account that the person keeps, or opens it again.
func AccountClose(id string) string { return Account(id) + "/close" }

// AccountValue takes the form that says what was on an account that the person keeps.
func AccountValue(id string) string { return Account(id) + "/value" }

// NewTransaction is the form for a transaction in an account that the person keeps (GET, POST).
func NewTransaction(account string) string { return Account(account) + "/add" }

// TransactionEdit is the form of a transaction in such an account (GET, POST).
func TransactionEdit(account, id string) string { return Transaction(account, id) + "/edit" }

// TransactionDelete takes the form that deletes it.
func TransactionDelete(account, id string) string { return Transaction(account, id) + "/delete" }

// PersonRemove is the page on which an owner removes a person, and takes its form.
func PersonRemove(id string) string { return People + "/" + url.PathEscape(id) + "/remove" }

// PersonRole takes the form that gives a person another role.
func PersonRole(id string) string { return People + "/" + url.PathEscape(id) + "/role" }

// NotificationChannel takes the form that sets up a channel of messages.
func NotificationChannel(name string) string { return Notifications + "/" + url.PathEscape(name) }

// NotificationTest sends a test on a channel.
func NotificationTest(name string) string { return NotificationChannel(name) + "/test" }

// NotificationRemove takes a channel away.
func NotificationRemove(name string) string { return NotificationChannel(name) + "/remove" }

// InvitationWithdraw takes the form that takes an invitation back.
func InvitationWithdraw(id string) string { return Invite + "/" + url.PathEscape(id) + "/withdraw" }

// Transaction is the page of one transaction of an account.
func Transaction(account, id string) string {
	return Account(account) + "/transactions/" + url.PathEscape(id)
}

// Search is the list of what a search finds.
func Search(text string) string { return SearchBy(text, "") }

// SearchBy is Search for "mine" or "household", as ByWhose. A page has hundreds of these links.
func SearchBy(text, whose string) string {
	switch {
	case text == "":
		return ByWhose(Transactions, whose)
	case whose == "":
		return Transactions + "?q=" + url.QueryEscape(text)
	}
	return Transactions + "?q=" + url.QueryEscape(text) + "&whose=" + whose
}

// ByWhose is the address of the same page for "mine" or "household"; "" leaves the choice to the page.
func ByWhose(path, whose string) string {
	if whose == "" || path == "" {
		return path
	}
	path, fragment, fragmented := strings.Cut(path, "#")
	page, query, asks := strings.Cut(path, "?")
	switch {
	case !asks:
		path += "?whose=" + whose
	case !strings.Contains(query, "whose"):
		path += "&whose=" + whose // a page has many links
	default:
		values, _ := url.ParseQuery(query) // what cannot be read is left out
		values.Set("whose", whose)
		path = page + "?" + values.Encode()
	}
	if fragmented {
		path += "#" + fragment
	}
	return path
}

// Select is the list of what a search finds, to choose from for a bulk edit.
func Select(text string) string {
	if text == "" {
		return SelectTransactions
	}
	return SelectTransactions + "?" + url.Values{"q": {text}}.Encode()
}

// BulkEdit is the page of a bulk edit (GET), and takes what it is to change (POST).
func BulkEdit(id string) string { return BulkEdits + "/" + url.PathEscape(id) }

// BulkEditStart takes the form that carries out a bulk edit.
func BulkEditStart(id string) string { return BulkEdit(id) + "/start" }

// BulkEditUndo takes the form that undoes a bulk edit.
func BulkEditUndo(id string) string { return BulkEdit(id) + "/undo" }

// RecurringSeries is the page of a series of transactions.
func RecurringSeries(id string) string { return Recurring + "/" + url.PathEscape(id) }

// DirectDebit is the page of a direct debit, by the id of its transaction.
func DirectDebit(transaction int64) string {
	return DirectDebits + "/" + strconv.FormatInt(transaction, 10)
}

// DirectDebitRight takes the form that says that a direct debit is right, or takes that back.
func DirectDebitRight(transaction int64) string { return DirectDebit(transaction) + "/right" }

// RecurringChoice takes the form that confirms a series, dismisses it, or takes that back.
func RecurringChoice(id string) string { return RecurringSeries(id) + "/choice" }

// RecurringName takes the form that names a series.
func RecurringName(id string) string { return RecurringSeries(id) + "/name" }

// RecurringMerge takes the form that makes a series a part of another one.
func RecurringMerge(id string) string { return RecurringSeries(id) + "/merge" }

// RecurringSeparate takes the form that takes out of a series what was merged into it.
func RecurringSeparate(id string) string { return RecurringSeries(id) + "/separate" }

// Report is a report by the query of its address.
func Report(query string) string { return Reports + "?" + query }

// SavedReport is the page of a report that is kept (GET), and takes its name (POST).
func SavedReport(id string) string { return SavedReports + "/" + url.PathEscape(id) }

// SavedReportDelete takes the form that forgets a report.
func SavedReportDelete(id string) string { return SavedReport(id) + "/delete" }

// RateDelete takes the form that deletes a rate that was typed.
func RateDelete(id string) string { return Rates + "/" + url.PathEscape(id) + "/delete" }

// SaveSearch is the form that keeps a search under a name.
func SaveSearch(text string) string {
	return SavedSearches + "?" + url.Values{"q": {text}}.Encode() + "#new"
}

// SavedSearch is the form of a search that is kept (GET, POST).
func SavedSearch(id string) string { return SavedSearches + "/" + url.PathEscape(id) }

// SavedSearchDelete takes the form that forgets a search.
func SavedSearchDelete(id string) string { return SavedSearch(id) + "/delete" }

// ExportList is the form for a file with what a search finds in an account, or with "" in all of them. Without a text it is everything.
func ExportList(account, text string) string {
	query := url.Values{}
	if account != "" {
		query.Set("account", account)
	}
	if text != "" {
		query.Set("q", text)
	}
	if len(query) == 0 {
		return Export
	}
	return Export + "?" + query.Encode()
}

// TransactionAnnotation takes the form with the note and the tags of a transaction.
func TransactionAnnotation(account, id string) string {
	return Transaction(account, id) + "/annotation"
}

// TransactionReview takes the form that says whether a transaction was looked at.
func TransactionReview(account, id string) string { return Transaction(account, id) + "/review" }

// TransactionCategory takes the form that says what a transaction was for.
func TransactionCategory(account, id string) string { return Transaction(account, id) + "/category" }

// TransactionTransfer pairs a transaction with the other side of a transfer between own accounts, or says that it is none (POST).
func TransactionTransfer(account, id string) string { return Transaction(account, id) + "/transfer" }

// TransactionMerge is the page on which a person says that a transaction is the same as another one (GET), and takes its form (POST).
func TransactionMerge(account, id string) string { return Transaction(account, id) + "/merge" }

// TransactionMergeWith is that page with the other transaction beside it.
func TransactionMergeWith(account, id, other string) string {
	return TransactionMerge(account, id) + "?other=" + url.QueryEscape(other)
}

// TransactionSeparate makes two transactions of one again (POST).
func TransactionSeparate(account, id string) string { return Transaction(account, id) + "/separate" }

// TransactionAttachments takes the form that attaches a file to a transaction.
func TransactionAttachments(account, id string) string {
	return Transaction(account, id) + "/attachments"
}

// TransactionAttachment is a file that is attached to a transaction.
func TransactionAttachment(account, id, attachment string) string {
	return TransactionAttachments(account, id) + "/" + url.PathEscape(attachment)
}

// TransactionAttachmentRemove takes the form that removes a file.
func TransactionAttachmentRemove(account, id, attachment string) string {
	return TransactionAttachment(account, id, attachment) + "/remove"
}

// TransactionSplit is the page (GET) and the form (POST) that splits a transaction into parts.
func TransactionSplit(account, id string) string { return Transaction(account, id) + "/split" }

// TransactionSplitExplain says what is left of a transaction while its parts are typed (POST), as a part of the form.
func TransactionSplitExplain(account, id string) string {
	return TransactionSplit(account, id) + "/explain"
}

// Category is the page of a category.
func Category(id string) string { return Categories + "/" + url.PathEscape(id) }

// ForecastOf is the forecast of an account.
func ForecastOf(account string) string {
	return Forecast + "?account=" + url.QueryEscape(account)
}

// ForecastExportOf is the file of the forecast of an account, or of all accounts for "".
func ForecastExportOf(account string) string {
	if account == "" {
		return ForecastExport
	}
	return ForecastExport + "?account=" + url.QueryEscape(account)
}

// BudgetMonth is a month of budgets, such as "2026-11".
func BudgetMonth(month string) string {
	return Budgets + "?" + url.Values{"month": {month}}.Encode()
}

// NewBudgetFor is the form for a budget from a month on, for a category in a currency where they are given.
func NewBudgetFor(month, category, currency string) string {
	query := url.Values{"month": {month}}
	if category != "" {
		query.Set("for", category)
		query.Set("currency", currency)
	}
	return NewBudget + "?" + query.Encode()
}

// NetWorth is the report of what is on all accounts over time.
const NetWorth = Reports + "?view=worth"

// CategoriesIn is the report by category of the days from one to another.
func CategoriesIn(from, to string) string {
	return Reports + "?" + url.Values{"period": {"days"}, "from": {from}, "to": {to}, "view": {"categories"}}.Encode()
}

// Budget is the page of a budget (GET), and takes its amount (POST).
func Budget(id string) string { return Budgets + "/" + url.PathEscape(id) }

// BudgetIn is the page of a budget in a month.
func BudgetIn(id, month string) string {
	return Budget(id) + "?" + url.Values{"month": {month}}.Encode()
}

// BudgetMove takes the form that moves money from one budget to another.
func BudgetMove(id string) string { return Budget(id) + "/move" }

// BudgetCarry takes the form that says what goes on into the next month.
func BudgetCarry(id string) string { return Budget(id) + "/carry" }

// BudgetGoal takes the form for a bill to save up for.
func BudgetGoal(id string) string { return Budget(id) + "/goal" }

// BudgetEnd takes the form that ends a budget.
func BudgetEnd(id string) string { return Budget(id) + "/end" }

// Expense is the page of a shared expense (GET), and takes its form (POST).
func Expense(id string) string { return Settling + "/expenses/" + url.PathEscape(id) }

// ExpenseDelete takes the form that deletes a shared expense, or takes that back: form value "deleted".
func ExpenseDelete(id string) string { return Expense(id) + "/delete" }

// NewExpenseFrom is the form for a shared expense that a transaction is.
func NewExpenseFrom(account, transaction string) string {
	return NewExpense + "?" + url.Values{"account": {account}, "transaction": {transaction}}.Encode()
}

// NewExpenseWith is the form for a shared expense with a person.
func NewExpenseWith(person string) string {
	return NewExpense + "?" + url.Values{"with": {person}}.Encode()
}

// SettlingWith is what the user and another person owe each other.
func SettlingWith(person string) string { return Settling + "/with/" + url.PathEscape(person) }

// SettlingPay takes the form that prepares a payment to a person to whom something is owed.
func SettlingPay(person string) string { return SettlingWith(person) + "/pay" }

// SettlingCash takes the form that says what was given to a person, or got, in cash.
func SettlingCash(person string) string { return SettlingWith(person) + "/cash" }

// SettlementUndo takes the form that says that a settlement does not count, or that it does: form value "undone".
func SettlementUndo(id string) string {
	return Settling + "/settlements/" + url.PathEscape(id) + "/undo"
}

// PaySettlement is the form for the payment that settles a debt.
func PaySettlement(id string) string { return Pay + "?" + url.Values{"settlement": {id}}.Encode() }

// TransactionName is the page of the name with which the other side of a transaction is shown (GET), and takes another one (POST).
func TransactionName(account, id string) string { return Transaction(account, id) + "/name" }

// Rule is the page of a rule (GET), and takes its form (POST).
func Rule(id string) string { return Rules + "/" + url.PathEscape(id) }

// RuleMove takes the form that moves a rule up or down.
func RuleMove(id string) string { return Rule(id) + "/move" }

// RuleOff takes the form that switches a rule off, or on again.
func RuleOff(id string) string { return Rule(id) + "/off" }

// RuleDelete takes the form that forgets a rule.
func RuleDelete(id string) string { return Rule(id) + "/delete" }

// RuleFrom is the form for a new rule that fits a transaction.
func RuleFrom(account, transaction string) string {
	return NewRule + "?" + url.Values{"account": {account}, "transaction": {transaction}}.Encode()
}

// Connection is the page of a connection to a bank.
func Connection(id string) string { return "/connections/" + url.PathEscape(id) }

// ConnectionRefresh takes the form that asks for a sync now.
func ConnectionRefresh(id string) string { return Connection(id) + "/refresh" }

// ConnectionDelete is the question (GET) and the form (POST) that ends a connection and deletes what it brought.
func ConnectionDelete(id string) string { return Connection(id) + "/delete" }

// ConnectionNickname takes the form that names a connection.
func ConnectionNickname(id string) string { return Connection(id) + "/nickname" }

// ConnectionDisconnect is the question (GET) and the form (POST) that ends a connection.
func ConnectionDisconnect(id string) string { return Connection(id) + "/disconnect" }

// LinkAttempt is the page that leads to the bank and, after the return, shows the result of the attempt.
func LinkAttempt(id string) string { return Link + "/" + url.PathEscape(id) }

// NoticeClose takes the form that closes a notice.
func NoticeClose(id string) string { return "/notices/" + url.PathEscape(id) + "/close" }

// SignInEnd takes the form that ends one sign-in of the user.
func SignInEnd(id string) string { return Settings + "/sign-ins/" + url.PathEscape(id) + "/end" }

// Passkey is the page of a passkey of the user; its form names it.
func Passkey(id string) string { return Passkeys + "/" + url.PathEscape(id) }

// Authenticator is the page of an authenticator app of the user; its form names it.
func Authenticator(id string) string { return Authenticators + "/" + url.PathEscape(id) }

// AuthenticatorRemove takes the form that removes an authenticator app.
func AuthenticatorRemove(id string) string {
	return Authenticator(id) + "/remove"
}

// ProvePasskey says what a passkey of the user needs to prove who they are for a purpose.
func ProvePasskey(purpose string) string {
	return PasskeyQuestion + "?purpose=" + url.QueryEscape(purpose)
}

// PasskeyRemove takes the form that removes a passkey.
func PasskeyRemove(id string) string { return Passkey(id) + "/remove" }

// PayFrom is the form for a payment from an account.
func PayFrom(account string) string { return Pay + "?" + url.Values{"account": {account}}.Encode() }

// PayDraft is the form of a payment that was not confirmed yet.
func PayDraft(id string) string { return Pay + "?" + url.Values{"draft": {id}}.Encode() }

// PayRetry is the form for a new payment like an old one.
func PayRetry(id string) string { return Pay + "?" + url.Values{"retry": {id}}.Encode() }

// PayRequest is the form for what somebody asked the user to pay.
func PayRequest(id string) string { return Pay + "?" + url.Values{"request": {id}}.Encode() }

// Request is the page of what somebody asks another to pay.
func Request(id string) string { return Requests + "/" + url.PathEscape(id) }

// RequestDecline takes the form with which whoever is asked says no. Form value: answer.
func RequestDecline(id string) string { return Request(id) + "/decline" }

// RequestWithdraw takes the form with which whoever asks takes it back.
func RequestWithdraw(id string) string { return Request(id) + "/withdraw" }

// PayTransaction is the form for a payment to whom a transaction went, or from whom it came.
func PayTransaction(account, transaction string) string {
	return Pay + "?" + url.Values{"account": {account}, "transaction": {transaction}}.Encode()
}

// Payment is the page that tells how a payment stands.
func Payment(id string) string { return Payments + "/" + url.PathEscape(id) }

// PaymentsFileOf chooses payments of an account for one file.
func PaymentsFileOf(account string) string {
	return PaymentsFile + "?" + url.Values{"account": {account}}.Encode()
}

// PaymentReview shows a draft before it is confirmed.
func PaymentReview(id string) string { return Payment(id) + "/review" }

// PaymentConfirm takes the form that confirms a draft.
func PaymentConfirm(id string) string { return Payment(id) + "/confirm" }

// PaymentLeave is the page that leads to the bank; POST makes the way back lead to this browser before.
func PaymentLeave(id string) string { return Payment(id) + "/leave" }

// PaymentDiscard takes the form that throws a draft away, or puts a payment away.
func PaymentDiscard(id string) string { return Payment(id) + "/discard" }

// PaymentShow takes the form that takes a payment back into the lists.
func PaymentShow(id string) string { return Payment(id) + "/show" }

// PaymentCheck takes the form that asks the service now.
func PaymentCheck(id string) string { return Payment(id) + "/check" }

// PaymentStopped takes the form that says that a standing order was stopped at the bank, or that it goes on.
func PaymentStopped(id string) string { return Payment(id) + "/stopped" }

// PaymentPayee takes the form that saves the payee of a payment.
func PaymentPayee(id string) string { return Payment(id) + "/payee" }

// PaymentReceipt is the receipt of a payment, for printing.
func PaymentReceipt(id string) string { return Payment(id) + "/receipt" }

// PaymentCode is the QR code of a payment that the person sends in the bank's app, as a picture.
func PaymentCode(id string) string { return Payment(id) + "/code.png" }

// PaymentFile is the pain.001 file of such a payment. Query values: version, total.
func PaymentFile(id string) string { return Payment(id) + "/file" }

// PaymentSent takes the form that says whether such a payment was sent. Form value: sent, "on" or "".
func PaymentSent(id string) string { return Payment(id) + "/sent" }

// PaymentBooking takes the form that says which booked transaction such a payment is. Form value: booking.
func PaymentBooking(id string) string { return Payment(id) + "/booking" }

// PayTo is the form for a payment to a payee.
func PayTo(payee string) string { return Pay + "?" + url.Values{"payee": {payee}}.Encode() }

// PayBulkDraft is the form of a draft with many payments.
func PayBulkDraft(id string) string { return PayBulk + "?" + url.Values{"draft": {id}}.Encode() }

// PayBulkRetry is the form with those payments of a bulk that came to nothing.
func PayBulkRetry(id string) string { return PayBulk + "?" + url.Values{"retry": {id}}.Encode() }

// Payee is the form of a payee (GET, POST).
func Payee(id string) string { return Payees + "/" + url.PathEscape(id) }

// PayeeFavourite takes the form that makes a payee a favourite, or no longer.
func PayeeFavourite(id string) string { return Payee(id) + "/favourite" }

// PayeeDelete takes the form that forgets a payee.
func PayeeDelete(id string) string { return Payee(id) + "/delete" }

// Service is the page of a service that brings banks (GET), and takes what is typed to connect it (POST).
func Service(id string) string { return Services + "/" + url.PathEscape(id) }

// ServiceCertificate is the certificate of a key that was made here, as a file.
func ServiceCertificate(id string) string { return Service(id) + "/certificate" }

// ServiceExamine takes the form that examines a service.
func ServiceExamine(id string) string { return Service(id) + "/examine" }

// ServiceKey takes the form that makes another key for a service.
func ServiceKey(id string) string { return Service(id) + "/key" }

// ServiceDiscard takes the form that throws away what is being set up.
func ServiceDiscard(id string) string { return Service(id) + "/discard" }

// ServiceRemove takes the form that removes a service.
func ServiceRemove(id string) string { return Service(id) + "/remove" }

// Webhook is the page of one webhook that came.
func Webhook(id string) string { return Webhooks + "/" + url.PathEscape(id) }

// WebhookReplay takes the form that applies a webhook once more.
func WebhookReplay(id string) string { return Webhook(id) + "/replay" }

// WebhookTrust takes the form that lets the provider of a webhook have another certificate.
func WebhookTrust(id string) string { return Webhook(id) + "/trust" }
