package pages

import (
	"slices"

	"context"
	"florin/internal/qrcode"
	"florin/web/templates/layout"
	"florin/web/templates/ui"
)

// PayStartView asks from which account to pay, and takes the content of a payment code.
type PayStartView struct {
	layout.Frame
	Simulated    bool // every account that can pay is at a simulated bank
	To           string
	Amount       string // "12.50 EUR"; empty where it is not known yet, as To
	Accounts     []PayAccount
	Others       []PayAccount // of the user, from which nothing can be paid, with the reason
	Pasted       string       // the pasted text that is to be paid: the choice of the account posts it again. Form fields: paste, account
	Paste        string       // the pasted text when it is wrong
	PasteProblem string

	PictureProblem string // why no code was read from a picture. Form field: picture
	Notice         *ui.Notice
	CanAsk         bool // there are people who can be asked to pay
}

// PayAccount is an account to pay from.
type PayAccount struct {
	Name      string
	Detail    string // "Current account, ending in 4711"
	Bank      Bank
	Balance   *ui.Money // what can be spent, else what is booked; nil when the bank gave none
	Available bool      // Balance is what can be spent
	BalanceIs string    // what Balance is when it is neither available nor booked: "Expected"; usually empty
	Booked    string    // "Booked 1,280.03 EUR; the rest may be a credit limit"; empty when Balance is the same
	AsOf      ui.Time
	Stale     string
	Href      string // of the form; empty for one that cannot pay, or that is chosen by a button
	ID        string // of the account, where a button chooses it; empty elsewhere
	Obstacle  string // why it cannot pay; empty for one that can

	Pockets []PayAccount // of a wallet, as in AccountRow
}

// PayView is the form for a payment. It posts to paths.Pay. A button named show only shows the form again with the typed values: its value is a payment type,
// "fill" to fill in the chosen payee, or "check" to explain the account number.
type PayView struct {
	layout.Frame
	Simulated  bool
	Draft      bool // it changes a draft
	Account    PayAccount
	AtBank     bool        // the account is chosen at the bank
	From       []ui.Option // accounts to choose from. Field: account
	Asked      *ui.Notice  // the person who asks for it; nil without one
	CanAsk     bool        // there are people who can be asked to pay it
	Stored     bool        // it contains an amount that was not just typed
	Again      string      // "Retry of 50.00 EUR to ACME"; empty for a payment that repeats none
	Hidden     []Hidden
	Problem    *ui.Notice
	Faults     []PayFault // the faults behind Problem, in the order of the page
	Types      []PayType
	Saved      []ui.Option // payees and own accounts; the first one is empty. Field: saved
	To         []PayField
	Hint       PayHint
	Amount     PayField
	Currency   PayField // with options when there is a choice, else its value is shown
	AmountHint PayHint
	Text       []PayField
	Reference  []PayField // where the bank takes one beside a text, or none
	When       []PayWhen
	Date       PayField
	First      PayField
	Frequency  PayField   // of a standing order; empty where none can be set up
	Seldom     []PayField // of a standing order, what few need: its last day, what becomes of a day on which the bank is closed
	Dates      PayDates
	More       []PayField // further fields of this bank
}

// PayType is a kind of payment that the bank offers. Form field: type.
type PayType struct {
	Value   string
	Title   string // "Instant"
	Note    string // "There within seconds."
	Current bool
	Focus   bool // it was just chosen
}

// PayWhen is a choice of when to pay. Form field: when.
type PayWhen struct {
	Value   string // "now", "date", "repeat"
	Title   string
	Checked bool
}

// PayField is one field of the form: an input, or a choice when it has options.
type PayField struct {
	ui.Input
	Options []ui.Option
}

// anyInUse reports whether one of the fields must be visible: it is filled in, wrong, or next to be filled in. The first option of a list does not count as
// filled in.
func anyInUse(fields []PayField) bool {
	return slices.ContainsFunc(fields, func(f PayField) bool {
		value := f.Value
		if len(f.Options) > 0 && f.Options[0].Selected {
			value = ""
		}
		return value != "" || f.Problem != "" || f.Autofocus
	})
}

// PayHint explains the account of the payee, or the amount, while it is typed. It is a live fragment with the id "payee-hint" or "amount-hint".
type PayHint struct {
	Tone  ui.Tone
	Lines []string // empty: nothing to say yet
}

// PayDates shows the next dates of a standing order. It is a live fragment with the id "pay-dates".
type PayDates struct {
	Sentence string // empty: not known yet
	Dates    []string
	Note     string
}

