package finance

import (
	"slices"
	"strings"
	"testing"
	"time"

	"florin/internal/money"
	"florin/internal/openbanking"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// paid is a payment that the service has had for a minute.
func paid(status openbanking.PaymentStatus, auth openbanking.PaymentAuthStatus) Payment {
	p := Payment{Phase: PhaseCreated, PaymentID: "p", Approval: Approval{URL: "https://bank.example", Status: auth, Source: NewsWebhook}, Progress: Progress{Status: status, Changed: noon.Add(-time.Minute)}, Order: PaymentOrder{ASPSP: openbanking.ASPSP{Name: "Nordbank", Country: "FI"}}}
	p.Progress.Reached[StepCreated] = noon.Add(-time.Minute)
	return p
}

// Each status has its stop, its tone and its words; facts are weighed in the order that Payment.Tell says.
func TestStoryTable(t *testing.T) {
	const fin, failed, cancelled, pending = openbanking.PaymentAuthStatusFinalised, openbanking.PaymentAuthStatusFailed, openbanking.PaymentAuthStatusCancelled, openbanking.PaymentAuthStatusPending
	with := func(p Payment, change func(p *Payment)) Payment { change(&p); return p }
	final := func(p *Payment) { p.Progress.Final = true }
	onDay := func(asked, now openbanking.Date) func(p *Payment) {
		return func(p *Payment) {
			p.Order.Request.CreditTransferTransaction = []openbanking.CreditTransferTransaction{{RequestedExecutionDate: &asked}}
			p.Progress.ReadBack.CreditTransferTransaction = []openbanking.CreditTransferTransactionDetails{{CreditTransferTransaction: openbanking.CreditTransferTransaction{RequestedExecutionDate: &now}}}
		}
	}
	cases := []struct {
		name     string
		p        Payment
		stop     Step
		tone     Tone
		headline string
		small    string // a part of it
		next     string // a part of it
		over     bool
		noMoney  bool
	}{
		{"authorisation absent", paid("PDNG", ""), StepCreated, ToneNeutral, "Waiting for your approval", "Nothing has been sent", "Open Nordbank", false, false},
		{"authorisation absent, RCVD", paid("RCVD", ""), StepCreated, ToneNeutral, "Waiting for your approval", "Nothing has been sent", "Open Nordbank", false, false},
		{"the way to the bank was lost", with(paid("PDNG", ""), func(p *Payment) { p.Approval.URL = "" }), StepCreated, ToneNeutral, "Waiting for your approval", "Nothing has been sent", "was lost", false, false},
		{"authorisation pending", paid("PDNG", pending), StepCreated, ToneActive, "Approve it in your bank", "We check by ourselves", "your approval at Nordbank", false, false},
		{"authorisation cancelled", paid("PDNG", cancelled), StepCreated, ToneGrey, "You cancelled this payment", "No money was sent, as far as Nordbank reports.", "", false, true},
		{"authorisation cancelled, CNCL", with(paid("CNCL", cancelled), final), StepCreated, ToneGrey, "You cancelled this payment", "No money was sent.", "", true, true},
		{"authorisation failed", paid("PDNG", failed), StepCreated, ToneRed, "Approval did not work", "as far as Nordbank reports", "Try again", false, true},
		{"authorisation failed, RJCT", with(paid("RJCT", failed), final), StepCreated, ToneRed, "Approval did not work", "as far as Nordbank reports", "Try again", true, true},
		{"RCVD, approved", paid("RCVD", fin), StepApproved, ToneActive, "Your bank has the order", "not been checked yet", "checks it", false, false},
		{"PDNG, approved, and the bank cannot be asked", with(paid("PDNG", fin), func(p *Payment) {
			p.Approval.Source, p.Check.Error.Code = NewsReturn, "ASPSP_ERROR"
		}), StepApproved, ToneAmber, "Your bank has not confirmed it yet", "Do not pay it again", "goes on asking", false, false},
		{"PDNG, approved by the word of a webhook", with(paid("PDNG", fin), func(p *Payment) {
			p.Approval.Source, p.Check.Error.Code = NewsWebhook, "ASPSP_ERROR"
		}), StepApproved, ToneActive, "Your bank is checking it", "", "", false, false},
		{"PDNG, approved", paid("PDNG", fin), StepApproved, ToneActive, "Your bank is checking it", "one working day", "accepted by your bank", false, false},
		{"ACTC", paid("ACTC", fin), StepAccepted, ToneActive, "Details checked", "Format and approval are fine", "Next:", false, false},
		{"ACCP", paid("ACCP", fin), StepAccepted, ToneActive, "Customer checks passed", "not yet said that it carries the order out", "Next:", false, false},
		{"ACSP", paid("ACSP", fin), StepAccepted, ToneActive, "Being carried out", "accepted it and is settling it", "taken from your account", false, false},
		{"ACPT", paid("ACPT", fin), StepAccepted, ToneActive, "Accepted by your bank", "differs from bank to bank", "Next:", false, false},
		{"ACWC", paid("ACWC", fin), StepAccepted, ToneAmber, "Accepted with a change", "did not say how", "Next:", false, false},
		{"ACWP", paid("ACWP", fin), StepAccepted, ToneAmber, "Accepted, not yet credited", "has not booked it", "Next:", false, false},
		{"ACSC", with(paid("ACSC", fin), final), StepSent, ToneGood, "Sent: taken from your account", "next working day; this is not proof of arrival", "reports no further", true, false},
		{"ACSC, instant", with(paid("ACSC", fin), func(p *Payment) { p.Progress.Final, p.Order.Type = true, openbanking.PaymentTypeInstSEPA }), StepSent, ToneGood, "Sent: taken from your account", "may see it now; this is not proof", "", true, false},
		{"ACSC where only ACCC is a success", with(paid("ACSC", fin), func(p *Payment) { p.Order.Successful = []openbanking.PaymentStatus{"ACCC"} }), StepSent, ToneActive, "Sent: taken from your account", "not proof", "", false, false},
		{"ACSC, final, where only ACCC is a success", with(paid("ACSC", fin), func(p *Payment) { p.Progress.Final, p.Order.Successful = true, []openbanking.PaymentStatus{"ACCC"} }), StepSent, ToneAmber, "Sent: taken from your account", "not proof", "", true, false},
		{"ACCC", with(paid("ACCC", fin), final), StepArrived, ToneGood, "Arrived", "Credited to the payee's account", "", true, false},
		{"PART", paid("PART", fin), StepAccepted, ToneAmber, "Some payments accepted", "own status", "other items", false, false},
		{"RJCT", with(paid("RJCT", fin), func(p *Payment) { p.Progress.Final, p.Progress.Reason.Code = true, "AM04" }), StepApproved, ToneRed, "Rejected by your bank", "did not carry the order out", "Add money", true, true},
		{"CNCL", with(paid("CNCL", fin), final), StepApproved, ToneGrey, "Cancelled", "as far as Nordbank reports", "", true, true},
		{"CNCL, never approved", with(paid("CNCL", ""), final), StepCreated, ToneGrey, "Cancelled", "as far as Nordbank reports", "", true, true},
		{"unknown status", paid("WHAT", fin), StepApproved, ToneAmber, "The bank reports WHAT", "does not know this status", "", false, false},

		{"a terse bank, final at ACSP", with(paid("ACSP", fin), func(p *Payment) { p.Progress.Final, p.Order.Successful = true, []openbanking.PaymentStatus{"ACSP"} }), StepAccepted, ToneGood, "Handed over to your bank", "No more news will come", "", true, false},
		{"final, and no success", with(paid("ACTC", fin), final), StepAccepted, ToneAmber, "No further news", "Nordbank reports ACTC", "", true, false},
		{"final, never approved", with(paid("PDNG", ""), final), StepCreated, ToneAmber, "No further news", "Nordbank reports PDNG", "", true, false},
		{"final in a cancellation", with(paid("ACSP", fin), func(p *Payment) { p.Progress.Final, p.Progress.Cancellation = true, "ACCR" }), StepAccepted, ToneAmber, "No further news", "Nordbank reports ACCR", "", true, false},
		{"six days of silence", with(paid("ACSP", fin), func(p *Payment) {
			p.Progress.Changed = noon.Add(-silence)
			p.Progress.Reached[StepCreated] = p.Progress.Changed
		}), StepAccepted, ToneAmber, "Outcome unknown", "six days", "Look at your account", false, false},
		{"a little less", with(paid("ACSP", fin), func(p *Payment) {
			p.Progress.Changed = noon.Add(-silence + time.Second)
			p.Progress.Reached[StepCreated] = p.Progress.Changed
		}), StepAccepted, ToneActive, "Being carried out", "settling", "", false, false},
		{"silence before a date to come", with(paid("ACCP", fin), func(p *Payment) {
			p.Progress.Changed = noon.Add(-30 * 24 * time.Hour)
			p.Progress.Reached[StepCreated] = p.Progress.Changed
			p.Order.Request.CreditTransferTransaction = []openbanking.CreditTransferTransaction{{RequestedExecutionDate: new(openbanking.Date("2026-12-24"))}}
		}), StepAccepted, ToneActive, "Customer checks passed", "", "Waits at your bank until Thursday, 24 December 2026.", false, false},
		{"on its day", with(paid("ACCP", fin), onDay("2026-11-20", "")), StepAccepted, ToneActive, "Customer checks passed", "", "Next: carried out.", false, false},
		{"a day to come, approved", with(paid("PDNG", fin), onDay("2026-11-22", "")), StepApproved, ToneActive, "Your bank is checking it", "", "Waits at your bank until Sunday, 22 November 2026.", false, false},
		{"a day to come, not approved", with(paid("PDNG", ""), onDay("2026-11-22", "")), StepCreated, ToneNeutral, "Waiting for your approval", "", "Open Nordbank", false, false},
		{"a day to come, rejected", with(paid("RJCT", fin), onDay("2026-11-22", "")), StepApproved, ToneRed, "Rejected by your bank", "", "", false, true},
		{"ACWC, the day moved", with(paid("ACWC", fin), onDay("2026-11-22", "2026-11-23")), StepAccepted, ToneAmber, "Accepted with a change", "Your bank moved it from Sunday, 22 November 2026 to Monday, 23 November 2026.", "Waits at your bank until Monday, 23 November 2026.", false, false},
		{"moved to today", with(paid("ACSP", fin), onDay("2026-11-15", "2026-11-20")), StepAccepted, ToneActive, "Being carried out", "", "taken from your account", false, false},

		{"rule 1: carrying out is not hidden by an authorisation", paid("ACSP", failed), StepAccepted, ToneActive, "Being carried out", "", "", false, false},
		{"rule 1: settlement is not hidden", with(paid("ACSC", cancelled), final), StepSent, ToneGood, "Sent: taken from your account", "", "", true, false},
		{"rule 1: arrival is not hidden", paid("ACCC", pending), StepArrived, ToneGood, "Arrived", "", "", false, false},
		{"rule 1: a part is not hidden", paid("PART", failed), StepAccepted, ToneAmber, "Some payments accepted", "", "", false, false},
		{"rule 2: a cancelled authorisation before a later status", paid("ACTC", cancelled), StepCreated, ToneGrey, "You cancelled this payment", "", "", false, true},
		{"rule 2, from the return alone: a later status proves the approval", with(paid("ACTC", cancelled), func(p *Payment) { p.Approval.Source = NewsReturn }), StepAccepted, ToneActive, "Details checked", "", "", false, false},
		{"rule 2, from the return, while nothing else is known", with(paid("PDNG", cancelled), func(p *Payment) { p.Approval.Source = NewsReturn }), StepCreated, ToneGrey, "You cancelled this payment", "as far as Nordbank reports. That is being checked.", "your bank confirms", false, true},
		{"rule 2, failed, from the return", with(paid("RCVD", failed), func(p *Payment) { p.Approval.Source = NewsReturn }), StepCreated, ToneRed, "Approval did not work", "That is being checked.", "your bank confirms", false, true},
		{"rule 2, from the return, and the bank says so, too", with(paid("CNCL", cancelled), func(p *Payment) { p.Approval.Source, p.Progress.Final = NewsReturn, true }), StepCreated, ToneGrey, "You cancelled this payment", "No money was sent.", "", true, true},
		{"rule 4: a later status proves the approval", paid("ACTC", pending), StepAccepted, ToneActive, "Details checked", "", "", false, false},
		{"rule 4: without any authorisation", paid("ACCP", ""), StepAccepted, ToneActive, "Customer checks passed", "", "", false, false},

		{"draft", Payment{Phase: PhaseDraft}, StepNone, ToneNeutral, "Draft", "Nothing has been sent", "confirm", false, false},
		{"sending", Payment{Phase: PhaseSending}, StepNone, ToneActive, "Being handed over", "on its way", "", false, false},
		{"unknown", Payment{Phase: PhaseUnknown}, StepNone, ToneAmber, "Not known whether it was created", "never sends a payment twice", "then Florin says so here", false, false},
		{"unknown after the bank was asked", Payment{Phase: PhaseUnknown, Failure: Failure{Code: "ASPSP_ERROR"}}, StepNone, ToneAmber, "Not known whether it was created", "never sends a payment twice", "discard this one", false, false},
		{"unknown until nobody could approve it", Payment{Phase: PhaseFailed, Failure: Failure{Code: FailureLapsed}}, StepNone, ToneGrey, "Nothing came of it", "no money moved", "Make a new payment.", true, true},
		{"failed", Payment{Phase: PhaseFailed}, StepNone, ToneRed, "Not created", "The service refused it", "Mend what is wrong", true, true},
		{"not reached", Payment{Phase: PhaseFailed, Failure: Failure{Code: FailureUnreachable}}, StepNone, ToneRed, "Not created", "was not reached", "can be reached again", true, true},
		{"discarded", Payment{Phase: PhaseDiscarded}, StepNone, ToneGrey, "Discarded", "never sent", "", true, true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := c.p.Tell(noon)
			if s.Step != c.stop || s.Tone != c.tone || s.Headline != c.headline || s.Over != c.over || s.NoMoney != c.noMoney {
				t.Errorf("stop %d, %s, %q, over %v, no money %v", s.Step, s.Tone, s.Headline, s.Over, s.NoMoney)
			}
			if !strings.Contains(s.Small, c.small) || !strings.Contains(s.Next, c.next) {
				t.Errorf("small %q, next %q", s.Small, s.Next)
			}
		})
	}
}

