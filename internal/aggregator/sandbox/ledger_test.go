package sandbox

import (
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"florin/internal/aggregator"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/testkit"
)

var testToday = dayOf(testNow)

var longest = aggregator.TransactionQuery{Strategy: openbanking.TransactionsFetchStrategyLongest}

// noVisits is for tests in which nobody visits a bank.
type noVisits struct{ FlowStore }

// builtInBanks are the banks of the built-in catalogue, with the ledgers of all of them kept for all tests.
var builtInBanks = sync.OnceValue(func() *Sandbox {
	s, err := New(Options{BaseURL: testBase, Flows: noVisits{}, Now: func() time.Time { return testNow }})
	if err != nil {
		panic(err)
	}
	s.ledgers = newLedgerCache(len(s.banks))
	return s
})

// whole is the listing of a query with all its pages, at the end of a day.
func whole(t rapid.TB, a *account, query aggregator.TransactionQuery, today day) []openbanking.Transaction {
	t.Helper()
	return wholeAt(t, a, query, today.end())
}

func wholeAt(t rapid.TB, a *account, query aggregator.TransactionQuery, now moment) []openbanking.Transaction {
	t.Helper()
	var all []openbanking.Transaction
	for {
		page, err := a.page(query, now)
		if err != nil {
			t.Fatal(err)
		}
		if len(page.Transactions) > a.bank.data.PageSize || len(page.Transactions) == 0 && page.Next != "" {
			t.Fatalf("a page of %d rows, next %q", len(page.Transactions), page.Next)
		}
		all = append(all, page.Transactions...)
		if page.Next == "" {
			return all
		}
		query.Cursor = page.Next
	}
}

// signed is the amount of a row in minor units.
func signed(t rapid.TB, row openbanking.Transaction) int64 {
	t.Helper()
	m, err := money.Parse(row.TransactionAmount.Amount, row.TransactionAmount.Currency)
	if err != nil || m.Sign() < 0 {
		t.Fatalf("amount %s: %v", row.TransactionAmount.Amount, err)
	}
	if row.CreditDebitIndicator == openbanking.CreditDebitIndicatorDBIT {
		return -m.Minor()
	}
	return m.Minor()
}

func everyAccount(s *Sandbox, visit func(*Bank, *account)) {
	for _, b := range s.Banks() {
		for _, a := range b.accounts {
			if a.data.Transactions == 0 {
				visit(b, a)
			}
		}
	}
}

func TestLedgersReachTwoYearsBackAndUpToToday(t *testing.T) {
	testkit.Unwatched(t)
	s := builtInBanks()
	everyAccount(s, func(b *Bank, a *account) {
		v := a.rows(testToday.end()).(ledgerView)
		if len(v.entries) == 0 {
			if a.data.Type != openbanking.CashAccountTypeCARD {
				t.Errorf("%s %s: nothing happened", b.Name(), a.data.ID)
			}
			return
		}
		if a.opened > testToday-730 {
			t.Errorf("%s %s: opened %s", b.Name(), a.data.ID, a.opened.date())
		}
		if last := v.entries[len(v.entries)-1].transacted; !a.data.Blocked && last < testToday-45 && b.Name() != "Scenario Payments" { // where nothing but payments happens
			t.Errorf("%s %s: the last row is of %s", b.Name(), a.data.ID, last.date())
		}
	})
}

