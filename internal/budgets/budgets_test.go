package budgets

import (
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"testing"
	"time"

	"florin/internal/categories"
	"florin/internal/openbanking"

	"pgregory.net/rapid"
)

func TestMonthsBeginOnPayday(t *testing.T) {
	for _, c := range []struct {
		name        string
		calendar    Calendar
		month       Month
		from, until openbanking.Date
	}{
		{"the calendar's", nil, "2026-02", "2026-02-01", "2026-02-28"},
		{"the 25th pays the next month", Calendar{{"2020-01", 25}}, "2026-11", "2026-10-25", "2026-11-24"},
		{"over the end of a year", Calendar{{"2020-01", 28}}, "2027-01", "2026-12-28", "2027-01-27"},
		{"the 15th pays its own month", Calendar{{"2020-01", 15}}, "2026-11", "2026-11-15", "2026-12-14"},
		{"31 October 2026 is a Saturday", Calendar{{"2020-01", LastWorkingDay}}, "2026-11", "2026-10-30", "2026-11-29"},
		{"a leap year", Calendar{{"2020-01", LastWorkingDay}}, "2028-03", "2028-02-29", "2028-03-30"},
		{"before a change", Calendar{{"2026-12", 25}}, "2026-10", "2026-10-01", "2026-10-31"},
		{"shorter before a change", Calendar{{"2026-12", 25}}, "2026-11", "2026-11-01", "2026-11-24"},
		{"longer before a change back", Calendar{{"2026-06", 25}, {"2026-12", 1}}, "2026-11", "2026-10-25", "2026-11-30"},
	} {
		from, until := c.calendar.Days(c.month)
		if from != c.from || until != c.until {
			t.Errorf("%s: %s to %s, want %s to %s", c.name, from, until, c.from, c.until)
		}
	}
}

func aMonth(t *rapid.T, label string) Month {
	return Month("2026-01").Plus(rapid.IntRange(-2, 14).Draw(t, label))
}

func aCalendar(t *rapid.T) Calendar {
	var c Calendar
	for range rapid.IntRange(0, 4).Draw(t, "changes") {
		c = append(c, Change{aMonth(t, "from"), FirstDay(rapid.IntRange(0, 28).Draw(t, "first day"))})
	}
	return c
}

// Each day is in the one month whose days it is among, whatever was changed when.
func TestEveryDayIsInOneMonth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := aCalendar(t)
		_, until := c.Days("2025-10")
		next, err := until.Time()
		if err != nil {
			t.Fatal(err)
		}
		for m := Month("2025-11"); m < "2027-05"; m = m.Plus(1) {
			from, until := c.Days(m)
			first, _ := from.Time()
			last, _ := until.Time()
			if want := next.AddDate(0, 0, 1); !first.Equal(want) || last.Before(first) {
				t.Fatalf("%s goes from %s to %s and should begin on %s", m, from, until, date(want))
			}
			for day := first; !day.After(last); day = day.AddDate(0, 0, 1) {
				if in, ok := c.Month(date(day)); !ok || in != m {
					t.Fatalf("%s is in %s, want %s", date(day), in, m)
				}
				gone, of := c.Gone(m, date(day))
				if of != days(last.Sub(first))+1 || gone != days(day.Sub(first))+1 {
					t.Fatalf("%s is day %d of %d", date(day), gone, of)
				}
			}
			next = last
		}
	})
}

func TestADayThatIsNoneIsInNoMonth(t *testing.T) {
	if m, ok := (Calendar)(nil).Month("2026-02-30"); ok {
		t.Errorf("it is in %s", m)
	}
	for _, text := range []string{"", "2026", "2026-13", "2026-1", "0000-01", "9999-12", "2026-11-01"} {
		if _, ok := ParseMonth(text); ok {
			t.Errorf("%q is a month", text)
		}
	}
}

var testBook = categories.BookOf(nil)

