package store

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/recurring"
	"florin/internal/search"
	"florin/internal/sqlite"
	"florin/internal/testkit"
)

// findRecurring runs the search for series until nothing is left.
func (b *bed) findRecurring(t testing.TB) {
	t.Helper()
	for range 1000 {
		if must(b.FindRecurring(t.Context()))(t).IsZero() {
			return
		}
	}
	t.Fatal("the search for series does not end")
}

// series lists the series of a user as "title rhythm usual count choice".
func (b *bed) series(t testing.TB, user string) []string {
	t.Helper()
	var list []string
	for _, k := range must(b.RecurringSeries(t.Context(), user))(t) {
		line := fmt.Sprintf("%s %s %s %d", k.Title, k.Every, k.Usual, k.Count)
		if k.Choice != "" {
			line += " " + string(k.Choice)
		}
		list = append(list, line)
	}
	return list
}

// called returns the series with a title.
func (b *bed) called(t testing.TB, user, title string) recurring.Kept {
	t.Helper()
	list := must(b.RecurringSeries(t.Context(), user))(t)
	i := slices.IndexFunc(list, func(k recurring.Kept) bool { return k.Title == title })
	if i < 0 {
		t.Fatalf("no series %q among %v", title, b.series(t, user))
	}
	return list[i]
}

// monthly returns rows with one text, one in each of the given months of 2025.
func monthly(t testing.TB, text, amount string, months ...int) []finance.Entry {
	t.Helper()
	var all []finance.Entry
	for _, m := range months {
		day := time.Date(2025, time.Month(m), 5, 0, 0, 0, 0, time.UTC)
		all = append(all, entry(t, fmt.Sprintf("%s %s %d", text, amount, m), amount, string(openbanking.DateOf(day)), text))
	}
	return all
}

func TestSeriesFollowTheirRows(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user, account := b.linked(t)
	films := monthly(t, "Films", "9.99", 1, 2, 3, 4, 5)
	b.run(t, slices.Concat(films[:4], []finance.Entry{entry(t, "S1", "20.00", "2025-02-20", "Shop")}))
	if got := b.series(t, user); len(got) != 0 {
		t.Errorf("before the search: %v", got)
	}
	b.findRecurring(t)
	equal(t, b.series(t, user), "Films MNTH -9.99 4")
	before := b.called(t, user, "Films")

	b.run(t, films[4:])
	b.findRecurring(t)
	equal(t, b.series(t, user), "Films MNTH -9.99 5")
	after, rows, merged, err := b.Recurring(ctx, user, before.ID)
	check(t, err)
	if after.Last != "2025-05-05" || len(rows) != 5 || rows[0].Date != "2025-05-05" || rows[0].AccountID != account || merged != 0 || after.LastRow != rows[0].ID {
		t.Errorf("%+v, %d rows", after, len(rows))
	}
	if of := must(b.RecurringOf(ctx, user, rows[2].ID))(t); of.ID != before.ID {
		t.Errorf("the row is of %+v", of)
	}
	other := b.user(t, "somebody.else@example.org")
	if _, _, _, err := b.Recurring(ctx, other.ID, before.ID); !errors.Is(err, finance.ErrNotFound) {
		t.Errorf("somebody else reads it: %v", err)
	}
	if _, err := b.RecurringOf(ctx, other.ID, rows[2].ID); !errors.Is(err, finance.ErrNotFound) {
		t.Errorf("somebody else reads of which it is: %v", err)
	}
	for _, err := range []error{b.ChooseRecurring(ctx, other.ID, before.ID, recurring.Dismissed), b.NameRecurring(ctx, other.ID, before.ID, "x"),
		b.SeparateRecurring(ctx, other.ID, before.ID), b.MergeRecurring(ctx, other.ID, before.ID, before.ID)} {
		if !errors.Is(err, finance.ErrNotFound) {
			t.Errorf("somebody else changes it: %v", err)
		}
	}
	if len(b.series(t, other.ID)) != 0 {
		t.Error("somebody else has series")
	}

	b.run(t, []finance.Entry{films[0], films[4]}) // the bank no longer lists three of them
	b.findRecurring(t)
	equal(t, b.series(t, user))
	b.run(t, films)
	b.findRecurring(t)
	equal(t, b.series(t, user), "Films MNTH -9.99 5")
	b.exec(t, `DELETE FROM account`)
	b.findRecurring(t)
	equal(t, b.series(t, user))
	b.exec(t, `DELETE FROM user`)
	b.findRecurring(t)
}

