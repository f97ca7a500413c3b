package store

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"florin/internal/categories"
	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/recurring"
	"florin/internal/testkit"
)

// holds stores a balance of an account at the end of May 2025.
func (b *bed) holds(t testing.TB, account string, minor int64) {
	t.Helper()
	b.exec(t, `INSERT INTO balance (account_id, position, type, name, minor, currency, amount, reference_date, fetched)
		VALUES ($1, 0, 'CLBD', '', $2, 'EUR', $3, '2025-05-31', '2025-06-10T09:00:00.000Z')`, account, minor, money.FromMinor(minor, "EUR").String())
}

// ahead lists the series that a person sees: "title usual count owner choice".
func (b *bed) ahead(t testing.TB, w Seen) (list []string) {
	t.Helper()
	for _, k := range must(w.RecurringSeries(t.Context()))(t) {
		list = append(list, fmt.Sprintf("%s %s %d %s%s", k.Title, k.Usual, k.Count, k.Owner, k.Choice))
	}
	return list
}

// Which series of another person somebody sees, depending on how much of the account is shared: those of its rows, without the owner's edits, and without data
// from rows in another account.
func TestSeriesOfTheHousehold(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	n := b.neighbours(t)
	owner, giro, hidden, reader, own, stranger := n.owner, n.giro, n.hidden, n.reader, n.own, n.stranger
	b.sync(t, giro, slices.Concat(monthly(t, "Films", "9.99", 1, 2, 3, 4, 5), monthly(t, "Moved", "20.00", 1, 2, 3), monthly(t, "Once here", "30.00", 1),
		monthly(t, "Dropped", "40.00", 1, 2, 3, 4, 5), monthly(t, "Old name", "11.00", 1, 2, 3))...)
	b.sync(t, hidden, slices.Concat(monthly(t, "Secret", "50.00", 1, 2, 3, 4, 5), monthly(t, "Moved", "25.00", 4, 5), monthly(t, "Once here", "30.00", 2, 3, 4, 5),
		monthly(t, "New name", "11.50", 4, 5, 6))...)
	b.sync(t, own, monthly(t, "Gym", "29.90", 1, 2, 3, 4, 5)...)
	b.findRecurring(t)
	check(t, b.NameRecurring(ctx, owner, b.called(t, owner, "Films").ID, "Secret name"))
	check(t, b.ChooseRecurring(ctx, owner, b.called(t, owner, "Secret name").ID, recurring.Confirmed))
	check(t, b.ChooseRecurring(ctx, owner, b.called(t, owner, "Dropped").ID, recurring.Dismissed))
	check(t, b.MergeRecurring(ctx, owner, b.called(t, owner, "Old name").ID, b.called(t, owner, "New name").ID))
	cinema := categories.NewOwn("Cinema", categories.Set[0].Group)
	check(t, b.SaveCategory(ctx, owner, cinema))
	films := b.called(t, owner, "Secret name")
	must(b.SetCategory(ctx, owner, giro, films.LastRow, cinema.ID))(t)
	mine := categories.NewOwn("cinema", categories.Set[0].Group)
	check(t, b.SaveCategory(ctx, reader.ID, mine))

	home := b.Household(reader.ID)
	gym := "Gym -29.90 5 "
	theirs := []string{"Films -9.99 5 owner@example.org", gym, "Moved -20.00 3 owner@example.org", "Old name -11.00 3 owner@example.org"}
	for _, level := range finance.ShareLevels {
		must(b.Share(ctx, owner, giro, []finance.Share{{ReaderID: reader.ID, Level: level}}))(t)
		want := []string{gym}
		if level == finance.ShareEverything {
			want = theirs
		}
		equal(t, b.ahead(t, home), want...)
		equal(t, b.ahead(t, b.Mine(reader.ID)), gym)
		equal(t, b.ahead(t, b.Household(stranger.ID)))
		of, err := home.RecurringOf(ctx, films.LastRow)
		if shown := err == nil && of.Title == "Films" && of.Name == "" && of.Owner == "owner@example.org"; shown != (level == finance.ShareEverything) ||
			!shown && !errors.Is(err, finance.ErrNotFound) {
			t.Errorf("shared %q: the series of a row: %+v, %v", level, of, err)
		}
		if of, err := home.RecurringOf(ctx, b.called(t, reader.ID, "Gym").LastRow); err != nil || of.Title != "Gym" {
			t.Errorf("shared %q: the series of an own row: %+v, %v", level, of, err)
		}
		_, rows, merged, err := home.Recurring(ctx, films.ID)
		if level == finance.ShareEverything {
			if err != nil || len(rows) != 5 || merged != 0 || rows[0].Category != mine.ID || !rows[0].Reviewed {
				t.Errorf("%d rows, %d merged, %+v, %v", len(rows), merged, rows, err)
			}
		} else if !errors.Is(err, finance.ErrNotFound) {
			t.Errorf("shared %q: %v", level, err)
		}
		for _, id := range []string{b.called(t, owner, "Secret").ID, b.called(t, owner, "Once here").ID, b.called(t, owner, "Dropped").ID} {
			if _, _, _, err := home.Recurring(ctx, id); !errors.Is(err, finance.ErrNotFound) {
				t.Errorf("shared %q: a series that is not seen: %v", level, err)
			}
		}
		for _, err := range []error{b.ChooseRecurring(ctx, reader.ID, films.ID, recurring.Dismissed), b.NameRecurring(ctx, reader.ID, films.ID, "x")} {
			if !errors.Is(err, finance.ErrNotFound) {
				t.Errorf("shared %q: somebody else changes it: %v", level, err)
			}
		}
	}
	// The level is now "everything". Of a series in two accounts, the part in the hidden account and its rows are not shown.
	k, rows, merged, err := home.Recurring(ctx, b.called(t, owner, "Moved").ID)
	if err != nil || k.Since != "" || k.Last != "2025-03-05" || k.High.String() != "-20.00" || len(rows) != 3 || merged != 0 {
		t.Errorf("%+v, %d rows, %v", k, len(rows), err)
	}
	for _, title := range []string{"Secret", "Once here", "Dropped", "New name"} { // the last row of each is in the hidden account, or its series is dismissed
		if of, err := home.RecurringOf(ctx, b.called(t, owner, title).LastRow); !errors.Is(err, finance.ErrNotFound) {
			t.Errorf("the series of a row of %s: %+v, %v", title, of, err)
		}
	}
	if k, rows, merged, err = home.Recurring(ctx, b.called(t, owner, "New name").ID); err != nil || k.Title != "Old name" || len(rows) != 3 || merged != 0 {
		t.Errorf("%+v, %d rows, %v", k, len(rows), err)
	}
	for _, k := range must(home.RecurringSeries(ctx))(t) {
		if k.Name != "" || k.Choice != "" || k.ID == films.ID && k.Category != mine.ID {
			t.Errorf("%+v", k)
		}
	}
	must(b.Share(ctx, owner, giro, nil))(t)
	equal(t, b.ahead(t, home), gym)
}

