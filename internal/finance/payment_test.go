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
	p := Payment{Phase: PhaseCreated, PaymentID: "p", Approval: Approval{URL: "https://bank.example", Status: auth, Source: NewsWebhook},
		Progress: Progress{Status: status, Changed: noon.Add(-time.Minute)}, Order: PaymentOrder{ASPSP: openbanking.ASPSP{Name: "Nordbank", Country: "FI"}}}
	p.Progress.Reached[StepCreated] = noon.Add(-time.Minute)
	return p
}

// Each status has its step, its tone and its kind of story; facts are weighed in the order that Payment.Story says.
func TestStoryTable(t *testing.T) {
	const fin, failed, cancelled, pending = openbanking.PaymentAuthStatusFinalised, openbanking.PaymentAuthStatusFailed,
		openbanking.PaymentAuthStatusCancelled, openbanking.PaymentAuthStatusPending
	with := func(p Payment, change func(p *Payment)) Payment { change(&p); return p }
	final := func(p *Payment) { p.Progress.Final = true }
	onDay := func(asked, now openbanking.Date) func(p *Payment) {
		return func(p *Payment) {
			p.Order.Request.CreditTransferTransaction = []openbanking.CreditTransferTransaction{{RequestedExecutionDate: &asked}}
			p.Progress.ReadBack.CreditTransferTransaction = []openbanking.CreditTransferTransactionDetails{{
				CreditTransferTransaction: openbanking.CreditTransferTransaction{RequestedExecutionDate: &now}}}
		}
	}
	cases := []struct {
		name    string
		p       Payment
		step    Step
		tone    Tone
		kind    StoryKind
		over    bool
		noMoney bool
	}{
		{"authorisation absent", paid("PDNG", ""), StepCreated, ToneNeutral, StoryToApprove, false, false},
		{"authorisation absent, RCVD", paid("RCVD", ""), StepCreated, ToneNeutral, StoryToApprove, false, false},
		{"the way to the bank was lost", with(paid("PDNG", ""), func(p *Payment) { p.Approval.URL = "" }), StepCreated, ToneNeutral, StoryToApprove, false, false},
		{"authorisation pending", paid("PDNG", pending), StepCreated, ToneActive, StoryApproving, false, false},
		{"authorisation cancelled", paid("PDNG", cancelled), StepCreated, ToneGrey, StoryApprovalCancelled, false, true},
		{"authorisation cancelled, CNCL", with(paid("CNCL", cancelled), final), StepCreated, ToneGrey, StoryApprovalCancelled, true, true},
		{"authorisation failed", paid("PDNG", failed), StepCreated, ToneRed, StoryApprovalFailed, false, true},
		{"authorisation failed, RJCT", with(paid("RJCT", failed), final), StepCreated, ToneRed, StoryApprovalFailed, true, true},
		{"RCVD, approved", paid("RCVD", fin), StepApproved, ToneActive, StoryReceived, false, false},
		{"PDNG, approved, and the bank cannot be asked", with(paid("PDNG", fin), func(p *Payment) {
			p.Approval.Source, p.Check.Error.Code = NewsReturn, "ASPSP_ERROR"
		}), StepApproved, ToneAmber, StoryUnconfirmed, false, false},
		{"PDNG, approved by the word of a webhook", with(paid("PDNG", fin), func(p *Payment) {
			p.Approval.Source, p.Check.Error.Code = NewsWebhook, "ASPSP_ERROR"
		}), StepApproved, ToneActive, StoryChecking, false, false},
		{"PDNG, approved", paid("PDNG", fin), StepApproved, ToneActive, StoryChecking, false, false},
		{"ACTC", paid("ACTC", fin), StepAccepted, ToneActive, StoryFormatChecked, false, false},
		{"ACCP", paid("ACCP", fin), StepAccepted, ToneActive, StoryPayerChecked, false, false},
		{"ACSP", paid("ACSP", fin), StepAccepted, ToneActive, StoryExecuting, false, false},
		{"ACPT", paid("ACPT", fin), StepAccepted, ToneActive, StoryAccepted, false, false},
		{"ACWC", paid("ACWC", fin), StepAccepted, ToneAmber, StoryChanged, false, false},
		{"ACWP", paid("ACWP", fin), StepAccepted, ToneAmber, StoryNotCredited, false, false},
		{"ACSC", with(paid("ACSC", fin), final), StepSent, ToneGood, StorySent, true, false},
		{"ACSC, instant", with(paid("ACSC", fin), func(p *Payment) { p.Progress.Final, p.Order.Type = true, openbanking.PaymentTypeInstSEPA }), StepSent,
			ToneGood, StorySent, true, false},
		{"ACSC where only ACCC is a success", with(paid("ACSC", fin), func(p *Payment) { p.Order.Successful = []openbanking.PaymentStatus{"ACCC"} }), StepSent,
			ToneActive, StorySent, false, false},
		{"ACSC, final, where only ACCC is a success",
			with(paid("ACSC", fin), func(p *Payment) { p.Progress.Final, p.Order.Successful = true, []openbanking.PaymentStatus{"ACCC"} }), StepSent, ToneAmber,
			StorySent, true, false},
		{"ACCC", with(paid("ACCC", fin), final), StepArrived, ToneGood, StoryArrived, true, false},
		{"PART", paid("PART", fin), StepAccepted, ToneAmber, StoryPartly, false, false},
		{"RJCT", with(paid("RJCT", fin), func(p *Payment) { p.Progress.Final, p.Progress.Reason.Code = true, "AM04" }), StepApproved, ToneRed, StoryRejected,
			true, true},
		{"CNCL", with(paid("CNCL", fin), final), StepApproved, ToneGrey, StoryCancelled, true, true},
		{"CNCL, never approved", with(paid("CNCL", ""), final), StepCreated, ToneGrey, StoryCancelled, true, true},
		{"unknown status", paid("WHAT", fin), StepApproved, ToneAmber, StoryOtherStatus, false, false},

		{"a terse bank, final at ACSP", with(paid("ACSP", fin),
			func(p *Payment) { p.Progress.Final, p.Order.Successful = true, []openbanking.PaymentStatus{"ACSP"} }), StepAccepted, ToneGood, StoryHandedOver, true,
			false},
		{"final, and no success", with(paid("ACTC", fin), final), StepAccepted, ToneAmber, StoryNoNews, true, false},
		{"final, never approved", with(paid("PDNG", ""), final), StepCreated, ToneAmber, StoryNoNews, true, false},
		{"final in a cancellation", with(paid("ACSP", fin), func(p *Payment) { p.Progress.Final, p.Progress.Cancellation = true, "ACCR" }), StepAccepted,
			ToneAmber, StoryNoNews, true, false},
		{"six days of silence", with(paid("ACSP", fin), func(p *Payment) {
			p.Progress.Changed = noon.Add(-silence)
			p.Progress.Reached[StepCreated] = p.Progress.Changed
		}), StepAccepted, ToneAmber, StorySilent, false, false},
		{"a little less", with(paid("ACSP", fin), func(p *Payment) {
			p.Progress.Changed = noon.Add(-silence + time.Second)
			p.Progress.Reached[StepCreated] = p.Progress.Changed
		}), StepAccepted, ToneActive, StoryExecuting, false, false},
		{"silence before a date to come", with(paid("ACCP", fin), func(p *Payment) {
			p.Progress.Changed = noon.Add(-30 * 24 * time.Hour)
			p.Progress.Reached[StepCreated] = p.Progress.Changed
			p.Order.Request.CreditTransferTransaction = []openbanking.CreditTransferTransaction{{RequestedExecutionDate: new(openbanking.Date("2026-12-24"))}}
		}), StepAccepted, ToneNeutral, StoryScheduled, false, false},
		{"on its day", with(paid("ACCP", fin), onDay("2026-11-20", "")), StepAccepted, ToneActive, StoryPayerChecked, false, false},
		{"a day to come, approved", with(paid("PDNG", fin), onDay("2026-11-22", "")), StepApproved, ToneActive, StoryChecking, false, false},
		{"a day to come, not approved", with(paid("PDNG", ""), onDay("2026-11-22", "")), StepCreated, ToneNeutral, StoryToApprove, false, false},
		{"a day to come, rejected", with(paid("RJCT", fin), onDay("2026-11-22", "")), StepApproved, ToneRed, StoryRejected, false, true},
		{"ACWC, the day moved", with(paid("ACWC", fin), onDay("2026-11-22", "2026-11-23")), StepAccepted, ToneAmber, StoryChanged, false, false},
		{"a day to come, accepted", with(paid("ACTC", fin), onDay("2026-11-22", "")), StepAccepted, ToneNeutral, StoryScheduled, false, false},
		{"a day to come, being carried out", with(paid("ACSP", fin), onDay("2026-11-22", "")), StepAccepted, ToneNeutral, StoryScheduled, false, false},
		{"a day to come, a terse bank", with(paid("ACSP", fin), func(p *Payment) {
			onDay("2026-11-22", "")(p)
			p.Progress.Final, p.Order.Successful = true, []openbanking.PaymentStatus{"ACSP"}
		}), StepAccepted, ToneGood, StoryScheduled, true, false},
		{"moved to today", with(paid("ACSP", fin), onDay("2026-11-15", "2026-11-20")), StepAccepted, ToneActive, StoryExecuting, false, false},

		{"rule 1: carrying out is not hidden by an authorisation", paid("ACSP", failed), StepAccepted, ToneActive, StoryExecuting, false, false},
		{"rule 1: settlement is not hidden", with(paid("ACSC", cancelled), final), StepSent, ToneGood, StorySent, true, false},
		{"rule 1: arrival is not hidden", paid("ACCC", pending), StepArrived, ToneGood, StoryArrived, false, false},
		{"rule 1: a part is not hidden", paid("PART", failed), StepAccepted, ToneAmber, StoryPartly, false, false},
		{"rule 2: a cancelled authorisation before a later status", paid("ACTC", cancelled), StepCreated, ToneGrey, StoryApprovalCancelled, false, true},
		{"rule 2, from the return alone: a later status proves the approval",
			with(paid("ACTC", cancelled), func(p *Payment) { p.Approval.Source = NewsReturn }), StepAccepted, ToneActive, StoryFormatChecked, false, false},
		{"rule 2, from the return, while nothing else is known", with(paid("PDNG", cancelled), func(p *Payment) { p.Approval.Source = NewsReturn }),
			StepCreated, ToneGrey, StoryApprovalCancelled, false, true},
		{"rule 2, failed, from the return", with(paid("RCVD", failed), func(p *Payment) { p.Approval.Source = NewsReturn }), StepCreated, ToneRed,
			StoryApprovalFailed, false, true},
		{"rule 2, from the return, and the bank says so, too",
			with(paid("CNCL", cancelled), func(p *Payment) { p.Approval.Source, p.Progress.Final = NewsReturn, true }), StepCreated, ToneGrey,
			StoryApprovalCancelled, true, true},
		{"rule 4: a later status proves the approval", paid("ACTC", pending), StepAccepted, ToneActive, StoryFormatChecked, false, false},
		{"rule 4: without any authorisation", paid("ACCP", ""), StepAccepted, ToneActive, StoryPayerChecked, false, false},

		{"draft", Payment{Phase: PhaseDraft}, StepNone, ToneNeutral, StoryDraft, false, false},
		{"sending", Payment{Phase: PhaseSending}, StepNone, ToneActive, StorySending, false, false},
		{"unknown", Payment{Phase: PhaseUnknown}, StepNone, ToneAmber, StoryUnknown, false, false},
		{"unknown after the bank was asked", Payment{Phase: PhaseUnknown, Failure: Failure{Code: "ASPSP_ERROR"}}, StepNone, ToneAmber, StoryUnknown, false, false},
		{"unknown until nobody could approve it", Payment{Phase: PhaseFailed, Failure: Failure{Code: FailureLapsed}}, StepNone, ToneGrey, StoryLapsed, true, true},
		{"failed", Payment{Phase: PhaseFailed}, StepNone, ToneRed, StoryNotCreated, true, true},
		{"not reached", Payment{Phase: PhaseFailed, Failure: Failure{Code: FailureUnreachable}}, StepNone, ToneRed, StoryNotCreated, true, true},
		{"discarded", Payment{Phase: PhaseDiscarded}, StepNone, ToneGrey, StoryDiscarded, true, true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := c.p.Story(noon)
			if s.Step != c.step || s.Tone != c.tone || s.Kind != c.kind || s.Over != c.over || s.NoMoney != c.noMoney {
				t.Errorf("step %d, %s, %s, over %v, no money %v", s.Step, s.Tone, s.Kind, s.Over, s.NoMoney)
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
		}{{"PDNG", NewsReturn, false, false}, {"RCVD", NewsReturn, false, false}, {"CNCL", NewsReturn, true, true}, {"RJCT", NewsReturn, true, true},
			{"PDNG", NewsReturn, true, true}, {"PDNG", NewsWebhook, false, true}} {
			p := paid(c.status, auth)
			p.Approval.Source, p.Progress.Final = c.source, c.final
			if s := p.Story(noon); s.Retry != c.retry || p.Waiting() == c.retry {
				t.Errorf("%s by %s, %s, final %v: retry %v, waiting %v", auth, c.source, c.status, c.final, s.Retry, p.Waiting())
			}
		}
	}
}

// A day to come is told with the payment for as long as nothing speaks against it.
func TestDayToCome(t *testing.T) {
	for _, c := range []struct {
		status openbanking.PaymentStatus
		auth   openbanking.PaymentAuthStatus
		want   openbanking.Date
	}{{"ACCP", "FINALISED", "2026-12-01"}, {"ACWC", "FINALISED", "2026-12-01"}, {"PDNG", "FINALISED", "2026-12-01"}, {"PDNG", "", ""},
		{"RJCT", "FINALISED", ""}, {"ACSC", "FINALISED", ""}, {"PART", "FINALISED", ""}} {
		p := paid(c.status, c.auth)
		p.Order.Request.CreditTransferTransaction = []openbanking.CreditTransferTransaction{{RequestedExecutionDate: new(openbanking.Date("2026-12-01"))}}
		if s := p.Story(noon); s.Day != c.want {
			t.Errorf("%s: %q", c.status, s.Day)
		}
		p.Approval.Source, p.Check.Error.Code = NewsReturn, "ASPSP_ERROR"
		if s := p.Story(noon); s.Kind == StoryUnconfirmed && s.Day != "" {
			t.Errorf("%s: whether the bank took it is the question, and %s is promised", c.status, s.Day)
		}
	}
}

// A line of the history tells how the payment stood then.
func TestAsOf(t *testing.T) {
	for _, c := range []struct {
		e    PaymentEvent
		want StoryKind
	}{
		{PaymentEvent{Source: NewsReturn, Status: "PDNG", Auth: "FINALISED"}, StoryChecking},
		{PaymentEvent{Source: NewsReturn, Auth: "CANCELLED"}, StoryApprovalCancelled},
		{PaymentEvent{Source: NewsWebhook, Status: "PDNG", Auth: "PENDING"}, StoryApproving},
		{PaymentEvent{Source: NewsCheck, Status: "ACSC", Final: true}, StorySent},
		{PaymentEvent{Source: NewsCheck, Status: "RJCT", Final: true, ReasonCode: "AM04"}, StoryRejected},
	} {
		p := paid("ACSC", "FINALISED") // what came later does not change the line
		p.Progress.Final, p.Progress.Cancellation = true, "ACCR"
		if got := p.AsOf(c.e); got.Kind != c.want || got.Cancellation != "" {
			t.Errorf("%v: %+v", c.e, got)
		}
	}
}

// A transfer of several is told by its own status and day.
func TestAlone(t *testing.T) {
	p := paid("PART", "FINALISED")
	p.Progress.Reason = StatusReason{Code: "AM04"}
	p.Order.Request.CreditTransferTransaction = []openbanking.CreditTransferTransaction{{}, {RequestedExecutionDate: new(openbanking.Date("2026-12-01"))}}
	for i, c := range []struct {
		status openbanking.PaymentStatus
		kind   StoryKind
		day    openbanking.Date
	}{{"ACSP", StoryExecuting, ""}, {"ACCP", StoryScheduled, "2026-12-01"}} {
		if s := p.Alone(PaymentTransfer{Position: i, Status: c.status}, noon); s.Kind != c.kind || s.Day != c.day || s.Reason != (StatusReason{}) {
			t.Errorf("transfer %d: %+v", i, s)
		}
	}
	if s := p.Alone(PaymentTransfer{Position: 0, Status: "ACSP"}, noon.Add(60*24*time.Hour)); s.Doubt {
		t.Error("one transfer is not silent by itself")
	}
}

// When the bank executes only some transactions of a bulk, the story is about these, and says how many they are and how much.
func TestStoryOfAPart(t *testing.T) {
	eur := func(minor int64) money.Amount { return money.FromMinor(minor, "EUR") }
	for _, c := range []struct {
		name   string
		status openbanking.PaymentStatus
		final  bool
		lost   int
		kind   StoryKind
		told   int
		tone   Tone
		part   Part
	}{
		{"all sent", "ACSC", true, 0, StorySent, 0, ToneGood, Part{}},
		{"half sent", "ACSC", true, 2, StorySent, 2, ToneAmber, Part{2, 4, eur(124456), eur(127506)}},
		{"all but one arrived", "ACCC", true, 1, StoryArrived, 1, ToneAmber, Part{3, 4, eur(125981), eur(127506)}},
		{"going on", "ACSP", false, 2, StoryExecuting, 2, ToneAmber, Part{2, 4, eur(124456), eur(127506)}},
		{"the others are not decided", "PART", false, 1, StoryPartly, 1, ToneAmber, Part{}},
		{"decided", "PART", true, 1, StoryPartly, 1, ToneAmber, Part{3, 4, eur(125981), eur(127506)}},
		{"handed over", "ACTC", true, 1, StoryNoNews, 1, ToneAmber, Part{}},
		{"none", "ACSC", true, 4, StorySent, 4, ToneAmber, Part{0, 4, eur(121406), eur(127506)}},
		{"rejected as a whole", "RJCT", true, 4, StoryRejected, 0, ToneRed, Part{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := paid(c.status, "FINALISED")
			p.Progress.Final, p.Total, p.Progress.Lost = c.final, eur(127506), Lost{Transfers: c.lost, Sum: eur(1525 * int64(c.lost))}
			p.Order.Request.CreditTransferTransaction = make([]openbanking.CreditTransferTransaction, 4)
			if s := p.Story(noon); s.Kind != c.kind || s.Lost != c.told || s.Tone != c.tone || s.Part != c.part {
				t.Errorf("%s, %d, %s, %v", s.Kind, s.Lost, s.Tone, s.Part)
			}
			p.Total, p.Progress.Lost.Sum = money.Amount{}, money.Amount{} // mixed currencies
			if s := p.Story(noon); s.Kind != c.kind || s.Part != (Part{Transfers: c.part.Transfers, Of: c.part.Of}) {
				t.Errorf("mixed currencies: %s, %v", s.Kind, s.Part)
			}
		})
	}
}

// A cancellation that is under way is told beside how the payment stands.
func TestCancellationIsTold(t *testing.T) {
	for _, status := range []openbanking.PaymentStatus{"PDCR", "ACCR", "PACR", "RJCR", ""} {
		p := paid("ACSP", "FINALISED")
		p.Progress.Cancellation = status
		if s := p.Story(noon); s.Cancellation != status || s.Kind != StoryExecuting {
			t.Errorf("%s: %q %s", status, s.Cancellation, s.Kind)
		}
	}
}

// No combination of facts makes the story say "sent" before ACSC, "arrived" before ACCC, or hide a cancellation. Its words have the same test in package show.
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
								s := p.Story(noon)
								told++
								fail := func(rule string) {
									t.Errorf("%s: %s side %q auth %q by %s final %v of %v after %v: %+v", rule, status, side, auth, source, final, successful, age, s)
								}
								switch {
								case s.Kind == "" || s.Tone == "" || s.Step == StepNone:
									fail("something is missing")
								case s.Kind == StorySent && status != "ACSC":
									fail("sent is ACSC")
								case s.Kind == StoryArrived && status != "ACCC":
									fail("arrived is ACCC")
								case s.Over != final:
									fail("over")
								case (s.Step == StepArrived) != (status == "ACCC") || (s.Step == StepSent) != (status == "ACSC"):
									fail("step")
								case s.NoMoney && (status == "ACSP" || status == "ACSC" || status == "ACCC" || status == "PART"):
									fail("carrying out is never hidden")
								case s.Tone == ToneGood && status != "ACCC" && !p.succeeded():
									fail("good only for a success")
								case final && s.Tone == ToneActive:
									fail("nothing is going on any more")
								case status == "RJCT" && s.Tone != ToneRed && auth != openbanking.PaymentAuthStatusCancelled && (age <= 0 || final):
									fail("rejected is red")
								case side != s.Cancellation:
									fail("cancellation")
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
			if got := string(p.Progress.Status) + "/" + string(p.Progress.Cancellation) + "/" + string(p.Approval.Status); got != c.state ||
				p.Progress.Final != c.final || changed != c.last || p.Progress.Final != p.Progress.Ended.Equal(at) {
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
	want := StepTimes{StepCreated: noon.Add(-time.Minute), StepApproved: noon.Add(time.Minute), StepAccepted: noon.Add(time.Minute),
		StepSent: noon.Add(3 * time.Minute)}
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
	o := PaymentOrder{Request: openbanking.PaymentRequestResource{CreditTransferTransaction: []openbanking.CreditTransferTransaction{{},
		{PaymentID: &openbanking.PaymentIdentification{EndToEndID: new("MINE")}}, {}}}}
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
	asked := openbanking.CreditTransferTransaction{RequestedExecutionDate: new(openbanking.Date("2026-11-21")),
		RemittanceInformation: []string{"Invoice", "7"}, ReferenceNumber: new("RF1")}
	p.Order.Request.CreditTransferTransaction = []openbanking.CreditTransferTransaction{asked, asked}
	p.Order = p.Order.Referenced("FLX")
	first, asked := p.Order.Request.CreditTransferTransaction[0], p.Order.Request.CreditTransferTransaction[1]
	if got := p.Changes(); got != nil {
		t.Errorf("before anything was read: %+v", got)
	}
	now := asked
	now.RequestedExecutionDate, now.RemittanceInformation, now.ReferenceNumber = new(openbanking.Date("2026-11-23")), []string{"Invoice 7"}, nil
	// in the order of the service
	p.Progress.ReadBack.CreditTransferTransaction = []openbanking.CreditTransferTransactionDetails{{CreditTransferTransaction: now},
		{CreditTransferTransaction: first}}
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
		{"asked for twice under one id", own, []TransferNews{{EndToEndID: "SAME"}, {EndToEndID: "SAME", TransactionID: "t3"}, {EndToEndID: "A"}},
			[]int{2, -1, 1, -1}},
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
	o := PaymentOrder{Request: openbanking.PaymentRequestResource{CreditTransferTransaction: []openbanking.CreditTransferTransaction{transfer("1"),
		transfer("2"), transfer("3")}}}.Referenced("FLX")
	again := o.FailedOnly([]PaymentTransfer{{Position: 0, Status: "ACSC"}, {Position: 1, Status: "RJCT"}, {Position: 2, Status: "CNCL"},
		{Position: 9, Status: "RJCT"}})
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
