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
	"unicode/utf8"

	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/statementfile"
	"florin/internal/textfile"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

// newAccount is the value of the form field "account" for an account that the import makes.
const newAccount = "new"

// How many rows the preview shows.
const (
	shownNew    = 50
	shownUnsure = 1000
	shownUnread = 100
)

// settings are what a person said of a chosen file.
type settings struct {
	Account   string                 `json:"account,omitempty"` // id, newAccount, or "" for the one that the file names
	Statement int                    `json:"statement,omitempty"`
	Name      string                 `json:"name,omitempty"`     // of a new account
	Currency  string                 `json:"currency,omitempty"` // of a new account whose file tells none
	Columns   []statementfile.Column `json:"columns,omitempty"`
	Reading   statementfile.Reading  `json:"reading"`
}

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
	view := pages.ImportView{Frame: a.Frame(v), Problem: problem, Accounts: a.accountOptions(v, c, accounts, cmp.Or(v.Field("account"), v.Request.URL.Query().Get("account"))),
		Limits: v.Say("CSV, CAMT.053, OFX or QFX, QIF, MT940, or a file that Florin exported. Up to %d MiB.", statementfile.MaxBytes>>20)}
	if _, err := a.Store.ImportDraft(v.Ctx(), v.User.ID); err == nil {
		view.Draft = paths.ImportPreview
	} else if !errors.Is(err, finance.ErrNotFound) {
		return err
	}
	for _, i := range all {
		row := pages.ImportRow{File: i.File, Note: v.Say("%d transactions, %s", i.Brought, c.When(i.Created)), Account: a.accountName(c, accounts, i.AccountID)}
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

func (a *Area) accountOptions(v *shell.Visitor, c show.Clock, accounts []finance.Account, chosen string) []ui.Option {
	options := []ui.Option{{Value: "", Text: v.Say("The account that the file names, or a new one"), Selected: chosen == ""}}
	for _, account := range accounts {
		if takes(account) {
			options = append(options, ui.Option{Value: account.ID, Text: c.AccountName(account) + ", " + c.DetailIn(account), Selected: account.ID == chosen})
		}
	}
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
	if err := a.Store.SaveImportDraft(v.Ctx(), v.User.ID, finance.ImportDraft{File: string(name[:min(len(name), 100)]), Content: content, Settings: string(text)}); err != nil {
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

// draft is a chosen file as it is read with the settings, and what would go where.
type draft struct {
	finance.ImportDraft
	settings  settings
	file      statementfile.File
	statement statementfile.Statement
	account   finance.Account // without an id when it is new
	rows      []finance.ImportRow
	unread    []statementfile.Unread // with those of the statement that are not for the account
	found     []finance.Again
}

// load reads the chosen file.
func (a *Area) load(v *shell.Visitor, c show.Clock) (d draft, accounts []finance.Account, err error) {
	if d.ImportDraft, err = a.Store.ImportDraft(v.Ctx(), v.User.ID); err != nil {
		return d, nil, err
	}
	if err := json.Unmarshal([]byte(d.Settings), &d.settings); err != nil {
		return d, nil, err
	}
	if accounts, err = a.accounts(v); err != nil {
		return d, nil, err
	}
	currency := cmp.Or(d.settings.Currency, "EUR")
	if i := slices.IndexFunc(accounts, func(account finance.Account) bool { return account.ID == d.settings.Account }); i >= 0 {
		currency = accounts[i].Currency
	}
	d.file, err = statementfile.Read(d.Content, statementfile.Options{Currency: currency, Columns: d.settings.Columns, Reading: d.settings.Reading})
	if err != nil {
		return d, accounts, err
	}
	if n := len(d.file.Statements); n > 0 {
		d.statement = d.file.Statements[max(0, min(d.settings.Statement, n-1))]
	}
	d.account = a.target(v, d, accounts, currency)
	d.unread = slices.Clone(d.file.Unread)
	if err := a.readRows(v, c, &d); err != nil {
		return d, accounts, err
	}
	d.found, err = a.Store.PreviewImport(v.Ctx(), v.User.ID, d.account.ID, d.rows)
	return d, accounts, err
}

// target is the account into which the rows go: the chosen one, else the one whose number the file names, else a new one.
func (a *Area) target(v *shell.Visitor, d draft, accounts []finance.Account, currency string) finance.Account {
	named := d.statement.Account
	for _, account := range accounts {
		if !takes(account) {
			continue
		}
		same := named.IBAN != "" && account.IBAN == named.IBAN || named.Number != "" && account.Number == named.Number
		if account.ID == d.settings.Account || d.settings.Account == "" && same && (named.Currency == "" || named.Currency == account.Currency) {
			return account
		}
	}
	name := []rune(cmp.Or(d.settings.Name, named.Name, named.Bank, strings.TrimSuffix(d.File, path.Ext(d.File)), v.Say("Account")))
	account := finance.Account{UserID: v.User.ID, Source: finance.SourceManual, Nickname: string(name[:min(len(name), finance.MaxAccountName)]),
		Institution: named.Bank, Holder: named.Holder, IBAN: named.IBAN, Number: named.Number, Currency: cmp.Or(d.settings.Currency, named.Currency, currency),
		Type: cmp.Or(named.Type, openbanking.CashAccountTypeCACC)}
	if n := []rune(account.Institution); len(n) > finance.MaxAccountName {
		account.Institution = string(n[:finance.MaxAccountName])
	}
	if account.Number != "" {
		account.Scheme = openbanking.SchemeNameBBAN
	}
	return account
}

// otherCurrency is the reason why a row of another currency than that of the account is left out.
type otherCurrency struct {
	textfile.Fact

	currency string
}

// readRows makes entries of the rows of the statement.
func (a *Area) readRows(v *shell.Visitor, c show.Clock, d *draft) error {
	book, err := a.Store.Categories(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	byName := map[string]string{}
	for _, own := range slices.Backward(book) {
		if own.Into == "" {
			byName[c.Category(own)] = own.ID
		}
	}
	delete(byName, "")
	reader := finance.Reader{Currency: d.account.Currency, Holder: d.account.Holder, Number: cmp.Or(d.account.IBAN, d.account.Number), Today: finance.Today(c.Now)}
	for _, r := range d.statement.Rows {
		if r.Amount.Currency() != d.account.Currency {
			d.unread = append(d.unread, statementfile.Unread{Line: r.Line, Reason: otherCurrency{currency: r.Amount.Currency()}})
			continue
		}
		record, err := json.Marshal(r.Transaction)
		if err != nil {
			return err
		}
		e, err := reader.Read(r.Transaction, record)
		if err != nil {
			return err
		}
		d.rows = append(d.rows, finance.ImportRow{Entry: e, Line: r.Line, Exported: r.ID, Category: byName[r.Kept.Category], Annotation: keptOf(r.Kept)})
	}
	return nil
}

// keptOf is the note and the tags of a row, as far as Florin keeps such.
func keptOf(k statementfile.Kept) (kept finance.Annotation) {
	if note, err := finance.ReadNote(k.Note); err == nil {
		kept.Note = note
	}
	if tags, err := finance.ReadTags(strings.Join(k.Tags, ",")); err == nil {
		kept.Tags = tags
	}
	return kept
}

// preview shows what the chosen file would bring.
func (a *Area) preview(v *shell.Visitor) error {
	c := a.At(v.Ctx(), time.Now())
	d, accounts, err := a.load(v, c)
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
	view := pages.ImportPreviewView{Frame: a.Frame(v), File: d.File, Format: formatName(d.file.Format), Accounts: a.accountOptions(v, c, accounts, d.settings.Account)[1:]}
	if d.account.ID != "" {
		for i := range view.Accounts {
			view.Accounts[i].Selected = view.Accounts[i].Value == d.account.ID
		}
		view.Into = v.Say("Into %s", c.AccountName(d.account))
	} else {
		view.Accounts[len(view.Accounts)-1].Selected = true
		view.Into = v.Say("Into a new account: %s", d.account.Nickname)
		view.Name = ui.Input{Name: "name", Label: v.Say("Name of the new account"), Type: "text", Value: d.account.Nickname, Autocomplete: "off", MaxLength: finance.MaxAccountName}
		view.Currency = ui.Input{Name: "currency", Label: v.Say("Currency"), Type: "text", Value: d.account.Currency, Autocomplete: "off", MaxLength: 3}
	}
	for i, s := range d.file.Statements {
		if len(d.file.Statements) > 1 {
			name := cmp.Or(s.Account.Name, show.Groups(s.Account.IBAN), s.Account.Number, s.Account.Bank, v.Say("Account %d", i+1))
			view.Statements = append(view.Statements, ui.Option{Value: strconv.Itoa(i), Text: name + " " + s.Account.Currency, Selected: i == d.settings.Statement})
		}
	}
	a.fillTable(v, &view, d)
	for i, r := range d.rows {
		row := pages.ImportedRow{Line: v.Say("Line %d", r.Line), Day: c.Day(r.Date), Name: c.TransactionName(r.Title()), Text: r.Remittance, Amount: pages.Flow(r.Amount)}
		switch d.found[i].Certainty {
		case finance.IsNew:
			if view.New++; len(view.Fresh) < shownNew {
				view.Fresh = append(view.Fresh, row)
			}
		case finance.Unsure:
			if view.Unsure++; len(view.Doubtful) < shownUnsure {
				row.Value = strconv.Itoa(r.Line)
				view.Doubtful = append(view.Doubtful, row)
			}
		case finance.IsThere:
			view.There++
		}
	}
	view.Summary = []string{v.Say("%d new", view.New), v.Say("%d already there", view.There), v.Say("%d unsure", view.Unsure), v.Say("%d cannot be read", len(d.unread))}
	for _, u := range d.unread[:min(len(d.unread), shownUnread)] {
		view.Unread = append(view.Unread, ui.Fact{Name: v.Say("Line %d", u.Line), Value: a.reason(v, c, d, u.Reason)})
	}
	view.Ready = view.New+view.Unsure > 0 && (d.file.Table == nil || len(d.file.Table.Lacks) == 0)
	return view
}

func (a *Area) reason(v *shell.Visitor, c show.Clock, d draft, found textfile.Finding) string {
	if other, ok := found.(otherCurrency); ok {
		return v.Say("The amount is in %s, the account in %s.", other.currency, d.account.Currency)
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
				column.Sample = append(column.Sample, shortened(line[i]))
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
	s := settings{Account: v.Field("account"), Name: finance.Clean(v.Field("name")), Currency: strings.ToUpper(v.Field("currency"))}
	if _, known := money.Exponent(s.Currency); !known {
		s.Currency = ""
	}
	s.Statement, _ = strconv.Atoi(v.Field("statement")) // the first one for what is no number
	for i := 0; ; i++ {
		values, given := v.Request.PostForm["column"+strconv.Itoa(i)]
		if !given {
			break
		}
		column := statementfile.Column(values[0])
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

// save imports the chosen file.
func (a *Area) save(v *shell.Visitor) error {
	c := a.At(v.Ctx(), time.Now())
	d, _, err := a.load(v, c)
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
	i := finance.Import{AccountID: d.account.ID, File: d.File, Format: string(d.file.Format)}
	var create *finance.Account
	if i.AccountID == "" {
		create = &d.account
	}
	done, err := a.Store.SaveImport(v.Ctx(), v.User.ID, i, create, opening(d), d.rows, chosen)
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
	if done.Brought == 0 {
		a.Tell(v, ui.Info, v.Say("Nothing was imported: all transactions of the file are there already."))
	} else {
		a.Tell(v, ui.Good, v.Say("%d transactions are imported. You can undo it on the page “Import”.", done.Brought))
	}
	v.SeeOther(paths.Account(done.AccountID))
	return nil
}

// opening is what is on a new account before the first of its rows: as the file says, else nothing.
func opening(d draft) finance.Value {
	value := finance.Value{Amount: money.FromMinor(0, d.account.Currency)}
	for _, r := range d.rows {
		if r.Date != "" && (value.Day == "" || r.Date < value.Day) {
			value.Day = r.Date
		}
	}
	value.Day = cmp.Or(value.Day, openbanking.DateOf(d.Created))
	if o := d.statement.Opening; o != nil && o.Amount.Currency() == d.account.Currency {
		value.Amount = o.Amount
	}
	return value
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
	view := pages.ImportUndoView{Frame: a.Frame(v), File: i.File, Action: paths.ImportUndo(i.ID), Undone: !i.Undone.IsZero(),
		Goes: v.Say("%d transactions go.", i.Left)}
	if i.Edited > 0 {
		view.Edited = v.Say("You have changed %d of them: their categories, notes and tags go too.", i.Edited)
	}
	if stay := i.Brought - i.Left; stay > 0 && !view.Undone {
		view.Stays = v.Say("%d transactions stay: your bank has brought them since, or you have deleted them.", stay)
	}
	return v.Page(http.StatusOK, pages.ImportUndo(view))
}

func (a *Area) undo(v *shell.Visitor) error {
	gone, err := a.Store.UndoImport(v.Ctx(), v.User.ID, v.Request.PathValue("import"))
	if err != nil {
		return err
	}
	a.Tell(v, ui.Good, v.Say("The import is undone: %d transactions are removed.", gone))
	v.SeeOther(paths.Import)
	return nil
}
