package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	devlog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	devruntime "github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"florin/internal/chromium"
	"florin/internal/testkit"
	"florin/web/templates/words/wordstest"
)

// patience is how long a page may take to show what a journey waits for. With the race detector, on a busy machine, a first sync takes more than a minute.
const patience = 3 * time.Minute

// afterwards holds functions to call after all tests, the last one first.
var afterwards []func()

func TestMain(m *testing.M) {
	if file := os.Getenv(bareVariable); file != "" {
		fmt.Fprintln(os.Stderr, serveBare(file)) // this process is the yardstick of a page
		os.Exit(1)
	}
	if file := os.Getenv(bareTokenVariable); file != "" {
		fmt.Fprintln(os.Stderr, serveBareToken(file)) // this process is the yardstick of the API
		os.Exit(1)
	}
	if file := os.Getenv(bareReceiverVariable); file != "" {
		fmt.Fprintln(os.Stderr, serveBareReceiver(file)) // this process is the yardstick of receiving webhooks
		os.Exit(1)
	}
	if folder := os.Getenv(bareStartVariable); folder != "" {
		fmt.Fprintln(os.Stderr, serveBareStart(folder)) // this process is the yardstick of a start
		os.Exit(1)
	}
	// The tests mostly wait for browsers and for time to pass, so twice as many run at once as there are cores.
	flag.Parse()
	if err := flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))); err != nil {
		panic(err)
	}
	code := m.Run()
	chromium.End()
	for _, clean := range slices.Backward(afterwards) {
		clean()
	}
	os.Exit(code)
}

// look describes the browser with which a person reads the pages.
type look struct {
	width, height int64
	dark          bool
	noScript      bool
	german        bool // the browser asks for German
}

var (
	desktop = look{width: 1280, height: 900}
	phone   = look{width: 390, height: 844}
	german  = look{width: 1280, height: 900, german: true}
	scripts = map[string]look{"with JavaScript": desktop, "without JavaScript": {width: 1280, height: 900, noScript: true}}
)

// window is one tab of a browser. Its methods act like a person: they look for words that are on the page and click where a person would. The window collects
// problems that a person should never meet, and they fail the test at its end: messages in the console, violations of the content security policy, exceptions,
// dialogs, answers of 500 and more, and parts of a page that do not load.
type window struct {
	t    testing.TB
	ctx  context.Context
	look look
	end  context.CancelFunc // closes the window

	clicks int // so far

	mu       sync.Mutex
	problems []string
	document *network.Response // the answer for the page that is shown
	pages    []string          // the addresses of the pages that were shown, in order
	frame    cdp.FrameID
	closed   bool
	asked    map[network.RequestID]bool // requests, and whether each has been answered
	wire     float64                    // bytes that were received
	complete int                        // downloaded files that were not read yet
}

// browse opens a window with cookies of its own.
func browse(t testing.TB, l look) *window {
	t.Helper()
	testkit.Long(t, testkit.Browser)
	browser, err := chromium.Shared()
	if err != nil {
		t.Fatal(err)
	}
	return open(t, browser, l, chromedp.WithNewBrowserContext())
}

// tab opens another tab with the same cookies.
func (w *window) tab() *window {
	w.t.Helper()
	return open(w.t, w.ctx, w.look)
}

func open(t testing.TB, parent context.Context, l look, options ...chromedp.ContextOption) *window {
	t.Helper()
	ctx, cancel := chromedp.NewContext(parent, options...)
	w := &window{t: t, ctx: ctx, look: l, end: cancel}
	if err := chromedp.Listen(ctx, w.notice); err != nil {
		t.Fatal("open a window:", err)
	}
	t.Cleanup(func() {
		w.t.Helper()
		w.close()
		for _, p := range w.found() {
			t.Error("in the browser:", p)
		}
	})
	w.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		tree, err := cdp.Call(ctx, t, page.GetFrameTree, cdp.Empty{})
		if err != nil {
			return err
		}
		w.mu.Lock()
		w.frame = tree.FrameTree.Frame.ID
		w.mu.Unlock()
		if l.german {
			if _, err := cdp.Call(ctx, t, network.Enable, network.EnableParams{}); err != nil {
				return err
			}
			if _, err := cdp.Call(ctx, t, network.SetExtraHTTPHeaders,
				network.SetExtraHTTPHeadersParams{Headers: network.Headers{"Accept-Language": "de"}}); err != nil {
				return err
			}
		}
		_, err = cdp.Call(ctx, t, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: l.noScript})
		return err
	}))
	w.emulate(l)
	return w
}

