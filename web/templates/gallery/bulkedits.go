package main

import (
	"fmt"

	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

func selectRows() pages.SelectView {
	v := pages.SelectView{Frame: simulated(), List: searched().List}
	for _, day := range v.List.Days {
		for i := range day.Rows {
			day.Rows[i].ID = fmt.Sprint(day.Date.ISO, i)
		}
	}
	return v
}

func bulkEdit() pages.BulkEditView {
	return pages.BulkEditView{Frame: simulated(), Title: "Edit 312 transactions", Back: paths.Search("mercato"),
		Changes: []string{"Set the category Groceries", "Add the tags holiday and tax", "Mark as reviewed", "Add the note “" + longName + "”"}}
}

func bulkForm(problem string) *pages.BulkEditForm {
	return &pages.BulkEditForm{Action: "/edit", Problem: problem, Categories: categoryOf("", "", false).Groups, Note: "Checked",
		Tags:     ui.Input{Name: "tags", Label: "Add tags", Type: "text", Value: "holiday, tax", Autocomplete: "off", Hint: "Write a comma between two tags. You have used: holiday, tax"},
		Untag:    ui.Input{Name: "untag", Label: "Remove tags", Type: "text", Value: "Tax", Autocomplete: "off", Problem: "The tag Tax is to be added and removed. Choose one of the two."},
		Reviewed: []ui.Option{{Text: "Leave as it is", Selected: true}, {Value: "yes", Text: "Mark as reviewed"}, {Value: "no", Text: "Mark to be reviewed"}}}
}

func bulkEditDraft() pages.BulkEditView {
	v := bulkEdit()
	v.Changes, v.Form, v.Sample = nil, bulkForm("Choose what to change."), searched().List.Days
	return v
}

func bulkEditPreview() pages.BulkEditView {
	v := bulkEdit()
	v.Form, v.Sample = bulkForm(""), searched().List.Days
	v.Others = "3 of 315 were left alone: they are in accounts of others, and only their owners can change them."
	v.Preview = &pages.BulkPreview{Title: "300 transactions will change", Start: "/start", Button: "Change 300 transactions",
		Notes: []string{"10 others are like that already, or are split into parts with categories of their own.", "2 have no room for another tag or a longer note. They stay as they are."}}
	return v
}

func bulkEditBusy() pages.BulkEditView {
	v := bulkEdit()
	v.Title = "Bulk edit of 3 October 2026 at 14:02"
	v.Frame.Busy, v.Frame.Live = true, "/live"
	v.Progress = &ui.Progress{ID: "bulk-edit-progress", Title: "Changing: 100 of 312 transactions", Done: 100, Total: 312, Note: "You can leave this page. Florin goes on by itself."}
	return v
}

func bulkEditDone() pages.BulkEditView {
	v := bulkEdit()
	v.Title = "Bulk edit of 3 October 2026 at 14:02"
	v.Result = &ui.Notice{Tone: ui.Good, Title: "300 transactions are changed", Text: "2 have no room for another tag or a longer note. They stay as they are."}
	v.Undo = "/undo"
	return v
}

func bulkEdits() pages.BulkEditsView {
	return pages.BulkEditsView{Frame: frame(), Rows: []pages.BulkEditRow{
		{Href: "/1", Title: "3 October 2026 at 14:02", Changes: bulkEdit().Changes, State: "300 transactions are changed", Undo: "/undo"},
		{Href: "/2", Title: "3 October 2026 at 13:58", Changes: []string{"Mark to be reviewed"}, State: "Changing: 100 of 312 transactions"},
		{Href: "/3", Title: "1 October 2026 at 08:00", Changes: []string{"Remove the tags " + longWord}, State: "Undone: 1 transaction is as it was before"}}}
}
