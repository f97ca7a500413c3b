package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"florin/internal/chromium"
	"florin/internal/live"
	"florin/internal/testkit"
	"florin/web/static"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
)

// console collects what the browser complains about, the content security policy included.
type console <-chan string

func listen(ctx context.Context) console {
	collected := make(chan string, 1000)
	messages := chromedp.Console(ctx)
	go func() { // ends with ctx
		for message, err := range messages {
			if err != nil {
				return
			}
			collected <- message.Text
		}
	}()
	return collected
}

// take returns everything written so far.
func (c console) take(t *testing.T, ctx context.Context) []string {
	t.Helper()
	const marker = "so far"
	evaluate[bool](t, ctx, `console.info("`+marker+`"), true`)
	var taken []string
	for {
		select {
		case text := <-c:
			if text == marker {
				return taken
			}
			taken = append(taken, text)
		case <-ctx.Done():
			t.Fatal("the console fell silent")
		}
	}
}

func TestMain(m *testing.M) {
	code := m.Run()
	chromium.End()
	os.Exit(code)
}

// openWindow opens a window of the browser that the tests share.
func openWindow(t *testing.T) context.Context {
	t.Helper()
	testkit.Long(t, testkit.Browser)
	browser, err := chromium.Shared()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(browser, 15*time.Minute)
	t.Cleanup(cancel)
	ctx, end := chromedp.NewContext(ctx, chromedp.WithNewBrowserContext())
	t.Cleanup(end)
	start(t, ctx)
	return ctx
}

// start opens the window of a context. It closes with the context of this first call, which therefore has no deadline of its own.
func start(t *testing.T, ctx context.Context) {
	t.Helper()
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
}

// openBrowser starts a browser with some fonts.
func openBrowser(t *testing.T, fonts chromium.Fonts) context.Context {
	t.Helper()
	testkit.Long(t, testkit.Browser)
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	t.Cleanup(cancel)
	ctx, closeBrowser, err := chromium.Start(ctx, fonts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(closeBrowser)
	return ctx
}

// patience bounds what a window does at once: an element that a test names wrongly is reported then, not at the end of the window.
const patience = 2 * time.Minute

// do lets a window act, and ends the test where it cannot.
func do(t *testing.T, ctx context.Context, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		t.Fatal(err)
	}
}

func evaluate[T any](t *testing.T, ctx context.Context, script string, options ...chromedp.EvaluateOption) T {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](script, options...))
	if err != nil {
		t.Fatalf("%.200s: %v", script, err)
	}
	return value
}

// await waits until a condition holds in the page.
func await(t *testing.T, ctx context.Context, condition string) {
	t.Helper()
	if _, err := chromedp.Run(ctx, chromedp.Poll[bool](condition, chromedp.WithPollingTimeout(20*time.Second))); err != nil {
		t.Fatalf("%s never came true: %v", condition, err)
	}
}

// Every page in a real browser, under the policy of security T19: nothing is blocked, text has enough contrast (WCAG 1.4.3) in both schemes, nothing
// sticks out at 390 px (1.4.10) or at 1280, in the narrowest and in the widest fonts, targets are large enough (2.5.8). axe-core judges it in both schemes and
// languages.
func TestPagesInBrowser(t *testing.T) {
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	server := httptest.NewServer(handler())
	t.Cleanup(server.Close)
	// A page is loaded once in each language. axe-core judges it in the last of the looks there, in one browser each: fonts make no difference to it.
	languages := map[string][]look{"en": {{"narrow", 390, "light", "en"}, {"dark", 1280, "dark", "en"}}, "de": {{"german", 1280, "light", "de"}, {"narrow-german", 390, "light", "de"}}}
	judged := map[string]string{"narrow fonts": "en", "wide fonts": "de"}
	for name, fonts := range map[string]chromium.Fonts{"narrow fonts": chromium.Liberation, "wide fonts": chromium.DejaVu} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := openBrowser(t, fonts)
			messages := listen(ctx)
			access := judgeAccess(t, ctx, server.URL, languages[judged[name]][len(languages[judged[name]])-1])
			for _, s := range screens() {
				for lang, looks := range languages {
					found, err := inspect(ctx, server.URL+"/"+s.name+"?lang="+lang, looks...)
					if err != nil {
						t.Fatalf("%s %s: %v", s.name, lang, err)
					}
					if judged[name] == lang {
						found = append(found, access(ctx)...)
					}
					for _, problem := range append(found, messages.take(t, ctx)...) {
						t.Errorf("%s %s: %s", s.name, lang, problem)
					}
				}
			}
		})
	}
}

