package engine

import (
	"context"
	"crypto/rand"
	"errors"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

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

// AskForLink sends a one-time link to the address, if that may sign in. Whether it does is not told: the answer is the
// same for every address. continueURL is where the link leads: empty for the control panel, else one of Options.ContinueURLs.
// A wrong address or continueURL gives Problems (email, continueUrl), a network that asked too often ErrTooSoon.
func (e *Engine) AskForLink(ctx context.Context, email string, client netip.Addr, continueURL string) error {
	email = strings.ToLower(strings.TrimSpace(email))
	var problems Problems
	problems = problems.with("email", emailProblem(email))
	target, problem := e.continueURL(continueURL)
	problems = problems.with("continueUrl", problem)
	if err := problems.err(); err != nil {
		return err
	}
	code, now := rand.Text(), e.now()
	link := aggregator.SignInLink{TokenHash: fingerprint(code), Email: email, Client: network(client), Created: now, Expires: now.Add(LinkLifetime)}
	limits := storage.LinkLimits{Since: now.Add(-LinkLifetime), ForEmail: LinksPerAddress, ByNetwork: linksPerNetwork}
	good, err := e.store.AddSignInLink(ctx, link, e.maySignUp(email), limits)
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
	host := strings.TrimPrefix(strings.TrimPrefix(e.issuer, "https://"), "http://")
	e.mail(Mail{
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

// continueURL checks where a link may lead: to an address that is registered for it, since whoever gets the link is signed in.
func (e *Engine) continueURL(text string) (*url.URL, string) {
	own := e.issuer + SignInPath
	if text == "" {
		text = own
	}
	if text != own && !slices.Contains(e.continueURLs, text) {
		return nil, "is not registered; the operator registers it with --panel-redirect-url"
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, "is not a URL"
	}
	return u, ""
}

// maySignUp reports whether the settings let the address sign in.
func (e *Engine) maySignUp(email string) bool {
	_, domain, _ := strings.Cut(email, "@")
	return len(e.domains) == 0 || slices.ContainsFunc(e.domains, func(d string) bool { return strings.EqualFold(d, domain) })
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
func (e *Engine) LinkOwner(ctx context.Context, code string) (email string, err error) {
	link, err := e.store.SignInLink(ctx, fingerprint(code), e.now())
	if errors.Is(err, aggregator.ErrNotFound) {
		return "", ErrLink
	}
	return link.Email, err
}

// SignIn uses a link and signs a browser in: it returns the secret that the browser keeps. An address that is new gets an
// account. ErrLink: the link is not good.
func (e *Engine) SignIn(ctx context.Context, code, device string) (secret string, err error) {
	developer, _, err := e.useLink(ctx, code, "")
	if err != nil {
		return "", err
	}
	now := e.now()
	secret = rand.Text()
	row := aggregator.DeveloperSession{
		ID: uuid.NewString(), DeveloperID: developer.ID, Device: shorten(device, 200), Created: now, LastSeen: now, Expires: now.Add(SignInLifetime),
	}
	return secret, e.store.CreateDeveloperSession(ctx, row, fingerprint(secret))
}

func (e *Engine) useLink(ctx context.Context, code, email string) (developer aggregator.Developer, isNew bool, err error) {
	developer, isNew, err = e.store.UseSignInLink(ctx, fingerprint(code), strings.ToLower(strings.TrimSpace(email)), uuid.NewString(), e.now())
	if errors.Is(err, aggregator.ErrNotFound) {
		err = ErrLink
	}
	return developer, isNew, err
}

// SignedIn returns the sign-in to which a secret belongs, and its developer. ErrSignedOut: there is none, or it has ended.
func (e *Engine) SignedIn(ctx context.Context, secret string) (aggregator.DeveloperSession, aggregator.Developer, error) {
	if secret == "" {
		return aggregator.DeveloperSession{}, aggregator.Developer{}, ErrSignedOut
	}
	now := e.now()
	session, developer, err := e.store.DeveloperSession(ctx, fingerprint(secret), now, now.Add(-SignInIdle))
	if errors.Is(err, aggregator.ErrNotFound) {
		return session, developer, ErrSignedOut
	}
	if err == nil && now.Sub(session.LastSeen) >= touchEvery {
		err = e.store.TouchDeveloperSession(ctx, session.ID, now)
	}
	return session, developer, err
}

// SignIns returns the sign-ins of the developer that have not ended, the newest first.
func (e *Engine) SignIns(ctx context.Context, developerID string) ([]aggregator.DeveloperSession, error) {
	now := e.now()
	return e.store.DeveloperSessions(ctx, developerID, now, now.Add(-SignInIdle))
}

// SignOut ends a sign-in of the developer, at once. aggregator.ErrNotFound: it is not the developer's, or has ended.
func (e *Engine) SignOut(ctx context.Context, developerID, sessionID string) error {
	return e.store.RevokeDeveloperSession(ctx, developerID, sessionID, e.now())
}

// Tokens are what a program gets in place of a browser's sign-in (api-notes 3).
type Tokens struct {
	IDToken      string // good for BearerLifetime
	RefreshToken string // good once
	Developer    aggregator.Developer
	IsNew        bool
}

// ExchangeLink uses a link for tokens. ErrLink: it is not good, or was sent to another address.
func (e *Engine) ExchangeLink(ctx context.Context, code, email string) (Tokens, error) {
	if strings.TrimSpace(email) == "" {
		return Tokens{}, ErrLink
	}
	developer, isNew, err := e.useLink(ctx, code, email)
	if err != nil {
		return Tokens{}, err
	}
	tokens, err := e.tokens(developer)
	if err != nil {
		return Tokens{}, err
	}
	tokens.IsNew = isNew
	now := e.now()
	return tokens, e.store.CreateRefreshToken(ctx, developer.ID, fingerprint(tokens.RefreshToken), now, now.Add(RefreshLifetime))
}

// Refresh uses a refresh token for new tokens. One that is used twice ends all that came of its sign-in. ErrSignedOut: it is not good.
func (e *Engine) Refresh(ctx context.Context, refreshToken string) (Tokens, error) {
	now, next := e.now(), rand.Text()
	developer, err := e.store.RotateRefreshToken(ctx, fingerprint(refreshToken), fingerprint(next), now, now.Add(RefreshLifetime))
	if errors.Is(err, aggregator.ErrNotFound) {
		return Tokens{}, ErrSignedOut
	}
	if err != nil {
		return Tokens{}, err
	}
	tokens, err := e.tokens(developer)
	tokens.RefreshToken = next
	return tokens, err
}

func (e *Engine) tokens(developer aggregator.Developer) (Tokens, error) {
	idToken, err := e.bearer(developerBearer, e.secrets.Developer, developer.ID, e.now())
	return Tokens{IDToken: idToken, RefreshToken: rand.Text(), Developer: developer}, err
}

// shorten is a text of a stranger, fit to be shown: printable, and no longer than limit characters.
func shorten(text string, limit int) string {
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, text)
	if runes := []rune(text); len(runes) > limit {
		text = string(runes[:limit])
	}
	return text
}

// Developer returns the developer with the id, or aggregator.ErrNotFound.
func (e *Engine) Developer(ctx context.Context, id string) (aggregator.Developer, error) {
	return e.store.Developer(ctx, id)
}
