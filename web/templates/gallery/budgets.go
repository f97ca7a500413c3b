package main

import (
	"fmt"

	"florin/internal/money"
	"florin/web/templates/pages"
	"florin/web/templates/ui"
)

func budgetScreens() []screen {
	return []screen{
		{"budgets", pages.Budgets(budgets())},
		{"budgets-odd", pages.Budgets(budgetsOdd())},
		{"budgets-hundred", pages.Budgets(budgetsHundred())},
		{"budgets-start", pages.Budgets(budgetsStart())},
		{"budgets-empty", pages.Budgets(budgetsEmpty())},
		{"budget", pages.Budget(budget())},
		{"budget-odd", pages.Budget(budgetOdd())},
		{"budget-new", pages.NewBudget(newBudget())},
		{"budget-new-problem", pages.NewBudget(newBudgetProblem())},
	}
}

func firstDays() pages.BudgetFirstDay {
	v := pages.BudgetFirstDay{From: "Choose the day on which you are paid. Another day applies from December 2026 on; earlier months stay as they are."}
	for day := 1; day <= 28; day++ {
		v.Days = append(v.Days, ui.Option{Value: fmt.Sprint(day), Text: fmt.Sprintf("Day %d of the month", day), Selected: day == 25})
	}
	v.Days = append(v.Days, ui.Option{Value: "0", Text: "Last day of the month from Monday to Friday"})
	return v
}

func groceries() pages.BudgetLine {
	return pages.BudgetLine{Name: "Groceries", Href: "/budgets/b1?month=2026-11", Spent: *amount(24810, "EUR"), Rows: "/transactions?q=x", Of: "of 400.00 EUR", Left: "151.90 EUR left",
		Bar: pages.BudgetBar{Spent: 62, Gone: 55}, Notes: []string{"62 % spent, 55 % of the month gone"}, Move: "/budgets/b1?month=2026-11#move"}
}

func overspent() pages.BudgetLine {
	return pages.BudgetLine{Name: "Restaurants and cafés", Href: "/budgets/b2", Spent: *amount(12000, "EUR"), Rows: "/transactions?q=y", Of: "of 100.00 EUR", Left: "20.00 EUR overspent", Over: true,
		Bar: pages.BudgetBar{Spent: 120, Gone: 55, Over: true}, Notes: []string{"120 % spent, 55 % of the month gone", "12.00 EUR from the month before"}, Move: "/budgets/b2#move"}
}

func insurance() pages.BudgetLine {
	return pages.BudgetLine{Name: "Insurance", Href: "/budgets/b3", Mark: "Archived", Spent: *amount(0, "EUR"), Rows: "/transactions?q=z", Of: "of 240.00 EUR", Left: "240.00 EUR left",
		Bar: pages.BudgetBar{Gone: 55}, Notes: []string{"0 % spent, 55 % of the month gone", "240.00 EUR of 480.00 EUR for January 2027: on course"}}
}

func budgets() pages.BudgetsView {
	return pages.BudgetsView{Frame: frame(), Month: "November 2026", Days: "From Sunday 25 October 2026 to Tuesday 24 November 2026: today is day 17 of 31.", Earlier: "/budgets?month=2026-10",
		Later: "/budgets?month=2026-12", New: "/budgets/new", FirstDay: firstDays(),
		Totals: []pages.BudgetTotal{{Spent: *amount(36810, "EUR"), Of: "of 740.00 EUR", Notes: []string{"371.90 EUR left", "49 % spent, 55 % of the month gone"}, Bar: pages.BudgetBar{Spent: 49, Gone: 55}}},
		Groups: []pages.BudgetSection{{Name: "Daily life", Lines: []pages.BudgetLine{groceries()}}, {Name: "Leisure", Lines: []pages.BudgetLine{overspent()}},
			{Name: "Finances", Lines: []pages.BudgetLine{insurance()}}},
		Rest: []pages.BudgetRest{{Name: "Pets", Spent: *amount(1500, "EUR"), Rows: "/transactions?q=p", New: "/budgets/new?for=pets"}, {Name: "No category", Spent: *amount(710, "EUR"), Rows: "/transactions?q=n"}}}
}

func budgetsOdd() pages.BudgetsView {
	v := budgets()
	v.Notices = []ui.Notice{{Tone: ui.Warning, Title: "Your budgets are more than your income",
		Text: "Together they are 9,999,999,999,999.99 EUR. About 200.00 EUR a month comes in, judging by the last months and what has come in so far."}}
	odd, huge := groceries(), overspent()
	odd.Name, odd.Mark = longWord+oddText, "Archived"
	huge.Name, huge.Spent, huge.Of, huge.Left = longName, pages.Figure(money.FromMinor(999_999_999_999_999, "EUR")), "of 9,999,999,999,999.99 EUR", "9,999,999,999,999.99 EUR overspent"
	large := insurance()
	large.Left = "The figures are too large to add up."
	crowns := groceries()
	crowns.Name, crowns.Spent, crowns.Of, crowns.Rows = "Everything else: Daily life", *amount(-1500, "ISK"), "of 1,000 ISK", ""
	v.Groups[0].Lines = []pages.BudgetLine{odd, crowns}
	v.Groups[1].Lines = []pages.BudgetLine{huge, large}
	v.Totals = append(v.Totals, pages.BudgetTotal{Spent: *amount(1500, "ISK"), Of: "of 1,000 ISK", Notes: []string{"500 ISK overspent"}, Bar: pages.BudgetBar{Spent: 150, Gone: 55, Over: true}})
	v.Rest[0].Name, v.Later = longWord, ""
	return v
}

