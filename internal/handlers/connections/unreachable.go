package connections

import (
	"errors"
	"net/http"

	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/linking"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// BankProblem answers where the banks of a service cannot be listed, or do not have the one that was chosen.
func BankProblem(v *shell.Visitor, err error) error {
	action := ui.Link{Text: v.Say("See all banks"), Href: paths.Link}
	if errors.Is(err, linking.ErrUnknownBank) {
		return &shell.Problem{Status: http.StatusNotFound, Title: v.Say("This bank is not in the list"),
			What: v.Say("The banking service does not know a bank of this name in this country."),
			Todo: v.Say("Choose the bank from the list again."), Action: action, Cause: err}
	}
	f := FailureOf(words.In(v.Ctx()), err, "")
	return &shell.Problem{Status: http.StatusServiceUnavailable, Title: v.Say("The banks cannot be reached"), What: f.What, Todo: f.Next, Action: action,
		Cause: err}
}

// FailureOf explains an error of the service in a language. Where no bank is meant, a silent one is the service itself.
func FailureOf(l *words.Language, err error, bank string) pages.Failure {
	f := finance.FailureOf(err)
	if bank == "" && f.Code == finance.FailureSilent {
		f.Code = finance.FailureUnreachable
	}
	return pages.Explain(l, f, bank)
}
