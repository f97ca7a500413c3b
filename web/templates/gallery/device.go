package main

import (
	"context"
	"io"

	"github.com/a-h/templ"

	"florin/web/templates/layout"
	"florin/web/templates/pages"
	"florin/web/templates/words"
)

// hiding is a page where amounts are hidden.
func hiding(page templ.Component) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		words.Hide(ctx, true)
		return page.Render(ctx, w)
	})
}

// hides is the frame of somebody who hides amounts.
func hides(f layout.Frame) layout.Frame {
	f.Hides = true
	return f
}

// deviceScreens are pages with hidden amounts, and the page about keys.
func deviceScreens() []screen {
	first, one, row := dashboard(), account(), budget()
	first.Frame, one.Frame, row.Frame = hides(first.Frame), hides(one.Frame), hides(row.Frame)
	report := reportHousehold()
	report.Frame = hides(report.Frame)
	sent := review()
	sent.Frame = hides(sent.Frame)
	sent.Frame.Shows = true
	everything := frame()
	everything.Payments, everything.Settling = true, true
	viewer := frame()
	viewer.User.Viewer = true
	return []screen{
		{"dashboard-hidden", hiding(pages.Dashboard(first))},
		{"account-hidden", hiding(pages.Account(one))},
		{"budget-hidden", hiding(pages.Budget(row))},
		{"report-hidden", hiding(pages.Report(report))},
		{"review-shown", pages.Review(sent)},
		{"keyboard", pages.Keyboard(pages.KeyboardView{Frame: everything})},
		{"keyboard-off", pages.Keyboard(pages.KeyboardView{Frame: viewer, KeysOff: true})},
	}
}