// A found series is stored only when its rows are still as they were read. Payees whose rows have changed meanwhile are searched again.
func TestSeriesThatChangeMeanwhile(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user, account := b.linked(t)
	films := monthly(t, "Films", "9.99", 1, 2, 3, 4)
	for _, c := range []struct {
		name   string
		change func()
		stored bool
		after  []string
	}{
		{"a sync brings another row", func() { b.run(t, append(monthly(t, "Films", "9.99", 5), films...)) }, false, []string{"Films MNTH -9.99 5"}},
		{"the bank lists rows no more", func() { b.run(t, films[:1]) }, false, nil},
		{"nothing that counts", func() {
			row := b.all(t, user, search.And{}, 10)[0]
			check(t, b.Annotate(ctx, user, account, row.ID, finance.Annotation{Note: "n"}))
		}, true, []string{"Films MNTH -9.99 4"}},
	} {
		b.run(t, films)
		b.findRecurring(t)
		b.exec(t, `DELETE FROM recurring_series`)
		b.exec(t, `INSERT OR IGNORE INTO recurring_waiting SELECT DISTINCT a.user_id, t.payee_key FROM booked_transaction t JOIN account a ON a.id = t.account_id`)
		var seen *seriesSearch
		check(t, b.db.Snapshot(ctx, func(at sqlite.Snapshot) (err error) {
			seen, err = readPayees(ctx, at, user, []string{"films"})
			return err
		}))
		found := must(recurring.Find(t.Context(), seen.rows))(t)
		if len(found) != 1 || found[0].Count != 4 {
			t.Fatalf("%s: found before %+v", c.name, found)
		}
		c.change()
		if stored := must(b.storeFound(ctx, seen, found))(t); stored != c.stored {
			t.Errorf("%s: stored is %t", c.name, stored)
		}
		b.findRecurring(t)
		equal(t, b.series(t, user), c.after...)
	}
}

func TestWhatAPersonSaysOfASeriesStays(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user, account := b.linked(t)
	all := slices.Concat(monthly(t, "Films", "9.99", 1, 2, 3, 4), monthly(t, "Songs", "12.00", 1, 2, 3, 4), monthly(t, "Books", "7.00", 1, 2, 3, 4))
	b.run(t, all)
	b.findRecurring(t)
	check(t, b.ChooseRecurring(ctx, user, b.called(t, user, "Films").ID, recurring.Dismissed))
	check(t, b.ChooseRecurring(ctx, user, b.called(t, user, "Songs").ID, recurring.Confirmed))
	check(t, b.NameRecurring(ctx, user, b.called(t, user, "Books").ID, "Library"))
	want := []string{"Films MNTH -9.99 4 dismissed", "Library MNTH -7.00 4", "Songs MNTH -12.00 4 confirmed"}
	equal(t, b.series(t, user), want...)
	if _, err := b.RecurringOf(ctx, user, b.called(t, user, "Films").LastRow); !errors.Is(err, finance.ErrNotFound) {
		t.Errorf("a row is of a dismissed series: %v", err)
	}

	// All rows are deleted, and come back as new ones.
	for _, table := range []string{"booked_transaction", "day_sum", "month_sum", "payee_sum"} {
		b.exec(t, `DELETE FROM `+table)
	}
	b.findRecurring(t)
	equal(t, b.series(t, user))
	for i := range all {
		all[i].Identity.Key += " again"
	}
	b.run(t, all)
	b.findRecurring(t)
	equal(t, b.series(t, user), want...)

	// The payee is renamed.
	shown, _, err := b.Rename(ctx, user, account, b.called(t, user, "Films").LastRow, "Cinema")
	check(t, err)
	b.findRecurring(t)
	equal(t, b.series(t, user), shown+" MNTH -9.99 4 dismissed", want[1], want[2])
	check(t, b.ChooseRecurring(ctx, user, b.called(t, user, shown).ID, recurring.Undecided))
	equal(t, b.series(t, user), shown+" MNTH -9.99 4", want[1], want[2])
}

