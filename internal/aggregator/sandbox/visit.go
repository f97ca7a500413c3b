package sandbox

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
)

const (
	visitLifetime  = 15 * time.Minute
	deviceLifetime = 5 * time.Minute // for the approval on another device
	codeLifetime   = 5 * time.Minute // from the approval to FinishConsent
	maxFailures    = 5               // wrong attempts that block (Delegated Regulation (EU) 2018/389, article 4)
)

// Errors of a visit. A page shows each in its own words.
var (
	// ErrNoVisit says that there is no visit with this id.
	ErrNoVisit = errors.New("sandbox: no such visit")
	// ErrWrongPassword says that the user or the password is wrong, but not which.
	ErrWrongPassword = errors.New("sandbox: wrong user or password")
	// ErrWrongOTP says that the one-time code is wrong.
	ErrWrongOTP = errors.New("sandbox: wrong one-time code")
	// ErrNothingChosen says that an approval names no account.
	ErrNothingChosen = errors.New("sandbox: no account chosen")
	// ErrNotAChoice says that an approval names an account that Choices does not offer.
	ErrNotAChoice = errors.New("sandbox: this account cannot be chosen")
)

// StepError says that the visit is at another step than requested. The page of Step should be shown.
type StepError struct{ Step aggregator.BankFlowStep }

func (e *StepError) Error() string { return fmt.Sprintf("sandbox: the visit is at step %q", e.Step) }

// EndedError says that the visit has ended without an approval: blocked after wrong attempts, or expired. ReturnURL takes the PSU back to the service with an
// error; it is empty on another device, which does not go back.
type EndedError struct {
	Blocked   bool // else it has expired
	ReturnURL string
	Language  string // of the visit: a two-letter code, or empty
	Payment   bool   // the visit was about a payment
}

func (e *EndedError) Error() string {
	if e.Blocked {
		return "sandbox: the visit is blocked after too many wrong attempts"
	}
	return "sandbox: the visit is out of time"
}

// Visit is a PSU's visit to a bank's own site, with the contents of its pages.
type Visit struct {
	ID              string
	Bank            *Bank
	Step            aggregator.BankFlowStep
	State           string // the state of the service's request
	ApplicationName string
	PSUType         openbanking.PSUType
	Language        string // two-letter code, or empty
	Balances        bool   // requested by the service
	Transactions    bool
	ListOnly        bool      // the bank only gives the list of accounts, whatever was requested
	ValidUntil      time.Time // of the consent at the bank
	Device          bool      // the PSU uses another device than the waiting one (DECOUPLED), and does not go back
	Check           string    // of a Device: digits that the waiting page shows as well
	Username        string    // the user expected to sign in, or empty
	Holder          string    // the signed-in user; empty before
	AttemptsLeft    int
	Expires         time.Time
	Order           *aggregator.PaymentOrder // the payment to approve; nil for access to accounts
	Payees          []aggregator.PayeeCheck  // of an Order: one for each transaction, in order; none when the bank does not check
	Message         string                   // at the step BankFlowOTP of an Order: the message with the code to the PSU's device
}

// Visit returns the visit with that id, at any step. Errors: ErrNoVisit, also for an authorisation that does not use the bank's site; *EndedError when it has
// ended.
func (s *Sandbox) Visit(ctx context.Context, flowID string) (Visit, error) {
	flow, err := s.flow(ctx, flowID)
	if err != nil {
		return Visit{}, err
	}
	bank, err := s.ended(flow)
	if err != nil {
		return Visit{}, err
	}
	approach := bank.approach(flow)
	if approach == openbanking.AuthenticationApproachEmbedded || flow.Step == aggregator.BankFlowIdentify {
		return Visit{}, ErrNoVisit
	}
	v := Visit{
		ID:              flow.ID,
		Bank:            bank,
		Step:            flow.Step,
		State:           flow.Request.State,
		ApplicationName: flow.Request.ApplicationName,
		PSUType:         flow.Request.PSUType,
		Language:        flow.Request.Language,
		Balances:        flow.Request.Balances,
		Transactions:    flow.Request.Transactions,
		ListOnly:        bank.listsOnly(flow),
		ValidUntil:      bank.consentEnd(flow),
		AttemptsLeft:    max(0, maxFailures-flow.Failures),
		Expires:         flow.Expires,
	}
	if v.Device = approach == openbanking.AuthenticationApproachDecoupled; v.Device {
		v.Check = checkDigits(flow)
	}
	if flow.Step == aggregator.BankFlowSignIn {
		v.Username = flow.Username
	} else if u := bank.user(flow.Username); u != nil {
		v.Holder = u.Name
	}
	if v.Order = flow.Order; v.Order != nil {
		v.Payees = bank.checks(flow.Order)
		if flow.Step == aggregator.BankFlowOTP {
			v.Message = message(flow)
		}
	}
	return v, nil
}

