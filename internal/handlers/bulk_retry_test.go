package handlers_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"florin/internal/openbanking"
)

// Each payment of a bulk has its own status, and PART says that they differ. Payments that failed can be sent again as new payments.
func TestBulkTriesAgainWhatFailed(t *testing.T) {
	t.Parallel()
	s, b, _, account := bulkSite(t)
	to := b.bulk(account, b.get("/pay/bulk?account="+account).formKey(), goodCSV, "").status(http.StatusSeeOther).Header.Get("Location")
	path := strings.TrimSuffix(to, "/review")
	b.post(path+"/confirm", b.get(to).confirmation()).to(path + "/leave")
	each := func(statuses ...openbanking.PaymentStatus) {
		s.service.Lock()
		defer s.service.Unlock()
		for i, status := range statuses {
			s.service.payments["pay-1"].PaymentDetails.CreditTransferTransaction[i].TransactionStatus = &status
		}
	}
	again := "/pay/bulk?retry=" + url.QueryEscape(strings.TrimPrefix(path, "/payments/"))

	each("ACSP", "RJCT")
	s.service.becomes(1, "PART", false, "")
	b.check(path)
	b.get(path).has("Accepted in part", "Each payment in the list has its own status.", "Being carried out", "Rejected by your bank",
		"1 of 2 was not carried out. See the list.").lacks("Try again")
	each("ACSC", "RJCT")
	s.service.becomes(1, "ACSC", true, "")
	b.check(path)
	b.get("/").has("1 of 2 sent", "badge-warn", "of 92.50 EUR").lacks("Sent from your account")
	b.get(path).has("1 of 2 sent", "state-warning", "of 92.50 EUR", "Rejected by your bank", "1 of 2 was not carried out. See the list.",
		"Try the failed ones again", `href="`+again+`"`)
	b.get("/payments").has("1 of 2 sent", "badge-warn", "of 92.50 EUR").lacks("Sent from your account")
	b.get(path+"/receipt").has("1 of 2 sent", "of 92.50 EUR", "1 of 2 was not carried out. See the list.")

	form := b.get(again).status(http.StatusOK).has("that were not made.", "Chaussures Martin").lacks("ACME GmbH")
	retry := b.bulk(account, form.formKey(), form.area(), "", form.shown()...).status(http.StatusSeeOther).Header.Get("Location")
	b.get(retry).has("80<span", "Chaussures Martin").lacks("ACME GmbH")
}
