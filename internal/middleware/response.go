package middleware

import "net/http"

// response watches an answer: its status, its size and whether it has begun.
// http.ResponseController reaches through it with Unwrap.
type response struct {
	http.ResponseWriter
	status int   // 0 until the answer has begun
	bytes  int64 // of the body
}

func (w *response) begun() bool { return w.status != 0 }

// WriteHeader notes the status. An informational answer (1xx) is not the answer yet.
func (w *response) WriteHeader(status int) {
	if !w.begun() && (status >= 200 || status == http.StatusSwitchingProtocols) {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *response) Write(b []byte) (int, error) {
	if !w.begun() {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(b)
	w.bytes += int64(n)
	return n, err
}

// FlushError sends what is buffered; http.ResponseController calls it.
func (w *response) FlushError() error {
	if !w.begun() {
		w.status = http.StatusOK
	}
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// Flush is FlushError for callers that know http.Flusher only.
func (w *response) Flush() { _ = w.FlushError() }

// Unwrap gives http.ResponseController the writer underneath.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }
