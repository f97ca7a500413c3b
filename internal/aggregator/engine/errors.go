package engine

import (
	"encoding/json"

	"florin/internal/openbanking"
)

// InvalidParameter is the error WRONG_REQUEST_PARAMETERS for one field or parameter, named as the wire spells it
// ("access.valid_until"). problem completes the sentence that the name begins: "is missing".
// Message and detail have the observed form (api-notes 1, paging).
func InvalidParameter(name, problem string) error {
	message := name + " " + problem
	return &openbanking.Error{
		Code:    openbanking.WrongRequestParameters,
		Message: "Wrong request parameters: " + message,
		Detail: mustJSON(struct {
			Message   string   `json:"message"`
			ErrorName string   `json:"error_name"`
			ErrorData struct{} `json:"error_data"`
		}{Message: message, ErrorName: "ParameterValidationException"}),
	}
}

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
