package main

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	series "florin/internal/recurring/judge"
	"florin/internal/store"
)

// measureRecurring measures how well series are found in made-up ledgers, other ones than the test uses, and how fast in ledgers of several sizes, where a sync
// brought rows of each payee.
func (s *shared) measureRecurring(b *testing.B) []quantity {
	var score series.Score
	for seed := range uint64(60) {
		l, err := series.Make(200 + seed)
		if err != nil {
			b.Fatal(err)
		}
		score = score.With(l)
	}
	b.Logf("%d series in 60 ledgers, %d found, %d of them right; %d of %d predicted days are right", score.There, score.Found, score.Right, score.Near, score.Next)
	var table []quantity
	for _, bar := range series.Bars {
		table = append(table, quantity{name: "recurring transactions: " + bar.Name, unit: "%", withoutYardstick: true, goal: 100 * bar.Goal, atLeast: true,
			florin: []float64{100 * bar.Of(score)}})
	}
	fast := quantity{name: "recurring transactions: looking at all six payees anew, among 1,000,000", unit: "ms CPU", against: "the same among 10,000", goal: 2}
	for i, rows := range []int{ledgerSizes[0], ledgerSizes[len(ledgerSizes)-1]} {
		took := searchAnew(b, s.idleFolder(b, rows))
		if i == 0 {
			fast.yardstick = took
		} else {
			fast.florin = took
		}
	}
	return append(table, fast)
}

// searchAnew measures, in milliseconds of CPU time, how long it takes to search the rows of all payees of a data folder for series once more.
func searchAnew(b *testing.B, folder string) (took []float64) {
	b.Helper()
	key, err := store.LoadKey(filepath.Join(folder, "secrets"))
	if err != nil {
		b.Fatal(err)
	}
	s, err := store.Open(b.Context(), filepath.Join(folder, "app.db"), key)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	user, _, err := s.UserByEmail(b.Context(), ownerEmail)
	if err != nil {
		b.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(folder, "app.db")+"?_pragma=busy_timeout(10000)")
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	find := func() {
		for {
			next, err := s.FindRecurring(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			if next.IsZero() {
				return
			}
		}
	}
	find()
	for range rounds {
		for _, payee := range []string{"mercato nord", "mercateria sol", "bakery korn", "tram and bus", "cafe lumen", "bookshop page"} {
			if _, err := db.Exec(`INSERT INTO recurring_waiting (user_id, payee_key) VALUES ($1, $2)`, user.ID, payee); err != nil {
				b.Fatal(err)
			}
		}
		before := cpuTime(b, os.Getpid())
		find()
		took = append(took, milliseconds(cpuTime(b, os.Getpid())-before))
	}
	return took
}
