package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/search"
	"florin/internal/sqlite"
	"florin/internal/testkit"
)

// beginHistory makes the store keep former states from now on: the database of a test may be older or newer than the test's clock.
func (b *bed) beginHistory(t testing.TB) {
	t.Helper()
	check(t, b.db.Write(context.Background(), func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(context.Background(), `UPDATE history_start SET began = $1`, sqlite.At(tx.Now))
		return err
	}))
}

// endOfDay returns the end of the present day.
func endOfDay() time.Time { return startOfDay(startOfDay(time.Now()).Add(36 * time.Hour)) }

const knownMonth openbanking.Date = "2000-01-01"

// shown returns what the page of an account shows now: rows, pending rows, balances, and the sums of the month.
func (b *bed) shown(t testing.TB, user, account string) (lines []string) {
	t.Helper()
	flows := map[string][2]money.Amount{}
	add := func(a, to money.Amount) money.Amount { return must(a.Add(to))(t) }
	for _, r := range b.all(t, user, search.InAccount(account), 200) {
		record := must(b.Transaction(context.Background(), user, account, r.ID))(t)
		lines = append(lines, knownLine(record.Transaction))
		if r.Missing || r.Date < knownMonth || r.Date > "2000-01-31" {
			continue
		}
		f, ok := flows[r.Amount.Currency()]
		if zero := money.FromMinor(0, r.Amount.Currency()); !ok {
			f = [2]money.Amount{zero, zero}
		}
		if r.Amount.Sign() >= 0 {
			f[0] = add(f[0], r.Amount)
		} else {
			f[1] = add(f[1], r.Amount)
		}
		flows[r.Amount.Currency()] = f
	}
	for currency, f := range flows {
		lines = append(lines, fmt.Sprintf("flow %s %s %s", currency, f[0], f[1]))
	}
	for _, p := range must(b.Pending(context.Background(), user, account))(t) {
		lines = append(lines, pendingLine(p))
	}
	for _, balance := range must(b.AccountBalances(context.Background(), user, account))(t) {
		lines = append(lines, balanceLine(balance))
	}
	slices.Sort(lines)
	return lines
}

// known returns the state of an account just before a moment as Florin knew it, in the form of shown. It reads several pages.
func (b *bed) known(t testing.TB, user, account string, end time.Time, rows int) (lines []string) {
	t.Helper()
	behind := NewestKnown
	for {
		known := must(b.Known(context.Background(), user, account, end, knownMonth, behind, rows))(t)
		last := openbanking.Date("9999-12-31")
		for _, r := range known.Rows {
			lines = append(lines, knownLine(r.Transaction))
			if r.Date > last {
				t.Fatalf("%s is listed below %s", r.Date, last)
			}
			last, behind = r.Date, KnownPlace{r.SortKey, r.ID}
		}
		if known.More {
			continue
		}
		for _, f := range known.Flows {
			lines = append(lines, fmt.Sprintf("flow %s %s %s", f.In.Currency(), f.In, f.Out))
		}
		for _, p := range known.Pending {
			lines = append(lines, pendingLine(p))
		}
		for _, balance := range known.Balances {
			lines = append(lines, balanceLine(balance))
		}
		slices.Sort(lines)
		return lines
	}
}

func knownLine(t finance.Transaction) string {
	return fmt.Sprintf("row %d %s %s %s %s %q %q %q %s %t", t.ID, t.Date, t.BookingDate, t.ValueDate, t.Amount, t.Title(),
		t.CounterpartyAccount, t.Remittance, t.Kind, t.Missing)
}

func pendingLine(p finance.PendingTransaction) string {
	return fmt.Sprintf("pending %s %s %s %q %q %s", p.Date, p.Status, p.Amount, p.Title(), p.Remittance, p.Kind)
}

func balanceLine(b finance.Balance) string {
	return fmt.Sprintf("balance %s %s %s %s %s", b.Type, b.Name, b.Amount, b.Reference, b.Fetched)
}

// teller is a bank and a person who change things at random.
type teller struct {
	*bed
	t       testing.TB
	chances []int // drawn in advance, because rapid does not work inside a synctest bubble
	user    string
	account string // an account of the bank
	wallet  string // an account that the person keeps; "" once it was deleted
	listed  []line
	made    int
	undo    string // an import that can be undone
}

// line is a transaction as the bank lists it.
type line struct {
	reference, amount, text string
	day                     int
	pending, credit         bool
}

// pick returns a number below n.
func (a *teller) pick(n int) int {
	if len(a.chances) == 0 {
		return 0
	}
	chance := a.chances[0]
	a.chances = a.chances[1:]
	return chance % n
}