func TestSeriesAreMergedAndSeparated(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user, _ := b.linked(t)
	b.run(t, slices.Concat(monthly(t, "Phone Company", "20.00", 1, 2, 3, 4), monthly(t, "Mobile Network", "22.00", 5, 6, 7)))
	b.findRecurring(t)
	old, now := b.called(t, user, "Phone Company"), b.called(t, user, "Mobile Network")
	check(t, b.MergeRecurring(ctx, user, old.ID, now.ID))
	equal(t, b.series(t, user), "Mobile Network MNTH -22.00 7")
	if k := b.called(t, user, "Mobile Network"); k.Since != "2025-05-05" || !k.Rose() || k.First != "2025-01-05" {
		t.Errorf("%+v", k)
	}
	if _, rows, merged, err := b.Recurring(ctx, user, now.ID); err != nil || len(rows) != 7 || merged != 1 {
		t.Errorf("%d rows, %d merged, %v", len(rows), merged, err)
	}
	if _, _, _, err := b.Recurring(ctx, user, old.ID); !errors.Is(err, finance.ErrNotFound) {
		t.Errorf("the merged series is still listed on its own: %v", err)
	}
	if of := must(b.RecurringOf(ctx, user, old.LastRow))(t); of.ID != now.ID {
		t.Errorf("its rows are of %+v", of)
	}
	if err := b.MergeRecurring(ctx, user, now.ID, now.ID); !errors.Is(err, finance.ErrNotFound) {
		t.Errorf("merged with itself: %v", err)
	}
	b.run(t, slices.Concat(monthly(t, "Phone Company", "20.00", 1, 2, 3, 4), monthly(t, "Mobile Network", "22.00", 5, 6, 7, 8)))
	b.findRecurring(t)
	equal(t, b.series(t, user), "Mobile Network MNTH -22.00 8")
	check(t, b.SeparateRecurring(ctx, user, now.ID))
	equal(t, b.series(t, user), "Mobile Network MNTH -22.00 4", "Phone Company MNTH -20.00 4")
}

