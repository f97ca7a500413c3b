package payments

import (
	"errors"
	"strings"

	"florin/internal/handlers/show"
	"florin/internal/paymentfile"
	"florin/internal/textfile"
	"florin/web/templates/words"
)

// fileError says why a file or code cannot be read, and what to do.
func fileError(l *words.Language, err error) string {
	var e *textfile.Error
	if errors.As(err, &e) {
		return findingWords(l, e.Reason)
	}
	return l.Say("The file cannot be read. Export it again, or choose another one.")
}

// findingsWords are findings in words, one after the other.
func findingsWords(l *words.Language, findings []paymentfile.Finding) []string {
	said := make([]string, 0, len(findings))
	for _, f := range findings {
		said = append(said, findingWords(l, f))
	}
	return said
}

// findingWords says what was found in a file or code, and what to do.
func findingWords(l *words.Language, found paymentfile.Finding) string {
	switch f := found.(type) {
	case paymentfile.NoPayment:
		if f.Header {
			return l.Say("The file has no payment below the line that names the columns.")
		}
		return l.Say("The file has no payment in it.")
	case paymentfile.TooManyPayments:
		return l.Say("The file has more than %d payments. Split it into smaller files.", f.Most)
	case paymentfile.OtherMessage:
		return l.Say(otherMessages[f.Kind])
	case paymentfile.TooManyColumns:
		return l.Say("The first line has %d columns; Florin reads at most %d. Choose a file with payments.", f.Count, f.Most)
	case paymentfile.NoHeader:
		return l.Say("The first line is a payment, but it must name the columns. Put a line above it, such as name;iban;amount;text.") + " " + l.Say(columnHelp)
	case paymentfile.NoColumn:
		return l.Say("The first line must name the columns, and “%s” is missing.", f.Column) + " " + l.Say(columnHelp)
	case paymentfile.SameColumn:
		return l.Say("Two columns mean “%s”: “%s” and “%s”. Rename the one that does not.", f.Column, f.First, f.Second)
	}
	if text := show.FileProblem(l, found); text != "" {
		return text
	}
	if text := painWords(l, found); text != "" {
		return text
	}
	if text := rowWords(l, found); text != "" {
		return text
	}
	return codeWords(l, found)
}

const columnHelp words.Text = "Florin reads the columns name, iban and amount, and if you like currency, text, reference, date and bic."

// otherMessages are files of XML that hold no payments, with what to do instead.
var otherMessages = map[paymentfile.MessageKind]words.Text{
	paymentfile.OtherXML:    "The file is XML, but not a pain.001. In the program it comes from, export it as “pain.001” or “SEPA credit transfer”.",
	paymentfile.DirectDebit: "The file is a direct debit (pain.008): it collects money and pays nobody. Choose a credit transfer, pain.001.",
	paymentfile.BankAnswer:  "The file is a bank’s answer (pain.002), and pays nobody. Choose the pain.001 that it answers.",
	paymentfile.Statement:   "The file is an account statement (camt), and pays nobody. Choose a credit transfer, pain.001.",
	paymentfile.OldPain001:  "The file is a pain.001 in a version that is too old. Export it as version 3 or later, such as pain.001.001.09.",
}

