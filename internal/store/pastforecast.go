package store

import (
	"context"
	"time"

	"florin/internal/forecast"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/search"
	"florin/internal/sqlite"
)

// forecastsKept is how many days a forecast is kept after it was made.
const forecastsKept = 120

// KeepForecasts stores once a day, for each user, what the forecast says about the day forecast.PastAhead days ahead. The day is that of now in its time
// zone. Accounts without known everyday spending are left out. It is the work of a background loop.
func (s *Store) KeepForecasts(ctx context.Context, now time.Time) (err error) {
	defer doing("keep forecasts", &err)
	today := openbanking.Date(now.Format(time.DateOnly))
	users, err := collect(ctx, s.db.Read(), func(row scanner) (id string, err error) { return id, row.Scan(&id) },
		`SELECT DISTINCT a.user_id FROM account a WHERE NOT EXISTS (SELECT 1 FROM told_balance told JOIN account own ON own.id = told.account_id
			WHERE own.user_id = a.user_id AND told.made = $1)`, today)
	if err != nil {
		return err
	}
	for _, userID := range users {
		f, err := s.Forecast(ctx, userID, now)
		if err != nil {
			return err
		}
		err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
			for _, l := range f.Accounts {
				if l.Everyday.Months == 0 {
					continue
				}
				p := l.Points[forecast.PastAhead]
				_, err := tx.ExecContext(ctx, `INSERT INTO told_balance (account_id, made, day, minor, currency) SELECT a.id, $1, $2, $3, $4 FROM account a WHERE a.id = $5 AND a.user_id = $6
					ON CONFLICT DO NOTHING`, today, p.Day, p.Balance.Minor(), p.Balance.Currency(), l.Account, userID)
				if err != nil {
					return err
				}
			}
			_, err := tx.ExecContext(ctx, `DELETE FROM told_balance WHERE made < $1 AND account_id IN (SELECT a.id FROM account a WHERE a.user_id = $2)`, shifted(today, 0, -forecastsKept), userID)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// PastForecasts returns, for the accounts of a user, what forecasts said about days before today, and the actual balances, oldest first.
func (s *Store) PastForecasts(ctx context.Context, userID string, today openbanking.Date) (_ map[string][]forecast.Past, err error) {
	defer doing("read forecasts", &err)
	past := map[string][]forecast.Past{}
	_, err = collect(ctx, s.db.Read(), func(row scanner) (struct{}, error) {
		var account, currency string
		var t forecast.Past
		var minor int64
		err := row.Scan(&account, &t.Made, &t.Day, &minor, &currency)
		t.Forecast = money.FromMinor(minor, currency)
		past[account] = append(past[account], t)
		return struct{}{}, err
	}, `SELECT told.account_id, told.made, told.day, told.minor, told.currency FROM account a JOIN told_balance told ON told.account_id = a.id
		WHERE a.user_id = $1 AND told.day < $2 ORDER BY told.made`, userID, today)
	if err != nil {
		return nil, err
	}
	for account, all := range past {
		balances, err := s.DayBalances(ctx, userID, account, search.Period{From: all[0].Day, To: dayBefore(today)})
		if err != nil {
			return nil, err
		}
		came := map[openbanking.Date]money.Amount{}
		for _, b := range balances {
			came[b.Day] = b.Balance
		}
		known := all[:0]
		for _, t := range all {
			if t.Actual = came[t.Day]; t.Actual.Currency() == t.Forecast.Currency() {
				known = append(known, t)
			}
		}
		past[account] = known
	}
	return past, nil
}
