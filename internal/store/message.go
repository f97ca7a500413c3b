package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
)

// mostLooked bounds how many messages one transaction looks at that are not to be sent now.
const mostLooked = 500

// ClaimMessage returns a message that is to be sent on a channel now, and stores that it is being sent: nobody gets it again, in this process or another,
// unless RetryMessage says so, or Florin starts anew and the channel recognises a message that comes a second time. Without one, ok is false, and next is when
// the first is due, zero for never.
//
// It holds back what waits for the end of the quiet hours, and what is above the daily cap of its person and channel, and drops what is of no use any more:
// tried too often, switched off meanwhile, on a channel that is gone, or not true any more. Time alone drops nothing: what waited while Florin was off, or
// while the clock was wrong, is told late. server is the time zone of those who have chosen none.
func (s *Store) ClaimMessage(ctx context.Context, channel finance.Channel, server *time.Location) (m finance.Message, ok bool, next time.Time, err error) {
	defer doing("claim a message", &err)
	// Looking first costs no write lock when nothing is due.
	var first, last sqlite.NullTime
	err = s.db.Read().QueryRowContext(ctx, `SELECT (SELECT due FROM message WHERE channel = $1 AND state = 'waiting' ORDER BY due LIMIT 1),
		(SELECT due FROM message WHERE channel = $1 AND state = 'waiting' ORDER BY due DESC LIMIT 1)`, channel).Scan(&first, &last)
	if err != nil {
		return m, false, next, err
	}
	if first.Time.IsZero() || first.After(time.Now()) && !last.After(time.Now().Add(farthest)) {
		return m, false, first.Time, nil
	}
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		m, ok, next = finance.Message{}, false, time.Time{}
		// The clock went back after these had been put off.
		_, err := tx.ExecContext(ctx, `UPDATE message SET due = $1 WHERE channel = $2 AND state = 'waiting' AND due > $3`,
			sqlite.At(tx.Now), channel, sqlite.At(tx.Now.Add(farthest)))
		if err != nil {
			return err
		}
		for range mostLooked {
			var id string
			var due sqlite.Time
			err := tx.QueryRowContext(ctx, `SELECT id, due FROM message WHERE channel = $1 AND state = 'waiting' ORDER BY due, created, id LIMIT 1`, channel).Scan(&id, &due)
			if errors.Is(err, sql.ErrNoRows) {
				return nil
			}
			if err != nil {
				return err
			}
			if due.After(tx.Now) {
				next = due.Time
				return nil
			}
			if m, ok, err = s.startMessage(ctx, tx, id, server); ok || err != nil {
				return err
			}
		}
		next = tx.Now
		return nil
	})
	return m, ok, next, err
}

