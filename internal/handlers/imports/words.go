package imports

import (
	"florin/internal/statementfile"
	"florin/web/templates/words"
)

func formatName(f statementfile.Format) string {
	switch f {
	case statementfile.CAMT053:
		return "CAMT.053"
	case statementfile.OFX:
		return "OFX"
	case statementfile.QIF:
		return "QIF"
	case statementfile.MT940:
		return "MT940"
	case statementfile.JSON:
		return "JSON"
	}
	return "CSV"
}

// columnNames are what a column of a table can hold.
var columnNames = map[statementfile.Column]words.Text{
	statementfile.Nothing: "Not used", statementfile.BookingDate: "Booking date", statementfile.ValueDate: "Value date", statementfile.TransactionDate: "Transaction date",
	statementfile.Amount: "Amount", statementfile.AmountOut: "Money out", statementfile.AmountIn: "Money in", statementfile.Side: "In or out",
	statementfile.Currency: "Currency", statementfile.Counterparty: "Counterparty", statementfile.Payee: "Payee of money out", statementfile.Payer: "Payer of money in",
	statementfile.CounterpartyAccount: "Account of the counterparty", statementfile.Text: "Text", statementfile.Kind: "Kind of transaction",
	statementfile.PaymentReference: "Reference of the payment", statementfile.Reference: "Bank’s reference", statementfile.EndToEnd: "End-to-end ID",
	statementfile.Mandate: "Mandate reference", statementfile.Creditor: "Creditor ID", statementfile.AccountNumber: "Your account", statementfile.BalanceAfter: "Balance afterwards",
}

func columnWords(c statementfile.Column) words.Text { return columnNames[c] }

func orderWords(o statementfile.DayOrder) words.Text {
	switch o {
	case statementfile.MonthDayYear:
		return "Month, day, year: 12/31/2026"
	case statementfile.YearMonthDay:
		return "Year, month, day: 2026-12-31"
	}
	return "Day, month, year: 31.12.2026"
}

func decimalWords(d statementfile.Decimal) words.Text {
	if d == statementfile.Comma {
		return "Comma: 12,50"
	}
	return "Point: 12.50"
}
