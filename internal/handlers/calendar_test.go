package handlers_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-ical"

	"florin/internal/finance"
	"florin/internal/openbanking"
)

// calendarEvent is an event as another program reads it.
type calendarEvent struct {
	uid, day, title, text, link string
	sequence                    int
	stamp                       time.Time
}

// readCalendar reads a file with a library that did not write it.
func readCalendar(t *testing.T, file string) []calendarEvent {
	t.Helper()
	c, err := ical.NewDecoder(strings.NewReader(file)).Decode()
	must(t, err)
	must(t, ical.NewEncoder(new(bytes.Buffer)).Encode(c)) // counts the properties of each event
	var all []calendarEvent
	for _, e := range c.Events() {
		var read calendarEvent
		var start, end time.Time
		var err error
		for _, p := range []struct {
			to   *string
			name string
		}{{&read.uid, "UID"}, {&read.title, "SUMMARY"}, {&read.text, "DESCRIPTION"}} {
			*p.to, err = e.Props.Text(p.name)
			must(t, err)
		}
		link, err := e.Props.URI("URL")
		must(t, err)
		if link != nil {
			read.link = link.String()
		}
		start, err = e.DateTimeStart(time.UTC)
		must(t, err)
		end, err = e.DateTimeEnd(time.UTC)
		must(t, err)
		if end.Sub(start) != 24*time.Hour {
			t.Errorf("%s takes from %s to %s", read.title, start, end)
		}
		read.stamp, err = e.Props.DateTime("DTSTAMP", time.UTC)
		must(t, err)
		read.sequence, err = e.Props.Get("SEQUENCE").Int()
		must(t, err)
		read.day = start.Format(time.DateOnly)
		all = append(all, read)
	}
	return all
}

func titles(events []calendarEvent) string {
	var all []string
	for _, e := range events {
		all = append(all, e.title)
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), " | ")
}

var calendarAddress = regexp.MustCompile(`/calendar/[A-Z0-9]{26}\.ics`)

// makeCalendar makes a calendar address in the browser of somebody, and returns its path.
func (b *browser) makeCalendar(form url.Values) string {
	b.site.t.Helper()
	again := b.post("/settings/calendar", form).has(asksAgain).again()
	again.Set("password", password)
	path := calendarAddress.FindString(b.post("/settings/calendar", again).status(http.StatusOK).has("Florin does not show it again.").body)
	if path == "" {
		b.site.t.Fatal("the page has no address")
	}
	return path
}

// program requests an address like a calendar program, without a cookie. etag is that of its last answer; "" for none.
func (s *site) program(path, etag string) *answer {
	b := s.browser()
	b.languages = "fr"
	r := b.request(http.MethodGet, path, nil)
	r.Header.Set("User-Agent", "calendar/1")
	if etag != "" {
		r.Header.Set("If-None-Match", etag)
	}
	return b.do(r)
}

// calendarSite is a site where mira has a rent, a salary, and a bank.
func calendarSite(t *testing.T) (s *site, b *browser, mira finance.User) {
	t.Helper()
	s = newSite(t)
	s.service.rows["uid-1"] = forecastRows("2500.00", "850.00", "77.77")
	mira = s.user("mira@example.org")
	b = s.signedIn("mira@example.org")
	attempt := b.start(elbe)
	b.get(s.back()).to(attempt)
	s.syncAll()
	s.findRecurring()
	return s, b, mira
}

