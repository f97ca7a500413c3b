package engine

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
)

// linkingValidity is how long the consent of a linking lasts at most; it ends as soon as the accounts are known.
const linkingValidity = time.Hour

// StartLinking begins to link own accounts to an application of a developer, by the flow of every authorisation; the answer has
// the address for the developer's browser, which comes back to returnURL. Whether the developer may, and returnURL is a good one,
// the caller has checked. Its errors are those of POST /auth.
func (e *Engine) StartLinking(ctx context.Context, app aggregator.Application, developerID, returnURL string, at openbanking.ASPSP,
	psuType openbanking.PSUType) (openbanking.StartAuthorizationResponse, error) {
	var none openbanking.StartAuthorizationResponse
	connector, ok := e.connectors(at)
	if !ok {
		return none, openbanking.WrongASPSPProvided
	}
	validity := min(linkingValidity, time.Duration(connector.ASPSP().MaximumConsentValidity)*time.Second)
	state, no := rand.Text(), false
	// The way back and the rules are those of the control panel, not of the application, which may not even be active yet.
	app.RedirectURLs, app.Restricted = []string{returnURL}, false
	answer, err := e.StartAuthorization(ctx, app, openbanking.StartAuthorizationRequest{
		Access: openbanking.Access{
			ValidUntil:   openbanking.DateTime{Time: e.now().Add(validity).Truncate(time.Second)},
			Balances:     &no,
			Transactions: &no,
		},
		ASPSP:       at,
		State:       state,
		RedirectURL: returnURL,
		PSUType:     &psuType,
		PSUID:       &developerID,
	})
	if err != nil {
		return none, err
	}
	linking := aggregator.Linking{AuthorizationID: answer.AuthorizationID, ApplicationID: app.ID, DeveloperID: developerID}
	return answer, e.store.CreateLinking(ctx, linking, aggregator.Fingerprint(state))
}

// sendBack returns the way back of an authorisation that is approved, with its code. A linking that a program asked for ends here:
// it goes back with its authorization_id, and no code is left.
func (e *Engine) sendBack(ctx context.Context, row aggregator.Session, code string) (returnURL string, err error) {
	back := redirect(row.Authorization, "code", code, "state", row.State)
	if row.RedirectURL == e.linkedURL {
		return back, nil
	}
	linking, err := e.store.LinkingOf(ctx, row.AuthorizationID)
	if errors.Is(err, aggregator.ErrNotFound) {
		return back, nil
	}
	if err == nil {
		err = e.FinishLinking(ctx, linking, code)
	}
	var refused *openbanking.Error
	switch {
	case errors.Is(err, aggregator.ErrLinking) || errors.As(err, &refused):
		return redirect(row.Authorization, "error", serverError, "state", row.State), nil
	case err != nil:
		return "", err
	}
	return redirect(row.Authorization, "authorization_id", row.AuthorizationID, "state", row.State), nil
}

// FinishLinking uses the code of an authorisation by which own accounts are linked: it links them and ends the session. A pending
// application becomes active, for these accounts alone (spec: Environments and activation).
// aggregator.ErrLinking: the code is not that of this linking, or was used before.
func (e *Engine) FinishLinking(ctx context.Context, linking aggregator.Linking, code string) error {
	row, err := e.store.SessionByCode(ctx, linking.ApplicationID, aggregator.Fingerprint(code))
	if errors.Is(err, aggregator.ErrNotFound) || err == nil && row.AuthorizationID != linking.AuthorizationID {
		return aggregator.ErrLinking
	}
	if err != nil {
		return err
	}
	if row = row.At(e.now()); redeemable(row.Status) != nil {
		return aggregator.ErrLinking
	}
	connector, err := e.connector(row.ASPSP)
	if err != nil {
		return err
	}
	accounts, err := connector.Accounts(ctx, row.Consent, nil)
	if err != nil {
		return e.bankError(row.ASPSP, "list of own accounts", err)
	}
	row.SessionID, row.Authorized = uuid.NewString(), e.now()
	if err := e.store.Redeem(ctx, row, nil); errors.Is(err, aggregator.ErrNotFound) {
		return aggregator.ErrLinking
	} else if err != nil {
		return err
	}
	var own []aggregator.OwnAccount
	for _, account := range accounts {
		if hashes := e.identificationHashes(row.ASPSP, account.Identifiers); len(hashes) > 0 {
			own = append(own, aggregator.OwnAccount{Hash: hashes[0], ASPSP: row.ASPSP, Label: label(account), Linked: row.Authorized})
		}
	}
	if len(own) > 0 {
		if err := e.store.LinkAccounts(ctx, linking.ApplicationID, own); err != nil {
			return err
		}
	}
	if err := e.store.End(ctx, row.AuthorizationID, aggregator.EventClosed, e.now()); err != nil && !errors.Is(err, aggregator.ErrNotFound) {
		return err
	}
	e.endConsent(ctx, row)
	return nil
}

// label names an account for its owner without giving its number away.
func label(account aggregator.BankAccount) string {
	name := "Account"
	for _, text := range []*string{account.Account.Name, account.Account.Product, account.Account.Details} {
		if text != nil && *text != "" {
			name = *text
			break
		}
	}
	if len(account.Identifiers) > 0 {
		if id := account.Identifiers[0].Identification; len(id) > 4 {
			name += " …" + id[len(id)-4:]
		}
	}
	return aggregator.Printable(name, 120)
}

// mayRead returns the rule of which accounts an application may read, by their main hash (api-notes 5): all, or its own alone.
func (e *Engine) mayRead(ctx context.Context, app aggregator.Application) (func(hash string) bool, error) {
	if !app.Restricted {
		return func(string) bool { return true }, nil
	}
	own, err := e.store.OwnAccounts(ctx, app.ID)
	if err != nil {
		return nil, err
	}
	return func(hash string) bool {
		return slices.ContainsFunc(own, func(a aggregator.OwnAccount) bool { return a.Hash == hash })
	}, nil
}

// checkOwnAccounts refuses an application that is restricted to own accounts and has none (spec: NO_ACCOUNTS_ADDED).
func (e *Engine) checkOwnAccounts(ctx context.Context, app aggregator.Application) error {
	if !app.Restricted {
		return nil
	}
	own, err := e.store.OwnAccounts(ctx, app.ID)
	if err == nil && len(own) == 0 {
		err = openbanking.NoAccountsAdded
	}
	return err
}
