package server_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"florin/internal/aggregator/sandbox"
	"florin/internal/contract/walk"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/testkit"
)

// friday is when the tests of scenarios take place: in the evening, when card payments of the week are pending.
var friday = time.Date(2027, 1, 15, 22, 40, 0, 0, time.UTC)

// at puts the clock of the service to a time.
func (s *service) at(when time.Time) { s.clock.Advance(when.Sub(s.clock.Now())) }

// during makes the helpers fail a subtest; the function that it returns gives them back.
func (s *service) during(t *testing.T) func() {
	outer := s.t
	s.t = t
	return func() { s.t = outer }
}

// builtIn are the banks of the built-in catalogue, read once.
var builtIn = sync.OnceValues(func() (*sandbox.Sandbox, error) {
	return sandbox.New(sandbox.Options{BaseURL: "http://localhost", Flows: struct{ sandbox.FlowStore }{}})
})

// scenarioList is what the built-in catalogue has.
func scenarioList(t *testing.T) []sandbox.Scenario {
	t.Helper()
	banks, err := builtIn()
	if err != nil {
		t.Fatal(err)
	}
	return banks.Scenarios()
}

// meet links the bank of a scenario as the user who has it.
func (s *service) meet(name string) openbanking.AuthorizeSessionResponse {
	s.t.Helper()
	for _, scenario := range scenarioList(s.t) {
		if scenario.Name != name {
			continue
		}
		for _, place := range scenario.Places {
			if place.User.Username != "" {
				return s.linkAs(place.Bank.ASPSP().Reference(), walk.Person{Username: place.User.Username, Password: place.User.Password, Code: place.User.OTP})
			}
		}
	}
	s.t.Fatalf("no user has the scenario %s", name)
	return openbanking.AuthorizeSessionResponse{}
}

// linkAs links a bank as one of its users, with every account.
func (s *service) linkAs(bank openbanking.ASPSP, person walk.Person) openbanking.AuthorizeSessionResponse {
	s.t.Helper()
	start := s.begin(openbanking.ASPSPData{Name: bank.Name, Country: bank.Country}, "s", callback)
	back, err := walk.New(nil).Approve(s.t.Context(), start, person)
	if err != nil {
		s.t.Fatal(err)
	}
	status, session := s.redeem(back.Query().Get("code"))
	if status != 200 {
		s.t.Fatalf("POST /sessions: status %d", status)
	}
	return session
}

// attended are the PSU headers of somebody who is there.
var attended = http.Header{"Psu-Ip-Address": {"192.0.2.7"}}

// answered is an answer of the API.
type answered struct {
	status int
	text   string
}

// into decodes an answer.
func into[T any](t *testing.T, a answered) T {
	t.Helper()
	var value T
	if err := json.Unmarshal([]byte(a.text), &value); err != nil {
		t.Fatalf("%s: %v", a.text, err)
	}
	return value
}

// get calls the API with more headers, which may be nil.
func (s *service) get(path string, more http.Header) answered {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.url+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	if more != nil {
		request.Header = more.Clone()
	}
	request.Header.Set("Authorization", "Bearer "+s.token)
	response, err := s.client.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answered{response.StatusCode, string(text)}
}

// refusal fails unless an answer is an error with this status, code and a part of its detail.
func refusal(t *testing.T, got answered, status int, code openbanking.ErrorCode, detail string) {
	t.Helper()
	var body struct {
		Code    int                   `json:"code"`
		Message string                `json:"message"`
		Error   openbanking.ErrorCode `json:"error"`
		Detail  json.RawMessage       `json:"detail"`
	}
	if err := json.Unmarshal([]byte(got.text), &body); err != nil || got.status != status || body.Code != status || body.Error != code ||
		body.Message == "" || !strings.Contains(string(body.Detail), detail) {
		t.Errorf("%d %s, want %d %s with %q", got.status, got.text, status, code, detail)
	}
}

// pagesOf fetches a listing, at most so many pages of it.
func (s *service) pagesOf(uid, query string, most int) (pages []openbanking.HalTransactions) {
	s.t.Helper()
	key := ""
	for range most {
		got := s.get("/accounts/"+uid+"/transactions?"+query+key, nil)
		if got.status != 200 {
			s.t.Fatalf("page %d: %d %s", len(pages)+1, got.status, got.text)
		}
		page := into[openbanking.HalTransactions](s.t, got)
		pages = append(pages, page)
		if page.ContinuationKey == nil {
			return pages
		}
		key = "&continuation_key=" + url.QueryEscape(*page.ContinuationKey)
	}
	return pages
}

// rows are the rows of a whole listing.
func (s *service) rows(uid, query string) (rows []openbanking.Transaction) {
	s.t.Helper()
	for _, page := range s.pagesOf(uid, query, 200) {
		rows = append(rows, page.Transactions...)
	}
	return rows
}

// split separates booked from pending rows.
func split(t *testing.T, rows []openbanking.Transaction) (booked, pending []openbanking.Transaction) {
	t.Helper()
	for _, row := range rows {
		if row.Status == openbanking.TransactionStatusBOOK {
			booked = append(booked, row)
		} else {
			pending = append(pending, row)
		}
	}
	if len(booked) < 100 {
		t.Fatalf("%d rows are booked", len(booked))
	}
	return booked, pending
}

// busy waits for a day on which something is pending, and returns the rows of that day.
func (s *service) busy(uid string) (booked, pending []openbanking.Transaction) {
	s.t.Helper()
	for n := range 14 {
		s.at(friday.AddDate(0, 0, n))
		if booked, pending = split(s.t, s.rows(uid, whole)); len(pending) > 0 {
			return booked, pending
		}
	}
	s.t.Fatal("nothing is pending for two weeks")
	return nil, nil
}