// A person makes a calendar address, and a program reads the coming events there: each on its day, with an id that stays the same, and only what the person
// wants to show. The address needs no sign-in and creates none. All works without JavaScript.
func TestCalendar(t *testing.T) {
	t.Parallel()
	s, b, mira := calendarSite(t)
	b.get("/settings").has(`href="/settings/calendar"`)
	b.get("/settings/calendar").status(http.StatusOK).has("Make an address", "How to subscribe", "Debit expected").lacks("Turn off this address", "/calendar/")
	path := b.makeCalendar(nil)
	b.get("/settings/calendar").has("Turn off this address", "No calendar program has read it yet.").lacks(path)

	a := s.program(path, "").status(http.StatusOK)
	for name, want := range map[string]string{"Content-Type": "text/calendar; charset=utf-8", "Cache-Control": "private, max-age=0", "Referrer-Policy": "no-referrer",
		"X-Content-Type-Options": "nosniff", "Set-Cookie": "", "X-Robots-Tag": "noindex"} {
		if got := a.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	events := readCalendar(t, a.body)
	if got := titles(events); got != "Consent at a bank ends | Debit expected | Income expected" {
		t.Errorf("%s", got)
	}
	a.lacks("Sauer", "Vogel", "850", "2500", "2,500", "Elbe", "EUR", "DE89")
	ids := map[string]calendarEvent{}
	for _, e := range events {
		if ids[e.uid] = e; !strings.HasPrefix(e.link, s.url+"/") || !strings.Contains(e.text, e.link) {
			t.Errorf("%+v", e)
		}
		b.get(strings.TrimPrefix(e.link, s.url)).status(http.StatusOK)
	}
	if len(ids) != len(events) || len(events) < 10 {
		t.Errorf("%d events with %d ids", len(events), len(ids))
	}
	if i := slices.IndexFunc(events, func(e calendarEvent) bool { return strings.Contains(e.link, "/connections/") }); i < 0 ||
		events[i].day != time.Now().UTC().AddDate(0, 0, 180).Format(time.DateOnly) &&
			events[i].day != time.Now().UTC().AddDate(0, 0, 179).Format(time.DateOnly) {
		t.Errorf("the consent is not in it, or ends on another day: %+v", events)
	}
	if again := s.program(path, ""); again.body != a.body || again.Header.Get("ETag") != a.Header.Get("ETag") {
		t.Error("the second answer differs from the first")
	}
	if same := s.program(path, a.Header.Get("ETag")).status(http.StatusNotModified); same.body != "" || same.Header.Get("ETag") != a.Header.Get("ETag") {
		t.Errorf("304 with %q", same.body)
	}
	s.program(path, `"other"`).status(http.StatusOK)
	if head := s.browser().do(s.browser().request(http.MethodHead, path, nil)).status(http.StatusOK); head.body != "" || head.Header.Get("ETag") == "" {
		t.Errorf("HEAD answers %q", head.body)
	}
	b.get("/settings/calendar").has("A calendar program last read it at")

	// A browser in which somebody is signed in gets the same calendar as any other program.
	if own := b.get(path).status(http.StatusOK); own.Header.Get("Set-Cookie") != "" || own.body != a.body {
		t.Error("a browser gets another calendar")
	}
	b.post(path, nil).status(http.StatusMethodNotAllowed)

	// The rent moves by three days: the same events on other days.
	stamp := time.Now().UTC().Truncate(time.Second)
	s.exec(`UPDATE recurring_series SET anchor = date(anchor, '+3 days'), month_day = CAST(strftime('%d', date(anchor, '+3 days')) AS INTEGER) WHERE usual = -85000`)
	moved := readCalendar(t, s.program(path, a.Header.Get("ETag")).status(http.StatusOK).body)
	changed := 0
	for _, e := range moved {
		was, known := ids[e.uid]
		switch {
		case !known && len(moved) <= len(events): // only a longer list may have an event that is new
			t.Errorf("%+v is new", e)
		case known && was.day != e.day:
			if changed++; e.sequence != 1 || e.stamp.Before(stamp) || was.title != e.title {
				t.Errorf("%+v became %+v", was, e)
			}
		case known && (e.sequence != 0 || !e.stamp.Equal(was.stamp)):
			t.Errorf("%+v became %+v", was, e)
		}
	}
	if changed < 4 {
		t.Errorf("%d events moved", changed)
	}

	// A renewed consent is the same event on another day, even after a restart of Florin.
	s.exec(`UPDATE connection SET valid_until = '2027-02-03T10:00:00.000Z'`)
	if _, err := s.store.Calendar(t.Context(), mira.ID); err != nil {
		t.Fatal(err)
	}
	for _, e := range readCalendar(t, s.program(path, "").status(http.StatusOK).body) {
		if was, known := ids[e.uid]; strings.Contains(e.link, "/connections/") && (!known || was.link != e.link || e.sequence != 1 || e.day != "2027-02-03") {
			t.Errorf("%+v became %+v", was, e)
		}
	}
	if log := s.log.String(); !strings.Contains(log, `route="GET /calendar/{file}"`) || strings.Contains(log, strings.TrimSuffix(strings.TrimPrefix(path, "/calendar/"), ".ics")) {
		t.Error("the log lacks the route, or holds the token")
	}
}

// The calendar holds what the person chose, in the person's language. Hostile names are shown as text.
func TestCalendarTellsWhatIsWanted(t *testing.T) {
	t.Parallel()
	s, b, mira, account := paySite(t)
	s.sendOrder(t, mira, account, everyWeek("ACME GmbH", frenchACME, "12.30", 3))
	s.sendOrder(t, mira, account, onDay("Jan; Novak, Söhne & Co", frenchACME, "5.00", 4))
	day := openbanking.DateOf(time.Now().UTC().AddDate(0, 0, 5))
	both := []openbanking.CreditTransferTransaction{transferOf("Ada", frenchACME, "1.00"), transferOf("Bo", frenchACME, "2.50")}
	both[0].RequestedExecutionDate, both[1].RequestedExecutionDate = &day, &day
	s.sendOrder(t, mira, account, orderOf(openbanking.PaymentTypeBulkSEPA, both...))
	path := b.makeCalendar(url.Values{"amounts": {"yes"}, "names": {"yes"}})
	file := s.program(path, "").status(http.StatusOK).body
	events := readCalendar(t, file)
	want := "Consent at a bank ends: Elbe Sparbank | Payment that you ordered: 3.50 EUR, 2 transfers | Payment that you ordered: 5.00 EUR, Jan; Novak, Söhne & Co | Your standing order: 12.30 EUR, ACME GmbH"
	if got := titles(events); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if weeks := strings.Count(file, "Your standing order"); weeks != 26 {
		t.Errorf("%d executions in 180 days", weeks)
	}
	for _, e := range events {
		if strings.HasPrefix(e.title, "Consent") && !strings.Contains(e.link, "/link/bank?") {
			t.Errorf("the consent leads to %s", e.link)
		}
	}
	for _, c := range []struct {
		form    url.Values
		has     string
		lacking []string
	}{
		{url.Values{"amounts": {"yes"}}, "Your standing order: 12.30 EUR", []string{"ACME", "Novak", "Elbe"}},
		{url.Values{"names": {"yes"}}, "Your standing order: ACME GmbH", []string{"12.30", "5.00", "EUR"}},
		{nil, "SUMMARY:Your standing order\r\n", []string{"12.30", "5.00", "EUR", "ACME", "Novak", "Elbe"}},
	} {
		b.post("/settings/calendar/choice", c.form).to("/settings/calendar")
		s.program(path, "").status(http.StatusOK).has(c.has).lacks(c.lacking...)
	}
	b.get("/settings/calendar").has("Saved. The calendar program shows it when it asks next.")
	b.post("/settings/language", url.Values{"language": {"de"}})
	s.program(path, "").status(http.StatusOK).has("Dauerauftrag", "Einwilligung bei einer Bank endet", "Hier erneuern")
}

// A payment that the person sends in the bank's app is on its day, and stays there when the day has passed. One without a day is not in the calendar.
func TestCalendarHasHandedPayments(t *testing.T) {
	t.Parallel()
	s, b, _, account := paySite(t)
	day := openbanking.Date(time.Now().UTC().AddDate(0, 0, 9).Format(time.DateOnly))
	b.hand(ownApp(account, "text0", "at once", "amount", "7.70"))
	dated := b.hand(ownApp(account, "text0", "later", "when", "date", "date", string(day)))
	path := b.makeCalendar(url.Values{"amounts": {"yes"}})
	handed := func() (all []calendarEvent) {
		t.Helper()
		for _, e := range readCalendar(t, s.program(path, "").status(http.StatusOK).body) {
			if strings.HasPrefix(e.title, "Payment to send in your bank's app: ") {
				all = append(all, e)
			}
		}
		return all
	}
	first := handed()
	if len(first) != 1 || first[0].day != string(day) || first[0].link != s.url+dated || !strings.Contains(first[0].title, "12.30") {
		t.Fatalf("%+v", first)
	}
	yesterday := time.Now().UTC().AddDate(0, 0, -1).Format(time.DateOnly)
	s.exec(`UPDATE payment SET request = replace(request, $1, $2) WHERE id = $3`, string(day), yesterday, strings.TrimPrefix(dated, "/payments/"))
	if late := handed(); len(late) != 1 || late[0].day != yesterday || late[0].uid != first[0].uid || late[0].sequence != 1 {
		t.Errorf("%+v became %+v", first, late)
	}
	b.post(dated+"/sent", url.Values{"sent": {""}}).to(dated)
	if left := handed(); len(left) != 0 {
		t.Errorf("not sent, and still there: %+v", left)
	}
}

// An address stops working when a new one is made, when the person turns it off, and when the person becomes a viewer or is removed. It is then answered like
// one that never existed.
func TestCalendarAddressesEnd(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("mira@example.org")
	bo := s.user("bo@example.org")
	b, other := s.signedIn("mira@example.org"), s.signedIn("bo@example.org")
	never := s.program("/calendar/"+finance.NewID()+".ics", "").status(http.StatusNotFound)
	gone := func(path string) {
		t.Helper()
		for _, p := range []string{path, strings.TrimSuffix(path, ".ics")} {
			a := s.program(p, "").status(http.StatusNotFound)
			a.Header.Del("X-Request-Id")
			never.Header.Del("X-Request-Id")
			a.Header.Del("Date")
			never.Header.Del("Date")
			if a.body != never.body || fmt.Sprint(a.Header) != fmt.Sprint(never.Header) {
				t.Errorf("%q and %v, want %q and %v", a.body, a.Header, never.body, never.Header)
			}
		}
	}
	first := b.makeCalendar(nil)
	s.program(first, "").status(http.StatusOK)
	proven := b.post("/settings/calendar", url.Values{"names": {"yes"}}).status(http.StatusOK).lacks(asksAgain) // proved a moment ago
	second := calendarAddress.FindString(proven.body)
	gone(first)
	s.program(second, "").status(http.StatusOK)
	s.program(strings.ToLower(second), "").status(http.StatusNotFound)

	his := other.makeCalendar(nil)
	other.post("/settings/calendar/end", nil).to("/settings/calendar")
	other.get("/settings/calendar").has("The address no longer works.", "Make an address")
	gone(his)
	other.post("/settings/calendar/end", nil).status(http.StatusNotFound)
	other.post("/settings/calendar/choice", nil).status(http.StatusNotFound)
	s.program(second, "").status(http.StatusOK)

	his = calendarAddress.FindString(other.post("/settings/calendar", nil).body)
	must(t, s.store.SetRole(t.Context(), bo.ID, finance.RoleViewer))
	gone(his)
	must(t, s.store.SetRole(t.Context(), bo.ID, finance.RoleMember))
	gone(his)
	his = calendarAddress.FindString(other.post("/settings/calendar", nil).body)
	s.program(his, "").status(http.StatusOK)
	must(t, s.store.RemoveUser(t.Context(), bo.ID))
	gone(his)
}

// A program that asks too often is refused, with the time after which it may ask again. Its person reads why. Other people are not affected.
func TestCalendarAskedTooOften(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("mira@example.org")
	s.user("bo@example.org")
	b, other := s.signedIn("mira@example.org"), s.signedIn("bo@example.org")
	path, his := b.makeCalendar(nil), other.makeCalendar(nil)
	refused := 0
	for range 40 {
		a := s.program(path, "")
		if a.StatusCode == http.StatusTooManyRequests {
			if refused++; a.Header.Get("Retry-After") == "" || a.Header.Get("Retry-After") == "0" || a.Header.Get("Set-Cookie") != "" {
				t.Fatalf("%v", a.Header)
			}
			continue
		}
		a.status(http.StatusOK)
	}
	if refused < 19 { // twenty are allowed at once, and one more if a minute has passed meanwhile
		t.Errorf("%d of 40 were refused", refused)
	}
	b.get("/settings/calendar").has("A calendar program asks too often")
	s.program(his, "").status(http.StatusOK)
	other.get("/settings/calendar").lacks("A calendar program asks too often")
}

// Ten thousand payments become a thousand events. The calendar and the page say how many are left out.
func TestCalendarOfTenThousandEvents(t *testing.T) {
	t.Parallel()
	s, b, mira := calendarSite(t)
	s.exec(`INSERT INTO recurring_series (id, user_id, payee_key, choice, name, merged_into, last_row, rhythm, anchor, month_day, shift, first_day, last_day, row_count, currency, usual, low, high, steady, was, since)
		WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
		SELECT 'made' || i, $1, 'made' || i, 'confirmed', 'Made ' || i, '', (SELECT MAX(id) FROM booked_transaction), 'WEEK', date('now', '-2 days'), 0, 0, date('now', '-90 days'), date('now', '-2 days'), 12, 'EUR', -100, -100, -100, 1, 0, '' FROM n`,
		mira.ID)
	path := b.makeCalendar(url.Values{"names": {"yes"}})
	events := readCalendar(t, s.program(path, "").status(http.StatusOK).body)
	last := events[len(events)-1]
	if len(events) != 1001 || !strings.HasSuffix(last.title, "more events are not in this calendar") || last.day != events[len(events)-2].day {
		t.Errorf("%d events, the last one %+v", len(events), last)
	}
	b.get("/settings/calendar").has("The calendar holds 1,000 events.", "later ones are left out.")
}

// Programs that read at the same time receive the same ids.
func TestCalendarAskedAtOnce(t *testing.T) {
	t.Parallel()
	s, b, _ := calendarSite(t)
	path := b.makeCalendar(nil)
	answers := make(chan string, 8)
	for range cap(answers) {
		go func() {
			r, err := http.NewRequestWithContext(context.WithoutCancel(t.Context()), http.MethodGet, s.url+path, nil)
			if err != nil {
				answers <- err.Error()
				return
			}
			response, err := http.DefaultClient.Do(r)
			if err != nil {
				answers <- err.Error()
				return
			}
			defer response.Body.Close()
			answers <- response.Status + response.Header.Get("ETag")
		}()
	}
	first := <-answers
	for range cap(answers) - 1 {
		if other := <-answers; other != first || !strings.HasPrefix(first, "200 OK") {
			t.Errorf("%s and %s", first, other)
		}
	}
}
