package auth

import (
	"runtime"
	"testing"
)

// The memory of a hash is given back at once: neither does it stay, nor does the collector wait for as much again.
func TestAHashLeavesNoMemoryBehind(t *testing.T) {
	if _, err := newHasher(parameters).hash(t.Context(), "correct horse battery staple"); err != nil {
		t.Fatal(err)
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	most := uint64(parameters.Memory) << 10 / 2
	if held := m.HeapSys - m.HeapReleased; held > most || m.NextGC > most {
		t.Errorf("%d MiB are held, and the collector looks again at %d MiB", held>>20, m.NextGC>>20)
	}
}