// The way back is not proof: whoever cancelled in the browser may approve in the app of the bank, and would then pay twice.
func TestReturnAloneAllowsNoRetry(t *testing.T) {
	for _, auth := range []openbanking.PaymentAuthStatus{"CANCELLED", "FAILED"} {
		for _, c := range []struct {
			status openbanking.PaymentStatus
			source NewsSource
			final  bool
			retry  bool
		}{{"PDNG", NewsReturn, false, false}, {"RCVD", NewsReturn, false, false}, {"CNCL", NewsReturn, true, true}, {"RJCT", NewsReturn, true, true}, {"PDNG", NewsReturn, true, true}, {"PDNG", NewsWebhook, false, true}} {
			p := paid(c.status, auth)
			p.Approval.Source, p.Progress.Final = c.source, c.final
			if s := p.Tell(noon); s.Retry != c.retry || p.Waiting() == c.retry {
				t.Errorf("%s by %s, %s, final %v: retry %v, waiting %v", auth, c.source, c.status, c.final, s.Retry, p.Waiting())
			}
		}
	}
}

// Whoever cancelled a payment is not told to make it anew.
func TestCancelledByThePersonAsksForNothing(t *testing.T) {
	p := paid("RJCT", "CANCELLED")
	p.Progress.Final, p.Progress.Reason.Code = true, "DS02"
	if s := p.Tell(noon); s.Reason.Code != "DS02" || s.Reason.Do != "" || s.Next != "" {
		t.Errorf("%+v", s)
	}
	p.Approval.Status = "FINALISED"
	if s := p.Tell(noon); s.Reason.Do == "" {
		t.Errorf("%+v", s)
	}
}

