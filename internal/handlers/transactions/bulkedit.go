package transactions

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/live"
	"florin/internal/search"
	"florin/internal/store"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// TopicBulkEdit is the topic of the event that a bulk edit of the user went on.
const TopicBulkEdit = "bulk-edit"

// liveBulkEdit is the view of the page of a bulk edit that is being carried out or undone.
const liveBulkEdit = "bulk-edit"

// sampleRows is how many rows a preview shows.
const sampleRows = 5

// piecesAtOnce is how much of a bulk edit is done before the answer, in pieces of the store. The rest is done in the background.
const piecesAtOnce = 6

// selectRows is the list of what a search finds, to choose from.
func (a *Area) selectRows(v *shell.Visitor) error {
	whose, err := a.Whose(v, v.Request.URL.Query().Get("whose"))
	if err != nil {
		return err
	}
	c := a.At(v.Ctx(), time.Now())
	l, err := a.listingOf(v, c, whose)
	if err != nil {
		return err
	}
	l.selecting = true
	view := pages.SelectView{Frame: a.Frame(v), Household: whose.OfHousehold(),
		List: pages.List{Text: strings.TrimSpace(v.Request.URL.Query().Get("q")), Whose: whose.Asked, Empty: c.Say("There is no booked transaction to edit.")}}
	view.Frame.Live = whose.Live()
	view.Back = paths.ByWhose(paths.Search(view.List.Text), whose.Asked)
	query, ok := l.understood(view.List.Text)
	if !ok {
		v.SeeOther(view.Back) // it says what is wrong
		return nil
	}
	if _, err := a.found(v, l, query, &view.List); err != nil {
		return err
	}
	return v.Page(http.StatusOK, pages.Select(view))
}

// beginEdit begins a bulk edit of what was chosen, or of everything that the search finds.
func (a *Area) beginEdit(v *shell.Visitor) error {
	whose, err := a.Whose(v, v.Field("whose"))
	if err != nil {
		return err
	}
	text := v.Field("q")
	list := paths.ByWhose(paths.Select(text), whose.Asked)
	ids := []int64{}
	for _, id := range v.Request.PostForm["id"] {
		if n, err := strconv.ParseInt(id, 10, 64); err == nil {
			ids = append(ids, n)
		}
	}
	query := search.Query(search.And{})
	if v.Field("which") == "all" {
		unready, err := a.unready(v, whose)
		if err != nil {
			return err
		}
		if unready != nil {
			a.Flash(v, ui.Warning, v.Say("Florin is still preparing the search: some of your transactions would be left out. Try again in a few minutes."))
			v.SeeOther(list)
			return nil
		}
		c := a.At(v.Ctx(), time.Now())
		l, err := a.listingOf(v, c, whose)
		if err != nil {
			return err
		}
		var ok bool
		if query, ok = l.understood(text); !ok {
			v.SeeOther(paths.ByWhose(paths.Search(text), whose.Asked)) // it says what is wrong
			return nil
		}
		ids = nil
	}
	id, err := whose.BeginEdit(v.Ctx(), text, query, ids)
	switch {
	case errors.Is(err, store.ErrNothingChosen) && ids == nil:
		a.Flash(v, ui.Warning, v.Say("There is no booked transaction to edit."))
	case errors.Is(err, store.ErrNothingChosen):
		a.Flash(v, ui.Warning, v.Say("Choose at least one transaction."))
	case errors.Is(err, store.ErrOthersChosen):
		a.Flash(v, ui.Warning, v.Say("All of these are in accounts of others. Only their owners can change them."))
	case errors.Is(err, store.ErrTooManyChosen):
		a.Flash(v, ui.Warning, v.Say("These are more than %d transactions, which is the most that can be edited at once. Search for fewer.", finance.MaxBulkRows))
	case err != nil:
		return err
	default:
		v.SeeOther(paths.BulkEdit(id))
		return nil
	}
	v.SeeOther(list)
	return nil
}

// editForm is the form of a bulk edit as it was typed, with what is wrong.
type editForm struct {
	category, tags, untag, reviewed, note           string
	problem, tagsProblem, untagProblem, noteProblem string
}

// formOf is the form of a change that was understood.
func formOf(c finance.BulkChange) editForm {
	f := editForm{category: c.Category, tags: strings.Join(c.Tags, ", "), untag: strings.Join(c.Untag, ", "), note: c.Note}
	if c.Reviewed != nil {
		f.reviewed = map[bool]string{true: "yes", false: "no"}[*c.Reviewed]
	}
	return f
}

