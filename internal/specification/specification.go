// Package specification holds the tables of the specification of the API, word for word: endpoints, parameters,
// structures, enumerations, error codes, limits and rules. The data model is compared with them, the OpenAPI description
// is made of them, and the table of conformance lists each of their rows.
package specification

import (
	_ "embed"
	"encoding/json"
	"sync"
)

// Specification is the whole of the tables, each in the order of the specification.
type Specification struct {
	Endpoints    []Endpoint                   `json:"endpoints"`
	PSUHeaders   []Field                      `json:"psu_headers"`
	Parameters   []Table                      `json:"parameters"` // of queries, named "GET /aspsps", and of the redirect
	Tokens       []Table                      `json:"tokens"`     // parts of JSON Web Tokens
	Rules        []Rule                       `json:"rules"`      // what stands in sentences, not in tables
	Limits       []Limit                      `json:"limits"`
	Structures   []Table                      `json:"structures"`
	Enumerations []Enumeration                `json:"enumerations"`
	Meanings     map[string]map[string]string `json:"meanings"`    // further tables of values of enumerations
	ErrorCodes   map[string]string            `json:"error_codes"` // code: meaning
	Statuses     map[int]string               `json:"statuses"`
}

// Endpoint is one call of the API.
type Endpoint struct {
	Section    string  `json:"section"`
	Method     string  `json:"method"`
	Path       string  `json:"path"`
	Text       string  `json:"text"`
	Parameters []Field `json:"parameters"`  // of the path
	PSUHeaders bool    `json:"psu_headers"` // it takes the PSU headers
	Request    string  `json:"request"`     // name of a structure, or empty
	Response   string  `json:"response"`    // name of a structure
}

// Name returns the method and path, as Parameters is named too.
func (e Endpoint) Name() string { return e.Method + " " + e.Path }

// Table is a named list of fields.
type Table struct {
	Name   string  `json:"name"`
	Fields []Field `json:"fields"`
}

// Field is a field of a structure, a parameter, a header or a claim.
type Field struct {
	Name     string `json:"name"`
	Type     string `json:"type"`     // such as string(uuid), [T] or the name of a structure or enumeration
	Required string `json:"required"` // yes, no, or in PRODUCTION; empty where the specification does not say
	Notes    string `json:"notes"`
}

// Rule is a sentence of the specification that can be broken.
type Rule struct {
	Section string `json:"section"`
	Text    string `json:"text"`
}

// Limit is a row of the table of limits.
type Limit struct {
	Name      string `json:"name"`
	Value     string `json:"value"`
	AppliesTo string `json:"applies_to"`
}

// Enumeration is a list of values. Remarks are the words that stand beside some of them.
type Enumeration struct {
	Name    string            `json:"name"`
	Values  []string          `json:"values"`
	Remarks map[string]string `json:"remarks"`
}

//go:embed specification.json
var text []byte

// Read returns the specification. It is shared: callers change nothing in it.
var Read = sync.OnceValue(func() *Specification {
	var s Specification
	if err := json.Unmarshal(text, &s); err != nil {
		panic("specification: " + err.Error()) // the file is built in
	}
	return &s
})

// Find returns the table with that name, or nil.
func Find(tables []Table, name string) *Table {
	for i := range tables {
		if tables[i].Name == name {
			return &tables[i]
		}
	}
	return nil
}
