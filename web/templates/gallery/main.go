// Program gallery shows every page of the app with made-up content, to look at and to check in a browser. It is not part of Florin: nothing imports it.
//
//	go run ./web/templates/gallery --out DIR    takes pictures (wide, narrow, dark, German) and prints what is wrong
//	go run ./web/templates/gallery --serve      serves the pages until it is interrupted
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"florin/internal/chromium"
	"florin/web/static"
	"florin/web/templates/paths"
	"florin/web/templates/words"
)

// policy is the content security policy of the app, with trusted types.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; " +
	"base-uri 'none'; frame-ancestors 'none'; object-src 'none'; manifest-src 'self'; worker-src 'self'; require-trusted-types-for 'script'; trusted-types florin"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("gallery", flag.ContinueOnError)
	out := flags.String("out", "", "folder for the pictures")
	only := flags.String("only", "", "only pages whose name contains this")
	wide := flags.Bool("wide-fonts", false, "show text in a family that is wider than any that the pages name")
	keep := flags.Bool("serve", false, "serve the pages until interrupted")
	if err := flags.Parse(args); err != nil {
		return err
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: handler(), ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = server.Serve(listener) }() // ends with Close below
	defer server.Close()
	base := "http://" + listener.Addr().String()
	if *keep {
		_, err := fmt.Fprintln(stdout, base)
		<-ctx.Done()
		return err
	}
	if *out == "" {
		return errors.New("name a folder for the pictures: --out DIR")
	}
	if err := os.MkdirAll(*out, 0o750); err != nil {
		return err
	}
	fonts := chromium.Liberation
	if *wide {
		fonts = chromium.DejaVu
	}
	return capture(ctx, stdout, base, *out, *only, fonts)
}

// handler serves every screen under its name, and the assets.
func handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle(static.Prefix, static.Handler())
	mux.HandleFunc("GET "+paths.Worker, keepNothing)
	mux.HandleFunc("POST /sign-in/passkey/options", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("GET /live", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	var index strings.Builder
	index.WriteString("<!DOCTYPE html><title>Gallery</title><ul>")
	for _, s := range screens() {
		fmt.Fprintf(&index, `<li><a href="/%s">%[1]s</a> <a href="/%[1]s?lang=de">de</a>`, s.name)
		mux.HandleFunc("GET /"+s.name, func(w http.ResponseWriter, r *http.Request) {
			var page bytes.Buffer
			if err := s.render(r.Context(), r.FormValue("lang"), &page); err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			w.Header().Set("Content-Security-Policy", policy)
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write(page.Bytes())
		})
	}
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(index.String()))
	})
	return mux
}

// keepNothing is a service worker for pages outside of a Florin. It does nothing.
func keepNothing(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
	_, _ = w.Write([]byte("// Nothing is kept here.\n")) // the browser is gone: nobody would read an error
}

// render writes the page in a language: "de", else English.
func (s screen) render(ctx context.Context, lang string, page *bytes.Buffer) error {
	ctx = words.Listen(ctx, words.App, lang)
	if err := s.page.Render(ctx, page); err != nil {
		return err
	}
	if words.In(ctx).Code() == words.English.Code() {
		return nil
	}
	return inGerman(page)
}

// look is a way of showing a page: its width, colours and language.
type look struct {
	name   string
	width  int64
	scheme string
	lang   string
}

var looks = []look{
	{"wide", 1280, "light", ""}, {"narrow", 390, "light", ""}, {"dark", 1280, "dark", ""}, {"narrow-dark", 390, "dark", ""},
	{"german", 1280, "light", "de"}, {"narrow-german", 390, "light", "de"},
}

func emulate(l look) chromedp.Action[chromedp.Void] {
	return chromedp.Steps(
		chromedp.EmulateViewport(l.width, 900),
		chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
			_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
				Features: []*emulation.MediaFeature{
					{Name: "prefers-color-scheme", Value: l.scheme},
					{Name: "prefers-reduced-motion", Value: "reduce"}, // so that no colour is on its way to another
				},
			})
			return err
		}),
	)
}

// capture takes a picture of every page in every look and reports the findings of audit.
func capture(ctx context.Context, stdout io.Writer, base, out, only string, fonts chromium.Fonts) error {
	ctx, closeBrowser, err := chromium.Start(ctx, fonts)
	if err != nil {
		return err
	}
	defer closeBrowser()
	problems := 0
	for _, s := range screens() {
		if !strings.Contains(s.name, only) {
			continue
		}
		for _, l := range looks {
			found, err := inspect(ctx, base+"/"+s.name+"?lang="+l.lang, l)
			if err != nil {
				return fmt.Errorf("%s %s: %w", s.name, l.name, err)
			}
			for _, problem := range found {
				if _, err := fmt.Fprintf(stdout, "%s %s\n", s.name, problem); err != nil {
					return err
				}
				problems++
			}
			picture, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(out, s.name+"."+l.name+".png"), picture, 0o600); err != nil {
				return err
			}
		}
	}
	if problems > 0 {
		return fmt.Errorf("%d problems", problems)
	}
	return nil
}

// inspect opens a page in the first of some looks, switches to the others without reloading it, and returns the findings of audit in each.
func inspect(ctx context.Context, url string, looks ...look) (problems []string, err error) {
	for i, l := range looks {
		if err := chromedp.Do(ctx, emulate(l)); err != nil {
			return nil, err
		}
		if i == 0 {
			if err := chromedp.Do(ctx, chromedp.Navigate(url)); err != nil {
				return nil, err
			}
		}
		found, err := chromedp.Run(ctx, chromedp.Evaluate[[]string](audit))
		if err != nil {
			return nil, err
		}
		for _, problem := range found {
			problems = append(problems, l.name+": "+problem)
		}
	}
	return problems, nil
}