// startMessage stores that a message is being sent, and returns it with ok true. With ok false it has held the message back or dropped it.
func (s *Store) startMessage(ctx context.Context, tx *sqlite.Tx, id string, server *time.Location) (m finance.Message, ok bool, err error) {
	if m, err = s.message(ctx, tx, `m.id = $1`, id); err != nil {
		return m, false, err
	}
	end := func(state finance.MailState, reason string) error {
		_, err := tx.ExecContext(ctx, `UPDATE message SET state = $1, reason = $2, tried = CASE $1 WHEN 'held' THEN $3 ELSE tried END WHERE id = $4 AND user_id = $5`,
			state, reason, sqlite.At(tx.Now), m.ID, m.User.ID)
		return err
	}
	if m.GivenUp(tx.Now) {
		return m, false, end(finance.MailFailed, finance.MailLate)
	}
	m.Late = m.Alert.Kind != finance.AlertConsentEnds && m.Alert.Kind != finance.AlertTest && tx.Now.After(m.Until)
	if outdated, err := s.outdated(ctx, tx, &m); outdated || err != nil {
		return m, false, errors.Join(err, end(finance.MailFailed, finance.MailOutdated))
	}
	settings, err := alertSettings(ctx, tx, m.User.ID)
	if err != nil {
		return m, false, err
	}
	m.Details = settings.Details
	now := tx.Now.In(settings.Location(server))
	if m.Alert.Kind.Held() {
		if quiet, is := settings.QuietEnd(now); is {
			_, err := tx.ExecContext(ctx, `UPDATE message SET due = $1 WHERE id = $2 AND user_id = $3`, sqlite.At(quiet), m.ID, m.User.ID)
			return m, false, err
		}
	}
	if m.Alert.Kind.Held() && m.Alert.Kind != finance.AlertMore {
		var sent int
		err := tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM message WHERE user_id = $1 AND channel = $2 AND tried >= $3 AND tried < $4
				AND state IN ('sending', 'sent') AND kind NOT IN ($5, $6)`,
			m.User.ID, m.Channel, sqlite.At(finance.DayStart(now)), sqlite.At(finance.DayEnd(now)), finance.AlertMore, finance.AlertTest).Scan(&sent)
		if err != nil {
			return m, false, err
		}
		if sent >= settings.Cap {
			return m, false, errors.Join(end(finance.MessageHeld, ""), s.putMoreMessage(ctx, tx, m, now))
		}
	}
	if m.Alert.Kind == finance.AlertMore {
		err := tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM message WHERE user_id = $1 AND channel = $2 AND state = 'held' AND tried >= $3 AND tried < $4`,
			m.User.ID, m.Channel, sqlite.At(m.Alert.Facts.Since), sqlite.At(m.Alert.Facts.Ends)).Scan(&m.Count)
		if err != nil {
			return m, false, err
		}
	}
	_, err = tx.ExecContext(ctx, `UPDATE message SET state = 'sending', reason = '', attempts = attempts + 1, tried = $1 WHERE id = $2 AND user_id = $3`,
		sqlite.At(tx.Now), m.ID, m.User.ID)
	m.State, m.Reason, m.Attempts, m.Tried = finance.MailSending, "", m.Attempts+1, tx.Now
	return m, err == nil, err
}

// putMoreMessage schedules the message that says at the end of the day how many messages the cap held back. There is one for each day and channel.
func (s *Store) putMoreMessage(ctx context.Context, tx *sqlite.Tx, m finance.Message, now time.Time) error {
	start, end := finance.DayStart(now), finance.DayEnd(now)
	id, fresh, err := putAlert(ctx, tx, m.User.ID, finance.Alert{Kind: finance.AlertMore, Key: string(m.Channel) + " " + now.Format(time.DateOnly),
		Facts: finance.AlertFacts{Day: openbanking.Date(now.Format(time.DateOnly)), Since: start.UTC(), Ends: end.UTC()}})
	if err != nil || !fresh {
		return err
	}
	return s.putMessage(ctx, tx, m.User.ID, id, finance.AlertMore, m.Channel, end, end.Add(alertFor))
}

// outdated reports whether a message is of no use any more, and fills in where it goes and what it is about.
func (s *Store) outdated(ctx context.Context, tx *sqlite.Tx, m *finance.Message) (bool, error) {
	var err error
	if m.Channel != finance.ChannelMail {
		m.Target, err = s.target(ctx, tx, m.User.ID, m.Channel)
		if errors.Is(err, finance.ErrNotFound) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
	}
	if m.Alert.Kind.Known() {
		on, err := alertSwitches(ctx, tx, m.User.ID)
		if err != nil || !on[m.Alert.Kind][m.Channel] {
			return true, err
		}
	}
	f := m.Alert.Facts
	if f.Account != "" {
		m.Account, err = Reader{tx}.Account(ctx, m.User.ID, f.Account)
		if errors.Is(err, finance.ErrNotFound) {
			return true, nil
		}
	}
	if f.Connection != "" && err == nil {
		m.Bank, err = scanConnection(tx.QueryRowContext(ctx, `SELECT `+connectionColumns+` FROM connection c JOIN provider p ON p.id = c.provider_id
			WHERE c.id = $1 AND c.user_id = $2`, f.Connection, m.User.ID))
		if errors.Is(err, sql.ErrNoRows) {
			return true, nil
		}
	}
	if err != nil {
		return false, err
	}
	return s.untrue(ctx, tx, *m)
}

