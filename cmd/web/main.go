// Program web is Florin: the web app and the aggregation service in one binary. It is the only place that knows both
// halves; everywhere else they speak HTTP.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"florin/internal/config"
)

// garbage is GOGC unless it is set: how far the memory in use may grow, in percent, before garbage is collected. Florin uses so little memory that the
// default of Go, 100, would make pages a tenth slower to save a few MB.
const garbage = 200

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbage)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Environ(), stdio{in: os.Stdin, out: os.Stdout, err: os.Stderr})
	stop()
	if err != nil && !errors.Is(err, config.ErrHelp) {
		fmt.Fprintln(os.Stderr, sentences(err))
		os.Exit(1)
	}
}

// sentences returns an error for the operator: each mistake of the settings on its own line.
func sentences(err error) string {
	if problems, ok := errors.AsType[config.Problems](err); ok {
		return "florin: please correct this:\n" + problems.Error()
	}
	return "florin: " + err.Error()
}
