package finance

// MaxCounted is up to where rows are counted that have one name.
const MaxCounted = 10_000

// GivenName is a name that a person gave to the other side of transactions.
type GivenName struct {
	Key  string // of the name that it stands for
	Was  string // that name
	Name string
}

// NamedAs says how the other side of a transaction is shown.
type NamedAs struct {
	Name  string // clean, or as the person gave it; "" when nobody is named
	Key   string // of the name; "" when it has no letters or digits
	Given bool   // by the person
	Shown string // in lists: Name, or what a rule of the person's says
	Rows  int    // how many transactions have it; more than MaxCounted is MaxCounted + 1
}
