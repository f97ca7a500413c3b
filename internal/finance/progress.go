package finance

import (
	"slices"
	"time"

	"florin/internal/money"
	"florin/internal/openbanking"
)

// Progress is how far the bank has come with a payment, as the service last reported it. It is zero before the payment is created.
type Progress struct {
	Status       openbanking.PaymentStatus // without those of a cancellation
	Cancellation openbanking.PaymentStatus // PDCR, ACCR, PACR or RJCR while a cancellation is under way; ""
	Final        bool                      // the service expects no change any more
	Reason       StatusReason
	Lost         Lost // of its transfers, those that came to nothing

	// ReadBack is what the service last said the payment is: with the payer's account once it is chosen at the bank, and with what the bank changed.
	// Zero before.
	ReadBack openbanking.PaymentRequestResourceDetails

	Reached StepTimes
	Changed time.Time  // when the service last reported something new
	Source  NewsSource // of that news
	Ended   time.Time  // when it became final; zero before
}

// StatusReason is why a payment has its status, as the bank says; zero when it says nothing.
type StatusReason struct {
	Code string // of ISO 20022
	Text string // the bank's words: untrusted, in any language
}

// reach notes when a payment came to a step, and to those before it that it passed unseen.
func reach(p *Progress, step Step, at time.Time) {
	for _, s := range Steps() {
		if s > StepCreated && s <= step && p.Reached[s].IsZero() {
			p.Reached[s] = at
		}
	}
}

// Lost are the transfers of a payment that were rejected or cancelled, as far as the bank tells of each alone.
type Lost struct {
	Transfers int
	Sum       money.Amount // zero when currencies are mixed
}

// Step is one of the five steps of a payment's progress, in their order.
type Step int

// Values of Step.
const (
	StepNone     Step = iota // the service does not have the payment
	StepCreated              // the service has it
	StepApproved             // by the person
	StepAccepted             // by the bank
	StepSent                 // taken from the account
	StepArrived              // credited to the payee
)

// Steps are the five steps, in their order.
func Steps() []Step { return []Step{StepCreated, StepApproved, StepAccepted, StepSent, StepArrived} }

// StepTimes are the times at which a payment reached each step; zero for a step that it has not reached.
type StepTimes [StepArrived + 1]time.Time

// Step is the last step that the facts prove. A status that says nothing about the approval leaves it to what is known of that.
func (p Payment) Step() Step {
	if p.Phase != PhaseCreated {
		return StepNone
	}
	if p.Order.OwnApp() {
		return p.stepOwnApp()
	}
	switch p.Progress.Status {
	case openbanking.PaymentStatusACCC:
		return StepArrived
	case openbanking.PaymentStatusACSC:
		return StepSent
	case openbanking.PaymentStatusACTC, openbanking.PaymentStatusACCP, openbanking.PaymentStatusACSP, openbanking.PaymentStatusACPT,
		openbanking.PaymentStatusACWC, openbanking.PaymentStatusACWP, openbanking.PaymentStatusPART:
		return StepAccepted
	}
	if p.Approval.Status == openbanking.PaymentAuthStatusFinalised {
		return StepApproved
	}
	return StepCreated
}

// Approved reports whether the facts prove that the person approved the payment.
func (p Payment) Approved() bool { return p.Step() >= StepApproved }

// VoidStatuses are those of a payment or a transfer that came to nothing: no money moved, and none will.
func VoidStatuses() []openbanking.PaymentStatus {
	return []openbanking.PaymentStatus{openbanking.PaymentStatusRJCT, openbanking.PaymentStatusCNCL}
}

// UndecidedStatuses are those before the bank says that it carries a payment out. As the last word of a bank they say that it did: some report nothing later.
func UndecidedStatuses() []openbanking.PaymentStatus {
	return []openbanking.PaymentStatus{openbanking.PaymentStatusPDNG, openbanking.PaymentStatusRCVD, openbanking.PaymentStatusACTC,
		openbanking.PaymentStatusACCP, openbanking.PaymentStatusACWC}
}

// CameToNothing reports whether a status is one of VoidStatuses.
func CameToNothing(s openbanking.PaymentStatus) bool { return slices.Contains(VoidStatuses(), s) }

// CarriedOut reports whether the bank has carried the payment out, or is doing so. Before that nobody was paid, so the payment does not make its payee known.
// Conditions of the store are made of the same statuses.
func (p Payment) CarriedOut() bool {
	return p.Phase == PhaseCreated && !CameToNothing(p.Progress.Status) && (p.Progress.Final || !slices.Contains(UndecidedStatuses(), p.Progress.Status))
}