// The audit itself must be able to fail.
func TestAuditFindsProblems(t *testing.T) {
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Security-Policy", "img-src 'none'")
		_, _ = w.Write([]byte(`<!DOCTYPE html><img src="/x" alt=""><body style="background:#fff"><p style="color:#aaa">pale</p><div style="opacity:.5"><p style="color:#555">faded</p></div><div style="opacity:.5"><p style="background:#000;color:#fff">faded with its ground</p></div><button style="width:9px;height:9px"></button><div style="width:900px">wide</div><div class="card" style="width:50px"><p style="width:60px">x</p></div>` +
			`<style>td::before{content:attr(data-label)}</style><style></style><table><tr>` +
			`<td data-label="Spending in a month" style="display:grid;grid-template-columns:40px 1fr;white-space:nowrap">1</td></tr></table>` +
			`<svg class="chart-plot"><text x="0" y="20">Today</text><text x="9" y="20">Dec</text></svg>`))
	}))
	t.Cleanup(server.Close)
	ctx := openWindow(t)
	messages := listen(ctx)
	access := judgeAccess(t, ctx, server.URL, looks[1])
	found, err := inspect(ctx, server.URL, looks[1])
	if err != nil {
		t.Fatal(err)
	}
	if said := strings.Join(messages.take(t, ctx), "\n"); !strings.Contains(said, "Content Security Policy") {
		t.Errorf("the console does not tell what the policy blocked: %q", said)
	}
	all := strings.Join(append(found, access(ctx)...), "\n")
	for _, want := range []string{"html-has-lang: ", "document-title: ", "button-name: ", "region: ",
		"contrast 2.32 of P.: pale", "contrast 2.32 of P.: faded", "contrast 3.98 of P.: faded with its ground", "small target: BUTTON", "sticks out: DIV.", "sticks out of its card: P.",
		"a label runs into its value: Spending in a month", "names in a chart touch: Today Dec", "style sheets: 2"} {
		if !strings.Contains(all, want) {
			t.Errorf("the audit did not find %q in:\n%s", want, all)
		}
	}
}

// stage serves one page with a live stream that the test drives.
type stage struct {
	*httptest.Server
	hub     *live.Hub
	opened  chan struct{}
	closed  chan struct{}
	content map[string]templ.Component // what an event's topic and id stand for
}

func newStage(t *testing.T, page templ.Component, content map[string]templ.Component) *stage {
	t.Helper()
	s := &stage{hub: live.NewHub(), opened: make(chan struct{}, 10), closed: make(chan struct{}, 10), content: content}
	mux := http.NewServeMux()
	mux.Handle(static.Prefix, static.Handler())
	mux.HandleFunc("GET "+paths.Worker, keepNothing)
	mux.HandleFunc("GET /page", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_ = page.Render(r.Context(), w)
	})
	mux.HandleFunc("POST /sign-in/passkey/options", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }) // which asks for none
	mux.HandleFunc("GET /live", func(w http.ResponseWriter, r *http.Request) {
		subscription := s.hub.Subscribe("mira")
		defer subscription.Close()
		s.opened <- struct{}{}
		defer func() { s.closed <- struct{}{} }()
		_ = live.ServeSSE(w, r, subscription, func(ctx context.Context, e live.Event) (string, []byte, error) {
			component, given := s.content[e.ID]
			if !given {
				return e.Topic, nil, nil
			}
			var html strings.Builder
			err := component.Render(ctx, &html)
			return e.Topic, []byte(html.String()), err
		})
	})
	s.Server = httptest.NewServer(mux)
	t.Cleanup(func() { s.hub.Close(); s.Server.Close() })
	return s
}

