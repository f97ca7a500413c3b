package apptoken

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"unicode/utf8"
)

// object reads one JSON object into its fields, strictly: valid UTF-8, nothing
// after it, and no two names on one level that are equal or differ only in
// case. encoding/json by itself takes the last of duplicate names and matches
// them without regard to case, so two readers of one token could see two
// different tokens (security F6).
func object(text []byte) (map[string]json.RawMessage, error) {
	if !utf8.Valid(text) {
		return nil, ErrMalformed
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return nil, ErrMalformed
	}
	fields := make(map[string]json.RawMessage)
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return nil, ErrMalformed
		}
		name, ok := token.(string)
		if !ok || hasFold(fields, name) {
			return nil, ErrMalformed
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return nil, ErrMalformed
		}
		fields[name] = value
	}
	if _, err := decoder.Token(); err != nil {
		return nil, ErrMalformed
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, ErrMalformed
	}
	return fields, nil
}

// hasFold reports whether fields holds the name in any case.
func hasFold(fields map[string]json.RawMessage, name string) bool {
	for other := range fields {
		if strings.EqualFold(other, name) {
			return true
		}
	}
	return false
}

// onlySpelt reports whether each of the names, where it occurs, is spelt exactly so.
func onlySpelt(fields map[string]json.RawMessage, names ...string) bool {
	for field := range fields {
		for _, name := range names {
			if field != name && strings.EqualFold(field, name) {
				return false
			}
		}
	}
	return true
}

// text reads a field as a string. A missing field is the empty string.
func text(fields map[string]json.RawMessage, name string) (string, error) {
	raw, ok := fields[name]
	if !ok {
		return "", nil
	}
	var value *string
	if err := json.Unmarshal(raw, &value); err != nil || value == nil {
		return "", ErrMalformed
	}
	return *value, nil
}
