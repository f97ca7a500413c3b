package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// env is an environment of pairs "NAME=value".
func env(pairs ...string) []string { return pairs }

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func load(t *testing.T, environ []string, args ...string) Config {
	t.Helper()
	config, err := Load(args, environ, io.Discard)
	if err != nil {
		t.Fatalf("Load(%q): %v", args, err)
	}
	return *config
}

// What looks like a setting and is set by others is no mistake, nor are time zones in any of their forms.
func TestEnvironmentOfOthers(t *testing.T) {
	load(t, env("KUBERNETES_SERVICE_HOST=10.0.0.1", "FLORIN_PORT=tcp://10.0.0.2:8080", "FLORIN_PORT_8080_TCP_ADDR=10.0.0.2", "FLORIN_SERVICE_HOST=10.0.0.2",
		"FLORIN_SERVICE_PORT_WEB=8080",
		"FLORIN_CHROMIUM=/usr/bin/chromium", "FLORIN_CONTRACT_BANK=x", "FLORIN_LOG_LEVEL=warn", "TZ=Europe/Berlin"))
	for _, zone := range []string{"", "UTC", ":Europe/Berlin", "Local"} {
		load(t, env("TZ="+zone))
	}
}

func TestZeroConfigurationRuns(t *testing.T) {
	config := load(t, env())
	s := config.Settings
	got := []any{
		config.Command, s.Listen, s.PublicURL.String(), s.Service, s.ServiceListen, s.ServiceURL.String(), s.ServiceAuthURL.String(),
		s.ServiceRegistrationURL.String(), s.ServiceTLSListen, s.ServiceTLSURL.String(), s.ServiceTLSCertificate, s.ServiceTLSKey, len(s.ServiceWebhookAllow),
		s.ServicePaymentLimit, s.SandboxPace, s.ServiceIssuer, s.ServiceAudience, s.ServiceCodeLifetime,
		s.SandboxCatalogue, s.DataDir, s.SetupToken.Reveal(), len(s.TrustedProxies), s.DiskReserve, s.ConnectionLimit, s.ConnectionLimitPerAddress, s.LogLevel,
		s.LogFormat,
	}
	want := []any{
		"serve", "127.0.0.1:8080", "http://localhost:8080", true, "127.0.0.1:8081", "http://localhost:8081", "http://localhost:8081",
		"http://localhost:8081", "127.0.0.1:8443", "https://localhost:8443", "", "", 0,
		"1000000", 2 * time.Second, []string{"localhost", "enablebanking.com"}, []string{"localhost", "api.enablebanking.com"}, 10 * time.Minute,
		"", "./data", "", 0, uint64(200_000_000), 1000, 100, slog.LevelInfo, "text",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("settings\n%v, want\n%v", got, want)
	}
}

