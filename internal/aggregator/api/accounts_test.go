package api_test

import (
	"errors"
	"maps"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"florin/internal/aggregator/banktest"
	"florin/internal/openbanking"
)

// list returns the transactions of an answer by entry_reference.
func list(got answer) string {
	var references []string
	rows, _ := got.body["transactions"].([]any)
	for _, row := range rows {
		references = append(references, strings.TrimPrefix(row.(map[string]any)["entry_reference"].(string), "entry-"))
	}
	return strings.Join(references, " ")
}

// TestTransactionPages: the listing of GET /accounts/{account_id}/transactions, page by page (api-notes 7).
func TestTransactionPages(t *testing.T) {
	t.Parallel()
	s := start(t)
	path := "/accounts/" + uid(s.link()) + "/transactions"
	first := s.call("GET", path, "")
	if first.status != 200 || list(first) != "25 24 23 22 21 20 19 18 17 16" || first.text("continuation_key") == "" {
		t.Fatalf("%d %s", first.status, first.raw)
	}
	second := s.call("GET", path+"?continuation_key="+url.QueryEscape(first.text("continuation_key")), "")
	if list(second) != "15 14 13 12 11 10 9 8 7 6" {
		t.Fatalf("%d %s", second.status, second.raw)
	}
	third := s.call("GET", path+"?strategy=default&continuation_key="+url.QueryEscape(second.text("continuation_key")), "")
	if list(third) != "5 4 3 2 1" || !strings.Contains(third.raw, `"continuation_key":null`) {
		t.Errorf("the last page is %s", third.raw)
	}
	again := s.call("GET", path+"?continuation_key="+url.QueryEscape(first.text("continuation_key")), "")
	if list(again) != list(second) {
		t.Errorf("a key gives %s, then %s", list(second), list(again))
	}
	rows := first.body["transactions"].([]any)[0].(map[string]any)
	if len(rows) != 24 || rows["creditor"] != nil || rows["booking_date"] != string(openbanking.DateOf(time.Now())) {
		t.Errorf("a transaction has %d fields, want the 24 of the specification: %v", len(rows), rows)
	}
}

// TestTransactionRules: the parameters of GET /accounts/{account_id}/transactions (spec: Accounts, rules).
func TestTransactionRules(t *testing.T) {
	t.Parallel()
	s := start(t)
	path := "/accounts/" + uid(s.link()) + "/transactions"
	day := func(n int) string { return string(openbanking.DateOf(time.Now().AddDate(0, 0, n))) }
	const wrong = openbanking.WrongRequestParameters
	tests := []struct {
		query  string
		code   openbanking.ErrorCode // empty: 200
		detail string
		rows   string
	}{
		{"date_from=" + day(-2), "", "", "25 24 23"},
		{"date_from=" + day(-2) + "&date_to=" + day(-1), "", "", "24 23"},
		{"date_from=" + day(-1) + "&date_to=" + day(-1), "", "", "24"},
		{"date_from=" + day(0), "", "", "25"},
		{"date_from=" + day(-1) + "&date_to=" + day(1), "", "", "25 24"},
		{"date_from=" + day(-1) + "&date_to=" + day(-1) + "&strategy=longest", "", "", "25 24"},
		{"transaction_status=PDNG", "", "", ""},
		{"transaction_status=BOOK&date_from=" + day(-1), "", "", "25 24"},
		{"date_from=" + day(0) + "&unknown=1", "", "", "25"},
		{"date_to=" + day(0), openbanking.DateToWithoutDateFrom, "", ""},
		{"date_to=" + day(0) + "&strategy=longest", openbanking.DateToWithoutDateFrom, "", ""},
		{"date_from=" + day(1), openbanking.DateFromInFuture, "", ""},
		{"date_from=" + day(1) + "&date_to=" + day(2), openbanking.DateFromInFuture, "", ""},
		{"date_from=" + day(-1) + "&date_to=" + day(-2), openbanking.WrongDateInterval, "", ""},
		{"date_from=yesterday", wrong, "date_from is not a date", ""},
		{"date_from=2026-02-30", wrong, "date_from is not a date", ""},
		{"date_from=" + day(-1) + "T00:00:00Z", wrong, "date_from is not a date", ""},
		{"date_from=" + day(-1) + "&date_to=&transaction_status=&strategy=&continuation_key=", "", "", "25 24"},
		{"date_from=&date_to=" + day(-1), openbanking.DateToWithoutDateFrom, "", ""},
		{"date_from=" + day(-1) + "&date_to=1", wrong, "date_to is not a date", ""},
		{"date_from=" + day(-1) + "&date_from=" + day(-2), wrong, "date_from is given twice", ""},
		{"transaction_status=BOOKED", wrong, "transaction_status must be one of BOOK", ""},
		{"transaction_status=book", wrong, "transaction_status must be one of BOOK", ""},
		{"strategy=shortest", wrong, "strategy must be one of default, longest", ""},
		{"continuation_key=forged", openbanking.WrongContinuationKey, "", ""},
		{"date_from=%zz", wrong, "query is not well-formed", ""},
	}
	for _, tt := range tests {
		t.Run(tt.query, func(t *testing.T) {
			got := s.call("GET", path+"?"+tt.query, "")
			if tt.code != "" {
				wantError(t, got, 422, tt.code, tt.detail)
				return
			}
			if got.status != 200 || list(got) != tt.rows {
				t.Errorf("%d %s, want %s", got.status, list(got), tt.rows)
			}
			if tt.rows == "" && !strings.Contains(got.raw, `"transactions":[]`) {
				t.Errorf("%s", got.raw)
			}
		})
	}
}