// mayCopy lets the pages of the window write to the clipboard when somebody clicks. A browser with a visible window allows that; the headless shell does not.
func (w *window) mayCopy() {
	w.t.Helper()
	w.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		c := chromedp.FromContext(ctx)
		_, err := cdp.Call(ctx, c.Browser, browser.SetPermission, browser.SetPermissionParams{
			Permission: &browser.PermissionDescriptor{Name: "clipboard-write"}, Setting: browser.PermissionSettingGranted, BrowserContextID: c.BrowserContextID,
		})
		return err
	}))
}

// close closes the window and ends everything that runs in it.
func (w *window) close() {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	w.end()
}

// notice collects problems that a person should never meet. It runs in the loop that reads the messages of the browser.
func (w *window) notice(event any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return
	}
	add := func(format string, args ...any) { w.problems = append(w.problems, fmt.Sprintf(format, args...)) }
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if w.asked != nil && e.Type != network.ResourceTypeEventSource { // a stream of events has no end
			w.asked[e.RequestID] = false
		}
	case *network.EventLoadingFinished:
		if _, known := w.asked[e.RequestID]; known {
			w.asked[e.RequestID], w.wire = true, w.wire+e.EncodedDataLength
		}
	case *browser.EventDownloadProgress:
		if e.State == browser.DownloadProgressStateCompleted {
			w.complete++
		}
	case *devruntime.EventConsoleAPICalled:
		var words []string
		for _, arg := range e.Args {
			words = append(words, strings.Trim(string(arg.Value), `"`)+arg.Description)
		}
		add("console.%s: %s", e.Type, strings.Join(words, " "))
	case *devruntime.EventExceptionThrown:
		add("exception: %s %s", e.ExceptionDetails.Text, describe(e.ExceptionDetails.Exception))
	case *devlog.EventEntryAdded:
		// The status of each answer is checked below, where the type of the request is known.
		if e.Entry.Source != "network" && e.Entry.Level != devlog.EntryLevelInfo {
			add("%s %s: %s %s", e.Entry.Source, e.Entry.Level, e.Entry.Text, e.Entry.URL)
		}
	case *page.EventJavascriptDialogOpening:
		add("dialog: %s", e.Message)
		go func() {
			_, _ = chromedp.Call(w.ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: true})
		}()
	case *network.EventResponseReceived:
		if e.Type == network.ResourceTypeDocument && e.FrameID == w.frame {
			w.document = e.Response
			if n := len(w.pages); n == 0 || w.pages[n-1] != e.Response.URL { // a page that reloads itself counts once
				w.pages = append(w.pages, e.Response.URL)
			}
			if e.Response.Status < 500 {
				return // the journey checks whether this answer is right
			}
		}
		if e.Response.Status >= 400 {
			add("%s %s answered %d", e.Type, e.Response.URL, e.Response.Status)
		}
	case *network.EventLoadingFailed:
		if !e.Canceled { // a page that is left cancels its stream
			add("%s did not load: %s %s", e.Type, e.ErrorText, e.BlockedReason)
		}
	}
}

func describe(o *devruntime.RemoteObject) string {
	if o == nil {
		return ""
	}
	return o.Description
}

// found returns the problems so far and clears them, for tests that provoke them.
func (w *window) found() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	problems := w.problems
	w.problems = nil
	return problems
}

