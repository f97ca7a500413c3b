package hosted

// BankAppPage is the page that simulates the app of a bank: it accepts the text of a payment code, a payment link or a file.
type BankAppPage struct {
	Bank       Bank
	Holder     string // who is signed in
	Action     string // form target
	SignOutURL string // form target
	Text       string // as typed before
	Problem    string // what was wrong with the last attempt; empty at first
}

// BankAppOrderPage shows what the bank would send. Visit.Order is nil when the bank accepts nothing.
type BankAppOrderPage struct {
	OrderPage

	BackURL string
	Text    string // the text that was given; the form returns it
	Key     string // of the order; comes back in the form
	Refused []RefusedTransfer
}

// RefusedTransfer is a transfer that the bank refuses.
type RefusedTransfer struct {
	Reason         string // "Payment 2: The IBAN is wrong."
	Payee, Account string // as given; may be empty
}
