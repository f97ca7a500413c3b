package config

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// raw are the settings as given, all as text, so that check can name every
// wrong one. It is the one place where a setting is declared; the tag "derived"
// says what stands in for one that is not given.
type raw struct {
	addresses

	ServiceCodeLifetime string `default:"10m" placeholder:"DURATION" group:"Aggregation service" help:"How long an authorisation code can be exchanged for a session, from 1s to 10m."`
	ServiceRateLimit    string `default:"6000" placeholder:"NUMBER" group:"Aggregation service" help:"Requests a minute that each application may make at the service; above that it answers 429. 0 is no limit."`
	ServicePaymentLimit string `default:"1000000" placeholder:"AMOUNT" group:"Aggregation service" help:"Largest amount of a payment, in the currency of the payment. 0 is no limit."`
	SandboxCatalogue    string `placeholder:"FILE" group:"Aggregation service" help:"JSON file with simulated banks to add or to replace."`
	SandboxPace         string `default:"2s" placeholder:"DURATION" group:"Aggregation service" help:"How long one step of a payment takes at a simulated bank, from 1ms to 1h."`

	panelSettings
	signInSettings

	RefreshAfter              string   `default:"15m" placeholder:"DURATION" group:"Operation" help:"How old figures are that Florin asks the bank for again when somebody opens their page, from 1m to 24h. 0 turns it off."`
	PrivateChannels           string   `default:"off" placeholder:"on|off" group:"Operation" help:"Whether people may have messages sent to ntfy servers and webhooks at private addresses, and without TLS. Whoever signs in can then reach what this machine reaches."`
	OperatorName              string   `placeholder:"NAME" group:"Operation" help:"Name of the person or household that runs this Florin. The public pages /privacy and /terms show it; banking services ask for their addresses."`
	OperatorContact           string   `placeholder:"TEXT" group:"Operation" help:"How to reach them, such as an e-mail address. The same pages show it."`
	DataDir                   string   `default:"./data" placeholder:"DIR" group:"Operation" help:"Directory of the databases and keys. It is made with mode 0700."`
	SetupToken                Secret   `placeholder:"TEXT" group:"Operation" derived:"made and printed at first start" help:"Secret: token of the one-time link to create the owner's account, 20 characters or more."`
	SetupTokenFile            string   `placeholder:"FILE" group:"Operation" help:"File with the setup token, instead of the token itself."`
	TrustedProxy              []string `placeholder:"NETWORK" group:"Operation" help:"Address or network (CIDR) of a reverse proxy whose X-Forwarded-For header is believed. Repeatable."`
	DiskReserve               string   `default:"200" placeholder:"MEGABYTES" group:"Operation" help:"Free disk space below which Florin is not ready (/readyz) and warns the owner, before it can save nothing any more. 0 turns it off."`
	ConnectionLimit           string   `default:"1000" placeholder:"NUMBER" group:"Operation" help:"Most connections that each listener has at once, from 4 to 100000; fewer where the system allows the process fewer open files. At the limit a connection on which nobody is served makes room."`
	ConnectionLimitPerAddress string   `default:"100" placeholder:"NUMBER" group:"Operation" help:"Most connections of one address, or IPv6 network of /64, at each listener. Loopback addresses and --trusted-proxy have no limit of their own."`
	LogLevel                  string   `default:"info" placeholder:"debug|info|warn|error" group:"Operation" help:"Least important message that is logged."`
	LogFormat                 string   `default:"text" placeholder:"text|json" group:"Operation" help:"Form of the log."`
}