// painWords says what is wrong with a file as a whole, and what becomes other than it asks; "" for another finding.
func painWords(l *words.Language, found paymentfile.Finding) string {
	switch f := found.(type) {
	case paymentfile.NoTransfer:
		return l.Say("The file asks for the payment method “%s” (PmtMtd). Only transfers (TRF) are possible.", f.Method)
	case paymentfile.SeveralDebtors:
		return l.Say("The file pays from more than one account. Make one file for each account.")
	case paymentfile.Instant:
		return l.Say("The file asks for instant payments (LclInstrm INST), but a bulk cannot be instant. Export it as standard transfers, or make the payments one by one.")
	case paymentfile.WrongCount:
		return l.Say("%s states %s payments (NbOfTxs), but contains %d. It may be incomplete. Export it again.", groupWords(f.Group), f.Stated, f.Count)
	case paymentfile.WrongSum:
		return l.Say("%s states a total of %s (CtrlSum), but its payments add up to %s. It may be incomplete or changed by hand. Export it again.",
			groupWords(f.Group), f.Stated, f.Sum)
	case paymentfile.SeveralCharges:
		return l.Say("The payments of the file differ in who pays the charges (ChrgBr); in a bulk it is the same for all. Make one file for each.")
	case paymentfile.UnknownCharges:
		return l.Say("The file says “%s” about who pays the charges (ChrgBr). Only SLEV, SHAR, DEBT and CRED exist; you can also leave it out.", f.Code)
	case paymentfile.SeveralPriority:
		return l.Say("The payments of the file differ in priority (InstrPrty); in a bulk it is the same for all. Make one file for each.")
	case paymentfile.UnknownPriority:
		return l.Say("The file asks for the priority “%s” (InstrPrty). Only NORM and HIGH exist; you can also leave it out.", f.Code)
	case paymentfile.UnknownColumn:
		return l.Say("Florin does not know the column “%s” and leaves it out.", f.Name)
	case paymentfile.SeveralGroups:
		return l.Say("The file has %d groups of payments (PmtInf). You approve them together, as one bulk.", f.Count)
	case paymentfile.BatchBooking:
		return l.Say("The file asks your bank to book the payments as one sum or one by one (BtchBookg). Florin cannot pass that on; your bank books them as usual.")
	case paymentfile.LeftOut:
		var names []string
		for _, name := range f.Elements {
			if text := elements[name]; text != "" {
				name = l.Say(text) + " (" + name + ")"
			}
			names = append(names, name)
		}
		if f.More {
			return l.Say("The file also contains more than Florin can pass on. Left out are: %s, and more.", strings.Join(names, ", "))
		}
		return l.Say("The file also contains more than Florin can pass on. Left out are: %s.", strings.Join(names, ", "))
	}
	return ""
}

// groupWords is how a sentence about a group of a file, or about the whole of it, begins.
func groupWords(g paymentfile.Group) words.Message {
	switch {
	case g.Number == 0:
		return words.Msg("The file")
	case g.ID == "":
		return words.Msg("Group %d", g.Number)
	}
	return words.Msg("Group %d (%s)", g.Number, g.ID)
}

// elements are parts of a pain.001 that Florin leaves out.
var elements = map[string]words.Text{
	"UltmtCdtr": "the final payee", "UltmtDbtr": "the person for whom you pay", "Purp": "the purpose", "RgltryRptg": "reports to authorities",
	"IntrmyAgt1":      "an intermediary bank",
	"InstrForCdtrAgt": "instructions for the payee’s bank", "InstrForDbtrAgt": "instructions for your bank", "RfrdDocInf": "the documents paid",
	"RfrdDocAmt":  "the amounts of documents",
	"XchgRateInf": "an exchange rate", "ChrgsAcct": "an account for the charges", "PoolgAdjstmntDt": "a pooling date", "Tax": "taxes",
	"RltdRmtInf": "where to find the remittance information",
	"ChqInstr":   "a cheque", "TaxRmt": "taxes", "GrnshmtRmt": "garnishments",
}

// rowWords says what is wrong with one payment of a file; "" for another finding.
func rowWords(l *words.Language, found paymentfile.Finding) string {
	switch f := found.(type) {
	case paymentfile.NoName:
		return l.Say("The payee’s name is missing. Enter it as it is on the invoice.")
	case paymentfile.LongName:
		return l.Say("The name has %d characters; %d are allowed. Shorten it.", f.Length, f.Most)
	case paymentfile.DamagedName:
		return l.Say("The name has a damaged character (�). Type the name again.")
	case paymentfile.WrongIBAN:
		return l.Message(show.NumberProblem(f.Problem))
	case paymentfile.WrongBIC:
		return l.Say("%s You can also leave it out.", show.NumberProblem(f.Problem))
	case paymentfile.NoCurrency:
		return l.Say("The currency is missing or wrong. It is a code of three capital letters, such as EUR.")
	case paymentfile.NoAmount:
		return l.Say("The amount is missing. Enter it like 12.30.")
	case paymentfile.WrongAmount:
		return l.Message(show.AmountProblem(f.Problem))
	case paymentfile.WrongDay:
		return l.Message(show.DayProblem(f.Problem))
	case paymentfile.LongEndToEndID:
		return l.Say("The end-to-end ID has %d characters; %d are allowed. Shorten it or leave it out.", f.Length, f.Most)
	case paymentfile.SeveralReferences:
		return l.Say("The payment has %d references; only one is possible. Make one payment for each.", f.Count)
	case paymentfile.DamagedText:
		return l.Say("The text has a damaged character (�). Type the text again.")
	case paymentfile.LongLine:
		if f.Separator == ',' {
			return l.Say("The line has %d columns; the first line has %d. Put a field that contains a comma between quotation marks, such as \"12,50\", or write 12.50.",
				f.Columns, f.Header)
		}
		return l.Say("The line has %d columns; the first line has %d. Put a field that contains the separator between quotation marks.", f.Columns, f.Header)
	case paymentfile.ShortLine:
		return l.Say("The line has only %d columns; the first line has %d. Write the separators for empty fields, too.", f.Columns, f.Header)
	}
	return ""
}

