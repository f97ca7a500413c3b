package finance

import (
	"crypto/sha256"
	"encoding/base32"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"florin/internal/openbanking"
)

// ByOwnApp is the type of a payment that Florin prepares and the person sends in the app of the bank, by a code, a link or a file (docs/paying.md). No service
// and no bank hears of it from Florin. It is none of the types of the API and never sent there.
//
// Such a payment has the phases and statuses of all others. It is created when it was confirmed, with its reference as payment_id, and then RCVD until the
// person has sent it, ACSP when the person says so, ACSC when all of it was booked, PART when some of it was and the person says that the rest was not sent,
// CNCL when the person says that it was not sent at all.
const ByOwnApp openbanking.PaymentType = "OWN_APP"

// OwnApp reports whether the person sends the payment in the app of the bank.
func (o PaymentOrder) OwnApp() bool { return o.Type == ByOwnApp }

// ToSend reports whether the payment waits to be sent in the app of the bank: the person has not said that it was.
func (p Payment) ToSend() bool {
	return p.Order.OwnApp() && p.Phase == PhaseCreated && !p.Progress.Final && p.Progress.Status == openbanking.PaymentStatusRCVD
}

// FileReference is the message id of a file with these payments, in any order: as long as UniqueReference. The same payments make the same, so that a bank that
// was given them before refuses the file.
func FileReference(paymentIDs []string) string {
	sorted := slices.Sorted(slices.Values(paymentIDs))
	sum := sha256.Sum256([]byte(strings.Join(sorted, "\n")))
	return "FL" + base32.StdEncoding.EncodeToString(sum[:])[:26]
}

// Kinds of stories of a payment that the person sends in the app of the bank.
const (
	StoryPrepared StoryKind = "prepared"  // Florin has sent nothing; the booking is looked for
	StorySaidDone StoryKind = "said_done" // the person says that it was sent
	StoryAsked    StoryKind = "asked"     // no booking was found for so long that the person is asked
	StorySeen     StoryKind = "seen"      // in the booking
	StorySeenPart StoryKind = "seen_part" // in part, and the person says that the rest was not sent
	StoryNotSent  StoryKind = "not_sent"  // says the person
)

// AskAfter is how many working days after it was handed over, or after the person said that it was sent, a payment whose booking was not found is asked about.
const AskAfter = 6

// ownAppStory is Story for a payment that the person sends in the app of the bank.
func (p Payment) ownAppStory(now time.Time) Story {
	s := Story{Step: p.Step(), Status: p.Progress.Status, Over: p.Progress.Final}
	switch p.Progress.Status {
	case openbanking.PaymentStatusACSC:
		s.Kind, s.Tone = StorySeen, ToneGood
	case openbanking.PaymentStatusPART:
		s.Kind, s.Tone = StorySeenPart, ToneAmber
	case openbanking.PaymentStatusCNCL:
		s.Kind, s.Tone, s.NoMoney, s.Retry = StoryNotSent, ToneGrey, true, true
	default:
		s.Kind, s.Tone, s.Doubt = StoryPrepared, ToneNeutral, true // what fits is offered
		if p.Progress.Status == openbanking.PaymentStatusACSP {
			s.Kind, s.Tone = StorySaidDone, ToneActive
		}
		if p.Asks(now) {
			s.Kind, s.Tone = StoryAsked, ToneAmber
		}
	}
	return s
}

// Asks reports whether it is time to ask the person what became of a payment that was handed over.
func (p Payment) Asks(now time.Time) bool {
	if !p.Order.OwnApp() || p.Phase != PhaseCreated || p.Progress.Final {
		return false
	}
	last := p.Progress.Reached[StepCreated]
	if at := p.Progress.Reached[StepAccepted]; at.After(last) {
		last = at
	}
	if day, err := p.Order.ExecutionDate().Time(); err == nil && day.After(last) {
		last = day
	}
	return !now.Before(afterWorkingDays(last, AskAfter))
}

// Owing returns the transfers of a payment for the bank's app (ByOwnApp) whose booking is still missing and that Planned does not contain: those without a
// requested day, those whose day has passed, and those that the person has marked as sent. A transfer without a day counts for today. now is in the
// person's time zone. The result is empty once Florin asks the person about the payment (Asks), because it is then unknown whether the payment was sent.
// held are the bookings of the payment.
func (p *SentPayment) Owing(held []BookingMatch, now time.Time) []Planned {
	if !p.Order.OwnApp() || p.Phase != PhaseCreated || p.Progress.Final || p.Hidden || p.Asks(now) {
		return nil
	}
	var all []Planned
	today := civilDate(now)
	for _, t := range p.Transfers {
		day := value(p.asked(t).RequestedExecutionDate)
		if day >= today && p.executes(now) {
			continue // Planned has it
		}
		if e := (Execution{Date: max(today, day), Asked: day}); !t.Failed() && !p.booked(t, e, held) {
			all = append(all, Planned{e, t.Payee, t.Account, t.Amount})
		}
	}
	return all
}