func TestEverySettingIsFlagVariableAndLine(t *testing.T) {
	catalogue := write(t, "banks.json", "{}")
	token := write(t, "token", "0123456789-abcdefghij\n")
	for _, test := range []struct {
		setting, value string
		get            func(Settings) any
		want           any
	}{
		{"listen", "127.0.0.1:9000", func(s Settings) any { return s.Listen + " " + s.PublicURL.String() }, "127.0.0.1:9000 http://localhost:9000"},
		{"listen", ":9000", func(s Settings) any { return s.Listen + " " + s.PublicURL.String() }, ":9000 http://localhost:9000"},
		{"public-url", "https://Money.Example/", func(s Settings) any { return s.PublicURL.String() }, "https://money.example"},
		{"public-url", "http://[::1]:99", func(s Settings) any { return s.PublicURL.String() }, "http://[::1]:99"},
		{"service", "off", func(s Settings) any { return s.Service }, false},
		{"service-listen", "[::1]:9001", func(s Settings) any { return s.ServiceListen + " " + s.ServiceURL.String() }, "[::1]:9001 http://localhost:9001"},
		{"service-url", "https://api.bank.example:444", func(s Settings) any {
			return []string{s.ServiceURL.String(), s.ServiceAuthURL.String(), s.ServiceRegistrationURL.String(), s.ServiceIssuer[0], s.ServiceAudience[0]}
		}, []string{"https://api.bank.example:444", "https://api.bank.example:444", "https://api.bank.example:444", "api.bank.example", "api.bank.example"}},
		{"service-auth-url", "https://auth.bank.example", func(s Settings) any { return s.ServiceAuthURL.String() }, "https://auth.bank.example"},
		{"service-registration-url", "https://bank.example:9", func(s Settings) any { return s.ServiceRegistrationURL.String() + " " + s.ServiceIssuer[0] },
			"https://bank.example:9 bank.example"},
		{"service-tls-listen", "127.0.0.1:9443", func(s Settings) any { return s.ServiceTLSListen + " " + s.ServiceTLSURL.String() },
			"127.0.0.1:9443 https://localhost:9443"},
		{"service-tls-url", "https://Keys.bank.example/", func(s Settings) any { return s.ServiceTLSURL.String() }, "https://keys.bank.example"},
		{"service-webhook-allow", "http://192.168.1.5:9000,https://shop.internal/", func(s Settings) any { return s.ServiceWebhookAllow },
			[]string{"http://192.168.1.5:9000", "https://shop.internal"}},
		{"service-payment-limit", "99.50", func(s Settings) any { return s.ServicePaymentLimit }, "99.50"},
		{"service-payment-limit", "0.00", func(s Settings) any { return s.ServicePaymentLimit }, ""},
		{"private-channels", "on", func(s Settings) any { return s.PrivateChannels }, true},
		{"refresh-after", "1h", func(s Settings) any { return s.RefreshAfter }, time.Hour},
		{"refresh-after", "0", func(s Settings) any { return s.RefreshAfter }, time.Duration(0)},
		{"sandbox-pace", "5ms", func(s Settings) any { return s.SandboxPace }, 5 * time.Millisecond},
		{"service-issuer", "bank.example, other.example", func(s Settings) any { return s.ServiceIssuer }, []string{"bank.example", "other.example"}},
		{"service-audience", "api.a.example, api.b.example", func(s Settings) any { return s.ServiceAudience }, []string{"api.a.example", "api.b.example"}},
		{"service-code-lifetime", "90s", func(s Settings) any { return s.ServiceCodeLifetime }, 90 * time.Second},
		{"sandbox-catalogue", catalogue, func(s Settings) any { return s.SandboxCatalogue }, catalogue},
		{"data-dir", "/var/lib/florin", func(s Settings) any { return s.DataDir }, "/var/lib/florin"},
		{"operator-name", " Mira Meer ", func(s Settings) any { return s.OperatorName }, "Mira Meer"},
		{"operator-contact", "mira@example.org", func(s Settings) any { return s.OperatorContact }, "mira@example.org"},
		{"setup-token", "abcdefghijklmnopqrstuvwxyz", func(s Settings) any { return s.SetupToken.Reveal() }, "abcdefghijklmnopqrstuvwxyz"},
		{"setup-token-file", token, func(s Settings) any { return s.SetupToken.Reveal() }, "0123456789-abcdefghij"},
		{"trusted-proxy", "10.1.2.3/8,192.0.2.7", func(s Settings) any { return s.TrustedProxies },
			[]netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("192.0.2.7/32")}},
		{"disk-reserve", "5", func(s Settings) any { return s.DiskReserve }, uint64(5_000_000)},
		{"connection-limit", "64", func(s Settings) any { return s.ConnectionLimit }, 64},
		{"connection-limit-per-address", "8", func(s Settings) any { return s.ConnectionLimitPerAddress }, 8},
		{"log-level", "debug", func(s Settings) any { return s.LogLevel }, slog.LevelDebug},
		{"log-format", "json", func(s Settings) any { return s.LogFormat }, "json"},
	} {
		t.Run(test.setting, func(t *testing.T) {
			variable := "FLORIN_" + strings.ToUpper(strings.ReplaceAll(test.setting, "-", "_"))
			file := write(t, "florin.conf", "# a comment\n\n"+test.setting+" = "+test.value+"\n")
			for name, config := range map[string]Config{
				"flag":         load(t, env(), "--"+test.setting+"="+test.value),
				"flag, serve":  load(t, env(), "serve", "--"+test.setting, test.value),
				"variable":     load(t, env(variable+"="+test.value)),
				"line":         load(t, env(), "--config", file),
				"line, by env": load(t, env("FLORIN_CONFIG="+file)),
				"flag wins":    load(t, env(variable+"=nonsense"), "--"+test.setting, test.value),
			} {
				if got := test.get(config.Settings); !reflect.DeepEqual(got, test.want) {
					t.Errorf("by %s: %v, want %v", name, got, test.want)
				}
			}
		})
	}
}

