package ledgerfile

import (
	"bufio"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"florin/internal/money"
	"florin/internal/openbanking"
)

// journal is what the two programs for plain-text accounting need to know of the rows that were written: their accounts, and what these began with.
type journal struct {
	names []string        // of the accounts in double-entry bookkeeping: Assets:Bank:Account
	used  map[string]bool // the accounts on the other side of rows
	held  []map[string]*statement
}

// newJournal names the accounts of a ledger: Assets or Liabilities, the bank, the account. No two have the same name.
func newJournal(l Ledger) *journal {
	j := &journal{used: map[string]bool{openingAccount: true}, held: make([]map[string]*statement, len(l.Accounts))}
	for i, a := range l.Accounts {
		root := "Assets"
		if a.Type == openbanking.CashAccountTypeCARD || a.Type == openbanking.CashAccountTypeLOAN {
			root = "Liabilities"
		}
		name := root + ":" + component(a.Bank, "Bank") + ":" + component(a.Name, "Account")
		for n, first := 2, name; slices.Contains(j.names, name); n++ {
			name = fmt.Sprintf("%s-%d", first, n)
		}
		j.names = append(j.names, name)
		j.held[i] = map[string]*statement{}
	}
	return j
}

// component is a part of an account's name as Beancount takes it: letters of the English alphabet, digits and hyphens, the first a capital or a digit.
func component(text, otherwise string) string {
	var b strings.Builder
	gap := false
	for _, r := range norm.NFD.String(text) {
		switch {
		case r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			if b.Len() == 0 {
				r = unicode.ToUpper(r)
			}
			b.WriteRune(r)
			gap = false
		case !unicode.Is(unicode.Mn, r):
			gap = true
		}
	}
	return cmp.Or(b.String(), otherwise)
}

// add notes a row.
func (j *journal) add(l Ledger, r Row) error {
	currency := r.Amount.Currency()
	s := j.held[r.Account][currency]
	if s == nil {
		s = &statement{Account: l.Accounts[r.Account], currency: currency, partial: l.Partial, sum: money.FromMinor(0, currency)}
		j.held[r.Account][currency] = s
	}
	return s.add(r, r.day())
}

// opened is an account of the journal with its first day, its currency and what it began with; that is not known of a search, and of a bank that tells no
// balance.
type opened struct {
	name     string
	day      openbanking.Date
	currency string
	began    *money.Amount
}

// opened lists the accounts with rows.
func (j *journal) opened() []opened {
	var all []opened
	for i, by := range j.held {
		for _, currency := range slices.Sorted(maps.Keys(by)) {
			o := opened{name: j.names[i], day: by[currency].from, currency: currency}
			if began, _, ok := by[currency].balances(); ok {
				o.began = &began
			}
			all = append(all, o)
		}
	}
	return all
}

// posting is what a row does to an account on its other side.
type posting struct {
	account, note string
	amount        money.Amount
}

// others are the other side of a row: its category, or those of its parts.
func (j *journal) others(r Row) []posting {
	parts := r.Parts
	if parts == nil {
		parts = []Part{{Amount: r.Amount, Category: r.Category}}
	}
	all := make([]posting, 0, len(parts))
	for _, p := range parts {
		to := posting{account: p.Category.account(p.Amount), note: line(p.Note), amount: p.Amount.Neg()}
		j.used[to.account] = true
		all = append(all, to)
	}
	return all
}

// account is where a category stands in double-entry bookkeeping. Money that comes back from what was spent lessens the spending. What has no category is
// spending or income by its sign.
func (c Category) account(amount money.Amount) string {
	const unknown = "Uncategorised"
	switch {
	case c.Name == "" && amount.Sign() < 0:
		return "Expenses:" + unknown
	case c.Name == "":
		return "Income:" + unknown
	case c.Kind == Transfer:
		return "Equity:Transfers"
	case c.Kind == Income:
		return "Income:" + component(c.Name, unknown)
	}
	return "Expenses:" + component(c.Name, unknown)
}

// openingAccount is where money comes from that was there before the first row.
const openingAccount = "Equity:Opening-Balances"

// facts are what a journal keeps of a row beside date, name, text and amount.
func facts(r Row) [][2]string {
	var all [][2]string
	for _, f := range [][2]string{{"florin-id", r.ID}, {"booking-date", string(r.BookingDate)}, {"value-date", string(r.ValueDate)},
		{"transaction-date", string(r.TransactionDate)}, {"counterparty-account", line(r.CounterpartyAccount)}, {"kind", line(r.Kind)},
		{"reference", line(r.Reference)}, {"counterparty", bankName(r)}, {"tags", line(strings.Join(r.Tags, ", "))}, {"note", line(r.Note)}} {
		if f[1] != "" {
			all = append(all, f)
		}
	}
	return all
}

// bankName is the counterparty as the bank wrote it, when Florin shows it in another way.
func bankName(r Row) string {
	if r.Payee == "" || r.Payee == r.Counterparty {
		return ""
	}
	return line(r.Counterparty)
}

