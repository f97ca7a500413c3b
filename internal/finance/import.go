package finance

import (
	"time"

	"florin/internal/openbanking"
)

// Import is a file whose rows went into an account.
type Import struct {
	ID        string
	AccountID string
	File      string // its name
	Format    string
	Brought   int // rows that it brought
	Left      int // of them those that would go if it was undone: a bank has not brought them since
	Edited    int // of those, the ones that the person has done something to
	Created   time.Time
	Undone    time.Time // zero unless it was undone
}

// ImportRow is a row of a file that is to be imported.
type ImportRow struct {
	Entry
	Line       int
	Exported   string // the name that an export of Florin gave the row, ExportedRow.StableID; "" for others
	Annotation        // what the person kept with it there
	Category   string // id of the category that the person chose there; "" for none
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
