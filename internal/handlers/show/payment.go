package show

import (
	"slices"
	"strings"

	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/web/templates/words"
)

// PaymentWords describes the status of a payment.
type PaymentWords struct {
	Headline string
	Small    string // the meaning of the headline
	Next     string // the next expected step, or what to do; "" without one
	Note     string // about a cancellation, or how many transfers of several were not executed; usually ""
}

// Payment words the status of a payment. s is its Story at the time.
func (c Clock) Payment(p finance.Payment, s finance.Story) PaymentWords {
	w := c.storyWords(p, s)
	if s.Day != "" && s.Kind != finance.StoryScheduled {
		w.Next = c.Say("Your bank carries it out on %s.", c.DayInFull(s.Day))
	}
	w.Note = c.cancellationWords(s.Cancellation)
	if s.Lost == 0 {
		return w
	}
	all := len(p.Order.Request.CreditTransferTransaction)
	w.Note = joined(w.Note, c.Say("%d of %d were not carried out. See the list.", s.Lost, all))
	if s.Over && s.Reason == (finance.StatusReason{}) {
		w.Next = joined(w.Next, c.Say("Your bank gave no reason for those. Compare their accounts with the invoices, or ask your bank, before you pay them again."))
	}
	if s.Part.Of > 0 {
		w.Headline = c.partHeadline(s)
	}
	return w
}

func joined(sentences ...string) string {
	return strings.Join(slices.DeleteFunc(sentences, func(s string) bool { return s == "" }), " ")
}

func (c Clock) partHeadline(s finance.Story) string {
	some, none, args := words.Text("%d of %d being carried out"), words.Text("None of %d being carried out"), []any{s.Part.Transfers, s.Part.Of}
	switch {
	case s.Kind == finance.StoryScheduled:
		some, none, args = "%d of %d scheduled for %s", "None of %d scheduled for %s", append(args, c.Day(s.Day).Text)
	case s.Status == openbanking.PaymentStatusACSC:
		some, none = "%d of %d sent", "None of %d sent"
	case s.Status == openbanking.PaymentStatusACCC:
		some, none = "%d of %d arrived", "None of %d arrived"
	case s.Status == openbanking.PaymentStatusPART:
		some, none = "%d of %d accepted", "None of %d accepted"
	}
	if s.Part.Transfers == 0 {
		return c.Say(none, args[1:]...)
	}
	return c.Say(some, args...)
}

