package sandbox

import (
	"cmp"
	"slices"
	"time"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
)

const (
	rcvd = openbanking.PaymentStatusRCVD
	actc = openbanking.PaymentStatusACTC
	accp = openbanking.PaymentStatusACCP
	acpt = openbanking.PaymentStatusACPT
	acwc = openbanking.PaymentStatusACWC
	acsp = openbanking.PaymentStatusACSP
	part = openbanking.PaymentStatusPART
	acwp = openbanking.PaymentStatusACWP
	acsc = openbanking.PaymentStatusACSC
	accc = openbanking.PaymentStatusACCC
	pdcr = openbanking.PaymentStatusPDCR
	accr = openbanking.PaymentStatusACCR
	pacr = openbanking.PaymentStatusPACR
	rjcr = openbanking.PaymentStatusRJCR
	null = openbanking.PaymentStatusNULL
	rjct = openbanking.PaymentStatusRJCT
	cncl = openbanking.PaymentStatusCNCL
)

// path is the sequence of statuses of payments at a bank (api-notes 8), from PDNG on.
type path struct {
	name     string
	words    string                      // description for documents
	accepted []openbanking.PaymentStatus // right after the approval
	executed []openbanking.PaymentStatus // on the day of execution; from the first one on, the ledgers show the payment
	nextDay  bool                        // executed on the next business day
	shifted  bool                        // the bank reports the changed date
	fast     bool                        // a step takes a quarter of the usual time
}

// paths are the paths that a bank's habits can name.
var paths = []path{
	{name: "standard", words: "stepwise", accepted: statuses(rcvd, actc, accp), executed: statuses(acsp, acsc)},
	{name: "instant", words: "in seconds", accepted: statuses(actc), executed: statuses(acsp, accc), fast: true},
	{name: "direct", words: "in seconds, without a word on the payee", accepted: statuses(actc), executed: statuses(acsp, acsc), fast: true},
	{name: "terse", words: "the bank says no more than that it goes out", accepted: statuses(actc), executed: statuses(acsp)},
	{name: "next-day", words: "executed on the next business day", accepted: statuses(rcvd, actc, accp), executed: statuses(acsp, acsc), nextDay: true},
	{name: "shifted", words: "the bank changes the date to the next business day", accepted: statuses(actc, acwc), executed: statuses(acsp, acsc),
		nextDay: true, shifted: true},
	{name: "accepted", words: "the bank says that it accepts the request", accepted: statuses(rcvd, acpt), executed: statuses(acsp, acsc)},
	{name: "unposted", words: "accepted before the payee has it", accepted: statuses(actc), executed: statuses(acsp, acwp, accc)},
	{name: "bulk", words: "many at once", accepted: statuses(actc, accp), executed: statuses(acsp, acsc)},
}

func statuses(list ...openbanking.PaymentStatus) []openbanking.PaymentStatus { return list }

func pathNamed(name string) (path, bool) {
	i := slices.IndexFunc(paths, func(p path) bool { return p.name == name })
	if i < 0 {
		return path{}, false
	}
	return paths[i], true
}

// defaultPath returns the path of a payment type for which the bank's habits name none.
func defaultPath(t openbanking.ResponsePaymentType) string {
	switch {
	case slices.Equal(t.FinalSuccessfulStatuses, statuses(acsp)):
		return "terse"
	case t.PaymentType == openbanking.PaymentTypeInstSEPA, t.PaymentType == openbanking.PaymentTypeInternal:
		if !aggregator.FinalStatus(accc, t.FinalSuccessfulStatuses) {
			return "direct"
		}
		return "instant"
	case bulk(t.PaymentType):
		return "bulk"
	}
	return "standard"
}

func bulk(kind openbanking.PaymentType) bool {
	return kind == openbanking.PaymentTypeBulkDomestic || kind == openbanking.PaymentTypeBulkDomesticSEGiro || kind == openbanking.PaymentTypeBulkSEPA
}

// all returns the statuses of a path without problems.
func (p path) all() []openbanking.PaymentStatus { return slices.Concat(p.accepted, p.executed) }

// Reasons of a rejection (ISO 20022 external status reason codes).
const (
	incorrectAccount  = "AC01"
	closedAccount     = "AC04"
	blockedAccount    = "AC06"
	forbidden         = "AG01"
	amountNotAllowed  = "AM02"
	insufficientFunds = "AM04"
	invalidFormat     = "FF01"
	notSpecified      = "MS03"
	invalidCutOff     = "TM01"
)

