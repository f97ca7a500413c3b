package contract

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"florin/internal/openbanking"
)

// shapeProblems compares a JSON value with a type of openbanking and says what is wrong: a required field that is missing
// or null, a value of a wrong type, an enumeration value that the specification does not know, a date that is none.
// Fields that the type does not have are allowed.
func shapeProblems(path string, value any, want reflect.Type) []string {
	if value == nil {
		if requiredType(want) {
			return []string{name(path) + " is missing or null, but required"}
		}
		return nil
	}
	wrong := func(expected string) []string {
		return []string{fmt.Sprintf("%s is %T, want %s", name(path), value, expected)}
	}
	text, isText := value.(string)
	switch want {
	case reflect.TypeFor[openbanking.DateTime]():
		if _, err := time.Parse(time.RFC3339Nano, text); !isText || err != nil {
			return wrong("an RFC 3339 date-time")
		}
		return nil
	case reflect.TypeFor[openbanking.Date]():
		if _, err := time.Parse(time.DateOnly, text); !isText || err != nil {
			return wrong("an ISO 8601 date")
		}
		return nil
	}
	switch want.Kind() {
	case reflect.Pointer:
		return shapeProblems(path, value, want.Elem())
	case reflect.Struct:
		object, ok := value.(map[string]any)
		if !ok {
			return wrong("an object")
		}
		return structProblems(path, object, want)
	case reflect.Slice:
		array, ok := value.([]any)
		if !ok {
			return wrong("an array")
		}
		var problems []string
		for i, v := range array {
			problems = append(problems, shapeProblems(fmt.Sprintf("%s[%d]", path, i), v, want.Elem())...)
		}
		return problems
	case reflect.String:
		if !isText {
			return wrong("a string")
		}
		return enumProblems(path, text, want)
	case reflect.Bool:
		if _, ok := value.(bool); !ok {
			return wrong("a boolean")
		}
	case reflect.Int:
		if n, ok := value.(float64); !ok || n != float64(int(n)) {
			return wrong("an integer")
		}
	}
	return nil
}

func structProblems(path string, object map[string]any, want reflect.Type) []string {
	var problems []string
	for i := range want.NumField() {
		field := want.Field(i)
		if field.Anonymous {
			problems = append(problems, structProblems(path, object, field.Type)...)
			continue
		}
		key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		below := key
		if path != "" {
			below = path + "." + key
		}
		problems = append(problems, shapeProblems(below, object[key], field.Type)...)
	}
	return problems
}

// enumProblems wants a value that the specification names.
func enumProblems(path, text string, want reflect.Type) []string {
	method := reflect.New(want).Elem().MethodByName("Values")
	if !method.IsValid() {
		return nil
	}
	values := method.Call(nil)[0]
	for i := range values.Len() {
		if values.Index(i).String() == text {
			return nil
		}
	}
	return []string{fmt.Sprintf("%s is %q, which is no %s", name(path), text, want.Name())}
}

// requiredType reports whether openbanking uses the type for required fields: anything but a pointer and a plain slice.
// A required array is an openbanking.List, the one slice type with a name.
func requiredType(want reflect.Type) bool {
	switch want.Kind() {
	case reflect.Pointer, reflect.Map:
		return false
	case reflect.Slice:
		return want.Name() != ""
	}
	return true
}

func name(path string) string {
	if path == "" {
		return "the answer"
	}
	return path
}