// ReviewView is a draft, read-only, before it is confirmed. The form posts password, hash and agree to Confirm.
type ReviewView struct {
	layout.Frame
	Title      string
	ID         string
	Simulated  bool
	Bank       Bank
	Problem    *ui.Notice
	Amount     ui.Money
	When       string // "every month, from 1 December 2026"; empty as soon as possible
	Payee      string
	Account    string // of the payee
	Rows       []ReviewRow
	Transfers  []TransferRow // of a bulk; empty for a single payment
	Warnings   []ReviewWarning
	Next       []string // what will happen, in order
	Hash       string
	Proof      Proof
	Change     string // path of the form
	Confirm    string // text of the button: "Confirm 50.00 EUR to ACME"; empty when the payment cannot be confirmed, as Problem explains
	BulkTotals []ui.Money
}

// ReviewRow is one line of the review.
type ReviewRow struct {
	Name   string
	Value  string
	Notes  []string
	Change string // path of the field in the form; empty: it cannot be changed
}

// ReviewWarning is something to agree to. Form field: agree.
type ReviewWarning struct {
	Key    string
	Tone   ui.Tone
	Title  string
	Text   string
	Link   ui.Link
	Box    string // what the person agrees to
	Ticked bool
}

// PaymentLeaveView is the page between Florin and the bank at which a payment is approved.
type PaymentLeaveView struct {
	layout.Frame
	ID        string
	Bank      Bank
	Simulated bool
	Amount    ui.Money
	When      string // as in the review
	Payee     string
	Href      string // empty until the way back leads to this browser, which a form ensures
	Host      string // of the page that comes next, as the browser shows it
}

// PaymentView shows the status of a payment.
type PaymentView struct {
	layout.Frame
	ID          string
	Simulated   bool
	Bank        Bank
	Payee       string
	Amount      ui.Money
	Of          string     // "of 1,275.06 EUR", when Amount is a part of many payments; else empty
	Mixed       []ui.Money // the sums, when currencies are mixed; Amount is empty then
	Status      PaymentStatus
	Facts       []ui.Fact
	Events      []PaymentEvent
	RetryOf     *ui.Link
	Retries     []ui.Link
	Save        bool // the payee can be saved
	Again       string
	AgainFailed bool // Again leads to the failed ones of many payments
	Receipt     bool
	Handoff     *Handoff // what the bank's app accepts; nil when nothing is to be sent there
}

// Handoff is what the person takes to the app or the website of the bank, to send a payment there.
type Handoff struct {
	Bank   string
	Code   *qrcode.Code // nil where the payment does not fit into one: many at once
	Bill   bool         // the code is a Swiss QR-bill
	Day    string       // "1 December 2026", which a code does not hold; empty for at once
	Link   string       // payto:; empty for a Swiss QR-bill
	Fields []HandoffField
	Note   string      // what was written differently than the person typed it; empty without
	File   bool        // there is a file for the website
	NoFile string      // why there is none
	Many   bool        // transfers
	Picked []ui.Option // versions of the file. Query value: version
}

// HandoffField is a field of the bank's form with its value.
type HandoffField struct{ Name, Value string }

// title names the payee, or how many payments it is.
func (v PaymentView) title(ctx context.Context) string {
	if len(v.Status.Transfers) > 0 {
		return v.Payee
	}
	return say(ctx, "Payment to %s", v.Payee)
}

// PaymentStatus is what changes by itself. It is a live fragment with the id "payment-status".
type PaymentStatus struct {
	ID        string
	Bank      string
	Tone      ui.Tone
	Grey      bool
	Headline  string
	Code      string
	Small     string
	Next      string
	Note      string // about a cancellation, and of a bulk how many were not carried out; usually empty
	Reason    *PaymentReason
	Changes   []PaymentChange // what the bank changed
	Stops     []PaymentStop
	Source    string // where the last news came from
	Checked   ui.Time
	Checking  string // what is wrong with checking, or when it continues
	Over      bool
	Hidden    bool
	Approve   bool // the payment can be approved
	Draft     bool
	SayDone   bool          // the person can say that it was sent
	SayNot    bool          // or that it was not
	Retry     string        // path of the form for a new payment; empty when there is no reason to
	Discard   string        // words of the button; empty: it cannot be put away
	Check     bool          // it can be asked about
	Transfers []TransferRow // of a bulk, each with its own status; empty for a single payment

	Bookings     []BookingRow   // its bookings; those of single payments of a bulk are shown with them
	BookingsNote string         // "This is what your bank booked for it."
	Maybe        []BookingRow   // that may be it, while the outcome is unknown
	Executions   []ExecutionRow // of a standing order, the latest first
	Earlier      int            // executions that are not listed
	Stoppable    bool           // the person can say that the standing order was stopped at the bank
	Stopped      string         // "You said on 3 October that it was stopped at the bank."; empty without
}

