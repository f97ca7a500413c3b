package store

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"florin/internal/categories"
	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/search"
)

// found lists the texts of the rows that a query finds, newest first.
func found(t testing.TB, w Seen, query search.Query) (texts []string) {
	t.Helper()
	before := int64(Newest)
	for {
		page, more, err := w.Find(context.Background(), query, before, 2)
		check(t, err)
		for _, r := range page {
			texts, before = append(texts, r.Remittance), r.SortKey
		}
		if !more {
			return texts
		}
	}
}

// phrase returns a search for a word in one part of rows.
func phrase(in search.Field, word string) search.Query {
	return search.Phrase{In: in, Words: []string{word}}
}

// neighbours are people of one Florin with their accounts: the owner has one to share and one to hide, the reader has one, and the stranger none.
type neighbours struct {
	owner, giro, hidden string
	reader, stranger    finance.User
	own                 string
}

func (b *bed) neighbours(t testing.TB) neighbours {
	t.Helper()
	owner, accounts := b.household(t, "owner@example.org")
	reader := b.user(t, "reader@example.org")
	b.link(t, reader, "session reader", resource("own", "EUR", "uid-reader"))
	return neighbours{owner: owner, giro: accounts[householdNumbers[0]], hidden: accounts[householdNumbers[1]], reader: reader,
		stranger: b.user(t, "stranger@example.org"), own: must(b.Accounts(t.Context(), reader.ID))(t)[0].ID}
}