// The ledger of a day is the beginning of the ledger of every later day, and what is pending books within days, with the same amount.
func TestLedgersGrowAndNeverChange(t *testing.T) {
	s := builtInBanks()
	rapid.Check(t, func(t *rapid.T) {
		b := s.banks[rapid.IntRange(0, len(s.banks)-1).Draw(t, "bank")]
		at := day(rapid.IntRange(int(dayAt(2024, 6, 1)), int(testToday)).Draw(t, "day"))
		later := at + day(rapid.IntRange(0, 40).Draw(t, "days later"))
		early, late := newBankLedgers(b), newBankLedgers(b) // written apart, as on two machines
		late.write(later)
		for _, a := range b.accounts {
			if a.data.Transactions > 0 {
				continue
			}
			v, w := early.view(a, at.end()), late.view(a, later.end())
			again := late.view(a, at.end())
			if len(v.entries) != len(again.entries) || !slices.Equal(v.order, again.order) || !slices.Equal(v.balances, again.balances) {
				t.Fatalf("%s %s: the ledger of %s looks different on %s", b.Name(), a.data.ID, at.date(), later.date())
			}
			for i := range v.entries {
				if !reflect.DeepEqual(v.entries[i], w.entries[i]) || a.entryReference(i, &v.entries[i]) != a.entryReference(i, &w.entries[i]) {
					t.Fatalf("%s %s: row %d changed", b.Name(), a.data.ID, i)
				}
			}
			if !slices.Equal(v.order, w.order[:len(v.order)]) || !slices.Equal(v.balances, w.balances[:len(v.balances)]) {
				t.Fatalf("%s %s: booked rows changed", b.Name(), a.data.ID)
			}
			if later-at < longestWait {
				continue
			}
			for _, i := range v.waiting() {
				if !slices.Contains(w.order, int32(i)) {
					t.Fatalf("%s %s: a pending row of %s never booked", b.Name(), a.data.ID, v.entries[i].transacted.date())
				}
			}
		}
	})
}

// Every figure of an account follows from its rows, to the cent.
func TestBalancesAreTheSumOfTheRows(t *testing.T) {
	testkit.Unwatched(t)
	s := builtInBanks()
	everyAccount(s, func(b *Bank, a *account) {
		var booked, pending, reserved, before int64
		for _, row := range whole(t, a, longest, testToday) {
			if row.TransactionAmount.Currency != a.data.Currency {
				t.Fatalf("%s %s: a row in %s", b.Name(), a.data.ID, row.TransactionAmount.Currency)
			}
			n := signed(t, row)
			switch row.Status {
			case openbanking.TransactionStatusBOOK:
				booked += n
				if *row.BookingDate < testToday.date() {
					before += n
				}
			case openbanking.TransactionStatusPDNG:
				pending += n
				reserved += min(0, n)
			default:
				t.Fatalf("status %s", row.Status)
			}
		}
		if b.data.Habits.NoPending {
			sums := a.rows(testToday.end()).sums()
			pending, reserved = sums.pending, sums.reserved
		}
		limit := int64(0)
		if b.data.Habits.AvailableIncludesLimit || a.data.Type == openbanking.CashAccountTypeCARD {
			limit = a.limit
		}
		want := map[openbanking.BalanceStatus]int64{
			openbanking.BalanceStatusCLBD: booked, openbanking.BalanceStatusITBD: booked, openbanking.BalanceStatusOTHR: booked,
			openbanking.BalanceStatusPRCD: before, openbanking.BalanceStatusOPBD: before, openbanking.BalanceStatusOPAV: before + limit,
			openbanking.BalanceStatusITAV: booked + reserved + limit, openbanking.BalanceStatusCLAV: booked + reserved + limit,
			openbanking.BalanceStatusFWAV: booked + pending + limit,
			openbanking.BalanceStatusXPCD: booked + pending, openbanking.BalanceStatusINFO: reserved,
		}
		list := a.balances(testToday.end())
		if len(list) == 0 {
			t.Errorf("%s %s has no balance", b.Name(), a.data.ID)
		}
		for _, balance := range list {
			if figure, known := want[balance.BalanceType]; known && balance.BalanceAmount != a.amount(figure) {
				t.Errorf("%s %s: %s is %s, the rows say %s", b.Name(), a.data.ID, balance.BalanceType, balance.BalanceAmount.Amount, a.amount(figure).Amount)
			}
			if a.data.Type == openbanking.CashAccountTypeLOAN && available(balance.BalanceType) {
				t.Errorf("%s %s: a loan has %s", b.Name(), a.data.ID, balance.BalanceType)
			}
			if balance.Name == "" || balance.BalanceAmount.Currency != a.data.Currency {
				t.Errorf("%s %s: %+v", b.Name(), a.data.ID, balance)
			}
		}
	})
}

