package registry

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
)

// LinkedPath is where the hosted pages send a developer back who links own accounts, below the registration URL.
const LinkedPath = "/panel/linked"

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
func (r *Registry) StartLinking(ctx context.Context, developerID, id string, req LinkingRequest) (openbanking.StartAuthorizationResponse, error) {
	app, err := r.store.OwnApplication(ctx, developerID, id)
	if err != nil {
		return openbanking.StartAuthorizationResponse{}, err
	}
	back := cmp.Or(req.ReturnURL, r.issuer+LinkedPath)
	if back != r.issuer+LinkedPath && !slices.Contains(app.RedirectURLs, back) && !slices.Contains(r.continueURLs, back) {
		return openbanking.StartAuthorizationResponse{}, openbanking.RedirectURINotAllowed
	}
	return r.authorizations.StartLinking(ctx, app, developerID, back, req.ASPSP, req.PSUType)
}

// Linker returns the e-mail address of the developer who links own accounts with an authorisation, empty for an authorisation
// of another kind.
func (r *Registry) Linker(ctx context.Context, authorizationID string) (email string, err error) {
	linking, err := r.store.LinkingOf(ctx, authorizationID)
	if errors.Is(err, aggregator.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	developer, err := r.store.Developer(ctx, linking.DeveloperID)
	return developer.Email, err
}

// FinishLinking takes the developer back who linked own accounts, and returns the application.
// aggregator.ErrLinking: state and code are not those of a linking of this developer, or they were used before; the id is empty where the state is unknown.
func (r *Registry) FinishLinking(ctx context.Context, developerID, state, code string) (id string, err error) {
	linking, err := r.store.Linking(ctx, developerID, aggregator.Fingerprint(state))
	if errors.Is(err, aggregator.ErrNotFound) {
		return "", aggregator.ErrLinking
	}
	if err != nil {
		return "", err
	}
	if code == "" {
		return linking.ApplicationID, aggregator.ErrLinking // refused at the bank or on the way there
	}
	return linking.ApplicationID, r.authorizations.FinishLinking(context.WithoutCancel(ctx), linking, code)
}

// OwnAccounts returns the accounts that are linked to an application of the developer.
func (r *Registry) OwnAccounts(ctx context.Context, developerID, id string) ([]aggregator.OwnAccount, error) {
	if _, err := r.store.OwnApplication(ctx, developerID, id); err != nil {
		return nil, err
	}
	return r.store.OwnAccounts(ctx, id)
}

// Unlink takes an own account from an application of the developer; a restricted one cannot read it from then on.
func (r *Registry) Unlink(ctx context.Context, developerID, id, hash string) error {
	if _, err := r.store.OwnApplication(ctx, developerID, id); err != nil {
		return err
	}
	return r.store.UnlinkAccount(ctx, id, hash)
}

// Banks returns the banks at which the developer may link own accounts, in the order of GET /aspsps.
func (r *Registry) Banks() []openbanking.ASPSPData {
	list := r.list()
	banks := make([]openbanking.ASPSPData, len(list))
	for i, c := range list {
		banks[i] = c.ASPSP().ASPSPData
	}
	return banks
}
