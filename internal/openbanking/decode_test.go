package openbanking_test

import (
	"encoding/json"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	ob "florin/internal/openbanking"
	"florin/internal/specification"

	"pgregory.net/rapid"
)

// Everything that is written is read back equal, whatever is in it.
func TestEveryStructureRoundTrips(t *testing.T) {
	for name, structure := range structures {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				before := reflect.New(structure)
				fill(t, before.Elem())
				body, err := json.Marshal(before.Interface())
				if err != nil {
					t.Fatal(err)
				}
				after := reflect.New(structure)
				if err := json.Unmarshal(body, after.Interface()); err != nil {
					t.Fatalf("%s: %v", body, err)
				}
				if !reflect.DeepEqual(before.Interface(), after.Interface()) {
					t.Fatalf("%+v\nbecame %s\nthen %+v", before, body, after)
				}
			})
		})
	}
}

var (
	dateTime   = reflect.TypeFor[ob.DateTime]()
	rawMessage = reflect.TypeFor[json.RawMessage]()
)

// fill sets every field to a random value; what is optional may be absent.
func fill(t *rapid.T, v reflect.Value) {
	absent := func() bool { return rapid.IntRange(0, 3).Draw(t, "absent") == 0 }
	switch v.Type() {
	case dateTime:
		seconds := rapid.Int64Range(time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC).Unix(), time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC).Unix()).Draw(t, "seconds")
		v.Set(reflect.ValueOf(ob.DateTime{Time: time.Unix(seconds, rapid.Int64Range(0, 999_999_999).Draw(t, "nanoseconds")).UTC()}))
		return
	case rawMessage:
		if !absent() {
			v.SetBytes([]byte(rapid.SampledFrom([]string{`{"message":"m","error_data":{}}`, `"text"`, `[1,2]`, `7`, `true`}).Draw(t, "detail")))
		}
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i))
		}
	case reflect.Pointer:
		if !absent() {
			v.Set(reflect.New(v.Type().Elem()))
			fill(t, v.Elem())
		}
	case reflect.Slice:
		least := 1 // an optional array is absent or has elements
		if strings.HasPrefix(v.Type().Name(), "List[") {
			least = 0
		} else if absent() {
			return
		}
		n := rapid.IntRange(least, 2).Draw(t, "length")
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			fill(t, v.Index(i))
		}
	case reflect.Map:
		if !absent() {
			m := rapid.MapOfN(rapid.String(), rapid.String(), 1, 3).Draw(t, "map")
			v.Set(reflect.ValueOf(m))
		}
	case reflect.String:
		v.SetString(rapid.StringN(1, 12, -1).Draw(t, "string"))
	case reflect.Int:
		v.SetInt(rapid.Int64Range(math.MinInt32, math.MaxInt32).Draw(t, "int"))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "bool"))
	default:
		t.Fatalf("no values for %s", v.Type())
	}
}

// api-notes 5: answers hold every key of the specification, absent ones as null; required arrays are never null.
// Request bodies leave out what is absent.
func TestEveryKeyIsWritten(t *testing.T) {
	s := specification.Read()
	for _, table := range s.Structures {
		name := table.Name
		if shorter, ok := renamed[name]; ok {
			name = shorter
		}
		body, err := json.Marshal(reflect.New(structures[name]).Interface())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var written map[string]json.RawMessage
		if err := json.Unmarshal(body, &written); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, f := range table.Fields {
			value, ok := written[f.Name]
			delete(written, f.Name)
			left := f.Required != "yes" && slices.Contains(requestBodies, name) || name+"."+f.Name == "ErrorResponse.error"
			switch {
			case left && ok:
				t.Errorf("%s.%s: written as %s, must be left out", name, f.Name, value)
			case !left && !ok:
				t.Errorf("%s.%s: left out", name, f.Name)
			case f.Required == "yes" && string(value) == "null":
				t.Errorf("%s.%s: required, but null", name, f.Name)
			case !left && f.Required != "yes" && string(value) != "null" && name+"."+f.Name != "ErrorResponse.code":
				t.Errorf("%s.%s: absent, but written as %s", name, f.Name, value)
			}
		}
		if len(written) > 0 {
			t.Errorf("%s: writes %v besides", name, slices.Collect(maps.Keys(written)))
		}
	}
}

