package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	devlog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"florin/internal/openbanking"
	"florin/internal/testkit"
)

// kid is the id of the application of a service.
func (s *service) kid() string {
	s.t.Helper()
	var app openbanking.Application
	if status := s.call("GET", "/application", nil, &app); status != 200 {
		s.t.Fatalf("GET /application: status %d", status)
	}
	return app.Kid
}

// The list of banks for the element is given to this site and to the declared origins of an application alone.
func TestWidgetListIsForDeclaredOrigins(t *testing.T) {
	s := run(t, "Ledger", "", "http://localhost:7777/deep/callback?x=1")
	kid := s.kid()
	tests := []struct {
		name, origin, application string
		status                    int
		allowed                   string
	}{
		{"this site", "", "", 200, ""},
		{"this site, with an Origin", s.url, "", 200, ""},
		{"origin of a redirect URL", "https://app.example", kid, 200, "https://app.example"},
		{"origin of another redirect URL", "http://localhost:7777", kid, 200, "http://localhost:7777"},
		{"an IPv6 origin", "http://[::1]:9999", kid, 200, "http://[::1]:9999"},
		{"another port", "https://app.example:444", kid, 403, ""},
		{"another scheme", "http://app.example", kid, 403, ""},
		{"a subdomain", "https://www.app.example", kid, 403, ""},
		{"a longer name", "https://app.example.evil", kid, 403, ""},
		{"a redirect URL, not its origin", "https://app.example/callback", kid, 403, ""},
		{"no origin at all", "null", kid, 403, ""},
		{"no application", "https://app.example", "", 403, ""},
		{"unknown application", "https://app.example", "00000000-0000-4000-8000-000000000000", 403, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			header := http.Header{}
			if test.origin != "" {
				header.Set("Origin", test.origin)
			}
			response, body := send(t, "GET", s.url+"/widget/aspsps?application="+test.application, header, "")
			if response.StatusCode != test.status || response.Header.Get("Access-Control-Allow-Origin") != test.allowed {
				t.Errorf("status %d, allowed %q; want %d, %q", response.StatusCode, response.Header.Get("Access-Control-Allow-Origin"), test.status, test.allowed)
			}
			if !slices.Contains(response.Header.Values("Vary"), "Origin") || response.Header.Get("Access-Control-Allow-Credentials") != "" {
				t.Errorf("headers %v", response.Header)
			}
			if test.status == 403 && !strings.Contains(body, "redirect URL") {
				t.Errorf("the text does not say what to do: %q", body)
			}
		})
	}
}

// The list leaves out what is in beta, or what has no sample users, for who asks for that.
func TestWidgetListWithoutBeta(t *testing.T) {
	s := run(t, "Ledger", "")
	var all openbanking.ASPSPsResponse
	s.call("GET", "/aspsps", nil, &all)
	count := func(keep func(openbanking.ASPSPData) bool) (n int) {
		for _, bank := range all.ASPSPs {
			if keep(bank) {
				n++
			}
		}
		return n
	}
	stable := count(func(b openbanking.ASPSPData) bool { return !b.Beta })
	sandbox := count(func(b openbanking.ASPSPData) bool { return b.Sandbox != nil })
	both := count(func(b openbanking.ASPSPData) bool { return !b.Beta && b.Sandbox != nil })
	if stable == 0 || stable == len(all.ASPSPs) || sandbox == 0 {
		t.Fatalf("of %d banks %d are not in beta and %d have sample users: that shows nothing", len(all.ASPSPs), stable, sandbox)
	}
	for query, want := range map[string]int{
		"no_beta=true": stable, "no_beta=false": len(all.ASPSPs), "sandbox=true": sandbox, "sandbox=false": len(all.ASPSPs), "no_beta=true&sandbox=true": both,
	} {
		response, body := send(t, "GET", s.url+"/widget/aspsps?"+query, http.Header{}, "")
		var got struct {
			ASPSPs []map[string]any `json:"aspsps"`
		}
		if err := json.Unmarshal([]byte(body), &got); err != nil || response.StatusCode != 200 || len(got.ASPSPs) != want {
			t.Errorf("%s: status %d, %d banks, want %d (%v)", query, response.StatusCode, len(got.ASPSPs), want, err)
		}
		for _, bank := range got.ASPSPs {
			if (bank["sandbox"] != nil) != strings.Contains(query, "sandbox=true") {
				t.Fatalf("%s: sample users %v", query, bank["sandbox"])
			}
		}
	}
	for _, query := range []string{"no_beta=x", "sandbox=1"} {
		if response, _ := send(t, "GET", s.url+"/widget/aspsps?"+query, http.Header{}, ""); response.StatusCode != 422 {
			t.Errorf("%s: status %d", query, response.StatusCode)
		}
	}
}

