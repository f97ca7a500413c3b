package transactions

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"time"

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
	accounts, err := a.Store.Accounts(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	query := v.Request.URL.Query()
	if id := query.Get("account"); id != "" && !slices.ContainsFunc(accounts, func(account finance.Account) bool { return account.ID == id }) {
		return finance.ErrNotFound
	}
	format := ledgerfile.Format(query.Get("format"))
	switch {
	case format == "" || len(accounts) == 0:
		return a.exportPage(v, accounts, http.StatusOK, nil)
	case !format.Known():
		return a.exportPage(v, accounts, http.StatusBadRequest, &ui.Notice{Tone: ui.Bad, Title: v.Say("Florin cannot write the format %s", string(format)),
			Text: v.Say("Choose one of the formats below.")})
	}
	ledger, err := a.ledger(v, accounts, query.Get("account"))
	if err != nil {
		return err
	}
	options := ledgerfile.Options{Separator: ledgerfile.Separator(query.Get("separator")), Decimal: ledgerfile.Decimal(query.Get("decimal")),
		Encoding: ledgerfile.Encoding(query.Get("encoding"))}
	return a.download(v, format, ledger, options)
}

// exportPage is the form for a file, filled in as the address says.
func (a *Area) exportPage(v *shell.Visitor, accounts []finance.Account, status int, problem *ui.Notice) error {
	query, c := v.Request.URL.Query(), a.At(v.Ctx(), time.Now())
	if query.Get("format") == "" && c.Language.Point() == "," { // programs for tables expect what the language has
		query.Set("separator", cmp.Or(query.Get("separator"), string(ledgerfile.Semicolon)))
		query.Set("decimal", cmp.Or(query.Get("decimal"), string(ledgerfile.DecimalComma)))
	}
	view := pages.ExportView{Frame: a.Frame(v), Problem: problem, Nothing: len(accounts) == 0,
		Accounts:   []ui.Option{{Text: v.Say("All accounts")}},
		Separators: options(c, query.Get("separator"), separatorWords, ledgerfile.Separators()),
		Decimals:   options(c, query.Get("decimal"), decimalWords, ledgerfile.Decimals()),
		Encodings:  options(c, query.Get("encoding"), encodingWords, ledgerfile.Encodings())}
	for _, account := range accounts {
		name := c.AccountName(account)
		if last := account.Last4(); last != "" {
			name = c.Say("%s, ending in %s", name, last)
		}
		view.Accounts = append(view.Accounts, ui.Option{Value: account.ID, Text: name, Selected: account.ID == query.Get("account")})
	}
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

// ledger is what is exported: the rows of an account, or with "" of all of them.
func (a *Area) ledger(v *shell.Visitor, accounts []finance.Account, only string) (ledgerfile.Ledger, error) {
	c := a.At(v.Ctx(), time.Now())
	l := ledgerfile.Ledger{Made: time.Now().Truncate(time.Second)}
	at := map[string]int{} // place of an account in the file, by its id
	for _, account := range accounts {
		if only != "" && account.ID != only {
			continue
		}
		connection, err := a.Store.Connection(v.Ctx(), v.User.ID, account.ConnectionID)
		if err != nil {
			return l, err
		}
		balances, err := a.Store.AccountBalances(v.Ctx(), v.User.ID, account.ID)
		if err != nil {
			return l, err
		}
		out := ledgerfile.Account{Name: c.AccountName(account), Bank: connection.ASPSP.Name, Holder: account.Holder, IBAN: account.IBAN, Number: account.Number,
			Currency: account.Currency, Type: account.Type, Simulated: connection.Simulated}
		if booked := finance.ChooseBalances(account, balances).Booked; booked != nil {
			out.Closing = &ledgerfile.Closing{Amount: booked.Amount, At: booked.AsOf()}
		}
		at[account.ID] = len(l.Accounts)
		l.Accounts = append(l.Accounts, out)
	}
	ids := make([]string, len(l.Accounts))
	for id, i := range at {
		ids[i] = id
	}
	l.Rows = a.exported(v.Ctx(), v.User.ID, ids, at)
	l.RowsOf = func(i int) ledgerfile.Rows { return a.exported(v.Ctx(), v.User.ID, ids[i:i+1], at) }
	return l, nil
}

// exported are the rows of accounts, newest first. at says where each account is in the file.
func (a *Area) exported(ctx context.Context, userID string, accounts []string, at map[string]int) ledgerfile.Rows {
	marks := make(search.Marked, len(accounts))
	for i, id := range accounts {
		marks[i] = search.AccountMark(id)
	}
	return func(yield func(ledgerfile.Row, error) bool) {
		for before, more := int64(store.Newest), true; more; {
			var page []finance.ExportedRow
			var err error
			if page, more, err = a.Store.Exported(ctx, userID, search.And{marks}, before, exportRows); err != nil {
				yield(ledgerfile.Row{}, err)
				return
			}
			for _, r := range page {
				before = r.SortKey
				if !yield(ledgerRow(r, at[r.AccountID]), nil) {
					return
				}
			}
		}
	}
}

func ledgerRow(r finance.ExportedRow, account int) ledgerfile.Row {
	return ledgerfile.Row{Account: account, ID: r.StableID, Date: r.Date, BookingDate: r.BookingDate, ValueDate: r.ValueDate, TransactionDate: r.TransactionDate,
		FirstSeen: openbanking.DateOf(r.FirstSeen), Amount: r.Amount, Counterparty: r.Counterparty, CounterpartyAccount: r.CounterpartyAccount,
		Text: r.Remittance, Kind: r.Kind, Reference: r.Reference}
}

// download answers with a file. What goes wrong before its first piece is sent is a page; what goes wrong later breaks the transfer, so that no browser takes
// what has come for the whole.
func (a *Area) download(v *shell.Visitor, format ledgerfile.Format, ledger ledgerfile.Ledger, options ledgerfile.Options) error {
	w := &fileWriter{visitor: v, name: format.FileName(ledger.Made.In(a.At(v.Ctx(), ledger.Made).Now.Location())), contentType: format.ContentType(options)}
	if v.Request.Method == http.MethodHead {
		w.begin()
		return nil
	}
	err := ledgerfile.Write(w, format, ledger, options)
	switch {
	case err == nil:
		w.begin() // a file without a byte
		return nil
	case !w.begun:
		return err
	case !w.failed && !middleware.Gone(v.Ctx(), err): // else the browser went away
		a.Log.ErrorContext(v.Ctx(), "export", "error", err, "format", string(format), "request_id", middleware.RequestIDFrom(v.Ctx()))
	}
	panic(http.ErrAbortHandler)
}

// fileWriter writes a file as the answer to a request. Its head is sent with the first piece.
type fileWriter struct {
	visitor           *shell.Visitor
	name, contentType string
	begun             bool
	failed            bool // the browser takes no more
}

func (w *fileWriter) begin() {
	if w.begun {
		return
	}
	w.begun = true
	header := w.visitor.Writer.Header()
	header.Set("Content-Type", w.contentType)
	header.Set("Content-Disposition", `attachment; filename="`+w.name+`"`)
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
