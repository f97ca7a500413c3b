package openid

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"florin/internal/strictjson"
)

// claims are those of an ID token that count here.
type claims struct {
	Issuer    string          `json:"iss"`
	Subject   string          `json:"sub"`
	Party     string          `json:"azp"`
	Nonce     string          `json:"nonce"`
	Email     json.RawMessage `json:"email"`
	Expires   *float64        `json:"exp"`
	Issued    *float64        `json:"iat"`
	NotBefore *float64        `json:"nbf"`
	SignedIn  *float64        `json:"auth_time"`
	Methods   json.RawMessage `json:"amr"`
}

// named are the names of the claims that count: none of them may come twice or in another spelling (security F6).
var named = []string{"iss", "sub", "aud", "azp", "nonce", "email", "exp", "iat", "nbf", "auth_time", "amr", "at_hash"}

// verify checks the ID token of a visit (OpenID Connect Core 1.0, section 3.1.3.7).
func (p *Provider) verify(ctx context.Context, known *metadata, v Visit, token *oauth2.Token) (Identity, error) {
	raw, _ := token.Extra("id_token").(string)
	if raw == "" {
		return Identity{}, &Error{Untrusted, "there is no ID token"}
	}
	// The library takes another spelling of Google's issuer, and knows no skew of clocks before the end: both are looked at below.
	checked, err := known.Verifier(&oidc.Config{ClientID: p.client.ID, SupportedSigningAlgs: algorithms, SkipExpiryCheck: true}).Verify(ctx, raw)
	if err != nil {
		return Identity{}, &Error{Untrusted, "the ID token is not signed by the provider for this client"}
	}
	var payload json.RawMessage
	var said claims
	if checked.Claims(&payload) != nil || json.Unmarshal(payload, &said) != nil {
		return Identity{}, &Error{Untrusted, "the ID token has a claim of the wrong type"}
	}
	if _, err := strictjson.Object(payload, named...); err != nil {
		return Identity{}, &Error{Untrusted, "the ID token can be read in two ways"}
	}
	now := p.now()
	switch {
	case said.Issuer != p.client.Issuer:
		return Identity{}, &Error{Untrusted, "the ID token is of another issuer"}
	case said.Subject == "" || len(said.Subject) > longestText:
		return Identity{}, &Error{Untrusted, "the ID token has no subject"}
	case !slices.Contains(checked.Audience, p.client.ID):
		return Identity{}, &Error{Untrusted, "the ID token is for another client"}
	case said.Party != "" && said.Party != p.client.ID, said.Party == "" && len(checked.Audience) > 1:
		return Identity{}, &Error{Untrusted, "the ID token was given to another client"}
	case subtle.ConstantTimeCompare([]byte(said.Nonce), []byte(v.Nonce)) != 1:
		return Identity{}, &Error{Untrusted, "the ID token is of another visit"}
	case said.Expires == nil || said.Issued == nil:
		return Identity{}, &Error{Untrusted, "the ID token has no time"}
	case !now.Add(-clockSkew).Before(at(*said.Expires)):
		return Identity{}, &Error{Clock, "the ID token has expired"}
	case now.Add(clockSkew).Before(at(*said.Issued)), said.NotBefore != nil && now.Add(clockSkew).Before(at(*said.NotBefore)):
		return Identity{}, &Error{Clock, "the ID token is from the future"}
	case checked.AccessTokenHash != "" && checked.VerifyAccessToken(token.AccessToken) != nil:
		return Identity{}, &Error{Untrusted, "the ID token is of another access token"}
	}
	who := Identity{Issuer: said.Issuer, Subject: said.Subject, Email: text(said.Email)}
	_ = json.Unmarshal(said.Methods, &who.Methods) // some providers write it as a text: then it says nothing
	if said.SignedIn != nil {
		who.SignedIn = at(*said.SignedIn)
	}
	if v.Fresh {
		switch {
		case who.SignedIn.IsZero():
			return Identity{}, &Error{Stale, "the ID token does not say when the person signed in"}
		case who.SignedIn.Before(v.Begun.Add(-clockSkew)) || now.Add(clockSkew).Before(who.SignedIn):
			return Identity{}, &Error{Stale, "the person signed in at another time"}
		}
	}
	return who, nil
}

// withEmail asks for the address where the ID token holds none. An answer about somebody else is a lie; without an answer there is no address.
func (p *Provider) withEmail(ctx context.Context, known *metadata, token *oauth2.Token, who Identity) (Identity, error) {
	if who.Email != "" || known.UserInfoEndpoint() == "" {
		return who, nil
	}
	info, err := known.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil {
		return who, nil //nolint:nilerr // who it is, is known already
	}
	if info.Subject != who.Subject {
		return Identity{}, &Error{Untrusted, "the user info are about somebody else"} // OpenID Connect Core 1.0, section 5.3.2
	}
	who.Email = strings.TrimSpace(info.Email)
	return who, nil
}

// text is a claim that should be a text, "" where it is none.
func text(raw json.RawMessage) string {
	var s string
	_ = json.Unmarshal(raw, &s)
	return strings.TrimSpace(s)
}

// at is the moment of a NumericDate (RFC 7519, section 2).
func at(seconds float64) time.Time { return time.Unix(int64(seconds), 0) }