func (w *window) do(steps ...chromedp.Action[chromedp.Void]) {
	w.t.Helper()
	if err := w.try(steps...); err != nil {
		w.fatalf("%v", err)
	}
}

func (w *window) try(steps ...chromedp.Action[chromedp.Void]) error {
	ctx, cancel := context.WithTimeout(w.ctx, patience)
	defer cancel()
	return aim(ctx, func() error { return chromedp.Do(ctx, steps...) })
}

// aim repeats an action on a control when the page was reloaded, or a live part replaced, between finding the control and acting on it. The browser has then
// done nothing.
func aim(ctx context.Context, act func() error) error {
	for {
		err := act()
		if gone, ok := errors.AsType[*cdproto.Error](err); !ok || gone.Code != -32000 || ctx.Err() != nil {
			return err
		}
	}
}

// fatalf ends the test and reports which page the window shows.
func (w *window) fatalf(format string, args ...any) {
	w.t.Helper()
	message := fmt.Sprintf(format, args...)
	shown, err := w.ask(`document.location.href + "\n" + document.body.innerText`)
	if err != nil {
		shown = err.Error()
	}
	address, text, _ := strings.Cut(shown, "\n")
	w.t.Fatalf("%s\n\nThe window shows %s (status %d):\n%s", message, address, w.status(), indent(text))
}

func indent(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) > 60 {
		lines = append(lines[:60], "…")
	}
	return "\t" + strings.Join(lines, "\n\t")
}

// visit opens an address and waits until the page has loaded. It tries again when the previous page reloaded itself at the same moment, as pages do at the
// end of a sync.
func (w *window) visit(address string) {
	w.t.Helper()
	err := w.try(chromedp.Navigate(address))
	for range 3 {
		if aborted(err) {
			err = w.try(chromedp.Navigate(address))
		}
	}
	if err != nil {
		w.fatalf("%v", err)
	}
}

// weigh opens an address; when anew is true, as a browser with an empty cache. It returns the number of requests, and of bytes received.
func (w *window) weigh(address string, anew bool) (requests, bytes int) {
	w.t.Helper()
	w.visit("about:blank")
	// The browser does not count bytes that come through the service worker, which passes requests on (ADR 0066). So the page is requested without it.
	past := func(worker bool) {
		w.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
			_, err := cdp.Call(ctx, t, network.SetBypassServiceWorker, network.SetBypassServiceWorkerParams{Bypass: worker})
			return err
		}))
	}
	past(true)
	defer past(false)
	if anew {
		w.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
			_, err := cdp.Call(ctx, t, network.ClearBrowserCache, cdp.Empty{})
			return err
		}))
	}
	w.mu.Lock()
	w.asked, w.wire = map[network.RequestID]bool{}, 0
	w.mu.Unlock()
	w.visit(address)
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		w.mu.Lock()
		there := !slices.Contains(slices.Collect(maps.Values(w.asked)), false)
		requests, bytes = len(w.asked), int(w.wire)
		w.mu.Unlock()
		if there && requests > 0 {
			return requests, bytes
		}
		if time.Now().After(end) {
			w.fatalf("some requests were not answered")
		}
	}
}

// aborted reports whether a page was abandoned before it had loaded.
func aborted(err error) bool {
	loading, ok := errors.AsType[*chromedp.LoadError](err)
	return ok && loading.ErrorText == "net::ERR_ABORTED"
}

// settled waits until the page shows no work in progress. After that it does not reload itself, which would close a menu and move the focus.
func (w *window) settled() {
	w.t.Helper()
	w.evaluate(onceLoaded + `; if (document.querySelector("[aria-busy=true]")) throw new Error("work is in progress"); ""`)
}

// onceLoaded is the beginning of a script that waits until the page and its event handlers are complete.
const onceLoaded = `if (document.readyState !== "complete") throw new Error("it is still loading")`

// status is the HTTP status of the page that is shown.
func (w *window) status() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.document == nil {
		return 0
	}
	return w.document.Status
}

// address is the address of the page that is shown.
func (w *window) address() string { return w.evaluate("document.location.href") }

