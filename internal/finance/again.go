package finance

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"florin/internal/money"
	"florin/internal/openbanking"
)

// SeenRow holds the facts by which two booked rows from different sources, such as a file and a bank, are compared.
type SeenRow struct {
	Identity
	Amount  money.Amount
	Dates   []openbanking.Date // all that are known
	Name    string             // of the counterparty
	Account string             // of the counterparty
	Text    string
}

// Again says whether an incoming row is already stored, and as which row.
type Again struct {
	Certainty Certainty
	With      int // index of the row that is there; -1 for none
}

// Certainty is how sure it is that a row is there already.
type Certainty int

// Values of Certainty.
const (
	IsNew  Certainty = iota
	Unsure           // the amount and the days fit, and nothing speaks against it
	IsThere
)

// AgainDays is how many days apart two sources may date one row.
const AgainDays = 4

// MatchAgain finds rows among those that are there. Each of those is found once, so that two equal rows are two: the same identity or content counts first,
// then amount, day and who or what it was for, then what fits nearly.
func MatchAgain(there, rows []SeenRow) []Again {
	found := make([]Again, len(rows))
	for i := range found {
		found[i].With = -1
	}
	taken := make([]bool, len(there))
	take := func(i, k int, c Certainty) { found[i], taken[k] = Again{c, k}, true }
	for _, key := range []func(SeenRow) string{
		func(r SeenRow) string { return r.Key }, func(r SeenRow) string { return r.Reference }, func(r SeenRow) string { return r.Content },
	} {
		by := map[string][]int{}
		for k, r := range there {
			if text := key(r); text != "" && !taken[k] {
				by[text] = append(by[text], k)
			}
		}
		for i, r := range rows {
			if list := by[key(r)]; found[i].With < 0 && len(list) > 0 {
				take(i, list[0], IsThere)
				by[key(r)] = list[1:]
			}
		}
	}
	for _, p := range nearPairs(there, rows, taken, found) {
		if found[p.row].With < 0 && !taken[p.there] {
			take(p.row, p.there, p.certainty)
		}
	}
	return found
}

// nearPair is a row and one that it may be.
type nearPair struct {
	row, there, days int
	sameParty        bool
	certainty        Certainty
}

// nearPairs are the pairs that may be one row, the surest first.
func nearPairs(there, rows []SeenRow, taken []bool, found []Again) []nearPair {
	byDay := map[money.Amount]map[int][]int{}
	thereDays := make([][]int, len(there))
	for k, r := range there {
		if taken[k] {
			continue
		}
		thereDays[k] = daysOf(r)
		if byDay[r.Amount] == nil {
			byDay[r.Amount] = map[int][]int{}
		}
		for _, day := range thereDays[k] {
			byDay[r.Amount][day] = append(byDay[r.Amount][day], k)
		}
	}
	var pairs []nearPair
	for i, r := range rows {
		if found[i].With >= 0 {
			continue
		}
		nearest := map[int]int{} // by the row that is there
		for _, day := range daysOf(r) {
			for apart := -AgainDays; apart <= AgainDays; apart++ {
				for _, k := range byDay[r.Amount][day+apart] {
					if least, known := nearest[k]; !known || max(apart, -apart) < least {
						nearest[k] = max(apart, -apart)
					}
				}
			}
		}
		for k, apart := range nearest {
			p := nearPair{row: i, there: k, days: apart, sameParty: sameParty(r, there[k]), certainty: Unsure}
			switch {
			case p.sameParty && apart == 0:
				p.certainty = IsThere
			case p.sameParty:
			case apart > 0 || differ(r, there[k]):
				continue
			}
			pairs = append(pairs, p)
		}
	}
	slices.SortFunc(pairs, func(a, b nearPair) int {
		return cmp.Or(-cmp.Compare(a.certainty, b.certainty), -compareBool(a.sameParty, b.sameParty), cmp.Compare(a.days, b.days), cmp.Compare(a.row, b.row),
			cmp.Compare(a.there, b.there))
	})
	return pairs
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

func daysOf(r SeenRow) []int {
	var days []int
	for _, date := range r.Dates {
		if t, err := date.Time(); err == nil {
			if day := int(t.Unix() / int64(24*time.Hour/time.Second)); !slices.Contains(days, day) {
				days = append(days, day)
			}
		}
	}
	return days
}

// sameParty reports whether two rows are with the same account or name, or say the same.
func sameParty(a, b SeenRow) bool {
	if a.Account != "" && b.Account != "" {
		return compactNumber(a.Account) == compactNumber(b.Account)
	}
	if sameName(a.Name, b.Name) {
		return true
	}
	const telling = 5 // characters that a text has at least that says something
	x, y := squeeze(a.Name+a.Text), squeeze(b.Name+b.Text)
	for _, text := range [][2]string{{squeeze(a.Name), y}, {squeeze(b.Name), x}, {squeeze(a.Text), y}, {squeeze(b.Text), x}} {
		if len(text[0]) >= telling && strings.Contains(text[1], text[0]) {
			return true
		}
	}
	return false
}

// differ reports whether two rows cannot be the same: their counterparties have different account numbers, or, where one of the numbers is missing, their
// names and texts share no word.
func differ(a, b SeenRow) bool {
	if a.Account != "" && b.Account != "" {
		return compactNumber(a.Account) != compactNumber(b.Account)
	}
	x, y := words(a.Name+" "+a.Text), words(b.Name+" "+b.Text)
	return len(x) > 0 && len(y) > 0 && !slices.ContainsFunc(x, func(word string) bool { return slices.Contains(y, word) })
}
