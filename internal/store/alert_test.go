package store

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
)

// messages claims and sends all messages that are due on the channels.
func (b *bed) messages(t testing.TB) (sent []finance.Message) {
	t.Helper()
	for _, c := range finance.Channels {
		for {
			m, ok, next, err := b.ClaimMessage(t.Context(), c, time.UTC)
			check(t, err)
			if !ok && !next.IsZero() && !next.After(time.Now()) {
				continue // one call checks a limited number of messages
			}
			if !ok {
				break
			}
			check(t, b.EndMessage(t.Context(), m.User.ID, m.ID, ""))
			if sent = append(sent, m); len(sent) > 1000 {
				t.Fatal("the messages do not end")
			}
		}
	}
	return sent
}

// raised raises alerts, each in its own transaction.
func (b *bed) raised(t testing.TB, user string, alerts ...finance.Alert) {
	t.Helper()
	for _, a := range alerts {
		check(t, b.db.Write(t.Context(), func(tx *sqlite.Tx) error { return b.raise(t.Context(), tx, user, a) }))
	}
}

// on switches kinds of alerts on, on all channels, and sets up the channels that need it.
func (b *bed) on(t testing.TB, user string, kinds ...finance.AlertKind) {
	t.Helper()
	check(t, b.SaveTarget(t.Context(), user, finance.ChannelNtfy, finance.Target{Address: "https://ntfy.example", Topic: "florin-4711", Secret: "tk_secret"}))
	check(t, b.SaveTarget(t.Context(), user, finance.ChannelWebhook, finance.Target{Address: "https://hook.example/secret-path", Secret: "whsec_c2VjcmV0"}))
	for _, c := range finance.Channels {
		check(t, b.SwitchAlerts(t.Context(), user, c, kinds...))
	}
}

func debit(key string) finance.Alert {
	return finance.Alert{Kind: finance.AlertDebit, Key: key, Facts: finance.AlertFacts{Name: "Gym", Amount: finance.AlertAmount{Minor: -4200, Currency: "EUR"}}}
}

// An alert is sent once for each key on each channel that its person has switched on, and to nobody else. It is stored in the transaction that raises it.
func TestAlertsAreToldOnce(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	u, other := b.user(t, "a@example.org"), b.user(t, "b@example.org")
	woken := 0
	b.WhenMessaged(func() { woken++ })
	b.raised(t, u.ID, debit("before")) // nobody has switched it on yet
	b.on(t, u.ID, finance.AlertDebit)
	b.raised(t, u.ID, debit("before"), debit("one"), debit("one"), debit("two"), finance.Alert{Kind: finance.AlertBudgetPassed, Key: "off"})
	wrong := errors.New("the change fails")
	if err := b.db.Write(ctx, func(tx *sqlite.Tx) error { return errors.Join(b.raise(ctx, tx, u.ID, debit("undone")), wrong) }); !errors.Is(err, wrong) {
		t.Fatal(err)
	}
	b.raised(t, other.ID, debit("one"))
	var got []string
	for _, m := range b.messages(t) {
		got = append(got, string(m.Channel)+" "+m.Alert.Key+" "+m.User.Email+" "+m.Alert.Facts.Name)
		want := map[finance.Channel]finance.Target{finance.ChannelNtfy: {Address: "https://ntfy.example", Topic: "florin-4711", Secret: "tk_secret"},
			finance.ChannelWebhook: {Address: "https://hook.example/secret-path", Secret: "whsec_c2VjcmV0"}}[m.Channel]
		if m.Target != want || m.Details || m.Attempts != 1 || m.Alert.Facts.Amount.Minor != -4200 {
			t.Errorf("message %+v", m)
		}
	}
	slices.Sort(got)
	want := []string{"mail one a@example.org Gym", "mail two a@example.org Gym", "ntfy one a@example.org Gym", "ntfy two a@example.org Gym",
		"webhook one a@example.org Gym", "webhook two a@example.org Gym"}
	if !slices.Equal(got, want) || woken == 0 {
		t.Errorf("woken %d times, sent %q", woken, got)
	}
	b.reopen(t)
	b.raised(t, u.ID, debit("one"))
	if again := b.messages(t); len(again) != 0 {
		t.Errorf("sent again: %+v", again)
	}
}

