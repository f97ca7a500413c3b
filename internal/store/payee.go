package store

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"florin/internal/finance"
	"florin/internal/sqlite"
)

// ErrPayeeExists says that the user has saved the account under another name already.
var ErrPayeeExists = errors.New("this account is saved already under another name")

var payeeColumns = `payee.id, payee.user_id, payee.name, payee.scheme, payee.number, payee.beneficiary, payee.favourite, payee.created, payee.updated,
	(SELECT COUNT(*) FROM payment_transfer transfer JOIN payment ON payment.id = transfer.payment_id WHERE payment.user_id = payee.user_id AND transfer.scheme = payee.scheme AND transfer.number = payee.number
		AND ` + carriedOut + ` AND ` + transferPaid + `),
	(SELECT MAX(payment.sent) FROM payment_transfer transfer JOIN payment ON payment.id = transfer.payment_id WHERE payment.user_id = payee.user_id AND transfer.scheme = payee.scheme AND transfer.number = payee.number
		AND ` + carriedOut + ` AND ` + transferPaid + `)`

func scanPayee(row scanner) (finance.Payee, error) {
	var p finance.Payee
	var beneficiary string
	var created, updated sqlite.Time
	var last sqlite.NullTime
	err := row.Scan(&p.ID, &p.UserID, &p.Name, &p.Account.Scheme, &p.Account.Number, &beneficiary, &p.Favourite, &created, &updated, &p.History.Times, &last)
	if err != nil {
		return p, err
	}
	p.Created, p.Updated, p.History.LastPaid = created.Time, updated.Time, last.Time
	return p, json.Unmarshal([]byte(beneficiary), &p.Beneficiary)
}

// Payees lists the payees of the user, favourites first, then by name; only those whose name or account contains search, when there is one.
func (s *Store) Payees(ctx context.Context, userID, search string) (_ []finance.Payee, err error) {
	defer doing("read payees", &err)
	escape := strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)
	name := "%" + escape.Replace(finance.NameKey(search)) + "%"
	number := "%" + escape.Replace(strings.ToUpper(strings.Join(strings.Fields(search), ""))) + "%"
	return collect(ctx, s.db.Read(), scanPayee, `SELECT `+payeeColumns+` FROM payee
		WHERE payee.user_id = $1 AND ($2 = '%%' OR payee.name_key LIKE $3 ESCAPE '\' AND $3 <> '%%' OR payee.number LIKE $2 ESCAPE '\')
		ORDER BY payee.favourite DESC, payee.name_key, payee.number`, userID, number, name)
}

// Payee returns a payee of the user.
func (s *Store) Payee(ctx context.Context, userID, id string) (_ finance.Payee, err error) {
	defer doing("read payee", &err)
	p, err := scanPayee(s.db.Read().QueryRowContext(ctx, `SELECT `+payeeColumns+` FROM payee WHERE payee.id = $1 AND payee.user_id = $2`, id, userID))
	return p, notFound(err)
}

// SavePayee stores a payee of its UserID: a new one without an ID, else the one with that ID. ErrPayeeExists when another payee of the user has the
// account, finance.ErrNotFound when there is none with that ID. The account is read from the beneficiary.
func (s *Store) SavePayee(ctx context.Context, p finance.Payee) (_ finance.Payee, err error) {
	defer doing("save payee", &err)
	p.Name, p.Account = finance.Clean(p.Name), finance.PayeeAccountOf(p.Beneficiary.CreditorAccount)
	if p.Name == "" || p.Account.Number == "" {
		return finance.Payee{}, errors.New("a payee needs a name and an account")
	}
	beneficiary, err := json.Marshal(p.Beneficiary)
	if err != nil {
		return finance.Payee{}, err
	}
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		if p.ID == "" {
			p.ID = finance.NewID()
			_, err = tx.ExecContext(ctx, `INSERT INTO payee (id, user_id, name, name_key, scheme, number, beneficiary, favourite, created, updated)
				VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)`,
				p.ID, p.UserID, p.Name, finance.NameKey(p.Name), p.Account.Scheme, p.Account.Number, string(beneficiary), flag(p.Favourite), sqlite.At(tx.Now))
		} else {
			err = changed(tx.ExecContext(ctx, `UPDATE payee SET name = $1, name_key = $2, scheme = $3, number = $4, beneficiary = $5, favourite = $6, updated = $7
				WHERE id = $8 AND user_id = $9`,
				p.Name, finance.NameKey(p.Name), p.Account.Scheme, p.Account.Number, string(beneficiary), flag(p.Favourite), sqlite.At(tx.Now), p.ID, p.UserID))
		}
		if sqlite.IsUnique(err) {
			return ErrPayeeExists
		}
		if err != nil {
			return err
		}
		p, err = scanPayee(tx.QueryRowContext(ctx, `SELECT `+payeeColumns+` FROM payee WHERE payee.id = $1 AND payee.user_id = $2`, p.ID, p.UserID))
		return notFound(err)
	})
	return p, err
}

