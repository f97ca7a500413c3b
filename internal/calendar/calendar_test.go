package calendar

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/emersion/go-ical"
	"pgregory.net/rapid"

	"florin/internal/openbanking"
	"florin/internal/testkit"
)

// match is Match with ids that count.
func match(before []Event, entries []Entry, now time.Time) []Event {
	n := len(before)
	return Match(before, entries, now, func() string { n++; return fmt.Sprintf("new-%d", n) })
}

func days(of string, slack int, all ...string) (entries []Entry) {
	for _, d := range all {
		entries = append(entries, Entry{Of: of, Day: openbanking.Date(d), Slack: slack, Title: "Debit"})
	}
	return entries
}

func uids(events []Event) string {
	var all []string
	for _, t := range events {
		all = append(all, fmt.Sprintf("%s %d", t.UID, t.Sequence))
	}
	return strings.Join(all, ", ")
}

var noon = time.Date(2026, 11, 23, 12, 0, 0, 5e8, time.UTC)

// An event keeps its id while its day moves, the first of a series comes and goes, and others are new.
func TestEventsKeepTheirIDs(t *testing.T) {
	t.Parallel()
	month := Slack(openbanking.FrequencyCodeMNTH)
	first := match(nil, days("rent", month, "2026-12-01", "2027-01-01", "2027-02-01"), noon)
	if got := uids(first); got != "new-1 0, new-2 0, new-3 0" || !first[0].Changed.Equal(noon.Truncate(time.Second)) {
		t.Fatalf("%s at %s", got, first[0].Changed)
	}
	for _, c := range []struct{ days, want string }{
		{"2026-12-01 2027-01-01 2027-02-01", "new-1 0, new-2 0, new-3 0"},
		{"2027-01-01 2027-02-01 2027-03-01", "new-2 0, new-3 0, new-4 0"}, // the first was booked
		{"2026-12-03 2027-01-03 2027-02-03", "new-1 1, new-2 1, new-3 1"}, // the payment moved
		{"2026-11-30 2026-12-31 2027-01-29", "new-1 1, new-2 1, new-3 1"}, // into the month before
		{"2026-12-01 2027-01-04 2027-02-01", "new-1 0, new-2 1, new-3 0"}, // one of them alone
		{"2026-12-01 2026-12-15 2027-01-01", "new-1 0, new-4 0, new-2 0"}, // one more between
		{"2026-12-16 2027-01-16 2027-02-16", "new-4 0, new-5 0, new-6 0"}, // too far away to be the same
		{"", ""},
	} {
		got := match(first, days("rent", month, strings.Fields(c.days)...), noon.Add(time.Hour))
		if uids(got) != c.want {
			t.Errorf("%q: %s, want %s", c.days, uids(got), c.want)
		}
		for _, one := range got {
			if moved := one.Sequence > 0 || !slices.ContainsFunc(first, func(t Event) bool { return t.UID == one.UID }); moved != one.Changed.After(noon) {
				t.Errorf("%q: %s changed at %s", c.days, one.UID, one.Changed)
			}
		}
	}
	if got := match(first, days("gym", month, "2026-12-01"), noon); uids(got) != "new-4 0" {
		t.Errorf("another series has the event %s", uids(got))
	}
	// The end of a consent stays one event wherever it moves; an execution of a standing order has its day.
	end := match(nil, days("consent", Always, "2026-12-01"), noon)
	if got := match(end, days("consent", Always, "2027-05-29"), noon.Add(time.Hour)); uids(got) != "new-1 1" {
		t.Errorf("a renewed consent is %s", uids(got))
	}
	// Words change an event as days do; a clock that was set back never takes a change back.
	changed := days("rent", month, "2026-12-01")
	changed[0].Title = "Debit: 850.00 EUR"
	if got := match(first, changed, noon.Add(-time.Hour)); uids(got) != "new-1 1" || got[0].Changed.Before(first[0].Changed) {
		t.Errorf("%s at %s", uids(got), got[0].Changed)
	}
}

func TestSlackIsLessThanHalfOfARhythm(t *testing.T) {
	t.Parallel()
	for code, want := range map[openbanking.FrequencyCode]int{openbanking.FrequencyCodeDAIL: 0, openbanking.FrequencyCodeWEEK: 3,
		openbanking.FrequencyCodeTOWK: 6,
		openbanking.FrequencyCodeMNTH: 13, openbanking.FrequencyCodeTOMN: 29, openbanking.FrequencyCodeQUTR: 44, openbanking.FrequencyCodeSEMI: 90,
		openbanking.FrequencyCodeYEAR: 182, "": 0} {
		if got := Slack(code); got != want {
			t.Errorf("%q: %d days, want %d", code, got, want)
		}
	}
}

