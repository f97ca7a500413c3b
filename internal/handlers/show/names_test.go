package show

import (
	"net/url"
	"reflect"
	"strings"
	"testing"

	"florin/internal/categories"
	"florin/internal/finance"
	"florin/internal/search"
	"florin/web/templates/words"
)

// Whatever accounts and categories are called, the text of each in a search means only that one, in both languages.
func TestEachNameStandsForOneThing(t *testing.T) {
	accounts := []finance.Account{{ID: "a1", Nickname: "Giro", IBAN: "DE89370400440532013000"}, {ID: "a2", Nickname: "Giro Plus"}, {ID: "a3", Nickname: "giro", IBAN: "DE02120300000000202051"},
		{ID: "a4", Nickname: "🐷"}, {ID: "a5", Nickname: `"`}, {ID: "a6", Nickname: "Same", IBAN: "X1"}, {ID: "a7", Nickname: "Same", IBAN: "X1"}}
	book := categories.BookOf([]categories.Own{
		{Category: categories.Category{ID: "o1", Group: categories.GroupLiving}, Name: "Grocery"},
		{Category: categories.Category{ID: "o2", Group: categories.GroupLiving}, Name: "Groceries at work"},
		{Category: categories.Category{ID: "o3", Group: categories.GroupLiving}, Name: "Old", Into: "o2"},
	})
	for _, language := range words.Languages(words.App) {
		n := Clock{Language: language}.Names(accounts, nil, book)
		read := func(f search.Facts) search.Query {
			t.Helper()
			text := f.Query(n.Value)
			parsed, fault := search.Parse(text, search.Context{Today: "2026-11-22", Named: n.Named})
			if fault != nil {
				t.Errorf("%s: %v", text, fault)
			}
			return parsed.Query
		}
		for _, a := range accounts {
			want := search.And{search.InAccount(a.ID), search.Not{Query: search.Marked{search.MarkTransfer}}}
			if got := read(search.Facts{Accounts: []string{a.ID}}); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %v", a.ID, got)
			}
		}
		for _, own := range book {
			if own.Into != "" {
				continue
			}
			marks, _ := read(search.Facts{Categories: []string{own.ID}}).(search.Marked)
			want := search.Marked{}
			for _, id := range book.Shown(own.ID) {
				want = append(want, search.CategoryMark(id))
			}
			if !reflect.DeepEqual(marks, want) {
				t.Errorf("%s: %v, want %v", own.ID, marks, want)
			}
		}
		for _, g := range categories.Groups {
			var want search.Marked
			for _, own := range book {
				if of, _ := book.Of(own.ID); of.Group == g {
					want = append(want, search.CategoryMark(own.ID))
				}
			}
			if marks, _ := read(search.Facts{Group: string(g)}).(search.Marked); len(marks) != len(want) {
				t.Errorf("%s: %v, want %v", g, marks, want)
			}
		}
		if link, err := url.QueryUnescape(n.Link(search.Facts{Categories: []string{"rent"}})); err != nil || !strings.HasPrefix(link, `/transactions?q=category:"`) {
			t.Errorf("%s, %v", link, err)
		}
	}
}
