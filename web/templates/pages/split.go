package pages

import (
	"strconv"
	"strings"

	"florin/web/templates/layout"
	"florin/web/templates/ui"
)

// SplitCard says into which parts a transaction was split.
type SplitCard struct {
	Href   string      // path of the page that splits it; empty when there is nothing to split
	Parts  []SplitPart // none when it is not split
	Misfit string      // says that the parts do not add up to the transaction; usually empty
}

// SplitPart is one of the parts.
type SplitPart struct {
	Amount   ui.Money
	Category string
	Note     string // empty for none
}

// SplitView is the page that splits a transaction.
// Form fields: amount-1, category-1, note-1, amount-2 and so on; do, one of "save", "more" for one part more, and "whole" to take the split back.
type SplitView struct {
	layout.Frame
	Back    ui.Link
	Title   string
	Amount  ui.Money
	Action  string // path of the form
	Explain string // path that answers with SplitRest
	Notice  *ui.Notice
	Parts   []SplitForm
	Rest    SplitRestView
	More    bool // one part more is possible
	Is      bool // it is split
}

// SplitForm is what is typed of one part.
type SplitForm struct {
	Legend string // "Part 1"
	Amount ui.Input
	Select string // name of the choice of a category
	Groups []CategoryGroup
	Note   ui.Input
}

// SplitRestView says what is left of a transaction while its parts are typed.
type SplitRestView struct {
	Hint  PayHint
	Parts int // that the form has
}

// asks are the fields on which the rest depends.
func (v SplitRestView) asks() string {
	names := make([]string, v.Parts)
	for i := range names {
		names[i] = "amount-" + strconv.Itoa(i+1)
	}
	return strings.Join(names, " ")
}