// TestContinuationKeyRules: a key is bound to session, account and parameters, with two different errors (api-notes 7).
func TestContinuationKeyRules(t *testing.T) {
	t.Parallel()
	s := start(t, func(b *banktest.Bank) {
		other := b.Holdings[0]
		other.Reference = "savings"
		b.Holdings = append(b.Holdings, other)
		b.Entries["savings"] = b.Entries["current"]
	})
	session, renewed := s.link(), s.link()
	day := func(n int) string { return string(openbanking.DateOf(time.Now().AddDate(0, 0, n))) }
	path := func(session answer, account int) string {
		return "/accounts/" + accounts(session)[account]["uid"].(string) + "/transactions?"
	}
	query := "date_from=" + day(-20) + "&date_to=" + day(-1) + "&transaction_status=BOOK&strategy=default"
	key := s.call("GET", path(session, 0)+query, "").text("continuation_key")
	if key == "" {
		t.Fatal("no key")
	}
	flipped := []byte(key)
	if flipped[20] = 'A'; key[20] == 'A' {
		flipped[20] = 'B'
	}
	const wrong, forged = openbanking.WrongRequestParameters, openbanking.WrongContinuationKey
	tests := []struct {
		name, path, key string
		code            openbanking.ErrorCode // empty: 200
		detail          string
	}{
		{"the same", path(session, 0) + query, key, "", ""},
		{"the same in another order", path(session, 0) + "transaction_status=BOOK&date_to=" + day(-1) + "&date_from=" + day(-20), key, "", ""},
		{"another date_from", path(session, 0) + strings.Replace(query, day(-20), day(-19), 1), key, wrong, "date_from differs"},
		{"another date_to", path(session, 0) + strings.Replace(query, day(-1), day(0), 1), key, wrong, "date_to differs"},
		{"no status", path(session, 0) + strings.Replace(query, "&transaction_status=BOOK", "", 1), key, wrong, "transaction_status differs"},
		{"another strategy", path(session, 0) + strings.Replace(query, "default", "longest", 1), key, wrong, "strategy differs"},
		{"another account", path(session, 1) + query, key, forged, ""},
		{"another session", path(renewed, 0) + query, key, forged, ""},
		{"one bit of it", path(session, 0) + query, string(flipped), forged, ""},
		{"a part of it", path(session, 0) + query, key[:len(key)-1], forged, ""},
		{"longer", path(session, 0) + query, key + "A", forged, ""},
		{"in another spelling", path(session, 0) + query, key + "=", forged, ""},
		{"the cursor of the bank", path(session, 0) + query, "10", forged, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := s.call("GET", tt.path+"&continuation_key="+url.QueryEscape(tt.key), "")
			if tt.code == "" {
				if got.status != 200 || list(got) != "14 13 12 11 10 9 8 7 6 5" {
					t.Errorf("%d %s", got.status, got.raw)
				}
				return
			}
			wantError(t, got, 422, tt.code, tt.detail)
			if tt.code == wrong && (got.text("detail.error_name") != "ParameterValidationException" || got.at("detail.error_data") == nil) {
				t.Errorf("detail is %s", got.raw)
			}
		})
	}
	if strings.Contains(key, "current") || strings.Contains(key, day(-20)) {
		t.Error("the key is not opaque")
	}
}

