package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
)

// StartConsent opens an authorisation by a method of the bank. A redirect leads to a visit to the bank's site, valid for 15 minutes.
func (b *Bank) StartConsent(ctx context.Context, request aggregator.ConsentRequest) (string, error) {
	return b.open(ctx, aggregator.BankFlow{Request: request})
}

// Step returns what an authorisation is waiting for.
func (b *Bank) Step(ctx context.Context, reference string) (aggregator.Step, error) {
	flow, err := b.flow(ctx, reference)
	if err != nil {
		return aggregator.Step{}, err
	}
	approach := b.approach(flow)
	step := aggregator.Step{Expires: flow.Expires}
	if flow.Step == aggregator.BankFlowDeclined && flow.EndedBy == aggregator.EndedByService {
		step.Kind = aggregator.StepExpired
		return step, nil
	}
	if approach == openbanking.AuthenticationApproachRedirect {
		step.Kind, step.URL = aggregator.StepRedirect, b.AuthorizeURL(flow.ID)
		if flow.Order != nil && flow.Step == aggregator.BankFlowBlocked { // this is a failure, although the browser returns access_denied as for a cancellation
			step.Kind, step.URL = aggregator.StepBlocked, ""
		}
		return step, nil
	}
	var ended *EndedError
	if _, err := b.sandbox.ended(flow); errors.As(err, &ended) {
		step.Kind = aggregator.StepExpired
		if ended.Blocked {
			step.Kind = aggregator.StepBlocked
		}
		return step, nil
	} else if err != nil {
		return aggregator.Step{}, err
	}
	embedded := approach == openbanking.AuthenticationApproachEmbedded
	switch flow.Step {
	case aggregator.BankFlowApproved, aggregator.BankFlowFinished:
		step.Kind = aggregator.StepDone
		if flow.Order != nil {
			return step, nil
		}
		step.Code = flow.ID
		if flow.Step == aggregator.BankFlowApproved && !b.sandbox.now().Before(flow.Expires) {
			step.Kind, step.Code = aggregator.StepExpired, ""
		}
		return step, nil
	case aggregator.BankFlowDeclined, aggregator.BankFlowEnded:
		step.Kind = aggregator.StepDeclined
		return step, nil
	case aggregator.BankFlowIdentify:
		step.Kind = aggregator.StepCredentials
	case aggregator.BankFlowSignIn:
		step.Kind = aggregator.StepCredentials
	case aggregator.BankFlowOTP:
		step.Kind = aggregator.StepCode
	case aggregator.BankFlowApproval:
		step.Kind = aggregator.StepAccounts
		if flow.Order != nil {
			step.Kind = aggregator.StepOrder
		}
	}
	switch {
	case !embedded && flow.Step != aggregator.BankFlowIdentify:
		step.Kind, step.URL, step.Check = aggregator.StepDevice, b.AuthorizeURL(flow.ID), checkDigits(flow)
	case step.Kind == aggregator.StepAccounts:
		step.Accounts, step.ValidUntil = b.choices(flow), b.consentEnd(flow)
		step.Fixed, step.ListOnly = !b.Chooses(), b.listsOnly(flow)
	case step.Kind == aggregator.StepOrder:
		if step.Accounts, err = b.orderChoices(flow, b.sandbox.ordersOf(ctx)); err != nil {
			return aggregator.Step{}, err
		}
		step.Fixed, step.Payees = fixed(flow.Order, step.Accounts), b.checks(flow.Order)
	default:
		if flow.Order != nil && flow.Step == aggregator.BankFlowOTP {
			step.Message = message(flow)
		}
		step.AttemptsLeft = max(0, maxFailures-flow.Failures)
	}
	if u := b.user(flow.Username); u != nil {
		step.Holder = u.Name
	}
	return step, nil
}

// Answer processes what the PSU typed on the service's pages. Wrong credentials and codes are counted as on the bank's own site.
func (b *Bank) Answer(ctx context.Context, reference string, answer aggregator.Answer) error {
	flow, err := b.flow(ctx, reference)
	if err != nil {
		return err
	}
	approach := b.approach(flow)
	username, password := b.typed(flow, answer.Credentials)
	switch {
	case approach == openbanking.AuthenticationApproachRedirect:
		err = b.expect(ctx, reference, username)
	case answer.Credentials != nil && approach == openbanking.AuthenticationApproachDecoupled:
		err = b.sandbox.identify(ctx, reference, username)
	case approach == openbanking.AuthenticationApproachDecoupled: // the device asks for everything else
	case answer.Credentials != nil:
		err = b.sandbox.SignIn(ctx, reference, username, password)
	case answer.Order:
		account := ""
		if len(answer.Accounts) > 0 {
			account = answer.Accounts[0]
		}
		_, err = b.sandbox.ConfirmOrder(ctx, reference, account)
	case answer.Accounts != nil:
		_, err = b.sandbox.Approve(ctx, reference, answer.Accounts)
	default:
		_, err = b.sandbox.CheckOTP(ctx, reference, answer.Code)
	}
	var step *StepError
	var ended *EndedError
	switch {
	case errors.As(err, &step), errors.As(err, &ended): // Step reports it
		return nil
	case errors.Is(err, ErrWrongPassword), errors.Is(err, ErrWrongOTP), errors.Is(err, ErrNothingChosen), errors.Is(err, ErrNotAChoice):
		return fmt.Errorf("%w: %w", aggregator.ErrWrongAnswer, err)
	}
	return err
}

