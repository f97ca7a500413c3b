package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"syscall"
	"time"

	"florin/internal/middleware"
)

// stopTimeout is how long requests and background work may take to end.
const stopTimeout = 10 * time.Second

// listen opens a listener; the error says what to do when the address is taken.
func listen(ctx context.Context, address, what, flag string) (net.Listener, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%s cannot listen on %s: another program does already. Stop it, or choose another address with %s", what, address, flag)
	}
	if err != nil {
		return nil, fmt.Errorf("%s cannot listen on %s: %w", what, address, err)
	}
	return listener, nil
}

// start serves handler on listener until the returned stop is called, which waits for requests under way. onStop is called
// when stopping begins: it ends the streams, for which stopping would wait. fail is told when serving ends for another reason.
func start(handler http.Handler, listener net.Listener, log *slog.Logger, fail func(error), onStop ...func()) (stop func() error) {
	server := middleware.Server(handler, log)
	for _, f := range onStop {
		server.RegisterOnShutdown(f)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			fail(fmt.Errorf("serve %s: %w", listener.Addr(), err))
		}
	}()
	return func() error {
		err := within(server.Shutdown)
		if errors.Is(err, context.DeadlineExceeded) {
			err = server.Close() // a client that never ends its request does not keep Florin from stopping
		}
		<-done
		return err
	}
}

// within calls stop with stopTimeout.
func within(stop func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	return stop(ctx)
}