// total adds up rows, by their direction.
func total(t *testing.T, rows []openbanking.Transaction) int64 {
	t.Helper()
	var sum int64
	for _, row := range rows {
		m, err := money.Parse(row.TransactionAmount.Amount, row.TransactionAmount.Currency)
		if err != nil {
			t.Fatal(err)
		}
		if row.CreditDebitIndicator == openbanking.CreditDebitIndicatorDBIT {
			m = m.Abs().Neg()
		}
		sum += m.Minor()
	}
	return sum
}

// booked is the booked balance of an account.
func (s *service) booked(uid string) int64 {
	s.t.Helper()
	for _, b := range into[openbanking.HalBalances](s.t, s.get("/accounts/"+uid+"/balances", nil)).Balances {
		if b.BalanceType == openbanking.BalanceStatusCLBD {
			m, err := money.Parse(b.BalanceAmount.Amount, b.BalanceAmount.Currency)
			if err != nil {
				s.t.Fatal(err)
			}
			return m.Minor()
		}
	}
	s.t.Fatal("no booked balance")
	return 0
}

func references(rows []openbanking.Transaction) (list []string) {
	for _, row := range rows {
		reference := ""
		if row.EntryReference != nil {
			reference = *row.EntryReference
		}
		list = append(list, reference)
	}
	return list
}

// distinct counts different texts.
func distinct(list []string) int { return len(slices.Compact(slices.Sorted(slices.Values(list)))) }

const whole = "strategy=longest"

func day(n int) string { return string(openbanking.DateOf(friday.AddDate(0, 0, n))) }

// data are the calls for data of an account.
var data = []string{"details", "balances", "transactions"}

// everyCall is a check of a scenario in which every call for data is refused.
func everyCall(status int, code openbanking.ErrorCode, detail string) func(*testing.T, *service, openbanking.AuthorizeSessionResponse) {
	return func(t *testing.T, s *service, session openbanking.AuthorizeSessionResponse) {
		for _, call := range data {
			refusal(t, s.get("/accounts/"+*session.Accounts[0].UID+"/"+call, nil), status, code, detail)
		}
	}
}

// eachRow is a check of every row, booked and pending.
func eachRow(right func(row openbanking.Transaction) bool) func(*testing.T, *service, openbanking.AuthorizeSessionResponse) {
	return func(t *testing.T, s *service, session openbanking.AuthorizeSessionResponse) {
		rows := s.rows(*session.Accounts[0].UID, whole)
		booked := slices.DeleteFunc(slices.Clone(rows), func(row openbanking.Transaction) bool { return row.Status != openbanking.TransactionStatusBOOK })
		if len(booked) < 100 {
			t.Fatalf("%d rows are booked", len(booked))
		}
		for _, row := range rows {
			if !right(row) {
				text, _ := json.Marshal(row)
				t.Fatalf("%s", text)
			}
		}
		if sum, balance := total(t, booked), s.booked(*session.Accounts[0].UID); sum != balance {
			t.Errorf("the rows add up to %d, the balance is %d", sum, balance)
		}
	}
}

// onlyBalances is a check of the types of balances.
func onlyBalances(types ...openbanking.BalanceStatus) func(*testing.T, *service, openbanking.AuthorizeSessionResponse) {
	return func(t *testing.T, s *service, session openbanking.AuthorizeSessionResponse) {
		got := s.get("/accounts/"+*session.Accounts[0].UID+"/balances", nil)
		var found []openbanking.BalanceStatus
		for _, b := range into[openbanking.HalBalances](t, got).Balances {
			found = append(found, b.BalanceType)
		}
		if got.status != 200 || !slices.Equal(found, types) || strings.Contains(got.text, `"balances":null`) {
			t.Errorf("%d %s", got.status, got.text)
		}
	}
}

func name(party *openbanking.PartyIdentification) string {
	if party == nil || party.Name == nil {
		return ""
	}
	return *party.Name
}

