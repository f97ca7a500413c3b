package transactions

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"florin/internal/categories"
	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/search"
	"florin/internal/store"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// foundToMerge is how many rows a search for the other transaction shows.
const foundToMerge = 20

// mergeCard shows which transactions are one with a transaction, and which is likely the same.
func (a *Area) mergeCard(v *shell.Visitor, c show.Clock, t finance.TransactionRecord) (pages.MergeCard, error) {
	id := strconv.FormatInt(t.ID, 10)
	view := pages.MergeCard{Href: paths.TransactionMerge(t.AccountID, id), Action: paths.TransactionSeparate(t.AccountID, id)}
	merged, err := a.Store.MergedRows(v.Ctx(), v.User.ID, t.ID)
	if err != nil {
		return view, err
	}
	for i, m := range merged {
		row := pages.MergedRow{Name: c.TransactionName(m.Title()), Text: m.Remittance, When: c.Say("You merged them on %s.", c.Full(m.Merged.Time)),
			Facts: []ui.Fact{{Name: c.Say("Amount"), Value: c.Money(m.Amount)}, {Name: c.Say("Date"), Value: c.Day(m.Date).Text}}}
		if row.Text == row.Name {
			row.Text = ""
		}
		if m.Missing {
			row.Facts = append(row.Facts, ui.Fact{Name: c.Say("State"), Value: c.Say("No longer listed by the bank")})
		}
		if i == 0 {
			row.ID = strconv.FormatInt(m.ID, 10)
		}
		view.Rows = append(view.Rows, row)
	}
	doubles, err := a.Store.Doubles(v.Ctx(), v.User.ID, t.ID)
	if err != nil {
		return view, err
	}
	for _, d := range doubles {
		if d.Likely {
			view.Likely = &ui.Link{Href: paths.TransactionMergeWith(t.AccountID, id, strconv.FormatInt(d.ID, 10)),
				Text: c.Say("%s on %s: %s", c.Money(d.Amount), c.Day(d.Date).Text, c.TransactionName(d.Title()))}
			break
		}
	}
	return view, nil
}

// mergePage looks for the transaction that is the same as one, or shows both when the address names the other.
func (a *Area) mergePage(v *shell.Visitor) error {
	account, t, err := a.asked(v)
	if err != nil {
		return err
	}
	if other := v.Request.URL.Query().Get("other"); other != "" {
		return a.pairPage(v, http.StatusOK, t, other)
	}
	return a.choicePage(v, http.StatusOK, account, t)
}

func (a *Area) mergeView(v *shell.Visitor, c show.Clock, t finance.TransactionRecord) pages.MergeView {
	id := strconv.FormatInt(t.ID, 10)
	return pages.MergeView{Frame: a.Frame(v), Back: ui.Link{Text: c.TransactionName(t.Title()), Href: paths.Transaction(t.AccountID, id)},
		Title: c.TransactionName(t.Title()), Amount: pages.Flow(t.Amount), Action: paths.TransactionMerge(t.AccountID, id)}
}

// choicePage shows what may be the same as a transaction, and what a search finds.
func (a *Area) choicePage(v *shell.Visitor, status int, account finance.Account, t finance.TransactionRecord) error {
	c := a.At(v.Ctx(), time.Now())
	view := a.mergeView(v, c, t)
	days := func(rows []finance.FoundRow) []pages.Day {
		base := paths.TransactionMergeWith(t.AccountID, strconv.FormatInt(t.ID, 10), "")
		return c.Days(rows, func(finance.FoundRow) show.ListedIn { return show.ListedIn{Base: base} })
	}
	doubles, err := a.Store.Doubles(v.Ctx(), v.User.ID, t.ID)
	if err != nil {
		return err
	}
	var rows []finance.FoundRow
	for _, d := range doubles {
		rows = append(rows, d.FoundRow)
	}
	view.Doubles = days(rows)
	view.Text = strings.TrimSpace(v.Request.URL.Query().Get("q"))
	if view.Text == "" {
		return v.Page(status, pages.Merge(view))
	}
	l, err := a.listing(v, c)
	if err != nil {
		return err
	}
	parsed, fault := search.Parse(view.Text, l.Context())
	if fault != nil {
		view.Fault = l.fault(view.Text, fault).Problem
		return v.Page(http.StatusUnprocessableEntity, pages.Merge(view))
	}
	found, _, err := a.Store.Find(v.Ctx(), v.User.ID, search.And{search.InAccount(account.ID), parsed.Query}, store.Newest, foundToMerge)
	if err != nil {
		return err
	}
	rows = nil
	for _, r := range found {
		if r.ID != t.ID {
			rows = append(rows, r)
		}
	}
	if view.Found = days(rows); len(rows) == 0 {
		view.Empty = v.Say("No booked transaction matches. Try fewer words, or a part of one.")
	}
	return v.Page(status, pages.Merge(view))
}

