package finance

import (
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

// nth returns the date of the n-th execution, counted from 0, before any move away from a weekend. In a month that is too short it is the last day. It is
// false for an unknown frequency.
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

// Shortens reports whether some months have no day of the rhythm, so that it falls on their last day.
func (o StandingOrder) Shortens() bool {
	first, err := o.First.Time()
	if err != nil {
		return false
	}
	switch o.Frequency {
	case openbanking.FrequencyCodeDAIL, openbanking.FrequencyCodeWEEK, openbanking.FrequencyCodeTOWK:
		return false
	case openbanking.FrequencyCodeYEAR:
		return first.Month() == time.February && first.Day() == 29
	}
	return first.Day() > 28
}
