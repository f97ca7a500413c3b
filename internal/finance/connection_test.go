package finance

import (
	"slices"
	"testing"
)

// Pains 1 and 19: what was asked for, or accounts that contain each other, renew a connection; one account in common does not.
func TestRenewedConnection(t *testing.T) {
	known := []Account{{ID: "giro", ConnectionID: "lena"}, {ID: "card", ConnectionID: "lena"}, {ID: "joint", ConnectionID: "lena"},
		{ID: "depot", ConnectionID: "tom"}, {ID: "old", ConnectionID: "gone"}}
	shared := []SharedAccess{{AccountID: "joint", ConnectionID: "tom"}}
	for name, c := range map[string]struct {
		asked    LinkAttempt
		accounts []string // "new" is one that is not known
		want     string
	}{
		"nothing is known":                           {LinkAttempt{}, []string{"new"}, ""},
		"no accounts at all":                         {LinkAttempt{}, nil, ""},
		"the same accounts":                          {LinkAttempt{}, []string{"card", "joint", "giro"}, "lena"},
		"fewer accounts":                             {LinkAttempt{}, []string{"giro"}, "lena"},
		"more accounts":                              {LinkAttempt{}, []string{"giro", "new", "card", "joint"}, "lena"},
		"more accounts, reached ones among them":     {LinkAttempt{}, []string{"joint", "depot", "new"}, "tom"},
		"one in common":                              {LinkAttempt{}, []string{"joint", "new"}, ""},
		"only the one in common":                     {LinkAttempt{}, []string{"joint"}, "lena"},
		"some of both":                               {LinkAttempt{}, []string{"giro", "depot"}, ""},
		"all of both":                                {LinkAttempt{}, []string{"giro", "card", "joint", "depot"}, "lena"},
		"renewal, one closed and one new":            {LinkAttempt{Renews: "lena"}, []string{"giro", "joint", "new"}, "lena"},
		"renewal with the joint account and new":     {LinkAttempt{Renews: "lena"}, []string{"joint", "new"}, "lena"},
		"renewal of the second":                      {LinkAttempt{Renews: "tom"}, []string{"joint", "new"}, "tom"},
		"renewal, signed in as the other one":        {LinkAttempt{Renews: "lena"}, []string{"joint", "depot"}, "tom"},
		"renewal, signed in as the first one":        {LinkAttempt{Renews: "tom"}, []string{"giro", "card", "joint"}, "lena"},
		"renewal, signed in as somebody new":         {LinkAttempt{Renews: "lena"}, []string{"new"}, ""},
		"renewal of one that has no account":         {LinkAttempt{Renews: "empty"}, []string{"new"}, "empty"},
		"renewal of one that has no account, others": {LinkAttempt{Renews: "empty"}, []string{"giro"}, "lena"},
		"another login, the same accounts":           {LinkAttempt{Another: true}, []string{"giro", "card", "joint"}, ""},
		"another login, only the joint account":      {LinkAttempt{Another: true}, []string{"joint"}, ""},
	} {
		var match []int
		for _, id := range c.accounts {
			match = append(match, slices.IndexFunc(known, func(a Account) bool { return a.ID == id }))
		}
		if got := RenewedConnection(c.asked, known, shared, match); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
