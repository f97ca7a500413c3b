package transactions

import (
	"cmp"
	"net/http"
	"net/url"
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

// pageRows is how many transactions a page shows.
const pageRows = 50

// list shows what a search finds in all accounts, newest first; without a text, all rows.
func (a *Area) list(v *shell.Visitor) error {
	whose, err := a.Whose(v, v.Request.URL.Query().Get("whose"))
	if err != nil {
		return err
	}
	list, err := a.listOf(v, a.At(v.Ctx(), time.Now()), nil, whose)
	if err != nil {
		return err
	}
	h, err := whose.Holdings(v.Ctx())
	if err != nil {
		return err
	}
	view := pages.SearchView{Frame: a.Frame(v), List: list, Whose: whose.Choice, Household: whose.OfHousehold()}
	view.Frame.Live = whose.Live()
	for _, connection := range h.Connections {
		view.Frame.Simulated = view.Frame.Simulated || connection.Simulated
	}
	for _, account := range h.Accounts {
		view.Frame.Simulated = view.Frame.Simulated || account.Simulated
	}
	return v.Page(ListStatus(list), pages.Search(view))
}

// ListStatus is what a page answers with on which a list stands.
func ListStatus(list pages.List) int {
	if list.Fault != nil {
		return http.StatusUnprocessableEntity
	}
	return http.StatusOK
}

// List is the list of transactions that the address of a request asks for, in all accounts or only in one. Its page has no Pager.Newer when it is the newest.
// The list of one account shows its search only when the address has a text, be it an empty one, and without a text it does not say why it is empty.
func (a *Area) List(v *shell.Visitor, c show.Clock, only *finance.Account) (pages.List, error) {
	return a.listOf(v, c, only, a.mine(v))
}

func (a *Area) listOf(v *shell.Visitor, c show.Clock, only *finance.Account, whose shell.Whose) (view pages.List, err error) {
	l, err := a.listingOf(v, c, whose)
	if err != nil {
		return view, err
	}
	l.only = only
	asked := v.Request.URL.Query()
	text := strings.TrimSpace(asked.Get("q"))
	l.searching = only == nil || asked.Has("q")
	view.Text, view.Searching, view.Path, view.Label, view.Export = text, l.searching, paths.Transactions, c.Say("Search in all accounts"), paths.ExportList("", text)
	view.Whose, view.Export = whose.Asked, paths.ByWhose(view.Export, whose.Asked)
	if only != nil {
		view.Path, view.Label, view.Export = paths.Account(only.ID), c.Say("Search in this account"), paths.ExportList(only.ID, text)
	}
	parsed, fault := search.Parse(text, l.Context())
	if l.searching {
		l.filters(&view, parsed)
	}
	if fault != nil {
		view.Fault = l.fault(text, fault)
		return view, nil
	}
	query := parsed.Query
	if only != nil {
		query = search.And{search.InAccount(only.ID), query}
	} else if v.User.Role != finance.RoleViewer {
		if err := a.kept(v, whose, &view); err != nil {
			return view, err
		}
	}
	if text != "" || only == nil { // else the list needs no index
		if view.Unready, err = a.unready(v, whose); err != nil {
			return view, err
		}
	}
	newest, err := a.found(v, l, query, &view)
	if err != nil {
		return view, err
	}
	if newest {
		if err := a.pending(v, l, query, &view); err != nil {
			return view, err
		}
	}
	if text != "" {
		if err := a.totals(v, l, query, &view); err != nil {
			return view, err
		}
	}
	switch {
	case text != "":
		view.Empty = c.Say("No booked transaction matches. Try fewer words, or a part of one.")
	case only != nil:
	case len(l.Accounts) == 0 && v.User.Role == finance.RoleViewer:
		view.Empty = c.Say("Nothing is shared with you yet")
	case len(l.Accounts) == 0:
		view.Empty = c.Say("Link a bank first: its transactions appear here.")
	default:
		view.Empty = c.Say("There are no booked transactions yet.")
	}
	return view, nil
}

// unready returns the notice that the search index is incomplete, as after an update that rebuilds it; nil when it is complete.
func (a *Area) unready(v *shell.Visitor, whose shell.Whose) (*ui.Notice, error) {
	lacks, err := whose.Unindexed(v.Ctx())
	if err != nil || !lacks {
		return nil, err
	}
	return &ui.Notice{Tone: ui.Info, Title: v.Say("Florin is still preparing the search"),
		Text: v.Say("After the update it goes through all your transactions once. Until it is done, some are missing from searches and from lists of all accounts. The page of each account shows all of its transactions.")}, nil
}

// found fills in the page of booked rows that the address asks for, and reports whether it is the newest. A list for choosing from has both sides of a
// transfer.
func (a *Area) found(v *shell.Visitor, l listing, query search.Query, view *pages.List) (newest bool, err error) {
	before, err := a.before(v, l)
	if err != nil {
		return false, err
	}
	rows, more, err := l.whose.Find(v.Ctx(), query, before, pageRows)
	if err != nil {
		return false, err
	}
	if more {
		view.Pager.Older = l.page(view.Text, rows[len(rows)-1].SortKey)
	}
	if before != store.Newest {
		newer, err := l.whose.FindNewer(v.Ctx(), query, before, pageRows)
		if err != nil {
			return false, err
		}
		view.Pager.Newer = l.page(view.Text, newer)
	}
	var transfers map[int64]store.PairedRow
	if !l.selecting {
		if rows, transfers, err = a.Store.Fold(v.Ctx(), v.User.ID, query, rows); err != nil {
			return false, err
		}
		if slices.ContainsFunc(rows, func(r finance.FoundRow) bool { return r.Suggestion != "" }) {
			view.Back = l.page(view.Text, before)
		}
	}
	view.Days, view.Range = l.clock.Days(rows, l.places(transfers)), l.clock.Span(rows)
	return before == store.Newest, nil
}

// Recent are the newest booked transactions of accounts, by day.
func (a *Area) Recent(v *shell.Visitor, c show.Clock, whose shell.Whose, most int) ([]pages.Day, error) {
	l, err := a.listingOf(v, c, whose)
	if err != nil {
		return nil, err
	}
	rows, _, err := whose.Find(v.Ctx(), search.And{}, store.Newest, most)
	if err != nil {
		return nil, err
	}
	rows, transfers, err := a.Store.Fold(v.Ctx(), v.User.ID, search.And{}, rows)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		rows[i].Suggestion = "" // to be taken in the list
	}
	return c.Days(rows, l.places(transfers)), nil
}

