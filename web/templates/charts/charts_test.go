package charts

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ"

	geometry "florin/internal/charts"
	"florin/internal/money"
	"florin/web/templates/words"
)

func eur(minor int64) money.Amount { return money.FromMinor(minor, "EUR") }

func render(t *testing.T, lang string, c templ.Component) string {
	t.Helper()
	var page bytes.Buffer
	if err := c.Render(words.Listen(context.Background(), words.App, lang), &page); err != nil {
		t.Fatal(err)
	}
	return page.String()
}

func says(t *testing.T, page string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(page, text) {
			t.Errorf("the chart does not have %q:\n%s", text, page)
		}
	}
}

// Whatever a chart is about, each of its figures stands in a table with the same link, nothing in the drawing takes the focus of the keyboard, and the
// drawing itself is hidden from those who do not see it.
func TestChartsAreForEverybody(t *testing.T) {
	line := Line{Title: "Balance of all accounts", Value: "Balance", Ahead: 1, Points: []Point{{Name: "1 October 2026", Mark: "Oct", Value: eur(120_000),
		Href: "/a"},
		{Name: "2 October 2026", Value: eur(-31_250), Low: eur(-40_000), High: eur(120_000), Href: "/b"}, {Name: "3 October 2026", Value: eur(5_000),
			Label: "Lowest: 50.00 EUR"}}}
	flow := CashFlow{Title: "Money in and out", Steps: []Step{{Name: "September 2026", Mark: "Sep", In: eur(300_000), Out: eur(250_000), InHref: "/in",
		OutHref: "/out", Href: "/all"}}}
	sankey := Sankey{Title: "From income to categories", Middle: "October 2026", In: []Stream{{Name: "Salary", Amount: eur(300_000), Href: "/in"}},
		Out: []Stream{{Name: "Rent", Amount: eur(110_000), Href: "/rent"}, {Name: "Refunds", Amount: eur(-5)}}}
	for _, c := range []struct {
		title string
		chart templ.Component
		want  []string
	}{
		{line.Title, Lines(line), []string{"From 1,200.00 EUR (1 October 2026) to 50.00 EUR (3 October 2026). Lowest: −400.00 EUR (2 October 2026). Highest: 1,200.00 EUR (1 October 2026).",
			"The dashed part is in the future.", `<a href="/a">1 October 2026</a>`, `<a href="/a" tabindex="-1">`, ">−312.50 EUR</span>", ">1,500</text>",
			"Lowest: 50.00 EUR</text>"}},
		{flow.Title, CashFlows(flow), []string{"1 month: 3,000.00 EUR came in and 2,500.00 EUR went out. The difference is 500.00 EUR.",
			`<a class="money" href="/out">2,500.00 EUR</a>`, `<a class="money" href="/all">500.00 EUR</a>`, "September 2026, money in: 3,000.00 EUR</title>"}},
		{sankey.Title, Sankeys(sankey), []string{"Most came from Salary: 3,000.00 EUR. Most went to Rent: 1,100.00 EUR.",
			`<a href="/rent"><bdi>Rent</bdi></a>`, "−0.05 EUR"}},
	} {
		page := render(t, "en", c.chart)
		says(t, page, append(c.want, `aria-label="`+c.title+`"`, `<caption class="only-read">`+c.title)...)
		drawing := page[:strings.Index(page, `<p class="chart-says">`)]
		if !strings.Contains(drawing, `aria-hidden="true"`) {
			t.Errorf("%s: the drawing is not hidden", c.title)
		}
		for _, link := range regexp.MustCompile(`<a [^>]*>`).FindAllString(drawing, -1) {
			if !strings.Contains(link, `tabindex="-1"`) {
				t.Errorf("%s: %s takes the focus", c.title, link)
			}
		}
		if strings.Contains(page, "style=") {
			t.Errorf("%s: the policy refuses a style", c.title)
		}
	}
	german := render(t, "de", Lines(line))
	says(t, german, "Von 1.200,00 EUR (1 October 2026) auf 50,00 EUR", ">1.500</text>", "−312,50 EUR")
}