// swissWords says why the text of a Swiss QR-bill cannot be read; "" for another finding.
func swissWords(l *words.Language, found paymentfile.Finding) string {
	switch f := found.(type) {
	case paymentfile.SwissIncomplete:
		return l.Say("This Swiss QR-bill is not complete. Copy the whole text of the code with its empty lines, or choose a picture of it.")
	case paymentfile.SwissVersion:
		return l.Say("Florin does not know this version of the Swiss QR-bill. Enter name, IBAN and amount in the form.")
	case paymentfile.SwissAccount:
		return l.Say("The account of a Swiss QR-bill must be in Switzerland or Liechtenstein, and this one is not. Compare it with the invoice.")
	case paymentfile.SwissNoName:
		return l.Say("The name of the payee is missing in this Swiss QR-bill. Enter name, IBAN and amount in the form.")
	case paymentfile.SwissLong:
		if f.Name {
			return l.Say("The payee’s name in this Swiss QR-bill has %d characters; %d are allowed. Enter name, IBAN and amount in the form.", f.Length, f.Most)
		}
		return l.Say("The text in this Swiss QR-bill has %d characters; %d are allowed. Enter name, IBAN and amount in the form.", f.Length, f.Most)
	case paymentfile.SwissCurrency:
		return l.Say("A Swiss QR-bill is in francs (CHF) or euros (EUR), and this one is not. Compare it with the invoice.")
	case paymentfile.SwissSum:
		return l.Say("The amount in this Swiss QR-bill is wrong. Enter name, IBAN and amount in the form.")
	case paymentfile.SwissWrongReference:
		return l.Say("The reference in this Swiss QR-bill is wrong. Compare it with the invoice.")
	}
	return ""
}

// fieldsWords says why a Czech or Slovak payment code cannot be read; "" for another finding.
func fieldsWords(l *words.Language, found paymentfile.Finding) string {
	switch f := found.(type) {
	case paymentfile.CzechVersion:
		return l.Say("Florin does not know this version of the Czech payment code. Enter name, IBAN and amount in the form.")
	case paymentfile.CzechForm:
		return l.Say("This Czech payment code is incomplete. Copy all of it, in one line, or enter name, IBAN and amount in the form.")
	case paymentfile.SlovakVersion:
		return l.Say("Florin does not know this version of the Slovak payment code. Enter name, IBAN and amount in the form.")
	case paymentfile.SlovakDamaged:
		return l.Say("This Slovak payment code is damaged or incomplete. Scan it again, or enter name, IBAN and amount in the form.")
	case paymentfile.CodeSeveral:
		return l.Say("This payment code asks for several payments. Enter them in the form one by one.")
	case paymentfile.CodeRepeats:
		return l.Say("This payment code is for a standing order or a direct debit. Enter name, IBAN, amount and days in the form.")
	case paymentfile.CodeField:
		return l.Say("The field %s of this payment code is wrong or missing. Enter name, IBAN and amount in the form.", f.Key)
	}
	return ""
}

