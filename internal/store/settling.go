package store

import (
	"context"
	"errors"
	"slices"
	"time"

	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/settling"
	"florin/internal/sqlite"
)

var (
	// ErrExpenseChanged says that somebody changed an expense meanwhile.
	ErrExpenseChanged = errors.New("somebody changed this expense meanwhile")
	// ErrExpenseTaken says that a transaction is an expense already.
	ErrExpenseTaken = errors.New("this transaction is a shared expense already")
)

// visibleExpense names the expenses e of a person, $1: those that they paid, and those of which they have a share. Nobody else sees one.
const visibleExpense = `e.id IN (SELECT paid.id FROM expense paid WHERE paid.payer_id = $1 UNION SELECT part.expense_id FROM expense_share part WHERE part.person_id = $1)`

// visibleSettlement names the settlements s of a person, $1: whoever gives, gets, or stands in between.
const visibleSettlement = `s.id IN (SELECT given.id FROM settlement given WHERE given.from_id = $1 UNION SELECT got.id FROM settlement got WHERE got.to_id = $1
	UNION SELECT way.settlement_id FROM settlement_path way WHERE way.person_id = $1)`

// SharesExpenses reports whether there is somebody with whom the user could share expenses, or did. Each page asks for it, so it comes from memory while
// nothing was written.
func (s *Store) SharesExpenses(ctx context.Context, userID string) (_ bool, err error) {
	defer doing("look for people who share expenses", &err)
	return s.some(ctx, "sharer", `SELECT 1 FROM user WHERE id <> $1 UNION ALL SELECT 1 FROM sharer WHERE id <> $1`, userID)
}

// SettlingBook returns what the user sees of shared expenses. Its ledger is that of the whole household: nobody can be left out of a chain of debts otherwise.
func (s *Store) SettlingBook(ctx context.Context, userID string) (b settling.Book, err error) {
	defer doing("read shared expenses", &err)
	err = s.db.Snapshot(ctx, func(at sqlite.Snapshot) error {
		b, err = s.settlingBook(ctx, at, userID)
		return err
	})
	return b, err
}

func (s *Store) settlingBook(ctx context.Context, q querier, userID string) (b settling.Book, err error) {
	b.Me = userID
	if b.Expenses, err = expenses(ctx, q, userID, visibleExpense); err != nil {
		return b, err
	}
	if b.Settlements, err = s.settlements(ctx, q, userID, visibleSettlement); err != nil {
		return b, err
	}
	if b.People, err = collect(ctx, q, scanSharer, `SELECT id, email, 0 FROM user UNION ALL
		SELECT gone.id, gone.email, 1 FROM sharer gone WHERE gone.id NOT IN (SELECT id FROM user) ORDER BY 2, 1`); err != nil {
		return b, err
	}
	b.People = slices.DeleteFunc(b.People, func(p settling.Person) bool {
		return p.Gone && !slices.ContainsFunc(b.Expenses, func(e settling.Expense) bool { return e.Takes(p.ID) }) &&
			!slices.ContainsFunc(b.Settlements, func(s settling.Settlement) bool { return s.Takes(p.ID) })
	})
	b.Ledger, err = s.ledger(ctx, q)
	return b, err
}

func scanSharer(row scanner) (p settling.Person, err error) {
	return p, row.Scan(&p.ID, &p.Email, &p.Gone)
}

// ledger adds up what all people owe each other.
func (s *Store) ledger(ctx context.Context, q querier) (l settling.Ledger, err error) {
	debts, err := collect(ctx, q, func(row scanner) (d settling.Debt, err error) {
		var minor int64
		var currency string
		err = row.Scan(&d.From, &d.To, &currency, &minor)
		d.Amount = money.FromMinor(minor, currency)
		return d, err
	}, `SELECT part.person_id, e.payer_id, e.currency, SUM(part.minor) FROM expense e CROSS JOIN expense_share part ON part.expense_id = e.id
		WHERE e.deleted = 0 AND part.person_id <> e.payer_id GROUP BY part.person_id, e.payer_id, e.currency`)
	if err != nil {
		return l, err
	}
	all, err := s.settlements(ctx, q, "", `$1 = ''`)
	if err != nil {
		return l, err
	}
	for _, settlement := range all {
		debts = append(debts, settlement.Debts()...)
	}
	return l, l.Add(debts...)
}