func TestBarsAndDays(t *testing.T) {
	bars := Bars{Title: "Spending", Name: "Category", Now: "November 2026", Then: "October 2026", Rows: []Bar{{Name: "Rent", Href: "/rent",
		Now: eur(100_000), Then: eur(50_000), ThenHref: "/before"},
		{Name: "Refunds", Now: eur(-500), Then: eur(0)}}}
	page := render(t, "en", BarRows(bars))
	says(t, page, `<a href="/rent"><bdi>Rent</bdi></a>`, `width="100%"`, `width="50%"`, `<a class="money" href="/before">500.00 EUR</a>`, "−5.00 EUR",
		`width="0%"`, "The largest amount: Rent, 1,000.00 EUR. For comparison: 500.00 EUR (October 2026).")
	bars.Then = ""
	says(t, render(t, "de", BarRows(bars)), "Der größte Betrag: Rent, 1.000,00 EUR.")
	if page := render(t, "en", BarRows(Bars{Title: "Spending", Rows: []Bar{{Name: "Refunds", Now: eur(-500)}}})); strings.Contains(page, "largest") {
		t.Errorf("nothing is largest: %s", page)
	}

	var weeks [][7]Day
	for _, week := range geometry.Weeks(2026, time.November) {
		var days [7]Day
		for i, n := range week {
			days[i] = Day{Number: n, Name: fmt.Sprintf("%d. November 2026", n), Amount: eur(int64(n) * 12_345_678), Level: 2, Href: fmt.Sprintf("/day/%d", n), Today: n == 9}
		}
		weeks = append(weeks, days)
	}
	page = render(t, "de", Calendars(Calendar{Title: "November 2026", Weeks: weeks}))
	says(t, page, `<span aria-hidden="true">Mo</span><span class="only-read">Montag</span>`, `href="/day/30"`, "cal-today", ": 1.111.111,02 EUR</span>",
		`aria-hidden="true">1 Mio.</span>`, "30 Tage: zusammen 57.407.402,70 EUR. Am meisten war es am 30. November 2026: 3.703.703,40 EUR.")
	weeks[1][3].Amount = eur(9_223_372_036_854_775_807)
	if page := render(t, "en", Calendars(Calendar{Weeks: weeks})); strings.Contains(page, "chart-says") {
		t.Errorf("no amount can hold what these days come to: %s", page)
	}
	says(t, render(t, "en", Calendars(Calendar{Weeks: [][7]Day{{{Number: 1, Amount: eur(0)}, {Number: 2}}}})), "There is nothing on any day.")
	says(t, render(t, "en", Calendars(Calendar{Weeks: [][7]Day{{{Number: 1, Name: "1 March", Amount: eur(500)}}}})), "1 day: 5.00 EUR in total. The most was on 1 March: 5.00 EUR.")
	if n := strings.Count(page, "<tr>"); n != 7 {
		t.Errorf("%d rows, want 6 weeks and the names of the days", n)
	}
}

func TestNothingToShow(t *testing.T) {
	for name, chart := range map[string]templ.Component{"line": Lines(Line{Title: "Balance", Points: []Point{{Name: "1 October 2026"}}}),
		"flow": CashFlows(CashFlow{}), "sankey": Sankeys(Sankey{})} {
		page := render(t, "en", chart)
		if !strings.Contains(page, "Nothing is known about this period yet.") || strings.Contains(page, "<svg") {
			t.Errorf("%s: %s", name, page)
		}
	}
}

