package payments

import (
	"errors"
	"fmt"
	"strings"

	"florin/internal/handlers/show"
	"florin/internal/paymentfile"
)

// fileError says why a file or code cannot be read, and what to do.
func fileError(err error) string {
	var e *paymentfile.Error
	if errors.As(err, &e) {
		return findingWords(e.Finding)
	}
	return problemWords(err)
}

// problemWords makes an error of a reader of amounts or days a sentence.
func problemWords(err error) string { return show.UpperFirst(err.Error()) + show.Dot(err.Error()) }

// findingsWords are findings in words, one after the other.
func findingsWords(findings []paymentfile.Finding) []string {
	said := make([]string, 0, len(findings))
	for _, f := range findings {
		said = append(said, findingWords(f))
	}
	return said
}

// findingWords says what was found in a file or code, and what to do.
func findingWords(found paymentfile.Finding) string {
	switch f := found.(type) {
	case paymentfile.TooLarge:
		return fmt.Sprintf("The file is larger than %d KiB. Split it into smaller files.", f.Most>>10)
	case paymentfile.NoPayment:
		if f.Header {
			return "The file has no payment below the line that names the columns."
		}
		return "The file has no payment in it."
	case paymentfile.TooManyPayments:
		return fmt.Sprintf("The file has more than %d payments. Split it into smaller files.", f.Most)
	case paymentfile.OtherFile:
		return otherFiles[f.Kind]
	case paymentfile.NotUTF8:
		return fmt.Sprintf("The file is not written in UTF-8: see line %d. Save or export it again as UTF-8.", f.Line)
	case paymentfile.UnknownEncoding:
		return fmt.Sprintf("The file is written in %s, which Florin cannot read. Save or export it again as UTF-8.", f.Name)
	case paymentfile.WrongEncoding:
		return fmt.Sprintf("The file cannot be read as %s: line %d has a character that does not exist there. Save or export it again as UTF-8.", f.Name, f.Line)
	case paymentfile.WrongQuotes:
		return fmt.Sprintf("Line %d cannot be read: a quotation mark is missing or in the wrong place. Put a field that contains a quotation mark between quotation marks, and write the mark inside it twice.", f.Line)
	case paymentfile.TooManyColumns:
		return fmt.Sprintf("The first line has %d columns; Florin reads at most %d. Choose a file with payments.", f.Count, f.Most)
	case paymentfile.NoHeader:
		return "The first line is a payment, but it must name the columns. Put a line above it, such as name;iban;amount;text. " + columnHelp
	case paymentfile.NoColumn:
		return fmt.Sprintf("The first line must name the columns, and “%s” is missing. ", f.Column) + columnHelp
	case paymentfile.SameColumn:
		return fmt.Sprintf("Two columns mean “%s”: “%s” and “%s”. Rename the one that does not.", f.Column, f.First, f.Second)
	case paymentfile.Malformed:
		return fmt.Sprintf("The file is not correct XML: see line %d. It may be incomplete or changed by hand. Export it again.", f.Line)
	case paymentfile.DocumentType:
		return "The file contains a document type (DOCTYPE), which can be used for attacks and which no pain.001 needs. Remove that line, or export the file again."
	case paymentfile.TooDeep:
		return "The file has more levels of elements than a pain.001 can have. Export it again."
	}
	if text := painWords(found); text != "" {
		return text
	}
	if text := rowWords(found); text != "" {
		return text
	}
	return codeWords(found)
}

const columnHelp = "Florin reads the columns name, iban and amount, and if you like currency, text, reference, date and bic."

