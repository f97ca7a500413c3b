package finance

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// BulkEdit is a change of many transactions at once. Which ones is settled when it is begun: what comes later is not among them.
type BulkEdit struct {
	UserID   string
	ID       string
	State    BulkState
	Change   BulkChange
	Search   string // the search whose rows were chosen; "" when all were, or each by itself
	Rows     int    // that were chosen, in accounts of the person
	Others   int    // that were chosen, too, and are in accounts of others: they are left alone
	Changed  int    // that are another way now
	NoRoom   int    // that stay as they were, since they can hold no more tags or no longer note
	Restored int    // that an undo put back
	Edited   int    // that an undo left, since a hand has changed them again
	Begun    time.Time

	Household bool      // the rows were chosen in the household
	Ended     time.Time // zero until it is done
}

// BulkState says how far a bulk edit is.
type BulkState string

// Values of BulkState.
const (
	BulkDraft   BulkState = "draft" // nothing is changed yet
	BulkRunning BulkState = "running"
	BulkDone    BulkState = "done"
	BulkUndoing BulkState = "undoing"
	BulkUndone  BulkState = "undone"
)

// MaxBulkRows is how many transactions a bulk edit changes at most.
const MaxBulkRows = 100_000

// BulkChange is what a bulk edit does to each transaction. Its zero value does nothing.
type BulkChange struct {
	Category string   `json:"category,omitempty"` // id
	Tags     []string `json:"tags,omitempty"`     // to be there
	Untag    []string `json:"untag,omitempty"`    // not to be there, in whatever capitals
	Reviewed *bool    `json:"reviewed,omitempty"`
	Note     string   `json:"note,omitempty"` // to stand below the note that there is
}

// Empty reports whether a change does nothing.
func (c BulkChange) Empty() bool {
	return c.Category == "" && len(c.Tags)+len(c.Untag) == 0 && c.Reviewed == nil && c.Note == ""
}

// Digest returns a short hash of the change. A bulk edit is carried out only if its change has the digest of the preview that the person saw.
func (c BulkChange) Digest() string {
	text, _ := json.Marshal(c) // of texts, lists of texts and a truth value
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// RowEdits is what a person can change about a transaction.
type RowEdits struct {
	Category string // id
	ByHand   bool   // the person chose the category
	Split    bool   // into parts, which have categories of their own instead
	Reviewed bool
	Annotation
}

// Apply returns what a transaction is like after the change. ErrTooManyTags and ErrNoteTooLong when it has no room for it.
func (c BulkChange) Apply(e RowEdits) (RowEdits, error) {
	if c.Category != "" && !e.Split {
		e.Category, e.ByHand = c.Category, true
	}
	if c.Reviewed != nil {
		e.Reviewed = *c.Reviewed
	}
	tags := slices.DeleteFunc(slices.Clone(e.Tags), func(tag string) bool { return hasTag(c.Untag, tag) })
	for _, tag := range c.Tags {
		if !hasTag(tags, tag) {
			tags = append(tags, tag)
		}
	}
	slices.Sort(tags)
	if len(tags) > max(MaxTags, len(e.Tags)) {
		return e, ErrTooManyTags
	}
	e.Tags = tags
	if c.Note != "" && !strings.Contains("\n"+e.Note+"\n", "\n"+c.Note+"\n") {
		e.Note = strings.TrimPrefix(e.Note+"\n"+c.Note, "\n")
		if utf8.RuneCountInString(e.Note) > MaxNote {
			return e, ErrNoteTooLong
		}
	}
	return e, nil
}

// hasTag reports whether a tag is in a list, in whatever capitals.
func hasTag(tags []string, tag string) bool {
	return slices.ContainsFunc(tags, func(t string) bool { return strings.EqualFold(t, tag) })
}

// Equal reports whether two transactions are the same to the person. Tags are in the order of the alphabet.
func (e RowEdits) Equal(other RowEdits) bool {
	return e.Category == other.Category && e.ByHand == other.ByHand && e.Reviewed == other.Reviewed && e.Note == other.Note && slices.Equal(e.Tags, other.Tags)
}
