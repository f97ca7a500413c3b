package finance

// ShareLevel is how much of an account its owner shares.
type ShareLevel string

// Values of ShareLevel. ShareNothing is never stored.
const (
	ShareNothing    ShareLevel = ""
	ShareBalances   ShareLevel = "balances"   // its name and its balances
	ShareEverything ShareLevel = "everything" // its transactions too
)

// ShareLevels are all levels, from the one that shows least.
var ShareLevels = []ShareLevel{ShareNothing, ShareBalances, ShareEverything}

// Share is what the owner of an account lets another person see of it.
type Share struct {
	ReaderID string // a user; "" is everybody who uses this Florin, also those who join later
	Level    ShareLevel
}

// SharedAccount is an account of somebody else as a person sees it. What its owner calls it is left out, unless no bank names it.
type SharedAccount struct {
	Account
	Owner      User
	Level      ShareLevel
	Connection Connection // its bank; zero for an account that its owner keeps
	Balances   []Balance  // in the order of the bank
}

// SameAccount reports whether two accounts, of whomever, are the same one at the bank: they have one identification hash and one currency.
func SameAccount(a, b Account) bool {
	return a.Hash != "" && a.Hash == b.Hash && a.Currency == b.Currency
}

// CountOnce returns those of the shared accounts that are neither among the person's own nor twice among themselves: a joint account that two people linked
// counts once.
func CountOnce(own []Account, shared []SharedAccount) []SharedAccount {
	counted := append([]Account(nil), own...)
	var rest []SharedAccount
	for _, s := range shared {
		twice := false
		for _, a := range counted {
			twice = twice || SameAccount(a, s.Account)
		}
		if !twice {
			counted, rest = append(counted, s.Account), append(rest, s)
		}
	}
	return rest
}
