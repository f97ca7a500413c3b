package finance

import (
	"errors"
	"strings"
	"unicode/utf8"

	"florin/internal/money"
)

// SplitPart is a part of a transaction that was for several things.
type SplitPart struct {
	Amount   money.Amount // below zero is money out, as for the transaction
	Category string       // id; "" for none
	Note     string       // one line; "" for none
}

// How many parts a transaction has, and how many characters the note of one.
const (
	MinParts    = 2
	MaxParts    = 20
	MaxPartNote = 120
)

// What is wrong with parts, beside what is wrong with the amount of one (ParseAmount).
var (
	ErrPartNote       = errors.New("the note of a part is longer than MaxPartNote")
	ErrTooFewParts    = errors.New("there are fewer parts than MinParts")
	ErrTooManyParts   = errors.New("there are more parts than MaxParts")
	ErrRest           = errors.New("the parts do not add up to the transaction")
	ErrAmountsMissing = errors.New("several parts have no amount")
)

// TypedPart is a part as a person typed it. The amount has the direction of the transaction, so it is typed without a sign; a minus is the other direction.
type TypedPart struct{ Amount, Category, Note string }

func (p TypedPart) empty() bool { return p == TypedPart{} }

// PartFault is what is wrong with one of the typed parts, or with all of them together.
type PartFault struct {
	At  int // position among the typed parts; -1 for all together
	Err error
}

// Split is what typed parts come to.
type Split struct {
	Parts  []SplitPart  // those that were understood; all of them when there is no fault
	Rest   money.Amount // what no part has yet, above zero, or what the parts are too much, below zero: both in the direction of the transaction
	Filled int          // the typed part without an amount, which gets the rest; -1 for none
	Faults []PartFault
}

// ReadSplit reads the parts that a person typed for a transaction of an amount, which is not zero. Parts without anything typed are left out; one without an
// amount gets the rest.
func ReadSplit(total money.Amount, typed []TypedPart) Split {
	s := Split{Rest: total.Abs(), Filled: -1}
	fault := func(at int, err error) { s.Faults = append(s.Faults, PartFault{at, err}) }
	turned := allTurned(typed)
	for i, t := range typed {
		if t.empty() {
			continue
		}
		part := SplitPart{Category: t.Category, Note: Clean(t.Note)}
		if utf8.RuneCountInString(part.Note) > MaxPartNote {
			fault(i, ErrPartNote)
		}
		var err error
		switch {
		case t.Amount != "":
			if part.Amount, err = directed(t.Amount, total.Currency(), turned); err == nil {
				s.Rest, err = s.Rest.Sub(part.Amount)
			}
			if err != nil {
				fault(i, err)
				continue
			}
		case s.Filled >= 0:
			fault(i, ErrAmountsMissing)
			continue
		default:
			s.Filled = i
		}
		s.Parts = append(s.Parts, part)
	}
	s.settle(total)
	return s
}

// settle gives the rest to the part without an amount, holds the parts together against the rules, and turns them into the direction of the transaction.
func (s *Split) settle(total money.Amount) {
	together := PartFault{At: -1}
	switch {
	case len(s.Faults) > 0: // the rest cannot be known
	case len(s.Parts) > MaxParts:
		together.Err = ErrTooManyParts
	case s.Filled >= 0 && s.Rest.Sign() > 0:
		for i := range s.Parts {
			if s.Parts[i].Amount == (money.Amount{}) {
				s.Parts[i].Amount = s.Rest
			}
		}
		if len(s.Parts) < MinParts {
			together.Err = ErrTooFewParts
		}
	case !s.Rest.IsZero() || s.Filled >= 0:
		together.Err = ErrRest
	case len(s.Parts) < MinParts:
		together.Err = ErrTooFewParts
	}
	if together.Err != nil {
		s.Faults = append(s.Faults, together)
	}
	for i, p := range s.Parts {
		if total.Sign() < 0 {
			s.Parts[i].Amount = p.Amount.Neg()
		}
	}
}

// allTurned reports whether every typed amount has a minus sign. The person then copied the sign of money out from the page, and no amount is turned
// around.
func allTurned(typed []TypedPart) bool {
	some := false
	for _, t := range typed {
		if _, minus := strings.CutPrefix(minusSign(t.Amount), "-"); minus {
			some = true
		} else if t.Amount != "" {
			return false
		}
	}
	return some
}

// directed reads an amount that may have a minus.
func directed(text, currency string, turned bool) (money.Amount, error) {
	digits, minus := strings.CutPrefix(minusSign(text), "-")
	amount, err := ParseAmount(digits, currency)
	if minus && !turned {
		amount = amount.Neg()
	}
	return amount, err
}

// minusSign writes a minus at the beginning as on a keyboard.
func minusSign(text string) string {
	if rest, ok := strings.CutPrefix(strings.TrimSpace(text), "\u2212"); ok {
		return "-" + rest
	}
	return strings.TrimSpace(text)
}

// SplitFits reports whether parts add up to the amount of their transaction. They do when a person splits it; the amount may be another one later.
func SplitFits(total money.Amount, parts []SplitPart) bool {
	for _, p := range parts {
		var err error
		if total, err = total.Sub(p.Amount); err != nil {
			return false
		}
	}
	return total.IsZero()
}

// Shares returns how a row counts in sums. A row that is not split counts with its amount under its category. A split row counts with the sum of its parts
// in each of their categories; a difference to its amount, after the bank has changed that, counts under no category. The shares add up to the amount.
func Shares(total money.Amount, category string, parts []SplitPart) []SplitPart {
	if len(parts) == 0 {
		return []SplitPart{{Amount: total, Category: category}}
	}
	var shares []SplitPart
	rest := total
	add := func(category string, amount money.Amount) (err error) {
		for i, s := range shares {
			if s.Category == category {
				shares[i].Amount, err = s.Amount.Add(amount)
				return err
			}
		}
		shares = append(shares, SplitPart{Amount: amount, Category: category})
		return nil
	}
	for _, p := range parts {
		var err error
		if rest, err = rest.Sub(p.Amount); err == nil {
			err = add(p.Category, p.Amount)
		}
		if err != nil {
			return []SplitPart{{Amount: total}} // parts that cannot be added up
		}
	}
	if !rest.IsZero() && add("", rest) != nil {
		return []SplitPart{{Amount: total}}
	}
	return shares
}