func budgetsHundred() pages.BudgetsView {
	v := budgets()
	for i := range 100 {
		line := groceries()
		line.Name, line.Href = fmt.Sprintf("Category %d", i), fmt.Sprintf("/budgets/c%d", i)
		line.Rows, line.Move = fmt.Sprintf("/transactions?q=%d", i), ""
		v.Groups[0].Lines = append(v.Groups[0].Lines, line)
	}
	return v
}

func budgetsEmpty() pages.BudgetsView {
	v := budgets()
	v.Totals, v.Groups, v.Rest, v.Start = nil, nil, nil, &pages.BudgetStart{}
	return v
}

func budgetsStart() pages.BudgetsView {
	v := budgetsEmpty()
	v.Start = &pages.BudgetStart{Problem: "Correct the amounts that are marked.",
		Months: "Proposed from what you spent on average in the last 3 months. Nothing is saved before you agree. You can change each amount later.",
		Proposals: []pages.BudgetProposal{
			{Value: "groceries EUR", Name: "Groceries", Used: true, Amount: ui.Input{Name: "amount-1", Label: "Amount in EUR", Type: "text", Mode: "decimal", Value: "311.00", Autocomplete: "off"}},
			{Value: "own EUR", Name: longWord, Amount: ui.Input{Name: "amount-2", Label: "Amount in EUR", Type: "text", Mode: "decimal", Value: "a lot", Autocomplete: "off",
				Problem: "Enter the amount with digits and decimals, such as 12.30."}}}}
	return v
}

func budget() pages.BudgetView {
	field := func(name, label, value string) ui.Input {
		return ui.Input{Name: name, Label: label, Type: "text", Mode: "decimal", Value: value, Autocomplete: "off"}
	}
	return pages.BudgetView{Frame: frame(), ID: "b1", Title: "Groceries", Back: ui.Link{Text: "Budgets of November 2026", Href: "/budgets"}, Month: "November 2026", Value: "2026-11", Line: groceries(),
		Facts: []pages.BudgetFact{{Name: "From the month before", Amount: *amount(1200, "EUR")}, {Name: "Set for this month", Amount: *amount(38800, "EUR")}, {Name: "Moved from other budgets", Amount: *amount(0, "EUR")},
			{Name: "Spent", Amount: *amount(24810, "EUR"), Rows: "/transactions?q=x"}, {Name: "Left", Amount: *amount(15190, "EUR")}},
		Amount: field("amount", "Amount in EUR", "388.00"), Holds: "Applies from November 2026 on, until you set another amount.",
		Proposals: []pages.BudgetChoice{{Value: "412.30", Text: "As spent last month: 412.30 EUR"}, {Value: "398.00", Text: "Average of 3 months: 398.00 EUR"}},
		CarryLeft: true, GoalAmount: field("bill", "Amount of the bill in EUR", ""), GoalMonths: []ui.Option{{Value: "2026-11", Text: "November 2026"}, {Value: "2026-12", Text: "December 2026"}},
		MoveID: "m", MoveAmount: field("moved", "Amount to move in EUR", "151.90"),
		Moves: []pages.BudgetChoice{{Value: "to b2", Text: "To Restaurants and cafés (20.00 EUR overspent)"}, {Value: "from b3", Text: "From Insurance (240.00 EUR left)"}},
		End:   "End this budget", Ends: "From November 2026 on, there is no budget for this. Earlier months keep theirs."}
}

func budgetOdd() pages.BudgetView {
	v := budget()
	v.Title, v.Line = longWord+oddText, overspent()
	v.Notices = []ui.Notice{{Tone: ui.Info, Title: "Restaurants and cafés was merged into Groceries", Text: "Its budget counts here, in all months."},
		{Tone: ui.Info, Title: "Groceries is archived", Text: "Its transactions still count. End the budget if you no longer need it."}}
	v.Amount.Value, v.Amount.Problem = "a lot", "Enter the amount with digits and decimals, such as 12.30."
	v.MoveAmount.Problem, v.GoalAmount.Problem = "Choose a budget of the same month.", "The amount must be more than zero."
	v.Moves[0].Text = "To " + longWord + " (20.00 EUR overspent)"
	v.GoalNote = "240.00 EUR of 480.00 EUR for January 2027: on course"
	v.Holds, v.End, v.Ends = "This month is over: only November 2026 changes.", "Delete this budget", "It began this month, so nothing of it remains."
	return v
}

func newBudget() pages.NewBudgetView {
	return pages.NewBudgetView{Frame: frame(), Back: ui.Link{Text: "Budgets", Href: "/budgets"}, Month: "2026-11", Groups: categoryGroups("Groceries"), Currency: "EUR",
		Amount: ui.Input{Name: "amount", Label: "Amount for a month", Type: "text", Mode: "decimal", Value: "310.17", Required: true, Autocomplete: "off",
			Hint: "Last month: 300.00 EUR. On average of 3 months: 310.17 EUR."}}
}

func newBudgetProblem() pages.NewBudgetView {
	v := newBudget()
	v.Problem, v.Currencies = "There is a budget for this already. Change its amount instead.", []ui.Option{{Value: "EUR", Text: "EUR"}, {Value: "SEK", Text: "SEK", Selected: true}}
	v.Amount.Problem = "The amount is too large."
	return v
}