// The history has the words of the story.
func TestToldBy(t *testing.T) {
	for _, c := range []struct {
		e    PaymentEvent
		want string
	}{
		{PaymentEvent{Source: NewsReturn, Status: "PDNG", Auth: "FINALISED"}, "Your bank is checking it"},
		{PaymentEvent{Source: NewsReturn, Auth: "CANCELLED"}, "You cancelled this payment"},
		{PaymentEvent{Source: NewsWebhook, Status: "PDNG", Auth: "PENDING"}, "Approve it in your bank"},
		{PaymentEvent{Source: NewsCheck, Status: "ACSC", Final: true}, "Sent: taken from your account"},
		{PaymentEvent{Source: NewsCheck, Status: "RJCT", Final: true, ReasonCode: "AM04"}, "Rejected by your bank"},
		{PaymentEvent{Source: NewsCheck, Status: "PDCR"}, "Cancellation requested"},
		{PaymentEvent{Source: NewsCheck, Status: "NULL"}, "No cancellation is running"},
	} {
		p := paid("ACSC", "FINALISED") // what came later does not change the line
		p.Progress.Final, p.Progress.Cancellation = true, "ACCR"
		if got := p.ToldBy(c.e); got != c.want {
			t.Errorf("%v: %q", c.e, got)
		}
	}
}

