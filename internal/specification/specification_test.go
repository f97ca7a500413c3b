package specification

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// No table has a name that the program does not know, and each has as many rows as the specification.
func TestTablesAreComplete(t *testing.T) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(new(Specification)); err != nil {
		t.Fatal(err)
	}
	s := Read()
	count := func(tables []Table) int {
		n := 0
		for _, table := range tables {
			n += len(table.Fields)
		}
		return n
	}
	values := 0
	for _, e := range s.Enumerations {
		values += len(e.Values)
	}
	for name, rows := range map[string][2]int{
		"endpoints":                 {len(s.Endpoints), 15},
		"PSU headers":               {len(s.PSUHeaders), 8},
		"lists of parameters":       {len(s.Parameters), 3},
		"parameters":                {count(s.Parameters), 13},
		"parts of tokens":           {len(s.Tokens), 4},
		"headers and claims":        {count(s.Tokens), 13},
		"limits":                    {len(s.Limits), 8},
		"structures":                {len(s.Structures), 54},
		"fields":                    {count(s.Structures), 303},
		"enumerations":              {len(s.Enumerations), 25},
		"values of enumerations":    {values, 189},
		"further tables of values":  {len(s.Meanings), 3},
		"error codes":               {len(s.ErrorCodes), 40},
		"statuses, with no success": {len(s.Statuses), 8},
	} {
		if rows[0] != rows[1] {
			t.Errorf("%d %s, want %d", rows[0], name, rows[1])
		}
	}
}

// Every name that a table mentions exists, and nothing is there twice.
func TestNamesExist(t *testing.T) {
	s := Read()
	known := map[string]bool{"string": true, "integer": true, "boolean": true, "object": true, "any": true, "ErrorCode": true}
	for _, e := range s.Enumerations {
		if known[e.Name] {
			t.Errorf("%s is there twice", e.Name)
		}
		known[e.Name] = true
		for value := range e.Remarks {
			if !slices.Contains(e.Values, value) {
				t.Errorf("%s has no value %s", e.Name, value)
			}
		}
	}
	for _, table := range s.Structures {
		if known[table.Name] {
			t.Errorf("%s is there twice", table.Name)
		}
		known[table.Name] = true
	}
	for _, table := range slices.Concat(s.Structures, s.Parameters, s.Tokens) {
		names := map[string]bool{}
		for _, f := range table.Fields {
			if names[f.Name] {
				t.Errorf("%s.%s is there twice", table.Name, f.Name)
			}
			names[f.Name] = true
			kind, _, _ := strings.Cut(strings.Trim(f.Type, "[]"), "(")
			if f.Type != "" && !known[kind] {
				t.Errorf("%s.%s has the unknown type %s", table.Name, f.Name, f.Type)
			}
		}
	}
	seen := map[string]bool{}
	for _, e := range s.Endpoints {
		if seen[e.Name()] || !known[e.Response] || e.Request != "" && !known[e.Request] {
			t.Errorf("%s is there twice, or a structure of it does not exist", e.Name())
		}
		seen[e.Name()] = true
	}
	for _, table := range s.Parameters {
		if !seen[table.Name] && table.Name != "redirect" {
			t.Errorf("parameters of %s, which does not exist", table.Name)
		}
	}
	rules := map[string]bool{}
	for _, r := range s.Rules {
		if rules[r.Text] {
			t.Errorf("the rule %q is there twice", r.Text)
		}
		rules[r.Text] = true
	}
}