// before reads the key that the address asks for.
func (a *Area) before(v *shell.Visitor, l listing) (int64, error) {
	text := v.Request.URL.Query().Get("before")
	if text == "" {
		return store.Newest, nil
	}
	key, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, &shell.Problem{Status: http.StatusBadRequest, What: v.Say("There is no such page of transactions."),
			Todo: v.Say("Start from the newest transactions."), Action: ui.Link{Text: v.Say("Open the newest transactions"), Href: l.path("")}}
	}
	return key, nil
}

// pending fills in the rows that are not booked. There are few, and they are in no index.
func (a *Area) pending(v *shell.Visitor, l listing, query search.Query, view *pages.List) error {
	found, err := a.pendingFound(v, l, query)
	if err != nil {
		return err
	}
	slices.SortStableFunc(found, func(x, y finance.PendingTransaction) int {
		return cmp.Or(cmp.Compare(len(x.Date), len(y.Date)), cmp.Compare(y.Date, x.Date)) // those without a date first
	})
	names := map[string]string{}
	for _, account := range l.Accounts {
		names[account.ID] = l.marked(account.ID, l.account(account))
	}
	view.Pending, view.PendingCount, view.PendingTotal = l.clock.Pending(found, func(id string) string { return names[id] })
	return nil
}

// pendingFound are the rows of the list that are not booked of which a query is true.
func (a *Area) pendingFound(v *shell.Visitor, l listing, query search.Query) (found []finance.PendingTransaction, err error) {
	accounts := l.Accounts
	if l.only != nil {
		accounts = []finance.Account{*l.only}
	}
	for _, account := range accounts {
		rows, err := l.whose.Pending(v.Ctx(), account.ID, query, pendingRow)
		if err != nil {
			return nil, err
		}
		found = append(found, rows...)
	}
	return found, nil
}

// pendingRow is what can be found of a row that is not booked.
func pendingRow(t finance.PendingTransaction) search.Row {
	r := search.Row{Payee: t.Counterparty, Text: t.Remittance + " " + t.Kind, Numbers: []string{t.CounterpartyAccount}, Amount: t.Amount, Date: t.Date,
		Marks: []search.Mark{search.AccountMark(t.AccountID), search.FlowMark(t.Amount), search.MarkPending}}
	if payee := categories.PayeeOf(categories.Facts{Name: t.Counterparty, Text: t.Remittance}); payee.Key != "" {
		r.Marks = append(r.Marks, search.PayeeMark(payee.Key))
	}
	return r
}