// TestTransactionDetails: GET /accounts/{account_id}/transactions/{transaction_id}; an entry_reference does not stand in.
func TestTransactionDetails(t *testing.T) {
	t.Parallel()
	s := start(t, func(b *banktest.Bank) {
		slashes := "a/b//c ?"
		b.Entries["current"][0].TransactionID = &slashes
	})
	path := "/accounts/" + uid(s.link()) + "/transactions/"
	if got := s.call("GET", path+"id-3", ""); got.status != 200 || got.text("entry_reference") != "entry-3" {
		t.Errorf("%d %s", got.status, got.raw)
	}
	if got := s.call("GET", path+url.PathEscape("a/b//c ?"), ""); got.status != 200 || got.text("entry_reference") != "entry-25" {
		t.Errorf("an id with slashes: %d %s", got.status, got.raw)
	}
	wantError(t, s.call("GET", path+"entry-3", ""), 422, openbanking.TransactionDoesNotExist, "")
}

// TestScopes: access to balances and transactions is only what was confirmed (spec: Access).
func TestScopes(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, tt := range []struct{ balances, transactions bool }{{true, true}, {true, false}, {false, true}, {false, false}} {
		session := s.link("access.balances", tt.balances, "access.transactions", tt.transactions)
		if session.at("access.balances") != tt.balances || session.at("access.transactions") != tt.transactions {
			t.Errorf("confirmed access is %s", session.raw)
		}
		for path, granted := range map[string]bool{"details": true, "balances": tt.balances, "transactions": tt.transactions, "transactions/id-1": tt.transactions} {
			got := s.call("GET", "/accounts/"+uid(session)+"/"+path, "")
			if granted {
				if got.status != 200 {
					t.Errorf("%+v %s: %s", tt, path, got.raw)
				}
				continue
			}
			wantError(t, got, 403, openbanking.AccessDenied, "The session has no access to")
		}
	}
}