// text is what a person reads on the page.
func (w *window) text() string { return w.evaluate("document.body.innerText") }

// evaluate runs an expression that gives a text. It tries again while the page is being left, or while a part that the expression needs is not there yet.
func (w *window) evaluate(expression string) (text string) {
	w.t.Helper()
	w.patiently("tell "+expression, func() (err error) {
		text, err = w.ask(expression)
		return err
	})
	return text
}

// ask is evaluate with a single try.
func (w *window) ask(expression string) (string, error) {
	ctx, cancel := context.WithTimeout(w.ctx, 5*time.Second)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[string](expression))
}

// rest is the time between two checks of a page. It doubles each time, up to a tenth of a second, because each check costs the browser time.
type rest time.Duration

func (r *rest) next() time.Duration {
	*r = max(rest(10*time.Millisecond), min(2**r, rest(100*time.Millisecond)))
	return time.Duration(*r)
}

// patiently repeats an action until it succeeds.
func (w *window) patiently(what string, try func() error) {
	w.t.Helper()
	var r rest
	for end := time.Now().Add(patience); ; time.Sleep(r.next()) {
		err := try()
		if err == nil {
			return
		}
		if time.Now().After(end) || w.ctx.Err() != nil {
			w.fatalf("the page does not %s: %v", what, err)
		}
	}
}

// see waits until each of the texts can be read on the page. In German, texts that are only a part of a translated text are skipped.
func (w *window) see(texts ...string) {
	w.t.Helper()
	texts = w.whole(texts)
	var r rest
	for end := time.Now().Add(patience); ; time.Sleep(r.next()) {
		shown := fold(w.text())
		missing := slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return strings.Contains(shown, fold(w.said(text))) })
		if len(missing) == 0 {
			return
		}
		if time.Now().After(end) {
			w.fatalf("the page does not show %q (%q)", missing, w.said(missing[0]))
		}
	}
}

// seeNot fails when one of the texts is visible on the page, which must be complete.
func (w *window) seeNot(texts ...string) {
	w.t.Helper()
	shown := fold(w.evaluate(onceLoaded + `; document.body.innerText`))
	for _, text := range w.whole(texts) {
		if strings.Contains(shown, fold(w.said(text))) {
			w.fatalf("the page shows %q", text)
		}
	}
}

// said returns an English text in the language of the window's pages.
func (w *window) said(english string) string {
	if w.look.german {
		return wordstest.German(english)
	}
	return english
}

// whole leaves out texts whose translation cannot be looked up because they are only a part of a text.
func (w *window) whole(texts []string) []string {
	if !w.look.german {
		return texts
	}
	return slices.DeleteFunc(slices.Clone(texts), wordstest.Part)
}

func (w *window) allSaid(english []string) (said []string) {
	for _, text := range english {
		said = append(said, w.said(text))
	}
	return said
}

func fold(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), " ")) }

// click clicks on the link or button with these words and waits for the page it leads to.
func (w *window) click(words string) {
	w.t.Helper()
	w.clicks++
	w.clickOn(w.control(words))
}

// clickOn is click for a control that has no words of its own.
func (w *window) clickOn(control parts) {
	w.t.Helper()
	w.follow(clicking(control))
}

// follow performs an action that leads to another page and waits for that page. When the first page is just reloading, that reload is abandoned.
func (w *window) follow(steps ...chromedp.Action[chromedp.Void]) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, patience)
	defer cancel()
	before := w.opened()
	err := aim(ctx, func() error {
		_, err := chromedp.RunResponse(ctx, steps...)
		return err
	})
	if aborted(err) {
		w.evaluate(onceLoaded + `; if (` + opened + ` === "` + before + `") throw new Error("it is the page of before"); ""`)
	} else if err != nil {
		w.fatalf("%v", err)
	}
}

// opened identifies the pages that a window shows one after the other, also the same page after a reload.
const opened = `String(performance.timeOrigin)`

