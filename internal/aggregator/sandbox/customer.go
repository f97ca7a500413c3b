package sandbox

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
)

// keepConsents is how long visits and consents remain visible after their end.
const keepConsents = 30 * 24 * time.Hour

// Errors of the page where a user sees and ends consents.
var (
	// ErrWrongSignIn says that user, password or one-time code are wrong, but not which.
	ErrWrongSignIn = errors.New("sandbox: wrong user, password or one-time code")
	// ErrNoConsent says that the user has given no such consent, or that it has ended.
	ErrNoConsent = errors.New("sandbox: no such consent")
)

// Customer is a user of a bank who is signed in to see their consents.
type Customer struct {
	Bank     *Bank
	Username string
	Name     string
}

// Customer returns the user of the bank with a user name.
func (b *Bank) Customer(username string) (Customer, bool) {
	u := b.user(username)
	if u == nil {
		return Customer{}, false
	}
	return Customer{Bank: b, Username: u.Username, Name: u.Name}, true
}

// Authenticate checks the credentials of a user who wants to see their consents. The error is ErrWrongSignIn. A bank without credentials only asks for the
// user name.
func (b *Bank) Authenticate(username, password, otp string) (Customer, error) {
	c, ok := b.Customer(username)
	if !ok {
		return Customer{}, ErrWrongSignIn
	}
	if u := b.user(username); !b.data.NoCredentials && (!same(u.Password, password) || !same(u.OTP, otp)) {
		return Customer{}, ErrWrongSignIn
	}
	return c, nil
}

// GivenConsent is a consent as the bank shows it to the user who has given it.
type GivenConsent struct {
	ID           string
	Application  string
	Balances     bool
	Transactions bool
	ListOnly     bool           // it only covers the list of accounts
	Accounts     []GivenAccount // the covered accounts
	Given        time.Time
	Until        time.Time // when it ends, or has ended
	Active       bool
	EndedBy      aggregator.ConsentEnder // empty when it has expired
}

// GivenAccount is an account of a consent, as its holder knows it.
type GivenAccount struct {
	Name     string // the user's name of it, else the bank's
	Number   string
	Currency string
}

// Consents returns the consents of a customer, the newest first. Ended ones are included for thirty days.
func (s *Sandbox) Consents(ctx context.Context, c Customer) ([]GivenConsent, error) {
	flows, err := s.flows.BankConsents(ctx, c.Bank.reference(), c.Username)
	if err != nil {
		return nil, err
	}
	var list []GivenConsent
	for _, flow := range flows {
		if flow.Expires.Before(s.now().Add(-keepConsents)) { // not purged yet
			continue
		}
		given := GivenConsent{
			ID:           flow.ID,
			Application:  flow.Request.ApplicationName,
			Balances:     flow.Request.Balances,
			Transactions: flow.Request.Transactions,
			ListOnly:     c.Bank.listsOnly(flow),
			Given:        flow.Created,
			Until:        flow.Expires,
			Active:       flow.Step == aggregator.BankFlowFinished && s.now().Before(flow.Expires),
			EndedBy:      flow.EndedBy,
		}
		for _, a := range c.Bank.user(c.Username).accounts {
			if slices.Contains(flow.Accounts, a.reference) {
				given.Accounts = append(given.Accounts, GivenAccount{cmp.Or(a.data.Details, a.product()), a.number(), a.data.Currency})
			}
		}
		list = append(list, given)
	}
	return list, nil
}

// Revoke ends a consent of a customer. The error is ErrNoConsent when it is not the customer's or has ended.
func (s *Sandbox) Revoke(ctx context.Context, c Customer, id string) error {
	flow, err := s.flows.BankFlow(ctx, id)
	if err != nil && !errors.Is(err, aggregator.ErrNotFound) {
		return err
	}
	if err != nil || !c.Bank.owns(flow) || flow.Username != c.Username {
		return ErrNoConsent
	}
	ended, err := c.Bank.end(ctx, id, aggregator.EndedByUser)
	if err == nil && !ended {
		return ErrNoConsent
	}
	return err
}

// Purge deletes visits and consents that ended more than thirty days ago.
func (s *Sandbox) Purge(ctx context.Context) error {
	return s.flows.PurgeBankFlows(ctx, s.now().Add(-keepConsents))
}

// Chooses reports whether users choose the accounts that a consent covers.
func (b *Bank) Chooses() bool { return b.data.Access == accessChoice }

// Usernames returns the names of all users.
func (b *Bank) Usernames() []string {
	names := make([]string, len(b.users))
	for i, u := range b.users {
		names[i] = u.Username
	}
	return names
}

func (b *Bank) reference() openbanking.ASPSP {
	return openbanking.ASPSP{Name: b.data.Name, Country: b.data.Country}
}

// end ends a valid consent, and reports whether it was valid. It notifies the service, unless the service asked for it.
func (b *Bank) end(ctx context.Context, id string, by aggregator.ConsentEnder) (bool, error) {
	ended := false
	now := b.sandbox.now()
	err := b.sandbox.flows.UpdateBankFlow(ctx, id, func(flow *aggregator.BankFlow) error {
		if ended = b.owns(*flow) && flow.Step == aggregator.BankFlowFinished && now.Before(flow.Expires); ended {
			flow.Step, flow.Expires, flow.EndedBy = aggregator.BankFlowEnded, now, by
		}
		return nil
	})
	if errors.Is(err, aggregator.ErrNotFound) {
		return false, nil
	}
	if err != nil || !ended {
		return false, err
	}
	if by != aggregator.EndedByService {
		b.sandbox.consentEnded(ctx, b.reference(), id, by == aggregator.EndedByUser)
	}
	return true, nil
}

// endOlder ends other consents of the user who has given this one, when the bank allows only one.
func (b *Bank) endOlder(ctx context.Context, given aggregator.BankFlow) error {
	u := b.user(given.Username)
	if u == nil {
		return nil
	}
	one := false
	for _, s := range b.scenariosOf(u) {
		one = one || s.oneConsent
	}
	if !one {
		return nil
	}
	flows, err := b.sandbox.flows.BankConsents(ctx, b.reference(), u.Username)
	if err != nil {
		return err
	}
	for _, flow := range flows {
		if flow.ID == given.ID {
			continue
		}
		if _, err := b.end(ctx, flow.ID, aggregator.EndedByBank); err != nil {
			return err
		}
	}
	return nil
}
