package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"florin/internal/finance"
	"florin/internal/sqlite"
)

// lookedAt is what is known of an account whose news a person may see.
type lookedAt struct {
	account, owner string
	since          time.Time // zero: nothing is news
	newest         time.Time // when something of it was stored last that may be news; zero for nothing
	first          bool      // its first sync is not done
}

// lookQuery reads, for user $1, every account of the household with the user's own mark of when they last looked. It reads nothing that is private to an
// owner.
const lookQuery = `SELECT seen.account_id, seen.owner_id, look.looked, task.first_success_at, task.account_id IS NOT NULL, start.began,
		(SELECT MAX(arrival.arrived) FROM transaction_arrival arrival WHERE arrival.account_id = seen.account_id),
		(SELECT MAX(v.until) FROM transaction_version v WHERE v.account_id = seen.account_id)
	FROM household_account seen CROSS JOIN history_start start
	LEFT JOIN account_look look ON look.account_id = seen.account_id AND look.user_id = seen.user_id
	LEFT JOIN sync_task task ON task.account_id = seen.account_id AND task.scope = 'transactions'
	WHERE seen.user_id = $1`

// looks returns, for each account, since when rows count as news for the user. Rows of the first sync are no news, nor is anything from before Florin kept
// earlier states. An account of somebody else has news only after the user has looked at it once.
func looks(ctx context.Context, q querier, userID string) ([]lookedAt, error) {
	return collect(ctx, q, func(row scanner) (l lookedAt, err error) {
		var looked, success, arrived, until sqlite.NullTime
		var began sqlite.Time
		var synced bool
		err = row.Scan(&l.account, &l.owner, &looked, &success, &synced, &began, &arrived, &until)
		l.first = synced && success.IsZero()
		if !l.first && (l.owner == userID || !looked.IsZero()) {
			l.since = latest(looked.Time, success.Time, began.Time)
		}
		l.newest = latest(arrived.Time, until.Time)
		return l, err
	}, lookQuery, userID)
}

func latest(times ...time.Time) (last time.Time) {
	for _, t := range times {
		if t.After(last) {
			last = t
		}
	}
	return last
}

// AllNews returns what is new for the user, by account: on the own ones and on those that others share with all their transactions. Accounts with no
// news are left out. The first page asks for it, so it comes from memory while nothing was written.
func (s *Store) AllNews(ctx context.Context, userID string) (_ map[string]finance.News, err error) {
	defer doing("read news", &err)
	return sqlite.Remember(ctx, s.db, sqlite.Key{"news", userID}, func() (map[string]finance.News, error) {
		all := map[string]finance.News{}
		err := s.Snapshot(ctx, func(r Reader) error {
			accounts, err := looks(ctx, r.from, userID)
			if err != nil {
				return err
			}
			for _, l := range accounts {
				if l.since.IsZero() || !l.newest.After(l.since) {
					continue
				}
				news, err := r.news(ctx, userID, l)
				if err != nil {
					return err
				}
				if news.Count() > 0 {
					all[l.account] = news
				}
			}
			return nil
		})
		return all, err
	})
}

// News returns what is new for the user on an account: since a moment, or since the person looked last when that is zero. finance.ErrNotFound when the
// account is neither the user's nor shared with all its transactions.
func (s *Store) News(ctx context.Context, userID, accountID string, since time.Time) (news finance.News, err error) {
	defer doing("read news of account", &err)
	err = s.Snapshot(ctx, func(r Reader) error {
		l, err := lookOf(ctx, r.from, userID, accountID)
		if err != nil {
			return err
		}
		if !since.IsZero() && !l.since.IsZero() {
			l.since = since
		}
		news, err = r.news(ctx, userID, l)
		return err
	})
	return news, err
}

func lookOf(ctx context.Context, q querier, userID, accountID string) (lookedAt, error) {
	all, err := looks(ctx, q, userID)
	for _, l := range all {
		if l.account == accountID {
			return l, err
		}
	}
	if err == nil {
		err = finance.ErrNotFound
	}
	return lookedAt{}, err
}