// A chart with many steps stays below 15 KB on the wire.
func TestChartsAreSmall(t *testing.T) {
	var points []Point
	var steps []Step
	for i := range 183 {
		day := time.Date(2026, 1, 1+i, 0, 0, 0, 0, time.UTC)
		value := int64(i*i*7919%1_000_003) - 200_000
		points = append(points, Point{Name: words.English.Day(day, true), Mark: words.English.BriefMonth(day), Value: eur(value), Low: eur(value - 4_711),
			High: eur(value + 815),
			Href: "/transactions?q=" + day.Format("on%3A2006-01-02")})
	}
	for i := range 36 {
		month := time.Date(2024, time.Month(1+i), 1, 0, 0, 0, 0, time.UTC)
		href := "/transactions?q=" + month.Format("on%3A2006-01")
		steps = append(steps, Step{Name: words.English.Month(month), Mark: words.English.BriefMonth(month), In: eur(int64(i*i*7919) % 1_000_003),
			Out:    eur(int64(i*i*104_729) % 1_000_003),
			InHref: href + "+is%3Ain", OutHref: href + "+is%3Aout", Href: href})
	}
	var streams []Stream
	var rows []Bar
	for i := range 40 {
		name := fmt.Sprintf("A category with a long name %d", i*7919%101)
		streams = append(streams, Stream{Name: name, Amount: eur(int64(1 + i*i*7919)), Href: "/transactions?q=category%3A" + fmt.Sprint(i)})
		rows = append(rows, Bar{Name: name, Href: streams[i].Href, Now: streams[i].Amount, Then: eur(int64(i * 104_729)), ThenHref: streams[i].Href + "+last"})
	}
	for name, chart := range map[string]templ.Component{"line": Lines(Line{Points: points}), "flow": CashFlows(CashFlow{Steps: steps}),
		"sankey": Sankeys(Sankey{In: streams, Out: streams}),
		"bars":   BarRows(Bars{Then: "October", Rows: rows})} {
		var compressed bytes.Buffer
		w := gzip.NewWriter(&compressed)
		if _, err := w.Write([]byte(render(t, "en", chart))); err != nil || w.Close() != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d bytes compressed", name, compressed.Len())
		if compressed.Len() > 15_000 {
			t.Errorf("%s: %d bytes compressed, want at most 15,000", name, compressed.Len())
		}
	}
}

func TestThinnedMarks(t *testing.T) {
	for _, c := range []struct{ marks, wide, narrow int }{{0, 0, 0}, {6, 6, 6}, {7, 7, 7}, {12, 12, 6}, {36, 12, 6}, {366, 14, 7}} {
		wide, narrow := 0, 0
		months := make([]mark, c.marks)
		for i := range months {
			months[i] = mark{at: geometry.Size * i / c.marks, text: "Oct", anchor: "start"}
		}
		for _, m := range thinned(months) {
			wide++
			if !m.wide {
				narrow++
			}
		}
		if wide != c.wide || narrow != c.narrow {
			t.Errorf("%d names: %d on a wide page, %d on a narrow one; want %d and %d", c.marks, wide, narrow, c.wide, c.narrow)
		}
	}
}

// Names that would touch the one before are left out, whichever side of their place they are written on: on a narrow page more of them than on a wide one.
func TestNamesDoNotTouch(t *testing.T) {
	today := mark{at: 0, text: "Heute", anchor: "start"}
	for _, c := range []struct {
		at             int
		anchor         string
		wide, narrow   bool // whether it is shown
		before, length int
	}{
		{20, "start", false, false, 0, 3}, {88, "start", false, false, 0, 3}, {103, "start", true, false, 0, 3}, {179, "start", true, true, 0, 3},
		{150, "middle", true, false, 0, 3}, {1000, "end", true, true, 0, 3}, {1000, "end", true, false, 830, 3}, {1000, "end", false, false, 900, 12},
	} {
		first := today
		first.at = c.before
		list := thinned([]mark{first, {at: c.at, text: strings.Repeat("D", c.length), anchor: c.anchor}})
		if wide := len(list) == 2; wide != c.wide || wide && list[1].wide == c.narrow || list[0].wide {
			t.Errorf("at %d (%s), behind one at %d: %+v", c.at, c.anchor, c.before, list)
		}
	}
}

func TestCut(t *testing.T) {
	for name, want := range map[string]string{"Rent": "Rent", "Exactly-21-characters": "Exactly-21-characters",
		"A name that is too long by far": "A name that is too lo…",
		"日本語の口座日本語の口座日本語":                "日本語の口座日本語の…"} {
		if got := cut(name); got != want {
			t.Errorf("%q is cut to %q, want %q", name, got, want)
		}
	}
}
