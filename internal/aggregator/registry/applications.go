package registry

import (
	"context"
	"crypto/hmac"
	"crypto/rsa"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/netip"
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

// Limits of a registration (our decision).
const (
	maxName         = 200
	maxText         = 2000
	maxRedirectURLs = 50
	maxKeyText      = 32 << 10
	maxAllowedIPs   = 50
)

// Problem is a field that breaks a rule, named as the wire spells it. Text completes the sentence that the name begins.
type Problem struct{ Field, Text string }

// Problems are all the fields of a form that break a rule. To the API it is the error of the first one.
type Problems []Problem

// Error names the first field.
func (p Problems) Error() string { return p[0].Field + " " + p[0].Text }

// Unwrap returns WRONG_REQUEST_PARAMETERS for the first field.
func (p Problems) Unwrap() error { return aggregator.InvalidParameter(p[0].Field, p[0].Text) }

// with returns the problems and one more, unless its text is empty.
func (p Problems) with(field, text string) Problems {
	if text == "" {
		return p
	}
	return append(p, Problem{field, text})
}

// err returns nil when there are none.
func (p Problems) err() error {
	if len(p) == 0 {
		return nil
	}
	return p
}

// Register stores a new application of the operator (spec: Application registration payload). origins are the origins to
// which webhooks may be sent, such as "https://example.org". Fields that break a rule give Problems.
//
// A SANDBOX application is active at once and may use both services, a PRODUCTION one is pending and may use AIS (spec:
// Environments and activation).
func (r *Registry) Register(ctx context.Context, req openbanking.RegisterApplicationRequest, origins []string) (aggregator.Application, error) {
	return r.register(ctx, "", uuid.NewString(), req, origins, 0)
}

// RegisterOwn is Register for a developer. An id of NewApplicationID makes it safe to repeat: the second call returns
// the application that the first one made. ErrTooMany: the developer has MaxApplications.
func (r *Registry) RegisterOwn(ctx context.Context, developerID, ticket string, req openbanking.RegisterApplicationRequest,
	origins []string) (aggregator.Application, error) {
	id := uuid.NewString()
	if ticket != "" {
		if id = r.applicationID(developerID, ticket); id == "" {
			return aggregator.Application{}, ErrForm
		}
		if app, err := r.store.OwnApplication(ctx, developerID, id); !errors.Is(err, aggregator.ErrNotFound) {
			return app, err
		}
	}
	app, err := r.register(ctx, developerID, id, req, origins, MaxApplications)
	if errors.Is(err, aggregator.ErrConflict) {
		if app, err := r.store.OwnApplication(ctx, developerID, id); err == nil {
			return app, nil // the same form, sent at the same time
		}
		return app, ErrTooMany
	}
	return app, err
}

// What keeps the control panel from doing what a developer asks.
var (
	ErrForm    = errors.New("the form is not one that was given to this developer")
	ErrTooMany = errors.New("the developer has as many applications as one may have")
	ErrTwoKeys = errors.New("the application has two keys")
	ErrLastKey = errors.New("the application has no other key")
)

// MaxApplications is how many applications a developer may have at a time.
const MaxApplications = 50

// NewApplicationID returns an id for an application that the developer may register, and the ticket with which only this
// developer can.
func (r *Registry) NewApplicationID(developerID string) (id, ticket string) {
	id = uuid.NewString()
	return id, id + "." + hex.EncodeToString(aggregator.MAC(r.secrets.Developer, "application|"+developerID+"|"+id))
}

// applicationID returns the id in a ticket, empty when the ticket is not the developer's.
func (r *Registry) applicationID(developerID, ticket string) string {
	id, signature, _ := strings.Cut(ticket, ".")
	sent, err := hex.DecodeString(signature)
	if err != nil || !hmac.Equal(sent, aggregator.MAC(r.secrets.Developer, "application|"+developerID+"|"+id)) {
		return ""
	}
	return id
}

// CheckRegistration returns the Problems of a registration, without those of its certificate.
func (r *Registry) CheckRegistration(req openbanking.RegisterApplicationRequest, origins []string) error {
	return checkApplication(r.newApplication(req, origins)).err()
}

func (r *Registry) newApplication(req openbanking.RegisterApplicationRequest, origins []string) aggregator.Application {
	app := aggregator.Application{
		Name:           strings.TrimSpace(req.Name),
		Description:    aggregator.Trimmed(req.Description),
		Environment:    req.Environment,
		Status:         aggregator.ApplicationPending,
		RedirectURLs:   slices.Clone(req.RedirectURLs),
		WebhookOrigins: slices.Clone(origins),
		Services:       []openbanking.Service{openbanking.ServiceAIS},
		GDPREmail:      aggregator.Trimmed(req.GDPREmail),
		PrivacyURL:     aggregator.Trimmed(req.PrivacyURL),
		TermsURL:       aggregator.Trimmed(req.TermsURL),
		CreatedAt:      r.now(),
	}
	if req.Environment == openbanking.EnvironmentSandbox {
		app.Status = aggregator.ApplicationActive
		app.Services = append(app.Services, openbanking.ServicePIS)
	}
	return app
}

func (r *Registry) register(ctx context.Context, developerID, id string, req openbanking.RegisterApplicationRequest, origins []string,
	limit int) (aggregator.Application, error) {
	app := r.newApplication(req, origins)
	app.ID, app.OwnerID = id, developerID
	problems := checkApplication(app)
	problems = problems.with("certificate", keyProblem(req.Certificate))
	if err := problems.err(); err != nil {
		return aggregator.Application{}, err
	}
	key := aggregator.ApplicationKey{ID: uuid.NewString(), PEM: req.Certificate, Created: app.CreatedAt}
	if err := r.store.CreateApplication(ctx, app, key, limit); err != nil {
		return aggregator.Application{}, err
	}
	return app, nil
}

// Application returns a registered application that is not deleted, or aggregator.ErrNotFound.
func (r *Registry) Application(ctx context.Context, id string) (aggregator.Application, error) {
	app, err := r.store.Application(ctx, id)
	if err == nil && app.Status == aggregator.ApplicationDeleted {
		return aggregator.Application{}, aggregator.ErrNotFound
	}
	return app, err
}

// OwnApplication returns an application of the developer, or aggregator.ErrNotFound.
func (r *Registry) OwnApplication(ctx context.Context, developerID, id string) (aggregator.Application, error) {
	return r.store.OwnApplication(ctx, developerID, id)
}

// OwnApplications returns the applications of the developer, the newest first.
func (r *Registry) OwnApplications(ctx context.Context, developerID string) ([]aggregator.Application, error) {
	return r.store.OwnApplications(ctx, developerID)
}

// OwnApplication is an application of a developer with all that belongs to it.
type OwnApplication struct {
	aggregator.Application
	Owner    aggregator.Developer
	Keys     []aggregator.ApplicationKey // the oldest first, those that have ended included
	Accounts []aggregator.OwnAccount
}

// DescribeOwnApplications returns the applications of the developer with all that belongs to them, the newest first.
func (r *Registry) DescribeOwnApplications(ctx context.Context, developerID string) ([]OwnApplication, error) {
	apps, err := r.store.OwnApplications(ctx, developerID)
	if err != nil {
		return nil, err
	}
	list := make([]OwnApplication, len(apps))
	for i, app := range apps {
		if list[i], err = r.describeOwn(ctx, app); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// DescribeOwnApplication returns an application of the developer with all that belongs to it, or aggregator.ErrNotFound.
func (r *Registry) DescribeOwnApplication(ctx context.Context, developerID, id string) (OwnApplication, error) {
	app, err := r.store.OwnApplication(ctx, developerID, id)
	if err != nil {
		return OwnApplication{}, err
	}
	return r.describeOwn(ctx, app)
}

func (r *Registry) describeOwn(ctx context.Context, app aggregator.Application) (o OwnApplication, err error) {
	o.Application = app
	if o.Owner, err = r.store.Developer(ctx, app.OwnerID); err != nil {
		return o, err
	}
	if o.Keys, err = r.store.ApplicationKeys(ctx, app.ID); err != nil {
		return o, err
	}
	o.Accounts, err = r.store.OwnAccounts(ctx, app.ID)
	return o, err
}

// Settings are what the owner of an application may change.
type Settings struct {
	Name           string
	Description    string
	RedirectURLs   []string
	WebhookOrigins []string
	AllowedIPs     []string // addresses and networks
	Restricted     bool     // own accounts only; a PRODUCTION application that is, stays so
	GDPREmail      string
	PrivacyURL     string
	TermsURL       string
}

// Change gives an application of the developer other settings, at once. Fields that break a rule give Problems.
func (r *Registry) Change(ctx context.Context, developerID, id string, s Settings) error {
	app, err := r.store.OwnApplication(ctx, developerID, id)
	if err != nil {
		return err
	}
	var problems Problems
	app.AllowedIPs = nil
	if len(s.AllowedIPs) > maxAllowedIPs {
		problems = problems.with("allowed_ips", "may hold at most "+strconv.Itoa(maxAllowedIPs)+" addresses")
	}
	for i, text := range s.AllowedIPs {
		network, err := parseNetwork(text)
		if err != nil {
			problems = problems.with("allowed_ips["+strconv.Itoa(i)+"]", "is not an address or a network such as 192.0.2.7 or 2001:db8::/32")
		}
		app.AllowedIPs = append(app.AllowedIPs, network)
	}
	if app.Restricted && !s.Restricted && app.Environment == openbanking.EnvironmentProduction {
		problems = problems.with("restricted", "can be lifted by the operator alone")
	}
	app.Name, app.Description = strings.TrimSpace(s.Name), strings.TrimSpace(s.Description)
	app.RedirectURLs, app.WebhookOrigins = slices.Clone(s.RedirectURLs), slices.Clone(s.WebhookOrigins)
	app.Restricted = s.Restricted
	app.GDPREmail, app.PrivacyURL, app.TermsURL = strings.TrimSpace(s.GDPREmail), strings.TrimSpace(s.PrivacyURL), strings.TrimSpace(s.TermsURL)
	if err := append(checkApplication(app), problems...).err(); err != nil {
		return err
	}
	return r.store.UpdateApplication(ctx, app)
}

// Pause keeps an active application of the developer from calling the API, Resume lets it again. aggregator.ErrNotFound:
// it is not in the state for that, or not the developer's.
func (r *Registry) Pause(ctx context.Context, developerID, id string) error {
	return r.store.MoveApplication(ctx, developerID, id, aggregator.ApplicationPause)
}

// Resume ends a pause.
func (r *Registry) Resume(ctx context.Context, developerID, id string) error {
	return r.store.MoveApplication(ctx, developerID, id, aggregator.ApplicationResume)
}

// Unapproved returns the PRODUCTION applications that are pending or limited to own accounts, the oldest first.
func (r *Registry) Unapproved(ctx context.Context) ([]aggregator.Application, error) {
	return r.store.UnapprovedApplications(ctx, shownToOperator)
}

// Approve activates a pending PRODUCTION application and lifts its limit to own accounts; the operator does it.
// aggregator.ErrNotFound: it does not wait for that.
func (r *Registry) Approve(ctx context.Context, id string) error {
	return r.store.ApproveApplication(ctx, id)
}

// shownToOperator is how many applications a list of the operator holds.
const shownToOperator = 200

// ProductionApplications returns the applications of PRODUCTION, the newest first; the operator decides on their services.
func (r *Registry) ProductionApplications(ctx context.Context) ([]aggregator.Application, error) {
	return r.store.ProductionApplications(ctx, shownToOperator)
}

// OperatorApplications returns the applications of the operator, the newest first.
func (r *Registry) OperatorApplications(ctx context.Context) ([]aggregator.Application, error) {
	return r.store.OperatorApplications(ctx, shownToOperator)
}

// GrantPayments gives an application of PRODUCTION the service PIS, at once; the operator does it (spec: Environments and
// activation). aggregator.ErrNotFound: there is no such application.
func (r *Registry) GrantPayments(ctx context.Context, id string) error {
	return r.store.SetServices(ctx, id, []openbanking.Service{openbanking.ServiceAIS, openbanking.ServicePIS})
}

// GrantWebhooks lets the payment webhooks of an application that is the operator's own go to these origins, at once, and to no others. Origins that break a
// rule give Problems; aggregator.ErrNotFound: there is no such application.
func (r *Registry) GrantWebhooks(ctx context.Context, id string, origins []string) error {
	app, err := r.store.Application(ctx, id)
	if err != nil {
		return err
	}
	app.WebhookOrigins = slices.Clone(origins)
	if err := checkApplication(app).err(); err != nil {
		return err
	}
	return r.store.SetWebhookOrigins(ctx, id, app.WebhookOrigins)
}

// WithdrawPayments takes the service PIS from an application of PRODUCTION, at once. Payments that have begun go on.
// aggregator.ErrNotFound: there is no such application.
func (r *Registry) WithdrawPayments(ctx context.Context, id string) error {
	return r.store.SetServices(ctx, id, []openbanking.Service{openbanking.ServiceAIS})
}

// Delete ends an application of the developer for good, and with it its keys, its log and its open sessions.
func (r *Registry) Delete(ctx context.Context, developerID, id string) error {
	if err := r.store.DeleteApplication(ctx, developerID, id); err != nil {
		return err
	}
	r.keysChanged(id)
	return r.authorizations.EndOrphans(context.WithoutCancel(ctx))
}

// PublicKeys returns the keys that verify the tokens of an application: a KeyFunc of apptoken. Unknown: apptoken.ErrUnknownKey.
func (r *Registry) PublicKeys(ctx context.Context, kid string) ([]*rsa.PublicKey, error) {
	keys, err := r.store.ApplicationKeys(ctx, kid)
	if err != nil {
		return nil, err
	}
	var public []*rsa.PublicKey
	for _, k := range keys {
		if !k.Ended.IsZero() {
			continue
		}
		key, err := apptoken.ParsePublic([]byte(k.PEM))
		if err != nil {
			return nil, err
		}
		public = append(public, key)
	}
	if len(public) == 0 {
		return nil, apptoken.ErrUnknownKey
	}
	return public, nil
}

// Keys returns the keys of an application of the developer, the oldest first, those that have ended included.
func (r *Registry) Keys(ctx context.Context, developerID, id string) ([]aggregator.ApplicationKey, error) {
	if _, err := r.store.OwnApplication(ctx, developerID, id); err != nil {
		return nil, err
	}
	return r.store.ApplicationKeys(ctx, id)
}

// AddKey gives an application of the developer a second key, so that tokens of both are good until EndKey. A certificate
// that breaks a rule gives Problems; two keys already, ErrTwoKeys.
func (r *Registry) AddKey(ctx context.Context, developerID, id, certificate string) error {
	keys, err := r.Keys(ctx, developerID, id)
	if err != nil {
		return err
	}
	var problems Problems
	problems = problems.with("certificate", keyProblem(certificate))
	if err := problems.err(); err != nil {
		return err
	}
	added, err := apptoken.ParsePublic([]byte(certificate))
	if err != nil {
		return err
	}
	for _, k := range keys {
		if key, err := apptoken.ParsePublic([]byte(k.PEM)); err == nil && key.Equal(added) {
			return Problems{{"certificate", "holds a key that this application has, or had; make a new one"}}
		}
	}
	err = r.store.AddKey(ctx, developerID, id, aggregator.ApplicationKey{ID: uuid.NewString(), PEM: certificate, Created: r.now()})
	if errors.Is(err, aggregator.ErrConflict) {
		return ErrTwoKeys
	}
	if err == nil {
		r.keysChanged(id)
	}
	return err
}

// CheckRoomForKey returns ErrTwoKeys when the application of the developer can have no further key.
func (r *Registry) CheckRoomForKey(ctx context.Context, developerID, id string) error {
	keys, err := r.Keys(ctx, developerID, id)
	if err != nil {
		return err
	}
	if good := slices.DeleteFunc(keys, func(k aggregator.ApplicationKey) bool { return !k.Ended.IsZero() }); len(good) >= aggregator.MaxKeys {
		return ErrTwoKeys
	}
	return nil
}

// EndKey ends one of two keys of an application of the developer, at once. The last one gives ErrLastKey.
func (r *Registry) EndKey(ctx context.Context, developerID, id, keyID string) error {
	err := r.store.EndKey(ctx, developerID, id, keyID, r.now())
	if errors.Is(err, aggregator.ErrConflict) {
		return ErrLastKey
	}
	if err == nil {
		r.keysChanged(id)
	}
	return err
}

// DescribeApplication returns the application as GET /application shows it.
func (r *Registry) DescribeApplication(app aggregator.Application) openbanking.Application {
	var countries []string
	for _, c := range r.list() {
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
		Active:       app.Active(),
		Countries:    countries,
		Services:     app.Services,
	}
}

// checkApplication applies the rules of a registration, without those of its key.
func checkApplication(app aggregator.Application) (problems Problems) {
	if !openbanking.Known(app.Environment) {
		problems = problems.with("environment", "must be SANDBOX or PRODUCTION")
	}
	problems = problems.with("name", nameProblem(app.Name))
	if len(app.RedirectURLs) == 0 || len(app.RedirectURLs) > maxRedirectURLs {
		problems = problems.with("redirect_urls", "must hold 1 to "+strconv.Itoa(maxRedirectURLs)+" addresses")
	}
	for i, u := range app.RedirectURLs {
		problems = problems.with("redirect_urls["+strconv.Itoa(i)+"]", redirectProblem(u, app.Environment))
	}
	if len(app.WebhookOrigins) > maxRedirectURLs {
		problems = problems.with("webhook_origins", "may hold at most "+strconv.Itoa(maxRedirectURLs)+" origins")
	}
	for i, origin := range app.WebhookOrigins {
		problems = problems.with("webhook_origins["+strconv.Itoa(i)+"]", originProblem(origin, app.Environment))
	}
	for _, field := range []struct {
		name, value string
		problem     func(string) string
	}{
		{"description", app.Description, func(s string) string { return textProblem(s, maxText) }},
		{"gdpr_email", app.GDPREmail, emailProblem},
		{"privacy_url", app.PrivacyURL, webProblem},
		{"terms_url", app.TermsURL, webProblem},
	} {
		switch {
		case field.value != "":
			problems = problems.with(field.name, field.problem(field.value))
		case app.Environment == openbanking.EnvironmentProduction:
			problems = problems.with(field.name, "is required when environment is PRODUCTION")
		}
	}
	return problems
}

func keyProblem(certificate string) string {
	if certificate == "" {
		return "is missing"
	}
	if len(certificate) > maxKeyText {
		return "is too long; send one certificate or public key in PEM"
	}
	if _, err := apptoken.ParsePublic([]byte(certificate)); err != nil {
		return "is not usable: " + err.Error()
	}
	return ""
}

// parseNetwork reads a network, or an address as the network that holds only it.
func parseNetwork(text string) (netip.Prefix, error) {
	if network, err := netip.ParsePrefix(text); err == nil {
		return network.Masked(), nil
	}
	address, err := netip.ParseAddr(text)
	if err != nil || address.Zone() != "" {
		return netip.Prefix{}, fmt.Errorf("%q is not a network", text)
	}
	address = address.Unmap()
	return address.Prefix(address.BitLen())
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
	if strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsGraphic(r) || unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
	}) {
		return "holds a character that cannot be seen"
	}
	return ""
}

// redirectProblem applies the rules of redirect URLs (api-notes 3): absolute, no fragment, no user, https except for a
// loopback address in SANDBOX.
func redirectProblem(text string, environment openbanking.Environment) string {
	u, problem := aggregator.WebURL(text)
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
	if u, _ := aggregator.WebURL(text); text != u.Scheme+"://"+u.Host {
		return "must be an origin such as https://example.org, without a path"
	}
	return ""
}

func webProblem(text string) string {
	_, problem := aggregator.WebURL(text)
	return problem
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
