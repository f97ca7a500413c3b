package handlers_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"florin/internal/finance"
	"florin/internal/handlers"
	"florin/internal/openbanking"
	"florin/internal/store"
)

// When real money is involved, Florin sends people only to https addresses without a user name, whatever the service answers.
func TestNobodyIsLedToAnUnsafeAddress(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ctx := t.Context()
	mira := s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	pay := func(address string) string {
		p := s.sendPaymentTo("embedded", mira, finance.NewID(), address)
		b.post("/payments/"+p.ID+"/leave", nil)
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
	draft, err := s.store.SaveDraft(ctx, user.ID, finance.NewID(),
		finance.PaymentOrder{ProviderID: provider, ASPSP: openbanking.ASPSP{Name: "Elbe Sparbank", Country: "DE"}, PSUType: "personal",
			Type: openbanking.PaymentTypeSEPA, Request: openbanking.PaymentRequestResource{CreditTransferTransaction: []openbanking.CreditTransferTransaction{{
				InstructedAmount: openbanking.AmountType{Currency: "EUR", Amount: "10.50"},
				Beneficiary: openbanking.Beneficiary{Creditor: &openbanking.PartyIdentification{Name: &name},
					CreditorAccount: openbanking.GenericIdentification{Identification: numberACME, SchemeName: openbanking.SchemeNameIBAN}}}}}}, "")
	must(s.t, err)
	_, err = s.store.StartSending(ctx, user.ID, draft.ID,
		store.Sending{State: finance.Secret(finance.NewID()), Browser: "b", Lifetime: time.Minute, Answer: time.Minute},
		func(finance.Payment, []finance.PastTransfer, []finance.Payee) error { return nil })
	must(s.t, err)
	p, err := s.store.PaymentCreated(ctx, user.ID, draft.ID, store.CreatedPayment{PaymentID: paymentID, Status: openbanking.PaymentStatusPDNG, URL: address})
	must(s.t, err)
	return p
}

// A host that resembles another one is shown in punycode, like in the browser, and the link leads to the host that is shown.
func TestHostsAreShownInPunycode(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	mira := s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	for address, host := range map[string]string{
		"https://b\u0430nk.example/pis?a=%20b":      "xn--bnk-6cd.example", // a Cyrillic а
		"https://b%D0%B0nk.example:8443/pis?a=%20b": "xn--bnk-6cd.example:8443",
		"https://seebr\u00fccke.example/pis?a=%20b": "xn--seebrcke-b6a.example",
		"https://\uff42ank.example/pis?a=%20b":      "bank.example", // a wide b, which a browser takes for a b
		"https://xn--bnk-6cd.example/pis?a=%20b":    "xn--bnk-6cd.example",
	} {
		path := "/payments/" + s.sendPaymentTo("embedded", mira, finance.NewID(), address).ID
		b.post(path+"/leave", nil).to(path + "/leave")
		b.get(path+"/leave").status(http.StatusOK).has(`<strong class="wrap-any">`+host+`</strong>`, `href="https://`+host+`/pis?a=%20b"`).lacks("b\u0430nk",
			"br\u00fccke")
	}
	path := "/payments/" + s.sendPaymentTo("embedded", mira, finance.NewID(), "https://b\u202enk.example/pis").ID // a sign that turns the direction of writing
	b.get(path + "/leave").to(path)
}

// Linking takes one page less when the next site is known: the page of the bank names it, and its form can lead only there. When a service leads to another
// site, or leads there for the first time, a page of its own names the site.
func TestLinkingLeavesForTheNamedSiteAlone(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(o *handlers.Options) { o.Simulated = &url.URL{Scheme: "http", Host: "bank.test"} })
	s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	page := "/link/bank?" + elbe.Encode()
	const named, own = "The next page is at", "form-action 'self'; "
	strict := b.get("/link").Header.Get("Content-Security-Policy")
	if !strings.Contains(strict, own) {
		t.Fatalf("the policy of the list is %q", strict)
	}
	a := b.get(page).status(http.StatusOK).has(named, "You are leaving for", `>bank.test</strong>`)
	if policy := a.Header.Get("Content-Security-Policy"); policy != strings.Replace(strict, own, "form-action 'self' http://bank.test; ", 1) {
		t.Errorf("the policy is %q", policy)
	}
	b.post("/link", elbe).to("http://bank.test/ais/start?sessionid=1")
	if policy := b.get("/link").Header.Get("Content-Security-Policy"); policy != strict {
		t.Errorf("the policy of the list is %q", policy)
	}
	refused := b.post("/link", url.Values{"provider": {"embedded"}, "bank": {"Banca dell’Arno"}, "country": {"IT"}}).status(http.StatusUnprocessableEntity).has(named)
	if policy := refused.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "form-action 'self' http://bank.test;") {
		t.Errorf("the policy of the form with a fault is %q", policy)
	}

	// When the service leads to another site than the page names, or is not the simulated service of this program, only its answer says where it leads. A page
	// names the site each time, whatever the form claims.
	for _, simulated := range []*url.URL{nil, {Scheme: "https", Host: "bank.test"}, {Scheme: "http", Host: "bank.test:81"}, {Scheme: "http", Host: "elsewhere.test"}} {
		s = newSite(t, func(o *handlers.Options) { o.Simulated = simulated })
		s.user("mira@example.org")
		b = s.signedIn("mira@example.org")
		claims := maps.Clone(elbe)
		claims.Set("named", "http://bank.test")
		for i, form := range []url.Values{elbe, claims} {
			if named, says := simulated != nil, strings.Contains(b.get(page).status(http.StatusOK).body, named); says != named {
				t.Errorf("with %v the page names a site: %t", simulated, says)
			}
			b.get(b.start(form)).status(http.StatusOK).has("You are leaving for", fmt.Sprintf(`href="http://bank.test/ais/start?sessionid=%d"`, i+1))
		}
	}
}