// otherFiles are files that hold no payments, with what to do instead.
var otherFiles = map[paymentfile.FileKind]string{
	paymentfile.Workbook:    "This is a spreadsheet or an archive. In the spreadsheet choose “Save as” and “CSV UTF-8”, or unpack the archive. Then choose that file.",
	paymentfile.OldWorkbook: "This is an Excel file. In Excel choose “Save as” and “CSV UTF-8”. Then choose that file.",
	paymentfile.PDF:         "This is a PDF. Florin cannot read payments from it. Export the payments as CSV or pain.001.",
	paymentfile.Compressed:  "This file is compressed. Unpack it and choose the file inside.",
	paymentfile.Picture:     "This is a picture. Choose a file with payments: CSV or pain.001.",
	paymentfile.NoText:      "This is not a text file. Choose a file with payments: CSV or pain.001.",
	paymentfile.UTF32:       "The file is written in UTF-32, which Florin cannot read. Save it again as UTF-8.",
	paymentfile.OtherXML:    "The file is XML, but not a pain.001. In the program it comes from, export it as “pain.001” or “SEPA credit transfer”.",
	paymentfile.DirectDebit: "The file is a direct debit (pain.008): it collects money and pays nobody. Choose a credit transfer, pain.001.",
	paymentfile.BankAnswer:  "The file is a bank’s answer (pain.002), and pays nobody. Choose the pain.001 that it answers.",
	paymentfile.Statement:   "The file is an account statement (camt), and pays nobody. Choose a credit transfer, pain.001.",
	paymentfile.OldPain001:  "The file is a pain.001 in a version that is too old. Export it as version 3 or later, such as pain.001.001.09.",
}

// painWords says what is wrong with a file as a whole, and what becomes other than it asks; "" for another finding.
func painWords(found paymentfile.Finding) string {
	switch f := found.(type) {
	case paymentfile.NoTransfer:
		return fmt.Sprintf("The file asks for the payment method “%s” (PmtMtd). Only transfers (TRF) are possible.", f.Method)
	case paymentfile.SeveralDebtors:
		return "The file pays from more than one account. Make one file for each account."
	case paymentfile.Instant:
		return "The file asks for instant payments (LclInstrm INST), but a bulk cannot be instant. Export it as standard transfers, or make the payments one by one."
	case paymentfile.WrongCount:
		return fmt.Sprintf("%s states %s payments (NbOfTxs), but contains %d. It may be incomplete. Export it again.", groupWords(f.Group), f.Stated, f.Count)
	case paymentfile.WrongSum:
		return fmt.Sprintf("%s states a total of %s (CtrlSum), but its payments add up to %s. It may be incomplete or changed by hand. Export it again.", groupWords(f.Group), f.Stated, f.Sum)
	case paymentfile.SeveralCharges:
		return "The payments of the file differ in who pays the charges (ChrgBr); in a bulk it is the same for all. Make one file for each."
	case paymentfile.UnknownCharges:
		return fmt.Sprintf("The file says “%s” about who pays the charges (ChrgBr). Only SLEV, SHAR, DEBT and CRED exist; you can also leave it out.", f.Code)
	case paymentfile.SeveralPriority:
		return "The payments of the file differ in priority (InstrPrty); in a bulk it is the same for all. Make one file for each."
	case paymentfile.UnknownPriority:
		return fmt.Sprintf("The file asks for the priority “%s” (InstrPrty). Only NORM and HIGH exist; you can also leave it out.", f.Code)
	case paymentfile.UnknownColumn:
		return fmt.Sprintf("Florin does not know the column “%s” and leaves it out.", f.Name)
	case paymentfile.SeveralGroups:
		return fmt.Sprintf("The file has %d groups of payments (PmtInf). You approve them together, as one bulk.", f.Count)
	case paymentfile.BatchBooking:
		return "The file asks your bank to book the payments as one sum or one by one (BtchBookg). Florin cannot pass that on; your bank books them as usual."
	case paymentfile.LeftOut:
		var names []string
		for _, name := range f.Elements {
			if text := elements[name]; text != "" {
				name = text + " (" + name + ")"
			}
			names = append(names, name)
		}
		if f.More {
			names = append(names, "and more")
		}
		return fmt.Sprintf("The file also contains what Florin cannot pass on and leaves out: %s.", strings.Join(names, ", "))
	}
	return ""
}

