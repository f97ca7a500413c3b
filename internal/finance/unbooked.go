package finance

import (
	"slices"
	"time"

	"florin/internal/money"
	"florin/internal/openbanking"
)

// Unbooked is a transfer that a bank carries out and that an account does not have yet: its balance is without it.
type Unbooked struct {
	PaymentID string
	AccountID string
	Amount    money.Amount // negative where it leaves the account
	News      time.Time    // when the service last reported something new about its payment
}

// Credit is a booking of money that came to an account.
type Credit struct {
	AccountID string
	Amount    money.Amount
	FirstSeen time.Time
}

// CarriedOutStatuses are those by which a bank says that it carries a payment out now, or has done so: its booking comes any moment.
func CarriedOutStatuses() []openbanking.PaymentStatus {
	return []openbanking.PaymentStatus{openbanking.PaymentStatusACSP, openbanking.PaymentStatusACSC, openbanking.PaymentStatusACCC}
}

// UnbookedFor is how long after the last news a transfer counts as unbooked: a bank books within so many days, or in a way that is not recognised.
const UnbookedFor = bookedAfter * 24 * time.Hour

// UnbookedTransfers lists the transfers of payments whose bookings may come any day now, as BookingExpected has it: those that leave an account, and those that
// come to an account of the same person, own. held are the bookings that were found, credits those that came to own accounts since; each is that of one
// transfer.
func UnbookedTransfers(payments []SentPayment, held []BookingMatch, own []Account, credits []Credit, now time.Time) []Unbooked {
	today := openbanking.DateOf(now)
	credits = slices.Clone(credits)
	var all []Unbooked
	for i := range payments {
		p := &payments[i]
		if !slices.Contains(CarriedOutStatuses(), p.Progress.Status) || now.Sub(p.Progress.Changed) >= UnbookedFor {
			continue
		}
		for _, w := range p.wanted(now) {
			if w.void || w.Total || w.from > today || today > w.until {
				continue
			}
			u := Unbooked{PaymentID: p.ID, AccountID: p.Order.AccountID, Amount: w.amounts[0].Neg(), News: p.Progress.Changed}
			if u.AccountID != "" && !w.filled(held) {
				all = append(all, u)
			}
			for _, a := range own {
				if w.account.Number == "" || w.account.Number != compactNumber(a.IBAN) || a.Currency != w.amounts[0].Currency() {
					continue
				}
				if i := slices.IndexFunc(credits, func(c Credit) bool {
					return c.AccountID == a.ID && c.Amount == w.amounts[0] && !c.FirstSeen.Before(p.Sent)
				}); i >= 0 {
					credits = slices.Delete(credits, i, i+1) // it is that of this transfer
					continue
				}
				all = append(all, Unbooked{PaymentID: p.ID, AccountID: a.ID, Amount: w.amounts[0], News: p.Progress.Changed})
			}
		}
	}
	return all
}

// afterNews are the delays after news of a payment at which an account is read as long as the booking is missing.
var afterNews = []time.Duration{0, time.Minute, 5 * time.Minute, 30 * time.Minute}

// Awaits reports whether the task is due at time now because the booking of a payment is missing on its account, and when to check next; zero when never.
// attended says that the bank will see that the person is present. An unattended read waits for grace first, in case the person arrives, and leaves
// KeptReads reads for later.
func (t SyncTask) Awaits(u Unbooked, now time.Time, attended bool, grace time.Duration) (due bool, next time.Time) {
	if attended {
		grace = 0
	}
	for _, after := range afterNews {
		at := u.News.Add(after)
		if !t.tried().Before(at) {
			continue // it was done since
		}
		if at = at.Add(grace); at.After(now) {
			return due, at
		}
		due = t.Scope != ScopeDetails && t.Refreshable(now, attended) && !t.Busy(now) && (attended || t.Reads.Left(now) > KeptReads)
	}
	return due, time.Time{}
}