// A client survives absent keys, null in every place, and keys that it does not know.
func TestEveryStructureTolerates(t *testing.T) {
	s := specification.Read()
	for _, table := range s.Structures {
		name := table.Name
		if shorter, ok := renamed[name]; ok {
			name = shorter
		}
		nulls := make(map[string]any)
		for _, f := range table.Fields {
			nulls[f.Name] = nil
		}
		allNull, err := json.Marshal(nulls)
		if err != nil {
			t.Fatal(err)
		}
		for _, body := range []string{`{}`, string(allNull), `{"x_new":{"deep":[1,{"a":null}]},"_links":"x"}`} {
			got := reflect.New(structures[name])
			if err := json.Unmarshal([]byte(body), got.Interface()); err != nil {
				t.Errorf("%s: %s: %v", name, body, err)
			}
			if !got.Elem().IsZero() {
				t.Errorf("%s: %s was read as %+v", name, body, got.Elem())
			}
		}
	}
}

func decode[T any](t *testing.T, body string) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// api-notes 5: GET /sessions with all nulls and microseconds.
func TestDecodeSession(t *testing.T) {
	s := decode[ob.Session](t, `{
		"status":"AUTHORIZED",
		"accounts":["07cc67f4-45d6-494b-adac-09b5cbc7e2b5"],
		"accounts_data":[{"uid":"07cc67f4-45d6-494b-adac-09b5cbc7e2b5","identification_hash":"WwpbCiJhY2.IBAN/+=","identification_hashes":["WwpbCiJhY2.IBAN/+=","b"]}],
		"aspsp":{"name":"Nordea","country":"FI"},
		"psu_type":"personal",
		"psu_id_hash":"5df8e4f2",
		"access":{"accounts":null,"balances":true,"transactions":null,"valid_until":"2026-11-30 08:12:16.903123+00:00"},
		"created":"2026-06-03T08:12:16.903123Z",
		"authorized":"2026-06-03T08:13:00+02:00",
		"closed":null,
		"region":"EU"}`)
	if s.Status != ob.SessionStatusAuthorized || len(s.Accounts) != 1 || s.Accounts[0] != s.AccountsData[0].UID || s.Closed != nil {
		t.Errorf("%+v", s)
	}
	if s.AccountsData[0].IdentificationHash != "WwpbCiJhY2.IBAN/+=" || len(s.AccountsData[0].IdentificationHashes) != 2 {
		t.Errorf("hashes %+v", s.AccountsData)
	}
	if s.Access.Accounts != nil || s.Access.Balances == nil || !*s.Access.Balances || s.Access.Transactions != nil {
		t.Errorf("access %+v", s.Access)
	}
	if want := time.Date(2026, 11, 30, 8, 12, 16, 903123000, time.UTC); !s.Access.ValidUntil.Equal(want) {
		t.Errorf("valid until %v, want %v", s.Access.ValidUntil, want)
	}
	if want := time.Date(2026, 6, 3, 6, 13, 0, 0, time.UTC); !s.Authorized.Equal(want) {
		t.Errorf("authorized %v, want %v", s.Authorized, want)
	}
	if s := decode[ob.Session](t, `{"status":"SUSPENDED","accounts":[]}`); s.Status != "SUSPENDED" || ob.Known(s.Status) || len(s.Accounts) != 0 {
		t.Errorf("unknown status: %+v", s)
	}
}

