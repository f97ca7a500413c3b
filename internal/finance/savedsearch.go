package finance

// SavedSearch is a search that a person keeps under a name.
type SavedSearch struct {
	ID   string
	Name string
	Text string // as it stands in the search field
}

// How many searches a person can keep, and how many characters a name has at most.
const (
	MaxSavedSearches   = 50
	MaxSavedSearchName = 60
)
