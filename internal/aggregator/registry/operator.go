package registry

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"florin/internal/aggregator"
)

// OperatorPath is where the links of the operator lead, below the registration URL. The link adds the parameter code.
const OperatorPath = "/panel/operator/open"

// How long the operator has for a link, and how long a browser that used one is the operator's.
const (
	OperatorLinkLifetime = 15 * time.Minute
	OperatorLifetime     = 8 * time.Hour
)

// OperatorLink returns a link that opens the operator's pages of the control panel, once. Its holder is the operator, so
// it is for the operator's terminal alone.
func (r *Registry) OperatorLink(ctx context.Context) (string, error) {
	code, now := rand.Text(), r.now()
	if err := r.store.CreateOperatorLink(ctx, aggregator.Fingerprint(code), now, now.Add(OperatorLinkLifetime)); err != nil {
		return "", err
	}
	return r.issuer + OperatorPath + "?code=" + code, nil
}

// OpenOperator uses a link and returns the secret that the operator's browser keeps. ErrLink: the link is not good.
func (r *Registry) OpenOperator(ctx context.Context, code string) (secret string, err error) {
	secret = rand.Text()
	now := r.now()
	err = r.store.UseOperatorLink(ctx, aggregator.Fingerprint(code), aggregator.Fingerprint(secret), now, now.Add(OperatorLifetime))
	if errors.Is(err, aggregator.ErrNotFound) {
		err = ErrLink
	}
	return secret, err
}

// IsOperator reports whether the secret is one of OpenOperator that has not ended.
func (r *Registry) IsOperator(ctx context.Context, secret string) (bool, error) {
	if secret == "" {
		return false, nil
	}
	return r.store.IsOperator(ctx, aggregator.Fingerprint(secret), r.now())
}

// CloseOperator ends the access of a browser, at once.
func (r *Registry) CloseOperator(ctx context.Context, secret string) error {
	return r.store.EndOperator(ctx, aggregator.Fingerprint(secret), r.now())
}
