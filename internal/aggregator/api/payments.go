package api

import (
	"strings"

	"florin/internal/openbanking"
)

// createPayment is POST /payments.
func (a *api) createPayment(r *request) (any, error) {
	body, done, err := a.bodies.read(r)
	if err != nil {
		return nil, err
	}
	defer done() // what a large payment becomes takes as much memory as its body
	var wanted openbanking.CreatePaymentRequest
	if err := decodeBody(body, &wanted); err != nil {
		return nil, err
	}
	answer, err := a.engine.CreatePayment(r.Context(), r.App, wanted)
	if err == nil { // the name of a bank that there is not is whatever the caller likes
		noteBank(r, wanted.ASPSP)
		r.made = answer.PaymentID
	}
	return answer, err
}

// payment is GET /payments/{payment_id}.
func (a *api) payment(r *request) (any, error) {
	answer, err := a.engine.Payment(r.Context(), r.App, pathID(r, "payment_id"))
	if err == nil {
		noteBank(r, answer.ASPSP)
	}
	return answer, err
}

// deletePayment is DELETE /payments/{payment_id}.
func (a *api) deletePayment(r *request) (any, error) {
	bank, err := a.engine.DeletePayment(r.Context(), r.App, pathID(r, "payment_id"))
	if bank.Name != "" {
		noteBank(r, bank)
	}
	return openbanking.SuccessResponse{Message: "OK"}, err
}

// paymentTransaction is GET /payments/{payment_id}/transactions/{transaction_id}.
func (a *api) paymentTransaction(r *request) (any, error) {
	return a.engine.PaymentTransaction(r.Context(), r.App, pathID(r, "payment_id"), pathID(r, "transaction_id"))
}

// pathID returns an id of a path that can be any text (spec: Payments), in lower case as our own ids are: there is nothing
// with the id that is none of ours.
func pathID(r *request, name string) string { return strings.ToLower(r.PathValue(name)) }
