package engine

import (
	"encoding/json"

	"florin/internal/openbanking"
)

// text is a detail that is a string.
func text(s string) json.RawMessage { return mustJSON(s) }

func mustJSON(v any) json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // only strings and structures of strings come here
	}
	return data
}

// InvalidPSUHeader is the error PSU_HEADER_INVALID for one header.
func InvalidPSUHeader(name, problem string) error {
	return &openbanking.Error{Code: openbanking.PSUHeaderInvalid, Detail: text("PSU header " + camelCase(name) + " " + problem)}
}
