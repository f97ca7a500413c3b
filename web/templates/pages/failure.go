package pages

import (
	"strings"

	"florin/internal/finance"
	"florin/internal/openbanking"
)

// Failure tells a person about an error: what happened, who has to act, and what to do next.
type Failure struct {
	Title     string
	What      string
	Who       string // "You", "The bank" or "Whoever runs this server"
	Next      string
	Code      string // as the service spells it; empty when there is none
	Said      string // the message of the bank or the service, untrusted text; empty when there is none
	RequestID string
}

// Explain says what a failure means at a bank; for a code that is not known, the text promises nothing. Where no bank is meant, its name is "".
func Explain(f finance.Failure, bank string) Failure {
	t, known := failures[f.Code]
	if !known {
		t = failureText{
			"Something went wrong on the way to {bank}",
			"The service answered with a code that Florin does not know.",
			Operator,
			"Try again in a few minutes. If it happens again, report the code and the request id.",
		}
	}
	fill := func(text string) string {
		if bank == "" {
			text = strings.ReplaceAll(text, "{bank}", "the bank")
			return strings.ToUpper(text[:1]) + text[1:]
		}
		return strings.ReplaceAll(text, "{bank}", bank)
	}
	return Failure{Title: fill(t.title), What: fill(t.what), Who: t.who, Next: fill(t.next), Code: string(f.Code), Said: finance.Clean(f.Said), RequestID: f.RequestID}
}

// ExplainSync says what the failure of a sync means: Florin tries again by itself.
func ExplainSync(f finance.Failure, bank string) Failure {
	e := Explain(f, bank)
	if f.Code == finance.FailureUnreachable || f.Code == finance.FailureInternal {
		e.Next = waitAndSee
	}
	return e
}

type failureText struct{ title, what, who, next string }

// Who has to act.
const (
	You      = "You"
	TheBank  = "The bank"
	Operator = "Whoever runs this server"
)

const (
	startAgain  = "Start again. If it happens again, report the code and the request id."
	waitAndSee  = "Florin tries again by itself. There is nothing you need to do."
	reconnect   = "Link {bank} again. Your history stays, and the accounts are recognised."
	reportIt    = "Report the code and the request id to whoever runs this server."
	nothingSent = "No money was sent."
)

