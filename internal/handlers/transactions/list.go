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
	c := a.At(v.Ctx(), time.Now())
	b, err := a.book(v, c)
	if err != nil {
		return err
	}
	text := strings.TrimSpace(v.Request.URL.Query().Get("q"))
	parsed, fault := search.Parse(text, search.Context{Today: c.Today(), Named: b.named})
	view := pages.SearchView{Frame: a.Frame(v), Text: text}
	for _, connection := range b.Connections {
		view.Frame.Simulated = view.Frame.Simulated || connection.Simulated
	}
	view.Filters, view.Accounts = b.filters(text, parsed)
	if fault != nil {
		view.Fault = faultOf(c, text, fault)
		return v.Page(http.StatusUnprocessableEntity, pages.Search(view))
	}
	if err := a.kept(v, &view); err != nil {
		return err
	}
	before, err := a.before(v)
	if err != nil {
		return err
	}
	rows, more, err := a.Store.Find(v.Ctx(), v.User.ID, parsed.Query, before, pageRows)
	if err != nil {
		return err
	}
	if more {
		view.Pager.Older = pagePath(text, rows[len(rows)-1].SortKey)
	}
	if before != store.Newest {
		newer, err := a.Store.FindNewer(v.Ctx(), v.User.ID, parsed.Query, before, pageRows)
		if err != nil {
			return err
		}
		view.Pager.Newer = pagePath(text, newer)
	} else if err := a.pending(v, b, parsed.Query, &view); err != nil {
		return err
	}
	booked := make([]finance.TransactionRow, len(rows))
	for i, r := range rows {
		booked[i] = r.TransactionRow
	}
	view.Days, view.Range = c.Days(booked, func(i int) show.ListedIn { return b.place(rows[i]) }), c.Span(booked)
	if text != "" {
		if err := a.totals(v, c, parsed.Query, &view); err != nil {
			return err
		}
	}
	switch {
	case len(b.Accounts) == 0:
		view.Empty = c.Say("Link a bank first: its transactions appear here.")
	case text == "":
		view.Empty = c.Say("There are no booked transactions yet.")
	default:
		view.Empty = c.Say("No booked transaction matches. Try fewer words, or a part of one.")
	}
	return v.Page(http.StatusOK, pages.Search(view))
}

// before reads the key that the address asks for.
func (a *Area) before(v *shell.Visitor) (int64, error) {
	text := v.Request.URL.Query().Get("before")
	if text == "" {
		return store.Newest, nil
	}
	key, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, &shell.Problem{Status: http.StatusBadRequest, What: v.Say("There is no such page of transactions."),
			Todo: v.Say("Start from the newest transactions."), Action: ui.Link{Text: v.Say("Open the newest transactions"), Href: paths.Transactions}}
	}
	return key, nil
}

func pagePath(text string, before int64) string {
	if before == store.Newest {
		return paths.Search(text)
	}
	query := url.Values{"before": {strconv.FormatInt(before, 10)}}
	if text != "" {
		query.Set("q", text)
	}
	return paths.Transactions + "?" + query.Encode()
}

// pending fills in the rows that are not booked. There are few, and they are in no index.
func (a *Area) pending(v *shell.Visitor, b book, query search.Query, view *pages.SearchView) error {
	found, err := a.pendingFound(v, b, query)
	if err != nil {
		return err
	}
	slices.SortStableFunc(found, func(x, y finance.PendingTransaction) int {
		return cmp.Or(cmp.Compare(len(x.Date), len(y.Date)), cmp.Compare(y.Date, x.Date)) // those without a date first
	})
	view.Pending, view.PendingCount, view.PendingTotal = b.clock.Pending(found, func(id string) string { return b.listed[id].Name })
	return nil
}

// pendingFound are the rows that are not booked of which a query is true.
func (a *Area) pendingFound(v *shell.Visitor, b book, query search.Query) (found []finance.PendingTransaction, err error) {
	for _, account := range b.Accounts {
		rows, err := a.Store.Pending(v.Ctx(), v.User.ID, account.ID)
		if err != nil {
			return nil, err
		}
		for _, t := range rows {
			if query.Matches(pendingRow(t)) {
				found = append(found, t)
			}
		}
	}
	return found, nil
}