// checks has what each scenario is about (api-notes 10).
var checks = map[string]func(t *testing.T, s *service, session openbanking.AuthorizeSessionResponse){
	"references-missing": eachRow(func(row openbanking.Transaction) bool { return row.EntryReference == nil && row.TransactionID == nil }),
	"references-positional": func(t *testing.T, s *service, session openbanking.AuthorizeSessionResponse) {
		for i, reference := range references(s.rows(*session.Accounts[0].UID, whole)) {
			if reference != strconv.Itoa(i+1) {
				t.Fatalf("row %d has %s", i+1, reference)
			}
		}
		if list := references(s.rows(*session.Accounts[0].UID, "date_from="+day(-40)+"&date_to="+day(-30))); len(list) == 0 || list[0] != "1" {
			t.Errorf("another period begins with %v", list)
		}
	},
	"references-change": func(t *testing.T, s *service, session openbanking.AuthorizeSessionResponse) {
		_, pending := s.busy(*session.Accounts[0].UID)
		s.clock.Advance(6 * 24 * time.Hour)
		later, _ := split(t, s.rows(*session.Accounts[0].UID, whole))
		for _, row := range pending {
			same := slices.ContainsFunc(later, func(b openbanking.Transaction) bool {
				return *b.TransactionDate == *row.TransactionDate && b.TransactionAmount == row.TransactionAmount && name(b.Creditor) == name(row.Creditor)
			})
			if !same || slices.Contains(references(later), *row.EntryReference) {
				t.Errorf("%s: booked %v, or under the same reference", *row.EntryReference, same)
			}
		}
	},
	"references-per-session": func(t *testing.T, s *service, session openbanking.AuthorizeSessionResponse) {
		first, again := references(s.rows(*session.Accounts[0].UID, whole)), references(s.rows(*session.Accounts[0].UID, whole))
		other := references(s.rows(*s.meet("references-per-session").Accounts[0].UID, whole))
		if !slices.Equal(first, again) || len(other) != len(first) || distinct(slices.Concat(first, other)) != 2*len(first) {
			t.Error("references are not those of the session")
		}
	},
	"references-per-fetch": func(t *testing.T, s *service, session openbanking.AuthorizeSessionResponse) {
		first := references(s.rows(*session.Accounts[0].UID, whole))
		again := references(s.rows(*session.Accounts[0].UID, whole))
		if len(first) != len(again) || distinct(slices.Concat(first, again)) != 2*len(first) {
			t.Error("references are not new at each call")
		}
	},
	"references-shared": func(t *testing.T, s *service, session openbanking.AuthorizeSessionResponse) {
		booked, _ := split(t, s.rows(*session.Accounts[0].UID, whole))
		amounts := map[string][]string{}
		for i, reference := range references(booked) {
			amounts[reference] = append(amounts[reference], fmt.Sprint(total(t, booked[i:i+1])))
		}
		shared := 0
		for reference, list := range amounts {
			if distinct(list) != len(list) || len(list) > 2 {
				t.Errorf("%s has the amounts %v", reference, list)
			}
			shared += len(list) - 1
		}
		if shared < len(booked)/3 || total(t, booked) != s.booked(*session.Accounts[0].UID) {
			t.Errorf("%d of %d rows share a reference", shared, len(booked))
		}
	},
	"references-twice": func(t *testing.T, s *service, session openbanking.AuthorizeSessionResponse) {
		booked, _ := split(t, s.rows(*session.Accounts[0].UID, whole))
		twice := 0
		for i := 1; i < len(booked); i++ {
			if *booked[i].EntryReference == *booked[i-1].EntryReference+"X" {
				twice++
				if booked[i].TransactionAmount != booked[i-1].TransactionAmount {
					t.Error("the copy is another row")
				}
			}
		}
		if twice < len(booked)/5 || distinct(references(booked)) != len(booked) {
			t.Errorf("%d of %d rows came twice", twice, len(booked))
		}
	},
	"references-zero": func(t *testing.T, s *service, session openbanking.AuthorizeSessionResponse) {
		booked, pending := s.busy(*session.Accounts[0].UID)
		if distinct(references(pending)) != 1 || *pending[0].EntryReference != "0" || distinct(references(booked)) != len(booked) {
			t.Errorf("%v", references(pending))
		}
	},
	"booking-resent": func(t *testing.T, s *service, session openbanking.AuthorizeSessionResponse) {
		booked, pending := s.busy(*session.Accounts[0].UID)
		again := 0
		lately := openbanking.DateOf(s.clock.Now().AddDate(0, 0, -2))
		for _, row := range pending {
			i := slices.IndexFunc(booked, func(b openbanking.Transaction) bool { return *b.EntryReference == *row.EntryReference })
			if i < 0 {
				continue
			}
			if again++; row.BookingDate != nil || *booked[i].BookingDate < lately || booked[i].TransactionAmount != row.TransactionAmount {
				t.Errorf("%+v", row)
			}
		}
		if again == 0 {
			t.Error("nothing comes again")
		}
	},
	"pages-overlap": func(t *testing.T, s *service, session openbanking.AuthorizeSessionResponse) {
		pages := s.pagesOf(*session.Accounts[0].UID, whole, 200)
		for i := 1; i < len(pages); i++ {
			before, now := references(pages[i-1].Transactions), references(pages[i].Transactions)
			if !slices.Equal(before[len(before)-3:], now[:3]) {
				t.Fatalf("page %d begins with %v after %v", i+1, now[:3], before[len(before)-3:])
			}
		}
		byReference := map[string]openbanking.Transaction{}
		var once []openbanking.Transaction
		for _, page := range pages {
			for _, row := range page.Transactions {
				if _, known := byReference[*row.EntryReference]; !known && row.Status == openbanking.TransactionStatusBOOK {
					byReference[*row.EntryReference] = row
					once = append(once, row)
				}
			}
		}
		if len(pages) < 10 || total(t, once) != s.booked(*session.Accounts[0].UID) {
			t.Errorf("%d pages; the rows do not add up", len(pages))
		}
	},
	"pages-circle": func(t *testing.T, s *service, session openbanking.AuthorizeSessionResponse) {
		pages := s.pagesOf(*session.Accounts[0].UID, whole, 5)
		if len(pages) != 5 || *pages[0].ContinuationKey != *pages[1].ContinuationKey || *pages[1].ContinuationKey != *pages[4].ContinuationKey {
			t.Fatal("the same page has another key")
		}
		if !slices.Equal(references(pages[1].Transactions), references(pages[4].Transactions)) ||
			references(pages[0].Transactions)[0] == references(pages[1].Transactions)[0] {
			t.Error("the second page does not come again")
		}
	},
	"pages-empty": func(t *testing.T, s *service, session openbanking.AuthorizeSessionResponse) {
		pages := s.pagesOf(*session.Accounts[0].UID, whole, 200)
		var rows []openbanking.Transaction
		empty := 0
		for i, page := range pages {
			rows = append(rows, page.Transactions...)
			if len(page.Transactions) == 0 {
				empty++
			} else if i < 2 {
				t.Error("the first pages are not empty")
			}
		}
		booked, _ := split(t, rows)
		if empty < 10 || len(pages[len(pages)-1].Transactions) == 0 || total(t, booked) != s.booked(*session.Accounts[0].UID) {
			t.Errorf("%d of %d pages are empty, or rows are missing", empty, len(pages))
		}
	},
	"dates-pending-none": func(t *testing.T, s *service, session openbanking.AuthorizeSessionResponse) {
		booked, pending := s.busy(*session.Accounts[0].UID)
		for _, row := range slices.Concat(booked, pending) {
			none := row.BookingDate == nil && row.ValueDate == nil && row.TransactionDate == nil
			if none != (row.Status == openbanking.TransactionStatusPDNG) {
				t.Errorf("%+v", row)
			}
		}
	},
	"dates-transaction-only": eachRow(func(row openbanking.Transaction) bool {
		return row.BookingDate == nil && row.ValueDate == nil && row.TransactionDate != nil
	}),
	"dates-ignored": func(t *testing.T, s *service, session openbanking.AuthorizeSessionResponse) {
		uid := *session.Accounts[0].UID
		all := references(s.rows(uid, whole))
		if narrow := references(s.rows(uid, "date_from="+day(-10)+"&date_to="+day(-5))); !slices.Equal(all, narrow) {
			t.Errorf("%d rows, then %d", len(all), len(narrow))
		}
	},
	"status-refused": func(t *testing.T, s *service, session openbanking.AuthorizeSessionResponse) {
		path := "/accounts/" + *session.Accounts[0].UID + "/transactions"
		refusal(t, s.get(path+"?transaction_status=PDNG", nil), 400, openbanking.ASPSPError, "not supported")
		for _, query := range []string{"", "?transaction_status=BOOK"} {
			if got := s.get(path+query, nil); got.status != 200 {
				t.Errorf("%s: %d %s", query, got.status, got.text)
			}
		}
	},
	"statuses-all": func(t *testing.T, s *service, session openbanking.AuthorizeSessionResponse) {
		uid := *session.Accounts[0].UID
		counted := map[openbanking.TransactionStatus]int{}
		for _, row := range s.rows(uid, whole) {
			counted[row.Status]++
			if made := row.Status == openbanking.TransactionStatusBOOK; made != (row.BookingDate != nil) {
				t.Errorf("%s has the booking date %v", row.Status, row.BookingDate)
			}
			if row.Status == openbanking.TransactionStatusSCHD && (row.ValueDate == nil || *row.ValueDate <= openbanking.Date(day(0))) {
				t.Errorf("scheduled for %v", row.ValueDate)
			}
		}
		for _, status := range openbanking.TransactionStatus("").Values() {
			several := status == openbanking.TransactionStatusBOOK || status == openbanking.TransactionStatusPDNG
			if counted[status] == 0 || !several && counted[status] != 1 {
				t.Errorf("%d rows are %s", counted[status], status)
			}
			found := s.rows(uid, whole+"&transaction_status="+string(status))
			other := slices.ContainsFunc(found, func(row openbanking.Transaction) bool { return row.Status != status })
			if len(found) != counted[status] || other {
				t.Errorf("%d rows of %d are found by %s, others among them: %v", len(found), counted[status], status, other)
			}
		}
		if before := s.rows(uid, "date_from="+day(-20)+"&date_to="+day(-10)+"&transaction_status=HOLD"); len(before) != 0 {
			t.Errorf("on hold before today: %+v", before)
		}
		booked, _ := split(t, s.rows(uid, whole))
		if total(t, booked) != s.booked(uid) {
			t.Error("the booked rows do not add up")
		}
	},
	"period-90-days": func(t *testing.T, s *service, session openbanking.AuthorizeSessionResponse) {
		checkWall(t, s, *session.Accounts[0].UID)
	},
	"period-one-hour": func(t *testing.T, s *service, session openbanking.AuthorizeSessionResponse) {
		uid := *session.Accounts[0].UID
		s.at(friday.Add(59 * time.Minute))
		defer s.at(friday)
		booked, _ := split(t, s.rows(uid, whole))
		if total(t, booked) != s.booked(uid) {
			t.Error("the history is not whole")
		}
		s.at(friday.Add(61 * time.Minute))
		checkWall(t, s, uid)
	},
	"period-unnamed": func(t *testing.T, s *service, session openbanking.AuthorizeSessionResponse) {
		path := "/accounts/" + *session.Accounts[0].UID + "/transactions?"
		for _, query := range []string{whole, "date_from=" + day(-90), whole + "&date_from=" + day(-90), "date_from=" + day(-300) + "&date_to=" + day(-200)} {
			got := s.get(path+query, nil)
			refusal(t, got, 422, openbanking.WrongTransactionsPeriod, "out of bound")
			if strings.Contains(got.text, "date_from") {
				t.Error(got.text)
			}
		}
		for _, query := range []string{"", "date_from=" + day(-89), whole + "&date_from=" + day(-89), "date_from=" + day(-300) + "&date_to=" + day(-211)} {
			if got := s.get(path+query, nil); got.status != 200 {
				t.Errorf("%s: %d %s", query, got.status, got.text)
			}
		}
	},
	"period-breaks": func(t *testing.T, s *service, session openbanking.AuthorizeSessionResponse) {
		path := "/accounts/" + *session.Accounts[0].UID + "/transactions?"
		refusal(t, s.get(path+whole, nil), 400, openbanking.ASPSPError, "Internal server error")
		if got := s.get(path+"date_from="+day(-89), nil); got.status != 200 {
			t.Errorf("%d %s", got.status, got.text)
		}
	},
	"amounts-signed": eachRow(func(row openbanking.Transaction) bool {
		return strings.HasPrefix(row.TransactionAmount.Amount, "-") == (row.CreditDebitIndicator == openbanking.CreditDebitIndicatorDBIT)
	}),
	"amounts-short": func(t *testing.T, s *service, session openbanking.AuthorizeSessionResponse) {
		form := regexp.MustCompile(`^\d+(\.\d*[1-9])?$`)
		seen := map[int]bool{}
		eachRow(func(row openbanking.Transaction) bool {
			_, decimals, _ := strings.Cut(row.TransactionAmount.Amount, ".")
			seen[len(decimals)] = true
			return form.MatchString(row.TransactionAmount.Amount)
		})(t, s, session)
		if !seen[0] || !seen[1] || !seen[2] {
			t.Errorf("decimals %v", seen)
		}
	},
	"amounts-change": func(t *testing.T, s *service, session openbanking.AuthorizeSessionResponse) {
		_, pending := s.busy(*session.Accounts[0].UID)
		s.clock.Advance(6 * 24 * time.Hour)
		later, _ := split(t, s.rows(*session.Accounts[0].UID, whole))
		changed := 0
		for i, row := range pending {
			for j, b := range later {
				if *b.EntryReference == *row.EntryReference && row.CreditDebitIndicator == openbanking.CreditDebitIndicatorDBIT {
					if changed++; total(t, later[j:j+1]) <= total(t, pending[i:i+1]) {
						t.Errorf("%s pending, %s booked", row.TransactionAmount.Amount, b.TransactionAmount.Amount)
					}
				}
			}
		}
		if changed == 0 {
			t.Error("nothing was booked")
		}
	},
	"rates-spot": func(t *testing.T, s *service, session openbanking.AuthorizeSessionResponse) {
		converted := 0
		eachRow(func(row openbanking.Transaction) bool {
			x := row.ExchangeRate
			if x == nil {
				return true
			}
			converted++
			return x.RateType != nil && *x.RateType == openbanking.RateTypeSPOT && x.ContractIdentification != nil &&
				x.InstructedAmount.Currency != row.TransactionAmount.Currency
		})(t, s, session)
		if converted == 0 {
			t.Error("nothing was converted")
		}
	},
	"merchant-in-address": func(t *testing.T, s *service, session openbanking.AuthorizeSessionResponse) {
		lines := 0
		eachRow(func(row openbanking.Transaction) bool {
			if row.Creditor != nil && row.Creditor.PostalAddress != nil {
				lines += len(row.Creditor.PostalAddress.AddressLine)
			}
			return name(row.Creditor) == "" && name(row.Debtor) == ""
		})(t, s, session)
		if lines < 100 {
			t.Errorf("%d address lines", lines)
		}
	},
	"own-side": func(t *testing.T, s *service, session openbanking.AuthorizeSessionResponse) {
		holder := *session.Accounts[0].Name
		number := *session.Accounts[0].AccountID.IBAN
		eachRow(func(row openbanking.Transaction) bool {
			party, account := row.Creditor, row.CreditorAccount
			if row.CreditDebitIndicator == openbanking.CreditDebitIndicatorCRDT {
				party, account = row.Debtor, row.DebtorAccount
			}
			return name(party) == holder && account.Other.Identification == number[len(number)-4:] && account.Other.SchemeName == openbanking.SchemeNameCPAN
		})(t, s, session)
	},
	"creditor-empty": eachRow(func(row openbanking.Transaction) bool {
		return row.Creditor != nil && row.Creditor.Name != nil && *row.Creditor.Name == "" && row.Debtor == nil
	}),
	"remittance-null": eachRow(func(row openbanking.Transaction) bool { return row.RemittanceInformation == nil }),
	"remittance-empty": eachRow(func(row openbanking.Transaction) bool {
		return row.RemittanceInformation != nil && len(row.RemittanceInformation) == 0
	}),
	"remittance-lines": eachRow(func(row openbanking.Transaction) bool {
		return len(row.RemittanceInformation) == 3 && strings.Contains(row.RemittanceInformation[0], "\r\n") && row.RemittanceInformation[1] == ""
	}),
	"remittance-labels": eachRow(func(row openbanking.Transaction) bool {
		return strings.HasPrefix(row.RemittanceInformation[0], "Omschrijving: ") && strings.HasPrefix(row.RemittanceInformation[1], "Kenmerk: ")
	}),
	"remittance-enriched": func(t *testing.T, s *service, session openbanking.AuthorizeSessionResponse) {
		fresh, enriched := 0, 0
		eachRow(func(row openbanking.Transaction) bool {
			late := row.BookingDate != nil && *row.BookingDate <= openbanking.Date(day(-3))
			if late {
				enriched++
			} else {
				fresh++
			}
			return late == strings.HasPrefix(row.RemittanceInformation[len(row.RemittanceInformation)-1], "Terminal ")
		})(t, s, session)
		if fresh == 0 || enriched == 0 {
			t.Errorf("%d fresh, %d enriched", fresh, enriched)
		}
	},
	"notes": func(t *testing.T, s *service, session openbanking.AuthorizeSessionResponse) {
		rows := s.rows(*session.Accounts[0].UID, whole)
		noted := slices.DeleteFunc(slices.Clone(rows), func(row openbanking.Transaction) bool { return row.Note == nil })
		if len(noted) < len(rows)/4 || len(noted) > len(rows)/2 || *noted[0].Note != "Shared with Maeve" {
			t.Errorf("%d of %d rows have a note", len(noted), len(rows))
		}
	},
	"parties-complete": func(t *testing.T, s *service, session openbanking.AuthorizeSessionResponse) {
		found := seen{}
		eachRow(func(row openbanking.Transaction) bool {
			party, agent, more := row.Creditor, row.CreditorAgent, row.CreditorAccountAdditionalIdentification
			if row.CreditDebitIndicator == openbanking.CreditDebitIndicatorCRDT {
				party, agent, more = row.Debtor, row.DebtorAgent, row.DebtorAccountAdditionalIdentification
			}
			if party == nil {
				return true
			}
			found.note("PartyIdentification", generic(t, party))
			found.note("FinancialInstitutionIdentification", generic(t, agent))
			for _, id := range more {
				found.note("GenericIdentification", generic(t, id))
			}
			return name(party) != "" && len(more) == 1
		})(t, s, session)
		if fields := unseen(found, "PartyIdentification", "FinancialInstitutionIdentification"); len(fields) > 0 {
			t.Errorf("no party has %v", fields)
		}
		for name, values := range map[string][]string{"AddressType": texts(openbanking.AddressType("").Values()),
			"SchemeName": texts(openbanking.SchemeName("").Values())} {
			for _, value := range values {
				if !found[name+"="+value] {
					t.Errorf("%s %s is nowhere", name, value)
				}
			}
		}
	},
	"balances-fail": func(t *testing.T, s *service, session openbanking.AuthorizeSessionResponse) {
		path := "/accounts/" + *session.Accounts[0].UID
		refusal(t, s.get(path+"/balances", nil), 400, openbanking.ASPSPError, "HttpException")
		if got := s.get(path+"/transactions", nil); got.status != 200 {
			t.Errorf("%d %s", got.status, got.text)
		}
	},
	"balances-expected": onlyBalances(openbanking.BalanceStatusXPCD),
	"balances-other":    onlyBalances(openbanking.BalanceStatusOTHR),
	"balances-none":     onlyBalances(),
	"currency-unknown": func(t *testing.T, s *service, session openbanking.AuthorizeSessionResponse) {
		a := session.Accounts[0]
		details := into[openbanking.AccountResource](t, s.get("/accounts/"+*a.UID+"/details", nil))
		row := s.rows(*a.UID, "")[0]
		if a.Currency != "XXX" || details.Currency != "XXX" || row.TransactionAmount.Currency != "EUR" {
			t.Errorf("%s, %s, %s", a.Currency, details.Currency, row.TransactionAmount.Currency)
		}
	},
	"pockets": func(t *testing.T, _ *service, session openbanking.AuthorizeSessionResponse) {
		var currencies, hashes, numbers []string
		for _, a := range session.Accounts {
			currencies, hashes, numbers = append(currencies, a.Currency), append(hashes, a.IdentificationHash), append(numbers, *a.AccountID.IBAN)
			ibans := 0
			for _, id := range a.AllAccountIDs {
				if id.SchemeName == openbanking.SchemeNameIBAN {
					ibans++
				}
			}
			if ibans != 2 {
				t.Errorf("%s lists %d IBANs", a.Currency, ibans)
			}
		}
		if distinct(currencies) != 5 || distinct(hashes) != 5 || distinct(numbers) != 2 {
			t.Errorf("%v %v %v", currencies, hashes, numbers)
		}
	},
	"account-not-accessible": everyCall(400, openbanking.ASPSPAccountNotAccessible, "AccountNotAccessibleException"),
	"four-a-day": func(t *testing.T, s *service, session openbanking.AuthorizeSessionResponse) {
		checkLimit(t, s, *session.Accounts[0].UID, 4, 6*time.Hour)
	},
	"one-an-hour": func(t *testing.T, s *service, session openbanking.AuthorizeSessionResponse) {
		checkLimit(t, s, *session.Accounts[0].UID, 1, time.Hour)
	},
	"slow": func(t *testing.T, s *service, session openbanking.AuthorizeSessionResponse) {
		if got := s.get("/accounts/"+*session.Accounts[0].UID+"/balances", nil); got.status != 200 {
			t.Errorf("%d %s", got.status, got.text)
		}
	},
	"timeout": func(t *testing.T, s *service, session openbanking.AuthorizeSessionResponse) {
		refusal(t, s.get("/accounts/"+*session.Accounts[0].UID+"/balances", nil), 408, openbanking.ASPSPTimeout, "null")
	},
	"down": everyCall(400, openbanking.ASPSPError, `"error_name":"HttpException","message":"Service unavailable"`),
	"down-half-the-hour": func(t *testing.T, s *service, session openbanking.AuthorizeSessionResponse) {
		defer s.at(friday)
		for minute, up := range map[int]bool{0: false, 29: false, 30: true, 59: true} {
			s.at(time.Date(2027, 1, 15, 11, minute, 30, 0, time.UTC))
			got := s.get("/accounts/"+*session.Accounts[0].UID+"/balances", nil)
			if up && got.status != 200 || !up && got.status != 400 {
				t.Errorf("at minute %d: %d %s", minute, got.status, got.text)
			}
		}
	},
	"action-required": func(t *testing.T, s *service, session openbanking.AuthorizeSessionResponse) {
		everyCall(400, openbanking.ASPSPPSUActionRequired, "terms")(t, s, session)
		for _, call := range data {
			if got := s.get("/accounts/"+*session.Accounts[0].UID+"/"+call, attended); got.status != 200 {
				t.Errorf("%s with somebody there: %d %s", call, got.status, got.text)
			}
		}
	},
	"error-null":   everyCall(400, openbanking.ASPSPError, "null"),
	"error-text":   everyCall(400, openbanking.ASPSPError, `"Unknown error"`),
	"error-nested": everyCall(400, openbanking.ASPSPError, `"error_data":{"status":401`),
	"error-foreign": func(t *testing.T, s *service, session openbanking.AuthorizeSessionResponse) {
		described := s.client
		defer func() { s.client = described }()
		s.client = http.DefaultClient // what a bank says of itself follows no description
		for _, call := range data {
			got := s.get("/accounts/"+*session.Accounts[0].UID+"/"+call, nil)
			body := into[map[string]any](t, got)
			if got.status != 400 || body["code"] != "ERR-4711" || body["title"] == nil || body["message"] != nil || body["error"] != nil {
				t.Errorf("%d %s", got.status, got.text)
			}
		}
	},
	"consent-shortened": func(t *testing.T, s *service, session openbanking.AuthorizeSessionResponse) {
		if left := session.Access.ValidUntil.Sub(friday); left < 24*time.Hour {
			t.Errorf("the session was confirmed for %v: it stays as it was asked for", left)
		}
		defer s.at(friday)
		s.at(friday.Add(9 * time.Minute))
		if got := s.get("/accounts/"+*session.Accounts[0].UID+"/balances", nil); got.status != 200 {
			t.Errorf("%d %s", got.status, got.text)
		}
		s.at(friday.Add(11 * time.Minute))
		refusal(t, s.get("/accounts/"+*session.Accounts[0].UID+"/balances", nil), 401, openbanking.ExpiredSession, "null")
	},
	"one-consent": func(t *testing.T, s *service, session openbanking.AuthorizeSessionResponse) {
		newer := s.meet("one-consent")
		status := func(id string) openbanking.SessionStatus {
			return into[openbanking.Session](t, s.get("/sessions/"+id, nil)).Status
		}
		if got := status(session.SessionID); got != openbanking.SessionStatusExpired {
			t.Errorf("the older session is %s, without a call for data", got)
		}
		if got := status(newer.SessionID); got != openbanking.SessionStatusAuthorized {
			t.Errorf("the newer session is %s", got)
		}
		refusal(t, s.get("/accounts/"+*session.Accounts[0].UID+"/balances", nil), 401, openbanking.ExpiredSession, "null")
		if got := s.get("/accounts/"+*newer.Accounts[0].UID+"/balances", nil); got.status != 200 {
			t.Errorf("%d %s", got.status, got.text)
		}
	},
}