// Which rows a person finds in the household, by the level of sharing and by the kind of search: by data of the bank and by the owner's categories, but not by
// notes and tags of the owner.
func TestWhatIsFoundInTheHousehold(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	n := b.neighbours(t)
	owner, giro, hidden, reader, own, stranger := n.owner, n.giro, n.hidden, n.reader, n.own, n.stranger
	b.sync(t, giro, entry(t, "g1", "10.00", "2026-03-01", "giro market"), entry(t, "g2", "20.00", "2026-03-02", "giro pets"), entry(t, "g3", "30.00", "2026-03-03", "giro split"))
	b.sync(t, hidden, entry(t, "h1", "40.00", "2026-03-04", "hidden market"))
	b.sync(t, own, entry(t, "o1", "50.00", "2026-03-05", "own market"))

	market, pets, split := b.id(t, owner, "giro market"), b.id(t, owner, "giro pets"), b.id(t, owner, "giro split")
	check(t, b.Annotate(ctx, owner, giro, market, finance.Annotation{Note: "secretnote", Tags: []string{"secrettag"}}))
	theirs, mine := categories.NewOwn("Pets", categories.Set[0].Group), categories.NewOwn("pets", categories.Set[1].Group)
	check(t, b.SaveCategory(ctx, owner, theirs))
	must(b.SetCategory(ctx, owner, giro, market, "groceries"))(t)
	must(b.SetCategory(ctx, owner, giro, pets, theirs.ID))(t)
	check(t, b.Split(ctx, owner, giro, split, []finance.SplitPart{{Amount: must(money.Parse("-10.00", "EUR"))(t), Category: "groceries", Note: "secretpart"},
		{Amount: must(money.Parse("-20.00", "EUR"))(t), Category: theirs.ID}}))
	must(b.SetCategory(ctx, reader.ID, own, b.id(t, reader.ID, "own market"), "groceries"))(t)

	home := b.Household(reader.ID)
	all := []string{"own market", "giro split", "giro pets", "giro market"}
	alone := all[:1]
	for _, c := range []struct {
		name  string
		query search.Query
		want  []string // the rows when the giro is shared with everything
	}{
		{"everything", search.And{}, all},
		{"a word of the bank", phrase(search.Anywhere, "market"), []string{"own market", "giro market"}},
		{"a word in one part", phrase(search.Text, "giro"), all[1:]},
		{"the shared account", search.InAccount(giro), all[1:]},
		{"the account that is not", search.InAccount(hidden), nil},
		{"a word in it", search.And{search.InAccount(hidden), phrase(search.Anywhere, "market")}, nil},
		{"the own account", search.And{search.InAccount(own), phrase(search.Anywhere, "market")}, alone},
		{"a note", phrase(search.Anywhere, "secretnote"), nil},
		{"a note alone", phrase(search.Note, "secretnote"), nil},
		{"the note of a part", phrase(search.Anywhere, "secretpart"), nil},
		{"a tag", phrase(search.Anywhere, "secrettag"), nil},
		{"exactly a tag", search.Marked{search.TagMark("secrettag")}, nil},
		{"with a note", search.Marked{search.MarkNote}, nil},
		{"without a note", search.Not{Query: search.Marked{search.MarkNote}}, all},
		{"to review", search.And{search.InAccount(giro), search.Marked{search.MarkToReview}}, nil},
		{"a category of all", search.Marked{search.CategoryMark("groceries")}, []string{"own market", "giro split", "giro market"}},
		{"a category of the other", search.Marked{search.CategoryMark(theirs.ID)}, []string{"giro split", "giro pets"}},
		{"days", search.Period{From: "2026-03-02", To: "2026-03-04"}, []string{"giro split", "giro pets"}},
		{"one of two", search.Or{phrase(search.Text, "pets"), search.InAccount(own)}, []string{"own market", "giro pets"}},
	} {
		for _, level := range finance.ShareLevels {
			must(b.Share(ctx, owner, giro, []finance.Share{{ReaderID: reader.ID, Level: level}}))(t)
			want := c.want
			if level != finance.ShareEverything {
				want = slices.DeleteFunc(slices.Clone(want), func(text string) bool { return text != "own market" })
			}
			if got := found(t, home, c.query); !slices.Equal(got, want) {
				t.Errorf("%s, shared %q: %v, want %v", c.name, level, got, want)
			}
			if got := found(t, b.Household(stranger.ID), c.query); len(got) > 0 {
				t.Errorf("%s, shared %q: a stranger finds %v", c.name, level, got)
			}
			mine := slices.DeleteFunc(slices.Clone(want), func(text string) bool { return text != "own market" })
			if got := found(t, b.Mine(reader.ID), c.query); !slices.Equal(got, mine) {
				t.Errorf("%s, shared %q: of the own rows %v, want %v", c.name, level, got, mine)
			}
		}
	}

	// The level is now "everything". The category of the other person is shown under its name, until the person has a category with the same name.
	called := func(text string) string {
		t.Helper()
		rows, _, err := home.Find(ctx, phrase(search.Text, text), Newest, 5)
		check(t, err)
		if len(rows) != 1 || !rows[0].Reviewed || rows[0].Suggestion != "" {
			t.Fatalf("%+v", rows)
		}
		of, _ := must(home.Categories(ctx))(t).Of(rows[0].Category)
		return of.ID + " " + of.Name
	}
	if got := called("pets"); got != theirs.ID+" Pets" {
		t.Errorf("the category is %q", got)
	}
	check(t, b.SaveCategory(ctx, reader.ID, mine))
	if got := called("pets"); got != mine.ID+" pets" {
		t.Errorf("the category is %q", got)
	}
	if got := found(t, home, search.Marked{search.CategoryMark(mine.ID)}); !slices.Equal(got, []string{"giro split", "giro pets"}) {
		t.Errorf("of the own category of that name: %v", got)
	}
	// A category that the owner merged counts as the one into which it was merged.
	check(t, b.SaveCategory(ctx, owner, categories.Own{Category: categories.Category{ID: "groceries", Group: theirs.Group}, Into: theirs.ID}))
	if got := found(t, home, search.Marked{search.CategoryMark(mine.ID)}); !slices.Equal(got, all[1:]) {
		t.Errorf("after a merge: %v", got)
	}
	if got := found(t, home, search.Marked{search.CategoryMark("groceries")}); !slices.Equal(got, alone) {
		t.Errorf("of what was merged: %v", got)
	}
	if book := must(b.Categories(ctx, reader.ID))(t); slices.ContainsFunc(book, func(c categories.Own) bool { return c.ID == theirs.ID }) {
		t.Error("a category of the other has come to the person's own")
	}

	// An export contains no notes and tags of the owner.
	rows, _, err := home.Exported(ctx, search.And{}, Newest, 10)
	check(t, err)
	for _, r := range rows {
		said := r.Kept.Note + strings.Join(r.Kept.Tags, " ")
		for _, p := range r.Parts {
			said += p.Note
			if p.Category == theirs.ID {
				t.Error("a part has the category as its owner has it")
			}
		}
		if said != "" {
			t.Errorf("exported: %q", said)
		}
	}
}

