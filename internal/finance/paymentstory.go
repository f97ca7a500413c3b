package finance

import (
	"slices"
	"strings"
	"time"

	"florin/internal/money"
	"florin/internal/openbanking"
)

// Tone is how serious a message is. It always comes with words, never as a colour alone.
type Tone string

// Values of Tone.
const (
	ToneNeutral Tone = "neutral" // nothing goes on: it waits for the person, or for its day
	ToneActive  Tone = "active"  // going on
	ToneAmber   Tone = "amber"   // look at it
	ToneGood    Tone = "good"
	ToneRed     Tone = "red"
	ToneGrey    Tone = "grey" // over, nothing happened
)

// StoryKind is how a payment stands, in a word.
type StoryKind string

// Values of StoryKind. The first ones are of a payment that the service does not have.
const (
	StoryDraft      StoryKind = "draft"
	StorySending    StoryKind = "sending"
	StoryUnknown    StoryKind = "unknown"     // nobody knows whether the service has it
	StoryLapsed     StoryKind = "lapsed"      // it was unknown until nobody could approve it any more
	StoryNotCreated StoryKind = "not_created" // the service refused it, or was not reached
	StoryDiscarded  StoryKind = "discarded"   // a draft that was thrown away

	StoryToApprove         StoryKind = "to_approve"         // the person has not begun to approve it
	StoryApproving         StoryKind = "approving"          // the person is at the bank
	StoryApprovalCancelled StoryKind = "approval_cancelled" // by the person
	StoryApprovalFailed    StoryKind = "approval_failed"

	StoryReceived      StoryKind = "received"       // RCVD
	StoryChecking      StoryKind = "checking"       // PDNG
	StoryUnconfirmed   StoryKind = "unconfirmed"    // the person came back from approving it, and since then the bank could not be asked
	StoryFormatChecked StoryKind = "format_checked" // ACTC
	StoryPayerChecked  StoryKind = "payer_checked"  // ACCP
	StoryAccepted      StoryKind = "accepted"       // ACPT
	StoryChanged       StoryKind = "changed"        // ACWC: see Payment.Changes
	StoryScheduled     StoryKind = "scheduled"      // accepted, for a day to come
	StoryExecuting     StoryKind = "executing"      // ACSP
	StoryNotCredited   StoryKind = "not_credited"   // ACWP
	StorySent          StoryKind = "sent"           // ACSC
	StoryArrived       StoryKind = "arrived"        // ACCC
	StoryPartly        StoryKind = "partly"         // PART
	StoryRejected      StoryKind = "rejected"       // RJCT
	StoryCancelled     StoryKind = "cancelled"      // CNCL
	StoryOtherStatus   StoryKind = "other_status"   // one that Florin does not know

	StoryHandedOver StoryKind = "handed_over" // the bank reports nothing later than this, and counts it as a success
	StoryNoNews     StoryKind = "no_news"     // the bank reports nothing later than this, and it is no success
	StorySilent     StoryKind = "silent"      // the bank has said nothing for days
)

// Story is how a payment stands, in facts. Package show words it.
type Story struct {
	Kind   StoryKind
	Status openbanking.PaymentStatus // without those of a cancellation
	Step   Step                      // the last one that was reached
	Tone   Tone

	Day          openbanking.Date          // in the future, on which the bank carries it out, as far as nothing speaks against it; "" without
	Cancellation openbanking.PaymentStatus // PDCR, ACCR, PACR or RJCR while a cancellation is under way; ""
	Reason       StatusReason              // why, when the bank tells; zero without
	Lost         int                       // of many transfers, those that came to nothing; 0 when all did
	Part         Part                      // of many transfers, how much goes on; zero when all do, or when nobody can tell

	Over    bool // no more news are expected
	NoMoney bool // as far as the bank reports, no money moved and none will
	Hearsay bool // only the return from the bank says so: it is being checked
	Retry   bool // a new payment in place of this one makes sense
	Doubt   bool // whether it was carried out is not known: the bookings that fit may tell
}

// Part is how much of a payment of many transfers the bank executes.
type Part struct {
	Transfers, Of int
	Sum, Total    money.Amount // both zero when currencies are mixed
}

// silence is how long a payment may stay without news before its outcome counts as unknown.
const silence = 6 * 24 * time.Hour

// early reports whether the status says nothing about an approval yet.
func (p Payment) early() bool {
	return p.Progress.Status == openbanking.PaymentStatusRCVD || p.Progress.Status == openbanking.PaymentStatusPDNG || p.Progress.Status == ""
}

// succeeded reports whether the bank counts the status among its final successful ones; ACSC and ACCC where it names none.
func (p Payment) succeeded() bool {
	if len(p.Order.Successful) == 0 {
		return p.Progress.Status == openbanking.PaymentStatusACSC || p.Progress.Status == openbanking.PaymentStatusACCC
	}
	return slices.Contains(p.Order.Successful, p.Progress.Status)
}

// notApproved reports whether the authorisation came to nothing, by what was last learnt of it.
func (a Approval) notApproved() bool {
	return a.Status == openbanking.PaymentAuthStatusCancelled || a.Status == openbanking.PaymentAuthStatusFailed
}

