package finance

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"florin/internal/iban"
	"florin/internal/money"
	"florin/internal/openbanking"
)

// NoCurrency is what a bank sends when it does not know the currency of an account (ISO 4217; api-notes 7).
const NoCurrency = "XXX"

// Account is one account of a user: one currency of one account number. It outlives the connections that brought it.
type Account struct {
	ID           string
	UserID       string
	ConnectionID string   // that brings it, or brought it before the person kept it (Linked); "" when no bank ever did
	Source       Source   // where its figures come from
	Hash         string   // identification_hash
	Hashes       []string // identification_hashes, the main one among them
	BankCurrency string   // as the bank names it, maybe XXX; part of the identity
	Currency     string   // as shown: BankCurrency, or the currency of the transactions when the bank says XXX
	UID          string   // valid in the present session only; "" when data cannot be fetched
	Nickname     string   // given by the user
	Holder       string   // name(s) of the holder(s)
	Details      string   // description by the bank or the user at the bank
	Product      string
	Type         openbanking.CashAccountType
	Usage        openbanking.Usage // "" when not given
	IBAN         string            // "" when there is none
	Number       string            // the other identifier, when there is no IBAN
	Scheme       openbanking.SchemeName
	CreditLimit  string // as the bank wrote it, with its currency; "" when not given
	Transactions int64  // booked rows held
	HistoryFrom  openbanking.Date
	Created      time.Time
	Institution  string    // where the person says that it is, when no bank brings it
	Closed       time.Time // zero while it is in use, and for those that a bank brings
	Simulated    bool      // the person keeps it, and its rows came from the export of a simulated bank

	Counts openbanking.BalanceStatus // the type of balance that the person wants to count; "" for the one that counts by itself
}

// Contents is how much accounts hold.
type Contents struct{ Transactions, Notes, Attachments int }

// Name is what the account is called: the nickname, else the bank's description or product; "" when it has none.
func (a Account) Name() string { return cmp.Or(a.Nickname, a.Details, a.Product) }

// Last4 is the last four characters of the account number, by which people tell accounts apart; "" without a number.
func (a Account) Last4() string {
	number := a.IBAN
	if number == "" {
		number = a.Number
	}
	r := []rune(number)
	return string(r[max(0, len(r)-4):])
}

// Wallets puts together what belongs to pockets of one account: the accounts of a connection with one IBAN, each in another currency. People see one account
// there. What belongs to any other account stands alone. The order is that of the first of each.
func Wallets[T any](list []T, accountOf func(T) Account) (wallets [][]T) {
	for _, one := range list {
		account := accountOf(one)
		i := slices.IndexFunc(wallets, func(wallet []T) bool {
			return !slices.ContainsFunc(wallet, func(other T) bool { return !account.pocketBeside(accountOf(other)) })
		})
		if i < 0 {
			wallets = append(wallets, []T{one})
		} else {
			wallets[i] = append(wallets[i], one)
		}
	}
	return wallets
}

// pocketBeside reports whether two accounts are pockets of one.
func (a Account) pocketBeside(b Account) bool {
	return a.IBAN != "" && a.IBAN == b.IBAN && a.ConnectionID != "" && a.ConnectionID == b.ConnectionID && a.Type == b.Type && a.Source == b.Source &&
		a.Closed.IsZero() == b.Closed.IsZero() && a.Currency != b.Currency && a.Currency != NoCurrency && b.Currency != NoCurrency
}

// ReadAccount reads what the bank says about an account. Identity, ids, nickname and counters are left to the caller's row.
func ReadAccount(wire openbanking.AccountResource) Account {
	a := Account{
		Hash:         wire.IdentificationHash,
		Hashes:       allHashes(wire),
		BankCurrency: bankCurrency(wire.Currency),
		UID:          value(wire.UID),
		Holder:       Clean(value(wire.Name)),
		Details:      Clean(value(wire.Details)),
		Product:      Clean(value(wire.Product)),
		Type:         wire.CashAccountType,
		Usage:        value(wire.Usage),
	}
	a.Currency = a.BankCurrency
	if id := wire.AccountID; id != nil {
		if id.IBAN != nil {
			a.IBAN = strings.ReplaceAll(strings.ToUpper(*id.IBAN), " ", "")
		} else if id.Other != nil {
			a.Number, a.Scheme = Clean(id.Other.Identification), id.Other.SchemeName
		}
	}
	if a.IBAN != "" {
		if checked, err := iban.Parse(a.IBAN); err == nil {
			a.IBAN = checked.String()
		}
	}
	if l := wire.CreditLimit; l != nil {
		if _, err := money.Parse(l.Amount, realCurrency(l.Currency, a.Currency)); err == nil {
			a.CreditLimit = l.Amount + " " + realCurrency(l.Currency, a.Currency)
		}
	}
	return a
}