// DeletePayee forgets a payee of the user. Payments stay.
func (s *Store) DeletePayee(ctx context.Context, userID, id string) (err error) {
	defer doing("delete payee", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		return changed(tx.ExecContext(ctx, `DELETE FROM payee WHERE id = $1 AND user_id = $2`, id, userID))
	})
}

// KnownBefore is what a user paid and saved under an account or a name, before there is a payment: for finance.Warnings, without anything about repetitions.
func (s *Store) KnownBefore(ctx context.Context, userID string, account finance.PayeeAccount, name string) (past []finance.PastTransfer,
	payees []finance.Payee, err error) {
	defer doing("read earlier payments", &err)
	key := finance.NameKey(name)
	past, err = collect(ctx, s.db.Read(), func(row scanner) (p finance.PastTransfer, err error) {
		p.Paid = true
		return p, row.Scan(&p.Payee, &p.Account.Scheme, &p.Account.Number)
	}, `SELECT DISTINCT transfer.payee, transfer.scheme, transfer.number FROM payment_transfer transfer
		CROSS JOIN payment INDEXED BY payment_standing ON payment.user_id = $1 AND payment.id = transfer.payment_id
		WHERE (transfer.scheme = $2 AND transfer.number = $3 OR $4 <> '' AND transfer.payee_key = $4) AND `+carriedOut+` AND `+transferPaid+`
		ORDER BY transfer.payee, transfer.scheme, transfer.number`, userID, account.Scheme, account.Number, key)
	if err != nil {
		return nil, nil, err
	}
	payees, err = collect(ctx, s.db.Read(), func(row scanner) (e finance.Payee, err error) {
		return e, row.Scan(&e.ID, &e.Name, &e.Account.Scheme, &e.Account.Number)
	}, `SELECT payee.id, payee.name, payee.scheme, payee.number FROM payee
		WHERE payee.user_id = $1 AND (payee.scheme = $2 AND payee.number = $3 OR $4 <> '' AND payee.name_key = $4) ORDER BY payee.name_key, payee.id`, userID, account.Scheme, account.Number, key)
	return past, payees, err
}

// History is what the user paid to an account before (the form says "paid 4 times").
func (s *Store) History(ctx context.Context, userID string, account finance.PayeeAccount) (h finance.PayeeHistory, err error) {
	defer doing("read payee history", &err)
	type paid struct {
		name string
		sent sqlite.Time
	}
	rows, err := collect(ctx, s.db.Read(), func(row scanner) (p paid, err error) { return p, row.Scan(&p.name, &p.sent) },
		`SELECT transfer.payee, payment.sent FROM payment_transfer transfer JOIN payment ON payment.id = transfer.payment_id
		WHERE payment.user_id = $1 AND transfer.scheme = $2 AND transfer.number = $3 AND `+carriedOut+` AND `+transferPaid+`
		ORDER BY payment.sent DESC, payment.id`, userID, account.Scheme, account.Number)
	if err != nil {
		return h, err
	}
	seen := map[string]bool{}
	for _, r := range rows {
		h.Times++
		if h.LastPaid.IsZero() {
			h.LastPaid = r.sent.Time
		}
		if key := finance.NameKey(r.name); r.name != "" && !seen[key] {
			seen[key] = true
			h.Names = append(h.Names, r.name)
		}
	}
	return h, nil
}
