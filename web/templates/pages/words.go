package pages

import (
	"florin/internal/openbanking"
	"florin/web/templates/words"
)

// BalanceWords says what a balance type means: a name and an explanation. A type that the specification does not
// name is called by its code.
func BalanceWords(code openbanking.BalanceStatus) (name, meaning words.Message) {
	switch code {
	case openbanking.BalanceStatusCLAV:
		return words.Msg("Available at close of day"), words.Msg("What you could spend at the end of the bank’s working day.")
	case openbanking.BalanceStatusCLBD:
		return words.Msg("Booked at close of day"), words.Msg("Everything booked by the end of the bank’s working day.")
	case openbanking.BalanceStatusFWAV:
		return words.Msg("Available on a later day"), words.Msg("What you can spend on the day shown.")
	case openbanking.BalanceStatusINFO:
		return words.Msg("For information"), words.Msg("The bank gives this figure for information only.")
	case openbanking.BalanceStatusITAV:
		return words.Msg("Available now"), words.Msg("What you can spend now. It may include an overdraft.")
	case openbanking.BalanceStatusITBD:
		return words.Msg("Booked so far today"), words.Msg("Everything booked up to this moment.")
	case openbanking.BalanceStatusOPAV:
		return words.Msg("Available at start of day"), words.Msg("What you could spend when the day began.")
	case openbanking.BalanceStatusOPBD:
		return words.Msg("Booked at start of day"), words.Msg("Everything booked before the day began.")
	case openbanking.BalanceStatusOTHR:
		return words.Msg("Other balance"), words.Msg("The bank does not say what kind of balance this is.")
	case openbanking.BalanceStatusPRCD:
		return words.Msg("Previous closing balance"), words.Msg("Everything booked at the end of the period before.")
	case openbanking.BalanceStatusVALU:
		return words.Msg("Balance by value date"), words.Msg("Only what already counts for interest.")
	case openbanking.BalanceStatusXPCD:
		return words.Msg("Expected"), words.Msg("What is booked, and what the bank expects to book.")
	default:
		return words.Msg("Balance %s", string(code)), words.Msg("The bank uses a type of its own.")
	}
}

// StatusWords says what the status of a transaction means.
func StatusWords(code openbanking.TransactionStatus) words.Text {
	switch code {
	case openbanking.TransactionStatusBOOK:
		return "Booked"
	case openbanking.TransactionStatusCNCL:
		return "Cancelled"
	case openbanking.TransactionStatusHOLD:
		return "On hold"
	case openbanking.TransactionStatusPDNG:
		return "Pending"
	case openbanking.TransactionStatusRJCT:
		return "Rejected"
	case openbanking.TransactionStatusSCHD:
		return "Scheduled"
	default:
		return "Other status"
	}
}

// ReferenceWords says what kind of reference number a scheme means.
func ReferenceWords(scheme openbanking.ReferenceNumberScheme) words.Text {
	switch scheme {
	case openbanking.ReferenceNumberSchemeBERF:
		return "Belgian structured reference"
	case openbanking.ReferenceNumberSchemeFIRF:
		return "Finnish reference"
	case openbanking.ReferenceNumberSchemeINTL:
		return "International reference"
	case openbanking.ReferenceNumberSchemeNORF:
		return "Norwegian KID number"
	case openbanking.ReferenceNumberSchemeSDDM:
		return "Direct debit mandate"
	case openbanking.ReferenceNumberSchemeSEBG:
		return "Swedish Bankgiro OCR number"
	default:
		return "Reference number"
	}
}