// addresses are the settings that depend on each other.
type addresses struct {
	Listen    string `default:"127.0.0.1:8080" placeholder:"HOST:PORT" group:"Web app" help:"Where the web app listens."`
	PublicURL string `name:"public-url" placeholder:"URL" group:"Web app" derived:"http://localhost with the port of --listen" help:"Address of the web app as people type it."`

	Service                string   `default:"on" placeholder:"on|off" group:"Aggregation service" help:"Whether the aggregation service with its simulated banks runs too."`
	ServiceListen          string   `default:"127.0.0.1:8081" placeholder:"HOST:PORT" group:"Aggregation service" help:"Where the service listens."`
	ServiceURL             string   `name:"service-url" placeholder:"URL" group:"Aggregation service" derived:"http://localhost with the port of --service-listen" help:"Public address of the API."`
	ServiceAuthURL         string   `name:"service-auth-url" placeholder:"URL" group:"Aggregation service" derived:"the value of --service-url" help:"Public address of the hosted pages, where people give their consent."`
	ServiceRegistrationURL string   `name:"service-registration-url" placeholder:"URL" group:"Aggregation service" derived:"the value of --service-url" help:"Public address of the registration and the control panel."`
	ServiceTLSListen       string   `name:"service-tls-listen" default:"127.0.0.1:8443" placeholder:"HOST:PORT" group:"Aggregation service" help:"Where the certificates of the keys that sign webhooks are served over TLS."`
	ServiceTLSURL          string   `name:"service-tls-url" placeholder:"URL" group:"Aggregation service" derived:"https://localhost with the port of --service-tls-listen" help:"Public address of these certificates, which every webhook names (x5u). It begins with https."`
	ServiceTLSCertificate  string   `name:"service-tls-certificate" placeholder:"FILE" group:"Aggregation service" derived:"one of Florin's own authority" help:"Certificate (PEM, with its chain) for the TLS listener. It is read again when it was renewed."`
	ServiceTLSKey          string   `name:"service-tls-key" placeholder:"FILE" group:"Aggregation service" help:"Private key (PEM) of --service-tls-certificate."`
	ServiceWebhookAllow    []string `placeholder:"ORIGIN" group:"Aggregation service" help:"Origin that webhooks of all applications may go to although it uses http or a private address, such as http://192.168.1.5:9000. Repeatable."`
	ServiceIssuer          []string `placeholder:"TEXT" group:"Aggregation service" derived:"the host name in --service-registration-url, and enablebanking.com" help:"Issuer (iss) that application tokens may name; the id of the application will do too. Repeatable."`
	ServiceAudience        []string `placeholder:"TEXT" group:"Aggregation service" derived:"the host name in --service-url, and api.enablebanking.com" help:"Audience (aud) that application tokens have to name. Repeatable: each of them is accepted."`
}

// problems collects mistakes.
type problems struct {
	origin map[string]string // setting to the place that gave its value
	list   []string
}

// add notes a mistake made at the place.
func (p *problems) add(place, format string, args ...any) {
	p.list = append(p.list, place+": "+fmt.Sprintf(format, args...))
}

// wrong notes a mistake in the value of a setting.
func (p *problems) wrong(setting, format string, args ...any) {
	p.add(p.place(setting), format, args...)
}

