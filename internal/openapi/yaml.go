package openapi

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
)

// object is a mapping with an order.
type object []member

type member struct {
	name  string
	value any // object, []any, string, int or bool
}

// with returns the mapping with one more member at its end.
func (o object) with(name string, value any) object { return append(o, member{name, value}) }

// encode writes a value as block YAML, of which every reader knows the little that is used: mappings, sequences, plain
// and double-quoted scalars.
func encode(b *bytes.Buffer, indent string, value any) {
	switch v := value.(type) {
	case object:
		if len(v) == 0 {
			b.WriteString(" {}\n")
			return
		}
		b.WriteByte('\n')
		for _, m := range v {
			b.WriteString(indent + scalar(m.name) + ":")
			encode(b, indent+"  ", m.value)
		}
	case []any:
		if len(v) == 0 {
			b.WriteString(" []\n")
			return
		}
		b.WriteByte('\n')
		for _, item := range v {
			b.WriteString(indent + "-")
			if o, ok := item.(object); ok && len(o) > 0 { // the first member stands beside the dash
				var inner bytes.Buffer
				encode(&inner, indent+"  ", o)
				b.WriteString(" " + strings.TrimPrefix(inner.String(), "\n"+indent+"  "))
				continue
			}
			encode(b, indent+"  ", item)
		}
	case string:
		b.WriteString(" " + scalar(v) + "\n")
	case int:
		b.WriteString(" " + strconv.Itoa(v) + "\n")
	case bool:
		b.WriteString(" " + strconv.FormatBool(v) + "\n")
	default:
		panic("openapi: this value cannot be written as YAML")
	}
}

// plain texts mean themselves in YAML; anything else is quoted.
var plain = regexp.MustCompile(`^[A-Za-z/$][A-Za-z0-9_/.$(){}+-]*([ ,;][A-Za-z0-9_/.$(){}+-]*)*$`)

func scalar(text string) string {
	switch strings.ToLower(text) {
	case "null", "true", "false", "yes", "no", "on", "off", "y", "n":
		return strconv.Quote(text)
	}
	if plain.MatchString(text) && !strings.HasSuffix(text, " ") {
		return text
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		panic(err) // a text
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// fromJSON makes a value of JSON, with its order.
func fromJSON(text string) any {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	return jsonValue(d)
}

func jsonValue(d *json.Decoder) any {
	token, err := d.Token()
	if err != nil {
		panic("openapi: an example is no JSON: " + err.Error())
	}
	switch t := token.(type) {
	case json.Delim:
		if t == '{' {
			var o object
			for d.More() {
				name, _ := d.Token() // More has seen it
				o = o.with(name.(string), jsonValue(d))
			}
			_, _ = d.Token()
			return o
		}
		list := []any{}
		for d.More() {
			list = append(list, jsonValue(d))
		}
		_, _ = d.Token()
		return list
	case json.Number:
		n, err := strconv.Atoi(t.String())
		if err != nil {
			panic("openapi: an example has a number that is no integer")
		}
		return n
	}
	return token // a text or a truth value
}
