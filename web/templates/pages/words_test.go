package pages_test

import (
	"strings"
	"testing"

	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/web/templates/pages"
	"florin/web/templates/words"
)

func explain(code finance.FailureCode, bank string) pages.Failure {
	return pages.Explain(words.English, finance.Failure{Code: code}, bank)
}

// spec: Errors. Every code has a text of its own that says what happened, who acts and what comes next.
func TestExplainKnowsEveryErrorCode(t *testing.T) {
	unknown := explain("SOMETHING_NEW", "Bank of Arno")
	codes := []string{"access_denied", "server_error", "temporarily_unavailable", "invalid_request", "invalid_client", "unauthorized_client",
		"invalid_scope", "unsupported_response_type"}
	for _, code := range openbanking.ErrorCode("").Values() {
		codes = append(codes, string(code))
	}
	for _, code := range codes {
		failure := explain(finance.FailureCode(code), "")
		if failure.Title == unknown.Title || failure.Title == "" {
			t.Errorf("%s has no text of its own", code)
		}
		if failure.What == "" || failure.Who == "" || failure.Next == "" {
			t.Errorf("%s: an answer is missing: %+v", code, failure)
		}
		if failure.Code != code {
			t.Errorf("%s is shown as code %q", code, failure.Code)
		}
		for _, text := range []string{failure.Title, failure.What, failure.Next} {
			if strings.Contains(text, "{") || strings.HasPrefix(text, "the bank") {
				t.Errorf("%s: the text %q is not finished", code, text)
			}
		}
	}
	if got, want := unknown.Title, "Something went wrong"; got != want {
		t.Errorf("title of an unknown code = %q, want %q", got, want)
	}
	if got, want := explain("server_error", "østbank").Title, "østbank could not finish"; got != want {
		t.Errorf("title with a bank that writes itself small = %q, want %q", got, want)
	}
	if got, want := explain("ASPSP_ERROR", "").Title, "The bank has a problem"; got != want {
		t.Errorf("title without a bank = %q, want %q", got, want)
	}
	if got, want := explain("ASPSP_TIMEOUT", "").Title, "The bank did not answer in time"; got != want {
		t.Errorf("title without a bank = %q, want %q", got, want)
	}
}

func TestEveryBalanceTypeHasItsOwnWords(t *testing.T) {
	seen := map[string]openbanking.BalanceStatus{}
	for _, code := range openbanking.BalanceStatus("").Values() {
		said, what := pages.BalanceWords(code)
		name, meaning := words.English.Message(said), words.English.Message(what)
		if name == "Balance "+string(code) || meaning == "" {
			t.Errorf("%s has no words", code)
		}
		if other, taken := seen[name]; taken {
			t.Errorf("%s and %s are both called %q", code, other, name)
		}
		seen[name] = code
	}
	if said, _ := pages.BalanceWords("ZZZZ"); words.English.Message(said) != "Balance ZZZZ" {
		t.Errorf("an unknown type is called %q", words.English.Message(said))
	}
}

func TestEveryTransactionStatusHasWords(t *testing.T) {
	for _, code := range openbanking.TransactionStatus("").Values() {
		status := pages.StatusWords(code)
		if fallback := pages.StatusWords("ZZZZ"); status == "" || (status == fallback) != (code == openbanking.TransactionStatusOTHR) {
			t.Errorf("StatusWords(%s) = %q", code, status)
		}
	}
}

func TestEveryReferenceSchemeHasWords(t *testing.T) {
	fallback := pages.ReferenceWords("ZZZZ")
	for _, code := range openbanking.ReferenceNumberScheme("").Values() {
		if reference := pages.ReferenceWords(code); reference == "" || reference == fallback {
			t.Errorf("ReferenceWords(%s) = %q", code, reference)
		}
	}
}