// someFacts are random budgets, moves and rows of a book.
func someFacts(t *rapid.T) Facts {
	f := Facts{Book: testBook}
	targets := []Target{{Category: "groceries"}, {Category: "dining"}, {Category: "rent"}, {Group: categories.GroupLiving}, {Group: categories.GroupLeisure}, {Category: "gone"}}
	currencies := []string{"EUR", "EUR", "EUR", "SEK"}
	for i := range rapid.IntRange(0, 6).Draw(t, "budgets") {
		b := Budget{ID: "b" + strconv.Itoa(i), Target: rapid.SampledFrom(targets).Draw(t, "target"), Currency: rapid.SampledFrom(currencies).Draw(t, "currency"),
			From: aMonth(t, "from"), Assigned: map[Month]int64{}, Carry: map[Month]Carry{}}
		if rapid.Bool().Draw(t, "ends") {
			b.Until = b.From.Plus(rapid.IntRange(0, 9).Draw(t, "months"))
		}
		for range rapid.IntRange(0, 4).Draw(t, "amounts") {
			b.Assigned[aMonth(t, "assigned in")] = rapid.Int64Range(0, 50000).Draw(t, "assigned")
			b.Carry[aMonth(t, "carry in")] = Carry{rapid.Bool().Draw(t, "left"), rapid.Bool().Draw(t, "overspent")}
		}
		if rapid.Bool().Draw(t, "saves up") {
			b.Goal = Goal{rapid.Int64Range(1, 90000).Draw(t, "goal"), aMonth(t, "due")}
		}
		f.Budgets = append(f.Budgets, b)
	}
	id := func(label string) string { return "b" + strconv.Itoa(rapid.IntRange(0, 6).Draw(t, label)) }
	for i := range rapid.IntRange(0, 8).Draw(t, "moves") {
		f.Moves = append(f.Moves, Move{ID: strconv.Itoa(i), Month: aMonth(t, "moved in"), From: id("from"), To: id("to"), Minor: rapid.Int64Range(1, 9000).Draw(t, "moved")})
	}
	spent := []string{"", "groceries", "drugstore", "dining", "books", "rent", "salary", categories.Transfer, "gone"}
	for range rapid.IntRange(0, 40).Draw(t, "sums") {
		f.Sums = append(f.Sums, Sum{aMonth(t, "spent in"), rapid.SampledFrom(spent).Draw(t, "category"), rapid.SampledFrom(currencies).Draw(t, "currency"),
			rapid.Int64Range(-9000, 30000).Draw(t, "out")})
	}
	return f
}

// changedBook is the book after random merges, archivings and moves to other groups.
func changedBook(t *rapid.T) categories.Book {
	var changes []categories.Own
	ids := []string{"groceries", "drugstore", "dining", "books", "rent"}
	for i, id := range ids {
		own, _ := testBook.ByID(id)
		switch rapid.IntRange(0, 3).Draw(t, "change") {
		case 1:
			own.Archived = true
		case 2:
			own.Into = rapid.SampledFrom(append(slices.Clone(ids[i+1:]), "pets")).Draw(t, "into") // never round in circles
		case 3:
			own.Group = rapid.SampledFrom(categories.Groups).Draw(t, "group")
		default:
			continue
		}
		changes = append(changes, own)
	}
	return categories.BookOf(changes)
}

const lastMonth = Month("2027-06")