// api-notes 5 and 6: full accounts of POST /sessions; schemes in no list; no IBAN; no uid.
func TestDecodeAccounts(t *testing.T) {
	r := decode[ob.AuthorizeSessionResponse](t, `{
		"session_id":"4604aa30-4de7-4d05-b5ee-d9a8636bdd8e",
		"accounts":[
			{"account_id":{"iban":null,"other":{"identification":"12 3456","scheme_name":"PLKNR","issuer":null}},
			 "all_account_ids":[{"identification":"A","scheme_name":"IBAN"},{"identification":"B","scheme_name":"IBAN","issuer":null}],
			 "account_servicer":null,"name":null,"usage":"PRIV","cash_account_type":"TRAN","product":null,"currency":"XXX",
			 "psu_status":"enabled","credit_limit":{"currency":"EUR","amount":"500"},"legal_age":false,
			 "uid":null,"identification_hash":"h","identification_hashes":["h"]},
			{"account_id":{"iban":"FI2112345600000785"},"cash_account_type":"CACC","currency":"EUR","uid":"u","identification_hash":"i","identification_hashes":null}
		],
		"aspsp":{"name":"Bank Millennium","country":"PL"},"psu_type":"business","access":{"valid_until":"2026-11-30T08:12:16Z"}}`)
	if len(r.Accounts) != 2 || r.SessionID != "4604aa30-4de7-4d05-b5ee-d9a8636bdd8e" || r.PSUType != ob.PSUTypeBusiness {
		t.Fatalf("%+v", r)
	}
	a := r.Accounts[0]
	if a.AccountID.IBAN != nil || a.AccountID.Other.Identification != "12 3456" || a.AccountID.Other.SchemeName != "PLKNR" ||
		ob.Known(a.AccountID.Other.SchemeName) {
		t.Errorf("identification %+v", a.AccountID)
	}
	if len(a.AllAccountIDs) != 2 || a.AllAccountIDs[0].SchemeName != ob.SchemeNameIBAN || a.AllAccountIDs[1].SchemeName != ob.SchemeNameIBAN {
		t.Errorf("all identifications %+v", a.AllAccountIDs)
	}
	if a.CashAccountType != "TRAN" || ob.Known(a.CashAccountType) || a.Currency != "XXX" || *a.PSUStatus != "enabled" || a.UID != nil || a.AccountServicer != nil {
		t.Errorf("account %+v", a)
	}
	if a.LegalAge == nil || *a.LegalAge || *a.Usage != ob.UsagePRIV || *a.CreditLimit != (ob.AmountType{Currency: "EUR", Amount: "500"}) {
		t.Errorf("account %+v", a)
	}
	if b := r.Accounts[1]; *b.AccountID.IBAN != "FI2112345600000785" || *b.UID != "u" || b.IdentificationHashes != nil || b.LegalAge != nil {
		t.Errorf("account %+v", b)
	}
}

// api-notes 7 and 10: pages and rows of real banks.
func TestDecodeTransactions(t *testing.T) {
	page := decode[ob.HalTransactions](t, `{"transactions":[
		{"entry_reference":null,"transaction_amount":{"currency":"EUR","amount":"23"},"credit_debit_indicator":"DBIT","status":"PDNG",
		 "booking_date":null,"value_date":null,"creditor":{"name":""},"debtor":null,"remittance_information":null,"transaction_id":null},
		{"entry_reference":"0","transaction_amount":{"currency":"SEK","amount":"-5.00"},"credit_debit_indicator":"CRDT","status":"BOOK",
		 "booking_date":"2026-02-30","transaction_date":"2026-02-28","remittance_information":[],
		 "creditor_account":{"iban":null,"other":{"identification":"1234","scheme_name":"CPAN","issuer":null}},
		 "bank_transaction_code":{"description":"CARD","code":"PMNT","sub_code":null},
		 "exchange_rate":{"unit_currency":"GBP","exchange_rate":"1.17","rate_type":"OTHER","instructed_amount":{"currency":"GBP","amount":"4.27"}},
		 "reference_number_schema":"NEWS"},
		{"transaction_amount":{"currency":"XXX","amount":"1.0050"},"credit_debit_indicator":"","status":"INFO","value_date":"",
		 "remittance_information":["Omschrijving: a\nKenmerk: b","",null]}
	],"continuation_key":"ab+/c=="}`)
	if len(page.Transactions) != 3 || *page.ContinuationKey != "ab+/c==" {
		t.Fatalf("%+v", page)
	}
	pending, booked, odd := page.Transactions[0], page.Transactions[1], page.Transactions[2]
	if pending.Status != ob.TransactionStatusPDNG || pending.BookingDate != nil || pending.ValueDate != nil || pending.TransactionDate != nil {
		t.Errorf("a pending row without any date: %+v", pending)
	}
	if pending.TransactionAmount.Amount != "23" || pending.Creditor == nil || *pending.Creditor.Name != "" || pending.Debtor != nil ||
		pending.RemittanceInformation != nil || pending.EntryReference != nil || pending.TransactionID != nil {
		t.Errorf("%+v", pending)
	}
	if booked.TransactionAmount != (ob.AmountType{Currency: "SEK", Amount: "-5.00"}) || *booked.EntryReference != "0" ||
		booked.RemittanceInformation == nil || len(booked.RemittanceInformation) != 0 {
		t.Errorf("%+v", booked)
	}
	if *booked.BookingDate != "2026-02-30" { // kept; it is for the reader to refuse it
		t.Errorf("booking date %s", *booked.BookingDate)
	}
	if _, err := booked.BookingDate.Time(); err == nil {
		t.Error("2026-02-30 is a date")
	}
	if booked.CreditorAccount.Other.SchemeName != ob.SchemeNameCPAN || *booked.BankTransactionCode.Description != "CARD" ||
		*booked.ExchangeRate.RateType != "OTHER" || *booked.ReferenceNumberSchema != "NEWS" || ob.Known(*booked.ReferenceNumberSchema) {
		t.Errorf("%+v", booked)
	}
	if odd.Status != "INFO" || ob.Known(odd.Status) || ob.Known(odd.CreditDebitIndicator) || *odd.ValueDate != "" || odd.TransactionAmount.Amount != "1.0050" {
		t.Errorf("%+v", odd)
	}
	if want := []string{"Omschrijving: a\nKenmerk: b", "", ""}; !slices.Equal(odd.RemittanceInformation, want) {
		t.Errorf("remittance information %q", odd.RemittanceInformation)
	}

	for _, body := range []string{`{"transactions":[],"continuation_key":null}`, `{"transactions":[]}`, `{"transactions":null}`} {
		if last := decode[ob.HalTransactions](t, body); last.ContinuationKey != nil || len(last.Transactions) != 0 {
			t.Errorf("%s: %+v", body, last)
		}
	}
	if more := decode[ob.HalTransactions](t, `{"transactions":[],"continuation_key":"k"}`); more.ContinuationKey == nil {
		t.Error("an empty page lost its key")
	}
}