// expenses reads expenses with their shares. which names them as e, by the person, $1, who alone sees the booking.
func expenses(ctx context.Context, q querier, userID, which string, more ...any) ([]settling.Expense, error) {
	args := append([]any{userID}, more...)
	all, err := collect(ctx, q, scanExpense, `SELECT e.id, e.revision, e.payer_id, e.day, e.text, e.minor, e.currency, e.method, COALESCE(t.account_id, ''), COALESCE(t.id, 0),
			e.transaction_id IS NOT NULL, e.rule_id, e.changed_by, e.changed, e.deleted
		FROM expense e LEFT JOIN booked_transaction t ON t.id = e.transaction_id AND e.payer_id = $1
		WHERE `+which+` ORDER BY e.day DESC, e.created DESC, e.id`, args...)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	at := make(map[string]int, len(all))
	for i, e := range all {
		at[e.ID] = i
	}
	type part struct {
		settling.Share
		expense string
		minor   int64
	}
	parts, err := collect(ctx, q, func(row scanner) (p part, err error) {
		return p, row.Scan(&p.expense, &p.Person, &p.Weight, &p.minor)
	}, `SELECT share.expense_id, share.person_id, share.weight, share.minor FROM expense e CROSS JOIN expense_share share ON share.expense_id = e.id
		WHERE `+which+` ORDER BY share.expense_id, share.person_id`, args...)
	for _, p := range parts {
		e := &all[at[p.expense]]
		p.Amount = money.FromMinor(p.minor, e.Amount.Currency())
		e.Shares = append(e.Shares, p.Share)
	}
	return all, err
}

func scanExpense(row scanner) (e settling.Expense, err error) {
	var minor int64
	var currency string
	var at sqlite.Time
	err = row.Scan(&e.ID, &e.Revision, &e.Payer, &e.Date, &e.Text, &minor, &currency, &e.Method, &e.AccountID, &e.TransactionID, &e.Booked,
		&e.Rule, &e.ChangedBy, &at, &e.Deleted)
	e.Amount, e.Changed = money.FromMinor(minor, currency), at.Time
	return e, err
}

// settlements reads settlements with their states. which names them as s, by the person, $1.
func (s *Store) settlements(ctx context.Context, q querier, userID, which string) ([]settling.Settlement, error) {
	type row struct {
		settling.Settlement
		iban string
	}
	all, err := collect(ctx, q, func(from scanner) (r row, err error) {
		var minor, paid int64
		var currency, state, undone string
		var created, changed sqlite.Time
		err = from.Scan(&r.ID, &r.Means, &r.From, &r.To, &minor, &currency, &r.iban, &r.FormKey, &state, &paid, &created, &r.By, &undone, &changed)
		r.Amount, r.Paid = money.FromMinor(minor, currency), money.FromMinor(paid, currency)
		r.State, r.Undone, r.UndoneBy, r.Created, r.Changed = settling.State(state), undone != "", undone, created.Time, changed.Time
		if state == "" {
			r.State = settling.Prepared
		}
		return r, err
	}, `SELECT s.id, s.means, s.from_id, s.to_id, s.minor, s.currency, s.iban, s.form_key, s.state, s.paid, s.created, s.created_by, COALESCE(s.undone_by, ''), s.changed
		FROM settlement s WHERE `+which+` ORDER BY s.created DESC, s.id`, userID)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	at := make(map[string]int, len(all))
	for i, r := range all {
		at[r.ID] = i
	}
	type step struct {
		settlement, person string
		path               int
		minor              int64
	}
	steps, err := collect(ctx, q, func(from scanner) (w step, err error) {
		return w, from.Scan(&w.settlement, &w.path, &w.person, &w.minor)
	}, `SELECT way.settlement_id, way.path, way.person_id, way.minor FROM settlement s CROSS JOIN settlement_path way ON way.settlement_id = s.id
		WHERE `+which+` ORDER BY way.settlement_id, way.path, way.step`, userID)
	if err != nil {
		return nil, err
	}
	for _, w := range steps {
		r := &all[at[w.settlement]]
		if len(r.Paths) <= w.path {
			r.Paths = append(r.Paths, settling.Path{Amount: money.FromMinor(w.minor, r.Amount.Currency())})
		}
		r.Paths[w.path].People = append(r.Paths[w.path].People, w.person)
	}
	// What became of the payments. A payment that went with its user has left its state behind.
	outcomes, err := collect(ctx, q, s.scanOutcome, `SELECT `+listedColumns+`, s.id, `+outcomeColumns+`
		FROM settlement s JOIN payment ON payment.user_id = s.from_id AND payment.form_key = s.form_key LEFT JOIN provider ON provider.id = payment.provider_id
		WHERE s.state = '' AND `+which, userID)
	if err != nil {
		return nil, err
	}
	for _, o := range outcomes {
		r := &all[at[o.of]]
		r.State, r.PaymentID = settlementState(o.Payment, o.booked == 1, time.Now()), o.ID
		if r.State != settling.Prepared && r.State != settling.Void && (o.transfers != 1 || o.number != r.iban || o.Total.Currency() != r.Amount.Currency()) {
			r.State = settling.Other
		}
		if r.State == settling.Settled {
			r.Paid = o.Total
		}
	}
	list := make([]settling.Settlement, 0, len(all))
	for _, r := range all {
		if r.From != userID {
			r.PaymentID, r.FormKey = "", ""
		}
		list = append(list, r.Settlement)
	}
	return list, nil
}