// Whatever moves, each event has an id of its own, no id passes to another source, and what stays as it is stays untouched.
func TestTellHolds(t *testing.T) {
	testkit.Unwatched(t)
	at := rapid.Custom(func(t *rapid.T) []Entry {
		all := map[string]Entry{}
		for range rapid.IntRange(0, 12).Draw(t, "entries") {
			e := Entry{Of: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "of"), Slack: rapid.SampledFrom([]int{0, 3, 13, Always}).Draw(t, "slack"),
				Day:   openbanking.DateOf(noon.AddDate(0, 0, rapid.IntRange(0, 60).Draw(t, "day"))),
				Title: rapid.SampledFrom([]string{"x", "y"}).Draw(t, "title")}
			all[e.Of+string(e.Day)] = e
		}
		var entries []Entry
		for _, e := range all {
			entries = append(entries, e)
		}
		slices.SortFunc(entries, func(a, b Entry) int { return strings.Compare(a.Of+string(a.Day), b.Of+string(b.Day)) })
		return entries
	})
	rapid.Check(t, func(t *rapid.T) {
		now, n := noon, 0
		id := func() string { n++; return fmt.Sprint(n) }
		var before []Event
		for range 4 {
			entries := at.Draw(t, "calendar")
			now = now.Add(time.Hour)
			after := Match(before, entries, now, id)
			seen := map[string]bool{}
			for i, event := range after {
				if event.UID == "" || seen[event.UID] || event.Of != entries[i].Of || event.Day != entries[i].Day {
					t.Fatalf("%+v for %+v", event, entries[i])
				}
				seen[event.UID] = true
				if k := slices.IndexFunc(before, func(b Event) bool { return b.UID == event.UID }); k >= 0 {
					was := before[k]
					if same := was.Print == event.Print; same != (was.Sequence == event.Sequence) || same != was.Changed.Equal(event.Changed) ||
						was.Of != event.Of {
						t.Fatalf("%+v became %+v", was, event)
					}
				}
			}
			if again := Match(after, entries, now.Add(time.Hour), id); !slices.Equal(again, after) {
				t.Fatalf("matched again, %v became %v", after, again)
			}
			before = after
		}
	})
}

// hostile are texts as banks and people write them.
var hostile = []string{"", "Rent", "A;B,C\\D:E\"F", "two\nlines\r\nand three\rfour", "BEGIN:VEVENT\r\nUID:forged\r\nEND:VEVENT", "\x00\x07\x1b[31mbell", "👩‍👩‍👧‍👦🏴󠁧󠁢󠁥󠁮󠁧󠁿",
	"\u202eabc\u202c", "مدرسة الأمل", "a\u2028b\u0085c", "\xff\xfe", strings.Repeat("ä", 200), strings.Repeat("word ", 60), strings.Repeat("<b>", 50), strings.Repeat(" ", 90),
	strings.Repeat("\\;,", 40), "tab\tstop"}

// lawful fails unless the bytes keep RFC 5545, 3.1: lines of 75 octets at most, each ending in CRLF, no other control character, each a piece of UTF-8.
func lawful(t interface {
	Helper()
	Fatalf(string, ...any)
}, file []byte) {
	t.Helper()
	if !bytes.HasSuffix(file, []byte("\r\n")) {
		t.Fatalf("the last line does not end")
	}
	for l := range strings.SplitSeq(strings.TrimSuffix(string(file), "\r\n"), "\r\n") {
		if len(l) > 75 || l == "" || !utf8.ValidString(l) || strings.ContainsFunc(l, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			t.Fatalf("%d octets in the line %q", len(l), l)
		}
	}
}

