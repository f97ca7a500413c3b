package store

import (
	"context"

	"florin/internal/finance"
	"florin/internal/sqlite"
)

// Holdings is what somebody has linked, how its syncs stand, and what is on the accounts, as it was at one moment: a connection and its tasks change together,
// and one read before the change beside the other read after it would show a state that never was.
type Holdings struct {
	Connections []finance.Connection
	Accounts    []finance.Account
	Shared      []finance.SharedAccess
	Tasks       []finance.SyncTask
	Balances    map[string][]finance.Balance // by account, in the order of the bank
}

// Holdings returns those of the user. The first page asks for them, so they come from memory while nothing was written: see sqlite.Remember.
func (s *Store) Holdings(ctx context.Context, userID string) (_ Holdings, err error) {
	defer doing("read holdings", &err)
	return sqlite.Remember(ctx, s.db, sqlite.Key{"connection", userID}, func() (h Holdings, err error) {
		err = s.Snapshot(ctx, func(r Reader) (err error) {
			if h.Connections, err = r.Connections(ctx, userID); err != nil {
				return err
			}
			if h.Accounts, err = r.Accounts(ctx, userID); err != nil {
				return err
			}
			if h.Shared, err = r.SharedAccess(ctx, userID); err != nil {
				return err
			}
			if h.Tasks, err = r.Tasks(ctx, userID, ""); err != nil {
				return err
			}
			h.Balances, err = r.Balances(ctx, userID)
			return err
		})
		return h, err
	})
}
