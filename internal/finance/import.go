package finance

import (
	"time"

	"florin/internal/openbanking"
)

// Import is a file whose rows went into accounts.
type Import struct {
	ID      string
	File    string // its name
	Format  string
	Parts   []ImportPart // one for each account, at least one
	Created time.Time
	Undone  time.Time // zero unless it was undone
}

// ImportPart is what a file brought into one account.
type ImportPart struct {
	AccountID string
	Brought   int  // rows that it brought
	Left      int  // of them those that would go if it was undone: a bank has not brought them since
	Edited    int  // of those, the ones that the person has done something to
	Goes      bool // the account was made for the file and holds nothing else, so that it would go, too
}

// Total is what a file brought into all its accounts together.
func (i Import) Total() (total ImportPart) {
	for _, p := range i.Parts {
		total.Brought, total.Left, total.Edited = total.Brought+p.Brought, total.Left+p.Left, total.Edited+p.Edited
	}
	return total
}

// ImportTarget is an account into which rows of a file go.
type ImportTarget struct {
	Account Account // without an id when it is made for them
	Opening Value   // of an account that is made
	Rows    []ImportRow
}

// ImportRow is a row of a file that is to be imported.
type ImportRow struct {
	Entry
	Line     int       // of the file
	Place    int       // among the rows of the file, from 0
	Exported *Exported // nil for rows of others
}

// Exported is what a row was in the Florin that exported it, beside what its bank said.
type Exported struct {
	Annotation
	ID       string      // ExportedRow.StableID
	Payee    string      // with which it was shown
	Category string      // id; "" for none
	Parts    []SplitPart // nil when it was not split
	Reviewed bool
}

// Seen is what tells whether the row is there already.
func (r ImportRow) Seen() SeenRow {
	return SeenRow{Identity: r.Identity, Amount: r.Amount, Name: r.Counterparty, Account: r.CounterpartyAccount, Text: r.Remittance,
		Dates: []openbanking.Date{r.Date, r.BookingDate, r.ValueDate, r.TransactionDate}}
}

// ImportDraft is a file that was chosen and is not imported yet.
type ImportDraft struct {
	File     string
	Content  []byte
	Settings string // what the person said of it, in the words of the caller
	Created  time.Time
}