// The list has the filters of GET /aspsps and no sample users.
func TestWidgetListIsFiltered(t *testing.T) {
	s := run(t, "Ledger", "")
	for query, status := range map[string]int{
		"": 200, "country=FI": 200, "psu_type=business": 200, "service=PIS": 200, "payment_type=SEPA": 200, "country=FI&psu_type=personal&service=AIS": 200,
		"country=fi": 422, "psu_type=x": 422, "service=x": 422, "payment_type=x": 422,
	} {
		var want openbanking.ASPSPsResponse
		if got := s.call("GET", "/aspsps?"+query, nil, &want); got != status {
			t.Fatalf("GET /aspsps?%s: status %d, want %d", query, got, status)
		}
		response, body := send(t, "GET", s.url+"/widget/aspsps?"+query, http.Header{}, "")
		if response.StatusCode != status {
			t.Errorf("%s: status %d, want %d", query, response.StatusCode, status)
		}
		if status != 200 {
			continue
		}
		var got struct {
			ASPSPs []map[string]any `json:"aspsps"`
		}
		if err := json.Unmarshal([]byte(body), &got); err != nil {
			t.Fatal(err)
		}
		if len(got.ASPSPs) != len(want.ASPSPs) {
			t.Errorf("%s: %d banks, want %d", query, len(got.ASPSPs), len(want.ASPSPs))
		}
		for i, bank := range got.ASPSPs {
			if bank["name"] != want.ASPSPs[i].Name || bank["country"] != want.ASPSPs[i].Country || bank["logo"] != want.ASPSPs[i].Logo || bank["sandbox"] != nil {
				t.Errorf("%s: %v", query, bank)
			}
		}
	}
}

// embedder is another site with a strict policy, whose page holds the element.
type embedder struct {
	*httptest.Server
	mu      sync.Mutex
	element string // markup
}

func newEmbedder(t *testing.T) *embedder {
	t.Helper()
	e := &embedder{}
	e.Server = httptest.NewServer(nil)
	t.Cleanup(e.Close)
	return e
}

// serve makes the page: what the element tells is written into the title of the page.
func (e *embedder) serve(serviceURL, element string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.element = element
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy",
			fmt.Sprintf("default-src 'none'; script-src 'self' %[1]s; connect-src %[1]s; img-src %[1]s; require-trusted-types-for 'script'", serviceURL))
		fmt.Fprintf(w, `<!DOCTYPE html><html lang="fi"><title>Shop</title><link rel="icon" href="%s/groups/Nordljus/logo/"><script src="%[1]s/widget/aspsp-list.js" defer></script><script src="/page.js" defer></script><button id="before">Before</button>%s</html>`, serviceURL, e.element)
	})
	mux.HandleFunc("GET /page.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		fmt.Fprint(w, `for (const name of ["selected", "failed"]) document.addEventListener(name, (e) => { document.title = name + " " + JSON.stringify(e.detail); });`)
	})
	e.Config.Handler = mux
}

// tab is a page in a browser that notes what a person should never meet.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	problems []string
}