// check turns the text into settings and notes every mistake.
func (r *raw) check(found *problems) Settings {
	var s Settings
	r.addresses.check(&s, found)

	var err error
	if s.ServiceCodeLifetime, err = time.ParseDuration(r.ServiceCodeLifetime); err != nil ||
		s.ServiceCodeLifetime < time.Second || s.ServiceCodeLifetime > 10*time.Minute {
		found.wrong("service-code-lifetime", "%q is not a duration from 1s to 10m, such as 90s", r.ServiceCodeLifetime)
	}
	if s.ServiceRateLimit, err = strconv.Atoi(r.ServiceRateLimit); err != nil || s.ServiceRateLimit < 0 || s.ServiceRateLimit > maxRateLimit {
		found.wrong("service-rate-limit", "%q is not a number of requests a minute from 0, which is no limit, to %d", r.ServiceRateLimit, maxRateLimit)
	}
	switch {
	case !amount.MatchString(r.ServicePaymentLimit):
		found.wrong("service-payment-limit", "%q is not an amount such as 1000000 or 99.50; 0 is no limit", r.ServicePaymentLimit)
	case strings.Trim(r.ServicePaymentLimit, "0.") != "":
		s.ServicePaymentLimit = r.ServicePaymentLimit
	}
	s.PrivateChannels = oneOf("private-channels", r.PrivateChannels, "off", "on", found)
	if s.RefreshAfter, err = time.ParseDuration(r.RefreshAfter); err != nil ||
		s.RefreshAfter != 0 && (s.RefreshAfter < time.Minute || s.RefreshAfter > 24*time.Hour) {
		found.wrong("refresh-after", "%q is not a duration from 1m to 24h, such as 15m; 0 turns it off", r.RefreshAfter)
	}
	if s.SandboxPace, err = time.ParseDuration(r.SandboxPace); err != nil || s.SandboxPace < time.Millisecond || s.SandboxPace > time.Hour {
		found.wrong("sandbox-pace", "%q is not a duration from 1ms to 1h, such as 500ms", r.SandboxPace)
	}
	if s.SandboxCatalogue = r.SandboxCatalogue; s.SandboxCatalogue != "" {
		if _, err := os.ReadFile(s.SandboxCatalogue); err != nil {
			found.wrong("sandbox-catalogue", "%s", unreadable(s.SandboxCatalogue, err))
		}
	}
	s.Mail, s.PanelDomains = r.panelSettings.check(found)
	s.PanelRedirectURLs = r.redirectURLs(found)
	r.signInSettings.check(&s, found)
	s.OperatorName = oneLine("operator-name", r.OperatorName, found)
	s.OperatorContact = oneLine("operator-contact", r.OperatorContact, found)
	if s.DataDir = r.DataDir; s.DataDir == "" {
		found.wrong("data-dir", "the directory has no name")
	}
	s.SetupToken = r.setupToken(found)
	for _, text := range r.TrustedProxy {
		network, err := parseNetwork(strings.TrimSpace(text))
		if err != nil {
			found.wrong("trusted-proxy", "%q is not an address or network, such as 10.0.0.5 or 10.0.0.0/8", text)
			continue
		}
		s.TrustedProxies = append(s.TrustedProxies, network)
	}
	megabytes, err := strconv.ParseUint(r.DiskReserve, 10, 32)
	if err != nil {
		found.wrong("disk-reserve", "%q is not a number of megabytes, such as 200", r.DiskReserve)
	}
	s.DiskReserve = megabytes * 1_000_000
	for _, limit := range []struct {
		setting, text string
		to            *int
	}{{"connection-limit", r.ConnectionLimit, &s.ConnectionLimit}, {"connection-limit-per-address", r.ConnectionLimitPerAddress, &s.ConnectionLimitPerAddress}} {
		if *limit.to, err = strconv.Atoi(limit.text); err != nil || *limit.to < 4 || *limit.to > 100_000 {
			found.wrong(limit.setting, "%q is not a number from 4 to 100000", limit.text)
		}
	}
	switch r.LogLevel {
	case "debug":
		s.LogLevel = slog.LevelDebug
	case "info":
		s.LogLevel = slog.LevelInfo
	case "warn":
		s.LogLevel = slog.LevelWarn
	case "error":
		s.LogLevel = slog.LevelError
	default:
		found.wrong("log-level", "%q is not one of debug, info, warn, error", r.LogLevel)
	}
	if s.LogFormat = r.LogFormat; s.LogFormat != "text" && s.LogFormat != "json" {
		found.wrong("log-format", "%q is not one of text, json", r.LogFormat)
	}
	if len(found.list) == 0 {
		r.noteUnsafe(&s, found)
	}
	return s
}

// oneLine checks a text that pages show: a line of at most 200 characters.
func oneLine(setting, text string, found *problems) string {
	text = strings.TrimSpace(text)
	if !utf8.ValidString(text) || utf8.RuneCountInString(text) > 200 || strings.ContainsFunc(text, unicode.IsControl) {
		found.wrong(setting, "the text has more than 200 characters, or a character that cannot be shown")
	}
	return text
}

// maxRateLimit is the highest limit of the service, in requests a minute.
const maxRateLimit = 1_000_000

// amount is the form of an amount without a currency.
var amount = regexp.MustCompile(`^[0-9]{1,15}(\.[0-9]{1,4})?$`)

// minSetupToken is the shortest setup token, in bytes.
const minSetupToken = 20

// secret is a secret that is given as the text of a setting or in a file, whose setting has the same name with "-file"; what names it. A line break at the
// end of a file is none of the secret. from is the setting that holds it, "" when none does or the file cannot be read.
func (p *problems) secret(setting, what string, text Secret, file string) (_ Secret, from string) {
	switch {
	case file == "" && text == "":
		return "", ""
	case file == "":
		return text, setting
	case text != "":
		p.wrong(setting+"-file", "%s is given twice, as text and as a file; give one of the two", what)
		return "", ""
	}
	read, err := os.ReadFile(file)
	if err != nil {
		p.wrong(setting+"-file", "%s", unreadable(file, err))
		return "", ""
	}
	return Secret(strings.TrimRight(string(read), "\r\n")), setting + "-file"
}

