package finance

import (
	"cmp"
	"slices"
	"time"

	"florin/internal/money"
	"florin/internal/openbanking"
)

// ExecutionState says what is known of one execution of a standing order.
type ExecutionState int

// Values of ExecutionState.
const (
	ExecutionComing  ExecutionState = iota // its day has not come
	ExecutionBooked                        // its booking was found
	ExecutionAwaited                       // its day has come; the booking may still come
	ExecutionMissing                       // its booking should have been found
)

// PaidExecution is one execution of a standing order with its state.
type PaidExecution struct {
	Execution
	State     ExecutionState
	BookingID int64 // 0 without
}

// Days that a bank takes to book an execution, over the longest of its holidays, before it counts as missing.
const bookedWithin = 5

// Executions lists the executions of a standing order up to the next one, the latest first; nil for other payments and for one of which no money
// moves. held are the payment's bookings, and synced is when its account was last fetched, zero when it is not known which one pays. now is in the
// person's time zone.
func (p *SentPayment) Executions(held []BookingMatch, synced, now time.Time) []PaidExecution {
	if len(p.Transfers) == 0 || p.Sent.IsZero() {
		return nil
	}
	asked := p.asked(p.Transfers[0])
	order, ok := StandingOrderOf(asked)
	if !ok {
		return nil
	}
	sent, today := openbanking.DateOf(p.Sent), civilDate(now)
	order.First = cmp.Or(order.First, sent)
	goes := !p.Story(now).NoMoney && p.Stopped.IsZero()
	all := order.Between(shift(sent, -bookedBefore), shift(today, -1))
	if goes {
		all = append(all, order.Next(today, 1)...)
	}
	var list []PaidExecution
	for _, e := range all {
		x := PaidExecution{Execution: e, State: ExecutionMissing}
		i := slices.IndexFunc(held, func(m BookingMatch) bool { return m.PaymentID == p.ID && m.Execution == e.Asked })
		due := max(e.Date, sent)
		switch {
		case i >= 0:
			x.State, x.BookingID = ExecutionBooked, held[i].BookingID
		case !goes && (p.Stopped.IsZero() || due > civilDate(p.Stopped.In(now.Location()))):
			continue
		case due > today:
			x.State = ExecutionComing
		case synced.IsZero() && due < today, order.Frequency == openbanking.FrequencyCodeDAIL && weekend(e.Date):
			continue // nobody can tell, or nothing was due
		case synced.IsZero(), openbanking.DateOf(synced) < shift(due, bookedWithin):
			x.State = ExecutionAwaited
		}
		list = append(list, x)
	}
	slices.Reverse(list)
	return list
}

// Coming is what a payment takes from an account on a day that is near.
type Coming struct {
	Execution
	Amount    money.Amount // the sum; zero when currencies are mixed
	Transfers int
	Standing  bool
	Waiting   bool // for the person's approval
}

// Coming returns the next execution of the payment from today until days after today: of a standing order, or of transfers ordered for a day. now is in the
// person's time zone. ok is false when nothing is due, when the payment has failed or is done, and when the person has said that the standing order was
// stopped. held are the bookings of the payment.
func (p *SentPayment) Coming(held []BookingMatch, now time.Time, days int) (c Coming, ok bool) {
	c.Standing, c.Waiting = p.Order.Standing(), p.Waiting()
	if !p.executes(now) {
		return c, false
	}
	today := civilDate(now)
	last := shift(today, days)
	var sums []money.Amount
	ordered := p.Days()
	for _, t := range p.Transfers {
		if t.Failed() {
			continue
		}
		e, due := p.execution(t, today)
		if !c.Standing && t.Position < len(ordered) {
			e.Date = ordered[t.Position]
			due = e.Date != "" && e.Date >= today
		}
		if !due || e.Date > last || c.Date != "" && e.Date > c.Date || p.booked(t, e, held) {
			continue
		}
		if c.Date == "" || e.Date < c.Date { // what comes first counts
			c.Execution, c.Transfers, sums = e, 0, nil
		}
		c.Transfers++
		sums = append(sums, t.Amount)
	}
	if total, err := money.Sum(sums...); err == nil && len(total) == 1 {
		c.Amount = total[0]
	}
	return c, c.Transfers > 0
}

// executes reports whether the bank still executes anything of the payment.
func (p *SentPayment) executes(now time.Time) bool {
	story := p.Story(now)
	return p.Phase == PhaseCreated && !p.Hidden && p.Stopped.IsZero() && !story.NoMoney && (p.Order.Standing() || !p.Progress.Final && story.Step < StepSent) &&
		!(p.Waiting() && p.silent(now))
}

// Planned is a transfer of a payment that the bank executes on a day to come.
type Planned struct {
	Execution
	Payee  string
	To     PayeeAccount
	Amount money.Amount // above zero
}

// Planned lists every execution of the payment from today until a day: all those of a standing order, and transfers ordered for a day. now is in the
// person's time zone. It is empty when the bank executes nothing more of the payment. held are the bookings of the payment.
func (p *SentPayment) Planned(held []BookingMatch, until openbanking.Date, now time.Time) []Planned {
	if !p.executes(now) {
		return nil
	}
	var all []Planned
	today, days := civilDate(now), p.Days()
	for _, t := range p.Transfers {
		if t.Failed() {
			continue
		}
		var coming []Execution
		if order, standing := StandingOrderOf(p.asked(t)); standing {
			coming = order.Between(today, until)
		} else if e, due := p.execution(t, today); due || t.Position < len(days) {
			if t.Position < len(days) {
				e.Date = days[t.Position]
			}
			if e.Date >= today && e.Date <= until {
				coming = []Execution{e}
			}
		}
		for _, e := range coming {
			if !p.booked(t, e, held) {
				all = append(all, Planned{e, t.Payee, t.Account, t.Amount})
			}
		}
	}
	return all
}

// execution is when a transfer is next carried out, from a day on; false for one that is done as soon as possible.
func (p *SentPayment) execution(t PaymentTransfer, from openbanking.Date) (Execution, bool) {
	asked := p.asked(t)
	if order, standing := StandingOrderOf(asked); standing {
		next := order.Next(from, 1)
		if len(next) == 0 {
			return Execution{}, false
		}
		return next[0], true
	}
	day := value(asked.RequestedExecutionDate)
	return Execution{Date: day, Asked: day}, day != "" && day >= from
}

func (p *SentPayment) booked(t PaymentTransfer, e Execution, held []BookingMatch) bool {
	return slices.ContainsFunc(held, func(m BookingMatch) bool {
		return p.Covers(m.BookingPlace, t) && (m.Execution == "" || m.Execution == e.Asked)
	})
}

// Weekend reports whether the day is a Saturday or a Sunday.
func (e Execution) Weekend() bool { return weekend(e.Date) }

func weekend(d openbanking.Date) bool {
	t, err := d.Time()
	return err == nil && (t.Weekday() == time.Saturday || t.Weekday() == time.Sunday)
}

// civilDate is the day of a moment in its own time zone.
func civilDate(t time.Time) openbanking.Date { return openbanking.Date(t.Format(time.DateOnly)) }
