package aggregator

import (
	"testing"

	"florin/internal/openbanking"
)

// TestPaymentMoves: of every pair of statuses, exactly these follow one another. What the bank has said it never takes back
// but by a cancellation, and nothing follows RJCT, CNCL and ACCC (api-notes 8).
func TestPaymentMoves(t *testing.T) {
	// Statuses of a payment that goes well, in their order: each can be left out.
	forward := []openbanking.PaymentStatus{pdng, rcvd, actc, accp, acpt, acwc, acsp, acwp, acsc, accc}
	legal := map[[2]openbanking.PaymentStatus]bool{}
	allow := func(from openbanking.PaymentStatus, to ...openbanking.PaymentStatus) {
		for _, status := range to {
			legal[[2]openbanking.PaymentStatus{from, status}] = true
		}
	}
	for i, from := range forward {
		allow(from, forward[i+1:]...)
		if from != accc {
			allow(from, rjct)
		}
		if from != acsc && from != accc { // the money has gone
			allow(from, pdcr, accr, pacr, rjcr, null) // whether it was seen while it was pending or not
			if from != acwp {
				allow(from, cncl, part)
			}
		}
	}
	allow(part, acsp, acwp, acsc, accc, pdcr, accr, pacr, rjcr, null, rjct, cncl)
	allow(pdcr, accr, pacr, rjcr, null, part, acsp, acwp, acsc, accc, cncl, rjct) // a cancellation has begun
	allow(accr, cncl, rjct)
	allow(pacr, part, acsp, acsc, accc, rjct, cncl)
	allow(rjcr, null, part, acsp, acwp, acsc, accc, rjct)
	allow(null, part, acsp, acwp, acsc, accc, pdcr, accr, pacr, rjcr, rjct, cncl)
	all := openbanking.PaymentStatus("").Values()
	for _, from := range all {
		for _, to := range all {
			if got, want := PaymentMove(from, to), legal[[2]openbanking.PaymentStatus{from, to}]; got != want {
				t.Errorf("%s to %s: %v, want %v", from, to, got, want)
			}
		}
	}
}

const pdng = openbanking.PaymentStatusPDNG

// TestAuthMoves: payment_auth_status goes from absent to PENDING, and to FINALISED, FAILED or CANCELLED, which are the end
// (api-notes 8).
func TestAuthMoves(t *testing.T) {
	all := append([]openbanking.PaymentAuthStatus{""}, openbanking.PaymentAuthStatus("").Values()...)
	for _, from := range all {
		for _, to := range all {
			begun := from == openbanking.PaymentAuthStatusPending
			want := (from == "" || begun) && to != "" && from != to
			if got := AuthMove(from, to); got != want {
				t.Errorf("%q to %q: %v, want %v", from, to, got, want)
			}
		}
	}
}

// TestFinalStatus: RJCT, CNCL and the final successful statuses of the bank are final; where it names none ACSC and ACCC
// (api-notes 8).
func TestFinalStatus(t *testing.T) {
	for _, status := range openbanking.PaymentStatus("").Values() {
		failed := status == rjct || status == cncl
		if got, want := FinalStatus(status, nil), failed || status == acsc || status == accc; got != want {
			t.Errorf("%s is final: %v, want %v", status, got, want)
		}
		if got, want := FinalStatus(status, []openbanking.PaymentStatus{acsp}), failed || status == acsp; got != want {
			t.Errorf("%s is final where ACSP is: %v, want %v", status, got, want)
		}
	}
}