// Money that moves between two accounts of another person is a transfer for people who see both, and money out for people who see only one.
func TestTransfersAheadInTheHousehold(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	owner, accounts := b.household(t, "owner@example.org")
	giro, savings := accounts[householdNumbers[0]], accounts[householdNumbers[1]]
	reader := b.user(t, "reader@example.org")
	var out, in []finance.Entry
	for m := 1; m <= 5; m++ {
		day := fmt.Sprintf("2025-%02d-05", m)
		out = append(out, moved(t, fmt.Sprint("o", m), "-200.00", day, householdNumbers[1], "savings"))
		in = append(in, moved(t, fmt.Sprint("i", m), "200.00", day, householdNumbers[0], "savings"))
	}
	b.sync(t, giro, out...)
	b.sync(t, savings, in...)
	b.holds(t, giro, 100000)
	b.holds(t, savings, 50000)
	b.findTransfers(t)
	b.findRecurring(t)
	share := func(account string, level finance.ShareLevel) {
		must(b.Share(ctx, owner, account, []finance.Share{{ReaderID: reader.ID, Level: level}}))(t)
	}
	end := func(w Seen) string {
		t.Helper()
		f := must(w.Forecast(ctx, inJune))(t)
		return f.Totals[0].Points[90].Balance.String()
	}
	share(giro, finance.ShareEverything)
	for _, i := range must(b.Household(reader.ID).Coming(ctx, inJune, 90))(t) {
		if i.Transfer || i.Amount.Sign() > 0 || i.Owner != "owner@example.org" {
			t.Errorf("%+v", i)
		}
	}
	if got := end(b.Household(reader.ID)); got != "200.00" { // four transfers of 200.00 go to a hidden account
		t.Errorf("with one side: %s", got)
	}
	share(savings, finance.ShareBalances)
	if got := end(b.Household(reader.ID)); got != "700.00" {
		t.Errorf("with the balance of the other side: %s", got)
	}
	share(savings, finance.ShareEverything)
	if got := end(b.Household(reader.ID)); got != "1500.00" || got != end(b.Mine(owner)) {
		t.Errorf("with both sides: %s", got)
	}
}

