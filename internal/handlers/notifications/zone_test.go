package notifications

import (
	"testing"
	"time"
	_ "time/tzdata" // the same on every machine
)

// A time zone is called by a name that people know, and never Local.
func TestZoneName(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	local := time.Local
	t.Cleanup(func() { time.Local = local })
	time.Local = time.FixedZone("CET", 3600)
	now := time.Date(2026, 11, 24, 0, 0, 0, 0, time.UTC)
	for zone, want := range map[*time.Location]string{berlin: "Europe/Berlin", time.UTC: "UTC", time.Local: "CET"} {
		if got := zoneName(now, zone); got != want {
			t.Errorf("%v is called %q, want %q", zone, got, want)
		}
	}
}
