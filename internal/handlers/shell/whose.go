package shell

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"

	"florin/internal/finance"
	"florin/internal/live"
	"florin/internal/store"
	"florin/web/templates/pages"
)

// Values of the query "whose", and of the form at paths.Whose.
const (
	WhoseMine      = "mine"
	WhoseHousehold = "household"
)

// Whose says whose accounts a page shows.
type Whose struct {
	store.Seen

	Asked  string       // the value of the query "whose" for links that keep the choice; "" without a choice
	Choice *pages.Whose // nil without a choice
	shared string       // Fingerprint of the accounts shared by others
}

// Whose returns whose accounts a page is about. asked is the value of "whose" in the address; without one the visitor's last choice counts. A visitor
// without accounts sees the household. When nobody shares an account with the visitor, it is always the visitor's own accounts.
func (s *Shell) Whose(v *Visitor, asked string) (Whose, error) {
	mine := Whose{Seen: s.store.Mine(v.User.ID)}
	shared, err := s.store.Shared(v.Ctx(), v.User.ID)
	if err != nil || len(shared) == 0 {
		return mine, err
	}
	own, err := s.store.Holdings(v.Ctx(), v.User.ID)
	if err != nil {
		return mine, err
	}
	if len(own.Accounts) == 0 {
		return Whose{Seen: s.store.Household(v.User.ID), shared: Fingerprint(shared)}, nil
	}
	if asked != WhoseMine && asked != WhoseHousehold {
		asked = WhoseMine
		household, err := s.store.LooksAtHousehold(v.Ctx(), v.User.ID)
		if err != nil {
			return mine, err
		}
		if household {
			asked = WhoseHousehold
		}
	}
	w := Whose{Seen: mine.Seen, Asked: asked, Choice: &pages.Whose{Household: asked == WhoseHousehold, Back: v.Request.URL.RequestURI()}}
	if asked == WhoseHousehold {
		w.Seen, w.shared = s.store.Household(v.User.ID), Fingerprint(shared)
	}
	return w, nil
}

// Fingerprint returns a hash of the accounts that are shared with the user and of how much of each. It is "" when nothing is shared.
func Fingerprint(shared []finance.SharedAccount) string {
	if len(shared) == 0 {
		return ""
	}
	hash := sha256.New()
	for _, s := range shared {
		fmt.Fprintf(hash, "%s %s\n", s.ID, s.Level)
	}
	return hex.EncodeToString(hash.Sum(nil)[:8])
}

// LiveHousehold is the view of a page with rows or figures of others. The page is reloaded when they share more or less.
const LiveHousehold = "household"

// Live returns the address of the event stream for a page without a view of its own; "" when the page shows nothing of others.
func (w Whose) Live() string {
	if !w.OfHousehold() {
		return ""
	}
	return LivePath(LiveHousehold, url.Values{"shared": {w.shared}})
}

type householdView struct {
	store          *store.Store
	userID, shared string
}

// OpenHousehold opens the view of a page about the household.
func (s *Shell) OpenHousehold(v *Visitor, query url.Values) (View, error) {
	return &householdView{s.store, v.User.ID, query.Get("shared")}, nil
}

// Render implements View.
func (h *householdView) Render(ctx context.Context, e live.Event) (string, []byte, error) {
	if e.Topic != TopicOpened && e.Topic != TopicShares {
		return "", nil, nil
	}
	shared, err := h.store.Shared(ctx, h.userID)
	if err != nil || Fingerprint(shared) == h.shared {
		return "", nil, err
	}
	return EventReload, nil, nil
}
