package handlers_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"florin/internal/live"
	"florin/internal/payments"
)

// Amounts are hidden on one device until they are shown there again: on its pages and in its streams, but not on other devices of the same person.
func TestHideAmounts(t *testing.T) {
	t.Parallel()
	s, b, mira, account := paySite(t)
	const balance = "1,234.56"
	b.get("/accounts/"+account).has(balance, "Hide amounts").lacks("•••")

	chooses := func(form, on string) *answer {
		r := b.request(http.MethodPost, "/amounts", strings.NewReader(form))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Referer", on)
		return b.do(r)
	}
	cookie := cookieOf(t, chooses("hide=yes", s.url+"/accounts/"+account+"?q=x").to("/accounts/"+account+"?q=x"), "florin-device")
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode || cookie.Path != "/" || cookie.MaxAge != 400*86400 || cookie.Value != "amounts=hidden" {
		t.Errorf("the cookie is %s", cookie.Raw)
	}
	b.get("/accounts/"+account).has("•••", "Show amounts", `data-amounts="hidden"`).lacks(balance)
	b.get("/").has("•••").lacks(balance)
	s.signedIn("mira@example.org").get("/").has(balance).lacks("•••")

	l := b.listen("/events?view=dashboard")
	s.hub.Publish(mira.ID, live.Event{Topic: "connection", ID: s.only(mira).ID})
	if name, data, ok := l.next(); !ok || name != "fragment" || !strings.Contains(data, "•••") || strings.Contains(data, balance) {
		t.Errorf("the stream brings %q: %s", name, data)
	}

	// The pages of a payment that is about to be sent show the amounts, and say why.
	const amount, why = "12.30", "This page shows them"
	path := b.draft(transfer(account))
	b.get("/payments").lacks(amount, why)
	review := b.get(path+"/review").has(amount, why)
	b.post(path+"/confirm", url.Values{"password": {"wrong"}, "hash": review.confirmation()["hash"]}).status(http.StatusUnprocessableEntity).has(amount, why)
	b.post(path+"/confirm", review.confirmation()).to(path + "/leave")
	b.get(path+"/leave").has(amount, why)
	b.get(path).has("•••").lacks(amount, why)
	handed := b.hand(ownApp(account))
	b.get(handed).has(amount, why)
	inHand := b.listen("/events?view=payment&payment=" + strings.TrimPrefix(handed, "/payments/"))
	s.hub.Publish(mira.ID, live.Event{Topic: payments.Topic, ID: strings.TrimPrefix(handed, "/payments/")})
	if name, data, ok := inHand.next(); !ok || name != "fragment" || strings.Contains(data, "•••") {
		t.Errorf("the stream of the payment in hand brings %q: %s", name, data)
	}

	// A form with a stored amount is not shown while amounts are hidden: the person would save an amount without seeing it.
	wallet, row := b.keeps("Wallet", "Market", "5.00")
	b.get("/accounts/"+wallet).has("Show them to use this form").lacks("1,000.00", `name="amount"`)
	b.get(row+"/edit").has("Show them to use this form").lacks("5.00", `name="amount"`)
	b.get("/accounts/" + wallet + "/add").has(`name="amount"`)

	// Files hold the amounts.
	b.get("/transactions/export?format=csv").has("-5.00")

	shown := chooses("hide=", "https://evil.example/transactions").to("/")
	if gone := cookieOf(t, shown, "florin-device"); gone.MaxAge != -1 {
		t.Errorf("the cookie stays: %s", gone.Raw)
	}
	b.get("/accounts/" + account).has(balance).lacks("•••")
	b.setCookie("florin-device", "%zz&amounts=shown")
	b.get("/accounts/" + account).has(balance)
	for _, from := range []string{"", s.url + "/amounts", s.url + "/nowhere", s.url + "//evil.example/", "::"} {
		chooses("hide=", from).to("/")
	}
}

// Keyboard shortcuts work until somebody switches them off for a device. The page about them lists those that the script gets.
func TestKeys(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	b.get("/").has("/static/keys.", `data-keys="`, `aria-keyshortcuts="."`, `href="/keyboard"`)
	b.get("/keyboard").has("<kbd>g</kbd>", "<kbd>?</kbd>", "Mark as reviewed", "settings of this device").lacks("switched off on this device")
	b.post("/settings/device", url.Values{"hide": {"yes"}}).to("/settings")
	b.get("/settings").has("Saved for this device.", `name="hide" value="yes" checked`).lacks(`name="keys" value="on" checked`, "keys.js", "data-keys", "aria-keyshortcuts")
	b.get("/keyboard").has("switched off on this device")
	b.post("/settings/device", url.Values{"keys": {"on"}}).to("/settings")
	b.get("/settings").has(`data-keys="`, `name="keys" value="on" checked`).lacks(`name="hide" value="yes" checked`)
	s.browser().get("/sign-in").lacks("data-keys", "data-amounts", "Hide amounts")
}
