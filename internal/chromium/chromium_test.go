package chromium

import (
	"context"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"florin/internal/testkit"
)

// The same heading is wider in DejaVu than in Liberation, whichever of the families of the pages the machine has.
func TestFontsAreThoseOfTheTests(t *testing.T) {
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	const page = `data:text/html,<!DOCTYPE html><h1 style='display:inline-block;font:600 40px "Palatino Linotype",P052,Georgia,serif'>Leaving for the bank</h1>`
	width := func(fonts Fonts) float64 {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		ctx, stop, err := Start(ctx, fonts)
		if err != nil {
			t.Fatal(err)
		}
		defer stop()
		if err := chromedp.Do(ctx, chromedp.Navigate(page)); err != nil {
			t.Fatal(err)
		}
		w, err := chromedp.Run(ctx, chromedp.Evaluate[float64](`document.querySelector("h1").getBoundingClientRect().width`))
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	narrow, wide := width(Liberation), width(DejaVu)
	if wide < narrow*1.1 {
		t.Errorf("the heading is %.0f px wide in DejaVu and %.0f px in Liberation, want a tenth more at least", wide, narrow)
	}
	t.Logf("Liberation %.0f px, DejaVu %.0f px", narrow, wide)
}