func TestBalanceAfterTransactionIsARunningSum(t *testing.T) {
	testkit.Unwatched(t)
	s := builtInBanks()
	everyAccount(s, func(b *Bank, a *account) {
		if !b.data.Habits.BalanceAfter {
			return
		}
		rows := whole(t, a, aggregator.TransactionQuery{Strategy: openbanking.TransactionsFetchStrategyLongest, Status: openbanking.TransactionStatusBOOK},
			testToday)
		var sum int64
		for _, row := range slices.Backward(rows) {
			sum += signed(t, row)
			if *row.BalanceAfterTransaction != a.amount(sum) {
				t.Fatalf("%s %s on %s: %s, want %s", b.Name(), a.data.ID, *row.BookingDate, row.BalanceAfterTransaction.Amount, a.amount(sum).Amount)
			}
		}
	})
}

// Accounts neither drift away nor run dry in twelve years.
func TestAccountsStayWithinReason(t *testing.T) {
	testkit.Unwatched(t)
	s := builtInBanks()
	for _, name := range []openbanking.ASPSP{{Name: "Seebrücke Bank", Country: "DE"}, {Name: "Bergwerk Kreditanstalt", Country: "DE"},
		{Name: "Norrskensbanken", Country: "SE"}, {Name: "Gintaro Bankas", Country: "LT"}, {Name: MockName, Country: "FI"}} {
		b := bankNamed(t, s, name.Country, name.Name)
		k := newBankLedgers(b)
		k.write(dayAt(2036, 6, 30))
		for _, a := range b.accounts {
			in := max(a.income, a.monthly*int64(max(1, len(a.funders))))
			if a.data.Type == openbanking.CashAccountTypeCACC && in > 0 {
				for _, balance := range k.byAccount[a.index].balances {
					if balance < -a.limit-in || balance > 12*in+a.opening {
						t.Errorf("%s %s: %d with %d a month", b.Name(), a.data.ID, balance, in)
						break
					}
				}
			}
			if last := k.byAccount[a.index].balance(); a.data.Type == openbanking.CashAccountTypeLOAN && (last > 0 || last < a.opening) {
				t.Errorf("%s %s: a loan of %d is now %d", b.Name(), a.data.ID, a.opening, last)
			}
		}
	}
}

// Banks book on business days only, never before the transaction, and money is available in time.
func TestDatesMakeSense(t *testing.T) {
	testkit.Unwatched(t)
	s := builtInBanks()
	var differ, references int
	everyAccount(s, func(b *Bank, a *account) {
		seen := map[string]bool{}
		for i, e := range a.rows(testToday.end()).(ledgerView).entries {
			if a.data.Type != openbanking.CashAccountTypeCASH && a.data.Type != openbanking.CashAccountTypeCARD && e.kind != "opening" && !e.booked.business() {
				t.Fatalf("%s %s: %s books on %s", b.Name(), a.data.ID, e.kind, e.booked.date())
			}
			if e.booked < e.transacted || e.booked > e.transacted+longestWait || e.valued < e.transacted || e.amount == 0 && e.kind != "opening" {
				t.Fatalf("%s %s: %+v", b.Name(), a.data.ID, e)
			}
			if e.valued != e.booked && e.booked != e.transacted {
				differ++
			}
			if r := a.entryReference(i, &e); r != "" {
				references++
				if seen[r] {
					t.Fatalf("%s %s: the entry reference %s is there twice", b.Name(), a.data.ID, r)
				}
				seen[r] = true
			}
			if len(e.text) == 0 {
				t.Fatalf("%s %s: a row of kind %s without text", b.Name(), a.data.ID, e.kind)
			}
			if isoCodes[e.kind][0] == "" || countryOf(b.Country()).word(e.kind) == "" {
				t.Fatalf("the kind %q has no words", e.kind)
			}
		}
	})
	if differ == 0 || references == 0 {
		t.Errorf("%d rows with three dates, %d references", differ, references)
	}
}