// read makes the change of the form, and notes what is wrong.
func (f *editForm) read(v *shell.Visitor) (c finance.BulkChange, ok bool) {
	c.Category = f.category
	if f.reviewed != "" {
		reviewed := f.reviewed == "yes"
		c.Reviewed = &reviewed
	}
	var err error
	if c.Tags, err = finance.ReadTags(f.tags); err != nil {
		f.tagsProblem = tagsProblem(v, err)
	}
	if c.Untag, err = finance.ReadTags(f.untag); err != nil {
		f.untagProblem = tagsProblem(v, err)
	}
	for _, tag := range c.Untag {
		for _, added := range c.Tags {
			if strings.EqualFold(tag, added) {
				f.untagProblem = v.Say("The tag %s is to be added and removed. Choose one of the two.", tag)
			}
		}
	}
	if c.Note, err = finance.ReadNote(f.note); err != nil {
		f.noteProblem = noteProblem(v, f.note)
	}
	if f.tagsProblem+f.untagProblem+f.noteProblem == "" && c.Empty() {
		f.problem = v.Say("Choose what to change.")
	}
	return c, f.problem+f.tagsProblem+f.untagProblem+f.noteProblem == ""
}

// bulkEdit is the page of a bulk edit: what it would do, what it is doing, or what it did.
func (a *Area) bulkEdit(v *shell.Visitor) error {
	edit, err := a.Store.BulkEdit(v.Ctx(), v.User.ID, v.Request.PathValue("edit"))
	if err != nil {
		return err
	}
	return a.editPage(v, http.StatusOK, edit, formOf(edit.Change))
}

// planEdit takes what a bulk edit is to change, and shows what would happen.
func (a *Area) planEdit(v *shell.Visitor) error {
	edit, err := a.Store.BulkEdit(v.Ctx(), v.User.ID, v.Request.PathValue("edit"))
	if err != nil {
		return err
	}
	f := editForm{category: v.Field("category"), tags: v.Field("tags"), untag: v.Field("untag"), reviewed: v.Field("reviewed"), note: v.Field("note")}
	change, ok := f.read(v)
	switch {
	case edit.State != finance.BulkDraft:
		return a.editPage(v, http.StatusUnprocessableEntity, edit, f)
	case !ok:
		edit.Change = finance.BulkChange{}
		return a.editPage(v, http.StatusUnprocessableEntity, edit, f)
	}
	if err := a.Store.PlanEdit(v.Ctx(), v.User.ID, edit.ID, change); err != nil {
		return err
	}
	v.SeeOther(paths.BulkEdit(edit.ID))
	return nil
}

// startEdit carries out a bulk edit as its preview said. One that was given another change since, as in another window, shows that first.
func (a *Area) startEdit(v *shell.Visitor) error {
	err := a.turnEdit(v, func(ctx context.Context, userID, id string) error {
		return a.Store.StartEdit(ctx, userID, id, v.Field("seen"))
	})
	if errors.Is(err, store.ErrBulkReplanned) {
		a.Flash(v, ui.Warning, v.Say("Nothing was changed yet: you chose another change in the meantime. Look at what will change now."))
		v.SeeOther(paths.BulkEdit(v.Request.PathValue("edit")))
		return nil
	}
	return err
}

// undoEdit undoes a bulk edit.
func (a *Area) undoEdit(v *shell.Visitor) error { return a.turnEdit(v, a.Store.UndoEdit) }

// turnEdit takes a bulk edit to its next state and does a part of the work. What cannot be done in its state, as after a second click, is answered with how
// it stands.
func (a *Area) turnEdit(v *shell.Visitor, turn func(ctx context.Context, userID, id string) error) error {
	id := v.Request.PathValue("edit")
	err := turn(v.Ctx(), v.User.ID, id)
	if err != nil && !errors.Is(err, store.ErrBulkState) {
		return err
	}
	defer a.WakeEdits()
	for range piecesAtOnce {
		more, err := a.Store.AdvanceEdit(v.Ctx(), v.User.ID, id)
		if err != nil {
			return err
		}
		if !more {
			break
		}
	}
	v.SeeOther(paths.BulkEdit(id))
	return nil
}

