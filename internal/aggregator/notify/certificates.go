package notify

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"florin/internal/aggregator"
)

// Path is where Handler is mounted.
const Path = "/webhook-keys/"

// RootPath is where the certificate of the authority is, for people who install it.
const RootPath = Path + "ca.pem"

// Token makes the token that a try of the event would carry now.
func (n *Notifier) Token(ctx context.Context, w aggregator.Webhook) (string, error) {
	return n.keys.token(ctx, w)
}

// Authority returns the certificate of the authority that issued those of the keys that sign.
func (n *Notifier) Authority(ctx context.Context) (*x509.Certificate, error) { return n.keys.root(ctx) }

// Handler serves the certificates of the keys that sign webhooks, for ever the same under one address, and the certificate of
// the authority that issued them.
func (n *Notifier) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+RootPath, func(w http.ResponseWriter, r *http.Request) {
		root, err := n.keys.root(r.Context())
		if err != nil {
			n.fail(w, r, err)
			return
		}
		w.Header().Set("Content-Disposition", `attachment; filename="florin-ca.pem"`)
		w.Header().Set("Cache-Control", "no-cache")
		writePEM(w, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root.Raw}))
	})
	mux.HandleFunc("GET "+Path+"{file}", func(w http.ResponseWriter, r *http.Request) {
		kid, ok := certificateName(r.PathValue("file"))
		if !ok {
			notFound(w)
			return
		}
		key, err := n.store.WebhookCertificate(r.Context(), kid, n.now())
		switch {
		case errors.Is(err, aggregator.ErrNotFound):
			notFound(w)
		case err != nil:
			n.fail(w, r, err)
		default:
			w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
			writePEM(w, []byte(key.Certificate))
		}
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { notFound(w) })
	return mux
}

func writePEM(w http.ResponseWriter, text []byte) {
	w.Header().Set("Content-Type", "application/x-pem-file")
	_, _ = w.Write(text)
}

func notFound(w http.ResponseWriter) {
	answer(w, http.StatusNotFound, "There is no such certificate. The one of the authority is at "+RootPath+".")
}

func (n *Notifier) fail(w http.ResponseWriter, r *http.Request, err error) {
	n.log.ErrorContext(r.Context(), "certificate not served", "error", err)
	answer(w, http.StatusInternalServerError, "The certificate cannot be read now. Try again later.")
}

func answer(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text+"\n")
}

// aeadSuites are the suites of TLS 1.2 that encrypt and authenticate in one step, with keys that are forgotten: none with CBC (ASVS 12.1.2). Those of TLS
// 1.3 all do.
func aeadSuites() (suites []uint16) {
	for _, s := range tls.CipherSuites() {
		if strings.HasPrefix(s.Name, "TLS_ECDHE_") && !strings.Contains(s.Name, "_CBC_") {
			suites = append(suites, s.ID)
		}
	}
	return suites
}

// TLSConfig is the TLS side of Handler: with the certificate in the two files, or, where they have no names, with one of the
// notifier's own authority, which is made with the first connection. Files that are replaced are read again.
func (n *Notifier) TLSConfig(certificateFile, keyFile string) (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12, CipherSuites: aeadSuites(), NextProtos: []string{"http/1.1"}}
	if certificateFile == "" && keyFile == "" {
		config.GetCertificate = func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
			leaf, err := n.keys.server(hello.Context())
			if err != nil {
				return nil, err
			}
			return &tls.Certificate{Certificate: [][]byte{leaf.certificate.Raw}, PrivateKey: leaf.key, Leaf: leaf.certificate}, nil
		}
		return config, nil
	}
	files := &pair{certificate: certificateFile, key: keyFile}
	if _, err := files.load(); err != nil {
		return nil, err
	}
	config.GetCertificate = func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
		certificate, err := files.load()
		if err != nil {
			n.log.Error("the certificate of the TLS listener was not renewed", "error", err)
		}
		return certificate, nil
	}
	return config, nil
}

// pair is a certificate with its key in two files.
type pair struct {
	certificate, key string

	mu     sync.Mutex
	read   [2]time.Time // when the files had been written that loaded was read from
	loaded *tls.Certificate
}

// load returns what is in the files. With an error it returns what was in them before.
func (p *pair) load() (*tls.Certificate, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var written [2]time.Time
	for i, name := range []string{p.certificate, p.key} {
		info, err := os.Stat(name)
		if err != nil {
			return p.loaded, fmt.Errorf("certificate of the TLS listener: %w", err)
		}
		written[i] = info.ModTime()
	}
	if p.loaded != nil && written == p.read {
		return p.loaded, nil
	}
	certificate, err := tls.LoadX509KeyPair(p.certificate, p.key)
	if err != nil {
		return p.loaded, fmt.Errorf("certificate of the TLS listener: %w", err)
	}
	p.loaded, p.read = &certificate, written
	return p.loaded, nil
}