var reasonWords = map[string]string{
	incorrectAccount: "Incorrect account number", closedAccount: "Closed account number", blockedAccount: "Blocked account", forbidden: "Transaction forbidden",
	amountNotAllowed: "Not allowed amount", insufficientFunds: "Insufficient funds", invalidFormat: "Invalid file format",
	notSpecified:  "Not specified reason, agent generated",
	invalidCutOff: "Invalid cut off time",
}

func reasonOf(code string) *openbanking.StatusReasonInformation {
	if code == "" {
		return nil
	}
	return &openbanking.StatusReasonInformation{StatusReasonCode: code, StatusReasonDescription: reasonWords[code]}
}

// maxInstructed is the largest amount that a bank accepts, in minor units.
const maxInstructed = 1_000_000_000_00

// pays reports whether the account can send payments.
func (a *account) pays() bool {
	if a.data.Transactions > 0 { // its ledger cannot hold payments
		return false
	}
	return a.data.Type == openbanking.CashAccountTypeCACC || a.data.Type == openbanking.CashAccountTypeSVGS
}

// plan decides the course of an order when it is approved. available is what can be spent from the debtor's account.
func (b *Bank) plan(o *aggregator.PaymentOrder, u *user, debtor *account, available int64, approved time.Time) aggregator.BankPlan {
	kind := b.paymentType(o.Type, o.PSUType)
	way, _ := pathNamed(cmp.Or(b.data.Habits.PaymentPaths[string(o.Type)], defaultPath(kind)))
	var twists []*scenario
	for _, s := range b.scenariosOf(u) {
		if s.order != nil {
			twists = append(twists, s)
		}
	}
	var plan aggregator.BankPlan
	for i := range o.Payment.CreditTransferTransaction {
		t := &o.Payment.CreditTransferTransaction[i]
		x := execution{path: way, index: i, of: len(o.Payment.CreditTransferTransaction), steps: approved}
		x.pace = b.sandbox.pace
		if way.fast {
			x.pace = max(x.pace/4, time.Millisecond)
		}
		for _, s := range twists {
			s.order(&x)
		}
		minor, currency := instructed(t)
		payee := b.sandbox.payee(b, t)
		var debit int64
		if x.reject == "" || x.late {
			objection := b.objection(o.Type, debtor, payee, minor)
			if objection == "" {
				if debit = convert(minor, currency, debtor.data.Currency, dayOf(approved)); debit > available {
					objection = insufficientFunds
				}
			}
			if objection != "" { // rejected before the execution
				x.reject, x.late = objection, false
			}
		}
		transfer := aggregator.BankTransfer{Debit: debit}
		if payee.account != nil && (x.reject == "" || x.late) {
			transfer.Creditor = ptr(payee.account.key())
			transfer.Credit = convert(minor, currency, payee.account.data.Currency, dayOf(approved))
		}
		b.run(&x, t, approved, &transfer)
		if !transfer.Shown.IsZero() {
			available -= debit
		}
		plan.Transfers = append(plan.Transfers, transfer)
	}
	plan.Steps = together(plan.Transfers, kind.FinalSuccessfulStatuses)
	for _, s := range twists {
		if s.whole != nil {
			plan.Steps = s.whole(plan)
		}
	}
	return plan
}

// objection returns why a bank rejects a transaction regardless of the balance, or "".
func (b *Bank) objection(kind openbanking.PaymentType, debtor *account, payee payee, minor int64) string {
	switch {
	case debtor.data.Blocked:
		return blockedAccount
	case !debtor.pays():
		return forbidden
	case minor > maxInstructed:
		return amountNotAllowed
	case payee.closed:
		return closedAccount
	case payee.bank != nil && payee.account == nil, kind == openbanking.PaymentTypeInternal && payee.bank != b:
		return incorrectAccount
	case payee.account != nil && (payee.account.data.Blocked || payee.account.data.Transactions > 0):
		return blockedAccount
	}
	return ""
}

// paymentType returns the bank's description of a payment type.
func (b *Bank) paymentType(kind openbanking.PaymentType, psu openbanking.PSUType) openbanking.ResponsePaymentType {
	for _, t := range b.data.Payments {
		if t.PaymentType == kind && t.PSUType == psu {
			return t
		}
	}
	return openbanking.ResponsePaymentType{PaymentType: kind, PSUType: psu}
}

// execution is a transaction of an order during planning.
type execution struct {
	path
	index  int // of the transaction
	of     int // number of transactions
	reject string
	late   bool // the rejection comes after the execution has begun
	pace   time.Duration
	steps  time.Time // time of the last step
}

