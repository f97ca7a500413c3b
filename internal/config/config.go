// Package config holds Florin's command line and settings.
//
// Each setting is a flag, an environment variable FLORIN_… of the same name and
// a line in an optional file; a flag wins over the environment, the environment
// over the file, the file over the default. With no settings at all Florin runs.
// docs/config.md lists them all; a test holds it against this package.
package config

import (
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"time"
)

// The commands, as Load reports them.
const (
	Serve          = "serve"
	ApplicationAdd = "application add"
	UserAdd        = "user add"
	UserList       = "user list"
	UserPassword   = "user password"
	UserLink       = "user link"
	UserRemove     = "user remove"
	UserRole       = "user role"
	UserSecond     = "user reset-second-factor"
	Operator       = "operator"
	Version        = "version"
	Healthcheck    = "healthcheck"
)

// Config is what Load found: which command to run and with what.
type Config struct {
	Command     string      // one of the constants above
	Settings    Settings    // the same for each command, so that "application add" finds the data of "serve"
	Application Application // of ApplicationAdd
	User        User        // of the commands of "florin user"
}

// Settings are the settings of a Florin, checked and with defaults filled in.
type Settings struct {
	Listen    string   // host:port of the web app
	PublicURL *url.URL // of the web app: scheme and host only, as all the addresses here

	RefreshAfter time.Duration // how old figures are that are read again when their page is opened; 0: they are not

	Service                bool     // whether the aggregation service runs too
	ServiceListen          string   // host:port
	ServiceURL             *url.URL // {base_url} of the specification
	ServiceAuthURL         *url.URL // {auth_url}
	ServiceRegistrationURL *url.URL // {registration_url}
	ServiceTLSListen       string   // host:port of the certificates of webhooks, over TLS
	ServiceTLSURL          *url.URL // of these certificates; https
	ServiceTLSCertificate  string   // path, "" for one of the service's own
	ServiceTLSKey          string   // path, "" like the certificate
	ServiceWebhookAllow    []string // origins that webhooks may go to without TLS or at private addresses
	ServiceIssuer          []string // accepted iss of application tokens, never empty; the first is the one that pages show
	ServiceAudience        []string // accepted aud, the same
	ServiceCodeLifetime    time.Duration
	ServiceRateLimit       int    // requests a minute of each application, 0 for no limit
	ServicePaymentLimit    string // largest amount of a payment, a decimal; "" for none
	SandboxCatalogue       string // path, "" for none
	SandboxPace            time.Duration

	Mail              Mail
	PrivateChannels   bool     // messages may go to private addresses, and without TLS
	PanelRedirectURLs []string // where programs that use the control panel's API may have their links lead

	PanelDomains []string // of the e-mail addresses that may sign in to the control panel; none: all

	SignInLifetime         time.Duration // how long a sign-in lasts
	IdleLifetime           time.Duration // and one that is not used
	RememberedLifetime     time.Duration // and where the person chose to stay signed in; not shorter
	RememberedIdleLifetime time.Duration
	LocalSignIn            bool   // people sign in at Florin itself, with what they know or have
	OpenID                 OpenID // where they sign in else

	OperatorName    string // of whoever runs this Florin, for its public pages; "" when not given
	OperatorContact string // how to reach them, "" like the name

	DataDir        string
	SetupToken     Secret         // "" when one is to be made at first start
	TrustedProxies []netip.Prefix // whose X-Forwarded-For is believed

	DiskReserve uint64 // free bytes below which Florin is not ready

	ConnectionLimit           int // of each listener
	ConnectionLimitPerAddress int // of each address at each listener

	LogLevel  slog.Level
	LogFormat string // "text" or "json"

	Unsafe []Unsafe // settings that leave a door open

	given addresses // for Listening
}

// Listening returns the settings with the addresses that the listeners got. It
// matters where a port was 0: the public addresses that were not set follow.
func (s Settings) Listening(web, service, certificates string) Settings {
	s.given.Listen, s.given.ServiceListen, s.given.ServiceTLSListen = web, service, certificates
	s.given.check(&s, &problems{}) // what was right stays right
	return s
}

// HealthURL is where "florin healthcheck" asks: /healthz of the web app, on its
// own listener. A listener on all interfaces is asked through loopback.
func (s Settings) HealthURL() string {
	host, port, _ := net.SplitHostPort(s.Listen) // checked by Load
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
		host = "127.0.0.1"
		if ip.Is6() {
			host = "::1"
		}
	}
	return (&url.URL{Scheme: "http", Host: net.JoinHostPort(host, port), Path: "/healthz"}).String()
}

// Application is what "florin application add" registers. Its addresses are
// checked by the registration itself.
type Application struct {
	Name           string   `required:"" placeholder:"NAME" help:"Name that people see when they give their consent."`
	RedirectURLs   []string `name:"redirect-url" required:"" sep:"none" placeholder:"URL" help:"Address that people are sent back to. Repeatable."`
	Certificate    string   `required:"" placeholder:"FILE" help:"Certificate or public key in PEM: RSA, 2048 bits or more."`
	Environment    string   `enum:"SANDBOX,PRODUCTION" default:"SANDBOX" placeholder:"SANDBOX|PRODUCTION" help:"Environment. An application never changes it."`
	WebhookOrigins []string `name:"webhook-origin" sep:"none" placeholder:"ORIGIN" help:"Origin that may receive payment webhooks. Repeatable."`
	Payments       bool     `help:"Let an application of PRODUCTION initiate payments. Those of SANDBOX always may."`
	Description    string   `placeholder:"TEXT" help:"What the application is for."`
	GDPREmail      string   `name:"gdpr-email" placeholder:"EMAIL" help:"E-mail address for questions about data protection."`
	PrivacyURL     string   `name:"privacy-url" placeholder:"URL" help:"Address of the privacy policy."`
	TermsURL       string   `name:"terms-url" placeholder:"URL" help:"Address of the terms of service."`
}

// User is whom a command of "florin user" is about.
type User struct {
	Email string
	Role  string // of UserAdd; "" means: the first user is the owner, everybody after that a member
	Yes   bool   // of UserRemove: do not ask
}

// Secret is text that never shows itself in a log or an error.
type Secret string

// hidden stands in for a secret.
const hidden = "[secret]"

// Reveal returns the secret.
func (s Secret) Reveal() string { return string(s) }

// String hides the secret from fmt.
func (s Secret) String() string { return hidden }

// GoString hides the secret from fmt's %#v.
func (s Secret) GoString() string { return hidden }

// LogValue hides the secret from slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(hidden) }

// MarshalText hides the secret from encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }
