package sandbox

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
)

// ErrKnownFile: the customer has sent the bank a file with this message id before.
var ErrKnownFile = errors.New("sandbox: the bank has had this file before")

// AppOrder is a code, a link or a file as the app of a bank shows it before the approval.
type AppOrder struct {
	Key     string                     // of this order: approvals with the same key count once
	Order   aggregator.PaymentOrder    // the accepted part; without transactions when nothing is accepted
	Payees  []aggregator.PayeeCheck    // one for each transaction of Order
	Choices []aggregator.AccountChoice // the accounts that can pay it; none when the customer has none
	Refused []AppTransfer              // the transfers that the bank refuses
	Totals  []string                   // one for each transaction of Order: the id of the group that is booked as one sum, or empty
}

// InTotal reports whether some transactions of the order are booked as one sum.
func (o *AppOrder) InTotal() bool {
	return slices.ContainsFunc(o.Totals, func(id string) bool { return id != "" })
}

// ReadInApp parses what a customer gave to the app of the bank, and stores nothing. Errors: those of an instruction that cannot be parsed, and ErrKnownFile.
func (s *Sandbox) ReadInApp(ctx context.Context, c Customer, text string) (AppOrder, error) {
	app, file, err := c.inApp(text, secret())
	if err != nil {
		return AppOrder{}, err
	}
	if _, err := s.flows.BankOrder(ctx, c.Bank.reference(), app.Order.ID); file && err == nil {
		return AppOrder{}, ErrKnownFile
	} else if err != nil && !errors.Is(err, aggregator.ErrNotFound) {
		return AppOrder{}, err
	}
	if len(app.Order.Payment.CreditTransferTransaction) > 0 {
		app.Payees = c.Bank.checks(&app.Order)
		app.Choices, err = c.Bank.orderChoices(aggregator.BankFlow{Username: c.Username, Order: &app.Order}, s.ordersOf(ctx))
	}
	return app, err
}

// ApproveInApp stores the order of a text that the customer has approved. key is that of ReadInApp; accountReference is one of its choices, or empty when
// there is only one. Repeating the approval returns the same order. Errors: ErrNothingChosen, ErrNotAChoice, and those of an instruction that cannot be
// parsed.
func (s *Sandbox) ApproveInApp(ctx context.Context, c Customer, text, key, accountReference string) (orderID string, err error) {
	app, _, err := c.inApp(text, key)
	if err != nil {
		return "", err
	}
	if len(app.Order.Payment.CreditTransferTransaction) == 0 {
		return "", ErrNotAChoice
	}
	return app.Order.ID, s.flows.AddBankOrder(ctx, func(orders aggregator.BankOrders) (*aggregator.BankOrder, error) {
		choices, err := c.Bank.orderChoices(aggregator.BankFlow{Username: c.Username, Order: &app.Order}, orders)
		if err != nil {
			return nil, err
		}
		chosen, err := choose(&app.Order, choices, accountReference)
		if err != nil {
			return nil, err
		}
		order, err := s.accept(c.Bank, &app.Order, c.Username, chosen, orders)
		if err == nil {
			for i := range order.Plan.Transfers {
				order.Plan.Transfers[i].Total = app.Totals[i]
			}
		}
		return order, err
	})
}

// OrderInApp returns an order that the customer has approved. The error is aggregator.ErrNotFound when there is none.
func (s *Sandbox) OrderInApp(ctx context.Context, c Customer, orderID string) (aggregator.BankOrder, error) {
	order, err := s.flows.BankOrder(ctx, c.Bank.reference(), orderID)
	if err == nil && order.Username != c.Username {
		return aggregator.BankOrder{}, aggregator.ErrNotFound
	}
	return order, err
}

// inApp makes an order from a text. file reports whether the text is a file.
func (c Customer) inApp(text, key string) (app AppOrder, file bool, err error) {
	in, err := readInstruction(text)
	u := c.Bank.user(c.Username)
	if err != nil || u == nil {
		return AppOrder{}, false, err
	}
	app.Key = key
	parts := []string{"code", u.Username, key}
	if file = in.message != ""; file {
		parts = []string{"file", u.Username, in.debtor, in.message}
	}
	app.Order.ID = "app-" + hash(strings.Join(parts, "\x00"))
	app.Order.PSUType = u.PSUType
	payment := &app.Order.Payment
	if in.debtor != "" {
		payment.DebtorAccount = &openbanking.GenericIdentification{Identification: in.debtor, SchemeName: openbanking.SchemeNameIBAN}
	}
	for _, t := range in.transfers {
		if t.Fault != "" {
			app.Refused = append(app.Refused, t)
			continue
		}
		payment.CreditTransferTransaction = append(payment.CreditTransferTransaction, t.CreditTransferTransaction)
		app.Totals = append(app.Totals, t.Total)
	}
	app.Order.Type = openbanking.PaymentTypeSEPA
	if len(payment.CreditTransferTransaction) > 1 {
		app.Order.Type = openbanking.PaymentTypeBulkSEPA
	}
	return app, file, nil
}

// choose returns the reference of the account that pays an order: the chosen one, or the only one. Errors: ErrNothingChosen, ErrNotAChoice.
func choose(order *aggregator.PaymentOrder, choices []aggregator.AccountChoice, reference string) (string, error) {
	if reference == "" && len(choices) == 1 {
		reference = choices[0].Reference
	}
	switch i := slices.IndexFunc(choices, func(c aggregator.AccountChoice) bool { return c.Reference == reference }); {
	case reference == "":
		return "", ErrNothingChosen
	case i < 0, choices[i].Blocked && !fixed(order, choices):
		return "", ErrNotAChoice
	}
	return reference, nil
}

// accept returns the bank's order for what a user has approved, with the plan of its execution.
func (s *Sandbox) accept(bank *Bank, order *aggregator.PaymentOrder, username, accountReference string,
	orders aggregator.BankOrders) (*aggregator.BankOrder, error) {
	u := bank.user(username)
	account := s.account(aggregator.BankAccountKey{ASPSP: bank.reference(), Reference: accountReference})
	if u == nil || account == nil { // the catalogue has changed meanwhile
		return nil, ErrNoVisit
	}
	now := s.now().UTC().Truncate(time.Millisecond)
	var available int64
	if account.pays() {
		var err error
		if available, err = s.available(account, momentOf(now), orders); err != nil {
			return nil, err
		}
	}
	return &aggregator.BankOrder{
		ASPSP: bank.reference(), Order: *order, Username: u.Username, Account: account.reference, Approved: now,
		Plan: bank.plan(order, u, account, available, now),
	}, nil
}
