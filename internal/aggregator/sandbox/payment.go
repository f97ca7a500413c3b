package sandbox

import (
	"context"

	"florin/internal/aggregator"
)

// StartPayment opens an authorisation of a payment by a method of the bank.
func (b *Bank) StartPayment(context.Context, aggregator.PaymentOrder) (string, error) {
	return "", refuse("The bank takes no payments")
}

// Payment returns what the bank knows of an order.
func (b *Bank) Payment(context.Context, string) (aggregator.BankPayment, error) {
	return aggregator.BankPayment{}, refuse("The bank takes no payments")
}