// When the bank executes only some transactions of a bulk, the story is about these, and says how many they are and how much.
func TestStoryOfAPart(t *testing.T) {
	eur := func(minor int64) money.Amount { return money.FromMinor(minor, "EUR") }
	for _, c := range []struct {
		name     string
		status   openbanking.PaymentStatus
		final    bool
		lost     int
		headline string
		side     string
		tone     Tone
		part     Part
	}{
		{"all sent", "ACSC", true, 0, "Sent: taken from your account", "", ToneGood, Part{}},
		{"half sent", "ACSC", true, 2, "2 of 4 sent", "2 of 4 were not carried out; see the list.", ToneAmber, Part{2, eur(124456), eur(127506)}},
		{"all but one arrived", "ACCC", true, 1, "3 of 4 arrived", "1 of 4 was not carried out; see the list.", ToneAmber, Part{3, eur(125981), eur(127506)}},
		{"going on", "ACSP", false, 2, "2 of 4 being carried out", "2 of 4 were not carried out; see the list.", ToneAmber, Part{2, eur(124456), eur(127506)}},
		{"the others are not decided", "PART", false, 1, "Some payments accepted", "1 of 4 was not carried out; see the list.", ToneAmber, Part{}},
		{"decided", "PART", true, 1, "3 of 4 accepted", "1 of 4 was not carried out; see the list.", ToneAmber, Part{3, eur(125981), eur(127506)}},
		{"handed over", "ACTC", true, 1, "No further news", "1 of 4 was not carried out; see the list.", ToneAmber, Part{}},
		{"none", "ACSC", true, 4, "None of 4 sent", "4 of 4 were not carried out; see the list.", ToneAmber, Part{0, eur(121406), eur(127506)}},
		{"rejected as a whole", "RJCT", true, 4, "Rejected by your bank", "", ToneRed, Part{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := paid(c.status, "FINALISED")
			p.Progress.Final, p.Total, p.Progress.Lost = c.final, eur(127506), Lost{Transfers: c.lost, Sum: eur(1525 * int64(c.lost))}
			p.Order.Request.CreditTransferTransaction = make([]openbanking.CreditTransferTransaction, 4)
			if s := p.Tell(noon); s.Headline != c.headline || s.Side != c.side || s.Tone != c.tone || s.Part != c.part {
				t.Errorf("%q, %q, %s, %v", s.Headline, s.Side, s.Tone, s.Part)
			}
			if s, told := p.Tell(noon), strings.Contains(p.Tell(noon).Next, "It gives no reason for what it left out"); told != (c.final && c.lost > 0 && !s.NoMoney) {
				t.Errorf("next: %q", s.Next)
			}
			p.Total, p.Progress.Lost.Sum = money.Amount{}, money.Amount{} // mixed currencies
			if s := p.Tell(noon); s.Headline != c.headline || s.Part != (Part{Transfers: c.part.Transfers}) {
				t.Errorf("mixed currencies: %q, %v", s.Headline, s.Part)
			}
		})
	}
}