// outcome is what became of a payment.
type outcome struct {
	finance.Payment
	of                string // what it was made for
	number            string // to which it went
	transfers, booked int
}

// outcomeColumns follow listedColumns and what the payment was made for.
const outcomeColumns = `(SELECT COUNT(*) FROM payment_transfer transfer WHERE transfer.payment_id = payment.id),
	COALESCE((SELECT transfer.number FROM payment_transfer transfer WHERE transfer.payment_id = payment.id ORDER BY transfer.position LIMIT 1), ''),
	EXISTS (SELECT 1 FROM payment_booking booking WHERE booking.payment_id = payment.id)`

func (s *Store) scanOutcome(from scanner) (o outcome, err error) {
	var r paymentRow
	more := []column{{into: &o.of}, {into: &o.transfers}, {into: &o.number}, {into: &o.booked}}
	if err := scanColumns(from, append(r.listed(), more...)); err != nil {
		return o, err
	}
	r.payment.Order.Request.CreditTransferTransaction = nil
	o.Payment, err = s.paymentOfRow(&r)
	return o, err
}

// carriedOutStories are the states of a payment in which the bank has carried it out. A booking that was seen once counts even when it has been deleted
// with its account.
var carriedOutStories = []finance.StoryKind{finance.StorySent, finance.StoryArrived, finance.StoryHandedOver, finance.StorySeen}

// settlementState is what a payment means for what it settles.
func settlementState(p finance.Payment, booked bool, now time.Time) settling.State {
	story := p.Story(now)
	switch {
	case p.Phase == finance.PhaseDraft:
		return settling.Prepared
	case story.NoMoney:
		return settling.Void
	case booked, !p.Order.Standing() && slices.Contains(carriedOutStories, story.Kind):
		return settling.Settled
	}
	return settling.UnderWay
}

// sharer makes sure that a person can share expenses. The error is finance.ErrNotFound when the id is neither that of a user nor of somebody who shared
// expenses before.
func sharer(ctx context.Context, tx *sqlite.Tx, id string) error {
	if _, err := tx.ExecContext(ctx, `INSERT INTO sharer (id) SELECT id FROM user WHERE id = $1 ON CONFLICT DO NOTHING`, id); err != nil {
		return err
	}
	var one int
	return notFound(tx.QueryRowContext(ctx, `SELECT 1 FROM sharer WHERE id = $1`, id).Scan(&one))
}

// Expense returns an expense of the user. finance.ErrNotFound when the user has no part in it.
func (s *Store) Expense(ctx context.Context, userID, id string) (_ settling.Expense, err error) {
	defer doing("read expense", &err)
	return expense(ctx, s.db.Read(), userID, id)
}

