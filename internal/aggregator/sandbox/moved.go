package sandbox

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"florin/internal/aggregator"
	"florin/internal/money"
	"florin/internal/openbanking"
	payrefs "florin/internal/reference"
)

const (
	never      moment = math.MaxInt64
	firstMoved        = 1 << 40 // rows of payments have larger numbers than other rows
	// maxMoved is the largest number of movements in memory; beyond it they are read again.
	maxMoved = 100_000
	// executionMinute is when banks begin to execute the orders of a day; they book a minute later.
	executionMinute = 6 * 60
)

// movement is a row of a ledger from a payment. It never changes: it does not exist before shown, is pending until done, and from gone on it never existed.
// It is booked after all other rows of the same day.
type movement struct {
	entry
	number int    // its identity in the account
	held   moment // from when a debit counts as spent: the approval
	shown  moment
	done   moment // when it is booked
	gone   moment // when it ends without a booking
}

// pending reports whether the row exists and is not booked.
func (m *movement) pending(asOf moment) bool {
	return m.shown <= asOf && asOf < m.done && asOf < m.gone
}

// isBooked reports whether the row is booked.
func (m *movement) isBooked(asOf moment) bool { return m.done <= asOf }

// standing is the part of a standing order that is not yet decided at its approval: all executions except the first.
type standing struct {
	order    *aggregator.BankOrder
	index    int // of the transaction
	debtor   *account
	creditor *account // nil when it is at another bank
	first    day
}

// dealings keeps the movements of payments in memory. Rows of orders never change and new ones have larger numbers, so only orders added since the last time
// are read.
type dealings struct {
	mu   sync.Mutex
	of   map[*account]dealing
	size int // movements in all
}

type dealing struct {
	last     int64 // number of the last order
	moved    []movement
	standing []*standing
}

// dealing returns the movements of an account's orders in the order of their approval, and its standing orders.
func (s *Sandbox) dealing(a *account, orders aggregator.BankOrders) ([]movement, []*standing, error) {
	s.dealings.mu.Lock()
	known := s.dealings.of[a]
	s.dealings.mu.Unlock()
	news, err := orders(a.key(), known.last)
	if err != nil {
		return nil, nil, err
	}
	s.dealings.mu.Lock()
	defer s.dealings.mu.Unlock()
	known = s.dealings.of[a] // another call may have read the same orders
	if s.dealings.size > maxMoved {
		clear(s.dealings.of)
		s.dealings.size = len(known.moved)
	}
	before := len(known.moved)
	for i := range news {
		if news[i].Number <= known.last {
			continue
		}
		moved, repeats := s.unroll(&news[i], a)
		known.last = news[i].Number
		known.moved, known.standing = append(known.moved, moved...), append(known.standing, repeats...) // callers keep the shorter slices
	}
	if known.last > 0 {
		s.dealings.of[a] = known
	}
	s.dealings.size += len(known.moved) - before
	return slices.Clip(known.moved), slices.Clip(known.standing), nil
}

// unroll returns the rows in the ledger of an account that were decided when an order was approved.
func (s *Sandbox) unroll(o *aggregator.BankOrder, a *account) (moved []movement, repeats []*standing) {
	debtor := s.account(aggregator.BankAccountKey{ASPSP: o.ASPSP, Reference: o.Account})
	for i := range o.Plan.Transfers {
		t := &o.Plan.Transfers[i]
		if t.Shown.IsZero() || debtor == nil {
			continue
		}
		var creditor *account
		if t.Creditor != nil {
			creditor = s.account(*t.Creditor)
		}
		times := movement{held: momentOf(o.Approved), shown: momentOf(t.Shown), done: momentOrNever(t.Booked), gone: momentOrNever(t.Gone)}
		switch sum, parts := o.Plan.TotalAt(i); {
		case a != debtor:
		case parts < 2: // a single transfer is booked as itself
			moved = append(moved, s.debit(o, i, 0, debtor, creditor, t.Debit, times))
		case sum != 0:
			moved = append(moved, s.total(o, i, parts, debtor, sum, times))
		}
		if a == creditor {
			times.done = momentOrNever(t.Credited)
			moved = append(moved, s.credit(o, i, 0, debtor, creditor, t.Credit, times))
		}
		if o.Order.Payment.CreditTransferTransaction[i].Frequency != nil && t.Gone.IsZero() {
			repeats = append(repeats, &standing{o, i, debtor, creditor, firstDay(&o.Order.Payment.CreditTransferTransaction[i], dayOf(o.Approved))})
		}
	}
	return moved, repeats
}

