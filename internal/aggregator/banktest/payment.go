package banktest

import (
	"context"
	"crypto/rand"
	"slices"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
)

// order is a payment that the bank was given, as often as an authorisation of it was started.
type order struct {
	request    aggregator.PaymentOrder
	known      aggregator.BankPayment
	executions int
	asked      int
}

// visit is an authorisation of an order.
type visit struct {
	order *order
	at    aggregator.StepKind
}

// open reports whether the PSU can still approve.
func (v *visit) open() bool {
	switch v.at {
	case aggregator.StepDone, aggregator.StepDeclined, aggregator.StepBlocked, aggregator.StepExpired:
		return false
	}
	return true
}

// Sells makes the bank offer SEPA payments to persons, in euro, to any IBAN.
func (b *Bank) Sells() *Bank {
	b.Data.Payments = append(b.Data.Payments, openbanking.ResponsePaymentType{
		PaymentType:            openbanking.PaymentTypeSEPA,
		PSUType:                openbanking.PSUTypePersonal,
		Currencies:             []string{"EUR"},
		DebtorAccountSchemas:   []openbanking.SchemeName{openbanking.SchemeNameIBAN},
		CreditorAccountSchemas: []openbanking.SchemeName{openbanking.SchemeNameIBAN},
	})
	return b
}

// travel takes the way to the bank, and returns the way back.
func (b *Bank) travel() (back func()) {
	if b.Pause == nil {
		return func() {}
	}
	b.Pause()
	return b.Pause
}

// StartPayment remembers the order, see Order. The first step is a redirect.
func (b *Bank) StartPayment(ctx context.Context, request aggregator.PaymentOrder) (string, error) {
	defer b.travel()()
	if err := b.hang(ctx, "StartPayment"); err != nil {
		return "", err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.failures["StartPayment"]; err != nil {
		return "", err
	}
	if b.orders == nil {
		b.orders, b.visits = map[string]*order{}, map[string]*visit{}
	}
	o := b.orders[request.ID]
	if o == nil {
		o = &order{known: aggregator.BankPayment{Status: openbanking.PaymentStatusPDNG}}
		b.orders[request.ID] = o
	}
	o.request = request
	reference := rand.Text()
	b.visits[reference] = &visit{order: o, at: aggregator.StepRedirect}
	return reference, nil
}

func (b *Bank) step(v *visit) aggregator.Step {
	step := aggregator.Step{Kind: v.at}
	if v.at == aggregator.StepRedirect {
		step.URL = address(v.order.request.State)
	}
	return step
}

// Payment returns what Become has made of an order.
func (b *Bank) Payment(ctx context.Context, orderID string) (aggregator.BankPayment, error) {
	defer b.travel()()
	b.mu.Lock()
	if o := b.orders[orderID]; o != nil {
		o.asked++
	}
	b.mu.Unlock()
	if err := b.hang(ctx, "Payment"); err != nil {
		return aggregator.BankPayment{}, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.failures["Payment"]; err != nil {
		return aggregator.BankPayment{}, err
	}
	o := b.orders[orderID]
	if o == nil {
		return aggregator.BankPayment{Status: openbanking.PaymentStatusPDNG}, nil
	}
	known := o.known
	known.Transfers = slices.Clone(known.Transfers)
	return known, nil
}

// Bring takes the visits of an order that are open to a step, and reports whether there was one.
func (b *Bank) Bring(orderID string, kind aggregator.StepKind) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.bring(orderID, kind)
}

func (b *Bank) bring(orderID string, kind aggregator.StepKind) bool {
	moved := false
	for _, v := range b.visits {
		if v.order == b.orders[orderID] && v.open() {
			v.at, moved = kind, true
		}
	}
	return moved
}

// ApprovePayment is the PSU approving an order in each of its visits that are open, and reports whether there was one. The
// bank executes an order once: it is RCVD then, from the account of Holdings.
func (b *Bank) ApprovePayment(orderID string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.bring(orderID, aggregator.StepDone) {
		return false
	}
	o := b.orders[orderID]
	if o.known.Authorised {
		return true
	}
	name := "Aino Virtanen"
	account := b.Holdings[0].Identifiers[0]
	o.executions++
	o.known = aggregator.BankPayment{
		Status: openbanking.PaymentStatusRCVD, Authorised: true, Debtor: &openbanking.PartyIdentification{Name: &name},
		DebtorAccount: &account, DebtorCurrency: b.Holdings[0].Account.Currency,
	}
	return true
}

// Known returns what the bank knows of an order.
func (b *Bank) Known(orderID string) aggregator.BankPayment {
	b.mu.Lock()
	defer b.mu.Unlock()
	if o := b.orders[orderID]; o != nil {
		return o.known
	}
	return aggregator.BankPayment{Status: openbanking.PaymentStatusPDNG}
}

// Become changes what the bank knows of an order.
func (b *Bank) Become(orderID string, change func(*aggregator.BankPayment)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change(&b.orders[orderID].known)
}

// Move gives an order that was approved another status.
func (b *Bank) Move(orderID string, status openbanking.PaymentStatus) {
	b.Become(orderID, func(known *aggregator.BankPayment) { known.Status = status })
}

// Order returns an order as the service gave it to the bank the last time.
func (b *Bank) Order(orderID string) aggregator.PaymentOrder {
	b.mu.Lock()
	defer b.mu.Unlock()
	if o := b.orders[orderID]; o != nil {
		return o.request
	}
	return aggregator.PaymentOrder{}
}

// Executions returns how often an order was executed.
func (b *Bank) Executions(orderID string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	if o := b.orders[orderID]; o != nil {
		return o.executions
	}
	return 0
}

// Asked returns how often the service asked for an order.
func (b *Bank) Asked(orderID string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	if o := b.orders[orderID]; o != nil {
		return o.asked
	}
	return 0
}
