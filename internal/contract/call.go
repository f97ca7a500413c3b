package contract

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"florin/internal/openbanking"
)

// suite is one part of the suite under way.
type suite struct {
	*testing.T
	target Target
	token  string // in place of the target's, when it is not empty
}

// with is the suite within a subtest.
func (s *suite) with(t *testing.T) *suite { return &suite{T: t, target: s.target, token: s.token} }

// response is an answer of the service.
type response struct {
	status int
	header http.Header
	raw    []byte
}

// call sends a request with the token of the application. headers are pairs of name and value and replace those that call
// sets; an empty value leaves a header out.
func (s *suite) call(method, path, body string, headers ...string) response {
	s.Helper()
	got, err := s.send(s.Context(), method, path, body, headers...)
	if err != nil {
		s.Fatalf("%s %s: %v", method, path, err)
	}
	return got
}

func (s *suite) send(ctx context.Context, method, path, body string, headers ...string) (response, error) {
	token := s.token
	if token == "" {
		var err error
		if token, err = s.target.Token(); err != nil {
			return response{}, err
		}
	}
	address := path
	if strings.HasPrefix(path, "/") {
		address = s.target.BaseURL + path
	}
	request, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	if err != nil {
		return response{}, err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Del(headers[i])
		if headers[i+1] != "" {
			request.Header.Set(headers[i], headers[i+1])
		}
	}
	answer, err := s.target.Client.Do(request)
	if err != nil {
		return response{}, err
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(answer.Body, 64<<20))
	if err != nil {
		return response{}, err
	}
	return response{answer.StatusCode, answer.Header, raw}, nil
}

// get sends a request that has to succeed and returns the answer.
func get[T any](s *suite, method, path, body string, headers ...string) T {
	s.Helper()
	return read[T](s, s.call(method, path, body, headers...))
}

// read checks that an answer is a success, and returns it.
func read[T any](s *suite, got response) T {
	s.Helper()
	var value T
	if got.status != http.StatusOK {
		s.Fatalf("status %d: %s", got.status, got.raw)
	}
	if err := json.Unmarshal(got.raw, &value); err != nil {
		s.Fatalf("%v: %s", err, got.raw)
	}
	return value
}

// refused checks that an answer is an ErrorResponse (spec: Errors) with that status and code, and returns it. An empty
// code stands for one that the specification does not settle.
func (s *suite) refused(got response, status int, code openbanking.ErrorCode) openbanking.ErrorResponse {
	s.Helper()
	var answer openbanking.ErrorResponse
	if got.status != status {
		s.Errorf("status %d, want %d %s: %s", got.status, status, code, got.raw)
		return answer
	}
	if err := json.Unmarshal(got.raw, &answer); err != nil {
		s.Errorf("no ErrorResponse: %q", got.raw)
		return answer
	}
	switch {
	case answer.Message == "":
		s.Errorf("no message: %s", got.raw)
	case answer.Code != status:
		s.Errorf("code %d differs from the status %d", answer.Code, status)
	case code != "" && (answer.Error == nil || *answer.Error != code):
		s.Errorf("want error %s: %s", code, got.raw)
	}
	return answer
}

// body writes a value as a request body.
func body(value any) string {
	data, err := json.Marshal(value)
	if err != nil {
		panic(err) // only maps of plain values come here
	}
	return string(data)
}
