// Package static holds the style sheet, the script and the icons of every page, embedded in the binary
// and served under addresses that contain a hash of their content.
package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
)

// Prefix is the path below which Handler answers.
const Prefix = "/static/"

//go:embed assets
var embedded embed.FS

// asset is one embedded file, ready to be served.
type asset struct {
	address     string // "/static/app.1f2e3d4c5b6a.css"
	contentType string
	body        []byte
	gzipped     func() []byte // compressed at the first request and kept; nil when that does not save anything
}

// contentTypes lists every kind of file that may lie in assets.
var contentTypes = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".png": "image/png",
	".svg": "image/svg+xml",
	".txt": "text/plain; charset=utf-8",
}

var byName, byAddress = load()

func load() (byName, byAddress map[string]*asset) {
	entries, err := fs.ReadDir(embedded, "assets")
	if err != nil {
		panic(err)
	}
	byName = make(map[string]*asset, len(entries))
	byAddress = make(map[string]*asset, len(entries))
	for _, entry := range entries {
		name := entry.Name()
		body, err := fs.ReadFile(embedded, "assets/"+name)
		if err != nil {
			panic(err)
		}
		extension := path.Ext(name)
		contentType, known := contentTypes[extension]
		if !known {
			panic("static: no content type for " + name)
		}
		sum := sha256.Sum256(body)
		a := &asset{
			address:     Prefix + strings.TrimSuffix(name, extension) + "." + hex.EncodeToString(sum[:6]) + extension,
			contentType: contentType,
			body:        body,
			gzipped:     sync.OnceValue(func() []byte { return compress(body) }),
		}
		byName[name] = a
		byAddress[a.address] = a
	}
	return byName, byAddress
}

func compress(body []byte) []byte {
	var buffer bytes.Buffer
	writer, err := gzip.NewWriterLevel(&buffer, gzip.BestCompression)
	if err != nil {
		panic(err)
	}
	if _, err := writer.Write(body); err != nil {
		panic(err)
	}
	if err := writer.Close(); err != nil {
		panic(err)
	}
	if buffer.Len() >= len(body) {
		return nil
	}
	return buffer.Bytes()
}

// URL returns the address of an embedded file: URL("app.css") is "/static/app.<hash>.css".
// It panics for a name that is not embedded, which only a mistake in a template can cause.
func URL(name string) string {
	a, found := byName[name]
	if !found {
		panic(fmt.Sprintf("static: %q is not embedded", name))
	}
	return a.address
}

// Handler serves the embedded files at exactly the addresses that URL returns, below Prefix, and 404 for
// everything else. An address changes with its content, so browsers may keep the answer for ever.
func Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("X-Content-Type-Options", "nosniff")
		a, found := byAddress[r.URL.Path]
		if !found {
			http.Error(w, "There is no file at this address.", http.StatusNotFound)
			return
		}
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			header.Set("Allow", "GET, HEAD")
			http.Error(w, "Files can only be read.", http.StatusMethodNotAllowed)
			return
		}
		body := a.body
		header.Set("Vary", "Accept-Encoding")
		if acceptsGzip(r.Header.Get("Accept-Encoding")) {
			if gzipped := a.gzipped(); gzipped != nil {
				body = gzipped
				header.Set("Content-Encoding", "gzip")
			}
		}
		header.Set("Content-Type", a.contentType)
		header.Set("Content-Length", strconv.Itoa(len(body)))
		header.Set("Cache-Control", "public, max-age=31536000, immutable")
		if r.Method == http.MethodGet {
			_, _ = w.Write(body) // the browser went away: nothing left to tell it
		}
	})
}

// acceptsGzip reports whether an Accept-Encoding header names gzip with a quality above zero.
func acceptsGzip(header string) bool {
	for element := range strings.SplitSeq(header, ",") {
		coding, parameter, _ := strings.Cut(element, ";")
		if !strings.EqualFold(strings.TrimSpace(coding), "gzip") {
			continue
		}
		quality, given := strings.CutPrefix(strings.ReplaceAll(parameter, " ", ""), "q=")
		if !given {
			return true
		}
		value, err := strconv.ParseFloat(quality, 64)
		return err == nil && value > 0
	}
	return false
}
