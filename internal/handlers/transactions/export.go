package transactions

import (
	"cmp"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"florin/internal/categories"
	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/ledgerfile"
	"florin/internal/middleware"
	"florin/internal/openbanking"
	"florin/internal/search"
	"florin/internal/store"
	"florin/web/templates/pages"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// exportRows is how many rows an export reads at a time: memory for one page of them is all that it takes.
const exportRows = 500

// exportWait is how long a browser may take for a piece of a file, of at most 32 KiB.
const exportWait = 30 * time.Second

// export answers with a file of the transactions that the address asks for, else with the form for one.
func (a *Area) export(v *shell.Visitor) error {
	query, c := v.Request.URL.Query(), a.At(v.Ctx(), time.Now())
	whose, err := a.Whose(v, query.Get("whose"))
	if err != nil {
		return err
	}
	l, err := a.listingOf(v, c, whose)
	if err != nil {
		return err
	}
	h := l.Holdings
	only, text := query.Get("account"), strings.TrimSpace(query.Get("q"))
	if only != "" && !slices.ContainsFunc(h.Accounts, func(account finance.Account) bool { return account.ID == only }) {
		return finance.ErrNotFound
	}
	parsed, fault := search.Parse(text, l.Context())
	format := ledgerfile.Format(query.Get("format"))
	switch {
	case fault != nil:
		return a.exportPage(v, l, http.StatusUnprocessableEntity, l.fault(text, fault).Problem, nil)
	case format == "" || len(h.Accounts) == 0:
		return a.exportPage(v, l, http.StatusOK, "", nil)
	case !format.Known():
		return a.exportPage(v, l, http.StatusBadRequest, "", &ui.Notice{Tone: ui.Bad, Title: v.Say("Florin cannot write the format %s", string(format)),
			Text: v.Say("Choose one of the formats below.")})
	}
	unready, err := a.unready(v, whose)
	if err != nil {
		return err
	}
	if unready != nil { // never a file that lacks something
		unready.Text = v.Say("Until it has gone through all your transactions, some would be missing from a file. Try again in a few minutes.")
		return a.exportPage(v, l, http.StatusServiceUnavailable, "", unready)
	}
	ledger := a.ledger(v, l, only, parsed.Query)
	ledger.Partial = text != ""
	options := ledgerfile.Options{Separator: ledgerfile.Separator(query.Get("separator")), Decimal: ledgerfile.Decimal(query.Get("decimal")),
		Encoding: ledgerfile.Encoding(query.Get("encoding"))}
	return a.download(v, format, ledger, options)
}

// exportPage is the form for a file, filled in as the address says. fault is what is wrong with the search.
func (a *Area) exportPage(v *shell.Visitor, l listing, status int, fault string, problem *ui.Notice) error {
	query, c, h := v.Request.URL.Query(), a.At(v.Ctx(), time.Now()), l.Holdings
	if query.Get("format") == "" && c.Language.Point() == "," { // programs for tables expect what the language has
		query.Set("separator", cmp.Or(query.Get("separator"), string(ledgerfile.Semicolon)))
		query.Set("decimal", cmp.Or(query.Get("decimal"), string(ledgerfile.DecimalComma)))
	}
	view := pages.ExportView{Frame: a.Frame(v), Whose: l.whose.Choice, Asked: l.whose.Asked, Problem: problem, Nothing: len(h.Accounts) == 0,
		Accounts: []ui.Option{{Text: v.Say("All accounts")}},
		Query: ui.Input{Name: "q", Label: v.Say("Search"), Type: "search", Value: strings.TrimSpace(query.Get("q")), Problem: fault, Autocomplete: "off",
			Hint: v.Say("The file then contains only what the search finds. Leave this empty for everything.")},
		Separators: options(c, query.Get("separator"), separatorWords, ledgerfile.Separators()),
		Decimals:   options(c, query.Get("decimal"), decimalWords, ledgerfile.Decimals()),
		Encodings:  options(c, query.Get("encoding"), encodingWords, ledgerfile.Encodings())}
	view.Frame.Live = l.whose.Live()
	view.Accounts = append(view.Accounts, c.AccountsOf(h.Accounts, h.Connections, l.owners, query.Get("account"))...)
	for i, format := range ledgerfile.Formats() {
		name, note := formatWords(format)
		view.Formats = append(view.Formats, pages.ExportFormat{Value: string(format), Name: c.Say(name), Note: c.Say(note), Checked: i == 0})
	}
	return v.Page(status, pages.Export(view))
}

// options are the values that can be chosen, with what they are called.
func options[T ~string](c show.Clock, chosen string, name func(T) words.Text, values []T) []ui.Option {
	var all []ui.Option
	for _, value := range values {
		all = append(all, ui.Option{Value: string(value), Text: c.Say(name(value)), Selected: string(value) == chosen})
	}
	return all
}

func formatWords(f ledgerfile.Format) (name, note words.Text) {
	switch f {
	case ledgerfile.OFX:
		return "OFX", "For GnuCash, KMyMoney, Quicken and many others"
	case ledgerfile.QIF:
		return "QIF", "An old format without currencies, for programs that read no other"
	case ledgerfile.CAMT053:
		return "CAMT.053", "A bank statement as XML, for bookkeeping software and tax advisers"
	case ledgerfile.JSON:
		return "JSON", "For your own programs"
	case ledgerfile.Beancount:
		return "Beancount", "A journal for plain-text accounting"
	case ledgerfile.Hledger:
		return "hledger", "A journal for plain-text accounting, also for Ledger"
	}
	return "CSV", "A table for Excel, LibreOffice or Numbers"
}

func separatorWords(s ledgerfile.Separator) words.Text {
	switch s {
	case ledgerfile.Semicolon:
		return "Semicolon"
	case ledgerfile.Tab:
		return "Tab"
	}
	return "Comma"
}

func decimalWords(d ledgerfile.Decimal) words.Text {
	if d == ledgerfile.DecimalComma {
		return "Comma: 12,50"
	}
	return "Point: 12.50"
}

func encodingWords(e ledgerfile.Encoding) words.Text {
	switch e {
	case ledgerfile.UTF8BOM:
		return "UTF-8 for Excel"
	case ledgerfile.Windows1252:
		return "Windows-1252, for old programs"
	}
	return "UTF-8"
}

// ledger is what is exported: the rows that a query finds in an account, or with "" in all of them.
func (a *Area) ledger(v *shell.Visitor, list listing, only string, query search.Query) ledgerfile.Ledger {
	c, h := list.clock, list.Holdings
	l := ledgerfile.Ledger{Made: c.Now.Truncate(time.Second)}
	connections := map[string]finance.Connection{}
	for _, connection := range h.Connections {
		connections[connection.ID] = connection
	}
	var marks search.Marked
	at := map[string]int{} // place of an account in the file, by its id
	for _, account := range inFile(c, h.Accounts, connections) {
		if only != "" && account.ID != only {
			continue
		}
		connection := connections[account.ConnectionID]
		name := c.AccountName(account)
		if owner, theirs := list.owners[account.ID]; theirs {
			name += " · " + owner.Email
		}
		out := ledgerfile.Account{Name: name, Bank: cmp.Or(connection.ASPSP.Name, account.Institution), Holder: account.Holder,
			IBAN:   account.IBAN,
			Number: account.Number, Currency: account.Currency, Type: account.Type, Simulated: connection.Simulated || account.Simulated}
		if booked := finance.ChooseBalances(account, h.Balances[account.ID]).Booked; booked != nil {
			out.Closing = &ledgerfile.Closing{Amount: booked.Amount, At: booked.AsOf()}
		}
		at[account.ID] = len(l.Accounts)
		marks, l.Accounts = append(marks, search.AccountMark(account.ID)), append(l.Accounts, out)
	}
	l.Rows = a.exported(v.Ctx(), list, search.And{marks, query}, at)
	l.RowsOf = func(i int) ledgerfile.Rows {
		return a.exported(v.Ctx(), list, search.And{marks[i : i+1], query}, at)
	}
	return l
}

// inFile are accounts in the order in which a file names them: by what it says of them, so that it is the same after an import.
func inFile(c show.Clock, accounts []finance.Account, connections map[string]finance.Connection) []finance.Account {
	return slices.SortedStableFunc(slices.Values(accounts), func(x, y finance.Account) int {
		return cmp.Or(cmp.Compare(c.AccountName(x), c.AccountName(y)), cmp.Compare(cmp.Or(connections[x.ConnectionID].ASPSP.Name, x.Institution),
			cmp.Or(connections[y.ConnectionID].ASPSP.Name, y.Institution)), cmp.Compare(x.IBAN, y.IBAN), cmp.Compare(x.Number, y.Number),
			cmp.Compare(x.Currency, y.Currency), cmp.Compare(x.Type, y.Type), cmp.Compare(x.Holder, y.Holder))
	})
}

// errShareEnded says that an account in the file is no longer shared with the person.
var errShareEnded = errors.New("an account that is exported is no longer shared")

// exported are the rows that a query finds, newest first. at says where each account is in the file. When one of the accounts is no longer shared, it ends with
// errShareEnded: nothing of it is read any more, and what has been written is not the file that was asked for.
func (a *Area) exported(ctx context.Context, l listing, query search.Query, at map[string]int) ledgerfile.Rows {
	return func(yield func(ledgerfile.Row, error) bool) {
		for before, more := int64(store.Newest), true; more; {
			var page []finance.ExportedRow
			var err error
			if page, more, err = l.whose.Exported(ctx, query, before, exportRows); err == nil {
				err = l.stillShared(ctx)
			}
			if err != nil {
				yield(ledgerfile.Row{}, err)
				return
			}
			for _, r := range page {
				before = r.SortKey
				if !yield(l.ledgerRow(r, at[r.AccountID]), nil) {
					return
				}
			}
		}
	}
}

// stillShared reports with errShareEnded that an account of somebody else is no longer shared.
func (l listing) stillShared(ctx context.Context) error {
	owners, err := l.whose.Owners(ctx)
	for id := range l.owners {
		if _, still := owners[id]; !still && err == nil {
			err = errShareEnded
		}
	}
	return err
}

func (l listing) ledgerRow(r finance.ExportedRow, account int) ledgerfile.Row {
	row := ledgerfile.Row{Account: account, ID: r.StableID, Date: r.Date, BookingDate: r.BookingDate, ValueDate: r.ValueDate,
		TransactionDate: r.TransactionDate,
		FirstSeen:       openbanking.DateOf(r.FirstSeen), Amount: r.Amount, Counterparty: r.Counterparty, CounterpartyAccount: r.CounterpartyAccount,
		Text: r.Remittance, Kind: r.Kind, Reference: r.Reference, Payee: r.Payee, Tags: r.Kept.Tags, Note: r.Kept.Note,
		Reviewed: r.Reviewed}
	if r.Parts == nil {
		row.Category = l.ledgerCategory(r.Category)
	}
	rest := r.Amount // which the bank can have changed since
	for _, p := range r.Parts {
		if less, err := rest.Sub(p.Amount); err == nil {
			rest = less
		}
		row.Parts = append(row.Parts, ledgerfile.Part{Amount: p.Amount, Category: l.ledgerCategory(p.Category), Note: p.Note})
	}
	if r.Parts != nil && !rest.IsZero() {
		row.Parts = append(row.Parts, ledgerfile.Part{Amount: rest})
	}
	return row
}

// ledgerCategory is a category as files have it, under its name in the language of the person.
func (l listing) ledgerCategory(id string) ledgerfile.Category {
	own, known := l.categories.Of(id)
	if !known {
		return ledgerfile.Category{}
	}
	c := ledgerfile.Category{Name: l.clock.Category(own)}
	switch {
	case own.ID == categories.Transfer:
		c.Kind = ledgerfile.Transfer
	case own.Group == categories.GroupIncome:
		c.Kind = ledgerfile.Income
	}
	return c
}

// download answers with a file in a format.
func (a *Area) download(v *shell.Visitor, format ledgerfile.Format, ledger ledgerfile.Ledger, options ledgerfile.Options) error {
	return a.Download(v, format.ContentType(options), format.FileName(ledger.Made), func(w io.Writer) error {
		return ledgerfile.Write(w, format, ledger, options)
	})
}

// Download answers with a file that write makes while it is sent. What goes wrong before its first piece is sent is a page; what goes wrong later breaks the
// transfer, so that no browser takes what has come for the whole.
func (a *Area) Download(v *shell.Visitor, contentType, name string, write func(w io.Writer) error) error {
	w := &fileWriter{visitor: v, contentType: contentType, disposition: disposition("attachment", name)}
	if v.Request.Method == http.MethodHead {
		w.begin()
		return nil
	}
	err := write(w)
	switch {
	case err == nil:
		w.begin() // a file without a byte
		return nil
	case !w.begun:
		return err
	case !w.failed && !middleware.Gone(v.Ctx(), err): // else the browser went away
		a.Log.ErrorContext(v.Ctx(), "export", "error", err, "type", contentType, "request_id", middleware.RequestIDFrom(v.Ctx()))
	}
	panic(http.ErrAbortHandler)
}

// Own is the ledger of all that is the visitor's own. unready says why there is none yet; nil when there is.
func (a *Area) Own(v *shell.Visitor) (l ledgerfile.Ledger, unready *ui.Notice, err error) {
	unready, err = a.unready(v, a.mine(v))
	if err != nil || unready != nil {
		return l, unready, err
	}
	list, err := a.listing(v, a.At(v.Ctx(), time.Now()))
	if err != nil {
		return l, nil, err
	}
	parsed, _ := search.Parse("", list.Context())
	return a.ledger(v, list, "", parsed.Query), nil, nil
}

// disposition is the header Content-Disposition (RFC 6266): how a file is shown, and what it is called when it is saved.
func disposition(how, name string) string {
	return mime.FormatMediaType(how, map[string]string{"filename": name})
}

// fileWriter writes a file as the answer to a request. Its head is sent with the first piece.
type fileWriter struct {
	visitor     *shell.Visitor
	contentType string
	disposition string // Content-Disposition
	length      int64  // bytes; 0 when it is not known
	begun       bool
	failed      bool // the browser takes no more
}

func (w *fileWriter) begin() {
	if w.begun {
		return
	}
	w.begun = true
	header := w.visitor.Writer.Header()
	header.Set("Content-Type", w.contentType)
	header.Set("Content-Disposition", w.disposition)
	if w.length > 0 {
		header.Set("Content-Length", strconv.FormatInt(w.length, 10))
	}
	w.visitor.Writer.WriteHeader(http.StatusOK)
}

// Write sends a piece of the file.
func (w *fileWriter) Write(piece []byte) (int, error) {
	w.begin()
	err := http.NewResponseController(w.visitor.Writer).SetWriteDeadline(time.Now().Add(exportWait))
	if err != nil {
		return 0, err
	}
	n, err := w.visitor.Writer.Write(piece)
	w.failed = err != nil
	return n, err
}
