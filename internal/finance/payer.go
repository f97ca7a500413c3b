package finance

import (
	"slices"
	"time"

	"florin/internal/openbanking"
)

// PayObstacle is why nothing can be paid from an account; "" when something can, as far as the account itself goes.
type PayObstacle string

// Values of PayObstacle.
const (
	PayServiceRemoved PayObstacle = "service_removed" // the banking service through which it was linked was taken out
	PayDisconnected   PayObstacle = "disconnected"    // the user disconnected its bank
	PayConsentEnded   PayObstacle = "consent_ended"   // it ran out, or was withdrawn
	PayNotAccessible  PayObstacle = "not_accessible"  // the bank does not share the account, or no longer
	PayFromCard       PayObstacle = "card"
	PayFromLoan       PayObstacle = "loan"
)

// OwnAccounts returns those accounts of a user that one provider has listed. Only they count as the user's own for a payment through that provider: another
// one could list the account of a fraud, and nobody would be warned of it.
func OwnAccounts(accounts []Account, connections []Connection, providerID string) []Account {
	return slices.DeleteFunc(slices.Clone(accounts), func(a Account) bool {
		return !slices.ContainsFunc(connections, func(c Connection) bool { return c.ID == a.ConnectionID && c.ProviderID == providerID })
	})
}

// SendObstacle says why the person cannot send a payment from an account in the app of its bank; "" when that can be.
func (a Account) SendObstacle() PayObstacle {
	switch {
	case a.Type == openbanking.CashAccountTypeCARD:
		return PayFromCard
	case a.Type == openbanking.CashAccountTypeLOAN:
		return PayFromLoan
	case a.Source == SourceValue, !a.Closed.IsZero():
		return PayNotAccessible
	}
	return ""
}

// PayObstacle says why nothing can be paid from an account of the connection at a time.
func (c Connection) PayObstacle(a Account, now time.Time) PayObstacle {
	switch state := c.State(now); {
	case state == ConnectionDisconnected:
		return PayDisconnected
	case state != ConnectionActive:
		return PayConsentEnded
	case a.Type == openbanking.CashAccountTypeCARD:
		return PayFromCard
	case a.Type == openbanking.CashAccountTypeLOAN:
		return PayFromLoan
	case a.UID == "":
		return PayNotAccessible
	}
	return ""
}
