package show

import (
	"florin/internal/statementfile"
	"florin/internal/textfile"
	"florin/web/templates/words"
)

// StatementProblem returns why a file of transactions, or one of its rows, cannot be read, and what to do; "" for a finding of another package.
func StatementProblem(l *words.Language, found textfile.Finding) string {
	switch f := found.(type) {
	case statementfile.NoRow:
		return l.Say("The file has no transaction in it.")
	case statementfile.TooManyRows:
		return l.Say("The file has more than %d transactions. Split it into smaller files.", f.Most)
	case statementfile.TooManyAccounts:
		return l.Say("The file has more than %d accounts. Split it into smaller files.", f.Most)
	case statementfile.TooManyColumns:
		return l.Say("The file has %d columns; Florin reads at most %d. Choose a file with transactions.", f.Count, f.Most)
	case statementfile.NoCurrency:
		return l.Say("The file does not say in which currency the amounts are. Choose the currency.")
	case statementfile.OtherMessage:
		return l.Say(otherMessages[f.Kind])
	case statementfile.CutOff:
		return l.Say("The file ends in the middle. Export it again.")
	case statementfile.NoDay:
		return l.Say("The date is missing.")
	case statementfile.WrongDay:
		return l.Say("“%s” is not a date.", f.Text)
	case statementfile.NoAmount:
		return l.Say("The amount is missing.")
	case statementfile.WrongAmount:
		return l.Say("“%s” is not an amount that Florin can read.", f.Text)
	case statementfile.WrongCurrency:
		return l.Say("“%s” is not the code of a currency, such as EUR.", f.Text)
	case statementfile.WrongSide:
		if f.Text == "" {
			return l.Say("It does not say whether money came in or went out.")
		}
		return l.Say("“%s” does not say whether money came in or went out.", f.Text)
	case statementfile.WrongLine:
		return l.Say("This line does not follow the rules of the format.")
	case statementfile.ShortLine:
		return l.Say("The line has only %d columns; the first line has %d.", f.Columns, f.Header)
	case statementfile.LongText:
		return l.Say("The text is longer than %d characters.", f.Most)
	case statementfile.NotBooked:
		return l.Say("The bank has not booked it yet. Florin takes it once it is booked.")
	case statementfile.Investment:
		return l.Say("This is a transaction of shares. Florin only reads those of money.")
	}
	return FileProblem(l, found)
}

// otherMessages are the texts for XML and JSON files without transactions, with what to do instead.
var otherMessages = map[statementfile.MessageKind]words.Text{
	statementfile.OtherXML:     "The file is XML, but not a bank statement. Choose a file in the format CAMT.053 or OFX.",
	statementfile.OtherJSON:    "The file is JSON, but not an export of Florin. Choose a file in the format CSV, CAMT.053, OFX, QIF or MT940.",
	statementfile.Payments:     "The file has payments for a bank to make (pain.001). Choose it under “Pay”, or choose a bank statement here.",
	statementfile.Notification: "The file repeats a part of a bank statement (camt.054). Choose the statement itself: CAMT.053.",
}