func TestTheEnvironmentWinsOverTheFile(t *testing.T) {
	file := write(t, "florin.conf", "data-dir = /from/file\nlog-level = warn\n")
	s := load(t, env("FLORIN_CONFIG="+file, "FLORIN_DATA_DIR=/from/env")).Settings
	if s.DataDir != "/from/env" || s.LogLevel != slog.LevelWarn {
		t.Errorf("data-dir %q, log-level %v; want /from/env and WARN", s.DataDir, s.LogLevel)
	}
}

func TestFileForms(t *testing.T) {
	file := write(t, "florin.conf", strings.Join([]string{
		"  # comment", "", "\tdata-dir=\"/with space/#1\"\r", "trusted-proxy = 10.0.0.0/8", "trusted-proxy = 192.0.2.0/24, 192.0.3.0/24",
	}, "\n"))
	s := load(t, env(), "--config", file).Settings
	if s.DataDir != "/with space/#1" {
		t.Errorf("data-dir = %q", s.DataDir)
	}
	if got := fmt.Sprint(s.TrustedProxies); got != "[10.0.0.0/8 192.0.2.0/24 192.0.3.0/24]" {
		t.Errorf("trusted-proxy = %s", got)
	}
}

func TestMistakesAreReportedInWords(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	short := write(t, "token", "short")
	for _, test := range []struct {
		name string
		args []string
		env  []string
		want []string // the beginning of each problem, in order
	}{
		{"unknown flags", []string{"--lisen", "x", "--colour=red"}, nil, []string{"unknown flag --lisen", "unknown flag --colour"}},
		{"unknown flag and wrong value", []string{"--verbose", "--log-level=loud"}, nil,
			[]string{"unknown flag --verbose", `--log-level: "loud" is not one of debug, info, warn, error`}},
		{"unknown flag before a command", []string{"--verbose", "user", "add"}, nil,
			[]string{"unknown flag --verbose", "missing flags: --email=EMAIL, --password-stdin"}},
		{"unknown command and wrong variable", []string{"srve"}, []string{"FLORIN_SERVICE=yes"},
			[]string{"unexpected argument srve", `FLORIN_SERVICE: "yes" is not one of on, off`}},
		{"flag without value", []string{"--listen"}, nil, []string{"--listen: the value is missing"}},
		{"no port", []string{"--listen", "localhost"}, nil, []string{`--listen: "localhost" is not HOST:PORT`}},
		{"port out of range", []string{"--service-listen=:65536"}, nil, []string{`--service-listen: ":65536" is not HOST:PORT`}},
		{"port name", nil, []string{"FLORIN_SERVICE_TLS_LISTEN=:https"}, []string{`FLORIN_SERVICE_TLS_LISTEN: ":https" is not HOST:PORT`}},
		{"empty value", []string{"--listen="}, nil, []string{`--listen: "" is not HOST:PORT`}},
		{"address without scheme", []string{"--public-url=florin.example"}, nil, []string{`--public-url: "florin.example" is not an address`}},
		{"address with another scheme", []string{"--public-url=ftp://florin.example"}, nil, []string{`--public-url: "ftp://florin.example" is not an address`}},
		{"address without host", []string{"--public-url=https://:80"}, nil, []string{`--public-url: "https://:80" is not an address`}},
		{"address with path", []string{"--public-url=https://a.example/florin"}, nil, []string{`--public-url: "https://a.example/florin" may have nothing after`}},
		{"address with query", []string{"--service-url=https://a.example?x=1"}, nil, []string{`--service-url: "https://a.example?x=1" may have nothing after`}},
		{"address with password", []string{"--service-auth-url=https://a:b@c.example"}, nil,
			[]string{"--service-auth-url: an address must not hold a user name or password"}},
		{"http outside", []string{"--service-registration-url=http://192.0.2.1"}, nil,
			[]string{`--service-registration-url: "http://192.0.2.1" has to begin with https`}},
		{"one listener for both", []string{"--service-listen=127.0.0.1:8080", "--service-url=http://localhost:1"}, nil,
			[]string{"--service-listen: 127.0.0.1:8080 is where the web app listens"}},
		{"one listener for the service and its certificates", []string{"--service-tls-listen=127.0.0.1:8081"}, nil,
			[]string{"--service-tls-listen: 127.0.0.1:8081 is where the service listens"}},
		{"certificates without TLS", []string{"--service-tls-url=http://localhost:8443"}, nil,
			[]string{`--service-tls-url: "http://localhost:8443" has to begin with https`}},
		{"certificate without its key", []string{"--service-tls-certificate=" + short}, nil,
			[]string{"--service-tls-certificate: the certificate needs its private key: give --service-tls-key too"}},
		{"key without its certificate", nil, []string{"FLORIN_SERVICE_TLS_KEY=" + short},
			[]string{"FLORIN_SERVICE_TLS_KEY: the private key needs its certificate: give --service-tls-certificate too"}},
		{"no key file", []string{"--service-tls-certificate=" + short, "--service-tls-key=" + missing}, nil, []string{"--service-tls-key: there is no file"}},
		{"no certificate in the file", []string{"--service-tls-certificate=" + short, "--service-tls-key=" + short}, nil,
			[]string{"--service-tls-certificate: \"" + short + "\" and \"" + short + "\" are not a certificate with its private key, both in PEM: "}},
		{"webhook target with a path", []string{"--service-webhook-allow=http://a.example/x,a.example", "--service-webhook-allow=http://u:p@a.example"}, nil,
			[]string{`--service-webhook-allow: "http://a.example/x" is not an origin`, `--service-webhook-allow: "a.example" is not an origin`,
				`--service-webhook-allow: "http://u:p@a.example" is not an origin`}},
		{"limit with a comma", []string{"--service-payment-limit=1,5"}, nil, []string{`--service-payment-limit: "1,5" is not an amount such as`}},
		{"limit below zero", []string{"--service-payment-limit=-1"}, nil, []string{`--service-payment-limit: "-1" is not an amount`}},
		{"limit without an amount", []string{"--service-payment-limit=none"}, nil, []string{`--service-payment-limit: "none" is not an amount`}},
		{"pace too quick", []string{"--sandbox-pace=0s"}, nil, []string{`--sandbox-pace: "0s" is not a duration from 1ms to 1h`}},
		{"pace too slow", []string{"--sandbox-pace=61m"}, nil, []string{`--sandbox-pace: "61m" is not a duration`}},
		{"one address for both", []string{"--service-url=http://localhost:8080"}, nil,
			[]string{"--service-url: http://localhost:8080 is the address of the web app"}},
		{"empty issuer", []string{"--service-issuer=a,,b"}, nil, []string{"--service-issuer: an issuer is empty"}},
		{"empty audience", []string{"--service-audience=a,,b"}, nil, []string{"--service-audience: an audience is empty"}},
		{"life too long", []string{"--service-code-lifetime=11m"}, nil, []string{`--service-code-lifetime: "11m" is not a duration from 1s to 10m`}},
		{"life too short", []string{"--service-code-lifetime=0s"}, nil, []string{`--service-code-lifetime: "0s" is not a duration`}},
		{"life without unit", []string{"--service-code-lifetime=60"}, nil, []string{`--service-code-lifetime: "60" is not a duration`}},
		{"no catalogue", []string{"--sandbox-catalogue=" + missing}, nil, []string{"--sandbox-catalogue: there is no file"}},
		{"catalogue is a directory", []string{"--sandbox-catalogue=/"}, nil, []string{`--sandbox-catalogue: the file "/" cannot be read`}},
		{"name with a line break", []string{"--operator-name=a\nb"}, nil, []string{"--operator-name: the text has more than 200 characters"}},
		{"long contact", []string{"--operator-contact=" + strings.Repeat("x", 201)}, nil, []string{"--operator-contact: the text has more than 200 characters"}},
		{"no directory", []string{"--data-dir="}, nil, []string{"--data-dir: the directory has no name"}},
		{"short token", nil, []string{"FLORIN_SETUP_TOKEN=hunter2"}, []string{"FLORIN_SETUP_TOKEN: the setup token needs 20 characters or more"}},
		{"token with a space", []string{"--setup-token=0123456789 0123456789"}, nil, []string{"--setup-token: the setup token needs 20 characters or more"}},
		{"short token in a file", []string{"--setup-token-file=" + short}, nil, []string{"--setup-token-file: the setup token needs 20 characters or more"}},
		{"no token file", nil, []string{"FLORIN_SETUP_TOKEN_FILE=" + missing}, []string{"FLORIN_SETUP_TOKEN_FILE: there is no file"}},
		{"token twice", []string{"--setup-token=0123456789012345678901", "--setup-token-file=" + short}, nil,
			[]string{"--setup-token-file: the setup token is given twice"}},
		{"proxies", []string{"--trusted-proxy=10.0.0.0/33", "--trusted-proxy=proxy.example"}, nil,
			[]string{`--trusted-proxy: "10.0.0.0/33" is not an address or network`, `--trusted-proxy: "proxy.example" is not`}},
		{"format", []string{"--log-format=xml"}, nil, []string{`--log-format: "xml" is not one of text, json`}},
		{"no config file", []string{"--config", missing}, nil, []string{"--config: there is no file"}},
		{"many at once", []string{"--listen=x", "--log-format=y"}, []string{"FLORIN_DATA_DIR=", "FLORIN_PUBLIC_URL=z", "FLORIN_LOG_LEVEL=w"},
			[]string{`--listen: "x"`, `FLORIN_PUBLIC_URL: "z"`, `FLORIN_LOG_LEVEL: "w"`, `--log-format: "y"`}},
		{"command line arguments of application add", []string{"application", "add", "--name=N"}, nil,
			[]string{"missing flags: --redirect-url=URL, --certificate=FILE"}},
		{"environment", []string{"application", "add", "--name=N", "--redirect-url=u", "--certificate=f", "--environment=TEST"}, nil,
			[]string{`--environment: "TEST" is not one of SANDBOX, PRODUCTION`}},
		{"role", []string{"user", "add", "--email=e", "--password-stdin", "--role=king"}, nil, []string{`--role: "king" is not one of owner, member`}},
		{"password as argument", []string{"user", "add", "--email=e", "--password=secret"}, nil,
			[]string{"unknown flag --password", "missing flags: --password-stdin"}},
		{"refreshing", []string{"--refresh-after=1s"}, nil, []string{`--refresh-after: "1s" is not a duration from 1m to 24h`}},
		{"sign-ins", []string{"--sign-in-lifetime=2m"}, nil, []string{`--sign-in-lifetime: "2m" is not a duration from 5m to 24h`}},
		{"sign-ins that are not used", []string{"--idle-lifetime=25h", "--remembered-idle-lifetime=2161h"}, nil,
			[]string{`--idle-lifetime: "25h" is not a duration from 5m to 24h`, `--remembered-idle-lifetime: "2161h" is not a duration from 5m to 2160h`}},
		{"remembered sign-ins", []string{"--sign-in-lifetime=8h", "--remembered-lifetime=1h"}, nil,
			[]string{`--remembered-lifetime: "1h" is not a duration from --sign-in-lifetime (8h) to 2160h`}},
		{"misspelt variables", nil, []string{"FLORIN_DATADIR=/var/lib/florin", "FLORIN_PUBLIC_ULR=https://a.example", "FLORIN_COLOUR_OF_PAGES=red",
			"florin_listen=:80", "FLORIN_NOTHING="},
			[]string{
				"FLORIN_DATADIR: there is no such setting; did you mean FLORIN_DATA_DIR?", "FLORIN_PUBLIC_ULR: there is no such setting; did you mean FLORIN_PUBLIC_URL?",
				"FLORIN_COLOUR_OF_PAGES: there is no such setting (see florin --help)", "florin_listen: there is no such setting; did you mean FLORIN_LISTEN?",
			}},
		{"what a command takes is no setting", nil, []string{"FLORIN_ROLE=owner", "FLORIN_HELP=true"},
			[]string{"FLORIN_ROLE: there is no such setting", "FLORIN_HELP: there is no such setting"}},
		{"variables of Kubernetes, elsewhere", nil, []string{"FLORIN_PORT=tcp://10.0.0.1:8080"}, []string{"FLORIN_PORT: there is no such setting"}},
		{"time zone", nil, []string{"TZ=Europe/Berln"}, []string{`TZ: there is no time zone "Europe/Berln"`}},
		{"time zone in a file", nil, []string{"TZ=:/no/such/zone"}, []string{`TZ: there is no time zone ":/no/such/zone"`}},
		{"half a command", []string{"application"}, nil, []string{`the command is not complete: expected "add"`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Load(test.args, env(test.env...), io.Discard)
			var problems Problems
			if !errors.As(err, &problems) {
				t.Fatalf("error %v, want Problems", err)
			}
			if len(problems) != len(test.want) {
				t.Fatalf("%d problems, want %d:\n%v", len(problems), len(test.want), err)
			}
			for i, want := range test.want {
				if !strings.HasPrefix(problems[i], want) {
					t.Errorf("problem %d:\n%s\nwant\n%s…", i, problems[i], want)
				}
			}
			if got, want := err.Error(), strings.Join(problems, "\n"); got != want {
				t.Errorf("Error() = %q, want one problem in a line", got)
			}
		})
	}
}