// A transfer between own accounts has two legs: equal amounts, or equal at the rate of exchange, and the same reference.
func TestTransfersHaveTwoLegs(t *testing.T) {
	s := builtInBanks()
	legs, exchanged := 0, 0
	everyAccount(s, func(b *Bank, a *account) {
		for _, e := range a.rows(testToday.end()).(ledgerView).entries {
			if e.other == nil {
				continue
			}
			legs++
			match := 0
			for _, o := range e.other.rows(testToday.end()).(ledgerView).entries {
				if o.other != a || o.transacted != e.transacted || o.text[1] != e.text[1] {
					continue
				}
				match++
				want := -e.amount
				if e.exchange != nil {
					exchanged++
					want = e.exchange.original
					if e.amount > 0 {
						want = -want
					}
				}
				if o.amount != want {
					t.Fatalf("%s: %d in %s, %d in %s", b.Name(), e.amount, a.data.ID, o.amount, e.other.data.ID)
				}
			}
			if match != 1 {
				t.Fatalf("%s %s on %s: %d other legs", b.Name(), a.data.ID, e.transacted.date(), match)
			}
		}
	})
	if legs == 0 || exchanged == 0 {
		t.Errorf("%d legs, %d with an exchange", legs, exchanged)
	}
}

// Every optional field of a transaction occurs somewhere (issue: rich in the optional fields), but for the PSU's own note.
func TestOptionalFieldsOccur(t *testing.T) {
	testkit.Unwatched(t)
	s := builtInBanks()
	occurs := map[string]int{}
	kinds := map[string]bool{}
	everyAccount(s, func(_ *Bank, a *account) {
		v := a.rows(testToday.end()).(ledgerView)
		for i := range v.entries {
			kinds[v.entries[i].kind] = true
		}
		for _, row := range whole(t, a, aggregator.TransactionQuery{DateFrom: (testToday - 200).date()}, testToday) {
			if row.TransactionID != nil {
				detail, ok := v.find(*row.TransactionID)
				if !ok {
					t.Fatalf("no details of %s", *row.TransactionID)
				}
				if detail.EntryReference != nil && row.EntryReference != nil && *detail.EntryReference != *row.EntryReference ||
					detail.TransactionAmount != row.TransactionAmount {
					t.Fatalf("the details are of another row: %+v", detail)
				}
			}
			fields := reflect.ValueOf(row)
			for i := range fields.NumField() {
				if !fields.Field(i).IsZero() {
					occurs[fields.Type().Field(i).Name]++
				}
			}
		}
	})
	fields := reflect.TypeFor[openbanking.Transaction]()
	for i := range fields.NumField() {
		if name := fields.Field(i).Name; occurs[name] == 0 && name != "Note" {
			t.Errorf("%s never occurs", name)
		}
	}
	paid := []string{"transfer", "instant", "standing", "crossborder", "internal", "domestic"} // by payments alone
	for kind := range isoCodes {
		if !kinds[kind] && !slices.Contains(paid, kind) {
			t.Errorf("nothing of kind %s ever happens", kind)
		}
	}
}

// spec: GET /accounts/{account_id}/transactions: date_from and date_to are inclusive; transaction_status filters; the pages
// together are the whole listing, newest first, whatever the size of a page.
func TestListingsFilterAndPage(t *testing.T) {
	s := builtInBanks()
	b := bankNamed(t, s, "DE", "Seebrücke Bank")
	size := b.data.PageSize
	t.Cleanup(func() { b.data.PageSize = size })
	for _, a := range b.accounts {
		b.data.PageSize = maxPageSize
		all := whole(t, a, longest, testToday)
		rapid.Check(t, func(t *rapid.T) {
			b.data.PageSize = rapid.IntRange(1, 120).Draw(t, "page size")
			today := testToday
			query := aggregator.TransactionQuery{
				Status: rapid.SampledFrom([]openbanking.TransactionStatus{"", openbanking.TransactionStatusBOOK, openbanking.TransactionStatusPDNG,
					openbanking.TransactionStatusRJCT}).Draw(t, "status"),
				Strategy: rapid.SampledFrom([]openbanking.TransactionsFetchStrategy{"", openbanking.TransactionsFetchStrategyDefault,
					openbanking.TransactionsFetchStrategyLongest}).Draw(t, "strategy"),
			}
			from, to := today-90, today
			if query.Strategy == openbanking.TransactionsFetchStrategyLongest {
				from = 0
			}
			if rapid.Bool().Draw(t, "date_from") {
				from = today - day(rapid.IntRange(0, 900).Draw(t, "from"))
				query.DateFrom = from.date()
				if rapid.Bool().Draw(t, "date_to") {
					end := from + day(rapid.IntRange(0, 400).Draw(t, "length"))
					query.DateTo = end.date()
					if query.Strategy != openbanking.TransactionsFetchStrategyLongest {
						to = min(end, today)
					}
				}
			}
			var want []openbanking.Transaction
			for _, row := range all {
				on := row.TransactionDate
				if row.Status == openbanking.TransactionStatusBOOK {
					on = row.BookingDate
				}
				if *on >= from.date() && *on <= to.date() && (query.Status == "" || query.Status == row.Status) {
					want = append(want, row)
				}
			}
			got := whole(t, a, query, today)
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("%d rows, want %d", len(got), len(want))
			}
			for i := 1; i < len(got); i++ {
				if got[i].Status == openbanking.TransactionStatusPDNG && got[i-1].Status == openbanking.TransactionStatusBOOK ||
					got[i].Status == got[i-1].Status && got[i].BookingDate != nil && *got[i].BookingDate > *got[i-1].BookingDate {
					t.Fatal("not newest first")
				}
			}
		})
	}
}

