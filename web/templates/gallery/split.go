package main

import (
	"strconv"

	"florin/internal/money"
	"florin/web/templates/pages"
	"florin/web/templates/ui"
)

func transactionSplit() pages.TransactionView {
	v := transaction()
	v.Split = pages.SplitCard{Href: "/split", Misfit: "They add up to 6.41 EUR, but the amount is now 7.25 EUR. Please change the parts.", Parts: []pages.SplitPart{
		{Amount: pages.Flow(money.FromMinor(-641, "EUR")), Category: "Groceries", Note: "coffee beans"},
		{Amount: pages.Flow(money.FromMinor(100, "EUR")), Category: "No category", Note: oddText},
		{Amount: pages.Flow(money.FromMinor(-100, "EUR")), Category: longWord + longWord, Note: longWord},
	}}
	return v
}

func splitParts(parts ...[3]string) []pages.SplitForm {
	var forms []pages.SplitForm
	for i, p := range parts {
		number := strconv.Itoa(i + 1)
		groups := categoryGroups("Restaurants and cafés")
		if p[1] == "" {
			groups[1].Options[0].Selected = false
		}
		forms = append(forms, pages.SplitForm{Legend: "Part " + number, Select: "category-" + number, Groups: groups,
			Amount: ui.Input{Name: "amount-" + number, Label: "Amount in EUR", Type: "text", Mode: "decimal", Value: p[0], Autocomplete: "off"},
			Note:   ui.Input{Name: "note-" + number, Label: "Your note", Type: "text", Value: p[2], Autocomplete: "off", MaxLength: 120}})
	}
	return forms
}

func split() pages.SplitView {
	return pages.SplitView{Frame: simulated(), Back: ui.Link{Text: "Blue Bottle Coffee", Href: "/x"}, Title: "Blue Bottle Coffee",
		Amount: pages.Flow(money.FromMinor(-641, "EUR")), Action: "/split", Explain: "/split/explain", More: true,
		Parts: splitParts([3]string{"4.00", "dining", "breakfast"}, [3]string{}),
		Rest:  pages.SplitRestView{Parts: 2, Hint: pages.PayHint{Tone: ui.Info, Lines: []string{"Still left: 2.41 EUR."}}}}
}

func splitOdd() pages.SplitView {
	v := split()
	v.Back.Text, v.Title, v.Amount, v.Is, v.More = oddText+longWord, oddText+longWord, pages.Flow(money.FromMinor(999999999999999, "EUR")), true, false
	v.Notice = &ui.Notice{Tone: ui.Bad, Title: "This cannot be saved", Text: "The parts must add up to the whole amount."}
	v.Parts = splitParts([3]string{"4.00", "dining", longWord}, [3]string{"five", "", oddText})
	v.Parts[1].Amount.Problem = "Enter the amount with digits and decimals, such as 12.30."
	v.Rest.Hint = pages.PayHint{Tone: ui.Warning, Lines: []string{"The parts are 1,000,000.00 EUR too much."}}
	return v
}

func attachments() pages.AttachmentsCard {
	return pages.AttachmentsCard{Action: "/attachments", Accept: "application/pdf,.pdf,image/png,.png",
		Hint: "A receipt or an invoice as PDF, JPEG, PNG, WebP or HEIC, with 20 MB at most.",
		Files: []pages.AttachmentRow{
			{Name: "receipt.pdf", Href: "/x", Type: "PDF", Size: "231 KB", Added: at("3 October 2026"), Remove: "/x/remove"},
			{Name: "IMG_20261003.jpg", Href: "/x", Opens: true, Type: "JPEG", Size: "4.2 MB", Added: at("3 October 2026"), Remove: "/x/remove"},
		}}
}

func attachmentsOdd() pages.AttachmentsCard {
	v := attachments()
	v.Files[0].Name, v.Files[1].Name = longWord+longWord+".pdf", oddText+".jpg"
	v.Problem = "This file is not a PDF, JPEG, PNG, WebP or HEIC, whatever its name says. Nothing was kept."
	return v
}
