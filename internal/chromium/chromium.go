// Package chromium starts the browser of the tests, always in the same way: headless, with an empty profile, without traffic of its own, and with fonts
// that come with the tests instead of those of the machine. No part of the program imports it.
package chromium

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/go-fonts/dejavu/dejavusans"
	"github.com/go-fonts/dejavu/dejavusansbold"
	"github.com/go-fonts/dejavu/dejavusansmono"
	"github.com/go-fonts/dejavu/dejavuserif"
	"github.com/go-fonts/dejavu/dejavuserifbold"
	"github.com/go-fonts/liberation/liberationmonoregular"
	"github.com/go-fonts/liberation/liberationsansbold"
	"github.com/go-fonts/liberation/liberationsansregular"
	"github.com/go-fonts/liberation/liberationserifbold"
	"github.com/go-fonts/liberation/liberationserifregular"
)

// Fonts are the families that a browser has, by file name. A browser has no others, whatever the machine has.
type Fonts map[string][]byte

var (
	// Liberation has the widths of Times, Arial and Courier: with them, text is narrow.
	Liberation = Fonts{
		"serif.ttf": liberationserifregular.TTF, "serif-bold.ttf": liberationserifbold.TTF,
		"sans.ttf": liberationsansregular.TTF, "sans-bold.ttf": liberationsansbold.TTF,
		"mono.ttf": liberationmonoregular.TTF,
	}
	// DejaVu is wider than any family that the pages name: a heading takes about a sixth more room than in Palatino, a text more than in Verdana.
	DejaVu = Fonts{
		"serif.ttf": dejavuserif.TTF, "serif-bold.ttf": dejavuserifbold.TTF,
		"sans.ttf": dejavusans.TTF, "sans-bold.ttf": dejavusansbold.TTF,
		"mono.ttf": dejavusansmono.TTF,
	}
)

// families names what "serif", "sans-serif" and "monospace" stand for, and what every other family does: fontconfig takes the first that exists.
const families = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
<dir>%[1]s</dir>
<cachedir>%[1]s/cache</cachedir>
<alias><family>serif</family><prefer><family>Liberation Serif</family><family>DejaVu Serif</family></prefer></alias>
<alias><family>sans-serif</family><prefer><family>Liberation Sans</family><family>DejaVu Sans</family></prefer></alias>
<alias><family>monospace</family><prefer><family>Liberation Mono</family><family>DejaVu Sans Mono</family></prefer></alias>
<match><edit name="family" mode="append_last"><string>Liberation Sans</string><string>DejaVu Sans</string></edit></match>
</fontconfig>
`

// patience is how long a browser on a busy machine may take to start.
const patience = time.Minute

// find returns the browser that FLORIN_CHROMIUM names, or an installed one, the headless shell before a whole browser (ADR 0047). Tests are never
// skipped: no browser is an error.
func find() (string, error) {
	if path := os.Getenv("FLORIN_CHROMIUM"); path != "" {
		return path, nil
	}
	names := []string{"chromium-headless-shell", "chrome-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("tests in a browser need Chromium and found none of %s; run scripts/chromium, which says what to do, or set FLORIN_CHROMIUM to the path of one",
		strings.Join(names, ", "))
}

// Start starts a browser with some fonts and returns the context of its first tab. It runs until stop is called, which removes all that the browser wrote.
func Start(parent context.Context, fonts Fonts) (ctx context.Context, stop func(), err error) {
	path, err := find()
	if err != nil {
		return nil, nil, err
	}
	home, err := os.MkdirTemp("", "florin-chromium-")
	if err != nil {
		return nil, nil, err
	}
	configuration, err := fonts.write(filepath.Join(home, "fonts"))
	if err != nil {
		_ = os.RemoveAll(home)
		return nil, nil, err
	}
	ctx, stopBrowser := chromedp.NewExecAllocator(parent, append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.UserDataDir(filepath.Join(home, "profile")), chromedp.Env("FONTCONFIG_FILE="+configuration),
		chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WSURLReadTimeout(patience),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("font-render-hinting", "none"),
		// The headless shell does not guess how fast the connection is, and would load pictures from further away: this is the distance of a fast one.
		chromedp.Flag("blink-settings", "lazyLoadingImageMarginPxUnknown=1250"),
		// A spare renderer, started for a page that may come, costs a tenth of the time of a journey.
		chromedp.Flag("disable-features",
			"Translate,BlinkGenPropertyTrees,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,PasswordManagerOnboarding,SpareRendererForSitePerProcess"),
	)...)
	ctx, stopTab := chromedp.NewContext(ctx)
	stop = func() {
		stopTab()
		stopBrowser()
		_ = os.RemoveAll(home)
	}
	if err := chromedp.Do(ctx); err != nil { // the browser lives as long as the context of the first call
		stop()
		return nil, nil, fmt.Errorf("start %s: %w", path, err)
	}
	return ctx, stop, nil
}

// write puts the fonts into a folder and returns the file that tells fontconfig to look nowhere else.
func (f Fonts) write(folder string) (string, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	for name, data := range f {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o600); err != nil {
			return "", err
		}
	}
	configuration := filepath.Join(folder, "fonts.conf")
	return configuration, os.WriteFile(configuration, fmt.Appendf(nil, families, folder), 0o600)
}
