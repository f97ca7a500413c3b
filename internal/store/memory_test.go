package store

import (
	"errors"
	"strconv"
	"testing"
	"time"

	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/search"
)

// Security F1: who is signed in comes from memory, and is over with whatever ends it, in this process at once.
func TestWhoIsRememberedIsSignedOutAtOnce(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	u := b.user(t, "a@example.org")
	hash := "hash of " + u.Email
	kept := must(b.CreateSignIn(ctx, NewSignIn{UserID: u.ID, PasswordHash: hash, Device: "kept"}))(t)
	for _, way := range []struct {
		name string
		end  func(s finance.SignIn, token string) error
	}{
		{"sign-out", func(s finance.SignIn, _ string) error { return b.EndSignIn(ctx, u.ID, s.ID) }},
		{"the end of the session", func(_ finance.SignIn, token string) error { return b.Sessions().DeleteCtx(ctx, token) }},
		{"a new password", func(finance.SignIn, string) error { return b.SetPassword(ctx, u.ID, hash+"2", kept.ID) }},
	} {
		s := must(b.CreateSignIn(ctx, NewSignIn{UserID: u.ID, PasswordHash: hash, Device: way.name}))(t)
		check(t, b.Sessions().CommitCtx(ctx, way.name, []byte(s.ID), time.Now().Add(time.Hour)))
		good := func() bool {
			data, found, err := b.Sessions().FindCtx(ctx, way.name)
			check(t, err)
			if !found {
				return false
			}
			user, got, err := b.SignedIn(ctx, u.ID, string(data))
			if err != nil && !errors.Is(err, finance.ErrNotFound) {
				t.Fatal(err)
			}
			return err == nil && user.ID == u.ID && got.ID == s.ID && got.Device == way.name
		}
		for range 3 { // so that it is remembered
			if !good() {
				t.Fatalf("%s: not signed in before", way.name)
			}
		}
		check(t, way.end(s, way.name))
		if good() {
			t.Errorf("%s: still signed in", way.name)
		}
	}
}

// A session that runs out while it is remembered is over.
func TestRememberedSessionsRunOut(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	check(t, b.Sessions().CommitCtx(ctx, "a", []byte("1"), time.Now().Add(200*time.Millisecond)))
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		_, found, err := b.Sessions().FindCtx(ctx, "a")
		check(t, err)
		if !found {
			break
		}
		if time.Now().After(end) {
			t.Fatal("it never runs out")
		}
	}
}

// What the first page and the list of payments show comes from memory, and is anew with each commit.
func TestListsInMemoryFollowEachCommit(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user, account := b.linked(t)
	other := b.user(t, "somebody.else@example.org")
	if h := must(b.Holdings(ctx, other.ID))(t); len(h.Connections)+len(h.Accounts)+len(h.Tasks)+len(h.Balances) > 0 {
		t.Errorf("somebody else has %+v", h)
	}
	for _, name := range []string{"Rent", "Food", ""} {
		check(t, b.SetNickname(ctx, user, account, name))
		for range 2 {
			if got := must(b.Holdings(ctx, user))(t).Accounts[0].Nickname; got != name {
				t.Errorf("the account is called %q, not %q", got, name)
			}
		}
	}
	time.Sleep(10 * time.Millisecond) // the last commit is noticed once more (sqlite.DB.Stamp)
	if first, second := must(b.Holdings(ctx, user))(t), must(b.Holdings(ctx, user))(t); &first.Accounts[0] != &second.Accounts[0] {
		t.Error("what nobody has changed is read twice")
	}

	list := func(f PaymentFilter) []finance.Payment {
		page, _, err := b.Payments(ctx, user, f, 50)
		check(t, err)
		return page
	}
	for n := range 3 {
		for range 2 {
			if got := must(b.Drafts(ctx, user))(t); got != n || len(list(PaymentFilter{Drafts: true})) != n || len(list(PaymentFilter{})) != 0 {
				t.Errorf("%d drafts, and %d in the list; want %d", got, len(list(PaymentFilter{Drafts: true})), n)
			}
		}
		must(b.SaveDraft(ctx, user, "form "+strconv.Itoa(n), order(transfer("Draft", ibanDE, "9")), ""))(t)
	}
	time.Sleep(10 * time.Millisecond) // as above
	if first, second := list(PaymentFilter{Drafts: true}), list(PaymentFilter{Drafts: true}); &first[0] != &second[0] {
		t.Error("a list that nobody has changed is read twice")
	}
	if first, second := list(PaymentFilter{Drafts: true, Search: "draft"}),
		list(PaymentFilter{Drafts: true, Search: "draft"}); len(first) != 3 || &first[0] == &second[0] {
		t.Error("each search takes memory")
	}
}