// conserved fails unless money neither appears nor is lost in the statements of facts.
func conserved(t *rapid.T, f Facts) []Statement {
	all := Statements(f, lastMonth)
	type series struct {
		Target
		currency string
	}
	goesOn := map[series]int64{}
	for i, s := range all {
		moved, counted := map[string]int64{}, map[string]int64{}
		next := map[series]int64{}
		seen := map[string]string{}
		for _, l := range s.Lines {
			k := series{l.Target, l.Currency}
			if l.Carried != goesOn[k] {
				t.Fatalf("%s %v begins with %d, and %d came from the month before", s.Month, k, l.Carried, goesOn[k])
			}
			delete(goesOn, k)
			if l.Carried+l.Assigned+l.Moved-l.Spent != l.Left {
				t.Fatalf("%s %+v does not add up", s.Month, l)
			}
			next[k] = l.Left - l.Dropped
			moved[l.Currency] += l.Moved
			counted[l.Currency] += l.Spent
			for _, category := range l.Covers {
				if other, twice := seen[category+l.Currency]; twice {
					t.Fatalf("%s: %s counts for two budgets: %s", s.Month, category, other)
				}
				seen[category+l.Currency] = l.Category
			}
			var assigned int64
			for _, b := range l.Budgets {
				assigned += b.AssignedIn(s.Month)
			}
			if assigned != l.Assigned {
				t.Fatalf("%s: the budgets of %v have %d, the line has %d", s.Month, k, assigned, l.Assigned)
			}
		}
		for k, lost := range goesOn {
			if lost != 0 {
				t.Fatalf("%s: %d of %v is lost", s.Month, lost, k)
			}
		}
		for currency, sum := range moved {
			if sum != 0 {
				t.Fatalf("%s: moves come to %d %s", s.Month, sum, currency)
			}
		}
		for _, r := range s.Rest {
			counted[r.Currency] += r.Out
		}
		want := map[string]int64{}
		x := newIndex(Facts{Book: f.Book})
		for _, sum := range f.Sums {
			own := x.shown[sum.Category]
			if sum.Month == s.Month && (Spending(own) || seen[own.ID+sum.Currency] != "") {
				want[sum.Currency] += sum.Out
			}
		}
		for currency, sum := range want {
			if counted[currency] != sum {
				t.Fatalf("%s: rows come to %d %s, the page to %d", s.Month, sum, currency, counted[currency])
			}
		}
		if goesOn = next; i == len(all)-1 {
			break
		}
	}
	return all
}

// Nothing appears, nothing is lost, through merges and archives of categories and changes of the first day.
func TestNothingAppearsAndNothingIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := someFacts(t)
		before := conserved(t, f)
		assigned := func(all []Statement) (sums map[string]int64) {
			sums = map[string]int64{}
			for _, s := range all {
				for _, l := range s.Lines {
					sums[string(s.Month)+l.Currency] += l.Assigned
				}
			}
			return sums
		}
		was := assigned(before)
		f.Book = changedBook(t)
		if is := assigned(conserved(t, f)); !maps.Equal(was, is) {
			t.Fatalf("a change of categories changes what budgets have:\n%v\n%v", was, is)
		}
		f.Book = testBook
		if again := conserved(t, f); !reflect.DeepEqual(again, before) {
			t.Fatal("the months are others after the change was taken back")
		}
	})
}

// A month that is over changes only when the person changes that month.
func TestAnEditChangesNoOtherMonthThatIsOver(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := someFacts(t)
		if len(f.Budgets) == 0 {
			return
		}
		current, m := aMonth(t, "current"), aMonth(t, "edited")
		before := Statements(f, lastMonth)
		i := rapid.IntRange(0, len(f.Budgets)-1).Draw(t, "budget")
		b := &f.Budgets[i]
		if !b.Active(m) {
			return // its page cannot be opened there
		}
		b.Assigned, b.Carry = maps.Clone(b.Assigned), maps.Clone(b.Carry)
		carry := Carry{rapid.Bool().Draw(t, "left"), rapid.Bool().Draw(t, "overspent")}
		maps.Copy(b.Assigned, b.Assignments(m, current, rapid.Int64Range(0, 50000).Draw(t, "assigned")))
		maps.Copy(b.Carry, b.Carries(m, current, carry))
		if b.CarryIn(m) != carry {
			t.Fatal("the edit is not in its month")
		}
		after := Statements(f, lastMonth)
		for j, s := range before {
			for k, l := range s.Lines {
				switch is := after[j].Lines[k]; {
				case s.Month < m && !reflect.DeepEqual(figures(l), figures(is)):
					t.Fatalf("%s changed with an edit of %s:\n%+v\n%+v", s.Month, m, l, is)
				case s.Month != m && s.Month < current && (l.Assigned != is.Assigned || l.Spent != is.Spent || l.Moved != is.Moved):
					t.Fatalf("%s is over and changed with an edit of %s:\n%+v\n%+v", s.Month, m, l, is)
				}
			}
		}
	})
}

