package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"florin/internal/testkit"
)

// florin is a Florin that a test started: within the test, or as a process of its own.
type florin struct {
	t      testing.TB
	folder string // its data folder

	web, service string // public addresses, without a slash at the end; without a service of its own the second is ""
	alone        bool   // it runs without its own service
	setup        string // the one-time link that it printed; "" when there is an owner

	out, err *record
	provoked []string           // warnings in its log that the test has provoked: parts of their lines
	stop     context.CancelFunc // stops a Florin within the test
	process  *exec.Cmd          // a Florin that is a process of its own
	ended    chan struct{}
	failure  error // what it returned, once ended is closed
}

// lasts is the time in which a test with a Florin relies on the date staying the same (testkit.OneDay).
const lasts = 3 * time.Minute

// record keeps what a program writes.
type record struct{ testkit.Log }

// tail is the end of what a program wrote, for the message of a test that fails.
func (r *record) tail() string {
	lines := strings.Split(strings.TrimSpace(r.String()), "\n")
	return strings.Join(lines[max(0, len(lines)-20):], "\n")
}

// anywhere are settings that make a Florin listen on free ports of the loopback interface.
var anywhere = []string{"--listen", "127.0.0.1:0", "--service-listen", "127.0.0.1:0", "--service-tls-listen", "127.0.0.1:0"}

// begin runs a Florin within the test, with a data folder of its own on free ports, and waits until it is ready.
func begin(t testing.TB, arguments ...string) *florin {
	t.Helper()
	return beginIn(t, t.TempDir(), arguments...)
}

// beginIn is begin with a data folder that may have been used before.
func beginIn(t testing.TB, folder string, arguments ...string) *florin {
	t.Helper()
	testkit.Long(t, testkit.Whole)
	testkit.OneDay(t, lasts)
	ctx, stop := context.WithCancel(context.Background())
	f := &florin{t: t, folder: folder, out: &record{}, err: &record{}, stop: stop, ended: make(chan struct{})}
	f.alone = slices.Contains(arguments, withoutService)
	closed(folder)
	arguments = slices.Concat([]string{"--data-dir", folder}, anywhere, arguments)
	go func() {
		defer close(f.ended)
		f.failure = run(ctx, arguments, noSettings, stdio{in: strings.NewReader(""), out: f.out, err: f.err})
	}()
	f.watch()
	t.Cleanup(func() {
		if err := f.end(); err != nil {
			t.Error("Florin ended with:", err)
		}
	})
	return f
}

// closed makes a temporary folder of a test private to its user, as a data directory must be.
func closed(folder string) string {
	_ = os.Chmod(folder, 0o700) // the folder may not exist yet
	return folder
}

// withoutService makes a Florin run without a service of its own.
const withoutService = "--service=off"

// noSettings is an environment without settings.
var noSettings []string

// spawn runs a Florin as a process of its own, with a data folder of its own on free ports. It is stopped at the end of the test, and its log must not have
// errors. Under the race detector it is many times faster than a Florin within the test.
func spawn(t testing.TB, arguments ...string) *florin {
	t.Helper()
	f := launch(t, t.TempDir(), slices.Concat(anywhere, arguments)...)
	t.Cleanup(func() {
		if err := f.end(); err != nil {
			t.Errorf("Florin ended with: %v\n%s", err, f.err.tail())
		}
		f.noErrors()
	})
	return f
}

// launch runs a Florin as a process of its own, with the settings in arguments, and waits until it is ready.
func launch(t testing.TB, folder string, arguments ...string) *florin {
	t.Helper()
	return launchWith(t, nil, folder, arguments...)
}

// launchWith is launch with variables in the environment.
func launchWith(t testing.TB, environment []string, folder string, arguments ...string) *florin {
	t.Helper()
	testkit.Long(t, testkit.Process)
	testkit.OneDay(t, lasts)
	f := &florin{t: t, folder: folder, out: &record{}, err: &record{}, ended: make(chan struct{}), alone: slices.Contains(arguments, withoutService)}
	closed(folder)
	f.process = command(t, append([]string{"--data-dir", folder}, arguments...)...)
	f.process.Env = append(f.process.Env, environment...)
	f.start()
	return f
}

// start starts the process and waits until it is ready. It is killed when the test ends.
func (f *florin) start() {
	f.t.Helper()
	f.process.Stdout, f.process.Stderr = f.out, f.err
	if err := f.process.Start(); err != nil {
		f.t.Fatal(err)
	}
	go func() {
		defer close(f.ended)
		f.failure = f.process.Wait()
	}()
	f.t.Cleanup(f.kill)
	f.watch()
}