func newTab(t *testing.T) *tab {
	t.Helper()
	ctx := openWindow(t)
	b := &tab{t: t, ctx: ctx}
	if err := chromedp.Listen(ctx, func(event any) {
		b.mu.Lock()
		defer b.mu.Unlock()
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			b.problems = append(b.problems, e.ExceptionDetails.Text)
		case *devlog.EventEntryAdded:
			b.problems = append(b.problems, e.Entry.Text)
		}
	}); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(390, 800)); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// text evaluates an expression that gives a text.
func (b *tab) text(expression string) string {
	b.t.Helper()
	text, err := chromedp.Run(b.ctx, chromedp.Evaluate[string]("String("+expression+")"))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return text
}

// until waits until an expression gives the text.
func (b *tab) until(expression, want string) {
	b.t.Helper()
	var got string
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if got = b.text(expression); got == want {
			return
		}
	}
	b.t.Fatalf("%s gives %q, want %q", expression, got, want)
}

// found takes the problems so far.
func (b *tab) found() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	problems := b.problems
	b.problems = nil
	return problems
}

const (
	inside   = `document.querySelector("florin-aspsp-list").shadowRoot`
	statusOf = inside + `.querySelector("[role=status]").textContent`
	options  = inside + `.querySelectorAll("[role=option]").length`
	active   = `((r) => r.getElementById(r.querySelector("[role=combobox]").getAttribute("aria-activedescendant"))?.querySelector(".name").textContent)(` +
		inside + `)`
)

// A site that an application declared embeds the element under a strict policy: people search and choose with the
// keyboard alone, hear what happens, and the site learns the choice.
func TestWidgetOnADeclaredSite(t *testing.T) {
	testkit.Unwatched(t)
	site := newEmbedder(t)
	s := run(t, "Shop", "", site.URL+"/callback")
	site.serve(s.url, `<florin-aspsp-list application="`+s.kid()+`"></florin-aspsp-list>`)
	var list openbanking.ASPSPsResponse
	s.call("GET", "/aspsps?psu_type=personal", nil, &list)

	b := newTab(t)
	b.do(chromedp.Navigate(site.URL))
	b.until(options, fmt.Sprint(len(list.ASPSPs)))
	b.until(statusOf, fmt.Sprintf("%d pankkia", len(list.ASPSPs))) // the language of the page
	b.do(chromedp.Focus(chromedp.ID("before")), chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Tab))
	b.until(inside+`.activeElement.id`, "search")
	b.do(chromedp.KeyEvent("SEEBRUCKE")) // without the dots, in capitals
	b.until(active, "Seebrücke Bank")
	b.until(statusOf, "1 pankki")
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until("document.title", `selected {"name":"Seebrücke Bank","country":"DE","psuType":"personal","bic":"SEEBDEH1"}`)
	b.until(statusOf, "Valittu: Seebrücke Bank")
	b.until(inside+`.querySelector("[aria-selected=true] .name").textContent`, "Seebrücke Bank")
	b.until(`document.querySelector("florin-aspsp-list").value.bic`, "SEEBDEH1")

	b.do(chromedp.KeyEvent(kb.Escape)) // the search is empty again
	b.until(options, fmt.Sprint(len(list.ASPSPs)))
	b.until(active, "undefined")
	first, second := b.text(inside+`.querySelectorAll(".name")[0].textContent`), b.text(inside+`.querySelectorAll(".name")[1].textContent`)
	last := b.text(`[...` + inside + `.querySelectorAll(".name")].at(-1).textContent`)
	for _, step := range []struct{ key, active string }{{kb.ArrowDown, first}, {kb.ArrowDown, second}, {kb.ArrowUp, first}, {kb.ArrowUp, last},
		{kb.ArrowDown, first}, {kb.PageUp, first}} {
		b.do(chromedp.KeyEvent(step.key))
		b.until(active, step.active)
	}
	b.do(chromedp.KeyEvent("no such bank"))
	b.until(statusOf, "Mikään pankki ei vastaa hakua.")
	b.until(inside+`.querySelector("[role=combobox]").getAttribute("aria-expanded")`, "false")

	// Attributes and properties narrow the list, and change its language.
	b.do(chromedp.KeyEvent(kb.Escape))
	b.text(`Object.assign(document.querySelector("florin-aspsp-list"), {country: "DE", psuType: "business", language: "de", service: "PIS", paymentType: "SEPA"}).outerHTML`)
	var narrow openbanking.ASPSPsResponse
	s.call("GET", "/aspsps?country=DE&psu_type=business&service=PIS&payment_type=SEPA", nil, &narrow)
	b.until(options, fmt.Sprint(len(narrow.ASPSPs)))
	b.until(inside+`.querySelector("label[for=search]").textContent`, "Bank")
	b.until(inside+`.querySelectorAll(".field[hidden]").length`, "2") // no choice of country and of kind is left
	b.text(`Object.assign(document.querySelector("florin-aspsp-list"), {country: "", psuType: "", service: "", paymentType: "", noBeta: true, sandbox: true, locale: "FR"}).outerHTML`)
	stable := 0
	for _, bank := range list.ASPSPs {
		if !bank.Beta && bank.Sandbox != nil {
			stable++
		}
	}
	b.until(options, fmt.Sprint(stable))
	b.until(inside+`.querySelector("label[for=search]").textContent`, "Banque") // locale wins over language
	b.until(`["sandbox", "no-beta", "locale"].every((name) => document.querySelector("florin-aspsp-list").hasAttribute(name))`, "true")
	b.text(`Object.assign(document.querySelector("florin-aspsp-list"), {noBeta: false, sandbox: false}).outerHTML`)
	b.until(options, fmt.Sprint(len(list.ASPSPs)))
	b.until("document.documentElement.scrollWidth <= 390", "true")
	b.until(`[...`+inside+`.querySelectorAll("img")].every((i) => !i.complete || i.naturalWidth > 0)`, "true")
	if problems := b.found(); len(problems) > 0 {
		t.Errorf("in the browser: %q", problems)
	}
}

