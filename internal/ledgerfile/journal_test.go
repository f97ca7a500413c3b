package ledgerfile_test

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"florin/internal/ledgerfile"
	"florin/internal/testkit"
)

// judged runs a program that judges a file and returns what it prints. It must be there: scripts/ledgers installs it for make test.
func judged(t *testing.T, program string, args ...string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Fatalf("%s judges this export and is not here: run scripts/ledgers, as make test does", program)
	}
	out, err := exec.Command(path, args...).Output()
	if err != nil {
		said := ""
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			said = string(exit.Stderr)
		}
		t.Fatalf("%s %s: %v\n%s%s", program, strings.Join(args, " "), err, out, said)
	}
	return string(out)
}

// file writes an export to a file and returns its path.
func file(t *testing.T, f ledgerfile.Format, l ledgerfile.Ledger) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), f.FileName(made))
	if err := os.WriteFile(path, []byte(written(t, f, l, ledgerfile.Options{})), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// plain is a text as the journals have it: one line without signs that are not seen.
func plain(text string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, text)), " ")
}

// booked is what a journal is expected to hold of the rows: date, name, text, amount and currency, sorted. A program that shows amounts with fewer decimals
// than it has read shows the first decimals of them.
func booked(t *testing.T, l ledgerfile.Ledger, decimals int, clean func(string) string) []string {
	t.Helper()
	var all []string
	for _, r := range rowsOf(t, l) {
		date, name, text := cmp.Or(r.Date, r.FirstSeen), cmp.Or(r.Payee, plain(r.Counterparty), plain(r.Text), "Transaction"), plain(r.Text)
		if name == text {
			text = ""
		}
		amount := r.Amount.String()
		if dot := strings.IndexByte(amount, '.'); dot >= 0 {
			amount = amount[:min(len(amount), dot+1+decimals)]
		}
		all = append(all, strings.Join([]string{string(date), clean(name), clean(text), amount, r.Amount.Currency()}, " · "))
	}
	slices.Sort(all)
	return all
}

func compare(t *testing.T, got, want []string) {
	t.Helper()
	slices.Sort(got)
	for _, line := range want {
		if !slices.Contains(got, line) {
			t.Errorf("missing: %s", line)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d rows came back, want %d:\n%s", len(got), len(want), strings.Join(got, "\n"))
	}
}

func cells(t *testing.T, text string) [][]string {
	t.Helper()
	all, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range all {
		for i := range row {
			row[i] = strings.TrimSpace(row[i])
		}
	}
	return all[1:]
}

// Formats that have a place for them keep category, tags, note and parts.
func TestWhatThePersonKnows(t *testing.T) {
	for format, wanted := range map[ledgerfile.Format][]string{
		ledgerfile.Beancount: {"  Expenses:Essen-Trinken-su  70.00 EUR\n", `tags: "holiday, Rom 2026"`, `note: "two lines, with: signs; \"quoted\" | #x"`,
			"  Expenses:Food-x  10.00 EUR\n    note: \"a, b: c; \\\"d\\\"\"\n  Expenses:Uncategorised  0.06 EUR\n", "  Income:Gehalt  -19.91 EUR\n", "  Equity:Transfers  -29.90 EUR\n",
			" open Equity:Transfers\n", `"Clean name"`, `counterparty: "-1"`},
		ledgerfile.Hledger: {"    Expenses:Essen-Trinken-su  70.00 EUR\n", "; tags:holiday  Rom 2026\n", "; note:two lines  with  signs; \"quoted\" | #x\n",
			"    Expenses:Food-x  10.00 EUR\n      ; note:a  b  c; \"d\"\n    Expenses:Uncategorised  0.06 EUR\n", "account Equity:Transfers\n"},
		ledgerfile.QIF: {"LEssen & Trinken  süß\n", "S(Food) x\nEa, b: c; \"d\"\n$-10.00\nSUncategorised\n$-0.06\n^\n", "PClean name\n"},
	} {
		text := written(t, format, sample(false), ledgerfile.Options{})
		for _, want := range wanted {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q is not in it", format, want)
			}
		}
	}
}

// Beancount accepts the journal and reads back what the rows say; the accounts end with the balances that the banks tell.
func TestBeancount(t *testing.T) {
	testkit.Long(t, testkit.Judge)
	whole, part := file(t, ledgerfile.Beancount, sample(false)), file(t, ledgerfile.Beancount, sample(true))
	for _, path := range []string{whole, part} {
		if out := judged(t, "bean-check", path); out != "" {
			t.Errorf("bean-check: %s", out)
		}
	}
	const of = "account ~ '^(Assets|Liabilities)'"
	var got []string
	for _, c := range cells(t, judged(t, "bean-query", "-f", "csv", part, "SELECT date, payee, narration, number, currency WHERE "+of)) {
		got = append(got, strings.Join([]string{c[0], plain(c[1]), plain(c[2]), c[3], c[4]}, " · "))
	}
	compare(t, got, booked(t, sample(true), 2, func(text string) string { return text }))
	balances := map[string]string{}
	for _, c := range cells(t, judged(t, "bean-query", "-f", "csv", whole, "SELECT account, currency, sum(number) WHERE "+of+" GROUP BY account, currency")) {
		balances[c[0]+" "+c[1]] = c[2]
	}
	for account, want := range map[string]string{"Assets:Sparbank-Sohne:Girokonto-gemeinsam EUR": "1234.56", "Liabilities:Sparbank-Sohne:Visa EUR": "-99.00"} {
		if balances[account] != want {
			t.Errorf("%s ends with %q, want %s", account, balances[account], want)
		}
	}
}

