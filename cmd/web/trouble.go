package main

import (
	"context"
	"slices"
	"sync"
	"time"

	"florin/internal/config"
	"florin/internal/middleware"
	"florin/internal/sqlite"
	"florin/web/templates/words"
)

// trouble collects what the owner must know about the state of this server.
type trouble struct {
	space func(context.Context) error

	mu      sync.Mutex
	damages []string // names of databases
}

// lookAtDisk is how often the free space is checked.
const lookAtDisk = 10 * time.Second

func newTrouble(s config.Settings) *trouble {
	return &trouble{space: middleware.Remember(func(context.Context) error { return sqlite.CheckSpace(s.DataDir, s.DiskReserve) }, lookAtDisk)}
}

// damaged notes that a database is damaged.
func (t *trouble) damaged(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !slices.Contains(t.damages, name) {
		t.damages = append(t.damages, name)
	}
}

// messages returns the present problems and what to do about them.
func (t *trouble) messages() (all []words.Message) {
	t.mu.Lock()
	for _, name := range t.damages {
		all = append(all, words.Msg("The database %s is damaged. Stop Florin and restore the database from a backup. Until then, what Florin shows and saves may be wrong.", name))
	}
	t.mu.Unlock()
	if t.space(context.Background()) != nil {
		all = append(all, words.Msg("The disk of this server is almost full. Free some space before Florin can no longer save anything."))
	}
	return all
}