// groupWords is how a sentence about a group of a file, or about the whole of it, begins.
func groupWords(g paymentfile.Group) string {
	switch {
	case g.Number == 0:
		return "The file"
	case g.ID == "":
		return fmt.Sprintf("Group %d", g.Number)
	}
	return fmt.Sprintf("Group %d (%s)", g.Number, g.ID)
}

// elements are parts of a pain.001 that Florin leaves out.
var elements = map[string]string{
	"UltmtCdtr": "the final payee", "UltmtDbtr": "the person for whom you pay", "Purp": "the purpose", "RgltryRptg": "reports to authorities", "IntrmyAgt1": "an intermediary bank",
	"InstrForCdtrAgt": "instructions for the payee’s bank", "InstrForDbtrAgt": "instructions for your bank", "RfrdDocInf": "the documents paid", "RfrdDocAmt": "the amounts of documents",
	"XchgRateInf": "an exchange rate", "ChrgsAcct": "an account for the charges", "PoolgAdjstmntDt": "a pooling date", "Tax": "taxes", "RltdRmtInf": "where to find the remittance information",
	"ChqInstr": "a cheque", "TaxRmt": "taxes", "GrnshmtRmt": "garnishments",
}

// rowWords says what is wrong with one payment of a file; "" for another finding.
func rowWords(found paymentfile.Finding) string {
	switch f := found.(type) {
	case paymentfile.NoName:
		return "The payee’s name is missing. Enter it as it is on the invoice."
	case paymentfile.LongName:
		return fmt.Sprintf("The name has %d characters; %d are allowed. Shorten it.", f.Length, f.Most)
	case paymentfile.DamagedName:
		return "The name has a damaged character (�). Type the name again."
	case paymentfile.WrongIBAN:
		return f.Problem.Error()
	case paymentfile.WrongBIC:
		return f.Problem.Error() + " You can also leave it out."
	case paymentfile.NoCurrency:
		return "The currency is missing or wrong. It is a code of three capital letters, such as EUR."
	case paymentfile.NoAmount:
		return "The amount is missing. Enter it like 12.30."
	case paymentfile.WrongAmount:
		return problemWords(f.Problem)
	case paymentfile.WrongDay:
		return problemWords(f.Problem)
	case paymentfile.LongEndToEndID:
		return fmt.Sprintf("The end-to-end ID has %d characters; %d are allowed. Shorten it or leave it out.", f.Length, f.Most)
	case paymentfile.SeveralReferences:
		return fmt.Sprintf("The payment has %d references; only one is possible. Make one payment for each.", f.Count)
	case paymentfile.DamagedText:
		return "The text has a damaged character (�). Type the text again."
	case paymentfile.LongLine:
		text := fmt.Sprintf("The line has %d columns; the first line has %d. Put a field that contains the separator between quotation marks.", f.Columns, f.Header)
		if f.Separator == ',' {
			text = fmt.Sprintf("The line has %d columns; the first line has %d. Put a field that contains a comma between quotation marks, such as \"12,50\", or write 12.50.", f.Columns, f.Header)
		}
		return text
	case paymentfile.ShortLine:
		return fmt.Sprintf("The line has only %s; the first line has %d. Separators are needed for empty fields too.", show.Plural(f.Columns, "column"), f.Header)
	}
	return ""
}

