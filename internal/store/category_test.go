package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"florin/internal/categories"
	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/search"
	"florin/internal/sqlite"
	"florin/internal/testkit"
)

// paid returns a row of money paid to a payee.
func paid(t testing.TB, reference, amount, date, payee, text string) finance.Entry {
	t.Helper()
	d := openbanking.Date(date)
	w := openbanking.Transaction{TransactionAmount: openbanking.AmountType{Currency: "EUR", Amount: amount}, CreditDebitIndicator: "DBIT", Status: "BOOK",
		BookingDate: &d, RemittanceInformation: []string{text}}
	if reference != "" {
		w.EntryReference = &reference
	}
	if payee != "" {
		w.Creditor = &openbanking.PartyIdentification{Name: &payee}
	}
	return read(t, w)
}

// categorised lists "payee: category (step)" of the rows of an account, newest first.
func (b *bed) categorised(t testing.TB, user, account string) map[string]string {
	t.Helper()
	page, _, err := b.Find(context.Background(), user, search.InAccount(account), Newest, 1000)
	check(t, err)
	all := map[string]string{}
	for _, r := range page {
		all[r.Counterparty+" "+string(r.Date)] = fmt.Sprintf("%s (%s)", r.Category, r.CategoryBy)
	}
	return all
}

// row returns the id of a row by its counterparty and date.
func (b *bed) row(t testing.TB, user, account, name string) int64 {
	t.Helper()
	page, _, err := b.Find(context.Background(), user, search.InAccount(account), Newest, 1000)
	check(t, err)
	for _, r := range page {
		if r.Counterparty+" "+string(r.Date) == name {
			return r.ID
		}
	}
	t.Fatalf("no row %s", name)
	return 0
}

func wantCategories(t testing.TB, got, want map[string]string) {
	t.Helper()
	if !maps.Equal(got, want) {
		t.Errorf("categories\n  %v\nwant\n  %v", got, want)
	}
}

func TestASyncDecidesWhatRowsAreFor(t *testing.T) {
	b := newBed(t)
	user, account := b.linked(t)
	b.run(t, []finance.Entry{paid(t, "R3", "9.00", "2026-03-03", "SumUp *Corner", "card"), paid(t, "R2", "30.00", "2026-03-02", "LIDL 0815 BONN DE", "card"),
		paid(t, "R1", "700.00", "2026-03-01", "Erika Beispiel", "Miete")})
	wantCategories(t, b.categorised(t, user, account), map[string]string{"SumUp *Corner 2026-03-03": " ()", "LIDL 0815 BONN DE 2026-03-02": "groceries (merchant)",
		"Erika Beispiel 2026-03-01": "rent (word)"})
	r := must(b.Transaction(t.Context(), user, account, b.row(t, user, account, "SumUp *Corner 2026-03-03")))(t)
	if r.Payee != "Corner" || r.Counterparty != "SumUp *Corner" {
		t.Errorf("payee %q of %q", r.Payee, r.Counterparty)
	}

	// When the bank changes the text of a row, its category is decided again.
	b.run(t, []finance.Entry{paid(t, "R3", "9.00", "2026-03-03", "SumUp *Corner", "card"), paid(t, "R2", "30.00", "2026-03-02", "LIDL 0815 BONN DE", "card"),
		paid(t, "R1", "700.00", "2026-03-01", "Erika Beispiel", "Spende")})
	if got := b.categorised(t, user, account)["Erika Beispiel 2026-03-01"]; got != "gifts (word)" {
		t.Errorf("after the bank changed the text: %s", got)
	}
}

