package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"

	"florin/internal/config"
	"florin/internal/connlimit"
	"florin/internal/middleware"
)

// How long a stop may take. The app stops first, then the service. Each stops its requests first, for at most stopRequests, then its background work, for the
// rest of stopHalf. Together it takes less than 8 s, whatever clients do; containers are killed after 10 s.
const (
	stopRequests = 2500 * time.Millisecond
	stopHalf     = 3750 * time.Millisecond
)

// stopInTurn stops the requests of a half of Florin, then its background work.
func stopInTurn(requests func() error, work func(context.Context) error) error {
	end := time.Now().Add(stopHalf)
	err := requests()
	return errors.Join(err, within(time.Until(end), work))
}

// ownDescriptors is the number of descriptors that Florin needs in addition to accepted connections: for databases and calls of services.
const ownDescriptors = 96

// The shares of the listeners in the remaining descriptors.
const (
	webShare     = 0.5
	serviceShare = 0.375
	tlsShare     = 0.125
)

// limited limits the connections of a listener to those of the settings and to its share of the descriptors that the system allows the process.
func limited(s config.Settings, listener net.Listener, share float64) *connlimit.Listener {
	total := s.ConnectionLimit
	if files := descriptors(); files > 0 {
		total = min(total, max(4, int(share*float64(files-ownDescriptors))))
	}
	return connlimit.New(listener, connlimit.Limits{Total: total, PerAddress: min(total, s.ConnectionLimitPerAddress), Proxies: s.TrustedProxies})
}

// listen opens a listener. When the address is in use, the error says what to do.
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

// start serves handler on listener, over TLS unless secure is nil, until the returned stop is called, which waits for running requests. onStop is called when
// stopping begins: it must end the streams, for which stopping would wait. fail is called when serving ends for another reason.
func start(handler http.Handler, listener *connlimit.Listener, secure *tls.Config, log *slog.Logger, fail func(error), onStop ...func()) (stop func() error) {
	server := middleware.Server(handler, log)
	listener.Attach(server)
	var accepting net.Listener = listener
	if secure != nil {
		accepting = tls.NewListener(listener, secure)
	}
	for _, f := range onStop {
		server.RegisterOnShutdown(f)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := server.Serve(accepting); !errors.Is(err, http.ErrServerClosed) {
			fail(fmt.Errorf("serve %s: %w", listener.Addr(), err))
		}
	}()
	return func() error {
		err := within(stopRequests, server.Shutdown)
		if errors.Is(err, context.DeadlineExceeded) {
			err = server.Close() // a client that never ends its request does not keep Florin from stopping
		}
		<-done
		return err
	}
}

// within calls stop with a time-out.
func within(timeout time.Duration, stop func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	return stop(ctx)
}

// atOnce calls stops at the same time.
func atOnce(stops ...func() error) error {
	errs := make([]error, len(stops))
	var all sync.WaitGroup
	for i, stop := range stops {
		all.Go(func() { errs[i] = stop() })
	}
	all.Wait()
	return errors.Join(errs...)
}