// pairPage shows two transactions beside each other, and what they would be as one.
func (a *Area) pairPage(v *shell.Visitor, status int, t finance.TransactionRecord, with string) error {
	second, err := strconv.ParseInt(with, 10, 64)
	if err != nil || second == t.ID {
		return finance.ErrNotFound
	}
	one, err := a.Store.MergeSide(v.Ctx(), v.User.ID, t.ID)
	if err != nil {
		return err
	}
	two, err := a.Store.MergeSide(v.Ctx(), v.User.ID, second)
	if err != nil {
		return err
	}
	kept, other := finance.MergeOrder(one, two)
	book, err := a.Store.Categories(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	c := a.At(v.Ctx(), time.Now())
	view := a.mergeView(v, c, t)
	pair := pages.MergePair{Other: with, Again: view.Action, Problem: mergeProblem(v, c, kept, other)}
	headings := [2]words.Text{"This one stays", "This one goes into it"}
	if pair.Problem != "" {
		headings = [2]words.Text{"The first", "The second"}
	}
	for i, side := range []finance.MergeSide{kept, other} {
		row, err := a.Store.Transaction(v.Ctx(), v.User.ID, side.AccountID, side.ID)
		if err != nil {
			return err
		}
		pair.Sides[i] = pages.MergeSide{Heading: v.Say(headings[i]), Amount: pages.Flow(row.Amount), Facts: sideFacts(c, book, row, side),
			Link: ui.Link{Text: c.TransactionName(row.Title()), Href: paths.Transaction(row.AccountID, strconv.FormatInt(row.ID, 10))}}
	}
	if pair.Problem == "" {
		pair.Will = mergeResult(c, book, kept, other)
	}
	view.Pair = &pair
	return v.Page(status, pages.Merge(view))
}

// sideFacts lists the bank's data of a transaction, and the person's own notes, tags and files.
func sideFacts(c show.Clock, book categories.Book, t finance.TransactionRecord, side finance.MergeSide) []ui.Fact {
	var f show.Facts
	f.Add(c.Say("Date"), c.Day(t.Date).Text, "")
	f.Add(c.Say("Text"), t.Remittance, "")
	f.Add(c.Say("Account"), show.Groups(t.CounterpartyAccount), "")
	f.Add(c.Say("Category"), c.RowCategory(book, t.TransactionRow), "")
	f.Add(c.Say("Note#person"), side.Note, "")
	f.Add(c.Say("Tags"), strings.Join(side.Tags, ", "), "")
	if len(side.Files) > 0 {
		f.Add(c.Say("Attachments"), c.Say("%d files", len(side.Files)), "")
	}
	if side.Unlisted {
		f.Add(c.Say("State"), c.Say("No longer listed by the bank"), "")
	}
	return f
}

// mergeProblem says why two transactions cannot be one, "" when they can.
func mergeProblem(v *shell.Visitor, c show.Clock, kept, other finance.MergeSide) string {
	switch err := finance.CheckMerge(kept, other); {
	case errors.Is(err, finance.ErrMergeAccounts):
		return v.Say("They are on different accounts. When money went from one to the other, say on the page of one of them that it is a transfer.")
	case errors.Is(err, finance.ErrMergeAmounts):
		return c.Say("They have different amounts, %s and %s. They can be the same transaction only if the bank no longer lists one of them.", c.Money(kept.Amount), c.Money(other.Amount))
	case errors.Is(err, finance.ErrMergePayments):
		return v.Say("You sent a payment for each of the two. The bank booked both.")
	case errors.Is(err, finance.ErrMergeMerged):
		return v.Say("Each of the two is already merged from several. Separate one of them first.")
	case errors.Is(err, finance.ErrTooManyTags):
		return v.Say("Together they have more than %d tags. Remove some first.", finance.MaxTags)
	case errors.Is(err, finance.ErrNoteTooLong):
		return v.Say("Their notes together have more than %d characters. Shorten one first.", finance.MaxNote)
	case errors.Is(err, finance.ErrTooManyAttachments):
		return v.Say("Together they have more than %d files. Remove some first.", finance.MaxAttachments)
	}
	return ""
}

// mergeResult says what the transaction that stays has of the other one.
func mergeResult(c show.Clock, book categories.Book, kept, other finance.MergeSide) []string {
	gift := finance.GiftOf(kept, other)
	name := func(id string) string {
		own, _ := book.Of(id)
		return c.Category(own)
	}
	var list []string
	add := func(is bool, text words.Text, args ...any) {
		if is {
			list = append(list, c.Say(text, args...))
		}
	}
	list = append(list, c.Say("It has the amount, the date and the text of the first one. The second one no longer appears in lists and totals."))
	add(gift.Note != "", "The note of the second one comes below its own.")
	add(len(gift.Tags) > 0, "It gets the tags %s.", strings.Join(gift.Tags, ", "))
	add(gift.Category != "", "It gets the category %s, which you chose for the second one.", name(gift.Category))
	add(kept.ByHand && other.ByHand && kept.Category != other.Category, "It stays in %s. You chose %s for the second one.", name(kept.Category), name(other.Category))
	add(gift.Parts, "It is split into the parts of the second one.")
	add(kept.Split && other.Split, "Both are split into parts. It keeps those of the first one.")
	add(other.Split && !kept.Split && !gift.Parts, "It does not get the parts of the second one: they add up to another amount.")
	add(len(gift.Files) > 0, "It gets %d files.", len(gift.Files))
	add(other.Payment, "It is the booking of the payment that you sent.")
	return append(list, c.Say("You can separate the two again at any time."))
}

// mergeRefusals are what the page of two transactions says when they cannot be one.
var mergeRefusals = []error{finance.ErrMergeSelf, finance.ErrMergeAccounts, finance.ErrMergeAmounts, finance.ErrMergePayments, finance.ErrMergeMerged,
	finance.ErrTooManyTags, finance.ErrNoteTooLong, finance.ErrTooManyAttachments}

// merge makes two transactions one.
func (a *Area) merge(v *shell.Visitor) error {
	account, t, err := a.asked(v)
	if err != nil {
		return err
	}
	if v.Field("other") == "" {
		return a.choicePage(v, http.StatusUnprocessableEntity, account, t)
	}
	other, err := strconv.ParseInt(v.Field("other"), 10, 64)
	if err != nil {
		return finance.ErrNotFound
	}
	kept, err := a.Store.Merge(v.Ctx(), v.User.ID, t.ID, other)
	if slices.ContainsFunc(mergeRefusals, func(refusal error) bool { return errors.Is(err, refusal) }) {
		return a.pairPage(v, http.StatusUnprocessableEntity, t, v.Field("other"))
	}
	if err != nil {
		return err
	}
	a.Flash(v, ui.Good, v.Say("These two are one transaction now."))
	v.SeeOther(paths.Transaction(account.ID, strconv.FormatInt(kept, 10)))
	return nil
}

// separate makes two transactions of one again. When another one is to be separated first, or nothing, the page says how things are.
func (a *Area) separate(v *shell.Visitor) error {
	account, t, err := a.asked(v)
	if err != nil {
		return err
	}
	other, err := strconv.ParseInt(v.Field("other"), 10, 64)
	if err == nil {
		err = a.Store.Separate(v.Ctx(), v.User.ID, account.ID, t.ID, other)
	} else {
		err = finance.ErrNotFound
	}
	if err == nil {
		a.Flash(v, ui.Good, v.Say("These are two transactions again."))
	} else if !errors.Is(err, finance.ErrNotFound) {
		return err
	}
	v.SeeOther(paths.Transaction(account.ID, strconv.FormatInt(t.ID, 10)))
	return nil
}

// mergedInto leads from the page of a transaction that is part of another one to that one.
func (a *Area) mergedInto(v *shell.Visitor) error {
	id, err := strconv.ParseInt(v.Request.PathValue("transaction"), 10, 64)
	if err != nil {
		return finance.ErrNotFound
	}
	account := v.Request.PathValue("account")
	into, err := a.Store.MergedInto(v.Ctx(), v.User.ID, account, id)
	if err != nil {
		return err
	}
	v.SeeOther(paths.Transaction(account, strconv.FormatInt(into, 10)))
	return nil
}