// SignIn checks user name and password. The visit then continues with the one-time code; or with the approval when the user has no code, is on another
// device, or has an order to approve, whose code comes later. Errors: ErrWrongPassword, which counts as a wrong attempt; *EndedError after the fifth, which
// blocks the visit; *StepError at any other step.
func (s *Sandbox) SignIn(ctx context.Context, flowID, username, password string) error {
	return s.attempt(ctx, flowID, aggregator.BankFlowSignIn, func(bank *Bank, flow *aggregator.BankFlow) error {
		u := bank.user(username)
		device := bank.approach(*flow) == openbanking.AuthenticationApproachDecoupled
		if u == nil || !same(u.Password, password) || u.PSUType != flow.Request.PSUType || device && u.Username != flow.Username {
			return ErrWrongPassword
		}
		flow.Username = u.Username
		flow.Step = aggregator.BankFlowOTP
		if u.OTP == "" || device || flow.Order != nil {
			flow.Step = aggregator.BankFlowApproval
		}
		if flow.Order != nil {
			flow.Expires = s.now().Add(orderIdle)
		}
		return nil
	})
}

// CheckOTP checks the one-time code. For a consent the visit then continues with the approval. For an order it approves the order, and returns where to send
// the PSU: back to the service, or "" when the service waits for the approval. ErrWrongOTP is counted like the error of SignIn.
func (s *Sandbox) CheckOTP(ctx context.Context, flowID, code string) (returnURL string, err error) {
	err = s.attemptOrder(ctx, flowID, aggregator.BankFlowOTP,
		func(bank *Bank, flow *aggregator.BankFlow, orders aggregator.BankOrders) (*aggregator.BankOrder, error) {
			if flow.Order != nil {
				if flow.Expires = s.now().Add(orderIdle); !same(orderCode(*flow), code) {
					return nil, ErrWrongOTP
				}
				var order *aggregator.BankOrder
				var err error
				order, returnURL, err = s.approveOrder(bank, flow, orders)
				return order, err
			}
			u := bank.user(flow.Username)
			if u == nil || !same(u.OTP, code) {
				return nil, ErrWrongOTP
			}
			flow.Step = aggregator.BankFlowApproval
			return nil, nil
		})
	return returnURL, err
}

// Choices returns the accounts that the PSU can approve: all of the user, or the requested ones, which are preselected. For an order it returns those that
// can pay it, or the one that it names, with what can be spent. It may return none, when the user has none of the requested ones. The error is a *StepError
// before and after the approval.
func (s *Sandbox) Choices(ctx context.Context, flowID string) ([]aggregator.AccountChoice, error) {
	flow, err := s.flow(ctx, flowID)
	if err != nil {
		return nil, err
	}
	bank, err := s.at(flow, aggregator.BankFlowApproval)
	if err != nil {
		return nil, err
	}
	if flow.Order != nil {
		return bank.orderChoices(flow, s.ordersOf(ctx))
	}
	return bank.choices(flow), nil
}

// Approve grants the consent for the accounts with these references and returns where to send the PSU: back to the service with a code, or "" when the
// service waits for the approval. Errors: ErrNothingChosen, ErrNotAChoice, *StepError.
func (s *Sandbox) Approve(ctx context.Context, flowID string, references []string) (returnURL string, err error) {
	code := secret()
	err = s.change(ctx, flowID, func(flow *aggregator.BankFlow) error {
		bank, err := s.at(*flow, aggregator.BankFlowApproval)
		if err == nil && flow.Order != nil {
			err = &StepError{flow.Step}
		}
		if err != nil {
			return err
		}
		var chosen []string
		for _, c := range bank.choices(*flow) {
			if slices.Contains(references, c.Reference) || !bank.Chooses() {
				chosen = append(chosen, c.Reference)
			}
		}
		for _, r := range references {
			if !slices.Contains(chosen, r) {
				return ErrNotAChoice
			}
		}
		if len(chosen) == 0 {
			return ErrNothingChosen
		}
		flow.Step = aggregator.BankFlowApproved
		flow.Accounts = chosen
		flow.Expires = s.now().Add(codeLifetime)
		if bank.approach(*flow) != openbanking.AuthenticationApproachRedirect {
			flow.CodeHash = hash(flow.ID)
			return nil
		}
		flow.CodeHash = hash(code)
		returnURL = back(*flow, url.Values{"code": {code}})
		return nil
	})
	if err != nil {
		return "", err
	}
	return returnURL, nil
}

// Decline ends the visit at any step before the approval and returns where to send the PSU: back to the service with the error access_denied. Repeating it
// returns the same.
func (s *Sandbox) Decline(ctx context.Context, flowID string) (returnURL string, err error) {
	err = s.change(ctx, flowID, func(flow *aggregator.BankFlow) error {
		bank, err := s.ended(*flow)
		if err != nil {
			return err
		}
		switch flow.Step {
		case aggregator.BankFlowSignIn, aggregator.BankFlowOTP, aggregator.BankFlowApproval, aggregator.BankFlowDeclined:
		default:
			return &StepError{flow.Step}
		}
		flow.Step = aggregator.BankFlowDeclined
		if bank.approach(*flow) == openbanking.AuthenticationApproachRedirect {
			returnURL = denied(*flow)
		}
		return nil
	})
	return returnURL, err
}