// api-notes 7: the key is written on the last page too, because clients read it unchecked.
func TestLastPageWritesANullKey(t *testing.T) {
	if got, err := json.Marshal(ob.HalTransactions{}); err != nil || string(got) != `{"transactions":[],"continuation_key":null}` {
		t.Errorf("%s, %v", got, err)
	}
}

// api-notes 10, Balances: unknown types, an empty list, no dates.
func TestDecodeBalances(t *testing.T) {
	b := decode[ob.HalBalances](t, `{"balances":[
		{"name":"","balance_amount":{"currency":"EUR","amount":"-0.00"},"balance_type":"NEWT","last_change_date_time":null,"reference_date":"2026-01-31","last_committed_transaction":null},
		{"name":"Available","balance_amount":{"currency":"EUR","amount":"10.5"},"balance_type":"XPCD","last_change_date_time":"2026-01-31T10:00:00.5+01:00"}]}`)
	first, second := b.Balances[0], b.Balances[1]
	if len(b.Balances) != 2 || first.BalanceType != "NEWT" || ob.Known(first.BalanceType) || first.BalanceAmount.Amount != "-0.00" ||
		first.LastChangeDateTime != nil || *first.ReferenceDate != "2026-01-31" {
		t.Errorf("%+v", first)
	}
	if want := time.Date(2026, 1, 31, 9, 0, 0, 500_000_000, time.UTC); second.BalanceType != ob.BalanceStatusXPCD ||
		!second.LastChangeDateTime.Equal(want) || second.ReferenceDate != nil {
		t.Errorf("%+v", second)
	}
	if empty := decode[ob.HalBalances](t, `{"balances":[]}`); len(empty.Balances) != 0 {
		t.Errorf("%+v", empty)
	}
}

