package aggregator

import (
	"errors"
	"net/netip"
	"slices"
	"time"

	"florin/internal/openbanking"
)

// Application is a registered API client (spec: Application).
type Application struct {
	ID             string // UUID; the kid of its tokens
	OwnerID        string // the developer who registered it; empty: the operator
	Name           string
	Description    string
	Environment    openbanking.Environment
	Status         ApplicationStatus
	RedirectURLs   []string // compared by exact string match
	WebhookOrigins []string
	AllowedIPs     []netip.Prefix // from where its tokens are good; none: from everywhere
	Services       []openbanking.Service
	Restricted     bool // own accounts only: others are left out of its sessions (api-notes 5)
	GDPREmail      string
	PrivacyURL     string
	TermsURL       string
	CreatedAt      time.Time
}

// Active reports whether the application may call the API.
func (a Application) Active() bool { return a.Status == ApplicationActive }

// MayCallFrom reports whether the application may call from the address. Without a list of addresses it may call from anywhere, also from an invalid
// address.
func (a Application) MayCallFrom(address netip.Addr) bool {
	return len(a.AllowedIPs) == 0 ||
		slices.ContainsFunc(a.AllowedIPs, func(p netip.Prefix) bool { return p.Contains(address.Unmap()) })
}

// ApplicationStatus is where an application stands (spec: Environments and activation).
type ApplicationStatus string

// The states of an application.
const (
	ApplicationPending ApplicationStatus = "PENDING" // PRODUCTION that is neither approved nor has an own account linked
	ApplicationActive  ApplicationStatus = "ACTIVE"
	ApplicationPaused  ApplicationStatus = "PAUSED"  // by its owner
	ApplicationDeleted ApplicationStatus = "DELETED" // the row stays, because its sessions refer to it
)

// An ApplicationEvent moves an application from one state to another.
type ApplicationEvent string

// The events of an application.
const (
	ApplicationApproved ApplicationEvent = "approved by the operator"
	ApplicationLinked   ApplicationEvent = "own account linked"
	ApplicationPause    ApplicationEvent = "paused by its owner"
	ApplicationResume   ApplicationEvent = "resumed by its owner"
)

// applicationTransitions are the only moves there are, apart from the end of an application, which is possible from every state.
var applicationTransitions = map[ApplicationEvent]struct{ from, to ApplicationStatus }{
	ApplicationApproved: {ApplicationPending, ApplicationActive},
	ApplicationLinked:   {ApplicationPending, ApplicationActive},
	ApplicationPause:    {ApplicationActive, ApplicationPaused},
	ApplicationResume:   {ApplicationPaused, ApplicationActive},
}

// ApplicationTransition returns the only state in which event may happen and the state that it leads to. Storage applies
// it with a guarded update.
func ApplicationTransition(event ApplicationEvent) (from, to ApplicationStatus) {
	t, ok := applicationTransitions[event]
	if !ok {
		panic("aggregator: unknown application event " + string(event))
	}
	return t.from, t.to
}

// MaxKeys is how many keys of an application are good at the same time: the one in use and the one that replaces it.
const MaxKeys = 2

// ApplicationKey is a public key that verifies the tokens of an application.
type ApplicationKey struct {
	ID      string // UUID
	PEM     string // certificate or public key, as registered
	Created time.Time
	Ended   time.Time // zero while it is good
}

// OwnAccount is an account that the owner of an application linked to it.
type OwnAccount struct {
	Hash   string // main identification hash
	ASPSP  openbanking.ASPSP
	Label  string // for its owner: name and the last characters of its number
	Linked time.Time
}

// ErrLinking is the error of a return from the hosted pages that links nothing.
var ErrLinking = errors.New("the accounts were not linked")

// Linking is an authorisation by which a developer links own accounts to an application.
type Linking struct {
	AuthorizationID string
	ApplicationID   string
	DeveloperID     string
}
