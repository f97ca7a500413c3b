package site

import (
	"slices"
	"strconv"
	"time"

	"florin/internal/aggregator"
	"florin/internal/iban"
	"florin/internal/openbanking"
	"florin/web/templates/hosted"
	"florin/web/templates/words"
)

// Shared says in words what an application will see. named is the number of accounts that it asked for by number.
func Shared(l *words.Language, balances, transactions bool, named int) []hosted.Fact {
	accounts := l.Say("Number, holder, kind and currency of the accounts that you approve.")
	if named > 0 {
		accounts = l.Say("Number, holder, kind and currency of the %d accounts that it asked for.", named)
	}
	facts := []hosted.Fact{{Label: l.Say("Accounts"), Text: accounts}}
	if balances {
		facts = append(facts, hosted.Fact{Label: l.Say("Balances"), Text: l.Say("How much is on each of them, whenever it asks.")})
	}
	if transactions {
		facts = append(facts, hosted.Fact{Label: l.Say("Transactions"),
			Text: l.Say("Past and new ones with amounts, names and texts, as far back as the bank goes.")})
	}
	return facts
}

// UntilText says when something ends, by date, and by the hour when that is near.
func UntilText(l *words.Language, end, now time.Time) (text, note string) {
	left := end.Sub(now)
	switch {
	case left >= 48*time.Hour:
		return l.Date(end), l.Say("in %d days", int(left.Hours()/24+0.5))
	case left >= 2*time.Hour:
		return l.DateTime(end), l.Say("in %d hours", int(left.Hours()))
	}
	return l.DateTime(end), l.Say("in %d minutes", max(1, int(left.Minutes())))
}

// Steps are the names of the pages at which a bank asks; none when there is only one.
func Steps(l *words.Language, payment, noCredentials, device bool) []string {
	switch {
	case noCredentials:
		return nil
	case device:
		return []string{l.Say("Sign in"), l.Say("Approve")}
	case payment:
		return []string{l.Say("Sign in"), l.Say("Check"), l.Say("Code")}
	}
	return []string{l.Say("Sign in"), l.Say("Code"), l.Say("Approve")}
}

// AccountsOf are the accounts on offer. At first all are ticked: a person takes away what is not to be seen.
func AccountsOf(l *words.Language, choices []aggregator.AccountChoice, failed Attempt) []hosted.ApprovalAccount {
	accounts := make([]hosted.ApprovalAccount, len(choices))
	for i, c := range choices {
		name, detail := c.Product, l.Say(kinds[c.Type])
		if c.Details != "" {
			name, detail = c.Details, detail+" · "+c.Product
		}
		accounts[i] = hosted.ApprovalAccount{
			ID:        "account-" + strconv.Itoa(i+1),
			Reference: c.Reference,
			Name:      name,
			Detail:    detail,
			Number:    Readable(c.Number),
			Currency:  c.Currency,
			Checked:   failed.Problem == "" || slices.Contains(failed.Accounts, c.Reference),
			Blocked:   c.Blocked,
		}
	}
	return accounts
}

// Readable writes an IBAN in groups, and any other number as it is.
func Readable(number string) string {
	parsed, err := iban.Parse(number)
	if err != nil {
		return number
	}
	return parsed.Groups()
}

var kinds = map[openbanking.CashAccountType]words.Text{
	openbanking.CashAccountTypeCACC: "Current account",
	openbanking.CashAccountTypeCARD: "Card",
	openbanking.CashAccountTypeCASH: "Cash",
	openbanking.CashAccountTypeLOAN: "Loan",
	openbanking.CashAccountTypeOTHR: "Other",
	openbanking.CashAccountTypeSVGS: "Savings",
}
