package api

import (
	"io"
	"mime"
	"net/url"
	"strings"

	"github.com/google/uuid"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
)

// pathUUID returns a path parameter that is a UUID, in lower case.
func pathUUID(r *request, name string) (string, error) {
	value := r.PathValue(name)
	if _, err := uuid.Parse(value); err != nil || len(value) != 36 {
		return "", aggregator.InvalidParameter(name, "is not a UUID")
	}
	return strings.ToLower(value), nil
}

// query reads the query string; what it does not know is ignored.
func query(r *request) (parameters, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, aggregator.InvalidParameter("query", "is not well-formed")
	}
	return parameters(values), nil
}

// form reads the body of a request as a form; what it does not know is ignored.
func form(r *request) (parameters, error) {
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/x-www-form-urlencoded" {
		return nil, aggregator.InvalidParameter("body", "must have the Content-Type application/x-www-form-urlencoded")
	}
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, bodyError(err)
	}
	values, err := url.ParseQuery(string(text))
	if err != nil {
		return nil, aggregator.InvalidParameter("body", "is not well-formed")
	}
	return parameters(values), nil
}

type parameters url.Values

// take returns the value of a parameter, empty when it is not given or has none. One that is given twice is refused.
func (p parameters) take(name string) (string, error) {
	values := p[name]
	switch {
	case len(values) == 0:
		return "", nil
	case len(values) > 1:
		return "", aggregator.InvalidParameter(name, "is given twice")
	}
	return values[0], nil
}

// need is take for a required parameter.
func (p parameters) need(name string) (string, error) {
	value, err := p.take(name)
	if err == nil && value == "" {
		err = aggregator.InvalidParameter(name, "is missing")
	}
	return value, err
}

// takeEnum is take for a value of an enumeration.
func takeEnum[E openbanking.Enum[E]](p parameters, name string) (E, error) {
	value, err := p.take(name)
	if err == nil && value != "" && !openbanking.Known(E(value)) {
		var texts []string
		for _, v := range E(value).Values() {
			texts = append(texts, string(v))
		}
		err = aggregator.InvalidParameter(name, "must be one of "+strings.Join(texts, ", "))
	}
	return E(value), err
}