func (w *window) opened() string {
	w.t.Helper()
	return w.evaluate(opened)
}

// press clicks on a control that stays on the page: a box, a menu.
func (w *window) press(words string) {
	w.t.Helper()
	w.clicks++
	w.pressOn(w.control(words))
}

// pressOn is press for a control that has no words of its own.
func (w *window) pressOn(control parts) {
	w.t.Helper()
	w.do(clicking(control))
}

// parts is a script that returns a list of elements, of which the first visible one is meant.
type parts string

// matching are the parts that a selector of CSS matches.
func matching(selector string) parts {
	return parts("[...document.querySelectorAll(" + strconv.Quote(selector) + ")]")
}

// onPath are the parts on a path of XPath.
func onPath(path string) parts {
	return parts("((found) => Array.from({length: found.snapshotLength}, (_, i) => found.snapshotItem(i)))(document.evaluate(" + strconv.Quote(path) +
		", document, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE))")
}

// use returns a script that acts on the first visible one of some elements, once the page has loaded and the element is enabled. The script runs in one step:
// no live part is replaced and nothing moves meanwhile.
func (e parts) use(do string) string {
	return `((all) => {
		` + onceLoaded + `;
		const boxes = (e) => [...e.getClientRects()].filter((box) => box.width > 1 && box.height > 1);
		const e = all.find((e) => e.checkVisibility() && !e.closest("[aria-hidden=true]") && boxes(e).length > 0);
		if (!e) throw new Error("none of " + all.length + " can be seen");
		if (e.disabled) throw new Error("it is switched off");
		` + do + `
	})(` + string(e) + `)`
}

// clicking clicks on the first visible one of some elements, once it is there. It does not click on an element that another one covers.
func clicking(e parts) chromedp.Action[chromedp.Void] {
	script := e.use(`e.scrollIntoView({block: "center", behavior: "instant"});
		const {x, y, width, height} = boxes(e)[0], hit = document.elementFromPoint(x + width / 2, y + height / 2);
		if (!hit || !e.contains(hit) && hit.closest("label")?.control !== e) throw new Error("it is behind " + hit?.outerHTML.slice(0, 200));
		e.focus({preventScroll: true});
		e.click();
		return true;`)
	asPerson := func(p *devruntime.EvaluateParams) { p.UserGesture = new(true) }
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		for r := new(rest); ; {
			_, err := chromedp.Evaluate[bool](script, asPerson)(ctx, t)
			if err == nil {
				return nil
			}
			select {
			case <-ctx.Done():
				return fmt.Errorf("click on %s: %w", e, err)
			case <-time.After(r.next()):
			}
		}
	})
}

// control finds links, buttons, menus and labels by their full text.
func (w *window) control(words string) parts {
	choices := []string{words}
	if w.look.german {
		choices = wordstest.Choices(words)
	}
	var paths []string
	for _, words := range choices {
		is := "[normalize-space(.)=" + literal(words) + "]"
		for _, element := range []string{"a", "button", "summary", "label"} {
			paths = append(paths, "//"+element+is)
		}
		paths = append(paths, "//label[.//b"+is+"]") // a choice with a remark below its title
	}
	return onPath(strings.Join(paths, " | "))
}

// has reports whether there is a link, a button or another control with these words.
func (w *window) has(words string) bool {
	w.t.Helper()
	return w.evaluate(onceLoaded+"; String("+string(w.control(words))+".length > 0)") == "true"
}

// fill types a text into the field with this label, replacing its value.
func (w *window) fill(label, text string) {
	w.t.Helper()
	w.put(w.labelled(label), text)
}

// put is fill for a field that is found in another way. It repeats until the field has the text.
func (w *window) put(field parts, text string) {
	w.t.Helper()
	w.patiently("take "+text, func() error {
		if _, err := w.ask(field.use(`e.focus(); e.select(); return "";`)); err != nil {
			return err
		}
		err := w.try(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
			_, err := cdp.Call(ctx, t, input.InsertText, input.InsertTextParams{Text: text}) // at once, not key by key
			return err
		}))
		if err != nil {
			return err
		}
		got, err := w.ask(field.use(`return e.value;`))
		if err == nil && got != text {
			err = fmt.Errorf("it holds %q", got)
		}
		return err
	})
}