var failures = map[finance.FailureCode]failureText{
	// The redirect back from the bank.
	"access_denied":             {"Access was not given", "You cancelled, or the sign-in at {bank} did not succeed. Nothing was shared, and no account was added.", You, "Start again whenever you like."},
	"server_error":              {"{bank} could not finish", "Something failed at the bank or on the way to it. No account was added.", TheBank, "Wait a few minutes, then start again."},
	"temporarily_unavailable":   {"{bank} is not available", "The bank takes no new links at the moment. No account was added.", TheBank, "Wait a few minutes, then start again."},
	"invalid_request":           {"{bank} refused the request", "The bank did not accept the way it was asked. No account was added.", Operator, startAgain},
	"invalid_client":            {"{bank} refused the service", "The bank does not accept the service that Florin uses. No account was added.", Operator, reportIt},
	"unauthorized_client":       {"{bank} refused the service", "The bank does not let the service that Florin uses ask for this. No account was added.", Operator, reportIt},
	"invalid_scope":             {"{bank} refused the kind of access", "The bank does not give the access that was asked for. No account was added.", Operator, reportIt},
	"unsupported_response_type": {"{bank} refused the request", "The bank did not accept the way it was asked. No account was added.", Operator, startAgain},

	// What Florin itself finds wrong with a link.
	finance.FailureTooOld:      {"Nobody came back from {bank} in time", "A link must be completed within 15 minutes. Nothing was shared with Florin, and no account was added.", You, "Start again whenever you like."},
	finance.FailureNoCode:      {"The answer of {bank} was empty", "The bank sent you back with neither an approval nor an error. No account was added.", Operator, startAgain},
	finance.FailureMismatch:    {"The approval belongs to somebody else", "What came back from {bank} does not belong to the link that you started. It was refused and ended at once. No account was added.", You, "Start again in one browser window. If it happens again, report it to whoever runs this server."},
	finance.FailureSilent:      {"{bank} does not answer", "Florin asked {bank} through the service and heard nothing in time. No account was added.", TheBank, "Try again in a few minutes, or choose another bank."},
	finance.FailureUnreachable: {"The service did not answer", "Florin talks to banks through a service, and that cannot be reached at the moment.", Operator, "Try again in a few minutes. If it lasts, tell whoever runs this server."},
	finance.FailureUnreadable:  {"The service gave an answer that Florin does not understand", "It answered, but not with what was asked for.", Operator, startAgain},
	finance.FailureStopped:     {"Florin was stopped meanwhile", "Florin ended before {bank} had given the list of accounts. No account was added.", Operator, startAgain},
	finance.FailureInternal:    {"Something broke here", "This is a fault of Florin, not yours and not the bank's. It has been written to the log.", Operator, startAgain},

	// What Florin itself finds wrong with a sync.
	finance.FailureEndless: {"The list of {bank} does not end", "The service went on giving pages and never came to the last one. What was fetched is kept.", Operator, reportIt},

	// Starting and completing a link.
	finance.FailureCode(openbanking.AlreadyAuthorized):        {"This link was already completed", "The bank's answer had been used before, for example by loading the page twice.", You, "Look at your accounts: they may be there. If not, start again."},
	finance.FailureCode(openbanking.ExpiredAuthorizationCode): {"The bank's answer came too late", "An approval must be completed within a few minutes, and this one was not.", You, "Start again and approve it in one go."},
	finance.FailureCode(openbanking.WrongAuthorizationCode):   {"The bank's answer was not recognised", "The service does not know the approval that came back from {bank}.", You, startAgain},
	finance.FailureCode(openbanking.WrongASPSPProvided):       {"{bank} is not on offer any more", "The service does not know a bank of this name in this country.", You, "Choose the bank from the list again."},
	finance.FailureCode(openbanking.WrongCredentialsProvided): {"The bank details were not accepted", "{bank} refused what was entered before the redirect.", You, "Start again and check every character."},
	finance.FailureCode(openbanking.RedirectURINotAllowed):    {"Florin's return address is not registered", "The service sends people back only to addresses that were registered, and Florin's is not among them.", Operator, "Register the callback address of this server with the service, exactly as Florin shows it."},
	finance.FailureCode(openbanking.WebhookURINotAllowed):     {"Florin's address for news is not registered", "The service sends news only to addresses that were registered.", Operator, "Register the webhook address of this server with the service."},
	finance.FailureCode(openbanking.NoAccountsAdded):          {"No account may be read yet", "The service lets this application read only accounts that were added to it, and none was.", Operator, "Add your accounts to the application in the control panel of the service, then start again."},

	// The application.
	finance.FailureCode(openbanking.AccessDenied):             {"The service does not allow this", "The application of this server may not use this part of the service.", Operator, "Check in the control panel which services the application may use."},
	finance.FailureCode(openbanking.AuthorizationNotProvided): {"The service did not recognise Florin", "The request reached the service without Florin's proof of identity.", Operator, reportIt},
	finance.FailureCode(openbanking.UnauthorizedAccess):       {"The service did not recognise Florin", "Florin's proof of identity was refused: wrong key, wrong application, or a clock that is off.", Operator, "Check the application, its key and the clock of this server."},
	finance.FailureCode(openbanking.UnauthorizedIP):           {"The service refused this server's address", "The application may be used only from certain network addresses.", Operator, "Add the address of this server in the control panel of the service."},
	finance.FailureCode(openbanking.InvalidHost):              {"The service was called by a wrong name", "The address under which Florin calls the service is not one that it answers to.", Operator, "Check the address of the service in Florin's settings."},

	// The consent.
	finance.FailureCode(openbanking.ClosedSession):             {"This connection was disconnected", "Its access was ended, so {bank} gives no more data.", You, reconnect},
	finance.FailureCode(openbanking.ExpiredSession):            {"The consent has ended", "{bank} gives no more data, because the time you allowed is over or the bank ended it early.", You, reconnect},
	finance.FailureCode(openbanking.RevokedSession):            {"The consent was withdrawn", "Access was withdrawn at {bank} or on the page of the service.", You, reconnect},
	finance.FailureCode(openbanking.SessionDoesNotExist):       {"The service does not know this connection", "It may have been removed there, or it belongs to another application.", You, reconnect},
	finance.FailureCode(openbanking.WrongSessionStatus):        {"The connection is not ready", "It was never completed, or it has ended.", You, reconnect},
	finance.FailureCode(openbanking.AccountDoesNotExist):       {"The service does not know this account", "The account belongs to an older consent, or it was closed at {bank}.", You, reconnect},
	finance.FailureCode(openbanking.InvalidAccountID):          {"The account was not named properly", "The request held neither an IBAN nor another account number.", Operator, reportIt},
	finance.FailureCode(openbanking.ASPSPPSUActionRequired):    {"{bank} wants to hear from you", "The bank waits for something only you can do, such as accepting new terms.", You, "Sign in at the bank, follow what it asks, then refresh."},
	finance.FailureCode(openbanking.ASPSPAccountNotAccessible): {"{bank} does not show this account", "The account was closed, or your login no longer has access to it.", You, "Check the account at the bank. Everything fetched so far stays here."},

	// Reading.
	finance.FailureCode(openbanking.ASPSPError):              {"A problem at {bank}", "The bank answered with an error. What you see is from the last time it worked.", TheBank, waitAndSee},
	finance.FailureCode(openbanking.ASPSPTimeout):            {"{bank} did not answer in time", "What you see is from the last time it did.", TheBank, waitAndSee},
	finance.FailureCode(openbanking.ASPSPRateLimitExceeded):  {"{bank} allows no more reads for now", "Banks limit how often data may be fetched while you are away, often to four times a day.", TheBank, waitAndSee},
	finance.FailureCode(openbanking.TransactionDoesNotExist): {"{bank} has no details of this transaction", "The bank does not know it by this name any more. What was fetched before stays.", TheBank, "There is nothing you need to do."},
	finance.FailureCode(openbanking.WrongTransactionsPeriod): {"{bank} does not go back that far", "The bank gives a shorter history than was asked for.", TheBank, "Florin asks for a shorter period by itself. There is nothing you need to do."},
	finance.FailureCode(openbanking.WrongContinuationKey):    {"The list changed while it was read", "The next page could not be fetched any more.", Operator, waitAndSee},
	finance.FailureCode(openbanking.WrongDateInterval):       {"The period was the wrong way round", "The first day lay after the last.", Operator, reportIt},
	finance.FailureCode(openbanking.DateFromInFuture):        {"The period lies in the future", "There are no transactions of days to come. The clock of this server may be off.", Operator, "Check the clock of this server."},
	finance.FailureCode(openbanking.DateToWithoutDateFrom):   {"The period had no first day", "The request was incomplete.", Operator, reportIt},
	finance.FailureCode(openbanking.PSUHeaderInvalid):        {"{bank} refused details of your browser", "One of the details that show that you are present was not accepted.", Operator, reportIt},
	finance.FailureCode(openbanking.PSUHeaderNotProvided):    {"{bank} wants to know that you are present", "A detail that the bank asks for was missing.", You, "Open the connection and refresh it yourself."},
	finance.FailureCode(openbanking.WrongRequestParameters):  {"The request was not accepted", "The service found something wrong in what Florin asked.", Operator, startAgain},

	// Payments.
	finance.FailureCode(openbanking.ASPSPPaymentNotAccessible): {"{bank} does not show this payment", "The state of the payment could not be read.", TheBank, "Look at your account at the bank before you pay again."},
	finance.FailureCode(openbanking.InvalidPayment):            {"This payment cannot be approved any more", "It is not valid, or it waited too long. " + nothingSent, You, "Start a new payment."},
	finance.FailureCode(openbanking.PaymentLimitExceeded):      {"The payment is above a limit", "The amount or the number of payments is higher than {bank} allows. " + nothingSent, You, "Pay less, or pay in parts."},
	finance.FailureCode(openbanking.PaymentNotFinalized):       {"This payment is still on its way", "Only payments that have ended can be removed.", You, "Wait until it has ended."},
	finance.FailureCode(openbanking.PaymentNotFound):           {"The service does not know this payment", "It may have been removed there.", You, "Look at your account at the bank before you pay again."},
	finance.FailureCode(openbanking.UntrustedPaymentParty):     {"This account may not be paid", "The service does not trust one of the two accounts. " + nothingSent, Operator, "Check the account numbers. The service can add trusted accounts."},
}
