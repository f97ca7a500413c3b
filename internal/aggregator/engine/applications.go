package engine

import (
	"context"
	"crypto/rsa"
	"errors"
	"net"
	"net/mail"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"florin/internal/aggregator"
	"florin/internal/apptoken"
	"florin/internal/openbanking"
)

// Limits of a registration (our decision; webhook_url: api-notes 3).
const (
	maxName         = 200
	maxText         = 2000
	maxURL          = 2083
	maxRedirectURLs = 50
	maxKeyText      = 32 << 10
)

// Register stores a new application (spec: Application registration payload). origins are the origins to which webhooks
// may be sent, such as "https://example.org". A field that breaks a rule gives WRONG_REQUEST_PARAMETERS and names it.
//
// A SANDBOX application is active at once, a PRODUCTION one is pending (spec: Environments and activation). Both may use
// the service AIS.
func (e *Engine) Register(ctx context.Context, req openbanking.RegisterApplicationRequest, origins []string) (aggregator.Application, error) {
	app := aggregator.Application{
		ID:             uuid.NewString(),
		Name:           strings.TrimSpace(req.Name),
		Description:    value(req.Description),
		Environment:    req.Environment,
		RedirectURLs:   slices.Clone(req.RedirectURLs),
		WebhookOrigins: slices.Clone(origins),
		Services:       []openbanking.Service{openbanking.ServiceAIS},
		GDPREmail:      value(req.GDPREmail),
		PrivacyURL:     value(req.PrivacyURL),
		TermsURL:       value(req.TermsURL),
		Active:         req.Environment == openbanking.EnvironmentSandbox,
		PublicKeyPEM:   req.Certificate,
		CreatedAt:      e.now(),
	}
	if err := checkRegistration(app); err != nil {
		return aggregator.Application{}, err
	}
	if err := e.store.CreateApplication(ctx, app); err != nil {
		return aggregator.Application{}, err
	}
	return app, nil
}

// Application returns a registered application, or aggregator.ErrNotFound.
func (e *Engine) Application(ctx context.Context, id string) (aggregator.Application, error) {
	return e.store.Application(ctx, id)
}

// PublicKey returns the key that verifies the tokens of an application: a KeyFunc of apptoken. Unknown: apptoken.ErrUnknownKey.
func (e *Engine) PublicKey(ctx context.Context, kid string) (*rsa.PublicKey, error) {
	app, err := e.store.Application(ctx, kid)
	if errors.Is(err, aggregator.ErrNotFound) {
		return nil, apptoken.ErrUnknownKey
	}
	if err != nil {
		return nil, err
	}
	return apptoken.ParsePublic([]byte(app.PublicKeyPEM))
}

// DescribeApplication returns the application as GET /application shows it.
func (e *Engine) DescribeApplication(app aggregator.Application) openbanking.Application {
	var countries []string
	for _, c := range e.list() {
		if country := c.ASPSP().Country; !slices.Contains(countries, country) {
			countries = append(countries, country)
		}
	}
	slices.Sort(countries)
	var description *string
	if app.Description != "" {
		description = &app.Description
	}
	return openbanking.Application{
		Name:         app.Name,
		Description:  description,
		Kid:          app.ID,
		Environment:  app.Environment,
		RedirectURLs: app.RedirectURLs,
		Active:       app.Active,
		Countries:    countries,
		Services:     app.Services,
	}
}