func TestSideNotes(t *testing.T) {
	for side, want := range map[openbanking.PaymentStatus]string{"PDCR": "Cancellation requested: your bank has not decided. Florin cannot request one", "ACCR": "Cancellation accepted",
		"PACR": "Cancellation partly accepted", "RJCR": "Cancellation refused: the payment goes on", "": ""} {
		p := paid("ACSP", "FINALISED")
		p.Progress.Cancellation = side
		if s := p.Tell(noon); !strings.HasPrefix(s.Side, want) || want == "" && s.Side != "" || s.Headline != "Being carried out" {
			t.Errorf("%s: %q %q", side, s.Side, s.Headline)
		}
	}
}

// No combination of facts makes the story say "paid" before ACSC, "arrived" before ACCC, or promise a cancellation.
func TestStoryInEveryCombination(t *testing.T) {
	auths := append(openbanking.PaymentAuthStatus("").Values(), "")
	told := 0
	for _, status := range append(openbanking.PaymentStatus("").Values(), "NEWS") {
		for _, side := range []openbanking.PaymentStatus{"", "PDCR", "ACCR", "PACR", "RJCR"} {
			for _, auth := range auths {
				for _, source := range []NewsSource{NewsWebhook, NewsReturn} {
					for _, final := range []bool{false, true} {
						for _, successful := range [][]openbanking.PaymentStatus{nil, {"ACSP"}, {"ACCC"}, {"ACSC", "PART"}} {
							for _, age := range []time.Duration{0, 7 * 24 * time.Hour} {
								p := paid(status, auth)
								p.Progress.Cancellation, p.Approval.Source, p.Progress.Final, p.Order.Successful = side, source, final, successful
								p.Progress.Changed, p.Progress.Reached[StepCreated] = noon.Add(-age), noon.Add(-age)
								s := p.Tell(noon)
								told++
								words := strings.ToLower(s.Headline + " " + s.Small + " " + s.Next)
								fail := func(rule string) {
									t.Errorf("%s: %s side %q auth %q by %s final %v of %v after %v: %+v", rule, status, side, auth, source, final, successful, age, s)
								}
								switch {
								case s.Headline == "" || s.Small == "" || s.Tone == "" || s.Step == StepNone:
									fail("something is missing")
								case strings.Contains(words, "paid") && status != "ACSC" && status != "ACCC":
									fail("no word of paid before ACSC")
								case strings.Contains(words, "arrived") && status != "ACCC":
									fail("no word of arrived but for ACCC")
								case s.Over != final:
									fail("over")
								case (s.Step == StepArrived) != (status == "ACCC") || (s.Step == StepSent) != (status == "ACSC"):
									fail("stop")
								case s.NoMoney && (status == "ACSP" || status == "ACSC" || status == "ACCC" || status == "PART"):
									fail("carrying out is never hidden")
								case s.Tone == ToneGood && status != "ACCC" && !p.succeeded():
									fail("good only for a success")
								case final && s.Tone == ToneActive:
									fail("nothing is going on any more")
								case status == "RJCT" && s.Tone != ToneRed && auth != openbanking.PaymentAuthStatusCancelled && (age <= 0 || final):
									fail("rejected is red")
								case (side != "") != (s.Side != ""):
									fail("side note")
								case s.Retry && !s.NoMoney:
									fail("a retry only where no money moved")
								}
							}
						}
					}
				}
			}
		}
	}
	if told < 5000 {
		t.Errorf("only %d combinations", told)
	}
}

