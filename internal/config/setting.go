package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// setting is a setting of Florin, or what one of its commands takes, as its field in the model declares it by tags.
type setting struct {
	name        string   // as a flag has it, without the dashes
	placeholder string   // what stands for its value in help
	group       string   // heading under which help and documents show it
	help        string   // one sentence or more
	standard    string   // value where none is given
	derived     string   // in words, what stands in for a value that is not given; "" where standard says it
	enum        []string // what it may be; nil for everything
	required    bool     // by the commands that take it
	whole       bool     // of a repeatable one: commas are part of a value

	field reflect.Value // a string, a list of them, or a bool
	given bool          // whether the standard was replaced
}

// settingsOf lists the settings that the fields of a struct declare, with those of embedded structs in their place.
func settingsOf(model reflect.Value) []*setting {
	var all []*setting
	for i := range model.NumField() {
		field, tag := model.Type().Field(i), model.Type().Field(i).Tag
		if field.Anonymous {
			all = append(all, settingsOf(model.Field(i))...)
			continue
		}
		s := &setting{
			name: tag.Get("name"), placeholder: tag.Get("placeholder"), group: tag.Get("group"), help: tag.Get("help"),
			standard: tag.Get("default"), derived: tag.Get("derived"), whole: tag.Get("sep") == "none", field: model.Field(i),
		}
		if s.name == "" {
			s.name = flagName(field.Name)
		}
		if enum, ok := tag.Lookup("enum"); ok {
			s.enum = strings.Split(enum, ",")
		}
		_, s.required = tag.Lookup("required")
		if s.standard != "" {
			_ = s.Set(s.standard) // text can be set to everything
			s.given = false
		}
		all = append(all, s)
	}
	return all
}

// flagName is the name of a field with its words joined by dashes: DataDir is data-dir.
func flagName(field string) string {
	var name strings.Builder
	for i, letter := range field {
		if i > 0 && letter >= 'A' && letter <= 'Z' {
			name.WriteByte('-')
		}
		name.WriteRune(letter)
	}
	return strings.ToLower(name.String())
}

// Set gives the setting a value. What a repeatable one has is kept, but for its standard. The error names what a bool may be.
func (s *setting) Set(text string) error {
	switch s.field.Kind() {
	case reflect.Bool:
		switch strings.ToLower(text) {
		case "true", "yes", "1":
			s.field.SetBool(true)
		case "false", "no", "0":
			s.field.SetBool(false)
		default:
			return fmt.Errorf("%q is not true or false", text)
		}
	case reflect.Slice:
		if !s.given {
			s.field.SetZero()
		}
		values := []string{text}
		if !s.whole {
			values = strings.Split(text, ",")
		}
		s.field.Set(reflect.AppendSlice(s.field, reflect.ValueOf(values)))
	default:
		s.field.SetString(text)
	}
	s.given = true
	return nil
}

// String returns "": standIn says which value is used when the setting is not given.
func (s *setting) String() string { return "" }

// Type is the placeholder, which help shows behind the name; that of a bool tells pflag to show none.
func (s *setting) Type() string {
	if s.field.Kind() == reflect.Bool {
		return "bool"
	}
	return s.placeholder
}

// repeatable reports whether the setting has a list of values.
func (s *setting) repeatable() bool { return s.field.Kind() == reflect.Slice }

// standIn says what is used where the setting is not given, "" for nothing.
func (s *setting) standIn() string {
	if s.standard != "" {
		return s.standard
	}
	return s.derived
}

// form is the setting as it is typed: --name=VALUE, or --name alone.
func (s *setting) form() string {
	if s.field.Kind() == reflect.Bool {
		return "--" + s.name
	}
	return "--" + s.name + "=" + s.placeholder
}

// flag is the setting for the command line, with its help.
func (s *setting) flag() *pflag.Flag {
	help := s.help
	if standIn := s.standIn(); standIn != "" {
		help += " Default: " + standIn + "."
	}
	flag := &pflag.Flag{Name: s.name, Usage: help, Value: s}
	if s.field.Kind() == reflect.Bool {
		flag.NoOptDefVal = "true"
	}
	return flag
}

// find returns the setting of the name, nil for none.
func find(all []*setting, name string) *setting {
	if i := slices.IndexFunc(all, func(s *setting) bool { return s.name == name }); i >= 0 {
		return all[i]
	}
	return nil
}
