package store

import (
	"context"

	"florin/internal/finance"
	"florin/internal/sqlite"
)

// Dashboard returns the cards of the first page as the user has placed them.
func (s *Store) Dashboard(ctx context.Context, userID string) (_ finance.Dashboard, err error) {
	defer doing("read dashboard", &err)
	return sqlite.Remember(ctx, s.db, sqlite.Key{"dashboard_card", userID}, func() (finance.Dashboard, error) {
		placed, err := collect(ctx, s.db.Read(), func(row scanner) (p finance.PlacedCard, err error) {
			return p, row.Scan(&p.Card, &p.Hidden)
		}, `SELECT placed.card, placed.hidden FROM dashboard_card placed WHERE placed.user_id = $1 ORDER BY placed.place`, userID)
		return finance.DashboardOf(placed), err
	})
}

// SaveDashboard keeps how the user has placed the cards of the first page; nil puts them as they were at first.
func (s *Store) SaveDashboard(ctx context.Context, userID string, d finance.Dashboard) (err error) {
	defer doing("save dashboard", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM dashboard_card WHERE user_id = $1`, userID); err != nil {
			return err
		}
		for i, p := range d {
			if _, err := tx.ExecContext(ctx, `INSERT INTO dashboard_card (user_id, card, place, hidden) VALUES ($1, $2, $3, $4)`, userID, p.Card, i, p.Hidden); err != nil {
				return err
			}
		}
		return nil
	})
}
