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
	RegistrationURL string // {registration_url}, without a slash at its end
	Issuer          string // iss of application tokens
	Audience        string // aud of application tokens
	ApplicationID   string // kid of application tokens
	RedirectURL     string // registered with the application
	Environment     openbanking.Environment
	PrivateKey      Secret // PKCS#8 PEM
	Created         time.Time
	Updated         time.Time
}

// Simulated reports whether the banks of the provider are simulations: no real money is shown.
func (p Provider) Simulated() bool { return p.Environment != openbanking.EnvironmentProduction }