// hledger accepts the journal, strictly, and reads back what the rows say.
func TestHledger(t *testing.T) {
	testkit.Long(t, testkit.Judge)
	whole, part := file(t, ledgerfile.Hledger, sample(false)), file(t, ledgerfile.Hledger, sample(true))
	for _, path := range []string{whole, part} {
		judged(t, "hledger", "-f", path, "check", "--strict")
	}
	var got []string
	amount := regexp.MustCompile(`^(\S+) (\S+)$`)
	for _, c := range cells(t, judged(t, "hledger", "-f", part, "register", "-O", "csv", "^(Assets|Liabilities)")) {
		name, text, _ := strings.Cut(c[3], " | ")
		parts := amount.FindStringSubmatch(c[5])
		if parts == nil {
			t.Fatalf("amount %q", c[5])
		}
		got = append(got, strings.Join([]string{c[1], plain(name), plain(text), parts[1], parts[2]}, " · "))
	}
	compare(t, got, booked(t, sample(true), 4, strings.NewReplacer(";", ",", "|", "/").Replace))
	for account, want := range map[string]string{"Assets:Sparbank-Sohne:Girokonto-gemeinsam$": "1234.56 EUR", "Liabilities:Sparbank-Sohne:Visa": "-99.00 EUR"} {
		if out := judged(t, "hledger", "-f", whole, "balance", "-N", account, "cur:EUR"); !strings.Contains(out, want) {
			t.Errorf("%s ends with %q, want %s", account, out, want)
		}
	}
	if out := judged(t, "hledger", "-f", whole, "tags", "florin-id", "--values"); len(strings.Fields(out)) != len(rowsOf(t, sample(false))) {
		t.Errorf("ids of rows: %s", out)
	}
}

// libofx, which GnuCash and KMyMoney read OFX with, reads back what the rows say.
func TestOFX(t *testing.T) {
	testkit.Long(t, testkit.Judge)
	l := sample(false)
	path := file(t, ledgerfile.OFX, l)
	out := judged(t, "ofxdump", "-f", "OFX", path)
	value := func(block, name string) string {
		_, rest, _ := strings.Cut(block, "\n    "+name+": ")
		text, _, _ := strings.Cut(rest, "\n")
		return strings.TrimSpace(text)
	}
	found := map[string]string{}
	for _, block := range strings.Split(out, "ofx_proc_transaction():")[1:] {
		block, _, _ = strings.Cut(block, "\n\n")
		found[value(block, "Financial institution's ID for this transaction")] = block
	}
	rows := rowsOf(t, l)
	if len(found) != len(rows) {
		t.Fatalf("%d transactions came back, want %d", len(found), len(rows))
	}
	for _, r := range rows {
		block := found[r.ID]
		exact, err := strconv.ParseFloat(r.Amount.String(), 64)
		if err != nil {
			t.Fatal(err)
		}
		read, err := strconv.ParseFloat(value(block, "Total money amount"), 64) // libofx keeps amounts in a double and shows two decimals
		if err != nil || math.Abs(read-exact) > 0.0051+math.Abs(exact)*1e-15 {
			t.Errorf("%s: the amount is %v, want %s", r.ID, value(block, "Total money amount"), r.Amount)
		}
		name := cmp.Or(r.Payee, plain(r.Counterparty), plain(r.Text))
		if got := value(block, "Name of payee or transaction description"); name != "" && (got == "" || !strings.HasPrefix(name, plain(got))) {
			t.Errorf("%s: the name is %q, want %q", r.ID, got, name)
		}
		if r.BookingDate != "" {
			day, err := r.BookingDate.Time()
			if err != nil {
				t.Fatal(err)
			}
			if got := value(block, "Date posted"); got != day.Format("Mon Jan _2")+" 12:00:00 "+fmt.Sprint(day.Year())+" UTC" {
				t.Errorf("%s: posted %q, want %s", r.ID, got, r.BookingDate)
			}
		}
	}
	for _, want := range []string{"Account type: CHECKING", "Account type: SAVINGS", "Account type: CREDITCARD", "Ledger balance: 1234.56", "Ledger balance: -99.00"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q did not come back", want)
		}
	}
}
