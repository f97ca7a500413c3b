package pages

import (
	"cmp"
	"strings"

	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/web/templates/words"
)

// Failure explains an error to a person: what happened, who has to act, and what to do next.
type Failure struct {
	Title     string
	What      string
	Who       words.Text // You, TheBank or Operator
	Next      string
	Code      string // as the service spells it; empty when there is none
	Said      string // the message of the bank or the service, untrusted text; empty when there is none
	RequestID string
}

// Who has to act.
const (
	You      words.Text = "You"
	TheBank  words.Text = "The bank"
	Operator words.Text = "Whoever runs this server"
)

// Explain returns the meaning of a failure at a bank, in a language. For an unknown code the text promises nothing. The name is "" when no bank is meant.
func Explain(l *words.Language, f finance.Failure, bank string) Failure {
	t, known := failures[f.Code]
	switch {
	case known:
	case strings.HasPrefix(string(f.Code), "HTTP_5"):
		t = serviceFailure
	default:
		t = unknownFailure
	}
	title := l.Say(t.title)
	if strings.Contains(string(t.title), "%s") {
		title = l.Say(t.title, cmp.Or(bank, l.Say(TheBank)))
	}
	return Failure{Title: title, What: l.Say(t.what), Who: t.who, Next: l.Say(t.next), Code: string(f.Code), Said: finance.Clean(f.Said),
		RequestID: f.RequestID}
}

// ExplainSync returns the meaning of a failed sync, which Florin retries by itself.
func ExplainSync(l *words.Language, f finance.Failure, bank string) Failure {
	e := Explain(l, f, bank)
	if f.Code == finance.FailureUnreachable || f.Code == finance.FailureUnreadable || f.Code == finance.FailureInternal || strings.HasPrefix(string(f.Code), "HTTP_5") {
		e.Next = l.Say(waitAndSee)
	}
	return e
}

// failureText returns the meaning of a failure. The title may contain the name of the bank only as its subject, because a name cannot be declined.
type failureText struct {
	title, what words.Text
	who         words.Text
	next        words.Text
}

const (
	startAgain  words.Text = "Start again. If it happens again, tell whoever runs this server the code and the request ID."
	waitAndSee  words.Text = "Florin tries again by itself. You do not have to do anything."
	reconnect   words.Text = "Link the bank again. Your history stays, and Florin recognises the accounts."
	reportIt    words.Text = "Tell whoever runs this server the code and the request ID."
	lookAtBank  words.Text = "Look at your account at the bank before you pay again."
	askOperator words.Text = "Try again in a few minutes. If it happens again, tell whoever runs this server the code and the request ID."
)

// serviceFailure is an answer of a service, or of what stands before it, that tells an error (RFC 9110, section 15.6) and no code of the API.
var serviceFailure = failureText{"The banking service has a problem", "It answered with an error and did not say what is wrong.", Operator, askOperator}

var unknownFailure = failureText{"Something went wrong", "The banking service answered with a code that Florin does not know.", Operator, askOperator}

