package pages

import (
	"florin/web/templates/charts"
	"florin/web/templates/layout"
	"florin/web/templates/ui"
)

// ForecastView shows what will be on the accounts.
type ForecastView struct {
	layout.Frame
	Whose    *Whose   // nil where there is no choice of whose accounts it is about
	Period   string   // "22 November 2026 to 20 February 2027"
	Export   string   // address of the tables as a file; "" when there is nothing to forecast
	Accounts []Filter // all accounts together, and each of them; none where there is only one
	Notices  []ui.Notice
	Left     *Left // nil when no regular income is known to come
	Lines    []ForecastLine
	Coming   []ComingDay
	Everyday []ForecastEveryday
	Off      []string // how good forecasts were: a sentence for each line
	Without  string   // which accounts have no forecast; usually empty
	Flat     string   // which accounts count as they are today; usually empty
}

// ForecastLine is the balance in the next days, in a currency.
type ForecastLine struct {
	ID, Title string
	Says      string // "The least is 120.00 EUR, on Tuesday 24 November."
	Chart     charts.Line
}

// ForecastEveryday says what the everyday spending of a line is, and where that comes from.
type ForecastEveryday struct {
	Title string
	Says  []string
	Table ReportTable // by account, or by month; may be empty
}

// Left shows what is left until the next regular income.
type Left struct {
	Day            ui.Link // the day of that income, with its series
	Amount         ui.Money
	Account        ui.Link // with its forecast
	Known          ui.Money
	KnownHref      string
	Everyday       ui.Money // zero when it is not known
	EverydayHref   string
	EverydayIsNone bool
}
