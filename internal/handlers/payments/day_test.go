package payments

import (
	"net/url"
	"testing"
	"time"

	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/web/templates/pages"
)

// In the evening of a day a payment of that day is taken, alone and among many, and its day can be chosen: each counts days as the service does.
func TestEveningOfADay(t *testing.T) {
	evening := time.Date(2026, 11, 20, 22, 30, 0, 0, time.UTC)
	p := Payer{Account: finance.Account{ID: "a", IBAN: "FI2112345600000785", Currency: "EUR"}, Connection: finance.Connection{ASPSP: openbanking.ASPSP{Name: "Nordbank", Country: "FI"}, PSUType: "personal"}}
	kind := openbanking.ResponsePaymentType{PaymentType: openbanking.PaymentTypeBulkSEPA, PSUType: "personal", Currencies: []string{"EUR"}, RequestedExecutionDateSupported: new(true), RequestedExecutionDateMaxPeriod: new(30)}
	for date, good := range map[string]bool{"2026-11-19": false, "2026-11-20": true, "2026-11-21": true} {
		file := bulkForm{text: "name,iban,amount,date\nACME,DE89370400440532013000,1," + date + "\n"}
		many := file.check(p, kind, evening)
		if many.good() != good {
			t.Errorf("%s among many: %+v %+v", date, many.problems, many.faults)
		}
		alone := kind
		alone.PaymentType = openbanking.PaymentTypeSEPA
		f := payForm{problems: map[string]string{}, values: url.Values{fieldName: {"ACME"}, fieldScheme: {"IBAN"}, fieldNumber: {"DE89370400440532013000"}, fieldAmount: {"1"}, fieldWhen: {whenDate}, fieldDate: {date}}}
		if _, ok := f.check(p, alone, evening); ok != good {
			t.Errorf("%s alone: %+v", date, f.problems)
		}
		var view pages.PayView
		f.viewWhen(&view, alone, evening)
		if view.Date.Min != "2026-11-20" || view.Date.Max != "2026-12-20" {
			t.Errorf("from %s to %s", view.Date.Min, view.Date.Max)
		}
	}
}
