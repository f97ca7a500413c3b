package finance

// SavedSearch is a search or a report that a person keeps under a name.
type SavedSearch struct {
	ID   string
	Kind SavedKind
	Name string
	Text string // as it stands in the search field, or in the address of the report

	Household bool // a search is over the household, and not over the own accounts alone; the address of a report says so itself
}

// SavedKind says what is kept.
type SavedKind string

// Values of SavedKind.
const (
	SavedTransactions SavedKind = "transactions" // what a search finds
	SavedReport       SavedKind = "report"
)

// How many searches and how many reports a person can keep, and how many characters a name has at most.
const (
	MaxSavedSearches   = 50
	MaxSavedSearchName = 60
)
