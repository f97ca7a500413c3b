package hosted

import "florin/web/templates/words"

// Order is a payment as pages show it. Texts from the application or from a bank are unchanged; the templates isolate and clean them.
type Order struct {
	Kind      string     // "SEPA credit transfer"
	Totals    []Sum      // the sums that are paid, one for each currency
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
	Check   *PayeeCheck // the bank's check of the name; nil when it was not asked
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

// PayeeCheck describes the result of a bank's check of a payee's name.
type PayeeCheck struct {
	Tone  CheckTone
	Title words.Text
	Text  words.Text // with a place for Name, if there is one
	Name  string     // of the holder; empty when the bank does not reveal it
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

// shownOf returns the items of a list that a page shows at first, restOf the others.
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

// OrderPage shows the payment at the bank, with the account to choose that pays it.
type OrderPage struct {
	Bank     Bank
	Visit    Visit // with the order
	Action   string
	Problem  string
	Holder   string // who signed in
	Accounts []ApprovalAccount
	Fixed    bool // the account was named, there is nothing to choose
	NoMatch  bool // a name does not match its account: continuing requires ticking a box
	Ticked   bool // it was ticked before
	Last     bool // there is no code: this approves
}

// the arguments of Text
func (c PayeeCheck) names() []string {
	if c.Name == "" {
		return nil
	}
	return []string{c.Name}
}