func TestMistakesInTheFileNameTheLine(t *testing.T) {
	file := write(t, "florin.conf", strings.Join([]string{
		"listen 127.0.0.1:9000", "colour = red", "log-level = loud", "data-dir = /a", "data-dir = /b",
		`log-format = "text`, "config = other.conf", "help = yes", "name = N",
	}, "\n"))
	_, err := Load([]string{"--config", file, "--nonsense"}, env(), io.Discard)
	want := strings.Join([]string{
		"unknown flag --nonsense (see florin --help)",
		file + " line 1: expected 'name = value'",
		file + ` line 2: there is no setting "colour"`,
		file + " line 5: data-dir is already set (" + file + " line 4)",
		file + " line 6: the quotes of the value do not match",
		file + ` line 7: there is no setting "config"`,
		file + ` line 8: there is no setting "help"`,
		file + ` line 9: there is no setting "name"`,
		file + ` line 3: "loud" is not one of debug, info, warn, error`,
	}, "\n")
	if err == nil || err.Error() != want {
		t.Errorf("problems\n%v\nwant\n%s", err, want)
	}
}

func TestCommands(t *testing.T) {
	for _, test := range []struct {
		args        []string
		command     string
		application Application
		user        User
	}{
		{args: nil, command: Serve},
		{args: []string{"serve"}, command: Serve},
		{args: []string{"version"}, command: Version},
		{args: []string{"healthcheck"}, command: Healthcheck},
		{
			args: []string{"application", "add", "--name", "My app", "--redirect-url", "https://a.example/?x=1,2", "--redirect-url=https://b.example",
				"--certificate", "cert.pem", "--data-dir", "/srv"},
			command: ApplicationAdd,
			application: Application{Name: "My app", RedirectURLs: []string{"https://a.example/?x=1,2", "https://b.example"},
				Certificate: "cert.pem", Environment: "SANDBOX"},
		},
		{
			args: []string{"application", "add", "--name=N", "--redirect-url=u", "--certificate=c", "--environment=PRODUCTION", "--webhook-origin=o1",
				"--webhook-origin=o2", "--payments",
				"--description=d", "--gdpr-email=g", "--privacy-url=p", "--terms-url=t"},
			command: ApplicationAdd,
			application: Application{Name: "N", RedirectURLs: []string{"u"}, Certificate: "c", Environment: "PRODUCTION", WebhookOrigins: []string{"o1", "o2"},
				Payments: true, Description: "d", GDPREmail: "g", PrivacyURL: "p", TermsURL: "t"},
		},
		{
			args: []string{"user", "add", "--email", "a@b.example", "--password-stdin"}, command: UserAdd,
			user: User{Email: "a@b.example"},
		},
		{
			args: []string{"user", "add", "--email=a@b.example", "--password-stdin", "--role", "owner"}, command: UserAdd,
			user: User{Email: "a@b.example", Role: "owner"},
		},
		{args: []string{"user", "list"}, command: UserList},
		{args: []string{"user", "password", "--email=a@b.example", "--password-stdin"}, command: UserPassword, user: User{Email: "a@b.example"}},
		{args: []string{"user", "link", "--email=a@b.example"}, command: UserLink, user: User{Email: "a@b.example"}},
		{args: []string{"user", "reset-second-factor", "--email=a@b.example"}, command: UserSecond, user: User{Email: "a@b.example"}},
		{args: []string{"user", "remove", "--email=a@b.example"}, command: UserRemove, user: User{Email: "a@b.example"}},
		{args: []string{"user", "remove", "--yes", "--email=a@b.example"}, command: UserRemove, user: User{Email: "a@b.example", Yes: true}},
	} {
		t.Run(strings.Join(test.args, " "), func(t *testing.T) {
			config := load(t, env(), test.args...)
			if config.Command != test.command {
				t.Errorf("command %q, want %q", config.Command, test.command)
			}
			want := test.application
			if want.Environment == "" {
				want.Environment = "SANDBOX"
			}
			if !reflect.DeepEqual(config.Application, want) {
				t.Errorf("application %+v, want %+v", config.Application, want)
			}
			if test.command == UserAdd && config.User != test.user {
				t.Errorf("user %+v, want %+v", config.User, test.user)
			}
		})
	}
}

