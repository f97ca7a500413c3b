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
)

func BankProblem(err error) error {
	action := ui.Link{Text: "See all banks", Href: paths.Link}
	if errors.Is(err, linking.ErrUnknownBank) {
		return &shell.Problem{Status: http.StatusNotFound, Title: "This bank is not in the list", What: "The service knows no bank of this name in this country, or no longer does.",
			Todo: "Choose a bank from the list.", Action: action, Cause: err}
	}
	f := FailureOf(err, "")
	return &shell.Problem{Status: http.StatusServiceUnavailable, Title: "The banks cannot be reached", What: f.What, Todo: f.Next, Action: action, Cause: err}
}

// FailureOf explains an error of the service. Where no bank is meant, a silent one is the service itself.
func FailureOf(err error, bank string) pages.Failure {
	f := finance.FailureOf(err)
	if bank == "" && f.Code == finance.FailureSilent {
		f.Code = finance.FailureUnreachable
	}
	return pages.Explain(f, bank)
}
