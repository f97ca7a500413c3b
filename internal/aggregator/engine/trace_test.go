package engine

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
)

// What a bank refuses is no failure of the bank.
func TestTraceOfABank(t *testing.T) {
	for _, tt := range []struct {
		err    error
		want   openbanking.ErrorCode
		failed bool
	}{
		{nil, "", false},
		{aggregator.ErrWrongAnswer, "", false},
		{aggregator.ErrConsentEnded, openbanking.ExpiredSession, false},
		{fmt.Errorf("so it is: %w", aggregator.ErrConsentRevoked), openbanking.RevokedSession, false},
		{openbanking.ASPSPRateLimitExceeded, openbanking.ASPSPRateLimitExceeded, false},
		{&openbanking.Error{Code: openbanking.ASPSPError}, openbanking.ASPSPError, true},
		{openbanking.ASPSPTimeout, openbanking.ASPSPTimeout, true},
		{context.DeadlineExceeded, openbanking.ASPSPTimeout, true},
		{errors.New("connection refused"), openbanking.ASPSPError, true},
	} {
		ctx, trace := WithTrace(t.Context())
		traceBank(ctx, "Balances", time.Now(), tt.err)
		_, calls := trace.Found()
		if len(calls) != 1 || calls[0].Error != tt.want || calls[0].Failed() != tt.failed || calls[0].Name != "Balances" {
			t.Errorf("%v: %+v, want %q, failed %v", tt.err, calls, tt.want, tt.failed)
		}
	}
	ctx, trace := WithTrace(t.Context())
	traceBank(ctx, "Balances", time.Now(), context.Canceled)
	if _, calls := trace.Found(); len(calls) != 0 {
		t.Errorf("a client that went away: %+v", calls)
	}
	traceBank(t.Context(), "Balances", time.Now(), nil) // without a trace
}
