package judge

import (
	"testing"

	"florin/internal/testkit"
)

// The search must reach its bars. docs/recurring.md has the figures. The numbers of the search were chosen on other ledgers than these.
func TestTheSearchMeetsItsBars(t *testing.T) {
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Figures)
	var s Score
	for seed := range uint64(20) {
		l, err := Make(100 + seed)
		if err != nil {
			t.Fatal(err)
		}
		s = s.With(l)
	}
	if s.There < 300 || s.Next < 500 {
		t.Fatalf("too little to judge by: %d series, %d days told", s.There, s.Next)
	}
	for _, bar := range Bars {
		got := bar.Of(s)
		t.Logf("%s: %.1f %%, the bar is %.0f %%", bar.Name, 100*got, 100*bar.Goal)
		if got < bar.Goal {
			t.Errorf("%s: %.1f %%, want %.0f %%", bar.Name, 100*got, 100*bar.Goal)
		}
	}
	t.Logf("%d found, %d there, %d days", s.Found, s.There, s.Next)
	if t.Failed() {
		for _, m := range s.Mistakes {
			t.Log(m)
		}
	}
}
