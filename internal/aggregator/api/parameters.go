package api

import (
	"net/url"
	"strings"

	"github.com/google/uuid"

	"florin/internal/aggregator/engine"
	"florin/internal/openbanking"
)

// pathUUID returns a path parameter that is a UUID, in lower case.
func pathUUID(r *request, name string) (string, error) {
	value := r.PathValue(name)
	if _, err := uuid.Parse(value); err != nil || len(value) != 36 {
		return "", engine.InvalidParameter(name, "is not a UUID")
	}
	return strings.ToLower(value), nil
}

// query reads the query string; what it does not know is ignored.
func query(r *request) (parameters, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, engine.InvalidParameter("query", "is not well-formed")
	}
	return parameters(values), nil
}

type parameters url.Values

// take returns the value of a parameter, empty when it is not given. One that is given twice or without a value is refused.
func (p parameters) take(name string) (string, error) {
	values := p[name]
	switch {
	case len(values) == 0:
		return "", nil
	case len(values) > 1:
		return "", engine.InvalidParameter(name, "is given twice")
	case values[0] == "":
		return "", engine.InvalidParameter(name, "is empty")
	}
	return values[0], nil
}

// takeEnum is take for a value of an enumeration.
func takeEnum[E openbanking.Enum[E]](p parameters, name string) (E, error) {
	value, err := p.take(name)
	if err == nil && value != "" && !openbanking.Known(E(value)) {
		var texts []string
		for _, v := range E(value).Values() {
			texts = append(texts, string(v))
		}
		err = engine.InvalidParameter(name, "must be one of "+strings.Join(texts, ", "))
	}
	return E(value), err
}