func TestHelpIsPrintedAndNothingElseHappens(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"-h"}, {"user", "add", "--help"}, {"--help", "--log-level=loud"}} {
		var out bytes.Buffer
		config, err := Load(args, env(), &out)
		if config != nil || !errors.Is(err, ErrHelp) {
			t.Errorf("Load(%q) = %v, %v; want ErrHelp", args, config, err)
		}
		if !strings.Contains(out.String(), "Usage: florin") || !strings.Contains(out.String(), "--data-dir DIR") {
			t.Errorf("Load(%q) printed %q", args, out.String())
		}
	}
}

// The help of a command shows its own settings first, and not those of the servers. That of florin and of serve shows all.
func TestHelpOfACommandShowsItsOwnSettings(t *testing.T) {
	help := func(args ...string) string {
		var out bytes.Buffer
		if _, err := Load(append(args, "--help"), env(), &out); !errors.Is(err, ErrHelp) {
			t.Fatalf("%q: %v", args, err)
		}
		return out.String()
	}
	tests := []struct {
		args []string
		own  []string // in their order
	}{
		{[]string{"operator"}, nil},
		{[]string{"user"}, nil},
		{[]string{"user", "add"}, []string{"--email EMAIL", "--password-stdin", "--role owner|member"}},
		{[]string{"application", "add"}, []string{"--name NAME", "--redirect-url URL", "--certificate FILE"}},
		{[]string{"healthcheck"}, nil},
	}
	for _, test := range tests {
		_, rest, _ := strings.Cut(help(test.args...), "\n\n") // after the line of usage
		if strings.Contains(rest, "--listen HOST") || strings.Contains(rest, "--smtp-host") {
			t.Errorf("the help of %q shows settings of the servers", test.args)
		}
		for _, want := range append(test.own, "--help", "--config FILE", "--data-dir DIR", "florin --help") {
			_, after, found := strings.Cut(rest, want)
			if !found {
				t.Errorf("the help of %q has no %s where it belongs:\n%s", test.args, want, rest)
				continue
			}
			rest = after
		}
	}
	for _, args := range [][]string{nil, {"serve"}} {
		if all := help(args...); !strings.Contains(all, "--listen HOST") || !strings.Contains(all, "--smtp-host") {
			t.Errorf("the help of %q does not show all settings", args)
		}
	}
}

