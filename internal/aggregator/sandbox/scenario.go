package sandbox

import (
	"context"
	"slices"
	"time"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
)

// scenario is a quirk of real banks that one can choose (api-notes 10). A bank or a user of the catalogue names it. It consists of functions that each
// change one answer of the bank; a nil function changes nothing. The scenarios of the bank apply first, then those of the user.
type scenario struct {
	name   string // in the catalogue
	group  string // heading in lists
	bank   string // what the bank does, a sentence
	client string // what a client does about it, a sentence

	gate     func(ctx context.Context, v view) error // called before an answer is made
	details  func(v view, a *aggregator.BankAccount)
	balances func(v view, list []openbanking.BalanceResource) ([]openbanking.BalanceResource, error)
	query    func(v view, q *aggregator.TransactionQuery) error
	lines    func(v view, list []line) []line
	turn     func(v view, q aggregator.TransactionQuery, next turner) (aggregator.TransactionPage, error)

	order func(x *execution)                                       // changes a transaction of an approved order
	whole func(plan aggregator.BankPlan) []aggregator.BankPlanStep // status of the order as a whole, when it does not follow from its transactions
	asked func(ctx context.Context) error                          // called before the bank reports the status of an order

	validity   time.Duration // the longest consent that the bank grants; zero: no limit
	oneConsent bool          // a new consent of a user ends the older ones
}

// turner returns one page of a listing.
type turner func(q aggregator.TransactionQuery) (aggregator.TransactionPage, error)

// line is a row of a listing with its permanent number in the ledger.
type line struct {
	openbanking.Transaction
	index int
	entry *entry
}

// view is an account as one call of one consent sees it.
type view struct {
	account   *account
	user      *user
	flow      aggregator.BankFlow
	kind      aggregator.FetchKind
	later     bool // it is not the first page of a listing
	attended  bool
	now       time.Time
	asOf      moment // when the listing began
	from, to  day    // of the listing
	scenarios []*scenario
}

// scenariosOf returns the scenarios of a user of the bank. The catalogue has checked the names.
func (b *Bank) scenariosOf(u *user) []*scenario {
	var list []*scenario
	for _, name := range slices.Concat(b.data.Scenarios, u.Scenarios) {
		if s, ok := scenarioNamed(name); ok {
			list = append(list, s)
		}
	}
	return list
}

func scenarioNamed(name string) (*scenario, bool) {
	i := slices.IndexFunc(scenarios, func(s scenario) bool { return s.name == name })
	if i < 0 {
		return nil, false
	}
	return &scenarios[i], true
}

// pass calls the gates of the scenarios.
func (v view) pass(ctx context.Context) error {
	for _, s := range v.scenarios {
		if s.gate == nil {
			continue
		}
		if err := s.gate(ctx, v); err != nil {
			return err
		}
	}
	return nil
}

// today returns the day of asOf.
func (v view) today() day { return v.asOf.day() }

func (v view) details() aggregator.BankAccount {
	a := v.account.describe(v.user)
	if v.account.bank.listsOnly(v.flow) {
		a.Blocked = true
	}
	for _, s := range v.scenarios {
		if s.details != nil {
			s.details(v, &a)
		}
	}
	return a
}

func (v view) balances() ([]openbanking.BalanceResource, error) {
	list := v.account.balances(v.asOf)
	for _, s := range v.scenarios {
		if s.balances == nil {
			continue
		}
		var err error
		if list, err = s.balances(v, list); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// page returns a page of a listing. Without a scenario it only reads the rows that it returns.
func (v view) page(query aggregator.TransactionQuery) (aggregator.TransactionPage, error) {
	if len(v.scenarios) == 0 {
		return v.account.page(query, v.asOf)
	}
	turn := v.listed
	for _, s := range slices.Backward(v.scenarios) {
		if s.turn != nil {
			next := turn
			turn = func(q aggregator.TransactionQuery) (aggregator.TransactionPage, error) { return s.turn(v, q, next) }
		}
	}
	return turn(query)
}

// listed makes the whole listing with the scenarios, and returns one page of it.
func (v view) listed(query aggregator.TransactionQuery) (aggregator.TransactionPage, error) {
	position := cursor{asOf: v.asOf}
	if query.Cursor != "" {
		var ok bool
		if position, ok = parseCursor(query.Cursor); !ok || position.asOf > v.asOf {
			return aggregator.TransactionPage{}, openbanking.WrongContinuationKey
		}
		v.asOf = position.asOf
	}
	for _, s := range v.scenarios {
		if s.query == nil {
			continue
		}
		if err := s.query(v, &query); err != nil {
			return aggregator.TransactionPage{}, err
		}
	}
	list, err := v.lines(query)
	if err != nil {
		return aggregator.TransactionPage{}, err
	}
	if position.offset > len(list) {
		return aggregator.TransactionPage{}, openbanking.WrongContinuationKey
	}
	page := aggregator.TransactionPage{Transactions: []openbanking.Transaction{}}
	stop := min(position.offset+v.account.bank.data.PageSize, len(list))
	for _, l := range list[position.offset:stop] {
		page.Transactions = append(page.Transactions, l.Transaction)
	}
	if stop < len(list) {
		page.Next = cursor{position.asOf, stop}.String()
	}
	return page, nil
}

// lines returns all rows of a listing with the scenarios, newest first.
func (v view) lines(query aggregator.TransactionQuery) ([]line, error) {
	var err error
	if v.from, v.to, err = period(query, v.today()); err != nil {
		return nil, err
	}
	ledger := v.account.bank.sandbox.ledgers.view(v.account, v.asOf)
	terse := !v.account.bank.data.Habits.TransactionDetails
	var list []line
	for _, i := range ledger.waiting() {
		if e := ledger.entry(i); e.transacted >= v.from && e.transacted <= v.to && !v.account.bank.data.Habits.NoPending {
			number := ledger.number(i)
			list = append(list, line{v.account.transaction(number, e, nil, terse), number, e})
		}
	}
	first, end := ledger.booked(v.from, v.to)
	for i := end - 1; i >= first; i-- {
		index := int(ledger.order[i])
		list = append(list, line{ledger.at(i), ledger.number(index), ledger.entry(index)})
	}
	for _, s := range v.scenarios {
		if s.lines != nil {
			list = s.lines(v, list)
		}
	}
	if query.Status != "" {
		list = slices.DeleteFunc(list, func(l line) bool { return l.Status != query.Status })
	}
	return list, nil
}

// Scenario is a quirk of real banks for lists on pages and in documents.
type Scenario struct {
	Name   string
	Group  string
	Bank   string // what the bank does
	Client string // what a client does about it
	Places []ScenarioPlace
}

// ScenarioPlace says where a scenario can be met: at a bank, for one of its users or for all.
type ScenarioPlace struct {
	Bank *Bank
	User SampleUser // the zero SampleUser: every user
}

// Scenarios returns every scenario and where the banks of this catalogue have it.
func (s *Sandbox) Scenarios() []Scenario {
	list := make([]Scenario, len(scenarios))
	for i, known := range scenarios {
		list[i] = Scenario{Name: known.name, Group: known.group, Bank: known.bank, Client: known.client}
		for _, b := range s.banks {
			if slices.Contains(b.data.Scenarios, known.name) {
				list[i].Places = append(list[i].Places, ScenarioPlace{Bank: b})
			}
			for _, u := range b.users {
				if slices.Contains(u.Scenarios, known.name) {
					list[i].Places = append(list[i].Places, ScenarioPlace{b, SampleUser{u.Username, u.Password, u.OTP, u.Name, u.PSUType}})
				}
			}
		}
	}
	return list
}
