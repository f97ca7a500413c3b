package show

import (
	"strings"

	"florin/internal/categories"
	"florin/internal/settling"
	"florin/web/templates/words"
)

// RuleConditions returns in a few words which transactions a rule matches. account returns the name of an account by its id; "" when it was deleted.
func (c Clock) RuleConditions(r categories.Conditions, account func(id string) string) string {
	var parts []string
	add := func(text words.Text, values ...string) {
		parts = append(parts, c.Say(text, strings.Join(values, " / ")))
	}
	for _, list := range []struct {
		text   words.Text
		values []string
	}{{"Name: %s", r.Payees}, {"Text: %s", r.Texts}, {"Account of the payee or payer: %s", r.Numbers}, {"Merchant category: %s", r.MerchantCodes}} {
		if len(list.values) > 0 {
			add(list.text, list.values...)
		}
	}
	switch r.Flow {
	case categories.FlowIn:
		parts = append(parts, c.Say("Money in"))
	case categories.FlowOut:
		parts = append(parts, c.Say("Money out"))
	}
	switch {
	case r.Low != "" && r.High != "":
		parts = append(parts, c.Say("Amount: %s to %s", c.Decimal(r.Low), c.Decimal(r.High)))
	case r.Low != "":
		add("Amount: from %s", c.Decimal(r.Low))
	case r.High != "":
		add("Amount: up to %s", c.Decimal(r.High))
	}
	if r.AccountID != "" {
		if name := account(r.AccountID); name != "" {
			add("Account: %s", name)
		} else {
			parts = append(parts, c.Say("An account that is no longer here"))
		}
	}
	switch from, to := c.Day(r.From).Text, c.Day(r.To).Text; {
	case r.From != "" && r.To != "":
		parts = append(parts, c.Say("%s to %s", from, to))
	case r.From != "":
		add("From %s", from)
	case r.To != "":
		add("Up to %s", to)
	}
	if len(parts) == 0 {
		return c.Say("Every transaction")
	}
	return strings.Join(parts, " · ")
}

// RuleActions returns in a few words what a rule does. people are those who may take part in what it shares.
func (c Clock) RuleActions(r categories.Actions, book categories.Book, people settling.Book) string {
	var parts []string
	if own, ok := book.Of(r.Category); ok {
		parts = append(parts, c.Category(own))
	}
	if r.Name != "" {
		parts = append(parts, c.Say("Shown as %s", r.Name))
	}
	for _, tag := range r.Tags {
		parts = append(parts, "#"+tag)
	}
	if r.Note != "" {
		parts = append(parts, c.Say("Note: %s", strings.ReplaceAll(r.Note, "\n", " ")))
	}
	if r.Reviewed {
		parts = append(parts, c.Say("Marked as reviewed"))
	}
	var with []string
	for _, part := range r.Share {
		if part.Person != people.Me {
			with = append(with, c.Person(people, part.Person))
		}
	}
	if len(with) > 0 {
		parts = append(parts, c.Say("Shared with %s", c.List(with)))
	}
	return strings.Join(parts, " · ")
}