// command returns a command that runs the real binary with an empty environment.
func command(t testing.TB, arguments ...string) *exec.Cmd {
	t.Helper()
	c := exec.Command(program(t), arguments...)
	c.Env = []string{"HOME=" + t.TempDir()}
	c.Dir = t.TempDir()
	return c
}

// built is the binary that program made.
var built struct {
	once sync.Once
	path string
	err  error
}

// program builds the binary once for all tests, as make build does, and returns its path.
func program(t testing.TB) string {
	t.Helper()
	built.once.Do(func() {
		folder, err := os.MkdirTemp("", "florin-built-") //nolint:usetesting // outlives the first test
		if err != nil {
			built.err = err
			return
		}
		afterwards = append(afterwards, func() { _ = os.RemoveAll(folder) })
		built.path = filepath.Join(folder, "florin")
		build := exec.Command("go", "build", "-trimpath", "-gcflags=florin/web/templates/...=-l", "-o", built.path, ".")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if said, err := build.CombinedOutput(); err != nil {
			built.err = fmt.Errorf("go build: %w\n%s", err, said)
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return built.path
}

var (
	saidWeb     = regexp.MustCompile(`(?m)^Florin \S+ is at (\S+)$`)
	saidService = regexp.MustCompile(`(?m)the service is at (\S+)$`)
	saidSetup   = regexp.MustCompile(`Open this link to create your account:\s+(\S+)`)
)

// watch waits until Florin has printed its address and is ready there.
func (f *florin) watch() {
	f.t.Helper()
	end := time.Now().Add(time.Minute)
	for f.web == "" || !ready(f.web) || !f.alone && (f.service == "" || !ready(f.service)) {
		select {
		case <-f.ended:
			f.t.Fatalf("Florin did not start: %v\n%s\n%s", f.failure, f.out, f.err.tail())
		case <-time.After(5 * time.Millisecond):
		}
		if time.Now().After(end) {
			f.t.Fatalf("Florin is not ready after a minute\n%s\n%s", f.out, f.err.tail())
		}
		f.web, f.service = first(saidWeb, f.out.String()), first(saidService, f.out.String())
	}
	f.setup = first(saidSetup, f.out.String())
}

// await waits until Florin is ready at known addresses.
func (f *florin) await() {
	f.t.Helper()
	for end := time.Now().Add(time.Minute); !ready(f.web) || !ready(f.service); {
		select {
		case <-f.ended:
			f.t.Fatalf("Florin did not start: %v\n%s\n%s", f.failure, f.out, f.err.tail())
		case <-time.After(5 * time.Millisecond):
		}
		if time.Now().After(end) {
			f.t.Fatalf("Florin is not ready after a minute\n%s\n%s", f.out, f.err.tail())
		}
	}
}

func first(pattern *regexp.Regexp, text string) string {
	if found := pattern.FindStringSubmatch(text); found != nil {
		return strings.TrimSuffix(found[1], "/")
	}
	return ""
}

func ready(address string) bool {
	response, err := http.Get(address + "/readyz")
	if err != nil {
		return false
	}
	defer response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// end asks a Florin to stop, waits until it has stopped, and returns its error.
func (f *florin) end() error {
	if f.process != nil {
		_ = f.process.Process.Signal(syscall.SIGTERM) // it may have ended already
	} else {
		f.stop()
	}
	select {
	case <-f.ended:
		return f.failure
	case <-time.After(time.Minute):
		return errors.New("Florin did not stop within a minute")
	}
}

// noErrors fails when the log has warnings or errors.
func (f *florin) noErrors() {
	f.t.Helper()
	for line := range strings.Lines(f.err.String()) {
		if slices.ContainsFunc(f.provoked, func(part string) bool { return strings.Contains(line, part) }) {
			continue
		}
		if strings.Contains(line, "level=ERROR") || strings.Contains(line, "level=WARN") {
			f.t.Errorf("in the log: %s", line)
		}
	}
}

// kill ends a process at once, as kill -9 does.
func (f *florin) kill() {
	_ = f.process.Process.Kill() // it may have ended already
	<-f.ended
}

// freeAddress returns an address of the loopback interface on which nothing listens. Its port is below the range from which systems assign ports, so that it
// stays free while the test starts a Florin there, and restarts it.
func freeAddress(t testing.TB) string {
	t.Helper()
	for range 100 {
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(10_000+rand.IntN(20_000)))
		if listener, err := net.Listen("tcp", address); err == nil {
			listener.Close()
			return address
		}
	}
	t.Fatal("no free port in 100 tries")
	return ""
}
