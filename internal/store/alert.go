package store

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"florin/internal/finance"
	"florin/internal/sqlite"
)

// alertFor is how long a message may wait before it comes late, when its alert does not say.
const alertFor = 2 * 24 * time.Hour

// keptAlert is how long a raised alert is remembered so that it is not raised again. It is longer than any key stays in use.
const keptAlert = 400 * 24 * time.Hour

// raise tells a user something on the channels that the user has switched on for its kind. It is called in the transaction that makes it true, so that neither
// is there without the other:
//
//	return s.raise(ctx, tx, userID, finance.Alert{Kind: finance.AlertDebit, Key: "double:" + id,
//		Facts: finance.AlertFacts{Account: accountID, Name: creditor}})
//
// Kind, Key and Facts have to be given. Whatever was raised for the user with the same kind and key, whenever, is not told again, and it is no error to try. A
// kind that is switched off is stored too: who switches it on later is told nothing of before.
func (s *Store) raise(ctx context.Context, tx *sqlite.Tx, userID string, a finance.Alert) error {
	on, err := alertSwitches(ctx, tx, userID)
	if err != nil {
		return err
	}
	id, fresh, err := putAlert(ctx, tx, userID, a)
	if err != nil || !fresh {
		return err
	}
	until := a.Until
	if until.IsZero() {
		until = tx.Now.Add(alertFor)
	}
	for _, c := range finance.Channels {
		if on[a.Kind][c] {
			if err := s.putMessage(ctx, tx, userID, id, a.Kind, c, tx.Now, until); err != nil {
				return err
			}
		}
	}
	return nil
}

// putAlert stores what has happened; fresh is false when it was known.
func putAlert(ctx context.Context, tx *sqlite.Tx, userID string, a finance.Alert) (id string, fresh bool, err error) {
	facts, err := json.Marshal(a.Facts)
	if err != nil {
		return "", false, err
	}
	err = tx.QueryRowContext(ctx, `INSERT INTO alert (id, user_id, kind, key, facts, created) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING RETURNING id`,
		finance.NewID(), userID, a.Kind, a.Key, string(facts), sqlite.At(tx.Now)).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return "", false, nil
	}
	return id, err == nil, err
}

// putMessage leaves an alert for ClaimMessage.
func (s *Store) putMessage(ctx context.Context, tx *sqlite.Tx, userID, alertID string, kind finance.AlertKind, c finance.Channel, due, until time.Time) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO message (id, user_id, alert_id, kind, channel, state, due, until, created) VALUES ($1, $2, $3, $4, $5, 'waiting', $6, $7, $8)
		ON CONFLICT DO NOTHING`, finance.NewID(), userID, alertID, kind, c, sqlite.At(due), sqlite.At(until), sqlite.At(tx.Now))
	s.messaged() // whoever is woken writes, and so comes after this transaction
	return err
}

// WhenMessaged sets what is called when there is something for ClaimMessage. It is set before the store is used.
func (s *Store) WhenMessaged(wake func()) { s.messaged = wake }

// Switches say which kinds are told on which channels.
type Switches map[finance.AlertKind]map[finance.Channel]bool

// Any reports whether a kind is told on some channel.
func (s Switches) Any(k finance.AlertKind) bool {
	return slices.ContainsFunc(finance.Channels, func(c finance.Channel) bool { return s[k][c] })
}

// AlertSwitches returns what the user is told on which channels. On a channel that is not set up nothing is told.
func (s *Store) AlertSwitches(ctx context.Context, userID string) (_ Switches, err error) {
	defer doing("read switches of messages", &err)
	return alertSwitches(ctx, s.db.Read(), userID)
}

func alertSwitches(ctx context.Context, q querier, userID string) (Switches, error) {
	on := Switches{}
	for _, k := range finance.AlertKinds {
		on[k] = map[finance.Channel]bool{}
		for _, c := range finance.Channels {
			on[k][c] = k.OnByDefault(c)
		}
	}
	_, err := collect(ctx, q, func(row scanner) (any, error) {
		var k finance.AlertKind
		var c finance.Channel
		var chosen bool
		err := row.Scan(&k, &c, &chosen)
		if on[k] != nil {
			on[k][c] = chosen
		}
		return nil, err
	}, `SELECT kind, channel, chosen FROM alert_switch WHERE user_id = $1`, userID)
	if err != nil {
		return nil, err
	}
	made, err := collect(ctx, q, func(row scanner) (c finance.Channel, err error) { return c, row.Scan(&c) },
		`SELECT kind FROM alert_channel WHERE user_id = $1`, userID)
	for _, c := range finance.Channels {
		if c != finance.ChannelMail && !slices.Contains(made, c) {
			for _, channels := range on {
				channels[c] = false
			}
		}
	}
	return on, err
}

// SwitchAlerts sets which kinds the user is told on a channel; those that are not given are off.
func (s *Store) SwitchAlerts(ctx context.Context, userID string, c finance.Channel, kinds ...finance.AlertKind) (err error) {
	defer doing("switch messages", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		for _, k := range finance.AlertKinds {
			if err := switchAlert(ctx, tx, userID, k, c, slices.Contains(kinds, k)); err != nil {
				return err
			}
		}
		return nil
	})
}

// SaveAlerts stores all that a user chooses about messages, in one transaction: how, the kinds for each channel that is set up, the lines of balances, the
// saved searches. Channels that are not set up keep what was chosen for them.
func (s *Store) SaveAlerts(ctx context.Context, userID string, v finance.AlertSettings, on map[finance.Channel][]finance.AlertKind,
	lines map[string]finance.AlertAmount, searches []string) (err error) {
	defer doing("save what is told", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		if err := saveAlertSettings(ctx, tx, userID, v); err != nil {
			return err
		}
		for _, c := range finance.Channels {
			if _, err := s.target(ctx, tx, userID, c); c != finance.ChannelMail && errors.Is(err, finance.ErrNotFound) {
				continue
			}
			for _, k := range finance.AlertKinds {
				if err := switchAlert(ctx, tx, userID, k, c, slices.Contains(on[c], k)); err != nil {
					return err
				}
			}
		}
		return errors.Join(setAlertLines(ctx, tx, userID, lines), setAlertSearches(ctx, tx, userID, searches...))
	})
}

func switchAlert(ctx context.Context, tx *sqlite.Tx, userID string, k finance.AlertKind, c finance.Channel, on bool) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO alert_switch (user_id, kind, channel, chosen) VALUES ($1, $2, $3, $4)
		ON CONFLICT (user_id, kind, channel) DO UPDATE SET chosen = excluded.chosen`, userID, k, c, flag(on))
	return err
}

