package transactions

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"florin/internal/categories"
	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/money"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// splitCard shows the parts of a transaction.
func (a *Area) splitCard(v *shell.Visitor, c show.Clock, book categories.Book, t finance.TransactionRecord) (pages.SplitCard, error) {
	var view pages.SplitCard
	if t.Amount.IsZero() {
		return view, nil
	}
	view.Href = paths.TransactionSplit(t.AccountID, strconv.FormatInt(t.ID, 10))
	if t.Split == nil {
		return view, nil
	}
	parts, err := a.Store.Parts(v.Ctx(), v.User.ID, t.ID)
	if err != nil {
		return view, err
	}
	var all []money.Amount
	for _, p := range parts {
		own, known := book.Of(p.Category)
		name := c.Category(own)
		if !known {
			name = c.Say("No category")
		}
		view.Parts = append(view.Parts, pages.SplitPart{Amount: pages.Flow(p.Amount), Category: name, Note: p.Note})
		all = append(all, p.Amount)
	}
	if !finance.SplitFits(t.Amount, parts) {
		sums, err := money.Sum(all...)
		if err != nil {
			return view, err
		}
		view.Misfit = c.Say("They add up to %s, but the amount is now %s. Please change the parts.", sums[0].Abs(), t.Amount.Abs())
	}
	return view, nil
}

// splitPage shows the form that splits a transaction.
func (a *Area) splitPage(v *shell.Visitor) error {
	account, t, err := a.askedToSplit(v)
	if err != nil {
		return err
	}
	parts, err := a.Store.Parts(v.Ctx(), v.User.ID, t.ID)
	if err != nil {
		return err
	}
	typed := typedParts(a.At(v.Ctx(), time.Now()), t.Amount, parts)
	return a.splitForm(v, http.StatusOK, account, t, typed, nil)
}

// split saves the parts of a transaction, shows one part more to fill in, or takes the split back. What was typed stays in the form when it is refused.
func (a *Area) split(v *shell.Visitor) error {
	account, t, err := a.askedToSplit(v)
	if err != nil {
		return err
	}
	typed := readParts(v)
	var read finance.Split
	done := v.Say("The split is undone.")
	switch v.Field("do") {
	case "more":
		return a.splitForm(v, http.StatusOK, account, t, append(typed, finance.TypedPart{}), nil)
	case "whole":
	default:
		read = finance.ReadSplit(t.Amount, typed)
		done = v.Say("This transaction is split into %d parts.", len(read.Parts))
	}
	if len(read.Faults) == 0 {
		err := a.Store.Split(v.Ctx(), v.User.ID, account.ID, t.ID, read.Parts)
		if errors.Is(err, finance.ErrRest) { // the amount has changed since it was read
			read.Faults = []finance.PartFault{{At: -1, Err: err}}
		} else if err != nil {
			return err
		}
	}
	if len(read.Faults) > 0 {
		return a.splitForm(v, http.StatusUnprocessableEntity, account, t, typed, read.Faults)
	}
	a.Flash(v, ui.Good, done)
	v.SeeOther(paths.Transaction(account.ID, strconv.FormatInt(t.ID, 10)))
	return nil
}

// splitExplain says what is left while the parts are typed: HTML of a part of the form.
func (a *Area) splitExplain(v *shell.Visitor) error {
	_, t, err := a.askedToSplit(v)
	if err != nil {
		return err
	}
	typed := readParts(v)
	return v.Page(http.StatusOK, pages.SplitRest(restOf(a.At(v.Ctx(), time.Now()), t.Amount, typed)))
}

// askedToSplit is asked, for a transaction that can be split: one of nothing has no parts.
func (a *Area) askedToSplit(v *shell.Visitor) (finance.Account, finance.TransactionRecord, error) {
	account, t, err := a.asked(v)
	if err == nil && t.Amount.IsZero() {
		err = finance.ErrNotFound
	}
	return account, t, err
}