func (c Clock) storyWords(p finance.Payment, s finance.Story) PaymentWords {
	bank, several := BankName(p.Order.ASPSP.Name), len(p.Order.Request.CreditTransferTransaction) > 1
	switch s.Kind {
	case finance.StoryPrepared:
		return PaymentWords{Headline: c.Say("Send it in your bank’s app"), Small: c.Say("Florin has sent nothing. Your bank sends it when you approve it there."),
			Next: c.Say("Florin looks for the booking on your account, and shows here when it has come.")}
	case finance.StorySaidDone:
		return PaymentWords{Headline: c.Say("You sent it"), Small: c.Say("Florin has not seen the booking yet."),
			Next: c.Say("Florin looks for the booking on your account, and shows here when it has come.")}
	case finance.StoryAsked:
		return PaymentWords{Headline: c.Say("Did you send it?"), Small: c.Say("Florin found no booking of it in %d working days.", finance.AskAfter),
			Next: c.Say("Look at your account in your bank’s app, and say here what became of the payment.")}
	case finance.StorySeen:
		return PaymentWords{Headline: c.Say("Booked"), Small: c.Say("Your bank took the money from your account. Whether it arrived is not reported.")}
	case finance.StorySeenPart:
		return PaymentWords{Headline: c.Say("Booked in part"), Small: c.Say("You said that you did not send the rest.")}
	case finance.StoryNotSent:
		return PaymentWords{Headline: c.Say("Not sent"), Small: c.Say("You said that you did not send it. Florin no longer waits for it.")}
	case finance.StoryDraft:
		return PaymentWords{Headline: c.Say("Draft"), Small: c.Say("Nothing has been sent."), Next: c.Say("Check it and confirm it.")}
	case finance.StorySending:
		return PaymentWords{Headline: c.Say("Being sent"), Small: c.Say("Florin is handing the payment to the banking service. You cannot approve it yet."),
			Next: c.Say("This takes a few seconds.")}
	case finance.StoryUnknown:
		w := PaymentWords{Headline: c.Say("Not known whether it was created"),
			Small: c.Say("The banking service gave no clear answer, so it may or may not have the payment. Florin never sends a payment twice. You were not sent to %s to approve it, and without your approval no money moves.", bank),
			Next:  c.Say("Wait for news, or look at your account at %s. If the banking service has not named the payment within about an hour, it can no longer be approved, and Florin says so here.", bank)}
		if openbanking.ErrorCode(p.Failure.Code).OfASPSP() {
			w.Next = c.Say("Wait for news, or look at your account at %s. If nothing shows there, make a new payment.", bank)
		}
		return w
	case finance.StoryLapsed:
		return PaymentWords{Headline: c.Say("Not carried out"), Next: c.Say("Make a new payment."),
			Small: c.Say("The banking service gave no clear answer and has not named the payment since. You were not sent to %s to approve it, and the time to approve it is over. No money moved.", bank)}
	case finance.StoryNotCreated:
		if p.Failure.Code == finance.FailureUnreachable {
			return PaymentWords{Headline: c.Say("Not created"), Small: c.Say("The banking service could not be reached. Your bank got no order, so no money moves."),
				Next: c.Say("Make a new payment later.")}
		}
		return PaymentWords{Headline: c.Say("Not created"), Small: c.Say("The banking service refused it. Your bank got no order, so no money moves."),
			Next: c.Say("Correct what is wrong and make a new payment.")}
	case finance.StoryDiscarded:
		return PaymentWords{Headline: c.Say("Draft deleted"), Small: c.Say("This draft was never sent.")}
	case finance.StoryToApprove:
		w := PaymentWords{Headline: c.Say("Waiting for your approval"), Small: c.Say("No money moves before you approve it."),
			Next: c.Say("Approve it at %s. Without your approval it expires at the bank.", bank)}
		if p.Approval.URL == "" {
			w.Next = c.Say("The link to the approval is lost, so this payment can no longer be approved. Make a new one.")
		}
		return w
	case finance.StoryApproving:
		return PaymentWords{Headline: c.Say("Approve it at your bank"), Small: c.Say("Florin looks for news by itself. You can leave this page."),
			Next: c.Say("Next: you approve it at %s.", bank)}
	case finance.StoryApprovalCancelled:
		w := c.notApprovedWords(bank, s)
		w.Headline = c.Say("You cancelled this payment")
		return w
	case finance.StoryApprovalFailed:
		w := c.notApprovedWords(bank, s)
		w.Headline = c.Say("The approval did not work")
		if s.Retry {
			w.Next = c.Say("Try again.")
		}
		return w
	case finance.StoryRejected:
		return PaymentWords{Headline: c.Say("Rejected by your bank"), Small: c.Say("The bank did not carry out the payment."), Next: c.Reason(s.Reason).Do}
	case finance.StoryCancelled:
		return PaymentWords{Headline: c.Say("Cancelled"), Small: c.Say("%s reports that it does not carry out the payment.", bank)}
	case finance.StoryReceived:
		return PaymentWords{Headline: c.Say("Your bank has the order"), Small: c.Say("Your bank has not checked it yet."), Next: c.Say("Next: your bank checks it.")}
	case finance.StoryChecking:
		return PaymentWords{Headline: c.Say("Your bank is checking it"), Small: c.Say("Usually this takes minutes. It can take one working day."),
			Next: c.Say("Next: your bank accepts it.")}
	case finance.StoryUnconfirmed:
		return PaymentWords{Headline: c.Say("Your bank has not confirmed it yet"),
			Small: c.Say("You came back from approving it, and %s has not said since then what became of it. Do not pay it again: it may be on its way already.", bank),
			Next:  c.Say("Florin keeps asking and shows the answer here.")}
	case finance.StoryFormatChecked:
		return PaymentWords{Headline: c.Say("Details checked"), Small: c.Say("Format and approval are fine."), Next: c.Say("Next: your bank checks your account.")}
	case finance.StoryPayerChecked:
		return PaymentWords{Headline: c.Say("Account checked"), Small: c.Say("Your bank has not said yet that it carries the payment out."),
			Next: c.Say("Next: your bank carries it out.")}
	case finance.StoryAccepted:
		return PaymentWords{Headline: c.Say("Accepted by your bank"), Small: c.Say("What this includes differs from bank to bank."),
			Next: c.Say("Next: your bank carries it out.")}
	case finance.StoryChanged:
		return PaymentWords{Headline: c.Say("Accepted with a change"), Small: c.changeWords(p), Next: c.Say("Next: your bank carries it out.")}
	case finance.StoryScheduled:
		return c.scheduledWords(p, s)
	case finance.StoryExecuting:
		return PaymentWords{Headline: c.Say("Being carried out"), Small: c.Say("Your bank accepted it and is processing it."),
			Next: c.Say("Next: your bank takes the money from your account.")}
	case finance.StoryNotCredited:
		return PaymentWords{Headline: c.Say("Accepted, not yet credited"), Small: c.Say("The payee’s bank has not booked it yet."),
			Next: c.Say("Next: the payee’s bank credits it.")}
	case finance.StorySent:
		w := PaymentWords{Headline: c.Say("Sent from your account")}
		switch {
		case several:
			w.Small = c.Say("The payees may see it by the next working day. This is no proof that it arrived.")
		case p.Order.Instant():
			w.Small = c.Say("The payee may see it now. This is no proof that it arrived.")
		default:
			w.Small = c.Say("The payee may see it by the next working day. This is no proof that it arrived.")
		}
		if p.Progress.Final {
			w.Next = c.Say("Your bank reports no more than this.")
		}
		return w
	case finance.StoryArrived:
		if several {
			return PaymentWords{Headline: c.Say("Arrived"), Small: c.Say("It was credited to the payees’ accounts.")}
		}
		return PaymentWords{Headline: c.Say("Arrived"), Small: c.Say("It was credited to the payee’s account.")}
	case finance.StoryPartly:
		w := PaymentWords{Headline: c.Say("Accepted in part"), Small: c.Say("Each payment in the list has its own status.")}
		if !p.Progress.Final {
			w.Next = c.Say("Next: your bank decides on the others.")
		}
		return w
	case finance.StoryHandedOver:
		return PaymentWords{Headline: c.Say("Handed over to your bank"), Small: c.Say("Your bank reports no more than this. Your statement shows the booking.")}
	case finance.StoryNoNews:
		return PaymentWords{Headline: c.Say("No more news"),
			Small: c.Say("%s reports %s, and nothing else will come. Check your account.", bank, string(p.Progress.Reported()))}
	case finance.StorySilent:
		return PaymentWords{Headline: c.Say("Outcome unknown"),
			Small: c.Say("There has been no news for six days. Bookings that fit are offered here when they come."),
			Next:  c.Say("Look at your account at %s before you pay again.", bank)}
	}
	return PaymentWords{Headline: c.Say("The bank reports %s", finance.Clean(string(s.Status))),
		Small: c.Say("Florin does not know this status. Check your account.")}
}

