// Package contract is the suite that every implementation of the open-banking aggregation API has to pass. It speaks HTTP
// to any base URL, knows nothing of what is behind it, and relies only on what the specification says; what the embedded
// service does beyond that is tested in its own packages.
package contract

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"florin/internal/openbanking"
)

// Target is the service under test. What is nil is not tested, and Run says so.
type Target struct {
	BaseURL     string                 // without a slash at its end
	Token       func() (string, error) // of an active SANDBOX application
	RedirectURL string                 // registered with that application
	Bank        openbanking.ASPSP      // whose sessions are tested; its user has at least one account with transactions
	Client      *http.Client           // nil: http.DefaultClient

	// Approve walks from the url of POST /auth through the pages of service and bank as a person who agrees, and returns
	// the redirect to the application. Cancel is a person who cancels before the consent.
	Approve func(ctx context.Context, start string) (*url.URL, error)
	Cancel  func(ctx context.Context, start string) (*url.URL, error)

	// Pay walks from the url of POST /payments as a person who approves the payment, and returns the redirect.
	Pay func(ctx context.Context, start string) (*url.URL, error)

	// Receive lets a handler answer the webhooks of the application, until stop is called. They go to the address, which
	// begins with one of the webhook origins of the application.
	Receive      func(handler http.Handler) (address string, stop func(), err error)
	Certificates *http.Client // fetches the certificates of webhooks; nil: Client
	Domain       string       // of the service, to which x5u has to belong; empty: the host of BaseURL

	// Pass lets time go by at the service, where a test has a hand in it. Nil: the suite waits.
	Pass func(time.Duration)

	OtherToken func() (string, error) // of a second application with the same RedirectURL

	// RegistrationURL and OperatorToken are for the registration of applications; Certificate is what is registered.
	RegistrationURL string
	OperatorToken   func() (string, error)
	Certificate     string
}

// NotCovered lists what the suite leaves to other tests, and why.
var NotCovered = []string{
	"what a bank rejects, PAYMENT_LIMIT_EXCEEDED by the amount, UNTRUSTED_PAYMENT_PARTY: banks and settings differ; see internal/aggregator",
	"retries over 24 hours, time-outs of receivers: they need a clock; see internal/aggregator/notify",
	"EXPIRED and REVOKED sessions, late codes: they need a clock or a PSU's hand; see internal/aggregator",
	"errors of banks (ASPSP_*), limits and time-outs: a bank would have to be made to fail",
	"PSU_HEADER_NOT_PROVIDED where no bank lists required_psu_headers",
	"the choice of a method and forms that are filled in (credentials_autosubmit): pages differ; see internal/aggregator/server",
	"forged tokens beyond the plain ones: the table is in internal/aggregator/api",
	"UNAUTHORIZED_IP, NO_ACCOUNTS_ADDED, INVALID_HOST: settings of an application that the API cannot change",
}

// Run tests the target. Every request that the target accepts and every answer is held against the OpenAPI description. It closes every session that it opened
// and deletes every payment that is over; it cannot take back an application that it registered.
func Run(t *testing.T, target Target) {
	target.BaseURL = strings.TrimSuffix(target.BaseURL, "/")
	if target.Client == nil {
		target.Client = &http.Client{Timeout: time.Minute}
	}
	var err error
	if target.Client, err = Describe(target.Client, target.BaseURL, target.RegistrationURL); err != nil {
		t.Fatal(err)
	}
	for _, part := range []struct {
		name  string
		needs []string // what has to be there, empty when it is
		run   func(*suite)
	}{
		{"Authentication", nil, (*suite).authentication},
		{"Application", nil, (*suite).application},
		{"Banks", nil, (*suite).banks},
		{"Requests", nil, (*suite).requests},
		{"StartOfAuthorization", nil, (*suite).startOfAuthorization},
		{"Methods", nil, (*suite).methods},
		{"Cancel", need("Cancel", target.Cancel != nil), (*suite).cancel},
		{"Sessions", need("Approve", target.Approve != nil), (*suite).sessions},
		{"Renewal", need("Approve", target.Approve != nil), (*suite).renewal},
		{"Scopes", need("Approve", target.Approve != nil), (*suite).scopes},
		{"Accounts", need("Approve", target.Approve != nil), (*suite).accounts},
		{"Transactions", need("Approve", target.Approve != nil), (*suite).transactions},
		{"OtherApplication", append(need("Approve", target.Approve != nil), need("OtherToken", target.OtherToken != nil)...), (*suite).otherApplication},
		{"StartOfPayments", nil, (*suite).startOfPayments},
		{"NewPayments", nil, (*suite).newPayments},
		{"CancelledPayments", need("Cancel", target.Cancel != nil), (*suite).cancelPayment},
		{"Payments", need("Pay", target.Pay != nil), (*suite).payments},
		{"PaymentsOfOtherApplication", need("OtherToken", target.OtherToken != nil), (*suite).paymentsOfOthers},
		{"Webhooks", append(need("Pay", target.Pay != nil), need("Receive", target.Receive != nil)...), (*suite).webhooks},
		{"WebhookOfCancellation", append(need("Cancel", target.Cancel != nil), need("Receive", target.Receive != nil)...), (*suite).webhookOfCancellation},
		{"Registration", need("OperatorToken", target.OperatorToken != nil), (*suite).registration},
	} {
		t.Run(part.name, func(t *testing.T) {
			if len(part.needs) > 0 {
				t.Skipf("not covered here: the target has no %s", strings.Join(part.needs, " and no "))
			}
			part.run(&suite{T: t, target: target})
		})
	}
	t.Logf("the suite does not cover:\n- %s", strings.Join(NotCovered, "\n- "))
}

func need(name string, there bool) []string {
	if there {
		return nil
	}
	return []string{name}
}