// AlertSettings returns how the user wants to be told.
func (s *Store) AlertSettings(ctx context.Context, userID string) (_ finance.AlertSettings, err error) {
	defer doing("read settings of messages", &err)
	return alertSettings(ctx, s.db.Read(), userID)
}

func alertSettings(ctx context.Context, q querier, userID string) (finance.AlertSettings, error) {
	v := finance.DefaultAlertSettings()
	err := q.QueryRowContext(ctx, `SELECT details, zone, quiet_from, quiet_until, cap, digest, above_minor, above_currency FROM alert_setting WHERE user_id = $1`, userID).
		Scan(&v.Details, &v.Zone, &v.QuietFrom, &v.QuietUntil, &v.Cap, &v.Digest, &v.Above.Minor, &v.Above.Currency)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return v, err
}

// SaveAlertSettings stores how the user wants to be told.
func (s *Store) SaveAlertSettings(ctx context.Context, userID string, v finance.AlertSettings) (err error) {
	defer doing("save settings of messages", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error { return saveAlertSettings(ctx, tx, userID, v) })
}

func saveAlertSettings(ctx context.Context, tx *sqlite.Tx, userID string, v finance.AlertSettings) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO alert_setting (user_id, details, zone, quiet_from, quiet_until, cap, digest, above_minor, above_currency)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (user_id) DO UPDATE SET details = excluded.details, zone = excluded.zone,
				quiet_from = excluded.quiet_from, quiet_until = excluded.quiet_until, cap = excluded.cap, digest = excluded.digest,
				above_minor = excluded.above_minor, above_currency = excluded.above_currency`,
		userID, flag(v.Details), v.Zone, v.QuietFrom, v.QuietUntil, v.Cap, v.Digest, v.Above.Minor, v.Above.Currency)
	return err
}

// Targets returns where the channels of the user lead that are set up; mail is always, and not among them.
func (s *Store) Targets(ctx context.Context, userID string) (_ map[finance.Channel]finance.Target, err error) {
	defer doing("read channels", &err)
	targets := map[finance.Channel]finance.Target{}
	for _, c := range finance.Channels {
		t, err := s.target(ctx, s.db.Read(), userID, c)
		if errors.Is(err, finance.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		targets[c] = t
	}
	return targets, nil
}

// target reads a channel; finance.ErrNotFound when it is not set up.
func (s *Store) target(ctx context.Context, q querier, userID string, c finance.Channel) (t finance.Target, err error) {
	var sealed [3]string
	err = q.QueryRowContext(ctx, `SELECT address, topic, secret FROM alert_channel WHERE user_id = $1 AND kind = $2`, userID, c).Scan(&sealed[0], &sealed[1], &sealed[2])
	if err != nil {
		return t, notFound(err)
	}
	var open [3]string
	for i, column := range channelColumns {
		if open[i], err = s.key.open(sealed[i], "alert_channel", column, userID+"/"+string(c)); err != nil {
			return t, err
		}
	}
	return finance.Target{Address: open[0], Topic: open[1], Secret: finance.Secret(open[2])}, nil
}

var channelColumns = []string{"address", "topic", "secret"}

// SaveTarget sets up a channel of the user, or changes where it leads. What waits goes to the new place.
func (s *Store) SaveTarget(ctx context.Context, userID string, c finance.Channel, t finance.Target) (err error) {
	defer doing("save channel", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		args := []any{userID, c}
		for i, value := range []string{t.Address, t.Topic, t.Secret.Reveal()} {
			args = append(args, s.key.seal(value, "alert_channel", channelColumns[i], userID+"/"+string(c)))
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO alert_channel (user_id, kind, address, topic, secret, created) VALUES ($1, $2, $3, $4, $5, $6)
			ON CONFLICT (user_id, kind) DO UPDATE SET address = excluded.address, topic = excluded.topic, secret = excluded.secret`,
			append(args, sqlite.At(tx.Now))...)
		return err
	})
}

