package contract

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"florin/internal/openbanking"
)

// readable returns the first account of a session whose data can be fetched.
func (s *suite) readable(session openbanking.AuthorizeSessionResponse) openbanking.AccountResource {
	s.Helper()
	i := slices.IndexFunc(session.Accounts, func(a openbanking.AccountResource) bool { return a.UID != nil })
	if i < 0 {
		s.Fatal("the suite needs an account whose data can be fetched")
	}
	return session.Accounts[i]
}

var amount = regexp.MustCompile(`^-?\d+(\.\d+)?$`) // api-notes 7

// accounts: details and balances of every account (spec: Accounts), and the PSU headers that they take.
func (s *suite) accounts() {
	session := s.link(nil)
	online, detail := s.psuHeaders()
	for _, account := range session.Accounts {
		if account.UID == nil {
			continue
		}
		path := "/accounts/" + *account.UID
		details := get[openbanking.AccountResource](s, "GET", path+"/details", "")
		if details.UID == nil || *details.UID != *account.UID || details.IdentificationHash != account.IdentificationHash ||
			details.Currency != account.Currency {
			s.Errorf("details of %s differ from POST /sessions", *account.UID)
		}
		for _, balance := range get[openbanking.HalBalances](s, "GET", path+"/balances", "", online...).Balances {
			if !amount.MatchString(balance.BalanceAmount.Amount) || len(balance.BalanceAmount.Currency) != 3 {
				s.Errorf("balance %+v", balance)
			}
		}
	}
	path := "/accounts/" + *s.readable(session).UID
	s.refused(s.call("GET", path+"/balances", "", "Psu-Ip-Address", "not an address"), 422, openbanking.PSUHeaderInvalid)
	s.refused(s.call("GET", path+"/balances", "", "Psu-Geo-Location", "here"), 422, openbanking.PSUHeaderInvalid)
	if detail == "" {
		return
	}
	got := s.refused(s.call("GET", path+"/balances", "", online[:2]...), 422, openbanking.PSUHeaderNotProvided)
	if string(got.Detail) != detail {
		s.Errorf("detail %s, want %s (api-notes 1)", got.Detail, detail)
	}
}

// psuHeaders returns right values for all required PSU headers of the bank and, when there are several, the detail of
// the error when only the first one is sent.
func (s *suite) psuHeaders() (headers []string, detail string) {
	values := map[string]string{"psu-ip-address": "192.0.2.1", "psu-geo-location": "60.169857,24.938379"}
	for i, name := range s.bank().RequiredPSUHeaders {
		value, ok := values[strings.ToLower(name)]
		if !ok {
			value = "contract suite"
		}
		headers = append(headers, name, value)
		if i == 1 {
			words := strings.Split(strings.ToLower(name), "-")
			for j, word := range words[1:] {
				words[j+1] = strings.ToUpper(word[:1]) + word[1:]
			}
			detail = `"PSU header ` + strings.Join(words, "") + ` is not provided"`
		}
	}
	return headers, detail
}

// maxPages bounds a listing; a service that needs more has lost its end (security T36).
const maxPages = 5000

// all fetches a listing to its end.
func (s *suite) all(uid string, query openbanking.TransactionsQuery) []openbanking.Transaction {
	s.Helper()
	var rows []openbanking.Transaction
	keys := map[string]bool{}
	for range maxPages {
		page := get[openbanking.HalTransactions](s, "GET", "/accounts/"+uid+"/transactions?"+query.Values().Encode(), "")
		rows = append(rows, page.Transactions...)
		if page.ContinuationKey == nil {
			return rows
		}
		if keys[*page.ContinuationKey] {
			s.Fatal("a continuation_key came twice")
		}
		keys[*page.ContinuationKey] = true
		query.ContinuationKey = *page.ContinuationKey
	}
	s.Fatalf("the listing does not end within %d pages", maxPages)
	return nil
}

// transactions: GET /accounts/{account_id}/transactions with its rules, and the details of one (spec: Accounts).
func (s *suite) transactions() {
	session := s.link(nil)
	uid := *s.readable(session).UID
	path := "/accounts/" + uid + "/transactions"
	today := time.Now()
	day := func(n int) openbanking.Date { return openbanking.DateOf(today.AddDate(0, 0, n)) }

	month := s.all(uid, openbanking.TransactionsQuery{DateFrom: day(-30)})
	if len(month) == 0 {
		s.Fatal("the suite needs an account with transactions in the last 30 days")
	}
	references := map[string]bool{}
	for _, row := range month {
		s.checkTransaction(row, day(-30), "")
		if row.EntryReference != nil {
			if references[*row.EntryReference] {
				s.Errorf("the entry_reference %s comes twice", *row.EntryReference)
			}
			references[*row.EntryReference] = true
		}
	}
	for _, row := range s.all(uid, openbanking.TransactionsQuery{DateFrom: day(-20), DateTo: day(-10)}) {
		s.checkTransaction(row, day(-20), day(-10))
	}
	booked := s.all(uid, openbanking.TransactionsQuery{DateFrom: day(-30), TransactionStatus: openbanking.TransactionStatusBOOK})
	if i := slices.IndexFunc(booked, func(t openbanking.Transaction) bool { return t.Status != openbanking.TransactionStatusBOOK }); i >= 0 {
		s.Errorf("the filter BOOK lets %s pass", booked[i].Status)
	}
	longest := s.all(uid, openbanking.TransactionsQuery{Strategy: openbanking.TransactionsFetchStrategyLongest})
	if len(longest) < len(month) {
		s.Errorf("the longest listing has %d rows, that of a month %d", len(longest), len(month))
	}
	for name, rows := range map[string][]openbanking.Transaction{"longest": longest, "again": s.all(uid, openbanking.TransactionsQuery{DateFrom: day(-30)})} {
		if i := slices.IndexFunc(rows, func(t openbanking.Transaction) bool {
			return t.EntryReference != nil &&
				references[*t.EntryReference]
		}); len(references) > 0 && i < 0 {
			s.Errorf("%s: entry references are not those of the month", name)
		}
	}
	s.details(path, month)
	s.transactionRules(path, day)
	s.continuation(path, session)
}