// untrue reports whether a message is obsolete: what it says no longer holds, or a newer message about the same account, consent or summary was made for
// its channel. A message about a single event, such as a booking or the end of a payment, never becomes obsolete.
func (s *Store) untrue(ctx context.Context, tx *sqlite.Tx, m finance.Message) (is bool, err error) {
	f := m.Alert.Facts
	ask := func(query string, args ...any) (bool, error) {
		err := tx.QueryRowContext(ctx, query, args...).Scan(&is)
		return is, err
	}
	newer := func(same func(finance.AlertFacts) bool) (bool, error) {
		later, err := collect(ctx, tx, func(row scanner) (facts finance.AlertFacts, err error) {
			var text string
			if err = row.Scan(&text); err != nil {
				return facts, err
			}
			return facts, json.Unmarshal([]byte(text), &facts)
		}, `SELECT a.facts FROM message later JOIN alert a ON a.id = later.alert_id
			WHERE later.user_id = $1 AND later.channel = $2 AND later.kind = $3 AND later.state IN ('waiting', 'sending', 'sent') AND a.created > $4`,
			m.User.ID, m.Channel, m.Alert.Kind, sqlite.At(m.Alert.Created))
		return slices.ContainsFunc(later, same), err
	}
	switch m.Alert.Kind {
	case finance.AlertConsentEnds:
		ended := !f.Ends.After(tx.Now) && m.Bank.Status == finance.ConnectionExpired // it matters still
		if m.Bank.Status != finance.ConnectionActive && !ended || !m.Bank.ValidUntil.Equal(f.Ends) {
			return true, nil
		}
		return newer(func(later finance.AlertFacts) bool { return later.Connection == f.Connection })
	case finance.AlertBalanceBelow:
		if known, err := ask(`SELECT NOT EXISTS (SELECT 1 FROM alert_line WHERE user_id = $1 AND account_id = $2 AND below = 1)`, m.User.ID, f.Account); known || err != nil {
			return known, err
		}
		return newer(func(later finance.AlertFacts) bool { return later.Account == f.Account })
	case finance.AlertSyncFails:
		if m.Bank.Status != finance.ConnectionActive {
			return true, nil
		}
		return ask(`SELECT EXISTS (SELECT 1 FROM sync_task WHERE user_id = $1 AND connection_id = $2 AND scope <> 'details' AND last_success_at > $3)`,
			m.User.ID, f.Connection, sqlite.At(f.Since))
	case finance.AlertBudgetPassed:
		month, err := f.Day.Time()
		return err == nil && tx.Now.After(month.Add(budgetMessageFor)), nil
	case finance.AlertDebit:
		return ask(`SELECT EXISTS (SELECT 1 FROM account a JOIN debit_finding f ON f.account_id = a.id WHERE a.user_id = $1 AND f.transaction_id = $2 AND f.kind = $3 AND f.closed IS NOT NULL)
			OR EXISTS (SELECT 1 FROM account a JOIN direct_debit d ON d.account_id = a.id WHERE a.user_id = $1 AND d.transaction_id = $2 AND d.back_id IS NOT NULL)`,
			m.User.ID, f.Transaction, f.Code)
	case finance.AlertDigest:
		return newer(func(finance.AlertFacts) bool { return true })
	}
	return false, nil
}

// budgetMessageFor is how long after the first day of a month Florin may still send that its budget is used up. One that is exceeded on the last evening is
// reported on the next day.
const budgetMessageFor = 45 * 24 * time.Hour

// message reads a message without where it goes and what it is about.
func (s *Store) message(ctx context.Context, q querier, which string, args ...any) (m finance.Message, err error) {
	var until, created, since, happened sqlite.Time
	var tried sqlite.NullTime
	var facts string
	row := q.QueryRowContext(ctx, `SELECT m.id, m.channel, m.state, m.reason, m.attempts, m.until, m.created, m.tried, u.id, u.email, u.role, u.language, u.currency,
			u.created, COALESCE(NULLIF(u.language, ''), u.heard, ''), a.id, a.kind, a.key, a.facts, a.created
		FROM message m JOIN user u ON u.id = m.user_id JOIN alert a ON a.id = m.alert_id WHERE `+which, args...)
	err = row.Scan(&m.ID, &m.Channel, &m.State, &m.Reason, &m.Attempts, &until, &created, &tried, &m.User.ID, &m.User.Email, &m.User.Role, &m.User.Language,
		&m.User.Currency, &since, &m.Language, &m.Alert.ID, &m.Alert.Kind, &m.Alert.Key, &facts, &happened)
	if err != nil {
		return m, notFound(err)
	}
	m.Until, m.Created, m.Tried, m.User.Created, m.Alert.Created = until.Time, created.Time, tried.Time, since.Time, happened.Time
	return m, json.Unmarshal([]byte(facts), &m.Alert.Facts)
}

