package sandbox

import (
	"context"
	"slices"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
)

// aboutPayments is the heading of the scenarios of payments.
const aboutPayments = "Payments"

// mishaps are the scenarios of payments. Some produce statuses that no other bank here has (ADR 0015).
var mishaps = []scenario{
	{
		name: "payment-invalid", group: aboutPayments,
		bank:   "Payments are rejected with FF01.",
		client: "Shows status_reason_information, and does not count the payment as made.",
		order:  rejecting(invalidFormat),
	},
	{
		name: "payment-too-late", group: aboutPayments,
		bank:   "The same with TM01.",
		client: "The same.",
		order:  rejecting(invalidCutOff),
	},
	{
		name: "payment-refused", group: aboutPayments,
		bank:   "The same with MS03.",
		client: "The same.",
		order:  rejecting(notSpecified),
	},
	{
		name: "payment-returned", group: aboutPayments,
		bank:   "Payments are rejected with MS03 when they are on their way: RCVD, ACTC, ACCP, ACSP, RJCT. The pending row vanishes.",
		client: "Does not take ACSP for the end where final_status is false.",
		order:  func(x *execution) { x.reject, x.late = notSpecified, true },
	},
	{
		name: "payment-pending", group: aboutPayments,
		bank:   "An approved payment stays PDNG for ever.",
		client: "Stops waiting at some time, and says that the outcome is not known.",
		order:  func(x *execution) { x.accepted, x.executed = nil, nil },
	},
	{
		name: "payment-cancelled", group: aboutPayments,
		bank:   "Each payment is cancelled at the bank when it is on its way: PDCR, ACCR, CNCL.",
		client: "Goes on asking until final_status is true.",
		order:  func(x *execution) { x.executed = statuses(acsp, pdcr, accr, cncl) },
	},
	{
		name: "payment-cancellation-refused", group: aboutPayments,
		bank:   "The same, but the cancellation is refused and the payment goes on: PDCR, RJCR, NULL, ACSP, ACSC.",
		client: "The same.",
		order:  func(x *execution) { x.executed = statuses(acsp, pdcr, rjcr, null, acsp, acsc) },
	},
	{
		name: "bulk-partly-cancelled", group: aboutPayments,
		bank:   "The first transaction of a bulk payment is cancelled at the bank, the others are executed: PDCR, PACR, PART, ACSC.",
		client: "Shows the status of each transaction.",
		order: func(x *execution) {
			x.executed = statuses(acsp, pdcr, rjcr, acsp, acsc)
			if x.index == 0 {
				x.executed = statuses(acsp, pdcr, accr, cncl)
			}
		},
		whole: partlyCancelled,
	},
	{
		name: "bulk-partly-rejected", group: aboutPayments,
		bank:   "Every second transaction of a bulk payment is rejected with MS03: PART, then ACSC.",
		client: "The same.",
		order: func(x *execution) {
			if x.index%2 == 1 {
				x.reject = notSpecified
			}
		},
	},
	{
		name: "payment-accepted", group: aboutPayments,
		bank:   "Payments go RCVD, ACPT, ACSP, ACSC.",
		client: "Shows a status that it does not meet often.",
		order:  taking("accepted"),
	},
	{
		name: "payment-shifted", group: aboutPayments,
		bank:   "The bank changes the date of payments to the next business day: ACWC, and the date in requested_execution_date of the transaction.",
		client: "Shows the date that the bank has set.",
		order:  taking("shifted"),
	},
	{
		name: "payment-next-day", group: aboutPayments,
		bank:   "Payments are executed on the next business day: ACCP until then.",
		client: "Asks less and less often.",
		order:  taking("next-day"),
	},
	{
		name: "payment-unposted", group: aboutPayments,
		bank:   "The bank has accepted the payment before the payee has it: ACSP, ACWP, ACCC.",
		client: "Does not take ACWP for the end.",
		order:  taking("unposted"),
	},
	{
		name: "payment-not-accessible", group: aboutPayments,
		bank:   "What became of an approved payment is ASPSP_PAYMENT_NOT_ACCESSIBLE.",
		client: "Says that the bank does not tell, and does not pay again by itself.",
		asked: func(context.Context) error {
			return &openbanking.Error{Code: openbanking.ASPSPPaymentNotAccessible, Detail: bankDetail("PaymentNotAccessibleException", "Payment not found", nil)}
		},
	},
	{
		name: "payment-unavailable", group: aboutPayments,
		bank:   "What became of an approved payment is ASPSP_ERROR.",
		client: "Tries again later, less and less often.",
		asked:  func(context.Context) error { return refuse("Service unavailable") },
	},
	{
		name: "payment-slow", group: aboutPayments,
		bank:   "The bank takes two seconds to say what became of an approved payment.",
		client: "Waits, and shows that it does.",
		asked:  func(ctx context.Context) error { return dawdle(ctx) },
	},
	{
		name: "payment-timeout", group: aboutPayments,
		bank:   "The bank does not say what became of an approved payment: ASPSP_TIMEOUT after two seconds.",
		client: "Tries again later, less and less often.",
		asked: func(ctx context.Context) error {
			if err := dawdle(ctx); err != nil {
				return err
			}
			return &openbanking.Error{Code: openbanking.ASPSPTimeout}
		},
	},
}

func rejecting(code string) func(x *execution) {
	return func(x *execution) { x.reject = code }
}

func taking(name string) func(x *execution) {
	return func(x *execution) { x.path, _ = pathNamed(name) }
}

// partlyCancelled returns the statuses of a bulk payment whose first transaction is cancelled.
func partlyCancelled(plan aggregator.BankPlan) []aggregator.BankPlanStep {
	first := plan.Transfers[0].Steps
	cancelled := func(steps []aggregator.BankPlanStep) bool {
		return len(steps) > 0 && steps[len(steps)-1].Status == cncl
	}
	last := slices.IndexFunc(plan.Transfers, func(t aggregator.BankTransfer) bool {
		return len(t.Steps) > 0 && t.Steps[len(t.Steps)-1].Status == acsc
	})
	if !cancelled(first) || last < 0 { // none was cancelled, or nothing is left
		return plan.Steps
	}
	var steps []aggregator.BankPlanStep
	for _, step := range first {
		switch step.Status {
		case accr:
			step.Status = pacr
		case cncl:
			step.Status = part
		}
		steps = append(steps, step)
	}
	end := plan.Transfers[last].Steps
	return append(steps, end[len(end)-1])
}