// checkWall: today minus 90 is served, older is WRONG_TRANSACTIONS_PERIOD with date_from in detail (api-notes 7).
func checkWall(t *testing.T, s *service, uid string) {
	t.Helper()
	path := "/accounts/" + uid + "/transactions?"
	refusal(t, s.get(path+"date_from="+day(-91), nil), 422, openbanking.WrongTransactionsPeriod, `"date_from":"`+day(-90)+`"`)
	refusal(t, s.get(path+whole+"&date_from="+day(-91), nil), 422, openbanking.WrongTransactionsPeriod, `"date_from":"`+day(-90)+`"`)
	if got := s.get(path+"date_from="+day(-90), nil); got.status != 200 {
		t.Errorf("90 days: %d %s", got.status, got.text)
	}
	for _, row := range s.rows(uid, whole) {
		if row.BookingDate != nil && *row.BookingDate < openbanking.Date(day(-90)) {
			t.Fatalf("longest lifts the wall: %s", *row.BookingDate)
		}
	}
}

// checkLimit: a number of unattended calls for each kind of data, one back at a time; later pages and attended calls are free
// (api-notes 6).
func checkLimit(t *testing.T, s *service, uid string, capacity int, every time.Duration) {
	t.Helper()
	defer s.at(friday)
	path := "/accounts/" + uid + "/"
	var key string
	for _, call := range data {
		for i := range capacity {
			got := s.get(path+call, nil)
			if got.status != 200 {
				t.Fatalf("%s, call %d: %d %s", call, i+1, got.status, got.text)
			}
			if call == "transactions" {
				key = *into[openbanking.HalTransactions](t, got).ContinuationKey
			}
		}
		refusal(t, s.get(path+call, nil), 429, openbanking.ASPSPRateLimitExceeded, `"error_name":"RateLimitException"`)
		if got := s.get(path+call, attended); got.status != 200 {
			t.Errorf("%s with somebody there: %d %s", call, got.status, got.text)
		}
	}
	if got := s.get(path+"transactions?continuation_key="+url.QueryEscape(key), nil); got.status != 200 {
		t.Errorf("a later page: %d %s", got.status, got.text)
	}
	s.at(friday.Add(every - time.Minute))
	refusal(t, s.get(path+"balances", nil), 429, openbanking.ASPSPRateLimitExceeded, "")
	s.at(friday.Add(every + time.Minute))
	if got := s.get(path+"balances", nil); got.status != 200 {
		t.Errorf("one came back: %d %s", got.status, got.text)
	}
	refusal(t, s.get(path+"balances", nil), 429, openbanking.ASPSPRateLimitExceeded, "")
}

