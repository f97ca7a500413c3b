package finance

import (
	"slices"
	"testing"
	"time"
)

// A link renews the connection that was to be renewed, or one whose accounts contain those of the link or are contained in them. One account in common
// renews nothing.
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

// Access ended when the service says so, or at the date of the consent; else all that is known is when Florin noticed.
func TestEndOfAConnection(t *testing.T) {
	t.Parallel()
	authorized := time.Date(2026, 5, 1, 8, 0, 0, 0, time.UTC)
	until, noticed := authorized.AddDate(0, 0, 90), authorized.AddDate(0, 0, 100)
	c := Connection{Status: ConnectionActive, Authorized: authorized, ValidUntil: until}
	if at, _ := c.End(until.Add(-time.Second)); !at.IsZero() {
		t.Errorf("an active connection ended %v", at)
	}
	if at, known := c.End(noticed); !at.Equal(until) || !known {
		t.Errorf("past its date: %v %t", at, known)
	}
	c.Status, c.Ended = ConnectionRevoked, noticed
	if at, known := c.End(noticed); !at.Equal(noticed) || known {
		t.Errorf("noticed: %v %t", at, known)
	}
	c.EndKnown = true
	if at, known := c.End(noticed); !at.Equal(noticed) || !known {
		t.Errorf("known: %v %t", at, known)
	}
	closed := authorized.AddDate(0, 0, 7)
	for name, e := range map[string]struct {
		status ConnectionStatus
		closed time.Time
		now    time.Time
		want   time.Time
	}{
		"told":                       {ConnectionRevoked, closed, noticed, closed},
		"told, of an expired one":    {ConnectionExpired, closed, noticed, closed},
		"the date":                   {ConnectionExpired, time.Time{}, noticed, until},
		"expired before its date":    {ConnectionExpired, time.Time{}, closed, time.Time{}},
		"nothing told":               {ConnectionRevoked, time.Time{}, noticed, time.Time{}},
		"told to be in the future":   {ConnectionClosed, noticed.AddDate(1, 0, 0), noticed, time.Time{}},
		"told to be before it began": {ConnectionClosed, authorized.Add(-time.Second), noticed, time.Time{}},
	} {
		if got := c.EndOfSession(e.status, e.closed, e.now); !got.Equal(e.want) {
			t.Errorf("%s: %v, want %v", name, got, e.want)
		}
	}
}

// A gap is what lies between the last read before a link and the first day that the bank gave since.
func TestGapAfterALink(t *testing.T) {
	t.Parallel()
	before := time.Date(2026, 5, 1, 8, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		account LinkedAccount
		found   bool
	}{
		"new":                    {LinkedAccount{Read: true, ReadFrom: "2026-06-01"}, false},
		"not read yet":           {LinkedAccount{ReadUntil: before, ReadFrom: "2026-06-01"}, false},
		"read with an overlap":   {LinkedAccount{ReadUntil: before, Read: true, ReadFrom: "2026-04-20"}, false},
		"read as far as it goes": {LinkedAccount{ReadUntil: before, Read: true}, false},
		"on the same day":        {LinkedAccount{ReadUntil: before, Read: true, ReadFrom: "2026-05-01"}, false},
		"a gap":                  {LinkedAccount{ReadUntil: before, Read: true, ReadFrom: "2026-06-01"}, true},
	} {
		after, until, found := c.account.Gap()
		if found != c.found || found && (after != "2026-05-01" || until != "2026-06-01") {
			t.Errorf("%s: %s to %s %t", name, after, until, found)
		}
	}
}