// On a phone the first booked row is on the first screen, whatever is pending, and the name of an account stands beside its balance: in both languages, and in
// any fonts.
func TestAccountsOnAPhone(t *testing.T) {
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	server := httptest.NewServer(handler())
	t.Cleanup(server.Close)
	const screen = 664 // what the bars of a browser leave of 844
	families := map[string]chromium.Fonts{"narrow fonts": chromium.Liberation, "wide fonts": chromium.DejaVu,
		"one wide family": {"sans.ttf": chromium.DejaVu["sans.ttf"], "sans-bold.ttf": chromium.DejaVu["sans-bold.ttf"]}} // in which headings are widest
	for name, fonts := range families {
		t.Run(name, func(t *testing.T) {
			ctx := openBrowser(t, fonts)
			at := func(page, lang string) {
				t.Helper()
				do(t, ctx, emulate(looks[1]), chromedp.Navigate(server.URL+page+"?lang="+lang))
			}
			beside := func(row string) {
				t.Helper()
				if evaluate[int](t, ctx, `document.querySelectorAll("`+row+`").length`) == 0 {
					t.Errorf("the page has no %s", row)
				}
				if n := evaluate[int](t, ctx, `[...document.querySelectorAll("`+row+`")].filter((e) => {
					const name = e.querySelector("h1, .row-title").getBoundingClientRect(), figure = e.querySelector(".account-figure").getBoundingClientRect();
					return figure.top < name.bottom && figure.bottom > name.top && figure.left >= name.right - 1 || !e.querySelector(".money");
				}).length - document.querySelectorAll("`+row+`").length`); n != 0 {
					t.Errorf("%d times the balance does not stand beside the name (%s)", -n, row)
				}
			}
			for _, lang := range []string{"en", "de"} {
				at("/account", lang)
				if bottom := evaluate[float64](t, ctx, `document.querySelector("[aria-labelledby=booked] .tx").getBoundingClientRect().bottom`); bottom > screen {
					t.Errorf("%s: the first booked row ends at %v px, below the %d of the screen", lang, bottom, screen)
				}
				beside(".account-head")
				at("/dashboard", lang)
				beside(".account-row")
			}
		})
	}
}

func TestLiveFragments(t *testing.T) {
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	view := connection()
	view.Frame.Live = "/live"
	changed := view.Sync
	changed.Note = "Updated at 15:30."
	s := newStage(t, pages.Connection(view), map[string]templ.Component{
		"changed": pages.ConnectionSync(changed),
		"foreign": templ.Raw(`<section id="nowhere">lost</section>`),                                                                                              //nolint:forbidigo // what a broken server could send
		"hostile": templ.Raw(`<section id="connection-sync"><p>Updated at 16:00.</p><img src="x" onerror="window.hit=1"><script>window.hit=2</script></section>`), //nolint:forbidigo // what a hostile server could send
	})
	ctx := openWindow(t)
	do(t, ctx, chromedp.Navigate(s.URL+"/page"))
	<-s.opened

	evaluate[bool](t, ctx, `document.getElementById("refresh").focus(), true`)
	s.hub.Publish("mira", live.Event{Topic: "fragment", ID: "foreign"})
	s.hub.Publish("mira", live.Event{Topic: "fragment", ID: "changed"})
	await(t, ctx, `document.getElementById("connection-sync").textContent.includes("Updated at 15:30.")`)
	if got := evaluate[string](t, ctx, `document.activeElement.id`); got != "refresh" {
		t.Errorf("the focus went to %q, want refresh", got)
	}
	if evaluate[bool](t, ctx, `document.body.textContent.includes("lost")`) {
		t.Error("a fragment without a place was shown")
	}

	s.hub.Publish("mira", live.Event{Topic: "fragment", ID: "hostile"})
	await(t, ctx, `document.getElementById("connection-sync").textContent.includes("Updated at 16:00.")`)
	if evaluate[bool](t, ctx, `"hit" in window`) {
		t.Error("a script inside a fragment ran")
	}

	s.hub.Publish("mira", live.Event{Topic: "end"})
	<-s.closed
	if len(s.opened) != 0 {
		t.Error("the stream was opened again after its end")
	}
}

func TestLiveReload(t *testing.T) {
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	view := connection()
	view.Frame.Live = "/live"
	s := newStage(t, pages.Connection(view), nil)
	ctx := openWindow(t)
	do(t, ctx, chromedp.Navigate(s.URL+"/page"))
	<-s.opened
	s.hub.Publish("mira", live.Event{Topic: "reload"})
	<-s.closed
	select {
	case <-s.opened: // the page was loaded again and listens again
	case <-ctx.Done():
		t.Error("the page was not loaded again")
	}
}

