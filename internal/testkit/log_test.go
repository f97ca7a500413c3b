package testkit_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"florin/internal/testkit"
)

// Whole lines of several writers arrive, each once, while the log is read.
func TestLog(t *testing.T) {
	var log testkit.Log
	var writers sync.WaitGroup
	for writer := range 8 {
		writers.Go(func() {
			for line := range 100 {
				fmt.Fprintf(&log, "%d-%d\n", writer, line)
				_ = log.String()
			}
		})
	}
	writers.Wait()
	seen := map[string]bool{}
	for line := range strings.Lines(log.String()) {
		seen[line] = true
	}
	if len(seen) != 800 || !seen["7-99\n"] {
		t.Errorf("%d different lines arrived, want 800", len(seen))
	}
}
