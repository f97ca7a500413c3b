// Package bank is the app's client of the open-banking API: one method per endpoint, errors as *openbanking.Error, signed with the
// application's token. It holds no rules of its own about banks or money.
package bank

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"florin/internal/buildinfo"
	"florin/internal/openbanking"
)

const (
	callWithin = 90 * time.Second // banks are slow; the service itself gives up before
	dialWithin = 10 * time.Second
)

// Signer makes application tokens; apptoken.Signer is one.
type Signer interface {
	Token(now time.Time) (string, error)
}

// Client calls the API of one application. It is safe for use by many goroutines.
type Client struct {
	base   *url.URL
	signer Signer
	http   *http.Client
}

// Option changes how a client connects.
type Option func(*http.Transport)

// DialTo makes the client connect to address ("127.0.0.1:8081") whatever the host of the base address is. The embedded service is reached by its
// public address this way, without name service or proxy. With https the certificate must still be that of the base address.
func DialTo(address string) Option {
	return func(t *http.Transport) {
		t.Proxy = nil
		dialer := &net.Dialer{Timeout: dialWithin}
		t.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, address)
		}
	}
}

// NewHTTPClient returns the HTTP client of this package: with time-outs, without redirects, since the API has none and a redirect would carry
// the token elsewhere, and without compression, by which a few kilobytes become gigabytes.
func NewHTTPClient(options ...Option) *http.Client {
	t := &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: dialWithin}).DialContext,
		ForceAttemptHTTP2:     true,
		DisableCompression:    true,
		TLSHandshakeTimeout:   dialWithin,
		MaxIdleConnsPerHost:   8,
		IdleConnTimeout:       90 * time.Second,
		ExpectContinueTimeout: time.Second,
	}
	for _, o := range options {
		o(t)
	}
	return &http.Client{
		Transport:     t,
		Timeout:       callWithin,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// New returns a client for the service at baseURL ({base_url} of the specification).
func New(baseURL string, signer Signer, options ...Option) (*Client, error) {
	base, err := url.Parse(strings.TrimSuffix(baseURL, "/"))
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" {
		return nil, fmt.Errorf("bank: %q is not an http or https address", baseURL)
	}
	return &Client{base: base, signer: signer, http: NewHTTPClient(options...)}, nil
}

// Application returns the application of the token. GET /application.
func (c *Client) Application(ctx context.Context) (openbanking.Application, error) {
	application, _, err := c.ApplicationAt(ctx)
	return application, err
}

// ApplicationAt is Application with the time that the answer carries, also that of a refusal; zero when it carries none. A token is refused when the clocks
// differ.
func (c *Client) ApplicationAt(ctx context.Context) (application openbanking.Application, served time.Time, err error) {
	err = retry(ctx, func() error {
		application = openbanking.Application{}
		r, err := c.request(ctx, http.MethodGet, nil, nil, nil, []string{"application"})
		if err != nil {
			return err
		}
		header, err := exchange(c.http, r, &application)
		served, _ = http.ParseTime(header.Get("Date"))
		return err
	})
	return application, served, err
}

// ASPSPs lists all banks. GET /aspsps.
func (c *Client) ASPSPs(ctx context.Context) ([]openbanking.ASPSPData, error) {
	r, err := get[openbanking.ASPSPsResponse](ctx, c, nil, nil, "aspsps")
	return r.ASPSPs, err
}

// StartAuthorization begins an authorisation. POST /auth.
func (c *Client) StartAuthorization(ctx context.Context, request openbanking.StartAuthorizationRequest) (openbanking.StartAuthorizationResponse, error) {
	return send[openbanking.StartAuthorizationResponse](ctx, c, http.MethodPost, request, "auth")
}

// AuthorizeSession exchanges a code, which works once. POST /sessions.
func (c *Client) AuthorizeSession(ctx context.Context, code string) (openbanking.AuthorizeSessionResponse, error) {
	return send[openbanking.AuthorizeSessionResponse](ctx, c, http.MethodPost, openbanking.AuthorizeSessionRequest{Code: code}, "sessions")
}

// Session returns the state of a session. GET /sessions/{session_id}.
func (c *Client) Session(ctx context.Context, sessionID string) (openbanking.Session, error) {
	return get[openbanking.Session](ctx, c, nil, nil, "sessions", sessionID)
}

