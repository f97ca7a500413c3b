package engine

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
)

// LinkedPath is where the hosted pages send a developer back who links own accounts, below the registration URL.
const LinkedPath = "/panel/linked"

// linkingValidity is how long the consent of a linking lasts at most; it ends as soon as the accounts are known.
const linkingValidity = time.Hour

// ErrLinking is the error of a return from the hosted pages that links nothing.
var ErrLinking = errors.New("the accounts were not linked")

// LinkingRequest says at which bank own accounts are to be linked.
type LinkingRequest struct {
	ASPSP   openbanking.ASPSP
	PSUType openbanking.PSUType
	// ReturnURL is where the browser goes when it is over: a redirect URL of the application, or of the control panel's
	// programs (Options.ContinueURLs). Empty: to the control panel, where the developer has to be signed in.
	ReturnURL string
}

// StartLinking begins to link own accounts to an application of the developer, by the flow of every authorisation; the answer
// has the address for the developer's browser. Its errors are those of POST /auth, and aggregator.ErrNotFound.
func (e *Engine) StartLinking(ctx context.Context, developerID, id string, req LinkingRequest) (openbanking.StartAuthorizationResponse, error) {
	var none openbanking.StartAuthorizationResponse
	app, err := e.store.OwnApplication(ctx, developerID, id)
	if err != nil {
		return none, err
	}
	back := cmp.Or(req.ReturnURL, e.issuer+LinkedPath)
	if back != e.issuer+LinkedPath && !slices.Contains(app.RedirectURLs, back) && !slices.Contains(e.continueURLs, back) {
		return none, openbanking.RedirectURINotAllowed
	}
	connector, ok := e.connectors(req.ASPSP)
	if !ok {
		return none, openbanking.WrongASPSPProvided
	}
	validity := min(linkingValidity, time.Duration(connector.ASPSP().MaximumConsentValidity)*time.Second)
	state, no := rand.Text(), false
	// The way back and the rules are those of the control panel, not of the application, which may not even be active yet.
	app.RedirectURLs, app.Restricted = []string{back}, false
	answer, err := e.StartAuthorization(ctx, app, openbanking.StartAuthorizationRequest{
		Access: openbanking.Access{
			ValidUntil:   openbanking.DateTime{Time: e.now().Add(validity).Truncate(time.Second)},
			Balances:     &no,
			Transactions: &no,
		},
		ASPSP:       req.ASPSP,
		State:       state,
		RedirectURL: back,
		PSUType:     &req.PSUType,
		PSUID:       &developerID,
	})
	if err != nil {
		return none, err
	}
	linking := aggregator.Linking{AuthorizationID: answer.AuthorizationID, ApplicationID: id, DeveloperID: developerID}
	return answer, e.store.CreateLinking(ctx, linking, fingerprint(state))
}

// Linker returns the e-mail address of the developer who links own accounts with an authorisation, empty for an authorisation
// of another kind.
func (e *Engine) Linker(ctx context.Context, authorizationID string) (email string, err error) {
	linking, err := e.store.LinkingOf(ctx, authorizationID)
	if errors.Is(err, aggregator.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	developer, err := e.store.Developer(ctx, linking.DeveloperID)
	return developer.Email, err
}

// FinishLinking takes the developer back who linked own accounts, and returns the application. A pending application becomes
// active, for these accounts alone (spec: Environments and activation).
// ErrLinking: state and code are not those of a linking of this developer, or they were used before; the id is empty where the state is unknown.
func (e *Engine) FinishLinking(ctx context.Context, developerID, state, code string) (id string, err error) {
	linking, err := e.store.Linking(ctx, developerID, fingerprint(state))
	if errors.Is(err, aggregator.ErrNotFound) {
		return "", ErrLinking
	}
	if err != nil {
		return "", err
	}
	if code == "" {
		return linking.ApplicationID, ErrLinking // refused at the bank or on the way there
	}
	return linking.ApplicationID, e.finishLinking(context.WithoutCancel(ctx), linking, code)
}

// sendBack returns the way back of an authorisation that is approved, with its code. A linking that a program asked for ends here:
// it goes back with its authorization_id, and no code is left.
func (e *Engine) sendBack(ctx context.Context, row aggregator.Session, code string) (returnURL string, err error) {
	back := redirect(row.Authorization, "code", code, "state", row.State)
	if row.RedirectURL == e.issuer+LinkedPath {
		return back, nil
	}
	linking, err := e.store.LinkingOf(ctx, row.AuthorizationID)
	if errors.Is(err, aggregator.ErrNotFound) {
		return back, nil
	}
	if err == nil {
		err = e.finishLinking(ctx, linking, code)
	}
	var refused *openbanking.Error
	switch {
	case errors.Is(err, ErrLinking) || errors.As(err, &refused):
		return redirect(row.Authorization, "error", serverError, "state", row.State), nil
	case err != nil:
		return "", err
	}
	return redirect(row.Authorization, "authorization_id", row.AuthorizationID, "state", row.State), nil
}

func (e *Engine) finishLinking(ctx context.Context, linking aggregator.Linking, code string) error {
	row, err := e.store.SessionByCode(ctx, linking.ApplicationID, fingerprint(code))
	if errors.Is(err, aggregator.ErrNotFound) || err == nil && row.AuthorizationID != linking.AuthorizationID {
		return ErrLinking
	}
	if err != nil {
		return err
	}
	if row = row.At(e.now()); redeemable(row.Status) != nil {
		return ErrLinking
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
		return ErrLinking
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
	return shorten(name, 120)
}

// OwnAccounts returns the accounts that are linked to an application of the developer.
func (e *Engine) OwnAccounts(ctx context.Context, developerID, id string) ([]aggregator.OwnAccount, error) {
	if _, err := e.store.OwnApplication(ctx, developerID, id); err != nil {
		return nil, err
	}
	return e.store.OwnAccounts(ctx, id)
}

// Unlink takes an own account from an application of the developer; a restricted one cannot read it from then on.
func (e *Engine) Unlink(ctx context.Context, developerID, id, hash string) error {
	if _, err := e.store.OwnApplication(ctx, developerID, id); err != nil {
		return err
	}
	return e.store.UnlinkAccount(ctx, id, hash)
}

// Banks returns the banks at which the developer may link own accounts, in the order of GET /aspsps.
func (e *Engine) Banks() []openbanking.ASPSPData {
	list := e.list()
	banks := make([]openbanking.ASPSPData, len(list))
	for i, c := range list {
		banks[i] = c.ASPSP().ASPSPData
	}
	return banks
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
