package aggregator

import (
	"errors"
	"slices"
	"time"

	"florin/internal/openbanking"
)

// Payment is a payment that an application asked for: one row through its whole life. Its authorization id is the payment id.
type Payment struct {
	Authorization
	Type       openbanking.PaymentType
	Request    openbanking.PaymentRequestResource // as accepted; debtor, debtor account and currency are filled in after the approval
	WebhookURL string                             // empty: nobody is told
	Status     openbanking.PaymentStatus
	Final      bool                          // the status does not change any more (spec: Payment status)
	AuthStatus openbanking.PaymentAuthStatus // empty until the PSU has opened the page
	Reason     *openbanking.StatusReasonInformation
	Transfers  []Transfer // one for each credit_transfer_transaction, in their order
	Opened     time.Time  // when an authorisation was first opened at the bank; zero before
	Approved   time.Time  // when the service learnt of the approval; zero before
	Changed    time.Time  // when the status last changed, by the clock of the bank where it tells
	Checked    time.Time  // when the bank was last asked; zero: never
	Due        time.Time  // when the service looks after it next; zero once it is final
}

// ErrIllegalMove is the error of a change of a payment that its state machine does not know, or that comes after the end.
var ErrIllegalMove = errors.New("a payment cannot make this move")

// Awaited reports whether a payment waits for the PSU, who has neither approved nor refused it.
func (p Payment) Awaited() bool {
	return !p.Final && (p.AuthStatus == "" || p.AuthStatus == openbanking.PaymentAuthStatusPending)
}

// Transfer is what becomes of one transaction of a payment.
type Transfer struct {
	ID            string                    `json:"id"` // transaction_id: UUID
	Status        openbanking.PaymentStatus `json:"status"`
	ExecutionDate openbanking.Date          `json:"execution_date,omitempty"` // another one than was asked for, with ACWC; else empty
}

// PaymentOrder is a payment as the service gives it to a bank.
type PaymentOrder struct {
	BankRequest
	ID      string // the payment id: the bank takes an order once
	Type    openbanking.PaymentType
	Payment openbanking.PaymentRequestResource
}

// BankPayment is what a bank knows of an order.
type BankPayment struct {
	Status openbanking.PaymentStatus
	// the statuses that it has had since the approval, by time, each later than the one before, Status the last; none: the bank tells Status alone
	Course         []BankPlanStep
	Authorised     bool // the PSU has approved it; if not, Status is PDNG
	Reason         *openbanking.StatusReasonInformation
	Transfers      []Transfer // in the order of the transactions, without ids; none: all have the status of the payment
	Debtor         *openbanking.PartyIdentification
	DebtorAccount  *openbanking.GenericIdentification
	DebtorCurrency string
}

// PayeeOutcome is the outcome of a verification of payee (Regulation (EU) 2024/886).
type PayeeOutcome string

// The outcomes.
const (
	PayeeMatch       PayeeOutcome = "match"
	PayeeCloseMatch  PayeeOutcome = "close match"  // the name of the holder is told
	PayeeNoMatch     PayeeOutcome = "no match"     // it is not told
	PayeeNotPossible PayeeOutcome = "not possible" // the payee's bank does not answer, or there is no name to compare
)

// PayeeCheck is what a bank says of the name of a payee.
type PayeeCheck struct {
	Outcome PayeeOutcome
	Name    string // of the holder, with a close match alone
}

