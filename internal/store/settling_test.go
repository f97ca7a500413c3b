package store

import (
	"errors"
	"slices"
	"testing"

	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/settling"
)

// shared returns an expense among people, divided equally.
func shared(t testing.TB, payer string, minor int64, currency string, people ...string) settling.Expense {
	t.Helper()
	e := settling.Expense{ID: finance.NewID(), Payer: payer, Date: "2026-11-20", Text: "Dinner", Amount: money.FromMinor(minor, currency), Method: settling.Equally}
	for _, p := range people {
		e.Shares = append(e.Shares, settling.Share{Person: p})
	}
	return must(settling.Divide(e))(t)
}

// owed lists the debts of a person as "from to amount", with names.
func (b *bed) owed(t testing.TB, names map[string]string, user string) []string {
	t.Helper()
	var all []string
	for _, d := range must(b.OpenDebts(t.Context(), user))(t) {
		all = append(all, names[d.From]+" "+names[d.To]+" "+d.Amount.String()+" "+d.Amount.Currency())
	}
	slices.Sort(all)
	return all
}

func (b *bed) threePeople(t testing.TB) (ann, bo, cy string, names map[string]string) {
	t.Helper()
	id := func(email string, role finance.Role) string {
		return must(b.CreateUser(t.Context(), email, role, "hash"))(t).ID
	}
	ann, bo, cy = id("ann@example.org", finance.RoleOwner), id("bo@example.org", finance.RoleMember), id("cy@example.org", finance.RoleMember)
	return ann, bo, cy, map[string]string{ann: "ann", bo: "bo", cy: "cy"}
}

// TestExpensesOfAHousehold: only the people of an expense see it; each form changes it once; it can be deleted and restored; and strangers have no access.
func TestExpensesOfAHousehold(t *testing.T) {
	b, ctx := newBed(t), t.Context()
	ann, bo, cy, names := b.threePeople(t)
	dinner := shared(t, ann, 3001, "EUR", ann, bo)
	concerned := must(b.SaveExpense(ctx, ann, dinner))(t)
	if slices.Sort(concerned); !slices.Equal(concerned, slices.Sorted(slices.Values([]string{ann, bo}))) {
		t.Errorf("concerns %v", concerned)
	}
	must(b.SaveExpense(ctx, ann, dinner))(t) // the form is sent twice
	equal(t, b.owed(t, names, bo), "bo ann 15.00 EUR")
	if book := must(b.SettlingBook(ctx, bo))(t); len(book.Expenses) != 1 || book.Expenses[0].Text != "Dinner" || book.Expenses[0].Part(bo) != money.FromMinor(1500, "EUR") {
		t.Errorf("bo sees %+v", book.Expenses)
	}
	if book := must(b.SettlingBook(ctx, cy))(t); len(book.Expenses) != 0 || len(book.People) != 3 {
		t.Errorf("cy sees %+v", book)
	}
	notFound := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, finance.ErrNotFound) {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err := b.Expense(ctx, cy, dinner.ID)
	notFound("cy reads", err)
	stolen := shared(t, cy, 100, "EUR", cy, bo)
	stolen.ID, stolen.Revision = dinner.ID, 1
	_, err = b.SaveExpense(ctx, cy, stolen)
	notFound("cy changes", err)
	_, err = b.DeleteExpense(ctx, cy, dinner.ID, true)
	notFound("cy deletes", err)
	_, err = b.SaveExpense(ctx, cy, shared(t, ann, 100, "EUR", ann, bo))
	notFound("cy enters something between others", err)
	_, err = b.SaveExpense(ctx, ann, shared(t, ann, 100, "EUR", "NOBODY"))
	notFound("with nobody", err)

	next := shared(t, bo, 900, "CHF", ann, bo, cy)
	next.ID, next.Revision = dinner.ID, 1
	must(b.SaveExpense(ctx, bo, next))(t)
	equal(t, b.owed(t, names, bo), "ann bo 3.00 CHF", "cy bo 3.00 CHF")
	if _, err := b.SaveExpense(ctx, ann, next); !errors.Is(err, ErrExpenseChanged) {
		t.Error(err)
	}
	if e := must(b.Expense(ctx, cy, dinner.ID))(t); e.Revision != 2 || e.ChangedBy != bo {
		t.Errorf("%+v", e)
	}
	must(b.DeleteExpense(ctx, cy, dinner.ID, true))(t)
	equal(t, b.owed(t, names, bo))
	must(b.DeleteExpense(ctx, ann, dinner.ID, false))(t)
	equal(t, b.owed(t, names, cy), "cy bo 3.00 CHF")
}

