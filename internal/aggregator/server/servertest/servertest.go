// Package servertest starts the aggregation service for tests, as a program would. Only tests import it.
package servertest

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"florin/internal/aggregator/server"
	"florin/internal/middleware"
	"florin/internal/sqlite/sqlitetest"
	"florin/internal/testkit"
	"florin/migrations"
)

// The names under which the service believes tokens.
const (
	Issuer   = "issuer.example"
	Audience = "api.example"
)

// Service is a running service.
type Service struct {
	*server.Server
	Folder string // of its data
	URL    string
	Clock  *testkit.Clock
	Log    *testkit.Log // all that it logs
	Stop   func()       // ends it, at the latest when the test ends
}

// Start starts a service with a port, a database and a clock of its own. change may alter its options.
func Start(t *testing.T, change ...func(*server.Options)) *Service {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Service{Folder: filepath.Join(t.TempDir(), "data"), URL: "http://" + listener.Addr().String(), Clock: &testkit.Clock{}, Log: &testkit.Log{}}
	sqlitetest.Make(t, filepath.Join(s.Folder, "aggregator.db"), migrations.Aggregator)
	options := server.Options{
		DataDir: s.Folder, BaseURL: s.URL, AuthURL: s.URL, RegistrationURL: s.URL, Issuers: []string{Issuer}, Audiences: []string{Audience},
		Now: s.Clock.Now, Log: slog.New(slog.NewTextHandler(s.Log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	for _, c := range change {
		c(&options)
	}
	if s.Server, err = server.New(t.Context(), options); err != nil {
		t.Fatal(err)
	}
	s.Server.Start(t.Context())
	web := middleware.Server(s.Handler(), options.Log)
	ended := make(chan error, 1)
	go func() { ended <- web.Serve(listener) }()
	s.Stop = sync.OnceFunc(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if err := web.Shutdown(ctx); err != nil {
			t.Errorf("the listener does not stop: %v", err)
		}
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("the listener ended with %v", err)
		}
		if err := s.Server.Stop(ctx); err != nil {
			t.Errorf("the service does not stop: %v", err)
		}
	})
	t.Cleanup(s.Stop)
	return s
}