func TestListeningFillsInPortsThatWereChosenBySystem(t *testing.T) {
	s := load(t, env(), "--listen=127.0.0.1:0", "--service-listen=127.0.0.1:0", "--service-tls-listen=127.0.0.1:0",
		"--service-auth-url=https://auth.example").Settings
	if got := s.PublicURL.String(); got != "http://localhost:0" {
		t.Errorf("before: %s", got)
	}
	after := s.Listening("127.0.0.1:4711", "127.0.0.1:4712", "127.0.0.1:4713")
	got := []string{
		after.Listen, after.PublicURL.String(), after.ServiceListen, after.ServiceURL.String(), after.ServiceAuthURL.String(),
		after.ServiceRegistrationURL.String(),
		after.ServiceTLSListen, after.ServiceTLSURL.String(),
	}
	want := []string{
		"127.0.0.1:4711", "http://localhost:4711", "127.0.0.1:4712", "http://localhost:4712", "https://auth.example", "http://localhost:4712",
		"127.0.0.1:4713", "https://localhost:4713",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("after: %v, want %v", got, want)
	}
	if s.Listen != "127.0.0.1:0" {
		t.Error("Listening changed its receiver")
	}
}

func TestHealthURL(t *testing.T) {
	for listen, want := range map[string]string{
		"127.0.0.1:8080": "http://127.0.0.1:8080/healthz",
		":8080":          "http://127.0.0.1:8080/healthz",
		"0.0.0.0:81":     "http://127.0.0.1:81/healthz",
		"[::]:81":        "http://[::1]:81/healthz",
		"localhost:81":   "http://localhost:81/healthz",
		"192.0.2.1:81":   "http://192.0.2.1:81/healthz",
	} {
		if got := (Settings{Listen: listen}).HealthURL(); got != want {
			t.Errorf("HealthURL of %s = %s, want %s", listen, got, want)
		}
	}
}

func TestSecretsNeverShow(t *testing.T) {
	const canary = "canary-0123456789-abcdef"
	config := load(t, env("FLORIN_SETUP_TOKEN="+canary))
	if config.Settings.SetupToken.Reveal() != canary {
		t.Fatal("the secret is lost")
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "%v %+v %#v %s %q\n", config, config, config, config.Settings.SetupToken, config.Settings.SetupToken)
	slog.New(slog.NewJSONHandler(&out, nil)).Info("settings", "config", config, "token", config.Settings.SetupToken)
	slog.New(slog.NewTextHandler(&out, nil)).Info("settings", "config", config, "token", config.Settings.SetupToken)
	text, err := json.Marshal(config.Settings.SetupToken)
	if err != nil {
		t.Fatal(err)
	}
	out.Write(text)
	if strings.Contains(out.String(), canary) {
		t.Errorf("the secret shows:\n%s", out.String())
	}

	_, err = Load([]string{"--setup-token=canary with spaces", "--setup-tokn", canary}, env(), io.Discard)
	if err == nil || strings.Contains(err.Error(), "canary") {
		t.Errorf("the error shows the secret: %v", err)
	}
}