// DeleteTarget takes a channel of the user away. What waits on it is not sent.
func (s *Store) DeleteTarget(ctx context.Context, userID string, c finance.Channel) (err error) {
	defer doing("delete channel", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		if err := changed(tx.ExecContext(ctx, `DELETE FROM alert_channel WHERE user_id = $1 AND kind = $2`, userID, c)); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `UPDATE message SET state = 'failed', reason = $1 WHERE user_id = $2 AND channel = $3 AND state = 'waiting'`, finance.MailOutdated, userID, c)
		return err
	})
}

// Off is what an off link turns off.
type Off struct {
	UserID  string
	Kind    finance.AlertKind // finance.AlertMore: all kinds
	Channel finance.Channel
}

// OffToken returns the token of a link that turns a kind of message off on a channel, without signing in. It works for ever and for nothing else: whoever has
// a message may turn off its kind.
func (s *Store) OffToken(o Off) finance.Secret {
	text := strings.Join([]string{o.UserID, string(o.Kind), string(o.Channel)}, ".")
	return finance.Secret(text + "." + base64.RawURLEncoding.EncodeToString(s.key.sign(text)))
}

// OffOf returns what a token turns off; finance.ErrNotFound for one that OffToken has not made.
func (s *Store) OffOf(token finance.Secret) (o Off, err error) {
	defer doing("read an off link", &err)
	parts := strings.Split(token.Reveal(), ".")
	if len(parts) != 4 {
		return o, finance.ErrNotFound
	}
	got, err := base64.RawURLEncoding.DecodeString(parts[3])
	if err != nil || !hmac.Equal(got, s.key.sign(strings.Join(parts[:3], "."))) {
		return o, finance.ErrNotFound
	}
	return Off{UserID: parts[0], Kind: finance.AlertKind(parts[1]), Channel: finance.Channel(parts[2])}, nil
}

// sign returns the code by which Florin recognises its own links that work without a sign-in.
func (k Key) sign(text string) []byte {
	mac := hmac.New(sha256.New, k.links)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

// TurnOff turns a kind of message off on a channel, and only there. What waits is not sent. finance.ErrNotFound when the user is gone.
func (s *Store) TurnOff(ctx context.Context, o Off) (err error) {
	defer doing("turn messages off", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		var one int
		if err := tx.QueryRowContext(ctx, `SELECT 1 FROM user WHERE id = $1`, o.UserID).Scan(&one); err != nil {
			return notFound(err)
		}
		for _, k := range finance.AlertKinds {
			if k == o.Kind || o.Kind == finance.AlertMore {
				if err := switchAlert(ctx, tx, o.UserID, k, o.Channel, false); err != nil {
					return err
				}
			}
		}
		return nil
	})
}
