package engine

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

// OperatorLink returns a link that opens the operator's pages of the control panel, once. Whoever has it is the operator, so
// it is for the operator's terminal alone.
func (e *Engine) OperatorLink(ctx context.Context) (string, error) {
	code, now := rand.Text(), e.now()
	if err := e.store.CreateOperatorLink(ctx, fingerprint(code), now, now.Add(OperatorLinkLifetime)); err != nil {
		return "", err
	}
	return e.issuer + OperatorPath + "?code=" + code, nil
}

// OpenOperator uses a link and returns the secret that the operator's browser keeps. ErrLink: the link is not good.
func (e *Engine) OpenOperator(ctx context.Context, code string) (secret string, err error) {
	secret = rand.Text()
	now := e.now()
	err = e.store.UseOperatorLink(ctx, fingerprint(code), fingerprint(secret), now, now.Add(OperatorLifetime))
	if errors.Is(err, aggregator.ErrNotFound) {
		err = ErrLink
	}
	return secret, err
}

// IsOperator reports whether the secret is one of OpenOperator that has not ended.
func (e *Engine) IsOperator(ctx context.Context, secret string) (bool, error) {
	if secret == "" {
		return false, nil
	}
	return e.store.IsOperator(ctx, fingerprint(secret), e.now())
}

// CloseOperator ends the access of a browser, at once.
func (e *Engine) CloseOperator(ctx context.Context, secret string) error {
	return e.store.EndOperator(ctx, fingerprint(secret), e.now())
}