// The sums of the household equal the totals of its lists, and the sums of its people together: by account, category, payee and time. A joint account counts
// once.
func TestSumsOfTheHousehold(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	one, two := b.user(t, "one@example.org"), b.user(t, "two@example.org")
	b.link(t, one, "s1", resource("joint", "EUR", "u1"), resource("h1", "EUR", "u2"), resource("h2", "USD", "u3"))
	b.link(t, two, "s2", resource("joint", "EUR", "u4"), resource("h3", "EUR", "u5"))
	for u, user := range []finance.User{one, two} {
		for i, a := range must(b.Accounts(ctx, user.ID))(t) {
			var entries []finance.Entry
			for n := range 6 {
				e := entry(t, "r"+string(rune('0'+u*3+i))+string(rune('a'+n)), []string{"10.00", "7.25", "3.10"}[n%3], "2026-0"+string(rune('2'+n%3))+"-1"+string(rune('0'+n)), "text")
				e.Counterparty = []string{"Lidl", "Zwiebelhof"}[n%2]
				entries = append(entries, e)
			}
			b.sync(t, a.ID, entries...)
			must(b.Share(ctx, user.ID, a.ID, []finance.Share{{Level: finance.ShareEverything}}))(t)
		}
	}
	own := categories.NewOwn("Only mine", categories.Set[0].Group)
	check(t, b.SaveCategory(ctx, one.ID, own))
	for i, r := range b.all(t, one.ID, search.And{}, 50) {
		must(b.SetCategory(ctx, one.ID, r.AccountID, r.ID, []string{"groceries", own.ID, ""}[i%3]))(t)
	}
	whole := search.Period{From: "2026-02-11", To: "2026-04-14"}
	for user, accounts := range map[string]int{one.ID: 4, two.ID: 4} {
		home := b.Household(user)
		seen := must(home.Holdings(ctx))(t)
		if len(seen.Accounts) != accounts || len(must(home.Owners(ctx))(t)) != accounts-len(must(b.Accounts(ctx, user))(t)) {
			t.Errorf("%d accounts are counted, want %d: the joint one once", len(seen.Accounts), accounts)
		}
		for name, read := range map[string]func(context.Context, search.Period) ([]Sum, error){"day": home.DaySums, "month": home.MonthSums,
			"payee and day": home.PayeeDaySums, "payee and month": home.PayeeMonthSums} {
			sums := must(read(ctx, whole))(t)
			if len(sums) == 0 {
				t.Errorf("%s: no sums", name)
			}
			lists := map[string]int64{}
			for _, s := range sums {
				var of search.Query = search.Marked{search.CategoryMark(s.Category)}
				if s.Category == "" {
					of = search.Not{Query: search.Marked{search.MarkCategorised}}
				}
				period := search.Period{From: s.Day, To: s.Day}
				if strings.HasSuffix(name, "month") {
					period = search.Period{From: max(s.Day, whole.From), To: min(lastOfMonth(s.Day), whole.To)}
				}
				query := search.And{search.InAccount(s.AccountID), of, period}
				if s.Payee != "" {
					query = append(query, search.Marked{search.PayeeMark(s.Payee)})
					if _, known := must(home.PayeeNames(ctx, s.Payee))(t)[s.Payee]; !known {
						t.Errorf("the payee %q has no name", s.Payee)
					}
				}
				totals, _, _, err := home.Totals(ctx, query)
				check(t, err)
				if len(totals) != 1 || totals[0].Out != s.Out || totals[0].In != s.In {
					t.Errorf("%s: the sum is %+v, the list comes to %+v", name, s, totals)
				}
				lists[s.Out.Currency()] += s.Out.Minor()
			}
			totals, _, _, err := home.Totals(ctx, whole)
			check(t, err)
			got := map[string]int64{}
			for _, total := range totals {
				got[total.Out.Currency()] = total.Out.Minor()
			}
			if !maps.Equal(got, lists) {
				t.Errorf("%s: the sums come to %v, the list to %v", name, lists, got)
			}
		}
		frequent := must(home.FrequentPayees(ctx, whole, 9))(t)
		if len(frequent) != 2 {
			t.Errorf("%+v", frequent)
		}
	}
	if got := must(b.Household("nobody").MonthSums(ctx, whole))(t); len(got) > 0 {
		t.Errorf("an unknown user sees %+v", got)
	}
}