func expense(ctx context.Context, q querier, userID, id string) (settling.Expense, error) {
	const one = `e.id = $2 AND (e.payer_id = $1 OR EXISTS (SELECT 1 FROM expense_share part WHERE part.person_id = $1 AND part.expense_id = e.id))`
	all, err := expenses(ctx, q, userID, one, id) // without reading the list of all that are visible
	if err == nil && len(all) == 0 {
		err = finance.ErrNotFound
	}
	if err != nil {
		return settling.Expense{}, err
	}
	return all[0], nil
}

// ExpenseOf returns the expense that a booked transaction of the user is, or finance.ErrNotFound.
func (s *Store) ExpenseOf(ctx context.Context, userID string, transactionID int64) (_ settling.Expense, err error) {
	defer doing("read expense of transaction", &err)
	all, err := expenses(ctx, s.db.Read(), userID, `e.transaction_id = $2 AND e.payer_id = $1 AND e.deleted = 0`, transactionID)
	if err == nil && len(all) == 0 {
		err = finance.ErrNotFound
	}
	if err != nil {
		return settling.Expense{}, err
	}
	return all[0], nil
}

// SaveExpense stores an expense that was divided (settling.Divide), new with revision 0, else in place of that revision. It returns the people whom it
// concerns now or did before. Errors: finance.ErrNotFound when the user has no part in it before or afterwards, for people who are no users, and for a
// booking that is not the payer's own or that was merged into another; ErrExpenseChanged when it has another revision; ErrExpenseTaken when the booking is an
// expense already. A new one that is stored already under its id, by the same form, stays as it is.
func (s *Store) SaveExpense(ctx context.Context, userID string, e settling.Expense) (concerned []string, err error) {
	defer doing("save expense", &err)
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		concerned, err = saveExpense(ctx, tx, userID, e)
		return err
	})
	slices.Sort(concerned)
	return slices.Compact(concerned), err
}

// saveExpense is SaveExpense within a transaction.
func saveExpense(ctx context.Context, tx *sqlite.Tx, userID string, e settling.Expense) (concerned []string, err error) {
	before, err := expense(ctx, tx, userID, e.ID)
	if err != nil && !errors.Is(err, finance.ErrNotFound) {
		return nil, err
	}
	switch known := err == nil; {
	case known && e.Revision == 0:
		return nil, nil
	case !known && e.Revision != 0 || !e.Takes(userID):
		return nil, finance.ErrNotFound
	case known && before.Revision != e.Revision:
		return nil, ErrExpenseChanged
	case known && before.Booked && (e.Payer != before.Payer || e.Amount != before.Amount):
		return nil, finance.ErrNotFound // no form offers it
	}
	for _, person := range append(peopleOf(e), userID) {
		if err := sharer(ctx, tx, person); err != nil {
			return nil, err
		}
	}
	if err := putExpense(ctx, tx, userID, e); err != nil {
		return nil, err
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM expense_share WHERE expense_id = $1`, e.ID); err != nil {
		return nil, err
	}
	for _, share := range e.Shares {
		if _, err := tx.ExecContext(ctx, `INSERT INTO expense_share (person_id, expense_id, weight, minor) VALUES ($1, $2, $3, $4)`, share.Person, e.ID, share.Weight,
			share.Amount.Minor()); err != nil {
			return nil, err
		}
	}
	return append(peopleOf(e), peopleOf(before)...), nil
}

// putExpense writes the row of an expense.
func putExpense(ctx context.Context, tx *sqlite.Tx, userID string, e settling.Expense) error {
	if e.Revision > 0 {
		return changed(tx.ExecContext(ctx, `UPDATE expense SET revision = revision + 1, payer_id = $1, day = $2, text = $3, minor = $4, currency = $5, method = $6, changed = $7,
			changed_by = $8, deleted = 0 WHERE id = $9 AND revision = $10`, e.Payer, e.Date, e.Text, e.Amount.Minor(), e.Amount.Currency(), e.Method, sqlite.At(tx.Now), userID, e.ID,
			e.Revision))
	}
	var booking any
	if e.TransactionID != 0 {
		var one int
		if err := tx.QueryRowContext(ctx, `SELECT 1 FROM booked_transaction t JOIN account a ON a.id = t.account_id WHERE t.id = $1 AND a.id = $2 AND a.user_id = $3 AND a.user_id = $4
			AND `+inList,
			e.TransactionID, e.AccountID, userID, e.Payer).Scan(&one); err != nil {
			return notFound(err)
		}
		booking = e.TransactionID
		if _, err := tx.ExecContext(ctx, `UPDATE expense SET transaction_id = NULL WHERE transaction_id = $1 AND deleted = 1`, e.TransactionID); err != nil {
			return err
		}
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO expense (id, payer_id, day, text, minor, currency, method, transaction_id, rule_id, created, changed, changed_by)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, $11)`, e.ID, e.Payer, e.Date, e.Text, e.Amount.Minor(), e.Amount.Currency(), e.Method, booking, e.Rule,
		sqlite.At(tx.Now), userID)
	if sqlite.IsUnique(err) {
		return ErrExpenseTaken
	}
	return err
}

