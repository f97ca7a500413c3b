package handlers_test

import (
	"net/http"
	"net/url"
	"regexp"
	"testing"
)

// TestCategoryOfATransaction: the page shows the category of a transaction and the reason. A choice is kept, applies to the payee's other transactions, and can
// be undone.
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
	b.get("/categories/"+food).status(http.StatusOK).has("Food", `<select id="into" name="into"><option value="" selected>`) // the form can be sent without a choice
	b.post("/categories/groceries", url.Values{"name": {"Groceries"}, "group": {"living"}, "state": {"merged"}}).status(http.StatusUnprocessableEntity).
		has("Choose another category to merge into.")
	b.post("/categories/groceries", url.Values{"name": {"Groceries"}, "group": {"living"}, "state": {"merged"}, "into": {food}}).to("/categories")
	b.get("/categories").has("Merged into Food")
	b.get(page).has("Food")
	b.post("/categories/groceries", url.Values{"name": {"Groceries"}, "group": {"living"}, "state": {"archived"}}).to("/categories")
	b.get("/categories").has("Archived").lacks("Merged into Food")
	b.get("/categories/nonsense").status(http.StatusNotFound)
}

// TestASuggestionIsTakenWithOneClick: a row that is like others has a suggestion, in the list and on its page. It gets the category only when the person takes
// the suggestion. After that the person is back in the list.
func TestASuggestionIsTakenWithOneClick(t *testing.T) {
	t.Parallel()
	rows := transactions(10)
	for i, name := range []string{"Ida Berg", "Ole Kern", "Ute Voss", "Jan Behn", "Kai Holm", "Ivo Lang", "Eva Rehm", "Pia Thal", "Kolja Blau", "Nora Pohl"} {
		text := "Nachhilfelehrer Deutsch"
		if i >= 4 {
			text = "Gemeinschaftsgarten Beet"
		}
		rows[i].Creditor.Name, rows[i].RemittanceInformation = &name, []string{text}
	}
	rows[8].RemittanceInformation, rows[9].RemittanceInformation = []string{"Nachhilfelehrer Deutsch Beet"}, []string{"Nachhilfelehrer Deutsch Beet"}
	_, b, own := linkedSite(t, rows)
	pageOf := func(name string) string {
		found := regexp.MustCompile(`href="(/accounts/[^"]+)"><bdi>` + name + `<`).FindStringSubmatch(regexp.MustCompile(`>\s+<`).ReplaceAllString(b.get("/transactions").body, "><"))
		if found == nil {
			t.Fatalf("%s is not in the list", name)
		}
		return found[1]
	}
	for i, name := range []string{"Ida Berg", "Ole Kern", "Ute Voss", "Jan Behn", "Kai Holm", "Ivo Lang", "Eva Rehm", "Pia Thal"} {
		category := "education"
		if i >= 4 {
			category = "home"
		}
		b.post(pageOf(name)+"/category", url.Values{"category": {category}}).status(http.StatusSeeOther)
	}
	unsure := pageOf("Kolja Blau")
	b.get("/transactions").has("Education?", "Choose this category for Kolja Blau", `formaction="`+unsure+`/category"`, `name="back" value="/transactions"`)
	b.get("/transactions?q=is%3Auncategorised").has("Kolja Blau", "Nora Pohl", "Education?", `name="back" value="/transactions?q=is%3Auncategorised"`)
	b.get(unsure).has("Education?", "Yes, choose this category", "Like 4 transactions that you chose this for. They have the same words: nachhilfelehrer and deutsch.")

	b.post(unsure+"/category", url.Values{"category": {"education"}, "back": {"/transactions?q=is%3Auncategorised"}}).to("/transactions?q=is%3Auncategorised")
	b.get("/transactions?q=is%3Auncategorised").has("This transaction is now in Education.").lacks("Kolja Blau")
	b.get(unsure).has("You chose this.").lacks("Yes, choose this category")
	other := pageOf("Nora Pohl")
	for back, to := range map[string]string{"/accounts/" + own.account: "/accounts/" + own.account, "/settings": other, "https://example.org/transactions": other,
		"//example.org/transactions": other, "/accounts/another": other, "%zz": other} {
		b.post(other+"/category", url.Values{"category": {"education"}, "back": {back}}).to(to)
	}
}
