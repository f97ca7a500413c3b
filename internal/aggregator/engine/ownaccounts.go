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

// LinkedPath is where the hosted pages send a developer back who links own accounts, below the registration URL.
const LinkedPath = "/panel/linked"

// linkingValidity is how long the consent of a linking lasts at most; it ends as soon as the accounts are known.
const linkingValidity = time.Hour

// ErrLinking is the error of a return from the hosted pages that links nothing.
var ErrLinking = errors.New("the accounts were not linked")

// StartLinking begins to link own accounts to an application of the developer, by the flow of every authorisation, and
// returns the address for the developer's browser. Its errors are those of POST /auth.
func (e *Engine) StartLinking(ctx context.Context, developerID, id string, bank openbanking.ASPSP, psuType openbanking.PSUType) (url string, err error) {
	app, err := e.store.OwnApplication(ctx, developerID, id)
	if err != nil {
		return "", err
	}
	connector, ok := e.connectors(bank)
	if !ok {
		return "", openbanking.WrongASPSPProvided
	}
	validity := min(linkingValidity, time.Duration(connector.ASPSP().MaximumConsentValidity)*time.Second)
	state, no := rand.Text(), false
	// The way back and the rules are those of the control panel, not of the application, which may not even be active yet.
	app.RedirectURLs, app.Restricted = []string{e.issuer + LinkedPath}, false
	answer, err := e.StartAuthorization(ctx, app, openbanking.StartAuthorizationRequest{
		Access: openbanking.Access{
			ValidUntil:   openbanking.DateTime{Time: e.now().Add(validity).Truncate(time.Second)},
			Balances:     &no,
			Transactions: &no,
		},
		ASPSP:       bank,
		State:       state,
		RedirectURL: e.issuer + LinkedPath,
		PSUType:     &psuType,
		PSUID:       &developerID,
	})
	if err != nil {
		return "", err
	}
	linking := aggregator.Linking{AuthorizationID: answer.AuthorizationID, ApplicationID: id, DeveloperID: developerID}
	return answer.URL, e.store.CreateLinking(ctx, linking, fingerprint(state))
}

// FinishLinking takes the developer back who linked own accounts, and returns the application and how many accounts
// there are. A pending application becomes active, for these accounts alone (spec: Environments and activation).
// ErrLinking: state and code are not those of a linking of this developer, or they were used before; the id is empty where the state is unknown.
func (e *Engine) FinishLinking(ctx context.Context, developerID, state, code string) (id string, count int, err error) {
	linking, err := e.store.Linking(ctx, developerID, fingerprint(state))
	if errors.Is(err, aggregator.ErrNotFound) {
		return "", 0, ErrLinking
	}
	if err != nil {
		return "", 0, err
	}
	id = linking.ApplicationID
	if code == "" {
		return id, 0, ErrLinking // refused at the bank or on the way there
	}
	ctx = context.WithoutCancel(ctx)
	row, err := e.store.SessionByCode(ctx, id, fingerprint(code))
	if errors.Is(err, aggregator.ErrNotFound) || err == nil && row.AuthorizationID != linking.AuthorizationID {
		return id, 0, ErrLinking
	}
	if err != nil {
		return id, 0, err
	}
	if row = row.At(e.now()); redeemable(row.Status) != nil {
		return id, 0, ErrLinking
	}
	connector, err := e.connector(row.ASPSP)
	if err != nil {
		return id, 0, err
	}
	accounts, err := connector.Accounts(ctx, row.Consent, nil)
	if err != nil {
		return id, 0, e.bankError(row.ASPSP, "list of own accounts", err)
	}
	row.SessionID, row.Authorized = uuid.NewString(), e.now()
	if err := e.store.Redeem(ctx, row, nil); errors.Is(err, aggregator.ErrNotFound) {
		return id, 0, ErrLinking
	} else if err != nil {
		return id, 0, err
	}
	var own []aggregator.OwnAccount
	for _, account := range accounts {
		if hashes := e.identificationHashes(row.ASPSP, account.Identifiers); len(hashes) > 0 {
			own = append(own, aggregator.OwnAccount{Hash: hashes[0], ASPSP: row.ASPSP, Label: label(account), Linked: row.Authorized})
		}
	}
	if len(own) > 0 {
		if err := e.store.LinkAccounts(ctx, id, own); err != nil {
			return id, 0, err
		}
	}
	if err := e.store.End(ctx, row.AuthorizationID, aggregator.EventClosed, e.now()); err != nil && !errors.Is(err, aggregator.ErrNotFound) {
		return id, 0, err
	}
	e.endConsent(ctx, row)
	return id, len(own), nil
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
