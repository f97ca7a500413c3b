package sandbox

import (
	"context"
	"errors"
	"net/url"
	"slices"

	"florin/internal/aggregator"
	"florin/internal/money"
	"florin/internal/openbanking"
)

// StartPayment opens an authorisation of a payment by a method of the bank. The first approval approves the order; the bank stores it once.
func (b *Bank) StartPayment(ctx context.Context, order aggregator.PaymentOrder) (string, error) {
	if len(order.Payment.CreditTransferTransaction) == 0 || order.ID == "" {
		return "", refuse("The order has no id, or no transaction")
	}
	for _, t := range order.Payment.CreditTransferTransaction {
		if m, err := money.Parse(t.InstructedAmount.Amount, t.InstructedAmount.Currency); err != nil || m.Sign() <= 0 {
			return "", refuse("The amount of a transaction is none")
		}
	}
	offered := slices.IndexFunc(b.data.Payments, func(t openbanking.ResponsePaymentType) bool {
		return t.PaymentType == order.Type && t.PSUType == order.PSUType
	})
	if offered < 0 {
		return "", refuse("The bank does not offer this kind of payment to customers of this kind")
	}
	allowed := b.data.Payments[offered].AllowedAuthMethods
	if order.Method == "" && len(allowed) > 0 {
		order.Method = allowed[0]
	}
	if len(allowed) > 0 && !slices.Contains(allowed, order.Method) {
		return "", refuse("This kind of payment cannot be approved by this method")
	}
	return b.open(ctx, aggregator.BankFlow{Request: aggregator.ConsentRequest{BankRequest: order.BankRequest}, Order: &order, Secret: secret()})
}

// open stores a new flow for a consent or an order.
func (b *Bank) open(ctx context.Context, flow aggregator.BankFlow) (string, error) {
	back, err := url.Parse(flow.Request.ReturnURL)
	if err != nil || back.Host == "" {
		return "", refuse("The return URL is not absolute")
	}
	method, ok := b.method(flow.Request.Method, flow.Request.PSUType)
	if !ok {
		return "", refuse("The bank has no such method, or no customers of this kind")
	}
	flow.Request.Method = method.Name
	flow.ID, flow.ASPSP, flow.Step = secret(), b.reference(), aggregator.BankFlowSignIn
	flow.Created = b.sandbox.now()
	flow.Expires = flow.Created.Add(visitLifetime)
	if flow.Order != nil {
		flow.Order.Method = method.Name
		flow.Expires = flow.Created.Add(orderIdle)
	}
	switch {
	case b.data.NoCredentials:
		i := slices.IndexFunc(b.users, func(u *user) bool { return u.PSUType == flow.Request.PSUType })
		flow.Username = b.users[i].Username
		flow.Step = aggregator.BankFlowApproval
	case method.Approach == openbanking.AuthenticationApproachDecoupled:
		flow.Step = aggregator.BankFlowIdentify
	}
	if flow.Order != nil { // starting again gives no further attempts
		if flow.Failures, err = b.sandbox.flows.OrderFailures(ctx, flow.ASPSP, flow.Order.ID); err != nil {
			return "", err
		}
		if flow.Failures >= maxFailures {
			flow.Step = aggregator.BankFlowBlocked
		}
	}
	return flow.ID, b.sandbox.flows.AddBankFlow(ctx, flow)
}

// Payment returns the status of an order at the bank.
func (b *Bank) Payment(ctx context.Context, orderID string) (aggregator.BankPayment, error) {
	order, err := b.sandbox.flows.BankOrder(ctx, b.reference(), orderID)
	if errors.Is(err, aggregator.ErrNotFound) {
		return aggregator.BankPayment{Status: openbanking.PaymentStatusPDNG}, nil
	}
	if err != nil {
		return aggregator.BankPayment{}, err
	}
	now := b.sandbox.now()
	u := b.user(order.Username)
	if u != nil {
		for _, s := range b.scenariosOf(u) {
			if s.asked != nil {
				if err := s.asked(ctx); err != nil {
					return aggregator.BankPayment{}, err
				}
			}
		}
	}
	step := order.Plan.At(now)
	p := aggregator.BankPayment{Status: step.Status, Course: order.Plan.Until(now), Authorised: true, Reason: step.Reason}
	for _, t := range order.Plan.Transfers {
		p.Transfers = append(p.Transfers, aggregator.Transfer{Status: t.At(now).Status, ExecutionDate: t.ExecutionDate})
	}
	if a := b.sandbox.account(aggregator.BankAccountKey{ASPSP: order.ASPSP, Reference: order.Account}); a != nil {
		p.Debtor = &openbanking.PartyIdentification{Name: ptr(a.holderNames())}
		p.DebtorAccount = ptr(a.identified())
		p.DebtorCurrency = a.data.Currency
	}
	return p, nil
}

// identified returns the account_id in the form of a payment.
func (a *account) identified() openbanking.GenericIdentification {
	id := a.primary()
	if id.IBAN != nil {
		return openbanking.GenericIdentification{Identification: *id.IBAN, SchemeName: openbanking.SchemeNameIBAN}
	}
	return *id.Other
}