// codeWords says why the text of a payment code cannot be read; "" for another finding.
func codeWords(l *words.Language, found paymentfile.Finding) string {
	if text := swissWords(l, found) + fieldsWords(l, found); text != "" {
		return text
	}
	switch f := found.(type) {
	case paymentfile.OtherCode:
		return l.Say("This is %s. Florin reads the European payment code, which begins with BCD, the Swiss QR-bill, and the Czech and the Slovak code. Copy the IBAN from it and paste that; then enter name, amount and reference in the form.", otherCodes[f.Kind])
	case paymentfile.NoCode:
		return l.Say("This is not a payment code: it does not begin with BCD.")
	case paymentfile.DamagedCode:
		return l.Say("The code has damaged characters (�), because the program that scanned it misread them. Scan it with another program, or paste only the IBAN.")
	case paymentfile.LinesMissing:
		return l.Say("The line breaks of the code are missing: BCD must be alone in the first line. Copy the code with its line breaks, or paste only the IBAN.")
	case paymentfile.TooManyLines:
		return l.Say("The code has %d lines; a payment code has at most %d. Paste nothing else with it.", f.Count, f.Most)
	case paymentfile.LongCode:
		return l.Say("The code is longer than the %d characters of a payment code. Paste nothing else with it, or shorten the text in line 11.", f.Most)
	case paymentfile.WrongVersion:
		return l.Say("Florin does not know the version of the code in line 2; it must be 001 or 002. Paste only the IBAN.")
	case paymentfile.WrongAlphabet:
		return l.Say("Florin does not know the character set of the code in line 3; it must be a digit from 1 to 8. If all letters look right, put 1 there.")
	case paymentfile.OtherPurpose:
		return l.Say("The code is not for a credit transfer: line 4 would then be SCT. Paste only the IBAN.")
	case paymentfile.NoCodeBIC:
		return l.Say("The BIC in line 5 is missing; version 001 of the code needs it. If the invoice has no BIC, put 002 into line 2.")
	case paymentfile.WrongCodeBIC:
		return l.Say("The BIC in line 5 is wrong. %s If the rest is right, remove it.", show.NumberProblem(f.Problem))
	case paymentfile.NoCodeName:
		return l.Say("The payee’s name in line 6 is missing. Enter it as it is on the invoice.")
	case paymentfile.WrongCodeIBAN:
		return l.Message(show.NumberProblem(f.Problem))
	case paymentfile.OtherCurrency:
		return l.Say("The amount in line 8 is not in euro, but these codes are for euro only. Paste only the IBAN.")
	case paymentfile.AmountComma:
		return l.Say("The amount in line 8 has a comma. Write it like EUR12.30.")
	case paymentfile.AmountForm:
		return l.Say("The amount in line 8 is not written like EUR12.30. Empty the line to enter the amount later.")
	case paymentfile.AmountZero:
		return l.Say("The amount in line 8 must be more than zero. Empty the line to enter the amount later.")
	case paymentfile.WrongPurpose:
		return l.Say("The purpose in line 9 must have at most four capital letters or digits. Empty the line.")
	case paymentfile.ReferenceAndText:
		return l.Say("The code has a reference in line 10 and a text in line 11, but only one of them is allowed. Empty one of the two lines.")
	case paymentfile.WrongReference:
		return l.Say("The reference in line 10 has characters that are not allowed in a reference. If it is a text, move it to line 11.")
	case paymentfile.LongElement:
		switch f.Line {
		case 6:
			return l.Say("The payee’s name in line 6 has %d characters; %d are allowed. Shorten it.", f.Length, f.Most)
		case 10:
			return l.Say("The reference in line 10 has %d characters; %d are allowed. If it is a text, move it to line 11.", f.Length, f.Most)
		case 11:
			return l.Say("The text in line 11 has %d characters; %d are allowed. Shorten it.", f.Length, f.Most)
		case 12:
			return l.Say("The note in line 12 has %d characters; %d are allowed. It is only for you: remove it.", f.Length, f.Most)
		}
	}
	return ""
}

// otherCodes are codes that Florin does not read.
var otherCodes = map[paymentfile.CodeKind]words.Text{
	paymentfile.SlovenianUPNQR: "a Slovenian payment slip (UPN QR)",
	paymentfile.HungarianQvik:  "a Hungarian payment code (qvik)",
	paymentfile.CroatianHUB3:   "a Croatian payment slip (HUB3)",
	paymentfile.RussianCode:    "a Russian payment code",
	paymentfile.SerbianIPS:     "a Serbian payment code (IPS QR)", paymentfile.ShopCode: "a payment code for shops (EMV QR)",
	paymentfile.BezahlCode: "a payment link (BezahlCode)",
	paymentfile.PaytoLink:  "a payment link (payto)", paymentfile.BitcoinAddress: "a Bitcoin address", paymentfile.WebPage: "the address of a web page",
}
