package openid

import (
	"errors"
	"io"
	"net/http"
)

// errTooLarge is the error of an answer with more than mostBytes.
var errTooLarge = errors.New("the answer has too many bytes")

// bounded reads mostBytes of each answer.
type bounded struct{ http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		answer.Body = &boundedBody{ReadCloser: answer.Body, left: mostBytes}
	}
	return answer, err
}

type boundedBody struct {
	io.ReadCloser
	left int
}

func (b *boundedBody) Read(into []byte) (int, error) {
	if b.left == 0 {
		return 0, errTooLarge
	}
	n, err := b.ReadCloser.Read(into[:min(len(into), b.left)])
	b.left -= n
	return n, err
}