// run plans the times of a transaction.
func (b *Bank) run(x *execution, t *openbanking.CreditTransferTransaction, approved time.Time, to *aggregator.BankTransfer) {
	step := func(status openbanking.PaymentStatus, reason string) {
		x.steps = x.steps.Add(x.pace)
		to.Steps = append(to.Steps, aggregator.BankPlanStep{At: x.steps, Status: status, Reason: reasonOf(reason)})
	}
	today := dayOf(approved)
	due := firstDay(t, today)
	asked := due
	if x.nextDay {
		due = max(due, today+1)
	}
	if due > today && !x.fast {
		due = due.booking()
	}
	shifted := t.Frequency == nil && (x.shifted || due != asked && !x.nextDay)
	accepted := slices.Clone(x.accepted)
	if x.reject != "" && !x.late {
		for _, status := range accepted {
			if status == rcvd || status == actc {
				step(status, "")
			}
		}
		step(rjct, x.reject)
		return
	}
	if due > today {
		accepted = slices.DeleteFunc(accepted, func(s openbanking.PaymentStatus) bool { return shifted && s == accp || s == acwc })
		if shifted {
			accepted = append(accepted, acwc)
			to.ExecutionDate = due.date()
		} else if !slices.Contains(accepted, accp) && !slices.Contains(accepted, acpt) && len(x.executed) > 0 {
			accepted = append(accepted, accp)
		}
	}
	for _, status := range accepted {
		step(status, "")
	}
	if due > today && len(x.executed) > 0 {
		if start := due.at(executionMinute).time(); start.After(x.steps) {
			x.steps = start.Add(-x.pace)
		}
	}
	for i, status := range x.executed {
		if x.late && i > 0 {
			step(rjct, x.reject)
			to.Gone = x.steps
			return
		}
		step(status, "")
		switch status {
		case acwp:
			to.Booked = x.steps
		case acsc, accc:
			to.Credited = x.steps
			to.Booked = cmp.Or(to.Booked, x.steps)
		case cncl:
			to.Gone = x.steps
		}
		if i == 0 {
			to.Shown = x.steps
		}
	}
	if !to.Shown.IsZero() && to.Booked.IsZero() && to.Gone.IsZero() { // the bank does not report the booking
		to.Booked = x.steps.Add(x.pace)
		to.Credited = to.Booked
	}
}

// together returns the statuses of a payment over time, which follow from those of its transfers: their common status; PART while some are settled or
// rejected and others are not; at the end the status of those that were not rejected; else the lowest status that all have reached.
func together(transfers []aggregator.BankTransfer, successful []openbanking.PaymentStatus) []aggregator.BankPlanStep {
	var times []time.Time
	for _, t := range transfers {
		for _, step := range t.Steps {
			times = append(times, step.At)
		}
	}
	slices.SortFunc(times, time.Time.Compare)
	var steps []aggregator.BankPlanStep
	before := openbanking.PaymentStatusPDNG
	for _, at := range slices.CompactFunc(times, time.Time.Equal) {
		next := summary(transfers, at, successful)
		if next.Status == before || !aggregator.PaymentMove(before, next.Status) {
			continue
		}
		before = next.Status
		steps = append(steps, next)
	}
	return steps
}

// ranks are the statuses of a transaction without problems, in order.
var ranks = statuses(openbanking.PaymentStatusPDNG, rcvd, actc, accp, acpt, acwc, acsp, acwp, acsc, accc)

func summary(transfers []aggregator.BankTransfer, at time.Time, successful []openbanking.PaymentStatus) aggregator.BankPlanStep {
	first := transfers[0].At(at)
	same, over, settled := true, true, openbanking.PaymentStatus("")
	some := false
	least := first.Status
	var reason *openbanking.StatusReasonInformation
	reasons := map[string]bool{}
	for _, t := range transfers {
		now := t.At(at)
		same = same && now.Status == first.Status
		final := aggregator.FinalStatus(now.Status, successful)
		over, some = over && final, some || final
		if final && now.Status != rjct && now.Status != cncl {
			settled = now.Status
		}
		if now.Reason != nil {
			reason = now.Reason
			reasons[reason.StatusReasonCode] = true
		}
		if slices.Index(ranks, now.Status) < slices.Index(ranks, least) {
			least = now.Status
		}
	}
	if len(reasons) != 1 {
		reason = nil
	}
	step := aggregator.BankPlanStep{At: at, Status: least}
	switch {
	case same:
		step.Status = first.Status
	case over && settled != "":
		step.Status = settled
	case over:
		step.Status = rjct
	case some:
		step.Status = part
	}
	if step.Status == rjct {
		step.Reason = reason
	}
	return step
}
