package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"florin/internal/apptoken"
	"florin/internal/testkit"
)

// The certificates of webhooks are served over TLS, with a certificate of an authority whose own certificate can be fetched at the API's address (the same
// after a restart), or with the operator's certificate.
func TestTheCertificatesOfWebhooksAreServedOverTLS(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Process)
	folder, address := t.TempDir(), freeAddress(t)
	settings := []string{"--listen", "127.0.0.1:0", "--service-listen", "127.0.0.1:0", "--service-tls-listen", address}
	get := func(roots *x509.CertPool, url string) (http.Header, []byte, error) {
		client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, ServerName: "localhost"}, DisableKeepAlives: true}}
		answer, err := client.Get(url)
		if err != nil {
			return nil, nil, err
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Errorf("%s: %d %s (%v)", url, answer.StatusCode, text, err)
		}
		return answer.Header, text, nil
	}
	const path = "/webhook-keys/ca.pem"
	var roots *x509.CertPool // as installed before the restart
	for range 2 {
		f := launch(t, folder, settings...)
		_, root, err := get(nil, f.service+path)
		if err != nil {
			t.Fatal(err)
		}
		if roots == nil {
			roots = x509.NewCertPool()
			if !roots.AppendCertsFromPEM(root) {
				t.Fatalf("%s is no certificate", root)
			}
		}
		header, again, err := get(roots, "https://"+address+path)
		if err != nil || !bytes.Equal(again, root) {
			t.Errorf("over TLS: %s (%v), want %s", again, err, root)
		}
		if header.Get("Strict-Transport-Security") != "" {
			t.Error("browsers are told to use https for all ports of this host")
		}
		if _, _, err := get(nil, "https://"+address+path); err == nil {
			t.Error("a client that does not know the authority trusts it")
		}
		if err := f.end(); err != nil {
			t.Fatal(err)
		}
	}

	key, err := apptoken.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := apptoken.SelfSigned(key, "localhost", time.Now(), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	private, err := apptoken.MarshalKey(key)
	if err != nil {
		t.Fatal(err)
	}
	files := t.TempDir()
	for name, text := range map[string][]byte{"c.pem": certificate, "k.pem": private} {
		if err := os.WriteFile(filepath.Join(files, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f := launch(t, folder, append(settings, "--service-tls-certificate", filepath.Join(files, "c.pem"), "--service-tls-key", filepath.Join(files, "k.pem"))...)
	c, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if got := c.ConnectionState().PeerCertificates[0]; !key.PublicKey.Equal(got.PublicKey) {
		t.Errorf("the listener has the certificate of %s", got.Subject)
	}
	if err := f.end(); err != nil {
		t.Fatal(err)
	}
}
