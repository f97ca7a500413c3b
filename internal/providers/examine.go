package providers

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"time"

	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/publicnet"
)

const (
	applicationWithin = 8 * time.Second
	banksWithin       = 15 * time.Second // together they are less than an answer of this program may take
	shownAddresses    = 20               // redirect URLs that are kept of an application
	shownCountries    = 60
	shownAddress      = 300 // characters of one
)

// ErrNothingToExamine says that a setup has no application id yet.
var ErrNothingToExamine = errors.New("the application id is not known yet")

// Examine asks the service about a setup, or about the provider when there is no setup, and stores the result. A setup whose key the service knows becomes
// a provider; then connected is true. Failures of the service or on the way to it are part of the result and not an error.
func (p *Providers) Examine(ctx context.Context, id string) (found finance.Examination, connected bool, err error) {
	entry, err := p.Find(ctx, id)
	if err != nil {
		return found, false, err
	}
	if entry.Setup == nil {
		found = p.examine(ctx, *entry.Provider)
		p.report(ctx, id, found)
		return found, false, p.Store.SaveExamination(ctx, *entry.Provider, found)
	}
	setup := *entry.Setup
	if setup.ApplicationID == "" || setup.PrivateKey == "" {
		return found, false, ErrNothingToExamine
	}
	found = p.examine(ctx, setup.Provider(p.RedirectURL(id), ""))
	if before := entry.Provider; found.Proved() && before != nil && before.Environment != found.Environment {
		found.Problem = finance.ProblemSwitched
	}
	p.report(ctx, id, found)
	setup.Examination = found
	if !found.Proved() {
		_, err = p.Store.ChangeProviderSetup(ctx, setup)
		return found, false, err
	}
	if err := p.Store.SaveProvider(ctx, setup.Provider(found.RedirectURL, found.Environment)); err != nil {
		return found, false, err
	}
	p.Log.InfoContext(ctx, "service connected", "provider", id, "environment", found.Environment, "again", entry.Provider != nil)
	return found, true, nil
}

func (p *Providers) report(ctx context.Context, id string, e finance.Examination) {
	p.Log.InfoContext(ctx, "service examined", "provider", id, "problem", e.Problem, "status", e.Status, "code", e.Code, "request_id", e.RequestID, "banks",
		e.Banks)
}

func (p *Providers) examine(ctx context.Context, provider finance.Provider) finance.Examination {
	e := finance.Examination{At: time.Now().UTC().Truncate(time.Second), RedirectURL: p.RedirectURL(provider.ID), WebhookURL: p.WebhookURL(provider)}
	if provider.ID == finance.EmbeddedProvider {
		e.RedirectURL = provider.RedirectURL
	}
	api, err := p.Connect(ctx, provider)
	if err != nil {
		p.Log.ErrorContext(ctx, "service not examined", "provider", provider.ID, "error", err)
		e.Problem = finance.ProblemOwn
		return e
	}
	call, cancel := context.WithTimeout(ctx, applicationWithin)
	application, served, err := api.ApplicationAt(call)
	cancel()
	if !served.IsZero() {
		e.Clock, e.Ahead = true, time.Since(served).Truncate(time.Second)
	}
	if err != nil {
		refused(&e, err)
		return e
	}
	describe(&e, application)
	switch {
	case e.ApplicationID != "" && !strings.EqualFold(e.ApplicationID, provider.ApplicationID):
		e.Problem = finance.ProblemOther
	case e.Environment != openbanking.EnvironmentSandbox && e.Environment != openbanking.EnvironmentProduction:
		e.Problem = finance.ProblemEnvironment
	}
	if e.Problem != "" {
		return e
	}
	call, cancel = context.WithTimeout(ctx, banksWithin)
	banks, err := api.ASPSPs(call)
	cancel()
	e.Banks = len(banks)
	var answer *openbanking.Error
	switch {
	case errors.As(err, &answer):
		e.BanksProblem, e.BanksCode, e.BanksSaid, e.BanksRequestID = true, finance.Excerpt(string(answer.Code)), finance.Excerpt(answer.Message),
			finance.Excerpt(answer.RequestID)
	case err != nil:
		e.BanksProblem = true
	}
	return e
}

// describe takes over what the service tells of the application, as much of it as people read.
func describe(e *finance.Examination, a openbanking.Application) {
	e.Name, e.ApplicationID, e.Environment, e.Active = finance.Excerpt(a.Name), finance.Excerpt(a.Kid), a.Environment, a.Active
	for _, s := range a.Services {
		if (s == openbanking.ServiceAIS || s == openbanking.ServicePIS) && !slices.Contains(e.Services, s) {
			e.Services = append(e.Services, s)
		}
	}
	for _, c := range a.Countries {
		if len(c) == 2 && len(e.Countries) < shownCountries && !slices.Contains(e.Countries, c) {
			e.Countries = append(e.Countries, finance.Clean(c))
		}
	}
	e.RedirectAllowed = slices.Contains(a.RedirectURLs, e.RedirectURL) // exactly as registered: RFC 9700
	for _, u := range a.RedirectURLs[:min(len(a.RedirectURLs), shownAddresses)] {
		text := []rune(finance.Excerpt(u))
		e.RedirectURLs = append(e.RedirectURLs, string(text[:min(len(text), shownAddress)]))
	}
}

// refused says why there is no application.
func refused(e *finance.Examination, err error) {
	var large interface{ TooLarge() bool }
	if errors.As(err, &large) && large.TooLarge() {
		e.Problem = finance.ProblemLarge
		return
	}
	var answer *openbanking.Error
	if errors.As(err, &answer) {
		e.Status, e.Code, e.Said, e.RequestID = answer.HTTPStatus(), finance.Excerpt(string(answer.Code)), finance.Excerpt(answer.Message),
			finance.Excerpt(answer.RequestID)
		switch {
		case answer.Code == openbanking.UnauthorizedIP:
			e.Problem = finance.ProblemIP
		case e.Status == http.StatusUnauthorized:
			e.Problem = finance.ProblemKey
		case e.Status >= 300 && e.Status < 400:
			e.Problem = finance.ProblemRedirect
		case e.Status == http.StatusBadGateway && answer.Code == "", e.Status == http.StatusNotFound, e.Status == http.StatusMethodNotAllowed, e.Status < 300:
			e.Problem = finance.ProblemUnreadable
		default:
			e.Problem = finance.ProblemStatus
		}
		return
	}
	var name *net.DNSError
	var untrusted *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	var record tls.RecordHeaderError
	var timeout interface{ Timeout() bool }
	switch {
	case errors.Is(err, publicnet.ErrNotPublic):
		e.Problem = finance.ProblemAddress
	case errors.As(err, &name):
		e.Problem = finance.ProblemName
	case errors.As(err, &untrusted), errors.As(err, &authority), errors.As(err, &host), errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		e.Problem = finance.ProblemCertificate
	case errors.Is(err, syscall.ECONNREFUSED):
		e.Problem = finance.ProblemRefused
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		e.Problem = finance.ProblemTimeout
	default:
		e.Problem = finance.ProblemUnanswered
	}
}
