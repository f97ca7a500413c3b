package payments

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/live"
	"florin/internal/openbanking"
	"florin/internal/payments"
	"florin/internal/store"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// bookedPayment is a payment with its transfers and what the bank booked for it.
type bookedPayment struct {
	finance.SentPayment
	bookings []store.PaymentBooking
}

// booked reads what belongs to a payment.
func (a *Area) booked(ctx context.Context, p finance.Payment) (b bookedPayment, err error) {
	b.Payment = p
	if b.Transfers, err = a.Store.PaymentTransfers(ctx, p.UserID, p.ID); err != nil {
		return b, err
	}
	b.bookings, err = a.Store.PaymentBookings(ctx, p.UserID, p.ID)
	return b, err
}

// receipted reports whether the payment has a receipt: the person approved it, or the bank has booked something for it.
func (b bookedPayment) receipted() bool { return b.Approved() || len(b.bookings) > 0 }

func (b bookedPayment) matches() []finance.BookingMatch {
	all := make([]finance.BookingMatch, 0, len(b.bookings))
	for _, row := range b.bookings {
		all = append(all, row.BookingMatch)
	}
	return all
}

// mostExecutions of a standing order are listed on its page.
const mostExecutions = 12

// fillBookings shows what the bank booked for a payment, and what may be it while its outcome is unknown.
func (a *Area) fillBookings(ctx context.Context, c show.Clock, b bookedPayment, story finance.Story, s *pages.PaymentStatus) error {
	b.fillTransfers(c, s.Transfers)
	for _, row := range b.bookings {
		if row.Execution != "" || len(b.Transfers) > 1 && !row.Total {
			continue // it stands with its execution, or with its transfer
		}
		s.Bookings = append(s.Bookings, bookingRow(c, row))
		s.BookingsNote = c.Say("This is what your bank booked for it.")
		switch {
		case row.File != "":
			s.BookingsNote = c.Say("Your bank booked this payment and the others of its file as one total.")
		case row.Total:
			s.BookingsNote = c.Say("Your bank booked all payments as one total.")
		}
	}
	if err := a.fillExecutions(ctx, c, b, s); err != nil {
		return err
	}
	if !story.Doubt {
		return nil
	}
	candidates, err := a.Payments.Candidates(ctx, b.UserID, b.ID)
	for _, t := range candidates {
		choose := ""
		if b.Order.OwnApp() {
			choose = strconv.FormatInt(t.ID, 10)
		}
		row := pages.BookingRow{Choose: choose, Href: bookingPath(t.AccountID, t.ID),
			Title:  cmp.Or(finance.Clean(t.Counterparty), finance.Clean(t.Remittance), c.Say("Booking")),
			Detail: c.Day(t.Date).Text, Amount: pages.Flow(t.Amount)}
		if t.File != "" {
			row.Detail = c.Say("%s, as the total of %d payments in one file", row.Detail, len(t.Payments))
		}
		s.Maybe = append(s.Maybe, row)
	}
	return err
}

// fillTransfers says with each single payment of a bulk when it was booked. rows are those of b.Transfers, or none.
func (b bookedPayment) fillTransfers(c show.Clock, rows []pages.TransferRow) {
	for i := range rows {
		for _, row := range b.bookings {
			if !b.Covers(row.BookingPlace, b.Transfers[i]) {
				continue
			}
			rows[i].Booking, rows[i].Booked = bookingPath(row.AccountID, row.BookingID), c.Say("Booked on %s", c.Day(row.Transaction.Date).Text)
			if row.Total {
				rows[i].Booking, rows[i].Booked = "", c.Say("Booked in the total on %s", c.Day(row.Transaction.Date).Text)
			}
		}
	}
}

func (a *Area) fillExecutions(ctx context.Context, c show.Clock, b bookedPayment, s *pages.PaymentStatus) error {
	if !b.Order.Standing() {
		return nil
	}
	synced, err := a.syncedAt(ctx, b.UserID, b.Order.AccountID)
	if err != nil {
		return err
	}
	for _, e := range b.Executions(b.matches(), synced, c.Now) {
		if len(s.Executions) == mostExecutions {
			s.Earlier++
			continue
		}
		row := pages.ExecutionRow{Day: c.Day(e.Date)}
		var notes []string
		if e.Asked != e.Date {
			notes = append(notes, c.Say("Moved from %s.", dayWithWeekday(c, e.Asked)))
		}
		switch e.State {
		case finance.ExecutionComing:
			row.Status = ui.Badge{Text: c.Say("Next")}
			if e.Weekend() {
				notes = append(notes, c.Say("That is a %s: your bank may pay it on a working day before or after.", c.Weekday(e.Date)))
			}
		case finance.ExecutionAwaited:
			row.Status = ui.Badge{Tone: ui.Busy, Text: c.Say("No booking yet")}
		case finance.ExecutionMissing:
			row.Status = ui.Badge{Tone: ui.Warning, Text: c.Say("No booking found")}
		case finance.ExecutionBooked:
			row.Status = ui.Badge{Tone: ui.Good, Text: c.Say("Booked")}
			for _, booking := range b.bookings {
				if booking.BookingID != e.BookingID {
					continue
				}
				row.Href = bookingPath(booking.AccountID, booking.BookingID)
				if day := booking.Transaction.Date; day != e.Date {
					notes = append(notes, c.Say("Booked on %s.", c.Day(day).Text))
				}
			}
		}
		row.Note = strings.Join(notes, " ")
		s.Executions = append(s.Executions, row)
	}
	if !b.Stopped.IsZero() {
		s.Stopped = c.Say("You noted %s that you stopped it at your bank.", c.When(b.Stopped))
	} else if len(s.Executions) > 0 && b.Approved() {
		s.Stoppable = true
	}
	return nil
}

