package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"florin/internal/sqlite"
)

// measureStart starts Florin repeatedly: with many transactions, with none, and compared with a bare program.
func (s *shared) measureStart(b *testing.B) []quantity {
	large := quantity{name: "start to the first page, with 101,000 transactions", unit: "ms CPU", against: "the same with an empty data folder", goal: 1.5}
	bare := quantity{name: "start to the first page, with an empty data folder", unit: "ms CPU", against: "bare program: opens both databases, answers", goal: 1.4,
		reason: "of its CPU time a sixth opens and checks the databases, an eighth reads and checks the catalogue of simulated banks, a tenth is the first round of all background work, " +
			"and a sixteenth asks its own service over HTTP whether it is still registered"}
	folder, empty := s.manyTransactions(b), b.TempDir()
	addresses := []string{freeAddress(b), freeAddress(b)} // of the app and the service: elsewhere the service would be registered again, with a new key
	startTime(b, folder, addresses)
	startTime(b, empty, addresses)
	for range rounds {
		without := startTime(b, empty, addresses)
		bare.florin, bare.yardstick = append(bare.florin, without), append(bare.yardstick, bareStartTime(b, empty))
		large.florin, large.yardstick = append(large.florin, startTime(b, folder, addresses)), append(large.yardstick, without)
	}
	idle := quantity{name: "memory of a Florin with an empty data folder that nobody uses", unit: "MB", withoutYardstick: true, goal: 32,
		reason: "three fifths of it are pages of the program file, which the system takes back when it needs them"}
	f := launch(b, b.TempDir(), anywhere...)
	time.Sleep(3 * time.Second)
	idle.florin = []float64{resident(b, f.process.Process.Pid)}
	if err := f.end(); err != nil {
		b.Fatal(err)
	}
	return []quantity{bare, large, idle}
}

// startTime returns how much CPU time a Florin uses from its start to its first answer.
func startTime(b *testing.B, folder string, addresses []string) float64 {
	b.Helper()
	c := command(b, "--data-dir", closed(folder), "--listen", addresses[0], "--service-listen", addresses[1], "--service-tls-listen", "127.0.0.1:0")
	c.Env = append(c.Env, oneCore...)
	var said record
	c.Stderr = &said
	begun := time.Now()
	if err := c.Start(); err != nil {
		b.Fatal(err)
	}
	defer func() { _ = c.Wait() }()
	defer func() { _ = c.Process.Signal(os.Interrupt) }()
	for time.Since(begun) < time.Minute {
		response, err := http.Get("http://" + addresses[0] + "/sign-in")
		if err != nil {
			time.Sleep(time.Millisecond)
			continue
		}
		response.Body.Close()
		return exactTime(b, c.Process.Pid)
	}
	b.Fatalf("Florin does not answer\n%s", said.tail())
	return 0
}

// bareStartVariable makes the test binary run as the yardstick of a start, on the data folder that it names.
const bareStartVariable = "FLORIN_BARE_START"

// bareStartTime returns how much CPU time the yardstick uses from its start to its first answer.
func bareStartTime(b *testing.B, folder string) float64 {
	b.Helper()
	bare := startYardstick(b, append(oneCore, bareStartVariable+"="+folder)...)
	response, err := http.Get(bare.address)
	if err != nil {
		b.Fatal(err)
	}
	response.Body.Close()
	took := exactTime(b, bare.process.Pid)
	_ = bare.process.Kill()
	return took
}

// serveBareStart opens both databases and answers every request.
func serveBareStart(folder string) error {
	for _, half := range []half{appHalf, serviceHalf} {
		db, err := sqlite.Open(context.Background(), filepath.Join(folder, half.database))
		if err != nil {
			return err
		}
		defer db.Close()
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println("http://" + listener.Addr().String() + "/")
	return http.Serve(listener, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
}

// exactTime returns the CPU time in milliseconds that the threads of a process have used, to the nanosecond (schedstat of proc(5)): cpuTime counts in steps of
// 10 ms.
func exactTime(b *testing.B, pid int) float64 {
	b.Helper()
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil || len(threads) == 0 {
		b.Skip("CPU time of a thread is read from /proc, which this system does not have:", err)
	}
	var sum time.Duration
	for _, thread := range threads {
		text, err := os.ReadFile(thread)
		if err != nil {
			b.Fatal(err)
		}
		n, err := strconv.ParseInt(strings.Fields(string(text))[0], 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		sum += time.Duration(n)
	}
	return milliseconds(sum)
}