// A series that no person has touched follows its rows, and the choices of a person stay, whatever a bank does.
func TestSeriesSurviveWhateverABankDoes(t *testing.T) {
	testkit.Unwatched(t)
	rapid.Check(t, func(r *rapid.T) {
		b := newBed(t)
		ctx := t.Context()
		user, account := b.linked(t)
		texts := []string{"Films", "Songs", "Energy", "Corner shop"}
		generation, month := 0, 4
		type booking struct {
			text, amount string
			month, move  int
			gone         bool
		}
		var bookings []booking
		comes := func(m int) {
			bookings = append(bookings, booking{text: "Films", amount: "9.99", month: m}, booking{text: "Songs", amount: "12.00", month: m},
				booking{text: "Energy", amount: fmt.Sprint(80+rapid.IntRange(0, 9).Draw(r, "energy"), ".00"), month: m})
			for range rapid.IntRange(0, 2).Draw(r, "shop") {
				bookings = append(bookings, booking{text: "Corner shop", amount: fmt.Sprint(rapid.IntRange(3, 90).Draw(r, "bought"), ".00"), month: m,
					move: rapid.IntRange(-4, 20).Draw(r, "day")})
			}
		}
		for m := range month {
			comes(m + 1)
		}
		sync := func() {
			var entries []finance.Entry
			for i, k := range bookings {
				if !k.gone {
					day := time.Date(2025, time.Month(k.month), 5+k.move, 0, 0, 0, 0, time.UTC)
					entries = append(entries, entry(t, fmt.Sprintf("R%d-%d", i, generation), k.amount, string(openbanking.DateOf(day)), k.text))
				}
			}
			b.runUnchecked(t, entries)
			b.findRecurring(t)
		}
		said := map[string]recurring.Kept{} // the choices of the person, by text
		sync()
		r.Repeat(map[string]func(*rapid.T){
			"": func(*rapid.T) {
				list := must(b.RecurringSeries(ctx, user))(t)
				for text, want := range said {
					n := 0
					for _, k := range list {
						if k.ID == want.ID {
							n++
							if k.Choice != want.Choice || k.Name != want.Name {
								t.Fatalf("%s is %+v, not %+v", text, k, want)
							}
						} else if want.Choice == recurring.Dismissed && k.Title == text && k.Like(want.Facts) && k.Choice != recurring.Dismissed {
							t.Fatalf("%s was dismissed, and is found again: %+v", text, k)
						}
					}
					if n != 1 && text != "Corner shop" {
						t.Fatalf("%s is %d times among %v", text, n, b.series(t, user))
					}
				}
				if len(said) == 0 {
					var rows []recurring.Row
					for _, f := range b.all(t, user, search.InAccount(account), 100) {
						if !f.Missing {
							rows = append(rows, recurring.Row{ID: f.ID, Day: f.Date, Amount: f.Amount, Payee: strings.ToLower(f.Title())})
						}
					}
					var got, want []string
					for _, k := range list {
						got = append(got, fmt.Sprintf("%s %+v", k.Title, k.Facts))
					}
					for _, s := range must(recurring.Find(t.Context(), rows))(t) {
						want = append(want, fmt.Sprintf("%s %+v", string(s.Rows[0].Payee[0]-32)+s.Rows[0].Payee[1:], s.Facts))
					}
					slices.Sort(got)
					slices.Sort(want)
					equal(t, got, want...)
				}
			},
			"month": func(*rapid.T) {
				if month++; month < 15 {
					comes(month)
					sync()
				}
			},
			"move": func(r *rapid.T) {
				k := &bookings[rapid.IntRange(0, len(bookings)-1).Draw(r, "row")]
				k.move = max(-4, min(20, k.move+rapid.IntRange(-1, 1).Draw(r, "days")))
				if k.text != "Corner shop" {
					k.move = max(-1, min(1, k.move))
				}
				sync()
			},
			"lose": func(r *rapid.T) {
				for i := range bookings {
					bookings[i].gone = false
				}
				bookings[rapid.IntRange(0, len(bookings)-1).Draw(r, "row")].gone = true
				sync()
			},
			"link again": func(*rapid.T) {
				generation++
				sync()
			},
			"say": func(r *rapid.T) {
				k := rapid.SampledFrom(must(b.RecurringSeries(ctx, user))(t)).Draw(r, "series")
				text := k.Title
				for was, s := range said {
					if s.ID == k.ID {
						text = was
					}
				}
				if !slices.Contains(texts, text) || said[text].ID != "" && said[text].ID != k.ID {
					return
				}
				if rapid.Bool().Draw(r, "name") {
					k.Name = rapid.SampledFrom([]string{"", "My " + text}).Draw(r, "name")
					check(t, b.NameRecurring(ctx, user, k.ID, k.Name))
				} else {
					k.Choice = rapid.SampledFrom([]recurring.Choice{recurring.Dismissed, recurring.Confirmed}).Draw(r, "choice")
					check(t, b.ChooseRecurring(ctx, user, k.ID, k.Choice))
				}
				said[text] = k
				if k.Name == "" && k.Choice == recurring.Undecided {
					delete(said, text)
				}
			},
		})
	})
}

func TestAmountsOfAnySizeMakeSeries(t *testing.T) {
	b := newBed(t)
	user, _ := b.linked(t)
	b.run(t, slices.Concat(monthly(t, "Vast", "10000000000000.00", 1, 2, 3, 4), monthly(t, "Tiny", "0.01", 1, 2, 3, 4)))
	b.findRecurring(t)
	equal(t, b.series(t, user), "Tiny MNTH -0.01 4", "Vast MNTH -10000000000000.00 4")
	if b.called(t, user, "Vast").Usual.Minor() != -int64(math.Pow10(15)) {
		t.Error("not 10^15 minor units")
	}
}