// Cancel ends an authorisation at any step. It does not end a consent that the service has already exchanged.
func (b *Bank) Cancel(ctx context.Context, reference string) error {
	err := b.sandbox.flows.UpdateBankFlow(ctx, reference, func(flow *aggregator.BankFlow) error {
		if !b.owns(*flow) {
			return nil
		}
		switch flow.Step {
		case aggregator.BankFlowIdentify, aggregator.BankFlowSignIn, aggregator.BankFlowOTP, aggregator.BankFlowApproval:
			flow.Step, flow.EndedBy = aggregator.BankFlowDeclined, aggregator.EndedByService
		case aggregator.BankFlowApproved:
			if flow.Order != nil { // the bank has accepted the order
				return nil
			}
			flow.Step, flow.EndedBy = aggregator.BankFlowEnded, aggregator.EndedByService
		}
		return nil
	})
	if errors.Is(err, aggregator.ErrNotFound) {
		return nil
	}
	return err
}

// identify accepts the user named by the service and waits for the device of that user. ErrWrongPassword is counted as in SignIn.
func (s *Sandbox) identify(ctx context.Context, flowID, username string) error {
	return s.attempt(ctx, flowID, aggregator.BankFlowIdentify, func(bank *Bank, flow *aggregator.BankFlow) error {
		u := bank.user(username)
		if u == nil || u.PSUType != flow.Request.PSUType {
			return ErrWrongPassword
		}
		flow.Username = u.Username
		flow.Step = aggregator.BankFlowSignIn
		flow.Expires = s.now().Add(deviceLifetime)
		return nil
	})
}

// expect stores which user will sign in on the bank's site, if username is a customer.
func (b *Bank) expect(ctx context.Context, reference, username string) error {
	return b.sandbox.change(ctx, reference, func(flow *aggregator.BankFlow) error {
		if u := b.user(username); u != nil && u.PSUType == flow.Request.PSUType && flow.Step == aggregator.BankFlowSignIn {
			flow.Username = u.Username
		}
		return nil
	})
}

// typed returns user and password from the credentials of the method.
func (b *Bank) typed(flow aggregator.BankFlow, credentials map[string]string) (username, password string) {
	method, _ := b.method(flow.Request.Method, flow.Request.PSUType)
	for _, c := range method.Credentials {
		switch c.Is {
		case credentialUsername:
			username = credentials[c.Name]
		case credentialPassword:
			password = credentials[c.Name]
		}
	}
	return username, password
}

// flow returns an authorisation of this bank.
func (b *Bank) flow(ctx context.Context, reference string) (aggregator.BankFlow, error) {
	flow, err := b.sandbox.flows.BankFlow(ctx, reference)
	if errors.Is(err, aggregator.ErrNotFound) || err == nil && !b.owns(flow) {
		return aggregator.BankFlow{}, refuse("There is no such authorisation")
	}
	return flow, err
}

// method returns a method by its name, or for an empty name the first one that a PSU can choose.
func (b *Bank) method(name string, psu openbanking.PSUType) (methodData, bool) {
	for _, m := range b.data.AuthMethods {
		if m.PSUType == psu && (m.Name == name || name == "" && !m.HiddenMethod) {
			return m, true
		}
	}
	return methodData{}, false
}

// approach returns how an authorisation is given; by redirect when its method is no longer in the catalogue.
func (b *Bank) approach(flow aggregator.BankFlow) openbanking.AuthenticationApproach {
	if method, ok := b.method(flow.Request.Method, flow.Request.PSUType); ok {
		return method.Approach
	}
	return openbanking.AuthenticationApproachRedirect
}

// checkDigits returns four digits that follow from an authorisation. They are not secret: they identify it and give no access.
func checkDigits(flow aggregator.BankFlow) string {
	sum := sha256.Sum256([]byte("check " + flow.ID))
	return fmt.Sprintf("%04d", binary.BigEndian.Uint32(sum[:])%10000)
}