// editPage shows a bulk edit; f is the form of one that is not confirmed yet.
func (a *Area) editPage(v *shell.Visitor, status int, edit finance.BulkEdit, f editForm) error {
	c := a.At(v.Ctx(), time.Now())
	l, err := a.listing(v, c)
	if err != nil {
		return err
	}
	view := pages.BulkEditView{Frame: a.Frame(v), Title: c.Say("Edit %d transactions", edit.Rows), Back: paths.Search(edit.Search), Changes: l.changes(edit.Change)}
	if edit.Household {
		view.Back = paths.ByWhose(view.Back, shell.WhoseHousehold)
	}
	if edit.Others > 0 {
		view.Others = c.Say("%d of %d were left alone: they are in accounts of others, and only their owners can change them.", edit.Others, edit.Others+edit.Rows)
	}
	if edit.State != finance.BulkDraft {
		view.Title = c.Say("Bulk edit of %s", c.Full(edit.Begun))
	}
	switch edit.State {
	case finance.BulkDraft:
		preview, err := a.Store.PreviewEdit(v.Ctx(), edit, sampleRows)
		if err != nil {
			return err
		}
		view.Form = l.editForm(edit, f)
		if view.Form.Tags.Hint, err = a.tagsHint(v); err != nil {
			return err
		}
		for i := range preview.Sample {
			preview.Sample[i].Suggestion = "" // a sample is only to be looked at
		}
		view.Sample = c.Days(preview.Sample, l.places(nil))
		if edit.Change.Empty() {
			break
		}
		view.Preview = &pages.BulkPreview{Title: c.Say("%d transactions will change", preview.Changes), Start: paths.BulkEditStart(edit.ID), Seen: edit.Change.Digest()}
		if preview.Changes > 0 {
			view.Preview.Button = c.Say("Change %d transactions", preview.Changes)
		}
		if others := edit.Rows - preview.Changes - preview.NoRoom; others > 0 {
			view.Preview.Notes = append(view.Preview.Notes, c.Say("%d others are like that already, or are split into parts with categories of their own.", others))
		}
		if preview.NoRoom > 0 {
			view.Preview.Notes = append(view.Preview.Notes, c.Say("%d have no room for another tag or a longer note. They stay as they are.", preview.NoRoom))
		}
	case finance.BulkRunning, finance.BulkUndoing:
		progress := editProgress(c, edit)
		view.Progress = &progress
		view.Frame.Busy, view.Frame.Live = true, shell.LivePath(liveBulkEdit, url.Values{"edit": {edit.ID}})
	default:
		result := editResult(c, edit)
		view.Result = &result
	}
	if edit.State == finance.BulkDone && edit.Changed > 0 {
		view.Undo = paths.BulkEditUndo(edit.ID)
	}
	return v.Page(status, pages.BulkEdit(view))
}

// editForm is the form in which a person says what is to change.
func (l listing) editForm(edit finance.BulkEdit, f editForm) *pages.BulkEditForm {
	c := l.clock
	form := &pages.BulkEditForm{Action: paths.BulkEdit(edit.ID), Categories: c.CategoryChoice(l.categories, f.category), Problem: f.problem, Note: f.note,
		NoteProblem: f.noteProblem,
		Tags:        ui.Input{Name: "tags", Label: c.Say("Add tags"), Type: "text", Value: f.tags, Problem: f.tagsProblem, Autocomplete: "off"},
		Untag:       ui.Input{Name: "untag", Label: c.Say("Remove tags"), Type: "text", Value: f.untag, Problem: f.untagProblem, Autocomplete: "off"}}
	for _, o := range []struct {
		value string
		text  words.Text
	}{{"", "Leave as it is"}, {"yes", "Mark as reviewed"}, {"no", "Mark to be reviewed"}} {
		form.Reviewed = append(form.Reviewed, ui.Option{Value: o.value, Text: c.Say(o.text), Selected: o.value == f.reviewed})
	}
	return form
}

// tagsHint says which tags there are.
func (a *Area) tagsHint(v *shell.Visitor) (string, error) {
	known, err := a.Store.Tags(v.Ctx(), v.User.ID)
	if err != nil || len(known) == 0 {
		return v.Say("Write a comma between two tags."), err
	}
	return v.Say("Write a comma between two tags. You have used: %s", strings.Join(known, ", ")), nil
}