// attempt runs check within the transaction that counts its failures, so that no parallel attempt escapes the count.
func (s *Sandbox) attempt(ctx context.Context, flowID string, step aggregator.BankFlowStep, check func(*Bank, *aggregator.BankFlow) error) error {
	return s.attemptOrder(ctx, flowID, step, func(bank *Bank, flow *aggregator.BankFlow, _ aggregator.BankOrders) (*aggregator.BankOrder, error) {
		return nil, check(bank, flow)
	})
}

// attemptOrder is attempt for a check that can approve an order.
func (s *Sandbox) attemptOrder(
	ctx context.Context, flowID string, step aggregator.BankFlowStep,
	check func(*Bank, *aggregator.BankFlow, aggregator.BankOrders) (*aggregator.BankOrder, error),
) error {
	var outcome error
	err := s.changeOrder(ctx, flowID, func(flow *aggregator.BankFlow, orders aggregator.BankOrders) (order *aggregator.BankOrder, err error) {
		bank, err := s.at(*flow, step)
		if err != nil {
			return nil, err
		}
		if order, outcome = check(bank, flow, orders); outcome == nil {
			return order, nil
		}
		if !errors.Is(outcome, ErrWrongPassword) && !errors.Is(outcome, ErrWrongOTP) {
			return nil, outcome
		}
		if flow.Failures++; flow.Failures >= maxFailures {
			flow.Step = aggregator.BankFlowBlocked
			_, outcome = s.ended(*flow)
		}
		return nil, nil
	})
	if err != nil {
		return err
	}
	return outcome
}

func (s *Sandbox) flow(ctx context.Context, id string) (aggregator.BankFlow, error) {
	flow, err := s.flows.BankFlow(ctx, id)
	if errors.Is(err, aggregator.ErrNotFound) {
		return flow, ErrNoVisit
	}
	return flow, err
}

func (s *Sandbox) change(ctx context.Context, id string, change func(*aggregator.BankFlow) error) error {
	return noVisit(s.flows.UpdateBankFlow(ctx, id, change))
}

func noVisit(err error) error {
	if errors.Is(err, aggregator.ErrNotFound) {
		return ErrNoVisit
	}
	return err
}

// ended returns the bank of the flow. Errors: *EndedError when the visit is blocked or expired, ErrNoVisit when the bank is no longer in the catalogue.
func (s *Sandbox) ended(flow aggregator.BankFlow) (*Bank, error) {
	bank, ok := s.byASPSP[flow.ASPSP]
	if !ok {
		return nil, ErrNoVisit
	}
	ended := &EndedError{Language: flow.Request.Language, Payment: flow.Order != nil}
	parameters := url.Values{"error": {"server_error"}, "error_description": {"The visit to the bank took too long"}}
	switch flow.Step {
	case aggregator.BankFlowBlocked:
		ended.Blocked = true
		parameters = url.Values{"error": {"access_denied"}, "error_description": {"Too many wrong attempts at the bank"}}
	case aggregator.BankFlowIdentify, aggregator.BankFlowSignIn, aggregator.BankFlowOTP, aggregator.BankFlowApproval:
		if s.now().Before(flow.Expires) {
			return bank, nil
		}
	default:
		return bank, nil
	}
	if bank.approach(flow) == openbanking.AuthenticationApproachRedirect {
		ended.ReturnURL = back(flow, parameters)
	}
	return nil, ended
}

// at is ended with a *StepError when the visit is at another step.
func (s *Sandbox) at(flow aggregator.BankFlow, step aggregator.BankFlowStep) (*Bank, error) {
	bank, err := s.ended(flow)
	if err != nil {
		return nil, err
	}
	if flow.Step != step {
		return nil, &StepError{flow.Step}
	}
	return bank, nil
}

// denied returns the way back after the PSU has declined (api-notes 4).
func denied(flow aggregator.BankFlow) string {
	return back(flow, url.Values{"error": {"access_denied"}, "error_description": {"Cancelled by user"}})
}

// back returns the service's return URL with state and these parameters.
func back(flow aggregator.BankFlow, parameters url.Values) string {
	u, err := url.Parse(flow.Request.ReturnURL)
	if err != nil { // StartConsent has checked it
		return ""
	}
	query := u.Query()
	for name, values := range parameters {
		query[name] = values
	}
	query.Set("state", flow.Request.State)
	u.RawQuery = query.Encode()
	return u.String()
}

// secret returns 256 random bits as text.
func secret() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func same(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}