// paymentMoves is the state machine of a payment: from each status, those that can follow. A bank may leave out what lies
// between, and never goes back. Whether a status is the last one says Final, too.
var paymentMoves = map[openbanking.PaymentStatus][]openbanking.PaymentStatus{
	openbanking.PaymentStatusPDNG: {rcvd, actc, accp, acpt, acwc, acsp, part, acwp, acsc, accc, pdcr, accr, pacr, rjcr, null, rjct, cncl},
	openbanking.PaymentStatusRCVD: {actc, accp, acpt, acwc, acsp, part, acwp, acsc, accc, pdcr, accr, pacr, rjcr, null, rjct, cncl},
	openbanking.PaymentStatusACTC: {accp, acpt, acwc, acsp, part, acwp, acsc, accc, pdcr, accr, pacr, rjcr, null, rjct, cncl},
	openbanking.PaymentStatusACCP: {acpt, acwc, acsp, part, acwp, acsc, accc, pdcr, accr, pacr, rjcr, null, rjct, cncl},
	openbanking.PaymentStatusACPT: {acwc, acsp, part, acwp, acsc, accc, pdcr, accr, pacr, rjcr, null, rjct, cncl},
	openbanking.PaymentStatusACWC: {acsp, part, acwp, acsc, accc, pdcr, accr, pacr, rjcr, null, rjct, cncl},
	openbanking.PaymentStatusACSP: {part, acwp, acsc, accc, pdcr, accr, pacr, rjcr, null, rjct, cncl},
	openbanking.PaymentStatusPART: {acsp, acwp, acsc, accc, pdcr, accr, pacr, rjcr, null, rjct, cncl},
	openbanking.PaymentStatusACWP: {acsc, accc, pdcr, accr, pacr, rjcr, null, rjct},
	openbanking.PaymentStatusACSC: {accc, rjct},
	openbanking.PaymentStatusPDCR: {accr, pacr, rjcr, null, part, acsp, acwp, acsc, accc, rjct, cncl},
	openbanking.PaymentStatusACCR: {cncl, rjct},
	openbanking.PaymentStatusPACR: {part, acsp, acsc, accc, rjct, cncl},
	openbanking.PaymentStatusRJCR: {null, part, acsp, acwp, acsc, accc, rjct},
	openbanking.PaymentStatusNULL: {part, acsp, acwp, acsc, accc, pdcr, accr, pacr, rjcr, rjct, cncl},
}

const (
	rcvd = openbanking.PaymentStatusRCVD
	actc = openbanking.PaymentStatusACTC
	accp = openbanking.PaymentStatusACCP
	acpt = openbanking.PaymentStatusACPT
	acwc = openbanking.PaymentStatusACWC
	acsp = openbanking.PaymentStatusACSP
	part = openbanking.PaymentStatusPART
	acwp = openbanking.PaymentStatusACWP
	acsc = openbanking.PaymentStatusACSC
	accc = openbanking.PaymentStatusACCC
	pdcr = openbanking.PaymentStatusPDCR
	accr = openbanking.PaymentStatusACCR
	pacr = openbanking.PaymentStatusPACR
	rjcr = openbanking.PaymentStatusRJCR
	null = openbanking.PaymentStatusNULL
	rjct = openbanking.PaymentStatusRJCT
	cncl = openbanking.PaymentStatusCNCL
)

// PaymentMove reports whether a payment that is not final can go from one status to another.
func PaymentMove(from, to openbanking.PaymentStatus) bool {
	return slices.Contains(paymentMoves[from], to)
}

// FinalStatus reports whether a status is final where the bank names these final successful statuses: RJCT, CNCL and
// those; ACSC and ACCC where it names none (api-notes 8).
func FinalStatus(status openbanking.PaymentStatus, successful []openbanking.PaymentStatus) bool {
	if len(successful) == 0 {
		successful = []openbanking.PaymentStatus{acsc, accc}
	}
	return status == rjct || status == cncl || slices.Contains(successful, status)
}

// authMoves are the moves of the authorisation of a payment by the PSU (api-notes 8); the empty one is that nobody has opened
// the page.
var authMoves = map[openbanking.PaymentAuthStatus][]openbanking.PaymentAuthStatus{
	"": {openbanking.PaymentAuthStatusPending, openbanking.PaymentAuthStatusFinalised, openbanking.PaymentAuthStatusFailed,
		openbanking.PaymentAuthStatusCancelled},
	openbanking.PaymentAuthStatusPending: {openbanking.PaymentAuthStatusFinalised, openbanking.PaymentAuthStatusFailed, openbanking.PaymentAuthStatusCancelled},
}

// AuthMove reports whether the authorisation of a payment can go from one status to another.
func AuthMove(from, to openbanking.PaymentAuthStatus) bool {
	return slices.Contains(authMoves[from], to)
}
