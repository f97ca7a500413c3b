package judge

import (
	"testing"

	"florin/internal/testkit"
)

// The guard must reach its bars. docs/direct-debits.md has the figures. The numbers of the guard were chosen on other accounts than these.
func TestTheGuardMeetsItsBars(t *testing.T) {
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Figures)
	var s, quiet Score
	for seed := range uint64(20) {
		s = s.With(Make(700+seed, true), 365)
		quiet = quiet.With(Make(800+seed, false), 365)
	}
	t.Logf("%d of %d reported on their day, %v", s.Found, s.Planted, s.ByKind)
	t.Logf("false alarms a year and household: %.2f with something put in, %.2f without", s.FalseAlarms(), quiet.FalseAlarms())
	if s.Planted < 150 || len(s.ByKind) != 6 {
		t.Fatalf("too little to judge by: %v", s.ByKind)
	}
	if s.Share() < BarFound {
		t.Errorf("%.1f %% reported on their day, want all", 100*s.Share())
	}
	if s.FalseAlarms() > BarFalse || quiet.FalseAlarms() > BarFalse {
		t.Errorf("more than %.0f false alarm", BarFalse)
	}
	if t.Failed() {
		for _, m := range append(s.Mistakes, quiet.Mistakes...) {
			t.Log(m)
		}
	}
}
