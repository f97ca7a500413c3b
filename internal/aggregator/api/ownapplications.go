package api

import (
	"encoding/base64"
	"errors"
	"math/big"
	"net/http"

	"florin/internal/aggregator"
	"florin/internal/aggregator/registry"
	"florin/internal/apptoken"
	"florin/internal/openbanking"
)

// panelApplication is an application as its developer sees it (api-notes 3).
type panelApplication struct {
	Name                string                                `json:"name"`
	Description         *string                               `json:"description"`
	PrivacyURL          *string                               `json:"privacy_url"`
	TermsURL            *string                               `json:"terms_url"`
	GDPREmail           *string                               `json:"gdpr_email"`
	Kid                 string                                `json:"kid"`
	Certificate         *panelCertificate                     `json:"certificate"`
	Environment         openbanking.Environment               `json:"environment"`
	RedirectURLs        openbanking.List[string]              `json:"redirect_urls"`
	Services            openbanking.List[openbanking.Service] `json:"services"`
	Active              bool                                  `json:"active"`
	Created             string                                `json:"created"`
	Creator             panelPerson                           `json:"creator"`
	WhitelistedAccounts openbanking.List[panelAccount]        `json:"whitelisted_accounts"`
	ConsentOrigins      openbanking.List[string]              `json:"consent_origins"`
	WebhookOrigins      openbanking.List[string]              `json:"webhook_origins"`
	PendingActionType   *string                               `json:"pendingActionType"`
}

// panelCertificate is the newest key with which the application signs its tokens: as it was registered, and as a JWK (RFC 7517).
type panelCertificate struct {
	Source string       `json:"source"`
	JWK    rsaPublicJWK `json:"jwk"`
}

type rsaPublicJWK struct {
	Kty string `json:"kty"`
	Use string `json:"use"`
	Alg string `json:"alg"`
	Kid string `json:"kid"`
	N   string `json:"n"`
	E   string `json:"e"`
}

type panelPerson struct {
	Email string `json:"email"`
}

type panelAccount struct {
	Title              string            `json:"title"`
	IdentificationHash string            `json:"identification_hash"`
	ASPSP              openbanking.ASPSP `json:"aspsp"`
	Linker             panelPerson       `json:"linker"` // always the creator: nobody else can link accounts
	Created            string            `json:"created"`
}

// pendingActivation is the pendingActionType of an application that waits for its activation; else it is null (our decision).
const pendingActivation = "ACTIVATION"

func describe(o registry.OwnApplication) (panelApplication, error) {
	creator := panelPerson{o.Owner.Email}
	answer := panelApplication{
		Name:           o.Name,
		Description:    optional(o.Description),
		PrivacyURL:     optional(o.PrivacyURL),
		TermsURL:       optional(o.TermsURL),
		GDPREmail:      optional(o.GDPREmail),
		Kid:            o.ID,
		Environment:    o.Environment,
		RedirectURLs:   o.RedirectURLs,
		Services:       o.Services,
		Active:         o.Active(),
		Created:        o.CreatedAt.UTC().Format(timestampLayout),
		Creator:        creator,
		WebhookOrigins: o.WebhookOrigins,
	}
	for _, a := range o.Accounts {
		answer.WhitelistedAccounts = append(answer.WhitelistedAccounts, panelAccount{a.Label, a.Hash, a.ASPSP, creator, a.Linked.UTC().Format(timestampLayout)})
	}
	if o.Status == aggregator.ApplicationPending {
		answer.PendingActionType = optional(pendingActivation)
	}
	for _, k := range o.Keys { // the oldest first
		if !k.Ended.IsZero() {
			continue
		}
		public, err := apptoken.ParsePublic([]byte(k.PEM))
		if err != nil {
			return answer, err
		}
		answer.Certificate = &panelCertificate{Source: k.PEM, JWK: rsaPublicJWK{
			Kty: "RSA", Use: "sig", Alg: "RS256", Kid: o.ID,
			N: base64.RawURLEncoding.EncodeToString(public.N.Bytes()),
			E: base64.RawURLEncoding.EncodeToString(big.NewInt(int64(public.E)).Bytes()),
		}}
	}
	return answer, nil
}

// ownApplications is GET /api/applications: the applications of the developer, the newest first.
func (a *api) ownApplications(r *request) (any, error) {
	apps, err := a.registry.DescribeOwnApplications(r.Context(), r.DeveloperID)
	if err != nil {
		return nil, err
	}
	list := make(openbanking.List[panelApplication], len(apps))
	for i, app := range apps {
		if list[i], err = describe(app); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// ownApplication is GET /api/application/{id}.
func (a *api) ownApplication(r *request) (any, error) {
	app, err := a.registry.DescribeOwnApplication(r.Context(), r.DeveloperID, pathID(r, "id"))
	if err != nil {
		return nil, notYours(err)
	}
	return describe(app)
}

// deleteApplication is DELETE /api/applications/ with the id in its body.
func (a *api) deleteApplication(r *request) (any, error) {
	var body struct {
		AppID string `json:"appId"`
	}
	if err := a.decode(r, &body); err != nil {
		return nil, err
	}
	return done, notYours(a.registry.Delete(r.Context(), r.DeveloperID, body.AppID))
}

// linkAccounts is POST /api/link_accounts, a form: it begins to link own accounts, and answers where the developer's browser goes.
func (a *api) linkAccounts(r *request) (any, error) {
	form, err := form(r)
	if err != nil {
		return nil, err
	}
	var values [4]string
	for i, name := range []string{"appId", "country", "aspsp", "psuType"} {
		if values[i], err = form.need(name); err != nil {
			return nil, err
		}
	}
	if _, err := takeEnum[openbanking.PSUType](form, "psuType"); err != nil {
		return nil, err
	}
	returnURL, err := form.take("redirectUrl")
	if err != nil {
		return nil, err
	}
	answer, err := a.registry.StartLinking(r.Context(), r.DeveloperID, values[0], registry.LinkingRequest{
		ASPSP: openbanking.ASPSP{Name: values[2], Country: values[1]}, PSUType: openbanking.PSUType(values[3]), ReturnURL: returnURL,
	})
	return answer, notYours(err)
}

// unlinkAccounts is POST /api/unlink_accounts, a form.
func (a *api) unlinkAccounts(r *request) (any, error) {
	form, err := form(r)
	if err != nil {
		return nil, err
	}
	id, err := form.need("appId")
	if err != nil {
		return nil, err
	}
	hash, err := form.need("identificationHash")
	if err != nil {
		return nil, err
	}
	if _, err := a.registry.OwnApplication(r.Context(), r.DeveloperID, id); err != nil {
		return nil, notYours(err)
	}
	err = a.registry.Unlink(r.Context(), r.DeveloperID, id, hash)
	if errors.Is(err, aggregator.ErrNotFound) {
		err = &openbanking.Error{Status: http.StatusNotFound, Message: "No account with this identificationHash is linked to the application"}
	}
	return done, err
}

// done is the answer of a call that returns no data.
var done = openbanking.SuccessResponse{Message: "OK"}

// notYours returns the error for an application that does not exist or belongs to another developer. The two cannot be told apart.
func notYours(err error) error {
	if errors.Is(err, aggregator.ErrNotFound) {
		return &openbanking.Error{Status: http.StatusNotFound, Message: "You have no application with this id"}
	}
	return err
}