// WCAG 2.4.1 and 2.4.7: the first stop of the keyboard leads to the content, and every stop can be seen.
func TestKeyboard(t *testing.T) {
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	server := httptest.NewServer(handler())
	t.Cleanup(server.Close)
	ctx := openWindow(t)
	do(t, ctx, chromedp.Navigate(server.URL+"/dashboard"), chromedp.KeyEvent(kb.Tab))
	if got := evaluate[string](t, ctx, `document.activeElement.textContent`); got != "Skip to the content" {
		t.Errorf("the first stop is %q", got)
	}
	if top := evaluate[float64](t, ctx, `document.activeElement.getBoundingClientRect().top`); top < 0 {
		t.Errorf("the skip link stays hidden at %v", top)
	}
	do(t, ctx, chromedp.KeyEvent(kb.Enter))
	await(t, ctx, `document.activeElement.id === "content"`)
	for range 8 {
		do(t, ctx, chromedp.KeyEvent(kb.Tab))
		stop := evaluate[string](t, ctx, `document.activeElement.tagName + " " + document.activeElement.textContent.trim()`)
		if !evaluate[bool](t, ctx, `(({outlineStyle, outlineWidth}) => outlineStyle === "solid" && parseFloat(outlineWidth) >= 2)(getComputedStyle(document.activeElement))`) {
			t.Errorf("the stop at %s cannot be seen", stop)
		}
	}
}

func TestBankListFiltersWhileTyping(t *testing.T) {
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	server := httptest.NewServer(handler())
	t.Cleanup(server.Close)
	ctx := openWindow(t)
	do(t, ctx, chromedp.Navigate(server.URL+"/link"))
	tests := []struct {
		typed string
		shown []string
		count string
		empty bool
	}{
		{"osterb", []string{"Österbottens Sparbank"}, "1 bank", false},
		{"  LACFRPP  credit", []string{"Crédit du Lac"}, "1 bank", false},
		{"sparbank", []string{"Elbe Sparbank", "Österbottens Sparbank"}, "2 banks", false},
		{"mock", []string{"Mock ASPSP"}, "1 bank", false}, // nothing else fits: its part unfolds
		{"zzz", nil, "0 banks", true},
	}
	for _, test := range tests {
		evaluate[bool](t, ctx, `((q) => { q.value = "`+test.typed+`"; q.dispatchEvent(new Event("input")); return true; })(document.getElementById("q"))`)
		shown := evaluate[[]string](t, ctx, `[...document.querySelectorAll("#banks > :not([hidden]) li:not([hidden]) .row-title")].map((a) => a.textContent)`)
		if strings.Join(shown, "|") != strings.Join(test.shown, "|") {
			t.Errorf("%q shows %q, want %q", test.typed, shown, test.shown)
		}
		if open := evaluate[bool](t, ctx, `document.querySelector("#banks > details").open`); open != (test.typed == "mock") {
			t.Errorf("%q: the banks for developers are unfolded: %t", test.typed, open)
		}
		if got := evaluate[string](t, ctx, `document.getElementById("banks-count").textContent`); got != test.count {
			t.Errorf("%q counts %q, want %q", test.typed, got, test.count)
		}
		if got := evaluate[bool](t, ctx, `!document.getElementById("banks-none").hidden`); got != test.empty {
			t.Errorf("%q says that no bank fits: %v, want %v", test.typed, got, test.empty)
		}
	}
}

// A menu closes when the keyboard moves on, and stays open within.
func TestMenuClosesOnTab(t *testing.T) {
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	server := httptest.NewServer(handler())
	t.Cleanup(server.Close)
	ctx := openWindow(t)
	for _, menu := range []string{".nav > .menu", ".top-side > .menu"} {
		do(t, ctx, chromedp.Navigate(server.URL+"/dashboard"), chromedp.Focus(chromedp.CSS(menu+" summary")), chromedp.KeyEvent(kb.Enter))
		open := fmt.Sprintf(`document.querySelector(%q).open`, menu)
		entries := evaluate[int](t, ctx, fmt.Sprintf(`document.querySelectorAll(%q).length`, menu+" :is(a, button)"))
		for i := range entries + 1 { // each entry, then what comes after the menu
			do(t, ctx, chromedp.KeyEvent(kb.Tab))
			if got, want := evaluate[bool](t, ctx, open), i < entries; got != want {
				t.Errorf("at %s the menu %s is open: %v, want %v", evaluate[string](t, ctx, `document.activeElement.textContent`), menu, got, want)
			}
		}
	}
}

