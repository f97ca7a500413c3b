package chromium

import (
	"context"
	"sync"
)

// shared is the browser that the tests of a package have in common.
var shared struct {
	start sync.Once
	ctx   context.Context
	end   func()
	err   error
}

// Shared returns the one browser of a test binary, with the fonts Liberation: each test opens a window with cookies of its own in it
// (chromedp.WithNewBrowserContext). The TestMain of the package calls End.
func Shared() (context.Context, error) {
	shared.start.Do(func() {
		shared.ctx, shared.end, shared.err = Start(context.Background(), Liberation) //nolint:fatcontext // of the browser, which all tests share
	})
	return shared.ctx, shared.err
}

// End ends the browser of Shared, if there is one.
func End() {
	if shared.end != nil {
		shared.end()
	}
}
