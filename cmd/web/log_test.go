package main

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"florin/internal/config"
)

// pieces collects what is written to it, one element for each write.
type pieces struct {
	mu  sync.Mutex
	all []string
}

func (p *pieces) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all = append(p.all, string(b))
	return len(b), nil
}

func (p *pieces) written() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.all
}

// Lines are written whole, in order and soon, many of them in one write.
func TestLogIsGathered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sleep := func() {
			time.Sleep(gatherFor)
			synctest.Wait()
		}
		var out pieces
		log, flush := logger(config.Settings{}, &out)
		log.Info("one")
		log.Warn("two")
		if len(out.written()) != 0 {
			t.Errorf("written by themselves: %q", out.written())
		}
		sleep()
		if len(out.written()) != 1 || strings.Count(out.written()[0], "\n") != 2 || strings.Index(out.written()[0], "one") > strings.Index(out.written()[0], "two") {
			t.Errorf("after a moment: %q", out.written())
		}
		log.Info("three")
		flush()
		sleep()
		if len(out.written()) != 2 || !strings.Contains(out.written()[1], "three") {
			t.Errorf("after the end: %q", out.written())
		}
		log.Info("much", "text", strings.Repeat("x", gatherMost))
		if len(out.written()) != 3 {
			t.Error("much text waits")
		}
	})
}

// When many write at once, no line is lost or broken.
func TestLogOfManyAtOnce(t *testing.T) {
	var out pieces
	log, flush := logger(config.Settings{LogFormat: "json"}, &out)
	var writing sync.WaitGroup
	for i := range 8 {
		writing.Go(func() {
			for n := range 500 {
				log.Info("line", slog.String("id", fmt.Sprintf("%d-%d", i, n)), slog.String("text", strings.Repeat("x", 100)))
			}
		})
	}
	writing.Wait()
	flush()
	seen := map[string]bool{}
	for line := range bytes.Lines([]byte(strings.Join(out.all, ""))) {
		if !bytes.HasPrefix(line, []byte("{")) || !bytes.HasSuffix(line, []byte("}\n")) || seen[string(line)] {
			t.Fatalf("torn or double: %q", line)
		}
		seen[string(line)] = true
	}
	if len(seen) != 8*500 {
		t.Errorf("%d lines", len(seen))
	}
}
