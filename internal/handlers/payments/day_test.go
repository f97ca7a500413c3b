package payments

import (
	"testing"
	"time"

	"florin/internal/finance"
	"florin/internal/handlers/show"
	"florin/internal/openbanking"
	"florin/internal/paymentform"
	"florin/web/templates/words"
)

// In the evening a file may still have payments of the same day: days are counted as the service counts them.
func TestEveningOfADay(t *testing.T) {
	evening := time.Date(2026, 11, 20, 22, 30, 0, 0, time.UTC)
	p := paymentform.Payer{Account: finance.Account{ID: "a", IBAN: "FI2112345600000785", Currency: "EUR"},
		Connection: finance.Connection{ASPSP: openbanking.ASPSP{Name: "Nordbank", Country: "FI"}, PSUType: "personal"}}
	kind := openbanking.ResponsePaymentType{PaymentType: openbanking.PaymentTypeBulkSEPA, PSUType: "personal", Currencies: []string{"EUR"},
		RequestedExecutionDateSupported: new(true), RequestedExecutionDateMaxPeriod: new(30)}
	for date, good := range map[string]bool{"2026-11-19": false, "2026-11-20": true, "2026-11-21": true} {
		file := bulkForm{text: "name,iban,amount,date\nACME,DE89370400440532013000,1," + date + "\n"}
		many := file.check(show.Clock{Language: words.English, Now: evening}, p, kind)
		if many.good() != good {
			t.Errorf("%s among many: %+v %+v", date, many.problems, many.faults)
		}
	}
}