// figures are a line without its budgets.
func figures(l Line) Line {
	l.Budgets = nil
	return l
}

func TestAnotherFirstDayLeavesEarlierMonths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, m := aCalendar(t), aMonth(t, "from")
		changed := c.With(m, FirstDay(rapid.IntRange(0, 28).Draw(t, "first day")))
		for before := Month("2025-10"); before < m.Plus(-1); before = before.Plus(1) {
			from, until := c.Days(before)
			if a, b := changed.Days(before); a != from || b != until {
				t.Fatalf("%s goes from %s to %s, and did from %s to %s", before, a, b, from, until)
			}
		}
		if before, _ := c.Days(m.Plus(-1)); m != "" {
			if is, _ := changed.Days(m.Plus(-1)); is != before {
				t.Fatal("the month before begins on another day")
			}
		}
	})
}

func line(t *testing.T, all []Statement, m Month, target Target) Line {
	t.Helper()
	for _, s := range all {
		for _, l := range s.Lines {
			if s.Month == m && l.Target == target {
				return l
			}
		}
	}
	t.Fatalf("no line %v in %s", target, m)
	return Line{}
}

func TestWhatGoesOn(t *testing.T) {
	groceries := Target{Category: "groceries"}
	for _, c := range []struct {
		name  string
		spent int64
		carry Carry
		next  int64
	}{
		{"left, and goes on", 30000, Carry{Left: true}, 10000},
		{"left, and does not", 30000, Carry{Overspent: true}, 0},
		{"overspent, and goes on", 45000, Carry{Overspent: true}, -5000},
		{"overspent, and does not", 45000, Carry{Left: true}, 0},
	} {
		f := Facts{Book: testBook, Sums: []Sum{{"2026-10", "groceries", "EUR", c.spent}, {"2026-10", "groceries", "SEK", 777}},
			Budgets: []Budget{{ID: "b", Target: groceries, Currency: "EUR", From: "2026-10", Assigned: map[Month]int64{"2026-10": 40000}, Carry: map[Month]Carry{"2026-10": c.carry}}}}
		all := Statements(f, "2026-11")
		if l := line(t, all, "2026-11", groceries); l.Carried != c.next || l.Assigned != 40000 || l.Left != 40000+c.next {
			t.Errorf("%s: %+v", c.name, l)
		}
		if l := line(t, all, "2026-10", groceries); l.Dropped != 40000-c.spent-c.next {
			t.Errorf("%s: %d dropped", c.name, l.Dropped)
		}
		if rest := all[0].Rest; len(rest) != 1 || rest[0] != (Rest{"groceries", "SEK", 777}) {
			t.Errorf("%s: money of another currency is %v", c.name, rest)
		}
	}
}

// A category with a budget of its own does not count for its group.
func TestAGroupCountsWhatHasNoBudget(t *testing.T) {
	set := map[Month]int64{"2026-10": 100}
	f := Facts{Book: testBook, Sums: []Sum{{"2026-10", "groceries", "EUR", 50}, {"2026-10", "pets", "EUR", 7}, {"2026-10", "clothing", "EUR", 5}, {"2026-10", "rent", "EUR", 900}},
		Budgets: []Budget{{ID: "a", Target: Target{Group: categories.GroupLiving}, Currency: "EUR", From: "2026-10", Assigned: set},
			{ID: "b", Target: Target{Category: "groceries"}, Currency: "EUR", From: "2026-10", Assigned: set}}}
	s := Statements(f, "2026-10")[0]
	if len(s.Lines) != 2 || s.Lines[0].Spent != 12 || s.Lines[1].Spent != 50 || slices.Contains(s.Lines[0].Covers, "groceries") {
		t.Errorf("%+v", s.Lines)
	}
	if len(s.Rest) != 1 || s.Rest[0].Category != "rent" {
		t.Errorf("not budgeted: %v", s.Rest)
	}
	if sum, ok := s.Total("EUR"); !ok || sum.Spent != 62 || sum.Assigned != 200 {
		t.Errorf("in all %+v", sum)
	}
}

