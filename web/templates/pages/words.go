package pages

import "florin/internal/openbanking"

// BalanceWords says what a balance type means: a name and an explanation. A type that the specification does not
// name is called by its code.
func BalanceWords(code openbanking.BalanceStatus) (name, meaning string) {
	switch code {
	case openbanking.BalanceStatusCLAV:
		return "Available at close of day", "What could be spent when the bank closed its books."
	case openbanking.BalanceStatusCLBD:
		return "Booked at close of day", "Everything booked when the bank closed its books."
	case openbanking.BalanceStatusFWAV:
		return "Available on a later day", "What will be available on the day shown."
	case openbanking.BalanceStatusINFO:
		return "For information", "A figure the bank gives for information only."
	case openbanking.BalanceStatusITAV:
		return "Available now", "What can be spent now; it may include an overdraft."
	case openbanking.BalanceStatusITBD:
		return "Booked so far today", "Everything booked up to this moment."
	case openbanking.BalanceStatusOPAV:
		return "Available at start of day", "What could be spent when the day began."
	case openbanking.BalanceStatusOPBD:
		return "Booked at start of day", "Everything booked before the day began."
	case openbanking.BalanceStatusOTHR:
		return "Other balance", "A figure the bank does not classify."
	case openbanking.BalanceStatusPRCD:
		return "Previous closing balance", "Everything booked at the close of the period before."
	case openbanking.BalanceStatusVALU:
		return "Balance by value date", "Only what already counts for interest."
	case openbanking.BalanceStatusXPCD:
		return "Expected", "Booked, together with what the bank expects to book."
	default:
		return "Balance " + string(code), "The bank uses a type of its own."
	}
}

// StatusWords says what the status of a transaction means.
func StatusWords(code openbanking.TransactionStatus) string {
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
func ReferenceWords(scheme openbanking.ReferenceNumberScheme) string {
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