func (r *raw) setupToken(found *problems) Secret {
	token, setting := found.secret("setup-token", "the setup token", r.SetupToken, r.SetupTokenFile)
	if setting == "" {
		return ""
	}
	if len(token) < minSetupToken || strings.ContainsFunc(string(token), notURLSafe) {
		found.wrong(setting, "the setup token needs %d characters or more, all of them letters, digits, '-' or '_'", minSetupToken)
		return ""
	}
	return token
}

// notURLSafe reports a character that would have to be escaped in the setup link.
func notURLSafe(c rune) bool {
	return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_'
}

// check fills in the settings that depend on each other.
func (a addresses) check(s *Settings, found *problems) {
	s.given = a

	var webPort, servicePort, tlsPort string
	s.Listen, webPort = checkListen("listen", a.Listen, found)
	s.ServiceListen, servicePort = checkListen("service-listen", a.ServiceListen, found)
	s.ServiceTLSListen, tlsPort = checkListen("service-tls-listen", a.ServiceTLSListen, found)

	s.PublicURL = checkURL("public-url", a.PublicURL, localhost(webPort), found)
	s.ServiceURL = checkURL("service-url", a.ServiceURL, localhost(servicePort), found)
	s.ServiceAuthURL = checkURL("service-auth-url", a.ServiceAuthURL, s.ServiceURL, found)
	s.ServiceRegistrationURL = checkURL("service-registration-url", a.ServiceRegistrationURL, s.ServiceURL, found)

	s.ServiceTLSURL = checkURL("service-tls-url", a.ServiceTLSURL, &url.URL{Scheme: "https", Host: "localhost:" + tlsPort}, found)
	if s.ServiceTLSURL.Scheme != "https" {
		found.wrong("service-tls-url", "%q has to begin with https: receivers of webhooks trust no certificate that came without TLS", a.ServiceTLSURL)
	}
	s.ServiceTLSCertificate, s.ServiceTLSKey = a.ServiceTLSCertificate, a.ServiceTLSKey
	a.checkCertificate(found)
	s.ServiceWebhookAllow = nil
	for _, text := range a.ServiceWebhookAllow {
		origin, ok := parseOrigin(strings.TrimSpace(text))
		if !ok {
			found.wrong("service-webhook-allow", "%q is not an origin such as http://192.168.1.5:9000: scheme, host and port, without a path", text)
			continue
		}
		s.ServiceWebhookAllow = append(s.ServiceWebhookAllow, origin)
	}

	// Clients of the public service have its names built in. To accept them gives nobody more: the key belongs to the
	// application, whose id is known here alone.
	s.ServiceIssuer = names(a.ServiceIssuer, "service-issuer", "an issuer is empty", found)
	if len(s.ServiceIssuer) == 0 {
		s.ServiceIssuer = []string{s.ServiceRegistrationURL.Hostname(), "enablebanking.com"}
	}
	s.ServiceAudience = names(a.ServiceAudience, "service-audience", "an audience is empty", found)
	if len(s.ServiceAudience) == 0 {
		s.ServiceAudience = []string{s.ServiceURL.Hostname(), "api.enablebanking.com"}
	}

	switch a.Service {
	case "on", "true":
		s.Service = true
		checkApart(s, found)
	case "off", "false":
		s.Service = false
	default:
		found.wrong("service", "%q is not one of on, off", a.Service)
	}
}

// checkCertificate makes sure that the certificate of the TLS listener can be used.
func (a addresses) checkCertificate(found *problems) {
	switch {
	case a.ServiceTLSCertificate == "" && a.ServiceTLSKey == "":
		return
	case a.ServiceTLSKey == "":
		found.wrong("service-tls-certificate", "the certificate needs its private key: give --service-tls-key too")
		return
	case a.ServiceTLSCertificate == "":
		found.wrong("service-tls-key", "the private key needs its certificate: give --service-tls-certificate too")
		return
	}
	var texts [2][]byte
	for i, file := range []struct{ setting, path string }{{"service-tls-certificate", a.ServiceTLSCertificate}, {"service-tls-key", a.ServiceTLSKey}} {
		var err error
		if texts[i], err = os.ReadFile(file.path); err != nil {
			found.wrong(file.setting, "%s", unreadable(file.path, err))
			return
		}
	}
	if _, err := tls.X509KeyPair(texts[0], texts[1]); err != nil {
		found.wrong("service-tls-certificate", "%q and %q are not a certificate with its private key, both in PEM: %s", a.ServiceTLSCertificate,
			a.ServiceTLSKey, strings.TrimPrefix(err.Error(), "tls: "))
	}
}