func momentOrNever(t time.Time) moment {
	if t.IsZero() {
		return never
	}
	return momentOf(t)
}

// moves returns the movements of payments on an account up to a moment, including executions of standing orders.
func (s *Sandbox) moves(a *account, until moment, orders aggregator.BankOrders) ([]movement, error) {
	fixed, repeats, err := s.dealing(a, orders)
	if err != nil || len(repeats) == 0 {
		return fixed, err
	}
	// The execution of a standing order depends on the balance of its debtor, which other standing orders may change.
	moved := map[*account][]movement{a: fixed}
	type execution struct {
		*standing
		day day
		k   int
	}
	var due []execution
	type name struct {
		number int64
		index  int
	}
	seen := map[name]bool{}
	for queue := repeats; len(queue) > 0; queue = queue[1:] {
		r := queue[0]
		if seen[name{r.order.Number, r.index}] {
			continue
		}
		seen[name{r.order.Number, r.index}] = true
		if _, known := moved[r.debtor]; !known {
			fixed, more, err := s.dealing(r.debtor, orders)
			if err != nil {
				return nil, err
			}
			moved[r.debtor] = fixed
			queue = append(queue, more...)
		}
		for k, d := range repeatDays(&r.order.Order.Payment.CreditTransferTransaction[r.index], r.first, until.day()) {
			if d.at(executionMinute) <= until {
				due = append(due, execution{r, d, k + 1})
			}
		}
	}
	slices.SortFunc(due, func(x, y execution) int {
		return cmp.Or(cmp.Compare(x.day, y.day), cmp.Compare(x.order.Number, y.order.Number), cmp.Compare(x.index, y.index))
	})
	var today day
	left := map[*account]int64{} // what debtors can still spend today; money paid to them today is not booked yet
	for _, e := range due {
		if e.day != today {
			today = e.day
			clear(left)
		}
		at := e.day.at(executionMinute)
		times := movement{held: at, shown: at, done: at + momentsOfMinute, gone: never}
		instructed, currency := instructed(&e.order.Order.Payment.CreditTransferTransaction[e.index])
		amount := convert(instructed, currency, e.debtor.data.Currency, e.day)
		if _, known := left[e.debtor]; !known {
			left[e.debtor] = s.availableOf(e.debtor, at, moved[e.debtor])
		}
		if left[e.debtor] < amount {
			continue // the balance is too small: this execution is skipped
		}
		left[e.debtor] -= amount
		moved[e.debtor] = append(moved[e.debtor], s.debit(e.order, e.index, e.k, e.debtor, e.creditor, amount, times))
		if e.creditor != nil {
			if list, known := moved[e.creditor]; known {
				moved[e.creditor] = append(list, s.credit(e.order, e.index, e.k, e.debtor, e.creditor,
					convert(instructed, currency, e.creditor.data.Currency, e.day),
					times))
			}
		}
	}
	return moved[a], nil
}

// availableOf returns what can be spent at a moment: the booked balance, less reservations and approved payments, plus the credit limit.
func (s *Sandbox) availableOf(a *account, at moment, moved []movement) int64 {
	sums := s.ledgers.take(a.bank).view(a, at).sums()
	free := sums.booked + sums.reserved + a.limit
	for i := range moved {
		m := &moved[i]
		if m.amount < 0 && m.held <= at && at < m.gone || m.amount > 0 && m.isBooked(at) {
			free += m.amount
		}
	}
	return free
}

// available returns availableOf with the movements in the store.
func (s *Sandbox) available(a *account, at moment, orders aggregator.BankOrders) (int64, error) {
	moved, err := s.moves(a, at, orders)
	if err != nil {
		return 0, err
	}
	return s.availableOf(a, at, moved), nil
}

func (a *account) key() aggregator.BankAccountKey {
	return aggregator.BankAccountKey{ASPSP: a.bank.reference(), Reference: a.reference}
}

// account returns the account of any bank with the key; nil when it is no longer in the catalogue.
func (s *Sandbox) account(key aggregator.BankAccountKey) *account {
	b, ok := s.byASPSP[key.ASPSP]
	if !ok {
		return nil
	}
	for _, a := range b.accounts {
		if a.reference == key.Reference {
			return a
		}
	}
	return nil
}