// description is the name and the text of a row; a text that is its name already is left out.
func description(r Row) (name, text string) {
	name, text = r.title(), line(r.Text)
	if text == name {
		text = ""
	}
	return name, text
}

// writeBeancount writes a journal for Beancount. Its directives count by their dates and not by their places, so the accounts are opened at the end, when
// their first days are known.
func writeBeancount(w *bufio.Writer, l Ledger, _ Options) error {
	_, _ = w.WriteString("option \"title\" \"Florin\"\n")
	j, first := newJournal(l), openbanking.Date("")
	quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	for r, err := range l.Rows {
		if err != nil {
			return err
		}
		if err := j.add(l, r); err != nil {
			return err
		}
		name, text := description(r)
		day := r.day()
		first = min(cmp.Or(first, day), day)
		printf(w, "\n%s * \"%s\" \"%s\"\n", day, quoted.Replace(name), quoted.Replace(text))
		for _, f := range facts(r) {
			printf(w, "  %s: \"%s\"\n", f[0], quoted.Replace(f[1]))
		}
		printf(w, "  %s  %s %s\n", j.names[r.Account], r.Amount, r.Amount.Currency())
		for _, to := range j.others(r) {
			printf(w, "  %s  %s %s\n", to.account, to.amount, to.amount.Currency())
			if to.note != "" {
				printf(w, "    note: \"%s\"\n", quoted.Replace(to.note))
			}
		}
	}
	accounts := j.opened()
	if len(accounts) == 0 {
		return nil
	}
	_, _ = w.WriteString("\n; Beancount sorts by date: the place in the file does not count.\n")
	for _, name := range slices.Sorted(maps.Keys(j.used)) {
		printf(w, "%s open %s\n", first, name)
	}
	days := map[string]openbanking.Date{} // an account with two currencies is opened once
	for _, a := range accounts {
		days[a.name] = min(cmp.Or(days[a.name], a.day), a.day)
	}
	for _, name := range slices.Sorted(maps.Keys(days)) {
		printf(w, "%s open %s\n", days[name], name)
	}
	for _, a := range accounts {
		if a.began != nil && !a.began.IsZero() {
			printf(w, "\n%s * \"Opening balance\" \"\"\n  %s  %s %s\n  %s\n", a.day, a.name, a.began, a.currency, openingAccount)
		}
	}
	return nil
}

// writeHledger writes a journal for hledger.
func writeHledger(w *bufio.Writer, l Ledger, _ Options) error {
	_, _ = w.WriteString("; Florin\ndecimal-mark .\n")
	j := newJournal(l)
	inDescription := strings.NewReplacer(";", ",", "|", "/") // signs with a meaning of their own: a comment, the end of the payee
	inTag := strings.NewReplacer(",", " ", ":", " ")         // a comma ends the value of a tag; a colon would begin another
	for r, err := range l.Rows {
		if err != nil {
			return err
		}
		if err := j.add(l, r); err != nil {
			return err
		}
		name, text := description(r)
		if text != "" {
			text = " | " + inDescription.Replace(text)
		}
		printf(w, "\n%s * %s%s\n", r.day(), hledgerPayee(inDescription.Replace(name)), text)
		for _, f := range facts(r) {
			printf(w, "    ; %s:%s\n", f[0], inTag.Replace(f[1]))
		}
		printf(w, "    %s  %s %s\n", j.names[r.Account], r.Amount, r.Amount.Currency())
		for _, to := range j.others(r) {
			printf(w, "    %s  %s %s\n", to.account, to.amount, to.amount.Currency())
			if to.note != "" {
				printf(w, "      ; note:%s\n", inTag.Replace(to.note))
			}
		}
	}
	declared, currencies := maps.Clone(j.used), map[string]bool{}
	for _, a := range j.opened() {
		if a.began != nil && !a.began.IsZero() {
			printf(w, "\n%s * Opening balance\n    %s  %s %s\n    %s\n", a.day, a.name, a.began, a.currency, openingAccount)
		}
		declared[a.name], currencies[a.currency] = true, true
	}
	if len(currencies) == 0 {
		return nil
	}
	_, _ = w.WriteString("\n; For hledger check --strict: every account and every currency is declared.\n")
	for _, name := range slices.Sorted(maps.Keys(declared)) {
		printf(w, "account %s\n", name)
	}
	for _, currency := range slices.Sorted(maps.Keys(currencies)) {
		printf(w, "commodity %s\n", hledgerFormat(currency))
	}
	return nil
}

// hledgerPayee is a name that does not begin as the code of a transaction does: an empty code stands before one that would.
func hledgerPayee(name string) string {
	if strings.HasPrefix(name, "(") {
		return "() " + name
	}
	return name
}

// hledgerFormat is an amount of a thousand in a currency, which tells its decimals.
func hledgerFormat(currency string) string {
	exponent, _ := money.Exponent(currency)
	if exponent == 0 {
		return "1000. " + currency
	}
	return "1000." + strings.Repeat("0", exponent) + " " + currency
}
