package store

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"florin/internal/calendar"
	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
)

// askedEvery is the least time between two notes of when a calendar was read. Each note is a commit, and every commit empties the rows that are kept in
// memory (sqlite.Remember).
const askedEvery = 15 * time.Minute

const calendarColumns = `c.user_id, c.amounts, c.names, c.created, c.asked, COALESCE(NULLIF(u.language, ''), u.heard, '')`

func scanCalendar(row scanner) (c finance.Calendar, err error) {
	var created sqlite.Time
	var asked sqlite.NullTime
	err = row.Scan(&c.UserID, &c.Amounts, &c.Names, &created, &asked, &c.Language)
	c.Created, c.Asked = created.Time, asked.Time
	return c, err
}

// Calendar returns the calendar address of a user. finance.ErrNotFound when there is none.
func (s *Store) Calendar(ctx context.Context, userID string) (_ finance.Calendar, err error) {
	defer doing("read calendar address", &err)
	c, err := scanCalendar(s.db.Read().QueryRowContext(ctx, `SELECT `+calendarColumns+` FROM calendar_address c JOIN user u ON u.id = c.user_id WHERE c.user_id = $1`, userID))
	return c, notFound(err)
}

// CalendarByToken returns the calendar whose address has the token. finance.ErrNotFound when there is none (any more). It looks for the hash: how long that
// takes tells nothing of a token (security T82).
func (s *Store) CalendarByToken(ctx context.Context, token finance.Secret) (_ finance.Calendar, err error) {
	defer doing("find calendar by its token", &err)
	c, err := scanCalendar(s.db.Read().QueryRowContext(ctx, `SELECT `+calendarColumns+` FROM calendar_address c JOIN user u ON u.id = c.user_id WHERE c.token_hash = $1`,
		hashOf(token)))
	return c, notFound(err)
}

// MakeCalendar gives the user c.UserID a calendar address, in place of the one before, which ends. Only the hash of its token is kept.
func (s *Store) MakeCalendar(ctx context.Context, c finance.Calendar, token finance.Secret) (err error) {
	defer doing("make calendar address", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO calendar_address (user_id, token_hash, amounts, names, created) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (user_id) DO UPDATE SET token_hash = $2, amounts = $3, names = $4, created = $5, asked = NULL`,
			c.UserID, hashOf(token), flag(c.Amounts), flag(c.Names), sqlite.At(tx.Now))
		return err
	})
}

// SetCalendar says what the calendar of a user holds. finance.ErrNotFound when there is none.
func (s *Store) SetCalendar(ctx context.Context, userID string, amounts, names bool) (err error) {
	defer doing("say what a calendar holds", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		return changed(tx.ExecContext(ctx, `UPDATE calendar_address SET amounts = $1, names = $2 WHERE user_id = $3`, flag(amounts), flag(names), userID))
	})
}

// EndCalendar ends the calendar address of a user. finance.ErrNotFound when there is none.
func (s *Store) EndCalendar(ctx context.Context, userID string) (err error) {
	defer doing("end calendar address", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		return changed(tx.ExecContext(ctx, `DELETE FROM calendar_address WHERE user_id = $1`, userID))
	})
}

// CalendarAsked notes that a program reads the calendar c now, unless that was noted a short time ago.
func (s *Store) CalendarAsked(ctx context.Context, c finance.Calendar) (err error) {
	defer doing("note that a calendar was read", &err)
	if now := time.Now(); !c.Asked.IsZero() && now.Sub(c.Asked).Abs() < askedEvery {
		return nil
	}
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE calendar_address SET asked = $1 WHERE user_id = $2`, sqlite.At(tx.Now), c.UserID)
		return err
	})
}

const (
	// staleDays is how long an event is remembered that is over.
	staleDays = 60
	// mostStale is how many events are remembered that are in the calendar no more: they may come back.
	mostStale = calendar.Most
)

// CalendarEvents returns the events of a user's calendar (calendar.Match), and stores those that are new or changed. today bounds for how long an event that is
// over is remembered.
func (s *Store) CalendarEvents(ctx context.Context, userID string, entries []calendar.Entry, today openbanking.Date) (events []calendar.Event, err error) {
	defer doing("read the events of a calendar", &err)
	before, err := knownEvents(ctx, s.db.Read(), userID)
	if err != nil {
		return nil, err
	}
	events = calendar.Match(before, entries, time.Now(), finance.NewID)
	if put, drop := eventChanges(before, events, today); len(put)+len(drop) == 0 {
		return events, nil
	}
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error { // another program may have asked meanwhile
		before, err := knownEvents(ctx, tx, userID)
		if err != nil {
			return err
		}
		events = calendar.Match(before, entries, tx.Now, finance.NewID)
		put, drop := eventChanges(before, events, today)
		for _, uid := range drop {
			if _, err := tx.ExecContext(ctx, `DELETE FROM calendar_event WHERE user_id = $1 AND uid = $2`, userID, uid); err != nil {
				return err
			}
		}
		for _, t := range put {
			if _, err := tx.ExecContext(ctx, `INSERT INTO calendar_event (user_id, uid, source, day, print, sequence, changed) VALUES ($1, $2, $3, $4, $5, $6, $7)
				ON CONFLICT (user_id, uid) DO UPDATE SET day = $4, print = $5, sequence = $6, changed = $7`,
				userID, t.UID, t.Of, t.Day, t.Print, t.Sequence, sqlite.At(t.Changed)); err != nil {
				return err
			}
		}
		return nil
	})
	return events, err
}

func knownEvents(ctx context.Context, q querier, userID string) ([]calendar.Event, error) {
	return collect(ctx, q, func(row scanner) (t calendar.Event, err error) {
		var changed sqlite.Time
		err = row.Scan(&t.UID, &t.Of, &t.Day, &t.Print, &t.Sequence, &changed)
		t.Changed = changed.Time
		return t, err
	}, `SELECT e.uid, e.source, e.day, e.print, e.sequence, e.changed FROM calendar_event e WHERE e.user_id = $1 ORDER BY e.uid`, userID)
}

// eventChanges lists what is to be stored after events were matched: those that are new or changed, and the ids of those to forget.
func eventChanges(before, after []calendar.Event, today openbanking.Date) (put []calendar.Event, drop []string) {
	gone := map[string]calendar.Event{}
	for _, t := range before {
		gone[t.UID] = t
	}
	for _, t := range after {
		if was, known := gone[t.UID]; !known || was.Print != t.Print || was.Day != t.Day {
			put = append(put, t)
		}
		delete(gone, t.UID)
	}
	stale := slices.SortedFunc(maps.Values(gone), func(a, b calendar.Event) int { return cmp.Or(b.Changed.Compare(a.Changed), cmp.Compare(a.UID, b.UID)) })
	oldest := shifted(today, 0, -staleDays)
	for i, t := range stale {
		if t.Day < oldest || i >= mostStale {
			drop = append(drop, t.UID)
		}
	}
	return put, drop
}
