package pages

import (
	"context"
	"testing"
	"time"

	"florin/web/templates/words"
)

var english = words.In(context.Background())

func TestLifetime(t *testing.T) {
	for d, want := range map[time.Duration]string{10 * time.Minute: "10 minutes", time.Minute: "1 minute", time.Second: "1 second",
		90 * time.Second: "90 seconds"} {
		if got := lifetime(english, d); got != want {
			t.Errorf("lifetime(%v) = %q, want %q", d, got, want)
		}
	}
}
