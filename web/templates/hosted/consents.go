package hosted

import "florin/web/templates/words"

// ConsentsHomePage lists the banks at which people manage their consents.
type ConsentsHomePage struct {
	Query  string
	Groups []ConsentsHomeGroup
	Shown  int // banks in the groups
}

// ConsentsHomeGroup lists the banks of a country.
type ConsentsHomeGroup struct {
	Code    string // two letters
	Country string
	Banks   []ConsentsHomeBank
}

// ConsentsHomeBank is a bank with the address of its page of consents.
type ConsentsHomeBank struct {
	Bank Bank
	URL  string
}

// CustomerSignInPage lets a customer sign in to a page of the bank.
type CustomerSignInPage struct {
	Bank     Bank
	Title    words.Text // of the page that the customer wants to see
	Reason   words.Text // what for
	Action   string
	Username string // as typed before
	Problem  string // what was wrong with the last attempt; empty at first
	Users    []SampleUser
	Choices  []string // user names of a bank that asks for nothing else
}

// GivenConsentsPage lists the consents of a customer.
type GivenConsentsPage struct {
	Bank       Bank
	Holder     string
	EndURL     string // form target
	SignOutURL string // form target
	Done       string // what has just been done; may be empty
	Active     []GivenConsent
	Over       []GivenConsent
}

// GivenConsent is a consent in the list of a customer.
type GivenConsent struct {
	ID          string // value of the form field, and part of ids on the page
	Application string
	Scope       string // what the application reads, in words
	Accounts    []Fact // which it covers: their names and numbers
	Given       string // when
	Until       string // when it ends, or when and why it ended
}