// A listing that began yesterday goes on as it was: new rows shift nothing.
func TestPagesAreStableWhileRowsAreAdded(t *testing.T) {
	s := builtInBanks()
	a := bankNamed(t, s, "FI", MockName).accounts[0]
	query := longest
	want := whole(t, a, query, testToday)
	var got []openbanking.Transaction
	for today := testToday; ; today++ {
		page, err := a.page(query, today.end())
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, page.Transactions...)
		if query.Cursor = page.Next; page.Next == "" {
			break
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%d rows, want %d", len(got), len(want))
	}
}

// A card payment is not known before the time that it tells, in lists, details and balances alike. It is listed from then on, and a listing that
// began before goes on without it.
func TestNothingIsListedBeforeItsTime(t *testing.T) {
	s := builtInBanks()
	tells := regexp.MustCompile(` (\d{4}-\d{2}-\d{2}) (\d{2}):(\d{2})$`)
	checked := 0
	everyAccount(s, func(b *Bank, a *account) {
		query := aggregator.TransactionQuery{DateFrom: (testToday - longestWait).date(), Status: openbanking.TransactionStatusPDNG}
		for on := testToday - 10; on <= testToday; on++ {
			for _, row := range whole(t, a, query, on) {
				m := tells.FindStringSubmatch(row.RemittanceInformation[len(row.RemittanceInformation)-1])
				if m == nil || m[1] != string(on.date()) {
					continue
				}
				checked++
				hour, _ := strconv.Atoi(m[2])
				minute, _ := strconv.Atoi(m[3])
				at := on.at(hour*60 + minute)
				lists := func(now moment) bool {
					page, err := a.page(query, now)
					if err != nil || page.Next != "" {
						t.Fatalf("%s %s: %v, next %q", b.Name(), a.data.ID, err, page.Next)
					}
					return slices.ContainsFunc(page.Transactions, func(r openbanking.Transaction) bool { return reflect.DeepEqual(r, row) })
				}
				if lists(at-1) || !lists(at) {
					t.Fatalf("%s %s: %q is listed a minute before: %t, at its time: %t", b.Name(), a.data.ID, m[0], lists(at-1), lists(at))
				}
				if row.TransactionID != nil {
					_, before := a.rows(at - 1).find(*row.TransactionID)
					if _, then := a.rows(at).find(*row.TransactionID); before || !then {
						t.Fatalf("%s %s: %q has details a minute before: %t, at its time: %t", b.Name(), a.data.ID, m[0], before, then)
					}
				}
				var before, then int64 // the same as the balances say
				for _, r := range wholeAt(t, a, query, at-1) {
					before += signed(t, r)
				}
				for _, r := range wholeAt(t, a, query, at) {
					then += signed(t, r)
				}
				if a.rows(at-1).sums().pending != before || a.rows(at).sums().pending != then || before == then {
					t.Fatalf("%s %s: %d pending, then %d, the rows say %d and %d", b.Name(), a.data.ID, a.rows(at-1).sums().pending, a.rows(at).sums().pending, before, then)
				}
			}
		}
	})
	if checked == 0 {
		t.Error("no row tells a time")
	}
}