// labelled is the control that a label names.
func (w *window) labelled(label string) parts {
	return onPath("//label[normalize-space(.)="+literal(w.said(label))+"]") + ".map((label) => label.control).filter(Boolean)"
}

// attach chooses a file in the field with this label.
func (w *window) attach(label, file string) {
	w.t.Helper()
	id := w.evaluate(onceLoaded + "; " + string(w.labelled(label)) + "[0].id") // a page may show only the label of the field
	w.do(chromedp.SetUploadFiles(chromedp.ID(id), []string{file}))
}

// choose picks an option of a selection by its words, or the first ones of them.
func (w *window) choose(label, option string) {
	w.t.Helper()
	w.pick(w.labelled(label), option)
}

// pick is choose for a selection that is found in another way. It uses the arrow keys to go from the chosen option to the other.
func (w *window) pick(selection parts, option string) {
	w.t.Helper()
	way := selection.use(`const words = ` + strconv.Quote(w.said(option)) + `, text = (o) => o.text.trim(), can = [...e.options].filter((o) => !o.disabled);
		const wanted = can.find((o) => text(o) === words) ?? can.find((o) => text(o).startsWith(words));
		if (!wanted) throw new Error("the options are " + can.map(text));
		e.focus();
		return String(can.indexOf(wanted) - can.indexOf(e.selectedOptions[0]));`)
	w.patiently("let one choose "+option, func() error {
		for range 2 {
			left, err := w.ask(way)
			if err != nil || left == "0" {
				return err
			}
			steps, err := strconv.Atoi(left)
			if err != nil {
				return err
			}
			key := kb.ArrowDown
			if steps < 0 {
				steps, key = -steps, kb.ArrowUp
			}
			if err := w.try(chromedp.KeyEvent(strings.Repeat(key, steps))); err != nil {
				return err
			}
		}
		return errors.New("another one is chosen")
	})
}

// keys presses keys, one after the other, where the focus is: tabTo, isAt, write and fill set or check it.
func (w *window) keys(keys ...string) {
	w.t.Helper()
	for _, key := range keys {
		w.do(chromedp.KeyEvent(key))
	}
}

// focused is a script that gives the words of the control that has the focus.
const focused = `(() => {
	const e = document.activeElement;
	if (!e || e === document.body) return "";
	const label = e.labels && e.labels[0];
	return ((label || e).textContent || "").replace(/\s+/g, " ").trim();
})()`

// isAt waits until the focus is on the control with these words. A page that sets the focus does so a moment after it has loaded.
func (w *window) isAt(words string) {
	w.t.Helper()
	w.patiently("give the focus to "+words, func() error {
		at, err := w.ask(focused)
		if err == nil && at != w.said(words) {
			err = fmt.Errorf("it is at %q", at)
		}
		return err
	})
}

// tabTo presses the tabulator key until the focus is on the control with these words.
func (w *window) tabTo(words string) {
	w.t.Helper()
	var met []string
	for range 200 {
		at := w.evaluate(onceLoaded + "; " + focused)
		if at == w.said(words) {
			return
		}
		met = append(met, at)
		w.keys(kb.Tab)
	}
	w.fatalf("the tabulator does not lead to %q, only to %q", words, met)
}

// literal writes a text as XPath does.
func literal(text string) string {
	if !strings.Contains(text, "'") {
		return "'" + text + "'"
	}
	if !strings.Contains(text, `"`) {
		return `"` + text + `"`
	}
	return `concat('` + strings.ReplaceAll(text, "'", `', "'", '`) + `')`
}