// DeleteSession ends a session and, where possible, the consent at the bank. DELETE /sessions/{session_id}.
func (c *Client) DeleteSession(ctx context.Context, sessionID string) error {
	_, err := send[openbanking.SuccessResponse](ctx, c, http.MethodDelete, nil, "sessions", sessionID)
	return err
}

// AccountDetails returns an account as the bank describes it now. GET /accounts/{account_id}/details. psu are PSU headers: all that the bank
// requires, or nil (spec: Endpoints).
func (c *Client) AccountDetails(ctx context.Context, uid string, psu http.Header) (openbanking.AccountResource, error) {
	return get[openbanking.AccountResource](ctx, c, nil, psu, "accounts", uid, "details")
}

// Balances returns the balances of an account. GET /accounts/{account_id}/balances.
func (c *Client) Balances(ctx context.Context, uid string, psu http.Header) ([]openbanking.BalanceResource, error) {
	r, err := get[openbanking.HalBalances](ctx, c, nil, psu, "accounts", uid, "balances")
	return r.Balances, err
}

// TransactionsPage returns one page. GET /accounts/{account_id}/transactions.
func (c *Client) TransactionsPage(ctx context.Context, uid string, q openbanking.TransactionsQuery, psu http.Header) (openbanking.TransactionsPage, error) {
	return get[openbanking.TransactionsPage](ctx, c, q.Values(), psu, "accounts", uid, "transactions")
}

// Transaction returns the details of one transaction. GET /accounts/{account_id}/transactions/{transaction_id}.
func (c *Client) Transaction(ctx context.Context, uid, transactionID string, psu http.Header) (openbanking.Transaction, error) {
	return get[openbanking.Transaction](ctx, c, nil, psu, "accounts", uid, "transactions", transactionID)
}

// CreatePayment creates a payment. POST /payments. The call is never repeated, except by the transport when not a byte of it was sent. When no answer
// comes, NothingSent of the error says whether the service may have received it.
func (c *Client) CreatePayment(ctx context.Context, request openbanking.CreatePaymentRequest) (openbanking.CreatePaymentResponse, error) {
	return send[openbanking.CreatePaymentResponse](ctx, c, http.MethodPost, request, "payments")
}

// Payment returns a payment as the service knows it now. GET /payments/{payment_id}.
func (c *Client) Payment(ctx context.Context, paymentID string) (openbanking.Payment, error) {
	return get[openbanking.Payment](ctx, c, nil, nil, "payments", paymentID)
}

// PaymentTransaction returns one transfer of a payment. GET /payments/{payment_id}/transactions/{transaction_id}.
func (c *Client) PaymentTransaction(ctx context.Context, paymentID, transactionID string) (openbanking.PaymentTransaction, error) {
	return get[openbanking.PaymentTransaction](ctx, c, nil, nil, "payments", paymentID, "transactions", transactionID)
}

// DeletePayment deletes a payment that is final or cancelled; another one is refused with PAYMENT_NOT_FINALIZED. DELETE /payments/{payment_id}.
func (c *Client) DeletePayment(ctx context.Context, paymentID string) error {
	_, err := send[openbanking.SuccessResponse](ctx, c, http.MethodDelete, nil, "payments", paymentID)
	return err
}

// RegisterApplication registers an application at {registration_url}/api/applications with a bearer token of the control panel, which is not an
// application token (api-notes 3).
func RegisterApplication(ctx context.Context, client *http.Client, registrationURL, bearer string,
	request openbanking.RegisterApplicationRequest) (openbanking.RegisterApplicationResponse, error) {
	var answer openbanking.RegisterApplicationResponse
	body, err := json.Marshal(request)
	if err != nil {
		return answer, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(registrationURL, "/")+"/api/applications", bytes.NewReader(body))
	if err != nil {
		return answer, errors.New("bank: the registration address is no address")
	}
	decorate(r, bearer, true)
	return answer, do(client, r, &answer)
}

func get[T any](ctx context.Context, c *Client, query url.Values, psu http.Header, path ...string) (T, error) {
	var answer T
	err := retry(ctx, func() error {
		answer = *new(T)
		return c.call(ctx, http.MethodGet, query, psu, nil, &answer, path)
	})
	return answer, err
}

