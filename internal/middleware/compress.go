package middleware

import (
	"net/http"
	"strings"

	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzip"
)

// compress compresses only pages, JSON, YAML and scripts. Assets are compressed once at start, and a stream must be sent without delay.
var compress = func() func(http.Handler) http.HandlerFunc {
	wrapper, err := gzhttp.NewWrapper(
		gzhttp.EnableZstd(false),
		gzhttp.CompressionLevel(gzip.BestSpeed),
		gzhttp.MinSize(gzhttp.DefaultMinSize),
		gzhttp.ContentTypes([]string{"text/html", "application/json", "application/yaml", "text/javascript"}),
		gzhttp.SetContentType(false),
	)
	if err != nil {
		panic(err) // the options are constant
	}
	return wrapper
}()

// Compress sends HTML, JSON, YAML and scripts of 1 KiB and more with gzip to clients that accept it. It passes requests for an event stream (Accept:
// text/event-stream) on unchanged.
func Compress(next http.Handler) http.Handler {
	compressed := compress(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
			next.ServeHTTP(w, r)
			return
		}
		compressed(w, r)
	})
}
