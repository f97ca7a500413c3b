package main

import (
	"io"
	"log/slog"
	"sync"
	"time"

	"florin/internal/config"
)

// logger returns a logger that writes to out as the settings say. flush writes the lines that are still buffered.
func logger(s config.Settings, out io.Writer) (log *slog.Logger, flush func()) {
	gathered := &gatherer{out: out}
	options := &slog.HandlerOptions{Level: s.LogLevel}
	if s.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(gathered, options)), gathered.flush
	}
	return slog.New(slog.NewTextHandler(gathered, options)), gathered.flush
}

const (
	gatherFor  = 10 * time.Millisecond
	gatherMost = 64 << 10 // bytes
)

// gatherer collects the lines of a log for a moment and writes them together, because a write for each line would take a seventh of the time of a small API
// answer. A program that is killed loses the lines of that moment.
type gatherer struct {
	out io.Writer

	mu    sync.Mutex
	lines []byte
}

// Write adds a line. It waits for out only when much is buffered.
func (g *gatherer) Write(line []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.lines) == 0 {
		time.AfterFunc(gatherFor, g.flush)
	}
	g.lines = append(g.lines, line...)
	if len(g.lines) >= gatherMost {
		g.write()
	}
	return len(line), nil
}

func (g *gatherer) flush() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.write()
}

func (g *gatherer) write() {
	if len(g.lines) > 0 {
		_, _ = g.out.Write(g.lines) // an error could be reported nowhere
		g.lines = g.lines[:0]
	}
}
