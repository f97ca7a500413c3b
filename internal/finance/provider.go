package finance

import (
	"time"

	"florin/internal/openbanking"
)

// EmbeddedProvider is the id of the provider that is this program's own aggregation service.
const EmbeddedProvider = "embedded"

// Provider is one registration of Florin with an aggregation service: a base address and an application there.
// Its callback path is /callback/{ID}, so that answers of two services cannot be mixed up (security T12).
type Provider struct {
	ID              string
	Name            string // shown
	BaseURL         string // {base_url} of the specification, without a slash at its end
	RegistrationURL string // {registration_url}, without a slash at its end; "" where Florin does not register by itself
	Issuer          string // iss of application tokens
	Audience        string // aud of application tokens
	ApplicationID   string // kid of application tokens
	RedirectURL     string // registered with the application
	Environment     openbanking.Environment
	PrivateKey      Secret // PKCS#8 PEM; "" once the provider is removed
	Examination     Examination
	Created         time.Time
	Updated         time.Time
	Removed         time.Time // zero for one that is in use
}

// Simulated reports whether the banks of the provider are simulations: no real money is shown.
func (p Provider) Simulated() bool { return p.Environment != openbanking.EnvironmentProduction }

// ProviderSetup is a provider that is being set up, or another registration for one that exists: it is used for nothing until its key was proved.
type ProviderSetup struct {
	ID            string // of the provider that it becomes
	Name          string
	BaseURL       string
	Issuer        string
	Audience      string
	ApplicationID string // "" until the person has it
	PrivateKey    Secret // PKCS#8 PEM
	Certificate   string // PEM, to be registered; "" for a key that was brought along, which is registered already
	Examination   Examination
	Created       time.Time
	Updated       time.Time
}

// Provider returns the provider that the setup becomes, once the service has said which environment it is.
func (s ProviderSetup) Provider(redirectURL string, environment openbanking.Environment) Provider {
	return Provider{
		ID: s.ID, Name: s.Name, BaseURL: s.BaseURL, Issuer: s.Issuer, Audience: s.Audience, ApplicationID: s.ApplicationID,
		RedirectURL: redirectURL, Environment: environment, PrivateKey: s.PrivateKey, Examination: s.Examination,
	}
}

// ProviderUse counts what depends on a provider, over all users.
type ProviderUse struct {
	Connections int // that bring data
	Payments    int // that are not at their end
	History     int // connections and payments of any state, and attempts
}

// Open reports whether something still needs the provider.
func (u ProviderUse) Open() bool { return u.Connections+u.Payments > 0 }