// StartTestMessage makes a message to the user on a channel that says nothing but that it has come, and stores that it is being sent. finance.ErrNotFound when
// the channel is not set up.
func (s *Store) StartTestMessage(ctx context.Context, userID string, channel finance.Channel) (m finance.Message, err error) {
	defer doing("start a test message", &err)
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		id, _, err := putAlert(ctx, tx, userID, finance.Alert{Kind: finance.AlertTest, Key: finance.NewID()})
		if err != nil {
			return err
		}
		message := finance.NewID()
		_, err = tx.ExecContext(ctx, `INSERT INTO message (id, user_id, alert_id, kind, channel, state, due, until, created) VALUES ($1, $2, $3, $4, $5, 'waiting', $6, $6, $6)`,
			message, userID, id, finance.AlertTest, channel, sqlite.At(tx.Now))
		if err != nil {
			return err
		}
		var ok bool
		if m, ok, err = s.startMessage(ctx, tx, message, time.UTC); err == nil && !ok {
			return finance.ErrNotFound
		}
		return err
	})
	return m, err
}

// EndMessage records that a message was sent, or why it will never be: a code, "" for sent.
func (s *Store) EndMessage(ctx context.Context, userID, id, reason string) (err error) {
	defer doing("record the end of a message", &err)
	state := finance.MailSent
	if reason != "" {
		state = finance.MailFailed
	}
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		return changed(tx.ExecContext(ctx, `UPDATE message SET state = $1, reason = $2 WHERE id = $3 AND user_id = $4 AND state = 'sending'`, state, reason, id, userID))
	})
}

// RetryMessage records that a message may be sent again, why, and when. Everything else that waits on the channel of the user waits until then too: what fails
// is asked once for all of them, and it counts as an attempt for each.
func (s *Store) RetryMessage(ctx context.Context, m finance.Message, reason string, due time.Time) (err error) {
	defer doing("delay a message", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		err := changed(tx.ExecContext(ctx, `UPDATE message SET state = 'waiting', reason = $1, due = $2 WHERE id = $3 AND user_id = $4 AND state = 'sending'`,
			reason, sqlite.At(due), m.ID, m.User.ID))
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE message SET due = $1, attempts = attempts + 1 WHERE user_id = $2 AND channel = $3 AND state = 'waiting' AND due < $1 AND id <> $4`,
			sqlite.At(due), m.User.ID, m.Channel, m.ID)
		return err
	})
}

// LastMessages returns what the channels of the user were last asked to take.
func (s *Store) LastMessages(ctx context.Context, userID string) (_ map[finance.Channel]finance.Message, err error) {
	defer doing("read the last messages", &err)
	last := map[finance.Channel]finance.Message{}
	for _, c := range finance.Channels {
		m, err := s.message(ctx, s.db.Read(), `m.id = (SELECT id FROM message WHERE user_id = $1 AND channel = $2 AND tried IS NOT NULL AND state <> 'held' ORDER BY tried DESC, id LIMIT 1)`, userID, c)
		if errors.Is(err, finance.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		last[c] = m
	}
	return last, nil
}

// LastSent returns when the channels of the user last took a message.
func (s *Store) LastSent(ctx context.Context, userID string) (_ map[finance.Channel]time.Time, err error) {
	defer doing("read when messages were sent", &err)
	last := map[finance.Channel]time.Time{}
	_, err = collect(ctx, s.db.Read(), func(row scanner) (any, error) {
		var c finance.Channel
		var at sqlite.Time
		err := row.Scan(&c, &at)
		last[c] = at.Time
		return nil, err
	}, `SELECT channel, MAX(tried) FROM message WHERE user_id = $1 AND state = 'sent' GROUP BY channel`, userID)
	return last, err
}
