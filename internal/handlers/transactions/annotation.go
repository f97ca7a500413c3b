package transactions

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

// annotation shows what the user keeps with a transaction.
func (a *Area) annotation(v *shell.Visitor, t finance.TransactionRecord) (pages.AnnotationView, error) {
	id := strconv.FormatInt(t.ID, 10)
	view := pages.AnnotationView{Review: paths.TransactionReview(t.AccountID, id), Reviewed: t.Reviewed, Save: paths.TransactionAnnotation(t.AccountID, id)}
	kept, err := a.Store.Annotation(v.Ctx(), v.User.ID, t.ID)
	if err != nil {
		return view, err
	}
	view.Note, view.Tags = kept.Note, strings.Join(kept.Tags, ", ")
	view.Known, err = a.Store.Tags(v.Ctx(), v.User.ID)
	return view, err
}

// annotate saves the note and the tags of a transaction. What was typed stays in the form when it is refused.
func (a *Area) annotate(v *shell.Visitor) error {
	account, t, err := a.asked(v)
	if err != nil {
		return err
	}
	typed, list := v.Field("note"), v.Field("tags")
	note, noteErr := finance.ReadNote(typed)
	tags, tagsErr := finance.ReadTags(list)
	if noteErr != nil || tagsErr != nil {
		own, err := a.annotation(v, t)
		if err != nil {
			return err
		}
		own.Note, own.Tags = typed, list
		if noteErr != nil {
			own.NoteProblem = noteProblem(v, typed)
		}
		if tagsErr != nil {
			own.TagsProblem = tagsProblem(v, tagsErr)
		}
		return a.page(v, http.StatusUnprocessableEntity, account, t, own)
	}
	if err := a.Store.Annotate(v.Ctx(), v.User.ID, account.ID, t.ID, finance.Annotation{Note: note, Tags: tags}); err != nil {
		return err
	}
	a.Flash(v, ui.Good, v.Say("Your note and tags are saved."))
	v.SeeOther(paths.Transaction(account.ID, strconv.FormatInt(t.ID, 10)))
	return nil
}

// noteProblem says why a note cannot be kept.
func noteProblem(v *shell.Visitor, typed string) string {
	return v.Say("A note may have %d characters at most. This one has %d.", finance.MaxNote, utf8.RuneCountInString(typed))
}

// tagsProblem says why tags cannot be kept.
func tagsProblem(v *shell.Visitor, err error) string {
	if errors.Is(err, finance.ErrTagTooLong) {
		return v.Say("A tag may have %d characters at most. Write a comma between two tags.", finance.MaxTag)
	}
	return v.Say("A transaction may have %d tags at most.", finance.MaxTags)
}

// review records whether the user has looked at a transaction.
func (a *Area) review(v *shell.Visitor) error {
	account, t, err := a.asked(v)
	if err != nil {
		return err
	}
	reviewed := v.Field("reviewed") != "no"
	if err := a.Store.Review(v.Ctx(), v.User.ID, account.ID, t.ID, reviewed); err != nil {
		return err
	}
	if reviewed {
		a.Flash(v, ui.Good, v.Say("This transaction is reviewed."))
	}
	v.SeeOther(paths.Transaction(account.ID, strconv.FormatInt(t.ID, 10)))
	return nil
}
