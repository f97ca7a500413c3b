package handlers_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestAnnotateATransaction: note and tags are kept, what is refused stays in the form, and the mark "to review" comes and goes.
func TestAnnotateATransaction(t *testing.T) {
	t.Parallel()
	s, b, own := linkedSite(t, transactions(2))
	list := "/accounts/" + own.account
	page := list + "/transactions/" + own.transaction
	b.get(list).lacks("To review") // what the first sync brings is not new
	b.get(page).lacks("Mark as reviewed").has("Review it again later")
	b.post(page+"/review", url.Values{"reviewed": {"no"}}).to(page)
	b.get(page).has("To review", "Mark as reviewed", `aria-keyshortcuts="r"`)
	b.get(list).has("To review")
	b.post(page+"/review", url.Values{"reviewed": {"yes"}}).to(page)
	b.get(page).has("This transaction is reviewed.").lacks("Mark as reviewed")

	b.post(page+"/annotation", url.Values{"note": {"with Lena\r\nin <Firenze>"}, "tags": {"#Holiday, tax"}}).to(page)
	b.get(page).has("Your note and tags are saved.", "with Lena\nin &lt;Firenze&gt;</textarea>", `value="Holiday, tax"`)
	long := strings.Repeat("x", 2001)
	b.post(page+"/annotation", url.Values{"note": {long}, "tags": {strings.Repeat("y", 41)}}).status(http.StatusUnprocessableEntity).
		has("A note may have 2,000 characters at most. This one has 2,001.", "A tag may have 40 characters at most.", long, strings.Repeat("y", 41))
	b.post(page+"/annotation", url.Values{"tags": {strings.Repeat("a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u,", 2)}}).status(http.StatusUnprocessableEntity).
		has("A transaction may have 20 tags at most.")
	b.get(page).has("with Lena")

	s.user("tom@example.org")
	tom := s.signedIn("tom@example.org")
	for _, form := range []string{"/annotation", "/review"} {
		tom.post(page+form, url.Values{"note": {"mine"}, "reviewed": {"no"}}).status(http.StatusNotFound)
	}
	b.get(page).has("with Lena").lacks("Mark as reviewed")
}
