package panel_test

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"florin/internal/apptoken"
	"florin/internal/chromium"
	"florin/internal/contract/walk"
	"florin/internal/openbanking"
	"florin/internal/testkit"
)

// window is a tab of a real browser.
type window struct {
	t         *testing.T
	ctx       context.Context
	downloads string
	messages  chan string
}

// browse opens a window. What the browser complains about, the content security policy included, fails the test at its end.
func browse(t *testing.T) *window {
	t.Helper()
	testkit.Long(t, testkit.Browser)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	t.Cleanup(cancel)
	ctx, stop, err := chromium.Start(ctx, chromium.Liberation)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	w := &window{t: t, ctx: ctx, downloads: t.TempDir(), messages: make(chan string, 1000)}
	w.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, browser.SetDownloadBehavior,
			browser.SetDownloadBehaviorParams{Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: w.downloads})
		return err
	}))
	console := chromedp.Console(ctx)
	go func() { // ends with ctx
		for message, err := range console {
			if err != nil {
				return
			}
			w.messages <- message.Text
		}
	}()
	return w
}

func (w *window) do(steps ...chromedp.Action[chromedp.Void]) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, 60*time.Second)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		w.t.Fatalf("%v; at %s", err, w.where())
	}
}

func (w *window) where() string {
	text, err := chromedp.Run(w.ctx, chromedp.Evaluate[string](`location.href + ": " + document.body.innerText.slice(0, 1500)`))
	if err != nil {
		return err.Error()
	}
	return text
}

// evaluate returns the value of an expression in the page.
func evaluate[T any](w *window, expression string) T {
	w.t.Helper()
	value, err := chromedp.Run(w.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		w.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// await waits until a condition holds in the page.
func (w *window) await(condition string) {
	w.t.Helper()
	if _, err := chromedp.Run(w.ctx, chromedp.Poll[bool](condition, chromedp.WithPollingTimeout(60*time.Second))); err != nil {
		w.t.Fatalf("%s never came true: %v; at %s", condition, err, w.where())
	}
}

// quiet fails the test when the browser has complained of anything but an answer that it was meant to get.
func (w *window) quiet() {
	w.t.Helper()
	evaluate[bool](w, `console.info("so far"), true`)
	for {
		select {
		case text := <-w.messages:
			if text == "so far" {
				return
			}
			if !strings.Contains(text, "status of 404") && !strings.Contains(text, "status of 422") {
				w.t.Errorf("the browser says: %s", text)
			}
		case <-w.ctx.Done():
			w.t.Fatal("the console fell silent")
		}
	}
}

// signIn signs the window in through the outbox, as the operator of a new service does.
func (w *window) signIn(s *service, email string) {
	w.t.Helper()
	w.do(
		chromedp.Navigate(must[string](w.t)(s.server.OperatorLink(w.t.Context()))),
		chromedp.Click(`form[action="/panel/operator/open"] button`), chromedp.WaitVisible(`#outbox`),
		chromedp.Navigate(s.url+"/panel/"),
		chromedp.SendKeys("#email", email), chromedp.Click(`form[action="/panel/sign-in"] button`),
		chromedp.Click(`.actions a[href="/panel/operator"]`),
		chromedp.Click(`a[href*="oobCode="]`),
		chromedp.Click(`form[action="/panel/confirm"] button`),
		chromedp.WaitVisible(`a[href="/panel/applications/new"]`),
	)
}

// file waits for a download and returns its text.
func (w *window) file(name string) string {
	w.t.Helper()
	for path := filepath.Join(w.downloads, name); ; {
		if text, err := os.ReadFile(path); err == nil && len(text) > 0 {
			return string(text)
		}
		select {
		case <-w.ctx.Done():
			w.t.Fatalf("%s was not saved", name)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// The journey of the issue: from the mail link to a working token, with a key that the browser makes. The private key
// never crosses the network.
func TestJourneyFromTheMailToAToken(t *testing.T) {
	testkit.Unwatched(t)
	s, w := run(t), browse(t)
	w.signIn(s, "ada@dev.example")
	w.do(chromedp.Click(`a[href="/panel/applications/new"]`), chromedp.WaitVisible("#way-browser"))
	if !evaluate[bool](w, `document.querySelector("#way-browser").checked && !document.querySelector("#certificate").checkVisibility()`) {
		t.Error("the browser does not offer to make the key")
	}
	sent := sentBodies(w)
	w.do(chromedp.SendKeys("#redirect_urls", callback), chromedp.Click(`form[data-key-form] button[type=submit]`)) // and forget the name
	w.await(`document.title.startsWith("Please check")`)
	if !evaluate[bool](w, `document.activeElement.id === "name" && document.querySelector("#name-problem").textContent === "It is empty." && document.querySelector("#way-browser").checked`) {
		t.Errorf("after a mistake: %s", w.where())
	}
	w.do(chromedp.SendKeys("#name", `Ledger <b>&"`), chromedp.Click(`form[data-key-form] button[type=submit]`))
	w.await(`document.querySelector("[data-key-saved]") !== null`)
	id := evaluate[string](w, `location.pathname.split("/").pop()`)
	private := w.file(id + ".pem")
	key, err := apptoken.ParseKey([]byte(private))
	if err != nil || key.N.BitLen() != 3072 {
		t.Fatalf("the saved key: %v", err)
	}
	w.do(chromedp.Click(`[data-token-form] button`))
	w.await(`document.querySelector("#token")?.value !== ""`)
	token := evaluate[string](w, `document.querySelector("#token").value`)
	got := s.call(token, "GET", "/application", nil)
	if got.status != 200 || got.body["kid"] != id || got.body["name"] != `Ledger <b>&"` {
		t.Errorf("GET /application with the token of the browser: %d %s", got.status, got.raw)
	}
	if got := s.call(must[string](t)(apptoken.NewSigner(key, id, issuer, audience).Token(time.Now())), "GET", "/application", nil); got.status != 200 {
		t.Errorf("GET /application with the saved key: %d %s", got.status, got.raw)
	}
	for _, body := range sent() {
		if strings.Contains(body, "PRIVATE") {
			t.Error("a private key was sent")
		}
	}

	// Another day: the key comes from the file.
	w.do(chromedp.Reload(), chromedp.WaitVisible(`[data-token-form] button`), chromedp.Click(`[data-token-form] button`))
	w.await(`document.querySelector("[data-token-problem]").textContent.startsWith("Choose the file")`)
	wrong := filepath.Join(t.TempDir(), "wrong.pem")
	if err := os.WriteFile(wrong, []byte(firstKey().certificate), 0o600); err != nil {
		t.Fatal(err)
	}
	w.do(chromedp.SetUploadFiles("#key-file", []string{wrong}), chromedp.Click(`[data-token-form] button`))
	w.await(`document.querySelector("[data-token-problem]").textContent.startsWith("The file holds no private key")`)
	w.do(chromedp.SetUploadFiles("#key-file", []string{filepath.Join(w.downloads, id+".pem")}), chromedp.Click(`[data-token-form] button`))
	w.await(`document.querySelector("#token").value !== ""`)
	if got := s.call(evaluate[string](w, `document.querySelector("#token").value`), "GET", "/application", nil); got.status != 200 {
		t.Errorf("GET /application with a token from the file: %d %s", got.status, got.raw)
	}

	// Rotation in the browser: a new key, and the old one ends.
	w.do(chromedp.Click(`.tabs a[href$="/keys"]`), chromedp.Click(`form[data-key-form] button[type=submit]`))
	w.await(`document.querySelector("[data-key-saved]") !== null`)
	w.do(chromedp.Click(`[data-token-form] button`))
	w.await(`document.querySelector("#token")?.value !== ""`)
	renewed := evaluate[string](w, `document.querySelector("#token").value`)
	for name, token := range map[string]string{"old": token, "new": renewed} {
		if got := s.call(token, "GET", "/application", nil); got.status != 200 {
			t.Errorf("the %s key while both are good: %d", name, got.status)
		}
	}
	w.do(chromedp.Click(`.tabs a[href$="/keys"]`), chromedp.Click(`form[action$="/end"] button`), chromedp.WaitVisible(`.card-ended`))
	if a, b := s.call(token, "GET", "/application", nil).status, s.call(renewed, "GET", "/application", nil).status; a != 401 || b != 200 {
		t.Errorf("after the end of the old key: %d and %d", a, b)
	}

	// Pause.
	w.do(chromedp.Click(`.tabs a:first-child`), chromedp.Click(`form[action$="/pause"] button`), chromedp.WaitVisible(`.state-paused`))
	if got := s.call(renewed, "GET", "/aspsps", nil); got.status != 403 {
		t.Errorf("paused: %d", got.status)
	}
	w.quiet()
}

// sentBodies collects what the window sends in forms and returns it when asked.
func sentBodies(w *window) func() []string {
	requests := chromedp.Events(w.ctx, network.RequestWillBeSent)
	bodies := make(chan string, 100)
	go func() { // ends with ctx
		for event, err := range requests {
			if err != nil {
				return
			}
			for _, entry := range event.Request.PostDataEntries {
				bodies <- string(entry.Bytes)
			}
		}
	}()
	w.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, network.Enable, network.EnableParams{})
		return err
	}))
	return func() (list []string) {
		for {
			select {
			case body := <-bodies:
				list = append(list, body)
			default:
				return list
			}
		}
	}
}

// Without scripts the other ways to a key remain, and lead to a working token.
func TestJourneyWithoutScripts(t *testing.T) {
	testkit.Unwatched(t)
	s, w := run(t), browse(t)
	w.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return err
	}))
	w.signIn(s, "ada@dev.example")
	w.do(
		chromedp.Click(`a[href="/panel/applications/new"]`), chromedp.WaitVisible("#way-server"), chromedp.WaitNotVisible("#way-browser"),
		chromedp.SendKeys("#name", "Ledger"), chromedp.SendKeys("#redirect_urls", callback), chromedp.Click(`form[data-key-form] button[type=submit]`),
		chromedp.WaitVisible("#token"),
		chromedp.Click(`a[download]`),
	)
	token := evaluate[string](w, `document.querySelector("#token").textContent`)
	id := evaluate[string](w, `location.pathname.split("/")[3]`)
	if got := s.call(token, "GET", "/application", nil); got.status != 200 || got.body["kid"] != id {
		t.Errorf("GET /application: %d %s", got.status, got.raw)
	}
	if _, err := apptoken.ParseKey([]byte(w.file(id + ".pem"))); err != nil {
		t.Errorf("the saved key: %v", err)
	}
	w.do(chromedp.Click(`form[action$="/key/saved"] button`), chromedp.WaitVisible(".done"))
	if evaluate[bool](w, `document.querySelector("[data-token-maker]").checkVisibility()`) {
		t.Error("the page offers what needs a script")
	}
}