// pendingRow is what can be found of a row that is not booked.
func pendingRow(t finance.PendingTransaction) search.Row {
	return search.Row{Payee: t.Counterparty, Text: t.Remittance + " " + t.Kind, Numbers: []string{t.CounterpartyAccount}, Amount: t.Amount, Date: t.Date,
		Marks: []search.Mark{search.AccountMark(t.AccountID), search.FlowMark(t.Amount), search.MarkPending}}
}

func (a *Area) totals(v *shell.Visitor, c show.Clock, query search.Query, view *pages.SearchView) error {
	totals, capped, err := a.Store.Totals(v.Ctx(), v.User.ID, query)
	if err != nil {
		return err
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

// book is the accounts and categories of a person as they are named.
type book struct {
	store.Holdings
	clock      show.Clock
	categories categories.Book
	listed     map[string]show.ListedIn                // by the id of the account
	known      map[search.Operator]map[string][]string // words by which an account and its bank are found, by the id of the account
}

func (a *Area) book(v *shell.Visitor, c show.Clock) (b book, err error) {
	b = book{clock: c, listed: map[string]show.ListedIn{}, known: map[search.Operator]map[string][]string{search.OfAccount: {}, search.OfBank: {}}}
	if b.Holdings, err = a.Store.Holdings(v.Ctx(), v.User.ID); err != nil {
		return b, err
	}
	if b.categories, err = a.Store.Categories(v.Ctx(), v.User.ID); err != nil {
		return b, err
	}
	banks := map[string]string{}
	for _, connection := range b.Connections {
		banks[connection.ID] = show.BankOf(connection).Name
	}
	for _, account := range b.Accounts {
		name, bank := c.AccountName(account), banks[account.ConnectionID]
		b.listed[account.ID] = show.ListedIn{Base: paths.Transaction(account.ID, ""), Name: name + ", " + bank}
		b.known[search.OfAccount][account.ID] = search.Words(name + " " + account.Product + " " + account.IBAN + " " + account.Number + " " + account.Last4())
		b.known[search.OfBank][account.ID] = search.Words(bank)
	}
	return b, nil
}

// place is where a row belongs, with its category before the account.
func (b book) place(r finance.FoundRow) show.ListedIn {
	in := b.listed[r.AccountID]
	if name := b.clock.RowCategory(b.categories, r.TransactionRow); name != "" {
		in.Name = name + " · " + in.Name
	}
	return in
}

// named finds accounts by the beginnings of the words of their names and numbers, and of their banks, and categories by those of their names.
func (b book) named(of search.Operator, typed []string) []search.Mark {
	var marks []search.Mark
	if of == search.OfCategory {
		for _, own := range b.categories {
			if own.Into == "" && begin(search.Words(b.clock.Category(own)), typed) {
				for _, id := range b.categories.Shown(own.ID) {
					marks = append(marks, search.CategoryMark(id))
				}
			}
		}
		return marks
	}
	for _, account := range b.Accounts {
		if begin(b.known[of][account.ID], typed) {
			marks = append(marks, search.AccountMark(account.ID))
		}
	}
	return marks
}

// begin reports whether each word that was typed begins a word that is known.
func begin(known, typed []string) bool {
	return !slices.ContainsFunc(typed, func(word string) bool {
		return !slices.ContainsFunc(known, func(k string) bool { return strings.HasPrefix(k, word) })
	})
}

// filters are the conditions that can be chosen: each adds its piece to the text, or takes it out again.
func (b book) filters(text string, parsed search.Parsed) (common, accounts []pages.Filter) {
	month := string(b.clock.Today())[:len("2006-01")]
	for _, f := range []struct {
		name  words.Text
		piece string
	}{
		{"Money in", "is:in"}, {"Money out", "is:out"}, {"This month", "on:" + month}, {"Last 3 months", "last:3m"}, {"Last 12 months", "last:12m"},
		{"Pending", "is:pending"}, {"Paid with Florin", "is:payment"}, {"To review", "is:to-review"},
	} {
		common = append(common, filterOf(b.clock.Say(f.name), f.piece, text, parsed))
	}
	for _, account := range b.Accounts {
		name := b.clock.AccountName(account)
		piece := strings.Join(search.Words(name), " ")
		if len(b.named(search.OfAccount, search.Words(piece))) > 1 && account.Last4() != "" {
			piece, name = piece+" "+strings.ToLower(account.Last4()), name+" "+account.Last4()
		}
		accounts = append(accounts, filterOf(name, `account:"`+piece+`"`, text, parsed))
	}
	return common, accounts
}

// filterOf is a condition that can be chosen, in the address of the text with it, or without it when the text has it already.
func filterOf(name, piece, text string, parsed search.Parsed) pages.Filter {
	runes := []rune(text)
	for _, p := range parsed.Parts {
		if strings.EqualFold(string(runes[p.From:p.To]), piece) {
			rest := strings.TrimSpace(string(runes[:p.From])) + " " + strings.TrimSpace(string(runes[p.To:]))
			return pages.Filter{Text: name, Href: paths.Search(strings.TrimSpace(rest)), Current: true}
		}
	}
	if len(parsed.Parts) == 1 && strings.Contains(text, " OR ") {
		text = "(" + text + ")"
	}
	return pages.Filter{Text: name, Href: paths.Search(strings.TrimSpace(text + " " + piece))}
}

// faultOf says what is wrong with a text, and where.
func faultOf(c show.Clock, text string, f *search.Fault) *pages.SearchFault {
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
		view.Meant = &ui.Link{Text: c.Say("Search for “%s”", mended), Href: paths.Search(view.Before + mended + view.After)}
	}
	return view
}

// faultWords says what is wrong, and what to type instead.
func faultWords(f *search.Fault) words.Message {
	switch f.Kind {
	case search.FaultMany:
		return words.Msg("These are too many words. Leave some out.")
	case search.FaultDeep:
		return words.Msg("Too many brackets stand inside each other.")
	case search.FaultOperator:
		return words.Msg("Florin does not know “%s:”. To look for the text itself, put it in quotation marks.", f.Text)
	case search.FaultNoValue:
		return words.Msg("Write a value after “%s:”.", string(f.Operator))
	case search.FaultAmount:
		return words.Msg("“%s” is not an amount. Write amount:50, amount:>50 or amount:20..40.", f.Text)
	case search.FaultDate:
		return words.Msg("“%s” is not a date. Write a day as 2026-01-31, a month as 2026-01, or a year as 2026.", f.Text)
	case search.FaultLast:
		return words.Msg("“%s” is not a span of time. Write last:30d, last:2w, last:3m or last:1y.", f.Text)
	case search.FaultState:
		return words.Msg("Florin does not know “%s:%s”.", string(f.Operator), f.Text)
	case search.FaultName:
		switch f.Operator {
		case search.OfAccount:
			return words.Msg("None of your accounts is called “%s”.", f.Text)
		case search.OfBank:
			return words.Msg("None of your banks is called “%s”.", f.Text)
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
		return words.Msg("OR stands between two things to look for.")
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
			{Text: c.Say("rent"), Finds: c.Say("The word “rent”, or one that begins so, wherever it stands: name, text, note, tag or number.")},
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
			{Text: c.Say("payee:rent"), Finds: c.Say("Only in the name of the other side. Also: text:, note:, tag:")},
			{Text: "iban:DE", Finds: c.Say("Account numbers and references that begin so.")},
			{Text: "is:out", Finds: c.Say("Money out. Also: is:in, is:pending, is:payment, is:to-review, is:uncategorised")},
			{Text: "has:note", Finds: c.Say("What you wrote a note to. Also: has:category")},
		}},
	}
	return v.Page(http.StatusOK, pages.SearchHelp(view))
}
