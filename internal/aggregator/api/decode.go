package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
)

// maxDepth bounds how deep a body may nest; the deepest request of the specification needs eight levels.
const maxDepth = 32

// decodeBody reads a body into target, a structure of openbanking, strictly (api-notes 1): broken JSON, a name given twice,
// a missing required field, a wrong type or an unknown enumeration value is WRONG_REQUEST_PARAMETERS and names the field.
// Fields that target does not have are ignored; optional ones that say nothing are absent.
func decodeBody(body []byte, target any) error {
	value, err := parse(body)
	if err != nil {
		return err
	}
	return fill("", value, reflect.ValueOf(target).Elem())
}

var errNotJSON = aggregator.InvalidParameter("body", "is not valid JSON")

// parse reads one JSON value: objects as map[string]any, arrays as []any, numbers as json.Number. encoding/json takes the
// last of two equal names; here they are an error.
func parse(body []byte) (any, error) {
	if len(bytes.TrimSpace(body)) == 0 {
		return nil, aggregator.InvalidParameter("body", "is empty")
	}
	if !utf8.Valid(body) {
		return nil, aggregator.InvalidParameter("body", "is not valid UTF-8")
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	value, err := parseValue(decoder, nil, 0)
	if err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errNotJSON
	}
	return value, nil
}

// place is the position of a value in a body. Its path is written out only for an error: a client chooses the length of names and the number of values
// below them, and writing every path could cost the product of both.
type place struct {
	within *place // nil at the top
	name   string // in an object; else index in an array
	index  int
}

func (p *place) member(name string) *place { return &place{within: p, name: name, index: -1} }

func (p *place) element(i int) *place { return &place{within: p, index: i} }

func (p *place) path() string {
	switch {
	case p == nil:
		return ""
	case p.index >= 0:
		return element(p.within.path(), p.index)
	}
	return member(p.within.path(), shorten(p.name))
}

// shorten makes a name that a client invented fit for an answer.
func shorten(name string) string {
	const most = 100
	if r := []rune(name); len(r) > most {
		return string(r[:most]) + "…"
	}
	return name
}

func parseValue(decoder *json.Decoder, at *place, depth int) (any, error) {
	if depth > maxDepth {
		return nil, aggregator.InvalidParameter("body", "is nested too deeply")
	}
	token, err := decoder.Token()
	if err != nil {
		return nil, errNotJSON
	}
	switch token {
	case json.Delim('{'):
		object := map[string]any{}
		for decoder.More() {
			token, err := decoder.Token()
			name, ok := token.(string)
			if err != nil || !ok {
				return nil, errNotJSON
			}
			if _, twice := object[name]; twice {
				return nil, aggregator.InvalidParameter(at.member(name).path(), "is given twice")
			}
			if object[name], err = parseValue(decoder, at.member(name), depth+1); err != nil {
				return nil, err
			}
		}
		return object, end(decoder)
	case json.Delim('['):
		array := []any{}
		for decoder.More() {
			value, err := parseValue(decoder, at.element(len(array)), depth+1)
			if err != nil {
				return nil, err
			}
			array = append(array, value)
		}
		return array, end(decoder)
	}
	return token, nil
}

// end reads the bracket that closes an object or array.
func end(decoder *json.Decoder) error {
	if _, err := decoder.Token(); err != nil {
		return errNotJSON
	}
	return nil
}