// WCAG 2.2: nothing sticks out of a narrow screen (1.4.10), targets are large enough (2.5.8), text has contrast in both
// schemes (1.4.3), and the policy blocks nothing.
func TestPagesInTheBrowser(t *testing.T) {
	testkit.Unwatched(t)
	s, w := run(t), browse(t)
	long := strings.Repeat("Haushaltsbuch", 12)
	w.signIn(s, "ada@dev.example")
	b := s.developer("ada@dev.example")
	id := s.upload(b, url.Values{"name": {long}, "redirect_urls": {"https://" + strings.Repeat("a", 60) + ".example/" + strings.Repeat("b", 300)}})
	s.upload(b, production)
	s.linkMock(b, id)
	s.post(b, "/panel/applications/"+id+"/keys", url.Values{"way": {"server"}}, 200)
	s.call(firstKey().token(t, id), "GET", "/aspsps", nil)
	s.call(firstKey().token(t, id), "GET", "/aspsps?country=x", nil)
	s.ask(walk.New(nil), "eve@"+strings.Repeat("long", 12)+".example")
	path := "/panel/applications/" + id
	pages := []string{"/panel/", "/panel/sign-in", "/panel/sent", "/panel/account", "/panel/operator", "/panel/nothing", "/panel/applications/new",
		path, path + "/key", path + "/keys", path + "/settings", path + "/delete", path + "/accounts", path + "/requests", path + "/requests?error=x"}
	w.audit(s, pages)
	w.quiet()
}

// audit looks at pages in every width and scheme for what breaks a rule.
func (w *window) audit(s *service, pages []string) {
	w.t.Helper()
	for _, look := range []struct {
		name   string
		width  int64
		scheme string
	}{{"narrow", 390, "light"}, {"wide", 1280, "light"}, {"dark", 390, "dark"}} {
		w.do(chromedp.EmulateViewport(look.width, 900), chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
			_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia,
				emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: look.scheme}}})
			return err
		}))
		for _, page := range pages {
			w.do(chromedp.Navigate(s.url+page), chromedp.WaitVisible("main h1"))
			for _, problem := range evaluate[[]string](w, audit) {
				w.t.Errorf("%s %s: %s", look.name, page, problem)
			}
		}
	}
}