// changes says what a bulk edit does, a sentence for each part.
func (l listing) changes(change finance.BulkChange) (sentences []string) {
	c := l.clock
	if own, ok := l.categories.Of(change.Category); ok {
		sentences = append(sentences, c.Say("Set the category %s", c.Category(own)))
	}
	if len(change.Tags) > 0 {
		sentences = append(sentences, c.Say("Add the tags %s", c.List(change.Tags)))
	}
	if len(change.Untag) > 0 {
		sentences = append(sentences, c.Say("Remove the tags %s", c.List(change.Untag)))
	}
	switch {
	case change.Reviewed == nil:
	case *change.Reviewed:
		sentences = append(sentences, c.Say("Mark as reviewed"))
	default:
		sentences = append(sentences, c.Say("Mark to be reviewed"))
	}
	if change.Note != "" {
		sentences = append(sentences, c.Say("Add the note “%s”", change.Note))
	}
	return sentences
}

// editProgress says how far a bulk edit is.
func editProgress(c show.Clock, edit finance.BulkEdit) ui.Progress {
	p := ui.Progress{ID: "bulk-edit-progress", Title: c.Say("Changing: %d of %d transactions", edit.Changed, edit.Rows), Done: edit.Changed, Total: edit.Rows,
		Note: c.Say("You can leave this page. Florin goes on by itself.")}
	if edit.State == finance.BulkUndoing {
		p.Title, p.Done, p.Total = c.Say("Undoing: %d of %d transactions", edit.Restored, edit.Changed), edit.Restored, edit.Changed
	}
	return p
}

// editResult says what a bulk edit did, or what its undo did.
func editResult(c show.Clock, edit finance.BulkEdit) ui.Notice {
	if edit.State == finance.BulkUndone {
		n := ui.Notice{Tone: ui.Good, Title: c.Say("Undone: %d transactions are as they were before", edit.Restored)}
		if edit.Edited > 0 {
			n.Text = c.Say("%d were edited since. They stay as they are now.", edit.Edited)
		}
		return n
	}
	n := ui.Notice{Tone: ui.Good, Title: c.Say("%d transactions are changed", edit.Changed)}
	if edit.NoRoom > 0 {
		n.Text = c.Say("%d have no room for another tag or a longer note. They stay as they are.", edit.NoRoom)
	}
	return n
}

// bulkEdits lists the last bulk edits. Each can be undone as a whole.
func (a *Area) bulkEdits(v *shell.Visitor) error {
	edits, err := a.Store.BulkEdits(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	c := a.At(v.Ctx(), time.Now())
	l := listing{clock: c}
	if l.categories, err = a.Store.Categories(v.Ctx(), v.User.ID); err != nil {
		return err
	}
	view := pages.BulkEditsView{Frame: a.Frame(v)}
	for _, edit := range edits {
		row := pages.BulkEditRow{Href: paths.BulkEdit(edit.ID), Title: c.Full(edit.Begun), Changes: l.changes(edit.Change)}
		switch edit.State {
		case finance.BulkRunning, finance.BulkUndoing:
			row.State = editProgress(c, edit).Title
		default:
			row.State = editResult(c, edit).Title
		}
		if edit.State == finance.BulkDone && edit.Changed > 0 {
			row.Undo = paths.BulkEditUndo(edit.ID)
		}
		view.Rows = append(view.Rows, row)
	}
	return v.Page(http.StatusOK, pages.BulkEdits(view))
}

// bulkEditView follows a bulk edit that is being carried out or undone.
type bulkEditView struct {
	area       *Area
	userID, id string
}

func (a *Area) openBulkEditView(v *shell.Visitor, query url.Values) (shell.View, error) {
	_, err := a.Store.BulkEdit(v.Ctx(), v.User.ID, query.Get("edit"))
	return &bulkEditView{a, v.User.ID, query.Get("edit")}, err
}

// Render shows the progress. When it is over, the page is to be loaded again.
func (s *bulkEditView) Render(ctx context.Context, e live.Event) (string, []byte, error) {
	if e.Topic != shell.TopicOpened && e.Topic != TopicBulkEdit {
		return "", nil, nil
	}
	edit, err := s.area.Store.BulkEdit(ctx, s.userID, s.id)
	if err != nil {
		return "", nil, err
	}
	if edit.State != finance.BulkRunning && edit.State != finance.BulkUndoing {
		return shell.EventReload, nil, nil
	}
	return shell.Fragment(ctx, ui.SyncProgress(editProgress(s.area.At(ctx, time.Now()), edit)))
}