// A payment that is read back flattens what request and read-back have in common.
func TestDecodePayment(t *testing.T) {
	p := decode[ob.Payment](t, `{"payment_id":"p","status":"ACSC","payment_type":"SEPA","aspsp":{"name":"B","country":"DE"},"final_status":true,"psu_id_hash":"h",
		"payment_details":{"debtor":{"name":"Jane"},"debtor_account":{"identification":"DE1","scheme_name":"IBAN"},"credit_transfer_transaction":[
			{"instructed_amount":{"currency":"EUR","amount":"1.00"},"beneficiary":{"creditor":{"name":"Shop"},"creditor_account":{"identification":"FI2","scheme_name":"IBAN"}},
			 "transaction_id":"t","transaction_status":"WAIT","requested_execution_date":"2026-05-01"}]}}`)
	if *p.PaymentDetails.Debtor.Name != "Jane" || p.PaymentDetails.DebtorAccount.Identification != "DE1" || !p.FinalStatus || p.StatusReasonInformation != nil {
		t.Errorf("%+v", p)
	}
	transfer := p.PaymentDetails.CreditTransferTransaction[0]
	if transfer.InstructedAmount.Amount != "1.00" || *transfer.TransactionID != "t" || *transfer.TransactionStatus != "WAIT" ||
		ob.Known(*transfer.TransactionStatus) || transfer.Beneficiary.CreditorAccount.Identification != "FI2" || *transfer.RequestedExecutionDate != "2026-05-01" {
		t.Errorf("%+v", transfer)
	}
	if created := decode[ob.CreatePaymentResponse](t, `{"payment_id":"p","status":"RCVD","url":"u"}`); created.Status != ob.PaymentStatusRCVD { // api-notes 8
		t.Errorf("%+v", created)
	}
}

// spec: Events: payment_auth_status is absent or null before the PSU has started.
func TestDecodeWebhook(t *testing.T) {
	for _, body := range []string{
		`{"payment_id":"p","payment_status":"PDNG","payment_updates_expected":true,"webhook_id":"w","webhook_triggered":"2026-01-31T10:00:00.123456"}`,
		`{"payment_id":"p","payment_status":"PDNG","payment_updates_expected":true,"webhook_id":"w","webhook_triggered":"2026-01-31T10:00:00.123456","payment_auth_status":null}`,
	} {
		w := decode[ob.PaymentStatusWebhook](t, body)
		if w.PaymentAuthStatus != nil || w.PaymentStatus != ob.PaymentStatusPDNG || !w.PaymentUpdatesExpected || w.WebhookTriggered != "2026-01-31T10:00:00.123456" {
			t.Errorf("%+v", w)
		}
	}
	if w := decode[ob.PaymentStatusWebhook](t, `{"payment_auth_status":"FINALISED"}`); *w.PaymentAuthStatus != ob.PaymentAuthStatusFinalised {
		t.Errorf("%+v", w)
	}
}

// Whatever decodes is written and read back the same: amounts and dates stay as the bank wrote them.
func FuzzTransactions(f *testing.F) {
	f.Add([]byte(`{"transactions":[{"transaction_amount":{"currency":"EUR","amount":"-1.005"},"status":"BOOK","booking_date":"2026-02-30"}],"continuation_key":"a+/="}`))
	f.Add([]byte(`{"transactions":[{"transaction_amount":null,"creditor":{"name":""},"remittance_information":[null]}],"continuation_key":null}`))
	f.Add([]byte(`{"transactions":[{"transaction_amount":{"amount":1}}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var page ob.HalTransactions
		if err := json.Unmarshal(body, &page); err != nil {
			return
		}
		if page.Transactions == nil {
			page.Transactions = ob.List[ob.Transaction]{} // what it is written as
		}
		out, err := json.Marshal(page)
		if err != nil {
			t.Fatalf("%q: %v", body, err)
		}
		var again ob.HalTransactions
		if err := json.Unmarshal(out, &again); err != nil || !reflect.DeepEqual(page, again) {
			t.Fatalf("%q became %s, then %+v, %v", body, out, again, err)
		}
	})
}

func FuzzSession(f *testing.F) {
	f.Add([]byte(`{"status":"AUTHORIZED","access":{"valid_until":"2026-11-30 08:12:16.903123+00:00"},"created":"2026-06-03T08:12:16.903123Z","closed":null}`))
	f.Add([]byte(`{"status":7}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var session ob.Session
		if err := json.Unmarshal(body, &session); err != nil {
			return
		}
		out, err := json.Marshal(session)
		if err != nil {
			t.Fatalf("%q: %v", body, err)
		}
		var again ob.Session
		if err := json.Unmarshal(out, &again); err != nil || again.Status != session.Status || !again.Access.ValidUntil.Equal(session.Access.ValidUntil.Time) {
			t.Fatalf("%q became %s, then %+v, %v", body, out, again, err)
		}
	})
}
