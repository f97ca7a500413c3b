// Program receiver takes payment status webhooks, with the standard library alone. It verifies every request and prints
// each event once; docs/webhooks.md explains the steps.
package main

import (
	"bytes"
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
	"regexp"
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
	certificates map[string]*x509.Certificate // by address, of those that have verified a webhook: strangers add none
	minute       time.Time                    // in which fetches are counted
	fetches      int
	seen         map[string]bool // webhook ids; in your program: a unique column in the database
}

const (
	maxToken   = 8 << 10
	maxFetches = 30 // in a minute: whoever sends a token chooses the address
)

// verify checks the Authorization header of a webhook with this body.
func (r *receiver) verify(ctx context.Context, authorization string, body []byte) error {
	token, ok := strings.CutPrefix(authorization, "Bearer ")
	parts := strings.Split(token, ".")
	if !ok || len(parts) != 3 || len(token) > maxToken {
		return errors.New("there is no token")
	}
	text, err := strict.DecodeString(parts[0])
	if err != nil {
		return err
	}
	header, err := object(text)
	if err != nil {
		return err
	}
	x5u, _ := header["x5u"].(string)
	if _, crit := header["crit"]; crit || header["alg"] != "RS256" || header["typ"] != "JWT" {
		return errors.New("the token is of another kind")
	}
	certificate, key, err := r.certificate(ctx, x5u)
	if err != nil {
		return err
	}
	signature, err := strict.DecodeString(parts[2])
	if err != nil {
		return err
	}
	digest := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if err := rsa.VerifyPKCS1v15(key, crypto.SHA256, digest[:], signature); err != nil {
		return err
	}
	r.mu.Lock()
	r.certificates[x5u] = certificate
	r.mu.Unlock()
	if text, err = strict.DecodeString(parts[1]); err != nil {
		return err
	}
	claims, err := object(text)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(body)
	switch {
	case claims["sub"] != r.application:
		return errors.New("the webhook is for another application")
	case claims["environment"] != r.environment:
		return errors.New("the webhook is of the other environment")
	case claims["msgi"] != "sha256-"+base64.StdEncoding.EncodeToString(sum[:]):
		return errors.New("the token belongs to another body")
	}
	return nil
}

// strict lets a token have one spelling alone.
var strict = base64.RawURLEncoding.Strict()

// object reads a JSON object. A name must not occur twice, in whatever case: encoding/json would take the last one, and others the first.
func object(text []byte) (map[string]any, error) {
	bad := errors.New("it is not one JSON object with each name once")
	decoder := json.NewDecoder(bytes.NewReader(text))
	if start, err := decoder.Token(); err != nil || start != json.Delim('{') {
		return nil, bad
	}
	fields, seen := map[string]any{}, map[string]bool{}
	for decoder.More() {
		token, err := decoder.Token()
		name, ok := token.(string)
		var value any
		if err != nil || !ok || seen[strings.ToLower(name)] || decoder.Decode(&value) != nil {
			return nil, bad
		}
		fields[name], seen[strings.ToLower(name)] = value, true
	}
	if _, err := decoder.Token(); err != nil { // the end of the object
		return nil, bad
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, bad
	}
	return fields, nil
}

var hostname = regexp.MustCompile(`^[a-z0-9.-]+$`) // no address in brackets, whose zone can look like a domain

// certificate returns what lies at an address, if that is one of the service, with its key.
func (r *receiver) certificate(ctx context.Context, x5u string) (*x509.Certificate, *rsa.PublicKey, error) {
	address, err := url.Parse(x5u)
	if err != nil || address.Scheme != "https" || address.User != nil || !hostname.MatchString(address.Hostname()) ||
		address.Hostname() != r.domain && !strings.HasSuffix(address.Hostname(), "."+r.domain) {
		return nil, nil, errors.New("x5u is not an address of the service")
	}
	now := time.Now()
	r.mu.Lock()
	certificate := r.certificates[x5u]
	if certificate == nil {
		if now.Sub(r.minute) > time.Minute {
			r.minute, r.fetches = now, 0
		}
		r.fetches++
	}
	many := certificate == nil && r.fetches > maxFetches
	r.mu.Unlock()
	if many {
		return nil, nil, errors.New("too many certificates were asked for")
	}
	if certificate == nil {
		if certificate, err = r.fetch(ctx, x5u); err != nil {
			return nil, nil, err
		}
	}
	key, ok := certificate.PublicKey.(*rsa.PublicKey)
	if !ok || key.N.BitLen() < 2048 || now.Before(certificate.NotBefore) || now.After(certificate.NotAfter) {
		return nil, nil, errors.New("the certificate at x5u is not good")
	}
	return certificate, key, nil
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
	event, err := object(body)
	id, ok := event["webhook_id"].(string)
	if err != nil || !ok {
		http.Error(w, "The body is no event.", http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	again := r.seen[id]
	r.seen[id] = true
	r.mu.Unlock()
	if !again { // in your program: read the payment with GET /payments/{payment_id} and act on what it says
		log.Printf("payment %v is %v, webhook %s", event["payment_id"], event["payment_status"], id)
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