// The forecast of a household is the sum over its distinct accounts: the person's own, and those shared with everything, each with its owner's forecast. An
// account shared with its balance adds only that balance. A joint account counts once, however it is shared. Sharing never changes what a person sees of their
// own accounts.
func TestForecastOfTheHousehold(t *testing.T) {
	testkit.Unwatched(t)
	rapid.Check(t, func(r *rapid.T) {
		b := newBed(t)
		ctx := t.Context()
		type account struct{ id, hash, owner string }
		var all []account
		var users []string
		for u := range 3 {
			user := b.user(t, fmt.Sprintf("u%d@example.org", u))
			users = append(users, user.ID)
			hashes := []string{fmt.Sprint("h", u)}
			if rapid.Bool().Draw(r, "second") {
				hashes = append(hashes, fmt.Sprint("more", u))
			}
			if rapid.Bool().Draw(r, "joint") {
				hashes = append(hashes, "joint")
			}
			var resources []openbanking.AccountResource
			for _, h := range hashes {
				resources = append(resources, resource(h, "EUR", fmt.Sprint("uid", u, h)))
			}
			b.link(t, user, finance.Secret(fmt.Sprint("session", u)), resources...)
			for _, a := range must(b.Accounts(ctx, user.ID))(t) {
				all = append(all, account{a.ID, a.Hash, user.ID})
			}
		}
		bills := map[string]int{} // by hash: a joint account has the same bills for everybody
		for _, a := range all {
			if bills[a.hash] == 0 {
				bills[a.hash] = rapid.IntRange(1, 90).Draw(r, "bill")
			}
			months := []int{1, 2, 3, 4, 5}
			rows := monthly(t, "Bill of "+a.hash, fmt.Sprint(bills[a.hash], ".00"), months...)
			for _, m := range months {
				rows = append(rows, entry(t, fmt.Sprint("shop", m), fmt.Sprint(10*m, ".00"), fmt.Sprintf("2025-%02d-1%d", m, m), fmt.Sprint("Shop ", m)))
			}
			b.sync(t, a.id, rows...)
			b.holds(t, a.id, int64(bills[a.hash])*1000)
		}
		b.findRecurring(t)
		levels := map[string]map[string]finance.ShareLevel{} // by account and reader
		for _, a := range all {
			levels[a.id] = map[string]finance.ShareLevel{}
			var shares []finance.Share
			for _, reader := range users {
				if level := rapid.SampledFrom(finance.ShareLevels).Draw(r, "level"); reader != a.owner && level != finance.ShareNothing {
					levels[a.id][reader] = level
					shares = append(shares, finance.Share{ReaderID: reader, Level: level})
				}
			}
			must(b.Share(ctx, a.owner, a.id, shares))(t)
		}
		for _, reader := range users {
			alone := must(b.Forecast(ctx, reader, inJune))(t)
			points := map[openbanking.Date]int64{} // the total balance of the household at the end of each day
			lines, flat := map[string]bool{}, map[string]bool{}
			for _, l := range alone.Accounts {
				i := slices.IndexFunc(all, func(a account) bool { return a.id == l.Account })
				lines[all[i].hash] = true
				for _, p := range l.Points {
					points[p.Day] += p.Balance.Minor()
				}
			}
			for _, a := range all {
				if levels[a.id][reader] != finance.ShareEverything || lines[a.hash] {
					continue
				}
				lines[a.hash] = true
				l, ok := must(b.Forecast(ctx, a.owner, inJune))(t).Line(a.id)
				if !ok || len(l.Items) == 0 || l.Everyday.Months == 0 {
					r.Fatalf("the owner has no forecast of %s: %+v", a.hash, l)
				}
				for _, p := range l.Points {
					points[p.Day] += p.Balance.Minor()
				}
			}
			for _, a := range all {
				if levels[a.id][reader] == finance.ShareBalances && !lines[a.hash] && !flat[a.hash] {
					flat[a.hash] = true
					for day := range points {
						points[day] += int64(bills[a.hash]) * 1000
					}
				}
			}
			home := must(b.Household(reader).Forecast(ctx, inJune))(t)
			if len(home.Accounts) != len(lines)+len(flat) || len(home.Flat) != len(flat) || len(home.Totals) != 1 {
				r.Fatalf("%d lines and %d flat ones, want %d and %d", len(home.Accounts), len(home.Flat), len(lines)+len(flat), len(flat))
			}
			got := map[openbanking.Date]int64{}
			for _, p := range home.Totals[0].Points {
				got[p.Day] = p.Balance.Minor()
			}
			for day, want := range points { // everyday spending is rounded in each account
				if d := got[day] - want; d < -int64(len(lines)) || d > int64(len(lines)) {
					r.Fatalf("%s: %d, want %d", day, got[day], want)
				}
			}
			if len(got) != len(points) {
				r.Fatalf("%d days, want %d", len(got), len(points))
			}
			series := map[string]int{}
			for _, k := range must(b.Household(reader).RecurringSeries(ctx))(t) {
				series[k.Title]++
			}
			want := map[string]int{}
			for hash := range lines {
				want["Bill of "+hash] = 1
			}
			if !maps.Equal(series, want) {
				r.Fatalf("series %v, want %v", series, want)
			}
		}
	})
}