// The addresses and secrets of channels are encrypted.
func TestChannelsAreSealed(t *testing.T) {
	b := newBed(t)
	u := b.user(t, "a@example.org")
	b.on(t, u.ID)
	var all string
	check(t, b.db.Read().QueryRowContext(t.Context(), `SELECT group_concat(address || topic || secret) FROM alert_channel`).Scan(&all))
	for _, part := range []string{"example", "4711", "tk_", "whsec"} {
		if strings.Contains(all, part) {
			t.Errorf("%q is to be read in %s", part, all)
		}
	}
	check(t, b.DeleteTarget(t.Context(), u.ID, finance.ChannelNtfy))
	if err := b.DeleteTarget(t.Context(), u.ID, finance.ChannelNtfy); !errors.Is(err, finance.ErrNotFound) {
		t.Error(err)
	}
	if targets := must(b.Targets(t.Context(), u.ID))(t); len(targets) != 1 || targets[finance.ChannelWebhook].Secret.Reveal() != "whsec_c2VjcmV0" {
		t.Errorf("left: %+v", targets)
	}
}

// Above the cap, one message at the end of the day reports the number of alerts that were held back. Each day has the full cap again. A clock that jumps ahead
// and back sends nothing twice.
func TestCapOfADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		ctx := t.Context()
		u := b.user(t, "a@example.org")
		b.on(t, u.ID, finance.AlertDebit)
		settings := finance.DefaultAlertSettings()
		settings.Cap = 3
		check(t, b.SaveAlertSettings(ctx, u.ID, settings))
		for i := range 10 {
			b.raised(t, u.ID, debit(fmt.Sprint(i)))
		}
		if sent := b.messages(t); len(sent) != 3*len(finance.Channels) {
			t.Fatalf("%d messages on a day with a cap of 3", len(sent))
		}
		_, _, next, err := b.ClaimMessage(ctx, finance.ChannelMail, time.UTC)
		if check(t, err); !next.Equal(finance.DayEnd(time.Now().UTC())) {
			t.Errorf("the rest is due at %v", next)
		}
		time.Sleep(time.Until(next))
		sent := b.messages(t)
		if len(sent) != len(finance.Channels) {
			t.Fatalf("%d messages about the rest", len(sent))
		}
		for _, m := range sent {
			if m.Alert.Kind != finance.AlertMore || m.Count != 7 {
				t.Errorf("%s, %d more", m.Alert.Kind, m.Count)
			}
		}
		b.raised(t, u.ID, debit("next day"))
		if sent := b.messages(t); len(sent) != len(finance.Channels) {
			t.Errorf("%d messages on the next day", len(sent))
		}
	})
}

// In the quiet hours of the person's time zone only a test message is sent; the others are sent after them.
func TestQuietHours(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		ctx := t.Context()
		u := b.user(t, "a@example.org")
		b.on(t, u.ID, finance.AlertDebit)
		settings := finance.DefaultAlertSettings()
		settings.Zone, settings.QuietFrom, settings.QuietUntil = "Asia/Tokyo", 9*60, 17*60+30 // the clock of the test begins at 9 o'clock there
		check(t, b.SaveAlertSettings(ctx, u.ID, settings))
		b.raised(t, u.ID, debit("1"))
		for _, c := range finance.Channels {
			_, ok, next, err := b.ClaimMessage(ctx, c, time.UTC)
			if check(t, err); ok || time.Until(next) < 8*time.Hour || time.Until(next) > 8*time.Hour+30*time.Minute {
				t.Errorf("%s: claimed %v, next in %v", c, ok, time.Until(next))
			}
		}
		m := must(b.StartTestMessage(ctx, u.ID, finance.ChannelNtfy))(t)
		check(t, b.EndMessage(ctx, u.ID, m.ID, ""))
		time.Sleep(8*time.Hour + 30*time.Minute)
		if sent := b.messages(t); len(sent) != len(finance.Channels) {
			t.Errorf("%d messages after the quiet hours", len(sent))
		}
	})
}

