package finance

import (
	"encoding/json"
	"slices"
	"time"
)

// How often a bank is read while the person is not there: at most so often in so long a time (RTS 2018/389, article 36(5)(b)), for each scope of an
// account. The schedule leaves some of these reads to the person.
const (
	MostReads   = 4
	ReadsWithin = 24 * time.Hour
	KeptReads   = 1
)

// Reads are the times at which one scope of an account was read without the person, oldest first.
type Reads []time.Time

// Left returns how many more unattended reads are allowed at a time.
func (r Reads) Left(now time.Time) int { return max(0, MostReads-len(r.lately(now))) }

// Back returns when one more unattended read will be allowed than now; zero when none is used up.
func (r Reads) Back(now time.Time) time.Time {
	lately := r.lately(now)
	if len(lately) == 0 {
		return time.Time{}
	}
	return lately[max(0, len(lately)-MostReads)].Add(ReadsWithin)
}

// With returns the reads with one at now added, and without those that no longer count.
func (r Reads) With(now time.Time) Reads { return append(slices.Clip(r.lately(now)), now) }

// Without returns the reads without the latest one. It is used when that read returned nothing.
func (r Reads) Without() Reads { return r[:max(0, len(r)-1)] }

// lately returns the reads that count at a time. A read in the future, from a clock that ran ahead, does not count.
func (r Reads) lately(now time.Time) Reads {
	return slices.DeleteFunc(slices.Clone(r), func(at time.Time) bool { return at.After(now) || now.Sub(at) >= ReadsWithin })
}

// slots are the hours, in UTC, at which the schedule reads: before the day begins in Europe, around noon, and when it is over. Details, which hardly
// change, are read in the first.
var slots = []int{4, 12, 20}

// soonest is how long after a read the schedule reads again at the earliest.
const soonest = 2 * time.Hour

// NextSlot is when the schedule reads a scope again, spread over a time so that not all accounts are read at once: in the next slot that leaves KeptReads
// to the person. spread is from 0 to 1.
func (r Reads) NextSlot(now time.Time, scope Scope, spread float64) time.Time {
	hours := slots
	if scope == ScopeDetails {
		hours = slots[:1]
	}
	jitter := time.Duration(spread * float64(time.Hour))
	day := now.UTC().Truncate(24 * time.Hour)
	for {
		for _, hour := range hours {
			at := day.Add(time.Duration(hour)*time.Hour + jitter)
			if at.Sub(now) >= soonest && r.Left(at) > KeptReads {
				return at
			}
		}
		day = day.AddDate(0, 0, 1)
	}
}

// MarshalText writes the reads as they are stored.
func (r Reads) MarshalText() ([]byte, error) {
	if len(r) == 0 {
		return nil, nil
	}
	return json.Marshal([]time.Time(r))
}

// UnmarshalText reads what MarshalText has written.
func (r *Reads) UnmarshalText(text []byte) error {
	*r = nil
	if len(text) == 0 {
		return nil
	}
	return json.Unmarshal(text, (*[]time.Time)(r))
}