func TestAHandTeachesTheOtherRowsOfThePayee(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user, account := b.linked(t)
	shop := func(n int) finance.Entry {
		return paid(t, fmt.Sprintf("R%d", n), "9.00", fmt.Sprintf("2026-03-0%d", n), fmt.Sprintf("CORNER SHOP 00%d", n), "card")
	}
	b.run(t, []finance.Entry{shop(4), shop(3), shop(2), shop(1), paid(t, "X", "5.00", "2026-02-01", "Lidl", "card")})
	if n := must(b.SetCategory(ctx, user, account, b.row(t, user, account, "CORNER SHOP 002 2026-03-02"), "gifts"))(t); n != 3 {
		t.Errorf("%d other rows were changed, want 3", n)
	}
	if n := must(b.SetCategory(ctx, user, account, b.row(t, user, account, "CORNER SHOP 003 2026-03-03"), "pets"))(t); n != 2 {
		t.Errorf("%d other rows were changed, want 2: a hand edit stays", n)
	}
	b.run(t, []finance.Entry{shop(5), shop(4), shop(3), shop(2), shop(1), paid(t, "X", "5.00", "2026-02-01", "Lidl", "card")})
	want := map[string]string{"CORNER SHOP 001 2026-03-01": "pets (name)", "CORNER SHOP 002 2026-03-02": "gifts (hand)", "CORNER SHOP 003 2026-03-03": "pets (hand)",
		"CORNER SHOP 004 2026-03-04": "pets (name)", "CORNER SHOP 005 2026-03-05": "pets (name)", "Lidl 2026-02-01": "groceries (merchant)"}
	wantCategories(t, b.categorised(t, user, account), want)
	b.checkIndex(t)
	if right, of, err := b.CategoryQuality(ctx, user); err != nil || right != 0 || of != 2 {
		t.Errorf("right in %d of %d, %v; want 0 of 2", right, of, err)
	}

	// The choice is removed: Florin decides again, using the remaining choices.
	must(b.SetCategory(ctx, user, account, b.row(t, user, account, "CORNER SHOP 003 2026-03-03"), ""))(t)
	if got := b.categorised(t, user, account); got["CORNER SHOP 003 2026-03-03"] != " ()" || got["CORNER SHOP 002 2026-03-02"] != "gifts (hand)" {
		t.Errorf("after the choice was taken back: %v", got)
	}

	other := b.user(t, "b@example.org")
	id := b.row(t, user, account, "Lidl 2026-02-01")
	for name, err := range map[string]error{
		"another user's row": func() error { _, err := b.SetCategory(ctx, other.ID, account, id, "gifts"); return err }(),
		"no category":        func() error { _, err := b.SetCategory(ctx, user, account, id, "nothing"); return err }(),
		"no row":             func() error { _, err := b.SetCategory(ctx, user, account, id+1000, "gifts"); return err }(),
	} {
		if !errors.Is(err, finance.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if m := must(memoryOf(ctx, b.db.Read(), other.ID))(t); len(m.Lessons) != 0 || len(m.Own) != 0 {
		t.Errorf("what one person chose reaches another: %+v", m)
	}
}

func TestOwnCategoriesAndMerges(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user, account := b.linked(t)
	b.run(t, []finance.Entry{paid(t, "R1", "9.00", "2026-03-01", "Lidl", "card")})
	check(t, b.SaveCategory(ctx, user, categories.Own{Category: categories.Category{ID: "own-1", Group: categories.GroupLiving}, Name: "Food"}))
	check(t, b.SaveCategory(ctx, user, categories.Own{Category: categories.Category{ID: "groceries", Group: categories.GroupLiving}, Into: "own-1"}))
	book := must(b.Categories(ctx, user))(t)
	if c, ok := book.Of("groceries"); !ok || c.Name != "Food" {
		t.Errorf("groceries are shown as %+v", c)
	}
	must(b.SetCategory(ctx, user, account, b.row(t, user, account, "Lidl 2026-03-01"), "own-1"))(t)
	if got := must(b.Categories(ctx, b.user(t, "b@example.org").ID))(t); len(got) != len(categories.Set) {
		t.Errorf("another person has %d categories", len(got))
	}
}

// Rows stored before Florin had categories are categorised in the background. Categories that a person sets meanwhile stay.
func TestOldRowsAreCategorised(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user, account := b.linked(t)
	b.run(t, []finance.Entry{paid(t, "R3", "9.00", "2026-03-03", "Lidl", "card"), paid(t, "R2", "9.00", "2026-03-02", "Aldi", "card")})
	check(t, b.db.Write(ctx, func(tx *sqlite.Tx) error {
		for _, query := range []string{`UPDATE booked_transaction SET category_id = NULL, category_by = '', category_why = '', payee_key = ''`,
			`INSERT INTO decision_backlog (account_id, before_key) SELECT id, 9223372036854775807 FROM account`} {
			if _, err := tx.ExecContext(ctx, query); err != nil {
				return err
			}
		}
		return nil
	}))
	must(b.SetCategory(ctx, user, account, b.row(t, user, account, "Aldi 2026-03-02"), "gifts"))(t)
	b.exec(t, `DELETE FROM category_feature`) // a choice from before Florin counted words
	calls := 0
	for next := time.Now(); !next.IsZero(); calls++ {
		next = must(b.Categorise(ctx))(t)
	}
	wantCategories(t, b.categorised(t, user, account), map[string]string{"Lidl 2026-03-03": "groceries (merchant)", "Aldi 2026-03-02": "gifts (hand)"})
	b.checkIndex(t)
	b.checkCounts(t)
	if next := must(b.Categorise(ctx))(t); calls != 2 || !next.IsZero() {
		t.Errorf("%d calls, then again at %v", calls, next)
	}
}

// Whatever a bank does to its rows and however often they are fetched, a category set by hand stays with its row until the person sets another one.
func TestPropertyAHandEditIsChangedByAHandAlone(t *testing.T) {
	testkit.Unwatched(t)
	type fact struct {
		amount, date, payee string
		reference           int
	}
	rapid.Check(t, func(rt *rapid.T) {
		b := newBed(t)
		user, account := b.linked(t)
		person := must(b.User(context.Background(), user))(t)
		truth := map[string]*fact{} // by amount, which identifies a row here
		chosen := map[string]string{}
		payees := []string{"Lidl", "CORNER SHOP 001", "CORNER SHOP 002", "Erika Beispiel", ""}
		sync := func() {
			var entries []finance.Entry
			for n := 1; n <= len(truth); n++ {
				f := truth[fmt.Sprint(n, ".00")]
				entries = append(entries, paid(t, fmt.Sprintf("REF%dX", f.reference), f.amount, f.date, f.payee, "text "+f.amount))
			}
			b.run(t, entries)
		}
		actions := map[string]func(*rapid.T){
			"new rows": func(rt *rapid.T) {
				for range rapid.IntRange(1, 4).Draw(rt, "rows") {
					n := len(truth) + 1
					f := &fact{fmt.Sprint(n, ".00"), fmt.Sprintf("2026-03-%02d", rapid.IntRange(1, 9).Draw(rt, "day")), rapid.SampledFrom(payees).Draw(rt, "payee"), 1000 * n}
					truth[f.amount] = f
				}
				sync()
			},
			"new references": func(*rapid.T) {
				for _, f := range truth {
					f.reference++
				}
				sync()
			},
			"another name": func(rt *rapid.T) {
				for _, f := range truth {
					if rapid.Bool().Draw(rt, "changes") {
						f.payee = rapid.SampledFrom(payees).Draw(rt, "payee")
					}
				}
				sync()
			},
			"link again": func(*rapid.T) {
				b.link(t, person, finance.Secret(finance.NewID()), resource("h", "EUR", "uid"+finance.NewID()))
				sync()
			},
			"hand": func(rt *rapid.T) {
				page, _, err := b.Find(context.Background(), user, search.InAccount(account), Newest, 1000)
				check(t, err)
				if len(page) == 0 {
					return
				}
				r := rapid.SampledFrom(page).Draw(rt, "row")
				c := rapid.SampledFrom(categories.Set).Draw(rt, "category").ID
				must(b.SetCategory(context.Background(), user, account, r.ID, c))(t)
				chosen[r.Amount.Abs().String()] = c
			},
			"taken back": func(rt *rapid.T) {
				page, _, err := b.Find(context.Background(), user, search.InAccount(account), Newest, 1000)
				check(t, err)
				for _, r := range page {
					if rapid.IntRange(0, 3).Draw(rt, "back") == 0 {
						must(b.SetCategory(context.Background(), user, account, r.ID, ""))(t)
						delete(chosen, r.Amount.Abs().String())
					}
				}
			},
		}
		names := slices.Sorted(maps.Keys(actions))
		for range rapid.IntRange(2, 8).Draw(rt, "actions") {
			actions[rapid.SampledFrom(names).Draw(rt, "action")](rt)
			page, _, err := b.Find(context.Background(), user, search.InAccount(account), Newest, 1000)
			check(t, err)
			b.checkCounts(t)
			if len(page) != len(truth) {
				rt.Fatalf("%d rows, want %d", len(page), len(truth))
			}
			for _, r := range page {
				want, byHand := chosen[r.Amount.Abs().String()]
				if byHand != (r.CategoryBy == string(categories.ByHand)) || byHand && r.Category != want {
					rt.Fatalf("row %s has %q by %q, the hand chose %q", r.Amount, r.Category, r.CategoryBy, want)
				}
			}
		}
	})
}

// checkCounts compares the counts of naive Bayes with counts made from all choices by hand.
func (b *bed) checkCounts(t testing.TB) {
	t.Helper()
	ctx := context.Background()
	counted := must(collect(ctx, b.db.Read(), func(row scanner) (text string, err error) { return text, row.Scan(&text) },
		`SELECT user_id || ' ' || feature || ' ' || category_id || ' ' || row_count FROM category_count`))(t)
	anew := must(collect(ctx, b.db.Read(), func(row scanner) (text string, err error) { return text, row.Scan(&text) },
		`SELECT a.user_id || ' ' || feature.feature || ' ' || t.category_id || ' ' || COUNT(*) FROM booked_transaction t JOIN account a ON a.id = t.account_id
		JOIN category_feature feature ON feature.transaction_id = t.id WHERE t.category_by = 'hand' GROUP BY a.user_id, feature.feature, t.category_id`))(t)
	slices.Sort(counted)
	slices.Sort(anew)
	if !slices.Equal(counted, anew) {
		t.Errorf("counted\n  %q\nwant\n  %q", counted, anew)
	}
	uncounted := must(collect(ctx, b.db.Read(), func(row scanner) (id int64, err error) { return id, row.Scan(&id) },
		`SELECT t.id FROM booked_transaction t WHERE t.sort_key >= 0 AND (t.category_by = 'hand') <> EXISTS (SELECT 1 FROM category_feature feature WHERE feature.transaction_id = t.id)`))(t)
	if len(uncounted) > 0 {
		t.Errorf("of the rows %v is counted what no hand chose, or not what one did", uncounted)
	}
}

// The words of rows with a chosen category decide the category of rows of other payees, or suggest one when the match is weaker. A suggestion does not count as
// a category.
func TestRowsLikeOthersAreSuggestedAndSet(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user, account := b.linked(t)
	var entries []finance.Entry
	row := func(payee, text string) {
		n := len(entries) + 1
		entries = append(entries, paid(t, fmt.Sprintf("R%d", n), fmt.Sprintf("%d.00", 20+n%5), fmt.Sprintf("2026-03-%02d", n), payee, text))
	}
	for _, name := range []string{"Ida Berg", "Ole Kern", "Ute Voss", "Jan Behn", "Lia Horn"} {
		row(name, "Nachhilfelehrer Deutsch")
	}
	for _, name := range []string{"Kai Holm", "Ivo Lang", "Eva Rehm", "Pia Thal", "Rolf Senn"} {
		row(name, "Gemeinschaftsgarten Beet")
	}
	row("Nora Pohl", "Nachhilfelehrer Deutsch")
	row("Kolja Blau", "Nachhilfelehrer Deutsch Beet")
	b.run(t, entries)
	for category, names := range map[string][]string{"education": {"Ida Berg 2026-03-01", "Ole Kern 2026-03-02", "Ute Voss 2026-03-03", "Jan Behn 2026-03-04"},
		"home": {"Kai Holm 2026-03-06", "Ivo Lang 2026-03-07", "Eva Rehm 2026-03-08", "Pia Thal 2026-03-09"}} {
		for _, name := range names {
			must(b.SetCategory(ctx, user, account, b.row(t, user, account, name), category))(t)
		}
	}
	got := b.categorised(t, user, account)
	if got["Nora Pohl 2026-03-11"] != "education (words)" || got["Rolf Senn 2026-03-10"] != "home (words)" {
		t.Errorf("rows like those that the person chose for are %q and %q", got["Nora Pohl 2026-03-11"], got["Rolf Senn 2026-03-10"])
	}
	b.checkIndex(t)
	b.checkCounts(t)

	unsure := must(b.Transaction(ctx, user, account, b.row(t, user, account, "Kolja Blau 2026-03-12")))(t)
	if unsure.Category != "" || unsure.Suggestion == "" || unsure.CategoryWhy == "" {
		t.Errorf("a row like two kinds has the category %q and the suggestion %q (%s)", unsure.Category, unsure.Suggestion, unsure.CategoryWhy)
	}
	if found := b.all(t, user, search.Not{Query: search.Marked{search.MarkCategorised}}, 100); len(found) != 1 || found[0].ID != unsure.ID {
		t.Errorf("without a category are %+v, want the one with a suggestion", found)
	}

	// The next sync uses the same counts.
	row("Lou Mars", "Gemeinschaftsgarten Beet 7")
	b.run(t, entries)
	if got := b.categorised(t, user, account)["Lou Mars 2026-03-13"]; got != "home (words)" {
		t.Errorf("a new row is %q", got)
	}
	must(b.SetCategory(ctx, user, account, unsure.ID, unsure.Suggestion))(t)
	if r := must(b.Transaction(ctx, user, account, unsure.ID))(t); r.Category != unsure.Suggestion || r.Suggestion != "" ||
		r.CategoryBy != string(categories.ByHand) {
		t.Errorf("after the suggestion was taken: %+v", r.TransactionRow)
	}
	b.checkCounts(t)

	b.exec(t, `DELETE FROM account WHERE id = $1`, account)
	if n := must(collect(ctx, b.db.Read(), func(row scanner) (n int, err error) { return n, row.Scan(&n) }, `SELECT COUNT(*) FROM category_count`))(t); n[0] != 0 {
		t.Errorf("%d counts are left of an account that is gone", n[0])
	}
}
