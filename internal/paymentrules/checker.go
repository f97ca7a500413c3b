package paymentrules

import (
	"fmt"
	"strconv"

	"florin/internal/openbanking"
)

// checker collects the faults of one payment.
type checker struct {
	kind   openbanking.ResponsePaymentType
	today  openbanking.Date
	limit  string
	faults []Fault
}

const top = "payment_request"

func (c *checker) full() bool { return len(c.faults) >= maxFaults }

func (c *checker) fault(field, problem string, args ...any) {
	c.add(openbanking.WrongRequestParameters, field, problem, args...)
}

func (c *checker) add(code openbanking.ErrorCode, field, problem string, args ...any) {
	if !c.full() {
		c.faults = append(c.faults, Fault{field, code, fmt.Sprintf(problem, args...)})
	}
}

func transaction(i int) string { return top + ".credit_transfer_transaction[" + strconv.Itoa(i) + "]" }

// payment checks everything.
func (c *checker) payment(p openbanking.PaymentRequestResource) {
	count := len(p.CreditTransferTransaction)
	if count == 0 {
		c.fault(top+".credit_transfer_transaction", "needs at least one transaction")
	}
	if most := c.kind.MaxTransactions; most != nil && count > *most {
		c.add(openbanking.PaymentLimitExceeded, top+".credit_transfer_transaction", "has %d transactions; the ASPSP takes at most %d", count, *most)
	}
}
