package main

import (
	"database/sql"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"florin/internal/contract/walk"
	"florin/internal/openbanking"
)

// measureReads requests a page a hundred times a second, first alone and then while many transactions are synced.
func measureReads(b *testing.B) []quantity {
	reads := quantity{name: "account page, 100 times a second while 100,000 transactions are synced: 99 of 100 within", unit: "ms", against: "the same without a sync",
		goal: 2, reason: "the service that makes the rows, the app that stores them and the program that asks have two cores together"}
	for round := range 3 {
		f := launch(b, b.TempDir(), anywhere...)
		a := addApplication(b, f)
		p := newPerson(b)
		p.setUp(f)
		p.link(f, mammoth.Name, mammoth.Country, a.sample(mammoth, "1000"))
		f.synced()
		reader := newReader(b, f)
		_, small := reader.accounts()
		reads.yardstick = append(reads.yardstick, paced(func() { reader.get(small) }, func() { time.Sleep(5 * time.Second) }))
		p.link(f, mammoth.Name, mammoth.Country, a.sample(mammoth, "100000"))
		reads.florin = append(reads.florin, paced(func() { reader.get(small) }, f.synced))
		b.Logf("round %d: %.1f ms, during a sync %.1f ms", round+1, reads.yardstick[round], reads.florin[round])
		if err := f.end(); err != nil {
			b.Fatal(err)
		}
	}
	return []quantity{reads}
}

// measurePruning calls the API a hundred times a second, first alone and then while the service removes a million old calls from its log.
func measurePruning(b *testing.B) []quantity {
	pruning := quantity{name: "API: balances, 100 times a second while a million old calls are removed from the log: 99 of 100 within", unit: "ms",
		against: "the same without that", goal: 2, reason: "a step of the removal writes to the same disk"}
	f := launch(b, b.TempDir(), append(slices.Clone(anywhere), "--service-rate-limit", "0")...)
	a := addApplication(b, f)
	session := a.link(openbanking.ASPSP{Name: "Mock ASPSP", Country: "FI"}, walk.Person{})
	token, err := a.token()
	if err != nil {
		b.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: crowd}}
	balances := func() func() {
		return asker(b, client, f.service+"/accounts/"+*session.Accounts[0].UID+"/balances", token)
	}
	aWhile := func() { time.Sleep(5 * time.Second) }
	ask := balances()
	for range 3 {
		pruning.yardstick = append(pruning.yardstick, paced(ask, aWhile))
	}
	if err := f.end(); err != nil {
		b.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(f.folder, "aggregator.db")+"?_pragma=busy_timeout(10000)")
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(`WITH RECURSIVE call(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM call WHERE n < 1000000)
		INSERT INTO request_log (application_id, at, request_id, endpoint, resource, status, error, aspsp_name, aspsp_country, latency)
		SELECT $1, strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-60 days', n || ' seconds'), printf('%032d', n), 'GET /accounts/{account_id}/balances', '', 200, '', '', '', 900 FROM call`,
		a.id); err != nil {
		b.Fatal(err)
	}
	if _, err := db.Exec(`PRAGMA wal_checkpoint(TRUNCATE)`); err != nil { // otherwise Florin's first commit would have to do it
		b.Fatal(err)
	}
	f = launch(b, f.folder, append(slices.Clone(anywhere), "--service-rate-limit", "0")...)
	ask = balances() // another start listens on another port
	for range 3 {
		pruning.florin = append(pruning.florin, paced(ask, aWhile))
	}
	var left int
	if err := db.QueryRow(`SELECT count(*) FROM request_log WHERE request_id LIKE '0000%'`).Scan(&left); err != nil || left == 0 || left == 1_000_000 {
		b.Fatalf("%d old calls are left: %v", left, err)
	}
	b.Logf("%d old calls are left", left)
	if err := f.end(); err != nil {
		b.Fatal(err)
	}
	return []quantity{pruning}
}

// paced calls ask every 10 ms, without waiting for the answers, until wait returns. It returns the number of milliseconds within which 99 of 100 answers
// arrived.
func paced(ask, wait func()) float64 {
	var asking sync.WaitGroup
	var mu sync.Mutex
	var took []float64
	over := make(chan struct{})
	asking.Go(func() {
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-over:
				return
			case <-tick.C:
			}
			asking.Go(func() {
				begun := time.Now()
				ask()
				mu.Lock()
				defer mu.Unlock()
				took = append(took, milliseconds(time.Since(begun)))
			})
		}
	})
	wait()
	close(over)
	asking.Wait()
	slices.Sort(took)
	return took[len(took)*99/100]
}
