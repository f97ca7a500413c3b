package live

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"
)

const (
	heartbeat     = 25 * time.Second // a comment this often keeps proxies from closing the stream, and detects dead clients
	writeDeadline = 10 * time.Second // for each message; the server's WriteTimeout would cut the stream
	reconnectIn   = 3 * time.Second  // how long the browser waits before it connects again
)

// ServeSSE answers r with a stream of server-sent events until the client leaves, the request's context ends or s ends. The browser then reconnects by
// itself. The caller closes s, and gives r a context that ends with the sign-in.
//
// render turns an event into the message: its name and its HTML, on any number of lines. An event with an empty name is skipped. Messages have no id: a page
// that reconnects is brought up to date by its own request, not by a replay.
//
// The error is nil however the stream ends, except for an error of render, and for one that says that w cannot stream; in the latter case nothing has been
// written. A middleware that wraps w must have an Unwrap method, and must not compress.
func ServeSSE(w http.ResponseWriter, r *http.Request, s *Subscription, render func(ctx context.Context, e Event) (name string, html []byte, err error)) error {
	stream := http.NewResponseController(w)
	if err := stream.SetWriteDeadline(time.Now().Add(writeDeadline)); err != nil {
		return fmt.Errorf("serve events: the response cannot be streamed: %w", err)
	}
	defer func() { // for what the server writes after this function
		_ = stream.SetWriteDeadline(time.Now().Add(writeDeadline))
	}()

	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no") // nginx and others pass messages on at once
	w.WriteHeader(http.StatusOK)
	send := func(message []byte) bool {
		if stream.SetWriteDeadline(time.Now().Add(writeDeadline)) != nil {
			return false
		}
		if _, err := w.Write(message); err != nil {
			return false
		}
		return stream.Flush() == nil
	}

	if !send(fmt.Appendf(nil, "retry: %d\n\n", reconnectIn.Milliseconds())) {
		return nil
	}
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		var message []byte
		select {
		case <-r.Context().Done():
			return nil
		case <-beat.C:
			message = []byte(":\n\n")
		case e, ok := <-s.C():
			if !ok {
				return nil
			}
			name, html, err := render(r.Context(), e)
			if err != nil {
				if r.Context().Err() != nil {
					return nil
				}
				return fmt.Errorf("render event %s: %w", e.Topic, err)
			}
			if name == "" {
				continue
			}
			if message, err = frame(name, html); err != nil {
				return err
			}
		}
		if !send(message) {
			return nil
		}
	}
}

// frame returns one message of an event stream. Each line of the body becomes a data line, whatever its line ending.
func frame(name string, body []byte) ([]byte, error) {
	if strings.ContainsAny(name, "\r\n\x00") {
		return nil, fmt.Errorf("an event cannot be named %q", name)
	}
	body = bytes.ReplaceAll(body, []byte("\r\n"), []byte("\n"))
	body = bytes.ReplaceAll(body, []byte("\r"), []byte("\n"))
	message := fmt.Appendf(nil, "event: %s\n", name)
	for line := range bytes.SplitSeq(body, []byte("\n")) {
		message = append(message, "data: "...)
		message = append(message, line...)
		message = append(message, '\n')
	}
	return append(message, '\n'), nil
}
