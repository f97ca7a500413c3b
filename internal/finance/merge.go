package finance

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"florin/internal/money"
)

// MergeSide is one of two booked rows of which a person says that they are one transaction.
type MergeSide struct {
	ID        int64
	AccountID string
	Amount    money.Amount
	Unlisted  bool     // the bank no longer lists it
	Merged    int      // rows that were merged into it before
	Payment   bool     // it is the booking of a payment
	Files     []string // ids of attachments
	RowEdits
}

// What is in the way of making two rows one. ErrNoteTooLong, ErrTooManyTags and ErrTooManyAttachments say that the one row has no room for what both have.
var (
	ErrMergeSelf     = errors.New("a row cannot be merged with itself")
	ErrMergeAccounts = errors.New("rows of different accounts are no one row")
	ErrMergeAmounts  = errors.New("rows of different amounts are one row only when the bank no longer lists one of them")
	ErrMergePayments = errors.New("each of the rows is the booking of a payment")
	ErrMergeMerged   = errors.New("other rows were merged into each of the rows")
)

// MergeOrder returns which of two rows is kept when they are merged: the row that already has others merged into it, else the row that the bank still
// lists, else the first.
func MergeOrder(first, second MergeSide) (kept, other MergeSide) {
	if first.Merged == 0 && (second.Merged > 0 || first.Unlisted && !second.Unlisted) {
		return second, first
	}
	return first, second
}

// CheckMerge returns why two rows cannot be made one, in the order of MergeOrder.
func CheckMerge(kept, other MergeSide) error {
	gift := GiftOf(kept, other)
	switch {
	case kept.ID == other.ID:
		return ErrMergeSelf
	case kept.AccountID != other.AccountID:
		return ErrMergeAccounts
	case kept.Amount != other.Amount && (kept.Unlisted || !other.Unlisted || kept.Amount.Currency() != other.Amount.Currency() ||
		kept.Amount.Sign() != other.Amount.Sign()):
		return ErrMergeAmounts
	case kept.Payment && other.Payment:
		return ErrMergePayments
	case other.Merged > 0:
		return ErrMergeMerged
	case len(gift.Tags) > 0 && len(kept.Tags)+len(gift.Tags) > MaxTags:
		return ErrTooManyTags
	case gift.Note != "" && utf8.RuneCountInString(JoinNotes(kept.Note, gift.Note)) > MaxNote:
		return ErrNoteTooLong
	case len(gift.Files) > 0 && len(kept.Files)+len(gift.Files) > MaxAttachments:
		return ErrTooManyAttachments
	}
	return nil
}

// MergeGift is what a row gets from another one that is merged into it, beside what it has.
type MergeGift struct {
	Note     string   `json:"note,omitempty"` // lines that come below its own
	Tags     []string `json:"tags,omitempty"`
	Reviewed bool     `json:"reviewed,omitempty"`
	Category string   `json:"category,omitempty"` // id of the one that the person chose
	Parts    bool     `json:"parts,omitempty"`    // those of the other row
	Files    []string `json:"files,omitempty"`    // ids of attachments
}

// GiftOf returns what the kept row takes over from the other one. It keeps its own category if the person chose it; otherwise it takes the one that the
// person chose for the other row. It takes the other row's parts only when it has none itself and the amounts are equal.
func GiftOf(kept, other MergeSide) MergeGift {
	g := MergeGift{Reviewed: other.Reviewed && !kept.Reviewed, Parts: other.Split && !kept.Split && kept.Amount == other.Amount}
	if !hasLines(kept.Note, other.Note) {
		g.Note = other.Note
	}
	for _, tag := range other.Tags {
		if !hasTag(kept.Tags, tag) {
			g.Tags = append(g.Tags, tag)
		}
	}
	if other.ByHand && !kept.ByHand {
		g.Category = other.Category
	}
	for _, file := range other.Files {
		if !slices.Contains(kept.Files, file) {
			g.Files = append(g.Files, file)
		}
	}
	return g
}

// JoinNotes puts one note below another.
func JoinNotes(note, below string) string { return strings.Trim(note+"\n"+below, "\n") }

// hasLines reports whether a note has all of some lines, one after the other; it has no lines at all.
func hasLines(note, lines string) bool {
	return lines == "" || strings.Contains("\n"+note+"\n", "\n"+lines+"\n")
}

// TakeLines returns a note without some lines of it, where they stand last. A note that no longer has them stays as it is.
func TakeLines(note, lines string) string {
	text := "\n" + note + "\n"
	at := strings.LastIndex(text, "\n"+lines+"\n")
	if lines == "" || at < 0 {
		return note
	}
	return strings.Trim(text[:at]+text[at+1+len(lines):], "\n")
}

// Double is a row that may be a duplicate of another row.
type Double struct {
	Index  int
	Likely bool // it is with the same party or says the same, and the amount and nearly the day are the same
}

// Doubles returns the rows that may be duplicates of a row, the likeliest first: rows with the same counterparty or text, then rows without a
// contradiction, each group by distance in time. A row with another amount is returned only when it has the same counterparty.
func Doubles(row SeenRow, others []SeenRow) []Double {
	type ranked struct {
		Double
		same, against bool
		days          int
	}
	var all []ranked
	days := daysOf(row)
	for i, o := range others {
		r := ranked{Double: Double{Index: i}, same: sameParty(row, o), against: differ(row, o), days: 1 << 30}
		for _, a := range days {
			for _, b := range daysOf(o) {
				r.days = min(r.days, max(a-b, b-a))
			}
		}
		if o.Amount != row.Amount && !r.same {
			continue
		}
		r.Likely = r.same && o.Amount == row.Amount && r.days <= AgainDays
		all = append(all, r)
	}
	slices.SortStableFunc(all, func(a, b ranked) int {
		return cmp.Or(-compareBool(a.Likely, b.Likely), -compareBool(a.same, b.same), compareBool(a.against, b.against), cmp.Compare(a.days, b.days))
	})
	list := make([]Double, len(all))
	for i, r := range all {
		list[i] = r.Double
	}
	return list
}
