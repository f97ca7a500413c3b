package apptoken

import "florin/internal/strictjson"

// object reads one JSON object strictly, with names spelt exactly as they are known (security F6).
func object(text []byte, names ...string) (strictjson.Fields, error) {
	fields, err := strictjson.Object(text, names...)
	if err != nil {
		return nil, ErrMalformed
	}
	return fields, nil
}

// text reads a field as a string. A missing field is the empty string.
func text(fields strictjson.Fields, name string) (string, error) {
	value, err := fields.Text(name)
	if err != nil {
		return "", ErrMalformed
	}
	return value, nil
}
