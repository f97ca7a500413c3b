package judge

import (
	"sync"
	"testing"

	"florin/internal/categories/household"

	"florin/internal/testkit"
)

// judged is what the chain does on all made-up ledgers, which takes seconds: both tests read it.
var judged = sync.OnceValues(func() (Score, error) { return Ledgers(household.All()) })

// A chain that is worse than its bars is not good enough. docs/categories.md has the figures.
func TestTheChainMeetsItsBars(t *testing.T) {
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Figures)
	s, err := judged()
	if err != nil {
		t.Fatal(err)
	}
	if s.All.Rows < 10_000 || s.NewChains.Rows < 300 || s.FirstMonth.Rows < 300 {
		t.Fatalf("too little to judge by: %d rows, %d first rows of chains, %d rows of first months", s.All.Rows, s.NewChains.Rows, s.FirstMonth.Rows)
	}
	for _, bar := range Bars {
		got := bar.Of(s)
		t.Logf("%s: %.1f %%, the bar is %.0f %%", bar.Name, 100*got, 100*bar.Goal)
		if bar.AtLeast && got < bar.Goal || !bar.AtLeast && got > bar.Goal {
			t.Errorf("%s: %.1f %%, want %.0f %%", bar.Name, 100*got, 100*bar.Goal)
		}
	}
	if t.Failed() {
		for _, m := range s.Mistakes {
			t.Logf("%s, not %q by %q (%s): %q %q in %s", m.Want, m.Category, m.By, m.Why, m.Name, m.Text, m.Country)
		}
	}
}

// What naive Bayes is sure of by nine in ten is right nine times in ten.
func TestNaiveBayesIsAsSureAsItSays(t *testing.T) {
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Figures)
	s, err := judged()
	if err != nil {
		t.Fatal(err)
	}
	if set := s.Steps["words"]; set.Rows < 100 || part(set.Right, set.Rows) < 0.9 {
		t.Errorf("naive Bayes set a category %d times, and %d times the right one: it does so from 90 %% on", set.Rows, set.Right)
	}
	if s.Suggestions < 50 || part(s.Accepted, s.Suggestions) < 0.5 {
		t.Errorf("%d of %d suggestions are right: it suggests from 50 %% on", s.Accepted, s.Suggestions)
	}
}