// TestPSUHeaderRules: all or none of the headers that the bank lists, and values that can be right (spec: PSU headers).
func TestPSUHeaderRules(t *testing.T) {
	t.Parallel()
	const ip, agent, geo = "Psu-Ip-Address", "Psu-User-Agent", "Psu-Geo-Location"
	both := []string{ip, agent}
	tests := []struct {
		name     string
		required []string
		sent     map[string]string
		code     openbanking.ErrorCode // empty: 200
		detail   string
		attended bool
	}{
		{"none at all", both, nil, "", "", false},
		{"all", both, map[string]string{ip: "192.0.2.1", agent: "Browser"}, "", "", true},
		{"all and more", both, map[string]string{ip: "10.0.0.1", agent: "Browser", geo: "60.169857,24.938379"}, "", "", true},
		{"IPv6", both, map[string]string{ip: "2001:db8::1", agent: "Browser"}, "", "", true},
		{"the first one", both, map[string]string{ip: "192.0.2.1"}, openbanking.PSUHeaderNotProvided, `"PSU header psuUserAgent is not provided"`, false},
		{"the second one", both, map[string]string{agent: "Browser"}, openbanking.PSUHeaderNotProvided, `"PSU header psuIpAddress is not provided"`, false},
		{"one of them empty", both, map[string]string{ip: " ", agent: "Browser"}, openbanking.PSUHeaderNotProvided, `"PSU header psuIpAddress is not provided"`,
			false},
		{"only one that is not listed", both, map[string]string{"Psu-Referer": "https://app.example"}, "", "", false},
		{"listed in another case", []string{"PSU-IP-ADDRESS"}, map[string]string{ip: "192.0.2.1"}, "", "", true},
		{"nothing is listed, none sent", nil, nil, "", "", false},
		{"nothing is listed, one sent", nil, map[string]string{agent: "Browser"}, "", "", true},
		{"not an address", both, map[string]string{ip: "192.0.2.256", agent: "Browser"}, openbanking.PSUHeaderInvalid, "psuIpAddress is not an IP address", false},
		{"address with a port", both, map[string]string{ip: "192.0.2.1:80", agent: "Browser"}, openbanking.PSUHeaderInvalid,
			"psuIpAddress is not an IP address", false},
		{"address with a zone", both, map[string]string{ip: "fe80::1%eth0", agent: "Browser"}, openbanking.PSUHeaderInvalid,
			"psuIpAddress is not an IP address", false},
		{"a name for an address", nil, map[string]string{ip: "localhost"}, openbanking.PSUHeaderInvalid, "psuIpAddress is not an IP address", false},
		{"geo with a space", nil, map[string]string{geo: "60.16, 24.93"}, openbanking.PSUHeaderInvalid, "psuGeoLocation must be", false},
		{"geo without decimals", nil, map[string]string{geo: "60,24"}, openbanking.PSUHeaderInvalid, "psuGeoLocation must be", false},
		{"geo with too many decimals", nil, map[string]string{geo: "60.1234567,24.1"}, openbanking.PSUHeaderInvalid, "psuGeoLocation must be", false},
		{"geo south west", nil, map[string]string{geo: "-33.4,-170.66"}, "", "", true},
		{"geo beyond the pole", nil, map[string]string{geo: "90.1,24.1"}, openbanking.PSUHeaderInvalid, "psuGeoLocation must be", false},
		{"geo round the world", nil, map[string]string{geo: "60.1,-180.1"}, openbanking.PSUHeaderInvalid, "psuGeoLocation must be", false},
		{"all of a browser", both, map[string]string{
			ip: "192.0.2.1", agent: "Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0", "Psu-Referer": "https://app.example/accounts?id=1",
			"Psu-Accept":         "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7",
			"Psu-Accept-Charset": "utf-8, iso-8859-1;q=0.5, *;q=0.1", "Psu-Accept-Encoding": "gzip, deflate, br, zstd",
			"Psu-Accept-Language": "de-CH,de;q=0.9,en;q=0.5,*;q=0.1", geo: "-0.0,180.0",
		}, "", "", true},
		{"referer that is a path", nil, map[string]string{"Psu-Referer": "/accounts"}, openbanking.PSUHeaderInvalid,
			"psuReferer is not an http or https address", false},
		{"referer of a script", nil, map[string]string{"Psu-Referer": "javascript:alert(1)"}, openbanking.PSUHeaderInvalid, "psuReferer is not", false},
		{"accept that is a word", nil, map[string]string{"Psu-Accept": "html"}, openbanking.PSUHeaderInvalid, "psuAccept must be a list of media types", false},
		{"accept with a broken end", nil, map[string]string{"Psu-Accept": "text/html,"}, openbanking.PSUHeaderInvalid, "psuAccept must be", false},
		{"accept of some clients", nil, map[string]string{"Psu-Accept": "text/html, image/gif, *; q=.2, */*; q=.2"}, "", "", true},
		{"charset with a space", nil, map[string]string{"Psu-Accept-Charset": "utf 8"}, openbanking.PSUHeaderInvalid, "psuAcceptCharset must be", false},
		{"encoding without a name", nil, map[string]string{"Psu-Accept-Encoding": ";q=1"}, openbanking.PSUHeaderInvalid, "psuAcceptEncoding must be", false},
		{"language that is too long", nil, map[string]string{"Psu-Accept-Language": "deutschland-de"}, openbanking.PSUHeaderInvalid,
			"psuAcceptLanguage must be", false},
		{"agent that is too long", nil, map[string]string{agent: strings.Repeat("x", 2049)}, openbanking.PSUHeaderInvalid,
			"psuUserAgent is longer than 2048 bytes", false},
		{"agent that is no text", nil, map[string]string{agent: "Browser \xff"}, openbanking.PSUHeaderInvalid, "psuUserAgent holds characters", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := start(t, func(b *banktest.Bank) { b.Data.RequiredPSUHeaders = tt.required })
			session := s.link()
			var headers []string
			for name, value := range tt.sent {
				headers = append(headers, name, value)
			}
			calls := [][2]string{{"GET", "/accounts/" + uid(session) + "/details"}, {"GET", "/accounts/" + uid(session) + "/balances"},
				{"GET", "/accounts/" + uid(session) + "/transactions"}, {"GET", "/accounts/" + uid(session) + "/transactions/id-1"},
				{"DELETE", "/sessions/" + session.text("session_id")}}
			for _, call := range calls {
				got := s.call(call[0], call[1], "", headers...)
				if tt.code != "" {
					wantError(t, got, 422, tt.code, tt.detail)
					continue
				}
				if got.status != 200 {
					t.Errorf("%s: %d %s", call, got.status, got.raw)
				}
				if s.bank.PSU().Attended() != tt.attended {
					t.Errorf("%s: the bank saw %v", call, s.bank.PSU())
				}
				if tt.attended && !maps.Equal(s.bank.PSU(), tt.sent) {
					t.Errorf("%s: the bank saw %v, sent %v", call, s.bank.PSU(), tt.sent)
				}
			}
		})
	}
}