// Every scenario does what it says, over HTTP.
func TestScenarios(t *testing.T) {
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Each)
	s := run(t, "Ledger", "")
	ofPayments := 0
	for _, scenario := range scenarioList(t) {
		if scenario.Bank == "" || scenario.Client == "" || scenario.Group == "" || len(scenario.Places) == 0 {
			t.Errorf("%+v is not described", scenario)
		}
		if slices.ContainsFunc(fates, func(f fate) bool { return f.name == scenario.Name }) || untold[scenario.Name] != (untoldAs{}) {
			ofPayments++ // see TestEveryPaymentStatus and TestBankThatDoesNotTell
			continue
		}
		check := checks[scenario.Name]
		if check == nil {
			t.Errorf("the scenario %s has no test", scenario.Name)
			continue
		}
		t.Run(scenario.Name, func(t *testing.T) {
			s.at(friday)
			defer s.during(t)()
			check(t, s, s.meet(scenario.Name))
		})
	}
	if len(checks)+ofPayments != len(scenarioList(t)) {
		t.Errorf("%d tests and %d of payments, %d scenarios", len(checks), ofPayments, len(scenarioList(t)))
	}
}

// The page of scenarios lists each with its places; so does the list of banks.
func TestScenariosPage(t *testing.T) {
	s := run(t, "Ledger", "")
	page := open(t, walk.New(nil), s.url+"/scenarios")
	if page.Status != 200 || page.Title != "Scenarios" {
		t.Fatalf("%d %q", page.Status, page.Title)
	}
	for _, scenario := range scenarioList(t) {
		if !strings.Contains(page.Body, "<code>"+scenario.Name+"</code>") {
			t.Errorf("%s is not listed", scenario.Name)
		}
		for _, place := range scenario.Places {
			if link := s.url + "/banks/" + strings.ToLower(place.Bank.Country()) + "/" + place.Bank.Slug() + "/"; !slices.Contains(page.Links, link) {
				t.Errorf("no link leads to %s", link)
			}
		}
	}
}