// checkTransaction checks what holds for every transaction; to is empty for no upper bound.
func (s *suite) checkTransaction(row openbanking.Transaction, from, to openbanking.Date) {
	s.Helper()
	if !amount.MatchString(row.TransactionAmount.Amount) || len(row.TransactionAmount.Currency) != 3 {
		s.Errorf("amount %+v", row.TransactionAmount)
	}
	if row.Status == openbanking.TransactionStatusBOOK && row.BookingDate != nil && (*row.BookingDate < from || to != "" && *row.BookingDate > to) {
		s.Errorf("booked on %s, asked for %s to %s", *row.BookingDate, from, to)
	}
}

// details: a transaction by its transaction_id is the one of the list; another id is TRANSACTION_DOES_NOT_EXIST.
func (s *suite) details(path string, rows []openbanking.Transaction) {
	s.Helper()
	i := slices.IndexFunc(rows, func(t openbanking.Transaction) bool { return t.TransactionID != nil })
	if i < 0 {
		s.Log("not covered here: the bank offers no details of transactions")
	} else {
		got := get[openbanking.Transaction](s, "GET", path+"/"+url.PathEscape(*rows[i].TransactionID), "")
		if got.TransactionAmount != rows[i].TransactionAmount || got.CreditDebitIndicator != rows[i].CreditDebitIndicator {
			s.Errorf("details %+v differ from the list %+v", got, rows[i])
		}
	}
	s.refused(s.call("GET", path+"/no-such-transaction", ""), 422, openbanking.TransactionDoesNotExist)
}

// transactionRules: the rules of the query parameters (spec: Accounts, rules).
func (s *suite) transactionRules(path string, day func(int) openbanking.Date) {
	for _, tt := range []struct {
		query string
		code  openbanking.ErrorCode
	}{
		{fmt.Sprintf("date_to=%s", day(0)), openbanking.DateToWithoutDateFrom},
		{fmt.Sprintf("date_from=%s", day(2)), openbanking.DateFromInFuture},
		{fmt.Sprintf("date_from=%s&date_to=%s", day(-5), day(-6)), openbanking.WrongDateInterval},
		{"date_from=yesterday", openbanking.WrongRequestParameters},
		{"transaction_status=BOOKED", openbanking.WrongRequestParameters},
		{"strategy=shortest", openbanking.WrongRequestParameters},
		{"continuation_key=forged", openbanking.WrongContinuationKey},
	} {
		s.Run(tt.query, func(t *testing.T) {
			s.with(t).refused(s.with(t).call("GET", path+"?"+tt.query, ""), 422, tt.code)
		})
	}
}

// continuation: a key works with the same parameters only, and for its account only (api-notes 7).
func (s *suite) continuation(path string, session openbanking.AuthorizeSessionResponse) {
	query := openbanking.TransactionsQuery{Strategy: openbanking.TransactionsFetchStrategyLongest}
	first := get[openbanking.HalTransactions](s, "GET", path+"?"+query.Values().Encode(), "")
	if first.ContinuationKey == nil {
		s.Log("not covered here: the longest listing of the account has one page, so there is no continuation_key")
		return
	}
	query.ContinuationKey = *first.ContinuationKey
	page := func() []openbanking.AmountType { // ids may change when a list is fetched again (spec: Transaction)
		var amounts []openbanking.AmountType
		for _, row := range get[openbanking.HalTransactions](s, "GET", path+"?"+query.Values().Encode(), "").Transactions {
			amounts = append(amounts, row.TransactionAmount)
		}
		return amounts
	}
	if second, again := page(), page(); !slices.Equal(second, again) {
		s.Errorf("a continuation_key gives the page %v, then %v", second, again)
	}
	changed := query
	changed.TransactionStatus = openbanking.TransactionStatusBOOK
	s.refused(s.call("GET", path+"?"+changed.Values().Encode(), ""), 422, openbanking.WrongRequestParameters)
	i := slices.IndexFunc(session.Accounts, func(a openbanking.AccountResource) bool {
		return a.UID != nil && *a.UID != *s.readable(session).UID
	})
	if i >= 0 {
		foreign := "/accounts/" + *session.Accounts[i].UID + "/transactions?" + query.Values().Encode()
		s.refused(s.call("GET", foreign, ""), 422, openbanking.WrongContinuationKey)
	}
}