// hearsay reports whether the return from the bank is the only source for a failed or cancelled authorisation. It proves nothing: a person who cancels in
// the browser can still approve the payment in the bank's app.
func (p Payment) hearsay() bool {
	return p.Approval.Source == NewsReturn && !p.Progress.Final && p.early() && p.Approval.notApproved()
}

// Waiting reports whether the payment waits for the person's approval, as far as is known.
func (p Payment) Waiting() bool {
	return p.Phase == PhaseCreated && !p.Progress.Final && p.early() &&
		(p.Approval.Status == "" || p.Approval.Status == openbanking.PaymentAuthStatusPending || p.hearsay())
}

// Story returns the state of the payment at a time. It weighs the facts in this order: (1) a status that shows execution or settlement; (2) an authorisation
// that was cancelled or failed; (3) a rejection or cancellation; (4) an authorisation that is still open; (5) any other
// status.
func (p Payment) Story(now time.Time) Story {
	if p.Phase != PhaseCreated {
		return p.uncreatedStory()
	}
	if p.Order.OwnApp() {
		return p.ownAppStory(now)
	}
	s := p.statusStory()
	s.Status, s.Cancellation, s.Reason, s.Over = p.Progress.Status, p.Progress.Cancellation, p.Progress.Reason, p.Progress.Final
	switch p.Progress.Status {
	case openbanking.PaymentStatusACSC, openbanking.PaymentStatusACCC, openbanking.PaymentStatusRJCT, openbanking.PaymentStatusCNCL,
		openbanking.PaymentStatusPART:
	default: // the bank could report something later
		switch {
		case p.Progress.Final && !s.NoMoney && p.succeeded():
			s.Tone, s.Kind = ToneGood, StoryHandedOver
		case p.Progress.Final && !s.NoMoney:
			s.Tone, s.Kind = ToneAmber, StoryNoNews
		}
	}
	if !p.Progress.Final && p.silent(now) {
		s.Tone, s.Kind, s.Doubt = ToneAmber, StorySilent, true
	}
	return p.withPart(p.withDay(s, now))
}

// withDay adds the day to come on which the payment is carried out.
func (p Payment) withDay(s Story, now time.Time) Story {
	day := p.Day()
	if day <= civilDate(now) || s.Step < StepApproved || s.Step >= StepSent || p.Progress.Status == openbanking.PaymentStatusPART || s.NoMoney || s.Doubt ||
		p.Progress.Final && !p.succeeded() {
		return s
	}
	switch s.Day = day; s.Kind {
	case StoryFormatChecked, StoryPayerChecked, StoryAccepted, StoryExecuting:
		s.Kind, s.Tone = StoryScheduled, ToneNeutral
	case StoryHandedOver:
		s.Kind = StoryScheduled
	case StoryUnconfirmed: // whether the bank took it is the question
		s.Day = ""
	}
	return s
}

// withPart adds to the story of a payment of several transfers how many of them the bank executes, when it does not execute all of them.
func (p Payment) withPart(s Story) Story {
	all, lost := len(p.Order.Request.CreditTransferTransaction), p.Progress.Lost.Transfers
	if all < 2 || lost == 0 || s.NoMoney {
		return s
	}
	s.Lost = lost
	if s.Tone == ToneGood || s.Tone == ToneActive || s.Kind == StoryScheduled {
		s.Tone = ToneAmber
	}
	switch p.Progress.Status {
	case openbanking.PaymentStatusACSP, openbanking.PaymentStatusACSC, openbanking.PaymentStatusACCC:
	case openbanking.PaymentStatusPART:
		if !p.Progress.Final {
			return s
		}
	default:
		return s // the others are not decided
	}
	if s.Doubt {
		return s
	}
	s.Part = Part{Transfers: all - lost, Of: all}
	if sum, err := p.Total.Sub(p.Progress.Lost.Sum); err == nil && !p.Total.IsZero() {
		s.Part.Sum, s.Part.Total = sum, p.Total
	}
	return s
}

// AsOf is how the payment stood by a line of its history.
func (p Payment) AsOf(e PaymentEvent) Story {
	then := Payment{
		Phase: PhaseCreated, Order: PaymentOrder{Type: p.Order.Type, Successful: p.Order.Successful}, Approval: Approval{Status: e.Auth, Source: NewsWebhook},
		Progress: Progress{Status: e.Status, Final: e.Final, Reason: StatusReason{Code: e.ReasonCode}, Changed: e.At},
	}
	if e.Source == NewsReturn {
		then.Approval.Source = NewsReturn
	}
	if ofCancellation(e.Status) {
		then.Progress.Cancellation = e.Status
	}
	return then.Story(e.At)
}

// Alone is how one transfer of the payment stands, by its own status.
func (p Payment) Alone(t PaymentTransfer, now time.Time) Story {
	if all := p.Order.Request.CreditTransferTransaction; t.Position < len(all) {
		p.Order.Request.CreditTransferTransaction = all[t.Position : t.Position+1]
	}
	p.Progress = Progress{Status: t.Status, Changed: now}
	return p.Story(now)
}

