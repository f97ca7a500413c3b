package finance

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"florin/internal/openbanking"
)

// Whatever fails is kept as a code: that of the API, or one that says where it failed.
func TestFailureOf(t *testing.T) {
	answer := func(e openbanking.Error) error { return fmt.Errorf("read balances: %w", &e) }
	for _, row := range []struct {
		name string
		err  error
		want Failure
	}{
		{"a code of the API", answer(openbanking.Error{Status: 400, Code: openbanking.ASPSPError, Message: " Bank\nis down ", RequestID: "r-1"}),
			Failure{Code: "ASPSP_ERROR", Said: "Bank is down", RequestID: "r-1"}},
		{"an answer without a code", answer(openbanking.Error{Status: 503, Message: "Busy"}), Failure{Code: "HTTP_503", Said: "Busy"}},
		{"an answer that is none", fmt.Errorf("read balances: %w", useless{&openbanking.Error{Status: 502, Message: "x", RequestID: "r-2"}}),
			Failure{Code: FailureUnreadable, RequestID: "r-2"}},
		{"a call without an answer", fmt.Errorf("read balances: %w", context.DeadlineExceeded), Failure{Code: FailureUnreachable}},
		{"a code of Florin's", fmt.Errorf("transactions: %w", FailureEndless), Failure{Code: FailureEndless}},
		{"a code beside its cause", fmt.Errorf("%w: %w", FailureSilent, context.DeadlineExceeded), Failure{Code: FailureSilent}},
		{"a fault of Florin's", errors.New("no such table"), Failure{Code: FailureInternal}},
	} {
		if got := FailureOf(row.err); got != row.want {
			t.Errorf("%s: %+v, want %+v", row.name, got, row.want)
		}
	}
	if err := fmt.Errorf("start: %w", FailureUnreachable); !errors.Is(err, FailureUnreachable) || errors.Is(err, FailureSilent) {
		t.Errorf("%v is not known by its code", err)
	}
}

// useless is an answer that cannot be read.
type useless struct{ answer *openbanking.Error }

func (useless) Unreadable() bool { return true }
func (u useless) Unwrap() error  { return u.answer }
func (useless) Error() string    { return "useless" }
