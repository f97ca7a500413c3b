package handlers_test

import (
	"net/http"
	"net/url"
	"regexp"
	"testing"
)

// TestCategoryOfATransaction: the page says what a transaction was for and why; a choice is kept, reaches the others of the payee, and can be taken back.
func TestCategoryOfATransaction(t *testing.T) {
	t.Parallel()
	rows := transactions(3)
	for i := range rows {
		name := "LIDL 0815 BONN DE"
		rows[i].Creditor.Name = &name
	}
	_, b, own := linkedSite(t, rows)
	page := "/accounts/" + own.account + "/transactions/" + own.transaction
	b.get(page).status(http.StatusOK).has("What it was for", "Groceries", "LIDL is in Florin’s list of shops and services.").lacks("Let Florin decide")
	b.post(page+"/category", url.Values{"category": {"gifts"}}).to(page)
	b.get(page).has("This transaction is now in Gifts and donations, and with it 2 others of the same payee.", "You chose this.", "Let Florin decide")
	b.get("/categories").status(http.StatusOK).has("Florin would have chosen the same as you in 0 of your last 1 choices.")
	b.post(page+"/category", url.Values{"category": {""}}).to(page)
	b.get(page).has("Florin decides again what this transaction was for.", "LIDL is in Florin’s list")
	b.post(page+"/category", url.Values{"category": {"nonsense"}}).status(http.StatusNotFound)

	// Own categories: added, renamed, merged; the page of the transaction follows.
	b.post("/categories", url.Values{"name": {"Food"}, "group": {"living"}}).to("/categories")
	found := regexp.MustCompile(`/categories/(own\w+)"><bdi>Food<`).FindStringSubmatch(b.get("/categories").has("Food is saved.").body)
	if found == nil {
		t.Fatal("the new category is not in the list")
	}
	food := found[1]
	b.post("/categories", url.Values{"name": {"food"}, "group": {"living"}}).status(http.StatusUnprocessableEntity).has("You already have a category called food.")
	b.post("/categories", url.Values{"name": {" "}, "group": {"living"}}).status(http.StatusUnprocessableEntity).has("Enter a name.")
	b.post("/categories", url.Values{"name": {"X"}, "group": {"nowhere"}}).status(http.StatusUnprocessableEntity).has("Choose a group.")
	b.get("/categories/" + food).status(http.StatusOK).has("Food")
	b.post("/categories/groceries", url.Values{"name": {"Groceries"}, "group": {"living"}, "state": {"merged"}}).status(http.StatusUnprocessableEntity).
		has("Choose another category to merge into.")
	b.post("/categories/groceries", url.Values{"name": {"Groceries"}, "group": {"living"}, "state": {"merged"}, "into": {food}}).to("/categories")
	b.get("/categories").has("Merged into Food")
	b.get(page).has("Food")
	b.post("/categories/groceries", url.Values{"name": {"Groceries"}, "group": {"living"}, "state": {"archived"}}).to("/categories")
	b.get("/categories").has("Archived").lacks("Merged into Food")
	b.get("/categories/nonsense").status(http.StatusNotFound)
}
