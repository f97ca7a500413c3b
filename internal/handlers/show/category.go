package show

import (
	"slices"
	"strconv"
	"strings"

	"florin/internal/categories"
	"florin/internal/finance"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// categoryNames are the names of the categories in the starting set.
var categoryNames = map[string]words.Text{
	"salary": "Salary", "benefits": "Pension and benefits", "interest": "Interest and dividends", "income": "Other income",
	"rent": "Rent and housing", "energy": "Electricity, heating, water", "phone": "Phone and internet", "home": "Home and garden",
	"groceries": "Groceries", "drugstore": "Drugstore", "clothing": "Clothes and shoes", "electronics": "Electronics", "shopping": "Other shopping",
	"health": "Health", "care": "Hair and body care", "children": "Children", "pets": "Pets", "education": "Education",
	"fuel": "Fuel and charging", "car": "Car", "transit": "Bus, train, taxi",
	"dining": "Restaurants and cafés", "entertainment": "Entertainment", "sport": "Sport", "books": "Books and hobbies", "travel": "Holidays and travel",
	"gifts":     "Gifts and donations",
	"insurance": "Insurance", "tax": "Taxes and fines", "fees": "Bank and other fees", "loan": "Loans", "savings": "Savings and investments", "cash": "Cash#money",
	categories.Transfer: "Transfer between own accounts",
}

var groupNames = map[categories.Group]words.Text{
	categories.GroupIncome: "Income", categories.GroupHousing: "Housing", categories.GroupLiving: "Daily life", categories.GroupTransport: "Transport",
	categories.GroupLeisure: "Leisure", categories.GroupMoney: "Finances",
}

// Category returns the name of a category: the one given by the person, else Florin's; "" for none.
func (c Clock) Category(own categories.Own) string {
	if own.Name != "" || own.ID == "" {
		return own.Name
	}
	return c.Say(categoryNames[own.ID])
}

// RowCategory returns the name of the category of a row, or the names of those of its parts; "" for none.
func (c Clock) RowCategory(book categories.Book, t finance.TransactionRow) string {
	if t.Split == nil {
		own, _ := book.Of(t.Category)
		return c.Category(own)
	}
	var names []string
	for _, id := range t.Split {
		own, known := book.Of(id)
		if name := c.Category(own); known && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if names == nil {
		names = []string{c.Say("No category")}
	}
	return c.Say("Split: %s", strings.Join(names, ", "))
}

// Suggestion returns the suggested category of a row; nil without one.
func (c Clock) Suggestion(book categories.Book, accountID string, t finance.TransactionRow) *pages.Suggestion {
	own, known := book.Of(t.Suggestion)
	if !known || t.Category != "" || t.Split != nil {
		return nil
	}
	return &pages.Suggestion{Action: paths.TransactionCategory(accountID, strconv.FormatInt(t.ID, 10)), ID: own.ID, Name: c.Category(own)}
}

// CategoryGroup returns the name of a group of categories.
func (c Clock) CategoryGroup(g categories.Group) string { return c.Say(groupNames[g]) }

// CategoryChoice returns the categories to choose from, group by group, with one selected.
func (c Clock) CategoryChoice(book categories.Book, chosen string) []pages.CategoryGroup {
	var all []pages.CategoryGroup
	for _, own := range book.Offered(chosen) {
		name := c.CategoryGroup(own.Group)
		if len(all) == 0 || all[len(all)-1].Name != name {
			all = append(all, pages.CategoryGroup{Name: name})
		}
		last := &all[len(all)-1]
		last.Options = append(last.Options, ui.Option{Value: own.ID, Text: c.Category(own), Selected: own.ID == chosen})
	}
	return all
}

// likeness returns what a row has in common with rows that the person has categorised.
func (c Clock) likeness(why string) string {
	rows, words := categories.Likeness(why)
	return c.Say("Like %d transactions that you chose this for. They have the same words: %s.", rows, c.List(words))
}

// CategoryWhy returns the reason why a row has its category. payee is the counterparty of the row.
func (c Clock) CategoryWhy(by categories.Step, why, payee string) string {
	switch by {
	case categories.ByHand:
		return c.Say("You chose this.")
	case categories.ByRule:
		return c.Say("One of your rules decides this.")
	case categories.ByTransfer:
		if why == "" {
			return c.Say("The matching transaction is on another of your accounts.")
		}
		return c.Say("The other account is also yours.")
	case categories.ByCreditor:
		return c.Say("You chose this for another direct debit of the same creditor.")
	case categories.ByAccount:
		return c.Say("You chose this for another transaction with the same account.")
	case categories.ByName:
		return c.Say("You chose this for another transaction with %s.", why)
	case categories.ByLikeness:
		return c.likeness(why)
	case categories.ByMerchant:
		return c.Say("%s is in Florin’s list of shops and services.", payee)
	case categories.ByMCC:
		return c.Say("The merchant’s category code is %s.", why)
	case categories.ByCode:
		return c.Say("Your bank’s code for this kind of transaction is %s.", why)
	case categories.ByWord:
		return c.Say("The word “%s” is in the transaction.", why)
	}
	return c.Say("Florin does not know what this was for. Choose a category: Florin then remembers it for the same payee.")
}
