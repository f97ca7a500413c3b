package openbanking

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// A page has each transaction as a struct and as the very text that came, whatever stands around it.
func TestTransactionsPageKeepsOriginals(t *testing.T) {
	rows := []string{
		`{"entry_reference": "1", "remittance_information": ["a, ]} \" b"], "transaction_amount": {"currency":"EUR","amount":"1.50"}, "unknown": {"x": [1, {}]}}`,
		`{"entry_reference":"2"}`, `{ }`,
	}
	for _, page := range []string{
		`{"transactions":[` + strings.Join(rows, ",") + `],"continuation_key":"k"}`,
		" {\n\"links\": {\"next\": [1, \"]\"]}, \"continuation_key\" : \"k\" ,\r\n\"transactions\" : [ \t" + strings.Join(rows, " ,\n ") + "\n] , \"more\": null }\n",
	} {
		var p TransactionsPage
		if err := json.Unmarshal([]byte(page), &p); err != nil {
			t.Fatal(err)
		}
		var plain HalTransactions
		if err := json.Unmarshal([]byte(page), &plain); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(p.HalTransactions, plain) || p.ContinuationKey == nil || *p.ContinuationKey != "k" {
			t.Errorf("%+v, want %+v", p.HalTransactions, plain)
		}
		var originals []string
		for _, o := range p.Originals {
			originals = append(originals, string(o))
		}
		if !slices.Equal(originals, rows) {
			t.Errorf("%q, want %q", originals, rows)
		}
	}
}

// What is no page is an error, and a page without a list is told from one with an empty list.
func TestTransactionsPageRefuses(t *testing.T) {
	for _, text := range []string{``, `null`, `[]`, `"x"`, `{`, `{"transactions":[{}`, `{"transactions":[{}}]`, `{"transactions":{}}`, `{"transactions":[1]}`, `{"transactions":[{} {}]}`,
		`{"transactions":[{}],}`, `{"transactions":[]} {}`, `{"transactions":[]}x`, `{"continuation_key":1}`, `{"other":[1,}`, `{"transactions":[{"entry_reference":1}]}`,
	} {
		if err := new(TransactionsPage).UnmarshalJSON([]byte(text)); err == nil {
			t.Errorf("%s is taken", text)
		}
	}
	for text, there := range map[string]bool{`{}`: false, `{"transactions":null}`: false, `{"transactions":[]}`: true} {
		var p TransactionsPage
		if err := p.UnmarshalJSON([]byte(text)); err != nil || (p.Originals != nil) != there {
			t.Errorf("%s: %v %v", text, err, p.Originals)
		}
	}
}
