package main

import (
	"florin/web/templates/pages"
	"florin/web/templates/ui"
)

func transactionTransfer() pages.TransactionView {
	v := transaction()
	v.Transfer = pages.TransferCard{Action: "/transfer", Other: &ui.Link{Text: "6.41 EUR on Savings, 3 October", Href: "/x"},
		Is: "It went from Everyday to Savings. It counts as neither income nor spending."}
	return v
}

func transactionTransferRefused() pages.TransactionView {
	v := transactionTransfer()
	v.Transfer.Is, v.Transfer.OtherID = "You said that these two are not a transfer. Florin does not pair them again.", "7"
	return v
}

func transactionTransferOffered() pages.TransactionView {
	v := transaction()
	v.Transfer = pages.TransferCard{Action: "/transfer", Offered: []ui.Option{{Value: "7", Text: "6.41 EUR on Savings, 3 October: " + oddText}, {Value: "8", Text: longWord}}}
	return v
}

func transactionHistory() pages.TransactionView {
	v := transaction()
	v.History = pages.HistoryCard{First: v.Fetched, Changes: []pages.HistoryChange{
		{When: "Changed on 5 October 2026 at 08:00", Before: []ui.Fact{{Name: "Amount before", Value: "6.00 EUR"}, {Name: "Text before", Value: oddText}}},
		{When: "Changed on 4 October 2026 at 08:00", Before: []ui.Fact{{Name: "Name before", Value: longWord}, {Name: "Account before", Value: "Nothing"}}},
	}}
	return v
}
