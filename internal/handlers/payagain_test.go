package handlers_test

import (
	"net/http"
	"strconv"
	"testing"
)

// Nothing is paid again to a number that the bank does not tell in full, such as that of a card.
func TestPayAgainNeedsAWholeNumber(t *testing.T) {
	t.Parallel()
	s, b, mira, account := paySite(t)
	s.syncAll()
	rows, _, err := s.store.Transactions(t.Context(), mira.ID, account, 1<<62, 1)
	must(t, err)
	page := "/accounts/" + account + "/transactions/" + strconv.FormatInt(rows[0].ID, 10)
	for number, pays := range map[string]bool{numberOther: true, "12345678": true, "516435******5419": false, "516435XXXXXX5419": false, "•••• 5419": false, "": false} {
		s.exec(`UPDATE booked_transaction SET counterparty_account = $1, minor = -100 WHERE account_id = $2`, number, account)
		a := b.get(page).status(http.StatusOK)
		if pays {
			a.has("Pay again")
		} else {
			a.lacks("Pay again")
		}
	}
}
