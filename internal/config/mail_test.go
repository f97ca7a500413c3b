package config

import (
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
)

func TestMailSettings(t *testing.T) {
	file := write(t, "password", "correct horse\n")
	server := []string{"--smtp-host=mail.example", "--smtp-from=florin@mail.example"}
	with := func(more ...string) []string { return append(append([]string(nil), server...), more...) }
	tests := []struct {
		name string
		args []string
		want Mail
	}{
		{"none", nil, Mail{Port: 587, TLS: "starttls"}},
		{"host and sender", server, Mail{Host: "mail.example", Port: 587, From: "florin@mail.example", TLS: "starttls"}},
		{"tls", with("--smtp-tls=tls"), Mail{Host: "mail.example", Port: 465, From: "florin@mail.example", TLS: "tls"}},
		{"port", with("--smtp-port=2525"), Mail{Host: "mail.example", Port: 2525, From: "florin@mail.example", TLS: "starttls"}},
		{"password", with("--smtp-user=u", "--smtp-password=p w"),
			Mail{Host: "mail.example", Port: 587, User: "u", Password: "p w", From: "florin@mail.example", TLS: "starttls"}},
		{"password in a file", with("--smtp-user=u", "--smtp-password-file="+file),
			Mail{Host: "mail.example", Port: 587, User: "u", Password: "correct horse", From: "florin@mail.example", TLS: "starttls"}},
		{"on this machine", []string{"--smtp-host=localhost", "--smtp-from=f@localhost", "--smtp-tls=none", "--smtp-port=25"},
			Mail{Host: "localhost", Port: 25, From: "f@localhost", TLS: "none"}},
	}
	for _, test := range tests {
		if got := load(t, env(), test.args...).Settings.Mail; !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %#v, want %#v", test.name, got, test.want)
		}
	}
	if got := load(t, env(), "--panel-redirect-url=https://tool.example/in?a=b").Settings.PanelRedirectURLs; !reflect.DeepEqual(got,
		[]string{"https://tool.example/in?a=b"}) {
		t.Errorf("redirect addresses %q", got)
	}
	if got := load(t, env(), "--panel-domain=@Example.org", "--panel-domain=b.example").Settings.PanelDomains; !reflect.DeepEqual(got,
		[]string{"example.org", "b.example"}) {
		t.Errorf("domains %v", got)
	}
}

func TestMailMistakes(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string // the beginning of the one problem
	}{
		{[]string{"--smtp-host=mail.example"}, "--smtp-from: a mail server needs"},
		{[]string{"--smtp-from=f@mail.example"}, "--smtp-host: the other settings"},
		{[]string{"--smtp-host=mail.example:25", "--smtp-from=f@mail.example"}, `--smtp-host: "mail.example:25" is not a host name`},
		{[]string{"--smtp-host=mail.example", "--smtp-from=Florin <f@mail.example>"}, "--smtp-from:"},
		{[]string{"--smtp-host=mail.example", "--smtp-from=f@mail.example", "--smtp-user=u"}, "--smtp-user: user and password"},
		{[]string{"--smtp-host=mail.example", "--smtp-from=f@mail.example", "--smtp-tls=none"}, "--smtp-tls: none is for a mail server on this machine"},
		{[]string{"--smtp-host=localhost", "--smtp-from=f@mail.example", "--smtp-user=u", "--smtp-password=p", "--smtp-tls=none"}, "--smtp-tls: none is for"},
		{[]string{"--smtp-tls=ssl"}, `--smtp-tls: "ssl" is not one of`},
		{[]string{"--smtp-port=0"}, `--smtp-port: "0" is not a port`},
		{[]string{"--smtp-port=65536"}, `--smtp-port: "65536" is not a port`},
		{[]string{"--smtp-password-file=/nowhere"}, "--smtp-password-file: there is no file"},
		{[]string{"--panel-redirect-url=http://tool.example/"}, `--panel-redirect-url: "http://tool.example/" is not an address`},
		{[]string{"--panel-redirect-url=https://a@tool.example/"}, `--panel-redirect-url: "https://a@tool.example/" is not an address`},
		{[]string{"--panel-redirect-url=http://localhost/#a"}, `--panel-redirect-url: "http://localhost/#a" is not an address`},
		{[]string{"--panel-redirect-url=localhost:8888"}, `--panel-redirect-url: "localhost:8888" is not an address`},
		{[]string{"--panel-domain=a@b"}, `--panel-domain: "a@b" is not a domain`},
	} {
		_, err := Load(test.args, env(), io.Discard)
		var problems Problems
		if !errors.As(err, &problems) || len(problems) != 1 || !strings.HasPrefix(problems[0], test.want) {
			t.Errorf("%q: %v, want %s", test.args, err, test.want)
		}
		if strings.Contains(err.Error(), "password=p") {
			t.Error("the password shows")
		}
	}
}
