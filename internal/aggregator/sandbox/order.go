package sandbox

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"florin/internal/aggregator"
	"florin/internal/money"
	"florin/internal/openbanking"
)

// orderIdle is how long a bank waits at each step of an order (Delegated Regulation (EU) 2018/389, article 4).
const orderIdle = 5 * time.Minute

// orderChoices returns the accounts that can pay an order: those of the user that can pay, in the currency of the order if it names one; or the account that
// the order names, of any kind.
func (b *Bank) orderChoices(flow aggregator.BankFlow, orders aggregator.BankOrders) ([]aggregator.AccountChoice, error) {
	u := b.user(flow.Username)
	if u == nil {
		return nil, nil
	}
	payment := &flow.Order.Payment
	var choices []aggregator.AccountChoice
	for _, a := range u.accounts {
		if c := payment.DebtorCurrency; c != nil && *c != a.data.Currency {
			continue
		}
		if id := payment.DebtorAccount; id != nil && !a.is(*identification(*id)) || id == nil && !a.pays() {
			continue
		}
		choice := a.choice()
		if a.data.Type != openbanking.CashAccountTypeLOAN && a.data.Transactions == 0 {
			available, err := b.sandbox.available(a, momentOf(b.sandbox.now()), orders)
			if err != nil {
				return nil, err
			}
			choice.Available = ptr(a.amount(available))
		}
		choices = append(choices, choice)
	}
	first := slices.IndexFunc(choices, func(c aggregator.AccountChoice) bool {
		return !c.Blocked && c.Currency == payment.CreditTransferTransaction[0].InstructedAmount.Currency
	})
	if first < 0 {
		first = slices.IndexFunc(choices, func(c aggregator.AccountChoice) bool { return !c.Blocked })
	}
	if len(choices) == 1 {
		first = 0
	}
	if first >= 0 {
		choices[first].PreSelected = true
	}
	return choices, nil
}

// fixed reports whether the order already determines its account. One number can belong to accounts in several currencies; then it does not.
func fixed(order *aggregator.PaymentOrder, choices []aggregator.AccountChoice) bool {
	return order.Payment.DebtorAccount != nil && len(choices) == 1
}

// ConfirmOrder processes the approval of an order by the PSU, with the account that pays it: one of Choices, or "" when there is only one. The visit
// continues with the one-time code for the order. It ends at a bank without credentials, and on a device that was signed in; returnURL is then where to send
// the PSU: back to the service, or "" when the service waits for the approval. Errors: ErrNothingChosen, ErrNotAChoice, *StepError.
func (s *Sandbox) ConfirmOrder(ctx context.Context, flowID, accountReference string) (returnURL string, err error) {
	err = s.changeOrder(ctx, flowID, func(flow *aggregator.BankFlow, orders aggregator.BankOrders) (*aggregator.BankOrder, error) {
		bank, err := s.at(*flow, aggregator.BankFlowApproval)
		if err != nil {
			return nil, err
		}
		if flow.Order == nil {
			return nil, &StepError{flow.Step}
		}
		choices, err := bank.orderChoices(*flow, orders)
		if err != nil {
			return nil, err
		}
		chosen, err := choose(flow.Order, choices, accountReference)
		if err != nil {
			return nil, err
		}
		flow.Accounts = []string{chosen}
		flow.Expires = s.now().Add(orderIdle)
		if bank.data.NoCredentials || bank.approach(*flow) == openbanking.AuthenticationApproachDecoupled {
			var order *aggregator.BankOrder
			order, returnURL, err = s.approveOrder(bank, flow, orders)
			return order, err
		}
		flow.Step = aggregator.BankFlowOTP
		return nil, nil
	})
	return returnURL, err
}

// approveOrder returns the bank's order of a flow that the PSU has approved.
func (s *Sandbox) approveOrder(bank *Bank, flow *aggregator.BankFlow, orders aggregator.BankOrders) (*aggregator.BankOrder, string, error) {
	order, err := s.accept(bank, flow.Order, flow.Username, flow.Accounts[0], orders)
	if err != nil {
		return nil, "", err
	}
	flow.Step = aggregator.BankFlowApproved
	flow.Expires = order.Approved
	flow.CodeHash = hash(flow.ID)
	if bank.approach(*flow) != openbanking.AuthenticationApproachRedirect {
		return order, "", nil
	}
	return order, back(*flow, url.Values{}), nil
}

// changeOrder is change with access to orders.
func (s *Sandbox) changeOrder(ctx context.Context, id string, change func(*aggregator.BankFlow, aggregator.BankOrders) (*aggregator.BankOrder, error)) error {
	return noVisit(s.flows.ApproveBankOrder(ctx, id, change))
}

// orderCode returns the one-time code of an order. It follows from the secret of the flow and from amounts and payees, so another amount, payee or
// authorisation has another code.
func orderCode(flow aggregator.BankFlow) string {
	mac := hmac.New(sha256.New, []byte(flow.Secret))
	for i := range flow.Order.Payment.CreditTransferTransaction {
		t := &flow.Order.Payment.CreditTransferTransaction[i]
		account := t.Beneficiary.CreditorAccount
		for _, text := range []string{t.InstructedAmount.Amount, t.InstructedAmount.Currency, string(account.SchemeName), account.Identification} {
			fmt.Fprintf(mac, "%d:%s", len(text), text)
		}
	}
	return fmt.Sprintf("%06d", binary.BigEndian.Uint64(mac.Sum(nil))%1_000_000)
}

// messages are the texts that a bank sends with the one-time code, by language: for one transaction, and for several.
var messages = map[string][2]string{
	"en": {"%s approves %s to %s", "%s approves %d payments, %s in all, the first to %s"},
	"de": {"%s genehmigt %s an %s", "%s genehmigt %d Zahlungen, zusammen %s, die erste an %s"},
	"fr": {"%s approuve %s à %s", "%s approuve %d paiements, %s au total, le premier à %s"},
	"fi": {"%s hyväksyy maksun %s saajalle %s", "%s hyväksyy %d maksua, yhteensä %s, ensimmäinen saajalle %s"},
}

// message returns the text message with the code of an order, with amount and payee.
func message(flow aggregator.BankFlow) string {
	words, ok := messages[flow.Request.Language]
	if !ok {
		words = messages["en"]
	}
	list := flow.Order.Payment.CreditTransferTransaction
	payee := shortened(list[0].Beneficiary.CreditorAccount.Identification)
	if c := list[0].Beneficiary.Creditor; c != nil && text(c.Name) != "" {
		payee = *c.Name + ", " + payee
	}
	if len(list) == 1 {
		return fmt.Sprintf(words[0], orderCode(flow), list[0].InstructedAmount.Amount+" "+list[0].InstructedAmount.Currency, payee)
	}
	return fmt.Sprintf(words[1], orderCode(flow), len(list), totals(list), payee)
}

// shortened returns the number of an account in the short form for text messages.
func shortened(number string) string {
	const ends = 4
	signs := []rune(number)
	if len(signs) <= 3*ends {
		return number
	}
	return string(signs[:ends]) + " ... " + string(signs[len(signs)-ends:])
}

// totals returns the sums of transactions, one for each currency.
func totals(list []openbanking.CreditTransferTransaction) string {
	var currencies []string
	sums := map[string]int64{}
	for i := range list {
		minor, currency := instructed(&list[i])
		if !slices.Contains(currencies, currency) {
			currencies = append(currencies, currency)
		}
		sums[currency] += minor
	}
	var parts []string
	for _, c := range currencies {
		parts = append(parts, money.FromMinor(sums[c], c).String()+" "+c)
	}
	return strings.Join(parts, " + ")
}