func TestPagesAreStableWhileTheDayGoesOn(t *testing.T) {
	testkit.Unwatched(t)
	s := builtInBanks()
	grown := false
	everyAccount(s, func(b *Bank, a *account) {
		query := aggregator.TransactionQuery{DateFrom: (testToday - 300).date()}
		want := wholeAt(t, a, query, testToday.at(0))
		grown = grown || len(whole(t, a, query, testToday)) > len(want)
		var got []openbanking.Transaction
		for now := testToday.at(0); ; now = testToday.end() {
			page, err := a.page(query, now)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, page.Transactions...)
			if query.Cursor = page.Next; page.Next == "" {
				break
			}
		}
		if len(got) != len(want) || len(want) > 0 && !reflect.DeepEqual(got, want) {
			t.Errorf("%s %s: %d rows, want %d", b.Name(), a.data.ID, len(got), len(want))
		}
	})
	if !grown {
		t.Error("no row came during the day: this proves nothing")
	}
}

func TestWrongCursorsAndDatesAreRefused(t *testing.T) {
	s := builtInBanks()
	a := bankNamed(t, s, "FI", MockName).accounts[0]
	for name, test := range map[string]struct {
		query aggregator.TransactionQuery
		want  openbanking.ErrorCode
	}{
		"garbage":   {aggregator.TransactionQuery{Cursor: "!!"}, openbanking.WrongContinuationKey},
		"tomorrow":  {aggregator.TransactionQuery{Cursor: cursor{(testToday + 1).end(), 0}.String()}, openbanking.WrongContinuationKey},
		"beyond":    {aggregator.TransactionQuery{Cursor: cursor{testToday.end(), 1 << 30}.String()}, openbanking.WrongContinuationKey},
		"date_from": {aggregator.TransactionQuery{DateFrom: "2026-02-30"}, openbanking.WrongRequestParameters},
		"date_to":   {aggregator.TransactionQuery{DateFrom: "2026-02-01", DateTo: "soon"}, openbanking.WrongRequestParameters},
	} {
		if _, err := a.page(test.query, testToday.end()); !isCode(err, test.want) {
			t.Errorf("%s: %v, want %s", name, err, test.want)
		}
	}
}

func TestBooksAreKeptWithinBounds(t *testing.T) {
	s, _ := newTest(t, "")
	for range 2 {
		for _, b := range s.banks {
			if b.accounts[0].data.Transactions == 0 {
				b.accounts[0].rows((b.accounts[0].opened + 5).end())
			}
		}
	}
	if n := s.ledgers.used.Len(); n != maxLedgers || len(s.ledgers.banks) != maxLedgers {
		t.Errorf("%d ledgers, %d known, want %d", n, len(s.ledgers.banks), maxLedgers)
	}
}

func TestBusinessDays(t *testing.T) {
	for text, want := range map[openbanking.Date]bool{
		"2026-11-20": true, "2026-11-21": false, "2026-11-22": false, "2026-01-01": false, "2026-05-01": false, "2026-12-25": false, "2026-12-26": false,
		"2026-04-03": false, "2026-04-06": false, "2026-04-07": true, "2025-04-18": false, "2025-04-21": false, "2024-03-29": false, "2024-04-01": false,
		"2024-12-24": true,
	} {
		d, ok := parseDay(text)
		if !ok || d.business() != want || d.date() != text {
			t.Errorf("%s: business %t", text, d.business())
		}
	}
}

func FuzzParseCursor(f *testing.F) {
	f.Add(cursor{testToday.end(), 500}.String())
	f.Add("")
	f.Add("AQ")
	f.Fuzz(func(t *testing.T, text string) {
		if c, ok := parseCursor(text); ok && (c.String() != text || c.offset < 0 || c.asOf < 0) {
			t.Errorf("%q reads as %+v", text, c)
		}
	})
}
