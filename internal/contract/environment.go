package contract

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"

	"florin/internal/apptoken"
	"florin/internal/contract/walk"
	"florin/internal/openbanking"
)

// FromEnvironment reads a target from environment variables; ok is false when there is none. The first group is
// needed:
//
//	FLORIN_CONTRACT_BASE_URL      the service, such as https://api.example
//	FLORIN_CONTRACT_APPLICATION   id of an active SANDBOX application
//	FLORIN_CONTRACT_KEY_FILE      its private key in PEM
//	FLORIN_CONTRACT_ISSUER        iss of its tokens
//	FLORIN_CONTRACT_AUDIENCE      aud of its tokens
//	FLORIN_CONTRACT_REDIRECT_URL  one of its redirect URLs; nobody has to listen there
//	FLORIN_CONTRACT_BANK          name of a bank
//	FLORIN_CONTRACT_COUNTRY       and its country
//
//	FLORIN_CONTRACT_HOSTED        "florin" when the hosted pages are those of Florin, so that the suite can walk through them
//	FLORIN_CONTRACT_USERNAME, FLORIN_CONTRACT_PASSWORD, FLORIN_CONTRACT_OTP  what the bank asks for, if it does
//
//	FLORIN_CONTRACT_WEBHOOK_LISTEN  address at which the suite waits for webhooks, such as 127.0.0.1:9000
//	FLORIN_CONTRACT_WEBHOOK_URL     where the service reaches it; begins with a webhook origin of the application
//	FLORIN_CONTRACT_DOMAIN          of the service, if it is not the host of its base URL
//
// Without FLORIN_CONTRACT_HOSTED nothing that needs a session is tested: no program can consent at an unknown bank.
func FromEnvironment() (target Target, ok bool, err error) {
	get := func(name string) string {
		value := os.Getenv("FLORIN_CONTRACT_" + name)
		if value == "" {
			err = errors.Join(err, fmt.Errorf("FLORIN_CONTRACT_%s is not set", name))
		}
		return value
	}
	if os.Getenv("FLORIN_CONTRACT_BASE_URL") == "" {
		return Target{}, false, nil
	}
	target = Target{
		BaseURL:     get("BASE_URL"),
		RedirectURL: get("REDIRECT_URL"),
		Bank:        openbanking.ASPSP{Name: get("BANK"), Country: get("COUNTRY")},
	}
	application, file, issuer, audience := get("APPLICATION"), get("KEY_FILE"), get("ISSUER"), get("AUDIENCE")
	if err != nil {
		return Target{}, true, err
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		return Target{}, true, fmt.Errorf("read FLORIN_CONTRACT_KEY_FILE: %w", err)
	}
	key, err := apptoken.ParseKey(pem)
	if err != nil {
		return Target{}, true, fmt.Errorf("FLORIN_CONTRACT_KEY_FILE: %w", err)
	}
	signer := apptoken.NewSigner(key, application, issuer, audience)
	target.Token = func() (string, error) { return signer.Token(time.Now()) }
	target.Domain = os.Getenv("FLORIN_CONTRACT_DOMAIN")
	if listen, address := os.Getenv("FLORIN_CONTRACT_WEBHOOK_LISTEN"), os.Getenv("FLORIN_CONTRACT_WEBHOOK_URL"); listen != "" && address != "" {
		target.Receive = func(handler http.Handler) (string, func(), error) { return receiveAt(listen, address, handler) }
	}
	switch hosted := os.Getenv("FLORIN_CONTRACT_HOSTED"); hosted {
	case "":
	case "florin":
		person := walk.Person{
			Username: os.Getenv("FLORIN_CONTRACT_USERNAME"),
			Password: os.Getenv("FLORIN_CONTRACT_PASSWORD"),
			Code:     os.Getenv("FLORIN_CONTRACT_OTP"),
		}
		target.Approve = func(ctx context.Context, start string) (*url.URL, error) {
			return walk.New(nil).Approve(ctx, start, person)
		}
		target.Cancel = func(ctx context.Context, start string) (*url.URL, error) { return walk.New(nil).Cancel(ctx, start) }
		target.Pay = func(ctx context.Context, start string) (*url.URL, error) {
			return walk.New(nil).Pay(ctx, start, person)
		}
	default:
		return Target{}, true, fmt.Errorf(`FLORIN_CONTRACT_HOSTED is %q; it may be "florin" or empty`, hosted)
	}
	return target, true, nil
}

// receiveAt serves a handler at a local address, which others reach by another one.
func receiveAt(listen, address string, handler http.Handler) (_ string, stop func(), err error) {
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", listen)
	if err != nil {
		return "", nil, fmt.Errorf("listen for webhooks: %w", err)
	}
	server := &http.Server{Handler: handler, ReadTimeout: time.Minute, WriteTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }() // it ends with stop
	return address, func() { _ = server.Close() }, nil
}
