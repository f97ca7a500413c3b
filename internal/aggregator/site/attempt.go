package site

import (
	"net/url"

	"florin/internal/aggregator/engine"
	"florin/web/templates/words"
)

// Attempt is what a person sent and what was wrong with it.
type Attempt struct {
	Problem  words.Text
	Username string
	Accounts []string
	Values   map[string]string                 // credentials that may be shown again
	Faults   map[string]engine.CredentialFault // by the name of the credential
	Ticked   bool                              // that a name does not fit its account
}

// Words says what was wrong, with the number of attempts that are left where they are counted.
func (a Attempt) Words(l *words.Language, left int) string {
	switch {
	case a.Problem == "":
		return ""
	case counts[a.Problem]:
		return l.Say(a.Problem) + " " + l.Say("You have %d attempts left.", left)
	}
	return l.Say(a.Problem)
}

// What can be wrong with what a person sent to a bank.
const (
	WrongPassword      words.Text = "The user or the password is wrong."
	WrongCode          words.Text = "This code is wrong."
	NothingChosen      words.Text = "Choose at least one account, or decline."
	NotAChoice         words.Text = "One of these accounts cannot be chosen. Please choose again."
	RefusedCredentials words.Text = "The bank does not accept this. Please check it."
	CheckFields        words.Text = "Please check the marked fields."
	NoMethod           words.Text = "Choose one of these ways."
)

// counts holds the problems that count as wrong attempts. The fifth one ends the visit.
var counts = map[words.Text]bool{WrongPassword: true, WrongCode: true, RefusedCredentials: true}

// What can be wrong with what a person sent about an order.
const (
	NoDebtor   words.Text = "Choose the account that the money goes from."
	NotADebtor words.Text = "The payment cannot go from this account. Please choose again."
	NoTick     words.Text = "The name does not fit the account. Tick the box below if you want to pay all the same, or decline."
)

// Blocked says that there were too many wrong attempts: about a payment, or else about access to accounts.
func Blocked(payment bool) words.Text {
	if payment {
		return "There were too many wrong attempts. The payment is not made."
	}
	return "There were too many wrong attempts. Nothing was shared."
}

// OrderAttempt is what a person sent about an order.
func OrderAttempt(fields url.Values) Attempt {
	sent := Attempt{Ticked: fields.Get("despite") == "yes"}
	if account := fields.Get("account"); account != "" {
		sent.Accounts = []string{account}
	}
	return sent
}
