// Package calendar produces the calendar that a person's calendar program reads: events whose ids stay the same when a payment moves, in the format of RFC
// 5545. It is pure: entries and the events known so far go in, a file comes out. docs/calendar.md describes the rules.
package calendar

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"time"

	"florin/internal/openbanking"
)

// Most is the largest number of events in a calendar.
const Most = 1000

// Always is the slack of an event that happens once, such as the end of a consent. It stays the same event however far it moves.
const Always = 1 << 20

// Entry is an event that lasts all day.
type Entry struct {
	Of    string           // its source, such as a series: several entries may have the same
	Day   openbanking.Date // the day of the event
	Slack int              // by how many days it may have moved since the last read and still be the same event
	Title string           // one line
	Text  string           // one or more lines
	Link  string           // an address with details; "" for none
}

// print returns a hash of the visible content of an entry.
func (e Entry) print() string {
	sum := sha256.New()
	for _, part := range []string{string(e.Day), e.Title, e.Text, e.Link} {
		sum.Write([]byte(part))
		sum.Write([]byte{0})
	}
	return base64.RawURLEncoding.EncodeToString(sum.Sum(nil))
}

// Event is an event as a calendar program has last read it.
type Event struct {
	UID      string
	Of       string
	Day      openbanking.Date
	Print    string    // a hash of its content
	Sequence int       // how often it has changed (RFC 5545, 3.8.7.4)
	Changed  time.Time // when its content last changed, in whole seconds
}

// Match matches entries with the events that a calendar program already knows, and makes new events for the rest, with ids from newUID. An entry matches the
// nearest event of its source within its slack; one on the same day is matched first. now is the time of new and changed events. The result has the order
// of the entries. Two entries of one source must not be on one day.
func Match(before []Event, entries []Entry, now time.Time, newUID func() string) []Event {
	type place struct {
		of  string
		day openbanking.Date
	}
	of, at := map[string][]int{}, map[place]int{} // events by source
	for i, t := range before {
		of[t.Of] = append(of[t.Of], i)
		at[place{t.Of, t.Day}] = i
	}
	after, taken := make([]Event, len(entries)), make([]bool, len(before))
	left := make([]int, 0, len(entries))
	for i, e := range entries {
		if b, same := at[place{e.Of, e.Day}]; same && !taken[b] {
			after[i], taken[b] = before[b], true
			continue
		}
		left = append(left, i)
	}
	type pair struct{ entry, event, days int }
	var pairs []pair
	for _, i := range left {
		for _, b := range of[entries[i].Of] {
			if days, ok := between(entries[i].Day, before[b].Day); !taken[b] && ok && days <= entries[i].Slack {
				pairs = append(pairs, pair{i, b, days})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(a.days, b.days) })
	for _, p := range pairs {
		if after[p.entry].UID == "" && !taken[p.event] {
			after[p.entry], taken[p.event] = before[p.event], true
		}
	}
	now = now.UTC().Truncate(time.Second)
	for i, e := range entries {
		t := &after[i]
		switch said := e.print(); {
		case t.UID == "":
			*t = Event{UID: newUID(), Of: e.Of, Day: e.Day, Print: said, Changed: now}
		case t.Print != said:
			t.Sequence++
			t.Day, t.Print = e.Day, said
			if now.After(t.Changed) { // Changed never goes back, even when the clock was set back
				t.Changed = now
			}
		}
	}
	return after
}

// between returns the number of days between two dates; ok is false when one of them is not a date.
func between(a, b openbanking.Date) (days int, ok bool) {
	first, err1 := a.Time()
	second, err2 := b.Time()
	d := int(first.Sub(second) / (24 * time.Hour))
	return max(d, -d), err1 == nil && err2 == nil
}

// Slack returns by how many days an event of a rhythm may move and still be the same: less than half of the time to the next one. It is 0 for an unknown
// rhythm.
func Slack(every openbanking.FrequencyCode) int {
	days := map[openbanking.FrequencyCode]int{openbanking.FrequencyCodeWEEK: 7, openbanking.FrequencyCodeTOWK: 14, openbanking.FrequencyCodeMNTH: 28,
		openbanking.FrequencyCodeTOMN: 59, openbanking.FrequencyCodeQUTR: 90, openbanking.FrequencyCodeSEMI: 181, openbanking.FrequencyCodeYEAR: 365}[every]
	return max(0, (days-1)/2)
}

// Cut returns the first Most entries by day. left is the number of those left out.
func Cut(entries []Entry) (kept []Entry, left int) {
	slices.SortStableFunc(entries, func(a, b Entry) int { return cmp.Compare(a.Day, b.Day) })
	if len(entries) <= Most {
		return entries, 0
	}
	return entries[:Most:Most], len(entries) - Most
}
