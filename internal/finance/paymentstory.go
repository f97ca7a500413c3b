package finance

import (
	"fmt"
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
	ToneNeutral Tone = "neutral" // waiting for the person
	ToneActive  Tone = "active"  // going on
	ToneAmber   Tone = "amber"   // look at it
	ToneGood    Tone = "good"
	ToneRed     Tone = "red"
	ToneGrey    Tone = "grey" // over, nothing happened
)

// Story is the state of a payment in words.
type Story struct {
	Step     Step // the last one that was reached
	Tone     Tone
	Headline string
	Small    string // small print
	Next     string // the next expected step, or what to do; "" when there is none
	Side     string // about a cancellation; "" when none is under way
	Over     bool   // no more news are expected
	NoMoney  bool   // as far as the bank reports, no money moved and none will
	Retry    bool   // a new payment in place of this one makes sense
	Doubt    bool   // whether it was carried out is not known: the bookings that fit may tell
	Reason   Reason // why, when the bank tells; zero without
	Part     Part   // of many payments, how much goes on; zero when all do, or when nobody can tell
}

// Part is how much of a bulk the bank executes.
type Part struct {
	Transfers int
	Sum, Of   money.Amount // of the whole; both zero when currencies are mixed
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

// hearsay reports whether only the return from the bank says that the authorisation failed or was cancelled. A person who cancels in the browser can
// still approve in the bank's app, so this alone decides nothing.
func (p Payment) hearsay() bool {
	return p.Approval.Source == NewsReturn && !p.Progress.Final && p.early() && (p.Approval.Status == openbanking.PaymentAuthStatusCancelled || p.Approval.Status == openbanking.PaymentAuthStatusFailed)
}

// Waiting reports whether the payment waits for the person's approval, as far as is known.
func (p Payment) Waiting() bool {
	return p.Phase == PhaseCreated && !p.Progress.Final && p.early() && (p.Approval.Status == "" || p.Approval.Status == openbanking.PaymentAuthStatusPending || p.hearsay())
}

// Tell returns the state of the payment at a time. It weighs the facts in this order: a status that shows execution or settlement; an authorisation
// that was cancelled or failed; a rejection or cancellation; an authorisation that is still open; any other status.
func (p Payment) Tell(now time.Time) Story {
	bank := Clean(p.Order.ASPSP.Name)
	if p.Phase != PhaseCreated {
		return p.tellUncreated(bank)
	}
	s := p.tellStatus(bank)
	s.Side = p.tellSide(bank)
	if p.Progress.Reason.Code != "" || p.Progress.Reason.Text != "" {
		s.Reason = ReasonOf(p.Progress.Reason.Code, p.Progress.Reason.Text)
		if s.NoMoney && p.Approval.Status == openbanking.PaymentAuthStatusCancelled {
			s.Reason.Do = "" // the person wanted it so
		}
	}
	moving := openbanking.PaymentStatusACSC != p.Progress.Status && openbanking.PaymentStatusACCC != p.Progress.Status && openbanking.PaymentStatusRJCT != p.Progress.Status &&
		openbanking.PaymentStatusCNCL != p.Progress.Status && openbanking.PaymentStatusPART != p.Progress.Status
	switch {
	case p.Progress.Final && moving && !s.NoMoney && p.succeeded():
		s.Tone, s.Headline, s.Small, s.Next = ToneGood, "Handed over to your bank", "No more news will come; your statement shows the booking.", ""
	case p.Progress.Final && moving && !s.NoMoney:
		s.Tone, s.Headline, s.Next = ToneAmber, "No further news", ""
		s.Small = bank + " reports " + string(p.reported()) + " and expects no change. Check your account."
	case p.Progress.Final && p.Progress.Status == openbanking.PaymentStatusACSC:
		s.Next = "Your bank reports no further than this: no more news will come."
	case !p.Progress.Final && p.silent(now):
		s.Doubt = true
		s.Tone, s.Headline, s.Next = ToneAmber, "Outcome unknown", "Look at your account at "+bank+" before you pay again."
		s.Small = "There has been no news for six days. Bookings that fit are offered here when they come."
	}
	if day := p.Day(); day > civilDate(now) && s.Step >= StepApproved && s.Step < StepSent && p.Progress.Status != openbanking.PaymentStatusPART && !s.NoMoney && !s.Doubt && (!p.Progress.Final || p.succeeded()) {
		s.Next = "Waits at your bank until " + dayInFull(day) + "."
	}
	s.Over = p.Progress.Final
	return p.tellPart(s)
}

// tellPart says of many payments how many of them it is true of, when the bank does not carry all of them out.
func (p Payment) tellPart(s Story) Story {
	all, lost := len(p.Order.Request.CreditTransferTransaction), p.Progress.Lost.Transfers
	if all < 2 || lost == 0 || s.NoMoney {
		return s
	}
	words := fmt.Sprintf("%d of %d were not carried out; see the list.", lost, all)
	if lost == 1 {
		words = fmt.Sprintf("1 of %d was not carried out; see the list.", all)
	}
	s.Side = strings.TrimPrefix(s.Side+" "+words, " ")
	if p.Progress.Final && p.Progress.Reason.Code == "" && p.Progress.Reason.Text == "" {
		s.Next = strings.TrimPrefix(s.Next+" It gives no reason for what it left out: compare those accounts with the invoices, or ask your bank, before you pay them again.", " ")
	}
	if s.Tone == ToneGood || s.Tone == ToneActive {
		s.Tone = ToneAmber
	}
	verb := map[openbanking.PaymentStatus]string{openbanking.PaymentStatusACSP: "being carried out", openbanking.PaymentStatusACSC: "sent", openbanking.PaymentStatusACCC: "arrived",
		openbanking.PaymentStatusPART: "accepted"}[p.Progress.Status]
	if verb == "" || p.Progress.Status == openbanking.PaymentStatusPART && !p.Progress.Final || s.Doubt {
		return s // the others are not decided, or nobody knows
	}
	s.Headline = fmt.Sprintf("%d of %d %s", all-lost, all, verb)
	if lost == all {
		s.Headline = fmt.Sprintf("None of %d %s", all, verb)
	}
	s.Part.Transfers = all - lost
	if sum, err := p.Total.Sub(p.Progress.Lost.Sum); err == nil && !p.Total.IsZero() {
		s.Part.Sum, s.Part.Of = sum, p.Total
	}
	return s
}

// ToldBy is how the payment stood by a line of its history, in a few words.
func (p Payment) ToldBy(e PaymentEvent) string {
	then := Payment{Phase: PhaseCreated, Order: PaymentOrder{ASPSP: p.Order.ASPSP, Successful: p.Order.Successful}, Approval: Approval{URL: p.Approval.URL, Status: e.Auth, Source: NewsWebhook}, Progress: Progress{Status: e.Status, Final: e.Final, Changed: e.At, Reached: StepTimes{StepCreated: e.At}, Reason: StatusReason{Code: e.ReasonCode}}}
	if e.Source == NewsReturn {
		then.Approval.Source = NewsReturn
	}
	switch e.Status {
	case openbanking.PaymentStatusPDCR, openbanking.PaymentStatusACCR, openbanking.PaymentStatusPACR, openbanking.PaymentStatusRJCR:
		then.Progress.Cancellation = e.Status
		side, _, _ := strings.Cut(then.tellSide(""), ":")
		return side
	case openbanking.PaymentStatusNULL:
		return "No cancellation is running"
	}
	return then.Tell(e.At).Headline
}

// reported is the status as the bank last reported it, a cancellation's among them.
func (p Payment) reported() openbanking.PaymentStatus {
	if p.Progress.Cancellation != "" {
		return p.Progress.Cancellation
	}
	return p.Progress.Status
}

// dayInFull is a day in words; what is no day stays as it came.
func dayInFull(d openbanking.Date) string {
	t, err := d.Time()
	if err != nil {
		return Excerpt(string(d))
	}
	return t.Format("Monday, 2 January 2006")
}

// tellChanges says what the bank changed.
func (p Payment) tellChanges() string {
	var moved []string
	var other bool
	for _, c := range p.Changes() {
		if c.Field != "date" {
			other = true
			continue
		}
		words := "Your bank carries it out on " + dayInFull(openbanking.Date(c.Now)) + "."
		if c.Asked != "" {
			words = "Your bank moved it from " + dayInFull(openbanking.Date(c.Asked)) + " to " + dayInFull(openbanking.Date(c.Now)) + "."
		}
		if !slices.Contains(moved, words) {
			moved = append(moved, words)
		}
	}
	switch {
	case len(moved) > 1:
		return "Your bank moved the days of some payments."
	case len(moved) == 1 && other:
		return moved[0] + " It changed the reference, too; compare what was asked with what the bank has."
	case len(moved) == 1:
		return moved[0]
	case other:
		return "Your bank changed the reference; compare what was asked with what the bank has."
	}
	return "Your bank changed the date or the reference, and did not say how."
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

func (p Payment) tellUncreated(bank string) Story {
	switch p.Phase {
	case PhaseSending:
		return Story{Tone: ToneActive, Headline: "Being handed over", Small: "The payment is on its way to the service. Nothing can be approved yet.", Next: "This takes a few seconds."}
	case PhaseUnknown:
		unknown := Story{Tone: ToneAmber, Headline: "Not known whether it was created", Doubt: true,
			Small: "The service did not answer as expected, so the payment may exist there or not. Florin never sends a payment twice. Nobody was sent to " + bank + " to approve it, and without an approval no money moves.",
			Next:  "Wait for news from the service, or look at your account at " + bank + ". When the time to approve it is over, about an hour, and the service has not named it, nothing came of it: then Florin says so here."}
		if openbanking.ErrorCode(p.Failure.Code).OfASPSP() {
			unknown.Next = "Wait for news from the service, or look at your account at " + bank + ". When nothing shows there, discard this one and make a new payment."
		}
		return unknown
	case PhaseFailed:
		if p.Lapsed() {
			return Story{Tone: ToneGrey, Headline: "Nothing came of it", Over: true, NoMoney: true, Retry: true, Next: "Make a new payment.",
				Small: "The service did not answer as expected when Florin handed it over, and has not named it since. Nobody was sent to " + bank + " to approve it, and the time to approve it is over: no money moved."}
		}
		s := Story{Tone: ToneRed, Headline: "Not created", Small: "The service refused it. No order was made, so no money moves.", Next: "Mend what is wrong and make a new payment.", Over: true, NoMoney: true, Retry: true}
		if p.Failure.Code == FailureUnreachable {
			s.Small, s.Next = "The service was not reached. No order was made, so no money moves.", "Make a new payment when it can be reached again."
		}
		return s
	case PhaseDiscarded:
		return Story{Tone: ToneGrey, Headline: "Discarded", Small: "This draft was never sent.", Over: true, NoMoney: true}
	}
	return Story{Tone: ToneNeutral, Headline: "Draft", Small: "Nothing has been sent.", Next: "Review it and confirm."}
}

func (p Payment) tellStatus(bank string) Story {
	s := Story{Step: p.Step()}
	// Rule 1: carrying out and settlement are never hidden by an authorisation value.
	switch p.Progress.Status {
	case openbanking.PaymentStatusACSP:
		s.Tone, s.Headline, s.Small, s.Next = ToneActive, "Being carried out", "Your bank accepted it and is settling it.", "Next: taken from your account."
		return s
	case openbanking.PaymentStatusACSC:
		s.Tone, s.Headline = ToneActive, "Sent: taken from your account"
		s.Small = "The payee may see it by the next working day; this is not proof of arrival."
		if p.Order.Instant() {
			s.Small = "The payee may see it now; this is not proof of arrival."
		}
		if len(p.Order.Request.CreditTransferTransaction) > 1 {
			s.Small = "The payees may see it by the next working day; this is not proof of arrival."
		}
		switch {
		case p.succeeded():
			s.Tone = ToneGood
		case p.Progress.Final:
			s.Tone = ToneAmber
		}
		return s
	case openbanking.PaymentStatusACCC:
		s.Tone, s.Headline, s.Small = ToneGood, "Arrived", "Credited to the payee's account."
		if len(p.Order.Request.CreditTransferTransaction) > 1 {
			s.Small = "Credited to the accounts of the payees."
		}
		return s
	case openbanking.PaymentStatusPART:
		s.Tone, s.Headline, s.Small = ToneAmber, "Some payments accepted", "Each item has its own status."
		if !p.Progress.Final {
			s.Next = "Next: your bank decides on the other items."
		}
		return s
	}
	// Rule 2: an authorisation that came to nothing. What the return seemed to say is weaker than a later status, which proves the approval (rule 4).
	ended := CameToNothing(p.Progress.Status)
	if p.Approval.Source == NewsWebhook || p.early() || ended {
		stopped := Story{Step: StepCreated, Small: "No money was sent, as far as " + bank + " reports.", NoMoney: true, Retry: true}
		if p.hearsay() {
			stopped.Small += " That is being checked."
			stopped.Next, stopped.Retry = "Next: your bank confirms that it is over. Then you can try again here.", false
		}
		switch p.Approval.Status {
		case openbanking.PaymentAuthStatusCancelled:
			stopped.Tone, stopped.Headline = ToneGrey, "You cancelled this payment"
			if p.Progress.Final {
				stopped.Small = "No money was sent."
			}
			return stopped
		case openbanking.PaymentAuthStatusFailed:
			stopped.Tone, stopped.Headline = ToneRed, "Approval did not work"
			if stopped.Retry {
				stopped.Next = "Try again."
			}
			return stopped
		}
	}
	// Rule 3.
	switch p.Progress.Status {
	case openbanking.PaymentStatusRJCT:
		return Story{Step: s.Step, Tone: ToneRed, Headline: "Rejected by your bank", Small: "The bank did not carry the order out.", Next: ReasonOf(p.Progress.Reason.Code, p.Progress.Reason.Text).Do, NoMoney: true, Retry: true}
	case openbanking.PaymentStatusCNCL:
		return Story{Step: s.Step, Tone: ToneGrey, Headline: "Cancelled", Small: "The order is not carried out, as far as " + bank + " reports.", NoMoney: true, Retry: true}
	}
	// Rule 4: an open authorisation counts only while the status says nothing about the approval.
	if p.early() {
		switch p.Approval.Status {
		case "":
			s.Tone, s.Headline = ToneNeutral, "Waiting for your approval"
			s.Small = "Nothing has been sent."
			s.Next = "Open " + bank + " to approve, or discard: that hides it in Florin, and without an approval it lapses at the bank."
			if p.Approval.URL == "" {
				s.Next = "The way to the approval was lost. Without an approval the payment lapses; make a new one."
			}
			return s
		case openbanking.PaymentAuthStatusPending:
			s.Tone, s.Headline, s.Small, s.Next = ToneActive, "Approve it in your bank", "We check by ourselves; you can leave this page.", "Next: your approval at "+bank+"."
			return s
		}
	}
	// Rule 5.
	switch p.Progress.Status {
	case openbanking.PaymentStatusRCVD:
		s.Tone, s.Headline, s.Small, s.Next = ToneActive, "Your bank has the order", "It has not been checked yet.", "Next: your bank checks it."
	case openbanking.PaymentStatusPDNG, "":
		if p.Approval.Source == NewsReturn && p.Check.Error.Code != "" {
			s.Tone, s.Headline = ToneAmber, "Your bank has not confirmed it yet"
			s.Small = "You came back from approving it, and since then " + bank + " has not said what became of it. Do not pay it again: it may be on its way already."
			s.Next = "Florin goes on asking, and shows the answer here."
			return s
		}
		s.Tone, s.Headline, s.Small, s.Next = ToneActive, "Your bank is checking it", "Usually minutes; it can take one working day.", "Next: accepted by your bank."
	case openbanking.PaymentStatusACTC:
		s.Tone, s.Headline, s.Small, s.Next = ToneActive, "Details checked", "Format and approval are fine.", "Next: your bank checks what it knows of you and your account."
	case openbanking.PaymentStatusACCP:
		s.Tone, s.Headline, s.Small, s.Next = ToneActive, "Customer checks passed", "Your bank has not yet said that it carries the order out.", "Next: carried out."
	case openbanking.PaymentStatusACPT:
		s.Tone, s.Headline, s.Small, s.Next = ToneActive, "Accepted by your bank", "What this includes differs from bank to bank.", "Next: carried out."
	case openbanking.PaymentStatusACWC:
		s.Tone, s.Headline, s.Small, s.Next = ToneAmber, "Accepted with a change", p.tellChanges(), "Next: carried out."
	case openbanking.PaymentStatusACWP:
		s.Tone, s.Headline, s.Small, s.Next = ToneAmber, "Accepted, not yet credited", "The payee's bank has not booked it.", "Next: credited to the payee."
	default:
		s.Tone, s.Headline, s.Small = ToneAmber, "The bank reports "+Clean(string(p.Progress.Status)), "Florin does not know this status. Check your account."
	}
	return s
}

func (p Payment) tellSide(string) string {
	switch p.Progress.Cancellation {
	case openbanking.PaymentStatusPDCR:
		return "Cancellation requested: your bank has not decided. Florin cannot request one: there is no such call."
	case openbanking.PaymentStatusACCR:
		return "Cancellation accepted: the order is being withdrawn."
	case openbanking.PaymentStatusPACR:
		return "Cancellation partly accepted: some items go on; see the list."
	case openbanking.PaymentStatusRJCR:
		return "Cancellation refused: the payment goes on."
	}
	return ""
}