// What is written is lawful whatever the texts hold, and another program reads what was meant.
func TestWrite(t *testing.T) {
	testkit.Unwatched(t)
	text := rapid.OneOf(rapid.SampledFrom(hostile), rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		f := File{Name: "Florin " + text.Draw(t, "name"), Text: text.Draw(t, "about"), Hours: 6}
		var entries []Entry
		for n := range rapid.IntRange(1, 5).Draw(t, "entries") {
			entries = append(entries, Entry{Of: fmt.Sprint(n), Day: openbanking.DateOf(noon.AddDate(0, 0, rapid.IntRange(0, 500).Draw(t, "day"))),
				Title: "T " + text.Draw(t, "title"), Text: text.Draw(t, "text"), Link: "https://money.example/recurring/1?a=b;c,d"})
		}
		matched := match(nil, entries, noon)
		file, err := Write(f, entries, matched)
		if err != nil {
			t.Fatal(err)
		}
		lawful(t, file)
		again, err := Write(f, entries, matched)
		if err != nil || !bytes.Equal(file, again) {
			t.Fatalf("written again it differs: %v", err)
		}
		read, err := ical.NewDecoder(bytes.NewReader(file)).Decode()
		if err != nil {
			t.Fatalf("%v\n%s", err, file)
		}
		if name, _ := read.Props.Text("NAME"); name != line(f.Name) {
			t.Fatalf("the name %q is read as %q", f.Name, name)
		}
		if about, _ := read.Props.Text("DESCRIPTION"); about != lines(f.Text) {
			t.Fatalf("the description %q is read as %q", f.Text, about)
		}
		events := read.Events()
		if len(events) != len(entries) || len(read.Children) != len(entries) {
			t.Fatalf("%d events of %d, %d parts", len(events), len(entries), len(read.Children))
		}
		for i, e := range events {
			title, _ := e.Props.Text("SUMMARY")
			said, _ := e.Props.Text("DESCRIPTION")
			link, err := e.Props.URI("URL")
			if err != nil || link.String() != entries[i].Link || title != line(entries[i].Title) || said != lines(entries[i].Text) {
				t.Fatalf("%+v is read as %q, %q, %v, %v", entries[i], title, said, link, err)
			}
			start, err1 := e.DateTimeStart(time.UTC)
			end, err2 := e.DateTimeEnd(time.UTC)
			if err1 != nil || err2 != nil || openbanking.DateOf(start) != entries[i].Day || end.Sub(start) != 24*time.Hour {
				t.Fatalf("%+v is read from %s to %s: %v, %v", entries[i], start, end, err1, err2)
			}
			stamp, err := e.Props.DateTime("DTSTAMP", time.UTC)
			if uid, _ := e.Props.Text("UID"); err != nil || uid != matched[i].UID || !stamp.Equal(noon.Truncate(time.Second)) {
				t.Fatalf("%s of %s is read as %s", matched[i].UID, noon, stamp)
			}
		}
		if err := ical.NewEncoder(new(bytes.Buffer)).Encode(read); err != nil { // which counts the properties of each event
			t.Fatal(err)
		}
	})
}

func TestFileAsItStands(t *testing.T) {
	t.Parallel()
	entries := []Entry{{Of: "a", Day: "2026-12-31", Title: "Debit: 850.00 EUR, Erika Sauer; \"Haus\"", Text: "Every month\nhttps://money.example/", Link: "https://money.example/recurring/1"},
		{Of: "b", Day: "soon", Title: "No date"}}
	file, err := Write(File{Name: "Florin", Text: "What is to come", Hours: 6}, entries, match(nil, entries, noon))
	if err != nil {
		t.Fatal(err)
	}
	want := strings.ReplaceAll(`BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//Florin//Calendar//EN
CALSCALE:GREGORIAN
NAME:Florin
X-WR-CALNAME:Florin
DESCRIPTION:What is to come
X-WR-CALDESC:What is to come
REFRESH-INTERVAL;VALUE=DURATION:PT6H
X-PUBLISHED-TTL:PT6H
BEGIN:VEVENT
UID:new-1
DTSTAMP:20261123T120000Z
LAST-MODIFIED:20261123T120000Z
SEQUENCE:0
DTSTART;VALUE=DATE:20261231
DTEND;VALUE=DATE:20270101
SUMMARY:Debit: 850.00 EUR\, Erika Sauer\; "Haus"
DESCRIPTION:Every month\nhttps://money.example/
URL:https://money.example/recurring/1
CLASS:PRIVATE
TRANSP:TRANSPARENT
END:VEVENT
END:VCALENDAR
`, "\n", "\r\n")
	if string(file) != want {
		t.Errorf("%s", file)
	}
}

// Of ten thousand entries the first ones by day are kept, and how many are left out is known.
func TestCut(t *testing.T) {
	t.Parallel()
	var entries []Entry
	for n := range 10_000 {
		entries = append(entries, Entry{Of: fmt.Sprint(n), Day: openbanking.DateOf(noon.AddDate(0, 0, (n*7919)%10_000))})
	}
	kept, left := Cut(entries)
	if len(kept) != Most || left != 10_000-Most || kept[Most-1].Day != openbanking.DateOf(noon.AddDate(0, 0, Most-1)) {
		t.Errorf("%d kept until %s, %d left out", len(kept), kept[len(kept)-1].Day, left)
	}
	if kept, left := Cut(days("a", 0, "2026-12-02", "2026-12-01")); left != 0 || kept[0].Day != "2026-12-01" {
		t.Errorf("%v, %d", kept, left)
	}
}
