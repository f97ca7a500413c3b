package registry

import (
	"context"
	"crypto/rand"
	"errors"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"florin/internal/aggregator"
	"florin/internal/aggregator/storage"
)

// Sign-in to the control panel (api-notes 3).
const (
	LinkLifetime    = 15 * time.Minute
	SignInIdle      = 2 * time.Hour  // without a request a sign-in ends
	SignInLifetime  = 24 * time.Hour // and after this in any case
	RefreshLifetime = 30 * 24 * time.Hour

	LinksPerAddress = 3  // in the lifetime of a link
	linksPerNetwork = 20 // likewise

	touchEvery = time.Minute
)

// SignInPath is where the links of the control panel lead, below the registration URL. The link adds the parameter oobCode.
const SignInPath = "/panel/sign-in"

// What keeps somebody from signing in.
var (
	ErrLink      = errors.New("the sign-in link is used, too old, or not one of ours")
	ErrTooSoon   = errors.New("too many sign-in links were asked for")
	ErrSignedOut = errors.New("nobody is signed in")
)

// Mail is a message to one person. Its text may hold a secret.
type Mail struct {
	To, Subject, Text string
	Until             time.Time // later it is of no use
}

// AskForLink sends a one-time link to the address, if that may sign in. Whether it does is not said: the answer is the
// same for every address. continueURL is where the link leads: empty for the control panel, else one of Options.ContinueURLs.
// A wrong address or continueURL gives Problems (email, continueUrl), a network that asked too often ErrTooSoon.
func (r *Registry) AskForLink(ctx context.Context, email string, client netip.Addr, continueURL string) error {
	email = strings.ToLower(strings.TrimSpace(email))
	var problems Problems
	problems = problems.with("email", emailProblem(email))
	target, problem := r.continueURL(continueURL)
	problems = problems.with("continueUrl", problem)
	if err := problems.err(); err != nil {
		return err
	}
	code, now := rand.Text(), r.now()
	link := aggregator.SignInLink{TokenHash: aggregator.Fingerprint(code), Email: email, Client: network(client), Created: now, Expires: now.Add(LinkLifetime)}
	limits := storage.LinkLimits{Since: now.Add(-LinkLifetime), ForEmail: LinksPerAddress, ByNetwork: linksPerNetwork}
	good, err := r.store.AddSignInLink(ctx, link, r.maySignUp(email), limits)
	switch {
	case errors.Is(err, aggregator.ErrConflict):
		return ErrTooSoon
	case err != nil:
		return err
	case !good:
		return nil
	}
	query := target.Query()
	query.Set("oobCode", code)
	target.RawQuery = query.Encode()
	host := strings.TrimPrefix(strings.TrimPrefix(r.issuer, "https://"), "http://")
	r.mail(Mail{
		To:      email,
		Subject: "Your sign-in link for " + host,
		Text: "Somebody, most likely you, wants to sign in to the control panel of the service at " + host + ".\n\n" +
			"Open this link to sign in:\n\n" + target.String() + "\n\n" +
			"It works once, until " + link.Expires.Format("15:04") + " UTC.\n" +
			"If it was not you, do nothing: without this link nobody can sign in.\n",
		Until: link.Expires,
	})
	return nil
}

// continueURL checks where a link may lead: to an address that is registered for it, since the link signs in anybody who gets it.
func (r *Registry) continueURL(text string) (*url.URL, string) {
	own := r.issuer + SignInPath
	if text == "" {
		text = own
	}
	if text != own && !slices.Contains(r.continueURLs, text) {
		return nil, "is not registered; the operator registers it with --panel-redirect-url"
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, "is not a URL"
	}
	return u, ""
}

// maySignUp reports whether the settings let the address sign in.
func (r *Registry) maySignUp(email string) bool {
	_, domain, _ := strings.Cut(email, "@")
	return len(r.domains) == 0 || slices.ContainsFunc(r.domains, func(d string) bool { return strings.EqualFold(d, domain) })
}

// network is how an address counts: an IPv6 address by its /64 (security T22).
func network(a netip.Addr) string {
	if a.Is6() && !a.Is4In6() {
		if prefix, err := a.Prefix(64); err == nil {
			return prefix.String()
		}
	}
	return a.Unmap().String()
}

// LinkOwner returns the e-mail address that a link will sign in, without using it. ErrLink: it is not good.
func (r *Registry) LinkOwner(ctx context.Context, code string) (email string, err error) {
	link, err := r.store.SignInLink(ctx, aggregator.Fingerprint(code), r.now())
	if errors.Is(err, aggregator.ErrNotFound) {
		return "", ErrLink
	}
	return link.Email, err
}