// peopleOf are the people of an expense.
func peopleOf(e settling.Expense) []string {
	var all []string
	if e.Payer != "" {
		all = append(all, e.Payer)
	}
	for _, share := range e.Shares {
		all = append(all, share.Person)
	}
	return all
}

// DeleteExpense takes an expense of the user out of all sums, or back into them. It returns the people whom it concerns. Errors: finance.ErrNotFound, and
// ErrExpenseTaken when its booking is another expense meanwhile.
func (s *Store) DeleteExpense(ctx context.Context, userID, id string, deleted bool) (concerned []string, err error) {
	defer doing("delete expense", &err)
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		e, err := expense(ctx, tx, userID, id)
		if err != nil {
			return err
		}
		if err := sharer(ctx, tx, userID); err != nil {
			return err
		}
		concerned = peopleOf(e)
		_, err = tx.ExecContext(ctx, `UPDATE expense SET deleted = $1, revision = revision + 1, changed = $2, changed_by = $3 WHERE id = $4 AND deleted <> $1`, flag(deleted),
			sqlite.At(tx.Now), userID, e.ID)
		return err
	})
	return concerned, err
}

// ReceivingAccount is the account on which a person wants to be paid.
type ReceivingAccount struct{ Name, IBAN string }

// ReceivingAccount returns where a user wants to be paid by the others, or finance.ErrNotFound. Whoever shares this Florin may ask: it is there to be paid on.
func (s *Store) ReceivingAccount(ctx context.Context, userID string) (a ReceivingAccount, err error) {
	defer doing("read receiving account", &err)
	err = s.db.Read().QueryRowContext(ctx, `SELECT name, iban FROM receiving_account WHERE user_id = $1`, userID).Scan(&a.Name, &a.IBAN)
	return a, notFound(err)
}

// SetReceivingAccount says where the user wants to be paid by the others; zero for nowhere.
func (s *Store) SetReceivingAccount(ctx context.Context, userID string, a ReceivingAccount) (err error) {
	defer doing("set receiving account", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM receiving_account WHERE user_id = $1`, userID); err != nil || a == (ReceivingAccount{}) {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO receiving_account (user_id, name, iban) VALUES ($1, $2, $3)`, userID, a.Name, a.IBAN)
		return err
	})
}

// PrepareSettlement stores that the user is about to pay what settles a debt, to the account. One whose payment has no draft yet is taken again. It returns
// the settlement, with the payment if there is a draft already.
func (s *Store) PrepareSettlement(ctx context.Context, userID string, w settling.Settlement, to ReceivingAccount) (_ settling.Settlement, err error) {
	defer doing("prepare settlement", &err)
	w.Means, w.From, w.By, w.State = settling.ByPayment, userID, userID, settling.Prepared
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		open, err := s.settlements(ctx, tx, userID, `s.from_id = $1 AND s.means = 'payment' AND s.state = ''`)
		if err != nil {
			return err
		}
		for _, o := range open {
			switch {
			case o.To != w.To || o.Amount.Currency() != w.Amount.Currency() || o.State != settling.Prepared || o.Undone:
			case o.PaymentID != "" && o.Amount == w.Amount:
				w = o
				return nil
			case o.PaymentID == "":
				if _, err := tx.ExecContext(ctx, `DELETE FROM settlement WHERE id = $1 AND from_id = $2`, o.ID, userID); err != nil {
					return err
				}
			}
		}
		w.ID, w.FormKey, w.Created, w.Changed = finance.NewID(), finance.NewID(), tx.Now, tx.Now
		return putSettlement(ctx, tx, w, to)
	})
	return w, err
}

