package main

import (
	"context"
	"crypto/rsa"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"florin/internal/apptoken"
	"florin/internal/contract/walk"
	"florin/internal/openbanking"
)

// bareTokenVariable makes the test binary run as the yardstick of the API. It names the file with the certificate of the tokens.
const bareTokenVariable = "FLORIN_BARE_TOKEN"

// measureBalances compares GET /accounts/{account_id}/balances with a handler that only verifies the token: once a handler that verifies it each time, and once
// one that remembers it, as the service does. Each of them is a process with one core. Their CPU time is compared.
func measureBalances(b *testing.B) []quantity {
	verifying := quantity{name: "API: balances of an account", unit: "requests/s of CPU", against: "bare handler that verifies the token", goal: 0.5, atLeast: true}
	remembering := quantity{name: "API: balances of an account", unit: "requests/s of CPU", against: "bare handler that knows the token from before",
		goal: 0.5, atLeast: true,
		reason: "each call leaves a row for its developer and a line in the log, and the bank is asked within a time-out"}
	f := launchWith(b, oneCore, b.TempDir(), append(slices.Clone(anywhere), "--service-rate-limit", "0")...)
	a := addApplication(b, f)
	session := a.link(openbanking.ASPSP{Name: "Mock ASPSP", Country: "FI"}, walk.Person{})
	token, err := a.token()
	if err != nil {
		b.Fatal(err)
	}
	subject := f.service + "/accounts/" + *session.Accounts[0].UID + "/balances"
	bare := startBareToken(b, a)
	const requests = 6000
	for range rounds {
		florin := apiCPU(b, f.process.Process.Pid, subject, token, requests)
		each := apiCPU(b, bare.process.Pid, bare.address+"each", token, requests)
		once := apiCPU(b, bare.process.Pid, bare.address+"once", token, requests)
		verifying.florin, verifying.yardstick = append(verifying.florin, 1e6/florin), append(verifying.yardstick, 1e6/each)
		remembering.florin, remembering.yardstick = append(remembering.florin, 1e6/florin), append(remembering.yardstick, 1e6/once)
		b.Logf("%.0f, %.0f and %.0f µs of CPU for a request", florin, each, once)
	}
	if err := f.end(); err != nil {
		b.Fatal(err)
	}
	return []quantity{verifying, remembering}
}

// apiCPU returns how much CPU time a process spends on one answer, in microseconds.
func apiCPU(b *testing.B, pid int, address, token string, requests int) float64 {
	b.Helper()
	const connections = 4
	client := &http.Client{Transport: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: connections}}
	defer client.CloseIdleConnections()
	ask := asker(b, client, address, token)
	for range 100 {
		ask()
	}
	before := cpuTime(b, pid)
	var asking sync.WaitGroup
	for range connections {
		asking.Go(func() {
			for range requests / connections {
				ask()
			}
		})
	}
	asking.Wait()
	return float64((cpuTime(b, pid) - before).Microseconds()) / float64(requests/connections*connections)
}

// asker returns a function that sends a request with a token, and fails unless the answer is 200.
func asker(b *testing.B, client *http.Client, address, token string) func() {
	return func() {
		request, err := http.NewRequestWithContext(b.Context(), http.MethodGet, address, nil)
		if err != nil {
			b.Error(err)
			return
		}
		request.Header.Set("Authorization", "Bearer "+token)
		response, err := client.Do(request)
		if err != nil {
			b.Error(err)
			return
		}
		defer response.Body.Close()
		if _, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != http.StatusOK {
			b.Error(response.StatusCode, err)
		}
	}
}

// startBareToken runs the yardstick.
func startBareToken(b *testing.B, a *application) bareServer {
	b.Helper()
	return startYardstick(b, append(oneCore, bareTokenVariable+"="+certificateFile(b, a.key))...)
}

// serveBareToken answers every request that has a valid token with an empty body. At /each it verifies the token each time; at /once it accepts a token that it
// has verified before.
func serveBareToken(file string) error {
	pem, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	key, err := apptoken.ParsePublic(pem)
	if err != nil {
		return err
	}
	verifier := apptoken.NewVerifier([]string{"localhost"}, []string{"localhost"},
		func(context.Context, string) ([]*rsa.PublicKey, error) { return []*rsa.PublicKey{key}, nil })
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println("http://" + listener.Addr().String() + "/")
	return http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kid, err := verifier.Verify(r.Context(), strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
		if err != nil {
			http.Error(w, err.Error(), http.StatusUnauthorized)
		}
		if r.URL.Path == "/each" {
			verifier.Forget(kid)
		}
	}))
}