var failures = map[finance.FailureCode]failureText{
	// The redirect back from the bank (RFC 6749, section 4.1.2.1).
	finance.FailureDenied: {"No access was given", "You cancelled, or you could not sign in at the bank. Nothing was shared and no account was added.", You,
		"Start again whenever you like."},
	"server_error": {"%s could not finish", "Something failed at the bank or on the way to it. No account was added.", TheBank,
		"Wait a few minutes, then start again."},
	"temporarily_unavailable": {"%s is not available", "The bank accepts no new connections at the moment. No account was added.", TheBank,
		"Wait a few minutes, then start again."},
	"invalid_request": {"%s refused the request", "The bank did not accept the request as Florin sent it. No account was added.", Operator, startAgain},
	"invalid_client":  {"%s refused the banking service", "The bank does not accept the banking service that Florin uses. No account was added.", Operator, reportIt},
	"unauthorized_client": {"%s refused the banking service", "The bank does not let the banking service that Florin uses ask for this. No account was added.",
		Operator, reportIt},
	"invalid_scope": {"%s refused this kind of access", "The bank does not give the access that Florin asked for. No account was added.",
		Operator, reportIt},
	"unsupported_response_type": {"%s refused the request", "The bank did not accept the request as Florin sent it. No account was added.", Operator, startAgain},

	// What Florin itself finds wrong with a link.
	finance.FailureTooOld: {"You did not come back in time",
		"Linking a bank has to be finished within 15 minutes. Nothing was shared with Florin, and no account was added.", You, "Start again whenever you like."},
	finance.FailureNoCode: {"%s gave no answer", "The bank sent you back without an approval and without an error. No account was added.", Operator, startAgain},
	finance.FailureMismatch: {"The approval belongs to somebody else",
		"What came back from the bank does not belong to the link that you started. Florin refused it and ended the access at once. No account was added.", You,
		"Start again in one browser window. If it happens again, tell whoever runs this server."},
	finance.FailureSilent: {"%s does not answer", "Florin asked the bank through the banking service and got no answer in time. No account was added.", TheBank,
		"Try again in a few minutes, or choose another bank."},
	finance.FailureStopped: {"Florin was stopped", "Florin stopped before the bank sent the list of accounts. No account was added.", Operator, startAgain},

	// What it finds wrong with any call.
	finance.FailureUnreachable: {"The banking service did not answer", "Florin talks to banks through a banking service. It cannot be reached at the moment.", Operator,
		"Try again in a few minutes. If the problem continues, tell whoever runs this server."},
	finance.FailureUnreadable: {"Florin does not understand the answer of the banking service", "The banking service answered, but not with what Florin asked for.",
		Operator, startAgain},
	finance.FailureEndless: {"The list of transactions does not end",
		"The banking service went on sending pages and never came to the last one. Florin keeps what it got.", Operator, reportIt},
	finance.FailureInterrupted: {"Florin was stopped", "Florin stopped while it was sending the payment.", Operator, lookAtBank},
	finance.FailureInternal: {"Something went wrong in Florin", "This is an error in Florin, not yours and not the bank’s. The details are in the log.",
		Operator, startAgain},

	// Starting and completing a link.
	api(openbanking.AlreadyAuthorized): {"This link is already finished", "The bank’s answer was used before, for example because the page was loaded twice.", You,
		"Look at your accounts: they may be there. If they are not, start again."},
	api(openbanking.ExpiredAuthorizationCode): {"The bank’s answer came too late", "An approval is valid for a few minutes only. This one is too old.", You,
		"Start again and approve it without a break."},
	api(openbanking.WrongAuthorizationCode): {"The banking service did not recognise the bank’s answer",
		"The banking service does not know the approval that came back from the bank.", You, startAgain},
	api(openbanking.WrongASPSPProvided): {"%s is no longer offered", "The banking service does not know a bank of this name in this country.", You,
		"Choose the bank from the list again."},
	api(openbanking.WrongCredentialsProvided): {"%s did not accept your details", "The bank refused what you entered before you were sent to it.", You,
		"Start again and check every character."},
	api(openbanking.RedirectURINotAllowed): {"Florin’s redirect URL is not registered",
		"The banking service sends people back only to registered addresses. Florin’s is not one of them.", Operator,
		"Register the redirect URL of this server with the banking service, exactly as Florin shows it."},
	api(openbanking.WebhookURINotAllowed): {"Florin’s webhook address is not registered", "The banking service sends webhooks only to registered addresses.", Operator,
		"Register the webhook address of this server with the banking service."},
	api(openbanking.NoAccountsAdded): {"No account may be read yet",
		"The banking service lets this application read only accounts that were added to it. None was added.", Operator,
		"Add your accounts to the application in the banking service’s control panel, then start again."},

	// The application.
	api(openbanking.AccessDenied): {"The banking service does not allow this", "Florin’s application may not use this part of the banking service.", Operator,
		"Check in the banking service’s control panel what the application may use."},
	api(openbanking.AuthorizationNotProvided): {"The banking service did not recognise Florin", "Florin’s request had no proof of identity.", Operator, reportIt},
	api(openbanking.UnauthorizedAccess): {"The banking service did not recognise Florin",
		"The banking service refused Florin’s proof of identity: the key or the application is wrong, or a clock is off.", Operator,
		"Check the application, its key and the clock of this server."},
	api(openbanking.UnauthorizedIP): {"The banking service refused this server’s address", "The application may be used only from certain network addresses.", Operator,
		"Add this server’s address in the banking service’s control panel."},
	api(openbanking.InvalidHost): {"Florin uses a wrong address for the banking service", "The banking service does not answer to the address that Florin calls.", Operator,
		"Check the address of the banking service in Florin’s settings."},

	// The consent.
	api(openbanking.ClosedSession): {"This connection was disconnected", "Access has ended, so the bank gives no more data.", You, reconnect},
	api(openbanking.ExpiredSession): {"The consent has ended",
		"The time that you allowed is over, or the bank ended it early. The bank gives no more data.", You, reconnect},
	api(openbanking.RevokedSession): {"The consent was withdrawn",
		"It was withdrawn at the bank or on a page of the banking service. The bank gives no more data.", You, reconnect},
	api(openbanking.SessionDoesNotExist): {"The banking service does not know this connection",
		"It may have been removed there, or it belongs to another application.", You, reconnect},
	api(openbanking.WrongSessionStatus): {"The connection is not ready", "It was never finished, or it has ended.", You, reconnect},
	api(openbanking.AccountDoesNotExist): {"The banking service does not know this account",
		"The account belongs to an earlier consent, or it was closed at the bank.", You, reconnect},
	api(openbanking.InvalidAccountID): {"The request named no account", "It had neither an IBAN nor another account number.", Operator, reportIt},
	api(openbanking.ASPSPPSUActionRequired): {"%s needs something from you",
		"The bank gives data only while you are here, or waits for something that only you can do, such as accepting new terms.", You,
		"Choose Refresh. If that does not help, sign in at the bank, do what it asks, and choose Refresh again."},
	api(openbanking.ASPSPAccountNotAccessible): {"%s does not show this account", "The account was closed, or your login no longer has access to it.", You,
		"Check the account at the bank. Everything that Florin has stays here."},

	// Reading.
	api(openbanking.ASPSPError): {"%s has a problem", "The bank answered with an error. Florin shows the data of the last successful sync.", TheBank,
		waitAndSee},
	api(openbanking.ASPSPTimeout): {"%s did not answer in time", "Florin shows what it got the last time the bank answered.", TheBank, waitAndSee},
	api(openbanking.ASPSPRateLimitExceeded): {"%s allows no more requests for now",
		"Banks limit how often data may be fetched while you are not there, often to four times a day.", TheBank, waitAndSee},
	api(openbanking.TransactionDoesNotExist): {"%s has no details of this transaction", "The bank no longer knows it under this ID. What Florin has stays.",
		TheBank,
		"You do not have to do anything."},
	api(openbanking.WrongTransactionsPeriod): {"%s does not go back that far", "The bank gives a shorter history than Florin asked for.", TheBank,
		"Florin asks for a shorter period by itself. You do not have to do anything."},
	api(openbanking.WrongContinuationKey): {"The list changed while Florin read it", "The next page could no longer be fetched.", Operator, waitAndSee},
	api(openbanking.WrongDateInterval):    {"The period was the wrong way round", "Its first day was after its last.", Operator, reportIt},
	api(openbanking.DateFromInFuture): {"The period is in the future",
		"There are no transactions for days to come. The clock of this server may be wrong.", Operator, "Check the clock of this server."},
	api(openbanking.DateToWithoutDateFrom): {"The period had no first day", "The request was not complete.", Operator, reportIt},
	api(openbanking.PSUHeaderInvalid): {"%s refused details about your browser",
		"The bank did not accept one of the details that show that you are present.", Operator, reportIt},
	api(openbanking.PSUHeaderNotProvided): {"%s needs you to be present", "The bank asks for details about your browser, and some were missing.", You,
		"Choose Refresh. If that does not help, no browser gives what this bank asks for. You can import a file of the bank instead."},
	api(openbanking.WrongRequestParameters): {"The banking service did not accept the request", "It found an error in what Florin asked for.", Operator, startAgain},

	// Payments.
	api(openbanking.ASPSPPaymentNotAccessible): {"%s does not show this payment", "Florin could not read the status of the payment.", TheBank, lookAtBank},
	api(openbanking.InvalidPayment): {"This payment can no longer be approved", "It is not valid, or it waited too long. No money was sent.", You,
		"Make a new payment."},
	api(openbanking.PaymentLimitExceeded): {"The payment is above a limit",
		"The amount or the number of payments is higher than the bank allows. No money was sent.", You, "Pay less, or pay in parts."},
	api(openbanking.PaymentNotFinalized): {"This payment is still in progress", "Only payments that have ended can be removed.", You, "Wait until it has ended."},
	api(openbanking.PaymentNotFound):     {"The banking service does not know this payment", "It may have been removed there.", You, lookAtBank},
	api(openbanking.UntrustedPaymentParty): {"This account may not be paid",
		"The banking service does not trust one of the two accounts. No money was sent.", Operator, "Check the account numbers. The banking service can add trusted accounts."},
}

// api is a code of the API as the code of a failure.
func api(code openbanking.ErrorCode) finance.FailureCode { return finance.FailureCode(code) }