// fill stores value, which is nil when it is null or missing, in target.
func fill(path string, value any, target reflect.Value) error {
	switch isRequired := required(target.Type()); {
	case value == nil && isRequired:
		return wrong(path, "is missing")
	case !isRequired && absent(value, target.Type()):
		return nil
	}
	switch t := target.Addr().Interface().(type) {
	case *openbanking.DateTime:
		return fillText(path, value, func(s string) (err error) { *t, err = openbanking.ParseDateTime(s); return err })
	case *openbanking.Date:
		return fillText(path, value, func(s string) error { *t = openbanking.Date(s); _, err := t.Time(); return err })
	}
	switch target.Kind() {
	case reflect.Pointer:
		target.Set(reflect.New(target.Type().Elem()))
		return fill(path, value, target.Elem())
	case reflect.Struct:
		object, ok := value.(map[string]any)
		if !ok {
			return wrong(path, "must be an object")
		}
		return fillStruct(path, object, target)
	case reflect.Slice:
		array, ok := value.([]any)
		if !ok {
			return wrong(path, "must be an array")
		}
		target.Set(reflect.MakeSlice(target.Type(), len(array), len(array)))
		for i, v := range array {
			if err := fill(element(path, i), v, target.Index(i)); err != nil {
				return err
			}
		}
		return nil
	case reflect.Map:
		object, ok := value.(map[string]any)
		if !ok {
			return wrong(path, "must be an object")
		}
		target.Set(reflect.MakeMapWithSize(target.Type(), len(object)))
		for name, v := range object {
			item := reflect.New(target.Type().Elem()).Elem()
			if err := fill(member(path, shorten(name)), v, item); err != nil {
				return err
			}
			target.SetMapIndex(reflect.ValueOf(name), item)
		}
		return nil
	case reflect.String:
		text, ok := value.(string)
		if !ok {
			return wrong(path, "must be a string")
		}
		target.SetString(text)
		return checkEnum(path, target)
	case reflect.Bool:
		truth, ok := value.(bool)
		if !ok {
			return wrong(path, "must be true or false")
		}
		target.SetBool(truth)
		return nil
	case reflect.Int:
		number, ok := value.(json.Number)
		n, err := strconv.Atoi(number.String())
		if !ok || err != nil {
			return wrong(path, "must be an integer")
		}
		target.SetInt(int64(n))
		return nil
	default:
		panic("api: no rule to read a " + target.Type().String())
	}
}

// absent reports whether the value of an optional field counts as not given. Clients that fill in a form or a class send an empty text for a field left
// empty, an object of such fields, or lines without text; PHP sends an empty object as an array. A list of objects is never absent: a client that lists
// accounts wants no others.
func absent(value any, t reflect.Type) bool {
	list := t.Kind() == reflect.Slice
	switch v := value.(type) {
	case []any:
		return !list && len(v) == 0 || list && t.Elem().Kind() == reflect.String && blank(v)
	case map[string]any:
		return !list && blank(v)
	}
	return blank(value)
}

// blank reports whether a value is null, an empty text, or made of such values alone.
func blank(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case []any:
		return !slices.ContainsFunc(v, func(item any) bool { return !blank(item) })
	case map[string]any:
		for _, member := range v {
			if !blank(member) {
				return false
			}
		}
		return true
	}
	return false
}

// required reports whether openbanking uses the type for fields that are required: anything but a pointer, a map and a
// plain slice. A required array is an openbanking.List, the one slice type with a name.
func required(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Map:
		return false
	case reflect.Slice:
		return t.Name() != ""
	}
	return true
}

func fillStruct(path string, object map[string]any, target reflect.Value) error {
	for i := range target.NumField() {
		field := target.Type().Field(i)
		if field.Anonymous {
			if err := fillStruct(path, object, target.Field(i)); err != nil {
				return err
			}
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if err := fill(member(path, name), object[name], target.Field(i)); err != nil {
			return err
		}
	}
	return nil
}

func fillText(path string, value any, read func(string) error) error {
	text, ok := value.(string)
	if !ok {
		return wrong(path, "must be a string")
	}
	if err := read(text); err != nil {
		return wrong(path, "is "+err.Error())
	}
	return nil
}

// checkEnum refuses a text that is not a value of its enumeration (openbanking.Enum).
func checkEnum(path string, target reflect.Value) error {
	method := target.MethodByName("Values")
	if !method.IsValid() {
		return nil
	}
	values := method.Call(nil)[0]
	known := make([]string, values.Len())
	for i := range known {
		if known[i] = values.Index(i).String(); known[i] == target.String() {
			return nil
		}
	}
	return wrong(path, "must be one of "+strings.Join(known, ", "))
}

// wrong is InvalidParameter for a path of a body; the empty path is the body itself.
func wrong(path, problem string) error {
	if path == "" {
		path = "body"
	}
	return aggregator.InvalidParameter(path, problem)
}

func member(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func element(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }
