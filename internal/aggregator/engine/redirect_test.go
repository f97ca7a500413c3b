package engine

import (
	"testing"

	"florin/internal/aggregator"
)

// A redirect has each of its parameters once, whatever the registered URL has in its query: for linked accounts that is authorization_id, too.
func TestRedirectHasEachParameterOnce(t *testing.T) {
	row := aggregator.Authorization{RedirectURL: "https://app.example/back?authorization_id=old&tab=2&code=old"}
	const want = "https://app.example/back?tab=2&authorization_id=new&state=s"
	if got := redirect(row, "authorization_id", "new", "state", "s"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