// bankChanges changes the list of the bank.
func (a *teller) bankChanges() {
	for range 1 + a.pick(3) {
		what := a.pick(10)
		if len(a.listed) == 0 || what < 3 {
			a.made++
			l := line{reference: fmt.Sprintf("R%d", a.made),
				amount: fmt.Sprintf("%d.50", 1+a.pick(4)), text: fmt.Sprintf("text %d", a.made), day: 1 + a.pick(28),
				pending: a.pick(3) == 0, credit: a.pick(4) == 0}
			if a.pick(3) == 0 {
				l.reference = ""
			}
			a.listed = append(a.listed, l)
			continue
		}
		at := a.pick(len(a.listed))
		l := &a.listed[at]
		switch what {
		case 3:
			l.text += "+"
		case 4:
			l.day = 1 + a.pick(28)
		case 5:
			l.amount = fmt.Sprintf("%d.75", 1+a.pick(4))
		case 6:
			l.pending = false
		case 7:
			for i := range a.listed { // all references change
				if a.listed[i].reference != "" {
					a.made++
					a.listed[i].reference = fmt.Sprintf("X%d", a.made)
				}
			}
		default:
			a.listed = slices.Delete(a.listed, at, at+1)
		}
	}
}

func (a *teller) sync() {
	anchor := []finance.Entry{entry(a.t, "first", "1.00", "2000-01-01", "first"), entry(a.t, "end", "1.00", "2000-01-29", "end")}
	var entries []finance.Entry
	for _, l := range a.listed {
		day := openbanking.Date(fmt.Sprintf("2000-01-%02d", l.day))
		w := openbanking.Transaction{TransactionAmount: openbanking.AmountType{Currency: "EUR", Amount: l.amount}, CreditDebitIndicator: "DBIT",
			Status: "BOOK", BookingDate: &day,
			RemittanceInformation: []string{l.text}}
		if l.credit {
			w.CreditDebitIndicator = "CRDT"
		}
		if l.pending {
			w.Status = "PDNG"
		}
		if l.reference != "" {
			w.EntryReference = &l.reference
		}
		entries = append(entries, read(a.t, w))
	}
	cut := a.pick(len(entries) + 1)
	a.runUnchecked(a.t, append(slices.Clone(entries[:cut]), anchor[1]), append(slices.Clone(entries[cut:]), anchor[0]))
}

func (a *teller) balances() {
	var all []finance.Balance
	for i := range a.pick(3) {
		all = append(all, finance.Balance{AccountID: a.account, Type: []openbanking.BalanceStatus{"CLBD", "ITAV"}[i],
			Amount:  money.FromMinor(int64(a.pick(3)), "EUR"),
			Fetched: sqlite.At(time.Now()).Time})
	}
	check(a.t, a.FinishBalances(context.Background(), a.claim(a.t, finance.ScopeBalances), all, time.Now().Add(-time.Second)))
}

// row returns a random row in the list of an account, 0 when there is none.
func (a *teller) row(account string) int64 {
	rows := a.all(a.t, a.user, search.InAccount(account), 200)
	if len(rows) == 0 {
		return 0
	}
	return rows[a.pick(len(rows))].ID
}

// personDoes makes the person merge, separate, annotate, or write a row in the wallet.
func (a *teller) personDoes() {
	ctx := context.Background()
	if id := a.row(a.account); id != 0 {
		switch a.pick(3) {
		case 0:
			check(a.t, a.Annotate(ctx, a.user, a.account, id, finance.Annotation{Note: "note", Tags: []string{"tag"}}))
		case 1:
			_, _ = a.Merge(ctx, a.user, id, a.row(a.account)) // rows with different amounts are refused
		default:
			if merged := must(a.MergedRows(ctx, a.user, id))(a.t); len(merged) > 0 {
				check(a.t, a.Separate(ctx, a.user, a.account, id, merged[0].ID))
			}
		}
	}
	if a.wallet == "" {
		return
	}
	a.made++
	e := written(a.t, fmt.Sprintf("2000-01-%02d", 1+a.pick(28)), fmt.Sprintf("-%d.00", 1+a.pick(3)), "Shop", fmt.Sprintf("written %d", a.made))
	id := a.row(a.wallet)
	switch what := a.pick(12); {
	case what < 4 || id == 0:
		must(a.AddRow(ctx, a.user, a.wallet, e))(a.t)
	case what < 6:
		must(a.ChangeRow(ctx, a.user, a.wallet, id, e))(a.t)
	case what < 8:
		check(a.t, a.DeleteRow(ctx, a.user, a.wallet, id))
	case what < 10 && a.undo == "":
		check(a.t, a.SaveImportDraft(ctx, a.user, finance.ImportDraft{File: "x.csv", Content: []byte("x"), Settings: "{}"}))
		if saved := must(a.SaveImport(ctx, a.user, finance.Import{File: "x.csv", Format: "csv"},
			[]finance.ImportTarget{{Account: finance.Account{ID: a.wallet}, Rows: imported(e)}}, nil,
			map[int]bool{0: true}))(a.t); len(saved.Parts) > 0 { // without parts the row was there before
			a.undo = saved.ID
		}
	case what < 11 && a.undo != "":
		must(a.UndoImport(ctx, a.user, a.undo))(a.t)
		a.undo = ""
	case what == 11 && a.pick(3) == 0:
		must(a.DeleteAccount(ctx, a.user, a.wallet))(a.t)
		a.wallet = ""
	}
}