// spec: Access: what a consent covers that names no account depends on the bank.
func TestAccessDependsOnTheBank(t *testing.T) {
	s := run(t, "Ledger", "")
	s.at(friday)
	users := map[openbanking.ASPSP]openbanking.SandboxUser{}
	var list openbanking.ASPSPsResponse
	s.call("GET", "/aspsps", nil, &list)
	for _, bank := range list.ASPSPs {
		if bank.Sandbox != nil && len(bank.Sandbox.Users) > 0 {
			users[openbanking.ASPSP{Name: bank.Name, Country: bank.Country}] = bank.Sandbox.Users[0]
		}
	}
	person := func(bank openbanking.ASPSP) walk.Person {
		u := users[bank]
		p := walk.Person{Username: *u.Username, Password: *u.Password}
		if u.OTP != nil {
			p.Code = *u.OTP
		}
		return p
	}

	all := openbanking.ASPSP{Name: "Caixa da Serra", Country: "PT"}
	b := walk.New(nil)
	toBank := must[*walk.Page](t)(b.ToBank(t.Context(), s.begin(openbanking.ASPSPData{Name: all.Name, Country: all.Country}, "s", callback)))
	approval := must[*walk.Page](t)(b.SignIn(t.Context(), toBank, person(all)))
	if form, ok := approval.Form("/approve"); !ok || len(form.Boxes) != 0 || !strings.Contains(approval.Body, "All your accounts") {
		t.Errorf("the person has a choice: %v", form.Boxes)
	}
	back := submit(t, b, approval, "/approve", url.Values{"account": nil})
	if _, session := s.redeem(back.Left.Query().Get("code")); len(session.Accounts) != 1 || session.Accounts[0].UID == nil {
		t.Errorf("all accounts: %+v", session.Accounts)
	}

	only := openbanking.ASPSP{Name: "Scenario Account List", Country: "IE"}
	session := s.linkAs(only, person(only))
	if len(session.Accounts) != 2 {
		t.Fatalf("the list has %d accounts", len(session.Accounts))
	}
	for _, a := range session.Accounts {
		if a.UID != nil || a.IdentificationHash == "" || a.AccountID == nil {
			t.Errorf("%+v", a)
		}
	}
	named := session.Accounts[1].AccountID
	var answer openbanking.StartAuthorizationResponse
	s.call("POST", "/auth", openbanking.StartAuthorizationRequest{
		Access: openbanking.Access{Accounts: []openbanking.AccountIdentification{*named},
			ValidUntil: openbanking.DateTime{Time: friday.Add(24 * time.Hour)}},
		ASPSP:       only,
		State:       "s",
		RedirectURL: callback,
	}, &answer)
	second := must[*url.URL](t)(walk.New(nil).Approve(t.Context(), answer.URL, person(only)))
	_, full := s.redeem(second.Query().Get("code"))
	if len(full.Accounts) != 1 || full.Accounts[0].UID == nil || full.Accounts[0].IdentificationHash != session.Accounts[1].IdentificationHash {
		t.Fatalf("%+v", full.Accounts)
	}
	for _, call := range data {
		if got := s.get("/accounts/"+*full.Accounts[0].UID+"/"+call, nil); got.status != 200 {
			t.Errorf("%s: %d %s", call, got.status, got.text)
		}
	}
}

// api-notes 6: several banks model the limit of unattended calls, the Mock ASPSP does not.
func TestWhichBanksLimit(t *testing.T) {
	limited := 0
	for _, scenario := range scenarioList(t) {
		if scenario.Name != "four-a-day" {
			continue
		}
		for _, place := range scenario.Places {
			if place.User.Username == "" {
				limited++
			}
			if place.Bank.Name() == sandbox.MockName {
				t.Error("the Mock ASPSP has a limit")
			}
		}
	}
	if limited < 3 {
		t.Errorf("%d banks have the limit", limited)
	}
	s := run(t, "Ledger", "")
	s.at(friday)
	bank, person := s.bank(true)
	session := s.linkAs(openbanking.ASPSP{Name: bank.Name, Country: bank.Country}, person)
	for i := range 20 {
		if got := s.get("/accounts/"+*session.Accounts[0].UID+"/balances", nil); got.status != 200 {
			t.Fatalf("call %d: %d %s", i+1, got.status, got.text)
		}
	}
}