func TestABudgetGoesAlongWithItsCategory(t *testing.T) {
	set := map[Month]int64{"2026-10": 100}
	f := Facts{Sums: []Sum{{"2026-10", "groceries", "EUR", 50}, {"2026-10", "drugstore", "EUR", 7}},
		Budgets: []Budget{{ID: "a", Target: Target{Category: "drugstore"}, Currency: "EUR", From: "2026-10", Assigned: set}}}
	own, _ := testBook.ByID("drugstore")
	own.Into = "groceries"
	f.Book = categories.BookOf([]categories.Own{own})
	if l := line(t, Statements(f, "2026-10"), "2026-10", Target{Category: "groceries"}); l.Spent != 57 || l.Assigned != 100 {
		t.Errorf("%+v", l)
	}
	own.Into, own.Archived = "", true
	f.Book = categories.BookOf([]categories.Own{own})
	if l := line(t, Statements(f, "2026-10"), "2026-10", Target{Category: "drugstore"}); l.Spent != 7 || l.Assigned != 100 {
		t.Errorf("archived: %+v", l)
	}
}

func TestSavingUpForABill(t *testing.T) {
	insurance := Target{Category: "insurance"}
	f := Facts{Book: testBook, Budgets: []Budget{{ID: "a", Target: insurance, Currency: "EUR", From: "2026-10", Goal: Goal{40000, "2027-01"}, Assigned: map[Month]int64{}}}}
	for m := Month("2026-10"); m <= "2027-01"; m = m.Plus(1) {
		f.Budgets[0].Assigned[m] = line(t, Statements(f, m), m, insurance).Save(m)
	}
	if l := line(t, Statements(f, "2027-01"), "2027-01", insurance); l.Saved() != 40000 || l.Assigned != 10000 {
		t.Errorf("%+v", l)
	}
	f.Budgets[0].Assigned = map[Month]int64{"2026-10": 0, "2026-12": 1}
	if need := line(t, Statements(f, "2026-12"), "2026-12", insurance).Save("2026-12"); need != 20000 {
		t.Errorf("two months before it is due, %d a month", need)
	}
	if need := line(t, Statements(f, "2027-02"), "2027-02", insurance).Save("2027-02"); need != 0 {
		t.Errorf("after it was due, %d", need)
	}
}

func TestFiguresBeyondTheRangeAreToldAndTheRestGoesOn(t *testing.T) {
	set := map[Month]int64{"2026-10": 1_000_000_000_000_000}
	f := Facts{Book: testBook, Sums: []Sum{{"2026-10", "groceries", "EUR", -math.MaxInt64}, {"2026-10", "rent", "EUR", 1_000_000_000_000_000}},
		Budgets: []Budget{{ID: "a", Target: Target{Category: "groceries"}, Currency: "EUR", From: "2026-10", Assigned: set},
			{ID: "b", Target: Target{Category: "rent"}, Currency: "EUR", From: "2026-10", Assigned: set}}}
	all := Statements(f, "2026-11")
	if l := line(t, all, "2026-10", Target{Category: "groceries"}); !l.TooLarge || l.Left != 0 || l.Spent != 0 {
		t.Errorf("%+v", l)
	}
	if l := line(t, all, "2026-10", Target{Category: "rent"}); l.TooLarge || l.Left != 0 || l.Spent != 1_000_000_000_000_000 {
		t.Errorf("%+v", l)
	}
}