// Look records that the user has seen the news of an account up to a moment, or all of it when until is zero. It returns since when the news counted, as
// News takes it; zero when nothing counted. A moment earlier than the recorded one changes nothing.
func (s *Store) Look(ctx context.Context, userID, accountID string, until time.Time) (since time.Time, err error) {
	defer doing("note look at account", &err)
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		l, err := lookOf(ctx, tx, userID, accountID)
		if err != nil {
			return err
		}
		since = l.since
		if until.IsZero() || until.After(tx.Now) {
			until = tx.Now
		}
		if !until.After(since) {
			return nil
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO account_look (account_id, user_id, looked) VALUES ($1, $2, $3) ON CONFLICT (account_id, user_id) DO UPDATE SET looked = excluded.looked`,
			accountID, userID, sqlite.At(until))
		return err
	})
	return since, err
}

// newQuery reads the rows that arrived on account $1 of user $2 since $3, changedQuery the earlier states that ended since. The latest come first, at most
// $5. With $4 set, rows that the owner typed by hand are left out.
const (
	newQuery = `SELECT ` + presentColumns + ` FROM account a
		CROSS JOIN transaction_arrival arrival ON arrival.account_id = a.id
		CROSS JOIN booked_transaction t ON t.id BETWEEN arrival.first_id AND arrival.last_id AND +t.account_id = a.id
		WHERE a.id = $1 AND a.user_id = $2 AND arrival.arrived > $3 AND arrival.by_hand * $4 = 0 AND +t.sort_key >= 0 AND NOT (` + unlisted + `)
		ORDER BY arrival.arrived DESC, arrival.first_id DESC, t.id DESC LIMIT $5`
	changedQuery = `SELECT ` + versionColumns + `, t.id IS NOT NULL, COALESCE(t.sort_key, 0), COALESCE(t.minor, 0), COALESCE(t.currency, v.currency),
			COALESCE(t.display_date, ''), COALESCE(t.booking_date, ''), COALESCE(t.value_date, ''), COALESCE(t.counterparty, ''), COALESCE(t.payee, ''),
			COALESCE(t.counterparty_account, ''), COALESCE(t.remittance, ''), COALESCE(t.kind, ''), ` + unlisted + `
		FROM account a CROSS JOIN transaction_version v ON v.account_id = a.id LEFT JOIN booked_transaction t ON t.id = v.transaction_id
		WHERE a.id = $1 AND a.user_id = $2 AND v.until > $3 AND v.since <= $3 AND v.sort_key >= 0 AND v.by_hand * $4 = 0 AND COALESCE(t.sort_key, 0) >= 0
		ORDER BY v.until DESC, v.transaction_id DESC LIMIT $5`
)

// news reads what came to an account, changed and went since a moment. What the owner typed, changed or removed by hand is no news to the owner, and two
// rows that were made one are not fewer.
func (r Reader) news(ctx context.Context, userID string, l lookedAt) (news finance.News, err error) {
	news = finance.News{AccountID: l.account, Since: l.since, Until: l.newest, First: l.first}
	if l.since.IsZero() || !l.newest.After(l.since) {
		return news, nil
	}
	own := flag(l.owner == userID)
	since := sqlite.At(l.since)
	news.New, err = collect(ctx, r.from, func(row scanner) (finance.TransactionRow, error) {
		var is knownFields
		err := row.Scan(is.fields()...)
		return is.transaction().TransactionRow, err
	}, newQuery, l.account, l.owner, since, own, finance.MaxNews)
	if err != nil {
		return news, err
	}
	slices.SortFunc(news.New, func(a, b finance.TransactionRow) int {
		return cmp.Or(cmp.Compare(b.SortKey, a.SortKey), cmp.Compare(b.ID, a.ID))
	})
	changes, err := collect(ctx, r.from, func(row scanner) (finance.RowChange, error) {
		var was, is knownFields
		var there bool
		err := row.Scan(append(append(was.fields(), &there), is.fields()[1:]...)...)
		is.ID = was.ID
		c := finance.RowChange{Was: was.transaction(), Is: is.transaction(), Gone: !there}
		c.Is.ID = c.Was.ID
		return c, err
	}, changedQuery, l.account, l.owner, since, own, 4*finance.MaxNews)
	for _, c := range changes {
		switch what := c.What(); {
		case what == finance.RowChanged && len(news.Changed) < finance.MaxNews:
			news.Changed = append(news.Changed, c)
		case what == finance.RowGone && !c.Was.Missing && len(news.Gone) < finance.MaxNews:
			news.Gone = append(news.Gone, c)
		}
	}
	for _, list := range [][]finance.RowChange{news.Changed, news.Gone} {
		slices.SortFunc(list, func(a, b finance.RowChange) int {
			return cmp.Or(cmp.Compare(b.Was.SortKey, a.Was.SortKey), cmp.Compare(b.Was.ID, a.Was.ID))
		})
	}
	return news, err
}
