package store

import (
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"florin/internal/finance"
)

// A long body is cut between characters, not within one.
func TestLongBodyIsCutBetweenCharacters(t *testing.T) {
	b := newBed(t)
	b.user(t, "a@example.org")
	body := strings.Repeat("x", keptBody-1) + "äöü"
	check(t, b.KeepRefused(t.Context(), finance.Delivery{ProviderID: "embedded", Body: body, Size: len(body), BodyHash: "h", Answer: http.StatusUnauthorized, Checks: []finance.DeliveryCheck{{Name: "signature"}}}))
	all, _, err := b.Deliveries(t.Context(), true, "", 1)
	check(t, err)
	if got := all[0].Body; !utf8.ValidString(got) || got != body[:keptBody-1] || all[0].Size != len(body) {
		t.Errorf("%d bytes of %d are kept, valid %t", len(got), all[0].Size, utf8.ValidString(got))
	}
}