func checkRegistration(app aggregator.Application) error {
	if !openbanking.Known(app.Environment) {
		return InvalidParameter("environment", "must be SANDBOX or PRODUCTION")
	}
	if problem := nameProblem(app.Name); problem != "" {
		return InvalidParameter("name", problem)
	}
	if len(app.PublicKeyPEM) > maxKeyText {
		return InvalidParameter("certificate", "is too long; send one certificate or public key in PEM")
	}
	if _, err := apptoken.ParsePublic([]byte(app.PublicKeyPEM)); err != nil {
		return InvalidParameter("certificate", "is not usable: "+err.Error())
	}
	if len(app.RedirectURLs) == 0 || len(app.RedirectURLs) > maxRedirectURLs {
		return InvalidParameter("redirect_urls", "must hold 1 to "+strconv.Itoa(maxRedirectURLs)+" addresses")
	}
	for i, u := range app.RedirectURLs {
		if problem := redirectProblem(u, app.Environment); problem != "" {
			return InvalidParameter("redirect_urls["+strconv.Itoa(i)+"]", problem)
		}
	}
	for i, origin := range app.WebhookOrigins {
		if problem := originProblem(origin, app.Environment); problem != "" {
			return InvalidParameter("webhook_origins["+strconv.Itoa(i)+"]", problem)
		}
	}
	production := app.Environment == openbanking.EnvironmentProduction
	for _, field := range []struct {
		name, value string
		problem     func(string) string
	}{
		{"description", app.Description, func(s string) string { return textProblem(s, maxText) }},
		{"gdpr_email", app.GDPREmail, emailProblem},
		{"privacy_url", app.PrivacyURL, webProblem},
		{"terms_url", app.TermsURL, webProblem},
	} {
		if field.value == "" {
			if production {
				return InvalidParameter(field.name, "is required when environment is PRODUCTION")
			}
			continue
		}
		if problem := field.problem(field.value); problem != "" {
			return InvalidParameter(field.name, problem)
		}
	}
	return nil
}

func textProblem(s string, limit int) string {
	switch {
	case strings.TrimSpace(s) == "":
		return "is empty"
	case utf8.RuneCountInString(s) > limit:
		return "is longer than " + strconv.Itoa(limit) + " characters"
	}
	return ""
}

// nameProblem applies the rules of names, by which people know to whom they give access: one line, and nothing in it that
// cannot be seen or that turns the direction of writing, so that two names that look alike are alike.
func nameProblem(s string) string {
	if problem := textProblem(s, maxName); problem != "" {
		return problem
	}
	if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsGraphic(r) || unicode.Is(unicode.Cf, r) }) {
		return "holds a character that cannot be seen"
	}
	return ""
}

// redirectProblem applies the rules of redirect URLs (api-notes 3): absolute, no fragment, no user, https except for a
// loopback address in SANDBOX.
func redirectProblem(text string, environment openbanking.Environment) string {
	u, problem := webURL(text)
	switch {
	case problem != "":
		return problem
	case strings.Contains(text, "#"):
		return "must have no fragment (#)"
	case u.Scheme == "https", environment == openbanking.EnvironmentSandbox && isLoopback(u.Hostname()):
		return ""
	}
	return "must use https; http is accepted only for a loopback address such as http://localhost in the SANDBOX environment"
}

// originProblem applies the rules of webhook origins: scheme, host and port alone.
func originProblem(text string, environment openbanking.Environment) string {
	if problem := redirectProblem(text, environment); problem != "" {
		return problem
	}
	if u, _ := webURL(text); text != u.Scheme+"://"+u.Host {
		return "must be an origin such as https://example.org, without a path"
	}
	return ""
}

func webProblem(text string) string {
	_, problem := webURL(text)
	return problem
}

func webURL(text string) (u *url.URL, problem string) {
	if len(text) > maxURL {
		return nil, "is longer than " + strconv.Itoa(maxURL) + " characters"
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r == '\\' || r == 0x7f }):
		return nil, "is not a URL"
	case u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.Opaque != "":
		return nil, "must be an absolute URL that begins with https://"
	case u.User != nil:
		return nil, "must hold no user name or password"
	}
	return u, ""
}

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

func emailProblem(text string) string {
	address, err := mail.ParseAddress(text)
	if err != nil || address.Address != text || len(text) > 254 {
		return "is not an e-mail address"
	}
	return ""
}

func value(s *string) string {
	if s == nil {
		return ""
	}
	return strings.TrimSpace(*s)
}
