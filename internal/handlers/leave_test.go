package handlers_test

import (
	"net/http"
	"testing"
	"time"

	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/store"
)

// Where money moves Florin leads people to https addresses alone, and to none with a user name, whatever the service answers.
func TestNobodyIsLedToAnUnsafeAddress(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ctx := t.Context()
	mira := s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	pay := func(address string) string {
		p := s.sendPaymentTo("embedded", mira, finance.NewID(), address)
		return "/payments/" + p.ID
	}
	attempt := b.start(elbe) // the service answers with http
	b.get(attempt).status(http.StatusOK).has(`href="http://bank.test/ais/start`)
	b.get(pay("http://bank.test/pis") + "/leave").status(http.StatusOK).has(`href="http://bank.test/pis"`)

	provider, err := s.store.Provider(ctx, "embedded")
	must(t, err)
	provider.Environment = openbanking.EnvironmentProduction
	must(t, s.store.SaveProvider(ctx, provider))
	b.get(attempt).lacks(`href="http://bank.test`)
	for _, address := range []string{"http://bank.test/pis", "https://bank.test@evil.example/pis"} {
		path := pay(address)
		b.get(path + "/leave").to(path)
		b.get(path).has("no safe address of the bank").lacks("evil.example", `href="http://bank.test`)
	}
	b.get(pay("https://bank.test/pis") + "/leave").status(http.StatusOK).has(`href="https://bank.test/pis"`)
}

// sendPaymentTo makes a payment of the user that waits for approval at an address.
func (s *site) sendPaymentTo(provider string, user finance.User, paymentID, address string) finance.Payment {
	s.t.Helper()
	ctx := s.t.Context()
	name := "Verein Lindenhof"
	draft, err := s.store.SaveDraft(ctx, user.ID, finance.NewID(), finance.PaymentOrder{ProviderID: provider, ASPSP: openbanking.ASPSP{Name: "Elbe Sparbank", Country: "DE"}, PSUType: "personal",
		Type: openbanking.PaymentTypeSEPA, Request: openbanking.PaymentRequestResource{CreditTransferTransaction: []openbanking.CreditTransferTransaction{{
			InstructedAmount: openbanking.AmountType{Currency: "EUR", Amount: "10.50"},
			Beneficiary: openbanking.Beneficiary{Creditor: &openbanking.PartyIdentification{Name: &name},
				CreditorAccount: openbanking.GenericIdentification{Identification: numberACME, SchemeName: openbanking.SchemeNameIBAN}}}}}}, "")
	must(s.t, err)
	_, err = s.store.StartSending(ctx, user.ID, draft.ID, store.Sending{State: finance.Secret(finance.NewID()), Browser: "b", Lifetime: time.Minute, Answer: time.Minute},
		func(finance.Payment, []finance.PastTransfer, []finance.Payee) error { return nil })
	must(s.t, err)
	p, err := s.store.PaymentCreated(ctx, user.ID, draft.ID, store.CreatedPayment{PaymentID: paymentID, Status: openbanking.PaymentStatusPDNG, URL: address})
	must(s.t, err)
	return p
}
