package handlers_test

import (
	"net/http"
	"testing"
)

// A payment of more than the account has gets a warning while it is typed, and needs agreement before it is sent. The warning names the balance, its time and
// what Florin does not know of it. The booked balance is shown beside the available one, which may include a credit limit.
func TestPayWarnsOfTooLittleMoney(t *testing.T) {
	t.Parallel()
	s, b, _, account := paySite(t)
	const available = "perhaps including a credit limit."
	b.get("/pay").has("Available", "2,234", "Booked: 1,234.56 EUR; the rest may be a credit limit")
	ask := func(amount, kind string) *answer {
		return b.post("/pay/explain", transfer(account, "amount", amount, "type", kind, "currency", "USD", "part",
			"amount-hint")).status(http.StatusOK).has(`id="amount-hint"`)
	}
	ask("2234.56", "SEPA").lacks("more than")
	ask("2234.57", "SEPA").has("This is more than the account has.", "2,234.56 EUR were available (as of ", available)
	ask("10,000,000", "CROSSBORDER").has("The account is in EUR. Your bank converts the amount, at a rate that Florin does not know.").lacks("more than")
	ask("much", "SEPA").lacks("more than")
	b.post("/pay", transfer(account, "amount", "10.000.000", "show", "check")).status(http.StatusOK).has("This is more than the account has.", available)

	b.get(b.draft(transfer(account, "amount", "2234.56")) + "/review").lacks("more than the account has")
	path := b.draft(transfer(account, "amount", "10,000,000.00"))
	form := b.get(path+"/review").has("This is more than the account has", "2,234.56 EUR were available (as of ", available,
		"Your bank decides, and may refuse the payment.", "Pay anyway").confirmation()
	agree := form["agree"]
	form["agree"] = agree[1:]
	b.post(path+"/confirm", form).status(http.StatusUnprocessableEntity).has("Please read the warnings below")
	form["agree"] = agree
	b.post(path+"/confirm", form).to(path + "/leave")

	s.exec(`DELETE FROM balance`)
	ask("2234.57", "SEPA").lacks("more than")
	b.get(b.draft(transfer(account, "amount", "10000000")) + "/review").lacks("more than the account has")
}