func (c Clock) notApprovedWords(bank string, s finance.Story) PaymentWords {
	if s.Over && s.Kind == finance.StoryApprovalCancelled {
		return PaymentWords{Small: c.Say("No money was sent.")}
	}
	w := PaymentWords{Small: c.Say("%s reports that no money was sent.", bank)}
	if s.Hearsay {
		w.Small = joined(w.Small, c.Say("Florin is checking this."))
		w.Next = c.Say("When your bank has confirmed it, you can try again here.")
	}
	return w
}

func (c Clock) scheduledWords(p finance.Payment, s finance.Story) PaymentWords {
	w := PaymentWords{Headline: c.Say("Scheduled for %s", c.Day(s.Day).Text),
		Small: c.Say("Your bank has the order and carries it out on %s.", c.DayInFull(s.Day)), Next: c.Say("To change or cancel it, ask your bank.")}
	if p.Order.Standing() {
		w.Headline, w.Small = c.Say("Starts on %s", c.Day(s.Day).Text),
			c.Say("Your bank has the standing order and carries it out for the first time on %s.", c.DayInFull(s.Day))
	}
	if s.Over {
		w.Small = joined(w.Small, c.Say("Your bank reports no more than this."))
	}
	return w
}

// AsOf words the status of a payment at an event of its history.
func (c Clock) AsOf(p finance.Payment, e finance.PaymentEvent) string {
	switch e.Status {
	case openbanking.PaymentStatusPDCR:
		return c.Say("Cancellation requested")
	case openbanking.PaymentStatusACCR:
		return c.Say("Cancellation accepted")
	case openbanking.PaymentStatusPACR:
		return c.Say("Cancellation accepted in part")
	case openbanking.PaymentStatusRJCR:
		return c.Say("Cancellation refused")
	case openbanking.PaymentStatusNULL:
		return c.Say("No cancellation is under way")
	}
	return c.storyWords(p, p.AsOf(e)).Headline
}

func (c Clock) cancellationWords(status openbanking.PaymentStatus) string {
	switch status {
	case openbanking.PaymentStatusPDCR:
		return c.Say("A cancellation was requested, and your bank has not decided yet. Only your bank can cancel a payment; Florin cannot.")
	case openbanking.PaymentStatusACCR:
		return c.Say("The cancellation was accepted: your bank withdraws the order.")
	case openbanking.PaymentStatusPACR:
		return c.Say("The cancellation was accepted in part: some payments go on. See the list.")
	case openbanking.PaymentStatusRJCR:
		return c.Say("The cancellation was refused: the payment goes on.")
	}
	return ""
}

// changeWords returns what the bank has changed.
func (c Clock) changeWords(p finance.Payment) string {
	var moved []string
	var other bool
	for _, change := range p.Changes() {
		if change.Field != "date" {
			other = true
			continue
		}
		told := c.Say("Your bank carries it out on %s.", c.DayInFull(openbanking.Date(change.Now)))
		if change.Asked != "" {
			told = c.Say("Your bank moved it from %s to %s.", c.DayInFull(openbanking.Date(change.Asked)), c.DayInFull(openbanking.Date(change.Now)))
		}
		if !slices.Contains(moved, told) {
			moved = append(moved, told)
		}
	}
	switch {
	case len(moved) > 1:
		return c.Say("Your bank moved some of the payments to other days.")
	case len(moved) == 1 && other:
		return joined(moved[0], c.Say("It also changed the reference. Compare what you asked for with what the bank has."))
	case len(moved) == 1:
		return moved[0]
	case other:
		return c.Say("Your bank changed the reference. Compare what you asked for with what the bank has.")
	}
	return c.Say("Your bank changed the date or the reference and did not say how.")
}

// PaidTo returns the payee of a payment, or the number of payments in it.
func (c Clock) PaidTo(p finance.Payment) string {
	if n := len(p.Order.Request.CreditTransferTransaction); n > 1 {
		return c.Say("%d payments", n)
	}
	return p.Title
}