// The state of any past day as it was known then equals what was shown at the end of that day, whatever came later. The same holds for each moment at which
// somebody looked at what is new, because news are counted from it.
func TestAnyDayIsShownAsItWasKnown(t *testing.T) {
	testkit.Unwatched(t)
	versions := 0
	rapid.Check(t, func(r *rapid.T) {
		chances := make([]int, rapid.IntRange(10, 300).Draw(r, "length"))
		dice := rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "seed"), 1)) // rapid prefers small numbers, with which hardly anything would happen
		for i := range chances {
			chances[i] = dice.IntN(1 << 16)
		}
		synctest.Test(t, func(t *testing.T) { versions += anyDays(t, chances) })
	})
	t.Logf("%d former states were kept", versions)
	if versions == 0 {
		t.Error("no former state was ever kept")
	}
}

// anyDays runs through some days and compares each of them with what Florin later reports for it. It returns how many former states were kept.
func anyDays(t *testing.T, chances []int) (versions int) {
	ctx := t.Context()
	b := newBed(t)
	b.beginHistory(t)
	u := b.user(t, "a@example.org")
	done, _ := b.link(t, u, "s", resource("h", "EUR", "uid"))
	a := &teller{bed: b, t: t, chances: chances, user: u.ID, account: done.Accounts[0].Account.ID}
	a.wallet = b.manual(t, a.user, finance.SourceManual, euro(t, "2000-01-01", "100.00"))
	type moment struct {
		account string
		end     time.Time
		shown   []string
	}
	var moments []moment
	note := func(end time.Time) {
		for _, account := range []string{a.account, a.wallet} {
			if account != "" {
				moments = append(moments, moment{account, end, b.shown(t, a.user, account)})
			}
		}
	}
	for len(a.chances) > 0 {
		for range a.pick(5) {
			time.Sleep(time.Duration(61+a.pick(120)) * time.Minute) // a task claimed together with another one waits an hour
			switch a.pick(6) {
			case 0, 1:
				a.bankChanges()
				a.sync()
			case 2:
				a.balances()
			case 3:
				must(b.Look(ctx, a.user, a.account, time.Time{}))(t)
				note(time.Now().Add(time.Millisecond))
				time.Sleep(time.Minute)
			default:
				a.personDoes()
			}
		}
		b.checkIndex(t)
		note(endOfDay())
		time.Sleep(time.Until(endOfDay()))
	}
	for _, m := range moments {
		if m.account != a.account && m.account != a.wallet {
			if _, err := b.Known(ctx, a.user, m.account, m.end, knownMonth, NewestKnown, 10); !errors.Is(err, finance.ErrNotFound) {
				t.Fatalf("an account that was deleted is still known: %v", err)
			}
			continue
		}
		got, daily := b.known(t, a.user, m.account, m.end, 1+len(m.shown)%4), m.end.Equal(startOfDay(m.end))
		if !daily { // pending rows and balances are kept by the day, and nobody looks at what is new in the wallet
			got, m.shown = rowsAlone(got), rowsAlone(m.shown)
		}
		if (daily || m.account == a.account) && !slices.Equal(got, m.shown) {
			t.Fatalf("just before %s Florin showed\n%s\nand later reports that it was\n%s\nwith the chances %v", m.end,
				strings.Join(m.shown, "\n"), strings.Join(got, "\n"), chances)
		}
	}
	check(t, b.db.Read().QueryRowContext(ctx, `SELECT COUNT(*) FROM transaction_version`).Scan(&versions))
	return versions
}

func rowsAlone(lines []string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return strings.HasPrefix(l, "pending ") || strings.HasPrefix(l, "balance ") })
}