// syncedAt is when the transactions of an account were last fetched; zero for none.
func (a *Area) syncedAt(ctx context.Context, userID, accountID string) (time.Time, error) {
	tasks, err := a.Store.Tasks(ctx, userID, "")
	for _, t := range tasks {
		if t.AccountID == accountID && t.Scope == finance.ScopeTransactions {
			return t.LastSuccess, err
		}
	}
	return time.Time{}, err
}

func bookingRow(c show.Clock, b store.PaymentBooking) pages.BookingRow {
	t := b.Transaction
	t.Payee = "" // what has to do with payments shows what the bank wrote
	title := c.TransactionName(t.Title())
	if b.Total && t.Counterparty == "" && t.Remittance == "" && t.Kind == "" {
		title = c.Say("One total")
	}
	return pages.BookingRow{Href: bookingPath(b.AccountID, b.BookingID), Title: title, Detail: c.Day(b.Transaction.Date).Text,
		Amount: pages.Flow(b.Transaction.Amount)}
}

func bookingPath(accountID string, id int64) string {
	return paths.Transaction(accountID, strconv.FormatInt(id, 10))
}

// executed names the execution that a line of the history is about.
func executed(c show.Clock, e finance.PaymentEvent) string {
	if e.Detail == "" {
		return ""
	}
	return c.Day(openbanking.Date(e.Detail)).Text
}

// seePayment records that the person has seen how the payment ended. It does nothing while the payment is open.
func (a *Area) seePayment(v *shell.Visitor, id string) error {
	news, err := a.Store.SeePayment(v.Ctx(), v.User.ID, id)
	if news {
		a.Hub.Publish(v.User.ID, live.Event{Topic: payments.Topic, ID: id})
	}
	return err
}

// seePayments removes ended payments from the first page.
func (a *Area) seePayments(v *shell.Visitor) error {
	for _, id := range v.Request.PostForm["payment"] {
		if err := a.seePayment(v, id); err != nil {
			return err
		}
	}
	v.SeeOther(paths.Accounts)
	return nil
}

// stopPayment notes that the person stopped a standing order at the bank, or that it goes on.
func (a *Area) stopPayment(v *shell.Visitor) error {
	id, goes := v.Request.PathValue("payment"), v.Field("goes") != ""
	if err := a.Store.StopPayment(v.Ctx(), v.User.ID, id, !goes); err != nil {
		return err
	}
	if goes {
		a.Flash(v, ui.Good, v.Say("The standing order is still active. Florin reminds you of it again."))
	} else {
		a.Flash(v, ui.Good, v.Say("Noted. Florin no longer reminds you of this standing order. Nothing was changed at your bank."))
	}
	a.Hub.Publish(v.User.ID, live.Event{Topic: payments.Topic, ID: id})
	v.SeeOther(paths.Payment(id))
	return nil
}

// movedBy is by how many days a bank may move a payment, over weekends and holidays.
const movedBy = 7

// ComingDays are those after today of which the first page tells what comes.
const ComingDays = 14

// Coming is what the bank carries out of a payment on a day to come.
type Coming struct {
	Day openbanking.Date
	pages.ComingRow
}

// Coming tells what is carried out today and in the next days, the nearest first.
func (a *Area) Coming(ctx context.Context, userID string) ([]Coming, error) {
	c := a.At(ctx, time.Now())
	found, err := a.Store.ComingPayments(ctx, userID, c.DayFromNow(-movedBy))
	if err != nil {
		return nil, err
	}
	var list []Coming
	for _, p := range found {
		if _, near := p.Coming(nil, c.Now, ComingDays); !near {
			continue
		}
		b := bookedPayment{SentPayment: p}
		if b.bookings, err = a.Store.PaymentBookings(ctx, userID, p.ID); err != nil {
			return nil, err
		}
		if next, ok := b.Coming(b.matches(), c.Now, ComingDays); ok {
			list = append(list, Coming{next.Date, comingRow(c, p.Payment, next)})
		}
	}
	slices.SortStableFunc(list, func(x, y Coming) int { return cmp.Compare(x.Day, y.Day) })
	return list, nil
}

func comingRow(c show.Clock, p finance.Payment, next finance.Coming) pages.ComingRow {
	row := pages.ComingRow{Href: paths.Payment(p.ID)}
	var what any = c.PaidTo(p)
	switch sum := !next.Amount.IsZero(); {
	case sum && next.Transfers > 1:
		what = words.Msg("%d payments, %s together", next.Transfers, next.Amount)
	case sum && next.Standing:
		what = words.Msg("%s to %s, standing order", next.Amount, p.Title)
	case sum:
		what = words.Msg("%s to %s#payee", next.Amount, p.Title)
	case next.Standing:
		what = words.Msg("%s, standing order", c.PaidTo(p))
	}
	row.Title = c.ComingTitle(next.Date, what)
	switch bank := bankWords(c, p); {
	case next.Weekend():
		row.Note = c.Say("That is a %s: %s may pay it on a working day before or after.", c.Weekday(next.Date), bank)
	case next.Date != next.Asked && !next.Standing:
		row.Note = c.Say("%s moved it from %s.", bank, dayWithWeekday(c, next.Asked))
	case next.Date != next.Asked:
		row.Note = c.Say("Moved from %s because of the weekend.", dayWithWeekday(c, next.Asked))
	}
	if next.Waiting {
		row.Wait = ui.Badge{Tone: ui.Warning, Text: c.Say("Waiting for your approval")}
	}
	return row
}

// dayWithWeekday is a day near today: "Saturday 3 October".
func dayWithWeekday(c show.Clock, d openbanking.Date) string {
	day, err := d.Time()
	if err != nil {
		return string(d)
	}
	return c.WeekdayOf(day, false)
}
