package handlers_test

import (
	"net/http"
	"strconv"
	"testing"
)

// A payment and its booking lead to each other, and to nobody else's.
func TestPaymentAndBookingLeadToEachOther(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	mira := s.user("mira@example.org")
	eve := s.user("eve@example.org")
	b := s.signedIn("mira@example.org")
	attempt := b.start(elbe)
	b.get(s.back()).to(attempt)
	s.syncAll()
	own := s.thingsOf(mira, attempt)
	foreign := s.sendPayment(eve, "p-foreign")
	page := "/accounts/" + own.account + "/transactions/" + own.transaction
	b.get(page).status(http.StatusOK).lacks("Your payment")

	booked, err := strconv.ParseInt(own.transaction, 10, 64)
	must(t, err)
	must(t, s.store.SetBooked(t.Context(), eve.ID, foreign.ID, 0, booked)) // of another user: nothing happens
	b.get(page).status(http.StatusOK).lacks("Your payment", foreign.ID)
	must(t, s.store.SetBooked(t.Context(), mira.ID, own.payment, 0, booked))
	b.get(page).status(http.StatusOK).has("Your payment", "/payments/"+own.payment, "Verein Lindenhof", "Confirmed by you at")
	b.get("/payments/"+own.payment).status(http.StatusOK).has("Booked", page)
	s.signedIn("eve@example.org").get("/payments/"+foreign.ID).status(http.StatusOK).lacks(page, "Shop")
}
