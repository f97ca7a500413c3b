package store

import (
	"context"
	"errors"
	"slices"
	"strings"

	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/rates"
	"florin/internal/search"
	"florin/internal/sqlite"
)

// MaxOwnRates is how many rates a user types at most.
const MaxOwnRates = 1000

// ErrTooManyRates says that there is no room for another rate.
var ErrTooManyRates = errors.New("the user has MaxOwnRates rates already")

// OwnRate is a rate that a user typed.
type OwnRate struct {
	ID string
	rates.Rate
}

// ReferenceRates says which rates of the European Central Bank a user has read in.
type ReferenceRates struct {
	Days        int
	First, Last openbanking.Date
	Newest      rates.Day // those of the last day
}

// SetCurrency sets the currency into which sums of a user are converted: a code, or "" for that of most accounts.
func (s *Store) SetCurrency(ctx context.Context, userID, currency string) (err error) {
	defer doing("set currency", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		return changed(tx.ExecContext(ctx, `UPDATE user SET currency = $1 WHERE id = $2`, currency, userID))
	})
}

var referenceInsert = newInsert(3, `INSERT INTO reference_rate (user_id, day, rates) VALUES `, ` ON CONFLICT (user_id, day) DO UPDATE SET rates = excluded.rates`)

// SaveReferenceRates keeps the rates of days for a user: all of them or, with an error, none. A day that is there already gets them in place of those it had.
func (s *Store) SaveReferenceRates(ctx context.Context, userID string, days []rates.Day) (err error) {
	defer doing("save reference rates", &err)
	var values []any
	for _, d := range days {
		values = append(values, userID, d.Day, d.Rates)
	}
	return s.db.Write(ctx, func(tx *sqlite.Tx) error { return referenceInsert.store(ctx, tx, values) })
}

// DeleteReferenceRates forgets all rates of the European Central Bank that a user has read in.
func (s *Store) DeleteReferenceRates(ctx context.Context, userID string) (err error) {
	defer doing("delete reference rates", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM reference_rate WHERE user_id = $1`, userID)
		return err
	})
}

// ReferenceRates returns which rates a user has read in; none without a Days.
func (s *Store) ReferenceRates(ctx context.Context, userID string) (_ ReferenceRates, err error) {
	defer doing("read reference rates", &err)
	return sqlite.Remember(ctx, s.db, sqlite.Key{"reference_rate", userID}, func() (all ReferenceRates, err error) {
		err = s.db.Snapshot(ctx, func(at sqlite.Snapshot) error {
			err := at.QueryRowContext(ctx, `SELECT COUNT(*), COALESCE(MIN(day), ''), COALESCE(MAX(day), '') FROM reference_rate WHERE user_id = $1`, userID).
				Scan(&all.Days, &all.First, &all.Last)
			if err != nil || all.Days == 0 {
				return err
			}
			all.Newest, err = scanReferenceDay(at.QueryRowContext(ctx, `SELECT day, rates FROM reference_rate WHERE user_id = $1 AND day = $2`, userID, all.Last))
			return err
		})
		return all, err
	})
}

func scanReferenceDay(row scanner) (d rates.Day, err error) { return d, row.Scan(&d.Day, &d.Rates) }

// SaveRate keeps a rate that a user typed, in place of the one between the two currencies of the same day. ErrTooManyRates when there is no room for a new one.
func (s *Store) SaveRate(ctx context.Context, userID string, r rates.Rate) (err error) {
	defer doing("save rate", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM own_rate WHERE user_id = $1 AND day = $2 AND (base = $3 AND quote = $4 OR base = $4 AND quote = $3)`, userID, r.Day, r.Base, r.Quote)
		if err != nil {
			return err
		}
		var count int
		if err := tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM own_rate WHERE user_id = $1`, userID).Scan(&count); err != nil {
			return err
		}
		if count >= MaxOwnRates {
			return ErrTooManyRates
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO own_rate (id, user_id, base, quote, day, value) VALUES ($1, $2, $3, $4, $5, $6)`, finance.NewID(), userID, r.Base, r.Quote, r.Day, r.Value)
		return err
	})
}

// DeleteRate forgets a rate that a user typed.
func (s *Store) DeleteRate(ctx context.Context, userID, id string) (err error) {
	defer doing("delete rate", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		return changed(tx.ExecContext(ctx, `DELETE FROM own_rate WHERE id = $1 AND user_id = $2`, id, userID))
	})
}

// OwnRates returns the rates that a user typed, the newest first.
func (s *Store) OwnRates(ctx context.Context, userID string) (_ []OwnRate, err error) {
	defer doing("read rates", &err)
	return sqlite.Remember(ctx, s.db, sqlite.Key{"own_rate", userID}, func() ([]OwnRate, error) {
		return collect(ctx, s.db.Read(), func(row scanner) (r OwnRate, err error) {
			r.Source = rates.Hand
			return r, row.Scan(&r.ID, &r.Base, &r.Quote, &r.Day, &r.Value)
		}, `SELECT id, base, quote, day, value FROM own_rate WHERE user_id = $1 ORDER BY day DESC, base, quote`, userID)
	})
}

// Rates returns the rates of a user between currencies and the euro that hold in a period with both ends: those of its days, and the newest ones before.
func (s *Store) Rates(ctx context.Context, userID string, currencies []string, in search.Period) (_ *rates.Book, err error) {
	defer doing("read rates", &err)
	return sqlite.Remember(ctx, s.db, sqlite.Key{"reference_rate", userID, string(in.From+" "+in.To) + " " + strings.Join(currencies, " ")}, func() (*rates.Book, error) {
		own, err := s.OwnRates(ctx, userID)
		if err != nil {
			return nil, err
		}
		var list []rates.Rate
		for _, r := range own {
			list = append(list, r.Rate)
		}
		days, err := collect(ctx, s.db.Read(), scanReferenceDay, `SELECT day, rates FROM reference_rate WHERE user_id = $1 AND day > $2 AND day <= $3`, userID, in.From, in.To)
		if err != nil {
			return nil, err
		}
		for _, currency := range currencies {
			if !rates.IsCode(currency) {
				continue
			}
			before, err := collect(ctx, s.db.Read(), scanReferenceDay, `SELECT day, rates FROM reference_rate WHERE user_id = $1 AND day <= $2 AND ' ' || rates LIKE '% ' || $3 || ' %'
				ORDER BY day DESC LIMIT 1`, userID, in.From, currency)
			if err != nil {
				return nil, err
			}
			for _, d := range slices.Concat(before, days) {
				if r, known := d.Rate(currency); known {
					list = append(list, r)
				}
			}
		}
		return rates.NewBook(list), nil
	})
}
