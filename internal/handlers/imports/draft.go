package imports

import (
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"florin/internal/categories"
	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/statementfile"
	"florin/internal/textfile"
	"florin/web/templates/words"
)

// settings are what a person said of a chosen file.
type settings struct {
	Account  string                 `json:"account,omitempty"`  // id, newAccount, or "" for the one that the file names
	Accounts []string               `json:"accounts,omitempty"` // of a file with several: for each of them such a value, or leftOut
	Name     string                 `json:"name,omitempty"`     // of a new account
	Currency string                 `json:"currency,omitempty"` // of a new account whose file tells none
	Columns  []statementfile.Column `json:"columns,omitempty"`
	Reading  statementfile.Reading  `json:"reading"`
}

// draft is a chosen file as it is read with the settings, and what would go where.
type draft struct {
	finance.ImportDraft
	settings settings
	file     statementfile.File
	parts    []part
	unread   []statementfile.Unread // with the rows that are not for their accounts
	banks    []finance.Connection
	missing  []string         // names of categories that the person does not have
	made     []categories.Own // those, when they are to be made
}

// maxParts is how many accounts a file can have: where each of them goes is asked on one page.
const maxParts = 100

// part is what a file has for one account.
type part struct {
	named      statementfile.Account
	statements []statementfile.Statement
	rows       int // of the statements
	leftOut    bool
	target     finance.ImportTarget // its account has no id when it is new
	found      []finance.Again      // by the rows of the target
	count      [finance.IsThere + 1]int
}

func (p part) name(c show.Clock) string { return c.AccountName(p.target.Account) }

// first is the part of a file that has one account, or an empty one.
func (d *draft) first() part {
	if len(d.parts) == 0 {
		return part{}
	}
	return d.parts[0]
}

// targets are the accounts into which rows go.
func (d *draft) targets() (all []finance.ImportTarget) {
	for _, p := range d.parts {
		if !p.leftOut {
			all = append(all, p.target)
		}
	}
	return all
}

