package middleware

import "net/http"

// response records the status and size of an answer, and whether it has begun. http.ResponseController reaches the writer through Unwrap.
type response struct {
	http.ResponseWriter
	status int   // 0 until the answer has begun
	bytes  int64 // of the body
}

func (w *response) begun() bool { return w.status != 0 }

// WriteHeader records the status. An informational answer (1xx) does not count.
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

// FlushError sends the buffered part of the answer; http.ResponseController calls it.
func (w *response) FlushError() error {
	if !w.begun() {
		w.status = http.StatusOK
	}
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// Flush is FlushError for callers that only know http.Flusher.
func (w *response) Flush() { _ = w.FlushError() }

// Unwrap gives http.ResponseController the writer underneath.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }
