// Package strictjson reads JSON objects so that two readers of one text see one object: names that occur twice or differ only in case are refused,
// where encoding/json takes the last of them and matches without regard to case (security F6).
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode/utf8"
)

var (
	// ErrMalformed says that a text is not one JSON object in UTF-8 with nothing after it.
	ErrMalformed = errors.New("not one JSON object")
	// ErrDuplicate says that two names on one level are equal or differ only in case.
	ErrDuplicate = errors.New("a name occurs twice")
	// ErrSpelling says that a name differs from the one that is meant only in case.
	ErrSpelling = errors.New("a name is spelt in another case")
	// ErrType says that a field has another type than it should.
	ErrType = errors.New("a field has the wrong type")
)

// Fields are the fields of one object, undecoded.
type Fields map[string]json.RawMessage

// Object reads one object. names are those that the caller knows: they occur spelt exactly so or not at all. Others are kept and may be ignored.
func Object(text []byte, names ...string) (Fields, error) {
	if !utf8.Valid(text) {
		return nil, ErrMalformed
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return nil, ErrMalformed
	}
	fields := make(Fields)
	folded := map[string]bool{}
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return nil, ErrMalformed
		}
		name, ok := token.(string)
		if !ok {
			return nil, ErrMalformed
		}
		if folded[fold(name)] {
			return nil, ErrDuplicate
		}
		folded[fold(name)] = true
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return nil, ErrMalformed
		}
		fields[name] = value
	}
	if _, err := decoder.Token(); err != nil {
		return nil, ErrMalformed
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, ErrMalformed
	}
	for _, name := range names {
		if _, ok := fields[name]; !ok && folded[fold(name)] {
			return nil, ErrSpelling
		}
	}
	return fields, nil
}

// fold makes names equal that strings.EqualFold calls equal, as encoding/json does.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case 'ſ': // folds with s, and K with k
			return 's'
		case '\u212a':
			return 'k'
		}
		return r
	}, strings.ToLower(strings.ToUpper(name)))
}

// Text reads a field as a string. A missing field is the empty string; null is ErrType.
func (f Fields) Text(name string) (string, error) {
	raw, ok := f[name]
	if !ok {
		return "", nil
	}
	var value *string
	if err := json.Unmarshal(raw, &value); err != nil || value == nil {
		return "", ErrType
	}
	return *value, nil
}