// A message that was being sent when Florin was killed is sent again only on channels whose receiver recognises repeats, under the same id.
func TestMessagesOfADeadProcess(t *testing.T) {
	b := newBed(t)
	u := b.user(t, "a@example.org")
	b.on(t, u.ID, finance.AlertDebit)
	b.raised(t, u.ID, debit("1"))
	ids := map[finance.Channel]string{}
	for _, c := range finance.Channels {
		m, ok, _, err := b.ClaimMessage(t.Context(), c, time.UTC)
		if check(t, err); !ok {
			t.Fatalf("%s: nothing to send", c)
		}
		ids[c] = m.ID
	}
	b.reopen(t)
	if sent := b.messages(t); len(sent) != 0 {
		t.Errorf("sent without a start: %+v", sent)
	}
	check(t, b.TakeOver(t.Context()))
	sent := b.messages(t)
	if len(sent) != 1 || !sent[0].Channel.Recognises() || sent[0].ID != ids[sent[0].Channel] || sent[0].Attempts != 2 {
		t.Errorf("sent again: %+v", sent)
	}
	for c, m := range must(b.LastMessages(t.Context(), u.ID))(t) {
		if !c.Recognises() && (m.State != finance.MailFailed || m.Reason != finance.MailInterrupted) {
			t.Errorf("%s: %s, %s", c, m.State, m.Reason)
		}
	}
}

// After a failure, all messages that wait on the same channel of the same person wait for one retry. Other channels are not affected.
func TestRetriesOfAChannel(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	u, other := b.user(t, "a@example.org"), b.user(t, "b@example.org")
	b.on(t, u.ID, finance.AlertDebit)
	b.on(t, other.ID, finance.AlertDebit)
	b.raised(t, u.ID, debit("1"), debit("2"), debit("3"))
	b.raised(t, other.ID, debit("1"))
	m, _, _, err := b.ClaimMessage(ctx, finance.ChannelNtfy, time.UTC)
	check(t, err)
	due := time.Now().Add(time.Minute)
	check(t, b.RetryMessage(ctx, m, "busy", due))
	sent := b.messages(t)
	for _, m := range sent {
		if m.Channel == finance.ChannelNtfy && m.User.ID == u.ID {
			t.Errorf("sent on a channel that rests: %+v", m)
		}
	}
	if len(sent) != 9 {
		t.Errorf("%d messages on the others, want 9", len(sent))
	}
	if last := must(b.LastMessages(ctx, u.ID))(t)[finance.ChannelNtfy]; last.State != finance.MailWaiting || last.Reason != "busy" {
		t.Errorf("last %s, %s", last.State, last.Reason)
	}
	if at := must(b.LastSent(ctx, u.ID))(t); len(at) != 2 || at[finance.ChannelMail].IsZero() {
		t.Errorf("last sent at %v", at)
	}
}

// A link in a message turns its kind off on its channel, without a sign-in, and nothing else. Only Florin can create such a link.
func TestOffTokens(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	u := b.user(t, "a@example.org")
	b.on(t, u.ID, finance.AlertDebit, finance.AlertBudgetPassed)
	b.raised(t, u.ID, debit("waits"))
	token := b.OffToken(Off{u.ID, finance.AlertDebit, finance.ChannelNtfy})
	off := must(b.OffOf(token))(t)
	check(t, b.TurnOff(ctx, off))
	check(t, b.TurnOff(ctx, off)) // a second click
	on := must(b.AlertSwitches(ctx, u.ID))(t)
	for _, k := range []finance.AlertKind{finance.AlertDebit, finance.AlertBudgetPassed} {
		for _, c := range finance.Channels {
			if want := k != finance.AlertDebit || c != finance.ChannelNtfy; on[k][c] != want {
				t.Errorf("%s by %s is %v", k, c, on[k][c])
			}
		}
	}
	if sent := b.messages(t); len(sent) != 2 {
		t.Errorf("%d messages, want those of the other channels", len(sent))
	}
	check(t, b.TurnOff(ctx, Off{u.ID, finance.AlertMore, finance.ChannelMail}))
	on = must(b.AlertSwitches(ctx, u.ID))(t)
	for k, channels := range on {
		if channels[finance.ChannelMail] {
			t.Errorf("%s still comes by mail", k)
		}
	}
	parts := strings.Split(token.Reveal(), ".")
	for _, forged := range []string{"", "x", token.Reveal() + "A", strings.Join([]string{parts[0], "budget-passed", parts[2], parts[3]}, "."),
		strings.Join([]string{parts[0], parts[1], "mail", parts[3]}, "."), strings.Join([]string{"other", parts[1], parts[2], parts[3]}, ".")} {
		if _, err := b.OffOf(finance.Secret(forged)); !errors.Is(err, finance.ErrNotFound) {
			t.Errorf("%q: %v", forged, err)
		}
	}
	if err := b.TurnOff(ctx, Off{"nobody", finance.AlertDebit, finance.ChannelMail}); !errors.Is(err, finance.ErrNotFound) {
		t.Error(err)
	}
}