// names returns the values of a setting without the white space round them.
func names(values []string, setting, empty string, found *problems) []string {
	var list []string
	for _, value := range values {
		if value = strings.TrimSpace(value); value == "" {
			found.wrong(setting, "%s", empty)
			continue
		}
		list = append(list, value)
	}
	return list
}

// parseOrigin checks an origin, which is compared letter by letter later.
func parseOrigin(text string) (origin string, ok bool) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return "", false
	}
	origin = u.Scheme + "://" + u.Host
	return origin, text == origin || text == origin+"/"
}

// checkApart makes sure that the two halves have addresses of their own.
func checkApart(s *Settings, found *problems) {
	for _, other := range []struct{ setting, listen string }{
		{"service-listen", s.ServiceListen},
		{"service-tls-listen", s.ServiceTLSListen},
	} {
		if other.listen == s.Listen && !strings.HasSuffix(other.listen, ":0") {
			found.wrong(other.setting, "%s is where the web app listens; choose another port", other.listen)
		}
	}
	if s.ServiceTLSListen == s.ServiceListen && !strings.HasSuffix(s.ServiceListen, ":0") {
		found.wrong("service-tls-listen", "%s is where the service listens; choose another port", s.ServiceTLSListen)
	}
	for _, other := range []struct {
		setting string
		address *url.URL
	}{
		{"service-url", s.ServiceURL},
		{"service-auth-url", s.ServiceAuthURL},
		{"service-registration-url", s.ServiceRegistrationURL},
	} {
		if other.address.Host == s.PublicURL.Host && other.address.Port() != "0" {
			found.wrong(other.setting, "%s is the address of the web app; the service needs one of its own", other.address)
			break // the other two follow it
		}
	}
}

// checkListen checks a host:port and returns it with its port.
func checkListen(setting, text string, found *problems) (address, port string) {
	_, port, err := net.SplitHostPort(text)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		found.wrong(setting, "%q is not HOST:PORT with a port from 0 to 65535, such as 127.0.0.1:8080 or :8080 for all interfaces", text)
		return text, "0"
	}
	return text, port
}

func localhost(port string) *url.URL {
	return &url.URL{Scheme: "http", Host: "localhost:" + port}
}

// checkURL checks a public address. What is not given, and what is wrong, is
// the fallback.
func checkURL(setting, text string, fallback *url.URL, found *problems) *url.URL {
	if text == "" {
		return fallback
	}
	address, err := url.Parse(text)
	switch {
	case err != nil || address.Scheme != "http" && address.Scheme != "https" || address.Hostname() == "":
		found.wrong(setting, "%q is not an address such as https://florin.example", text)
		return fallback
	case address.User != nil:
		found.wrong(setting, "an address must not hold a user name or password")
		return fallback
	case address.RawQuery != "" || address.ForceQuery || address.Fragment != "" || strings.Trim(address.Path, "/") != "":
		found.wrong(setting, "%q may have nothing after the host name and port: Florin lives at the top of an address, not below a path", text)
		return fallback
	case address.Scheme == "http" && !isLoopback(address.Hostname()):
		found.wrong(setting, "%q has to begin with https: browsers keep the sign-in over plain http for localhost only", text)
		return fallback
	}
	return &url.URL{Scheme: address.Scheme, Host: strings.ToLower(address.Host)}
}

func isLoopback(host string) bool {
	host = strings.ToLower(host)
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// parseNetwork reads a network, or an address as the network that holds only it.
func parseNetwork(text string) (netip.Prefix, error) {
	if network, err := netip.ParsePrefix(text); err == nil {
		return network.Masked(), nil
	}
	address, err := netip.ParseAddr(text)
	if err != nil {
		return netip.Prefix{}, fmt.Errorf("not a network: %w", err)
	}
	address = address.Unmap()
	return address.Prefix(address.BitLen())
}