// Each reason code has words, and says what to do next.
func TestReasons(t *testing.T) {
	for _, code := range strings.Fields("AC01 AC04 AC06 AG01 AM02 AM04 AM05 BE01 BE04 CUST DS02 DS04 FF01 MS03 RR04 TM01") {
		if r := ReasonOf(code, "bank's words"); r.Code != code || r.Text == "" || r.Text == "bank's words" || r.Do == "" || r.Unknown {
			t.Errorf("%s: %+v", code, r)
		}
	}
	for code, r := range reasons {
		if !strings.HasSuffix(r[0], ".") || !strings.HasSuffix(r[1], ".") {
			t.Errorf("%s: %q %q", code, r[0], r[1])
		}
	}
	if r := ReasonOf("am04", ""); r.Code != "AM04" || r.Unknown {
		t.Errorf("%+v", r)
	}
	if r := ReasonOf("ZZ99", "Der \u202eKunde"); r.Code != "ZZ99" || r.Text != "Der Kunde" || r.Do == "" || !r.Unknown {
		t.Errorf("%+v", r)
	}
	if r := ReasonOf("ZZ99", ""); r.Text == "" || r.Unknown {
		t.Errorf("%+v", r)
	}
}

func TestApply(t *testing.T) {
	at := noon.Add(time.Hour)
	hook := func(auth openbanking.PaymentAuthStatus, minute int) PaymentNews {
		return PaymentNews{Source: NewsWebhook, At: at, Auth: auth, AuthSource: NewsWebhook, AuthAt: noon.Add(time.Duration(minute) * time.Minute)}
	}
	back := PaymentNews{Source: NewsReturn, At: at, Auth: "CANCELLED", AuthSource: NewsReturn, AuthAt: noon.Add(30 * time.Minute)}
	status := func(s openbanking.PaymentStatus, final bool) PaymentNews {
		return PaymentNews{Source: NewsCheck, At: at, Status: s, Final: final}
	}
	cases := []struct {
		name  string
		news  []PaymentNews
		state string // status, side, auth
		final bool
		last  bool // the last news changed something
	}{
		{"nothing", nil, "PDNG//", false, false},
		{"the same", []PaymentNews{status("PDNG", false)}, "PDNG//", false, false},
		{"a step", []PaymentNews{status("ACSP", false)}, "ACSP//", false, true},
		{"final", []PaymentNews{status("ACSC", true)}, "ACSC//", true, true},
		{"never out of a final status", []PaymentNews{status("RJCT", true), status("ACSC", true)}, "RJCT//", true, false},
		{"not even back to life", []PaymentNews{status("ACSC", true), status("ACSP", false)}, "ACSC//", true, false},
		{"a cancellation is beside the status", []PaymentNews{status("ACSP", false), status("PDCR", false)}, "ACSP/PDCR/", false, true},
		{"NULL ends it", []PaymentNews{status("ACSP", false), status("PDCR", false), status("NULL", false)}, "ACSP//", false, true},
		{"NULL is ignored", []PaymentNews{status("ACSP", false), status("NULL", false)}, "ACSP//", false, false},
		{"a status ends it", []PaymentNews{status("PDCR", false), status("ACSC", true)}, "ACSC//", true, true},
		{"authorised", []PaymentNews{hook("PENDING", 1), hook("FINALISED", 2)}, "PDNG//FINALISED", false, true},
		{"authorised, the wrong way round", []PaymentNews{hook("FINALISED", 2), hook("PENDING", 1)}, "PDNG//FINALISED", false, false},
		{"pending never comes back", []PaymentNews{hook("FAILED", 1), hook("PENDING", 2)}, "PDNG//FAILED", false, false},
		{"of two ends the later event counts", []PaymentNews{hook("FAILED", 1), hook("FINALISED", 2)}, "PDNG//FINALISED", false, true},
		{"whichever comes first", []PaymentNews{hook("FINALISED", 2), hook("FAILED", 1)}, "PDNG//FINALISED", false, false},
		{"the return", []PaymentNews{hook("PENDING", 1), back}, "PDNG//CANCELLED", false, true},
		{"a webhook counts more than the return", []PaymentNews{back, hook("FINALISED", 1)}, "PDNG//FINALISED", false, true},
		{"the return less than a webhook", []PaymentNews{hook("FINALISED", 1), back}, "PDNG//FINALISED", false, false},
		{"how the authorisation ended is learnt after the end", []PaymentNews{status("RJCT", true), hook("FAILED", 1)}, "RJCT//FAILED", true, true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p, changed := paid("PDNG", ""), false
			p.Approval.Source = ""
			for _, n := range c.news {
				p, changed = p.Apply(n)
			}
			if got := string(p.Progress.Status) + "/" + string(p.Progress.Cancellation) + "/" + string(p.Approval.Status); got != c.state || p.Progress.Final != c.final || changed != c.last || p.Progress.Final != p.Progress.Ended.Equal(at) {
				t.Errorf("%s, final %v, changed %v, ended %v", got, p.Progress.Final, changed, p.Progress.Ended)
			}
			if changed && !p.Progress.Changed.Equal(at) {
				t.Errorf("news %v", p.Progress.Changed)
			}
		})
	}
	for _, phase := range []Phase{PhaseDraft, PhaseSending, PhaseUnknown, PhaseFailed, PhaseDiscarded} {
		if p, changed := (Payment{Phase: phase}).Apply(status("ACSC", true)); changed || p.Progress.Status != "" {
			t.Errorf("news of a payment that is %s", phase)
		}
	}
}

