package finance

import (
	"cmp"
	"fmt"
	"time"

	"florin/internal/openbanking"
)

// StandingOrder is when a standing order is carried out (spec: Payment request).
type StandingOrder struct {
	First     openbanking.Date // requested_execution_date
	Last      openbanking.Date // end_date; "" until it is stopped
	Frequency openbanking.FrequencyCode
	Rule      openbanking.ExecutionRule // "" leaves it to the bank
}

// StandingOrderOf is the standing order of a transfer; ok is false for one that is none.
func StandingOrderOf(t openbanking.CreditTransferTransaction) (o StandingOrder, ok bool) {
	if t.Frequency == nil {
		return o, false
	}
	return StandingOrder{First: value(t.RequestedExecutionDate), Last: value(t.EndDate), Frequency: *t.Frequency, Rule: value(t.ExecutionRule)}, true
}

// Execution is one date of a standing order.
type Execution struct {
	Date  openbanking.Date // on which it is carried out as far as weekends are concerned
	Asked openbanking.Date // by the rhythm; another day when it lies on a weekend and a rule moves it
}

// HolidaysNote is said wherever dates of standing orders are: Florin knows weekends and no holidays.
const HolidaysNote = "Only weekends are counted here. Your bank also knows its holidays, and may move a date for them."

// nth is the n-th date of the rhythm, from 0. A month that is too short has it on its last day.
func (o StandingOrder) nth(first time.Time, n int) (time.Time, bool) {
	months := map[openbanking.FrequencyCode]int{openbanking.FrequencyCodeMNTH: 1, openbanking.FrequencyCodeTOMN: 2, openbanking.FrequencyCodeQUTR: 3,
		openbanking.FrequencyCodeSEMI: 6, openbanking.FrequencyCodeYEAR: 12}
	days := map[openbanking.FrequencyCode]int{openbanking.FrequencyCodeDAIL: 1, openbanking.FrequencyCodeWEEK: 7, openbanking.FrequencyCodeTOWK: 14}
	if d, ok := days[o.Frequency]; ok {
		return first.AddDate(0, 0, d*n), true
	}
	m, ok := months[o.Frequency]
	if !ok {
		return first, false
	}
	month := time.Date(first.Year(), first.Month()+time.Month(m*n), 1, 0, 0, 0, 0, time.UTC)
	last := month.AddDate(0, 1, -1).Day()
	return month.AddDate(0, 0, min(first.Day(), last)-1), true
}

// moved is a date as the rule moves it away from a weekend.
func (o StandingOrder) moved(day time.Time) time.Time {
	step := 0
	switch o.Rule {
	case openbanking.ExecutionRuleFWNG:
		step = 1
	case openbanking.ExecutionRulePREC:
		step = -1
	}
	for step != 0 && (day.Weekday() == time.Saturday || day.Weekday() == time.Sunday) {
		day = day.AddDate(0, 0, step)
	}
	return day
}

// Next are the next n executions from a day on, fewer when the order ends before. Dates that the rule moves onto one another are one.
func (o StandingOrder) Next(from openbanking.Date, n int) []Execution {
	return o.executions(from, "9999-12-31", n)
}

// Between are the executions from a day to another, both included.
func (o StandingOrder) Between(from, until openbanking.Date) []Execution {
	return o.executions(from, until, mostExecutions)
}

// mostExecutions are those of a daily order in more than a lifetime.
const mostExecutions = 100_000

func (o StandingOrder) executions(from, until openbanking.Date, n int) []Execution {
	first, err := o.First.Time()
	if err != nil {
		return nil
	}
	var all []Execution
	last := openbanking.Date("")
	for i := 0; len(all) < n && i < mostExecutions; i++ {
		day, ok := o.nth(first, i)
		if !ok || o.Last != "" && openbanking.DateOf(day) > o.Last {
			break
		}
		e := Execution{Date: openbanking.DateOf(o.moved(day)), Asked: openbanking.DateOf(day)}
		if e.Date > until {
			break
		}
		if e.Date >= from && e.Date != last {
			all = append(all, e)
		}
		last = e.Date
	}
	return all
}

// rhythms are how often a standing order is carried out, in the middle of a sentence.
var rhythms = map[openbanking.FrequencyCode]string{openbanking.FrequencyCodeDAIL: "every day", openbanking.FrequencyCodeWEEK: "every week", openbanking.FrequencyCodeTOWK: "every two weeks",
	openbanking.FrequencyCodeMNTH: "every month", openbanking.FrequencyCodeTOMN: "every two months", openbanking.FrequencyCodeQUTR: "every three months",
	openbanking.FrequencyCodeSEMI: "every six months", openbanking.FrequencyCodeYEAR: "every year"}

// Rhythm is how often the order is carried out, behind an amount: "every month"; "again and again" when that is not known.
func (o StandingOrder) Rhythm() string { return cmp.Or(rhythms[o.Frequency], "again and again") }

// Span is when the order begins and ends, behind the rhythm: "from 1 December 2026 until 1 March 2027"; without an end only when it begins.
func (o StandingOrder) Span() string {
	first, err := o.First.Time()
	if err != nil {
		return ""
	}
	span := "from " + first.Format("2 January 2006")
	if last, err := o.Last.Time(); err == nil {
		span += " until " + last.Format("2 January 2006")
	}
	return span
}

// Sentence says when the order is carried out, in one sentence: rhythm, first date, last date, and what happens when banks are closed.
func (o StandingOrder) Sentence() string {
	first, err := o.First.Time()
	if err != nil {
		return "The first date is missing."
	}
	weekday, day := first.Weekday().String(), ordinal(first.Day())
	short := ""
	if first.Day() > 28 {
		short = ", or on the last day of a shorter month"
	}
	var rhythm string
	switch o.Frequency {
	case openbanking.FrequencyCodeDAIL:
		rhythm = "Every day"
	case openbanking.FrequencyCodeWEEK:
		rhythm = "Every week on " + weekday
	case openbanking.FrequencyCodeTOWK:
		rhythm = "Every two weeks on " + weekday
	case openbanking.FrequencyCodeMNTH:
		rhythm = "Every month on the " + day + short
	case openbanking.FrequencyCodeTOMN:
		rhythm = "Every two months on the " + day + short
	case openbanking.FrequencyCodeQUTR:
		rhythm = "Every three months on the " + day + short
	case openbanking.FrequencyCodeSEMI:
		rhythm = "Every six months on the " + day + short
	case openbanking.FrequencyCodeYEAR:
		rhythm = "Every year on " + first.Format("2 January")
		if first.Month() == time.February && first.Day() == 29 {
			rhythm += ", or on the last day of February"
		}
	default:
		return "The rhythm is not known."
	}
	until := "until you stop it at your bank"
	if last, err := o.Last.Time(); err == nil {
		until = "until " + last.Format("2 January 2006")
	}
	rule := "when the bank is closed that day, the bank decides"
	switch o.Rule {
	case openbanking.ExecutionRuleFWNG:
		rule = "when the bank is closed that day, on the next working day"
	case openbanking.ExecutionRulePREC:
		rule = "when the bank is closed that day, on the working day before"
	}
	return fmt.Sprintf("%s, from %s %s; %s.", rhythm, first.Format("2 January 2006"), until, rule)
}

func ordinal(n int) string {
	suffix := "th"
	if n < 11 || n > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return fmt.Sprintf("%d%s", n, suffix)
}