// ExecutionRow is one execution of a standing order.
type ExecutionRow struct {
	Day    ui.Time
	Note   string // "Moved from Saturday 5 December. Booked on 8 December."; usually empty
	Status ui.Badge
	Href   string // of the booked transaction; empty without
}

// PaymentReason is why a bank did not carry out a payment.
type PaymentReason struct {
	Code   string
	Text   string
	Said   bool   // Text is the bank's
	Answer string // what the service said, in its own words; "" for nothing
	Do     string
}

// PaymentChange is what a bank changed in an order, old and new side by side.
type PaymentChange struct{ Name, Asked, Now string }

// PaymentStop is one of the five stops.
type PaymentStop struct {
	Name    string
	At      ui.Time // without text: no time is known
	Reached bool
	Last    bool // it is the last one reached
	Stopped bool // the payment ended here

	Unreported bool // the bank will not report it, because the payment is final
}

// TransferRow is one transfer of a bulk.
type TransferRow struct {
	Payee   string
	Text    string // the text for the payee: reference and text; empty without
	Day     string // when it is carried out, where the transfers have several days; empty without
	Account string
	Amount  ui.Money
	Status  ui.Badge
	Code    string
	Booking string // path of the booked transaction; empty without
	Booked  string // "Booked on 4 October"; empty without
}

// BookingRow is a booked transaction.
type BookingRow struct {
	Choose string // id, where the person can say that it is the one; empty elsewhere
	Href   string
	Title  string
	Detail string
	Amount ui.Money
}

// PaymentEvent is a line of the history.
type PaymentEvent struct {
	At   ui.Time
	Text string
	Code string
}

// PaymentsView lists payments.
type PaymentsView struct {
	layout.Frame
	Simulated bool
	Query     string
	Filters   []Filter
	Accounts  []ui.Option // the first one is empty
	View      string      // the filter that is chosen, sent along with a search
	List      PaymentList
	Requests  RequestsCard
	CanAsk    bool // there are people who can be asked to pay
	Pager     ui.Pager
	CanPay    bool
	CanBulk   bool // many at once
	ToSend    bool // several wait to be sent in the app of the bank, and fit into one file
}

// PaymentsFileView is the choice of payments that wait to be sent in the app of the bank, for one file. It posts to paths.PaymentsFile. Form fields: account,
// payment, version, total.
type PaymentsFileView struct {
	layout.Frame
	Simulated bool
	Problem   *ui.Notice
	Accounts  []Filter // empty where all are of one account
	Account   string
	Name      string // of the account
	Rows      []FilePayment
	More      string // shown when the account has more than are listed; usually empty
	NoFile    string // why there is no file; usually empty
	Others    string // shown for payments that no file accepts; usually empty
	Versions  []ui.Option
	Bookings  []ui.Option
}

// FilePayment is a payment to choose for a file.
type FilePayment struct {
	ID     string
	Payee  string
	Detail string
	Filed  string // when it was put into a file before; empty without
	Amount ui.Money
	Ticked bool
}

// Filter is a choice of what a list shows.
type Filter struct {
	Text    string
	Href    string
	Current bool
}

// PaymentList is a live fragment with the id "payments".
type PaymentList struct {
	Rows   []PaymentRow
	Empty  string
	Drafts string // "2 drafts", said beside Empty; usually empty
}

// PaymentRow is one payment of a list.
type PaymentRow struct {
	ID        string
	Href      string
	Payee     string
	Detail    string // "from Everyday, 14:02"
	Amount    ui.Money
	Of        string // as in PaymentView
	Approve   string // path of the way to the approval that the payment waits for; empty without
	Status    ui.Badge
	Reason    string // why it ended so; usually empty
	Simulated bool
}

// OpenPayments is the strip on the page of the accounts. It is a live fragment with the id "open-payments".
type OpenPayments struct {
	Ended     []PaymentRow // whose result was not seen yet
	EndedMore bool
	EndedIDs  []string // of Ended
	Rows      []PaymentRow
	More      bool
	Drafts    string // "2 drafts"; empty without
}

// ComingRow is something that is paid in the next days.
type ComingRow struct {
	Href  string
	Title string // "Tomorrow: 50.00 EUR to ACME GmbH, standing order"
	Note  string // about its day; usually empty
	Wait  ui.Badge
}

// ReceiptView is the receipt of a payment.
type ReceiptView struct {
	layout.Frame
	ID        string
	Simulated bool
	Bank      Bank
	Amount    ui.Money
	Of        string     // as in PaymentView
	Mixed     []ui.Money // as in PaymentView
	Payee     string
	Status    string
	Code      string
	Note      string // about a cancellation, and of many payments how many were not carried out; usually empty
	Printed   ui.Time
	Facts     []ui.Fact
	Times     []ui.Fact
	Transfers []TransferRow
	Proof     string
}
