package engine

import (
	"context"
	"errors"
	"time"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
)

// PaymentStartPath is the path of the start page of a payment, below Options.AuthURL, with the payment id as parameter
// payment_id (api-notes 4).
const PaymentStartPath = "/pis/start"

var errNotYet = errors.New("engine: payments are being built")

// CreatePayment answers POST /payments. The request holds every required field; what they say is checked here.
func (e *Engine) CreatePayment(_ context.Context, _ aggregator.Application, _ openbanking.CreatePaymentRequest) (openbanking.CreatePaymentResponse, error) {
	return openbanking.CreatePaymentResponse{}, errNotYet
}

// Payment answers GET /payments/{payment_id}. It asks the bank first, unless the status is final.
func (e *Engine) Payment(_ context.Context, _ aggregator.Application, _ string) (openbanking.Payment, error) {
	return openbanking.Payment{}, errNotYet
}

// PaymentTransaction answers GET /payments/{payment_id}/transactions/{transaction_id}.
func (e *Engine) PaymentTransaction(_ context.Context, _ aggregator.Application, _, _ string) (openbanking.PaymentTransaction, error) {
	return openbanking.PaymentTransaction{}, errNotYet
}

// DeletePayment answers DELETE /payments/{payment_id} and returns the bank.
func (e *Engine) DeletePayment(_ context.Context, _ aggregator.Application, _ string) (openbanking.ASPSP, error) {
	return openbanking.ASPSP{}, errNotYet
}

// PaymentAuthorization returns a payment that waits for the PSU, with its application and bank, for the hosted pages. It
// changes nothing. Its errors are those of Authorization.
func (e *Engine) PaymentAuthorization(_ context.Context, _ string) (aggregator.Payment, aggregator.Application, aggregator.ASPSP, error) {
	return aggregator.Payment{}, aggregator.Application{}, aggregator.ASPSP{}, errNotYet
}

// MarkOpened notes that the PSU has opened the page of a payment: its payment_auth_status is PENDING from then on
// (api-notes 8). The page calls it for GET alone, never for HEAD.
func (e *Engine) MarkOpened(_ context.Context, _ string) error { return errNotYet }

// AcceptPayment is Accept for a payment.
func (e *Engine) AcceptPayment(_ context.Context, _ string) (visitID string, err error) {
	return "", errNotYet
}

// DenyPayment ends a payment whose PSU did not accept it on the page of the service, and returns where the browser goes.
func (e *Engine) DenyPayment(_ context.Context, _ string) (returnURL string, err error) {
	return "", errNotYet
}

// MethodsOfPayment is MethodsOf for a payment: the bank may allow some methods only for its type.
func MethodsOfPayment(_ aggregator.ASPSP, _ aggregator.Payment) []openbanking.AuthMethod { return nil }

// AdvancePayments looks after the payments that are due, and returns when to call it again.
func (e *Engine) AdvancePayments(_ context.Context) (next time.Time, err error) {
	return time.Time{}, nil
}

// OnPayments sets what is called when a payment may be due earlier than AdvancePayments said.
func (e *Engine) OnPayments(wake func()) { e.wakePayments = wake }

// OnWebhooks sets what is called when there may be a new event to be delivered.
func (e *Engine) OnWebhooks(wake func()) { e.wakeWebhooks = wake }