// A payment that another person ordered from a joint account is expected in the copy of the account that counts, and not twice when the own copy has a series
// of it.
func TestPaymentsFromAJointAccount(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	owner, reader := b.user(t, "owner@example.org"), b.user(t, "reader@example.org")
	b.link(t, owner, "s1", resource("joint", "EUR", "u1"), resource("alone", "EUR", "u2"))
	b.link(t, reader, "s2", resource("joint", "EUR", "u3"))
	theirs := must(b.Accounts(ctx, owner.ID))(t)
	own := must(b.Accounts(ctx, reader.ID))(t)[0].ID
	joint, alone := theirs[0].ID, theirs[1].ID
	if theirs[0].Hash != "joint" {
		joint, alone = alone, joint
	}
	var rows []finance.Entry
	now := time.Now().UTC()
	for m := range 4 {
		rows = append(rows, entry(t, fmt.Sprint("r", m), "5.00", string(openbanking.DateOf(now.AddDate(0, 0, -5-30*m))), "Alex"))
	}
	b.sync(t, joint, rows...)
	b.sync(t, own, rows...)
	b.findRecurring(t)
	f, first := openbanking.FrequencyCodeMNTH, openbanking.DateOf(now.AddDate(0, 0, 3))
	ordered := func(account, id string) finance.Payment {
		t.Helper()
		tr := transfer("Alex", ibanDE, "5")
		tr.Frequency, tr.RequestedExecutionDate = &f, &first
		o := order(tr)
		o.AccountID = account
		return b.sent(t, owner, id, o)
	}
	standing := ordered(joint, "p1")
	ordered(alone, "p2")
	ahead := func() (series, payments int) {
		t.Helper()
		for _, i := range must(b.Household(reader.ID).Coming(ctx, now, 29))(t) {
			switch {
			case i.Account != own:
				t.Errorf("not on the copy that counts: %+v", i)
			case i.Series != "" && i.Owner == "":
				series++
			case i.Payment == standing.ID && i.Owner == owner.Email:
				payments++
			default:
				t.Errorf("%+v", i)
			}
		}
		return series, payments
	}
	for _, level := range []finance.ShareLevel{finance.ShareNothing, finance.ShareBalances} {
		must(b.Share(ctx, owner.ID, joint, []finance.Share{{ReaderID: reader.ID, Level: level}}))(t)
		if series, payments := ahead(); series != 1 || payments != 0 {
			t.Errorf("shared %q: %d of the series, %d of the payment", level, series, payments)
		}
	}
	must(b.Share(ctx, owner.ID, joint, []finance.Share{{ReaderID: reader.ID, Level: finance.ShareEverything}}))(t)
	if series, payments := ahead(); series != 1 || payments != 1 {
		t.Errorf("before a booking: %d of the series, %d of the payment", series, payments)
	}
	last := b.called(t, owner.ID, "Alex").LastRow
	b.exec(t, `INSERT INTO payment_booking (booked_id, payment_id, position, execution, total) VALUES ($1, $2, 0, '2020-01-05', 0)`, last, standing.ID)
	if series, payments := ahead(); series != 0 || payments != 1 {
		t.Errorf("with the booking in the other copy: %d of the series, %d of the payment", series, payments)
	}
}
