package finance

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"florin/internal/openbanking"
)

// Means is how the money of a booked row moved, as far as the bank tells.
type Means string

// Values of Means.
const (
	MeansTransfer    Means = "transfer"     // a credit transfer, or nothing says otherwise
	MeansDirectDebit Means = "direct_debit" // the payee takes it, by a mandate
	MeansCard        Means = "card"         // cash from a machine among them
	MeansBank        Means = "bank"         // between the bank and its customer: fees, interest, cheques, securities
	MeansIncome      Means = "income"       // a salary, a pension: a transfer that nobody sends back
)

// codeMeans are codes of banks: families and sub-families of ISO 20022 (external bank transaction codes), and the transaction types of SWIFT's MT940
// (field 61), which banks still give.
var codeMeans = map[Means][]string{
	MeansDirectDebit: {"RDDT", "IDDT", "ESDD", "BBDD", "PMDD", "OODD", "URDD", "FCDD", "NDDT"},
	MeansCard:        {"CCRD", "MCRD", "POSD", "POSC", "POSP", "CWDL", "XBCW", "XBCP", "SMRT", "CNTR", "CDPT"},
	MeansBank:        {"CHRG", "COMM", "FEES", "INTR", "MDOP", "MCOP", "RCHQ", "ICHQ", "DRFT", "SECU", "SETT", "CORP", "NCHG", "NCHK", "NINT", "NDIV", "NSEC"},
	MeansIncome:      {"SALA", "PENS", "BECH"},
}

// wordMeans are words of banks for codes and descriptions, in the languages of the banks that are reached.
var wordMeans = map[Means][]string{
	MeansDirectDebit: {"lastschrift", "folgelastschrift", "erstlastschrift", "einzugsermächtigung", "directdebit", "direct debit", "prélèvement",
		"prelevement", "incasso", "domiciliation", "domiciliering",
		"domiciliación", "domiciliacion", "adeudo", "addebito", "débito direto", "autogiro", "avtalegiro", "betalingsservice", "suoraveloitus", "otsekorraldus",
		"polecenie zapłaty", "tiesioginis debetas",
		"tiešais debets", "sdd"},
	MeansCard: {"card", "debitcard", "creditcard", "karte", "kartenzahlung", "debitkarte", "girocard", "bankomatkarte", "carte", "kaart", "kaartbetaling",
		"betaalautomaat", "tarjeta", "carta", "cartão",
		"korttiosto", "kortköp", "varekjøp", "dankøb", "kartą", "karty", "kaardimakse", "kortelės", "kartes", "atm", "cash", "geldautomat", "bargeld",
		"bargeldauszahlung", "retrait", "bancomat", "geldopname", "minibankuttak"},
	MeansBank: {"fee", "fees", "charge", "charges", "commission", "interest", "dividend", "gebühr", "gebühren", "entgelt", "zinsen", "frais", "intérêts",
		"comisión", "intereses", "canone", "commissione", "interessi",
		"comissão", "juros", "avgift", "gebyr", "ränta", "renter", "opłata", "odsetki", "korko", "intress", "palūkanos", "procenti"},
	MeansIncome: {"salary", "wage", "wages", "payroll", "pension", "gehalt", "lohn", "bezüge", "besoldung", "rente", "salaire", "paie", "loon", "wedde",
		"nómina", "nomina", "stipendio", "pensione", "vencimento",
		"salaris", "ordenado", "palkka", "eläke", "lön", "løn", "lønn", "wynagrodzenie", "emerytura", "töötasu", "palk", "atlyginimas", "darbo užmokestis", "alga"}, //nolint:misspell // Dutch
}

// mandate is what a record says of the mandate of a direct debit: the labels of mandate and creditor id (EPC rulebook: AT-01, AT-02), or a creditor
// id itself, with the business code that nearly all have.
var mandate = regexp.MustCompile(`(?i)\b(MREF|CRED)\s*[+:]|\b(mandat|mandate|mandato|machtiging|machtigingskenmerk|incassant|mandatsref\w*|mandatsnummer|creditor[ -]?id|gläubiger-?id\w*|UCI:|SDD)\b|\b[A-Z]{2}[0-9]{2}ZZZ[0-9A-Z]{6,28}\b`)

// MeansOf returns how the money of a row moved. It follows from what the bank states: the category of the merchant, the scheme of the reference,
// codes and words for the kind of transaction, and the mention of a mandate.
func MeansOf(t openbanking.Transaction) Means {
	text := strings.Join(t.RemittanceInformation, "\n")
	if s := t.ReferenceNumberSchema; s != nil && *s == openbanking.ReferenceNumberSchemeSDDM {
		return MeansDirectDebit
	}
	if value(t.MerchantCategoryCode) != "" || slices.ContainsFunc(slices.Concat(t.CreditorAccountAdditionalIdentification,
		t.DebtorAccountAdditionalIdentification), func(g openbanking.GenericIdentification) bool {
		return g.SchemeName == openbanking.SchemeNameCPAN
	}) {
		return MeansCard
	}
	order := []Means{MeansDirectDebit, MeansCard, MeansBank, MeansIncome}
	if code := t.BankTransactionCode; code != nil {
		codes := strings.FieldsFunc(strings.ToUpper(value(code.Code)+" "+value(code.SubCode)),
			func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		for _, m := range order {
			if slices.ContainsFunc(codes, func(c string) bool { return slices.Contains(codeMeans[m], c) }) {
				return m
			}
		}
		said := value(code.Description) + " " + value(code.Code) + " " + value(code.SubCode)
		for _, m := range order {
			if says(said, wordMeans[m]) {
				return m
			}
		}
	}
	if mandate.MatchString(text) {
		return MeansDirectDebit
	}
	if t.CreditDebitIndicator == openbanking.CreditDebitIndicatorCRDT && says(text, wordMeans[MeansIncome]) { // where the bank has no code, its text says it
		return MeansIncome
	}
	return MeansTransfer
}

// says reports whether a text has one of the words, in any case.
func says(text string, words []string) bool {
	text = strings.ToLower(Clean(text))
	return slices.ContainsFunc(words, func(word string) bool { return hasWord(text, word) })
}