func TestStopsAreReachedOnce(t *testing.T) {
	p := paid("PDNG", "")
	for i, s := range []openbanking.PaymentStatus{"ACTC", "ACSP", "ACSC"} {
		p, _ = p.Apply(PaymentNews{Source: NewsCheck, At: noon.Add(time.Duration(i+1) * time.Minute), Status: s})
	}
	want := StepTimes{StepCreated: noon.Add(-time.Minute), StepApproved: noon.Add(time.Minute), StepAccepted: noon.Add(time.Minute), StepSent: noon.Add(3 * time.Minute)}
	if p.Progress.Reached != want {
		t.Errorf("%+v", p.Progress.Reached)
	}
}

// Security T8: checks are quick at first and after each change, and never stop before the end.
func TestCheckAfter(t *testing.T) {
	cases := []struct {
		name string
		age  time.Duration
		date openbanking.Date
		min  time.Duration
		max  time.Duration
	}{
		{"at once", 0, "", time.Second, 5 * time.Second},
		{"five minutes", 5 * time.Minute, "", 10 * time.Second, 30 * time.Second},
		{"an hour", 61 * time.Minute, "", time.Minute, 10 * time.Minute},
		{"a day", 25 * time.Hour, "", 30 * time.Minute, 2 * time.Hour},
		{"a year", 365 * 24 * time.Hour, "", 12 * time.Hour, 48 * time.Hour},
		{"long before its date", time.Minute, "2026-12-24", 30 * time.Minute, 2 * time.Hour},
		{"on its date, made long ago", 30 * 24 * time.Hour, "2026-11-20", time.Minute, 20 * time.Minute},
	}
	for _, c := range cases {
		p := paid("ACCP", "FINALISED")
		p.Progress.Changed, p.Progress.Reached[StepCreated] = noon.Add(-c.age), noon.Add(-c.age)
		if c.date != "" {
			p.Order.Request.CreditTransferTransaction = []openbanking.CreditTransferTransaction{{RequestedExecutionDate: &c.date}}
		}
		if wait := p.CheckAfter(noon); wait < c.min || wait > c.max {
			t.Errorf("%s: %v", c.name, wait)
		}
	}
}

func TestReferences(t *testing.T) {
	o := PaymentOrder{Request: openbanking.PaymentRequestResource{CreditTransferTransaction: []openbanking.CreditTransferTransaction{{}, {PaymentID: &openbanking.PaymentIdentification{EndToEndID: new("MINE")}}, {}}}}
	r := o.Referenced("FLX")
	var ids []string
	for _, tr := range r.Request.CreditTransferTransaction {
		ids = append(ids, *tr.PaymentID.EndToEndID)
	}
	if got := strings.Join(ids, " "); got != "FLX00001 MINE FLX00003" || *r.Request.PaymentInformationID != "FLX" {
		t.Error(got)
	}
	if o.Request.CreditTransferTransaction[0].PaymentID != nil {
		t.Error("the order itself was changed")
	}
	if again := r.Again(); again.Request.PaymentInformationID != nil || again.Request.CreditTransferTransaction[1].PaymentID != nil {
		t.Error("a repeated payment keeps its references")
	}
	if id := UniqueReference(); len(id) != 28 || id == UniqueReference() {
		t.Error(id)
	}
	if r.Referenced("FLX").ReviewHash() != r.ReviewHash() {
		t.Error("references are not stable")
	}
}

