package main

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"florin/internal/contract/walk"
	"florin/internal/handlers"
	"florin/internal/handlers/shell"
	"florin/internal/testkit"
	"florin/web/templates/paths"
	"florin/web/templates/words"
)

var (
	htmlTag = regexp.MustCompile(`<[^>]*>`)
	// writtenAmount is an amount with the code of its currency, as pages write it once the tags are gone.
	writtenAmount = regexp.MustCompile(`(\d{1,3}(?:,\d{3})*\.\d{2})\s[A-Z]{3}\b`)
	// rawAmount matches anything that may be an amount in the source of a page: in a title, a label, a field, an address, or the data of a script.
	rawAmount = regexp.MustCompile(`\d[\d,]*\.\d{2}\b`)
	// geometry lists the SVG attributes that are positions.
	geometry = regexp.MustCompile(` (?:d|x|y|x1|x2|y1|y2|cx|cy|r|width|height|points|viewBox|stroke-dasharray|stroke-width)="[^"]*"`)
	// scaled matches the scale of a chart, or the text in a field of a calendar.
	scaled = regexp.MustCompile(`(?s)<svg class="chart-axis".*?</svg>|<span class="cal-sum".*?</span>`)
)

// shown follows the links of the app and returns the pages with their source, a few for each route pattern.
func (p *person) shown(f *florin, starts []string) map[string][]*walk.Page {
	p.t.Helper()
	mux := http.NewServeMux()
	for _, route := range handlers.Routes() {
		if route.Method == http.MethodGet {
			mux.Handle(route.Pattern, http.NotFoundHandler())
		}
	}
	const each = 6
	pages, known := map[string][]*walk.Page{}, map[string]bool{}
	for open := starts; len(open) > 0; open = open[1:] {
		u, err := url.Parse(open[0])
		if err != nil || !strings.HasPrefix(open[0], f.web) {
			continue
		}
		u.Fragment = ""
		_, pattern := mux.Handler(&http.Request{Method: http.MethodGet, URL: u, Host: u.Host})
		noPage := func(end string) bool { return strings.HasSuffix(pattern, end) } // files, pictures, and the page that leaves for a bank
		if known[u.String()] || pattern == "" || len(pages[pattern]) == each || slices.ContainsFunc([]string{"/export", "/file", ".png", ".ics",
			"/certificate", "/logo", "/{attachment}", "/leave", "/events"}, noPage) {
			continue
		}
		known[u.String()] = true
		page := p.visit(u.String())
		_, pattern = mux.Handler(&http.Request{Method: http.MethodGet, URL: page.URL, Host: u.Host})
		pages[pattern] = append(pages[pattern], page)
		open = append(open, page.Links...)
	}
	return pages
}

// While amounts are hidden, no page has one in its source: not in its text, its title, a chart, a label or a field. Exceptions are the pages on which a payment
// is sent, because they show its amount.
func TestNoPageHasAHiddenAmount(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Whole)
	f := begin(t)
	owner := newPerson(t)
	owner.setUp(f)
	addMember(t, f)
	owner.keepsMuch(f, memberEmail)
	f.synced()
	paying := payerOf(t, f, ownerEmail)
	paying.settled(paying.approved(0).ID)
	paying.leaves()
	owner.makeRule(f)
	owner.editsAll(f)
	ids := f.ids(ownerEmail)
	starts := []string{f.web + "/"}
	for _, route := range handlers.Routes() {
		if route.Method != http.MethodGet || route.Access != shell.SignedIn && route.Access != shell.Member && route.Access != shell.Owner {
			continue
		}
		path := strings.TrimSuffix(route.Pattern, "{$}")
		filled := wildcard.ReplaceAllStringFunc(path, func(name string) string { return url.PathEscape(ids[strings.Trim(name, "{}")]) })
		if !strings.Contains(filled, "//") { // otherwise the owner has no such item
			starts = append(starts, f.web+filled)
		}
	}
	for _, view := range []string{"months", "categories", "days", "payees", "tags", "worth"} {
		starts = append(starts, f.web+paths.Reports+"?view="+view)
	}
	open := owner.shown(f, starts)
	amounts, scale := map[string]bool{}, 0
	for _, pages := range open {
		for _, page := range pages {
			for _, m := range writtenAmount.FindAllStringSubmatch(html.UnescapeString(htmlTag.ReplaceAllString(page.Body, "")), -1) {
				amounts[m[1]] = true
			}
			for _, m := range scaled.FindAllString(page.Body, -1) {
				if strings.ContainsAny(htmlTag.ReplaceAllString(m, ""), "0123456789") {
					scale++
				}
			}
		}
	}
	if len(amounts) < 200 || scale < 20 || len(open) < 40 {
		t.Fatalf("%d amounts and %d words on scales were found on %d kinds of pages: too few for a test", len(amounts), scale, len(open))
	}

	owner.visit(f.web + "/")
	owner.send(paths.Amounts, nil)
	owner.sees(http.StatusOK, words.Mask, "Show amounts")
	hidden := owner.shown(f, starts)
	number := 0
	for pattern, pages := range hidden {
		shows := slices.ContainsFunc(handlers.Routes(), func(r shell.Route) bool { return r.Pattern == pattern && r.ShowsAmounts })
		for _, page := range pages {
			number++
			if says := strings.Contains(page.Body, "This page shows them"); says != shows {
				t.Errorf("%s says that it shows amounts: %v, want %v", page.URL, says, shows)
			}
			if shows {
				continue
			}
			if pattern == paths.Rates {
				continue // exchange rates are not amounts
			}
			if m := writtenAmount.FindString(html.UnescapeString(htmlTag.ReplaceAllString(page.Body, ""))); m != "" {
				t.Errorf("%s shows %q", page.URL, m)
			}
			source := geometry.ReplaceAllString(page.Body, "")
			for _, m := range rawAmount.FindAllString(source, -1) {
				if amounts[m] && !(pattern == paths.Pay && strings.Contains(source, `name="amount" type="text" value="`+m+`"`)) { // about to be paid
					at := strings.Index(source, m)
					t.Errorf("%s has %q in its source: %s", page.URL, m, source[max(0, at-150):at+30])
					break
				}
			}
			for _, m := range scaled.FindAllString(page.Body, -1) {
				if m = htmlTag.ReplaceAllString(m, ""); strings.ContainsAny(m, "0123456789") {
					t.Errorf("%s has %q beside the scale of a chart", page.URL, m)
					break
				}
			}
		}
	}
	if len(hidden) < len(open) {
		t.Errorf("%d kinds of pages were looked at, and %d before", len(hidden), len(open))
	}
	t.Logf("%d amounts and %d words on scales, on %d kinds of pages; none of them on %d pages", len(amounts), scale, len(open), number)

	owner.visit(f.web + "/")
	owner.send(paths.Amounts, nil)
	if strings.Contains(owner.page.Body, words.Mask) {
		t.Error("amounts are still hidden")
	}
}