// When only the balances of an account are shared, just the present balance is shown: no rows in lists or sums, and no earlier balance.
func TestBalancesAloneTellNothingOfTheRows(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	owner, reader := b.user(t, "owner@example.org"), b.user(t, "reader@example.org")
	wallet := b.manual(t, owner.ID, finance.SourceManual, euro(t, "2026-02-01", "100.00"))
	must(b.Share(ctx, owner.ID, wallet, []finance.Share{{ReaderID: reader.ID, Level: finance.ShareBalances}}))(t)
	home, in := b.Household(reader.ID), search.Period{From: "2026-02-01", To: "2999-12-31"}
	in.To = openbanking.DateOf(b.balanceOf(t, owner.ID, wallet).Fetched)
	if rows := must(home.Holdings(ctx))(t).Accounts; len(rows) != 0 {
		t.Errorf("%+v", rows)
	}
	if all := must(home.Worth(ctx))(t); len(all.Accounts) != 1 || len(all.Balances[wallet]) != 1 {
		t.Errorf("%+v", all)
	}
	days := must(home.DayBalances(ctx, wallet, in))(t)
	if len(days) != 1 || days[0].Balance.String() != "100.00" {
		t.Errorf("%+v", days)
	}
	must(b.Share(ctx, owner.ID, wallet, []finance.Share{{ReaderID: reader.ID, Level: finance.ShareEverything}}))(t)
	if days := must(home.DayBalances(ctx, wallet, in))(t); len(days) < 2 || days[0].Day != "2026-02-01" {
		t.Errorf("%+v", days)
	}
	must(b.Share(ctx, owner.ID, wallet, nil))(t)
	if _, err := home.DayBalances(ctx, wallet, in); err == nil {
		t.Error("balances of an account that is no longer shared")
	}
}

func (b *bed) balanceOf(t testing.TB, user, account string) finance.Balance {
	t.Helper()
	return must(b.AccountBalances(t.Context(), user, account))(t)[0]
}

// Each person's choice whose accounts are shown is stored, until they change it.
func TestLookAtHousehold(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	one, two := b.user(t, "one@example.org"), b.user(t, "two@example.org")
	for _, household := range []bool{true, true, false, false, true} {
		check(t, b.LookAtHousehold(ctx, one.ID, household))
		if must(b.LooksAtHousehold(ctx, one.ID))(t) != household || must(b.LooksAtHousehold(ctx, two.ID))(t) {
			t.Errorf("after %v", household)
		}
	}
	check(t, b.RemoveUser(ctx, one.ID))
	if must(b.LooksAtHousehold(ctx, one.ID))(t) {
		t.Error("the choice of a removed person is kept")
	}
}

// Rows of the household are found as fast as one's own: by the keys of lists and sums, in their order, and the view of shared accounts is read once.
func TestTheHouseholdIsFoundByIndexes(t *testing.T) {
	b := newBed(t)
	home := b.Household("u")
	list := func(l listing) listing { l.household = true; return l }
	for name, c := range map[string]struct{ query, found string }{
		"an account":   {list(ofAccount).newest(rowColumns), "SEARCH t USING INDEX booked_transaction_page (account_id=? AND sort_key>? AND sort_key<?)"},
		"back again":   {list(ofAccount).oldest(ofAccount.key), "SEARCH t USING"},
		"the index":    {list(ofIndex).newest(rowColumns), "SEARCH t USING INDEX booked_transaction_order (sort_key=?)"},
		"days":         {home.sumQuery(dayTable, "kept.day", "''"), "SEARCH kept USING"},
		"months":       {home.sumQuery(monthTable, "kept.month", "''"), "SEARCH kept USING"},
		"payees":       {home.sumQuery(payeeTable, "kept.month", "kept.payee_key"), "SEARCH kept USING"},
		"series":       {home.seriesMonthsQuery(), "SEARCH t USING INTEGER PRIMARY KEY"},
		"payees' name": {`SELECT ` + home.payeeName(`$2`), "SEARCH t USING"},
	} {
		plan := b.plan(t, c.query, "u", "2", "3", "u", "5")
		if !strings.Contains(plan, c.found) || strings.Contains(plan, "SCAN t") || strings.Contains(plan, "SCAN kept") {
			t.Errorf("%s:\n%s", name, plan)
		}
		if strings.Contains(c.query, "LIMIT $5") && strings.Contains(plan, "USE TEMP B-TREE FOR ORDER BY") {
			t.Errorf("%s is put in order:\n%s", name, plan)
		}
	}
}
