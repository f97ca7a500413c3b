// Program receiver takes payment status webhooks, with the standard library alone. It verifies every request and prints
// each event once; docs/webhooks.md explains the steps.
package main

import (
	"context"
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"
)

// receiver receives the webhooks of one application.
type receiver struct {
	application string // its id
	environment string // SANDBOX or PRODUCTION
	domain      string // of the service
	client      *http.Client

	mu           sync.Mutex
	certificates map[string]*x509.Certificate // by address
	seen         map[string]bool              // webhook ids; in your program: a unique column in the database
}

// verify checks the Authorization header of a webhook with this body.
func (r *receiver) verify(ctx context.Context, authorization string, body []byte) error {
	token, ok := strings.CutPrefix(authorization, "Bearer ")
	parts := strings.Split(token, ".")
	if !ok || len(parts) != 3 {
		return errors.New("there is no token")
	}
	var header struct {
		Alg, Typ, X5u string
		Crit          any
	}
	if err := decode(parts[0], &header); err != nil {
		return err
	}
	if header.Alg != "RS256" || header.Typ != "JWT" || header.Crit != nil {
		return errors.New("the token is of another kind")
	}
	key, err := r.key(ctx, header.X5u)
	if err != nil {
		return err
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil {
		return err
	}
	digest := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if err := rsa.VerifyPKCS1v15(key, crypto.SHA256, digest[:], signature); err != nil {
		return err
	}
	var claims struct{ Sub, Environment, Msgi string }
	if err := decode(parts[1], &claims); err != nil {
		return err
	}
	sum := sha256.Sum256(body)
	switch {
	case claims.Sub != r.application:
		return errors.New("the webhook is for another application")
	case claims.Environment != r.environment:
		return errors.New("the webhook is of the other environment")
	case claims.Msgi != "sha256-"+base64.StdEncoding.EncodeToString(sum[:]):
		return errors.New("the token belongs to another body")
	}
	return nil
}

// decode reads a part of a token.
func decode(part string, value any) error {
	text, err := base64.RawURLEncoding.DecodeString(part)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, value)
}

// key returns the key at an address, if that is one of the service. It fetches the certificate once.
func (r *receiver) key(ctx context.Context, x5u string) (*rsa.PublicKey, error) {
	address, err := url.Parse(x5u)
	if err != nil || address.Scheme != "https" || address.User != nil ||
		address.Hostname() != r.domain && !strings.HasSuffix(address.Hostname(), "."+r.domain) {
		return nil, errors.New("x5u is not an address of the service")
	}
	r.mu.Lock()
	certificate := r.certificates[x5u]
	r.mu.Unlock()
	if certificate == nil {
		if certificate, err = r.fetch(ctx, x5u); err != nil {
			return nil, err
		}
		r.mu.Lock()
		r.certificates[x5u] = certificate
		r.mu.Unlock()
	}
	key, ok := certificate.PublicKey.(*rsa.PublicKey)
	now := time.Now()
	if !ok || key.N.BitLen() < 2048 || now.Before(certificate.NotBefore) || now.After(certificate.NotAfter) {
		return nil, errors.New("the certificate at x5u is not good")
	}
	return key, nil
}

func (r *receiver) fetch(ctx context.Context, address string) (*x509.Certificate, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	response, err := r.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, 64<<10))
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if response.StatusCode != http.StatusOK || block == nil {
		return nil, fmt.Errorf("there is no certificate at x5u: status %d", response.StatusCode)
	}
	return x509.ParseCertificate(block.Bytes)
}

// ServeHTTP takes a webhook.
func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, request.Body, 64<<10)) // as it arrived: msgi is the digest of these bytes
	if err == nil {
		err = r.verify(request.Context(), request.Header.Get("Authorization"), body)
	}
	if err != nil {
		log.Print("refused: ", err)
		http.Error(w, "The webhook could not be verified.", http.StatusUnauthorized)
		return
	}
	var event struct {
		PaymentID     string `json:"payment_id"`
		PaymentStatus string `json:"payment_status"`
		WebhookID     string `json:"webhook_id"`
	}
	if err := json.Unmarshal(body, &event); err != nil {
		http.Error(w, "The body is no JSON.", http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	again := r.seen[event.WebhookID]
	r.seen[event.WebhookID] = true
	r.mu.Unlock()
	if !again { // in your program: read the payment with GET /payments/{payment_id} and act on what it says
		log.Printf("payment %s is %s, webhook %s", event.PaymentID, event.PaymentStatus, event.WebhookID)
	}
	w.WriteHeader(http.StatusNoContent) // again or not: it has arrived
}

func main() {
	listen := flag.String("listen", "127.0.0.1:9000", "address to listen at")
	application := flag.String("application", "", "id of the application")
	environment := flag.String("environment", "SANDBOX", "SANDBOX or PRODUCTION")
	domain := flag.String("domain", "localhost", "domain of the service")
	root := flag.String("root", "", "file with the root certificate of the service; empty: those of the system")
	flag.Parse()

	trusted := &tls.Config{MinVersion: tls.VersionTLS12}
	if *root != "" {
		text, err := os.ReadFile(*root)
		if err != nil {
			log.Fatal(err)
		}
		if trusted.RootCAs = x509.NewCertPool(); !trusted.RootCAs.AppendCertsFromPEM(text) {
			log.Fatal(*root, " holds no certificate")
		}
	}
	r := &receiver{
		application: *application, environment: *environment, domain: *domain,
		client: &http.Client{
			Timeout:       5 * time.Second,
			Transport:     &http.Transport{TLSClientConfig: trusted},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		certificates: map[string]*x509.Certificate{},
		seen:         map[string]bool{},
	}
	var config net.ListenConfig
	listener, err := config.Listen(context.Background(), "tcp", *listen)
	if err != nil {
		log.Fatal(err)
	}
	log.Print("listening at ", listener.Addr())
	server := &http.Server{Handler: r, ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second}
	log.Fatal(server.Serve(listener))
}