// A message for a deleted channel is dropped. One that waited too long is marked as late, and one that was postponed while the clock was wrong is sent at once.
func TestMessagesThatAreOfNoUse(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	u := b.user(t, "a@example.org")
	b.on(t, u.ID, finance.AlertDebit)
	b.raised(t, u.ID, debit("1"))
	b.exec(t, `UPDATE message SET until = created WHERE channel = 'mail'`)
	check(t, b.DeleteTarget(ctx, u.ID, finance.ChannelWebhook))
	b.exec(t, `UPDATE message SET due = '2999-01-01T00:00:00.000Z' WHERE channel = 'ntfy'`)
	sent := b.messages(t)
	if len(sent) != 2 || sent[0].Channel != finance.ChannelMail || !sent[0].Late || sent[1].Channel != finance.ChannelNtfy || sent[1].Late {
		t.Errorf("sent %+v", sent)
	}
	b.raised(t, u.ID, debit("2"))
	b.exec(t, `UPDATE message SET due = '2999-01-01T00:00:00.000Z' WHERE state = 'waiting'`)
	if clamped := must(b.ClampDue(ctx))(t); clamped != 2 {
		t.Errorf("%d clamped", clamped)
	}
}

// lateKinds lists the kinds of messages, with "late" for those that are marked as late.
func lateKinds(sent []finance.Message) (kinds []string) {
	for _, m := range sent {
		kind := string(m.Alert.Kind)
		if m.Late {
			kind += " late"
		}
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	return kinds
}

// Florin was off for ten days, or its clock jumped ahead: messages that waited are sent once and marked as late. Messages that are no longer true are dropped.
// A consent that ended meanwhile is reported.
func TestWhatWaitedIsToldLate(t *testing.T) {
	for _, tt := range []struct {
		name      string
		meanwhile []string // changes of the bank's data and changes by hand
		want      []string
	}{
		{"nothing else", nil, []string{"balance-below late", "booking-above late", "budget-passed late", "consent-ends", "debit late", "digest late", "payment-ended late", "sync-fails late"}},
		{"all is well again", []string{`UPDATE alert_line SET below = 0`, `UPDATE sync_task SET last_success_at = '2000-01-09T00:00:00.000Z'`,
			`UPDATE connection SET valid_until = '2000-06-01T00:00:00.000Z'`, `UPDATE debit_finding SET closed = '2000-01-02T00:00:00.000Z'`},
			[]string{"booking-above late", "budget-passed late", "digest late", "payment-ended late"}},
		{"the bank took the consent away", []string{`UPDATE connection SET status = 'revoked', ended = valid_until`},
			[]string{"balance-below late", "booking-above late", "budget-passed late", "debit late", "digest late", "payment-ended late"}},
		{"noticed that the consent ran out", []string{`UPDATE connection SET status = 'expired', ended = valid_until`},
			[]string{"balance-below late", "booking-above late", "budget-passed late", "consent-ends", "debit late", "digest late", "payment-ended late"}},
		{"the debit came back", []string{`UPDATE direct_debit SET back_id = (SELECT MAX(id) FROM booked_transaction)`},
			[]string{"balance-below late", "booking-above late", "budget-passed late", "consent-ends", "digest late", "payment-ended late", "sync-fails late"}},
		{"another month", []string{`UPDATE alert SET facts = json_replace(facts, '$.day', '1999-11-01') WHERE kind = 'budget-passed'`},
			[]string{"balance-below late", "booking-above late", "consent-ends", "debit late", "digest late", "payment-ended late", "sync-fails late"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBed(t)
				ctx := t.Context()
				user, account := b.linked(t)
				b.on(t, user)
				lines := map[string]finance.AlertAmount{account: {Minor: 5000, Currency: "EUR"}}
				on := map[finance.Channel][]finance.AlertKind{finance.ChannelNtfy: finance.AlertKinds}
				check(t, b.SaveAlerts(ctx, user, finance.DefaultAlertSettings(), on, lines, nil))
				b.run(t, []finance.Entry{entry(t, "A", "29.90", "2000-01-01", gymDebit), entry(t, "B", "29.90", "2000-01-01", "other")})
				b.watchDebits(t)
				b.exec(t, `UPDATE alert_line SET below = 1`)
				b.exec(t, `UPDATE sync_task SET last_success_at = '1999-12-29T00:00:00.000Z'`)
				b.exec(t, `INSERT INTO debit_finding (id, account_id, transaction_id, kind, key, run, was, found) SELECT 'f', d.account_id, d.transaction_id, 'new-creditor', 'k', 1, 0, ''
					FROM direct_debit d`)
				connections := must(b.Connections(ctx, user))(t)
				id, today := connections[0].ID, openbanking.DateOf(time.Now())
				b.ends(t, id, 5, 90)
				must(b.Remind(ctx))(t)
				debited := int64(b.number(t, `SELECT transaction_id FROM direct_debit`))
				row := finance.AlertFacts{Account: account, Transaction: debited, Code: "new-creditor"}
				b.raised(t, user, finance.Alert{Kind: finance.AlertDebit, Key: "1", Facts: row},
					finance.Alert{Kind: finance.AlertBalanceBelow, Key: "1", Facts: finance.AlertFacts{Account: account}},
					finance.Alert{Kind: finance.AlertBookingAbove, Key: "1", Facts: row},
					finance.Alert{Kind: finance.AlertBudgetPassed, Key: "1", Facts: finance.AlertFacts{Day: today}},
					finance.Alert{Kind: finance.AlertPaymentEnded, Key: "1"}, finance.Alert{Kind: finance.AlertDigest, Key: "1"},
					finance.Alert{Kind: finance.AlertSyncFails, Key: "1", Facts: finance.AlertFacts{Connection: id, Since: time.Now().AddDate(0, 0, -3)}})
				time.Sleep(10 * 24 * time.Hour)
				for _, query := range tt.meanwhile {
					b.exec(t, query)
				}
				b.reopen(t)
				must(b.Remind(ctx))(t)
				check(t, b.Clean(ctx))
				if got := lateKinds(b.messages(t)); !slices.Equal(got, tt.want) {
					t.Errorf("sent %q, want %q", got, tt.want)
				}
				if again := b.messages(t); len(again) != 0 {
					t.Errorf("sent again: %q", lateKinds(again))
				}
			})
		})
	}
}

