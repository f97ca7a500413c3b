package show

import (
	"strings"
	"testing"
	"time"

	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/web/templates/words"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// ordered is a payment that the service has had for a minute.
func ordered(status openbanking.PaymentStatus, auth openbanking.PaymentAuthStatus, changes ...func(p *finance.Payment)) finance.Payment {
	p := finance.Payment{Phase: finance.PhaseCreated, Approval: finance.Approval{URL: "https://bank.example", Status: auth, Source: finance.NewsWebhook},
		Progress: finance.Progress{Status: status, Changed: noon.Add(-time.Minute)}, Order: finance.PaymentOrder{ASPSP: openbanking.ASPSP{Name: "Nordbank"}}}
	p.Progress.Reached[finance.StepCreated] = noon.Add(-time.Minute)
	p.Order.Request.CreditTransferTransaction = make([]openbanking.CreditTransferTransaction, 1)
	for _, change := range changes {
		change(&p)
	}
	return p
}

func final(p *finance.Payment) { p.Progress.Final = true }

func onDay(day openbanking.Date) func(p *finance.Payment) {
	return func(p *finance.Payment) { p.Order.Request.CreditTransferTransaction[0].RequestedExecutionDate = &day }
}

// movedTo is a bank that carries the payment out on another day, and perhaps with another text.
func movedTo(day openbanking.Date, text ...string) func(p *finance.Payment) {
	return func(p *finance.Payment) {
		p.Progress.ReadBack.CreditTransferTransaction = []openbanking.CreditTransferTransactionDetails{{
			CreditTransferTransaction: openbanking.CreditTransferTransaction{RequestedExecutionDate: &day, RemittanceInformation: text}}}
	}
}

func phase(phase finance.Phase, failure finance.FailureCode) finance.Payment {
	return finance.Payment{Phase: phase, Failure: finance.Failure{Code: failure}, Order: finance.PaymentOrder{ASPSP: openbanking.ASPSP{Name: "Nordbank"}}}
}

// german is the German language.
func german() *words.Language { return words.Languages(words.App)[1] }

// The state of a payment is described in plain words: in a headline, in what it means, and in what comes next.
func TestPaymentWords(t *testing.T) {
	several := func(lost int) func(p *finance.Payment) {
		return func(p *finance.Payment) {
			p.Order.Request.CreditTransferTransaction = make([]openbanking.CreditTransferTransaction, 4)
			p.Progress.Lost = finance.Lost{Transfers: lost, Sum: money.FromMinor(100, "EUR")}
			p.Total = money.FromMinor(400, "EUR")
		}
	}
	for _, c := range []struct {
		p                     finance.Payment
		headline, small, next string // small and next: a part
		german                string // the headline
	}{
		{phase(finance.PhaseDraft, ""), "Draft", "Nothing has been sent.", "confirm it", "Entwurf"},
		{phase(finance.PhaseSending, ""), "Being sent", "cannot approve it yet", "a few seconds", "Wird gesendet"},
		{phase(finance.PhaseUnknown, ""), "Not known whether it was created", "never sends a payment twice", "Florin says so here",
			"Unklar, ob der Auftrag angelegt wurde"},
		{phase(finance.PhaseUnknown, "ASPSP_ERROR"), "Not known whether it was created", "never sends a payment twice", "make a new payment",
			"Unklar, ob der Auftrag angelegt wurde"},
		{phase(finance.PhaseFailed, finance.FailureLapsed), "Not carried out", "No money moved", "Make a new payment.", "Nicht ausgeführt"},
		{phase(finance.PhaseFailed, "X"), "Not created", "The banking service refused it", "Correct what is wrong", "Nicht angelegt"},
		{phase(finance.PhaseFailed, finance.FailureUnreachable), "Not created", "could not be reached", "later", "Nicht angelegt"},
		{phase(finance.PhaseDiscarded, ""), "Draft deleted", "never sent", "", "Entwurf gelöscht"},
		{ordered("PDNG", ""), "Waiting for your approval", "No money moves before you approve it.", "Approve it at Nordbank", "Wartet auf Ihre Freigabe"},
		{ordered("PDNG", "", func(p *finance.Payment) { p.Approval.URL = "" }), "Waiting for your approval", "No money moves", "can no longer be approved",
			"Wartet auf Ihre Freigabe"},
		{ordered("PDNG", "PENDING"), "Approve it at your bank", "You can leave this page", "at Nordbank", "Bei Ihrer Bank freigeben"},
		{ordered("CNCL", "CANCELLED", final), "You cancelled this payment", "No money was sent.", "", "Sie haben diese Zahlung abgebrochen"},
		{ordered("PDNG", "CANCELLED", func(p *finance.Payment) { p.Approval.Source = finance.NewsReturn }), "You cancelled this payment",
			"Florin is checking this.", "When your bank has confirmed it", "Sie haben diese Zahlung abgebrochen"},
		{ordered("RJCT", "FAILED", final), "The approval did not work", "no money was sent", "Try again.", "Die Freigabe ist fehlgeschlagen"},
		{ordered("RCVD", "FINALISED"), "Your bank has the order", "not checked it yet", "checks it", "Ihre Bank hat den Auftrag"},
		{ordered("PDNG", "FINALISED"), "Your bank is checking it", "one working day", "accepts it", "Ihre Bank prüft den Auftrag"},
		{ordered("PDNG", "FINALISED", func(p *finance.Payment) { p.Approval.Source, p.Check.Error.Code = finance.NewsReturn, "ASPSP_ERROR" }),
			"Your bank has not confirmed it yet", "Do not pay it again", "keeps asking", "Von Ihrer Bank noch nicht bestätigt"},
		{ordered("ACTC", "FINALISED"), "Details checked", "Format and approval are fine.", "checks your account", "Angaben geprüft"},
		{ordered("ACCP", "FINALISED"), "Account checked", "has not said yet", "carries it out", "Konto geprüft"},
		{ordered("ACPT", "FINALISED"), "Accepted by your bank", "from bank to bank", "carries it out", "Von Ihrer Bank angenommen"},
		{ordered("ACSP", "FINALISED"), "Being carried out", "processing it", "takes the money", "Wird ausgeführt"},
		{ordered("ACWC", "FINALISED"), "Accepted with a change", "did not say how", "carries it out", "Mit einer Änderung angenommen"},
		{ordered("ACWC", "FINALISED", onDay("2026-11-22"), movedTo("2026-11-23")), "Accepted with a change",
			"Your bank moved it from Sunday, 22 November 2026 to Monday, 23 November 2026.", "Your bank carries it out on Monday, 23 November 2026.",
			"Mit einer Änderung angenommen"},
		{ordered("ACWC", "FINALISED", onDay("2026-11-22"), movedTo("2026-11-22", "Other")), "Accepted with a change", "Your bank changed the reference.", "",
			"Mit einer Änderung angenommen"},
		{ordered("ACWC", "FINALISED", onDay("2026-11-22"), movedTo("2026-11-23", "Other")), "Accepted with a change", "It also changed the reference.", "",
			"Mit einer Änderung angenommen"},
		{ordered("ACWP", "FINALISED"), "Accepted, not yet credited", "has not booked it yet", "credits it", "Angenommen, noch nicht gutgeschrieben"},
		{ordered("ACSC", "FINALISED", final), "Sent from your account", "next working day. This is no proof that it arrived.", "reports no more",
			"Von Ihrem Konto abgebucht"},
		{ordered("ACSC", "FINALISED", func(p *finance.Payment) { p.Order.Type = openbanking.PaymentTypeInstSEPA }), "Sent from your account", "may see it now",
			"", "Von Ihrem Konto abgebucht"},
		{ordered("ACCC", "FINALISED", final), "Arrived", "credited to the payee’s account", "", "Angekommen"},
		{ordered("RJCT", "FINALISED", final, func(p *finance.Payment) { p.Progress.Reason.Code = "AM04" }), "Rejected by your bank",
			"did not carry out the payment", "Add money", "Von Ihrer Bank abgelehnt"},
		{ordered("CNCL", "FINALISED", final), "Cancelled", "Nordbank reports", "", "Storniert"},
		{ordered("WHAT", "FINALISED"), "The bank reports WHAT", "does not know this status", "", "Die Bank meldet WHAT"},
		{ordered("ACTC", "FINALISED", final), "No more news", "Nordbank reports ACTC", "", "Keine weiteren Meldungen"},
		{ordered("ACSP", "FINALISED", final, func(p *finance.Payment) { p.Order.Successful = []openbanking.PaymentStatus{"ACSP"} }), "Handed over to your bank",
			"reports no more than this", "", "An Ihre Bank übergeben"},
		{ordered("ACSP", "FINALISED", func(p *finance.Payment) {
			p.Progress.Changed = noon.AddDate(0, 0, -7)
			p.Progress.Reached[finance.StepCreated] = p.Progress.Changed
		}), "Outcome unknown", "six days", "Look at your account at Nordbank", "Ausgang unbekannt"},
		{ordered("ACCP", "FINALISED", onDay("2026-12-01")), "Scheduled for 1 December", "carries it out on Tuesday, 1 December 2026.", "To change or cancel it",
			"Geplant für den 1. Dezember"},
		{ordered("ACCP", "FINALISED", onDay("2027-02-01")), "Scheduled for 1 February 2027", "", "", "Geplant für den 1. Februar 2027"},
		{ordered("PDNG", "FINALISED", onDay("2026-12-01")), "Your bank is checking it", "", "Your bank carries it out on Tuesday, 1 December 2026.",
			"Ihre Bank prüft den Auftrag"},
		{ordered("ACCP", "FINALISED", onDay("2026-12-01"), func(p *finance.Payment) {
			p.Order.Request.CreditTransferTransaction[0].Frequency = new(openbanking.FrequencyCodeMNTH)
		}), "Starts on 1 December", "for the first time on Tuesday, 1 December 2026", "", "Beginnt am 1. Dezember"},
		{ordered("ACSC", "FINALISED", final, several(1)), "3 of 4 sent", "The payees may see it", "Your bank gave no reason for those.", "3 von 4 abgebucht"},
		{ordered("ACSC", "FINALISED", final, several(4)), "None of 4 sent", "", "", "Keine von 4 abgebucht"},
		{ordered("ACCC", "FINALISED", final, several(2)), "2 of 4 arrived", "the payees’ accounts", "", "2 von 4 angekommen"},
		{ordered("ACSP", "FINALISED", several(3)), "1 of 4 being carried out", "", "", "1 von 4 wird ausgeführt"},
		{ordered("PART", "FINALISED", several(1)), "Accepted in part", "its own status", "decides on the others", "Teilweise angenommen"},
		{ordered("PART", "FINALISED", final, several(1)), "3 of 4 accepted", "", "", "3 von 4 angenommen"},
	} {
		story := c.p.Story(noon)
		got := Clock{words.English, noon}.Payment(c.p, story)
		if got.Headline != c.headline || !strings.Contains(got.Small, c.small) || !strings.Contains(got.Next, c.next) || c.next == "" && got.Small == "" {
			t.Errorf("%s: %q, %q, %q", story.Kind, got.Headline, got.Small, got.Next)
		}
		if in := (Clock{german(), noon}).Payment(c.p, story); in.Headline != c.german || in.Small == got.Small {
			t.Errorf("%s in German: %q, %q", story.Kind, in.Headline, in.Small)
		}
	}
}

// A note beside the state tells of a cancellation, and of how many of several payments were not carried out.
func TestNotesBesideAPayment(t *testing.T) {
	for status, want := range map[openbanking.PaymentStatus]string{"PDCR": "Florin cannot", "ACCR": "withdraws the order", "PACR": "some payments go on",
		"RJCR": "the payment goes on", "": ""} {
		p := ordered("ACSP", "FINALISED", func(p *finance.Payment) { p.Progress.Cancellation = status })
		if got := (Clock{words.English, noon}).Payment(p, p.Story(noon)).Note; !strings.Contains(got, want) || (want == "") != (got == "") {
			t.Errorf("%s: %q", status, got)
		}
	}
	for lost, want := range map[int]string{1: "1 of 4 was not carried out. See the list.", 2: "2 of 4 were not carried out. See the list."} {
		p := ordered("ACSP", "FINALISED", func(p *finance.Payment) {
			p.Order.Request.CreditTransferTransaction, p.Progress.Lost.Transfers = make([]openbanking.CreditTransferTransaction, 4), lost
		})
		if got := (Clock{words.English, noon}).Payment(p, p.Story(noon)).Note; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// No combination of facts says "paid" or "sent from" before ACSC, or "arrived" before ACCC.
func TestNoWordOfSuccessTooEarly(t *testing.T) {
	for _, status := range append(openbanking.PaymentStatus("").Values(), "NEWS") {
		for _, auth := range append(openbanking.PaymentAuthStatus("").Values(), "") {
			for _, source := range []finance.NewsSource{finance.NewsWebhook, finance.NewsReturn} {
				for _, over := range []bool{false, true} {
					p := ordered(status, auth, func(p *finance.Payment) { p.Approval.Source, p.Progress.Final = source, over })
					w := Clock{words.English, noon}.Payment(p, p.Story(noon))
					said := strings.ToLower(w.Headline + " " + w.Small)
					if w.Headline == "" || w.Small == "" || status != "ACSC" && status != "ACCC" &&
						(strings.Contains(said, "paid") || strings.Contains(said, "sent from")) || status != "ACCC" && strings.Contains(w.Headline, "rrived") {
						t.Errorf("%s, approval %q by %s, final %v: %+v", status, auth, source, over, w)
					}
				}
			}
		}
	}
}

// A line of the history has the words that described the payment at its time.
func TestAsOf(t *testing.T) {
	p := ordered("ACSC", "FINALISED", final)
	for want, e := range map[string]finance.PaymentEvent{
		"Your bank is checking it":     {Source: finance.NewsReturn, Status: "PDNG", Auth: "FINALISED"},
		"Sent from your account":       {Source: finance.NewsCheck, Status: "ACSC", Final: true},
		"The bank reports NEWS":        {Source: finance.NewsCheck, Status: "NEWS"},
		"Cancellation requested":       {Source: finance.NewsCheck, Status: "PDCR"},
		"No cancellation is under way": {Source: finance.NewsCheck, Status: "NULL"},
	} {
		if got := (Clock{words.English, noon}).AsOf(p, e); got != want {
			t.Errorf("%v: %q, want %q", e, got, want)
		}
	}
}

// Each reason code has words, and says what to do next. For an unknown code the bank's own words are shown.
func TestReasons(t *testing.T) {
	c := Clock{words.English, noon}
	for code := range reasons {
		if r := c.Reason(finance.StatusReason{Code: code, Text: "bank's words"}); r.Code != code || !strings.HasSuffix(r.Text, ".") ||
			!strings.HasSuffix(r.Do, ".") || r.Said {
			t.Errorf("%s: %+v", code, r)
		}
	}
	if r := c.Reason(finance.StatusReason{Code: "am04"}); r.Code != "AM04" || r.Text != "There is not enough money on the account." || r.Said {
		t.Errorf("%+v", r)
	}
	if r := c.Reason(finance.StatusReason{Code: "ZZ99", Text: "Der \u202eKunde"}); r.Code != "ZZ99" || r.Text != "Der Kunde" || r.Do == "" || !r.Said {
		t.Errorf("%+v", r)
	}
	if r := c.Reason(finance.StatusReason{Code: "ZZ99"}); r.Text == "" || r.Said {
		t.Errorf("%+v", r)
	}
}

// A standing order is described in short sentences.
func TestStandingOrders(t *testing.T) {
	for want, o := range map[string]finance.StandingOrder{
		"Every month, from Tuesday, 1 December 2026 until you stop it at your bank. If the bank is closed on that day, it pays on the next working day.":                                                       {First: "2026-12-01", Frequency: "MNTH", Rule: "FWNG"},
		"Every two weeks, from Tuesday, 1 December 2026 until 15 January 2027. If the bank is closed on that day, it pays on the working day before.":                                                          {First: "2026-12-01", Last: "2027-01-15", Frequency: "TOWK", Rule: "PREC"},
		"Every three months, from Thursday, 31 December 2026 until you stop it at your bank. In a shorter month it is paid on the last day. If the bank is closed on that day, the bank decides when it pays.": {First: "2026-12-31", Frequency: "QUTR"},
		"Every year, from Thursday, 31 December 2026 until you stop it at your bank. If the bank is closed on that day, the bank decides when it pays.":                                                        {First: "2026-12-31", Frequency: "YEAR"},
		"Every year, from Tuesday, 29 February 2028 until you stop it at your bank. In a shorter month it is paid on the last day. If the bank is closed on that day, the bank decides when it pays.":          {First: "2028-02-29", Frequency: "YEAR"},
		"Regularly, from Tuesday, 1 December 2026 until you stop it at your bank. If the bank is closed on that day, the bank decides when it pays.":                                                           {First: "2026-12-01", Frequency: "SOON"},
		"The first date is missing.": {Frequency: "MNTH"},
	} {
		if got := (Clock{words.English, noon}).Standing(o); got != want {
			t.Errorf("%+v: %s", o, got)
		}
	}
	for want, o := range map[string]finance.StandingOrder{
		"every month, from 1 December 2026":                        {First: "2026-12-01", Frequency: "MNTH"},
		"every two weeks, from 1 December 2026 until 1 March 2027": {First: "2026-12-01", Last: "2027-03-01", Frequency: "TOWK"},
		"regularly": {Frequency: "NEWS"},
	} {
		if got := (Clock{words.English, noon}).RhythmAndSpan(o); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for code := range rhythms {
		if !openbanking.Known(code) {
			t.Errorf("%s is no rhythm", code)
		}
	}
}
