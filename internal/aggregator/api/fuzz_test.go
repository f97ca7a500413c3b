package api_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"
)

// fuzzed checks what holds for every request whatever: an answer in JSON, and never a 500.
func fuzzed(t *testing.T, got answer) {
	t.Helper()
	if got.status >= 500 || got.body == nil || got.header.Get("X-Request-Id") == "" {
		t.Errorf("%d %q", got.status, got.raw)
	}
	if got.status != 200 && (got.text("message") == "" || got.at("code") != float64(got.status)) {
		t.Errorf("not an ErrorResponse: %d %s", got.status, got.raw)
	}
}

// FuzzBodies sends any text as a body of POST /auth, POST /sessions and POST /payments.
func FuzzBodies(f *testing.F) {
	s := startPaying(f)
	f.Add(paymentRequest("webhook_url", webhook))
	f.Add(paymentRequest("payment_type", "BULK_SEPA", "payment_request.credit_transfer_transaction", transfers(3)))
	f.Add(authRequest())
	f.Add(authRequest("psu_type", "business", "credentials", map[string]any{"a": "b"}, "language", "fi"))
	for _, body := range []string{``, `{}`, `[]`, `null`, `{"code":"a"}`, `{"code":"a","code":"b"}`, `{"access":{"valid_until":1e400}}`, `{"":{"":[[[]]]}}`,
		"{\"code\":\"\x00\"}", `{"code":"\ud800"}`} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		s.t = t
		fuzzed(t, s.call("POST", "/auth", body, "Content-Type", "application/json"))
		fuzzed(t, s.call("POST", "/sessions", body, "Content-Type", "application/json"))
		fuzzed(t, s.call("POST", "/payments", body, "Content-Type", "application/json"))
	})
}

// FuzzPayments sends any text in fields of a payment. What is accepted is read back as it was sent.
func FuzzPayments(f *testing.F) {
	s := startPaying(f)
	for _, text := range []string{"", "0", "1.00", "1e3", "DE89370400440532013000", "RF18539007547034", "2026-12-01", "\x00", "\u202e", "\xff",
		"https://app.example/", "https://app.example@evil.example", "'--"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s.t = t
		for _, field := range []string{
			amountOf, ibanOf, dateOf, first + ".instructed_amount.currency", first + ".beneficiary.creditor.name", first + ".reference_number", first + ".frequency",
			"payment_request.debtor_currency", "webhook_url", "redirect_url", "state", "language", "psu_id",
		} {
			created := s.call("POST", "/payments", paymentRequest(field, text))
			fuzzed(t, created)
			if created.status != 200 {
				continue
			}
			got := s.call("GET", "/payments/"+created.text("payment_id"), "")
			fuzzed(t, got)
			if field == amountOf && !strings.Contains(got.raw, `"amount":"`+text+`"`) || got.status != 200 {
				t.Errorf("%s %q is read back as %s", field, text, got.raw)
			}
		}
		fuzzed(t, s.call("GET", "/payments/"+url.PathEscape("x"+text), ""))
		fuzzed(t, s.call("DELETE", "/payments/"+url.PathEscape("x"+text), ""))
		fuzzed(t, s.call("GET", "/payments/"+url.PathEscape("x"+text)+"/transactions/"+url.PathEscape("x"+text), ""))
	})
}

// FuzzValidUntil sends any text as valid_until. One that is accepted is echoed in UTC, in whole seconds, within its bounds.
func FuzzValidUntil(f *testing.F) {
	s := start(f)
	for _, value := range []string{"2026-11-30T08:12:16.903Z", "2026-11-30 08:12:16+00:00", "9999-12-31T23:59:59-23:59", "0000-01-01T00:00:00Z", "",
		"2026-11-30", "2026-13-30T08:12:16Z",
		time.Now().Add(time.Hour).Format(time.RFC3339Nano), time.Now().Add(time.Hour).UTC().Format("2006-01-02 15:04:05.000000Z07:00")} {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value string) {
		s.t = t
		started := s.call("POST", "/auth", authRequest("access.valid_until", value))
		fuzzed(t, started)
		if started.status != 200 {
			return
		}
		row, err := s.store.SessionByAuthorization(t.Context(), started.text("authorization_id"))
		if err != nil {
			t.Fatal(err)
		}
		until := row.Access.ValidUntil.Time
		if until.Nanosecond() != 0 || until.Location() != time.UTC || until.Before(time.Now().Add(-time.Minute)) ||
			until.After(time.Now().Add(7776000*time.Second)) {
			t.Errorf("%q was confirmed as %v", value, until)
		}
	})
}

// FuzzContinuationKeys sends any text as a key, and a right key with any change: no page comes of a key that was not made
// for the listing.
func FuzzContinuationKeys(f *testing.F) {
	s := start(f)
	path := "/accounts/" + uid(s.link()) + "/transactions"
	first := s.call("GET", path, "")
	key := first.text("continuation_key")
	second := list(s.call("GET", path+"?continuation_key="+key, ""))
	for _, k := range []string{key, "", "10", key[1:], key + key, "AAAA", "%2B/=", key[:20] + "\x00"} {
		f.Add(k)
	}
	f.Fuzz(func(t *testing.T, k string) {
		s.t = t
		got := s.call("GET", path+"?continuation_key="+url.QueryEscape(k), "")
		fuzzed(t, got)
		switch {
		case k == key && list(got) != second:
			t.Errorf("the right key gives %s", got.raw)
		case k != key && k != "" && got.status == 200:
			t.Errorf("the key %q gives a page", k)
		}
	})
}

// FuzzQueries sends any text as the value of each parameter of a query.
func FuzzQueries(f *testing.F) {
	s := start(f)
	path := "/accounts/" + uid(s.link()) + "/transactions?"
	for _, value := range []string{"", "2026-02-30", "FI", "personal", "BOOK", "longest", "\x00", "'--", "9999999999-01-01"} {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value string) {
		s.t = t
		for _, name := range []string{"date_from", "date_to", "transaction_status", "strategy"} {
			fuzzed(t, s.call("GET", path+name+"="+url.QueryEscape(value), ""))
		}
		for _, name := range []string{"country", "psu_type", "service", "payment_type"} {
			fuzzed(t, s.call("GET", "/aspsps?"+name+"="+url.QueryEscape(value), ""))
		}
		fuzzed(t, s.call("GET", path+"date_from=2020-01-01&date_to="+url.QueryEscape(value), ""))
		fuzzed(t, s.call("GET", "/sessions/"+url.PathEscape("x"+value), ""))
		code, err := json.Marshal(map[string]string{"code": value})
		if err != nil {
			t.Fatal(err)
		}
		fuzzed(t, s.call("POST", "/sessions", string(code)))
	})
}
