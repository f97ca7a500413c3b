package strictjson

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func TestObject(t *testing.T) {
	cases := []struct {
		name, text string
		err        error
	}{
		{"plain", `{"sub":"a","other":{"x":[1]}}`, nil},
		{"empty", `{}`, nil},
		{"white space around", " \n{} \t", nil},
		{"nothing", ``, ErrMalformed},
		{"null", `null`, ErrMalformed},
		{"an array", `[]`, ErrMalformed},
		{"cut off", `{"sub":"a"`, ErrMalformed},
		{"cut off in a value", `{"sub":`, ErrMalformed},
		{"something after it", `{"sub":"a"}{}`, ErrMalformed},
		{"garbage after it", `{"sub":"a"}x`, ErrMalformed},
		{"byte order mark", "\ufeff{}", ErrMalformed},
		{"no UTF-8", "{\"sub\":\"\xff\"}", ErrMalformed},
		{"twice", `{"sub":"a","sub":"b"}`, ErrDuplicate},
		{"twice in another case", `{"sub":"a","SUB":"b"}`, ErrDuplicate},
		{"twice, once escaped", `{"sub":"a","s\u0075b":"b"}`, ErrDuplicate},
		{"twice with the long s", `{"sub":"a","ſub":"b"}`, ErrDuplicate},
		{"an unknown name twice", `{"x":1,"X":2}`, ErrDuplicate},
		{"another case", `{"Sub":"a"}`, ErrSpelling},
		{"the long s", `{"ſub":"a"}`, ErrSpelling},
		{"an unknown name in any case", `{"sUbX":"a"}`, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if _, err := Object([]byte(c.text), "sub"); !errors.Is(err, c.err) {
				t.Errorf("%v, want %v", err, c.err)
			}
		})
	}
}

func TestText(t *testing.T) {
	f, err := Object([]byte(`{"a":"x","b":null,"c":1}`))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]struct {
		text string
		err  error
	}{"a": {"x", nil}, "b": {"", ErrType}, "c": {"", ErrType}, "d": {"", nil}} {
		if text, err := f.Text(name); text != want.text || !errors.Is(err, want.err) {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}

// What Object lets pass has one meaning for encoding/json, too.
func FuzzObject(f *testing.F) {
	for _, seed := range []string{`{"sub":"a"}`, `{"sub":"a","SUB":"b"}`, `{"ſub":"a"}`, `{"a":{"b":1,"b":2}}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		fields, err := Object([]byte(text), "sub", "msgi")
		if err != nil {
			return
		}
		var loose struct {
			Sub  json.RawMessage `json:"sub"`
			Msgi json.RawMessage `json:"msgi"`
		}
		if err := json.Unmarshal([]byte(text), &loose); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if string(loose.Sub) != string(fields["sub"]) || string(loose.Msgi) != string(fields["msgi"]) {
			t.Fatalf("%q is read in two ways", text)
		}
		for a := range fields {
			for b := range fields {
				if a != b && strings.EqualFold(a, b) {
					t.Fatalf("%q and %q", a, b)
				}
			}
		}
	})
}