// Screen readers get a combobox with a name and a list of options (WAI-ARIA, combobox).
func TestWidgetForScreenReaders(t *testing.T) {
	testkit.Unwatched(t)
	site := newEmbedder(t)
	s := run(t, "Shop", "", site.URL+"/callback")
	site.serve(s.url, `<florin-aspsp-list application="`+s.kid()+`" country="FI" psu-type="personal" language="en"></florin-aspsp-list>`)
	b := newTab(t)
	b.do(chromedp.Navigate(site.URL))
	b.until(`Number(`+options+`) > 2`, "true")
	b.do(chromedp.Focus(chromedp.ID("before")), chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.ArrowDown))
	names := map[string][]string{}
	b.do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		got, err := cdp.Call(ctx, target, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
		if err != nil {
			return err
		}
		for _, node := range got.Nodes {
			if !node.Ignored && node.Name != nil {
				role := strings.Trim(string(node.Role.Value), `"`)
				names[role] = append(names[role], strings.Trim(string(node.Name.Value), `"`))
			}
		}
		return nil
	}))
	if !slices.Equal(names["combobox"], []string{"Bank"}) || !slices.Equal(names["listbox"], []string{"Banks"}) || len(names["option"]) < 3 ||
		len(names["status"]) != 1 {
		t.Errorf("roles and names: %v", names)
	}
	for _, name := range names["option"] {
		if name == "" {
			t.Error("an option has no name")
		}
	}
}

// A site that nobody declared gets no banks, and people are told so.
func TestWidgetOnAnUndeclaredSite(t *testing.T) {
	testkit.Unwatched(t)
	site := newEmbedder(t)
	s := run(t, "Shop", "")
	site.serve(s.url, `<florin-aspsp-list application="`+s.kid()+`" language="fr"></florin-aspsp-list>`)
	b := newTab(t)
	b.do(chromedp.Navigate(site.URL))
	b.until(statusOf, "Les banques n’ont pas pu être chargées.")
	b.until(options, "0")
	b.until(`document.title.startsWith("failed")`, "true")
	if problems := b.found(); !slices.ContainsFunc(problems, func(p string) bool { return strings.Contains(p, "CORS") }) {
		t.Errorf("the browser says %q, want that the answer is not for this site", problems)
	}
	b.until(inside+`.querySelector("button").textContent`, "Réessayer")
}

