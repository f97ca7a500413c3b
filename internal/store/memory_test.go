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

// Security F1: sign-ins are cached, and each way of ending one takes effect at once in this process.
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
		for range 3 { // so that the sign-in is cached
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

// A session that expires while it is cached is over.
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

// The data of the first page and of the list of payments are cached, and read again after each commit.
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
	time.Sleep(10 * time.Millisecond) // until the last commit has been noticed (sqlite.DB.Stamp)
	if first, second := must(b.Holdings(ctx, user))(t), must(b.Holdings(ctx, user))(t); &first.Accounts[0] != &second.Accounts[0] {
		t.Error("unchanged data are read twice")
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
	time.Sleep(10 * time.Millisecond) // until the last commit has been noticed
	if first, second := list(PaymentFilter{Drafts: true}), list(PaymentFilter{Drafts: true}); &first[0] != &second[0] {
		t.Error("an unchanged list is read twice")
	}
	if first, second := list(PaymentFilter{Drafts: true, Search: "draft"}),
		list(PaymentFilter{Drafts: true, Search: "draft"}); len(first) != 3 || &first[0] == &second[0] {
		t.Error("each search takes memory")
	}
}

// Security T35: requests for the sums of many periods, or for many payees that do not exist, do not fill the cache. Sums that were requested first stay cached.
func TestSumsOfManyPeriodsTakeNoMemory(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	u := b.user(t, "a@example.org")
	done, _ := b.link(t, u, "session", resource("h", "EUR", "uid"))
	b.run(t, []finance.Entry{entry(t, "r1", "1.00", "2026-01-02", "x")})
	time.Sleep(10 * time.Millisecond) // until the last commit has been noticed (sqlite.DB.Stamp)
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

// Remembered makes a value once, and makes it again after a commit, in another hour or zone, for another person and for another key. A value made from data
// read before a commit is not used for readers of newer data.
func TestRemembered(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	u, other := b.user(t, "a@example.org"), b.user(t, "b@example.org")
	made := 0
	askOf := func(since uint64, userID, what string, now time.Time) {
		must(Remembered(ctx, b.Store, userID, what, now, since, func() (int, error) { made++; return made, nil }))(t)
	}
	ask := func(userID, what string, now time.Time) { askOf(b.Stamp(ctx), userID, what, now) }
	time.Sleep(10 * time.Millisecond) // until the commits of the users have been noticed (sqlite.DB.Stamp)
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
