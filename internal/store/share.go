package store

import (
	"context"
	"maps"
	"slices"

	"florin/internal/finance"
	"florin/internal/sqlite"
)

// Shares lists with whom the user shares an account, everybody first.
func (s *Store) Shares(ctx context.Context, userID, accountID string) (_ []finance.Share, err error) {
	defer doing("read shares", &err)
	return sqlite.Remember(ctx, s.db, sqlite.Key{"account_share", userID, accountID}, func() ([]finance.Share, error) {
		return shares(ctx, s.db.Read(), userID, accountID)
	})
}

func shares(ctx context.Context, q querier, userID, accountID string) ([]finance.Share, error) {
	return collect(ctx, q, func(row scanner) (share finance.Share, err error) {
		return share, row.Scan(&share.ReaderID, &share.Level)
	},
		`SELECT COALESCE(share.reader_id, ''), share.level FROM account_share share JOIN account a ON a.id = share.account_id
		WHERE a.id = $1 AND a.user_id = $2 ORDER BY 1`, accountID, userID)
}

// Share puts the shares of an account of the user in place of all before, and returns the users who may see another part of it now than before. Levels
// that are no share and shares with the user are left out. finance.ErrNotFound when the account is not the user's, or somebody is no user.
func (s *Store) Share(ctx context.Context, userID, accountID string, with []finance.Share) (concerned []string, err error) {
	defer doing("share account", &err)
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		var one int
		if err := tx.QueryRowContext(ctx, `SELECT 1 FROM account WHERE id = $1 AND user_id = $2`, accountID, userID).Scan(&one); err != nil {
			return notFound(err)
		}
		before, err := readers(ctx, tx, userID, accountID)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM account_share WHERE account_id IN (SELECT id FROM account WHERE id = $1 AND user_id = $2)`, accountID,
			userID); err != nil {
			return err
		}
		for _, share := range with {
			if share.Level == finance.ShareNothing || share.ReaderID == userID {
				continue
			}
			if err := changed(tx.ExecContext(ctx, `INSERT INTO account_share (account_id, reader_id, level)
				SELECT a.id, NULLIF($3, ''), $4 FROM account a WHERE a.id = $1 AND a.user_id = $2 AND ($3 = '' OR EXISTS (SELECT 1 FROM user WHERE id = $3))`,
				accountID, userID, share.ReaderID, share.Level)); err != nil {
				return err
			}
		}
		after, err := readers(ctx, tx, userID, accountID)
		all := maps.Clone(before)
		maps.Copy(all, after)
		for _, id := range slices.Sorted(maps.Keys(all)) {
			if before[id] != after[id] {
				concerned = append(concerned, id)
			}
		}
		return err
	})
	return concerned, err
}

// readers is who sees an account of the user, and how much of it.
func readers(ctx context.Context, q querier, userID, accountID string) (map[string]finance.ShareLevel, error) {
	all := map[string]finance.ShareLevel{}
	_, err := collect(ctx, q, func(row scanner) (id string, err error) {
		var level finance.ShareLevel
		err = row.Scan(&id, &level)
		all[id] = level
		return id, err
	}, `SELECT user_id, level FROM shared_account WHERE account_id = $1 AND owner_id = $2`, accountID, userID)
	return all, err
}

// Shared lists the accounts that others share with the user, by owner, with their balances. Pages ask for it often, so it comes from memory while nothing was
// written: see sqlite.Remember.
func (s *Store) Shared(ctx context.Context, userID string) (_ []finance.SharedAccount, err error) {
	defer doing("read accounts of others", &err)
	return sqlite.Remember(ctx, s.db, sqlite.Key{"shared_account", userID}, func() (all []finance.SharedAccount, err error) {
		err = s.Snapshot(ctx, func(r Reader) error {
			all, err = collect(ctx, r.from, func(row scanner) (shared finance.SharedAccount, err error) {
				return shared, row.Scan(&shared.ID, &shared.Level, &shared.Owner.ID, &shared.Owner.Email)
			}, `SELECT shared.account_id, shared.level, owner.id, owner.email FROM shared_account shared JOIN user owner ON owner.id = shared.owner_id
				JOIN account a ON a.id = shared.account_id WHERE shared.user_id = $1 ORDER BY owner.email, a.created, a.id`, userID)
			if err != nil {
				return err
			}
			for i := range all {
				if err := r.fillShared(ctx, &all[i]); err != nil {
					return err
				}
			}
			return nil
		})
		return all, err
	})
}

// fillShared reads what a share shows of its account, as its owner would.
func (r Reader) fillShared(ctx context.Context, shared *finance.SharedAccount) error {
	o, err := r.overview(ctx, shared.Owner.ID, shared.ID)
	if err != nil {
		return err
	}
	shared.Account, shared.Connection = o.Account, o.Connection
	if shared.Linked() {
		shared.Nickname = ""
	}
	shared.Connection.Nickname, shared.Connection.Several = "", false
	if shared.Balances, err = r.balancesOf(ctx, shared.Owner.ID, shared.ID); err != nil || shared.Level == finance.ShareEverything {
		return err
	}
	shared.Transactions, shared.HistoryFrom, shared.CreditLimit, shared.Details = 0, "", "", ""
	return nil
}

// SharedAccount returns an account of somebody else that the user may see. finance.ErrNotFound when nothing of it is shared with the user.
func (s *Store) SharedAccount(ctx context.Context, userID, accountID string) (_ finance.SharedAccount, err error) {
	defer doing("read account of another", &err)
	all, err := s.Shared(ctx, userID)
	if err != nil {
		return finance.SharedAccount{}, err
	}
	for _, shared := range all {
		if shared.ID == accountID {
			return shared, nil
		}
	}
	return finance.SharedAccount{}, finance.ErrNotFound
}

// SharedRow returns a booked transaction of an account of somebody else, when all of that account is shared with the user; else finance.ErrNotFound.
func (s *Store) SharedRow(ctx context.Context, userID, accountID string, id int64) (shared finance.SharedAccount, t finance.TransactionRecord, err error) {
	defer doing("read transaction of another", &err)
	shared, err = s.SharedAccount(ctx, userID, accountID)
	if err == nil && shared.Level != finance.ShareEverything {
		err = finance.ErrNotFound
	}
	if err != nil {
		return shared, t, err
	}
	t, err = s.Transaction(ctx, shared.Owner.ID, accountID, id)
	return shared, t, err
}

// AlsoLinkedBy lists the users who linked the same account as an account of the user: a joint account.
func (s *Store) AlsoLinkedBy(ctx context.Context, userID, accountID string) (_ []finance.User, err error) {
	defer doing("look for a joint account", &err)
	return collect(ctx, s.db.Read(), scanUser, `SELECT DISTINCT u.id, u.email, u.role, u.language, u.currency, u.created FROM account a
		JOIN account other ON other.hash = a.hash AND other.currency = a.currency AND other.user_id <> a.user_id JOIN user u ON u.id = other.user_id
		WHERE a.id = $1 AND a.user_id = $2 AND a.hash <> '' ORDER BY u.email`, accountID, userID)
}