// TestCashIsUndone: only the two people of a cash payment see it, and both can undo it.
func TestCashIsUndone(t *testing.T) {
	b, ctx := newBed(t), t.Context()
	ann, bo, cy, names := b.threePeople(t)
	must(b.SaveExpense(ctx, ann, shared(t, ann, 3000, "EUR", ann, bo, cy)))(t)
	cash := settling.Settlement{ID: finance.NewID(), From: bo, To: ann, Amount: money.FromMinor(400, "EUR")}
	check(t, b.AddSettlement(ctx, bo, cash))
	check(t, b.AddSettlement(ctx, bo, cash))
	equal(t, b.owed(t, names, ann), "bo ann 6.00 EUR", "cy ann 10.00 EUR")
	cash.ID = finance.NewID()
	if err := b.AddSettlement(ctx, cy, cash); !errors.Is(err, finance.ErrNotFound) {
		t.Error(err)
	}
	all := must(b.SettlingBook(ctx, ann))(t).Settlements
	if len(all) != 1 || all[0].By != bo || !all[0].Counts() {
		t.Fatalf("%+v", all)
	}
	if len(must(b.SettlingBook(ctx, cy))(t).Settlements) != 0 {
		t.Error("cy sees it")
	}
	if _, err := b.UndoSettlement(ctx, cy, all[0].ID, true); !errors.Is(err, finance.ErrNotFound) {
		t.Error(err)
	}
	must(b.UndoSettlement(ctx, ann, all[0].ID, true))(t)
	equal(t, b.owed(t, names, bo), "bo ann 10.00 EUR")
	must(b.UndoSettlement(ctx, bo, all[0].ID, false))(t)
	equal(t, b.owed(t, names, bo), "bo ann 6.00 EUR")
}

