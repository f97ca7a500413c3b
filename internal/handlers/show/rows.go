package show

import (
	"cmp"
	"strconv"

	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/web/templates/pages"
	"florin/web/templates/ui"
)

// ListedIn says how a row is shown in a list.
type ListedIn struct {
	Base  string // address of the transactions of its account, with a slash at the end
	Title string // replaces the row's own title; usually empty
	Name  string // its category and, in lists of several accounts, its account with the bank; may be empty

	Suggestion *pages.Suggestion // nil: none
}

// Days groups sorted rows by their date. in returns how a row is shown.
func (c Clock) Days(rows []finance.FoundRow, in func(finance.FoundRow) ListedIn) []pages.Day {
	var list []pages.Day
	var date openbanking.Date
	shown := make([]pages.TransactionRow, len(rows))
	first := 0 // row of the day
	for i, t := range rows {
		if i == 0 || t.Date != date {
			date, first = t.Date, i
			list = append(list, pages.Day{Date: c.Heading(date)})
		}
		account := in(t)
		shown[i] = c.row(cmp.Or(account.Title, t.Title()), t.Remittance, t.Amount)
		shown[i].ID, shown[i].Account, shown[i].New = strconv.FormatInt(t.ID, 10), account.Name, !t.Reviewed
		shown[i].Href, shown[i].Suggestion = account.Base+shown[i].ID, account.Suggestion
		if t.Missing {
			shown[i].Note = c.Say("No longer listed by the bank")
		}
		list[len(list)-1].Rows = shown[first : i+1]
	}
	return list
}

// Pending returns the block of pending rows. They have no page of their own, because the next sync rebuilds them. total is nil when their currencies differ.
func (c Clock) Pending(rows []finance.PendingTransaction, name func(accountID string) string) (shown []pages.TransactionRow, count string, total *ui.Money) {
	var amounts []money.Amount
	for _, t := range rows {
		row := c.row(t.Title(), t.Remittance, t.Amount)
		row.Account = name(t.AccountID)
		if t.Status != openbanking.TransactionStatusPDNG {
			row.Note = c.Say(pages.StatusWords(t.Status))
		}
		shown, amounts = append(shown, row), append(amounts, t.Amount)
	}
	if sums, err := money.Sum(amounts...); err == nil && len(sums) == 1 {
		sum := pages.Flow(sums[0])
		total = &sum
	}
	return shown, c.Say("%d pending transactions", len(rows)), total
}

func (c Clock) row(title, text string, amount money.Amount) pages.TransactionRow {
	row := pages.TransactionRow{Name: c.TransactionName(title), Text: text, Amount: pages.Flow(amount)}
	if row.Text == row.Name {
		row.Text = ""
	}
	return row
}

// Span returns the days that sorted rows cover; "" for none.
func (c Clock) Span(rows []finance.FoundRow) string {
	if len(rows) == 0 {
		return ""
	}
	oldest, newest := c.Day(rows[len(rows)-1].Date).Text, c.Day(rows[0].Date).Text
	if oldest == newest || oldest == "" {
		return newest
	}
	return c.Say("%s to %s", oldest, newest)
}