// Reported is the status as the bank last reported it, a cancellation's among them.
func (p Progress) Reported() openbanking.PaymentStatus {
	if p.Cancellation != "" {
		return p.Cancellation
	}
	return p.Status
}

// ofCancellation reports whether a status tells of a cancellation, and so not of the payment itself.
func ofCancellation(s openbanking.PaymentStatus) bool {
	return s == openbanking.PaymentStatusPDCR || s == openbanking.PaymentStatusACCR || s == openbanking.PaymentStatusPACR || s == openbanking.PaymentStatusRJCR
}

// silent reports whether news are overdue. Before a date in the future none are expected.
func (p Payment) silent(now time.Time) bool {
	last := p.Progress.Reached[StepCreated]
	if p.Progress.Changed.After(last) {
		last = p.Progress.Changed
	}
	if day, err := p.Day().Time(); err == nil && day.After(last) && p.Step() >= StepAccepted {
		last = day
	}
	return now.Sub(last) >= silence
}

func (p Payment) uncreatedStory() Story {
	switch p.Phase {
	case PhaseSending:
		return Story{Kind: StorySending, Tone: ToneActive}
	case PhaseUnknown:
		return Story{Kind: StoryUnknown, Tone: ToneAmber, Doubt: true}
	case PhaseFailed:
		if p.Lapsed() {
			return Story{Kind: StoryLapsed, Tone: ToneGrey, Over: true, NoMoney: true, Retry: true}
		}
		return Story{Kind: StoryNotCreated, Tone: ToneRed, Over: true, NoMoney: true, Retry: true}
	case PhaseDiscarded:
		return Story{Kind: StoryDiscarded, Tone: ToneGrey, Over: true, NoMoney: true}
	}
	return Story{Kind: StoryDraft, Tone: ToneNeutral}
}

func (p Payment) statusStory() Story {
	s := Story{Step: p.Step()}
	be := func(kind StoryKind, tone Tone) Story {
		s.Kind, s.Tone = kind, tone
		return s
	}
	// Rule 1: execution and settlement are never hidden by an authorisation status.
	switch p.Progress.Status {
	case openbanking.PaymentStatusACSP:
		return be(StoryExecuting, ToneActive)
	case openbanking.PaymentStatusACSC:
		switch {
		case p.succeeded():
			return be(StorySent, ToneGood)
		case p.Progress.Final:
			return be(StorySent, ToneAmber)
		}
		return be(StorySent, ToneActive)
	case openbanking.PaymentStatusACCC:
		return be(StoryArrived, ToneGood)
	case openbanking.PaymentStatusPART:
		return be(StoryPartly, ToneAmber)
	}
	// Rule 2: a failed or cancelled authorisation. When only the return reported it, a later status proves that the person did approve, and wins.
	if p.Approval.notApproved() && (p.Approval.Source == NewsWebhook || p.early() || CameToNothing(p.Progress.Status)) {
		s.Step, s.NoMoney, s.Hearsay = StepCreated, true, p.hearsay()
		s.Retry = !s.Hearsay
		if p.Approval.Status == openbanking.PaymentAuthStatusCancelled {
			return be(StoryApprovalCancelled, ToneGrey)
		}
		return be(StoryApprovalFailed, ToneRed)
	}
	// Rule 3: the bank rejected or cancelled the payment.
	switch p.Progress.Status {
	case openbanking.PaymentStatusRJCT:
		s.NoMoney, s.Retry = true, true
		return be(StoryRejected, ToneRed)
	case openbanking.PaymentStatusCNCL:
		s.NoMoney, s.Retry = true, true
		return be(StoryCancelled, ToneGrey)
	}
	// Rule 4: an open authorisation counts only while the status says nothing about the approval.
	if p.early() {
		switch p.Approval.Status {
		case "":
			return be(StoryToApprove, ToneNeutral)
		case openbanking.PaymentAuthStatusPending:
			return be(StoryApproving, ToneActive)
		}
	}
	// Rule 5: any other status.
	switch p.Progress.Status {
	case openbanking.PaymentStatusRCVD:
		return be(StoryReceived, ToneActive)
	case openbanking.PaymentStatusPDNG, "":
		if p.Approval.Source == NewsReturn && p.Check.Error.Code != "" {
			return be(StoryUnconfirmed, ToneAmber)
		}
		return be(StoryChecking, ToneActive)
	case openbanking.PaymentStatusACTC:
		return be(StoryFormatChecked, ToneActive)
	case openbanking.PaymentStatusACCP:
		return be(StoryPayerChecked, ToneActive)
	case openbanking.PaymentStatusACPT:
		return be(StoryAccepted, ToneActive)
	case openbanking.PaymentStatusACWC:
		return be(StoryChanged, ToneAmber)
	case openbanking.PaymentStatusACWP:
		return be(StoryNotCredited, ToneAmber)
	}
	return be(StoryOtherStatus, ToneAmber)
}

// Key is the code of the reason as it is listed: in capitals, without what cannot be seen.
func (r StatusReason) Key() string { return strings.ToUpper(Excerpt(r.Code)) }