// TestSettlementFollowsItsPayment: the state of a settlement follows from the payment with its form key, whatever happens to that payment.
func TestSettlementFollowsItsPayment(t *testing.T) {
	b, ctx := newBed(t), t.Context()
	ann, bo, cy, names := b.threePeople(t)
	check(t, b.SaveProvider(ctx, finance.Provider{ID: "p", Name: "Simulated banks", BaseURL: "http://localhost:1", RegistrationURL: "http://localhost:1", Issuer: "i", Audience: "a",
		ApplicationID: "id", RedirectURL: "http://localhost:2/callback/p", Environment: openbanking.EnvironmentSandbox, PrivateKey: "k"}))
	must(b.SaveExpense(ctx, ann, shared(t, ann, 2000, "EUR", ann, bo)))(t)
	must(b.SaveExpense(ctx, cy, shared(t, cy, 2000, "EUR", ann, cy)))(t)
	to := ReceivingAccount{Name: "Ann", IBAN: "FI2112345600000785"}
	check(t, b.SetReceivingAccount(ctx, ann, to))
	if got := must(b.ReceivingAccount(ctx, ann))(t); got != to {
		t.Error(got)
	}
	first := must(b.PrepareSettlement(ctx, bo, settling.Settlement{To: ann, Amount: money.FromMinor(1000, "EUR")}, to))(t)
	s := must(b.PrepareSettlement(ctx, bo, settling.Settlement{To: ann, Amount: money.FromMinor(1000, "EUR")}, to))(t)
	if first.ID == s.ID {
		t.Error("taken again with its old amount")
	}
	if _, _, err := b.SettlementToPay(ctx, ann, s.ID); !errors.Is(err, finance.ErrNotFound) {
		t.Error(err)
	}
	if _, at, err := b.SettlementToPay(ctx, bo, s.ID); err != nil || at != to {
		t.Error(at, err)
	}
	equal(t, b.owed(t, names, bo), "bo ann 10.00 EUR")

	pay := func(id, key, currency, number string, minor int) {
		t.Helper()
		b.exec(t, `INSERT INTO payment (id, user_id, provider_id, form_key, phase, aspsp_name, country, psu_type, type, auth_method, request, reference, successful, title, minor, currency, created, sent,
			payment_id, at_created, status, ended, final)
			VALUES ($1, $2, 'p', $3, 'created', 'Bank', 'FI', 'personal', 'SEPA', '', '{}', $1, 'ACSC', 'Ann', $4, $5, '2026-11-20T10:00:00.000Z', '2026-11-20T10:00:00.000Z', $1,
			'2026-11-20T10:00:00.000Z', 'RCVD', '2026-11-20T10:00:00.000Z', 0)`, id, bo, key, minor, currency)
		b.exec(t, `INSERT INTO payment_transfer (payment_id, position, payee, payee_key, scheme, number, minor, currency, end_to_end_id) VALUES ($1, 0, 'Ann', 'ann', 'IBAN', $2, $3, $4, 'e')`,
			id, number, minor, currency)
	}
	state := func(user string) settling.State {
		t.Helper()
		all := must(b.SettlingBook(ctx, user))(t).Settlements
		if len(all) == 0 {
			return ""
		}
		return all[0].State
	}
	pay("PAY1", s.FormKey, "EUR", to.IBAN, 700)
	for _, c := range []struct {
		status string
		final  int
		want   settling.State
		owed   string
	}{
		{"RCVD", 0, settling.UnderWay, "bo ann 10.00 EUR"}, {"ACSP", 0, settling.UnderWay, "bo ann 10.00 EUR"}, {"ACSC", 1, settling.Settled, "bo ann 3.00 EUR"},
		{"RJCT", 1, settling.Void, "bo ann 10.00 EUR"}, {"CNCL", 1, settling.Void, "bo ann 10.00 EUR"},
	} {
		b.exec(t, `UPDATE payment SET status = $1, final = $2 WHERE id = 'PAY1'`, c.status, c.final)
		if got := state(bo); got != c.want {
			t.Errorf("%s: %s, want %s", c.status, got, c.want)
		}
		if got := state(ann); got != c.want {
			t.Errorf("%s: %s for ann", c.status, got)
		}
		equal(t, b.owed(t, names, bo), c.owed)
	}
	if people := must(b.SettledBy(ctx, bo, "PAY1"))(t); !slices.Equal(people, []string{ann}) {
		t.Error(people)
	}
	if must(b.SettlingBook(ctx, ann))(t).Settlements[0].PaymentID != "" {
		t.Error("ann sees the id of bo's payment")
	}
	b.exec(t, `UPDATE payment SET status = 'ACSC' WHERE id = 'PAY1'`)
	b.exec(t, `UPDATE payment_transfer SET number = 'DE89370400440532013000' WHERE payment_id = 'PAY1'`)
	if got := state(bo); got != settling.Other {
		t.Errorf("paid to another account: %s", got)
	}
	b.exec(t, `UPDATE payment_transfer SET number = $1 WHERE payment_id = 'PAY1'`, to.IBAN)

	// Along a chain: bo pays cy the amount that ann owes cy, and ann no longer owes it.
	book := must(b.SettlingBook(ctx, bo))(t)
	chains := must(book.Chains())(t)
	if len(chains) != 1 || chains[0].To != cy || chains[0].Amount != money.FromMinor(300, "EUR") {
		t.Fatalf("%+v", chains)
	}
	way := must(b.PrepareSettlement(ctx, bo, settling.Settlement{To: cy, Amount: chains[0].Amount, Paths: chains[0].Paths}, to))(t)
	pay("PAY2", way.FormKey, "EUR", to.IBAN, 300)
	b.exec(t, `UPDATE payment SET status = 'ACSC', final = 1 WHERE id = 'PAY2'`)
	equal(t, b.owed(t, names, ann), "ann cy 7.00 EUR")
	if people := must(b.SettledBy(ctx, bo, "PAY2"))(t); len(people) != 2 {
		t.Error("ann is not among the people to notify", people)
	}

	// Sent in the app of a bank, from an account without a banking service.
	own := must(b.PrepareSettlement(ctx, ann, settling.Settlement{To: cy, Amount: money.FromMinor(700, "EUR")}, to))(t)
	pay("PAY3", own.FormKey, "EUR", to.IBAN, 200)
	b.exec(t, `UPDATE payment SET user_id = $1, provider_id = NULL, type = 'OWN_APP' WHERE id = 'PAY3'`, ann)
	paid := func(want settling.State) {
		t.Helper()
		for _, s := range must(b.SettlingBook(ctx, ann))(t).Settlements {
			if s.ID == own.ID && (s.State != want || s.PaymentID != "PAY3") {
				t.Errorf("sent in the app of a bank: %s by %q, want %s", s.State, s.PaymentID, want)
			}
		}
	}
	paid(settling.UnderWay)
	again := must(b.PrepareSettlement(ctx, ann, settling.Settlement{To: cy, Amount: money.FromMinor(100, "EUR")}, to))(t)
	if _, _, err := b.SettlementToPay(ctx, ann, own.ID); err != nil {
		t.Error("a settlement whose payment is on its way is missing:", err)
	}
	must(b.UndoSettlement(ctx, ann, again.ID, true))(t)
	b.exec(t, `UPDATE payment SET status = 'ACSC', final = 1 WHERE id = 'PAY3'`)
	paid(settling.Settled)
	equal(t, b.owed(t, names, ann), "ann cy 5.00 EUR")
	b.exec(t, `UPDATE payment SET status = 'CNCL' WHERE id = 'PAY3'`)
	paid(settling.Void)

	// Bo leaves: past settlements stay, and ann and cy still see with whom.
	check(t, b.RemoveUser(ctx, bo))
	equal(t, b.owed(t, names, ann), "ann cy 7.00 EUR")
	book = must(b.SettlingBook(ctx, ann))(t)
	if p := book.Person(bo); !p.Gone || p.Email != "bo@example.org" || len(book.Settlements) != 4 || len(book.Expenses) != 2 {
		t.Errorf("%+v %+v", p, book)
	}
	check(t, b.RemoveUser(ctx, cy))
	if book := must(b.SettlingBook(ctx, ann))(t); len(book.Expenses) != 2 || len(book.People) != 3 {
		t.Errorf("%+v", book)
	}
	equal(t, b.owed(t, names, ann), "ann cy 7.00 EUR")
}