// AddSettlement stores what the user says was given in cash: by the user, or to the user. The id comes with the form: one that is there already stays as it
// is. finance.ErrNotFound when the user neither gives nor gets, or the other one is nobody.
func (s *Store) AddSettlement(ctx context.Context, userID string, w settling.Settlement) (err error) {
	defer doing("add settlement", &err)
	if w.From != userID && w.To != userID || w.From == w.To {
		return finance.ErrNotFound
	}
	w.Means, w.By, w.State, w.Paid = settling.InCash, userID, settling.Settled, w.Amount
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		w.FormKey, w.Created, w.Changed = w.ID, tx.Now, tx.Now
		err := putSettlement(ctx, tx, w, ReceivingAccount{})
		if sqlite.IsUnique(err) {
			return nil
		}
		return err
	})
}

func putSettlement(ctx context.Context, tx *sqlite.Tx, w settling.Settlement, to ReceivingAccount) error {
	for _, person := range w.People() {
		if err := sharer(ctx, tx, person); err != nil {
			return err
		}
	}
	state := string(w.State)
	if w.Means == settling.ByPayment {
		state = ""
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO settlement (id, means, from_id, to_id, minor, currency, name, iban, form_key, state, paid, created, created_by, changed)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $12)`, w.ID, w.Means, w.From, w.To, w.Amount.Minor(), w.Amount.Currency(), to.Name, to.IBAN, w.FormKey, state,
		w.Paid.Minor(), sqlite.At(w.Created), w.By); err != nil {
		return err
	}
	for i, path := range w.Paths {
		for step, person := range path.People {
			if _, err := tx.ExecContext(ctx, `INSERT INTO settlement_path (settlement_id, path, step, person_id, minor) VALUES ($1, $2, $3, $4, $5)`, w.ID, i, step, person,
				path.Amount.Minor()); err != nil {
				return err
			}
		}
	}
	return nil
}

// SettlementToPay returns a settlement that the user is about to pay, with the account to pay to. finance.ErrNotFound when there is none.
func (s *Store) SettlementToPay(ctx context.Context, userID, id string) (w settling.Settlement, to ReceivingAccount, err error) {
	defer doing("read settlement to pay", &err)
	err = s.db.Snapshot(ctx, func(at sqlite.Snapshot) error {
		all, err := s.settlements(ctx, at, userID, `s.from_id = $1 AND s.means = 'payment'`)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(all, func(w settling.Settlement) bool { return w.ID == id })
		if i < 0 {
			return finance.ErrNotFound
		}
		w = all[i]
		return at.QueryRowContext(ctx, `SELECT name, iban FROM settlement WHERE id = $1 AND from_id = $2`, id, userID).Scan(&to.Name, &to.IBAN)
	})
	return w, to, err
}

// UndoSettlement says that a settlement does not count, or that it does after all. Only who gives or gets says so. It returns the people whom it concerns.
func (s *Store) UndoSettlement(ctx context.Context, userID, id string, undone bool) (concerned []string, err error) {
	defer doing("undo settlement", &err)
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		all, err := s.settlements(ctx, tx, userID, visibleSettlement)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(all, func(w settling.Settlement) bool { return w.ID == id && (w.From == userID || w.To == userID) })
		if i < 0 {
			return finance.ErrNotFound
		}
		if err := sharer(ctx, tx, userID); err != nil {
			return err
		}
		concerned = all[i].People()
		by := ""
		if undone {
			by = userID
		}
		_, err = tx.ExecContext(ctx, `UPDATE settlement SET undone_by = NULLIF($1, ''), changed = $2 WHERE id = $3 AND (from_id = $4 OR to_id = $4) AND (undone_by IS NULL) = $5`, by,
			sqlite.At(tx.Now), id, userID, flag(undone))
		return err
	})
	return concerned, err
}

// SettledBy lists the people beside the user whose debts a payment of the user settles or would settle; none for other payments.
func (s *Store) SettledBy(ctx context.Context, userID, paymentID string) (_ []string, err error) {
	defer doing("find whom a payment settles with", &err)
	if some, err := s.some(ctx, "settlement", `SELECT 1 FROM settlement WHERE from_id = $1`, userID); err != nil || !some {
		return nil, err
	}
	return collect(ctx, s.db.Read(), func(row scanner) (id string, err error) { return id, row.Scan(&id) },
		`SELECT s.to_id FROM payment JOIN settlement s ON s.form_key = payment.form_key AND s.from_id = payment.user_id WHERE payment.id = $2 AND payment.user_id = $1
		UNION SELECT way.person_id FROM payment JOIN settlement s ON s.form_key = payment.form_key AND s.from_id = payment.user_id
			JOIN settlement_path way ON way.settlement_id = s.id WHERE payment.id = $2 AND payment.user_id = $1 AND way.person_id <> $1`, userID, paymentID)
}

// OpenDebts lists what the user owes others and others owe the user.
func (s *Store) OpenDebts(ctx context.Context, userID string) (open []settling.Debt, err error) {
	defer doing("read open debts", &err)
	err = s.db.Snapshot(ctx, func(at sqlite.Snapshot) error {
		l, err := s.ledger(ctx, at)
		open = slices.DeleteFunc(l.Pairs(), func(d settling.Debt) bool { return d.From != userID && d.To != userID })
		return err
	})
	return open, err
}

// leaveSettling prepares shared expenses for the removal of a user. For the others it keeps the user's address and the results of the user's payments. What
// nobody else shares is deleted.
func (s *Store) leaveSettling(ctx context.Context, tx *sqlite.Tx, userID string) error {
	all, err := s.settlements(ctx, tx, userID, `s.from_id = $1 AND s.state = ''`)
	if err != nil {
		return err
	}
	for _, w := range all {
		state, paid := settling.Void, int64(0)
		if w.State == settling.Settled {
			state, paid = settling.Settled, w.Paid.Minor()
		}
		if _, err := tx.ExecContext(ctx, `UPDATE settlement SET state = $1, paid = $2 WHERE id = $3 AND from_id = $4`, state, paid, w.ID, userID); err != nil {
			return err
		}
	}
	_, err = tx.ExecContext(ctx, `UPDATE sharer SET email = (SELECT email FROM user WHERE user.id = sharer.id) WHERE id = $1`, userID)
	return err
}

// forgetSharers deletes what only people share who are all gone.
func forgetSharers(ctx context.Context, tx *sqlite.Tx) error {
	for _, query := range []string{
		`DELETE FROM expense WHERE payer_id NOT IN (SELECT id FROM user)
			AND NOT EXISTS (SELECT 1 FROM expense_share part JOIN user ON user.id = part.person_id WHERE part.expense_id = expense.id)`,
		`DELETE FROM settlement WHERE from_id NOT IN (SELECT id FROM user) AND to_id NOT IN (SELECT id FROM user)
			AND NOT EXISTS (SELECT 1 FROM settlement_path way JOIN user ON user.id = way.person_id WHERE way.settlement_id = settlement.id)`,
		`DELETE FROM sharer WHERE id NOT IN (SELECT id FROM user) AND id NOT IN (SELECT payer_id FROM expense) AND id NOT IN (SELECT changed_by FROM expense)
			AND id NOT IN (SELECT person_id FROM expense_share) AND id NOT IN (SELECT from_id FROM settlement) AND id NOT IN (SELECT to_id FROM settlement)
			AND id NOT IN (SELECT created_by FROM settlement) AND id NOT IN (SELECT undone_by FROM settlement WHERE undone_by IS NOT NULL)
			AND id NOT IN (SELECT person_id FROM settlement_path)`,
	} {
		if _, err := tx.ExecContext(ctx, query); err != nil {
			return err
		}
	}
	return nil
}
