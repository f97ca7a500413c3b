// Package registry knows who uses the aggregation service: developers with their sign-ins, the operator, applications with their
// keys, settings and linked accounts, and the log of their requests. What an application may ask of banks is the engine's. A form
// that breaks a rule comes back as Problems.
package registry

import (
	"context"
	"crypto/rand"
	"log/slog"
	"strings"
	"time"

	"florin/internal/aggregator"
	"florin/internal/aggregator/storage"
	"florin/internal/openbanking"
)

// Authorizations is what the registry asks of authorisations and their sessions; *engine.Engine is one.
type Authorizations interface {
	// StartLinking begins an authorisation that links own accounts of a developer to an application.
	StartLinking(ctx context.Context, app aggregator.Application, developerID, returnURL string, at openbanking.ASPSP,
		psuType openbanking.PSUType) (openbanking.StartAuthorizationResponse, error)
	// FinishLinking links the accounts of such an authorisation by its code, or returns aggregator.ErrLinking.
	FinishLinking(ctx context.Context, linking aggregator.Linking, code string) error
	// EndOrphans ends the sessions whose application was deleted.
	EndOrphans(ctx context.Context) error
}

// Options is what a Registry is made of. Store, Authorizations, List, RegistrationURL and Secrets are needed.
type Options struct {
	Store           *storage.Store
	Authorizations  Authorizations
	List            func() []aggregator.Connector // in the order of GET /aspsps
	RegistrationURL string                        // public address of the registration API and the control panel
	Secrets         Secrets
	Mail            func(Mail)       // takes a mail to be sent and does not wait; nil: no mail is written
	SignUpDomains   []string         // of the e-mail addresses that may sign in to the control panel; none: all
	ContinueURLs    []string         // redirect addresses of programs that use the panel's API, to the letter
	KeysChanged     func(id string)  // told after the keys of an application have changed; may be nil
	Now             func() time.Time // nil: time.Now
	Log             *slog.Logger     // nil: nothing is logged
}

// Secrets are the keys of a Registry, each of 32 random bytes and for one purpose.
type Secrets struct {
	Operator  [32]byte // operator tokens: a new one ends those that are out
	Developer [32]byte // id tokens of developers: a new one ends those that are out
}

// NewSecrets makes new keys.
func NewSecrets() Secrets {
	var s Secrets
	rand.Read(s.Operator[:]) // never fails, see crypto/rand
	rand.Read(s.Developer[:])
	return s
}

// Registry is safe for concurrent use; all its state is in the Store, but for requests that wait to be written there.
type Registry struct {
	store          *storage.Store
	authorizations Authorizations
	list           func() []aggregator.Connector
	issuer         string // of bearers of the registration API, and the address of the control panel
	secrets        Secrets
	mail           func(Mail)
	domains        []string
	continueURLs   []string
	keysChanged    func(string)
	wakeWebhooks   func()
	requests       requestBuffer
	clock          func() time.Time
	log            *slog.Logger
}

// New returns a Registry. It panics when an option that is needed is missing.
func New(o Options) *Registry {
	if o.Store == nil || o.Authorizations == nil || o.List == nil || o.RegistrationURL == "" || o.Secrets == (Secrets{}) {
		panic("registry: an option is missing")
	}
	r := &Registry{
		store:          o.Store,
		authorizations: o.Authorizations,
		list:           o.List,
		issuer:         strings.TrimSuffix(o.RegistrationURL, "/"),
		secrets:        o.Secrets,
		mail:           o.Mail,
		domains:        o.SignUpDomains,
		continueURLs:   o.ContinueURLs,
		keysChanged:    o.KeysChanged,
		wakeWebhooks:   func() {},
		clock:          o.Now,
		log:            o.Log,
	}
	if r.mail == nil {
		r.mail = func(Mail) {}
	}
	if r.keysChanged == nil {
		r.keysChanged = func(string) {}
	}
	if r.clock == nil {
		r.clock = time.Now
	}
	if r.log == nil {
		r.log = slog.New(slog.DiscardHandler)
	}
	return r
}

// OnWebhooks sets what is called when an event is to be delivered again. Call it before anything else.
func (r *Registry) OnWebhooks(wake func()) { r.wakeWebhooks = wake }

// now is the time of the registry as rows hold it: UTC, to the millisecond.
func (r *Registry) now() time.Time { return r.clock().UTC().Truncate(time.Millisecond) }
