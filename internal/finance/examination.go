package finance

import (
	"slices"
	"time"

	"florin/internal/openbanking"
)

// ExaminationProblem is why an examination did not get as far as the application.
type ExaminationProblem string

// Values of ExaminationProblem. The empty one says that the service knows the application by this key.
const (
	ProblemName        ExaminationProblem = "name"        // no such host
	ProblemRefused     ExaminationProblem = "refused"     // nothing listens there
	ProblemTimeout     ExaminationProblem = "timeout"     // no answer in time
	ProblemCertificate ExaminationProblem = "certificate" // the certificate of the host is not good
	ProblemAddress     ExaminationProblem = "address"     // the host is at an address that is not of the internet
	ProblemUnanswered  ExaminationProblem = "unanswered"  // no answer, for another reason
	ProblemRedirect    ExaminationProblem = "redirect"    // it answers with another address
	ProblemUnreadable  ExaminationProblem = "unreadable"  // it answers, but not as this API does
	ProblemLarge       ExaminationProblem = "large"       // its answer is far too large
	ProblemKey         ExaminationProblem = "key"         // 401: key, id, issuer, audience or clock
	ProblemIP          ExaminationProblem = "ip"          // the application may not be used from this address
	ProblemStatus      ExaminationProblem = "status"      // another refusal
	ProblemOther       ExaminationProblem = "other"       // it answers for another application
	ProblemEnvironment ExaminationProblem = "environment" // it is of no environment that is known
	ProblemSwitched    ExaminationProblem = "switched"    // it is of another environment than the application it would replace
	ProblemOwn         ExaminationProblem = "own"         // Florin could not ask
)

// Examination is what was found out about a provider at a service, as facts without words. Texts in it come from the service: they are cleaned and cut.
type Examination struct {
	At          time.Time `json:"at"`
	RedirectURL string    `json:"redirect_url"`          // that has to be registered
	WebhookURL  string    `json:"webhook_url,omitempty"` // where the service can reach Florin; "" nowhere

	// GET /application.
	Problem   ExaminationProblem `json:"problem,omitempty"`
	Status    int                `json:"status,omitempty"` // of the answer, when there was one
	Code      string             `json:"code,omitempty"`   // of its error
	Said      string             `json:"said,omitempty"`   // its message
	RequestID string             `json:"request_id,omitempty"`
	Clock     bool               `json:"clock,omitempty"` // the service said what time it is
	Ahead     time.Duration      `json:"ahead,omitempty"` // of the own clock; negative: it is behind

	Name            string                  `json:"name,omitempty"`
	ApplicationID   string                  `json:"application_id,omitempty"`
	Environment     openbanking.Environment `json:"environment,omitempty"`
	Active          bool                    `json:"active,omitempty"`
	Services        []openbanking.Service   `json:"services,omitempty"`
	Countries       []string                `json:"countries,omitempty"`
	RedirectURLs    []string                `json:"redirect_urls,omitempty"` // some of them; RedirectAllowed looks at all
	RedirectAllowed bool                    `json:"redirect_allowed,omitempty"`

	// GET /aspsps.
	Banks          int    `json:"banks,omitempty"`
	BanksProblem   bool   `json:"banks_problem,omitempty"`
	BanksCode      string `json:"banks_code,omitempty"`
	BanksSaid      string `json:"banks_said,omitempty"`
	BanksRequestID string `json:"banks_request_id,omitempty"`
}

// Done reports whether there was an examination.
func (e Examination) Done() bool { return !e.At.IsZero() }

// Proved reports whether the service knows the application by its key: only then is a setup used.
func (e Examination) Proved() bool { return e.Done() && e.Problem == "" }

// Healthy reports whether banks can be linked through the provider.
func (e Examination) Healthy() bool {
	return e.Proved() && e.Active && e.RedirectAllowed && slices.Contains(e.Services, openbanking.ServiceAIS) && !e.BanksProblem && e.Banks > 0
}

const (
	// clockTolerance is how far the clocks may differ: a token from more than 60 seconds in the future is refused (api-notes 2).
	clockTolerance = 60 * time.Second
	// clockBehind is how far the own clock may be behind: tokens of an hour are replaced five minutes before they end.
	clockBehind = 5 * time.Minute
)

// ClockWrong reports whether the own clock alone can be why a token is refused.
func (e Examination) ClockWrong() bool {
	return e.Clock && (e.Ahead > clockTolerance || e.Ahead < -clockBehind)
}
