package contract

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"florin/internal/openbanking"
)

// TestShapeFindsWhatIsWrong: the suite is worth no more than its eye for a wrong answer.
func TestShapeFindsWhatIsWrong(t *testing.T) {
	const right = `{"status":"AUTHORIZED","accounts":["u"],"accounts_data":[{"uid":"u","identification_hash":"h","identification_hashes":["h"]}],
		"aspsp":{"name":"N","country":"FI"},"psu_type":"personal","psu_id_hash":"x","access":{"accounts":null,"balances":true,"transactions":null,"valid_until":"2026-01-31T12:00:00Z"},
		"created":"2026-01-31T12:00:00.000001Z","authorized":null,"more":1}`
	tests := []struct{ old, new, problem string }{
		{"", "", ""},
		{`"AUTHORIZED"`, `"OPEN"`, `status is "OPEN", which is no SessionStatus`},
		{`"AUTHORIZED"`, `1`, "status is float64, want a string"},
		{`"AUTHORIZED"`, `null`, "status is missing or null, but required"},
		{`"accounts":["u"],`, ``, "accounts is missing or null, but required"},
		{`["u"]`, `null`, "accounts is missing or null, but required"},
		{`["u"]`, `{}`, "accounts is map[string]interface {}, want an array"},
		{`["u"]`, `["u",1]`, "accounts[1] is float64, want a string"},
		{`["h"]`, `null`, "accounts_data[0].identification_hashes is missing or null, but required"},
		{`"country":"FI"`, `"x":1`, "aspsp.country is missing or null, but required"},
		{`true`, `"true"`, "access.balances is string, want a boolean"},
		{`"2026-01-31T12:00:00Z"`, `"2026-01-31"`, "access.valid_until is string, want an RFC 3339 date-time"},
		{`"authorized":null`, `"authorized":7`, "authorized is float64, want an RFC 3339 date-time"},
	}
	for _, tt := range tests {
		if !strings.Contains(right, tt.old) {
			t.Fatalf("%s is not in the answer", tt.old)
		}
		var value any
		if err := json.Unmarshal([]byte(strings.Replace(right, tt.old, tt.new, 1)), &value); err != nil {
			t.Fatal(err)
		}
		got := strings.Join(shapeProblems("", value, reflect.TypeFor[openbanking.Session]()), "; ")
		if got != tt.problem {
			t.Errorf("%s for %s: %q, want %q", tt.new, tt.old, got, tt.problem)
		}
	}
	if got := shapeProblems("", []any{}, reflect.TypeFor[openbanking.Session]()); len(got) != 1 || got[0] != "the answer is []interface {}, want an object" {
		t.Errorf("an array for an object: %v", got)
	}
}
