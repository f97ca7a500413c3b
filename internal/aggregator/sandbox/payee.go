package sandbox

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"florin/internal/aggregator"
	"florin/internal/iban"
	"florin/internal/openbanking"
)

// Words in the name of a payee. When no simulated bank holds the account, they decide the result of the verification.
const (
	wordClose       = "close"
	wordWrong       = "wrong"
	wordUnreachable = "unreachable"
)

// checks returns the bank's checks of an order's payees: of transfers in euro within SEPA, and of those within the bank; none for other payments (Regulation
// (EU) 2024/886).
func (b *Bank) checks(o *aggregator.PaymentOrder) []aggregator.PayeeCheck {
	var list []aggregator.PayeeCheck
	for i := range o.Payment.CreditTransferTransaction {
		t := &o.Payment.CreditTransferTransaction[i]
		if o.Type == openbanking.PaymentTypeCrossborder || o.Type != openbanking.PaymentTypeInternal && t.InstructedAmount.Currency != "EUR" {
			return nil
		}
		name := ""
		if c := t.Beneficiary.Creditor; c != nil {
			name = text(c.Name)
		}
		payee := b.sandbox.payee(b, t)
		list = append(list, payee.check(name))
	}
	return list
}

// payee is the account of a payee, as far as the simulated banks know it.
type payee struct {
	bank    *Bank    // nil when it is not at a simulated bank
	account *account // nil when the bank has no such account
	closed  bool     // the bank has closed it
}

// payee finds the account of a beneficiary. When a number belongs to accounts in several currencies, the one in the currency of the payment is preferred.
func (s *Sandbox) payee(from *Bank, t *openbanking.CreditTransferTransaction) payee {
	id := t.Beneficiary.CreditorAccount
	want := t.InstructedAmount.Currency
	if t.Beneficiary.CreditorCurrency != nil {
		want = *t.Beneficiary.CreditorCurrency
	}
	named := identification(id)
	if named.IBAN != nil {
		number, err := iban.Parse(id.Identification)
		if err != nil {
			return payee{}
		}
		var found payee
		for _, b := range s.banks { // several banks may have the code
			if b.issues(number) && found.account == nil && !found.closed {
				found = b.payee(named, number.String(), want)
			}
		}
		return found
	}
	if p := from.payee(named, "", want); p.account != nil {
		return p
	}
	if id.SchemeName == openbanking.SchemeNameBANK { // the bank's own account ids
		return payee{bank: from}
	}
	for _, b := range s.banks {
		if b.data.Country != from.data.Country || id.SchemeName != openbanking.SchemeNameBBAN {
			continue
		}
		if p := b.payee(named, "", want); p.account != nil {
			return p
		}
	}
	return payee{}
}

func (b *Bank) payee(id *openbanking.AccountIdentification, number, currency string) payee {
	p := payee{bank: b, closed: number != "" && slices.Contains(b.closedIBANs(), number)}
	for _, a := range b.accounts {
		if a.is(*id) && (p.account == nil || p.account.data.Currency != currency) && (p.account == nil || a.data.Currency == currency) {
			p.account = a
		}
	}
	return p
}

// issues reports whether an IBAN contains the bank's code.
func (b *Bank) issues(number iban.IBAN) bool {
	if number.Country() != b.data.Country || b.data.BankCode == "" {
		return false
	}
	bban := number.String()[4:]
	if b.data.Country == "IT" { // the check letter comes first
		bban = bban[1:]
	}
	return strings.HasPrefix(bban, b.data.BankCode)
}

// closedIBANs returns the IBANs of accounts that the bank has closed.
func (b *Bank) closedIBANs() []string {
	var list []string
	for _, id := range b.data.ClosedAccounts {
		bban := accountNumber(b.data.Country, b.data.BankCode, seedOf(b.data.Name, b.data.Country, id))
		if number, err := iban.Compute(b.data.Country, bban); err == nil {
			list = append(list, number.String())
		}
	}
	return list
}

// check compares a name with the names of the holders. When no simulated bank holds the account, words in the name decide.
func (p payee) check(name string) aggregator.PayeeCheck {
	if len(nameWords(name)) == 0 || p.bank != nil && p.account == nil {
		return aggregator.PayeeCheck{Outcome: aggregator.PayeeNotPossible}
	}
	if p.bank == nil {
		return invented(name)
	}
	candidates := []string{p.account.holderNames()}
	for _, h := range p.account.holders {
		candidates = append(candidates, h.Name)
	}
	best := aggregator.PayeeCheck{Outcome: aggregator.PayeeNoMatch}
	for _, c := range candidates {
		switch compareNames(name, c) {
		case aggregator.PayeeMatch:
			return aggregator.PayeeCheck{Outcome: aggregator.PayeeMatch}
		case aggregator.PayeeCloseMatch:
			if best.Outcome == aggregator.PayeeNoMatch {
				best = aggregator.PayeeCheck{Outcome: aggregator.PayeeCloseMatch, Name: c}
			}
		}
	}
	return best
}