// ACWC: what the bank changed stands side by side with what was asked for.
func TestChanges(t *testing.T) {
	p := paid("ACWC", "FINALISED")
	asked := openbanking.CreditTransferTransaction{RequestedExecutionDate: new(openbanking.Date("2026-11-21")), RemittanceInformation: []string{"Invoice", "7"}, ReferenceNumber: new("RF1")}
	p.Order.Request.CreditTransferTransaction = []openbanking.CreditTransferTransaction{asked, asked}
	p.Order = p.Order.Referenced("FLX")
	first, asked := p.Order.Request.CreditTransferTransaction[0], p.Order.Request.CreditTransferTransaction[1]
	if got := p.Changes(); got != nil {
		t.Errorf("before anything was read: %+v", got)
	}
	now := asked
	now.RequestedExecutionDate, now.RemittanceInformation, now.ReferenceNumber = new(openbanking.Date("2026-11-23")), []string{"Invoice 7"}, nil
	p.Progress.ReadBack.CreditTransferTransaction = []openbanking.CreditTransferTransactionDetails{{CreditTransferTransaction: now}, {CreditTransferTransaction: first}} // in the order of the service
	got := p.Changes()
	if len(got) != 1 || got[0] != (Change{1, "date", "2026-11-21", "2026-11-23"}) {
		t.Errorf("%+v", got)
	}
}

// The service lists the transfers in the order it likes: only an id tells whose fate it is.
func TestFitTransfers(t *testing.T) {
	own := []PaymentTransfer{{EndToEndID: "A"}, {EndToEndID: "B", TransactionID: "t2"}, {EndToEndID: "SAME", TransactionID: "t3"}, {EndToEndID: "SAME"}}
	for _, c := range []struct {
		name string
		own  []PaymentTransfer
		news []TransferNews
		want []int
	}{
		{"in another order", own[:2], []TransferNews{{EndToEndID: "B"}, {EndToEndID: "A"}}, []int{1, 0}},
		{"one is missing", own[:2], []TransferNews{{EndToEndID: "B"}}, []int{-1, 0}},
		{"without ids", own[:2], []TransferNews{{}, {}}, []int{-1, -1}},
		{"by the id at the service", own[:2], []TransferNews{{TransactionID: "t2"}, {TransactionID: "t9"}}, []int{-1, 0}},
		{"an id at the service that moved on", own[:2], []TransferNews{{EndToEndID: "A", TransactionID: "t2"}, {EndToEndID: "B"}}, []int{0, 1}},
		{"an id that another transfer has", own[:2], []TransferNews{{EndToEndID: "A", TransactionID: "t2"}}, []int{0, -1}},
		{"told of twice", own[:2], []TransferNews{{EndToEndID: "A"}, {EndToEndID: "A"}, {EndToEndID: "B"}}, []int{-1, 2}},
		{"asked for twice under one id", own, []TransferNews{{EndToEndID: "SAME"}, {EndToEndID: "SAME", TransactionID: "t3"}, {EndToEndID: "A"}}, []int{2, -1, 1, -1}},
		{"one of one, whatever it is called", own[:1], []TransferNews{{EndToEndID: "Z"}}, []int{0}},
		{"none", own[:1], nil, []int{-1}},
	} {
		if got := FitTransfers(c.own, c.news); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// Only the transactions that failed are sent again, as a new bulk.
func TestFailedOnly(t *testing.T) {
	transfer := func(amount string) openbanking.CreditTransferTransaction {
		return openbanking.CreditTransferTransaction{InstructedAmount: openbanking.AmountType{Currency: "EUR", Amount: amount}}
	}
	o := PaymentOrder{Request: openbanking.PaymentRequestResource{CreditTransferTransaction: []openbanking.CreditTransferTransaction{transfer("1"), transfer("2"), transfer("3")}}}.Referenced("FLX")
	again := o.FailedOnly([]PaymentTransfer{{Position: 0, Status: "ACSC"}, {Position: 1, Status: "RJCT"}, {Position: 2, Status: "CNCL"}, {Position: 9, Status: "RJCT"}})
	var amounts []string
	for _, tr := range again.Request.CreditTransferTransaction {
		amounts = append(amounts, tr.InstructedAmount.Amount)
		if tr.PaymentID != nil {
			t.Error("a new payment keeps the references of the old one")
		}
	}
	if strings.Join(amounts, " ") != "2 3" || len(o.Request.CreditTransferTransaction) != 3 {
		t.Errorf("%v", amounts)
	}
}