// All entries of the navigation can be seen at once: none is beside the page or behind another one, in both languages, at 320 px too, and the menu of somebody
// with a long name neither. From 390 px on they are one line.
func TestNavigationHasRoom(t *testing.T) {
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	server := httptest.NewServer(handler())
	t.Cleanup(server.Close)
	ctx := openWindow(t)
	for _, width := range []int64{320, 390, 490, 720, 820, 960, 1070, 1280} {
		for _, page := range []string{"/payments", "/payments?lang=de"} {
			do(t, ctx, chromedp.EmulateViewport(width, 800), chromedp.Navigate(server.URL+page), chromedp.Click(chromedp.CSS(".nav > .menu > summary")))
			for _, problem := range evaluate[[]string](t, ctx, `(() => {
				document.querySelector(".menu-name").textContent = "wolfeschlegelsteinhausenbergerdorff@example.org";
				const found = [], boxes = [], own = [...document.querySelectorAll(".nav > a, .nav > .menu > summary, .nav .menu-list > a")];
				for (const e of document.querySelectorAll(".brand, .top-side > *")) {
					const box = e.getBoundingClientRect();
					if (box.left < 0 || box.right > innerWidth) found.push(e.className + " of the header stands at " + box.left + " to " + box.right);
				}
				for (const e of own) {
					const box = e.getBoundingClientRect(), x = box.left + box.width / 2, y = box.top + box.height / 2;
					if (box.left < 0 || box.right > innerWidth || box.height < 44) found.push(e.textContent.trim() + " stands at " + box.left + " to " + box.right + ", and is " + box.height + " high");
					if (!e.contains(document.elementFromPoint(x, y))) found.push(e.textContent.trim() + " is hidden");
				}
				if (own.length < 7) found.push(own.length + " entries");
				const first = document.querySelectorAll(".nav > a, .nav > .menu");
				if (innerWidth >= 390 && new Set([...first].map((e) => Math.round(e.getBoundingClientRect().bottom))).size > 1) found.push("the entries take several lines");
				return found;
			})()`) {
				t.Errorf("%d px, %s: %s", width, page, problem)
			}
		}
	}
}

// Paper is white, has a title, says whose it is and of when, and has nothing on it to click on or beside its edge, whatever the screen looked like.
func TestPagesOnPaper(t *testing.T) {
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	server := httptest.NewServer(handler())
	t.Cleanup(server.Close)
	ctx := openWindow(t)
	paper := chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print",
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}})
		return err
	})
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(718, 1047), paper); err != nil { // A4 without the margins of Chromium
		t.Fatal(err)
	}
	for _, s := range screens() {
		name, _, _ := strings.Cut(s.name, "-")
		if !slices.Contains([]string{"dashboard", "search", "account", "report", "budgets", "recurring", "forecast", "charts", "receipt", "payments", "shared"}, name) ||
			slices.Contains([]string{"search-help", "search-fault", "report-saved", "budgets-start", "account-new", "account-new-problems", "payments-file", "payments-file-empty"}, s.name) {
			continue
		}
		do(t, ctx, chromedp.Navigate(server.URL+"/"+s.name))
		for _, problem := range evaluate[[]string](t, ctx, `(() => {
			const found = [], seen = (e) => e.checkVisibility() && !e.closest(".only-read, svg");
			const body = getComputedStyle(document.body);
			if (body.backgroundColor !== "rgb(255, 255, 255)" || body.color !== "rgb(0, 0, 0)") found.push("paper is " + body.backgroundColor + ", and ink " + body.color);
			if (!seen(document.querySelector("h1"))) found.push("there is no title");
			const head = document.querySelector(".print-head");
			if (!document.querySelector("header .menu-name")) { if (head) found.push("a page of nobody says whose it is"); }
			else if (!head || !seen(head) || !/\S+@\S+, .*\d\d:\d\d/.test(head.textContent)) found.push("nothing says whose it is, and of when");
			for (const a of document.querySelectorAll("main a")) {
				const style = getComputedStyle(a);
				if (seen(a) && (style.textDecorationLine !== "none" || style.color !== getComputedStyle(a.parentElement).color)) found.push("a link looks like one: " + a.textContent.trim().slice(0, 40));
			}
			const asked = document.querySelector("#q")?.value;
			if (asked && ![...document.querySelectorAll("main .only-print")].some((e) => seen(e) && e.textContent.includes(asked))) found.push("nothing says what was searched for");
			for (const e of document.querySelectorAll("button, .btn, input, select, textarea, header, footer, details:not([open]) > summary")) {
				if (seen(e) && !/\d/.test(e.textContent)) found.push("of no use on paper: " + e.tagName + " " + e.textContent.trim().slice(0, 40));
			}
			for (const e of document.querySelectorAll("main *")) {
				const wide = e.closest(".card:has(> .table-wide th:nth-child(8))") ? 1047 : 718; // such a page is turned
				const box = e.getBoundingClientRect(), style = getComputedStyle(e);
				if (seen(e) && box.width > 0 && box.right > wide + 0.5) { found.push("sticks out: " + e.tagName + "." + e.className + " " + Math.round(box.right)); break; }
				if (seen(e) && e.matches(".table-wide th:first-child") && box.width < 90) { found.push("a column of names is " + Math.round(box.width) + " px wide"); break; }
				if (seen(e) && style.overflowX !== "visible" && e.scrollWidth > e.clientWidth + 1) { found.push("is cut: " + e.tagName + "." + e.className); break; }
			}
			return found;
		})()`) {
			t.Errorf("%s: %s", s.name, problem)
		}
	}
}