// Ten thousand categories and three years: each month looks at each category once.
func TestManyCategories(t *testing.T) {
	var own []categories.Own
	f := Facts{Budgets: []Budget{{ID: "g", Target: Target{Group: categories.GroupLiving}, Currency: "EUR", From: "2026-01"}}}
	for i := range 10_000 {
		id := "own" + strconv.Itoa(i)
		own = append(own, categories.Own{Category: categories.Category{ID: id, Group: categories.GroupLiving}})
		f.Sums = append(f.Sums, Sum{"2026-01", id, "EUR", 3})
	}
	f.Book = categories.BookOf(own)
	if l := Statements(f, "2026-02")[0].Lines[0]; l.Spent != 30_000 || len(l.Covers) < 10_000 {
		t.Errorf("%d spent on %d categories", l.Spent, len(l.Covers))
	}
}

func TestPercent(t *testing.T) {
	for _, c := range []struct {
		spent, left int64
		percent     int
		ok          bool
	}{{620, 380, 62, true}, {0, 100, 0, true}, {150, -50, 150, true}, {5, -5, 0, false}, {-5, 100, 0, false},
		{1_000_000_000_000_000, -999_999_999_999_999, 999, true}} {
		if percent, ok := (Line{Spent: c.spent, Left: c.left}).Percent(); percent != c.percent || ok != c.ok {
			t.Errorf("%+v: %d %v", c, percent, ok)
		}
	}
}

func TestUsualIncomeAndProposals(t *testing.T) {
	sums := []Sum{
		{"2026-08", "groceries", "EUR", 30000}, {"2026-09", "groceries", "EUR", 31000}, {"2026-10", "groceries", "EUR", 32001}, {"2026-11", "groceries", "EUR", 99999},
		{"2026-10", "salary", "EUR", -300000}, {"2026-11", "salary", "EUR", -310000}, {"2026-10", categories.Transfer, "EUR", 5000}, {"2026-10", "", "EUR", 4000},
		{"2026-10", "gifts", "EUR", -10}, {"2026-10", "travel", "SEK", 1}, {"2026-05", "rent", "EUR", 1},
	}
	h := NewHistory(testBook, sums)
	if u := h.Usual("2026-11", []string{"groceries"}, "EUR"); u != (Usual{32001, 31000, 3}) {
		t.Errorf("usual %+v", u)
	}
	if u := NewHistory(testBook, sums[:1]).Usual("2026-09", []string{"groceries"}, "EUR"); u != (Usual{30000, 30000, 1}) {
		t.Errorf("usual with a month of rows %+v", u)
	}
	if u := NewHistory(testBook, nil).Usual("2026-09", []string{"groceries"}, "EUR"); u != (Usual{}) {
		t.Errorf("usual without rows %+v", u)
	}
	if income, ok := h.Income("2026-11", "EUR"); income != 310000 || !ok {
		t.Errorf("income %d", income)
	}
	if income, ok := h.Income("2026-12", "EUR"); income != 203333 || !ok {
		t.Errorf("average income %d", income)
	}
	if _, ok := h.Income("2026-11", "SEK"); ok {
		t.Error("there is income in a currency without any")
	}
	want := []Proposed{{"groceries", "EUR", 31100}, {"travel", "SEK", 100}}
	if all := h.Propose("2026-11", func(string) int64 { return 100 }); !slices.Equal(all, want) {
		t.Errorf("proposals %v", all)
	}
}

func TestDivideRoundsToTheNearest(t *testing.T) {
	for _, c := range [][3]int64{{7, 2, 4}, {-7, 2, -4}, {7, 3, 2}, {8, 3, 3}, {-8, 3, -3}, {math.MaxInt64, 1, math.MaxInt64}, {0, 3, 0}} {
		if is := divide(c[0], c[1]); is != c[2] {
			t.Errorf("%d / %d = %d, want %d", c[0], c[1], is, c[2])
		}
	}
}

// A month is a matter of dates: the last day of daylight saving time is one day like any other.
func TestMonthsHaveNoTimeZone(t *testing.T) {
	gone, of := (Calendar)(nil).Gone("2026-10", openbanking.Date(time.Date(2026, 10, 25, 2, 30, 0, 0, time.UTC).Format(time.DateOnly)))
	if gone != 25 || of != 31 {
		t.Errorf("day %d of %d", gone, of)
	}
}