// The element loads the logos that a person is about to see, not all of them, and on the next visit the browser has them.
func TestWidgetLoadsLogosLazily(t *testing.T) {
	testkit.Unwatched(t)
	s := run(t, "Ledger", "")
	b := newTab(t)
	b.do(func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, target, network.Enable, network.EnableParams{})
		return chromedp.Void{}, err
	})
	var mu sync.Mutex
	logos := 0
	if err := chromedp.Listen(b.ctx, func(event any) {
		mu.Lock()
		defer mu.Unlock()
		if e, ok := event.(*network.EventRequestWillBeSent); ok && strings.Contains(e.Request.URL, "/logo/-/resize/") {
			logos++
		}
	}); err != nil {
		t.Fatal(err)
	}
	number := func(expression string) int {
		n, err := strconv.Atoi(b.text(expression))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	visit := func() (wanted, transferred, banks int) {
		mu.Lock()
		logos = 0
		mu.Unlock()
		b.do(chromedp.Navigate(s.url + "/widget"))
		b.until(`Number(`+options+`) > 10`, "true")
		b.text(inside + `.querySelector("[role=option]").scrollIntoView()`)
		b.until(inside+`.querySelector("[role=option] img").naturalWidth > 0`, "true")
		for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) { // what is still on its way is not kept by the browser
			mu.Lock()
			sent := logos
			mu.Unlock()
			if number(`performance.getEntriesByType("resource").filter((e) => e.name.includes("/logo/-/resize/")).length`) >= sent {
				break
			}
			if time.Now().After(end) {
				t.Fatalf("not all of %d logos arrive", sent)
			}
		}
		transferred = number(`performance.getEntriesByType("resource").filter((e) => e.name.includes("/logo/-/resize/") && e.transferSize > 0).length`)
		banks = number(options)
		mu.Lock()
		defer mu.Unlock()
		return logos, transferred, banks
	}
	first, transferred, banks := visit()
	if transferred == 0 || first > banks/2 {
		t.Errorf("the first visit wants %d logos of %d banks, and transferred %d", first, banks, transferred)
	}
	second, again, _ := visit()
	if second == 0 || again > 0 {
		t.Errorf("the second visit wants %d logos, and transferred %d of them again", second, again)
	}
	t.Logf("%d banks: the first visit wants %d logos (%d transferred so far), the second %d (%d transferred)", banks, first, transferred, second, again)
}

// The page of the service shows the element at work, in four languages, and says how to embed it without a script too.
func TestWidgetPage(t *testing.T) {
	testkit.Unwatched(t)
	s := run(t, "Ledger", "")
	b := newTab(t)
	for language, label := range map[string]string{"": "Bank", "en": "Bank", "de": "Bank", "fr": "Banque", "fi": "Pankki", "sv": "Bank", "<x>": "Bank"} {
		b.do(chromedp.Navigate(s.url + "/widget?language=" + language))
		b.until(`Number(`+options+`) > 10`, "true")
		b.until(inside+`.querySelector("label[for=search]").textContent`, label)
		b.until("document.documentElement.scrollWidth <= 390", "true")
	}
	b.text(`document.getElementById("example-list").focus()`) // hands the focus to its field
	b.do(chromedp.KeyEvent("seebr"))
	b.until(active, "Seebrücke Bank")
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until(`JSON.parse(document.querySelector("#example-choice").textContent).country`, "DE")
	if problems := b.found(); len(problems) > 0 {
		t.Errorf("in the browser: %q", problems)
	}
	_, body := send(t, "GET", s.url+"/widget", browserHeader(), "")
	for _, text := range []string{"&lt;florin-aspsp-list application=", s.url + "/widget/aspsp-list.js", "connect-src " + s.url, "<noscript>"} {
		if !strings.Contains(body, text) {
			t.Errorf("the page does not say %q", text)
		}
	}
}