// TestNobodyIsLeft: expenses whose people were all removed are deleted.
func TestNobodyIsLeft(t *testing.T) {
	b, ctx := newBed(t), t.Context()
	_, bo, cy, _ := b.threePeople(t)
	must(b.SaveExpense(ctx, bo, shared(t, bo, 3000, "EUR", bo, cy)))(t)
	check(t, b.AddSettlement(ctx, bo, settling.Settlement{ID: finance.NewID(), From: cy, To: bo, Amount: money.FromMinor(400, "EUR")}))
	check(t, b.RemoveUser(ctx, bo))
	check(t, b.RemoveUser(ctx, cy))
	var left int
	check(t, b.db.Read().QueryRowContext(ctx, `SELECT (SELECT COUNT(*) FROM expense) + (SELECT COUNT(*) FROM expense_share) + (SELECT COUNT(*) FROM settlement) + (SELECT COUNT(*) FROM sharer)`).Scan(&left))
	if left != 0 {
		t.Errorf("%d rows are left", left)
	}
}

// TestExpenseOfABooking: a booking has at most one expense, of its own user. When the bank removes the booking, only the link to it is removed.
func TestExpenseOfABooking(t *testing.T) {
	b, ctx := newBed(t), t.Context()
	user, account := b.linked(t)
	other := must(b.CreateUser(ctx, "bo@example.org", finance.RoleMember, "hash"))(t).ID
	b.run(t, []finance.Entry{dated(t, "R5", "5.00", "2026-03-09", "2026-03-09")})
	var id int64
	check(t, b.db.Read().QueryRowContext(ctx, `SELECT id FROM booked_transaction`).Scan(&id))
	e := shared(t, user, 500, "EUR", user, other)
	e.AccountID, e.TransactionID = account, id
	foreign := shared(t, other, 500, "EUR", user, other)
	foreign.AccountID, foreign.TransactionID = account, id
	if _, err := b.SaveExpense(ctx, other, foreign); !errors.Is(err, finance.ErrNotFound) {
		t.Error(err)
	}
	must(b.SaveExpense(ctx, user, e))(t)
	if got := must(b.ExpenseOf(ctx, user, id))(t); got.ID != e.ID || got.TransactionID != id || !got.Booked {
		t.Errorf("%+v", got)
	}
	if got := must(b.Expense(ctx, other, e.ID))(t); got.TransactionID != 0 || got.AccountID != "" || !got.Booked {
		t.Errorf("the other sees the booking: %+v", got)
	}
	again := shared(t, user, 500, "EUR", user, other)
	again.AccountID, again.TransactionID = account, id
	if _, err := b.SaveExpense(ctx, user, again); !errors.Is(err, ErrExpenseTaken) {
		t.Error(err)
	}
	must(b.DeleteExpense(ctx, user, e.ID, true))(t)
	must(b.SaveExpense(ctx, user, again))(t)
	b.exec(t, `DELETE FROM account WHERE id = $1`, account)
	if got := must(b.Expense(ctx, user, again.ID))(t); got.Booked || got.Text != "Dinner" || got.Amount != money.FromMinor(500, "EUR") {
		t.Errorf("%+v", got)
	}
}
