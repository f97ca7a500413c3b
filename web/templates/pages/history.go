package pages

import "florin/web/templates/ui"

// HistoryCard shows how the bank has changed a transaction. It is shown when there is a change.
type HistoryCard struct {
	First   string // when it was fetched first: "Florin first fetched this on 3 October 2026 at 14:02."
	Changes []HistoryChange
}

// HistoryChange is a change, with what the bank said before of what it changed.
type HistoryChange struct {
	When   string // "Changed on 5 October 2026 at 08:00"
	Before []ui.Fact
}