// audit looks for text with too little contrast (WCAG 1.4.3), for content wider than the page (1.4.10), for targets
// smaller than 24 px (2.5.8), for words that run into others in tables and charts, and for a style sheet or script that the policy blocked.
const audit = `(() => {
	const found = [];
	const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
	const colors = new Map();
	const rgba = (color) => {
		if (!colors.has(color)) {
			canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1);
			const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
			colors.set(color, [r, g, b, a / 255]);
		}
		return colors.get(color);
	};
	const over = (top, below) => {
		const a = top[3] + below[3] * (1 - top[3]);
		return a === 0 ? below : top.slice(0, 3).map((c, i) => (c * top[3] + below[i] * below[3] * (1 - top[3])) / a).concat(a);
	};
	// The colours of a text and of what is behind it, from the element outwards: each background lies below both, and the opacity of an element fades both.
	const seenOn = (element) => {
		let text = rgba(getComputedStyle(element).color), ground = [0, 0, 0, 0];
		for (let e = element; e; e = e.parentElement) {
			const style = getComputedStyle(e), background = rgba(style.backgroundColor);
			[text, ground] = [text, ground].map((color) => over(color, background)).map(([r, g, b, a]) => [r, g, b, a * style.opacity]);
		}
		return [text, ground].map((color) => over(color, rgba(getComputedStyle(document.body).backgroundColor)));
	};
	const luminance = ([r, g, b]) => {
		const [x, y, z] = [r, g, b].map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
		return 0.2126 * x + 0.7152 * y + 0.0722 * z;
	};
	const contrast = (a, b) => { const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
	const shown = (e) => e.checkVisibility() && !e.closest(".only-read, .skip, svg, noscript");
	const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	const seen = new Set();
	while (walk.nextNode()) {
		const e = walk.currentNode.parentElement;
		if (!walk.currentNode.textContent.trim() || seen.has(e) || !shown(e) || e.closest("[disabled]")) continue;
		seen.add(e);
		const style = getComputedStyle(e), size = parseFloat(style.fontSize);
		const need = size >= 24 || size >= 18.66 && style.fontWeight >= 700 ? 3 : 4.5;
		const ratio = contrast(...seenOn(e));
		if (ratio < need) found.push("contrast " + ratio.toFixed(2) + " of " + e.tagName + "." + e.className + ": " + e.textContent.trim().slice(0, 40));
	}
	const width = document.documentElement.clientWidth;
	if (document.documentElement.scrollWidth > width) {
		found.push("the page scrolls sideways: " + document.documentElement.scrollWidth + " > " + width);
	}
	for (const e of document.querySelectorAll("body *")) {
		if (!shown(e) || e.closest("pre, .chips-line, .tx-text, .menu-name, .table-wide > *")) continue;
		const box = e.getBoundingClientRect();
		if (box.right > width + 0.5 || box.left < -0.5) { found.push("sticks out: " + e.tagName + "." + e.className + " " + Math.round(box.left) + ".." + Math.round(box.right)); break; }
	}
	for (const e of document.querySelectorAll(".card *")) {
		if (!shown(e) || e.closest("pre, .tx-text, .table-wide > *")) continue;
		const card = e.parentElement.closest(".card").getBoundingClientRect(), box = e.getBoundingClientRect();
		if (box.width > 0 && box.right > card.right + 0.5) { found.push("sticks out of its card: " + e.tagName + "." + e.className); break; }
	}
	for (const e of document.querySelectorAll("a, button, input:not([type=hidden]), select, summary")) {
		if (!shown(e)) continue;
		const box = e.getBoundingClientRect();
		const inline = e.tagName === "A" && getComputedStyle(e).display === "inline";
		if (!inline && !e.matches("[type=radio], [type=checkbox]") && (box.height < 24 || box.width < 24)) found.push("small target: " + e.tagName + " " + e.textContent.trim().slice(0, 40));
	}
	const labels = new Set();
	for (const e of document.querySelectorAll("td[data-label]")) {
		const style = getComputedStyle(e), before = getComputedStyle(e, "::before");
		if (!e.checkVisibility() || style.display !== "grid" || labels.has(e.dataset.label)) continue;
		labels.add(e.dataset.label);
		canvas.font = before.font;
		const pieces = before.whiteSpace === "nowrap" ? [e.dataset.label] : before.overflowWrap === "anywhere" ? [] : e.dataset.label.split(/[\s-]/);
		if (pieces.some((p) => canvas.measureText(p).width > parseFloat(style.gridTemplateColumns) + 0.5)) found.push("a label runs into its value: " + e.dataset.label);
	}
	for (const plot of document.querySelectorAll(".chart-plot")) {
		const names = [...plot.querySelectorAll(":scope > text")].filter((e) => e.checkVisibility() && e.textContent).map((e) => [e, e.getBoundingClientRect()]);
		for (const [e, box] of names) {
			const near = names.find(([other, there]) => other !== e && other.getAttribute("y") === e.getAttribute("y") && there.left >= box.left && there.left < box.right + 3);
			if (near) found.push("names in a chart touch: " + e.textContent + " " + near[0].textContent);
		}
	}
	if (document.styleSheets.length !== 1) found.push("style sheets: " + document.styleSheets.length);
	return found;
})()`