// The journey of a webhook: from the log to the event, sent again, and to the page that explains it.
func TestJourneyToAWebhook(t *testing.T) {
	testkit.Unwatched(t)
	target := receive(t, func(event openbanking.PaymentStatusWebhook) int {
		if event.PaymentStatus == openbanking.PaymentStatusRJCT {
			return 503
		}
		return 200
	})
	s := runWebhooks(t, "")
	b := s.developer("ada@dev.example")
	id := s.upload(b, url.Values{"webhook_origins": {target.URL}, "name": {strings.Repeat("Haushaltsbuch", 12)}})
	s.upload(b, production)
	path := "/panel/applications/" + id + "/webhooks"
	s, _ = s.happen(id, []life{{target.URL + "/" + strings.Repeat("long", 60), rejected}, {target.URL, ended}}, target.URL)
	target.await(t, 3)
	w := browse(t)
	w.signIn(s, "ada@dev.example")
	w.do(
		chromedp.Click(`.card-name[href$="`+id+`"]`), chromedp.Click(`.tabs a[href$="/webhooks"]`), chromedp.WaitVisible(`.log`),
	)
	w.await(`document.querySelectorAll(".log tbody tr").length === 3`)
	w.do(chromedp.Click(`.log tbody tr:first-child a`), chromedp.WaitVisible(`#claims`), chromedp.Click(`form[action$="/again"] button`),
		chromedp.WaitVisible(`.done`))
	target.await(t, 4)
	event := evaluate[string](w, `location.pathname`)
	w.do(chromedp.Click(`a[href*="/webhooks/verify?webhook="]`), chromedp.WaitVisible(`#program`))
	if text := evaluate[string](w, `document.querySelector("#body").textContent`); !strings.Contains(text, event[strings.LastIndex(event, "/")+1:]) {
		t.Errorf("the page explains another event: %s", text)
	}
	w.audit(s, []string{path, path + "?status=open", path + "?status=given+up", event, path + "/verify", "/panel/operator",
		"/panel/applications/" + id + "/settings"})
	w.quiet()
}

const audit = `(() => {
	const found = [];
	const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
	const rgba = (color) => {
		canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1);
		const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
		return [r, g, b, a / 255];
	};
	const ground = (element) => {
		for (let e = element; e; e = e.parentElement) {
			const color = rgba(getComputedStyle(e).backgroundColor);
			if (color[3] === 1) return color;
		}
		return [255, 255, 255, 1];
	};
	const luminance = ([r, g, b]) => {
		const [x, y, z] = [r, g, b].map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
		return 0.2126 * x + 0.7152 * y + 0.0722 * z;
	};
	const contrast = (a, b) => { const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
	const shown = (e) => e.checkVisibility() && !e.closest(".only-read, .skip, svg, noscript, option");
	const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (walk.nextNode()) {
		const e = walk.currentNode.parentElement;
		if (!walk.currentNode.textContent.trim() || !shown(e)) continue;
		const ratio = contrast(rgba(getComputedStyle(e).color), ground(e));
		if (ratio < 4.5) found.push("contrast " + ratio.toFixed(2) + " of " + e.tagName + "." + e.className + ": " + e.textContent.trim().slice(0, 40));
	}
	const width = document.documentElement.clientWidth;
	if (document.documentElement.scrollWidth > width) found.push("the page scrolls sideways: " + document.documentElement.scrollWidth + " > " + width);
	for (const e of document.querySelectorAll("body *")) {
		if (!shown(e) || e.closest(".scroll, pre")) continue;
		const box = e.getBoundingClientRect();
		if (box.right > width + 0.5 || box.left < -0.5) { found.push("sticks out: " + e.tagName + "." + e.className + " " + Math.round(box.left) + ".." + Math.round(box.right)); break; }
	}
	for (const e of document.querySelectorAll("a, button, input:not([type=hidden]), select, summary, textarea")) {
		if (!shown(e)) continue;
		const box = e.getBoundingClientRect();
		const inline = e.tagName === "A" && getComputedStyle(e).display === "inline";
		if (!inline && !e.matches("[type=radio], [type=checkbox]") && (box.height < 24 || box.width < 24)) found.push("small target: " + e.tagName + " " + e.textContent.trim().slice(0, 40));
		if (e.matches("input, select, textarea") && e.labels.length === 0) found.push("no label: " + e.name);
	}
	return found;
})()`
