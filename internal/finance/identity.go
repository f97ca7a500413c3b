package finance

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"time"
	"unicode"

	"florin/internal/openbanking"
)

// Identity is what identifies a row within its account (architecture 5, rule 2). It is made only of what the bank sent, so that it stays the same
// whatever else Florin learns about the account.
type Identity struct {
	Key       string // opaque, never empty; rows with the same one and a reference are the same row, those without are equal rows
	Reference string // opaque: the key without the booking date; "" when there is no entry_reference that identifies
	Content   string // opaque: the fingerprint of the content, without the entry_reference
}

// Identify makes the identity from the entry_reference, when it can be one, together with direction, amount, currency and booking date: fee rows
// repeat the reference of their parent (api-notes 10), and some banks one reference for all rows of an order. A row that the bank moved to another
// booking date, or gave another reference, is recognised at the end of a run by Reference or Content. Without a reference the content is the
// identity. transaction_id and uid are never looked at.
func Identify(wire openbanking.Transaction) Identity {
	content := "f" + fingerprint(wire)
	reference := strings.TrimSpace(value(wire.EntryReference))
	if !UsableReference(reference) {
		return Identity{Key: content, Content: content}
	}
	base := digest(append(amountParts(wire), reference)...)
	return Identity{Key: "r" + digest(base, string(realDate(wire.BookingDate))), Reference: base, Content: content}
}

// WithoutAmount identifies a row that has a reference by all that it says but its amount, so that it is recognised when the bank corrects that; "" for a row
// without a reference that identifies.
func WithoutAmount(wire openbanking.Transaction) string {
	if !UsableReference(strings.TrimSpace(value(wire.EntryReference))) {
		return ""
	}
	wire.TransactionAmount.Amount = ""
	return digest(fingerprint(wire), strings.TrimSpace(*wire.EntryReference))
}

// fingerprint is made of what a row says and what does not change when it is fetched again: direction, amount, dates, counterparty,
// reference number and remittance text without white space. Status, uid, transaction_id, entry_reference and the bank's
// enrichments (category, agents, exchange details) are left out.
func fingerprint(wire openbanking.Transaction) string {
	party, account := otherSide(wire)
	name := ""
	if party != nil {
		name = value(party.Name)
	}
	return digest(append(amountParts(wire),
		string(realDate(wire.BookingDate)), string(realDate(wire.ValueDate)), string(realDate(wire.TransactionDate)),
		squeeze(name), numberOf(account), squeeze(value(wire.ReferenceNumber)), squeeze(strings.Join(wire.RemittanceInformation, "")))...)
}

// amountParts are direction, amount and currency as the bank sent them: "23", "-23" and "23.00" are one amount.
func amountParts(wire openbanking.Transaction) []string {
	amount := strings.TrimPrefix(wire.TransactionAmount.Amount, "-")
	if strings.Contains(amount, ".") {
		amount = strings.TrimRight(strings.TrimRight(amount, "0"), ".")
	}
	return []string{string(wire.CreditDebitIndicator), amount, bankCurrency(wire.TransactionAmount.Currency)}
}

// UsableReference reports whether an entry_reference can identify a row: it is neither missing nor a placeholder such as "0" or
// "NOTPROVIDED", nor a position, a small number or a date with a small number, which names another row tomorrow. To refuse a good
// reference does little harm, since the content identifies the row then.
func UsableReference(reference string) bool {
	if placeholder(reference) {
		return false
	}
	var digits strings.Builder
	for _, r := range reference {
		switch {
		case r >= '0' && r <= '9':
			digits.WriteRune(r)
		case strings.ContainsRune(" -_/.:#", r):
		default:
			return true // letters: no position
		}
	}
	d := digits.String()
	if len(d) <= 4 {
		return false // an index
	}
	if len(d) >= 8 && len(d) <= 12 { // a date with an index before or behind
		if isDay("20060102", d[:8]) || isDay("20060102", d[len(d)-8:]) || isDay("02012006", d[:8]) {
			return false
		}
	}
	return true
}

func isDay(layout, digits string) bool {
	t, err := time.Parse(layout, digits)
	return err == nil && t.Year() >= 1990 && t.Year() < 2100
}

// placeholder reports whether a bank wrote something only because it had to.
func placeholder(text string) bool {
	compact := squeeze(text)
	switch compact {
	case "", "NOTPROVIDED", "NOTAVAILABLE", "NOTAPPLICABLE", "NONREF", "NOREF", "NOREFERENCE", "NONE", "NULL", "NA", "N/A", "UNKNOWN", "UNDEFINED", "NIL",
		"XXX", "XXXX":
		return true
	}
	for _, r := range compact {
		if !strings.ContainsRune("0-_./*#", r) {
			return false
		}
	}
	return true // "0", "000000", "-"
}

// squeeze removes white space and invisible characters and raises letters.
func squeeze(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || !unicode.IsGraphic(r) {
			return -1
		}
		return unicode.ToUpper(r)
	}, text)
}

// digest hashes the parts so that no two lists of parts give the same text.
func digest(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		var n [4]byte
		n[0], n[1], n[2], n[3] = byte(len(p)>>24), byte(len(p)>>16), byte(len(p)>>8), byte(len(p))
		h.Write(n[:])
		h.Write([]byte(p))
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:18])
}

// Days of the sort key: a day takes 2^24 keys, and the first sync of a day starts in the middle of them.
const (
	sortDayBits = 24
	sortMiddle  = int64(1) << (sortDayBits - 1)
)

// SortRange is the range of sort keys of a date, both ends included, and the middle where the first row goes. Rows without a date
// sort below all others.
func SortRange(d openbanking.Date) (low, middle, high int64) {
	day := int64(0)
	if t, err := d.Time(); err == nil {
		day = t.Unix()/86400 + 1_000_000 // all dates that count are above zero
	}
	low = day << sortDayBits
	return low, low + sortMiddle, low + (1 << sortDayBits) - 1
}