// When several messages about the same thing wait, only the last one is sent: for the reminders of a consent, low balances, and summaries.
func TestTheLastOfSeveralIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		ctx := t.Context()
		user, account := b.linked(t)
		b.on(t, user)
		lines := map[string]finance.AlertAmount{account: {Minor: 5000, Currency: "EUR"}}
		on := map[finance.Channel][]finance.AlertKind{finance.ChannelNtfy: finance.AlertKinds}
		check(t, b.SaveAlerts(ctx, user, finance.DefaultAlertSettings(), on, lines, nil))
		b.exec(t, `UPDATE alert_line SET below = 1`)
		id := must(b.Connections(ctx, user))(t)[0].ID
		b.ends(t, id, 13, 90)
		for i := range 3 {
			must(b.Remind(ctx))(t)
			b.raised(t, user, finance.Alert{Kind: finance.AlertBalanceBelow, Key: fmt.Sprint(i), Facts: finance.AlertFacts{Account: account}},
				finance.Alert{Kind: finance.AlertDigest, Key: fmt.Sprint(i)}, debit(fmt.Sprint(i)))
			time.Sleep(7 * 24 * time.Hour)
		}
		sent := b.messages(t)
		want := []string{"balance-below late", "consent-ends", "debit late", "debit late", "debit late", "digest late"}
		if got := lateKinds(sent); !slices.Equal(got, want) {
			t.Errorf("sent %q, want %q", got, want)
		}
		for _, m := range sent {
			if m.Alert.Kind != finance.AlertDebit && m.Alert.Kind != finance.AlertConsentEnds && m.Alert.Key != "2" {
				t.Errorf("%s %s is sent, want only the last one", m.Alert.Kind, m.Alert.Key)
			}
		}
	})
}

