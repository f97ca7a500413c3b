package calendar

import (
	"bytes"
	"strconv"
	"strings"
	"unicode"

	ics "github.com/arran4/golang-ical"
)

// File describes a calendar as a whole.
type File struct {
	Name  string
	Text  string
	Hours int // after which a program should read it again
}

// MIMEType is the type of a calendar file (RFC 5545, 8.1).
const MIMEType = "text/calendar; charset=utf-8"

// Write returns the file of a calendar. events has one event for each entry, in the same order. Equal events give an equal file at any time: DTSTAMP is when
// an event last changed, as for a calendar without METHOD (RFC 5545, 3.8.7.2). Entries without a valid day are left out.
func Write(f File, entries []Entry, events []Event) ([]byte, error) {
	c := &ics.Calendar{}
	c.SetVersion("2.0")
	c.SetProductId("-//Florin//Calendar//EN")
	c.SetCalscale("GREGORIAN")
	c.SetName(line(f.Name)) // writes NAME (RFC 7986) and X-WR-CALNAME
	c.SetDescription(lines(f.Text))
	c.SetXWRCalDesc(lines(f.Text))
	every := "PT" + strconv.Itoa(f.Hours) + "H"
	c.SetRefreshInterval(every) // RFC 7986; the library also writes its type
	c.SetXPublishedTTL(every)
	for i, e := range entries {
		day, err := e.Day.Time()
		if err != nil {
			continue
		}
		t := events[i]
		event := ics.NewEvent(t.UID)
		event.SetDtStampTime(t.Changed)
		event.SetLastModifiedAt(t.Changed)
		event.SetSequence(t.Sequence)
		event.SetAllDayStartAt(day)
		event.SetAllDayEndAt(day.AddDate(0, 0, 1)) // the first day after it (RFC 5545, 3.6.1)
		event.SetSummary(line(e.Title))
		if e.Text != "" {
			event.SetDescription(lines(e.Text))
		}
		if e.Link != "" {
			event.SetURL(e.Link)
		}
		event.SetClass(ics.ClassificationPrivate)
		event.SetTimeTransparency(ics.TransparencyTransparent) // the person is not shown as busy
		c.AddVEvent(event)
	}
	var b bytes.Buffer
	err := c.SerializeTo(&b, ics.WithNewLineWindows)
	return b.Bytes(), err
}

// line joins a text into one line without control characters, which values must not contain (RFC 5545, 3.1).
func line(text string) string { return strings.Join(strings.Fields(lines(text)), " ") }

// lines removes invalid UTF-8 and control characters from a text. Each line ends in a line feed.
func lines(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\r', r == '\u2028', r == '\u2029':
			return '\n'
		case r == '\t':
			return ' '
		case r != '\n' && unicode.IsControl(r), r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, text)
}