// afterWorkingDays is a time so many days later, Saturdays and Sundays not counted. Holidays count: they differ from bank to bank, and asking a day early is no
// harm.
func afterWorkingDays(t time.Time, days int) time.Time {
	for days > 0 {
		t = t.AddDate(0, 0, 1)
		if t.Weekday() != time.Saturday && t.Weekday() != time.Sunday {
			days--
		}
	}
	return t
}

// stepOwnApp is Step for a payment that the person sends in the app of the bank. It is approved once the person was shown its code or file, accepted once
// the person has said that it was sent, and sent once the bank has booked it.
func (p Payment) stepOwnApp() Step {
	switch {
	case p.Progress.Status == openbanking.PaymentStatusACSC, p.Progress.Status == openbanking.PaymentStatusPART:
		return StepSent
	case p.Progress.Status == openbanking.PaymentStatusACSP:
		return StepAccepted
	case !p.Progress.Reached[StepApproved].IsZero():
		return StepApproved
	}
	return StepCreated
}

// Booked reports whether each transfer that did not fail has a booking, its own or that of a total.
func (p *SentPayment) Booked(held []BookingMatch) bool {
	return !slices.ContainsFunc(p.Transfers, func(t PaymentTransfer) bool {
		return !t.Failed() && !slices.ContainsFunc(held, func(m BookingMatch) bool { return p.Covers(m.BookingPlace, t) })
	})
}

// OwnAppChanges returns the ids of payments for the bank's app whose state has to change: booked are open payments of which all transfers now have
// bookings, gone are settled payments that have lost a booking.
func OwnAppChanges(payments []SentPayment, matches []BookingMatch) (booked, gone []string) {
	for i := range payments {
		p := &payments[i]
		if !p.Order.OwnApp() || p.Phase != PhaseCreated {
			continue
		}
		switch whole := p.Booked(matches); {
		case whole && !p.Progress.Final:
			booked = append(booked, p.ID)
		case !whole && p.Progress.Status == openbanking.PaymentStatusACSC:
			gone = append(gone, p.ID)
		}
	}
	return booked, gone
}

// carriesText reports whether the text of a booking is the text of the payment. Accents, case and punctuation are ignored, since banks change them. A
// booking whose text was cut off still matches when at least 12 letters and digits are left. A payment without a text matches only a booking without one.
func carriesText(asked, came string) bool {
	a, c := letters(asked), letters(came)
	const enough = 12
	if a == "" {
		return c == ""
	}
	return strings.Contains(c, a) || len(c) >= enough && strings.HasPrefix(a, c)
}

// carriesAlone reports whether a booking came with this text and nothing beside it: beside the reference of another bill, the same text says nothing.
func carriesAlone(asked, came string) bool {
	return carriesText(asked, came) && len(letters(came)) <= len(letters(asked))
}

// spelled are letters that banks write as two.
var spelled = strings.NewReplacer("Ä", "AE", "Ö", "OE", "Ü", "UE", "ẞ", "SS", "ß", "SS")

// letters are the letters and digits of a text, in capitals and without accents.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, norm.NFD.String(spelled.Replace(strings.ToUpper(norm.NFC.String(text)))))
}

// doubtful returns the places of payments for the bank's app that have more than one fitting booking, or a booking that also fits another place. Florin
// matches none of them: without proof that the person sent the payment, the person has to choose.
func doubtful(pairs []bookingPair) map[*wanted]bool {
	certain := map[int64]*wanted{} // bookings whose place is known
	for _, p := range pairs {
		if p.evidence <= byReference || p.held {
			certain[p.booking.ID] = p.wanted
		}
	}
	bookings, places := map[*wanted]int{}, map[int64]int{}
	for _, p := range pairs {
		if place, known := certain[p.booking.ID]; known && place != p.wanted {
			continue
		}
		if p.payment.Order.OwnApp() {
			bookings[p.wanted]++
			places[p.booking.ID]++
		}
	}
	out := map[*wanted]bool{}
	for _, p := range pairs {
		if p.payment.Order.OwnApp() && p.evidence > byReference && !p.held && (bookings[p.wanted] > 1 || places[p.booking.ID] > 1) {
			out[p.wanted] = true
		}
	}
	return out
}