// debit returns the row of an execution in the ledger of the debtor.
func (s *Sandbox) debit(o *aggregator.BankOrder, index, k int, debtor, creditor *account, amount int64, times movement) movement {
	t := &o.Order.Payment.CreditTransferTransaction[index]
	p := &party{account: identification(t.Beneficiary.CreditorAccount)}
	if c := t.Beneficiary.Creditor; c != nil {
		p.fill(c)
	}
	if agent := t.Beneficiary.CreditorAgent; agent != nil {
		p.agent = agentData{Name: text(agent.Name), BIC: text(agent.BICFI)}
	}
	if creditor != nil {
		p.agent = agentData{Name: creditor.bank.data.Name, BIC: creditor.bank.data.BIC}
	}
	return s.row(o, index, k, "debit", debtor, -amount, p, times)
}

// total returns the row of several transfers that are booked as one sum; index is that of the first. It names no payee, only the id of their group.
func (s *Sandbox) total(o *aggregator.BankOrder, index, parts int, debtor *account, sum int64, times movement) movement {
	m := s.row(o, index, 0, "total", debtor, -sum, nil, times)
	m.reference, m.exchange = reference{}, nil
	m.text = []string{strconv.Itoa(parts) + " transfers", o.Plan.Transfers[index].Total}
	return m
}

// credit returns the row of an execution in the ledger of the creditor.
func (s *Sandbox) credit(o *aggregator.BankOrder, index, k int, debtor, creditor *account, amount int64, times movement) movement {
	p := &party{name: debtor.holderNames(), account: ptr(debtor.primary()), agent: agentData{Name: debtor.bank.data.Name, BIC: debtor.bank.data.BIC},
		country: debtor.bank.data.Country}
	if h := debtor.holders; len(h) > 0 && h[0].Street != "" {
		p.street, p.post, p.town = h[0].Street, h[0].PostCode, h[0].Town
	}
	return s.row(o, index, k, "credit", creditor, amount, p, times)
}

func (s *Sandbox) row(o *aggregator.BankOrder, index, k int, side string, a *account, amount int64, p *party, m movement) movement {
	t := &o.Order.Payment.CreditTransferTransaction[index]
	sum := sha256.Sum256([]byte(strings.Join([]string{o.ASPSP.Country, o.ASPSP.Name, o.Order.ID, strconv.Itoa(index), strconv.Itoa(k), side}, "\x00")))
	m.number = firstMoved + int(binary.BigEndian.Uint64(sum[:])>>24) // 40 bits
	m.transacted = m.shown.day()
	m.booked = m.transacted
	if m.done != never {
		m.booked = m.done.day()
	}
	m.valued = m.booked
	m.amount, m.party, m.kind = amount, p, kindOf(o.Order.Type, t)
	m.text = slices.Clone(t.RemittanceInformation)
	if number := text(t.ReferenceNumber); number != "" {
		m.reference = reference{number, schemeOf(o.Order.Type, a.bank.data.Country, number)}
		if len(m.text) == 0 {
			m.text = []string{number}
		}
	}
	if len(m.text) == 0 && t.PaymentID != nil && text(t.PaymentID.EndToEndID) != "" {
		m.text = []string{*t.PaymentID.EndToEndID}
	}
	if instructed, currency := instructed(t); currency != a.data.Currency {
		m.exchange = &exchange{
			currency: currency, original: instructed, unit: currency, factor: factor(currency, a.data.Currency, dayOf(o.Approved)),
			contract: "FX" + strconv.FormatInt(int64(m.number), 36), kind: openbanking.RateTypeAGRD,
		}
		if k > 0 {
			m.exchange.factor = factor(currency, a.data.Currency, m.transacted)
		}
	}
	return m
}

// kindOf returns the kind of a payment's rows.
func kindOf(kind openbanking.PaymentType, t *openbanking.CreditTransferTransaction) string {
	switch {
	case t.Frequency != nil:
		return "standing"
	case kind == openbanking.PaymentTypeInstSEPA:
		return "instant"
	case kind == openbanking.PaymentTypeCrossborder:
		return "crossborder"
	case kind == openbanking.PaymentTypeInternal:
		return "internal"
	case kind == openbanking.PaymentTypeSEPA || kind == openbanking.PaymentTypeBulkSEPA:
		return "transfer"
	}
	return "domestic"
}

// schemeOf returns the scheme of a reference number: the one that its form names, else the usual one for the payment or the country of the bank if the check
// digits are right; empty for any other text.
func schemeOf(kind openbanking.PaymentType, country, number string) openbanking.ReferenceNumberScheme {
	scheme, named := payrefs.Named(number)
	switch {
	case named:
	case kind == openbanking.PaymentTypeDomesticSEGiro || kind == openbanking.PaymentTypeBulkDomesticSEGiro || country == "SE":
		scheme = openbanking.ReferenceNumberSchemeSEBG
	case country == "FI":
		scheme = openbanking.ReferenceNumberSchemeFIRF
	case country == "BE":
		scheme = openbanking.ReferenceNumberSchemeBERF
	case country == "NO":
		scheme = openbanking.ReferenceNumberSchemeNORF
	}
	if scheme == "" || payrefs.Check(scheme, number) != nil {
		return ""
	}
	return scheme
}

// fill fills in the party from a payment.
func (p *party) fill(id *openbanking.PartyIdentification) {
	p.name = text(id.Name)
	if a := id.PostalAddress; a != nil {
		p.street, p.post, p.town, p.country = strings.TrimSpace(text(a.StreetName)+" "+text(a.BuildingNumber)), text(a.PostCode), text(a.TownName), text(a.Country)
	}
}

func identification(id openbanking.GenericIdentification) *openbanking.AccountIdentification {
	if id.SchemeName == openbanking.SchemeNameIBAN {
		return &openbanking.AccountIdentification{IBAN: &id.Identification}
	}
	return &openbanking.AccountIdentification{Other: &id}
}

func text(t *string) string {
	if t == nil {
		return ""
	}
	return *t
}

// instructed returns the amount of a transaction in minor units.
func instructed(t *openbanking.CreditTransferTransaction) (minor int64, currency string) {
	m, err := money.Parse(t.InstructedAmount.Amount, t.InstructedAmount.Currency)
	if err != nil { // StartPayment has checked it
		return 0, t.InstructedAmount.Currency
	}
	return m.Minor(), m.Currency()
}

// firstDay returns the day of the first execution: the requested one, for a standing order moved to a business day by its execution rule, and never in the
// past.
func firstDay(t *openbanking.CreditTransferTransaction, today day) day {
	if t.RequestedExecutionDate == nil {
		return today
	}
	d, ok := parseDay(*t.RequestedExecutionDate)
	if !ok || d <= today {
		return today
	}
	if t.Frequency != nil {
		d = max(shifted(t, d), today)
	}
	return d
}

// shifted moves a day of a standing order to a business day: the following one, unless the order says the preceding.
func shifted(t *openbanking.CreditTransferTransaction, d day) day {
	if t.ExecutionRule != nil && *t.ExecutionRule == openbanking.ExecutionRulePREC {
		return d.before()
	}
	return d.booking()
}

// repeatDays returns the days of all executions of a standing order after the first, up to a day: business days of the TARGET calendar, none after the end
// date. A daily order is executed on every business day.
func repeatDays(t *openbanking.CreditTransferTransaction, first, until day) []day {
	anchor := first
	if t.RequestedExecutionDate != nil {
		if d, ok := parseDay(*t.RequestedExecutionDate); ok && d > 0 && first-d <= 7 && d-first <= 7 {
			anchor = d // later days follow from the requested day, not from where it was moved
		}
	}
	if t.EndDate != nil {
		if end, ok := parseDay(*t.EndDate); ok {
			until = min(until, end)
		}
	}
	y, m, dom := anchor.ymd()
	var days []day
	for k := 1; ; k++ {
		var d day
		months := 0
		switch *t.Frequency {
		case openbanking.FrequencyCodeDAIL:
			d = anchor + day(k)
		case openbanking.FrequencyCodeWEEK:
			d = anchor + day(7*k)
		case openbanking.FrequencyCodeTOWK:
			d = anchor + day(14*k)
		case openbanking.FrequencyCodeMNTH:
			months = k
		case openbanking.FrequencyCodeTOMN:
			months = 2 * k
		case openbanking.FrequencyCodeQUTR:
			months = 3 * k
		case openbanking.FrequencyCodeSEMI:
			months = 6 * k
		case openbanking.FrequencyCodeYEAR:
			months = 12 * k
		default:
			return nil
		}
		if months > 0 {
			begin := dayAt(y, m+time.Month(months), 1)
			d = min(begin+day(dom)-1, begin.monthEnd())
		}
		if d > until+14 {
			return days
		}
		if *t.Frequency == openbanking.FrequencyCodeDAIL && !d.business() {
			continue
		}
		if d = shifted(t, d); d <= until && d > first && (len(days) == 0 || d > days[len(days)-1]) {
			days = append(days, d)
		}
	}
}

// ordersOf returns a function that reads orders outside of a transaction.
func (s *Sandbox) ordersOf(ctx context.Context) aggregator.BankOrders {
	return func(account aggregator.BankAccountKey, after int64) ([]aggregator.BankOrder, error) {
		return s.flows.BankOrders(ctx, account, after)
	}
}

// defaultPace is the time from one status of an order to the next.
const defaultPace = 2 * time.Second