// Security T35: whoever asks for the sums of one period after the other, or for payees that nobody has, fills no memory. What was asked for first stays there.
func TestSumsOfManyPeriodsTakeNoMemory(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	u := b.user(t, "a@example.org")
	done, _ := b.link(t, u, "session", resource("h", "EUR", "uid"))
	b.run(t, []finance.Entry{entry(t, "r1", "1.00", "2026-01-02", "x")})
	time.Sleep(10 * time.Millisecond) // the last commit is noticed once more (sqlite.DB.Stamp)
	first := search.Period{From: "2026-01-01", To: "2026-01-31"}
	same := func() (one, other []Sum) {
		return must(b.MonthSums(ctx, u.ID, first))(t), must(b.MonthSums(ctx, u.ID, first))(t)
	}
	if x, y := same(); len(x) == 0 || &x[0] != &y[0] {
		t.Fatalf("%d sums, which are read twice", len(x))
	}
	var last search.Period
	for day := range 4 * mostPeriods {
		last = search.Period{From: "2026-01-01", To: openbanking.DateOf(time.Date(2026, 1, 2+day, 0, 0, 0, 0, time.UTC))}
		must(b.MonthSums(ctx, u.ID, last))(t)
		must(b.DayBalances(ctx, u.ID, done.Accounts[0].Account.ID, last))(t)
		if names := must(b.PayeeNames(ctx, u.ID, "nobody "+strconv.Itoa(day)))(t); len(names) != 0 {
			t.Errorf("%v", names)
		}
	}
	if x, y := same(); &x[0] != &y[0] {
		t.Error("what was there before is read again")
	}
	if x, y := must(b.MonthSums(ctx, u.ID, last))(t), must(b.MonthSums(ctx, u.ID, last))(t); len(x) == 0 || &x[0] == &y[0] {
		t.Errorf("the sums of %d periods are remembered", 4*mostPeriods)
	}
}

// What is made of somebody's data is made once, and anew after a commit, in another hour or zone, for another person and for something else. What was made of
// data that were read before a commit is not for whoever has read them since.
func TestRemembered(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	u, other := b.user(t, "a@example.org"), b.user(t, "b@example.org")
	made := 0
	askOf := func(since uint64, userID, what string, now time.Time) {
		must(Remembered(ctx, b.Store, userID, what, now, since, func() (int, error) { made++; return made, nil }))(t)
	}
	ask := func(userID, what string, now time.Time) { askOf(b.Stamp(ctx), userID, what, now) }
	time.Sleep(10 * time.Millisecond) // the commits of the users are noticed once more (sqlite.DB.Stamp)
	hour := time.Date(2026, 11, 22, 23, 10, 0, 0, time.UTC)
	for _, step := range []struct {
		name string
		do   func()
		made int
	}{
		{"the first time", func() { ask(u.ID, "card", hour) }, 1},
		{"again", func() { ask(u.ID, "card", hour.Add(49*time.Minute)) }, 1},
		{"an hour later", func() { ask(u.ID, "card", hour.Add(time.Hour)) }, 2},
		{"in another zone", func() { ask(u.ID, "card", hour.In(time.FixedZone("", 1800))) }, 3},
		{"something else", func() { ask(u.ID, "card in German", hour) }, 4},
		{"of somebody else", func() { ask(other.ID, "card", hour) }, 5},
		{"all of that again", func() { ask(u.ID, "card", hour); ask(u.ID, "card in German", hour); ask(other.ID, "card", hour) }, 5},
		{"after a commit", func() { check(t, b.SaveDashboard(ctx, other.ID, nil)); ask(u.ID, "card", hour) }, 6},
		{"of what was read before a commit", func() {
			before := b.Stamp(ctx)
			check(t, b.SaveDashboard(ctx, other.ID, nil))
			askOf(before, u.ID, "card", hour)
		}, 7},
		{"of what was read after it", func() { ask(u.ID, "card", hour) }, 8},
	} {
		if step.do(); made != step.made {
			t.Errorf("%s: made %d times, not %d", step.name, made, step.made)
		}
	}
}
