package imports

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/money"
	"florin/internal/statementfile"
	"florin/internal/textfile"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// Values of the form fields "account", "account0" and so on beside ids.
const (
	newAccount = "new"  // the import makes it
	leftOut    = "none" // what the file has for it is not imported
)

// How many rows the preview shows.
const (
	shownNew    = 50
	shownUnsure = 1000
	shownUnread = 100
)

// start asks for a file, and lists those that were imported.
func (a *Area) start(v *shell.Visitor) error { return a.startPage(v, http.StatusOK, "") }

func (a *Area) startPage(v *shell.Visitor, status int, problem string) error {
	c := a.At(v.Ctx(), time.Now())
	accounts, err := a.accounts(v)
	if err != nil {
		return err
	}
	all, err := a.Store.Imports(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	banks, err := a.Store.Connections(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	view := pages.ImportView{Frame: a.Frame(v), Problem: problem,
		Accounts: a.accountOptions(v, c, accounts, banks, cmp.Or(v.Field("account"), v.Request.URL.Query().Get("account"))),
		Limits:   v.Say("CSV, CAMT.053, OFX or QFX, QIF, MT940, or a file that Florin exported. Up to %d MiB.", statementfile.MaxBytes>>20)}
	if _, err := a.Store.ImportDraft(v.Ctx(), v.User.ID); err == nil {
		view.Draft = paths.ImportPreview
	} else if !errors.Is(err, finance.ErrNotFound) {
		return err
	}
	for _, i := range all {
		var names []string
		for _, p := range i.Parts {
			names = append(names, a.accountName(c, accounts, p.AccountID))
		}
		row := pages.ImportRow{File: i.File, Note: v.Say("%d transactions, %s", i.Total().Brought, c.When(i.Created)), Account: c.List(names)}
		if i.Undone.IsZero() {
			row.Undo = paths.ImportUndo(i.ID)
		} else {
			row.State = v.Say("Undone")
		}
		view.Past = append(view.Past, row)
	}
	return v.Page(status, pages.Import(view))
}

// accounts are those of the visitor, of banks and others.
func (a *Area) accounts(v *shell.Visitor) ([]finance.Account, error) {
	return a.Store.Accounts(v.Ctx(), v.User.ID)
}

// takes reports whether rows can be imported into an account.
func takes(account finance.Account) bool {
	return account.Source != finance.SourceValue && account.Closed.IsZero()
}

func (a *Area) accountName(c show.Clock, accounts []finance.Account, id string) string {
	for _, account := range accounts {
		if account.ID == id {
			return c.AccountName(account)
		}
	}
	return ""
}

func (a *Area) accountOptions(v *shell.Visitor, c show.Clock, accounts []finance.Account, banks []finance.Connection, chosen string) []ui.Option {
	options := []ui.Option{{Value: "", Text: v.Say("The account that the file names, or a new one"), Selected: chosen == ""}}
	taking := slices.DeleteFunc(slices.Clone(accounts), func(account finance.Account) bool { return !takes(account) })
	options = append(options, c.AccountOptions(taking, banks, chosen)...)
	return append(options, ui.Option{Value: newAccount, Text: v.Say("A new account without a bank"), Selected: chosen == newAccount})
}

// choose keeps the file that the person has chosen, when it can be read.
func (a *Area) choose(v *shell.Visitor) error {
	file, header, err := v.Request.FormFile("file")
	if err != nil {
		return a.startPage(v, http.StatusUnprocessableEntity, v.Say("Choose a file."))
	}
	defer file.Close()
	content, err := io.ReadAll(file)
	if err != nil {
		return err
	}
	if len(content) == 0 {
		return a.startPage(v, http.StatusUnprocessableEntity, v.Say("The file is empty."))
	}
	s := settings{Account: v.Field("account")}
	f, err := statementfile.Read(content, statementfile.Options{Currency: "EUR"}) // any currency will do to see whether it can be read
	if err != nil {
		return a.startPage(v, http.StatusUnprocessableEntity, a.problem(v, err))
	}
	if f.Table != nil {
		held, err := a.Store.ImportMapping(v.Ctx(), v.User.ID, f.Table.Shape())
		if err != nil {
			return err
		}
		if held != "" {
			var known settings
			if err := json.Unmarshal([]byte(held), &known); err != nil {
				return err
			}
			s.Columns, s.Reading = known.Columns, known.Reading
		}
	}
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	name := []rune(finance.Clean(path.Base(strings.ReplaceAll(header.Filename, `\`, "/"))))
	if err := a.Store.SaveImportDraft(v.Ctx(), v.User.ID,
		finance.ImportDraft{File: string(name[:min(len(name), 100)]), Content: content, Settings: string(text)}); err != nil {
		return err
	}
	v.SeeOther(paths.ImportPreview)
	return nil
}

// problem says why a file cannot be read.
func (a *Area) problem(v *shell.Visitor, err error) string {
	var known *textfile.Error
	if errors.As(err, &known) {
		if text := show.StatementProblem(a.At(v.Ctx(), time.Now()).Language, known.Reason); text != "" {
			return text
		}
	}
	return v.Say("The file cannot be read.")
}

// preview shows what the chosen file would bring.
func (a *Area) preview(v *shell.Visitor) error {
	c := a.At(v.Ctx(), time.Now())
	d, accounts, err := a.load(v, c, false)
	if errors.Is(err, finance.ErrNotFound) {
		v.SeeOther(paths.Import)
		return nil
	}
	var unreadable *textfile.Error
	if errors.As(err, &unreadable) { // with what was said of it
		return a.startPage(v, http.StatusUnprocessableEntity, a.problem(v, err))
	}
	if err != nil {
		return err
	}
	return v.Page(http.StatusOK, pages.ImportPreview(a.previewOf(v, c, d, accounts)))
}

func (a *Area) previewOf(v *shell.Visitor, c show.Clock, d draft, accounts []finance.Account) pages.ImportPreviewView {
	view := pages.ImportPreviewView{Frame: a.Frame(v), File: d.File, Format: formatName(d.file.Format), Categories: d.missing}
	into := map[string]string{} // names of the accounts, by what tells them apart
	for i, p := range d.parts {
		if !p.leftOut {
			into[cmp.Or(p.target.Account.ID, strconv.Itoa(i))] = p.name(c)
			view.Frame.Simulated = view.Frame.Simulated || p.target.Account.Simulated
		}
		a.fillRows(v, c, &view, d, p)
		if len(d.parts) > 1 {
			view.Parts = append(view.Parts, a.partOf(v, c, i, p, accounts, d.banks))
		}
	}
	switch {
	case len(d.parts) == 1:
		a.fillTarget(v, c, &view, d, accounts)
	case len(into) == 1:
		for _, name := range into {
			view.Into = v.Say("Into %s", name)
		}
	default:
		view.Into = v.Say("Into %d accounts", len(into))
	}
	a.fillTable(v, &view, d)
	view.Summary = []string{v.Say("%d new", view.New), v.Say("%d already there", view.There), v.Say("%d unsure", view.Unsure), v.Say("%d cannot be read", len(d.unread))}
	for _, u := range d.unread[:min(len(d.unread), shownUnread)] {
		view.Unread = append(view.Unread, ui.Fact{Name: v.Say("Line %d", u.Line), Value: a.reason(v, c, u.Reason)})
	}
	view.Ready = view.New+view.Unsure > 0 && (d.file.Table == nil || len(d.file.Table.Lacks) == 0)
	return view
}

// fillTarget shows where the rows of a file go that has one account.
func (a *Area) fillTarget(v *shell.Visitor, c show.Clock, view *pages.ImportPreviewView, d draft, accounts []finance.Account) {
	account := d.first().target.Account
	view.Accounts = a.accountOptions(v, c, accounts, d.banks, cmp.Or(account.ID, newAccount))[1:]
	if account.ID != "" {
		view.Into = v.Say("Into %s", c.AccountName(account))
		return
	}
	view.Into = v.Say("Into a new account: %s", account.Nickname)
	view.Name = ui.Input{Name: "name", Label: v.Say("Name of the new account"), Type: "text", Value: account.Nickname, Autocomplete: "off", MaxLength: finance.MaxAccountName}
	view.Currency = ui.Input{Name: "currency", Label: v.Say("Currency"), Type: "text", Value: account.Currency, Autocomplete: "off", MaxLength: 3}
}

// partOf shows where the rows go that the file has for one of its accounts.
func (a *Area) partOf(v *shell.Visitor, c show.Clock, i int, p part, accounts []finance.Account, banks []finance.Connection) pages.ImportPart {
	chosen := cmp.Or(p.target.Account.ID, newAccount)
	if p.leftOut {
		chosen = leftOut
	}
	name := cmp.Or(p.named.Name, p.named.Bank, v.Say("Account %d", i+1))
	if number := cmp.Or(show.Groups(p.named.IBAN), p.named.Number); number != "" {
		name += ", " + number
	}
	shown := pages.ImportPart{Field: "account" + strconv.Itoa(i), Name: name + " " + p.named.Currency, Note: v.Say("%d transactions", p.rows)}
	if !p.leftOut {
		shown.Note = strings.Join([]string{v.Say("%d new", p.count[finance.IsNew]), v.Say("%d already there", p.count[finance.IsThere]), v.Say("%d unsure", p.count[finance.Unsure])}, " · ")
	}
	shown.Options = append(a.accountOptions(v, c, accounts, banks, chosen)[1:], ui.Option{Value: leftOut, Text: v.Say("Do not import"), Selected: p.leftOut})
	return shown
}

// fillRows shows the rows for one account, and counts them.
func (a *Area) fillRows(v *shell.Visitor, c show.Clock, view *pages.ImportPreviewView, d draft, p part) {
	for i, r := range p.target.Rows {
		row := pages.ImportedRow{Line: v.Say("Line %d", r.Line), Day: c.Day(r.Date), Name: c.TransactionName(r.Title()), Text: r.Remittance,
			Amount: pages.Flow(r.Amount)}
		if len(d.parts) > 1 {
			row.Account = p.name(c)
		}
		switch p.found[i].Certainty {
		case finance.IsNew:
			if view.New++; len(view.Fresh) < shownNew {
				view.Fresh = append(view.Fresh, row)
			}
		case finance.Unsure:
			if view.Unsure++; len(view.Doubtful) < shownUnsure {
				row.Value = strconv.Itoa(r.Place)
				view.Doubtful = append(view.Doubtful, row)
			}
		case finance.IsThere:
			view.There++
		}
	}
}

func (a *Area) reason(v *shell.Visitor, c show.Clock, found textfile.Finding) string {
	switch f := found.(type) {
	case otherCurrency:
		return v.Say("The amount is in %s, the account in %s.", f.currency, f.account)
	case notKept:
		return v.Say("Its note, tags or parts cannot be kept. Shorten them in the file.")
	}
	return cmp.Or(show.StatementProblem(c.Language, found), v.Say("This row cannot be read."))
}

// fillTable shows what the columns of a CSV file are taken for.
func (a *Area) fillTable(v *shell.Visitor, view *pages.ImportPreviewView, d draft) {
	t := d.file.Table
	if t == nil {
		return
	}
	view.Unclear = d.file.Reading.Unsure
	for _, lacking := range t.Lacks {
		view.Lacks = append(view.Lacks, v.Say(columnWords(lacking)))
	}
	for i, holds := range t.Columns {
		column := pages.ImportColumn{Field: "column" + strconv.Itoa(i), Name: v.Say("Column %d", i+1)}
		if i < len(t.Header) && t.Header[i] != "" {
			column.Name = t.Header[i]
		}
		for _, line := range t.Sample[:min(len(t.Sample), 3)] {
			if i < len(line) && line[i] != "" {
				sample := shortened(line[i])
				if words.In(v.Ctx()).Hides() && !strings.ContainsFunc(sample, unicode.IsLetter) {
					sample = words.Mask // it may be an amount, however the file writes it
				}
				column.Sample = append(column.Sample, sample)
			}
		}
		for _, can := range statementfile.Columns() {
			column.Options = append(column.Options, ui.Option{Value: string(can), Text: v.Say(columnWords(can)), Selected: can == holds})
		}
		view.Columns = append(view.Columns, column)
	}
	r := d.file.Reading
	for _, order := range statementfile.DayOrders() {
		view.Days = append(view.Days, ui.Option{Value: string(order), Text: v.Say(orderWords(order)), Selected: order == r.Days})
	}
	for _, decimal := range statementfile.Decimals() {
		view.Decimals = append(view.Decimals, ui.Option{Value: string(decimal), Text: v.Say(decimalWords(decimal)), Selected: decimal == r.Decimal})
	}
	if d.file.Encoding != "" {
		for _, encoding := range statementfile.Encodings() {
			view.Encodings = append(view.Encodings, ui.Option{Value: encoding, Text: encoding, Selected: encoding == d.file.Encoding})
		}
	}
	view.Turned = r.Turned
}

// shortened is a cell in so few characters that a table of them stays readable.
func shortened(text string) string {
	const most = 40
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most]) + "…"
}

// change keeps what the person says of the file, and shows it again.
func (a *Area) change(v *shell.Visitor) error {
	held, err := a.Store.ImportDraft(v.Ctx(), v.User.ID)
	if errors.Is(err, finance.ErrNotFound) {
		v.SeeOther(paths.Import)
		return nil
	}
	if err != nil {
		return err
	}
	s := settings{Account: v.Field("account"), Accounts: fields(v, "account"), Name: finance.Clean(v.Field("name")), Currency: strings.ToUpper(v.Field("currency"))}
	if _, known := money.Exponent(s.Currency); !known {
		s.Currency = ""
	}
	for _, text := range fields(v, "column") {
		column := statementfile.Column(text)
		if !slices.Contains(statementfile.Columns(), column) {
			column = statementfile.Nothing
		}
		s.Columns = append(s.Columns, column)
	}
	s.Reading = statementfile.Reading{Turned: v.Field("turned") == "yes"}
	if order := statementfile.DayOrder(v.Field("days")); slices.Contains(statementfile.DayOrders(), order) {
		s.Reading.Days = order
	}
	if decimal := statementfile.Decimal(v.Field("decimal")); slices.Contains(statementfile.Decimals(), decimal) {
		s.Reading.Decimal = decimal
	}
	if encoding := v.Field("encoding"); slices.Contains(statementfile.Encodings(), encoding) {
		s.Reading.Encoding = encoding
	}
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if held.Settings == string(text) {
		v.SeeOther(paths.ImportPreview)
		return nil
	}
	if err := a.Store.ChangeImportDraft(v.Ctx(), v.User.ID, string(text)); err != nil {
		return err
	}
	v.SeeOther(paths.ImportPreview)
	return nil
}

// fields are the values of the form fields with a name and a number behind it, from 0 on.
func fields(v *shell.Visitor, name string) (values []string) {
	for {
		value, given := v.Request.PostForm[name+strconv.Itoa(len(values))]
		if !given {
			return values
		}
		values = append(values, value[0])
	}
}

// save imports the chosen file.
func (a *Area) save(v *shell.Visitor) error {
	c := a.At(v.Ctx(), time.Now())
	d, _, err := a.load(v, c, v.Field("categories") == "yes")
	if errors.Is(err, finance.ErrNotFound) { // sent twice
		v.SeeOther(paths.Import)
		return nil
	}
	var unreadable *textfile.Error
	if errors.As(err, &unreadable) {
		return a.startPage(v, http.StatusUnprocessableEntity, a.problem(v, err))
	}
	if err != nil {
		return err
	}
	chosen := map[int]bool{}
	for _, text := range v.Request.PostForm["row"] {
		if line, err := strconv.Atoi(text); err == nil {
			chosen[line] = true
		}
	}
	done, err := a.Store.SaveImport(v.Ctx(), v.User.ID, finance.Import{File: d.File, Format: string(d.file.Format)}, d.targets(), d.made, chosen)
	if err != nil {
		return err
	}
	if d.file.Table != nil {
		text, err := json.Marshal(settings{Columns: d.file.Table.Columns, Reading: d.file.Reading})
		if err != nil {
			return err
		}
		if err := a.Store.SaveImportMapping(v.Ctx(), v.User.ID, d.file.Table.Shape(), string(text)); err != nil {
			return err
		}
	}
	if len(done.Parts) == 0 {
		a.Flash(v, ui.Info, v.Say("Nothing was imported: all transactions of the file are there already."))
	} else {
		a.Flash(v, ui.Good, v.Say("%d transactions are imported. You can undo it on the page “Import”.", done.Total().Brought))
	}
	switch account := d.first().target.Account.ID; {
	case len(done.Parts) == 1:
		v.SeeOther(paths.Account(done.Parts[0].AccountID))
	case len(done.Parts) > 1:
		v.SeeOther(paths.Transactions)
	case len(d.parts) == 1 && account != "":
		v.SeeOther(paths.Account(account))
	default:
		v.SeeOther(paths.Import)
	}
	return nil
}

func (a *Area) discard(v *shell.Visitor) error {
	if err := a.Store.DropImportDraft(v.Ctx(), v.User.ID); err != nil {
		return err
	}
	v.SeeOther(paths.Import)
	return nil
}

// askUndo asks before an import is undone.
func (a *Area) askUndo(v *shell.Visitor) error {
	i, err := a.Store.Import(v.Ctx(), v.User.ID, v.Request.PathValue("import"))
	if err != nil {
		return err
	}
	total := i.Total()
	view := pages.ImportUndoView{Frame: a.Frame(v), File: i.File, Action: paths.ImportUndo(i.ID), Undone: !i.Undone.IsZero(),
		Goes: v.Say("%d transactions are removed.", total.Left)}
	if total.Edited > 0 {
		view.Edited = v.Say("You have changed %d of them. What you did to them goes too: categories, notes, tags, parts, attached files and transfers.", total.Edited)
	}
	if view.Accounts, err = a.goingAccounts(v, i); err != nil {
		return err
	}
	if stay := total.Brought - total.Left; stay > 0 && !view.Undone {
		view.Stays = v.Say("%d transactions stay: your bank has sent them since then, or you have deleted them.", stay)
	}
	return v.Page(http.StatusOK, pages.ImportUndo(view))
}

// goingAccounts says which accounts go with an import, "" when none does.
func (a *Area) goingAccounts(v *shell.Visitor, i finance.Import) (string, error) {
	accounts, err := a.accounts(v)
	if err != nil {
		return "", err
	}
	var names []string
	for _, p := range i.Parts {
		if p.Goes {
			names = append(names, a.accountName(a.At(v.Ctx(), time.Now()), accounts, p.AccountID))
		}
	}
	if names == nil {
		return "", nil
	}
	return v.Say("The accounts that were created for the file are removed, too: %s.", a.At(v.Ctx(), time.Now()).List(names)), nil
}

func (a *Area) undo(v *shell.Visitor) error {
	gone, err := a.Store.UndoImport(v.Ctx(), v.User.ID, v.Request.PathValue("import"))
	if err != nil {
		return err
	}
	a.Flash(v, ui.Good, v.Say("The import is undone: %d transactions are removed.", gone))
	v.SeeOther(paths.Import)
	return nil
}
