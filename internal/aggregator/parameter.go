package aggregator

import (
	"encoding/json"

	"florin/internal/openbanking"
)

// InvalidParameter is the error WRONG_REQUEST_PARAMETERS for one field or parameter, named as the wire spells it
// ("access.valid_until"). problem completes the sentence that the name begins: "is missing".
// Message and detail have the observed form (api-notes 1, paging).
func InvalidParameter(name, problem string) error {
	message := name + " " + problem
	detail, err := json.Marshal(struct {
		Message   string   `json:"message"`
		ErrorName string   `json:"error_name"`
		ErrorData struct{} `json:"error_data"`
	}{Message: message, ErrorName: "ParameterValidationException"})
	if err != nil {
		panic(err) // a structure of strings
	}
	return &openbanking.Error{
		Code:    openbanking.WrongRequestParameters,
		Message: "Wrong request parameters: " + message,
		Detail:  detail,
	}
}
