package paymentrules

import (
	"time"

	"florin/internal/openbanking"
)

const day = 24 * time.Hour

// dates checks when a transfer is executed, and how often (spec: Payment request).
func (c *checker) dates(path Field, t openbanking.CreditTransferTransaction) {
	instant := c.kind.PaymentType == openbanking.PaymentTypeInstSEPA
	first := c.today
	if t.RequestedExecutionDate != nil {
		if date, ok := c.date(path.child("requested_execution_date"), *t.RequestedExecutionDate); ok {
			first = later(first, date)
			c.execution(path.child("requested_execution_date"), date, instant)
		}
	}
	if t.EndDate != nil {
		end, ok := c.date(path.child("end_date"), *t.EndDate)
		switch {
		case t.Frequency == nil:
			c.fault(path.child("end_date"), StandingOrderOnly{})
		case ok && end.Before(first):
			c.fault(path.child("end_date"), EndBeforeFirst{First: openbanking.DateOf(first)})
		}
	}
	if t.ExecutionRule != nil && t.Frequency == nil {
		c.fault(path.child("execution_rule"), StandingOrderOnly{})
	}
	switch {
	case t.Frequency == nil:
	case instant:
		c.fault(path.child("frequency"), InstantRepeated{})
	case c.bulk():
		c.fault(path.child("frequency"), BulkRepeated{})
	}
}

// execution checks the date of the (first) execution.
func (c *checker) execution(path Field, date time.Time, instant bool) {
	ahead := int(date.Sub(c.today) / day) // far beyond every period where the difference is
	switch most := c.kind.RequestedExecutionDateMaxPeriod; {
	case instant:
		c.fault(path, InstantDate{})
	case !stated(c.kind.RequestedExecutionDateSupported):
		c.fault(path, NotSupported{})
	case ahead < 0:
		c.fault(path, PastDate{Today: openbanking.DateOf(c.today)})
	case most != nil && ahead > *most:
		c.fault(path, FarDate{Days: ahead, Most: *most, Last: openbanking.DateOf(c.today.AddDate(0, 0, *most))})
	}
}

func (c *checker) date(path Field, d openbanking.Date) (time.Time, bool) {
	date, err := d.Time()
	if err != nil {
		c.fault(path, WrongDate{})
	}
	return date, err == nil
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