// cookies returns the names of the cookies that are sent to the page. It fails unless each of them is hidden from scripts and Lax, so that forms of other sites
// do not send it (security F3).
func (w *window) cookies() (names []string) {
	w.t.Helper()
	w.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		all, err := cdp.Call(ctx, t, network.GetCookies, network.GetCookiesParams{})
		for _, cookie := range all.Cookies {
			names = append(names, cookie.Name)
			if !cookie.HTTPOnly || cookie.SameSite != network.CookieSameSiteLax {
				w.t.Errorf("the cookie %s is HttpOnly %v, SameSite %q, want true and Lax", cookie.Name, cookie.HTTPOnly, cookie.SameSite)
			}
		}
		return err
	}))
	return names
}

// keepsWidth fails when the page is wider than the window.
func (w *window) keepsWidth() {
	w.t.Helper()
	if wide := w.evaluate("String(Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth))"); wide != "0" {
		w.fatalf("the page is %s px wider than the window of %d px", wide, w.look.width)
	}
}

// screenshots is the folder that README takes its pictures from.
const screenshots = "../../docs/screenshots"

// looks are the variants in which a page is pictured, by the suffix of the picture's name.
var looks = map[string]look{"": desktop, "-phone": phone, "-dark": {width: 1280, height: 900, dark: true}}

// pictures writes what the window shows to docs/screenshots/NAME.png, and with -phone and -dark, or only in some of these looks, when FLORIN_SCREENSHOTS names
// that folder; a German window writes one picture, with -german. Without the variable it writes nothing, and only checks that the pictures exist.
func (w *window) pictures(name string, only ...string) {
	w.t.Helper()
	folder := os.Getenv("FLORIN_SCREENSHOTS")
	looks := maps.Clone(looks)
	if len(only) > 0 {
		maps.DeleteFunc(looks, func(suffix string, _ look) bool { return !slices.Contains(only, suffix) })
	}
	if w.look.german {
		looks = map[string]look{"-german": w.look}
	}
	for suffix, l := range looks {
		file := name + suffix + ".png"
		if folder == "" {
			if _, err := os.Stat(filepath.Join(screenshots, file)); err != nil {
				w.t.Errorf("docs/screenshots has no %s: run make screenshots", file)
			}
			continue
		}
		w.emulate(l)
		w.do(chromedp.EmulateViewport(l.width, l.height, chromedp.EmulateMobile)) // whose scroll bars take no room
		w.picture(filepath.Join(folder, file))
	}
	w.emulate(w.look)
}

// emulate gives the window the look l.
func (w *window) emulate(l look) {
	w.t.Helper()
	scheme := "light"
	if l.dark {
		scheme = "dark"
	}
	w.do(chromedp.EmulateViewport(l.width, l.height), chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: scheme},
			{Name: "prefers-reduced-motion", Value: "reduce"},
		}})
		return err
	}))
}

// picture writes the visible part of the page to a file.
func (w *window) picture(file string) {
	w.t.Helper()
	shot, err := chromedp.Run(w.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		w.fatalf("take a picture: %v", err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		w.t.Fatal(err)
	}
	small, err := shrink(shot)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(file, small, 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// shrink writes a picture with its 256 most frequent colours. Pages have few colours.
func shrink(shot []byte) ([]byte, error) {
	decoded, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		return nil, err
	}
	bounds := decoded.Bounds()
	count := map[color.RGBA]int{}
	at := func(x, y int) color.RGBA { return color.RGBAModel.Convert(decoded.At(x, y)).(color.RGBA) }
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			count[at(x, y)]++
		}
	}
	colours := slices.SortedFunc(maps.Keys(count), func(a, b color.RGBA) int { return count[b] - count[a] })
	var palette color.Palette
	for _, c := range colours[:min(256, len(colours))] {
		palette = append(palette, c)
	}
	index := map[color.RGBA]uint8{}
	for _, c := range colours {
		index[c] = uint8(palette.Index(c))
	}
	small := image.NewPaletted(bounds, palette)
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			small.SetColorIndex(x, y, index[at(x, y)])
		}
	}
	var out bytes.Buffer
	err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, small)
	return out.Bytes(), err
}