// Each chart has a name, says in words what it shows, and all of its figures and links can be reached with the keyboard, in a table; nothing in a drawing takes
// the focus.
func TestChartsByKeyboard(t *testing.T) {
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	server := httptest.NewServer(handler())
	t.Cleanup(server.Close)
	ctx := openWindow(t)
	do(t, ctx, chromedp.Navigate(server.URL+"/charts"), chromedp.Focus(chromedp.CSS("#content")))
	for _, problem := range evaluate[[]string](t, ctx, `[...document.querySelectorAll("main .card")].flatMap((card) => {
		const title = card.querySelector("h2").textContent, found = [], table = card.querySelector("table");
		if (card.getAttribute("aria-labelledby") !== card.querySelector("h2").id) found.push("has no name");
		if (![...card.querySelectorAll("p")].some((p) => p.textContent.trim().length > 20 && !p.closest("[aria-hidden=true]"))) found.push("says nothing in words");
		if (!table?.caption?.textContent.trim() || !table.querySelector("th[scope=col], th[scope=colgroup]")) found.push("has no table with a name and heads");
		for (const a of card.querySelectorAll("svg a")) {
			if (![...table.querySelectorAll("a")].some((b) => b.getAttribute("href") === a.getAttribute("href"))) found.push("has no link in its table for " + a.getAttribute("href"));
		}
		return found.map((problem) => title + " " + problem);
	})`) {
		t.Error(problem)
	}
	// The keyboard opens each table on the way, and meets each of its links.
	links := evaluate[int](t, ctx, `document.querySelectorAll("main table a").length`)
	met, opened := 0, 0
	for inside := true; inside && met <= links; {
		do(t, ctx, chromedp.KeyEvent(kb.Tab))
		switch at := evaluate[string](t, ctx, `(() => {
			const e = document.activeElement;
			return e.closest("svg") ? "drawing" : e.matches("main summary") ? "summary" : e.matches("main table a") ? "link" : e.closest("main") ? "else" : "end";
		})()`); at {
		case "summary":
			opened++
			do(t, ctx, chromedp.KeyEvent(kb.Enter))
			await(t, ctx, `document.activeElement.parentElement.open`)
		case "link":
			met++
		case "drawing":
			t.Error("a drawing takes the focus")
		case "end":
			inside = false
		}
	}
	if tables := evaluate[int](t, ctx, `document.querySelectorAll(".chart-data[open]").length`); met != links || opened == 0 || tables != opened {
		t.Errorf("the keyboard opened %d tables, of which %d are open, and met %d of %d links", opened, tables, met, links)
	}
}