// send makes a call that is never repeated: what it did is not known when no answer comes.
func send[T any](ctx context.Context, c *Client, method string, body any, path ...string) (T, error) {
	var answer T
	err := c.call(ctx, method, nil, nil, body, &answer, path)
	return answer, err
}

// call builds a request, signs it and sends it.
func (c *Client) call(ctx context.Context, method string, query url.Values, psu http.Header, body, answer any, path []string) error {
	r, err := c.request(ctx, method, query, psu, body, path)
	if err != nil {
		return err
	}
	return do(c.http, r, answer)
}

// request builds a request and signs it.
func (c *Client) request(ctx context.Context, method string, query url.Values, psu http.Header, body any, path []string) (*http.Request, error) {
	target := *c.base
	for i, p := range path {
		if p == "" || p == "." || p == ".." {
			return nil, fmt.Errorf("bank: %q cannot be part %d of a path", p, i)
		}
	}
	escaped := ""
	for _, p := range path { // an id cannot leave its place in the path
		escaped += "/" + url.PathEscape(p)
		target.Path += "/" + p
	}
	target.RawPath = c.base.EscapedPath() + escaped
	target.RawQuery = query.Encode()
	var content io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		content = bytes.NewReader(b)
	}
	r, err := http.NewRequestWithContext(ctx, method, target.String(), content)
	if err != nil {
		return nil, errors.New("bank: the request cannot be built")
	}
	token, err := c.signer.Token(time.Now())
	if err != nil {
		return nil, err
	}
	for name, values := range psu {
		r.Header[http.CanonicalHeaderKey(name)] = values
	}
	decorate(r, token, body != nil)
	return r, nil
}

func decorate(r *http.Request, bearer string, body bool) {
	r.Header.Set("Authorization", "Bearer "+bearer)
	r.Header.Set("Accept", "application/json")
	r.Header.Set("User-Agent", buildinfo.UserAgent())
	if body {
		r.Header.Set("Content-Type", "application/json")
	}
}

// do sends a request and reads the answer: into answer when it is a success, else into an *openbanking.Error. Errors never hold the address, which
// may carry ids.
func do(client *http.Client, r *http.Request, answer any) error {
	_, err := exchange(client, r, answer)
	return err
}

// exchange is do with the headers of the answer, nil when there was none.
func exchange(client *http.Client, r *http.Request, answer any) (http.Header, error) {
	var connected atomic.Bool
	r = r.WithContext(httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }}))
	response, err := client.Do(r)
	if err != nil {
		var e *url.Error
		if errors.As(err, &e) {
			err = e.Err
		}
		return nil, &Unanswered{Call: r.Method + " " + endpoint(r.URL.Path), Cause: err, sent: connected.Load()}
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK && response.StatusCode != http.StatusCreated {
		return response.Header, failure(response)
	}
	return response.Header, accept(r, response, answer)
}

// failure makes an error of an answer that is no success. A body of any shape will do (api-notes 1).
func failure(response *http.Response) error {
	e := &openbanking.Error{Status: response.StatusCode, RequestID: response.Header.Get("X-Request-Id"), RetryAfter: retryAfter(response)}
	data, large, err := boundError.read(response)
	var body openbanking.ErrorResponse
	if err == nil && !large && boundError.holds.Holds(data) && json.Unmarshal(data, &body) == nil {
		e.Message, e.Detail = body.Message, body.Detail
		if body.Error != nil {
			e.Code = *body.Error
		}
	}
	if e.Message == "" {
		e.Message = http.StatusText(response.StatusCode)
	}
	return e
}

// Unanswered is the error of a call without a complete answer. The service may have carried it out or not.
type Unanswered struct {
	Call  string // method and endpoint, without ids
	Cause error
	sent  bool // there was a connection, so a part may have been sent
}

// NothingSent reports whether it is certain that the service did not get the call: no connection was made.
func (e *Unanswered) NothingSent() bool { return !e.sent }

func (e *Unanswered) Error() string { return "bank: no answer to " + e.Call + ": " + e.Cause.Error() }

// Unwrap returns the cause.
func (e *Unanswered) Unwrap() error { return e.Cause }

// Timeout reports whether time ran out; as in net.Error.
func (e *Unanswered) Timeout() bool {
	var t interface{ Timeout() bool }
	return errors.As(e.Cause, &t) && t.Timeout()
}

// endpoint is the first part of a path: enough for a log, without ids.
func endpoint(path string) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return "/" + first
}