func (a *Area) totals(v *shell.Visitor, l listing, query search.Query, view *pages.List) error {
	c := l.clock
	totals, capped, transfers, err := l.whose.Totals(v.Ctx(), query)
	if err != nil {
		return err
	}
	if transfers {
		view.LeftOut = c.TransfersLeftOut(l.whose.OfHousehold())
	}
	for _, t := range totals {
		net, err := t.In.Add(t.Out)
		if err != nil {
			return err
		}
		view.Totals = append(view.Totals, pages.SearchTotal{Count: c.Say("%d transactions", t.Rows), In: pages.Flow(t.In), Out: pages.Flow(t.Out), Net: pages.Flow(net)})
	}
	if capped {
		view.Capped = c.Say("More was found. These are the newest %d.", store.MaxTotalled)
	}
	return nil
}

// listing is the accounts and categories of a person as they are named, and which of them a list shows.
type listing struct {
	store.Holdings
	show.Names
	clock      show.Clock
	whose      shell.Whose
	owners     map[string]finance.User // of accounts that are not the person's own
	categories categories.Book
	only       *finance.Account  // whose rows are listed; nil for those of all accounts
	searching  bool              // the search is shown, and pages of the list keep it
	selecting  bool              // the list is for choosing from
	banks      map[string]string // their names, by the ids of their connections
}

// mine are the visitor's own accounts, on pages without a choice.
func (a *Area) mine(v *shell.Visitor) shell.Whose { return shell.Whose{Seen: a.Store.Mine(v.User.ID)} }

// listing is that of the visitor's own accounts.
func (a *Area) listing(v *shell.Visitor, c show.Clock) (listing, error) {
	return a.listingOf(v, c, a.mine(v))
}

func (a *Area) listingOf(v *shell.Visitor, c show.Clock, whose shell.Whose) (listing, error) {
	l := listing{clock: c, whose: whose, banks: map[string]string{}}
	var err error
	if l.Holdings, err = whose.Holdings(v.Ctx()); err != nil {
		return l, err
	}
	if l.owners, err = whose.Owners(v.Ctx()); err != nil {
		return l, err
	}
	if l.categories, err = whose.Categories(v.Ctx()); err != nil {
		return l, err
	}
	for _, connection := range l.Connections {
		l.banks[connection.ID] = show.BankOf(connection).Name
	}
	l.Names = c.Names(l.Accounts, l.Connections, l.categories).For(whose.Asked)
	return l, nil
}

// places tells where the rows of the list belong, and between which accounts transfers went.
func (l listing) places(transfers map[int64]store.PairedRow) func(finance.FoundRow) show.ListedIn {
	in, names := map[string]show.ListedIn{}, map[string]string{}
	for _, account := range l.Accounts {
		in[account.ID] = show.ListedIn{Base: paths.Transaction(account.ID, ""), Name: l.account(account)}
		names[account.ID] = l.clock.AccountName(account)
	}
	return func(r finance.FoundRow) show.ListedIn {
		place := in[r.AccountID]
		if t, is := transfers[r.ID]; is {
			place.Title, place.Name = l.clock.Say("%s → %s", names[t.OutAccount], names[t.InAccount]), ""
		}
		switch category := l.clock.RowCategory(l.categories, r.TransactionRow); {
		case place.Name == "":
			place.Name = category
		case category != "":
			place.Name = category + " · " + place.Name
		}
		place.Name = l.marked(r.AccountID, place.Name)
		place.Suggestion = l.clock.Suggestion(l.categories, r.AccountID, r.TransactionRow)
		return place
	}
}

// account is what an account is called in the list: "" where all rows are of the same.
func (l listing) account(account finance.Account) string {
	if l.only != nil {
		return ""
	}
	name := l.clock.AccountName(account)
	if bank := l.bank(account); bank != "" {
		name += ", " + bank
	}
	return name
}

// marked puts whose an account is in front of what stands there of it, where it is cut off last; nothing in front of what is the person's own.
func (l listing) marked(accountID, text string) string {
	owner, theirs := l.owners[accountID]
	switch {
	case !theirs:
		return text
	case text == "":
		return owner.Email
	}
	return owner.Email + " · " + text
}

