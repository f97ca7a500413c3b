package paymentrules

import (
	"time"

	"florin/internal/openbanking"
)

const day = 24 * time.Hour

// dates checks when a transfer is executed, and how often (spec: Payment request).
func (c *checker) dates(path string, t openbanking.CreditTransferTransaction) {
	instant := c.kind.PaymentType == openbanking.PaymentTypeInstSEPA
	first := c.today
	if t.RequestedExecutionDate != nil {
		if date, ok := c.date(path+".requested_execution_date", *t.RequestedExecutionDate); ok {
			first = later(first, date)
			c.execution(path+".requested_execution_date", date, instant)
		}
	}
	if t.EndDate != nil {
		end, ok := c.date(path+".end_date", *t.EndDate)
		switch {
		case t.Frequency == nil:
			c.fault(path+".end_date", "is of a standing order alone; give its frequency too")
		case ok && end.Before(first):
			c.fault(path+".end_date", "is before the first execution, on %s", openbanking.DateOf(first))
		}
	}
	if t.ExecutionRule != nil && t.Frequency == nil {
		c.fault(path+".execution_rule", "is of a standing order alone; give its frequency too")
	}
	switch {
	case t.Frequency == nil:
	case instant:
		c.fault(path+".frequency", "is not possible: an instant payment is executed at once, and once")
	case c.bulk():
		c.fault(path+".frequency", "is not possible: a bulk is executed once; a standing order is a payment of its own")
	}
}

// execution checks the date of the (first) execution.
func (c *checker) execution(path string, date time.Time, instant bool) {
	ahead := int(date.Sub(c.today) / day) // far beyond every period where the difference is
	switch most := c.kind.RequestedExecutionDateMaxPeriod; {
	case instant:
		c.fault(path, "is not possible: an instant payment is executed at once")
	case !stated(c.kind.RequestedExecutionDateSupported):
		c.fault(path, "is not supported by the ASPSP for this payment type; leave it out")
	case ahead < 0:
		c.fault(path, "is in the past; today is %s", openbanking.DateOf(c.today))
	case most != nil && ahead > *most:
		c.fault(path, "is %s ahead; the ASPSP takes at most %s, until %s", count(ahead, "day"), count(*most, "day"), openbanking.DateOf(c.today.AddDate(0, 0, *most)))
	}
}

func (c *checker) date(path string, d openbanking.Date) (time.Time, bool) {
	date, err := d.Time()
	if err != nil {
		c.fault(path, "is %s", err)
	}
	return date, err == nil
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