// codeWords says why the text of a payment code cannot be read; "" for another finding.
func codeWords(found paymentfile.Finding) string {
	switch f := found.(type) {
	case paymentfile.OtherCode:
		return fmt.Sprintf("This is %s. Florin only reads the European payment code, which begins with BCD. Copy the IBAN from it and paste that; then enter name, amount and reference in the form.", otherCodes[f.Kind])
	case paymentfile.NoCode:
		return "This is not a payment code: it does not begin with BCD."
	case paymentfile.DamagedCode:
		return "The code has damaged characters (�), because the program that scanned it misread them. Scan it with another program, or paste only the IBAN."
	case paymentfile.LinesMissing:
		return "The line breaks of the code are missing: BCD must be alone in the first line. Copy the code with its line breaks, or paste only the IBAN."
	case paymentfile.TooManyLines:
		return fmt.Sprintf("The code has %d lines; a payment code has at most %d. Paste nothing else with it.", f.Count, f.Most)
	case paymentfile.LongCode:
		return fmt.Sprintf("The code is longer than the %d characters of a payment code. Paste nothing else with it, or shorten the text in line 11.", f.Most)
	case paymentfile.WrongVersion:
		return "Florin does not know the version of the code in line 2; it must be 001 or 002. Paste only the IBAN."
	case paymentfile.WrongAlphabet:
		return "Florin does not know the character set of the code in line 3; it must be a digit from 1 to 8. If all letters look right, put 1 there."
	case paymentfile.OtherPurpose:
		return "The code is not for a credit transfer: line 4 would then be SCT. Paste only the IBAN."
	case paymentfile.NoCodeBIC:
		return "The BIC in line 5 is missing; version 001 of the code needs it. If the invoice has no BIC, put 002 into line 2."
	case paymentfile.WrongCodeBIC:
		return fmt.Sprintf("The BIC in line 5 is wrong. %s If the rest is right, remove it.", f.Problem)
	case paymentfile.NoCodeName:
		return "The payee’s name in line 6 is missing. Enter it as it is on the invoice."
	case paymentfile.WrongCodeIBAN:
		return f.Problem.Error()
	case paymentfile.OtherCurrency:
		return "The amount in line 8 is not in euro, but these codes are for euro only. Paste only the IBAN."
	case paymentfile.AmountComma:
		return "The amount in line 8 has a comma. Write it like EUR12.30."
	case paymentfile.AmountForm:
		return "The amount in line 8 is not written like EUR12.30. Empty the line to enter the amount later."
	case paymentfile.AmountZero:
		return "The amount in line 8 must be more than zero. Empty the line to enter the amount later."
	case paymentfile.WrongPurpose:
		return "The purpose in line 9 must have at most four capital letters or digits. Empty the line."
	case paymentfile.ReferenceAndText:
		return "The code has a reference in line 10 and a text in line 11, but only one of them is allowed. Empty one of the two lines."
	case paymentfile.WrongReference:
		return "The reference in line 10 has characters that are not allowed in a reference. If it is a text, move it to line 11."
	case paymentfile.LongElement:
		switch f.Line {
		case 6:
			return fmt.Sprintf("The payee’s name in line 6 has %d characters; %d are allowed. Shorten it.", f.Length, f.Most)
		case 10:
			return fmt.Sprintf("The reference in line 10 has %d characters; %d are allowed. If it is a text, move it to line 11.", f.Length, f.Most)
		case 11:
			return fmt.Sprintf("The text in line 11 has %d characters; %d are allowed. Shorten it.", f.Length, f.Most)
		case 12:
			return fmt.Sprintf("The note in line 12 has %d characters; %d are allowed. It is only for you: remove it.", f.Length, f.Most)
		}
	}
	return ""
}

// otherCodes are codes that Florin does not read.
var otherCodes = map[paymentfile.CodeKind]string{
	paymentfile.SwissQRBill: "a Swiss QR-bill", paymentfile.SlovenianUPNQR: "a Slovenian payment slip (UPN QR)", paymentfile.HungarianQvik: "a Hungarian payment code (qvik)",
	paymentfile.CroatianHUB3: "a Croatian payment slip (HUB3)", paymentfile.CzechSPAYD: "a Czech or Slovak payment code (SPAYD)", paymentfile.RussianCode: "a Russian payment code",
	paymentfile.SerbianIPS: "a Serbian payment code (IPS QR)", paymentfile.ShopCode: "a payment code for shops (EMV QR)", paymentfile.BezahlCode: "a payment link (BezahlCode)",
	paymentfile.PaytoLink: "a payment link (payto)", paymentfile.BitcoinAddress: "a Bitcoin address", paymentfile.WebPage: "the address of a web page",
}
