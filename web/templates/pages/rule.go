package pages

import (
	"context"

	"florin/web/templates/layout"
	"florin/web/templates/ui"
)

// RulesView lists the rules of the user in the order in which they are tried.
type RulesView struct {
	layout.Frame
	Rows []RuleRow
}

// RuleRow is one rule in the list.
type RuleRow struct {
	ID          string
	Conditions  string // "Name: Lidl · Money out"
	Actions     string // "Groceries · #food"
	Note        string // "Switched off"; usually empty
	Off         bool
	First, Last bool
}

// RuleView is the form of a rule with what it would do.
type RuleView struct {
	layout.Frame
	ID      string // "" for a new one
	Action  string // where the form goes
	Notice  *ui.Notice
	Form    RuleForm
	Preview *RulePreview // nil while the rule cannot be read, or does nothing
	Seen    string       // names the rule that the preview is of
}

// RuleForm is the fields of a rule. Form fields: payees, texts and numbers, one value in each line; codes; low, high; from, to; flow, one of "", "in" and
// "out"; account; category; name; tags; note; reviewed "yes"; share-<person>; share-from; do, "preview" or "save"; seen.
type RuleForm struct {
	Payees, Texts, Numbers, Codes ui.Input
	Low, High, From, To           ui.Input
	Flow, Accounts                []ui.Option
	Categories                    []CategoryGroup
	Name, Tags, Note              ui.Input
	Reviewed                      bool
	More, MoreDone                bool       // whether rarely used fields are open: conditions, and actions
	Share                         []ui.Input // the number of shares of each person; none without other people
	ShareFrom                     ui.Input
	MoreShared                    bool // whether these fields are open
}

// RulePreview shows what a rule would do with the existing transactions.
type RulePreview struct {
	Warnings []string
	Lines    []string // what happens to how many
	Days     []Day    // some of the transactions as they would be
}

// RuleCard leads from a transaction to rules.
type RuleCard struct {
	Make        string      // address of the form for a new rule
	Account, ID string      // of the transaction
	Rules       []ui.Option // rules that can be widened to match the transaction; none without a choice
}

// ruleTitle is the title of the page of a rule.
func ruleTitle(ctx context.Context, v RuleView) string {
	if v.ID == "" {
		return say(ctx, "New rule")
	}
	return say(ctx, "Change a rule")
}
