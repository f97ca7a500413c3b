package testkit

import (
	"bytes"
	"sync"
)

// Log stores what is written to it, and can be read during writes. The zero Log is empty.
type Log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write adds to the log. It never fails.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// String returns all that was written so far.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