// Renewed returns the account with what the bank says now. Fields that are ours, such as the nickname, stay.
func (a Account) Renewed(now Account) Account {
	now.ID, now.UserID, now.Nickname, now.Counts = a.ID, a.UserID, a.Nickname, a.Counts
	now.Transactions, now.HistoryFrom, now.Created = a.Transactions, a.HistoryFrom, a.Created
	now.ConnectionID = a.ConnectionID
	if now.BankCurrency == NoCurrency { // the currency learnt before stays
		now.BankCurrency, now.Currency = a.BankCurrency, a.Currency
	}
	return now
}

// MatchAccounts finds accounts again (architecture 5, rule 1). The result has one index into known for each incoming
// account, -1 for a new one; no known account is given out twice. Both must belong to one user and one bank.
//
// An account is its identification_hash and its currency. Where that finds nothing, a known account whose identification_hashes
// overlap and whose currency is the same is taken, but only when it is the only one and nobody else claims it: pockets of
// one IBAN share hashes. A currency that the bank does not tell (XXX) fits any, under the same condition. The uid is never looked at.
func MatchAccounts(known, incoming []Account) []int {
	match := make([]int, len(incoming))
	taken := make([]bool, len(known))
	for i := range match {
		match[i] = -1
	}
	for i, in := range incoming { // the identity itself
		k := slices.IndexFunc(known, func(k Account) bool { return k.Hash == in.Hash && k.BankCurrency == in.BankCurrency })
		if k >= 0 && !taken[k] {
			match[i], taken[k] = k, true
		}
	}
	rules := []func(k, in Account) bool{ // what is left, where it is unambiguous
		func(k, in Account) bool { return k.Hash == in.Hash && oneUnknown(k, in) },
		func(k, in Account) bool { return overlap(k.Hashes, in.Hashes) && k.BankCurrency == in.BankCurrency },
		func(k, in Account) bool { return overlap(k.Hashes, in.Hashes) && oneUnknown(k, in) },
	}
	for _, rule := range rules {
		// Candidates are counted on both sides before any is taken, so the order of the lists decides nothing.
		type pair struct{ in, known int }
		var pairs []pair
		perIn, perKnown := map[int]int{}, map[int]int{}
		for i := range incoming {
			for k := range known {
				if match[i] < 0 && !taken[k] && rule(known[k], incoming[i]) {
					pairs = append(pairs, pair{i, k})
					perIn[i]++
					perKnown[k]++
				}
			}
		}
		for _, p := range pairs {
			if perIn[p.in] == 1 && perKnown[p.known] == 1 {
				match[p.in], taken[p.known] = p.known, true
			}
		}
	}
	return match
}

func oneUnknown(a, b Account) bool {
	return a.BankCurrency == NoCurrency || b.BankCurrency == NoCurrency
}

func overlap(a, b []string) bool {
	return slices.ContainsFunc(a, func(h string) bool { return h != "" && slices.Contains(b, h) })
}

// allHashes is identification_hashes with the main one first, without repeats and empty ones.
func allHashes(wire openbanking.AccountResource) []string {
	var all []string
	for _, h := range append([]string{wire.IdentificationHash}, wire.IdentificationHashes...) {
		if h != "" && !slices.Contains(all, h) {
			all = append(all, h)
		}
	}
	return all
}

func bankCurrency(c string) string {
	if c == "" {
		return NoCurrency
	}
	return c
}

// realCurrency is c, or fallback when c says nothing.
func realCurrency(c, fallback string) string {
	if (c == "" || c == NoCurrency) && fallback != "" {
		return fallback
	}
	return bankCurrency(c)
}

// value is what p points to, or the zero value.
func value[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}

// MainCurrency is the currency into which sums of a person are converted: the one that the person chose, else that of most accounts that are not closed, and
// among several the euro or else the first by its code. It is the euro without accounts.
func MainCurrency(user User, accounts []Account) string {
	if user.Currency != "" {
		return user.Currency
	}
	count := map[string]int{}
	for _, a := range accounts {
		if a.Closed.IsZero() && a.Currency != NoCurrency {
			count[a.Currency]++
		}
	}
	best := "EUR"
	for _, currency := range slices.Sorted(maps.Keys(count)) {
		if count[currency] > count[best] {
			best = currency
		}
	}
	return best
}