// splitForm shows the form as it is filled in, with what is wrong.
func (a *Area) splitForm(v *shell.Visitor, status int, account finance.Account, t finance.TransactionRecord, typed []finance.TypedPart,
	faults []finance.PartFault) error {
	c, id := a.At(v.Ctx(), time.Now()), strconv.FormatInt(t.ID, 10)
	book, err := a.Store.Categories(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	for len(typed) < finance.MinParts {
		typed = append(typed, finance.TypedPart{})
	}
	typed = typed[:min(len(typed), finance.MaxParts)]
	view := pages.SplitView{Frame: a.Frame(v), Back: ui.Link{Text: c.TransactionName(t.Title()), Href: paths.Transaction(account.ID, id)},
		Title: c.TransactionName(t.Title()), Amount: pages.Flow(t.Amount), Action: paths.TransactionSplit(account.ID, id),
		Explain: paths.TransactionSplitExplain(account.ID, id), Rest: restOf(c, t.Amount, typed), More: len(typed) < finance.MaxParts, Is: t.Split != nil}
	for i, p := range typed {
		number := strconv.Itoa(i + 1)
		view.Parts = append(view.Parts, pages.SplitForm{
			Legend: c.Say("Part %d", i+1), Select: "category-" + number, Groups: c.CategoryChoice(book, p.Category),
			Amount: ui.Input{Name: "amount-" + number, Label: c.Say("Amount in %s", t.Amount.Currency()), Type: "text", Mode: "decimal", Value: p.Amount, Autocomplete: "off"},
			Note:   ui.Input{Name: "note-" + number, Label: c.Say("Your note"), Type: "text", Value: p.Note, Autocomplete: "off", MaxLength: finance.MaxPartNote},
		})
	}
	for _, f := range faults {
		switch {
		case f.At < 0:
			view.Notice = &ui.Notice{Tone: ui.Bad, Title: c.Say("This cannot be saved"), Text: c.Message(togetherWords(f.Err))}
		case errors.Is(f.Err, finance.ErrPartNote):
			view.Parts[f.At].Note.Problem = c.Say("The note of a part may have %d characters at most.", finance.MaxPartNote)
		default:
			view.Parts[f.At].Amount.Problem = c.Message(partWords(f.Err))
		}
	}
	return v.Page(status, pages.Split(view))
}

// togetherWords says what is wrong with all parts together; how much is left stands below them.
func togetherWords(err error) words.Message {
	switch {
	case errors.Is(err, finance.ErrTooFewParts):
		return words.Msg("A split has at least %d parts.", finance.MinParts)
	case errors.Is(err, finance.ErrTooManyParts):
		return words.Msg("A split has %d parts at most.", finance.MaxParts)
	}
	return words.Msg("The parts must add up to the whole amount.")
}

func partWords(err error) words.Message {
	if errors.Is(err, finance.ErrAmountsMissing) {
		return words.Msg("Enter an amount. Only one part gets the rest.")
	}
	return show.AmountProblem(err)
}

// restOf says what of an amount the typed parts leave.
func restOf(c show.Clock, total money.Amount, typed []finance.TypedPart) pages.SplitRestView {
	s := finance.ReadSplit(total, typed)
	view := pages.SplitRestView{Parts: len(typed), Hint: pages.PayHint{Tone: ui.Info}}
	var text string
	switch faulty := len(s.Faults) > 0 && s.Faults[0].At >= 0; {
	case faulty:
		text = c.Say("It is not clear yet what is left: please check the amounts.")
	case s.Rest.Sign() < 0:
		view.Hint.Tone, text = ui.Warning, c.Say("The parts are %s too much.", s.Rest.Abs())
	case s.Filled >= 0 && s.Rest.Sign() > 0:
		text = c.Say("Part %d gets the rest: %s.", s.Filled+1, s.Rest)
	case s.Filled >= 0:
		view.Hint.Tone, text = ui.Warning, c.Say("Nothing is left for part %d.", s.Filled+1)
	case s.Rest.IsZero():
		view.Hint.Tone, text = ui.Good, c.Say("Nothing is left: the parts add up to the whole amount.")
	default:
		text = c.Say("Still left: %s.", s.Rest)
	}
	view.Hint.Lines = []string{text}
	return view
}

// readParts are the parts in the form. More than finance.MaxParts are not read.
func readParts(v *shell.Visitor) []finance.TypedPart {
	var typed []finance.TypedPart
	for len(typed) < finance.MaxParts {
		number := strconv.Itoa(len(typed) + 1)
		if !v.Request.PostForm.Has("amount-" + number) {
			break
		}
		typed = append(typed, finance.TypedPart{Amount: v.Field("amount-" + number), Category: v.Field("category-" + number), Note: v.Field("note-" + number)})
	}
	return typed
}

// typedParts are parts as a person types them.
func typedParts(c show.Clock, total money.Amount, parts []finance.SplitPart) []finance.TypedPart {
	var typed []finance.TypedPart
	for _, p := range parts {
		amount := p.Amount
		if total.Sign() < 0 {
			amount = amount.Neg()
		}
		typed = append(typed, finance.TypedPart{Amount: c.Language.Typed(amount), Category: p.Category, Note: p.Note})
	}
	return typed
}