// invented returns the check of a name at a bank that does not exist.
func invented(name string) aggregator.PayeeCheck {
	var rest []string
	outcome := aggregator.PayeeMatch
	for word := range strings.FieldsSeq(name) {
		switch strings.ToLower(strings.Trim(word, ".,;:!()")) {
		case wordClose:
			if outcome == aggregator.PayeeMatch {
				outcome = aggregator.PayeeCloseMatch
			}
		case wordWrong:
			outcome = aggregator.PayeeNoMatch
		case wordUnreachable:
			return aggregator.PayeeCheck{Outcome: aggregator.PayeeNotPossible}
		default:
			rest = append(rest, word)
		}
	}
	check := aggregator.PayeeCheck{Outcome: outcome}
	if outcome == aggregator.PayeeCloseMatch {
		check.Name = cmp.Or(strings.Join(rest, " "), "A. N. Other")
	}
	return check
}

// legalForms are ignored when names are compared, as are words that join two names.
var legalForms = strings.Fields("gmbh mbh ag kg ohg gbr ug ev eg se sa sas sarl eurl bv nv vof oy oyj ky ab as asa aps ivs ltd limited plc inc llc llp spa srl sl slu lda spzoo zoo uab sia ou mb company und and et en og och ja y e i")

// compareNames compares the name written by a payer with that of a holder. It ignores case, accents, punctuation, the order of the words and legal forms. A
// name with initials, missing words, or one or two wrong letters is a close match.
func compareNames(written, holder string) aggregator.PayeeOutcome {
	a, b := nameWords(written), nameWords(holder)
	if len(a) == 0 || len(b) == 0 {
		return aggregator.PayeeNoMatch
	}
	if slices.Equal(a, b) || strings.Join(a, "") == strings.Join(b, "") {
		return aggregator.PayeeMatch
	}
	if abbreviates(a, b) {
		return aggregator.PayeeCloseMatch
	}
	x, y := []rune(strings.Join(a, " ")), []rune(strings.Join(b, " "))
	if distance(x, y) <= min(2, max(len(x), len(y))/5) {
		return aggregator.PayeeCloseMatch
	}
	return aggregator.PayeeNoMatch
}

// nameWords returns the relevant words of a name, sorted.
func nameWords(name string) []string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		switch {
		case plain[r] != "":
			b.WriteString(plain[r])
		case unicode.IsLetter(r), unicode.IsDigit(r):
			b.WriteRune(r)
		case r == '.' || r == '\'' || r == '’':
		case unicode.Is(unicode.Mn, r): // an accent on its own
		default:
			b.WriteByte(' ')
		}
	}
	all := strings.Fields(b.String())
	words := slices.DeleteFunc(slices.Clone(all), func(w string) bool { return slices.Contains(legalForms, w) })
	if len(words) == 0 {
		words = all
	}
	slices.Sort(words)
	return words
}

// abbreviates reports whether each word of one name is in the other, whole or by its first letter, and at least one is whole.
func abbreviates(a, b []string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	left := slices.Clone(b)
	whole := 0
	take := func(fits func(w string) bool) bool {
		i := slices.IndexFunc(left, fits)
		if i >= 0 {
			left = slices.Delete(left, i, i+1)
		}
		return i >= 0
	}
	var rest []string
	for _, w := range a {
		if take(func(o string) bool { return o == w }) {
			whole += len(w)
		} else {
			rest = append(rest, w)
		}
	}
	for _, w := range rest {
		initial := func(o string) bool {
			return len(w) == 1 && strings.HasPrefix(o, w) || len(o) == 1 && strings.HasPrefix(w, o)
		}
		if !take(initial) {
			return false
		}
	}
	return whole > 1
}

// distance returns how many letters must be added, removed or changed to turn one word into another.
func distance(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		previous := row[0]
		row[0] = i + 1
		for j, y := range b {
			cost := previous
			if x != y {
				cost = 1 + min(previous, row[j], row[j+1])
			}
			previous, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