// load reads the chosen file. create says that categories which the person does not have are to be made.
func (a *Area) load(v *shell.Visitor, c show.Clock, create bool) (d draft, accounts []finance.Account, err error) {
	if d.ImportDraft, err = a.Store.ImportDraft(v.Ctx(), v.User.ID); err != nil {
		return d, nil, err
	}
	if err := json.Unmarshal([]byte(d.Settings), &d.settings); err != nil {
		return d, nil, err
	}
	if accounts, err = a.accounts(v); err != nil {
		return d, nil, err
	}
	if d.banks, err = a.Store.Connections(v.Ctx(), v.User.ID); err != nil {
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
	d.unread = slices.Clone(d.file.Unread)
	if d.divide(); len(d.parts) > maxParts {
		return d, accounts, textfile.Refuse(statementfile.TooManyAccounts{Most: maxParts})
	}
	d.choose(v, c, accounts, currency)
	if err := a.readRows(v, c, &d, create); err != nil {
		return d, accounts, err
	}
	for i := range d.parts {
		p := &d.parts[i]
		if p.found, err = a.Store.PreviewImport(v.Ctx(), v.User.ID, p.target.Account.ID, p.target.Rows); err != nil {
			return d, accounts, err
		}
		for _, again := range p.found {
			p.count[again.Certainty]++
		}
	}
	return d, accounts, nil
}

// divide puts the statements of one account together: some banks write one for each day. A file without a statement has one part without rows.
func (d *draft) divide() {
	for _, s := range d.file.Statements {
		named := s.Account
		at := -1
		if d.file.Format != statementfile.JSON && (named.IBAN != "" || named.Number != "") {
			at = slices.IndexFunc(d.parts, func(p part) bool {
				return p.named.IBAN == named.IBAN && p.named.Number == named.Number && p.named.Currency == named.Currency && p.named.Name == named.Name
			})
		}
		if at < 0 {
			at, d.parts = len(d.parts), append(d.parts, part{named: named})
		}
		p := &d.parts[at]
		p.statements, p.rows = append(p.statements, s), p.rows+len(s.Rows)
	}
	if d.parts == nil {
		d.parts = []part{{}}
	}
}

// choose decides into which account each part goes: the chosen one, else the one whose number the file names, else a new one.
func (d *draft) choose(v *shell.Visitor, c show.Clock, accounts []finance.Account, currency string) {
	choices := make([]string, len(d.parts))
	switch {
	case len(d.parts) == 1:
		choices[0] = d.settings.Account
	case len(d.settings.Accounts) == len(d.parts):
		choices = d.settings.Accounts
	case d.settings.Account != "" && d.settings.Account != newAccount: // the file is for one account: for what it has of that, else for the first
		i := slices.IndexFunc(accounts, func(account finance.Account) bool { return account.ID == d.settings.Account })
		fits := 0
		for n := range choices {
			choices[n] = leftOut
			if i >= 0 && numbered(accounts[i], d.parts[n].named) {
				fits = n
			}
		}
		choices[fits] = d.settings.Account
	default:
		for n := range choices {
			choices[n] = d.settings.Account
		}
	}
	taken := map[string]bool{}
	for n, choice := range choices {
		p := &d.parts[n]
		account, known := d.known(c, accounts, p.named, choice, taken)
		p.leftOut = choice == leftOut || choice == "" && known && !takes(account) && p.rows == 0
		if !known || !takes(account) {
			account = d.newAccount(v, p.named, currency)
		}
		taken[account.ID] = true
		p.target.Account = account
	}
}

// known is the account that is chosen, or the one that a file names.
func (d *draft) known(c show.Clock, accounts []finance.Account, named statementfile.Account, choice string, taken map[string]bool) (finance.Account, bool) {
	find := func(fits func(finance.Account) bool) (finance.Account, bool) {
		if i := slices.IndexFunc(accounts, fits); i >= 0 {
			return accounts[i], true
		}
		return finance.Account{}, false
	}
	if choice != "" {
		return find(func(account finance.Account) bool { return account.ID == choice && takes(account) })
	}
	free := func(account finance.Account) bool { return d.file.Format != statementfile.JSON || !taken[account.ID] } // which lists each account once
	account, ok := find(func(account finance.Account) bool {
		return free(account) && numbered(account, named) && (named.Currency == "" || named.Currency == account.Currency)
	})
	if ok || !d.exported() {
		return account, ok
	}
	if named.IBAN != "" || named.Number != "" { // an account can have rows in several currencies
		return find(func(account finance.Account) bool { return free(account) && numbered(account, named) })
	}
	return find(func(account finance.Account) bool {
		return free(account) && account.IBAN == "" && account.Number == "" && named.Currency == account.Currency && named.Name == c.AccountName(account) &&
			(account.Linked() || account.Institution == named.Bank)
	})
}

// exported reports whether the file is one that a Florin exported.
func (d *draft) exported() bool {
	return d.file.Format == statementfile.JSON || slices.ContainsFunc(d.parts, func(p part) bool { return p.rows > 0 && p.firstRow().Exported != nil })
}

func (p part) firstRow() statementfile.Row {
	for _, s := range p.statements {
		if len(s.Rows) > 0 {
			return s.Rows[0]
		}
	}
	return statementfile.Row{}
}

// numbered reports whether an account has the number that a file names.
func numbered(account finance.Account, named statementfile.Account) bool {
	return named.IBAN != "" && account.IBAN == named.IBAN || named.Number != "" && account.Number == named.Number
}

// newAccount is the account that is made as a file names it.
func (d *draft) newAccount(v *shell.Visitor, named statementfile.Account, currency string) finance.Account {
	name := cmp.Or(d.settings.Name, named.Name, named.Bank, strings.TrimSuffix(d.File, path.Ext(d.File)), v.Say("Account"))
	if last := (finance.Account{IBAN: named.IBAN, Number: named.Number}).Last4(); named.Name == "" && last != "" && len(d.parts) > 1 {
		name += " " + last
	}
	account := finance.Account{UserID: v.User.ID, Source: finance.SourceManual, Nickname: shortName(name), Institution: shortName(named.Bank),
		Holder: named.Holder,
		IBAN:   named.IBAN, Number: named.Number, Currency: cmp.Or(d.settings.Currency, named.Currency, currency),
		Type:      cmp.Or(named.Type, openbanking.CashAccountTypeCACC),
		Simulated: named.Simulated}
	if account.Number != "" {
		account.Scheme = openbanking.SchemeNameBBAN
	}
	return account
}

// shortName is as much of a name as an account can have.
func shortName(name string) string {
	r := []rune(finance.Clean(name))
	return strings.TrimSpace(string(r[:min(len(r), finance.MaxAccountName)]))
}

// Why a row is not for its account: reasons beside those of package statementfile.
type (
	otherCurrency struct {
		textfile.Fact

		currency, account string
	}
	notKept struct{ textfile.Fact } // more was kept with it than Florin keeps
)

// readRows makes entries of the rows that go into accounts.
func (a *Area) readRows(v *shell.Visitor, c show.Clock, d *draft, create bool) error {
	book, err := a.Store.Categories(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	type inFile struct {
		part int
		row  statementfile.Row
	}
	var all []inFile
	for i, p := range d.parts {
		for _, s := range p.statements {
			for _, r := range s.Rows {
				all = append(all, inFile{i, r})
			}
		}
	}
	slices.SortStableFunc(all, func(x, y inFile) int { return cmp.Compare(x.row.Line, y.row.Line) })
	names := newCategoryNames(c, book, create)
	today := finance.Today(c.Now)
	for place, in := range all {
		p := &d.parts[in.part]
		if p.leftOut {
			continue
		}
		account, r := p.target.Account, in.row
		if r.Exported == nil && r.Amount.Currency() != account.Currency {
			d.unread = append(d.unread, statementfile.Unread{Line: r.Line, Reason: otherCurrency{currency: r.Amount.Currency(), account: account.Currency}})
			continue
		}
		record, err := json.Marshal(r.Transaction)
		if err != nil {
			return err
		}
		reader := finance.Reader{Currency: account.Currency, Holder: account.Holder, Number: cmp.Or(account.IBAN, account.Number), Today: today}
		e, err := reader.Read(r.Transaction, record)
		if err != nil {
			return err
		}
		row := finance.ImportRow{Entry: e, Line: r.Line, Place: place}
		if r.Exported != nil {
			if !asExported(&row, *r.Exported, names) {
				d.unread = append(d.unread, statementfile.Unread{Line: r.Line, Reason: notKept{}})
				continue
			}
		}
		p.target.Rows = append(p.target.Rows, row)
	}
	for i := range d.parts {
		if p := &d.parts[i]; p.target.Account.ID == "" {
			p.target.Opening = p.opening(d.Created)
		}
	}
	d.missing, d.made = names.missing, names.made
	return nil
}

// asExported makes a row what it was in the Florin that exported it. It reports whether all that was kept with it can be kept.
func asExported(row *finance.ImportRow, x statementfile.Exported, names *categoryNames) bool {
	row.Date, row.Counterparty, row.CounterpartyAccount = x.Date, finance.Clean(x.Counterparty), finance.Clean(x.CounterpartyAccount)
	row.Remittance, row.Kind = finance.Clean(x.Text), finance.Clean(x.Kind)
	kept := finance.Exported{ID: x.ID, Payee: finance.Clean(x.Payee), Category: names.of(x.Category, row.Amount), Reviewed: x.Reviewed}
	var err [2]error
	kept.Note, err[0] = finance.ReadNote(x.Note)
	kept.Tags, err[1] = finance.ReadTags(strings.Join(x.Tags, ","))
	for _, p := range x.Parts {
		kept.Parts = append(kept.Parts, finance.SplitPart{Amount: p.Amount, Category: names.of(p.Category, p.Amount), Note: finance.Clean(p.Note)})
		if utf8.RuneCountInString(kept.Parts[len(kept.Parts)-1].Note) > finance.MaxPartNote {
			return false
		}
	}
	row.Exported = &kept
	return err == [2]error{} && (x.Parts == nil || len(x.Parts) >= finance.MinParts && finance.SplitFits(row.Amount, kept.Parts))
}

// categoryNames finds the categories of a person by their names, in whatever language a file was written.
type categoryNames struct {
	ids     map[string]string
	create  bool
	missing []string
	made    []categories.Own
}

// maxMade is how many categories a file can bring.
const maxMade = 200

func newCategoryNames(c show.Clock, book categories.Book, create bool) *categoryNames {
	n := &categoryNames{ids: map[string]string{"": ""}, create: create}
	add := func(name, id string) {
		if own, ok := book.Of(id); ok && n.ids[name] == "" {
			n.ids[name] = own.ID
		}
	}
	for _, own := range book {
		if own.Into == "" {
			add(c.Category(own), own.ID)
		}
	}
	for _, language := range words.Languages(words.App) { // those that the person has renamed, too
		for _, category := range categories.Set {
			add(show.Clock{Language: language}.Category(categories.Own{Category: category}), category.ID)
		}
	}
	return n
}

// of is the id of the category with a name, "" when the person does not have it and it is not made. amount is one that it is for.
func (n *categoryNames) of(name string, amount money.Amount) string {
	name = finance.Clean(name)
	id, known := n.ids[name]
	if known || len(n.missing) == maxMade || utf8.RuneCountInString(name) > categories.MaxName {
		return id
	}
	n.missing = append(n.missing, name)
	if n.create {
		group := categories.GroupLiving
		if amount.Sign() > 0 {
			group = categories.GroupIncome
		}
		own := categories.NewOwn(name, group)
		n.made, id = append(n.made, own), own.ID
	}
	n.ids[name] = id
	return id
}

// opening is what is on a new account before the first of its rows: as the file says, else nothing.
func (p part) opening(chosen time.Time) finance.Value {
	currency := p.target.Account.Currency
	value := finance.Value{Amount: money.FromMinor(0, currency)}
	for _, r := range p.target.Rows {
		if r.Date != "" && (value.Day == "" || r.Date < value.Day) {
			value.Day = r.Date
		}
	}
	value.Day = cmp.Or(value.Day, openbanking.DateOf(chosen))
	var first *statementfile.Balance // the earliest one
	for _, s := range p.statements {
		if o := s.Opening; o != nil && o.Amount.Currency() == currency && (first == nil || o.Date < first.Date) {
			first = o
		}
	}
	if first != nil {
		value.Amount = first.Amount
	}
	return value
}