// SignIn uses a link and signs a browser in: it returns the secret that the browser keeps. An address that is new gets an
// account. ErrLink: the link is not good.
func (r *Registry) SignIn(ctx context.Context, code, device string) (secret string, err error) {
	developer, _, err := r.useLink(ctx, code, "")
	if err != nil {
		return "", err
	}
	now := r.now()
	secret = rand.Text()
	row := aggregator.DeveloperSession{
		ID: uuid.NewString(), DeveloperID: developer.ID, Device: aggregator.Printable(device, 200), Created: now, LastSeen: now,
		Expires: now.Add(SignInLifetime),
	}
	return secret, r.store.CreateDeveloperSession(ctx, row, aggregator.Fingerprint(secret))
}

func (r *Registry) useLink(ctx context.Context, code, email string) (developer aggregator.Developer, isNew bool, err error) {
	developer, isNew, err = r.store.UseSignInLink(ctx, aggregator.Fingerprint(code), strings.ToLower(strings.TrimSpace(email)), uuid.NewString(), r.now())
	if errors.Is(err, aggregator.ErrNotFound) {
		err = ErrLink
	}
	return developer, isNew, err
}

// SignedIn returns the sign-in to which a secret belongs, and its developer. ErrSignedOut: there is none, or it has ended.
func (r *Registry) SignedIn(ctx context.Context, secret string) (aggregator.DeveloperSession, aggregator.Developer, error) {
	if secret == "" {
		return aggregator.DeveloperSession{}, aggregator.Developer{}, ErrSignedOut
	}
	now := r.now()
	session, developer, err := r.store.DeveloperSession(ctx, aggregator.Fingerprint(secret), now, now.Add(-SignInIdle))
	if errors.Is(err, aggregator.ErrNotFound) {
		return session, developer, ErrSignedOut
	}
	if err == nil && now.Sub(session.LastSeen) >= touchEvery {
		err = r.store.TouchDeveloperSession(ctx, session.ID, now)
	}
	return session, developer, err
}

// SignIns returns the sign-ins of the developer that have not ended, the newest first.
func (r *Registry) SignIns(ctx context.Context, developerID string) ([]aggregator.DeveloperSession, error) {
	now := r.now()
	return r.store.DeveloperSessions(ctx, developerID, now, now.Add(-SignInIdle))
}

// SignOut ends a sign-in of the developer, at once. aggregator.ErrNotFound: it is not the developer's, or has ended.
func (r *Registry) SignOut(ctx context.Context, developerID, sessionID string) error {
	return r.store.RevokeDeveloperSession(ctx, developerID, sessionID, r.now())
}

// Tokens are what a program gets in place of a browser's sign-in (api-notes 3).
type Tokens struct {
	IDToken      string // good for BearerLifetime
	RefreshToken string // good once
	Developer    aggregator.Developer
	IsNew        bool
}

// ExchangeLink uses a link for tokens. ErrLink: it is not good, or was sent to another address.
func (r *Registry) ExchangeLink(ctx context.Context, code, email string) (Tokens, error) {
	if strings.TrimSpace(email) == "" {
		return Tokens{}, ErrLink
	}
	developer, isNew, err := r.useLink(ctx, code, email)
	if err != nil {
		return Tokens{}, err
	}
	tokens, err := r.tokens(developer)
	if err != nil {
		return Tokens{}, err
	}
	tokens.IsNew = isNew
	now := r.now()
	return tokens, r.store.CreateRefreshToken(ctx, developer.ID, aggregator.Fingerprint(tokens.RefreshToken), now, now.Add(RefreshLifetime))
}

// Refresh uses a refresh token for new tokens. One that is used twice ends all that came of its sign-in. ErrSignedOut: it is not good.
func (r *Registry) Refresh(ctx context.Context, refreshToken string) (Tokens, error) {
	now, next := r.now(), rand.Text()
	developer, err := r.store.RotateRefreshToken(ctx, aggregator.Fingerprint(refreshToken), aggregator.Fingerprint(next), now, now.Add(RefreshLifetime))
	if errors.Is(err, aggregator.ErrNotFound) {
		return Tokens{}, ErrSignedOut
	}
	if err != nil {
		return Tokens{}, err
	}
	tokens, err := r.tokens(developer)
	tokens.RefreshToken = next
	return tokens, err
}

func (r *Registry) tokens(developer aggregator.Developer) (Tokens, error) {
	idToken, err := r.bearer(developerBearer, r.secrets.Developer, developer.ID, r.now())
	return Tokens{IDToken: idToken, RefreshToken: rand.Text(), Developer: developer}, err
}

// Developer returns the developer with the id, or aggregator.ErrNotFound.
func (r *Registry) Developer(ctx context.Context, id string) (aggregator.Developer, error) {
	return r.store.Developer(ctx, id)
}
