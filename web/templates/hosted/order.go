package hosted

import "florin/web/templates/words"

// Order is a payment as pages show it. Whatever came from the application or from a bank stands in it as it came; the
// templates keep it apart and make it plain.
type Order struct {
	Kind      string     // "SEPA credit transfer"
	Totals    []Sum      // what leaves, one for each currency
	Count     string     // "3 payments"; empty for a single one
	Transfers []Transfer // one or more
	Details   []Detail   // of the payment as a whole, and of a single transfer
}

// Sum is an amount of money, ready to be shown.
type Sum struct{ Amount, Currency string }

// Transfer is one transfer of an order.
type Transfer struct {
	Sum     Sum
	Payee   string // name; may be empty
	Account Account
	Check   *PayeeCheck // what the bank says of the name; nil where it has not been asked
	Details []Detail    // of one of several
}

// Account is the number of an account.
type Account struct {
	Label  string // "IBAN"
	Number string
}

// Detail is one line of the details of an order.
type Detail struct {
	Label string
	Lines []string
}

// PayeeCheck says in words what a bank found out about the name of a payee.
type PayeeCheck struct {
	Tone  CheckTone
	Title words.Text
	Text  words.Text // with a place for Name, if there is one
	Name  string     // of the holder; empty unless it is told
}

// CheckTone is the colour of a check of a payee.
type CheckTone string

// The tones.
const (
	CheckGood    CheckTone = "good"
	CheckCare    CheckTone = "care"
	CheckBad     CheckTone = "bad"
	CheckUnknown CheckTone = "unknown"
)

// atFirst is how much of a long list a page shows before the rest is opened.
const atFirst = 10

// shownOf and restOf are what a page shows of a list at first, and the rest.
func shownOf[T any](list []T) []T { return list[:min(len(list), atFirst)] }
func restOf[T any](list []T) []T  { return list[len(shownOf(list)):] }

// PaymentPage shows the person a payment before anything happens.
type PaymentPage struct {
	Application Application
	Bank        Bank
	PaymentID   string // comes back in both forms
	Order       Order
	Business    bool // the person acts for a business
	AtBank      bool // everything else is asked at the bank itself
	AcceptURL   string
	CancelURL   string
}

// OrderPage lets the person look at the payment at the bank, choose the account that it goes from, and go on.
type OrderPage struct {
	Bank     Bank
	Visit    Visit // with the order
	Action   string
	Problem  string
	Holder   string // who signed in
	Accounts []ApprovalAccount
	Fixed    bool // the account was named, there is nothing to choose
	NoMatch  bool // a name does not fit its account: going on takes a tick
	Ticked   bool // it was ticked before
	Last     bool // there is no code: this approves
}

// names are the arguments of Text.
func (c PayeeCheck) names() []string {
	if c.Name == "" {
		return nil
	}
	return []string{c.Name}
}