// TestBankErrors: what a bank refuses passes as it is; what it breaks is ASPSP_ERROR, with the cause in the log alone.
func TestBankErrors(t *testing.T) {
	t.Parallel()
	s := start(t)
	session := s.link()
	calls := map[string]string{"Account": "details", "Balances": "balances", "Transactions": "transactions", "Transaction": "transactions/id-1"}
	tests := []struct {
		err    error
		status int
		code   openbanking.ErrorCode
		detail string
	}{
		{&openbanking.Error{Code: openbanking.ASPSPRateLimitExceeded, Detail: []byte(`{"error_name":"RateLimitException"}`)}, 429,
			openbanking.ASPSPRateLimitExceeded, "RateLimitException"},
		{&openbanking.Error{Code: openbanking.ASPSPTimeout}, 408, openbanking.ASPSPTimeout, ""},
		{&openbanking.Error{Code: openbanking.ASPSPAccountNotAccessible}, 400, openbanking.ASPSPAccountNotAccessible, ""},
		{&openbanking.Error{Code: openbanking.ASPSPPSUActionRequired}, 400, openbanking.ASPSPPSUActionRequired, ""},
		{&openbanking.Error{Code: openbanking.WrongTransactionsPeriod, Detail: []byte(`{"date_from":"2026-01-01"}`)}, 422, openbanking.WrongTransactionsPeriod,
			`"date_from":"2026-01-01"`},
		{openbanking.ASPSPError, 400, openbanking.ASPSPError, ""},
		{errors.New("canary of the bank"), 400, openbanking.ASPSPError, "Unknown error"},
	}
	for method, path := range calls {
		for i, tt := range tests {
			t.Run(method+" "+strconv.Itoa(i), func(t *testing.T) {
				s.bank.Fail(method, tt.err)
				defer s.bank.Fail(method, nil)
				got := s.call("GET", "/accounts/"+uid(session)+"/"+path, "")
				wantError(t, got, tt.status, tt.code, tt.detail)
				if strings.Contains(got.raw, "canary") {
					t.Error("the cause reached the client")
				}
			})
		}
	}
	if !strings.Contains(s.log.String(), "canary of the bank") {
		t.Error("the cause is not in the log")
	}
	s.bank.Fail("EndConsent", errors.New("down"))
	if got := s.call("DELETE", "/sessions/"+session.text("session_id"), ""); got.status != 200 || got.text("message") != "OK" {
		t.Errorf("a bank that is down keeps a session open: %s", got.raw)
	}
}
