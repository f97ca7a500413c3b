package config

import (
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
)

func TestOpenIDSettings(t *testing.T) {
	file := write(t, "secret", "kept in a file\n")
	provider := []string{"--oidc-issuer=https://login.example.org/realms/home", "--oidc-client-id=florin"}
	with := func(more ...string) []string { return append(append([]string(nil), provider...), more...) }
	const issuer = "https://login.example.org/realms/home"
	for _, test := range []struct {
		name string
		args []string
		want OpenID
	}{
		{"none", nil, OpenID{}},
		{"no secret", provider, OpenID{Issuer: issuer, ClientID: "florin", Name: "login.example.org"}},
		{"a secret", with("--oidc-client-secret=s"), OpenID{Issuer: issuer, ClientID: "florin", ClientSecret: "s", Name: "login.example.org"}},
		{"in a file", with("--oidc-client-secret-file=" + file), OpenID{Issuer: issuer, ClientID: "florin", ClientSecret: "kept in a file", Name: "login.example.org"}},
		{"named", with("--oidc-name=Home Login"), OpenID{Issuer: issuer, ClientID: "florin", Name: "Home Login"}},
		{"for everybody there", with("--oidc-accounts=new", "--oidc-second-factor=provider"),
			OpenID{Issuer: issuer, ClientID: "florin", Name: "login.example.org", NewPeople: true, SecondFactor: true}},
		{"on this machine", []string{"--oidc-issuer=http://localhost:5556/dex", "--oidc-client-id=florin"},
			OpenID{Issuer: "http://localhost:5556/dex", ClientID: "florin", Name: "localhost"}},
	} {
		s := load(t, env(), test.args...).Settings
		if !reflect.DeepEqual(s.OpenID, test.want) || !s.LocalSignIn {
			t.Errorf("%s: %#v, want %#v", test.name, s.OpenID, test.want)
		}
	}
	if load(t, env(), with("--local-sign-in=off")...).Settings.LocalSignIn {
		t.Error("people still sign in here")
	}
}

func TestOpenIDMistakes(t *testing.T) {
	const issuer, client = "--oidc-issuer=https://login.example.org", "--oidc-client-id=florin"
	for _, test := range []struct {
		args []string
		want string // the beginning of the one problem
	}{
		{[]string{issuer}, "--oidc-client-id: the provider needs to know who asks"},
		{[]string{client}, "--oidc-issuer: the other settings of the provider need it"},
		{[]string{"--oidc-issuer=http://login.example.org", client}, `--oidc-issuer: "http://login.example.org" is not an address such as`},
		{[]string{"--oidc-issuer=login.example.org", client}, `--oidc-issuer: "login.example.org" is not`},
		{[]string{"--oidc-issuer=https://a@login.example.org", client}, "--oidc-issuer:"},
		{[]string{"--oidc-issuer=https://login.example.org/?a=b", client}, "--oidc-issuer:"},
		{[]string{"--oidc-issuer=https://login.example.org/#a", client}, "--oidc-issuer:"},
		{[]string{issuer, client, "--oidc-client-secret=s", "--oidc-client-secret-file=f"}, "--oidc-client-secret-file: the secret is given twice"},
		{[]string{issuer, client, "--oidc-client-secret-file=/nowhere"}, "--oidc-client-secret-file: there is no file"},
		{[]string{issuer, client, "--oidc-accounts=all"}, `--oidc-accounts: "all" is not one of known, new`},
		{[]string{issuer, client, "--oidc-second-factor=both"}, `--oidc-second-factor: "both" is not one of florin, provider`},
		{[]string{"--local-sign-in=off"}, "--local-sign-in: nobody could sign in"},
		{[]string{"--local-sign-in=maybe"}, `--local-sign-in: "maybe" is not one of on, off`},
	} {
		_, err := Load(test.args, env(), io.Discard)
		var problems Problems
		if !errors.As(err, &problems) || len(problems) != 1 || !strings.HasPrefix(problems[0], test.want) {
			t.Errorf("%v: %v, want %q", test.args, err, test.want)
		}
	}
}