// bank is the name of the bank of an account, or of the place that the person gave it; it may be "".
func (l listing) bank(account finance.Account) string {
	return cmp.Or(l.banks[account.ConnectionID], account.Institution)
}

// path is the address of the list with a text.
func (l listing) path(text string) string { return l.page(text, store.Newest) }

// page is the address of the page of the list that starts before a key.
func (l listing) page(text string, before int64) string {
	path, query := paths.Transactions, url.Values{}
	switch {
	case l.only != nil:
		path = paths.Account(l.only.ID)
	case l.selecting:
		path = paths.SelectTransactions
	}
	if text != "" || l.only != nil && l.searching {
		query.Set("q", text)
	}
	if before != store.Newest {
		query.Set("before", strconv.FormatInt(before, 10))
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return paths.ByWhose(path, l.whose.Asked)
}

// filters fills in the conditions that can be chosen: each adds its piece to the text, or takes it out again.
func (l listing) filters(view *pages.List, parsed search.Parsed) {
	month := string(l.clock.Today())[:len("2006-01")]
	for _, f := range []struct {
		name  words.Text
		piece string
	}{
		{"Money in", "is:in"}, {"Money out", "is:out"}, {"This month", "on:" + month}, {"Last 3 months", "last:3m"}, {"Last 12 months", "last:12m"},
		{"Pending", "is:pending"}, {"Paid with Florin", "is:payment"}, {"To review", "is:to-review"},
	} {
		view.Filters = append(view.Filters, l.filter(l.clock.Say(f.name), f.piece, view.Text, parsed))
	}
	if l.only != nil {
		return
	}
	for _, account := range l.Accounts {
		name := l.clock.AccountName(account)
		piece := strings.Join(search.Words(l.Value(search.OfAccount, account.ID)), " ")
		if piece != strings.Join(search.Words(name), " ") && account.Last4() != "" {
			name += " " + account.Last4()
		}
		if owner, theirs := l.owners[account.ID]; theirs {
			name += " · " + owner.Email
		}
		view.Accounts = append(view.Accounts, l.filter(name, `account:"`+piece+`"`, view.Text, parsed))
	}
}

// filter is a condition that can be chosen, in the address of the text with it, or without it when the text has it already.
func (l listing) filter(name, piece, text string, parsed search.Parsed) pages.Filter {
	runes := []rune(text)
	for _, p := range parsed.Parts {
		if strings.EqualFold(string(runes[p.From:p.To]), piece) {
			rest := strings.TrimSpace(string(runes[:p.From])) + " " + strings.TrimSpace(string(runes[p.To:]))
			return pages.Filter{Text: name, Href: l.path(strings.TrimSpace(rest)), Current: true}
		}
	}
	if len(parsed.Parts) == 1 && strings.Contains(text, " OR ") {
		text = "(" + text + ")"
	}
	return pages.Filter{Text: name, Href: l.path(strings.TrimSpace(text + " " + piece))}
}

// fault says what is wrong with a text, and where.
func (l listing) fault(text string, f *search.Fault) *pages.SearchFault {
	c := l.clock
	runes := []rune(strings.ToValidUTF8(text, " "))
	view := &pages.SearchFault{Before: string(runes[:f.From]), Text: string(runes[f.From:f.To]), After: string(runes[f.To:])}
	if f.Kind == search.FaultLong {
		view.Before, view.Text = string(runes[:20])+" … ", ""
		view.Problem = c.Say("A search has %d characters at most. Yours has %d.", search.MaxLength, len(runes))
		return view
	}
	view.Problem = c.Say("At character %d: %s", f.From+1, faultWords(f))
	if f.Meant != "" {
		mended := f.Meant + ":"
		if f.Kind == search.FaultState {
			mended = string(f.Operator) + ":" + f.Meant
		}
		view.Meant = &ui.Link{Text: c.Say("Search for “%s”", mended), Href: l.path(view.Before + mended + view.After)}
	}
	return view
}

// faultWords says what is wrong, and what to type instead.
func faultWords(f *search.Fault) words.Message {
	switch f.Kind {
	case search.FaultMany:
		return words.Msg("These are too many words. Leave some out.")
	case search.FaultDeep:
		return words.Msg("Too many brackets are inside each other.")
	case search.FaultOperator:
		return words.Msg("Florin does not know “%s:”. To look for the text itself, put it in quotation marks.", f.Text)
	case search.FaultNoValue:
		return words.Msg("Write a value after “%s:”.", string(f.Operator))
	case search.FaultAmount:
		return words.Msg("“%s” is not an amount. Write amount:50, amount:>50 or amount:20..40.", f.Text)
	case search.FaultDate:
		return words.Msg("“%s” is not a date. Write a day as 2026-01-31, a month as 2026-01, or a year as 2026.", f.Text)
	case search.FaultLast:
		return words.Msg("“%s” is not a period. Write last:30d, last:2w, last:3m or last:1y.", f.Text)
	case search.FaultState:
		return words.Msg("Florin does not know “%s:%s”.", string(f.Operator), f.Text)
	case search.FaultName:
		switch f.Operator {
		case search.OfAccount:
			return words.Msg("None of your accounts is called “%s”.", f.Text)
		case search.OfBank:
			return words.Msg("None of your banks is called “%s”.", f.Text)
		case search.OfGroup:
			return words.Msg("No group of categories is called “%s”.", f.Text)
		}
		return words.Msg("None of your categories is called “%s”.", f.Text)
	case search.FaultQuote:
		return words.Msg("The second quotation mark is missing.")
	case search.FaultOpen:
		return words.Msg("This bracket is not closed.")
	case search.FaultClose:
		return words.Msg("This bracket was not opened.")
	case search.FaultEmptyBracket:
		return words.Msg("These brackets are empty.")
	case search.FaultOr:
		return words.Msg("Write OR between two things to look for.")
	}
	return words.Msg("Write a word after this minus.")
}

// help explains the search field.
func (a *Area) help(v *shell.Visitor) error {
	c := a.At(v.Ctx(), time.Now())
	view := pages.SearchHelpView{Frame: a.Frame(v)}
	month := string(c.Today())[:len("2006-01")]
	view.Groups = []pages.SearchHelpGroup{
		{Title: c.Say("Words"), Examples: []pages.SearchExample{
			{Text: c.Say("rent"), Finds: c.Say("The word “rent”, or one that begins with it, wherever it is: name, text, note, tag or number.")},
			{Text: c.Say("rent january"), Finds: c.Say("Both words, in whatever order.")},
			{Text: c.Say(`"rent january"`), Finds: c.Say("Exactly these words, one after the other.")},
			{Text: c.Say("rent -january"), Finds: c.Say("“rent”, but not “january”.")},
			{Text: c.Say("rent OR salary"), Finds: c.Say("One of the two. OR is written in capitals.")},
			{Text: c.Say("(rent OR salary) last:3m"), Finds: c.Say("Brackets keep together what belongs together.")},
		}},
		{Title: c.Say("Amounts"), Examples: []pages.SearchExample{
			{Text: c.Say("12.50"), Finds: c.Say("The amount, money in or out. 12,50 and 12.5 are the same.")},
			{Text: "amount:>50", Finds: c.Say("More than 50. Also: >=, < and <=.")},
			{Text: "amount:20..40", Finds: c.Say("From 20 to 40.")},
			{Text: "amount:-42", Finds: c.Say("Money out of 42. With a plus: money in.")},
		}},
		{Title: c.Say("Time"), Examples: []pages.SearchExample{
			{Text: "on:" + month, Finds: c.Say("This month. A day or a year works in the same way.")},
			{Text: "after:" + month, Finds: c.Say("From this month on. “before:” is what comes before a day, month or year.")},
			{Text: "last:3m", Finds: c.Say("In the last three months. Also: d for days, w for weeks, y for years.")},
		}},
		{Title: c.Say("Where and who"), Examples: []pages.SearchExample{
			{Text: c.Say("payee:rent"), Finds: c.Say("Only in the name of the payee or payer. Also: text:, note:, tag:")},
			{Text: `payee:="Lidl"`, Finds: c.Say("The payee of exactly this name, not Lidl Plus. Capitals, accents and an ending such as GmbH make no difference.")},
			{Text: c.Say(`tag:="Italy"`), Finds: c.Say("Exactly this tag, not Italy 2026.")},
			{Text: "iban:DE", Finds: c.Say("Account numbers and references that begin like this.")},
			{Text: "is:out", Finds: c.Say("Money out. Also: is:in, is:pending, is:payment, is:to-review, is:uncategorised")},
			{Text: "has:note", Finds: c.Say("Transactions with a note of yours. Also: has:category")},
		}},
	}
	return v.Page(http.StatusOK, pages.SearchHelp(view))
}