// When a consent ended while Florin was off, and Florin had not reminded of it on the last day, that is reported once. After such a reminder it is not
// reported.
func TestConsentThatEndedUnnoticed(t *testing.T) {
	for _, reminded := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			b := newBed(t)
			ctx := t.Context()
			user, _ := b.linked(t)
			b.on(t, user, finance.AlertConsentEnds)
			id := must(b.Connections(ctx, user))(t)[0].ID
			b.ends(t, id, 3, 90)
			must(b.Remind(ctx))(t)
			b.messages(t)
			if reminded {
				time.Sleep(60 * time.Hour)
				must(b.Remind(ctx))(t)
				b.messages(t)
			}
			time.Sleep(5 * 24 * time.Hour)
			told := 0
			for range 3 {
				b.reopen(t)
				must(b.Remind(ctx))(t)
				told += len(b.messages(t))
				b.exec(t, `UPDATE connection SET status = 'expired', ended = valid_until`) // a sync finds that out
			}
			if want := len(finance.Channels); !reminded && told != want || reminded && told != 0 {
				t.Errorf("reminded on the last day: %v; sent %d messages", reminded, told)
			}
		})
	}
}

// Messages that were sent or postponed while the clock was ahead are not sent again when the clock is right, and do not delay others.
func TestClockThatGoesBack(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	u := b.user(t, "a@example.org")
	b.on(t, u.ID, finance.AlertDebit)
	settings := finance.DefaultAlertSettings()
	settings.Cap = 3
	check(t, b.SaveAlertSettings(ctx, u.ID, settings))
	for i := range 5 {
		b.raised(t, u.ID, debit(fmt.Sprint(i)))
	}
	if sent := b.messages(t); len(sent) != 3*len(finance.Channels) {
		t.Fatalf("%d messages on a day with a cap of 3", len(sent))
	}
	// Move all of that 20 days ahead.
	const ahead = ` = strftime('%Y-%m-%dT%H:%M:%fZ', `
	for _, column := range []string{"tried", "due", "until", "created"} {
		b.exec(t, `UPDATE message SET `+column+ahead+column+`, '+20 days') WHERE `+column+` IS NOT NULL`)
	}
	b.exec(t, `UPDATE alert SET created`+ahead+`created, '+20 days')`)
	rest := b.messages(t) // the summary of that day, once
	for i := range 5 {
		b.raised(t, u.ID, debit(fmt.Sprint(i)))
	}
	b.raised(t, u.ID, debit("today"))
	today := b.messages(t)
	if len(rest) != len(finance.Channels) || rest[0].Alert.Kind != finance.AlertMore {
		t.Errorf("of the day that was not: %q", lateKinds(rest))
	}
	if len(today) != len(finance.Channels) || today[0].Alert.Key != "today" {
		t.Errorf("today: %q", lateKinds(today))
	}
	b.reopen(t)
	if again := b.messages(t); len(again) != 0 {
		t.Errorf("sent again: %q", lateKinds(again))
	}
}
